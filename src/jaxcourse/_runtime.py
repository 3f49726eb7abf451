"""What this process runs on: its cores, and the programs that JAX compiles in it, noted and perhaps kept."""

from __future__ import annotations

import functools
import importlib.metadata
import itertools
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax
from jax._src import xla_bridge
from jax.experimental.compilation_cache import compilation_cache


def cores() -> int:
    """How many cores this process may use.

    Example:
        >>> 1 <= cores() <= os.cpu_count()
        True
    """
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@functools.cache
def compilations() -> list[str]:
    """The names of the programs that JAX has compiled since the first call: a list that grows.

    JAX cannot remove a listener, so there is one for the whole process. Remember the length, and look later at what has
    been added since.

    Example:
        >>> before = len(compilations())
        >>> _ = jax.jit(lambda x: x + 1)(1.0)
        >>> compilations()[before:]
        ['<lambda>']
    """
    names: list[str] = []

    def hear(event: str, duration_secs: float, **facts: str | int) -> None:
        if event == "/jax/core/compile/backend_compile_duration":
            names.append(re.sub(r"^jit\((.*)\)$", r"\1", str(facts.get("fun_name", ""))))

    jax.monitoring.register_event_duration_secs_listener(hear)
    return names


QUICKLY = (
    "--xla_backend_optimization_level=0",
    "--xla_cpu_use_fusion_emitters=false",
    "--xla_cpu_parallel_codegen_split_count=1",
)
"""What makes XLA compile in half the time: most of it is spent on making programs fast, and ours run once.

JAX makes the same of a function with these, and XLA the same but for how many fusions: no check reads those.
"""
_KNOWN_BEFORE = (0, 11)
"""XLA ends a process that sets what it does not know. Of jaxlib before this version, 0.7 and 0.10 were tried."""


def compile_quickly() -> None:
    """Have JAX compile as `QUICKLY` says and lower into one MLIR context, in this process.

    Where JAX has started already, the flags could not be followed, so they are not set; nor is anything changed where a
    newer JAX might not know it.
    """
    if tuple(map(int, importlib.metadata.version("jaxlib").split(".")[:2])) >= _KNOWN_BEFORE:
        return
    if not xla_bridge.backends_are_initialized():
        flags = dict.fromkeys([*os.environ.get("XLA_FLAGS", "").split(), *QUICKLY])
        os.environ["XLA_FLAGS"] = " ".join(flags)
    _lower_into_one_context()


_LOWERINGS_IN_A_CONTEXT = 100
"""A context keeps the types and constants of what was lowered into it, so that none serves for ever."""


@functools.cache
def _lower_into_one_context() -> None:
    """Have JAX lower one function after the other into the same MLIR context.

    JAX makes a context for each, and loads all dialects into it, which takes longer than lowering a small function.
    """
    from jax._src.interpreters import mlir

    new, lowerings = mlir.make_ir_context, itertools.count()

    @functools.lru_cache(maxsize=1)
    def context(_number: int) -> Any:
        return new()

    mlir.make_ir_context = lambda: context(next(lowerings) // _LOWERINGS_IN_A_CONTEXT)


_KEEPING = (
    "jax_compilation_cache_dir",
    "jax_persistent_cache_min_compile_time_secs",
    "jax_persistent_cache_min_entry_size_bytes",
    "jax_persistent_cache_enable_xla_caches",
)
"""The settings that `keep_programs` makes; each is also the name of a variable of the environment, in capitals."""


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
        compilation_cache.reset_cache()
