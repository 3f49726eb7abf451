"""A process that judges answers given as code, one after the other.

An answer may never end, or take the process with it. So it runs in a warm process of its own kind: that one is killed
when it is silent for too long, and the next answer gets a new one.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import linecache
import os
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from jaxcourse.coprocess import Coprocess, CoprocessEnded

MEMORY = 12 * 2**30
"""How many bytes a process may address, where that can be limited: a mutant of `2**n` asks for all there are."""

_CLEARED_AFTER = 200
"""After how many answers what JAX has compiled is thrown away."""


@dataclasses.dataclass(frozen=True)
class Judgement:
    """What came of an answer.

    Attributes:
        status: that of its verdict, or `broken` (its code raised before it was judged), or `ended` (it took too long,
            or its process died).
        label: that of its verdict, or the exception's name.
        message: what to say.
        seed: on which the verdict was made.
        seconds: how long it took.
    """

    status: str
    label: str = ""
    message: str = ""
    seed: int = 0
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether it passed on every seed."""
        return self.status == "passed"


class JudgingProcess:
    """A warm process that judges answers: a context manager.

    Args:
        root: the folder of the course.

    Example:
        >>> from jaxcourse.course import Course
        >>> course = Course.installed()
        >>> stem, (name, *_) = next(iter(course.exercises().items()))
        >>> with JudgingProcess(course.root) as judge:
        ...     judge(name, course.lesson(stem).solution(name)[0], [0], seconds=60).status
        'passed'
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._process = Coprocess("spawn", functools.partial(_begin, root))

    def __enter__(self) -> JudgingProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.close()

    def __call__(
        self, exercise: str, code: str, seeds: Sequence[int], seconds: float, *, until_passed: bool = False
    ) -> Judgement:
        """Judge an answer, for each seed in names of its own.

        Args:
            exercise: its name.
            code: a cell's code that defines the answer, run after the lesson's set-up cells.
            seeds: of the inputs, 1 at least.
            seconds: how long all of them may take before the process is killed.
            until_passed: whether the first seed on which it passes ends it; otherwise the first on which it does not.
        """
        self._process.start()
        begun = time.monotonic()
        found: Judgement
        try:
            found = self._process(_judge_seeds, self.root, exercise, code, tuple(seeds), until_passed, seconds=seconds)
        except CoprocessEnded as ended:
            found = Judgement("ended", "crashed", "It ended the process in which it ran.")
            if ended.silent:
                found = Judgement("ended", "too-long", f"It took longer than {seconds:g} s.")
        return dataclasses.replace(found, seconds=time.monotonic() - begun)

    def compare(self, exercise: str, one: str, other: str, seconds: float) -> str:
        """Where two answers differ, on inputs derived from those that the check asks: the smallest, in words.

        Args:
            exercise: its name.
            one: the code of a right answer.
            other: the code of another one.
            seconds: how long it may take.

        Returns:
            Nothing if no difference is found.
        """
        try:
            return str(self._process(_compare, self.root, exercise, one, other, seconds=seconds))
        except CoprocessEnded:
            return ""


# -- in the process ---------------------------------------------------------------------------------------------


def _begin(root: Path) -> None:
    """Import everything that judging needs before the clock runs, and let what answers do to a process stay in it."""
    if sys.platform != "win32":
        os.setsid()
    for stream in (1, 2):  # what an answer prints is nobody's
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    os.environ["NUMBA_BOUNDSCHECK"] = "1"
    _limit_memory()
    from jaxcourse import devices
    from jaxcourse_author import rules  # noqa: F401

    devices.simulate()  # the set-up of some lessons asks for several, and one of another lesson may come first
    _lessons(root)


def _limit_memory() -> None:
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _judge_seeds(root: Path, exercise: str, code: str, seeds: Sequence[int], until_passed: bool) -> Judgement:
    """The verdict of the first seed that ends it, or of the last one."""
    lessons, found = _lessons(root), Judgement("broken")
    for seed in seeds:
        found = lessons.judge_once(exercise, code, seed)
        if found.status == "broken" or found.passed == until_passed:
            break
    lessons.make_room()
    return found


def _compare(root: Path, exercise: str, one: str, other: str) -> str:
    """The smallest derived input on which two answers differ, in words."""
    return _lessons(root).smallest_difference(exercise, one, other)


@functools.cache
def _lessons(root: Path) -> _Lessons:
    return _Lessons(root)


class _Lessons:
    """The lessons of a course, read when they are needed."""

    def __init__(self, root: Path) -> None:
        from jaxcourse.course import Course

        self.root, self.pairs, self.answers = root, dict[str, Any](), 0
        self.stems = {name: stem for stem, names in Course(root).exercises().items() for name in names}

    def pair(self, exercise: str) -> Any:
        """The lesson that an exercise belongs to."""
        stem = self.stems[exercise]
        if stem not in self.pairs:
            from jaxcourse_author.rules import Contract

            (self.pairs[stem],) = Contract(self.root, (stem,)).pairs
        return self.pairs[stem]

    def judge_once(self, exercise: str, code: str, seed: int) -> Judgement:
        """The verdict on one seed, in names of its own."""
        from jaxcourse.exercise import judge
        from jaxcourse.probe import local_channel

        pair = self.pair(exercise)
        task = pair.checks.exercises[exercise]
        with pair.source.beside():
            try:
                names = _run([*_set_up(pair), code])
            except BaseException as error:  # SystemExit too
                return Judgement("broken", type(error).__name__, f"Its code raises: {error}"[:500])
            if task.variable not in names:
                return Judgement("broken", "missing-name", f"It does not define `{task.variable}`.")
            verdict = judge(task, local_channel(names[task.variable]), seed)
        return Judgement(verdict.status, verdict.label, verdict.message, seed)

    def smallest_difference(self, exercise: str, one: str, other: str) -> str:
        """The smallest derived input on which two answers differ, in words."""
        from jaxcourse_author._derived import difference

        pair = self.pair(exercise)
        task = pair.checks.exercises[exercise]
        with pair.source.beside():
            answers = [_run([*_set_up(pair), code])[task.variable] for code in (one, other)]
            return difference(task, *answers)

    def make_room(self) -> None:
        """After every so many answers, throw away what JAX has compiled for them."""
        import jax

        self.answers += 1
        if self.answers % _CLEARED_AFTER == 0:
            jax.clear_caches()


def _set_up(pair: Any) -> list[str]:
    return [cell.source for cell in pair.source.cells if cell.role == "setup"]


def _run(sources: Sequence[str]) -> dict[str, Any]:
    """What some cells define, run one after the other in names of their own."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with _quiet():
        for number, source in enumerate(sources):
            file = f"<cell {number}>"
            linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
            exec(compile(source, file, "exec"), names)
    return names


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
