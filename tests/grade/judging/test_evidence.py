"""What an exported program is held against: names that are JAX's, which it may change."""

import jax
import jax.numpy as jnp
import pytest

from jaxcourse.probe import primitives
from jaxcourse_grade.judging import _evidence

PROGRAMS = {
    "dot_general": lambda x: x @ x,
    "sort": jnp.sort,
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
