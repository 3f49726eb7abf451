"""Answers to row-totals."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from jaxcourse.exercise import right, wrong


def masked(x_ref, j, width):
    place = j * x_ref.shape[1] + jax.lax.broadcasted_iota(jnp.int32, x_ref.shape, 1)
    return jnp.where(place < width, x_ref[...], 0)


def called(x, rows, columns, kernel, order="ij", grid=None, into=None, interpret=True):
    """Call a kernel that is given the number of the tile and the width, with the axes of the grid in an order."""
    height, width = x.shape
    counts = {"i": pl.cdiv(height, rows), "j": pl.cdiv(width, columns)}

    def at(*names):
        return lambda *g: tuple(g[order.index(name)] for name in names)

    def inner(x_ref, o_ref):
        kernel(x_ref, o_ref, pl.program_id(order.index("j")), width)

    return pl.pallas_call(
        inner,
        jax.ShapeDtypeStruct((height,), x.dtype),
        grid=grid or tuple(counts[axis] for axis in order),
        in_specs=[pl.BlockSpec((rows, columns), into or at("i", "j"))],
        out_specs=pl.BlockSpec((rows,), at("i")),
        interpret=interpret,
    )(x)


def adds(x_ref, o_ref, j, width):
    @pl.when(j == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += masked(x_ref, j, width).sum(1)


@right("row-totals")
def chooses_what_to_add_to(x, rows, columns):
    def kernel(x_ref, o_ref, j, width):
        part = masked(x_ref, j, width).sum(1)
        o_ref[...] = jnp.where(j == 0, part, o_ref[...] + part)

    return called(x, rows, columns, kernel)


@right("row-totals")
def sums_where_the_place_is_inside(x, rows, columns):
    def kernel(x_ref, o_ref, j, width):
        place = j * columns + jnp.arange(columns)
        part = jnp.sum(x_ref[...], axis=1, where=(place < width)[None, :])

        @pl.when(j == 0)
        def _():
            o_ref[...] = part

        @pl.when(j > 0)
        def _():
            o_ref[...] += part

    return called(x, rows, columns, kernel)


@wrong("row-totals", "never-set")
def adds_to_nothing(x, rows, columns):
    def kernel(x_ref, o_ref, j, width):
        o_ref[...] += masked(x_ref, j, width).sum(1)

    return called(x, rows, columns, kernel)


@wrong("row-totals", "last-tile")
def overwrites(x, rows, columns):
    def kernel(x_ref, o_ref, j, width):
        o_ref[...] = masked(x_ref, j, width).sum(1)

    return called(x, rows, columns, kernel)


@wrong("row-totals", "last-tile")
def begins_anew_at_each_tile(x, rows, columns):
    def kernel(x_ref, o_ref, j, width):
        o_ref[...] = jnp.zeros_like(o_ref)
        o_ref[...] += masked(x_ref, j, width).sum(1)

    return called(x, rows, columns, kernel)


def without_a_mask(x_ref, o_ref, j, width):
    @pl.when(j == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += x_ref[...].sum(1)


@wrong("row-totals", "overhang")
def forgets_the_edge(x, rows, columns):
    return called(x, rows, columns, without_a_mask)


@wrong("row-totals", "times-zero")
def multiplies_by_the_mask(x, rows, columns):
    def kernel(x_ref, o_ref, j, width):
        @pl.when(j == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        place = j * columns + jax.lax.broadcasted_iota(jnp.int32, x_ref.shape, 1)
        o_ref[...] += (x_ref[...] * (place < width)).sum(1)

    return called(x, rows, columns, kernel)


@wrong("row-totals", "nan-hidden")
def takes_nan_for_nothing(x, rows, columns):
    def kernel(x_ref, o_ref, j, width):
        @pl.when(j == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        o_ref[...] += jnp.where(jnp.isnan(x_ref[...]), 0, x_ref[...]).sum(1)

    return called(x, rows, columns, kernel)


@wrong("row-totals", "comes-back")
def walks_down_first(x, rows, columns):
    return called(x, rows, columns, adds, order="ji")


@wrong("row-totals", "set-once")
def sets_once(x, rows, columns):
    def kernel(x_ref, o_ref, j, width):
        @pl.when((j == 0) & (pl.program_id(0) == 0))
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        o_ref[...] += masked(x_ref, j, width).sum(1)

    return called(x, rows, columns, kernel)


@wrong("row-totals", "whole-rows")
def whole_rows(x, rows, columns):
    return called(x, rows, x.shape[1], without_a_mask)


@wrong("row-totals", "rest-missing")
def rounds_down(x, rows, columns):
    grid = (x.shape[0] // rows, pl.cdiv(x.shape[1], columns))
    return called(x, rows, columns, adds, grid=grid)


@wrong("row-totals", "other-tiles")
def one_column_at_a_time(x, rows, columns):
    return called(x, rows, 1, adds)


@wrong("row-totals", "no-kernel")
def in_one_word(x, rows, columns):
    return x.sum(1)


@wrong("row-totals", "wrong-value")
def means_of_tiles(x, rows, columns):
    def kernel(x_ref, o_ref, j, width):
        @pl.when(j == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        o_ref[...] += masked(x_ref, j, width).mean(1)

    return called(x, rows, columns, kernel)


@right("row-totals")
def adds_tiles_and_cuts_the_last(x, rows, columns):
    height, width = x.shape
    tiles = pl.cdiv(width, columns)
    left = width - (tiles - 1) * columns

    def kernel(x_ref, o_ref, kept):
        last = pl.program_id(1) == tiles - 1

        @pl.when(pl.program_id(1) == 0)
        def _():
            kept[...] = jnp.zeros_like(kept)

        @pl.when(~last)
        def _():
            kept[...] += x_ref[...]

        @pl.when(last)
        def _():
            kept[:, :left] += x_ref[:, :left]
            o_ref[...] = kept[...].sum(1)

    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct((height,), x.dtype),
        grid=(pl.cdiv(height, rows), tiles),
        in_specs=[pl.BlockSpec((rows, columns), lambda i, j: (i, j))],
        out_specs=pl.BlockSpec((rows,), lambda i, j: (i,)),
        scratch_shapes=[pltpu.VMEM((rows, columns), jnp.float32)],
        interpret=True,
    )(x)


@wrong("row-totals", "copied")
def pads_with_zeros_outside(x, rows, columns):
    return called(jnp.pad(x, ((0, 0), (0, -x.shape[1] % columns))), rows, columns, without_a_mask)


@wrong("row-totals", "times-zero")
def selects_the_first_and_multiplies_by_the_mask(x, rows, columns):
    def kernel(x_ref, o_ref, j, width):
        place = j * columns + jax.lax.broadcasted_iota(jnp.int32, x_ref.shape, 1)
        part = (x_ref[...] * (place < width).astype(jnp.float32)).sum(1)
        o_ref[...] = jnp.where(j == 0, part, o_ref[...] + part)

    return called(x, rows, columns, kernel)


@wrong("row-totals", "block-outside")
def elements_for_blocks(x, rows, columns):
    return called(x, rows, columns, adds, into=lambda i, j: (i * rows, j * columns))


@wrong("row-totals", "not-interpreted")
def for_a_device(x, rows, columns):
    return called(x, rows, columns, adds, interpret=False)


@wrong("row-totals", "several-kernels")
def one_kernel_for_each_column_of_tiles(x, rows, columns):
    parts = [x[:, at : at + columns] for at in range(0, x.shape[1], columns)]
    return sum(called(part, rows, columns, adds) for part in parts)


@right("row-totals")
def a_loop_over_columns_that_exist_and_a_sum_in_scratch_memory(x, rows, columns):
    height, width = x.shape
    last = pl.cdiv(width, columns) - 1

    def kernel(x_ref, o_ref, kept):
        j = pl.program_id(1)
        so_far = jnp.where(j == 0, 0.0, kept[...])
        inside = jnp.minimum(columns, width - j * columns)
        kept[...] = jax.lax.fori_loop(0, inside, lambda t, total: total + x_ref[:, t], so_far)

        @pl.when(j == last)
        def _():
            o_ref[...] = kept[...]

    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct((height,), x.dtype),
        grid=(pl.cdiv(height, rows), last + 1),
        in_specs=[pl.BlockSpec((rows, columns), lambda i, j: (i, j))],
        out_specs=pl.BlockSpec((rows,), lambda i, j: (i,)),
        scratch_shapes=[pltpu.VMEM((rows,), jnp.float32)],
        interpret=True,
    )(x)


@right("row-totals")
def a_loop_that_carries_the_place(x, rows, columns):
    def kernel(x_ref, o_ref, j, width):
        def add(t, found):
            total, place = found
            return jnp.where(place < width, total + x_ref[:, t], total), place + 1

        start = jnp.where(j == 0, jnp.zeros((rows,)), o_ref[...]), j * columns
        o_ref[...] = jax.lax.fori_loop(0, columns, add, start)[0]

    return called(x, rows, columns, kernel)


@wrong("row-totals", "marks")
def trusts_the_mark_where_the_last_tile_hangs_over(x, rows, columns):
    def kernel(x_ref, o_ref, j, width):
        tile = x_ref[...]
        missing = jnp.isnan(tile) & ((j + 1) * columns > width)
        o_ref[...] = jnp.where(j == 0, 0, o_ref[...]) + jnp.where(missing, 0, tile).sum(1)

    return called(x, rows, columns, kernel)


@wrong("row-totals", "overhang")
def multiplies_by_the_mask_that_a_loop_hands_on(x, rows, columns):
    def kernel(x_ref, o_ref, j, width):
        def add(t, found):
            total, inside = found
            return total + x_ref[:, t] * inside, (j * columns + t + 1 < width).astype(jnp.float32)

        start = jnp.where(j == 0, jnp.zeros((rows,)), o_ref[...]), jnp.float32(1)
        o_ref[...] = jax.lax.fori_loop(0, columns, add, start)[0]

    return called(x, rows, columns, kernel)


@wrong("row-totals", "times-zero")
def keeps_the_mask_in_scratch_memory(x, rows, columns):
    height, width = x.shape

    def kernel(x_ref, o_ref, inside):
        j = pl.program_id(1)
        column = jax.lax.broadcasted_iota(jnp.int32, x_ref.shape, 1)
        inside[...] = (j * columns + column < width).astype(jnp.float32)
        o_ref[...] = jnp.where(j == 0, 0, o_ref[...]) + (x_ref[...] * inside[...]).sum(1)

    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct((height,), x.dtype),
        grid=(pl.cdiv(height, rows), pl.cdiv(width, columns)),
        in_specs=[pl.BlockSpec((rows, columns), lambda i, j: (i, j))],
        out_specs=pl.BlockSpec((rows,), lambda i, j: (i,)),
        scratch_shapes=[pltpu.VMEM((rows, columns), jnp.float32)],
        interpret=True,
    )(x)


@wrong("row-totals", "program-id-inside")
def asks_for_the_step_in_a_loop(x, rows, columns):
    def kernel(x_ref, o_ref, j, width):
        def add(t, total):
            return total + jnp.where(pl.program_id(1) * columns + t < width, x_ref[:, t], 0)

        o_ref[...] = jax.lax.fori_loop(0, columns, add, jnp.where(j == 0, jnp.zeros((rows,)), o_ref[...]))

    return called(x, rows, columns, kernel)


@wrong("row-totals", "wrong-value")
def adds_in_few_bits(x, rows, columns):
    def kernel(x_ref, o_ref, j, width):
        part = masked(x_ref, j, width).astype(jnp.bfloat16).sum(1)
        o_ref[...] = jnp.where(j == 0, 0, o_ref[...]) + part

    return called(x, rows, columns, kernel)
