"""A plugin of pytest for tests of pandas: `ewm(...)` is ours, and `ewm(...).mean()` is computed by compiled steps.

What ours does not have (`var`, `cov`, `agg`, ...) is still answered by pandas, so that tests that compare it with the
mean can be run. A line of JSON for each test in which `ewm` was called says how it went, and whether ours answered.
"""

import contextlib
import functools
import inspect
import json
from pathlib import Path

import pandas as pd
import pytest

from jaxcourse.frames import _apply  # Its package gives tables the attribute `jaxcourse`.

called, answered, refused = [], [], []
"""What happened during the present test: calls of `ewm`, means of ours, and errors that ours raised."""


class Ewm:
    """Ours where it has a method; else that of pandas."""

    def __init__(self, ours, theirs):
        self.ours, self.theirs = ours, theirs

    def mean(self, *args, **kwargs):
        with noted():
            answered.append(self.ours.mean(*args, **kwargs))
        return answered[-1]

    def __getattr__(self, name):
        return getattr(self.theirs(), name)


@contextlib.contextmanager
def noted():
    try:
        yield
    except Exception as error:
        refused.append(error)
        raise


def in_place_of(theirs):
    def ewm(table, *args, **kwargs):
        called.append(table)
        with noted():
            ours = table.jaxcourse.ewm(*args, **kwargs)
        return Ewm(ours, functools.partial(theirs, table, *args, **kwargs))

    return ewm


@contextlib.contextmanager
def raises(expected, match):
    """`pytest.raises`, for which the words may be ours where the error is."""
    with RAISES(expected) as caught:
        yield caught
    if all(caught.value is not error for error in refused):
        caught.match(match)


RAISES = pytest.raises


def pytest_configure(config):
    _apply.SMALLEST = config.getoption("--large-from")
    for kind in (pd.DataFrame, pd.Series):
        kind.ewm = in_place_of(kind.ewm)
    pytest.raises = lambda expected, *args, match=None, **kwargs: (
        raises(expected, match) if match else RAISES(expected, *args, **kwargs)
    )


def pytest_addoption(parser):
    parser.addoption("--report", type=Path)
    parser.addoption("--large-from", type=int, default=_apply.SMALLEST, help="numbers of a table that counts as large")


OURS = "mean", "getattr", "raises"
"""A test of `ewm` in which none of these stands asks for `std`, `cov` and their like alone, which pandas answers."""


def pytest_pycollect_makeitem(obj):
    """Only functions that name `ewm` and what ours answers, before pandas makes thousands of cases of the others."""
    if not inspect.isfunction(obj):
        return None
    source = inspect.getsource(obj)
    return None if "ewm" in source and any(word in source for word in OURS) else []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "setup":
        for found in (called, answered, refused):
            found.clear()
    if call.when == "call" and called:
        line = {
            "test": item.nodeid,
            "outcome": report.outcome,
            "ours": bool(answered or refused),
            "why": str(call.excinfo.value)[:500] if call.excinfo else "",
        }
        with item.config.getoption("--report").open("a") as file:
            print(json.dumps(line), file=file)
    return report
