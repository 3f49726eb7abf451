"""What stands in for IPython in a student's process: the few magics that change what later code means, and a loop.

Other programs cannot be run behind the walls, and nothing is shown or measured there; such magics do nothing. A
notebook also has an event loop, in which its `await` runs. asyncio's own needs a socket, which the walls forbid, so
this one only waits.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import time
import types
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

_NAME = re.compile(r"\{(\w+)\}|\$(\w+)")
_TICK = 0.01


class Shell:
    """Stands in for IPython's shell.

    Args:
        other: gives what stands in for everything else that a shell has.
    """

    def __init__(self, other: Callable[[], Any]) -> None:
        self._other = other

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._other()

    def run_line_magic(self, name: str, line: str, *_: Any, **__: Any) -> Any:
        """Do what a line magic does, in the names of whoever has it."""
        frame = sys._getframe(1)
        magic = _LINES.get(name, _nothing)
        return magic(line if name in _CODE else _with_values(line, frame), frame)

    def magic(self, text: str) -> Any:
        """Do what a line magic does, as IPython 0.11 to 7 wrote it."""
        name, _, line = text.partition(" ")
        return _LINES.get(name, _nothing)(line, sys._getframe(1))

    def run_cell_magic(self, name: str, line: str, body: str) -> None:
        """Write a file, where a cell magic does."""
        if name in ("writefile", "file"):
            words = [word.strip("'\"") for word in _with_values(line, sys._getframe(1)).split()]
            with Path(words[-1]).expanduser().open("a" if "-a" in words[:-1] else "w", encoding="utf-8") as file:
                file.write(body if body.endswith("\n") else f"{body}\n")

    def system(self, *_: Any) -> None:
        """Run no program."""

    def getoutput(self, *_: Any, **__: Any) -> list[str]:
        """Nothing was run, so nothing came out."""
        return []


def _with_values(line: str, frame: types.FrameType) -> str:
    """A magic's line with the values of the names in it."""
    names = {**frame.f_globals, **frame.f_locals}
    return _NAME.sub(lambda match: str(names.get(match[1] or match[2], match[0])), line)


def _nothing(line: str, frame: types.FrameType) -> None:
    """What a magic does that only shows something."""


def _time(line: str, frame: types.FrameType) -> Any:
    """Run a statement and measure nothing."""
    try:
        code = compile(line, "<time>", "eval")
    except SyntaxError:
        exec(compile(line, "<time>", "exec"), frame.f_globals, frame.f_locals)
        return None
    return eval(code, frame.f_globals, frame.f_locals)


def _timeit(line: str, frame: types.FrameType) -> Any:
    """What `%timeit -o` gives: nothing is run, and everything took a microsecond."""
    one = dict.fromkeys(("average", "best", "worst", "stdev", "compile_time"), 1e-6)
    return types.SimpleNamespace(**one, all_runs=[1e-6], timings=[1e-6], loops=1, repeat=1) if "-o" in line else None


def _run(line: str, frame: types.FrameType) -> None:
    path = Path(line.split()[-1].strip("'\""))
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), frame.f_globals)


def _env(line: str, frame: types.FrameType) -> None:
    name, _, value = line.replace(" ", "=", 1).partition("=") if "=" not in line else line.partition("=")
    if value:
        os.environ[name.strip()] = value.strip()


def _mkdir(line: str, frame: types.FrameType) -> None:
    Path(line.split()[-1]).mkdir(parents=True, exist_ok=True)


def _capture(line: str, frame: types.FrameType) -> Any:
    """What `%%capture name` binds; nothing was written."""
    return types.SimpleNamespace(stdout="", stderr="", outputs=[], show=lambda: None)


_CODE = ("time", "timeit")
_LINES: dict[str, Callable[[str, types.FrameType], Any]] = {
    "capture": _capture,
    "cd": lambda line, frame: os.chdir(line.strip() or "."),
    "env": _env,
    "mkdir": _mkdir,
    "pwd": lambda line, frame: os.getcwd(),
    "run": _run,
    "set_env": _env,
    "time": _time,
    "timeit": _timeit,
}


class _Loop(asyncio.BaseEventLoop):
    """An event loop that nothing from outside can wake."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = self

    def select(self, timeout: float | None) -> list[Any]:
        """Wait for a moment: nothing is ever read or written."""
        time.sleep(_TICK if timeout is None else min(max(timeout, 0), _TICK))
        return []

    def _process_events(self, events: list[Any]) -> None: ...

    def _write_to_self(self) -> None: ...


def run_to_end(work: Coroutine[Any, Any, Any], loops: list[asyncio.AbstractEventLoop]) -> None:
    """Run what a cell awaits to its end, in the notebook's one loop."""
    if not loops:
        loops.append(_Loop())
    loops[0].run_until_complete(work)
