"""Answers to smooth-in-blocks."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from jaxcourse.exercise import equivalent, right, wrong


def called(
    x,
    alpha,
    block,
    reset="row",
    keeps=True,
    begins="first",
    order="ij",
    size=None,
    grid=None,
    scale=1,
    starts_inside=False,
    interpret=True,
):
    rows, times = x.shape
    block = size or block
    counts = {"i": rows, "j": pl.cdiv(times, block), "p": 2}

    def kernel(x_ref, y_ref, state):
        i, j = (pl.program_id(order.index(axis)) for axis in "ij")

        @pl.when({"row": j == 0, "once": (i == 0) & (j == 0), "always": j >= 0, "never": j < 0}[reset])
        def _():
            state[0] = x_ref[0] if begins == "first" else jnp.float32(0)

        def step(t, y):
            y = y + alpha * (x_ref[t] - y)
            y = jnp.where((pl.program_id(1) == 0) & (t == 0), x_ref[t], y) if starts_inside else y
            y_ref[t] = y
            return y

        end = jax.lax.fori_loop(0, block, step, state[0])
        if keeps:
            state[0] = end

    walk = pl.BlockSpec((None, block), lambda *g: (g[order.index("i")], g[order.index("j")] * scale))
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=grid or tuple(counts[axis] for axis in order),
        in_specs=[walk],
        out_specs=walk,
        scratch_shapes=[pltpu.VMEM((1,), jnp.float32)],
        interpret=interpret,
    )(x)


@right("smooth-in-blocks")
def sees_both_axes_and_scans(x, alpha, block):
    rows, times = x.shape

    def kernel(x_ref, y_ref, state):
        first = jnp.where(pl.program_id(1) == 0, x_ref[0, 0], state[0])

        def step(y, new):
            y = (1 - alpha) * y + alpha * new
            return y, y

        last, means = jax.lax.scan(step, first, x_ref[0, :])
        y_ref[0, :] = means
        state[0] = last

    walk = pl.BlockSpec((1, block), lambda i, j: (i, j))
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(rows, pl.cdiv(times, block)),
        in_specs=[walk],
        out_specs=walk,
        scratch_shapes=[pltpu.VMEM((1,), jnp.float32)],
        interpret=True,
    )(x)


@right("smooth-in-blocks")
def by_powers_of_the_weight(x, alpha, block):
    rows, times = x.shape

    def kernel(x_ref, y_ref, state):
        @pl.when(pl.program_id(1) == 0)
        def _():
            state[...] = x_ref[0:1]

        age = jnp.arange(block)[:, None] - jnp.arange(block)[None, :]
        weights = jnp.where(age >= 0, alpha * (1 - alpha) ** jnp.maximum(age, 0), 0)
        place = pl.program_id(1) * block + jnp.arange(block)
        known = jnp.where(place < times, x_ref[...], 0)
        means = (weights * known[None, :]).sum(1) + (1 - alpha) ** (jnp.arange(block) + 1) * state[0]
        y_ref[...] = means
        state[...] = means[-1:]

    walk = pl.BlockSpec((None, block), lambda i, j: (i, j))
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(rows, pl.cdiv(times, block)),
        in_specs=[walk],
        out_specs=walk,
        scratch_shapes=[pltpu.VMEM((1,), jnp.float32)],
        interpret=True,
    )(x)


@wrong("smooth-in-blocks", "restarts")
def begins_anew_in_each_block(x, alpha, block):
    return called(x, alpha, block, reset="always")


@wrong("smooth-in-blocks", "not-reset")
def sets_once(x, alpha, block):
    return called(x, alpha, block, reset="once")


@wrong("smooth-in-blocks", "others-state")
def time_first(x, alpha, block):
    return called(x, alpha, block, order="ji")


@wrong("smooth-in-blocks", "from-zero")
def begins_at_zero(x, alpha, block):
    return called(x, alpha, block, begins="zero")


@wrong("smooth-in-blocks", "whole-series")
def a_row_at_a_time(x, alpha, block):
    return called(x, alpha, block, size=x.shape[1])


@wrong("smooth-in-blocks", "not-handed-on")
def keeps_the_first_number(x, alpha, block):
    return called(x, alpha, block, keeps=False)


@wrong("smooth-in-blocks", "rest-missing")
def rounds_down(x, alpha, block):
    return called(x, alpha, block, grid=(len(x), x.shape[1] // block))


@wrong("smooth-in-blocks", "never-written")
def never_sets_the_state(x, alpha, block):
    return called(x, alpha, block, reset="never")


@right("smooth-in-blocks")
def a_state_for_each_row_and_time_first(x, alpha, block):
    """What is handed on grows with the rows, and not with the times."""
    rows, times = x.shape

    def kernel(x_ref, y_ref, state):
        i = pl.program_id(1)
        first = jnp.where(pl.program_id(0) == 0, x_ref[0], state[i])

        def step(t, y):
            y = y + alpha * (x_ref[t] - y)
            y_ref[t] = y
            return y

        state[i] = jax.lax.fori_loop(0, block, step, first)

    walk = pl.BlockSpec((None, block), lambda j, i: (i, j))
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(pl.cdiv(times, block), rows),
        in_specs=[walk],
        out_specs=walk,
        scratch_shapes=[pltpu.VMEM((rows,), jnp.float32)],
        interpret=True,
    )(x)


@wrong("smooth-in-blocks", "no-kernel")
def by_a_scan(x, alpha, block):
    def step(y, new):
        y = y + alpha * (new - y)
        return y, y

    return jax.vmap(lambda row: jax.lax.scan(step, row[0], row)[1])(x)


@wrong("smooth-in-blocks", "wrong-value")
def moves_by_the_rest_of_the_way(x, alpha, block):
    return called(x, 1 - alpha, block)


def in_one_formula(x, alpha, block, kernel, kept):
    rows, times = x.shape
    walk = pl.BlockSpec((None, block), lambda i, j: (i, j))
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(rows, pl.cdiv(times, block)),
        in_specs=[walk],
        out_specs=walk,
        scratch_shapes=[pltpu.VMEM((kept,), jnp.float32)],
        interpret=True,
    )(x)


@wrong("smooth-in-blocks", "powers")
def divides_by_powers(x, alpha, block):
    def kernel(x_ref, y_ref, state):
        new = x_ref[...]
        first = jnp.where(pl.program_id(1) == 0, new[0], state[0])
        fading = jnp.float32(1 - alpha) ** (1 + jnp.arange(block))
        means = fading * (first + jnp.cumsum(alpha * new / fading))
        y_ref[...] = means
        state[...] = means[-1:]

    return in_one_formula(x, alpha, block, kernel, 1)


@wrong("smooth-in-blocks", "memory-grows")
def keeps_all_means(x, alpha, block):
    def kernel(x_ref, y_ref, kept):
        j = pl.program_id(1)

        def step(t, y):
            y = y + alpha * (x_ref[t] - y)
            kept[j * block + t] = y
            return y

        first = jnp.where(j == 0, x_ref[0], kept[jnp.maximum(j * block - 1, 0)])
        jax.lax.fori_loop(0, block, step, first)
        y_ref[...] = kept[pl.ds(j * block, block)]

    return in_one_formula(x, alpha, block, kernel, pl.cdiv(x.shape[1], block) * block)


@wrong("smooth-in-blocks", "block-outside")
def elements_for_blocks(x, alpha, block):
    return called(x, alpha, block, scale=block)


@wrong("smooth-in-blocks", "comes-back")
def passes_twice_over_everything(x, alpha, block):
    return called(x, alpha, block, order="pij")


@wrong("smooth-in-blocks", "not-interpreted")
def for_a_device(x, alpha, block):
    return called(x, alpha, block, interpret=False)


@wrong("smooth-in-blocks", "several-kernels")
def one_kernel_for_each_row(x, alpha, block):
    return jnp.concatenate([called(row[None], alpha, block) for row in x])


@wrong("smooth-in-blocks", "program-id-inside")
def asks_for_the_step_in_the_loop(x, alpha, block):
    return called(x, alpha, block, starts_inside=True)


equivalents = [
    equivalent("smooth-in-blocks", "`0`  ->  `-1`", "the scratch memory has one number"),
    equivalent("smooth-in-blocks", "`1`  ->  `-1`", "the grid has two axes"),
    equivalent("smooth-in-blocks", "`1`  ->  `2`", "the second number is never read"),
]
