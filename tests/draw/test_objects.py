"""Lists and their objects, against what the interpreter says about them."""

import itertools
import sys
from typing import Any

import numpy as np
import pytest
from drawings import SVG, parse, words_of

from jaxcourse import draw
from jaxcourse.draw._objects import _bytes_words
from jaxcourse.svg import Picture


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
        f"3 lists with 6 pointers, and 3 objects: {lists} bytes of lists with their pointers, {floats} bytes of "
        f"objects, {lists + floats} together. An array keeps 4 numbers of float64 one after the other: 32 bytes."
    )


def test_gaps_between_objects_are_their_distance() -> None:
    values = sorted([0.5, 1.5, 2.5, 3.5], key=id)
    gaps = [id(b) - id(a) - sys.getsizeof(a) for a, b in itertools.pairwise(values)]
    words = words_of(draw.objects(values))
    assert [w for w in words if w.startswith("⋮")] == [f"⋮ {_bytes_words(gap)}" for gap in gaps if gap]
