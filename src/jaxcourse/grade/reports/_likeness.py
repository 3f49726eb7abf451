"""Answers that are alike beyond what the task makes alike: a hint for an instructor, never a verdict.

An answer becomes the sequence of its syntax tree's nodes, in which names are numbered in the order in which they
appear; comments, layout and docstrings are gone. Of this sequence all stretches of a few nodes are kept. What the
lesson's own solution has too says nothing, and neither does what many answers have. Two answers are alike if nearly all
that is left of both is the same. Only answers that share something rare are compared, so the work grows with the
number of answers and not with its square.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import itertools
import re
import warnings
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from jaxcourse.grade._records import Mark, Result
from jaxcourse.grade.reports._entry import entry

_STRETCH = 6
"""Nodes of a stretch: fewer are in every program, and more are broken up by a single change."""
_LEAST = 24
"""Stretches that must be left of an answer: a short one is like many others by chance."""
_FEW = 4
"""Among so few who share something, everybody is compared with everybody; among more, with the next."""
_RARE, _RARE_SHARE = 8, 0.1
"""In how many answers, or in what share of a class, something may be and yet be rare."""
_ALIKE = 0.8
"""What share of all that is left of two answers must be the same."""
_LONGEST = 20_000
"""Characters of an answer that are read."""
_MOST = 100
"""How many pairs are shown."""

Left: TypeAlias = "array[int]"
"""What is left of an answer; a set of numbers would take ten times the memory."""
Solutions = Mapping[tuple[str, str], str]
"""The lesson's own answer for each lesson and exercise."""


class Key(NamedTuple):
    """One answer: whose it is, and to what."""

    lesson: str
    exercise: str
    student: str


@dataclass(frozen=True)
class Alike:
    """Two answers that are alike.

    Attributes:
        one, other: whose they are.
        share: of 100, how much of what the solution does not have is the same.
        verbatim: whether names and comments are the same too.
    """

    one: Key
    other: Key
    share: float
    verbatim: bool


class _Nodes(ast.NodeVisitor):
    """Writes a tree down as a sequence of words, in which names are numbers."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.numbers: dict[str, int] = {}

    def generic_visit(self, node: ast.AST) -> None:
        if not isinstance(node, (ast.Load, ast.Store, ast.Del, ast.Pass)):
            self.words.append(type(node).__name__ + self._detail(node))
        super().generic_visit(node)

    def _detail(self, node: ast.AST) -> str:
        if isinstance(node, ast.Constant):
            return repr(node.value)[:80]
        if isinstance(node, ast.Attribute):
            return node.attr
        name = getattr(node, "id", None) or getattr(node, "arg", None) or getattr(node, "name", None)
        if not isinstance(name, str) or hasattr(builtins, name):
            return name if isinstance(name, str) else ""
        return str(self.numbers.setdefault(name, len(self.numbers)))


def stretches(code: str) -> frozenset[int]:
    """What is characteristic of a program, whatever its names are; nothing, if it is none or defines no function.

    Example:
        >>> one, other = "def f(x):\\n    return x + 1", "def g(new):  # mine\\n    return new + 1"
        >>> stretches(one) == stretches(other) != stretches("def f(x):\\n    return 1 + x")
        True
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code[:_LONGEST])
        if not any(isinstance(node, (ast.FunctionDef, ast.Lambda)) for node in ast.walk(tree)):
            return frozenset()
        _without_docstrings(tree)
        nodes = _Nodes()
        nodes.visit(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    return frozenset(
        int.from_bytes(
            hashlib.blake2b(" ".join(nodes.words[i : i + _STRETCH]).encode(errors="replace"), digest_size=8).digest()
        )
        for i in range(max(1, len(nodes.words) - _STRETCH + 1))
    )


def _without_docstrings(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)):
            node.body = [part for part in node.body if not _is_text(part)] or [ast.Pass()]


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def alike(results: Iterable[Result], solutions: Solutions) -> list[Alike]:
    """The pairs of answers that are alike, those of students who share most first; at most a hundred.

    Args:
        results: with code, in any order; gone through once.
        solutions: what is not counted.
    """
    found, texts = _answers(results, solutions)
    pairs = [pair for keys in _by_exercise(found) for pair in _pairs(keys, found, texts)]
    shared = Counter((pair.one.student, pair.other.student) for pair in pairs)

    def order(pair: Alike) -> tuple[object, ...]:
        return (-shared[pair.one.student, pair.other.student], pair.one.student, pair.other.student, *pair.one[:2])

    return sorted(pairs, key=order)[:_MOST]


def _answers(results: Iterable[Result], solutions: Solutions) -> tuple[dict[Key, Left], dict[Key, int]]:
    """What is left of each answer beyond the solution, and a number that stands for its text."""
    ours = {key: stretches(code) for key, code in solutions.items()}
    found, texts = dict[Key, Left](), dict[Key, int]()
    for result in results:
        for mark in result.marks:
            left = stretches(mark.code) - ours.get((result.lesson, mark.exercise), frozenset()) if _counts(mark) else ()
            if len(left) >= _LEAST:
                key = Key(result.lesson, mark.exercise, result.student)
                found[key], texts[key] = array("Q", left), hash(re.sub(r"\s+", " ", mark.code))
    return found, texts


def _counts(mark: Mark) -> bool:
    return bool(mark.code) and mark.status not in ("not_attempted", "missing", "unreadable")


def _by_exercise(found: Iterable[Key]) -> Iterator[list[Key]]:
    groups = defaultdict[tuple[str, str], list[Key]](list)
    for key in found:
        groups[key.lesson, key.exercise].append(key)
    yield from (sorted(keys) for keys in groups.values() if len(keys) > 1)


def _pairs(keys: list[Key], found: Mapping[Key, Left], texts: Mapping[Key, int]) -> Iterator[Alike]:
    """The pairs of one exercise: candidates have something in common that is rare."""
    owners = defaultdict[int, list[Key]](list)
    for key in keys:
        for stretch in found[key]:
            owners[stretch].append(key)
    most = max(_RARE, _RARE_SHARE * len(keys))
    left = {key: {stretch for stretch in found[key] if len(owners[stretch]) <= most} for key in keys}
    candidates = {pair for those in owners.values() if len(those) <= most for pair in _candidates(those)}
    for one, other in sorted(candidates):
        both, either = left[one] & left[other], left[one] | left[other]
        if len(both) >= _LEAST and len(both) >= _ALIKE * len(either):
            yield Alike(one, other, round(100 * len(both) / len(either), 1), texts[one] == texts[other])


def _candidates(those: list[Key]) -> Iterable[tuple[Key, Key]]:
    return itertools.combinations(those, 2) if len(those) <= _FEW else itertools.pairwise(those)


@dataclass(frozen=True)
class Shown:
    """A pair as the page shows it: the two results and marks, with code."""

    pair: Alike
    one: tuple[Result, Mark]
    other: tuple[Result, Mark]


def shown_pairs(pairs: Iterable[Alike], results: Iterable[Result]) -> list[Shown]:
    """Pairs with what is to be shown of them; the results are gone through once."""
    pairs = list(pairs)
    wanted = {key for pair in pairs for key in (pair.one, pair.other)}
    cards = dict[Key, tuple[Result, Mark]]()
    for result in results if wanted else ():
        names = {key.exercise for key in wanted if key[0::2] == (result.lesson, result.student)}
        for mark in entry(result, code=True).result.marks if names else ():
            if mark.exercise in names:
                cards[Key(result.lesson, mark.exercise, result.student)] = entry(result).result, mark
    return [Shown(pair, cards[pair.one], cards[pair.other]) for pair in pairs if {pair.one, pair.other} <= cards.keys()]
