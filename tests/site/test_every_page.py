"""Every page of the built site: as a file, and in a real browser."""

import json
from collections.abc import Callable

import pytest
from browser import Page
from built import HTML, NAMES, SEEN, WEIGHTS, dead_links, parsed

EACH = pytest.mark.parametrize("name", NAMES)
EACH_SEEN = pytest.mark.parametrize("name", SEEN)
HEAVIEST = 1_500_000
"""Bytes that a page and all that it loads may have."""

STANDARD = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
BY_THEME = ["color-contrast", "link-in-text-block"]
"""The rules whose verdict depends on colours. They take nearly all the time that axe needs."""

OPEN_EVERYTHING = """
document.querySelectorAll("details").forEach((one) => (one.open = true));
document.querySelectorAll(".toggle-hidden > .admonition-title .toggle-button, .predict-cover button")
  .forEach((one) => one.click());
"""


COME_TO_REST = "Promise.allSettled(document.getAnimations().map((one) => one.finished)).then(() => 0)"
"""What moves or changes its colour has come to its end."""


def test_there_is_a_site(site: str) -> None:
    assert len(NAMES) > 20


# -- as a file --------------------------------------------------------------------------------------------------


def test_every_page_names_the_icon() -> None:
    """Otherwise browsers ask for a `favicon.ico`, which is not there."""
    assert not [name for name in NAMES if not any("favicon" in link for link in parsed(HTML / name).links)]


@EACH
def test_every_link_leads_somewhere(name: str) -> None:
    assert dead_links(name) == []


@EACH
def test_no_id_is_given_twice(name: str) -> None:
    assert [one for one, count in parsed(HTML / name).ids.items() if count > 1] == []


# -- in a browser -----------------------------------------------------------------------------------------------


@EACH_SEEN
def test_it_loads_without_complaint(
    page: Page, site: str, name: str, record_property: Callable[[str, object], None]
) -> None:
    page.open(f"{site}/{name}")
    record_property(WEIGHTS, (page.received, name))
    assert page.complaints == []
    assert page.elsewhere() == []
    assert page.received < HEAVIEST
    headings = page.run('[...document.querySelectorAll("h1")].filter((one) => one.checkVisibility()).length')
    assert headings == 1, "a page has one heading of the first level"
    page.look(width=320)
    wide = page.run("document.documentElement.scrollWidth")
    assert wide <= 320, f"it scrolls sideways on a narrow screen: {wide} px; {_widest(page)}"


def _widest(page: Page) -> str:
    """The elements that reach farthest to the right without being scrolled in a box of their own."""
    return page.run("""
      [...document.querySelectorAll("body *")]
        .map((one) => [Math.round(one.getBoundingClientRect().right), one.outerHTML.slice(0, 120)])
        .sort((a, b) => b[0] - a[0]).slice(0, 3).map(String).join(" | ")
    """)


@EACH_SEEN
def test_nothing_shuts_a_reader_out(page: Page, site: str, axe: str, name: str, request: pytest.FixtureRequest) -> None:
    """WCAG A and AA, in light and dark, wide and narrow, as loaded and with everything opened.

    What depends on neither theme nor width is looked at once for each; `--every-look` does everything everywhere.
    """
    every = request.config.getoption("--every-look")
    found = {}
    for width in (1280, 390):
        page.look(width)
        page.open(f"{site}/{name}")
        page.run(f"{axe}; 0")
        for opened in ("as loaded", "opened"):
            if opened == "opened":
                page.run(f"{{{OPEN_EVERYTHING}}}; {COME_TO_REST}")
            for theme in ("light", "dark"):
                page.look(width, dark=theme == "dark")
                contrast = every or (width == 1280 and opened == "opened")
                rest = every or theme == "light"
                found[f"{width} px, {opened}, {theme}"] = _violations(page, contrast, rest)
    assert {how: what for how, what in found.items() if what} == {}
    assert page.complaints == []


def _violations(page: Page, contrast: bool, rest: bool) -> list[str]:
    """What axe finds, each with the first element that it concerns."""
    if not (contrast or rest):
        return []
    only = {"type": "tag", "values": STANDARD} if rest else {"type": "rule", "values": BY_THEME}
    rules = {} if contrast else {rule: {"enabled": False} for rule in BY_THEME}
    options = {"runOnly": only, "rules": rules, "resultTypes": ["violations"], "preload": False}
    return page.run(f"""
      axe.run(document, {json.dumps(options)}).then(({{violations}}) => violations.map(({{id, nodes}}) =>
        `${{id}} (${{nodes.length}}): ${{nodes.slice(0, 3).map((one) => one.html.slice(0, 160)).join(" | ")}}`))
    """)
