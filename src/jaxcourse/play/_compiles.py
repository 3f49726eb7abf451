"""When a compiled function compiles again: a sequence of calls, and what the cache is asked for each of them."""

from __future__ import annotations

import ast
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.play._play import Field, Play, start
from jaxcourse.play._words import counted

FIELDS = (
    Field("static", "static argument", options=("none", "n")),
    Field(
        "calls",
        "calls of f(x, n=1)",
        "Lines such as f(ones((3, 4), int32)), f([1.0, 2]), f(1.0, n=2)",
        lines=6,
        wide=True,
    ),
)
STATE = {"static": "none", "calls": "f(ones(3))\nf(zeros(3))\nf(ones(4))\nf(ones(3, int32))\nf(1.0)\nf(float32(1))"}
CALLS = {
    "a loop": "f(0.0)\nf(float32(0.25))\nf(float32(0.5))\nf(float32(0.75))",
    "structure": "f([1.0, 2.0])\nf((1.0, 2.0))\nf({'a': 1.0, 'b': 2.0})\nf({'b': 3.0, 'a': 4.0})",
    "by name": "f(ones(3), 2)\nf(ones(3), n=2)\nf(x=ones(3), n=2)\nf(n=3, x=ones(3))\nf(ones(3))",
    "not static": "f(ones(3), n=1)\nf(ones(3), n=2)\nf(ones(3), n=3)\nf(ones(3), n=2.0)",
    "static": "f(ones(3), n=1)\nf(ones(3), n=2)\nf(ones(3), n=1)\nf(ones(3), n=1.0)\nf(ones(3), n=True)",
}
EXAMPLES = {name: {"static": "n" if name == "static" else "none", "calls": calls} for name, calls in CALLS.items()}
DTYPES = {"float32": jnp.float32, "float16": jnp.float16, "int32": jnp.int32, "int8": jnp.int8, "bool": jnp.bool_}


def compiles(calls: str | None = None, *, static: str | None = None) -> Play:
    r"""Let the reader write calls of a compiled function `f(x, n=1)`, and see for which of them it compiles.

    Args:
        calls: the calls at the start, one in a line.
        static: the static argument at the start: `"n"` or `"none"`.

    Returns:
        The picture, to be shown by a notebook.

    Raises:
        ValueError: if JAX refuses a call of that start.

    Example:
        >>> print(compiles("f(ones(3))\nf(zeros(3))").says)
        2 calls, 1 program. f(ones(3)) compiles program 1: f(float32[3]). f(zeros(3)) runs program 1 again.
    """
    state = start("compiles", STATE, {"calls": calls, "static": static})
    question = "Write calls of a compiled function, and see for which of them it compiles."
    says = compiles_says(**state)
    statics = "statics_by_type" if _types_count() else "statics_by_value"
    return Play("compiles", question, FIELDS, state, says, EXAMPLES, scripts=("shapes", statics))


@functools.cache
def _types_count() -> bool:
    """Whether equal values such as 1 and 1.0 get a program each where they are given by name; not in older versions."""
    traced: list[Any] = []

    @functools.partial(jax.jit, static_argnames="n")
    def seen(n: Any) -> None:
        traced.append(n)

    seen(n=1)
    seen(n=1.0)
    return len(traced) == 2


def compiles_says(static: str, calls: str) -> str:
    """What the picture says, by JAX itself."""
    lines = [line.partition("#")[0].strip() for line in calls.splitlines()]
    written = [line for line in lines if line]
    programs = programs_of(written, static)
    words = [f"{counted(len(written), 'call')}, {counted(max(programs), 'program')}."]
    for i, (line, program) in enumerate(zip(written[:12], programs, strict=False)):
        new = program not in programs[:i]
        shown = f"compiles program {program}: {_types(line, static)}" if new else f"runs program {program} again"
        words.append(f"{line} {shown}.")
    return " ".join(words)


def programs_of(calls: list[str], static: str) -> list[int]:
    """Which program each call runs, counted in the order in which JAX traces them: each returns its own number."""
    traced: list[Any] = []

    def f(x: Any, n: Any = 1) -> Any:
        traced.append(None)
        return np.int32(len(traced))

    compiled = jax.jit(f, static_argnames=() if static == "none" else (static,))
    found = []
    for call in calls:
        args, named = arguments_of(call)
        try:
            found.append(int(compiled(*args, **named)))
        except (TypeError, OverflowError) as error:
            raise ValueError(f"JAX refuses {call}: {error}") from error
    if not found:
        raise ValueError("no line is a call")
    return found


def arguments_of(call: str) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call of f, by position and by name. The text is the author's own."""
    node = ast.parse(call, mode="eval").body
    if not (isinstance(node, ast.Call) and ast.unparse(node.func) == "f"):
        raise ValueError(f"{call} is no call of f")
    if len({word.arg for word in node.keywords}) < len(node.keywords):
        raise ValueError(f"{call} gives an argument twice")
    return [_value(one) for one in node.args], {str(word.arg): _value(word.value) for word in node.keywords}


def _value(node: ast.expr) -> Any:
    names = {"ones": _ones, "zeros": _ones, "jnp": jnp, "np": np, **DTYPES}
    return eval(ast.unparse(node), {"__builtins__": {}}, names)


def _ones(shape: Any, dtype: Any = jnp.float32) -> jax.Array:
    """An array of JAX, made by NumPy, so that making it compiles nothing."""
    return jnp.asarray(np.ones(shape, dtype))


def _types(call: str, static: str) -> str:
    """A call with types in place of its values, as JAX writes them; a static argument stays as it is."""
    args, named = arguments_of(call)
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    written = {word.arg: str(ast.get_source_segment(call, word.value)) for word in node.keywords}
    shown = [
        str(ast.get_source_segment(call, node.args[i])) if "xn"[i] == static else _type(value)
        for i, value in enumerate(args)
    ]
    shown += [f"{name}={written[name] if name == static else _type(named[name])}" for name in sorted(named)]
    return f"f({', '.join(shown)})"


def _type(value: Any) -> str:
    """The type of a value in the structure that it is in; `~` marks a weak type."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_type(value[key])}' for key in sorted(value))}}}"
    if isinstance(value, list | tuple):
        parts = ", ".join(map(_type, value))
        return f"[{parts}]" if isinstance(value, list) else f"({parts}{',' * (len(value) == 1)})"
    if value is None:
        return "None"
    leaf = jax.typeof(value)
    weak = "~" if leaf.weak_type else ""
    return f"{weak}{leaf.dtype}[{','.join(map(str, leaf.shape))}]"
