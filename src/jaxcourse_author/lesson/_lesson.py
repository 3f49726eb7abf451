"""A lesson as one value, which everybody asks: its cells, its sections, its exercises, its links, its minutes."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from jaxcourse.course import Withheld
from jaxcourse_author.lesson._cells import Cell, Gate, Image, LessonError, Link, Part, Task
from jaxcourse_author.lesson._files import files_of
from jaxcourse_author.lesson._minutes import Minutes, in_sittings, minutes_of, sittings_of, solving_minutes
from jaxcourse_author.lesson._myst import Heading, page_of
from jaxcourse_author.lesson._pages import boxes_by_section, digests
from jaxcourse_author.lesson.predictions import Box

_YOU_NEED = "**You need**"
"""What the paragraph begins with that says which lessons come first."""


@dataclass(frozen=True)
class Section:
    """A section of a lesson, with the sections in it.

    Attributes:
        label: by which it is linked to; empty if it has none.
        title: in plain Markdown.
        level: of its heading; 1 for that of the lesson.
        lines: of the source, from its label to the last line before the next section: what moves, if it moves.
        minutes: how long it takes.
        cells: those of the lesson that are in it; of a text the parts that are.
    """

    label: str
    title: str
    level: int
    lines: range
    minutes: Minutes
    cells: tuple[Cell, ...]

    @property
    def links(self) -> tuple[Link, ...]:
        """The links in its text."""
        return tuple(link for part in self._parts for link in part.links)

    @property
    def predictions(self) -> tuple[Box, ...]:
        """The prediction boxes in it."""
        return tuple(part.box for part in self._parts if part.box)

    @property
    def exercises(self) -> tuple[str, ...]:
        """The names of the exercises in it."""
        return tuple(dict.fromkeys(cell.exercise for cell in self.cells if cell.exercise))

    @property
    def code(self) -> str:
        """The code that readers see in it."""
        return "\n".join(cell.source for cell in self.cells if cell.is_shown)

    @property
    def _parts(self) -> Iterable[Part]:
        return (part for cell in self.cells for part in cell.parts)


@dataclass(frozen=True)
class LessonSource:
    """A lesson, read.

    Attributes:
        path: `notebooks/NN_topic.md`.
        raw: the file's text.
        meta: its front matter.
        cells: in reading order.
        gates: its exercises and their solutions, in reading order.
        headings: as they stand in the source.
        withheld: until when its solutions and checks are withheld, if they are.
    """

    path: Path
    raw: str
    meta: dict[str, Any]
    cells: tuple[Cell, ...]
    gates: tuple[Gate, ...] = ()
    headings: tuple[Heading, ...] = ()
    withheld: Withheld | None = None

    @property
    def stem(self) -> str:
        """The lesson's name in all four folders."""
        return self.path.stem

    @property
    def edition(self) -> str:
        """A digest of the lesson's source, and of the files that it reads."""
        digest = hashlib.sha256(self.raw.removeprefix("\ufeff").encode())
        for name, content in self.files.items():
            digest.update(f"\0{name}\0{content}".encode())
        return digest.hexdigest()[:8]

    @cached_property
    def files(self) -> dict[str, str]:
        """The digests of the files that it reads, by their names.

        Raises:
            LessonError: a file is not there, or cannot be one that a lesson reads.
        """
        return files_of(self.path, self.meta)

    @contextlib.contextmanager
    def beside(self) -> Iterator[None]:
        """Work in its folder while its cells run, if it reads files: there they lie, as in a notebook's."""
        with contextlib.chdir(self.path.parent) if self.meta.get("files") else contextlib.nullcontext():
            yield

    @property
    def title(self) -> str:
        """The lesson's title: its first heading."""
        return next((part.title for part in self.parts if part.level == 1), "")

    @property
    def practice(self) -> tuple[str, ...]:
        """The names of the exercises that are not on the core path."""
        return tuple(gate.name for gate in self.gates if gate.practice)

    @property
    def sections(self) -> dict[str, str]:
        """The headings that have a label, by that label."""
        return {part.label: part.title for part in self.parts if part.level and part.label}

    @property
    def parts(self) -> list[Part]:
        """The parts of its text, in order."""
        return [part for cell in self.cells for part in cell.parts]

    @property
    def boxes(self) -> dict[str, list[Box]]:
        """Its prediction boxes, by the label of the last heading before them that has one."""
        return boxes_by_section(page_of(self.raw.removeprefix("\ufeff")))

    @property
    def predictions(self) -> dict[str, list[str]]:
        """The digests of its prediction boxes, by the same labels."""
        return digests(self.boxes)

    @property
    def images(self) -> list[Image]:
        """The images in its text."""
        return [image for part in self.parts for image in part.images]

    @cached_property
    def outline(self) -> tuple[Section, ...]:
        """Its sections in reading order, each before those in it."""
        titles = {part.line: part.title for part in self.parts if part.level}
        return tuple(self._section(one, titles.get(one.lines.start, one.title)) for one in self.headings)

    @cached_property
    def stretches(self) -> tuple[Section, ...]:
        """Its sections in reading order, each without those in it: together they are the lesson, once."""
        starts = [one.lines.start for one in self.outline]
        ends = [*starts[1:], self.raw.count("\n") + 2]
        return tuple(self._cut(one, range(*lines)) for one, *lines in zip(self.outline, starts, ends, strict=True))

    def section(self, label: str) -> Section | None:
        """The section of a label."""
        return next((one for one in self.outline if label and one.label == label), None)

    def source(self, lines: range) -> str:
        """Some lines of the source, counted from 1."""
        return "\n".join(self.raw.split("\n")[lines.start - 1 : lines.stop - 1])

    def within(self, lines: range) -> tuple[Cell, ...]:
        """The cells that begin in some lines of the source; of a text the parts that do."""
        return tuple(part for cell in self.cells if (part := cell.within(lines)))

    def _cut(self, section: Section, lines: range) -> Section:
        cells = self.within(lines)
        return replace(section, lines=lines, cells=cells, minutes=minutes_of(cells, self.practice))

    def _section(self, heading: Heading, title: str) -> Section:
        cells = self.within(heading.lines)
        minutes = minutes_of(cells, self.practice)
        return Section(heading.label, title, heading.level, heading.lines, minutes, cells)

    @property
    def needs(self) -> frozenset[str]:
        """The stems of the lessons to which the paragraph "You need" leads."""
        needed = (part.links for part in self.parts if part.text.startswith(_YOU_NEED))
        pages = (link.page.partition("notebooks/")[2] for link in next(needed, ()))
        return frozenset(stem for stem in pages if stem)

    @property
    def minutes(self) -> Minutes:
        """How long the lesson takes: to read it, predict, solve its exercises."""
        return in_sittings([minutes_of(cells, self.practice) for cells in sittings_of(self.cells)])

    @property
    def minutes_left(self) -> dict[str, int]:
        """How long the core path takes from each labelled heading to the end of its sitting.

        A heading from which it takes as long as from the one before is left out.
        """
        left: dict[str, int] = {}
        for cells in sittings_of(self.cells):
            before = -1
            for i, cell in enumerate(cells):
                minutes = minutes_of(cells[i:], self.practice).left
                if cell.labels and minutes != before:
                    left |= dict.fromkeys(cell.labels, minutes)
                    before = minutes
        return left

    @property
    def tasks(self) -> dict[str, Task]:
        """The exercises by name, in reading order."""
        names = dict.fromkeys(cell.exercise for cell in self.cells if cell.exercise)
        return {name: self._task(name) for name in names}

    def _task(self, name: str) -> Task:
        found: dict[str, Cell] = {}
        for cell in (cell for cell in self.cells if cell.exercise == name and cell.is_code):
            if cell.role in found:
                problem = f"exercise {name!r} has two {cell.role} cells: join them into one."
                raise LessonError(self.path, problem, cell.line)
            found[cell.role] = cell
        gate = next((gate for gate in self.gates if gate.name == name), None)
        for role, tag in (("stub", "exercise"), ("check", "check"), ("solution", "solution")):
            if role not in found:
                problem = f"exercise {name!r} has no cell tagged `{tag}` between its gates: add one."
                raise LessonError(self.path, problem, gate.lines.start if gate else 0)
        asked = found["stub"].source, found["check"].source, found["solution"].source
        return Task(name, gate.title if gate else name, *asked, solving_minutes(found["stub"]), name in self.practice)
