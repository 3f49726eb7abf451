"""DataFrames and Series of pandas. Imported when one arrives."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from jaxcourse.frames._errors import FrameError
from jaxcourse.frames._table import (
    Block,
    Column,
    Container,
    Part,
    Restore,
    blank,
    in_order,
    require_exact,
    require_index,
)


@dataclass(frozen=True)
class PandasFrame(Container):
    """A DataFrame."""

    data: pd.DataFrame
    labels: pd.Index | None = None

    @property
    def index(self) -> pd.Index:
        """The row labels."""
        return self.data.index if self.labels is None else self.labels

    def columns(self) -> list[Column]:
        """Names, dtypes and shapes."""
        rows = (len(self.data),)
        return [Column(name, dtype, rows) for name, dtype in zip(self.data.columns, self.data.dtypes, strict=True)]

    def blocks(self) -> list[Block]:
        """One block if all columns are numbers of one dtype, which pandas keeps in one array; else one per column."""
        require_index(self.data.index)
        dtypes = set(self.data.dtypes.to_numpy())
        if not dtypes or _says_nothing(self.data.index, dtypes):
            return [blank(self.data.columns, len(self.data))]
        if len(dtypes) == 1 and is_plain_number(*dtypes):
            return [Block(tuple(self.data.columns.tolist()), "numbers", self.data.to_numpy(), dtypes.pop())]
        return [column_block(name, self.data.iloc[:, i], i) for i, name in enumerate(self.data.columns)]

    def build(self, parts: Sequence[Part]) -> pd.DataFrame:
        """A DataFrame with the same index and `attrs`."""
        if len(parts) == 1 and parts[0].array is not None:
            return _with_attrs(self.data, _one_array(parts[0], self.index, self.data.columns))
        columns = in_order(parts)
        # With its dtype, because pandas 3 would make objects that are strings strings.
        numbered = {
            i: pd.Series(column, index=self.index, dtype=column.dtype, copy=False) for i, column in columns.items()
        }
        frame = pd.DataFrame(numbered, index=self.index, copy=False)
        frame.columns = self.data.columns[list(columns)]
        return _with_attrs(self.data, frame)

    def on(self, index: Any) -> PandasFrame:
        """The columns on another index."""
        return PandasFrame(self.data, index)


def _with_attrs(table: Any, made: Any) -> Any:
    """What was made of a table, with what the table says of itself, such as units."""
    if table.attrs:
        made.attrs = table.attrs
    return made


def _one_array(part: Part, index: pd.Index, columns: pd.Index) -> pd.DataFrame:
    array = part.array
    assert array is not None
    kept = columns[part.block.positions.start : part.block.positions.stop]
    if array.ndim == 3:
        # As `DataFrame.ewm(...).cov()` shows a matrix for each row.
        pairs = pd.MultiIndex.from_product([index, kept], names=[index.name, kept.name])
        return pd.DataFrame(array.reshape(len(pairs), array.shape[2]), index=pairs, columns=kept, copy=False)
    return pd.DataFrame(array, index=index, columns=kept, copy=False)


def _says_nothing(index: pd.Index, dtypes: set[Any]) -> bool:
    """Whether rows that are not there would have been objects, which can be anything."""
    return len(index) == 0 and dtypes == {np.dtype(object)}


@dataclass(frozen=True)
class PandasSeries(Container):
    """A Series: its values are (T,)."""

    data: pd.Series
    labels: pd.Index | None = None

    @property
    def index(self) -> pd.Index:
        """The row labels."""
        return self.data.index if self.labels is None else self.labels

    def columns(self) -> list[Column]:
        """One column, by the Series' name."""
        return [Column(self.data.name, self.data.dtype, (len(self.data),))]

    def blocks(self) -> list[Block]:
        """One block."""
        require_index(self.data.index)
        if _says_nothing(self.data.index, {self.data.dtype}):
            return [column_block(self.data.name, self.data.astype(np.float64), flat=True)]
        return [column_block(self.data.name, self.data, flat=True)]

    def build(self, parts: Sequence[Part]) -> pd.Series:
        """A Series with the same index, name and `attrs`."""
        part = parts[0]
        values = part.columns[0] if part.array is None else part.array
        made = pd.Series(values, index=self.index, name=self.data.name, dtype=values.dtype, copy=False)
        return _with_attrs(self.data, made)

    def on(self, index: Any) -> PandasSeries:
        """The name on another index."""
        return PandasSeries(self.data, index)


def is_plain_number(dtype: Any) -> bool:
    """Whether a dtype is one of NumPy's for integers, floating-point and complex numbers, or booleans."""
    return isinstance(dtype, np.dtype) and dtype.kind in "iufcb"


def column_block(name: Any, series: pd.Series, position: int = 0, *, flat: bool = False) -> Block:
    """The block of the column at a position.

    Raises:
        FrameError: if there is no way to encode its dtype; it names the column.
    """
    kind, host, restore = _encode_column(name, series)
    stands_in = kind == "numbers" and host.dtype.kind == "f" and not pd.api.types.is_float_dtype(series.dtype)
    computed = np.asarray if stands_in else None
    return Block((name,), kind, host if flat else host[:, None], series.dtype, position, restore, computed=computed)


def _encode_column(name: Any, series: pd.Series) -> tuple[str, np.ndarray, Restore | None]:
    dtype = series.dtype
    if is_plain_number(dtype):
        return "numbers", series.to_numpy(), None
    if isinstance(dtype, pd.ArrowDtype) and dtype.kind not in "iuf":
        return _of_arrow(name, series)
    if pd.api.types.is_datetime64_any_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype):
        return "times", *_moments(series)
    if isinstance(dtype, pd.CategoricalDtype):
        codes = series.cat.codes.to_numpy().astype(np.int32)
        return "codes", codes, lambda codes: pd.Categorical.from_codes(codes, dtype=dtype)
    if pd.api.types.is_numeric_dtype(dtype):
        return "numbers", _nullable(name, series), functools.partial(_to_nullable, dtype=dtype)
    _require_text(name, series)
    return "codes", *_text(series)


def _of_arrow(name: Any, series: pd.Series) -> tuple[str, np.ndarray, Restore | None]:
    """A column of Arrow's that holds no numbers, as pandas' own column of what it holds."""
    dtype = series.dtype
    own = {"b": "boolean", "U": "string", "M": dtype.numpy_dtype, "m": dtype.numpy_dtype}.get(dtype.kind)
    zone = getattr(dtype.pyarrow_dtype, "tz", None)
    if own is None:
        raise cannot_encode(name, dtype)
    as_own = series.astype(own if zone is None else pd.DatetimeTZDtype(dtype.pyarrow_dtype.unit, zone))
    kind, host, restore = _encode_column(name, as_own)
    return kind, host, lambda values: pd.Series(restore(values) if restore else values).astype(dtype).array


def _moments(series: pd.Series) -> tuple[np.ndarray, Restore]:
    dtype = series.dtype
    if isinstance(dtype, pd.DatetimeTZDtype):
        utc = series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
        return utc, lambda moments: pd.DatetimeIndex(moments).tz_localize("UTC").tz_convert(dtype.tz).array
    return series.to_numpy(), lambda moments: moments


def _nullable(name: Any, series: pd.Series) -> np.ndarray:
    """Numbers of an extension dtype; missing ones make integers floating-point numbers, if these can hold them."""
    if not series.isna().any():
        return np.asarray(series.to_numpy(dtype=getattr(series.dtype, "numpy_dtype", None)))
    if not isinstance(series.dtype, pd.SparseDtype) and (series != series).fillna(False).any():
        raise FrameError(
            f"column {name!r} has missing values and NaN, which could not be told apart: use `fillna`, or make the NaN "
            "missing as well"
        )
    numbers = np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
    if series.dtype.kind in "iu":
        present = series.notna().to_numpy()
        require_exact(name, numbers[present], series[present].to_numpy(dtype=series.dtype.numpy_dtype))
    return numbers


def _to_nullable(numbers: np.ndarray, dtype: Any) -> Any:
    return pd.array(numbers, dtype=dtype)


def _require_text(name: Any, series: pd.Series) -> None:
    if isinstance(series.dtype, pd.StringDtype):
        return
    kinds = sorted({type(item).__name__ for item in series.dropna()}) if series.dtype == object else None
    if kinds not in ([], ["str"]):
        raise cannot_encode(name, series.dtype, kinds or ())


def cannot_encode(name: Any, dtype: Any, kinds: Sequence[str] = ()) -> FrameError:
    """The error for a column for which there is no way into an array, whose objects are of some kinds."""
    held = f", which holds {' and '.join(kinds)}" if kinds else ""
    return FrameError(
        f"column {name!r} has dtype {dtype}{held}: only numbers, booleans, datetimes, durations, strings and "
        "categories can be encoded. Convert it, e.g. with `pd.to_numeric`, or drop it"
    )


def _text(series: pd.Series) -> tuple[np.ndarray, Restore]:
    codes, values = pd.factorize(series)
    missing = [*series[series.isna()].iloc[:1], np.nan][0]

    def restore(codes: np.ndarray) -> Any:
        taken = np.array([*values, missing], object)[codes]  # -1 takes the last.
        return taken if series.dtype == object else pd.array(taken, dtype=series.dtype)

    return codes.astype(np.int32), restore
