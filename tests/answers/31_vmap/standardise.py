"""Answers to standardise."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import right, wrong


@right("standardise")
def gathers_the_batch(x):
    batch = jax.lax.all_gather(x, "batch")
    return (x - batch.mean(axis=0)) / batch.std(axis=0)


@right("standardise")
def sums_and_sizes(x):
    n = jax.lax.psum(1, "batch")
    centred = x - jax.lax.psum(x, "batch") / n
    return centred * jax.lax.rsqrt(jax.lax.psum(centred * centred, "batch") / n)


@wrong("standardise", "own-statistics")
def of_one_example(x):
    return (x - x.mean()) / x.std()


@wrong("standardise", "own-statistics")
def along_axis_0(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


@wrong("standardise", "n-minus-one")
def divides_by_n_minus_one(x):
    n = jax.lax.psum(1, "batch")
    centred = x - jax.lax.pmean(x, "batch")
    return centred / jnp.sqrt(jax.lax.psum(centred**2, "batch") / (n - 1))


@wrong("standardise", "something-added")
def as_batch_norm_does(x):
    centred = x - jax.lax.pmean(x, "batch")
    return centred / jnp.sqrt(jax.lax.pmean(centred**2, "batch") + 1e-5)


@wrong("standardise", "something-added")
def adds_next_to_nothing(x):
    centred = x - jax.lax.pmean(x, "batch")
    return centred / jnp.sqrt(jax.lax.pmean(centred**2, "batch") + 1e-12)


@wrong("standardise", "wrong-value")
def adds_to_the_deviation(x):
    centred = x - jax.lax.pmean(x, "batch")
    return centred / (jnp.sqrt(jax.lax.pmean(centred**2, "batch")) + 1e-6)


@wrong("standardise", "over-everything")
def gathers_everything(x):
    batch = jax.lax.all_gather(x, "batch")
    return (x - batch.mean()) / batch.std()


@wrong("standardise", "absolute-deviation")
def by_the_absolute_deviation(x):
    centred = x - jax.lax.pmean(x, "batch")
    return centred / jax.lax.pmean(jnp.abs(centred), "batch")


@wrong("standardise", "one-shape-only")
def column_by_column(x):
    batch = jax.lax.all_gather(x, "batch")
    return jnp.stack([(x[k] - batch[:, k].mean()) / batch[:, k].std() for k in range(len(x))])


@wrong("standardise", "only-centred")
def subtracts_only(x):
    return x - jax.lax.pmean(x, "batch")


@wrong("standardise", "not-centred")
def divides_only(x):
    return x / jnp.sqrt(jax.lax.pmean((x - jax.lax.pmean(x, "batch")) ** 2, "batch"))


@wrong("standardise", "divided-by-variance")
def forgets_the_square_root(x):
    centred = x - jax.lax.pmean(x, "batch")
    return centred / jax.lax.pmean(centred**2, "batch")


@wrong("standardise", "sum-for-mean")
def psum_everywhere(x):
    centred = x - jax.lax.psum(x, "batch")
    return centred / jnp.sqrt(jax.lax.psum(centred**2, "batch"))


@wrong("standardise", "sum-for-mean")
def psum_of_the_squares(x):
    centred = x - jax.lax.pmean(x, "batch")
    return centred / jnp.sqrt(jax.lax.psum(centred**2, "batch"))


@wrong("standardise", "square-not-centred")
def squares_the_numbers(x):
    return (x - jax.lax.pmean(x, "batch")) / jnp.sqrt(jax.lax.pmean(x**2, "batch"))


@wrong("standardise", "digits-lost")
def squares_first(x):
    mean = jax.lax.pmean(x, "batch")
    return (x - mean) / jnp.sqrt(jax.lax.pmean(x**2, "batch") - mean**2)


@wrong("standardise", "unbound-axis")
def another_name(x):
    return x - jax.lax.pmean(x, "i")


@wrong("standardise", "wrong-value")
def by_the_largest(x):
    return (x - jax.lax.pmean(x, "batch")) / jax.lax.pmax(jnp.abs(x), "batch")


@wrong("standardise", "unbound-axis")
def asks_a_function_of_jnp(x):
    return (x - jnp.mean(x, axis="batch")) / jnp.std(x, axis="batch")


@wrong("standardise", "NameError")
def misspells_a_name_in_a_branch(x):
    off = x - jax.lax.pmean(x, "batch") if x.ndim == 1 else y - jax.lax.pmean(x, "batch")  # noqa: F821
    return off / jnp.sqrt(jax.lax.pmean(off**2, "batch"))


@wrong("standardise", "wrong-value")
def gives_two_digits(x):
    centred = x - jax.lax.pmean(x, "batch")
    return (centred / jnp.sqrt(jax.lax.pmean(centred**2, "batch"))).astype(jnp.bfloat16)


@wrong("standardise", "wrong-value")
def loses_digits_on_the_way(x):
    centred = x - jax.lax.pmean(x, "batch")
    return (centred / jnp.sqrt(jax.lax.pmean(centred**2, "batch"))).astype(jnp.float16).astype(x.dtype)
