"""What `book/teach.yml` says: of each lesson the cells that are worth a run before a class, and a question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from jaxcourse.course import Course

TEACH = "book/teach.yml"
"""Where it is declared."""

MOST_LIVE = 4
"""How many cells a lesson shows at most: each takes minutes of a meeting."""


@dataclass(frozen=True)
class Live:
    """A cell to run before a class.

    Attributes:
        at: the label of its section.
        cell: words of its code that no other cell of that section has.
        ask: what to ask before it runs.
    """

    at: str
    cell: str
    ask: str


@dataclass(frozen=True)
class Peers:
    """A question for peers: a field of a prediction box, or an exercise that is answered by values.

    Attributes:
        at: the label of the box's section; empty for an exercise.
        field: what the field asks; empty if the box has one field without a name.
        exercise: the exercise's name; empty for a box.
        entry: which of its entries; empty if it is answered by one value.
        ask: what an exercise's entry asks, in a sentence that needs no task beside it.
    """

    at: str = ""
    field: str = ""
    exercise: str = ""
    entry: str = ""
    ask: str = ""

    def __str__(self) -> str:
        named = self.field or self.entry
        what = f"the exercise `{self.exercise}`" if self.exercise else f"the prediction of `{self.at}`"
        return what + (f", {named!r}" if named else "")


@dataclass(frozen=True)
class Plan:
    """What is declared of a lesson.

    Attributes:
        stem: the lesson's.
        live: the cells to run, in the order of the lesson.
        peers: the question.
    """

    stem: str
    live: tuple[Live, ...]
    peers: Peers


def read_plans(course: Course) -> dict[str, Plan]:
    """What is declared of each lesson, by its stem; nothing if a course declares nothing.

    Args:
        course: whose.

    Raises:
        ValueError: the file is not as it must be; says how to mend it.
    """
    file = course.root / TEACH
    if not file.exists():
        return {}
    try:
        declared = yaml.safe_load(file.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ValueError(f"{TEACH} is not valid YAML: {error}") from error
    if not isinstance(declared, dict) or [*declared] != ["lessons"] or not isinstance(declared["lessons"], dict):
        raise ValueError(f"{TEACH} has no lessons: write `lessons:`, and below it `NN_topic:` for each.")
    return {str(stem): _plan(str(stem), given) for stem, given in declared["lessons"].items()}


def _plan(stem: str, given: Any) -> Plan:
    _keys(given, f"{stem!r}", ("live", "peers"))
    live = given["live"]
    if not isinstance(live, list) or not 1 <= len(live) <= MOST_LIVE:
        raise ValueError(f"{TEACH}: `live` of {stem!r} is no list of 1 to {MOST_LIVE} cells.")
    return Plan(stem, tuple(_live(one, stem) for one in live), _peers(given["peers"], stem))


def _live(given: Any, stem: str) -> Live:
    _keys(given, f"a cell of {stem!r}", ("at", "cell", "ask"))
    return Live(**dict(_texts(given, f"a cell of {stem!r}")))


def _peers(given: Any, stem: str) -> Peers:
    what = f"`peers` of {stem!r}"
    if isinstance(given, dict) and "exercise" in given:
        _keys(given, what, ("exercise", "ask"), ("entry",))
    else:
        _keys(given, what, ("at",), ("field",))
    return Peers(**dict(_texts(given, what)))


def _keys(given: Any, what: str, must: tuple[str, ...], may: tuple[str, ...] = ()) -> None:
    if not isinstance(given, dict) or not {*must} <= given.keys() <= {*must, *may}:
        found = ", ".join(map(str, given)) if isinstance(given, dict) else repr(given)
        raise ValueError(f"{TEACH}: {what} has {found}: it takes {', '.join((*must, *may))}.")


def _texts(given: dict[str, Any], what: str) -> Iterator[tuple[str, str]]:
    for key, text in given.items():
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"{TEACH}: `{key}` of {what} is {text!r}: write a text, in quotes.")
        yield key, text if key in ("cell", "entry", "field") else " ".join(text.split())
