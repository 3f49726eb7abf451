"""What makes a function a question: how far its reply can be believed, and how a grader tests whether it is true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np

Evidence = Literal["values", "programs", "process"]
"""Where a reply comes from: the answer's results on inputs that it has not seen, a program that can be exported and run
elsewhere, or what the student's process says about itself."""

Strength = Literal["values", "programs", "code", "process"]
"""How far what was found of an answer can be believed: as its evidence, or, for what the process says about itself,
`code` where the code that ran there was read, and nothing in it could have told the process what to say."""

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Control:
    """A program of the grader's own, about which the same question must get the same answer there as here.

    Attributes:
        source: the program's text, with `{name}` for its name and `{lines}` for a line that is repeated a random
            number of times, so that nobody knows the reply beforehand.
        line: that line.
        args: the arguments of the question.
    """

    source: str
    line: str = ""
    args: tuple[Any, ...] = ()

    def program(self, name: str, times: int) -> str:
        """The program's text.

        Example:
            >>> print(Control("def {name}(x):\\n{lines}    return x\\n", "    x += 1\\n").program("f", 2))
            def f(x):
                x += 1
                x += 1
                return x
            <BLANKLINE>
        """
        return self.source.format(name=name, lines=self.line * times)


@dataclass(frozen=True, eq=False)
class Question:
    """What is declared about a question.

    Attributes:
        name: the question's name; `own` for one that a check brings along.
        evidence: see `Evidence`.
        control: see `Control`; only a question for values may lack one.
        like_a_call: whether its arguments are those of the answer, so that a student can be shown the call.
        says_nothing: the label and the message of the refusal if its reply is empty.
    """

    name: str
    evidence: Evidence
    control: Control | None = None
    like_a_call: bool = False
    says_nothing: tuple[str, str] | None = None


OWN = Question("own", "process")
"""What is known about a question that a check brings along."""

_declared: dict[Callable[..., Any], Question] = {}


def question(
    *,
    evidence: Evidence,
    control: Control | None = None,
    like_a_call: bool = False,
    says_nothing: tuple[str, str] | None = None,
) -> Callable[[_Function], _Function]:
    """Declare a function to be a question of ours: see `Question`. The function itself is unchanged.

    Raises:
        TypeError: its reply is more than values, and there is no control.

    Example:
        >>> @question(evidence="values", like_a_call=True)
        ... def ask(student_function, x):
        ...     return student_function(x)
        >>> declared(ask).evidence
        'values'
        >>> question(evidence="process")(len)
        Traceback (most recent call last):
        TypeError: the question `len` needs a control: without one nobody notices that its reply is forged
    """

    def declare(function: _Function) -> _Function:
        if evidence != "values" and control is None:
            raise TypeError(
                f"the question `{function.__name__}` needs a control: without one nobody notices that its reply is "
                "forged"
            )
        _declared[function] = Question(function.__name__, evidence, control, like_a_call, says_nothing)
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


# -- programs to control with -----------------------------------------------------------------------------------

X = np.linspace(0.0, 1.0, 5, dtype=np.float32)
CALLS = [(X,), (X + 1,), (X[:3].copy(),)]
SINE = "    y = jnp.sin(y) * y\n"
SINES = "def {name}(x):\n    y = jnp.asarray(x)\n{lines}    return y\n"
