"""A lesson that a teacher has frozen: its marks stay, whatever the course or a student changes, until the line goes."""

import csv
import json
import shutil

import pytest
from instant import instant
from second_course import second

from jaxcourse.course import Course
from jaxcourse_author.lesson import notebooks
from jaxcourse_grade import _class
from jaxcourse_grade._class import Order
from jaxcourse_grade._frozen import TOO_LATE, FrozenMarksMissing
from jaxcourse_grade.intake import read_frozen
from jaxcourse_grade.intake._decisions import MarksError
from jaxcourse_grade.judging import _decides, decides, parts

__all__ = ["instant", "second"]

START, ADDING = "00_start_here", "07_adding"


class Class:
    """Ada and Bob, who handed in both lessons; Zoe, who handed in nothing; and the command, run over and over."""

    def __init__(self, course, folder):
        self.course, self.folder = course, folder
        for student in ("ada", "bob"):
            for stem in (START, ADDING):
                self.hand_in(student, stem)
        (folder / "roster.csv").write_text("Name\nada\nbob\nzoe\n")

    def hand_in(self, student, stem, more=""):
        text = (self.course.root / "solutions" / f"{stem}.ipynb").read_text(encoding="utf-8")
        path = self.folder / "in" / student / f"{stem}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + more, encoding="utf-8")

    def passing(self, student, stem, yes):
        """Hand in what passes, or what does not: an instant grader tells by the bytes."""
        import hashlib

        path = self.folder / "in" / student / f"{stem}.ipynb"
        while int(hashlib.sha256(path.read_bytes()).hexdigest()[:2], 16) % 2 != yes:
            path.write_text(path.read_text(encoding="utf-8") + " ", encoding="utf-8")

    def freeze(self, *lessons):
        (self.folder / "frozen.csv").write_text("\n".join(["lesson,comment", *(f"{one},week 1" for one in lessons)]))

    def run(self, **more):
        """What was said, and the points by student and lesson."""
        for cached in (decides, parts, _decides._meaning, _class.judging.versions, _class.judging.fingerprint):
            cached.cache_clear()
        said, out = [], self.folder / "out"
        more = {"roster": self.folder / "roster.csv", **more}
        order = Order(self.course, self.folder / "in", out, seed=1, **more)
        _class.grade(order, said.append, lambda results, total: results)
        rows = csv.DictReader((out / "grades.csv").read_text(encoding="utf-8-sig").splitlines())
        self.page = (out / "class.html").read_text(encoding="utf-8")
        return said, {(row["student"], row["lesson"]): (row["points"], row["status"]) for row in rows}


@pytest.fixture
def class_(second, tmp_path, instant):
    shutil.copytree(second.root, tmp_path / "course")
    made = Class(Course(tmp_path / "course"), tmp_path)
    for student, yes in (("ada", 1), ("bob", 0)):
        made.passing(student, START, yes)
    return made


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def first_week(marks):
    return {student: mark for (student, lesson), mark in marks.items() if lesson == START}


def test_a_frozen_lesson_keeps_its_marks_and_what_comes_later_is_named(class_):
    _, before = class_.run()
    assert first_week(before) == {"ada": ("1", "graded"), "bob": ("0", "graded"), "zoe": ("0", "missing")}
    class_.freeze("00")
    class_.passing("bob", START, 1)
    class_.hand_in("zoe", START)
    edit(class_.course.root / "exercises_tests" / START / "double_it.py", "hint: twice", "hint: Twice.")
    edit(class_.course.root / "exercises_tests" / ADDING / "add_one.py", "hint: one", "hint: One.")
    said, after = class_.run()
    assert first_week(after) == first_week(before)
    assert "2 to be graded, 0 graded already, 0 unreadable, 1 missing." in said  # of the other lesson
    assert f"Frozen, so that marks stay as they are: `{START}`." in class_.page
    late = f"Handed in for `{START}` after it was frozen, and not graded: bob (`bob/{START}.ipynb`), zoe (`zoe/"
    assert late in class_.page and "ada (`" not in class_.page
    again, same = class_.run()
    assert same == after and any(line.startswith("0 to be graded, 2 graded already") for line in again)
    assert late in class_.page


def test_without_the_line_it_is_graded_again(class_):
    class_.run()
    class_.freeze(START)
    class_.passing("bob", START, 1)
    class_.hand_in("zoe", START)
    class_.run()
    class_.freeze()
    said, marks = class_.run()
    assert "2 to be graded" in said[-3] or any(line.startswith("2 to be graded") for line in said)
    assert marks["bob", START] == ("1", "graded") and marks["zoe", START][1] == "graded"
    assert "Frozen" not in class_.page


def test_files_that_are_gone_change_nothing(class_):
    _, before = class_.run()
    class_.freeze("start_here")
    for student in ("ada", "bob"):
        (class_.folder / "in" / student / f"{START}.ipynb").unlink()
    _, after = class_.run()
    assert after == before


def test_who_comes_into_the_class_later_has_a_row(class_):
    class_.run()
    class_.freeze(START)
    class_.hand_in("yan", START)
    (class_.folder / "roster.csv").write_text("Name\nada\nbob\nzoe\nyan\nxia\n")
    for _ in range(2):
        _, marks = class_.run()
        assert marks["yan", START] == marks["xia", START] == ("0", "missing")
        assert f"yan (`yan/{START}.ipynb`)" in class_.page and "xia (`" not in class_.page
    kept = json.loads((class_.folder / "out" / "results" / f"yan--{START}.json").read_text(encoding="utf-8"))
    assert kept["notes"] == [TOO_LATE]


def test_a_teachers_decision_stands_over_a_frozen_mark(class_):
    class_.run()
    class_.freeze(START)
    (class_.folder / "marks.csv").write_text("student,lesson,points\nbob,00,0.5\n")
    _, marks = class_.run()
    assert marks["bob", START][0] == "0.5"


def test_an_exercise_that_has_gone_from_the_course_is_still_counted(class_):
    _, before = class_.run()
    class_.freeze(START)
    changed = Course(shutil.copytree(class_.course.root, class_.folder / "changed"))
    answers = [changed.root / folder / START / "double_it.py" for folder in ("exercises_tests", "tests/answers")]
    for path in (changed.root / "notebooks" / f"{START}.md", *answers):
        text = path.read_text(encoding="utf-8").replace("double-it", "twice-it").replace("double_it", "twice_it")
        path.write_text(text, encoding="utf-8")
    for path in answers:
        path.rename(path.with_name("twice_it.py"))
    notebooks.write(changed)
    class_.course = changed
    _, after = class_.run()
    assert first_week(after) == first_week(before)


def test_a_lesson_with_another_name_keeps_its_marks(class_):
    _, before = class_.run()
    results = class_.folder / "out" / "results"
    for path in results.glob(f"*--{START}.json"):  # as they were under its earlier name
        text = path.read_text(encoding="utf-8").replace(START, "01_first")
        path.unlink()
        path.with_name(path.name.replace(START, "01_first")).write_text(text, encoding="utf-8")
    texts = class_.course.root / "solutions" / "course.json"
    data = json.loads(texts.read_text(encoding="utf-8"))
    data[START]["was"] = ["01_first"]
    texts.write_text(json.dumps(data), encoding="utf-8")
    class_.freeze(START)
    _, after = class_.run()
    assert after == before and not list(results.glob("*01_first*"))


def test_with_other_lessons_named_it_has_no_rows_and_stays(class_):
    _, before = class_.run()
    class_.freeze(START)
    class_.passing("bob", START, 1)
    _, marks = class_.run(lessons=(ADDING,))
    assert {lesson for _, lesson in marks} == {ADDING}
    _, after = class_.run()
    assert first_week(after) == first_week(before)


def test_what_was_never_graded_or_is_damaged_cannot_be_frozen(class_):
    class_.freeze(START)
    with pytest.raises(FrozenMarksMissing, match=f"{START} is frozen, and there are no marks of it"):
        class_.run()
    class_.freeze()
    class_.run()
    class_.freeze(START)
    path = class_.folder / "out" / "results" / f"ada--{START}.json"
    path.write_text("{", encoding="utf-8")
    with pytest.raises(FrozenMarksMissing, match="cannot be read by this grader: restore it"):
        class_.run()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name\n01\n", "line 1: no column 'lesson'"),
        ("lesson\n09\n", "line 2: there is no lesson '09'; there are 01_toy"),
        ("lesson,comment\n,well\n", "line 2: there is no lesson ''"),
    ],
)
def test_a_table_that_names_no_lesson_is_refused_with_its_line(text, said, tmp_path):
    (tmp_path / "frozen.csv").write_text(text, encoding="utf-8")
    with pytest.raises(MarksError, match="frozen.csv") as error:
        read_frozen(tmp_path / "frozen.csv", {"01_toy": frozenset()})
    assert said in str(error.value)


def test_a_lesson_is_named_as_elsewhere(tmp_path):
    (tmp_path / "frozen.csv").write_text("lesson;comment\n1;week 1\n01_toy;\n", encoding="utf-8")
    assert read_frozen(tmp_path / "frozen.csv", {"01_toy": frozenset(), "02_more": frozenset()}) == ["01_toy"]
