"""`ask`, which takes a prediction in a notebook: what it keeps and refuses, where it leads. Runs on every stack."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote

import numpy as np
import pytest

from jaxcourse import ask
from jaxcourse.course import Course, LessonText
from jaxcourse.notebook import _form
from jaxcourse.notebook import _verbs as verbs
from jaxcourse.notebook._predictions import NUMBER_WORDS, Field, UnreadableAnswer
from jaxcourse.notebook._record import PROGRESS_FILE, Record, Result

COURSE = Course.installed()
NUMBER, TIMES = Field("how many", "number"), Field("how much slower", "number", unit="times", never=True)
SHAPE, ROW, TRUTH = Field("", "shape"), Field("", "numbers"), Field("", "truth")
CHOICE = Field("which", "choice", ["its `value`", "its type", "nothing"])
SEVERAL, WORDS = Field("", "several", ["day 0", "day 1", "`day`, 2"]), Field("why", "text")

READ = [
    *((NUMBER, given, "3") for given in (3, np.int32(3), "3", " 3 ")),
    *((NUMBER, given, text) for given, text in ((2.5, "2.5"), (np.float32(0.5), "0.5"), ("50 GB/s", "50 GB/s"))),
    (NUMBER, np.array(7), "7"),
    *((NUMBER, given, given) for given in ("two thousand", "Twice", "three halves", "some millions")),
    *((NUMBER, given, given) for given in ("½", "1½", "twofold", "10⁹", "٣")),
    *((TIMES, given, given) for given in ("never", "Nowhere", "2x", "the same", "As long")),
    *((SHAPE, given, text) for given, text in (((3, 4), "(3, 4)"), ((3,), "(3,)"), ((), "()"), ([3, 4], "(3, 4)"))),
    *(
        (SHAPE, given, given)
        for given in ("(3, 4)", "(3,)", "()", "3, 4", "3 x 4", "3×4", "3 by 4", "3 4", "3", "a scalar")
    ),
    *((ROW, given, "0 7.5 -1") for given in ([0, 7.5, -1], (0, 7.5, -1), "0 7.5 -1")),
    (ROW, np.array([0.5, 2.0]), "0.5 2.0"),
    *((TRUTH, given, "True") for given in (True, np.True_, "true", " TRUE ")),
    *((CHOICE, given, "its `value`") for given in ("its value", "its `value`", " Its  VALUE ")),
    *((SEVERAL, given, ["day 0", "`day`, 2"]) for given in (["day, 2", "day 0"], {"DAY 0", "day, 2"})),
    (SEVERAL, "day 1", ["day 1"]),
    (WORDS, "  because ", "because"),
    (WORDS, "x" * 999, "x" * 200),
    *((WORDS, given, str(given)) for given in (3, ("a", 1))),
]
REFUSED = [
    *((NUMBER, given) for given in (True, None, [3], 3j, "many", "", "never", "the same", len, np.ones(2))),
    *((SHAPE, given) for given in (3, "(3)", "1,000", "[3, 4]", "", (3, 4.5), (3, "4"), {3: 4}, True)),
    *((ROW, given) for given in (3, [], [[1]], ["1"], "none", {1: 2}, [True])),
    *((TRUTH, given) for given in (1, "yes", "", None)),
    *((CHOICE, given) for given in ("value", "", None, 3, ["its type"])),
    *((SEVERAL, given) for given in ([], ["day 0", "day 9"], "", 3, [["day 0"]])),
    *((WORDS, given) for given in ("  ", None)),
]


@pytest.mark.parametrize(("field", "given", "kept"), READ, ids=[str(i) for i in range(len(READ))])
def test_a_prediction_is_kept_as_the_page_has_it(field, given, kept):
    assert field.read(given) == kept


def test_the_page_reads_the_same_words_as_numbers():
    file = Path(__file__).parents[2] / "book" / "_static" / "reader.js"
    if not file.exists():
        pytest.skip("the package is tested without the course's pages")
    words = re.search(r"const SMALL = .*?const singular", file.read_text(encoding="utf-8"), re.DOTALL)[0]
    texts = re.findall(r'"([a-z ]+)"', words)
    assert {*" ".join(texts).split()} - {""} | {*re.findall(r"([a-z]+): [\d1]", words)} == NUMBER_WORDS


@pytest.mark.parametrize(("field", "given"), REFUSED, ids=str)
def test_what_is_no_answer_is_refused_in_words(field, given):
    with pytest.raises(UnreadableAnswer, match="is asked for, and not") as refused:
        field.read(given)
    assert len(str(refused.value)) < 250


# -- in a session -------------------------------------------------------------------------------------------------

KEY, TWO = "ways-aa11bb", "cost-cc22dd"
FIELDS = [vars(CHOICE), vars(NUMBER)]


@pytest.fixture(autouse=True)
def session(tmp_path, monkeypatch):
    """A reader's session, in which a course of one lesson is installed, with the panels that it shows."""
    text = LessonText("https://x.org/a.html", {}, {"one": "one = 1"}, {}, predictions={KEY: FIELDS, TWO: [vars(SHAPE)]})
    shown = []
    monkeypatch.delenv("PYTEST_VERSION", raising=False)
    monkeypatch.setattr(verbs.Course, "installed", lambda: SimpleNamespace(texts={"01_a": text}))
    monkeypatch.setattr(verbs, "_record", Record(tmp_path))
    monkeypatch.setattr(verbs._panel, "show", shown.append)
    return SimpleNamespace(text=text, shown=shown, path=tmp_path / PROGRESS_FILE, folder=tmp_path)


def test_with_nothing_answered_it_says_how_to_and_keeps_nothing(session):
    for said in ((..., ...), ()):
        ask(KEY, *said)
        first, *rows = session.shown[-1].text.splitlines()
        assert first.startswith("Predict first: write what you expect in place of each of the 2 `...`")
        assert rows == ['  1. which: `"its value"`, `"its type"` or `"nothing"`', "  2. how many: a number"]
    assert not session.path.exists() and "<ol><li>which: <code>" in session.shown[-1].html


def test_an_answer_is_kept_beside_what_is_solved_and_leads_to_the_page(session):
    verbs._record.fresh["one"] = Result(True, 2)
    ask(KEY, "its value", 12)
    told = session.shown[-1]
    assert "Your prediction is kept. Now run the next cell, and compare." in told.text
    assert told.text.splitlines()[1:] == ["  1. which: its `value`", "  2. how many: 12"]
    assert json.loads(session.path.read_text()) == {
        "exercises": {"one": {"solved": True, "tries": 2}},
        "predictions": {KEY: ["its `value`", "12"]},
    }
    address = told.html.partition('href="')[2].partition('"')[0]
    assert unquote(address).replace("&amp;", "&") == (
        f'https://x.org/a.html#solved=one:2&said={{"{KEY}":["its `value`","12"]}}'
    )
    assert "right" not in told.text and "wrong" not in told.text, "the run says it, and the page"


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (("its value", ...), "Still open: 2."),
        (("its value",), "Still open: 2."),
        (("its value", 3, 4), "3 answers were given, and 2 asked for."),
        (("a value", 3), 'which: `"its value"`, `"its type"` or `"nothing"` is asked for, and not `\'a value\'`.'),
        (("its value", "many"), "how many: a number is asked for, and not `'many'`."),
    ],
)
def test_half_an_answer_is_none(session, said, problem):
    ask(KEY, *said)
    assert session.shown[-1].text.splitlines()[0] == problem and not session.path.exists()


def test_what_was_said_is_there_in_the_next_session_and_can_be_changed(session):
    ask(TWO, (3, 4))
    again = Record(session.folder)
    verbs._record.predicted.clear()
    ask(TWO, ...)
    assert "1. (3, 4)" in session.shown[-1].text and "kept" in session.shown[-1].text
    ask(TWO, (4, 3))
    assert again.predictions() == {TWO: ["(4, 3)"]}


def test_a_verdict_keeps_what_was_predicted_and_takes_it_along(session, tmp_path):
    ask(TWO, (3, 4))
    record = Record(session.folder)
    record.note(SimpleNamespace(exercise="one", status="passed", label=""), keep=True)
    assert record.predictions() == {TWO: ["(3, 4)"]} and record.results() == {"one": Result(True, 1)}
    assert "#solved=one&amp;said=" in verbs._panel._to_page(session.text, record.results(), record.predictions())
    panel = verbs._panel.of_progress({"01_a": session.text}, {}, session.path, record.predictions())
    assert "#solved=&amp;said=" in panel.html


def test_a_file_from_before_is_read_and_one_with_other_predictions_is_damaged(session):
    session.path.write_text('{"exercises": {"one": {"solved": true, "tries": 1}}}')
    assert Record(session.folder).results() == {"one": Result(True, 1)} and not Record(session.folder).predictions()
    for damaged in ('{"a": "text"}', '{"a": [3]}', "[]", '{"a": [["b", 1]]}'):
        session.path.write_text(f'{{"exercises": {{}}, "predictions": {damaged}}}')
        assert (
            Record(session.folder).predictions() == {} and session.path.with_name(f"{PROGRESS_FILE}.damaged").exists()
        )


def test_a_question_of_another_edition_stops_nothing(session):
    for key in ("gone-ffffff", None, ["x"]):
        ask(key, ...)
        assert "this notebook is of another edition. Go on without it." in session.shown[-1].text


def test_a_test_runner_and_the_build_of_the_site_keep_nothing(session, monkeypatch):
    monkeypatch.setenv("JAXCOURSE_PROGRESS", "no")
    ask(TWO, (3, 4))
    assert not session.path.exists() and "1. (3, 4)" in session.shown[-1].text


def test_a_file_that_cannot_be_written_costs_one_line(session, monkeypatch):
    session.path.mkdir()
    for _ in range(2):
        ask(TWO, (3, 4))
    assert ["lasts as long as this session" in panel.text for panel in session.shown] == [True, False]


# -- the form -----------------------------------------------------------------------------------------------------


def test_a_form_takes_the_same_answers(session, monkeypatch):
    widgets = pytest.importorskip("ipywidgets")
    monkeypatch.setattr(verbs, "has_widgets", lambda: True)
    shown = []
    monkeypatch.setattr(verbs._panel, "show_widget", shown.append)
    every = [CHOICE, TRUTH, SEVERAL, TIMES, WORDS]
    session.text.predictions[KEY] = [vars(one) for one in every]
    ask(KEY, ...)
    *controls, button, told = shown[0].children
    assert [type(one) for one in controls] == [
        *(widgets.RadioButtons, widgets.RadioButtons, widgets.VBox, widgets.Text, widgets.Text)
    ]
    assert controls[0].description == "which" and controls[0].value is None, "nothing is chosen before the reader does"
    button.click()
    assert "Still open: 1, 2, 3, 4, 5." in told.value and not session.path.exists()
    assert "Say each in the form above" in told.value and "run this cell again" not in told.value
    controls[0].value, controls[1].value, controls[3].value, controls[4].value = "its value", "True", "twice 2", "so"
    controls[2].children[3].value = True
    button.click()
    assert "Your prediction is kept" in told.value
    assert Record(session.folder).predictions()[KEY] == ["its `value`", "True", ["`day`, 2"], "twice 2", "so"]
    ask(KEY, *[...] * 5)
    assert len(shown) == 1, "what is kept is shown, and not asked again"


def test_where_there_is_no_front_end_there_is_no_form(monkeypatch):
    monkeypatch.setattr(_form, "find_spec", lambda name: name)
    assert not _form.has_widgets(), "a terminal"
    monkeypatch.setattr(_form, "in_kernel", lambda: True)
    assert _form.has_widgets()
    monkeypatch.setattr(_form, "find_spec", lambda name: None)
    assert not _form.has_widgets()


# -- the course's own ---------------------------------------------------------------------------------------------


def test_each_question_of_the_course_can_be_asked_and_gives_nothing_away():
    for stem, text in COURSE.texts.items():
        for key, fields in text.predictions.items():
            for one in fields:
                assert one.keys() <= {"ask", "kind", "choices", "unit", "never"}, (stem, key)
                assert Field(**one).wants


def test_it_returns_at_once_in_a_plain_session(tmp_path):
    key, fields = next(iter(next(text for text in COURSE.texts.values() if text.predictions).predictions.items()))
    lines = ["from jaxcourse import ask", f"ask({key!r}, {', '.join('...' for _ in fields)})", "print('and on')"]
    free = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    how = {
        "env": free,
        "cwd": tmp_path,
        "capture_output": True,
        "text": True,
        "timeout": 120,
        "stdin": subprocess.DEVNULL,
    }
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], **how)
    assert done.stdout.startswith("Predict first") and done.stdout.endswith("and on\n") and not done.stderr
