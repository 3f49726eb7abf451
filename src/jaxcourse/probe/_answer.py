"""The answer, as a check sees it."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from jaxcourse.probe._channel import PRINT_LIMIT, Channel, GaveAway, Raised, Reply, describe
from jaxcourse.probe._code import globals_of
from jaxcourse.probe._question import declared, is_ours
from jaxcourse.probe._questions import call, itself, kind
from jaxcourse.probe._views import taken_apart

NEEDS_A_VALUE = frozenset(
    {
        "ConcretizationTypeError",
        "TracerArrayConversionError",
        "TracerBoolConversionError",
        "TracerIntegerConversionError",
    }
)
"""What JAX raises when Python or NumPy asks for a number that is not known while it traces."""
NEEDS_A_SHAPE = frozenset({"ConcretizationTypeError", "IndexError: static", "NonConcreteBooleanIndexError"})
"""What JAX raises when a shape would depend on numbers that are not known while it traces: not each `IndexError`, of
which one may say that there are too many indices."""
NEEDS_A_NUMBER = (NEEDS_A_VALUE - NEEDS_A_SHAPE) | {
    f"ConcretizationTypeError: {words}" for words in ("The problem arose with the", "item() method", "tolist() method")
}
"""What JAX raises for a number of Python, a branch or an array of NumPy, and not for a shape: where the class is the
same, its message names the function or method of Python that asked."""


class AnswerRaised(Exception):
    """The student's code raised. A check may catch it to diagnose the exception; otherwise it becomes the verdict.

    Attributes:
        raised: the exception.
        given: the arguments of the call, written out, if a comparison has found the smallest ones that raise.
        case: these arguments.
    """

    def __init__(self, raised: Raised, given: str = "", case: tuple[Any, ...] = ()) -> None:
        super().__init__(f"{raised.kind}: {raised.message}")
        self.raised, self.given, self.case = raised, given, case

    def among(self, kinds: Collection[str]) -> bool:
        """Whether it is one of some exceptions.

        Args:
            kinds: their names; behind a colon may stand what the message must have.

        Example:
            >>> many = AnswerRaised(Raised("IndexError", "Too many indices: array is 1-dimensional"))
            >>> many.among({"IndexError"}), many.among(NEEDS_A_SHAPE)
            (True, False)
        """
        parts = (kind.partition(": ") for kind in kinds)
        return any(self.raised.kind == kind and word in self.raised.message for kind, _, word in parts)


class Stumbled(Exception):
    """A question could not be answered, whatever the answer is: no check may take that for a mistake.

    Attributes:
        raised: what the question raised.
    """

    def __init__(self, raised: Raised) -> None:
        super().__init__(f"{raised.kind}: {raised.message}")
        self.raised = raised


class Refused(Exception):
    """An answer that no check needs to look at: its label, what is wrong with it, and where to read again.

    With `has_call` the message has a call of its own, and no other is shown beside it.
    """

    def __init__(self, label: str, message: str, see: str = "", *, has_call: bool = False) -> None:
        super().__init__(message)
        self.label, self.message, self.see, self.has_call = label, message, see, has_call


@dataclass
class Answer:
    """A student's answer behind a channel.

    Attributes:
        name: of the variable that holds it.
        channel: the way to it.
        may_change_input: whether it may change its arguments.
        called: the last call, for the verdict to show. A check's own question may call the answer as it likes;
            then this is empty, and the check may fill in what a student would have written.
        returned: what came back from that call.
        asked: the arguments of each call so far, as far as the questions say that they are like calls.
        settings: what it changed for the whole process, in words.
        callbacks: by which primitives its programs call Python, as far as they were looked at.
        printed: the beginning of what was printed; `printed_total`, how many characters.

    Example:
        >>> from jaxcourse.probe import local_channel
        >>> answer = Answer("double", local_channel(lambda x: 2 * x))
        >>> answer(3)
        6
        >>> answer.called, answer.returned
        ('double(3)', '6')
    """

    name: str
    channel: Channel
    may_change_input: bool = False
    called: str = field(default="", init=False)
    returned: str = field(default="", init=False)
    asked: list[tuple[Any, ...]] = field(default_factory=list, init=False)
    settings: str = field(default="", init=False)
    callbacks: set[str] = field(default_factory=set, init=False)
    printed: str = field(default="", init=False)
    printed_total: int = field(default=0, init=False)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the answer and return its result as plain data.

        Raises:
            AnswerRaised: the answer raised an exception.
            Refused: it is not a function, returned nothing, returned something that is not data, or changed its input.
        """
        result = self.probe(call, *args, **kwargs)
        if result is None:
            raise Refused("returned-nothing", f"`{self.name}` returned `None`. Is there a `return` at its end?")
        return result

    def value(self) -> Any:
        """The answer itself, where the answer is a value and not a function."""
        if self.kind == "function":
            message = f"`{self.name}` should be a value, but it is a function. Did you forget to call it?"
            raise Refused("is-a-function", message)
        return self._open(itself)

    @cached_property
    def kind(self) -> str:
        """`"unfinished"`, `"function"` or `"value"`: asked once.

        Raises:
            Stumbled: it could not be found out.
        """
        reply = self.channel(kind)
        if reply.raised:
            raise Stumbled(reply.raised)
        return str(reply.value)

    def probe(self, question: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Run `question(student_function, *args, **kwargs)` where the student's code lives.

        Args:
            question: a named, module-level function that uses nothing but its arguments, built-ins and modules.
            *args: plain data.
            **kwargs: plain data.

        Returns:
            Its result as plain data.

        Raises:
            AnswerRaised: the answer raised an exception.
            Refused: as for a call.
            TypeError: the question could not be sent to another process.
        """
        require_self_contained(question)
        if self.kind != "function":
            raise Refused("not-a-function", f"`{self.name}` should be a function, but it is {self._type()}.")
        asked = declared(question)
        named = {name: value for name, value in kwargs.items() if name not in asked.options}
        self.called = f"{self.name}({', '.join(_arguments(args, named))})" if asked.like_a_call else ""
        self.returned = ""
        if asked.like_a_call:
            self.asked.append(args)
        if asked.like_calls:
            self.asked += args[0]
        value = self._open(question, *args, **kwargs)
        if asked.says_nothing and not value:
            raise Refused(*asked.says_nothing)
        self.returned = describe(value) if question is call else ""
        return value

    def attempt(self, question: Callable[..., Any], *args: Any, expected: Collection[str]) -> tuple[Any, str]:
        """Ask a question that may well raise.

        Args:
            question: as for `probe`.
            *args: plain data.
            expected: the exceptions that the check wants to diagnose itself, see `AnswerRaised.among`.

        Returns:
            Its result and an empty text; or nothing and the name of the exception.

        Raises:
            AnswerRaised: the answer raised something else.
            Refused: as for `probe`.

        Example:
            >>> from jaxcourse.probe import local_channel
            >>> answer = Answer("half", local_channel(lambda x: 1 / x))
            >>> answer.attempt(call, 0, expected=["ZeroDivisionError"]), answer.attempt(call, 2, expected=[])
            ((None, 'ZeroDivisionError'), (0.5, ''))
        """
        try:
            return self.probe(question, *args), ""
        except AnswerRaised as error:
            if not error.among(expected):
                raise
            return None, error.raised.kind

    def _type(self) -> str:
        reply = self.channel(itself)
        return f"an object of type `{reply.foreign or type(reply.value).__name__}`"

    def _open(self, question: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        reply = self.channel(question, *taken_apart(args), **taken_apart(kwargs))
        self.settings = self.settings or reply.settings
        self.callbacks |= set(reply.callbacks)
        self.printed_total += reply.printed_total
        self.printed = (self.printed + reply.printed)[:PRINT_LIMIT]
        for refusal in self._refusals(reply, [*map(str, range(1, len(args) + 1)), *(f"`{name}`" for name in kwargs)]):
            raise refusal
        return reply.value

    def _refusals(self, reply: Reply, names: Sequence[str]) -> Iterator[Exception]:
        if reply.raised and reply.raised.kind == GaveAway.__name__:
            yield Refused(
                "changed-input",
                f"`{self.name}` donated its own input, so its caller has lost the original. Donate only what "
                "your own code has made.",
            )
        if reply.raised:
            yield Stumbled(reply.raised) if reply.raised.cannot_read else AnswerRaised(reply.raised)
        if reply.foreign:
            yield Refused(
                "wrong-type",
                f"An object of type `{reply.foreign}` came back. Return numbers, text, arrays, or lists of these.",
            )
        if reply.changed and not self.may_change_input:
            which = " and ".join(f"argument {names[i]}" for i in reply.changed if i < len(names))
            yield Refused(
                "changed-input",
                f"`{self.name}` changed its own input ({which}), so its caller has lost the original. "
                "Work on a copy, or write an expression that makes a new array.",
            )


def require_self_contained(question: Callable[..., Any]) -> None:
    """Refuse a question that could not be sent to another process.

    Raises:
        TypeError: it is a lambda, it has a closure, or it uses a global that is not a module.
    """
    if not inspect.isfunction(question) or question.__name__ == "<lambda>":
        raise TypeError(f"a question must be a named function, not {question!r}")
    if is_ours(question):
        return
    known = {**vars(builtins), **{name: v for name, v in question.__globals__.items() if inspect.ismodule(v)}}
    stray = set(question.__code__.co_freevars) | (globals_of(question.__code__) - known.keys())
    if stray:
        raise TypeError(
            f"the question `{question.__name__}` uses {', '.join(sorted(stray))}: it runs where the student's code "
            "lives, so it may use only its arguments, built-ins and modules. Pass them as arguments."
        )


def _arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    return [describe(a, brief=True) for a in args] + [f"{k}={describe(v, brief=True)}" for k, v in kwargs.items()]
