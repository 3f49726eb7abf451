"""Answers to histogram."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from jaxcourse.exercise import right, wrong


def hits(v, place, bins, n):
    number = jax.lax.broadcasted_iota(jnp.int32, (len(v), bins), 1)
    return (v[:, None] == number) & (place < n)[:, None]


def called(
    v,
    bins,
    block,
    count=None,
    dtype=jnp.int32,
    ends=True,
    interpret=True,
    steps=None,
    index=lambda i: (i,),
    rows=None,
    size=None,
):
    n, size = len(v), size or block
    steps = steps or pl.cdiv(n, size)

    def kernel(v_ref, o_ref):
        place = pl.program_id(0) * size + jax.lax.broadcasted_iota(jnp.int32, (size,), 0)
        if count:
            count(v_ref, place, o_ref)
        else:
            o_ref[...] = hits(v_ref[...], place, bins, n if ends else n + size).astype(dtype).sum(0)[None]

    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct((rows or steps, bins), dtype),
        grid=(steps,),
        in_specs=[pl.BlockSpec((size,), index)],
        out_specs=pl.BlockSpec((1, bins), lambda i: (i, 0)),
        interpret=interpret,
    )(v)


@right("histogram")
def adds_the_rows(v, bins, block):
    return called(v, bins, block).sum(0)


@right("histogram")
def one_number_after_the_other(v, bins, block):
    def count(v_ref, place, o_ref):
        o_ref[...] = jnp.zeros_like(o_ref)

        def one(t, _):
            o_ref[0, v_ref[t]] += 1

        jax.lax.fori_loop(0, jnp.minimum(block, len(v) - place[0]), one, None)

    return called(v, bins, block, count).sum(0)


@right("histogram")
def a_bin_after_the_other(v, bins, block):
    def count(v_ref, place, o_ref):
        for b in range(bins):
            o_ref[0, b] = jnp.where(place < len(v), v_ref[...] == b, False).astype(jnp.int32).sum()

    return jnp.sum(called(v, bins, block, count), axis=0)


@wrong("histogram", "shared")
def all_into_one_row(v, bins, block):
    n = len(v)

    def kernel(v_ref, o_ref):
        i = pl.program_id(0)

        @pl.when(i == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        place = i * block + jax.lax.broadcasted_iota(jnp.int32, (block,), 0)
        o_ref[...] += hits(v_ref[...], place, bins, n).astype(jnp.int32).sum(0)

    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct((bins,), jnp.int32),
        grid=(pl.cdiv(n, block),),
        in_specs=[pl.BlockSpec((block,), lambda i: (i,))],
        out_specs=pl.BlockSpec((bins,), lambda i: (0,)),
        interpret=True,
    )(v)


@wrong("histogram", "overhang")
def counts_what_is_no_number(v, bins, block):
    def count(v_ref, place, o_ref):
        o_ref[...] = jnp.zeros_like(o_ref)

        def one(t, _):
            o_ref[0, jnp.clip(v_ref[t], 0, bins - 1)] += 1

        jax.lax.fori_loop(0, block, one, None)

    return called(v, bins, block, count).sum(0)


@wrong("histogram", "overhang")
def counts_the_rest_as_the_last(v, bins, block):
    def count(v_ref, place, o_ref):
        inside = jnp.where(v_ref[...] < 0, bins - 1, v_ref[...])
        o_ref[...] = hits(inside, place, bins, len(v) + block).astype(jnp.int32).sum(0)[None]

    return called(v, bins, block, count).sum(0)


@wrong("histogram", "marks")
def trusts_the_mark(v, bins, block):
    return called(v, bins, block, ends=False).sum(0)


@wrong("histogram", "table")
def one_hot_outside(v, bins, block):
    flags = (v[:, None] == jnp.arange(bins)).astype(jnp.int32)

    def kernel(f_ref, o_ref):
        o_ref[...] = f_ref[...].sum(0)

    return pl.pallas_call(kernel, jax.ShapeDtypeStruct((bins,), jnp.int32), interpret=True)(flags)


@wrong("histogram", "handed-whole")
def all_numbers_in_each_step(v, bins, block):
    n = len(v)

    def kernel(v_ref, o_ref):
        at = pl.program_id(0) * block
        place = at + jax.lax.broadcasted_iota(jnp.int32, (block,), 0)
        o_ref[...] = hits(v_ref[pl.ds(at, block)], place, bins, n).astype(jnp.int32).sum(0)[None]

    steps = pl.cdiv(n, block)
    walk = pl.BlockSpec((1, bins), lambda i: (i, 0))
    like = jax.ShapeDtypeStruct((steps, bins), jnp.int32)
    return pl.pallas_call(kernel, like, grid=(steps,), out_specs=walk, interpret=True)(v).sum(0)


@wrong("histogram", "other-counts")
def counts_in_few_bits(v, bins, block):
    return called(v, bins, block, dtype=jnp.int8).sum(0, dtype=jnp.int32)


@wrong("histogram", "small-integers")
def adds_in_sixteen_bits(v, bins, block):
    def count(v_ref, place, o_ref):
        found = hits(v_ref[...], place, bins, len(v))
        o_ref[...] = found.sum(0, dtype=jnp.int16).astype(jnp.int32)[None]

    return called(v, bins, block, count).sum(0)


@wrong("histogram", "other-counts")
def counts_in_floats(v, bins, block):
    return called(v, bins, block, dtype=jnp.float32).sum(0).astype(jnp.int32)


@wrong("histogram", "not-added")
def returns_the_rows(v, bins, block):
    return called(v, bins, block)


@wrong("histogram", "last-block")
def returns_the_last_row(v, bins, block):
    return called(v, bins, block)[-1]


@wrong("histogram", "seen-once")
def asks_whether_there_is_one(v, bins, block):
    def count(v_ref, place, o_ref):
        o_ref[...] = hits(v_ref[...], place, bins, len(v)).any(0).astype(jnp.int32)[None]

    return called(v, bins, block, count).sum(0)


@wrong("histogram", "never-set")
def adds_to_nothing(v, bins, block):
    def count(v_ref, place, o_ref):
        o_ref[...] += hits(v_ref[...], place, bins, len(v)).astype(jnp.int32).sum(0)[None]

    return called(v, bins, block, count).sum(0)


@wrong("histogram", "rest-unread")
def rounds_down(v, bins, block):
    return called(v, bins, block, steps=(len(v) - 1) // block).sum(0)


@wrong("histogram", "rest-missing")
def has_a_row_too_many(v, bins, block):
    return called(v, bins, block, rows=pl.cdiv(len(v), block) + 1).sum(0)


@wrong("histogram", "copied")
def pads(v, bins, block):
    return called(jnp.pad(v, (0, -len(v) % block + block), constant_values=-1), bins, block).sum(0)


@wrong("histogram", "other-blocks")
def longer_blocks(v, bins, block):
    return called(v, bins, block, size=block + 1).sum(0)


@wrong("histogram", "block-outside")
def elements_for_blocks(v, bins, block):
    return called(v, bins, block, index=lambda i: (i * block,)).sum(0)


@wrong("histogram", "no-kernel")
def leaves_it_to_the_compiler(v, bins, block):
    return jnp.bincount(v, length=bins)


@wrong("histogram", "several-kernels")
def one_kernel_for_each_half(v, bins, block):
    half = len(v) // 2
    return called(v[:half], bins, block).sum(0) + called(v[half:], bins, block).sum(0)


@wrong("histogram", "not-interpreted")
def for_a_device(v, bins, block):
    return called(v, bins, block, interpret=False).sum(0)


@wrong("histogram", "wrong-value")
def counts_from_one(v, bins, block):
    return jnp.roll(called(v, bins, block).sum(0), 1) + 1


def with_memory(v, bins, block, count):
    """Call a kernel that is given the number of its step, and scratch memory."""
    steps = pl.cdiv(len(v), block)

    def kernel(v_ref, o_ref, memory):
        count(v_ref, o_ref, pl.program_id(0), memory)

    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct((steps, bins), jnp.int32),
        grid=(steps,),
        in_specs=[pl.BlockSpec((block,), lambda i: (i,))],
        out_specs=pl.BlockSpec((1, bins), lambda i: (i, 0)),
        scratch_shapes=[pltpu.VMEM((bins,), jnp.int32)],
        interpret=True,
    )(v)


def of_step(v_ref, i, bins, n):
    return hits(v_ref[...], i * len(v_ref[...]) + jnp.arange(len(v_ref[...])), bins, n).astype(jnp.int32).sum(0)


@right("histogram")
def counts_in_scratch_memory_that_each_step_sets(v, bins, block):
    def count(v_ref, o_ref, i, kept):
        kept[...] = jnp.zeros_like(kept)

        def one(t, _):
            @pl.when(i * block + t < len(v))
            def _():
                kept[v_ref[t]] += 1

        jax.lax.fori_loop(0, block, one, None)
        o_ref[...] = kept[...][None]

    return with_memory(v, bins, block, count).sum(0)


@wrong("histogram", "handed-on")
def counts_on_from_step_to_step(v, bins, block):
    def count(v_ref, o_ref, i, kept):
        kept[...] = jnp.where(i == 0, 0, kept[...]) + of_step(v_ref, i, bins, len(v))
        o_ref[...] = kept[...][None]

    return with_memory(v, bins, block, count)[-1]


@wrong("histogram", "handed-on")
def leaves_zeros_for_the_next_step(v, bins, block):
    def count(v_ref, o_ref, i, kept):
        @pl.when(i == 0)
        def _():
            kept[...] = jnp.zeros_like(kept)

        o_ref[...] = (kept[...] + of_step(v_ref, i, bins, len(v)))[None]
        kept[...] = jnp.zeros_like(kept)

    return with_memory(v, bins, block, count).sum(0)


@wrong("histogram", "handed-on")
def numbers_its_steps_itself(v, bins, block):
    def count(v_ref, o_ref, i, kept):
        step = jnp.where(i == 0, 0, kept[0])
        o_ref[...] = of_step(v_ref, step, bins, len(v))[None]
        kept[0] = step + 1

    return with_memory(v, bins, block, count).sum(0)


@wrong("histogram", "program-id-inside")
def asks_for_the_step_in_a_loop(v, bins, block):
    def count(v_ref, place, o_ref):
        o_ref[...] = jnp.zeros_like(o_ref)

        def one(t, _):
            @pl.when(pl.program_id(0) * block + t < len(v))
            def _():
                o_ref[0, v_ref[t]] += 1

        jax.lax.fori_loop(0, block, one, None)

    return called(v, bins, block, count).sum(0)


@wrong("histogram", "small-integers")
def returns_floats(v, bins, block):
    return called(v, bins, block).sum(0).astype(jnp.float32)
