"""Answers to ids-to-jax."""

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@right("ids-to-jax")
def asks_for_the_limits(ids):
    limits = jnp.iinfo(jnp.asarray(ids).dtype)
    if any(not limits.min <= number <= limits.max for number in ids.ravel().tolist()):
        raise ValueError("does not fit")
    return jnp.array(ids)


@right("ids-to-jax")
def raises_an_error_of_its_own(ids):
    class Lost(ValueError):
        pass

    handed = jax.device_put(ids)
    if (np.asarray(handed) != ids).any():
        raise Lost
    return handed


@wrong("ids-to-jax", "wrapped")
def trusts_jax(ids):
    return jnp.asarray(ids)


@wrong("ids-to-jax", "wrapped")
def asks_for_64_bits(ids):
    return jnp.asarray(ids.astype(np.int64))


@wrong("ids-to-jax", "wrapped")
def compares_in_jax(ids):
    handed = jnp.asarray(ids)
    if (handed != ids).any():
        raise ValueError("a value has changed")
    return handed


@wrong("ids-to-jax", "wrapped")
def looks_at_the_dtype_of_the_result(ids):
    handed = jnp.asarray(ids)
    if not jnp.issubdtype(handed.dtype, jnp.integer):
        raise ValueError("no integers")
    return handed


@wrong("ids-to-jax", "refuses-good-ids")
def refuses_the_dtype(ids):
    if ids.dtype.itemsize > 4:
        raise ValueError("64 bits")
    return jnp.asarray(ids)


@wrong("ids-to-jax", "refuses-good-ids")
def asks_an_array_whether_it_is_true(ids):
    if ids > 2**31 - 1 or ids < -(2**31):
        raise ValueError("does not fit")
    return jnp.asarray(ids)


@wrong("ids-to-jax", "wrong-exception")
def asserts(ids):
    handed = jnp.asarray(ids)
    assert np.array_equal(np.asarray(handed), ids)
    return handed


@wrong("ids-to-jax", "negative-side")
def looks_at_the_top_only(ids):
    if ids.size and ids.max() >= 2**31:
        raise ValueError("too big")
    return jnp.asarray(ids)


@wrong("ids-to-jax", "limit-off-by-one")
def uses_the_absolute_value(ids):
    if (np.abs(ids) >= 2**31).any():
        raise ValueError("too big")
    return jnp.asarray(ids)


@wrong("ids-to-jax", "limit-off-by-one")
def lets_one_too_many_through(ids):
    if ids.size and (ids.max() > 2**31 or ids.min() < -(2**31)):
        raise ValueError("too big")
    return jnp.asarray(ids)


@wrong("ids-to-jax", "limit-off-by-one")
def counts_bits_without_a_sign(ids):
    if ids.size and (ids.max() >= 2**32 or ids.min() < -(2**31)):
        raise ValueError("more than 32 bits")
    return jnp.asarray(ids)


@wrong("ids-to-jax", "empty-refused")
def asks_for_the_extremes(ids):
    if ids.max() > 2**31 - 1 or ids.min() < -(2**31):
        raise ValueError("does not fit")
    return jnp.asarray(ids)


@wrong("ids-to-jax", "unsigned-refused")
def knows_int32_only(ids):
    if ids.size and (ids.max() > 2**31 - 1 or ids.min() < -(2**31)):
        raise ValueError("does not fit")
    return jnp.asarray(ids)


@wrong("ids-to-jax", "wrong-value")
def makes_everything_int32(ids):
    handed = jnp.asarray(ids, jnp.uint32 if ids.dtype == np.uint32 else jnp.int32)
    if not np.array_equal(np.asarray(handed), ids):
        raise ValueError("does not fit")
    return handed


@wrong("ids-to-jax", "wrong-value")
def looks_at_the_last_only(ids):
    handed = jnp.asarray(ids)
    if ids.size and np.asarray(handed).ravel()[-1] != ids.ravel()[-1]:
        raise ValueError("does not fit")
    return handed


@wrong("ids-to-jax", "wrong-value")
def looks_at_the_first_thousand(ids):
    refuses_what_changes(ids.ravel()[:1000])
    return jnp.asarray(ids)


@wrong("ids-to-jax", "wrong-value")
def compares_the_sums(ids):
    handed = jnp.asarray(ids)
    if np.asarray(handed).sum(dtype=np.int64) != ids.sum(dtype=np.int64):
        raise ValueError("does not fit")
    return handed


@wrong("ids-to-jax", "32-bits-named")
def names_32_bits(ids):
    dtype = np.dtype(f"{ids.dtype.kind}{min(4, ids.dtype.itemsize)}")
    if not np.array_equal(ids.astype(dtype), ids):
        raise ValueError("does not fit")
    return jnp.asarray(ids.astype(dtype))


@wrong("ids-to-jax", "64-bits-named")
def takes_int64_where_it_may(ids):
    return jnp.asarray(ids, np.int64) if jax.config.jax_enable_x64 else refuses_what_changes(ids)


def refuses_what_changes(ids):
    """What some answers call."""
    handed = jnp.asarray(ids)
    if not np.array_equal(np.asarray(handed), ids):
        raise ValueError("does not fit")
    return handed


@wrong("ids-to-jax", "not-jax")
def checks_and_stays_in_numpy(ids):
    if not np.array_equal(ids.astype(np.int32), ids):
        raise ValueError("does not fit")
    return ids.astype(np.int32)


@wrong("ids-to-jax", "wrong-value")
def renumbers(ids):
    return jnp.asarray(ids - ids.min())


equivalents = [
    equivalent("ids-to-jax", "`np.array_equal`  ->  `np.allclose`", "what wraps around is far from what it was"),
    equivalent("ids-to-jax", "`np.asarray(handed)`  ->  `handed`", "NumPy makes an array of it"),
]


@wrong("ids-to-jax", "wrong-exception")
def speaks_of_overflow_below(ids):
    limits = jnp.iinfo(jnp.asarray(ids).dtype)
    if ids.size and ids.max() > limits.max:
        raise ValueError("too large")
    if ids.size and ids.min() < limits.min:
        raise OverflowError("too small")
    return jnp.asarray(ids)


@wrong("ids-to-jax", "another-dtype")
def switches_64_bits_on(ids):
    with (jax if hasattr(jax, "enable_x64") else jax.experimental).enable_x64(True):
        return jnp.asarray(ids)
