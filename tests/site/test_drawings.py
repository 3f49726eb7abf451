"""Every picture on every page, on a desk and on a phone: no words over others, none cut, none too small to read.

With two sets of fonts: a reader's machine has others than ours. A desk has the machine's and a phone the others, which
are wider; `--every-look` looks at each with both.
"""

import pytest
from built import HTML, SEEN
from play.play_browser import FONTS
from playwright.sync_api import Page
from test_every_page import OPEN_EVERYTHING

from jaxcourse.draw._image import HEAVIEST

SMALLEST = {"phone": 9, "desk": 11}
"""Pixels of the smallest letters."""
PICTURES = [name for name in SEEN if "<svg" in (HTML / name).read_text(encoding="utf-8")]

OURS, OTHERS = FONTS.values()
SCREENS = [
    pytest.param(OURS, 1280, id="desk"),
    pytest.param(OTHERS, 390, id="phone, other fonts"),
    pytest.param(OTHERS, 1280, id="desk, other fonts", marks=pytest.mark.every_look),
    pytest.param(OURS, 390, id="phone", marks=pytest.mark.every_look),
]

LOOK = """(SMALLEST) => {
const words = (svg) => {
  const found = [];
  const walker = document.createTreeWalker(svg, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const owner = node.parentElement;
    if (!node.data.trim() || !owner.closest("text") || owner.closest("defs, title")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    const { a, b } = owner.getScreenCTM();
    const size = parseFloat(getComputedStyle(owner).fontSize) * Math.hypot(a, b);
    found.push({ text: node.data.trim(), whole: owner.closest("text"), box, size });
  }
  return found.filter(({ box }) => box.width > 0);
};
const shared = (a, b) => [
  Math.min(a.right, b.right) - Math.max(a.left, b.left),
  Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top),
];
// The box of a text has room for accents above and below its letters.
const overlap = (a, b) => {
  const [wide, high] = shared(a.box, b.box);
  const turned = (one) => one.box.height > 1.6 * one.size;
  const [x, y] = turned(a) && turned(b) ? [0.35, 0.05] : [0.05, 0.35];
  return wide > 1 + x * Math.min(a.size, b.size) && high > 1 + y * Math.min(a.size, b.size);
};
const found = [];
[...document.querySelectorAll(".bd-article svg")].filter((one) => one.checkVisibility()).forEach((svg, i) => {
  const frame = svg.getBoundingClientRect();
  const name = (svg.getAttribute("aria-label") ?? svg.parentElement.className).slice(0, 40);
  const all = words(svg);
  const say = (what, ...texts) => found.push(`${name}: ${what}: ${texts.map((one) => one.text).join(" | ")}`);
  for (const one of all) {
    const { box } = one;
    const sides = [frame.left - box.left, box.right - frame.right, frame.top - box.top, box.bottom - frame.bottom];
    const out = Math.max(...sides);
    if (out > 0.25 * one.size) say(`cut by ${out.toFixed(0)} px`, one);
    if (one.size < SMALLEST[innerWidth < 500 ? "phone" : "desk"] - 0.05) say(`${one.size.toFixed(1)} px`, one);
  }
  all.forEach((one, i) => all.slice(i + 1).forEach((other) => {
    if (one.whole !== other.whole && overlap(one, other)) say("over each other", one, other);
  }));
});
return found;
}"""


@pytest.mark.parametrize(("browser", "width"), SCREENS, indirect=["browser"], scope="module")
@pytest.mark.parametrize("name", PICTURES)
def test_the_words_of_pictures_can_be_read(page: Page, name: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(name)
    page.evaluate(OPEN_EVERYTHING)
    page.wait_for_load_state("networkidle")
    found = page.evaluate(LOOK, SMALLEST)
    assert not found, "\n".join([f"{len(found)}:", *found[:12]])


FILMS = [name for name in PICTURES if "jaxcourse-film" in (HTML / name).read_text(encoding="utf-8")]


@pytest.mark.parametrize("name", FILMS)
def test_what_moves_on_a_page_is_light_and_can_be_stopped(page: Page, name: str) -> None:
    page.emulate_media(reduced_motion="no-preference")
    page.goto(name)
    moving = page.locator(".jaxcourse-film image")
    weight = sum(len(one.get_attribute("href") or "") for one in moving.all())
    assert weight <= HEAVIEST, f"{weight} bytes in films"
    for button in page.get_by_role("checkbox", name="Pause the film").all():
        button.check()
    films = "document.getAnimations().filter((one) => one.animationName === 'jaxcourse-film')"
    assert moving.count() == page.evaluate(f"{films}.length")
    assert page.evaluate(f"{films}.filter((one) => one.playState === 'running').length") == 0


def test_cards_show_pictures_of_their_lessons(page: Page) -> None:
    page.goto("book/index.html")
    sizes = page.evaluate("""async () => {
      const pictures = [...document.querySelectorAll(".card-picture")];
      for (const one of pictures) one.loading = "eager";
      await Promise.all(pictures.map((one) => one.decode()));
      return pictures.map((one) => [one.naturalWidth, one.getBoundingClientRect().width]);
    }""")
    assert len(sizes) > 20 and all(least > 0 for pair in sizes for least in pair)
