"""Streams of different frequencies on one index."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.frames._copies import Encoding
from jaxcourse.frames._decay import says_of_what
from jaxcourse.frames._encode import Encoded, encode, moments_of
from jaxcourse.frames._errors import FrameError
from jaxcourse.frames._groups import Group, leaves_of, tree_of
from jaxcourse.frames._leaves import Pytree
from jaxcourse.frames._table import require_index
from jaxcourse.frames._times import NAT, Times


@dataclass(frozen=True)
class Streams:
    """Several encoded tables on one index.

    Args:
        tables: by name, each with one row for each label of the index.
        index: the master index.
    """

    tables: dict[str, Encoded]
    index: Any

    @property
    def values(self) -> dict[str, Pytree]:
        """For each name what `encode` makes of that table, time first: one row holds all streams."""
        return {name: table.values for name, table in self.tables.items()}

    @property
    def report(self) -> Encoding:
        """What was copied from which table before the rows were gathered, and why."""
        rows = ((f"{name}: {row[0]}", *row[1:]) for name, table in self.tables.items() for row in table.report.rows)
        return Encoding(tuple(rows))

    @property
    def times(self) -> Times:
        """The moments of the index, for a step that has `times`."""
        return moments_of(self.index)

    def decode(self, ys: Mapping[str, Pytree], *, copy: bool = False) -> dict[str, Any]:
        """Format results as tables like those that went in, each on the master index.

        Args:
            ys: for each name, or some of them, results like its values.
            copy: as for `frames.decode`.
        """
        if not isinstance(ys, Mapping) or not ys.keys() <= self.tables.keys():
            raise FrameError(f"results must be a dict with keys of {list(self.tables)}, like the values")
        return {name: self.tables[name].decode(part, copy=copy) for name, part in ys.items()}


def synchronise(streams: Mapping[str, Any], on: Any, tolerance: Any = None, **options: Any) -> Streams:
    """Put streams of different frequencies on one index: each label gets the last row that was known then.

    Which rows these are is found by binary search on the host, where datetimes are exact. The rows are gathered on the
    device, so that what travels is each stream at its own frequency.

    Args:
        streams: tables of pandas or xarray, by name, each with a sorted index.
        on: the master index: an index, an array of labels, or the name of the stream whose index it is.
        tolerance: how old a row may be at most, e.g. `"2s"` or a timedelta; a number for an index of numbers. Any age
            if not given.
        **options: for `encode`, e.g. `dtype`.

    Returns:
        The streams. Where no row is known, numbers are NaN (integers and booleans become floating-point numbers if
        that happens), codes are -1 and times are `NAT`.

    Raises:
        TypeError: if the streams have no names.
        FrameError: if an index is not sorted, or if one has a time zone and another has none; it names the stream. If
            the tolerance is below 0, or not of the index's kind.

    Example:
        >>> import pandas as pd
        >>> from jaxcourse import frames
        >>> slow = pd.DataFrame({"rate": [1.0, 2.0]}, index=[0, 10])
        >>> fast = pd.DataFrame({"price": [5.0, 6.0, 7.0]}, index=[-1, 4, 12])
        >>> frames.synchronise({"slow": slow, "fast": fast}, on="fast", tolerance=3).values["slow"].tolist()
        [[nan], [nan], [2.0]]
    """
    if not isinstance(streams, Mapping):
        raise TypeError(f"streams must be a dict of tables by name, not {type(streams).__name__}")
    tables = {name: encode(table, **options) for name, table in streams.items()}
    for name, table in tables.items():
        if table.index is None:
            raise FrameError(
                f"stream {name!r} has no index to synchronise by: convert it with `to_pandas().set_index(...)`"
            )
        require_index(table.index, f"index of stream {name!r}", ordered=True)
    master = _master(tables, on)
    tolerance = None if tolerance is None else _age(tolerance, master)
    return Streams({name: _on(name, table, master, tolerance) for name, table in tables.items()}, master)


def _master(tables: Mapping[str, Encoded], on: Any) -> Any:
    import pandas as pd

    if isinstance(on, str):
        if on not in tables:
            raise FrameError(f"there is no stream {on!r} whose index could be the master: there are {list(tables)}")
        return tables[on].index
    master = pd.Index(on)
    require_index(master, "master index", ordered=True)
    return master


def _age(tolerance: Any, master: Any) -> Any:
    """How old a row may be, in the index's own kind.

    Raises:
        FrameError: if it is a bare number where labels are moments, a duration where they are numbers, or below 0.
    """
    import pandas as pd

    number = isinstance(tolerance, (int, float, np.number)) and not isinstance(tolerance, (bool, np.timedelta64))
    if master.dtype.kind not in "mM":
        if not number:
            raise FrameError(f"tolerance={tolerance!r} is no number, and the index is {master.dtype}: give a number")
        return _not_below_zero(tolerance, tolerance)
    if number or not says_of_what(tolerance):
        raise FrameError(
            f"tolerance={tolerance!r} does not say of what, and the index is {master.dtype}: write a duration such as "
            "'2s', or a timedelta"
        )
    try:
        duration = pd.Timedelta(tolerance)
    except (TypeError, ValueError):
        raise FrameError(f"tolerance={tolerance!r} is no duration: write one such as '2s' or '90min'") from None
    return _not_below_zero(duration, tolerance)


def _not_below_zero(age: Any, tolerance: Any) -> Any:
    if not age >= 0 * age:  # nor NaN and NaT, of which nothing is known
        raise FrameError(f"tolerance={tolerance!r}: a row cannot be younger than now, so give 0 or more")
    return age


def _on(name: str, table: Encoded, master: Any, tolerance: Any) -> Encoded:
    _require_same_kind(name, table.index, master)
    try:
        positions = table.index.get_indexer(master, method="ffill", tolerance=tolerance)
    except (NotImplementedError, TypeError) as error:
        raise FrameError(
            f"stream {name!r} has an index of {table.index.dtype}, and the master index is {master.dtype}, in which no "
            f"last label can be found ({error}): use numbers, datetimes or texts"
        ) from None
    any_missing = bool((positions < 0).any())
    taken = [
        _gather(leaf, jnp.asarray(positions, jnp.int32), any_missing, group)
        for leaf, group in zip(leaves_of(table.groups, table.values), table.groups, strict=True)
    ]
    values = tree_of(table.groups, taken)
    return dataclasses.replace(table, values=values, mask=None, container=table.container.on(master))


def _require_same_kind(name: str, index: Any, master: Any) -> None:
    zones = getattr(index, "tz", None), getattr(master, "tz", None)
    if (zones[0] is None) != (zones[1] is None):
        raise FrameError(
            f"stream {name!r} is {_zone(zones[0])}, but the master index is {_zone(zones[1])}: "
            "make both the same with `tz_localize` or `tz_convert`"
        )
    if index.dtype.kind != master.dtype.kind and not {index.dtype.kind, master.dtype.kind} <= set("iuf"):
        raise FrameError(f"stream {name!r} has an index of {index.dtype}, but the master index is {master.dtype}")


def _zone(zone: Any) -> str:
    return "tz-naive" if zone is None else f"tz-aware ({zone})"


def _gather(leaf: Any, positions: jax.Array, any_missing: bool, group: Group) -> Any:
    if group.kind == "times":
        fills = Times(NAT, 0, 0)
        return Times(*(_take(part, positions, fill) for part, fill in zip(leaf, fills, strict=True)))
    if group.kind == "codes":
        return _take(leaf, positions, -1)
    if any_missing and not jnp.issubdtype(leaf.dtype, jnp.floating):
        leaf = leaf.astype(jnp.result_type(float))
    return _take(leaf, positions, jnp.nan) if any_missing else leaf[positions]


@jax.jit
def _take(rows: jax.Array, positions: jax.Array, fill: Any) -> jax.Array:
    if not len(rows):
        return jnp.full((len(positions), *rows.shape[1:]), fill, rows.dtype)
    known = jnp.expand_dims(positions >= 0, tuple(range(1, rows.ndim)))
    return jnp.where(known, rows[jnp.maximum(positions, 0)], jnp.asarray(fill, rows.dtype))
