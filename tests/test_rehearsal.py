"""Threads that play processes: who meets whom, and what is found where nobody can come."""

import contextlib
import sys
import threading
from typing import Any

import pytest

from jaxcourse.launch import rehearse


def test_values_come_in_the_order_of_the_processes_and_are_copies() -> None:
    def program(rank: int, count: int, exchange: Any, own: list[int]) -> list[Any]:
        everybody = exchange("own", own)
        everybody[0].append(99)
        own.append(7)
        return [list(everybody), exchange("own", own)]

    arguments = [[1], [2], [3]]
    run = rehearse(program, 3, arguments)
    assert arguments == [[1], [2], [3]] and not run.failures and run.meetings == 2
    assert run.results == [[[[1, 99], [2], [3]], [[1, 7], [2, 7], [3, 7]]]] * 3


@pytest.mark.parametrize("count", [1, 2, 5])
def test_many_meetings_keep_their_values_apart(count: int) -> None:
    run = rehearse(lambda rank, count, exchange: [sum(exchange("sum", rank + n)) for n in range(200)], count)
    want = [count * n + count * (count - 1) // 2 for n in range(200)]
    assert run.results == [want] * count and run.meetings == 200


@pytest.mark.parametrize("late", [0, 1, 2])
def test_who_waits_for_one_that_has_ended_is_told(late: int) -> None:
    before = threading.active_count()
    run = rehearse(lambda rank, count, exchange: None if rank == late else exchange("sum", rank), 3)
    waits = 0 if late else 1
    said = f'Apart: process {waits} waits in "sum" for process {late}, which has ended.'
    assert run.failures == {rank: said for rank in range(3) if rank != late}
    assert run.error is None and threading.active_count() == before


def test_other_meetings_do_not_match() -> None:
    run = rehearse(lambda rank, count, exchange: exchange("ab"[rank], rank), 2)
    assert run.failures == dict.fromkeys(range(2), "Apart: the processes met for different things: a, b.")


def test_an_exception_of_the_program_is_kept_apart_from_its_echo() -> None:
    def program(rank: int, count: int, exchange: Any) -> Any:
        if rank == 1:
            raise KeyError("bad batch")
        return exchange("sum", rank)

    run = rehearse(program, 2)
    assert isinstance(run.error, KeyError) and run.failures[1] == "KeyError: 'bad batch'"
    assert run.failures[0].startswith("Apart: ") and run.results == [None, None]


def test_trouble_stays_known_when_a_program_catches_it() -> None:
    def program(rank: int, count: int, exchange: Any) -> None:
        if rank == 0:
            with contextlib.suppress(RuntimeError):
                exchange("sum", rank)

    run = rehearse(program, 2)
    assert not run.failures and run.trouble == 'process 0 waits in "sum" for process 1, which has ended.'


def test_a_process_that_exits_has_failed_and_nobody_waits_for_it() -> None:
    def program(rank: int, count: int, exchange: Any) -> Any:
        return sys.exit(3) if rank == 1 else exchange("sum", rank)

    run = rehearse(program, 2)
    assert isinstance(run.error, SystemExit) and run.failures[1] == "SystemExit: 3"
    assert run.failures[0].startswith("Apart: ")
