"""DataFrames of polars. Imported when one arrives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from jaxcourse.frames._errors import FrameError
from jaxcourse.frames._table import Block, Column, Container, Part, Restore, blank, in_order, require_exact
from jaxcourse.frames._tiles import converted


@dataclass(frozen=True)
class PolarsFrame(Container):
    """A DataFrame, which has no index: rows are in order of time."""

    data: pl.DataFrame

    @property
    def index(self) -> None:
        """None: polars has no index."""
        return None

    def columns(self) -> list[Column]:
        """Names, dtypes and shapes."""
        return [Column(name, dtype, (self.data.height,)) for name, dtype in self.data.schema.items()]

    def blocks(self) -> list[Block]:
        """One block if all columns are numbers of one dtype without a null; else one per column."""
        dtypes = set(self.data.dtypes)
        if not dtypes or (self.data.height == 0 and dtypes == {pl.Null}):
            return [blank(self.data.columns, self.data.height)]
        if len(dtypes) == 1 and _is_number(*dtypes) and not any(s.null_count() for s in self.data.get_columns()):
            return [Block(tuple(self.data.columns), "numbers", self.data.to_numpy(), dtypes.pop())]
        return [_block(series, i) for i, series in enumerate(self.data.get_columns())]

    def build(self, parts: Sequence[Part]) -> pl.DataFrame:
        """A DataFrame with the columns in their order."""
        if not self.data.width:
            return self.data.clone()
        columns = in_order([_by_column(part) for part in parts])
        return pl.DataFrame({self.data.columns[i]: column for i, column in columns.items()})

    def on(self, index: Any) -> PolarsFrame:
        """The columns alone."""
        return PolarsFrame(self.data.clear())


def _by_column(part: Part) -> Part:
    if part.array is None:
        return part
    if part.array.ndim > 2:
        raise FrameError(
            f"polars has no place for results of shape {part.array.shape}: decode them one column at a time"
        )
    by_column = part.array.T
    if not by_column.flags.c_contiguous:
        by_column = converted(by_column, by_column.dtype)
    return Part(part.block, None, tuple(pl.Series(column) for column in by_column))


def _is_number(dtype: Any) -> bool:
    return dtype == pl.Boolean or bool(dtype.is_numeric() and not dtype.is_decimal() and "128" not in str(dtype))


def _block(series: pl.Series, position: int) -> Block:
    kind, host, restore = _encode_column(series)
    stands_in = kind == "numbers" and not series.dtype.is_float() and series.null_count() > 0
    computed = _with_nulls if stands_in else None
    return Block((series.name,), kind, host[:, None], series.dtype, position, restore, computed=computed)


def _encode_column(series: pl.Series) -> tuple[str, np.ndarray, Restore | None]:
    dtype = series.dtype
    if dtype == pl.Null and not len(series):
        return "numbers", np.empty(0), None
    if _is_number(dtype):
        return "numbers", *_numbers(series)
    if dtype in (pl.Datetime, pl.Duration, pl.Date):
        return "times", series.to_numpy(), lambda moments: _moments(moments, dtype)
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        return "codes", *_text(series)
    raise FrameError(
        f"column {series.name!r} has dtype {dtype}: only numbers of up to 64 bits, booleans, dates, datetimes, "
        "durations, strings and categories can be encoded. Cast it or drop it"
    )


def _numbers(series: pl.Series) -> tuple[np.ndarray, Restore | None]:
    dtype = series.dtype
    if not series.null_count():
        return series.to_numpy(), None
    if dtype.is_float() and series.is_nan().any():
        raise FrameError(
            f"column {series.name!r} has nulls and NaN, which could not be told apart: "
            "use `fill_nan(None)` or `fill_null`"
        )
    numbers = series.cast(dtype if dtype.is_float() else pl.Float64)
    if dtype.is_integer():
        require_exact(series.name, numbers.drop_nulls().to_numpy(), series.drop_nulls().to_numpy())
    return numbers.to_numpy(), lambda values: _with_nulls(values).cast(dtype)


def _with_nulls(values: np.ndarray) -> pl.Series:
    """Results, with nulls where nothing is known, as polars has them."""
    found = pl.Series(values)
    return found.fill_nan(None) if found.dtype.is_float() else found


def _moments(moments: np.ndarray, dtype: Any) -> pl.Series:
    zone = getattr(dtype, "time_zone", None)
    series = pl.Series(moments)
    return series.dt.replace_time_zone("UTC").dt.convert_time_zone(zone).cast(dtype) if zone else series.cast(dtype)


def _text(series: pl.Series) -> tuple[np.ndarray, Restore]:
    text = series.cast(pl.String)
    values = text.drop_nulls().unique().sort()
    codes = (text.rank("dense").cast(pl.Int32) - 1).fill_null(-1)

    def restore(codes: np.ndarray) -> pl.Series:
        positions = pl.Series(codes)
        return values.gather(positions.set(positions < 0, None)).cast(series.dtype)

    return codes.to_numpy(), restore
