"""Answers to unit-vectors."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@right("unit-vectors")
def by_division_where_there_is_a_length(v):
    length = np.sqrt((v * v).sum(axis=-1, keepdims=True))
    return np.divide(v, length, out=np.zeros(v.shape), where=length != 0)


@right("unit-vectors")
@jax.jit
def compiled_by_einsum(v):
    length = jnp.sqrt(jnp.einsum("...i,...i->...", v, v))
    return v / jnp.where(length == 0, 1, length)[..., None]


@right("unit-vectors")
def repairs_afterwards(v):
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(v / np.linalg.norm(v, axis=-1, keepdims=True))


@wrong("unit-vectors", "left-as-found")
def divides_without_an_out(v):
    length = np.sqrt((v**2).sum(axis=-1, keepdims=True))
    return np.divide(v, length, where=length > 0)


@wrong("unit-vectors", "left-as-found")
def divides_into_empty(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.divide(v, length, out=np.empty(v.shape), where=length > 0)


@wrong("unit-vectors", "truth-value")
def asks_whether_the_length_is_zero(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return v if length == 0 else v / length


@wrong("unit-vectors", "two-axes-only")
def puts_the_axis_at_one(v):
    length = np.linalg.norm(v, axis=-1)
    return v / np.where(length == 0, 1, length)[:, None]


@wrong("unit-vectors", "small-vectors")
def takes_small_for_zero(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return v / np.where(np.isclose(length, 0), 1, length)


@wrong("unit-vectors", "sign-lost")
def loses_the_signs(v):
    return np.sqrt(v**2 / (v**2).sum(axis=-1, keepdims=True))


@wrong("unit-vectors", "small-vectors")
def takes_the_smallest_for_zero(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return v / np.where(length > 1e-15, length, 1)


@wrong("unit-vectors", "loops")
def matrix_by_matrix(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.stack([unit(part) for part in v]) if v.ndim > 2 and v.size else v / np.where(length == 0, 1, length)


def unit(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return v / np.where(length == 0, 1, length)


@wrong("unit-vectors", "small-vectors")
def takes_the_eps_for_the_smallest_number(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return v / np.where(length > np.finfo(v.dtype).eps, length, 1)


@wrong("unit-vectors", "two-axes-only")
def counts_the_axis_from_the_left(v):
    return v / np.linalg.norm(v, axis=min(1, v.ndim - 1), keepdims=True)


@wrong("unit-vectors", "zero-over-zero")
def divides_zero_by_zero(v):
    with np.errstate(invalid="ignore"):
        return v / np.linalg.norm(v, axis=-1, keepdims=True)


@wrong("unit-vectors", "zero-over-zero")
def in_jax_nobody_warns(v):
    return v / jnp.linalg.norm(v, axis=-1, keepdims=True)


@wrong("unit-vectors", "lengths-padded")
def adds_the_usual_epsilon(v):
    return v / (np.linalg.norm(v, axis=-1, keepdims=True) + 1e-8)


@wrong("unit-vectors", "ValueError")
def calls_python_for_each(v):
    return np.apply_along_axis(lambda vector: vector / (np.linalg.norm(vector) or 1.0), -1, v)


@wrong("unit-vectors", "small-vectors")
def adds_a_small_number(v):
    return v / (np.linalg.norm(v, axis=-1, keepdims=True) + 1e-15)


@wrong("unit-vectors", "zero-changed")
def makes_ones_of_zeros(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.where(length == 0, 1.0, v / np.where(length == 0, 1.0, length))


@wrong("unit-vectors", "loops")
def vector_by_vector(v):
    result = np.zeros(v.shape)
    for index in np.ndindex(v.shape[:-1]):
        length = np.linalg.norm(v[index])
        result[index] = v[index] / (length or 1.0)
    return result


@wrong("unit-vectors", "changed-input")
def divides_in_place(v):
    v /= np.linalg.norm(v, axis=-1, keepdims=True)
    return v


@wrong("unit-vectors", "turned-round")
def scales_by_the_largest_component(v):
    largest = v.max(axis=-1, keepdims=True)
    return unit(v / np.where(largest == 0, 1, largest))


@wrong("unit-vectors", "turned-round")
def scales_by_the_first_component(v):
    first = v[..., :1]
    return unit(v / np.where(first == 0, 1, first))


@wrong("unit-vectors", "returned-what-came-in")
def returns_the_vectors(v):
    return v


@wrong("unit-vectors", "wrong-value")
def reads_as_memory_has_it(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return (v / np.where(length == 0, 1.0, length)).ravel(order="K").reshape(v.shape)


@wrong("unit-vectors", "two-axes-only")
def squeezes(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.squeeze(v / np.where(length == 0, 1.0, length))


equivalents = [
    equivalent(
        "unit-vectors",
        "`np.where(length == 0, 1.0, length)`  ->  `(length == 0) * 1.0 + (1 - (length == 0)) * length`",
        "lengths are finite",
    ),
    equivalent("unit-vectors", "`length`  ->  `v`", "a component that is 0 stays 0, whatever it is divided by"),
    *(equivalent("unit-vectors", f"`1.0`  ->  `{other}`", "0 divided by it is 0") for other in ("-1.0", "1.01", "2.0")),
]


@wrong("unit-vectors", "ValueError")
def has_as_many_lengths_as_components(v):
    return v / np.linalg.norm(v, axis=-1).reshape(v.shape[-1], 1)
