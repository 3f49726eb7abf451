"""The road: the sections of a course in reading order, with what each explains and uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from jaxcourse.course import Course
from jaxcourse_author.concepts._file import Concept, Concepts, read_concepts
from jaxcourse_author.concepts._uses import Place, Use, finder, uses
from jaxcourse_author.lesson import LessonSource, Section, read_lesson
from jaxcourse_author.lesson.elsewhere import Elsewhere


@dataclass(frozen=True, eq=False)
class Stop:
    """A section on the road, without those in it.

    Attributes:
        place: which one it is, counted from 0.
        stem: of its lesson.
        section: itself.
        begins: after how many core minutes.
        uses: what it uses, in reading order.
        explains: the concepts that it explains.
        practice: the names of its lesson's exercises that are not on the core path.
    """

    place: int
    stem: str
    section: Section
    begins: float
    uses: tuple[Use, ...]
    explains: frozenset[Concept]
    practice: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its label; of a section without one, its title."""
        return self.section.label or self.section.title

    @property
    def minutes(self) -> float:
        """How long its core path takes."""
        return self.section.minutes.core

    @property
    def ends(self) -> float:
        """After how many core minutes it is read."""
        return self.begins + self.minutes

    @property
    def open_uses(self) -> tuple[Use, ...]:
        """The uses of what readers must follow, that no link answers; an opening's prose announces what will come."""
        opening = self.section.level == 1
        asked = (use for use in self.uses if use.place != "solution" and not use.answered)
        return tuple(use for use in asked if not (opening and use.place == "prose"))

    @property
    def needs(self) -> frozenset[Concept]:
        """What whoever reads it alone must know: what its code and its core exercises use, and it does not explain."""
        core = (use for use in self.uses if use.place != "prose" and use.exercise not in self.practice)
        return frozenset(use.concept for use in core if not use.answered) - self.explains


@dataclass(frozen=True)
class Row:
    """A use of what is not explained yet.

    Attributes:
        stop: the section that uses it.
        use: the first such use in a place of this section.
        by: the section that would explain it; None if none is taught yet.
    """

    stop: Stop
    use: Use
    by: Stop | None

    @property
    def place(self) -> str:
        """The file and the line."""
        return f"notebooks/{self.stop.stem}.md:{self.use.line}"

    @property
    def problem(self) -> str:
        """Which section uses which concept, in what, and how that was recognised."""
        where = self.use.place + (f" `{self.use.exercise}`" if self.use.exercise else "")
        return f"`{self.stop.name}` uses {self.use.concept.name} ({self.use.by[0][1]}) in its {where}"

    @property
    def repair(self) -> str:
        """Who would explain it, and what to do."""
        if self.by is None:
            return f"No section explains it yet; awaited: {', '.join(self.use.concept.explained_by)}."
        return f"{{ref}}`{self.by.name}` in {self.by.stem} explains it: link to it right there, or come after it."

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}. {self.repair}"


@dataclass(frozen=True)
class Road:
    """The sections of a course in reading order.

    Attributes:
        concepts: those of the course.
        stops: its sections.
    """

    concepts: Concepts
    stops: tuple[Stop, ...]

    @cached_property
    def explainers(self) -> dict[Concept, tuple[Stop, ...]]:
        """The sections that explain each concept, as far as they are taught, the one to be sent to first."""
        at = {stop.section.label: stop for stop in self.stops if stop.section.label}
        return {one: tuple(at[label] for label in one.explained_by if label in at) for one in self.concepts}

    def first(self, concept: Concept) -> Stop | None:
        """The section in which readers meet a concept's explanation; None if none is taught."""
        return min(self.explainers[concept], key=lambda stop: stop.place, default=None)

    @property
    def awaited_here(self) -> frozenset[str]:
        """The labels that are still awaited, of sections that are here."""
        return self.concepts.awaited & {stop.section.label for stop in self.stops}

    def rows(self, course: Course) -> Iterator[Row]:
        """Each use of a concept that neither its section nor an earlier one explains: the first in each place.

        What only sections explain that are not taught, readers know from the full course.

        Args:
            course: whose road it is.
        """
        elsewhere = {*Elsewhere(course).places}
        known = {one for one in self.concepts if not self.explainers[one] and elsewhere & {*one.explained_by}}
        for stop in self.stops:
            known |= stop.explains
            firsts: dict[tuple[Concept, Place], Use] = {}
            for use in (use for use in stop.open_uses if use.concept not in known):
                firsts.setdefault((use.concept, use.place), use)
            yield from (Row(stop, use, next(iter(self.explainers[use.concept]), None)) for use in firsts.values())


Read = Callable[[Path, Course], LessonSource]


def road_of(course: Course, read_lesson: Read = read_lesson) -> Road:
    """The road through the lessons of a course that are taught.

    Args:
        course: the course.
        read_lesson: what reads a lesson.

    Raises:
        ValueError: `book/concepts.yml` or a lesson is not as it must be.
    """
    concepts = read_concepts(course)
    find = finder(concepts)
    stops: list[Stop] = []
    minutes = 0.0
    for path in course.lesson_paths:
        lesson = read_lesson(path, course)
        for section, used in zip(lesson.stretches, uses(lesson, find), strict=True):
            explains = frozenset(one for one in concepts if section.label and section.label in one.explained_by)
            stops.append(Stop(len(stops), lesson.stem, section, minutes, used, explains, lesson.practice))
            minutes += section.minutes.core
    return Road(concepts, tuple(stops))
