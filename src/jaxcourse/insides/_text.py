"""What a compiled program says of itself: counts, costs, and where each line of its texts comes from.

Nobody outside of this room reads StableHLO or HLO.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.insides._belief import belief
from jaxcourse.insides._callbacks import note_compiled
from jaxcourse.insides._program import Program, of_traced

_OPERATIONS = (
    "abs acos acosh add add-dependency after-all all-gather all-gather-done all-gather-start all-reduce "
    "all-reduce-done all-reduce-start all-to-all and asin asinh async-done async-start async-update atan2 atanh "
    "batch-norm-grad batch-norm-inference batch-norm-training bitcast bitcast-convert broadcast call cbrt ceil "
    "cholesky clamp collective-broadcast collective-permute collective-permute-done collective-permute-start compare "
    "complex concatenate conditional constant convert convolution copy copy-done copy-start cosh cosine "
    "count-leading-zeros custom-call divide domain dot dynamic-reshape dynamic-slice dynamic-update-slice erf "
    "exponential exponential-minus-one fft floor fusion fusion-done fusion-start gather get-dimension-size "
    "get-tuple-element imag infeed iota is-finite log log-plus-one logistic map maximum minimum multiply negate not "
    "opt-barrier or outfeed pad parameter partition-id popcnt power ragged-all-to-all ragged-dot real recv recv-done "
    "reduce reduce-precision reduce-scatter reduce-window remainder replica-id reshape reverse rng rng-bit-generator "
    "rng-get-and-update-state round-nearest-afz round-nearest-even rsqrt scaled-dot scan scatter select "
    "select-and-scatter send send-done set-dimension-size shift-left shift-right-arithmetic shift-right-logical sign "
    "sine sinh slice sort sqrt stochastic-convert subtract tan tanh topk transpose triangular-solve tuple while xor"
)
OPERATIONS = frozenset(_OPERATIONS.split())
"""The operations of HLO. A program with another one is not read: it may be one of these under a new name."""

COLLECTIVES = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute")
"""The operations of a compiled program in which devices communicate."""

_INSTRUCTION = re.compile(r"^\s+(?:ROOT )?%?[\w.-]+ = ")
_OPERATION = re.compile(r"^\s+(?:ROOT )?%?[\w.-]+ = .*?[\])}] ([a-z][a-z0-9-]*)\(")
_COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.-]+) \(.*\{$")
_CALLS = re.compile(r"(?:body|condition|to_apply|calls|(?:true|false)_computation)=%?([\w.-]+)")
_BRANCHES = re.compile(r"(?:branch|called)_computations=\{([^}]*)\}")
_TRIPS = re.compile(r'"known_trip_count":\{"n":"(\d+)"\}')


# -- HLO --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Instruction:
    """An instruction of an optimised program.

    Attributes:
        operation: `fusion`, `dot`, `while`, `all-reduce`, ...
        computation: the name of the part of the program that it stands in.
        calls: the parts that it runs.
        trips: for a `while` how often it runs them, if the compiler knows.
        text: its line of the program.
    """

    operation: str
    computation: str
    calls: tuple[str, ...] = ()
    trips: int | None = None
    text: str = ""


@dataclass(frozen=True)
class Instructions:
    """The instructions of an optimised program, in the order of its text; those of each part once."""

    all: tuple[Instruction, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How often each operation stands in the program, inside of fusions and loops too.

        Raises:
            CannotRead: one of them has a name that the course does not know.
        """
        if self._unknown:
            raise optimised.broken(self._unknown)
        return dict(sorted(Counter(each.operation for each in self.all).items()))

    @property
    def fusions(self) -> int:
        """How many fusions the program has, with those that start and are waited for later, as some do on a GPU."""
        return sum(self.counts.get(name, 0) for name in ("fusion", "fusion-start"))

    @property
    def collectives(self) -> dict[str, int]:
        """How often each collective stands in the program."""
        if self._unknown:
            raise communicating.broken(self._unknown)
        counts = self.counts
        return {name: counts[name] for name in COLLECTIVES if name in counts}

    @property
    def _unknown(self) -> str:
        """What may be a known operation under a new name, in words."""
        names = sorted({each.operation for each in self.all} - OPERATIONS)
        return f"what is {', '.join(names)}? If it is new, add it to `OPERATIONS`" if names else ""

    @cached_property
    def _callers(self) -> dict[str, list[Instruction]]:
        found: dict[str, list[Instruction]] = {}
        for each in self.all:
            for name in each.calls:
                found.setdefault(name, []).append(each)
        return found

    def times(self, instruction: Instruction, unknown: int = 1) -> int:
        """How often an instruction runs, where a loop of unknown length counts as one of so many steps.

        Example:
            >>> loop = lambda x: jax.lax.fori_loop(0, 5, lambda i, x: jnp.sin(x @ x), x)
            >>> read = instructions(jax.jit(loop).lower(jax.ShapeDtypeStruct((8, 8), "float32")).compile())
            >>> [read.times(each) for each in read.all if each.operation in ("sine", "while")]
            [5, 1]
        """
        callers = self._callers.get(instruction.computation)
        if not callers:
            return 1
        return sum(self.times(each, unknown) * _trips(each, unknown) for each in callers)

    def runs(self, instruction: Instruction) -> int | None:
        """How often an instruction runs, or None where a loop around it has a length that the compiler does not know.

        Example:
            >>> doubled = lambda x: jax.lax.while_loop(lambda x: x[0] < 99, lambda x: 2 * x, x)
            >>> read = instructions(jax.jit(doubled).lower(jax.ShapeDtypeStruct((8,), "float32")).compile())
            >>> [read.runs(each) for each in read.all if each.operation in ("multiply", "while")]
            [None, 1]
        """
        once, twice = self.times(instruction, unknown=1), self.times(instruction, unknown=2)
        return once if once == twice else None


def _trips(instruction: Instruction, unknown: int) -> int:
    if instruction.operation != "while":
        return 1
    return unknown if instruction.trips is None else instruction.trips


def instructions(compiled: Any) -> Instructions:
    """What stands in an optimised program.

    Args:
        compiled: what `jax.jit(function).lower(...).compile()` gives.

    Raises:
        CannotRead: there is no text, or a line in it cannot be read.

    Example:
        >>> compiled = jax.jit(lambda x, y: 2 * (x @ y)).lower(np.ones((4, 5)), np.ones((5, 6))).compile()
        >>> instructions(compiled).counts["dot"]
        1
    """
    text = compiled.as_text() or ""
    note_compiled(text)
    found = Instructions(tuple(_instructions(text)))
    if not found.all:
        raise optimised.broken(f"no instruction can be read in {text[:200]!r}")
    return found


def _instructions(text: str) -> Iterator[Instruction]:
    computation = ""
    for line in text.splitlines():
        if header := _COMPUTATION.match(line):
            computation = header[1]
        elif _INSTRUCTION.match(line):
            operation = _OPERATION.match(line)
            if not operation:
                raise optimised.broken(f"this line cannot be read: {line.strip()[:200]!r}")
            branches = [name.strip(" %") for names in _BRANCHES.findall(line) for name in names.split(",")]
            trips = _TRIPS.search(line)
            calls = (*_CALLS.findall(line), *branches)
            yield Instruction(operation[1], computation, calls, int(trips[1]) if trips else None, line.strip())


def donated(lowered: Any) -> tuple[bool, ...]:
    """For each array that a program is given, whether its memory is given away: static arguments are none.

    Args:
        lowered: what `jax.jit(function).lower(...)` gives.

    Example:
        >>> add = jax.jit(lambda x, n, y: x + n + y, donate_argnums=2, static_argnums=1)
        >>> donated(add.lower(1.0, 2, 3.0))
        (False, True)
    """
    donating.require()
    return _donated(lowered)


def _donated(lowered: Any) -> tuple[bool, ...]:
    return tuple(bool(one.donated) for one in jax.tree.leaves(lowered.args_info))


def donates(compiled: Any) -> bool:
    """Whether a program writes a result into the memory of an argument that is given away.

    Args:
        compiled: what `jax.jit(function).lower(...).compile()` gives.

    Example:
        >>> add = jax.jit(lambda x: x + 1, donate_argnums=0)
        >>> donates(add.lower(jax.ShapeDtypeStruct((8,), "float32")).compile())
        True
    """
    donating.require()
    return _donates(compiled)


def _donates(compiled: Any) -> bool:
    return bool(re.search(r"^HloModule .*(?:input_output_alias|buffer_donor)=\{", compiled.as_text()))


@belief()
def donating() -> bool:
    """The first line of a compiled program says which results lie in the memory of an argument.

    What is lowered says of each argument whether it is given away.
    """
    x = jax.ShapeDtypeStruct((8,), np.float32)
    given, kept = (jax.jit(lambda x: x + 1, donate_argnums=which).lower(x) for which in (0, ()))
    said = _donates(given.compile()) and not _donates(kept.compile())
    return said and (_donated(given), _donated(kept)) == ((True,), (False,))


# -- costs ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Costs:
    """What the compiler estimates of one call of a program, on one device.

    Attributes:
        flops: arithmetic operations.
        bytes: bytes that it reads and writes.
        arguments: bytes of the arguments.
        results: bytes of the results.
        temporaries: bytes that it needs besides.
    """

    flops: float
    bytes: float
    arguments: int
    results: int
    temporaries: int


def costs(compiled: Any) -> Costs:
    """What the compiler estimates of a program.

    Args:
        compiled: what `jax.jit(function).lower(...).compile()` gives.

    Raises:
        CannotRead: it does not say.

    Example:
        >>> found = costs(jax.jit(lambda x: 2 * x).lower(np.ones(5, np.float32)).compile())
        >>> found.flops, found.results
        (5.0, 20)
    """
    cost: Mapping[str, float] = compiled.cost_analysis() or {}
    if not {"flops", "bytes accessed"} <= set(cost):  # of what costs nothing nothing is said
        costing.require()
    memory = compiled.memory_analysis()
    sizes = [_size(memory, part) for part in ("argument", "output", "temp")]
    return Costs(float(cost.get("flops", 0.0)), float(cost.get("bytes accessed", 0.0)), *sizes)


def _size(memory: Any, part: str) -> int:
    try:
        return int(getattr(memory, f"{part}_size_in_bytes"))
    except AttributeError as error:
        raise costing.broken(f"nor how many bytes of {part} it needs") from error


@belief()
def costing() -> bool:
    """The compiler says how many arithmetic operations a program takes, and how many bytes it reads and writes."""
    cost: Any = jax.jit(lambda x: x * 2).lower(np.ones(5, np.float32)).compile().cost_analysis()
    return (cost["flops"], cost["bytes accessed"]) == (5.0, 40.0)


# -- StableHLO --------------------------------------------------------------------------------------------------


def stablehlo_statements(lowered: Any) -> int:
    """How many operations stand in the StableHLO of a function, what it returns not counted.

    Args:
        lowered: what `jax.jit(function).lower(...)` gives.

    Example:
        >>> stablehlo_statements(jax.jit(lambda x: x * x + x).lower(1.0))
        2
    """
    stable.require()
    return len(re.findall(r"^ *(?:%\S+ = )?\"?stablehlo\.(?!return)", lowered.as_text(), re.MULTILINE))


def stablehlo_operations(text: str) -> dict[str, int]:
    """How often each operation is named in the text of a StableHLO module.

    Example:
        >>> stablehlo_operations(jax.jit(lambda x: jnp.sin(x)).lower(1.0).as_text())
        {'sine': 1}
    """
    stable.require()
    return dict(Counter(re.findall(r"stablehlo\.(\w+)", text)))


@belief()
def stable() -> bool:
    """The text of a lowered function is StableHLO, an operation in a line: `%1 = stablehlo.add %0, %arg0 : ...`."""
    text = jax.jit(lambda x: jnp.sin(x) * x).lower(1.0).as_text()
    return re.findall(r"^ *%\S+ = stablehlo\.(\w+)", text, re.MULTILINE) == ["sine", "multiply"]


# -- where lines come from --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ListedLine:
    """A line of a listing, without the note of where it comes from, and that place: file and line, if it is known."""

    text: str
    place: tuple[str, int] | None = None


def jaxpr_lines(program: Program) -> Iterator[ListedLine]:
    """The lines of a program's text, each equation in one of its own."""
    located.require()
    # So narrow that each equation gets a line of its own, even if there are two short ones only.
    for line in program.listing(width=60).splitlines():
        text, _, note = line.partition(" # ")
        place = re.match(r"(.+?):(\d+)(?::\d+)?(?: \(|$)", note)
        if text.strip():
            yield ListedLine(text.rstrip(), (place[1], int(place[2])) if place else None)


def stablehlo_lines(lowered: Any) -> list[ListedLine]:
    """The lines of a function's StableHLO."""
    located.require()
    text = lowered.as_text(debug_info=True)
    definitions = dict(re.findall(r"^(#loc\d*) = (.*)$", text, re.MULTILINE))
    lines: list[ListedLine] = []
    for line in text.splitlines():
        if line.startswith("#loc"):
            continue
        reference = re.search(r" loc\((#loc\d*)\)$", line)
        bare = re.sub(r" loc\((?:#loc\d*|unknown|\"[^\"]*\")\)", "", line)
        lines.append(ListedLine(bare, _innermost(reference[1], definitions) if reference else None))
        if bare.lstrip().startswith("}"):
            _mark_opening(lines)
    return lines


def _mark_opening(lines: list[ListedLine]) -> None:
    """Give the place of a line that closes a region, where StableHLO notes it, to the line that opens it."""
    closing = lines[-1]
    indent = re.match(r" *", closing.text)
    for i in range(len(lines) - 2, -1, -1):
        if re.match(rf"{indent[0] if indent else ''}\S+ = ", lines[i].text):
            lines[i] = ListedLine(lines[i].text, lines[i].place or closing.place)
            return


def _innermost(reference: str, definitions: dict[str, str]) -> tuple[str, int] | None:
    """The file and line of a location: the first reference leads inwards, to a name, a call or a place."""
    while reference:
        definition = definitions.get(reference, "")
        if place := re.match(r'loc\("([^"]+)":(\d+):', definition):
            return place[1], int(place[2])
        inner = re.search(r"#loc\d+", definition)
        reference = inner[0] if inner else ""
    return None


def places_in(text: str) -> Callable[[str], tuple[str, int] | None]:
    """A function that says of a line of an optimised program which file and line it comes from, if it is noted.

    Example:
        >>> compiled = jax.jit(lambda x: jnp.sin(x)).lower(1.0).compile()
        >>> place = places_in(compiled.as_text())
        >>> place("%x = f32[] parameter(0)") is None
        True
    """
    frames = _stack_frames(text)

    def place(line: str) -> tuple[str, int] | None:
        frame = re.search(r"stack_frame_id=(\d+)", line)
        found = re.search(r'source_file="([^"]+)" source_line=(\d+)', line)
        return frames.get(frame[1]) if frame else (found[1], int(found[2])) if found else None

    return place


def hlo_lines(compiled: Any) -> Iterator[ListedLine]:
    """The lines of an optimised program."""
    located.require()
    text = compiled.as_text()
    place = places_in(text)
    start = re.search(r"^(?:%|ENTRY)", text, re.MULTILINE)
    for line in text[start.start() if start else 0 :].strip().splitlines():
        bare = re.sub(r", (?:metadata|backend_config|frontend_attributes)=\{.*\}$", "", line)
        yield ListedLine(bare, place(line))


def _stack_frames(text: str) -> dict[str, tuple[str, int]]:
    """File and line of each stack frame, from the tables that newer versions print above the program."""
    files = dict(re.findall(r'^(\d+) "([^"]*)"$', text.partition("FunctionNames")[0], re.MULTILINE))
    places = {
        number: (files.get(file, ""), int(line))
        for number, file, line in re.findall(r"^(\d+) \{file_name_id=(\d+) .*?\bline=(\d+)", text, re.MULTILINE)
    }
    frames = re.findall(r"^(\d+) \{file_location_id=(\d+)", text, re.MULTILINE)
    return {number: places[place] for number, place in frames if place in places}


@belief()
def located() -> bool:
    """A line of a jaxpr, of StableHLO and of HLO notes the file and the line that it comes from."""

    def sine(x: Any) -> Any:
        return jnp.sin(x)

    traced = jax.jit(sine).trace(1.0)
    listings = [jaxpr_lines(of_traced(traced)), stablehlo_lines(traced.lower()), hlo_lines(traced.lower().compile())]
    names = (" sin ", "stablehlo.sine", " sine(")
    here = __file__, sine.__code__.co_firstlineno + 1
    return all(
        any(name in line.text and line.place == here for line in lines)
        for name, lines in zip(names, listings, strict=True)
    )


@belief()
def optimised() -> bool:
    """A compiled program says, a line for each, what its instructions are, what runs each part, and how often."""

    def function(x: Any) -> Any:
        return jax.lax.fori_loop(0, 5, lambda i, x: jnp.sin(x @ x), x)

    found = instructions(jax.jit(function).lower(jax.ShapeDtypeStruct((8, 8), np.float32)).compile())
    return [found.times(each) for each in found.all if each.operation in ("sine", "while")] == [5, 1]


@belief()
def communicating() -> bool:
    """The five collectives of JAX have these names in a compiled program, within a loop as well."""
    count = min(2, jax.device_count())
    mesh = jax.make_mesh((count,), ("x",), (jax.sharding.AxisType.Auto,), devices=jax.devices()[:count])
    rows = jax.sharding.PartitionSpec("x")

    lax, around = jax.lax, [(j, (j + 1) % count) for j in range(count)]

    def each(x: Any) -> Any:
        x = lax.fori_loop(0, 3, lambda i, x: lax.ppermute(jnp.sin(x), "x", around), x)
        gathered = lax.all_gather(jnp.cos(x), "x", tiled=True)
        scattered = lax.psum_scatter(jnp.tan(gathered), "x", tiled=True)
        swapped = lax.all_to_all(jnp.exp(scattered).reshape(count, -1), "x", 0, 0).reshape(-1)
        return swapped + lax.psum(swapped.sum(), "x")

    mapped = jax.jit(jax.shard_map(each, mesh=mesh, in_specs=rows, out_specs=rows))
    found = instructions(mapped.lower(jax.ShapeDtypeStruct((8 * count,), np.float32)).compile())
    looped = [found.times(each) for each in found.all if each.operation == "collective-permute"]
    return count < 2 or (set(found.collectives) == set(COLLECTIVES) and looped == [3])
