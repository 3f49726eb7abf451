"""The table of whichever library it comes from."""

from __future__ import annotations

import sys
from typing import Any

from jaxcourse.frames._table import Container


def open_table(data: Any) -> Container:
    """See a table as the library that it comes from does. Only libraries that are already imported are asked.

    Raises:
        TypeError: if it is not a table of one of these libraries.
    """
    for library, types, table in (
        ("pandas", ("DataFrame", "Series"), _pandas),
        ("polars", ("DataFrame",), _polars),
        ("xarray", ("DataArray", "Dataset"), _xarray),
    ):
        module = sys.modules.get(library)
        if module and isinstance(data, tuple(getattr(module, name) for name in types)):
            return table(data)
    raise TypeError(
        f"{type(data).__name__} is not a table that frames knows: it takes a DataFrame or Series of pandas, a "
        "DataFrame of polars, or a DataArray or Dataset of xarray. Pass an array to frames.unroll(step) as it is"
    )


def _pandas(data: Any) -> Container:
    from jaxcourse.frames._pandas import PandasFrame, PandasSeries

    return PandasSeries(data) if data.ndim == 1 else PandasFrame(data)


def _polars(data: Any) -> Container:
    from jaxcourse.frames._polars import PolarsFrame

    return PolarsFrame(data)


def _xarray(data: Any) -> Container:
    from jaxcourse.frames._xarray import XarrayArray, XarrayDataset

    return XarrayDataset(data) if hasattr(data, "data_vars") else XarrayArray(data)
