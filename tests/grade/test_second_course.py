"""A course in any folder is checked, graded and reported as itself: with its lessons, exercises, points and walls."""

import csv
import json
import shutil
from dataclasses import replace

import pytest
from submissions import code_cells, notebook

import jaxcourse_grade
from jaxcourse.cli import main
from jaxcourse.course import Course
from jaxcourse_grade._records import Result, Submission
from jaxcourse_grade.isolation import PROTECTIONS, Limits, Terms, _reach, available
from jaxcourse_grade.judging import Grader, fingerprint
from jaxcourse_grade.workers import Conditions, _worker

LACKING = {name for name, why in available().items() if why}
READS = """
import os
found = []
for place in {places}:
    try:
        found.append("opened" if os.open(place, os.O_RDONLY) else "")
    except OSError as error:
        found.append(type(error).__name__)
def double_it(x):
    raise ValueError(" ".join(found))
"""


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder that is no course, and in none."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_is_checked(second, elsewhere, capsys):
    assert main(["--course", str(second.root), "check", "--quick"]) == 0
    assert "2 exercises" in capsys.readouterr().out


@pytest.fixture(scope="module")
def graded(second, tmp_path_factory):
    """Ada solved both lessons; Bob doubled by squaring and did not add; nothing came from Zoe."""
    folder = tmp_path_factory.mktemp("class")
    solved = second.root / "solutions"
    start, adding = (second.lesson(stem) for stem in second.exercises())
    handed_in = {
        "ada/a.ipynb": (solved / "00_start_here.ipynb").read_text(encoding="utf-8"),
        "ada/b.ipynb": (solved / "07_adding.ipynb").read_text(encoding="utf-8"),
        "bob/a.ipynb": notebook(start, {"double-it": "def double_it(x):\n    return x * x"}),
        "bob/b.ipynb": notebook(adding, {}),
    }
    for name, text in handed_in.items():
        (folder / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "in" / name).write_text(text, encoding="utf-8")
    (folder / "roster.csv").write_text("Name\nada\nbob\nzoe\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        options = ["--roster", "roster.csv", "--workers", "1", "--seed", "3"]
        assert main(["--course", str(second.root), "grade", "in", "--out", "out", *options]) == 0
    return folder / "out"


def results(out):
    found = (Result.from_json(json.loads(path.read_text())) for path in (out / "results").iterdir())
    return {(result.student, result.lesson): result for result in found}


def test_it_is_graded_with_its_own_checks(graded):
    found = {key: [(m.exercise, m.status, m.label) for m in result.marks] for key, result in results(graded).items()}
    assert found["ada", "00_start_here"] == [("double-it", "passed", "")]
    assert found["ada", "07_adding"] == [("add-one", "passed", "")]
    assert found["bob", "00_start_here"] == [("double-it", "wrong", "squared")]
    assert found["bob", "07_adding"] == [("add-one", "not_attempted", "not-attempted")]
    assert found["zoe", "07_adding"] == [("add-one", "missing", "missing")]


def test_it_is_reported_with_its_own_lessons_exercises_and_points(graded):
    rows = list(csv.DictReader((graded / "grades.csv").read_text(encoding="utf-8-sig").splitlines()))
    points = {(row["student"], row["lesson"]): (row["points"], row["out_of"]) for row in rows}
    assert points["ada", "00_start_here"] == ("1", "1")
    assert points["ada", "07_adding"] == ("4", "4")
    assert points["zoe", "07_adding"] == ("0", "4")
    assert [name for name in rows[0] if name.endswith(" status")] == ["double-it status", "add-one status"]
    page = (graded / "feedback" / "bob.html").read_text(encoding="utf-8")
    assert "Double it" in page and "Add one" in page and "centre-columns" not in page
    assert "Twice is" in page, "what to read again after a wrong answer"


@pytest.mark.skipif("files" in LACKING, reason="this machine has not the protection `files`")
def test_a_student_sees_neither_its_solutions_nor_those_that_are_installed(second, tmp_path, monkeypatch):
    """Also where the course lies among what may be read."""
    shelf = tmp_path / "readable"
    shutil.copytree(second.root, shelf / "course")
    (shelf / "course" / "solutions").rename(shelf / "solved")
    (shelf / "course" / "solutions").symlink_to(shelf / "solved")
    (shelf / "neighbour").mkdir()
    (shelf / "neighbour" / "file").touch()
    course, real = Course(shelf / "course"), _reach._system_paths
    monkeypatch.setattr(_reach, "_system_paths", lambda: [*real(), shelf])
    linked = shelf / "solved" / "00_start_here.ipynb"
    hidden = [linked, course.root, course.root / "exercises_tests", Course.installed().root / "exercises_tests"]
    answer = READS.format(places=list(map(str, [shelf / "neighbour", *hidden])))
    cells = code_cells(notebook(course.lesson("00_start_here"), {"double-it": answer}))
    judge = Grader(course, Terms(protections=sorted(PROTECTIONS.keys() - LACKING), cache=str(tmp_path / "cache")))
    try:
        (mark,) = judge.grade(Submission("eve", "Eve", "00_start_here", "", cells=tuple(cells)), 1).marks
    finally:
        judge.close()
    assert f"opened{4 * ' PermissionError'}" in mark.message


def test_where_no_course_is_named_it_is_the_one_around_the_user_or_else_the_installed_one(
    second,
    elsewhere,
    monkeypatch,
    capsys,
):
    graded_with = []
    monkeypatch.setattr(jaxcourse_grade, "run", lambda options, course: graded_with.append(course) or 0)
    main(["grade", "in", "--out", "out"])
    monkeypatch.chdir(second.root / "notebooks")
    main(["grade", "in", "--out", "out"])
    main(["--course", str(Course.installed().root), "grade", "in", "--out", "out"])
    assert graded_with == [Course.installed(), second, Course.installed()]
    assert main(["--course", str(elsewhere), "grade", "in", "--out", "out"]) == 2
    assert "no course in" in capsys.readouterr().err


def test_a_worker_without_its_folder_takes_the_course_that_is_installed_there_if_it_is_the_same(
    second,
    tmp_path,
):
    gone = Course(tmp_path / "only on the other machine")
    here = Course.installed()
    wanted = Conditions(1, gone, fingerprint(here), (), Limits())
    assert _worker._judge(wanted).course == here
    with pytest.raises(_worker.OtherCourse, match="not the one that the class is graded with"):
        _worker._judge(replace(wanted, fingerprint=fingerprint(second)))


def test_a_course_is_the_same_wherever_it_lies(second, tmp_path):
    shutil.copytree(second.root, tmp_path / "moved")
    assert fingerprint(Course(tmp_path / "moved")) == fingerprint(second) != fingerprint(Course.installed())


def test_what_cannot_be_installed_is_not_packed_for_gradescope(second, tmp_path, capsys):
    to = tmp_path / "autograder.zip"
    assert main(["--course", str(second.root), "autograder", "gradescope", "07_adding", "--out", str(to)]) == 2
    assert "no pyproject.toml" in capsys.readouterr().err
    assert not to.exists()
