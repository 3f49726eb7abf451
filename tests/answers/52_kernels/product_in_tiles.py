"""Answers to product-in-tiles."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from jaxcourse.exercise import right, wrong


def in_float32(a, b):
    return jnp.dot(a, b, preferred_element_type=jnp.float32)


def called(
    a,
    b,
    tile,
    order="ijl",
    maps=("il", "lj", "ij"),
    product=in_float32,
    adds=True,
    starts=True,
    dtype=None,
    interpret=True,
):
    (m, k), n = a.shape, b.shape[1]
    counts = {"i": m // tile, "j": n // tile, "l": k // tile}

    def kernel(a_ref, b_ref, o_ref):
        part = product(a_ref[...], b_ref[...]).astype(o_ref.dtype)
        if not adds:
            o_ref[...] = part
            return
        if starts:

            @pl.when(pl.program_id(order.index("l")) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)

        o_ref[...] += part

    def at(names):
        return pl.BlockSpec((tile, tile), lambda *g: tuple(g[order.index(name)] for name in names))

    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct((m, n), dtype or jnp.float32),
        grid=tuple(counts[axis] for axis in order),
        in_specs=[at(maps[0]), at(maps[1])],
        out_specs=at(maps[2]),
        interpret=interpret,
    )(a, b)


@right("product-in-tiles")
def columns_of_tiles_first(a, b, tile):
    return called(a, b, tile, order="jil")


@right("product-in-tiles")
def widens_the_tiles_first(a, b, tile):
    return called(a, b, tile, product=lambda a, b: a.astype(jnp.float32) @ b.astype(jnp.float32))


@wrong("product-in-tiles", "block-outside")
def letters_of_b_turned(a, b, tile):
    return called(a, b, tile, maps=("il", "jl", "ij"))


@wrong("product-in-tiles", "comes-back")
def inner_axis_first(a, b, tile):
    return called(a, b, tile, order="lij")


@wrong("product-in-tiles", "rounded")
def in_the_tiles_own_dtype(a, b, tile):
    return called(a, b, tile, product=lambda a, b: a @ b)


@wrong("product-in-tiles", "wrong-dtype")
def adds_in_eight_bits(a, b, tile):
    return called(a, b, tile, dtype=jnp.bfloat16)


@wrong("product-in-tiles", "last-tile")
def overwrites(a, b, tile):
    return called(a, b, tile, adds=False)


@wrong("product-in-tiles", "never-set")
def adds_to_nothing(a, b, tile):
    return called(a, b, tile, starts=False)


def inner_side_whole(a, b, rows, columns):
    (m, k), n = a.shape, b.shape[1]

    def kernel(a_ref, b_ref, o_ref):
        o_ref[...] = in_float32(a_ref[...], b_ref[...])

    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct((m, n), jnp.float32),
        grid=(m // rows, n // columns),
        in_specs=[pl.BlockSpec((rows, k), lambda i, j: (i, 0)), pl.BlockSpec((k, columns), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((rows, columns), lambda i, j: (i, j)),
        interpret=True,
    )(a, b)


@wrong("product-in-tiles", "whole-inner")
def whole_rows_and_columns(a, b, tile):
    return inner_side_whole(a, b, tile, tile)


@wrong("product-in-tiles", "other-tiles")
def tiles_of_one(a, b, tile):
    return called(a, b, 1)


@wrong("product-in-tiles", "traffic")
def fetches_in_between(a, b, tile):
    """A step more for each row of the result, which fetches and adds nothing."""
    (m, k), n = a.shape, b.shape[1]
    last = k // tile

    def kernel(a_ref, b_ref, o_ref):
        c = pl.program_id(2)
        part = in_float32(a_ref[...], b_ref[...])
        o_ref[...] = jnp.where(c == 0, part, o_ref[...] + jnp.where(c < last, part, 0))

    square = (tile, tile)
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct((m, n), jnp.float32),
        grid=(m // tile, n // tile, last + 1),
        in_specs=[
            pl.BlockSpec(square, lambda i, j, c: (i, c % last)),
            pl.BlockSpec(square, lambda i, j, c: (c % last, j)),
        ],
        out_specs=pl.BlockSpec(square, lambda i, j, c: (i, j)),
        interpret=True,
    )(a, b)


@wrong("product-in-tiles", "no-kernel")
def in_one_line(a, b, tile):
    return in_float32(a, b)


@wrong("product-in-tiles", "wrong-value")
def products_of_elements(a, b, tile):
    return called(a, b, tile, product=lambda a, b: in_float32(a, b.T))


@wrong("product-in-tiles", "not-interpreted")
def for_a_device(a, b, tile):
    return called(a, b, tile, interpret=False)


@wrong("product-in-tiles", "several-kernels")
def one_kernel_for_each_part_of_the_inner_side(a, b, tile):
    return sum(called(a[:, at : at + tile], b[at : at + tile], tile) for at in range(0, len(b), tile))


@wrong("product-in-tiles", "program-id-inside")
def asks_for_the_step_in_a_jitted_function(a, b, tile):
    @jax.jit
    def product(a_tile, b_tile):
        inside = pl.program_id(2) * tile + jnp.arange(tile) < len(b)
        return in_float32(jnp.where(inside, a_tile, 0), b_tile)

    return called(a, b, tile, product=product)


@wrong("product-in-tiles", "outside")
def multiplies_outside_and_copies_tiles(a, b, tile):
    def kernel(made_ref, o_ref):
        o_ref[...] = made_ref[...]

    made = in_float32(a, b)
    walk = pl.BlockSpec((tile, tile), lambda i, j: (i, j))
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(made.shape, made.dtype),
        grid=tuple(n // tile for n in made.shape),
        in_specs=[walk],
        out_specs=walk,
        interpret=True,
    )(made)
