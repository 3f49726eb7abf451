"""Paths on the site: what is listed and refused, and how a page follows the path that a reader has chosen; the door."""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest
from play.play_browser import run
from toy import edit

from jaxcourse.course import Course
from jaxcourse_author.concepts import Stop
from jaxcourse_author.lesson import Minutes, Section
from jaxcourse_author.paths import CoursePath, Walk

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "book" / "_static"
COURSE = Course(ROOT)

sys.path.insert(0, str(ROOT / "book" / "_ext"))
site_paths, site_entrance = pytest.importorskip("site_paths"), pytest.importorskip("site_entrance")
site_door, site_sources = pytest.importorskip("site_door"), pytest.importorskip("site_sources")


def walk(name: str, *stops: Stop, preset: bool = False) -> Walk:
    """A path by hand."""
    path = CoursePath(name, name.title(), f"You, {name}.", "go", ("masks",), {"": ()}, preset)
    return Walk(path, {"": stops})


def stop(place: int, stem: str, label: str, minutes: float) -> Stop:
    """A section by hand."""
    section = Section(label, f"On `{label}`", 2, range(0), Minutes(minutes, 0), ())
    return Stop(place, stem, section, 0.0, (), frozenset())


STOPS = [
    stop(i, stem, label, 5.5 + i) for i, (stem, label) in enumerate(zip(["01_a"] * 3 + ["02_b"], "pqrs", strict=True))
]
WALKS = (walk("short", STOPS[0], STOPS[2], STOPS[3]), walk("other", STOPS[3]))


# -- as text ----------------------------------------------------------------------------------------------------


def test_each_path_is_listed_with_its_sections_and_minutes() -> None:
    text = site_paths.listed(WALKS[:1], "###")
    assert text.startswith("(path-short)=\n### Short\n\nYou, short.\nAfter it you can go.\n\nYou know already: masks.")
    assert "**22 minutes, 3 sections, 0 exercises.**" in text
    assert "1 · {doc}`../notebooks/01_a`, 13 minutes\n: {ref}`p` (6), {ref}`r` (8)\n" in text
    assert site_paths.listed([]) == "No path leads through the lessons that are taught here alone."


def test_without_a_script_what_may_be_chosen_is_text_with_links() -> None:
    html = site_paths.choice_html(WALKS)
    assert re.findall(r'value="(.*?)"', html) == ["", "short", "other"]
    assert html.count(" hidden>") == 3, "no button that does nothing"
    assert '<a href="paths.html#path-short">22 minutes, 3 sections, 0 exercises</a>' in html
    assert "radio" not in site_paths.choice_html(())


def test_the_page_with_which_a_path_begins_is_named_where_it_is_on_the_site() -> None:
    begun = replace(WALKS[0], path=replace(WALKS[0].path, page="book/from_elsewhere"))
    assert "\nBegin with {doc}`/book/from_elsewhere`.\n" in site_paths.listed([begun])
    link = ' · <a href="from_elsewhere.html">begin with a page of its own</a>'
    assert link in site_paths.choice_html([begun], pages=["book/from_elsewhere"])
    assert link not in site_paths.choice_html([begun])


def test_the_script_of_the_paths_is_data_and_small() -> None:
    offered = site_paths.offered(COURSE)
    stops = site_sources.road(COURSE).stops
    text = site_paths.paths_script(offered, stops)
    known = json.loads(text.removeprefix("window.coursePaths = ").removesuffix(";\n"))
    assert list(known["paths"]) == [one.path.name for one in offered]
    for one in offered:
        at = known["paths"][one.path.name]["at"]
        assert [known["sections"][i][0] for i in at] == [stop.section.label for stop in one.stops]
    labels = [one[0] for one in known["sections"]]
    assert labels == [one.section.label for one in stops if one.section.label], "what is read is kept without a path"
    assert len(gzip.compress(text.encode())) < 30 * len(labels), "it is on every page: each section in 30 bytes"


def test_the_build_refuses_a_path_that_is_not_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "notebooks/01_a.md": "# A\n\n(jit)=\n## Compile\n\n`jit`.\n\n(use)=\n## Use\n\n`jit`.\n",
        "book/index.md": "# Toy\n",
        "book/concepts.yml": "concepts: [{concept: jit, text: [jit], explained by: [jit]}]\n",
        "book/paths.yml": "paths: [{path: one, title: One, for: You., after: go, sections: [jit, use]}]\n",
        "_toc.yml": "format: jb-book\nroot: book/index\nchapters: [{file: notebooks/01_a}]\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    said: list[str] = []
    monkeypatch.setattr(site_paths.logger, "warning", lambda words, **_: said.append(words))
    app = SimpleNamespace(srcdir=str(tmp_path))
    site_paths.refuse(app)
    assert said == []
    edit(tmp_path / "book/paths.yml", "[jit, use]", "[use]")
    site_paths.refuse(app)
    (words,) = said
    assert words.startswith("book/paths.yml: 'one': `use` uses jit") and "Add `jit`" in words


BETS = [site_door.DOOR, *site_door.MORE]
BETS_HERE = [bet for bet in BETS if site_door._home(bet, COURSE)]
each_bet = pytest.mark.parametrize("bet", BETS_HERE, ids=lambda bet: bet.name)
all_bets = pytest.mark.lessons("11_broadcasting", "13_bits_and_keys", "81_collectives")


@each_bet
def test_a_bet_has_two_pictures_of_a_lesson_and_says_why(bet: Any) -> None:
    html = site_door.doors_html((bet,), COURSE)
    assert len(re.findall(r'<svg[^>]+aria-label="[^"]{40,}"', html)) == 2
    assert re.findall(r'<button[^>]+data-bet="(\w+)"', html) == ["A", "B"] and f'data-right="{bet.right}"' in html
    assert f"{site_door._home(bet, COURSE).stem}.html#{bet.label}" in html
    assert "<details>" in html and bet.why in html, "without a script, the answer is in a fold"
    assert len(gzip.compress(html.encode())) < 12_000
    assert not re.findall(r"<text", html), "a picture of this size has no letters"


@all_bets
def test_several_bets_stand_together_and_those_that_nobody_explains_are_left_out(tmp_path: Path) -> None:
    html = site_door.doors_html(site_door.MORE, COURSE)
    assert html.startswith('<div class="doors"><section') and html.count("<section") == 3
    assert len(set(found := re.findall(r'\bid="([^"]+)"', html))) == len(found)
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "_toc.yml").write_text("root: index\n")
    assert site_door.doors_html(site_door.MORE, Course(tmp_path)) == ""


@pytest.fixture
def as_readers() -> Iterator[None]:
    """The settings with which a lesson runs: these tests have stricter ones."""
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        yield


def made(bet: Any) -> dict[str, Any]:
    """What the cells of its lesson make for a bet."""
    names: dict[str, Any] = site_door.made(bet, site_door._home(bet, COURSE), COURSE)
    return names


@pytest.mark.lessons("11_broadcasting")
@pytest.mark.usefixtures("as_readers")
def test_what_the_door_says_is_so_in_the_lesson() -> None:
    bet = site_door.DOOR
    names = made(bet)
    count, quake = len(names["plain"]), names["QUAKE"]
    assert f"{count**2} differences where you meant {count}" in bet.why and f"({count}, 1)" in bet.why
    darkest = {}
    for name, spread in zip(bet.pictures, names["maps"].values(), strict=True):
        i, j = np.unravel_index(spread.argmin(), spread.shape)
        darkest[name] = float(np.hypot(*(np.array([names["east"][j], names["north"][i]]) - quake)))
    assert min(darkest, key=darkest.__getitem__) == bet.right and darkest[bet.right] < 5 < darkest["A"]


@pytest.mark.lessons("13_bits_and_keys")
@pytest.mark.usefixtures("as_readers")
def test_what_the_vanishing_pulsar_says_is_so_in_the_lesson() -> None:
    bet = site_door.MORE[0]
    names = made(bet)
    peaks = [
        np.histogram(np.asarray(times) / names["period"], 40)[0].max() / (len(times) / 40)
        for times in names["folded"].values()
    ]
    assert peaks[0] > 2 > 1.5 > peaks[1] and bet.right == "B"
    low = (names["stamps"] & 0xFFFFFFFF).astype(np.uint32).view(np.int32)
    assert np.array_equal(np.asarray(names["jnp"].asarray(names["stamps"])), low)
    assert f"every {2**32 / 1e9:.1f} seconds" in " ".join(bet.why.split())
    assert (2**32 / 1e9 / names["period"]) % 1 > 0.05, "in the middle of a period"


@pytest.mark.lessons("11_broadcasting")
@pytest.mark.usefixtures("as_readers")
def test_what_the_loss_that_learns_nothing_says_is_so_in_the_lesson() -> None:
    bet = site_door.MORE[1]
    names = made(bet)
    assert bet.line.removeprefix("loss = ") in Path(site_door._home(bet, COURSE)).read_text()
    weights, y = names["fits"]["broken_loss"], names["y"]
    assert names["predict"](weights).shape == (200, 1) and "(200, 1)" in bet.why and y.shape == (200,)
    assert np.allclose(np.asarray(weights)[:, 0], [y.mean(), 0], atol=1e-3) and bet.right == "A"
    assert names["broken_loss"](weights) < names["broken_loss"](0 * weights), "it has fallen"


@pytest.mark.lessons("81_collectives")
@pytest.mark.usefixtures("as_readers")
def test_what_the_gradient_says_is_so_in_the_lesson() -> None:
    bet = site_door.MORE[2]
    names = made(bet)
    slopes = names["spread"](names["mean_of_gradients"], names["specs"], names["P"]())
    weight, batch = names["weight"], names["batch"]
    assert np.isclose(slopes(weight, batch) / names["true"], site_door.TIMES) and len(batch) == 2 * site_door.TIMES
    right, wrong = (np.abs(site_door.way_down(names, times)) for times in (1, site_door.TIMES))
    assert (np.diff(right) < 0).all() and (np.diff(wrong[1:]) > 0).all() and bet.right == "B"
    assert len(right) == 1 + site_door.STEPS and "six small steps" in bet.asks


# -- in a browser -----------------------------------------------------------------------------------------------

SCRIPTS = "".join(
    f"<script>{(STATIC / name).read_text(encoding='utf-8')}</script>" for name in ("record.js", "store.js", "repeat.js")
)
BEHIND = "".join(
    f"<script>{(STATIC / name).read_text(encoding='utf-8')}</script>" for name in ("way.js", "progress.js", "door.js")
)
FRONT = """<script>
const text = (where) => document.querySelector(where)?.textContent ?? null;
const radio = (name) => document.querySelector(`[name=course-path][value="${name}"]`);
const shown = () => ({
  status: text(".course-paths [role=status]"), wayOn: text(".course-paths .course-way-next"),
  goOn: text("[data-go-on]"),
  to: document.querySelector("[data-go-on]")?.getAttribute("href") ?? null,
  cards: [...document.querySelectorAll(".course-card")].map((one) => one.querySelector(".course-way")?.innerText ?? ""),
  menu: [...document.querySelectorAll("#pst-primary-sidebar a")].map((one) => one.textContent),
});
const found = { none: shown(), hidden: radio("short").hidden };
radio("short").click();
found.chosen = shown();
courseWay.see("p");
found.seen = shown();
const kept = course.text();
course.replace("{}");
found.cleared = [shown(), radio("").checked];
course.join(courseRecord.taken(kept).record);
found.joined = [course.get("path", "chosen").name, shown().status, radio("short").checked];
radio("other").click();
found.other = shown();
radio("").click();
found.again = shown();
course.put("path", "chosen", { name: "constructor", at: 1 });
found.strange = shown().status;
const bets = [...document.querySelectorAll("button[data-bet]")];
bets[0].click();
found.wrong = [text(".door-verdict"), bets.map((one) => one.getAttribute("aria-pressed"))];
bets[1].click();
found.right = text(".door-verdict");
bets[2].click();
found["other bet"] = text(".doors .door-verdict");
found.fold = document.querySelector(".door details").hidden;
report(found);
</script>"""


@all_bets
def test_the_front_page_follows_the_path_that_was_chosen_and_takes_a_bet(tmp_path: Path) -> None:
    lessons = [
        site_entrance.Card(stem, stem[-1].upper(), "do", Minutes(5, 0), (), {}) for stem in ("01_a", "02_b", "03_c")
    ]
    scripts = f"<script>{site_entrance.lessons_script(lessons)}{site_paths.paths_script(WALKS, STOPS)}</script>"
    menu = "".join(f'<li><a href="notebooks/{one.stem}.html">{one.title}</a></li>' for one in lessons)
    body = f'<nav id="pst-primary-sidebar"><ul>{menu}</ul></nav>'
    body += site_door.doors_html((site_door.DOOR,), COURSE) + site_door.doors_html(site_door.MORE, COURSE)
    body += (
        f"{site_entrance.facts_html(lessons, '')}{site_paths.choice_html(WALKS)}{site_entrance.cards_html(lessons, '')}"
    )
    found = run(tmp_path, f"{body}{SCRIPTS}{scripts}{BEHIND}{FRONT}")
    none = {"status": "", "wayOn": None, "goOn": None, "to": None, "cards": [""] * 3, "menu": ["A", "B", "C"]}
    assert found["none"] == found["again"] == found["cleared"][0] == none and not found["hidden"]
    assert found["chosen"] == {
        "status": "On your path: 0 of 3 sections, 22 minutes left.",
        "wayOn": "Begin with 1: On p, 6 minutes",
        "goOn": "Go on with 1: On p",
        "to": "./notebooks/01_a.html#p",
        "cards": [
            "On your path: 0 of 2 sections, 13 minutes left",
            "On your path: 0 of 1 section, 9 minutes left",
            "Not on your path",
        ],
        "menu": ["A", "B", "C (not on your path)"],
    }
    assert found["seen"]["cards"][0] == "On your path: 1 of 2 sections, 8 minutes left"
    assert found["seen"]["goOn"] == "Go on with 1: On r"
    assert found["seen"]["wayOn"] == "Go on with 1: On r, 8 minutes", (
        "where one chooses, the button at the top is out of sight"
    )
    assert found["joined"] == ["short", "On your path: 1 of 3 sections, 16 minutes left.", True]
    assert found["other"]["goOn"] == "Go on with 2: On s" and found["cleared"][1] and found["strange"] == ""
    assert found["wrong"][0].startswith("No, it is map B. For map A")
    assert found["wrong"][1] == ["true", *["false"] * 7], "one bet is not another"
    assert found["right"].startswith("Yes, it is map B. ") and found["fold"]
    assert found["other bet"].startswith("No, it is picture B. jnp.asarray keeps")


LESSON = """<article class="bd-article"><section id="a"><h1>A</h1><p class="minutes">About 20 minutes</p>
<section id="on-p"><span id="p"></span><h2>P</h2><p class="minutes">20 minutes left</p><p>Do.</p>
<div class="exercise"><section id="c">C</section></div><p>End of P.</p></section>
<section id="on-q"><span id="q"></span><h2>Q</h2><p class="minutes">9 minutes left</p><p>End of Q.</p></section>
<section id="on-r"><span id="r"></span><h2>R</h2><p>Inside.</p><p>End of R.</p>
{below}</section>
</section></article><footer class="prev-next-footer"><a class="right-next" href="03_c.html">
<p class="prev-next-subtitle">next</p><p class="prev-next-title">C</p></a></footer>"""
READ = """<script>
// What is seen is said here: the end of P in passing, that of R to stay.
window.IntersectionObserver = class {
  constructor(tell) { this.tell = (target, isIntersecting) => tell([{ target, isIntersecting }]); }
  observe(target) {
    const [passing, stays] = ["End of P.", "End of R."].map((words) => target.textContent === words);
    if (passing || stays) setTimeout(() => this.tell(target, true), 10);
    if (passing) setTimeout(() => this.tell(target, false), 500);
  }
};
course.put("path", "chosen", { name: "short", at: 1 });
setTimeout(() => dispatchEvent(new Event("scroll")), 100);
const words = (one) => one.textContent.replace(/\\s+/g, " ").trim();
const lines = () => [...document.querySelectorAll("[data-way]")].map(words);
setTimeout(() => {
  const after = [...document.querySelectorAll(".course-way-next")].map((one) => one.previousElementSibling.textContent);
  const button = document.querySelector("a.right-next:not([hidden])").getAttribute("href");
  const seen = Object.keys(course.all("seen"));
  const found = { lines: lines(), after, button, seen };
  course.put("path", "chosen", { name: "other", at: 2 });
  found.off = lines();
  course.put("path", "chosen", { name: "both", at: 2 });
  found.both = lines();
  course.put("path", "chosen", { name: "late", at: 3 });
  found.late = lines();
  course.put("path", "chosen", { name: "", at: 3 });
  report({ ...found, none: lines(), back: document.querySelector("a.right-next:not([hidden])").getAttribute("href") });
}, 5000);
</script>"""


@pytest.mark.parametrize("below", ['<section id="x"><h3>X</h3></section>', ""], ids=["a section below", "the last one"])
def test_a_lessons_page_says_what_is_on_the_path_where_to_go_on_and_keeps_what_is_read(
    tmp_path: Path, below: str
) -> None:
    (folder := tmp_path / "notebooks").mkdir()
    lessons = [site_entrance.Card(stem, stem, "do", Minutes(5, 0), (), {}) for stem in ("page", "02_b")]
    stops = [stop(i, "page" if one.stem == "01_a" else one.stem, one.name, one.minutes) for i, one in enumerate(STOPS)]
    both = walk("both", stops[0], stops[1])
    late = walk("late", stops[3], stops[0])
    walks = (walk("short", stops[0], stops[2], stops[3]), walk("other", stops[3]), both, late)
    scripts = f"<script>{site_entrance.lessons_script(lessons)}{site_paths.paths_script(walks, stops)}</script>"
    found = run(folder, f"{LESSON.replace('{below}', below)}{SCRIPTS}{scripts}{READ}{BEHIND}")
    assert found["lines"] == [
        "On your path: 0 of 2 sections, 13 minutes left.",
        "Next on your path: On r, 8 minutes",
        "· not on your path",
        "Next on your path: 2: On s, 9 minutes",
        "next on your path2: On s",
    ]
    assert found["after"] == ["End of P.", "End of R."], "behind what is read, before the sections in it"
    assert found["button"] == "./notebooks/02_b.html#s"
    assert found["seen"] == ["r"], "who only passes by has not read it"
    assert found["off"] == ["This lesson is not on your path, Other.", "next on your path2: On s"]
    assert found["both"] == ["On your path: 0 of 2 sections, 12 minutes left.", "Here your path ends."], (
        "what comes next anyway is not said, whatever else on the page is a section"
    )
    assert found["late"][1] == "Here your path ends. Still open on it: 2: On s, 9 minutes"
    assert found["none"] == [] and found["back"] == "03_c.html"


def test_the_button_of_other_pages_leads_to_the_path_where_it_led_to_a_lesson_or_the_path_begins(
    tmp_path: Path,
) -> None:
    begun = replace(WALKS[1], path=replace(WALKS[1].path, page="book/page"))
    read = """<script>
const to = () => document.querySelector("a.right-next:not([hidden])").getAttribute("href");
const taken = (name) => { course.put("path", "chosen", { name, at: 1 }); return to(); };
report({ short: taken("short"), begun: taken("other"), none: taken("") });
</script>"""
    footer = """<footer class="prev-next-footer"><a class="right-next" href="{}"><p class="prev-next-subtitle">next</p>
<p class="prev-next-title">Next</p></a></footer>"""
    script = f"<script>{site_paths.paths_script((WALKS[0], begun), STOPS)}</script>"
    way = BEHIND.partition("</script>")[0] + "</script>"
    for folder, to, found in (
        ("sheets", "other.html", {"short": "other.html", "begun": "other.html", "none": "other.html"}),
        ("book", "other.html", {"short": "other.html", "begun": "./notebooks/02_b.html#s", "none": "other.html"}),
        (
            "paths",
            "../notebooks/03_c.html",
            {"short": "./notebooks/01_a.html#p", "begun": "./notebooks/02_b.html#s", "none": "../notebooks/03_c.html"},
        ),
    ):
        (tmp_path / folder).mkdir()
        assert run(tmp_path / folder, f"{footer.format(to)}{SCRIPTS}{script}{way}{read}") == found
