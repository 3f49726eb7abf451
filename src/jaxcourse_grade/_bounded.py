"""Where what strangers wrote is taken apart: with limits of processor time and memory of its own.

Reading, cutting and judging are our own code, which a file can still make slow or greedy. `bounded` limits one piece of
work in this process, and the kernel ends the process that exceeds its time. `BoundedProcess` has such a process for one
function call after the other, so that whoever reads a class stays alive.
"""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import signal
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any

SECONDS = 20.0
"""Processor seconds for one call: the longest notebook that is read takes one or two."""
MEMORY = 2**31
"""Bytes that one call may add to what the process has."""
_NONE: Mapping[str, float] = {}
_DESCRIPTORS = 2**16
"""How many open files are let go at most."""
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
        self._process = 0
        self._channel: Connection | None = None
        self._spent: Counter[str] = Counter()

    def __call__(self, function: Callable[..., Any], *arguments: Any, budgets: Mapping[str, float] = _NONE) -> Any:
        """Call a function there.

        Args:
            function, arguments: what can be pickled; so must be what comes back.
            budgets: on whose account it is, and how many seconds may be spent on each.

        Raises:
            TooMuch: it took more than it may.
            Exception: what the function raised.
        """
        for name, seconds in budgets.items():
            if self._spent[name] > seconds:
                raise TooMuch(f"Reading what lies here took more than {seconds:g} seconds: this was not looked at.")
        channel = self._channel or self._start()
        seconds = self.seconds
        try:
            channel.send((function, arguments))
            if not channel.poll(_PATIENCE * self.seconds):
                os.kill(self._process, signal.SIGKILL)
            value, error, seconds = channel.recv()
        except (EOFError, OSError):
            value, error = None, TooMuch(self._ended())
        self._spent.update(dict.fromkeys(budgets, seconds))
        if error is not None:
            raise error
        return value

    def _start(self) -> Connection:
        ours, theirs = Pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of threads, which the child neither has nor needs
            self._process = os.fork()
        if not self._process:
            _live(theirs, self.seconds, self.memory)
        theirs.close()
        self._channel = ours
        return ours

    def _ended(self) -> str:
        """Let the process go: what became of it, as a sentence."""
        status = self.close()
        if status in (-signal.SIGPROF, -signal.SIGKILL):
            return f"Reading it took more than {self.seconds:g} seconds."
        return "Reading it ended the process that read it."

    def close(self) -> int:
        """End the process; how it ended."""
        if self._channel is None:
            return 0
        self._channel.close()
        self._channel = None
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process, signal.SIGKILL)  # it may be in the middle of something, which nobody waits for
        _, status = os.waitpid(self._process, 0)
        return os.waitstatus_to_exitcode(status)

    def __enter__(self) -> BoundedProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _live(channel: Connection, seconds: float, memory: int) -> None:
    """Be the process, and never return into the code of the one that made it."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the parent, and this process with it
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        _let_go(channel.fileno())
        gc.freeze()
        while True:
            function, arguments = channel.recv()
            channel.send(_outcome(function, arguments, seconds, memory))
    except (EOFError, OSError):
        os._exit(0)
    finally:
        os._exit(1)


def _let_go(kept: int) -> None:
    """Close what was inherited: a lock, the other end of the channel, other students' files."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    os.closerange(3, kept)
    os.closerange(kept + 1, most if 0 < most < _DESCRIPTORS else _DESCRIPTORS)


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
