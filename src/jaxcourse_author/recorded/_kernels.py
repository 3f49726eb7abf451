"""Six small programs in several ways, raced on the device: what XLA makes of them, and what a kernel of Pallas does.

Kernels are such as `pallas_call` takes on a GPU: the grid's steps come in any order, so loops that hand on a state are
inside the kernel, and blocks are powers of two. Where a way does not compile, or gives another result, it says so and
does not race. On a CPU there are no such kernels, and all sizes are small.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

from jaxcourse import bench
from jaxcourse.insides import CannotRead, costs
from jaxcourse.table import si
from jaxcourse_author.recorded._record import Output

Way = Callable[..., jax.Array]
CASES = ("affine", "softmax", "nearest", "ewma", "histogram", "product")
"""What is raced, in the order of worth."""
SECONDS = 2.0
"""For one race."""
_SAME = "every result was compared before the race; sums in another order round otherwise"


@dataclass(frozen=True)
class Case:
    """One computation in several ways.

    Attributes:
        what: it computes, on how much.
        ways: functions by their names; the first is what the others are compared with.
        args: their arguments.
    """

    what: str
    ways: Mapping[str, Way]
    args: tuple[jax.Array, ...]


def case(name: str, small: bool, interpret: bool = False) -> Case:
    """One of `CASES`.

    Args:
        name: which one.
        small: of a size at which a CPU is done in milliseconds.
        interpret: run kernels in Pallas' interpreter, which says nothing of their speed.

    Example:
        >>> case("affine", small=True).what
        '2 x + 1 of 4,096 float32'
    """
    makers: dict[str, Callable[[bool, bool], Case]] = {
        "affine": _affine,
        "softmax": _softmax,
        "nearest": _nearest,
        "ewma": _ewma,
        "histogram": _histogram,
        "product": _product,
    }
    return makers[name](small, interpret)


def race_ways(one: Case, seconds: float = SECONDS) -> tuple[bench.Race, list[str]]:
    """Race the ways that run and agree with the first of them; and what there is to say of all of them.

    Raises:
        ValueError: none of them ran.
    """
    notes: list[str] = []
    entries: dict[str, bench.Entry] = {}
    want: jax.Array | None = None
    for how, way in one.ways.items():
        try:
            compiled = jax.jit(way).lower(*one.args).compile()
            got = jax.block_until_ready(compiled(*one.args))
        except Exception as error:  # a backend refuses in many ways, and each is a finding
            notes.append(f"{how} was not run: {_first_line(error)}")
            continue
        want = got if want is None else want
        if not same(got, want):
            notes.append(f"{how} gave another result, and did not race.")
            continue
        entries[how] = bench.entry(compiled, *one.args)
        with contextlib.suppress(CannotRead):
            notes.append(f"{how} needs {si(costs(compiled).temporaries, 'B')} besides.")
    if not entries:
        raise ValueError(" ".join(notes))
    return bench.race(entries, seconds=seconds, across_results=_SAME), notes


def same(got: jax.Array, want: jax.Array) -> bool:
    """Whether two results are equal but for rounding: of counts and places, 999 in 1,000."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return False
    if jnp.issubdtype(got.dtype, jnp.integer):
        return float((got == want).mean()) > 0.999
    near = 0.02 * float(jnp.abs(want.astype(jnp.float32)).mean())
    return bool(jnp.allclose(got.astype(jnp.float32), want.astype(jnp.float32), rtol=0.02, atol=near))


def _first_line(error: Exception) -> str:
    words = " ".join((str(error).strip().splitlines() or [""])[0].split())
    return f"{type(error).__name__}: {words[:120]}"


def _normal(seed: int, *shape: int, dtype: Any = jnp.float32) -> jax.Array:
    return jax.random.normal(jax.random.key(seed), shape, dtype)


# -- a map, and a softmax: XLA makes one kernel of each ----------------------------------------------------------------


def _affine(small: bool, interpret: bool) -> Case:
    n = 2**12 if small else 2**28
    x = jnp.tile(_normal(0, 2**10), n // 2**10)

    def in_blocks(x: jax.Array, block: int) -> jax.Array:
        def kernel(x_ref: Any, o_ref: Any) -> None:
            o_ref[...] = x_ref[...] * 2 + 1

        spec = pl.BlockSpec((block,), lambda i: (i,))
        out = jax.ShapeDtypeStruct(x.shape, x.dtype)
        run = pl.pallas_call(kernel, out, grid=(n // block,), in_specs=[spec], out_specs=spec, interpret=interpret)
        found: jax.Array = run(x)
        return found

    blocks = (256, 1024) if small else (128, 1024, 4096, 16384)
    ways = {f"Pallas, blocks of {b:,}": functools.partial(in_blocks, block=b) for b in blocks}
    return Case(f"2 x + 1 of {n:,} float32", {"jax.numpy": lambda x: x * 2 + 1, **ways}, (x,))


def _softmax(small: bool, interpret: bool) -> Case:
    rows, columns = (32, 64) if small else (16384, 8192)

    def by_rows(x: jax.Array) -> jax.Array:
        def kernel(x_ref: Any, o_ref: Any) -> None:
            e = jnp.exp(x_ref[...] - x_ref[...].max(-1, keepdims=True))
            o_ref[...] = e / e.sum(-1, keepdims=True)

        spec = pl.BlockSpec((1, columns), lambda i: (i, 0))
        out = jax.ShapeDtypeStruct(x.shape, x.dtype)
        run = pl.pallas_call(kernel, out, grid=(rows,), in_specs=[spec], out_specs=spec, interpret=interpret)
        found: jax.Array = run(x)
        return found

    ways = {"jax.nn.softmax": lambda x: jax.nn.softmax(x, -1), "Pallas, a row at a time": by_rows}
    return Case(f"the softmax of {rows:,} rows of {columns:,} float32", ways, (_normal(0, rows, columns),))


# -- the nearest centre: with a table of all distances, or without -----------------------------------------------------


def _nearest(small: bool, interpret: bool) -> Case:
    n, k, d = (256, 64, 4) if small else (2**20, 1024, 16)
    ways: dict[str, Way] = {
        "a table": lambda p, c: _place(((p[:, None] - c[None]) ** 2).sum(-1)),
        "products": lambda p, c: _place((c**2).sum(1)[None] - 2 * jnp.dot(p, c.T, precision="highest")),
        "a scan over centres": functools.partial(_nearest_by_scan, block=64),
        "Pallas": functools.partial(_nearest_by_kernel, interpret=interpret),
    }
    return Case(
        f"which of {k:,} centres is nearest to each of {n:,} points", ways, (_normal(1, n, d), _normal(2, k, d))
    )


def _place(far: jax.Array) -> jax.Array:
    return far.argmin(1).astype(jnp.int32)


def _nearer(state: tuple[jax.Array, jax.Array], far: jax.Array, first: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The least distance so far and its place, after some more centres."""
    best, place = state
    least = far.min(1)
    return jnp.minimum(best, least), jnp.where(least < best, _place(far) + first, place)


def _nearest_by_scan(p: jax.Array, c: jax.Array, block: int) -> jax.Array:
    def step(state: Any, some: Any) -> tuple[Any, None]:
        first, centres = some
        return _nearer(state, ((p[:, None] - centres[None]) ** 2).sum(-1), first), None

    some = jnp.arange(0, len(c), block, dtype=jnp.int32), c.reshape(-1, block, c.shape[1])
    begin = jnp.full(len(p), jnp.inf, p.dtype), jnp.zeros(len(p), jnp.int32)
    place: jax.Array = jax.lax.scan(step, begin, some)[0][1]
    return place


def _nearest_by_kernel(p: jax.Array, c: jax.Array, interpret: bool, points: int = 128, block: int = 32) -> jax.Array:
    """Each step has some points, and walks over all centres; coordinates come first, so that neighbours are read."""
    (n, d), k = p.shape, len(c)

    def kernel(p_ref: Any, c_ref: Any, o_ref: Any) -> None:
        def step(j: Any, state: Any) -> Any:
            far = jnp.zeros((points, block), jnp.float32)
            for axis in range(d):
                far += (p_ref[axis, :][:, None] - c_ref[axis, pl.ds(j * block, block)][None, :]) ** 2
            return _nearer(state, far, j * block)

        begin = jnp.full(points, jnp.inf, jnp.float32), jnp.zeros(points, jnp.int32)
        o_ref[...] = jax.lax.fori_loop(0, k // block, step, begin)[1]

    ins = [pl.BlockSpec((d, points), lambda i: (0, i)), pl.BlockSpec((d, k), lambda i: (0, 0))]
    out, spec = jax.ShapeDtypeStruct((n,), jnp.int32), pl.BlockSpec((points,), lambda i: (i,))
    run = pl.pallas_call(kernel, out, grid=(n // points,), in_specs=ins, out_specs=spec, interpret=interpret)
    found: jax.Array = run(p.T, c.T)
    return found


# -- a state along time: a launch a step, a tree, or one kernel --------------------------------------------------------


def _ewma(small: bool, interpret: bool) -> Case:
    times, columns = (64, 128) if small else (8192, 16384)

    def by_scan(x: jax.Array) -> jax.Array:
        def step(y: jax.Array, v: jax.Array) -> tuple[jax.Array, jax.Array]:
            y = y + 0.1 * (v - y)
            return y, y

        means: jax.Array = jax.lax.scan(step, x[0], x)[1]
        return means

    def by_tree(x: jax.Array) -> jax.Array:
        keep = jnp.full(x.shape, 0.9, x.dtype).at[0].set(0)
        pairs = keep, jnp.concatenate([x[:1], 0.1 * x[1:]])
        joined = jax.lax.associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), pairs)
        means: jax.Array = joined[1]
        return means

    ways: dict[str, Way] = {
        "lax.scan": by_scan,
        "associative_scan": by_tree,
        "Pallas": functools.partial(_ewma_by_kernel, interpret=interpret),
    }
    what = f"a weighted mean along {times:,} times, of {columns:,} columns"
    return Case(what, ways, (_normal(3, times, columns),))


def _ewma_by_kernel(x: jax.Array, interpret: bool, block: int = 64) -> jax.Array:
    times, columns = x.shape

    def kernel(x_ref: Any, o_ref: Any) -> None:
        def step(t: Any, y: Any) -> Any:
            y = y + 0.1 * (x_ref[t, :] - y)
            o_ref[t, :] = y
            return y

        jax.lax.fori_loop(0, times, step, x_ref[0, :])

    spec, out = pl.BlockSpec((times, block), lambda i: (0, i)), jax.ShapeDtypeStruct(x.shape, x.dtype)
    run = pl.pallas_call(kernel, out, grid=(columns // block,), in_specs=[spec], out_specs=spec, interpret=interpret)
    means: jax.Array = run(x)
    return means


# -- many into few, and a product: where a library is at home ----------------------------------------------------------

BINS = 256


def _histogram(small: bool, interpret: bool) -> Case:
    n = 2**13 if small else 2**27
    values = jnp.asarray(np.random.default_rng(4).integers(0, BINS, n), jnp.int32)
    ways: dict[str, Way] = {
        "at[].add": lambda v: jnp.zeros(BINS, jnp.int32).at[v].add(1),
        "Pallas": functools.partial(_histogram_by_kernel, interpret=interpret),
    }
    return Case(f"a histogram of {n:,} numbers in {BINS} bins", ways, (values,))


def _histogram_by_kernel(v: jax.Array, interpret: bool, block: int = 32, chunks: int = 64) -> jax.Array:
    """Each step counts its own numbers by comparing them with all bins; the counts are added up behind it."""
    steps = v.size // (block * chunks)

    def kernel(v_ref: Any, o_ref: Any) -> None:
        def step(j: Any, counts: Any) -> Any:
            part = v_ref[pl.ds(j * block, block)]
            bins = jax.lax.broadcasted_iota(jnp.int32, (block, BINS), 1)
            return counts + (part[:, None] == bins).astype(jnp.int32).sum(0)

        o_ref[0, :] = jax.lax.fori_loop(0, chunks, step, jnp.zeros(BINS, jnp.int32))

    ins, spec = [pl.BlockSpec((block * chunks,), lambda i: (i,))], pl.BlockSpec((1, BINS), lambda i: (i, 0))
    out = jax.ShapeDtypeStruct((steps, BINS), jnp.int32)
    run = pl.pallas_call(kernel, out, grid=(steps,), in_specs=ins, out_specs=spec, interpret=interpret)
    counts: jax.Array = run(v).sum(0)
    return counts


def _product(small: bool, interpret: bool) -> Case:
    n = 256 if small else 8192
    a, b = _normal(6, n, n, dtype=jnp.bfloat16), _normal(7, n, n, dtype=jnp.bfloat16)
    ways: dict[str, Way] = {
        "a @ b": lambda a, b: a @ b,
        "Pallas": functools.partial(_product_by_kernel, interpret=interpret),
    }
    return Case(f"a product of {n:,} by {n:,} bfloat16", ways, (a, b))


def _product_by_kernel(a: jax.Array, b: jax.Array, interpret: bool, tile: int = 128, inner: int = 64) -> jax.Array:
    n = len(a)

    def kernel(a_ref: Any, b_ref: Any, o_ref: Any) -> None:
        def step(j: Any, total: Any) -> Any:
            here = pl.ds(j * inner, inner)
            return total + jnp.dot(a_ref[:, here], b_ref[here, :], preferred_element_type=jnp.float32)

        total = jax.lax.fori_loop(0, n // inner, step, jnp.zeros((tile, tile), jnp.float32))
        o_ref[...] = total.astype(o_ref.dtype)

    ins = [pl.BlockSpec((tile, n), lambda i, j: (i, 0)), pl.BlockSpec((n, tile), lambda i, j: (0, j))]
    out, spec = jax.ShapeDtypeStruct((n, n), a.dtype), pl.BlockSpec((tile, tile), lambda i, j: (i, j))
    run = pl.pallas_call(kernel, out, grid=(n // tile, n // tile), in_specs=ins, out_specs=spec, interpret=interpret)
    product: jax.Array = run(a, b)
    return product


def outputs_of(name: str, small: bool) -> Iterator[Output]:
    """The outputs of one case."""
    one = case(name, small)
    race, notes = race_ways(one)
    yield Output("text", f"{name}: {one.what}\n")
    yield Output("html", race._repr_html_())
    yield Output("text", "\n".join(notes) + "\n")
