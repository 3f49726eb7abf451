"""Whether a path is closed: its readers know, or have read on it, whatever its sections use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from jaxcourse.course import Course, nearest
from jaxcourse_author.concepts import Concept, Road, Stop, Use
from jaxcourse_author.lesson.elsewhere import Elsewhere
from jaxcourse_author.paths._file import CoursePath, read_paths


@dataclass(frozen=True)
class Gap:
    """A concept that a section of a path uses, and that nothing before it on this path explains.

    Attributes:
        path: the path's name.
        stop: the section that uses it.
        use: the first such use in it.
        by: the shortest section that would explain it; None if none comes before it in the course.
    """

    path: str
    stop: Stop
    use: Use
    by: Stop | None

    @property
    def problem(self) -> str:
        """Which section of which path uses which concept, and where."""
        line = f"notebooks/{self.stop.stem}.md:{self.use.line}"
        used = f"`{self.stop.name}` uses {self.use.concept.name} ({self.use.by[0][1]}) in its {self.use.place}"
        return f"{self.path!r}: {used} ({line}), and nothing before it on this path explains that"

    @property
    def repair(self) -> str:
        """Which section to add."""
        known = f"{self.use.concept.name!r} to what its readers know"
        if self.by is None:
            return f"Leave the section out, or add {known}."
        left = self.by.section.minutes.left
        return f"Add `{self.by.name}` ({self.by.stem}, {left} minute{'' if left == 1 else 's'}), or {known}."


@dataclass(frozen=True)
class Walk:
    """A path as it is walked: through sections of the course as it is taught here.

    Attributes:
        path: which.
        parts: its sections, by the part of the path that they belong to, in the order in which they are read: part by
            part, and in each as in the course.
        lacking: the labels and stems that it names and that are not taught here.
    """

    path: CoursePath
    parts: Mapping[str, tuple[Stop, ...]]
    lacking: tuple[str, ...] = ()

    @property
    def stops(self) -> tuple[Stop, ...]:
        """All its sections, in the order in which they are read."""
        return tuple(stop for part in self.parts.values() for stop in part)

    @property
    def minutes(self) -> float:
        """How long its sections take."""
        return sum(stop.minutes for stop in self.stops)

    @property
    def exercises(self) -> int:
        """How many core exercises they have."""
        return sum(len({*stop.section.exercises} - {*stop.practice}) for stop in self.stops)

    @cached_property
    def lessons(self) -> tuple[str, ...]:
        """The stems of the lessons in which they are."""
        return tuple(dict.fromkeys(stop.stem for stop in self.stops))

    def is_offered(self, course: Course) -> bool:
        """Whether readers may choose it: all of it is taught; and of a preset, nothing but its lessons.

        Args:
            course: in which.
        """
        taught = {path.stem for path in course.lesson_paths}
        return not self.lacking and (not self.path.is_preset or taught == {*self.lessons})


def walks(course: Course, road: Road) -> tuple[Walk, ...]:
    """The paths of a course, walked.

    Args:
        course: whose.
        road: as `road_of` gives it.

    Raises:
        ValueError: `book/paths.yml` is not as it must be.
    """
    at = _places(road)
    return tuple(_walk(path, at) for path in read_paths(course))


def _walk(path: CoursePath, at: Mapping[str, tuple[Stop, ...]]) -> Walk:
    stops = {
        caption: tuple(sorted({stop for place in places for stop in at.get(place, ())}, key=lambda stop: stop.place))
        for caption, places in path.parts.items()
    }
    return Walk(path, stops, tuple(place for place in path.places if place not in at))


def _places(road: Road) -> dict[str, tuple[Stop, ...]]:
    """The sections that a label, or the stem of a lesson, names: of a whole lesson those that have a label."""
    found: dict[str, tuple[Stop, ...]] = {}
    for stop in (stop for stop in road.stops if stop.section.label):
        found[stop.stem] = (*found.get(stop.stem, ()), stop)
        found[stop.section.label] = (stop,)
    return found


def problems(course: Course, road: Road) -> Iterator[tuple[str, str]]:
    """What is wrong with the paths of a course, each with what to do.

    A path of which not everything is taught here is not asked what it needs: no reader is offered it.

    Args:
        course: whose.
        road: as `road_of` gives it.
    """
    elsewhere = {*Elsewhere(course).places}
    here, names = _places(road), [concept.name for concept in road.concepts]
    for walk in walks(course, road):
        name = walk.path.name
        nowhere = [place for place in walk.lacking if not {place, f"notebooks/{place}"} & elsewhere]
        for place in nowhere:
            repair = f"Write {near!r}." if (near := nearest(place, here)) else "Name a section by its label."
            yield f"{name!r} has {place!r}, which is neither the label of a section nor a lesson", repair
        if (page := walk.path.page) and page not in {*course.pages} | elsewhere:
            near = nearest(page, course.pages)
            yield f"{name!r} begins with {page!r}, which is no page", f"Write {near!r}." if near else "Leave it out."
        for known in (known for known in walk.path.known if known not in names):
            repair = f"Write {near!r}." if (near := nearest(known, names)) else "Name a concept of book/concepts.yml."
            yield f"the readers of {name!r} know {known!r}, which is no concept", repair
        yield from _of_walk(walk, road, elsewhere) if not walk.lacking else ()


def _of_walk(walk: Walk, road: Road, elsewhere: set[str]) -> Iterator[tuple[str, str]]:
    """What is wrong with a path all of whose sections are here: what it lacks, and what it says its readers know."""
    found = [*_gaps(walk, road, elsewhere)]
    yield from ((gap.problem, gap.repair) for gap in found if gap.use.concept.name not in walk.path.known)
    met = {gap.use.concept.name for gap in found}
    for known in (one.name for one in road.concepts if one.name in walk.path.known and one.name not in met):
        yield f"the readers of {walk.path.name!r} need not know {known!r}: the path explains it", "Remove it."


def _gaps(walk: Walk, road: Road, elsewhere: set[str]) -> Iterator[Gap]:
    known = {one for one in road.concepts if not road.explainers[one] and elsewhere & {*one.explained_by}}
    for stop in walk.stops:
        known |= stop.explains
        firsts: dict[Concept, Use] = {}
        for use in (use for use in _uses_to_follow(stop) if use.concept not in known):
            firsts.setdefault(use.concept, use)
        for concept, use in firsts.items():
            before = (one for one in road.explainers[concept] if one.place < stop.place)
            yield Gap(walk.path.name, stop, use, min(before, key=lambda one: one.minutes, default=None))


def _uses_to_follow(stop: Stop) -> Iterator[Use]:
    """What a reader of a section must follow, its core exercises and their solutions included."""
    core = (use for use in stop.uses if use.exercise not in stop.practice and not use.answered)
    return (use for use in core if not (stop.section.level == 1 and use.place == "prose"))
