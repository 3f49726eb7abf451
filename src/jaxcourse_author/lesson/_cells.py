"""What a lesson is made of: cells with roles, the parts of their text, exercises, links. Data alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from jaxcourse_author.lesson.predictions import Box

Role = Literal["text", "code", "setup", "proof", "task", "stub", "check", "reasoning", "solution", "ask"]

PRACTICE = "practice"
"""The class of an exercise that is not on the core path, and its mark in a notebook."""
UNREAD = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
"""Tags of cells whose code the page folds or leaves out."""


class LessonError(ValueError):
    """A lesson's source is not as it must be: says which file, in which line, what is wrong, and how to mend it."""

    def __init__(self, path: Path, problem: str, line: int = 0) -> None:
        place = f"{path.parent.name}/{path.name}" if path.is_absolute() else path
        super().__init__(f"{place}:{line}: {problem}" if line else f"{place}: {problem}")


@dataclass(frozen=True)
class Link:
    """A link of a lesson.

    Attributes:
        label: of the section to which it leads; empty if it leads to a whole page, or out of the course.
        page: such as `notebooks/10_memory_layout`; empty if it leads out of the course.
        address: as it is written.
        line: in which it stands.
    """

    label: str
    page: str
    address: str
    line: int


@dataclass(frozen=True)
class Image:
    """An image in a lesson's text: its alternative text, where it lies, and the line in which it stands."""

    alt: str
    address: str
    line: int


@dataclass(frozen=True)
class Passage:
    """A paragraph, a heading, a line of a table or a fence: what says one thing, and links to what explains it.

    Attributes:
        line: with which it begins.
        words: what it says, without code and formulas.
        code: what stands between backticks, or in the fence.
        labels: to which it links.
        terms: of the glossary, to which it links.
    """

    line: int
    words: str = ""
    code: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """A part of a text: a heading, a paragraph, a list, a table, a box, code.

    Attributes:
        kind: as `_myst` names it; of a box and of a gate the directive's name.
        text: in plain Markdown.
        line: with which it begins in the source, counted from 1.
        label: that stands before a heading, or alone.
        title: a heading's or an exercise's, in plain Markdown.
        level: a heading's.
        words: what its paragraphs say, without code and formulas.
        paragraphs: those in it that explain something: itself, or those in a folded box.
        links: in it.
        images: in it.
        box: what it asks, if it asks for a prediction.
        folded: whether the page shows its title alone until it is opened.
        passages: in it.
    """

    kind: str
    text: str
    line: int
    label: str = ""
    title: str = ""
    level: int = 0
    words: str = ""
    paragraphs: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    images: tuple[Image, ...] = ()
    box: Box | None = None
    folded: bool = False
    passages: tuple[Passage, ...] = ()


def without_magics(code: str) -> str:
    r"""A cell's code as Python alone.

    Example:
        >>> without_magics("%timeit f(x)\ny = f(x)")
        'y = f(x)'
    """
    return "\n".join(line for line in code.splitlines() if not line.lstrip().startswith(("%", "!")))


@dataclass(frozen=True)
class Cell:
    """One cell of a lesson.

    Attributes:
        role: what it is for.
        source: in plain Markdown, or Python.
        exercise: to which it belongs.
        tags: of a code cell.
        minutes: how long an exercise takes, if its stub says so.
        line: with which it begins in the lesson's source, counted from 1.
        parts: of a text.
        begins: the line with which the code of a code cell begins, behind its options.
    """

    role: Role
    source: str
    exercise: str = ""
    tags: tuple[str, ...] = ()
    minutes: float | None = None
    line: int = 0
    parts: tuple[Part, ...] = ()
    begins: int = 0

    @property
    def is_code(self) -> bool:
        """Whether it is a code cell."""
        return self.role not in ("text", "task", "reasoning")

    @property
    def is_shown(self) -> bool:
        """Whether readers see its code on the page without unfolding anything."""
        return self.is_code and self.role not in ("proof", "solution") and not UNREAD & set(self.tags)

    @property
    def asks(self) -> int:
        """How many fields its prediction boxes have."""
        return sum(len(part.box.fields) for part in self.parts if part.box)

    @property
    def passages(self) -> tuple[Passage, ...]:
        """What its text says, passage by passage."""
        return tuple(one for part in self.parts for one in part.passages)

    @property
    def labels(self) -> list[str]:
        """The labels of its headings."""
        return [part.label for part in self.parts if part.level and part.label]

    def within(self, lines: range) -> Cell | None:
        """What of it begins in some lines of the source; None if nothing does."""
        if self.is_code:
            return self if self.line in lines else None
        kept = tuple(part for part in self.parts if part.line in lines)
        if len(kept) == len(self.parts):
            return self
        return replace(self, source="\n\n".join(part.text for part in kept), parts=kept) if kept else None


@dataclass(frozen=True)
class Gate:
    """What stands between two gates: an exercise or its solution.

    Attributes:
        kind: which of the two.
        name: the exercise's.
        lines: of the source, with both gates.
        title: an exercise's.
        practice: whether the core path goes without the exercise.
    """

    kind: Literal["exercise", "solution"]
    name: str
    lines: range
    title: str = ""
    practice: bool = False


@dataclass(frozen=True)
class Task:
    """An exercise as the lesson has it."""

    name: str
    title: str
    stub: str
    check: str
    solution: str
    minutes: float
    """How long it takes."""
    practice: bool
    """Whether the core path goes without it."""
