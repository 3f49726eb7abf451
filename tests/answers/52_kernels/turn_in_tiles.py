"""Answers to turn-in-tiles."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from jaxcourse.exercise import right, wrong


def turned(x_ref, o_ref):
    o_ref[...] = x_ref[...].T


def called(x, tile, kernel=turned, into=lambda i, j: (i, j), out=lambda i, j: (j, i), grid=None, shape=None, **named):
    rows, columns = shape or x.shape
    square = (tile, tile)
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct((columns, rows), x.dtype),
        grid=grid or (pl.cdiv(rows, tile), pl.cdiv(columns, tile)),
        in_specs=[pl.BlockSpec(square, into)],
        out_specs=pl.BlockSpec(square, out),
        **{"interpret": True, **named},
    )(x)


@right("turn-in-tiles")
def walks_along_the_result(x, tile):
    grid = tuple(pl.cdiv(n, tile) for n in x.shape[::-1])
    return called(x, tile, into=lambda i, j: (j, i), out=lambda i, j: (i, j), grid=grid)


@right("turn-in-tiles")
def writes_row_for_column(x, tile):
    def kernel(x_ref, o_ref):
        for k in range(tile):
            o_ref[:, k] = x_ref[k, :]

    return called(x, tile, kernel)


@wrong("turn-in-tiles", "same-map")
def tiles_keep_their_places(x, tile):
    return called(x, tile, out=lambda i, j: (i, j))


@wrong("turn-in-tiles", "same-map")
def turned_twice(x, tile):
    return called(x, tile, into=lambda i, j: (j, i), out=lambda i, j: (j, i))


@wrong("turn-in-tiles", "not-turned-inside")
def insides_as_they_were(x, tile):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    return called(x, tile, kernel)


@wrong("turn-in-tiles", "turned-outside")
def lets_the_compiler_turn(x, tile):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    columns, rows = x.shape[::-1]
    return called(
        x.T,
        tile,
        kernel,
        out=lambda i, j: (i, j),
        shape=(rows, columns),
        grid=tuple(pl.cdiv(n, tile) for n in x.shape[::-1]),
    )


@wrong("turn-in-tiles", "rest-missing")
def rounds_down(x, tile):
    return called(x, tile, grid=(x.shape[0] // tile, x.shape[1] // tile))


@wrong("turn-in-tiles", "rest-missing")
def grid_of_a_square(x, tile):
    side = pl.cdiv(x.shape[0], tile)
    return called(x, tile, grid=(side, side))


@wrong("turn-in-tiles", "handed-whole")
def in_one_step(x, tile):
    return pl.pallas_call(turned, jax.ShapeDtypeStruct(x.shape[::-1], x.dtype), interpret=True)(x)


@wrong("turn-in-tiles", "other-tiles")
def in_strips(x, tile):
    rows, columns = x.shape
    return pl.pallas_call(
        turned,
        jax.ShapeDtypeStruct((columns, rows), x.dtype),
        grid=(pl.cdiv(rows, tile),),
        in_specs=[pl.BlockSpec((tile, columns), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((columns, tile), lambda i: (0, i)),
        interpret=True,
    )(x)


@wrong("turn-in-tiles", "traffic")
def every_tile_twice(x, tile):
    grid = (2, *(pl.cdiv(n, tile) for n in x.shape))
    return called(x, tile, into=lambda r, i, j: (i, j), out=lambda r, i, j: (j, i), grid=grid)


@wrong("turn-in-tiles", "no-kernel")
def in_one_word(x, tile):
    return jnp.transpose(x)


@wrong("turn-in-tiles", "never-written")
def writes_nowhere(x, tile):
    def kernel(x_ref, o_ref):
        o_ref = x_ref[...].T  # noqa: F841

    return called(x, tile, kernel)


@wrong("turn-in-tiles", "wrong-value")
def turns_the_other_diagonal(x, tile):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...].T[::-1, ::-1]

    return called(x, tile, kernel)


@wrong("turn-in-tiles", "block-outside")
def elements_for_blocks(x, tile):
    return called(x, tile, into=lambda i, j: (i * tile, j * tile))


@wrong("turn-in-tiles", "not-interpreted")
def for_a_device(x, tile):
    return called(x, tile, interpret=False)


@wrong("turn-in-tiles", "several-kernels")
def one_kernel_for_each_row_of_tiles(x, tile):
    return jnp.concatenate([called(x[at : at + tile], tile) for at in range(0, len(x), tile)], axis=1)


@wrong("turn-in-tiles", "copied")
def turns_the_rows_round_and_back(x, tile):
    return called(x[::-1], tile)[:, ::-1]


@wrong("turn-in-tiles", "wrong-value")
def turns_in_few_bits(x, tile):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...].astype(jnp.bfloat16).T.astype(jnp.float32)

    return called(x, tile, kernel)
