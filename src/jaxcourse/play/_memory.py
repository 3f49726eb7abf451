"""Where the elements of an expression lie: strides, bytes, view or copy, cache lines."""

from __future__ import annotations

import numpy as np

from jaxcourse.draw import LINE_BYTES
from jaxcourse.play._play import Field, Play, start
from jaxcourse.play._words import Array, counted, evaluated, tuple_of

DTYPES = (
    "bool", "int8", "uint8", "int16", "float16", "int32", "uint32", "float32",
    "int64", "float64", "complex64", "complex128",
)  # fmt: skip
FIELDS = (
    Field("shape", "shape of x", "Lengths, such as 3, 4"),
    Field("dtype", "dtype", options=DTYPES),
    Field("order", "order", options=("C", "F")),
    Field("view", "expression", "x with slices, numbers, None, ..., .T, .reshape(2, -1), .ravel(), .copy()", wide=True),
)
STATE = {"shape": "3, 8", "dtype": "float64", "order": "C", "view": "x[::2, 1:7]"}
EXAMPLES = {
    "transpose": {"view": "x.T"},
    "column": {"shape": "6, 8", "view": "x[:, 2]"},
    "backwards": {"shape": "3, 8", "view": "x[::-1, ::-2]"},
    "F order": {"shape": "4, 6", "order": "F", "view": "x[1]"},
    "reshape a view": {"shape": "4, 6", "order": "C", "view": "x[:, ::2].reshape(12)"},
    "reshape a copy": {"shape": "4, 6", "order": "C", "view": "x.T.reshape(24)"},
    "small numbers": {"shape": "16, 16", "dtype": "int8", "order": "C", "view": "x[:, 3]"},
}


def memory(
    view: str | None = None, *, shape: str | None = None, dtype: str | None = None, order: str | None = None
) -> Play:
    """Let the reader choose an array and an expression of it, and see which bytes the expression uses.

    The array `x` counts its elements in C order and is taken to begin at the beginning of a cache line.

    Args:
        view: the expression at the start, such as `"x[::2, 1:]"`.
        shape: the shape of `x` at the start, such as `"3, 4"`.
        dtype: the dtype of `x` at the start.
        order: the order of `x` at the start, `"C"` or `"F"`.

    Returns:
        The picture, to be shown by a notebook.

    Raises:
        ValueError: if NumPy refuses that start.

    Example:
        >>> print(memory("x.T", shape="2, 3", dtype="int32").says)
        x has strides (12, 4) and fills 24 bytes on 1 cache line. x.T is a view: shape (3, 2), strides (4, 12).
        It begins at byte 0 of x. It has 6 elements of 4 bytes, on 1 cache line. It is contiguous in F order.
    """
    state = start("memory", STATE, {"view": view, "shape": shape, "dtype": dtype, "order": order})
    return Play(
        "memory",
        "Choose an array and an expression, and see which bytes it uses.",
        FIELDS,
        state,
        memory_says(**state),
        EXAMPLES,
        scripts=("shapes", "arrays"),
    )


def numbered_array(shape: str, dtype: str, order: str) -> tuple[Array, Array]:
    """An array of some dtype, and one of the same layout in bytes whose elements say where they lie in it."""
    lengths = tuple_of(shape)
    x = np.empty(lengths, dtype, order="F" if order == "F" else "C")
    places = np.arange(x.size).reshape(lengths, order="F" if order == "F" else "C")
    return x, places


def offset_of(array: Array, owner: Array) -> int:
    """How far behind the first byte of an array another one begins."""
    return int(array.__array_interface__["data"][0] - owner.__array_interface__["data"][0])


def lines(places: Array, itemsize: int) -> str:
    """On how many cache lines elements lie, by their places in a block that begins with a line."""
    return counted(len(np.unique(places * itemsize // LINE_BYTES)), "cache line")


def memory_says(shape: str, dtype: str, order: str, view: str) -> str:
    """What the picture says, by NumPy itself."""
    x, places = numbered_array(shape, dtype, order)
    array, read = evaluated(view, x), np.asarray(evaluated(view, places))
    filled = lines(np.arange(x.size), x.itemsize)
    words = [f"x has strides {x.strides} and fills {counted(x.nbytes, 'byte')} on {filled}."]
    if not x.size:  # NumPy's versions differ about its strides, and nothing follows from them
        words = ["x holds no element."]
    name = view.strip()
    if isinstance(array, np.generic):
        return f"{words[0]} {name} is a single number, a copy that shares no memory with x."
    if not array.size:
        return f"{words[0]} {name} holds no element: shape {array.shape}."
    words.append(f"{name} {kind_of(array, x)}: shape {array.shape}, strides {array.strides}.")
    size = counted(array.size, "element") + " of " + counted(x.itemsize, "byte")
    if np.shares_memory(array, x):
        words.append(f"It begins at byte {offset_of(array, x)} of x. It has {size}, on {lines(read, x.itemsize)}.")
    else:
        own = lines(np.arange(array.size), x.itemsize)
        words.append(f"NumPy reads {size} from {lines(read, x.itemsize)} of x and writes a block of {own}.")
    return " ".join([*words, contiguity(array)])


def kind_of(array: Array, x: Array) -> str:
    """What an array has to do with x."""
    if array is x:
        return "is x itself"
    return "is a view" if np.shares_memory(array, x) else "is a copy"


def contiguity(array: Array) -> str:
    """In which orders the elements lie one after the other."""
    if array.flags.c_contiguous and array.flags.f_contiguous:
        return "It is contiguous in C and in F order."
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return f"It is contiguous in {'C' if array.flags.c_contiguous else 'F'} order."
    return "It is not contiguous."
