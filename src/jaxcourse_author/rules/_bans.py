"""Rules about what a task forbids: it is enforced as worded, and nothing is enforced that no text says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from jaxcourse.bans import Ban, NoCalls, NoLoops
from jaxcourse.exercise import Exercise, judge
from jaxcourse.probe import local_channel
from jaxcourse_author.rules._rule import Pair, Refusal, rule

_FORBIDS = re.compile(
    r"\b(?:without|(?:do not|don't|must not|never) (?:use|call))\s+`(?P<name>[\w.]+)(?:\([^`]*\))?`", re.I
)
"""How a task forbids a function by its name."""


@rule(per="lesson")
def bans_are_broken_once(pair: Pair) -> Iterator[Refusal]:
    """Every ban of an exercise refuses a listed wrong answer."""
    for exercise in pair.checks.exercises.values():
        for ban in exercise.without:
            listed = [w for w in pair.checks.wrongs if (w.exercise, w.label) == (exercise.name, ban.label)]
            if not any(_breaks(pair, exercise, ban, w.answer) for w in listed):
                yield Refusal(
                    pair.answer_file(exercise.name),
                    f"no wrong answer to {exercise.name!r} breaks its ban `{_call_of(ban)}`",
                    f'List one under `@wrong("{exercise.name}", "{ban.label}")` whose results are right.',
                )


@rule(per="lesson")
def tasks_and_bans_agree(pair: Pair) -> Iterator[Refusal]:
    """What a task forbids is enforced, and what is enforced stands in the text."""
    for exercise, task in pair.exercises():
        asked = _plain(f"{_task(pair, exercise.name)} {task.stub}")
        read = f"{asked} {_plain(_section(pair, exercise.see))}"
        for ban in exercise.without:
            if not any(re.search(words, read, re.IGNORECASE) for words in ban.words):
                yield Refusal(
                    pair.md,
                    f"{exercise.name!r} has the ban `{_call_of(ban)}`, and neither its task nor its section says so",
                    "Say in the task what it forbids, or remove the ban.",
                )
        if re.search(NoLoops.words[0], asked, re.IGNORECASE) and not _has(exercise, NoLoops):
            yield Refusal(
                pair.check_file(exercise.name),
                f"the task of {exercise.name!r} forbids a loop, and nothing enforces it",
                "Add `without=[no_loops(grows=...)]` to it, or say something else.",
            )
        banned = {name.rpartition(".")[2] for ban in exercise.without if isinstance(ban, NoCalls) for name in ban.names}
        for found in _FORBIDS.finditer(asked):
            if found["name"].rpartition(".")[2] not in banned:
                yield Refusal(
                    pair.check_file(exercise.name),
                    f"the task of {exercise.name!r} forbids `{found['name']}`, and nothing enforces it",
                    f'Add `without=[no_calls("{found["name"]}", ...)]` to it, or say something else.',
                )


def _breaks(pair: Pair, exercise: Exercise, ban: Ban, answer: object) -> bool:
    """Whether an answer passes the check and is refused by this ban alone."""
    if [other.label for other in exercise.without].count(ban.label) == 1:
        return pair.verdict(exercise, answer).label == ban.label
    return judge(replace(exercise, without=(ban,)), local_channel(answer)).label == ban.label


def _has(exercise: Exercise, kind: type) -> bool:
    return any(isinstance(ban, kind) for ban in exercise.without)


def _call_of(ban: Ban) -> str:
    if isinstance(ban, NoCalls):
        return f'no_calls("{ban.names[0]}")'
    return {"loops": "no_loops(...)", "not-a-primitive": "only(...)"}.get(ban.label, ban.label)


def _task(pair: Pair, name: str) -> str:
    cells = pair.source.cells
    return "\n".join(cell.source for cell in cells if cell.role == "task" and cell.exercise == name)


def _section(pair: Pair, label: str) -> str:
    """What a section says and shows."""
    section = pair.source.section(label)
    return pair.source.source(section.lines) if section else ""


def _plain(text: str) -> str:
    return " ".join(text.split())
