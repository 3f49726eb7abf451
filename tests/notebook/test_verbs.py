"""`check`, `hint` and `solution`, where students run them: a terminal, IPython, a test runner. Runs on every stack."""

import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from jaxcourse import CheckFailed, check, hint, solution
from jaxcourse.course import Course, Lesson
from jaxcourse.exercise import Verdict
from jaxcourse.markup import plain
from jaxcourse.notebook import _verbs as verbs
from jaxcourse.notebook._record import PROGRESS_FILE, Record, Result

pytestmark = pytest.mark.lessons("00_start_here")
LAST = [*Course.installed().exercises()][-1][:2]
"""The number of the last lesson."""
RIGHT = "def centre_columns(x): return x - x.mean(axis=0)"
TITLE = "Centre the columns"
GRAND_MEAN = "def centre_columns(x): return x - x.mean()"


def run(*command: str, folder: Path | None = None) -> str:
    """What a session prints that no test runner drives, in a folder of its own if none is given."""
    free = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    with tempfile.TemporaryDirectory() as empty:
        how = {"env": free, "cwd": folder or empty, "capture_output": True, "text": True, "timeout": 120}
        done = subprocess.run([sys.executable, *command], **how)
    assert "Traceback" not in done.stdout + done.stderr
    return done.stdout


def terminal(*lines: str, folder: Path | None = None) -> str:
    return run("-c", "\n".join(["from jaxcourse import check, hint, progress, solution", *lines]), folder=folder)


def ipython(*lines: str) -> str:
    return run(
        "-m", "IPython", "--colors=NoColor", "--no-term-title", "-c", "\n".join(["from jaxcourse import *", *lines])
    )


def cells(*cells: str) -> str:
    """What a session shows in which each text is run as a cell."""
    run_each = "\n".join(f"get_ipython().run_cell({cell!r}, store_history=True)" for cell in cells)
    return ipython(run_each)


ANSWERS = {
    RIGHT: f"✓ Passed: {TITLE}",
    GRAND_MEAN: f"✗ Not yet: {TITLE}",
    "def centre_columns(x): return 1 / 0": "Your code raised ZeroDivisionError: division by zero",
    "def centre_columns(x): raise NotImplementedError('your turn')": f"○ Not attempted: {TITLE}",
    "def centre_columns(x): pass": "Is there a `return` at its end?",
    "def centre_columns(x): x -= x.mean(0); return x": "changed its own input (argument 1)",
    "def centre_columns(x): print('y' * 3_000_000); return x - x.mean(0)": "characters, which begin: `yyyyyy",
    "def centre_columns(x): return x * float('nan')": "got [[nan]]",
    "def centre_columns(x): return {'a': object()}": "An object of type `object` came back",
    "centre_columns = ...": "There is still a `...` in `centre_columns`",
    "centre_columns = 'text'": "should be a function",
    "center_columns = 1": "You have `center_columns`: did you mean that?",
    "pass": "There is no `centre_columns` yet",
}
CUT = "-- next answer --"
ALL_ANSWERS = "\n".join(
    f"names = {{'check': check}}; exec({a!r}, names); exec(CHECK, names); print(CUT)" for a in ANSWERS
)


@pytest.fixture(scope="module", params=[terminal, ipython])
def shown(request):
    """What one session shows for each of the answers."""
    output = request.param("CHECK = 'check(\"centre-columns\")'", f"CUT = {CUT!r}", ALL_ANSWERS)
    return dict(zip(ANSWERS, output.split(CUT), strict=False))


@pytest.mark.parametrize("answer", ANSWERS)
def test_every_answer_gets_its_own_message_and_no_stack(shown, answer):
    assert ANSWERS[answer] in " ".join(shown[answer].split())
    assert len(shown[answer]) < 1000


def test_an_answer_that_has_passed_is_at_hand_until_another_one_fails():
    look = (
        "print('at hand:', passed_answer('centre-columns') is centre_columns, passed_answer('centre-columns') is None)"
    )
    judged = 'check("centre-columns")'
    trial = "check('centre-columns', lambda x: x)"
    given = [
        "from jaxcourse.notebook import passed_answer",
        RIGHT,
        look,
        judged,
        look,
        trial,
        look,
        GRAND_MEAN,
        judged,
        look,
    ]
    said = [line for line in ipython(*given).splitlines() if "at hand" in line]
    assert said == [f"at hand: {words}" for words in ("False True", "True False", "True False", "False True")]
    outside = terminal("from jaxcourse.notebook import passed_answer", RIGHT, judged, look)
    assert outside.endswith("at hand: False True\n")


def test_a_stub_that_is_run_again_replaces_no_answer():
    look = "print('at hand:', passed_answer('centre-columns') is kept)"
    stub = "def centre_columns(x):\n    raise NotImplementedError('your turn')"
    judged = 'check("centre-columns")'
    given = ["from jaxcourse.notebook import passed_answer", RIGHT, judged, "kept = centre_columns", stub, judged, look]
    said = ipython(*given)
    assert "at hand: True" in said and "run its cell again to have it back" in said


def test_a_wrong_answer_does_not_stop_running_all():
    shown = terminal(GRAND_MEAN, 'check("centre-columns")', "print('and on')")
    assert shown.endswith("and on\n")


def test_progress_is_counted_once_for_each_exercise():
    shown = terminal(RIGHT, 'check("centre-columns")', 'check("centre-columns")', GRAND_MEAN, 'check("centre-columns")')
    counts = [line for line in shown.splitlines() if "exercises of lesson 00" in line]
    assert ["■□ 1 of 2" in line for line in counts] == [True, True, False]


def test_progress_tells_the_core_path_from_practice():
    lesson = SimpleNamespace(number="07", exercises=dict.fromkeys("abcde"), practice=("b", "d"))
    said = verbs._panel._progress(lesson, ["a", "d"])
    assert said == ((1, 3), "1 of 3 core exercises of lesson 07 solved, 1 of 2 for practice")


def test_where_to_read_again_is_said_of_a_wrong_answer_only(shown):
    said = [answer for answer in ANSWERS if "Read again: “" in shown[answer]]
    assert said and all("Not yet" in shown[answer] for answer in said) and GRAND_MEAN in said
    assert RIGHT not in said and "center_columns = 1" not in said


def test_hints_come_one_after_the_other_and_then_the_solution():
    said = terminal(*[f'hint("centre-columns"); print({CUT!r})'] * 3).split(CUT)
    assert [each.count("Hint ") for each in said] == [1, 2, 2, 0]
    assert "No more hints" in said[1] and "No more hints" not in said[0]


@pytest.mark.parametrize(("left", "words"), [(2, "2 more are left"), (1, "One more is left"), (0, "No more hints")])
def test_how_many_hints_are_left_is_said(left, words):
    assert words in verbs._panel.of_hints("centre-columns", ("Look.",), left).text


def test_the_solution_is_the_one_that_the_course_tests():
    shown = terminal('solution("centre-columns")')
    assert "return x - x.mean(axis=0)" in shown and "averages over the first axis" in shown


@pytest.mark.lessons("22_control_flow")
def test_with_a_jax_that_cannot_be_read_a_right_answer_is_not_wrong():
    lines = [
        "import jax, jax.numpy as jnp, numpy as np",
        "from jaxcourse import insides",
        "from jaxcourse.course import Course",
        "insides.BELIEFS['scans'].holds = lambda: False",
        "exec(Course.installed().lesson_of('kepler-anomaly').solution('kepler-anomaly')[0])",
        'check("kepler-anomaly")',
    ]
    shown = " ".join(terminal(*lines).split())
    assert "This is not your fault" in shown and shown.startswith("◇ Not judged: ")
    assert "`lax.scan` and a `fori_loop`" in shown and "Stuck?" not in shown


def test_a_name_is_found_in_a_function_too():
    lines = [
        "def session():",
        "    centre_columns = lambda x: x - x.mean(axis=0)",
        '    check("centre-columns")',
        "session()",
    ]
    assert "Passed" in terminal(*lines)


def test_a_name_in_a_function_hides_the_one_outside():
    lines = [
        "def session(centre_columns):",
        '    check("centre-columns")',
        "centre_columns = 1",
        RIGHT.replace("centre", "the"),
    ]
    assert "Passed" in terminal(*lines, "session(the_columns)")


def test_who_has_passed_is_offered_no_help():
    assert "hint(" not in terminal(RIGHT, CHECK)


def test_a_panel_says_on_how_much_it_was_checked_and_what_comes_next(tmp_path):
    head, tried, bar, after = terminal(RIGHT, CHECK, folder=tmp_path).splitlines()
    assert head == f"✓ Passed: {TITLE}" and bar.startswith("  ■□ 1 of 2")
    assert re.fullmatch(r"  Checked on \d\d+ inputs, up to the shape \(\d+, \d+\).*\.", tried)
    lesson = verbs._lesson_of("centre-columns")
    first = next(name for name in lesson.exercises if name != "centre-columns")
    assert re.fullmatch(r"  Next: exercise [123], .+", after) and plain(lesson.title_of(first)) in after
    others = [name for name in lesson.exercises if name != "centre-columns"]
    (tmp_path / PROGRESS_FILE).write_text(
        json.dumps({"exercises": {name: {"solved": True, "tries": 1} for name in others}})
    )
    last = terminal(RIGHT, CHECK, folder=tmp_path).splitlines()[-1]
    following = lesson.texts[lesson.next_stem]
    named = f"lesson {lesson.next_stem[:2]}, {plain(following.title)}"
    assert last == f"  You have solved every core exercise of lesson 00. Next: {named}"


def test_what_was_not_counted_is_not_said():
    lesson = verbs._lesson_of("predict-strides")
    answer = lesson.solved_value("predict-strides")
    assert "Checked on" not in terminal(f"predict_strides = {answer!r}", 'check("predict-strides")')
    assert "Checked on" not in terminal(GRAND_MEAN, CHECK)


def test_an_answer_can_be_given():
    assert "Passed" in terminal('check("centre-columns", lambda x: x - x.mean(axis=0))')


@pytest.mark.parametrize("verb", [check, hint, solution])
def test_an_unknown_exercise_is_named_with_its_neighbour(verb):
    with pytest.raises(ValueError, match="Did you mean 'centre-columns'"):
        verb("center-columns")


@pytest.mark.parametrize("verb", [check, hint, solution])
@pytest.mark.parametrize("name", [len, None, 3, ["centre-columns"]])
def test_what_is_no_name_is_refused_with_an_example(verb, name):
    with pytest.raises(ValueError, match=r'as in `check\("centre-columns"\)`, not a'):
        verb(name)


def test_an_unknown_exercise_shows_no_stack_in_a_notebook():
    assert "Did you mean 'centre-columns'?" in ipython("try_it = 1", 'check("center-columns")')


def test_a_terminal_that_has_no_ticks_shows_the_rest(monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    assert f"? Passed: {TITLE}" in terminal(RIGHT, 'check("centre-columns")')


def test_under_a_test_runner_a_wrong_answer_raises_its_verdict():
    with pytest.raises(CheckFailed, match="A small counterexample") as failed:
        check("centre-columns", lambda x: x - x.mean())
    assert failed.value.verdict.label == "grand-mean"
    assert failed.value._render_traceback_()[0] == f"✗ Not yet: {TITLE}"


def test_under_a_test_runner_a_right_answer_is_silent_about_nothing(capsys):
    check("centre-columns", lambda x: x - x.mean(0))
    assert "Passed" in capsys.readouterr().out


@pytest.fixture(autouse=True)
def record(tmp_path_factory, monkeypatch):
    """What this process keeps, for one test."""
    monkeypatch.setattr(verbs, "_record", Record(tmp_path_factory.mktemp("record")))


def panel_of(monkeypatch, answer):
    shown = []
    monkeypatch.delenv("PYTEST_VERSION", raising=False)
    monkeypatch.setattr(verbs._panel, "show", shown.append)
    check("centre-columns", answer)
    return shown[0].html


def test_what_an_answer_says_is_shown_as_text_and_never_as_html(monkeypatch):
    def answer(x):
        print("<script>alert(1)</script>")
        raise ValueError("<img src=x onerror=alert(2)>")

    shown = panel_of(monkeypatch, answer)
    assert "<script" not in shown and "<img" not in shown
    assert "&lt;script&gt;" in shown


def test_a_cell_that_python_cannot_read_is_not_missing():
    broken = RIGHT.replace("):", ")")
    check_it = 'check("centre-columns")'
    missing, kept, mended = (
        cells(broken, check_it),
        cells(RIGHT, f"# exercise: centre-columns\n{broken}", check_it),
        cells(broken, RIGHT, check_it),
    )
    for said in (missing, kept):
        panel = " ".join(said[said.index("! Your code") :].split())
        assert "could not read the cell of `centre_columns`, so nothing of it was run" in panel
        assert "`def centre_columns(x) return" in panel and "Not attempted" not in panel
    assert f"✓ Passed: {TITLE}" in mended


def test_a_counterexample_is_the_only_call_that_is_shown(monkeypatch):
    wrong = panel_of(monkeypatch, lambda x: x - x.mean())
    assert "A small counterexample" in wrong and "The call was" not in wrong and "returned" not in wrong


def test_each_thing_that_a_panel_says_stands_in_a_line_of_its_own(monkeypatch):
    passed = panel_of(monkeypatch, lambda x: x - x.mean(0))
    lines = [re.sub("<[^>]+>", "", line).strip() for line in re.findall(r"<div>.*?</div>", passed)]
    assert lines[:2] == [f"✓ Passed: {TITLE}", "1 of 2 exercises of lesson 00 solved"]
    bar = '<span class="bar" aria-hidden="true"><span style="width:50%"></span></span> 1 of 2'
    assert bar in passed, "a screen reader hears the words alone"


def test_a_counterexample_is_a_table_in_which_what_differs_is_marked(monkeypatch):
    wrong = panel_of(monkeypatch, lambda x: x - x.mean())
    names = re.findall(r'<th scope="row">(.*?)</th>', wrong)
    assert names == ["<code>x</code>", "wanted", "got"] and "<mark>" in wrong and "<pre>" in wrong
    in_text = terminal(GRAND_MEAN, CHECK)
    assert re.search(r"^ +wanted .*\n +\^", in_text, re.MULTILINE) and "centre_columns(x)" in in_text
    assert "grand-mean" not in wrong and "(centre-columns)" not in wrong, "an exercise has a title"


OTHER = 'check("centre-columns", variant=2)'


def test_a_variant_asks_on_other_inputs_and_leaves_all_that_is_kept(tmp_path, monkeypatch):
    learned = (
        "import numpy as np",
        "seen = set()",
        "def centre_columns(x): seen.add(np.asarray(x).tobytes()); return x - x.mean(axis=0)",
        CHECK,
        "first = set(seen); seen.clear()",
        OTHER,
        "print('drawn anew:', len(seen - first) > len(seen) / 2, len(first) > 10)",
        "seen = set(); " + OTHER.replace("2)", "0)"),
    )
    said = terminal(*learned, folder=tmp_path)
    assert said.count("✓ Passed") == 3 and "drawn anew: True True" in said
    before = (tmp_path / PROGRESS_FILE).read_text()
    wrong = terminal(GRAND_MEAN, OTHER, folder=tmp_path)
    assert "✗ Not yet" in wrong and (tmp_path / PROGRESS_FILE).read_text() == before
    look = "print('at hand:', passed_answer('centre-columns') is centre_columns)"
    own = ["from jaxcourse.notebook import passed_answer", RIGHT, CHECK, GRAND_MEAN, OTHER, f"{RIGHT}", look]
    assert "at hand: False" in ipython(*own), "nor does a variant take the place of what is at hand"


@pytest.mark.parametrize("variant", [-1, True, 2.0, "2", None])
def test_a_variant_is_a_whole_number(variant):
    with pytest.raises(ValueError, match="A variant is a whole number from 0 on"):
        check("centre-columns", len, variant=variant)


def test_progress_offers_what_took_several_tries_on_other_inputs(tmp_path):
    tries = {"predict-strides": 5, "find-the-slice": 1, "centre-columns": 4, "unit-vectors": 2}
    kept = {name: {"solved": True, "tries": count} for name, count in tries.items()}
    (tmp_path / PROGRESS_FILE).write_text(json.dumps({"exercises": kept}))
    said = " ".join(terminal("progress()", folder=tmp_path).split())
    assert said.count("To do again") == 2, "functions alone"
    assert 'it took 4 tries: exercise 1, Centre the columns. On other inputs: `check("centre-columns", v' in said
    assert said.index('check("centre-columns"') < said.index('check("unit-vectors"')


def test_a_picture_that_cannot_be_drawn_says_what_it_needs(monkeypatch):
    lesson = verbs._lesson_of("centre-columns")
    drawn = []

    def picture(centre_columns, draw_it):
        drawn.append(draw_it(centre_columns(np.eye(2))))
        return "a picture"

    task = replace(lesson.exercises["centre-columns"], picture=picture)
    monkeypatch.setattr(verbs, "_lesson_of", lambda name: replace(lesson, exercises={task.name: task}))
    assert "picture" not in panel_of(monkeypatch, lambda x: x - x.mean(0)), "in a terminal there is none"
    said = []
    monkeypatch.setattr(verbs, "in_notebook", lambda: True)
    monkeypatch.setattr(verbs._panel, "show", said.append)
    draw_it = np.sum
    check("centre-columns", lambda x: x - x.mean(0))
    draw_it = lambda table: 1 / 0  # noqa: E731, F841
    check("centre-columns", lambda x: x - x.mean(0))
    assert len(drawn) == 1 and "ZeroDivisionError was raised" in said[-1].text
    del draw_it
    check("centre-columns", lambda x: x - x.mean(0))
    assert "it needs <code>draw_it</code>. Run the cells above again" in said[-1].html
    check("centre-columns", lambda x: x)
    assert said[-1].text.startswith("✗ Not yet"), "nor is a wrong answer drawn"


# -- what is kept -----------------------------------------------------------------------------------------------

CHECK = 'check("centre-columns")'


def test_what_is_solved_outlives_the_session(tmp_path):
    first = terminal(GRAND_MEAN, CHECK, RIGHT, CHECK, CHECK, folder=tmp_path)
    assert first.count("■□ 1 of 2") == 2
    second = terminal("progress()", CHECK, GRAND_MEAN, CHECK, "progress()", folder=tmp_path)
    rows = [line.split() for line in second.splitlines() if line.startswith("00 Start here")]
    assert [row[3] for row in rows] == ["■□", "□□"], "what is not there yet changes nothing; a wrong try does"
    assert second.count(f"\n{LAST} ") == 2 and f"Kept in {tmp_path / PROGRESS_FILE}." in second
    assert [path.name for path in tmp_path.iterdir()] == [PROGRESS_FILE]


def test_a_reader_who_moves_to_another_folder_keeps_one_file(tmp_path):
    terminal("import os", "os.mkdir('data')", "os.chdir('data')", RIGHT, CHECK, folder=tmp_path)
    assert (tmp_path / PROGRESS_FILE).exists() and not any((tmp_path / "data").iterdir())


@pytest.mark.parametrize("content", ["{", "[1]", '{"exercises": {"a": 3}}', "[" * 100_000, "\udcff"])
def test_a_damaged_file_costs_one_line(tmp_path, content):
    (tmp_path / PROGRESS_FILE).write_text(content, errors="surrogateescape")
    shown = terminal(RIGHT, CHECK, CHECK, folder=tmp_path)
    words = " ".join(shown.split())  # a long path breaks the line anywhere
    assert words.count(f"✓ Passed: {TITLE}") == 2 and words.count("is damaged") == 1
    assert (tmp_path / f"{PROGRESS_FILE}.damaged").read_text(errors="surrogateescape") == content
    assert "1 of 2" in terminal("progress()", folder=tmp_path)


def test_a_file_that_cannot_be_read_or_written_costs_one_line(tmp_path):
    (tmp_path / PROGRESS_FILE).mkdir()
    shown = terminal(RIGHT, CHECK, CHECK, "progress()", folder=tmp_path)
    assert shown.count("Passed") == 2 and shown.count("lasts as long as this session") == 1 and "■□ 1 of 2" in shown
    record = Record(tmp_path / "gone")
    told = [record.note(Verdict(name, "passed"), keep=True) for name in "ab"]
    assert "cannot be written (No such file or directory)" in told[0] and told[1] == ""
    assert record.results().keys() == {"a", "b"}


def test_nothing_is_half_written(tmp_path, monkeypatch):
    record = Record(tmp_path)
    assert record.note(Verdict("a", "passed"), keep=True) == ""
    before = (tmp_path / PROGRESS_FILE).read_text()

    def full(*names):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert "No space left" in record.note(Verdict("b", "passed"), keep=True)
    assert (tmp_path / PROGRESS_FILE).read_text() == before and len(list(tmp_path.iterdir())) == 1


def test_what_says_nothing_of_the_answer_changes_nothing(tmp_path):
    record = Record(tmp_path)
    statuses = [("passed", ""), ("not_attempted", ""), ("stumbled", ""), ("error", "SyntaxError"), ("passed", "")]
    for status, label in statuses:
        record.note(Verdict("a", status, label), keep=True)
    assert record.results() == Record(tmp_path).results() == {"a": Result(solved=True, tries=1)}
    record.note(Verdict("a", "error", "TypeError"), keep=True)
    assert Record(tmp_path).results() == {"a": Result(solved=False, tries=2)}


def test_an_answer_that_is_handed_over_counts_if_it_is_right_and_is_else_a_trial(tmp_path):
    trial = 'check("centre-columns", lambda x: x - x.mean())'
    shown = terminal(trial, RIGHT, CHECK, trial, trial, "progress()", folder=tmp_path)
    assert shown.count("✗ Not yet") == 3 and shown.count("■□ 1 of 2") == 4
    assert Record(tmp_path).results() == {"centre-columns": Result(solved=True, tries=1)}
    (tmp_path / "other").mkdir()
    terminal('check("centre-columns", lambda x: x - x.mean(axis=0))', folder=tmp_path / "other")
    assert Record(tmp_path / "other").results() == {"centre-columns": Result(solved=True, tries=1)}


def test_two_notebooks_keep_what_each_has_found(tmp_path):
    one, other = Record(tmp_path), Record(tmp_path)
    for record, name in ((one, "a"), (other, "b"), (one, "c")):
        record.note(Verdict(name, "passed"), keep=True)
    assert Record(tmp_path).results().keys() == {"a", "b", "c"}


def test_in_colab_it_is_kept_in_drive_once_that_is_mounted(tmp_path, monkeypatch):
    class Drives(type(tmp_path)):
        def glob(self, pattern):
            return [tmp_path / "drive" / "MyDrive"] if (tmp_path / "drive").exists() else []

    monkeypatch.setattr("jaxcourse.notebook._record.Path", Drives)
    record = Record(tmp_path)
    monkeypatch.setitem(sys.modules, "google.colab", SimpleNamespace())
    record.note(Verdict("a", "passed"), keep=True)
    (tmp_path / "drive" / "MyDrive").mkdir(parents=True)
    record.note(Verdict("b", "passed"), keep=True)
    assert record.path == tmp_path / "drive" / "MyDrive" / PROGRESS_FILE
    assert Record(tmp_path / "drive" / "MyDrive").results().keys() == {"a", "b"}
    monkeypatch.delitem(sys.modules, "google.colab")
    assert record.path == tmp_path / PROGRESS_FILE


def test_a_test_runner_keeps_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(verbs, "_record", Record(tmp_path))
    check("centre-columns", lambda x: x - x.mean(0))
    assert not any(tmp_path.iterdir())


def test_the_build_of_the_site_keeps_nothing(tmp_path):
    shown = terminal(
        "import os", "os.environ['JAXCOURSE_PROGRESS'] = 'no'", RIGHT, CHECK, "progress()", folder=tmp_path
    )
    assert "■□ 1 of 2" in shown and not any(tmp_path.iterdir())


def test_each_panel_leads_to_the_page_that_ticks_what_is_solved(monkeypatch):
    page = "https://x.org/notebooks/00_start_here.html"
    lesson = verbs._lesson_of("centre-columns")
    published = replace(lesson, texts={lesson.stem: replace(lesson.texts[lesson.stem], page=page)})
    unpublished = {stem: replace(text, page="") for stem, text in lesson.texts.items()}
    monkeypatch.setattr(verbs, "_lesson_of", lambda name: replace(lesson, texts=unpublished))
    assert "href" not in panel_of(monkeypatch, lambda x: x), "where no site is configured"
    monkeypatch.setattr(verbs, "_record", Record(verbs._record.begun))
    monkeypatch.setattr(verbs, "_lesson_of", lambda name: published)
    wrong = panel_of(monkeypatch, lambda x: x - x.mean())
    assert f'{page}"' in wrong and "#solved" not in wrong
    verbs._record.note(Verdict("centre-columns", "wrong"), keep=True)
    assert f'{page}#solved=centre-columns:2"' in panel_of(monkeypatch, lambda x: x - x.mean(0))


@pytest.mark.parametrize("address", ["https://x.org/00_start_here.html#an-exercise", ""])
def test_a_panel_links_the_section_if_there_is_a_site_and_needs_no_colour(monkeypatch, address):
    monkeypatch.setattr(Lesson, "section", lambda self, anchor: ("One exercise", address))
    lesson = verbs._lesson_of("centre-columns")
    unpublished = {stem: replace(text, page="") for stem, text in lesson.texts.items()}
    monkeypatch.setattr(verbs, "_lesson_of", lambda name: replace(lesson, texts=unpublished))
    shown = panel_of(monkeypatch, lambda x: x - x.mean())
    assert "Read again: “" in shown and "One exercise" in shown
    assert (f'href="{address}"' in shown) if address else ("<a" not in shown)
    assert f"✗ Not yet: {TITLE}" in shown and "background:#" not in shown
