"""Questions about the program that JAX makes of an answer: its traces, primitives, memory, leaks and keys."""

from __future__ import annotations

import functools
import gc
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np

from jaxcourse._runtime import compilations
from jaxcourse.probe._question import CALLS, SINE, SINES, Control, X, question

Calls = Sequence[tuple[Any, ...]]
"""The arguments of several calls, one tuple for each."""


@question(evidence="process", control=Control(SINES, SINE, (CALLS,)))
def traced(student_function: Callable[..., Any], calls: Calls, static: tuple[int, ...] = ()) -> list[int]:
    """How often a function that is not yet jitted has been traced after each of several calls under `jax.jit`.

    Args:
        student_function: the answer, undecorated.
        calls: the arguments of each call.
        static: the positions of static arguments.

    Returns:
        One count for each call; it grows where the function was traced again.

    Example:
        >>> traced(lambda x: x + 1, [(np.ones(3),), (np.zeros(3),), (np.ones(4),)])
        [1, 1, 2]
    """
    count = 0

    @functools.wraps(student_function)
    def counting(*args: Any) -> Any:
        nonlocal count
        count += 1
        return student_function(*args)

    jitted = jax.jit(counting, static_argnums=static)
    counts = []
    for args in calls:
        jax.block_until_ready(jitted(*args))
        counts.append(count)
    return counts


def jitted(student_function: Callable[..., Any], static: tuple[int, ...] = ()) -> Callable[..., Any]:
    """An answer under `jax.jit`; itself, if it is jitted already, with the static arguments that it has chosen.

    It is not a question itself: it serves questions that must compile an answer that a student may have compiled.

    Args:
        student_function: the answer.
        static: the positions of arguments that must be static.

    Example:
        >>> double = jax.jit(lambda x, n: n * x, static_argnums=1)
        >>> jitted(double, static=(1,)) is double, float(jitted(lambda x, n: n * x, static=(1,))(3.0, 2))
        (True, 6.0)
    """
    if hasattr(student_function, "lower") and hasattr(student_function, "trace"):
        return student_function
    compiled: Callable[..., Any] = jax.jit(student_function, static_argnums=static)
    return compiled


@question(evidence="process", control=Control(SINES + "{name} = jax.jit({name})\n", SINE, (CALLS,)))
def compiled(student_function: Callable[..., Any], calls: Calls) -> list[list[str]]:
    """Which programs JAX compiles during each of several calls, by name: for answers that are jitted, or call `jit`.

    A function `f` is compiled as `f`. What runs outside `jit` is compiled too, one program for each operation, the
    first time that JAX sees it.

    Args:
        student_function: the answer.
        calls: the arguments of each call.

    Returns:
        For each call, the names of the programs that were compiled during it.

    Example:
        >>> @jax.jit
        ... def double(x):
        ...     return 2 * x
        >>> compiled(double, [(np.ones(3),), (np.zeros(3),), (np.ones(4),)])
        [['double'], [], ['double']]
    """
    names = []
    for args in calls:
        before = len(compilations())
        jax.block_until_ready(student_function(*args))
        names.append(compilations()[before:])
    return names


@question(evidence="process", control=Control(SINES + "{name} = jax.jit({name})\n", SINE, (CALLS,)))
def compiles(student_function: Callable[..., Any], calls: Calls) -> list[list[str]]:
    """The same as `compiled`, from empty caches: nothing is left of earlier calls.

    A function that is jitted in a module or in a helper is compiled in the first call; one that is jitted anew in every
    call is compiled in each. To see what is compiled too often, give new values to what should be an argument; to see
    what is compiled too seldom, repeat old values of what should be static, and add a new one.

    Args:
        student_function: the answer.
        calls: the arguments of each call.

    Returns:
        As for `compiled`.

    Example:
        >>> compiles(lambda x: jax.jit(lambda y: 2 * y)(x), [(np.ones(3),), (np.zeros(3),)])
        [['<lambda>'], ['<lambda>']]
    """
    jax.clear_caches()
    return compiled(student_function, calls)


@question(evidence="programs", control=Control(SINES, SINE, (X,)), like_a_call=True)
def primitives(student_function: Callable[..., Any], *args: Any) -> dict[str, int]:
    """How often each primitive occurs in the jaxpr of a function, including the functions inside it.

    The body of a loop is counted once, however often it runs: a Python loop gives many equations, a `scan` few.

    Args:
        student_function: the answer.
        *args: its arguments.

    Returns:
        Counts by the primitive's name, such as `{"add": 2, "scan": 1}`.

    Example:
        >>> primitives(lambda x: jax.lax.fori_loop(0, 9, lambda i, x: x * 2, x), np.float32(1))["mul"]
        1
    """
    found = equations(jax.make_jaxpr(student_function)(*args))
    return dict(sorted(Counter(str(equation.primitive) for equation in found).items()))


def equations(jaxpr: Any) -> Iterator[Any]:
    """The equations of a jaxpr, and of the jaxprs inside it, in order.

    Args:
        jaxpr: what `jax.make_jaxpr` gives, or the attribute `jaxpr` of a traced function.

    Example:
        >>> [str(equation.primitive) for equation in equations(jax.make_jaxpr(jax.jit(lambda x: x + 1))(2.0))]
        ['jit', 'add']
    """
    for equation in jaxpr.eqns:
        yield equation
        for value in equation.params.values():
            for part in value if isinstance(value, (tuple, list)) else [value]:
                inner = getattr(part, "jaxpr", part)  # a closed jaxpr has an open one inside
                if hasattr(inner, "eqns"):
                    yield from equations(inner)


@question(evidence="programs", control=Control(SINES, SINE, (X,)), like_a_call=True)
def program(student_function: Callable[..., Any], *args: Any) -> dict[str, Any]:
    """What the compiler made of a function: facts about the optimised program.

    Args:
        student_function: the answer, jitted or not.
        *args: its arguments.

    Returns:
        `operations`, counts by name in the optimised HLO (`fusion`, `dot`, `while`, `all-reduce`, ...), inside of
        fusions too; `flops`; `bytes`, the bytes accessed as the compiler estimates them; `temporaries`, `arguments`,
        `results`, in bytes. Fusions and bytes differ between versions of JAX; compare them with each other, not with
        fixed numbers.

    Example:
        >>> facts = program(lambda x, y: 2 * (x @ y), np.ones((4, 5)), np.ones((5, 6)))
        >>> facts["operations"]["dot"], facts["arguments"]
        (1, 200)
    """
    return facts(jitted(student_function).lower(*args).compile())  # type: ignore[attr-defined]


def facts(compiled: Any) -> dict[str, Any]:
    """The facts of `program`, about a function that is compiled already.

    Args:
        compiled: what `jax.jit(function).lower(...).compile()` gives.

    Example:
        >>> facts(jax.jit(lambda x: 2 * x).lower(np.ones(5, np.float32)).compile())["results"]
        20
    """
    cost: Any = compiled.cost_analysis() or {}
    memory: Any = compiled.memory_analysis()
    operations = re.findall(
        r"^\s*(?:ROOT )?%?[\w.-]+ = .*?[\])}] ([a-z][a-z0-9-]*)\(", compiled.as_text() or "", re.MULTILINE
    )
    return {
        "operations": dict(sorted(Counter(operations).items())),
        "flops": float(cost.get("flops", 0.0)),
        "bytes": float(cost.get("bytes accessed", 0.0)),
        "temporaries": int(memory.temp_size_in_bytes),
        "arguments": int(memory.argument_size_in_bytes),
        "results": int(memory.output_size_in_bytes),
    }


@contextmanager
def checking_leaks() -> Iterator[None]:
    """`jax.checking_leaks`, from empty caches, and soon done.

    JAX looks only while it traces, so what was compiled before must be traced again. From each tracer that leaked it
    goes on to its holder, that one's holder, and so to a module. At every step Python looks through all objects of the
    process for who refers to one: some 100 times through half a million. Those that are older are left out here; no
    tracer is, but what JAX says of its holders is not complete.

    Example:
        >>> kept = []
        >>> with checking_leaks():
        ...     _ = jax.jit(lambda x: kept.append(x) or x)(1.0)
        Traceback (most recent call last):
        Exception: Leaked trace ...
    """
    jax.clear_caches()
    frozen_before = gc.get_freeze_count()
    gc.freeze()
    try:
        with jax.checking_leaks():
            yield
    finally:
        if not frozen_before:
            gc.unfreeze()


@question(evidence="process", control=Control(SINES, SINE, (X,)), like_a_call=True)
def leaks(student_function: Callable[..., Any], *args: Any) -> str:
    """Whether a function lets a tracer escape, traced from empty caches: the first one, or an empty string.

    Args:
        student_function: the answer.
        *args: its arguments.

    Example:
        >>> kept = []
        >>> print(leaks(lambda x: kept.append(x) or x, np.ones(3)))
        JitTracer...float32[3]...
        >>> leaks(lambda x: 2 * x, np.ones(3))
        ''
    """

    def fresh(*args: Any) -> Any:  # so that no earlier trace is found in a cache
        return student_function(*args)

    try:
        with checking_leaks():
            jax.jit(fresh)(*args)
    except Exception as error:
        if "Leaked" in str(error):
            return str(error).partition("Leaked tracer(s):")[2].strip().partition("\n")[0]
        raise
    return ""


_DRAWING = "def {name}(key):\n{lines}    return y\n"


@question(evidence="process", control=Control(_DRAWING, "    y = jax.random.normal(key)\n"))
def reuses_key(student_function: Callable[..., Any], *args: Any, seed: int = 0) -> str:
    """Whether a function uses a random key twice: the first line of what JAX says, or an empty string.

    Args:
        student_function: the answer; its first argument is a key.
        *args: its other arguments.
        seed: of the key.

    Example:
        >>> twice = lambda key: jax.random.normal(key) + jax.random.uniform(key)
        >>> reuses_key(twice) != "", reuses_key(jax.random.normal)
        (True, '')
    """
    try:
        # Without disable_jit, JAX 0.7 does not watch what it compiled before.
        with jax.debug_key_reuse(True), jax.disable_jit():
            student_function(jax.random.key(seed), *args)
    except jax.errors.KeyReuseError as error:
        return str(error).splitlines()[0]
    return ""


@question(evidence="process", control=Control(SINES, SINE, (CALLS,)))
def with_and_without_jit(student_function: Callable[..., Any], calls: Calls) -> dict[str, Any]:
    """The results of several calls under one `jax.jit`, and without it: those of an impure function differ.

    Args:
        student_function: the answer, undecorated.
        calls: the arguments of each call.

    Returns:
        `with`, a list of results, and `without`.

    Example:
        >>> count = [0]
        >>> def impure(x):
        ...     count[0] += 1
        ...     return x * 0 + count[0]
        >>> results = with_and_without_jit(impure, [(np.float32(0),)] * 2)
        >>> [float(r) for r in results["with"]], [float(r) for r in results["without"]]
        ([1.0, 1.0], [2.0, 3.0])
    """
    jitted = jax.jit(student_function)
    with_jit = [jax.tree.map(np.asarray, jitted(*args)) for args in calls]
    with jax.disable_jit():
        without = [jax.tree.map(np.asarray, student_function(*args)) for args in calls]
    return {"with": with_jit, "without": without}
