"""Submissions made of what the course has: each listed answer as source text, and notebooks with answers in them.

The listed answers stand in `exercises_tests/ex_*.py` among helpers, oracles and constants. Each is cut out of its file
with what it needs, by the slicing that the grader uses on notebooks. Those of a prediction are data, and written out.
"""

import ast
import functools
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from jaxcourse.course import Lesson
from jaxcourse.grade.slicing._statements import Piece, Slices, read
from jaxcourse.prediction import Prediction

LISTS = {"wrong", "right"}
"""What lists an answer in a file of checks."""


class Listed(NamedTuple):
    """A listed answer.

    Attributes:
        exercise: whose answer it is.
        name: what it is called in the file; its value, where it is one of a prediction.
        label: its diagnosis; empty if it is right.
        source: Python that defines the exercise's variable.
    """

    exercise: str
    name: str
    label: str
    source: str


@functools.cache
def listed(path: Path) -> tuple[Listed, ...]:
    """The answers that a file of checks lists with `wrong` and `right`, each as a text that stands alone.

    Args:
        path: `exercises_tests/ex_NN_topic.py`.
    """
    pieces = list(read(path.read_text(encoding="utf-8")).pieces)
    found = {i: answer for i, piece in enumerate(pieces) if (answer := _listed(piece))}
    of_another = re.compile(rf"\b({'|'.join(answer.name for answer in found.values())})\.answer\b")
    for i, answer in found.items():
        (pieces[i],) = read(of_another.sub(r"\1", answer.source)).pieces
    slices = Slices(pieces)
    needed = {i: [pieces[k] for k in slices.needs([i], horizon=len(pieces))] for i in found}
    return tuple(answer._replace(source=_alone(needed[i], answer)) for i, answer in found.items())


_FLOATS = "from math import inf, nan\n\n"
"""What Python writes for these two numbers are names."""


def predicted(lesson: Lesson) -> list[Listed]:
    """The wrong answers that the mistakes of a lesson's predictions list."""
    predictions = (task for task in lesson.exercises.values() if isinstance(task.check, Prediction))
    return [
        Listed(task.name, repr(wrong.answer), wrong.label, f"{_FLOATS}{task.variable} = {wrong.answer!r}\n")
        for task in predictions
        for wrong in task.check.wrongs(task.name)
    ]


def _listed(piece: Piece) -> Listed | None:
    """The answer that a statement lists, as if nobody had listed it."""
    (node,) = ast.parse(piece.source).body
    if isinstance(node, ast.FunctionDef | ast.ClassDef) and any(map(_lists, node.decorator_list)):
        first, *others = node.decorator_list
        node.decorator_list = others
        return Listed(*_named(first, node.name), ast.unparse(node))
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _lists(node.value.func):
        name, (value,) = node.targets[0].id, node.value.args
        return Listed(*_named(node.value.func, name), f"{name} = {ast.unparse(value)}")
    return None


def _named(call: ast.Call, name: str) -> tuple[str, str, str]:
    exercise, *label = (argument.value for argument in call.args)
    return exercise, name, label[0] if label else ""


def _lists(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in LISTS


def _alone(pieces: list[Piece], answer: Listed) -> str:
    variable = answer.exercise.replace("-", "_")
    named = [f"{variable} = {answer.name}"] if variable != answer.name else []
    return "\n\n".join([*(piece.source for piece in pieces), *named]) + "\n"


def notebook(lesson: Lesson, answers: Mapping[str, str]) -> str:
    """The notebook that a student would hand in: the blank one, with answers in the place of stubs.

    Args:
        lesson: the lesson.
        answers: by the exercise's name, the source of its cell; the others stay blank.

    Returns:
        The `.ipynb` file's text.
    """
    path = lesson.notebook.parents[1] / "notebooks" / lesson.notebook.name
    book = json.loads(path.read_text(encoding="utf-8"))
    for cell in book["cells"]:
        about = cell["metadata"].get("jaxcourse", {})
        if about.get("role") == "stub" and about["exercise"] in answers:
            cell["source"] = f"# exercise: {about['exercise']}\n{answers[about['exercise']]}"
    return json.dumps(book, ensure_ascii=False, indent=1)


def code_cells(text: str) -> list[str]:
    """The sources of the code cells of a notebook."""
    return ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
