"""Exponentially weighted variances and covariances."""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcourse.frames._decay import smoothing
from jaxcourse.frames._leaves import Pytree, floating, leafwise, observed
from jaxcourse.frames._step import Step


class Covariance(NamedTuple):
    """State of an exponentially weighted covariance, for each pair of columns.

    Args:
        x: Mean of the first column, 0 before the first pair.
        y: Mean of the second.
        cov: Biased covariance.
        weight: Of the means, as in `Mean`.
        weights: Sum of all weights.
        squares: Sum of the squares of all weights.
        seen: int32, pairs so far.
    """

    x: jax.Array
    y: jax.Array
    cov: jax.Array
    weight: jax.Array
    weights: jax.Array
    squares: jax.Array
    seen: jax.Array


def _no_covariance(x0: jax.Array) -> Covariance:
    zero = jnp.zeros_like(floating(x0))
    return Covariance(zero, zero, zero, zero, zero, zero, jnp.zeros_like(zero, jnp.int32))


def _pair_seen(old: Covariance, x: jax.Array, y: jax.Array, alpha: float, adjust: bool, ignore_na: bool) -> Covariance:
    here = observed(x) & observed(y)
    retained = jnp.where(here, 1 - alpha, 1).astype(x.dtype) if ignore_na else 1 - alpha
    weight, weights, squares = old.weight * retained, old.weights * retained, old.squares * (retained * retained)
    new = 1.0 if adjust else alpha
    total = weight + new
    mean_x = jnp.where(x == old.x, old.x, (weight * old.x + new * x) / total)
    mean_y = jnp.where(y == old.y, old.y, (weight * old.y + new * y) / total)
    between = weight * (old.cov + (old.x - mean_x) * (old.y - mean_y))
    cov = (jnp.where(old.seen > 0, between, 0) + new * ((x - mean_x) * (y - mean_y))) / total
    scale = 1.0 if adjust else total
    more, fewer = old.seen + 1, old.seen
    after = (mean_x, mean_y, cov, total / scale, (weights + new) / scale, (squares + new * new) / (scale * scale), more)
    before = (old.x, old.y, old.cov, weight, weights, squares, fewer)
    return Covariance(*(jnp.where(here, new, old) for new, old in zip(after, before, strict=True)))


def _shown(state: Covariance, bias: bool, fewest: int) -> jax.Array:
    if bias:
        return jnp.where(state.seen >= fewest, state.cov, jnp.nan)
    # With a single value `room` is 0 but for its rounding, by which pandas shows 0 at some rows and NaN at others.
    enough = state.seen >= max(fewest, 2)
    square = state.weights * state.weights
    room = square - state.squares
    return jnp.where(enough & (room > 0), square / room * state.cov, jnp.nan)


def ewm_var(
    com: float | None = None,
    span: float | None = None,
    halflife: float | None = None,
    alpha: float | None = None,
    *,
    min_periods: int = 0,
    adjust: bool = True,
    ignore_na: bool = False,
    bias: bool = False,
) -> Step:
    """Exponentially weighted variance of each column, as `DataFrame.ewm(...).var(bias)` of pandas.

    Args:
        com: Centre of mass. Give exactly one of the four.
        span: Span.
        halflife: Half-life in rows.
        alpha: Smoothing factor.
        min_periods: Values that a column must have had before its variance is shown.
        adjust: As in `ewma`.
        ignore_na: As in `ewma`.
        bias: Whether to leave out the correction for how few values carry the weight.

    Returns:
        The step. A row is (n,) or any pytree of arrays.

    Raises:
        ValueError: If the decay is not given exactly once and within its range.

    Example:
        >>> import jax.numpy as jnp
        >>> from jaxcourse import frames
        >>> frames.unroll(frames.ewm_var(alpha=0.5))(jnp.array([1.0, 3.0, 3.0]))[1].round().tolist()
        [nan, 2.0, 1.0]
    """
    return _ewm_var(smoothing(com, span, halflife, alpha), max(min_periods, 1), adjust, ignore_na, bias)


@functools.lru_cache(maxsize=128)
def _ewm_var(alpha: float, fewest: int, adjust: bool, ignore_na: bool, bias: bool) -> Step:
    def apply(state: Covariance, x: jax.Array) -> tuple[Covariance, jax.Array]:
        x = floating(x)
        state = _pair_seen(state, x, x, alpha, adjust, ignore_na)
        return state, _shown(state, bias, fewest)

    return Step(*leafwise(_no_covariance, apply))


def ewm_std(
    com: float | None = None,
    span: float | None = None,
    halflife: float | None = None,
    alpha: float | None = None,
    *,
    min_periods: int = 0,
    adjust: bool = True,
    ignore_na: bool = False,
    bias: bool = False,
) -> Step:
    """Square root of `ewm_var`, which has the same arguments.

    Example:
        >>> import jax.numpy as jnp
        >>> from jaxcourse import frames
        >>> frames.unroll(frames.ewm_std(alpha=0.5, bias=True))(jnp.array([1.0, 4.0]))[1]
        Array([0.       , 1.4142135], dtype=float32)
    """
    return _ewm_std(smoothing(com, span, halflife, alpha), max(min_periods, 1), adjust, ignore_na, bias)


@functools.lru_cache(maxsize=128)
def _ewm_std(alpha: float, fewest: int, adjust: bool, ignore_na: bool, bias: bool) -> Step:
    variance = _ewm_var(alpha, fewest, adjust, ignore_na, bias)

    def apply(state: Pytree, x: Pytree) -> tuple[Pytree, Pytree]:
        state, y = variance.apply(state, x)
        return state, jax.tree.map(jnp.sqrt, y)

    return Step(variance.init, apply)


def ewm_cov(
    com: float | None = None,
    span: float | None = None,
    halflife: float | None = None,
    alpha: float | None = None,
    *,
    min_periods: int = 0,
    adjust: bool = True,
    ignore_na: bool = False,
    bias: bool = False,
    pairwise: bool = True,
) -> Step:
    """Exponentially weighted covariance, as `DataFrame.ewm(...).cov(...)` of pandas.

    Args:
        com: Centre of mass. Give exactly one of the four.
        span: Span.
        halflife: Half-life in rows.
        alpha: Smoothing factor.
        min_periods: Pairs that there must have been before their covariance is shown.
        adjust: As in `ewma`.
        ignore_na: As in `ewma`.
        bias: As in `ewm_var`.
        pairwise: Whether a row (n,) gives the covariances (n, n) of all its columns; else a row is a pair of arrays
            `(x, y)` of one shape, which is the shape of the result.

    Returns:
        The step.

    Raises:
        ValueError: If the decay is not given exactly once and within its range.

    Example:
        >>> import jax.numpy as jnp
        >>> from jaxcourse import frames
        >>> step = frames.ewm_cov(alpha=0.5, bias=True, pairwise=False)
        >>> frames.unroll(step)((jnp.array([1.0, 4.0]), jnp.array([1.0, -2.0])))[1]
        Array([ 0., -2.], dtype=float32)
    """
    return _ewm_cov(smoothing(com, span, halflife, alpha), max(min_periods, 1), adjust, ignore_na, bias, pairwise)


@functools.lru_cache(maxsize=128)
def _ewm_cov(alpha: float, fewest: int, adjust: bool, ignore_na: bool, bias: bool, pairwise: bool) -> Step:
    def pair(x: Pytree) -> tuple[jax.Array, jax.Array]:
        if pairwise:
            first, second = jnp.broadcast_arrays(floating(x)[:, None], floating(x)[None, :])
            return first, second
        return floating(x[0]), floating(x[1])

    def init(x0: Pytree) -> Covariance:
        return _no_covariance(pair(x0)[0])

    def apply(state: Covariance, x: Pytree) -> tuple[Covariance, jax.Array]:
        state = _pair_seen(state, *pair(x), alpha, adjust, ignore_na)
        return state, _shown(state, bias, fewest)

    return Step(init, apply)
