"""Ready-made steps: each is a few lines over the same mechanism, so that a reader can write the next one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from datetime import timedelta
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.frames._step import Pytree, Shortcut, Step
from jaxcourse.frames._times import Times, elapsed

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
    """A row as floating-point numbers: integers and booleans get JAX's default precision."""
    return jnp.asarray(x, x.dtype if jnp.issubdtype(x.dtype, jnp.floating) else jnp.result_type(float))


def observed(x: jax.Array) -> jax.Array:
    """What pandas takes for a value that is there: in windows it treats infinities as missing, too."""
    return jnp.isfinite(x)


def smoothing(
    com: float | None = None, span: float | None = None, halflife: float | None = None, alpha: float | None = None
) -> float:
    """The smoothing factor alpha, from exactly one of the four ways in which pandas states a decay.

    Args:
        com: Centre of mass, at least 0: alpha = 1 / (1 + com).
        span: At least 1: alpha = 2 / (span + 1).
        halflife: Above 0, in rows: alpha = 1 - 2 ** (-1 / halflife).
        alpha: Above 0, up to 1.

    Raises:
        ValueError: If not exactly one is given, or if it is out of its range.

    Example:
        >>> smoothing(com=1), smoothing(span=3), smoothing(halflife=1), smoothing(alpha=0.5)
        (0.5, 0.5, 0.5, 0.5)

    The formulas: https://pandas.pydata.org/docs/reference/api/pandas.DataFrame.ewm.html
    """
    given = {name: value for name, value in zip(DECAYS, (com, span, halflife, alpha), strict=True) if value is not None}
    if len(given) != 1:
        raise ValueError(f"give exactly one of com, span, halflife and alpha, not {', '.join(given) or 'none'}")
    ((name, value),) = given.items()
    in_range, rule, formula = DECAYS[name]
    if not in_range(value):
        raise ValueError(f"{name} must be {rule}, not {value}")
    return float(formula(value))


DECAYS: dict[str, tuple[Callable[[float], bool], str, Callable[[float], float]]] = {
    "com": (lambda com: com >= 0, "at least 0", lambda com: 1 / (1 + com)),
    "span": (lambda span: span >= 1, "at least 1", lambda span: 2 / (span + 1)),
    "halflife": (lambda half: half > 0, "above 0", lambda half: 1 - 0.5 ** (1 / half)),
    "alpha": (lambda alpha: 0 < alpha <= 1, "above 0 and at most 1", lambda alpha: alpha),
}


Halflife = float | str | timedelta | np.timedelta64


def _seconds(halflife: Halflife | None) -> float:
    if isinstance(halflife, str):
        import pandas as pd

        return float(pd.Timedelta(halflife).total_seconds())
    if isinstance(halflife, (timedelta, np.timedelta64)):
        return float(np.timedelta64(halflife) / np.timedelta64(1, "s"))
    raise TypeError(f"with times, halflife must be a duration such as '4 days' or a timedelta, not {halflife!r}")


def _rows(halflife: Halflife | None) -> float | None:
    if isinstance(halflife, (str, timedelta, np.timedelta64)):
        raise TypeError(f"halflife={halflife!r} is a duration, which needs times=True; without times it counts rows")
    return halflife


def ewma(
    com: float | None = None,
    span: float | None = None,
    halflife: Halflife | None = None,
    alpha: float | None = None,
    *,
    min_periods: int = 0,
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
        min_periods: Values that a column must have had before its mean is shown.
        adjust: Divide by the sum of the weights, which counts near the start; else the plain recursion.
        ignore_na: Missing values let no time pass.
        times: Whether time passes irregularly: then a row is a pair `(values, Times)`, and the weight of a value halves
            in each `halflife`. The state keeps the last moment, which the next batch needs.

    Returns:
        The step. A row is (n,) or any pytree of arrays; integers become floating-point numbers.

    Raises:
        ValueError: If the decay is not given exactly once and within its range.
        TypeError: If `halflife` is a duration without `times`, or the other way round.

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
    fewest = max(min_periods, 1)
    if not times:
        return _ewma(smoothing(com, span, _rows(halflife), alpha), fewest, adjust, ignore_na)
    if (com, span, alpha) != (None, None, None):
        raise ValueError("with times, the decay is given by halflife alone")
    return _timed_ewma(_seconds(halflife), fewest, adjust, ignore_na)


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

    return Step(*leafwise(_no_mean, apply), shortcut=_complete(lean, fewest))


def _complete(lean: Leaf, fewest: int) -> Shortcut:
    """The way over rows in which nothing is missing: all columns share one weight, and a row is a multiply-add."""

    def holds(state: list[Mean], xs: Pytree) -> jax.Array:
        # One sum shows what is missing. Where it overflows, the long way is taken for nothing.
        pairs = zip(state, jax.tree.leaves(xs), strict=True)
        complete = [_alike(old) & (old.seen.min() + 1 >= fewest) & observed(x.sum()) for old, x in pairs]
        return jnp.stack(complete).all()

    def enter(state: list[Mean]) -> list[tuple[jax.Array, jax.Array]]:
        return [(mine.mean, mine.weight.max()) for mine in state]

    def leave(state: list[Mean], carry: list[tuple[jax.Array, jax.Array]], rows: int) -> list[Mean]:
        pairs = zip(state, carry, strict=True)
        return [Mean(mean, jnp.zeros_like(mean) + weight, old.seen + rows) for old, (mean, weight) in pairs]

    return Shortcut(holds, enter, leafwise(_no_mean, lean)[1], leave)


def _alike(state: Mean) -> jax.Array:
    return state.weight.max() == state.weight.min()


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
        bias: Whether to leave out the correction for the few values that carry the weight.

    Returns:
        The step. A row is (n,) or any pytree of arrays.

    Raises:
        ValueError: If the decay is not given exactly once and within its range.

    Example:
        >>> import jax.numpy as jnp
        >>> from jaxcourse import frames
        >>> frames.unroll(frames.ewm_var(alpha=0.5))(jnp.array([1.0, 3.0, 3.0]))[1]
        Array([      nan, 2.       , 0.8571429], dtype=float32)
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


def _windowed(history: int, result: Callable[[jax.Array], jax.Array]) -> Step:
    """A step whose state is the last `history` rows: `result` makes of (history + t, n) rows the last t results."""

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
    return Step(init_tree, apply_tree, leafwise(init, whole)[1])


def rolling_mean(window: int, *, min_periods: int | None = None) -> Step:
    """Mean of the last `window` rows of each column, as `DataFrame.rolling(window, min_periods).mean()` of pandas.

    Each window is summed anew, by doubling: nothing is subtracted, so that a large value leaves no rounding behind.

    Args:
        window: Rows, at least 1.
        min_periods: Values that a window must have; all of them if not given.

    Returns:
        The step. A row is (n,) or any pytree of arrays. Its state is the last `window - 1` rows.

    Raises:
        ValueError: If `window` is below 1, or `min_periods` is not from 0 to `window`.

    Example:
        >>> import jax.numpy as jnp
        >>> from jaxcourse import frames
        >>> frames.unroll(frames.rolling_mean(2))(jnp.array([1.0, 3.0, 7.0]))[1]
        Array([nan,  2.,  5.], dtype=float32)
    """
    fewest = window if min_periods is None else min_periods
    if window < 1 or not 0 <= fewest <= window:
        raise ValueError(f"window must be 1 at least and min_periods from 0 to window, not {window} and {min_periods}")
    return _rolling_mean(window, max(fewest, 1))


@functools.lru_cache(maxsize=128)
def _rolling_mean(window: int, fewest: int) -> Step:
    def result(rows: jax.Array) -> jax.Array:
        here = observed(rows)
        count = _window_sum(here.astype(jnp.int32), window)
        total = _window_sum(jnp.where(here, rows, 0), window)
        return jnp.where(count >= fewest, total / jnp.maximum(count, 1).astype(rows.dtype), jnp.nan)

    return _windowed(window - 1, result)


def _window_sum(rows: jax.Array, window: int) -> jax.Array:
    """Sums of `window` rows in a row: sums of 1, 2, 4, ... rows are added up as the binary digits of `window` say."""
    results = rows.shape[0] - window + 1
    total, start, width = jnp.zeros_like(rows[:results]), 0, 1
    while width <= window:
        if window & width:
            total, start = total + rows[start : start + results], start + width
        rows, width = rows[: rows.shape[0] - width] + rows[width:] if 2 * width <= window else rows, 2 * width
    return total


def lag(n: int = 1) -> Step:
    """The row `n` rows ago, as `DataFrame.shift(n)` of pandas; NaN for the first `n` rows.

    Args:
        n: Rows, at least 0. The future is not known to a step.

    Returns:
        The step. A row is (n,) or any pytree of arrays; its state is the last `n` rows.

    Raises:
        ValueError: If `n` is negative.

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
        n: Rows, at least 0.

    Returns:
        The step. A row is (n,) or any pytree of arrays; its state is the last `n` rows.

    Raises:
        ValueError: If `n` is negative.

    Example:
        >>> import jax.numpy as jnp
        >>> from jaxcourse import frames
        >>> frames.unroll(frames.diff())(jnp.array([1.0, 3.0, 7.0]))[1]
        Array([nan,  2.,  4.], dtype=float32)
    """
    return _diff(_past(n))


def _past(n: int) -> int:
    if n < 0:
        raise ValueError(f"n must be at least 0, not {n}: a step does not know the future")
    return n


@functools.lru_cache(maxsize=128)
def _lag(n: int) -> Step:
    return _windowed(n, lambda rows: rows[: rows.shape[0] - n])


@functools.lru_cache(maxsize=128)
def _diff(n: int) -> Step:
    return _windowed(n, lambda rows: rows[n:] - rows[: rows.shape[0] - n])
