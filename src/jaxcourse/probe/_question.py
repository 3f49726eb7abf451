"""What makes a function a question, and where its reply comes from."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

Evidence = Literal["values", "programs", "process"]
"""Where a reply comes from: the answer's results on inputs that it has not seen, a program that can be exported and run
elsewhere, or what the student's process says about itself."""

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class Question:
    """What is declared about a question.

    Attributes:
        name: the question's name; `own` for one that a check brings along.
        evidence: see `Evidence`.
        like_a_call: whether its arguments are those of the answer, so that a student can be shown the call.
        like_calls: whether its one argument is a list of calls, each of them the arguments of the answer.
        says_nothing: the label and the message of the refusal if its reply is empty.
        options: the names of its keyword-only arguments, which are its own and none of the answer's.
    """

    name: str
    evidence: Evidence
    like_a_call: bool = False
    like_calls: bool = False
    says_nothing: tuple[str, str] | None = None
    options: frozenset[str] = frozenset()


OWN = Question("own", "process")
"""What is known about a question that a check brings along."""

_declared: dict[Callable[..., Any], Question] = {}


def question(
    *,
    evidence: Evidence,
    like_a_call: bool = False,
    like_calls: bool = False,
    says_nothing: tuple[str, str] | None = None,
) -> Callable[[_Function], _Function]:
    """Declare a function to be a question of ours: see `Question`. The function itself is unchanged.

    Its keyword-only arguments are options of its own: where the call is shown to a student, they are left out.

    Example:
        >>> @question(evidence="values", like_a_call=True)
        ... def ask(student_function, x):
        ...     return student_function(x)
        >>> declared(ask).evidence
        'values'
    """

    def declare(function: _Function) -> _Function:
        takes = inspect.signature(function).parameters.values()
        options = frozenset(one.name for one in takes if one.kind is inspect.Parameter.KEYWORD_ONLY)
        _declared[function] = Question(function.__name__, evidence, like_a_call, like_calls, says_nothing, options)
        return function

    return declare


def declared(function: Callable[..., Any]) -> Question:
    """What is declared about a question; `OWN` if it is a check's own, and the check does not say."""
    return _declared.get(function, OWN)


def is_ours(function: Callable[..., Any]) -> bool:
    """Whether a function is a question that this package declares, so that every process that has it knows it by name.

    A check may declare a question of its own as well, to say what its evidence is; its code is sent along.

    Example:
        >>> is_ours(question), is_ours(len)
        (False, False)
    """
    return function in _declared and function.__module__.partition(".")[0] == __name__.partition(".")[0]
