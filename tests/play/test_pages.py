"""The pictures on a page: what a reader does with the keyboard and the mouse, and what comes of it."""

import inspect
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from browser import in_page, needs_chromium, run
from cases import KINDS

from jaxcourse import play

WRONG = {
    "broadcasting": ("b", "3 4"),
    "compiles": ("calls", "f("),
    "indexing": ("index", "x[[0, 9]]"),
    "keys": ("program", "split(k)"),
    "memory": ("view", "x[5"),
    "roofline": ("bandwidth", "fast"),
    "sharding": ("spec", "P('u')"),
}
"""A field of each picture, and what does not belong there."""

USE = """
const [form, twin] = document.querySelectorAll("form");
const status = () => form.querySelector("[role=status]").textContent;
const label = () => form.querySelector("svg")?.getAttribute("aria-label");
const field = form.querySelector(`[name="${wrong[0]}"]`);
const hint = document.getElementById(field.getAttribute("aria-describedby"));
const frame = form.querySelector(".jaxcourse-play-frame");
const before = { status: status(), label: label(), hint: hint.textContent, value: field.value };
const heights = [];
const follow = () => heights.push(form.offsetHeight, frame.offsetHeight);
const type = (text) => {
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
};
const wait = (time) => new Promise((done) => setTimeout(done, time));
(async () => {
  follow();
  const found = { before, disabled: form.querySelector("fieldset").disabled };
  type(wrong[1]);
  found.typing = { hint: hint.textContent, invalid: field.getAttribute("aria-invalid") };
  await wait(2000);
  found.wrong = { hint: hint.textContent, invalid: field.getAttribute("aria-invalid"), status: status() };
  follow();
  found.address = location.search;
  type(before.value);
  found.again = { status: status(), hint: hint.textContent, invalid: field.getAttribute("aria-invalid") };
  follow();
  found.examples = [...form.querySelectorAll("button")].map((button) => {
    button.click();
    follow();
    return [button.textContent, status(), label(), document.querySelectorAll("[data-wrong]").length];
  });
  found.heights = [...new Set(heights.filter((_, i) => i % 2))];
  found.forms = [...new Set(heights.filter((_, i) => i % 2 === 0))];
  found.query = location.search + location.hash;
  found.twin = twin.querySelector("[role=status]").textContent;
  found.ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  found.unnamed = [...form.querySelectorAll("input,select,textarea")].filter((one) => !one.labels.length).length;
  found.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  report(found);
})();
"""


def html(kind: str) -> str:
    return getattr(play, kind)().html  # type: ignore[no-any-return]


@needs_chromium
@pytest.mark.parametrize("kind", KINDS)
def test_a_reader_uses_it(kind: str, tmp_path: Path) -> None:
    twice = f"<div style='width:288px'>{html(kind)}{html(kind)}</div>"
    body = f"{twice}<script>const wrong={in_page(WRONG[kind])};{USE}</script>"
    found: Any = run(tmp_path, body, attributes='data-content_root="../"')
    says = getattr(play, kind)().says
    assert found["disabled"] is False
    assert found["before"]["status"] == found["before"]["label"] == says, "the script and the text without it agree"
    assert found["typing"] == {"hint": found["before"]["hint"], "invalid": None}, "nobody is interrupted while typing"
    assert found["wrong"]["invalid"] == "true" and found["wrong"]["hint"] != found["before"]["hint"]
    assert "no picture" in found["wrong"]["status"] and found["address"] == ""
    assert found["again"] == {"status": says, "hint": found["before"]["hint"], "invalid": None}
    assert all(status == label and not wrong for _, status, label, wrong in found["examples"])
    assert len({status for _, status, _, _ in found["examples"]}) == len(found["examples"]) > 2
    assert len(found["heights"]) == 1, "the frame keeps its height"
    assert len(found["forms"]) == 1, "and so does all around it"
    assert found["query"].startswith(f"?{kind}.") and found["query"].endswith(f"#play-{kind}")
    assert found["twin"] == says, "the second of a kind keeps its own state"
    assert len(found["ids"]) == len(set(found["ids"]))
    assert found["unnamed"] == 0 and found["wide"] <= 0


ADDRESS = 'report([...document.querySelectorAll("[role=status]")].map((one) => one.textContent));'


@needs_chromium
def test_an_address_leads_to_a_state(tmp_path: Path) -> None:
    """The second of a kind has a name of its own; what belongs to no field is left alone."""
    body = f"{html('memory')}{html('memory')}<script>{ADDRESS}</script>"
    query = "?memory.view=x.T&memory.shape=2,3&memory-2.view=%3Cb%3E&other=1"
    first, second = run(tmp_path, body, query=query)
    assert first == play.memory("x.T", shape="2,3").says
    assert "no picture" in second or second == play.memory().says


FRAMED = """
const inner = document.createElement("iframe");
inner.setAttribute("sandbox", "allow-scripts");
inner.srcdoc = `<html data-content_root="../">${page}<script>
  const button = document.querySelector("button:last-of-type");
  button.click();
  parent.postMessage(document.querySelector("[role=status]").textContent, "*");
<\\/script>`;
addEventListener("message", (event) => report(event.data));
document.body.append(inner);
"""


@needs_chromium
def test_it_works_in_a_frame_that_has_no_address(tmp_path: Path) -> None:
    """Colab shows outputs in such frames."""
    last = list(play.memory().examples.values())[-1]
    body = f"<script>const page={in_page(html('memory'))};{FRAMED}</script>"
    assert run(tmp_path, body) == play.memory(**last).says


class Tags(HTMLParser):
    """The tags of a fragment, to see whether each is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_whole_light_and_asks_nothing_of_anybody(kind: str) -> None:
    page = html(kind)
    assert len(page.encode()) < 30_000
    tags = Tags(page)
    assert not tags.open
    assert not re.search(r"\ssrc=|@import|url\(|fetch\(|XMLHttp|innerHTML|eval\(|<link", page)
    assert set(re.findall(r"https?://[^\"']+", page)) <= {"http://www.w3.org/2000/svg"}
    assert not [attributes for _, attributes in tags.seen if "id" in attributes or "for" in attributes]


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_script_it_is_readable_and_well_formed(kind: str) -> None:
    bare = re.sub(r"<script>.*?</script>", "", html(kind), flags=re.DOTALL)
    root = ET.fromstring(bare)
    (status,) = (element for element in root.iter() if element.get("role") == "status")
    assert status.text == getattr(play, kind)().says
    (fieldset,) = root.iter("fieldset")
    assert fieldset.get("disabled"), "fields that do nothing are not offered"


@pytest.mark.parametrize("kind", KINDS)
def test_examples_are_states_that_numpy_and_jax_take(kind: str) -> None:
    picture = getattr(play, kind)()
    names = {field.name for field in picture.fields}
    state = dict(picture.state)
    for example in picture.examples.values():
        assert set(example) <= names
        state |= example
        assert KINDS[kind].says(**state)


@pytest.mark.parametrize("kind", KINDS)
def test_a_terminal_shows_the_text(kind: str) -> None:
    picture = getattr(play, kind)()
    shown = repr(picture)
    assert shown.startswith(picture.question) and shown.endswith(picture.says)
    assert ">>> " in (inspect.getdoc(getattr(play, kind)) or "")


def test_what_numpy_refuses_is_no_start() -> None:
    with pytest.raises(ValueError, match="NumPy refuses"):
        play.memory("x[9]", shape="3")
    with pytest.raises(ValueError, match="takes texts"):
        play.memory(shape=(3, 4))  # type: ignore[arg-type]
