"""A student's process: it enters the sandbox, runs the student's code, and answers the questions of the checks.

It is forked from the warm parent and never returns. All that it knows of the grader is one socket. It is not trusted:
what it sends is plain data (`_wire`), and no verdict is made here.
"""

from __future__ import annotations

import ast
import asyncio
import builtins
import collections
import contextlib
import copy
import dataclasses
import functools
import gc
import importlib
import importlib.util
import inspect
import io
import linecache
import marshal
import math
import os
import random
import re
import socket
import sys
import time
import types
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.export
import jax.extend.core
import jax.monitoring
import numpy as np
import numpy.lib.format
import numpy.testing

from jaxcourse import probe
from jaxcourse._runtime import keep_programs
from jaxcourse.grade.isolation import _look, _sandbox, _wire
from jaxcourse.grade.isolation._shell import Shell, finished
from jaxcourse.probe import Reply, describe_error, facts, local_channel, portable

_PACKAGE = __name__.partition(".")[0]
_REACHED = (
    *(builtins, collections, copy, dataclasses, functools, gc, inspect, math, time),
    *(np.testing, np.lib.format),
    *(jax.core, jax.dtypes, jax.errors, jax.export, jax.lax, jax.monitoring, jax.random, jax.tree_util),
)
"""Other people's modules that the answers to our questions rest on, and that no module of ours needs to name."""
_SILENCED = (asyncio, warnings)
"""Students do replace functions of these, to be rid of warnings, and no answer rests on them."""


def stood_on() -> list[types.ModuleType]:
    """The modules that a student has no reason to change: what answers our questions rests on them.

    They are this module and `probe`, every module of the package that these reach through what they import, and every
    other module that one of them names.
    """
    found = [sys.modules[__name__], probe, *_REACHED]
    for module in found:
        if module.__name__.partition(".")[0] == _PACKAGE:
            reached = dict.fromkeys(map(_module_of, vars(module).values()))
            found += [other for other in reached if other is not None and other not in (*found, *_SILENCED)]
    return found


def _module_of(value: Any) -> types.ModuleType | None:
    """A module itself, or the module of our package in which a function or a class is defined."""
    if isinstance(value, types.ModuleType):
        return value
    name = getattr(value, "__module__", None)
    return sys.modules.get(name) if isinstance(name, str) and name.partition(".")[0] == _PACKAGE else None


@dataclasses.dataclass(frozen=True)
class Watch:
    """What modules held before any student's code ran. A fork keeps identities, so they can be compared with today's.

    Attributes:
        modules: those that are watched.
        marks: for each name the identity of its object and of that object's code.
    """

    modules: tuple[types.ModuleType, ...]
    marks: dict[str, tuple[int, int]]

    @classmethod
    def over(cls, modules: Sequence[types.ModuleType]) -> Watch:
        """A watch over modules as they are now."""
        return cls(tuple(modules), _marks(modules))

    def replaced(self) -> list[str]:
        """The names that are not what they were, at most twenty."""
        now = _marks(self.modules)
        return sorted(name for name, mark in self.marks.items() if now.get(name) != mark)[:20]


def _marks(modules: Sequence[types.ModuleType]) -> dict[str, tuple[int, int]]:
    places = {f"sys.modules[{module.__name__!r}]": (id(sys.modules.get(module.__name__)), 0) for module in modules}
    return places | {
        f"{module.__name__}.{name}": (id(value), _inside(value))
        for module in modules
        for name, value in list(vars(module).items())
        if name != "_" and (callable(value) or isinstance(value, types.ModuleType))
    }


def _inside(value: Any) -> int:
    """The identity of a function's code, or of all that one of our classes holds."""
    if isinstance(value, type) and _module_of(value):
        return hash(tuple(id(getattr(part, "__code__", part)) for part in vars(value).values()))
    return id(getattr(value, "__code__", None))


_VERBS = ("check", "hint", "solution")
_SHIMS = ("display", *_VERBS)
"""What only a notebook has. Calls to these do nothing here."""


def main(channel: socket.socket, settings: dict[str, Any], watch: Watch) -> None:
    """Live as a student's process until the judge hangs up.

    Args:
        channel: the socket to the judge.
        settings: `scratch` (a folder), `cache` (of compiled programs, or empty), `fill` (whether to write there),
            `readable` (paths), `limits`, `protections` (names).
        watch: over what the answers to questions rest on, begun before any student's code ran.
    """
    os.setsid()  # a group of its own, to be killed as one
    _shut_out(channel)
    _reseed()
    if settings["cache"]:  # a student's process must not write there, since others read
        keep_programs(Path(settings["cache"]), read_only=not settings["fill"])
    try:
        _protect(settings)
    except Exception as error:
        _wire.send(channel, {"failed": f"{type(error).__name__}: {error}"})
        return
    _wire.send(channel, {"failed": ""})
    _Student(channel, watch).serve()


def _protect(settings: dict[str, Any]) -> None:
    """Enter the sandbox; there is no way back."""
    scratch, readable = Path(settings["scratch"]), [Path(path) for path in settings["readable"]]
    limits = _sandbox.Limits(**settings["limits"])
    # The cache holds our own solutions, compiled. A program's name is its hash: who has the program may have it.
    cache = [Path(settings["cache"])] if settings["cache"] else []
    _sandbox.enter(scratch, readable, limits, settings["protections"], named=cache)


def _shut_out(channel: socket.socket) -> None:
    """Keep one descriptor: an inherited one would reach the warm parent, or another student."""
    _sandbox.close_all_but({channel.fileno()})
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(), io.StringIO(), io.StringIO()


def _reseed() -> None:
    """Forget the randomness inherited from the parent: two students must not draw the same numbers."""
    random.seed()
    np.random.seed()


# -- the student's notebook -------------------------------------------------------------------------------------


class _Student:
    """The names in a student's notebook, and the answers to what the judge asks."""

    def __init__(self, channel: socket.socket, watch: Watch) -> None:
        self.channel, self.watch = channel, watch
        self.setup: dict[str, Any] = {
            "__builtins__": builtins,
            "__name__": "__main__",
            **dict.fromkeys(_SHIMS, _Silent()),
            "get_ipython": lambda: Shell(_Silent),
        }
        self.loops: list[asyncio.AbstractEventLoop] = []
        self.names = self.setup
        sys.modules.update(_colab())

    def serve(self) -> None:
        """Answer one request after the other until the other side hangs up."""
        verbs = (
            self.begin,
            self.run,
            self.defined,
            self.ask,
            self.define,
            self.export,
            self.open,
            self.patched,
            self.look,
        )
        handlers: dict[str, Callable[..., dict[str, Any]]] = {verb.__name__: verb for verb in verbs}
        with contextlib.suppress(EOFError, OSError):
            while True:
                request = _wire.receive(self.channel, on_device=True)
                nonce, handler = request.pop("nonce"), handlers[request.pop("do")]
                self.channel.sendall(_packed(nonce, handler(**request)))

    def begin(self, as_it_stands: bool = False) -> dict[str, Any]:
        """Begin with the names that the lesson's set-up left: each exercise has its own.

        Args:
            as_it_stands: whether a whole notebook follows. As in a notebook, modules are found in its folder, and its
                calls of `check`, which is not here, do nothing.
        """
        if as_it_stands:
            sys.path.insert(0, os.getcwd())
            self.setup.update(dict.fromkeys(_VERBS, _Silent()))
        notebook = types.ModuleType("__main__")
        vars(notebook).update(self.setup)
        self.names = vars(notebook)
        sys.modules["__main__"] = notebook
        return {}

    def run(self, source: str, filename: str, line: int) -> dict[str, Any]:
        """Run a statement, which begins at a line of its cell; say what it raised."""
        _remember(source, filename, line)
        try:
            with _quiet():
                self._execute("\n" * (line - 1) + source, filename)
        except BaseException as error:  # SystemExit too
            return {"raised": dataclasses.asdict(describe_error(error))}
        return {"raised": None}

    def _execute(self, source: str, filename: str) -> None:
        code = compile(source, filename, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        if code.co_flags & inspect.CO_COROUTINE:
            finished(eval(code, self.names), self.loops)
        else:
            exec(code, self.names)

    def defined(self, variable: str) -> dict[str, Any]:
        """Whether there is something of this name."""
        return {"defined": variable in self.names}

    def define(self, source: str, variable: str) -> dict[str, Any]:
        """Define something of the judge's own, out of reach of the student's names, and give it a name among them."""
        apart: dict[str, Any] = {"np": np, "jax": jax, "jnp": jax.numpy}
        exec(source, apart)
        self.names[variable] = apart[variable]
        return {}

    def ask(
        self, variable: str, question: Any, args: Sequence[Any], kwargs: dict[str, Any], traced: bool
    ) -> dict[str, Any]:
        """Ask a question of an answer, through the same channel as in a notebook; perhaps as it is while traced."""
        answer = _always_traced(self.names[variable]) if traced else self.names[variable]
        with _quiet():
            reply = local_channel(answer)(_question(question), *args, **kwargs)
        return dataclasses.asdict(reply)

    def export(self, variable: str, placed: dict[str, Any] | None, args: Sequence[Any]) -> dict[str, Any]:
        """The program that JAX makes of an answer for some arguments, as the bytes of its StableHLO."""
        try:
            with _quiet(), _on_devices(self.names[variable], placed, args) as (function, given):
                jitted: Any = probe.jitted(function)
                data = jax.export.export(jitted)(*given).serialize()
        except BaseException as error:
            return {"raised": dataclasses.asdict(describe_error(error)), "program": None}
        return {"raised": None, "program": np.frombuffer(data, np.uint8)}

    def open(self, program: np.ndarray, placed: dict[str, Any] | None, args: Sequence[Any]) -> dict[str, Any]:
        """Run an exported program: its value, its operations, what the compiler makes of it. For a clean process."""
        try:
            exported = jax.export.deserialize(bytearray(program.tobytes()))
            without_mesh = {**placed, "mesh": ""} if placed else None  # the program has it already
            with _quiet(), _on_devices(exported.call, without_mesh, args) as (function, given):
                compiled = jax.jit(function).lower(*given).compile()
                result = compiled(*given)
                shared = (
                    {**probe.communicated(compiled), "pieces": probe.pieces(result, probe.mesh_of(placed))}
                    if placed
                    else {}
                )
                operations = collections.Counter(re.findall(r"stablehlo\.(\w+)", str(exported.mlir_module())))
        except Exception as error:
            return {"raised": dataclasses.asdict(describe_error(error))}
        found = {"facts": facts(compiled) | shared, "operations": dict(operations)}
        return {"raised": None, "value": portable(result), **found}

    def patched(self) -> dict[str, Any]:
        """Which names of the watched modules are not what they were."""
        return {"patched": self.watch.replaced()}

    def look(self, at: str, given: list[Any]) -> dict[str, Any]:
        """Look for what must not be within reach. For a process of the judge's own."""
        return {"found": _look.LOOKS[at](*given)}


def _packed(nonce: int, reply: dict[str, Any]) -> bytes:
    """A reply's bytes, or those of one that says why there is none."""
    try:
        data = _wire.pack({"nonce": nonce, **reply})
        if _wire.is_modest(data):
            return data
        what = f"{describe_size(reply.get('value'))} (more than a check reads)"
    except (_wire.WireError, MemoryError, UnicodeError):
        what = type(reply.get("value")).__name__
    return _wire.pack({"nonce": nonce, **dataclasses.asdict(Reply(foreign=what))})


def describe_size(value: Any) -> str:
    """A value by its type and, if it is an array, its shape.

    Example:
        >>> describe_size(np.ones((2, 3)))
        'ndarray of shape (2, 3)'
    """
    shape = getattr(value, "shape", None)
    return type(value).__name__ + (f" of shape {tuple(shape)}" if shape is not None else "")


def _question(packed: dict[str, Any]) -> Callable[..., Any]:
    """The function that the judge sent: one of ours by name, one of a check's own by its code."""
    if "name" in packed:
        found: Callable[..., Any] = getattr(importlib.import_module(packed["module"]), packed["name"])
        return found
    modules = {alias: importlib.import_module(name) for alias, name in packed["modules"].items()}
    code = marshal.loads(packed["code"].tobytes())
    function = types.FunctionType(code, {"__builtins__": builtins, **modules}, packed["called"], packed["defaults"])
    function.__kwdefaults__ = packed["keywords"]
    return function


def _always_traced(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, as a program of the arrays among its arguments: it never sees their numbers.

    The program runs equation by equation, as JAX runs what is not jitted: compiled as one, a loop of 150 steps that
    Python has unrolled would keep XLA for longer than a class waits.
    """

    def traced(*args: Any, **kwargs: Any) -> Any:
        leaves, form = jax.tree.flatten((args, kwargs))
        arrays = {i: leaf for i, leaf in enumerate(leaves) if isinstance(leaf, (np.ndarray, jax.Array))}

        def of_arrays(given: dict[int, Any]) -> Any:
            args, kwargs = jax.tree.unflatten(form, [given.get(i, leaf) for i, leaf in enumerate(leaves)])
            return function(*args, **kwargs)

        program, results = jax.make_jaxpr(of_arrays, return_shape=True)(arrays)
        found = jax.extend.core.jaxpr_as_fun(program)(*jax.tree.leaves(arrays))
        return jax.tree.unflatten(jax.tree.structure(results), found)

    return traced


def _remember(source: str, filename: str, line: int) -> None:
    """Keep a statement's text among the lines of its cell, where an exception's report looks for them."""
    lines = [*linecache.getlines(filename)]
    code, first = source.splitlines(keepends=True), max(line - 1, 0)
    lines += ["\n"] * (first + len(code) - len(lines))
    lines[first : first + len(code)] = code
    linecache.cache[filename] = (sum(map(len, lines)), None, lines, filename)


@contextlib.contextmanager
def _on_devices(function: Any, placed: dict[str, Any] | None, args: Sequence[Any]) -> Any:
    """An answer and its arguments; on a mesh, where a question has placed them on one."""
    if placed is None:
        yield function, args
        return
    function, given, context = probe.prepared(function, placed, args)
    with context:
        yield function, given


@contextlib.contextmanager
def _quiet() -> Any:
    """Throw away what is written, and do not let a filter of warnings that a student set outlive a request."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(_Nothing()), contextlib.redirect_stderr(_Nothing()):
        warnings.simplefilter("ignore")
        yield


class _Nothing(io.TextIOBase):
    """A stream that keeps nothing, however much is written."""

    def write(self, text: str) -> int:
        return len(text)


class _Silent:
    """Stands in for what only a notebook has: it can be called, and asked for anything, and does nothing."""

    def __call__(self, *_: Any, **__: Any) -> None:
        return None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Silent()


def _colab() -> dict[str, types.ModuleType]:
    """Modules that only Colab has, doing nothing, so that `from google.colab import drive` costs no answer."""
    found = importlib.util.find_spec("google")  # a namespace that other packages share
    places = {"google": list(found.submodule_search_locations or []) if found else []}
    names = ["google", "google.colab", *(f"google.colab.{part}" for part in ("drive", "files", "output", "userdata"))]
    modules = {name: types.ModuleType(name) for name in names}
    for name, module in modules.items():
        module.__path__ = places.get(name, [])
        module.__getattr__ = _Silent().__getattr__  # type: ignore[method-assign]
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(modules[parent], last, module)
    return modules
