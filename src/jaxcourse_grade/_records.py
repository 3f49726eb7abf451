"""What the rooms of the grader hand to each other: a submission that was read, and a result that is kept."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

SCHEMA = 3
"""The version of a result's JSON. It grows when a field changes its meaning."""

Status = Literal[
    "passed",
    "wrong",
    "error",
    "timeout",
    "memory",
    "crashed",
    "not_attempted",
    "missing",
    "unreadable",
    "stumbled",
]
"""What can be said about one exercise: always something.

`missing`: nothing in the notebook defines the answer. `unreadable`: the notebook could not be read, or was never
handed in. `stumbled`: the check or the grader could not do its work, which is not the student's fault. Where it was the
check, there are no points to lose; where it was the grader, they are open until it is graded again.
"""

Evidence = Literal["", "proven", "reported"]
"""Why an answer that passed was believed: values or an exported program prove it, or its process reported a fact.
Empty where it did not pass."""


MOST_TEXT = 16 * 2**20
"""Bytes of all that a notebook may import of what was handed in with it: it goes from one process to another."""


Published = Literal["", "blank", "solved", "file"]
"""What a file is of what the course publishes: a lesson's blank or solved notebook, another file, or nothing."""


@dataclass(frozen=True)
class Basis:
    """On what a file is taken as its lesson's.

    Attributes:
        level: 0 if nothing of the lesson is in it; 1 if some of the exercises' names are defined, which may be chance;
            2 if its metadata, a marker or a check says so, or if most of the names are defined.
        exercises: how many of the lesson's exercises are marked, checked or defined.
        code: a digest of the code cells; empty if it is no notebook.
        edition: of the lesson, as the notebook says it.
        published: what of the course's own it is.
    """

    level: int = 0
    exercises: int = 0
    code: str = ""
    edition: str = ""
    published: Published = ""


@dataclass(frozen=True)
class Submission:
    """One notebook that was handed in, as it was read.

    Attributes:
        student: who handed it in: a key, unique in the class.
        name: the student's name, to be shown; the key, if no name is known.
        lesson: the stem of the lesson, such as `10_memory_layout`; empty if it is not one of ours.
        source: where it was found, below the folder of submissions; a member of a zip stands behind `!`.
        sha256: of the file's bytes.
        submitted: when it was handed in, in ISO 8601, if somebody who knows it says so; else empty. Without a time zone
            it is in that of whoever said when it was due.
        told: who says when.
        late: what a learning platform says of its being late, in words, with its name; else empty.
        back: the name under which a learning platform takes back a file about it; empty if none does.
        platform: whose number the student's key is, such as `Moodle`; empty if it is none.
        beside: a digest of what was handed in with it and can be imported; empty if there is nothing.
        look: what an instructor should decide before this row is believed; empty if there is nothing.
        basis: on what it is taken as its lesson's.
        cells: the source of each code cell, in the notebook's order.
        imports: the modules that its code names in an `import`.
        modules: what it may import of what was handed in beside it: for each file its path and its text.
        too_large: the names of those of them that were not read, because there is a limit.
        notes: what was odd about the file but did not prevent reading it.
        unreadable: why it could not be read; else empty.
        was: what the lesson was called when the notebook was made, or which lesson had its exercises then; empty if
            that is as it is today.
        parts: the other lessons that have exercises of the notebook today, and on what it is taken as theirs.
    """

    student: str
    name: str
    lesson: str
    source: str
    sha256: str = ""
    submitted: str = ""
    told: str = ""
    late: str = ""
    back: str = ""
    platform: str = ""
    beside: str = ""
    look: str = ""
    basis: Basis = Basis()
    cells: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    modules: tuple[tuple[str, str], ...] = ()
    too_large: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unreadable: str = ""
    was: str = ""
    parts: tuple[tuple[str, Basis], ...] = ()

    def identity(self) -> dict[str, Any]:
        """The fields that a result takes from its submission."""
        return {name: getattr(self, name) for name in _IDENTITY}


_IDENTITY = (
    "student",
    "name",
    "lesson",
    "source",
    "sha256",
    "submitted",
    "told",
    "late",
    "back",
    "platform",
    "beside",
    "look",
)


@dataclass(frozen=True)
class Decision:
    """What a teacher decided about an exercise or a lesson. It is never kept in a result, and stands over it.

    Attributes:
        points: instead of the grader's; None if these stand, or if it is excused.
        excused: whether it does not count, neither in what was earned nor in what could be.
        comment: for the student; empty if there is none.
    """

    points: float | None = None
    excused: bool = False
    comment: str = ""


@dataclass(frozen=True)
class Mark:
    """The verdict on one exercise of one student, as data.

    Attributes:
        exercise: its name.
        title: its title in the lesson.
        status: see `Status`.
        label: which mistake it was; for an error the exception's name.
        message: what to tell the student; `code` stands between backticks.
        section: the heading of the paragraph to read again, and `address`, where it is on the site.
        called: the call that decided, `returned`, what came back from it.
        printed: the beginning of what the answer printed, of `printed_total` characters.
        points: earned, of `out_of`.
        evidence: see `Evidence`.
        notes: what an instructor should know: two definitions, a second judgement that differed.
        code: what makes the answer what it is.
        lacks: the modules that it needs and this grader has not; then it was not judged.
        decision: a teacher's; its points are in `points`, and an excuse has made `out_of` 0.
    """

    exercise: str
    title: str
    status: Status
    label: str = ""
    message: str = ""
    section: str = ""
    address: str = ""
    called: str = ""
    returned: str = ""
    printed: str = ""
    printed_total: int = 0
    points: float = 0.0
    out_of: float = 1.0
    evidence: Evidence = ""
    notes: tuple[str, ...] = ()
    code: str = ""
    lacks: tuple[str, ...] = ()
    decision: Decision | None = None


@dataclass(frozen=True)
class Result:
    """What one student earned in one lesson: one JSON file.

    Attributes:
        student, name, lesson, source, sha256, submitted, told, late, back, platform, beside, look: as in `Submission`.
        status: `graded`, `unreadable` (a file that could not be read) or `missing` (on the roster, no file).
        reason: in words, if it was not graded.
        marks: one for each exercise of the lesson, in the lesson's order.
        notes: what was odd about the file, and which other files of the student were set aside.
        remarks: what grading found odd.
        seed: of the inputs that this student's answers were given; `class_seed`, what it follows from.
        protections: what stood between the submission and the machine, by name: in force, or why not.
        versions: of Python, JAX, NumPy and the course.
        limits: of time, memory and files, by name.
        seconds: wall time, and `cpu_seconds`, of the student's processes and the judge.
        decided_by: a digest of all of the course that decides its marks.
        decision: a teacher's, on the lesson as a whole.
        due: when it had to be handed in, in ISO 8601; empty if that was not said.
    """

    student: str
    name: str
    lesson: str
    source: str
    status: Literal["graded", "unreadable", "missing"]
    sha256: str = ""
    submitted: str = ""
    told: str = ""
    late: str = ""
    back: str = ""
    platform: str = ""
    beside: str = ""
    look: str = ""
    reason: str = ""
    marks: tuple[Mark, ...] = ()
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    seed: int = 0
    class_seed: int = 0
    protections: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    decided_by: str = ""
    decision: Decision | None = None
    due: str = ""

    @property
    def lacks(self) -> frozenset[str]:
        """The modules that its answers need and this grader has not."""
        return frozenset(name for mark in self.marks for name in mark.lacks)

    @property
    def excused(self) -> bool:
        """Whether none of it counts, because a teacher said so."""
        decided = any(mark.decision and mark.decision.excused for mark in self.marks)
        return bool(self.decision and self.decision.excused) or (decided and not any(m.out_of for m in self.marks))

    @property
    def points(self) -> float:
        """The points earned, as a teacher decided, or else as the marks say."""
        if self.decision and self.decision.points is not None:
            return self.decision.points
        return 0.0 if self.excused else float(sum(mark.points for mark in self.marks))

    @property
    def out_of(self) -> float:
        """The points that could be earned."""
        return 0.0 if self.excused else float(sum(mark.out_of for mark in self.marks))

    @property
    def minutes_late(self) -> float | None:
        """How late it was handed in: 0 if it was in time.

        None if nobody said when it was due, or nobody who knows says when it came.

        Example:
            >>> late = Result("ada", "Ada", "01_toy", "ada.ipynb", "graded", "", "2026-11-20T23:30:00+00:00")
            >>> replace(late, due="2026-11-20T23:59:00+01:00").minutes_late, late.minutes_late
            (31.0, None)
        """
        return minutes_late(self.submitted, self.due)

    @property
    def is_late(self) -> bool:
        """Whether it was handed in late, by its time or as a platform says."""
        return bool(self.minutes_late or self.late)

    @property
    def is_undecided(self) -> bool:
        """Whether an instructor should decide about it, and has not."""
        decided = filter(None, (self.decision, *(mark.decision for mark in self.marks)))
        return bool(self.look) and not any(one.points is not None or one.excused for one in decided)

    @property
    def oddities(self) -> tuple[str, ...]:
        """What was odd about the file, and what grading found odd."""
        return (*self.notes, *self.remarks)

    def submission(self) -> Submission:
        """What was handed in, as far as it is known from the result.

        Example:
            >>> Result("ada", "Ada", "01_toy", "ada.ipynb", "graded", "ab").submission().sha256
            'ab'
        """
        return Submission(**{name: getattr(self, name) for name in _IDENTITY}, notes=self.notes)

    def of(self, submission: Submission) -> Result:
        """The same verdicts, with what is known today of how the file was handed in.

        Example:
            >>> kept = Result("ada", "Ada", "01_toy", "ada.ipynb", "graded", "ab", remarks=("Two definitions.",))
            >>> again = kept.of(Submission("ada", "Ada", "01_toy", "ada (1).ipynb", "ab", notes=("A copy.",)))
            >>> again.source, again.oddities
            ('ada (1).ipynb', ('A copy.', 'Two definitions.'))
        """
        return replace(self, **submission.identity(), notes=submission.notes)

    def with_decisions(self, decisions: Mapping[str, Decision]) -> Result:
        """The result as a teacher decided it.

        Args:
            decisions: by the exercise's name; under the empty name, on the whole lesson.

        Example:
            >>> marks = Mark("a", "A", "wrong"), Mark("b", "B", "wrong")
            >>> result = Result("ada", "Ada", "01_toy", "", "graded", marks=marks)
            >>> decided = result.with_decisions({"a": Decision(0.5), "b": Decision(excused=True)})
            >>> decided.points, decided.out_of, decided.with_decisions({"": Decision(2)}).points
            (0.5, 1.0, 2)
        """
        marks = (_with_decision(mark, decisions.get(mark.exercise)) for mark in self.marks)
        return replace(self, marks=tuple(marks), decision=decisions.get(""))

    def without(self, exercises: Collection[str]) -> Result:
        """The result without the marks of some exercises, such as those for practice.

        Example:
            >>> marks = (Mark("a", "A", "passed", points=1), Mark("b", "B", "wrong"))
            >>> core = Result("ada", "Ada", "01_toy", "ada.ipynb", "graded", marks=marks).without({"b"})
            >>> core.points, core.out_of
            (1.0, 1.0)
        """
        return replace(self, marks=tuple(mark for mark in self.marks if mark.exercise not in exercises))

    def to_json(self) -> dict[str, Any]:
        """The result as plain data, with the sums and the schema's version.

        Example:
            >>> mark = Mark("double-it", "Double it", "passed", points=1)
            >>> result = Result("ada", "Ada", "01_toy", "ada.ipynb", "graded", marks=(mark,))
            >>> result.to_json()["points"], Result.from_json(result.to_json()) == result
            (1.0, True)
        """
        return {"schema": SCHEMA, "points": self.points, "out_of": self.out_of, **asdict(self)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Result:
        """A result from its plain data.

        Raises:
            ValueError: it was written by another version of the grader.
        """
        if data.get("schema") != SCHEMA:
            raise ValueError(f"the result has schema {data.get('schema')!r}, and this grader writes {SCHEMA}.")
        plain = {key: value for key, value in data.items() if key not in ("schema", "points", "out_of")}
        marks = tuple(Mark(**{**mark, **_tuples(mark)}) for mark in plain.pop("marks"))
        texts = {name: tuple(plain[name]) for name in ("notes", "remarks")}
        return cls(**{**plain, "marks": marks, **texts})


def minutes_late(submitted: str, due: str) -> float | None:
    """How long after it was due something was handed in: 0 if it was in time, None if either is not known.

    Args:
        submitted: in ISO 8601; without a time zone, it is in that of `due`.
        due: the same.

    Example:
        >>> minutes_late("2026-11-20T23:40:00", "2026-11-20T23:59:00+01:00")
        0.0
        >>> minutes_late("2026-11-21T00:30:00", "2026-11-20T23:59:00+01:00"), minutes_late("", "2026-11-20T23:59Z")
        (31.0, None)
    """
    try:
        came, limit = datetime.fromisoformat(submitted), datetime.fromisoformat(due)
        late = (came if came.tzinfo else came.replace(tzinfo=limit.tzinfo)) - limit
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0.0, late.total_seconds() / 60)


def _tuples(mark: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The lists in a mark's plain data, as what they were."""
    return {name: tuple(mark.get(name, ())) for name in ("notes", "lacks")}


def _with_decision(mark: Mark, decision: Decision | None) -> Mark:
    if decision is None:
        return mark
    points = 0.0 if decision.excused else mark.points if decision.points is None else decision.points
    return replace(mark, points=points, out_of=0.0 if decision.excused else mark.out_of, decision=decision)
