"""What a class misunderstood: counted by hand for five, and once more by other libraries for a class of 120."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from grade_class import HOSTILE
from made_class import COURSE, LESSONS, counterexample, graded, mark, result, the_class

from jaxcourse.cli import main
from jaxcourse.prediction import Prediction
from jaxcourse_grade import _analyse, analysis
from jaxcourse_grade._records import Decision, Mark, Result
from jaxcourse_grade.analysis import COLUMNS, KnownExercise, MistakeCount, Question, Row, _items

LESSON = "10_memory_layout"
A, B, C = "predict-strides", "flat-view", "madhava-pi"
COUNTED, COPIED, LOOPS = (
    mark(A, "wrong", "counted-elements", "You counted steps in elements."),
    mark(B, "wrong", "copied", "Your view is a copy."),
    mark(C, "wrong", "loops", "Python does the work."),
)


def five() -> list[Result]:
    """Ada passes all; Bob and Cy loop, Cy copies, too; Dot counts elements, and leaves B out; Eve hands in nothing."""
    nothing = [mark(name, "missing", "missing", "Nothing was handed in.") for name in (A, B, C)]
    return [
        result("ada", LESSON, [mark(A), mark(B), mark(C)]),
        result("bob", LESSON, [mark(A), mark(B), LOOPS]),
        result("cy", LESSON, [mark(A), COPIED, LOOPS]),
        result("dot", LESSON, [COUNTED, mark(B, "not_attempted"), LOOPS]),
        result("eve", LESSON, nothing, "missing"),
    ]


def again() -> list[Result]:
    """A second hand-in: Bob has mended his loop, Cy has not, and Dot hands in nothing."""
    ada, bob, cy, dot, eve = five()
    nothing = tuple(replace(one, status="missing") for one in dot.marks)
    return [ada, result("bob", LESSON, ada.marks), cy, replace(dot, status="missing", marks=nothing), eve]


def rows(*runs: Sequence[Result]) -> list[Row]:
    known = analysis.known_exercises(COURSE, [LESSON])
    each = [(place, one) for place, run in enumerate(runs, 1) for one in run]
    return analysis.with_last(
        row for place, one in each for row in analysis.rows(one, one.student, place=place, known=known)
    )


# -- five, by hand ----------------------------------------------------------------------------------------------


def test_difficulty_of_five() -> None:
    counts = {item.exercise: (item.handed_in, item.attempted, item.passed) for item in analysis.items(rows(five()))}
    assert counts == {A: (4, 4, 3), B: (4, 3, 2), C: (4, 4, 1)}
    item = {item.exercise: item for item in analysis.items(rows(five()))}[B]
    assert item.of_attempted == 2 / 3 and item.of_handed_in == 2 / 4


def test_discrimination_of_five(monkeypatch: pytest.MonkeyPatch) -> None:
    """A was passed by 1, 1, 1, 0; of B and C these passed 1, 1/2, 0, 0: 0.375 / sqrt(0.75 · 0.6875) = 0.5222."""
    monkeypatch.setattr(_items, "FEW", 4)
    assert _items.discrimination(A, rows(five())) == (pytest.approx(0.5222, abs=5e-5), 4)


def test_discrimination_is_not_said_of_few_or_where_all_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _items.discrimination(A, rows(five())) == (None, 4)
    monkeypatch.setattr(_items, "FEW", 2)
    alike = [result(name, LESSON, [mark(A), mark(B, *more)]) for name, more in (("ada", ()), ("bob", ("wrong",)))]
    assert _items.discrimination(A, rows(alike)) == (None, 2)
    assert _items.discrimination(A, rows([result("ada", LESSON, [mark(A)])])) == (None, 0)


def test_mistakes_of_five_over_two_hand_ins() -> None:
    """Dot's first hand-in is her last: who hands in nothing has mended nothing."""
    found = {one.label: one for one in analysis.mistakes(rows(five(), again()))}
    who = {label: (sorted(one.made), sorted(one.still), sorted(one.again)) for label, one in found.items()}
    assert who == {
        "loops": (["bob", "cy", "dot"], ["cy", "dot"], ["cy"]),
        "copied": (["cy"], ["cy"], ["cy"]),
        "counted-elements": (["dot"], ["dot"], []),
    }
    assert next(iter(found)) == "loops" and found["loops"].message == "Python does the work."


def test_ideas_of_five() -> None:
    """Strides and views train *Bytes*; Cy erred in one of them, and Dot in the other."""
    found = rows(five(), again())
    ideas = {one.idea: one for one in analysis.by_idea(found, analysis.mistakes(found))}
    counts = {name: (one.exercises, one.attempted, one.made, one.still) for name, one in ideas.items()}
    assert counts == {
        "Bytes, strides and order": (2, 4, 2, 2),
        "Views, copies and sharing": (1, 3, 1, 1),
        "Loops as arrays": (1, 4, 3, 2),
    }


def test_the_lesson_of_five() -> None:
    """Shares 0, 1/3, 1 and 1: half reach 2/3, and the quartiles are 1/4 and 1. Of twelve answers, eleven were tried."""
    (lesson,) = analysis.trend(rows(five(), again()))
    assert (lesson.students, lesson.handed_in, lesson.stuck) == (5, 4, 1)
    assert lesson.shares == pytest.approx((0, 1 / 3, 1, 1)) and lesson.attempted == pytest.approx(11 / 12)
    assert lesson.median == pytest.approx(2 / 3) and lesson.middle_half == pytest.approx((1 / 4, 1))


def test_who_is_stuck_of_five() -> None:
    """Cy passed one of three. Dot passed none of two, which is too few to say."""
    (one,) = analysis.stuck_students(rows(five()))
    assert (one.student, one.passed, one.attempted) == ("cy", 1, 3)
    assert [row.mark.label for row in one.failed] == ["copied", "loops"]


def test_who_is_excused_counts_nowhere() -> None:
    excused = [one.with_decisions({"": Decision(excused=True)}) if one.student == "cy" else one for one in five()]
    found = rows(excused)
    assert not analysis.stuck_students(found) and {item.handed_in for item in analysis.items(found)} == {3}
    assert "cy" not in {who for one in analysis.mistakes(found) for who in one.made}
    without_one = [one.with_decisions({C: Decision(excused=True)}) for one in five()]
    assert {item.exercise: item.handed_in for item in analysis.items(rows(without_one))} == {A: 4, B: 4, C: 0}


# -- slides -----------------------------------------------------------------------------------------------------


def made(*marks: Mark) -> list[MistakeCount]:
    return analysis.mistakes(rows([result(f"s{i}", LESSON, [one]) for i, one in enumerate(marks)]))


def test_a_question_is_made_of_what_answers_gave_for_the_same_input() -> None:
    off = [mark(B, "wrong", label, counterexample("Off.", got)) for label, got in (("kept", 1.5), ("one", 1.0))]
    elsewhere = mark(B, "wrong", "two", counterexample("Off.", 7.0, by=2.0))
    slides = analysis.slides(made(off[0], off[0], off[1], elsewhere))
    question = slides[0].question
    assert question and question.asks == "What should `centred(x)` return here?" and "[1.5, 2.5, 4.0]" in question.given
    assert question.choices == ("[0.0, 1.0, 2.5]", "[1.0, 2.0, 3.5]", "[1.5, 2.5, 4.0]")
    assert question.choices[question.right] == "[0.0, 1.0, 2.5]"
    assert not any("**" in text for text in (question.given, *question.choices))


def test_a_slide_shows_a_counterexample_if_anybody_got_one() -> None:
    bare, shown = mark(B, "wrong", "kept", "Off."), mark(B, "wrong", "kept", counterexample("Off.", 1.5))
    (slide,) = analysis.slides(made(bare, bare, shown))
    assert slide.message == shown.message and slide.question
    (slide,) = analysis.slides(made(bare, bare))
    assert slide.message == "Off." and slide.question is None


def test_three_slides_and_none_of_exceptions() -> None:
    errors = [mark(A, "error", "ValueError", "No.")] * 9
    wrong = [mark(name, "wrong", f"{name}-{k}", "Look.") for name in (A, B) for k in range(3) for _ in range(k + 1)]
    slides = analysis.slides(made(*errors, *wrong))
    assert [slide.made.label for slide in slides] == [f"{A}-2", f"{B}-2", f"{A}-1"]


@pytest.mark.parametrize("stem", LESSONS)
def test_of_a_prediction_one_choice_is_right_and_the_others_are_what_its_check_lists(stem: str) -> None:
    asked = 0
    for name, exercise in COURSE.lesson(stem).exercises.items():
        if not isinstance(check := exercise.check, Prediction):
            continue
        for label in dict.fromkeys(wrong.label for wrong in check.wrongs(name)):
            (slide,) = analysis.slides(made(mark(name, "wrong", label, "Look.")), lambda name: check)
            assert slide.question, (name, label)
            assert_one_is_right(slide.question, check, name)
            asked += 1
    assert asked > 5


def assert_one_is_right(question: Question, check: Prediction, name: str) -> None:
    """The right choice is an entry of the right answer; each wrong one stands in a listed wrong answer, and nowhere in
    a right one."""
    listed = [check.table(wrong.answer) for wrong in check.wrongs(name)]
    right = check.table(check.right)
    at = [key for key in right if repr(right[key]) == question.choices[question.right] and says(question, key)]
    assert len(question.choices) == len(set(question.choices)) >= 2 and at
    for i, text in enumerate(question.choices):
        if i != question.right:
            assert any(repr(table[at[0]]) == text and not check.accepts(at[0], table[at[0]]) for table in listed)


def says(question: Question, key: object) -> bool:
    shown = f"entry {key + 1}?" if isinstance(key, int) else f"`{key}`" if key else ""
    return shown in question.asks or f"`{key}`" in question.asks


def test_a_prediction_that_the_course_has_no_more_is_no_fault() -> None:
    assert analysis.prediction_of(COURSE, "not-there") is None
    assert analysis.prediction_of(COURSE, C) is None
    assert isinstance(analysis.prediction_of(COURSE, A), Prediction)


# -- a class of 120 ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    place = tmp_path_factory.mktemp("years")
    first, second = the_class()
    before, _ = the_class(3, 40, LESSONS[:2])
    each = {"2025/grades": before, "2026/grades-1": first, "2026/grades-2": second}
    return [str(graded(place / name, results)) for name, results in each.items()]


@pytest.fixture(scope="module")
def out(folders: list[str]) -> Path:
    told: list[str] = []
    written = _analyse.analyse(folders, COURSE, told.append)
    assert told[0].startswith("Terms, each with its runs, the latest last: 2025 (grades); 2026 (grades-1, grades-2).")
    assert [path.name for path in written] == ["analysis.csv", "analysis.html"]
    return written[0].parent


@pytest.fixture(scope="module")
def frame(out: Path) -> pd.DataFrame:
    return pd.read_csv(out / "analysis.csv")


@pytest.fixture(scope="module")
def today(out: Path) -> list[Row]:
    """The rows of the last term, as they are counted."""
    first, second = the_class()
    known = analysis.known_exercises(COURSE, LESSONS)
    return analysis.with_last(
        row
        for place, run in enumerate((first, second), 1)
        for one in run
        for row in analysis.rows(one, one.student, place=place, known=known)
    )


def test_the_table_has_a_row_for_each_mark(frame: pd.DataFrame) -> None:
    asked = sum(len(COURSE.exercises()[stem]) for stem in LESSONS)
    first = frame[(frame.term == 2026) & (frame.place == 1)]
    assert len(first) == 120 * asked and first.student.nunique() == 120
    assert len(frame[(frame.term == 2026) & (frame["last"] == 1)]) == 120 * asked


def test_difficulty_and_discrimination_are_those_of_pandas_and_numpy(frame: pd.DataFrame, today: list[Row]) -> None:
    last = frame[(frame.term == 2026) & (frame["last"] == 1) & (frame.handed_in == 1)]
    items = analysis.items(today)
    assert len(items) == last.exercise.nunique()
    for item in items:
        own = last[last.exercise == item.exercise]
        assert (item.handed_in, item.attempted, item.passed) == (len(own), own.attempted.sum(), own.passed.sum())
        table = last[last.lesson == item.lesson].pivot(index="student", columns="exercise", values="passed")
        rest = table.drop(columns=item.exercise).mean(axis=1)
        assert item.discrimination == pytest.approx(np.corrcoef(table[item.exercise], rest)[0, 1])
    assert max(item.discrimination or 0 for item in items) > 0.3  # ability was put in


def test_mistakes_are_those_that_polars_counts(out: Path, today: list[Row]) -> None:
    frame = pl.read_csv(out / "analysis.csv").filter(pl.col("term") == 2026, pl.col("attempted") == 1)
    wrong = frame.filter(pl.col("passed") == 0).group_by("exercise", "status", "label")
    counted = wrong.agg(
        pl.col("student").n_unique().alias("made"),
        pl.col("student").filter(pl.col("last") == 1).n_unique().alias("still"),
    )
    own = {(one.exercise, one.status, one.label): (len(one.made), len(one.still)) for one in analysis.mistakes(today)}
    assert own == {(row[0], row[1], row[2]): (row[3], row[4]) for row in counted.rows()}


def test_lessons_and_the_stuck_are_those_of_pandas(frame: pd.DataFrame, today: list[Row]) -> None:
    last = frame[(frame.term == 2026) & (frame["last"] == 1) & (frame.handed_in == 1)]
    for lesson in analysis.trend(today):
        own = last[last.lesson == lesson.lesson].groupby("student")
        shares = own.passed.mean()
        assert lesson.handed_in == len(shares) and lesson.median == pytest.approx(shares.median())
        assert lesson.middle_half == pytest.approx((shares.quantile(0.25), shares.quantile(0.75)))
        sums = own[["passed", "attempted"]].sum()
        assert lesson.stuck == ((sums.attempted >= 3) & (2 * sums.passed < sums.attempted)).sum() > 0


def test_ideas_are_those_of_pandas(frame: pd.DataFrame, today: list[Row]) -> None:
    tried = frame[(frame.term == 2026) & (frame.attempted == 1)]
    tried = tried.assign(idea=tried.ideas.str.split("; ")).explode("idea")
    wrong = tried[tried.passed == 0]
    for one in analysis.by_idea(today, analysis.mistakes(today)):
        of = wrong[wrong.idea == one.idea]
        assert one.attempted == tried[tried.idea == one.idea].student.nunique()
        assert (one.made, one.still) == (of.student.nunique(), of[of["last"] == 1].student.nunique())


def test_the_page_says_these_numbers(out: Path, today: list[Row]) -> None:
    page = Page((out / "analysis.html").read_text("utf-8"))
    for one in analysis.mistakes(today)[:20]:
        cells = [one.known.numbered_title, one.label, *(str(len(who)) for who in (one.made, one.still, one.again))]
        assert cells in [row[:5] for row in page.rows]
    for item in analysis.items(today):
        (row,) = [row for row in page.rows if row[0] == item.known.numbered_title and len(row) == 7]
        assert row[1:3] == [str(item.handed_in), str(item.attempted)] and row[3].startswith(f"{item.passed}: ")
    assert page.text.count("is right.") == 3


# -- the table's columns ----------------------------------------------------------------------------------------

STABLE = {
    **{"schema": "int64", "term": "str", "run": "str", "place": "int64", "last": "int64", "student": "str"},
    **{"key": "str", "name": "str", "lesson": "str", "exercise": "str", "number": "str", "title": "str"},
    **{"ideas": "str", "handed_in": "int64", "attempted": "int64", "passed": "int64", "excused": "int64"},
    **{"status": "str", "label": "str", "points": "float64", "out_of": "float64"},
}
"""The columns of schema 1. Others read them: a change of a name, a type or a meaning raises `SCHEMA`."""


def test_the_columns_are_stable(tmp_path: Path) -> None:
    assert analysis.SCHEMA == 1
    types = {int: "int64", str: "str", float: "float64"}
    assert [(name, types[kind]) for name, kind in COLUMNS.items()] == [*STABLE.items()]
    _analyse.analyse([str(graded(tmp_path / "class" / "grades", five()))], COURSE, print, names=True)
    text = (tmp_path / "class/analysis/analysis.csv").read_text("utf-8-sig")
    (head, *lines) = csv.reader(text.splitlines())
    assert head == [*STABLE] and len(lines) == 15
    for line in lines:
        for (name, kind), cell in zip(COLUMNS.items(), line, strict=True):
            assert kind(cell) == kind(cell) and (cell or name == "label"), name
    assert {row[0] for row in lines} == {"1"}


def test_the_guide_says_what_each_column_holds() -> None:
    guide = (COURSE.root / "book/for_instructors.md").read_text("utf-8")
    part = guide.partition("(teach-analyse-columns)=")[2].partition("\n(teach-")[0]
    words = {int: "whole number", str: "text", float: "number"}
    told = re.findall(r"^\| `(\w+)` \| ([\w ]+?) \|", part, re.MULTILINE)
    assert told == [(name, words[kind]) for name, kind in COLUMNS.items()]
    assert f"schema {analysis.SCHEMA}" in part.lower()


# -- who sees it ------------------------------------------------------------------------------------------------


def test_nobody_is_named_unless_asked_for(tmp_path: Path) -> None:
    folder = str(graded(tmp_path / "class" / "grades", five()))
    for names in (False, True):
        for path in _analyse.analyse([folder], COURSE, print, out=tmp_path / "out", names=names):
            said = {name for name in ("Ada", "Cy", "ada", "cy") if re.search(rf"\b{name}\b", path.read_text("utf-8"))}
            everybody = {"Ada", "Cy", "ada", "cy"} if path.suffix == ".csv" else {"Cy"}
            assert said == (everybody if names else set())


def test_what_one_student_raised_is_not_for_the_room(tmp_path: Path) -> None:
    error = mark(A, "error", "ValueError", "Your code raised `ValueError`: Ada was here.")
    folder = graded(tmp_path / "grades", [result(name, LESSON, [error]) for name in ("bob", "cy")])
    for names in (False, True):
        _, page = _analyse.analyse([str(folder)], COURSE, print, names=names)
        assert ("Ada was here" in page.read_text("utf-8")) == names


def test_other_names_stay_and_their_order_is_not_that_of_names(tmp_path: Path) -> None:
    folder, many = tmp_path / "grades", [result(f"s{i:02}", LESSON, [mark(A)]) for i in range(30)]
    graded(folder, many)
    order = []
    for _ in range(2):
        _analyse.analyse([str(folder)], COURSE, print, out=tmp_path / "out", names=True)
        frame = pd.read_csv(tmp_path / "out/analysis.csv")
        order.append([*zip(frame.student, frame.key, strict=True)])
    assert order[0] == order[1] and [key for _, key in order[0]] != sorted(key for _, key in order[0])
    _analyse.analyse([str(folder)], COURSE, print, out=tmp_path / "other", names=True)
    assert not set(pd.read_csv(tmp_path / "other/analysis.csv").student) & set(frame.student)


def test_what_is_written_is_closed_and_hidden(tmp_path: Path) -> None:
    _analyse.analyse([str(graded(tmp_path / "grades", five()))], COURSE, print)
    place = tmp_path / "analysis"
    assert place.stat().st_mode & 0o777 == 0o700 and (place / ".gitignore").read_text().endswith("*\n")


# -- odd folders ------------------------------------------------------------------------------------------------


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """What the command says where it can't do its work."""
    assert main(["--course", str(COURSE.root), "analyse", *map(str, arguments)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("jaxcourse: ") and said.count("\n") == 1
    return said


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = graded(tmp_path / "class" / "grades", five())
    assert main(["--course", str(COURSE.root), "analyse", f"autumn={folder}", "--title", "Week 3"]) == 0
    assert capsys.readouterr().out.startswith("Written: ")
    page = (tmp_path / "class/analysis/analysis.html").read_text("utf-8")
    assert "<title>Week 3</title>" in page and "<dt>autumn</dt>" in page


def test_folders_that_are_none_are_refused_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"there is no folder {tmp_path / 'nowhere'}" in refused(capsys, tmp_path / "nowhere")
    (empty := tmp_path / "empty").mkdir()
    assert f"there is no {empty / 'grades.json'}" in refused(capsys, empty)
    assert "nobody was graded there" in refused(capsys, graded(tmp_path / "nobody", []))
    folder = graded(tmp_path / "grades", five())
    assert "is named twice" in refused(capsys, folder, f"2026={folder}/../grades")
    (tmp_path / "a file").write_text("")
    assert "a file" in refused(capsys, folder, "--out", tmp_path / "a file")
    assert not (tmp_path / "analysis").exists()


def test_a_broken_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = graded(tmp_path / "grades", five())
    index, kept = folder / "grades.json", folder / "results" / f"cy--{LESSON}.json"
    for path in (index, kept):
        whole = path.read_text()
        for broken in (whole[: len(whole) // 2], "[]", "{}", "null", '{"schema": 3, "results": [7], "marks": 7}', ""):
            path.write_text(broken)
            assert str(path) in refused(capsys, folder)
        path.write_text(json.dumps(json.loads(whole) | {"schema": 2}))
        assert str(path) in refused(capsys, folder)
        path.write_bytes(b"\xff\xfe")
        assert f"{path} is damaged (UnicodeDecodeError" in refused(capsys, folder)
        path.write_text(whole)
    changed = json.loads(kept.read_text())
    changed["marks"][0]["status"] = "wrong"
    kept.write_text(json.dumps(changed))
    assert f"{kept} is of another run" in refused(capsys, folder)
    kept.unlink()
    assert f"{kept} is missing" in refused(capsys, folder)


@pytest.mark.parametrize("who", [0, 4], ids=["one who passed all", "one who handed in nothing"])
def test_one_student(who: int, tmp_path: Path) -> None:
    table, page = _analyse.analyse([str(graded(tmp_path / "grades", [five()[who]]))], COURSE, print)
    assert len(pd.read_csv(table)) == 3
    text = Page(page.read_text("utf-8")).text
    assert "Nobody made a mistake that a check has words for." in text and "1 student, 1 run" in text


def test_a_lesson_that_some_runs_have_not(tmp_path: Path) -> None:
    other = [result("ada", LESSONS[1], [mark("broadcast-rule")]), result("unknown", "", [], "unreadable")]
    folders = [graded(tmp_path / "term" / "one", five()), graded(tmp_path / "term" / "two", other)]
    table, _ = _analyse.analyse([*map(str, folders)], COURSE, print)
    frame = pd.read_csv(table)
    assert len(frame) == 16 and set(frame["last"]) == {1} and [*frame.place.unique()] == [1, 2]


def test_names_of_before_are_those_of_today(tmp_path: Path) -> None:
    """A run of before the course moved its lessons is counted with one of today."""
    old = [replace(one, lesson="01_memory_layout") for one in five()]
    folders = [str(graded(tmp_path / "term" / "old", old)), str(graded(tmp_path / "term" / "new", again()))]
    told: list[str] = []
    table, _ = _analyse.analyse(folders, COURSE, told.append)
    frame = pd.read_csv(table)
    assert set(frame.lesson) == {LESSON} and (frame["last"] == 1).sum() == 15 and len(told) == 1


def test_an_exercise_that_is_gone_is_counted_and_said(tmp_path: Path) -> None:
    gone = [result("ada", LESSON, [mark("no-more", "wrong", "odd", "Odd."), mark(A)])]
    told: list[str] = []
    table, _ = _analyse.analyse([str(graded(tmp_path / "grades", gone))], COURSE, told.append)
    assert told == ["Not in the course of today, and counted without an idea: no-more."]
    row = pd.read_csv(table).set_index("exercise").loc["no-more"]
    assert row.title == "No more" and pd.isna(row.number) and pd.isna(row.ideas)


def test_what_a_teacher_excused_is_read_from_the_reports(tmp_path: Path) -> None:
    """Results are kept as they were graded; decisions stand over them, in the reports."""
    folder = graded(tmp_path / "grades", five())
    path = folder / "grades.json"
    index = json.loads(path.read_text())
    next(one for one in index["results"] if one["student"] == "cy")["decision"] = "excused"
    path.write_text(json.dumps(index))
    table, _ = _analyse.analyse([str(folder)], COURSE, print, names=True)
    frame = pd.read_csv(table)
    assert set(frame[frame.excused == 1].key) == {"cy"} and len(frame[frame.excused == 1]) == 3
    assert not frame.loc[frame.excused == 1, ["handed_in", "points", "out_of"]].any(axis=None)


# -- the page ---------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """A page taken apart: its tags, the cells of its tables' rows, its text; every element must be closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.rows: list[list[str]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))
        if tag not in ("meta", "br", "rect", "path"):
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data
            if {"td", "th"} & {*self.open} and "table" in self.open:
                self.rows[-1][-1] += data


def test_the_page_runs_nothing_and_its_headings_are_in_order(out: Path) -> None:
    text = (out / "analysis.html").read_text("utf-8")
    page = Page(text)
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in page.tags}
    assert "default-src 'none'" in text and "http://" not in text.replace("http://www.w3.org", "")
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and all(after <= before + 1 for before, after in zip(levels, levels[1:], strict=False))


@pytest.mark.parametrize("text", [one for one in HOSTILE if len(one) < 1000])
def test_a_hostile_text_changes_nothing_of_the_page(text: str, tmp_path: Path) -> None:
    def tags(said: str) -> list[tuple[str, tuple[str, ...]]]:
        marks = [mark(A, "wrong", said, said), mark(B, "wrong", said, said), mark(C, "wrong", said, said)]
        two = [replace(result(name, LESSON, marks), name=said) for name in ("ada", "bob")]
        graded(tmp_path / "grades", two)
        _, page = _analyse.analyse([str(tmp_path / "grades")], COURSE, print, names=True)
        return Page(page.read_text("utf-8")).tags

    assert tags("x" + text.replace("`", "'").replace("*", "'").replace("\n", " ").replace("\r", " ")) == tags("x")


def test_the_page_of_the_class_has_ideas_and_what_tells_students_apart(tmp_path: Path) -> None:
    from jaxcourse_grade import intake, reports

    first, _ = the_class(students=30, lessons=LESSONS[:1])
    known = analysis.known_exercises(COURSE, LESSONS[:1])
    reports.write(first, tmp_path, title="A class", lessons=intake.Taught.of(COURSE), known=known)
    page = Page((tmp_path / "class.html").read_text("utf-8"))
    found = [row for one in first for row in analysis.rows(one, one.student, known=known)]
    item = next(one for one in analysis.items(found) if one.exercise == C)
    assert item.discrimination is not None
    (row,) = [row for row in page.rows if len(row) == 5 and row[0].endswith(C)]
    assert row[2] == f"{item.discrimination:.2f}, {item.apart}".replace("-", "−")
    ideas = analysis.by_idea(found, analysis.mistakes(found))
    for one in ideas:
        assert [one.idea, str(one.attempted)] in [row[:2] for row in page.rows]


def test_an_unknown_exercise_has_no_number() -> None:
    assert KnownExercise("Strides").numbered_title == "Strides"


def test_the_guide_reads_the_table(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    guide = (COURSE.root / "book/for_instructors.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(import polars.*?)```", guide, re.DOTALL)
    monkeypatch.chdir(out.parent)
    exec(code, {})
    assert "passed" in capsys.readouterr().out
