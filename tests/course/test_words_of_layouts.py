"""How lesson 40 says that an array lies otherwise than it should: no number is to be another, and the same."""

import runpy
from pathlib import Path

import pytest

SHARED = runpy.run_path(str(Path(__file__).parents[2] / "exercises_tests" / "40_sharding" / "_lesson.py"))
SHAPE = (16, 8)


def turned(pieces):
    """The same pieces, on the devices in the opposite order."""
    return [[device, ranges] for (device, _), (_, ranges) in zip(pieces, pieces[::-1], strict=True)]


@pytest.mark.parametrize(
    ("axes", "spec", "change", "how"),
    [
        ({"x": 8}, ["x"], lambda pieces: pieces, ""),
        ({"x": 4}, ["x"], lambda pieces: pieces, "few"),
        ({"x": 8}, [], lambda pieces: pieces, "copied"),
        ({"x": 8}, ["x"], turned, "turned"),
        ({"x": 8}, [None, "x"], lambda pieces: pieces, "otherwise"),
        ({"x": 4, "y": 2}, ["x"], lambda pieces: pieces, "pieces"),
    ],
)
def test_a_layout_is_told_by_what_is_other_in_it(axes, spec, change, how):
    pieces = change(SHARED["held"](axes, spec, SHAPE))
    said, facts = SHARED["lying"](pieces, {"x": 8}, ["x"], SHAPE)
    assert said == how
    assert how != "pieces" or facts["few"] != facts["many"]
    assert how != "few" or facts["on"] != facts["of"]


def test_one_device_is_no_devices():
    assert [SHARED["counted"](n) for n in (1, 2)] == ["1 device", "2 devices"]
