"""A program in several processes of one machine, with JAX's own `jax.distributed` between them.

Each process has its own memory and its own devices, as on a cluster; only the distance is missing. What they print
arrives line by line, with the number of the process. Whoever fails takes the others along within seconds, and one line
says who was first, and why. For learning and for tests: on a cluster, its own launcher starts the processes.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jaxcourse import _member
from jaxcourse._rehearsal import Rehearsal as Rehearsal
from jaxcourse._rehearsal import rehearse as rehearse
from jaxcourse.devices import threads

Program = str | Path
"""A program's text, or the file that it is in."""

Show = Callable[[str], None]

GRACE = 2.0
"""Seconds that the others have, after one has failed, to say what they see of it."""

ECHO = 0.5
"""Seconds that the end of a process may be heard later than what another one says of it."""

_CHATTER = re.compile(r"\[Gloo\]|peer ranks|^[IW]\d{4} |^WARNING: All log messages|^\s*$")
"""What the libraries below JAX say about themselves."""


@dataclass(frozen=True)
class Outcome:
    """How a run of several processes has ended.

    Attributes:
        statuses: the exit status of each process; negative for a signal, None for one that was not started.
        failure: who failed first, and why; empty if all came to the end of the program.
    """

    statuses: tuple[int | None, ...]
    failure: str = ""

    @property
    def ok(self) -> bool:
        """Whether all processes came to the end of the program."""
        return not self.failure


def together(
    program: Program | Sequence[Program | None],
    processes: int = 2,
    *,
    devices: int = 1,
    seconds: float = 60.0,
    meet: float = 20.0,
    arguments: Sequence[str] = (),
    show: Show | None = None,
) -> Outcome:
    """Run a program in several processes that know of each other, and show what they print.

    Args:
        program: a text, or the path of a file. To see what goes wrong, a list with one for each process: where None
            stands, no process is started.
        processes: how many; of a list, its length.
        devices: how many devices each has.
        seconds: after these, all that still run are ended.
        meet: how long those that are there wait for one that is not.
        arguments: what the program finds in `sys.argv[1:]`.
        show: is called with each line; `print` if nothing else is given.

    Returns:
        How each ended, and who failed first.

    Raises:
        ValueError: there is no process, or a process without a device.
        FileNotFoundError: there is no such file.

    Example:
        >>> together("import jax; print(jax.process_index(), jax.process_count())", 1)
        [0] 0 1
        Outcome(statuses=(0,), failure='')
    """
    programs = [program] * processes if isinstance(program, (str, Path)) else list(program)
    if not programs or devices < 1:
        raise ValueError(f"at least one process and one device are needed, not {len(programs)} and {devices}")
    run = _Run([_text_and_name(one) for one in programs], devices, seconds, meet, show or _print)
    try:
        run.start(list(arguments))
        run.follow()
    finally:  # also if the cell is interrupted
        statuses = run.end()
    return Outcome(statuses, run.failure)


def _print(line: str) -> None:
    print(line, flush=True)


def _text_and_name(program: Program | None) -> tuple[str, str] | None:
    if isinstance(program, Path):
        return program.read_text(encoding="utf-8"), str(program)
    return None if program is None else (program, "<program>")


def free_port() -> int:
    """A port of this machine on which nobody listens.

    Example:
        >>> 1024 <= free_port() < 65536
        True
    """
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


def environment(devices: int) -> dict[str, str]:
    """The environment of one process with so many devices: the processor only, and no proxies.

    Example:
        >>> environment(2)["JAX_NUM_CPU_DEVICES"]
        '2'
    """
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    counts = {"JAX_NUM_CPU_DEVICES": str(devices), "PJRT_NPROC": str(threads(devices))}
    return kept | {"JAX_PLATFORMS": "cpu"} | counts


@dataclass
class _Run:
    """The processes of one run, and what has been heard of them."""

    programs: list[tuple[str, str] | None]
    devices: int
    seconds: float
    meet: float
    show: Show
    failure: str = ""
    workers: dict[int, subprocess.Popen[str]] = field(default_factory=dict)
    listeners: list[threading.Thread] = field(default_factory=list)
    heard: queue.SimpleQueue[tuple[int, str | None]] = field(default_factory=queue.SimpleQueue)
    words: dict[int, list[str]] = field(default_factory=dict)

    def start(self, arguments: list[str]) -> None:
        """Start every process, hand it its program, and listen to it."""
        port, settings = free_port(), environment(self.devices)
        self.end_at, self.met = time.monotonic() + self.seconds, False
        for rank, program in enumerate(self.programs):
            if program is None:
                continue
            text, name = program
            # Without a session of its own, a process would be interrupted beside its launcher, and say so at length.
            worker = subprocess.Popen(
                [sys.executable, "-P", _member.__file__],
                env=_with_folder(settings, name),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
            self.workers[rank], self.words[rank] = worker, []
            task: dict[str, object] = {"rank": rank, "count": len(self.programs), "port": port, "meet": self.meet}
            task |= {"program": text, "name": name, "arguments": arguments}
            self.listeners.append(
                threading.Thread(target=self._listen, args=(rank, worker, json.dumps(task)), daemon=True)
            )
            self.listeners[-1].start()

    def _listen(self, rank: int, worker: subprocess.Popen[str], task: str) -> None:
        assert worker.stdin and worker.stdout
        with contextlib.suppress(OSError):  # it has died already; its status says so
            worker.stdin.write(task + "\n")
            worker.stdin.flush()  # and left open: its end tells the process that the launcher is gone
        with worker.stdout:
            for line in worker.stdout:
                self.heard.put((rank, line.rstrip("\n")))
        worker.wait()
        self.heard.put((rank, None))

    def follow(self) -> None:
        """Show what is said until all have ended, or until it is time to end them."""
        running = set(self.workers)
        while running:
            try:
                rank, line = self.heard.get(timeout=max(0.0, self.end_at - time.monotonic()))
            except queue.Empty:
                self._fail(self._why_stopped(running))
                break
            if line is not None:
                self._hear(rank, line)
            else:
                running.discard(rank)
                self._ended(rank)
        if self.failure:
            self.show(f"failed: {self.failure}")

    def _hear(self, rank: int, line: str) -> None:
        text, mark, word = line.partition(_member.MARK)
        if not _CHATTER.search(text):
            self.show(f"[{rank}] {text}")
        if not mark:
            return
        self.words[rank].append(word)
        now = time.monotonic()
        if word == "here" and sum(map(bool, self.words.values())) == 1:
            self.began, self.end_at = self.end_at, min(self.end_at, now + self.meet)
        elif word == "met" and not self.met:
            self.met, self.end_at = True, self.began

    def _ended(self, rank: int) -> None:
        if self.failure or (self.workers[rank].returncode == 0 and "done" in self.words[rank]):
            return
        rank = self._first(rank)
        status, words = self.workers[rank].returncode, self.words[rank]
        kind, _, why = words[-1].partition(" ") if words else ("", "", "")
        if kind == "differs":
            return self._fail(why)
        self._fail(f"process {rank} was the first to fail: it {why if kind == 'failed' else _way_to_end(status)}")

    def _first(self, rank: int) -> int:
        """Who failed before a process that has ended: one that was killed, though its echo may be heard earlier.

        When a process is killed, its connections are closed before its status can be asked for. By an abort JAX ends
        the others.
        """
        end = time.monotonic() + ECHO
        while not (killed := self._killed_ranks()) and time.monotonic() < end:
            time.sleep(0.02)
        return killed[0] if killed else rank

    def _killed_ranks(self) -> list[int]:
        """The processes that a signal has ended, but for an abort."""
        statuses = {rank: worker.poll() or 0 for rank, worker in self.workers.items()}
        return [rank for rank, status in statuses.items() if status < 0 and status != -signal.SIGABRT]

    def _fail(self, why: str) -> None:
        if not self.failure:
            self.failure, self.end_at = why, min(self.end_at, time.monotonic() + GRACE)

    def _why_stopped(self, running: set[int]) -> str:
        missing = [rank for rank in range(len(self.programs)) if not self.words.get(rank)]
        if missing and any(self.words.values()):
            return f"{_member.process_names(missing)} was missing, and the others waited {self.meet:g} s"
        done = [rank for rank in sorted(running) if "done" in self.words[rank]]
        still = [rank for rank in sorted(running) if rank not in done]
        after = f", while {_member.process_names(done)} had finished" if done and still else ""
        return f"{self.seconds:g} s were over, and {_member.process_names(still or done)} had not ended{after}"

    def end(self) -> tuple[int | None, ...]:
        """End what still runs; the exit status of each."""
        for worker in self.workers.values():
            worker.kill()  # does nothing to one that has ended
        for listener in self.listeners:
            listener.join(timeout=5)  # longer, if the program has left a process of its own that holds the line
        for worker in self.workers.values():
            with contextlib.suppress(OSError), worker.stdin or contextlib.nullcontext():
                worker.wait()
        return tuple(
            self.workers[rank].returncode if rank in self.workers else None for rank in range(len(self.programs))
        )


def _with_folder(settings: dict[str, str], name: str) -> dict[str, str]:
    """The environment of a process that finds modules beside its program, or in the current folder."""
    folder = Path(name).resolve().parent if name != "<program>" else Path.cwd()
    return settings | {"PYTHONPATH": os.pathsep.join(filter(None, [str(folder), settings.get("PYTHONPATH", "")]))}


def _way_to_end(status: int) -> str:
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"left with status {status} before the end of the program"
