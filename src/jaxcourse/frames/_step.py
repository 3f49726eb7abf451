"""A step is a pair of pure functions with a state, and `unroll` compiles it over time."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from jaxcourse.frames._contract import FrameError

Pytree = Any


@dataclass(frozen=True)
class Step:
    """What happens at one time step, as a pair of pure functions.

    Args:
        init: `init(x0) -> state`: the state before the first row, from the shape and dtype of a row.
        apply: `apply(state, x) -> (state, y)`: one row in, one row out. The state keeps its shapes and dtypes.
        whole: `whole(state, xs) -> (state, ys)`: the same result for all rows at once, where there is a faster way
            than one row after the other. `state` is what `init` or an earlier call gave.
        shortcut: `shortcut(state, xs) -> (holds, state, ys)`: a cheaper way that gives the same result for most rows
            and knows afterwards whether it did. Where `holds` is False, `apply` is used.
        timed: Whether a row is a pair `(values, times)`, with `times` as `Times`.
        columnwise: Whether every column's result depends on that column alone, so that columns may be computed apart.

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
    shortcut: Callable[[Pytree, Pytree], tuple[jax.Array, Pytree, Pytree]] | None = None
    timed: bool = False
    columnwise: bool = False


Run = Callable[..., tuple[Pytree, Pytree]]


@functools.lru_cache(maxsize=128)
def unroll(step: Step, *, donate: bool = False) -> Run:
    """Compile a step over time, once for each shape and dtype of its input.

    Args:
        step: What happens at one time step.
        donate: Whether the results take the place of `xs`, which is gone afterwards. No second array is allocated,
            whose fresh pages take longer than the arithmetic. Results must have the shape and dtype of `xs`.

    Returns:
        `run(xs, state=None) -> (state, ys)`: `xs` is a pytree of arrays with time as the leading axis. Without a state
        it starts afresh; with the state of an earlier call it continues exactly where that one ended. It runs where
        `xs` is, also if columns are sharded over several devices.

    Raises:
        FrameError: When run, if there is no row, if leaves differ in their number of rows, or if the step changes the
            structure, shape or dtype of its state.

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

    def run(xs: Pytree, state: Pytree = None) -> tuple[Pytree, Pytree]:
        _require_rows(xs)
        first = jax.tree.map(lambda x: x[0], xs)
        if state is None:
            state = first_state(step, first)
        after, y = jax.eval_shape(step.apply, state, first)
        _require_same_state(state, after)
        fits = _same_rows(first, y)
        if donate and not fits:
            raise FrameError("donate=True needs results of the structure, shapes and dtypes of the input")
        if step.whole is not None:
            found: tuple[Pytree, Pytree] = step.whole(state, xs)
            return found
        return _in_place(step, state, xs) if fits and (donate or step.shortcut) else _over_rows(step, state, xs)

    return jax.jit(run, donate_argnums=(0,) if donate else ())


def _over_rows(step: Step, state: Pytree, xs: Pytree) -> tuple[Pytree, Pytree]:
    """One row after the other, unless the shortcut holds."""
    if step.shortcut is None:
        return lax.scan(step.apply, state, xs)
    holds, *found = step.shortcut(state, xs)
    return lax.cond(
        holds, lambda state, xs, found: found, lambda *old: list(lax.scan(step.apply, *old[:2])), state, xs, found
    )


BLOCK_BYTES = 2**18
"""Rows that are computed before they overwrite their input: few enough to stay in a core's cache."""


def _in_place(step: Step, state: Pytree, xs: Pytree) -> tuple[Pytree, Pytree]:
    """Write results over the rows that they come from (XLA copies `xs` first if it was not donated), block by block.

    A single row would not do: unless one fusion reads it, just once, XLA copies the whole array before each write.
    """
    leaves = jax.tree.leaves(xs)
    rows = leaves[0].shape[0]
    block = min(rows, max(1, BLOCK_BYTES * rows // sum(leaf.nbytes for leaf in leaves)))

    def overwrite(start: Any, length: int, state: Pytree, xs: Pytree) -> tuple[Pytree, Pytree]:
        state, ys = _over_rows(step, state, jax.tree.map(lambda x: lax.dynamic_slice_in_dim(x, start, length), xs))
        return state, jax.tree.map(lambda x, y: lax.dynamic_update_slice_in_dim(x, y, start, 0), xs, ys)

    state, xs = lax.fori_loop(0, rows // block, lambda i, both: overwrite(i * block, block, *both), (state, xs))
    rest = rows % block
    return overwrite(rows - rest, rest, state, xs) if rest else (state, xs)


def first_state(step: Step, first: Pytree) -> Pytree:
    """The state before the first row."""
    return jax.tree.map(_strongly_typed, step.init(first))


def _strongly_typed(leaf: Any) -> jax.Array:
    """A Python number in the first state must not take another dtype from the first row that it meets."""
    return jnp.asarray(leaf, jnp.result_type(leaf))


def _require_rows(xs: Pytree) -> None:
    rows = {jax.tree_util.keystr(path): jnp.shape(leaf)[:1] for path, leaf in jax.tree_util.tree_leaves_with_path(xs)}
    if not rows:
        raise FrameError("there is no array to run over")
    for name, length in rows.items():
        if length in ((), (0,)):
            raise FrameError(f"xs{name} has no rows: time is the leading axis, and a run needs one row at least")
    if len(set(rows.values())) > 1:
        counts = ", ".join(f"xs{name} has {length[0]}" for name, length in rows.items())
        raise FrameError(f"time is the leading axis, of one length for all of xs, but {counts} rows")


def _require_same_state(before: Pytree, after: Pytree) -> None:
    """Name the leaf of the state that a step changes, which JAX's own message leaves to be found."""
    got, gave = jax.tree.structure(before), jax.tree.structure(after)
    if got != gave:  # type: ignore[operator]  # jaxlib's stubs leave it out.
        raise FrameError(f"the step changes the structure of its state: it gets {got} and returns {gave}")
    leaves = zip(jax.tree_util.tree_leaves_with_path(before), jax.tree.leaves(after), strict=True)
    for (path, old), new in leaves:
        if (old.shape, old.dtype) != (new.shape, new.dtype):
            raise FrameError(
                f"the step changes its state: state{jax.tree_util.keystr(path)} goes in as {_kind(old)} and comes out "
                f"as {_kind(new)}. Convert it in `apply`, e.g. with `.astype`, or let `init` start as that"
            )


def _same_rows(x: Pytree, y: Pytree) -> bool:
    leaves = zip(jax.tree.leaves(x), jax.tree.leaves(y), strict=False)
    alike: bool = jax.tree.structure(x) == jax.tree.structure(y)  # type: ignore[operator]
    return alike and all(_kind(old) == _kind(new) for old, new in leaves)


def _kind(leaf: Any) -> str:
    return f"{leaf.dtype}[{','.join(map(str, leaf.shape))}]"
