"""What is graded again after a change, and what the command says of it."""

import shutil

import pytest
from instant import instant
from second_course import second

from jaxcourse.course import Course
from jaxcourse_author.lesson import notebooks
from jaxcourse_grade import _again, _class
from jaxcourse_grade._class import Order
from jaxcourse_grade.isolation import Limits
from jaxcourse_grade.judging import _decides, decides, parts

__all__ = ["instant", "second"]

START, ADDING = "00_start_here", "07_adding"


@pytest.fixture
def course(second, tmp_path):
    """The second course, to be changed."""
    shutil.copytree(second.root, tmp_path / "course")
    return Course(tmp_path / "course")


@pytest.fixture
def run(course, tmp_path, instant):
    """Grades two students, who solved both lessons, and gives what was said of how many were graded."""
    for student in ("ada", "bob"):
        (tmp_path / "in" / student).mkdir(parents=True)
        for stem in (START, ADDING):
            text = (course.root / "solutions" / f"{stem}.ipynb").read_text(encoding="utf-8")
            (tmp_path / "in" / student / f"{stem}.ipynb").write_text(text + " " * (student == "bob"), encoding="utf-8")

    def once(**more):
        for cached in (decides, parts, _decides._meaning, _class.judging.versions, _class.judging.fingerprint):
            cached.cache_clear()
        said = []
        _class.grade(Order(course, tmp_path / "in", tmp_path / "out", seed=1, **more), said.append, lambda r, n: r)
        return [line for line in said if "to be graded" in line or "Graded again" in line]

    assert once() == ["4 to be graded, 0 graded already, 0 unreadable, 0 missing."]
    return once


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


NOTHING = ["0 to be graded, 4 graded already, 0 unreadable, 0 missing."]


def test_a_sentence_and_a_comment_grade_nothing_again(run, course):
    assert run() == NOTHING
    edit(course.root / "notebooks" / f"{ADDING}.md", "That was all.", "That was all of it.")
    edit(course.root / "notebooks" / f"{START}.md", "That was all.", "That was all of it.")
    notebooks.write(course)
    check = course.root / "exercises_tests" / ADDING / "add_one.py"
    check.write_text("# a comment\n" + check.read_text(encoding="utf-8"), encoding="utf-8")
    assert run() == NOTHING


def test_a_changed_check_grades_its_lesson_again_and_is_named(run, course):
    edit(course.root / "exercises_tests" / ADDING / "add_one.py", "hint: one", "hint: One, and no more.")
    why = f"Graded again, because {ADDING} has changed (exercises_tests/{ADDING}/add_one.py): 2."
    assert run() == ["2 to be graded, 2 graded already, 0 unreadable, 0 missing.", why]
    assert run() == NOTHING


def test_a_changed_module_grades_all_lessons_again_that_reach_it(run, course, monkeypatch):
    first, second = (_decides._reached_files(course.lesson(stem).notebook, []) for stem in (START, ADDING))
    shared = next(path for path in sorted(first & second) if path.name == "exercise.py")
    plain = _decides._meaning.__wrapped__
    monkeypatch.setattr(_decides, "_meaning", _Other(plain, shared))
    assert run() == [
        "4 to be graded, 0 graded already, 0 unreadable, 0 missing.",
        f"Graded again, because {START} has changed (jaxcourse/exercise.py): 2.",
        f"Graded again, because {ADDING} has changed (jaxcourse/exercise.py): 2.",
    ]


class _Other:
    """Files as they are, but one that has another meaning."""

    def __init__(self, plain, other):
        self.plain, self.other = plain, other

    def __call__(self, path):
        return self.plain(path) + "another" * (path == self.other)

    def cache_clear(self):
        pass


def test_a_changed_solution_is_named(run, course):
    edit(course.root / "notebooks" / f"{START}.md", "return 2 * x", "return x + x")
    notebooks.write(course)
    again = f"Graded again, because {START} has changed (its code, its solutions and sections): 2."
    assert run()[1:] == [again]


def test_another_file_other_limits_and_other_libraries_are_named(run, course, tmp_path, monkeypatch):
    path = tmp_path / "in" / "ada" / f"{START}.ipynb"
    path.write_text(path.read_text(encoding="utf-8") + "  ", encoding="utf-8")
    assert run()[1:] == ["Graded again, because what was handed in has changed: 1."]
    assert run(limits=Limits(seconds=999))[1:] == ["Graded again, because the limits have changed: 4."]
    now = _class.judging.versions(course) | {"jax": "0.99.0"}
    monkeypatch.setattr(_again.judging, "versions", lambda course: now)
    monkeypatch.setattr(_class.judging.versions, "cache_clear", lambda: None, raising=False)
    assert run(limits=Limits(seconds=999))[1:] == ["Graded again, because this is jax 0.99.0 now: 4."]


def test_without_what_is_remembered_the_lesson_is_named(run, course, tmp_path):
    edit(tmp_path / "out" / "class.json", "decided_by", "once")
    edit(course.root / "exercises_tests" / ADDING / "add_one.py", "hint: one", "hint: One, and no more.")
    assert run()[1:] == [f"Graded again, because {ADDING} has changed: 2."]


def test_only_so_much_is_remembered(course, tmp_path):
    then = {str(number): {"its code": "0"} for number in range(2 * _again.MOST_KEPT)}
    kept = _again.to_remember(then, course, [START])
    assert len(kept) == _again.MOST_KEPT and [*kept][-1] == decides(course, START)
    assert _again.earlier_parts(tmp_path / "none.json") == {}
