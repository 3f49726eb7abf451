"""A small expression forwards and backwards: its tape, with values, tangents and cotangents, as JAX has them."""

from __future__ import annotations

import ast
import math
import operator
import string
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.insides import doubles
from jaxcourse.play._play import Field, Play, start
from jaxcourse.play._words import counted

BACKWARDS, ALONG_X, ALONG_Y = WAYS = ("backwards", "forwards, along x", "forwards, along y")
FIELDS = (
    Field("f", "f(x, y)", "+ - * / ** and sin cos exp log sqrt tanh", wide=True),
    Field("x", "x", "A number"),
    Field("y", "y", "A number"),
    Field("way", "derivatives", options=WAYS, wide=True),
    Field("step", "step", "Empty: all. ↑ and ↓ go on", counts=True),
)
STATE = {"f": "x * sin(x) + y**2 / x", "x": "1", "y": "2", "way": BACKWARDS, "step": ""}
EXAMPLES = {
    "from its beginning": {**STATE, "step": "0"},
    "forwards": {**STATE, "way": ALONG_X},
    "a value used three times": {"f": "(x*y) * (x*y) + sin(x*y)", "x": "2", "y": "3", "way": BACKWARDS, "step": ""},
    "at the edge": {"f": "sqrt(x) * y", "x": "0", "y": "0", "way": BACKWARDS, "step": ""},
}
MOST_LINES = 16

_DIGITS = Context(prec=4, rounding=ROUND_HALF_UP)  # as browsers round
_FUNCTIONS = {name: getattr(jnp, name) for name in ("sin", "cos", "exp", "log", "sqrt", "tanh")}
_OPERATORS: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.Pow: ("**", operator.pow),
}


def autodiff(
    f: str | None = None, *, x: str | None = None, y: str | None = None, way: str | None = None, step: str | None = None
) -> Play:
    """Let the reader write a small function, and follow its derivatives forwards or backwards, step by step.

    Numbers have 64 bits, so that what is shown is not blurred by rounding.

    Args:
        f: an expression in x and y, at the start: numbers, `+ - * / **`, `sin cos exp log sqrt tanh`, parentheses.
        x: the first argument, at the start.
        y: the second argument, at the start.
        way: `"backwards"`, `"forwards, along x"` or `"forwards, along y"`.
        step: how many steps are shown at the start; all of them if it is empty.

    Returns:
        The picture, to be shown by a notebook.

    Raises:
        ValueError: if that is no such expression.

    Example:
        >>> print(autodiff("x * y", x="2", y="3").says)
        f(2, 3) = 6. Backwards, the cotangent 1 of f arrives as df/dx = 3 and df/dy = 2: one backward pass for both.
        2 steps.
    """
    state = start("autodiff", STATE, {"f": f, "x": x, "y": y, "way": way, "step": step})
    question = "Write a function of x and y, and follow its derivatives."
    says = autodiff_says(**state)
    return Play("autodiff", question, FIELDS, state, says, EXAMPLES, scripts=("shapes",))


@dataclass(frozen=True)
class Line:
    """A line of the tape. `made` is empty for an argument; the operands are positions on the tape."""

    name: str
    made: str
    operands: tuple[int, ...]


@dataclass(frozen=True)
class Constant:
    """A number that is not on the tape; `whole` if it is written as a whole number."""

    value: Any
    whole: int | None = None


class Run:
    """One evaluation of an expression, which writes the tape.

    Args:
        x: the first argument.
        y: the second argument.
        nudges: is added to each line, so that derivatives with respect to a line can be taken.
    """

    def __init__(self, text: str, x: Any, y: Any, nudges: Any = None) -> None:
        self.lines = [Line("x", "", ()), Line("y", "", ())]
        self.values = [x, y]
        self._nudges = nudges
        result = self._evaluate(ast.parse(text.strip(), mode="eval").body)
        if isinstance(result, Constant):
            raise ValueError(f"{text} depends neither on x nor on y")
        self.result = result

    def _evaluate(self, node: ast.expr) -> int | Constant:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and type(node.value) is not bool:
            return Constant(jnp.asarray(float(node.value)), node.value if isinstance(node.value, int) else None)
        if isinstance(node, ast.Name) and node.id in ("x", "y"):
            return ("x", "y").index(node.id)
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            sign, rule = _OPERATORS[type(node.op)]
            return self._write(f"{{}} {sign} {{}}", rule, [self._evaluate(node.left), self._evaluate(node.right)])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            operand = self._evaluate(node.operand)
            return operand if isinstance(node.op, ast.UAdd) else self._write("-{}", operator.neg, [operand])
        if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            name = ast.unparse(node.func).removeprefix("jnp.").removeprefix("np.")
            return self._write(f"{name}({{}})", _FUNCTIONS[name], [self._evaluate(node.args[0])])
        raise ValueError(f"{ast.unparse(node)} is not part of such an expression")

    def _write(self, form: str, rule: Callable[..., Any], operands: list[int | Constant]) -> int | Constant:
        known = [one.value if isinstance(one, Constant) else self.values[one] for one in operands]
        if all(isinstance(one, Constant) for one in operands):
            whole = operands[0].whole if rule is operator.neg and isinstance(operands[0], Constant) else None
            return Constant(rule(*known), None if whole is None else -whole)
        last = operands[-1]
        if rule is operator.pow and isinstance(last, Constant) and last.whole is not None:
            known[-1] = last.whole  # JAX has a rule of its own for whole powers
        names = [figure(one.value) if isinstance(one, Constant) else self.lines[one].name for one in operands]
        position = len(self.lines)
        if position >= MOST_LINES:
            raise ValueError(f"at most {MOST_LINES - 2} operations have a picture here")
        name = string.ascii_lowercase[position - 2]
        on_tape = tuple(one for one in operands if not isinstance(one, Constant))
        self.lines.append(Line(name, form.format(*names), on_tape))
        value = rule(*known)
        self.values.append(value if self._nudges is None else value + self._nudges[position])
        return position


@dataclass(frozen=True)
class Tape:
    """A tape with the values of all lines and, by the way chosen, their tangents or cotangents."""

    lines: list[Line]
    result: int
    values: list[float]
    derivatives: list[float]


def tape_of(f: str, x: str, y: str, way: str) -> Tape:
    """The tape of an expression, with everything on it by JAX, in 64 bits."""
    at = number(x), number(y)
    with doubles():
        run = Run(f, *map(jnp.asarray, at))
        values, derivatives = (_backwards if way == BACKWARDS else _forwards)(f, at, run, way)
        return Tape(run.lines, run.result, [*map(float, values)], [*map(float, derivatives)])


def _backwards(f: str, at: tuple[float, float], run: Run, way: str) -> tuple[list[Any], list[Any]]:
    nothing = [jnp.asarray(-0.0)] * len(run.lines)  # a nudge of -0 changes no number, not even the sign of a 0

    def last(x: Any, y: Any, nudges: list[Any]) -> Any:
        nudged = Run(f, x, y, nudges)
        return nudged.values[nudged.result], nudged.values

    by_x, by_y, by_lines = jax.grad(last, (0, 1, 2), has_aux=True)(*map(jnp.asarray, at), nothing)[0]
    return run.values, [by_x, by_y, *by_lines[2:]]


def _forwards(f: str, at: tuple[float, float], run: Run, way: str) -> tuple[list[Any], list[Any]]:
    direction = [jnp.asarray(1.0 if way == one else 0.0) for one in (ALONG_X, ALONG_Y)]
    return jax.jvp(lambda x, y: Run(f, x, y).values, list(map(jnp.asarray, at)), direction)


def number(text: str) -> float:
    """A finite number in a text.

    Example:
        >>> number(" -2.5 ")
        -2.5
    """
    value = float(text)
    if not math.isfinite(value) or "_" in text:
        raise ValueError(f"{text!r} is not a finite number")
    return value


def steps_of(step: str, tape: Tape, way: str) -> tuple[int, int]:
    """How many steps are shown, and how many there are: the lines forwards, and the same lines backwards."""
    made = len(tape.lines) - 2
    count = 2 * made if way == BACKWARDS else made
    if not step.strip():
        return count, count
    if not step.strip().isascii() or not step.strip().isdigit():
        raise ValueError(f"{step!r} is no number of a step")
    return min(int(step), count), count


def autodiff_says(f: str, x: str, y: str, way: str, step: str) -> str:
    """What the picture says, by JAX itself."""
    if way not in WAYS:
        raise ValueError(f"{way!r} is not among {WAYS}")
    tape = tape_of(f, x, y, way)
    shown, count = steps_of(step, tape, way)
    if shown < count:
        return f"{_step_in_words(tape, way, shown)} Step {shown} of {count}."
    value, at = figure(tape.values[tape.result]), f"f({figure(number(x))}, {figure(number(y))})"
    if way == BACKWARDS:
        by_x, by_y = map(figure, tape.derivatives[:2])
        arrives = f"Backwards, the cotangent 1 of f arrives as df/dx = {by_x} and df/dy = {by_y}"
        told = f"{arrives}: one backward pass for both."
    else:
        name = way[-1]
        told = (
            f"Forwards, the tangent 1 of {name} becomes df/d{name} = {figure(tape.derivatives[tape.result])}: "
            "one run for each argument."
        )
    return f"{at} = {value}. {told} {counted(count, 'step')}."


def _step_in_words(tape: Tape, way: str, shown: int) -> str:
    """What happens in a step."""
    made = len(tape.lines) - 2
    if not shown:
        return "The arguments are known."
    if shown <= made:
        line, value = tape.lines[shown + 1], figure(tape.values[shown + 1])
        tangent = "" if way == BACKWARDS else f", with the tangent {figure(tape.derivatives[shown + 1])}"
        return f"Forwards: {line.name} = {line.made} = {value}{tangent}."
    position = 2 * made - shown + 2
    line = tape.lines[position]
    names = " and ".join(dict.fromkeys(tape.lines[one].name for one in line.operands))
    return f"Backwards: {line.name} hands its cotangent {figure(tape.derivatives[position])} on to {names}."


def figure(value: Any) -> str:
    """Four significant digits.

    Example:
        >>> figure(0.5), figure(12345.6), figure(-0.0), figure(float("inf"))
        ('0.5', '12350', '0', 'inf')
    """
    known = float(np.asarray(value))
    if not math.isfinite(known):
        return str(known)
    if abs(known) < np.finfo(float).tiny:  # a processor may take smaller ones for 0
        return "0"
    digits, power = f"{_DIGITS.create_decimal_from_float(known):.3e}".split("e")
    exponent = int(power)
    return f"{digits}e{exponent}" if not -4 < exponent < 6 else f"{float(f'{digits}e{exponent}'):.12g}"
