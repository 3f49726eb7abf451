"""What the course believes of NumPy, Numba and IPython that they keep to themselves."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np

from jaxcourse.insides._belief import Private, belief

_BEHIND = ("py_func", "__wrapped__", "_implementation", "func", "__func__", "pyfunc")
"""Where a decorator, a dispatcher or a bound method keeps the function behind it: Numba, `jit` and decorators, NumPy's
dispatcher, `partial`, methods, `np.vectorize`."""


def behind(function: Any) -> list[Any]:
    """What stands behind a decorator, a dispatcher or a bound method; what is no function has nothing.

    Example:
        >>> behind(functools.partial(max, 0)) == [max], behind(len)
        (True, [])
    """
    wrapping.require()
    return _behind(function)


def _behind(function: Any) -> list[Any]:
    found = [getattr(function, name, None) for name in _BEHIND]
    return [part for part in found if callable(part)]


_RECORDER = Private("numba.core.event", "install_recorder")


def has_numba() -> bool:
    """Whether Numba is installed.

    Example:
        >>> has_numba() in (True, False)
        True
    """
    return importlib.util.find_spec("numba") is not None


@belief()
def wrapping() -> bool:
    """A function is found behind NumPy's dispatcher, `np.vectorize`, `jax.jit` and Numba by name."""

    def own(x: Any) -> Any:
        return x

    wrapped = [np.vectorize(own), jax.jit(own), functools.partial(own)]
    if "numba" in sys.modules:  # where it is not there, it has wrapped nothing
        wrapped.append(sys.modules["numba"].njit(own))
    return all(own in _behind(each) for each in wrapped) and any(hasattr(each, "__code__") for each in _behind(np.var))


def numba_versions(function: Any) -> int | None:
    """For how many types Numba has compiled a function of its own; None if the function is not Numba's.

    Example:
        >>> numba_versions(len) is None
        True
    """
    if not is_numbas(function):
        return None
    # What it was compiled for: an njit function has `signatures`, a vectorize function has `types`.
    found = [getattr(function, name) for name in ("signatures", "types") if hasattr(function, name)]
    if not found:
        raise numba.broken(f"a {type(function).__name__} does not")
    return sum(len(each or ()) for each in found)


def is_numbas(function: Any) -> bool:
    """Whether a function is one that Numba compiles.

    Example:
        >>> is_numbas(len)
        False
    """
    return type(function).__module__.startswith("numba.")


def llvm_of(function: Any, dtype: str) -> list[str]:
    """The LLVM code of each version that Numba has compiled of a function for arrays of a dtype.

    Example:
        >>> llvm_of(len, "float32")
        []
    """
    if not is_numbas(function):
        return []
    numba.require()
    versions = function.inspect_llvm().items() if hasattr(function, "inspect_llvm") else ()  # a ufunc has none
    return [str(code) for types, code in versions if f"Array({dtype}" in str(types)]


@contextmanager
def numba_compiling() -> Iterator[list[Any]]:
    """Note what Numba compiles meanwhile: a list that grows by an entry for the beginning and the end of each."""
    numba.require()
    with _RECORDER()("numba:compile") as recorder:
        yield recorder.buffer


@belief(_RECORDER)
def numba() -> bool:
    """Numba says for which types it has compiled a function, and gives its code; it sends an event when it compiles."""
    if not has_numba():
        return True
    nb = importlib.import_module("numba")
    function, ufunc = nb.njit(lambda x: x), nb.vectorize(["float64(float64)"])(lambda x: x)
    with numba_compiling() as events:
        function(np.ones(3, np.float32))
    code = llvm_of(function, "float32"), llvm_of(function, "float64")
    known = (numba_versions(function), numba_versions(ufunc)) == (1, 1) and "define" in code[0][0]
    return known and code[1] == [] and len(events) > 0


@belief()
def rendering() -> bool:
    """IPython shows what an exception's `_render_traceback_` returns in place of its traceback."""
    if importlib.util.find_spec("IPython") is None:
        return True
    shell = importlib.import_module("IPython.core.interactiveshell").InteractiveShell
    code = shell.showtraceback.__code__
    return "_render_traceback_" in (*code.co_names, *code.co_consts)
