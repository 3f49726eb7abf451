"""Which diagnoses a check can make: what its steps say of themselves, and what stands in the functions of the course.

The labels of `Agrees` and `Solves` are data. Those of a function are read from its code, and from that of every
function of the course that it names.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any

from jaxcourse.checks import Declared, Stepwise, label_of
from jaxcourse.exercise import Exercise
from jaxcourse.mistakes import Seen
from jaxcourse.prediction import Prediction
from jaxcourse.probe import is_filled

_LABEL = {"require": 1, "refuse": 1, "expect": 2, "Diagnosis": 0}
"""What makes a diagnosis, and which of its arguments is the label; what is said is the one behind it."""
_ENGINE = tuple(
    f"jaxcourse.{room}." for room in ("checks", "exercise", "inputs", "kernels", "mistakes", "prediction", "probe")
)
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
    yield from dict.fromkeys(label_of(key) for key in keys_of(exercise))


def keys_of(exercise: Exercise) -> Iterator[str]:
    """The keys of words that a check uses: a label, or a label with a stroke and what chooses one of its messages."""
    return (key for key, _ in _uses_of(exercise))


def unworded_keys_of(exercise: Exercise) -> Iterator[str]:
    """The keys that a check uses without saying anything itself, so that words must be there for them."""
    return (key for key, says in _uses_of(exercise) if not says)


def _uses_of(exercise: Exercise) -> Iterator[tuple[str, bool]]:
    """The keys that a check uses, each time with whether something is said with it in the code."""
    steps = exercise.check.steps if isinstance(exercise.check, Stepwise) else [exercise.check]
    for step in steps:
        if isinstance(step, Declared):
            yield from zip(step.keys(), repeat(False))
            yield from (use for function in step.functions() for use in _uses_in(function))
        else:
            yield from _uses_in(step)


def _uses_in(function: Any) -> Iterator[tuple[str, bool]]:
    for part in _functions_reached(function):
        yield from _labels_in(_tree(part))
        for value in _named_in(part):
            yield from _kept_beside(value) if isinstance(value, dict) else ()


def _kept_beside(value: Any) -> Iterator[tuple[str, bool]]:
    """The keys of the mistakes that a global keeps."""
    faces = (face for some in value.values() for face in (some if isinstance(some, list) else [some]))
    if all(isinstance(key, str) for key in value) and all(callable(one) or isinstance(one, Seen) for one in faces):
        yield from zip(value, repeat(False))


def sees_of(exercise: Exercise) -> Iterator[str]:
    """The labels of the sections that the diagnoses of an exercise point to."""
    if isinstance(exercise.check, Prediction):
        yield from (mistake.see for mistake in exercise.check.mistakes if mistake.see)
    if isinstance(exercise.check, Stepwise):
        yield from (see for _, see in exercise.check.words.said.values() if see)
        return
    nodes = (node for part in _functions_reached(exercise.check) for node in ast.walk(_tree(part)))
    given = (keyword for node in nodes if isinstance(node, ast.Call) for keyword in node.keywords)
    yield from (text for each in given if each.arg == "see" for text in _texts(each.value))


def _texts(node: ast.expr) -> list[str]:
    """A text that is written out; an empty list for anything else."""
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def _functions_reached(function: Any) -> list[Callable[..., Any]]:
    """A function, and the functions of the course that it names, directly or through another one."""
    found: dict[Any, None] = {}
    todo = [function]
    while todo:
        part = todo.pop()
        if not inspect.isfunction(part) or part in found or f"{part.__module__}.".startswith(_ENGINE):
            continue
        found[part] = None
        todo += [value for value in _named_in(part) if inspect.isfunction(value) and _is_ours(value.__module__)]
    return list(found)


def _is_ours(module: str) -> bool:
    return module.startswith("jaxcourse")


def _named_in(function: Callable[..., Any]) -> Iterator[Any]:
    """What a function's code names: globals, attributes of the course's modules, and what it found around it."""
    yield from (cell.cell_contents for cell in function.__closure__ or () if is_filled(cell))
    for node in ast.walk(_tree(function)):
        if isinstance(node, ast.Name):
            yield function.__globals__.get(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = function.__globals__.get(node.value.id)
            if inspect.ismodule(module) and _is_ours(module.__name__):
                yield getattr(module, node.attr, None)


@functools.lru_cache(maxsize=1000)
def _tree(function: Callable[..., Any]) -> ast.AST:
    """A function's code; of a lambda, that of all lambdas in the line in which it begins."""
    try:
        lines, _ = inspect.findsource(function)
    except OSError:  # it was typed in, or made by another function
        return ast.Module([], [])
    code = inspect.unwrap(function).__code__
    return ast.Module(_functions_of("".join(lines)).get((code.co_firstlineno, code.co_name), []), [])


@functools.lru_cache(maxsize=100)
def _functions_of(source: str) -> dict[tuple[int, str], list[Any]]:
    """The functions of a file by the line in which they begin, with their decorators, and by their names."""
    found: dict[tuple[int, str], list[Any]] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
            found.setdefault((first, getattr(node, "name", "<lambda>")), []).append(node)
    return found


def _labels_in(tree: ast.AST) -> Iterator[tuple[str, bool]]:
    """The labels that are written in some code, each with whether something is said with it there."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        place = _LABEL.get(name, len(call.args))
        labels = [*call.args[place : place + 1], *(given[key] for key in ("label", "otherwise") if key in given)]
        said = [*call.args[place + 1 : place + 2], *(given[key] for key in ("message", "said") if key in given)]
        says = any(_texts(one) != [""] for one in said) or None in given
        yield from ((text, says) for label in labels for text in _texts(label))
        if not labels and (name == "expect" or "mistakes" in given):
            yield "wrong-value", says
        for kept in [*(call.args if name == "naming" else ()), *(given[key] for key in ("mistakes",) if key in given)]:
            keys = (key for node in ast.walk(kept) if isinstance(node, ast.Dict) for key in node.keys if key)
            yield from ((text, False) for key in keys for text in _texts(key))
