"""The grader tried on a notebook of its own before it is let loose on anybody's.

The notebook has the lesson's own answer to its first exercise, and no answer to the second. It is read as a
submission is, and must give the same cells; it is cut and judged as a submission is, and must give full points for the
first and none for the second. A grader of which that is not so would be wrong about a whole class.
"""

from __future__ import annotations

import json
import platform
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jaxcourse.course import Course
from jaxcourse_grade import judging, workers
from jaxcourse_grade._bounded import BoundedProcess
from jaxcourse_grade._records import Result, Submission
from jaxcourse_grade.intake import Lessons, take_in

STUDENT = "the grader itself"
"""Whose the notebook is."""
_OUTPUT = {"output_type": "stream", "name": "stdout", "text": ['[{"a": [0, "]\\\\"}"]}, {}]\n', "\\", "[", '"']}
"""What a reader of cells must step over: brackets and quotes, in and out of strings."""


class SelfTestFailed(ValueError):
    """The grader is wrong about a notebook that it wrote itself; what it got wrong."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"the grader was tried on a notebook of its own, and {what}. This is a fault of the course, or of the "
            f"Python that runs it ({platform.python_version()}), and nobody was graded. Try another version of Python, "
            "and report it."
        )


@dataclass(frozen=True)
class SelfTest:
    """A notebook of the grader's own.

    Attributes:
        lesson: which lesson it is of.
        solved, blank: the exercise that it solves, and one that it leaves out; empty if the lesson has no second.
        cells: the sources of its code cells.
    """

    lesson: str
    solved: str
    blank: str
    cells: tuple[str, ...]

    @property
    def text(self) -> str:
        """The file."""
        cells = [
            {"cell_type": "markdown", "metadata": {}, "source": 'A {table}: [1, 2], "]" and \\'},
            *(_code_cell(source) for source in self.cells),
        ]
        book = {"cells": cells, "metadata": {"jaxcourse": {"lesson": self.lesson}}, "nbformat": 4, "nbformat_minor": 5}
        return json.dumps(book, indent=1)

    def submission(self, lessons: Lessons, apart: BoundedProcess) -> Submission:
        """Read it as if somebody had handed it in.

        Raises:
            SelfTestFailed: what was read is not what was written.
        """
        with TemporaryDirectory() as folder:
            Path(folder, "own.ipynb").write_text(self.text, encoding="utf-8")
            (choice,) = take_in(Path(folder), lessons, asked=[self.lesson], apart=apart).choices
            found = choice.read(lessons, [self.lesson], apart)
        if (found.unreadable, found.lesson, found.cells) != ("", self.lesson, self.cells):
            raise SelfTestFailed(f"could not read it ({found.unreadable or 'it found other cells'})")
        return replace(found, student=STUDENT, name=STUDENT)

    def prove(self, outcome: dict[str, Any] | workers.WorkersDied) -> None:
        """See whether it was judged as it should be.

        Args:
            outcome: what a worker gives back.

        Raises:
            SelfTestFailed: it was not.
        """
        if isinstance(outcome, workers.WorkersDied) or "stumbled" in outcome:
            raise SelfTestFailed(
                f"stumbled over it: {outcome if isinstance(outcome, Exception) else outcome['stumbled']}"
            )
        marks = {mark.exercise: mark for mark in Result.from_json(outcome).marks}
        if (found := marks[self.solved]).points != found.out_of:
            raise SelfTestFailed(f"refused the lesson's own answer to {self.solved} ({found.status}: {found.message})")
        if self.blank and (found := marks[self.blank]).points:
            raise SelfTestFailed(f"gave points for {self.blank}, to which there was no answer")


def _code_cell(source: str) -> dict[str, Any]:
    lines = source.splitlines(keepends=True)
    return {"cell_type": "code", "metadata": {}, "execution_count": 1, "outputs": [_OUTPUT], "source": lines}


def self_test(course: Course, stem: str) -> SelfTest:
    """The notebook with which a lesson's grading is tried.

    Args:
        course: whose lesson it is.
        stem: of the lesson.
    """
    answers = judging.solutions(course, [stem])
    solved, blank, *_ = [*judging.targets(course, stem), ""]
    return SelfTest(stem, solved, blank, (answers[stem, solved], f"# exercise: {blank}\npass\n"))
