"""forecast-with-a-bar."""

import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, Also, declare, require, seen
from jaxcourse.exercise import is_numeric


def matrix(t):
    """The design of a level, a rate, an acceleration and a season."""
    return np.stack([np.ones_like(t), t, t**2 / 2, np.sin(2 * np.pi * t), np.cos(2 * np.pi * t)], axis=1)


@probe.question(evidence="values")
def forecasts_of(student_function, t, y, params, fits, when):
    """What comes back for a trend with a season."""

    def design(t):
        return jnp.stack([jnp.ones_like(t), t, t**2 / 2, jnp.sin(2 * jnp.pi * t), jnp.cos(2 * jnp.pi * t)], axis=1)

    return student_function(design, *probe.on_device((t, y, params, fits, when)))


def parts(t, y, params, fits, when):
    """Rows of the design at `when`, the fits, the standard deviation of the residuals, and the rows at `t`."""
    t, y, params, fits, when = (np.asarray(part, np.float64) for part in (t, y, params, fits, when))
    return matrix(when), fits, float(np.nanstd(y - matrix(t) @ params)), matrix(t)


def right_forecasts(t, y, params, fits, when):
    """The oracle of the first part."""
    return matrix(np.asarray(when, np.float64)) @ np.asarray(params, np.float64)


def of_spread(made):
    """Bars that follow from the scatter of the fits' curves and that of the residuals."""

    def bars(t, y, params, fits, when):
        later, fits, noise, _ = parts(t, y, params, fits, when)
        return made((later @ fits.T).std(axis=1), noise, len(fits))

    return bars


right_bars = of_spread(lambda spread, noise, draws: np.hypot(spread, noise))


def single_parameters(*case):
    """The bars of the parameters alone, as if their errors were independent."""
    later, fits, noise, _ = parts(*case)
    return np.sqrt((later**2) @ fits.var(axis=0) + noise**2)


def sizes_added(*case):
    """The bars of the parameters, added up."""
    later, fits, noise, _ = parts(*case)
    return np.hypot(np.abs(later) @ fits.std(axis=0), noise)


def by_the_book(with_noise):
    """What the formula for independent errors gives."""

    def bars(*case):
        later, _, noise, rows = parts(*case)
        rows = rows[~np.isnan(case[1])]
        spread = noise * np.sqrt(np.einsum("ij,jk,ik->i", later, np.linalg.inv(rows.T @ rows), later))
        return np.hypot(spread, noise) if with_noise else spread

    return bars


def middle_half(*case):
    """Half of the width that holds 95 % of the fits' curves, which is about two bars."""
    later, fits, _, _ = parts(*case)
    low, high = np.percentile(later @ fits.T, [2.5, 97.5], axis=1)
    return (high - low) / 2


def gaps_counted(*case):
    """The scatter of the residuals, with each gap as one that is 0."""
    later, fits, noise, _ = parts(*case)
    measured = 1 - np.isnan(case[1]).mean()
    return np.sqrt((later @ fits.T).var(axis=1) + measured * noise**2)


def elsewhere(clock):
    """The forecasts if time is counted from another zero."""

    def forecasts(t, y, params, fits, when):
        return matrix(np.asarray(clock(t, when), np.float64)) @ np.asarray(params, np.float64)

    return forecasts


def all_nan(got):
    """Whether nothing but NaN came back."""
    return is_numeric(got) and bool(np.isnan(np.asarray(got, float)).all())


OF_FORECASTS = {
    "mean-of-the-fits": [
        lambda t, y, params, fits, when: right_forecasts(t, y, fits.mean(axis=0), fits, when),
        lambda t, y, params, fits, when: np.median(matrix(when) @ fits.T, axis=1),
    ],
    "other-zero": [
        elsewhere(lambda t, when: when - t[0]),
        elsewhere(lambda t, when: when - t[-1]),
        elsewhere(lambda t, when: when - when[0]),
        elsewhere(lambda t, when: when + t[-1]),
        elsewhere(lambda t, when: when - t.mean()),
    ],
    "nan-spreads": seen(lambda reply: all_nan(reply.got)),
}

OF_BARS = {
    "nan-spreads": seen(lambda reply: reply.right or all_nan(reply.got)),
    "noise-left-out": of_spread(lambda spread, noise, draws: spread),
    "curve-left-out": of_spread(lambda spread, noise, draws: noise + 0 * spread),
    "bars-added": of_spread(lambda spread, noise, draws: spread + noise),
    "root-forgotten": of_spread(lambda spread, noise, draws: spread**2 + noise**2),
    "error-of-the-mean": [
        of_spread(lambda spread, noise, draws: spread / np.sqrt(draws)),
        of_spread(lambda spread, noise, draws: np.hypot(spread / np.sqrt(draws), noise)),
    ],
    "gaps-counted": gaps_counted,
    "two-bars": [of_spread(lambda spread, noise, draws: 2 * np.hypot(spread, noise))],
    "correlations-left-out": single_parameters,
    "correlations-left-out/added": sizes_added,
    "book-believed": by_the_book(True),
    "book-believed/curve": by_the_book(False),
}


def part_of(pair, place, count):
    """One part of the pair that came back, in its form."""
    require(isinstance(pair, (tuple, list)) and len(pair) == 2, "not-a-pair")
    shape = np.shape(pair[place])
    require(shape == (count,), "one-for-each-time", count=count, shape=shape)
    return pair[place]


def remembering(rng, n):
    """Noise of the size 1 that remembers."""
    noise = rng.normal(size=n)
    for i in range(1, n):
        noise[i] = 0.9 * noise[i - 1] + np.sqrt(1 - 0.9**2) * noise[i]
    return noise


def records(rng):
    """Series with gaps, the fits of a bootstrap that depend on each other, and times before, within and after."""
    n, draws = 400, 300
    for _ in range(3):
        # Counted from neither end, nor from the middle: with a season, another zero is another phase.
        t = np.linspace(-3.2, 4.5, n)
        truth = rng.uniform([3, 1, 0.2, 1, 1], 4) + [
            3400,
            0,
            0,
            0,
            0,
        ]  # squares of such values leave no digits for a bar
        y = matrix(t) @ truth + rng.uniform(0.5, 0.9) * remembering(rng, n)
        y[rng.permutation(n)[:140]] = np.nan
        rows, seen_values = matrix(t)[~np.isnan(y)], y[~np.isnan(y)]
        params = np.linalg.lstsq(rows, seen_values, rcond=None)[0]
        # The level falls where the rate rises, and all of them are off by a little on average.
        scatter = rng.normal(0, 0.12, (draws, params.size))
        scatter[:, 0] = 0.3 * scatter[:, 0] - 2.5 * scatter[:, 1]
        fits = params + 0.15 + scatter
        when = np.sort(rng.uniform([-3, 1, 5.1, 7.3], [-1, 3, 6.2, 8.4]))
        yield tuple(np.asarray(part, np.float32) for part in (t, y, params, fits, when))


WORDS = """
hint: What curve does each of the fits have at the times `when`? You have a matrix for these times.
hint: `design(when) @ fits.T` has a row for each time. Its standard deviation along the row is the curve's part.
hint: The residuals are `y - design(t) @ params`, with NaN in the gaps. Use `jnp.nanstd`, then `jnp.hypot`.
not-a-pair: Return a pair of forecasts and bars.
one-for-each-time: There are {count} times, so {count} forecasts and {count} bars. One of yours has the shape {shape}.
mean-of-the-fits: You took the middle of the bootstrap's fits. The forecast is the curve of `params`, and the fits tell
    its scatter.
other-zero: You counted time from another zero, so your trend begins elsewhere, and your season is out of phase. `when`
    has the zero of `t`.
nan-spreads: A gap in `y` makes all of your numbers NaN. Take the standard deviation of what was measured.
wrong-forecast: The forecast is `design(when) @ params`.
noise-left-out: Your bars are those of the curve. A single value scatters around it, so add the variance of the
    residuals.
curve-left-out: Your bars are those of a value around a curve that you know. The curve is uncertain as well, the more
    the farther you look.
bars-added: You added two standard deviations. Independent errors add their squares.
root-forgotten: Those are variances. A bar is the root.
error-of-the-mean: You divided by the root of how many there are. More fits, or more values, don't make the next value
    scatter less.
gaps-counted: Your residuals scatter too little, since each gap counts as one that is 0. Leave the gaps out.
two-bars: Your bars are twice as long. One bar is one standard deviation.
correlations-left-out: You took the bars of single parameters. Their errors depend on each other, so compute each fit's
    curve, and take the scatter of the curves.
correlations-left-out/added: You added the bars of single parameters. Their errors depend on each other, so compute each
    fit's curve, and take the scatter of the curves.
book-believed: You took the book's covariance, which believes that each error is a new draw. The block bootstrap's fits
    know better.
book-believed/curve: You took the book's covariance, as if each error were a new draw, and left out the noise. Take the
    scatter of the fits' curves, and add the residuals' variance.
wrong-bars: The variance of a forecast is that of the fits' curves there, plus that of the residuals.
"""

forecast_with_a_bar = declare(
    "forecast-with-a-bar",
    see="out-of-the-window",
    steps=[
        Agrees(
            right_forecasts,
            extremes=records,
            ask=forecasts_of,
            reads=lambda pair, *case: part_of(pair, 0, len(case[-1])),
            shows="forecast_with_a_bar(design, t, y, params, fits, when)",
            mistakes=OF_FORECASTS,
            otherwise="wrong-forecast",
            then=[
                Also(
                    right_bars,
                    reads=lambda pair, *case: part_of(pair, 1, len(case[-1])),
                    mistakes=OF_BARS,
                    otherwise="wrong-bars",
                    rtol=0.012,
                )
            ],
            rtol=1e-5,
        )
    ],
    words=WORDS,
)
