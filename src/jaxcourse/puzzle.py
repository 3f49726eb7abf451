"""Puzzles: rebuild an array function from few primitives, against a specification in plain Python loops.

The specification is slow, and nobody can misread it. An answer is tried on random inputs, the smallest first, so that
the first one on which the two differ is a counterexample that fits into a line.
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, ClassVar

import jax
import numpy as np

from jaxcourse.bans import only
from jaxcourse.exercise import Diagnosis
from jaxcourse.inputs import Asked, extent
from jaxcourse.markup import quoted
from jaxcourse.mistakes import Case, Mistakes, Oracle, Reply, Same, explaining, faces_of
from jaxcourse.probe import Answer, AnswerRaised, Refused, code_facts, on_jax_arrays

PRIMITIVES = frozenset({"arange", "where", "sum", "len", "shape", "size"})
"""What a puzzle may be made of, beside operators and brackets."""

Spec = Callable[..., Any]


MANY = 24
"""What holds for a handful of elements, such as ten places for one digit each, need not hold for so many."""


def growing(draw: Callable[[int], Case], *, largest: int = 5, tries: int = 2) -> list[Case]:
    """Draw inputs of growing size: the fewest elements first, and of these the smallest numbers first.

    Args:
        draw: makes the arguments of one call from a size: whole numbers, and NumPy arrays of whole numbers.
        largest: the largest size of which there are several; the smallest is 1.
        tries: how many inputs there are of each size.

    Returns:
        The arguments of each call; the last is one of size `MANY`.

    Example:
        >>> growing(lambda n: (n,), largest=2, tries=1)
        [(1,), (2,), (24,)]
    """
    drawn = [draw(size) for size in [*range(1, largest + 1), MANY] for _ in range(tries if size < MANY else 1)]
    return sorted(drawn, key=extent)


# -- the rules --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rules:
    """The rules of a puzzle as a ban: no loop whatever, and nothing but the primitives.

    Both are rules about what is written, so the code is read and nothing is run.

    Example:
        >>> from jaxcourse.probe import local_channel
        >>> import jax.numpy as jnp
        >>> Rules().enforce(Answer("total", local_channel(lambda a: a.sum())))
        >>> Rules().enforce(Answer("total", local_channel(lambda a: [v for v in a][-1])))
        Traceback (most recent call last):
        jaxcourse.probe._answer.Refused: A loop or a comprehension is against the rules. Give each index an axis.
    """

    label: ClassVar[str] = "not-a-primitive"
    words: ClassVar[tuple[str, ...]] = (r"\bresult\[",)  # what a puzzle is told by; the rules stand before the first

    def enforce(self, answer: Answer) -> None:
        """Raise `Refused` for a loop, and then for another name than a primitive."""
        if answer.probe(code_facts)["loops"]:
            raise Refused("loops", "A loop or a comprehension is against the rules. Give each index an axis.")
        require_primitives(answer)


def require_primitives(answer: Answer, primitives: Collection[str] = PRIMITIVES) -> None:
    """Require that a function is written with nothing but some primitives of `jax.numpy`.

    Operators, brackets and `None` are always allowed, and `jax.jit` around it. What counts is what is written: nothing
    is run. For loops see `Rules`.

    Args:
        answer: the answer.
        primitives: names of functions and attributes.

    Raises:
        Refused: `not-a-primitive`, or it has no Python code of its own.

    Example:
        >>> from jaxcourse.probe import local_channel
        >>> import jax.numpy as jnp
        >>> require_primitives(Answer("total", local_channel(lambda a: jnp.cumsum(a))))
        Traceback (most recent call last):
        jaxcourse.probe._answer.Refused: `cumsum` is against the rules. Allowed are operators, brackets, and ...
    """
    only(*primitives).enforce(answer)
    if found := answer.probe(borrowed, sorted(primitives)):
        raise Refused("not-a-primitive", f"{found[0]} is against the rules. Your function itself should do the work.")


def borrowed(student_function: Any, primitives: list[str]) -> list[str]:
    """What does an answer's work although no name in its code says so: a decorator, a default, a closure, a false name.

    A function inside of the answer counts too: it could call itself, which is a loop.

    Args:
        student_function: the answer.
        primitives: the names that its code may have.

    Example:
        >>> borrowed(jax.vmap(lambda a: a + 1), []), borrowed(jax.jit(lambda a: a + 1), [])
        (['A decorator other than `jax.jit`'], [])
        >>> borrowed(lambda a: (lambda total: total(total, a))(lambda again, rest: again), [])
        ['A function inside of the function']
        >>> borrowed(lambda a, total=np.cumsum: total(a), [])
        ['The default `cumsum`']
    """
    found, function = [], student_function
    while hasattr(function, "__wrapped__"):
        found += ["A decorator other than `jax.jit`"] if inspect.isfunction(function) else []
        function = function.__wrapped__
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    found += [f"The default `{getattr(value, '__name__', '')}`" for value in defaults if callable(value)]
    if any(inspect.iscode(part) for part in function.__code__.co_consts):
        found.append("A function inside of the function")
    around = inspect.getclosurevars(function)
    found += [f"`{name}`" for name, value in around.nonlocals.items() if callable(value) or inspect.ismodule(value)]
    for name, value in around.globals.items():
        real = [getattr(module, name, None) for module in (builtins, jax.numpy)]
        if name in primitives and callable(value) and value not in real:
            found.append(f"This `{name}`, which is none of `jnp` or of Python,")
    return found


# -- the specification ------------------------------------------------------------------------------------------


def expect_spec(answer: Answer, spec: Spec, cases: Iterable[Case], mistakes: Mistakes | None = None) -> None:
    """Require that an answer does what a specification says, or show the first input on which it does not.

    Args:
        answer: the answer; it is called with JAX arrays.
        spec: takes lists of numbers where the answer takes arrays, and returns a number or nested lists. The names of
            its parameters stand in the message.
        cases: the arguments of each call, in any order; the smallest are tried first.
        mistakes: those that are recognised, see `jaxcourse.mistakes`. They take arrays of NumPy, and raise where an
            answer with them raises.

    Raises:
        Diagnosis: the label of a mistake, `truth-value`, `counterexample`, or one of the engine's own.
        AnswerRaised: the answer raised; the arguments are with it.

    Example:
        >>> from jaxcourse.probe import local_channel
        >>> def largest(a):
        ...     return max(a)
        >>> expect_spec(Answer("largest", local_channel(lambda a: a[-1])), largest, [(np.array([2, 1]),)])
        Traceback (most recent call last):
        jaxcourse.exercise.Diagnosis: A small counterexample:...
    """
    cases = sorted(cases, key=extent)
    replies = [_reply_or_error(answer, case) for case in cases]
    for reply in replies:
        if isinstance(reply, AnswerRaised) and "truth value" in reply.raised.message:
            raise Diagnosis(_ONE_TRUTH.label, f"{_ONE_TRUTH.message} It is in {quoted(reply.raised.line)}.")
    oracle = _of_lists(spec)
    asked = Asked(lambda *case: answer.probe(on_jax_arrays, *case), oracle, shows=f"{answer.name}({{}})")
    named = _explaining_label(mistakes or {}, cases, replies, oracle, asked.same)
    try:
        asked.require(cases, named or "counterexample")
    except AnswerRaised:
        if named:
            raise Diagnosis(named) from None
        raise


def expect_for_many(answer: Answer, spec: Spec, cases: Iterable[Case]) -> None:
    """Require that an answer that keeps the rules does what a specification says for many elements, too.

    What holds for a handful of elements, such as a hundred places for each of them, need not hold for more. The rules
    come first: a loop over so many would take seconds.

    Args:
        answer: the answer; `expect_spec` has tried it on few elements.
        spec: see `expect_spec`.
        cases: the arguments of each call.

    Raises:
        Diagnosis: `counterexample`, or one of the engine's own.
        Refused: the answer breaks the rules.
    """
    Rules().enforce(answer)
    expect_spec(answer, spec, cases)


_ONE_TRUTH = Diagnosis(
    "truth-value",
    "Python asked for one truth value of a whole array, as `and`, `or`, `not`, `if`, a chain `p < q < r`, or the "
    "ends of a slice do. `p == q & r < s` is a chain as well, since `&` binds first. Join masks by `&`, `|`, `~`, and "
    "bracket each comparison.",
)


def _reply_or_error(answer: Answer, case: Case) -> Any:
    try:
        return answer.probe(on_jax_arrays, *case)
    except AnswerRaised as error:
        return error


def _explaining_label(
    mistakes: Mistakes, cases: Sequence[Case], replies: Sequence[Any], oracle: Oracle, same: Same
) -> str | None:
    """The label of the mistake that explains every reply; an answer with it raises where it raises itself."""

    def alike(got: Any, made: Any) -> bool:
        return isinstance(got, AnswerRaised) if made is None else same(got, made)

    wants = [oracle(*case) for case in cases]
    made = [Reply(case, got, want, alike(got, want)) for case, got, want in zip(cases, replies, wants, strict=True)]
    faces = {key: [_or_nothing(face) for one, face in faces_of(mistakes) if one == key] for key in mistakes}
    return explaining(faces, made, alike)


def _or_nothing(face: Any) -> Oracle:
    """A mistake that gives nothing where it raises."""

    def made(*case: Any) -> Any:
        try:
            return face(*case)
        except (ArithmeticError, LookupError, TypeError, ValueError):
            return None

    return made


def _of_lists(spec: Spec) -> Callable[..., np.ndarray]:
    """A specification for arguments as the answer gets them."""

    @wraps(spec)
    def oracle(*case: Any) -> np.ndarray:
        return np.asarray(spec(*(value.tolist() if isinstance(value, np.ndarray) else value for value in case)))

    return oracle
