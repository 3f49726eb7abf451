"""How far a passed answer can be believed: four strengths of evidence, and what speaks against it.

*Values* came back for inputs that the student's process had not seen: whoever forges them has computed the answer.
*Programs* are exported from the student's process as StableHLO; the same bytes are run in a clean process, give the
same values there, and their facts are read there. *Process* facts, such as how often a function was traced, are what
the student's process says about itself. They can be forged by somebody who is determined to, so they are made
tamper-evident: the names that they rest on must be untouched, the same question about a program of ours, drawn at
random, must get the answer that it gets here, and the code that ran is read here. Code with a door to what measures it
is for an instructor to look at. Where there is none, and nothing that the reading does not know, the evidence is
*code*: the process reported, and nothing could have told it what.
"""

from __future__ import annotations

import copy
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from jaxcourse.exercise import agree
from jaxcourse.grade.isolation import Asked, Process, ProcessChannel
from jaxcourse.grade.judging._reads import read
from jaxcourse.probe import (
    Strength,
    call,
    declared,
    itself,
    kind,
    local_channel,
    on_mesh,
    partitioned,
    primitives,
    program,
)

_FACTS = ("operations", "flops", "arguments", "results", "collectives", "pieces")
"""What two compilations of one program agree on. Temporaries and bytes depend on how it is called."""

_TOLD = 5
"""How many places in the code are named."""

Clean = Callable[[], Process]
"""Gives a process that has never run a line of a student's."""


@dataclass(frozen=True)
class Finding:
    """How strong the evidence for an answer is, what speaks against it, and what in its code is not known."""

    strength: Strength
    doubts: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def examine(channel: ProcessChannel, clean: Clean, given: Collection[str] = ()) -> Finding:
    """Examine the evidence for which a passed answer was believed.

    Args:
        channel: the channel through which the check asked.
        clean: where an exported program is run again.
        given: the statements of the lesson's own set-up.

    Raises:
        Gone: one of the processes died.
    """
    questions = {declared(asked.question) for asked in channel.asked}
    doubts, more = list(_controls(channel)), {question for question in questions if question.evidence != "values"}
    if not more:
        return Finding("values", tuple(doubts))
    doubts += _patched(channel.process)
    reading = read(channel.process.ran, given)
    doubts += [f"`{text}` in the code that ran leads to what measures it" for text in reading.reaches[:_TOLD]]
    if reading.chooses:
        doubts += _two_faced(channel)
    strength: Strength = "process" if reading.unknown else "code"
    if all(question.evidence == "programs" for question in more):
        asked = [asked for asked in channel.asked if declared(asked.question).evidence == "programs"]
        found = [_program(channel, one, clean) for one in asked]
        strength = "programs" if all(part is not None for part in found) else strength
        doubts += [doubt for part in found for doubt in part or ()]
    unknown = reading.unknown[:_TOLD] if strength == "process" else ()
    return Finding(strength, tuple(dict.fromkeys(doubts)), unknown)


def _patched(process: Process) -> Iterator[str]:
    names = process.request("patched").get("patched")
    for name in names if isinstance(names, list) else ["?"]:
        yield f"`{str(name)[:100]}` was replaced in the process"


def _two_faced(channel: ProcessChannel) -> Iterator[str]:
    """Ask again for values, of the answer as it is while it is traced: the facts are those of that one.

    An answer that cannot be traced as a whole is no program, and has not been looked at as one.
    """
    traced = ProcessChannel(channel.process, channel.variable, traced=True)
    for asked in {asked.question: asked for asked in channel.asked}.values():
        if declared(asked.question).evidence == "values" and asked.question not in (kind, itself):
            reply = traced(asked.question, *asked.args)
            if not (reply.raised or reply.foreign) and not _same(asked.value, reply.value):
                yield "the answer computes something else while JAX traces it"


# -- the same question about a program of ours ------------------------------------------------------------------


def _controls(channel: ProcessChannel) -> Iterator[str]:
    """Ask the same questions about a function drawn at random, both there and here."""
    for question in dict.fromkeys(asked.question for asked in channel.asked):
        control = declared(question).control
        if control is None:
            continue
        name = f"control_{secrets.token_hex(6)}"
        text = control.program(name, times=1 + secrets.randbelow(4))
        channel.process.request("define", source=text, variable=name)
        there = ProcessChannel(channel.process, name)(question, *control.args)
        here = local_channel(_made(text, name))(question, *copy.deepcopy(control.args))
        facts = [(bool(reply.raised), reply.changed) for reply in (here, there)]
        if not _same(here.value, there.value) or facts[0] != facts[1]:
            yield f"`{declared(question).name}` gave a wrong account of a program of the grader's own"


def _made(source: str, name: str) -> Any:
    import jax

    names: dict[str, Any] = {"jax": jax, "jnp": jax.numpy, "np": np}
    exec(source, names)
    return names[name]


def _same(here: Any, there: Any) -> bool:
    if isinstance(here, Mapping) and "operations" in here:
        return isinstance(there, Mapping) and all(agree(there.get(fact), here[fact]) for fact in _FACTS if fact in here)
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


def _program(channel: ProcessChannel, asked: Asked, clean: Clean) -> list[str] | None:
    """What speaks against an account of a program, or None where the program cannot be exported."""
    on_devices = asked.question is partitioned
    placed, *args = asked.args if on_devices else (None, *asked.args)
    exported = channel.process.request("export", variable=channel.variable, placed=placed, args=args).get("program")
    if not isinstance(exported, np.ndarray) or exported.dtype != np.uint8:
        return None
    found = clean().request("open", program=exported, placed=placed, args=args)
    if found.get("raised"):
        return ["its exported program could not be run in a clean process"]
    again = ProcessChannel(channel.process, channel.variable)
    value = (again(on_mesh, placed, *args) if on_devices else again(call, *args)).value
    doubts = [] if _same(found["value"], value) else ["its exported program computes something other than the answer"]
    if asked.question in (program, partitioned) and not _same(found["facts"], asked.value):
        doubts.append("its exported program is not the one that the process reported")
    if asked.question is primitives and not _consistent(asked.value, found["operations"]):
        doubts.append("its exported program does not have the operations that the process reported")
    return doubts


def _consistent(primitives: Any, operations: Mapping[str, int]) -> bool:
    """Whether the process named the primitive of every operation in a program."""
    told = {_OPERATIONS[name] for name in primitives if name in _OPERATIONS} if isinstance(primitives, dict) else set()
    loops = {"while", "cumsum", "random_bits", "threefry2x32", "random_seed", "random_wrap"}  # lowered to loops as well
    may_loop = bool(loops & set(primitives))
    seen = {name for name in _OPERATIONS.values() if operations.get(name)}
    return seen <= told | ({"while"} if may_loop else set())
