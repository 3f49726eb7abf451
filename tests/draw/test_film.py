"""A film in a browser: it moves where that is wanted, and stops when the reader says so."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from play.play_browser import launch
from playwright.sync_api import Browser, Page, expect, sync_playwright

from jaxcourse import draw

FRAMES = np.arange(4.0)[:, None, None] + np.zeros((4, 3, 8))
PLACE = "getComputedStyle(document.querySelector('.jaxcourse-film image')).transform"
MOVES = "document.getAnimations().filter((one) => one.playState === 'running').length"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright, launch(playwright) as browser:
        yield browser


def opened(browser: Browser, folder: Path, **settings: object) -> Page:
    """A page with a film of four level pictures in two panels."""
    film = draw.film({"one": FRAMES, "other": FRAMES[::-1]}, "Two level pictures, one of which rises.")
    (folder / "page.html").write_text(f"<!doctype html><html lang=en><meta charset=utf-8><title>a</title>{film.html}")
    page = browser.new_context(**settings).new_page()  # type: ignore[arg-type]
    page.goto((folder / "page.html").as_uri())
    return page


def test_it_moves_until_it_is_stopped(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, reduced_motion="no-preference")
    assert page.evaluate(MOVES) == 2
    button = page.get_by_role("checkbox", name="Pause the film")
    button.focus()
    page.keyboard.press("Space")
    expect(button).to_be_checked()
    assert page.evaluate(MOVES) == 0
    button.uncheck()
    assert page.evaluate(MOVES) == 2


def test_where_motion_is_unwanted_it_is_still_until_it_is_asked_for(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, reduced_motion="reduce")
    assert page.evaluate(MOVES) == 0 and page.evaluate(PLACE) == "none"
    page.get_by_role("checkbox", name="Play the film").check()
    assert page.evaluate(MOVES) == 2


def test_on_paper_and_without_scripts_it_is_one_picture(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, reduced_motion="no-preference")
    page.emulate_media(media="print")
    assert page.evaluate(MOVES) == 0 and page.evaluate(PLACE) == "none"
    expect(page.locator(".jaxcourse-hold")).to_be_hidden()
    page = opened(browser, tmp_path, reduced_motion="no-preference", java_script_enabled=False)
    expect(page.locator(".jaxcourse-hold")).to_be_hidden()
    one = page.screenshot()
    page.wait_for_timeout(700)
    assert page.screenshot() == one


def test_a_reader_hears_one_picture(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path)
    expect(page.get_by_role("img", name="Two level pictures, one of which rises.")).to_have_count(1)
    assert page.get_by_role("img").count() == 1


@pytest.mark.parametrize(("width", "rows"), [(1000, 1), (374, 2)])
def test_wide_pictures_stand_below_each_other_on_a_phone(
    browser: Browser, tmp_path: Path, width: int, rows: int
) -> None:
    page = opened(browser, tmp_path, viewport={"width": width, "height": 700})
    of = "[...document.querySelectorAll({!r})].map((one) => {})".format
    tops = page.evaluate(of(".jaxcourse-picture svg", "one.getBoundingClientRect().y"))
    assert len(set(tops)) == rows
    assert min(page.evaluate(of(".jaxcourse-title", "parseFloat(getComputedStyle(one).fontSize)"))) >= 11
