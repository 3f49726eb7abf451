"""What evidence is held against: names that are JAX's, which it may change, and an answer as it is while traced."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcourse._runtime import compilations
from jaxcourse.grade.isolation import _child
from jaxcourse.grade.judging import _evidence
from jaxcourse.probe import primitives

SHAPE = jax.ShapeDtypeStruct((3,), jnp.float32)
PROGRAMS = {
    "dot_general": lambda x: x @ x,
    "sort": jnp.sort,
    "pure_callback": lambda x: jax.pure_callback(abs, SHAPE, x),
    "io_callback": lambda x: jax.experimental.io_callback(abs, SHAPE, x),
    "tanh": jnp.tanh,
    "scan": lambda x: jax.lax.scan(lambda carry, row: (carry + row, row), 0.0, x)[0],
}


@pytest.mark.parametrize("name", _evidence._OPERATIONS)
def test_a_primitive_is_called_so_and_becomes_its_operation(name):
    x = jnp.ones(3)
    assert name in primitives(PROGRAMS[name], x)
    assert f"stablehlo.{_evidence._OPERATIONS[name]}" in jax.jit(PROGRAMS[name]).lower(x).as_text()


def test_the_facts_that_are_compared_are_told(recwarn):
    from jaxcourse.probe import partitioned, placing, program

    told = program(jnp.sin, jnp.ones(3)).keys(), partitioned(jnp.sin, placing({"x": 1}), jnp.ones(3)).keys()
    assert set(_evidence._FACTS) == set(_evidence._FACTS) & told[1]
    assert {"operations", "flops", "arguments", "results"} <= told[0]


def test_an_answer_is_traced_and_its_loops_are_not_compiled_as_one():
    seen = []

    @jax.jit
    def step(x):
        return x + 1

    def loop(state, count):
        seen.append(type(state["x"]))
        for _ in range(count):
            state = {"x": step(state["x"])}
        return state, count

    before = len(compilations())
    state, count = _child._always_traced(loop)({"x": np.zeros(3, np.float32)}, 40)
    assert state["x"].tolist() == [40, 40, 40] and count == 40
    assert issubclass(seen[0], jax.core.Tracer)
    assert compilations()[before:] == ["step"]
