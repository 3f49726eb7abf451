"""A question about what an answer spends on several devices: bytes held, computed and sent, and what is compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

import jax

from jaxcourse import insides
from jaxcourse.probe._devices import Placing, mesh_of, pieces, prepared, sharding_of
from jaxcourse.probe._programs import compiles, jitted
from jaxcourse.probe._question import question

LARGEST = 3
"""How many of the arrays that a program stores, and of the operations that it runs, are named."""
_FREE = frozenset(("constant", "iota"))


@question(evidence="process")
def spending(
    student_function: Callable[..., Any],
    placed: Placing,
    shapes: Sequence[tuple[Sequence[int], str]],
    calls: Sequence[Sequence[Any]],
) -> dict[str, Any]:
    """What an answer's program spends in a call of one size, and what it returns and compiles in calls of another.

    A program is read without being run, so that its size may be that of the task, and calls may be smaller. Then the
    answer is called as it stands, with concrete arguments: it need not be jitted, and what it decides in Python it
    decides there.

    Args:
        student_function: the answer.
        placed: what `placing` gives.
        shapes: of each argument for which the program is read, its shape and its dtype.
        calls: the arguments of each call.

    Returns:
        `results`, one for each call; `pieces`, who holds what of the first; `compiled`, the names of the programs that
        each call compiled, from empty caches; `stopped`, the name of the exception that stops JAX from compiling the
        answer, or nothing; and unless it is stopped, what `spent` says.

    Example:
        >>> from jaxcourse.probe import placing
        >>> import numpy as np
        >>> calls = [(np.ones(4, np.float32),)] * 2
        >>> found = spending(jax.jit(lambda x: 2 * x), placing({"x": 1}, ["x"]), [((8,), "float32")], calls)
        >>> found["compiled"], found["stopped"], found["sent"], found["bytes_sent"]
        ([['<lambda>'], []], '', [], 0)
    """
    function, first, context = prepared(student_function, placed, calls[0])
    mesh = mesh_of(placed)
    with context:
        given = [first, *(prepared(student_function, placed, args)[1] for args in calls[1:])]
        results: list[Any] = []

        def kept(*args: Any) -> Any:
            results.append(function(*args))
            return results[-1]

        names = compiles(kept, [tuple(args) for args in given])
        like = [
            jax.ShapeDtypeStruct(tuple(shape), dtype, sharding=sharding_of(spec, mesh))
            for (shape, dtype), spec in zip(shapes, placed["specs"], strict=True)
        ]
        return {
            "results": results,
            "compiled": names,
            "pieces": pieces(results[0], mesh),
            **_compiled_facts(function, like),
        }


def _compiled_facts(function: Callable[..., Any], args: Sequence[Any]) -> dict[str, Any]:
    """What is read of a program that does not run."""
    try:
        with insides.as_ever():
            compiled = jitted(function).lower(*args).compile()  # type: ignore[attr-defined]
    except Exception as error:  # it has run with concrete arguments, so that tracing is what it does not bear
        return {"stopped": type(error).__name__}
    return {"stopped": "", **spent(compiled)}


def spent(compiled: Any) -> dict[str, Any]:
    """What one call of a compiled program spends, on one device.

    Args:
        compiled: what `jax.jit(function).lower(...).compile()` gives.

    Returns:
        `temporaries`, in bytes; `largest`, the largest arrays that it stores; `work`, how many elements it computes or
        moves; `busiest`, the operations that do most of it; `sent`, its collectives; `messages`, how many of these
        run; and `bytes_sent`. A number is None where the compiler does not know how many turns a loop takes.

    Example:
        >>> import numpy as np
        >>> found = spent(jax.jit(lambda x: x[::-1] * 2).lower(np.ones(8, np.float32)).compile())
        >>> found["messages"], found["bytes_sent"], found["temporaries"] < 64
        (0, 0, True)
    """
    sent, work = insides.sent(compiled), insides.worked(compiled)
    arrays = [one for one in insides.made(compiled) if one.operation not in _FREE]
    return {
        "temporaries": insides.costs(compiled).temporaries,
        "largest": [asdict(one) for one in arrays[:LARGEST]],
        "work": _total((one.elements, one.runs) for one in work),
        "busiest": [asdict(one) for one in work[:LARGEST]],
        "sent": [asdict(one) for one in sent],
        "messages": _total((1, one.runs) for one in sent),
        "bytes_sent": _total((one.bytes, one.runs) for one in sent),
    }


def _total(parts: Iterable[tuple[int, int | None]]) -> int | None:
    """How much it is with all turns, or None where they are not known."""
    total = 0
    for amount, runs in parts:
        if runs is None:
            return None
        total += amount * runs
    return total
