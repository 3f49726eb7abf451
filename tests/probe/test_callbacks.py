"""A program that calls Python is noted wherever a program is looked at, and refused once the check has passed."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import io_callback

from jaxcourse import insides, probe
from jaxcourse.exercise import Exercise, expect, judge

X = np.linspace(0.0, 1.0, 3, dtype=np.float32)
LIKE = jax.ShapeDtypeStruct((3,), np.float32)


def in_numpy(x: Any) -> Any:
    return jax.pure_callback(lambda x: np.sin(x), LIKE, x)


def with_effects(x: Any) -> Any:
    return io_callback(lambda x: np.sin(x), LIKE, x)


def told(x: Any) -> Any:
    jax.debug.callback(lambda x: None, x)
    return jnp.sin(x)


def in_a_loop(x: Any) -> Any:
    return jax.lax.fori_loop(0, 1, lambda i, x: in_numpy(x), x)


CALLING = {in_numpy: "pure_callback", with_effects: "io_callback", told: "debug_callback", in_a_loop: "pure_callback"}


def walked(student_function: Any, x: Any) -> int:
    """A question of a check's own, which walks the program itself."""
    return len(insides.read(student_function, x).everything)


ASKED = {
    "the primitives": (probe.primitives, (X,)),
    "the compiled program": (probe.program, (X,)),
    "the program on a mesh": (probe.partitioned, (probe.placing({"x": 1}, ["x"]), X)),
    "a check's own walk": (walked, (X,)),
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("answer", CALLING, ids=lambda answer: answer.__name__)
def test_a_callback_is_noted_whoever_looks(answer: Any, asked: str) -> None:
    question, args = ASKED[asked]
    assert probe.local_channel(answer)(question, *args).callbacks == (CALLING[answer],)
    assert probe.local_channel(jnp.sin)(question, *args).callbacks == ()


def test_where_no_program_is_asked_for_nothing_is_noted() -> None:
    assert probe.local_channel(in_numpy)(probe.call, X).callbacks == ()


def test_a_key_that_is_drawn_from_outside_is_noted() -> None:
    def draws(key: Any) -> Any:
        return jax.pure_callback(lambda: np.zeros(3, np.float32), LIKE)

    assert probe.local_channel(draws)(probe.key_uses).callbacks == ("pure_callback",)


def asks(answer: probe.Answer, rng: np.random.Generator) -> None:
    expect(answer(X), np.sin(X), message="The sine.")
    answer.probe(probe.primitives, X)


def only_calls(answer: probe.Answer, rng: np.random.Generator) -> None:
    expect(answer(X), np.sin(X), message="The sine.")


@pytest.mark.parametrize("answer", CALLING, ids=lambda answer: answer.__name__)
def test_the_engine_refuses_it_once(answer: Any) -> None:
    verdict = judge(Exercise("sine", asks), probe.local_channel(answer))
    name = "io_callback" if answer is with_effects else f"jax.{CALLING[answer].replace('debug_', 'debug.')}"
    assert (verdict.status, verdict.label) == ("wrong", "calls-python")
    assert f"through `{name}`" in verdict.message and "Write it with JAX" in verdict.message
    assert judge(Exercise("sine", only_calls), probe.local_channel(answer)).status == "passed"
    assert judge(Exercise("sine", asks), probe.local_channel(jnp.sin)).status == "passed"


def test_a_mistake_of_the_exercises_own_is_told_first() -> None:
    def wrong(x: Any) -> Any:
        return 2 * in_numpy(x)

    assert judge(Exercise("sine", asks), probe.local_channel(wrong)).label == "wrong-value"


class Pretender:
    """Says that it is an array of JAX, and is none."""

    __class__ = jax.Array  # type: ignore[assignment]
    shape, dtype, ndim = (3,), np.dtype(np.float32), 1

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.sin(X)


def test_what_only_says_that_it_is_an_array_is_none() -> None:
    answer = probe.local_channel(lambda x: Pretender())
    assert isinstance(Pretender(), jax.Array)
    assert answer(probe.call, X).foreign == "Pretender"
    assert answer(probe.result_type, X).value == "Pretender"
    assert answer(probe.layout, X).value == {"type": "Pretender"}
    assert judge(Exercise("sine", only_calls), answer).label == "wrong-type"
