"""A class as it comes back: whose everything is, which lessons were handed out, and what was not looked at."""

import itertools
import signal
import time

import pytest
from test_read import LESSONS, ONE, PI, TWO, book, tree, zipped

from jaxcourse_grade._bounded import BoundedProcess, TooMuch
from jaxcourse_grade.intake import Ours, _intake, take_in
from jaxcourse_grade.intake._published import code_digest
from jaxcourse_grade.intake._walk import walk

FIRST, SECOND = LESSONS
OTHER = book(PI, "n = 2")
"""Another notebook of the first lesson."""


def taken(folder, files=(), **how):
    return take_in(tree(folder, dict(files)), LESSONS, **how)


def rows(sorted_in):
    """What counts, by student and lesson: the file, or why there is none."""
    listed = [*(choice.submission for choice in sorted_in.choices), *sorted_in.missing]
    keys = [(one.student, one.lesson) for one in listed if one.lesson]
    assert len(keys) == len(set(keys)), f"somebody has two rows: {sorted(keys)}"
    return {
        (choice.submission.student, choice.submission.lesson): choice.submission.unreadable or choice.submission.source
        for choice in sorted_in.choices
    }


CLASS = {"ada_01.ipynb": ONE, "bob_01.ipynb": OTHER, "cy_01.ipynb": ONE}
HONEST = {("ada", FIRST): "ada_01.ipynb", ("bob", FIRST): "bob_01.ipynb", ("cy", FIRST): "cy_01.ipynb"}


def told(sorted_in, words):
    """The notes that say some words."""
    return [note for note in sorted_in.notes if words in note]


# -- which lessons


@pytest.mark.parametrize("name", ["week 2.png", "02.pdf", "lesson2.csv", "hw_02.html", "02_broadcasting.zip"])
def test_a_stray_file_is_no_lesson(name, tmp_path):
    sorted_in = taken(tmp_path, {**CLASS, name: b"\x89PNG"})
    assert sorted_in.asked == (FIRST,)
    found = rows(sorted_in)
    assert {key: found[key] for key in HONEST} == HONEST and {lesson for _, lesson in found} == {FIRST}
    assert name.endswith(".zip") or (found == HONEST and len(told(sorted_in, f"`{name}`")) == 1)


def test_what_one_student_adds_is_not_what_was_handed_out(tmp_path):
    sorted_in = taken(tmp_path, {**CLASS, "ada_02.ipynb": TWO})
    assert (sorted_in.asked, rows(sorted_in)) == ((FIRST,), HONEST)
    assert told(sorted_in, "Not looked at, because 02_broadcasting was not asked for: `ada_02.ipynb`.")
    (ada,) = (choice.submission for choice in sorted_in.choices if choice.submission.student == "ada")
    assert ada.notes == ("Not looked at, because it was not asked for: `ada_02.ipynb`.",)
    sorted_in = taken(tmp_path, asked=[FIRST, SECOND])
    assert rows(sorted_in) == {**HONEST, ("ada", SECOND): "ada_02.ipynb"}


def test_what_more_than_half_handed_in_was_handed_out(tmp_path):
    assert taken(tmp_path, {**CLASS, "ada_02.ipynb": TWO, "bob_02.ipynb": TWO}).asked == (FIRST, SECOND)


def test_a_folder_that_is_named_after_a_lesson_says_that_it_was_handed_out(tmp_path):
    files = {f"01_memory_layout/{name}.ipynb": ONE for name in ("ada", "bob", "cy", "dora")}
    assert taken(tmp_path, {**files, "02_broadcasting/ada.ipynb": TWO}).asked == (FIRST, SECOND)


def test_who_handed_in_another_lesson_only_has_a_row_that_says_so(tmp_path):
    sorted_in = taken(tmp_path, {**CLASS, "eve_02.ipynb": TWO})
    assert rows(sorted_in)["eve", FIRST] == (
        "This is 02_broadcasting, which was not asked for: what is graded here is 01_memory_layout."
    )


def test_a_lesson_that_was_named_is_what_is_graded(tmp_path):
    sorted_in = taken(tmp_path, {**CLASS, "dora_02.ipynb": TWO, "x.pdf": b"%PDF"}, asked=[SECOND])
    found = rows(sorted_in)
    assert sorted_in.asked == (SECOND,) and {lesson for _, lesson in found} == {SECOND}
    assert found["dora", SECOND] == "dora_02.ipynb" and found["x", SECOND].startswith("This is a PDF")
    assert "was not asked for" in found["ada", SECOND]


@pytest.mark.parametrize(
    ("source", "says", "name", "lesson", "note"),
    [
        ("x = 1", "", "doe.ipynb", SECOND, "Taken as 02_broadcasting: nothing in it says so."),
        ("unit_vectors = 1", FIRST, "doe.ipynb", SECOND, "though the notebook says that it is 01_memory_layout"),
        (PI, SECOND, "doe.ipynb", SECOND, "though most of its exercises are those of 01_memory_layout"),
    ],
)
def test_a_notebook_is_what_was_handed_out_if_anything_in_it_says_so(source, says, name, lesson, note, tmp_path):
    sorted_in = taken(tmp_path, {name: book(source, lesson=says)}, asked=[SECOND])
    (choice,) = sorted_in.choices
    assert (choice.submission.lesson, choice.submission.unreadable) == (lesson, "")
    assert note in choice.submission.notes[0]


def test_where_nothing_can_be_read_names_say_what_was_handed_out(tmp_path):
    sorted_in = taken(tmp_path, {"ada_01.ipynb": b"{", "bob_01.ipynb": b"{", "cy_02.ipynb": b"{"})
    assert sorted_in.asked == (FIRST,) and {lesson for _, lesson in rows(sorted_in)} == {FIRST}


# -- whose

STEALING = {
    "a zip among loose notebooks": {"eve.zip": zipped({"ada_01.ipynb": OTHER, "x.ipynb": ONE})},
    "named like homework": {"homework 1.zip": zipped({"ada_01.ipynb": OTHER, "bob_01.ipynb": ONE})},
    "named like a lesson": {"01_memory_layout.zip": zipped({"ada_01.ipynb": OTHER, "bob_01.ipynb": ONE})},
    "that looks like an export": {"eve.zip": zipped({"ada_1_2001_x.ipynb": OTHER, "bob_2_2002_x.ipynb": ONE})},
    "with metadata": {"eve.zip": zipped({"submission_metadata.yml": b"{}", "submission_1/ada_01.ipynb": OTHER})},
    "a section of its own": {"eve.zip": zipped({f"{name}_01.ipynb": OTHER for name in ("ada", "bob", "cy", "di")})},
}


@pytest.mark.parametrize("case", STEALING)
def test_a_name_inside_of_what_one_student_handed_in_is_that_students(case, tmp_path):
    sorted_in = taken(tmp_path, {**CLASS, **STEALING[case]})
    found = rows(sorted_in)
    assert {key: found[key] for key in HONEST} == HONEST and len(found) == len(HONEST) + 1
    assert not told(sorted_in, "claim")


def test_an_archive_alone_in_a_lessons_folder_is_one_students(tmp_path):
    inside = {f"{name}_02.ipynb": book("unit_vectors = 1", name, lesson=SECOND) for name in ("ada", "bob", "cy", "di")}
    sorted_in = taken(tmp_path, {**CLASS, "02_broadcasting/eve.zip": zipped(inside)})
    found = rows(sorted_in)
    assert {key: found[key] for key in HONEST} == HONEST and {student for student, _ in found} == {
        "ada",
        "bob",
        "cy",
        "eve",
    }


def test_an_archive_that_may_be_a_classs_is_told(tmp_path):
    sorted_in = taken(tmp_path, {**CLASS, **STEALING["a section of its own"]})
    (note,) = told(sorted_in, "Taken as one student's")
    assert "`eve.zip!` (4 of 01_memory_layout, such as ada" in note


def test_sections_too_small_to_be_known_as_such_are_told(tmp_path):
    sections = {"A": ("ada", "bob"), "B": ("cy", "di", "ed")}
    files = {f"{part}/{name}_01.ipynb": book(PI, name) for part, names in sections.items() for name in names}
    (note,) = told(taken(tmp_path, files), "Taken as one student's")
    assert "`A` (2 of 01_memory_layout, such as ada" in note and "`B` (3 of" in note


def test_copies_and_a_lessons_own_name_in_a_students_folder_are_not_told(tmp_path):
    kept = ("doe_01.ipynb", "doe_01 (1).ipynb", "01_memory_layout.ipynb", "Untitled1.ipynb")
    files = {f"{name}/{file}": book(PI, file) for name in ("doe", "roe") for file in kept}
    assert not told(taken(tmp_path, files), "Taken as one student's")


def test_what_lies_beside_a_classs_folder_does_not_make_it_one_students(tmp_path):
    files = {f"hand-ins/{name}": data for name, data in CLASS.items()}
    for stray in ({}, {"roster.csv": b"Name\nAda\n"}, {"week 4.png": b"\x89PNG"}):
        found = rows(taken(tmp_path, {**files, **stray}))
        assert {key[0] for key in found} >= {"ada", "bob", "cy"} and len(found) <= 4


def test_one_name_in_two_sections_does_not_make_a_section_one_student(tmp_path):
    sections = {"A": ("ada", "bob", "cy", "di"), "B": ("ed", "fay", "gus", "ada")}
    files = {f"{part}/{name}.ipynb": book(PI, part) for part, names in sections.items() for name in names}
    found = {student for student, _ in rows(taken(tmp_path, files))}
    assert found == {"bob", "cy", "di", "ed", "fay", "gus", "ada [A/ada.ipynb]", "ada [B/ada.ipynb]"}


ATTEMPTS = {
    "a browser's second download": ["late_dora.ipynb", "late_dora (1).ipynb"],
    "of a file that names the lesson": ["late_dora_01.ipynb", "late_dora_01 (2).ipynb"],
    "that is all that is left": ["late_dora (1).ipynb", "late_dora (2).ipynb"],
    "of an archive": ["late_dora.zip", "late_dora (1).zip"],
    "of other systems": ["late_dora.ipynb", "late_dora - Copy.ipynb"],
}


@pytest.mark.parametrize("roster", ["", "Name\nDora Late\nAda\nBob\nCy\n"])
@pytest.mark.parametrize("case", ATTEMPTS)
def test_a_copy_is_another_attempt_of_the_same_student(case, roster, tmp_path):
    first, second = ATTEMPTS[case]
    data = {
        name: zipped({f"{name}.ipynb": book(PI, name)}) if ".zip" in name else book(PI, name)
        for name in (first, second)
    }
    (tmp_path / "roster.csv").write_text(roster)
    sorted_in = taken(tmp_path / "in", {**CLASS, **data}, roster=tmp_path / "roster.csv" if roster else None)
    (dora,) = (choice for choice in sorted_in.choices if "late" in choice.submission.name.casefold())
    assert len(rows(sorted_in)) == 4 and not sorted_in.missing and not told(sorted_in, "claim")
    assert dora.submission.source.startswith(second) and "an earlier copy" in dora.submission.notes[-1]
    assert len(told(sorted_in, "Taken as attempts of one student each, of which the latest")) == 1


def test_a_copy_that_cannot_be_read_does_not_count(tmp_path):
    files = {"late_dora.ipynb": ONE, "late_dora (1).ipynb": b"{"}
    assert rows(taken(tmp_path, {**CLASS, **files}))["late_dora", FIRST] == "late_dora.ipynb"


def test_copies_of_a_name_that_two_on_the_roster_have_are_claims(tmp_path):
    roster = tmp_path / "roster.csv"
    roster.write_text("Name,ID\nDora Late,1\nLate Dora,2\n")
    files = {"late_dora_01.ipynb": ONE, "late_dora_01 (1).ipynb": OTHER}
    sorted_in = taken(tmp_path / "in", files, roster=roster)
    assert {student for student, _ in rows(sorted_in)} == {f"late_dora [{name}]" for name in files}
    assert told(sorted_in, "2 hand-ins claim to be late_dora's")


def test_a_number_that_is_the_students_and_a_copy_of_it(tmp_path):
    files = {f"student_{n:02}.ipynb": book(PI, str(n)) for n in range(1, 6)}
    found = rows(taken(tmp_path, {**files, "student_03 (1).ipynb": OTHER}))
    assert len(found) == 5 and found["student_03", FIRST] == "student_03 (1).ipynb"


CLAIMS = {
    "an archive of the same name": ({"ada_01.zip": zipped({"x.ipynb": OTHER})}, ["ada_01.ipynb", "ada_01.zip!"]),
    "another way to write the lesson": (
        {"ada_memory_layout.ipynb": OTHER},
        ["ada_01.ipynb", "ada_memory_layout.ipynb"],
    ),
    "an archive": ({"ada.zip": zipped({"x.ipynb": OTHER})}, ["ada.zip!", "ada_01.ipynb"]),
    "a folder": ({"ada/x.ipynb": OTHER}, ["ada", "ada_01.ipynb"]),
}


@pytest.mark.parametrize("case", CLAIMS)
def test_of_two_claims_to_one_place_both_are_kept_and_told(case, tmp_path):
    files, places = CLAIMS[case]
    sorted_in = taken(tmp_path, {**CLASS, **files})
    found = rows(sorted_in)
    others = {key: source for key, source in HONEST.items() if key[0] != "ada"}
    assert found.keys() == others.keys() | {(f"ada [{place}]", FIRST) for place in places}
    assert len(told(sorted_in, "2 hand-ins claim to be ada's, for 01_memory_layout")) == 1
    claims = [choice.submission for choice in sorted_in.choices if choice.submission.student.startswith("ada")]
    assert {claim.name for claim in claims} == {"ada"}
    assert all("2 hand-ins claim to be ada's" in claim.notes[-1] for claim in claims)


def test_the_same_content_twice_is_one_claim(tmp_path):
    sorted_in = taken(tmp_path, {**CLASS, "ada_01 (1).ipynb": ONE})
    assert rows(sorted_in).keys() == HONEST.keys() and not told(sorted_in, "claim")


def test_what_cannot_be_read_claims_nothing(tmp_path):
    sorted_in = taken(tmp_path, {**CLASS, "ada_01 (1).ipynb": b"{", "ada.pdf": b"%PDF"})
    assert rows(sorted_in) == HONEST and not told(sorted_in, "claim")


def test_whose_a_platform_says_it_is_claims_nothing_twice(tmp_path):
    files = {f"{name}_{n}_{n}00{k}_x.ipynb": book(PI, k) for n, name in enumerate(("ada", "bob"), 1) for k in "12"}
    assert rows(taken(tmp_path, files)) == {("1", FIRST): "ada_1_1002_x.ipynb", ("2", FIRST): "bob_2_2002_x.ipynb"}


@pytest.mark.parametrize(
    "names",
    [
        ("Ada_7_assignsubmission_file_x.ipynb", "Eve_9_assignsubmission_file_Ada_7_assignsubmission_file_x.ipynb"),
        ("ada_7_2001_x.ipynb", "eve_9_2002_Ada_7_assignsubmission_file_x.ipynb"),
        ("ada_7_2001_x.ipynb", "eve_9_2002_ada_7_2003_x.ipynb"),
    ],
)
def test_what_follows_a_platforms_name_is_the_students_own(names, tmp_path):
    found = rows(taken(tmp_path, dict(zip(names, (ONE, OTHER), strict=True))))
    assert found == {("7", FIRST): names[0], ("9", FIRST): names[1]}


@pytest.mark.parametrize("theirs", ["Ada Lovelace.ipynb", "lovelace_7_99999_x.ipynb", "7.ipynb", "ada@x.edu.ipynb"])
def test_a_name_on_the_roster_that_two_use_is_nobodys(theirs, tmp_path):
    roster = tmp_path / "roster.csv"
    roster.write_text("Name,ID,Email\nAda Lovelace,7,ada@x.edu\nBob,8,bob@x.edu\n")
    files = {"lovelace_ada_01.ipynb": ONE, "bob_01.ipynb": ONE, theirs: OTHER}
    sorted_in = taken(tmp_path / "class", files, roster=roster)
    assert rows(sorted_in).keys() == {("8", FIRST), ("7 [lovelace_ada_01.ipynb]", FIRST), (f"7 [{theirs}]", FIRST)}
    assert sorted_in.missing == () and told(sorted_in, "2 hand-ins claim to be 7's")


def test_a_number_is_the_students_where_the_notebooks_say_so(tmp_path):
    files = {f"student_{n:02}.ipynb": book(PI, str(n)) for n in range(1, 6)}
    found = rows(taken(tmp_path, {**files, "eve_01.ipynb": ONE}))
    assert {student for student, _ in found} == {*(f"student_{n:02}" for n in range(1, 6)), "eve"}


def test_another_number_in_somebodys_name_does_not_change_the_name(tmp_path):
    found = rows(taken(tmp_path, {**CLASS, "ada_05.ipynb": OTHER}))
    assert {student for student, _ in found} == {"ada", "ada_05", "bob", "cy"}


def test_every_file_is_in_a_row_or_in_a_note(tmp_path):
    files = {
        **CLASS,
        **CLAIMS["a folder"][0],
        **STEALING["with metadata"],
        "week 4.png": b"\x89PNG",
        "dora_02.ipynb": TWO,
    }
    sorted_in = taken(tmp_path, files)
    words = "\n".join([*sorted_in.notes, *(str(choice) for choice in sorted_in.choices)])
    assert all(name in words for name in files)


# -- limits


def sleeps(path, seconds):
    began = time.process_time()
    while time.process_time() < began + seconds:
        pass
    return path


def grows(size):
    return len(bytearray(size))


def dies():
    signal.raise_signal(signal.SIGKILL)


def test_a_process_of_its_own_gives_what_a_plain_call_gives():
    with BoundedProcess() as apart:
        assert [apart(len, "abc"), apart(grows, 10)] == [3, 10]
        with pytest.raises(ValueError, match="invalid literal"):
            apart(int, "x")
        assert apart(int, "4") == 4


@pytest.mark.parametrize("call", [(sleeps, "x", 100), (grows, 2**40), (dies,), (eval, "[0] * 10**12")])
def test_what_takes_too_much_is_said_and_does_no_harm(call):
    with BoundedProcess(seconds=0.5, memory=2**28) as apart:
        with pytest.raises(TooMuch):
            apart(*call)
        assert apart(int, "4") == 4


def test_who_has_used_up_their_time_is_not_read_any_more():
    with BoundedProcess() as apart:
        assert apart(sleeps, "x", 0.3, budgets={"eve": 0.2}) == "x"
        with pytest.raises(TooMuch, match="was not looked at"):
            apart(sleeps, "x", 0.3, budgets={"eve": 0.2})
        assert apart(sleeps, "y", 0.1, budgets={"ada": 0.2}) == "y"


def test_a_class_is_the_same_whoever_reads_it(tmp_path):
    files = {**CLASS, **STEALING["with metadata"], "bob.zip": zipped({"x.ipynb": ONE}), "submission_metadata.yml": b"["}
    alone = taken(tmp_path, files)
    with BoundedProcess() as apart:
        assert taken(tmp_path, apart=apart) == alone


def test_a_name_that_is_a_billion_names_costs_its_file_only(tmp_path):
    laughs = "a0: &a0 [ha]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    metadata = f"{laughs}submission_1: {{':submitters': [{{':name': *a11}}]}}\n".encode()
    with BoundedProcess(seconds=2, memory=2**28) as apart:
        sorted_in = taken(tmp_path, {**CLASS, "submission_metadata.yml": metadata}, apart=apart)
    assert rows(sorted_in).items() >= HONEST.items() and told(sorted_in, "submissions have no names")


@pytest.mark.parametrize("what", ["listing", "platforms_facts", "glance"])
def test_whatever_goes_wrong_with_one_file_is_that_files(what, tmp_path, monkeypatch):
    real = getattr(_intake, what)

    def fails(where, *how):
        if "eve.zip" in str(where):
            raise RuntimeError("boom")
        return real(where, *how)

    monkeypatch.setattr(_intake, what, fails)
    files = {"eve.zip": zipped({"x.ipynb": ONE}), "submission_metadata.yml": b"{}"}
    found = rows(taken(tmp_path / "class", {**CLASS, **files}))
    assert {key: found[key] for key in HONEST} == HONEST
    if what != "platforms_facts":
        assert found["eve", FIRST].startswith("The file could not be read (RuntimeError)")


def test_a_class_of_thousands_is_sorted_in_seconds(tmp_path):
    names = itertools.islice(map("".join, itertools.product("abcdefghij", repeat=4)), 2000)
    tree(tmp_path, {f"{name}_01.ipynb": ONE for name in names})
    (tmp_path / "eve.zip").write_bytes(zipped({f"{n:05}x.ipynb": b"" for n in range(5000)}))
    began = time.process_time()
    assert len(take_in(tmp_path, LESSONS).choices) == 2001
    assert time.process_time() - began < 20


HELPERS = b"two = 2\n"
USES = book("import my_helpers", PI)


def modules(sorted_in):
    """What each student's notebook may import."""
    return {choice.submission.student: dict(choice.read(LESSONS).modules) for choice in sorted_in.choices}


@pytest.mark.parametrize("asked", [(), (FIRST,)])
def test_a_module_beside_a_notebook_comes_with_it(tmp_path, asked):
    files = {f"dora/{FIRST}.ipynb": USES, "dora/my_helpers.py": HELPERS, "dora/a-b.py": b""}
    sorted_in = taken(tmp_path, {**CLASS, **files}, asked=asked)
    found = modules(sorted_in)
    assert found["dora"] == {"my_helpers.py": "two = 2\n"} and found["bob"] == {}
    (dora,) = [choice.submission for choice in sorted_in.choices if choice.submission.student == "dora"]
    assert "It can import what was handed in with it: `dora/my_helpers.py` as `my_helpers`." in dora.notes


def test_a_module_in_an_archive_comes_with_it(tmp_path):
    packed = zipped({"work.ipynb": USES, "my_helpers.py": HELPERS})
    assert modules(taken(tmp_path, {**CLASS, "dora.zip": packed}, asked=[FIRST]))["dora"] == {
        "my_helpers.py": "two = 2\n"
    }


@pytest.mark.parametrize("asked", [(), (FIRST,)])
@pytest.mark.parametrize("name", ["dora_my_helpers.py", "my_helpers-dora.py", "Dora my_helpers (1).py"])
def test_a_module_among_a_classs_files_is_whose_name_it_has_and_who_imports_it(tmp_path, name, asked):
    sorted_in = taken(tmp_path, {**CLASS, "dora_01.ipynb": USES, name: HELPERS}, asked=asked)
    assert rows(sorted_in) == {**HONEST, ("dora", FIRST): "dora_01.ipynb"}
    assert modules(sorted_in) == {"ada": {}, "bob": {}, "cy": {}, "dora": {"my_helpers.py": "two = 2\n"}}


def test_a_module_goes_with_each_notebook_that_imports_it(tmp_path):
    second = book("from my_helpers import two", "unit_vectors = two", lesson=SECOND)
    files = {"dora_01.ipynb": USES, "dora_02.ipynb": second, "dora_my_helpers.py": HELPERS}
    sorted_in = taken(tmp_path, {**CLASS, **files}, asked=[FIRST, SECOND])
    found = {c.submission.lesson: c.read(LESSONS).modules for c in sorted_in.choices if c.submission.student == "dora"}
    assert found == dict.fromkeys(LESSONS, (("my_helpers.py", "two = 2\n"),))


def test_a_script_that_nobody_imports_is_set_aside_with_whom_it_is_named_after(tmp_path):
    sorted_in = taken(tmp_path, {**CLASS, "dora_01.ipynb": ONE, "dora_my_helpers.py": HELPERS}, asked=[FIRST])
    assert rows(sorted_in) == {**HONEST, ("dora", FIRST): "dora_01.ipynb"}
    assert modules(sorted_in)["dora"] == {}
    (dora,) = (choice for choice in sorted_in.choices if choice.submission.student == "dora")
    assert dora.aside == ("dora_my_helpers.py",)


def test_who_hands_in_a_module_and_another_lesson_has_a_row(tmp_path):
    sorted_in = taken(tmp_path, {**CLASS, "eve/02.ipynb": TWO, "eve/my_helpers.py": HELPERS})
    assert rows(sorted_in)["eve", FIRST].startswith("This is 02_broadcasting, which was not asked for")


def test_a_platforms_name_is_not_the_modules(tmp_path):
    files = {"dora_7_701_work.ipynb": USES, "ada_8_801_work.ipynb": ONE, "bob_9_901_work.ipynb": ONE}
    files |= {"dora_7_702_my_helpers.py": b"two = 1\n", "dora_7_703_my_helpers-1.py": HELPERS}
    assert modules(taken(tmp_path, files)) == {"7": {"my_helpers.py": "two = 2\n"}, "8": {}, "9": {}}


def test_what_check_keeps_beside_a_notebook_was_not_handed_in(tmp_path):
    kept = {f"{name}_jaxcourse-progress.json": b'{"exercises": {}}' for name in ("ada", "dora")}
    sorted_in = taken(tmp_path, {**CLASS, **kept})
    assert rows(sorted_in) == HONEST
    assert not [note for choice in sorted_in.choices for note in choice.submission.notes]


# -- a row for everybody, and for every lesson

LIST = "Name,Email,Group\nAda,ada@x,G1\nBob,bob@x,G1\nCy,cy@x,\nQuinn,q@x,\n"


def absent(folder, files, table=LIST, **how):
    """Who is missing in which lesson, and what is to be decided about it."""
    (folder / "roster.csv").write_text(table, encoding="utf-8")
    sorted_in = take_in(tree(folder / "in", files), LESSONS, roster=folder / "roster.csv", **how)
    return {(one.name, one.lesson): one.look for one in sorted_in.missing}


def test_everybody_on_the_roster_has_a_row_for_every_lesson(tmp_path):
    found = absent(tmp_path, {**CLASS, "ada_02.ipynb": TWO}, asked=[FIRST, SECOND])
    assert set(found) == {("Bob", SECOND), ("Cy", SECOND), ("Quinn", FIRST), ("Quinn", SECOND)}
    assert set(absent(tmp_path, {})) == {("Quinn", FIRST)}  # nobody was asked for the second


def test_without_a_roster_it_is_those_who_handed_in_anything(tmp_path):
    sorted_in = taken(tmp_path, {**CLASS, "ada_02.ipynb": TWO}, asked=[FIRST, SECOND])
    assert {(one.student, one.lesson) for one in sorted_in.missing} == {("bob", SECOND), ("cy", SECOND)}


def test_who_is_claimed_by_two_is_not_missing(tmp_path):
    found = absent(tmp_path, {**CLASS, "ada/x.ipynb": OTHER, "bob_02.ipynb": TWO}, asked=[FIRST, SECOND])
    assert ("Ada", FIRST) not in found and ("Ada", SECOND) in found


def test_the_partner_of_who_handed_in_is_asked_for(tmp_path):
    found = absent(tmp_path, {"ada_01.ipynb": ONE, "cy_01.ipynb": OTHER})
    assert found["Bob", FIRST].startswith(
        "Ada of the same group (G1) handed in `ada_01.ipynb`. If it is theirs together"
    )
    assert found["Quinn", FIRST] == ""


@pytest.mark.parametrize(
    "table",
    [
        LIST.replace("Cy,cy@x,", "Cy,cy@x,G1"),  # two of the group handed in, each something of their own
        LIST + "".join(f"N{n},n{n}@x,G1\n" for n in range(8)),  # a section of the class
    ],
)
def test_a_group_that_is_no_team_has_no_partners(table, tmp_path):
    found = absent(tmp_path, {"ada_01.ipynb": ONE, "cy_01.ipynb": OTHER}, table)
    assert found["Bob", FIRST] == ""


def together(folder, files, table=LIST, **how):
    """Where groups hand in together: what counts for whom, who is missing, and all that was taken in."""
    (folder / "roster.csv").write_text(table, encoding="utf-8")
    sorted_in = take_in(tree(folder / "in", files), LESSONS, roster=folder / "roster.csv", groups=True, **how)
    return rows(sorted_in), {one.name: one.look for one in sorted_in.missing}, sorted_in


def test_what_one_of_a_group_handed_in_is_the_work_of_all_where_a_teacher_says_so(tmp_path):
    found, missing, sorted_in = together(tmp_path, {"ada_01.ipynb": ONE, "cy_01.ipynb": OTHER})
    assert found == {("ada@x", FIRST): "ada_01.ipynb", ("bob@x", FIRST): "ada_01.ipynb", ("cy@x", FIRST): "cy_01.ipynb"}
    assert set(missing) == {"Quinn"}
    (bob,) = (one for one in sorted_in.choices if one.submission.student == "bob@x")
    read = bob.read(LESSONS)
    assert (read.name, read.student, read.back) == ("Bob", "bob@x", "")
    assert read.cells and "Handed in by Ada, for the group G1." in read.notes


def test_a_group_of_several_works_is_decided_by_a_teacher(tmp_path):
    table = LIST.replace("Cy,cy@x,", "Cy,cy@x,G1")
    found, missing, _ = together(tmp_path, {"ada_01.ipynb": ONE, "cy_01.ipynb": OTHER}, table)
    assert set(found) == {("ada@x", FIRST), ("cy@x", FIRST)}
    assert "G1" in missing["Bob"] and "Decide" in missing["Bob"]
    (tmp_path / "again").mkdir()
    found, _, _ = together(tmp_path / "again", {"ada_01.ipynb": ONE, "cy_01.ipynb": ONE}, table)
    assert ("bob@x", FIRST) in found, "twice the same is one work"


PAIRS = LIST.replace("Cy,cy@x,", "Cy,cy@x,G2").replace("Quinn,q@x,", "Quinn,q@x,G2")
NAMED = {
    "a group's folder": "G1/x.ipynb",
    "a word before it": "Team G1.ipynb",
    "a zip of a group's": "group_g1.zip/x.ipynb",
    "both names": "Ada und Bob/x.ipynb",
    "both names in a file's": "bob_ada_01.ipynb",
    "both logins": "ada+bob.ipynb",
}


@pytest.mark.parametrize("case", NAMED)
def test_what_is_called_after_a_group_or_several_is_asked_about(case, tmp_path):
    files = {NAMED[case]: ONE, "cy_01.ipynb": OTHER, "quinn_01.ipynb": TWO}
    found = absent(tmp_path, files, PAIRS, asked=[FIRST])
    assert all(f"`{NAMED[case]}` may be theirs" in found[name, FIRST] for name in ("Ada", "Bob"))
    assert not found.get(("Quinn", FIRST))


@pytest.mark.parametrize("case", NAMED)
def test_where_groups_hand_in_together_each_has_what_is_called_after_theirs(case, tmp_path):
    found, missing, _ = together(tmp_path, {NAMED[case]: ONE, "cy_01.ipynb": OTHER}, PAIRS)
    path = NAMED[case]
    assert found == {
        **dict.fromkeys([("ada@x", FIRST), ("bob@x", FIRST)], path),
        **dict.fromkeys([("cy@x", FIRST), ("q@x", FIRST)], "cy_01.ipynb"),
    }
    assert not missing


@pytest.mark.parametrize("group", ["2", "Team 2", "gruppe 2"])
def test_a_groups_number_needs_a_word_before_it(group, tmp_path):
    found, missing, _ = together(tmp_path, {"Group 2/x.ipynb": ONE, "quinn_01.ipynb": TWO}, PAIRS.replace("G1", group))
    assert found["ada@x", FIRST] == found["bob@x", FIRST] == "Group 2/x.ipynb"
    (tmp_path / "two").mkdir()
    found, missing, _ = together(tmp_path / "two", {"2/x.ipynb": ONE}, PAIRS.replace("G1", group))
    assert found.keys() == {("2", FIRST)} and not missing["Ada"]


def test_who_is_of_another_group_is_asked_about_and_given_nothing(tmp_path):
    found, missing, _ = together(tmp_path, {"ada_cy.ipynb": ONE}, PAIRS)
    assert found.keys() == {("ada_cy", FIRST)}
    assert all(("may be theirs" in look) == (name in ("Ada", "Cy")) for name, look in missing.items())


def test_a_groups_file_and_another_of_one_of_it_are_decided_by_a_teacher(tmp_path):
    found, missing, _ = together(tmp_path, {"G1/x.ipynb": ONE, "bob_01.ipynb": OTHER}, PAIRS)
    assert found.keys() == {("G1", FIRST), ("bob@x", FIRST)}
    assert "Decide" in missing["Ada"] and not missing["Cy"]


def test_the_blank_notebook_of_a_partner_is_no_work(tmp_path):
    ours = Ours(blank=frozenset({code_digest(walk(OTHER).cells)}))
    files = {"ada_01.ipynb": ONE, "bob_01.ipynb": OTHER, "cy_01.ipynb": OTHER}
    (tmp_path / "roster.csv").write_text(PAIRS, encoding="utf-8")
    alone = take_in(tree(tmp_path / "in", files), LESSONS, roster=tmp_path / "roster.csv", ours=ours)
    looks = {choice.submission.name: choice.submission.look for choice in alone.choices}
    assert "`ada_01.ipynb`" in looks["Bob"] and not (looks["Ada"] or looks["Cy"])
    assert {one.name: one.look for one in alone.missing} == {"Quinn": ""}
    (tmp_path / "two").mkdir()
    found, missing, _ = together(tmp_path / "two", files, PAIRS, ours=ours)
    assert (
        found["bob@x", FIRST] == "ada_01.ipynb" and found["cy@x", FIRST] == "cy_01.ipynb" and set(missing) == {"Quinn"}
    )


def test_a_section_of_the_class_is_no_group_and_is_named(tmp_path):
    table = LIST + "".join(f"N{n},n{n}@x,G1\n" for n in range(8))
    found, missing, sorted_in = together(tmp_path, {"ada_01.ipynb": ONE}, table)
    assert set(found) == {("ada@x", FIRST)} and missing["Bob"] == ""
    (note,) = told(sorted_in, "More than 8 people")
    assert "G1 (10)" in note


def test_what_cannot_be_read_is_nobody_elses(tmp_path):
    found, missing, _ = together(tmp_path, {"ada_01.ipynb": b"{", "cy_01.ipynb": OTHER})
    assert "Bob" in missing and ("bob@x", FIRST) not in found


def test_what_may_be_somebodys_is_no_proof_that_nothing_was_handed_in(tmp_path):
    found = absent(tmp_path, {"ada_01.ipynb": ONE, "ann_lee_01.ipynb": OTHER}, "Name,ID\nAda,1\nAnn Lee,2\nLee Ann,3\n")
    assert all("`ann_lee_01.ipynb` may be theirs" in found[name, FIRST] for name in ("Ann Lee", "Lee Ann"))
    found = absent(tmp_path, {"cy/work.ipynb": b"{", "bob_02.ipynb": TWO}, asked=[FIRST, SECOND])
    assert "`cy/work.ipynb`" in found["Cy", FIRST] and "`cy/work.ipynb`" in found["Cy", SECOND]
    assert found["Quinn", FIRST] == ""


def test_a_group_that_hands_in_under_its_own_name_is_told(tmp_path):
    (tmp_path / "roster.csv").write_text("Name,ID\nAda Doe,5001\nBob Roe,5002\n", encoding="utf-8")
    files = {"team_x_5001_9001_a.ipynb": ONE, "roebob_5002_9002_a.ipynb": OTHER}
    sorted_in = take_in(tree(tmp_path / "in", files), LESSONS, roster=tmp_path / "roster.csv")
    (note,) = told(sorted_in, "Handed in under another name")
    assert "Ada Doe (`team_x`)" in note and "Bob" not in note
    assert rows(sorted_in) == {("5001", FIRST): "team_x_5001_9001_a.ipynb", ("5002", FIRST): "roebob_5002_9002_a.ipynb"}


@pytest.mark.parametrize(
    "names",
    [["jane_doe_3_2026_x", "tom_roe_3_2026_x"], ["jane_doe_3_777_x", "tom_roe_3_777_x"], ["a_b_3_777_x", "roe", "doe"]],
)
def test_a_name_with_underscores_is_canvass_only_where_the_shelf_is(names, tmp_path):
    sorted_in = taken(tmp_path, {f"{name}.ipynb": book(PI, f"n = {name!r}") for name in names})
    assert {student for student, _ in rows(sorted_in)} == set(names)


def test_what_is_imported_is_part_of_what_was_handed_in(tmp_path):
    digests = set()
    for text in (b"n = 1", b"n = 2"):
        sorted_in = taken(
            tmp_path, {"ada/x.ipynb": book("import helpers", PI), "ada/helpers.py": text, "bob/x.ipynb": ONE}
        )
        digests.add(next(iter(sorted_in.choices)).submission.beside)
    assert len(digests) == 2 and "" not in digests
