"""Known mistakes, and which of them explains every reply: here alone it is said what that means.

A mistake has a face for each case: what an answer with it gives there. It is a function of the case's arguments, or,
if a mistake can be made in several ways, several such functions, of which one must fit every reply. Where nobody can
say what would come back, but it can be seen, it is `seen(test)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Case = tuple[Any, ...]
"""The arguments of one call, and what else is drawn for it."""

Oracle = Callable[..., Any]
"""What is right, or what a mistake gives, for the arguments of one call."""

TELLING = 2
"""On how many cases at least a mistake must give something else than what is right: one may be chance."""


@dataclass(frozen=True)
class Reply:
    """What came back for one case, beside what is right.

    Attributes:
        case: the arguments.
        got: what is compared.
        want: what is right.
        right: whether the two agree.
        whole: what came back, before a part of it was read.
    """

    case: Case
    got: Any
    want: Any
    right: bool
    whole: Any = None


@dataclass(frozen=True)
class Seen:
    """A mistake that shows in each reply: see `seen`."""

    test: Callable[[Reply], object]


def seen(test: Callable[[Reply], object]) -> Seen:
    """A mistake that nobody can compute, and that shows in what came back: a test that holds for every reply.

    Example:
        >>> only_for_numbers = seen(lambda reply: reply.right == (reply.want.ndim == 0))
    """
    return Seen(test)


Face = Oracle | Seen

Mistakes = Mapping[str, "Face | Sequence[Face]"]
"""By label, what an answer with that mistake gives: one function of a case's arguments, or several; or `seen(...)`.
Of a dictionary a mistake need give only the entries that it is about."""

Same = Callable[[Any, Any], bool]
"""Whether two results are the same, up to rounding."""


def faces_of(mistakes: Mistakes) -> list[tuple[str, Face]]:
    """The faces of mistakes, each with its label.

    Example:
        >>> [label for label, _ in faces_of({"less": abs, "more": [abs, round]})]
        ['less', 'more', 'more']
    """
    return [(key, one) for key, some in mistakes.items() for one in (some if isinstance(some, Sequence) else [some])]


def explaining(mistakes: Mistakes, replies: Iterable[Reply], same: Same) -> str | None:
    """The label of the first mistake that explains every reply, and is not right on `TELLING` of them.

    Args:
        mistakes: the most telling first.
        replies: are looked at as long as a mistake is left.
        same: compares.

    Example:
        >>> from jaxcourse.exercise import is_close
        >>> replies = [Reply((n,), got=-n, want=n, right=not n) for n in range(3)]
        >>> explaining({"twice": lambda n: 2 * n, "sign": lambda n: -n}, replies, is_close)
        'sign'
        >>> explaining({"sign": lambda n: -n}, replies[:2], is_close)  # one reply tells nothing
    """
    left = [(key, face, [0]) for key, face in faces_of(mistakes)]
    for reply in replies:
        left = [one for one in left if _fits(one[1], reply, reply.got, same)]
        if not left:
            return None
        for _, face, telling in left:
            telling[0] += not (reply.right if isinstance(face, Seen) else _fits(face, reply, reply.want, same))
    return next((key for key, _, (telling,) in left if telling >= TELLING), None)


def _fits(face: Face, reply: Reply, result: Any, same: Same) -> bool:
    """Whether an answer with a mistake would have given a result."""
    if isinstance(face, Seen):
        return bool(face.test(reply))
    try:
        made = face(*reply.case)
    except (ArithmeticError, LookupError, ValueError):  # a mistake that does not get as far as a result
        return False
    part = isinstance(made, Mapping) and isinstance(result, Mapping) and made.keys() <= result.keys()
    return same({name: result[name] for name in made} if part else result, made)
