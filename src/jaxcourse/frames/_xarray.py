"""DataArrays and Datasets of xarray. Imported when one arrives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from jaxcourse.frames._errors import FrameError
from jaxcourse.frames._pandas import cannot_encode, column_block, is_plain_number
from jaxcourse.frames._table import Block, Column, Container, Part, require_index


@dataclass(frozen=True)
class XarrayArray(Container):
    """A DataArray, whose first dimension is time."""

    data: xr.DataArray

    @property
    def index(self) -> Any:
        """The labels of the first dimension, or None."""
        return self.data.indexes.get(self.data.dims[0])

    def columns(self) -> list[Column]:
        """One column, by the array's name."""
        return [Column(self.data.name, self.data.dtype, self.data.shape)]

    def blocks(self) -> list[Block]:
        """One block."""
        if self.data.ndim == 0:
            raise FrameError(
                "a DataArray without dimensions has no time axis: give it one, e.g. with `expand_dims('time')`"
            )
        _require_time(self.data)
        return [_block(self.data.name, self.data)]

    def build(self, parts: Sequence[Part]) -> xr.DataArray:
        """A DataArray with the same coordinates."""
        return _like(self.data, _only(parts[0]), self.data.name)

    def on(self, index: Any) -> XarrayArray:
        """The array without values, on another index."""
        return XarrayArray(_on(self.data, index))


@dataclass(frozen=True)
class XarrayDataset(Container):
    """A Dataset: each variable is a group of its own, by its name."""

    data: xr.Dataset

    @property
    def index(self) -> Any:
        """The labels of the first variable's first dimension, or None."""
        return self.data.indexes.get(self._time)

    @property
    def _time(self) -> Any:
        for variable in self.data.data_vars.values():
            if variable.dims:
                return variable.dims[0]
        raise FrameError(
            "the Dataset has no variables with a dimension, so there is no time axis: give it one, or leave it out"
        )

    def columns(self) -> list[Column]:
        """The variables."""
        return [Column(name, variable.dtype, variable.shape) for name, variable in self.data.data_vars.items()]

    def blocks(self) -> list[Block]:
        """One block per variable."""
        time = self._time
        names = [str(name) for name in self.data.data_vars]
        if len(set(names)) < len(names):
            raise FrameError(
                f"two variables have the same name as text, by which values go: {', '.join(names)}. Use `rename`"
            )
        for name, variable in self.data.data_vars.items():
            if variable.dims[:1] != (time,):
                raise FrameError(
                    f"variable {name!r} has dimensions {variable.dims}, but time is {time!r} and must come "
                    f"first: use `transpose({time!r}, ...)`, or drop the variable"
                )
            _require_time(variable)
        return [_block(name, variable, group=str(name)) for name, variable in self.data.data_vars.items()]

    def build(self, parts: Sequence[Part]) -> xr.Dataset:
        """A Dataset with the same coordinates."""
        names = [part.block.names[0] for part in parts]
        variables = {name: _like(self.data[name], _only(part), name) for name, part in zip(names, parts, strict=True)}
        return xr.Dataset(variables, attrs=self.data.attrs)

    def on(self, index: Any) -> XarrayDataset:
        """The variables without values, on another index."""
        return XarrayDataset(self.data.map(lambda variable: _on(variable, index)))


def _require_time(array: xr.DataArray) -> None:
    later = [dim for dim in array.dims[1:] if _says_when(array, dim)]
    if later and not _says_when(array, array.dims[0]):
        raise FrameError(
            f"dimension {later[0]!r} says when, and {array.dims[0]!r} is first: a step would walk from one "
            f"{array.dims[0]} to the next. Use `transpose({later[0]!r}, ...)`"
        )
    index = array.indexes.get(array.dims[0])
    if index is not None:
        time = array.dims[0]
        require_index(index, f"coordinate {time!r}", advice=(f"sortby({time!r})", f"drop_duplicates({time!r})"))


def _says_when(array: xr.DataArray, dim: Any) -> bool:
    """Whether a dimension is time: by its name, or by a coordinate along it that consists of moments."""
    along = [coordinate for coordinate in array.coords.values() if coordinate.dims == (dim,)]
    return bool(_TIME.fullmatch(str(dim))) or any(_are_moments(coordinate) for coordinate in along)


_TIME = re.compile(r"(.*_)?(time|date|datetime|timestamp)s?", re.IGNORECASE)
"""Names of dimensions that say when: `time`, `valid_time`, `Date`; and not `lifetime`."""


def _are_moments(coordinate: xr.DataArray) -> bool:
    """Datetimes, durations, dates of Python, periods, or calendars that are not ours, as climate models have them."""
    if coordinate.dtype.kind in "mM":
        return True
    index = coordinate.to_index()
    dates = index.dtype == object and index.inferred_type in ("date", "datetime")
    return dates or isinstance(index, pd.PeriodIndex) or type(index).__name__ == "CFTimeIndex"


def _block(name: Any, array: xr.DataArray, group: str | None = None) -> Block:
    host = array.to_numpy()
    if host.dtype.kind == "V":
        raise cannot_encode(name, host.dtype)
    if is_plain_number(host.dtype):
        return Block((name,), "numbers", host, host.dtype, group=group)
    if host.dtype.kind in "mM":
        return Block((name,), "times", host, host.dtype, group=group)
    flat = column_block(name, pd.Series(host.ravel(), dtype=None if host.dtype.kind == "O" else object), flat=True)
    restore = flat.restore
    assert restore is not None
    shaped = flat.host.reshape(host.shape)

    def as_it_was(codes: np.ndarray) -> Any:
        return restore(codes).astype(host.dtype)

    return Block((name,), flat.kind, shaped, host.dtype, restore=as_it_was, group=group)


def _only(part: Part) -> np.ndarray:
    return np.asarray(part.columns[0]) if part.array is None else part.array


def _like(array: xr.DataArray, values: np.ndarray, name: Any) -> xr.DataArray:
    if values.shape == array.shape:
        return array.copy(data=values)
    known = array.dims[: values.ndim]
    extra = tuple(f"{known[-1]}_{i}" for i in range(2, 2 + values.ndim - len(known)))
    coords = {
        dim: array.coords[dim]
        for dim, length in zip(known, values.shape, strict=False)
        if dim in array.coords and array.sizes[dim] == length
    }
    return xr.DataArray(values, dims=known + extra, coords=coords, name=name, attrs=array.attrs)


def _on(array: xr.DataArray, index: Any) -> xr.DataArray:
    return array.isel({array.dims[0]: slice(0, 0)}).reindex({array.dims[0]: index})
