"""A file that a lesson reads lies beside each student's notebook when it is graded, and beside the lesson's own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from submissions import code_cells
from toy import MD, edit, toy

from jaxcourse.course import Course
from jaxcourse_author.lesson import notebooks
from jaxcourse_grade._records import Submission
from jaxcourse_grade.isolation import Terms, available
from jaxcourse_grade.judging import Grader, decides, parts
from jaxcourse_grade.platforms import gradescope

__all__ = ["toy"]

READS = "def double_it(x):\n    return np.loadtxt('runs.csv') * x"
PROTECTED = [name for name, why in available().items() if not why]


@pytest.fixture
def reading(toy: Path) -> Course:
    """The toy, whose set-up and whose solution read a file."""
    (toy / "notebooks" / "runs.csv").write_text("2\n", encoding="utf-8")
    edit(toy / MD, "after: double", "files: [runs.csv]\nafter: double")
    edit(toy / MD, "import numpy as np\n", "import numpy as np\n\nfactor = np.loadtxt('runs.csv')\n")
    edit(toy / MD, "    return 2 * x", "    return np.loadtxt('runs.csv') * x")
    notebooks.write(Course(toy))
    return Course(toy)


@pytest.fixture
def marks(reading: Course, tmp_path_factory: pytest.TempPathFactory):
    """What becomes of some cells: the mark of the only exercise."""
    terms = Terms(protections=PROTECTED, cache=str(tmp_path_factory.mktemp("programs")))
    grader = Grader(reading, terms)

    def one(*cells: str):
        return grader.grade(Submission("ada", "Ada", "01_toy", "a.ipynb", cells=cells), class_seed=7).marks[0]

    yield one
    grader.close()


def test_an_answer_that_reads_it_is_right(reading: Course, marks) -> None:
    solved = code_cells(reading.lesson("01_toy").notebook.read_text(encoding="utf-8"))
    assert "bring(" in solved[0]
    assert marks(*solved).status == "passed"
    assert marks("import numpy as np", READS).status == "passed"
    assert marks("def double_it(x):\n    return factor * x").status == "passed"


def test_what_another_notebook_brings_costs_nothing(marks) -> None:
    assert marks('from jaxcourse import bring\n\nbring({"runs.csv": "0"})', READS).status == "passed"


def test_what_is_not_declared_is_not_there(marks) -> None:
    mark = marks(READS.replace("runs.csv", "other.csv"))
    assert mark.status == "error" and "FileNotFoundError" in mark.label + mark.message


def test_another_content_is_graded_again(reading: Course, tmp_path: Path) -> None:
    other = Course(tmp_path / "other")
    shutil.copytree(reading.root, other.root, ignore=shutil.ignore_patterns("other"))
    assert decides(reading, "01_toy") == decides(other, "01_toy")
    (other.root / "notebooks" / "runs.csv").write_text("2.0\n", encoding="utf-8")
    notebooks.write(other)
    for cached in (decides, parts):
        cached.cache_clear()
    assert decides(reading, "01_toy") != decides(other, "01_toy")


def test_gradescopes_archive_holds_it(reading: Course, tmp_path: Path) -> None:
    from zipfile import ZipFile

    (reading.root / "pyproject.toml").write_text("")
    gradescope.archive(reading, "01_toy", tmp_path / "autograder.zip")
    assert "course/notebooks/runs.csv" in ZipFile(tmp_path / "autograder.zip").namelist()
