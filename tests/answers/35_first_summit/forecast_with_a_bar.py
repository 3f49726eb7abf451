"""Answers to forecast-with-a-bar."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


def parts(design, t, y, params, fits, when):
    """The rows at `when`, the scatter of the fits' curves there, and that of the residuals."""
    later = design(when)
    return later, jnp.std(later @ fits.T, axis=1), jnp.nanstd(y - design(t) @ params)


@right("forecast-with-a-bar")
def by_the_covariance_of_the_fits(design, t, y, params, fits, when):
    later = np.asarray(design(when), np.float64)
    C = np.cov(np.asarray(fits, np.float64).T)
    r = np.asarray(y - design(t) @ params)
    r = r[~np.isnan(r)]
    noise = (r**2).sum() / (len(r) - len(params))
    return later @ np.asarray(params), np.sqrt(np.diag(later @ C @ later.T) + noise)


@right("forecast-with-a-bar")
def one_time_after_the_other(design, t, y, params, fits, when):
    residuals = y - design(t) @ params
    noise = jnp.nanmean(residuals**2)

    def one(moment):
        row = design(moment[None])[0]
        return row @ params, jnp.sqrt(jnp.var(fits @ row, ddof=1) + noise)

    return jax.vmap(one)(when)


@right("forecast-with-a-bar")
def draws_new_values(design, t, y, params, fits, when):
    curves = jax.vmap(lambda p: design(when) @ p)(fits)
    residuals = y - design(t) @ params
    variance = curves.var(axis=0) + jnp.nanvar(residuals, ddof=1)
    return [design(when) @ params, variance**0.5]


@wrong("forecast-with-a-bar", "noise-left-out")
def of_the_curve(design, t, y, params, fits, when):
    later, spread, _ = parts(design, t, y, params, fits, when)
    return later @ params, spread


@wrong("forecast-with-a-bar", "curve-left-out")
def of_a_value(design, t, y, params, fits, when):
    later, spread, noise = parts(design, t, y, params, fits, when)
    return later @ params, jnp.full(when.shape, noise)


@wrong("forecast-with-a-bar", "bars-added")
def sum_of_two(design, t, y, params, fits, when):
    later, spread, noise = parts(design, t, y, params, fits, when)
    return later @ params, spread + noise


@wrong("forecast-with-a-bar", "root-forgotten")
def variances(design, t, y, params, fits, when):
    later, spread, noise = parts(design, t, y, params, fits, when)
    return later @ params, spread**2 + noise**2


@wrong("forecast-with-a-bar", "error-of-the-mean")
def over_the_root_of_draws(design, t, y, params, fits, when):
    later, spread, noise = parts(design, t, y, params, fits, when)
    return later @ params, jnp.hypot(spread / len(fits) ** 0.5, noise)


@wrong("forecast-with-a-bar", "noise-left-out")
def noise_of_a_mean(design, t, y, params, fits, when):
    later, spread, noise = parts(design, t, y, params, fits, when)
    return later @ params, jnp.hypot(spread, noise / jnp.sqrt((~jnp.isnan(y)).sum()))


@wrong("forecast-with-a-bar", "two-bars")
def of_95_percent(design, t, y, params, fits, when):
    later, spread, noise = parts(design, t, y, params, fits, when)
    return later @ params, 2 * jnp.hypot(spread, noise)


@wrong("forecast-with-a-bar", "correlations-left-out")
def bars_of_parameters(design, t, y, params, fits, when):
    later, _, noise = parts(design, t, y, params, fits, when)
    return later @ params, jnp.sqrt(later**2 @ fits.std(axis=0) ** 2 + noise**2)


@wrong("forecast-with-a-bar", "correlations-left-out")
def adds_bars_of_parameters(design, t, y, params, fits, when):
    later, _, noise = parts(design, t, y, params, fits, when)
    return later @ params, jnp.hypot(jnp.abs(later) @ fits.std(axis=0), noise)


def book(design, t, y, params, when):
    """The spread of the curve by the formula, and the noise."""
    A = design(t) * ~jnp.isnan(y)[:, None]
    r = jnp.nan_to_num(y - design(t) @ params)
    variance = r @ r / ((~jnp.isnan(y)).sum() - params.size)
    later = design(when)
    return jnp.sqrt(variance * jnp.diag(later @ jnp.linalg.inv(A.T @ A) @ later.T)), jnp.sqrt(variance)


@wrong("forecast-with-a-bar", "book-believed")
def by_the_formula(design, t, y, params, fits, when):
    return design(when) @ params, jnp.hypot(*book(design, t, y, params, when))


@wrong("forecast-with-a-bar", "book-believed")
def curve_by_the_formula(design, t, y, params, fits, when):
    return design(when) @ params, book(design, t, y, params, when)[0]


@wrong("forecast-with-a-bar", "mean-of-the-fits")
def the_fits_decide(design, t, y, params, fits, when):
    later, spread, noise = parts(design, t, y, params, fits, when)
    return (later @ fits.T).mean(axis=1), jnp.hypot(spread, noise)


@wrong("forecast-with-a-bar", "mean-of-the-fits")
def the_median_fit(design, t, y, params, fits, when):
    later, spread, noise = parts(design, t, y, params, fits, when)
    return jnp.median(later @ fits.T, axis=1), jnp.hypot(spread, noise)


@wrong("forecast-with-a-bar", "other-zero")
def since_the_first_value(design, t, y, params, fits, when):
    later, spread, noise = parts(design, t, y, params, fits, when)
    return design(when - t[0]) @ params, jnp.hypot(spread, noise)


@wrong("forecast-with-a-bar", "other-zero")
def since_the_end(design, t, y, params, fits, when):
    later, spread, noise = parts(design, t, y, params, fits, when)
    return design(when - t[-1]) @ params, jnp.hypot(spread, noise)


@wrong("forecast-with-a-bar", "nan-spreads")
def plain_standard_deviation(design, t, y, params, fits, when):
    later, spread, _ = parts(design, t, y, params, fits, when)
    return later @ params, jnp.hypot(spread, jnp.std(y - design(t) @ params))


@wrong("forecast-with-a-bar", "nan-spreads")
def fits_again(design, t, y, params, fits, when):
    later, spread, noise = parts(design, t, y, params, fits, when)
    return later @ jnp.linalg.lstsq(design(t), y)[0], jnp.hypot(spread, noise)


@wrong("forecast-with-a-bar", "wrong-forecast")
def twice_the_level(design, t, y, params, fits, when):
    later, spread, noise = parts(design, t, y, params, fits, when)
    return params[0] + later @ params, jnp.hypot(spread, noise)


@wrong("forecast-with-a-bar", "wrong-bars")
def range_of_the_fits(design, t, y, params, fits, when):
    later, spread, noise = parts(design, t, y, params, fits, when)
    return later @ params, jnp.ptp(later @ fits.T, axis=1)


@wrong("forecast-with-a-bar", "not-a-pair")
def forecasts_alone(design, t, y, params, fits, when):
    return design(when) @ params


@wrong("forecast-with-a-bar", "one-for-each-time")
def one_bar_for_all(design, t, y, params, fits, when):
    later, spread, noise = parts(design, t, y, params, fits, when)
    return later @ params, jnp.hypot(spread, noise).mean()


@wrong("forecast-with-a-bar", "wrong-bars")
def squares_less_a_square(design, t, y, params, fits, when):
    curves = design(when) @ fits.T
    spread = jnp.mean(curves**2, axis=1) - jnp.mean(curves, axis=1) ** 2
    return design(when) @ params, jnp.sqrt(spread + jnp.nanvar(y - design(t) @ params))


@wrong("forecast-with-a-bar", "gaps-counted")
def a_gap_as_a_residual_of_zero(design, t, y, params, fits, when):
    rest = jnp.nan_to_num(y - design(t) @ params)
    return design(when) @ params, jnp.hypot(jnp.std(design(when) @ fits.T, axis=1), jnp.std(rest))


@wrong("forecast-with-a-bar", "gaps-counted")
def over_all_weeks(design, t, y, params, fits, when):
    rest = y - design(t) @ params
    return design(when) @ params, jnp.sqrt(jnp.var(design(when) @ fits.T, axis=1) + jnp.nansum(rest**2) / y.size)
