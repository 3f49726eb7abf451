"""Answers to nearest."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from jaxcourse.exercise import equivalent, right, wrong


def apart(p, c):
    return ((p[:, None, :] - c[None, :, :]) ** 2).sum(-1)


def called(
    points,
    centres,
    block,
    kernel,
    order="ij",
    grid=None,
    starts=True,
    apart=apart,
    scale=1,
    interpret=True,
):
    """Call a kernel that is given the distances, the numbers of the centres, and what is kept."""
    (n, d), k = points.shape, len(centres)

    def inner(p_ref, c_ref, i_ref, best):
        j = pl.program_id(order.index("j"))
        if starts:

            @pl.when(j == 0)
            def _():
                best[...] = jnp.full_like(best, jnp.inf)
                i_ref[...] = jnp.zeros_like(i_ref)

        far = apart(p_ref[...], c_ref[...])
        number = j * block + jax.lax.broadcasted_iota(jnp.int32, far.shape, 1)
        kernel(far, number, number < k, i_ref, best)

    def at(name, *rest):
        return lambda *g: (g[order.index(name)] * (scale if name == "j" else 1), *rest)

    counts = {"i": pl.cdiv(n, block), "j": pl.cdiv(k, block)}
    return pl.pallas_call(
        inner,
        jax.ShapeDtypeStruct((n,), jnp.int32),
        grid=grid or tuple(counts[axis] for axis in order),
        in_specs=[pl.BlockSpec((block, d), at("i", 0)), pl.BlockSpec((block, d), at("j", 0))],
        out_specs=pl.BlockSpec((block,), at("i")),
        scratch_shapes=[pltpu.VMEM((block,), jnp.float32)],
        interpret=interpret,
    )(points, centres)


def keeps(closer, here, least, i_ref, best):
    i_ref[...] = jnp.where(closer, here, i_ref[...])
    best[...] = jnp.where(closer, least, best[...])


def with_parts(mask=True, offset=True, compare="<", keep=True):
    def kernel(far, number, inside, i_ref, best):
        far = jnp.where(inside, far, jnp.inf) if mask else far
        here = far.argmin(1).astype(jnp.int32) + (number[0, 0] if offset else 0)
        least = far.min(1)
        closer = {"<": least < best[...], "<=": least <= best[...], "nan": ~(least >= best[...])}[compare]
        if keep:
            keeps(closer, here, least, i_ref, best)
        else:
            i_ref[...] = here

    return kernel


@right("nearest")
def the_smallest_number_of_the_smallest_distance(points, centres, block):
    def kernel(far, number, inside, i_ref, best):
        far = jnp.where(inside, far, jnp.inf)
        least = far.min(1)
        here = jnp.where((far == least[:, None]) & inside, number, len(centres)).min(1)
        keeps(least < best[...], here, least, i_ref, best)

    return called(points, centres, block, kernel)


@right("nearest")
def one_centre_of_the_block_after_the_other(points, centres, block):
    def kernel(far, number, inside, i_ref, best):
        for c in range(block):
            closer = inside[:, c] & (far[:, c] < best[...])
            keeps(closer, number[:, c], far[:, c], i_ref, best)

    return called(points, centres, block, kernel)


@wrong("nearest", "table")
def from_a_table(points, centres, block):
    far = ((points[:, None] - centres) ** 2).sum(-1)

    def kernel(f_ref, o_ref):
        o_ref[...] = f_ref[...].argmin(1).astype(jnp.int32)

    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct((len(points),), jnp.int32),
        grid=(pl.cdiv(len(points), block),),
        in_specs=[pl.BlockSpec((block, len(centres)), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((block,), lambda i: (i,)),
        interpret=True,
    )(far)


@wrong("nearest", "table")
def in_two_lines(points, centres, block):
    return ((points[:, None] - centres) ** 2).sum(-1).argmin(1)


@wrong("nearest", "no-kernel")
def a_loop_of_the_compiler(points, centres, block):
    def step(best, some):
        (number, least), (c, centre) = best, some
        far = ((points - centre) ** 2).sum(-1)
        closer = far < least
        return (jnp.where(closer, c, number), jnp.where(closer, far, least)), None

    start = jnp.zeros(len(points), jnp.int32), jnp.full(len(points), jnp.inf)
    return jax.lax.scan(step, start, (jnp.arange(len(centres)), centres))[0][0]


@wrong("nearest", "local-number")
def counts_within_a_block(points, centres, block):
    return called(points, centres, block, with_parts(offset=False))


@wrong("nearest", "last-of-equals")
def a_later_one_if_equal(points, centres, block):
    return called(points, centres, block, with_parts(compare="<="))


@wrong("nearest", "overhang")
def lets_nan_win(points, centres, block):
    return called(points, centres, block, with_parts(mask=False, compare="nan"))


@wrong("nearest", "overhang")
def lets_nan_lose(points, centres, block):
    return called(points, centres, block, with_parts(mask=False))


@wrong("nearest", "last-tile")
def overwrites(points, centres, block):
    return called(points, centres, block, with_parts(keep=False))


@wrong("nearest", "never-set")
def compares_with_nothing(points, centres, block):
    return called(points, centres, block, with_parts(), starts=False)


@wrong("nearest", "comes-back")
def centres_first(points, centres, block):
    return called(points, centres, block, with_parts(), order="ji")


@wrong("nearest", "rest-missing")
def rounds_down(points, centres, block):
    return called(points, centres, block, with_parts(), grid=(len(points) // block, pl.cdiv(len(centres), block)))


@wrong("nearest", "other-blocks")
def blocks_of_twice_the_length(points, centres, block):
    return called(points, centres, block + 1, with_parts())


@wrong("nearest", "wrong-value")
def the_farthest(points, centres, block):
    def kernel(far, number, inside, i_ref, best):
        far = jnp.where(inside, -far, jnp.inf)
        least = far.min(1)
        keeps(least < best[...], number[0, 0] + far.argmin(1).astype(jnp.int32), least, i_ref, best)

    return called(points, centres, block, kernel)


@right("nearest")
def as_many_centres_as_there_are(points, centres, block):
    """The loop ends where the centres end, so nothing is to be selected."""

    def kernel(far, number, inside, i_ref, best):
        def one(c, _):
            here = jax.lax.dynamic_index_in_dim(far, c, 1, keepdims=False)
            keeps(here < best[...], number[0, 0] + c, here, i_ref, best)

        jax.lax.fori_loop(0, jnp.minimum(block, len(centres) - number[0, 0]), one, None)

    return called(points, centres, block, kernel)


@wrong("nearest", "marks")
def takes_nan_for_infinity(points, centres, block):
    def kernel(far, number, inside, i_ref, best):
        with_parts(mask=False)(jnp.nan_to_num(far, nan=jnp.inf), number, inside, i_ref, best)

    return called(points, centres, block, kernel)


@wrong("nearest", "marks")
def lets_each_nan_lose(points, centres, block):
    def kernel(far, number, inside, i_ref, best):
        for c in range(block):
            keeps(far[:, c] < best[...], number[:, c], far[:, c], i_ref, best)

    return called(points, centres, block, kernel)


@wrong("nearest", "cancels")
def leaves_the_points_square_out(points, centres, block):
    def expanded(p, c):
        return (c * c).sum(1) - 2 * p @ c.T

    return called(points, centres, block, with_parts(), apart=expanded)


@wrong("nearest", "block-outside")
def elements_for_blocks(points, centres, block):
    return called(points, centres, block, with_parts(), scale=block)


@wrong("nearest", "not-interpreted")
def for_a_device(points, centres, block):
    return called(points, centres, block, with_parts(), interpret=False)


@wrong("nearest", "several-kernels")
def one_kernel_for_each_block_of_points(points, centres, block):
    parts = [points[at : at + block] for at in range(0, len(points), block)]
    return jnp.concatenate([called(part, centres, block, with_parts()) for part in parts])


@right("nearest")
def a_centre_after_the_other(points, centres, block):
    def kernel(far, number, inside, i_ref, best):
        def one(t, found):
            which, least = found
            closer = (far[:, t] < least) & inside[:, t]
            return jnp.where(closer, number[:, t], which), jnp.where(closer, far[:, t], least)

        i_ref[...], best[...] = jax.lax.fori_loop(0, block, one, (i_ref[...], best[...]))

    return called(points, centres, block, kernel)


@wrong("nearest", "far-apart")
def a_billion_where_there_is_no_centre(points, centres, block):
    def kernel(far, number, inside, i_ref, best):
        with_parts(mask=False)(jnp.where(inside, far, 1e9), number, inside, i_ref, best)

    return called(points, centres, block, kernel)


@wrong("nearest", "far-apart")
def begins_with_a_large_number(points, centres, block):
    def kernel(far, number, inside, i_ref, best):
        best[...] = jnp.minimum(best[...], 1e30)
        with_parts()(far, number, inside, i_ref, best)

    return called(points, centres, block, kernel)


@wrong("nearest", "program-id-inside")
def asks_for_the_step_in_a_loop(points, centres, block):
    def kernel(far, number, inside, i_ref, best):
        def one(t, found):
            which, least = found
            here = pl.program_id(1) * block + t
            closer = (far[:, t] < least) & (here < len(centres))
            return jnp.where(closer, here, which), jnp.where(closer, far[:, t], least)

        i_ref[...], best[...] = jax.lax.fori_loop(0, block, one, (i_ref[...], best[...]))

    return called(points, centres, block, kernel)


@wrong("nearest", "wrong-value")
def returns_few_bits(points, centres, block):
    return called(points, centres, block, with_parts()).astype(jnp.int16)


equivalents = [
    equivalent("nearest", "`number[...] = jnp.zeros_like(number)`  ->  ``", "the first centre is nearer than infinity"),
    equivalent("nearest", "`jnp.zeros_like`  ->  `jnp.ones_like`", "the first centre is nearer than infinity"),
    equivalent("nearest", "`1`  ->  `-1`", "grid and distances have two axes"),
    equivalent(
        "nearest",
        "`((p_ref[...][:, None] - c_ref[...]) ** 2).sum`  ->  `((p_ref[...][:, None] - c_ref[...]) ** 2).mean`",
        "means have the order of sums",
    ),
    equivalent(
        "nearest", "`p_ref[...][:, None] - c_ref[...]`  ->  `c_ref[...] - p_ref[...][:, None]`", "squares have no sign"
    ),
    equivalent(
        "nearest", "`jnp.int32`  ->  `jnp.int64`", "numbers within a block are small, and `j` makes `int32` of them"
    ),
    equivalent(
        "nearest", "`jnp.int32`  ->  `jnp.int16`", "numbers within a block are small, and `j` makes `int32` of them"
    ),
    equivalent(
        "nearest", "`jnp.int32`  ->  `jnp.uint32`", "numbers within a block are small, and `j` makes `int32` of them"
    ),
    equivalent(
        "nearest", "`far.argmin(1).astype(jnp.int32)`  ->  `far.argmin(1)`", "without x64, `argmin` gives `int32`"
    ),
    equivalent(
        "nearest",
        "`jnp.where(closer, here, number[...])`  ->  `closer * here + (1 - closer) * number[...]`",
        "whole numbers are never NaN",
    ),
]
