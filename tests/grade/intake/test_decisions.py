"""A teacher's decisions: what a line says, whom it is about, and what is refused or named."""

from datetime import datetime

import pytest

from jaxcourse_grade._records import Decision, Submission
from jaxcourse_grade.intake import decide, due_times, read_marks

LESSONS = {"01_memory_layout": frozenset({"flat-index", "row-strides"}), "02_broadcasting": frozenset({"trim"})}
ROWS = [
    Submission("7", "Doe, Jane", "01_memory_layout", "a"),
    Submission("7", "Doe, Jane", "02_broadcasting", "b"),
    Submission("ann_roe", "ann roe", "01_memory_layout", "c"),
    Submission("8 [x]", "Tom Tarn", "01_memory_layout", "d"),
    Submission("8 [y]", "Tom Tarn", "01_memory_layout", "e"),
]
COLUMNS = {"7": {"id": "7", "login": "jdoe", "email": "jane@uni.example"}}


def lines(tmp_path, text):
    path = tmp_path / "marks.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_marks(path, LESSONS)


def test_a_line_says_who_what_and_why(tmp_path):
    head = "\ufeffStudent;Lesson;Exercise;Points;Comment\r\n"
    text = f'{head}Jane Doe;01;flat-index;1,5;"a; good"\r\n\r\nx;memory layout;none;Excused;\r\n'
    found = lines(tmp_path, text)
    assert [(line.number, line.student, line.lesson, line.exercise) for line in found] == [
        (2, "Jane Doe", "01_memory_layout", "flat-index"),
        (4, "x", "01_memory_layout", ""),
    ]
    assert [line.decision for line in found] == [Decision(1.5, False, "a; good"), Decision(None, True, "")]
    (short,) = lines(tmp_path, "student,lesson,points\nx,02_broadcasting,0\n")
    assert (short.lesson, short.decision) == ("02_broadcasting", Decision(0.0))
    (from_a_spreadsheet,) = lines(tmp_path, "student,lesson,points\nx,2,0\n")
    assert from_a_spreadsheet.lesson == "02_broadcasting"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "line 1: no column 'student' or 'lesson' or 'points'"),
        ("student,points\nx,1\n", "line 1: no column 'lesson'"),
        ("student,lesson,points\nx,03,1\n", "line 2: there is no lesson '03'; there are 01_memory_layout, 02_broad"),
        ("student,lesson,exercise,points\nx,01,trim,1\n", "line 2: 01_memory_layout has no exercise 'trim'; it has fl"),
        ("student,lesson,points\nx,01,full\n", "line 2: points are a number or `excused`, and not 'full'"),
        ("student,lesson,points\nx,01,-1\n", "line 2: points are a number"),
        ("student,lesson,points\nx,01,nan\n", "line 2: points are a number"),
        ("student,lesson,points\nx,01,\n", "line 2: it says neither points, nor `excused`, nor a comment"),
        ("student,lesson,points\n,01,1\n", "line 2: it names no student"),
        ('student,lesson,points\n"x,01,1\n', "this is not CSV"),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(text, why, tmp_path):
    with pytest.raises(ValueError, match="marks.csv, ") as error:
        lines(tmp_path, text)
    assert why in str(error.value)


def test_a_decision_finds_its_row_by_number_login_address_or_name_and_nobody_is_guessed(tmp_path):
    text = """student,lesson,exercise,points,comment
7,01,,3,first
jdoe,01,flat-index,1,
jane@uni.example,02,,excused,
Jane Doe,01,,4,second
ann roe,01,row-strides,,see me
Tom Tarn,01,,1,
8 [y],01,,2,
J. Doe,01,,1,
ann_roe,02,,1,
"""
    decided = decide(lines(tmp_path, text), ROWS, COLUMNS, "marks.csv")
    assert decided.found == {
        ("7", "01_memory_layout"): {"": Decision(4, False, "second"), "flat-index": Decision(1)},
        ("7", "02_broadcasting"): {"": Decision(None, True)},
        ("ann_roe", "01_memory_layout"): {"row-strides": Decision(None, False, "see me")},
        ("8 [y]", "01_memory_layout"): {"": Decision(2)},
    }
    assert decided.count == 5
    assert decided.notes == (
        "marks.csv, line 5, replaces line 2.",
        "marks.csv, line 7, fits nobody and was not used: Tom Tarn may be Tom Tarn (8 [x]) or Tom Tarn (8 [y]).",
        "marks.csv, line 9, fits nobody and was not used: nobody here is J. Doe.",
        "marks.csv, line 10, fits nobody and was not used: ann_roe has no row for 02_broadcasting.",
    )


def test_a_decision_on_what_does_not_count_is_named(tmp_path):
    (line,) = lines(tmp_path, "student,lesson,exercise,points\nann roe,01,flat-index,1\n")
    decided = decide([line], ROWS, COLUMNS, "marks.csv", {"flat-index"})
    assert (decided.count, decided.notes) == (0, ("marks.csv, line 2, was not used: flat-index does not count.",))


def test_who_gives_more_points_than_there_are_is_told(tmp_path):
    text = "student,lesson,exercise,points\nann roe,01,flat-index,7\n7,01,,16\nann roe,02,,2\n"
    worth = {("01_memory_layout", "flat-index"): 1, ("01_memory_layout", ""): 15, ("02_broadcasting", ""): 2}
    decided = decide(lines(tmp_path, text), ROWS, COLUMNS, "marks.csv", (), worth)
    assert decided.found["ann_roe", "01_memory_layout"]["flat-index"].points == 7
    assert decided.notes[:2] == (
        "marks.csv, line 2, gives more than there is: 7 of 1 for flat-index.",
        "marks.csv, line 3, gives more than there is: 16 of 15 for 01_memory_layout.",
    )
    assert not any("line 4, gives" in note for note in decided.notes)


def test_a_time_is_for_one_lesson_or_for_all_that_have_none():
    found = due_times(["01_memory_layout=2026-11-20T23:59+01:00", "2026-07-01 08:00 Europe/Berlin"], LESSONS)
    assert found == {
        "01_memory_layout": datetime.fromisoformat("2026-11-20T22:59+00:00"),
        "02_broadcasting": datetime.fromisoformat("2026-07-01T06:00+00:00"),
    }
    assert due_times([], LESSONS) == {}


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ("2026-11-20T23:59", "name its time zone: 2026-11-20T23:59+01:00, or"),
        ("2026-11-20", "that is no time, such as"),
        ("tomorrow", "that is no time"),
        ("2026-11-20 23:59 Mars/Base", "this machine knows no time zone 'Mars/Base'"),
        ("2026-11-20 23:59 ../etc", "that is no time"),
        ("03=2026-11-20T23:59Z", "there is no lesson '03'"),
    ],
)
def test_a_time_that_is_none_is_refused(order, why):
    with pytest.raises(ValueError, match="--due") as error:
        due_times([order], LESSONS)
    assert why in str(error.value)
