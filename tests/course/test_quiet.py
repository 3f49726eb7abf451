"""Quiet pages: one switch for evidence, dots in its place, and links that open what they lead into; in a browser."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from mini_book import build
from play.play_browser import launch
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "book" / "_static"
sys.path.insert(0, str(ROOT / "book" / "_ext"))

FOLD = (
    '<details class="admonition hide above-input"><summary>'
    '<span class="collapsed admonition-title">{0}</span></summary>\n'
    '<div class="cell_input"><pre>assert_{1} = 1</pre></div></details>'
)
PROOF, SETUP, ROWS = "Why we may say so", "Show code cell source", "From the sources"
ARTICLE = f"""<div class="article-header-buttons"></div><article class="bd-article" style="margin: 3rem">
<section id="one"><h2>One</h2><p id="said">It is so.</p>
<div class="cell tag_proof" id="proof">{FOLD.format(PROOF, "proof")}</div>
<div class="cell tag_sources" id="rows">{FOLD.format(ROWS, "rows")}</div>
<p id="next">And so on.</p>
<div class="cell tag_hide-input" id="setup">{FOLD.format(SETUP, "setup")}<div class="cell_output">A picture.</div></div>
<div class="exercise answers-here"><details class="answers-stub"><summary>In the notebook</summary>
<pre id="stub">your_turn = ...</pre></details></div>
<div class="solution toggle-hidden"><p class="hidden-solution">only_solved</p></div>
</section></article>"""
SEEN = """() => Object.fromEntries(["#proof", "#rows", "#setup", ".answers-stub"].map((name) => {
  const summary = document.querySelector(`${name} summary, ${name} > summary`);
  const { width, height } = summary.getBoundingClientRect();
  return [name, summary.checkVisibility() ? (width < 30 && height < 30 ? "dot" : "line") : ""];
}))"""
ALL_LINES = dict.fromkeys(("#proof", "#rows", "#setup", ".answers-stub"), "line")
QUIET = {"#proof": "dot", "#rows": "dot", "#setup": "dot", ".answers-stub": ""}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with sync_playwright() as playwright, launch(playwright) as browser:
        yield browser


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page as a lesson is, with our styles and scripts beside it."""
    folder = tmp_path_factory.mktemp("quiet")
    styles = "".join(
        f"<style>{(STATIC / name).read_text(encoding='utf-8')}</style>" for name in ("site.css", "quiet.css")
    )
    scripts = "".join(
        f"<script>{(STATIC / name).read_text(encoding='utf-8')}</script>"
        for name in ("record.js", "store.js", "folds.js", "quiet.js")
    )
    search = f"<script>{(STATIC / 'search.js').read_text(encoding='utf-8')}</script>"
    theme = "<style>.toggle-hidden > * { display: none }</style>"
    page = (
        f'<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">{theme}{styles}{scripts}</head>'
    )
    (folder / "page.html").write_text(f"{page}<body>{ARTICLE}{search}</body></html>", encoding="utf-8")
    return (folder / "page.html").as_uri()


def opened(browser: Browser, address: str, **how: Any) -> Page:
    page = browser.new_context(**how).new_page()
    page.goto(address)
    return page


def test_evidence_is_a_dot_until_the_switch_is_on_and_the_browser_remembers_it(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    switch = page.get_by_role("button", name="Evidence")
    assert switch.get_attribute("aria-pressed") == "false" and page.evaluate(SEEN) == QUIET
    switch.focus()
    page.keyboard.press("Enter")
    assert switch.get_attribute("aria-pressed") == "true" and page.evaluate(SEEN) == ALL_LINES
    page.reload()
    assert switch.get_attribute("aria-pressed") == "true" and page.evaluate(SEEN) == ALL_LINES
    page.keyboard.press("Tab")
    page.evaluate("course.clear()")
    assert switch.get_attribute("aria-pressed") == "false" and page.evaluate(SEEN) == QUIET


def test_a_dot_has_a_name_takes_no_room_and_opens_its_own_fold_alone(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    between = "() => next.getBoundingClientRect().top - said.getBoundingClientRect().bottom"
    margin = page.evaluate("() => parseFloat(getComputedStyle(said).marginBottom)")
    assert page.evaluate(between) == pytest.approx(margin, abs=1)
    spots = page.locator("summary").evaluate_all("all => all.slice(0, 3).map((one) => one.getBoundingClientRect().top)")
    assert len(set(spots)) == 3, "no dot covers another one"
    snapshot = page.locator("#proof").aria_snapshot()
    assert PROOF in snapshot
    page.locator("#proof summary").focus()
    page.keyboard.press("Enter")
    assert page.get_by_text("assert_proof").is_visible() and not page.get_by_text("assert_rows").is_visible()
    assert cast("dict[str, str]", page.evaluate(SEEN)) == QUIET | {"#proof": "line"}


def test_without_a_script_and_on_paper_all_is_as_ever(browser: Browser, address: str) -> None:
    assert opened(browser, address, java_script_enabled=False).locator("html[data-evidence]").count() == 0
    page = opened(browser, address)
    page.emulate_media(media="print")
    assert page.locator(".answers-stub").is_visible() and not page.locator(".evidence-switch").is_visible()
    assert page.locator("#setup summary").bounding_box()["width"] > 100  # type: ignore[index]


@pytest.mark.parametrize("way", ["#stub", "#proof", "?q=assert_proof#one", "?q=your_turn#one", "?q=assert_setup"])
def test_a_link_into_a_fold_opens_it(browser: Browser, address: str, way: str) -> None:
    page = opened(browser, address + way)
    page.wait_for_load_state()
    held = "#stub" if "stub" in way or "turn" in way else "#setup pre" if "setup" in way else "#proof pre"
    page.wait_for_function("document.querySelector('details[open]')")
    assert page.locator(held).is_visible()
    assert page.locator("details[open]").count() == 1


def test_a_later_link_opens_too_and_a_search_opens_no_solution(browser: Browser, address: str) -> None:
    page = opened(browser, f"{address}?q=only_solved#one")
    page.wait_for_load_state()
    assert page.locator("details[open]").count() == 0 and not page.get_by_text("only_solved").is_visible()
    page.evaluate("location.hash = 'stub'")
    page.locator("#stub").wait_for(state="visible")


def test_the_switch_is_on_lessons_alone(tmp_path: Path) -> None:
    pytest.importorskip("myst_parser")
    files = {"index.md": "# I\n\n```{toctree}\nnotebooks/01_one\n```\n", "notebooks/01_one.md": "# One\n"}
    out, _ = build(tmp_path, files, ["myst_parser", "site_quiet"])
    loads = {
        name: re.findall(r"(quiet|folds)\.js", (out / name).read_text())
        for name in ("index.html", "notebooks/01_one.html")
    }
    assert loads == {"index.html": ["folds"], "notebooks/01_one.html": ["folds", "quiet"]}
