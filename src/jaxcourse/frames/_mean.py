"""Exponentially weighted means: by rows, and by time."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxcourse.frames._decay import LONG, Halflife, halflife_in_seconds, smoothing
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
        com: centre of mass. Give exactly one of the four.
        span: span.
        halflife: half-life in rows; with `times` a duration, such as `"4 days"` or a timedelta.
        alpha: smoothing factor.
        min_periods: values that a column must have had before its mean is shown; none or 0 for one.
        adjust: whether to divide by the sum of the weights, which matters near the start; or the plain recursion.
        ignore_na: whether a missing value lets no time pass. With `times` only the time since the row before passes
            then, as in pandas, and not that since the last value: https://github.com/pandas-dev/pandas/issues/54604
        times: whether time passes irregularly: then a row is a pair `(values, Times)`, and the weight of a value is
            halved in each `halflife`. The state keeps the last moment, which the next batch needs.

    Returns:
        The step. A row is (n,) or any pytree of arrays; integers become floating-point numbers.

    Raises:
        ValueError: if the decay is not given exactly once and within its range, or if `halflife` is a duration without
            `times`, or the other way round.
        TypeError: if a decay or `min_periods` is not a number.

    Example:
        >>> import jax.numpy as jnp
        >>> from jaxcourse import frames
        >>> _, ys = frames.unroll(frames.ewma(com=3))(jnp.array([1.0, jnp.nan, 2.5625]))
        >>> ys
        Array([1., 1., 2.], dtype=float32)

    Computed in float32, a plain recursion loses what is smaller than half a unit in the last place of its mean: with a
    small alpha, an error of about 6e-8 / alpha of the mean, which the new values cannot mend. Where alpha is below
    `LONG`, and always with `times`, the state therefore keeps what rounding took away, and the error stays that of one
    rounding.

    In one case pandas 3 does not follow its own formula: alpha = 0.5 without `adjust`, after a missing value
    (https://github.com/pandas-dev/pandas/issues/66521).
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
        weight: of `mean`, on the scale on which a value of this moment weighs 1, or alpha without `adjust`.
        seen: int32, values so far.
    """

    mean: jax.Array
    weight: jax.Array
    seen: jax.Array


def _no_mean(x0: jax.Array) -> Mean:
    zero = jnp.zeros_like(floating(x0))
    return Mean(zero, zero, jnp.zeros_like(zero, jnp.int32))


def _update(old: Mean, x: jax.Array, retained: Any, new: Any, adjust: bool, ignore_na: bool) -> Mean:
    """The mean after a row: `retained` is what is left of a weight after a step, `new` the weight of a new value."""
    here = observed(x)
    weight = jnp.where(here, old.weight * retained, old.weight) if ignore_na else old.weight * retained
    new = 1 - weight if new is None else new
    total = weight + new
    mean = jnp.where(here, _moved(old.mean, x, new / total), old.mean)
    return Mean(mean, jnp.where(here, total if adjust else 1, weight), old.seen + here.astype(jnp.int32))


def _moved(mean: jax.Array, x: jax.Array, share: Any) -> jax.Array:
    """A mean with a share of `x`. Half of the way is sure to be a number, and where there is no way the mean stays.

    So a constant series stays constant, as `mean * (1 - share) + x * share` does not.
    """
    moved: jax.Array = mean + (x / 2 - mean / 2) * (2 * share)
    return moved


class Exact(NamedTuple):
    """A number as the sum of two: the first is the sum, rounded, and the second is what rounding took from it."""

    high: jax.Array
    low: jax.Array

    def plus(self, x: jax.Array) -> Exact:
        """A sum that loses nothing of `x`: what rounding takes from it is added to the second number.

        Knuth's TwoSum: D. E. Knuth, The Art of Computer Programming, vol. 2, 4.2.2, theorem B.
        """
        total = self.high + x
        part = total - self.high
        rest = self.low + ((self.high - (total - part)) + (x - part))
        high = total + rest
        return Exact(high, rest - (high - total))


class LongMean(NamedTuple):
    """State of an exponentially weighted mean with a long memory, for each column: as `Mean`, in two numbers each."""

    mean: Exact
    weight: Exact
    seen: jax.Array


def _no_long_mean(x0: jax.Array) -> LongMean:
    zero = jnp.zeros_like(floating(x0))
    return LongMean(Exact(zero, zero), Exact(zero, zero), jnp.zeros_like(zero, jnp.int32))


def _long_updated(old: LongMean, x: jax.Array, lost: Any, new: Any, adjust: bool, ignore_na: bool) -> LongMean:
    """The mean after a row: `lost` is what a weight loses in a step (of 1), `new` the weight of a new value.

    Not `1 - lost` is used, which rounds away most of a small `lost`, and the mean moves by a small difference.
    """
    here = observed(x)
    weight = old.weight.plus(-lost * old.weight.high)
    if new is None:  # what the weight lacks to 1
        new = (1 - weight.high) - weight.low
    total = weight.plus(jnp.broadcast_to(new, weight.high.shape))
    way = (x / 2 - old.mean.high / 2) - old.mean.low / 2  # half of it: the whole may be too far for the dtype
    moved = old.mean.plus(2 * new / total.high * way)
    full = total if adjust else Exact(jnp.ones_like(total.high), jnp.zeros_like(total.low))
    mean = jax.tree.map(functools.partial(jnp.where, here), moved, old.mean)
    weight = jax.tree.map(functools.partial(jnp.where, here), full, old.weight if ignore_na else weight)
    return LongMean(mean, weight, old.seen + here.astype(jnp.int32))


def _mean_or_nan(state: Any, mean: jax.Array, fewest: int) -> jax.Array:
    return jnp.where(state.seen >= fewest, mean, jnp.nan)


@functools.lru_cache(maxsize=128)
def _ewma(alpha: float, fewest: int, adjust: bool, ignore_na: bool) -> Step:
    by_column = functools.partial(_by_column, alpha=alpha, fewest=fewest, adjust=adjust, ignore_na=ignore_na)
    loop = by_column if has_numba() else None
    if alpha < LONG:
        return Step(*leafwise(_no_long_mean, _long(alpha, fewest, adjust, ignore_na)), by_column=loop, moves_along=True)

    def apply(state: Mean, x: jax.Array) -> tuple[Mean, jax.Array]:
        state = _update(state, floating(x), 1 - alpha, 1 if adjust else alpha, adjust, ignore_na)
        return state, _mean_or_nan(state, state.mean, fewest)

    def lean(carry: tuple[jax.Array, jax.Array], x: jax.Array) -> tuple[tuple[jax.Array, jax.Array], jax.Array]:
        mean, weight = carry
        weight, new = weight * (1 - alpha), 1 if adjust else alpha
        total = weight + new
        mean = _moved(mean, floating(x), new / total)
        return (mean, total if adjust else jnp.ones_like(weight)), mean

    short = _complete(lean, fewest)
    return Step(*leafwise(_no_mean, apply), shortcut=short, by_column=loop, moves_along=True)


def _long(alpha: float, fewest: int, adjust: bool, ignore_na: bool) -> Leaf:
    def apply(state: LongMean, x: jax.Array) -> tuple[LongMean, jax.Array]:
        state = _long_updated(state, floating(x), alpha, 1.0 if adjust else alpha, adjust, ignore_na)
        return state, _mean_or_nan(state, state.mean.high, fewest)

    return apply


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
    def apply_leaf(state: LongMean, x: jax.Array, last: Times, now: Times) -> tuple[LongMean, jax.Array]:
        x = floating(x)
        lost = -jnp.expm1(-math.log(2) * elapsed(last, now, halflife, x.dtype))
        state = _long_updated(state, x, lost, 1.0 if adjust else None, adjust, ignore_na)
        return state, _mean_or_nan(state, state.mean.high, fewest)

    init_values, apply_values = leafwise(_no_long_mean, apply_leaf)

    def init(x0: tuple[Pytree, Times]) -> tuple[Pytree, Times]:
        values, now = x0
        return init_values(values), now

    def apply(state: tuple[Pytree, Times], x: tuple[Pytree, Times]) -> tuple[tuple[Pytree, Times], Pytree]:
        (inner, last), (values, now) = state, x
        inner, y = apply_values(inner, values, last, now)
        return (inner, now), y

    return Step(init, apply, timed=True, moves_along=True)
