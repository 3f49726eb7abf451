"""What an instructor sees while a class is graded: messages and progress."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any

_TOLD_EVERY = 10.0
"""Seconds between two lines of progress where there is no terminal."""


def say(line: str) -> None:
    """Show a line to the instructor at once, even if the output is a file."""
    print(line, flush=True)


def track(results: Iterable[Any], total: int) -> Iterator[Any]:
    """Go through results, and show how many of them are done, how fast they come, and the time left.

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
