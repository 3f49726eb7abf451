"""What was copied on the way in, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax

from jaxcourse.frames._groups import Group
from jaxcourse.frames._table import Block
from jaxcourse.frames._tiles import ALIGNMENT
from jaxcourse.table import Report, Table, si


@dataclass(frozen=True, repr=False)
class Encoding(Report):
    """What was copied while a table was encoded, and why.

    Args:
        rows: for each block its columns, its dtype before and after, its size, whether it was copied, and why.
    """

    rows: tuple[tuple[str, ...], ...]

    @property
    def table(self) -> Table:
        """The rows as a table."""
        head = ["columns", "dtype", "encoded as", "bytes", "memory", "why"]
        return Table("Encoding", head, [list(row) for row in self.rows])

    def _parts(self) -> list[Table | str]:
        return [self.table]


def copy_row(block: Block, group: Group, leaf: Any) -> tuple[str, ...]:
    """The row of `Encoding` for a block, from the encoded values of its group."""
    array = jax.tree.leaves(leaf)[0]
    reasons = _reasons(block, group, array)
    memory = "copied" if reasons else "shared"
    encoded = "3 x int32" if block.kind == "times" else str(array.dtype)
    size = sum(part.nbytes for part in jax.tree.leaves(leaf)) * len(block.names) // max(len(group.names), 1)
    return (block.label, str(block.dtype), encoded, si(size, "B"), memory, ", ".join(reasons) or "nothing to do")


def _reasons(block: Block, group: Group, array: jax.Array) -> list[str]:
    """Why memory could not be shared; empty if it is."""
    host = block.host
    if host.size == 0 or (host.dtype == array.dtype and _address(array) == host.ctypes.data):
        return []
    reasons = {
        f"dtype: {host.dtype} to {array.dtype}": host.dtype != array.dtype,
        "layout: not row by row": not host.flags.c_contiguous,
        "several blocks side by side": len(group.blocks) > 1,
        "device: not where the table is": _address(array) is None,
    }
    unaligned = f"alignment: address not a multiple of {ALIGNMENT}"
    return [reason for reason, holds in reasons.items() if holds] or [unaligned]


def _address(array: jax.Array) -> int | None:
    """Where a whole array lies in this process's memory, or None."""
    if len(array.devices()) > 1 or next(iter(array.devices())).platform != "cpu":
        return None
    return int(array.unsafe_buffer_pointer())
