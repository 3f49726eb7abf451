"""What `book/placement.yml` says: blocks of questions, what each unlocks, and which path is advised when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jaxcourse.course import Course, read_yaml

PLACEMENT = "book/placement.yml"
"""Where the questions are declared."""

MOST = 25
"""How many questions a reader is asked at most: fifteen minutes of them."""
WRONG = 2
"""How many wrong answers end a block."""


@dataclass(frozen=True)
class Question:
    """A question: one entry of an exercise that is answered by values.

    Attributes:
        exercise: its name.
        entry: which of its entries.
        ask: what one must know to answer it without the exercise, in the small markup of verdicts.
        unlocks: the labels of the sections that need not be read by who answers it.
        easier: what is asked if this was answered wrongly, and counts as known if it was not.
    """

    exercise: str
    entry: str
    ask: str
    unlocks: tuple[str, ...]
    easier: Question | None = None

    @property
    def all(self) -> tuple[Question, ...]:
        """Itself, and the easier one."""
        return (self, *self.easier.all) if self.easier else (self,)


@dataclass(frozen=True)
class Block:
    """Questions about one part of the course; the second wrong answer ends it."""

    title: str
    questions: tuple[Question, ...]

    @property
    def most(self) -> int:
        """How many of its questions are asked at most: one wrong answer is followed by an easier question."""
        return len(self.questions) + any(one.easier for one in self.questions)


@dataclass(frozen=True)
class Advice:
    """The path that is advised to who knows some sections.

    Attributes:
        path: its name.
        knows: the labels of the sections that its readers know.
        why: what they are told.
    """

    path: str
    knows: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class Pool:
    """All that may be asked, and what is advised: the first advice that fits."""

    blocks: tuple[Block, ...] = ()
    advice: tuple[Advice, ...] = ()

    @property
    def questions(self) -> tuple[Question, ...]:
        """All questions, each before its easier one."""
        return tuple(one for block in self.blocks for first in block.questions for one in first.all)

    @property
    def most(self) -> int:
        """How many questions a reader is asked at most."""
        return sum(block.most for block in self.blocks)


def read_pool(course: Course) -> Pool:
    """The questions of a course; none if it declares none.

    Args:
        course: whose.

    Raises:
        ValueError: the file is not as it must be; says how to mend it.
    """
    declared = read_yaml(course, PLACEMENT)
    if declared is None:
        return Pool()
    _keys(declared, "the file", "blocks", "paths")
    blocks = tuple(_block(one) for one in _list(declared["blocks"], "`blocks`"))
    advice = tuple(_advice(one) for one in _list(declared["paths"], "`paths`"))
    if not advice or advice[-1].knows or not all(one.knows for one in advice[:-1]):
        raise ValueError(f"{PLACEMENT}: the last of `paths`, and no other, is for whoever knows nothing: `knows: []`.")
    return Pool(blocks, advice)


def _block(given: Any) -> Block:
    _keys(given, "a block", "block", "questions")
    questions = (_question(one) for one in _list(given["questions"], f"`questions` of {given['block']!r}"))
    return Block(str(given["block"]), tuple(questions))


def _question(given: Any, is_easier: bool = False) -> Question:
    _keys(given, "a question", "exercise", "entry", "ask", "unlocks", may=() if is_easier else ("easier",))
    texts = {key: _text(given[key], f"`{key}` of {given['exercise']!r}") for key in ("exercise", "entry", "ask")}
    unlocks = tuple(_texts(given["unlocks"], f"`unlocks` of {given['exercise']!r}"))
    easier = _question(given["easier"], is_easier=True) if "easier" in given else None
    return Question(texts["exercise"], given["entry"], " ".join(texts["ask"].split()), unlocks, easier)


def _advice(given: Any) -> Advice:
    _keys(given, "a path", "path", "knows", "why")
    path, why = (_text(given[key], f"`{key}` of a path") for key in ("path", "why"))
    return Advice(path, tuple(_texts(given["knows"], f"`knows` of {path!r}")), " ".join(why.split()))


def _keys(given: Any, what: str, *must: str, may: tuple[str, ...] = ()) -> None:
    if not isinstance(given, dict) or not {*must} <= given.keys() <= {*must, *may}:
        found = ", ".join(map(str, given)) if isinstance(given, dict) else repr(given)
        raise ValueError(f"{PLACEMENT}: {what} has {found}: it takes {', '.join((*must, *may))}.")


def _list(given: Any, what: str) -> list[Any]:
    if not isinstance(given, list):
        raise ValueError(f"{PLACEMENT}: {what} is {given!r}: write a list.")
    return given


def _texts(given: Any, what: str) -> Iterator[str]:
    return (_text(one, what) for one in _list(given, what))


def _text(given: Any, what: str) -> str:
    if not isinstance(given, str) or not given.strip():
        raise ValueError(f"{PLACEMENT}: {what} has {given!r}: write a text.")
    return given
