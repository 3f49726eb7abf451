"""The misconceptions of a lesson that its checks know best: those that most of the listed wrong answers show."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import types
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jaxcourse.checks import Agrees, Stepwise, label_of, mistakes_of
from jaxcourse.course import Lesson, with_answers
from jaxcourse.exercise import ENGINE_LABELS, Exercise
from jaxcourse.prediction import Mistake, Prediction

_GENERAL = re.compile(r"wrong-|not-a-|another-exception")
"""How labels begin that name no misconception: what is wrong, and not why; beside those of the engine."""
_FACT = re.compile(r"\{\w+\}")
_LONGEST = 90
"""How many characters a line has at most that is shown."""


@dataclass(frozen=True)
class Misconception:
    """A mistake that the checks of a lesson know.

    Attributes:
        exercise: the name of the exercise.
        label: the mistake's.
        words: the check's to it.
        line: the smallest of its wrong answers that are one line of code; empty if none is.
        count: how many wrong answers with it are listed.
    """

    exercise: str
    label: str
    words: str
    line: str
    count: int


def misconceptions(lesson: Lesson, most: int = 3) -> tuple[Misconception, ...]:
    """The mistakes that most listed wrong answers show, one of each exercise; of two, the one of the core path.

    What only says that an answer is wrong is none, nor is one whose words need numbers of an answer. One of which a
    wrong answer is a single line, that can be read alone, comes before one of which none is.

    Args:
        lesson: as the course has it.
        most: how many.
    """
    full = with_answers(lesson)
    found = [one for name in full.exercises for one in _best(full, name)]
    ranked = sorted(found, key=lambda one: (not one.line, -one.count, one.exercise in full.practice))
    return tuple(ranked[:most])


def _best(lesson: Lesson, name: str) -> list[Misconception]:
    """The mistake of an exercise that most wrong answers show, if it has one."""
    exercise = lesson.exercises[name]
    general = ENGINE_LABELS | _otherwise(exercise)
    known = [
        Misconception(name, label, words, min(filter(None, lines), key=len, default=""), len(lines))
        for label, lines in _lines(lesson, name).items()
        if label not in general and not _GENERAL.match(label) and (words := _words(exercise, label))
    ]
    return [max(known, key=lambda one: (bool(one.line), one.count))] if known else []


def _lines(lesson: Lesson, name: str) -> dict[str, list[str]]:
    """Each listed wrong answer as a line, by its label; an empty one where it is none."""
    check = lesson.exercises[name].check
    found: dict[str, list[str]] = {}
    if isinstance(check, Prediction):
        # One for each way in which a mistake is declared: *anything else* of eight choices is known no better.
        answers = [(one.label, first) for one in check.mistakes for first in _firsts(check, one)]
        lines = [(label, _entries(answer, check)) for label, answer in answers]
    else:
        listed = [(one.label, one.answer) for one in lesson.wrongs if one.exercise == name]
        lines = [(label, _code(answer)) for label, answer in [*listed, *mistakes_of(lesson.exercises[name])]]
    for label, line in lines:
        found.setdefault(label, []).append(line if len(line) <= _LONGEST else "")
    return found


def _firsts(check: Prediction, mistake: Mistake) -> Iterator[Any]:
    """The first wrong answer of each alternative of a mistake."""
    for when in mistake.when if isinstance(mistake.when, list) else [mistake.when]:
        yield next(replace(check, mistakes=(replace(mistake, when=when),)).wrongs("")).answer


def _otherwise(exercise: Exercise) -> set[str]:
    """The labels of whatever is wrong in an unknown way."""
    steps = exercise.check.steps if isinstance(exercise.check, Stepwise) else ()
    return {label_of(step.otherwise) for step in steps if isinstance(step, Agrees) and step.otherwise}


def _words(exercise: Exercise, label: str) -> str:
    """What is said to a mistake, if it can be said without an answer's own numbers."""
    check = exercise.check
    if isinstance(check, Prediction):
        return next((one.message for one in check.mistakes if one.label == label), "")
    said = check.words.said if isinstance(check, Stepwise) else {}
    texts = (text for key, (text, _) in said.items() if label_of(key) == label and not _FACT.search(text))
    return next(texts, "")


# -- a line -----------------------------------------------------------------------------------------------------


def _entries(answer: Any, check: Prediction) -> str:
    """The entries of an answer that are not right."""
    right, got = check.table(check.right), check.table(answer)
    changed = {name: got[name] for name in right if got[name] != right[name]}
    return ", ".join(f"{name}: {value!r}" if name != "" else repr(value) for name, value in changed.items())


def _code(answer: Any) -> str:
    """What an answer returns, if it does nothing else, and with names that say what they are: those of libraries."""
    function = inspect.unwrap(answer) if callable(answer) else None
    if not isinstance(function, types.FunctionType) or function.__closure__:
        return ""
    given = _return_expression(function)
    return "" if given is None or _own(given, function) else ast.unparse(given)


def _return_expression(function: types.FunctionType) -> ast.expr | None:
    """The expression that a function returns, if it does nothing else."""
    code = function.__code__
    nodes = [node for node in _nodes(code.co_filename) if _first(node) <= code.co_firstlineno <= (node.end_lineno or 0)]
    if code.co_name == "<lambda>":
        spots = {(line, column) for line, _, column, end in code.co_positions() if line and end and column is not None}
        bodies = [node.body for node in nodes if isinstance(node, ast.Lambda)]
        around = [one for one in bodies if all(_holds(one, spot) for spot in spots)]
        return max(around, key=lambda one: (one.lineno, one.col_offset), default=None)
    named = [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == code.co_name]
    body = [one for one in named[-1].body if not _is_docstring(one)] if named else []
    return body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None


@functools.lru_cache(maxsize=512)
def _nodes(file: str) -> tuple[ast.Lambda | ast.FunctionDef, ...]:
    """The functions of a file, from the outermost on; of none if there is no such file."""
    text = Path(file).read_text(encoding="utf-8") if Path(file).exists() else ""
    return tuple(node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Lambda, ast.FunctionDef)))


def _first(node: ast.Lambda | ast.FunctionDef) -> int:
    """The line with which a function begins, or its first decorator."""
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    return min(one.lineno for one in (node, *decorators))


def _holds(body: ast.expr, spot: tuple[int, int]) -> bool:
    """Whether a place of a file is in an expression."""
    return (body.lineno, body.col_offset) <= spot <= (body.end_lineno or 0, body.end_col_offset or 0)


def _is_docstring(one: ast.stmt) -> bool:
    return isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)


def _own(given: ast.expr, function: types.FunctionType) -> bool:
    """Whether an expression uses what is defined beside it."""
    names = {node.id for node in ast.walk(given) if isinstance(node, ast.Name)}
    used = [function.__globals__[name] for name in names & {*function.__globals__}]
    return any(not isinstance(one, types.ModuleType) or one.__name__.startswith("jaxcourse") for one in used)
