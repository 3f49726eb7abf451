"""Every page of the built site: as a file, and in a real browser."""

import gzip
from collections.abc import Callable
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from built import HTML, NAMES, SEEN, WEIGHTS, dead_links, parsed
from forms import strange_forms
from playwright.sync_api import Page, Request, expect

EACH = pytest.mark.parametrize("name", NAMES)
EACH_SEEN = pytest.mark.parametrize("name", SEEN)
THEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
HEAVIEST = 600_000
"""Bytes that a page and all that it loads may have, compressed as a host of pages sends them."""

COLOUR_RULES = ["color-contrast", "link-in-text-block"]
COLOURS = {"type": "rule", "values": COLOUR_RULES}
"""The rules whose verdict depends on colours. On every text of a page they take nearly all the time that axe needs."""
STANDARD = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
LANDMARKS = ["region", "landmark-unique", "landmark-no-duplicate-main", "landmark-one-main", "heading-order"]
"""How those who hear a page find their way on it: by headings, and from landmark to landmark."""
WITHOUT_COLOURS = {
    "runOnly": STANDARD,
    "rules": {rule: {"enabled": rule in LANDMARKS} for rule in (*COLOUR_RULES, *LANDMARKS)},
}
"""The standard's other rules, and those of landmarks."""
WITHOUT_TARGETS = {**WITHOUT_COLOURS, "rules": {**WITHOUT_COLOURS["rules"], "target-size": {"enabled": False}}}
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
  for (const one of document.querySelectorAll("body *")) {
    const text = [...one.childNodes].some((each) => each.nodeType === Node.TEXT_NODE && each.data.trim());
    const style = getComputedStyle(one);
    if (!text || style.visibility !== "visible" || !one.getClientRects().length) continue;
    const { color, fill, fontSize, fontWeight, textDecoration, textShadow } = style;
    const around = [getComputedStyle(one.parentElement).color, ground(one)];
    const look = [one.tagName, color, fill, fontSize, fontWeight, textDecoration, textShadow, ...around].join();
    if (!marked.has(look)) one.dataset.look = "";
    marked.add(look);
  }
}"""
"""Marks the first text of each look: the same colours, on the same grounds, in the same size."""
KEEP_MARKED = """() => [...document.querySelectorAll("body *")].reverse()
  .filter((one) => one.dataset.look === undefined && !one.querySelector("[data-look]"))
  .forEach((one) => one.remove())"""
"""Leaves of a page what is marked, with all that lies around it: of thousands of elements, hundreds."""

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
            for theme in THEMES:
                page.emulate_media(color_scheme=theme)
                rest = theme == "light" and (width == 1280) == (opened == "as loaded")
                found[f"{width} px, {opened}, {theme}"] = _shuts_out(page, width == 390, rest, every)
        if width == 1280:
            assert _without_heading(page) == []
            found |= {} if every else _miscoloured(page)
    assert {how: what for how, what in found.items() if what} == {}
    assert complaints == []


RECORD = """() => {
  const of = (i) => [{ right: i % 4 < 1, off: 1 + (i % 5) / 4, slips: i % 4 < 1 ? [] : ["less", "more"] }];
  const asked = courseLessons.flatMap(({ predictions }) => Object.entries(predictions));
  const keys = asked.flatMap(([label, digests]) => digests.split(" ").map((digest) => `${label}-${digest}`));
  const again = (i) => ({ step: 0, due: i + 1, words: "Words" });
  const made = (i, at) => ({ said: ["1"], at, known: true, first: { at, of: of(i) }, again: again(i) });
  const predictions = Object.fromEntries(keys.map((key, i) => [key, made(i, 864e5 * (20000 + i))]));
  const seen = Object.fromEntries(coursePaths.sections.slice(0, 40).map(([label]) => [label, 1]));
  course.replace(JSON.stringify({ v: courseRecord.VERSION, predictions, seen }));
}"""
"""Fills the record of who has predicted everything, and read some."""


@pytest.mark.parametrize("name", ["book/index.html", "book/foresee.html"])
def test_what_a_record_fills_shuts_nobody_out(page: Page, complaints: list[str], name: str) -> None:
    page.goto(name)
    page.evaluate(RECORD)
    for width in (1280, 320):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(name)
        expect(page.locator(".home ol a, .foresee-habits-here li").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, _widest(page)
        assert violations(page, **(WITHOUT_COLOURS if width == 320 else WITHOUT_TARGETS)) == []
    assert {how: what for how, what in _miscoloured(page).items() if what} == {}
    assert complaints == []


def _shuts_out(page: Page, narrow: bool, rest: bool, every: bool) -> list[str]:
    """What axe finds on a page as it is; of colours only where every look is asked."""
    found = violations(page, **(WITHOUT_COLOURS if narrow or every else WITHOUT_TARGETS)) if rest or every else []
    return [*found, *(violations(page, runOnly=COLOURS) if every else [])]


def _miscoloured(page: Page) -> dict[str, list[str]]:
    """What axe finds of colours on a page, which is left: the theme's scripts would miss what is not there any more."""
    found = _miscoloured_looks(page)
    page.goto("about:blank")
    return found


def _miscoloured_looks(page: Page) -> dict[str, list[str]]:
    """What axe finds of colours, in each theme, where each look occurs first: no more stays on the page."""
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        page.evaluate(MARK_LOOKS)
    page.evaluate(KEEP_MARKED)
    found = {}
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        found[f"colours, {theme}"] = violations(page, runOnly=COLOURS)
    return found


def test_a_pale_text_is_found_among_its_like(page: Page) -> None:
    dark = "<style>@media (prefers-color-scheme: dark) { .night { color: #eee } }</style>"
    texts = "<p>this <p>that <p style='opacity:.4'>pale <p class=night>night <p>those"
    page.set_content(f"<html lang=en><title>a</title>{dark}{texts}")
    everywhere = violations(page, runOnly=COLOURS)
    found = _miscoloured_looks(page)
    assert [one.replace(' data-look=""', "") for one in found["colours, light"]] == everywhere
    assert page.locator("p").count() == 3
    assert [[word in one for word in ("pale", "night", "this")] for one in everywhere] == [[True, False, False]]
    assert [[word in one for word in ("pale", "night", "this")] for one in found["colours, dark"]] == [
        [True, True, False]
    ]


def _without_heading(page: Page) -> list[str]:
    """The places to work on an opened page that have no heading of their own."""
    places = page.locator(".bd-article :is(.exercise, .admonition-predict)")
    bare = places.filter(has_not=page.locator(":scope > [role=heading][aria-level]"))
    found: list[str] = bare.evaluate_all("(all) => all.map((one) => one.id)")
    return found


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
