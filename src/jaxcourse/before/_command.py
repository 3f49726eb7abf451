"""`jaxcourse before file.py:function --like "f32[1000,3]"`: the answer in a terminal."""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from jaxcourse.before._before import LeavesJax, before
from jaxcourse.before._devices import device

_SHAPED = re.compile(r"(?P<dtype>\w+?)(?:\[(?P<shape>[\d, ]*)\])?")
_SHORT = {"f": "float", "s": "int", "i": "int", "u": "uint", "c": "complex", "bf": "bfloat"}


def answered(function: str, likes: Sequence[str], on: Sequence[str] = ()) -> tuple[str, bool]:
    """What the command prints, and whether there was a program to read.

    Args:
        function: its file and its name, such as `model.py:step`.
        likes: the types of its arguments, see `like`.
        on: devices by their names.

    Raises:
        ValueError: either is said in another way.
        FileNotFoundError: there is no such file.
    """
    for name in on:
        device(name)  # a name that is not known is said before anything is compiled
    try:
        said = before(function_of(function), *map(like, likes))
        return "\n\n".join([repr(said), *(repr(said.on(name)) for name in on)]), True
    except LeavesJax as error:
        return str(error), False
    except TypeError as error:
        raise ValueError(f"{function} cannot be called so: {str(error).splitlines()[0]}") from error


def function_of(said: str) -> Callable[..., Any]:
    """A function by its file and its name. The file is run, under a name that is not `__main__`.

    Raises:
        ValueError: it is said in another way, or there is no such function.
        FileNotFoundError: there is no such file.
    """
    file, _, name = said.rpartition(":")
    if not file or not name.isidentifier():
        raise ValueError(f"{said!r} is no FILE.py:FUNCTION")
    if not Path(file).is_file():
        raise FileNotFoundError(f"there is no file {file}")
    sys.path.insert(0, str(Path(file).resolve().parent))  # as when the file itself is run
    try:
        found = runpy.run_path(file, run_name=Path(file).stem).get(name)
    finally:
        sys.path.pop(0)
    if not callable(found):
        raise ValueError(f"{file} has no function {name}")
    function: Callable[..., Any] = found
    return function


def like(said: str) -> Any:
    """An argument without values, by its type.

    Raises:
        ValueError: it is said in another way.

    Example:
        >>> like("f32[1000,3]").shape, like("i32").dtype
        ((1000, 3), dtype('int32'))
    """
    if said == "key":
        return jax.eval_shape(lambda: jax.random.key(0))
    found = _SHAPED.fullmatch(said.strip())
    try:
        if not found:
            raise TypeError
        short = re.sub(r"^(bf|[fsiuc])(?=\d)", lambda letters: _SHORT[letters[0]], found["dtype"])
        shape = tuple(int(n) for n in (found["shape"] or "").split(",") if n.strip())
        return jax.ShapeDtypeStruct(shape, jnp.dtype(short))
    except TypeError:
        raise ValueError(f'{said!r} is no type: write "f32[1000,3]", "i32", "bool[8]" or "key"') from None
