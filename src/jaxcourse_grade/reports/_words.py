"""What each status is called: its symbol, words for the student and for a table, and what JUnit makes of it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from jaxcourse_grade._records import Mark, Result, Status
from jaxcourse_grade.reports._entry import number


class Words(NamedTuple):
    """How a status looks.

    Attributes:
        symbol: one character that can be recognised without its colour.
        student: said to the student.
        table: said in a table.
        tone: `good`, `bad` or `open`: which colour goes with the symbol.
        junit: the element of JUnit that stands for it: nothing that was not passed is green.
    """

    symbol: str
    student: str
    table: str
    tone: Literal["good", "bad", "open"]
    junit: Literal["", "failure", "error"]


WORDS: dict[Status, Words] = {
    "passed": Words("✓", "passed", "passed", "good", ""),
    "wrong": Words("✗", "not yet", "wrong", "bad", "failure"),
    "error": Words("!", "your code raised an exception", "exception", "bad", "error"),
    "timeout": Words("◔", "your code took too long and was stopped", "time-out", "bad", "error"),
    "memory": Words("▲", "your code took too much memory and was stopped", "out of memory", "bad", "error"),
    "crashed": Words("‼", "your code ended the Python process", "crashed", "bad", "error"),
    "not_attempted": Words("○", "not attempted", "not attempted", "open", "failure"),
    "missing": Words("–", "no answer was found", "no answer", "open", "failure"),
    "unreadable": Words("?", "not graded", "not graded", "open", "error"),
    "stumbled": Words("◇", "not judged, which is not your fault", "check stumbled", "open", "error"),
}


def verdict(mark: Mark) -> str:
    """The status and the label of a mark, in a few words.

    Example:
        >>> verdict(Mark("a", "A", "wrong", label="off-by-one")), verdict(Mark("a", "A", "not_attempted"))
        ('wrong: off-by-one', 'not_attempted')
    """
    return f"{mark.status}: {mark.label}" if mark.label else mark.status


def decision(of: Mark | Result) -> str:
    """What a teacher decided, in a few words; nothing if that is nothing but a comment.

    Example:
        >>> from jaxcourse_grade._records import Decision
        >>> decision(Mark("a", "A", "wrong", decision=Decision(1.5))), decision(Mark("a", "A", "wrong"))
        ('1.5 points', '')
    """
    if of.decision is None or (of.decision.points is None and not of.decision.excused):
        return ""
    points = number(of.decision.points or 0)
    return "excused" if of.decision.excused else f"{points} point" if points == "1" else f"{points} points"


def decision_text(of: Mark | Result) -> str:
    """What a teacher decided, as a sentence, and the teacher's comment; nothing if there is neither.

    Example:
        >>> from jaxcourse_grade._records import Decision
        >>> decision_text(Mark("a", "A", "wrong", decision=Decision(1, comment="A good idea.")))
        "Your teacher's decision: 1 point. A good idea."
    """
    if of.decision is None:
        return ""
    said = f"Your teacher's decision: {decision(of)}." if decision(of) else ""
    return f"{said} {of.decision.comment}".strip()
