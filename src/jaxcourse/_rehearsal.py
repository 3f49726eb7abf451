"""Threads that play processes: a program's meetings are rehearsed where no process can be started."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Exchange = Callable[[str, Any], list[Any]]
"""`exchange(kind, value)`: everybody's values, in the order of the processes. All must come, with the same kind."""


class Apart(RuntimeError):
    """Processes that can never meet: one waits for another that has ended, or they met for different things."""


@dataclass
class Rehearsal:
    """What became of a program in some processes.

    Attributes:
        results: what each returned, None if it failed.
        failures: what each that failed died of.
        trouble: why a meeting could not come about, also if the program caught the exception; else empty.
        error: what was raised first, if it was not for want of a partner.
        meetings: how often all met.
    """

    results: list[Any]
    failures: dict[int, str] = field(default_factory=dict)
    trouble: str = ""
    error: Exception | SystemExit | None = None
    meetings: int = 0


def rehearse(program: Callable[..., Any], count: int, *arguments: Any) -> Rehearsal:
    """Run `program(rank, count, exchange, *arguments)` in threads, one for each process.

    Nothing is shared: values are copied on their way. A meeting that cannot come about is found at once, without a
    limit of time. Real processes would wait there, or go on with wrong numbers.

    Args:
        program: what each process runs; `exchange` is its only way to the others, see `Exchange`.
        count: how many processes.
        *arguments: for each further argument a list, with one for each process.

    Returns:
        What each returned, and what went wrong.

    Example:
        >>> rehearse(lambda rank, count, exchange: sum(exchange("sum", rank)), 3).results
        [3, 3, 3]
        >>> rehearse(lambda rank, count, exchange: rank or exchange("sum", rank), 2).failures
        {0: 'Apart: process 0 waits in "sum" for process 1, which has ended.'}
    """
    meeting = _Meeting(count)
    run = Rehearsal([None] * count)

    def play(rank: int) -> None:
        try:
            own = [copy.deepcopy(argument[rank]) for argument in arguments]
            run.results[rank] = program(rank, count, lambda kind, value: meeting.join(rank, kind, value), *own)
        except (Exception, SystemExit) as error:
            run.failures[rank] = f"{type(error).__name__}: {error}"
            run.error = run.error or (None if isinstance(error, Apart) else error)
        finally:
            meeting.leave(rank)

    threads = [threading.Thread(target=play, args=(rank,), daemon=True) for rank in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run.failures, run.meetings = dict(sorted(run.failures.items())), meeting.held
    run.trouble = meeting.trouble
    return run


class _Meeting:
    """Where threads wait for each other."""

    def __init__(self, count: int) -> None:
        self.count, self.held, self.trouble = count, 0, ""
        self.here: dict[int, tuple[str, Any]] = {}
        self.ended: set[int] = set()
        self.values: list[Any] = []
        self.changed = threading.Condition()

    def join(self, rank: int, kind: str, value: Any) -> list[Any]:
        """Wait for all, and return what each has brought.

        Raises:
            Apart: somebody cannot come, or came for something else.
        """
        with self.changed:
            self.here[rank] = str(kind), copy.deepcopy(value)
            number = self.held
            self._look_around()
            self.changed.wait_for(lambda: self.held > number or self.trouble)
            if self.held == number:
                raise Apart(self.trouble)
            return copy.deepcopy(self.values)

    def leave(self, rank: int) -> None:
        """Say that a process has ended."""
        with self.changed:
            self.ended.add(rank)
            self._look_around()

    def _look_around(self) -> None:
        kinds = sorted({kind for kind, _ in self.here.values()})
        if len(self.here) == self.count and len(kinds) == 1:
            self.values = [self.here[rank][1] for rank in range(self.count)]
            self.here, self.held = {}, self.held + 1
        elif len(self.here) == self.count:
            self.trouble = f"the processes met for different things: {', '.join(kinds)}."
        elif self.here and self.ended and len(self.here) + len(self.ended) == self.count:
            rank, gone = min(self.here), min(self.ended)
            self.trouble = f'process {rank} waits in "{self.here[rank][0]}" for process {gone}, which has ended.'
        self.changed.notify_all()
