"""Answers to quiet-loss."""

import jax.numpy as jnp
import optax
from jax import lax
from jax.scipy.stats import norm

from jaxcourse.barometers import predict
from jaxcourse.exercise import equivalent, right, wrong


@right("quiet-loss")
def by_logpdf(params, window, heard, reading, there):
    mean, log_spread = predict(params, window, heard)
    safe = jnp.where(there > 0, reading, mean)
    return there * (-norm.logpdf(safe, mean, jnp.exp(log_spread)) - 0.5 * jnp.log(2 * jnp.pi))


@right("quiet-loss")
def by_a_guarded_cond(params, window, heard, reading, there):
    def present(off, log_spread):
        return 0.5 * jnp.exp(-2 * log_spread) * off**2 + log_spread

    mean, log_spread = predict(params, window, heard)
    off = jnp.where(there > 0, reading, 0) - mean
    return lax.cond(there > 0, present, lambda *_: 0.0, off, log_spread)


@right("quiet-loss")
def sets_the_difference_to_zero(params, window, heard, reading, there):
    mean, log_spread = predict(params, window, heard)
    off = jnp.where(there == 1, reading - mean, 0.0)
    return jnp.where(there == 1, jnp.square(off * jnp.exp(-log_spread)) / 2 + log_spread, 0.0)


@right("quiet-loss")
def cuts_off_what_nobody_can_read(params, window, heard, reading, there):
    mean, log_spread = predict(params, window, heard)
    z = (jnp.clip(jnp.nan_to_num(reading), -2000, 2000) - mean) / jnp.exp(log_spread)
    return there * (z * z / 2 + log_spread)


@right("quiet-loss")
def chooses_by_a_branch(params, window, heard, reading, there):
    """Of a branch that is not taken, JAX makes a choice whose gradient is stopped, so that no NaN gets through."""

    def pay(reading):
        mean, log_spread = predict(params, window, heard)
        return 0.5 * ((reading - mean) / jnp.exp(log_spread)) ** 2 + log_spread

    return lax.cond(there > 0, pay, lambda _: 0.0, reading)


def of_a_guarded(formula):
    """An answer whose guard is right, and whose formula may not be."""

    def answer(params, window, heard, reading, there):
        mean, log_spread = predict(params, window, heard)
        return there * formula(jnp.where(there > 0, reading, mean) - mean, log_spread)

    return answer


def density(off, log_spread):
    """Minus the logarithm of the density, without its constant."""
    return 0.5 * (off / jnp.exp(log_spread)) ** 2 + log_spread


@wrong("quiet-loss", "spread-not-paid")
def pays_for_the_error_alone(*args):
    return of_a_guarded(lambda off, ls: 0.5 * (off / jnp.exp(ls)) ** 2)(*args)


@wrong("quiet-loss", "spread-for-its-logarithm")
def divides_by_the_logarithm(*args):
    return of_a_guarded(lambda off, ls: 0.5 * (off / ls) ** 2 + jnp.log(ls))(*args)


@wrong("quiet-loss", "spread-for-its-logarithm")
def adds_the_spread(*args):
    return of_a_guarded(lambda off, ls: 0.5 * (off / jnp.exp(ls)) ** 2 + jnp.exp(ls))(*args)


@wrong("quiet-loss", "squared-error")
def forgets_the_spread(*args):
    return of_a_guarded(lambda off, ls: off**2)(*args)


@wrong("quiet-loss", "variance-for-spread")
def takes_it_for_a_variance(*args):
    return of_a_guarded(lambda off, ls: 0.5 * (off**2 / jnp.exp(ls) + ls))(*args)


@wrong("quiet-loss", "half-forgotten")
def forgets_the_half(*args):
    return of_a_guarded(lambda off, ls: (off / jnp.exp(ls)) ** 2 + ls)(*args)


@wrong("quiet-loss", "constant-kept")
def the_whole_logarithm(params, window, heard, reading, there):
    mean, log_spread = predict(params, window, heard)
    safe = jnp.where(there > 0, reading, mean)
    return -there * norm.logpdf(safe, mean, jnp.exp(log_spread))


@wrong("quiet-loss", "sign-turned")
def a_likelihood(*args):
    return -of_a_guarded(density)(*args)


@wrong("quiet-loss", "no-square")
def counts_spreads(*args):
    return of_a_guarded(lambda off, ls: jnp.abs(off) / jnp.exp(ls) + ls)(*args)


@wrong("quiet-loss", "spread-multiplies")
def multiplies_by_the_spread(*args):
    return of_a_guarded(lambda off, ls: 0.5 * (off * jnp.exp(ls)) ** 2 - ls)(*args)


@wrong("quiet-loss", "nan-times-zero")
def multiplies_what_is_missing(params, window, heard, reading, there):
    mean, log_spread = predict(params, window, heard)
    return there * density(reading - mean, log_spread)


@wrong("quiet-loss", "nan-times-zero")
def guards_by_a_product(params, window, heard, reading, there):
    mean, log_spread = predict(params, window, heard)
    safe = (there > 0) * reading + (there <= 0) * mean
    return there * density(safe - mean, log_spread)


@wrong("quiet-loss", "nan-times-zero")
def guards_the_result_alone(params, window, heard, reading, there):
    mean, log_spread = predict(params, window, heard)
    return jnp.where(there > 0, density(reading - mean, log_spread), 0.0)


@wrong("quiet-loss", "nan-times-zero")
def removes_the_nan_alone(params, window, heard, reading, there):
    mean, log_spread = predict(params, window, heard)
    return there * density(jnp.nan_to_num(reading) - mean, log_spread)


@wrong("quiet-loss", "nan-times-zero")
def removes_the_nan_and_chooses_the_result(params, window, heard, reading, there):
    mean, log_spread = predict(params, window, heard)
    known = jnp.where(jnp.isnan(reading), 0.0, reading)
    return jnp.where(there > 0, density(known - mean, log_spread), 0.0)


@wrong("quiet-loss", "wrong-value")
def knows_a_bound_of_spreads(*args):
    return of_a_guarded(lambda off, ls: density(off, jnp.clip(ls, -5.0, 2.0)))(*args)


@wrong("quiet-loss", "variance-for-spread")
def forgets_one_square(*args):
    return of_a_guarded(lambda off, ls: 0.5 * off**2 / jnp.exp(ls) + ls)(*args)


@wrong("quiet-loss", "bounded")
def by_huber(*args):
    return of_a_guarded(lambda off, ls: optax.huber_loss(off / jnp.exp(ls), delta=2.5) + ls)(*args)


@wrong("quiet-loss", "counts-what-is-missing")
def never_looks_whether_it_is_there(params, window, heard, reading, there):
    mean, log_spread = predict(params, window, heard)
    return density(jnp.where(there > 0, reading, mean) - mean, log_spread)


@wrong("quiet-loss", "gradient-of-what-is-missing")
def subtracts_what_it_added(params, window, heard, reading, there):
    mean, log_spread = predict(params, window, heard)
    loss = density(jnp.where(there > 0, reading, mean) - mean, log_spread)
    return loss - (1 - there) * lax.stop_gradient(loss)


@wrong("quiet-loss", "asks-for-a-value")
def asks_python(params, window, heard, reading, there):
    mean, log_spread = predict(params, window, heard)
    if there == 0:
        return 0.0
    return density(reading - mean, log_spread)


@wrong("quiet-loss", "not-a-number")
def keeps_an_axis(params, window, heard, reading, there):
    return of_a_guarded(density)(params, window, heard, jnp.atleast_1d(reading), there)


@wrong("quiet-loss", "other-gradient")
def holds_the_spread(params, window, heard, reading, there):
    mean, log_spread = predict(params, window, heard)
    off = jnp.where(there > 0, reading, mean) - mean
    return there * density(off, lax.stop_gradient(log_spread))


@wrong("quiet-loss", "wrong-value")
def normalises_the_window(params, window, heard, reading, there):
    mean, log_spread = predict(params, window, jnp.ones_like(heard))
    return there * density(jnp.where(there > 0, reading, mean) - mean, log_spread)


@wrong("quiet-loss", "not-finite")
def takes_the_logarithm_of_a_density(params, window, heard, reading, there):
    mean, log_spread = predict(params, window, heard)
    spread = jnp.exp(log_spread)
    off = jnp.where(there > 0, reading, mean) - mean
    return -there * jnp.log(jnp.exp(-0.5 * (off / spread) ** 2) / spread)


@wrong("quiet-loss", "bounded")
def is_robust(*args):
    return of_a_guarded(lambda off, ls: jnp.minimum(0.5 * (off / jnp.exp(ls)) ** 2, 2.0) + ls)(*args)


@wrong("quiet-loss", "half-forgotten")
def doubles_it(*args):
    return of_a_guarded(lambda off, ls: (off / jnp.exp(ls)) ** 2 + 2 * ls)(*args)


equivalents = [
    equivalent("quiet-loss", "`there > 0`  ->  `there != 0`", "it is 1 or 0"),
    equivalent("quiet-loss", "`mean`  ->  `there`", "any number is harmless where nothing was heard"),
    equivalent("quiet-loss", "`mean`  ->  `log_spread`", "any number is harmless where nothing was heard"),
    equivalent("quiet-loss", "`safe - mean`  ->  `mean - safe`", "it is squared"),
]
