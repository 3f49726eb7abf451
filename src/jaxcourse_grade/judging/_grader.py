"""One submission's marks: run it in isolation, judge it here.

The checks, the expected values and the comparison stay in this process; the answers are in another one, behind
`ProcessChannel`. The notebook is run as it stands, from top to bottom. When its process dies, the statement or the
exercise that killed it is left out, and the rest goes on in a new process.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

from jaxcourse.course import Course, Lesson
from jaxcourse.exercise import Exercise, Verdict, judge
from jaxcourse.markup import literal, quoted
from jaxcourse.probe import Raised
from jaxcourse_grade._records import Evidence, Mark, Result, Status, Submission
from jaxcourse_grade._store import atomic_write
from jaxcourse_grade.isolation import CannotStart, Forkserver, Process, ProcessChannel, ProcessGone, Terms, raised_from
from jaxcourse_grade.judging._course import code_cells, foundations, imported_modules, own_modules, private, versions
from jaxcourse_grade.judging._evidence import examine
from jaxcourse_grade.judging._lacking import NOT_FOUND, in_words, lacking_modules
from jaxcourse_grade.judging._walls import require_walls
from jaxcourse_grade.slicing import Piece, Plan, Template, plan, template

_HOW: dict[str, Status] = {
    "timeout": "timeout",
    "memory": "memory",
    "disk": "memory",
    "crashed": "crashed",
    "garbled": "crashed",
}
_ENDED = {
    "timeout": "It took too long.",
    "memory": "It used too much memory.",
    "disk": "It filled its folder.",
    "crashed": "It ended the process in which it ran.",
    "garbled": "Its process wrote into the line to the grader, and was ended.",
}
Seeds = tuple[int, int]
Modules = tuple[tuple[str, str], ...]
VARIANTS = 8
"""How many draws of inputs a class has. Each is tried on our own solutions first, at the cost of some students."""
_DRAWS = 10
"""How many draws are tried before the course is to blame."""
_NOT_THERE: frozenset[Status] = frozenset({"error", "missing", "not_attempted"})
"""What becomes of an answer where something that it needs is not there yet."""
_OUT_OF_MEMORY = {"MemoryError", "XlaRuntimeError", "JaxRuntimeError", "_ArrayMemoryError"}


class CourseFault(RuntimeError):
    """The course's own solutions do not pass: no student may be graded with it."""


class Session:
    """The processes in which a student's notebook is run, one after the other.

    Attributes:
        cpu_seconds: what all processes that have ended used.
        left_out: which settings for devices that are not here the notebook made.
    """

    def __init__(
        self, warm: Forkserver, terms: Terms, plan: Plan, modules: Modules = (), files: Sequence[Path] = ()
    ) -> None:
        self.warm, self.terms, self.plan, self.modules, self.files = warm, terms, plan, modules, files
        self.deadline = time.monotonic() + terms.limits.seconds
        self.cpu_seconds = 0.0
        self.left_out: set[str] = set()
        self._clean: Process | None = None

    def fresh_process(self) -> Process:
        """A fresh process for the notebook, in which the lesson's set-up has been run.

        Raises:
            ProcessGone: the process died, or no time is left.
        """
        return self._fork(begins=True)

    def clean(self) -> Process:
        """A process that has run the lesson's own set-up, which may ask for devices, and no line of the student's."""
        if self._clean is None or self._clean.ended:
            self._clean = self._fork()
        return self._clean

    def _fork(self, *, begins: bool = False) -> Process:
        if time.monotonic() > self.deadline:
            raise ProcessGone(
                "timeout", f"The {self.terms.limits.seconds:g} seconds of this notebook had already been used up."
            )
        process = self.warm.fork(self.terms, self.deadline)
        try:
            if self.files:
                process.request("bring", files=[(path.name, _content(path)) for path in self.files])
            for piece in self.plan.setup:
                run(process, piece)
            if begins:
                process.request("begin", modules=[(path, _in_bytes(text)) for path, text in self.modules])
        except BaseException:
            self.end(process)
            raise
        return process

    def end(self, process: Process) -> None:
        """End a process, and count what it cost."""
        process.end()
        self.cpu_seconds += process.cpu_seconds
        self.left_out |= process.left_out

    def close(self) -> None:
        """End the clean process, if it lives."""
        if self._clean:
            self.end(self._clean)
            self._clean = None


def _remarks(left_out: Collection[str]) -> Iterator[str]:
    """What to say of settings that had no effect."""
    if left_out:
        told = ", ".join(f"`{name}`" for name in sorted(left_out))
        yield f"It asks JAX for what this grader has not ({told}). That was left out, and it ran on the CPU."


def _in_bytes(text: str) -> np.ndarray:
    return np.frombuffer(text.encode("utf-8", "replace"), np.uint8)


def _content(path: Path) -> np.ndarray:
    return np.frombuffer(path.read_bytes(), np.uint8)


def run(process: Process, piece: Piece) -> Raised | None:
    """Run a statement in a process; what it raised."""
    reply = process.request("run", source=piece.source, filename=piece.filename, line=piece.line)
    process.request("defined", variable="")  # what it left in the line is not the next one's fault
    return raised_from(reply.get("raised"))


@dataclass
class Grader:
    """Grades submissions of one course, one after the other; it keeps the lessons, and the warm parent.

    Attributes:
        course: whose checks decide.
        terms: on which submissions are run.
    """

    course: Course
    terms: Terms
    _warm: Forkserver | None = None
    _looked: bool = False
    _read: dict[str, tuple[Lesson, Template]] = field(default_factory=dict)

    def prepare(self, submission: Submission, class_seed: int) -> None:
        """Do what is needed before a submission can be graded, and is the course's own work.

        Raises:
            CannotStart, CourseFault: see `grade`.
        """
        self.inputs(submission.lesson, class_seed, variant_of(class_seed, submission))
        self.warm(self.lesson(submission.lesson)[0])

    def grade(self, submission: Submission, class_seed: int) -> Result:
        """Grade one submission.

        Args:
            submission: as it was read.
            class_seed: what the inputs of all students follow from.

        Returns:
            A mark for every exercise of its lesson; nothing that the submission does makes this raise.

        Raises:
            CannotStart: this machine cannot run a submission on these terms.
            CourseFault: the lesson's own solutions fail.
        """
        variant = variant_of(class_seed, submission)
        seeds = self.inputs(submission.lesson, class_seed, variant)
        began, used = time.monotonic(), time.process_time()
        remarks, marks, cpu_seconds = self.marks(submission, seeds)
        refused = next((mark.message for mark in marks if mark.status == "unreadable"), "")
        return Result(
            **submission.identity(),
            status="unreadable" if refused else "graded",
            reason=refused,
            marks=marks,
            notes=submission.notes,
            remarks=remarks,
            seed=seeds[0],
            class_seed=class_seed,
            protections=dict.fromkeys(self.terms.protections, ""),
            versions=versions(self.course),
            limits=asdict(self.terms.limits),
            seconds=round(time.monotonic() - began, 3),
            cpu_seconds=round(cpu_seconds + time.process_time() - used, 3),
        )

    def marks(self, submission: Submission, seeds: Seeds) -> tuple[tuple[str, ...], tuple[Mark, ...], float]:
        """Remarks on a notebook, a mark for each exercise, and the processor seconds of its processes."""
        lesson, ours = self.lesson(submission.lesson)
        planned = plan(submission.cells, ours)
        if planned.newer:
            return (), tuple(_unreadable(lesson, ours, planned.newer)), 0.0
        session = Session(self.warm(lesson), self.terms, planned, submission.modules, lesson.reads)
        try:
            marks = tuple(Marking(lesson, ours, planned, session, seeds, submission.too_large).marks())
        finally:
            session.close()
        return (*planned.remarks, *_remarks(session.left_out)), marks, session.cpu_seconds

    def lesson(self, stem: str) -> tuple[Lesson, Template]:
        """A lesson's checks, and the code around its exercises."""
        if stem not in self._read:
            lesson = self.course.lesson(stem)
            self._read[stem] = lesson, template(lesson)
        return self._read[stem]

    def warm(self, lesson: Lesson) -> Forkserver:
        """The warm parent, with what the course's lessons import of ours, and this one of others.

        Raises:
            CannotStart: a process that comes from it could read what is secret.
        """
        if self._warm is None:
            self._warm = Forkserver([*private(self.course), *map(Path, self.terms.hidden)])
        self._warm.warm(
            own_modules(self.course) | set(imported_modules(code_cells(lesson.notebook))), foundations(lesson)
        )
        if not self._looked:
            require_walls(self._warm, self.terms, self.course)
            self._looked = True
        return self._warm

    def inputs(self, stem: str, class_seed: int, variant: int) -> Seeds:
        """The two seeds on which a variant of the inputs is drawn; the lesson's own solutions are right on them.

        A check that is wrong for one draw in a thousand would cost somebody in a large class a mark. So nobody is
        judged on inputs before our own solutions were, which also leaves their compiled programs in the cache for
        everybody. Nothing else is ever written there. If several judges ask, one does it and the others wait.

        Raises:
            CourseFault: the solutions are not right on any draw.
        """
        # Not in the cache, which students can read: they could learn all seeds, and hold the lock.
        folder = Path(f"{self.terms.cache}-inputs")
        for path in (folder, Path(self.terms.cache)):
            path.mkdir(parents=True, exist_ok=True)
        proof = folder / f"{stem}-{class_seed}-{variant}.json"
        with (folder / f"{stem}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not proof.exists():
                atomic_write(proof, json.dumps(self._proven(stem, class_seed, variant)))
        first, second = json.loads(proof.read_text(encoding="utf-8"))
        return first, second

    def _proven(self, stem: str, class_seed: int, variant: int) -> Seeds:
        lesson, _ = self.lesson(stem)
        solved = Submission("", "", stem, "", cells=code_cells(lesson.notebook))
        filling = replace(self, terms=replace(self.terms, fill=True, protections=()))
        first = next(iter(lesson.texts[stem].was), stem)  # by another name, a lesson draws what it drew
        failed: list[Mark] = []
        for attempt in range(_DRAWS):
            seeds = seeds_from(f"{class_seed}/{first}/{variant}/{attempt}")
            _, marks, _ = filling.marks(solved, seeds)
            self._warm = filling._warm
            failed = [mark for mark in marks if mark.status not in ("passed", "stumbled")]
            if not failed:
                return seeds
        names = ", ".join(f"{mark.exercise} ({mark.status}: {mark.message})" for mark in failed)
        raise CourseFault(f"lesson {stem}: its own solutions fail on {_DRAWS} draws of inputs: {names}.")

    def close(self) -> None:
        """End the warm parent."""
        if self._warm:
            self._warm.close()
            self._warm = None


# -- one notebook -------------------------------------------------------------------------------------------------


@dataclass
class Marking:
    """Runs a notebook as it stands, and judges each answer on the way, where it is asked.

    When the process dies, what killed it is left out, and the notebook is run again in a new one for those that are
    left. An answer that is not right where it is asked, and could be another one further below, is judged once more at
    the notebook's end. There, what raised is run again: people run cells out of order.

    Attributes:
        lesson: whose checks decide.
        template: what the lesson asks.
        plan: what is run.
        session: in which processes.
        seeds: of the inputs.
        too_large: the student's own modules for which there was no room.
    """

    lesson: Lesson
    template: Template
    plan: Plan
    session: Session
    seeds: Seeds
    too_large: Collection[str] = ()
    _found: dict[str, Mark] = field(default_factory=dict)
    _again: dict[str, Mark] = field(default_factory=dict)
    _lost: dict[int, ProcessGone] = field(default_factory=dict)

    def marks(self) -> list[Mark]:
        """A mark for each exercise, in the lesson's order."""
        asked = sorted(self.lesson.exercises, key=lambda name: self.plan.stops[name])
        while len(self._found) < len(asked) or self._doubtful():
            try:
                self._pass(asked)
            except _OutOfTime as over:
                for name in asked:
                    self._found.setdefault(name, _mark_gone(self.lesson.exercises[name], over.gone))
                break
            except ProcessGone:
                continue
        return [self._with_details(self._better(name)) for name in self.lesson.exercises]

    def _pass(self, asked: Sequence[str]) -> None:
        """One pass through the notebook.

        Raises:
            ProcessGone: the process died; what did it is noted.
        """
        try:
            process = self.session.fresh_process()
        except ProcessGone as gone:
            raise _OutOfTime(gone) from None
        one = _Pass(self.plan, process, self._lost)
        try:
            for name in (name for name in asked if name not in self._found):
                one.run_to(self.plan.stops[name])
                self._note(self._found, name, one)
            if self._doubtful():
                one.run_to(len(self.plan.pieces))
                one.run_again()
                for name in self._doubtful():
                    self._note(self._again, name, one)
        finally:
            self.session.end(process)

    def _note(self, marks: dict[str, Mark], name: str, one: _Pass) -> None:
        """Judge an exercise and keep its mark, whatever happens."""
        exercise = self.lesson.exercises[name]
        try:
            marks[name] = self._mark_of(exercise, one)
        except ProcessGone as gone:
            marks[name] = _mark_gone(exercise, gone)
            raise
        except CannotStart:
            raise
        except Exception as error:  # what came back was so odd that the judge failed on it: nobody else should suffer
            text = f"The grader could not make sense of what came back ({type(error).__name__}: {str(error)[:300]})."
            marks[name] = _plain(exercise, "stumbled", "grader-stumbled", text)
            raise ProcessGone("crashed", "") from error
        one.process.request("defined", variable=exercise.variable)  # what it left in the line is no other one's fault

    def _doubtful(self) -> list[str]:
        """The exercises that were judged, and could be judged otherwise at the notebook's end."""
        return [name for name in self._found if name not in self._again and self._is_doubtful(name)]

    def _is_doubtful(self, name: str) -> bool:
        mark, stop = self._found[name], self.plan.stops[name]
        changed = any(number >= stop for number in self.plan.behind[name])
        return mark.status in _NOT_THERE or bool(mark.lacks) or (mark.status == "wrong" and changed)

    def _better(self, name: str) -> Mark:
        """The mark where an exercise was asked, unless that at the notebook's end is better."""
        first, last = self._found[name], self._again.get(name)
        if last and (last.status == "passed" or first.lacks or first.status in ("missing", "not_attempted")):
            first = last
        absent = self.plan.absent[name]
        unread = first.status == "missing" or (first.status == "not_attempted" and absent.status == "error")
        return replace(first, status=absent.status, label=absent.label, message=absent.message) if unread else first

    # -- one exercise -----------------------------------------------------------------------------------------

    def _mark_of(self, exercise: Exercise, one: _Pass) -> Mark:
        behind = self.plan.behind[exercise.name]
        if here := self._as_here(exercise, one.process):
            mark = self._of_verdict(here, ProcessChannel(one.process, here.variable))
            mark = replace(mark, exercise=exercise.name)
        else:
            mark = _mark_undefined(exercise, one.raised_in({self.plan.pieces[number].cell for number in behind}))
        if mark.status in ("error", "missing") and (lacks := self._lacks(mark, one, behind)):
            label, text = in_words(lacks, self.too_large)
            mark = replace(_plain(exercise, "stumbled", label, text), lacks=lacks)
        lost = [gone for number, gone in self._lost.items() if number in behind]
        return _mark_gone(exercise, lost[0]) if lost and mark.status in _NOT_THERE else mark

    def _as_here(self, exercise: Exercise, process: Process) -> Exercise | None:
        """An exercise as the notebook calls it, which may be of before; None if its answer is not there."""
        named = (replace(exercise, name=name) for name in self.plan.called[exercise.name])
        there = (one for one in named if process.request("defined", variable=one.variable).get("defined") is True)
        return next(there, None)

    def _lacks(self, mark: Mark, one: _Pass, behind: Collection[int]) -> tuple[str, ...]:
        """The modules without which an answer is what it is: it, or what makes it, has not found them."""
        messages = [mark.message] if mark.label == NOT_FOUND else []
        messages += [raised.message for raised in one.raised_by(behind) if raised.kind == NOT_FOUND]
        return lacking_modules(messages, self.too_large)

    def _of_verdict(self, exercise: Exercise, channel: ProcessChannel) -> Mark:
        verdict, notes = self._verdict(exercise, channel)
        assert verdict.status != "handed_in"  # the check is here, or the lesson is refused
        status: Status = verdict.status
        if status == "error" and verdict.label in _OUT_OF_MEMORY and _is_memory(verdict):
            status = "memory"
        return Mark(
            exercise=exercise.name,
            title="",
            status=status,
            label=verdict.label,
            message=verdict.message,
            called=verdict.called,
            returned=verdict.returned,
            printed=verdict.printed,
            printed_total=verdict.printed_total,
            points=exercise.points if status == "passed" else 0.0,
            evidence=self._evidence_of(channel) if status == "passed" else "",
            notes=tuple(notes),
            section=verdict.see,
        )

    def _evidence_of(self, channel: ProcessChannel) -> Evidence:
        """How far the evidence goes; what an answer does while that is looked at cannot make it a wrong one."""
        try:
            return examine(channel, self.session.clean)
        except ProcessGone:
            return "reported"

    def _verdict(self, exercise: Exercise, channel: ProcessChannel) -> tuple[Verdict, list[str]]:
        """The verdict on two draws of inputs, the first that is not `passed`: an answer must not be right only once."""
        first = judge(exercise, channel, self.seeds[0])
        if first.status != "passed":
            return first, []
        second = judge(exercise, channel, self.seeds[1])
        odd = [] if second.status == "passed" else ["right on the first inputs, but not on the second"]
        return second, odd

    def _with_details(self, mark: Mark) -> Mark:
        """The mark with what the lesson and the plan know: title, paragraph, code, points that could be earned."""
        exercise = self.lesson.exercises[mark.exercise]
        heading, address = self.lesson.again(mark.exercise, mark.section or exercise.see)
        return replace(
            mark,
            title=self.template.exercises[mark.exercise].title,
            section=heading,
            address=address,
            out_of=0.0 if mark.label == "check-stumbled" else float(exercise.points),  # where we stumble, it is open
            notes=(*self.plan.notes.get(mark.exercise, ()), *mark.notes),
            code=_listing(self.plan.code(mark.exercise)),
        )


def _mark_undefined(exercise: Exercise, raised: Raised | None) -> Mark:
    """The mark when the code was run and the answer is not there: an exception may be why."""
    if raised is None:
        return _plain(exercise, "missing", "missing-name", "")
    where = f" in {quoted(raised.line)}" if raised.line else ""
    text = (
        f"Your code raised {literal(f'{raised.kind}: {raised.message[:300]}')}{where}, before the answer was defined."
    )
    return _plain(exercise, "error", raised.kind, text)


def _mark_gone(exercise: Exercise, gone: ProcessGone) -> Mark:
    return _plain(exercise, _HOW[gone.how], gone.how, f"{_ENDED[gone.how]} {gone.message}")


def _plain(exercise: Exercise, status: Status, label: str, message: str) -> Mark:
    return Mark(exercise.name, "", status, label, message, section=exercise.see)


class _OutOfTime(Exception):
    """No process could be begun any more."""

    def __init__(self, gone: ProcessGone) -> None:
        super().__init__(gone.message)
        self.gone = gone


@dataclass
class _Pass:
    """A notebook that is being run in one process.

    Attributes:
        plan: what is run.
        process: where.
        lost: the statements that killed a process, and how it ended: they are not run again.
    """

    plan: Plan
    process: Process
    lost: dict[int, ProcessGone]
    _done: int = 0
    _raised: dict[int, Raised] = field(default_factory=dict)
    _skipped: list[int] = field(default_factory=list)

    def run_to(self, stop: int) -> None:
        """Run on; what stands below a statement that raised, in the same cell, is not run, as in a notebook."""
        cut = {self.plan.pieces[number].cell for number in self._raised}
        for number in range(self._done, stop):
            if self.plan.pieces[number].cell in cut:
                self._skipped.append(number)
            elif self._run(number):
                cut.add(self.plan.pieces[number].cell)
        self._done = max(self._done, stop)

    def run_again(self) -> None:
        """Run once more what raised, and what was not run because of that."""
        for number in sorted([*self._raised, *self._skipped]):
            self._run(number)

    def raised_in(self, cells: Collection[int]) -> Raised | None:
        """What was raised first in some cells."""
        return next((raised for i, raised in self._raised.items() if self.plan.pieces[i].cell in cells), None)

    def raised_by(self, numbers: Collection[int]) -> list[Raised]:
        """What some statements raised."""
        return [raised for i, raised in self._raised.items() if i in numbers]

    def _run(self, number: int) -> Raised | None:
        piece = self.plan.pieces[number]
        if number in self.lost or not piece.source:
            return None
        try:
            raised = run(self.process, piece)
        except ProcessGone as gone:
            self.lost[number] = gone
            raise
        if raised:
            self._raised.setdefault(number, raised)
        return raised


def _listing(pieces: Sequence[Piece]) -> str:
    """Statements as they are shown; each cell is named where there are several."""
    several, cell, parts = len({piece.cell for piece in pieces}) > 1, -2, list[str]()
    for piece in pieces:
        if several and piece.cell != cell:
            parts.append(f"# code cell {piece.cell + 1}")
        parts.append(piece.source)
        cell = piece.cell
    return "\n\n".join(parts).replace("\n\n\n", "\n\n")


def _unreadable(lesson: Lesson, template: Template, why: str) -> Iterator[Mark]:
    """The marks of a notebook that is refused before anything of it is run."""
    for name, exercise in lesson.exercises.items():
        title = template.exercises[name].title
        yield Mark(name, title, "unreadable", "unreadable", why, out_of=float(exercise.points))


def _is_memory(verdict: Verdict) -> bool:
    return "MemoryError" in verdict.label or "RESOURCE_EXHAUSTED" in verdict.message


# -- which inputs -----------------------------------------------------------------------------------------------


def variant_of(class_seed: int, submission: Submission) -> int:
    """Which variant of the inputs a student gets: it follows from the class seed, so that a grade can be reproduced.

    Example:
        >>> ada = Submission("ada", "Ada", "10_memory_layout", "")
        >>> variant_of(7, ada) == variant_of(7, ada), variant_of(7, ada) < VARIANTS
        (True, True)
    """
    return seeds_from(f"{class_seed}/{submission.student}")[0] % VARIANTS


def seeds_from(text: str) -> Seeds:
    """Two seeds that follow from a text."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:6]), int.from_bytes(digest[6:12])
