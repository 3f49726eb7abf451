"""A process that judges answers given as code, one after the other, and the handle by which it is asked and ended.

An answer may never end, or take the process with it. So it runs in a warm process of its own kind: that one is killed
when it is silent for too long, and the next answer gets a new one. Both sides speak in lines of JSON.

Run as `python -m jaxcourse_author._judging_process ROOT`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import linecache
import os
import select
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

MEMORY = 12 * 2**30
"""How many bytes a process may address, where that can be limited: a mutant of `2**n` asks for all there are."""

STARTING = 180.0
"""How many seconds a process may take to start."""

_CLEARED_AFTER = 200
"""After how many answers what JAX has compiled is thrown away."""


@dataclasses.dataclass(frozen=True)
class Judged:
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
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> JudgingProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def __call__(
        self, exercise: str, code: str, seeds: Sequence[int], seconds: float, *, until_passed: bool = False
    ) -> Judged:
        """Judge an answer, for each seed in names of its own.

        Args:
            exercise: its name.
            code: a cell's code that defines the answer, run after the lesson's set-up cells.
            seeds: of the inputs, 1 at least.
            seconds: how long all of them may take before the process is killed.
            until_passed: whether the first seed on which it passes ends it; otherwise the first on which it does not.
        """
        process = self._started()
        begun = time.monotonic()
        try:
            asked = {"exercise": exercise, "code": code, "seeds": list(seeds), "until_passed": until_passed}
            self._say(process, {"do": "judged", **asked})
            reply = self._hear(process, seconds)
        except (BrokenPipeError, EOFError):
            self._end()
            return Judged("ended", "crashed", "It ended the process in which it ran.")
        took = time.monotonic() - begun
        if reply is None:
            self._end()
            return Judged("ended", "too-long", f"It took longer than {seconds:g} s.", seconds=took)
        return dataclasses.replace(Judged(**reply), seconds=took)

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
            process = self._started()
            self._say(process, {"do": "compared", "exercise": exercise, "one": one, "other": other})
            reply = self._hear(process, seconds)
        except (BrokenPipeError, EOFError):
            reply = None
        if reply is None:
            self._end()
            return ""
        return str(reply["found"])

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", __spec__.name, str(self.root)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=os.environ | {"NUMBA_BOUNDSCHECK": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                start_new_session=True,
            )
            if self._hear(self._process, STARTING) is None:
                self._end()
                raise RuntimeError("a process that judges answers did not start")
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    @staticmethod
    def _say(process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
        assert process.stdin is not None
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()

    @staticmethod
    def _hear(process: subprocess.Popen[bytes], seconds: float) -> dict[str, Any] | None:
        """The next line of a process; nothing if it is silent for too long.

        Raises:
            EOFError: it is gone.
        """
        assert process.stdout is not None
        data, deadline = b"", time.monotonic() + seconds
        while not data.endswith(b"\n"):
            if not select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
                return None
            part = os.read(process.stdout.fileno(), 2**16)
            if not part:
                raise EOFError
            data += part
        heard: dict[str, Any] = json.loads(data)
        return heard


# -- in the process ---------------------------------------------------------------------------------------------


def main(root: Path) -> None:
    """Judge what is asked on the standard input until it ends."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what an answer prints is no reply
    _limit_memory()
    import jax

    from jaxcourse import devices
    from jaxcourse_author import rules  # noqa: F401  everything that judging needs is imported before the clock runs

    devices.simulate()  # the set-up of some lessons asks for several, and one of another lesson may come first
    print(json.dumps({}), file=replies, flush=True)
    lessons = _Lessons(root)
    for number, line in enumerate(sys.stdin, 1):
        asked = json.loads(line)
        reply = getattr(lessons, asked.pop("do"))(**asked)
        print(json.dumps(reply), file=replies, flush=True)
        if number % _CLEARED_AFTER == 0:
            jax.clear_caches()


def _limit_memory() -> None:
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


class _Lessons:
    """The lessons of a course, read when they are needed."""

    def __init__(self, root: Path) -> None:
        from jaxcourse.course import Course

        self.root, self.pairs = root, dict[str, Any]()
        self.stems = {name: stem for stem, names in Course(root).exercises().items() for name in names}

    def pair(self, exercise: str) -> Any:
        """The lesson that an exercise belongs to."""
        stem = self.stems[exercise]
        if stem not in self.pairs:
            from jaxcourse_author.rules import Contract

            (self.pairs[stem],) = Contract(self.root, (stem,)).pairs
        return self.pairs[stem]

    def judged(self, exercise: str, code: str, seeds: Sequence[int], until_passed: bool) -> dict[str, Any]:
        """The verdict of the first seed that ends it, or of the last one."""
        found = Judged("broken")
        for seed in seeds:
            found = self._once(self.pair(exercise), exercise, code, seed)
            if found.status == "broken" or found.passed == until_passed:
                break
        return dataclasses.asdict(found)

    def compared(self, exercise: str, one: str, other: str) -> dict[str, Any]:
        """The smallest derived input on which two answers differ, in words."""
        from jaxcourse_author._derived import difference

        pair = self.pair(exercise)
        task = pair.checks.exercises[exercise]
        cells = [cell.source for cell in pair.source.cells if cell.role == "setup"]
        answers = [_run([*cells, code])[task.variable] for code in (one, other)]
        return {"found": difference(task, *answers)}

    @staticmethod
    def _once(pair: Any, exercise: str, code: str, seed: int) -> Judged:
        from jaxcourse.exercise import judge
        from jaxcourse.probe import local_channel

        task = pair.checks.exercises[exercise]
        try:
            names = _run([*(cell.source for cell in pair.source.cells if cell.role == "setup"), code])
        except BaseException as error:  # SystemExit too
            return Judged("broken", type(error).__name__, f"Its code raises: {error}"[:500])
        if task.variable not in names:
            return Judged("broken", "missing-name", f"It does not define `{task.variable}`.")
        verdict = judge(task, local_channel(names[task.variable]), seed)
        return Judged(verdict.status, verdict.label, verdict.message, seed)


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


if __name__ == "__main__":
    main(Path(sys.argv[1]))
