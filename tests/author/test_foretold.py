"""The record of how often `before` was right: kept as data, and read again as it was."""

from pathlib import Path

import jax
import pytest

from jaxcourse_author import foretold
from jaxcourse_author.foretold import Forecast, Record, Records

PAGE = Path(__file__).parents[2] / "book" / "before.json"
MACHINE = {"processor": "abacus", "jax": "0.10.2", "on": "2026-11-30"}
RECORD = Record(
    MACHINE,
    (
        Forecast("inside", 1e-3, 4e-3, 3e-3),
        Forecast("above", 1e-3, 4e-3, 5e-3),
        Forecast("far below", 1e-3, 4e-3, 1e-4),
        Forecast("not said", None, None, 1e-3, "callback"),
    ),
)


OTHER = Record(MACHINE | {"jax": "0.12.0"}, (Forecast("above", 1e-3, 4e-3, 3e-3),))


def test_a_record_says_how_often_the_ranges_held():
    assert (RECORD.hits, RECORD.within(3), RECORD.within(10), RECORD.width) == (1, 2, 2, pytest.approx(4))
    shown = str(Records((RECORD, OTHER)))
    assert "1 of 4" in shown and "1 of 1" in shown and "JAX 0.12.0: processor abacus" in shown


def test_a_record_shows_where_each_lies():
    shown = str(Records((RECORD,)))
    assert "1.25 times above" in shown and "10 times below" in shown and "not judged" in shown
    assert shown.index("far below") < shown.index("above ")


def test_another_stack_stands_beside_the_first():
    table = Records((RECORD, OTHER))._each()
    assert table.head[-1] == "with JAX 0.12.0"
    assert {row[0]: row[-1] for row in table.rows} == {"inside": "", "above": "inside", "far below": "", "not said": ""}


def test_a_record_is_kept_as_it_was_in_the_place_of_its_stack(tmp_path):
    path = tmp_path / "record.json"
    foretold.write(RECORD, path)
    foretold.write(OTHER, path)
    newer = Record(MACHINE | {"on": "2026-12-01"}, RECORD.judged)
    foretold.write(newer, path)
    assert foretold.read(path) == Records((newer, OTHER))


def test_thirty_functions_each_with_a_name_of_its_own():
    assert len(foretold.CASES) == len({case.name for case in foretold.CASES}) == 30


@pytest.mark.parametrize("case", foretold.CASES, ids=lambda case: case.name)
def test_each_function_has_a_shape_here(case):
    with jax.numpy_rank_promotion("allow"), jax.numpy_dtype_promotion("standard"):
        function, args = case.make()
        assert jax.tree.leaves(jax.eval_shape(function, *args))


@pytest.mark.parametrize("record", foretold.read(PAGE).records, ids=lambda record: record.stack)
def test_the_page_has_a_record_of_them(record):
    assert {one.name for one in record.judged} == {case.name for case in foretold.CASES}
    assert {"jax", "jaxlib", "Python", "cores", "on"} <= set(record.machine)


def test_the_page_begins_with_the_stack_of_the_course():
    pins = (PAGE.parents[1] / "requirements.txt").read_text(encoding="utf-8")
    assert f"jax=={foretold.read(PAGE).records[0].machine['jax']}" in pins
