"""What the grader takes from a course: its lessons, what they import, and a fingerprint of all that decides a grade."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.metadata
import inspect
import json
import os
import platform
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import jaxcourse
from jaxcourse.course import TEXTS, WITHHELD, Course, Lesson
from jaxcourse.paths import PACKAGE, PACKAGES, files_of
from jaxcourse_grade.isolation import is_declared, modules_of
from jaxcourse_grade.slicing import Target, template


@functools.cache
def targets(course: Course, stem: str) -> dict[str, Target]:
    """What a lesson asks, by the exercise's name; an empty dictionary if the course has no such lesson."""
    return dict(template(course.lesson(stem)).exercises) if stem in course.exercises() else {}


def solved_notebooks(course: Course) -> list[Path]:
    """The solved notebooks of the lessons that are taught, as far as they are here."""
    paths = (course.root / "solutions" / f"{stem}.ipynb" for stem in course.exercises())
    return [path for path in paths if path.exists()]


def private(course: Course) -> list[Path]:
    """What no student's process may read: the course, wherever it lies, its checks and solutions if they are links."""
    installed = [Path(folder) / PACKAGE.name / "_course" for folder in sys.path if folder]
    apart = (course.root / WITHHELD).glob("*.json")
    files = [*course.check_files(), *solved_notebooks(course), course.root / TEXTS, *apart]
    found = [course.root, PACKAGE / "_course", *installed, *files]
    return [path for path in found if path.exists()]


def solutions(course: Course, stems: Iterable[str]) -> dict[tuple[str, str], str]:
    """The lessons' own answers, by lesson and exercise."""
    found = {}
    for stem in stems:
        for cell in json.loads(course.lesson(stem).notebook.read_text(encoding="utf-8"))["cells"]:
            about = cell["metadata"].get("jaxcourse", {})
            if about.get("role") == "solution":
                found[stem, about["exercise"]] = "".join(cell["source"])
    return found


def code_cells(notebook: Path) -> tuple[str, ...]:
    """The sources of a notebook's code cells."""
    book = json.loads(notebook.read_text(encoding="utf-8"))
    return tuple("".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code")


# -- what is imported before the first fork ---------------------------------------------------------------------


@functools.cache
def own_modules(course: Course) -> frozenset[str]:
    """The modules of our package that any lesson of a course imports, in its set-up, its cells and its solutions.

    A submission for one lesson may use what another lesson has shown, so they are the same for all.
    """
    names = (name for path in solved_notebooks(course) for name in imported_modules(code_cells(path)))
    return frozenset(name for name in names if name.partition(".")[0] == PACKAGE.name)


def imported_modules(sources: Iterable[str]) -> Iterator[str]:
    """The modules that code imports, and what it imports from them, which may be modules too.

    Example:
        >>> list(imported_modules(["import numpy as np", "from jaxcourse import bench, check", "%matplotlib inline"]))
        ['numpy', 'jaxcourse', 'jaxcourse.bench', 'jaxcourse.check']
    """
    for node in (node for source in sources for node in _nodes(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))


def _nodes(source: str) -> Iterable[ast.AST]:
    try:
        return ast.walk(ast.parse(source))
    except SyntaxError:  # a magic
        return ()


def foundations(lesson: Lesson) -> frozenset[str]:
    """The modules that questions of a lesson's checks may stand on.

    They are all that the functions in its files of checks use, which may be questions, and those of our modules that
    declare a question.
    """
    modules = [module for name, module in sys.modules.items() if name.startswith(f"{lesson.package}.")]
    functions = {value for module in modules for value in vars(module).values() if inspect.isfunction(value)}
    own = {value for value in functions if value.__module__.startswith(lesson.package)}
    needed = {name for value in own | _declared_questions() for name in modules_of(value)}
    return frozenset(name for name in needed if not name.startswith(lesson.package))


def _declared_questions() -> set[Callable[..., Any]]:
    """The questions that modules of our package declare, as far as the checks have imported them."""
    modules = [module for name, module in sys.modules.items() if name.partition(".")[0] == PACKAGE.name]
    values = (value for module in modules for value in list(vars(module).values()))
    return {value for value in values if inspect.isfunction(value) and is_declared(value)}


# -- what decides a grade ---------------------------------------------------------------------------------------


@functools.cache
def versions(course: Course) -> dict[str, str]:
    """The versions of what decides a grade: Python, the libraries, and the course with its checks."""
    found = {name: importlib.metadata.version(name) for name in ("jax", "jaxlib", "numpy")}
    ours = {"jaxcourse": jaxcourse.__version__, "course": fingerprint(course)}
    return {"python": platform.python_version(), **found, **ours}


@functools.cache
def fingerprint(course: Course) -> str:
    """A digest of what is asked: the checks, the lessons, and the package that judges, but not where they are."""
    digest = hashlib.sha256()
    files = [*course.check_files(), *solved_notebooks(course), course.root / TEXTS]
    ours = sorted(path for package in PACKAGES for path in files_of(package))
    for path in [*files, *ours]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def cache_folder(course: Course) -> Path:
    """Where the programs that our own solutions compile are kept: one folder for each version of what compiles them.

    Where the home cannot be written to, as in some containers, it is below the folder for temporary files.
    """
    name = Path("jaxcourse", "programs", f"{versions(course)['jaxlib']}-{fingerprint(course)}")
    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / name
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        pass
    return _temporary() / name


def _temporary() -> Path:
    """A folder for temporary files that is this user's alone: what others may write, nobody compiles from."""
    folder = Path(tempfile.gettempdir()) / f"cache-of-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    mine = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022
    return folder if mine else Path(tempfile.mkdtemp())
