"""What goes into a call and comes out of it: arrays, lists of numbers, numbers."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def leaves(tree: Any) -> list[Any]:
    """Arrays, lists of numbers and single things in a pytree. What can become an array (a table) becomes one."""
    found = jax.tree.leaves(tree, is_leaf=_is_list_of_numbers)
    return [np.asarray(leaf) if _is_foreign_array(leaf) else leaf for leaf in found]


def _is_list_of_numbers(tree: Any) -> bool:
    return isinstance(tree, list) and bool(tree) and all(isinstance(item, (int, float, complex)) for item in tree)


def _is_foreign_array(leaf: Any) -> bool:
    # A dtype such as np.float32 is a class that has the method without being an array.
    return hasattr(leaf, "__array__") and not (_is_array(leaf) or isinstance(leaf, type))


def _is_array(leaf: Any) -> bool:
    return isinstance(leaf, (jax.Array, np.ndarray, np.generic))


def is_comparable(leaf: Any) -> bool:
    """Whether a leaf is made of numbers."""
    if isinstance(leaf, (np.ndarray, np.generic)):
        return bool(jnp.issubdtype(leaf.dtype, jnp.number) or jnp.issubdtype(leaf.dtype, jnp.bool_))
    return isinstance(leaf, (jax.Array, list, bool, int, float, complex))


def _is_key(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and bool(jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key))


def dtypes(leaves: Sequence[Any]) -> set[str]:
    """Names of the dtypes of arrays and lists. A single Python number and a random key have none."""
    arrays = [leaf for leaf in leaves if _is_array(leaf) and not _is_key(leaf)]
    lists = [np.asarray(leaf[:1]) for leaf in leaves if isinstance(leaf, list)]
    return {str(leaf.dtype) for leaf in arrays + lists}


def rounding(dtypes: set[str]) -> float:
    """The coarsest step from 1 to the next number, over the inexact dtypes; float64's if there is none."""
    inexact = [dtype for dtype in dtypes if jnp.issubdtype(dtype, jnp.inexact)]
    return max((float(np.spacing(np.ones((), dtype).real)) for dtype in inexact), default=sys.float_info.epsilon)


def values(leaf: Any) -> np.ndarray:
    """The numbers of a leaf; of a random key those that it is made of."""
    return np.asarray(jax.random.key_data(leaf) if _is_key(leaf) else leaf)


def agree(mine: np.ndarray, its: np.ndarray, tolerance: float) -> bool:
    """Whether numbers are equal, or, if they are inexact, within a tolerance relative to the largest of them."""
    if not (jnp.issubdtype(mine.dtype, jnp.inexact) or jnp.issubdtype(its.dtype, jnp.inexact)):
        return np.array_equal(mine, its)
    largest = np.max(np.abs(mine), where=np.isfinite(mine), initial=0)
    return np.allclose(its, mine, rtol=tolerance, atol=tolerance * float(largest), equal_nan=True)


def largest_difference(mine: np.ndarray, its: np.ndarray) -> str:
    """Where two arrays of numbers differ most, e.g. `1 and 2 at index (0, 3)`."""
    with np.errstate(all="ignore"):
        distance = np.abs(mine - 1.0 * its)
    agree = (mine == its) | ((mine != mine) & (its != its))
    index = np.unravel_index(np.argmax(np.where(agree, -1, distance)), mine.shape)
    place = f" at index {tuple(map(int, index))}" if index else ""
    return f"{mine[index]:.7g} and {its[index]:.7g}{place}"


def describe(leaves: Sequence[Any]) -> str:
    """Types and shapes, e.g. `float32[1000,3], float`; the first few of many."""
    shown = [_describe(leaf) for leaf in leaves[:4]]
    if len(leaves) > 4:
        shown.append(f"{len(leaves) - 4} more")
    return ", ".join(shown) or "none"


def _describe(leaf: Any) -> str:
    if isinstance(leaf, list):
        return f"list of {len(leaf):,} {type(leaf[0]).__name__}"
    if _is_array(leaf):
        return f"{leaf.dtype}[{','.join(map(str, leaf.shape))}]"
    return type(leaf).__name__


def bytes_moved(inputs: Sequence[Any], outputs: Sequence[Any]) -> int:
    """Bytes of arguments and result, each once: 0 if the result is only another view on an argument."""
    own = [leaf for leaf in inputs if isinstance(leaf, np.ndarray)]
    written_into = [leaf for leaf in outputs if any(leaf is array for array in own)]
    fresh = [leaf for leaf in outputs if not (isinstance(leaf, np.ndarray) and _shares_memory(leaf, own))]
    if not (fresh or written_into):
        return 0
    return sum(map(_nbytes, [*inputs, *fresh]))


def _shares_memory(leaf: np.ndarray, arrays: list[np.ndarray]) -> bool:
    return any(np.may_share_memory(leaf, array) for array in arrays)


LINE = 64
"""Bytes that come from memory together, on nearly every processor."""


def _nbytes(leaf: Any) -> int:
    """Bytes that come from memory: of a list its pointers and its numbers, of a strided array the lines it lies on."""
    if isinstance(leaf, list):
        return sys.getsizeof(leaf) + sum(map(sys.getsizeof, leaf))
    if isinstance(leaf, np.ndarray):
        return _lines(leaf)
    return leaf.nbytes if _is_array(leaf) else 0


def _lines(array: np.ndarray) -> int:
    """Bytes of an array without gaps; with gaps, those of the lines on which its numbers lie, each run on its own."""
    axes = [(abs(stride), length) for stride, length in zip(array.strides, array.shape, strict=True) if stride]
    run = array.itemsize
    for stride, length in sorted(axes):
        if stride != run:
            break
        run *= length
    own = int(array.itemsize * math.prod(length for _, length in axes))
    span = array.itemsize + sum(stride * (length - 1) for stride, length in axes)
    return own if own in (0, run) else max(own, min(span, own // run * -(-run // LINE) * LINE))
