"""One array in three forms: bytes in memory, a grid of elements, and shards on devices."""

from __future__ import annotations

import numpy as np
from jax.sharding import PartitionSpec as P

from jaxcourse.play._play import Field, Play, start
from jaxcourse.play._sharding import holders
from jaxcourse.play._words import Array, counted, tuple_of

FIELDS = (
    Field("shape", "shape", "One or two lengths: 4, 4"),
    Field("order", "order in memory", options=("C", "F")),
    Field("devices", "devices", options=("1", "2", "3", "4", "6", "8")),
    Field("axis", "cut along axis", options=("0", "1")),
    Field("element", "element to follow", "Its index, or click it below"),
)
STATE = {"shape": "4, 4", "order": "C", "devices": "2", "axis": "0", "element": "1, 1"}
EXAMPLES = {
    "cut the other axis": STATE | {"axis": "1"},
    "the other order": STATE | {"order": "F"},
    "a line": {"shape": "16", "order": "C", "devices": "4", "axis": "0", "element": "-1"},
    "six devices": {"shape": "4, 6", "order": "F", "devices": "6", "axis": "1", "element": "0, 0"},
}
MOST = 48
"""How many elements have room in the picture."""


def pieces(
    shape: str | None = None,
    *,
    order: str | None = None,
    devices: str | None = None,
    axis: str | None = None,
    element: str | None = None,
) -> Play:
    """Let the reader choose a small array, and see it as bytes in memory, as a grid and as shards.

    Args:
        shape: the shape at the start: one or two lengths.
        order: the order in memory at the start, `"C"` or `"F"`.
        devices: how many devices share the array at the start.
        axis: the axis that is cut at the start.
        element: the index of the element that is marked at the start.

    Returns:
        The picture, to be shown by a notebook. It needs no device.

    Raises:
        ValueError: if NumPy or JAX refuses that start, or the array is too large for the picture.

    Example:
        >>> print(pieces("2, 4", devices="2", axis="1", element="1, 0").says)
        8 float32 numbers of 4 bytes, in C order: the strides are (16, 4). A step along axis 0 skips 16 bytes, a step
        along axis 1 skips 4. Cut along axis 1, each of 2 devices holds a shard of shape (2, 2), 16 bytes, from 2 places
        in memory. Element [1, 0] begins at byte 16 and goes to device 0.
    """
    given = {"shape": shape, "order": order, "devices": devices, "axis": axis, "element": element}
    state = start("pieces", STATE, given)
    question = "One array: bytes in memory, a grid, and shards on devices. Change it."
    return Play("pieces", question, FIELDS, state, pieces_says(**state), EXAMPLES, scripts=("shapes",))


def array_of(shape: str, order: str) -> Array:
    """The array of the picture: 0, 1, 2 and so on, in the order of the index.

    Raises:
        ValueError: if it has no room in the picture.
    """
    lengths = tuple_of(shape)
    x = np.arange(np.prod(lengths, dtype=int), dtype=np.float32).reshape(lengths)
    if not (1 <= x.ndim <= 2 and 1 <= x.size <= MOST):
        raise ValueError(f"{lengths} has no room in the picture: one or two axes, 1 to {MOST} elements")
    return x.copy(order="F" if order == "F" else "C")


def shards_of(x: Array, devices: int, axis: int) -> list[Array]:
    """What each device holds, by JAX itself."""
    spec = P(*[None] * axis, "x")
    found = {device: spans for spans, some in holders(x.shape, {"x": devices}, spec).items() for device in some}
    return [x[tuple(slice(*span) for span in found[device])] for device in range(devices)]


def places(x: Array, shard: Array) -> int:
    """From how many stretches of memory a shard is read.

    Example:
        >>> x = np.arange(6).reshape(2, 3)
        >>> places(x, x[:1]), places(x, x[:, :1])
        (1, 2)
    """
    first = x.__array_interface__["data"][0]
    offset = shard.__array_interface__["data"][0] - first
    starts = np.sort((offset + sum(i * s for i, s in zip(np.indices(shard.shape), shard.strides, strict=True))).ravel())
    return 1 + int((np.diff(starts) != x.itemsize).sum())


def pieces_says(shape: str, order: str, devices: str, axis: str, element: str) -> str:
    """What the picture says, by NumPy and JAX themselves."""
    x = array_of(shape, order)
    shards = shards_of(x, int(devices), int(axis))
    index = tuple_of(element)
    if len(index) != x.ndim:
        raise ValueError(f"{element!r} is not one index for each of {counted(x.ndim, 'axis', 'axes')}")
    followed = x[index]
    index = tuple(i % length for i, length in zip(index, x.shape, strict=True))
    byte = sum(i * stride for i, stride in zip(index, x.strides, strict=True))
    device = next(device for device, shard in enumerate(shards) if followed in shard)
    steps = ", ".join(
        f"a step along axis {axis} skips {stride}" + " bytes" * (axis == 0) for axis, stride in enumerate(x.strides)
    )
    each = "the 1 device" if len(shards) == 1 else f"each of {len(shards)} devices"
    return (
        f"{counted(x.size, 'float32 number')} of 4 bytes, in {order} order: the strides are {x.strides}. "
        f"{steps.capitalize()}. Cut along axis {axis}, {each} holds a shard of shape {shards[0].shape}, "
        f"{shards[0].nbytes} bytes, from {counted(places(x, shards[0]), 'place')} in memory. "
        f"Element {list(index)} begins at byte {byte} and goes to device {device}."
    )
