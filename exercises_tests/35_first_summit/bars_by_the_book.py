"""bars-by-the-book."""

import numpy as np

from jaxcourse.checks import Agrees, Also, declare, on_jax_arrays, require, seen
from jaxcourse.exercise import is_numeric


def fitted(A, y):
    """Parameters, inverse of the normal matrix, sum of the squared residuals, and how many were measured."""
    A, y = np.asarray(A, np.float64), np.asarray(y, np.float64)
    measured = ~np.isnan(y)
    A, y = A[measured], y[measured]
    params = np.linalg.lstsq(A, y, rcond=None)[0]
    return params, np.linalg.inv(A.T @ A), float(((y - A @ params) ** 2).sum()), len(y)


def right_params(A, y):
    """The oracle of the first part."""
    return fitted(A, y)[0]


def bars_with(variance):
    """Bars whose noise is estimated otherwise: `variance(squares, n, p, rows)`."""

    def made(A, y):
        params, inverse, squares, n = fitted(A, y)
        return np.sqrt(variance(squares, n, params.size, len(y)) * np.diag(inverse))

    return made


right_bars = bars_with(lambda squares, n, p, rows: squares / (n - p))


def filled(value):
    """The parameters if each gap is taken for a value."""

    def made(A, y):
        y = np.asarray(y, np.float64)
        return fitted(A, np.where(np.isnan(y), value(y), y))[0]

    return made


def interpolated(A, y):
    """The parameters if each gap is filled from its neighbours."""
    y, rows = np.asarray(y, np.float64), np.arange(len(y))
    measured = ~np.isnan(y)
    return fitted(A, np.interp(rows, rows[measured], y[measured]))[0]


def carried_on(A, y):
    """The parameters if the last value is taken for each gap behind it; those at the beginning are left out."""
    y = np.asarray(y, np.float64)
    last = np.maximum.accumulate(np.where(np.isnan(y), -1, np.arange(len(y))))
    return fitted(A, np.where(last < 0, np.nan, y[last]))[0]


def less_their_mean(A, y):
    """The variance of the residuals about their mean, which is 0 only beside a column of ones."""
    params, inverse, squares, n = fitted(A, y)
    r = (np.asarray(y, np.float64) - np.asarray(A, np.float64) @ params)[~np.isnan(y)]
    return np.sqrt((squares - n * r.mean() ** 2) / (n - params.size) * np.diag(inverse))


def diagonal_first(A, y):
    """Each bar as if all other parameters were known."""
    params, inverse, squares, n = fitted(A, y)
    return np.sqrt(squares / (n - params.size) / np.diag(np.linalg.inv(inverse)))


def not_inverted(A, y):
    """The roots of the diagonal of the normal matrix."""
    params, inverse, squares, n = fitted(A, y)
    return np.sqrt(squares / (n - params.size) * np.diag(np.linalg.inv(inverse)))


def all_rows(A, y):
    """The noise is right, and the matrix has the rows of the gaps as well."""
    params, _, squares, n = fitted(A, y)
    A = np.asarray(A, np.float64)
    return np.sqrt(squares / (n - params.size) * np.diag(np.linalg.inv(A.T @ A)))


NOISE = {
    "noise-left-out": lambda squares, n, p, rows: 1.0,
    "n-for-degrees-of-freedom": lambda squares, n, p, rows: squares / n,
    "one-parameter-counted": lambda squares, n, p, rows: squares / (n - 1),
    "gaps-counted": lambda squares, n, p, rows: squares / (rows - p),
    "gaps-counted/mean": lambda squares, n, p, rows: squares / rows,
    "sum-for-variance": lambda squares, n, p, rows: squares,
    "root-of-the-noise": lambda squares, n, p, rows: np.sqrt(squares / (n - p)),
    "root-of-n": lambda squares, n, p, rows: squares / (n - p) / n,
    "noise-squared": lambda squares, n, p, rows: (squares / (n - p)) ** 2,
    "half-forgotten": lambda squares, n, p, rows: squares / (n - p) / 2,
}

OF_BARS = {
    **{label: bars_with(variance) for label, variance in NOISE.items()},
    "root-forgotten": lambda A, y: right_bars(A, y) ** 2,
    "mean-taken-off": less_their_mean,
    "diagonal-first": diagonal_first,
    "not-inverted": not_inverted,
    "gaps-in-the-matrix": all_rows,
    "two-bars": lambda A, y: 2 * right_bars(A, y),
}


def all_nan(got):
    """Whether nothing but NaN came back."""
    return is_numeric(got) and bool(np.isnan(np.asarray(got, float)).all())


OF_PARAMS = {
    "nan-spreads": seen(lambda reply: reply.right or all_nan(reply.got)),
    "gaps-are-zero": filled(lambda y: 0.0),
    "gaps-are-the-mean": filled(np.nanmean),
    "gaps-are-the-mean/interpolated": interpolated,
    "gaps-are-the-mean/carried": carried_on,
}


def pair_of(pair, place, size):
    """One part of the pair that came back, in its form."""
    require(isinstance(pair, (tuple, list)) and len(pair) == 2, "not-a-pair")
    shapes = [np.shape(part) for part in pair]
    require(shapes[1] != (size, size), "whole-matrix", size=size)
    require(shapes[1] == (size,), "bars-of-other-shape", shape=shapes[1], size=size)
    return pair[place]


def series(rng, shape):
    """Rows of a design, and values around a curve whose truth is known, some of them missing.

    Without the column of ones, the curve lies below them all, so that the residuals have a mean.
    """
    rows, size, gaps, ones = shape
    t = np.sort(rng.uniform(-1.5, 1.5, rows))
    seasons = [wave(2 * np.pi * k * t) for k in (1, 2) for wave in (np.sin, np.cos)]
    A = np.stack([np.ones_like(t), t, t**2 / 2, *seasons], axis=1)[:, 1 - ones :][:, :size]
    y = 1 - ones + A @ rng.uniform(2, 5, size) + rng.uniform(0.3, 0.8) * rng.normal(size=rows)
    y[rng.permutation(rows)[:gaps]] = np.nan
    return A.astype(np.float32), y.astype(np.float32)


WORDS = """
hint: Which rows of `A` and of `y` can say something about the parameters?
hint: Give rows without a value zeros in both: `jnp.where(measured[:, None], A, 0.0)`. They add nothing to any sum.
hint: `variance = r @ r / (measured.sum() - params.size)`
nan-spreads: One gap makes all of your parameters NaN. Leave out its row, or make it zeros.
gaps-are-zero: You took 0 for each missing value, and your curve bends down to it. A gap says nothing, so its row should
    be zeros in `A` as well.
gaps-are-the-mean: You filled the gaps with the mean of the others, and your curve believes it. A gap says nothing, so
    leave out its row.
gaps-are-the-mean/interpolated: You filled the gaps from their neighbours, which count twice then. A gap says nothing,
    so leave out its row.
gaps-are-the-mean/carried: You took the last value for each gap behind it, so that it counts twice. A gap says nothing,
    so leave out its row.
wrong-params: The parameters should be those of the least-squares fit to the values that were measured.
noise-left-out: Your bars are the roots of the diagonal of (AᵀA)⁻¹, and the noise isn't in them. Estimate it from the
    residuals.
n-for-degrees-of-freedom: You divided by n. The parameters have bent the curve towards the values, so divide by n - p.
one-parameter-counted: You divided by n - 1, as for a mean. Here there are p parameters, so divide by n - p.
gaps-counted: Your n counts the gaps. It should count what was measured.
gaps-counted/mean: You divided by the number of all rows, gaps included. Divide by what was measured, less p.
sum-for-variance: You took the sum of the squares for the variance. Divide it by n - p.
root-of-the-noise: You multiplied by s, and not by s². The root comes once, at the end.
root-of-n: You divided by n twice. (AᵀA)⁻¹ gets smaller with n by itself.
noise-squared: You squared the variance. s² is r·r / (n - p), and it stands in C once.
half-forgotten: Your bars are too short by √2. Is it the Hessian of r·r, and not of its half?
root-forgotten: Those are variances. The bars are their roots.
mean-taken-off: You took the mean off your residuals, as `var` does. Their mean is 0 only if `A` has a column of ones.
    Divide r·r by n - p.
diagonal-first: Each of your bars is right if all other parameters are known. Invert first, and take the diagonal then.
not-inverted: You took AᵀA itself, and not its inverse. More rows should make a bar shorter.
gaps-in-the-matrix: Your noise is right, but your AᵀA has the rows of the gaps as well. They say nothing, so make them
    zeros.
two-bars: Your bars are twice as long. One bar is one standard deviation.
wrong-bars: The bars are the roots of the diagonal of s² (AᵀA)⁻¹, of the measured rows alone.
not-a-pair: Return a pair of parameters and bars.
whole-matrix: Your second part is a matrix. The bars are the {size} roots of its diagonal.
bars-of-other-shape: Your bars have the shape {shape}. There are {size} of them, one for each parameter.
"""

bars_by_the_book = declare(
    "bars-by-the-book",
    see="by-the-book",
    steps=[
        Agrees(
            right_params,
            series,
            [(9, 1, 2, True), (25, 5, 6, True), (25, 5, 0, True), (25, 5, 3, False)],
            each=3,
            ask=on_jax_arrays,
            reads=lambda pair, A, y: pair_of(pair, 0, A.shape[1]),
            mistakes=OF_PARAMS,
            otherwise="wrong-params",
            then=[
                Also(
                    right_bars,
                    reads=lambda pair, A, y: pair_of(pair, 1, A.shape[1]),
                    mistakes=OF_BARS,
                    otherwise="wrong-bars",
                    rtol=2e-3,
                )
            ],
            rtol=1e-3,
        )
    ],
    words=WORDS,
)
