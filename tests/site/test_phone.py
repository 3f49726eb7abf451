"""Every lesson on the narrowest of phones: all is to be seen, or shows that it scrolls.

With the wider of two sets of fonts; `--every-look` takes both.
"""

import pytest
from built import SEEN
from play.play_browser import FONTS
from playwright.sync_api import Page

LESSONS = [name for name in SEEN if name.startswith("notebooks/")]
OURS, OTHERS = FONTS.values()
BROWSERS = [pytest.param(OTHERS, id="other fonts"), pytest.param(OURS, id="our fonts", marks=pytest.mark.every_look)]

LOOK = """() => {
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
    .filter((one) => one.getBoundingClientRect().right > room(one) && !scrolls(one.parentElement)),
  "a box cuts what is in it": seen(".bd-article *:not(input, svg *, math *)")
    .filter((one) => one.clientWidth > 1 && wider(one) && ["hidden", "clip"].includes(getComputedStyle(one).overflowX)),
  "a choice is wider than its field": seen("select").filter((one) => needed(one) + 24 > one.clientWidth),
  "a cover is higher than what it covers": seen(".predict-cover").filter((one) => one.scrollHeight > one.clientHeight),
  "nothing shows that it scrolls": seen(".bd-article :is(pre, .formula, .jaxcourse-picture)")
    .filter((one) => scrolls(one) && wider(one) && one.dataset.more !== "right"),
  "something covers what is read": seen("#pst-back-to-top"),
};
return Object.entries(found).flatMap(([what, which]) => which.map((one) => [what, one.outerHTML.slice(0, 120)]));
}"""


@pytest.mark.parametrize("browser", BROWSERS, indirect=True, scope="module")
@pytest.mark.parametrize("name", LESSONS)
def test_nothing_is_cut(page: Page, name: str) -> None:
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto(name)
    page.wait_for_function('document.querySelector("[data-more]") || !document.querySelector("pre")')
    assert page.evaluate(LOOK) == []
