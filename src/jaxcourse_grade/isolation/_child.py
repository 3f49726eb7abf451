"""A student's process: it enters the sandbox, runs the student's code, and answers the questions of the checks.

It is forked from the warm parent and never returns. All that it knows of the grader is one socket. It is not trusted:
what it sends is plain data (`_wire`), and no verdict is made here.
"""

from __future__ import annotations

import ast
import asyncio
import builtins
import contextlib
import dataclasses
import importlib
import importlib.util
import inspect
import io
import linecache
import marshal
import os
import random
import socket
import sys
import types
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.export
import numpy as np

from jaxcourse import probe
from jaxcourse.insides import CannotRead, keep_programs, our_settings, stablehlo_operations, stay_here
from jaxcourse.probe import Reply, describe_error, facts, local_channel, portable
from jaxcourse_grade.isolation import _sandbox, _wire
from jaxcourse_grade.isolation._shell import Shell, run_to_end

_VERBS = ("ask", "bring", "check", "hint", "solution")
_SHIMS = ("display", *_VERBS)
"""What only a notebook has. Calls to these do nothing here."""


def main(channel: socket.socket, settings: dict[str, Any]) -> None:
    """Live as a student's process until the judge hangs up.

    Args:
        channel: the socket to the judge.
        settings: `scratch` (a folder), `cache` (of compiled programs, or empty), `fill` (whether to write there),
            `readable` (paths), `limits`, `protections` (names).
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
    _Student(channel).serve()


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

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self.names: dict[str, Any] = {
            "__builtins__": builtins,
            "__name__": "__main__",
            **dict.fromkeys(_SHIMS, _Silent()),
            "get_ipython": lambda: Shell(_Silent),
        }
        self.loops: list[asyncio.AbstractEventLoop] = []
        self.left_out: dict[str, None] = {}
        sys.modules.update(_colab())

    def serve(self) -> None:
        """Answer one request after the other until the other side hangs up."""
        verbs = (self.bring, self.begin, self.run, self.defined, self.ask, self.export, self.open, self.opened)
        handlers: dict[str, Callable[..., dict[str, Any]]] = {verb.__name__: verb for verb in verbs}
        with contextlib.suppress(EOFError, OSError):
            while True:
                request = _wire.receive(self.channel, on_device=True)
                nonce, handler = request.pop("nonce"), handlers[request.pop("do")]
                reply = handler(**request)
                self.channel.sendall(_packed(nonce, {"left_out": tuple(self.left_out), **reply}))

    def bring(self, files: list[tuple[str, np.ndarray]]) -> dict[str, Any]:
        """Lay the files that the lesson reads into the notebook's folder.

        Args:
            files: the name and the content of each.
        """
        for name, content in files:
            _write_beside(name, content)
        return {}

    def begin(self, modules: list[tuple[str, np.ndarray]]) -> dict[str, Any]:
        """Begin the notebook, with the names that the lesson's set-up left.

        As in a notebook, modules are found in its folder, and its calls of `check`, which is not here, do nothing.

        Args:
            modules: the path and the text, in UTF-8, of each file that lies beside the notebook.
        """
        sys.path.insert(0, os.getcwd())
        for path, text in modules:
            _write_beside(path, text)
        self.names.update(dict.fromkeys(_VERBS, _Silent()))
        notebook = types.ModuleType("__main__")
        vars(notebook).update(self.names)
        self.names = vars(notebook)
        sys.modules["__main__"] = notebook
        with contextlib.suppress(CannotRead):  # in a newer JAX: what it is told, it is told
            stay_here(lambda name: self.left_out.update({name: None}))
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
            run_to_end(eval(code, self.names), self.loops)
        else:
            exec(code, self.names)

    def defined(self, variable: str) -> dict[str, Any]:
        """Whether there is something of this name."""
        return {"defined": variable in self.names}

    def ask(self, variable: str, question: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Ask a question of an answer, through the same channel as in a notebook."""
        with _quiet():
            reply = local_channel(self.names[variable])(_question(question), *args, **kwargs)
        return dataclasses.asdict(reply)

    def export(self, variable: str, placed: dict[str, Any] | None, args: Sequence[Any]) -> dict[str, Any]:
        """The program that JAX makes of an answer for some arguments, as the bytes of its StableHLO."""
        try:
            with our_settings(), _quiet(), _on_devices(self.names[variable], placed, args) as (function, given):
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
            with our_settings(), _quiet(), _on_devices(exported.call, without_mesh, args) as (function, given):
                compiled = jax.jit(function).lower(*given).compile()
                result = compiled(*given)
                shared = (
                    {**probe.communicated(compiled), "pieces": probe.pieces(result, probe.mesh_of(placed))}
                    if placed
                    else {}
                )
                operations = stablehlo_operations(str(exported.mlir_module()))
        except Exception as error:
            return {"raised": dataclasses.asdict(describe_error(error))}
        found = {"facts": facts(compiled) | shared, "operations": operations}
        return {"raised": None, "value": portable(result), **found}

    def opened(self, paths: list[str]) -> dict[str, Any]:
        """Which of some files can be read, and which folders listed. For a process of the judge's own."""
        return {"found": [path for path in paths if _can_be_read(path)]}


def _write_beside(path: str, text: np.ndarray) -> None:
    """Write a file into this folder, or below it."""
    place = Path(*(part for part in path.split("/") if part not in ("", ".", "..")))
    with contextlib.suppress(OSError):  # a name that no file can have, nothing can import
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.tobytes())


def _can_be_read(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY))
    except OSError:
        return False
    return True


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
