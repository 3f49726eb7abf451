"""`jaxcourse record`: piece by piece, each in a process of its own, until all is there or the time is over."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import jaxcourse
from jaxcourse.course import Course
from jaxcourse_author.lesson import boxes_by_section, page_at
from jaxcourse_author.recorded._cells import code_cells, measured_cells
from jaxcourse_author.recorded._measure import HEADLINES, KERNELS, MACHINE
from jaxcourse_author.recorded._record import FOLDER, Machine, Measurement, Record, RecordError, read, taken_of

LIMIT = 240.0
"""Seconds after which a piece is given up: what is left of it is not tried again."""
START = 120.0
"""Seconds in which a machine must say what it is."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Job:
    """A piece, and by what its measurements are known."""

    piece: str
    due: tuple[str, ...]


def jobs(course: Course) -> list[Job]:
    """What there is to measure, in the order of worth.

    First the kernels, which no page measures itself; then lessons, those first whose predictions are judged by what is
    measured, and those last that have no JAX; then what the sources say.
    """
    from jaxcourse_author.headlines import HEADLINES as SOURCES  # they import all of JAX, which pages need not
    from jaxcourse_author.recorded._kernels import CASES

    lessons = [(path, *_of_lesson(path)) for path in course.lesson_paths]
    lessons = [one for one in lessons if one[1]]
    lessons.sort(key=lambda one: (not one[2], -_count_judged(one[0]), -len(one[1])))
    found = [Job(path.stem, tuple(due)) for path, due, _ in lessons]
    return [Job(KERNELS, CASES), *found, Job(HEADLINES, tuple(SOURCES))]


def _of_lesson(path: Path) -> tuple[list[str], bool]:
    """By what a lesson's measured cells are known, and whether one of its cells imports JAX."""
    cells = code_cells(path)
    return list(measured_cells(cells)), any(re.search(r"^\s*import jax\b", cell.code, re.MULTILINE) for cell in cells)


def _count_judged(path: Path) -> int:
    """How many fields of a lesson's predictions are judged by what was measured."""
    boxes = [box for found in boxes_by_section(page_at(path)).values() for box in found]
    return sum(field.is_measured for box in boxes for field in box.fields)


def record(
    course: Course,
    into: Path | None = None,
    *,
    seconds: float = 600.0,
    only: Sequence[str] = (),
    say: Say = lambda line: None,
) -> tuple[Path, int]:
    """Measure what is missing in a record of this machine, and keep each measurement as soon as it is made.

    Args:
        course: whose pages are measured.
        into: the file; by default one in `book/recorded/` that is named after the device.
        seconds: after these it ends, in the middle of whatever it is at.
        only: these pieces alone.
        say: is told what comes next, and what could not be measured.

    Returns:
        The file, and how many measurements are still missing.

    Raises:
        RecordError: the file was begun on another machine or with other versions, or is no record.
        ValueError: there is no such piece, or JAX does not start here.
    """
    end = time.monotonic() + seconds
    chosen = _choose(jobs(course), only)
    machine, versions = _here(course.root)
    path = into or course.root / FOLDER / f"{_slug(machine.name)}.json"
    kept = read(path) if path.exists() else Record(machine, versions)
    kept.require_same(machine, versions, path)
    for job in chosen:
        if (left := end - time.monotonic()) > 0 and kept.missing(job.piece, job.due):
            say(f"{job.piece}: {len(kept.missing(job.piece, job.due))} to measure")
            _measure(course.root, job, kept, path, left, say)
    return path, sum(len(kept.missing(job.piece, job.due)) for job in chosen)


def _choose(found: list[Job], only: Sequence[str]) -> list[Job]:
    if unknown := sorted(set(only) - {job.piece for job in found}):
        raise ValueError(f"there is no {', '.join(unknown)}; there are {', '.join(job.piece for job in found)}.")
    return [job for job in found if not only or job.piece in only]


def _slug(name: str) -> str:
    """A name for a file.

    >>> _slug("NVIDIA H200"), _slug("Intel(R) Xeon(R) CPU @ 2.20GHz")
    ('nvidia-h200', 'intel-r-xeon-r-cpu-2-20ghz')
    """
    return "-".join(re.findall(r"[a-z0-9]+", name.lower()))[:60] or "device"


def _here(root: Path) -> tuple[Machine, dict[str, str]]:
    with _Process(root, MACHINE) as process:
        for line in process.lines(START):
            return Machine(**line["machine"]), line["versions"]
        raise ValueError(f"JAX does not start here: {process.last_words()}")


def _measure(root: Path, job: Job, kept: Record, path: Path, left: float, say: Say) -> None:
    """Measure a piece, for so many seconds at most; of what it does not reach by itself, keep why."""

    def keep(key: str, taken: Measurement) -> None:
        kept.take(job.piece, key, taken, jaxcourse.__version__, job.due)
        kept.write(path)
        if taken.why:
            say(f"{job.piece}, {key}: not measured, {taken.why}")

    missing = kept.missing(job.piece, job.due)
    with _Process(root, job.piece, "--device", kept.machine.device, "--keys", *missing) as process:
        for line in process.lines(min(left, LIMIT)):
            if line["key"] in job.due:
                keep(line["key"], _taken_of(line))
                missing = [key for key in missing if key != line["key"]]
        if process.is_over:
            why = f"its process ended with status {process.status}: {process.last_words()}"
        elif left <= LIMIT:
            return  # the next call goes on here
        else:
            why = f"the whole took more than {LIMIT:g} s"
    for key in missing:
        keep(key, Measurement(why=why[:160]))


def _taken_of(line: dict[str, Any]) -> Measurement:
    try:
        return taken_of("its output", line["taken"])
    except RecordError as error:
        return Measurement(why=str(error)[:160])


class _Process:
    """A process that measures one piece, with all that it starts itself; it ends with the `with` block."""

    def __init__(self, root: Path, piece: str, *options: str) -> None:
        command = [sys.executable, "-m", "jaxcourse_author.recorded", piece, "--root", str(root), *options]
        # Programs that an earlier run has compiled would make lessons about compiling tell something else.
        environment = {name: one for name, one in os.environ.items() if name != "JAX_COMPILATION_CACHE_DIR"}
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115, it is closed with the process
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,  # never written to: its end tells the process that nobody listens any more
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=root / "notebooks",
            env=environment,
            start_new_session=os.name == "posix",
        )

    def __enter__(self) -> _Process:
        return self

    def __exit__(self, *error: object) -> None:
        self._kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream:
                stream.close()

    def _kill(self) -> None:
        if os.name != "posix":
            self._process.kill()
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)  # also what a lesson has started

    @property
    def is_over(self) -> bool:
        """Whether it has ended by itself, having said all."""
        return self._process.poll() is not None

    @property
    def status(self) -> int:
        """With which it ended."""
        return self._process.wait()

    def lines(self, seconds: float) -> Iterator[dict[str, Any]]:
        """What it says, line by line, until it ends or the seconds are over."""
        said: queue.Queue[bytes | None] = queue.Queue()
        out = self._process.stdout
        assert out

        def listen() -> None:
            for line in out:
                said.put(line)
            said.put(None)

        threading.Thread(target=listen, daemon=True).start()
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                line = said.get(timeout=left)
            except queue.Empty:
                return
            if line is None:
                self._process.wait()
                return
            yield json.loads(line)

    def last_words(self) -> str:
        """The last line that it wrote to stderr."""
        self._errors.seek(0)
        text = self._errors.read()[-4000:].decode("utf-8", "replace")
        lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
        return re.sub(r"[\x00-\x1f\x7f-\x9f]", "", lines[-1])[:120] if lines else "it said nothing"
