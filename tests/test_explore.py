"""The interactive pictures: one document fragment that is true, unique without ids, and readable without style."""

import dataclasses
import inspect
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from jaxcourse import draw, explore
from jaxcourse.svg import Picture


def dot(alt: str = "A dot.") -> Picture:
    return Picture('<svg viewBox="0 0 1 1"><circle r="1"/></svg>', alt)


def page(*explorables: explore.Explorable) -> ET.Element:
    """The fragments on one page, which parses only if every fragment is well formed."""
    body = "".join(explorable._repr_html_() for explorable in explorables)
    return ET.fromstring(f"<body>{body}</body>")


def choice(**changes: Any) -> explore.Explorable:
    return dataclasses.replace(explore.choose({"one": dot(), "two": dot("Two dots.")}, "How many?"), **changes)


def test_radio_buttons_are_real_labelled_and_grouped() -> None:
    (form,) = page(explore.choose({"x < 1": dot(), "x & y": dot(), "3": dot()}, "Which <one>?"))
    (fieldset,) = form.iter("fieldset")
    assert fieldset[0].tag == "legend" and fieldset[0].text == "Which <one>?"
    buttons = list(form.iter("input"))
    assert [button.get("type") for button in buttons] == ["radio"] * 3
    assert len({button.get("name") for button in buttons}) == 1
    assert [button.get("checked") for button in buttons] == ["checked", None, None]
    labels = list(form.iter("label"))
    assert ["".join(label.itertext()) for label in labels] == ["x < 1", "x & y", "3"]
    assert [label.find("input") for label in labels] == buttons


def test_each_picture_follows_its_own_label() -> None:
    pictures = {name: dot(f"Picture {name}.") for name in "abc"}
    (frames,) = [
        e for e in page(explore.choose(pictures, "Which?")).iter("div") if e.get("class") == "jaxcourse-frames"
    ]
    assert [child.tag for child in frames] == ["label", "div"] * 3
    for label, frame in zip(frames[::2], frames[1::2], strict=True):
        (svg,) = frame.iter("svg")
        assert svg.get("aria-label") == f"Picture {''.join(label.itertext())}."
        assert svg.get("role") == "img"


def test_two_on_a_page_do_not_disturb_each_other() -> None:
    same = explore.layouts(np.arange(12.0).reshape(3, 4))
    root = page(same, same, choice())
    assert not [element for element in root.iter() if element.get("id") or element.get("for")]
    # A browser groups radio buttons by form and name: the same choice twice needs a form for each.
    groups = [(form, {button.get("name") for button in form.iter("input")}) for form in root.iter("form")]
    assert [form.tag for form, _ in groups] == ["form"] * 3
    assert [sum(b.get("checked") is not None for b in form.iter("input")) for form, _ in groups] == [1, 1, 1]
    assert groups[0][1] == groups[1][1] != groups[2][1]
    assert {form.get("method") for form, _ in groups} == {"dialog"}


@pytest.mark.parametrize("changes", [{"question": "Else?"}, {"frames": (("one", dot()), ("2", dot()))}])
def test_the_group_name_comes_from_the_content(changes: dict[str, Any]) -> None:
    names = [re.findall(r'name="([^"]+)"', e.html)[0] for e in (choice(), choice(), choice(**changes))]
    assert names[0] == names[1] != names[2]
    assert choice().html == choice().html


def test_needs_no_script_and_nothing_from_elsewhere() -> None:
    html = explore.layouts(np.arange(4.0).reshape(2, 2)).html
    assert not re.search(r"<script|\son\w+=|javascript:|@import|url\(|<link|\ssrc=", html)
    assert set(re.findall(r"https?://[^\"']+", html)) == {"http://www.w3.org/2000/svg"}


def style_of(explorable: explore.Explorable) -> str:
    (style,) = page(explorable).iter("style")
    return style.text or ""


def test_pictures_are_hidden_only_on_screens_of_browsers_that_can_show_them_again() -> None:
    style = style_of(choice())
    hidden = [m.start() for m in re.finditer("display:none", style)]
    guarded = style.index("@supports selector(:has(*)){@media screen{")
    printed = style.index("@media print{")
    assert [start > guarded for start in hidden] == [True, True]
    assert ".jaxcourse-frame{display:none" in style[guarded:printed]
    assert "label:has(:checked)+.jaxcourse-frame{display:block}" in style[guarded:printed]
    assert ".jaxcourse-frame{" not in style[printed:]


def test_style_stays_inside_and_targets_are_large_enough() -> None:
    style = style_of(choice())
    assert style.count("{") == style.count("}")
    selectors = re.findall(r"([^{}]+)\{[^{}]*\}", re.sub(r"@[^{]+\{", "", style))
    assert selectors and all(selector.strip().startswith(".jaxcourse-") for selector in selectors)
    for side in ("width", "height"):
        assert int(re.findall(rf"min-{side}:(\d+)px", style)[0]) >= 24
    assert ":focus-visible" in style and "outline:none" not in style and "outline:0" not in style


def test_a_terminal_shows_the_texts() -> None:
    assert repr(choice()) == "How many?\n- one: A dot.\n- two: Two dots."


@pytest.mark.parametrize(
    ("frames", "question", "words"),
    [
        ({"one": dot()}, "Which?", "at least two pictures, got 1"),
        ({}, "Which?", "got 0"),
        ({"one": dot(), "two": dot()}, " ", "needs a question"),
        ({"one": dot(), " ": dot()}, "Which?", "a label must be words, not ' '"),
        ({"one": dot(), "two": np.zeros(2)}, "Which?", "'two' is not a Picture but of type ndarray: draw it"),
    ],
)
def test_choose_refuses_with_a_reason(frames: Any, question: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        explore.choose(frames, question)


@pytest.mark.parametrize("order", ["C", "F"])
def test_layouts_draw_what_their_labels_say(order: Any) -> None:
    x = np.asarray(np.arange(12.0).reshape(3, 4), order=order)
    explorable = explore.layouts(x)
    assert len(explorable.frames) == 7
    for label, picture in explorable.frames:
        drawn = draw.layout(eval(label, {"x": x, "np": np}))
        assert picture.alt.split(", in ")[0] == drawn.alt.split(", in ")[0]
        if x.base is None and "np." not in label:
            assert picture == drawn


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.arange(4.0), r"real numbers in 2 axes.*got float64 of shape \(4,\)"),
        (np.ones((3, 1)), r"each of length 2 or more, got float64 of shape \(3, 1\)"),
        (np.ones((2, 2), complex), "got complex128"),
        (np.ones((20, 20)), "too large to draw"),
        (np.ones((16, 2)), "too large to draw: 16 columns"),
        ([[1.0, 2.0], [3.0, 4.0]], "a list is not an array"),
        (jnp.ones((2, 2)), "a JAX array"),
    ],
)
def test_layouts_refuse_with_a_reason(array: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        explore.layouts(array)


@pytest.mark.parametrize("function", [explore.choose, explore.layouts])
def test_every_public_function_is_documented_with_an_example(function: Callable[..., Any]) -> None:
    assert ">>> " in (inspect.getdoc(function) or "")


ROOT = Path(__file__).parents[1]
GUIDE = ROOT / "book/contributing/picture.md"


@pytest.mark.skipif(not (ROOT / "src").exists(), reason="what the guide names is in a checkout")
def test_the_guides_way_to_a_picture_ends_in_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(program, {})
    text = (tmp_path / "picture.html").read_text(encoding="utf-8")
    assert text.count('type="radio"') == 3 and "<svg" in text
    for name in re.findall(r"`(draw|explore)\.(\w+)", guide):
        assert hasattr({"draw": draw, "explore": explore}[name[0]], name[1]), name
    for path in re.findall(r"`((?:src|book)/[\w./]+)`", guide):
        assert (ROOT / path).exists(), path
