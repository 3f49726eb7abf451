"""The answer, as a check sees it."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from jaxcourse.probe._code import globals_of
from jaxcourse.probe._door import PRINT_LIMIT, Door, Raised, Reply, describe
from jaxcourse.probe._questions import call, itself, kind, written

_DIRECT = {"call", "layout", "leaks", "primitives", "program", "result_type"}
"""Questions whose arguments are those of the answer, so that the call can be shown."""


class AnswerRaised(Exception):
    """The student's code raised. A check may catch it to diagnose the exception; else it is the verdict."""

    def __init__(self, raised: Raised) -> None:
        super().__init__(f"{raised.kind}: {raised.message}")
        self.raised = raised


class Refused(Exception):
    """An answer that no check needs to look at: its label, and what is wrong with it."""

    def __init__(self, label: str, message: str) -> None:
        super().__init__(message)
        self.label, self.message = label, message


@dataclass
class Answer:
    """A student's answer behind a door.

    Attributes:
        name: of the variable that holds it.
        door: the way to it.
        may_change_input: whether it may change its arguments.
        called: the last call, for the verdict to show. A question of a check's own may call the answer as it likes;
            then this is empty, and the check may say what a student would have written.
        returned: what came back from that call.
        printed: the beginning of what was printed; `printed_total`, how many characters.

    Example:
        >>> from jaxcourse.probe import local_door
        >>> answer = Answer("double", local_door(lambda x: 2 * x))
        >>> answer(3)
        6
        >>> answer.called, answer.returned
        ('double(3)', '6')
    """

    name: str
    door: Door
    may_change_input: bool = False
    called: str = field(default="", init=False)
    returned: str = field(default="", init=False)
    printed: str = field(default="", init=False)
    printed_total: int = field(default=0, init=False)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the answer and return its result as plain data.

        Raises:
            AnswerRaised: the answer raised an exception.
            Refused: it is no function, returned nothing, returned something that is not data, or changed its input.
        """
        result = self.probe(call, *args, **kwargs)
        if result is None:
            raise Refused("returned-nothing", f"`{self.name}` returned `None`. Is there a `return` at its end?")
        return result

    def value(self) -> Any:
        """The answer itself, where the answer is a value and not a function."""
        if self.kind() == "function":
            raise Refused("is-a-function", f"`{self.name}` should be a value, but it is a function. Call it?")
        return self._open(itself)

    def kind(self) -> str:
        """`"unfinished"`, `"function"` or `"value"`."""
        return str(self.door(kind).value)

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
        if self.kind() != "function":
            raise Refused("not-a-function", f"`{self.name}` should be a function, but it is {self._type()}.")
        direct = _is_ours(question) and question.__name__ in _DIRECT
        self.called = f"{self.name}({', '.join(_arguments(args, kwargs))})" if direct else ""
        self.returned = ""
        value = self._open(question, *args, **kwargs)
        if question is written and not value:
            raise Refused("not-written-out", "Write it out with `def` and `return`, as a function: its code is read.")
        self.returned = describe(value) if question is call else ""
        return value

    def _type(self) -> str:
        reply = self.door(itself)
        return f"an object of type `{reply.foreign or type(reply.value).__name__}`"

    def _open(self, question: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        reply = self.door(question, *args, **kwargs)
        self.printed_total += reply.printed_total
        self.printed = (self.printed + reply.printed)[:PRINT_LIMIT]
        for refusal in self._refusals(reply):
            raise refusal
        return reply.value

    def _refusals(self, reply: Reply) -> Iterator[Exception]:
        if reply.raised:
            yield AnswerRaised(reply.raised)
        if reply.foreign:
            yield Refused(
                "wrong-type",
                f"An object of type `{reply.foreign}` came back: expected numbers, text, arrays, or lists of these.",
            )
        if reply.changed and not self.may_change_input:
            which = " and ".join(f"argument {i + 1}" for i in reply.changed)
            yield Refused(
                "changed-input",
                f"`{self.name}` changed its own input ({which}): whoever called it has lost the original. "
                "Work on a copy, or write an expression that makes a new array.",
            )


def require_self_contained(question: Callable[..., Any]) -> None:
    """Refuse a question that could not be sent to another process.

    Raises:
        TypeError: it is a lambda, it has a closure, or it uses a global that is not a module.
    """
    if not inspect.isfunction(question) or question.__name__ == "<lambda>":
        raise TypeError(f"a question must be a named function, not {question!r}")
    if _is_ours(question):
        return
    known = {**vars(builtins), **{name: v for name, v in question.__globals__.items() if inspect.ismodule(v)}}
    stray = set(question.__code__.co_freevars) | (globals_of(question.__code__) - known.keys())
    if stray:
        raise TypeError(
            f"the question `{question.__name__}` uses {', '.join(sorted(stray))}: it runs where the student's code "
            "lives, so it may use only its arguments, built-ins and modules. Pass them as arguments."
        )


def _is_ours(question: Callable[..., Any]) -> bool:
    return question.__module__.startswith("jaxcourse.probe.")


def _arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    return [describe(a, brief=True) for a in args] + [f"{k}={describe(v, brief=True)}" for k, v in kwargs.items()]
