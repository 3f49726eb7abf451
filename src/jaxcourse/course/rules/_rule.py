"""What a rule is, and what it is applied to: a course, or one lesson with its checks."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import jax
import numpy as np

from jaxcourse.course import notebooks
from jaxcourse.course._course import Course
from jaxcourse.course._lessons import Lesson, asked_in, collect, nearest
from jaxcourse.course._tape import Tape
from jaxcourse.course.notebooks import LessonSource
from jaxcourse.exercise import Exercise, Verdict, judge
from jaxcourse.prediction import value_of
from jaxcourse.probe import declared, is_ours, local_channel


@dataclass(frozen=True)
class Refusal:
    """A broken rule: where, what, and how to mend it."""

    file: str
    problem: str
    repair: str

    def __str__(self) -> str:
        return f"{self.file}: {self.problem}\n    {self.repair}"


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
        matrices: by exercise and argument, the rows and columns of each array of two or more axes that its solution
            has been asked with.
        tapes: by exercise, what was asked on the first draw of the wrong answer of which most is said.
    """

    course: Course
    source: LessonSource
    checks: Lesson
    seeds: int = SEEDS
    matrices: Matrices = field(default_factory=lambda: defaultdict(set), repr=False)
    tapes: dict[str, tuple[Tape, Verdict]] = field(default_factory=dict, repr=False)
    _verdicts: dict[tuple[str, int, int], tuple[Any, Verdict]] = field(default_factory=dict, repr=False)

    @property
    def md(self) -> str:
        """The lesson's file, as refusals name it."""
        return f"notebooks/{self.source.stem}.md"

    @property
    def py(self) -> str:
        """The file of its checks, as refusals name it."""
        return f"exercises_tests/ex_{self.source.stem}.py"

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
                exec(compile(source, "<lesson>", "exec"), names)
            except Exception as error:
                raise notebooks.LessonError(self.source.path, f"a cell {which} raises {error!r}: mend it.") from error
        return names

    def exercises(self) -> Iterator[tuple[Exercise, notebooks.Task]]:
        """The exercises that both files know."""
        for name, task in self.source.tasks.items():
            if name in self.checks.exercises:
                yield self.checks.exercises[name], task

    def draws(self, least: int = 1) -> range:
        """The seeds on which a listed answer is judged: few, since JAX compiles anew for most answers."""
        return range(min(max(least, self.seeds // SEEDS), self.seeds))

    def verdict(self, exercise: Exercise, answer: Any, seed: int = 0) -> Verdict:
        """The verdict on an answer; several rules ask for it, and it is made once."""
        key = exercise.name, id(answer), seed
        if key not in self._verdicts:
            tape = Tape(local_channel(answer))
            verdict = judge(exercise, tape, seed)
            self._verdicts[key] = answer, verdict
            if answer is self.solutions.get(exercise.name):
                self._note_matrices(exercise.name, tape)
            if seed == 0 and verdict.status in ("wrong", "error"):
                longest = self.tapes.get(exercise.name, (tape, verdict))
                self.tapes[exercise.name] = max(longest, (tape, verdict), key=lambda kept: len(kept[1].message))
        return self._verdicts[key][1]

    def _note_matrices(self, exercise: str, tape: Tape) -> None:
        for question, place, value in tape.arguments():
            if is_ours(question) and declared(question).evidence == "process":
                continue  # it counts steps, or looks at memory: its inputs grow along one axis
            arrays = (leaf for leaf in jax.tree.leaves(value) if isinstance(leaf, (np.ndarray, jax.Array)))
            self.matrices[exercise, place] |= {array.shape[-2:] for array in arrays if array.ndim > 1}


class Contract:
    """What the rules are applied to.

    Args:
        root: the folder of the course.
        only: stems of lessons; all of them if empty.
        seeds: on how many draws of its inputs a solution is judged.

    Raises:
        ValueError: there is no lesson of that stem, or no draw.
    """

    def __init__(self, root: Path, only: tuple[str, ...] = (), seeds: int = SEEDS) -> None:
        if seeds < 1:
            raise ValueError(f"{seeds} draws prove nothing: 1 is the least.")
        self.course = Course(root)
        self.only = only
        self.seeds = seeds
        stems = [path.stem for path in self.course.lesson_paths]
        for stem in only:
            if stem not in stems:
                near = nearest(stem, stems)
                raise ValueError(f"there is no lesson {stem!r}." + (f" Did you mean {near!r}?" if near else ""))

    @cached_property
    def pairs(self) -> list[Pair]:
        """The lessons that have checks, with their checks."""
        paths = [path for path in self.course.lesson_paths if not self.only or path.stem in self.only]
        files = {path: self.course.root / "exercises_tests" / f"ex_{path.stem}.py" for path in paths}
        return [_pair(self.course, md, py, self.seeds) for md, py in files.items() if py.exists()]


Check = Callable[[Any], Iterator[Refusal]]


@dataclass(frozen=True)
class Rule:
    """A rule of the contract.

    Attributes:
        check: gives the refusals of a contract or of a pair.
        per: what it is applied to.
        slow: whether it runs whole notebooks, which takes minutes and not seconds.
    """

    check: Check
    per: Literal["course", "lesson"]
    slow: bool = False

    @property
    def name(self) -> str:
        """The rule's name."""
        return self.check.__name__

    @property
    def proves(self) -> str:
        """What holds if nothing is refused, in one line."""
        return (self.check.__doc__ or "").partition("\n")[0]

    def refusals(self, contract: Contract) -> Iterator[Refusal]:
        """What the rule refuses."""
        for subject in [contract] if self.per == "course" else contract.pairs:
            yield from self.check(subject)


RULES: list[Rule] = []
"""Every rule, in the order in which they are defined."""


def rule(*, per: Literal["course", "lesson"], slow: bool = False) -> Callable[[Check], Check]:
    """Make a function a rule: it takes a `Contract` or a `Pair` and yields what it refuses.

    Args:
        per: `course` for what holds between lessons, `lesson` for what holds in each.
        slow: see `Rule`.

    Raises:
        TypeError: its docstring does not say what it proves.
    """

    def declare(check: Check) -> Check:
        if not check.__doc__:
            raise TypeError(f"the rule `{check.__name__}` needs a docstring that says what it proves")
        RULES.append(Rule(check, per, slow))
        return check

    return declare


# -- reading a lesson and its checks ----------------------------------------------------------------------------


def without_magics(code: str) -> str:
    """A cell's code as Python alone."""
    return "\n".join(line for line in code.splitlines() if not line.lstrip().startswith(("%", "!")))


def _pair(course: Course, md: Path, py: Path, seeds: int) -> Pair:
    """A lesson and its checks, with what is right in its predictions taken from the lesson."""
    source, checks = _read(md, course), _collect(py)
    tasks = source.tasks

    def right(name: str) -> Any:
        if name not in tasks:
            return None  # a rule of its own says so
        try:
            return value_of(tasks[name].solution, name.replace("-", "_"))
        except Exception as error:
            problem = f"the solution of {name!r} raises {error!r}: write its value out, since nothing is imported."
            raise notebooks.LessonError(md, problem) from error

    return Pair(course, source, checks.bound(right), seeds)


def _collect(path: Path) -> Lesson:
    try:
        checks = collect(path)
    except Exception as error:
        raise notebooks.LessonError(path, f"importing it raises {error!r}: mend it.") from error
    if hidden := checks.exercises.keys() - set(asked_in(path.read_text(encoding="utf-8"))):
        name = min(hidden)
        problem = f'begin the check of {name!r} with `@exercise("{name}", ...)` or `... = prediction("{name}", ...)`.'
        raise notebooks.LessonError(path, problem)
    return checks


def _read(path: Path, course: Course) -> LessonSource:
    source = notebooks.read(path, course)
    for cell in source.cells:
        try:
            ast.parse(without_magics(cell.source) if cell.is_code else "")
        except SyntaxError as error:
            place = f"a cell that begins with {cell.source.splitlines()[0]!r}"
            raise notebooks.LessonError(path, f"{place} is not Python: {error.msg}. Mend it.") from error
    return source
