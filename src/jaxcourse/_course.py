"""Where the course is, and what its lessons ask: the checks of `exercises_tests/`, the text of `solutions/`."""

from __future__ import annotations

import difflib
import functools
import importlib.util
import json
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jaxcourse.exercise import Exercise, Wrong


class UnknownExercise(ValueError):
    """There is no exercise of that name."""

    def _render_traceback_(self) -> list[str]:
        """IPython shows this in place of a stack of our own frames."""
        return [str(self)]


@dataclass(frozen=True)
class Lesson:
    """A lesson's checks and, read from its solved notebook when asked for, its text.

    Attributes:
        stem: the lesson's name in all four folders, such as `01_memory_layout`.
        exercises: by name, in the order of the file.
        wrongs: the listed wrong answers.
        notebook: the path of the solved notebook.
    """

    stem: str
    exercises: dict[str, Exercise]
    wrongs: tuple[Wrong, ...]
    notebook: Path

    @property
    def number(self) -> str:
        """The lesson's number, such as `01`."""
        return self.stem.split("_")[0]

    def section(self, anchor: str) -> tuple[str, str]:
        """The heading that an anchor stands before, and its address on the site; empty if there is none."""
        book = _read_notebook(self.notebook)
        pattern = rf'<a id="{re.escape(anchor)}"></a>\s*#+ *(.+)'
        found = next((m for cell in book["cells"] if (m := re.search(pattern, _source(cell)))), None)
        return (found.group(1).strip(), f"{book['metadata']['jaxcourse']['page']}#{anchor}") if found else ("", "")

    def solution(self, name: str) -> tuple[str, str]:
        """The code of an exercise's solution, and the reasoning that goes with it."""
        cells = [c for c in _read_notebook(self.notebook)["cells"] if _role(c).get("exercise") == name]
        parts = {_role(cell)["role"]: _source(cell) for cell in cells}
        return parts["solution"], parts.get("reasoning", "")


def _role(cell: dict[str, Any]) -> dict[str, str]:
    role: dict[str, str] = cell["metadata"].get("jaxcourse", {})
    return role


def _source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


@functools.cache
def _read_notebook(path: Path) -> dict[str, Any]:
    book: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return book


def home() -> Path:
    """The folder that holds the course: inside the installed package, or the checkout of an editable install."""
    bundled = Path(__file__).parent / "_course"
    return bundled if bundled.exists() else Path(__file__).parents[2]


def load(path: Path) -> Lesson:
    """Run a file of checks, `exercises_tests/ex_NN_topic.py`, and collect what it defines.

    Args:
        path: the file; its course is the folder above its own.

    Raises:
        Exception: whatever running the file raises.
    """
    spec = importlib.util.spec_from_file_location(f"jaxcourse_checks_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    defined = list(vars(module).values())
    stem = path.stem.removeprefix("ex_")
    return Lesson(
        stem,
        {item.name: item for item in defined if isinstance(item, Exercise)},
        tuple(item for item in defined if isinstance(item, Wrong)),
        path.parents[1] / "solutions" / f"{stem}.ipynb",
    )


def check_files(root: Path) -> list[Path]:
    """The files of checks of a course, in the order of its lessons."""
    return sorted((root / "exercises_tests").glob("ex_*.py"))


_load_once = functools.cache(load)


@functools.cache
def lesson_of(name: str) -> Lesson:
    """The lesson that an exercise belongs to. Only that lesson's checks are imported.

    Raises:
        UnknownExercise: there is no such exercise; the nearest name is in the message.
    """
    texts = {path: path.read_text(encoding="utf-8") for path in check_files(home())}
    for path, text in texts.items():
        if name in asked_in(text):
            return _load_once(path)
    near = nearest(name, [known for text in texts.values() for known in asked_in(text)])
    raise UnknownExercise(f"There is no exercise {name!r}." + (f" Did you mean {near!r}?" if near else ""))


def asked_in(text: str) -> list[str]:
    """The names of the exercises in a file of checks, without importing it."""
    return re.findall(r'^@exercise\(\s*"([^"]+)"', text, re.MULTILINE)


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that is most like a given one, or an empty string.

    Example:
        >>> nearest("center_columns", ["centre_columns", "rows"])
        'centre_columns'
    """
    return next(iter(difflib.get_close_matches(name, known, n=1)), "")
