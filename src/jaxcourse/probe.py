"""What is asked of an answer, and the one door through which it is asked.

A check never touches a student's object. It asks questions through a *door*: a question is a function that runs
where the student's code lives, and its reply is plain data. In a notebook the door is a plain call; a grader
can put another process behind it without changing a line of any check.
"""

from __future__ import annotations

import builtins
import contextlib
import copy
import dis
import inspect
import io
import linecache
import sysconfig
import traceback
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import jax
import numpy as np

PRINT_LIMIT = 2_000
"""How many characters of what an answer prints are kept."""

_NOT_THE_STUDENTS = tuple(
    str(Path(path).resolve())
    for path in {*sysconfig.get_paths().values(), str(Path(__file__).parent)}
    if Path(path).name not in ("data", "bin", "scripts")
)


class NotPortable(TypeError):
    """A value that is not plain data, so it cannot pass the door."""


@dataclass(frozen=True)
class Raised:
    """An exception that an answer raised: its type's name, its message, and the student's own line."""

    kind: str
    message: str
    line: str = ""


@dataclass(frozen=True)
class Reply:
    """What came back through the door.

    Attributes:
        value: plain data, see `portable`.
        raised: the exception, if the answer raised one.
        foreign: the type's name, if the value was not plain data.
        changed: the positions of arguments that the answer changed.
        printed: the first `PRINT_LIMIT` characters that the answer printed.
        printed_total: how many characters it printed in all.
    """

    value: Any = None
    raised: Raised | None = None
    foreign: str = ""
    changed: tuple[int, ...] = ()
    printed: str = ""
    printed_total: int = 0


class Door(Protocol):
    """Runs `question(student_object, *args, **kwargs)` where the student's object lives."""

    def __call__(self, question: Callable[..., Any], *args: Any, **kwargs: Any) -> Reply: ...


@dataclass
class _Tape(io.TextIOBase):
    """A text stream that counts everything and keeps only the beginning."""

    kept: str = ""
    total: int = 0

    def write(self, text: str) -> int:
        self.kept += text[: max(0, PRINT_LIMIT - len(self.kept))]
        self.total += len(text)
        return len(text)


def portable(value: Any) -> Any:
    """Turn a value into plain data: numbers, text, NumPy arrays without objects, and containers of these.

    Args:
        value: anything; a `jax.Array` becomes a NumPy array of the same shape and dtype.

    Returns:
        The same value as plain data.

    Raises:
        NotPortable: for everything else, with the type's name as its message.

    Example:
        >>> portable({"a": [1, np.float32(2.5)]})
        {'a': [1, np.float32(2.5)]}
    """
    if value is None or isinstance(value, (bool, int, float, complex, str, np.generic)):
        return value
    if isinstance(value, (np.ndarray, jax.Array)):
        return _plain_array(value)
    if type(value) in (list, tuple):
        return type(value)(portable(item) for item in value)
    if isinstance(value, tuple):  # a named tuple
        return tuple(portable(item) for item in value)
    if isinstance(value, dict) and all(isinstance(key, (str, int)) for key in value):
        return {key: portable(item) for key, item in value.items()}
    raise NotPortable(type(value).__name__)


def _plain_array(value: np.ndarray | jax.Array) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.hasobject:
        raise NotPortable("array of Python objects")
    return array


def local_door(student_object: Any) -> Door:
    """The door of a notebook: ask the student's object in this process.

    Args:
        student_object: a function or a value.

    Returns:
        A door to it.

    Example:
        >>> door = local_door(lambda x: x + 1)
        >>> door(call, 2).value
        3
    """

    def door(question: Callable[..., Any], *args: Any, **kwargs: Any) -> Reply:
        before = copy.deepcopy(args)
        tape = _Tape()
        outcome: dict[str, Any] = {}
        with contextlib.redirect_stdout(tape), contextlib.redirect_stderr(tape):
            try:
                outcome["value"] = portable(question(student_object, *args, **kwargs))
            except NotPortable as error:
                outcome["foreign"] = str(error)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # SystemExit too: an answer must not end the student's session
                outcome["raised"] = _describe_error(error)
        changed = tuple(i for i, (old, new) in enumerate(zip(before, args, strict=True)) if not identical(old, new))
        return Reply(**outcome, changed=changed, printed=tape.kept, printed_total=tape.total)

    return door


def identical(old: Any, new: Any) -> bool:
    """Whether two pieces of plain data are the same to the last bit (NaN equals NaN).

    Example:
        >>> identical(np.array([1.0, np.nan]), np.array([1.0, np.nan]))
        True
    """
    if isinstance(old, (np.ndarray, jax.Array)):
        old, new = np.asarray(old), np.asarray(new)
        return bool(old.shape == new.shape and old.dtype == new.dtype and old.tobytes() == new.tobytes())
    if isinstance(old, (list, tuple)):
        return len(old) == len(new) and all(map(identical, old, new))
    if isinstance(old, dict):
        return old.keys() == new.keys() and all(identical(old[key], new[key]) for key in old)
    return bool(old == new or (old != old and new != new))


def _describe_error(error: BaseException) -> Raised:
    return Raised(type(error).__name__, str(error)[:PRINT_LIMIT], _own_line(error))


def _own_line(error: BaseException) -> str:
    """The last line of the student's own code that the exception passed through."""
    own = ""
    for frame, number in traceback.walk_tb(error.__traceback__):
        filename = frame.f_code.co_filename
        if not str(filename).startswith(_NOT_THE_STUDENTS):
            own = linecache.getline(filename, number).strip() or own
    return own


# ---------------------------------------------------------------------------------------------------------------
# Questions. Each takes the student's object first. They are named, self-contained functions, because a grader
# sends them to another process.
# ---------------------------------------------------------------------------------------------------------------


def kind(student_object: Any) -> str:
    """`"unfinished"` if a `...` is left anywhere, else `"function"` or `"value"`."""
    if _has_ellipsis(student_object):
        return "unfinished"
    return "function" if callable(student_object) else "value"


def _has_ellipsis(value: Any) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return any(map(_has_ellipsis, value))
    return value is Ellipsis


def call(student_function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The answer's result."""
    return student_function(*args, **kwargs)


def itself(student_value: Any) -> Any:
    """The answer, where the answer is a value."""
    return student_value


def result_type(student_function: Callable[..., Any], *args: Any) -> str:
    """The name of the result's type, such as `"ndarray"`, `"list"` or `"Array"`: what came back before the door."""
    if isinstance(result := student_function(*args), jax.Array):
        return "jax.Array"
    return type(result).__name__


def layout(student_function: Callable[..., Any], array: np.ndarray, *args: Any) -> dict[str, Any]:
    """How the result, a NumPy array, lies in memory, and whether it shares memory with its first argument.

    Args:
        student_function: the answer.
        array: its first argument.
        *args: its other arguments.

    Returns:
        `type`, the type's name; for an array also `values`, `shape`, `strides` (bytes), `dtype`, `order` ("C",
        "F", "both" or "neither"), `shares` (a bool) and `writeable`.

    Example:
        >>> facts = layout(lambda x: x.T, np.zeros((2, 3)))
        >>> facts["strides"], facts["order"], facts["shares"]
        ((8, 24), 'F', True)
    """
    result = student_function(array, *args)
    if not isinstance(result, np.ndarray):
        return {"type": "jax.Array" if isinstance(result, jax.Array) else type(result).__name__}
    c, f = result.flags.c_contiguous, result.flags.f_contiguous
    return {
        "type": "ndarray",
        "values": result.copy(),
        "shape": result.shape,
        "strides": result.strides,
        "dtype": str(result.dtype),
        "order": {(True, True): "both", (True, False): "C", (False, True): "F"}.get((c, f), "neither"),
        "shares": bool(np.shares_memory(result, array)),
        "writeable": bool(result.flags.writeable),
    }


def written(student_function: Callable[..., Any]) -> dict[str, Any]:
    """What a function's code is made of: the names that it uses, and whether it loops.

    Args:
        student_function: the answer.

    Returns:
        `names`, the global names and attributes in the code, sorted; `loops`, how many places in it are jumped back to:
        0 if and only if there is no loop and no comprehension.

    Example:
        >>> def doubled(x):
        ...     return np.array([2 * v for v in x])
        >>> written(doubled)
        {'names': ['array', 'np'], 'loops': 1}
    """
    code = inspect.unwrap(student_function).__code__
    parts = [code, *_inner(code)]
    return {"names": sorted({name for part in parts for name in part.co_names}), "loops": sum(map(_loops, parts))}


def _loops(code: types.CodeType) -> int:
    """Every loop jumps back to its own beginning."""
    return len({step.argval for step in dis.get_instructions(code) if "BACKWARD" in step.opname})


def _inner(code: types.CodeType) -> Iterator[types.CodeType]:
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield part
            yield from _inner(part)


# ---------------------------------------------------------------------------------------------------------------
# The answer, as a check sees it.
# ---------------------------------------------------------------------------------------------------------------


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

    Example:
        >>> answer = Answer("double", local_door(lambda x: 2 * x))
        >>> answer(np.arange(3))
        array([0, 2, 4])
        >>> answer.called, answer.returned
        ('double(int64[3])', 'int64[3] = [0, 2, 4]')
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
        self.called = f"{self.name}({', '.join(_arguments(args, kwargs))})"
        return self._open(question, *args, **kwargs)

    def _type(self) -> str:
        reply = self.door(itself)
        return f"an object of type `{reply.foreign or type(reply.value).__name__}`"

    def _open(self, question: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        reply = self.door(question, *args, **kwargs)
        self.printed_total += reply.printed_total
        self.printed = (self.printed + reply.printed)[:PRINT_LIMIT]
        self.returned = "" if reply.raised or reply.foreign else describe(reply.value)
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
    if question.__module__ == __name__:
        return
    known = {**vars(builtins), **{name: v for name, v in question.__globals__.items() if inspect.ismodule(v)}}
    stray = set(question.__code__.co_freevars) | (_globals_of(question.__code__) - known.keys())
    if stray:
        raise TypeError(
            f"the question `{question.__name__}` uses {', '.join(sorted(stray))}: it runs where the student's code "
            "lives, so it may use only its arguments, built-ins and modules. Pass them as arguments."
        )


def _globals_of(code: types.CodeType) -> set[str]:
    """The global names that a function's code reads, in the functions inside it too."""
    steps = [step for part in (code, *_inner(code)) for step in dis.get_instructions(part)]
    return {str(step.argval) for step in steps if step.opname == "LOAD_GLOBAL"}


def _arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    return [describe(a, brief=True) for a in args] + [f"{k}={describe(v, brief=True)}" for k, v in kwargs.items()]


def describe(value: Any, *, brief: bool = False) -> str:
    """A value in a few words: an array by dtype and shape, with its numbers if they are few.

    Args:
        value: plain data.
        brief: leave the numbers of arrays out.

    Example:
        >>> describe(np.ones((2, 2), np.float32))
        'float32[2,2] = [[1.0, 1.0], [1.0, 1.0]]'
        >>> describe((1, "a"))
        "(1, 'a')"
    """
    if isinstance(value, (np.ndarray, jax.Array)):
        array = np.asarray(value)
        name = f"{array.dtype.name}[{','.join(map(str, array.shape))}]"
        return name if brief or array.size > 8 else f"{name} = {array.tolist()}"
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."
