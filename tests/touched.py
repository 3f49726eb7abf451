"""What the files that a change touches can reach: tests, and lessons. `make test-quick` asks that, the nearest first.

Imports are followed backwards from the files that have changed, from file to file, as they are written; a file that is
no Python is reached by whoever names it, and if nobody does, by its folder. What a test starts as a process, or finds
by a name that it puts together, is not seen: `make test` asks it.
"""

from __future__ import annotations

import ast
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

SOURCES = ("src", "tests", "exercises_tests", "book", "benchmarks")
"""Where Python is that a test may reach."""
PATHS = ("src", "tests", "tests/grade", "tests/play", "tests/site", "book/_ext", "book", "benchmarks", "")
"""From which modules are imported by name."""


@dataclass
class Files:
    """The course's own Python, and who imports whom.

    Args:
        root: the folder of the course.
    """

    root: Path

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The text of each file, by its path from the root."""
        found = (path for folder in SOURCES for path in sorted((self.root / folder).rglob("*.py")))
        names = [path.relative_to(self.root) for path in found]
        kept = [name for name in names if not {"answers", "_build", "_course", "__pycache__"} & set(name.parts)]
        return {name.as_posix(): (self.root / name).read_text(encoding="utf-8") for name in kept}

    @cached_property
    def importers(self) -> Mapping[str, set[str]]:
        """By each file, those that import it."""
        found: dict[str, set[str]] = {name: set() for name in self.texts}
        for name, text in self.texts.items():
            for target in self.imported(name, text):
                found[target].add(name)
        return found

    def imported(self, name: str, text: str) -> set[str]:
        """The files that a file imports: a module of a package rather than the package, where both may be meant."""
        found = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                found |= {self.file(alias.name) for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                module = f"{_parent(name, node.level)}{node.module or ''}".strip(".")
                found |= {self.file(f"{module}.{alias.name}") or self.file(module) for alias in node.names}
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.importorskip":
                # A name that is not written out is that of no file of ours.
                found |= {self.file(str(one.value)) for one in node.args[:1] if isinstance(one, ast.Constant)}
        return found - {"", name}

    def file(self, module: str) -> str:
        """The file of a module; an empty text if it is none of ours."""
        path = module.replace(".", "/")
        candidates = (Path(folder, f"{path}{end}").as_posix() for folder in PATHS for end in (".py", "/__init__.py"))
        return next((one for one in candidates if one in self.texts), "")

    def who_names(self, path: str) -> set[str]:
        """The files that may read one which is no Python.

        Those outside the package in whose text its name is; of a file in the package, those of its folder as well, or
        of the nearest one above that has some.
        """
        named = {name for name, text in self.texts.items() if name[:4] != "src/" and Path(path).name in text}
        folders = [folder.as_posix() for folder in Path(path).parents if path.startswith("src/")]
        beside = ({name for name in self.texts if Path(name).parent.as_posix() == folder} for folder in folders)
        return named | next((found for found in beside if found), set())


def _parent(name: str, level: int) -> str:
    """The package from which a relative import of a file counts.

    Example:
        >>> _parent("exercises_tests/31_vmap/clip_each.py", 1), _parent("tests/toy.py", 0)
        ('exercises_tests.31_vmap.', '')
    """
    return ".".join(Path(name).parts[:-level]) + "." if level else ""


def distances(files: Files, changed: Iterable[str]) -> dict[str, int]:
    """How far each file is from the nearest that has changed; those that reach none are not in it.

    Args:
        files: the course's.
        changed: paths from the root.
    """
    changed = list(changed)
    found = {name: 0 for name in changed if name in files.texts}
    for path in changed:
        if not path.endswith(".py"):
            found |= {name: 1 for name in files.who_names(path) if name not in found}
    edge = sorted(found, key=found.__getitem__)
    while edge:
        near = edge.pop(0)
        for name in sorted(files.importers[near]):
            if name not in found:
                found[name] = found[near] + 1
                edge.append(name)
    return found


@dataclass(frozen=True)
class Touched:
    """What a change can reach.

    Args:
        commit: since when.
        changed: the files, from the root.
        near: how far each file that reaches one of them is from it.
        lessons: exercises that have changed themselves, as `choose` reads them.
        reached: the stems of lessons that reach a file of the package which has changed, and how far they are.
    """

    commit: str = ""
    changed: tuple[str, ...] = ()
    near: Mapping[str, int] = field(default_factory=dict)
    lessons: tuple[str, ...] = ()
    reached: Mapping[str, int] = field(default_factory=dict)

    def only(self, stem: str) -> tuple[str, ...]:
        """What of a lesson is asked: all of it where it reaches the package's change, else what has changed in it."""
        return (stem,) if stem in self.reached else tuple(one for one in self.lessons if one.partition("/")[0] == stem)

    def rank(self, path: str, stem: str = "") -> int | None:
        """How soon something is asked: the smaller, the sooner; None for what is not reached.

        Args:
            path: of the file in which it is.
            stem: of the lesson that it asks.
        """
        if stem:
            return 0 if stem in {one.partition("/")[0] for one in self.lessons} else self.reached.get(stem)
        return self.near.get(path)


def touched(root: Path, since: str = "") -> Touched:
    """What the change of a checkout can reach.

    Args:
        root: the folder of the course.
        since: see `changed.base`.
    """
    from jaxcourse.course import Course
    from jaxcourse_author import changed

    course, commit = Course(root), changed.base(root, since)
    if not commit:
        return Touched()
    paths = changed.files(root, commit)
    names = tuple(path.as_posix() for path in paths)
    near = distances(Files(root), names)
    reached = dict(_lessons(course, near, {name for name in names if name.startswith("src/jaxcourse/")}))
    return Touched(commit, names, near, changed.exercises(course, commit, paths), reached)


def _lessons(course: Any, near: Mapping[str, int], package: set[str]) -> Iterator[tuple[str, int]]:
    """The lessons whose cells or checks reach files of the package."""
    from jaxcourse.reach import files_imported, files_reached
    from jaxcourse_author.lesson import read_lesson

    for path in course.lesson_paths if package else ():
        checks = [name for name in near if name.startswith(f"exercises_tests/{path.stem}/") and near[name]]
        code = "\n\n".join(cell.source for cell in read_lesson(path, course).cells if cell.role not in ("text", "task"))
        mine = files_reached(code) | {
            one for name in checks for one in files_imported((course.root / name).read_text())
        }
        if {one.relative_to(course.root).as_posix() for one in mine if course.root in one.parents} & package:
            yield path.stem, min((near[name] for name in checks), default=2)


# -- pytest -----------------------------------------------------------------------------------------------------

NO_TIME = "no time is left"
CHANGE = pytest.StashKey[Touched]()
"""In the stash of a configuration: what the change reaches, if that alone is asked."""
_end = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--touched",
        nargs="?",
        const="",
        metavar="COMMIT",
        help="ask only what the files reach that differ from there (default: from where the branch left origin/main)",
    )
    parser.addoption("--seconds", type=float, metavar="N", help="begin no test after so many seconds")


def pytest_configure(config: pytest.Config) -> None:
    given = getattr(config, "workerinput", {})
    if (since := config.getoption("touched")) is not None:
        told = given.get("touched")
        config.stash[CHANGE] = Touched(**json.loads(told)) if told else touched(config.rootpath, since)
    if seconds := config.getoption("seconds"):
        config.stash[_end] = given.get("end") or time.time() + seconds


class _ToWorkers:
    """What is known before the workers start, and is handed to each of them."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Hand it to a worker."""
        stash = node.config.stash
        node.workerinput["end"] = stash.get(_end, None)
        if CHANGE in stash:
            node.workerinput["touched"] = json.dumps(asdict(stash[CHANGE]))


def pytest_plugin_registered(plugin: object, manager: pytest.PytestPluginManager) -> None:
    if type(plugin).__name__ == "DSession":
        manager.register(_ToWorkers())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file that reaches nothing that has changed is not even read."""
    change = config.stash.get(CHANGE, None)
    if change is None or collection_path.is_dir() or collection_path.suffix != ".py":
        return None
    name = collection_path.relative_to(config.rootpath).as_posix()
    if name == CONTRACT:
        return None if change.lessons or change.reached or change.near else True
    return None if change.rank(name) is not None else True


CONTRACT = "exercises_tests/test_contract.py"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The nearest first; of the contract, the lessons that are reached."""
    if (change := config.stash.get(CHANGE, None)) is None:
        return
    ranked = [(_rank(change, item), item) for item in items]
    config.hook.pytest_deselected(items=[item for rank, item in ranked if rank is None])
    asked = [(rank, item) for rank, item in ranked if rank is not None]
    items[:] = [item for _, item in sorted(asked, key=lambda one: one[0])]


def _rank(change: Touched, item: pytest.Item) -> int | None:
    name = item.nodeid.partition("::")[0]
    if name != CONTRACT:
        return change.rank(name)
    stem = getattr(item, "callspec", None) and item.callspec.params.get("stem")  # type: ignore[attr-defined]
    return change.rank(CONTRACT, stem) if stem else 0


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if time.time() > item.config.stash.get(_end, float("inf")):
        pytest.skip(NO_TIME)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    skipped = (report.nodeid for report in terminalreporter.stats.get("skipped", ()) if NO_TIME in str(report.longrepr))
    late = Counter(name.partition("::")[0] for name in skipped)
    if CHANGE in config.stash:
        for line in lines(config.stash[CHANGE], late):
            terminalreporter.write_line(line)


def lines(change: Touched, late: Mapping[str, int]) -> Iterator[str]:
    """What was asked of a change, and what was left out.

    Args:
        change: what it reaches.
        late: how many tests of each file did not begin, since the time was over.
    """
    if not change.changed:
        yield "nothing has changed, so no test was asked"
        return
    whole = (stem for stem in change.reached)
    yield f"{len(change.changed)} files differ from {change.commit[:10]}"
    yield f"lessons asked: {', '.join(dict.fromkeys([*change.lessons, *whole])) or 'none'}"
    yield "left out: every test of a file that imports none of them, however far away, and whole notebooks"
    if late:
        names = ", ".join(f"{name} ({count})" for name, count in sorted(late.items()))
        yield f"left out, since the time was over: {names}"


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if CHANGE in session.config.stash and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK
