"""What a task forbids, as data: `declare(..., without=[no_loops(...), no_calls(...)])`.

A ban is enforced by behaviour and not by the look of the source, and only once the check itself has passed: then a
student is told that the numbers are right, and what it is that the task forbids.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from jaxcourse.probe import Answer, Refused, calls, code_facts, python_steps

Arguments = tuple[Any, ...]


class Ban(Protocol):
    """What the engine knows of a ban.

    Attributes:
        label: the diagnosis of an answer that breaks it.
        words: what a task says that has it, as regular expressions.
    """

    @property
    def label(self) -> str:
        """The diagnosis."""

    @property
    def words(self) -> tuple[str, ...]:
        """The regular expressions."""

    def enforce(self, answer: Answer) -> None:
        """Raise `Refused` if the answer does what is forbidden."""


# -- loops ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NoLoops:
    """No loop over the elements: see `no_loops`."""

    grows: tuple[Callable[[int], Arguments], ...]
    of: str = "elements"
    n: int = 96
    advice: str = ""
    see: str = ""
    label: ClassVar[str] = "loops"
    words: ClassVar[tuple[str, ...]] = (r"\b(?:without|no|avoid)\s+(?:\w+\s+){0,3}?loops?\b",)

    def enforce(self, answer: Answer) -> None:
        """Count Python's steps at n, 2n and 4n, for each axis that may grow.

        Raises:
            Refused: they grow with it.
        """
        for make in self.grows:
            sizes = (self.n, 2 * self.n, 4 * self.n)
            counted = answer.probe(python_steps, [make(size) for size in sizes])
            if found := self._found(counted):
                raise Refused(self.label, f"{found} {self.advice}".strip(), self.see)

    def _found(self, counted: dict[str, Any]) -> str:
        n, lines, equations = self.n, counted["lines"], counted["equations"]
        if counted["recursed"]:
            return (
                f"Your results are right, but your function calls itself for each of {4 * n} {self.of}, and so loops."
            )
        if counted["silenced"]:
            return "Leave `sys.settrace` alone: it counts the steps that Python takes."
        if _grows(lines, n):
            return (
                f"Your results are right, but Python's work grows with the number of {self.of}. Four times as many "
                f"take {round(lines[2] / max(lines[0], 1))} times the steps."
            )
        if _grows(equations, n):
            return (
                f"Your results are right, but a Python loop runs while JAX traces your function. {n} {self.of} make "
                f"a program of {equations[0]} operations, and {4 * n} one of {equations[2]}."
            )
        return ""


def no_loops(
    *,
    grows: Callable[[int], Arguments] | Sequence[Callable[[int], Arguments]],
    of: str = "elements",
    n: int = 96,
    advice: str = "",
    see: str = "",
) -> NoLoops:
    """Forbid a loop in Python over the elements, whoever runs it: `for`, `map`, `reduce`, recursion, `np.vectorize`.

    Python's work must not grow with the input. A loop over a fixed number of axes, one that doubles its step, and one
    that XLA or Numba runs are allowed.

    Args:
        grows: makes the arguments of a call from a size, at which the answer must run; several such functions, if
            several axes may grow. It draws nothing.
        of: what there are n of, for the message.
        n: the smallest of the three sizes: n, 2n and 4n.
        advice: what to do instead.
        see: the anchor to read again, if it is not the exercise's own.

    Example:
        >>> import numpy as np
        >>> from jaxcourse.probe import local_channel
        >>> ban = no_loops(grows=lambda n: (np.ones(n),), advice="`x.sum()` adds them in one call.")
        >>> ban.enforce(Answer("total", local_channel(lambda x: x.sum())))
        >>> ban.enforce(Answer("total", local_channel(lambda x: sum(x))))
        Traceback (most recent call last):
        jaxcourse.probe._answer.Refused: Your results are right, but Python's work grows with the number of elements...
    """
    return NoLoops((grows,) if callable(grows) else tuple(grows), of, n, advice, see)


def _grows(counts: Sequence[int], n: int) -> bool:
    """Half a step or more for each further element, and growth that itself grows: log n and √n do not."""
    if len(counts) < 3:
        return False
    few, more, most = counts
    return most - more >= n and most - more >= 1.6 * (more - few)


# -- calls ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NoCalls:
    """No call of some functions: see `no_calls`."""

    names: tuple[str, ...]
    given: Callable[[], Sequence[Arguments]] | None = None
    advice: str = ""
    see: str = ""
    traced: bool = False
    label: ClassVar[str] = "forbidden-call"

    @property
    def words(self) -> tuple[str, ...]:
        """The first name, as a task would say it: with its module or without."""
        short = self.names[0].rpartition(".")[2]
        return (rf"\b(?:without|no|not|never|instead of)\b[^.:]*`(?:[\w.]+\.)?{short}\b",)

    def enforce(self, answer: Answer) -> None:
        """Watch which functions are called in the calls that the check has made, and in those that are given.

        Raises:
            Refused: one of them is.
        """
        given = [*(self.given() if self.given else []), *answer.asked]
        used = [
            name for name, called in answer.probe(calls, list(self.names), given, traced=self.traced).items() if called
        ]
        message = f"Your results are right, but you call `{''.join(used[:1])}`, which this task does without."
        if used:
            raise Refused(self.label, f"{message} {self.advice}".strip(), self.see)


def no_calls(
    *names: str,
    given: Callable[[], Sequence[Arguments]] | None = None,
    advice: str = "",
    see: str = "",
    traced: bool = False,
) -> NoCalls:
    """Forbid functions of a library, under whatever name they are called.

    Args:
        *names: all that do what is forbidden, since each library has its own: `np.var`, `jnp.var`, `np.ndarray.var`.
            The first is the one that the task names.
        given: makes the arguments of more calls to watch. All that the check has asked are watched: an answer that does
            what is forbidden for some arguments only would do it unseen for others.
        advice: what to do instead.
        see: the anchor to read again, if it is not the exercise's own.
        traced: whether the calls get JAX arrays, and are traced where they can be: it costs far less than to run them.

    Example:
        >>> import numpy as np
        >>> from jaxcourse.probe import local_channel
        >>> ban = no_calls("np.var", "np.ndarray.var", given=lambda: [(np.ones(3),)])
        >>> ban.enforce(Answer("spread", local_channel(lambda x: ((x - x.mean()) ** 2).mean())))
        >>> ban.enforce(Answer("spread", local_channel(lambda x: x.var())))
        Traceback (most recent call last):
        jaxcourse.probe._answer.Refused: Your results are right, but you call `np.ndarray.var`, which this task does ...
    """
    return NoCalls(names, given, advice, see, traced)


# -- names ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Only:
    """Nothing but some names: see `only`."""

    names: tuple[str, ...]
    label: ClassVar[str] = "not-a-primitive"
    words: ClassVar[tuple[str, ...]] = (r"\b(?:nothing but|only)\b",)

    def enforce(self, answer: Answer) -> None:
        """Read the names in the code: nothing is run.

        Raises:
            Refused: there is another one, or the answer has no code of its own.
        """
        # `newaxis` is `None`. An untouched stub breaks no rule: it says itself that it is not attempted.
        always = {"jnp", "newaxis", "NotImplementedError"}
        stray = [name for name in answer.probe(code_facts)["names"] if name not in {*self.names, *always}]
        verb = "is" if len(stray) == 1 else "are"
        allowed = f"Allowed are operators, brackets, and {_code(self.names)}."
        if stray:
            raise Refused(self.label, f"{_code(stray[:3])} {verb} against the rules. {allowed}")


def only(*names: str) -> Only:
    """Allow nothing but operators, brackets and some names: for a puzzle, where the primitives are the point.

    Example:
        >>> import jax.numpy as jnp
        >>> from jaxcourse.probe import local_channel
        >>> only("where").enforce(Answer("total", local_channel(lambda a: jnp.cumsum(a))))
        Traceback (most recent call last):
        jaxcourse.probe._answer.Refused: `cumsum` is against the rules. Allowed are operators, brackets, and `where`.
    """
    return Only(names)


def _code(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))
