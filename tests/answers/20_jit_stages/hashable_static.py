"""Answers to hashable-static."""

import functools

import jax
import jax.export
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


@functools.partial(jax.jit, static_argnames="factors")
def block_mean(image, factors):
    """The function of the set-up cell."""
    (rows, columns), (a, b) = image.shape, factors
    return image.reshape(rows // a, a, columns // b, b).mean(axis=(1, 3))


def pair_of(factors):
    """Two factors of whatever comes."""
    return (factors, factors) if isinstance(factors, int) else tuple(factors)


@right("hashable-static")
def lets_numpy_broadcast(image, factors):
    rows, columns = np.broadcast_to(factors, 2).tolist()
    return block_mean(image, factors=(rows, columns))


@right("hashable-static")
def in_a_jit_of_its_own(image, factors):
    return block_mean_of_pair(image, *pair_of(factors))


@functools.partial(jax.jit, static_argnums=(1, 2))
def block_mean_of_pair(image, rows, columns):
    return block_mean(image, (rows, columns))


@wrong("hashable-static", "one-number")
def as_the_cell_above(image, factors):
    return block_mean(image, tuple(factors))


@wrong("hashable-static", "one-number-again")
def compiles_one_number_by_itself(image, factors):
    return block_mean_of_squares(image, factors) if isinstance(factors, int) else block_mean(image, tuple(factors))


@functools.partial(jax.jit, static_argnums=1)
def block_mean_of_squares(image, factor):
    return block_mean.__wrapped__(image, (factor, factor))


@wrong("hashable-static", "wrong-shape")
def takes_one_number_for_the_rows_only(image, factors):
    return block_mean(image, (factors, 1) if isinstance(factors, int) else tuple(factors))


@wrong("hashable-static", "compiled-again")
def a_tuple_by_position_and_a_list_by_name(image, factors):
    if isinstance(factors, tuple):
        return block_mean(image, factors)
    return block_mean(image, factors=pair_of(factors))


@wrong("hashable-static", "still-unhashable")
def passes_it_on(image, factors):
    return block_mean(image, factors)


@wrong("hashable-static", "still-unhashable")
def makes_an_array(image, factors):
    return block_mean(image, jnp.asarray(factors))


@wrong("hashable-static", "order-lost")
def sorts_them(image, factors):
    return block_mean(image, tuple(sorted(pair_of(factors))))


@wrong("hashable-static", "compiled-again")
def a_new_function_each_time(image, factors):
    return jax.jit(functools.partial(block_mean.__wrapped__, factors=pair_of(factors)))(image)


@wrong("hashable-static", "not-compiled")
def without_jit(image, factors):
    return block_mean.__wrapped__(image, pair_of(factors))


@functools.partial(jax.jit, static_argnums=(1, 2))
def _of_a_square(image, rows, columns):
    n = len(image)
    return image.reshape(n // rows, rows, n // columns, columns).mean(axis=(1, 3))


@functools.partial(jax.jit, static_argnums=(1, 2))
def handed_back(image, rows, columns):
    return image


@wrong("hashable-static", "beside-the-jit")
def compiles_nothing_beside_numpy(image, factors):
    rows, columns = pair_of(factors)
    image = np.asarray(handed_back(image, rows, columns))
    return image.reshape(len(image) // rows, rows, -1, columns).mean(axis=(1, 3))


@wrong("hashable-static", "TypeError")
def knows_square_images_only(image, factors):
    return _of_a_square(image, *pair_of(factors))


@wrong("hashable-static", "wrong-value")
def multiplies_too_much(image, factors):
    return 2 * block_mean(image, pair_of(factors))


@wrong("hashable-static", "still-unhashable")
@jax.jit
def jitted_by_itself(image, factors):
    return block_mean(image, pair_of(factors))


@wrong("hashable-static", "not-compiled")
def works_beside_it(image, factors):
    return block_mean(image * 1.0, pair_of(factors))


@wrong("hashable-static", "TypeError")
def asks_a_dictionary(image, factors):
    return block_mean(image, {2: (2, 2), 3: (3, 3), 4: (4, 4), 1: (1, 1)}.get(factors, tuple(factors)))
