"""Answers to best-memory."""

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd

from jaxcourse.exercise import equivalent, right, wrong


def means_of(values, alpha):
    """The mean after each row."""
    zeros = jnp.zeros(values.shape[1:], jnp.float32)

    def apply(state, x):
        total, weight = (1 - alpha) * state[0] + x, (1 - alpha) * state[1] + 1
        return (total, weight), total / weight

    return jax.lax.scan(apply, (zeros, zeros), jnp.asarray(values))[1]


def error_of(values, alpha, *, mine=slice(None, -1), its=slice(1, None), reduce=jnp.mean):
    """The error for one alpha, with its parts to be broken."""
    return reduce((means_of(values, alpha)[mine] - values[its]) ** 2)


def errors_of(values, alphas, **parts):
    return jnp.stack([error_of(values, alpha, **parts) for alpha in alphas])


@right("best-memory")
def one_alpha_at_a_time(values, alphas):
    return [float(compiled_error(values, alpha)) for alpha in alphas]


compiled_error = jax.jit(error_of)


@right("best-memory")
@jax.jit
def alphas_as_an_axis(values, alphas):
    fade = 1 - alphas[:, None]

    def apply(state, x):
        total, weight, errors = state
        errors = errors + ((x - total / jnp.maximum(weight, 1)) ** 2).mean(1) * (weight[:, 0] > 0)
        return (fade * total + x, fade * weight + 1, errors), None

    zeros = jnp.zeros((len(alphas), values.shape[1]))
    (_, _, errors), _ = jax.lax.scan(apply, (zeros, zeros, zeros[:, 0]), values)
    return errors / (len(values) - 1)


@wrong("best-memory", "plain-recursion")
def predicts_without_adjusting(values, alphas):
    def error(alpha):
        means = jax.lax.scan(lambda m, x: ((1 - alpha) * m + alpha * x,) * 2, values[0], jnp.asarray(values))[1]
        return ((means[:-1] - values[1:]) ** 2).mean()

    return jax.vmap(error)(jnp.asarray(alphas))


@wrong("best-memory", "not-in-jax")
def asks_pandas_for_each_alpha(values, alphas):
    table = pd.DataFrame(np.asarray(values))
    means = [table.ewm(alpha=float(alpha)).mean().shift(1) for alpha in alphas]
    return jnp.asarray([((table - each) ** 2).iloc[1:].to_numpy().mean() for each in means])


@wrong("best-memory", "wrong-value")
def weights_that_overflow(values, alphas):
    def error(alpha):
        weights = (1 - alpha) ** -jnp.arange(len(values), dtype=jnp.float32)[:, None]
        means = jnp.cumsum(weights * values, 0) / jnp.cumsum(weights, 0)
        return ((means[:-1] - values[1:]) ** 2).mean()

    return jax.vmap(error)(jnp.asarray(alphas))


@wrong("best-memory", "wrong-shape")
def alphas_are_keys(values, alphas):
    return jnp.stack([*{float(alpha): compiled_error(values, alpha) for alpha in alphas}.values()])


@wrong("best-memory", "first-row-counted")
def divides_by_all_rows(values, alphas):
    return errors_of(values, alphas, reduce=jnp.sum) / values.size


@wrong("best-memory", "digits-lost")
def multiplies_the_square_out(values, alphas):
    means = jnp.stack([means_of(values, alpha)[:-1] for alpha in alphas])
    products = (means * values[1:]).mean((1, 2))
    return (values[1:] ** 2).mean() - 2 * products + (means**2).mean((1, 2))


@wrong("best-memory", "not-squared")
def averages_absolute_errors(values, alphas):
    return errors_of(values, alphas, reduce=lambda squares: jnp.sqrt(squares).mean())


@wrong("best-memory", "wrong-value")
def sorts_the_alphas(values, alphas):
    return errors_of(values, jnp.sort(alphas))


@wrong("best-memory", "two-rows-ahead")
def predicts_the_row_after_next(values, alphas):
    return errors_of(values, alphas, mine=slice(None, -2), its=slice(2, None))


@wrong("best-memory", "peeks")
def compares_with_the_same_row(values, alphas):
    return errors_of(values, alphas, mine=slice(None), its=slice(None))


@wrong("best-memory", "predicts-the-past")
def shifts_the_wrong_way(values, alphas):
    return errors_of(values, alphas, mine=slice(1, None), its=slice(None, -1))


@wrong("best-memory", "not-a-mean")
def adds_up(values, alphas):
    return errors_of(values, alphas, reduce=jnp.sum)


@wrong("best-memory", "root-taken")
def takes_the_root(values, alphas):
    return jnp.sqrt(errors_of(values, alphas))


@wrong("best-memory", "compiled-for-each-alpha")
def alpha_is_static(values, alphas):
    compiled = jax.jit(error_of, static_argnames="alpha")
    return jnp.stack([compiled(values, alpha=float(alpha)) for alpha in alphas])


@wrong("best-memory", "compiled-in-each-call")
def jits_and_maps_in_each_call(values, alphas):
    return jax.jit(jax.vmap(lambda alpha: error_of(values, alpha)))(alphas)


@wrong("best-memory", "compiled-in-each-call")
def a_closure_for_each_alpha(values, alphas):
    return jnp.stack([jax.jit(lambda values, alpha=float(alpha): error_of(values, alpha))(values) for alpha in alphas])


@wrong("best-memory", "not-in-jax")
def loops_over_pandas(values, alphas):
    table = pd.DataFrame(np.asarray(values))
    means = [table.ewm(alpha=float(alpha)).mean().to_numpy() for alpha in alphas]
    return np.array([((mean[:-1] - table.to_numpy()[1:]) ** 2).mean() for mean in means])


@wrong("best-memory", "wrong-shape")
def returns_the_best_alone(values, alphas):
    return alphas[jnp.argmin(errors_of(values, alphas))]


@wrong("best-memory", "wrong-value")
def first_column_alone(values, alphas):
    return errors_of(values[:, :1], alphas)


equivalents = [
    equivalent("best-memory", "`0`  ->  `-1`", "all rows have one shape"),
    equivalent("best-memory", "`0`  ->  `1`", "a pair has two entries"),
    equivalent("best-memory", "`1`  ->  `-1`", "a pair has two entries"),
    equivalent("best-memory", "`means[:-1] - values[1:]`  ->  `values[1:] - means[:-1]`", "it is squared"),
    equivalent("best-memory", "`jnp.asarray(values)`  ->  `values`", "`jit` makes an array of it"),
    equivalent("best-memory", "`jnp.asarray(alphas)`  ->  `alphas`", "`jit` makes an array of it"),
]


@wrong("best-memory", "not-in-jax")
def hands_the_array_to_pandas_as_it_is(values, alphas):
    means = [pd.DataFrame(values).ewm(alpha=alpha).mean().to_numpy()[:-1] for alpha in alphas]
    return np.array([float(np.mean((values[1:] - mean) ** 2)) for mean in means])


@wrong("best-memory", "not-one-program")
def operation_by_operation(values, alphas):
    errors = []
    for alpha in alphas:
        total, weight, error = jnp.zeros(values.shape[1]), 0.0, 0.0
        for t, x in enumerate(jnp.asarray(values)):
            error += jnp.mean((x - total / weight) ** 2) if t else 0.0
            total, weight = (1 - alpha) * total + x, (1 - alpha) * weight + 1
        errors.append(error / (len(values) - 1))
    return jnp.stack(errors)


@right("best-memory")
def works_before_and_behind_the_program(values, alphas):
    values = jnp.asarray(values)
    return jnp.stack([compiled_error(values - values[0], alpha) for alpha in jnp.asarray(alphas)])
