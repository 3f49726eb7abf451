"""Collectives, drawn: who needs whom is found by running, and the numbers are those of the run."""

import numpy as np
import pytest
from drawings import SVG, parse, words_of

from jaxcourse import draw

PIECES = np.arange(3)[:, None] * 10 + np.arange(3)


def arrows_of(picture):
    titles = [group.findtext(f"{SVG}title") or "" for group in parse(picture).iter(f"{SVG}g")]
    words = [title.split() for title in titles if title.startswith("from device")]
    return sorted((int(source), int(target)) for _, _, source, _, _, target in words)


def everybody(x):
    return np.broadcast_to(x.max(axis=0), x.shape)


@pytest.mark.parametrize(
    ("run", "arrows"),
    [
        (lambda x: x + 1, [(0, 0), (1, 1), (2, 2)]),
        (lambda x: np.roll(x, 1, axis=0), [(0, 1), (1, 2), (2, 0)]),
        (everybody, [(i, j) for i in range(3) for j in range(3)]),
        (lambda x: 0 * x, []),
    ],
)
def test_arrows_are_found_by_running(run, arrows):
    assert arrows_of(draw.collective(run, PIECES, "c")) == arrows


def test_only_a_message_to_another_device_is_drawn_solid():
    picture = draw.collective(everybody, PIECES, "pmax")
    dashed = [path.get("stroke-dasharray") is not None for path in parse(picture).iter(f"{SVG}path")]
    assert dashed == [i == j for j in range(3) for i in range(3)]


def test_the_numbers_of_the_run_are_in_the_boxes_and_in_the_alt_text():
    picture = draw.collective(lambda x: x.T, PIECES, "all_to_all")
    words = words_of(picture)
    assert [word for word in words if word.isdigit()] == [str(n) for block in (PIECES, PIECES.T) for n in block.flat]
    assert "Device 1 has 10, 11, 12, then 1, 11, 21, which needs devices 0 and 2." in picture.alt


def test_a_block_of_rows_is_drawn_by_rows():
    picture = draw.collective(lambda x: np.stack([x] * 3), PIECES, "all_gather")
    assert "then 0, 1, 2; 10, 11, 12; 20, 21, 22, which" in picture.alt


def test_waiting_is_hatched_and_said():
    picture = draw.timetable({"device 0": ["a", ""], "device 1": ["", ""]}, "Two")
    assert picture.alt == "Two. device 0: a, waits. device 1: waits, waits."
    assert len(list(parse(picture).iter(f"{SVG}path"))) == 3


def test_words_that_do_not_fit_are_cut():
    words = words_of(draw.timetable({"device 0": ["multiply"] * 14}, "Long"))
    assert words.count("mul") == 14
