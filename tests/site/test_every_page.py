"""Every page of the built site: as a file, and in a real browser."""

import gzip
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from built import HTML, NAMES, SEEN, WEIGHTS, dead_links, parsed
from playwright.sync_api import Page, Request

EACH = pytest.mark.parametrize("name", NAMES)
EACH_SEEN = pytest.mark.parametrize("name", SEEN)
HEAVIEST = 600_000
"""Bytes that a page and all that it loads may have, compressed as a host of pages sends them."""

STANDARD = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
BY_THEME = ["color-contrast", "link-in-text-block"]
"""The rules whose verdict depends on colours. They take nearly all the time that axe needs."""

OPEN_EVERYTHING = """() => {
  document.querySelectorAll("details").forEach((one) => (one.open = true));
  document.querySelectorAll(".toggle-hidden > .admonition-title .toggle-button, .predict-cover button")
    .forEach((one) => one.click());
  return Promise.allSettled(document.getAnimations().map((one) => one.finished)).then(() => 0);
}"""
"""What moves or changes its colour by that has come to its end."""


def sent(body: bytes) -> int:
    """How many bytes of a file travel: what is compressed already, such as a font, gains nothing."""
    return min(len(body), len(gzip.compress(body)))


def test_there_is_a_site(site: str) -> None:
    assert len(NAMES) > 20


# -- as a file --------------------------------------------------------------------------------------------------


def test_every_page_names_the_icon() -> None:
    """Otherwise browsers ask for a `favicon.ico`, which is not there."""
    assert not [name for name in SEEN if not any("favicon" in link for link in parsed(HTML / name).links)]


@EACH
def test_every_link_leads_somewhere(name: str) -> None:
    assert dead_links(name) == []


@EACH
def test_no_id_is_given_twice(name: str) -> None:
    assert [one for one, count in parsed(HTML / name).ids.items() if count > 1] == []


# -- in a browser -----------------------------------------------------------------------------------------------


@EACH_SEEN
def test_it_loads_without_complaint(
    page: Page,
    complaints: list[str],
    elsewhere: list[str],
    name: str,
    record_property: Callable[[str, object], None],
) -> None:
    loaded: list[Request] = []
    page.on("requestfinished", lambda one: loaded.append(one))
    page.goto(name, wait_until="networkidle")
    weight = sum(sent(response.body()) for request in loaded if (response := request.response()))
    record_property(WEIGHTS, (weight, name))
    assert complaints == []
    assert elsewhere == []
    assert weight < HEAVIEST
    assert page.locator("h1:visible").count() == 1, "a page has one heading of the first level"
    page.set_viewport_size({"width": 320, "height": 900})
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 320, f"it scrolls sideways on a narrow screen: {wide} px; {_widest(page)}"


def _widest(page: Page) -> str:
    """The elements that reach farthest to the right without being scrolled in a box of their own."""
    found: str = page.evaluate("""
      [...document.querySelectorAll("body *")]
        .map((one) => [Math.round(one.getBoundingClientRect().right), one.outerHTML.slice(0, 120)])
        .sort((a, b) => b[0] - a[0]).slice(0, 3).map(String).join(" | ")
    """)
    return found


@EACH_SEEN
def test_nothing_shuts_a_reader_out(
    page: Page, complaints: list[str], name: str, request: pytest.FixtureRequest
) -> None:
    """WCAG A and AA, in light and dark, wide and narrow, as loaded and with everything opened.

    What depends on neither theme nor width is looked at once for each; `--every-look` does everything everywhere.
    """
    every = request.config.getoption("--every-look")
    found = {}
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(name)
        for opened in ("as loaded", "opened"):
            if opened == "opened":
                page.evaluate(OPEN_EVERYTHING)
            for theme in ("light", "dark"):
                page.emulate_media(color_scheme=theme)
                contrast = every or (width == 1280 and opened == "opened")
                rest = every or theme == "light"
                found[f"{width} px, {opened}, {theme}"] = _shuts_out(page, contrast, rest)
    assert {how: what for how, what in found.items() if what} == {}
    assert complaints == []


def _shuts_out(page: Page, contrast: bool, rest: bool) -> list[str]:
    if not (contrast or rest):
        return []
    only = {"type": "tag", "values": STANDARD} if rest else {"type": "rule", "values": BY_THEME}
    return violations(page, runOnly=only, rules={} if contrast else {rule: {"enabled": False} for rule in BY_THEME})


def violations(page: Page, **options: object) -> list[str]:
    """What axe finds, each with the first elements that it concerns."""
    found = Axe().run(page, options={"resultTypes": ["violations"], "preload": False, **options}).response
    return [
        f"{one['id']} ({len(one['nodes'])}): {' | '.join(node['html'][:160] for node in one['nodes'][:3])}"
        for one in found["violations"]
    ]
