"""Canvas's gradebook and Moodle's worksheet: grades are entered, everything else comes back as it was."""

from __future__ import annotations

import csv
import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from grade_class import mark, result

from jaxcourse_grade._records import Decision, Result
from jaxcourse_grade.intake._find import find
from jaxcourse_grade.reports import canvas_columns, number, read_canvas, read_moodle, write

GRADEBOOK = """\
Student,ID,SIS User ID,SIS Login ID,Section,Quiz (11),01 Memory layout (4711),Final Score
,,,,,,Manual Posting,
    Points Possible,,,,,10,20.00,(read only)
"Lovelace, Ada",101,0007,ada,"A, morning",9.5,,95
"Hopper, Grace",102,0008,grace@navy.example,A,-1,3,90
"=cmd, Evil",103,,evil,B,,EX,80
"Student, Test",999,,8f9a,A,,,
"""
WORKSHEET = """\
Identifier,"Full name","Email address",Status,Grade,"Maximum grade",\
"Grade can be changed","Last modified (grade)","Feedback comments"
"Participant 501","Ada Lovelace",ada@uni.example,"Submitted for grading",,100.00,Yes,-,
"Participant 502","Grace Hopper",grace@navy.example,"Submitted for grading",\
12.00,"100,00",No,"Monday, 5 October 2026, 9:00 AM","Well done"
"Participant 503","Eve Moneypenny",eve@uni.example,"No submission",,100.00,Yes,-,
"""


def lesson(student: str, name: str, passed: int, stem: str = "01_memory_layout", **more: object) -> Result:
    marks = tuple(mark(f"exercise-{i}", "passed" if i < passed else "wrong") for i in range(4))
    return result(student, stem, marks, name=name, **more)


ADA = lesson("ada", "Ada Lovelace", 3)
GRACE = lesson("grace@navy.example", "Grace Hopper", 4)
EVIL = lesson("103", "103", 1)
STRANGER = lesson("stranger", "Nobody's Name", 2)
ABSENT = lesson("503", "Eve Moneypenny", 0, status="missing", source="")


def saved(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "export.csv"
    path.write_bytes(text.encode(encoding))
    return path


def filled(folder: Path, results: list[Result], **form: Path) -> tuple[list[list[str]], str]:
    write(results, folder / "out", title="T", **form)  # type: ignore[arg-type]
    (name,) = form
    text = (folder / "out" / f"{name}.csv").read_text("utf-8-sig")
    return list(csv.reader(io.StringIO(text, newline=""))), (folder / "out" / f"{name}_notes.txt").read_text("utf-8")


# -- Canvas


def test_only_the_cells_of_grades_change(tmp_path: Path) -> None:
    before = list(csv.reader(io.StringIO(GRADEBOOK)))
    after, _ = filled(tmp_path, [EVIL, GRACE, ADA], canvas=saved(tmp_path, GRADEBOOK))
    assert (after[3][6], after[4][6]) == ("15", "20")  # 3 and 4 of 4, in a column of 20 points
    for row in (after, before):
        row[3][6] = row[4][6] = ""
    assert after == before


def test_a_teachers_decision_is_what_is_entered(tmp_path: Path) -> None:
    results = [ADA.with_decisions({"exercise-3": Decision(0.5), "exercise-0": Decision(None, True)}), GRACE]
    rows, _ = filled(tmp_path, results, canvas=saved(tmp_path, GRADEBOOK))
    assert rows[3][6] == number(20 * 2.5 / 3) and rows[4][6] == "20"
    rows, _ = filled(
        tmp_path, [ADA.with_decisions({"": Decision(None, True)}), GRACE], canvas=saved(tmp_path, GRADEBOOK)
    )
    assert rows[3][6] == "EX"
    rows, _ = filled(tmp_path, [ADA.with_decisions({"": Decision(4)}), GRACE], moodle=saved(tmp_path, WORKSHEET))
    assert rows[1][4] == "100" and "Your teacher's decision: 4 points." in rows[1][8]


def test_what_is_excused_does_not_count_in_moodle(tmp_path: Path) -> None:
    second = lesson("ada", "Ada Lovelace", 1, "02_views_and_copies")
    excused = second.with_decisions({"": Decision(None, True, "Ill.")})
    for results, grade in (([ADA, second], "50"), ([ADA, excused], "75"), ([excused, lesson("x", "X", 1)], "0")):
        rows, _ = filled(tmp_path, results, moodle=saved(tmp_path, WORKSHEET))
        assert rows[1][4] == grade, grade
    assert "excused. Ill." in rows[1][8]
    rows, notes = filled(tmp_path, [excused], moodle=saved(tmp_path, WORKSHEET))
    assert rows[1][4] == "" and "Left as it was, excused: Ada Lovelace." in notes


def test_who_is_excused_or_unknown_is_said(tmp_path: Path) -> None:
    rows, notes = filled(tmp_path, [ADA, EVIL, STRANGER], canvas=saved(tmp_path, GRADEBOOK))
    assert "matches nobody: Nobody's Name (stranger)" in notes
    assert "it says EX in Canvas: =cmd, Evil" in notes and rows[5][6] == "EX"
    assert "nothing was graded: Hopper, Grace" in notes and rows[4][6] == "3"
    assert "Test" not in notes
    assert "matches nobody: Nobody&#39;s Name" in (tmp_path / "out" / "class.html").read_text("utf-8")


def test_a_lesson_that_canvas_does_not_know_gets_a_column(tmp_path: Path) -> None:
    grace = replace(GRACE, lesson="02_views_and_copies")
    rows, notes = filled(tmp_path, [ADA, grace], canvas=saved(tmp_path, GRADEBOOK))
    assert [row[8] for row in rows] == ["02 views and copies", "", "4", "", "4", "", ""]
    assert rows[3][6] == "15" and "A new assignment: 02 views and copies. It is there because" in notes
    assert "no assignment of the file names `views and copies` in its title" in notes


def test_nothing_handed_in_is_0_and_so_is_what_cannot_be_read(tmp_path: Path) -> None:
    absent = lesson("101", "Ada Lovelace", 0, status="missing", source="")
    broken = lesson("102", "Grace Hopper", 0, status="unreadable", reason="No JSON.", source="g.ipynb")
    rows, notes = filled(tmp_path, [absent, broken], canvas=saved(tmp_path, GRADEBOOK))
    assert rows[3][6] == rows[4][6] == "0"
    assert "Entered with 0 points, not readable: Grace Hopper, g.ipynb: No JSON." in notes


def test_two_students_of_one_row_are_not_guessed(tmp_path: Path) -> None:
    rows, notes = filled(tmp_path, [ADA, lesson("101", "A. L.", 4)], canvas=saved(tmp_path, GRADEBOOK))
    assert rows[3][6] == "" and "all match one person: A. L. (101), Ada Lovelace (ada)" in notes


def test_two_rows_of_one_name_are_not_guessed(tmp_path: Path) -> None:
    twins = GRADEBOOK.replace("Hopper, Grace", "Lovelace, Ada")
    rows, notes = filled(tmp_path, [lesson("x", "Ada Lovelace", 3)], canvas=saved(tmp_path, twins))
    assert [row[6] for row in rows[3:5]] == ["", "3"] and "matches several people: Ada Lovelace (x)" in notes


def test_semicolons_and_decimal_commas_and_a_mark_stay(tmp_path: Path) -> None:
    text = "\ufeff" + GRADEBOOK.replace(",", ";").replace("20.00", "20,00").replace('"A; morning"', "A")
    path = saved(
        tmp_path, text.replace("e; ", "e, ").replace("r; G", "r, G").replace("d; E", "d, E").replace("t; T", "t, T")
    )
    write([ADA], tmp_path / "out", title="T", canvas=path)
    after = (tmp_path / "out" / "canvas.csv").read_text("utf-8")
    assert after.startswith("\ufeffStudent;ID;") and "\r" not in after
    assert "101;0007;ada;A;9.5;15;95" in after


def test_first_and_last_names_are_read(tmp_path: Path) -> None:
    text = GRADEBOOK.replace("Student,ID", "LastName,FirstName,ID").replace('"Lovelace, Ada"', "Lovelace,Ada")
    text = text.replace("Points Possible,", "Points Possible,,").replace('"Hopper, Grace"', "Hopper,Grace")
    people = read_canvas(saved(tmp_path, text.replace('"=cmd, Evil"', "=cmd,Evil"))).people
    assert (people[0].name, people[0].id, people[0].sis) == ("Lovelace, Ada", "101", "0007")


@pytest.mark.parametrize(
    ("text", "encoding", "message"),
    [
        ("", "utf-8", r"export.csv is empty: export it again"),
        ("a,b\n1,2\n", "utf-8", r"export.csv, row 1: no columns \"Student\" and \"ID\""),
        ("Student,ID\nAda,1\n", "utf-8", r"row 2: \"Points Possible\" is missing"),
        ('Student,ID\n    Points Possible,\n"Ada,1\n', "utf-8", r"cannot be read as CSV"),
        ("Student,ID\n    Points Possible,\nAda,1,2\n", "utf-8", r"row 3: 3 cells stand under 2 headings"),
        (GRADEBOOK.replace("Ada", "Adä"), "latin-1", r"not written in UTF-8"),
        ("PK\x03\x04", "latin-1", r"export.csv is a zip archive or an office document, and no CSV file"),
    ],
)
def test_what_is_no_gradebook_is_refused(tmp_path: Path, text: str, encoding: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_canvas(saved(tmp_path, text, encoding))


def test_two_columns_of_one_lesson_are_refused_after_the_rest_is_written(tmp_path: Path) -> None:
    path = saved(tmp_path, GRADEBOOK.replace("Quiz", "Memory Layout: resit").replace("01 Mem", "Lesson 1: mem"))
    with pytest.raises(
        ValueError, match=r"could be lesson 01_memory_layout: 'Memory Layout: resit \(11\)', 'Lesson 1: mem"
    ):
        write([ADA], tmp_path / "out", title="T", canvas=path)
    assert len(list((tmp_path / "out").rglob("*.*"))) == 6
    assert "Delete all but one from the file" in (tmp_path / "out" / "class.html").read_text("utf-8")


def test_a_title_that_says_nothing_else_goes_before_one_that_says_more(tmp_path: Path) -> None:
    rows, _ = filled(tmp_path, [ADA], canvas=saved(tmp_path, GRADEBOOK.replace("Quiz", "Memory layout resit")))
    assert (rows[3][5], rows[3][6]) == ("9.5", "15")


PUZZLES = ["02_broadcasting", "03_broadcasting_puzzles"]
OWN = """\
Student,ID,SIS Login ID,Section,Broadcasting notes,{},Broadcasting Current Score,Broadcasting Final Score
    Points Possible,,,,,{},(schreibgesch\u00fctzt),(schreibgesch\u00fctzt)
"Lovelace, Ada",101,ada,S1,needs help,{},,
"""


@pytest.mark.parametrize(
    ("titles", "columns"),
    [
        (["HW 2: Broadcasting (1)", "HW 3: Broadcasting puzzles (2)"], {0: 5, 1: 6}),
        (["Broadcasting puzzles (2)", "Broadcasting (1)"], {0: 6, 1: 5}),
        (["HW 3: Broadcasting puzzles (2)"], {1: 5}),
        (["Assignment 2 (1)"], {}),
        (["Broadcasting", "Quiz (3)"], {}),
    ],
)
def test_only_assignments_are_written_and_the_title_that_says_most_is_the_lessons(
    titles: list[str], columns: dict[int, int], tmp_path: Path
) -> None:
    empty = "," * (len(titles) - 1)
    text = OWN.format(",".join(titles), ",".join(["10"] * len(titles)), empty)
    book = read_canvas(saved(tmp_path, text))
    assert canvas_columns(book, PUZZLES) == {PUZZLES[i]: column for i, column in columns.items()}
    for i, stem in enumerate(PUZZLES):  # what belongs to a lesson does not depend on which are asked for
        assert canvas_columns(book, [stem], PUZZLES) == ({stem: columns[i]} if i in columns else {})
    ada_s = lesson("ada", "Ada Lovelace", 3, PUZZLES[0])
    write([ada_s], tmp_path / "out", title="T", canvas=book.form.path, lessons=PUZZLES)
    (*_, ada) = csv.reader((tmp_path / "out/canvas.csv").read_text("utf-8").splitlines())
    assert ada[4] == "needs help" and ada[5 + len(titles) : 7 + len(titles)] == ["", ""]
    assert ada[columns.get(0, -1)] == ("7.5" if 0 in columns else "3")


def test_one_title_for_two_lessons_is_refused(tmp_path: Path) -> None:
    book = read_canvas(saved(tmp_path, OWN.format("Broadcasting and vmap (1)", "10", "")))
    assert canvas_columns(book, ["02_broadcasting"], ["02_broadcasting", "11_vmap"]) == {"02_broadcasting": 5}
    with pytest.raises(ValueError, match="'Broadcasting and vmap .1.' names two lessons, 02_broadcasting and 11_vmap"):
        canvas_columns(book, ["02_broadcasting", "11_vmap"])


def test_missing_in_one_lesson_is_0_as_missing_in_all_is_and_it_is_told(tmp_path: Path) -> None:
    absent = lesson("101", "Ada Lovelace", 0, "02_views", status="missing", source="")
    path = saved(tmp_path, GRADEBOOK.replace("Quiz", "Views"))
    rows, notes = filled(tmp_path, [lesson("101", "Ada Lovelace", 3), absent], canvas=path)
    assert (rows[3][5], rows[3][6]) == ("0", "15")
    assert "Entered with 0 points, nothing was handed in: Ada Lovelace, 02 views." in notes


def test_what_waits_for_a_decision_is_entered_nowhere(tmp_path: Path) -> None:
    absent = lesson("101", "Ada Lovelace", 0, status="missing", source="", look="Grace handed in, perhaps for two.")
    rows, notes = filled(tmp_path, [absent], canvas=saved(tmp_path, GRADEBOOK))
    assert rows[3][6] == "" and "Left as it was, for you to decide (Grace handed in, perhaps for two.)" in notes
    assert "Entered with 0" not in notes
    rows, notes = filled(tmp_path, [replace(absent, student="501")], moodle=saved(tmp_path, WORKSHEET))
    assert rows[1][4] == "" and "for you to decide" in notes
    rows, _ = filled(tmp_path, [absent.with_decisions({"": Decision(2)})], canvas=saved(tmp_path, GRADEBOOK))
    assert rows[3][6] == "10"


def test_a_number_of_another_platform_is_nobodys(tmp_path: Path) -> None:
    stranger = lesson("101", "Rockets", 3, platform="Moodle")
    rows, notes = filled(tmp_path, [stranger], canvas=saved(tmp_path, GRADEBOOK))
    assert rows[3][6] == "" and "matches nobody: Rockets (101)" in notes
    rows, notes = filled(
        tmp_path, [replace(stranger, student="501", platform="Canvas")], moodle=saved(tmp_path, WORKSHEET)
    )
    assert rows[1][4] == "" and "matches nobody: Rockets (501)" in notes


def test_more_than_the_maximum_is_capped_for_moodle_and_told(tmp_path: Path) -> None:
    rows, notes = filled(tmp_path, [ADA.with_decisions({"": Decision(5)})], moodle=saved(tmp_path, WORKSHEET))
    assert rows[1][4] == "100"
    assert "More than Moodle takes: Ada Lovelace has 125 of 100; 100 was entered." in notes
    assert "5 of 4 points" in rows[1][8]


def test_a_title_of_other_words_is_not_the_lessons(tmp_path: Path) -> None:
    rows, notes = filled(tmp_path, [ADA], canvas=saved(tmp_path, GRADEBOOK.replace("layout (", "layouts (")))
    assert (rows[3][6], rows[3][8]) == ("", "3") and "A new assignment" in notes


# -- Moodle


def test_a_worksheet_gets_grades_and_comments(tmp_path: Path) -> None:
    odd = replace(ADA, marks=(*ADA.marks[:3], replace(ADA.marks[3], message="a < b & `c`")))
    rows, notes = filled(tmp_path, [odd, GRACE, ABSENT], moodle=saved(tmp_path, WORKSHEET))
    before = list(csv.reader(io.StringIO(WORKSHEET)))
    assert [row[4] for row in rows] == ["Grade", "75", "12.00", "0"]
    assert "<p>01 memory layout: 3 of 4 points.</p><ul><li>✓ " in rows[1][8]
    assert rows[1][8].count("<li>") == 4 and "a &lt; b &amp; <code>c</code>" in rows[1][8]
    assert rows[2] == before[2] and "Moodle does not let it be changed: Grace Hopper" in notes
    assert [row[:4] + row[5:8] for row in rows] == [row[:4] + row[5:8] for row in before]


def test_several_lessons_count_together(tmp_path: Path) -> None:
    second = replace(ADA, lesson="02_views", marks=ADA.marks[:1])
    rows, _ = filled(tmp_path, [second, ADA, ABSENT], moodle=saved(tmp_path, WORKSHEET))
    assert [row[4] for row in rows] == ["Grade", "80", "12.00", "0"]


def test_who_has_no_result_is_left_as_before(tmp_path: Path) -> None:
    rows, notes = filled(tmp_path, [ADA], moodle=saved(tmp_path, WORKSHEET))
    assert rows[3][4] == "" and "nothing was graded: Eve Moneypenny" in notes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Teilnehmer/in,Bewertung\n", r"no column 'identifier', 'grade', 'maximum grade'.*in English"),
        (WORKSHEET.replace("100.00,Yes", "Very good,Yes"), r"row 2: the maximum grade is not a number"),
    ],
)
def test_what_is_no_worksheet_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):  # and so before anybody is graded
        read_moodle(saved(tmp_path, text))


def test_the_participants_number_is_the_id(tmp_path: Path) -> None:
    assert [person.id for person in read_moodle(saved(tmp_path, WORKSHEET)).people] == ["501", "502", "503"]


# -- feedback, taken back in bulk


def members(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def moodle_takes(name: str, participants: set[int]) -> bool:
    """As `assignfeedback_file_zip_importer` decides: a part of the path names a participant and a plugin."""
    found = (part.split("_", 4) for part in name.split("/"))
    return any(
        len(i) >= 4 and i[1].isdigit() and int(i[1]) in participants and i[2] == "assignsubmission" for i in found
    )


def canvas_takes(name: str) -> list[str]:
    """As `infer_comment_context_from_filename` reads it: the user's id and the attachment's."""
    return [part for part in name.rpartition("/")[2].split("_") if part.isdigit()][:2]


def test_feedback_leaves_as_moodle_takes_it_back(tmp_path: Path) -> None:
    filled(tmp_path, [ADA, GRACE, ABSENT, STRANGER], moodle=saved(tmp_path, WORKSHEET))
    found = members(tmp_path / "out" / "feedback_01_memory_layout.zip")
    assert list(found) == [
        "Ada Lovelace_501_assignsubmission_file_/feedback.html",
        "Eve Moneypenny_503_assignsubmission_file_/feedback.html",
        "Grace Hopper_502_assignsubmission_file_/feedback.html",
    ]
    assert all(moodle_takes(name, {501, 502, 503}) for name in found)
    assert all(name.partition("_")[0] in page for name, page in found.items())


def test_feedback_leaves_under_the_names_that_the_platform_gave(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    for name in (
        "lovelaceada_LATE_1_70001_work-1.ipynb",
        "hoppergrace_2_70002_all.ipynb",
        "project_group_1_5_70003_a.ipynb",
        "Eve Money_3_assignsubmission_file_/sub/work.ipynb",
        "Tom Tarn_4_assignsubmission_file_work.ipynb",
        "jane.ipynb",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("{}")
    results = [lesson(one.student, one.student, 2, source=one.source, back=one.back) for one in find(folder).handed]
    for out in ("one", "two"):
        written = write(
            [*results, lesson("1", "1", 2, "02_views", source="x_1_7_8_y.ipynb")], tmp_path / out, title="T"
        )
    found = members(tmp_path / "one" / "feedback_01_memory_layout.zip")
    assert list(found) == [
        "Eve Money_3_assignsubmission_file_/feedback.html",
        "Tom Tarn_4_assignsubmission_file_/feedback.html",
        "hoppergrace_2_70002_feedback.html",
        "lovelaceada_LATE_1_70001_feedback.html",
        "project_group-1_5_70003_feedback.html",
    ]
    taken = [canvas_takes(name) for name in list(found)[2:]]
    assert taken == [["2", "70002"], ["1", "70001"], ["5", "70003"]]
    assert all(moodle_takes(name, {3, 4}) for name in list(found)[:2])
    names = [path.name for path in written if path.suffix == ".zip"]
    assert names == ["feedback_01_memory_layout.zip"]
    assert (tmp_path / "one" / names[0]).read_bytes() == (tmp_path / "two" / names[0]).read_bytes()
