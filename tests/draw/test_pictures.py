"""What all pictures have in common, and what they refuse."""

import inspect
import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from drawings import ARRAYS, SVG, grid, parse
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
from numpy.lib.stride_tricks import as_strided

from jaxcourse import draw
from jaxcourse.svg import BLUE, ORANGE, Picture

TREE = ({"a": 1, "a name that is much too long": None},)
AUTO = (AxisType.Auto,) * 2


def processes() -> dict[str, Picture]:
    """Arrays on a line and on a square of devices, dealt out to processes."""
    line, square = jax.make_mesh((8,), ("x",), AUTO[:1]), jax.make_mesh((4, 2), ("x", "y"), AUTO)
    return {
        "rows": draw.processes(NamedSharding(line, P("x")), (16, 24), each=2),
        "columns": draw.processes(NamedSharding(line, P(None, "x")), (16, 24), each=4),
        "blocks": draw.processes(NamedSharding(square, P("y", "x")), (4, 200), each=2),
        "both": draw.processes(NamedSharding(square, P(("x", "y"))), (16, 2)),
        "vector": draw.processes(NamedSharding(line, P("x")), (8,), each=8),
        "copies": draw.processes(NamedSharding(square, P("y")), (1000, 3), each=2),
        "whole": draw.processes(NamedSharding(line, P()), (5, 7)),
    }


PIECES = np.arange(4)[:, None] * 10 + np.arange(4)


def every_picture() -> dict[str, Picture]:
    x = grid()
    pictures = {f"layout-{name}": draw.layout(array()) for name, array in ARRAYS.items()}
    pictures |= {
        "layout-random": draw.layout(np.random.default_rng(0).normal(size=(4, 8))),
        "layout-random-32": draw.layout(np.random.default_rng(0).normal(size=(4, 8)).astype(np.float32)),
        "walk-rows": draw.walk(grid(shape=(8, 8)), "rows"),
        "walk-columns": draw.walk(grid(np.float32, (8, 12)), "columns", cache_lines=2),
        "walk-longest": draw.walk(grid(shape=(16, 8)), "columns"),
        "walk-order": draw.walk(grid(np.int8, (9,)), [0, 3, 3, 8, 0], cache_lines=1),
        "views": draw.views(x, **{"x.T": x.T, "x[::2]": x[::2], "x[[0, 2], ::2]": x[[0, 2], ::2]}),
        "views-dtypes": draw.views(x[0], words=x[0].view(np.int32), bytes=x[0, :2].view(np.uint8)),
        "views-long-strides": draw.views(grid(), v=as_strided(grid(), (1, 1, 1), (-80000, -8000, 123456))),
        "broadcast-outer": draw.broadcast(np.arange(4)[:, None] * 10, np.arange(3)),
        "broadcast-three": draw.broadcast(x, x[0], 2.5),
        "broadcast-wide": draw.broadcast(grid(np.int64, (10, 12)), 1),
        "broadcast-scalars": draw.broadcast(1, 2.0),
        "broadcast-axes": draw.broadcast(np.ones((2, 1, 3, 1, 2)), np.ones((4, 3, 1, 2))),
        "broadcast-clash": draw.broadcast(np.ones((4, 3)), np.ones(4)),
        "mapped-shared": draw.mapped(lambda x, y: x + y, x, x[0], in_axes=(0, None), out_axes=1),
        "mapped-clash": draw.mapped(lambda x, y: x + y, x, x[0]),
        "mapped-tree": draw.mapped(
            lambda p: p["a"] * p["a name that is much too long"],
            {"a": x, "a name that is much too long": 2.0},
            in_axes=TREE,
        ),
        "mapped-largest": draw.mapped(lambda x: [x, x[0]], np.ones((99999, 2, 3, 4)), out_axes=[3, -1]),
        "tape": draw.tape(lambda x, y: x * jnp.sin(x) + y**2 / x, 1.0, 2.0),
        "tape-long-numbers": draw.tape(lambda x: -1.2345678e-12 * jnp.tanh(x) * x**-3 + 1e20, -1.2345e-3),
        **{f"processes-{name}": picture for name, picture in processes().items()},
        "objects": draw.objects([1.5, 2.5, 1, 1, True, 10**30, 2j]),
        "objects-nested": draw.objects([[float(i * j) for i in range(6)] for j in range(4)]),
        "objects-empty": draw.objects([[], [1.0]]),
        "collective-sum": draw.collective(lambda x: x.sum(0) + 0 * x, PIECES, "sum"),
        "collective-gather": draw.collective(lambda x: np.stack([x] * 4), PIECES, "gather"),
        "collective-two": draw.collective(lambda x: x[:, :1], PIECES[:2], "first"),
        "timetable": draw.timetable({"device 0": ["0", "1", ""], "device 1": ["", "0", "1"]}, "A pipeline"),
        "timetable-wide": draw.timetable({f"device {k}": ["multiply", ""] * 7 for k in range(8)}, "Full"),
    }
    return pictures


@pytest.fixture(scope="module")
def pictures() -> dict[str, Picture]:
    return every_picture()


def box_of(text: ET.Element) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a text, for the widest fonts in use."""
    size, x, y = (float(text.get(key, "")) for key in ("font-size", "x", "y"))
    sans = "sans" in text.get("font-family", "")
    width = len(text.text or "") * size * (0.52 if sans else 0.61)
    left = x - width * {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor", "")]
    return left, y - 0.72 * size, left + width, y + 0.12 * size


def test_no_text_overlaps_another_or_leaves_the_picture(pictures: dict[str, Picture]) -> None:
    for name, picture in pictures.items():
        root = parse(picture)
        _, _, width, height = map(float, root.get("viewBox", "").split())
        texts = [(box_of(text), text.text) for text in root.iter(f"{SVG}text")]
        for (left, top, right, bottom), words in texts:
            inside = left >= -1 and right <= width and top >= -1 and bottom <= height
            assert inside, f"{name}: {words!r} leaves the picture: {left, top, right, bottom}"
        for ((l1, t1, r1, b1), one), ((l2, t2, r2, b2), other) in itertools.combinations(texts, 2):
            apart = r1 <= l2 + 0.5 or r2 <= l1 + 0.5 or b1 <= t2 or b2 <= t1
            assert apart, f"{name}: {one!r} overlaps {other!r}"


def test_every_picture_is_readable_and_self_contained(pictures: dict[str, Picture]) -> None:
    for name, picture in pictures.items():
        root = parse(picture)
        assert float(root.get("width", "")) <= 640, name
        assert min(float(text.get("font-size", "")) for text in root.iter(f"{SVG}text")) >= 11, name
        for element in root.iter():
            assert element.get("id") is None, name
            assert element.tag not in (f"{SVG}script", f"{SVG}style", f"{SVG}image", f"{SVG}use"), name
            for paint in ("fill", "stroke"):
                assert element.get(paint) in (None, "none", "currentColor", BLUE, ORANGE), name
        assert "nan" not in re.sub(r">[^<]*<", "", picture.svg), name


def test_the_same_array_gives_the_same_bytes() -> None:
    x, nested = grid(), [[1.5, 2.5], [3.5]]
    assert draw.layout(x) == draw.layout(x)
    assert draw.views(x, t=x.T) == draw.views(x, t=x.T)
    assert draw.walk(x, "rows") == draw.walk(x, "rows")
    assert draw.broadcast(x, x[0]) == draw.broadcast(x, x[0])
    assert draw.objects(nested) == draw.objects(nested)


def test_strange_names_are_escaped() -> None:
    picture = draw.views(grid(), **{"x<1 & 'y'\"": grid()})
    assert "x<1 & 'y'\"" in [text.text for text in parse(picture).iter(f"{SVG}text")]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: draw.views(grid()), "no views to draw"),
        (lambda: draw.views(grid(), view=[1.0]), "a list is not an array"),
        (lambda: draw.views(np.zeros(500), x=np.zeros(2)), "500 elements"),
        (lambda: draw.views(grid(), a_name_too_long=grid()), "'a_name_too_long' is too long to draw: the limit is 14"),
        (lambda: draw.walk(grid(), "diagonal"), "'rows', 'columns' or a sequence of indices, not 'diagonal'"),
        (lambda: draw.walk(grid(), [(0, 0), (3, 0)]), r"visits index \(3, 0\), outside shape \(3, 4\)"),
        (lambda: draw.walk(grid(), [(-4, 0)]), r"visits index \(-4, 0\)"),
        (lambda: draw.walk(grid(), [0, 1]), r"shape \(3, 4\) is a sequence of indices of 2 integers"),
        (lambda: draw.walk(grid(), [(0.5, 1.0)]), "of 2 integers"),
        (lambda: draw.walk(grid(), [(0, 0)] * 129), "1 to 128 visits can be drawn, this one has 129"),
        (lambda: draw.walk(grid(), np.empty((0, 2), int)), "this one has 0"),
        (lambda: draw.walk(np.array(1.0), "rows"), "no axes to walk along"),
        (lambda: draw.walk(grid(), "rows", cache_lines=0), "at least 1 line, not 0"),
        (lambda: draw.fetches(jnp.zeros((2, 2)), "rows"), "a JAX array"),
        (lambda: draw.broadcast(grid()), "2 to 5 arrays, got 1"),
        (lambda: draw.broadcast(*[1] * 6), "2 to 5 arrays, got 6"),
        (lambda: draw.broadcast(grid(), jnp.ones(4)), "a JAX array"),
        (lambda: draw.broadcast(grid(), [1, 2]), "a list is not an array"),
        (lambda: draw.broadcast(np.ones((1,) * 6), 1), "at most 5 axes"),
        (lambda: draw.mapped(abs, grid(), in_axes=None), "no argument is mapped"),
        (lambda: draw.mapped(abs, grid(), in_axes=(0, 0)), "in_axes has 2 entries, and there are 1 arguments"),
        (lambda: draw.mapped(abs, grid(), in_axes=2), r"x has shape \(3, 4\) and no axis 2 to map"),
        (lambda: draw.mapped(abs, np.ones((1,) * 5)), "at most 4 axes can be drawn"),
        (lambda: draw.mapped(lambda x: [x] * 9, grid()), "at most 8 arrays can be drawn, not 10"),
        (lambda: draw.objects(grid()), r"got ndarray\. Draw an array with draw\.layout"),
        (lambda: draw.objects([]), "only numbers are drawn"),
        (lambda: draw.objects([[]]), "only numbers are drawn"),
        (lambda: draw.objects([0.5] * 31), r"31 pointers, the limit is 30. Draw a part, for example x\[:4\]"),
        (lambda: draw.objects([[0.5]] + [[]] * 29), "31 pointers"),
        (lambda: draw.objects([1, [2]]), "mixes lists and other objects"),
        (lambda: draw.objects([[[1]]]), "two deep"),
        (lambda: draw.objects(["a"]), "only numbers"),
        (lambda: draw.collective(lambda x: x, np.zeros((5, 2)), "sum"), r"not the shape \(5, 2\)"),
        (lambda: draw.collective(lambda x: x, np.zeros((2, 5)), "sum"), r"not the shape \(2, 5\)"),
        (lambda: draw.collective(lambda x: x[:1], PIECES, "sum"), r"gave the shape \(1, 4\)"),
        (lambda: draw.collective(lambda x: np.hstack([x, x]), PIECES, "sum"), r"gave the shape \(4, 8\)"),
        (lambda: draw.timetable({}, "Nothing"), "1 to 8 rows"),
        (lambda: draw.timetable({"device 0": ["a"], "device 1": []}, "Uneven"), "the same 1 to 14 steps"),
        (lambda: draw.timetable({"device 0": ["a"] * 15}, "Long"), "the same 1 to 14 steps"),
        (lambda: draw.timetable({"a name too long": ["a"]}, "Name"), "short names"),
    ],
)
def test_the_other_pictures_refuse_with_a_reason(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_every_public_function_is_documented_with_an_example() -> None:
    functions = [function for _, function in inspect.getmembers(draw, inspect.isfunction)]
    public = [function for function in functions if function.__module__.startswith("jaxcourse.draw.")]
    assert {f.__name__ for f in public} == {name for name in draw.__all__ if name[0].islower()} - {"themed"}
    for function in public:
        assert ">>> " in (function.__doc__ or ""), function.__name__
