"""Whether a passed answer is proven, or rests in part on what its own process reported.

*Values* came back for inputs that the student's process had not seen: whoever forges them has computed the answer.
*Programs* are exported from the student's process as StableHLO; the same bytes are run in a clean process, give the
same values there, and their facts are read there. Everything else, such as how often a function was traced, is what
the student's process says of itself. Solutions are public, so forging that is no easier than copying: nothing is built
against it but the walls, and the class page says how many points rest on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from jaxcourse.exercise import agree
from jaxcourse.probe import call, declared, on_mesh, partitioned, primitives, program
from jaxcourse_grade._records import Evidence
from jaxcourse_grade.isolation import AskedQuestion, Process, ProcessChannel

_FACTS = ("operations", "flops", "arguments", "results", "collectives", "pieces")
"""What two compilations of one program agree on. Temporaries and bytes depend on how it is called."""

Clean = Callable[[], Process]
"""Gives a process that has never run a line of a student's."""


def examine(channel: ProcessChannel, clean: Clean) -> Evidence:
    """How far the evidence goes for which a passed answer was believed.

    Args:
        channel: the channel through which the check asked.
        clean: where an exported program is run again.

    Raises:
        ProcessGone: one of the processes died.
    """
    more = [asked for asked in list(channel.asked) if declared(asked.question).evidence != "values"]
    programs = all(declared(asked.question).evidence == "programs" for asked in more)
    return "proven" if programs and all(_is_so(channel, asked, clean) for asked in more) else "reported"


_OPERATIONS = {
    "dot_general": "dot_general",
    "sort": "sort",
    "tanh": "tanh",
    "scan": "while",
}
"""Primitives that appear in StableHLO as an operation of their own, unless nothing uses their result."""
_LOWERED_TO_LOOPS = {"while", "cumsum", "random_bits", "threefry2x32", "random_seed", "random_wrap"}


def _is_so(channel: ProcessChannel, asked: AskedQuestion, clean: Clean) -> bool:
    """Whether the exported program of an answer is what the process said of it, and computes the answer."""
    on_devices = asked.question is partitioned
    placed, *args = asked.args if on_devices else (None, *asked.args)
    exported = channel.process.request("export", variable=channel.variable, placed=placed, args=args).get("program")
    if not isinstance(exported, np.ndarray) or exported.dtype != np.uint8:
        return False
    found = clean().request("open", program=exported, placed=placed, args=args)
    if found.get("raised"):
        return False
    again = ProcessChannel(channel.process, channel.variable)
    value = (again(on_mesh, placed, *args) if on_devices else again(call, *args)).value
    return _same(found["value"], value) and _agrees(asked, found)


def _agrees(asked: AskedQuestion, found: Mapping[str, Any]) -> bool:
    if asked.question in (program, partitioned):
        here, there = found["facts"], asked.value
        return isinstance(there, Mapping) and all(agree(there.get(name), here[name]) for name in _FACTS if name in here)
    return asked.question is primitives and _consistent(asked.value, found["operations"])


def _same(here: Any, there: Any) -> bool:
    if isinstance(here, (list, tuple)):
        return isinstance(there, (list, tuple)) and len(here) == len(there) and all(map(_same, here, there))
    return agree(there, here)


def _consistent(primitives: Any, operations: Mapping[str, int]) -> bool:
    """Whether the process named the primitive of every operation in a program."""
    if not isinstance(primitives, dict):
        return False
    told = {_OPERATIONS[name] for name in primitives if name in _OPERATIONS}
    seen = {name for name in _OPERATIONS.values() if operations.get(name)}
    return seen <= told | ({"while"} if _LOWERED_TO_LOOPS & set(primitives) else set())
