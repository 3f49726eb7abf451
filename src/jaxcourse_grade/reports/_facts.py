"""What can be said of a class: how its points are distributed, which exercises are hard, which mistakes frequent."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from jaxcourse_grade._records import Evidence, Mark, Result, Status
from jaxcourse_grade.analysis import NOT_MISTAKES, usual_message
from jaxcourse_grade.reports._entry import Entry, percent
from jaxcourse_grade.reports._tables import exercises

ALARMS: frozenset[Status] = frozenset({"stumbled", "timeout", "memory", "crashed"})
"""Statuses that an instructor looks at first."""


@dataclass(frozen=True)
class Mistake:
    """A mistake that was made more than by chance: its status and label, how often, and what one student was told."""

    status: Status
    label: str
    count: int
    message: str


@dataclass(frozen=True)
class Difficulty:
    """How an exercise went.

    Attributes:
        exercise, title: as in a mark.
        counts: how many marks have each status.
        mistakes: the most frequent ones, at most three.
    """

    exercise: str
    title: str
    counts: dict[Status, int]
    mistakes: tuple[Mistake, ...]

    @property
    def graded(self) -> int:
        """How many submissions were judged."""
        return sum(self.counts.values())

    @property
    def passed(self) -> int:
        """How many passed."""
        return self.counts.get("passed", 0)

    @property
    def share(self) -> float:
        """How many of 100 submissions passed."""
        return percent(self.passed, self.graded)


@dataclass(frozen=True)
class LessonFacts:
    """One lesson: the points of each graded submission, what they could be, and its exercises, hardest first."""

    stem: str
    points: tuple[float, ...]
    out_of: float
    unreadable: int
    missing: int
    difficulties: tuple[Difficulty, ...]

    @property
    def mean(self) -> float:
        """The mean of the points."""
        return fmean(self.points) if self.points else 0.0

    @property
    def median(self) -> float:
        """The points that half of the submissions reach."""
        return float(median(self.points)) if self.points else 0.0


@dataclass(frozen=True)
class Facts:
    """A class, as its page and `grades.json` tell it.

    The page alone tells of which points are `proven`, and in which exercises how many rest on what an answer's own
    process `reported`.
    """

    students: int
    statuses: dict[str, int]
    lessons: tuple[LessonFacts, ...]
    protections: tuple[tuple[dict[str, str], int], ...]
    versions: tuple[tuple[dict[str, str], int], ...]
    class_seeds: tuple[int, ...]
    proven: float
    reported: dict[str, float]
    seconds: tuple[float, ...]
    cpu_seconds: tuple[float, ...]

    def to_json(self) -> dict[str, Any]:
        """The facts as plain data, without what each result says itself."""
        return {
            "students": self.students,
            "results": self.statuses,
            "class_seeds": list(self.class_seeds),
            "protections": [{"submissions": count, "state": found} for found, count in self.protections],
            "versions": [{"submissions": count, "of": found} for found, count in self.versions],
            "cpu_seconds": round(sum(self.cpu_seconds), 3),
            "lessons": [_lesson_json(lesson) for lesson in self.lessons],
        }


def _lesson_json(lesson: LessonFacts) -> dict[str, Any]:
    plain = {"lesson": lesson.stem, "graded": len(lesson.points), "unreadable": lesson.unreadable}
    plain |= {"missing": lesson.missing, "out_of": lesson.out_of, "mean": round(lesson.mean, 4)}
    return {**plain, "median": lesson.median, "exercises": [_difficulty_json(item) for item in lesson.difficulties]}


def _difficulty_json(item: Difficulty) -> dict[str, Any]:
    mistakes = [{"status": m.status, "label": m.label, "count": m.count, "message": m.message} for m in item.mistakes]
    shares = {"passed_percent": item.share, "counts": item.counts}
    return {"exercise": item.exercise, **shares, "mistakes": mistakes}


def facts(entries: Sequence[Entry]) -> Facts:
    """What the entries say together."""
    graded = [item.result for item in entries if item.result.status == "graded"]
    return Facts(
        len({item.page for item in entries}),
        dict(sorted(Counter(item.result.status for item in entries).items())),
        tuple(_lesson(stem, entries, asked) for stem, asked in exercises(entries).items()),
        _with_counts(result.protections for result in graded),
        _with_counts(result.versions for result in graded),
        tuple(sorted({result.class_seed for result in graded})),
        sum(_points(graded, "proven").values()),
        _points(graded, "reported"),
        tuple(result.seconds for result in graded),
        tuple(result.cpu_seconds for result in graded),
    )


def _points(graded: Sequence[Result], evidence: Evidence) -> dict[str, float]:
    """The points that were given for one kind of evidence, by exercise."""
    points = defaultdict[str, float](float)
    for mark in (mark for result in graded for mark in result.marks if mark.evidence == evidence):
        points[mark.exercise] += mark.points
    return dict(points)


def _with_counts(found: Iterable[dict[str, str]]) -> tuple[tuple[dict[str, str], int], ...]:
    """Equal sets of facts with their number, the most frequent first: machines of one class can differ."""
    counts = Counter(tuple(sorted(item.items())) for item in found)
    return tuple((dict(items), count) for items, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _lesson(stem: str, entries: Sequence[Entry], asked: dict[str, Mark]) -> LessonFacts:
    results = [item.result for item in entries if item.result.lesson == stem]
    graded = [result for result in results if result.status == "graded"]
    found = (
        _difficulty(mark, [m for r in graded for m in r.marks if m.exercise == name]) for name, mark in asked.items()
    )
    return LessonFacts(
        stem,
        tuple(result.points for result in graded if not result.excused),
        max((result.out_of for result in results), default=0.0),
        sum(result.status == "unreadable" for result in results),
        sum(result.status == "missing" for result in results),
        tuple(sorted(found, key=lambda item: item.share)),
    )


def _difficulty(about: Mark, marks: Sequence[Mark]) -> Difficulty:
    counts = Counter(mark.status for mark in marks)
    made = Counter((mark.status, mark.label) for mark in marks if mark.status not in NOT_MISTAKES)
    frequent = sorted(made.items(), key=lambda pair: (-pair[1], pair[0]))[:3]
    mistakes = tuple(Mistake(status, label, n, _usual(marks, status, label)) for (status, label), n in frequent)
    return Difficulty(about.exercise, about.title, dict(sorted(counts.items())), mistakes)


def _usual(marks: Sequence[Mark], status: Status, label: str) -> str:
    return usual_message(mark for mark in marks if (mark.status, mark.label) == (status, label))
