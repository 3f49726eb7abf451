"""One submission's marks: run it in isolation, judge it here.

The checks, the expected values and the comparison stay in this process; the answers are in another one, behind
`ProcessChannel`. When that process dies, the piece of code or the exercise that killed it is left out, and the
rest goes on in a new process.

What is run for an exercise is a slice of the notebook. Where that does not pass, and the notebook holds more that could
matter, the notebook is run as it stands, in a fresh process behind the same walls, and if the answer passes there, that
counts.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from jaxcourse.course import Course, Lesson
from jaxcourse.exercise import Exercise, Verdict, judge
from jaxcourse.grade._records import Mark, Result, Status, Submission
from jaxcourse.grade._store import atomic_write
from jaxcourse.grade.isolation import CannotStart, Forkserver, Gone, Process, ProcessChannel, Terms, raised_from
from jaxcourse.grade.judging._course import code_cells, foundations, imported, own_modules, private, versions
from jaxcourse.grade.judging._evidence import Finding, examine
from jaxcourse.grade.judging._reads import read
from jaxcourse.grade.judging._walls import require_walls
from jaxcourse.grade.slicing import Piece, Plan, Standing, Template, as_it_stands, plan, template
from jaxcourse.probe import Raised

_HOW: dict[str, Status] = {
    "timeout": "timeout",
    "memory": "memory",
    "disk": "memory",
    "crashed": "crashed",
    "forged": "needs_review",
}
_ENDED = {
    "timeout": "It took too long.",
    "memory": "It used too much memory.",
    "disk": "It filled its folder.",
    "crashed": "It ended the process in which it ran.",
    "forged": "What came back was not written by the grader.",
}
Seeds = tuple[int, int]
VARIANTS = 8
"""How many draws of inputs a class has. Each is tried on our own solutions first, at the cost of some students."""
_DRAWS = 10
"""How many draws are tried before the course is to blame."""
_SECOND_LOOK: frozenset[Status] = frozenset({"wrong", "error", "missing", "not_attempted"})
"""What may have become of an answer because of how it was taken out of its notebook."""
_STANDING_SHARE = 0.5
"""How much of a notebook's seconds it may take to run it as it stands; they are its own."""
_STANDING_TRIES = 3
"""How often that is begun, each time without what has killed the process."""
_OUT_OF_MEMORY = {"MemoryError", "XlaRuntimeError", "JaxRuntimeError", "_ArrayMemoryError"}


class CourseFault(RuntimeError):
    """The course's own solutions do not pass: no student may be graded with it."""


class Session:
    """A student's answers, run in one process after the other.

    Attributes:
        lost: the pieces that killed a process, and how it ended: they are not run again.
        cpu_seconds: what all processes that have ended used.
        given: the statements of the lesson's own, which are trusted.
    """

    def __init__(self, warm: Forkserver, terms: Terms, plan: Plan) -> None:
        self.warm, self.terms, self.plan = warm, terms, plan
        self.deadline = time.monotonic() + terms.limits.seconds
        self.lost: dict[int, Gone] = {}
        self.cpu_seconds = 0.0
        self.given = plan.trusted
        self._process: Process | None = None
        self._clean: Process | None = None

    def answer(self, exercise: str) -> tuple[Process, list[Raised]]:
        """A process in which everything that an exercise needs has been run, and what that raised.

        Raises:
            Gone: the process died, or no time is left.
        """
        process, raised = self._begun(), []
        for number in self.plan.needs[exercise]:
            if number in self.lost:
                raise self.lost[number]
            try:
                raised += _run(process, self.plan.pieces[number])
            except Gone as gone:
                self.lost[number] = gone
                raise
        return process, raised

    def _begun(self) -> Process:
        """A process with the names that the set-up left, and no others.

        What an earlier exercise left behind, such as a forged reply that nobody has read yet, is not this one's fault,
        and what had a door to the grader's own may have changed it.
        """
        if self._process and not self._process.ended and read(self._process.ran, self.given).reaches:
            self._process.end()
        process = self._ready()
        try:
            process.request("begin")
        except Gone:
            process = self._ready()
            process.request("begin")
        return process

    def _ready(self) -> Process:
        """A process in which the lesson's set-up has been run."""
        if self._process is None or self._process.ended:
            self.close()
            self._process = self._fork()
            for piece in self.plan.pieces[: self.plan.setup]:
                _run(self._process, piece)
        return self._process

    def clean(self) -> Process:
        """A process that has run the lesson's own set-up, which may ask for devices, and no line of the student's."""
        if self._clean is None or self._clean.ended:
            self._clean = self._fork()
            for piece in self.plan.pieces[: self.plan.setup]:
                _run(self._clean, piece)
        return self._clean

    def standing(self, deadline: float) -> Process:
        """A fresh process for a whole notebook, in which the lesson's set-up has been run."""
        process = self._fork(deadline)
        try:
            for piece in self.plan.pieces[: self.plan.setup]:
                _run(process, piece)
            process.request("begin", as_it_stands=True)
        except BaseException:
            self.end(process)
            raise
        return process

    def _fork(self, deadline: float | None = None) -> Process:
        until = self.deadline if deadline is None else deadline
        if time.monotonic() > until:
            raise Gone(
                "timeout", f"The {self.terms.limits.seconds:g} seconds of this notebook had already been used up."
            )
        return self.warm.fork(self.terms, until)

    def end(self, process: Process) -> None:
        """End a process, and count what it cost."""
        process.end()
        self.cpu_seconds += process.cpu_seconds

    def close(self) -> None:
        """End the processes that live."""
        for process in (self._process, self._clean):
            if process:
                self.end(process)
        self._process = self._clean = None


def _run(process: Process, piece: Piece) -> list[Raised]:
    reply = process.request("run", source=piece.source, filename=piece.filename, line=piece.line)
    found = raised_from(reply.get("raised"))
    return [found] if found else []


@dataclass
class Judge:
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
        return Result(
            **submission.identity(),
            status="graded",
            marks=marks,
            notes=(*submission.notes, *remarks),
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
        session = Session(self.warm(lesson), self.terms, planned)
        try:
            marks = tuple(_Marking(lesson, ours, submission.cells, planned, session, seeds).marks())
        finally:
            session.close()
        return planned.remarks, marks, session.cpu_seconds

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
        self._warm.warm(own_modules(self.course) | set(imported(code_cells(lesson.notebook))), foundations(lesson))
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
        failed: list[Mark] = []
        for attempt in range(_DRAWS):
            seeds = drawn(f"{class_seed}/{stem}/{variant}/{attempt}")
            _, marks, _ = filling.marks(solved, seeds)
            self._warm = filling._warm
            failed = [mark for mark in marks if mark.status != "passed"]
            if not failed:
                return seeds
        names = ", ".join(f"{mark.exercise} ({mark.status}: {mark.message})" for mark in failed)
        raise CourseFault(f"lesson {stem}: its own solutions fail on {_DRAWS} draws of inputs: {names}.")

    def close(self) -> None:
        """End the warm parent."""
        if self._warm:
            self._warm.close()
            self._warm = None


# -- one exercise after the other ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Marking:
    """What is needed to mark one submission."""

    lesson: Lesson
    template: Template
    cells: Sequence[str]
    plan: Plan
    session: Session
    seeds: Seeds

    def marks(self) -> Iterator[Mark]:
        found = {name: replace(self._mark(name), code=self._code(name)) for name in self.lesson.exercises}
        found |= self._as_it_stands(found)
        yield from (self._dressed(mark) for mark in found.values())

    def _mark(self, name: str) -> Mark:
        exercise = self.lesson.exercises[name]
        if name in self.plan.absent:
            absent = self.plan.absent[name]
            return self._plain(exercise, absent.status, absent.label, absent.message)
        try:
            return self._judged(exercise, *self.session.answer(name))
        except Gone as gone:
            label = "forged-reply" if gone.how == "forged" else gone.how
            return self._plain(exercise, _HOW[gone.how], label, f"{_ENDED[gone.how]} {gone.message}")
        except CannotStart:
            raise
        except Exception as error:  # what came back was so odd that the judge failed on it: nobody else should suffer
            self.session.close()
            text = f"The grader could not make sense of what came back ({type(error).__name__}: {str(error)[:300]})."
            return self._plain(exercise, "needs_review", "judge-stumbled", text)

    def _code(self, name: str) -> str:
        """The code that is run for an exercise, without the set-up."""
        return _written(self.plan.code(name)[self.plan.setup :]) if name in self.plan.needs else ""

    def _as_it_stands(self, found: Mapping[str, Mark]) -> Iterator[tuple[str, Mark]]:
        """The marks that are better where the notebook is run as it stands."""
        doubtful = {name for name, mark in found.items() if mark.status in _SECOND_LOOK}
        if not doubtful:
            return
        whole = as_it_stands(self.cells, self.template)
        run = _Standing(self, whole, sorted(doubtful & whole.different, key=lambda name: whole.stops[name]))
        for name, mark in run.marks():
            if mark.status in ("passed", "needs_review"):
                said = f"{found[name].status}: {found[name].label}" if found[name].label else found[name].status
                notes = (_DIFFER.format(said=said), *mark.notes)
                yield name, replace(mark, notes=notes, code=_written(whole.code(name)))

    def _judged(self, exercise: Exercise, process: Process, raised: list[Raised]) -> Mark:
        if process.request("defined", variable=exercise.variable).get("defined") is not True:
            return self._undefined(exercise, raised)
        channel = ProcessChannel(process, exercise.variable)
        verdict, notes = self._verdict(exercise, channel)
        status: Status = verdict.status
        if status == "error" and verdict.label in _OUT_OF_MEMORY and _is_memory(verdict):
            status = "memory"
        finding = self._examined(channel) if status == "passed" else None
        doubts = finding.doubts if finding else ()
        if finding and finding.unknown:
            notes = [*notes, _UNREAD.format(", ".join(f"`{text}`" for text in finding.unknown))]
        if doubts:
            status, notes = "needs_review", [*notes, *doubts]
        return Mark(
            exercise=exercise.name,
            title="",
            status=status,
            label="does-not-add-up" if doubts else verdict.label,
            message=_DOUBTED if doubts else verdict.message,
            called=verdict.called,
            returned=verdict.returned,
            printed=verdict.printed,
            printed_total=verdict.printed_total,
            points=exercise.points if status == "passed" else 0.0,
            evidence=finding.strength if finding else "values",
            notes=tuple(notes),
            section=verdict.see,
        )

    def _examined(self, channel: ProcessChannel) -> Finding:
        """The evidence for an answer that passed: what it does while that is gathered cannot make it a wrong one."""
        try:
            return examine(channel, self.session.clean, self.session.given)
        except Gone as gone:
            if gone.how == "forged":
                raise
            return Finding("values", (f"its evidence could not be examined: {_ENDED[gone.how]} {gone.message}",))

    def _verdict(self, exercise: Exercise, channel: ProcessChannel) -> tuple[Verdict, list[str]]:
        """The verdict on two draws of inputs, the first that is not `passed`: an answer must not be right only once."""
        first = judge(exercise, channel, self.seeds[0])
        if first.status != "passed":
            return first, []
        second = judge(exercise, channel, self.seeds[1])
        odd = [] if second.status == "passed" else ["right on the first inputs, but not on the second"]
        return second, odd

    def _undefined(self, exercise: Exercise, raised: list[Raised]) -> Mark:
        """The mark when the code was run and the answer is not there: the first exception is why."""
        for found in raised[:1]:
            where = f" in `{found.line}`" if found.line else ""
            text = f"Your code raised {found.kind}: {found.message[:300]}{where}, before the answer was defined."
            return self._plain(exercise, "error", found.kind, text)
        text = f"Nothing in the notebook defines `{exercise.variable}` when it is run from top to bottom."
        return self._plain(exercise, "missing", "missing-name", text)

    def _plain(self, exercise: Exercise, status: Status, label: str, message: str) -> Mark:
        return Mark(exercise.name, "", status, label, message, section=exercise.see)

    def _dressed(self, mark: Mark) -> Mark:
        """The mark with what the lesson and the plan know: title, paragraph, code, points that could be earned."""
        exercise = self.lesson.exercises[mark.exercise]
        heading, address = self.lesson.section(mark.section or exercise.see)
        return replace(
            mark,
            title=self.template.exercises[mark.exercise].title,
            section=heading,
            address=address,
            out_of=float(exercise.points),
            notes=(*self.plan.notes.get(mark.exercise, ()), *mark.notes),
        )


_UNREAD = (
    "This point rests on what its own process said of itself, and the code has what the grader knows nothing about: {}."
)


@dataclass
class _Standing:
    """Runs a notebook as it stands, and judges answers on the way, each where it is checked last.

    Attributes:
        marking: judges.
        whole: the notebook.
        asked: the exercises, in the order in which they are checked.
    """

    marking: _Marking
    whole: Standing
    asked: Sequence[str]
    lost: set[int] = field(default_factory=set)
    cut: set[int] = field(default_factory=set)

    def marks(self) -> Iterator[tuple[str, Mark]]:
        """The marks of the exercises that could be judged."""
        left = list(self.asked)
        deadline = time.monotonic() + _STANDING_SHARE * self.marking.session.terms.limits.seconds
        for _ in range(_STANDING_TRIES if left else 0):
            try:
                process = self.marking.session.standing(deadline)
            except Gone:
                return
            try:
                yield from self._pass(process, left)
                return
            except Gone:
                continue
            finally:
                self.marking.session.end(process)

    def _pass(self, process: Process, left: list[str]) -> Iterator[tuple[str, Mark]]:
        """One pass through the notebook; what is judged, or kills the process, is taken out of `left`."""
        done, raised = 0, list[Raised]()
        self.cut.clear()
        while left:
            name = left[0]
            raised += self._run(process, done, self.whole.stops[name])
            done = self.whole.stops[name]
            left.pop(0)
            try:
                yield name, self.marking._judged(self.marking.lesson.exercises[name], process, raised)
            except CannotStart:
                raise
            except Exception:  # the judge stumbled on what came back: the verdict on the slice stays
                return

    def _run(self, process: Process, start: int, stop: int) -> Iterator[Raised]:
        """Run some pieces; what stands below one that raised, in the same cell, is not run, as in a notebook."""
        for number in range(start, stop):
            piece = self.whole.pieces[number]
            if number in self.lost or piece.cell in self.cut or not piece.source:
                continue
            try:
                raised = _run(process, piece)
            except Gone:
                self.lost.add(number)
                raise
            if raised:
                self.cut.add(piece.cell)
            yield from raised


def _written(pieces: Sequence[Piece]) -> str:
    """Statements as they are shown; each cell is named where there are several."""
    pieces = [piece for piece in pieces if piece.source]
    several, cell, parts = len({piece.cell for piece in pieces}) > 1, -2, list[str]()
    for piece in pieces:
        if several and piece.cell != cell:
            parts.append(f"# code cell {piece.cell + 1}")
        parts.append(piece.source)
        cell = piece.cell
    return "\n\n".join(parts).replace("\n\n\n", "\n\n")


_DIFFER = (
    "Taken out of the notebook with what it names, this answer was judged `{said}`. Where the notebook is run as it "
    "stands, from top to bottom, it passes, and that counts. The code below is all that was run there."
)

_DOUBTED = (
    "The answer passed, but facts about the process in which it ran do not add up. Your instructor will look at it."
)


def _is_memory(verdict: Verdict) -> bool:
    return "MemoryError" in verdict.label or "RESOURCE_EXHAUSTED" in verdict.message


# -- which inputs -----------------------------------------------------------------------------------------------


def variant_of(class_seed: int, submission: Submission) -> int:
    """Which variant of the inputs a student gets: it follows from the class seed, so that a grade can be reproduced.

    Example:
        >>> ada = Submission("ada", "Ada", "01_memory_layout", "")
        >>> variant_of(7, ada) == variant_of(7, ada), variant_of(7, ada) < VARIANTS
        (True, True)
    """
    return drawn(f"{class_seed}/{submission.student}")[0] % VARIANTS


def drawn(text: str) -> Seeds:
    """Two seeds that follow from a text."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:6]), int.from_bytes(digest[6:12])
