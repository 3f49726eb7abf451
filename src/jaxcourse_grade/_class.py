"""A class: what was handed in, what is already graded, what is left to do, and the reports on it all.

Each result is written as soon as it is ready, and a result that exists is not made again: if the grader is killed at
any moment and started again, it carries on where it left off.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal

from jaxcourse.course import Course
from jaxcourse_grade import _again, analysis, intake, isolation, judging, reports, slicing, workers
from jaxcourse_grade._bounded import BoundedProcess
from jaxcourse_grade._frozen import hold
from jaxcourse_grade._keeping import exposure_notes, hide_from_git, make_private
from jaxcourse_grade._records import Mark, Result, Status, Submission
from jaxcourse_grade._selftest import SelfTest, self_test
from jaxcourse_grade._store import atomic_write, result_file, slug

Say = Callable[[str], None]
NOTHING = "Nothing was handed in."


CORE_ALONE = "Only the core exercises count here. Those for practice were graded too: leave out --core to count them."


class CannotGrade(ValueError):
    """The class cannot be graded like this: what is wrong, and what to do."""


@dataclass(frozen=True)
class Order:
    """What an instructor wants.

    Attributes:
        course: whose lessons and checks decide.
        submissions: a folder, a zip of a learning platform, or one notebook.
        out: the folder for results and reports.
        lessons: those that were handed out; if none are named, those that most students handed in.
        roster: a table of the class.
        canvas, moodle: forms of the platforms, to be filled in.
        answers: a folder for every answer as a file.
        marks: a teacher's decisions; if none is named, `marks.csv` beside the submissions, if it is there.
        shares: which known mistakes get a share of the points; if no file is named, `shares.csv` beside the
            submissions, if it is there.
        frozen: which lessons are finished, so that their marks stay; if no file is named, `frozen.csv` beside the
            submissions, if it is there.
        due: when lessons were due, each as `due_times` reads it.
        on_time: whether the latest file that came in time counts before later ones.
        file_times: whether files' own times are those of hand-in.
        groups: whether what one of a group on the roster handed in is the work of all of it.
        seed: of the class's inputs; drawn at random the first time, and kept.
        workers: processes on this machine; 0 for one on each core.
        dask: the address of a cluster to use instead.
        unprotected: grade even where the machine lacks a protection.
        core: count the exercises on the core path alone.
        limits: what a submission may use.
        title: of the reports.
        live: whether students see the reports whenever they hand in, as on other platforms.
    """

    course: Course
    submissions: Path
    out: Path
    lessons: tuple[str, ...] = ()
    roster: Path | None = None
    canvas: Path | None = None
    moodle: Path | None = None
    answers: Path | None = None
    marks: Path | None = None
    shares: Path | None = None
    frozen: Path | None = None
    due: tuple[str, ...] = ()
    on_time: bool = False
    file_times: bool = False
    groups: bool = False
    seed: int | None = None
    workers: int = 0
    dask: str = ""
    unprotected: bool = False
    core: bool = False
    limits: isolation.Limits = field(default_factory=isolation.Limits)
    title: str = "Grades"
    live: bool = False

    @property
    def decisions(self) -> Path | None:
        """The file with a teacher's decisions, if there is one."""
        return self.marks or self._beside("marks.csv")

    @property
    def rules(self) -> Path | None:
        """The file with the shares that known mistakes get, if there is one."""
        return self.shares or self._beside("shares.csv")

    @property
    def finished_file(self) -> Path | None:
        """The file with the lessons that are finished, if there is one."""
        return self.frozen or self._beside("frozen.csv")

    def _beside(self, name: str) -> Path | None:
        path = Path(os.path.realpath(self.submissions)).parent / name
        return path if path.is_file() else None

    @property
    def private(self) -> tuple[str, ...]:
        """The files and folders that belong to the instructor."""
        places = (
            self.submissions,
            self.out,
            self.roster,
            self.canvas,
            self.moodle,
            self.answers,
            self.decisions,
            self.rules,
            self.finished_file,
        )
        return tuple(str(place.absolute()) for place in places if place)

    @property
    def class_files(self) -> tuple[Path, ...]:
        """What the instructor brought along, in which the class is named."""
        places = (
            self.submissions,
            self.roster,
            self.canvas,
            self.moodle,
            self.decisions,
            self.rules,
            self.finished_file,
        )
        return tuple(place for place in places if place)


# -- what is kept -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ledger:
    """The results of a class on disk, one file for each student and lesson.

    Attributes:
        folder: where they are.
        course: whose lessons are graded.
    """

    folder: Path
    course: Course

    def path(self, submission: Submission) -> Path:
        """Where the result of a submission is kept."""
        return self.folder / result_file(slug(submission.student), submission.lesson)

    def write(self, result: Result, submission: Submission) -> None:
        """Keep a result: all of it, or what was there before."""
        atomic_write(self.path(submission), json.dumps(result.to_json(), indent=1) + "\n")

    def read(self, submission: Submission) -> Result | None:
        """The result that is kept, or None; also None if it is broken or another grader's."""
        try:
            return Result.from_json(json.loads(self.path(submission).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None


@dataclass(frozen=True)
class _Results:
    """Results, read one by one on every pass through them; what is kept is the same whatever is counted.

    A teacher's decisions, and when it was due, are not kept either: they stand over what was graded, and may change.

    Attributes:
        uncounted: the names of exercises that do not count.
        shares: of points, for known mistakes.
    """

    ledger: Ledger
    submissions: Sequence[Submission]
    decided: intake.Decided
    due: Mapping[str, datetime]
    uncounted: frozenset[str] = frozenset()
    shares: Sequence[intake.Share] = ()

    def __iter__(self) -> Iterator[Result]:
        for submission in self.submissions:
            if result := self.ledger.read(submission):
                yield self._today(result.without(self.uncounted))

    def _today(self, result: Result) -> Result:
        by_hand = self.decided.found.get((result.student, result.lesson), {})
        result, due = (
            result.with_decisions(intake.with_shares(self.shares, result, by_hand)),
            self.due.get(result.lesson),
        )
        if due is None:
            return result
        return replace(result, due=due.isoformat(), submitted=intake.in_zone(result.submitted, due))


def class_seed(out: Path, wanted: int | None) -> int:
    """The seed of a class: what was kept in its folder, what is wanted, or one drawn at random.

    Raises:
        CannotGrade: another one was used here earlier, or what was kept cannot be read.
    """
    kept = _kept_seed(out / "class.json")
    if None not in (kept, wanted) and kept != wanted:
        raise CannotGrade(f"{out} was graded with the class seed {kept}: leave out --seed, or take another --out.")
    return kept if kept is not None else wanted if wanted is not None else secrets.randbits(32)


def _kept_seed(path: Path) -> int | None:
    """The seed that was kept; None where nothing was graded yet."""
    try:
        seed: object = json.loads(path.read_text(encoding="utf-8"))["class_seed"]
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError, RecursionError):
        seed = None
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise CannotGrade(
            f"{path} is damaged, and it holds the class's seed: restore it. Or delete it, and name the seed, which the "
            "class page shows, with --seed."
        )
    return seed


def _keep(
    order: Order,
    conditions: workers.Conditions,
    lessons: Sequence[str],
    then: Mapping[str, _again.Parts],
    say: Say,
) -> None:
    """Keep what a class is graded with, before anything is graded, where others do not look."""
    for folder in filter(None, (order.out, order.answers)):
        make_private(folder)
        hide_from_git(folder)
    for note in exposure_notes(order.out, order.class_files):
        say(note)
    versions = judging.versions(conditions.course)
    decided_by = _again.to_remember(then, conditions.course, lessons)
    facts = {
        "class_seed": conditions.class_seed,
        "lessons": list(lessons),
        "versions": versions,
        "decided_by": decided_by,
    }
    atomic_write(order.out / "class.json", json.dumps(facts, indent=1) + "\n")


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
    lessons = intake.Taught.of(order.course)
    _refuse(order, lessons)
    order = replace(order, lessons=tuple(dict.fromkeys(intake.today(name, lessons) for name in order.lessons)))
    with locked(order.out), BoundedProcess() as apart:
        conditions = _conditions(order, say)
        here = (stem for stem in order.lessons or lessons if not order.course.texts[stem].lacks)
        self_test(order.course, next(here)).submission(lessons, apart)
        due = intake.due_times(order.due, lessons)
        ledger = Ledger(order.out / "results", order.course)
        held = hold(_taken_in(order, lessons, due, apart), ledger.folder, _frozen_stems(order, lessons), lessons)
        sorted_in = held.sorted_in
        _refuse_withheld(order.course, [choice.submission.lesson for choice in sorted_in.choices])
        _refuse_columns(order.canvas, sorted_in.asked, lessons)
        then = _again.earlier_parts(order.out / "class.json")
        _keep(order, conditions, sorted_in.asked, then, say)
        reports.under_earlier_names(order.out, lessons)
        for submission in held.new:
            ledger.write(ungraded_result(submission, "missing", NOTHING, order.course), submission)
        todo = _sort(sorted_in, ledger, conditions, then, say)
        work = _Work(conditions, lessons, order.lessons, apart, todo)
        start = partial(workers.dask, order.dask) if order.dask else partial(workers.local, order.workers)
        deaths = _grade_all(start, work, ledger, track) if todo else ()
        known = [*(choice.submission for choice in sorted_in.choices), *sorted_in.missing, *held.rows, *held.new]
        practice = order.course.practice() if order.core else frozenset[str]()
        decided = _read_decisions(order.decisions, order.course, known, sorted_in.columns, practice, say)
        shares = intake.read_shares(order.rules, lessons) if order.rules else []
        kept = _Results(ledger, known, decided, due, practice, shares)
        shared = list(intake.met(shares, kept, order.rules.name)) if order.rules else []
        for note in shared:
            say(note)
        notes = (*_untimed_notes(sorted_in, due), *sorted_in.notes, *decided.notes, *shared, *deaths)
        return _write_reports(order, kept, sorted_in.columns, notes, say)


def _conditions(order: Order, say: Say) -> workers.Conditions:
    """What is the same for everybody in a class.

    Raises:
        CannotGrade: with this seed, or on this machine, it cannot be graded.
    """
    seed = class_seed(order.out, order.seed)
    protections = _protections(order.unprotected, say)
    digest = judging.fingerprint(order.course)
    return workers.Conditions(seed, order.course, digest, protections, order.limits, order.private)


def _frozen_stems(order: Order, lessons: intake.Lessons) -> list[str]:
    """The lessons that are frozen; where some are named, those among them."""
    frozen = intake.read_frozen(order.finished_file, lessons) if order.finished_file else []
    return [stem for stem in frozen if not order.lessons or stem in order.lessons]


def _taken_in(
    order: Order, lessons: intake.Lessons, due: Mapping[str, datetime], apart: BoundedProcess
) -> intake.Intake:
    return intake.take_in(
        order.submissions,
        lessons,
        asked=order.lessons,
        roster=order.roster,
        ours=intake.Ours.of(order.course.root),
        worksheet=order.moodle,
        due=due,
        on_time=order.on_time,
        file_times=order.file_times,
        groups=order.groups,
        apart=apart,
    )


def _write_reports(
    order: Order, kept: _Results, columns: Mapping[str, Mapping[str, str]], notes: Sequence[str], say: Say
) -> list[Path]:
    """Write the reports, with all that an instructor should know."""
    lessons = intake.Taught.of(order.course)
    return reports.write(
        kept,
        order.out,
        title=order.title,
        columns=columns,
        notes=(*notes, *lacking_notes(kept), *pasted_stub_notes(kept), *[CORE_ALONE] * bool(kept.uncounted)),
        solutions=judging.solutions(order.course, {one.lesson for one in kept.submissions} & set(lessons)),
        canvas=order.canvas,
        moodle=order.moodle,
        answers=order.answers,
        lessons=lessons,
        held=reports.held_back(order.course, lessons, live=order.live),
        known=analysis.known_exercises(order.course, {one.lesson for one in kept.submissions}),
        say=say,
    )


def _untimed_notes(sorted_in: intake.Intake, due: Mapping[str, datetime]) -> list[str]:
    """For how many it is not known when they came, if that is asked."""
    asked = [choice.submission for choice in sorted_in.choices if choice.submission.lesson in due]
    unknown = sum(not submission.submitted for submission in asked)
    marked = sum(bool(submission.late) for submission in asked if not submission.submitted)
    if not unknown:
        return []
    return [
        f"When {unknown} of {len(asked)} hand-ins came is not known, so `--due` says nothing of them"
        + (f"; Canvas or Moodle marks {marked} of them as late" if marked else "")
        + ". The guide's table of times says who knows it."
    ]


@dataclass(frozen=True)
class _Work:
    """The jobs of a class, and the grader's own notebook, which comes first.

    Attributes:
        conditions: under which all are graded.
        lessons: of the course, with the names of their exercises.
        asked: the lessons that were named; perhaps none.
        apart: reads a file.
        todo: what is to be graded.
    """

    conditions: workers.Conditions
    lessons: intake.Lessons
    asked: tuple[str, ...]
    apart: BoundedProcess
    todo: Sequence[intake.Choice]

    def own(self) -> tuple[SelfTest, workers.Job]:
        own = self_test(self.conditions.course, self.todo[0].submission.lesson)
        return own, workers.Job(own.submission(self.lessons, self.apart), self.conditions)

    def jobs(self) -> Iterator[workers.Job]:
        """Each file is read again now, so that only one notebook at a time is in memory."""
        for choice in self.todo:
            yield workers.Job(choice.read(self.lessons, self.asked, self.apart), self.conditions)


def _grade_all(
    start: Callable[[], workers.Pool],
    work: _Work,
    ledger: Ledger,
    track: Callable[[Iterable[Any], int], Iterable[Any]],
) -> tuple[str, ...]:
    """Have jobs done and their results kept; what an instructor should know about the workers."""
    pool = start()
    try:
        own, first = work.own()
        for _, outcome in pool.results([first]):
            own.prove(outcome)
        for job, outcome in track(pool.results(work.jobs()), len(work.todo)):
            ledger.write(_result(job, outcome), job.submission)
        return _deaths(pool.deaths)
    finally:
        pool.close()


def _deaths(count: int) -> tuple[str, ...]:
    if count == 1:
        return ("A worker died; its job was tried again.",)
    return (f"Workers died {count} times; their jobs were tried again.",) if count else ()


def lacking_notes(results: Iterable[Result]) -> Iterator[str]:
    """What to say, once, of the modules that answers need and this grader has not."""
    students = defaultdict[str, set[str]](set)
    for result in results:
        for name in result.lacks:
            students[name].add(result.student)
    if students:
        names = sorted(students, key=lambda name: (-len(students[name]), name))
        told = ", ".join(f"`{name}` ({_students_in_words(len(students[name]))})" for name in names[:MOST_NAMED])
        more = f" and {len(names) - MOST_NAMED} others" if len(names) > MOST_NAMED else ""
        yield (
            f"Not judged, because answers need modules that this grader has not: {told}{more}. Install the libraries "
            "among them in the grader's Python, and run the command again: these answers are then graded again. The "
            "others are files of a student's own, which were not handed in or are too large, or misspelt."
        )


def pasted_stub_notes(results: Iterable[Result]) -> Iterator[str]:
    """What to say of stubs that were pasted once more below their answers."""
    found = [
        f"{result.name} ({mark.exercise})"
        for result in results
        for mark in result.marks
        if slicing.STUB_AGAIN in mark.notes
    ]
    if found:
        more = f" and {len(found) - MOST_NAMED} others" if len(found) > MOST_NAMED else ""
        yield f"Below an answer, its stub stood once more, and was left out: {', '.join(found[:MOST_NAMED])}{more}."


MOST_NAMED = 20
"""How many modules or students a note names; the rest are counted."""


def _students_in_words(students: int) -> str:
    return "1 student" if students == 1 else f"{students} students"


def _read_decisions(
    file: Path | None,
    course: Course,
    rows: Sequence[Submission],
    columns: Mapping[str, Mapping[str, str]],
    practice: frozenset[str],
    say: Say,
) -> intake.Decided:
    """What a teacher decided in a file; says so, and names the lines that could not be used."""
    if file is None:
        return intake.Decided()
    lines = intake.read_marks(file, intake.Taught.of(course))
    worth = _worth(course, {line.lesson for line in lines if line.decision.points}, practice)
    decided = intake.decide(lines, rows, columns, file.name, practice, worth)
    say(f"{decided.count} decisions of {file} stand over what was graded.")
    for note in decided.notes:
        say(note)
    return decided


def _worth(course: Course, stems: Iterable[str], practice: Collection[str]) -> dict[tuple[str, str], float]:
    """How many points there are in some lessons: by the lesson and the exercise, or `""` for all of it."""
    worth: dict[tuple[str, str], float] = {}
    for stem in stems:
        points = {name: one.points for name, one in judging.targets(course, stem).items() if name not in practice}
        worth |= {(stem, ""): sum(points.values()), **{(stem, name): most for name, most in points.items()}}
    return worth


def _refuse_withheld(course: Course, stems: Iterable[str]) -> None:
    """Refuse lessons of which this copy of the course, such as the public one, has neither checks nor solutions.

    Raises:
        CannotGrade: which, until when, and what to do.
    """
    for stem in filter(None, stems):
        if why := course.texts[stem].lacks:
            raise CannotGrade(
                f"{stem} cannot be graded with {course.root}: its checks and solutions are withheld {why.words}, and "
                "are not there. Grade from the checkout that has them, or name that with --course."
            )


def _refuse(order: Order, lessons: intake.Lessons) -> None:
    """Refuse what cannot be graded like this, before anything is done.

    Raises:
        CannotGrade: why, and what to do.
        OSError, ValueError: a table is not there, or not as it should be.
    """
    if unknown := sorted(name for name in order.lessons if not intake.today(name, lessons)):
        raise CannotGrade(f"there is no lesson {unknown[0]!r}; there are {', '.join(lessons)}.")
    asked = [intake.today(name, lessons) for name in order.lessons]
    if asked or all(order.course.texts[stem].lacks for stem in lessons):
        _refuse_withheld(order.course, asked or lessons)
    if order.workers < 0:
        raise CannotGrade(f"{order.workers} workers cannot grade: leave out --workers, or name 1 or more.")
    for name, value in asdict(order.limits).items():
        if not value > 0:
            raise CannotGrade(f"{name} is {value:g}, and must be more than 0.")
    _refuse_places(order.submissions, order.out)
    if order.moodle:  # a broken form should be found now, not after an hour
        reports.read_moodle(order.moodle)
    _refuse_columns(order.canvas, [intake.today(name, lessons) for name in order.lessons], lessons)
    for table in filter(None, (order.roster, order.moodle)):
        intake.read_roster(table)
    if order.groups and not (order.roster and any(one.group for one in intake.read_roster(order.roster).people)):
        raise CannotGrade("--groups needs to know who works together: a --roster with a column `Group`.")
    if order.decisions:
        intake.read_marks(order.decisions, lessons)
    if order.rules:
        intake.read_shares(order.rules, lessons)
    if order.finished_file:
        intake.read_frozen(order.finished_file, lessons)
    if order.on_time and not order.due:
        raise CannotGrade("--on-time needs to know when it was due: say it with --due.")
    intake.due_times(order.due, lessons)


def _refuse_columns(canvas: Path | None, asked: Sequence[str], lessons: intake.Lessons) -> None:
    """Refuse a gradebook that cannot be filled in: as soon as it is known which lessons are graded."""
    if canvas:
        reports.canvas_columns(reports.read_canvas(canvas), asked, lessons)


def _refuse_places(submissions: Path, results: Path) -> None:
    source, out = (Path(os.path.realpath(path)) for path in (submissions, results))
    if not source.exists():
        raise CannotGrade(f"there is no {submissions}: name the folder, the zip export or the notebook to be graded.")
    if out.exists() and not out.is_dir():
        raise CannotGrade(f"{results} is a file: name a folder for --out.")
    if out == source or source in out.parents:
        raise CannotGrade(
            f"the results cannot lie in the submissions: {results} is in {submissions}. Take another --out."
        )
    if {out / "results", out / "feedback"} & {source, *source.parents}:
        raise CannotGrade(f"{submissions} is where {results} keeps its results: take another --out.")


@contextlib.contextmanager
def locked(out: Path) -> Iterator[None]:
    """Have a folder of results to oneself, from now on; it is made, and removed again if nothing was written.

    The kernel holds the lock: it ends with the process, however that ends.

    Raises:
        CannotGrade: another grader is at work there.
        OSError: the folder cannot be made.
    """
    make_private(out)
    folder = os.open(out, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(folder)
        raise CannotGrade(
            f"another grader is at work in {out}: wait until it is done, or take another --out."
        ) from None
    except OSError:  # some network file systems have no locks
        pass
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # it holds something, as it should
            out.rmdir()
        os.close(folder)


def _protections(unprotected: bool, say: Say) -> tuple[str, ...]:
    """The protections that this machine offers; says which, and refuses to go on without the essential ones."""
    found = isolation.available()
    for name, why in found.items():
        say(f"{'no ' if why else 'yes'} {name}: {why or isolation.PROTECTIONS[name]}")
    lacking = [name for name in isolation.ESSENTIAL if found[name]]
    if lacking and not unprotected:
        raise CannotGrade(
            f"this machine does not offer {', '.join(lacking)}, so a submission could harm it or read what it should "
            "not. Grade on Linux 5.13 or newer, in a container, or, if you trust the class, with --unprotected."
        )
    return tuple(name for name, why in found.items() if not why)


def _sort(
    sorted_in: intake.Intake,
    ledger: Ledger,
    conditions: workers.Conditions,
    then: Mapping[str, _again.Parts],
    say: Say,
) -> list[intake.Choice]:
    """Keep a result for everybody who cannot be graded; return those who can, and say why some are graded again."""
    readable = [choice for choice in sorted_in.choices if not choice.submission.unreadable]
    unreadable = [choice.submission for choice in sorted_in.choices if choice.submission.unreadable]
    for submission in unreadable:
        ledger.write(ungraded_result(submission, "unreadable", submission.unreadable, ledger.course), submission)
    for submission in sorted_in.missing:
        ledger.write(ungraded_result(submission, "missing", NOTHING, ledger.course), submission)
    todo, reasons = [], []
    for choice in readable:
        kept = ledger.read(choice.submission)
        if kept is None or kept.status != "graded":
            todo.append(choice)
        elif reason := _again.why(kept, choice.submission, conditions, then):
            todo.append(choice)
            reasons.append(reason)
    _renew(ledger, [choice.submission for choice in readable])
    say(
        f"{len(todo)} to be graded, {len(readable) - len(todo)} graded already, "
        f"{len(unreadable)} unreadable, {len(sorted_in.missing)} missing."
    )
    for line in _again.report(reasons):
        say(line)
    return todo


def _renew(ledger: Ledger, submissions: Iterable[Submission]) -> None:
    """Keep verdicts, and take anew what is known of how the same content was handed in."""
    for submission in submissions:
        kept = ledger.read(submission)
        if kept and kept.sha256 == submission.sha256 and (today := kept.of(submission)) != kept:
            ledger.write(today, submission)


def ungraded_result(
    submission: Submission, status: Literal["unreadable", "missing"], reason: str, course: Course
) -> Result:
    marks = _all(submission.lesson, course, status, reason)
    return Result(**submission.identity(), status=status, reason=reason, notes=submission.notes, marks=marks)


def _all(stem: str, course: Course, status: Status, message: str) -> tuple[Mark, ...]:
    """The same mark for every exercise of a lesson; none if the lesson is not known."""
    asked = judging.targets(course, stem).items()
    return tuple(Mark(name, item.title, status, status, message, out_of=float(item.points)) for name, item in asked)


def _result(job: workers.Job, outcome: dict[str, Any] | workers.WorkersDied) -> Result:
    conditions = job.conditions
    decided_by = judging.decides(conditions.course, job.submission.lesson)
    if isinstance(outcome, workers.WorkersDied):
        what, why = f"made the grader's own process die {workers.ATTEMPTS} times", str(outcome)
    elif "stumbled" in outcome:
        what, why = "was too much for the grader", outcome["stumbled"]
    else:
        return replace(Result.from_json(outcome), decided_by=decided_by)
    text = f"This notebook {what}. Your instructor will look at it."
    marks = _all(job.submission.lesson, conditions.course, "stumbled", text)
    return Result(
        **job.submission.identity(),
        status="graded",
        marks=marks,
        class_seed=conditions.class_seed,
        versions=judging.versions(conditions.course),
        decided_by=decided_by,
        limits=asdict(conditions.limits),
        notes=job.submission.notes,
        remarks=(why,),
    )
