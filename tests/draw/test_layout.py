"""An array drawn twice, against what NumPy says about the same array."""

import re
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from drawings import (
    ARRAYS,
    SVG,
    WIDTH,
    addresses,
    buffer_start,
    by_offset,
    drawn,
    grid,
    lines_at,
    names,
    parse,
    random_view,
    records,
)
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from jaxcourse import draw
from jaxcourse.draw._elements import owner_of
from jaxcourse.svg import Picture


def check_memory(array: draw.Array, picture: Picture) -> None:
    """Each stored element is drawn once, at its real address modulo the row, ascending, with its value."""
    low, where = buffer_start(array), addresses(array)
    cells = drawn(picture)
    offsets = [offset for offset, *_ in cells]
    assert offsets == sorted(offsets)
    assert set(offsets) == {address - low for address in where.values()}
    left = lines_at(picture)
    widths = [sum(float(r.get("width", "")) for *_, rects, _ in g for r in rects) for g in by_offset(cells)]
    assert widths == pytest.approx([widths[0]] * len(widths), abs=0.02)
    row = round((WIDTH - left) / widths[0] * array.itemsize)
    assert row in (8, 16, 32, 64)
    scale = (WIDTH - left) / row
    for offset, index, rects, _ in cells:
        assert where[index] == low + offset
        x = float(rects[0].get("x", "")) - left
        at_start_of_row = x < 0.1 and (low + offset) % row + array.itemsize > row
        assert at_start_of_row or x == pytest.approx((low + offset) % row * scale, abs=0.02)


@names
def test_memory_is_drawn_where_numpy_says(name: str) -> None:
    array = ARRAYS[name]()
    check_memory(array, draw.layout(array))


@pytest.mark.parametrize("seed", range(60))
def test_random_views_are_drawn_where_numpy_says(seed: int) -> None:
    array = random_view(np.random.default_rng(seed))
    picture = draw.layout(array)
    check_memory(array, picture)
    check_grid(array, picture)
    check_bonds(array, picture)


def check_grid(array: draw.Array, picture: Picture) -> None:
    """The grid names the value and the offset of every index, and is dashed where an address comes again."""
    low, where = buffer_start(array), addresses(array)
    boxes = [g for g in parse(picture).iter(f"{SVG}g") if g.get("data-offset") is None]
    titles = [box.findtext(f"{SVG}title") for box in boxes]
    subscripts = [", ".join(map(str, index)) or "()" for index in where]
    expected = [f"x[{s}] is {array[i]}, byte {where[i] - low}" for s, i in zip(subscripts, where, strict=True)]
    assert titles == expected
    seen: set[int] = set()
    for box, address in zip(boxes, where.values(), strict=True):
        rect = box.find(f"{SVG}rect")
        assert rect is not None
        assert (rect.get("stroke-dasharray") is not None) == (address in seen)
        seen.add(address)


@names
def test_grid_shows_every_index(name: str) -> None:
    array = ARRAYS[name]()
    check_grid(array, draw.layout(array))


def check_bonds(array: draw.Array, picture: Picture) -> None:
    """An arrow for each pair of neighbours in the grid whose bytes follow each other."""
    where = addresses(array)
    first = {address: index for index, address in reversed(where.items())}
    expected = 0
    for index, address in where.items():
        after = first.get(address + array.itemsize)
        if first[address] == index and after is not None:
            steps = np.abs(np.subtract(after, index))
            same_strip = array.ndim != 1 or index[0] // 8 == after[0] // 8
            expected += same_strip and steps.sum() == 1 and not steps[:-2].any()
    assert len(list(parse(picture).iter(f"{SVG}polygon"))) == expected


@names
def test_arrows_lead_to_the_next_bytes(name: str) -> None:
    array = ARRAYS[name]()
    check_bonds(array, draw.layout(array))


@names
def test_skipped_bytes_of_the_buffer_are_hatched(name: str) -> None:
    array = ARRAYS[name]()
    root = parse(draw.layout(array))
    words = [text.text for text in root.iter(f"{SVG}text")]
    low, high = buffer_start(array), max(np.lib.array_utils.byte_bounds(a)[1] for a in (array, owner_of(array)))
    skipped = high - low > len(set(addresses(array).values())) * array.itemsize
    assert ("skipped" in words) == skipped
    assert ("outside the buffer" in words) == bool(low % 64 or high % 64)


def test_hatching_covers_exactly_the_skipped_bytes() -> None:
    picture = draw.layout(grid()[:, 1])
    left = lines_at(picture)
    scale = (WIDTH - left) / 64
    covered = 0.0
    for path in parse(picture).iter(f"{SVG}path"):
        if path.get("stroke-opacity") == "0.45":
            xs = [float(x) for x in re.findall(r"[ML](-?[\d.]+) ", path.get("d", ""))]
            covered += max(xs) - min(xs) if max(xs) - min(xs) > 16 else 0
    # 12 elements, 3 of them drawn. A diagonal ends up to 6 pixels before the end of its box.
    assert covered == pytest.approx(9 * 8 * scale, abs=6 * 5)


@pytest.mark.parametrize(
    ("value", "dtype", "words"),
    [
        (3.5, np.float64, "3.5"),
        (1 / 3, np.float64, "0.333"),
        (-123456.7, np.float64, "-1.2e5"),
        (1000.5, np.float64, "1000.5"),
        (0.1, np.float32, "0.1"),
        (1e-30, np.float64, "1e-30"),
        (1234567, np.int64, "1.2e6"),
        (-0.25, np.float32, "-0.25"),
        (True, np.bool_, "True"),
        (1.5 - 2j, np.complex128, "1.5-2j"),
        (np.nan, np.float64, "nan"),
    ],
)
def test_values_are_written_as_exactly_as_they_fit(value: Any, dtype: Any, words: str) -> None:
    ((*_, texts),) = drawn(draw.layout(np.array([value], dtype=dtype)))
    assert texts[0] == words


def test_an_element_across_two_lines_has_its_value_in_the_larger_part() -> None:
    """Whatever the address of the bytes, two of the nine offsets make an element straddle a line unevenly."""
    raw = bytes(200)
    for offset in range(9):
        array = np.frombuffer(raw, np.float64, count=16, offset=offset)
        parts = by_offset(drawn(draw.layout(array)))
        assert len(parts) == 16
        for part in parts:
            widths = [float(rects[0].get("width", "")) for *_, rects, _ in part]
            shown = [texts for *_, texts in part]
            assert sum(map(bool, shown)) == 1
            assert shown[widths.index(max(widths))]


def test_rows_outside_of_the_buffer_are_thin() -> None:
    rects = parse(draw.layout(np.zeros(1, np.uint8))).iter(f"{SVG}rect")
    dotted = [
        float(r.get("height", "")) for r in rects if r.get("stroke-dasharray") == "1 4" and r.get("width") != "16"
    ]
    assert len(set(dotted)) == 2
    assert dotted.count(min(dotted)) == len(dotted) - 1


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (grid(), "Array of shape (3, 4), float64, C order: memory holds row 0, then row 1, then row 2, in"),
        (grid().T, "shape (4, 3), float64, F order: memory holds column 0, then column 1, then column 2, in"),
        (grid()[::-1], "not contiguous: memory holds row 2, then row 1, then row 0, in"),
        (grid()[:, ::-1], "not contiguous: memory holds row 0, then row 1, then row 2, in"),
        (grid()[:, 1], "element 0, then element 1, then element 2, in"),
        (grid()[:, 1], "; 72 of the 96 bytes of the buffer are skipped."),
        (np.arange(9), "C order and F order: memory holds element 0, then element 1, and so on to element 8, in"),
        (np.broadcast_to(grid()[:, :1], (3, 2)), "; repeated along axis 1 without being stored again"),
        (np.broadcast_to(np.float64(1), (2, 2)), "; repeated along axis 0 and axis 1 without being stored again."),
        (grid(shape=(2, 3, 4)), "C order: memory holds slice 0, then slice 1, in"),
        (sliding_window_view(np.arange(3.0), 2), "not contiguous: memory holds [0, 0], then [0, 1], then [1, 1], in"),
        (sliding_window_view(np.arange(3.0), 2), "bytes; several indices lead to the same element."),
        (np.array(1.0), "memory holds one element, in 1 cache line of 64 bytes."),
    ],
)
def test_alt_text_says_in_which_order_memory_holds_the_elements(array: draw.Array, words: str) -> None:
    picture = draw.layout(array)
    assert words in picture.alt
    lines = {(a + b) // 64 for a in addresses(array).values() for b in range(array.itemsize)}
    assert f", in {len(lines)} cache line" in picture.alt


def test_facts_beside_the_grid_are_those_of_the_array() -> None:
    base = np.arange(24.0).reshape(4, 6)
    words = [text.text for text in parse(draw.layout(base[1:, 2:4])).iter(f"{SVG}text")]
    expected = ["(3, 2)", "float64", "8 bytes", "(48, 8) bytes", "byte 64", "not contiguous", "view of shape (24,)"]
    facts = ["shape", "dtype", "itemsize", "strides", "start", "order", "memory"]
    assert [words[words.index(name) + 1] for name in facts] == expected
    assert "owns its buffer" in draw.layout(base.copy()).svg
    assert "view of bytes" in draw.layout(ARRAYS["unaligned"]()).svg


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros(129), r"129 elements, the limit is 128\. Draw a part, for example x\[:16\]"),
        (np.zeros((100, 100)), r"10000 elements.*x\[:4, :8\]"),
        (np.broadcast_to(1.0, (10**6, 10**6)), "1000000000000 elements"),
        (np.zeros((9, 13)), "13 columns, the limit is 12"),
        (np.zeros((17, 2)), "17 rows, the limit is 16"),
        (np.zeros((2, 17, 2)), r"17 rows.*x\[:2, :3, :3\]"),
        (np.zeros((100, 100))[:, 0][:30], "cache lines, the limit is 20"),
        (np.zeros((1, 1, 1, 1)), r"at most 3 axes.*this array has 4.*x\[0\]"),
        (np.zeros((0, 3)), r"shape \(0, 3\) has no elements"),
        (np.array([1, None]), r"draw\.objects\(x\.tolist\(\)\)"),
        (records(), r"one field at a time, for example x\['n'\]"),
        (np.array(["a"]), "only numbers are drawn, not dtype <U1"),
        (np.array(["2020"], "M8[D]"), "only numbers are drawn"),
        (np.zeros(2, "V4"), "only numbers are drawn"),
        (as_strided(np.zeros(9), (4,), (4,)), r"partly overlap \(strides \(4,\)\)"),
        (jnp.zeros(3), r"a JAX array has no strides.*np\.asarray\(x\)"),
        ([1.0, 2.0], r"a list is not an array.*draw\.objects\(x\)"),
        ((1.0, 2.0), r"a tuple is not an array.*np\.asarray\(x\)"),
        (3.0, "got float"),
    ],
)
def test_layout_refuses_with_a_reason(array: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        draw.layout(array)


@pytest.mark.parametrize("array", [np.zeros(10**6), np.zeros((10**3, 10**3)), np.zeros((100, 100, 100))])
def test_the_advice_of_a_refusal_works(array: draw.Array) -> None:
    with pytest.raises(ValueError) as refusal:
        draw.layout(array)
    part = str(refusal.value).split("for example ")[1].rstrip(".")
    draw.layout(eval(part, {"x": array}))


def test_a_masked_array_is_refused():
    with pytest.raises(ValueError, match="two arrays"):
        draw.layout(np.ma.masked_array([1, 2], [True, False]))
