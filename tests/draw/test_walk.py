"""Walks against a cache in its plainest form."""

import itertools
import re

import numpy as np
import pytest
from drawings import SVG, drawn, grid, parse, random_view

from jaxcourse import draw
from jaxcourse.svg import RUNNING, WIDTH


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


def test_the_marks_of_a_walk_are_explained_within_the_picture_in_any_font():
    whole = np.zeros(200)
    for array in (whole[3:131:2].reshape(8, 8), whole[:128].reshape(16, 8)[:8]):
        said = r'<text x="([\d.]+)" [^>]*text-anchor="start" font-family="system-ui[^>]*>([^<]*)<'
        words = re.findall(said, draw.walk(array, "rows").svg)
        assert "fetches a cache line" in [text for _, text in words]
        assert all(float(x) + 12 * RUNNING * len(text) <= WIDTH for x, text in words), words
