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
    said = f'NeverMeet: process {waits} waits in "sum" for process {late}, which has ended.'
    assert run.failures == {rank: said for rank in range(3) if rank != late}
    assert run.error is None and threading.active_count() == before


def test_other_meetings_do_not_match() -> None:
    run = rehearse(lambda rank, count, exchange: exchange("ab"[rank], rank), 2)
    assert run.failures == dict.fromkeys(range(2), "NeverMeet: the processes met for different things: a, b.")


def test_an_exception_of_the_program_is_kept_apart_from_its_echo() -> None:
    def program(rank: int, count: int, exchange: Any) -> Any:
        if rank == 1:
            raise KeyError("bad batch")
        return exchange("sum", rank)

    run = rehearse(program, 2)
    assert isinstance(run.error, KeyError) and run.failures[1] == "KeyError: 'bad batch'"
    assert run.failures[0].startswith("NeverMeet: ") and run.results == [None, None]


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
    assert run.failures[0].startswith("NeverMeet: ")


def rehearsed(source: str, count: int, *arguments: list[Any]) -> Any:
    """What a program that stands in a module of its own returns in each process."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(source, names)
    return rehearse(names["program"], count, *arguments).results


SHARING = {
    "a dictionary": "box = {}\ndef program(rank, count, exchange, own):\n    box[rank] = own\n    return len(box)",
    "a list behind a helper": (
        "box = []\ndef put(own):\n    box.append(own)\n    return len(box)\n"
        "def program(rank, count, exchange, own):\n    return put(own)"
    ),
    "a global name": (
        "n = 0\ndef program(rank, count, exchange, own):\n    global n\n    n += 1\n"
        "    exchange('here', own)\n    return n"
    ),
    "a default": "def program(rank, count, exchange, own, box=[]):\n    box.append(own)\n    return len(box)",
    "a closure": (
        "def made():\n    box = []\n    def program(rank, count, exchange, own):\n        box.append(own)\n"
        "        return len(box)\n    return program\nprogram = made()"
    ),
    "a class": (
        "class Board:\n    box = []\ndef program(rank, count, exchange, own):\n    Board.box.append(own)\n"
        "    exchange('here', own)\n    return len(Board.box)"
    ),
    "a class's name": (
        "class Board:\n    n = 0\n    @classmethod\n    def count(cls):\n        cls.n += 1\n        return cls.n\n"
        "def program(rank, count, exchange, own):\n    n = Board.count()\n    exchange('here', own)\n    return n"
    ),
    "a module that is imported": (
        "def program(rank, count, exchange, own):\n    import math\n    vars(math).setdefault('_box', []).append(own)\n"
        "    exchange('here', own)\n    return len(math._box)"
    ),
    "an attribute": (
        "def program(rank, count, exchange, own):\n    program.n = getattr(program, 'n', 0) + 1\n    return program.n"
    ),
}


@pytest.mark.parametrize("source", SHARING.values(), ids=SHARING)
def test_each_process_has_globals_of_its_own(source: str) -> None:
    assert rehearsed(source, 3, [5, 6, 7]) == [1, 1, 1]


def test_what_a_process_leaves_in_a_module_is_its_own() -> None:
    sharing = "import sys\ndef program(rank, count, exchange, own):\n    box = vars(sys).setdefault('_box', [])\n"
    assert rehearsed(f"{sharing}    box.append(own)\n    exchange('here', 0)\n    return sum(box)", 2, [5, 6]) == [5, 6]
    assert not hasattr(sys, "_box")


def test_what_a_process_has_returned_is_as_it_was_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [])  # of a library's lists there is only one

    def program(rank: int, count: int, exchange: Any) -> list[str]:
        sys.argv.append("")
        return sys.argv

    assert [len(found) for found in rehearse(program, 3).results] == [1, 2, 3]


def test_a_program_of_several_functions_that_call_each_other_is_itself() -> None:
    source = (
        "import math\nclass Mean:\n    def __init__(self, values):\n        self.values = values\n"
        "def even(n):\n    return n == 0 or odd(n - 1)\ndef odd(n):\n    return n > 0 and even(n - 1)\n"
        "def program(rank, count, exchange, own, *, power=2):\n"
        "    mean = Mean(exchange('own', own))\n    return even(own), math.fsum(mean.values) ** power\n"
    )
    assert rehearsed(source, 2, [4, 5]) == [(True, 81.0), (False, 81.0)]


def test_an_object_can_be_a_program() -> None:
    class Program:
        def __init__(self) -> None:
            self.calls = 0

        def __call__(self, rank: int, count: int, exchange: Any) -> int:
            self.calls += 1
            exchange("here", rank)
            return self.calls

    assert rehearse(Program(), 3).results == [1, 1, 1]
