"""Answers to three-point."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from jaxcourse.exercise import right, wrong


def places(x_ref, block):
    return pl.program_id(0) * block + jax.lax.broadcasted_iota(jnp.int32, x_ref.shape, 0)


def called(x, block, kernel, shifts=(-1, 0, 1), clip=jnp.clip, grid=None, interpret=True):
    """Call a kernel that is given the blocks at some distances, and the places of its numbers."""
    last = pl.cdiv(len(x), block) - 1

    def shifted(by):
        return pl.BlockSpec((block,), lambda i: (clip(i + by, 0, last),))

    def inner(*refs):
        *given, o_ref = refs
        o_ref[...] = kernel(*(ref[...] for ref in given), places(o_ref, block), len(x))

    return pl.pallas_call(
        inner,
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=grid or (last + 1,),
        in_specs=[shifted(by) for by in shifts],
        out_specs=shifted(0),
        interpret=interpret,
    )(*[x] * len(shifts))


def neighbours(before, here, after):
    left = jnp.concatenate([before[-1:], here[:-1]])
    return left, jnp.concatenate([here[1:], after[:1]])


def mean(before, here, after, place, n):
    left, right_ = neighbours(before, here, after)
    return (jnp.where(place == 0, here, left) + here + jnp.where(place == n - 1, here, right_)) / 3


@right("three-point")
def rolls_the_block(x, block):
    def kernel(before, here, after, place, n):
        first, last = place % block == 0, place % block == block - 1
        left = jnp.where(first, before[-1], jnp.roll(here, 1))
        following = jnp.where(last, after[0], jnp.roll(here, -1))
        left, following = jnp.where(place > 0, left, here), jnp.where(place < n - 1, following, here)
        return (left + here + following) / 3

    return called(x, block, kernel)


@right("three-point")
def keeps_the_last_number_in_scratch_memory(x, block):
    n, last = len(x), pl.cdiv(len(x), block) - 1

    def kernel(here, after, o_ref, kept):
        v, place = here[...], places(here, block)
        left = jnp.concatenate([jnp.where(place[:1] == 0, v[:1], kept[...]), v[:-1]])
        following = jnp.where(place == n - 1, v, jnp.concatenate([v[1:], after[...][:1]]))
        o_ref[...] = (left + v + following) / 3
        kept[...] = v[-1:]

    walk = pl.BlockSpec((block,), lambda i: (i,))
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(last + 1,),
        in_specs=[walk, pl.BlockSpec((block,), lambda i: (jnp.minimum(i + 1, last),))],
        out_specs=walk,
        scratch_shapes=[pltpu.VMEM((1,), jnp.float32)],
        interpret=True,
    )(x, x)


@wrong("three-point", "block-outside")
def one_before_the_first(x, block):
    return called(x, block, mean, clip=lambda i, low, high: i)


@wrong("three-point", "block-outside")
def one_behind_the_last(x, block):
    return called(x, block, mean, clip=lambda i, low, high: jnp.maximum(i, low))


@wrong("three-point", "blocks-apart")
def repeats_the_ends_of_each_block(x, block):
    def kernel(here, place, n):
        left, following = neighbours(here[:1], here, here[-1:])
        return (left + here + following) / 3

    return called(x, block, kernel, shifts=(0,))


@wrong("three-point", "blocks-apart")
def repeats_the_ends_of_each_block_and_of_the_vector(x, block):
    def kernel(here, place, n):
        left, following = neighbours(here[:1], here, here[-1:])
        return (left + here + jnp.where(place == n - 1, here, following)) / 3

    return called(x, block, kernel, shifts=(0,))


@wrong("three-point", "overhang")
def forgets_the_last_number(x, block):
    def kernel(before, here, after, place, n):
        left, following = neighbours(before, here, jnp.where(place[-1:] == n - 1, here[-1:], after))
        return (jnp.where(place == 0, here, left) + here + following) / 3

    return called(x, block, kernel)


@wrong("three-point", "wraps-round")
def on_a_circle(x, block):
    first, last = x[-1:], x[:1]

    def ends(before, here, after, left, right_, place, n):
        near, far = neighbours(before, here, after)
        return (jnp.where(place == 0, left, near) + here + jnp.where(place == n - 1, right_, far)) / 3

    steps = pl.cdiv(len(x), block)

    def inner(before, here, after, left, right_, o_ref):
        place = places(o_ref, block)
        o_ref[...] = ends(before[...], here[...], after[...], left[0], right_[0], place, len(x))

    def shifted(by):
        return pl.BlockSpec((block,), lambda i: (jnp.clip(i + by, 0, steps - 1),))

    end = pl.BlockSpec((1,), lambda i: (0,))
    padded = [jnp.concatenate([each, each]) for each in (first, last)]
    return pl.pallas_call(
        inner,
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(steps,),
        in_specs=[shifted(-1), shifted(0), shifted(1), end, end],
        out_specs=shifted(0),
        interpret=True,
    )(x, x, x, *padded)


@wrong("three-point", "zeros-outside")
def nothing_beyond_the_ends(x, block):
    def kernel(before, here, after, place, n):
        left, following = neighbours(before, here, after)
        return (jnp.where(place == 0, 0, left) + here + jnp.where(place == n - 1, 0, following)) / 3

    return called(x, block, kernel)


@wrong("three-point", "handed-whole")
def reads_the_whole(x, block):
    n = len(x)

    def kernel(x_ref, o_ref):
        place = places(o_ref, block)
        at = [x_ref[jnp.clip(place + by, 0, n - 1)] for by in (-1, 0, 1)]
        o_ref[...] = sum(at) / 3

    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(pl.cdiv(n, block),),
        out_specs=pl.BlockSpec((block,), lambda i: (i,)),
        interpret=True,
    )(x)


@wrong("three-point", "whole-array")
def in_one_step(x, block):
    def kernel(x_ref, o_ref):
        left, following = neighbours(x_ref[:1], x_ref[...], x_ref[-1:])
        o_ref[...] = (left + x_ref[...] + following) / 3

    return pl.pallas_call(kernel, jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)


@wrong("three-point", "traffic")
def five_blocks_a_step(x, block):
    def kernel(far, before, here, after, farther, place, n):
        return mean(before, here, after, place, n)

    return called(x, block, kernel, shifts=(-2, -1, 0, 1, 2))


@wrong("three-point", "rest-missing")
def rounds_down(x, block):
    return called(x, block, mean, grid=(len(x) // block,))


@wrong("three-point", "no-kernel")
def in_one_line(x, block):
    left, following = neighbours(x[:1], x, x[-1:])
    return (left + x + following) / 3


@wrong("three-point", "never-written")
def divides_nan(x, block):
    def kernel(before, here, after, place, n):
        return mean(before, here, after, place, n) * jnp.nan

    return called(x, block, kernel)


@wrong("three-point", "wrong-value")
def weighs_the_middle_twice(x, block):
    def kernel(before, here, after, place, n):
        return (3 * mean(before, here, after, place, n) + here) / 4

    return called(x, block, kernel)


@wrong("three-point", "copied")
def three_slices_made_outside(x, block):
    at = jnp.pad(x, 1, mode="edge")
    walk = pl.BlockSpec((block,), lambda i: (i,))

    def kernel(left, here, right_, o_ref):
        o_ref[...] = (left[...] + here[...] + right_[...]) / 3

    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(pl.cdiv(len(x), block),),
        in_specs=[walk] * 3,
        out_specs=walk,
        interpret=True,
    )(at[:-2], x, at[2:])


@wrong("three-point", "other-blocks")
def blocks_that_are_one_longer(x, block):
    return called(x, block + 1, mean)


@wrong("three-point", "not-interpreted")
def for_a_device(x, block):
    return called(x, block, mean, interpret=False)


@wrong("three-point", "several-kernels")
def sums_first_and_divides_then(x, block):
    sums = called(x, block, lambda *given: 3 * mean(*given))
    return called(sums, block, lambda here, place, n: here / 3, shifts=(0,))


@right("three-point")
def one_block_late(x, block):
    n, steps = len(x), pl.cdiv(len(x), block)

    def kernel(x_ref, o_ref, kept, edge):
        i = pl.program_id(0)

        @pl.when(i == 0)
        def _():
            edge[0] = x_ref[0]

        @pl.when(i > 0)
        def _():
            middle = kept[...]
            place = (i - 1) * block + jax.lax.broadcasted_iota(jnp.int32, (block,), 0)
            left = jnp.concatenate([edge[...], middle[:-1]])
            following = jnp.concatenate([middle[1:], x_ref[...][:1]])
            o_ref[...] = (left + middle + jnp.where(place == n - 1, middle, following)) / 3
            edge[...] = middle[-1:]

        kept[...] = x_ref[...]

    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(steps + 1,),
        in_specs=[pl.BlockSpec((block,), lambda i: (jnp.minimum(i, steps - 1),))],
        out_specs=pl.BlockSpec((block,), lambda i: (jnp.maximum(i - 1, 0),)),
        scratch_shapes=[pltpu.VMEM((block,), jnp.float32), pltpu.VMEM((1,), jnp.float32)],
        interpret=True,
    )(x)


@wrong("three-point", "marks")
def trusts_the_mark_at_the_end(x, block):
    def kernel(before, here, after, place, n):
        left, right_ = neighbours(before, here, after)
        ends = jnp.isnan(right_) | ((place == n - 1) & (n % block == 0))
        return (jnp.where(place == 0, here, left) + here + jnp.where(ends, here, right_)) / 3

    return called(x, block, kernel)


@wrong("three-point", "program-id-inside")
def numbers_its_places_in_a_jitted_function(x, block):
    def kernel(before, here, after, place, n):
        numbered = jax.jit(lambda: pl.program_id(0) * block + jnp.arange(block))
        return mean(before, here, after, numbered(), n)

    return called(x, block, kernel)
