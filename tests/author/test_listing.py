"""The listing of what a verdict asks: every feature of an input is named, and what never occurs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from toy import toy

from jaxcourse import cli
from jaxcourse.exercise import Exercise
from jaxcourse.inputs import layouts
from jaxcourse_author.listing import ArgumentValues, arguments_of, layout_of, listing

__all__ = ["toy"]


def seen(*values):
    one = ArgumentValues()
    for value in values:
        one.add(value)
    return one


@pytest.mark.parametrize(
    ("array", "features"),
    [
        (np.zeros((0, 3)), {"empty"}),
        (np.array([-1.0, 0.0, 2.0]), {"negative", "zero", "sorted"}),
        (np.array([2.0, 1.0, 1.0]), {"tie", "unsorted"}),
        (np.array([[1.0, np.nan], [np.inf, 2.0]]), {"NaN", "infinity", "sorted"}),
        (np.array([[3], [1]], np.uint8), {"length 1", "unsorted"}),
        (np.array([True, False]), {"zero", "unsorted"}),
        (np.array([1 + 1j, 2 - 1j]), {"negative", "tie", "unsorted"}),
        (np.array(["a", "b"]), set()),
        (np.array([1, 2], "datetime64[s]"), set()),
        (jnp.array([1.5, jnp.nan], jnp.bfloat16), {"NaN"}),
        (jnp.array([3, 1], jnp.int32), {"unsorted"}),
    ],
)
def test_what_an_array_has(array, features):
    assert seen(array).has == features


def test_layouts_are_told_apart():
    for name, view in layouts(np.arange(24.0).reshape(2, 3, 4)).items():
        want = {"read-only": "C order", "transposed": "Fortran order"}.get(name, name)
        assert layout_of(view) == want
    assert "read-only" in seen(layouts(np.ones(3))["read-only"]).has


def test_shapes_dtypes_and_range_are_gathered():
    one = seen(np.array([1.0, -4.0]), np.array([[9]], np.int32), jnp.ones(2))
    assert set(one.shapes) == {(2,), (1, 1)} and one.dtypes == {"float64", "int32", "float32 in JAX"}
    assert (one.low, one.high) == (-4, 9)
    assert "a second shape" not in one.never() and "NaN" in one.never()
    text = "\n".join(one.lines())
    assert "shapes   (1,1), (2,)" in text and "range    -4 to 9" in text


def test_keys_containers_and_texts_pass():
    one = seen([jax.random.key(0), ("a", None)], {"k": 3})
    assert one.dtypes == {"key<fry> in JAX"} and list(one.numbers) == ["3"] and one.others == {"'a'", "NoneType"}


def test_one_number_is_named():
    assert seen(3, 3).never() == ["a second number"] and seen(3, 4).never() == []


def test_views_are_seen_as_they_arrive():
    task = Exercise("f", lambda answer, rng: answer(np.arange(6.0)[::-1], axis=0))
    found = arguments_of(task, lambda x, axis: x, seeds=[0])
    assert found["call, argument 1"].layouts == {"backwards"}
    assert list(found["call, argument axis"].numbers) == ["0"]


def test_a_value_is_asked_for_nothing():
    assert "Nothing is asked." in "\n".join(listing(Exercise("v", lambda answer, rng: None), 3))


def test_the_command(toy, capsys):
    assert cli.main(["--course", str(toy), "check", "--inputs", "double-it"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("double-it, 5 seeds\n  call, argument 1, 10 times\n    shapes   (3,)")
    assert "never    a second shape, a second dtype" in told
    assert cli.main(["--course", str(toy), "check", "--inputs", "double-its"]) == 2
    assert "Did you mean 'double-it'?" in capsys.readouterr().err
