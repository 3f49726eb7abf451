"""What JAX is set to in this process, and how a call gets through it to a function."""

from __future__ import annotations

import gc
import importlib
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.insides._belief import CannotRead, belief
from jaxcourse.insides._program import read
from jaxcourse.insides._settings import OURS, is_ours, our_settings, set_back, settings

# -- settings ---------------------------------------------------------------------------------------------------


@belief()
def setting() -> bool:
    """`jax.config` has all settings by name, and says when one of them has changed."""
    before = settings()
    jax.config.update("jax_enable_x64", not before["jax_enable_x64"][1])
    changed = [name for name, value in settings().items() if before.get(name) != value]
    set_back(before)
    return changed == ["jax_enable_x64"] and settings() == before


@belief()
def ours() -> bool:
    """A setting of JAX can be had for a while in one thread, and what it is for the process is seen meanwhile."""
    before = settings()
    with jax.debug_nans(True), jax.enable_checks(True):
        seen = settings()["jax_debug_nans"]
        with our_settings():
            strange = {name for name, (now, _) in settings().items() if name in OURS and not is_ours(name, now)}
        again = settings()["jax_debug_nans"]
    return seen == again == (True, before["jax_debug_nans"][1]) and not strange and settings() == before


def doubles() -> AbstractContextManager[Any]:
    """64 bits for a while, which has another name in each version of JAX.

    Example:
        >>> with doubles():
        ...     print(jnp.ones(2).dtype)
        float64
    """
    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(True)  # type: ignore[no-any-return, unused-ignore]
    try:
        return importlib.import_module("jax.experimental").enable_x64()  # type: ignore[no-any-return]
    except AttributeError as error:
        raise doubling.broken() from error


@belief()
def doubling() -> bool:
    """64 bits can be had for a while."""
    with doubles():
        wide = jnp.asarray(np.ones(2)).dtype
    return (str(wide), str(jnp.asarray(np.ones(2)).dtype)) in (("float64", "float32"), ("float64", "float64"))


# -- leaks ------------------------------------------------------------------------------------------------------


@contextmanager
def checking_leaks() -> Iterator[None]:
    """`jax.checking_leaks`, from empty caches, and soon done.

    JAX looks only while it traces, so what was compiled before must be traced again. From each tracer that leaked it
    goes on to its holder, that one's holder, and so to a module. At every step Python looks through all objects of the
    process for who refers to one: some 100 times through half a million. Those that are older are left out here; no
    tracer is, but what JAX says of its holders is not complete.

    Example:
        >>> kept = []
        >>> try:
        ...     with checking_leaks():
        ...         _ = jax.jit(lambda x: kept.append(x) or x)(1.0)
        ... except Exception as leak:
        ...     print(str(leak)[:12])
        Leaked trace
    """
    jax.clear_caches()
    frozen_before = gc.get_freeze_count()
    gc.freeze()
    try:
        with jax.checking_leaks():
            yield
    finally:
        if not frozen_before:
            gc.unfreeze()


def leaked_tracer(function: Callable[..., Any], *args: Any) -> str:
    """The first tracer that a function lets escape while it is traced, as JAX writes it; an empty text if none does.

    Example:
        >>> kept = []
        >>> print(leaked_tracer(lambda x: kept.append(x) or x, np.ones(3)))
        JitTracer...float32[3]...
    """
    leaking.require()
    return _leaked_tracer(function, *args)


def leaked_from(call: Callable[[], Any]) -> str:
    """The same of whatever is compiled in a call.

    Example:
        >>> leaked_from(lambda: jax.jit(jnp.sin)(1.0))
        ''
    """
    leaking.require()
    return _leaked_from(call)


def _leaked_tracer(function: Callable[..., Any], *args: Any) -> str:
    def fresh(*args: Any) -> Any:  # so that no earlier trace is found in a cache
        return function(*args)

    return _leaked_from(lambda: jax.jit(fresh)(*args))


def _leaked_from(call: Callable[[], Any]) -> str:
    try:
        with checking_leaks():
            call()
    except Exception as error:
        if "Leaked" in str(error):
            return str(error).partition("Leaked tracer(s):")[2].strip().partition("\n")[0]
        raise
    return ""


@belief()
def leaking() -> bool:
    """`jax.checking_leaks` raises if a tracer escapes, and says which: `Leaked tracer(s): JitTracer...`."""
    kept: list[Any] = []

    def keeps(x: Any) -> Any:
        kept.append(x)
        return x

    return "float32[3]" in _leaked_tracer(keeps, np.ones(3, np.float32))


# -- calls through JAX ------------------------------------------------------------------------------------------

_BETWEEN = ("traceback_util", "pjit", "api", "api_util", "core", "linear_util", "profiler", "util", "tree_util")
"""JAX modules that stand between a call and the function that is called."""


def stands_between(frame: types.FrameType) -> bool:
    """Whether a frame belongs to the machinery between a call and the function that is called: JAX's, or Python's."""
    calling.require()
    return _stands_between(frame)


def _stands_between(frame: types.FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", ""))
    if module.startswith(("jax._src.interpreters.", "jax._src.lax.control_flow.")):
        return True
    inside = module.startswith("jax._src.") and module.rpartition(".")[2] in _BETWEEN
    return inside or module in ("functools", "contextlib")


@belief()
def calling() -> bool:
    """Between a call of a jitted or mapped function, or of one in a loop, and that function are only known modules.

    These are JAX's.
    """
    strange: list[str] = []
    here = sys._getframe()

    def called(x: Any) -> Any:
        frame = sys._getframe().f_back
        while frame is not None and frame is not here and _stands_between(frame):
            frame = frame.f_back
        if frame is not here:
            strange.append(str(frame and frame.f_globals.get("__name__")))
        return x

    number, row = jax.ShapeDtypeStruct((), np.float32), jax.ShapeDtypeStruct((3,), np.float32)
    jax.make_jaxpr(jax.jit(called))(number)
    jax.make_jaxpr(jax.grad(called))(number)
    jax.make_jaxpr(jax.vmap(called))(row)
    return not strange or _say(f"there is {strange[0]}")


def _say(what: str) -> bool:
    raise CannotRead(what)


@contextmanager
def counting_runs(primitive: str, example: Callable[..., Any], *args: Any) -> Iterator[list[int]]:
    """Count how often a primitive is run by itself, outside of every compiled program: a list that grows.

    Args:
        primitive: its name.
        example: a function of JAX in whose program it is.
        *args: the arguments of that function.

    Example:
        >>> with counting_runs("sin", jnp.sin, 1.0) as runs:
        ...     _ = jax.jit(lambda x: jnp.sin(x))(1.0)
        ...     with jax.disable_jit():
        ...         _ = jnp.sin(1.0), jnp.sin(2.0)
        >>> len(runs)
        2
    """
    found = next((each for each in read(example, *args).everything if each.primitive == primitive), None)
    if found is None:
        raise running.broken(f"there is no `{primitive}` in the program of `{example}`")
    with found.counted() as runs:
        yield runs


@belief()
def running() -> bool:
    """What runs outside of every compiled program runs primitive by primitive, each by its `impl`."""
    with counting_runs("sin", jnp.sin, 1.0) as runs, jax.disable_jit():
        jnp.sin(1.0)
    return len(runs) == 1
