"""Rosters as platforms export them, and whose submission is whose: never a guess."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxcourse_grade._records import Submission
from jaxcourse_grade.intake._find import Handed
from jaxcourse_grade.intake._read import choose
from jaxcourse_grade.intake._roster import Person, Roster, RosterError, enrol, match, read_roster


def roster_of(folder, text, encoding="utf-8"):
    path = folder / "roster.csv"
    path.write_bytes(text.encode(encoding) if isinstance(text, str) else text)
    return read_roster(path)


def facts(person):
    return person.name, person.id, person.sis, person.login, person.email


EXPORTS = {
    "Canvas": (
        "Student,ID,SIS User ID,SIS Login ID,Section,Lesson 1 (77),Current Score\r\n"
        ",,,,,Manual Posting,\r\n"
        "    Points Possible,,,,,10,(read only)\r\n"
        '"Doe, Jane",12345,S1,jdoe,Physics,,\r\n'
        '"Roe, Ann",12346,S2,aroe,Physics,3,\r\n'
        '"Student, Test",99999,,x,Physics,,\r\n',
        [("Doe, Jane", "12345", "S1", "jdoe", ""), ("Roe, Ann", "12346", "S2", "aroe", "")],
    ),
    "Moodle's worksheet": (
        'Identifier,"Full name","ID number","Email address",Status,Grade,"Maximum Grade","Feedback comments"\n'
        'Participant 123,"Jane Doe",007,jane@example.edu,"Submitted for grading - ",,100.00,\n',
        [("Jane Doe", "123", "007", "", "jane@example.edu")],
    ),
    "Moodle's participants": (
        "First name,Last name,ID number,Email address,Groups\nJane,Doe,,jane@example.edu,A\n",
        [("Jane Doe", "", "", "", "jane@example.edu")],
    ),
    "Gradescope": (
        "First Name,Last Name,SID,Email,Sections\nJane,Doe,007,jane@example.edu,\n",
        [("Jane Doe", "", "007", "", "jane@example.edu")],
    ),
    "semicolons": ("name;e-mail\nDoe, Jane;j@x.edu\n\n;;\n", [("Doe, Jane", "", "", "", "j@x.edu")]),
    "tabs": ("User name\tSurname\tGiven\njd\tDoe\tJane\n", [("Jane Doe", "", "", "jd", "")]),
    "quotes, and a separator in a heading": ('"Name, full";"Id"\n"x";"1"\n', [("1", "1", "", "", "")]),
    "all in quotes": ('"Full name","Id"\n"Doe, Jane","1"\n', [("Doe, Jane", "1", "", "", "")]),
    "German": (
        "Nachname;Vorname;Matrikelnummer;E-Mail-Adresse\nDoe;Jane;0012;j@x.edu\n",
        [("Jane Doe", "", "0012", "", "j@x.edu")],
    ),
    "German, a name in two columns": ("Name;Vorname;Kennung\nDoe;Jane;jd\n", [("Jane Doe", "", "", "jd", "")]),
    "French": (
        "Nom;Pr\u00e9nom;Num\u00e9ro \u00e9tudiant;Adresse de courriel\nDoe;Jane;12;j@x.edu\n",
        [("Jane Doe", "", "12", "", "j@x.edu")],
    ),
    "Spanish": (
        "Nombre;Apellido(s);N\u00famero de ID;Direcci\u00f3n de correo\nJane;Doe Roe;12;j@x.edu\n",
        [("Jane Doe Roe", "", "12", "", "j@x.edu")],
    ),
    "Spanish, one name": ("Nombre completo;Usuario\nJane Doe;jd\n", [("Jane Doe", "", "", "jd", "")]),
    "Italian": (
        "Cognome;Nome;Matricola;Indirizzo email\nDoe;Jane;0012;j@x.edu\n",
        [("Jane Doe", "", "0012", "", "j@x.edu")],
    ),
    "Portuguese": ("Nome;Sobrenome;N\u00famero de aluno\nJane;Doe;12\n", [("Jane Doe", "", "12", "", "")]),
    "Dutch": ("Achternaam;Voornaam;Studentnummer\nDoe;Jane;12\n", [("Jane Doe", "", "12", "", "")]),
    "a separator that a spreadsheet is told": (
        "sep=;\nName;Email\nDoe, Jane;j@x\n",
        [("Doe, Jane", "", "", "", "j@x")],
    ),
    "a title": ("Class of 2026;;\n\nName;Email;Note\nJane;j@x;\n", [("Jane", "", "", "", "j@x")]),
    "sums below": ("Name,ID,Grade\nJane,1,3\nTotal,,3\nAverage:,1,3\n", [("Jane", "1", "", "", "")]),
    "staff": (
        "First Name,Last Name,SID,Email,Role\nJane,Doe,12,j@x,Student\nProf,Boss,,b@x,Instructor\nTina,Aid,,t@x,TA\n"
        'Ted,Ass,,a@x,Teaching Assistant\nRita,Read,,r@x,Reader\nTara,Stud,13,s@x,"Student, TA"\nTao,Ta,14,o@x,\n',
        [("Jane Doe", "", "12", "", "j@x"), ("Tara Stud", "", "13", "", "s@x"), ("Tao Ta", "", "14", "", "o@x")],
    ),
    "one column": ("login\njd\nar", [("jd", "", "", "jd", ""), ("ar", "", "", "ar", "")]),
    "no last fields": ("id,name,note\n1,Jane\n", [("Jane", "1", "", "", "")]),
    "a name in two lines": ('id,name\n1,"Jane\nDoe"\n', [("Jane\nDoe", "1", "", "", "")]),
}


@pytest.mark.parametrize("export", EXPORTS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_exports(export, encoding, tmp_path):
    text, people = EXPORTS[export]
    accented = [tuple(field.replace("Jane", "Jan\u00e9") for field in person) for person in people]
    found = roster_of(tmp_path, text.replace("Jane", "Jan\u00e9"), encoding)
    assert [facts(person) for person in found.people] == accented


def test_what_a_spreadsheet_calls_csv_is_windows_1252_and_that_is_told(tmp_path):
    text = "Name;Email\r\nJan \u017di\u017eka;\r\nSean O\u2019Brien;\r\nZo\u00e9 C\u0153ur;\r\n"
    found = roster_of(tmp_path, text, "cp1252")
    assert [person.name for person in found.people] == [
        "Jan \u017di\u017eka",
        "Sean O\u2019Brien",
        "Zo\u00e9 C\u0153ur",
    ]
    assert "roster.csv is not in UTF-8: it was read as Windows-1252" in found.notes[0]
    assert roster_of(tmp_path, text).notes == ()


def test_staff_is_named(tmp_path):
    found = roster_of(tmp_path, "Name,Role\nJane,Student\nBoss,Instructor\n")
    assert found.notes == ("No students, by the column of roles in roster.csv: Boss.",)


def test_a_person_knows_its_line_and_its_key(tmp_path):
    jane, ann, tom, eve = roster_of(tmp_path, "name,sis id,login\nJane,1,j\n\nAnn,,a\nTom,,\n,,e\n").people
    assert [person.line for person in (jane, ann, tom, eve)] == [2, 4, 5, 6]
    assert [person.key for person in (jane, ann, tom, eve)] == ["1", "a", "Tom", "e"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "roster.csv, line 1: the file is empty: it needs a heading and one line per student."),
        ("grade,section\n1,2\n", "roster.csv, line 1: no column says who"),
        ("\n\nname\n", "roster.csv, line 3: there is nobody below the headings."),
        ("id,name\n1,Doe, Jane\n", "roster.csv, line 2: 3 fields, and the heading has 2: put a field with a separator"),
        ("id,name,grade\n1,Jane,\n,,3\n", "roster.csv, line 3: this row names nobody"),
        ("id,name\n1,Jane\n2,Ann\n1,Tom\n", "roster.csv, line 4: the id '1' is also in line 2."),
        ("login,name\nJD,Jane\njd,Tom\n", "roster.csv, line 3: the login 'jd' is also in line 2."),
        ("name\nJane\nJane\n", "roster.csv, line 3: 'Jane' is also in line 2: give an id or an e-mail address."),
        ('id,name\n1,"Jane\n2,Ann\n', "roster.csv, line 3: this is not CSV: "),
        (b"PK\3\4...", "roster.csv, line 1: this is a zip archive or an office document, and no CSV file: save it as"),
        ("\n<!DOCTYPE html><table>", "roster.csv, line 1: this is a web page, and no CSV file"),
        ("\ufeff<html>", "roster.csv, line 1: this is a web page, and no CSV file"),
        ("\ufeff \n", "roster.csv, line 1: the file is empty"),
        ("Name\tEmail\nJane\tj@x\n".encode("utf-16-le"), "roster.csv, line 1: this is text in an encoding that it"),
        (
            "Etternavn;Fornavn\nDoe;Jane\n",
            "roster.csv, line 1: no column says who a student is: it needs one of `Name`",
        ),
        ("Name,SID\nA,1.23457E+11\nB,1.23457E+11\n", "roster.csv, line 2: the student number '1.23457E+11' is what a"),
        ("Name;ID\nA;1,23457E+11\n", "roster.csv, line 2: the id '1,23457E+11' is what a spreadsheet made"),
    ],
)
def test_a_roster_that_is_not_as_it_must_be_is_refused_with_the_line(text, message, tmp_path):
    with pytest.raises(RosterError) as error:
        roster_of(tmp_path, text)
    assert str(error.value).startswith(message)


def test_no_roster_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="name a CSV file"):
        read_roster(tmp_path / "none.csv")


@given(st.binary() | st.text().map(str.encode) | st.text('idname,;\t\n"1').map(str.encode))
def test_any_bytes_give_a_roster_or_the_reason(tmp_path_factory, data):
    try:
        assert roster_of(tmp_path_factory.mktemp("roster"), data).people
    except RosterError as error:
        assert str(error).startswith("roster.csv, line ")


CLASS = Roster(
    (
        Person("Doe, Jane", id="12345", sis="S1", login="jdoe", email="jane@x.edu", line=2),
        Person("Jos\u00e9 Mu\u00f1oz-R\u00edos", id="12346", email="jmr@x.edu", line=3),
        Person("M\u00fcller, J\u00f6rg", id="12347", line=4),
        Person("\u0141ukasz O'Brien", id="12348", line=5),
        Person("\u674e\u5c0f\u9f99", id="12349", line=6),
        Person("Maria Luisa de la Cruz", id="12350", line=7),
        Person("Ann Lee", id="1", line=8),
        Person("Lee Ann", id="2", line=9),
        Person("Anna Li", id="3", line=10),
    )
)


@pytest.mark.parametrize(
    ("key", "name", "line"),
    [
        ("12345", "doejane", 2),
        ("s1", "", 2),
        ("JDOE", "", 2),
        ("Jane@X.edu", "", 2),
        ("jane", "jane", 2),  # the address without its domain
        ("doe_jane", "doe jane", 2),
        ("Jane Doe", "Jane Doe", 2),
        ("x99", "DOEJANE", 2),
        ("janedoe", "janedoe", 2),
        ("munoz_rios_jose", "", 3),
        ("mu\u00f1ozr\u00edosjos\u00e9", "", 3),
        ("jmr", "", 3),
        ("mueller joerg", "", 4),
        ("jorg muller", "", 4),
        ("mu\u0308ller jo\u0308rg", "", 4),
        ("obrien_lukasz", "", 5),
        ("\u674e\u5c0f\u9f99", "", 6),
        ("delacruzmarialuisa", "", 7),
        ("cruz de la luisa maria", "", 7),
        ("annali", "", 10),
        ("1", "tom tarn", 8),
    ],
)
def test_a_student_is_found(key, name, line):
    matched = match({key: name}, CLASS)
    assert [person.line for person in matched.found.values()] == [line] and list(matched.found) == [key]
    assert [person.line for person in matched.missing] == [n for n in range(2, 11) if n != line]


@pytest.mark.parametrize("key", ["doe", "j doe", "doe_jane_m", "99", "", "anna l i", "@", "annale e", "S 1"])
def test_nobody_is_guessed(key):
    matched = match({key: key}, CLASS)
    assert (matched.found, matched.unknown, matched.ambiguous) == ({}, (key,), {})
    assert matched.missing == CLASS.people


def test_who_may_be_two_people_is_neither():
    matched = match({"lee_ann": "lee ann"}, CLASS)
    assert [person.line for person in matched.ambiguous["lee_ann"]] == [8, 9]
    assert (matched.found, matched.unknown) == ({}, ()) and matched.missing == CLASS.people


def test_one_number_of_two_people_is_neither():
    twins = Roster((Person("A", id="5", line=2), Person("B", sis="5", line=3)))
    assert list(match({"5": "5"}, twins).ambiguous) == ["5"]


@pytest.mark.parametrize(("handed_in", "listed"), [("00123456", "123456"), ("123456", "00123456")])
def test_zeros_that_a_spreadsheet_took_away_make_nobody_missing(handed_in, listed):
    class_ = Roster((Person("A", sis=listed, line=2), Person("B", sis="1234567", line=3)))
    assert match({handed_in: handed_in}, class_).found[handed_in].line == 2
    both = Roster((Person("A", sis="0012", line=2), Person("B", login="012", line=3)))
    assert list(match({"12": "12"}, both).ambiguous) == ["12"]
    exact = Roster((Person("A", sis="0012", line=2), Person("B", sis="12", line=3)))
    assert match({"12": "12"}, exact).found["12"].line == 3


def test_a_number_is_compared_with_its_own_kind_only():
    people = (Person("Tom Roe", id="37", line=2), Person("Jane Doe", id="36", line=3))
    for platform, roster_s, found in (
        ("Moodle", "", None),
        ("Moodle", "Moodle", 2),
        ("Canvas", "", 2),
        ("Canvas", "Moodle", None),
    ):
        matched = match({"37": "Rockets"}, Roster(people, roster_s), {"37": platform})
        assert (matched.found["37"].line if matched.found else None) == found


def test_who_has_the_number_of_one_and_the_name_of_another_is_neither():
    people = (Person("Tom Roe", id="37", line=2), Person("Jane Doe", id="36", line=3))
    assert [person.line for person in match({"37": "Jane Doe"}, Roster(people)).ambiguous["37"]] == [2, 3]
    assert match({"37": "Roe Tom"}, Roster(people)).found["37"].line == 2


def test_marks_that_are_letters_tell_names_apart():
    two = Roster((Person("\u0915\u093f", id="1", line=2), Person("\u0915\u0941", id="2", line=3)))
    assert match({"\u0915\u0941": ""}, two).found["\u0915\u0941"].line == 3


@given(st.dictionaries(st.text(max_size=12), st.text(max_size=12), max_size=5))
def test_every_student_is_found_unknown_or_ambiguous(names):
    matched = match(names, CLASS)
    assert sorted([*matched.found, *matched.unknown, *matched.ambiguous]) == sorted(names)


def test_two_keys_of_one_person_become_one_row():
    def entry(file, key):
        return Handed(Path(file), (), file, key, key, modified=len(file)), Submission(key, key, "01_x", file)

    entries = [entry("a.ipynb", "doe_jane"), entry("later.ipynb", "12345"), entry("z.ipynb", "nobody")]
    matched = match({submission.student: submission.name for _, submission in entries}, CLASS)
    jane, nobody = choose(enrol(entries, matched))
    assert (jane.submission.student, jane.submission.name, jane.aside) == ("S1", "Doe, Jane", ("a.ipynb",))
    assert (nobody.submission.student, nobody.submission.name) == ("nobody", "nobody")
