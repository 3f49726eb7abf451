"""A gradient of the loss for each example."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from jaxcourse.bench import Entry, Race, entry
from jaxcourse_author.headlines._headline import Claim, Headline, busy

SOURCE = "001, on transformations of modules"


def loss(params: dict[str, jax.Array], x: jax.Array, y: jax.Array) -> jax.Array:
    """The mean squared error of a linear layer, for one example."""
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


def contestants(examples: int) -> dict[str, Entry]:
    """A loop over examples with a compiled gradient, and one program for all."""
    keys = jax.random.split(jax.random.key(0), 4)
    params = {"w": jax.random.normal(keys[0], (3, 4)), "b": jax.random.normal(keys[1], (4,))}
    x, y = jax.random.normal(keys[2], (examples, 3)), jax.random.normal(keys[3], (examples, 4))
    one = jax.jit(jax.grad(loss))
    pairs = list(zip(x, y, strict=True))

    def loop() -> dict[str, jax.Array]:
        found = [one(params, *pair) for pair in pairs]
        return {name: jnp.stack([slopes[name] for slopes in found]) for name in params}

    together = jax.jit(jax.vmap(jax.grad(loss), in_axes=(None, 0, 0)))
    return {"a loop": entry(loop), "vmap": entry(together, params, x, y)}


def rewritten(race: Race) -> str:
    """What vmap is, and is not."""
    return (
        "`vmap` starts no thread for an example: it rewrites the program, so that one call does what the loop does in "
        f"one for each. {busy(race, 'vmap')}."
    )


GRADIENTS = Headline(
    name="gradients",
    title="The gradient of each example, a layer from 3 to 4",
    variable="examples",
    sizes=(10, 30, 100),
    contestants=contestants,
    claims=(Claim("vectorised, examples run concurrently", SOURCE, "vmap", "a loop", rewritten),),
)
