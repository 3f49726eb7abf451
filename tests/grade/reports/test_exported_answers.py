"""Answers as files: one for each that was tried, with the solution beside them, and none of an earlier run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from grade_class import mark, result

from jaxcourse_grade._records import Result, Status
from jaxcourse_grade.reports import write

SOLUTIONS = {("01_toy", "f"): "def f(x):\n    return 2 * x"}


def handed_in(student: str, code: str, status: Status = "passed") -> Result:
    return result(student, "01_toy", (replace(mark("f", status), code=code),))


def exported(out: Path, *results: Result) -> dict[str, str]:
    """The files by their paths."""
    write(results, out / "grades", title="Toy", solutions=SOLUTIONS, answers=out / "answers")
    files = (out / "answers").rglob("*.py")
    return {str(path.relative_to(out / "answers")): path.read_text(encoding="utf-8") for path in files}


def test_every_answer_that_was_tried_is_a_file(tmp_path: Path) -> None:
    blank = handed_in("cy", "def f(x):\n    raise NotImplementedError", "not_attempted")
    files = exported(tmp_path, handed_in("ada", "f = abs"), handed_in("../Ada", "f = max\n", "wrong"), blank)
    solution = files.pop("01_toy/f/solution/solution.py")
    assert solution == SOLUTIONS["01_toy", "f"] + "\n"
    assert files.pop("01_toy/f/answers/ada.py") == "f = abs\n"
    ((path, code),) = files.items()
    assert path.startswith("01_toy/f/answers/ada-") and code == "f = max\n"


def test_what_an_earlier_run_exported_goes(tmp_path: Path) -> None:
    exported(tmp_path, handed_in("ada", "f = abs"), handed_in("bob", "f = max"))
    assert set(exported(tmp_path, handed_in("bob", "f = min"))) == {
        "01_toy/f/answers/bob.py",
        "01_toy/f/solution/solution.py",
    }
