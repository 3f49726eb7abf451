"""Answers to fewest-bytes."""

import math

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from jaxcourse.exercise import equivalent, right, wrong


def square(fast, inner=1, blocks=2):
    """The sides of the largest square tile of the result for which there is room."""
    room = fast // (4 * blocks)
    side = math.isqrt(room + inner * inner) - inner
    return side, inner, side


def selected(inside, x):
    return jnp.where(inside, x, 0)


def called(
    a,
    b,
    tile,
    order="ijc",
    sign=1,
    adds=True,
    starts=True,
    masks=None,
    own=False,
    scale=1,
    up=True,
    interpret=True,
):
    (m, k), n = a.shape, b.shape[1]
    sides = dict(zip("icj", (min(side, whole) for side, whole in zip(tile, (m, k, n), strict=True)), strict=True))
    wholes = {"i": m, "c": k, "j": n}
    counts = {axis: pl.cdiv(wholes[axis], sides[axis]) if up else wholes[axis] // sides[axis] for axis in "icj"}

    def kernel(a_ref, b_ref, o_ref, *kept):
        into, c = (kept[0] if own else o_ref), pl.program_id(order.index("c"))
        if starts:

            @pl.when(c == 0)
            def _():
                into[...] = jnp.zeros_like(into)

        left, right = a_ref[...], b_ref[...]
        if masks:
            place = c * sides["c"] + jnp.arange(sides["c"])
            left = masks(place < k, left)
            right = masks(place[:, None] < k, right)
        made = sign * jnp.dot(left, right)
        into[...] = into[...] + made if adds else made
        if own:
            o_ref[...] = into[...]

    def spec(names):
        def at(*point):
            return tuple(point[order.index(name)] * (scale if name == "c" else 1) for name in names)

        return pl.BlockSpec(tuple(sides[name] for name in names), at)

    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct((m, n), jnp.float32),
        grid=tuple(counts[axis] for axis in order),
        in_specs=[spec("ic"), spec("cj")],
        out_specs=spec("ij"),
        scratch_shapes=[pltpu.VMEM((sides["i"], sides["j"]), jnp.float32)] * own,
        interpret=interpret,
    )(a, b)


@right("fewest-bytes")
def a_square_tile(a, b, fast):
    return called(a, b, square(fast))


@wrong("fewest-bytes", "traffic")
def an_inner_side_of_two_that_may_hang_over(a, b, fast):
    return called(a, b, square(fast, inner=2), masks=selected)


@right("fewest-bytes")
def columns_of_tiles_first(a, b, fast):
    return called(a, b, square(fast), order="jic")


@wrong("fewest-bytes", "long-inner")
def cubes(a, b, fast):
    side = math.isqrt(fast // 24)
    return called(a, b, (side, side, side), masks=selected)


@wrong("fewest-bytes", "room-left")
def one_number_at_a_time(a, b, fast):
    return called(a, b, (1, 1, 1))


@wrong("fewest-bytes", "traffic")
def a_long_thin_tile(a, b, fast):
    room = fast // 8
    rows = min(len(a), room // 2 - 1)
    return called(a, b, (rows, 1, (room - rows) // (rows + 1)))


@wrong("fewest-bytes", "single-blocks")
def one_block_of_each(a, b, fast):
    return called(a, b, square(fast, blocks=1))


@wrong("fewest-bytes", "too-much-at-once")
def twice_as_much_as_there_is(a, b, fast):
    return called(a, b, square(4 * fast))


@wrong("fewest-bytes", "single-blocks")
def with_a_sum_in_scratch_memory_as_well(a, b, fast):
    return called(a, b, square(fast), own=True)


@wrong("fewest-bytes", "comes-back")
def the_inner_axis_first(a, b, fast):
    return called(a, b, square(fast), order="cij")


@wrong("fewest-bytes", "overhang")
def an_inner_side_that_hangs_over(a, b, fast):
    return called(a, b, square(fast, inner=2))


@wrong("fewest-bytes", "times-zero")
def multiplies_by_the_mask(a, b, fast):
    return called(a, b, square(fast, inner=2), masks=lambda inside, x: x * inside)


@wrong("fewest-bytes", "never-set")
def adds_to_nothing(a, b, fast):
    return called(a, b, square(fast), starts=False)


@wrong("fewest-bytes", "last-tile")
def overwrites(a, b, fast):
    return called(a, b, square(fast), adds=False)


@wrong("fewest-bytes", "copied")
def pads_both(a, b, fast):
    tile = square(fast)
    more = [-len(a) % tile[0], -b.shape[1] % tile[2]]
    wide = called(jnp.pad(a, ((0, more[0]), (0, 0))), jnp.pad(b, ((0, 0), (0, more[1]))), tile)
    return wide[: len(a), : b.shape[1]]


@wrong("fewest-bytes", "rest-missing")
def rounds_down(a, b, fast):
    return called(a, b, square(fast), up=False)


@wrong("fewest-bytes", "block-outside")
def elements_for_blocks(a, b, fast):
    return called(a, b, square(fast, inner=2), masks=selected, scale=2)


@wrong("fewest-bytes", "wrong-value")
def a_difference(a, b, fast):
    return called(a, b, square(fast), sign=-1)


@wrong("fewest-bytes", "not-interpreted")
def for_a_device(a, b, fast):
    return called(a, b, square(fast), interpret=False)


@wrong("fewest-bytes", "no-kernel")
def leaves_it_to_the_compiler(a, b, fast):
    return jnp.dot(a, b)


@wrong("fewest-bytes", "several-kernels")
def half_and_half(a, b, fast):
    half = a.shape[1] // 2
    return called(a[:, :half], b[:half], square(fast)) + called(a[:, half:], b[half:], square(fast))


def best_with_the_rest_inside(a, b, fast):
    """The sides of the best tile of the result, and of the longest inner side for which there is room then."""
    (m, k), n, room = a.shape, b.shape[1], fast // 8
    widths = {rows: min(n, (room - rows) // (rows + 1)) for rows in range(1, min(m, (room - 1) // 2) + 1)}
    rows = min(widths, key=lambda rows: m * k * pl.cdiv(n, widths[rows]) + k * n * pl.cdiv(m, rows))
    columns = widths[rows]
    return rows, max(1, min(k, (room - rows * columns) // (rows + columns))), columns


@right("fewest-bytes")
def gives_the_rest_to_the_inner_side(a, b, fast):
    return called(a, b, best_with_the_rest_inside(a, b, fast), masks=selected)


@right("fewest-bytes")
def as_many_inner_slices_as_there_are(a, b, fast):
    (m, k), n = a.shape, b.shape[1]
    rows, inner, columns = best_with_the_rest_inside(a, b, fast)

    def kernel(a_ref, b_ref, o_ref):
        c = pl.program_id(2)

        def add(t, made):
            return made + a_ref[:, t][:, None] * b_ref[t, :][None]

        so_far = jnp.where(c == 0, 0.0, o_ref[...])
        o_ref[...] = jax.lax.fori_loop(0, jnp.minimum(inner, k - c * inner), add, so_far)

    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct((m, n), jnp.float32),
        grid=(pl.cdiv(m, rows), pl.cdiv(n, columns), pl.cdiv(k, inner)),
        in_specs=[
            pl.BlockSpec((rows, inner), lambda i, j, c: (i, c)),
            pl.BlockSpec((inner, columns), lambda i, j, c: (c, j)),
        ],
        out_specs=pl.BlockSpec((rows, columns), lambda i, j, c: (i, j)),
        interpret=True,
    )(a, b)


@wrong("fewest-bytes", "marks")
def hides_what_is_no_number(a, b, fast):
    tile = best_with_the_rest_inside(a, b, fast)
    return called(a, b, tile, masks=lambda inside, x: jnp.nan_to_num(x))


@wrong("fewest-bytes", "program-id-inside")
def asks_for_the_step_in_a_jitted_function(a, b, fast):
    masks = jax.jit(lambda inside, x: jnp.where(inside & (pl.program_id(2) >= 0), x, 0))
    return called(a, b, square(fast), masks=masks)


equivalents = [
    equivalent("fewest-bytes", "`1`  ->  `-1`", "a matrix has two axes"),
    equivalent("fewest-bytes", "`1`  ->  `2`", "a tile of more rows than the matrix has moves no fewer bytes"),
    equivalent("fewest-bytes", "`m`  ->  `fast`", "tiles of more rows than the matrix has move no fewer bytes"),
    equivalent("fewest-bytes", "`m`  ->  `room`", "tiles of more rows than the matrix has move no fewer bytes"),
    equivalent(
        "fewest-bytes", "`n`  ->  `fast`", "a tile that is wider than the result moves as many bytes, and has room"
    ),
    equivalent(
        "fewest-bytes", "`n`  ->  `room`", "a tile that is wider than the result moves as many bytes, and has room"
    ),
]
