"""What the course says of an exercise: its number, where it is on the site, and which ideas it trains."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from jaxcourse.course import Course, ideas_of, number_of
from jaxcourse.exercise import variable_of


@dataclass(frozen=True)
class KnownExercise:
    """An exercise of today's course.

    Attributes:
        title: what people call it.
        number: as its page shows it; empty if the course has no such exercise.
        address: where it is on the site; empty if that is not set.
        ideas: which it trains.
        order: its place in the course.
        task: what its function should do, as the docstring in the lesson says it; empty if it has none.
    """

    title: str
    number: str = ""
    address: str = ""
    ideas: tuple[str, ...] = ()
    order: int = 0
    task: str = ""

    @property
    def numbered_title(self) -> str:
        """Its number and title.

        Example:
            >>> KnownExercise("Strides", "10.5").numbered_title, KnownExercise("Strides").numbered_title
            ('10.5, Strides', 'Strides')
        """
        return ", ".join(filter(None, (self.number, self.title)))


NOTHING_KNOWN: Mapping[str, KnownExercise] = MappingProxyType({})
"""Where there is no course to ask."""


def known_exercises(course: Course, stems: Iterable[str]) -> dict[str, KnownExercise]:
    """The exercises of some lessons, by their names of today.

    Args:
        course: the course of today.
        stems: of the lessons; one that the course does not have is left out.
    """
    taught, asked = course.exercises(), set(stems)
    order = {name: place for place, name in enumerate(name for names in taught.values() for name in names)}
    return {name: one for stem in taught if stem in asked for name, one in _of_lesson(course, stem, order)}


def _of_lesson(course: Course, stem: str, order: Mapping[str, int]) -> Iterator[tuple[str, KnownExercise]]:
    text, trained = course.texts[stem], ideas_of(course, stem)
    for place, (name, solution) in enumerate(text.solutions.items(), 1):
        address = text.page and f"{text.page}#{name}"
        of = text.titles.get(name, name), number_of(stem, place), address, trained.get(name, ()), order[name]
        yield name, KnownExercise(*of, _task(solution, variable_of(name)))


def _task(solution: str, variable: str) -> str:
    r"""The first paragraph of the docstring of a solution; a cell with magics has none that Python alone could read.

    Example:
        >>> _task("def twice(x):\n    'Return two `x`.'\n    return 2 * x", "twice"), _task("last = 3", "last")
        ('Return two `x`.', '')
    """
    try:
        body = ast.parse(solution).body
    except SyntaxError:
        return ""
    found = (node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef))
    said = next((ast.get_docstring(node) for node in found if node.name == variable), None)
    return " ".join((said or "").partition("\n\n")[0].split())
