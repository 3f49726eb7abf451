"""Answers to add-one."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from jaxcourse.exercise import right, wrong


def called(kernel, x, grid, fetched, written, interpret=True):
    like = jax.ShapeDtypeStruct(x.shape, x.dtype)
    named = {"grid": grid, "out_specs": written, "interpret": interpret}
    return pl.pallas_call(kernel, like, **named, **({"in_specs": [fetched]} if fetched else {}))(x)


def plus_one(x_ref, o_ref):
    o_ref[...] = x_ref[...] + 1


def walk(block):
    return pl.BlockSpec((block,), lambda i: (i,))


@right("add-one")
def adds_one_in_place_of_a_copy(x, block):
    def kernel(x_ref, o_ref):
        o_ref[:] = x_ref[:]
        o_ref[:] += 1

    return called(kernel, x, (-(-x.shape[0] // block),), walk(block), walk(block))


@right("add-one")
@functools.partial(jax.jit, static_argnums=1)
def jitted_and_with_a_number_for_a_grid(x, block):
    return called(plus_one, x, pl.cdiv(x.size, block), walk(block), pl.BlockSpec((block,), lambda step: step))


@right("add-one")
def from_the_last_block_to_the_first(x, block):
    last = pl.cdiv(len(x), block) - 1
    back = pl.BlockSpec((block,), lambda i: (last - i,))
    return called(plus_one, x, (last + 1,), back, back)


@wrong("add-one", "no-kernel")
def leaves_it_to_the_compiler(x, block):
    return x + 1


@wrong("add-one", "several-kernels")
def one_kernel_after_the_other(x, block):
    half = pl.cdiv(len(x), block)

    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] + 0.5

    for _ in range(2):
        x = called(kernel, x, (half,), walk(block), walk(block))
    return x


@wrong("add-one", "whole-array")
def without_a_grid(x, block):
    return pl.pallas_call(plus_one, jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)


@wrong("add-one", "rest-missing")
def rounds_down(x, block):
    return called(plus_one, x, (len(x) // block,), walk(block), walk(block))


@wrong("add-one", "block-outside")
def elements_for_blocks(x, block):
    elements = pl.BlockSpec((block,), lambda i: (i * block,))
    return called(plus_one, x, (pl.cdiv(len(x), block),), elements, walk(block))


@wrong("add-one", "block-outside")
def one_step_too_many(x, block):
    return called(plus_one, x, (len(x) // block + 1,), walk(block), walk(block))


@wrong("add-one", "never-written")
def gives_the_block_another_name(x, block):
    def kernel(x_ref, o_ref):
        o_ref = x_ref[...] + 1  # noqa: F841

    return called(kernel, x, (pl.cdiv(len(x), block),), walk(block), walk(block))


@wrong("add-one", "handed-whole")
def slices_the_whole(x, block):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[pl.ds(pl.program_id(0) * block, block)] + 1

    return called(kernel, x, (pl.cdiv(len(x), block),), None, walk(block))


@wrong("add-one", "too-many-steps")
def a_step_for_each_element(x, block):
    again = pl.BlockSpec((block,), lambda i: (i // block,))
    return called(plus_one, x, (len(x),), again, again)


@wrong("add-one", "too-few-steps")
def blocks_of_twice_the_length(x, block):
    return called(plus_one, x, (pl.cdiv(len(x), 2 * block),), walk(2 * block), walk(2 * block))


@wrong("add-one", "other-blocks")
def blocks_that_are_one_longer(x, block):
    steps, longer = pl.cdiv(len(x), block), block + 1
    last = pl.cdiv(len(x), longer) - 1
    wide = pl.BlockSpec((longer,), lambda i: (jnp.minimum(i, last),))
    return called(plus_one, x, (steps,), wide, wide)


@wrong("add-one", "not-interpreted")
def for_a_device(x, block):
    return called(plus_one, x, (pl.cdiv(len(x), block),), walk(block), walk(block), interpret=False)


@wrong("add-one", "wrong-value")
def adds_the_number_of_the_step(x, block):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] + pl.program_id(0)

    return called(kernel, x, (pl.cdiv(len(x), block),), walk(block), walk(block))


@right("add-one")
def overlaps_in_place_of_an_overhang(x, block):
    within = pl.BlockSpec((pl.Element(block),), lambda i: (jnp.minimum(i * block, len(x) - block),))
    return called(plus_one, x, (pl.cdiv(len(x), block),), within, within)


@right("add-one")
def as_a_table_of_one_row(x, block):
    row = pl.BlockSpec((1, block), lambda i: (0, i))
    return called(plus_one, x.reshape(1, -1), (pl.cdiv(len(x), block),), row, row).reshape(-1)


@wrong("add-one", "copied")
def pads_and_walks_over_rows(x, block):
    steps = pl.cdiv(len(x), block)
    row = pl.BlockSpec((None, block), lambda i: (i, 0))
    rows = jnp.pad(x, (0, steps * block - len(x))).reshape(steps, block)
    return called(plus_one, rows, (steps,), row, row).reshape(-1)[: len(x)]
