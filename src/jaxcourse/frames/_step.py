"""A step is a pair of pure functions with a state, and `unroll` compiles it over time."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxcourse.frames._errors import FrameError
from jaxcourse.frames._leaves import Pytree

Loop = Callable[[np.ndarray, np.ndarray, np.dtype], None]


@dataclass(frozen=True)
class Shortcut:
    """A cheaper way over rows in which nothing special happens, with a state of its own.

    Args:
        holds: `holds(state, xs) -> bool`: whether it gives the same result for these rows, found out cheaply.
        enter: `enter(state) -> carry`: what it needs of the state.
        apply: `apply(carry, x) -> (carry, y)`: one row.
        leave: `leave(state, carry, rows) -> state`: the state after that many rows.
    """

    holds: Callable[[Pytree, Pytree], jax.Array]
    enter: Callable[[Pytree], Pytree]
    apply: Callable[[Pytree, Pytree], tuple[Pytree, Pytree]]
    leave: Callable[[Pytree, Pytree, int], Pytree]


@dataclass(frozen=True)
class Step:
    """What happens at one time step, as a pair of pure functions.

    Args:
        init: `init(x0) -> state`: the state before the first row, from the shape and dtype of a row.
        apply: `apply(state, x) -> (state, y)`: one row in, one row out. The state keeps its shapes and dtypes.
        whole: `whole(state, xs) -> (state, ys)`: the same result for all rows at once, where there is a faster way
            than one row after the other. `state` is what `init` or an earlier call gave.
        shortcut: a cheaper way that is taken where it gives the same result; elsewhere `apply` is used.
        by_column: `by_column(xs, ys, dtype)`: the same result for a large table on the CPU, without JAX. It reads some
            columns where they lie, (columns, rows), computes in `dtype` or more precisely, and writes into `ys`, while
            other threads take other columns. A scan would have to turn the table first, and its results once more.
        timed: whether a row is a pair `(values, times)`, with `times` as `Times`.
        moves_along: whether results move by as much as all values of a column do (a mean does, a change does not:
            False); None if neither is so, or nobody knows. Where it is known, `frames.apply` hands over what 32 bits
            would round as differences from the middle of the column, so that 1e9 and 1e9 + 1 are told apart.

    Example:
        >>> import jax.numpy as jnp
        >>> total = Step(jnp.zeros_like, lambda state, x: (state + x, state + x))
        >>> state, ys = unroll(total)(jnp.arange(4.0))
        >>> ys
        Array([0., 1., 3., 6.], dtype=float32)
        >>> unroll(total)(jnp.arange(3.0), state)[1]
        Array([6., 7., 9.], dtype=float32)
    """

    init: Callable[[Pytree], Pytree]
    apply: Callable[[Pytree, Pytree], tuple[Pytree, Pytree]]
    whole: Callable[[Pytree, Pytree], tuple[Pytree, Pytree]] | None = None
    shortcut: Shortcut | None = None
    by_column: Loop | None = None
    timed: bool = False
    moves_along: bool | None = None


Run = Callable[..., tuple[Pytree, Pytree]]


@functools.lru_cache(maxsize=128)
def unroll(step: Step, *, donate: bool = False) -> Run:
    """Compile a step over time, once for each shape and dtype of its input.

    Args:
        step: what happens at one time step.
        donate: whether the results take the place of `xs`, which is gone afterwards. No second array is allocated,
            whose fresh pages take longer than the arithmetic. Results must have the shape and dtype of `xs`.

    Returns:
        `run(xs, state=None) -> (state, ys)`: `xs` is a pytree of arrays with time as the leading axis. Without a state
        it starts afresh; with the state of an earlier call it continues exactly where that one ended. Over no rows the
        state stays what it was: None, if nothing has begun. It runs where `xs` is, even if columns are sharded over
        several devices.

    Raises:
        TypeError: if `step` is no Step.
        FrameError: when run, if leaves differ in their number of rows, or if the step changes the structure, shape or
            dtype of its state.

    Example:
        >>> import jax.numpy as jnp
        >>> from jaxcourse import frames
        >>> run = frames.unroll(frames.diff(1))
        >>> state, ys = run(jnp.array([1.0, 4.0, 9.0]))
        >>> ys
        Array([nan,  3.,  5.], dtype=float32)
        >>> run(jnp.array([16.0]), state)[1]
        Array([7.], dtype=float32)
    """
    require_step(step)

    def run(xs: Pytree, state: Pytree = None) -> tuple[Pytree, Pytree]:
        _require_rows(xs)
        rows = _length(xs)
        first = jax.tree.map(lambda x: x[0] if rows else jax.ShapeDtypeStruct(x.shape[1:], x.dtype), xs)
        before = _initial_state(step, first) if state is None else state
        after, y = _of_row(first, jax.eval_shape, step.apply, before, first)
        _require_same_state(before, after)
        fits = _same_rows(first, y)
        if donate and not fits:
            raise FrameError("donate=True needs results of the structure, shapes and dtypes of the input")
        if not rows:
            return state, jax.tree.map(lambda leaf: jnp.zeros((0, *leaf.shape), leaf.dtype), y)
        at_once = step.whole is not None or not fits or not (donate or step.shortcut)
        return (_over_rows if at_once else _in_place)(step, before, xs)

    return jax.jit(run, donate_argnums=(0,) if donate else ())


def require_step(step: Any) -> None:
    """Refuse what is no step, such as a bare function or pair.

    Raises:
        TypeError: it says how a step is made.
    """
    if not isinstance(step, Step):
        raise TypeError(f"{step!r} is not a Step: make one of two functions with frames.Step(init, apply)")


def _over_rows(step: Step, state: Pytree, xs: Pytree) -> tuple[Pytree, Pytree]:
    """All rows, in the fastest of the ways that a step has; the results are a new array."""
    found: tuple[Pytree, Pytree]
    if step.whole is not None:
        found = step.whole(state, xs)
    elif step.shortcut is None:
        found = lax.scan(step.apply, state, xs)
    else:
        short, rows = step.shortcut, _length(xs)

        def shortly(state: Pytree, xs: Pytree) -> tuple[Pytree, Pytree]:
            carry, ys = lax.scan(short.apply, short.enter(state), xs)
            return short.leave(state, carry, rows), ys

        found = lax.cond(short.holds(state, xs), shortly, functools.partial(lax.scan, step.apply), state, xs)
    return found


def _length(xs: Pytree) -> int:
    return int(jax.tree.leaves(xs)[0].shape[0])


def _in_place(step: Step, state: Pytree, xs: Pytree) -> tuple[Pytree, Pytree]:
    """Write results over the rows that they come from; XLA copies `xs` first if it was not donated.

    With a shortcut there are two loops, one of which never turns: XLA would copy all of `xs` for the branches of a
    `cond`.
    """
    short, rows = step.shortcut, _length(xs)
    if short is None:
        return _by_blocks(step, rows, state, xs)
    holds = short.holds(state, xs)
    carry, xs = _by_rows(short, jnp.where(holds, rows, 0), short.enter(state), xs)
    slow, xs = _by_blocks(step, jnp.where(holds, 0, rows), state, xs)
    return jax.tree.map(functools.partial(jnp.where, holds), short.leave(state, carry, rows), slow), xs


def _by_rows(short: Shortcut, rows: Any, carry: Pytree, xs: Pytree) -> tuple[Pytree, Pytree]:
    """Row by row, for an `apply` that is one fusion, which reads a row just once."""

    def overwrite(i: Any, both: tuple[Pytree, Pytree]) -> tuple[Pytree, Pytree]:
        carry, xs = both
        carry, y = short.apply(carry, jax.tree.map(lambda x: lax.dynamic_index_in_dim(x, i, 0, False), xs))
        return carry, jax.tree.map(lambda x, y: lax.dynamic_update_index_in_dim(x, y, i, 0), xs, y)

    both: tuple[Pytree, Pytree] = lax.fori_loop(0, rows, overwrite, (carry, xs))
    return both


BLOCK_BYTES = 2**18
"""Rows that are computed before they overwrite their input: few enough to stay in a core's cache."""


def _by_blocks(step: Step, rows: Any, state: Pytree, xs: Pytree) -> tuple[Pytree, Pytree]:
    """Some rows at a time: if several fusions read a row, XLA copies the whole array before each write."""
    length = _length(xs)
    block = min(length, max(1, BLOCK_BYTES * length // max(1, sum(leaf.nbytes for leaf in jax.tree.leaves(xs)))))

    def overwrite(start: Any, length: int, state: Pytree, xs: Pytree) -> tuple[Pytree, Pytree]:
        taken = jax.tree.map(lambda x: lax.dynamic_slice_in_dim(x, start, length), xs)
        state, ys = lax.scan(step.apply, state, taken)
        return state, jax.tree.map(lambda x, y: lax.dynamic_update_slice_in_dim(x, y, start, 0), xs, ys)

    state, xs = lax.fori_loop(0, rows // block, lambda i, both: overwrite(i * block, block, *both), (state, xs))
    rest = length % block
    if rest:
        # As often as there are rows left: once, or never if there are no rows.
        turns = jnp.minimum(rows, 1)
        state, xs = lax.fori_loop(0, turns, lambda _, both: overwrite(length - rest, rest, *both), (state, xs))
    return state, xs


def _initial_state(step: Step, first: Pytree) -> Pytree:
    """The state before the first row, or its shapes and dtypes if that is all that is known of the row."""

    def start(row: Pytree) -> Pytree:
        return jax.tree.map(_strongly_typed, step.init(row))

    known = not isinstance(jax.tree.leaves(first)[0], jax.ShapeDtypeStruct)
    return _of_row(first, start, first) if known else _of_row(first, jax.eval_shape, start, first)


def _of_row(row: Pytree, function: Callable[..., Any], *args: Any) -> Any:
    """Call a function of a step. One that is written for an array fails oddly where a row is several of them.

    Raises:
        FrameError: where a row is no array; it says what a row is, and what the step raised.
    """
    try:
        return function(*args)
    except (AttributeError, TypeError) as error:
        if hasattr(row, "dtype") or isinstance(error, jax.errors.JAXTypeError):
            raise
        arrays = ", ".join(
            f"row{jax.tree_util.keystr(path)} is {_kind(leaf)}"
            for path, leaf in jax.tree_util.tree_leaves_with_path(row)
        )
        raise FrameError(
            f"the step raised {type(error).__name__}: {error}. A row is a {type(row).__name__} here ({arrays}): write "
            "the step for that, or make one array of numbers, e.g. with `frames.encode(table, dtype='float32')`"
        ) from error


def _strongly_typed(leaf: Any) -> jax.Array:
    """A Python number in the first state must not take another dtype from the first row that it meets."""
    return jnp.asarray(leaf, jnp.result_type(leaf))


def _require_rows(xs: Pytree) -> None:
    rows = {jax.tree_util.keystr(path): jnp.shape(leaf)[:1] for path, leaf in jax.tree_util.tree_leaves_with_path(xs)}
    if not rows:
        raise FrameError("there is no array to run over: give at least one, with time as its leading axis")
    for name, length in rows.items():
        if not length:
            raise FrameError(f"xs{name} is a single number, without rows: time must be the leading axis")
    if len(set(rows.values())) > 1:
        counts = ", ".join(f"xs{name} has {length[0]}" for name, length in rows.items())
        raise FrameError(f"time is the leading axis, of one length for all of xs, but {counts} rows")


def _require_same_state(before: Pytree, after: Pytree) -> None:
    """Name the leaf of the state that a step changes, and say what to do about it."""
    got, gave = jax.tree.structure(before), jax.tree.structure(after)
    if got != gave:  # type: ignore[operator]  # jaxlib's stubs leave it out.
        raise FrameError(f"the step changes the structure of its state: it gets {got} and returns {gave}")
    leaves = zip(jax.tree_util.tree_leaves_with_path(before), jax.tree.leaves(after), strict=True)
    for (path, old), new in leaves:
        if (old.shape, old.dtype) != (new.shape, new.dtype):
            raise FrameError(
                f"the step changes its state: state{jax.tree_util.keystr(path)} goes in as {_kind(old)} and comes out "
                f"as {_kind(new)}. Convert it in `apply`, e.g. with `.astype`, or return that from `init`"
            )


def _same_rows(x: Pytree, y: Pytree) -> bool:
    leaves = zip(jax.tree.leaves(x), jax.tree.leaves(y), strict=False)
    alike: bool = jax.tree.structure(x) == jax.tree.structure(y)  # type: ignore[operator]
    return alike and all(_kind(old) == _kind(new) for old, new in leaves)


def _kind(leaf: Any) -> str:
    return f"{leaf.dtype}[{','.join(map(str, leaf.shape))}]"
