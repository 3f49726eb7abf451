"""The judge's end of a student's process: the warm parent, one process, and the channel to an answer in it."""

from __future__ import annotations

import inspect
import marshal
import os
import secrets
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from jaxcourse.insides import CALLBACKS, PLACES
from jaxcourse.probe import PRINT_LIMIT, Raised, Reply, globals_of, is_ours
from jaxcourse_grade.isolation import _reach, _sandbox, _wire

How = Literal["timeout", "memory", "disk", "crashed", "garbled"]

_POLL = 0.02
"""Seconds between two looks at a process's memory. At 0.02 a limit of 1 GB was overshot by 3 to 40 MB."""
_POLL_FOLDER = 0.5
"""Seconds between two looks at its folder, which may hold thousands of files."""
_START_SECONDS = 120
"""How long the warm parent may take to import the stack."""
_PASSED_ON = ("LANG", "LC_ALL", "PATH", "PYTHONPATH", "SYSTEMROOT", "TZ", "VIRTUAL_ENV", "XDG_CACHE_HOME")
"""What a student's process may know of the instructor's environment, which may hold passwords."""


class ProcessGone(BaseException):
    """A student's process has ended. It is not an `Exception`, so that nothing on its way, such as `judge`, catches it.

    Attributes:
        how: what became of it.
        message: in words, for the student.
    """

    def __init__(self, how: How, message: str) -> None:
        super().__init__(message)
        self.how, self.message = how, message


class CannotStart(RuntimeError):
    """A student's process could not be started: the grader's fault, or the machine's, so nobody is marked."""


@dataclass(frozen=True)
class Terms:
    """The terms on which submissions are run.

    Attributes:
        limits: of time, memory and files.
        protections: the names of the protections to be put up.
        cache: the folder of compiled programs, or empty.
        fill: whether a process fills that folder: only with our own solutions.
        hidden: files and folders of the instructor's that no process may read.
    """

    limits: _sandbox.Limits = field(default_factory=_sandbox.Limits)
    protections: Collection[str] = ()
    cache: str = ""
    fill: bool = False
    hidden: tuple[str, ...] = ()


class Forkserver:
    """The warm parent, seen from the judge.

    Args:
        hidden: folders that no student's process may read, wherever they lie, besides the course that is installed.
    """

    def __init__(self, hidden: Iterable[Path] = ()) -> None:
        self.channel, theirs = socket.socketpair()
        with theirs:
            self.parent = subprocess.Popen(
                [sys.executable, "-P", "-m", "jaxcourse_grade.isolation._forkserver", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env=_environment(),
                start_new_session=True,
            )
        self.readable = list(map(str, _reach.readable_paths(hidden)))
        self._known: tuple[set[str], set[str]] | None = None

    def warm(self, modules: Iterable[str] = (), needed: Iterable[str] = ()) -> None:
        """Import more modules.

        Args:
            modules: what lessons import, as far as it is installed.
            needed: what the checks' own questions stand on.

        Raises:
            CannotStart: one of the latter cannot be imported.
        """
        before = self._known or (set[str](), set[str]())
        known = before[0] | set(modules), before[1] | set(needed)
        if known != self._known:
            self._request(do="warm", modules=sorted(known[0]), needed=sorted(known[1]))
            self._known = known

    def fork(self, terms: Terms, deadline: float) -> Process:
        """Start a student's process in a new scratch folder; it must end before a time of the monotonic clock.

        Raises:
            CannotStart: its protections could not be put up.
        """
        self.warm()
        ours, theirs = socket.socketpair()
        scratch = ExitStack()
        folder = scratch.enter_context(_sandbox.scratch_folder())
        settings = {
            "scratch": str(folder),
            "cache": terms.cache,
            "fill": terms.fill,
            "readable": self.readable,
            "limits": asdict(terms.limits),
            "protections": list(terms.protections),
        }
        with theirs:
            _wire.send(self.channel, {"do": "fork", "settings": settings})
            socket.send_fds(self.channel, [b"x"], [theirs.fileno()])
            started = self._receive()
        process = Process(self, ours, started["process"], folder, scratch, terms.limits, deadline)
        process.require_start()
        process.halts = "orphans" in terms.protections  # else, standing still, it could not notice that we are gone
        return process

    def reap(self, process: int, patience: float) -> dict[str, Any]:
        """End a process: how it ended, and what it cost."""
        return self._request(do="reap", process=process, patience=patience)

    def close(self) -> None:
        """End the warm parent."""
        self.channel.close()
        self.parent.wait(_START_SECONDS)

    def _request(self, **message: Any) -> dict[str, Any]:
        _wire.send(self.channel, message)
        return self._receive()

    def _receive(self) -> dict[str, Any]:
        self.channel.settimeout(_START_SECONDS)
        try:
            reply: dict[str, Any] = _wire.receive(self.channel)
        except (EOFError, OSError) as error:
            raise CannotStart(f"The warm parent ended with status {self.parent.poll()}: see its message.") from error
        return reply


def _environment() -> dict[str, str]:
    """The warm parent's environment: no secrets; one thread, since it is forked; JAX on the CPU, without a backend."""
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    one_thread = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**kept, **one_thread, "JAX_PLATFORMS": "cpu", "MPLBACKEND": "Agg", "TF_CPP_MIN_LOG_LEVEL": "3"}


class Process:
    """One student's process.

    Attributes:
        cpu_seconds: what it used; known when it has ended.
        memory: the largest resident memory in bytes; known when it has ended.
        halts: whether it stands still while nobody asks it anything.
        left_out: which settings for devices that are not here its notebook made, to no effect.
    """

    def __init__(
        self,
        parent: Forkserver,
        channel: socket.socket,
        number: int,
        scratch: Path,
        leave: ExitStack,
        limits: _sandbox.Limits,
        deadline: float,
    ) -> None:
        self.parent, self.channel, self.number, self.scratch = parent, channel, number, scratch
        self.leave, self.limits, self.deadline = leave, limits, deadline
        self.cpu_seconds, self.memory, self.ended = 0.0, 0, False
        self.looked = self.looked_into_folder = 0.0
        self.halts = False
        self.left_out: set[str] = set()

    def require_start(self) -> None:
        """Wait until its protections are up."""
        self.channel.settimeout(_START_SECONDS)
        try:
            failed = _wire.receive(self.channel)["failed"]
        except (EOFError, OSError, _wire.WireError) as error:
            failed = f"it died ({type(error).__name__}, status {self.end(patience=1.0)})"
        if failed:
            self.end()
            raise CannotStart(f"A process for a submission could not be started: {failed}")

    def request(self, do: str, **message: Any) -> dict[str, Any]:
        """Have the process do something, and return its reply.

        Raises:
            ProcessGone: it died, took too long, used too much memory, or sent something that is not a reply.
        """
        nonce = secrets.randbits(60)
        until = min(time.monotonic() + self.limits.piece_seconds, self.deadline)
        try:
            self.channel.settimeout(self.limits.piece_seconds)  # a process that does not read must not hold us
            self._signal(signal.SIGCONT)
            _wire.send(self.channel, {"do": do, "nonce": nonce, **message})
            reply = _wire.receive(self.channel, wait=lambda: self._watch(until))
            self._signal(signal.SIGSTOP)
        except TimeoutError:
            raise self._stop_error() from None
        except (EOFError, OSError):
            raise self._how_it_ended() from None
        except _wire.WireError as error:
            self.end()
            raise ProcessGone(
                "garbled", f"The process sent something that is not a reply: {str(error)[:300]}"
            ) from error
        told = reply.pop("nonce", None) if isinstance(reply, dict) else None
        if type(told) is not int or told != nonce:  # an array's `!=` is neither true nor false
            self.end()
            raise ProcessGone("garbled", "The process sent a reply that nobody asked for.")
        self.left_out |= _words(reply.pop("left_out", None)) & set(PLACES)
        return dict(reply)

    def _signal(self, number: int) -> None:
        """Let the process go on, or stand still: threads that it left running must not grow while nobody looks."""
        if self.halts:
            os.kill(self.number, number)

    def _watch(self, until: float) -> None:
        """Wait until something can be read; kill the process when it takes too long or too much.

        Both are looked at also while bytes arrive: they may come one by one, for hours.
        """
        while True:
            now = time.monotonic()
            if now > until:
                raise self._stop_error()
            if now > self.looked + _POLL:
                self.looked = now
                self._require_modest(now)
            if select.select([self.channel], [], [], _POLL)[0]:
                return

    def _stop_error(self) -> ProcessGone:
        self.end()
        return ProcessGone("timeout", f"It was stopped after {self.limits.piece_seconds:g} seconds.")

    def _require_modest(self, now: float) -> None:
        """Kill the process if it uses more memory, threads or room in its folder than it may."""
        try:
            over = _sandbox.overuse(self.number, self.limits)
        except OSError:  # it has ended, or this system does not say
            return
        if over:
            self.end()
            allowed = f"{self.limits.memory / 2**20:,.0f} MiB" if over == "memory" else f"{self.limits.threads} threads"
            raise ProcessGone("memory", f"It used more than the {allowed} that are allowed.")
        if now > self.looked_into_folder + _POLL_FOLDER:
            self.looked_into_folder = now
            if _sandbox.overfull(self.scratch, self.limits):
                self.end()
                raise ProcessGone("disk", "It wrote more into its folder than is allowed.")

    def _how_it_ended(self) -> ProcessGone:
        """What became of a process that hung up by itself."""
        code = self.end(patience=1.0)
        if code == -signal.SIGXCPU:
            return ProcessGone("timeout", "It used up its seconds of processor time.")
        if self.memory > 0.9 * self.limits.memory:
            return ProcessGone("memory", f"It died at {self.memory / 2**20:,.0f} MiB.")
        if code < 0:
            return ProcessGone("crashed", f"It died of {signal.Signals(-code).name}.")
        return ProcessGone("crashed", f"It ended its own process, with status {code}.")

    def end(self, patience: float = 0.0) -> int:
        """Kill the process unless it ends within some seconds, remove its folder, and return its exit status."""
        if self.ended:
            return 0
        self.ended = True
        self.channel.close()
        last = self.parent.reap(self.number, patience)
        self.cpu_seconds, self.memory = last["cpu_seconds"], last["memory"]
        self.leave.close()
        return int(last["code"])


# -- the channel ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AskedQuestion:
    """A question that was asked, its arguments, and the value that came back."""

    question: Callable[..., Any]
    args: tuple[Any, ...]
    value: Any


@dataclass
class ProcessChannel:
    """The channel to an answer in a student's process.

    Attributes:
        process: where it lives.
        variable: the answer's name there.
        asked: what was asked so far, for whoever wants to know how far the evidence goes.
    """

    process: Process
    variable: str
    asked: list[AskedQuestion] = field(default_factory=list)

    def __call__(self, question: Callable[..., Any], *args: Any, **kwargs: Any) -> Reply:
        given = {"question": pack_question(question), "args": list(args), "kwargs": kwargs}
        data = self.process.request("ask", variable=self.variable, **given)
        reply = reply_from(data)
        self.asked.append(AskedQuestion(question, args, reply.value))
        return reply


def reply_from(data: dict[str, Any]) -> Reply:
    """A reply, from what a student's process says it is: every part is cut to its type and size."""
    changed, total, callbacks = data.get("changed"), data.get("printed_total"), data.get("callbacks")
    return Reply(
        value=data.get("value"),
        raised=raised_from(data.get("raised")),
        foreign=_text(data.get("foreign"), 200),
        changed=tuple(i for i in changed if type(i) is int) if isinstance(changed, tuple) else (),
        printed=_text(data.get("printed"), PRINT_LIMIT),
        printed_total=total if type(total) is int and total >= 0 else 0,
        settings=_text(data.get("settings"), 500),
        callbacks=tuple(name for name in CALLBACKS if name in _words(callbacks)),
    )


def raised_from(data: Any) -> Raised | None:
    """The exception that a reply tells of.

    Example:
        >>> raised_from({"kind": "ValueError", "message": "no", "line": ""})
        Raised(kind='ValueError', message='no', line='', own=True, within='')
    """
    if not isinstance(data, dict):
        return None
    words = _text(data.get("kind"), 100), _text(data.get("message"), PRINT_LIMIT), _text(data.get("line"), 500)
    return Raised(*words, own=data.get("own") is not False, within=_text(data.get("within"), 100))


def _words(value: Any) -> set[str]:
    """The texts in what should be a tuple of these; what else is in it, such as an array, is compared with nothing."""
    return {word for word in value if type(word) is str} if isinstance(value, tuple) else set()


def _text(value: Any, longest: int) -> str:
    """What should be text, cut; an empty text if it is not."""
    return value[:longest] if isinstance(value, str) else ""


def pack_question(question: Callable[..., Any]) -> dict[str, Any]:
    """A question as plain data: a declared one by its name, another by its code and the modules that it uses."""
    if is_declared(question):
        return {"module": question.__module__, "name": question.__name__}
    known = question.__globals__
    names = globals_of(question.__code__)
    return {
        "code": np.frombuffer(marshal.dumps(question.__code__), np.uint8),
        "modules": {name: known[name].__name__ for name in names if inspect.ismodule(known.get(name))},
        "called": question.__name__,
        "defaults": question.__defaults__,
        "keywords": question.__kwdefaults__,
    }


def is_declared(function: Callable[..., Any]) -> bool:
    """Whether a function is a question that our package declares.

    Example:
        >>> from jaxcourse.probe import call
        >>> is_declared(call), is_declared(len)
        (True, False)
    """
    return is_ours(function)


def modules_of(question: Callable[..., Any]) -> set[str]:
    """The names of the modules that a question rests on in a student's process.

    Example:
        >>> from jaxcourse.probe import call
        >>> modules_of(call) == {call.__module__}
        True
    """
    packed = pack_question(question)
    return {packed["module"]} if "module" in packed else set(packed["modules"].values())
