"""Questions about the program that JAX makes of an answer: its traces, primitives, memory, leaks and keys."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import jax
import numpy as np

from jaxcourse import insides
from jaxcourse.insides import compilations
from jaxcourse.probe._question import question

Calls = Sequence[tuple[Any, ...]]
"""The arguments of several calls, one tuple for each."""


@question(evidence="process")
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


def in_one_program(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function under `jax.jit` where that takes it, and as it stands where not: for many calls of one shape.

    A function that JAX runs operation by operation has a program compiled for each of them. It is not a question
    itself. It serves those that ask for values alone, of answers that nobody has promised to `jit`.

    Args:
        function: calls the answer; it takes arrays and trees of these.

    Example:
        >>> halve = in_one_program(lambda x: x / 2 if x > 1 else x)  # `jit` does not take the `if`
        >>> float(halve(jax.numpy.float32(3)))
        1.5
    """
    compiled, taken = jax.jit(function), True

    def asked(*args: Any) -> Any:
        nonlocal taken
        if taken:
            try:
                return compiled(*args)
            except Exception:  # what is wrong with the answer itself, the plain call raises again
                taken = False
        return function(*args)

    return asked


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


@question(evidence="process")
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


@question(evidence="process")
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


@question(evidence="programs", like_a_call=True)
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
    return dict(sorted(Counter(insides.read(student_function, *args).names).items()))


@question(evidence="programs", like_a_call=True)
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
    with insides.as_ever():
        return facts(jitted(student_function).lower(*args).compile())  # type: ignore[attr-defined]


def facts(compiled: Any) -> dict[str, Any]:
    """The facts of `program`, about a function that is compiled already.

    Args:
        compiled: what `jax.jit(function).lower(...).compile()` gives.

    Example:
        >>> facts(jax.jit(lambda x: 2 * x).lower(np.ones(5, np.float32)).compile())["results"]
        20
    """
    return {"operations": insides.instructions(compiled).counts, **asdict(insides.costs(compiled))}


@question(evidence="programs", like_a_call=True)
def leaves_jax(student_function: Callable[..., Any], *args: Any) -> bool:
    """Whether a function computes with numbers that a trace does not have: in NumPy, or in Python.

    One that does may have compiled something, which then stands idle beside what computes. What cannot be traced for
    another reason, such as a program that is compiled already, has not left JAX.

    Args:
        student_function: the answer.
        *args: its arguments; arrays are traced, all else stays what it is.

    Example:
        >>> @jax.jit
        ... def idle(x):
        ...     return x
        >>> leaves_jax(lambda x: np.sin(np.asarray(idle(x))), np.ones(3)), leaves_jax(lambda x: -idle(x), np.ones(3))
        (True, False)
    """
    try:
        insides.read_for_arrays(student_function, *args)
    except (jax.errors.TracerArrayConversionError, jax.errors.ConcretizationTypeError):
        return True
    except TypeError:
        return False
    return False


@question(evidence="process", like_a_call=True)
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
    return insides.leaked_tracer(student_function, *args)


@question(evidence="process")
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


@question(evidence="process")
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
