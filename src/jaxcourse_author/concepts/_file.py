"""What `book/concepts.yml` says: of each concept, how it is recognised, and which sections explain it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from jaxcourse.course import Course, read_yaml

CONCEPTS = "book/concepts.yml"
"""Where the concepts are declared."""

Recogniser = tuple[str, str]
"""The key under which it is declared, and how it is spelled."""

_LISTS = ("code", "text", "words", "terms", "explained by")
"""The keys of a concept beside its name: each takes a list of texts."""


@dataclass(frozen=True)
class Concept:
    """A concept.

    Attributes:
        name: as the field says it.
        explained_by: the labels of the sections that explain it, the one to be sent to first.
        code: how code says it, as `signs` spells code; `*` stands for any letters.
        text: how text says it between backticks where that is not the code itself, such as `scan` for `jax.lax.scan`.
        words: how text says it in words.
        terms: its names in the glossary, whose cards explain its words.
    """

    name: str
    explained_by: tuple[str, ...]
    code: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()

    @cached_property
    def patterns(self) -> dict[Recogniser, re.Pattern[str]]:
        """What each of its recognisers finds."""
        make = {"code": _sign, "text": _name, "words": _word}
        return {(kind, one): make[kind](one) for kind in make for one in getattr(self, kind)}


def _sign(spelled: str) -> re.Pattern[str]:
    return re.compile(rf"\A{_star_pattern(spelled, '.*')}\Z", re.DOTALL)


def _name(spelled: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.]){_star_pattern(spelled)}(?!\w)")


def _word(spelled: str) -> re.Pattern[str]:
    """Words as text has them: a small letter may begin a sentence, and a space may be the end of a line."""
    first = f"[{spelled[0].upper()}{spelled[0]}]" if spelled[0].islower() else re.escape(spelled[0])
    return re.compile(rf"(?<!\w){first}{_star_pattern(spelled[1:])}(?!\w)")


def _star_pattern(spelled: str, letters: str = r"\w*") -> str:
    return letters.join(re.escape(part).replace(r"\ ", r"\s+") for part in spelled.split("*"))


@dataclass(frozen=True)
class Concepts:
    """The concepts of a course.

    Attributes:
        all: in the order of the file.
        awaited: labels of sections that are still to be written, by which a concept may be explained already.
    """

    all: tuple[Concept, ...] = ()
    awaited: frozenset[str] = frozenset()

    def __iter__(self) -> Iterator[Concept]:
        return iter(self.all)


def read_concepts(course: Course) -> Concepts:
    """The concepts of a course; none if it declares none.

    Raises:
        ValueError: the file is not as it must be; says how to mend it.
    """
    declared = read_yaml(course, CONCEPTS)
    if declared is None:
        return Concepts()
    if not isinstance(declared, dict) or not isinstance(declared.get("concepts"), list):
        raise ValueError(f"{CONCEPTS} has no list of concepts: write `concepts:`, and below it `- concept: ...`.")
    if unknown := sorted({*declared} - {"concepts", "awaited"}):
        raise ValueError(f"{CONCEPTS} has the key {unknown[0]!r}: it takes `awaited` and `concepts`.")
    awaited = _texts(declared.get("awaited") or [], "`awaited`")
    found = tuple(map(_concept, declared["concepts"]))
    _texts([one.name for one in found], "`concepts`")
    return Concepts(found, frozenset(awaited))


def _concept(given: Any) -> Concept:
    """A concept from what the file says of it."""
    name = given.get("concept") if isinstance(given, dict) else None
    if not name or not isinstance(name, str):
        raise ValueError(f"{CONCEPTS}: {given!r} is no concept: write `- concept: its name`.")
    if unknown := sorted(given.keys() - {"concept", *_LISTS}):
        raise ValueError(f"{CONCEPTS}: {name!r} has the key {unknown[0]!r}: it takes {', '.join(_LISTS)}.")
    lists = {key: _texts(given.get(key, []), f"`{key}` of {name!r}") for key in _LISTS}
    if not lists["explained by"]:
        raise ValueError(f"{CONCEPTS}: {name!r} is explained nowhere: write `explained by: [label]`.")
    if not lists["code"] + lists["text"] + lists["words"]:
        raise ValueError(f"{CONCEPTS}: nobody can recognise {name!r}: write `code`, `text` or `words`.")
    return Concept(name, lists.pop("explained by"), **lists)


def _texts(given: Any, what: str) -> tuple[str, ...]:
    """A list of texts, each once."""
    if not isinstance(given, list) or not all(isinstance(one, str) and one for one in given):
        raise ValueError(f"{CONCEPTS}: {what} is {given!r}: write a list of texts.")
    if twice := [one for one in given if given.count(one) > 1]:
        raise ValueError(f"{CONCEPTS}: {what} has {twice[0]!r} twice: remove one.")
    return tuple(given)
