"""What JAX compiles in this process: noted, perhaps kept in a folder, and perhaps compiled quickly."""

from __future__ import annotations

import functools
import itertools
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax

from jaxcourse.insides._belief import Private, belief
from jaxcourse.insides._versions import QUICK_OPTIONS, QUICKLY, quick_flags

# -- what was compiled ------------------------------------------------------------------------------------------

_COMPILED = "/jax/core/compile/backend_compile_duration"


def compilations() -> list[str]:
    """The names of the programs that JAX has compiled since the first call: a list that grows.

    JAX cannot remove a listener, so there is one for the whole process. Remember the length, and look later at what has
    been added since.

    Raises:
        CannotRead: JAX does not say what it compiles.

    Example:
        >>> before = len(compilations())
        >>> _ = jax.jit(lambda x: x + 1)(1.0)
        >>> compilations()[before:]
        ['<lambda>']
    """
    names = _heard()
    compiling.require()
    return names


@functools.cache
def _heard() -> list[str]:
    names: list[str] = []

    def hear(event: str, duration_secs: float, **facts: str | int) -> None:
        if event == _COMPILED:
            names.append(re.sub(r"^jit\((.*)\)$", r"\1", str(facts.get("fun_name", ""))))

    jax.monitoring.register_event_duration_secs_listener(hear)
    return names


@belief()
def compiling() -> bool:
    """JAX sends an event for each program that it compiles, with the name of the function."""
    names = _heard()
    before = len(names)

    def compiled_for_a_belief(x: Any) -> Any:
        return x

    jax.jit(compiled_for_a_belief).lower(1.0).compile()
    return names[before:] == ["compiled_for_a_belief"]


# -- quickly ----------------------------------------------------------------------------------------------------

_STARTED = Private("jax._src.xla_bridge", "backends_are_initialized")
_NEW_CONTEXT = Private("jax._src.interpreters.mlir", "make_ir_context")


def quick_options() -> dict[str, int]:
    """What makes `jax.jit(..., compiler_options=...)` compile one function quickly.

    Example:
        >>> jax.jit(lambda x: x + 1, compiler_options=quick_options())(1)
        Array(2, dtype=int32, weak_type=True)
    """
    options.require()
    return dict(QUICK_OPTIONS)


@belief()
def options() -> bool:
    """XLA takes the option `xla_backend_optimization_level` for one function."""
    return int(jax.jit(lambda x: x + 1, compiler_options=dict(QUICK_OPTIONS))(1)) == 2


def compile_quickly() -> None:
    """Have JAX compile as `QUICKLY` says and lower into one MLIR context, in this process.

    Where JAX has started already, the flags could not be followed, so they are not set; nor is anything changed where a
    newer JAX might not know it.
    """
    if not quick_flags():
        return
    if not has_started():
        flags = dict.fromkeys([*os.environ.get("XLA_FLAGS", "").split(), *QUICKLY])
        os.environ["XLA_FLAGS"] = " ".join(flags)
    _lower_into_one_context()


def has_started() -> bool:
    """Whether JAX has started its devices in this process.

    Raises:
        CannotRead: JAX does not say so.

    Example:
        >>> _ = jax.devices()
        >>> has_started()
        True
    """
    return bool(_STARTED()())


@belief(_STARTED)
def starting() -> bool:
    """JAX says whether it has started its devices."""
    jax.devices()
    return has_started()


_LOWERINGS_IN_A_CONTEXT = 100
"""A context keeps the types and constants of what was lowered into it, so that none serves for ever."""


@functools.cache
def _lower_into_one_context() -> None:
    """Have JAX lower one function after the other into the same MLIR context.

    JAX makes a context for each, and loads all dialects into it, which takes longer than lowering a small function.
    """
    new, lowerings = _NEW_CONTEXT(), itertools.count()

    @functools.lru_cache(maxsize=1)
    def context(_number: int) -> Any:
        return new()

    _NEW_CONTEXT.replace(lambda: context(next(lowerings) // _LOWERINGS_IN_A_CONTEXT))


@belief(_NEW_CONTEXT)
def lowering() -> bool:
    """JAX asks for a context of MLIR each time that it lowers a function, by one name."""
    asked, before = [], _NEW_CONTEXT()

    def context() -> Any:
        asked.append(1)
        return before()

    _NEW_CONTEXT.replace(context)
    try:
        jax.jit(lambda x: x).lower(1.0)
    finally:
        _NEW_CONTEXT.replace(before)
    return bool(asked)


# -- kept -------------------------------------------------------------------------------------------------------

_KEEPING = (
    "jax_compilation_cache_dir",
    "jax_persistent_cache_min_compile_time_secs",
    "jax_persistent_cache_min_entry_size_bytes",
    "jax_persistent_cache_enable_xla_caches",
)
"""The settings that `keep_programs` makes; each is also the name of a variable of the environment, in capitals."""

_FORGET_FOLDER = Private("jax.experimental.compilation_cache.compilation_cache", "reset_cache")


def keep_programs(folder: Path, *, read_only: bool = False) -> None:
    """Take compiled programs from a folder from now on, and add those that are not there yet.

    Args:
        folder: may be shared by the processes of one machine.
        read_only: add nothing.
    """
    jax.config.update("jax_compilation_cache_dir", str(folder))
    # A process that must not write gets a minimum that no compilation reaches: it would lose time on each attempt.
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 1e9 if read_only else 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    # Otherwise the folder's path becomes part of the key: https://github.com/jax-ml/jax/pull/22973
    jax.config.update("jax_persistent_cache_enable_xla_caches", "none")


def keeping() -> dict[str, str]:
    """The environment in which another process keeps its programs where this one does; empty if this one keeps none.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder, programs_kept(Path(folder)):
        ...     keeping()["JAX_COMPILATION_CACHE_DIR"] == folder
        True
    """
    settings = {name.upper(): getattr(jax.config, name) for name in _KEEPING}
    return {name: str(value) for name, value in settings.items()} if settings["JAX_COMPILATION_CACHE_DIR"] else {}


@contextmanager
def programs_kept(folder: Path) -> Iterator[None]:
    """Keep programs, as `keep_programs` does, during a `with` block.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder, programs_kept(Path(folder)):
        ...     _ = jax.jit(lambda x: x + 1)(1.0)
        ...     len([path for path in Path(folder).iterdir() if path.name.endswith("-cache")])
        1
    """
    keep_programs(folder)
    try:
        yield
    finally:
        jax.config.update("jax_compilation_cache_dir", None)
        _FORGET_FOLDER()()


@belief(_FORGET_FOLDER)
def keeping_programs() -> bool:
    """JAX can be told to keep its programs in a folder, and to forget the folder."""
    return all(hasattr(jax.config, name) for name in _KEEPING) and callable(_FORGET_FOLDER())
