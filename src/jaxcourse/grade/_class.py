"""A class: what was handed in, what is graded already, what is left to do, and the reports of it all.

Each result is written as soon as it is there, and a result that is there is not made again: killed at any moment and
started again, the grader goes on where it was.
"""

from __future__ import annotations

import functools
import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from jaxcourse import _course
from jaxcourse.grade import _cells, _crew, _judge, _read, _report, _roster, _sandbox
from jaxcourse.grade._find import Handed
from jaxcourse.grade._records import Mark, Result, Status, Submission
from jaxcourse.grade._store import atomic_write, slug
from jaxcourse.grade._worker import Job

Say = Callable[[str], None]


class Refused(ValueError):
    """The class cannot be graded like this: what is wrong, and what to do."""


@dataclass(frozen=True)
class Order:
    """What an instructor wants.

    Attributes:
        submissions: a folder, a zip of a learning platform, or one notebook.
        out: the folder for results and reports.
        lesson: take every notebook for this one; else each says which it is.
        roster: a table of the class.
        canvas, moodle: forms of the platforms, to be filled in.
        seed: of the class's inputs; drawn by lot the first time, and kept.
        workers: processes on this machine; 0 for one on each core.
        dask: the address of a cluster to use instead.
        unprotected: grade even where the machine lacks a protection.
        limits: what a submission may use.
        title: of the reports.
    """

    submissions: Path
    out: Path
    lesson: str = ""
    roster: Path | None = None
    canvas: Path | None = None
    moodle: Path | None = None
    seed: int | None = None
    workers: int = 0
    dask: str = ""
    unprotected: bool = False
    limits: _sandbox.Limits = field(default_factory=_sandbox.Limits)
    title: str = "Grades"


# -- what was handed in -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Intake:
    """The class, sorted.

    Attributes:
        choices: what counts, one for each student and lesson.
        missing: who is on the roster and handed in nothing, with the lesson.
        columns: what the roster says of a student, for the table of grades.
        notes: what the instructor should know: files ignored, names that are nobody's.
    """

    choices: tuple[_read.Choice, ...]
    missing: tuple[Submission, ...] = ()
    columns: dict[str, dict[str, str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def take_in(order: Order, lessons: _read.Lessons) -> Intake:
    """Find what was handed in, and sort it.

    Raises:
        FileNotFoundError: there is nothing there.
        ValueError: the roster cannot be read.
    """
    roster = _roster.read_roster(order.roster) if order.roster else None
    found = _read.find(order.submissions)
    ours = order.out.resolve()
    theirs = (handed for handed in found.handed if ours not in handed.path.resolve().parents)
    entries = _in_the_only_lesson([(handed, _read.glance(handed, lessons, order.lesson)) for handed in theirs])
    if roster is None:
        return Intake(tuple(_read.choose(entries)), notes=found.ignored)
    matched = _roster.match({read.student: read.name for _, read in entries}, roster)
    choices = tuple(_read.choose(_roster.enrol(entries, matched)))
    stems = sorted({choice.submission.lesson for choice in choices} & lessons.keys()) or [order.lesson]
    absent = (Submission(person.key, person.name, stem, "") for person in matched.missing for stem in stems if stem)
    people = {person.key: {"id": person.id, "login": person.login, "email": person.email} for person in roster.people}
    return Intake(choices, tuple(absent), people, (*found.ignored, *_unmatched(matched)))


def _in_the_only_lesson(entries: list[tuple[Handed, Submission]]) -> list[tuple[Handed, Submission]]:
    """The same entries; what nobody can read counts for the lesson that all others are of, if there is but one."""
    stems = {read.lesson for _, read in entries if not read.unreadable}
    if len(stems) != 1:
        return entries
    (only,) = stems
    return [(handed, read if read.lesson else replace(read, lesson=only)) for handed, read in entries]


def _unmatched(matched: _roster.Matched) -> Iterator[str]:
    for key in matched.unknown:
        yield f"{key} is nobody on the roster."
    for key, people in matched.ambiguous.items():
        yield f"{key} may be {' or '.join(person.name for person in people)}: the roster does not tell."


def known_lessons(root: Path) -> dict[str, frozenset[str]]:
    """The lessons of a course, and the names of the exercises of each."""
    files = {path.stem.removeprefix("ex_"): path for path in _course.check_files(root)}
    return {stem: frozenset(_course.asked_in(path.read_text(encoding="utf-8"))) for stem, path in files.items()}


# -- what is kept -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ledger:
    """The results of a class on disk, one file for each student and lesson."""

    folder: Path

    def path(self, submission: Submission) -> Path:
        """Where the result of a submission is kept."""
        return self.folder / f"{slug(submission.student)}--{submission.lesson or 'unknown'}.json"

    def write(self, result: Result, submission: Submission) -> None:
        """Keep a result: all of it, or what was there before."""
        atomic_write(self.path(submission), json.dumps(result.to_json(), indent=1) + "\n")

    def read(self, submission: Submission) -> Result | None:
        """The result that is kept, or None; one that is broken, or of another grader, is as good as none."""
        try:
            return Result.from_json(json.loads(self.path(submission).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def holds(self, submission: Submission, class_seed: int, limits: _sandbox.Limits) -> bool:
        """Whether this very file has been graded already, by these checks, on these inputs and within these limits."""
        kept = self.read(submission)
        if kept is None or kept.status != "graded":
            return False
        same_file = kept.sha256 == submission.sha256 and kept.student == submission.student
        same_terms = kept.class_seed == class_seed and kept.limits == asdict(limits)
        return same_file and same_terms and kept.versions == _judge.versions()


@dataclass(frozen=True)
class _Kept:
    """Results, read one by one each time that they are gone through."""

    ledger: Ledger
    submissions: Sequence[Submission]

    def __iter__(self) -> Iterator[Result]:
        for submission in self.submissions:
            if result := self.ledger.read(submission):
                yield result


def class_seed(order: Order) -> int:
    """The seed of a class: what was kept, what is wanted, or drawn by lot; it is kept before anything is graded.

    Raises:
        Refused: another one was used here before.
        OSError: the folder cannot be written.
    """
    path = order.out / "class.json"
    kept = json.loads(path.read_text(encoding="utf-8"))["class_seed"] if path.exists() else None
    if None not in (kept, order.seed) and kept != order.seed:
        raise Refused(f"{order.out} was graded with the class seed {kept}: leave out --seed, or take another --out.")
    seed = kept if kept is not None else order.seed if order.seed is not None else secrets.randbits(32)
    atomic_write(path, json.dumps({"class_seed": seed, "versions": _judge.versions()}, indent=1) + "\n")
    return int(seed)


# -- grading ----------------------------------------------------------------------------------------------------


def grade(order: Order, say: Say, track: Callable[[Iterable[Any], int], Iterable[Any]]) -> list[Path]:
    """Grade a class.

    Args:
        order: what is wanted.
        say: shows a line to the instructor.
        track: goes through results and shows how far it is, of how many.

    Returns:
        The reports that were written.

    Raises:
        Refused: it cannot be graded like this.
        OSError: a file cannot be written; what was graded stays graded.
    """
    protections = _protections(order, say)
    for form, reads in ((order.canvas, _report.read_canvas), (order.moodle, _report.read_moodle)):
        if form:
            reads(form)  # a broken form is found now, and not after an hour
    root = _course.home()
    lessons = known_lessons(root)
    if order.lesson and order.lesson not in lessons:
        raise Refused(f"there is no lesson {order.lesson!r}; there are {', '.join(lessons)}.")
    intake = take_in(order, lessons)
    seed = class_seed(order)
    ledger = Ledger(order.out / "results")
    todo = _sort(intake, ledger, seed, order.limits, root, say)
    jobs = (_job(choice, order, lessons, seed, protections) for choice in todo)
    crew = _crew.dask(order.dask) if order.dask else _crew.local(order.workers)
    try:
        for job, outcome in track(crew.results(jobs), len(todo)):
            ledger.write(_result(job, outcome), job.submission)
        died = crew.died
    finally:
        crew.close()
    deaths = (f"Workers died {died} times; their jobs were tried again.",) if died else ()
    known = [*(choice.submission for choice in intake.choices), *intake.missing]
    notes = (*intake.notes, *deaths)
    return _report.write(
        _Kept(ledger, known),
        order.out,
        title=order.title,
        columns=intake.columns,
        notes=notes,
        canvas=order.canvas,
        moodle=order.moodle,
    )


def _protections(order: Order, say: Say) -> tuple[str, ...]:
    """The protections that this machine gives; it says so, and refuses to go on without those that matter."""
    found = _sandbox.available()
    for name, why in found.items():
        say(f"{'no ' if why else 'yes'} {name}: {why or _sandbox.PROTECTIONS[name]}")
    lacking = [name for name in _sandbox.ESSENTIAL if found[name]]
    if lacking and not order.unprotected:
        raise Refused(
            f"this machine does not give {', '.join(lacking)}, so a submission could harm it or read what it should "
            "not. Grade on Linux 5.13 or newer, in a container, or, if you trust the class, with --unprotected."
        )
    return tuple(name for name, why in found.items() if not why)


def _sort(
    intake: Intake, ledger: Ledger, seed: int, limits: _sandbox.Limits, root: Path, say: Say
) -> list[_read.Choice]:
    """Keep a result for everybody who cannot be graded; give those who are to be."""
    readable = [choice for choice in intake.choices if not choice.submission.unreadable]
    for choice in intake.choices:
        if choice.submission.unreadable:
            ledger.write(
                _ungraded(choice.submission, "unreadable", choice.submission.unreadable, root), choice.submission
            )
    for submission in intake.missing:
        ledger.write(_ungraded(submission, "missing", "Nothing was handed in.", root), submission)
    todo = [choice for choice in readable if not ledger.holds(choice.submission, seed, limits)]
    say(
        f"{len(todo)} to be graded, {len(readable) - len(todo)} graded already, "
        f"{len(intake.choices) - len(readable)} unreadable, {len(intake.missing)} missing."
    )
    return todo


def _ungraded(submission: Submission, status: Any, reason: str, root: Path) -> Result:
    marks = _all(submission.lesson, root, "missing" if status == "missing" else "unreadable", reason)
    fields = _judge.identity(submission)
    return Result(**fields, status=status, reason=reason, notes=submission.notes, marks=marks)


def _all(stem: str, root: Path, status: Status, message: str) -> tuple[Mark, ...]:
    """One and the same mark for every exercise of a lesson; none, if the lesson is not known."""
    asked = _asked(stem, root).items()
    return tuple(Mark(name, item.title, status, status, message, out_of=float(item.points)) for name, item in asked)


@functools.cache
def _asked(stem: str, root: Path) -> dict[str, _cells.Asked]:
    """The exercises of a lesson by name: looked up once, however many students are missing."""
    path = root / "exercises_tests" / f"ex_{stem}.py"
    return dict(_cells.template(_course.load(path)).exercises) if path.exists() else {}


def _job(choice: _read.Choice, order: Order, lessons: _read.Lessons, seed: int, protections: tuple[str, ...]) -> Job:
    """The job of grading what counts; its file is read again now, so that one notebook at a time is in memory."""
    submission = choice.read(lessons, order.lesson)
    return Job(submission, seed, _judge.course_digest(), protections, order.limits)


def _result(job: Job, outcome: dict[str, Any] | _crew.WorkersDied) -> Result:
    if not isinstance(outcome, _crew.WorkersDied):
        return Result.from_json(outcome)
    text = f"The grader's own process died over this notebook {_crew.ATTEMPTS} times. Your instructor will look at it."
    marks = _all(job.submission.lesson, _course.home(), "needs_review", text)
    return replace(
        Result(**_judge.identity(job.submission), status="graded", marks=marks),
        class_seed=job.class_seed,
        versions=_judge.versions(),
        limits=asdict(job.limits),
        notes=(*job.submission.notes, str(outcome)),
    )
