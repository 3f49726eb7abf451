"""What tests cost in processor time, the processes included that they start: unlike seconds, much the same on a busy
machine."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Generator, Iterator, Mapping

import pytest
from left_out import DEAR, MAY_BE_DEAR, listed

SHOWN = 40
"""How many of the dearest tests are named."""


def spent() -> tuple[float, float]:
    """The processor time of this process, and of those that it has waited for: nothing on Windows, which has none."""
    now = os.times()
    return now.user + now.system, now.children_user + now.children_system


def part(name: str) -> str:
    """The part of the tests to which one belongs.

    Example:
        >>> part("tests/grade/judging/test_cache.py::test_a"), part("tests/test_bans.py::test_a"), part("src/a/b.py::b")
        ('tests/grade/judging', 'tests/test_*.py', 'doctests')
        >>> part("exercises_tests/test_contract.py::test_lesson[solutions_pass-01_x]")
        'contract: solutions_pass'
    """
    path, _, test = name.partition("::")
    folder = path.rpartition("/")[0]
    if path.startswith("exercises_tests/"):
        return f"contract: {test.partition('[')[2].partition('-')[0].rstrip(']') or test}"
    if not path.rpartition("/")[2].startswith("test_"):
        return "doctests"
    return "tests/test_*.py" if folder == "tests" else folder


def by_part(costs: Mapping[str, float]) -> Counter[str]:
    """The processor seconds of each part."""
    found: Counter[str] = Counter()
    for name, seconds in costs.items():
        found[part(name)] += seconds
    return found


def unlisted(costs: Mapping[str, float], limit: float) -> list[str]:
    """The tests that take more than so many processor seconds and that nobody has listed, the dearest first."""
    dear = [name for name, seconds in costs.items() if seconds > limit and not listed(name, MAY_BE_DEAR)]
    return sorted(dear, key=lambda name: -costs[name])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--costs", action="store_true", help=f"show the parts by processor time, and the {SHOWN} dearest tests"
    )


_costs_of: Counter[str] = Counter()
"""Processor seconds by the test's name: where the tests run, and where their results are gathered."""
_marks = [0.0]
"""What had been spent when a phase of a test began, the latest last."""


def pytest_runtest_logstart() -> None:
    _marks[:] = [sum(spent())]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Write onto each phase's report what it cost: reports travel from the workers to whoever gathers them."""
    report = yield
    now = sum(spent())
    report.processor_seconds = now - _marks[-1]
    _marks[:] = [now]
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _costs_of[ungrouped(report.nodeid)] += getattr(report, "processor_seconds", 0)


def ungrouped(name: str) -> str:
    """A test's name without the group that pytest-xdist writes behind it.

    Example:
        >>> ungrouped("tests/test_a.py::test_b[01]@01_lesson"), ungrouped("tests/test_a.py::test_b[x@y]")
        ('tests/test_a.py::test_b[01]', 'tests/test_a.py::test_b[x@y]')
    """
    return re.sub(r"@[\w.-]+$", "", name)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for line in lines(_costs_of, show_all=config.getoption("costs")):
        terminalreporter.write_line(line)


def lines(costs: Mapping[str, float], *, show_all: bool) -> Iterator[str]:
    """What is said of the costs: what is dear and not listed, and all of it if wanted.

    Args:
        costs: processor seconds by the test's name.
        show_all: whether the parts and the dearest tests are shown, too.
    """
    if show_all:
        yield "processor seconds by part:"
        yield from (f"  {seconds:6.0f}  {name}" for name, seconds in by_part(costs).most_common())
        yield "dearest tests, in processor seconds:"
        yield from (f"  {seconds:6.1f}  {name}" for name, seconds in Counter(costs).most_common(SHOWN))
    for name in unlisted(costs, DEAR):
        yield f"dear: {costs[name]:.0f} s of processor time, and tests/left_out.py does not list it: {name}"
