"""What one call of a compiled program spends on each device: what it makes, what it computes and what it sends.

Everything is counted through the loops of the program. Where the compiler does not know how many turns a loop takes,
`None` stands in place of a number: such a loop is never taken for one turn.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.insides._belief import belief
from jaxcourse.insides._text import COLLECTIVES, Instruction, Instructions, instructions

_TYPE = re.compile(r"\b([a-z]+\d*[a-z0-9]*)\[([\d,]*)\]")
_NAMED = re.compile(r"^(?:ROOT )?%?([\w.-]+) = (.*?[\])}]) [a-z][a-z0-9-]*\((.*)$")
_OPERAND = re.compile(r"%([\w.-]+)")
_WRITTEN_AS = re.compile(r'op_name="([^"]*)"')
_LISTED = re.compile(r"replica_groups=\{\{([\d,]+)\}")
_COUNTED = re.compile(r"replica_groups=\[\d+,(\d+)\]<=")
_BY_AXES = re.compile(r"replica_groups=mesh\[([^\]]*)\]\s*\{([^}]*)\}")
_AXIS = re.compile(r"'([^']+)'(?::\(\d+\)(\d+))?")
_BITS = re.compile(r"\d+")

_NAMES = (
    "add-dependency after-all bitcast call conditional constant fusion-start get-tuple-element infeed opt-barrier "
    "outfeed parameter partition-id replica-id tuple while"
)
_HOLDS_NOTHING = frozenset(_NAMES.split())
"""Operations that make no array of their own: they name one, hand it on, or run what does."""


@dataclass(frozen=True)
class Piece:
    """An array of a compiled program, as it lies on one device.

    Attributes:
        kind: its type, such as `f32[336,1290]`.
        elements: how many it has.
        bytes: how many it takes.
    """

    kind: str
    elements: int
    bytes: int


@dataclass(frozen=True)
class Made:
    """An array that a program stores while it runs.

    Attributes:
        piece: the array.
        operation: what makes it: `fusion`, `copy`, `all-gather`, ...
        written: the last word of what the compiler notes of its origin, such as `gather`; perhaps nothing.
        runs: how often it is made in one call, if that is known.
    """

    piece: Piece
    operation: str
    written: str
    runs: int | None


@dataclass(frozen=True)
class Work:
    """An operation that computes or moves elements.

    Attributes:
        operation: `multiply`, `gather`, `dot`, ...
        piece: the largest array that comes out of it.
        elements: how many it computes or moves in one run.
        runs: how often it runs in one call, if that is known.
    """

    operation: str
    piece: Piece
    elements: int
    runs: int | None


@dataclass(frozen=True)
class Sent:
    """A collective, seen from one device.

    Attributes:
        operation: one of `COLLECTIVES`.
        piece: the largest array that comes out of it.
        members: how many devices take part.
        bytes: what the device sends in one run, by the usual algorithm on a ring.
        runs: how often it runs in one call, if that is known.
    """

    operation: str
    piece: Piece
    members: int
    bytes: int
    runs: int | None


def pieces_in(text: str) -> list[Piece]:
    """The arrays of a type, as HLO writes it.

    Example:
        >>> pieces_in("(f32[4,2]{1,0}, pred[])")
        [Piece(kind='f32[4,2]', elements=8, bytes=32), Piece(kind='pred[]', elements=1, bytes=1)]
    """
    return [_piece(kind, lengths) for kind, lengths in _TYPE.findall(text)]


def _piece(kind: str, lengths: str) -> Piece:
    elements = math.prod(int(n) for n in lengths.split(",") if n)
    bits = _BITS.search(kind)
    if kind != "pred" and not bits:
        elements = 0  # a token, or a type that holds nothing
    return Piece(f"{kind}[{lengths}]", elements, elements * (max(int(bits[0]) // 8, 1) if bits else 1))


# -- what is stored ---------------------------------------------------------------------------------------------


def made(compiled: Any) -> list[Made]:
    """The arrays that a program stores while it runs, the largest first; what is inside of a fusion is never stored.

    Args:
        compiled: what `jax.jit(function).lower(...).compile()` gives.

    Raises:
        CannotRead: the program cannot be read.

    Example:
        >>> outer = lambda x: jnp.linalg.norm(x[:, None] - x, axis=-1).sum()
        >>> arrays = made(jax.jit(outer).lower(jax.ShapeDtypeStruct((8, 2), "float32")).compile())
        >>> max(array.piece.elements for array in arrays) <= 8 * 8 * 2
        True
    """
    storing.require()
    read = instructions(compiled)
    inside = {name for each in read.all if each.operation not in RUNS_PARTS for name in each.calls}
    stored = (each for each in read.all if each.computation not in inside and each.operation not in _HOLDS_NOTHING)
    found = [_stored_array(each, read) for each in stored]
    return sorted(found, key=lambda one: -one.piece.bytes)


RUNS_PARTS = frozenset(("while", "call", "conditional", "async-start"))
"""Operations whose parts store what they make; those of the others, such as a fusion, are computed in passing."""


def _stored_array(instruction: Instruction, read: Instructions) -> Made:
    written = _WRITTEN_AS.search(instruction.text)
    origin = written[1].rpartition("/")[2] if written else ""
    return Made(_result(instruction), instruction.operation, origin, read.runs(instruction))


def parts_of(instruction: Instruction) -> tuple[str, str, str]:
    """The name of an instruction, the type of its result, and what stands behind its operation."""
    found = _NAMED.match(instruction.text)
    if not found:
        raise storing.broken(f"this line cannot be read: {instruction.text[:200]!r}")
    return found[1], found[2], found[3]


@belief()
def storing() -> bool:
    """An instruction of a compiled program says which array it makes: its dtype, and the length of each axis."""
    shapes = (jax.ShapeDtypeStruct(shape, np.float32) for shape in ((4, 5), (5, 3)))
    read = instructions(jax.jit(lambda x, y: x @ y).lower(*shapes).compile())
    return {_result(each) for each in read.all if each.operation == "dot"} == {Piece("f32[4,3]", 12, 48)}


# -- what is computed -------------------------------------------------------------------------------------------

_TAKES_ITS_RESULT = frozenset(
    ["dynamic-slice", "gather", "slice", "pad", "concatenate", "broadcast", "iota", "copy", "reshape", "transpose"]
)
"""Operations that touch no more than what comes out of them."""
_PUTS_IN_PLACE = {"dynamic-update-slice": 1, "scatter": 2}
"""Operations that touch one of their operands only: which."""


def worked(compiled: Any) -> list[Work]:
    """What a program computes or moves in one call, on one device: inside of fusions and loops too, the most first.

    A product of matrices counts a multiplication and an addition for each pair; a sum, what goes into it. It is a count
    and no time: an element that is fetched by its index counts as one that is added.

    Args:
        compiled: what `jax.jit(function).lower(...).compile()` gives.

    Returns:
        The operations that touch more than one element. Where the turns of a loop are not known, they stand first.

    Raises:
        CannotRead: the program cannot be read.

    Example:
        >>> looped = lambda x: jax.lax.fori_loop(0, 5, lambda i, x: jnp.sin(x), x)
        >>> most = worked(jax.jit(looped).lower(jax.ShapeDtypeStruct((100,), "float32")).compile())[0]
        >>> most.operation, most.elements, most.runs
        ('sine', 100, 5)
    """
    counting.require()
    read = instructions(compiled)
    arrays = _arrays(read)
    found = [Work(each.operation, _result(each), _work(each, arrays), read.runs(each)) for each in _busy(read)]
    return sorted((one for one in found if one.elements > 1), key=lambda one: -one.elements * (one.runs or math.inf))


def _arrays(read: Instructions) -> dict[str, list[Piece]]:
    """What comes out of each instruction, by its name."""
    return {name: pieces_in(results) for name, results, _ in map(parts_of, read.all)}


_FUSED = frozenset(("fusion", "fusion-done"))
"""What is inside of them is counted by itself. On a GPU a fusion may start and be waited for later."""


def _busy(read: Instructions) -> list[Instruction]:
    return [each for each in read.all if each.operation not in _HOLDS_NOTHING | _FUSED]


def _result(instruction: Instruction) -> Piece:
    """The largest array that comes out of an instruction."""
    pieces = pieces_in(parts_of(instruction)[1])
    if not pieces:
        raise storing.broken(f"no array can be read in {instruction.text[:200]!r}")
    return max(pieces, key=lambda piece: piece.bytes)


def _work(instruction: Instruction, arrays: dict[str, list[Piece]]) -> int:
    """How many elements one run of an instruction computes or moves."""
    operation = instruction.operation
    _, results, rest = parts_of(instruction)
    out = _most(pieces_in(results))
    operands = [_most(arrays.get(name, [])) for name in _OPERAND.findall(rest.partition(")")[0])]
    if operation == "dot":
        return 2 * out * _summed_over(rest, arrays)
    if operation in _PUTS_IN_PLACE:
        return operands[_PUTS_IN_PLACE[operation]]
    return out if operation in _TAKES_ITS_RESULT else max([out, *operands])


def _most(pieces: Sequence[Piece]) -> int:
    return max((piece.elements for piece in pieces), default=0)


def _summed_over(rest: str, arrays: dict[str, list[Piece]]) -> int:
    """Over how many pairs a product of matrices sums."""
    left = arrays[_OPERAND.findall(rest)[0]][0]
    lengths = [int(n) for n in left.kind.partition("[")[2].rstrip("]").split(",") if n]
    axes = re.search(r"lhs_contracting_dims=\{([\d,]*)\}", rest)
    return math.prod(lengths[int(axis)] for axis in axes[1].split(",") if axis) if axes else 1


@belief()
def counting() -> bool:
    """A compiled program names the operands of each instruction, and the axes over which a product sums."""

    def function(x: Any, y: Any) -> Any:
        return jax.lax.fori_loop(0, 5, lambda i, x: x @ y, x)

    square = jax.ShapeDtypeStruct((16, 16), np.float32)
    read = instructions(jax.jit(function).lower(square, square).compile())
    products = [read.times(each) * _work(each, _arrays(read)) for each in read.all if each.operation == "dot"]
    return products == [5 * 2 * 16**3]


# -- what is sent -----------------------------------------------------------------------------------------------

ON_A_RING: dict[str, Callable[[int], float]] = {
    "all-reduce": lambda n: 2 * (n - 1) / n,
    "all-gather": lambda n: (n - 1) / n,
    "reduce-scatter": lambda n: n - 1,
    "all-to-all": lambda n: (n - 1) / n,
    "collective-permute": lambda n: 1,
}
"""Bytes that each of n devices sends for a byte of the result, where they pass on pieces in a ring. The factors are
those of https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md, written for what comes out."""


def sent(compiled: Any) -> list[Sent]:
    """The collectives of a program, in the order of its text.

    Args:
        compiled: what `jax.jit(function).lower(...).compile()` gives.

    Raises:
        CannotRead: the program cannot be read, or communicates in a way that the course does not know.

    Example:
        >>> sent(jax.jit(lambda x: x + 1).lower(1.0).compile())
        []
    """
    grouped.require()
    read = instructions(compiled)
    if aside := [each.text for each in read.all if each.operation in _IN_TWO_STEPS]:
        raise grouped.broken(f"nor what is sent by {aside[0][:200]!r}")
    return [_transfer(each, read) for each in read.all if each.operation in COLLECTIVES]


_IN_TWO_STEPS = frozenset(
    (*(f"{name}-start" for name in COLLECTIVES), "collective-broadcast", "ragged-all-to-all", "send")
)
"""What devices may communicate by besides: programs for simulated devices have none of these."""


def _transfer(instruction: Instruction, read: Instructions) -> Sent:
    pieces = pieces_in(parts_of(instruction)[1])
    members = _members(instruction)
    share = ON_A_RING[instruction.operation](members)
    bytes_ = round(share * sum(piece.bytes for piece in pieces))
    return Sent(instruction.operation, _result(instruction), members, bytes_, read.runs(instruction))


def _members(instruction: Instruction) -> int:
    """How many devices take part in a collective: JAX writes its groups in three ways."""
    text = instruction.text
    if instruction.operation == "collective-permute":
        return text.partition("source_target_pairs=")[2].partition("}}")[0].count("{") - 1
    if found := _LISTED.search(text):
        return found[1].count(",") + 1
    if found := _COUNTED.search(text):
        return int(found[1])
    if found := _BY_AXES.search(text):
        sizes = dict(re.findall(r"'([^']+)'=(\d+)", found[1]))
        return math.prod(int(part or sizes[axis]) for axis, part in _AXIS.findall(found[2]))
    raise grouped.broken(f"nor can it be read in {text[:200]!r}")


@belief()
def grouped() -> bool:
    """A collective says which devices take part in it: as lists, as the number and size of groups, or by axes."""
    count = min(4, jax.device_count() // 2 * 2)
    if count < 2:
        return True
    mesh = jax.make_mesh((count // 2, 2), ("x", "y"), (jax.sharding.AxisType.Auto,) * 2, devices=jax.devices()[:count])
    both, rows, whole = (jax.sharding.PartitionSpec(axes) for axes in (("x", "y"), "x", None))

    def each(x: Any) -> Any:
        return jax.lax.all_gather(x, "y", tiled=True) + jax.lax.psum(x.sum(), ("x", "y"))

    def gathered(x: Any) -> Any:
        return jax.lax.with_sharding_constraint(jnp.sin(x), jax.sharding.NamedSharding(mesh, whole))

    x = jax.ShapeDtypeStruct((8 * count,), np.float32)
    mapped = jax.jit(jax.shard_map(each, mesh=mesh, in_specs=both, out_specs=both)).lower(x).compile()
    laid = jax.jit(gathered, in_shardings=jax.sharding.NamedSharding(mesh, rows)).lower(x).compile()
    shares = {("all-gather", 2, 32), ("all-reduce", count, 8 * (count - 1) // count)}
    return _shares(mapped) == shares and _shares(laid) == _of_rows(count // 2, 32 * count)


def _shares(compiled: Any) -> set[tuple[str, int, int]]:
    read = instructions(compiled)
    found = (_transfer(each, read) for each in read.all if each.operation in COLLECTIVES)
    return {(one.operation, one.members, one.bytes) for one in found}


def _of_rows(rows: int, nbytes: int) -> set[tuple[str, int, int]]:
    return {("all-gather", rows, nbytes * (rows - 1) // rows)} if rows > 1 else set()
