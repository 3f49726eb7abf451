"""A class of thirty, as it comes back: duplicates, lateness, a teacher's decisions, and two regrades, byte by byte.

What the reports should be lies in `class_of_thirty`. If that is to change, look at what was written, whose place a
failure names, and copy it there.
"""

import csv
import hashlib
import io
import json
import os
import zipfile
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from submissions import notebook

from jaxcourse_grade import _class
from jaxcourse_grade._class import Order
from jaxcourse_grade.isolation import Limits

EXPECTED = Path(__file__).parent / "class_of_thirty"
LESSON = "00_start_here"
DUE = "2026-11-20 23:59 Europe/Berlin"
IN_TIME, LATE, LATER = "2026-11-20T20:00+01:00", "2026-11-21T01:04+01:00", "2026-11-23T09:00+01:00"

NAMES = """
    Ada Lovelace, Bob Bird, Cy Crow, Dora Late, Emil Eck, Fay Fox, Gus Gray, Hal Hill, Ida Iris, Jo Joy, Kim Keen,
    Lea Lind, Max Moor, Nia Noor, Odo Ost, Pia Post, Quin Quist, Ray Reed, Sue Sand, Tom Tarn, Uma Ulm, Vic Vale,
    Wes West, Xia Xu, Yva York, Zoe Zorn, José Núñez, Søren Ørsted, Li Wei, Anna-Lena Groß
"""
CLASS = [" ".join(name.split()) for name in NAMES.split(",")]

RIGHT = "def double_it(x):\n    return x + x"
SQUARE = "def double_it(x):\n    return x * x"
RAISES = 'def double_it(x):\n    raise ValueError("*too* big")'
ANSWERS = {
    "Bob Bird": SQUARE,
    "Cy Crow": RAISES,
    "Emil Eck": "",
    "Fay Fox": "def double_it(x):\n    return x",
    "Gus Gray": "def double_it(x):\n    return x",
    "Quin Quist": "double_it = 3",
    "Zoe Zorn": SQUARE,
}
"""Everybody else is right; with an empty answer the notebook is blank."""
ABSENT = ("Hal Hill", "Ida Iris")
LATE_ONES = {"Jo Joy": LATE, "Kim Keen": LATER, "Fay Fox": LATE}


HEAD = ("Identifier", "Full name", "Email address", "Status", "Grade", "Maximum grade")


def file_of(name):
    return f"{name.replace(' ', '_').casefold()}_00.ipynb"


def hand_in(folder, name, data, moment=IN_TIME):
    """Put a file there, handed in at some moment."""
    (folder / name).write_bytes(data)
    os.utime(folder / name, (datetime.fromisoformat(moment).timestamp(),) * 2)


def form(moodle):
    """The worksheet of Moodle, or the gradebook of Canvas."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    if moodle:
        writer.writerow([*HEAD, "Feedback comments"])
        for number, name in enumerate(CLASS, 101):
            address = f"{name.split()[0].casefold()}@uni.example"
            writer.writerow([f"Participant {number}", name, address, "Submitted", "", "10.00", ""])
    else:
        writer.writerows([["Student", "ID", "Section", "Start here (7)"], ["    Points Possible", "", "", "100"]])
        writer.writerows([name, number, "A", ""] for number, name in enumerate(CLASS, 1))
    return file.getvalue()


MARKS = """\
student,lesson,exercise,points,comment
Cy Crow,00,double-it,0.5,The *idea* was right: see `x + x`.
108,00,,excused,Ill that week.
emil@uni.example,start here,,1,Shown to me at the board.
Lea Lind,00,double-it,,Very short. Well done!
Nobody,00,,1,
"""


@pytest.fixture(scope="module")
def thirty(second, tmp_path_factory):
    """The class on its first day: what an order needs, and who handed in what."""
    root = tmp_path_factory.mktemp("thirty")
    folder, lesson = root / "submissions", second.lesson(LESSON)
    folder.mkdir()

    def written(name, answer):
        book = notebook(lesson, {"double-it": answer} if answer else {})
        return f"{book}{' ' * (CLASS.index(name) + 1)}".encode()  # no two files are the same

    for name in CLASS:
        if name not in ABSENT:
            data = written(name, ANSWERS.get(name, RIGHT))
            hand_in(folder, file_of(name), data, LATE_ONES.get(name, IN_TIME))
    hand_in(folder, file_of("Max Moor"), b"\n".join(written("Max Moor", RIGHT).split(b"\n")[:23]))  # cut off
    hand_in(folder, file_of("Dora Late"), written("Dora Late", SQUARE))
    hand_in(folder, "dora_late_00 (1).ipynb", written("Dora Late", RIGHT) + b" ", LATE)  # the second download counts
    hand_in(folder, "nia_noor_00 (1).ipynb", written("Nia Noor", RIGHT)[:500], LATER)  # but not if it is cut off
    hand_in(folder, "odo_ost_00 - Copy.ipynb", written("Odo Ost", RIGHT), LATER)  # the same again is not late
    hand_in(folder, "week 3.png", b"\x89PNG")
    (root / "moodle.csv").write_text(form(True), encoding="utf-8")
    (root / "canvas.csv").write_text(form(False), encoding="utf-8")
    (root / "marks.csv").write_text(MARKS, encoding="utf-8")
    moodle, canvas = root / "moodle.csv", root / "canvas.csv"
    order = Order(
        second,
        folder,
        root / "grades",
        roster=moodle,
        moodle=moodle,
        canvas=canvas,
        due=(DUE,),
        seed=7,
        file_times=True,
    )
    return replace(order, workers=2, title="Start here"), written


@pytest.fixture(scope="module")
def runs(thirty, tmp_path_factory):
    """What was written when the class was graded: at first, after second thoughts, and all of it again."""
    order, written = thirty
    found = [run(order, tmp_path_factory.mktemp("first"))]
    hand_in(order.submissions, "zoe_zorn_00 (1).ipynb", written("Zoe Zorn", RIGHT), LATER)
    (order.submissions / file_of("Yva York")).unlink()
    marks = order.submissions.parent / "marks.csv"
    marks.write_text(MARKS.replace("double-it,0.5", "double-it,1"), encoding="utf-8")
    order = replace(order, canvas=None)
    found.append(run(order, tmp_path_factory.mktemp("second")))
    found.append(run(replace(order, limits=Limits(seconds=299)), tmp_path_factory.mktemp("third")))
    return found


def run(order, copy):
    """Grade, and keep what was said and written."""
    said = []
    _class.grade(order, said.append, lambda results, total: results)
    told = [line.replace(f"{order.out.parent}/", "") for line in said if not line.startswith(("yes ", "no "))]
    (copy / "said.txt").write_text("\n".join([*told, ""]), encoding="utf-8")
    for path in order.out.rglob("*"):
        if path.is_file():
            place = copy / path.relative_to(order.out)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(path.read_bytes())
    for path in (copy / "feedback").glob("*.html"):  # the head has the style, which is not what this is about
        path.write_bytes(b"<body" + path.read_bytes().partition(b"<body")[2])
    return copy


@pytest.mark.parametrize("day", ["first", "second"])
def test_every_byte_is_as_expected(day, runs):
    written = runs[("first", "second").index(day)]
    expected = sorted(path.relative_to(EXPECTED / day) for path in (EXPECTED / day).rglob("*") if path.is_file())
    assert len(expected) > 5
    for name in expected:
        assert (written / name).read_bytes() == (EXPECTED / day / name).read_bytes(), written / name


def test_graded_all_again_every_report_is_the_same(runs):
    """Except for what says how long it took, and within which limits."""
    _, second, third = runs
    names = sorted(path.relative_to(second) for path in second.rglob("*") if path.is_file())
    timed = {"class.html", "grades.json", "junit.xml", "said.txt"}
    assert names == sorted(path.relative_to(third) for path in third.rglob("*") if path.is_file())
    for name in names:
        if name.parts[0] != "results" and name.name not in timed:
            assert (second / name).read_bytes() == (third / name).read_bytes(), name
    said = (third / "said.txt").read_text(encoding="utf-8").splitlines()
    assert said[0].endswith("to be graded, 0 graded already, 1 unreadable, 3 missing.")
    assert said[-1] == "No marks have changed since the last run."


def test_the_class_has_as_many_students_as_the_roster(runs):
    for written in runs:
        facts = json.loads((written / "grades.json").read_text(encoding="utf-8"))
        assert facts["class"]["students"] == len(facts["results"]) == len(CLASS) == 30
        with zipfile.ZipFile(written / f"feedback_{LESSON}.zip") as archive:
            assert len(archive.namelist()) == 30


def test_what_was_decided_and_handed_in_stays_as_it_was(thirty, runs):
    """Grading changes nothing that is a teacher's or a student's."""
    order, _ = thirty
    assert "double-it,1" in (order.submissions.parent / "marks.csv").read_text(encoding="utf-8")
    digest = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in order.submissions.iterdir()}
    kept = [json.loads(path.read_text(encoding="utf-8")) for path in (runs[2] / "results").glob("*.json")]
    counted = {result["source"]: result["sha256"] for result in kept if result["source"] in digest}
    assert all(digest[name] == sha256 for name, sha256 in counted.items()) and len(counted) == 27
    assert not any(mark["decision"] for result in kept for mark in result["marks"])
