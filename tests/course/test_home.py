"""The home of whoever comes back: what a page knows of sections and exercises, and what it says to do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from play.play_browser import run

from jaxcourse.course import Course
from jaxcourse_author.concepts import Stop
from jaxcourse_author.lesson import Minutes, Section
from jaxcourse_author.paths import CoursePath, Walk

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "book" / "_static"
COURSE = Course(ROOT)

sys.path.insert(0, str(ROOT / "book" / "_ext"))
site_home, site_entrance = pytest.importorskip("site_home"), pytest.importorskip("site_entrance")
site_paths, site_sources = pytest.importorskip("site_paths"), pytest.importorskip("site_sources")


def test_every_exercise_is_known_with_its_section_and_minutes() -> None:
    asked = site_home.tasks(COURSE, site_sources.road(COURSE).stops)
    names = [name for some in asked.values() for name in some]
    assert sorted(names) == sorted(name for some in COURSE.exercises().values() for name in some)
    sections = {stop.section.label for stop in site_sources.road(COURSE).stops}
    assert asked.keys() <= sections and all(minutes > 0 for some in asked.values() for minutes in some.values())


def test_every_exercise_for_practice_may_come_up() -> None:
    asked = site_home.tasks(COURSE, site_sources.road(COURSE).stops)
    script = site_paths.paths_script((), site_sources.road(COURSE).stops)
    assert all(f'["{label}",' in script for label in asked), "the section of each is one that can be read"


# -- in a browser -----------------------------------------------------------------------------------------------


def scripts(*names: str) -> str:
    return "".join(f"<script>{(STATIC / name).read_text(encoding='utf-8')}</script>" for name in names)


def stop(place: int, stem: str, label: str, minutes: float) -> Stop:
    section = Section(label, f"On `{label}`", 2, range(0), Minutes(minutes, 0), ())
    return Stop(place, stem, section, 0.0, (), frozenset())


STOPS = [
    stop(i, stem, label, minutes)
    for i, (stem, label, minutes) in enumerate(
        [("01_a", "p", 9), ("01_a", "tiny", 0.2), ("02_b", "q", 16), ("02_b", "r", 14.2), ("03_c", "s", 5)]
    )
]
WALK = Walk(CoursePath("short", "Short", "You.", "go", (), {"": ()}), {"": (STOPS[2], STOPS[4])})
CARD = site_entrance.Card
LESSONS = [
    CARD(
        "01_a", "A", "do", Minutes(9, 9), (), {"core": "Core", "drill": "Drill `x`"}, ("drill",), (), {"p": ["0a1b2c"]}
    ),
    CARD(
        "02_b",
        "B",
        "do",
        Minutes(30, 9),
        (),
        {"other": "Other"},
        ("other",),
        (),
        {"q": ["0d1e2f", "0d1e3f"], "r": ["ffffff"]},
    ),
    CARD("03_c", "C", "do", Minutes(5, 0), (), {}),
]
TASKS = {"p": {"core": 6, "drill": 8}, "r": {"other": 7}}

BACK = """<script>
const home = document.querySelector(".home");
const words = (one) => one.innerText.replace(/\\s+/g, " ").trim();
const shown = () => ({
  hidden: home.hidden, door: document.querySelector(".door").checkVisibility(),
  time: home.querySelector(".home-time").textContent, steps: [...home.querySelectorAll("li")].map(words),
  links: [...home.querySelectorAll("a")].map((link) => link.getAttribute("href")),
});
const again = (due) => ({ step: 0, due, words: "Words" });
const due = (key, said) => course.change("predictions", key, { again: again(Date.now() - 1), said });
const found = { fresh: shown() };
course.put("seen", "p", 1);
found.begun = shown().hidden;
course.replace(course.text());
found.back = shown();
course.change("exercises", "drill", { solved: true });
due("p-0a1b2c", [..."123"]);
found.due = shown();
due("q-0d1e2f", [..."1234567"]);
course.change("exercises", "core", { again: again(Date.now()) });
found.more = shown();
course.put("path", "chosen", { name: "short", at: 1 });
found.path = shown();
course.put("exercises", "core", undefined);
for (const key of ["r-ffffff", "q-0d1e2f", "q-0d1e3f", "p-0a1b2c"]) due(key, ["1"]);
found.short = shown().steps[0];
for (const label of ["q", "s"]) course.put("seen", label, 1);
found.done = shown().steps[1];
course.put("path", "chosen", { name: "", at: 2 });
course.put("place", "b", { id: "r", at: 5 });
found.last = shown().steps[1];
course.put("read", "b", true);
found.read = shown().steps.slice(1);
course.clear();
found.cleared = [shown().hidden, shown().door];
course.join(courseRecord.taken('{"v": 2, "path": {"chosen": {"name": "short", "at": 1}}}').record);
found.joined = [shown().hidden, shown().steps[1]];
report(found);
</script>"""


@pytest.fixture(scope="module")
def back(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the first page shows as a reader's record grows."""
    data = f"<script>{site_entrance.lessons_script(LESSONS)}{site_paths.paths_script([WALK], STOPS)}</script>"
    style = f"<style>{(STATIC / 'entrance.css').read_text(encoding='utf-8')}</style>"
    body = f'{style}{site_home.home_html(TASKS)}<div class="door">Door</div>{site_entrance.facts_html(LESSONS, "")}'
    body += f'<section id="your-way">{site_paths.choice_html([WALK])}</section>'
    behind = scripts("record.js", "store.js", "repeat.js", "way.js", "progress.js", "home.js")
    return run(tmp_path_factory.mktemp("home"), f"{body}{data}{behind}{BACK}")


def test_who_comes_for_the_first_time_has_a_door_and_no_home(back: Any) -> None:
    assert back["fresh"]["hidden"] and back["fresh"]["door"]
    assert back["begun"], "a page that is being read doesn't change its top"


def test_who_comes_back_sees_three_steps_and_no_door(back: Any) -> None:
    assert not back["back"]["hidden"] and not back["back"]["door"]
    assert back["back"]["time"] == "28 minutes in all, in this order."
    assert back["back"]["steps"] == [
        "Repeat Nothing is due today.",
        "Read, 20 minutes 2: On r 3: On s The next one of the course is 2: On q, 16 minutes.",
        "Practise, 8 minutes 1.2: Drill x",
    ], "what is longer than 15 minutes is named, what takes no minute left out, and what follows fills the time"
    assert back["back"]["links"] == [
        f"./notebooks/{one}" for one in ("02_b.html#r", "03_c.html#s", "02_b.html#q", "01_a.html#drill")
    ]


def test_what_is_due_takes_the_time_that_is_left(back: Any) -> None:
    first = back["due"]["steps"][0]
    assert first == "Repeat, 3 minutes Prediction in 1: Words"
    assert back["due"]["steps"][2] == "Practise No exercise for practice is open in what you have read."
    assert back["more"]["steps"][0] == (
        "Repeat, 10 minutes Prediction in 1: Words Prediction in 2: Words and 1 more"
    ), "three and seven fit beside a section of fifteen, and six more don't"
    assert "#to-repeat" in back["more"]["links"]
    assert back["short"].startswith("Repeat, 3 minutes ") and back["short"].endswith(" and 1 more"), "in one screen"


def test_on_a_path_the_section_is_one_of_the_path(back: Any) -> None:
    assert back["path"]["steps"][1] == "Read, 5 minutes 3: On s The next one on your path is 2: On q, 16 minutes."
    assert back["done"] == "Read All sections on your path are read. Choose another path."


def test_without_a_path_it_goes_on_where_the_reader_was(back: Any) -> None:
    assert back["last"] == "Read, 15 minutes 2: On r"
    assert back["read"] == ["Read All sections of the course are read.", "Practise, 7 minutes 2.1: Other"]


def test_clearing_brings_back_the_door_and_a_record_the_home(back: Any) -> None:
    assert back["cleared"] == [True, True]
    assert back["joined"] == [False, "Read, 5 minutes 3: On s The next one on your path is 2: On q, 16 minutes."]
