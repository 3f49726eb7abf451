"""What every library's table gives: columns, blocks of numbers, and a table like it; and what all of them refuse."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import jax
import numpy as np

from jaxcourse.frames._errors import FrameError

Restore = Callable[[np.ndarray], Any]
"""Turns encoded numbers into a column as it was."""


@dataclass(frozen=True)
class Column:
    """What a schema looks at.

    Args:
        name: the column or variable.
        dtype: as its library names it.
        shape: of the column, time first.
    """

    name: Any
    dtype: Any
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Block:
    """Columns of one kind that lie in one array.

    Args:
        names: the columns, in order.
        kind: "numbers", "times" or "codes"; a container that keeps variables apart uses their names as groups.
        host: (T, n) or whatever shape a variable has, time first: numbers, datetime64, timedelta64 or codes.
        dtype: the columns' dtype, as their library names it.
        first: where the first of them stands in the table: names may stand there twice.
        restore: turns a column of numbers (T,) into a column as it was; None where an array is what it was.
        group: the name under which the encoded values go; None lets the dtype decide.
        computed: turns results into a column, where `host` has floating-point numbers in place of the column's integers
            or booleans because some are missing; what was computed of these stays as it was computed.
        origin: what is subtracted of each column before it is encoded, or None.
        moves_along: whether it is added to the results.
    """

    names: tuple[Any, ...]
    kind: str
    host: np.ndarray
    dtype: Any
    first: int = 0
    restore: Restore | None = None
    group: str | None = None
    computed: Restore | None = None
    origin: np.ndarray | None = None
    moves_along: bool = False

    @property
    def positions(self) -> range:
        """Where the columns stand in the table."""
        return range(self.first, self.first + len(self.names))

    @property
    def label(self) -> str:
        """The columns' names, or the first few of many."""
        shown = ", ".join(map(str, self.names[:3]))
        return shown if len(self.names) <= 3 else f"{shown}, ... ({len(self.names)})"


@dataclass(frozen=True)
class Part:
    """The decoded columns of a block: an array (T, n, ...), or each column in the library's own form."""

    block: Block
    array: np.ndarray | None
    columns: tuple[Any, ...] = ()


def in_order(parts: Sequence[Part]) -> dict[int, Any]:
    """Decoded columns by where they stand in the table, in this order."""
    found: dict[int, Any] = {}
    for part in parts:
        columns = part.columns if part.array is None else part.array.T
        found.update(zip(part.block.positions, columns, strict=True))
    return dict(sorted(found.items(), key=itemgetter(0)))


class Container:
    """A table of one library."""

    @property
    @abstractmethod
    def index(self) -> Any:
        """What labels the rows, or None."""

    @abstractmethod
    def columns(self) -> list[Column]:
        """Names, dtypes and shapes."""

    @abstractmethod
    def blocks(self) -> list[Block]:
        """The columns' numbers; every column is in one block."""

    @abstractmethod
    def build(self, parts: Sequence[Part]) -> Any:
        """A table like this one, of other columns."""

    @abstractmethod
    def on(self, index: Any) -> Container:
        """The same columns on another index; only for `build`."""

    def moments(self) -> Any:
        """The times of the rows, as a pandas index or an array of datetime64."""
        return self.index


def blank(names: Sequence[Any], rows: int) -> Block:
    """The block of a table in which nothing says what it holds: numbers, none of which is there."""
    return Block(tuple(names), "numbers", np.empty((rows, len(names))), np.dtype(np.float64))


OF_PANDAS = "sort_index()", "df[~df.index.duplicated(keep='last')]`, or number the rows with `reset_index(drop=True)"
"""How a table's rows are sorted, and how each label is kept once."""


def require_index(
    index: Any, what: str = "index", *, ordered: bool | None = None, advice: tuple[str, str] = OF_PANDAS
) -> None:
    """Refuse labels of pandas that do not tell rows apart, or on which time does not go forward.

    Args:
        index: the rows' labels.
        what: what they are, for the message.
        ordered: whether they must ascend. By default moments must, because a step walks from earlier to later; other
            labels may come in any order.
        advice: how the rows are sorted, and how each label is kept once, in the library's own words.

    Raises:
        FrameError: if it has several levels, or has missing, repeated or unsorted labels; it names the first.
    """
    if index.nlevels == 1:
        index = index.get_level_values(0)  # of a MultiIndex, too
    if index.nlevels > 1:
        raise FrameError(
            f"the {what} has {index.nlevels} levels, and a step would walk from the last row of one group into the "
            "first of the next: make the groups columns, e.g. with `unstack()`, or take one group at a time"
        )
    if index.hasnans:
        raise FrameError(f"the {what} has a missing label in row {int(np.argmax(index.isna()))}: drop that row")
    if not index.is_unique:
        row = int(np.argmax(index.duplicated()))
        raise FrameError(
            f"the {what} has {_label(index, row)} more than once, first again in row {row}: keep one row of each, "
            f"e.g. with `{advice[1]}`"
        )
    if (_of_moments(index) if ordered is None else ordered) and not index.is_monotonic_increasing:
        row = next(i for i in range(1, len(index)) if not index[i - 1] < index[i])
        raise FrameError(
            f"the {what} is not sorted: {_label(index, row)} in row {row} comes after {_label(index, row - 1)}. "
            f"Use `{advice[0]}`"
        )


def _of_moments(index: Any) -> bool:
    """Whether the labels are datetimes, durations or periods."""
    return index.dtype.kind in "mM" or str(index.dtype).startswith("period")


def _label(index: Any, row: int) -> str:
    """A label as it is written in Python: 5, not np.int64(5)."""
    return repr(index[row : row + 1].tolist()[0])


def require_exact(name: Any, numbers: np.ndarray, integers: np.ndarray) -> None:
    """Refuse integers of a column with missing values that JAX's floating-point numbers cannot hold.

    Raises:
        FrameError: if one would be rounded; it names the column.
    """
    dtype = np.dtype(jax.dtypes.canonicalize_dtype(np.float64))
    rounded = numbers.astype(dtype).astype(np.longdouble) != integers.astype(np.longdouble)
    if rounded.any():
        raise FrameError(
            f"column {name!r} has missing values, so its integers become {dtype}, which would round "
            f"{integers[rounded][0]}. Fill the missing values, or convert the column to floating-point numbers yourself"
        )
