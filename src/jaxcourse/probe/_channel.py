"""The channel between a check and an answer: a question goes in, plain data comes out."""

from __future__ import annotations

import contextlib
import copy
import functools
import io
import linecache
import os
import random
import sysconfig
import traceback
import types
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import insides
from jaxcourse.paths import PACKAGE
from jaxcourse.probe._code import inner
from jaxcourse.probe._views import put_together

PRINT_LIMIT = 2_000
"""How many characters of what an answer prints are kept."""

_LIBRARIES = [Path(path) for name, path in sysconfig.get_paths().items() if name not in ("data", "scripts")]
NOT_THE_STUDENTS = tuple(
    f"{folder}{os.sep}"
    for library in [*_LIBRARIES, PACKAGE]
    for folder in (library, library.resolve())  # a traceback has the path as it was imported: lib64 may link to lib
)


class GaveAway(Exception):
    """An answer donated the buffers of its arguments: whoever called it has lost them."""


class NotPortable(TypeError):
    """A value that is not plain data and so cannot pass through the channel."""


@dataclass(frozen=True)
class Raised:
    """An exception that an answer, or a question about it, raised.

    Attributes:
        kind: the name of its type.
        message: the beginning of its message.
        line: the last line of the student's own code that it passed through.
        own: whether it passed through code of the student's own. If not, it may be the question's fault.
        within: the function of the question that this code called, such as a model, if it was raised there.
    """

    kind: str
    message: str
    line: str = ""
    own: bool = True
    within: str = ""

    @property
    def cannot_read(self) -> bool:
        """Whether a question could not be answered, whatever the answer is."""
        return self.kind == insides.CannotRead.__name__ and not self.own


@dataclass(frozen=True)
class Reply:
    """What came back through the channel.

    Attributes:
        value: plain data, see `portable`.
        raised: the exception, if the answer raised one.
        foreign: the type's name, if the value was not plain data.
        changed: the positions of arguments that the answer changed; those given by name come after the others.
        settings: what the answer changed for the whole process, in words: settings of JAX and NumPy, and the
            shared random state. It has been put back.
        callbacks: the primitives by which a program that was looked at calls Python, sorted.
        printed: the first `PRINT_LIMIT` characters that the answer printed.
        printed_total: how many characters it printed in all.
    """

    value: Any = None
    raised: Raised | None = None
    foreign: str = ""
    changed: tuple[int, ...] = ()
    settings: str = ""
    callbacks: tuple[str, ...] = ()
    printed: str = ""
    printed_total: int = 0


class Channel(Protocol):
    """Runs `question(student_object, *args, **kwargs)` where the student's object lives."""

    def __call__(self, question: Callable[..., Any], *args: Any, **kwargs: Any) -> Reply: ...


@dataclass
class _CutStream(io.TextIOBase):
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
    if value is None or is_really(value, bool, int, float, complex, str, np.generic):
        return value
    if is_really(value, np.ndarray, jax.Array, jax.core.Tracer):  # a tracer that has leaked raises, and says so
        return _plain_array(value)
    if type(value) in (list, tuple):
        return type(value)(portable(item) for item in value)
    if is_really(value, tuple):  # a named tuple
        return tuple(portable(item) for item in value)
    if is_really(value, dict) and all(is_really(key, str, int) for key in value):
        return {key: portable(item) for key, item in value.items()}
    raise NotPortable(type(value).__name__)


def is_really(value: Any, *kinds: type) -> bool:
    """Whether a value is of one of some types, or of one that inherits from them: `isinstance` asks the value itself.

    Example:
        >>> class Pretender:
        ...     __class__ = jax.Array
        >>> isinstance(Pretender(), jax.Array), is_really(Pretender(), jax.Array), is_really(jnp.ones(3), jax.Array)
        (True, False, True)
    """
    return issubclass(type(value), kinds)


def _plain_array(value: np.ndarray | jax.Array) -> np.ndarray:
    if isinstance(value, np.ma.MaskedArray):
        raise NotPortable("MaskedArray")  # without its mask it would be another array
    if jnp.issubdtype(value.dtype, jax.dtypes.extended):
        raise NotPortable("array of keys")
    array = np.asarray(value)
    if array.dtype.hasobject:
        raise NotPortable("array of Python objects")
    return array


def local_channel(student_object: Any) -> Channel:
    """The channel of a notebook: ask the student's object in this process.

    Args:
        student_object: a function or a value.

    Returns:
        A channel to it.

    Example:
        >>> channel = local_channel(lambda x: x + 1)
        >>> channel(lambda function, x: function(x), 2).value
        3
    """
    student_object = safe_to_jit(student_object)

    def channel(question: Callable[..., Any], *args: Any, **kwargs: Any) -> Reply:
        given = [*args, *kwargs.values()]
        before = copy.deepcopy(given)
        stream = _CutStream()
        outcome: dict[str, Any] = {}
        with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
            try:
                with insides.our_settings(), _settings_kept(outcome), insides.noting() as called:
                    value = question(student_object, *put_together(args), **put_together(kwargs))
                outcome |= {"value": portable(value), "callbacks": tuple(sorted(called))}
            except NotPortable as error:
                outcome["foreign"] = str(error)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # SystemExit too: an answer must not end the student's session
                outcome["raised"] = describe_error(error, question)
        changed = tuple(i for i, (old, new) in enumerate(zip(before, given, strict=True)) if not identical(old, new))
        return Reply(**outcome, changed=changed, printed=stream.kept, printed_total=stream.total)

    return channel


@contextlib.contextmanager
def _settings_kept(outcome: dict[str, Any]) -> Iterator[None]:
    """Put back whatever was changed for the whole process, and note it as `settings`."""
    before = _settings()
    try:
        yield
    finally:
        now = _settings()
        changed = [name for name, value in before.items() if now[name] != value]
        for name in changed:
            _SETTINGS[name][1](before[name])
        outcome["settings"] = ", ".join(_in_words(name, before[name], now[name]) for name in changed)


def _generator_state() -> Any:
    """The state of NumPy's own generator, in which two can be compared."""
    name, words, *rest = np.random.get_state()
    return name, np.asarray(words).tobytes(), *rest


def _draw_on(state: Any) -> None:
    name, words, *rest = state
    np.random.set_state((name, np.frombuffer(words, np.uint32), *rest))


_SETTINGS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "jax.config": (insides.settings, insides.set_back),
    "np.seterr": (np.geterr, lambda value: np.seterr(**value)),
    "np.set_printoptions": (np.get_printoptions, lambda value: np.set_printoptions(**value)),
    "np.random": (_generator_state, _draw_on),
    "random": (random.getstate, random.setstate),
}
"""What is set for the whole process: how to read it, and how to put it back."""


def _settings() -> dict[str, Any]:
    return {name: read() for name, (read, _) in _SETTINGS.items()}


def _in_words(name: str, before: Any, now: Any) -> str:
    """A setting by its name; for JAX's configuration, the names of those that changed."""
    if name != "jax.config":
        return f"`{name}`"
    return ", ".join(f"`{key}`" for key, value in before.items() if now.get(key) != value)


def safe_to_jit(student_object: Any) -> Any:
    """The object, wrapped if it is a function without weak references or a hash, such as a NumPy ufunc.

    `jax.jit` needs both; without weak references, it crashes the process the second time:
    https://github.com/jax-ml/jax/issues/9541
    """
    if not callable(student_object):
        return student_object
    try:
        hash(weakref.ref(student_object))
    except TypeError:
        return functools.partial(student_object)
    return student_object


def identical(old: Any, new: Any) -> bool:
    """Whether two pieces of plain data are the same to the last bit (NaN equals NaN).

    Example:
        >>> identical(np.array([1.0, np.nan]), np.array([1.0, np.nan]))
        True
    """
    if isinstance(old, (np.ndarray, jax.Array)) and isinstance(new, (np.ndarray, jax.Array)):
        if any(isinstance(array, jax.Array) and array.is_deleted() for array in (old, new)):
            return False
        old, new = np.asarray(old), np.asarray(new)
        return bool(old.shape == new.shape and old.dtype == new.dtype and old.tobytes() == new.tobytes())
    if type(old) is not type(new):
        return False
    if isinstance(old, (list, tuple)):
        return len(old) == len(new) and all(map(identical, old, new))
    if isinstance(old, dict):
        return old.keys() == new.keys() and all(identical(old[key], new[key]) for key in old)
    return bool(old == new or (old != old and new != new))


def describe_error(error: BaseException, question: Callable[..., Any] | None = None) -> Raised:
    """An exception as plain data.

    Args:
        error: what was raised.
        question: what was being asked; its code is not the student's, wherever it is written.
    """
    try:
        message = str(error)
    except Exception:  # a `__str__` of the student's own may raise, too
        message = ""
    if question:
        message = message.replace(f"{question.__qualname__}.<locals>.", "")  # a reader has never heard of it
    lines, within = _own_lines(error, getattr(question, "__code__", None))
    line = next(filter(None, reversed(lines)), "")
    return Raised(type(error).__name__, message[:PRINT_LIMIT], line, bool(lines), within)


def _own_lines(error: BaseException, question: types.CodeType | None) -> tuple[list[str], str]:
    """The lines of the student's own code that the exception passed through, as far as they are known.

    Behind them stands the function of the question that the last of these called, if it got there.
    """
    given = set(inner(question)) if question else set()
    lines: list[str] = []
    within = ""
    for frame, number in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        if code in given:
            within = code.co_name if lines and code.co_name.isidentifier() else ""
        elif code is not question and not str(code.co_filename).startswith(NOT_THE_STUDENTS):
            lines.append(linecache.getline(code.co_filename, number).strip())
            within = ""
    return lines, within


def describe(value: Any, *, brief: bool = False) -> str:
    """A value in a few words: an array by dtype and shape, with its numbers if they are few.

    Args:
        value: plain data.
        brief: leave out the numbers in arrays.

    Example:
        >>> describe(np.ones((2, 2), np.float32))
        'float32[2,2] = [[1.0, 1.0], [1.0, 1.0]]'
        >>> describe((1, "a"))
        "(1, 'a')"
    """
    if isinstance(value, (np.ndarray, jax.Array)):
        array = np.asarray(value)
        name = f"{array.dtype.name}[{','.join(map(str, array.shape))}]"
        return name if brief or array.size > 8 else _shorten(f"{name} = {array.tolist()}", 300)
    return _shorten(repr(value), 120)


def _shorten(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."
