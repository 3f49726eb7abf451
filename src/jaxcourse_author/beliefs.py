"""Which exercises rest on which belief about JAX: what a check can reach is followed by name, and nothing is run.

Recording what is required while solutions are judged would say less. The table is asked for where a belief does not
hold, and there a verdict ends at the first one. Some beliefs are never required: whoever reads the text of a program
says `broken` where it cannot be read. Others are required on the way to a diagnosis, which no solution gets.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable, Iterator
from typing import Any

from jaxcourse import insides
from jaxcourse.course import Course
from jaxcourse.exercise import Exercise
from jaxcourse.insides import BELIEFS, Belief
from jaxcourse.probe import inner, is_filled, local_channel

_ROOM = insides.__name__


def exercises_resting(course: Course) -> dict[str, list[str]]:
    """For each belief the exercises that rest on it, in the course's order.

    Example:
        >>> resting = exercises_resting(Course.installed())
        >>> resting.keys() == BELIEFS.keys()
        True
    """
    found: dict[str, list[str]] = {name: [] for name in BELIEFS}
    for stem in course.exercises():
        for exercise in course.lesson(stem).exercises.values():
            for name in beliefs_of(exercise):
                found[name].append(exercise.name)
    return found


def beliefs_of(exercise: Exercise) -> list[str]:
    """The names of the beliefs that the check of an exercise rests on, and what asks its questions.

    A check that reaches a function is taken to call it.
    """
    found, seen = set(), set()
    left: list[Any] = [local_channel, exercise.check, *exercise.without]
    while left:
        value = left.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Belief):
            found.add(value.name)
        else:
            left += _objects_named(value)
    return sorted(found)


def _objects_named(value: Any) -> Iterable[Any]:
    if isinstance(value, types.FunctionType):
        return _named_in(value) if _is_ours(value.__globals__) else _behind_decorator(value)
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, functools.partial):
        return value.func, *value.args
    if isinstance(value, property):
        return (value.fget,)
    if isinstance(value, functools.cached_property):
        return (value.func,)
    if isinstance(value, type):
        return _methods(value) if _is_ours(vars(value)) and not _is_of_the_room(value) else ()
    if _is_ours({"__module__": type(value).__module__}):
        return type(value), *getattr(value, "__dict__", {}).values()
    return _behind_decorator(value)


def _behind_decorator(value: Any) -> list[Any]:
    """The function behind a decorator of somebody else's."""
    return [value.__wrapped__] if hasattr(value, "__wrapped__") else []


def _methods(kind: type) -> list[Any]:
    """What a class defines; of what Python calls by itself, only what makes an object a function."""
    return [part for name, part in vars(kind).items() if name == "__call__" or not name.startswith("__")]


def _is_ours(names: Any) -> bool:
    """Whether something is defined in this package or in a file of checks, which pass on what they import from it."""
    module = str(names.get("__module__") or names.get("__name__") or "")
    return module.startswith(("jaxcourse", "exercises_tests"))


def _named_in(function: types.FunctionType) -> Iterator[Any]:
    """What a function's code names: globals, attributes of our modules, and of what our room hands out."""
    codes = [function.__code__, *inner(function.__code__)]
    names = {name for code in codes for name in code.co_names}
    values = [function.__globals__[name] for name in names if name in function.__globals__]
    yield from values
    yield from (cell.cell_contents for cell in function.__closure__ or () if is_filled(cell))
    yield from function.__defaults__ or ()
    for module in values:
        if isinstance(module, types.ModuleType) and _is_ours(vars(module)):
            yield from (vars(module)[name] for name in names if name in vars(module))
    if any(_is_of_the_room(value) for value in function.__globals__.values()):
        yield from (part for name in names for part in _parts().get(name, ()))


def _is_of_the_room(value: Any) -> bool:
    name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", "")
    return str(name).startswith(_ROOM)


@functools.cache
def _parts() -> dict[str, list[Any]]:
    """The properties and methods of what the room hands out, by name."""
    kinds = [value for value in vars(insides).values() if isinstance(value, type) and value is not Belief]
    found: dict[str, list[Any]] = {}
    for kind in kinds:
        for name, part in vars(kind).items():
            found.setdefault(name, []).append(part)
    return found
