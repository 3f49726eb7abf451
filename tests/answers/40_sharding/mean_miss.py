"""Answers to mean-miss."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import equivalent, right, wrong


@wrong("mean-miss", "divided-twice")
def counts_devices(w, x, y):
    rows_on_all_devices = x.shape[0] * jax.device_count()
    return jnp.abs(x @ w - y).sum() / rows_on_all_devices


@wrong("mean-miss", "divided-by-elements")
def divides_by_the_size(w, x, y):
    return jnp.abs(x @ w - y).sum() / x.size


@right("mean-miss")
def by_the_sum(w, x, y):
    return jnp.sum(jnp.abs(jnp.dot(x, w) - y)) / x.shape[0]


@wrong("mean-miss", "unknown-name")
def keeps_the_pmean(w, x, y):
    return jax.lax.pmean(jnp.abs(x @ w - y).mean(), "batch")


@wrong("mean-miss", "sum-no-mean")
def sums(w, x, y):
    return jnp.abs(x @ w - y).sum()


@wrong("mean-miss", "rows-of-one-device")
def multiplies_instead(w, x, y):
    return jnp.abs(x @ w - y).mean() * jax.device_count()


@wrong("mean-miss", "squared")
def squares(w, x, y):
    return ((x @ w - y) ** 2).mean()


@wrong("mean-miss", "divided-by-columns")
def divides_by_the_columns(w, x, y):
    return jnp.abs(x @ w - y).sum() / x.shape[1]


@wrong("mean-miss", "table-of-misses")
def makes_y_a_column(w, x, y):
    return jnp.abs(x @ w - y[:, None]).mean()


@wrong("mean-miss", "magnitude-of-the-mean")
def magnitude_of_the_mean(w, x, y):
    return jnp.abs((x @ w - y).mean())


@wrong("mean-miss", "wrong-value")
def takes_the_first_of_the_copies(w, x, y):
    return jnp.abs(x @ w[:1].repeat(len(w)) - y).mean()


@wrong("mean-miss", "not-a-scalar")
def forgets_the_sum(w, x, y):
    return jnp.abs(x @ w - y) / x.shape[0]


@wrong("mean-miss", "other-dtype")
def leaves_jax(w, x, y):
    return float(jnp.abs(x @ w - y).mean())


@wrong("mean-miss", "NameError")
def misspells_a_name(w, x, y):
    return jnp.abs(x @ weights - y).mean()  # noqa: F821


@wrong("mean-miss", "returned-nothing")
def returns_nothing(w, x, y):
    jnp.abs(x @ w - y).mean()


@right("mean-miss")
def row_by_row(w, x, y):
    return sum(jnp.abs(x[i] @ w - y[i]) for i in range(len(y))) / len(y)  # Explicit axes refuse `x[i]`


@right("mean-miss")
def by_a_map_over_rows(w, x, y):
    return jax.vmap(lambda row, seen: jnp.abs(row @ w - seen))(x, y).mean()


@wrong("mean-miss", "sum-no-mean")
def sums_row_by_row(w, x, y):
    return sum(jnp.abs(x[i] @ w - y[i]) for i in range(len(y)))


@wrong("mean-miss", "divided-by-columns")
def divides_row_by_row(w, x, y):
    return sum(jnp.abs(x[i] @ w - y[i]) for i in range(len(y))) / len(w)


@wrong("mean-miss", "squared")
def squares_by_a_map(w, x, y):
    return jax.vmap(lambda row, seen: (row @ w - seen) ** 2)(x, y).mean()


@wrong("mean-miss", "magnitude-of-the-mean")
def sums_before_the_magnitude(w, x, y):
    return jnp.abs((x @ w).sum() - y.sum()) / len(y)


equivalents = [
    equivalent("mean-miss", "`x @ w - y`  ->  `y - x @ w`", "the distance is the same from both ends"),
]
