"""Submissions made of what the course has: each listed wrong answer as source text, and notebooks with answers in them.

The wrong answers stand in `exercises_tests/ex_*.py` among helpers, oracles and constants. Each is cut out of its file
with what it needs, by the slicing that the grader uses on notebooks.
"""

import ast
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from jaxcourse import _course
from jaxcourse.grade._statements import Piece, Slices, read


def wrong_sources(path: Path) -> dict[tuple[str, str], str]:
    """The listed wrong answers of a file of checks, each as a text that stands alone.

    Args:
        path: `exercises_tests/ex_NN_topic.py`.

    Returns:
        By exercise and by the name that the wrong answer has in the file: Python that defines the exercise's variable.
    """
    pieces = list(read(path.read_text(encoding="utf-8")).pieces)
    found = {i: wrong for i, piece in enumerate(pieces) if (wrong := _wrong(piece))}
    of_another = re.compile(rf"\b({'|'.join(wrong.name for wrong in found.values())})\.answer\b")
    for i, wrong in found.items():
        (pieces[i],) = read(of_another.sub(r"\1", wrong.source)).pieces
    slices = Slices(pieces)
    return {
        (wrong.exercise, wrong.name): _alone([pieces[k] for k in slices.needs([i], horizon=len(pieces))], wrong)
        for i, wrong in found.items()
    }


class _Wrong(NamedTuple):
    exercise: str
    name: str
    source: str


def _wrong(piece: Piece) -> _Wrong | None:
    """The wrong answer that a statement is, as if nobody had called it wrong."""
    (node,) = ast.parse(piece.source).body
    if isinstance(node, ast.FunctionDef) and any(map(_is_wrong, node.decorator_list)):
        first, *others = node.decorator_list
        node.decorator_list = others
        return _Wrong(first.args[0].value, node.name, ast.unparse(node))
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _is_wrong(node.value.func):
        name, (value,) = node.targets[0].id, node.value.args
        return _Wrong(node.value.func.args[0].value, name, f"{name} = {ast.unparse(value)}")
    return None


def _is_wrong(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "wrong"


def _alone(pieces: list[Piece], wrong: _Wrong) -> str:
    variable = wrong.exercise.replace("-", "_")
    named = [f"{variable} = {wrong.name}"] if variable != wrong.name else []
    return "\n\n".join([*(piece.source for piece in pieces), *named]) + "\n"


def notebook(lesson: _course.Lesson, answers: Mapping[str, str]) -> str:
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
