"""Where what strangers wrote is taken apart: with limits of processor time and memory of its own.

Reading, cutting and judging are our own code, which a file can still make slow or greedy. `bounded` limits one piece of
work in this process, and the kernel ends the process that exceeds its time. `BoundedProcess` has such a process for one
function call after the other, so that whoever reads a class stays alive.
"""

from __future__ import annotations

import contextlib
import gc
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from jaxcourse.coprocess import Coprocess, CoprocessEnded

SECONDS = 20.0
"""Processor seconds for one call: the longest notebook that is read takes one or two."""
MEMORY = 2**31
"""Bytes that one call may add to what the process has."""
_NONE: Mapping[str, float] = {}
_PATIENCE = 15
"""Seconds of waiting for each second of processor time: other processes want the processor too."""


class TooMuch(Exception):
    """A call took more time or memory than it may, or ended its process: what happened, as a sentence."""


def directly(function: Callable[..., Any], *arguments: Any, budgets: Mapping[str, float] = _NONE) -> Any:
    """A plain call, where nothing needs to be limited; see `BoundedProcess`."""
    return function(*arguments)


@contextlib.contextmanager
def bounded(seconds: float, memory: int) -> Iterator[None]:
    """Limit what is done inside.

    Args:
        seconds: of this process's own processor time, after which the kernel ends it.
        memory: bytes of data that may be added to what this process has; asking for more is a `MemoryError`.
    """
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with contextlib.suppress(OSError, ValueError):  # a limit of the machine's own may be lower still
        resource.setrlimit(resource.RLIMIT_DATA, (_data() + memory, before[1]))
    signal.setitimer(signal.ITIMER_PROF, seconds)  # the kernel's, which no endless call can hold up
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _data() -> int:
    """Bytes of data and stacks that this process has, by `proc(5)`: what the limit counts."""
    if sys.platform != "linux":
        return 2**33
    return int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()


class BoundedProcess:
    """Calls functions in a process of its own, one after the other; it is made anew when a call has ended it.

    Args:
        seconds, memory: for one call.
    """

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self.seconds, self.memory = seconds, memory
        self._process = Coprocess("fork", _begin)
        self._spent: Counter[str] = Counter()

    def __call__(self, function: Callable[..., Any], *arguments: Any, budgets: Mapping[str, float] = _NONE) -> Any:
        """Call a function there.

        Args:
            function: can be pickled; so must be what comes back.
            *arguments: can be pickled.
            budgets: on whose account it is, and how many seconds may be spent on each.

        Raises:
            TooMuch: it took more than it may.
            Exception: what the function raised.
        """
        for name, seconds in budgets.items():
            if self._spent[name] > seconds:
                raise TooMuch(f"Reading what lies here took more than {seconds:g} seconds: this was not looked at.")
        call, patience = (function, arguments, self.seconds, self.memory), _PATIENCE * self.seconds
        try:
            value, error, seconds = self._process(_outcome, *call, seconds=patience)
        except CoprocessEnded as ended:
            value, error, seconds = None, TooMuch(self._words(ended)), self.seconds
        self._spent.update(dict.fromkeys(budgets, seconds))
        if error is not None:
            raise error
        return value

    def _words(self, ended: CoprocessEnded) -> str:
        """What became of the process, as a sentence."""
        if ended.silent or ended.status in (-signal.SIGPROF, -signal.SIGKILL):
            return f"Reading it took more than {self.seconds:g} seconds."
        return "Reading it ended the process that read it."

    def __enter__(self) -> BoundedProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.close()


def _begin() -> None:
    """In the process, before it is asked anything: the kernel may end it, and it leaves alone what it has inherited."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    gc.freeze()


def _outcome(
    function: Callable[..., Any], arguments: tuple[Any, ...], seconds: float, memory: int
) -> tuple[Any, Exception | None, float]:
    began = time.process_time()
    value: Any = None
    error: Exception | None = None
    try:
        with bounded(seconds, memory):
            value = function(*arguments)
    except MemoryError:
        error = TooMuch(f"Reading it took more than {memory // 2**20} MB of memory.")
    except Exception as raised:
        error = raised
    return value, error, time.process_time() - began
