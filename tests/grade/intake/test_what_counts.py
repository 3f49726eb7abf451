"""Evidence before defaults: what says that it is of a lesson, and what is a student's own, counts before the rest."""

import hashlib
import json
import os

import pytest
from test_read import LESSONS, ONE, PI, ROOT, book, one, tree, zipped

from jaxcourse.course import Course
from jaxcourse_grade.intake import Ours, take_in
from jaxcourse_grade.intake._names import original

FIRST, SECOND = LESSONS
ALL = ("madhava_pi = 1", "flat_view = 1", "view_or_copy = 1")
LATER = 2_000_000_000


def the_one(folder, files, late=(), **how):
    """What counts for Ann, beside whom Bob has handed in what he should."""
    tree(folder / "in", {f"ann/{name}": data for name, data in files.items()} | {"bob/01.ipynb": ONE})
    for name in late:
        os.utime(folder / "in/ann" / name, (LATER, LATER))
    sorted_in = take_in(folder / "in", LESSONS, **how)
    (choice,) = (choice for choice in sorted_in.choices if choice.submission.student == "ann")
    return choice


NOTHING = {
    "a notebook": ("Untitled.ipynb", book("print(1)", lesson="")),
    "a script": ("utils.py", b"print(1)"),
    "another course's": ("pset.ipynb", book("def mean(x): ...", lesson="33_other")),
    "called after the lesson": ("01_memory_layout_2.ipynb", book("print(1)", lesson="")),
    "a script called after the lesson": ("01_memory_layout.py", b"print(1)"),
    "one of its names by chance": ("zz.ipynb", book("flat_view = 3", lesson="")),
    "a script with one of its names": ("zz.py", b"def flat_view(x): ..."),
}


@pytest.mark.parametrize("asked", [(), (FIRST,), (FIRST, SECOND)])
@pytest.mark.parametrize("evidence", ["metadata", "a marker", "a check", "definitions"])
@pytest.mark.parametrize("case", NOTHING)
def test_what_has_something_of_the_lesson_counts_whenever_it_was_changed(case, evidence, asked, tmp_path):
    work = {
        "metadata": book("x = 1", *ALL[:2]),
        "a marker": book("# exercise: flat-view\nf = 1", lesson=""),
        "a check": book('check("flat-view", f)', lesson=""),
        "definitions": book(*ALL, lesson=""),
    }
    name, stray = NOTHING[case]
    choice = the_one(tmp_path, {"a.ipynb": work[evidence], name: stray}, late=[name], asked=asked)
    assert (choice.handed.file, choice.submission.look) == ("a.ipynb", "")


@pytest.mark.parametrize("copy", ["a (1).ipynb", "Copy of a.ipynb", "a - Kopie.ipynb"])
def test_a_copy_with_nothing_in_it_does_not_take_its_originals_place(copy, tmp_path):
    assert the_one(tmp_path, {"a.ipynb": ONE, copy: book("x = 1", lesson="")}, asked=[FIRST]).handed.file == "a.ipynb"


def test_the_latest_attempt_counts_even_with_less_in_it_and_is_told(tmp_path):
    choice = the_one(tmp_path, {"a.ipynb": book(*ALL), "b.ipynb": ONE}, late=["b.ipynb"], asked=[FIRST])
    assert choice.submission.look == "`ann/b.ipynb` counts, with 1 of the exercises; set aside: `ann/a.ipynb` (3)."


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"a.ipynb": book("print(1)", lesson="")}, "`ann/a.ipynb` counts, though nothing in it says that it is 01_mem"),
        ({"utils.py": b"print(1)"}, "Of 01_memory_layout there is only `ann/utils.py`, with nothing of it."),
        (
            {"a.ipynb": book("print(1)", lesson=""), "b.ipynb": ONE[:-60]},
            "Set aside, because it could not be read: `ann/b.ipynb`.",
        ),
    ],
)
def test_who_has_nothing_of_the_lesson_is_to_be_looked_at(files, told, tmp_path):
    assert told in the_one(tmp_path, files, asked=[FIRST]).submission.look


def test_a_module_of_nobodys_is_no_student(tmp_path):
    sorted_in = take_in(tree(tmp_path, {"ann_01.ipynb": ONE, "utils.py": b"x = 1"}), LESSONS, asked=[FIRST])
    assert [choice.submission.student for choice in sorted_in.choices] == ["ann"]
    assert any("`utils.py`" in note for note in sorted_in.notes)


def test_a_loose_script_of_a_person_without_a_notebook_is_not_lost(tmp_path):
    sorted_in = take_in(tree(tmp_path, {"ann_01.ipynb": ONE, "zoe.py": b"x = 1"}), LESSONS, asked=[FIRST])
    (zoe,) = (choice.submission for choice in sorted_in.choices if choice.submission.student == "zoe")
    assert zoe.unreadable.startswith("Nothing in this script belongs to a lesson") and zoe.look


# -- the course's own

COURSE = Course(ROOT)
STEM = "00_start_here"
REAL = {stem: frozenset(names) for stem, names in COURSE.exercises().items()}
OURS = Ours.of(ROOT)
BLANK, SOLVED = (f"{folder}/{STEM}.ipynb" for folder in ("notebooks", "solutions"))


def published(path):
    return (ROOT / path).read_bytes()


def worked(data=None, edition=""):
    """A blank notebook in which one exercise was answered; or another edition's."""
    text = (data or published(BLANK)).decode()
    if edition:
        return text.replace('__edition__ = \\"00_start_here ', '__edition__ = \\"00_start_here 0').encode()
    return text.replace('raise NotImplementedError(\\"your turn\\")', "return x - x.mean(axis=0)", 1).encode()


def other_edition(data):
    """The same notebook as another edition has it: another text in a cell, whose id follows from it."""
    notebook = json.loads(worked(data, edition="other"))
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and "jaxcourse" not in cell["metadata"]:
            source = source + "\n# as it was" if "stack()" in source else source
            cell["source"], cell["id"] = source, hashlib.sha256(source.encode()).hexdigest()[:12]
    return json.dumps(notebook).encode()


def clone(**changed):
    """A student's clone of the course: some of its files."""
    files = [BLANK, SOLVED, "notebooks/10_memory_layout.ipynb", "solutions/10_memory_layout.ipynb", "README.md"]
    files += ["tests/test_svg.py", "exercises_tests/00_start_here/centre_columns.py", "src/jaxcourse/svg.py"]
    files += ["tests/answers/00_start_here/centre_columns.py", "notebooks/00_start_here.md"]
    return {path: published(path) for path in files} | changed


def counted(folder, students, asked=(STEM,)):
    """What counts for each student, and what is to be looked at; the lessons that were graded."""
    files = {f"{student}/{path}": data for student, files in students.items() for path, data in files.items()}
    sorted_in = take_in(tree(folder / "in", files), REAL, asked=asked, ours=OURS)
    found = {
        choice.submission.student: (choice.submission.unreadable or choice.submission.source.partition("/")[2])
        for choice in sorted_in.choices
    }
    look = {choice.submission.student: choice.submission.look for choice in sorted_in.choices}
    assert len(sorted_in.choices) == len(found)
    return found, look, sorted_in.asked


@pytest.mark.parametrize("asked", [(), (STEM,)])
@pytest.mark.parametrize("edition", ["this", "another"])
def test_in_clones_of_the_course_a_students_own_work_counts(edition, asked, tmp_path):
    turned = other_edition if edition == "another" else bytes
    blank = {BLANK: turned(published(BLANK)), SOLVED: turned(published(SOLVED))}
    students = {
        "ada": clone(**blank | {BLANK: turned(worked())}),
        "bob": clone(**blank),
        "cy": clone(**blank, **{"my work.ipynb": turned(worked())}),
    }
    found, look, graded = counted(tmp_path, students, asked)
    assert found == {"ada": BLANK, "bob": BLANK, "cy": "my work.ipynb"}
    assert set(look.values()) == {""} and graded == (STEM,)


def test_a_single_clone_is_one_student(tmp_path):
    mine = {"thoughts/a.ipynb": book("x = 1", lesson=""), "figures/b.ipynb": book("x = 2", lesson="")}
    assert counted(tmp_path, {"ada": clone(**{BLANK: worked()}, **mine)})[0] == {"ada": BLANK}


def test_only_the_courses_own_solved_notebook_is_no_answer(tmp_path):
    files = clone()
    del files[BLANK]
    found, _, _ = counted(tmp_path, {"ada": files, "bob": {"x.ipynb": worked()}})
    assert found["ada"].startswith("This is the course's own solved notebook") and found["bob"] == "x.ipynb"


def test_a_solved_notebook_in_which_somebody_worked_is_theirs(tmp_path):
    changed = published(SOLVED).decode().replace("return x - x.mean(axis=0)", "return x - x.mean(0)").encode()
    assert counted(tmp_path, {"ada": clone(**{SOLVED: changed}), "bob": clone()})[0] == {"ada": SOLVED, "bob": BLANK}


@pytest.mark.parametrize("name", ["ada.ipynb", f"{STEM}.ipynb", f"my/{STEM}.ipynb"])
def test_a_solution_handed_in_as_ones_own_is_graded_and_to_be_looked_at(name, tmp_path):
    found, look, _ = counted(tmp_path, {"ada": {name: published(SOLVED)}, "bob": {"x.ipynb": worked()}})
    assert found["ada"] == name and look["bob"] == ""
    assert look["ada"] == f"`ada/{name}` is the course's own solved notebook, unchanged."


def test_a_blank_notebook_is_one_that_was_handed_in(tmp_path):
    found, look, graded = counted(tmp_path, {"ada": {"x.ipynb": published(BLANK)}, "bob": {"x.ipynb": worked()}}, ())
    assert found == {"ada": "x.ipynb", "bob": "x.ipynb"} and not any(look.values()) and graded == (STEM,)


def test_a_blank_or_a_solution_never_counts_before_ones_own(tmp_path):
    files = {"a.ipynb": worked(), "b.ipynb": published(BLANK), "c.ipynb": published(SOLVED)}
    tree(tmp_path / "in/ada", files)
    for name in ("b.ipynb", "c.ipynb"):
        os.utime(tmp_path / "in/ada" / name, (LATER, LATER))
    assert counted(tmp_path, {"bob": {"x.ipynb": worked()}})[0]["ada"] == "a.ipynb"


def test_a_copy_of_the_course_without_a_notebook_is_a_row(tmp_path):
    files = {path: data for path, data in clone().items() if path.startswith(("src", "tests", "exercises_tests"))}
    found, _, _ = counted(tmp_path, {"ada": files, "bob": {"x.ipynb": worked()}})
    assert found["ada"] == "This is a copy of the course without a notebook."


# -- numbers that are no lessons


@pytest.mark.parametrize(
    "path",
    [
        "lib/python3.02/x.ipynb",
        "run 02/x.ipynb",
        "x-1.02.ipynb",
        "2026-02-02/x.ipynb",
        "room_02/x.ipynb",
        "v2.02/x.ipynb",
    ],
)
def test_a_number_of_something_else_is_no_lessons(path, tmp_path):
    files = {f"ann/{path}": book("x = 1", lesson=""), "ann/01.ipynb": ONE, "bob/01.ipynb": ONE}
    found = take_in(tree(tmp_path, files), LESSONS).choices
    assert {(choice.submission.student, choice.submission.lesson) for choice in found} == {
        ("ann", FIRST),
        ("bob", FIRST),
    }


@pytest.mark.parametrize("where", ["venv", ".", "deep/env"])
@pytest.mark.parametrize("packed", [False, True])
def test_an_environment_is_not_handed_in(where, packed, tmp_path):
    files = {f"{where}/pyvenv.cfg": b"", f"{where}/bin/a.py": PI.encode(), f"{where}/lib/python3.11/b.py": PI.encode()}
    files = {os.path.normpath(path): data for path, data in files.items()} | {"x.ipynb": ONE, "lib.ipynb": ONE}
    if packed:
        tree(tmp_path, {"ann.zip": zipped(files), "bob.zip": zipped({"01.ipynb": ONE})})
    else:
        tree(tmp_path, {f"ann/{path}": data for path, data in files.items()} | {"bob/01.ipynb": ONE})
    sorted_in = take_in(tmp_path, LESSONS)
    (ann,) = (choice for choice in sorted_in.choices if choice.submission.student == "ann")
    assert len(ann.aside) == 1 and not ann.beside and any("pyvenv.cfg" in note for note in sorted_in.notes)


# -- a file is what its content is


@pytest.mark.parametrize("name", ["ann.zip", "ann.ipynb", "ann.ipynb.part", "ann.zip.part"])
def test_a_notebook_is_one_whatever_it_is_called(name, tmp_path):
    assert one(tmp_path, ONE, name).cells == (PI,)


@pytest.mark.parametrize("around", [False, True])
@pytest.mark.parametrize("name", ["ann.ipynb", "ann.zip"])
def test_an_archive_is_one_whatever_it_is_called(name, around, tmp_path):
    files = {name: zipped({"work.ipynb": ONE, "my_helpers.py": b""}), "bob.ipynb": ONE}
    source = tree(tmp_path, {"all.zip": zipped(files)} if around else files)
    sorted_in = take_in(source / "all.zip" if around else source, LESSONS)
    found = {choice.submission.student: choice.handed.file for choice in sorted_in.choices}
    assert found == {"ann": "work.ipynb", "bob": "bob.ipynb"}


def test_a_merge_conflict_comes_with_advice(tmp_path):
    read = one(tmp_path, b'{"cells": [\n<<<<<<< HEAD\n')
    assert "in line 2. Resolve it, until Jupyter opens the notebook again. Hand in" in read.unreadable


# -- who

COPIES = """{} (Kopie)
{} - Kopie (2)|{} - Copie|{} (copie 2)|{} — копия|{}のコピー|{} - コピー|{} - 副本
{} (copia)|{} copy 2
{} (another copy)|Kopie von {}|Copie de {}|{} (Ann's conflicted copy 2026-11-20)|{} (Copie en conflit de Ann)
{} (In Konflikt stehende Kopie von Ann)
{}-DESKTOP-AB12CD3|{}-Anns-MacBook-Pro|{}.sync-conflict-20261120-101112-ABCDEFG"""


@pytest.mark.parametrize("copy", COPIES.replace("\n", "|").split("|"))
def test_a_copy_in_any_language_is_another_attempt(copy, tmp_path):
    name = copy.format("pia_xu")
    assert original(name)[0] == "pia_xu"
    files = {"pia_xu.ipynb": ONE, f"{name}.ipynb": book(PI, "n = 2"), "bob.ipynb": ONE}
    sorted_in = take_in(tree(tmp_path, files), LESSONS)
    assert {choice.submission.student for choice in sorted_in.choices} == {"pia_xu", "bob"}


@pytest.mark.parametrize("name", ["Anna Kopie-Mayer", "hardcopy", "scopia", "doe-pc", "Ann Macbook"])
def test_a_name_that_only_sounds_like_a_copys_is_a_name(name):
    assert original(name) == (name, 0)


def test_a_download_that_broke_off_is_no_student(tmp_path):
    files = {"dan_kay.ipynb": ONE, "dan_kay.ipynb.part": ONE[:-60], "bob.ipynb.part": ONE[:-60]}
    sorted_in = take_in(tree(tmp_path, files), LESSONS)
    found = {choice.submission.student: choice.submission.unreadable for choice in sorted_in.choices}
    assert found.keys() == {"dan_kay", "bob"} and not found["dan_kay"] and found["bob"]


@pytest.mark.parametrize(
    ("on_roster", "handed_in"),
    [("李小龙", "李 小龙"), ("李 小龙", "李小龙"), ("김 민준", "민준 김"), ("山田太郎", "太郎_山田")],
)
def test_a_name_in_a_script_without_spaces_matches_with_and_without(on_roster, handed_in, tmp_path):
    (tmp_path / "roster.csv").write_text(f"Name\n{on_roster}\nBob\n", encoding="utf-8")
    source = tree(tmp_path / "in", {f"{handed_in}/x.ipynb": ONE, "Bob/x.ipynb": ONE})
    sorted_in = take_in(source, LESSONS, roster=tmp_path / "roster.csv")
    assert {choice.submission.student for choice in sorted_in.choices} == {on_roster, "Bob"} and not sorted_in.missing


@pytest.mark.parametrize("name", ["numerics-hw1-jdoe", "submission_jdoe", "jdoe_final", "07_jdoe", "final jdoe v2"])
@pytest.mark.parametrize("form", ["{}/x.ipynb", "{}.ipynb", "{}.zip"])
def test_who_stands_within_a_name_is_known_by_the_roster(name, form, tmp_path):
    (tmp_path / "roster.csv").write_text("Name,Login\nJane Doe,jdoe\nBob,bob\n")
    path = form.format(name)
    data = zipped({"x.ipynb": ONE}) if path.endswith(".zip") else ONE
    sorted_in = take_in(
        tree(tmp_path / "in", {path: data, "bob/x.ipynb": ONE}), LESSONS, roster=tmp_path / "roster.csv"
    )
    assert {choice.submission.student for choice in sorted_in.choices} == {"jdoe", "bob"} and not sorted_in.missing
