"""Moodle's numbers are participants' or teams', and of a team each member has what it handed in."""

import pytest
from test_read import LESSONS, ONE, PI, book, tree, zipped

from jaxcourse_grade._bounded import BoundedProcess
from jaxcourse_grade.intake import take_in
from jaxcourse_grade.intake._teams import NO_WORKSHEET

FIRST, _ = LESSONS
HEAD = 'Identifier,"Full name",Status,Group,Grade,"Maximum Grade"\n'
PEOPLE = [
    (36, "Jane Doe", "Team A"),
    (37, "Tom Roe", "Rockets_2"),
    (38, "Ann Lee", "Team A"),
    (39, "Bo Fry", "Default group"),
]


def sheet_of(people, head=HEAD):
    rows = (f'Participant {number},"{name}",Submitted,"{group}",,10.00\n' for number, name, group in people)
    return (head + "".join(rows)).encode()


def export(*names):
    return zipped({name: book(PI, f"n = {number}") for number, name in enumerate(names)})


def taken(folder, *names, people=PEOPLE, roster=b""):
    """What is known of each row: its key, its name, what is to be decided."""
    source = tree(folder, {"export.zip": export(*names), "sheet.csv": sheet_of(people), "roster.csv": roster})
    how = {"worksheet": source / "sheet.csv"} if people else {}
    how |= {"roster": source / "roster.csv"} if roster else {}
    return take_in(source / "export.zip", LESSONS, **how)


def rows(sorted_in):
    return {choice.submission.student: choice.submission for choice in sorted_in.choices}


@pytest.mark.parametrize(
    "end", ["_assignsubmission_file/x.ipynb", "_assignsubmission_file_/x.ipynb", "_assignsubmission_file_x.ipynb"]
)
def test_each_member_has_what_the_team_handed_in(end, tmp_path):
    found = rows(taken(tmp_path, f"Team A_37{end}", f"Rockets 2_36{end}", f"Default group{end}"))
    assert {key: (row.name, row.source[11:17]) for key, row in found.items()} == {
        "36": ("Jane Doe", "Team A"),
        "38": ("Ann Lee", "Team A"),
        "37": ("Tom Roe", "Rocket"),
        "39": ("Bo Fry", "Defaul"),
    }
    assert found["36"].notes == ("Handed in by a team of 2: Team A.",)
    assert {row.back for row in found.values()} == {""}  # the worksheet has the members' own folders


def test_who_is_in_no_team_is_in_the_one_without_a_number(tmp_path):
    people = [(36, "Jane Doe", "Team A"), (37, "Tom Roe", "")]
    name = "\u00c9quipe par d\u00e9faut_assignsubmission_file/x.ipynb"
    assert list(rows(taken(tmp_path, name, people=people))) == ["37"]


@pytest.mark.parametrize("name", ["Team A_37", "Default group", "Gruppe 3_37"])
@pytest.mark.parametrize("roster", [b"", b"ID,Name\n37,Tom Roe\n36,Jane Doe\n"])
def test_without_a_worksheet_a_team_is_a_row_of_its_own(name, roster, tmp_path):
    (row,) = rows(taken(tmp_path, f"{name}_assignsubmission_file/x.ipynb", people=(), roster=roster)).values()
    assert (row.student, row.look, row.back) == (name, NO_WORKSHEET, "")


def test_without_a_worksheet_a_number_is_compared_with_no_roster_and_no_feedback_goes_back(tmp_path):
    roster = b"ID,Name\n37,Tom Roe\n36,Jane Doe\n"
    sorted_in = taken(tmp_path, "Rockets_37_assignsubmission_file/x.ipynb", people=(), roster=roster)
    (row,) = rows(sorted_in).values()
    assert (row.student, row.name, row.back) == ("Rockets_37", "Rockets", "") and len(sorted_in.missing) == 2
    assert any("add `--moodle worksheet.csv`" in note for note in sorted_in.notes)
    (row,) = rows(taken(tmp_path / "x", "Tom Roe_99_assignsubmission_file/x.ipynb", people=(), roster=roster)).values()
    assert (row.name, row.back) == ("Tom Roe", "Tom Roe_99_assignsubmission_file_/feedback.html")


def test_one_team_without_a_number_says_that_all_there_are_teams(tmp_path):
    names = ("Rockets_37_assignsubmission_file/x.ipynb", "Default group_assignsubmission_file/x.ipynb")
    assert set(rows(taken(tmp_path, *names, people=()))) == {"Rockets_37", "Default group"}


def test_a_participants_number_is_the_participants(tmp_path):
    names = ("Jane Doe_36_assignsubmission_file/x.ipynb", "Team A-Ann Lee_38_assignsubmission_file_/x.ipynb")
    assert {key: row.look for key, row in rows(taken(tmp_path, *names)).items()} == {"36": "", "38": ""}
    blind = HEAD.replace(',"Full name"', "")
    source = tree(tmp_path / "b", {"e.zip": export("Participant_36_assignsubmission_file/x.ipynb")})
    (tmp_path / "b/s.csv").write_bytes(blind.encode() + b"Participant 36,Submitted,,,10.00\n")
    (row,) = take_in(source / "e.zip", LESSONS, worksheet=source / "s.csv").choices
    assert (row.submission.student, row.submission.look) == ("36", "")


@pytest.mark.parametrize(
    ("people", "names"),
    [
        ([(36, "Jane Doe", "X"), (37, "Tom Roe", "Jane Doe")], ["Jane Doe_36"]),  # a team called like a participant
        ([(36, "Jane Doe", "Team A"), (37, "Tom Roe", "Team A")], ["Team A_50", "Team A_51"]),  # two teams of one name
        ([(36, "Jane Doe", "Team A"), (37, "Tom Roe", "Team B")], ["Team C_36"]),  # of another assignment
        ([(36, "Jane Doe", ""), (37, "Tom Roe", "")], ["Jane Roe_36"]),  # the number of another name
    ],
)
def test_what_may_be_several_is_nobodys_and_told(people, names, tmp_path):
    found = rows(taken(tmp_path, *(f"{name}_assignsubmission_file/x.ipynb" for name in names), people=people))
    assert len(found) == len(names) and not {"36", "37"} & set(found)
    assert all(row.look and not row.back for row in found.values())


@pytest.mark.parametrize("table", [b"grade,section\n1,2\n", b"", b"PK\3\4", b'id,name\n1,"Jane\n', b"\xff\xfe\0"])
def test_a_table_that_is_no_worksheet_is_passed_over(table, tmp_path):
    files = {"Grades.csv": table, "Jane Doe_36_assignsubmission_file/x.ipynb": ONE}
    with BoundedProcess() as apart:  # whatever is raised there must get here
        assert "36" in rows(take_in(tree(tmp_path / "in", files), LESSONS, apart=apart))


def test_each_export_has_the_worksheet_that_lies_in_it(tmp_path):
    tree(
        tmp_path,
        {
            "one/Grades.csv": sheet_of([(36, "Jane Doe", "Team A")]),
            "one/Team A_1_assignsubmission_file/x.ipynb": ONE,
            "two/Grades.csv": sheet_of([(46, "Tom Roe", "Team A")]),
            "two/Team A_1_assignsubmission_file/x.ipynb": book(PI, "n = 2"),
        },
    )
    assert {key: row.source[:3] for key, row in rows(take_in(tmp_path, LESSONS)).items()} == {"36": "one", "46": "two"}
