"""What each status is called: its symbol, words for the student and for a table, and what JUnit makes of it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from jaxcourse.grade._records import Mark, Result, Status
from jaxcourse.probe import Strength


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
    "needs_review": Words("◆", "passed, and your instructor will look at it", "needs review", "open", "failure"),
}


EVIDENCE: dict[Strength, str] = {
    "values": "right values came back for inputs that it had not seen",
    "programs": "its program was exported, and run again in a clean process",
    "code": "in part its process said it of itself, and its code was read: nothing there could reach what reports",
    "process": "in part it rests on what its own process said of itself, beside code that could not be read",
}
"""What each strength of evidence means, from the strongest to the weakest."""


def evidence(mark: Mark) -> str:
    """How strong the evidence is for which a mark was given, in words; nothing for one that was not.

    Example:
        >>> evidence(Mark("a", "A", "passed")), evidence(Mark("a", "A", "wrong"))
        ('Evidence: values (right values came back for inputs that it had not seen).', '')
    """
    passed = mark.status in ("passed", "needs_review")
    return f"Evidence: {mark.evidence} ({EVIDENCE[mark.evidence]})." if passed else ""


def process_points(result: Result) -> float:
    """The points of a result that rest in part on what a process said of itself."""
    return float(sum(mark.points for mark in result.marks if mark.evidence == "process"))


def verdict(mark: Mark) -> str:
    """The status and the label of a mark, in a few words.

    Example:
        >>> verdict(Mark("a", "A", "wrong", label="off-by-one")), verdict(Mark("a", "A", "not_attempted"))
        ('wrong: off-by-one', 'not_attempted')
    """
    return f"{mark.status}: {mark.label}" if mark.label else mark.status
