"""All three steps in one call."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import jax
import numpy as np

from jaxcourse.frames._decode import build_like, require_array, require_fit, results_dtype
from jaxcourse.frames._encode import host_of, moments_of
from jaxcourse.frames._errors import FrameError
from jaxcourse.frames._groups import groups_of, is_floating, target_dtype, tree_of
from jaxcourse.frames._open import open_table
from jaxcourse.frames._origin import from_origin
from jaxcourse.frames._step import Loop, Step, require_step, unroll
from jaxcourse.frames._table import Block, Container, Part
from jaxcourse.frames._tiles import LANES, SMALLEST, aligned, by_rows, spread_into
from jaxcourse.runtime import cores

CHUNK_BYTES = 2**21
"""Size of the rows that go through the three steps at a time: memory of this size is used again, while fresh pages for
a whole table can take longer than the arithmetic. Of columns, a core takes so much at a time."""


def apply(step: Step, data: Any, *, times: Any = None, dtype: Any = None, device: Any = None) -> Any:
    """Encode a table, run a step over its rows, and format the results as a table like it.

    Args:
        step: what happens at one row.
        data: a table, as for `encode`.
        times: moments of the rows, for a step that has `times`, and no other; by default those of the table's own
            index.
        dtype: as for `encode`.
        device: as for `encode`.

    Returns:
        A table with the same index, columns and coordinates.

    Raises:
        FrameError, TypeError: as `encode`, `unroll` and `decode` do.

    Example:
        >>> import pandas as pd
        >>> from jaxcourse import frames
        >>> frames.apply(frames.diff(), pd.DataFrame({"a": [1.0, 4.0]}))["a"].tolist()
        [nan, 3.0]
    """
    require_step(step)
    if times is not None and not step.timed:
        raise FrameError("times are given, but the step takes none: make it with times=True, or leave them out")
    table = open_table(data)
    blocks = table.blocks()
    if device is None and times is None and (result := _apply_by_tiles(step, table, blocks, dtype)) is not None:
        return result
    groups = groups_of([from_origin(each, step, dtype) for each in blocks], dtype)
    # Without `encode`, whose report takes longer than the mean of a small table.
    xs = tree_of(groups, [host_of(group)[0] for group in groups])
    if device is not None:
        xs = jax.device_put(xs, device)
    if step.timed:
        xs = (xs, moments_of(table.moments()) if times is None else moments_of(times, rows=len(blocks[0].host)))
    return build_like(table, groups, unroll(step)(xs)[1], copy=False)


def _apply_by_tiles(step: Step, table: Container, blocks: Sequence[Block], dtype: Any) -> Any:
    """The result for a table of numbers on the CPU, some columns or rows at a time; None for other tables."""
    block = blocks[0]
    numbers = len(blocks) == 1 and block.host.dtype.kind == "f" and block.restore is None
    if not numbers or step.timed or not block.host.size or jax.default_backend() != "cpu":
        return None
    target = target_dtype(block, dtype)
    if not is_floating(target):
        return None  # `encode` refuses it, or takes it as it is.
    large = block.host.size >= SMALLEST
    loop = step.by_column if large and _has_columns(block.host, target) else None
    try:
        results = (
            _in_chunks(step, from_origin(block, step, target), target)
            if loop is None
            else _by_column(loop, block, target)
        )
        return table.build([Part(block, results)])
    except FloatingPointError:
        return None  # `encode` names the column whose numbers the dtype cannot hold.


def _has_columns(host: np.ndarray, dtype: np.dtype) -> bool:
    """Whether the numbers of a column lie side by side, and a loop on the host can compute with them."""
    known = {host.dtype.name, dtype.name} <= {"float32", "float64"}
    return known and host.ndim <= 2 and host.strides[0] == host.itemsize


def _by_column(loop: Loop, block: Block, dtype: np.dtype) -> np.ndarray:
    """Results of all rows, some columns at a time on all cores; they lie as the table does."""
    xs = np.atleast_2d(block.host.T)
    ys = np.empty(xs.shape, results_dtype(block, dtype, dtype))
    width = LANES * -(-CHUNK_BYTES // (LANES * xs[0].nbytes))
    parts = [slice(first, first + width) for first in range(0, len(xs), width)]
    with ThreadPoolExecutor(cores()) as pool:
        list(pool.map(lambda part: loop(xs[part], ys[part], dtype), parts))
    return ys.T.reshape(block.host.shape)


def _in_chunks(step: Step, block: Block, dtype: np.dtype) -> np.ndarray:
    """Results of all rows. JAX computes a chunk while the next one is encoded, and the one before is copied out."""
    host = block.host
    turned = not by_rows(host)
    run, length = _chunk_run(step, turned), _chunk_length(host, dtype)
    with ThreadPoolExecutor(cores()) if length < len(host) else nullcontext() as pool:

        def encoded(start: int) -> np.ndarray:
            rows = host[start : start + length]
            rows = rows if block.origin is None else rows - block.origin
            rows = rows.T if turned else rows
            if pool is None and rows.dtype == dtype and rows.flags.c_contiguous:
                return rows
            xs = aligned(rows.shape, dtype)
            spread_into(xs, rows, pool)
            return xs

        state, ys = run(encoded(0), None)
        require_array(ys)
        if ys.shape != (min(length, len(host)), *host.shape[1:]):
            require_fit(groups_of([block], dtype)[0], ys, min(length, len(host)))
        found = results_dtype(block, ys.dtype, dtype)
        if pool is None and ys.dtype == found and not block.moves_along:
            return np.asarray(ys)
        out = np.empty((len(host), *ys.shape[1:]), found)
        for start in range(length, len(host), length):
            before = ys
            state, ys = run(encoded(start), state)
            spread_into(out[start - length : start], np.asarray(before), pool)
        spread_into(out[len(out) - len(ys) :], np.asarray(ys), pool)
    if block.origin is not None and block.moves_along:
        out += block.origin
    return out


def _chunk_length(host: np.ndarray, dtype: np.dtype) -> int:
    return -(-len(host) // -(-host.size * dtype.itemsize // CHUNK_BYTES))


@functools.lru_cache(maxsize=32)
def _chunk_run(step: Step, turned: bool) -> Any:
    """A run over a chunk, which XLA turns if it lies column by column: it does so faster than NumPy."""
    return jax.jit(lambda xs, state: unroll(step)(xs.T if turned else xs, state))
