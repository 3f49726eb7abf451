"""A table of layouts: however a class comes back, each student has a row, and what bears points is what counts in it.

Every class here has two students, whose notebooks are the same, byte for byte: who is merged with whom is seen. Beside
them lies what people leave there, changed later than the notebook.
"""

import itertools
import os

import pytest
from test_read import LESSONS, PI, book, tree, zipped

from jaxcourse_grade.intake import take_in

FIRST, SECOND = LESSONS
WORK = book(PI)
PEOPLE = {"jdoe": "Jane Doe", "troe": "Tom Roe"}
ROSTER = "Name,Login,ID\nJane Doe,jdoe,103\nTom Roe,troe,104\n"
NUMBERS = {"jdoe": "103", "troe": "104"}
LATER = 2_000_000_000

FOLDERS = {
    "the student": "{login}",
    "the student's name": "{name}",
    "hw1-jdoe": "hw1-{login}",
    "assignment-1-jdoe": "assignment-1-{login}",
    "Week 3 Jane Doe": "Week 3 {name}",
    "Homework 1 - Jane Doe": "Homework 1 - {name}",
    "HW #1: Jane Doe": "HW #1: {name}",
    "week03_jdoe": "week03_{login}",
    "lab2-jdoe": "lab2-{login}",
    "jdoe-hw1": "{login}-hw1",
    "Jane Doe (hw1)": "{name} (hw1)",
    "a lesson and a student": "01_memory_layout-{login}",
    "a student and a lesson": "{login}_01_memory_layout",
    "an assignment's folder around it": "hw1/{login}",
    "a lesson's folder around it": "01_memory_layout/{login}",
    "another wrapper": "submissions/hw1-{login}",
    "two assignments' folders": "hw1/hw1-{login}",
}
PACKED = {
    "a zip each": "hw1_{login}.zip",
    "a zip each, of the login": "{login}.zip",
    "a zip each, of the lesson": "01_memory_layout-{login}.zip",
    "a zip each, in a folder": "hw1/{login}.zip",
}
LOOSE = {
    "a file each": "{login}_01.ipynb",
    "a file each, of an assignment": "hw1_{login}.ipynb",
    "a file each, the student first": "{login}-hw7.ipynb",
}
CANVAS = "{login}_{number}_90{number}_work.ipynb"

STRAYS = {
    "nothing": {},
    "a module": {"utils.py": b"x = 1\n"},
    "a script that is no module's name": {"my-plots.py": b"print(1)\n"},
    "an empty notebook": {"Untitled.ipynb": book("print(1)", lesson="")},
    "a scratch notebook": {"scratch.ipynb": book("y = 2", lesson=""), "scratch 2.ipynb": book("y = 3", lesson="")},
    "another course's": {"pset.ipynb": book("def mean(x): ...", "axis = 1", lesson="")},
    "another course's, that says so": {"zz.ipynb": book("x = 1", lesson="07_of_another_course")},
    "what is read first": {"README.md": b"# hello", "index.html": b"<html>", "requirements.txt": b"numpy"},
    "an environment": {
        "venv/pyvenv.cfg": b"",
        "venv/lib/python3.02/site-packages/flat.py": b"flat = 1",
        "venv/bin/activate_this.py": b"print(2)",
    },
    "figures and data": {"plots/run 02.png": b"\x89PNG", "data/02.csv": b"1,2"},
    "a package of one's own": {"mypkg/__init__.py": b"", "mypkg/core.py": b"def f(): ...\n"},
    "a folder of notebooks": {"notebooks/draft.ipynb": book("z = 1", lesson="")},
}


def path_of(form, login):
    return form.format(login=login, name=PEOPLE[login], number=NUMBERS[login])


def in_folders(form, strays, people):
    return {
        f"{path_of(form, login)}/{file}": data
        for login in people
        for file, data in {"01_memory_layout.ipynb": WORK, **strays}.items()
    }


def in_archives(form, strays, people):
    return {path_of(form, login): zipped({"01_memory_layout.ipynb": WORK, **strays}) for login in people}


def aged(folder):
    """The same, in which everything but the notebooks with work in them is changed later."""
    for path in folder.rglob("*"):
        if path.is_file() and path.read_bytes() != WORK:
            os.utime(path, (LATER, LATER))
    return folder


def rows(source, asked, roster):
    """The students, as the roster's logins or as they are known, and what counts for each; what is said to be odd."""
    sorted_in = take_in(source, LESSONS, asked=asked, roster=roster)
    logins = {number: login for login, number in NUMBERS.items()} | {name: login for login, name in PEOPLE.items()}
    found = {}
    for choice in sorted_in.choices:
        read = choice.submission
        key = logins.get(read.student, read.student), read.lesson
        assert key not in found, f"{key} has two rows"
        found[key] = "" if read.unreadable else choice.handed.file
    return found, sorted_in


@pytest.fixture(params=[False, True], ids=["no roster", "a roster"])
def roster(request, tmp_path):
    if not request.param:
        return None
    path = tmp_path / "roster.csv"
    path.write_text(ROSTER)
    return path


@pytest.fixture
def how(request, tmp_path):
    """Which lessons are asked for, and the roster."""
    asked, known = request.param
    path = tmp_path / "roster.csv"
    path.write_text(ROSTER)
    return (FIRST,) if asked else (), path if known else None


HOW = pytest.mark.parametrize(
    "how", [(True, False), (False, True)], ids=["a lesson and no roster", "a roster and no lesson"], indirect=True
)
EVERY_HOW = pytest.mark.parametrize("how", [*itertools.product((False, True), repeat=2)], indirect=True)
ALL = {(login, FIRST) for login in PEOPLE}


@HOW
@pytest.mark.parametrize("stray", STRAYS)
@pytest.mark.parametrize("form", FOLDERS)
def test_a_folder_is_one_students_whatever_lies_in_it(form, stray, how, tmp_path):
    source = aged(tree(tmp_path / "in", in_folders(FOLDERS[form], STRAYS[stray], PEOPLE)))
    found, sorted_in = rows(source, *how)
    assert found == dict.fromkeys(ALL, "01_memory_layout.ipynb") and not sorted_in.missing


@HOW
@pytest.mark.parametrize("stray", STRAYS)
@pytest.mark.parametrize("form", ["hw1-jdoe", "Week 3 Jane Doe", "jdoe-hw1", "a lesson and a student", "week03_jdoe"])
def test_one_folder_is_one_students_too(form, stray, how, tmp_path):
    source = aged(tree(tmp_path / "in", in_folders(FOLDERS[form], STRAYS[stray], ["jdoe"])))
    found, _ = rows(source, *how)
    assert found == {("jdoe", FIRST): "01_memory_layout.ipynb"}


@HOW
@pytest.mark.parametrize("stray", STRAYS)
@pytest.mark.parametrize("around", ["", "zip", "a zip with a folder in it"])
@pytest.mark.parametrize("form", PACKED)
def test_an_archive_is_one_students_whatever_lies_in_it(form, around, stray, how, tmp_path):
    files = in_archives(PACKED[form], STRAYS[stray], PEOPLE)
    if around:
        packed = zipped({f"class/{name}" if "folder" in around else name: data for name, data in files.items()})
        source = tree(tmp_path / "in", {"all.zip": packed}) / "all.zip"
    else:
        source = tree(tmp_path / "in", files)
    found, sorted_in = rows(source, *how)
    assert found == dict.fromkeys(ALL, "01_memory_layout.ipynb") and not sorted_in.missing


BESIDE = {
    "nothing": {},
    "a student's module": {"troe_utils.py": b"x = 1\n"},
    "the other way round": {"utils-troe.py": b"x = 1\n"},
    "a module": {"utils.py": b"x = 1\n"},
    "the class's own": {"roster.csv": b"Name\nJane Doe\n", "grades.csv": b"1,2", "index.html": b"<html>"},
    "what is read first": {"README.md": b"# hello", "README.txt": b"hello", "submission_metadata.yml": b"{"},
    "pictures": {"jdoe.png": b"\x89PNG", "figure.png": b"\x89PNG"},
}


@EVERY_HOW
@pytest.mark.parametrize("stray", BESIDE)
@pytest.mark.parametrize("form", LOOSE)
def test_what_lies_beside_loose_files_is_no_student(form, stray, how, tmp_path):
    files = {path_of(LOOSE[form], login): WORK for login in PEOPLE} | BESIDE[stray]
    found, sorted_in = rows(aged(tree(tmp_path / "in", files)), *how)
    assert found == {(login, FIRST): path_of(LOOSE[form], login) for login in PEOPLE} and not sorted_in.missing


@HOW
@pytest.mark.parametrize("stray", [name for name in STRAYS if name not in ("an environment", "a folder of notebooks")])
def test_of_what_a_platform_received_later_nothing_takes_the_notebooks_place(stray, how, tmp_path):
    files = {path_of(CANVAS, login): WORK for login in PEOPLE}
    later = itertools.count(99_000)
    for (login, number), (name, data) in itertools.product(NUMBERS.items(), STRAYS[stray].items()):
        files[f"{login}_{number}_{next(later)}_{name.rpartition('/')[2]}"] = data
    found, _ = rows(tree(tmp_path / "in", files), *how)
    expected = {(login, FIRST): path_of(CANVAS, login) for login in PEOPLE}
    assert {
        (dict((n, k) for k, n in NUMBERS.items()).get(key[0], key[0]), key[1]): f for key, f in found.items()
    } == expected


MIXED = {
    "a folder, a zip and a file": {
        "hw1-jdoe/01_memory_layout.ipynb": WORK,
        "hw1-jdoe/utils.py": b"x = 1\n",
        "hw1_troe.zip": zipped({"01_memory_layout.ipynb": WORK, "scratch.ipynb": book("x = 1", lesson="")}),
    },
    "an assignment's folder, and a student's": {
        "jdoe/01_memory_layout.ipynb": WORK,
        "hw1-troe/01_memory_layout.ipynb": WORK,
        "hw1-troe/plots/fig.png": b"\x89PNG",
    },
    "a weekly folder of each": {
        "Week 1/Jane Doe/01_memory_layout.ipynb": WORK,
        "Week 1/Week 1 Tom Roe/01_memory_layout.ipynb": WORK,
    },
}


@EVERY_HOW
@pytest.mark.parametrize("case", MIXED)
def test_mixed_forms(case, how, tmp_path):
    found, sorted_in = rows(aged(tree(tmp_path / "in", MIXED[case])), *how)
    assert found == dict.fromkeys(ALL, "01_memory_layout.ipynb") and not sorted_in.missing


SHELVES = {
    "of an assignment": ["hw1/jdoe.ipynb", "hw1/troe.ipynb"],
    "of an assignment, with one student": ["hw1/jdoe.ipynb"],
    "of a lesson, with one student": ["01_memory_layout/jdoe.ipynb"],
    "of a lesson's topic": ["Week 3 Memory layout/jdoe.ipynb", "Week 3 Memory layout/troe.ipynb"],
    "of somebody else's topic": ["Week 3 Strides/jdoe.ipynb", "Week 3 Strides/troe.ipynb"],
    "of a revision": ["hw1 (resubmission)/jdoe/x.ipynb", "hw1 (resubmission)/troe/x.ipynb"],
    "beside another week's": ["Week 1 Strides/jdoe.ipynb", "Week 2 Views/jdoe.ipynb", "Week 2 Views/troe.ipynb"],
}


@pytest.mark.parametrize("case", SHELVES)
def test_a_folder_that_is_an_assignments_alone_holds_a_class(case, roster, tmp_path):
    source = tree(tmp_path / "in", dict.fromkeys(SHELVES[case], WORK))
    found, _ = rows(source, (FIRST,), roster)
    assert found.keys() == {(login, FIRST) for login in PEOPLE if any(login in path for path in SHELVES[case])}


def test_where_a_name_may_be_a_topic_the_roster_decides(tmp_path):
    files = {"Week 3 Marie Curie/jdoe.ipynb": WORK, "Week 3 Marie Curie/notes.ipynb": book("x = 1")}
    (tmp_path / "class.csv").write_text(ROSTER)
    (tmp_path / "other.csv").write_text("Name\nMarie Curie\n")
    source = tree(tmp_path / "in", files)
    assert ("jdoe", FIRST) in rows(source, (FIRST,), tmp_path / "class.csv")[0]
    assert rows(source, (FIRST,), tmp_path / "other.csv")[0] == {("Marie Curie", FIRST): "notes.ipynb"}


@pytest.mark.parametrize("name", ["Mark", "Will", "Summer Day", "Unit", "Main", "Test"])
def test_a_student_whose_name_is_a_word_has_a_row(name, tmp_path):
    (tmp_path / "roster.csv").write_text(f"Name\n{name}\nTom Roe\n")
    files = in_folders("hw1-{login}", {}, ["troe"]) | {f"hw1-{name}/01_memory_layout.ipynb": WORK}
    files = {path.replace("troe", "Tom Roe"): data for path, data in files.items()}
    sorted_in = take_in(tree(tmp_path / "in", files), LESSONS, roster=tmp_path / "roster.csv")
    assert {choice.submission.student for choice in sorted_in.choices} == {name, "Tom Roe"} and not sorted_in.missing


@pytest.mark.parametrize("form", ["hw1-{}", "Week 3 {}", "{}_hw1", "hw1/{}.ipynb", "hw1/{}"])
@pytest.mark.parametrize("number", ["1234567", "s1234567", "007123456"])
def test_a_long_number_may_be_a_student_and_is_no_shelf(form, number, tmp_path):
    other = number[:-1] + "8"
    inside = "" if form.endswith(".ipynb") else "/Doe_x.ipynb"
    files = {form.format(one) + inside: WORK for one in (number, other)}
    found, _ = rows(tree(tmp_path / "in", files), (FIRST,), None)
    assert found.keys() == {(number, FIRST), (other, FIRST)}


def test_a_date_is_no_student(tmp_path):
    files = {f"hw1-20261120/{login}.ipynb": WORK for login in PEOPLE}
    assert rows(tree(tmp_path / "in", files), (FIRST,), None)[0].keys() == ALL


@pytest.mark.parametrize(
    "files",
    [
        ["A/jdoe/x.ipynb", "B/troe/x.ipynb"],
        ["Tutorial 1/hw1-jdoe/x.ipynb", "Tutorial 2/hw1-troe/x.ipynb"],
        ["A/jdoe.ipynb", "A/troe.ipynb", "B/Untitled.ipynb", "B/Tom Roe.ipynb"],
        ["123-45 - Jane Doe - Nov 20, 2026 1004 AM/x.ipynb", "124-46 - Tom Roe - Nov 20, 2026 1104 PM/x.ipynb"],
    ],
    ids=["small sections", "tutorials", "loose files", "Brightspace"],
)
def test_the_roster_knows_whose_folders_are(files, roster, tmp_path):
    found, sorted_in = rows(tree(tmp_path / "in", dict.fromkeys(files, WORK)), (FIRST,), roster)
    assert not roster or ({key for key, _ in found} >= {"jdoe", "troe"} and not sorted_in.missing)


def test_a_folder_with_one_notebook_of_a_login_is_no_section(tmp_path):
    (tmp_path / "roster.csv").write_text(ROSTER)
    files = {"A/jdoe.ipynb": book(PI, "import helpers"), "A/helpers.py": b"x = 1", "B/troe.ipynb": WORK}
    _, sorted_in = rows(tree(tmp_path / "in", files), (FIRST,), tmp_path / "roster.csv")
    assert [len(choice.beside) for choice in sorted_in.choices] == [1, 0]
    assert all("may be theirs" in one.look for one in sorted_in.missing) and len(sorted_in.missing) == 2


def test_what_is_taken_as_somebodys_by_a_part_of_a_name_is_told(tmp_path):
    _, sorted_in = rows(tree(tmp_path / "in", in_folders("hw1-{login}", {}, PEOPLE)), (), None)
    (note,) = [note for note in sorted_in.notes if "stands beside the assignment" in note]
    assert "`hw1-jdoe` (jdoe), `hw1-troe` (troe)" in note


def test_what_one_student_has_in_two_places_is_told(tmp_path):
    files = {"hw1-jdoe/a.ipynb": WORK, "jdoe-hw1/b.ipynb": WORK, "hw1-troe/a.ipynb": WORK}
    found, sorted_in = rows(tree(tmp_path / "in", files), (), None)
    assert set(found) == ALL
    (note,) = [note for note in sorted_in.notes if note.startswith("In several places")]
    assert "jdoe (`hw1-jdoe`, `jdoe-hw1`)" in note


def test_equal_files_of_nobodys_name_are_not_one_students(tmp_path):
    sections = {"A": ("ada", "bob", "cy", "di"), "B": ("ed", "fay", "gus", "hal")}
    files = {f"{part}/{name}.ipynb": book(PI, name) for part, names in sections.items() for name in names}
    files |= {f"{part}/Untitled.ipynb": WORK for part in sections}
    sorted_in = take_in(tree(tmp_path / "in", files), LESSONS)
    untitled = [choice for choice in sorted_in.choices if choice.submission.student.startswith("Untitled")]
    assert len(untitled) == 2
