"""Answers to pad-to-bucket."""

import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@right("pad-to-bucket")
def doubles_until_it_fits(x):
    size = 1
    while size < len(x):
        size *= 2
    if size == len(x):
        return x, np.int64(size)
    return [np.concatenate([x, np.zeros(size - len(x), x.dtype)]), np.int64(len(x))]


@wrong("pad-to-bucket", "padded-by-jax")
def pads_in_jax_and_comes_back(x):
    n = len(x)
    return np.asarray(jnp.pad(x, (0, (1 << (n - 1).bit_length()) - n))).astype(x.dtype), n


@wrong("pad-to-bucket", "padded-by-jax")
def hands_it_over_to_jax(x):
    return jnp.asarray(np.pad(x, (0, (1 << (len(x) - 1).bit_length()) - len(x)))), len(x)


@wrong("pad-to-bucket", "counted-what-is-not-0")
def counts_what_is_not_0(x):
    padded = np.pad(x, (0, (1 << (len(x) - 1).bit_length()) - len(x)))
    return padded, int(np.count_nonzero(padded))


@wrong("pad-to-bucket", "not-a-pair")
def length_first(x):
    return len(x), np.pad(x, (0, (1 << (len(x) - 1).bit_length()) - len(x)))


@wrong("pad-to-bucket", "not-padded")
def leaves_it(x):
    return x, len(x)


@wrong("pad-to-bucket", "bucket-too-large")
def always_the_next_one(x):
    n = len(x)
    return np.pad(x, (0, (1 << n.bit_length()) - n)), n


@wrong("pad-to-bucket", "cut-off")
def rounds_down(x):
    n = len(x)
    return x[: 1 << (n.bit_length() - 1)], n


@wrong("pad-to-bucket", "wrong-bucket")
def multiples_of_eight(x):
    return np.pad(x, (0, -len(x) % 8)), len(x)


@wrong("pad-to-bucket", "wrong-length")
def says_the_padded_length(x):
    padded = np.pad(x, (0, (1 << (len(x) - 1).bit_length()) - len(x)))
    return padded, len(padded)


@wrong("pad-to-bucket", "wrong-value")
def zeros_in_front(x):
    return np.pad(x, ((1 << (len(x) - 1).bit_length()) - len(x), 0)), len(x)


@wrong("pad-to-bucket", "wrong-value")
def goes_through_floats(x):
    n = len(x)
    padded = np.zeros(1 << (n - 1).bit_length(), np.result_type(x.dtype, np.float32))
    padded[:n] = x
    return padded.astype(x.dtype), n


ROOM = {}


@wrong("pad-to-bucket", "wrong-value")
def writes_into_the_same_room(x):
    n = len(x)
    size = 1 << (n - 1).bit_length()
    padded = ROOM.setdefault((size, x.dtype), np.zeros(size, x.dtype))
    padded[:n], padded[n:] = x, 0
    return padded, n


@wrong("pad-to-bucket", "types-change")
def length_is_sometimes_an_array(x):
    n = len(x)
    return np.pad(x, (0, (1 << (n - 1).bit_length()) - n)), n if n & (n - 1) else np.float32(n)


@wrong("pad-to-bucket", "dtype-lost")
def fills_plain_zeros(x):
    padded = np.zeros(1 << (len(x) - 1).bit_length())
    padded[: len(x)] = x
    return padded, len(x)


@wrong("pad-to-bucket", "padded-by-jax")
def pads_in_jax(x):
    n = len(x)
    return jnp.pad(x, (0, (1 << (n - 1).bit_length()) - n)), n


@wrong("pad-to-bucket", "not-a-pair")
def forgets_the_length(x):
    return np.pad(x, (0, (1 << (len(x) - 1).bit_length()) - len(x)))


@wrong("pad-to-bucket", "padded-by-jax")
def hands_over_the_length(x):
    n = len(x)
    return np.pad(x, (0, (1 << (n - 1).bit_length()) - n)), jnp.asarray(n)


@wrong("pad-to-bucket", "not-a-pair")
def makes_a_list(x):
    return list(x) + [0] * ((1 << (len(x) - 1).bit_length()) - len(x)), len(x)


@wrong("pad-to-bucket", "dtype-lost")
def makes_an_array_of_a_list(x):
    return np.array(list(x) + [0] * ((1 << (len(x) - 1).bit_length()) - len(x))), len(x)


@wrong("pad-to-bucket", "cut-off")
def trims_first(x):
    kept = np.trim_zeros(x, "b")
    return np.pad(kept, (0, (1 << max(len(kept) - 1, 0).bit_length()) - len(kept))), len(kept)


equivalents = [
    equivalent("pad-to-bucket", "`n - 1`  ->  `1 - n`", "`bit_length` leaves the sign out"),
]
