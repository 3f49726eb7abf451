"""Questions about the work that Python does: how many of its steps a call takes, and which functions are called."""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import sys
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from jaxcourse import insides
from jaxcourse.probe._channel import NOT_THE_STUDENTS
from jaxcourse.probe._code import code_of, functions_of, inner, is_filled
from jaxcourse.probe._iteration import watching
from jaxcourse.probe._question import question
from jaxcourse.probe._questions import on_device

MOST = 1_000_000
"""How many steps are counted: a program that takes more has nested loops."""


@question(evidence="process")
def python_steps(student_function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    """How much Python each of several calls runs, once warmed up: its lines, and the equations that JAX traces.

    Each call is made twice before it is counted, so that nothing is compiled meanwhile. What iterates in C for the
    answer (`sum`, `map`, `np.vectorize`) is counted as well. A loop that ends while a function is traced takes no
    Python later, so the equations are counted too.

    Args:
        student_function: the answer.
        calls: the arguments of each call: the same ones at growing sizes.

    Returns:
        `lines`, one number for each call; `equations`, likewise, or an empty list if it cannot be traced; `recursed`,
        whether it recursed too deeply; `silenced`, whether it removed the tracer.

    Example:
        >>> def total(values):
        ...     return sum(value for value in values)
        >>> few, many = python_steps(total, [([1.0] * 10,), ([1.0] * 20,)])["lines"]
        >>> many - few >= 10
        True
        >>> few, many = python_steps(np.sum, [(np.ones(10),), (np.ones(20),)])["lines"]
        >>> many - few
        0
    """
    counted: dict[str, Any] = {"lines": [], "equations": [], "recursed": False, "silenced": False}
    functions = functions_of(student_function, NOT_THE_STUDENTS)
    try:
        for args in calls:
            for _ in range(2):
                jax.block_until_ready(student_function(*args))
            with watching(functions):
                steps, silenced = _lines(student_function, args)
            counted["lines"].append(steps)
            counted["silenced"] |= silenced
        counted["equations"] = [number for args in calls for number in _equations(student_function, args)]
    except RecursionError:
        counted["recursed"] = True
    return counted


class _Enough(BaseException):
    """More steps than are counted."""


def _lines(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[int, bool]:
    """How many lines of Python one call runs, and whether it removed our tracer."""
    steps, mine, result = 0, threading.get_ident(), None

    def step(frame: Any, event: str, arg: Any) -> Any:
        nonlocal steps
        steps += event == "line"
        if steps > MOST and threading.get_ident() == mine:
            raise _Enough
        return step

    before, elsewhere, collects = sys.gettrace(), threading.gettrace(), gc.isenabled()
    gc.disable()  # a finaliser's lines are nobody's work
    threading.settrace(step)
    sys.settrace(step)
    try:
        result = function(*args)
        silenced = sys.gettrace() is not step
    except _Enough:
        silenced = False
    finally:
        sys.settrace(before)
        threading.settrace(elsewhere)
        if collects:
            gc.enable()
    jax.block_until_ready(result)  # here, since it runs a line for each part of a result
    return steps, silenced


def _equations(function: Callable[..., Any], args: tuple[Any, ...]) -> list[int]:
    """How many equations JAX traces, as one number; none if the function cannot be traced."""
    if not any(isinstance(value, (np.ndarray, jax.Array)) for value in args):
        return []
    try:
        return [len(insides.read_for_arrays(function, *args).everything)]
    except (RecursionError, insides.CannotRead):
        raise
    except Exception:  # what is not a JAX program fails in many ways
        return []


# -- calls ------------------------------------------------------------------------------------------------------

_SHORT = {"np": "numpy", "jnp": "jax.numpy", "nb": "numba", "pd": "pandas", "plt": "matplotlib.pyplot"}
_SPIED = ("numpy", "jax", "pandas", "scipy", "functools", "itertools", "math", "operator")
"""Libraries in whose modules a function may have another name."""


@question(evidence="process")
def calls(
    student_function: Callable[..., Any],
    names: Sequence[str],
    given: Sequence[tuple[Any, ...]],
    traced: bool = False,
) -> dict[str, bool]:
    """Which functions of a library an answer calls, under whatever name: as an alias, a helper, a default.

    Calls that the student's code makes count; those that the library's functions make themselves do not.

    Args:
        student_function: the answer.
        names: of functions, such as `np.broadcast_shapes` or `jnp.ndarray.var`; a method of C (`np.maximum.accumulate`)
            counts where its last name stands in the code.
        given: the arguments of each call, which may raise.
        traced: make the arrays JAX's, and trace each call; what cannot be traced is run.

    Returns:
        For each name, whether it was called.

    Example:
        >>> from numpy import broadcast_shapes as joined
        >>> calls(lambda a, b: joined(a, b), ["np.broadcast_shapes", "np.broadcast_arrays"], [((2, 1), (1, 3))])
        {'np.broadcast_shapes': True, 'np.broadcast_arrays': False}
    """
    functions = functions_of(student_function, NOT_THE_STUDENTS)
    targets = {name: _function_named(name) for name in names}
    found = {name for name in names if _is_written(name, targets[name], functions)}
    jax.clear_caches()  # a function that is compiled already does not run its Python
    with _spying(targets, functions, found), _profiling(targets, found):
        for args in given:
            _call_under_spies(student_function, on_device(args) if traced else args, traced)
    return {name: name in found for name in names}


def _call_under_spies(student_function: Callable[..., Any], args: tuple[Any, ...], traced: bool) -> None:
    """One call under the spies: what it gives or raises, the check has judged."""
    with contextlib.suppress(Exception):
        if traced:
            jax.eval_shape(functools.partial(_call, student_function, args))
            return
    with contextlib.suppress(Exception):
        _call(student_function, args)


def _call(student_function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    return student_function(*args)


def _function_named(name: str) -> Any:
    """The function that a dotted name stands for; None if this library has none."""
    first, *parts = name.split(".")
    value: Any = importlib.import_module(_SHORT.get(first, first))
    for part in parts:
        if value is None:
            break
        value = getattr(value, part, None) or _submodule(value, part)
    return value


def _submodule(module: Any, name: str) -> Any:
    if not isinstance(module, types.ModuleType):
        return None
    try:
        return importlib.import_module(f"{module.__name__}.{name}")
    except ModuleNotFoundError:
        return None


def _is_written(name: str, target: Any, functions: Sequence[types.FunctionType]) -> bool:
    """Whether the last part of the name of a method stands in the code: no call of it can be seen."""
    owner = _function_named(name.rpartition(".")[0])
    if isinstance(owner, types.ModuleType) or code_of(target) is not None:
        return False
    codes = [code for function in functions for code in (function.__code__, *inner(function.__code__))]
    return any(name.rpartition(".")[2] in code.co_names for code in codes)


@contextlib.contextmanager
def _profiling(targets: dict[str, Any], found: set[str]) -> Iterator[None]:
    """Note each target whose Python code begins to run, or which is a function in C that is called."""
    codes = {code_of(target): name for name, target in targets.items()}
    built_in = {id(target): name for name, target in targets.items()}

    def see(frame: types.FrameType, event: str, arg: Any) -> None:
        if event == "call" and frame.f_code in codes and _from_outside(frame.f_back):
            found.add(codes[frame.f_code])
        elif event == "c_call" and id(arg) in built_in and _is_the_students(frame):
            found.add(built_in[id(arg)])

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        yield
    finally:
        sys.setprofile(before)


def _is_the_students(frame: types.FrameType | None) -> bool:
    """Whether the student's code runs in a frame; the question's own call stands for it."""
    if frame is None:
        return False
    return frame.f_code is _call.__code__ or not frame.f_code.co_filename.startswith(NOT_THE_STUDENTS)


def _from_outside(frame: types.FrameType | None) -> bool:
    """Whether a call came from the student's code, with nothing between but the machinery of decorators."""
    while frame is not None and insides.stands_between(frame):
        frame = frame.f_back
    return _is_the_students(frame)


@contextlib.contextmanager
def _spying(targets: dict[str, Any], functions: Sequence[types.FunctionType], found: set[str]) -> Iterator[None]:
    """Put a spy in the place of each target in C, wherever it has a name: no frame of it can be seen."""
    in_c = {name: target for name, target in targets.items() if callable(target) and code_of(target) is None}
    spies = {id(f): _Spy(name, f, found) for name, f in in_c.items() if not isinstance(f, type)}
    undo: list[Callable[[], None]] = []
    modules = [module for name, module in list(sys.modules.items()) if name.split(".")[0] in _SPIED]
    spaces = [vars(module) for module in modules if isinstance(module, types.ModuleType)]
    spaces += [function.__globals__ for function in functions]
    try:
        for space in {id(space): space for space in spaces}.values():
            for name, value in list(space.items()):
                if id(value) in spies:
                    undo.append(functools.partial(space.__setitem__, name, value))
                    space[name] = spies[id(value)]
        for function in functions:
            _spy_inside(function, spies, undo)
        yield
    finally:
        for put_back in reversed(undo):
            put_back()


def _spy_inside(function: types.FunctionType, spies: dict[int, Any], undo: list[Callable[[], None]]) -> None:
    for cell in function.__closure__ or ():
        if is_filled(cell) and id(cell.cell_contents) in spies:
            undo.append(functools.partial(setattr, cell, "cell_contents", cell.cell_contents))
            cell.cell_contents = spies[id(cell.cell_contents)]
    defaults = function.__defaults__ or ()
    if any(id(value) in spies for value in defaults):
        undo.append(functools.partial(setattr, function, "__defaults__", defaults))
        function.__defaults__ = tuple(spies.get(id(value), value) for value in defaults)


class _Spy:
    """Stands in for a function: notes who calls it, and is that function in every other respect."""

    def __init__(self, name: str, target: Any, found: set[str]) -> None:
        self._name, self._target, self._found = name, target, found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _is_the_students(sys._getframe(1)):
            self._found.add(self._name)
        return self._target(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)
