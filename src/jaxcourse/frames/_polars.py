"""DataFrames of polars. Imported when one arrives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from jaxcourse.frames._errors import FrameError
from jaxcourse.frames._table import Block, Column, Container, Part, Restore, require_exact, require_names_once
from jaxcourse.frames._tiles import converted


@dataclass(frozen=True)
class PolarsFrame(Container):
    """A DataFrame, which has no index: rows are in order of time."""

    data: pl.DataFrame

    @property
    def index(self) -> None:
        """polars has none."""
        return None

    def columns(self) -> list[Column]:
        """Names, dtypes and shapes."""
        return [Column(name, dtype, (self.data.height,)) for name, dtype in self.data.schema.items()]

    def blocks(self) -> list[Block]:
        """One block if all columns are numbers of one dtype without a null; else one per column."""
        require_names_once(self.data.columns)
        if self.data.height == 0:
            raise FrameError("the table has no rows")
        dtypes = set(self.data.dtypes)
        if len(dtypes) == 1 and _is_number(*dtypes) and not any(s.null_count() for s in self.data.get_columns()):
            return [Block(tuple(self.data.columns), "numbers", self.data.to_numpy(), dtypes.pop())]
        return [_block(series) for series in self.data.get_columns()]

    def build(self, parts: Sequence[Part]) -> pl.DataFrame:
        """A DataFrame with the columns in their order."""
        columns = {name: column for part in parts for name, column in _columns(part)}
        ordered = [name for name in self.data.columns if name in columns]
        return pl.DataFrame({str(name): columns[name] for name in [*ordered, *(columns.keys() - set(ordered))]})

    def on(self, index: Any) -> PolarsFrame:
        """The columns alone."""
        return PolarsFrame(self.data.clear())


def _columns(part: Part) -> list[tuple[Any, Any]]:
    if part.array is None:
        return list(zip(part.names, part.columns, strict=True))
    if part.array.ndim > 2:
        raise FrameError(
            f"polars has no place for results of shape {part.array.shape}: decode them one column at a time"
        )
    by_column = converted(part.array.T, part.array.dtype)
    return [(name, pl.Series(by_column[i])) for i, name in enumerate(part.names)]


def _is_number(dtype: Any) -> bool:
    return bool(dtype.is_numeric() and not dtype.is_decimal()) or dtype == pl.Boolean


def _block(series: pl.Series) -> Block:
    kind, host, restore = _encoded(series)
    return Block((series.name,), kind, host[:, None], series.dtype, restore)


def _encoded(series: pl.Series) -> tuple[str, np.ndarray, Restore | None]:
    dtype = series.dtype
    if _is_number(dtype):
        return "numbers", *_numbers(series)
    if dtype in (pl.Datetime, pl.Duration, pl.Date):
        return "times", series.to_numpy(), lambda moments: _moments(moments, dtype)
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        return "codes", *_text(series)
    raise FrameError(
        f"column {series.name!r} has dtype {dtype}: only numbers, booleans, dates, datetimes, durations, strings and "
        "categories can be encoded. Cast it or drop it"
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
    return numbers.to_numpy(), lambda values: pl.Series(values).fill_nan(None).cast(dtype)


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
