"""What an array expression moves through memory: one operation after the other, and fused into one loop.

The operations are those that JAX sees when it traces the function: each is a loop of its own wherever nobody fuses
them, as in NumPy. The counting is a model. An operation reads each of its arrays once and writes its result once; a
number in the code costs nothing, and neither does a new rule for old bytes (reshape, broadcast). A fused loop reads the
arguments and writes the results, and whatever lies between them stays in registers.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from jaxcourse._picture import Picture
from jaxcourse.bench._report import number, si
from jaxcourse.draw import _Sheet

ELEMENTWISE = frozenset(
    "abs acos acosh add add_any and asin asinh atan atan2 atanh cbrt ceil clamp complex conj convert_element_type copy "
    "cos cosh digamma div eq erf erf_inv erfc exp exp2 expm1 floor ge gt imag integer_pow is_finite le lgamma log "
    "log1p logistic lt max min mul ne neg nextafter not or pow real rem round rsqrt select_n shift_left "
    "shift_right_arithmetic shift_right_logical sign sin sinh sqrt square stop_gradient sub tan tanh xor".split()
)
REDUCTIONS = frozenset("argmax argmin reduce_and reduce_max reduce_min reduce_or reduce_prod reduce_sum".split())
VIEWS = frozenset("broadcast_in_dim expand_dims reshape squeeze transpose".split())
CALLS = frozenset("closed_call custom_jvp_call custom_vjp_call jit pjit".split())

_MAX_PASSES = 24
_ROW, _BAR = 22.0, 12.0
_FLOW_AT, _BARS_AT, _BARS_WIDTH = 92.0, 226.0, 214.0
_SHORT = {"convert_element_type": "convert", "integer_pow": "power", "select_n": "select"}


@dataclass(frozen=True)
class Pass:
    """One loop over arrays.

    Attributes:
        operation: what is done to each element.
        reads: names and bytes of the arrays that it reads, each once.
        writes: names and bytes of the arrays that it writes.
    """

    operation: str
    reads: tuple[tuple[str, int], ...]
    writes: tuple[tuple[str, int], ...]

    @property
    def nbytes(self) -> int:
        """Bytes that the loop moves."""
        return sum(nbytes for _, nbytes in (*self.reads, *self.writes))


@dataclass(frozen=True)
class Traffic:
    """What a function moves through memory.

    Attributes:
        passes: its operations in order, each a loop of its own.
        fused: the same work in one loop.
        temporaries: how many arrays are written that are no results: `t1`, `t2`, ...
    """

    passes: tuple[Pass, ...]
    fused: Pass
    temporaries: int

    @property
    def one_by_one(self) -> int:
        """Bytes that all passes move together."""
        return sum(one.nbytes for one in self.passes)


def count(function: Callable[..., Any], *args: Any) -> Traffic:
    """Count the bytes that an array expression moves, one operation after the other and fused.

    Args:
        function: Element-wise operations and reductions, written with operators and `jax.numpy`.
        *args: JAX arrays, NumPy arrays of a dtype that JAX has, or numbers, of any shapes. Only shapes and dtypes count.

    Returns:
        Its passes one by one, and the one pass that is left when they are fused.

    Raises:
        ValueError: The function cannot be traced, does something that is no single pass over arrays (a product of
            matrices, a sort), or does nothing; or an argument would change its dtype in JAX.

    Example:
        >>> x = np.ones(1000, np.float32)
        >>> traffic = count(lambda x, y: 2 * x + y, x, x)
        >>> [(one.operation, one.nbytes) for one in traffic.passes], traffic.fused.nbytes
        ([('mul', 8000), ('add', 12000)], 12000)
    """
    jaxpr = _trace(function, args)
    walk = _Walk(
        dict.fromkeys(jaxpr.constvars, "constant") | dict(zip(jaxpr.invars, _names(function, args), strict=True))
    )
    walk.run(jaxpr)
    if not walk.passes:
        raise ValueError(f"{_called(function)} does nothing to any element: there is no pass over memory to count")
    return walk.traffic(jaxpr)


def draw(function: Callable[..., Any], *args: Any) -> Picture:
    """Draw what an array expression moves through memory, before fusion and after it.

    Each row is a loop over arrays: what it reads and what it writes, and its bytes as a bar with one box for each
    array, empty where the array is read and filled where it is written. Below, the same for one fused loop, and both
    totals.

    Args:
        function: As for `count`, with at most 24 operations.
        *args: As for `count`.

    Returns:
        The picture. Its alt text lists the loops and the totals.

    Raises:
        ValueError: As for `count`, or there are too many operations to draw.

    Example:
        >>> x = np.ones(1_000_000, np.float32)
        >>> print(draw(lambda x, y: 2 * x + y, x, x).alt.split(". ")[1])
        Fused, one loop reads x and y and writes result: 12 MB
    """
    traffic = count(function, *args)
    if len(traffic.passes) > _MAX_PASSES:
        raise ValueError(f"{len(traffic.passes)} operations are too many to draw: at most {_MAX_PASSES}")
    sheet = _Sheet()
    loops = [*traffic.passes, traffic.fused]
    scale = _BARS_WIDTH / max(one.nbytes for one in loops)
    sheet.faint(0, 10, "one by one", "start")
    sheet.faint(_BARS_AT, 10, "bytes read (empty), written (filled)", "start")
    for row, one in enumerate(traffic.passes):
        _draw_loop(sheet, 18 + _ROW * row, f"{row + 1} {_SHORT.get(one.operation, one.operation)}", one, scale)
    y = 18 + _ROW * len(traffic.passes) + 8
    sheet.faint(0, y + 8, "fused", "start")
    _draw_loop(sheet, y + 14, "all of it", traffic.fused, scale)
    bottom = _draw_totals(sheet, y + 14 + _ROW + 12, traffic)
    return sheet.picture(sheet.paragraph(0, bottom + 20, _total_words(traffic)), _alt(traffic))


# --- tracing --------------------------------------------------------------------------------------


def _trace(function: Callable[..., Any], args: Sequence[Any]) -> Any:
    """The jaxpr of a function, whose inputs have the dtypes of the arguments."""
    try:
        jaxpr = jax.make_jaxpr(function)(*args).jaxpr
    except jax.errors.JAXTypeError as error:
        first = str(error).splitlines()[0]
        raise ValueError(
            f"JAX cannot trace {_called(function)}: {first} Write it with operators and jax.numpy, without NumPy."
        ) from error
    for leaf, var in zip(jax.tree.leaves(args), jaxpr.invars, strict=True):
        if isinstance(leaf, np.ndarray) and leaf.dtype != var.aval.dtype:
            raise ValueError(
                f"JAX would make this {leaf.dtype} array {var.aval.dtype}, and count other bytes than yours: "
                f"pass x.astype(np.{var.aval.dtype})"
            )
    return jaxpr


def _called(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", "the function"))


def _names(function: Callable[..., Any], args: Sequence[Any]) -> list[str]:
    """One name for each array in the arguments: the parameter's, with a number where it holds several."""
    bound = inspect.signature(function).bind(*args).args
    names = []
    for parameter, leaves in zip(_parameters(function), map(jax.tree.leaves, bound), strict=False):
        names += [parameter] if len(leaves) == 1 else [f"{parameter}{i}" for i in range(len(leaves))]
    return names


def _parameters(function: Callable[..., Any]) -> Iterator[str]:
    """The names of a function's positional arguments, as many as anyone asks for."""
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            yield from (f"{name}{i}" for i in range(len(name) + 10**6))
        yield name


@dataclass
class _Walk:
    """A walk through the equations of a jaxpr, and of those inside of it.

    Attributes:
        inputs: the names of its arguments and constants.
        arrays: which array a variable stands for, as a number; views stand for the array that owns the bytes.
        nbytes: of each array.
        passes: operation, arrays read, arrays written.
    """

    inputs: dict[Any, str]
    arrays: dict[Any, int] = field(default_factory=dict)
    nbytes: list[int] = field(default_factory=list)
    passes: list[tuple[str, list[int], list[int]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for var in self.inputs:
            self.new(var)

    def new(self, var: Any) -> int:
        self.arrays[var] = len(self.nbytes)
        self.nbytes.append(math.prod(var.aval.shape) * var.aval.dtype.itemsize)
        return self.arrays[var]

    def read(self, atoms: Sequence[Any]) -> list[int]:
        """The arrays behind some operands, each once. Numbers in the code are none."""
        found = [self.arrays[atom] for atom in atoms if not hasattr(atom, "val") and atom in self.arrays]
        return list(dict.fromkeys(found))

    def run(self, jaxpr: Any) -> None:
        for equation in jaxpr.eqns:
            name = str(equation.primitive)
            if name in CALLS:
                self.call(equation)
            elif name in VIEWS:
                self.alias(equation.outvars, equation.invars)
            elif name in ELEMENTWISE | REDUCTIONS:
                self.passes.append((name, self.read(equation.invars), [self.new(var) for var in equation.outvars]))
            else:
                raise ValueError(
                    f"{name} is more than one pass over its arrays: count element-wise operations and reductions"
                )

    def call(self, equation: Any) -> None:
        """Walk through the function that an equation calls, as if it were written out here."""
        inner = equation.params.get("jaxpr", equation.params.get("call_jaxpr"))
        inner = getattr(inner, "jaxpr", inner)  # a closed jaxpr has an open one inside
        for var in inner.constvars:
            self.new(var)
        self.alias(inner.invars, equation.invars)
        self.run(inner)
        self.alias(equation.outvars, inner.outvars)

    def alias(self, names: Sequence[Any], atoms: Sequence[Any]) -> None:
        """Let variables stand for the arrays of others, one by one. What stands for a number, stands for none."""
        for var, atom in zip(names, atoms, strict=False):
            self.arrays.pop(var, None)  # the same inner function may be called twice
            if found := self.read([atom]):
                self.arrays[var] = found[0]

    def traffic(self, jaxpr: Any) -> Traffic:
        """What was counted, with names for what was written."""
        results = [array for array in self.read(jaxpr.outvars) if array >= len(self.inputs)]
        written = [array for _, _, writes in self.passes for array in writes]
        temporaries = [array for array in written if array not in results]
        names = dict(enumerate(self.inputs.values()))
        names |= {array: f"t{i}" for i, array in enumerate(temporaries, 1)}
        names |= {array: f"result{i}" if len(results) > 1 else "result" for i, array in enumerate(results, 1)}

        def sized(arrays: Sequence[int]) -> tuple[tuple[str, int], ...]:
            return tuple((names.get(array, "constant"), self.nbytes[array]) for array in arrays)

        passes = tuple(Pass(name, sized(reads), sized(writes)) for name, reads, writes in self.passes)
        used = [array for array in {a: 0 for _, reads, _ in self.passes for a in reads} if array not in written]
        return Traffic(passes, Pass("fused", sized(sorted(used)), sized(results)), len(temporaries))


# --- drawing --------------------------------------------------------------------------------------


def _draw_loop(sheet: _Sheet, y: float, label: str, one: Pass, scale: float) -> None:
    flow = f"{_joined(one.reads, ',')} → {_joined(one.writes, ',')}"
    with sheet.group(f"{label}: {_words(one)}, {si(one.nbytes, 'B')}"):
        sheet.text(0, y + 10, _fitting(label, _FLOW_AT), 12.0, "start")
        sheet.text(_FLOW_AT, y + 10, _fitting(flow, _BARS_AT - _FLOW_AT), 12.0, "start")
        x = _BARS_AT
        for streams, look in ((one.reads, {}), (one.writes, {"fill": "currentColor", "fill_opacity": 0.55})):
            for _, nbytes in streams:
                sheet.rect(x, y, nbytes * scale, _BAR, **look)
                x += nbytes * scale


def _draw_totals(sheet: _Sheet, y: float, traffic: Traffic) -> float:
    scale = _BARS_WIDTH / max(traffic.one_by_one, traffic.fused.nbytes)
    for label, nbytes in (("one by one", traffic.one_by_one), ("fused", traffic.fused.nbytes)):
        sheet.text(0, y + 10, "total", 12.0, "start")
        sheet.text(_FLOW_AT, y + 10, label, 12.0, "start")
        sheet.text(_BARS_AT - 8, y + 10, si(nbytes, "B"), 12.0, "end")
        sheet.rect(_BARS_AT, y, nbytes * scale, _BAR)
        sheet.hatch(_BARS_AT, y, nbytes * scale, _BAR)
        y += _ROW
    return y


def _fitting(words: str, width: float, advance: float = 12 * 0.61) -> str:
    room = int(width / advance) - 1
    return words if len(words) <= room else f"{words[: room - 1]}…"


def _joined(streams: Sequence[tuple[str, int]], comma: str = ", ") -> str:
    return comma.join(name for name, _ in streams) or "nothing"


def _listed(streams: Sequence[tuple[str, int]]) -> str:
    *others, last = [name for name, _ in streams] or ["nothing"]
    return f"{', '.join(others)} and {last}" if others else last


def _words(one: Pass) -> str:
    return f"reads {_listed(one.reads)} and writes {_listed(one.writes)}"


def _total_words(traffic: Traffic) -> str:
    loops = "1 loop moves" if len(traffic.passes) == 1 else f"{len(traffic.passes)} loops move"
    ratio = traffic.one_by_one / traffic.fused.nbytes if traffic.fused.nbytes else math.inf
    less = "the same" if ratio == 1 else f"{number(ratio)} times less"
    return (
        f"{loops} {si(traffic.one_by_one, 'B')}, with {traffic.temporaries} temporaries. "
        f"One fused loop moves {si(traffic.fused.nbytes, 'B')}: {less}."
    )


def _alt(traffic: Traffic) -> str:
    loops = "; ".join(f"{one.operation} {_words(one)}" for one in traffic.passes)
    fused = f"Fused, one loop {_words(traffic.fused)}: {si(traffic.fused.nbytes, 'B')}"
    return f"Memory traffic one by one: {loops}. {fused}. {_total_words(traffic)}"
