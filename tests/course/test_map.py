"""The map of a lesson: what it marks, and how it follows the reader's record; in a browser."""

import sys
from pathlib import Path
from typing import Any

import pytest
from mini_book import build
from play.play_browser import in_page, run

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "book" / "_static"
sys.path.insert(0, str(ROOT / "book" / "_ext"))


def box(kind: str, name: str, title: str) -> str:
    return f'<div class="{kind} admonition" id="{name}"><p class="admonition-title">{title}</p></div>'


NUMBERED = '<span class="caption-number">Exercise 11.{} </span> ({})'
PREDICT = 'Predict<span class="visually-hidden"> {}</span>'
LESSON = f"""<nav id="pst-page-toc-nav"><ul><li class="toc-entry"><a href="#the-rule">The rule</a></li>
<li class="toc-entry"><a href="#far">Far</a></li><li class="toc-entry"><a href="#recap">Recap</a></li></ul></nav>
<article class="bd-article"><section id="page"><h1>Page</h1><p class="minutes">About 9 minutes</p>
<section id="the-rule"><span id="rule"></span><h2>The rule<a class="headerlink">#</a></h2><p>Text.</p>
{box("admonition-predict", "predict-rule-0a1b2c", PREDICT.format(1))}
{box("exercise", "predict-sum", NUMBERED.format(1, "The sum"))}</section>
<section id="far"><h2>Far</h2><p>Text.</p><section id="near"><h3>Near</h3>
{box("exercise practice", "unit-vectors", NUMBERED.format(12, "Unit vectors"))}</section></section>
<section id="recap"><h2>Recap</h2><p>All.</p></section></section></article>"""
PATHS = {"lessons": ["page"], "sections": [["near", 0, 3, "Near"]], "paths": {}}
READ = """
const marks = (place) => [...document.querySelectorAll(`${place} .map-marks a`)]
  .map((one) => [one.getAttribute("href"), one.className, ...[...one.childNodes].map((part) => part.textContent)])
  .map(([href, kind, sign, ...words]) => [href, kind, sign, words.join("")]);
const text = (which) => document.querySelector(which)?.textContent;
const ticked = (place) => [...document.querySelectorAll(`${place} .map-read`)].map((one) => one.textContent.trim());
const state = () => ({
  marks: marks("nav#pst-page-toc-nav"),
  fold: marks(".lesson-map"),
  ticked: ticked("nav#pst-page-toc-nav"),
  count: [text(".map-count"), text(".lesson-map summary")],
});
"""
USE = """
addEventListener("load", () => setTimeout(() => {
  const found = { before: state(), spied };
  course.change("exercises", "predict-sum", { solved: true });
  course.change("predictions", "rule-0a1b2c", { said: ["3"] });
  courseWay.see("rule");
  courseWay.see("near");
  found.half = ticked("nav#pst-page-toc-nav");
  courseWay.see("far");
  found.after = state();
  found.links = [...document.querySelectorAll(".lesson-map nav ol > li > a")].map((one) => one.getAttribute("href"));
  found.name = document.querySelector(".lesson-map nav").getAttribute("aria-label");
  course.clear();
  found.cleared = state();
  report(found);
}));
"""


def script(*names: str) -> str:
    return "".join(f"<script>{(STATIC / name).read_text(encoding='utf-8')}</script>" for name in names)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the map shows at first, and after some things were done."""
    folder = tmp_path_factory.mktemp("map") / "notebooks"
    folder.mkdir()
    spied = "<script>const spied = document.querySelectorAll('#pst-page-toc-nav a').length;</script>"
    paths = f"<script>window.coursePaths = {in_page(PATHS)};</script>"
    body = f"{LESSON}{script('record.js', 'store.js')}{paths}{script('way.js', 'map.js')}{spied}"
    return run(folder, f"{body}<script>{READ}{USE}</script>")


MARKS = [
    ["#predict-rule-0a1b2c", "map-prediction", "?", "Predict 1"],
    ["#predict-sum", "map-exercise", "1", "Exercise 11.1 (The sum)"],
    ["#unit-vectors", "map-exercise", "12", "Exercise 11.12 (Unit vectors)"],
]


def test_each_prediction_and_exercise_has_a_mark_in_the_contents_and_in_the_fold(found: Any) -> None:
    assert found["before"]["marks"] == found["before"]["fold"] == MARKS
    assert found["links"] == ["#the-rule", "#far", "#recap"] and found["name"] == "Map of the lesson"
    assert found["before"]["count"] == [
        "0 of 2 exercises, 0 of 1 prediction",
        "Map: 0 of 2 exercises, 0 of 1 prediction",
    ]


def test_marks_follow_the_record_for_the_eye_and_in_words(found: Any) -> None:
    done = found["after"]["marks"]
    assert done[0] == ["#predict-rule-0a1b2c", "map-prediction map-done", "✓", "Predict 1, made"]
    assert done[1] == ["#predict-sum", "map-exercise map-done", "✓", "Exercise 11.1 (The sum), solved"]
    assert done[2] == MARKS[2] and found["after"]["fold"] == done
    assert found["after"]["count"][0] == "1 of 2 exercises, 1 of 1 prediction"
    assert found["cleared"] == found["before"]


def test_a_section_is_ticked_when_all_in_it_is_read(found: Any) -> None:
    assert found["before"]["ticked"] == ["", "", ""]
    assert found["half"] == ["✓ (read)", "", ""], "a section on no path counts by its label, and one without by its id"
    assert found["after"]["ticked"] == ["✓ (read)", "✓ (read)", ""]


def test_the_contents_are_the_themes_until_the_page_is_there(found: Any) -> None:
    assert found["spied"] == 3, "the theme follows the reader by the links that it finds then"


def test_the_map_is_on_lessons_alone(tmp_path: Path) -> None:
    pytest.importorskip("myst_parser")
    files = {"index.md": "# I\n\n```{toctree}\nnotebooks/01_one\n```\n", "notebooks/01_one.md": "# One\n"}
    out, _ = build(tmp_path, files, ["myst_parser", "site_map"])
    loads = ["map.js" in (out / name).read_text(encoding="utf-8") for name in ("index.html", "notebooks/01_one.html")]
    assert loads == [False, True]
