"""What a function's compiled code says about it."""

from __future__ import annotations

import dis
import functools
import types
from collections.abc import Iterator
from typing import Any

from jaxcourse.insides import behind


@functools.cache  # a check may ask one question a hundred times
def globals_of(code: types.CodeType) -> frozenset[str]:
    """The global names that a function's code reads, including the functions inside it."""
    steps = [step for part in (code, *inner(code)) for step in dis.get_instructions(part)]
    return frozenset(str(step.argval) for step in steps if step.opname == "LOAD_GLOBAL")


def loops(code: types.CodeType) -> int:
    """How many places a function jumps back to: every loop jumps to its own beginning."""
    return len({step.argval for step in dis.get_instructions(code) if "BACKWARD" in step.opname})


def inner(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of the functions inside a function."""
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield part
            yield from inner(part)


def code_of(function: Any) -> types.CodeType | None:
    """The code of a function behind decorators, `jit`, `partial`, Numba, methods, or a callable object.

    Returns:
        None for a class and for anything written in C.

    Example:
        >>> from functools import partial
        >>> code_of(partial(lambda x: x)).co_name, code_of(max)
        ('<lambda>', None)
    """
    for _ in range(8):
        code = getattr(function, "__code__", None)
        behind = [part for part in _functions_behind(function) if not isinstance(function, type)]
        if (isinstance(code, types.CodeType) and not hasattr(function, "__wrapped__")) or not behind:
            return code if isinstance(code, types.CodeType) else None
        function = behind[0]
    return None


def functions_of(answer: Any, of_a_library: tuple[str, ...] = ()) -> list[types.FunctionType]:
    """An answer's functions: its own, and those that it reaches by name, closure, default, decorator or method.

    Args:
        answer: a function, or a callable object.
        of_a_library: prefixes of file names; functions from these files are skipped.

    Example:
        >>> from functools import partial
        >>> def outer(x, helper=lambda x: x + 1):
        ...     return helper(x)
        >>> [function.__name__ for function in functions_of(partial(outer, 2))]
        ['outer', '<lambda>']
    """
    found: dict[int, types.FunctionType] = {}
    left, seen = [answer], set()
    while left:
        value = left.pop()
        if id(value) in seen or isinstance(value, types.ModuleType):
            continue
        seen.add(id(value))
        if isinstance(value, types.FunctionType):
            if value.__code__.co_filename.startswith(of_a_library):
                left += _functions_behind(value)
                continue
            found[id(value)] = value
            left += _callables_named(value)
        left += _functions_behind(value)
    return list(found.values())


def whole_numbers(function: Any, of_a_library: tuple[str, ...] = ()) -> list[int]:
    """The whole numbers above 1 that an answer is written with, here or in functions and names that it reaches.

    It is not a question itself: it serves those that look for what an answer makes of a number of its own, such as a
    factor. A number that is computed while the answer runs is not seen.

    Args:
        function: the answer.
        of_a_library: see `functions_of`.

    Returns:
        From the smallest to the largest.

    Example:
        >>> whole_numbers(lambda seed, epoch: 123_457 * seed + 2**20 * epoch)
        [123457, 1048576]
        >>> def far(seed, apart=1e6):
        ...     return lambda epoch: seed * int(apart) + epoch
        >>> whole_numbers(far)
        [1000000]
    """
    found: list[Any] = []
    for part in functions_of(function, of_a_library):
        codes = [part.__code__, *inner(part.__code__)]
        found += [value for code in codes for value in code.co_consts]
        found += [part.__globals__.get(name) for code in codes for name in code.co_names]
        found += [cell.cell_contents for cell in part.__closure__ or () if is_filled(cell)]
        found += [*(part.__defaults__ or ()), *(part.__kwdefaults__ or {}).values()]
    numbers = [value for value in found if isinstance(value, (int, float)) and value > 1]
    return sorted({int(value) for value in numbers if value == value // 1})


def _functions_behind(value: Any) -> list[Any]:
    """What stands behind a decorator, a `partial`, a method, Numba's dispatcher or a callable object."""
    inside = behind(value)
    if not isinstance(value, (type, types.FunctionType)):
        inside += [vars(kind)["__call__"] for kind in type(value).__mro__ if "__call__" in vars(kind)][:1]
    if isinstance(value, type) and value.__module__ != "builtins":
        inside += vars(value).values()
    return [part for part in inside if callable(part)]


def _callables_named(function: types.FunctionType) -> list[Any]:
    names = {name for code in (function.__code__, *inner(function.__code__)) for name in code.co_names}
    values = [function.__globals__.get(name) for name in names]
    values += [cell.cell_contents for cell in function.__closure__ or () if is_filled(cell)]
    values += [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    return [value for value in values if callable(value)]


def is_filled(cell: types.CellType) -> bool:
    """Whether a closure's cell holds anything yet.

    Example:
        >>> is_filled(types.CellType(1)), is_filled(types.CellType())
        (True, False)
    """
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
