"""Results made fit to be printed: nothing hidden in a text, nothing longer than a reader can use.

Every report goes through here, so that a submission with control characters, colours for a terminal, letters that turn
the direction of reading, or a message of a million characters meets one rule in all of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from jaxcourse_grade._records import Decision, Mark, Result
from jaxcourse_grade._store import slug

_TERMINAL = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # colours and cursor
    r"|\][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles and links
    r"|[PX^_][^\x1b]*\x1b\\"  # what devices are told
    r"|[@-Z\\-_])"
)
"""What a terminal takes as a command: ECMA-48, section 5."""
_HIDDEN = {"Cc", "Cf", "Cn", "Cs", "Zl", "Zp"}
"""The Unicode categories of characters that are not seen, or change how others are."""
_HARMLESS = "\n\t\u200c\u200d"
"""Of these, what text and names need: the last two join letters, in Persian and in Hindi."""

_ACCENT = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_STACK = re.compile(f"({_ACCENT}{{3}}){_ACCENT}+")
"""More than three accents on one letter: hundreds of them draw across the lines above and below."""

_MARK_LIMITS = {"exercise": 80, "title": 120, "label": 80, "message": 2000, "section": 200, "address": 300}
_MARK_LIMITS |= {"called": 500, "returned": 500, "printed": 500}
_RESULT_LIMITS = {"student": 200, "name": 120, "lesson": 80, "source": 300, "submitted": 40, "reason": 1000}
_RESULT_LIMITS |= {"told": 80, "late": 120, "look": 1000}
_CODE, _NOTE, _NOTES = 20_000, 500, 50


def printable(text: str, limit: int = 2000) -> str:
    r"""A text in which everything can be seen: commands for terminals are gone, hidden characters are spelt out.

    Args:
        text: anything, also a million characters.
        limit: how many characters are kept; what follows is counted.

    Example:
        >>> printable("\x1b[31mred\x1b[0m \u202eright to left"), printable("abcdef", 3)
        ('red \\u202eright to left', 'abc … (6 characters in all)')
    """
    head = _TERMINAL.sub("", text[: 4 * limit].replace("\r\n", "\n").replace("\r", "\n"))
    head = _STACK.sub(r"\1", head)
    if not head.isprintable():
        head = "".join(map(_visible, head))
    if len(text) <= 4 * limit and len(head) <= limit:
        return head
    return f"{head[:limit]} … ({len(text):,} characters in all)"


def _visible(character: str) -> str:
    if character in _HARMLESS or unicodedata.category(character) not in _HIDDEN:
        return character
    return character.encode("unicode_escape").decode()


@dataclass(frozen=True)
class Entry:
    """One result as the reports print it.

    Attributes:
        page: the name of the student's page, without its suffix: unique for the key.
        key: the student's key as it came, to be compared and never printed.
        result: the result, with texts that can be shown.
    """

    page: str
    key: str
    result: Result

    @property
    def order(self) -> tuple[str, str, str, str]:
        """What the reports are sorted by: the name, then the key, then the lesson."""
        return (self.result.name.casefold(), self.page, self.result.lesson, self.result.source)


def entry(result: Result, *, code: bool = False) -> Entry:
    """A result that is fit to be printed.

    Args:
        result: what was kept.
        code: whether the judged cells come along; without them an entry takes some kilobytes.
    """
    texts: dict[str, Any] = {name: printable(getattr(result, name), limit) for name, limit in _RESULT_LIMITS.items()}
    texts["name"] = texts["name"].strip() or texts["student"].strip() or "(no name)"
    marks = tuple(_mark(mark, code) for mark in result.marks)
    protections = {printable(name, 80): printable(why, 300) or "in force" for name, why in result.protections.items()}
    versions = {printable(name, 80): printable(version, 80) for name, version in result.versions.items()}
    texts["decision"] = _decision(result.decision)
    texts |= {"notes": _notes(result.notes), "remarks": _notes(result.remarks)}
    tidy = replace(result, **texts, marks=marks, protections=protections, versions=versions)
    return Entry(slug(result.student), result.student, tidy)


def _mark(mark: Mark, code: bool) -> Mark:
    texts: dict[str, Any] = {name: printable(getattr(mark, name), limit) for name, limit in _MARK_LIMITS.items()}
    texts["decision"] = _decision(mark.decision)
    return replace(mark, **texts, notes=_notes(mark.notes), code=printable(mark.code, _CODE) if code else "")


def _decision(decision: Decision | None) -> Decision | None:
    return decision and replace(decision, comment=printable(decision.comment))


def _notes(notes: tuple[str, ...]) -> tuple[str, ...]:
    more = (f"… and {len(notes) - _NOTES} more",) if len(notes) > _NOTES else ()
    return (*(printable(note, _NOTE) for note in notes[:_NOTES]), *more)


def in_order(results: Iterable[Result]) -> list[Entry]:
    """The entries of all results without their code, sorted: what a class of thousands takes in memory."""
    return sorted((entry(result) for result in results), key=lambda item: item.order)


def number(value: float) -> str:
    """Points as people write them.

    Example:
        >>> number(3.0), number(2.5), number(1 / 3)
        ('3', '2.5', '0.33')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def percent(points: float, out_of: float) -> float:
    """How much of the points was earned; nothing of nothing is 0."""
    return round(100 * points / out_of, 1) if out_of else 0.0


def lesson_name(stem: str) -> str:
    """A lesson's name from its stem.

    Example:
        >>> lesson_name("10_memory_layout"), lesson_name("")
        ('10 memory layout', 'unknown lesson')
    """
    return stem.replace("_", " ") or "unknown lesson"
