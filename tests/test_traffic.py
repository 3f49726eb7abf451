"""What an expression moves through memory, counted and drawn."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcourse import traffic

N = 1000
X = np.ones(N, np.float32)
ARRAY = 4 * N


def quadratic(a, b, c):
    return (-b + jnp.sqrt(b**2 - 4 * a * c)) / (2 * a)


def two_results(x, y):
    return x + y, x - y


def standardise(x):
    return (x - x.mean()) / x.std()


def long_chain(x):
    for _ in range(60):
        x = x + jnp.sin(x)
    return x


# function, number of arguments: loops, arrays moved one by one, fused loops, arrays moved fused, temporaries
COUNTS: dict[str, tuple[Callable[..., Any], int, tuple[int, float, int, float, int]]] = {
    "quadratic": (quadratic, 3, (9, 22, 1, 4, 8)),
    "polynomial": (lambda x, y: 2 * x * y + 3 * y + 1, 2, (5, 12, 1, 3, 4)),
    "jitted": (jax.jit(quadratic), 3, (9, 22, 1, 4, 8)),
    "a sum": (lambda x: x.sum(), 1, (1, 1, 1, 1, 0)),
    "a mean costs a sum": (lambda x: x.mean(), 1, (1, 1, 1, 1, 0)),
    "distance": (lambda x, y: ((x - y) ** 2).sum(), 2, (3, 6, 1, 2, 2)),
    "same array twice": (lambda x: x * x, 1, (1, 2, 1, 2, 0)),
    "argument not read": (lambda x, y: x + 1, 2, (1, 2, 1, 2, 0)),
    "two results": (two_results, 2, (2, 6, 1, 4, 0)),
    "a result read again": (lambda x: (x + 1, (x + 1) * 2), 1, (3, 6, 1, 3, 1)),
    "a mask of bytes": (lambda x: jnp.where(x > 0, x, 0.0), 1, (2, 1.25 + 2.25, 1, 2, 1)),
    "waits for a reduction": (lambda x: x / x.max(), 1, (2, 3, 2, 3, 1)),
    "waits twice": (standardise, 1, (7, 11, 3, 4, 6)),
    "a view": (lambda x: x.reshape(10, -1).T * 2, 1, (1, 2, 1, 2, 0)),
    "a custom rule inside": (jax.nn.relu, 1, (1, 2, 1, 2, 0)),
    "called twice": (lambda x: jnp.clip(jnp.clip(x, 0, 2), 0, 1), 1, (4, 8, 1, 2, 3)),
    "a captured array": (lambda x: x + jnp.asarray(X), 1, (1, 3, 1, 3, 0)),
    "long": (long_chain, 1, (120, 60 * 5, 1, 2, 119)),
}


@pytest.mark.parametrize("name", COUNTS)
def test_loops_and_bytes_are_counted(name: str) -> None:
    function, arity, want = COUNTS[name]
    found = traffic.count(function, *[X] * arity)
    loops = len(found.one_by_one), found.bytes_one_by_one / ARRAY, len(found.fused), found.bytes_fused / ARRAY
    assert (*loops, found.temporaries) == want


def test_a_broadcast_moves_what_is_stored() -> None:
    found = traffic.count(lambda x, y: x[:, None] - y[None, :], X, X)
    assert found.bytes_one_by_one == found.bytes_fused == 2 * ARRAY + N * ARRAY


def test_every_loop_says_what_it_reads_and_writes() -> None:
    found = traffic.count(lambda x, scale: (x - x.max()) * scale, X, X)
    flow = [([n for n, _ in loop.reads], [n for n, _ in loop.writes]) for loop in found.one_by_one]
    assert flow == [(["x"], ["t1"]), (["x", "t1"], ["t2"]), (["t2", "scale"], ["result"])]
    flow = [([n for n, _ in loop.reads], [n for n, _ in loop.writes]) for loop in found.fused]
    assert flow == [(["x"], ["t1"]), (["x", "scale", "t1"], ["result"])]


def test_single_numbers_cost_nothing() -> None:
    found = traffic.count(lambda x, k: (k + 1) * x, X, np.float32(3))
    assert [loop.operation for loop in found.one_by_one] == ["mul"]
    assert found.bytes_one_by_one == 2 * ARRAY


def test_a_function_called_again_forgets_its_arguments() -> None:
    add = jax.jit(lambda a, b: a + b)
    found = traffic.count(lambda x, k: add(x, k) * add(x, np.float32(2)), X, np.float32(3))
    reads = [[name for name, _ in loop.reads] for loop in found.one_by_one]
    assert reads == [["x", "k"], ["x"], ["t1", "t2"]]


def test_arrays_in_an_argument_get_numbers() -> None:
    found = traffic.count(lambda pair: pair[0] + pair[1], (X, X))
    assert [name for name, _ in found.fused[0].reads] == ["pair0", "pair1"]


def test_what_is_counted_fused_is_what_the_compiler_touches() -> None:
    found = traffic.count(quadratic, X, X, X)
    memory = jax.jit(quadratic).lower(X, X, X).compile().memory_analysis()
    assert memory.temp_size_in_bytes == 0
    assert memory.argument_size_in_bytes + memory.output_size_in_bytes == found.bytes_fused


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: traffic.count(lambda x: jnp.outer(x, x) @ x, X), "dot_general is not a single pass"),
        (lambda: traffic.count(jnp.sort, X), "sort is not a single pass"),
        (lambda: traffic.count(lambda x: np.sin(x), X), "without NumPy's functions"),
        (lambda: traffic.count(lambda x: x if x[0] > 0 else -x, X), "without decisions on values"),
        (lambda: traffic.count(lambda x: x.reshape(10, 100), X), "makes no pass over an array"),
        (lambda: traffic.count(lambda x: 2 * x, 3.0), "makes no pass over an array"),
        (lambda: traffic.count(lambda x: 2 * x, X.astype(np.float64)), r"pass x.astype\(np.float32\)"),
        (lambda: traffic.draw(long_chain, X), "120 operations are too many to draw: at most 24"),
    ],
)
def test_refusals_say_what_to_do(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(TypeError, match=r"got ndarray: pass f, x, not f\(x\)"):
        traffic.count(2 * X)  # type: ignore[arg-type]


# -- the picture ------------------------------------------------------------------------------------------------


def bars(svg: str) -> list[list[tuple[float, bool]]]:
    """The widths of the boxes of each row, which follow each other, and whether they are filled."""
    rows: dict[float, list[tuple[float, bool]]] = {}
    ends: dict[float, float] = {}
    for box in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}rect"):
        x, y, width = (float(box.attrib[name]) for name in ("x", "y", "width"))
        rows.setdefault(y, []).append((width, box.attrib["fill"] != "none"))
        assert abs(x - ends.get(y, x)) < 0.1
        ends[y] = x + width
    assert max(ends.values()) <= float(ET.fromstring(svg).attrib["width"])
    return list(rows.values())


def test_bars_are_as_long_as_their_bytes() -> None:
    *loops, before, after = bars(traffic.draw(quadratic, X, X, X).svg)
    found = traffic.count(quadratic, X, X, X)
    lengths = [sum(width for width, _ in row) for row in loops]
    assert np.allclose(
        np.divide(lengths, lengths[-1]), [loop.nbytes / (4 * ARRAY) for loop in [*found.one_by_one, *found.fused]]
    )
    assert np.isclose(after[0][0] / before[0][0], 4 / 22, rtol=1e-3)


def test_what_is_written_is_filled_and_comes_last() -> None:
    neg, _, _, product, *_ = bars(traffic.draw(quadratic, X, X, X).svg)
    assert [filled for _, filled in neg] == [False, True]
    assert [filled for _, filled in product] == [False, False, True]


def test_alt_text_tells_loops_and_totals() -> None:
    alt = traffic.draw(lambda x, y: x * y + 1, X, X).alt
    assert alt == (
        "Memory traffic one by one: mul reads x and y and writes t1; add reads t1 and writes result. "
        "Fused: loop 1 reads x and y and writes result. "
        "2 loops move 20 kB, with 1 temporary. Fused, 1 loop moves 12 kB: less by a factor of 1.67."
    )


def test_the_picture_fits_and_stands_alone() -> None:
    def many(a_long_name, another_long_name, the_third_long_name):
        return jnp.where(a_long_name > 0, another_long_name, the_third_long_name).astype(jnp.int32)

    picture = traffic.draw(many, X, X, X)
    assert picture.svg == traffic.draw(many, X, X, X).svg
    assert not re.search(r'\bid="|https?://(?!www\.w3\.org/2000/svg)|<script|url\(', picture.svg)
    root = ET.fromstring(picture.svg)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for text in root.iter("{http://www.w3.org/2000/svg}text"):
        x, y, words = float(text.attrib["x"]), float(text.attrib["y"]), text.text or ""
        reach = len(words) * float(text.attrib["font-size"]) * (0.52 if "sans" in text.get("font-family", "") else 0.61)
        end = x + reach if text.attrib["text-anchor"] == "start" else x
        assert end <= width, words
        assert 0 <= y <= height, words
