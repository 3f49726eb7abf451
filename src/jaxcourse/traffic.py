"""What an array expression moves through memory: one operation after the other, and fused.

The operations are those that JAX sees when it traces the function: each is a loop of its own wherever nobody fuses
them, as in NumPy. The counting is a model:

- An operation reads each of its arrays once and writes its result once.
- Single numbers cost nothing, and neither does a new rule for old bytes (reshape, broadcast, transpose).
- A fused loop reads arguments and writes results; what lies between them is computed on the way and never stored.
- What needs the result of a reduction has to wait for it, and is another loop.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from jaxcourse.insides import Equation, Program, Value, read
from jaxcourse.svg import ADVANCE, Picture, Sheet
from jaxcourse.table import number, si

_ELEMENTWISE = (
    "abs acos acosh add add_any and asin asinh atan atan2 atanh cbrt ceil clamp complex conj convert_element_type copy "
    "cos cosh digamma div eq erf erf_inv erfc exp exp2 expm1 floor ge gt imag integer_pow is_finite le lgamma log "
    "log1p logistic lt max min mul ne neg nextafter not or pow real rem round rsqrt select_n shift_left "
    "shift_right_arithmetic shift_right_logical sign sin sinh sqrt square stop_gradient sub tan tanh xor"
)
_REDUCTIONS = "argmax argmin reduce_and reduce_max reduce_min reduce_or reduce_prod reduce_sum"

ELEMENTWISE = frozenset(_ELEMENTWISE.split())
REDUCTIONS = frozenset(_REDUCTIONS.split())
# Inside a function, `device_put` marks an array that is where it should be already.
VIEWS = frozenset({"broadcast_in_dim", "device_put", "expand_dims", "reshape", "squeeze", "transpose"})
CALLS = frozenset({"closed_call", "custom_jvp_call", "custom_vjp_call", "jit", "pjit"})

_MAX_LOOPS = 24
_FLOW_AT, _BARS_AT, _BARS_WIDTH = 92.0, 226.0, 214.0
_ROW, _BAR, _ADVANCE = 22.0, 12.0, 12 * ADVANCE
_SHORT = {"convert_element_type": "convert", "integer_pow": "power", "select_n": "select"}

Arrays = tuple[tuple[str, int], ...]
"""Names and bytes of arrays."""


@dataclass(frozen=True)
class Loop:
    """One loop over arrays.

    Attributes:
        operation: what is done to each element.
        reads: the arrays that it reads, each once.
        writes: the arrays that it writes.
    """

    operation: str
    reads: Arrays
    writes: Arrays

    @property
    def nbytes(self) -> int:
        """Bytes that the loop moves."""
        return sum(nbytes for _, nbytes in (*self.reads, *self.writes))


@dataclass(frozen=True)
class Traffic:
    """What a function moves through memory.

    Attributes:
        one_by_one: its operations in order, each a loop of its own.
        fused: the loops that are left when all operations are fused that can be.
        temporaries: how many arrays are written one by one that are not results: `t1`, `t2`, ...
    """

    one_by_one: tuple[Loop, ...]
    fused: tuple[Loop, ...]
    temporaries: int

    @property
    def bytes_one_by_one(self) -> int:
        """Bytes that all operations move in total, each in a loop of its own."""
        return sum(loop.nbytes for loop in self.one_by_one)

    @property
    def bytes_fused(self) -> int:
        """Bytes that the fused loops move in total."""
        return sum(loop.nbytes for loop in self.fused)


def count(function: Callable[..., Any], *args: Any) -> Traffic:
    """Count the bytes that an array expression moves, one operation after the other and fused.

    Args:
        function: element-wise operations and reductions, written with operators and `jax.numpy`.
        *args: JAX arrays, NumPy arrays of a dtype that JAX has, or numbers. Only shapes and dtypes count.

    Returns:
        Its loops one by one, and fused.

    Raises:
        TypeError: `function` cannot be called.
        ValueError: the function cannot be traced, does something that is not a single pass over arrays (a product of
            matrices, a sort), or makes no pass at all; or an argument would change its dtype in JAX.

    Example:
        >>> x = np.ones(1000, np.float32)
        >>> traffic = count(lambda x, y: 2 * x + y, x, x)
        >>> [(loop.operation, loop.nbytes) for loop in traffic.one_by_one], traffic.bytes_fused
        ([('mul', 8000), ('add', 12000)], 12000)
    """
    program = _trace(function, args)
    walk = _Walk()
    for value, name in zip(program.inputs, _names(function, args), strict=True):
        walk.arrays[value] = _Array(_nbytes(value), name)
    walk.run(program)
    if not walk.computed:
        raise ValueError(f"{_name_of(function)} makes no pass over an array: there is nothing to count")
    return _traffic(list(walk.arrays.values()), walk.computed, walk.arrays_behind(program.outputs))


def draw(function: Callable[..., Any], *args: Any) -> Picture:
    """Draw what an array expression moves through memory, before fusion and after it.

    Each row is a loop over arrays: what it reads and what it writes, and its bytes as a bar with one box for each
    array, empty where the array is read and filled where it is written. Below, the same for the fused loops, and both
    totals.

    Args:
        function: as for `count`, with at most 24 operations.
        *args: as for `count`.

    Returns:
        The picture. Its alt text lists the loops and the totals.

    Raises:
        ValueError: as for `count`, or there are too many operations to draw.

    Example:
        >>> x = np.ones(1_000_000, np.float32)
        >>> print(draw(lambda x, y: 2 * x + y, x, x).alt.split(". ")[1])
        Fused: loop 1 reads x and y and writes result
    """
    traffic = count(function, *args)
    if len(traffic.one_by_one) > _MAX_LOOPS:
        raise ValueError(f"{len(traffic.one_by_one)} operations are too many to draw: at most {_MAX_LOOPS}")
    sheet = Sheet()
    scale = _BARS_WIDTH / max(loop.nbytes for loop in (*traffic.one_by_one, *traffic.fused))
    sheet.faint(_BARS_AT, 10, "empty: read, filled: written", "start")
    y = _draw_loops(sheet, 10, "one by one", traffic.one_by_one, scale)
    y = _draw_loops(sheet, y + 24, "fused", traffic.fused, scale)
    y = _draw_totals(sheet, y + 14, traffic)
    return sheet.picture(y, _alt(traffic), _total_words(traffic))


# --- counting -------------------------------------------------------------------------------------


def _trace(function: Callable[..., Any], args: Sequence[Any]) -> Program:
    """The program of a function, whose inputs have the dtypes of the arguments."""
    if not callable(function):
        raise TypeError(f"expected a function and its arguments, got {type(function).__name__}: pass f, x, not f(x)")
    try:
        program = read(function, *args)
    except jax.errors.JAXTypeError as error:
        first = str(error).splitlines()[0]
        raise ValueError(
            f"JAX cannot trace {_name_of(function)}: {first.rstrip('.')}. "
            "Write it with operators and jax.numpy, without NumPy's functions and without decisions on values."
        ) from error
    for leaf, value in zip(jax.tree.leaves(args), program.inputs, strict=True):
        if isinstance(leaf, np.ndarray) and leaf.dtype.name != value.dtype:
            raise ValueError(
                f"JAX would turn this {leaf.dtype} array into {value.dtype}, and the bytes would not be yours: "
                f"pass x.astype(np.{value.dtype})"
            )
    return program


def _name_of(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", "the function"))


def _names(function: Callable[..., Any], args: Sequence[Any]) -> list[str]:
    """One name for each array in the arguments: the parameter's, with a number where it holds several."""
    names = []
    for name, argument in inspect.signature(function).bind(*args).arguments.items():
        arrays = len(jax.tree.leaves(argument))
        names += [name] if arrays == 1 else [f"{name}{i}" for i in range(arrays)]
    return names


def _nbytes(value: Value) -> int:
    """The bytes of a value, 0 for a single number."""
    return value.nbytes if value.size > 1 else 0


@dataclass(eq=False)
class _Array:
    """An array that is an argument, or that an operation writes.

    Attributes:
        nbytes: its bytes, 0 for a single number.
        name: what to call it; what is computed gets its name at the end.
        operation: what wrote it; empty for an argument.
        reads: the arrays that the operation read.
        stage: in which of the fused loops it is computed: each reduction on the way to it ends one.
        sources: the arguments and reductions from which a fused loop computes it.
    """

    nbytes: int
    name: str = ""
    operation: str = ""
    reads: Sequence[_Array] = ()
    stage: int = field(init=False)
    sources: list[_Array] = field(init=False)

    def __post_init__(self) -> None:
        self.stage = max((array.stage + (array.operation in REDUCTIONS) for array in self.reads), default=0)
        self.sources = _distinct(
            source for array in self.reads for source in (array.sources if array.operation in ELEMENTWISE else [array])
        )


@dataclass
class _Walk:
    """A walk through the equations of a program, and of those inside it.

    Attributes:
        arrays: what each value stands for: a view stands for the array that owns the bytes, a number for none.
        computed: what the operations wrote, in order.
    """

    arrays: dict[Value, _Array] = field(default_factory=dict)
    computed: list[_Array] = field(default_factory=list)

    def arrays_behind(self, values: Sequence[Value]) -> list[_Array]:
        """The arrays behind some values, each once; a number in the code has none."""
        return _distinct(self.arrays[value] for value in values if value in self.arrays)

    def run(self, program: Program) -> None:
        self.arrays |= {value: _Array(_nbytes(value), "constant") for value in program.constants}
        for equation in program.equations:
            name = equation.primitive
            if name in CALLS and equation.called:
                self.call(equation, equation.called)
            elif name in VIEWS:
                self.alias(equation.outputs, equation.inputs)
            elif name in ELEMENTWISE | REDUCTIONS:
                self.compute(name, equation)
            else:
                raise ValueError(
                    f"{name} is not a single pass over arrays: count element-wise operations and reductions only"
                )

    def call(self, equation: Equation, called: Program) -> None:
        """Walk through the function that an equation calls, as if it were written out here."""
        self.alias(called.inputs, equation.inputs)
        self.run(called)
        self.alias(equation.outputs, called.outputs)

    def alias(self, values: Sequence[Value], others: Sequence[Value]) -> None:
        """Let values stand for what others stand for, one by one."""
        for value, found in zip(values, [self.arrays_behind([other]) for other in others], strict=False):
            self.arrays.pop(value, None)  # the same inner function may be called twice
            if found:
                self.arrays[value] = found[0]

    def compute(self, operation: str, equation: Equation) -> None:
        """Do an operation: a loop over arrays, or arithmetic with single numbers, which costs nothing."""
        reads, (value,) = self.arrays_behind(equation.inputs), equation.outputs
        if any(array.nbytes for array in reads):
            self.arrays[value] = _Array(_nbytes(value), operation=operation, reads=reads)
            self.computed.append(self.arrays[value])
        elif reads:
            self.arrays[value] = max(reads, key=lambda array: array.stage)


def _distinct(arrays: Iterable[_Array]) -> list[_Array]:
    return list(dict.fromkeys(arrays))


def _traffic(order: Sequence[_Array], computed: Sequence[_Array], outputs: Sequence[_Array]) -> Traffic:
    """What was counted, with names for what was computed."""
    results = [array for array in computed if array in outputs]
    temporaries = [array for array in computed if array not in outputs]
    for i, array in enumerate(results, 1):
        array.name = f"result{i}" if len(results) > 1 else "result"
    for i, array in enumerate(temporaries, 1):
        array.name = f"t{i}"
    one_by_one = tuple(Loop(array.operation, _arrays(array.reads), _arrays([array])) for array in computed)
    stored = [array for array in computed if array in outputs or array.operation in REDUCTIONS]
    return Traffic(one_by_one, tuple(_loops(order, stored)), len(temporaries))


def _loops(order: Sequence[_Array], stored: Sequence[_Array]) -> Iterator[Loop]:
    """One loop for all that can be computed at the same stage; what it reads, in the order given."""
    for loop, stage in enumerate(sorted({array.stage for array in stored}), 1):
        writes = [array for array in stored if array.stage == stage]
        reads = _distinct(source for array in writes for source in array.sources)
        yield Loop(f"loop {loop}", _arrays(sorted(reads, key=order.index)), _arrays(writes))


def _arrays(arrays: Sequence[_Array]) -> Arrays:
    return tuple((array.name, array.nbytes) for array in arrays)


# --- drawing --------------------------------------------------------------------------------------


def _draw_loops(sheet: Sheet, y: float, title: str, loops: Sequence[Loop], scale: float) -> float:
    """Draw a row for each loop, below a title at y, and return the bottom."""
    sheet.faint(0, y, title, "start")
    for row, loop in enumerate(loops):
        label = _SHORT.get(loop.operation, loop.operation)
        flow = f"{','.join(name for name, _ in loop.reads)} → {','.join(name for name, _ in loop.writes)}"
        top = y + 8 + _ROW * row
        with sheet.group(f"{loop.operation} {_words(loop)}: {si(loop.nbytes, 'B')}"):
            sheet.text(0, top + 10, _fitting(label, _FLOW_AT), anchor="start")
            sheet.text(_FLOW_AT, top + 10, _fitting(flow, _BARS_AT - _FLOW_AT), anchor="start")
            _draw_bar(sheet, top, loop, scale)
    return y + 8 + _ROW * (len(loops) - 1) + _BAR


def _draw_bar(sheet: Sheet, y: float, loop: Loop, scale: float) -> None:
    x = _BARS_AT
    for arrays, look in ((loop.reads, {}), (loop.writes, {"fill": "currentColor", "fill_opacity": 0.55})):
        for nbytes in (nbytes for _, nbytes in arrays if nbytes):
            sheet.rect(x, y, nbytes * scale, _BAR, **look)
            x += nbytes * scale


def _draw_totals(sheet: Sheet, y: float, traffic: Traffic) -> float:
    scale = _BARS_WIDTH / max(traffic.bytes_one_by_one, traffic.bytes_fused)
    for label, nbytes in (("one by one", traffic.bytes_one_by_one), ("fused", traffic.bytes_fused)):
        sheet.text(0, y + 10, "total", anchor="start")
        sheet.text(_FLOW_AT, y + 10, label, anchor="start")
        sheet.text(_BARS_AT - 8, y + 10, si(nbytes, "B"), anchor="end")
        sheet.rect(_BARS_AT, y, nbytes * scale, _BAR)
        sheet.hatch(_BARS_AT, y, nbytes * scale, _BAR)
        y += _ROW
    return y


def _fitting(words: str, width: float) -> str:
    room = int(width / _ADVANCE) - 1
    return words if len(words) <= room else f"{words[: room - 1]}…"


def _names_in_words(arrays: Arrays) -> str:
    *others, last = [name for name, _ in arrays]
    return f"{', '.join(others)} and {last}" if others else last


def _words(loop: Loop) -> str:
    return f"reads {_names_in_words(loop.reads)} and writes {_names_in_words(loop.writes)}"


def _total_words(traffic: Traffic) -> str:
    before, after = traffic.bytes_one_by_one, traffic.bytes_fused
    less = "as much" if before == after else f"less by a factor of {number(before / after)}"
    return (
        f"{_many(traffic.one_by_one)} {si(before, 'B')}, with {traffic.temporaries or 'no'} "
        f"{'temporary' if traffic.temporaries == 1 else 'temporaries'}. "
        f"Fused, {_many(traffic.fused)} {si(after, 'B')}: {less}."
    )


def _many(loops: Sequence[Loop]) -> str:
    return "1 loop moves" if len(loops) == 1 else f"{len(loops)} loops move"


def _alt(traffic: Traffic) -> str:
    before, after = (
        "; ".join(f"{loop.operation} {_words(loop)}" for loop in loops) for loops in (traffic.one_by_one, traffic.fused)
    )
    return f"Memory traffic one by one: {before}. Fused: {after}. {_total_words(traffic)}"
