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
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from jaxcourse._paths import PACKAGE
from jaxcourse.course import Course, Lesson
from jaxcourse.grade.isolation import is_declared, modules_of
from jaxcourse.grade.slicing import Target, template


@functools.cache
def targets(course: Course, stem: str) -> dict[str, Target]:
    """What a lesson asks, by the exercise's name; an empty dictionary if the course has no such lesson."""
    return dict(template(course.lesson(stem)).exercises) if stem in course.exercises() else {}


def solved_notebooks(course: Course) -> list[Path]:
    """The solved notebooks of a course."""
    return sorted((course.root / "solutions").glob("*.ipynb"))


def private(course: Course) -> list[Path]:
    """What no student's process may read: the course, wherever it lies, its checks and solutions if they are links."""
    installed = [Path(folder) / PACKAGE.name / "_course" for folder in sys.path if folder]
    found = [course.root, PACKAGE / "_course", *installed, *course.check_files(), *solved_notebooks(course)]
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
    package = __name__.partition(".")[0]
    names = (name for path in solved_notebooks(course) for name in imported(code_cells(path)))
    return frozenset(name for name in names if name.partition(".")[0] == package)


def imported(sources: Iterable[str]) -> Iterator[str]:
    """The modules that code imports, and what it imports from them, which may be modules too.

    Example:
        >>> list(imported(["import numpy as np", "from jaxcourse import bench, check", "%matplotlib inline"]))
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

    They are all that the functions in its file of checks use, which may be questions, and those of our modules that
    declare a question.
    """
    checks = [item.check for item in lesson.exercises.values() if inspect.isfunction(item.check)]
    functions = {value for check in checks for value in check.__globals__.values() if inspect.isfunction(value)}
    files = {check.__module__ for check in checks}
    own = {value for value in functions if value.__module__ in files}
    return frozenset(name for value in own | _declared() for name in modules_of(value))


def _declared() -> set[Callable[..., Any]]:
    """The questions that modules of our package declare, as far as the checks have imported them."""
    package = __name__.partition(".")[0]
    modules = [module for name, module in sys.modules.items() if name.partition(".")[0] == package]
    values = (value for module in modules for value in list(vars(module).values()))
    return {value for value in values if inspect.isfunction(value) and is_declared(value)}


# -- what decides a grade ---------------------------------------------------------------------------------------


@functools.cache
def versions(course: Course) -> dict[str, str]:
    """The versions of what decides a grade: Python, the libraries, and the course with its checks."""
    found = {name: importlib.metadata.version(name) for name in ("jax", "jaxlib", "numpy", "jaxcourse")}
    return {"python": platform.python_version(), **found, "course": fingerprint(course)}


@functools.cache
def fingerprint(course: Course) -> str:
    """A digest of what is asked: the checks, the lessons, and the package that judges, but not where they are."""
    digest = hashlib.sha256()
    files = [*course.check_files(), *solved_notebooks(course)]
    for path in [*files, *sorted(p for p in PACKAGE.rglob("*.py") if "_course" not in p.parts)]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def cache_folder(course: Course) -> Path:
    """Where the programs that our own solutions compile are kept: one folder for each version of what compiles them."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "jaxcourse" / "programs" / f"{versions(course)['jaxlib']}-{fingerprint(course)}"
