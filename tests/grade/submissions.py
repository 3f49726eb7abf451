"""Submissions made of what the course has: each listed answer as source text, and notebooks with answers in them.

The listed answers stand in `tests/answers/` among helpers, and import from the checks. Each is cut out of its file with
what stands behind its names, as the grader reads notebooks. Those of a prediction are data, and written out.
"""

import ast
import functools
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from jaxcourse.course import Lesson
from jaxcourse.course._lessons import CHECKS, answer_files
from jaxcourse.prediction import Prediction
from jaxcourse_grade.slicing._statements import Links, Piece, read_statements

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
def listed(root: Path, stem: str) -> tuple[Listed, ...]:
    """The answers that are listed with `wrong` and `right` for a lesson, each as a text that stands alone.

    Args:
        root: the folder of the course.
        stem: the lesson's.
    """
    files = [path for path in answer_files(root, stem) if not path.stem.startswith("_")]
    return tuple(answer for path in files for answer in _listed_in(path))


def _listed_in(path: Path) -> Iterator[Listed]:
    pieces = list(read_statements(_flat(path, set())).pieces)
    found = {i: answer for i, piece in enumerate(pieces) if (answer := _listed(piece))}
    alone = len(pieces)
    for answer in [answer for piece in pieces for answer in _listed_together(piece)]:
        found[len(pieces)] = answer
        pieces += read_statements(answer.source).pieces
    of_another = re.compile(rf"\b({'|'.join(answer.name for answer in found.values())})\.answer\b")
    for i, answer in found.items():
        (pieces[i],) = read_statements(of_another.sub(r"\1", answer.source)).pieces
    links = Links(pieces)
    for i, answer in found.items():
        needed = {k for k in links.behind(pieces[i].uses | pieces[i].later) if k < alone}
        yield answer._replace(source=_alone([pieces[k] for k in sorted({i, *needed})], answer))


def _flat(path: Path, seen: set[Path]) -> str:
    """A file's text, with those files of the lesson from which it imports in front of it, each once."""
    whole, before = path.read_text(encoding="utf-8"), []
    text = whole
    for node in ast.parse(whole).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            text = text.replace(f"{ast.get_source_segment(whole, node)}\n", "", 1)
            checks = path.parents[3] / CHECKS / path.parent.name if node.level == 2 else path.parent
            other = checks / f"{node.module}.py"
            if other not in seen:
                seen.add(other)
                before.append(_flat(other, seen))
    return "\n\n".join([*before, text])


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


def _listed_together(piece: Piece) -> Iterator[Listed]:
    """The answers in a list, which a check defines as mistakes: `mistakes = [wrong("name", "label")(function)]`."""
    (node,) = ast.parse(piece.source).body
    for call in node.value.elts if isinstance(node, ast.Assign) and isinstance(node.value, ast.List) else ():
        if isinstance(call, ast.Call) and _lists(call.func):
            function = ast.unparse(call.args[0])
            yield Listed(*_named(call.func, function), f"{function} = {function}")


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
