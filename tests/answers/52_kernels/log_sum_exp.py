"""Answers to log-sum-exp."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from jaxcourse.exercise import equivalent, right, wrong

LOWEST = jnp.finfo(jnp.float32).min


def kept(x, top, total, o_ref, rescales=True, keeps=True, begin=None):
    """A maximum that runs along, and a sum that is relative to it."""
    new = jnp.maximum(top[...], x.max(1)) if keeps else x.max(1)
    shrunk = total[...] * (jnp.exp(top[...] - new) if rescales else 1) if keeps else 0
    total[...] = shrunk + jnp.exp(x - new[:, None]).sum(1)
    top[...] = new
    o_ref[...] = new + jnp.log(total[...])


def called(
    x,
    rows,
    columns,
    step=kept,
    select=jnp.where,
    begin=LOWEST,
    starts="row",
    order="ij",
    own=None,
    scale=1,
    grid=None,
    interpret=True,
):
    height, width = x.shape

    def kernel(x_ref, o_ref, top, total):
        i, j = (pl.program_id(order.index(axis)) for axis in "ij")

        @pl.when({"row": j == 0, "once": (i == 0) & (j == 0), "never": j < 0}[starts])
        def _():
            top[...] = jnp.full_like(top, begin)
            total[...] = jnp.zeros_like(total)
            o_ref[...] = jnp.zeros_like(o_ref)

        inside = j * columns + jax.lax.broadcasted_iota(jnp.int32, x_ref.shape, 1) < width
        step(select(inside, x_ref[...], -jnp.inf), top, total, o_ref)

    counts = {"i": pl.cdiv(height, rows), "j": pl.cdiv(width, columns)}

    def at(*names):
        return lambda *g: tuple(g[order.index(name)] * (scale if name == "j" else 1) for name in names)

    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct((height,), x.dtype),
        grid=grid or tuple(counts[axis] for axis in order),
        in_specs=[pl.BlockSpec((rows, columns), at("i", "j"))],
        out_specs=pl.BlockSpec((rows,), at("i")),
        scratch_shapes=[pltpu.VMEM(own or (rows,), jnp.float32)] * 2,
        interpret=interpret,
    )(x)


def of_a_tile(x):
    top = jnp.maximum(x.max(1), LOWEST)
    return top + jnp.log(jnp.exp(x - top[:, None]).sum(1))


@right("log-sum-exp")
def in_the_result_alone(x, rows, columns):
    def step(x, top, total, o_ref):
        new = jnp.logaddexp(jnp.where(pl.program_id(1) == 0, -jnp.inf, o_ref[...]), of_a_tile(x))
        o_ref[...] = new

    return called(x, rows, columns, step)


@right("log-sum-exp")
def from_minus_infinity_with_care(x, rows, columns):
    def step(x, top, total, o_ref):
        new = jnp.maximum(top[...], x.max(1))
        safe = jnp.where(new == -jnp.inf, 0, new)
        total[...] = total[...] * jnp.exp(top[...] - safe) + jnp.exp(x - safe[:, None]).sum(1)
        top[...] = new

        @pl.when(pl.program_id(1) == pl.num_programs(1) - 1)
        def _():
            o_ref[...] = safe + jnp.log(total[...])

    return called(x, rows, columns, step, begin=-jnp.inf)


@right("log-sum-exp")
def with_a_result_of_one_column(x, rows, columns):
    """Each place of a tile has a sum of its own until the row ends, and the result has a second axis."""
    (height, width), across = x.shape, pl.cdiv(x.shape[1], columns)

    def kernel(x_ref, o_ref, tops, totals):
        c = pl.program_id(0) % across

        @pl.when(c == 0)
        def _():
            tops[...] = jnp.full_like(tops, LOWEST)
            totals[...] = jnp.zeros_like(totals)

        inside = c * columns + jax.lax.broadcasted_iota(jnp.int32, x_ref.shape, 1) < width
        some = jnp.where(inside, x_ref[...], -jnp.inf)
        new = jnp.maximum(tops[...], some)
        totals[...] = totals[...] * jnp.exp(tops[...] - new) + jnp.exp(some - new)
        tops[...] = new

        @pl.when(c == across - 1)
        def _():
            top = tops[...].max(1, keepdims=True)
            o_ref[...] = top + jnp.log((totals[...] * jnp.exp(tops[...] - top)).sum(1, keepdims=True))

    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct((height, 1), x.dtype),
        grid=(pl.cdiv(height, rows) * across,),
        in_specs=[pl.BlockSpec((rows, columns), lambda s: (s // across, s % across))],
        out_specs=pl.BlockSpec((rows, 1), lambda s: (s // across, 0)),
        scratch_shapes=[pltpu.VMEM((rows, columns), jnp.float32)] * 2,
        interpret=True,
    )(x)[:, 0]


@wrong("log-sum-exp", "not-rescaled")
def adds_what_is_relative_to_different_maxima(x, rows, columns):
    return called(x, rows, columns, lambda *refs: kept(*refs, rescales=False))


@wrong("log-sum-exp", "overflow")
def subtracts_nothing(x, rows, columns):
    def step(x, top, total, o_ref):
        total[...] += jnp.exp(x).sum(1)
        o_ref[...] = jnp.log(total[...])

    return called(x, rows, columns, step)


@wrong("log-sum-exp", "overflow-and-overhang")
def adds_all_that_is_there(x, rows, columns):
    def step(x, top, total, o_ref):
        total[...] += jnp.exp(x).sum(1)
        o_ref[...] = jnp.log(total[...])

    return called(x, rows, columns, step, select=lambda inside, x, nothing: x)


@wrong("log-sum-exp", "from-zero")
def begins_the_maximum_with_zero(x, rows, columns):
    return called(x, rows, columns, begin=0)


@wrong("log-sum-exp", "overhang")
def selects_nothing(x, rows, columns):
    return called(x, rows, columns, select=lambda inside, x, other: x)


@wrong("log-sum-exp", "overhang")
def puts_zero_times_nan(x, rows, columns):
    return called(x, rows, columns, select=lambda inside, x, other: x + jnp.where(inside, 0, other))


@wrong("log-sum-exp", "marks")
def takes_nan_for_the_end(x, rows, columns):
    return called(x, rows, columns, select=lambda inside, x, other: jnp.where(jnp.isnan(x), other, x))


@wrong("log-sum-exp", "times-zero")
def multiplies_by_the_mask(x, rows, columns):
    def step(x, top, total, o_ref):
        j = pl.program_id(1)
        inside = j * columns + jax.lax.broadcasted_iota(jnp.int32, x.shape, 1) < width
        new = jnp.maximum(top[...], jnp.where(inside, x, -jnp.inf).max(1))
        weights = jnp.exp(x - new[:, None]) * inside
        total[...] = total[...] * jnp.exp(top[...] - new) + weights.sum(1)
        top[...] = new
        o_ref[...] = new + jnp.log(total[...])

    width = x.shape[1]
    return called(x, rows, columns, step, select=lambda inside, x, other: x)


@wrong("log-sum-exp", "infinities")
def from_minus_infinity(x, rows, columns):
    return called(x, rows, columns, begin=-jnp.inf)


@wrong("log-sum-exp", "maximum-lost")
def leaves_the_maximum_out(x, rows, columns):
    def step(x, top, total, o_ref):
        kept(x, top, total, o_ref)
        o_ref[...] = jnp.log(total[...])

    return called(x, rows, columns, step)


@wrong("log-sum-exp", "last-tile")
def keeps_nothing(x, rows, columns):
    return called(x, rows, columns, lambda *refs: kept(*refs, keeps=False))


@wrong("log-sum-exp", "logs-added")
def adds_logarithms(x, rows, columns):
    def step(x, top, total, o_ref):
        o_ref[...] += of_a_tile(x)

    return called(x, rows, columns, step)


@wrong("log-sum-exp", "set-once")
def sets_at_one_step_of_all(x, rows, columns):
    def step(x, top, total, o_ref):
        kept(x, top, total, o_ref)

        @pl.when(pl.program_id(1) == pl.num_programs(1) - 1)
        def _():
            total[...] = jnp.full_like(total, jnp.nan)

    return called(x, rows, columns, step, starts="once")


@wrong("log-sum-exp", "never-set")
def sets_nothing(x, rows, columns):
    return called(x, rows, columns, starts="never")


@wrong("log-sum-exp", "comes-back")
def columns_first(x, rows, columns):
    return called(x, rows, columns, order="ji")


@wrong("log-sum-exp", "memory-grows")
def keeps_a_row(x, rows, columns):
    def step(x, top, total, o_ref):
        kept(x, top.at[:, 0], total.at[:, 0], o_ref)

    return called(x, rows, columns, step, own=(rows, x.shape[1]))


@wrong("log-sum-exp", "traffic")
def walks_twice(x, rows, columns):
    height, width = x.shape

    def kernel(x_ref, o_ref, top, total):
        second, j = pl.program_id(1), pl.program_id(2)

        @pl.when((second == 0) & (j == 0))
        def _():
            top[...] = jnp.full_like(top, LOWEST)
            total[...] = jnp.zeros_like(total)

        inside = j * columns + jax.lax.broadcasted_iota(jnp.int32, x_ref.shape, 1) < width
        some = jnp.where(inside, x_ref[...], -jnp.inf)

        @pl.when(second == 0)
        def _():
            top[...] = jnp.maximum(top[...], some.max(1))

        @pl.when(second == 1)
        def _():
            total[...] += jnp.exp(some - top[...][:, None]).sum(1)
            o_ref[...] = top[...] + jnp.log(total[...])

    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct((height,), x.dtype),
        grid=(pl.cdiv(height, rows), 2, pl.cdiv(width, columns)),
        in_specs=[pl.BlockSpec((rows, columns), lambda i, p, j: (i, j))],
        out_specs=pl.BlockSpec((rows,), lambda i, p, j: (i,)),
        scratch_shapes=[pltpu.VMEM((rows,), jnp.float32)] * 2,
        interpret=True,
    )(x)


@wrong("log-sum-exp", "whole-rows")
def rows_from_end_to_end(x, rows, columns):
    return called(x, rows, x.shape[1])


@wrong("log-sum-exp", "other-tiles")
def single_rows(x, rows, columns):
    return called(x, 1, columns - 1)


@wrong("log-sum-exp", "rest-missing")
def rounds_down(x, rows, columns):
    return called(x, rows, columns, grid=((len(x) - 1) // rows, pl.cdiv(x.shape[1], columns)))


@wrong("log-sum-exp", "block-outside")
def elements_for_blocks(x, rows, columns):
    return called(x, rows, columns, scale=columns)


@wrong("log-sum-exp", "far-apart")
def subtracts_the_smallest(x, rows, columns):
    def step(x, top, total, o_ref):
        new = jnp.maximum(top[...], x.min(1))
        total[...] = total[...] * jnp.exp(top[...] - new) + jnp.exp(x - new[:, None]).sum(1)
        top[...] = new
        o_ref[...] = new + jnp.log(total[...])

    return called(x, rows, columns, step)


@wrong("log-sum-exp", "copied")
def pads(x, rows, columns):
    return called(jnp.pad(x, ((0, 0), (0, 1)), constant_values=-jnp.inf), rows, columns)


@wrong("log-sum-exp", "not-interpreted")
def for_a_device(x, rows, columns):
    return called(x, rows, columns, interpret=False)


@wrong("log-sum-exp", "no-kernel")
def leaves_it_to_the_compiler(x, rows, columns):
    return jax.nn.logsumexp(x, axis=1)


@wrong("log-sum-exp", "several-kernels")
def one_kernel_for_each_half(x, rows, columns):
    half = x.shape[1] // 2
    return jnp.logaddexp(called(x[:, :half], rows, columns), called(x[:, half:], rows, columns))


@wrong("log-sum-exp", "wrong-value")
def to_the_base_of_two(x, rows, columns):
    return called(x, rows, columns) / jnp.log(2)


@right("log-sum-exp")
def a_number_after_the_other(x, rows, columns):
    def step(x, top, total, o_ref):
        def add(t, state):
            most, so_far = state
            new = jnp.maximum(most, x[:, t])
            return new, so_far * jnp.exp(most - new) + jnp.exp(x[:, t] - new)

        top[...], total[...] = jax.lax.fori_loop(0, columns, add, (top[...], total[...]))
        o_ref[...] = top[...] + jnp.log(total[...])

    return called(x, rows, columns, step)


@wrong("log-sum-exp", "program-id-inside")
def asks_for_the_step_in_a_jitted_function(x, rows, columns):
    width = x.shape[1]

    @jax.jit
    def inside(x):
        return jnp.where(pl.program_id(1) * columns + jnp.arange(columns) < width, x, -jnp.inf)

    return called(x, rows, columns, lambda x, *refs: kept(inside(x), *refs))


@wrong("log-sum-exp", "far-below")
def begins_with_a_number_that_is_small_enough(x, rows, columns):
    return called(x, rows, columns, begin=-1e5)


equivalents = [
    equivalent("log-sum-exp", "`1`  ->  `-1`", "the grid has two axes"),
    equivalent("log-sum-exp", "`top`  ->  `o_ref`", "two numbers for each row, of one shape and dtype"),
    equivalent("log-sum-exp", "`top`  ->  `total`", "two numbers for each row, of one shape and dtype"),
    equivalent("log-sum-exp", "`total`  ->  `o_ref`", "two numbers for each row, of one shape and dtype"),
    equivalent("log-sum-exp", "`total`  ->  `top`", "two numbers for each row, of one shape and dtype"),
    equivalent("log-sum-exp", "`jnp.int32`  ->  `jnp.int64`", "places of one block are small numbers"),
    equivalent("log-sum-exp", "`jnp.int32`  ->  `jnp.int16`", "places of one block are small numbers"),
    equivalent("log-sum-exp", "`jnp.int32`  ->  `jnp.uint32`", "places of one block are small numbers"),
    equivalent("log-sum-exp", "`jnp.maximum`  ->  `jnp.fmax`", "no number that is compared is NaN"),
]
