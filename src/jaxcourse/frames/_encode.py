"""Step 1 and step 3: a table becomes arrays, and arrays become a table like it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import jax
import numpy as np

from jaxcourse._report import Report, Table, si
from jaxcourse.frames._containers import Block, Container, Part, container
from jaxcourse.frames._contract import Contract, FrameError
from jaxcourse.frames._step import Pytree
from jaxcourse.frames._tiles import ALIGNMENT, converted
from jaxcourse.frames._times import Times, decode_times, encode_times

Missing = Literal["keep", "raise", "zero-with-mask"]


@dataclass(frozen=True, repr=False)
class Encoding(Report):
    """What was copied while a table was encoded, and why.

    Args:
        rows: For each block its columns, its dtype before and after, its size, whether it was copied, and why.
    """

    rows: tuple[tuple[str, ...], ...]

    @property
    def table(self) -> Table:
        """The rows as a table."""
        head = ["columns", "dtype", "encoded as", "bytes", "memory", "why"]
        return Table("Encoding", head, [list(row) for row in self.rows])

    def _parts(self) -> list[Table | str]:
        return [self.table]


@dataclass(frozen=True)
class Group:
    """Blocks whose encoded values are one leaf (or one `Times`), side by side."""

    key: str
    blocks: tuple[Block, ...]
    dtype: np.dtype

    @property
    def names(self) -> tuple[Any, ...]:
        """All columns, in order."""
        return tuple(name for block in self.blocks for name in block.names)


@dataclass(frozen=True)
class Encoded:
    """A table as arrays, with what is needed to make arrays a table like it.

    Args:
        values: One array, time first, if the table is all numbers of one dtype. Else a dict: numbers by dtype, e.g.
            `"float32"`, `"times"` with `Times`, `"codes"` with int32 codes of strings and categories, -1 for missing;
            of a Dataset, its variables by name.
        mask: True where a value is there, shaped like `values`; only with `missing="zero-with-mask"`, else None.
        report: What was copied, and why.

    Example:
        >>> import pandas as pd
        >>> from jaxcourse import frames
        >>> encoded = frames.encode(pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}))
        >>> encoded.values.shape
        (2, 2)
        >>> encoded.decode(encoded.values * 2)["b"].tolist()
        [6.0, 8.0]
    """

    values: Pytree
    mask: Pytree
    report: Encoding
    container: Container = field(repr=False)
    groups: tuple[Group, ...] = field(repr=False)

    @property
    def index(self) -> Any:
        """The rows' labels as the table has them, or None."""
        return self.container.index

    @property
    def columns(self) -> tuple[Any, ...]:
        """The columns' names, in the order in which they lie in `values`."""
        return tuple(name for group in self.groups for name in group.names)

    @property
    def times(self) -> Times:
        """The moments of the rows, for a step that has `times`.

        Raises:
            FrameError: If the index does not consist of datetimes.
        """
        return moments_of(self.container.moments())

    def decode(self, ys: Pytree, *, copy: bool = False) -> Any:
        """Format results as the table that was encoded: see `decode`."""
        return decode(ys, like=self, copy=copy)


def moments_of(times: Any) -> Times:
    """Datetimes of any library as `Times`.

    Args:
        times: An index or Series of datetimes, or an array of datetime64.

    Raises:
        FrameError: If they are no datetimes, or if one is missing.

    Example:
        >>> moments_of(np.array(["1970-01-03"], "datetime64[D]")).days
        array([2], dtype=int32)
    """
    if getattr(getattr(times, "dtype", None), "tz", None) is not None:
        times = (times.dt if hasattr(times, "dt") else times).tz_convert("UTC")
        times = (times.dt if hasattr(times, "dt") else times).tz_localize(None)
    array = np.asarray(times)
    if array.dtype.kind not in "mM":
        raise FrameError(f"times must be datetimes, not {array.dtype}: give a DatetimeIndex or an array of datetime64")
    if np.isnat(array).any():
        raise FrameError(f"times are missing in row {int(np.argmax(np.isnat(array)))}: no time can be seen to pass")
    return encode_times(array)


def encode(
    data: Any,
    contract: Contract | None = None,
    *,
    dtype: Any = None,
    missing: Missing = "keep",
    device: Any = None,
) -> Encoded:
    """Step 1: make a table arrays.

    Args:
        data: A DataFrame or Series of pandas, a DataFrame of polars, a DataArray or Dataset of xarray (time first).
        contract: Checked first.
        dtype: For all columns of numbers, which then are one array. If not given, each dtype stays as it is, as far as
            JAX has it: without x64 mode, 64-bit numbers become 32-bit ones.
        missing: "keep" leaves NaN, code -1 and `NAT` in place; "raise" refuses them; "zero-with-mask" puts zeros there
            and says in `mask` where values are.
        device: A device or a sharding, as for `jax.device_put`.

    Returns:
        The arrays and what belongs to them.

    Raises:
        TypeError: If `data` is no such table.
        FrameError: If it breaks the contract, is empty, has a duplicate or unsorted index, a column that cannot be
            encoded, or numbers that the dtype cannot hold. It names the column.

    Example:
        >>> import pandas as pd
        >>> from jaxcourse import frames
        >>> table = pd.DataFrame({"price": [1.5, None], "side": ["buy", "sell"]})
        >>> {name: array.tolist() for name, array in frames.encode(table).values.items()}
        {'float32': [[1.5], [nan]], 'codes': [[0], [1]]}
    """
    if missing not in ("keep", "raise", "zero-with-mask"):
        raise ValueError(f"missing must be 'keep', 'raise' or 'zero-with-mask', not {missing!r}")
    if contract is not None:
        contract.check(data)
    view = container(data)
    groups = _groups(view.blocks(), dtype)
    hosts, masks = zip(*(_host(group, missing) for group in groups), strict=True)
    values = [jax.tree.map(lambda host: _put(host, device), host) for host in hosts]
    rows = tuple(_row(block, group, leaf) for group, leaf in zip(groups, values, strict=True) for block in group.blocks)
    mask = None if missing != "zero-with-mask" else _tree(groups, [_put(mask, device) for mask in masks])
    return Encoded(_tree(groups, values), mask, Encoding(rows), view, groups)


def _tree(groups: Sequence[Group], leaves: Sequence[Any]) -> Pytree:
    return leaves[0] if is_one_array(groups) else {group.key: leaf for group, leaf in zip(groups, leaves, strict=True)}


def is_one_array(groups: Sequence[Group]) -> bool:
    """Whether a table is one array of numbers, which needs no name."""
    return len(groups) == 1 and groups[0].blocks[0].kind == "numbers" and groups[0].blocks[0].group is None


def _groups(blocks: Sequence[Block], dtype: Any) -> tuple[Group, ...]:
    """Blocks by the name under which their values go, in the order of first appearance."""
    found: dict[str, tuple[list[Block], np.dtype]] = {}
    for block in blocks:
        target = target_dtype(block, dtype)
        key = block.group or (target.name if block.kind == "numbers" else block.kind)
        found.setdefault(key, ([], target))[0].append(block)
    return tuple(Group(key, tuple(members), target) for key, (members, target) in found.items())


def target_dtype(block: Block, dtype: Any) -> np.dtype:
    """What a block becomes: a dtype that JAX has in its present mode."""
    if block.kind != "numbers":
        return np.dtype(np.int32)
    return np.dtype(jax.dtypes.canonicalize_dtype(block.host.dtype if dtype is None else dtype))


def _host(group: Group, missing: Missing) -> tuple[Any, np.ndarray | None]:
    """The values of a group on the host (an array, or `Times`), and where they are."""
    present = None if missing == "keep" else np.concatenate([_present(block) for block in group.blocks], axis=-1)
    if missing == "raise" and present is not None:
        _refuse_missing(group, present)
    host = _joined([_converted(block, group.dtype) for block in group.blocks])
    if missing == "zero-with-mask" and present is not None:
        host = jax.tree.map(lambda part: np.where(present, part, np.zeros((), part.dtype)), host)
    return host, present


def _joined(blocks: Sequence[Any]) -> Any:
    return blocks[0] if len(blocks) == 1 else jax.tree.map(lambda *parts: np.concatenate(parts, axis=1), *blocks)


def _present(block: Block) -> np.ndarray:
    if block.kind == "codes":
        return block.host >= 0
    missing: np.ndarray = np.isnat(block.host) if block.kind == "times" else block.host != block.host
    return ~missing


def _refuse_missing(group: Group, present: np.ndarray) -> None:
    if present.all():
        return
    position = tuple(int(i[0]) for i in np.nonzero(~present))
    name = group.names[position[1]] if len(group.names) > 1 else group.names[0]
    raise FrameError(
        f"column {name!r} has no value in row {position[0]}, and missing='raise'. Fill it, drop the row, or use "
        "missing='keep' or 'zero-with-mask'"
    )


def _converted(block: Block, dtype: np.dtype) -> Any:
    host = block.host
    if block.kind == "times":
        return encode_times(host)
    if block.kind != "numbers" or (host.dtype == dtype and host.flags.c_contiguous):
        return host
    if host.dtype.kind in "iu" and dtype.kind in "iu":
        _require_range(block, dtype)
    if host.dtype.kind == "f" and dtype.kind in "iub":
        raise FrameError(f"columns {_names(block)} are {host.dtype}: as {dtype} their fractions and NaN would be lost")
    try:
        return converted(host, dtype)
    except FloatingPointError:
        outside = np.isfinite(host) & (np.abs(host) > np.finfo(dtype).max)
        raise FrameError(
            f"column {_column(block, outside)!r} has numbers that {dtype} cannot hold. Scale it, or enable x64"
        ) from None


def _column(block: Block, where: np.ndarray) -> Any:
    """The column of the first number that is marked."""
    return block.names[int(np.argwhere(where)[0][-1])] if len(block.names) > 1 else block.names[0]


def _require_range(block: Block, dtype: np.dtype) -> None:
    info = np.iinfo(dtype)
    outside = (block.host < info.min) | (block.host > info.max)
    if outside.any():
        raise FrameError(
            f"column {_column(block, outside)!r} has {block.host[outside][0]}, which {dtype} cannot hold. "
            "Enable x64 with `jax.config.update('jax_enable_x64', True)`, or encode with dtype=jnp.float32"
        )


def _put(host: np.ndarray, device: Any) -> jax.Array:
    array: jax.Array = jax.device_put(np.asarray(host), device)
    return array


def _row(block: Block, group: Group, leaf: Any) -> tuple[str, ...]:
    array = jax.tree.leaves(leaf)[0]
    reasons = _reasons(block, group, array)
    memory = "copied" if reasons else "shared"
    encoded = "3 x int32" if block.kind == "times" else str(array.dtype)
    size = sum(part.nbytes for part in jax.tree.leaves(leaf)) * len(block.names) // max(len(group.names), 1)
    return (_names(block), str(block.dtype), encoded, si(size, "B"), memory, ", ".join(reasons) or "nothing to do")


def _names(block: Block) -> str:
    shown = ", ".join(map(str, block.names[:3]))
    return shown if len(block.names) <= 3 else f"{shown}, ... ({len(block.names)})"


def _reasons(block: Block, group: Group, array: jax.Array) -> list[str]:
    """Why memory could not be shared; empty if it is."""
    host = block.host
    if host.dtype == array.dtype and _address(array) == host.ctypes.data:
        return []
    reasons = {
        f"dtype: {host.dtype} to {array.dtype}": host.dtype != array.dtype,
        "layout: not row by row": not host.flags.c_contiguous,
        "several blocks side by side": len(group.blocks) > 1,
        "device: not where the table is": _address(array) is None,
    }
    unaligned = f"alignment: address not a multiple of {ALIGNMENT}"
    return [reason for reason, holds in reasons.items() if holds] or [unaligned]


def _address(array: jax.Array) -> int | None:
    """Where a whole array lies in this process's memory, or None."""
    if len(array.devices()) > 1 or next(iter(array.devices())).platform != "cpu":
        return None
    return int(array.unsafe_buffer_pointer())


def decode(ys: Pytree, like: Encoded, *, copy: bool = False) -> Any:
    """Step 3: format results as the table that was encoded: its index, columns, coordinates and dtypes.

    Args:
        ys: Like `like.values`, or part of its dict. An array may have further axes where the container has a place for
            them: a matrix for each row becomes what `DataFrame.ewm(...).cov()` shows.
        like: The encoded table.
        copy: Whether the table gets memory of its own, to write to. Else it shows JAX's, which is read-only.

    Returns:
        A table. Where a result has the dtype that encoding gave the column, it gets the column's own back; where it has
        another (a mean of integers), it stays as computed.

    Raises:
        FrameError: If results do not fit the table; it names the group.

    Example:
        >>> import pandas as pd
        >>> from jaxcourse import frames
        >>> encoded = frames.encode(pd.DataFrame({"when": pd.to_datetime(["2024-01-01"]), "side": ["buy"]}))
        >>> frames.decode(encoded.values, like=encoded).iloc[0].tolist()
        [Timestamp('2024-01-01 00:00:00'), 'buy']
    """
    if not hasattr(like, "groups"):
        return like.decode(ys, copy=copy)
    groups = {group.key: group for group in like.groups}
    if is_one_array(like.groups):
        if not hasattr(ys, "shape"):
            raise FrameError(f"results must be one array, like the encoded values, not {type(ys).__name__}")
        ys = {like.groups[0].key: ys}
    if not isinstance(ys, dict) or not ys or not ys.keys() <= groups.keys():
        got = list(ys) if isinstance(ys, dict) else type(ys).__name__
        raise FrameError(f"results must be a dict with keys of {list(groups)}, like the encoded values, not {got}")
    rows = jax.tree.leaves(like.values)[0].shape[0] if like.index is None else len(like.index)
    parts = [part for key, leaf in ys.items() for part in _parts(groups[key], leaf, rows, copy)]
    return like.container.build(parts)


def _parts(group: Group, leaf: Any, rows: int, copy: bool) -> list[Part]:
    """A group's results, as one array where its columns go back as one, else column by column."""
    is_times = group.blocks[0].kind == "times"
    arrays = [np.array(part, copy=True if copy else None) for part in (leaf if is_times else [leaf])]
    _require_fit(group, arrays[0], rows)
    host = Times(*arrays) if is_times else arrays[0]
    if len(group.blocks) == 1:
        return [_part(group.blocks[0], host, group)]
    starts = np.cumsum([0, *(len(block.names) for block in group.blocks)])
    cuts = zip(group.blocks, starts, strict=False)
    return [
        _part(block, jax.tree.map(lambda part: part[:, start : start + len(block.names)], host), group)  # noqa: B023
        for block, start in cuts
    ]


def _require_fit(group: Group, array: np.ndarray, rows: int) -> None:
    block = group.blocks[0]
    if array.shape[:1] != (rows,):
        raise FrameError(f"results of {group.key!r} have shape {array.shape}, but the table has {rows} rows")
    wide = block.host.ndim > 1 and block.group is None and not (len(block.names) == 1 and block.host.shape[1:] != (1,))
    if wide and array.shape[1:2] != (len(group.names),):
        raise FrameError(
            f"results of {group.key!r} have shape {array.shape}, but the table has {len(group.names)} columns there: "
            f"{', '.join(map(repr, group.names[:5]))}"
        )
    if block.kind != "numbers" and array.dtype != np.int32:
        raise FrameError(f"results of {group.key!r} are {array.dtype}, but only int32 can be decoded to {block.dtype}")


def _part(block: Block, host: Any, group: Group) -> Part:
    if block.kind == "times":
        host = decode_times(host, block.host.dtype)
    elif block.kind == "numbers" and host.dtype == group.dtype and host.dtype != block.host.dtype:
        host = converted(host, block.host.dtype)
    if block.restore is None or (block.kind == "numbers" and host.dtype != block.host.dtype):
        return Part(block.names, host)
    flat = host.reshape(-1)
    restored = block.restore(flat)
    return Part(
        block.names, None, (restored if flat.shape[0] == host.shape[0] else np.asarray(restored).reshape(host.shape),)
    )
