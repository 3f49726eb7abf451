"""Rows as pytrees of arrays, and functions of one array made into functions of a pytree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

Pytree = Any
Leaf = Callable[..., Any]


def leafwise(init: Leaf, apply: Leaf) -> tuple[Leaf, Leaf]:
    """Make functions of one array into functions of a pytree of arrays, each leaf with a state of its own."""

    def init_tree(x0: Pytree) -> Pytree:
        return [init(leaf) for leaf in jax.tree.leaves(x0)]

    def apply_tree(state: Pytree, x: Pytree, *args: Any) -> tuple[Pytree, Pytree]:
        leaves, structure = jax.tree.flatten(x)
        pairs = [apply(mine, leaf, *args) for mine, leaf in zip(state, leaves, strict=True)]
        return [mine for mine, _ in pairs], jax.tree.unflatten(structure, [y for _, y in pairs])

    return init_tree, apply_tree


def floating(x: Any) -> jax.Array:
    """A row as numbers with fractions, real or complex: integers and booleans get JAX's default precision."""
    return jnp.asarray(x, x.dtype if jnp.issubdtype(x.dtype, jnp.inexact) else jnp.result_type(float))


def observed(x: jax.Array) -> jax.Array:
    """Which values pandas counts as present: in windows it treats infinities as missing, too."""
    return jnp.isfinite(x)
