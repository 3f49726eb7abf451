"""One student's work, graded by itself: what the autograders of other platforms share."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from jaxcourse.course import Course
from jaxcourse_grade._class import Order, grade
from jaxcourse_grade._records import Result
from jaxcourse_grade._terminal import say

TEMPLATES = Path(__file__).parent / "templates"
"""The files that go to other platforms."""
_FOLDER = "submission_1"


def grade_folder(
    course: Course, work: Path, student: str, out: Path, *, seed: int, unprotected: bool = False
) -> list[Result]:
    """Grade all notebooks in a folder as one student's.

    The folder becomes a class of one in the form of Gradescope's exports, because their file says whose it is: with a
    bare folder, the reader would have to guess whether its notebooks are one student's or several students'.

    Args:
        course: whose lessons and checks decide.
        work: what was handed in, such as a checkout.
        student: whose it is.
        out: the folder for results and reports.
        seed: of the inputs.
        unprotected: grade even where the machine lacks a protection.

    Returns:
        One result for each lesson, and for each file that may be a notebook and cannot be read.

    Raises:
        ValueError: it cannot be graded like this, or there is nothing to be graded.
        OSError: a file cannot be read or written.
    """
    with TemporaryDirectory() as scratch:
        staged = Path(scratch, "class")
        shutil.copytree(work, staged / _FOLDER, symlinks=True, ignore=shutil.ignore_patterns(".*"))
        who = {_FOLDER: {":submitters": [{":name": student}]}}
        (staged / "submission_metadata.yml").write_text(json.dumps(who, ensure_ascii=False), encoding="utf-8")
        order = Order(course, staged, out, seed=seed, workers=1, unprotected=unprotected, title=student, live=True)
        grade(order, say, lambda results, total: results)
    files = sorted((out / "results").glob("*.json"))
    return [Result.from_json(json.loads(path.read_text(encoding="utf-8"))) for path in files]
