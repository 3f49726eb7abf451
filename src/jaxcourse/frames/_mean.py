"""Exponentially weighted means: by rows, and by time."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxcourse.frames._decay import Halflife, halflife_in_seconds, smoothing
from jaxcourse.frames._errors import whole_number
from jaxcourse.frames._leaves import Leaf, Pytree, floating, leafwise, observed
from jaxcourse.frames._step import Shortcut, Step
from jaxcourse.frames._times import Times, elapsed
from jaxcourse.insides import has_numba


def ewma(
    com: float | None = None,
    span: float | None = None,
    halflife: Halflife | None = None,
    alpha: float | None = None,
    *,
    min_periods: int | None = 0,
    adjust: bool = True,
    ignore_na: bool = False,
    times: bool = False,
) -> Step:
    """Exponentially weighted mean of each column, as `DataFrame.ewm(...).mean()` of pandas.

    Args:
        com: Centre of mass. Give exactly one of the four.
        span: Span.
        halflife: Half-life in rows; with `times` a duration, such as `"4 days"` or a timedelta.
        alpha: Smoothing factor.
        min_periods: Values that a column must have had before its mean is shown; none or 0 for one.
        adjust: Whether to divide by the sum of the weights, which matters near the start; or the plain recursion.
        ignore_na: Whether a missing value lets no time pass.
        times: Whether time passes irregularly: then a row is a pair `(values, Times)`, and the weight of a value is
            halved in each `halflife`. The state keeps the last moment, which the next batch needs.

    Returns:
        The step. A row is (n,) or any pytree of arrays; integers become floating-point numbers.

    Raises:
        ValueError: If the decay is not given exactly once and within its range, or if `halflife` is a duration without
            `times`, or the other way round.
        TypeError: If a decay or `min_periods` is not a number.

    Example:
        >>> import jax.numpy as jnp
        >>> from jaxcourse import frames
        >>> _, ys = frames.unroll(frames.ewma(com=3))(jnp.array([1.0, jnp.nan, 2.5625]))
        >>> ys
        Array([1., 1., 2.], dtype=float32)

    In one case pandas 3 does not follow its own formula: alpha = 0.5 without `adjust`, after a missing value.
    """
    if not isinstance(times, bool):
        raise TypeError("times is True or False here; give the moments to frames.apply(step, data, times=...)")
    fewest = max(whole_number("min_periods", min_periods or 0), 1)
    if not times:
        return _ewma(smoothing(com, span, halflife, alpha), fewest, adjust, ignore_na)
    if (com, span, alpha) != (None, None, None):
        raise ValueError("with times, the decay is given by halflife alone: leave out com, span and alpha")
    return _timed_ewma(halflife_in_seconds(halflife), fewest, adjust, ignore_na)


class Mean(NamedTuple):
    """State of an exponentially weighted mean, for each column.

    Args:
        mean: 0 before the first value.
        weight: Of `mean`, on the scale on which a value of this moment weighs 1, or alpha without `adjust`.
        seen: int32, values so far.
    """

    mean: jax.Array
    weight: jax.Array
    seen: jax.Array


def _no_mean(x0: jax.Array) -> Mean:
    zero = jnp.zeros_like(floating(x0))
    return Mean(zero, zero, jnp.zeros_like(zero, jnp.int32))


def _updated(old: Mean, x: jax.Array, retained: Any, new: Any, adjust: bool, ignore_na: bool) -> Mean:
    """The mean after a row: `retained` is what is left of a weight after a step, `new` the weight of a new value."""
    here = observed(x)
    weight = jnp.where(here, old.weight * retained, old.weight) if ignore_na else old.weight * retained
    new = 1 - weight if new is None else new
    total = weight + new
    # The first case keeps a constant series constant, which rounding would not.
    moved = jnp.where(x == old.mean, old.mean, old.mean * (weight / total) + x * (new / total))
    mean = jnp.where(here, moved, old.mean)
    return Mean(mean, jnp.where(here, total if adjust else 1, weight), old.seen + here.astype(jnp.int32))


@functools.lru_cache(maxsize=128)
def _ewma(alpha: float, fewest: int, adjust: bool, ignore_na: bool) -> Step:
    def apply(state: Mean, x: jax.Array) -> tuple[Mean, jax.Array]:
        state = _updated(state, floating(x), 1 - alpha, 1 if adjust else alpha, adjust, ignore_na)
        return state, jnp.where(state.seen >= fewest, state.mean, jnp.nan)

    def lean(carry: tuple[jax.Array, jax.Array], x: jax.Array) -> tuple[tuple[jax.Array, jax.Array], jax.Array]:
        mean, weight = carry
        weight, new = weight * (1 - alpha), 1 if adjust else alpha
        total = weight + new
        mean = mean * (weight * (1 / total)) + floating(x) * (new * (1 / total))
        return (mean, total if adjust else jnp.ones_like(weight)), mean

    by_column = functools.partial(_by_column, alpha=alpha, fewest=fewest, adjust=adjust, ignore_na=ignore_na)
    short = _complete(lean, fewest)
    return Step(*leafwise(_no_mean, apply), shortcut=short, by_column=by_column if has_numba() else None)


def _by_column(*args: Any, **options: Any) -> None:
    from jaxcourse.frames import _mean_by_column

    _mean_by_column.means(*args, **options)


def _complete(lean: Leaf, fewest: int) -> Shortcut:
    """The way over rows in which nothing is missing: all columns share one weight, and a row is a multiply-add."""

    def holds(state: list[Mean], xs: Pytree) -> jax.Array:
        # One sum shows what is missing. Where it overflows, the long way is taken for nothing.
        pairs = zip(state, jax.tree.leaves(xs), strict=True)
        complete = [_alike(old) & (old.seen + 1 >= fewest).all() & observed(x.sum()) for old, x in pairs]
        return jnp.stack(complete).all()

    def enter(state: list[Mean]) -> list[tuple[jax.Array, jax.Array]]:
        return [(mine.mean, _heaviest(mine)) for mine in state]

    def leave(state: list[Mean], carry: list[tuple[jax.Array, jax.Array]], rows: int) -> list[Mean]:
        pairs = zip(state, carry, strict=True)
        return [Mean(mean, jnp.zeros_like(mean) + weight, old.seen + rows) for old, (mean, weight) in pairs]

    return Shortcut(holds, enter, leafwise(_no_mean, lean)[1], leave)


def _alike(state: Mean) -> jax.Array:
    return (state.weight == _heaviest(state)).all()


def _heaviest(state: Mean) -> jax.Array:
    """The largest weight of a column; 0, below which there is none, if there is no column."""
    return state.weight.max(initial=0)


@functools.lru_cache(maxsize=128)
def _timed_ewma(halflife: float, fewest: int, adjust: bool, ignore_na: bool) -> Step:
    def apply_leaf(state: Mean, x: jax.Array, last: Times, now: Times) -> tuple[Mean, jax.Array]:
        x = floating(x)
        retained = jnp.exp2(-elapsed(last, now, halflife, x.dtype))
        state = _updated(state, x, retained, 1 if adjust else None, adjust, ignore_na)
        return state, jnp.where(state.seen >= fewest, state.mean, jnp.nan)

    init_values, apply_values = leafwise(_no_mean, apply_leaf)

    def init(x0: tuple[Pytree, Times]) -> tuple[Pytree, Times]:
        values, now = x0
        return init_values(values), now

    def apply(state: tuple[Pytree, Times], x: tuple[Pytree, Times]) -> tuple[tuple[Pytree, Times], Pytree]:
        (inner, last), (values, now) = state, x
        inner, y = apply_values(inner, values, last, now)
        return (inner, now), y

    return Step(init, apply, timed=True)
