"""Answers to bars-by-the-book."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


def fit(A, y):
    """Parameters, residuals and the matrix, with rows of zeros for gaps; and how many were measured."""
    measured = ~jnp.isnan(y)
    A, y = jnp.where(measured[:, None], A, 0.0), jnp.where(measured, y, 0.0)
    params = jnp.linalg.lstsq(A, y)[0]
    return params, y - A @ params, A, measured.sum()


def scaled(A, y, variance):
    """Parameters, and bars with another variance."""
    params, r, A, n = fit(A, y)
    return params, jnp.sqrt(variance(r, n, params.size, y.size) * jnp.diag(jnp.linalg.inv(A.T @ A)))


@right("bars-by-the-book")
def leaves_rows_out(A, y):
    A, y = A[~jnp.isnan(y)], y[~jnp.isnan(y)]
    params, squares, *_ = jnp.linalg.lstsq(A, y)
    C = jnp.linalg.inv(A.T @ A) * jnp.sum((y - A @ params) ** 2) / (A.shape[0] - A.shape[1])
    return params, jnp.diag(C) ** 0.5


@right("bars-by-the-book")
def by_numpy_in_double(A, y):
    A, y = np.asarray(A, np.float64), np.asarray(y, np.float64)
    A, y = A[np.isfinite(y)], y[np.isfinite(y)]
    Q, R = np.linalg.qr(A)
    params = np.linalg.solve(R, Q.T @ y)
    s = np.linalg.norm(y - A @ params) / np.sqrt(len(y) - A.shape[1])
    return params, s * np.linalg.norm(np.linalg.inv(R), axis=1)


@right("bars-by-the-book")
def by_the_hessian(A, y):
    weight = jnp.where(jnp.isnan(y), 0.0, 1.0)
    y = jnp.nan_to_num(y)

    def half_squares(p):
        return 0.5 * jnp.sum(weight * (y - A @ p) ** 2)

    hessian = jax.hessian(half_squares)(jnp.zeros(A.shape[1]))
    params = jnp.linalg.solve(hessian, -jax.grad(half_squares)(jnp.zeros(A.shape[1])))
    variance = 2 * half_squares(params) / (weight.sum() - A.shape[1])
    return [params, jnp.sqrt(variance * jnp.diag(jnp.linalg.inv(hessian)))]


@wrong("bars-by-the-book", "nan-spreads")
def knows_no_gaps(A, y):
    params = jnp.linalg.lstsq(A, y)[0]
    r = y - A @ params
    return params, jnp.sqrt(r @ r / (y.size - params.size) * jnp.diag(jnp.linalg.inv(A.T @ A)))


@wrong("bars-by-the-book", "gaps-are-zero")
def zeros_in_y_alone(A, y):
    return scaled(A, jnp.nan_to_num(y), lambda r, n, p, rows: r @ r / (n - p))


@wrong("bars-by-the-book", "gaps-are-the-mean")
def the_mean_for_gaps(A, y):
    return scaled(A, jnp.where(jnp.isnan(y), jnp.nanmean(y), y), lambda r, n, p, rows: r @ r / (n - p))


@wrong("bars-by-the-book", "gaps-are-the-mean")
def between_neighbours(A, y):
    rows, measured = np.arange(y.size), ~np.isnan(y)
    filled = jnp.interp(rows, rows[measured], y[measured])
    return scaled(A, filled, lambda r, n, p, rows: r @ r / (n - p))


@wrong("bars-by-the-book", "gaps-are-the-mean")
def the_last_value_goes_on(A, y):
    y = np.array(y)
    for i in range(1, y.size):
        y[i] = y[i - 1] if np.isnan(y[i]) else y[i]
    return scaled(A, jnp.asarray(y), lambda r, n, p, rows: r @ r / (n - p))


@wrong("bars-by-the-book", "wrong-params")
def bars_first(A, y):
    return scaled(A, y, lambda r, n, p, rows: r @ r / (n - p))[::-1]


@wrong("bars-by-the-book", "noise-left-out")
def noise_of_one(A, y):
    return scaled(A, y, lambda r, n, p, rows: 1.0)


@wrong("bars-by-the-book", "n-for-degrees-of-freedom")
def mean_square(A, y):
    return scaled(A, y, lambda r, n, p, rows: r @ r / n)


@wrong("bars-by-the-book", "one-parameter-counted")
def as_for_a_mean(A, y):
    return scaled(A, y, lambda r, n, p, rows: r @ r / (n - 1))


@wrong("bars-by-the-book", "gaps-counted")
def all_rows_are_counted(A, y):
    return scaled(A, y, lambda r, n, p, rows: r @ r / (rows - p))


@wrong("bars-by-the-book", "gaps-counted")
def mean_of_all_rows(A, y):
    return scaled(A, y, lambda r, n, p, rows: jnp.mean(r**2))


@wrong("bars-by-the-book", "sum-for-variance")
def undivided(A, y):
    return scaled(A, y, lambda r, n, p, rows: r @ r)


@wrong("bars-by-the-book", "root-of-the-noise")
def standard_deviation(A, y):
    return scaled(A, y, lambda r, n, p, rows: jnp.sqrt(r @ r / (n - p)))


@wrong("bars-by-the-book", "root-of-n")
def error_of_a_mean(A, y):
    return scaled(A, y, lambda r, n, p, rows: r @ r / (n - p) / n)


@wrong("bars-by-the-book", "noise-squared")
def squares_twice(A, y):
    return scaled(A, y, lambda r, n, p, rows: (r @ r / (n - p)) ** 2)


@wrong("bars-by-the-book", "half-forgotten")
def hessian_of_the_squares(A, y):
    params, r, A, n = fit(A, y)
    hessian = jax.hessian(lambda p: jnp.sum((A @ p) ** 2))(params)
    return params, jnp.sqrt(r @ r / (n - params.size) * jnp.diag(jnp.linalg.inv(hessian)))


@wrong("bars-by-the-book", "root-forgotten")
def variances(A, y):
    params, bars = scaled(A, y, lambda r, n, p, rows: r @ r / (n - p))
    return params, bars**2


@wrong("bars-by-the-book", "diagonal-first")
def one_over_the_diagonal(A, y):
    params, r, A, n = fit(A, y)
    return params, jnp.sqrt(r @ r / (n - params.size) / jnp.diag(A.T @ A))


@wrong("bars-by-the-book", "not-inverted")
def the_normal_matrix_itself(A, y):
    params, r, A, n = fit(A, y)
    return params, jnp.sqrt(r @ r / (n - params.size) * jnp.diag(A.T @ A))


@wrong("bars-by-the-book", "gaps-in-the-matrix")
def the_whole_matrix(A, y):
    params, r, _, n = fit(A, y)
    return params, jnp.sqrt(r @ r / (n - params.size) * jnp.diag(jnp.linalg.inv(A.T @ A)))


@wrong("bars-by-the-book", "two-bars")
def of_95_percent(A, y):
    params, bars = scaled(A, y, lambda r, n, p, rows: r @ r / (n - p))
    return params, 2 * bars


@wrong("bars-by-the-book", "wrong-bars")
def sizes_for_squares(A, y):
    return scaled(A, y, lambda r, n, p, rows: (jnp.abs(r).sum() / (n - p)) ** 2)


@wrong("bars-by-the-book", "not-a-pair")
def parameters_alone(A, y):
    return fit(A, y)[0]


@wrong("bars-by-the-book", "whole-matrix")
def the_covariance(A, y):
    params, r, A, n = fit(A, y)
    return params, r @ r / (n - params.size) * jnp.linalg.inv(A.T @ A)


@wrong("bars-by-the-book", "bars-of-other-shape")
def the_noise_alone(A, y):
    params, r, A, n = fit(A, y)
    return params, jnp.sqrt(r @ r / (n - params.size))


@wrong("bars-by-the-book", "mean-taken-off")
def by_numpys_variance(A, y):
    A, y = np.asarray(A, np.float64), np.asarray(y, np.float64)
    A, y = A[~np.isnan(y)], y[~np.isnan(y)]
    params = np.linalg.lstsq(A, y, rcond=None)[0]
    variance = np.var(y - A @ params, ddof=params.size)
    return params, np.sqrt(np.diag(variance * np.linalg.inv(A.T @ A)))
