"""The record of how often `before` was right: kept as data, and read again as it was."""

from pathlib import Path

import jax
import pytest

from jaxcourse_author import foretold
from jaxcourse_author.foretold import Judged, Record

MACHINE = {"processor": "abacus", "on": "2026-11-30"}
RECORD = Record(
    MACHINE,
    (
        Judged("inside", 1e-3, 4e-3, 3e-3),
        Judged("above", 1e-3, 4e-3, 5e-3),
        Judged("far below", 1e-3, 4e-3, 1e-4),
        Judged("not said", None, None, 1e-3, "callback"),
    ),
)


def test_a_record_says_how_often_the_ranges_held():
    assert RECORD.sentence.startswith(
        "Of 4 functions, 1 took what was said, 2 were within 3 times the middle of the range, and 2 within 10 times."
    )
    assert "the upper end of a range is 4 times the lower one" in RECORD.sentence


def test_a_record_shows_where_each_lies():
    shown = str(RECORD)
    assert "1.25 times above" in shown and "10 times below" in shown and "not judged" in shown
    assert shown.index("far below") < shown.index("above ") and "processor abacus" in shown


def test_a_record_is_kept_as_it_was(tmp_path):
    foretold.write(RECORD, tmp_path / "record.json")
    assert foretold.read(tmp_path / "record.json") == RECORD


def test_thirty_functions_each_with_a_name_of_its_own():
    assert len(foretold.CASES) == len({case.name for case in foretold.CASES}) == 30


@pytest.mark.parametrize("case", foretold.CASES, ids=lambda case: case.name)
def test_each_function_has_a_shape_here(case):
    with jax.numpy_rank_promotion("allow"), jax.numpy_dtype_promotion("standard"):
        function, args = case.make()
        assert jax.tree.leaves(jax.eval_shape(function, *args))


def test_the_page_has_a_record_of_them():
    record = foretold.read(Path(__file__).parents[2] / "book" / "before.json")
    assert {one.name for one in record.judged} == {case.name for case in foretold.CASES}
    assert {"jax", "jaxlib", "Python", "cores", "on"} <= set(record.machine)
