"""A course whose lessons and exercises have other names now, and of which a section has moved: old names count."""

import csv
import json
import os

import pytest
from second_course import ADDING_CHECKS, adding
from toy import ANSWERS, CHECK, CONFIG, LESSON, TOC

from jaxcourse.cli import main
from jaxcourse.course import Course
from jaxcourse_author import moving
from jaxcourse_author.lesson import notebooks
from jaxcourse_grade.intake import Ours, Taught, due_times, read_marks, take_in
from jaxcourse_grade.intake._lessons import lesson_in_name
from jaxcourse_grade.reports import canvas_columns, read_canvas
from jaxcourse_grade.reports._changes import _of_today
from jaxcourse_grade.slicing import Target, Template, plan

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


# -- exercises with other names


TWICE = "twice"


@pytest.fixture(scope="module")
def renamed(tmp_path_factory):
    """A course as it was, and as it is since its exercise has another name, the third that it has had."""
    folder = tmp_path_factory.mktemp("renamed")
    before, now = (course(folder / name, {"01_toy": (LESSON, ("double_it", (CHECK, ANSWERS)))}) for name in "ab")
    moving.exercise(now, "double-it", "by-two")
    moving.exercise(Course(now.root), "by-two", TWICE)
    return before, Course(now.root)


def answered(of, *cells):
    """A notebook of a course with cells of a student's own at its end."""
    book = json.loads(worked(of, "01_toy", {}))
    blank = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    book["cells"] += [blank | {"id": f"own-{i}", "source": source} for i, source in enumerate(cells)]
    return json.dumps(book)


def test_a_class_with_old_names_of_an_exercise_gets_the_same_marks_and_each_counts_once(renamed, tmp_path, capsys):
    before, now = renamed
    old = {
        "ada_01_toy.ipynb": worked(before, "01_toy", {"double-it": DOUBLE}),
        "bob_01_toy.ipynb": worked(before, "01_toy", {"double-it": WRONG}),
        "cy_01_toy.ipynb": worked(before, "01_toy", {}),
    }
    fill(tmp_path / "in", old)
    assert points(grade(before, tmp_path)) == {("ada", "01_toy"): 1, ("bob", "01_toy"): 0, ("cy", "01_toy"): 0}
    twice = DOUBLE.replace("double_it", TWICE)
    new = {
        "dee_01_toy.ipynb": worked(now, "01_toy", {TWICE: twice}),
        "eve_01_toy.ipynb": answered(now, f"# exercise: double-it\n{DOUBLE}", 'check("double-it")'),
        "fay_01_toy.ipynb": answered(now, f"# exercise: double-it\n{WRONG}", f"# exercise: {TWICE}\n{twice}"),
        "gus.py": "# %%\n# exercise: by-two\ndef by_two(x):\n    return 2 * x\n",
    }
    fill(tmp_path / "in", new)
    marks = "student,lesson,exercise,points\nbob,01_toy,double-it,0.5\ncy,01,by-two,0.25\n"
    capsys.readouterr()
    out = grade(now, tmp_path, "--marks", str(fill(tmp_path, {"m.csv": marks}) / "m.csv"))
    found = {student: got for (student, _), got in points(out).items()}
    assert found == {"ada": 1, "bob": 0.5, "cy": 0.25, "dee": 1, "eve": 1, "fay": 1, "gus": 1}
    said = capsys.readouterr().out
    assert "ada (ada), " not in said, "no mark of hers has changed"
    assert f"bob (bob), 01_toy: 0 of 1 → 0.5 of 1 points ({TWICE} 0 → 0.5)" in said
    results = [json.loads(path.read_text()) for path in (out / "results").glob("*.json")]
    assert {tuple(mark["exercise"] for mark in result["marks"]) for result in results} == {(TWICE,)}
    (both,) = (result["marks"][0] for result in results if result["student"] == "fay")
    assert any("`twice` was judged, and not `double_it`" in note for note in both["notes"])
    (blank,) = (result["marks"][0] for result in results if result["student"] == "cy")
    assert blank["status"] == "not_attempted" and "`double_it`" in blank["message"]


TOY = Template("01_toy", (), ("def given(x): ...",), {TWICE: Target(TWICE, "Twice", 1, ("by-two", "double-it"))})
STUBBED = f"def {TWICE}(x):\n{STUB}"


@pytest.mark.parametrize(
    ("cells", "called", "stop"),
    [
        ([DOUBLE, 'check("double-it")', "z = 1"], "double-it", 2),
        ([STUBBED, DOUBLE], "double-it", 2),
        ([DOUBLE, STUBBED, f'check("{TWICE}")'], "double-it", 3),
        ([DOUBLE, "twice = double_it"], TWICE, 2),
        ([STUBBED, f"def double_it(x):\n{STUB}"], TWICE, 1),
        (["x = 1"], TWICE, 1),
        (["# exercise: double-it\ndef double_it(x) return x"], "double-it", 0),
    ],
)
def test_of_several_names_an_answer_counts_before_a_stub_and_then_that_of_today(cells, called, stop):
    found = plan(cells, TOY)
    assert found.called[TWICE][0] == called and found.stops[TWICE] == stop
    assert sorted(found.called[TWICE]) == ["by-two", "double-it", TWICE]


def test_what_the_lesson_itself_shows_under_an_old_name_is_no_answer():
    toy = Template("01_toy", (), (DOUBLE,), TOY.exercises)
    assert plan([DOUBLE, STUBBED, "y = double_it(2)"], toy).called[TWICE][0] == TWICE


def test_the_rows_of_the_last_run_are_those_of_todays_exercises():
    lessons = Taught({"01_toy": frozenset({TWICE})}, renamed={"double-it": TWICE})
    row = {"feedback": "feedback/ada.html", "lesson": "01_toy", "points": 1, "out_of": 1}
    rows = _of_today([row | {"exercises": [{"exercise": "double-it", "points": 1, "out_of": 1}]}], lessons)
    assert rows["ada", "01_toy"]["exercises"] == [{"exercise": TWICE, "points": 1, "out_of": 1}]
