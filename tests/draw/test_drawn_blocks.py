"""A kernel's blocks as a picture: its words, what they rest on, and that everything is readable."""

import functools
import itertools
import re
import xml.etree.ElementTree as ET

import jax
import numpy as np
import pytest
from drawings import SVG, parse
from kernels import like, plus_one, product, row_totals, smooth, table, three_point
from test_pictures import box_of

from jaxcourse import draw, insides
from jaxcourse.draw._blocks import DESK as TEXT
from jaxcourse.svg import BLUE, ORANGE, VIRTUAL, WIDTH

PRODUCT = product, like((12, 16), "bfloat16"), like((16, 12), "bfloat16"), 4
KERNELS = {
    "product": (*PRODUCT, 17),
    "row-totals": (row_totals, like((10, 14)), 4, 4, 7),
    "turned": (functools.partial(row_totals, turned=True), like((10, 14)), 4, 4, 7),
    "three-point": (three_point, like((26,)), 4, 0),
    "smooth": (smooth, like((3, 10)), 4, 8),
    "outside": (lambda x: plus_one(x, 4, index=lambda i: (i * 4,)), like((12,)), 1),
    "before": (lambda x: plus_one(x, 4, index=lambda i: (i - 1,)), like((12,)), 0),
    "many": (plus_one, like((1000,)), 4, 249),
    "mapped": (jax.vmap(lambda x: plus_one(x, 4)), like((3, 10)), 4),
    "one-step": (table, like((5,)), like((6,)), 0),
}


@pytest.fixture(scope="module")
def pictures():
    drawn = {name: draw.blocks(*call, step=step) for name, (*call, step) in KERNELS.items()}
    return {
        (name, width): ET.fromstring(svg)
        for name, picture in drawn.items()
        for width, svg in ((TEXT, picture.svg), (WIDTH, picture.narrow))
    }


def test_every_drawing_is_readable_and_as_wide_as_the_text_or_a_phone(pictures):
    for (name, width), root in pictures.items():
        _, _, wide, high = map(float, root.get("viewBox").split())
        assert wide == width + 2, name
        texts = [(box_of(text), text.text) for text in root.iter(f"{SVG}text")]
        for (left, top, right, bottom), words in texts:
            assert left >= -1 and right <= wide and top >= -1 and bottom <= high, (name, width, words)
        for ((l1, t1, r1, b1), one), ((l2, t2, r2, b2), other) in itertools.combinations(texts, 2):
            assert r1 <= l2 + 0.5 or r2 <= l1 + 0.5 or b1 <= t2 or b2 <= t1, (name, width, one, other)
        for box in root.iter(f"{SVG}rect"):
            assert -1.1 <= float(box.get("x")) <= wide - float(box.get("width")), (name, width)
        assert min(float(text.get("font-size")) for text in root.iter(f"{SVG}text")) >= 11, name
        for element in root.iter():
            assert element.get("id") is None and element.tag not in (f"{SVG}script", f"{SVG}style"), name
            for paint in ("fill", "stroke"):
                assert element.get(paint) in (None, "none", "currentColor", BLUE, ORANGE), name


def test_the_words_say_the_step():
    said = draw.blocks(*PRODUCT, step=17).alt
    assert said.startswith("Step 17 of 36, counted from 0: program_id (1, 1, 1).")
    assert "a_ref (12, 16): block (1, 1) of (4, 4), fetched now." in said
    assert "o_ref (12, 12): block (1, 1) of (4, 4), result in work." in said
    assert "Fetched now: 64 bytes. Written away now: 0 bytes." in said
    assert "All steps together move 2880 bytes" in said


def test_what_stays_hangs_over_comes_back_or_lies_outside_is_said():
    def words(step, function, *args):
        return draw.blocks(function, *args, step=step).alt

    assert "left (26,): block (0,) of (4,), stays from the step before." in words(1, three_point, like((26,)), 4)
    assert "fetched now, hangs over." in words(7, row_totals, like((10, 14)), 4, 4)
    assert "written away now, comes back." in words(7, row_totals, like((10, 14)), 4, 4, True)
    assert "comes back" not in words(7, row_totals, like((10, 14)), 4, 4)
    assert "lies outside the array." in words(1, *KERNELS["outside"][:-1])


def test_bars_of_the_lanes_are_what_is_moved(pictures):
    call = insides.blocks(*PRODUCT)
    root = pictures["product", TEXT]
    bars = [(path.get("fill"), path.get("d").count("M")) for path in root.iter(f"{SVG}path") if "z" in path.get("d")]
    a, b, out = (int(one.moves.sum()) for one in call.operands)
    assert bars == [(ORANGE, a), (ORANGE, b), ("currentColor", 36), (BLUE, out)]
    assert out == 9


def states(root):
    return [title.text for title in root.iter(f"{SVG}title")]


def test_each_block_of_the_step_is_named_and_what_hangs_over_is_dashed(pictures):
    root = pictures["row-totals", TEXT]
    assert states(root) == ["x_ref: fetched now", "o_ref: result, written away now"]
    dashed = [box for box in root.iter(f"{SVG}rect") if box.get("stroke-dasharray") == VIRTUAL]
    assert len(dashed) == 2  # the block, and the legend's
    assert not re.search(VIRTUAL, draw.blocks(*PRODUCT, step=17).svg)


def test_states_differ_without_colour(pictures):
    """A block that stays is hatched, one that is moved is filled, earlier ones have a sign in their middle."""
    root = pictures["product", TEXT]
    moved, kept = [group for group in root.iter(f"{SVG}g")][1:3]
    assert moved.find(f"{SVG}rect").get("fill") == ORANGE and moved.find(f"{SVG}path") is None
    assert kept.find(f"{SVG}rect").get("fill") == "none" and kept.find(f"{SVG}path") is not None
    of_a, of_b, of_the_legend = 7, 11, 1
    assert len([*root.iter(f"{SVG}circle")]) == of_a + of_b + of_the_legend


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: draw.blocks(plus_one, like((8,)), 4, step=2), "there is no step 2: this kernel has the steps 0 to 1"),
        (lambda: draw.blocks(plus_one, like((8,)), 4, step=-1), "there is no step -1"),
        (lambda: draw.blocks(plus_one, like((257,)), 1), "1 to 256 steps can be drawn, this kernel has 257"),
        (lambda: draw.blocks(plus_one, like((8192,)), 4, steps=3), "x_ref has more than 1024 blocks"),
        (lambda: draw.blocks(lambda x: x + 1, like((8,))), "no `pl.pallas_call`"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_reason(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_the_same_kernel_gives_the_same_bytes():
    assert draw.blocks(*PRODUCT, step=3) == draw.blocks(*PRODUCT, step=3)
    assert parse(draw.blocks(plus_one, np.ones(8, np.float32), 4)) is not None
