"""Reports for spreadsheets, platforms and programs: what was written is read again, whatever a submission says."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest
from grade_class import HOSTILE, LESSONS, STATUSES, mark, result, the_class
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxcourse_grade._records import Decision, Result
from jaxcourse_grade._store import atomic_write, slug
from jaxcourse_grade.reports import _machines, _tables, gradescope, write
from jaxcourse_grade.reports._entry import Entry, entry, in_order, printable
from jaxcourse_grade.reports._facts import facts
from jaxcourse_grade.reports._words import verdict

ANYTHING = st.text(st.characters(), min_size=1, max_size=60) | st.sampled_from([text[:4000] for text in HOSTILE])
"""Also surrogates, which no file can hold."""


@pytest.fixture(scope="module")
def results() -> list[Result]:
    return the_class()


@pytest.fixture(scope="module")
def entries(results: list[Result]) -> list[Entry]:
    return in_order(results)


def rows_of(text: str) -> list[dict[str, str]]:
    assert text.startswith("\ufeff") and "\ufeff" not in text[1:]
    return list(csv.DictReader(io.StringIO(text[1:], newline=""), strict=True))


# -- texts and files


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain text,\n\ttwo lines", "plain text,\n\ttwo lines"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x07", "link"),
        ("\x1b[", "\\x1b["),
        ("nul\x00bell\x07", "nul\\x00bell\\x07"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("e" + "\u0301" * 900, "e" + "\u0301" * 3),
        ("ñ 日本 😀", "ñ 日本 😀"),
    ],
)
def test_what_is_hidden_is_spelt_out(text: str, seen: str) -> None:
    assert printable(text) == seen


@given(st.text(st.characters(), max_size=400), st.integers(1, 200))
def test_every_text_can_be_shown(text: str, limit: int) -> None:
    seen = printable(text, limit)
    odd = [c for c in seen if unicodedata.category(c) in ("Cc", "Cf", "Cn", "Cs", "Zl", "Zp")]
    assert set(odd) <= set("\n\t\u200c\u200d")
    seen.encode()
    assert len(seen) <= limit + len(" … (1,600 characters in all)")


def test_a_class_in_memory_has_no_code_and_few_notes(entries: list[Entry]) -> None:
    assert not any(found.code for item in entries for found in item.result.marks)
    kept = entry(result("ada", "01_toy", (), notes=tuple(map(str, range(1000))))).result.notes
    assert len(kept) == 51 and kept[-1] == "… and 950 more"


def test_a_long_text_says_how_long_it_is() -> None:
    assert printable("x" * 1_000_000, 5) == "xxxxx … (1,000,000 characters in all)"


@given(st.lists(st.text(st.characters(), max_size=80) | st.from_regex(r"[a-zA-Z0-9._-]{0,70}"), unique=True))
def test_no_two_students_share_a_file(keys: list[str]) -> None:
    names = [slug(key) for key in keys]
    assert len({name.casefold() for name in names}) == len(keys)
    assert all(re.fullmatch(r"[a-z0-9]+([._-]+[a-z0-9]+)*", name) and len(name) <= 60 for name in names)


@pytest.mark.parametrize("key", ["..", "", "a/b", "con", "nul.txt", "Ö", "x" * 5000, ".hidden", "a.", "-o", "\0"])
def test_no_key_is_a_dangerous_file_name(key: str) -> None:
    assert re.fullmatch(r"[a-z0-9-]+-[0-9a-f]{16}", slug(key))


def test_no_key_takes_the_name_that_another_is_given() -> None:
    assert slug(slug("Ada")) != slug("Ada")


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.csv"
    atomic_write(path, "a\r\nb\n")
    assert path.read_bytes() == b"a\r\nb\n"
    (path.parent / ".file.csv.part").write_text("what a killed run left behind")
    atomic_write(path, "ü")
    assert path.read_text("utf-8") == "ü" and list(path.parent.iterdir()) == [path]


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "file"
    atomic_write(path, "old")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        atomic_write(path, "new")
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


# -- tables


def test_grades_have_a_row_for_every_result_and_no_empty_verdict(results: list[Result], entries: list[Entry]) -> None:
    rows = rows_of(_tables.grades(entries, {}))
    assert len(rows) == len(results)
    verdicts = [name for names in LESSONS.values() for name in names]
    for row in rows:
        assert all(row[name] and row[f"{name} status"] for name in verdicts)
        assert all(row[name] for name in ("student", "name", "lesson", "status", "points", "out_of", "percent"))
        assert sum(float(row[name]) for name in verdicts if row[name] != "n/a") == float(row["points"])
    other = next(row for row in rows if row["lesson"] == "02_views_and_copies")
    assert other["row-strides"] == other["row-strides status"] == "n/a" != other["trim"]


def test_grades_say_what_each_result_says() -> None:
    marks = (mark("a", "passed"), mark("b", "wrong"), mark("c", "timeout"))
    half = replace(mark("d", "wrong"), points=0.25, label="")
    (row,) = rows_of(_tables.grades(in_order([result("ada", "01_toy", (*marks, half))]), {"ada": {"section": "B"}}))
    told = {name: row[name] for name in ("student", "section", "points", "out_of", "percent", "a", "d", "reason")}
    assert told == {
        "student": "ada",
        "section": "B",
        "points": "1.25",
        "out_of": "4",
        "percent": "31.2",
        "a": "1",
        "d": "0.25",
        "reason": "",
    }
    assert [row[f"{name} status"] for name in "abcd"] == ["passed", "wrong: counted-elements", "timeout", "wrong"]


def test_an_exercise_without_a_mark_is_not_graded() -> None:
    unread = result("eve", "01_toy", (), status="unreadable", reason="It is empty.")
    rows = rows_of(_tables.grades(in_order([result("ada", "01_toy", (mark("a", "passed"),)), unread]), {}))
    eve = next(row for row in rows if row["student"] == "eve")
    assert (eve["a"], eve["a status"], eve["percent"], eve["reason"]) == ("0", "unreadable", "0", "It is empty.")


def test_marks_have_everything_but_the_code(results: list[Result], entries: list[Entry]) -> None:
    rows = rows_of(_tables.marks(entries))
    assert len(rows) == sum(len(item.marks) or 1 for item in results)
    honest = next(item for item in results if item.student == "student_03" and item.lesson == "01_memory_layout")
    mine = [row for row in rows if row["student"] == "student_03" and row["lesson"] == "01_memory_layout"]
    for row, found in zip(mine, honest.marks, strict=True):
        kept = (
            "exercise",
            "title",
            "status",
            "label",
            "message",
            "section",
            "address",
            "called",
            "returned",
        )
        assert [row[name] for name in kept] == [getattr(found, name) for name in kept]
        assert (float(row["points"]), float(row["out_of"])) == (found.points, found.out_of)
    assert not any("def row_strides" in cell for row in mine for cell in row.values())


@pytest.mark.parametrize("report", [lambda e: _tables.grades(e, {}), _tables.marks])
def test_no_cell_is_a_formula(report, entries: list[Entry]) -> None:  # type: ignore[no-untyped-def]
    text = report(entries)
    cells = [cell for row in csv.reader(io.StringIO(text[1:], newline="")) for cell in row]
    assert '\'=HYPERLINK("http://evil.example","x")' in cells and "'@SUM(A1)" in cells
    assert not [cell for cell in cells if re.match(r"\s*[=+\-@]|[\t\r\n]", cell)]


def test_pandas_reads_the_tables(entries: list[Entry], tmp_path: Path) -> None:
    atomic_write(tmp_path / "grades.csv", _tables.grades(entries, {}))
    table = pd.read_csv(tmp_path / "grades.csv")
    assert table["row-strides"].isna().sum() == sum(item.result.lesson != "01_memory_layout" for item in entries)
    assert table["points"].sum() == sum(item.result.points for item in entries)


def test_the_order_of_the_results_does_not_matter(results: list[Result], tmp_path: Path) -> None:
    shuffled = random.Random(1).sample(results, len(results))
    one, other = (write(some, tmp_path / name, title="T") for some, name in ((results, "a"), (shuffled, "b")))
    assert [path.name for path in one] == [path.name for path in other]
    for mine, yours in zip(one, other, strict=True):
        assert mine.read_bytes() == yours.read_bytes()


@settings(max_examples=50, deadline=None)
@given(ANYTHING)
def test_tables_hold_any_text(text: str) -> None:
    rows = rows_of(_tables.marks(in_order([result(text, "01_toy", (mark("a", "wrong", text),), name=text)])))
    seen = printable(text)
    assert len(rows) == 1
    assert rows[0]["message"] in (seen, f"'{seen}")


# -- JSON, JUnit, Gradescope


def test_json_has_the_sums_and_the_class(results: list[Result], entries: list[Entry]) -> None:
    whole = json.loads(_machines.grades(entries, facts(entries), "T"))
    assert len(whole["results"]) == len(results)
    assert whole["class"]["results"] == {"graded": 90, "missing": 3, "unreadable": 2}
    assert whole["class"]["class_seeds"] == [20261112]
    sums = {(item["student"], item["lesson"]): item for item in whole["results"]}
    for item in results:
        if item.student.startswith("student"):
            found = sums[item.student, item.lesson]
            assert (found["points"], found["out_of"]) == (item.points, item.out_of)
            assert [m["status"] for m in found["exercises"]] == [m.status for m in item.marks]


JUNIT = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "file"},
    "properties": set[str](),
    "property": {"name", "value"},
    "testcase": {"name", "classname"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "system-out": set[str](),
}
"""The elements and attributes that Jenkins, GitLab and GitHub's actions know."""


def test_junit_is_what_servers_read(entries: list[Entry]) -> None:
    root = ElementTree.fromstring(_machines.junit(entries, '<T> & "U"').encode())
    assert (root.tag, root.get("name")) == ("testsuites", '<T> & "U"')
    assert root.get("tests") == str(len(list(root.iter("testcase"))))
    assert root.get("errors") == str(len(list(root.iter("error"))))
    for element in root.iter():
        assert set(element.attrib) <= JUNIT[element.tag]
    for suite in root:
        assert {"name", "tests", "failures", "errors"} <= set(suite.attrib)
        counted = {kind: len(suite.findall(f"testcase/{kind}")) for kind in ("failure", "error")}
        assert suite.get("tests") == str(len(suite.findall("testcase")))
        assert (suite.get("failures"), suite.get("errors")) == (str(counted["failure"]), str(counted["error"]))
        assert re.fullmatch(r"\d+\.\d+", suite.get("time", ""))


def test_nothing_is_green_that_did_not_pass(results: list[Result], entries: list[Entry]) -> None:
    root = ElementTree.fromstring(_machines.junit(entries, "T").encode())
    suites = root.findall("testsuite")
    assert len(suites) == len(results) and all(suite.findall("testcase") for suite in suites)
    green = [case for case in root.iter("testcase") if case.find("failure") is None and case.find("error") is None]
    assert len(green) == sum(found.status == "passed" for item in results for found in item.marks)


@pytest.mark.parametrize("status", STATUSES)
def test_each_status_has_its_element(status: str) -> None:
    found = mark("a", status)  # type: ignore[arg-type]
    root = ElementTree.fromstring(_machines.junit(in_order([result("ada", "01_toy", (found,))]), "T").encode())
    kinds = [child.tag for case in root.iter("testcase") for child in case]
    errors = {"error", "timeout", "memory", "crashed", "unreadable", "stumbled"}
    assert kinds == ([] if status == "passed" else ["error"] if status in errors else ["failure"])


@settings(max_examples=50, deadline=None)
@given(ANYTHING)
def test_junit_holds_any_text(text: str) -> None:
    found = result(text, text, (mark("a", "wrong", text),), source=text, notes=(text,))
    root = ElementTree.fromstring(_machines.junit([entry(found)], "T").encode())
    fault = root.find("testsuite/testcase/failure")
    assert fault is not None
    assert fault.get("message") == printable(text)[:200] and (fault.text or "").startswith(printable(text))


def test_gradescope_reads_the_result() -> None:
    found = result(
        "ada", "01_toy", tuple(mark(status, status) for status in STATUSES), notes=("One copy was set aside.",)
    )
    told = json.loads(gradescope(found))
    assert told["score"] == found.points == sum(test["score"] for test in told["tests"])
    assert [test["status"] for test in told["tests"]].count("passed") == 1
    assert [test["max_score"] for test in told["tests"]] == [float(status != "stumbled") for status in STATUSES]
    assert told["output_format"] == told["test_output_format"] == "text"
    assert told["visibility"] == "visible" and told["stdout_visibility"] == "hidden"
    assert "set aside" in told["output"] and "998877665" not in json.dumps(told)
    passed = next(test for test in told["tests"] if test["status"] == "passed")
    assert passed["output"] == "✓ passed"
    wrong = next(test for test in told["tests"] if "not yet" in test["name"])
    assert "counted in elements" in wrong["output"] and "row_strides(float64[5,3]) returned (3, 1)" in wrong["output"]


def test_gradescope_says_why_nothing_was_graded() -> None:
    told = json.loads(gradescope(result("ada", "", (), status="unreadable", reason="Which lesson is this?")))
    assert told["score"] == 0 and [test["status"] for test in told["tests"]] == ["failed"]
    assert "Which lesson" in told["output"]


@settings(max_examples=50, deadline=None)
@given(ANYTHING)
def test_gradescope_holds_any_text(text: str) -> None:
    told = json.loads(gradescope(result(text, "01_toy", (mark("a", "wrong", text),), notes=(text,))))
    assert printable(text) in told["tests"][0]["output"]


def test_where_the_grader_stumbled_nothing_is_said_of_the_students_code() -> None:
    odd = mark("a", "stumbled")
    (told,) = json.loads(gradescope(result("ada", "01_toy", (odd,))))["tests"]
    assert told["status"] == "failed" and "not your fault" in told["name"] and "exception" not in told["name"]


def test_a_verdict_has_its_label() -> None:
    assert [verdict(mark("a", status)) for status in ("wrong", "passed")] == ["wrong: counted-elements", "passed"]


# -- all together


class OneAtATime:
    """Results that are made when they are asked for, as when each is read from its file."""

    def __iter__(self) -> Iterator[Result]:
        return (result(f"student_{i:04}", "01_toy", (mark("a", "wrong"),)) for i in range(20))


def test_everything_is_written(results: list[Result], tmp_path: Path) -> None:
    paths = write(results, tmp_path / "grades", title="T", notes=["ignored: __MACOSX"])
    tables = {path.name for path in paths if path.parent.name == "grades"}
    assert tables == {"grades.csv", "exercises.csv", "grades.json", "junit.xml", "class.html"}
    assert sum(path.parent.name == "feedback" for path in paths) == len({item.student for item in results})
    assert sorted(paths) == sorted(path for path in tmp_path.rglob("*") if path.is_file())


def test_results_are_read_several_times_and_one_at_a_time(tmp_path: Path) -> None:
    assert len(write(OneAtATime(), tmp_path, title="T")) == 25
    with pytest.raises(TypeError, match="gone through several times"):
        write(iter(OneAtATime()), tmp_path, title="T")


def test_a_class_of_nobody_has_reports(tmp_path: Path) -> None:
    assert [path.name for path in write([], tmp_path, title="T")][-1] == "class.html"


# -- what an earlier run left behind


def test_what_this_run_does_not_stand_behind_is_moved_aside_and_named(tmp_path: Path) -> None:
    form = tmp_path / "canvas.csv"
    form.write_text("Student,ID,Section\n    Points Possible,,\nAda,ada,\n")
    out, said = tmp_path / "out", list[str]()
    ada, bob = (result(name, "01_toy", (mark("a", "passed"),)) for name in ("ada", "bob"))
    write([ada, bob], out, title="T", canvas=form, say=said.append)
    (out / "feedback" / "mine.txt").write_text("The teacher's own.")
    assert said == []
    written = write([ada], out, title="T", say=said.append)
    moved = ["canvas.csv", "canvas_notes.txt", "feedback/bob.html"]
    why = "Moved aside, because this run does not stand behind it: earlier/"
    assert [line.removeprefix(why).rstrip(".") for line in said if line.startswith("Moved")] == moved
    assert all((out / "earlier" / name).is_file() and not (out / name).exists() for name in moved)
    assert (out / "feedback" / "mine.txt").is_file() and all(path.is_file() for path in written)
    write([ada], out, title="T", canvas=form)
    assert (out / "canvas.csv").is_file()


def test_whose_marks_have_changed_is_said_from_what_to_what(tmp_path: Path) -> None:
    marks = mark("a", "passed"), mark("b", "wrong")
    ada, bob, cy = (result(name, "01_toy", marks) for name in ("ada", "bob", "cy"))
    runs = [
        ([ada, bob], []),
        ([bob, ada], ["No marks have changed since the last run."]),
        (
            [result("ada", "01_toy", (mark("a", "wrong"), mark("b", "passed"))), cy],
            [
                "Marks that have changed since the last run: 3.",
                "  Ada (ada), 01_toy: 1 of 2 → 1 of 2 points (a 1 → 0, b 0 → 1)",
                "  Cy (cy), 01_toy: no row → 1 of 2 points",
                "  Bob (bob), 01_toy: 1 of 2 points → no row",
            ],
        ),
        (
            [ada.with_decisions({"": Decision(7)}), cy],
            [
                "Marks that have changed since the last run: 1.",
                "  Ada (ada), 01_toy: 1 of 2 → 7 of 2 points (a 0 → 1, b 1 → 0)",
            ],
        ),
    ]
    for results, expected in runs:
        said: list[str] = []
        write(results, tmp_path, title="T", say=said.append)
        assert [line for line in said if not line.startswith("Moved")] == expected
    for damaged in ("", "[]", '{"results": [{}]}'):
        (tmp_path / "grades.json").write_text(damaged)
        said = []
        write([ada], tmp_path, title="T", say=said.append)
        assert "What the last run gave cannot be compared with: grades.json is damaged." in said
