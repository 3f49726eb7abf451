"""Kernels whose blocks are known, and the blocks of a call read by public names alone: a second opinion."""

import functools
import itertools
from contextlib import contextmanager

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def like(shape, dtype="float32"):
    return jax.ShapeDtypeStruct(shape, dtype)


def plus_one(x, block, index=lambda i: (i,), steps=None, handed=True):
    """x + 1 in blocks of one axis."""

    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] + 1 if handed else x_ref[pl.ds(0, block)] + 1

    spec = pl.BlockSpec((block,), index)
    whole = pl.BlockSpec(x.shape, lambda i: (0,))
    grid = (pl.cdiv(len(x), block) if steps is None else steps,)
    specs = [spec if handed else whole]
    return pl.pallas_call(kernel, like(x.shape, x.dtype), grid=grid, in_specs=specs, out_specs=spec, interpret=True)(x)


def unwritten(x, block):
    def kernel(x_ref, o_ref):
        o_ref = x_ref[...] + 1  # noqa: F841

    spec = pl.BlockSpec((block,), lambda i: (i,))
    return pl.pallas_call(
        kernel, like(x.shape), grid=(pl.cdiv(len(x), block),), in_specs=[spec], out_specs=spec, interpret=True
    )(x)


def row_totals(x, rows, columns, turned=False, factor=False):
    """The sum of each row, tile by tile; turned, the axis along which it adds up is the first one of the grid."""
    m, n = x.shape

    def kernel(x_ref, o_ref):
        j = pl.program_id(0 if turned else 1)

        @pl.when(j == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        place = j * columns + jax.lax.broadcasted_iota(jnp.int32, x_ref.shape, 1)
        inside = x_ref[...] * (place < n) if factor else jnp.where(place < n, x_ref[...], 0)
        o_ref[...] += inside.sum(axis=1)

    counts = (pl.cdiv(m, rows), pl.cdiv(n, columns))

    def at(*axes):
        return lambda *point: tuple((point[::-1] if turned else point)[axis] for axis in axes)

    return pl.pallas_call(
        kernel,
        like((m,)),
        grid=counts[::-1] if turned else counts,
        in_specs=[pl.BlockSpec((rows, columns), at(0, 1))],
        out_specs=pl.BlockSpec((rows,), at(0)),
        interpret=True,
    )(x)


def product(a, b, tile, wide=True):
    """a @ b in tiles, the inner axis last."""

    def kernel(a_ref, b_ref, o_ref):
        @pl.when(pl.program_id(2) == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        more = {"preferred_element_type": jnp.float32} if wide else {}
        o_ref[...] += jnp.dot(a_ref[...], b_ref[...], **more).astype(jnp.float32)

    (m, k), n = a.shape, b.shape[1]
    return pl.pallas_call(
        kernel,
        like((m, n)),
        grid=(m // tile, n // tile, k // tile),
        in_specs=[
            pl.BlockSpec((tile, tile), lambda i, j, k: (i, k)),
            pl.BlockSpec((tile, tile), lambda i, j, k: (k, j)),
        ],
        out_specs=pl.BlockSpec((tile, tile), lambda i, j, k: (i, j)),
        interpret=True,
    )(a, b)


def three_point(x, block):
    """The mean of three neighbours' blocks: one array, handed three times, clipped at both ends."""
    last = pl.cdiv(len(x), block) - 1

    def kernel(left, here, right, o_ref):
        o_ref[...] = (left[...] + here[...] + right[...]) / 3

    maps = [lambda i: (jnp.maximum(i - 1, 0),), lambda i: (i,), lambda i: (jnp.minimum(i + 1, last),)]
    return pl.pallas_call(
        kernel,
        like(x.shape),
        grid=last + 1,
        in_specs=[pl.BlockSpec((block,), index) for index in maps],
        out_specs=pl.BlockSpec((block,), lambda i: (i,)),
        interpret=True,
    )(x, x, x)


def smooth(x, block, kept=1):
    """A state along each row, kept in scratch memory, in a loop inside of the kernel."""
    rows, times = x.shape

    def kernel(x_ref, y_ref, state):
        @pl.when(pl.program_id(1) == 0)
        def _():
            state[0] = x_ref[0]

        def step(t, y):
            y_ref[t] = y
            return y + (x_ref[t] - y) / 2

        state[0] = jax.lax.fori_loop(0, block, step, state[0])

    spec = pl.BlockSpec((None, block), lambda i, j: (i, j))
    return pl.pallas_call(
        kernel,
        like(x.shape),
        grid=(rows, pl.cdiv(times, block)),
        in_specs=[spec],
        out_specs=spec,
        scratch_shapes=[pltpu.VMEM((kept,), jnp.float32)],
        interpret=True,
    )(x)


def scoped(x, writes=True):
    """A kernel that copies through memory which lasts for a part of a step."""

    def kernel(x_ref, o_ref):
        def through(kept):
            kept[...] = x_ref[...]
            if writes:
                o_ref[...] = kept[...]

        pl.run_scoped(through, pltpu.VMEM(x.shape, x.dtype))

    return pl.pallas_call(kernel, like(x.shape), interpret=True)(x)


def looped(x, writes=True):
    """A kernel that copies row by row in a `while` loop, as far as a number in it says."""

    def kernel(x_ref, o_ref):
        def step(i):
            if writes:
                o_ref[i] = x_ref[i]
            return i + 1

        jax.lax.while_loop(lambda i: (i < x.shape[0]) & (x_ref[0, 0] > 0), step, 0)

    return pl.pallas_call(kernel, like(x.shape), interpret=True)(x)


def table(x, y):
    """A kernel that is handed a table which is made outside."""

    def kernel(t_ref, o_ref):
        o_ref[...] = t_ref[...].sum(1)

    return pl.pallas_call(kernel, like(x.shape), interpret=True)(x[:, None] * y[None])


CASES = {
    "plus_one": (functools.partial(plus_one, block=4), [like((10,))]),
    "elements": (functools.partial(plus_one, block=4, index=lambda i: (i * 4,)), [like((10,))]),
    "unwritten": (functools.partial(unwritten, block=4), [like((10,))]),
    "row_totals": (functools.partial(row_totals, rows=2, columns=3), [like((5, 7))]),
    "turned": (functools.partial(row_totals, rows=2, columns=3, turned=True), [like((5, 7))]),
    "product": (functools.partial(product, tile=4), [like((8, 24), "bfloat16"), like((24, 16), "bfloat16")]),
    "three_point": (functools.partial(three_point, block=4), [like((10,))]),
    "smooth": (functools.partial(smooth, block=4), [like((2, 10))]),
    "table": (table, [like((5,)), like((6,))]),
}


@contextmanager
def recording():
    """Note what is handed to `pl.pallas_call`: for each call the grid, and shape, block and starts of each array."""
    real, seen = pl.pallas_call, []

    def call(kernel, out_shape, *, grid=(), in_specs=None, out_specs=None, **more):
        given = {"in_specs": in_specs, "out_specs": out_specs}
        made = real(kernel, out_shape, grid=grid, **{k: v for k, v in given.items() if v is not None}, **more)

        def run(*args):
            shape = (grid,) if isinstance(grid, int) else tuple(grid)
            points = list(itertools.product(*map(range, shape)))
            into = in_specs if in_specs is not None else [None] * len(args)
            out = out_specs if isinstance(out_specs, (list, tuple)) else [out_specs]
            pairs = zip([*into, *out], [*args, *jax.tree.leaves(out_shape)], strict=True)
            seen.append((shape, [_walked(spec, array.shape, points) for spec, array in pairs]))
            return made(*args)

        return run

    pl.pallas_call = call
    try:
        yield seen
    finally:
        pl.pallas_call = real


def _walked(spec, shape, points):
    block = getattr(spec, "block_shape", None) or shape
    index = getattr(spec, "index_map", None) or (lambda *_: (0,) * len(shape))
    with jax.ensure_compile_time_eval():
        found = [index(*point) for point in points]
    rows = [at if isinstance(at, tuple) else (at,) for at in found]
    scale = [1 if size is None else size for size in block]
    starts = np.array([[int(i) for i in row] for row in rows], int).reshape(len(points), len(shape)) * scale
    return shape, tuple(scale), starts
