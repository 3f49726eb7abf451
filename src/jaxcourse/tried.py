"""On how much an answer was tried: what the calls of a check add up to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


@dataclass(frozen=True)
class Tried:
    """What an answer was called with while it was checked.

    Attributes:
        inputs: how many different ones there were; questions that are not like calls count for none.
        largest: the shape of the largest array among them; empty if there was none.
        empty: whether one of the arrays had no element.
    """

    inputs: int = 0
    largest: tuple[int, ...] = ()
    empty: bool = False

    @property
    def words(self) -> str:
        """What a reader is told of it; nothing if nothing was counted.

        Example:
            >>> Tried(31, (6, 7), empty=True).words
            'Checked on 31 inputs, up to the shape (6, 7), with empty arrays among them.'
            >>> Tried(1).words, Tried().words
            ('Checked on 1 input.', '')
        """
        if not self.inputs:
            return ""
        count = f"Checked on {self.inputs:,} input{'' if self.inputs == 1 else 's'}"
        up_to = f", up to the shape {self.largest}" if self.largest else ""
        return f"{count}{up_to}{', with empty arrays among them' if self.empty else ''}."


def tried(asked: Iterable[tuple[Any, ...]]) -> Tried:
    """What some calls add up to.

    Args:
        asked: the arguments of each call; the same ones twice are one input.

    Example:
        >>> tried([(np.ones((2, 3)), 4), (np.ones((2, 3)), 4), (np.zeros((0, 3)), 4)])
        Tried(inputs=2, largest=(2, 3), empty=True)
    """
    inputs = {tuple(map(_key, jax.tree.leaves(args))): args for args in asked}
    arrays = [leaf for args in inputs.values() for leaf in jax.tree.leaves(args) if isinstance(leaf, _ARRAYS)]
    largest = max(arrays, key=lambda array: (array.size, array.ndim), default=None)
    return Tried(len(inputs), () if largest is None else largest.shape, any(not array.size for array in arrays))


_ARRAYS = (np.ndarray, jax.Array)


def _key(leaf: Any) -> Any:
    """What two equal leaves have in common; arrays of keys count as what they are."""
    if isinstance(leaf, jax.Array) and leaf.is_deleted():  # the answer donated it
        return "donated", leaf.shape, id(leaf)
    if isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.extended):
        leaf = jax.random.key_data(leaf)
    if isinstance(leaf, _ARRAYS):
        array = np.asarray(leaf)
        return array.dtype.str, array.shape, array.tobytes()
    return type(leaf).__name__, repr(leaf)
