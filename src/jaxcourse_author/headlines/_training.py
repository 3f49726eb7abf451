"""A training loop: step by step in Python, each step compiled, or the whole loop."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from jaxcourse.bench import Entry, Race, entry
from jaxcourse.insides import read
from jaxcourse_author.headlines._headline import Claim, Headline

RATE = 0.01
SOURCE = "002, on JAX and Flax"

Params = dict[str, jax.Array]


def loss(params: Params, x: jax.Array, y: jax.Array) -> jax.Array:
    """The mean squared error of a line."""
    return jnp.mean((params["w"] * x + params["b"] - y) ** 2)


def step(params: Params, x: jax.Array, y: jax.Array) -> Params:
    """One step of gradient descent."""
    slopes = jax.grad(loss)(params, x, y)
    return {name: params[name] - RATE * slope for name, slope in slopes.items()}


def contestants(steps: int) -> dict[str, Entry]:
    """The same steps, compiled less and more."""
    x = jnp.array([1, 2, 3, 4, 5], jnp.float32) / 2
    y, compiled = 2 * x, jax.jit(step)

    def by(one: Any) -> Params:
        params = first()
        for _ in range(steps):
            params = one(params, x, y)
        return params

    @jax.jit
    def whole(x: jax.Array, y: jax.Array) -> Params:
        return jax.lax.scan(lambda params, _: (step(params, x, y), None), first(), length=steps)[0]

    return {
        "op by op": entry(lambda: by(step)),
        "each step compiled": entry(lambda: by(compiled)),
        "the loop compiled": entry(whole, x, y),
    }


def first() -> Params:
    """Where descent starts."""
    return {"w": jnp.float32(0), "b": jnp.float32(0)}


def calls(race: Race) -> str:
    """What a small step's time is."""
    many = len(read(step, first(), jnp.ones(5), jnp.ones(5)).everything)
    return (
        "Five numbers are no work: the time is that of calls. Op by op, JAX traces the gradient anew at each step, and "
        f"its {many} operations are a call each; compiled, they are one."
    )


def one_call(race: Race) -> str:
    """What a scan saves."""
    first = race["the loop compiled"].first_call
    return f"One call instead of one for each step. A Python loop inside of `jit` is unrolled; this took {first:.2g} s."


TRAINING = Headline(
    name="training",
    title="Gradient descent for a line through five points",
    variable="steps",
    sizes=(5, 15, 50),
    contestants=contestants,
    claims=(
        Claim("jit makes the loop 14 times as fast", SOURCE, "each step compiled", "op by op", calls, times=13.7),
        Claim("jit the outermost function", SOURCE, "the loop compiled", "each step compiled", one_call),
    ),
)
