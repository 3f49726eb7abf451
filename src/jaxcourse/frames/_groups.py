"""Blocks of columns, grouped into the arrays that they become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.frames._errors import FrameError
from jaxcourse.frames._leaves import Pytree
from jaxcourse.frames._table import Block

NUMBERS = tuple(
    np.dtype(name)
    for name in (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", jnp.bfloat16, "float32", "float64", "complex64", "complex128"),
    )
)
"""The dtypes of columns of numbers. JAX has smaller ones, which turn what they cannot hold into others, silently."""


@dataclass(frozen=True)
class Group:
    """Blocks whose encoded values are one leaf (or one `Times`), side by side."""

    key: str
    blocks: tuple[Block, ...]
    dtype: np.dtype

    @property
    def kind(self) -> str:
        """What its blocks hold: "numbers", "times" or "codes"."""
        return self.blocks[0].kind

    @property
    def names(self) -> tuple[Any, ...]:
        """All columns, in order."""
        return tuple(name for block in self.blocks for name in block.names)


def is_one_array(groups: Sequence[Group]) -> bool:
    """Whether a table is one array of numbers, which needs no name."""
    return len(groups) == 1 and groups[0].kind == "numbers" and groups[0].blocks[0].group is None


def tree_of(groups: Sequence[Group], leaves: Sequence[Any]) -> Pytree:
    """The values of groups as `Encoded.values` has them: one array, or a dict by key."""
    return leaves[0] if is_one_array(groups) else {group.key: leaf for group, leaf in zip(groups, leaves, strict=True)}


def leaves_of(groups: Sequence[Group], tree: Pytree) -> list[Any]:
    """The way back: the values of each group, in order."""
    return [tree] if is_one_array(groups) else [tree[group.key] for group in groups]


def groups_of(blocks: Sequence[Block], dtype: Any) -> tuple[Group, ...]:
    """Blocks by the name under which their values go, in the order of first appearance."""
    found: dict[str, tuple[list[Block], np.dtype]] = {}
    for block in blocks:
        target = target_dtype(block, dtype)
        key = block.group or (target.name if block.kind == "numbers" else block.kind)
        found.setdefault(key, ([], target))[0].append(block)
    return tuple(Group(key, tuple(members), target) for key, (members, target) in found.items())


def target_dtype(block: Block, dtype: Any) -> np.dtype:
    """The dtype that a block becomes: one that JAX has in its present mode.

    Raises:
        FrameError: if JAX has none like it; it names the column, or `dtype`.
    """
    if block.kind != "numbers":
        return np.dtype(np.int32)
    wanted = block.host.dtype if dtype is None else _dtype(dtype)
    if wanted not in NUMBERS:
        what = f"column {block.names[0]!r} is {wanted}" if dtype is None else f"dtype={dtype!r} is {wanted}"
        raise FrameError(
            f"{what}, which is none of {', '.join(map(str, NUMBERS))}: give dtype='float32', or convert it"
        )
    return np.dtype(jax.dtypes.canonicalize_dtype(wanted))


def _dtype(dtype: Any) -> np.dtype:
    try:
        found: np.dtype = np.dtype(dtype)
        return found
    except TypeError:
        raise FrameError(f"dtype={dtype!r} is no dtype: give one such as 'float32' or jnp.float32") from None


def is_floating(dtype: np.dtype) -> bool:
    """Whether numbers are real ones with fractions; NumPy itself does not know that of bfloat16.

    Example:
        >>> [is_floating(np.dtype(dtype)) for dtype in (jnp.bfloat16, "float16", "int32")]
        [True, True, False]
    """
    return bool(jnp.issubdtype(dtype, np.floating))
