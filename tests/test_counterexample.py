"""Counterexamples as people read them: few digits, what differs marked, and a call that can be pasted."""

import re
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcourse.counterexample import Example, as_code, number
from jaxcourse.exercise import Diagnosis, agree, differs
from jaxcourse.inputs import Asked
from jaxcourse.markup import as_html, as_text, blocks, spans

THIRD = 1 / 3
MANY = np.linspace(0.1, 0.9, 60)


def shown(got: Any, want: Any, *case: Any, **how: Any) -> str:
    """What is said of a wrong result."""
    with pytest.raises(Diagnosis) as found:
        Asked(lambda *_: got, lambda *_: want, shows="answer({})", **how).require([case or (1,)], "No.")
    return found.value.message


def rows(message: str) -> dict[str, str]:
    """The table of a counterexample: its rows by their names, as plain text."""
    (table,) = [block for block in blocks(message) if block.kind == "table"]
    return {bare(row[0][0]): " ".join(map(bare, row[1])) for row in table.rows}


def bare(line: str) -> str:
    return "".join(span.text + "".join(one.text for one in span.inside) for span in spans(line))


def marks(message: str) -> list[str]:
    """What is marked in it."""
    return [re.sub("<[^>]+>", "", one) for one in re.findall(r"<mark>(.*?)</mark>", as_html(message))]


PAIRS: dict[str, tuple[Any, Any]] = {
    "a number": (4, 5),
    "numbers that agree in ten digits": (THIRD, THIRD + 1e-11),
    "a complex number": (1 + 2j, 1 + 2.00001j),
    "a NaN": (float("nan"), 2.0),
    "a NaN in an array": (np.array([1.0, np.nan]), np.ones(2)),
    "an infinity": (np.array([np.inf, 1]), np.array([-np.inf, 1])),
    "a text": ("columns", "rows"),
    "a long text that differs late": ("a" * 90 + "x", "a" * 90 + "y"),
    "a tuple": ((2, 3), (2, 4)),
    "a tuple of arrays": ((np.ones(2), np.zeros(3)), (np.ones(2), np.array([0, 0, 1e-3]))),
    "a dictionary": ({"a": 1, "b": 2.0}, {"a": 1, "b": 2.5}),
    "a dictionary of other keys": ({"a": 1}, {"b": 1}),
    "a nested dictionary": ({"a": {"b": (1, 2)}}, {"a": {"b": (1, 3)}}),
    "truth": (True, False),
    "a shape": (np.ones((3, 1)), np.ones(3)),
    "a shape without elements": (np.zeros(0), np.zeros((0, 3))),
    "a length": ((1, 2), (1, 2, 3)),
    "a long array": (MANY, np.where(np.arange(60) == 41, MANY + 1e-7, MANY)),
    "a matrix": (np.eye(20), np.diag(np.arange(20.0) != 17)),
    "large whole numbers": (np.array([2**60]), np.array([2**60 + 1])),
    "single precision": (np.float32([0.1]), np.float32([0.1001])),
    "half of it": (jnp.ones(3, jnp.bfloat16), 1.5 * jnp.ones(3, jnp.bfloat16)),
    "a type": ("3", 3.0),
}


@pytest.mark.parametrize("which", [which for which in PAIRS if which != "a type"])
def test_what_differs_is_marked_and_never_looks_equal(which: str) -> None:
    got, want = PAIRS[which]
    message = shown(got, want, rtol=1e-14 if "digits" in which or "long array" in which else None)
    table = rows(message)
    assert list(table)[-2:] == ["wanted", "got"] and table["wanted"] != table["got"]
    assert marks(message), "nothing is marked"
    assert "^" in as_text(message), "in a terminal nothing is marked"


@pytest.mark.parametrize("which", [which for which in PAIRS if which != "a type"])
def test_it_fits_into_a_terminal_and_into_a_report(which: str) -> None:
    got, want = PAIRS[which]
    message = shown(got, want, np.linspace(0, 1, 9).reshape(3, 3) / 3, rtol=1e-14 if "digits" in which else None)
    assert len(message) < 1500
    table = as_text(message).split("```")[0]
    assert all(len(line) < 110 for line in table.splitlines() if "np.array" not in line), table


def test_a_table_of_another_type_is_said() -> None:
    assert "Numbers were expected" in shown("3", 3.0)


def test_four_digits_are_enough_where_they_tell_numbers_apart() -> None:
    table = rows(shown(np.array([2 / 3, 1.5]), np.array([2 / 3, 2.5]), np.array([THIRD, 1e9 * THIRD])))
    assert table == {"_": "[0.3333, 333333333]", "wanted": "[0.6667, 2.5]", "got": "[0.6667, 1.5]"}


def test_inputs_that_are_not_equal_do_not_look_equal() -> None:
    table = rows(shown(0, 1, np.array([1.00001, 1.00002, 1.0]), 1.00002))
    assert table["argument 2" if "argument 2" in table else list(table)[1]] == "1.00002"
    assert list(table.values())[0] == "[1.00001, 1.00002, 1.0]"


def test_what_is_right_up_to_rounding_is_written_as_it_is_wanted() -> None:
    table = rows(shown(np.array([0.1 + 0.2, 1.0]), np.array([0.3, 2.0])))
    assert (table["wanted"], table["got"]) == ("[0.3, 2.0]", "[0.3, 1.0]")


def test_a_long_array_is_cut_around_what_differs() -> None:
    want = np.arange(100.0)
    got = np.where(want == 70, -1, want)
    message = shown(got, want, want)
    assert rows(message)["got"] == "[0.0, …, 69.0, -1.0, 71.0, …, 99.0]"
    assert next(iter(rows(message).values())) == "[0.0, …, 69.0, 70.0, 71.0, …, 99.0]", "its input is cut alike"
    assert "It differs at `[70]`." in message and marks(message) == ["70.0", "-1.0"]


def test_how_many_places_differ_is_said() -> None:
    assert "It differs at `[0, 1]` and at 1 more place." in shown(np.eye(2), np.array([[1, 2], [3, 1]]))
    assert "It differs at `['a'][1]`." in shown({"a": (1, 2)}, {"a": (1, 3)})


def test_shape_and_dtype_are_said_where_they_alone_differ() -> None:
    assert "The shape should be (3,), not (3, 1)." in shown(np.ones((3, 1)), np.ones(3))
    message = shown(np.ones(2, np.float32), np.ones(2), dtype=True)
    assert "The dtype should be float64, not float32." in message and marks(message) == ["as float64", "as float32"]


CODES = [
    np.array([0.1, 1 / 3, np.nan, -np.inf]),
    np.array([[0.1, 2], [3, 4]], np.float32),
    np.arange(6, dtype=np.int8).reshape(2, 3).T,
    np.arange(5.0)[::-1],
    np.arange(6.0).reshape(2, 3)[:, ::-1],
    np.zeros((0, 3)),
    np.array([1 + 2j, complex("nan")]),
    np.array(["a", "b`c"]),
    np.array(["2026-01-01"], "datetime64[D]"),
    np.array([True, False]),
    np.float16(0.1),
    jnp.arange(3.0),
    jnp.ones(2, jnp.bfloat16) / 3,
    (1, "a", None, -2.5),
    (3,),
    {"a": np.ones(2), "b": [1, 2]},
    "a ` text",
    float("inf"),
]


@pytest.mark.parametrize("value", CODES, ids=str)
def test_the_call_is_exact_code(value: Any) -> None:
    made = eval(as_code(value), {"np": np, "jnp": jnp, "jax": jax})
    assert type(made) is type(value) or isinstance(value, jax.Array)
    for one, other in zip(jax.tree.leaves(made), jax.tree.leaves(value), strict=True):
        a, b = np.asarray(one), np.asarray(other)
        assert a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
        assert a.strides == b.strides or b.size < 2


def test_the_call_can_be_pasted() -> None:
    def total(x: np.ndarray, k: int) -> float:
        return k * x.sum()

    with pytest.raises(Diagnosis) as found:
        Asked(lambda x, k: 0.0, total, shows="total({})").require([(np.array([0.1, THIRD]), 3)])
    (code,) = [block.text for block in blocks(found.value.message) if block.kind == "code"]
    *made, call = code.splitlines()
    names = {"np": np, "total": total}
    exec("\n".join(made), names)
    assert eval(call, names) == total(np.array([0.1, THIRD]), 3)


def test_a_key_and_what_is_no_data_are_shown_too() -> None:
    key = jax.random.key(3)
    assert "a key" in rows(shown(1, 2, key)).values()
    assert (jax.random.key_data(eval(as_code(key), {"np": np, "jax": jax})) == jax.random.key_data(key)).all()
    assert as_code(object()) == "" and as_code(np.zeros(1000)) == ""


def test_any_two_numbers_that_differ_are_written_differently() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        a = float(rng.normal() * 10.0 ** rng.integers(-12, 12))
        b = float(np.nextafter(a, np.inf)) if rng.random() < 0.3 else a * (1 + 10.0 ** -rng.integers(1, 15))
        table = rows(shown(b, a, rtol=0.0))
        assert table["wanted"] != table["got"], (a, b)
        assert float(table["wanted"]) == pytest.approx(a, rel=1e-3)
    assert number(0.1 + 0.2) == "0.3"


def test_texts_in_arrays_are_compared() -> None:
    assert agree(np.array(["a"]), np.array(["a"])) and not agree(np.array(["a"]), np.array(["b"]))
    assert differs(np.array([1.0, 2]), np.array([1.0, 3])).tolist() == [False, True]


LONG = [np.full(200_000, "a"), np.zeros((1000, 200)), [[0] * 100] * 2000, [[[1], [2, 3]], [4]] * 50_000]


@pytest.mark.parametrize("got", LONG, ids=["text", "numbers", "lists", "ragged"])
def test_of_what_came_back_only_what_is_shown_is_looked_at(got):
    """It may be as long as it likes: the judge must not count, or write, what nobody sees."""
    seen = []
    sys.setprofile(lambda frame, event, _: seen.append(event) if "call" in event else None)
    try:
        text = str(Example(["x"], [np.ones(2)], np.ones(2), got, [()], "f(x)"))
    finally:
        sys.setprofile(None)
    assert "…" in text and len(text) < 1000
    assert len(seen) < 5_000
