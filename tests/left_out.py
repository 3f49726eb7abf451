"""What `make test` and `.ci/run` leave out, who asks it instead, and which tests may be dear: the one list of either.

`make test` asks pytest with `--leave-out`; without it, which is `make test-all`, nothing is left out. `.ci/run` has one
machine for 90 minutes: `make test`, mutants, and the same option of `make test-colab`. A test that takes
more processor time than `DEAR` and is not listed is named when all is done: share what it makes, start fewer processes,
or give it a row here with the reason. No test fails for its time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pytest

DEAR = 10.0
"""Processor seconds of one test, its processes included. A busy machine counts a third more, an old one twice that."""

ALL, MUTANTS, COLAB, WEEKLY = "make test-all", "make test-mutants", "make test-colab", "make test-weekly"


@dataclass(frozen=True)
class Row:
    """Tests, or a part of what they ask.

    Args:
        what: it is.
        because: why `make test` does not ask it; of what it asks, why it may be dear.
        asked_by: the first command that does.
        tests: the beginnings of the tests' names; none, where they ask less and are not left out.
    """

    what: str
    because: str
    asked_by: str
    tests: tuple[str, ...] = ()


LEFT_OUT = (
    Row(
        "each notebook, blank and solved, under `pytest --nbval`, and graded as students' are",
        "a kernel for each lesson, and each question once more, in a student's process; `make html` runs every lesson",
        ALL,
        ("tests/grade/test_parity.py",),
    ),
    Row(
        "of the wrong answers with one label, all but the first; five of the six draws that a solution is judged on, "
        "and one of two for a right answer",
        "each answer compiles programs of its own, and what one answer with a label shows, another one rarely denies",
        ALL,
    ),
    Row(
        "the contract of a lesson that is, with all that it can reach, as it was when the contract last held here",
        "what was proven stays so; in a fresh checkout nothing was",
        ALL,
    ),
    Row(
        "the tests of a fork, all that know pages, addresses and lessons; `make test` asks those that forks made red",
        "they are as many as the course's own",
        ALL,
        ("tests/course/test_fork.py::test_the_whole_walk",),
    ),
    Row(
        "mutants: small changes of the solutions of exercises that differ from where the branch left `origin/main`",
        "each is judged like an answer, and a solution has up to 500; `.ci/run` asks 150 or so",
        MUTANTS,
    ),
    Row(
        "on Colab's stack, of the wrong answers with one label all but the first, of the right answers all but one; "
        "and the tests of barometers, headlines and pictures to play with",
        "the pinned stack asks all of it; `make test` knows no Colab at all",
        COLAB,
    ),
    Row("mutants of all exercises, or of more than 400 changes", "one and a half hours", WEEKLY),
    Row("every listed answer, graded as students' are", "3,400 answers, each in a student's process", WEEKLY),
    Row("60 draws for each solution, 10 for each listed answer", "rare draws, and an hour", WEEKLY),
)
"""What `make test` and `.ci/run` do not ask."""

MAY_BE_DEAR = (
    Row("all answers to a lesson's exercises", "one test for a rule and a lesson", "make test", ("exercises_tests/",)),
    Row(
        "every lesson, begun without each private name of JAX",
        "one process imports all that lessons import",
        "make test",
        ("tests/insides/test_broken.py::test_every_lesson_begins",),
    ),
    Row(
        "classes that are graded whole, by the command that instructors use",
        "the first test that asks for the class waits for all of it",
        "make test",
        (
            "tests/grade/platforms/",
            "tests/grade/test_class.py",
            "tests/grade/test_class_of_thirty.py",
            "tests/grade/test_honest.py",
            "tests/grade/test_hostile.py",
            "tests/grade/test_fuzz.py",
            "tests/grade/test_earlier_names.py",
        ),
    ),
    Row(
        "the grader's environment, and how its students' processes compile",
        "each starts the parent of these processes anew, which imports all that lessons import",
        "make test",
        (
            "tests/grade/judging/test_grader.py::test_the_environment",
            "tests/grade/judging/test_grader.py::test_a_submission",
        ),
    ),
    Row(
        "a course of five lessons, and its site",
        "the first test that asks for the site waits until it is built",
        "make test",
        ("tests/course/test_syllabus.py",),
    ),
    Row(
        "the answers of the whole course, in its barometer",
        "one process answers all of them",
        "make test",
        ("tests/barometers/test_begin.py::test_all_answers",),
    ),
    Row(
        "a fork, which is made once, and its tests",
        "they run in a process of their own",
        "make test",
        ("tests/course/test_fork.py",),
    ),
    Row("whole notebooks, and the grader", "one test for a lesson", ALL, ("tests/grade/test_parity.py",)),
    Row(
        "the tests of `ewm` that pandas ships, twice: each run is one process",
        "its tables have a hundred shapes, and each is a program to compile",
        "make test",
        ("tests/frames/test_pandas_own.py",),
    ),
)
"""Tests that may take more than `DEAR`."""


def listed(name: str, rows: Iterable[Row]) -> bool:
    """Whether a test is in some rows.

    Args:
        name: the test's, as pytest has it.
        rows: of `LEFT_OUT` or `MAY_BE_DEAR`.

    Example:
        >>> listed("tests/grade/test_parity.py::test_a[01]", LEFT_OUT), listed("tests/test_bans.py::test_a", LEFT_OUT)
        (True, False)
    """
    return any(name.startswith(row.tests) for row in rows if row.tests)


def as_markdown() -> Iterator[str]:
    """The lines of the table in book/contributing/house.md: `python tests/left_out.py` prints them."""
    yield from ("| `make test` and `.ci/run` leave out | because | it is asked by |", "|---|---|---|")
    yield from (f"| {row.what} | {row.because} | `{row.asked_by}` |" for row in LEFT_OUT)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--leave-out", action="store_true", help="do not ask what tests/left_out.py lists: `make test`")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("leave_out"):
        return
    left = [item for item in items if listed(item.nodeid, LEFT_OUT)]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if not listed(item.nodeid, LEFT_OUT)]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.getoption("leave_out"):
        terminalreporter.write_line("left out, and why: tests/left_out.py")
        for row in LEFT_OUT:
            terminalreporter.write_line(f"  {row.what}: {row.asked_by}")


if __name__ == "__main__":
    print(*as_markdown(), sep="\n")
