"""Submissions made of what the course has: each listed wrong answer as source text, and notebooks with answers in them.

The wrong answers stand in `exercises_tests/ex_*.py` among helpers, oracles and constants. Each is cut out of its file
with what it needs, by the slicing that the grader uses on notebooks.
"""

import ast
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

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
    return {
        (exercise, name): _alone(pieces, i, source, exercise.replace("-", "_"))
        for i, piece in enumerate(pieces)
        for exercise, name, source in _wrong(piece)
    }


def _wrong(piece: Piece) -> Iterator[tuple[str, str, str]]:
    """Exercise, name and source of a wrong answer, if a statement is one."""
    (node,) = ast.parse(piece.source).body
    if isinstance(node, ast.FunctionDef):
        calls = [d for d in node.decorator_list if _is_wrong(d)]
        node.decorator_list = [d for d in node.decorator_list if d not in calls]
        yield from ((call.args[0].value, node.name, ast.unparse(node)) for call in calls)
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _is_wrong(node.value.func):
        name, (value,) = node.targets[0].id, node.value.args
        yield node.value.func.args[0].value, name, f"{name} = {ast.unparse(value)}"


def _is_wrong(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "wrong"


def _alone(pieces: list[Piece], at: int, source: str, variable: str) -> str:
    name = next(iter(pieces[at].defines))
    (answer,) = read(source).pieces
    beside = [*pieces[:at], replace(answer, line=pieces[at].line), *pieces[at + 1 :]]
    sources = [beside[i].source for i in Slices(beside).needs([at], horizon=len(beside))]
    return "\n\n".join([*sources, *([f"{variable} = {name}"] if name != variable else [])]) + "\n"


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
