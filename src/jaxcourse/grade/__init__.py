"""A class's notebooks: read, run apart, judged here, reported.

What a student's process may do is in `_sandbox`; what it can say to the judge in `_wire`; how it is started in
`_zygote`, `_child` and `_process`. `_judge` grades one submission, `_class` all of them, `_report` writes what came
out.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["run"]

_TOLD_EVERY = 10.0
"""Seconds between two lines of progress where there is no terminal."""


def run(options: argparse.Namespace) -> int:
    """Grade a class as the command line says, and return an exit status.

    Args:
        options: see `jaxcourse grade --help`.

    Returns:
        0 when everything that was handed in has its row; 2 when it could not be graded; 130 when it was interrupted.
    """
    if sys.platform == "win32":
        return _give_up("Windows has no processes that can be forked. Grade under WSL, or on Linux or macOS.")
    from jaxcourse.grade._class import grade
    from jaxcourse.grade._judge import CourseFault
    from jaxcourse.grade._process import CannotStart

    try:
        written = grade(_order(options), say, track)
    except KeyboardInterrupt:
        say("Interrupted. What was graded is kept: the same command goes on from here.")
        return 128 + signal.SIGINT
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _give_up(f"{where}{error.strerror or error}. What was graded is kept: mend this, and start again.")
    except (CannotStart, CourseFault, ValueError) as error:
        return _give_up(str(error))
    say(f"{len(written)} reports in {options.out}. Begin with {options.out / 'class.html'}.")
    return 0


def _order(options: argparse.Namespace) -> Any:
    from jaxcourse.grade._class import Order
    from jaxcourse.grade._sandbox import Limits

    same = (
        "submissions",
        "out",
        "lesson",
        "roster",
        "canvas",
        "moodle",
        "seed",
        "workers",
        "dask",
        "unprotected",
        "title",
    )
    limits = Limits(seconds=options.seconds, piece_seconds=options.piece_seconds, memory=options.memory * 2**20)
    return Order(**{name: getattr(options, name) for name in same}, limits=limits)


def _give_up(reason: str) -> int:
    print(f"jaxcourse grade: {reason}", file=sys.stderr)
    return 2


def say(line: str) -> None:
    """Show a line to the instructor at once, also where the output is a file."""
    print(line, flush=True)


def track(results: Iterable[Any], total: int) -> Iterator[Any]:
    """Go through results, and show how many of how many there are, how fast they come, and the time left.

    Args:
        results: as they come.
        total: how many there will be.
    """
    from rich.console import Console

    console = Console()
    yield from (_bar(results, total, console) if console.is_terminal else _lines(results, total))


def _bar(results: Iterable[Any], total: int, console: Any) -> Iterator[Any]:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"), TimeElapsedColumn(), "left:"
    with Progress(*columns, TimeRemainingColumn(), console=console) as progress:
        task, began = progress.add_task("", total=total, rate=""), time.monotonic()
        for done, result in enumerate(results, 1):
            yield result
            progress.update(task, advance=1, rate=_rate(done, began))


def _lines(results: Iterable[Any], total: int) -> Iterator[Any]:
    began = told = time.monotonic()
    for done, result in enumerate(results, 1):
        yield result
        if time.monotonic() - told > _TOLD_EVERY or done == total:
            told = time.monotonic()
            left = (total - done) * (told - began) / done
            say(f"{done} of {total} graded, {_rate(done, began)}, {left:.0f} s left")


def _rate(done: int, began: float) -> str:
    return f"{60 * done / max(time.monotonic() - began, 1e-9):.0f} a minute"
