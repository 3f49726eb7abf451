"""What a reader predicts, as the page of the lesson keeps it: for each field of a question a text, or several."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from jaxcourse.markup import code

Said = str | list[str]
"""What is kept of one field."""
_LONGEST = 200
"""How many characters of a text are kept: all of them go into an address."""
_NEVER = re.compile(r"(never|nowhere|none|no|not at all|at none)\b", re.IGNORECASE)
"""How the page reads that the run will have no answer."""
_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
dozen hundred thousand million mio billion bn trillion
half third quarter fourth fifth eighth tenth hundredth thousandth
once twice double thrice triple quadruple
"""
NUMBER_WORDS = frozenset(_WORDS.split())
"""The words that the page reads as numbers."""
_SAME = re.compile(r"(?:just\s+)?(?:the\s+same|equal(?:ly)?|as\s+(?:long|much|many))\b", re.IGNORECASE)
"""How the page reads that one of two takes as much as the other."""
_WHOLE = re.compile(r"-?(?:0|[1-9]\d*)")
_SCALAR = re.compile(r"(?:an?\s+)?scalar|\(\s*\)", re.IGNORECASE)
_APART = re.compile(r"\s*(?:,|[x×]|\bby\b)\s*|\s+", re.IGNORECASE)
"""How the lengths of a shape are separated."""


class UnreadableAnswer(ValueError):
    """What was given to a field is no answer to it: says what is asked for."""


@dataclass(frozen=True)
class Field:
    """One field of a question, as far as a reader may know it: not what is right.

    Attributes:
        ask: what it asks for; empty where it is the only one.
        kind: `number`, `shape`, `numbers`, `truth`, `choice`, `several` or `text`.
        choices: what there is to choose.
        unit: in which a number is.
        never: whether the run may have no answer.
    """

    ask: str
    kind: str
    choices: Sequence[str] = ()
    unit: str = ""
    never: bool = False

    @property
    def wants(self) -> str:
        """What an answer is, in words; no example, which might be the answer.

        Example:
            >>> Field("", "choice", ["a view", "a copy"]).wants, Field("", "number", unit="times").wants
            ('`"a view"` or `"a copy"`', 'a number (times)')
        """
        words = {
            "number": f"a number{f' ({self.unit})' if self.unit else ''}",
            "shape": "a shape: a tuple of whole numbers",
            "numbers": "a list of numbers",
            "truth": "`True` or `False`",
            "choice": _either(self.choices),
            "several": f"a list of all that hold, of {_either(self.choices)}",
            "text": "a few words, in quotes",
        }
        return words[self.kind] + (', or `"never"`' if self.never else "")

    def read(self, given: Any) -> Said:
        """What is kept of an answer: as the form on the page has it.

        Args:
            given: a value of Python, or a text as readers may type it on the page.

        Raises:
            UnreadableAnswer: it is no answer to this field.

        Example:
            >>> Field("", "shape").read((3, 4)), Field("", "choice", ["a `view`", "a copy"]).read("A view")
            ('(3, 4)', 'a `view`')
            >>> Field("", "several", ["b", "a"]).read({"A", "b"}), Field("", "number").read(np.float32(2.5))
            (['b', 'a'], '2.5')
        """
        if self.never and isinstance(given, str) and _NEVER.match(given.strip()):
            return given.strip()[:_LONGEST]
        said: Said = _READ[self.kind](self, given)
        if not said:
            raise UnreadableAnswer(f"{_question_start(self)}{self.wants} is asked for, and not {code(_brief(given))}.")
        return said


def _question_start(field: Field) -> str:
    return f"{field.ask}: " if field.ask else ""


def _brief(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _either(choices: Sequence[str]) -> str:
    quoted = [code(f'"{bare(choice)}"') for choice in choices]
    return " or ".join(filter(None, [", ".join(quoted[:-1]), *quoted[-1:]]))


def bare(choice: str) -> str:
    """A choice without the marks of its code."""
    return choice.replace("`", "")


# -- each kind: what is kept, or nothing ---------------------------------------------------------------------------


def _has_number(text: str) -> bool:
    """Whether there may be a number in a text: the page reads it, and asks where it cannot."""
    found = (word.removesuffix("fold") for word in re.findall("[a-z]+", text.lower()))
    words = (re.sub("halves$", "half", word).removesuffix("s") for word in found)
    return any(map(str.isnumeric, text)) or not NUMBER_WORDS.isdisjoint(words)


def _number(field: Field, given: Any) -> str:
    if isinstance(given, str):
        is_once = field.unit.startswith("times") and _SAME.match(given.strip())
        return given.strip()[:_LONGEST] if is_once or _has_number(given) else ""
    return "" if not _is_real(given) else str(np.asarray(given).item())


def _is_shape(text: str) -> bool:
    """Whether the page reads a tuple of whole numbers from a text; that of one, in brackets, has a comma.

    >>> [_is_shape(text) for text in ("(3, 4)", "3 x 4", "(3,)", "scalar", "(3)", "[3, 4]", "1,000")]
    [True, True, True, True, False, False, False]
    """
    plain = re.sub(r"(?i)^shape\s*[:=]?\s*", "", text.strip().replace("−", "-"))
    if _SCALAR.fullmatch(plain):
        return True
    is_bracketed = plain.startswith("(") and plain.endswith(")")
    inside = plain[1:-1].strip() if is_bracketed else plain
    lengths = _APART.split(inside.removesuffix(",").rstrip())
    return all(map(_WHOLE.fullmatch, lengths)) and not (is_bracketed and lengths == [inside])


def _shape(_: Field, given: Any) -> str:
    if isinstance(given, str):
        return given.strip()[:_LONGEST] if _is_shape(given) else ""
    whole = isinstance(given, (tuple, list)) and all(_is_real(one) and one == int(one) for one in given)
    return str(tuple(map(int, given))) if whole else ""


def _numbers(_: Field, given: Any) -> str:
    if isinstance(given, str):
        return given.strip()[:_LONGEST] if _has_number(given) else ""
    if np.ndim(given) != 1 or isinstance(given, Mapping):
        return ""
    listed = [*given]
    return " ".join(str(np.asarray(one).item()) for one in listed)[:_LONGEST] if all(map(_is_real, listed)) else ""


def _truth(_: Field, given: Any) -> str:
    text = str(given).strip().capitalize()
    return text if isinstance(given, (bool, np.bool_, str)) and text in ("True", "False") else ""


def _choice(field: Field, given: Any) -> str:
    return next((one for one in field.choices if _alike(one) == _alike(str(given))), "")


def _several(field: Field, given: Any) -> list[str]:
    listed = [given] if isinstance(given, str) or not isinstance(given, Collection) else [*given]
    found = {_choice(field, one) for one in listed}
    return [] if "" in found else [one for one in field.choices if one in found]


def _text(_: Field, given: Any) -> str:
    return "" if given is None else str(given).strip()[:_LONGEST]


_READ: Mapping[str, Any] = {
    "number": _number,
    "shape": _shape,
    "numbers": _numbers,
    "truth": _truth,
    "choice": _choice,
    "several": _several,
    "text": _text,
}


def _is_real(value: Any) -> bool:
    plain_number = isinstance(value, Real) or (np.ndim(value) == 0 and np.asarray(value).dtype.kind in "iuf")
    return plain_number and not isinstance(value, (bool, np.bool_))


def _alike(choice: str) -> str:
    """What two spellings of a choice have in common."""
    return " ".join(bare(choice).lower().split())
