"""A course whose lessons have other names now, and of which a section has moved: what has the old names counts."""

import csv
import json
import os

import pytest
from second_course import ADDING_CHECKS, adding
from toy import ANSWERS, CHECK, CONFIG, LESSON, TOC

from jaxcourse.cli import main
from jaxcourse.course import Course
from jaxcourse_author.lesson import notebooks
from jaxcourse_grade.intake import Ours, Taught, due_times, read_marks, take_in
from jaxcourse_grade.intake._lessons import lesson_in_name
from jaxcourse_grade.reports import canvas_columns, read_canvas

WAS, NOW, NEW = "07_both", "20_doubling", "21_adding"
END = "That was all."
BOTH = LESSON.replace(END, adding().partition("(adding)=")[2].join(["(adding)=", ""]))
ADD_CHECK, ADD_ANSWERS = ADDING_CHECKS.values()
MOVED = f"lessons:\n- {{was: {WAS}, now: {NOW}}}\n"
LESSONS = Taught(
    {NOW: frozenset({"double-it"}), NEW: frozenset({"add-one"}), "07_tour": frozenset({"look"})}, {WAS: NOW}
)
DOUBLE, ADD = "def double_it(x):\n    return 2 * x", "def add_one(x):\n    return x + 1"
WRONG = "def double_it(x):\n    return x * x"
STUB = '    raise NotImplementedError("your turn")'


def course(root, lessons, moved=""):
    """A course: the source, and the checks, of each lesson."""
    files = {"_config.yml": CONFIG, "book/index.md": "# Course\n", "book/moved.yml": moved}
    files["_toc.yml"] = TOC.replace("01_toy", "\n  - file: notebooks/".join(lessons))
    for stem, (source, *exercises) in lessons.items():
        files[f"notebooks/{stem}.md"] = source
        for name, (check, answers) in exercises:
            files[f"exercises_tests/{stem}/{name}.py"] = check
            files[f"tests/answers/{stem}/{name}.py"] = answers
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    notebooks.write(Course(root))
    return Course(root)


@pytest.fixture(scope="module")
def courses(tmp_path_factory):
    """The course as it was, and as it is."""
    folder = tmp_path_factory.mktemp("courses")
    double, add = ("double_it", (CHECK, ANSWERS)), ("add_one", (ADD_CHECK, ADD_ANSWERS))
    before = course(folder / "before", {WAS: (BOTH, double, add)})
    return before, course(folder / "now", {NOW: (LESSON, double), NEW: (adding(), add)}, MOVED)


def worked(of, stem, answers):
    """A notebook of a course in which some stubs are filled in."""
    book = json.loads((of.root / "notebooks" / f"{stem}.ipynb").read_text(encoding="utf-8"))
    for cell in book["cells"]:
        about = cell["metadata"].get("jaxcourse", {})
        if about.get("role") == "stub" and about["exercise"] in answers:
            cell["source"] = f"# exercise: {about['exercise']}\n{answers[about['exercise']]}"
    return json.dumps(book)


def fill(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def old_class(before):
    """Ada solved both, Bob one, Cy neither rightly."""
    return {
        f"ada_{WAS}.ipynb": worked(before, WAS, {"double-it": DOUBLE, "add-one": ADD}),
        f"bob_{WAS}.ipynb": worked(before, WAS, {"add-one": ADD}),
        "cy_07.ipynb": worked(before, WAS, {"double-it": WRONG}),
    }


def points(out):
    rows = csv.DictReader((out / "grades.csv").read_text(encoding="utf-8-sig").splitlines())
    return {(row["student"], row["lesson"]): float(row["points"]) for row in rows}


def grade(of, folder, *options):
    out = folder / "out"
    said = ["grade", str(folder / "in"), "--out", str(out), "--workers", "1", "--seed", "3", *options]
    assert main(["--course", str(of.root), *said]) == 0
    return out


def test_a_class_of_which_half_has_old_notebooks_gets_the_same_marks_also_over_records_of_before(
    courses, tmp_path, capsys
):
    before, now = courses
    fill(tmp_path / "in", old_class(before))
    assert points(grade(before, tmp_path)) == {("ada", WAS): 5, ("bob", WAS): 4, ("cy", WAS): 0}
    marks = fill(tmp_path, {"m.csv": f"student,lesson,exercise,points\ncy,{WAS},add-one,2\n"}) / "m.csv"
    fill(
        tmp_path / "in",
        {
            f"dee_{NOW}.ipynb": worked(now, NOW, {"double-it": DOUBLE}),
            f"dee_{NEW}.ipynb": worked(now, NEW, {}),
            f"eve_{NEW}.ipynb": worked(now, NEW, {"add-one": ADD}),
            f"bob_{NOW}.ipynb": worked(now, NOW, {"double-it": DOUBLE}),
            f"fay_{NOW}.ipynb": worked(now, NOW, {"double-it": WRONG}),
        },
    )
    capsys.readouterr()
    options = ["--lesson", WAS, "--lesson", NEW, "--due", f"{WAS}=2026-11-20T23:59Z", "--marks", str(marks)]
    out = grade(now, tmp_path, *options)
    assert points(out) == {
        ("ada", NOW): 1,
        ("ada", NEW): 4,
        ("bob", NOW): 1,
        ("bob", NEW): 4,
        ("cy", NOW): 0,
        ("cy", NEW): 2,
        ("dee", NOW): 1,
        ("dee", NEW): 0,
        ("eve", NOW): 0,
        ("eve", NEW): 4,
        ("fay", NOW): 0,
        ("fay", NEW): 0,
    }
    said = capsys.readouterr().out
    assert "ada (ada), " not in said, "no mark of hers has changed"
    assert not list((out / "results").glob(f"*{WAS}*"))
    results = [json.loads(path.read_text()) for path in (out / "results").glob("ada--*.json")]
    notes = [note for result in results for note in result["notes"] if "counts for each of them" in note]
    assert notes == [
        f"`ada_{WAS}.ipynb` is {WAS} as it was before: its exercises are those of {NOW} and {NEW} now, and it counts "
        "for each of them."
    ]


def test_notebooks_of_two_old_lessons_count_together_where_sections_of_both_are_in_one_now(tmp_path):
    lessons = Taught({"60_all": frozenset({"one", "two"})}, {"04_a": "60_all", "05_b": "60_all"})
    files = {}
    for stem, name in (("04_a", "one"), ("05_b", "two")):
        code = {"cell_type": "code", "metadata": {}, "outputs": [], "source": f"# exercise: {name}\n{name} = 1"}
        about = {"jaxcourse": {"lesson": stem}}
        files[f"ann_{stem}.ipynb"] = json.dumps(
            {"cells": [code], "metadata": about, "nbformat": 4, "nbformat_minor": 5}
        )
    (choice,) = take_in(fill(tmp_path / "in", files), lessons).choices
    assert choice.submission.student == "ann"
    assert choice.read(lessons).cells == ("# exercise: one\none = 1", "# exercise: two\ntwo = 1")


def test_a_copy_of_the_course_with_notebooks_that_lead_to_new_names_hands_in_none_of_them(courses, tmp_path):
    _, now = courses
    pointer = (now.root / "notebooks" / f"{WAS}.ipynb").read_text(encoding="utf-8")
    work = worked(now, NEW, {"add-one": ADD})
    folder = fill(tmp_path / "in", {f"ada/notebooks/{WAS}.ipynb": pointer, f"ada/notebooks/{NEW}.ipynb": work})
    fill(folder, {f"bob/{NOW}.ipynb": worked(now, NOW, {"double-it": DOUBLE}), f"bob/{WAS}.ipynb": pointer})
    os.utime(folder / "bob" / f"{WAS}.ipynb", (2e9, 2e9))
    taken = take_in(folder, Taught.of(now), asked=[NOW, NEW], ours=Ours.of(now.root))
    found = {(one.submission.student, one.submission.lesson): one for one in taken.choices}
    assert found["bob", NOW].handed.file == f"{NOW}.ipynb"
    assert ("ada", NEW) in found
    assert take_in(folder / "ada", Taught.of(now), ours=Ours.of(now.root)).asked == (NEW,)


@pytest.mark.parametrize(
    ("said", "stem"), [(WAS, NOW), ("both", NOW), ("07", "07_tour"), ("7", "07_tour"), (NOW, NOW), ("20", NOW)]
)
def test_an_old_name_or_topic_is_todays_lesson_and_a_number_is_that_of_today(said, stem, tmp_path):
    file = fill(tmp_path, {"marks.csv": f"student,lesson,points\nada,{said},1\n"}) / "marks.csv"
    (line,) = read_marks(file, LESSONS)
    assert line.lesson == stem
    assert ("before, it was the number of 07_both" in line.doubt) == (said in ("07", "7"))


def test_a_number_that_no_lesson_has_today_is_that_of_the_one_that_had_it():
    lessons = Taught({NOW: frozenset()}, {WAS: NOW})
    assert (lesson_in_name("week 7", lessons).lesson, lesson_in_name("week 7", lessons).doubt) == (NOW, "")


def test_a_decision_goes_with_its_exercise_to_the_lesson_that_has_it_today(tmp_path):
    lines = f"student,lesson,exercise,points\nada,{WAS},add-one,1\nada,{WAS},double-it,1\n"
    found = read_marks(fill(tmp_path, {"marks.csv": lines}) / "marks.csv", LESSONS)
    assert [line.lesson for line in found] == [NEW, NOW]
    wrong = fill(tmp_path, {"marks.csv": f"student,lesson,exercise,points\nada,{NOW},add-one,1\n"}) / "marks.csv"
    with pytest.raises(ValueError, match=f"has no exercise 'add-one'; it is one of {NEW}"):
        read_marks(wrong, LESSONS)


def test_a_due_time_may_have_an_old_name_but_a_lesson_is_due_once():
    assert list(due_times([f"{WAS}=2026-11-20T23:59Z"], LESSONS)) == [NOW]
    with pytest.raises(ValueError, match="are one lesson"):
        due_times([f"{WAS}=2026-11-20T23:59Z", f"{NOW}=2026-11-21T23:59Z"], LESSONS)


def test_a_column_of_a_gradebook_with_an_old_name_is_todays_lessons_and_one_of_today_comes_before_it(tmp_path):
    head = "Student,ID,SIS Login ID,Section,07 Both (4711)"
    for more, column in (("", 4), (",20 Doubling (4712)", 5)):
        text = f"{head}{more}\n    Points Possible,,,,1\nada,1,ada,A,\n"
        book = read_canvas(fill(tmp_path, {"book.csv": text}) / "book.csv")
        assert canvas_columns(book, [NOW], LESSONS) == {NOW: column}
