"""What decides the marks of a lesson: only a change of it grades the lesson again.

It is the lesson's checks, what they import of the package, what the lesson's own code can reach of it, and the grader's
rooms that read, run and judge; and of the lesson its code, its titles and its solutions. What is said around these, a
comment or a docstring decides nothing. What another lesson asks does not either.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from jaxcourse.course import CHECKS, Course, Lesson
from jaxcourse.course import check_files as files_of_checks
from jaxcourse.paths import PACKAGE
from jaxcourse.reach import files_imported, files_reached

_GRADER = Path(__file__).resolve().parents[1]
_TELLS = ("reports", "platforms", "commands.py", "__pycache__")
_KEEPS = ("_again.py", "_class.py", "_frozen.py", "_keeping.py", "_terminal.py")
"""What of the grader only tells what was found, or keeps it."""
LIBRARIES = ("python", "jax", "jaxlib", "numpy")
"""Of the versions of a result, those that decide it; the others say what all of the course was."""


@functools.cache
def decides(course: Course, stem: str) -> str:
    """A digest of all of ours that decides the marks of a lesson, wherever it lies.

    Args:
        course: whose lesson it is.
        stem: the lesson's.
    """
    return _digest(json.dumps(parts(course, stem)))


@functools.cache
def parts(course: Course, stem: str) -> dict[str, str]:
    """Digests of the single things that decide the marks of a lesson, by what they are.

    Args:
        course: whose lesson it is.
        stem: the lesson's.
    """
    return {name: _digest(text) for name, text in _parts(course, stem)}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _parts(course: Course, stem: str) -> Iterator[tuple[str, str]]:
    lesson = Lesson(course.root, stem, {}, course.texts)
    checks = files_of_checks(course.root, stem)
    edition = lesson.texts[stem].edition  # it stands in the first cell, and changes with each word of the lesson
    yield "its code", json.dumps(_code(lesson.notebook)).replace(edition or "\0", "")
    yield "its solutions and sections", json.dumps(_repeated_words(lesson), sort_keys=True)
    yield from ((f"{CHECKS}/{stem}/{path.name}", _meaning(path)) for path in checks)
    yield from ((_name(path), _meaning(path)) for path in sorted(_grader_files()))
    yield from ((_name(path), _meaning(path)) for path in sorted(_reached_files(lesson.notebook, checks)))


def _code(notebook: Path) -> list[Any]:
    """The cells that are run, and the titles of the tasks."""
    book = json.loads(notebook.read_text(encoding="utf-8"))
    cells = [(cell["cell_type"], cell["metadata"], "".join(cell["source"])) for cell in book["cells"]]
    titles = [source.partition("\n")[0] for _, about, source in cells if _role(about) == "task"]
    return [titles, [(about, source) for kind, about, source in cells if kind == "code"]]


def _role(metadata: Mapping[str, Any]) -> str:
    return str(metadata.get("jaxcourse", {}).get("role", ""))


def _repeated_words(lesson: Lesson) -> dict[str, Any]:
    """Of what the lesson says, what a mark repeats: its solutions, and where to read again."""
    text = lesson.texts[lesson.stem]
    places = {name: place for name, (place, *_) in text.paragraphs.items()}
    return {"page": text.page, "sections": dict(text.sections), "solutions": dict(text.solutions), "places": places}


def _reached_files(notebook: Path, checks: Iterable[Path]) -> frozenset[Path]:
    """The files of the package that the lesson's code, its checks and the grader can reach."""
    book = json.loads(notebook.read_text(encoding="utf-8"))
    code = [c for c in book["cells"] if c["cell_type"] == "code" and _role(c["metadata"]) != "check"]
    shown = files_reached("\n".join("".join(cell["source"]) for cell in code))
    asked = (files_imported(path.read_text(encoding="utf-8")) for path in checks)
    return shown.union({PACKAGE / "__init__.py"}, _of_the_grader(), *asked)


@functools.cache
def _of_the_grader() -> frozenset[Path]:
    return frozenset().union(*(files_imported(path.read_text(encoding="utf-8")) for path in _grader_files()))


@functools.cache
def _grader_files() -> tuple[Path, ...]:
    left_out = (*_TELLS, *_KEEPS)
    return tuple(p for p in sorted(_GRADER.rglob("*.py")) if p.relative_to(_GRADER).parts[0] not in left_out)


def _name(path: Path) -> str:
    return path.relative_to(PACKAGE.parent).as_posix()


@functools.cache
def _meaning(path: Path) -> str:
    """What a file does: of Python its syntax, without comments and docstrings; of anything else its bytes."""
    data = path.read_bytes()
    if path.suffix != ".py":
        return hashlib.sha256(data).hexdigest()
    tree = ast.parse(data)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            node.body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    return ast.dump(tree)
