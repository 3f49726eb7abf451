"""*Where do I begin?*: the list of questions, the script that asks them, and what follows from what a reader knows."""

from __future__ import annotations

import json
import re
import sys
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from play.play_browser import in_page, run

from jaxcourse.course import Course
from jaxcourse_author.lesson import Minutes
from jaxcourse_author.placement import Pool, entry_of, read_pool

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "book" / "_static"
COURSE = Course(ROOT)

sys.path.insert(0, str(ROOT / "book" / "_ext"))
site_placement, site_paths = pytest.importorskip("site_placement"), pytest.importorskip("site_paths")
site_entrance = pytest.importorskip("site_entrance")


every_question = pytest.mark.lessons(
    "10_memory_layout",
    "11_broadcasting",
    "12_from_numpy_to_jax",
    "13_bits_and_keys",
    "20_jit_stages",
    "22_control_flow",
    "31_vmap",
    "32_autodiff",
    "33_fitting",
    "34_gotchas",
    "40_sharding",
    "41_three_steps",
    "60_indexing",
    "62_broadcasting_puzzles",
    "80_training",
)
"""Tests that ask all questions, of which a copy without these lessons has fewer."""


@cache
def html() -> str:
    """The page's questions."""
    return str(site_placement.placement_html(COURSE))


def scripts(*names: str) -> str:
    """Some scripts of the site, in the order in which pages load them."""
    return "".join(f"<script>{(STATIC / name).read_text(encoding='utf-8')}</script>" for name in names)


@cache
def paths() -> str:
    """What the pages know of paths and sections."""
    found = site_paths.offered(COURSE)
    return f"<script>{site_paths.paths_script(found, site_paths.road(COURSE).stops)}</script>"


def page(body: str = "") -> str:
    """The page with its scripts."""
    kept = scripts("markup.js", "record.js", "store.js", "repeat.js")
    return f"{html()}{kept}{paths()}{scripts('way.js', 'reader.js', 'answers.js', 'placement.js')}{body}"


def typed(value: Any) -> str:
    """What a reader types or chooses."""
    return value if isinstance(value, str) else repr(value)


def rights() -> dict[str, str]:
    """What is right, by entry."""
    pool = site_placement.pool_of(COURSE)
    return {one.entry: typed(entry_of(one, COURSE).right[one.entry]) for one in pool.questions}


# -- without a script -------------------------------------------------------------------------------------------


def test_without_a_script_the_questions_are_read_in_order_with_their_answers_in_folds() -> None:
    text = re.sub(r"<script.*?</script>", "", html(), flags=re.DOTALL)
    pool: Pool = site_placement.pool_of(COURSE)
    assert re.findall("<h2>(.*?)</h2>", text) == [block.title for block in pool.blocks]
    assert text.count("<details><summary>Answer</summary>") == len(pool.questions)
    assert "<input" not in text and "<button" not in text, "nothing that does nothing"
    assert "<p><code>a[:, ::2]</code></p><details><summary>Answer</summary><p><code>(24, 8)</code>. If you" in text
    assert '<a href="../notebooks/10_memory_layout.html#strides">10: ' in text
    assert len(html()) < 90_000


def test_what_is_said_to_a_wrong_answer_is_the_exercises_own() -> None:
    data = json.loads(re.findall('class="placement-data">(.*?)</script>', html(), re.DOTALL)[0])
    found = [question for block in data["blocks"] for question in block["questions"]]
    strides = next(one for one in found if one["name"] == "predict-strides")
    assert strides["right"] == [["a[:, ::2]", "(24, 8)"]]
    assert {"counted-elements", "float64-size"} <= {one["label"] for one in strides["mistakes"]}
    assert strides["easier"]["name"] == "view-or-copy" and "easier" not in strides["easier"]
    assert [one["path"] for one in data["aims"]] == [walk.path.name for walk in site_paths.offered(COURSE)]


def test_the_build_refuses_a_question_about_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(site_placement.logger, "warning", lambda words, **_: said.append(words))
    monkeypatch.setattr(site_placement, "problems", lambda course, road: [("`a` has no entry `b`", "Write `c`.")])
    site_placement.refuse(SimpleNamespace(srcdir=str(ROOT)))
    assert said == ["book/placement.yml: `a` has no entry `b`. Write `c`."]


def test_a_copy_without_these_lessons_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_placement, "pool_of", lambda course: Pool())
    assert "None of the lessons" in site_placement.placement_html(COURSE)


# -- four readers -----------------------------------------------------------------------------------------------

ASK = """<script>
const stage = document.querySelector(".placement-stage");
const text = (where) => stage.querySelector(where)?.textContent ?? "";
const press = (words) => [...stage.querySelectorAll("button")].find((one) => one.textContent === words).click();
/** Answer a question by what is known of it, as a reader does; what is not known is not. */
const answer = (known) => {
  const entry = text(".answers-entry :is(label, legend)");
  const asked = { at: text("h2"), entry, said: "" };
  if (!Object.hasOwn(known, entry)) {
    press("I don't know");
    return asked;
  }
  const radio = [...stage.querySelectorAll("input[type=radio]")].find((one) => one.value === known[entry]);
  if (radio) radio.checked = true;
  else stage.querySelector(".answers-entry :is(input, select)").value = known[entry];
  stage.querySelector("form").requestSubmit();
  asked.said = text(".answers-verdict");
  asked.focus = document.activeElement.textContent;
  press("Go on");
  return asked;
};
const through = (known, aim = "") => {
  stage.querySelector(`[value="${aim}"]`).checked = true;
  stage.querySelector("form").requestSubmit();
  const asked = [];
  while (text("h2") !== "Where you begin") asked.push(answer(known));
  return {
    asked, sent: text(".placement-sent p"), begins: text(".placement-sent p:nth-of-type(2)"),
    known: Object.keys(course.all("known")), map: [...stage.querySelectorAll("h3 + p")].map((one) => one.textContent),
    focus: document.activeElement.textContent, path: course.get("path", "chosen") ?? null,
    other: [course.all("seen"), course.all("exercises"), course.all("read")].map((one) => Object.keys(one).length),
  };
};
</script>"""

NUMPY = ["(4, 1, 9) and (3, 1)", "result[i][j] = a[i] - b[j]", "a[:, ::2]", "x[0, ::8]", "np.bincount(run, weights=x)"]
NUMPY += ["f.T", "v at 0.021"]
TORCH = ["(4, 1, 9) and (3, 1)", "result[i][j] = a[i] - b[j]", "m.T.reshape(24)", "the same key for two draws"]
TORCH += ["Jacobian, 3 parameters, 500 results, forwards", "jnp.where(x > 0, jnp.log(x), 0.0) at 0.0", "v at 0.021"]
TORCH += ["net.train(); net(x): BatchStat", "a.max(axis=0)", "a gap leaves the mean as it was"]


def reader(knows: list[str], wrong: dict[str, str] | None = None) -> dict[str, str]:
    """What a reader types: what is right of what is known, and what is wrong of some other things."""
    right = rights()
    assert {*knows} <= right.keys()
    return {entry: right[entry] for entry in knows} | (wrong or {})


@every_question
def test_four_readers_are_sent_to_where_they_begin(tmp_path: Path) -> None:
    readers = {
        "all": reader([*rights()]),
        "numpy": reader(NUMPY, {"np.exp(v)": "jax"}),
        "torch": reader(TORCH, {"a[:, ::2]": "(6, 2)"}),
        "nothing": {},
    }
    found = {
        name: run(tmp_path, page(f"{ASK}<script>report(through({in_page(known)}))</script>"))
        for name, known in readers.items()
    }
    sent = {name: one["sent"].partition(".")[0] for name, one in found.items()}
    assert sent == {
        "all": "I have a GPU",
        "numpy": "Ten hours for a scientist",
        "torch": "From PyTorch",
        "nothing": "Ten hours for a scientist",
    }
    count = {name: len(one["asked"]) for name, one in found.items()}
    pool = read_pool(COURSE)
    assert count["all"] == sum(len(block.questions) for block in pool.blocks), "of each pair the harder one alone"
    assert count["nothing"] == 2 * len(pool.blocks), "two wrong ones end a block"
    assert max(count.values()) <= 25
    assert {*found["all"]["known"]} == {label for one in pool.questions for label in one.unlocks}
    assert found["nothing"]["known"] == [] and found["nothing"]["map"][0].startswith("You know 0 of ")
    assert {"stretch", "silent-loss", "strides", "views", "duplicates"} <= {*found["numpy"]["known"]}
    assert not {"five-loops", "same-names", "jit-reads-once"} & {*found["numpy"]["known"]}
    assert {"which-way", "push-and-pull", "net-by-hand", "predict-then-read"} <= {*found["torch"]["known"]}
    assert not {"strides", "net-state", "jit-reads-once", "error-bars"} & {*found["torch"]["known"]}
    for name, one in found.items():
        assert one["other"] == [0, 0, 0], f"{name}: nothing is read or solved by it"
        assert one["focus"] == "Where you begin" and one["path"] is None, "a path is chosen by the reader alone"
        assert "It begins for you with " in one["begins"]


@every_question
def test_a_wrong_answer_is_told_why_and_an_unread_one_is_asked_again(tmp_path: Path) -> None:
    ask = """<script>
    stage.querySelector("form").requestSubmit();
    const found = { first: text("h2"), focus: document.activeElement.textContent };
    stage.querySelector(".answers-entry input").value = "four";
    stage.querySelector("form").requestSubmit();
    found.unread = [text(".answers-verdict"), text("h2")];
    stage.querySelector(".answers-entry input").value = "";
    stage.querySelector("form").requestSubmit();
    found.empty = text(".answers-verdict");
    found.wrong = answer({ "(4, 1, 9) and (3, 1)": "(4, 9)" });
    found.easier = answer({ "(n, 1) predictions minus (n,) measurements": "silent" });
    press("Stop here");
    found.known = Object.keys(course.all("known"));
    found.ended = [...stage.querySelectorAll("h3 + p")].map((one) => one.textContent);
    report(found);
    </script>"""
    found = run(tmp_path, page(ASK + ask))
    assert found["first"] == found["focus"] == "Question 1 · Arrays, at most 24 more"
    assert found["unread"][0].startswith("○ Not checked") and found["unread"][1] == found["first"]
    assert "Nothing is filled in yet" in found["empty"]
    assert found["wrong"]["said"].startswith("✗ No") and "Where it is explained" in found["wrong"]["said"]
    assert found["wrong"]["focus"] == found["easier"]["focus"] == "Go on"
    assert found["easier"]["said"] == "✓ Right" and found["easier"]["at"] == "Question 2 · Arrays, at most 23 more"
    assert found["known"] == ["silent-loss"] and "ended this part" not in "".join(found["ended"])


@every_question
def test_an_aim_decides_and_the_map_takes_back(tmp_path: Path) -> None:
    ask = f"""<script>
    const found = through({in_page(reader([*rights()]))}, "does-not-fit");
    const labels = [...stage.querySelectorAll(".placement-map label")];
    const box = labels.find((one) => one.textContent.includes("10: Strides"));
    const left = () => text(".placement-sent p:nth-of-type(2)");
    const before = left();
    box.querySelector("input").click();
    found.taken = [before, left(), course.get("known", "strides").holds, courseWay.isKnown({{ label: "strides" }})];
    stage.querySelector(".placement-sent a.course-button").addEventListener("click", (event) => event.preventDefault());
    stage.querySelector(".placement-sent a.course-button").click();
    found.chosen = course.get("path", "chosen").name;
    press("Begin the questions again");
    courseWay.know(["strides"], true); // another tab may say so
    found.again = [stage.textContent, stage.querySelector(":checked").value];
    dispatchEvent(new Event("beforeprint"));
    const list = document.querySelector(".placement-list");
    found.printed = [list.hidden, stage.hidden, list.querySelectorAll("details:not([open])").length];
    dispatchEvent(new Event("afterprint"));
    found.back = [list.hidden, stage.hidden];
    report(found);
    </script>"""
    found = run(tmp_path, page(ASK + ask))
    assert found["sent"].startswith("My arrays do not fit. You said: “You know NumPy, and your arrays fill")
    before, after, *kept = found["taken"]
    assert before != after and kept == [False, False]
    assert found["chosen"] == "does-not-fit" and "sections known from before: show the map" in found["again"][0]
    assert found["again"][1] == "", "what was chosen for the path is no aim of this time"
    assert found["printed"] == [False, True, 0] and found["back"] == [True, False]


# -- what follows elsewhere -------------------------------------------------------------------------------------

STOPS = [("01_a", "p", 6), ("01_a", "q", 7), ("02_b", "r", 8), ("02_b", "s", 9)]
FRONT = """<script>
const text = (where) => document.querySelector(where)?.textContent ?? null;
const shown = () => ({
  goOn: text("[data-go-on]"), to: document.querySelector("[data-go-on]")?.getAttribute("href") ?? null,
  cards: [...document.querySelectorAll(".course-card")].map((one) => one.querySelector(".course-way")?.innerText ?? ""),
  menu: [...document.querySelectorAll("#pst-primary-sidebar a")].map((one) => one.textContent),
  status: text(".course-paths [role=status]"),
});
const found = { none: shown() };
courseWay.know(["p"], true);
found.one = shown();
courseWay.know(["q"], true);
found.lesson = shown();
courseWay.choose("short");
found.path = shown();
courseWay.see("r");
found.read = shown();
courseWay.know(["p"], false);
found.back = shown();
const file = course.text();
course.clear();
course.join(courseRecord.taken(file).record);
found.joined = course.all("known");
report(found);
</script>"""


def course_paths() -> str:
    """Two lessons of two sections, and a path through three of them."""
    known = {
        "lessons": ["01_a", "02_b"],
        "sections": [[label, int(stem[1]) - 1, minutes, f"On {label}"] for stem, label, minutes in STOPS],
        "paths": {"short": {"title": "Short", "at": [0, 2, 3]}},
    }
    return f"<script>window.coursePaths = {json.dumps(known)};</script>"


def lessons_html() -> tuple[str, list[Any]]:
    """The menu of two lessons, and their cards."""
    cards = [site_entrance.Card(stem, stem[-1].upper(), "do", Minutes(5, 0), (), {}) for stem in ("01_a", "02_b")]
    menu = "".join(f'<li><a href="notebooks/{one.stem}.html">{one.title}</a></li>' for one in cards)
    return f'<nav id="pst-primary-sidebar"><ul>{menu}</ul></nav>', cards


def test_cards_menu_and_the_way_on_leave_out_what_is_known(tmp_path: Path) -> None:
    menu, cards = lessons_html()
    choice = '<fieldset class="course-paths"><input type="radio" value="short"><p role="status"></p></fieldset>'
    body = f"{menu}{choice}{site_entrance.facts_html(cards, '')}{site_entrance.cards_html(cards, '')}"
    known = f"<script>{site_entrance.lessons_script(cards)}</script>{course_paths()}"
    kept = scripts("record.js", "store.js", "repeat.js")
    found = run(tmp_path, f"{body}{kept}{known}{scripts('way.js', 'progress.js')}{FRONT}")
    assert found["none"]["goOn"] is None and found["none"]["menu"] == ["A", "B"]
    assert found["one"] == {
        "goOn": "Go on with 1: A",
        "to": "./notebooks/01_a.html#q",
        "cards": ["You know 1 of 2 sections: 6 minutes", ""],
        "menu": ["A 1/2 known (1 of 2 sections known)", "B"],
        "status": "",
    }
    assert found["lesson"]["goOn"] == "Go on with 2: B" and found["lesson"]["to"] == "./notebooks/02_b.html"
    assert found["lesson"]["menu"] == ["A known (known)", "B"]
    assert found["path"]["status"] == "On your path: 0 of 3 sections, 1 known, 17 minutes left."
    assert found["path"]["to"] == "./notebooks/02_b.html#r"
    assert found["path"]["cards"] == [
        "On your path: 0 of 1 section, 1 known, nothing left",
        "On your path: 0 of 2 sections, 17 minutes left",
    ]
    assert found["read"]["status"] == "On your path: 1 of 3 sections, 1 known, 9 minutes left."
    assert found["back"]["status"] == "On your path: 1 of 3 sections, 15 minutes left."
    assert found["back"]["goOn"] == "Go on with 1: On p"
    assert {label: one["holds"] for label, one in found["joined"].items()} == {"p": False, "q": True}


LESSON = """<article class="bd-article"><section id="a"><h1>A</h1><p class="minutes">About 20 minutes</p>
<section id="on-p"><span id="p"></span><h2>P</h2><p class="minutes">20 minutes left</p><p>End of P.</p></section>
<section id="on-q"><span id="q"></span><h2>Q</h2><p>End of Q.</p></section></section></article>"""
READ = """<script>
courseWay.know(["p", "q"], true);
const known = () => [...document.querySelectorAll(".course-known")];
const lines = () => known().map((one) => one.textContent);
const found = { lines: lines(), behind: known().map((one) => one.previousElementSibling.textContent) };
const button = document.querySelector(".course-known button");
found.name = button.getAttribute("aria-label");
button.click();
report({ ...found, left: lines(), focus: document.activeElement.textContent, kept: course.get("known", "p").holds,
  ends: courseWay.ends("page").map(({ label, end }) => [label, end.textContent]) });
</script>"""


def test_a_known_section_says_so_and_can_be_taken_back(tmp_path: Path) -> None:
    (folder := tmp_path / "notebooks").mkdir()
    known = course_paths().replace("01_a", "page")
    found = run(folder, f"{LESSON}{scripts('record.js', 'store.js', 'repeat.js')}{known}{scripts('way.js')}{READ}")
    said = "You know this section. I don't know it yet"
    assert found["lines"] == [said, said] and found["behind"] == ["20 minutes left", "Q"]
    assert found["name"] == "I don't know it yet: On p"
    assert found["left"] == [said] and found["focus"] == "P" and found["kept"] is False
    assert found["ends"] == [["p", "End of P."], ["q", "End of Q."]]
