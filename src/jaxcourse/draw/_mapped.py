"""Which axis of which argument `jax.vmap` takes apart, and where the calls stand in the result."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from jaxcourse.draw._elements import Index
from jaxcourse.draw._words import counted, fitting, spellings_of
from jaxcourse.svg import ORANGE, Picture, Sheet

MAX_AXES = 4
MAX_LEAVES = 8
_BOX, _GAP, _ROW = 32.0, 3.0, 56.0
_ONE = 250.0
"""Where what one call sees is drawn; the whole array is on its left."""


@dataclass(frozen=True)
class _Leaf:
    """One array of an argument or of the result: its name, its shape, and the axis along which the calls stand."""

    name: str
    shape: Index
    axis: int | None

    def __post_init__(self) -> None:
        if len(self.shape) > MAX_AXES:
            raise ValueError(f"arrays of at most {MAX_AXES} axes can be drawn, {self.name} has shape {self.shape}")
        if self.axis is not None and not -len(self.shape) <= self.axis < len(self.shape):
            raise ValueError(f"{self.name} has shape {self.shape} and no axis {self.axis} to map")

    @property
    def place(self) -> int | None:
        """The mapped axis, counted from the left."""
        return None if self.axis is None else self.axis % len(self.shape)

    @property
    def one(self) -> Index:
        """The shape for one call."""
        return tuple(n for i, n in enumerate(self.shape) if i != self.place)

    @property
    def length(self) -> int | None:
        """How many calls it has something for; None if all calls share it."""
        return None if self.place is None else self.shape[self.place]


def mapped(function: Callable[..., Any], *args: Any, in_axes: Any = 0, out_axes: Any = 0) -> Picture:
    """Draw what `jax.vmap(function, in_axes, out_axes)(*args)` does to axes, without running it.

    On the left are the whole arrays, on the right what one call sees and returns; a thick box is the mapped axis.
    Axes of different lengths are drawn as well, and the picture says that they clash.

    Args:
        function: the function of one example.
        *args: arrays, numbers, or pytrees of these: at most 8 arrays of at most 4 axes, with the result's.
        in_axes: as for `jax.vmap`.
        out_axes: as for `jax.vmap`.

    Returns:
        The picture.

    Raises:
        ValueError: an axis is not there, there are too many arrays or axes, or nothing is mapped.

    Example:
        >>> mapped(lambda x, y: x + y, np.ones((5, 4)), 1.0, in_axes=(0, None))
        x has shape (5, 4) and is mapped along axis 0, so one call sees (4,). y has shape () and is shared. There are \
5 calls. One call returns (4,), and the result has shape (5, 4), with the calls along axis 0.
    """
    axes = in_axes if isinstance(in_axes, (tuple, list)) else (in_axes,) * len(args)
    if len(axes) != len(args):
        raise ValueError(f"in_axes has {counted(len(axes), 'entry', 'entries')}, and there are {len(args)} arguments")
    names = list(inspect.signature(function).parameters)
    given = [leaf for part in zip(names, args, axes, strict=False) for leaf in _leaves(*part)]
    lengths = list(dict.fromkeys(leaf.length for leaf in given if leaf.length is not None))
    if not lengths:
        raise ValueError("no argument is mapped: give at least one of them an axis")
    results = _results(function, args, in_axes, out_axes) if len(lengths) == 1 else []
    if len(given) + len(results) > MAX_LEAVES:
        raise ValueError(f"at most {MAX_LEAVES} arrays can be drawn, not {len(given) + len(results)}")
    return _draw(given, results, lengths)


def _leaves(name: str, value: Any, axes: Any) -> list[_Leaf]:
    """The arrays of one value, each with its axis: an axis stands for everything below it."""
    counts = jax.tree.map(
        lambda axis, part: _RepeatedAxis(axis, len(jax.tree.leaves(part))), axes, value, is_leaf=_ends
    )
    every_axis = [axis for part in jax.tree.leaves(counts) for axis in [part.axis] * part.count]
    pairs = zip(jax.tree_util.tree_leaves_with_path(value), every_axis, strict=True)
    return [_Leaf(name + jax.tree_util.keystr(path), np.shape(leaf), axis) for (path, leaf), axis in pairs]


@dataclass(frozen=True)
class _RepeatedAxis:
    """An axis, and how many arrays it stands for."""

    axis: int | None
    count: int


def _ends(node: Any) -> bool:
    """Whether a part of `in_axes` is an axis, and not a structure of them."""
    return node is None


def _results(function: Callable[..., Any], args: Sequence[Any], in_axes: Any, out_axes: Any) -> list[_Leaf]:
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)
    whole = jax.eval_shape(jax.vmap(function, in_axes, out_axes), *args)
    return _leaves("result", whole, out_axes)


def _alt(given: Sequence[_Leaf], results: Sequence[_Leaf], lengths: Sequence[int]) -> str:
    words = []
    for leaf in given:
        shared = f"{leaf.name} has shape {leaf.shape} and is shared."
        split = f"{leaf.name} has shape {leaf.shape} and is mapped along axis {leaf.axis}, so one call sees {leaf.one}."
        words.append(shared if leaf.axis is None else split)
    words.append(_calls(lengths))
    for leaf in results:
        where = "one for all calls" if leaf.axis is None else f"with the calls along axis {leaf.axis}"
        words.append(f"One call returns {leaf.one}, and the {leaf.name} has shape {leaf.shape}, {where}.")
    return " ".join(words)


def _calls(lengths: Sequence[int]) -> str:
    if len(lengths) > 1:
        return f"The mapped axes have lengths {' and '.join(map(str, lengths))}, so vmap refuses."
    return f"There {'is' if lengths[0] == 1 else 'are'} {counted(lengths[0], 'call')}."


def _draw(given: Sequence[_Leaf], results: Sequence[_Leaf], lengths: Sequence[int]) -> Picture:
    sheet = Sheet()
    y = _draw_rows(sheet, 0, given, ("whole arguments", "one call sees"), forward=True)
    y = sheet.paragraph(0, y + 16, _calls(lengths)) + 10
    if results:
        y = _draw_rows(sheet, y + 8, results, ("whole result", "one call returns"), forward=False)
    return sheet.picture(y, _alt(given, results, lengths))


def _draw_rows(sheet: Sheet, y: float, leaves: Sequence[_Leaf], heads: tuple[str, str], *, forward: bool) -> float:
    """Draw arrays under two headings, with arrows from what is whole to one call or back; return the bottom."""
    sheet.faint(0, y + 12, heads[0], "start")
    sheet.faint(_ONE, y + 12, heads[1], "start")
    for row, leaf in enumerate(leaves):
        top = y + 22 + _ROW * row
        sheet.text(0, top + 12, fitting((leaf.name, leaf.name[:30] + "…"), _ONE, 12), 12.0, "start", font_weight="bold")
        sheet.faint(_ONE, top + 12, _note(leaf.axis, forward), "start")
        _draw_shape(sheet, 0, top + 18, leaf.shape, leaf.place)
        _draw_shape(sheet, _ONE, top + 18, leaf.one, None)
        ends = (_width(leaf.shape) + 8, top + 30), (_ONE - 8, top + 30)
        sheet.arrow(*(ends if forward else ends[::-1]))
    return y + 22 + _ROW * len(leaves)


def _note(axis: int | None, forward: bool) -> str:
    """What happens to an argument, or where the calls stand in a result."""
    if axis is None:
        return "shared (None)" if forward else "one for all (None)"
    return f"axis {axis} mapped" if forward else f"calls along axis {axis}"


def _width(shape: Index) -> float:
    return max(1, len(shape)) * (_BOX + _GAP)


def _draw_shape(sheet: Sheet, x: float, y: float, shape: Index, place: int | None) -> None:
    """Draw one box for each axis with its length, the mapped one thick; a number has a faint box."""
    if not shape:
        sheet.rect(x, y, _BOX, 24, stroke_opacity=0.5)
        sheet.text(x + _BOX / 2, y + 16, "()")
    for axis, length in enumerate(shape):
        look = {"stroke": ORANGE, "stroke_width": 3} if axis == place else {}
        sheet.rect(x + axis * (_BOX + _GAP), y, _BOX, 24, **look)
        sheet.text(x + axis * (_BOX + _GAP) + _BOX / 2, y + 16, fitting(spellings_of(length), _BOX, 12))
