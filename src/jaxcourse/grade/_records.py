"""What the rooms of the grader hand to each other: a submission that was read, and a result that is kept."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from jaxcourse.probe import Strength

SCHEMA = 1
"""The version of a result's JSON. It grows when a field changes its meaning."""

Status = Literal[
    "passed", "wrong", "error", "timeout", "memory", "crashed", "not_attempted", "missing", "unreadable", "needs_review"
]
"""What can be said about one exercise: always something.

`missing`: nothing in the notebook defines the answer. `unreadable`: the notebook could not be read, or was never
handed in. `needs_review`: the answer passed, but facts about the process do not add up.
"""


@dataclass(frozen=True)
class Submission:
    """One notebook that was handed in, as it was read.

    Attributes:
        student: who handed it in: a key, unique in the class.
        name: the student's name, to be shown; the key, if no name is known.
        lesson: the stem of the lesson, such as `01_memory_layout`; empty if it is not one of ours.
        source: where it was found, below the folder of submissions; a member of a zip stands behind `!`.
        sha256: of the file's bytes.
        submitted: when, in ISO 8601, if the platform or the file says so; else empty.
        cells: the source of each code cell, in the notebook's order.
        notes: what was odd about the file but did not prevent reading it.
        unreadable: why it could not be read; else empty.
    """

    student: str
    name: str
    lesson: str
    source: str
    sha256: str = ""
    submitted: str = ""
    cells: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unreadable: str = ""

    def identity(self) -> dict[str, Any]:
        """The fields that a result takes from its submission."""
        names = ("student", "name", "lesson", "source", "sha256", "submitted")
        return {name: getattr(self, name) for name in names}


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
        evidence: how strong it is; see `jaxcourse.probe.Strength`.
        notes: what an instructor should know: two definitions, patched libraries, a second judgement that differed.
        code: the cell that was judged.
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
    evidence: Strength = "values"
    notes: tuple[str, ...] = ()
    code: str = ""


@dataclass(frozen=True)
class Result:
    """What one student earned in one lesson: one JSON file.

    Attributes:
        student, name, lesson, source, sha256, submitted: as in `Submission`.
        status: `graded`, `unreadable` (a file that could not be read) or `missing` (on the roster, no file).
        reason: in words, if it was not graded.
        marks: one for each exercise of the lesson, in the lesson's order.
        notes: what was odd about the file, and which other files of the student were set aside.
        seed: of the inputs that this student's answers were given; `class_seed`, what it follows from.
        protections: what stood between the submission and the machine, by name: in force, or why not.
        versions: of Python, JAX, NumPy and the course.
        limits: of time, memory and files, by name.
        seconds: wall time, and `cpu_seconds`, of the student's processes and the judge.
    """

    student: str
    name: str
    lesson: str
    source: str
    status: Literal["graded", "unreadable", "missing"]
    sha256: str = ""
    submitted: str = ""
    reason: str = ""
    marks: tuple[Mark, ...] = ()
    notes: tuple[str, ...] = ()
    seed: int = 0
    class_seed: int = 0
    protections: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    @property
    def points(self) -> float:
        """The points earned."""
        return float(sum(mark.points for mark in self.marks))

    @property
    def out_of(self) -> float:
        """The points that could be earned."""
        return float(sum(mark.out_of for mark in self.marks))

    @property
    def strictly(self) -> Result:
        """The result without the points that rest on what a process said of itself, beside code that was not read.

        Example:
            >>> marks = [Mark("a", "A", "passed", points=1, evidence=kind) for kind in ("values", "code", "process")]
            >>> strict = Result("ada", "Ada", "01_toy", "ada.ipynb", "graded", marks=tuple(marks)).strictly
            >>> strict.points, strict.out_of, [mark.status for mark in strict.marks]
            (2.0, 3.0, ['passed', 'passed', 'needs_review'])
        """
        return replace(self, marks=tuple(map(_strictly, self.marks)))

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
        marks = tuple(Mark(**{**mark, "notes": tuple(mark["notes"])}) for mark in plain.pop("marks"))
        return cls(**{**plain, "marks": marks, "notes": tuple(plain["notes"])})


UNPROVEN = (
    "It passed. That rests on what its own process reported, which the strict form of grading does not count. Your "
    "instructor will look at it."
)
"""What is said of a mark that a strict grader does not give."""


def _strictly(mark: Mark) -> Mark:
    if mark.status != "passed" or mark.evidence != "process":
        return mark
    return replace(mark, status="needs_review", label="said-by-its-process", message=UNPROVEN, points=0.0)
