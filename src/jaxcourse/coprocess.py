"""A process that is asked one thing after the other, and is killed when it does not reply: for code that may never end.

What authors judge and what the grader reads is other people's, and can take long or end the process that it is in. Both
have it done here, so that they themselves live on; each says in words of its own what became of it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Literal

START_SECONDS = 180.0
"""How many seconds a process may take to begin: it may import a lot, on a machine that has other things to do."""
_DESCRIPTORS = 2**16
"""How many open files are let go at most."""


class CoprocessEnded(Exception):
    """A process has ended in place of a reply.

    Attributes:
        status: its exit status; negative for the signal that ended it.
        silent: whether it was killed, since it took longer than it may.
    """

    def __init__(self, status: int, silent: bool = False) -> None:
        super().__init__(f"the process {'took too long' if silent else f'ended with status {status}'}")
        self.status, self.silent = status, silent


class Coprocess:
    """Calls functions in a process of its own; it is made when it is needed, and anew when a call has ended it.

    Functions, arguments and results must be such as can be pickled. A function that raises ends the process, too:
    whoever expects that returns the exception.

    Args:
        method: `fork` is ready at once, and has in memory what this process has; `spawn` is a Python of its own.
        begin: is called in it first.

    Example:
        >>> with Coprocess("spawn") as apart:
        ...     apart(len, "abc", seconds=60)
        3
    """

    def __init__(self, method: Literal["fork", "spawn"], begin: Callable[[], object] = bool) -> None:
        self._method, self._begin = method, begin
        self._process: BaseProcess | None = None
        self._channel: Connection | None = None

    def __call__(self, function: Callable[..., Any], *arguments: Any, seconds: float) -> Any:
        """What a function gives there.

        Args:
            function: what to call.
            *arguments: with which.
            seconds: how long it may take.

        Raises:
            CoprocessEnded: it took longer, or ended its process.
        """
        channel = self.start()
        try:
            channel.send((function, arguments))
            if channel.poll(seconds):
                return channel.recv()
        except (EOFError, OSError):
            raise CoprocessEnded(self.close()) from None
        raise CoprocessEnded(self.close(), silent=True)

    def start(self) -> Connection:
        """Have a process that waits for what it is asked; a call does so, too.

        Raises:
            RuntimeError: it did not begin; why stands on the terminal.
        """
        if self._channel is None:
            context: Any = multiprocessing.get_context(self._method)
            self._channel, theirs = context.Pipe()
            self._process = context.Process(target=_live, args=(self._method, theirs, self._begin), daemon=True)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of threads, which a forked process neither has nor needs
                self._process.start()
            theirs.close()
            try:
                self(bool, seconds=START_SECONDS)
            except CoprocessEnded as ended:
                raise RuntimeError(f"a process of its own did not begin: {ended}") from None
        return self._channel

    def close(self) -> int:
        """End the process, which may be in the middle of something that nobody waits for; how it ended."""
        if self._process is None or self._channel is None:
            return 0
        self._process.kill()
        self._process.join()
        status = self._process.exitcode or 0
        self._channel.close()
        self._process = self._channel = None
        return status

    def __enter__(self) -> Coprocess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _live(method: str, channel: Connection, begin: Callable[[], object]) -> None:
    """Be the process, and never return into the code of the one that made it."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends who asks, and this process with it
        if method == "fork":
            _let_go(channel.fileno())
        _began(begin)
        while True:
            function, arguments = channel.recv()
            channel.send(function(*arguments))
    except (EOFError, OSError):
        os._exit(0)
    finally:
        os._exit(1)


def _began(begin: Callable[[], object]) -> None:
    """Begin, or say on the terminal why not: a process that never was has no other way to tell."""
    try:
        begin()
    except Exception:
        os.write(2, traceback.format_exc().encode("utf-8", "replace"))  # `sys.stderr` may be a file that was let go
        raise


def _let_go(kept: int) -> None:
    """Close what was inherited: a lock, the other end of the channel, other people's files."""
    os.closerange(3, kept)
    os.closerange(kept + 1, _DESCRIPTORS)
