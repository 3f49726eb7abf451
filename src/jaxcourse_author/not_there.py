"""The error of what a declaration such as `book/sheets.yml` names, and no lesson has."""

from __future__ import annotations


class NotThere(ValueError):
    """Something declared names what is not there: says what is missing, and what to write.

    Attributes:
        problem: what is wrong.
        repair: what to do.
    """

    def __init__(self, problem: str, repair: str) -> None:
        super().__init__(f"{problem}. {repair}")
        self.problem, self.repair = problem, repair
