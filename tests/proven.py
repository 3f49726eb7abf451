"""Lessons that are as they were when the contract last held here: `make test` does not ask it of them again.

As with `make html`, what counts is what they can reach: the lesson, its checks and listed answers, the packages that
judge them, the versions of what is installed, and how XLA is told to compile. What lessons are to each other is asked
each time, by the rules of the whole course. `make test-all` asks all lessons anew, and
where nothing has been asked before, as in a fresh checkout, so does `make test`.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import distributions
from pathlib import Path

import pytest
from costs import ungrouped

KEY = "jaxcourse/proven"
CONTRACT = "exercises_tests/test_contract.py"
COMMON = ("src/jaxcourse", "src/jaxcourse_author", CONTRACT, "_toc.yml", "_config.yml")
OWN = ("notebooks/{}.md", "exercises_tests/{}", "tests/answers/{}")

Proven = Mapping[str, tuple[str, list[str]]]
"""By a lesson's stem, its digest, and the names of the tests that passed with it."""

_before = pytest.StashKey[Proven]()
_digests = pytest.StashKey[Mapping[str, str]]()
_passed: set[str] = set()
_failed: set[str] = set()


def digests(root: Path, stems: Iterable[str]) -> dict[str, str]:
    """What each lesson and all that it can reach is now, as a digest.

    Args:
        root: the folder of the course.
        stems: the lessons'.
    """
    installed = sorted(f"{one.name} {one.version}" for one in distributions())
    asked = [f"{name}={os.environ[name]}" for name in sorted(os.environ) if name.startswith(("JAX", "XLA_"))]
    common = hashlib.sha256("\n".join([platform.platform(), platform.python_version(), *installed, *asked]).encode())
    for name in COMMON:
        _add(common, root, name)
    found = {}
    for stem in stems:
        own = common.copy()
        for name in OWN:
            _add(own, root, name.format(stem))
        found[stem] = own.hexdigest()
    return found


def _add(digest: hashlib._Hash, root: Path, name: str) -> None:
    """Put a file or the files of a folder into a digest, with their names."""
    files = sorted(path for path in (root / name).rglob("*") if path.is_file()) or [root / name]
    for path in files:
        if path.exists() and not {"__pycache__", "_course"} & set(path.relative_to(root).parts):
            digest.update(f"{path.relative_to(root)}\n".encode() + path.read_bytes())


def merged(
    before: Proven, now: Mapping[str, str], passed: set[str], failed: set[str]
) -> dict[str, tuple[str, list[str]]]:
    """What is proven after a run: what has passed now, or before with the same digest, and has not failed now.

    Args:
        before: what was proven.
        now: each lesson's digest.
        passed: the names of the tests that passed, of all lessons.
        failed: those that failed.
    """
    found = {}
    for stem, digest in now.items():
        old = set(before[stem][1]) if before.get(stem, ("", []))[0] == digest else set()
        mine = {name for name in passed if name.endswith(f"-{stem}]")}
        found[stem] = digest, sorted((old | mine) - failed)
    return found


def is_proven(proven: Proven, now: Mapping[str, str], name: str) -> bool:
    """Whether a test has passed with all that it reaches as it is now."""
    return any(name in names for stem, (digest, names) in proven.items() if digest == now.get(stem))


def pytest_configure(config: pytest.Config) -> None:
    from jaxcourse.course import Course

    cache = getattr(config, "cache", None)
    config.stash[_digests] = digests(config.rootpath, [path.stem for path in Course(config.rootpath).lesson_paths])
    config.stash[_before] = cache.get(KEY, {}) if cache else {}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("leave_out"):
        return
    before, now = config.stash[_before], config.stash[_digests]
    known = [item for item in items if is_proven(before, now, ungrouped(item.nodeid))]
    config.hook.pytest_deselected(items=known)
    items[:] = [item for item in items if item not in known]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.nodeid.startswith(CONTRACT):
        if report.failed:
            _failed.add(ungrouped(report.nodeid))
        elif report.passed and report.when == "call":
            _passed.add(ungrouped(report.nodeid))


def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    if hasattr(config, "workerinput") or not getattr(config, "cache", None) or not (_passed | _failed):
        return
    config.cache.set(KEY, merged(config.stash[_before], config.stash[_digests], _passed, _failed))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.getoption("leave_out"):
        now = config.stash[_digests]
        known = [stem for stem, (digest, names) in config.stash[_before].items() if names and digest == now.get(stem)]
        if known:
            terminalreporter.write_line(f"not asked again, since all held of them as they are: {', '.join(known)}")
