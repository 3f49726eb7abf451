"""What students are told of a lesson that withholds its solutions: nothing until then, or points alone for good.

What an instructor reads has all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeAlias

from jaxcourse.course import Course
from jaxcourse_grade._records import Mark, Result


@dataclass(frozen=True)
class Restriction:
    """What is held back from students.

    Attributes:
        says: what they read in its place.
        points: whether they are told what became of each exercise, without a word on why.
    """

    says: str
    points: bool = False


HeldBack: TypeAlias = Mapping[str, Restriction]
"""What is held back, by the stem of the lesson."""
NOTHING: HeldBack = MappingProxyType({})


def held_back(course: Course, stems: Iterable[str], *, live: bool = False) -> dict[str, Restriction]:
    """What of some lessons is held back today.

    Args:
        course: whose lessons they are.
        stems: theirs.
        live: whether students see reports whenever they hand in: then points would tell them what is right.
    """
    found = {stem: course.withholds(stem) for stem in stems}
    return {stem: _restriction(why.words, why.until == "always", live) for stem, why in found.items() if why}


def _restriction(until: str, always: bool, live: bool) -> Restriction:
    if always and not live:
        return Restriction("Points alone are told here: what is right is withheld.", points=True)
    return Restriction(f"What became of the answers is withheld{'' if always else f' {until}'}.")


def for_student(result: Result, held: HeldBack) -> Result:
    """A result as its student may read it.

    Args:
        result: a student's.
        held: what is held back.

    Example:
        >>> mark = Mark("twice", "Twice", "wrong", "squared", "That is the square.", called="twice(3)", code="x * x")
        >>> result = Result("ada", "Ada", "50_exam", "ada.ipynb", "graded", marks=(mark,))
        >>> for_student(result, {"50_exam": Restriction("Points alone.", points=True)}).marks[0].message
        ''
        >>> for_student(result, {"50_exam": Restriction("Nothing yet.")}).marks
        ()
    """
    if result.lesson not in held:
        return result
    return points_alone(result) if held[result.lesson].points else replace(result, remarks=(), marks=())


def without_words(result: Result, held: HeldBack) -> Result:
    """A result with its points and, if anything of it is held back, without what was found."""
    return points_alone(result) if result.lesson in held else result


def points_alone(result: Result) -> Result:
    """A result without what was found: not even which exception was raised."""
    return replace(result, remarks=(), marks=tuple(map(_without_words, result.marks)))


def _without_words(mark: Mark) -> Mark:
    mark = replace(mark, label="", message="", section="", address="", called="", returned="")
    return replace(mark, printed="", printed_total=0, notes=())
