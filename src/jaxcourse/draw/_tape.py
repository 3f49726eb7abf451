"""What reverse-mode differentiation writes down and reads back: values forwards, cotangents backwards."""

import inspect
import itertools
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from jaxcourse.draw._words import counted
from jaxcourse.insides import Equation, Program, Value, read
from jaxcourse.svg import BLUE, ORANGE, WIDTH, Picture, Sheet

MAX_ENTRIES = 14
"""How many arguments and operations fit the page."""
_LEFT, _TOP, _ROW = 96.0, 24.0, 28.0
_COLUMNS = (_LEFT + 10, _LEFT + 50, _LEFT + 196, _LEFT + 270)


@dataclass(frozen=True)
class Entry:
    """A line of the tape: an argument, or an operation with the derivatives by its operands.

    Attributes:
        name: of the value.
        operation: what made it, in words; empty for an argument.
        value: the number.
        slopes: for each operand on the tape, its position there and the derivative by it.
    """

    name: str
    operation: str
    value: float
    slopes: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class Tape:
    """A function of numbers, written down operation by operation at some arguments: see `record`."""

    entries: tuple[Entry, ...]

    @property
    def operations(self) -> list[int]:
        """The positions of the operations."""
        return [position for position, entry in enumerate(self.entries) if entry.operation]

    @property
    def steps(self) -> list[str]:
        """A label for each step: the arguments, the operations forwards, the seed, the operations backwards."""
        names = [self.entries[position].name for position in self.operations]
        return ["start", *(f"→ {name}" for name in names), "seed", *(f"← {name}" for name in reversed(names))]

    def at(self, step: int) -> tuple[int, int]:
        """How many entries are known after a step, and how many operations have been gone through backwards."""
        forwards = min(step, len(self.operations))
        return len(self.entries) - len(self.operations) + forwards, step - len(self.operations) - 1

    def cotangents(self, backwards: int) -> dict[int, float]:
        """The cotangent of each entry that has one, after so many operations backwards; -1 is before the seed."""
        if backwards < 0:
            return {}
        found = {len(self.entries) - 1: 1.0}
        for position in self.operations[::-1][:backwards]:
            for operand, slope in self.entries[position].slopes:
                found[operand] = found.get(operand, 0.0) + found.get(position, 0.0) * slope
        return found


def record(function: Callable[..., Any], *args: float) -> Tape:
    """Write down what a function of numbers does at some arguments.

    Raises:
        ValueError: the function's arguments, results or steps are not all single numbers, it has an inner function or
            a loop, or it is too long.

    Example:
        >>> [entry.operation for entry in record(lambda x, y: x * y + x, 2.0, 3.0).entries]
        ['', '', 'mul x y', 'add a x']
    """
    program = read(function, *map(float, args))
    _require_drawable(program)
    known = list(inspect.signature(function).parameters)[: len(args)]
    names = itertools.chain(known, (letter for letter in string.ascii_lowercase if letter not in known))
    place: dict[Value, int] = {}
    entries: list[Entry] = []
    for value, number in zip(program.inputs, args, strict=True):
        place[value] = len(entries)
        entries.append(Entry(next(names), "", float(number)))
    for equation in program.equations:
        entries.append(_entry(next(names), equation, place, entries))
        place[equation.outputs[0]] = len(entries) - 1
    return Tape(tuple(entries))


def _require_drawable(program: Program) -> None:
    values = [*program.inputs, *program.outputs, *(v for equation in program.equations for v in equation.outputs)]
    if any(v.shape or not jnp.issubdtype(v.dtype, jnp.floating) for v in values):
        raise ValueError("only functions of single numbers have a tape to draw: no arrays, and floats throughout")
    inner = [equation for equation in program.equations if equation.inside]
    if inner:
        raise ValueError(f"`{inner[0].primitive}` has a program inside: write its operations out")
    last = program.equations[-1].outputs[0] if program.equations else None
    if len(program.outputs) != 1 or program.outputs[0] is not last:
        raise ValueError("the function should return one number, the result of its last operation")
    count = len(program.inputs) + len(program.equations)
    if count > MAX_ENTRIES:
        raise ValueError(f"too long to draw: {count} entries, the limit is {MAX_ENTRIES}")


def _entry(name: str, equation: Equation, place: dict[Value, int], entries: Sequence[Entry]) -> Entry:
    numbers = [float(v.number) if v.written else entries[place[v]].value for v in equation.inputs]
    words = [
        f"{number:.4g}" if v.written else entries[place[v]].name
        for v, number in zip(equation.inputs, numbers, strict=True)
    ]

    def apply(*operands: Any) -> Any:
        (result,) = equation.apply(*operands)
        return result

    operands = [jnp.asarray(number, v.dtype) for number, v in zip(numbers, equation.inputs, strict=True)]
    value, pull = jax.vjp(apply, *operands)
    slopes = [float(slope) for slope in pull(jnp.ones_like(value))]
    placed = [(v, slope) for v, slope in zip(equation.inputs, slopes, strict=True) if not v.written]
    operation = " ".join([_verb(equation), *words])
    return Entry(name, operation, float(value), tuple((place[v], slope) for v, slope in placed))


def _verb(equation: Equation) -> str:
    """A primitive's name, with its exponent where it has one."""
    return equation.primitive if equation.exponent is None else f"power[{equation.exponent}]"


# -- the picture ------------------------------------------------------------------------------------------------


def tape(function: Callable[..., Any], *args: float, step: int | None = None) -> Picture:
    """Draw the tape of a function of numbers: its values in the forward pass, its cotangents in the backward pass.

    Each row is an argument or an operation. Arrows lead from the operands to the operation of the step forwards, and
    from the operation to its operands backwards.

    Args:
        function: takes numbers and returns one; written with operators and simple functions such as `jnp.sin`.
        *args: where it is evaluated.
        step: how far the picture goes: 0 shows the arguments, the last step the whole tape. By default, the last.

    Returns:
        The picture.

    Raises:
        ValueError: there is no such step, or the function cannot be drawn (see `record`).

    Example:
        >>> print(tape(lambda x, y: x * y + x, 2.0, 3.0).alt.split(". ")[-1])
        Cotangents: x 4, y 2, a 1, b 1.
    """
    recorded = record(function, *args)
    last = len(recorded.steps) - 1
    step = last if step is None else step
    if not 0 <= step <= last:
        raise ValueError(f"there is no step {step}: this tape has the steps 0 to {last}")
    return _draw_step(recorded, step)


def tape_steps(function: Callable[..., Any], *args: float) -> dict[str, Picture]:
    """Draw the tape of a function at every step, each under its label.

    Args:
        function: as for `tape`.
        *args: where it is evaluated.

    Raises:
        ValueError: the function cannot be drawn.

    Example:
        >>> list(tape_steps(lambda x, y: x * y, 2.0, 3.0))
        ['start', '→ a', 'seed', '← a']
    """
    recorded = record(function, *args)
    return {label: _draw_step(recorded, step) for step, label in enumerate(recorded.steps)}


def _draw_step(recorded: Tape, step: int) -> Picture:
    """Draw a tape that is recorded already, at one step."""
    known, backwards = recorded.at(step)
    cotangents = recorded.cotangents(backwards)
    current = _current(recorded, step)
    sheet = Sheet()
    for x, words in zip(_COLUMNS, ("name", "operation", "value", "cotangent"), strict=True):
        sheet.faint(x, _TOP - 8, words, "start")
    for position, entry in enumerate(recorded.entries):
        value = entry.value if position < known else None
        _draw_row(sheet, position, entry, value, cotangents.get(position), position == current)
    _draw_arcs(sheet, recorded, current, backwards)
    caption = _caption(recorded, step)
    bottom = _TOP + _ROW * len(recorded.entries)
    return sheet.picture(bottom, _alt(recorded, caption, known, cotangents), caption)


def _current(recorded: Tape, step: int) -> int:
    """The row that a step is about; -1 for the first step."""
    known, backwards = recorded.at(step)
    if backwards > 0:
        return recorded.operations[-backwards]
    return known - 1 if step else -1


def _draw_row(
    sheet: Sheet, position: int, entry: Entry, value: float | None, cotangent: float | None, current: bool
) -> None:
    y = _TOP + _ROW * position
    title = f"{entry.name} = {entry.operation or 'argument'}"
    with sheet.group(title, data_entry=entry.name, data_current=str(current).lower()):
        sheet.rect(_LEFT, y, WIDTH - _LEFT, _ROW - 4, stroke_width=2.5 if current else 1)
        words = (entry.name, entry.operation or "argument", _number(value), _number(cotangent))
        for x, text in zip(_COLUMNS, words, strict=True):
            sheet.text(x, y + 16, text[:19], 12.0, "start")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def _draw_arcs(sheet: Sheet, recorded: Tape, current: int, backwards: int) -> None:
    """An arc for each operand of each operation; those of the current operation stand out, and have a direction."""
    for position in recorded.operations:
        for operand, _ in recorded.entries[position].slopes:
            if position != current or backwards == 0:
                _draw_arc(sheet, operand, position, stroke_opacity=0.25)
            elif backwards > 0:
                _draw_arc(sheet, position, operand, head=True, stroke=ORANGE, stroke_dasharray="5 3", stroke_width=1.5)
            else:
                _draw_arc(sheet, operand, position, head=True, stroke=BLUE, stroke_width=1.5)


def _draw_arc(sheet: Sheet, start: int, end: int, head: bool = False, **style: Any) -> None:
    """An arc on the left of the rows, from one to another."""
    (y0, y1), x = (_TOP + _ROW * row + _ROW / 2 - 2 for row in (start, end)), _LEFT - 3
    bow = x - min(88.0, 14.0 + 12.0 * abs(end - start)) * 1.1
    sheet.path(f"M{x:.1f} {y0:.1f}C{bow:.1f} {y0:.1f} {bow:.1f} {y1:.1f} {x:.1f} {y1:.1f}", **style)
    if head:
        points = f"{x:.1f},{y1:.1f} {x - 6:.1f},{y1 - 4:.1f} {x - 6:.1f},{y1 + 4:.1f}"
        sheet.add("polygon", points=points, fill=style["stroke"])


def _caption(recorded: Tape, step: int) -> str:
    known, backwards = recorded.at(step)
    entry = recorded.entries[_current(recorded, step)]
    if step == 0:
        arguments = counted(known, "argument")
        return f"{arguments}. The tape is still empty: nothing has been computed."
    if backwards < 0:
        return f"Forwards: {entry.name} = {entry.operation} = {_number(entry.value)}. The value stays on the tape."
    if backwards == 0:
        return f"The backward pass starts at the result: the derivative of {entry.name} by itself is 1."
    return " ".join([f"Backwards through {entry.name} = {entry.operation}.", *_shares(recorded, backwards)])


def _shares(recorded: Tape, backwards: int) -> Iterator[str]:
    """What each operand receives in a step backwards."""
    position = recorded.operations[-backwards]
    incoming = recorded.cotangents(backwards - 1).get(position, 0.0)
    for operand, slope in recorded.entries[position].slopes:
        share = f"{_number(incoming)} × {_number(slope)} = {_number(incoming * slope)}"
        yield f"{recorded.entries[operand].name} receives {share}."


def _alt(recorded: Tape, caption: str, known: int, cotangents: dict[int, float]) -> str:
    values = ", ".join(f"{entry.name} {_number(entry.value)}" for entry in recorded.entries[:known])
    words = [
        f"Tape with {counted(len(recorded.operations), 'operation')}. {caption.removesuffix('.')}. Values: {values}.",
        "Cotangents: " + ", ".join(f"{recorded.entries[i].name} {_number(c)}" for i, c in sorted(cotangents.items())),
    ]
    return words[0] + (f" {words[1]}." if cotangents else "")
