"""The package's own tests run with JAX's seat belts on: no silent promotion of dtypes or ranks."""

import gc
import os

import jax
import pytest
from hypothesis import HealthCheck, settings

from jaxcourse import devices
from jaxcourse.course import Course

devices.simulate()  # before any test, since JAX starts once
gc.set_threshold(20_000, 50, 100)  # JAX makes many objects that stay, which the collector looks through in vain

# The same examples each time: whoever changes one thing must not meet another's rare case. For new examples, use
# `--hypothesis-profile=default`.
settings.register_profile("fixed", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fixed")

LESSONS = {"stack_diagnoses.py", "test_parity.py", "test_verbs.py"}
"""These run the lessons' own code, in which promotion is allowed, as it is for learners."""


def pytest_configure(config):
    config.addinivalue_line("markers", "lessons(*stems): it asks these lessons; where one is not taught, it is skipped")


def pytest_addoption(parser):
    parser.addoption(
        "--every-answer",
        action="store_true",
        help="grade every listed answer as students' are, not one per exercise",
    )


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(items):
    """What a fixture makes for a module is made once: the tests that use it stay with one worker."""
    taught = Course.installed().exercises()
    for item in items:
        needed = {stem for mark in item.iter_markers("lessons") for stem in mark.args}
        if missing := sorted(needed - set(taught)):
            item.add_marker(pytest.mark.skip(reason=f"not taught here: {', '.join(missing)}"))
        if item.get_closest_marker("xdist_group") or not isinstance(item, pytest.Function):
            continue  # a notebook's cells, for one, have no fixtures
        fixtures = (each for found in item._fixtureinfo.name2fixturedefs.values() for each in found)
        if any(fixture.scope == "module" for fixture in fixtures):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


def pytest_collection_finish():
    gc.collect()
    gc.freeze()  # the libraries and the tests stay to the end, so the collector need not look through them


_cpu_of_workers = []


def cpu_seconds():
    """The processor time of this process and of the children that it has waited for."""
    mine, children = spent()
    return mine + children


def spent():
    """The processor time of this process, and of its children (nothing on Windows, which does not count it)."""
    now = os.times()
    return now.user + now.system, now.children_user + now.children_system


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["cpu_seconds"] = cpu_seconds()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    _cpu_of_workers.append(getattr(node, "workeroutput", {}).get("cpu_seconds", 0))


def pytest_terminal_summary(terminalreporter):
    mine, children = spent()
    # The workers are children as well, once they have been waited for: they count once.
    terminalreporter.write_line(f"{mine + max(sum(_cpu_of_workers), children):.0f} s of processor time")


@pytest.fixture(autouse=True)
def seat_belts(request):
    if request.path.name in LESSONS:
        yield
        return
    with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        yield


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """Nothing is kept in the home of whoever runs the tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
