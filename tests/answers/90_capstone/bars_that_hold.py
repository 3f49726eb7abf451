"""Answers to bars-that-hold."""

import jax
import jax.numpy as jnp
import optax
from jax import lax

from jaxcourse.exercise import equivalent, right, wrong


def descended(residuals, start, unit, length=12):
    """The loop of the task: scaled parameters, the Jacobian there, and the scaled covariance."""

    def cost(p):
        return optax.huber_loss(residuals(p), delta=3.0).sum()

    def step(carry, _):
        p, damping = carry
        r, J = residuals(p), jax.jacfwd(residuals)(p)
        root = jnp.sqrt(jnp.minimum(1, 3 / jnp.maximum(jnp.abs(r), 3)))
        J, r = J * root[:, None], r * root
        squares = J.T @ J
        damped = squares + damping * jnp.diag(jnp.diag(squares))
        trial = p - jnp.linalg.solve(damped, J.T @ r)
        better = cost(trial) < cost(p)
        damping = jnp.where(better, damping / 4, damping * 4)
        return (jnp.where(better, trial, p), damping), None

    (p, _), _ = lax.scan(step, (start / unit, jnp.float32(0.1)), length=length)
    J = jax.jacfwd(residuals)(p)
    return p, J, jnp.linalg.inv(J.T @ J)


def left_over(expected, wave, unit, readings, source, heard, *, spread="held", copies=True):
    """The residuals as a function of scaled parameters."""
    filled = jnp.take_along_axis(readings, source, axis=0)
    _, held = expected(filled, heard)

    def residuals(p):
        calm = jnp.take_along_axis(readings - wave(p * unit), source, axis=0) if copies else filled - wave(p * unit)
        mean, moving = expected(calm, heard)
        log_spread = {"held": held, "moving": moving, "stopped": lax.stop_gradient(moving)}[spread]
        return (heard[24:] * (calm[24:] - mean) / jnp.exp(log_spread)).ravel()

    return residuals


@wrong("bars-that-hold", "yardstick-moves")
def as_it_was_found(expected, wave, start, unit, readings, source, heard):
    def residuals(p):
        left = readings - wave(p * unit)
        calm = jnp.take_along_axis(left, source, axis=0)
        mean, log_spread = expected(calm, heard)
        return (heard[24:] * (calm[24:] - mean) / jnp.exp(log_spread)).ravel()

    def cost(p):
        return optax.huber_loss(residuals(p), delta=3.0).sum()

    def step(carry, _):
        p, damping = carry
        r, J = residuals(p), jax.jacfwd(residuals)(p)
        root = jnp.sqrt(jnp.minimum(1, 3 / jnp.maximum(jnp.abs(r), 3)))
        J, r = J * root[:, None], r * root
        squares = J.T @ J
        damped = squares + damping * jnp.diag(jnp.diag(squares))
        trial = p - jnp.linalg.solve(damped, J.T @ r)
        better = cost(trial) < cost(p)
        damping = jnp.where(better, damping / 4, damping * 4)
        return (jnp.where(better, trial, p), damping), None

    carry = start / unit, jnp.float32(0.1)
    (p, _), _ = lax.scan(step, carry, length=12)
    J = jax.jacfwd(residuals)(p)
    return p * unit, jnp.linalg.inv(J.T @ J) * unit[:, None] * unit


@right("bars-that-hold")
def holds_what_is_expected_of_the_record(expected, wave, start, unit, readings, source, heard):
    p, _, covariance = descended(left_over(expected, wave, unit, readings, source, heard), start, unit)
    return p * unit, covariance * unit[:, None] * unit


@right("bars-that-hold")
def linearises_the_network_once(expected, wave, start, unit, readings, source, heard):
    filled = jnp.take_along_axis(readings, source, axis=0)
    _, held = expected(filled, heard)

    def innovations(filled):
        return (heard[24:] * (filled[24:] - expected(filled, heard)[0]) / jnp.exp(held)).ravel()

    quiet, response = jax.linearize(innovations, filled)

    def residuals(p):
        return quiet - response(jnp.take_along_axis(wave(p * unit), source, axis=0))

    p, _, covariance = descended(residuals, start, unit)
    return p * unit, covariance * jnp.outer(unit, unit)


@right("bars-that-hold")
def pays_for_the_spread(expected, wave, start, unit, readings, source, heard):
    """The whole likelihood: where a spread may move, its logarithm is paid. Newton with the expected information."""

    def parts(p):
        calm = jnp.take_along_axis(readings - wave(p * unit), source, axis=0)
        mean, log_spread = expected(calm, heard)
        return heard[24:] * (calm[24:] - mean), log_spread

    def cost(p):
        off, log_spread = parts(p)
        return (optax.huber_loss(off / jnp.exp(log_spread), delta=3.0) + heard[24:] * log_spread).sum()

    def squares_at(p):
        off, log_spread = jax.jacfwd(parts)(p)
        spread = jnp.exp(parts(p)[1])[..., None]
        of_mean = (off / spread).reshape(-1, 5)
        of_spread = (heard[24:, :, None] * log_spread).reshape(-1, 5)
        return of_mean.T @ of_mean + 2 * of_spread.T @ of_spread

    def step(carry, _):
        p, damping = carry
        squares = squares_at(p)
        trial = p - jnp.linalg.solve(squares + damping * jnp.diag(jnp.diag(squares)), jax.grad(cost)(p))
        better = cost(trial) < cost(p)
        return (jnp.where(better, trial, p), jnp.where(better, damping / 4, damping * 4)), None

    (p, _), _ = lax.scan(step, (start / unit, jnp.float32(0.1)), length=12)
    return p * unit, jnp.linalg.inv(squares_at(p)) * jnp.outer(unit, unit)


@right("bars-that-hold")
def stops_the_slope_of_the_spread(expected, wave, start, unit, readings, source, heard):
    residuals = left_over(expected, wave, unit, readings, source, heard, spread="stopped")
    p, _, covariance = descended(residuals, start, unit)
    return p * unit, covariance * unit[:, None] * unit


@wrong("bars-that-hold", "fit-is-off")
def takes_the_readings_off_the_wave(expected, wave, start, unit, readings, source, heard):
    filled = jnp.take_along_axis(readings, source, axis=0)
    _, held = expected(filled, heard)

    def residuals(p):
        calm = jnp.take_along_axis(wave(p * unit) - readings, source, axis=0)
        mean, _ = expected(calm, heard)
        return (heard[24:] * (calm[24:] - mean) / jnp.exp(held)).ravel()

    p, _, covariance = descended(residuals, start, unit)
    return p * unit, covariance * unit[:, None] * unit


@wrong("bars-that-hold", "fit-is-off")
def holds_it_in_the_bars_alone(expected, wave, start, unit, readings, source, heard):
    moving = left_over(expected, wave, unit, readings, source, heard, spread="moving")
    p, _, _ = descended(moving, start, unit)
    J = jax.jacfwd(left_over(expected, wave, unit, readings, source, heard))(p)
    return p * unit, jnp.linalg.inv(J.T @ J) * unit[:, None] * unit


@wrong("bars-that-hold", "yardstick-moves")
def holds_it_in_the_fit_alone(expected, wave, start, unit, readings, source, heard):
    p, _, _ = descended(left_over(expected, wave, unit, readings, source, heard), start, unit)
    J = jax.jacfwd(left_over(expected, wave, unit, readings, source, heard, spread="moving"))(p)
    return p * unit, jnp.linalg.inv(J.T @ J) * unit[:, None] * unit


@wrong("bars-that-hold", "one-spread-for-all")
def takes_one_spread_for_all(expected, wave, start, unit, readings, source, heard):
    _, log_spread = expected(jnp.take_along_axis(readings, source, axis=0), heard)
    usual = lambda filled, heard: (expected(filled, heard)[0], jnp.full_like(log_spread, log_spread.mean()))  # noqa: E731
    p, _, covariance = descended(left_over(usual, wave, unit, readings, source, heard), start, unit)
    return p * unit, covariance * unit[:, None] * unit


@wrong("bars-that-hold", "one-spread-for-all")
def takes_the_spread_of_what_is_left(expected, wave, start, unit, readings, source, heard):
    plain = lambda filled, heard: (expected(filled, heard)[0], jnp.zeros_like(heard[24:]))  # noqa: E731
    off = left_over(plain, wave, unit, readings, source, heard)
    spread = jnp.sqrt((off(start / unit) ** 2).sum() / heard[24:].sum())
    p, _, covariance = descended(lambda p: off(p) / spread, start, unit)
    return p * unit, covariance * unit[:, None] * unit


def repaired_with(expected, wave, start, unit, readings, source, heard, what):
    """A fit whose mean and spread are what `what` makes of the record's and of those of what is left."""
    of_record = expected(jnp.take_along_axis(readings, source, axis=0), heard)
    mixed = lambda filled, heard: what(of_record, expected(filled, heard))  # noqa: E731
    residuals = left_over(mixed, wave, unit, readings, source, heard, spread="moving")
    p, _, covariance = descended(residuals, start, unit)
    return p * unit, covariance * unit[:, None] * unit


@wrong("bars-that-hold", "mean-held")
def holds_mean_and_spread(*args):
    return repaired_with(*args, lambda of_record, of_left: of_record)


@wrong("bars-that-hold", "mean-held")
def stops_both_slopes(*args):
    return repaired_with(*args, lambda of_record, of_left: lax.stop_gradient(of_left))


@wrong("bars-that-hold", "mean-held")
def stops_the_slope_of_the_mean(*args):
    return repaired_with(*args, lambda of_record, of_left: (lax.stop_gradient(of_left[0]), of_left[1]))


@wrong("bars-that-hold", "copies-count")
def forgets_who_was_heard(expected, wave, start, unit, readings, source, heard):
    filled = jnp.take_along_axis(readings, source, axis=0)
    _, held = expected(filled, heard)

    def residuals(p):
        calm = jnp.take_along_axis(readings - wave(p * unit), source, axis=0)
        return ((calm[24:] - expected(calm, heard)[0]) / jnp.exp(held)).ravel()

    p, _, covariance = descended(residuals, start, unit)
    return p * unit, covariance * unit[:, None] * unit


@wrong("bars-that-hold", "scaled-units")
def returns_what_is_counted_in_units(expected, wave, start, unit, readings, source, heard):
    p, _, covariance = descended(left_over(expected, wave, unit, readings, source, heard), start, unit)
    return p, covariance * unit[:, None] * unit


@wrong("bars-that-hold", "bars-made-longer")
def makes_the_bars_longer(expected, wave, start, unit, readings, source, heard):
    moving = left_over(expected, wave, unit, readings, source, heard, spread="moving")
    p, _, covariance = descended(moving, start, unit)
    return p * unit, 4 * covariance * unit[:, None] * unit


@wrong("bars-that-hold", "bars-too-long")
def halves_the_squares(expected, wave, start, unit, readings, source, heard):
    p, J, _ = descended(left_over(expected, wave, unit, readings, source, heard), start, unit)
    return p * unit, 2 * jnp.linalg.inv(J.T @ J) * unit[:, None] * unit


@wrong("bars-that-hold", "inverse-of-diagonal")
def inverts_the_diagonal(expected, wave, start, unit, readings, source, heard):
    p, J, _ = descended(left_over(expected, wave, unit, readings, source, heard), start, unit)
    return p * unit, jnp.diag(1 / jnp.diag(J.T @ J)) * unit[:, None] * unit


@wrong("bars-that-hold", "scaled-units")
def forgets_the_units(expected, wave, start, unit, readings, source, heard):
    p, J, _ = descended(left_over(expected, wave, unit, readings, source, heard), start, unit)
    return p * unit, jnp.linalg.inv(J.T @ J)


@wrong("bars-that-hold", "bars-for-covariance")
def returns_the_bars(expected, wave, start, unit, readings, source, heard):
    p, J, _ = descended(left_over(expected, wave, unit, readings, source, heard), start, unit)
    return p * unit, jnp.sqrt(jnp.diag(jnp.linalg.inv(J.T @ J))) * unit


@wrong("bars-that-hold", "gap-keeps-the-wave")
def leaves_the_wave_in_copies(expected, wave, start, unit, readings, source, heard):
    residuals = left_over(expected, wave, unit, readings, source, heard, copies=False)
    p, _, covariance = descended(residuals, start, unit)
    return p * unit, covariance * unit[:, None] * unit


@wrong("bars-that-hold", "stays-at-the-start")
def takes_no_step(expected, wave, start, unit, readings, source, heard):
    _, J, _ = descended(left_over(expected, wave, unit, readings, source, heard), start, unit, length=0)
    return start, jnp.linalg.inv(J.T @ J) * unit[:, None] * unit


@wrong("bars-that-hold", "asks-a-tracer")
def loops_in_python(expected, wave, start, unit, readings, source, heard):
    residuals = left_over(expected, wave, unit, readings, source, heard)
    p = start / unit
    for _ in range(3):
        r, J = residuals(p), jax.jacfwd(residuals)(p)
        trial = p - jnp.linalg.lstsq(J, r)[0]
        if (residuals(trial) ** 2).sum() < (r**2).sum():
            p = trial
    return p * unit, jnp.linalg.inv(J.T @ J) * unit[:, None] * unit


@wrong("bars-that-hold", "bars-too-short")
def halves_the_covariance(expected, wave, start, unit, readings, source, heard):
    p, J, _ = descended(left_over(expected, wave, unit, readings, source, heard), start, unit)
    return p * unit, jnp.linalg.inv(2 * J.T @ J) * unit[:, None] * unit


@wrong("bars-that-hold", "not-a-pair")
def returns_the_parameters_alone(expected, wave, start, unit, readings, source, heard):
    return descended(left_over(expected, wave, unit, readings, source, heard), start, unit)[0] * unit


@wrong("bars-that-hold", "not-finite")
def takes_the_root_of_the_covariance(expected, wave, start, unit, readings, source, heard):
    p, J, _ = descended(left_over(expected, wave, unit, readings, source, heard), start, unit)
    return p * unit, jnp.sqrt(jnp.linalg.inv(J.T @ J)) * unit[:, None] * unit


@wrong("bars-that-hold", "beside-the-diagonal")
def keeps_the_diagonal_alone(expected, wave, start, unit, readings, source, heard):
    p, _, covariance = descended(left_over(expected, wave, unit, readings, source, heard), start, unit)
    return p * unit, jnp.diag(jnp.diag(covariance) * unit**2)


@wrong("bars-that-hold", "beside-the-diagonal")
def scales_rows_twice(expected, wave, start, unit, readings, source, heard):
    p, _, covariance = descended(left_over(expected, wave, unit, readings, source, heard), start, unit)
    return p * unit, covariance * unit[:, None] ** 2


equivalents = [
    equivalent("bars-that-hold", change, why)
    for why, changes in {
        "another damping, or another first one, leads to the same end": [
            "`4`  ->  `-4`",
            "`damping * 4`  ->  `4`",
            "`0.1`  ->  `0.101`",
            "`jnp.where(better, damping / 4, damping * 4)`  ->  "
            "`better * (damping / 4) + (1 - better) * (damping * 4)`",
            "`4`  ->  `3`",
            "`cost(trial) < cost(p)`  ->  `cost(trial) != cost(p)`",
            "`damping / 4`  ->  `damping // 4`",
            "`squares + damping * jnp.diag(jnp.diag(squares))`  ->  `squares`",
            "`jnp.where(better, trial, p)`  ->  `better * trial + (1 - better) * p`",
            "`0.1`  ->  `0.0`",
            "`start / unit`  ->  `start // unit`",
            "`damping / 4`  ->  `4`",
        ],
        "the fit ends at the same place with other weights on the way": [
            "`3`  ->  `2`",
            "`r * root`  ->  `r`",
            "`3.0`  ->  `3.0300000000000002`",
            "`jnp.maximum(jnp.abs(r), 3)`  ->  `jnp.abs(r)`",
            "`jnp.minimum`  ->  `jnp.fmin`",
            "`3 / jnp.maximum(jnp.abs(r), 3)`  ->  `3 // jnp.maximum(jnp.abs(r), 3)`",
            "`3`  ->  `4`",
            "`J * root[:, None]`  ->  `J`",
            "`optax.huber_loss(residuals(p), delta=3.0)`  ->  `optax.huber_loss(residuals(p))`",
            "`3 / jnp.maximum(jnp.abs(r), 3)`  ->  `3 * jnp.maximum(jnp.abs(r), 3)`",
            "`jnp.sqrt`  ->  `jnp.cbrt`",
            "`jnp.sqrt(jnp.minimum(1, 3 / jnp.maximum(jnp.abs(r), 3)))`  ->  "
            "`jnp.minimum(1, 3 / jnp.maximum(jnp.abs(r), 3))`",
        ],
        "one round more changes nothing": [
            "`12`  ->  `13`",
        ],
    }.items()
    for change in changes
]
