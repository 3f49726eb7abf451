"""Which diagnoses a check can make, read from its code and from that of every function of the course that it calls."""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

from jaxcourse.exercise import Exercise
from jaxcourse.prediction import Prediction

_DIAGNOSING = {"require": 1, "refuse": 1, "Diagnosis": 0, "Slip": 0}
"""What makes a diagnosis, and which of its arguments is the label."""
_ENGINE = ("jaxcourse.exercise", "jaxcourse.prediction", "jaxcourse.probe")
"""Modules whose diagnoses are the engine's own."""


def labels_of(exercise: Exercise) -> Iterator[str]:
    """The labels that the check of an exercise names, including those in helpers such as `jaxcourse.puzzle`.

    Example:
        >>> from jaxcourse.exercise import require
        >>> def check(answer, rng):
        ...     require(answer(1) == 2, "not-two", "Two.")
        >>> list(labels_of(Exercise("two", check)))
        ['not-two']
    """
    yield from dict.fromkeys(label for part in _reached(exercise.check) for label in _labels_in(_tree(part)))


def sees_of(exercise: Exercise) -> Iterator[str]:
    """The labels of the sections that the diagnoses of an exercise point to."""
    if isinstance(exercise.check, Prediction):
        yield from (mistake.see for mistake in exercise.check.mistakes if mistake.see)
    nodes = (node for part in _reached(exercise.check) for node in ast.walk(_tree(part)))
    given = (keyword for node in nodes if isinstance(node, ast.Call) for keyword in node.keywords)
    yield from (text for each in given if each.arg == "see" for text in _texts(each.value))


def _texts(node: ast.expr) -> list[str]:
    """A text that is written out; an empty list for anything else."""
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def _reached(function: Any) -> list[Callable[..., Any]]:
    """A function, and the functions of the course that it names, directly or through another one."""
    found: dict[Any, None] = {}
    todo = [function]
    while todo:
        part = todo.pop()
        if not inspect.isfunction(part) or part in found or part.__module__.startswith(_ENGINE):
            continue
        found[part] = None
        todo += [value for value in _named_in(part) if inspect.isfunction(value) and _is_ours(value.__module__)]
    return list(found)


def _is_ours(module: str) -> bool:
    return module.startswith("jaxcourse")


def _named_in(function: Callable[..., Any]) -> Iterator[Any]:
    """What a function's code names: globals, and attributes of the course's modules."""
    for node in ast.walk(_tree(function)):
        if isinstance(node, ast.Name):
            yield function.__globals__.get(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = function.__globals__.get(node.value.id)
            if inspect.ismodule(module) and _is_ours(module.__name__):
                yield getattr(module, node.attr, None)


@functools.lru_cache(maxsize=1000)
def _tree(function: Callable[..., Any]) -> ast.AST:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except OSError:  # it was typed in, or made by another function
        return ast.Module([], [])


def _labels_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        labels = [keyword.value for keyword in node.keywords if keyword.arg == "label"]
        place = _DIAGNOSING.get(node.func.id)
        if place is not None:
            labels += node.args[place : place + 1]
        yield from (text for label in labels for text in _texts(label))
        if node.func.id in ("expect", "sweep") and not labels:
            yield "wrong-value"
