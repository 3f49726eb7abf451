"""What JAX compiles in this process: noted, perhaps kept in a folder, and perhaps compiled quickly."""

from __future__ import annotations

import functools
import inspect
import itertools
import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import jax

from jaxcourse.insides._belief import CannotRead, Private, belief
from jaxcourse.insides._versions import QUICKLY, joined, quick_flags, quick_options

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
    names = _compiled_names()
    compiling.require()
    return names


@functools.cache
def _compiled_names() -> list[str]:
    names: list[str] = []

    def hear(event: str, duration_secs: float, **facts: str | int) -> None:
        if event == _COMPILED:
            names.append(re.sub(r"^jit\((.*)\)$", r"\1", str(facts.get("fun_name", ""))))

    jax.monitoring.register_event_duration_secs_listener(hear)
    return names


@belief()
def compiling() -> bool:
    """JAX sends an event for each program that it compiles, with the name of the function."""
    names = _compiled_names()
    before = len(names)

    def compiled_for_a_belief(x: Any) -> Any:
        return x

    jax.jit(compiled_for_a_belief).lower(1.0).compile()
    return names[before:] == ["compiled_for_a_belief"]


# -- quickly ----------------------------------------------------------------------------------------------------

_STARTED = Private("jax._src.xla_bridge", "backends_are_initialized")
_NEW_CONTEXT = Private("jax._src.interpreters.mlir", "make_ir_context")
_COMPILE_OPTIONS = Private("jax._src.compiler", "get_compile_options")
_OVERRIDES = "env_options_overrides"
"""The argument of `_COMPILE_OPTIONS` by which one program gets options of its own."""


def quickly() -> AbstractContextManager[None]:
    """Compile quickly what this thread compiles within a `with` block: for what runs once or twice.

    JAX keeps the programs of the block apart: outside of it, the same function gets a program that is compiled as
    ever. Nothing is different where JAX has not started, compiles for something else than a CPU or quickly anyway, or
    is not as we know it. What was lowered before the block should not be compiled in it: it keeps its program.

    Example:
        >>> with quickly():
        ...     jax.jit(lambda x: x + 1)(1)
        Array(2, dtype=int32, weak_type=True)
    """
    try:
        if has_started() and jax.default_backend() == "cpu" and not _always_quick():
            options.require()
            asking.require()
            return _quick_context()(True)  # type: ignore[no-any-return]
    except CannotRead:  # then it takes as long as it takes
        pass
    return nullcontext()


def as_ever() -> AbstractContextManager[None]:
    """Within `quickly`, compile as ever: for a program that is read, and not only run.

    Example:
        >>> with quickly(), as_ever():
        ...     compiled = jax.jit(lambda x: x + 1).lower(1).compile()
        >>> int(compiled(1))
        2
    """
    return _quick_context()(False) if _quick_context.cache_info().currsize else nullcontext()


def in_full_precision() -> AbstractContextManager[Any]:
    """Within a `with` block, multiply matrices with all digits of their dtype, on whatever device.

    Left to itself, a GPU or TPU may keep about three digits of a product in `float32`. Nothing is different where JAX
    has not started, computes on a CPU, or is not as we know it.

    Example:
        >>> x = jax.numpy.arange(3.0)
        >>> with in_full_precision():
        ...     x @ x
        Array(5., dtype=float32)
    """
    try:
        if has_started() and jax.default_backend() != "cpu":
            return jax.default_matmul_precision("highest")  # type: ignore[no-any-return]
    except CannotRead:  # then a product has the digits that it has
        pass
    return nullcontext()


def _always_quick() -> bool:
    """Whether this process compiles everything as quickly as a block would."""
    return set(QUICKLY) <= set(_flags())


def _flags() -> list[str]:
    """What XLA has been told in this process."""
    return os.environ.get("XLA_FLAGS", "").split()


@functools.cache
def _quick_context() -> Any:
    """A setting that is part of each program's name in JAX's memory; where it is true, programs get our options."""
    quick, before = jax.make_user_context(False), _COMPILE_OPTIONS()

    @functools.wraps(before)
    def made(*args: Any, **facts: Any) -> Any:
        if quick.value:
            facts[_OVERRIDES] = {**quick_options(), **(facts.get(_OVERRIDES) or {})}
        return before(*args, **facts)

    _COMPILE_OPTIONS.replace(made)
    return quick


@belief()
def options() -> bool:
    """XLA takes the options of `quick_options` for one function."""
    return int(jax.jit(lambda x: x + 1, compiler_options=quick_options())(1)) == 2


@belief(_COMPILE_OPTIONS)
def asking() -> bool:
    """JAX asks for the options of each program that it compiles, in the thread that calls it and in a setting of ours.

    It compiles one more where the setting is another, and none where it is the same.
    """
    asked: list[Any] = []
    mine, before = jax.make_user_context(0), _COMPILE_OPTIONS()

    def made(*args: Any, **facts: Any) -> Any:
        asked.append((mine.value, _OVERRIDES in inspect.signature(before).parameters))
        return before(*args, **facts)

    _COMPILE_OPTIONS.replace(made)
    try:
        function = jax.jit(lambda x: x)
        for value in (0, 1, 1, 0):
            with mine(value):
                function(1.0)
    finally:
        _COMPILE_OPTIONS.replace(before)
    return asked == [(0, True), (1, True)]


def compile_quickly() -> None:
    """Have JAX compile as `QUICKLY` says and lower into one MLIR context, in this process.

    What XLA was told before stays. Where JAX has started already, the flags could not be followed, so they are not set;
    nor is anything changed where a newer JAX might not know it.
    """
    if not quick_flags():
        return
    if not has_started():
        os.environ["XLA_FLAGS"] = " ".join(joined(_flags(), QUICKLY))
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
