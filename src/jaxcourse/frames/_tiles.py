"""All three steps at once for large tables: a few columns at a time go through a core's cache."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jax
import numpy as np
from jax import lax

from jaxcourse.frames._step import Pytree, Step, first_state

SMALLEST = 2**20
"""Numbers from which on a table is worth the threads."""
COLUMNS = 8
"""Columns of a tile of a table that lies column by column: as many as a vector register has float32."""
TILE_BYTES = {True: 2**20, False: 2**19}
"""At most, of a tile of a table that lies column by column (True), or row by row. Buffers of this size are reused by
the allocator; larger ones can cost more in fresh pages than in arithmetic."""
ALIGNMENT = 64
"""Bytes: XLA's CPU client uses a buffer of another owner as it is only if its address is a multiple of this."""


def aligned(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """An array, not initialised, that JAX can use without a copy."""
    nbytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.empty(nbytes + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return memory[start : start + nbytes].view(dtype).reshape(shape)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def converted(host: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A table as rows of another dtype, converted and turned tile by tile on all cores, where JAX can use it.

    Raises:
        FloatingPointError: If `dtype` cannot hold a number.
    """
    out = aligned(host.shape, dtype)
    length = max(1, TILE_BYTES[False] // max(1, out[0].nbytes))

    def convert(first: int) -> None:
        with np.errstate(over="raise"):
            np.copyto(out[first : first + length], host[first : first + length], casting="unsafe")

    if host.size < SMALLEST:
        length = len(host)
    with ThreadPoolExecutor(cores()) as pool:
        list(pool.map(convert, range(0, len(host), length)))
    return out


def worth_it(step: Step, host: np.ndarray) -> bool:
    """Whether a table of numbers is computed tile by tile: a large one, on the CPU, whose columns stand alone."""
    on_host = jax.default_backend() == "cpu" and jax.config.jax_default_device is None
    return step.columnwise and not step.timed and on_host and host.ndim == 2 and host.size >= SMALLEST


def apply_in_tiles(step: Step, host: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Convert, run and convert back, tile by tile, on all cores.

    A large array costs more to allocate, convert and transpose than to compute with. A tile stays in the cache from
    its conversion to the copy of its results, so that memory sees each number once in and once out.

    Args:
        step: Of which every column's result depends on that column alone, with rows out like rows in.
        host: (T, N) floating-point numbers. Where they lie column by column, the results do, too.
        dtype: In which to compute.

    Returns:
        (T, N) results; of the dtype of `host` if the step keeps its dtype, else of the step's own.

    Raises:
        FloatingPointError: If `dtype` cannot hold a number.
    """
    by_columns = abs(host.strides[0]) < abs(host.strides[1])
    run = _tile_run(step, by_columns)
    result = _result_dtype(step, dtype)
    out = np.empty(host.shape[::-1] if by_columns else host.shape, host.dtype if result == dtype else result)
    out = out.T if by_columns else out
    width, length = _tile_shape(host.shape, dtype, by_columns)

    def stream(start: int) -> None:
        """All rows of some columns, with a state that goes from one tile to the next."""
        columns, state = slice(start, start + width), None
        for first in range(0, len(host), length):
            tile = slice(first, first + length), columns
            state, ys = run(_put_tile(host[tile], dtype, by_columns), state)
            np.copyto(out[tile], np.asarray(ys).T if by_columns else np.asarray(ys))

    # The last tile overlaps its neighbour instead of being narrower, which would be another program to compile.
    starts = [min(start, host.shape[1] - width) for start in range(0, host.shape[1], width)]
    with ThreadPoolExecutor(cores()) as pool:
        list(pool.map(stream, starts))
    return out


def _put_tile(source: np.ndarray, dtype: np.dtype, by_columns: bool) -> jax.Array:
    tile = aligned(source.shape[::-1] if by_columns else source.shape, dtype)
    with np.errstate(over="raise"):
        np.copyto(tile.T if by_columns else tile, source, casting="same_kind")
    return jax.device_put(tile)


def _tile_shape(shape: tuple[int, int], dtype: np.dtype, by_columns: bool) -> tuple[int, int]:
    """Columns and rows of a tile."""
    rows, columns = shape
    width = min(COLUMNS, columns) if by_columns else -(-columns // cores())
    tiles = -(-rows * width * dtype.itemsize // TILE_BYTES[by_columns])
    return width, -(-rows // tiles)


def _result_dtype(step: Step, dtype: np.dtype) -> np.dtype:
    row = jax.ShapeDtypeStruct((1,), dtype)
    return np.dtype(jax.eval_shape(lambda x: step.apply(step.init(x), x)[1], row).dtype)


@functools.lru_cache(maxsize=32)
def _tile_run(step: Step, by_columns: bool) -> Callable[[jax.Array, Pytree], tuple[Pytree, jax.Array]]:
    """A run over a tile, which is turned within the program if it lies column by column."""

    def turned(x: jax.Array) -> jax.Array:
        return x.T if by_columns else x

    @jax.jit
    def start(xs: jax.Array) -> Pytree:
        return first_state(step, turned(xs)[0])

    @jax.jit
    def quick(state: Pytree, xs: jax.Array) -> tuple[jax.Array, Pytree, jax.Array]:
        assert step.shortcut is not None
        holds, state, ys = step.shortcut(state, turned(xs))
        return holds, state, turned(ys)

    @jax.jit
    def thorough(state: Pytree, xs: jax.Array) -> tuple[Pytree, jax.Array]:
        state, ys = (step.whole or functools.partial(lax.scan, step.apply))(state, turned(xs))
        return state, turned(ys)

    def run(xs: jax.Array, state: Pytree) -> tuple[Pytree, jax.Array]:
        state = start(xs) if state is None else state
        if step.shortcut is not None:
            holds, after, ys = quick(state, xs)
            if holds:
                return after, ys
        return thorough(state, xs)

    return run
