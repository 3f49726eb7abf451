"""Questions about the kernel of an answer that calls `pl.pallas_call`: which block comes when, and what comes out."""

from __future__ import annotations

import contextlib
import functools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import insides
from jaxcourse.insides import Blocks, Operand, Value
from jaxcourse.probe._question import question

_SHOWN = ("name", "ref", "shape", "dtype", "block", "kinds", "indices", "starts", "moves", "reads", "writes", "whole")
_COUNTED = ("block_bytes", "moved_bytes", "hangs_over", "outside", "comes_back", "shared", "uncovered")


@question(evidence="programs", like_a_call=True)
def walk(student_function: Callable[..., Any], *args: Any, floats: str = "", **named: Any) -> dict[str, Any]:
    """Which block of each array every step of an answer's `pl.pallas_call` has: nothing is run.

    Args:
        student_function: the answer, jitted or not.
        *args: its arguments; arrays are traced, all else stays what it is.
        floats: the dtype that arrays of floats get, such as `bfloat16`, which is no dtype of NumPy.
        **named: arguments by name.

    Returns:
        `calls`, how many calls of `pl.pallas_call` there are, and `largest`, how many elements the largest value has
        that the answer makes anywhere, in its kernels or outside of them. If there is one call, also:

        - `outside`, as `largest`, of what is computed or copied outside of the kernel.

        - `grid`; `steps`, how many there are; `points`, the place of each in the grid.
        - `inputs` and `outputs`: of each array `name`, `ref` (what the kernel calls it), `shape`, `dtype`; `block`,
          elements along each axis; `kinds`, how each axis is cut; `indices`, what the index map gives at each step, and
          `starts`, the first element of its block; `moves`, whether a block is fetched or written away at that step;
          `reads` and `writes`, whether the kernel may do so; `whole`, whether one block is all of it; `block_bytes`;
          `moved_bytes`; `hangs_over`, `outside` and `comes_back`: the first step whose block does so, or None;
          `shared`, whether several steps have the same block; and `uncovered`, how many elements are in none.
        - `scratch`, shape and dtype of each; `scratch_bytes`; `fast_bytes`, one block of each array and the scratch
          memory; `moved_bytes`, of all steps; `aliases`; `times`, how often the call itself is run.
        - `primitives`, counts by name, in the kernel; `products`, the dtypes of both factors and of the result of each
          matrix product in it; `masks_as_factors`, how many of its products of floats have a mask as a factor;
          `largest_inside`, as `largest`, in the kernel.

    Example:
        >>> from jax.experimental import pallas as pl
        >>> def negative(x, block):
        ...     def kernel(x_ref, o_ref):
        ...         o_ref[...] = -x_ref[...]
        ...     spec = pl.BlockSpec((block,), lambda i: (i,))
        ...     like = jax.ShapeDtypeStruct(x.shape, x.dtype)
        ...     return pl.pallas_call(
        ...         kernel, like, grid=(len(x) // block,), in_specs=[spec], out_specs=spec, interpret=True
        ...     )(x)
        >>> found = walk(negative, np.ones(10, np.float32), 4)
        >>> found["steps"], found["outputs"][0]["uncovered"], found["moved_bytes"], found["primitives"]
        (2, 2, 64, {'get': 1, 'neg': 1, 'swap': 1})
        >>> walk(lambda x: x + 1, np.ones(3))
        {'calls': 0, 'largest': 3}
    """
    jax.clear_caches()  # since JAX 0.11 a kernel is traced once, whatever its globals are later
    found, around = insides.every_block(student_function, *in_dtype(args, floats), **in_dtype(named, floats))
    inside = [value for one in found for value in one.made_inside]
    made = {"calls": len(found), "largest": _largest([*inside, *insides.made_outside(around)])}
    if len(found) != 1:
        return made
    return made | {"outside": _largest(insides.computed_outside(around))} | _of_call(found[0])


@question(evidence="values", like_a_call=True)
def by_blocks(
    student_function: Callable[..., Any],
    *args: Any,
    floats: str = "",
    beyond: float | None = None,
    scratch: float | None = None,
    **named: Any,
) -> Any:
    """The answer's result under `jax.jit`, for which arrays are traced, and all else stays what it is.

    A `pl.pallas_call` that is not jitted is compiled at every call.

    Args:
        student_function: the answer.
        *args: its arguments.
        floats: the dtype that arrays of floats get; results that NumPy has no dtype for come back as `float32`.
        beyond: the number that a kernel finds where a block hangs over the end of an array. In the interpreter that is
            NaN, or the smallest integer, and on a device what was in memory before.
        scratch: the number that scratch memory holds whenever a step begins, whatever an earlier step has left there:
            where steps run at once, each has memory of its own.
        **named: arguments by name.

    Example:
        >>> by_blocks(lambda x, n: x * len(range(n)), np.ones(2, np.float32), 3)
        array([3., 3.], dtype=float32)
    """
    jax.clear_caches()
    given: dict[Any, Any] = {**dict(enumerate(in_dtype(args, floats))), **in_dtype(named, floats)}
    traced = {key: value for key, value in given.items() if isinstance(value, (np.ndarray, jax.Array))}

    def of_arrays(arrays: dict[Any, Any]) -> Any:
        known = given | arrays
        return student_function(*(known[i] for i in range(len(args))), **{name: known[name] for name in named})

    with _filled(beyond, scratch):
        return jax.tree.map(_for_numpy, jax.jit(of_arrays)(traced))


@contextlib.contextmanager
def _filled(beyond: float | None, scratch: float | None) -> Iterator[None]:
    """While it lasts, kernels find numbers where the interpreter has marks, or where a step before has left its own."""
    from jax.experimental import pallas as pl

    if beyond is None and scratch is None:
        yield
        return
    real = pl.pallas_call

    def call(kernel: Callable[..., None], *given: Any, **named: Any) -> Callable[..., Any]:
        if scratch is not None:
            kernel = _beginning_with(scratch, kernel, _of_grid("scratch_shapes", named))
        made = real(kernel, *given, **named)
        return made if beyond is None else _with_full_blocks(beyond, made, named)

    with mock.patch.object(pl, "pallas_call", call):
        yield
    jax.clear_caches()  # what was traced is not the answer's own program


def _of_grid(what: str, named: dict[str, Any]) -> Any:
    """What a call of `pl.pallas_call` is given by a name, or by its grid's specification."""
    return named.get(what) or getattr(named.get("grid_spec"), what, ())


def _beginning_with(number: float, kernel: Callable[..., None], scratch: Any) -> Callable[..., None]:
    """The kernel, for which all scratch memory holds a number when a step begins."""
    count = len(jax.tree.leaves(scratch))

    @functools.wraps(kernel)
    def begun(*refs: Any, **named: Any) -> None:
        for memory in jax.tree.leaves((refs, named))[-count:] if count else ():
            if jnp.issubdtype(memory.dtype, jnp.number):  # a semaphore has none
                memory[...] = jnp.full(memory.shape, number, memory.dtype)
        kernel(*refs, **named)

    return begun


def _with_full_blocks(number: float, made: Callable[..., Any], named: dict[str, Any]) -> Callable[..., Any]:
    """A call that is given arrays which end with a block, and a number behind the old end."""
    specs = _of_grid("in_specs", named)
    shapes = [getattr(one, "block_shape", None) for one in (specs if isinstance(specs, (list, tuple)) else [specs])]

    def run(*arrays: Any) -> Any:
        if len(shapes) != len(arrays) or named.get("input_output_aliases"):
            return made(*arrays)  # which block is whose is not known, or the result has the argument's shape
        return made(*(_up_to_a_block(x, shape, number) for x, shape in zip(arrays, shapes, strict=True)))

    return run


def _up_to_a_block(x: Any, shape: Sequence[Any] | None, number: float) -> Any:
    if not shape:
        return x
    widths = [-n % size if isinstance(size, int) else 0 for n, size in zip(x.shape, shape, strict=True)]
    return jnp.pad(x, [(0, width) for width in widths], constant_values=jnp.asarray(number, x.dtype))


def in_dtype(values: Any, floats: str) -> Any:
    """A tree whose arrays of floats have another dtype, if one is named; all else is unchanged.

    Example:
        >>> in_dtype((np.ones(2), np.arange(2), 4), "bfloat16")
        (Array([1, 1], dtype=bfloat16), array([0, 1]), 4)
    """

    def cast(leaf: Any) -> Any:
        changed = floats and isinstance(leaf, np.ndarray) and np.issubdtype(leaf.dtype, np.floating)
        return jax.device_put(leaf.astype(jnp.dtype(floats))) if changed else leaf

    return jax.tree.map(cast, values)


def _for_numpy(leaf: Any) -> Any:
    array = np.asarray(leaf)
    return array.astype(np.float32) if array.dtype == jnp.bfloat16 else array


def _of_call(call: Blocks) -> dict[str, Any]:
    counts = Counter(equation.primitive for equation in call.kernel.everything)
    return {
        "grid": call.grid,
        "steps": call.steps,
        "points": call.points,
        "inputs": [_of_operand(one) for one in call.inputs],
        "outputs": [_of_operand(one) for one in call.outputs],
        "scratch": [(one.shape, one.dtype) for one in call.scratch],
        "scratch_bytes": call.scratch_bytes,
        "fast_bytes": call.fast_bytes,
        "moved_bytes": call.moved_bytes,
        "aliases": call.aliases,
        "times": call.times,
        "primitives": dict(sorted(counts.items())),
        "products": call.products,
        "masks_as_factors": call.masks_as_factors,
        "largest_inside": _largest(call.made_inside),
    }


def _of_operand(one: Operand) -> dict[str, Any]:
    return {name: getattr(one, name) for name in (*_SHOWN, *_COUNTED)}


def _largest(values: Sequence[Value]) -> int:
    return max((value.size for value in values), default=0)
