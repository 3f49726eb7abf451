"""What a run did, lane by lane: JAX's own profiler, read into plain data.

JAX's Python tracer stays off: it notes each call of Python, hundreds of thousands of them in a loop, and then measures
another program. What is left is what JAX and XLA note by themselves, and what a function annotates.
"""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import jax
import numpy as np

from jaxcourse.insides._belief import CannotRead, belief

_RUN = "jaxcourse:run"
"""What the traced call is annotated with: its lane is the host's, and its start is the time 0."""
_KERNEL, _MODULE = "hlo_op", "hlo_module"
"""The facts by which a CPU says of an event that it is a piece of a compiled program, and of which one."""
_COMPILES = "backend_compile"
"""How JAX's names begin of what compiles a program."""
_READS = "np.asarray(jax.Array)"
"""What JAX calls it that Python asks for the value of an array."""
_SENDS = ("DevicePut", "BatchedDevicePut", "H2D Dispatch")
"""How JAX's names begin of what sends a value from the host."""
_NO_WORK = ("end: ", "ThreadpoolListener", "ThunkExecutor", "TaskDispatcher", "Slinky", "Wait for ")
"""What threads note of each other, which is no work of theirs."""
T = TypeVar("T")


class Event(NamedTuple):
    """Something that took time.

    Attributes:
        name: as JAX or XLA calls it, such as `PjitFunction(step)` or `loop_fusion`.
        start: in seconds since the traced call began.
        stop: likewise.
        module: of a kernel, the program that it is a piece of, such as `jit_step`, where the device says so.
    """

    name: str
    start: float
    stop: float
    module: str = ""


@dataclass(frozen=True)
class Lane:
    """What one thread of the host, or one queue of a device, did.

    Attributes:
        name: `host` for the thread that called; `device`, `device 2`, ... for what ran programs; `host 2`, ... for
            other threads.
        on_device: whether its events are pieces of compiled programs.
        events: by their start; they may be nested.
    """

    name: str
    on_device: bool
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Profile:
    """What a call did.

    Attributes:
        seconds: from its begin until its result was there.
        lanes: the host's first, then the devices', then other threads.
    """

    seconds: float
    lanes: tuple[Lane, ...]


def profiled(function: Callable[..., T], *args: Any) -> tuple[T, Profile]:
    """Call a function, and return its result, waited for, and what was done meanwhile.

    Args:
        function: it is called once. Whatever it compiles is in the profile, too.
        *args: what it is called with.

    Raises:
        CannotRead: this JAX writes other profiles than are known.
        RuntimeError: somebody else is tracing in this process.

    Example:
        >>> result, profile = profiled(jax.jit(lambda x: x + 1), 1.0)
        >>> float(result), profile.lanes[0].name, any(lane.on_device for lane in profile.lanes)
        (2.0, 'host', True)
    """
    profiles.require()
    return _profiled(function, *args)


def _profiled(function: Callable[..., T], *args: Any) -> tuple[T, Profile]:
    with tempfile.TemporaryDirectory() as folder:
        with _tracing(folder), jax.profiler.TraceAnnotation(_RUN):
            result = jax.block_until_ready(function(*args))
        return result, read_profile(folder)


@contextmanager
def _tracing(folder: str) -> Iterator[None]:
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    with _silenced():
        jax.profiler.start_trace(folder, profiler_options=options)
    try:
        yield
    finally:
        with _silenced():
            jax.profiler.stop_trace()


@contextmanager
def _silenced() -> Iterator[None]:
    """Nothing that C++ writes reaches stderr: JAX 0.7.2 complains there that TensorFlow is not installed."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def read_profile(path: str | Path) -> Profile:
    """Read what `jax.profiler.trace` has written: one `.xplane.pb`, or the folder in which there is one.

    Times begin with the call that `profiled` has traced; in a profile from elsewhere, with the first event.

    Raises:
        CannotRead: there is no profile, or there are several, or nothing is noted in it.

    Example:
        >>> read_profile("/nowhere")
        Traceback (most recent call last):
        jaxcourse.insides._belief.CannotRead: /nowhere holds 0 files *.xplane.pb; one is needed
    """
    path = Path(path)
    found = [path] if path.is_file() else sorted(path.rglob("*.xplane.pb"))
    if len(found) != 1:
        raise CannotRead(f"{path} holds {len(found)} files *.xplane.pb; one is needed")
    with warnings.catch_warnings():  # Python 3.13 warns of a type that jaxlib makes at its first look at facts,
        warnings.simplefilter("ignore")  # and where a warning is an error, jaxlib ends the process
        planes = jax.profiler.ProfileData.from_file(str(found[0])).planes
        threads = [(plane.name, line.name, list(_events_of(line))) for plane in planes for line in plane.lines]
    return _profile_of([thread for thread in threads if thread[2]])


class _Noted(NamedTuple):
    event: Event
    is_kernel: bool


def _events_of(line: Any) -> Iterator[_Noted]:
    for each in line.events:
        if each.duration_ns > 0 and not each.name.startswith(_NO_WORK):
            facts = dict(each.stats)
            start = each.start_ns / 1e9
            module = str(facts.get(_MODULE, "")) if _KERNEL in facts else ""
            yield _Noted(Event(each.name, start, start + each.duration_ns / 1e9, module), _KERNEL in facts)


def _profile_of(threads: list[tuple[str, str, list[_Noted]]]) -> Profile:
    """Lanes, of the threads and queues that a profile has."""
    if not threads:
        raise CannotRead("nothing is noted in this profile")
    every = [noted.event for *_, line in threads for noted in line]
    run = next((event for event in every if event.name == _RUN), None)
    begin = run.start if run else min(event.start for event in every)
    end = run.stop if run else max(event.stop for event in every)
    hosts, devices = [], []
    # The calling thread comes first: without our own annotation, it is the one that Python's calls are noted on.
    for plane, name, line in sorted(threads, key=lambda thread: not _calls(thread)):
        on_device = [noted.event for noted in line if noted.is_kernel]
        if plane.startswith("/device:"):  # a GPU's: one line for each of its streams, and more that sum these up
            on_device = [noted.event for noted in line] if "Stream" in name or name == "XLA Ops" else []
        elif rest := [noted.event for noted in line if not noted.is_kernel]:
            hosts.append(rest)
        devices.append(on_device)
    lanes = [*_named("host", hosts[:1], begin), *_named("device", filter(None, devices), begin)]
    return Profile(end - begin, (*lanes, *_named("host", hosts, begin)[1:]))


def _calls(thread: tuple[str, str, list[_Noted]]) -> bool:
    plane, name, line = thread
    return any(noted.event.name == _RUN for noted in line) or (plane.startswith("/host") and name == "python")


def _named(kind: str, lines: Iterable[list[Event]], begin: float) -> list[Lane]:
    lanes = []
    for number, line in enumerate(lines, 1):
        events = (Event(e.name, e.start - begin, e.stop - begin, e.module) for e in line if e.name != _RUN)
        ordered = tuple(sorted(events, key=lambda event: (event.start, -event.stop)))
        lanes.append(Lane(kind if number == 1 else f"{kind} {number}", kind == "device", ordered))
    return lanes


def compiles(event: Event) -> bool:
    """Whether an event of the host is that a program is compiled.

    Raises:
        CannotRead: this JAX notes that in another way.

    Example:
        >>> compiles(Event("PjitFunction(step)", 0.0, 1.0))
        False
    """
    noting_compilers.require()
    return event.name.startswith(_COMPILES)


def reads_back(event: Event) -> bool:
    """Whether an event of the host is that Python asks for the value of an array, as `float(x)` does.

    Raises:
        CannotRead: this JAX notes that in another way.

    Example:
        >>> reads_back(Event("np.asarray(jax.Array)", 0.0, 1.0))
        True
    """
    noting_transfers.require()
    return event.name.startswith(_READS)


def sends(event: Event) -> bool:
    """Whether an event of the host is that an array of NumPy, or a number, becomes one of a device.

    Raises:
        CannotRead: this JAX notes that in another way.

    Example:
        >>> sends(Event("DevicePut", 0.0, 1.0))
        True
    """
    noting_transfers.require()
    return event.name.startswith(_SENDS)


@belief()
def profiles() -> bool:
    """A profile has planes of lines of events, names the program of each kernel, and is written without a word."""

    def named(x: Any) -> Any:
        return jax.numpy.sin(x) + 1

    program = jax.jit(named)
    x = np.ones(7, np.float32)
    _, seen = _profiled(lambda: program(x))
    host = {event.name for event in seen.lanes[0].events}
    modules = {event.module for lane in seen.lanes if lane.on_device for event in lane.events}
    on_cpu = jax.default_backend() == "cpu"
    return "PjitFunction(named)" in host and ("jit_named" in modules or not on_cpu) and seen.seconds > 0


@belief()
def noting_compilers() -> bool:
    """A profile notes each program that is compiled once, by a name that begins with `backend_compile`."""
    fresh = [jax.jit(lambda x, n=n: x + n) for n in (3, 4)]
    x = np.ones(7, np.float32)
    counts = []
    for _ in range(2):
        _, seen = _profiled(lambda: [each(x) for each in fresh])
        counts.append(sum(event.name.startswith(_COMPILES) for event in seen.lanes[0].events))
    return counts == [2, 0]


@belief()
def noting_transfers() -> bool:
    """A profile notes what is read back from a device, and what is sent there."""
    program = jax.jit(lambda x: x + 1)
    _, seen = _profiled(lambda: float(program(jax.device_put(np.float32(1)))))
    names = [event.name for event in seen.lanes[0].events]
    return any(name.startswith(_READS) for name in names) and any(name.startswith(_SENDS) for name in names)
