"""Every lesson on the narrowest of phones, under two sets of fonts: all is to be seen, or shows that it scrolls."""

from collections.abc import Iterator

import pytest
from browser import CHROMIUM, Browser, Page
from built import SEEN, needs
from play.play_browser import FONTS

LESSONS = [name for name in SEEN if name.startswith("notebooks/")]

LOOK = """(() => {
const seen = (which) => [...document.querySelectorAll(which)].filter((one) => one.checkVisibility());
const scrolls = (one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowX);
const wider = (one) => one.scrollWidth > one.clientWidth + 1;
const room = (one) => one.parentElement.getBoundingClientRect().right + 1;
const pen = document.createElement("canvas").getContext("2d");
const needed = (select) => {
  pen.font = getComputedStyle(select).font;
  return Math.max(...[...select.options].map((one) => pen.measureText(one.text).width));
};
const found = {
  "a picture is wider than its place": seen(".jaxcourse-picture > *, .jaxcourse-play-sheet > svg")
    .filter((one) => one.getBoundingClientRect().right > room(one)),
  "a box cuts what is in it": seen(".bd-article *:not(input, svg *, math *)")
    .filter((one) => one.clientWidth > 1 && wider(one) && ["hidden", "clip"].includes(getComputedStyle(one).overflowX)),
  "a choice is wider than its field": seen("select").filter((one) => needed(one) + 24 > one.clientWidth),
  "a cover is higher than what it covers": seen(".predict-cover").filter((one) => one.scrollHeight > one.clientHeight),
  "nothing shows that it scrolls": seen(".bd-article pre, .bd-article .formula")
    .filter((one) => scrolls(one) && wider(one) && one.dataset.more !== "right"),
  "something covers what is read": seen("#pst-back-to-top"),
};
return Object.entries(found).flatMap(([what, which]) => which.map((one) => [what, one.outerHTML.slice(0, 120)]));
})()"""


@pytest.fixture(scope="module", params=FONTS.values(), ids=FONTS)
def phone(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """A browser with one of the sets of fonts."""
    needs(CHROMIUM is not None, "there is no Chromium here to open the site in")
    with Browser(fonts=request.param) as browser:
        yield browser


@pytest.fixture
def small(phone: Browser) -> Iterator[Page]:
    """A page on a phone."""
    page = phone.page()
    page.look(width=320, height=700)
    yield page
    page.close()


@pytest.mark.parametrize("name", LESSONS)
def test_nothing_is_cut(small: Page, site: str, name: str) -> None:
    small.open(f"{site}/{name}")
    small.until('document.querySelector("[data-more]") || !document.querySelector("pre")')
    assert small.run(LOOK) == []
