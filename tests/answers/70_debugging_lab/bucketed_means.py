"""Answers to bucketed-means."""

import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@wrong("bucketed-means", "one-program-per-length")
def hands_over_as_they_come(curves, compiled_sum):
    return [compiled_sum(curve) / len(curve) for curve in curves]


def filled_up(curve, length):
    return np.pad(curve, (0, length - len(curve)))


@wrong("bucketed-means", "one-program-per-length")
def makes_lengths_even(curves, compiled_sum):
    return [compiled_sum(filled_up(c, len(c) + len(c) % 2)) / len(c) for c in curves]


@wrong("bucketed-means", "padded-by-jax")
def fills_up_in_jax(curves, compiled_sum):
    buckets = [2 ** int(np.ceil(np.log2(len(curve)))) for curve in curves]
    padded = [jnp.pad(curve, (0, bucket - len(curve))) for curve, bucket in zip(curves, buckets, strict=True)]
    return [compiled_sum(long) / len(curve) for long, curve in zip(padded, curves, strict=True)]


@wrong("bucketed-means", "pads-too-much")
def fills_all_to_the_longest(curves, compiled_sum):
    longest = max(map(len, curves))
    return [compiled_sum(filled_up(curve, longest)) / len(curve) for curve in curves]


@wrong("bucketed-means", "divides-by-the-padding")
def takes_the_mean_of_the_bucket(curves, compiled_sum):
    padded = [filled_up(curve, 2 ** int(np.ceil(np.log2(len(curve))))) for curve in curves]
    return [compiled_sum(curve) / len(curve) for curve in padded]


@wrong("bucketed-means", "wrong-value")
def cuts_to_the_bucket_below(curves, compiled_sum):
    cut = [curve[: 2 ** int(np.log2(len(curve)))] for curve in curves]
    return [compiled_sum(curve) / len(curve) for curve in cut]


@wrong("bucketed-means", "sum-not-used")
def stays_in_numpy(curves, compiled_sum):
    return [curve.mean() for curve in curves]


@wrong("bucketed-means", "one-program-per-length")
def makes_multiples_of_ten(curves, compiled_sum):
    return [compiled_sum(filled_up(c, -(-len(c) // 10) * 10)) / len(c) for c in curves]


@wrong("bucketed-means", "pads-too-much")
def takes_powers_of_four(curves, compiled_sum):
    return [compiled_sum(filled_up(c, 4 ** int(np.ceil(np.log(len(c)) / np.log(4) - 1e-9)))) / len(c) for c in curves]


@wrong("bucketed-means", "pads-too-much")
def takes_tenths_of_the_list(curves, compiled_sum):
    lengths = np.array(list(map(len, curves)))
    edges = np.unique(np.quantile(lengths, np.linspace(0, 1, 11), method="higher").astype(int))
    return [compiled_sum(filled_up(c, edges[np.searchsorted(edges, len(c))])) / len(c) for c in curves]


@wrong("bucketed-means", "pads-too-much")
def makes_multiples_of_a_hundred(curves, compiled_sum):
    return [compiled_sum(filled_up(c, -(-len(c) // 100) * 100)) / len(c) for c in curves]


@wrong("bucketed-means", "another-order")
def sorts_the_curves(curves, compiled_sum):
    return [compiled_sum(filled_up(c, 2 ** int(np.ceil(np.log2(len(c)))))) / len(c) for c in sorted(curves, key=len)]


@wrong("bucketed-means", "wrong-value")
def repeats_the_last_one(curves, compiled_sum):
    def padded(curve):
        return np.pad(curve, (0, 2 ** int(np.ceil(np.log2(len(curve)))) - len(curve)), mode="edge")

    return [compiled_sum(padded(c)) / len(c) for c in curves]


@wrong("bucketed-means", "many-calls")
def hands_over_pieces(curves, compiled_sum):
    def total(curve):
        return sum(float(compiled_sum(filled_up(curve[i : i + 4], 4))) for i in range(0, len(curve), 4))

    return [total(curve) / len(curve) for curve in curves]


@right("bucketed-means")
def shifts_bits(curves, compiled_sum):
    means = []
    for curve in curves:
        padded = np.zeros(1 << (len(curve) - 1).bit_length(), curve.dtype)
        padded[: len(curve)] = curve
        means.append(float(compiled_sum(padded)) / curve.size)
    return means


@right("bucketed-means")
def maps_over_the_curves(curves, compiled_sum):
    def mean(curve):
        bucket = next(2**k for k in range(11) if 2**k >= len(curve))
        return compiled_sum(jnp.asarray(np.concatenate([curve, np.zeros(bucket - len(curve), curve.dtype)]))) / len(
            curve
        )

    return list(map(mean, curves))


@wrong("bucketed-means", "one-program-per-length")
def pads_in_two_dtypes(curves, compiled_sum):
    means = []
    for number, curve in enumerate(curves):
        padded = np.zeros(2 ** int(np.ceil(np.log2(len(curve)))), curve.dtype if number % 2 else np.float16)
        padded[: len(curve)] = curve
        means.append(compiled_sum(padded) / len(curve))
    return means


equivalents = [
    equivalent("bucketed-means", "remembered by shape", "each call hands over another function, so nothing is found"),
    equivalent("bucketed-means", "`0`  ->  `1`", "a zero in front adds nothing, and there are no more shapes"),
]
