"""What quiet weather does next: a small network, as a pure function of a dictionary of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp

LOOKBACK = 24
"""How many minutes the network looks back."""
HIDDEN = 24
"""How many units each of its two hidden layers has."""

Params = Mapping[str, Any]
"""Arrays by name: `first` (49, 24), `second` (24, 24) and `last` (24, 2) with their biases, and `straight` (24,)."""


def initial(seed: int = 0) -> dict[str, jax.Array]:
    """Parameters to start from: 1,874 numbers in `float32`, which are those of `flax.nnx.Linear` layers.

    Args:
        seed: of the random weights. Biases, and the part that is linear in the window, are 0.

    Example:
        >>> sum(leaf.size for leaf in jax.tree.leaves(initial()))
        1874
    """
    key, draw = jax.random.key(seed), jax.nn.initializers.lecun_normal()
    sizes = {"first": (2 * LOOKBACK + 1, HIDDEN), "second": (HIDDEN, HIDDEN), "last": (HIDDEN, 2)}
    params = {"straight": jnp.zeros(LOOKBACK)}
    for i, (name, size) in enumerate(sizes.items()):
        # nnx draws a key for each weight and for each bias, and leaves the latter unused
        params[name] = draw(jax.random.fold_in(key, 2 * i), size, jnp.float32)
        params[f"{name}_bias"] = jnp.zeros(size[1])
    return params


def predict(params: Params, window: jax.Array, heard: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The next reading of a station: the mean of a normal distribution, and the logarithm of its spread.

    Levels are taken relative to the last one, and divided by the window's own mean move, so that a windy day looks to
    the network like a calm one whose scale is larger.

    Args:
        params: the network's parameters.
        window: its last 24 levels in hPa, filled where nothing came: (24,).
        heard: 1 where a reading came, else 0: (24,).

    Returns:
        The mean in hPa, and the logarithm of the spread in hPa: both ().

    Example:
        >>> mean, log_spread = predict(initial(), jnp.zeros(24), jnp.ones(24))
        >>> mean.shape, log_spread.shape
        ((), ())
    """
    last = window[-1]
    moves = jnp.abs(jnp.diff(window)) * heard[1:]
    scale = 0.01 + moves.sum() / (heard[1:].sum() + 1)
    z = jnp.clip((window - last) / scale, -8, 8)
    seen = jnp.concatenate([z / 2, heard, jnp.log(scale / 0.04)[None]])
    hidden = jnp.tanh(seen @ params["first"] + params["first_bias"])
    hidden = jnp.tanh(hidden @ params["second"] + params["second_bias"])
    out = hidden @ params["last"] + params["last_bias"]
    return last + scale * (out[0] + z @ params["straight"]), jnp.log(scale) + out[1]


def expected(params: Params, filled: jax.Array, heard: jax.Array) -> tuple[jax.Array, jax.Array]:
    """What the network expects of every minute that has a window before it.

    Args:
        params: the network's parameters.
        filled: levels in hPa, with the last known one where nothing came: (minutes, stations), `float32`.
        heard: 1 where a reading came, else 0: (minutes, stations), `float32`.

    Returns:
        Means in hPa, and logarithms of spreads in hPa, from minute 24 on: (minutes - 24, stations) each.

    Example:
        >>> [part.shape for part in expected(initial(), jnp.zeros((30, 3)), jnp.ones((30, 3)))]
        [(6, 3), (6, 3)]
    """
    back = jnp.arange(LOOKBACK, len(filled))[:, None] + jnp.arange(-LOOKBACK, 0)[None]

    def one(column: jax.Array, there: jax.Array) -> tuple[jax.Array, jax.Array]:
        return jax.vmap(predict, in_axes=(None, 0, 0))(params, column[back], there[back])

    mean, log_spread = jax.vmap(one, in_axes=1, out_axes=1)(jnp.asarray(filled), jnp.asarray(heard))
    return mean, log_spread


def innovations(params: Params, filled: jax.Array, heard: jax.Array) -> jax.Array:
    """What each reading was beyond its prediction, in units of its spread: 0 where nothing came.

    Args:
        params: as in `expected`.
        filled: as in `expected`.
        heard: as in `expected`.

    Returns:
        (reading - mean) / exp(log_spread), of every reading after its first 24 minutes: (minutes - 24, stations).

    Example:
        >>> innovations(initial(), jnp.zeros((30, 3)), jnp.ones((30, 3))).shape
        (6, 3)
    """
    mean, log_spread = expected(params, filled, heard)
    return heard[LOOKBACK:] * (filled[LOOKBACK:] - mean) / jnp.exp(log_spread)
