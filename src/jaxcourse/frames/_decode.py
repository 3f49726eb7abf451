"""Step 3: arrays become a table like the one that was encoded."""

from __future__ import annotations

import operator
from collections.abc import Collection, Sequence
from typing import Any

import jax
import numpy as np

from jaxcourse.frames._errors import FrameError
from jaxcourse.frames._groups import Group, is_one_array
from jaxcourse.frames._leaves import Pytree
from jaxcourse.frames._table import Block, Container, Part, Restore
from jaxcourse.frames._tiles import converted
from jaxcourse.frames._times import Times, decode_times


def build_like(
    table: Container, groups: Sequence[Group], ys: Pytree, copy: bool, handed_on: Collection[int] = ()
) -> Any:
    """A table like the one whose groups were encoded, of results in their form.

    Args:
        table: of the library of the one that was encoded.
        groups: of its blocks.
        ys: the results.
        copy: whether the table gets memory of its own.
        handed_on: the `id`s of the encoded arrays themselves: with these, nothing was computed.

    Raises:
        FrameError: if results do not fit; it names the group.
    """
    by_key = {group.key: group for group in groups}
    if is_one_array(groups):
        require_array(ys)
        ys = {groups[0].key: ys}
    if not isinstance(ys, dict) or not ys or not ys.keys() <= by_key.keys():
        got = list(ys) if isinstance(ys, dict) else type(ys).__name__
        raise FrameError(f"results must be a dict with keys of {list(by_key)}, like the encoded values, not {got}")
    rows = len(groups[0].blocks[0].host if table.index is None else table.index)
    return table.build([part for key, leaf in ys.items() for part in _parts(by_key[key], leaf, rows, copy, handed_on)])


def require_array(ys: Pytree) -> None:
    """Refuse results that are no array, where the encoded values are one."""
    if not hasattr(ys, "shape"):
        raise FrameError(f"results must be one array, like the encoded values, not {type(ys).__name__}")


def _parts(group: Group, leaf: Any, rows: int, copy: bool, handed_on: Collection[int]) -> list[Part]:
    """A group's results, as one array where its columns go back as one, else column by column."""
    as_it_was = id(leaf) in handed_on
    is_times = group.kind == "times"
    arrays = [np.array(part, copy=True if copy else None) for part in (leaf if is_times else [leaf])]
    require_fit(group, arrays[0], rows)
    host = Times(*arrays) if is_times else arrays[0]
    if len(group.blocks) == 1:
        return [_part(group.blocks[0], host, group, as_it_was)]
    ends = np.cumsum([len(block.names) for block in group.blocks])
    return [
        _part(
            block,
            jax.tree.map(operator.itemgetter((slice(None), slice(end - len(block.names), end))), host),
            group,
            as_it_was,
        )
        for block, end in zip(group.blocks, ends, strict=True)
    ]


def require_fit(group: Group, array: Any, rows: int) -> None:
    """Refuse results for another number of rows, or of columns, and codes that are none any more."""
    block = group.blocks[0]
    if array.shape[:1] != (rows,):
        raise FrameError(f"results of {group.key!r} have shape {array.shape}, but the table has {rows} rows")
    wide = block.host.ndim > 1 and block.group is None and not (len(block.names) == 1 and block.host.shape[1:] != (1,))
    if wide and array.shape[1:2] != (len(group.names),):
        raise FrameError(
            f"results of {group.key!r} have shape {array.shape}, but the table has {len(group.names)} columns there: "
            f"{', '.join(map(repr, group.names[:5]))}"
        )
    if rows and block.kind != "numbers" and array.dtype != np.int32:
        raise FrameError(
            f"results of {group.key!r} are {array.dtype}, but only int32 can be decoded to {block.dtype}: if the step "
            f"computes, leave out {', '.join(map(repr, group.names[:5]))}"
        )


def _part(block: Block, host: Any, group: Group, as_it_was: bool) -> Part:
    if block.kind == "numbers":
        dtype = results_dtype(block, host.dtype, group.dtype, as_it_was)
        host = host if host.dtype == dtype else converted(host, dtype)
    elif block.kind == "times":
        host = decode_times(host, block.host.dtype)
    if block.computed is not None and not as_it_was:
        return _column(block, host, block.computed)
    if block.origin is not None and block.moves_along:
        host = host + block.origin
    if block.restore is None or host.dtype != block.host.dtype:
        return Part(block, host)
    return _column(block, host, block.restore)


def results_dtype(block: Block, computed: np.dtype, encoded: np.dtype, as_it_was: bool = False) -> np.dtype:
    """The dtype in which a block's results go back: the column's own where encoding has changed it, else as computed.

    What `dtype=` made wider was computed so: in the column's own dtype it would be cut, or wrap around.

    Args:
        block: of numbers.
        computed: of the results.
        encoded: of what was handed over.
        as_it_was: whether these are the encoded numbers themselves.
    """
    own: np.dtype = block.host.dtype
    holds = as_it_was or (block.computed is None and np.can_cast(computed, own, "safe"))
    if computed == encoded and holds:
        return own
    return np.dtype(np.float32) if computed.kind == "V" else computed  # no table has bfloat16


def _column(block: Block, host: np.ndarray, restore: Restore) -> Part:
    flat = host.reshape(-1)
    restored = restore(flat)
    return Part(block, None, (restored if flat.shape == host.shape[:1] else np.asarray(restored).reshape(host.shape),))
