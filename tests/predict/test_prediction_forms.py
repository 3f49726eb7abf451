"""Prediction boxes on a page: the form, what it covers, and how the script judges, in a real browser."""

import json
import re
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from mini_book import build
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from play.play_browser import differing, in_page, run

from jaxcourse.course import Course
from jaxcourse.notebook import _predictions as notebook
from jaxcourse_author import lesson
from jaxcourse_author.lesson.predictions import PredictionError, read_box

BOOK = Path(__file__).parents[2] / "book"
sys.path.insert(0, str(BOOK / "_ext"))

BOX = """(deep)=
## Deep

```{predict}
---
fields:
- ask: "`x[1:2]`"
  kind: shape
  reads: 'shape (.+)'
  mistakes: {"(6,)": A slice keeps its axis.}
- ask: slower by
  kind: number
  factor: 2
  unit: times
  reads: 'takes (.+) times'
- ask: which?
  kind: choice
  choices: {a `view`: 'memory: True', a copy: 'memory: False'}
- ask: why
  kind: text
---
What is `x[1:2]`?
```
"""
OPEN = "```{predict}\nWhy *so*?\n```\n"
WRONG = "```{predict}\n---\nfields:\n- {kind: number, reads: 'no such (.+)'}\n---\nHow many?\n```\n"
LONELY = "```{predict}\nWhat comes?\n```\n\n## End\n"
TABLE = "<table><tr><th>n</th><td>3</td></tr></table><svg role='img' aria-label='A line.'><text>7</text></svg>"


def cell(*outputs: Any) -> Any:
    return new_code_cell("run()", outputs=list(outputs))


def printed(text: str) -> Any:
    return new_output("stream", name="stdout", text=text)


def drawn(html: str) -> Any:
    return new_output("display_data", {"text/html": html, "text/plain": "a table"})


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A page with boxes, built from a notebook with its outputs: its body, and the warnings."""
    pytest.importorskip("myst_nb")
    source = tmp_path_factory.mktemp("boxes")
    first = cell(printed("x[1:2].shape   (1, 6)\nshares memory: True\nit takes 8.0 times as long\n"))
    cells = [
        new_markdown_cell("# Page"),
        *(new_markdown_cell(BOX), first, new_markdown_cell("It keeps its axis.\n\nMore words.")),
        *(new_markdown_cell(OPEN), cell(drawn(TABLE)), cell(printed("and more\n"))),
        *(new_markdown_cell(WRONG), cell(printed("12\n")), new_markdown_cell(LONELY)),
    ]
    files = {"index.ipynb": nbformat.writes(new_notebook(cells=cells))}
    settings: dict[str, Any] = {"html_static_path": [str(BOOK / "_static")], "nb_execution_mode": "off"}
    out, warnings = build(source, files, ["myst_nb", "site_predict"], **settings)
    page = (out / "index.html").read_text(encoding="utf-8")
    assert 'src="_static/predict.js' in page and 'href="_static/predict.css' in page
    yield (
        page.partition('<div class="body" role="main">')[2].partition('<div class="sphinxsidebar"')[0],
        warnings,
    )


def test_a_box_is_a_question_with_a_form(site: tuple[str, str]) -> None:
    body = site[0]
    assert body.count('<form class="predict-form"') == 2, "a field that finds nothing has no form"
    assert re.search(r'<div class="admonition-predict admonition" id="predict-page-\w{6}">', body)
    assert "<legend>which?</legend>" in body and "<span>a <code>view</code></span>" in body
    assert all(f'id="{name}"' in body for name in re.findall(r'<label for="(.+?)"', body))
    assert "&quot;right&quot;: [1.0, 6.0], &quot;shown&quot;: &quot;(1, 6)&quot;" in body


def test_the_outputs_below_and_the_paragraph_after_them_are_covered(site: tuple[str, str]) -> None:
    first, second = re.findall(r'data-covers="(.+?)"', site[0])
    assert [name.rpartition("-")[2] for name in first.split()] == ["0", "after"]
    assert [name.rpartition("-")[2] for name in second.split()] == ["0", "1"], "both cells, and no paragraph"
    assert re.search(r'<p class="predict-after" id="\S+">It keeps its axis\.', site[0])


def test_what_the_run_does_not_say_is_a_warning(site: tuple[str, str]) -> None:
    assert "a prediction box: the field: nothing in the output is found by no such (.+). A pattern is a" in site[1]
    assert "a prediction box: no cell with an output follows it." in site[1]
    assert site[1].count("a prediction box") == 2


def test_what_is_measured_may_be_left_open_by_a_run() -> None:
    field = "- {kind: number, factor: 2, reads: 'takes (.+) ms'}"
    boxes = [read_box(f"---\nfields:\n{text}\n---\nHow long?") for text in (field, field.replace("factor", "within"))]
    measured, counted = (box.fields[0] for box in boxes)
    data_of = pytest.importorskip("site_predict").data_of
    left_open = data_of(measured, "equally fast")
    assert left_open["open"] and "right" not in left_open
    with pytest.raises(PredictionError, match="nothing in the output"):
        data_of(counted, "equally fast")


def test_patterns_see_tables_and_pictures() -> None:
    predict = pytest.importorskip("site_predict")
    assert predict.tidy(predict.text_of_html(TABLE)) == "n | 3\nA line.\n7"


def test_a_prediction_is_kept_with_its_section_and_question_not_with_its_place() -> None:
    site_predict = pytest.importorskip("site_predict")
    course, found = Course(BOOK.parent), {}
    for path in course.lesson_paths:
        keys = site_predict.keys_of(SimpleNamespace(srcdir=course.root), f"notebooks/{path.stem}")
        assert len(keys) == len(set(keys.values())) == path.read_text(encoding="utf-8").count("```{predict}")
        sections = lesson.read_lesson(path, course).sections
        assert all(key == f"{key[:-7]}-{digest}" and key[:-7] in sections for digest, key in keys.items())
        assert not found.keys() & keys.keys(), "one question stands in two lessons"
        found |= keys
    assert site_predict.keys_of(SimpleNamespace(srcdir=course.root), "book/index") == {}


# -- judging ----------------------------------------------------------------------------------------------------

NUMBER = {"kind": "number", "right": 1024.0, "unit": "bytes", "words": "How many does each of them take?"}
COUNT = {"kind": "number", "right": 9.0, "words": "How many arrays of n times n are there?"}
CALLS = {"kind": "number", "right": 3.0, "unit": "of 10 calls"}
MEGA = {"kind": "number", "right": 1.21, "within": 0.1, "unit": "MB"}
SHARE = {"kind": "number", "right": 18.0, "factor": 1.5, "unit": "%"}
TIMES = {"kind": "number", "right": 2.1, "factor": 1.5, "unit": "times as long"}
SECONDS = {"kind": "number", "right": 128.0, "within": 1, "unit": "seconds"}
MEASURED = {"kind": "number", "right": 8.0, "factor": 2, "unit": "times", "less": "Too low.", "more": "Too high."}
ROUNDED = {"kind": "number", "right": 130.0, "slack": 5.0, "mistakes": [{"when": "8", "say": "Eight."}]}
GIGA = {"kind": "number", "right": 5.31e10, "factor": 10, "unit": "bytes/s"}
NOWHERE = {"kind": "number", "right": None, "lacks": True, "less": "Too low."}
SHAPE = {"kind": "shape", "right": [3, 4], "mistakes": [{"when": "(4, 3)", "say": "Turned."}]}
VECTOR, SCALAR = {"kind": "shape", "right": [6]}, {"kind": "shape", "right": []}
NUMBERS = {"kind": "numbers", "right": [0, 7.5, -1], "slack": 0.05, "mistakes": [{"when": "0 0 0", "say": "No."}]}
CHOICE = {"kind": "choice", "right": "a view", "mistakes": [{"when": "a copy", "say": "It copies nothing."}]}
TRUTH = {"kind": "truth", "right": True}
SEVERAL = {"kind": "several", "right": ["a", "b"], "mistakes": [{"when": w, "say": f"So {w}."} for w in "bc"]}
TEXT = {"kind": "text"}
NO = None
"""Stands for what cannot be judged: the reader is told how to write it."""

CASES: list[tuple[dict[str, Any], Any, Any]] = [
    *((NUMBER, said, [True]) for said in ("1024", " 1,024 ", "1_024", "1 024", "1.024e3", "1024.0", "2^10", "2**10")),
    *(
        (NUMBER, said, [True])
        for said in ("1024 bytes", "about 1024", "~1,024 bytes each", "2048/2", "1.024k", "1 KiB")
    ),
    *((NUMBER, said, [True]) for said in ("1'024", "1.024,0", "4 * 256", "8192 bits")),
    *((NUMBER, said, [True]) for said in ("one thousand and twenty-four", "(2 + 2) * 2**8", "1.024 kB", "10**3 + 24")),
    *((NUMBER, said, [False]) for said in ("1000", "1023", "-1024", "1", "1025", "ten", "1,0", "1024 million")),
    *((NUMBER, said, NO) for said in ("half", "a quarter", "NaN", "inf", "-inf", "40 to 50", "1,00,000")),
    *((SECONDS, said, [True]) for said in ("128000 msec", "128 s", "128e6 µs")),
    *((SECONDS, said, [False]) for said in ("half a second", "a quarter of an hour")),
    *((NUMBER, said, NO) for said in ("", "  ", "abc", "a lot", "1024 or 2048", "--1", "1/0", "1e999", "(3, 4)")),
    *(
        (NUMBER, said, NO)
        for said in ("1024 bananas", "1024 ms", "1000-1024", "12,34,567", "1 kB/s", "[1024]", "1 024 5")
    ),
    *((COUNT, said, [True]) for said in ("9", "nine", "9 arrays", "9.0", "3*3", "900 %", "9 in all")),
    *((CALLS, said, [True]) for said in ("3", "3 of 10", "three of 10 calls", "3 calls")),
    *((CALLS, said, NO) for said in ("3 of 11", "3 10 9", "3 of 10 or 11")),
    *((COUNT, said, NO) for said in ("9 MB", "9 loops", "9 ms", "8 to 9", "more than 8", "9 less")),
    *((MEGA, said, [True]) for said in ("1.2", "1,2", "1.2 MB", "1.2MB", "1200 kB", "1.2e6 bytes", "1.15 MiB", "1.2M")),
    *((MEGA, said, [False]) for said in ("1.2 kB", "12", "1.2 GB")),
    *((MEGA, said, NO) for said in ("1.2 million", "1.2 MB/s", "1.2 Mb", "1.2 s", "1.2 %")),
    *((SHARE, said, [True]) for said in ("18", "18 %", "18%", "20 percent", "a fifth", "20 per cent")),
    *((SHARE, said, [False]) for said in ("half", "0.18 %", "50", "two thirds")),
    *((SHARE, said, NO) for said in ("0.18", "1/5", "twice", "18 MB")),
    *(
        (TIMES, said, [True])
        for said in ("2", "twice", "x2", "2x", "×2", "2 times", "twofold", "a factor of 2", "200 %")
    ),
    *((TIMES, said, [True]) for said in ("twice as long", "double", "2-fold", "two times as long")),
    *((TIMES, said, [False]) for said in ("half", "half as long", "x8", "8 times", "the same", "ten times")),
    *((TIMES, said, NO) for said in ("twice as fast", "2 times less", "2 s")),
    *((SECONDS, said, [True]) for said in ("128", "128 s", "128000 ms", "128 seconds", "2.13 minutes")),
    *((SECONDS, said, [False]) for said in ("128 ms", "two minutes", "128 µs")),
    *((MEASURED, said, [True]) for said in ("8", "4", "16", "8.1", "8x", "8 times", "eight", "8×", "16/2", "4,5")),
    *((MEASURED, said, [False, "Too low."]) for said in ("3.9", "1", "0", "-8", "1/8")),
    *((MEASURED, said, [False, "Too high."]) for said in ("16.1", "100", "8e1", "8k")),
    *((ROUNDED, said, [True]) for said in ("130", "128", "1.3e2", "135")),
    *((ROUNDED, said, [False]) for said in ("100", "136.5", "13")),
    *((ROUNDED, said, [False, "Eight."]) for said in ("8", "8.0", "eight")),
    *((GIGA, said, [True]) for said in ("50 gigabytes per second", "50 GiB", "50 GB", "ten billion", "5*10**10")),
    *((GIGA, said, [True]) for said in ("5x10^10", "42.7 GB/s", "10^10", "1e11", "100 billion", "50 000 MB/s", "50G")),
    *((GIGA, said, [True]) for said in ("ten gigabytes a second", "about 50 GBps", "50,000,000,000", "5 × 10¹⁰")),
    *((GIGA, said, [False]) for said in ("42.7 MB/s", "42.7", "1e12", "100 million", "half a million")),
    *((GIGA, said, NO) for said in ("50 GFLOP/s", "50 Gb/s", "50 parsecs", "50 ms", "10 to 20 GB/s")),
    (NOWHERE, "100", [False]),
    *((NOWHERE, said, [True]) for said in ("never", "at none of these", "Nowhere", "not at all")),
    ({**MEASURED, "lacks": True}, "never", [False]),
    (MEASURED, "never", NO),
    *((SHAPE, said, [True]) for said in ("(3, 4)", "3,4", "3, 4", "3 4", "3x4", "(3,4,)", "shape (3, 4)")),
    *((SHAPE, said, [True]) for said in ("3 by 4", "(3, 2**2)", "3 × 4", "(3,\u00a04)")),
    *((SHAPE, said, [False, "Turned."]) for said in ("(4, 3)", "4,3")),
    *((SHAPE, said, [False]) for said in ("(3,)", "()", "(3, 4, 1)", "12", "(3, -4)")),
    *((SHAPE, said, NO) for said in ("", "three", "(3, n)", "3.5", "3,,4", "(3; 4)", "[3, 4]", "(12)")),
    *((VECTOR, said, [True]) for said in ("(6,)", "6", "6,")),
    *((VECTOR, said, [False]) for said in ("(1, 6)", "()")),
    *((SCALAR, said, [True]) for said in ("()", "( )", "scalar")),
    (SCALAR, "1", [False]),
    *((VECTOR, said, NO) for said in ("(6)", " ( 6 ) ", "[6]", "[6,]")),
    *((NUMBERS, said, [True]) for said in ("0 7.5 -1", "[0, 7.5, -1]", "[ 0.  7.5 -1. ]", "0;7.5;−1", "0, 7.52, -1")),
    *((NUMBERS, said, [True]) for said in ("array([0, 7.5, -1])", "0; 7,5; -1", "[0, 15/2, -1]")),
    *((NUMBERS, said, [False]) for said in ("0 7 -1", "0 7.5", "0 7.5 -1 2", "7.5 0 -1")),
    *((NUMBERS, said, [False, "No."]) for said in ("0 0 0", "[0., 0., 0.]")),
    *((NUMBERS, said, NO) for said in ("", "zeros", "[]", "0 to 3", "0,0 7,5 -1,0")),
    *((NUMBERS, said, NO) for said in ("1,000, 2,000", "1 000", "7, 05")),
    (CHOICE, "a view", [True]),
    (CHOICE, "a copy", [False, "It copies nothing."]),
    (CHOICE, "", NO),
    (TRUTH, "True", [True]),
    (TRUTH, "False", [False]),
    (SEVERAL, ["b", "a"], [True]),
    (SEVERAL, ["a"], [False, "b: So b."]),
    (SEVERAL, ["a", "b", "c"], [False, "c: So c."]),
    (SEVERAL, ["c"], [False, "b: So b.", "c: So c."]),
    (SEVERAL, [], NO),
    (TEXT, "because", [False]),
    (TEXT, "  ", NO),
]

JUDGE = """
report(cases.map(([field, said]) => {
  if (predict.complaint(field, said)) return null;
  const { right, words } = predict.judge(field, said);
  return [right, ...words];
}));
"""


def scripts() -> str:
    files = ("record.js", "store.js", "repeat.js", "markup.js", "reader.js", "predict.js")
    return "".join(f"<script>{(BOOK / '_static' / name).read_text(encoding='utf-8')}</script>" for name in files)


def test_what_readers_write_is_judged(tmp_path: Path) -> None:
    asked = [(field, said) for field, said, _ in CASES]
    got = run(tmp_path, f"{scripts()}<script>const cases={in_page(asked)};{JUDGE}</script>")
    cases = zip(CASES, got, strict=True)
    assert not (problem := differing((f"{f} {said!r}", want, found) for (f, said, want), found in cases)), problem


def test_brackets_alone_make_no_tuple(tmp_path: Path) -> None:
    said = ["(6)", "[6]", "6 6 6", "six"]
    ask = f"report({in_page(said)}.map((said) => predict.complaint({in_page({**VECTOR, 'example': '(3, 4)'})}, said)));"
    number, a_list, right, neither = run(tmp_path, f"{scripts()}<script>{ask}</script>")
    assert number.startswith("`(6)` is a number") and a_list.startswith("Square brackets make a list") and not right
    assert neither == "`six` cannot be read: it is no tuple of whole numbers. Write a shape, such as (3, 4)."


FAR = [
    (GIGA, "53", "Did you mean 53 GB/s? If you mean `53 bytes/s`, commit once more."),
    (GIGA, "5", "Did you mean 5 GB/s? If you mean `5 bytes/s`, commit once more."),
    (GIGA, "10000000", "That is 10,000,000 bytes/s. If you mean it, commit once more."),
    (SECONDS, "0.02", "Did you mean 0.02 hours? If you mean `0.02 seconds`, commit once more."),
    (MEGA, "12000", "Did you mean 12000 kB? If you mean `12000 MB`, commit once more."),
    ({**COUNT, "right": 9000.0}, "9.000", "Did you mean 9000? If you mean `9.000`, commit once more."),
    ({**COUNT, "right": 2.125}, "2,125", "Did you mean 2.125? If you mean `2,125`, commit once more."),
    ({**MEGA, "right": 1500.0}, "1.500", "Did you mean 1500 MB? If you mean `1.500 MB`, commit once more."),
    ({**MEGA, "right": 1500.0}, "1.500 MB", "Did you mean 1500 MB? If you mean `1.500 MB`, commit once more."),
    *(({**COUNT, "right": right}, said, None) for right, said in ((1500.0, "1,200"), (1.05, "1.050"), (30.0, "1.000"))),
    *((GIGA, said, None) for said in ("53 bytes/s", "53 million", "5e10", "53 MB", "1e9")),
    (COUNT, "9e6", "That is 9,000,000. If you mean it, commit once more."),
    (COUNT, "9000", None),
    ({**COUNT, "mistakes": [{"when": "90000", "say": "All."}]}, "90000", None),
    ({"kind": "number", "right": 0.0}, "1099511627776", None),
    (NOWHERE, "1e9", None),
    (SHAPE, "(3, 4)", None),
]


def test_a_number_far_off_without_a_unit_is_asked_about_and_a_share_with_offers(tmp_path: Path) -> None:
    ask = "cases.map(([field, said]) => predict.doubt(field, said)?.words ?? null)"
    share = f"predict.question({in_page(SHARE)}, '0.18')"
    given = in_page([[field, said] for field, said, _ in FAR])
    found, question = run(tmp_path, f"{scripts()}<script>const cases={given}; report([{ask}, {share}]);</script>")
    assert found == [want for *_, want in FAR]
    assert question["offers"] == ["18 %", "0.18 %"] and "it may be 18 % or 0.18 %" in question["words"]


# -- a reader's path --------------------------------------------------------------------------------------------

PATH = """
addEventListener("DOMContentLoaded", async () => {
  const wait = () => new Promise((done) => setTimeout(done, 50));
  const [form, other] = document.querySelectorAll("form.predict-form");
  const [output, after] = form.dataset.covers.split(" ").map((id) => document.getElementById(id));
  const seen = (element) => element.checkVisibility({ visibilityProperty: true });
  const text = (selector) => form.querySelector(selector).textContent;
  const kept = () => {
    const { at, again, known, first, ...said } = course.get("predictions", form.dataset.key) ?? {};
    return Object.keys(JSON.parse(JSON.stringify(said))).length ? said : null;
  };
  const state = () => ({
    output: seen(output.querySelector("pre")), paragraph: seen(after), fields: seen(form.querySelector("input")),
    cover: Boolean(output.querySelector(".predict-cover")), height: output.offsetHeight, hint: text(".predict-hint"),
    told: text(".predict-told"), kept: kept(),
    focus: document.activeElement?.className || document.activeElement?.name || "",
  });
  const inputs = [...form.querySelectorAll("input")];
  const fill = (...texts) => inputs.filter((one) => one.type === "text").forEach((one, i) => (one.value = texts[i]));
  const found = { start: state() };
  form.requestSubmit();
  found.empty = state();
  fill("(6,)", "fast", "just so");
  inputs.find((one) => one.value === "a copy").checked = true;
  form.requestSubmit();
  found.wrong = state();
  fill("(6,)", "10", "just <b>so</b>");
  form.requestSubmit();
  found.told = state();
  found.echo = output.querySelector(".predict-echo").textContent;
  found.planned = repeat.planned()
    .map(({ part, key, step, words }) => [repeat.idOf(part, key) === form.closest("[id]").id, step, words]);
  course.replace(course.text());
  found.again = state();
  form.querySelector(".predict-told button").click();
  found.cleared = state();
  output.querySelector(".predict-cover button").click();
  found.shown = state();
  form.querySelector(".predict-told button").click();
  course.put("predictions", form.dataset.key, { said: ["3", "4"] });
  course.replace(course.text());
  found.stale = state();
  const target = document.createElement("i");
  target.id = "inside";
  after.append(target);
  location.hash = "#inside";
  await wait();
  found.anchor = state();
  const cell = document.getElementById(other.dataset.covers.split(" ")[1]);
  const mark = document.createElement("mark");
  found.before = seen(cell.querySelector("pre"));
  cell.querySelector("pre").append(mark);
  await wait();
  found.marked = seen(cell.querySelector("pre"));
  found.unnamed = inputs.filter((one) => !one.labels.length).length;
  report(found);
});
"""
ALONE = """
report(["pre", ".predict-after", "form"].map((name) => document.querySelector(name)
  .checkVisibility({ visibilityProperty: true })));
"""


def page(site: tuple[str, str], script: str, before: str = "") -> str:
    style = (BOOK / "_static/predict.css").read_text(encoding="utf-8")
    return f"<style>{style}</style>{before}{site[0]}<script>{script}</script>"


@pytest.fixture(scope="module")
def path(site: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What a reader meets, from the covered output to the verdict, and back."""
    return run(tmp_path_factory.mktemp("path"), page(site, PATH, scripts()))


def test_the_output_is_covered_until_something_is_committed(path: Any) -> None:
    start, empty, wrong, told = (path[name] for name in ("start", "empty", "wrong", "told"))
    assert not start["output"] and not start["paragraph"] and start["cover"] and start["fields"]
    assert empty["hint"] == "x[1:2]: Write a shape, such as (3, 4)."
    assert empty["focus"].endswith("-0") and empty["kept"] is None and not empty["output"]
    assert (
        wrong["hint"].startswith("slower by: fast cannot be read")
        and wrong["focus"].endswith("-1")
        and not wrong["output"]
    )
    assert told["output"] and told["paragraph"] and not told["cover"] and not told["fields"] and not told["hint"]
    assert told["focus"] == "predict-told" and path["unnamed"] == 0


def test_both_stand_side_by_side(path: Any) -> None:
    told = path["told"]["told"]
    assert told.startswith("1 of 3 as the run says.You saidThe run says")
    assert "x[1:2](6,) ✗ not so(1, 6)" in told and "slower by10 times ✓ right, off by a factor of 1.38.0 times" in told
    assert "which?a copy ✗ not soa view" in told and told.count("A slice keeps its axis.") == 1
    assert "the machine that built this page" in told
    assert path["echo"] == "why: just <b>so</b>", "what readers write is text, and no part of the page"


def test_it_is_kept_and_cleared(path: Any) -> None:
    kept = {"said": ["(6,)", "10", "a copy", "just <b>so</b>"]}
    assert path["told"]["kept"] == path["again"]["kept"] == kept
    assert path["again"]["told"] == path["told"]["told"] and path["again"]["output"]
    cleared = path["cleared"]
    assert cleared["kept"] is None and cleared["cover"] and not cleared["output"] and not cleared["told"]
    assert cleared["fields"] and cleared["height"] == path["start"]["height"]
    assert path["shown"]["kept"] == {"shown": True} and path["shown"]["output"]
    assert path["shown"]["told"].startswith("Uncovered below.The run says")
    assert path["stale"]["cover"], "what was said to other fields is no answer to these"


def test_what_was_wrong_is_to_be_repeated(path: Any) -> None:
    assert path["planned"] == [[True, 0, "Deep"]]


DUE = """<script>
const key = document.querySelector("form.predict-form").dataset.key;
course.put("predictions", key, { said: ["(6,)", "10", "a copy", "so"] });
%s
</script>"""
CALLED = """
course.change("predictions", key, { again: { step: 0, due: Date.now() - 1, words: "" } });
course.put("exercises", "predict-strides", { again: { step: 0, due: 1, words: "" } });
location.hash = "#predict-" + key;
"""
COME = """
addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form.predict-form");
  const found = { hint: form.querySelector(".predict-hint").textContent, done: form.matches(".predict-done") };
  found.planned = repeat.planned().map(({ part, key: one }) => `${part} ${one === key ? "this" : one}`);
  const inputs = [...form.querySelectorAll("input")];
  inputs.filter((one) => one.type === "text").forEach((one, i) => (one.value = ["(1, 6)", "8", "so"][i]));
  inputs.find((one) => one.value === "a `view`").checked = true;
  form.requestSubmit();
  found.step = course.get("predictions", key).again?.step;
  report(found);
});
"""


def come_back(site: tuple[str, str], folder: Path, before: str) -> Any:
    """What a reader meets whose browser has kept something."""
    style, body = f"<style>{(BOOK / '_static/predict.css').read_text(encoding='utf-8')}</style>", site[0]
    record, first, *others = scripts().split("<script>")[1:]
    kept = f"<script>{record}<script>{first}{body}{DUE % before}"
    return run(folder, f"{style}{kept}{''.join(f'<script>{one}' for one in others)}<script>{COME}</script>")


def test_what_is_due_is_covered_again_for_who_comes_for_it(site: tuple[str, str], tmp_path: Path) -> None:
    found = come_back(site, tmp_path, CALLED)
    assert not found["done"] and found["hint"].startswith("You were wrong here before.")
    assert found["planned"] == ["exercises predict-strides", "predictions this"], "an exercise is no prediction"
    assert found["step"] == 1


@pytest.mark.parametrize("address", ["", 'location.hash = "#%E0%A4%A";'])
def test_what_an_earlier_edition_kept_is_planned(site: tuple[str, str], tmp_path: Path, address: str) -> None:
    found = come_back(site, tmp_path, address)
    assert found["done"] and found["planned"] == ["predictions this"] and found["step"] == 0, "it is not due yet"


def test_who_is_sent_into_a_covered_output_sees_it(path: Any) -> None:
    assert not path["stale"]["output"] and path["anchor"]["output"] and path["anchor"]["paragraph"]
    assert not path["before"] and path["marked"]


def test_without_the_script_everything_is_seen_and_no_form_is_offered(site: tuple[str, str], tmp_path: Path) -> None:
    assert run(tmp_path, page(site, ALONE)) == [True, True, False]


ASKED_FORM = """<section><h2>Rates</h2><div><p>How many bytes?</p>
<form class="predict-form" data-key="rates-0a1b2c" data-covers="out" data-fields="%s" novalidate>
<input type="checkbox" name="predict-rates-0a1b2c-0" value="`a(b)`"><input type="checkbox" value="with `c`, or d"
name="predict-rates-0a1b2c-0"><input type="text" name="predict-rates-0a1b2c-1"><input type="text"
name="predict-rates-0a1b2c-2"><p class="predict-hint" role="alert"></p><button type="submit">Commit</button>
<button type="button" data-do="show">Show me</button><div class="predict-told" role="status"></div></form></div>
<div id="out" class="predict-output"><pre>50</pre></div></section>"""

FIELDS: list[dict[str, Any]] = [
    {"kind": "several", "ask": "which?", "right": ["`a(b)`", "with `c`, or d"], "shown": "joined", "mistakes": []},
    {**GIGA, "ask": "rate", "shown": "53.1 GB/s", "mistakes": []},
    {**SHARE, "ask": "share", "shown": "18", "mistakes": []},
]

ASKING = """
addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form");
  const [one, other, rate, share] = form.querySelectorAll("input");
  one.checked = other.checked = true;
  const hint = form.querySelector(".predict-hint");
  const commit = (first, second) => {
    [rate.value, share.value] = [first, second];
    form.requestSubmit();
    const kept = course.get("predictions", "rates-0a1b2c");
    return [hint.textContent, document.activeElement.name ?? "", rate.getAttribute("aria-invalid"), Boolean(kept)];
  };
  const found = { bananas: commit("50 bananas", "18"), share: commit("50 GB/s", "0.18") };
  hint.querySelector("button").click();
  found.offered = [share.value, hint.textContent, document.activeElement === share];
  found.far = commit("53", "18 %");
  found.planned = repeat.planned().length;
  found.twice = commit("53", "18 %");
  found.wrong = repeat.planned().length;
  const items = (list) => [...list.children].map((one) => one.textContent);
  found.lists = [...form.querySelectorAll(".predict-list")].map(items);
  report(found);
});
"""


def test_what_is_asked_is_neither_judged_nor_kept_and_a_far_number_is_asked_about_once(tmp_path: Path) -> None:
    form = ASKED_FORM % escape(json.dumps(FIELDS))
    found = run(tmp_path, f"{scripts()}{form}<script>{ASKING}</script>")
    name = "predict-rates-0a1b2c"
    hint, focus, invalid, kept = found["bananas"]
    assert hint.startswith("rate: 50 bananas cannot be read: bananas is not understood.")
    assert (focus, invalid, kept) == (f"{name}-1", "true", False)
    assert found["share"][1:] == [f"{name}-2", None, False]
    assert found["offered"] == ["18 %", "", True]
    assert found["far"][0].startswith("rate: Did you mean 53 GB/s?") and found["far"][1:] == [
        f"{name}-1",
        "true",
        False,
    ]
    assert found["planned"] == 0 and found["twice"][3] and found["wrong"] == 1, "who insists is judged"
    assert found["lists"] == [["a(b)", "with c, or d"]] * 2, "what holds stands in a list"


KEPT = {
    "unread": [["`a(b)`"], "fifty-ish of them", "18 %"],
    "of another kind": ["`a(b)`", ["50"], "18 %"],
    "no choice of today": [["`x`"], "50 GB/s", "18 %"],
    "read": [["`a(b)`"], "(25)*2*(1) GB/s", "18 %"],
}
BROUGHT = """
addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form");
  const state = () => ({
    hint: form.querySelector(".predict-hint").textContent, done: form.matches(".predict-done"),
    rate: form.querySelectorAll("input")[2].value, cover: Boolean(document.querySelector(".predict-cover")),
    planned: repeat.planned().length, focus: document.activeElement === document.body,
    told: form.querySelector(".predict-told").textContent,
  });
  report(Object.entries(kept).map(([name, said]) => {
    course.replace(JSON.stringify({ v: courseRecord.VERSION, predictions: { "rates-0a1b2c": { said } } }));
    return [name, state()];
  }));
});
"""


def test_what_is_kept_and_cannot_be_read_is_asked_and_never_judged(tmp_path: Path) -> None:
    form = ASKED_FORM % escape(json.dumps(FIELDS))
    found = dict(run(tmp_path, f"{scripts()}{form}<script>const kept = {in_page(KEPT)};{BROUGHT}</script>"))
    unread = found.pop("unread")
    assert unread.pop("hint").startswith("rate: fifty-ish of them cannot be read: ish is not understood.")
    closed = {"done": False, "cover": True, "planned": 0, "focus": True, "told": ""}
    assert unread == {**closed, "rate": "fifty-ish of them"}, "what a notebook has kept"
    read = found.pop("read")
    assert read["done"] and "(25)*2*(1) GB/s" in read["told"], "what was typed has no markup"
    for name, state in found.items():
        assert state == {**closed, "rate": state["rate"], "hint": ""}, f"of an earlier question: {name}"


# -- the same in a notebook -------------------------------------------------------------------------------------

NUMBERS_SAID = """0 7 12 40 1,000 1.000,5 ½ 1½ 2^20 3×10⁸ 5*10**10 1e3 -3 −5 1_000 ten two_thirds half twofold
twenty-one a_hundred three_halves 1.5 0.18 10**3 2_x_10^8 many NaN inf never 1/3 40-50 1'000 1\u202f000 five_x"""
BEHIND = ["", " %", " GB/s", "MB", " µs", " times", " million", " of 10", ".", " or so"]
SHAPES_SAID = """(3,4) (3,_4) 3,_4 3_x_4 3×4 3_by_4 (3,) (3) 3, 3 [3,_4] scalar a_scalar () (_) shape_(3,_4) shape:_3_4
3_4_5 (3_4) (-1,_4) −1,4 (03,_4) 1,000 (3.0,_4) 3;4 (3,,4) three (3,_n) (3,_4,) 0 (0,)"""


def test_a_notebook_takes_what_the_page_reads(tmp_path: Path) -> None:
    spaced = [said if said == "1_000" else said.replace("_", " ") for said in re.split(r"[ \n]", NUMBERS_SAID)]
    numbers = [f"{before}{said}{behind}" for said in spaced for before in ("", "about ") for behind in BEHIND]
    shapes = [said.replace("_", " ") for said in SHAPES_SAID.split()]
    cases = [("number", unit, said) for unit in ("", "MB", "times", "%") for said in numbers]
    cases += [("numbers", "", said) for said in numbers if "NaN" not in said and "inf" not in said]
    cases += [("shape", "", said) for said in shapes]
    ask = "cases.map(([kind, unit, said]) => !predict.question({ kind, unit }, said))"
    read = run(tmp_path, f"{scripts()}<script>const cases = {in_page(cases)}; report({ask});</script>")
    kept = [_is_kept(kind, unit, said) for kind, unit, said in cases]
    assert 400 < sum(read) < len(cases) - 400, "of both there are many"
    assert not [case for case, page, notebook in zip(cases, read, kept, strict=True) if page and not notebook]
    of_shapes = [pair for (kind, _, _), *pair in zip(cases, read, kept, strict=True) if kind == "shape"]
    assert not [said for said, (page, notebook) in zip(shapes, of_shapes, strict=True) if page != notebook]


def _is_kept(kind: str, unit: str, said: str) -> bool:
    try:
        return bool(notebook.Field("", kind, unit=unit).read(said))
    except notebook.UnreadableAnswer:
        return False
