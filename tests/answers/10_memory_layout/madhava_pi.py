"""Answers to madhava-pi."""

import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


@right("madhava-pi")
def as_a_product_of_vectors(n):
    k = np.arange(n)
    return float(12**0.5 * (-3.0) ** -k @ (1 / (2 * k + 1)))


@right("madhava-pi")
def signs_by_parity(n):
    k = np.arange(n)
    return np.sum(np.where(k % 2, -1.0, 1.0) * np.sqrt(12) / (3.0**k * (2 * k + 1)))


@wrong("madhava-pi", "loops")
def sums_in_a_loop(n):
    total = 0.0
    for k in range(n):
        total += (-1 / 3) ** k / (2 * k + 1)
    return np.sqrt(12) * total


@wrong("madhava-pi", "loops")
def sums_a_list(n):
    return np.sqrt(12) * np.sum([(-1 / 3) ** k / (2 * k + 1) for k in range(n)])


@wrong("madhava-pi", "n-ignored")
def knows_the_limit(n):
    return np.pi


@wrong("madhava-pi", "not-summed")
def all_partial_sums(n):
    k = np.arange(n)
    return np.sqrt(12) * np.cumsum((-1 / 3) ** k / (2 * k + 1))


@wrong("madhava-pi", "one-too-few")
def leaves_the_last_out(n):
    k = np.arange(n - 1)
    return np.sqrt(12) * np.sum((-1 / 3) ** k / (2 * k + 1))


@wrong("madhava-pi", "sign-lost")
def loses_the_sign(n):
    k = np.arange(n)
    return np.sqrt(12) * np.sum((1 / 3) ** k / (2 * k + 1))


@wrong("madhava-pi", "one-too-many")
def sums_up_to_n_inclusive(n):
    k = np.arange(n + 1)
    return np.sqrt(12) * np.sum((-1 / 3) ** k / (2 * k + 1))


@wrong("madhava-pi", "first-term-lost")
def starts_at_one(n):
    k = np.arange(1, n)
    return np.sqrt(12) * np.sum((-1 / 3) ** k / (2 * k + 1))


@wrong("madhava-pi", "square-root-lost")
def forgets_the_factor(n):
    k = np.arange(n)
    return np.sum((-1 / 3) ** k / (2 * k + 1))


@wrong("madhava-pi", "power-before-sign")
def forgets_the_brackets(n):
    k = np.arange(n)
    return np.sqrt(12) * np.sum(-1 / 3.0**k / (2 * k + 1))


@wrong("madhava-pi", "single-precision")
def computes_in_jax_without_x64(n):
    k = jnp.arange(n)
    return jnp.sqrt(12.0) * jnp.sum((-1 / 3) ** k / (2 * k + 1))


@wrong("madhava-pi", "seven-digits")
def counts_in_float32(n):
    k = np.arange(n, dtype=np.float32)
    return np.sqrt(12) * np.sum((-1 / 3) ** k / (2 * k + 1))


@wrong("madhava-pi", "wrapped")
def raises_whole_numbers(n):
    k = np.arange(n)
    return np.sqrt(12) * np.sum((-1) ** k / (3**k * (2 * k + 1)))


@wrong("madhava-pi", "rounding")
def sums_by_a_rougher_constant(n):
    k = np.arange(n)
    return 3.4641016151377 * np.sum((-1 / 3) ** k / (2 * k + 1))


@wrong("madhava-pi", "wrong-value")
def divides_by_the_wrong_number(n):
    k = np.arange(n)
    return np.sqrt(12) * np.sum((-1 / 3) ** k / (2 * k + 2))
