"""Every picture against what NumPy and the interpreter say about the same objects."""

import inspect
import itertools
import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from jaxcourse import draw
from jaxcourse._picture import Picture

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


def by_offset(cells: list[Any]) -> list[list[Any]]:
    return [list(group) for _, group in itertools.groupby(cells, key=lambda cell: cell[0])]


@names
def test_memory_is_drawn_where_numpy_says(name: str) -> None:
    array = ARRAYS[name]()
    check_memory(array, draw.layout(array))


def random_view(rng: np.random.Generator) -> draw.Array:
    dtype = rng.choice([np.int8, np.int16, np.int32, np.int64, np.float64, np.complex128])
    shape = tuple(rng.integers(1, [4, 6, 8][-rng.integers(1, 4) :]))
    array = np.arange(np.prod(shape)).astype(dtype).reshape(shape, order=rng.choice(["C", "F"]))
    steps = rng.choice([-3, -2, -1, 1, 2, 3], size=array.ndim)
    view = array[tuple(slice(None, None, step) for step in steps)].transpose(rng.permutation(array.ndim))
    return view if rng.random() < 0.8 else np.broadcast_to(view[..., :1], view.shape)


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
    low, high = buffer_start(array), max(np.lib.array_utils.byte_bounds(a)[1] for a in (array, draw._owner(array)))
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


# --- what all pictures have in common --------------------------------------------------------------


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
        "objects": draw.objects([1.5, 2.5, 1, 1, True, 10**30, 2j]),
        "objects-nested": draw.objects([[float(i * j) for i in range(6)] for j in range(4)]),
        "objects-empty": draw.objects([[], [1.0]]),
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
                assert element.get(paint) in (None, "none", "currentColor", "#3b82c4", "#c2703d"), name
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


# --- refusals --------------------------------------------------------------------------------------


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
        (as_strided(np.zeros(9), (4,), (4,)), r"overlap in part \(strides \(4,\)\)"),
        (jnp.zeros(3), r"a jax array has no strides.*np\.asarray\(x\)"),
        ([1.0, 2.0], r"a list is no array.*draw\.objects\(x\)"),
        ((1.0, 2.0), r"a tuple is no array.*np\.asarray\(x\)"),
        (3.0, "got float"),
    ],
)
def test_layout_refuses_with_a_reason(array: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        draw.layout(array)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: draw.views(grid()), "no views to draw"),
        (lambda: draw.views(grid(), view=[1.0]), "a list is no array"),
        (lambda: draw.views(np.zeros(500), x=np.zeros(2)), "500 elements"),
        (lambda: draw.views(grid(), a_name_too_long=grid()), "'a_name_too_long' is too long to draw: the limit is 14"),
        (lambda: draw.walk(grid(), "diagonal"), "'rows', 'columns' or a sequence of indices, not 'diagonal'"),
        (lambda: draw.walk(grid(), [(0, 0), (3, 0)]), r"visits index \(3, 0\), outside of shape \(3, 4\)"),
        (lambda: draw.walk(grid(), [(-4, 0)]), r"visits index \(-4, 0\)"),
        (lambda: draw.walk(grid(), [0, 1]), r"shape \(3, 4\) is a sequence of indices of 2 integers"),
        (lambda: draw.walk(grid(), [(0.5, 1.0)]), "of 2 integers"),
        (lambda: draw.walk(grid(), [(0, 0)] * 129), "1 to 128 visits can be drawn, this one has 129"),
        (lambda: draw.walk(grid(), np.empty((0, 2), int)), "this one has 0"),
        (lambda: draw.walk(np.array(1.0), "rows"), "no axes to walk along"),
        (lambda: draw.walk(grid(), "rows", cache_lines=0), "at least 1 line, not 0"),
        (lambda: draw.fetches(jnp.zeros((2, 2)), "rows"), "a jax array"),
        (lambda: draw.broadcast(grid()), "2 to 5 arrays, got 1"),
        (lambda: draw.broadcast(*[1] * 6), "2 to 5 arrays, got 6"),
        (lambda: draw.broadcast(grid(), jnp.ones(4)), "a jax array"),
        (lambda: draw.broadcast(grid(), [1, 2]), "a list is no array"),
        (lambda: draw.broadcast(np.ones((1,) * 6), 1), "at most 5 axes"),
        (lambda: draw.objects(grid()), r"got ndarray\. Draw an array with draw\.layout"),
        (lambda: draw.objects([]), "only numbers are drawn"),
        (lambda: draw.objects([[]]), "only numbers are drawn"),
        (lambda: draw.objects([0.5] * 31), r"31 pointers, the limit is 30. Draw a part, for example x\[:4\]"),
        (lambda: draw.objects([[0.5]] + [[]] * 29), "31 pointers"),
        (lambda: draw.objects([1, [2]]), "mixes lists and other objects"),
        (lambda: draw.objects([[[1]]]), "two deep"),
        (lambda: draw.objects(["a"]), "only numbers"),
    ],
)
def test_the_other_pictures_refuse_with_a_reason(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("array", [np.zeros(10**6), np.zeros((10**3, 10**3)), np.zeros((100, 100, 100))])
def test_the_advice_of_a_refusal_works(array: draw.Array) -> None:
    with pytest.raises(ValueError) as refusal:
        draw.layout(array)
    part = str(refusal.value).split("for example ")[1].rstrip(".")
    draw.layout(eval(part, {"x": array}))


# --- walks -----------------------------------------------------------------------------------------


def oracle(array: draw.Array, visits: list[tuple[int, ...]], cache_lines: int) -> list[set[int]]:
    """The model in its plainest form: walk byte by byte, keep a list of lines, newest last."""
    cache: list[int] = []
    fetched = []
    for index in visits:
        start = array[(*index, ...)].__array_interface__["data"][0]
        missed = set()
        for byte in range(start, start + array.itemsize):
            if byte // 64 in cache:
                cache.remove(byte // 64)
            else:
                missed.add(byte // 64)
            cache = [*cache, byte // 64][-cache_lines:]
        fetched.append(missed)
    return fetched


@pytest.mark.parametrize("seed", range(40))
def test_fetches_agree_with_a_byte_by_byte_cache(seed: int) -> None:
    rng = np.random.default_rng(seed)
    array = random_view(rng)
    cache_lines = int(rng.integers(1, 6))
    rows = list(np.ndindex(array.shape))
    columns = [index[::-1] for index in np.ndindex(array.shape[::-1])]
    some = [rows[k] for k in rng.integers(0, len(rows), size=30)]
    for order, visits in (("rows", rows), ("columns", columns), (some, some)):
        expected = sum(map(len, oracle(array, visits, cache_lines)))
        assert draw.fetches(array, order, cache_lines) == expected


@pytest.mark.parametrize("cache_lines", [1, 2, 3])
def test_fetches_of_elements_across_two_lines(cache_lines: int) -> None:
    raw = np.zeros(1024, np.uint8)
    array = raw[3:].view()[: 8 * 60].view(np.float64)
    visits = [(i,) for i in [*range(60), *range(59, -1, -1)]]
    expected = sum(map(len, oracle(array, visits, cache_lines)))
    assert draw.fetches(array, [i for (i,) in visits], cache_lines) == expected


def test_negative_indices_count_from_the_end() -> None:
    array = grid(shape=(8, 8))
    visits = [(7, 7), (-1, -1), (0, 3), (-8, -5)]
    assert draw.fetches(array, visits, 1) == sum(map(len, oracle(array, visits, 1))) == 2


def test_walk_numbers_the_visits_and_marks_the_fetches() -> None:
    array = grid(shape=(8, 8))
    for order in ("rows", "columns"):
        picture = draw.walk(array, order)
        visits = list(np.ndindex(8, 8)) if order == "rows" else [(i, j) for j in range(8) for i in range(8)]
        fetched = oracle(array, visits, 4)
        cells = drawn(picture)
        assert {index: int(texts[0]) for _, index, _, texts in cells} == {v: k for k, v in enumerate(visits)}
        marked = {index for _, index, rects, _ in cells if len(rects) > 1}
        assert marked == {visit for visit, lines in zip(visits, fetched, strict=True) if lines}
        squares = [r for r in parse(picture).iter(f"{SVG}rect") if r.get("width") == r.get("height") == "10"]
        assert [square.get("fill") != "none" for square in squares] == [bool(lines) for lines in fetched]
        count = sum(map(len, fetched))
        assert f"64 visits, {count} fetches. Of {64 * count} bytes fetched, 512 are used" in picture.alt
        assert f"{512 / 64 / count:.3g} used per fetched byte" in picture.alt


def test_walk_says_how_often_each_line_is_fetched() -> None:
    array = grid(shape=(8, 8))
    words = [text.text or "" for text in parse(draw.walk(array, "columns")).iter(f"{SVG}text")]
    counts = [int(word.split()[0]) for word in words if re.fullmatch(r"\d+ fetch(es)?", word)]
    fetched = oracle(array, [(i, j) for j in range(8) for i in range(8)], 4)
    lines = sorted(itertools.chain(*fetched))
    assert counts == [len(list(group)) for _, group in itertools.groupby(lines)]


def test_walk_lists_repeated_visits_and_takes_negative_indices() -> None:
    cells = drawn(draw.walk(np.arange(3.0), [0, -1, 0]))
    assert [texts for *_, texts in cells] == [["0 2"], [], ["1"]]


# --- views -----------------------------------------------------------------------------------------


def test_views_number_the_elements_that_they_touch() -> None:
    x = grid()
    views = {"t": x.T, "step": x[::2], "back": x[::-1, 1], "row": np.broadcast_to(x[1], (2, 4))}
    picture = draw.views(x, **views)
    start = buffer_start(x)
    for name, view in views.items():
        expected: dict[int, list[int]] = {}
        for position, address in enumerate(addresses(view).values()):
            expected.setdefault(address - start, []).append(position)
        shown = {offset: [int(word) for word in texts[0].split()] for offset, _, _, texts in drawn(picture, name)}
        assert shown == expected
        assert f"{name} touches {len(expected)} elements, at bytes {min(expected)}" in picture.alt


def test_views_call_a_copy_a_copy_and_a_disjoint_view_a_view() -> None:
    x = grid()
    picture = draw.views(x[::2], other=x[1::2], copy=x[::2].copy(), fancy=x[[0, 2]])
    own = [text.text for text in parse(picture).iter(f"{SVG}text") if "own memory" in (text.text or "")]
    assert own == ["own memory: 64 bytes somewhere else"] * 2
    assert len(drawn(picture, "other")) == 4
    assert picture.alt.endswith("copy has its own memory. fancy has its own memory.")


def test_views_through_another_dtype_lie_below_the_bytes_they_read() -> None:
    x = np.arange(2.0)
    picture = draw.views(x, halves=x.view(np.float32))
    for offset, _, (rect,), _ in drawn(picture, "halves"):
        (above,) = [r for o, _, (r,), _ in drawn(picture, "base") if o == offset // 8 * 8]
        shift = float(above.get("width", "")) / 2 * (offset % 8 != 0)
        assert float(rect.get("x", "")) == pytest.approx(float(above.get("x", "")) + shift, abs=0.1)


# --- broadcasting ----------------------------------------------------------------------------------


def words_of(picture: Picture) -> list[str]:
    return [text.text or "" for text in parse(picture).iter(f"{SVG}text")]


@pytest.mark.parametrize("seed", range(60))
def test_broadcast_agrees_with_numpy_on_random_shapes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shapes = [tuple(rng.choice([1, 2, 3, 3], size=rng.integers(0, 4)).tolist()) for _ in range(rng.integers(2, 4))]
    arrays = [np.zeros(shape) for shape in shapes]
    picture = draw.broadcast(*arrays)
    try:
        result = np.broadcast_shapes(*shapes)
    except ValueError:
        assert "do not broadcast" in picture.alt
        assert "clash" in words_of(picture)
        return
    assert picture.alt.startswith(f"Shapes {' and '.join(map(str, shapes))} broadcast to {result}.")
    spoken = picture.svg.replace("\xa0", " ")
    for array in arrays:
        assert str(np.broadcast_to(array, result).strides) in " ".join(words_of(picture)).replace("\xa0", " "), spoken


def test_broadcast_draws_the_repeated_cells_dashed_and_the_sum() -> None:
    column, row = np.array([[0], [10], [20], [30]]), np.array([1, 2, 3])
    cells: dict[str, dict[str, bool]] = {"a": {}, "b": {}, "result": {}}
    for group in parse(draw.broadcast(column, row)).iter(f"{SVG}g"):
        title, rect = group.findtext(f"{SVG}title"), group.find(f"{SVG}rect")
        assert title is not None and rect is not None
        cells[title.split("[")[0]][title] = rect.get("stroke-dasharray") is not None
    subscripts = list(np.ndindex(4, 3))
    assert cells["a"] == {f"a[{i}, {j}] is {10 * i}": j > 0 for i, j in subscripts}
    assert cells["b"] == {f"b[{i}, {j}] is {j + 1}": i > 0 for i, j in subscripts}
    assert cells["result"] == {f"result[{i}, {j}] is {10 * i + j + 1}": False for i, j in subscripts}


@pytest.mark.parametrize(
    ("shapes", "alt"),
    [
        (((4, 1), (3,)), "Shapes (4, 1) and (3,) broadcast to (4, 3). a is repeated along axis -1. "
                         "b is repeated along axis -2."),
        (((2, 3), ()), "Shapes (2, 3) and () broadcast to (2, 3). a is used as it is. "
                       "b is repeated along axis -2 and axis -1."),
        (((4, 3), (4,)), "Shapes (4, 3) and (4,) do not broadcast: on axis -1 the lengths 3 and 4 differ and "
                         "none of them is 1."),
        (((2, 3), (4, 5), (1, 1)), "Shapes (2, 3) and (4, 5) and (1, 1) do not broadcast: on axis -2 the lengths "
                                   "2 and 4 differ and none of them is 1; on axis -1 the lengths 3 and 5 differ "
                                   "and none of them is 1."),
    ],
)  # fmt: skip
def test_broadcast_alt_texts(shapes: tuple[tuple[int, ...], ...], alt: str) -> None:
    assert draw.broadcast(*[np.ones(shape) for shape in shapes]).alt == alt


def test_broadcast_table_shows_the_rule() -> None:
    words = words_of(draw.broadcast(np.ones((3, 1, 4)), np.ones((2, 1))))
    assert words[: words.index("a")] == [
        "axis -3",
        "3",
        "1→3",
        "3",
        "axis -2",
        "1→2",
        "2",
        "2",
        "axis -1",
        "4",
        "1→4",
        "4",
    ]
    assert "Its cells are not drawn" in " ".join(words)


def test_broadcast_table_dashes_the_axes_that_a_shape_does_not_have() -> None:
    rects = [r for r in parse(draw.broadcast(np.ones((3, 1, 4)), np.ones((2, 1)))).iter(f"{SVG}rect")]
    assert [rect.get("stroke-dasharray") is not None for rect in rects] == [False, True, *[False] * 4]


# --- lists -----------------------------------------------------------------------------------------


def objects_of(picture: Picture) -> list[int]:
    return [int(group.get("data-id", "")) for group in parse(picture).iter(f"{SVG}g") if group.get("data-id")]


def pointers_of(picture: Picture) -> list[int]:
    groups = parse(picture).iter(f"{SVG}g")
    return [int(group.get("data-pointer", "")) for group in groups if group.get("data-pointer")]


@pytest.mark.parametrize(
    "nested",
    [
        [0.5, 1.5, 2.5],
        [1, 1.0, 1, True, 10**20],
        [[1.5, 2.5], [3.5], []],
        [[0.5] * 3] * 2,
        list(np.arange(3.0)),
    ],
)
def test_objects_are_drawn_once_by_address_with_an_arrow_for_each_pointer(nested: list[Any]) -> None:
    picture = draw.objects(nested)
    inner = list({id(v): v for v in nested if isinstance(v, list)}.values())
    leaves = [leaf for values in inner for leaf in values] if inner else nested
    assert objects_of(picture) == sorted({id(leaf) for leaf in leaves})
    assert sorted(pointers_of(picture)) == sorted([*map(id, nested), *(map(id, leaves) if inner else [])])
    assert "Gaps are not to scale." in " ".join(words_of(picture))


def test_arrows_end_at_the_objects_that_they_point_to() -> None:
    picture = draw.objects([3.25, 1.25, 2.25])
    root = parse(picture)
    tops = {g.get("data-id"): g.find(f"{SVG}rect") for g in root.iter(f"{SVG}g") if g.get("data-id")}
    for group in root.iter(f"{SVG}g"):
        if group.get("data-pointer"):
            rect, path = tops[group.get("data-pointer")], group.find(f"{SVG}path")
            assert rect is not None and path is not None
            x, y = map(float, path.get("d", "").split()[-2:])
            assert x == pytest.approx(float(rect.get("x", "")), abs=0.1)
            assert y == pytest.approx(float(rect.get("y", "")) + float(rect.get("height", "")) / 2, abs=0.1)


def test_objects_count_the_bytes() -> None:
    shared = 0.5
    nested = [[shared, 1.5], [2.5, shared]]
    lists = sum(map(sys.getsizeof, [nested, *nested]))
    floats = 3 * sys.getsizeof(0.5)
    assert draw.objects(nested).alt == (
        f"3 lists with 6 pointers to 3 objects: {lists} bytes of lists with their pointers, {floats} bytes of "
        f"objects, {lists + floats} together. An array keeps 4 numbers of float64 in a row: 32 bytes."
    )


def test_gaps_between_objects_are_their_distance() -> None:
    values = sorted([0.5, 1.5, 2.5, 3.5], key=id)
    gaps = [id(b) - id(a) - sys.getsizeof(a) for a, b in itertools.pairwise(values)]
    words = words_of(draw.objects(values))
    assert [w for w in words if w.startswith("⋮")] == [f"⋮ {draw._bytes_words(gap)}" for gap in gaps if gap]


# --- the module ------------------------------------------------------------------------------------


def test_every_public_function_is_documented_with_an_example() -> None:
    public = [
        f for n, f in inspect.getmembers(draw, inspect.isfunction) if f.__module__ == draw.__name__ and n[0] != "_"
    ]
    assert {f.__name__ for f in public} == {"broadcast", "fetches", "layout", "objects", "views", "walk"}
    for function in public:
        assert ">>> " in (function.__doc__ or ""), function.__name__


def test_a_masked_array_is_refused():
    with pytest.raises(ValueError, match="two arrays"):
        draw.layout(np.ma.masked_array([1, 2], [True, False]))
