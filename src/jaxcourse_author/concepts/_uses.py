"""Where a lesson uses which concept: in code that readers see, in what an exercise asks, in prose, in a solution."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from jaxcourse_author.concepts._file import Concept, Recogniser
from jaxcourse_author.concepts._signs import CUSTOMARY, Names, in_text, names_after, signs, tree_of
from jaxcourse_author.lesson import Cell, LessonSource, Passage, Section, without_magics

Place = Literal["code", "exercise", "prose", "solution"]


_ELSEWHERE = "Read on"
"""What a paragraph begins with that only names pages of other people."""


@dataclass(frozen=True)
class Use:
    """A concept, used.

    Attributes:
        concept: which.
        place: what uses it.
        line: of the lesson's source.
        by: how it was recognised.
        exercise: of a task, a stub or a solution.
        answered: whether what explains it is linked to right there, or above it in its section; of a word of prose,
            whether the card of a term is.
    """

    concept: Concept
    place: Place
    line: int
    by: tuple[Recogniser, ...]
    exercise: str = ""
    answered: bool = False


Found = Sequence[tuple[Concept, tuple[Recogniser, ...]]]
"""Concepts, each with how it was recognised."""
Find = Callable[[str, str], Found]
"""Says which concepts are in what was said: in one sign of `code`, in `text` between backticks, or in `words`."""


def finder(concepts: Iterable[Concept]) -> Find:
    """What recognises some concepts; it looks once at what is said several times.

    Args:
        concepts: all that there are.

    Example:
        >>> mesh = Concept("mesh", (), ("jax.*mesh",), ("Mesh",), ("mesh", "mesh*s", "Auto"))
        >>> find = finder([mesh])
        >>> [bool(find("code", sign)) for sign in ("jax.make_mesh", "jax.make_mesh.x", "a.jax.mesh")]
        [True, False, False]
        >>> [bool(find("text", text)) for text in ("Mesh(x)", "np.Mesh", "Meshes")]
        [True, False, False]
        >>> [bool(find("words", words)) for words in ("Meshes.", "the mesh", "meshed", "auto")]
        [True, True, False, False]
    """
    known: dict[str, list[tuple[Concept, Recogniser, re.Pattern[str]]]] = {}
    for concept in concepts:
        for one, pattern in concept.patterns.items():
            known.setdefault(one[0], []).append((concept, one, pattern))

    @functools.cache
    def find(kind: str, said: str) -> Found:
        found: dict[Concept, list[Recogniser]] = {}
        for concept, one, pattern in known.get(kind, ()):
            if pattern.search(said):
                found.setdefault(concept, []).append(one)
        return [(concept, tuple(by)) for concept, by in found.items()]

    return find


def uses(lesson: LessonSource, find: Find) -> list[tuple[Use, ...]]:
    """What each of a lesson's sections uses, in the order of `LessonSource.stretches`.

    Proofs, set-up cells and folded cells may use anything: they are not looked at.

    Args:
        lesson: the lesson.
        find: as `finder` makes it.
    """
    names, last = _names(lesson)
    return [tuple(_of_section(section, _Reader(find, names, last))) for section in lesson.stretches]


def _names(lesson: LessonSource) -> tuple[Mapping[int, Names], Names]:
    """What names stand for in each code cell, by its line, and in the lesson's text."""
    names: Names = CUSTOMARY
    found: dict[int, Names] = {}
    for cell in (cell for cell in lesson.cells if cell.is_code):
        tree = tree_of(without_magics(cell.source))
        after = names_after(tree, names) if tree else names
        found[cell.line] = after
        names = names if cell.exercise or cell.role == "proof" else after  # an answer's own names are not the lesson's
    return found, names


@dataclass(frozen=True)
class _Reader:
    """Reads a section's cells: what they use, and in which line."""

    find: Find
    names: Mapping[int, Names]
    in_text: Names

    def code(self, cell: Cell, place: Place) -> Iterator[Use]:
        """What a code cell uses."""
        if tree := tree_of(without_magics(cell.source)):
            for sign, line in signs(tree, self.names[cell.line]):
                yield from self._uses("code", sign, place, cell.begins + line, cell.exercise)

    def passage(self, passage: Passage, place: Place, exercise: str) -> Iterator[Use]:
        """What a passage uses."""
        said = [("words", passage.words)]
        for code in passage.code:
            said.append(("text", code))
            said += [("code", sign) for sign, _ in signs(tree, self.in_text)] if (tree := in_text(code)) else []
        for kind, words in said:
            yield from self._uses(kind, words, place, passage.line, exercise)

    def _uses(self, kind: str, said: str, place: Place, line: int, exercise: str) -> Iterator[Use]:
        return (Use(concept, place, line, by, exercise) for concept, by in self.find(kind, said))


def _of_section(section: Section, reader: _Reader) -> Iterator[Use]:
    seen = _Links()
    for cell, after in itertools.zip_longest(section.cells, section.cells[1:]):
        passages = [one for one in cell.passages if not one.words.lstrip().startswith(_ELSEWHERE)]
        if cell.role == "task":
            seen = seen.after(*passages)  # what a task links to stands right there for all of it
        for passage in passages if cell.role in _TEXTS else ():
            seen = seen.after(passage)
            yield from map(seen.with_answer, reader.passage(passage, _TEXTS[cell.role], cell.exercise))
        if place := _place(cell):
            behind = seen.after(*(after.passages[:1] if after else ()))
            yield from map(behind.with_answer, reader.code(cell, place))


_TEXTS: dict[str, Place] = {"text": "prose", "task": "exercise"}
_CODE: dict[str, Place] = {"stub": "exercise", "solution": "solution", "code": "code"}
"""What each kind of cell is a place of."""


def _place(cell: Cell) -> Place | None:
    """What the code of a cell is; nothing where readers need not read it."""
    return _CODE.get(cell.role) if cell.is_shown or cell.role == "solution" else None


@dataclass(frozen=True)
class _Links:
    """To what a section has linked so far: the labels of sections, and terms."""

    labels: frozenset[str] = frozenset()
    terms: frozenset[str] = frozenset()

    def after(self, *passages: Passage) -> _Links:
        """The same, with what some passages link to."""
        labels = (label for one in passages for label in one.labels)
        return _Links(self.labels.union(labels), self.terms.union(*(one.terms for one in passages)))

    def with_answer(self, use: Use) -> Use:
        """A use with whether it is answered: by a link or, where it is a word of prose, by the card of a term."""
        is_word = use.place == "prose" and use.by[0][0] == "words"  # who solves an exercise needs more than a card
        by_card = is_word and not self.terms.isdisjoint(use.concept.terms)
        return replace(use, answered=by_card or not self.labels.isdisjoint(use.concept.explained_by))
