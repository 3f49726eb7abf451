"""An exercise that has another name now: on the site, records, links and ticks with its old one are those of today."""

import json
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from play.play_browser import PATIENCE, in_page, launch, run
from playwright.sync_api import Route, sync_playwright
from toy import toy

from jaxcourse.course import Course
from jaxcourse_author import moving
from jaxcourse_author.lesson import Minutes

__all__ = ["toy"]
ROOT = Path(__file__).parents[2]
STATIC = ROOT / "book" / "_static"
sys.path.insert(0, str(ROOT / "book" / "_ext"))
site_entrance, site_moved = pytest.importorskip("site_entrance"), pytest.importorskip("site_moved")

SCRIPTS = {name: f"<script>{(STATIC / f'{name}.js').read_text()}</script>" for name in ("record", "store", "repeat")}
PROGRESS, MOVED = ((STATIC / f"{name}.js").read_text() for name in ("progress", "moved"))
KEY = json.dumps("course /")
EARLIER = {"double-it": "twice", "by-two": "twice"}


@pytest.fixture
def renamed(toy: Path) -> Course:
    """The toy, whose exercise has had two names before."""
    moving.exercise(Course(toy), "double-it", "by-two")
    moving.exercise(Course(toy), "by-two", "twice")
    return Course(toy)


def test_pages_are_told_the_names_that_exercises_have_had(renamed: Course) -> None:
    (card,) = site_entrance.cards(renamed)
    assert card.exercises == {"twice": "Double it"} and card.earlier == EARLIER
    script = site_entrance.lessons_script([card]).removeprefix("window.courseLessons = ").removesuffix(";\n")
    assert json.loads(script)[0]["earlier"] == EARLIER


def opened(folder: Path, kept: Any, address: str, then: str) -> Any:
    """What a lesson's page hands to `report` on which some record is found; `exercises` are those of today."""
    card = site_entrance.Card("page", "Page", "a", Minutes(5, 0), (), {"twice": "Twice", "other": "O"}, earlier=EARLIER)
    lessons = f"<script>{site_entrance.lessons_script([card])}</script>"
    found = f"<script>localStorage.setItem({KEY}, {in_page(json.dumps(kept))});</script>" if kept else ""
    begin = f"{SCRIPTS['record']}{found}{SCRIPTS['store']}{SCRIPTS['repeat']}{lessons}<script>{PROGRESS}</script>"
    (folder / "notebooks").mkdir()
    page = '<article class="bd-article"><h1>Page</h1></article>'
    show = f"setTimeout(() => report((() => {{ {then} }})()), 300);"
    return run(folder / "notebooks", f"{page}{begin}<script>{show}</script>", address)


def test_what_a_browser_has_kept_under_an_old_name_is_todays(tmp_path: Path) -> None:
    again, typed = {"step": 1, "due": 9, "words": ""}, {"tried": {"a": "3"}}
    done = {
        "double-it": {"solved": True, "at": 5, "again": again},
        "by-two": {"tries": 2, **typed},
        "other": {"tries": 1},
    }
    kept = {"v": 2, "exercises": done, "place": {"page": {"id": "double-it", "at": 7}}}
    notebooks = {"exercises": {"by-two": {"solved": True, "tries": 1}, "other": {"solved": True, "tries": 1}}}
    then = f"""
      const before = JSON.parse(localStorage.getItem({KEY}));
      const {{ record }} = courseRecord.taken({in_page(json.dumps(notebooks))});
      const told = course.compared(record).map(({{ key }}) => key);
      course.join(record);
      return [before, told, Object.keys(course.all("exercises")).sort(), course.isSolved("other")];
    """
    before, told, names, solved = opened(tmp_path, kept, "", then)
    assert before["exercises"] == {"twice": {"solved": True, "at": 5, "again": again, **typed}, "other": {"tries": 1}}
    assert before["place"]["page"] == {"id": "twice", "at": 7}
    assert told == ["twice", "other"] and names == ["other", "twice"] and solved


def test_a_tick_from_an_old_notebook_is_todays_and_counts_once(tmp_path: Path) -> None:
    then = "return [course.all('exercises'), document.querySelector('.course-brought').textContent, location.hash];"
    done, line, place = opened(tmp_path, None, "#solved=by-two,double-it:4,none", then)
    assert list(done) == ["twice"] and done["twice"]["solved"] is True and "due" in done["twice"]["again"]
    assert line.startswith("✓ 1 exercise that you solved in your notebook is ticked here") and place == ""


def test_places_lead_from_an_old_name_to_that_of_today(renamed: Course) -> None:
    found = site_moved.places(renamed)
    assert found["twice"] == found["again-twice"] == "notebooks/01_toy"
    for old in ("double-it", "by-two"):
        assert found[old] == "notebooks/01_toy#twice" and found[f"again-{old}"] == "notebooks/01_toy#again-twice"


@pytest.mark.parametrize(
    ("address", "leads_to"),
    [
        ("notebooks/01_toy.html#double-it", "notebooks/01_toy.html#twice"),
        ("book/index.html#again-by-two", "notebooks/01_toy.html#again-twice"),
        ("book/index.html#twice", "notebooks/01_toy.html#twice"),
        ("notebooks/01_toy.html#nowhere", "notebooks/01_toy.html#nowhere"),
    ],
)
def test_a_link_with_an_old_name_leads_on(renamed: Course, address: str, leads_to: str) -> None:
    page = f'<!doctype html><html data-content_root="../"><p id="twice">x<p id="again-twice">y<script>{MOVED}</script>'
    pages = {"notebooks/01_toy.html": page, "book/index.html": page.replace("id=", "data-id=")}
    files = pages | {"places.json": json.dumps(site_moved.places(renamed))}

    def serve(route: Route) -> None:
        name = urlsplit(route.request.url).path.lstrip("/")
        route.fulfill(body=files.get(name, ""), content_type="text/html" if name in pages else "application/json")

    with sync_playwright() as playwright, launch(playwright) as browser:
        tab = browser.new_page()
        tab.set_default_timeout(PATIENCE)
        tab.route("**/*", serve)
        tab.goto(f"http://course.test/{address}")
        tab.wait_for_load_state("networkidle")
        tab.wait_for_url(f"**/{leads_to}")
