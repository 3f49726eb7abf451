"""A lesson as whatever grades it needs it: its checks from `exercises_tests/`, and its text from `solutions/`."""

from __future__ import annotations

import difflib
import functools
import hashlib
import importlib.util
import json
import re
import sys
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

from jaxcourse.exercise import Equivalent, Exercise, Right, Wrong
from jaxcourse.prediction import Prediction, bound, value_of


@dataclass(frozen=True)
class Lesson:
    """A lesson's checks and, read from its solved notebook when asked for, its text.

    Attributes:
        stem: the lesson's name in all four folders, such as `01_memory_layout`.
        exercises: by name, in the order of the file.
        wrongs: the listed wrong answers.
        rights: the listed right answers, besides the solution.
        notebook: the path of the solved notebook.
        equivalents: the changes of solutions that are accepted as right.
    """

    stem: str
    exercises: dict[str, Exercise]
    wrongs: tuple[Wrong, ...]
    notebook: Path
    rights: tuple[Right, ...] = ()
    equivalents: tuple[Equivalent, ...] = ()

    @property
    def number(self) -> str:
        """The lesson's number, such as `01`."""
        return self.stem.split("_")[0]

    def section(self, anchor: str) -> tuple[str, str]:
        """The heading that follows an anchor, and its address on the site; empty if there is none.

        A section of another lesson is found as well.
        """
        for path in (self.notebook, *sorted(self.notebook.parent.glob("*.ipynb"))):
            about = _read_notebook(path)["metadata"]["jaxcourse"]
            if anchor in about["sections"]:
                return about["sections"][anchor], f"{about['page']}#{anchor}"
        return "", ""

    def solution(self, name: str) -> tuple[str, str]:
        """The code of an exercise's solution, and the reasoning that goes with it."""
        cells = [c for c in _read_notebook(self.notebook)["cells"] if _role(c).get("exercise") == name]
        parts = {_role(cell)["role"]: _source(cell) for cell in cells}
        return parts["solution"], parts.get("reasoning", "")

    def bound(self, right: Callable[[str], Any]) -> Lesson:
        """The same lesson, with predictions that know what is right and list their wrong answers.

        Args:
            right: gives the solution of a prediction by its name.
        """
        predictions = {name: bound(item, right(name)) for name, item in self.exercises.items() if _predicts(item)}
        wrongs = (wrong for name, item in predictions.items() for wrong in item.check.wrongs(name))  # type: ignore[attr-defined]
        return replace(self, exercises=self.exercises | predictions, wrongs=(*self.wrongs, *wrongs))

    def solved_value(self, name: str) -> Any:
        """The value that the solved notebook gives as the answer to a prediction."""
        return value_of(self.solution(name)[0], self.exercises[name].variable)


def _role(cell: dict[str, Any]) -> dict[str, str]:
    role: dict[str, str] = cell["metadata"].get("jaxcourse", {})
    return role


def _source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


@functools.cache
def _read_notebook(path: Path) -> dict[str, Any]:
    book: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return book


def _predicts(exercise: Exercise) -> bool:
    return isinstance(exercise.check, Prediction)


def load(path: Path) -> Lesson:
    """A lesson's checks, with what is right in its predictions taken from its solved notebook.

    Raises:
        Exception: whatever running the file of checks raises.
    """
    lesson = collect(path)
    return lesson.bound(lesson.solved_value)


class _UncachedLoader(SourceFileLoader):
    """Compiles the file each time: kept, two edits of the same second and size would be one to Python."""

    def get_code(self, fullname: str) -> types.CodeType:
        filename = self.get_filename(fullname)
        return self.source_to_code(self.get_data(filename), filename)


def collect(path: Path) -> Lesson:
    """Run a file of checks, `exercises_tests/ex_NN_topic.py`, and collect what it defines.

    Args:
        path: the file; its course is the folder above its own.

    Raises:
        Exception: whatever running the file raises.
    """
    place = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]  # two courses may name a lesson alike
    loader = _UncachedLoader(f"jaxcourse_checks_{path.stem}_{place}", str(path))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    loader.exec_module(module)
    defined = list(vars(module).values())
    stem = path.stem.removeprefix("ex_")
    return Lesson(
        stem,
        {item.name: item for item in defined if isinstance(item, Exercise)},
        tuple(item for item in defined if isinstance(item, Wrong)),
        path.parents[1] / "solutions" / f"{stem}.ipynb",
        tuple(item for item in defined if isinstance(item, Right)),
        tuple(item for kept in defined if isinstance(kept, list) for item in kept if isinstance(item, Equivalent)),
    )


def asked_in(text: str) -> list[str]:
    """The names of the exercises in a file of checks, without importing it.

    Example:
        >>> asked_in('@exercise("which-axis", see="axes", hint="Count.")')
        ['which-axis']
    """
    return re.findall(r'^(?:@exercise|\w+ = prediction)\(\s*"([^"]+)"', text, re.MULTILINE)


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that is closest to a given one, or an empty string.

    Example:
        >>> nearest("center_columns", ["centre_columns", "rows"])
        'centre_columns'
    """
    return next(iter(difflib.get_close_matches(name, known, n=1)), "")
