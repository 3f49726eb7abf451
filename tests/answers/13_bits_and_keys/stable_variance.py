"""Answers to stable-variance."""

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@right("stable-variance")
@jax.vmap
def row_by_row(row):
    deviation = row - jnp.mean(row)
    return jnp.dot(deviation, deviation) / row.size


@right("stable-variance")
@jax.jit
def moves_each_row_first(x):
    moved = x - x[:, :1]
    return (moved**2).mean(axis=1) - moved.mean(axis=1) ** 2


@wrong("stable-variance", "cancellation")
def mean_of_squares_minus_square_of_mean(x):
    return (x**2).mean(axis=1) - x.mean(axis=1) ** 2


@wrong("stable-variance", "cancellation")
def cuts_off_what_is_negative(x):
    return jnp.maximum((x**2).mean(axis=1) - x.mean(axis=1) ** 2, 0)


@wrong("stable-variance", "cancellation")
def subtracts_one_number_first(x):
    moved = x - x.mean()
    return (moved**2).mean(axis=1) - moved.mean(axis=1) ** 2


@wrong("stable-variance", "short-rows-only")
def adds_a_hundred_columns(x):
    deviation = x - x.mean(axis=1, keepdims=True)
    return (deviation[:, :100] ** 2).sum(axis=1) / x.shape[1]


@wrong("stable-variance", "one-unit-only")
def adds_a_little(x):
    deviation = x - x.mean(axis=1, keepdims=True)
    return (deviation**2).mean(axis=1) + 1e-12


@wrong("stable-variance", "forbidden-call")
def lets_jax_do_it(x):
    return jnp.var(x, axis=1)


@wrong("stable-variance", "forbidden-call")
@jax.jit
def squares_the_deviation_of_jax(x):
    return x.std(axis=1) ** 2


@wrong("stable-variance", "divided-by-n-minus-1")
def divides_like_a_statistician(x):
    deviation = x - x.mean(axis=1, keepdims=True)
    return (deviation**2).sum(axis=1) / (x.shape[1] - 1)


@wrong("stable-variance", "grand-mean")
def one_mean_for_all(x):
    return ((x - x.mean()) ** 2).mean(axis=1)


@wrong("stable-variance", "columns")
def of_the_columns(x):
    return ((x - x.mean(axis=0)) ** 2).mean(axis=0)


@wrong("stable-variance", "axis-kept")
def keeps_the_axis(x):
    return ((x - x.mean(axis=1, keepdims=True)) ** 2).mean(axis=1, keepdims=True)


@wrong("stable-variance", "wrong-axis")
def goes_by_the_lengths(x):
    mean = x.mean(axis=1)
    deviation = x - mean if len(mean) == x.shape[1] else x - mean[:, None]
    return (deviation**2).mean(axis=1)


@wrong("stable-variance", "took-the-root")
def takes_the_root(x):
    return jnp.sqrt(((x - x.mean(axis=1, keepdims=True)) ** 2).mean(axis=1))


@wrong("stable-variance", "left-jax")
def goes_to_64_bits_in_numpy(x):
    x = np.asarray(x, np.float64)
    return ((x - x.mean(axis=1, keepdims=True)) ** 2).mean(axis=1)


@wrong("stable-variance", "left-jax")
def goes_to_numpy_if_it_can(x):
    deviation = x - x.mean(axis=1, keepdims=True)
    result = (deviation**2).mean(axis=1)
    return result if isinstance(x, jax.core.Tracer) else np.asarray(result)


@wrong("stable-variance", "not-without-jit")
def is_another_function_without_jit(x):
    deviation = x - x.mean(axis=1, keepdims=True)
    return (deviation**2).mean(axis=1) if isinstance(x, jax.core.Tracer) else deviation[:, 0]


@wrong("stable-variance", "not-squared")
def forgets_to_square(x):
    return jnp.abs(x - x.mean(axis=1, keepdims=True)).mean(axis=1)


@wrong("stable-variance", "wrong-value")
def one_number_for_all(x):
    return ((x - x.mean()) ** 2).mean()


@wrong("stable-variance", "wrong-value")
def the_width_of_the_example(x):
    return ((x - x.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) / 10


equivalents = [
    equivalent(
        "stable-variance",
        "`x - x.mean(axis=1, keepdims=True)`  ->  `x.mean(axis=1, keepdims=True) - x`",
        "it is squared",
    ),
]


@right("stable-variance")
def column_after_column(x):
    mean = sum(x[:, j] for j in range(x.shape[1])) / x.shape[1]
    return sum((x[:, j] - mean) ** 2 for j in range(x.shape[1])) / x.shape[1]


@wrong("stable-variance", "one-unit-only")
def keeps_it_off_zero(x):
    deviation = x - x.mean(axis=1, keepdims=True)
    return jnp.maximum((deviation**2).mean(axis=1), 1e-8)
