"""How far a passed answer may be believed: three strengths of evidence, and what speaks against it.

*Values* came back for inputs that the student's process had not seen: whoever forges them has computed the answer.
*Programs* are exported from the student's process as StableHLO; the same bytes are run in a clean process, give the
same values there, and their facts are read there. *Process* facts, such as how often a function was traced, are what
the student's process says of itself. They can be forged by somebody who means to, so they are made tamper-evident: the
names that they stand on must be untouched, and the same question about a program of ours, drawn by lot, must get the
answer that it gets here.
"""

from __future__ import annotations

import copy
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from jaxcourse.exercise import agree
from jaxcourse.grade._process import Asked, Process, ProcessDoor
from jaxcourse.grade._records import Evidence
from jaxcourse.probe import call, local_door

_VALUES = {"call", "itself", "kind"}
_PROGRAMS = {"primitives", "program"}
_FACTS = ("operations", "flops", "arguments", "results")
"""What two compilations of one program agree in. Temporaries and bytes depend on how it is called."""

Clean = Callable[[], Process]
"""Gives a process that has never run a line of a student's."""


@dataclass(frozen=True)
class Finding:
    """How strong the evidence for an answer is, and what speaks against it."""

    strength: Evidence
    doubts: tuple[str, ...] = ()


def examine(door: ProcessDoor, clean: Clean) -> Finding:
    """Examine what a passed answer was believed for.

    Args:
        door: the door through which the check asked.
        clean: where an exported program is run again.

    Raises:
        Gone: one of the processes died over it.
    """
    asked = {_kind(asked) for asked in door.asked}
    doubts, kinds = list(_controls(door, asked)), asked - _VALUES
    if not kinds:
        return Finding("values", tuple(doubts))
    doubts += _patched(door.process)
    strength: Evidence = "process"
    if kinds <= _PROGRAMS:
        found = [_program(door, asked, clean) for asked in door.asked if _kind(asked) in _PROGRAMS]
        strength = "programs" if all(part is not None for part in found) else "process"
        doubts += [doubt for part in found for doubt in part or ()]
    return Finding(strength, tuple(dict.fromkeys(doubts)))


def _kind(asked: Asked) -> str:
    """The name of one of our questions, or `own` for a question of a check's own."""
    return asked.question.__name__ if asked.question.__module__.startswith("jaxcourse.probe.") else "own"


def _patched(process: Process) -> Iterator[str]:
    names = process.request("patched").get("patched")
    for name in names if isinstance(names, list) else ["?"]:
        yield f"`{str(name)[:100]}` was replaced in the process"


# -- the same question about a program of ours ------------------------------------------------------------------

_JITTED = "{name} = jax.jit({name})\n"
_SINES = "def {name}(x):\n    y = jnp.asarray(x)\n{steps}    return y\n"
_CHANGING = "def {name}(x):\n    x += 1\n    return x\n"
_LOOPING = "def {name}(x):\n    y = jnp.asarray(x)\n{loops}    return y\n"
_KEYED = "def {name}(key):\n{draws}    return y\n"
_X = np.linspace(0.0, 1.0, 5, dtype=np.float32)
_CALLS = [(_X,), (_X + 1,), (_X[:3].copy(),)]
_CONTROLS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "call": (_CHANGING, (_X,)),  # whether an argument was changed is no value
    "compiled": (_SINES + _JITTED, (_CALLS,)),
    "layout": (_SINES, (_X,)),
    "leaks": (_SINES, (_X,)),
    "primitives": (_SINES, (_X,)),
    "program": (_SINES, (_X,)),
    "result_type": (_SINES, (_X,)),
    "reuses_key": (_KEYED, ()),
    "traced": (_SINES, (_CALLS,)),
    "with_and_without_jit": (_SINES, (_CALLS,)),
    "written": (_LOOPING, ()),
}


def _controls(door: ProcessDoor, kinds: set[str]) -> Iterator[str]:
    """Ask the same questions about a function drawn by lot: there as here."""
    questions = {_kind(asked): asked.question for asked in door.asked if _kind(asked) in kinds & _CONTROLS.keys()}
    for kind, question in questions.items():
        source, args = _CONTROLS[kind]
        name = f"control_{secrets.token_hex(6)}"
        text = source.format(name=name, steps=_drawn(_STEP), draws=_drawn(_DRAW), loops=_drawn(_LOOP))
        door.process.request("define", source=text, variable=name)
        there = ProcessDoor(door.process, name)(question, *args)
        here = local_door(_made(text, name))(question, *copy.deepcopy(args))
        facts = [(bool(reply.raised), reply.changed) for reply in (here, there)]
        if not _same(here.value, there.value) or facts[0] != facts[1]:
            yield f"`{kind}` gave a wrong account of a program of the grader's own"


_STEP = "    y = jnp.sin(y) * y\n"
_LOOP = "    for _ in range(2):\n        y = jnp.sin(y)\n"
_DRAW = "    y = jax.random.normal(key)\n"


def _drawn(line: str) -> str:
    return line * (1 + secrets.randbelow(4))


def _made(source: str, name: str) -> Any:
    import jax

    names: dict[str, Any] = {"jax": jax, "jnp": jax.numpy, "np": np}
    exec(source, names)
    return names[name]


def _same(here: Any, there: Any) -> bool:
    if isinstance(here, Mapping) and "operations" in here:
        return isinstance(there, Mapping) and all(agree(there.get(fact), here[fact]) for fact in _FACTS)
    if isinstance(here, (list, tuple)):
        return isinstance(there, (list, tuple)) and len(here) == len(there) and all(map(_same, here, there))
    return agree(there, here)


# -- the exported program, in a clean process -------------------------------------------------------------------

_OPERATIONS = {
    "dot_general": "dot_general",
    "sort": "sort",
    "pure_callback": "custom_call",
    "io_callback": "custom_call",
    "tanh": "tanh",
    "scan": "while",
}
"""Primitives that appear in StableHLO as an operation of their own, unless nothing uses their result."""


def _program(door: ProcessDoor, asked: Asked, clean: Clean) -> list[str] | None:
    """What speaks against an account of a program, or None where the program cannot be exported."""
    exported = door.process.request("export", variable=door.variable, args=list(asked.args)).get("program")
    if not isinstance(exported, np.ndarray) or exported.dtype != np.uint8:
        return None
    found = clean().request("open", program=exported, args=list(asked.args))
    if found.get("raised"):
        return ["its exported program could not be run in a clean process"]
    value = ProcessDoor(door.process, door.variable)(call, *asked.args).value
    doubts = [] if _same(found["value"], value) else ["its exported program computes something else than the answer"]
    if _kind(asked) == "program" and not _same(found["facts"], asked.value):
        doubts.append("its exported program is not the one that the process told of")
    if _kind(asked) == "primitives" and not _consistent(asked.value, found["operations"]):
        doubts.append("its exported program has not the operations that the process told of")
    return doubts


def _consistent(primitives: Any, operations: Mapping[str, int]) -> bool:
    """Whether no operation stands in a program of whose primitive the process said nothing."""
    told = {_OPERATIONS[name] for name in primitives if name in _OPERATIONS} if isinstance(primitives, dict) else set()
    loops = {"while", "cumsum", "random_bits", "threefry2x32", "random_seed", "random_wrap"}  # lowered to loops as well
    may_loop = bool(loops & set(primitives))
    seen = {name for name in _OPERATIONS.values() if operations.get(name)}
    return seen <= told | ({"while"} if may_loop else set())
