"""What C iterates over, made visible: `sum(x)` and `list(map(f, x))` are loops that no line of Python runs.

While an answer is watched, the names by which its functions reach such iterators hold stand-ins. Each hands the real
one a generator of ours, so that every element runs a line of Python.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import itertools
import math
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from jaxcourse.probe._code import is_filled

Places = tuple[int, ...]
"""The positions of arguments that are iterated over; an empty tuple stands for all of them."""

_ITERATING: dict[Any, Places] = {
    **dict.fromkeys((sum, any, all, sorted, max, min, list, tuple, set, frozenset, enumerate), (0,)),
    **dict.fromkeys((math.fsum, math.prod, np.fromiter), (0,)),
    **dict.fromkeys((zip, itertools.accumulate, itertools.chain, itertools.islice, itertools.pairwise), ()),
    **dict.fromkeys((map, filter, functools.reduce, itertools.starmap), (1, 2, 3)),
}
"""Functions and types that iterate where no line of Python runs."""

_PACKED = (np.ndarray, list, tuple, range)
"""What a list or a tuple may be made of without a loop: the same elements in another box, as by `tolist`."""

_CALLING = (np.vectorize, np.frompyfunc)
"""Functions that call a Python function for each element."""

_MODULES = (functools, itertools, math, np)


def _count_iteration(iterable: Any) -> Any:
    if isinstance(iterable, (str, bytes, dict)) or not hasattr(iterable, "__iter__"):
        return iterable
    return _each(iterable)


def _each(iterable: Any) -> Iterator[Any]:
    for item in iterable:  # noqa: UP028  a `yield from` would run no line
        yield item


def _count_arguments(arguments: Sequence[Any], places: Places) -> list[Any]:
    return [_count_iteration(value) if not places or i in places else value for i, value in enumerate(arguments)]


class _StandIn(type):
    """A type that stands in for another: a call of it counts, and in every other respect it is the other."""

    real: Any
    places: Places

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        packs = cls.real in (list, tuple) and isinstance(args[0] if args else None, _PACKED)
        return cls.real(*(args if packs else _count_arguments(args, cls.places)), **kwargs)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, cls.real)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, cls.real)

    def __eq__(cls, other: object) -> bool:
        return other is cls.real or other is cls

    def __hash__(cls) -> int:
        return hash(cls.real)

    def __getattr__(cls, name: str) -> Any:
        return getattr(cls.real, name)


def _stand_in(real: Any, places: Places) -> Any:
    if isinstance(real, type):
        return _StandIn(real.__name__, (), {"real": real, "places": places})

    @functools.wraps(real, updated=())
    def counting(*args: Any, **kwargs: Any) -> Any:
        several = real in (max, min) and len(args) > 1  # the largest of several values
        return real(*(args if several else _count_arguments(args, places)), **kwargs)

    return counting


def _calling(real: Any) -> Callable[..., Any]:
    @functools.wraps(real, updated=())
    def counting(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return real(lambda *inputs, **names: function(*inputs, **names), *args, **kwargs)

    return counting


_STAND_INS = {
    **{id(real): _stand_in(real, places) for real, places in _ITERATING.items()},
    **{id(real): _calling(real) for real in _CALLING},
}
_BUILT_IN = {name: _STAND_INS[id(value)] for name, value in vars(builtins).items() if id(value) in _STAND_INS}


@contextlib.contextmanager
def watching(functions: Sequence[types.FunctionType]) -> Iterator[None]:
    """Within a `with` block, whatever these functions iterate over in C runs one line of Python per element.

    Args:
        functions: the student's.

    Example:
        >>> def total(values):
        ...     return sum(values)
        >>> with watching([total]):
        ...     total([1, 2, 3])
        6
    """
    undo: list[Callable[[], None]] = []
    try:
        for space in {id(f.__globals__): f.__globals__ for f in functions}.values():
            _replace(space, _BUILT_IN, undo)
        for module in _MODULES:
            _replace(vars(module), {}, undo)
        for function in functions:
            _replace_inside(function, undo)
        yield
    finally:
        for put_back in reversed(undo):
            put_back()


def _replace(space: dict[str, Any], also: dict[str, Any], undo: list[Callable[[], None]]) -> None:
    """Put stand-ins into a namespace: for what is there, and for built-in names that nothing there hides."""
    for name, value in list(space.items()):
        if id(value) in _STAND_INS:
            undo.append(functools.partial(space.__setitem__, name, value))
            space[name] = _STAND_INS[id(value)]
    for name, value in also.items():
        if name not in space:
            undo.append(functools.partial(space.__delitem__, name))
            space[name] = value


def _replace_inside(function: types.FunctionType, undo: list[Callable[[], None]]) -> None:
    """Put stand-ins into a function's closure and its defaults."""
    for cell in function.__closure__ or ():
        if is_filled(cell) and id(cell.cell_contents) in _STAND_INS:
            undo.append(functools.partial(setattr, cell, "cell_contents", cell.cell_contents))
            cell.cell_contents = _STAND_INS[id(cell.cell_contents)]
    defaults = function.__defaults__ or ()
    if any(id(value) in _STAND_INS for value in defaults):
        undo.append(functools.partial(setattr, function, "__defaults__", defaults))
        function.__defaults__ = tuple(_STAND_INS.get(id(value), value) for value in defaults)
