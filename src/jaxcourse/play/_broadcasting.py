"""Which shapes broadcast, what they give, and how often each element is used."""

from __future__ import annotations

import math

import numpy as np

from jaxcourse.play._play import Field, Play, start
from jaxcourse.play._words import counted, tuple_of

Shape = tuple[int, ...]

FIELDS = (
    Field("a", "shape of a", "Lengths: 4, 3; a number: ()"),
    Field("b", "shape of b", "Lengths: 4, 3; a number: ()"),
    Field("c", "shape of c", "Nothing, or a third shape"),
)
STATE = {"a": "4, 1", "b": "3", "c": ""}
EXAMPLES = {
    "matrix and row": {"a": "4, 3", "b": "3", "c": ""},
    "forgotten axis": {"a": "4, 3", "b": "4", "c": ""},
    "all pairs": {"a": "100, 1, 3", "b": "200, 3", "c": ""},
    "three": {"a": "5, 1, 1", "b": "6, 1", "c": "7"},
    "no element": {"a": "4, 1", "b": "0", "c": ""},
}


def broadcasting(a: str | None = None, b: str | None = None, c: str | None = None) -> Play:
    """Let the reader choose two or three shapes, and see whether they broadcast and to what.

    Args:
        a: the first shape at the start, such as `"4, 1"`.
        b: the second shape at the start.
        c: the third shape at the start; an empty text is none.

    Returns:
        The picture, to be shown by a notebook.

    Example:
        >>> print(broadcasting("2, 1", "3").says)
        a (2, 1), b (3,) give (2, 3), 6 elements. a is stretched along axis -1: each element is used 3 times.
        b is stretched along axis -2: each element is used 2 times.
    """
    state = start("broadcasting", STATE, {"a": a, "b": b, "c": c})
    question = "Choose shapes, and see whether they broadcast."
    says = broadcasting_says(**state)
    return Play("broadcasting", question, FIELDS, state, says, EXAMPLES, scripts=("shapes",))


def broadcasting_says(a: str, b: str, c: str) -> str:
    """What the picture says, by NumPy itself."""
    shapes = {name: tuple_of(text) for name, text in {"a": a, "b": b, "c": c}.items() if text.strip() or name != "c"}
    written = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
    for shape in shapes.values():
        np.broadcast_shapes(shape)  # refuses what is no shape
    try:
        result = np.broadcast_shapes(*shapes.values())
    except ValueError:
        return f"{written} do not broadcast: {_conflicts(shapes)}. Lengths must be equal, or 1."
    words = [f"{written} give {result}, {counted(math.prod(result), 'element')}."]
    return " ".join([*words, *(_stretch(name, shape, result) for name, shape in shapes.items())])


def _conflicts(shapes: dict[str, Shape]) -> str:
    """The axes, counted from the last, on which NumPy refuses the lengths by themselves."""
    found = []
    for axis in range(-max(map(len, shapes.values())), 0):
        lengths = {name: shape[axis] for name, shape in shapes.items() if len(shape) >= -axis}
        try:
            np.broadcast_shapes(*((length,) for length in lengths.values()))
        except ValueError:
            given = ", ".join(f"{length} in {name}" for name, length in lengths.items())
            found.append(f"axis {axis} has {given}")
    return "; ".join(found)


def _stretch(name: str, shape: Shape, result: Shape) -> str:
    """Along which axes an array is read again and again, and how often each element."""
    padded = (1,) * (len(result) - len(shape)) + shape
    pairs = enumerate(zip(padded, result, strict=True))
    axes = [axis - len(result) for axis, (length, wanted) in pairs if length == 1 != wanted]
    if not axes:
        return f"{name} is used as it is."
    along = f"{'axes' if len(axes) > 1 else 'axis'} {', '.join(map(str, axes))}"
    if not math.prod(result):
        return f"{name} is stretched along {along}."
    times = math.prod(result) // math.prod(shape)
    return f"{name} is stretched along {along}: each element is used {counted(times, 'time')}."
