"""Arrays to draw, and what is in a picture, read back from its SVG."""

import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from jaxcourse import draw
from jaxcourse.svg import Picture

SVG = "{http://www.w3.org/2000/svg}"


WIDTH = 440.0


def grid(dtype: Any = np.float64, shape: tuple[int, ...] = (3, 4)) -> draw.Array:
    return np.arange(np.prod(shape)).astype(dtype).reshape(shape)


def records() -> draw.Array:
    return np.array([(1, 2.5), (3, 4.5)], dtype=[("n", np.int32), ("x", np.float64)])


ARRAYS: dict[str, Callable[[], draw.Array]] = {
    "c-order": lambda: grid(),
    "f-order": lambda: np.asfortranarray(grid()),
    "transposed": lambda: grid().T,
    "row-step": lambda: grid()[::2],
    "column-step": lambda: grid()[:, ::2],
    "one-column": lambda: grid()[:, 1],
    "reversed-rows": lambda: grid()[::-1],
    "reversed-both": lambda: grid()[::-1, ::-1],
    "negative-step": lambda: grid()[::-2, 1:3],
    "view-of-view": lambda: grid(shape=(6, 8))[1:, ::2][::2, ::-1].T,
    "broadcast-row": lambda: np.broadcast_to(grid()[0], (3, 4)),
    "broadcast-column": lambda: np.broadcast_to(grid()[:, :1], (3, 4)),
    "broadcast-scalar": lambda: np.broadcast_to(np.float32(5), (2, 3)),
    "sliding-window": lambda: sliding_window_view(np.arange(6.0), 3),
    "as-strided": lambda: as_strided(np.arange(20), (3, 2), (40, 16)),
    "float32": lambda: grid(np.float32),
    "float16": lambda: grid(np.float16),
    "int16-wide": lambda: grid(np.int16) - np.int16(300),
    "uint8": lambda: grid(np.uint8, (24,)),
    "int8-wide": lambda: grid(np.int8, (8,)) - np.int8(120),
    "bool": lambda: grid(np.uint8, (6,)).astype(bool),
    "complex": lambda: grid(np.complex128, (4,)),
    "big-endian": lambda: grid(np.dtype(">i4")),
    "bfloat16": lambda: grid(jnp.bfloat16),
    "unaligned": lambda: np.frombuffer(bytes(range(67)), np.float64, count=8, offset=3),
    "field": lambda: records()["x"],
    "zero-dimensional": lambda: np.array(3.5),
    "one-element": lambda: grid()[1:2, 2:3],
    "three-axes": lambda: grid(shape=(2, 3, 4)),
    "three-axes-moved": lambda: grid(shape=(2, 3, 4)).transpose(2, 0, 1),
    "far-apart": lambda: grid(shape=(100, 100))[:4, :8],
    "far-apart-and-narrow": lambda: np.zeros((100, 100), np.float32)[30:34, :8],
    "largest": lambda: grid(shape=(16, 8)),
}


names = pytest.mark.parametrize("name", ARRAYS)


def parse(picture: Picture) -> ET.Element:
    return ET.fromstring(picture.svg)


def buffer_start(array: draw.Array) -> int:
    """An own way to the buffer: the outermost array in the chain of bases, however the array points into it."""
    start, link = array.__array_interface__["data"][0], array
    low = np.lib.array_utils.byte_bounds(array)[0]
    while link is not None:
        if isinstance(link, np.ndarray):
            low = min(low, np.lib.array_utils.byte_bounds(link)[0])
        link = getattr(link, "base", None)
    assert low <= start
    return low


def addresses(array: draw.Array) -> dict[tuple[int, ...], int]:
    """Where NumPy itself says that each element lies."""
    return {index: array[(*index, ...)].__array_interface__["data"][0] for index in np.ndindex(array.shape)}


def drawn(picture: Picture, band: str = "") -> list[tuple[int, tuple[int, ...], list[ET.Element], list[str]]]:
    """The elements on the address line in the order of the page: offset, index, boxes, texts."""
    found = []
    for group in parse(picture).iter(f"{SVG}g"):
        if group.get("data-band") == band:
            index = tuple(int(word) for word in re.findall(r"\d+", group.get("data-index", "")))
            texts = [text.text or "" for text in group.iter(f"{SVG}text")]
            found.append((int(group.get("data-offset", "")), index, list(group.iter(f"{SVG}rect")), texts))
    return found


def lines_at(picture: Picture) -> float:
    """Where a drawn cache line starts: the left end of the dotted boxes."""
    dotted = [
        r for r in parse(picture).iter(f"{SVG}rect") if r.get("stroke-dasharray") == "1 4" and r.get("width") != "16"
    ]
    return float(dotted[0].get("x", ""))


def by_offset(cells: list[Any]) -> list[list[Any]]:
    return [list(group) for _, group in itertools.groupby(cells, key=lambda cell: cell[0])]


def random_view(rng: np.random.Generator) -> draw.Array:
    dtype = rng.choice([np.int8, np.int16, np.int32, np.int64, np.float64, np.complex128])
    shape = tuple(rng.integers(1, [4, 6, 8][-rng.integers(1, 4) :]))
    array = np.arange(np.prod(shape)).astype(dtype).reshape(shape, order=rng.choice(["C", "F"]))
    steps = rng.choice([-3, -2, -1, 1, 2, 3], size=array.ndim)
    view = array[tuple(slice(None, None, step) for step in steps)].transpose(rng.permutation(array.ndim))
    return view if rng.random() < 0.8 else np.broadcast_to(view[..., :1], view.shape)


def words_of(picture: Picture) -> list[str]:
    """The words in the drawing and, at the end, its caption."""
    return [*(text.text or "" for text in parse(picture).iter(f"{SVG}text")), picture.caption]
