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
        """One block if all columns are numbers of one dtype that has a place for a null; else one per column."""
        dtypes, columns = set(self.data.dtypes), self.data.get_columns()
        if not dtypes or (self.data.height == 0 and dtypes == {pl.Null}):
            return [blank(self.data.columns, self.data.height)]
        gaps = [series.null_count() for series in columns]
        if len(dtypes) == 1 and _is_number(*dtypes) and (not any(gaps) or columns[0].dtype.is_float()):
            host = self.data.to_numpy()
            if any(gaps):
                _require_no_nan(columns, host)
            return [Block(tuple(self.data.columns), "numbers", host, dtypes.pop())]
        return [_block(series, i) for i, series in enumerate(columns)]

    def build(self, parts: Sequence[Part]) -> pl.DataFrame:
        """A DataFrame with the columns in their order."""
        if not self.data.width:
            return self.data.clone()
        columns = in_order([self._by_column(part) for part in parts])
        names = self.data.columns
        return pl.DataFrame([column if column.name else column.alias(names[i]) for i, column in columns.items()])

    def _by_column(self, part: Part) -> Part:
        if part.array is None:
            return part
        if part.array.ndim > 2:
            raise FrameError(
                f"polars has no place for results of shape {part.array.shape}: decode them one column at a time"
            )
        by_column = part.array.T
        if not by_column.flags.c_contiguous:
            by_column = converted(by_column, by_column.dtype)
        named = zip(self.data.get_columns()[part.block.first :], by_column, strict=False)
        return Part(part.block, None, tuple(_series(column, was.null_count() > 0, was.name) for was, column in named))

    def on(self, index: Any) -> PolarsFrame:
        """The columns alone."""
        return PolarsFrame(self.data.clear())


def _series(column: np.ndarray, gaps: bool = True, name: str = "") -> pl.Series:
    """Results, with nulls where nothing is known, if the column had some."""
    if column.dtype.kind == "c":
        raise FrameError("polars has no complex numbers: return real ones, or run frames.unroll(step) on an array")
    return pl.Series(name, column, nan_to_null=gaps)


def _is_number(dtype: Any) -> bool:
    return dtype == pl.Boolean or bool(dtype.is_numeric() and not dtype.is_decimal() and "128" not in str(dtype))


def _block(series: pl.Series, position: int) -> Block:
    kind, host, restore = _encode_column(series)
    stands_in = kind == "numbers" and not series.dtype.is_float() and series.null_count() > 0
    computed = _series if stands_in else None
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
    if dtype.is_float():
        host = series.to_numpy()
        _require_no_nan([series], host[:, None])
        return host, None
    numbers = series.cast(pl.Float64)
    if dtype.is_integer():
        require_exact(series.name, numbers.drop_nulls().to_numpy(), series.drop_nulls().to_numpy())
    return numbers.to_numpy(), lambda values: _series(values).cast(dtype)


def _require_no_nan(columns: Sequence[pl.Series], host: np.ndarray) -> None:
    """Refuse NaN in a column with nulls, which are NaN in an array."""
    for series, absent in zip(columns, np.isnan(host).sum(axis=0), strict=True):
        if series.null_count() not in (0, absent):
            raise FrameError(
                f"column {series.name!r} has nulls and NaN, which could not be told apart: "
                "use `fill_nan(None)` or `fill_null`"
            )


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
