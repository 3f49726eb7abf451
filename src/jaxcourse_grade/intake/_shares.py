"""Shares of points that a teacher gives to known mistakes: one line for each, whoever made it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jaxcourse.course import nearest
from jaxcourse_grade._records import Decision, Mark, Result
from jaxcourse_grade.intake._decisions import NO_EXERCISE, MarksError, rows_of
from jaxcourse_grade.intake._lessons import Lessons, exercise_today, home_of

_HEADINGS = ("label", "share", "exercise", "comment")
_NEEDED = ("label", "share")
_WORDS = "This mistake, `{}`, gets {:g} % of the points."


@dataclass(frozen=True)
class Share:
    """One line of `shares.csv`.

    Attributes:
        number: where it stands in the file.
        label: the mistake's, as the tables show it.
        share: of the exercise's points, from 0 to 1.
        exercise: the only one that is meant; empty if all are in which there is that mistake.
        comment: for the student.
    """

    number: int
    label: str
    share: float
    exercise: str = ""
    comment: str = ""


def read_shares(path: Path, lessons: Lessons) -> list[Share]:
    """Read the shares that a teacher gives.

    Args:
        path: a CSV file with the headings `label` and `share`, and perhaps `exercise` and `comment`.
        lessons: the exercises of each lesson.

    Raises:
        OSError: the file cannot be read.
        MarksError: a heading is missing, or a line says what cannot be.
    """
    rows = rows_of(path)
    number, head = next(rows, (1, []))
    columns = [heading.casefold() for heading in head]
    if lacking := [name for name in _NEEDED if name not in columns]:
        raise MarksError(path, number, f"no column {' or '.join(map(repr, lacking))}: it needs {', '.join(_HEADINGS)}.")
    found: dict[tuple[str, str], Share] = {}
    for number, row in rows:
        share = _share(path, number, dict(zip(columns, row, strict=False)), lessons)
        earlier = found.setdefault((share.exercise, share.label), share)
        if earlier is not share:
            raise MarksError(path, number, f"line {earlier.number} says already what {share.label!r} gets.")
    return list(found.values())


def _share(path: Path, number: int, cells: Mapping[str, str], lessons: Lessons) -> Share:
    label, said, exercise = (cells.get(name, "") for name in ("label", "share", "exercise"))
    exercise = "" if exercise.casefold() in NO_EXERCISE else exercise_today(exercise, lessons)
    if not label:
        raise MarksError(path, number, "it names no mistake: the label stands in `exercises.csv`.")
    if exercise and not home_of(exercise, lessons):
        near = nearest(exercise, sorted(name for names in lessons.values() for name in names))
        raise MarksError(
            path, number, f"there is no exercise {exercise!r}" + (f"; did you mean {near!r}?" if near else ".")
        )
    share = float(said.replace(",", ".")) if re.fullmatch(r"\d+([.,]\d*)?", said) else -1.0
    if not 0 <= share <= 1:
        raise MarksError(path, number, f"a share is a number from 0 to 1, and not {said!r}.")
    return Share(number, label, share, exercise, cells.get("comment", ""))


def with_shares(shares: Sequence[Share], result: Result, decided: Mapping[str, Decision]) -> dict[str, Decision]:
    """The decisions on a result, with those that follow from its mistakes; what was decided by hand comes first.

    Example:
        >>> result = Result("ada", "Ada", "01_toy", "", "graded", marks=(Mark("a", "A", "wrong", "loops"),))
        >>> with_shares([Share(2, "loops", 0.5)], result, {})["a"].points
        0.5
        >>> with_shares([Share(2, "loops", 0.5)], result, {"a": Decision(0.8)})["a"].points
        0.8
    """
    by_rule = {mark.exercise: _decision(mark, share) for mark in result.marks if (share := _of(mark, shares))}
    return {**by_rule, **{name: _joined(one, by_rule.get(name)) for name, one in decided.items()}}


def _of(mark: Mark, shares: Iterable[Share]) -> Share | None:
    """The share of a mark: that of the exercise, or else that of the mistake wherever it is made."""
    fitting = [one for one in shares if mark.status == "wrong" and one.label == mark.label]
    return next((one for wanted in (mark.exercise, "") for one in fitting if one.exercise == wanted), None)


def _decision(mark: Mark, share: Share) -> Decision:
    return Decision(share.share * mark.out_of, False, share.comment or _WORDS.format(mark.label, 100 * share.share))


def _joined(by_hand: Decision, by_rule: Decision | None) -> Decision:
    """A line by hand without points is a comment: the points of the rule stand."""
    is_comment = by_hand.points is None and not by_hand.excused
    return replace(by_rule, comment=by_hand.comment) if by_rule and is_comment else by_hand


def met(shares: Sequence[Share], results: Iterable[Result], file: str) -> Iterator[str]:
    """What to say of shares: how many marks they met, and which line met none."""
    count = dict.fromkeys(shares, 0)
    labels = set[str]()
    for result in results:
        for mark in result.marks:
            labels |= {mark.label} if mark.status == "wrong" else set()
            if share := _of(mark, shares):
                count[share] += 1
    for share, marks in count.items():
        if not marks:
            near = nearest(share.label, sorted(labels - {""}))
            also = f" Did you mean `{near}`?" if near and near != share.label else ""
            yield f"{file}, line {share.number}, met no mark: nobody made the mistake `{share.label}`.{also}"
    if sum(count.values()):
        yield f"{file} gives a share of the points to {sum(count.values())} marks."
