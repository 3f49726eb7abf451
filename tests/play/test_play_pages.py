"""The pictures on a page: what a reader does with the keyboard and the mouse, and what comes of it."""

import inspect
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from play_browser import FONTS, in_page, run
from play_cases import KINDS

from jaxcourse import play

WRONG = {
    "autodiff": ("f", "x +"),
    "broadcasting": ("b", "3 4"),
    "compiles": ("calls", "f("),
    "indexing": ("index", "x[[0, 9]]"),
    "keys": ("program", "split(k)"),
    "memory": ("view", "x[5"),
    "pieces": ("shape", "4, 5, 6"),
    "roofline": ("bandwidth", "fast"),
    "sharding": ("spec", "P('u')"),
}
"""A field of each picture, and what does not belong there."""

USE = """
const wait = (time) => new Promise((done) => setTimeout(done, time));
const use = async (kind, [name, wrong]) => {
  const [form, twin] = document.querySelectorAll(`form[data-picture=${kind}]`);
  const status = () => form.querySelector("[role=status]").textContent;
  const label = () => form.querySelector("svg")?.getAttribute("aria-label");
  const field = form.querySelector(`[name="${name}"]`);
  const hint = document.getElementById(field.getAttribute("aria-describedby"));
  const frame = form.querySelector(".jaxcourse-play-frame");
  const seen = () => ({ status: status(), hint: hint.textContent, invalid: field.getAttribute("aria-invalid") });
  const heights = { form: [], frame: [] };
  const follow = () => {
    heights.form.push(form.offsetHeight);
    heights.frame.push(frame.offsetHeight);
  };
  const type = (text) => {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  follow();
  const found = { before: seen(), label: label(), disabled: form.querySelector("fieldset").disabled };
  const value = field.value;
  type(wrong);
  found.typing = seen();
  await wait(1000);
  found.wrong = seen();
  follow();
  heights.frame.pop();
  found.address = location.search.includes(`${kind}.`);
  type(value);
  found.again = seen();
  follow();
  found.examples = [...form.querySelectorAll("button")].map((button) => {
    button.click();
    follow();
    const left = frame.getBoundingClientRect().bottom - form.querySelector("svg").getBoundingClientRect().bottom;
    return [button.textContent, status(), label(), form.querySelectorAll("[data-wrong]").length, left];
  });
  found.heights = [...new Set(heights.form), ...new Set(heights.frame)];
  found.query = location.search;
  found.hash = location.hash;
  found.twin = twin.querySelector("[role=status]").textContent;
  found.unnamed = [...form.querySelectorAll("input,select,textarea")].filter((one) => !one.labels.length).length;
  return found;
};
(async () => {
  const found = {};
  for (const [kind, one] of Object.entries(wrong)) found[kind] = await use(kind, one);
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  report({ ...found, ids, wide });
})();
"""


def html(kind: str) -> str:
    return getattr(play, kind)().html  # type: ignore[no-any-return]


@pytest.fixture(scope="module", params=FONTS.values(), ids=FONTS)
def used(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Any:
    """What a reader meets who uses every picture, of which there are two of each on a narrow page of the site."""
    twice = "".join(html(kind) * 2 for kind in KINDS)
    body = f"<div style='width:288px'>{twice}</div><script>const wrong={in_page(WRONG)};{USE}</script>"
    return run(tmp_path_factory.mktemp("page"), body, attributes='data-content_root="../"', fonts=request.param)


@pytest.mark.parametrize("kind", KINDS)
def test_a_reader_uses_it(kind: str, used: Any) -> None:
    found, says = used[kind], getattr(play, kind)().says
    start = found["before"]
    assert found["disabled"] is False
    assert start["status"] == found["label"] == says, "the script and the text without it agree"
    assert found["typing"] == start, "nobody is interrupted while typing"
    assert found["wrong"]["invalid"] == "true" and found["wrong"]["hint"] != start["hint"]
    assert "no picture" in found["wrong"]["status"] and not found["address"]
    assert found["again"] == start
    assert all(status == label and not wrong for _, status, label, wrong, _ in found["examples"])
    assert len({status for _, status, *_ in found["examples"]}) == len(found["examples"]) > 2
    assert len(found["heights"]) == 2, "what stands below stays, and the frame gives way to long messages only"
    left = [round(empty) for *_, empty in found["examples"]]
    assert 0 <= min(left) < 3, f"the highest of the examples fills the frame and does not scroll in it: {left}"
    assert f"{kind}." in found["query"] and found["hash"] == f"#play-{kind}"
    assert found["twin"] == says, "the second of a kind keeps its own state"
    assert found["unnamed"] == 0


def test_pictures_share_a_narrow_page(used: Any) -> None:
    assert len(used["ids"]) == len(set(used["ids"]))
    assert used["wide"] <= 0


ADDRESS = """
const told = () => [...document.querySelectorAll("[role=status]")].map((one) => one.textContent);
setTimeout(() => report([...told(), document.querySelector("[data-wrong]").innerHTML]), 500);
"""


def test_an_address_leads_to_a_state(tmp_path: Path) -> None:
    """The second of a kind has a name of its own; what belongs to no field is left alone."""
    body = f"{html('memory')}{html('memory')}<script>{ADDRESS}</script>"
    query = "?memory.view=x.T&memory.shape=2,3&memory.dtype=text&memory-2.view=x%3Cb%3E&other=1"
    first, second, wrong = run(tmp_path, body, query=query)
    assert first == play.memory("x.T", shape="2,3").says
    assert "no picture" in second and "&lt;b&gt;" in wrong, "what an address brings is text, and no part of the page"


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
