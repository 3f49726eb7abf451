"""Step 1: a table becomes arrays that remember what they came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import jax
import numpy as np

from jaxcourse.frames._copies import Encoding, copy_row
from jaxcourse.frames._decode import build_like
from jaxcourse.frames._errors import FrameError
from jaxcourse.frames._groups import Group, groups_of, tree_of
from jaxcourse.frames._leaves import Pytree
from jaxcourse.frames._open import open_table
from jaxcourse.frames._schema import Schema
from jaxcourse.frames._table import Block, Container
from jaxcourse.frames._tiles import converted
from jaxcourse.frames._times import DAY, NANO, Times, encode_times

Missing = Literal["keep", "raise", "zero-with-mask"]


@dataclass(frozen=True)
class Encoded:
    """A table as arrays, with what it takes to turn arrays into a table like it.

    Args:
        values: one array, time first, if the table is all numbers of one dtype. Else a dict: numbers by dtype, e.g.
            `"float32"`, `"times"` with `Times`, `"codes"` with int32 codes of strings and categories, -1 for missing;
            of a Dataset, its variables by name.
        mask: True where a value is there, shaped like `values`; only with `missing="zero-with-mask"`, else None.
        report: what was copied, and why.

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
            FrameError: if the index does not consist of datetimes.
        """
        return moments_of(self.container.moments())

    def decode(self, ys: Pytree, *, copy: bool = False) -> Any:
        """Format results as the table that was encoded: see `decode`."""
        handed_on = {id(leaf) for leaf in jax.tree.leaves(self.values)}
        return build_like(self.container, self.groups, ys, copy, handed_on)


def moments_of(times: Any, rows: int | None = None) -> Times:
    """Datetimes of any library as `Times`.

    Args:
        times: an index or Series of datetimes, an array of datetime64, or what this has made of them.
        rows: how many there must be, if that is known.

    Raises:
        FrameError: if they are not datetimes, if one is missing or earlier than the one before it, or if there are not
            as many as rows.

    Example:
        >>> moments_of(np.array(["1970-01-03"], "datetime64[D]")).days
        array([2], dtype=int32)
    """
    moments = times if isinstance(times, Times) else encode_times(_datetimes(times))
    if rows is not None and moments.days.shape != (rows,):
        raise FrameError(
            f"times have shape {moments.days.shape}, but the table has {rows} rows: give one moment for each row"
        )
    _require_in_order(moments)
    return moments


def _require_in_order(moments: Times) -> None:
    """Refuse time that runs backwards, in which weights would grow."""
    days, seconds, nanoseconds = (np.asarray(part, np.int64) for part in moments)
    if days.ndim != 1:
        return
    earlier = np.diff(days * DAY + seconds) * NANO + np.diff(nanoseconds) < 0
    if earlier.any():
        row = int(np.argmax(earlier)) + 1
        raise FrameError(f"the time of row {row} is before that of row {row - 1}: sort the rows by their times first")


def _datetimes(times: Any) -> np.ndarray:
    """An array of datetime64 in UTC, in which none is missing."""
    if times is None:
        raise FrameError("the table has no index that says when its rows were: give times=...")
    if getattr(getattr(times, "dtype", None), "tz", None) is not None:
        times = (times.dt if hasattr(times, "dt") else times).tz_convert("UTC")
        times = (times.dt if hasattr(times, "dt") else times).tz_localize(None)
    array = np.asarray(times)
    if array.dtype.kind not in "mM":
        raise FrameError(f"times must be datetimes, not {array.dtype}: give a DatetimeIndex or an array of datetime64")
    if np.isnat(array).any():
        raise FrameError(f"the time is missing in row {int(np.argmax(np.isnat(array)))}: fill it, or drop the row")
    return array


def encode(
    data: Any,
    schema: Schema | None = None,
    *,
    dtype: Any = None,
    missing: Missing = "keep",
    device: Any = None,
) -> Encoded:
    """Step 1: turn a table into arrays.

    Args:
        data: a DataFrame or Series of pandas, a DataFrame of polars, a DataArray or Dataset of xarray (time first).
        schema: what the table must be; checked first.
        dtype: for all columns of numbers, which are then one array. By default each dtype stays as it is, as far as
            JAX has it: without x64 mode, 64-bit numbers become 32-bit ones, of about seven digits. The report says so;
            `frames.apply` and its steps keep more where that is not enough: see `Step.moves_along`.
        missing: "keep" leaves NaN, code -1 and `NAT` in place; "raise" refuses them; "zero-with-mask" puts zeros there
            and says in `mask` where values are.
        device: a device or a sharding, as for `jax.device_put`.

    Returns:
        The arrays and what belongs to them. A table without rows or columns gives arrays without rows or columns. If
        nothing says what it holds (no column, or no row and all of them objects), these are float64 numbers.

    Raises:
        TypeError: if `data` is not such a table.
        FrameError: if it does not fit the schema, has an index of several levels, with repeated labels or with moments
            that are not sorted, a column that cannot be encoded, or numbers that the dtype cannot hold. It names the
            column or the row.

    Example:
        >>> import pandas as pd
        >>> from jaxcourse import frames
        >>> table = pd.DataFrame({"price": [1.5, None], "side": ["buy", "sell"]})
        >>> {name: array.tolist() for name, array in frames.encode(table).values.items()}
        {'float32': [[1.5], [nan]], 'codes': [[0], [1]]}
    """
    if missing not in ("keep", "raise", "zero-with-mask"):
        raise ValueError(f"missing must be 'keep', 'raise' or 'zero-with-mask', not {missing!r}")
    table = open_table(data)
    if schema is not None:
        schema.check_open(table)
    groups = groups_of(table.blocks(), dtype)
    hosts, masks = zip(*(host_of(group, missing) for group in groups), strict=True)
    values = [jax.tree.map(lambda host: _to_device(host, device), host) for host in hosts]
    rows = tuple(
        copy_row(block, group, leaf) for group, leaf in zip(groups, values, strict=True) for block in group.blocks
    )
    mask = None if missing != "zero-with-mask" else tree_of(groups, [_to_device(mask, device) for mask in masks])
    return Encoded(tree_of(groups, values), mask, Encoding(rows), table, groups)


def host_of(group: Group, missing: Missing = "keep") -> tuple[Any, np.ndarray | None]:
    """The values of a group on the host (an array, or `Times`), and where they are."""
    present = None if missing == "keep" else np.concatenate([_present(block) for block in group.blocks], axis=-1)
    if missing == "raise" and present is not None:
        _refuse_missing(group, present)
    host = _concatenate([_convert(block, group.dtype) for block in group.blocks])
    if missing == "zero-with-mask" and present is not None:
        host = jax.tree.map(lambda part: np.where(present, part, np.zeros((), part.dtype)), host)
    return host, present


def _concatenate(blocks: Sequence[Any]) -> Any:
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


def _convert(block: Block, dtype: np.dtype) -> Any:
    host = block.host if block.origin is None else block.host - block.origin
    if block.kind == "times":
        return encode_times(host)
    if block.kind != "numbers" or (host.dtype == dtype and host.flags.c_contiguous):
        return host
    if host.dtype.kind in "iu" and dtype.kind in "iub":
        _require_range(block, dtype)
    if host.dtype.kind in "fc" and dtype.kind in "iub":
        raise FrameError(f"columns {block.label} are {host.dtype}: as {dtype} their fractions and NaN would be lost")
    if host.dtype.kind == "c" and dtype.kind != "c":
        raise FrameError(f"columns {block.label} are {host.dtype}: as {dtype} their imaginary parts would be lost")
    try:
        return converted(host, dtype)
    except FloatingPointError:
        with np.errstate(over="ignore"):
            outside = np.isfinite(host) & ~np.isfinite(host.astype(dtype))
        raise FrameError(
            f"column {_column(block, outside)!r} has numbers that {dtype} cannot hold. Scale it, or enable x64"
        ) from None


def _column(block: Block, where: np.ndarray) -> Any:
    """The column of the first number that is marked."""
    return block.names[int(np.argwhere(where)[0][-1])] if len(block.names) > 1 else block.names[0]


def _require_range(block: Block, dtype: np.dtype) -> None:
    low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    host = block.host if block.origin is None else block.host - block.origin
    outside = (host < low) | (host > high)
    if outside.any():
        raise FrameError(
            f"column {_column(block, outside)!r} has {block.host[outside][0]}, which {dtype} cannot hold. "
            "Enable x64 with `jax.config.update('jax_enable_x64', True)`, or encode with dtype=jnp.float32"
        )


def _to_device(host: np.ndarray, device: Any) -> jax.Array:
    array: jax.Array = jax.device_put(np.asarray(host), device)
    return array


def decode(ys: Pytree, like: Encoded, *, copy: bool = False) -> Any:
    """Step 3: format results as the table that was encoded: its index, columns, coordinates and dtypes.

    Args:
        ys: like `like.values`, or part of its dict. An array may have further axes where the container has a place for
            them: a matrix for each row becomes what `DataFrame.ewm(...).cov()` shows.
        like: the encoded table.
        copy: whether the table gets memory of its own, to write to. Else it shows JAX's, which is read-only.

    Returns:
        A table. Where a result has the dtype that encoding gave the column, it gets the column's own back, if that
        holds all such numbers; where it has another (a mean of integers), it stays as computed. Integers and booleans
        of which some are missing are encoded as floating-point numbers: what is computed of them stays that too, and
        only `like.values` themselves become integers or booleans again.

    Raises:
        FrameError: if results do not fit the table; it names the group.

    Example:
        >>> import pandas as pd
        >>> from jaxcourse import frames
        >>> encoded = frames.encode(pd.DataFrame({"when": pd.to_datetime(["2024-01-01"]), "side": ["buy"]}))
        >>> frames.decode(encoded.values, like=encoded).iloc[0].tolist()
        [Timestamp('2024-01-01 00:00:00'), 'buy']
    """
    return like.decode(ys, copy=copy)
