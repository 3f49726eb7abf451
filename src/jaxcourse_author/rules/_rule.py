"""What a rule is, and what it is applied to: a course, or one lesson with its checks."""

from __future__ import annotations

import ast
import traceback
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import jax
import numpy as np

from jaxcourse.checks import mistakes_of
from jaxcourse.course import ANSWERS, CHECKS, Course, Lesson, LessonText, check_files, collect, with_answers
from jaxcourse.exercise import Exercise, Verdict, Wrong, judge, one_for_each_label
from jaxcourse.probe import Answer, declared, is_ours, local_channel
from jaxcourse_author._transcript import Transcript
from jaxcourse_author.chosen import choose
from jaxcourse_author.concepts import Road, road_of
from jaxcourse_author.lesson import LessonError, LessonSource, Task, notebooks, read_lesson, unwritten, without_magics


@dataclass(frozen=True)
class Refusal:
    """A broken rule: where, what, and how to mend it."""

    file: str
    problem: str
    repair: str = ""

    def __str__(self) -> str:
        return f"{self.file}: {self.problem}" + (f"\n    {self.repair}" if self.repair else "")


class Stumbled(Exception):
    """Raised where a check, and not an answer, raised: nothing that is said of its exercise until it is mended counts.

    Attributes:
        name: the exercise's.
        refusal: says where and over what.
    """

    def __init__(self, name: str, refusal: Refusal) -> None:
        super().__init__(str(refusal))
        self.name, self.refusal = name, refusal


STUMBLED = "check-stumbled"
"""The label of a verdict that is the check's own fault."""

SEEDS = 6
"""On how many draws of its inputs a solution is judged. More find what is right nearly always: `--seeds 200`."""


Matrices = dict[tuple[str, str], set[tuple[int, ...]]]


@dataclass
class Pair:
    """A lesson and its checks.

    Attributes:
        course: to which they belong.
        source: the lesson.
        checks: its checks.
        seeds: on how many draws of its inputs a solution is judged.
        heard: see `Contract`.
        everything: see `Contract`.
        matrices: by exercise and argument, the rows and columns of each array of two or more axes that its solution
            has been asked with.
        transcripts: by exercise, what was asked on the first draw of the wrong answer of which most is said.
        unfinished: what is still to be written, in a line for each exercise and one for the lesson itself. Of an
            exercise that is not written yet nothing else is known here.
    """

    course: Course
    source: LessonSource
    checks: Lesson
    seeds: int = SEEDS
    heard: Callable[[], None] = lambda: None
    everything: bool = True
    matrices: Matrices = field(default_factory=lambda: defaultdict(set), repr=False)
    transcripts: dict[str, tuple[Transcript, Verdict]] = field(default_factory=dict, repr=False)
    unfinished: list[Refusal] = field(default_factory=list, repr=False)
    _verdicts: dict[tuple[str, int, int], tuple[Any, Verdict]] = field(default_factory=dict, repr=False)
    _own: dict[str, list[Wrong]] = field(default_factory=dict, repr=False)

    @property
    def md(self) -> str:
        """The lesson's file, as refusals name it."""
        return f"notebooks/{self.source.stem}.md"

    def check_file(self, name: str) -> str:
        """The file of an exercise's check, as refusals name it."""
        return f"{CHECKS}/{self.source.stem}/{_variable(name)}.py"

    def answer_file(self, name: str) -> str:
        """The file of the listed answers to an exercise, as refusals name it."""
        return f"{ANSWERS}/{self.source.stem}/{_variable(name)}.py"

    @cached_property
    def names(self) -> dict[str, Any]:
        """What the lesson's set-up cells define."""
        return self._run([cell.source for cell in self.source.cells if cell.role == "setup"], {}, "tagged `setup`")

    @cached_property
    def solutions(self) -> dict[str, Any]:
        """The solutions of the exercises that both files know, by name."""
        return {exercise.name: self.answer(task.solution, exercise.variable) for exercise, task in self.exercises()}

    def answer(self, code: str, variable: str) -> Any:
        """What a cell's code binds to an exercise's variable, run after the set-up cells."""
        return self._run([code], self.names, f"of `{variable}`").get(variable, ...)

    def _run(self, sources: list[str], names: dict[str, Any], which: str) -> dict[str, Any]:
        names = {"__name__": "lesson", **names}
        for source in sources:
            try:
                with self.source.beside():
                    exec(compile(source, "<lesson>", "exec"), names)
            except Exception as error:
                raise LessonError(self.source.path, f"a cell {which} raises {error!r}: mend it.") from error
        return names

    def exercises(self) -> Iterator[tuple[Exercise, Task]]:
        """The exercises that both files know."""
        for name, task in self.source.tasks.items():
            if name in self.checks.exercises:
                yield self.checks.exercises[name], task

    def leave_out(self, name: str) -> None:
        """Know nothing more of an exercise."""
        self.checks = self.checks.without(name)
        self.source = replace(self.source, cells=tuple(one for one in self.source.cells if one.exercise != name))
        vars(self).get("solutions", {}).pop(name, None)

    def wrong_answers(self, name: str) -> list[Wrong]:
        """The wrong answers to an exercise: the listed ones, and those of its mistakes that list themselves."""
        return [*(one for one in self.listed_wrongs() if one.exercise == name), *self.own_mistakes(name)]

    def listed_wrongs(self) -> list[Wrong]:
        """The listed wrong answers that are judged: all of them, or the first one of each label of an exercise."""
        return list(self.checks.wrongs) if self.everything else one_for_each_label(self.checks.wrongs)

    def own_mistakes(self, name: str) -> list[Wrong]:
        """The mistakes that a check knows and that, given as answers, get their own label.

        Where not everything is asked, those whose label no listed answer has, and one for each.
        """
        if name not in self._own:
            exercise = self.checks.exercises[name]
            found, reached = list[Wrong](), {one.label for one in self.listed_wrongs() if one.exercise == name}
            for label, mistake in mistakes_of(exercise):
                if not self.everything and label in reached:
                    continue
                if all(self._reaches(exercise, mistake, label, seed) for seed in self.draws()):
                    found.append(Wrong(name, label, mistake))
                    reached.add(label)
            self._own[name] = found
        return self._own[name]

    def _reaches(self, exercise: Exercise, mistake: Any, label: str, seed: int) -> bool:
        try:
            return self.verdict(exercise, mistake, seed).label == label
        except Stumbled:  # it is no answer to this exercise, but a part of its check
            return False

    def draws(self, least: int = 1) -> range:
        """The seeds on which a listed answer is judged: few, since JAX compiles anew for most answers."""
        return range(min(max(least, self.seeds // SEEDS), self.seeds))

    def verdict(self, exercise: Exercise, answer: Any, seed: int = 0) -> Verdict:
        """The verdict on an answer; several rules ask for it, and it is made once.

        Raises:
            Stumbled: the check itself raised.
        """
        key = exercise.name, id(answer), seed
        if key not in self._verdicts:
            self.heard()
            transcript = Transcript(local_channel(answer))
            verdict = judge(exercise, transcript, seed)
            if verdict.label == STUMBLED:
                raise self.stumbled(exercise, answer, seed)
            self._verdicts[key] = answer, verdict
            if answer is self.solutions.get(exercise.name):
                self._note_matrices(exercise.name, transcript)
            if seed == 0 and verdict.status in ("wrong", "error"):
                longest = self.transcripts.get(exercise.name, (transcript, verdict))
                self.transcripts[exercise.name] = max(
                    longest, (transcript, verdict), key=lambda kept: len(kept[1].message)
                )
        return self._verdicts[key][1]

    def stumbled(self, exercise: Exercise, answer: Any, seed: int = 0) -> Stumbled:
        """What to raise where a check stumbled over an answer: it is asked again, for the line."""
        error: Exception | None = None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                asked = Answer(exercise.variable, local_channel(answer), exercise.may_change_input)
                exercise.check(asked, np.random.default_rng(seed))
        except Exception as raised:
            error = raised
        what = "the solution" if answer is self.solutions.get(exercise.name) else f"the answer `{_brief(answer)}`"
        return self.stumble(exercise.name, f"the check stumbles over {what}", error)

    def stumble(self, name: str, problem: str, error: Exception | None) -> Stumbled:
        """What to raise where something that belongs to a check raised."""
        place = error and _raised_at(error, self.course.root)
        file = f"{place[0].relative_to(self.course.root)}:{place[1]}" if place else self.check_file(name)
        raised = f": {type(error).__name__}: {error}" if error else ", and not each time"
        return Stumbled(name, Refusal(file, f"{problem}{raised}", f"Mend it: until then nothing is said of {name!r}."))

    def _note_matrices(self, exercise: str, transcript: Transcript) -> None:
        for question, place, value in transcript.arguments():
            if is_ours(question) and declared(question).evidence == "process":
                continue  # it counts steps, or looks at memory: its inputs grow along one axis
            arrays = (leaf for leaf in jax.tree.leaves(value) if isinstance(leaf, (np.ndarray, jax.Array)))
            self.matrices[exercise, place] |= {array.shape[-2:] for array in arrays if array.ndim > 1}


class Contract:
    """What the rules are applied to.

    Args:
        root: the folder of the course.
        only: lessons, or single exercises of them, as `choose` reads them; all lessons if empty.
        seeds: on how many draws of its inputs a solution is judged.
        heard: called before each verdict that is made, for whoever wants to know how far it is, or to end it.
        everything: whether all listed answers are judged, or of the wrong ones one for each label of an exercise.

    Raises:
        ValueError: there is no such lesson or exercise, or no draw.
    """

    def __init__(
        self,
        root: Path,
        only: tuple[str, ...] = (),
        seeds: int = SEEDS,
        heard: Callable[[], None] = lambda: None,
        everything: bool = True,
    ) -> None:
        if seeds < 1:
            raise ValueError(f"{seeds} draws prove nothing: 1 is the least.")
        self.course = Course(root)
        self.only = choose(self.course, only)
        self.seeds = seeds
        self.heard = heard
        self.everything = everything

    @cached_property
    def road(self) -> Road:
        """All lessons, section by section, with what each explains and uses."""
        return road_of(self.course)

    @cached_property
    def pairs(self) -> list[Pair]:
        """The lessons that have checks, with their checks, or with those that were asked for."""
        paths = [path for path in self.course.lesson_paths if not self.only or path.stem in self.only]
        return [
            _pair(self, path, self.only.get(path.stem, frozenset()))
            for path in paths
            if check_files(self.course.root, path.stem)
        ]


Check = Callable[[Any], Iterator[Refusal]]


@dataclass(frozen=True)
class Rule:
    """A rule of the contract.

    Attributes:
        check: gives the refusals of a contract or of a pair.
        per: what it is applied to.
        slow: whether it runs whole notebooks, which takes minutes and not seconds.
        advice: whether what it finds is said, and no fault: a first version may lack it.
        ready: whether it asks what must be there before anything else can be asked.
    """

    check: Check
    per: Literal["course", "lesson"]
    slow: bool = False
    advice: bool = False
    ready: bool = False

    @property
    def name(self) -> str:
        """The rule's name."""
        return self.check.__name__

    @property
    def proves(self) -> str:
        """What holds if nothing is refused, as a clause: the first line of its docstring."""
        line = (self.check.__doc__ or "").partition("\n")[0].removesuffix(".")
        return line[:1].lower() + line[1:]

    def refusals(self, contract: Contract) -> Iterator[Refusal]:
        """What the rule refuses, or advises."""
        if self.per == "course":
            yield from self.check(contract)
            return
        for pair in contract.pairs:
            yield from self._refusals(pair)

    def _refusals(self, pair: Pair) -> Iterator[Refusal]:
        """What it refuses of a lesson: again and again without the exercises whose checks stumble, until none does."""
        said: list[Refusal] = []
        while True:
            before = set(said)
            try:
                with pair.source.beside():
                    for refusal in self.check(pair):
                        if refusal not in before:
                            said.append(refusal)
                            yield refusal
                return
            except Stumbled as found:
                pair.leave_out(found.name)
                yield found.refusal


RULES: list[Rule] = []
"""Every rule, in the order in which they are defined."""


def rule(
    *, per: Literal["course", "lesson"], slow: bool = False, advice: bool = False, ready: bool = False
) -> Callable[[Check], Check]:
    """Make a function a rule: it takes a `Contract` or a `Pair` and yields what it refuses.

    Args:
        per: `course` for what holds between lessons, `lesson` for what holds in each.
        slow: see `Rule`.
        advice: see `Rule`.
        ready: see `Rule`.

    Raises:
        TypeError: its docstring does not say what it proves.
    """

    def declare(check: Check) -> Check:
        if not check.__doc__:
            raise TypeError(f"the rule `{check.__name__}` needs a docstring that says what it proves")
        RULES.append(Rule(check, per, slow, advice, ready))
        return check

    return declare


# -- reading a lesson and its checks ----------------------------------------------------------------------------


def _pair(contract: Contract, md: Path, wanted: frozenset[str]) -> Pair:
    """A lesson and its checks (of all exercises, or of those wanted), with what is right in its predictions."""
    course = contract.course
    source = _read_lesson(md, course)
    checks = _collect(course.root, source, {md.stem: notebooks.text(source, course)})

    def right(name: str) -> Any:
        if name not in source.tasks:
            return None  # a rule of its own says so
        try:
            return checks.solved_value(name)
        except Exception as error:
            problem = f"the solution of {name!r} raises {error!r}: write its value out, since nothing is imported."
            raise LessonError(md, problem) from error

    pair = Pair(course, source, checks.with_right_answers(right), contract.seeds, contract.heard, contract.everything)
    for one in unwritten(source, course.root):
        if not wanted or one.exercise in wanted:
            pair.unfinished.append(Refusal(one.place, one.next))
        if one.exercise:
            pair.leave_out(one.exercise)
    for name in [*pair.checks.exercises] if wanted else ():
        if name not in wanted:
            pair.leave_out(name)
    return pair


def _collect(root: Path, source: LessonSource, texts: dict[str, LessonText]) -> Lesson:
    """A lesson's checks with their listed answers.

    Raises:
        LessonError: running one of their files raises; which one is said.
    """
    try:
        return with_answers(collect(root, source.stem, texts))
    except Exception as error:
        path, line = _raised_at(error, root) or (root / CHECKS / source.stem, 0)
        problem = f"importing it raises {error!r}" + (f" in line {line}" if line else "")
        raise LessonError(path.relative_to(root), f"{problem}: mend it.") from error


def _raised_at(error: BaseException, root: Path) -> tuple[Path, int] | None:
    """The file of a course in whose code something was raised, and the line: the last one on the way there."""
    if isinstance(error, SyntaxError) and error.filename:
        return Path(error.filename), error.lineno or 0
    frames = [(Path(frame.filename), frame.lineno or 0) for frame in traceback.extract_tb(error.__traceback__)]
    ours = [one for one in frames if any(one[0].is_relative_to(root / folder) for folder in (CHECKS, ANSWERS))]
    return ours[-1] if ours else None


def _brief(answer: Any) -> str:
    """An answer in a few words."""
    text = getattr(answer, "__name__", None) or repr(answer)
    return text if len(text) <= 60 else text[:57] + "..."


def _variable(name: str) -> str:
    return name.replace("-", "_")


def _read_lesson(path: Path, course: Course) -> LessonSource:
    source = read_lesson(path, course)
    for cell in source.cells:
        try:
            ast.parse(without_magics(cell.source) if cell.is_code else "")
        except SyntaxError as error:
            place = f"a cell that begins with {cell.source.splitlines()[0]!r}"
            raise LessonError(path, f"{place} is not Python: {error.msg}. Mend it.") from error
    return source
