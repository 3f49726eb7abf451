"""The warm parent: a process that has imported the stack once, and is forked for each submission.

It never starts a JAX backend, because a fork after that hangs, and never imports a check or a solution, because a
forked process holds all that its parent held. It speaks with one judge over one socket and ends when the judge hangs
up; its children die with it.

Run as `python -m jaxcourse_grade.isolation._forkserver DESCRIPTOR`.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from jaxcourse.insides import compile_quickly, has_started
from jaxcourse_grade.isolation import _child, _wire

_TICK = 0.005
_IMPORTED_LATE = (
    "jax.experimental.multihost_utils",
    "jaxlib.mlir.dialects.builtin",
    "jaxlib.mlir.dialects.mhlo",
    "scipy.linalg",
)
"""What JAX imports when it first compiles. Each child would, and scipy.linalg alone takes a fifth of a second."""
_FORKS = 100
"""How often a fork is tried, every tenth of a second: somebody's threads may hold all process numbers for a while."""


class Server:
    """Answers the judge's requests: import, fork, reap."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel

    def serve(self) -> None:
        """Answer until the judge hangs up."""
        handlers: dict[str, Callable[..., dict[str, Any]]] = {
            verb.__name__: verb for verb in (self.warm, self.fork, self.reap)
        }
        while True:
            try:
                request = _wire.receive(self.channel)
            except EOFError:
                return
            _wire.send(self.channel, handlers[request.pop("do")](**request))

    def warm(self, modules: list[str], needed: list[str]) -> dict[str, Any]:
        """Import modules.

        Args:
            modules: what lessons import, as far as it is installed.
            needed: what the checks' own questions rest on.

        Raises:
            ImportError: one of these is not there.
        """
        for name in (*modules, *_IMPORTED_LATE):
            try:
                importlib.import_module(name)
            except Exception:  # the student's own import will say why
                continue
        if "numba" in sys.modules:  # what it compiles functions with is loaded when it compiles the first
            sys.modules["numba"].njit("float64(float64)")(lambda x: x)
        for name in needed:
            importlib.import_module(name)
        gc.collect()
        gc.freeze()  # so that a child's collector does not touch, and so copy, every page
        return {}

    def fork(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Fork a student's process; the judge sends along its end of a socket."""
        require_forkable()
        _, (descriptor,), *_ = socket.recv_fds(self.channel, 1, 1)
        process = _fork()
        if process == 0:
            _live(descriptor, settings)
        os.close(descriptor)
        return {"process": process}

    def reap(self, process: int, patience: float) -> dict[str, Any]:
        """Kill a process, and whatever it started, unless it ends within some seconds: how it ended, and its cost."""
        until = time.monotonic() + patience
        while not _has_ended(process) and time.monotonic() < until:
            time.sleep(_TICK)
        # Until it is waited for, its number belongs to no other process; it leads a group, which may outlive it.
        for kill in (os.kill, os.killpg):
            with contextlib.suppress(ProcessLookupError):
                kill(process, signal.SIGKILL)
        _, status, usage = os.wait4(process, 0)
        code = os.waitstatus_to_exitcode(status)
        return {"code": code, "cpu_seconds": usage.ru_utime + usage.ru_stime, "memory": usage.ru_maxrss * 1024}


def _fork() -> int:
    for _ in range(_FORKS):
        with contextlib.suppress(BlockingIOError):
            return os.fork()
        time.sleep(0.1)
    return os.fork()


def _has_ended(process: int) -> bool:
    return os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _live(descriptor: int, settings: dict[str, Any]) -> None:
    """Be the child, and never return into the parent's code."""
    code = 70
    try:
        _child.main(socket.socket(fileno=descriptor), settings)
        code = 0
    finally:
        os._exit(code)


def require_forkable() -> None:
    """Refuse to fork a process with a started JAX backend or a second thread: the child would hang.

    Raises:
        RuntimeError: what is in the way.
    """
    if has_started():
        raise RuntimeError("a JAX backend was started in the warm parent: something computed at import.")
    if threading.active_count() > 1:
        raise RuntimeError(f"the warm parent has {threading.active_count()} threads: {threading.enumerate()}.")


def main() -> None:
    """Serve the judge at the other end of the socket that was handed on."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the judge's business
    compile_quickly()  # most of a submission's cost is compiling what runs once
    Server(socket.socket(fileno=int(sys.argv[1]))).serve()


if __name__ == "__main__":
    main()
