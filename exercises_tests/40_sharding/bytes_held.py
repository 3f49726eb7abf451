"""bytes-held."""

import math

from jaxcourse.prediction import Mistake, any_of, prediction

from ._lesson import held, parts


def bytes_on_each_device():
    """The counts, from who holds what."""
    axes, shape = {"x": 4, "y": 2}, (16, 32)
    specs = {
        'P("x", None)': ["x"],
        'P(None, "y")': [None, "y"],
        'P("x", "y")': ["x", "y"],
        'P(("x", "y"), None)': [["x", "y"]],
        "P()": [],
    }
    sizes = {
        name: 4 * math.prod(stop - start for start, stop in held(axes, spec, shape)[0][1])
        for name, spec in specs.items()
    }
    return sizes | {'different pieces of P(None, "y")': len(parts(held(axes, [None, "y"], shape)))}


bytes_held = prediction(
    "bytes-held",
    see="a-mesh-names-devices",
    hint=[
        "How many bytes has the whole? An element of `float32` has four.",
        "Divide by the sizes of the mesh axes that the spec names. An axis that it does not name makes copies.",
    ],
    truth=bytes_on_each_device,
    mistakes=[
        Mistake(
            "counted-elements",
            [{'P("x", None)': 128}, {"P()": 512}, {'P("x", "y")': 64}],
            "You gave the number of elements. Each has four bytes.",
        ),
        Mistake(
            "eight-bytes",
            [{"P()": 4096}, {'P("x", None)': 1024, 'P(None, "y")': 2048}],
            "You counted eight bytes for an element. That is a `float64`, and a `float32` has four.",
        ),
        Mistake(
            "always-over-all",
            [{'P("x", None)': 256}, {'P(None, "y")': 256}, {"P()": 256}],
            "You divided by all eight devices. Only the axes that the spec names cut the array. Along the others "
            "each device has a copy.",
        ),
        Mistake(
            "axes-exchanged",
            [{'P("x", None)': 1024}, {'P(None, "y")': 512}],
            "You took `x` for `y`, or `y` for `x`. Four devices lie along `x` and two along `y`, and each name cuts "
            "the axis at which it is written.",
        ),
        Mistake(
            "pieces-are-devices",
            {'different pieces of P(None, "y")': any_of(8, 4)},
            "Devices that differ only along `x` hold the same columns, so there are as many pieces as devices along "
            "`y`.",
        ),
        Mistake(
            "tuple-cuts-once",
            {'P(("x", "y"), None)': any_of(512, 1024, 2048)},
            "A tuple cuts one axis of the array by both axes of the mesh, and so into eight.",
        ),
    ],
    otherwise="Divide 2048 bytes by the number of pieces.",
)
