"""Every page of the built site: as a file, and in a real browser."""

import gzip
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from built import HTML, NAMES, SEEN, WEIGHTS, dead_links, parsed
from forms import strange_forms
from playwright.sync_api import Page, Request

EACH = pytest.mark.parametrize("name", NAMES)
EACH_SEEN = pytest.mark.parametrize("name", SEEN)
HEAVIEST = 600_000
"""Bytes that a page and all that it loads may have, compressed as a host of pages sends them."""

COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules whose verdict depends on colours. On every text of a page they take nearly all the time that axe needs."""
STANDARD = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
LANDMARKS = ["region", "landmark-unique", "landmark-no-duplicate-main", "landmark-one-main", "heading-order"]
"""How those who hear a page find their way on it: by headings, and from landmark to landmark."""
WITHOUT_COLOURS = {
    "runOnly": STANDARD,
    "rules": {rule: {"enabled": rule in LANDMARKS} for rule in (*COLOURS, *LANDMARKS)},
}
"""The standard's other rules, and those of landmarks."""
SOONER = {**WITHOUT_COLOURS, "rules": {**WITHOUT_COLOURS["rules"], "target-size": {"enabled": False}}}
"""The same without the size of what is tapped, which is hard to compute, and of which a phone is asked."""

MARK_LOOKS = """() => {
  const marked = new Set(), grounds = new Map();
  const ground = (one) => {
    if (!one) return "";
    if (!grounds.has(one)) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(one);
      grounds.set(one, [ground(one.parentElement), backgroundColor, backgroundImage, opacity].join(" "));
    }
    return grounds.get(one);
  };
  document.querySelectorAll("[data-look]").forEach((one) => one.removeAttribute("data-look"));
  for (const one of document.querySelectorAll("body *")) {
    const text = [...one.childNodes].some((each) => each.nodeType === Node.TEXT_NODE && each.data.trim());
    const style = getComputedStyle(one);
    if (!text || style.visibility !== "visible" || !one.getClientRects().length) continue;
    const { color, fill, fontSize, fontWeight, textDecoration, textShadow } = style;
    const around = [getComputedStyle(one.parentElement).color, ground(one)];
    const look = [one.tagName, color, fill, fontSize, fontWeight, textDecoration, textShadow, ...around].join();
    if (!marked.has(look)) one.setAttribute("data-look", "");
    marked.add(look);
  }
}"""
"""Marks the first text of each look: the same colours, on the same grounds, in the same size."""

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
    assert strange_forms(page) == []
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

    Colours are looked at in each theme with everything opened, the rest wide as loaded and narrow with everything
    opened. `--every-look` looks at everything everywhere.
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
                colours = width == 1280 and opened == "opened"
                rest = theme == "light" and (width == 1280) == (opened == "as loaded")
                rules = SOONER if width == 1280 and not every else WITHOUT_COLOURS
                found[f"{width} px, {opened}, {theme}"] = [
                    *(violations(page, **rules) if rest or every else []),
                    *(_miscoloured(page, every) if colours or every else []),
                ]
        if width == 1280:
            assert _without_heading(page) == []
    assert {how: what for how, what in found.items() if what} == {}
    assert complaints == []


def _miscoloured(page: Page, every: bool = False) -> list[str]:
    """What axe finds of colours: where each look occurs first, or in every text."""
    page.evaluate(MARK_LOOKS)
    return violations(
        page, None if every else {"include": [["[data-look]"]]}, runOnly={"type": "rule", "values": COLOURS}
    )


def _without_heading(page: Page) -> list[str]:
    """The places to work on an opened page that have no heading of their own."""
    places = page.locator(".bd-article :is(.exercise, .admonition-predict)")
    bare = places.filter(has_not=page.locator(":scope > [role=heading][aria-level]"))
    found: list[str] = bare.evaluate_all("(all) => all.map((one) => one.id)")
    return found


def test_a_pale_text_is_found_among_its_like(page: Page) -> None:
    page.set_content("<html lang=en><title>a</title><p>this <p>that <p style='opacity:.4'>pale <p>those")
    assert ["pale" in one and "color-contrast (1)" in one for one in _miscoloured(page)] == [True]
    assert _miscoloured(page, every=True) == _miscoloured(page)


def test_what_is_in_no_landmark_is_found(page: Page) -> None:
    page.set_content("<html lang=en><title>a</title><main><h1>here</h1></main><p>outside")
    assert [one.partition(" ")[0] for one in violations(page, **WITHOUT_COLOURS)] == ["region"]


def violations(page: Page, context: dict[str, list[list[str]]] | None = None, **options: object) -> list[str]:
    """What axe finds, each with the first elements that it concerns."""
    found = Axe().run(page, context, options={"resultTypes": ["violations"], "preload": False, **options}).response
    return [
        f"{one['id']} ({len(one['nodes'])}): {' | '.join(node['html'][:160] for node in one['nodes'][:3])}"
        for one in found["violations"]
    ]
