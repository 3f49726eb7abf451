"""The cards of terms: their texts come with the page, and they open and close as a reader needs."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from mini_book import build
from play.play_browser import run

ROOT = Path(__file__).parents[2]
MARKUP = (ROOT / "book" / "_static" / "markup.js").read_text(encoding="utf-8")
SCRIPT = (ROOT / "book" / "_static" / "terms.js").read_text(encoding="utf-8")

sys.path.insert(0, str(ROOT / "book" / "_ext"))
pytest.importorskip("site_terms")

GLOSSARY = """# Glossary

:::{glossary}
shard
  A part </b> of an array, made by `jax.device_put`.
  It lies on one {term}`device`.

device
  A processor.

unused
  Nowhere.
:::
"""
WORDS = "A {term}`shards <shard>` and a {term}`device`."
PAGES = {
    "index": f"# Words\n\n```{{toctree}}\nbook/glossary\nbook/plain\n```\n\n{WORDS}\n",
    "book/glossary": GLOSSARY,
    "book/plain": "# Plain\n\nNo term.\n",
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A page with two terms, one without, and the glossary, as HTML."""
    pytest.importorskip("myst_parser")
    files = {f"{name}.md": text for name, text in PAGES.items()}
    extensions = ["myst_parser", "site_terms"]
    out, _ = build(tmp_path_factory.mktemp("terms"), files, extensions, myst_enable_extensions=["colon_fence"])
    return {name: (out / f"{name}.html").read_text(encoding="utf-8") for name in PAGES}


def embedded(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="course-terms">(.*?)</script>', page)
    return json.loads(found[1]) if found else None


def test_a_page_brings_the_terms_that_it_links_to_and_no_others(pages: dict[str, str]) -> None:
    page = pages["index"]
    assert embedded(page) == {
        "term-shard": ["shard", "A part </b> of an array, made by `jax.device_put`. It lies on one device."],
        "term-device": ["device", "A processor."],
    }
    assert embedded(pages["book/plain"]) is None
    assert "terms.js" in pages["index"] and "terms.js" not in pages["book/plain"]


USE = """
(async () => {
  const wait = (time) => new Promise((done) => setTimeout(done, time));
  const [shard, device] = document.querySelectorAll('a[href*="#term-"]:not(.headerlink)');
  const card = document.getElementById("course-term");
  const point = (element, type, pointerType = "mouse") =>
    element.dispatchEvent(new PointerEvent(type, { pointerType, bubbles: type === "pointerdown" }));
  const seen = () => (card.hidden ? null : card.textContent);
  const found = { start: seen() };
  point(shard, "pointerenter");
  found.hover = [seen(), card.querySelector("code").textContent, shard.getAttribute("aria-describedby") === card.id];
  point(shard, "pointerleave");
  point(card, "pointerenter");
  await wait(600);
  found.onCard = seen() !== null;
  point(card, "pointerleave");
  await wait(600);
  found.left = [seen(), shard.hasAttribute("aria-describedby")];
  device.focus();
  found.focus = seen();
  await wait(600);
  found.persistent = seen() !== null;
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
  found.escape = [seen(), document.activeElement === device];
  device.blur();
  const tap = () => {
    point(shard, "pointerdown", "touch");
    return shard.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  };
  shard.addEventListener("click", (event) => {
    found.followed = !event.defaultPrevented;
    event.preventDefault();
  });
  tap();
  found.tap = [seen() !== null, found.followed];
  tap();
  found.second = [seen(), found.followed];
  tap();
  point(document.body, "pointerdown", "touch");
  found.elsewhere = seen();
  report(found);
})();
"""


def test_a_card_opens_on_hover_focus_and_tap_and_closes_again(pages: dict[str, str], tmp_path: Path) -> None:
    body = re.search(r"<p>A <a.*?</script>", pages["index"], re.DOTALL)
    assert body
    found = run(
        tmp_path,
        f"<article>{body[0]}</article><script>{MARKUP}</script><script>{SCRIPT}</script><script>{USE}</script>",
    )
    says = "shardA part </b> of an array, made by jax.device_put. It lies on one device."
    assert found["start"] is None
    assert found["hover"] == [says, "jax.device_put", True]
    assert found["onCard"] and found["left"] == [None, False], "it stays while the pointer is on it"
    assert found["focus"] == "deviceA processor." and found["persistent"]
    assert found["escape"] == [None, True]
    assert found["tap"] == [True, False], "the first tap shows the card"
    assert found["second"] == [None, True], "the second one follows the link"
    assert found["elsewhere"] is None
