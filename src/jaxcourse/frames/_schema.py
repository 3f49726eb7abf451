"""What a table must be, checked before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jaxcourse.frames._errors import FrameError
from jaxcourse.frames._open import open_table
from jaxcourse.frames._table import Container


@dataclass(frozen=True)
class Schema:
    """Columns, dtypes and shapes that a table must have.

    Args:
        columns: names that must be there; with `exact`, in this order and no others.
        dtypes: a dtype for each name, or one for all columns; written as the library prints it, e.g. `"float64"`.
        shapes: a shape for each name, with None for an axis that may have any length. A table's column has one axis.
        exact: whether other columns are refused and the order counts.

    Example:
        >>> import pandas as pd
        >>> schema = Schema(columns=["price"], dtypes={"price": "float64"})
        >>> schema.check(pd.DataFrame({"price": [1.5], "size": [3]}))
        >>> schema.check(pd.DataFrame({"price": [1]}))
        Traceback (most recent call last):
        jaxcourse.frames._errors.FrameError: column 'price' is int64, but the schema says float64
    """

    columns: Sequence[Any] = ()
    dtypes: Mapping[Any, str] | str | None = None
    shapes: Mapping[Any, tuple[int | None, ...]] | None = None
    exact: bool = False

    def check(self, data: Any) -> None:
        """Check a table.

        Args:
            data: a DataFrame or Series of pandas, a DataFrame of polars, a DataArray or Dataset of xarray.

        Raises:
            FrameError: naming the first column that does not fit.
        """
        self.check_open(open_table(data))

    def check_open(self, table: Container) -> None:
        """Check a table that is open already: see `check`."""
        columns = table.columns()
        self._check_names([column.name for column in columns])
        dtypes = self._dtypes([column.name for column in columns])
        for column in columns:
            expected = dtypes.get(column.name)
            if expected is not None and str(column.dtype) != str(expected):
                raise FrameError(f"column {column.name!r} is {column.dtype}, but the schema says {expected}")
        shapes = self.shapes or {}
        for column in columns:
            if column.name in shapes:
                self._check_shape(column.name, column.shape, shapes[column.name])

    def _check_names(self, names: list[Any]) -> None:
        wanted = [*self.columns, *(self.shapes or {})]
        wanted += [] if self.dtypes is None or isinstance(self.dtypes, str) else list(self.dtypes)
        for name in wanted:
            if name not in names:
                raise FrameError(f"column {name!r} is missing: there are {', '.join(map(repr, names))}")
        if not self.exact:
            return
        for name in names:
            if name not in self.columns:
                raise FrameError(f"column {name!r} is not in the schema")
        if names != list(self.columns):
            raise FrameError(f"columns are in the order {names}, but the schema says {list(self.columns)}")

    def _dtypes(self, names: Sequence[Any]) -> Mapping[Any, str]:
        if isinstance(self.dtypes, str):
            return dict.fromkeys(self.columns or names, self.dtypes)
        return self.dtypes or {}

    def _check_shape(self, name: Any, shape: tuple[int, ...], expected: tuple[int | None, ...]) -> None:
        fits = len(shape) == len(expected) and all(
            want in (None, has) for has, want in zip(shape, expected, strict=True)
        )
        if not fits:
            raise FrameError(f"column {name!r} has shape {shape}, but the schema says {tuple(expected)}")
