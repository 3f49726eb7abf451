"""Steps over the last few rows: the row some rows ago, the change since then."""

from __future__ import annotations

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp

from jaxcourse.frames._errors import whole_number
from jaxcourse.frames._leaves import floating, leafwise
from jaxcourse.frames._step import Step


def _window_step(history: int, result: Callable[[jax.Array], jax.Array], moves_along: bool) -> Step:
    """A step whose state is the last `history` rows: `result` turns (history + t, n) rows into the last t results."""

    def init(x0: jax.Array) -> jax.Array:
        row = floating(x0)
        return jnp.full((history, *row.shape), jnp.nan, row.dtype)

    def whole(state: jax.Array, xs: jax.Array) -> tuple[jax.Array, jax.Array]:
        rows = jnp.concatenate([state, floating(xs)])
        return rows[rows.shape[0] - history :], result(rows)

    def apply(state: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
        state, ys = whole(state, x[None])
        return state, ys[0]

    init_tree, apply_tree = leafwise(init, apply)
    return Step(init_tree, apply_tree, leafwise(init, whole)[1], moves_along=moves_along)


def lag(n: int = 1) -> Step:
    """The row `n` rows ago, as `DataFrame.shift(n)` of pandas; NaN for the first `n` rows.

    Args:
        n: rows, at least 0. The future is not known to a step.

    Returns:
        The step. A row is (n,) or any pytree of arrays; its state is the last `n` rows.

    Raises:
        ValueError: if `n` is negative.
        TypeError: if it is not an integer.

    Example:
        >>> import jax.numpy as jnp
        >>> from jaxcourse import frames
        >>> frames.unroll(frames.lag(2))(jnp.array([1.0, 3.0, 7.0]))[1]
        Array([nan, nan,  1.], dtype=float32)
    """
    return _lag(_past(n))


def diff(n: int = 1) -> Step:
    """The change since `n` rows ago, as `DataFrame.diff(n)` of pandas; NaN for the first `n` rows.

    Args:
        n: rows, at least 0.

    Returns:
        The step. A row is (n,) or any pytree of arrays; its state is the last `n` rows.

    Raises:
        ValueError: if `n` is negative.
        TypeError: if it is not an integer.

    Example:
        >>> import jax.numpy as jnp
        >>> from jaxcourse import frames
        >>> frames.unroll(frames.diff())(jnp.array([1.0, 3.0, 7.0]))[1]
        Array([nan,  2.,  4.], dtype=float32)
    """
    return _diff(_past(n))


def _past(n: int) -> int:
    n = whole_number("n", n)
    if n < 0:
        raise ValueError(f"n must be at least 0, not {n}: a step does not know the future")
    return n


@functools.lru_cache(maxsize=128)
def _lag(n: int) -> Step:
    return _window_step(n, lambda rows: rows[: rows.shape[0] - n], moves_along=True)


@functools.lru_cache(maxsize=128)
def _diff(n: int) -> Step:
    return _window_step(n, lambda rows: rows[n:] - rows[: rows.shape[0] - n], moves_along=False)
