"""All three steps in one call."""

from __future__ import annotations

from typing import Any

from jaxcourse.frames._containers import Part, container
from jaxcourse.frames._encode import encode, moments_of, target_dtype
from jaxcourse.frames._step import Step, unroll
from jaxcourse.frames._tiles import apply_in_tiles, worth_it


def apply(step: Step, data: Any, *, times: Any = None, dtype: Any = None, device: Any = None) -> Any:
    """Encode a table, run a step over its rows, and format the results as a table like it.

    Args:
        step: What happens at one row.
        data: A table, as for `encode`.
        times: Moments of the rows, for a step that has `times`; the table's own index if not given.
        dtype: As for `encode`.
        device: As for `encode`.

    Returns:
        A table with the same index, columns and coordinates.

    Raises:
        FrameError: As `encode`, `unroll` and `decode` do.

    Example:
        >>> import pandas as pd
        >>> from jaxcourse import frames
        >>> frames.apply(frames.diff(), pd.DataFrame({"a": [1.0, 4.0]}))["a"].tolist()
        [nan, 3.0]
    """
    if device is None and (table := _tiled(step, data, dtype)) is not None:
        return table
    encoded = encode(data, dtype=dtype, device=device)
    xs = encoded.values
    if step.timed:
        xs = (xs, encoded.times if times is None else moments_of(times))
    return encoded.decode(unroll(step)(xs)[1])


def _tiled(step: Step, data: Any, dtype: Any) -> Any:
    """The result by the way for large tables, or None if it is not for this one."""
    view = container(data)
    blocks = view.blocks()
    block = blocks[0]
    if len(blocks) > 1 or block.host.dtype.kind != "f" or block.restore or not worth_it(step, block.host):
        return None
    try:
        return view.build([Part(block.names, apply_in_tiles(step, block.host, target_dtype(block, dtype)))])
    except FloatingPointError:
        return None  # The other way names the column whose numbers the dtype cannot hold.
