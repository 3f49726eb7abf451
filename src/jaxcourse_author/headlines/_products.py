"""A chain of matrix products in which the same product occurs five times."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.bench import Entry, Race, entry
from jaxcourse.insides import instructions
from jaxcourse_author.headlines._headline import Claim, Headline, Least, has

SOURCE = "002, on JAX and Flax"
FACTORS = 11


def chain(x: Any) -> Any:
    """The power of 11 of `x`, one product after the other."""
    return x @ x @ x @ x @ x @ x @ x @ x @ x @ x @ x


def fifty_products(x: Any) -> Any:
    """As the source writes it: 50 products."""
    return (chain(x) * chain(x) + chain(x) * chain(x)) / chain(x)


def once(x: Any) -> Any:
    """The same with 10 products: who repeats one writes it down once."""
    power = chain(x)
    return (power * power + power * power) / power


def contestants(size: int) -> dict[str, Entry]:
    """NumPy and JAX, and torch where it is installed. Rows sum to 1, so that nothing overflows."""
    x = np.random.default_rng(0).random((size, size), np.float32)
    x /= x.sum(axis=1, keepdims=True)
    on_device = jnp.asarray(x)
    found = {
        "NumPy": entry(fifty_products, x),
        "NumPy, each product once": entry(once, x),
        "JAX, op by op": entry(fifty_products, on_device),
        "JAX, compiled": entry(jax.jit(fifty_products), on_device),
    }
    if has("torch"):
        import torch

        found["torch"] = entry(lambda: fifty_products(torch.from_numpy(x)).numpy())
    return found


def fewer(race: Race) -> str:
    """How many products the compiler left, and what NumPy makes of as many."""
    counts = instructions(jax.jit(fifty_products).lower(jnp.ones((8, 8))).compile()).counts
    left = counts.get("dot", 0) + counts.get("custom-call", 0)  # a library's product is a call to it
    ratio = race.ratio("NumPy, each product once", to="JAX, compiled")
    return (
        f"It does not multiply faster, it multiplies less: {left} products are left of {5 * (FACTORS - 1)}. "
        f"NumPy with as few takes {ratio} times as long."
    )


PRODUCTS = Headline(
    name="products",
    title="(a a + a a) / a for a = x to the power of 11, float32",
    variable="rows of x",
    sizes=(250, 500, 1_000),
    contestants=contestants,
    claims=(
        Claim("27 times as fast as NumPy", SOURCE, "JAX, compiled", "NumPy", fewer, times=27),
        Claim("jit makes it 12 times as fast", SOURCE, "JAX, compiled", "JAX, op by op", fewer, times=12),
    ),
    least=lambda size: Least(flops=2 * (FACTORS - 1) * size**3),
    wants=("torch",),
)
