"""A class: what was handed in, what is already graded, what is left to do, and the reports on it all.

Each result is written as soon as it is ready, and a result that exists is not made again: if the grader is killed at
any moment and started again, it carries on where it left off.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from jaxcourse.course import Course
from jaxcourse.grade import intake, isolation, judging, reports, workers
from jaxcourse.grade._records import Mark, Result, Status, Submission
from jaxcourse.grade._store import atomic_write, slug

Say = Callable[[str], None]


class CannotGrade(ValueError):
    """The class cannot be graded like this: what is wrong, and what to do."""


@dataclass(frozen=True)
class Order:
    """What an instructor wants.

    Attributes:
        course: whose lessons and checks decide.
        submissions: a folder, a zip of a learning platform, or one notebook.
        out: the folder for results and reports.
        lesson: take every notebook to be this one; otherwise each says which it is.
        roster: a table of the class.
        canvas, moodle: forms of the platforms, to be filled in.
        seed: of the class's inputs; drawn at random the first time, and kept.
        workers: processes on this machine; 0 for one on each core.
        dask: the address of a cluster to use instead.
        unprotected: grade even where the machine lacks a protection.
        limits: what a submission may use.
        title: of the reports.
    """

    course: Course
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
    limits: isolation.Limits = field(default_factory=isolation.Limits)
    title: str = "Grades"


# -- what is kept -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ledger:
    """The results of a class on disk, one file for each student and lesson.

    Attributes:
        folder: where they are.
        versions: of everything that decides a grade today; a result from other versions does not count.
    """

    folder: Path
    versions: dict[str, str]

    def path(self, submission: Submission) -> Path:
        """Where the result of a submission is kept."""
        return self.folder / f"{slug(submission.student)}--{submission.lesson or 'unknown'}.json"

    def write(self, result: Result, submission: Submission) -> None:
        """Keep a result: all of it, or what was there before."""
        atomic_write(self.path(submission), json.dumps(result.to_json(), indent=1) + "\n")

    def read(self, submission: Submission) -> Result | None:
        """The result that is kept, or None; also None if it is broken or another grader's."""
        try:
            return Result.from_json(json.loads(self.path(submission).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def holds(self, submission: Submission, class_seed: int, limits: isolation.Limits) -> bool:
        """Whether this very file has been graded already, by these checks, on these inputs and within these limits."""
        kept = self.read(submission)
        if kept is None or kept.status != "graded":
            return False
        same_file = kept.sha256 == submission.sha256 and kept.student == submission.student
        same_terms = kept.class_seed == class_seed and kept.limits == asdict(limits)
        return same_file and same_terms and kept.versions == self.versions


@dataclass(frozen=True)
class _Kept:
    """Results, read one by one on every pass through them."""

    ledger: Ledger
    submissions: Sequence[Submission]

    def __iter__(self) -> Iterator[Result]:
        for submission in self.submissions:
            if result := self.ledger.read(submission):
                yield result


def class_seed(order: Order) -> int:
    """The seed of a class: what was kept, what is wanted, or one drawn at random; it is kept before anything is graded.

    Raises:
        CannotGrade: another one was used here earlier.
        OSError: the folder cannot be written.
    """
    path = order.out / "class.json"
    kept = json.loads(path.read_text(encoding="utf-8"))["class_seed"] if path.exists() else None
    if None not in (kept, order.seed) and kept != order.seed:
        raise CannotGrade(
            f"{order.out} was graded with the class seed {kept}: leave out --seed, or take another --out."
        )
    seed = kept if kept is not None else order.seed if order.seed is not None else secrets.randbits(32)
    atomic_write(path, json.dumps({"class_seed": seed, "versions": judging.versions(order.course)}, indent=1) + "\n")
    return int(seed)


# -- grading ----------------------------------------------------------------------------------------------------


def grade(order: Order, say: Say, track: Callable[[Iterable[Any], int], Iterable[Any]]) -> list[Path]:
    """Grade a class.

    Args:
        order: what is wanted.
        say: shows a line to the instructor.
        track: goes through results and shows how many of how many are done.

    Returns:
        The reports that were written.

    Raises:
        CannotGrade: it cannot be graded like this.
        OSError: a file cannot be written; what was graded stays graded.
    """
    protections = _protections(order, say)
    for form, reads in ((order.canvas, reports.read_canvas), (order.moodle, reports.read_moodle)):
        if form:
            reads(form)  # a broken form should be found now, not after an hour
    lessons = {stem: frozenset(names) for stem, names in order.course.exercises().items()}
    if order.lesson and order.lesson not in lessons:
        raise CannotGrade(f"there is no lesson {order.lesson!r}; there are {', '.join(lessons)}.")
    sorted_in = intake.take_in(order.submissions, lessons, lesson=order.lesson, roster=order.roster, without=order.out)
    seed = class_seed(order)
    ledger = Ledger(order.out / "results", judging.versions(order.course))
    todo = _sort(sorted_in, ledger, seed, order, say)
    jobs = (_job(choice, order, lessons, seed, protections) for choice in todo)
    pool = workers.dask(order.dask) if order.dask else workers.local(order.workers)
    try:
        for job, outcome in track(pool.results(jobs), len(todo)):
            ledger.write(_result(job, outcome), job.submission)
        died = pool.died
    finally:
        pool.close()
    deaths = (f"Workers died {died} times; their jobs were tried again.",) if died else ()
    known = [*(choice.submission for choice in sorted_in.choices), *sorted_in.missing]
    return reports.write(
        _Kept(ledger, known),
        order.out,
        title=order.title,
        columns=sorted_in.columns,
        notes=(*sorted_in.notes, *deaths),
        solutions=judging.solutions(order.course, {one.lesson for one in known} & set(order.course.exercises())),
        canvas=order.canvas,
        moodle=order.moodle,
    )


def _protections(order: Order, say: Say) -> tuple[str, ...]:
    """The protections that this machine offers; says which, and refuses to go on without the essential ones."""
    found = isolation.available()
    for name, why in found.items():
        say(f"{'no ' if why else 'yes'} {name}: {why or isolation.PROTECTIONS[name]}")
    lacking = [name for name in isolation.ESSENTIAL if found[name]]
    if lacking and not order.unprotected:
        raise CannotGrade(
            f"this machine does not offer {', '.join(lacking)}, so a submission could harm it or read what it should "
            "not. Grade on Linux 5.13 or newer, in a container, or, if you trust the class, with --unprotected."
        )
    return tuple(name for name, why in found.items() if not why)


def _sort(sorted_in: intake.Intake, ledger: Ledger, seed: int, order: Order, say: Say) -> list[intake.Choice]:
    """Keep a result for everybody who cannot be graded; return those who can."""
    readable = [choice for choice in sorted_in.choices if not choice.submission.unreadable]
    unreadable = [choice.submission for choice in sorted_in.choices if choice.submission.unreadable]
    for submission in unreadable:
        ledger.write(_ungraded(submission, "unreadable", submission.unreadable, order.course), submission)
    for submission in sorted_in.missing:
        ledger.write(_ungraded(submission, "missing", "Nothing was handed in.", order.course), submission)
    todo = [choice for choice in readable if not ledger.holds(choice.submission, seed, order.limits)]
    say(
        f"{len(todo)} to be graded, {len(readable) - len(todo)} graded already, "
        f"{len(unreadable)} unreadable, {len(sorted_in.missing)} missing."
    )
    return todo


def _ungraded(submission: Submission, status: Literal["unreadable", "missing"], reason: str, course: Course) -> Result:
    marks = _all(submission.lesson, course, status, reason)
    return Result(**submission.identity(), status=status, reason=reason, notes=submission.notes, marks=marks)


def _all(stem: str, course: Course, status: Status, message: str) -> tuple[Mark, ...]:
    """The same mark for every exercise of a lesson; none if the lesson is not known."""
    asked = judging.targets(course, stem).items()
    return tuple(Mark(name, item.title, status, status, message, out_of=float(item.points)) for name, item in asked)


def _job(
    choice: intake.Choice, order: Order, lessons: intake.Lessons, seed: int, protections: tuple[str, ...]
) -> workers.Job:
    """The job of grading what counts; its file is read again now, so that only one notebook at a time is in memory."""
    submission = choice.read(lessons, order.lesson)
    return workers.Job(submission, seed, order.course, judging.fingerprint(order.course), protections, order.limits)


def _result(job: workers.Job, outcome: dict[str, Any] | workers.WorkersDied) -> Result:
    if not isinstance(outcome, workers.WorkersDied):
        return Result.from_json(outcome)
    times = f"{workers.ATTEMPTS} times"
    text = f"This notebook made the grader's own process die {times}. Your instructor will look at it."
    return replace(
        Result(
            **job.submission.identity(),
            status="graded",
            marks=_all(job.submission.lesson, job.course, "needs_review", text),
        ),
        class_seed=job.class_seed,
        versions=judging.versions(job.course),
        limits=asdict(job.limits),
        notes=(*job.submission.notes, str(outcome)),
    )
