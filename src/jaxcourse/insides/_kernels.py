"""The kernels of a compiled program: what each touches and computes, and how often one call launches it.

A kernel is what the device is given at a time: a fused loop, a product, a sort, a call of a library. All is read from
the text of one program, so it holds for the compiler that wrote it. What cannot be counted is marked, never left out.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.insides._belief import belief
from jaxcourse.insides._program import Program
from jaxcourse.insides._spent import RUNS_PARTS, Piece, parts_of, pieces_in
from jaxcourse.insides._text import COLLECTIVES, Instruction, Instructions, instructions, places_in

_WRITTEN_AS = re.compile(r'op_name="([^"]*)"')
_TARGET = re.compile(r'custom_call_target="([^"]+)"')
_FUSIONS = frozenset(("fusion", "fusion-start"))
_NOTHING = frozenset(
    [
        "add-dependency",
        "after-all",
        "bitcast",
        "broadcast",
        "call",
        "conditional",
        "constant",
        "get-tuple-element",
        "infeed",
        "iota",
        "opt-barrier",
        "outfeed",
        "parameter",
        "partition-id",
        "replica-id",
        "reshape",
        "tuple",
        "while",
        "async-start",
        "async-update",
        "domain",
    ]
)
"""Operations that launch nothing by themselves, or that compute nothing inside of a fusion."""
_MOVES = frozenset(
    [
        "bitcast-convert",
        "clamp",
        "concatenate",
        "convert",
        "copy",
        "copy-start",
        "dynamic-slice",
        "dynamic-update-slice",
        "get-dimension-size",
        "imag",
        "map",
        "pad",
        "real",
        "reduce-precision",
        "reverse",
        "select",
        "slice",
        "transpose",
    ]
)
"""Operations that take time and are no arithmetic."""
_SLOW = {name: name for name in ("exponential", "log", "sine", "tanh", "erf", "power")} | {"cosine": "sine"}
_SLOW |= {"exponential-minus-one": "tanh", "logistic": "tanh", "log-plus-one": "log"}
_SLOW |= dict.fromkeys(("divide", "sqrt", "rsqrt", "cbrt", "remainder"), "divide")
_SLOW |= dict.fromkeys(["tan", "atan2", "acos", "asin", "atan", "acosh", "asinh", "atanh", "cosh", "sinh"], "hard")
_TAKES_A_PART = frozenset(
    [
        "concatenate",
        "dot",
        "dynamic-slice",
        "dynamic-update-slice",
        "gather",
        "pad",
        "reduce",
        "scatter",
        "slice",
        "reduce-window",
    ]
)
"""Operations that do not ask for one element of each operand for each of their own."""
_LIBRARY: Mapping[str, Callable[[int, int], float]] = {
    "potrf": lambda m, n: n**3 / 3,
    "getrf": lambda m, n: m * n * n - n**3 / 3,
    "geqrf": lambda m, n: 2 * m * n * n - 2 * n**3 / 3,
    "orgqr": lambda m, n: 2 * m * n * n - 2 * n**3 / 3,
    "ungqr": lambda m, n: 2 * m * n * n - 2 * n**3 / 3,
    "syevd": lambda m, n: 9 * n**3,
    "heevd": lambda m, n: 9 * n**3,
    "gesdd": lambda m, n: 4 * m * n * n + 8 * n**3,
    "geev": lambda m, n: 25 * n**3,
    "trsm": lambda m, n: n * n,
}
"""Operations of LAPACK's routines on an (m, n) matrix, by a part of their names: the leading terms of the textbooks'
algorithms. A triangular solve has as many for each column."""
_LARGE = 1 << 25
"""Bytes of a table beyond which a row that is looked up is rarely in a cache."""


class Tally(defaultdict[str, float]):
    """How much of each sort of work there is."""

    def __init__(self) -> None:
        super().__init__(float)


class Amount(NamedTuple):
    """How much, at least and at most."""

    least: float
    most: float


@dataclass(frozen=True)
class Kernel:
    """What the device is given at a time.

    Attributes:
        name: what the compiler calls it.
        kind: `fusion`, `loop` (an operation by itself), `product`, `convolution`, `sort`, `FFT`, `library call`,
            `collective`, `callback`, or `unread`: a call of which the text does not say what it does.
        written: the last words of what the compiler notes of its origin, such as `dot_general`; perhaps nothing.
        place: file and line that it comes from, if the program notes them.
        read: bytes that one run reads, each once.
        wrote: bytes that one run writes, each once.
        work: how much of each sort of work one run does; at most, if a fused loop computes again what it needs twice.
        operations: arithmetic operations of one run, as the function asks for them.
        runs: how often one call launches it; None where a loop around it has an unknown length.
        may_skip: whether a decision around it says if it runs at all.
        within: whether it is a part of a small loop of which the compiler made one piece.
    """

    name: str
    kind: str
    written: str
    place: tuple[str, int] | None
    read: int
    wrote: int
    work: Mapping[str, Amount] = field(default_factory=dict)
    operations: float = 0
    runs: int | None = 1
    may_skip: bool = False
    within: bool = False

    @property
    def bytes(self) -> int:
        """Bytes that one run touches, each once when it is read and once when it is written."""
        return self.read + self.wrote

    @property
    def is_read(self) -> bool:
        """Whether the text says what it does."""
        return self.kind not in ("unread", "callback")


def kernels(compiled: Any, program: Program | None = None) -> list[Kernel]:
    """The kernels of a program, in the order of its text.

    Args:
        compiled: what `jax.jit(function).lower(...).compile()` gives.
        program: what `read` gives for the same function. Where the text does not say how long a loop is, a scan in it
            that stands on the same line does.

    Raises:
        CannotRead: the program cannot be read.

    Example:
        >>> def steps(x):
        ...     return jax.lax.fori_loop(0, 5, lambda i, x: jnp.sin(x), x)
        >>> found = kernels(jax.jit(steps).lower(jax.ShapeDtypeStruct((1000,), "float32")).compile())
        >>> [(one.bytes, one.runs) for one in found if "sine" in one.work]
        [(8000, 5)]
    """
    for each in (touching, launching):
        each.require()
    return _kernels(compiled, program)


def _kernels(compiled: Any, program: Program | None = None) -> list[Kernel]:
    reading = _Reading(compiled, program)
    return [reading.kernel(one) for one in reading.read.all if reading.launches(one)]


# -- lines ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Line:
    """An instruction with what it makes and what it is given."""

    instruction: Instruction
    name: str
    out: list[Piece]
    given: list[list[Piece]]
    operands: list[str]
    rest: str

    @property
    def operation(self) -> str:
        return self.instruction.operation

    @cached_property
    def elements(self) -> int:
        """Of the largest array that it makes."""
        return max((piece.elements for piece in self.out), default=0)

    @cached_property
    def wrote(self) -> int:
        return sum(piece.bytes for piece in self.out)

    def bytes_of(self, operand: int) -> int:
        return sum(piece.bytes for piece in self.given[operand])

    def elements_of(self, operand: int) -> int:
        return max((piece.elements for piece in self.given[operand]), default=0)

    def lengths(self, operand: int) -> list[int]:
        return [int(n) for n in self.given[operand][0].kind.partition("[")[2].rstrip("]").split(",") if n]

    def listed(self, attribute: str) -> list[int]:
        """Numbers that an attribute lists, such as `dimensions={0,1}`."""
        found = re.search(rf"\b{attribute}=\{{([\d,]*)\}}", self.rest)
        return [int(n) for n in found[1].split(",") if n] if found else []

    @property
    def touched(self) -> int | None:
        """Bytes of its first operand that it touches, if these are a part of it."""
        if self.operation in ("slice", "dynamic-slice", "gather"):
            return self.wrote
        return self.bytes_of(self.puts) if self.puts else None

    @property
    def puts(self) -> int:
        """Which of its operands it puts into the first one, in place; 0 if it does nothing of the kind."""
        if self.operation == "scatter":
            return 2 if len(self.operands) == 3 else 0
        return int(self.operation == "dynamic-update-slice")


def _line(one: Instruction, known: Mapping[str, list[Piece]]) -> _Line:
    name, result, rest = parts_of(one)
    operands = re.findall(r"%([\w.-]+)", rest.partition(")")[0])
    return _Line(one, name, pieces_in(result), [known.get(each, []) for each in operands], operands, rest)


# -- reading ----------------------------------------------------------------------------------------------------


class _Reading:
    """One reading of a program's text."""

    def __init__(self, compiled: Any, program: Program | None) -> None:
        self.read = _with_lengths(instructions(compiled), compiled, program)
        self.place = places_in(compiled.as_text())
        self.parts = defaultdict[str, list[_Line]](list)
        self.lines = dict[int, _Line]()
        known = defaultdict[str, dict[str, list[Piece]]](dict)
        for one in self.read.all:
            line = _line(one, known[one.computation])
            known[one.computation][line.name] = line.out
            self.parts[one.computation].append(line)
            self.lines[id(one)] = line
        called = {name for one in self.read.all for name in one.calls}
        self.run = self.below(set(self.parts) - called, RUNS_PARTS)
        self.decided = self.below(
            {name for one in self.read.all if one.operation == "conditional" for name in one.calls}
        )
        self.small = self.below(
            {name for one in self.read.all if 'small_call="true"' in one.text for name in one.calls}
        )

    def below(self, names: set[str], by: frozenset[str] | None = None) -> set[str]:
        """Some parts of the program, and those that they run by some operations; by any, if none are given."""
        callers = [one for one in self.read.all if by is None or one.operation in by]
        while more := {name for one in callers if one.computation in names for name in one.calls} - names:
            names = names | more
        return names

    def launches(self, one: Instruction) -> bool:
        """Whether an instruction is a kernel."""
        if one.computation not in self.run or one.operation in _NOTHING or one.operation.endswith("-done"):
            return False
        if one.operation not in _FUSIONS:
            return True
        inside = {line.operation for name in one.calls for line in self.parts[name]}
        return not inside <= _NOTHING or "broadcast" in inside or "iota" in inside  # a bitcast alone is no loop

    def kernel(self, one: Instruction) -> Kernel:
        line = self.lines[id(one)]
        read, wrote, work, operations = self.fused(line) if one.operation in _FUSIONS else _alone(line)
        written = _WRITTEN_AS.search(one.text)
        return Kernel(
            line.name,
            self.kind(line),
            written[1].rpartition("/")[2] if written else "",
            self.place(one.text),
            read,
            wrote,
            work,
            operations,
            self.read.runs(one),
            one.computation in self.decided,
            one.computation in self.small,
        )

    def kind(self, line: _Line) -> str:
        if line.operation not in _FUSIONS:
            return _kind(line)
        kinds = {_kind(each) for name in line.instruction.calls for each in self.parts[name]}
        return next((kind for kind in ("product", "convolution", "sort", "FFT") if kind in kinds), "fusion")

    def fused(self, line: _Line) -> tuple[int, int, dict[str, Amount], float]:
        """Bytes read and written, work and operations of a fusion."""
        text, wrote = line.instruction.text, line.wrote
        library = any(word in text for word in ("__ynn", "gemm", "kOutput", "__onednn"))
        reads = [line.bytes_of(i) for i in range(len(line.operands))]
        once, again, operations = Tally(), Tally(), 0.0
        for name in line.instruction.calls:
            part = self.parts[name]
            asked = _asked(part)
            for each in part:
                for inner in (each, *self._deeper(each)):
                    own = work_of(inner, library)
                    least, most = _times_as_much(inner)
                    for kind, n in own.items():
                        once[kind] += least * n
                        again[kind] += most * n * (1 if library else asked[each.name])
                    operations += operations_of(inner)
                wrote -= _in_place(each, part)
            for number, size in _read_partly(part).items():
                reads[number] = min(reads[number], size)
        return sum(reads), max(wrote, 0), {kind: Amount(n, again[kind]) for kind, n in once.items()}, operations

    def _deeper(self, line: _Line) -> list[_Line]:
        names = line.instruction.calls if line.operation in _FUSIONS else ()
        return [inner for name in names for each in self.parts[name] for inner in (each, *self._deeper(each))]


def _alone(line: _Line) -> tuple[int, int, dict[str, Amount], float]:
    """The same of an operation that is no fusion."""
    least, most = _times_as_much(line)
    work = {kind: Amount(least * n, most * n) for kind, n in work_of(line, library=True).items()}
    reads = [line.bytes_of(i) for i in range(len(line.operands))]
    if line.touched is not None:
        reads[0] = 0 if line.operation == "dynamic-update-slice" else line.touched
    wrote = line.bytes_of(line.puts) if line.puts else line.wrote
    return sum(reads), wrote, work, operations_of(line)


def _times_as_much(line: _Line) -> Amount:
    """By what the work that is counted is multiplied, at least and at most: for complex numbers, and for odd FFTs.

    Of complex numbers a product and its sum are eight operations in place of two, of which a library does several at
    once; a sum alone is two. What moves numbers moves twice the bytes, and an FFT is counted for complex ones anyway.
    """
    if line.operation == "fft":
        lengths = [max(n, 2) for n in line.listed("fft_length")]
        steps = sum(map(_steps_of_fft, lengths)) / (2 * math.log2(math.prod(lengths)) or 1)
        return Amount(1, max(steps, 1))
    if line.operation in _MOVES or not any(piece.kind.startswith("c") for piece in line.out):
        return Amount(1, 1)
    return {"dot": Amount(4, 4), "convolution": Amount(4, 4), "custom-call": Amount(2, 4)}.get(
        line.operation, Amount(2, 6)
    )


def _steps_of_fft(n: int) -> float:
    """What each element of a transform of this length costs, if each halving costs two.

    A step by a prime costs as much as the prime; by a large one, the transform is computed as a convolution by three of
    more than twice its length (Bluestein), as the library that XLA uses does.
    """
    rest, by_factors, prime = n, 0.0, 2
    while rest > 1:
        if prime * prime > rest:
            prime = rest
        while rest % prime == 0:
            rest, by_factors = rest // prime, by_factors + prime
        prime += 1
    return min(by_factors, 12 * math.log2(2 * n))


def _kind(line: _Line) -> str:
    operation = line.operation
    if operation.removesuffix("-start") in COLLECTIVES:
        return "collective"
    if operation == "custom-call":
        return _kind_of_call(line)
    named = {"dot": "product", "convolution": "convolution", "sort": "sort", "fft": "FFT", "topk": "sort"}
    return named.get(operation, "loop")


def _kind_of_call(line: _Line) -> str:
    target = _target(line)
    if target == "TopK":
        return "sort"
    if "callback" in target:
        return "callback"
    if any(word in target for word in ("matmul", "gemm")):
        return "product"
    return "library call" if _rule(line) else "unread"


def _target(line: _Line) -> str:
    found = _TARGET.search(line.rest)
    return found[1] if found else ""


def _rule(line: _Line) -> Callable[[int, int], float] | None:
    return next((rule for word, rule in _LIBRARY.items() if word in _target(line)), None) if line.given else None


def _asked(part: Sequence[_Line]) -> dict[str, float]:
    """How often a fused loop computes an element of each line, if it does so for each element that needs it."""
    own = {line.name: max(line.elements, 1) for line in part}
    asked = dict(own)
    for line in reversed(part):
        for operand in line.operands:
            if operand in asked and line.operation not in _TAKES_A_PART:
                asked[operand] = max(asked[operand], asked[line.name])
    return {name: asked[name] / own[name] for name in own}


def _in_place(line: _Line, part: Sequence[_Line]) -> int:
    """Bytes that a fusion does not write, for they are where they were: all but the update of a result."""
    if not line.puts or not any(line.out == [piece] for piece in part[-1].out):
        return 0
    return line.wrote - line.bytes_of(line.puts)


def _read_partly(part: Sequence[_Line]) -> dict[int, int]:
    """How many bytes a fused loop reads of the parameters of which it touches a part only, by their numbers."""
    numbers = {line.name: int(line.rest.partition(")")[0]) for line in part if line.operation == "parameter"}
    found, whole = defaultdict[int, int](int), set[int]()
    for line in part:
        for position, operand in enumerate(line.operands):
            if operand not in numbers:
                continue
            if line.operation in ("bitcast", "reshape"):
                numbers[line.name] = numbers[operand]
            elif position == 0 and line.touched is not None:
                found[numbers[operand]] += 0 if line.operation == "dynamic-update-slice" else line.touched
            else:
                whole.add(numbers[operand])
    return {number: size for number, size in found.items() if number not in whole}


# -- loops of which the text does not say the length ------------------------------------------------------------


def _with_lengths(read: Instructions, compiled: Any, program: Program | None) -> Instructions:
    """The instructions, where a scan of the function says how long a loop is and the text does not."""
    if program is None or all(one.trips is not None for one in read.all if one.operation == "while"):
        return read
    place = places_in(compiled.as_text())
    lengths = defaultdict[tuple[str, int], set[int | None]](set)
    for one in program.everything:
        if one.loop:
            for where in one.came_from:
                lengths[where].add(one.loop.trips)
    return Instructions(tuple(_with_trips(one, lengths.get(place(one.text) or ("", 0), set())) for one in read.all))


def _with_trips(one: Instruction, lengths: set[int | None]) -> Instruction:
    """A loop, with its length if all loops of its line have the same."""
    known = next(iter(lengths)) if len(lengths) == 1 else None
    if one.operation != "while" or one.trips is not None or known is None:
        return one
    return Instruction(one.operation, one.computation, one.calls, known, one.text)


# -- work -------------------------------------------------------------------------------------------------------


def work_of(line: _Line, library: bool) -> Tally:
    """How much of each sort of work an operation is.

    Args:
        line: the operation.
        library: whether a product in it is done by a library, and not by a loop.
    """
    work, operation, out = Tally(), line.operation, line.elements
    if operation in _NOTHING | _FUSIONS or operation.removesuffix("-start") in COLLECTIVES or not line.out:
        return work
    if (special := _SPECIAL.get(operation)) is not None:
        special(line, library, work)
    elif operation == "dynamic-update-slice":
        work["simple"] += line.elements_of(1)
    elif operation in ("copy", "transpose") and _turns(line):
        work["transpose"] += out
    elif operation in ("concatenate", "pad"):
        work["concatenate"] += out
    elif operation in ("divide", "remainder") and line.out[0].kind[0] in "su":
        work["whole divide"] += out
    else:
        work[_SLOW.get(operation, "simple")] += out
    return work


def _turns(line: _Line) -> bool:
    """Whether a copy changes the order of the axes in memory."""
    lengths = [n for n in line.lengths(0) if n > 1]
    if len(lengths) < 2:
        return False
    if line.operation == "transpose":
        return line.listed("dimensions") != sorted(line.listed("dimensions"))
    orders = re.findall(r"\]\{([\d,]+)", f"{line.instruction.text.partition(' copy(')[0]}")
    return bool(orders) and orders[0] != ",".join(map(str, reversed(range(len(line.lengths(0))))))


def _count_product(line: _Line, library: bool, work: Tally) -> None:
    lengths = line.lengths(0)
    across = math.prod(lengths[axis] for axis in line.listed("lhs_contracting_dims"))
    batch = math.prod(lengths[axis] for axis in line.listed("lhs_batch_dims"))
    by_vector = min(line.elements_of(0), line.elements_of(1)) <= across * batch
    by_loop = by_vector or not library
    work["loop product" if by_loop else "product"] += 2 * line.elements * across
    work["product call"] += 0 if by_loop else batch


def _count_convolution(line: _Line, library: bool, work: Tally) -> None:
    labels = re.search(r"dim_labels=\w+_(\w+)->", line.rest)
    outs, ins = (line.lengths(1)[labels[1].index(axis)] if labels else 1 for axis in "oi")
    work["product" if min(outs, ins) >= 8 else "thin convolution"] += _of_convolution(line, outs)


def _of_convolution(line: _Line, outs: int) -> float:
    return 2 * line.elements * line.elements_of(1) / max(outs, 1)


def _count_fft(line: _Line, library: bool, work: Tally) -> None:
    lengths = math.prod(line.listed("fft_length"))
    work["fft"] += 5 * max(line.elements, line.elements_of(0)) * math.log2(max(lengths, 2)) / _halves(line)


def _halves(line: _Line) -> int:
    return 2 if "RFFT" in line.rest else 1


def _count_sort(line: _Line, library: bool, work: Tally) -> None:
    along = line.lengths(0)[line.listed("dimensions")[0]] if line.listed("dimensions") else line.elements_of(0)
    work["sort"] += line.elements_of(0) * math.log2(max(along, 2))


def _count_reduction(line: _Line, library: bool, work: Tally) -> None:
    window = re.search(r"\bsize=([\dx]+)", line.rest)
    if window:
        work["reduce"] += line.elements * math.prod(map(int, window[1].split("x")))
        return
    lengths = line.lengths(0)
    last = lengths[-1] if len(lengths) - 1 in line.listed("dimensions") else 16
    work["reduce pairs" if len(line.out) > 1 else "reduce" if last >= 16 else "short reduce"] += line.elements_of(0)


def _count_gather(line: _Line, library: bool, work: Tally) -> None:
    if line.bytes_of(0) > _LARGE:
        work["far gather"] += line.elements / max(math.prod(line.listed("slice_sizes")), 1)
    else:
        work["gather"] += line.elements
    work["simple"] += line.elements


def _count_scatter(line: _Line, library: bool, work: Tally) -> None:
    axis = re.search(r"index_vector_dim=(\d+)", line.rest)
    depth = (*line.lengths(1), 1)[int(axis[1])] if axis else 1
    work["scatter"] += line.elements_of(1) / max(depth, 1)
    work["simple"] += line.elements_of(len(line.operands) - 1)


def _count_call(line: _Line, library: bool, work: Tally) -> None:
    rule = _rule(line)
    if _target(line) == "TopK":
        work["top"] += line.elements_of(0)
    elif rule and len(lengths := line.lengths(0)) >= 2:
        *batch, m, n = lengths
        size = "lapack" if min(m, n) >= 96 else "small lapack" if min(m, n) >= 32 else "tiny lapack"
        work[size] += math.prod(batch) * rule(m, n) * _columns(line)
        work["library call"] += math.prod(batch)


def _columns(line: _Line) -> int:
    return line.lengths(1)[-1] if "trsm" in _target(line) and len(line.lengths(1)) > 1 else 1


_SPECIAL: Mapping[str, Callable[[_Line, bool, Tally], None]] = {
    "dot": _count_product,
    "convolution": _count_convolution,
    "fft": _count_fft,
    "sort": _count_sort,
    "reduce": _count_reduction,
    "reduce-window": _count_reduction,
    "select-and-scatter": _count_reduction,
    "gather": _count_gather,
    "scatter": _count_scatter,
    "custom-call": _count_call,
}


def operations_of(line: _Line) -> float:
    """Arithmetic operations of an instruction: of a product two for each pair, of a sort one for each comparison."""
    if line.operation in _NOTHING | _FUSIONS | _MOVES | {"gather"} or not line.out:
        return 0
    work = work_of(line, library=True)
    counted = {kind: n for kind, n in work.items() if not kind.endswith("call")}
    if line.operation == "scatter":
        return line.elements_of(len(line.operands) - 1)
    return sum(counted.values())


# -- beliefs ----------------------------------------------------------------------------------------------------


@belief()
def touching() -> bool:
    """A fused loop that slices or updates an array in place says so inside, with the number of each parameter."""
    big, one = jax.ShapeDtypeStruct((4096,), np.float32), jax.ShapeDtypeStruct((), np.int32)

    def function(x: Any, i: Any) -> Any:
        return jax.lax.fori_loop(0, 9, lambda k, x: x.at[k + i].set(jnp.sin(x[k])), x)

    found = _kernels(jax.jit(function).lower(big, one).compile())
    busy = [one for one in found if "sine" in one.work]
    return bool(busy) and all(each.runs == 9 and each.bytes < 100 for each in busy)


@belief()
def launching() -> bool:
    """A fusion, a product, a sort and a call of LAPACK are instructions of the program's entry, each with its name."""

    def function(x: Any) -> Any:
        # Integers: to lower a sort of floats, JAX computes constants at once, for which one context is not enough.
        return jnp.sort((jnp.linalg.cholesky(jnp.sin(x)) @ x).astype(jnp.int32), 0)

    found = _kernels(jax.jit(function).lower(jax.ShapeDtypeStruct((40, 40), np.float32)).compile())
    kinds = {one.kind for one in found}
    on_host = {"library call"} if jax.default_backend() == "cpu" else set()
    return {"fusion", "product", "sort"} | on_host <= kinds and all(one.runs == 1 for one in found)
