"""What cells print as a notebook shows it, and pages that are valid HTML."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from play.play_browser import run

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
site_outputs = pytest.importorskip("site_outputs")
site_pages = pytest.importorskip("site_pages")


# -- what cells print -------------------------------------------------------------------------------------------


def _stream(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


PICTURE: dict[str, Any] = {"output_type": "display_data", "data": {}}


@pytest.mark.parametrize(
    ("pieces", "joined"),
    [
        ([_stream("one li"), _stream("ne\n  two")], [_stream("one line\n  two")]),
        ([_stream("a\n\n"), _stream("\nb\n")], [_stream("a\n\n\nb\n")]),
        ([_stream("a\n"), PICTURE, _stream("b\n")], [_stream("a\n"), PICTURE, _stream("b\n")]),
        ([_stream("a\n"), _stream("!\n", "stderr"), _stream("b\n")],) * 2,
        ([], []),
    ],
)
def test_what_was_printed_in_pieces_is_joined_as_it_was(pieces: list[Any], joined: list[Any]) -> None:
    before = json.dumps(pieces)
    assert site_outputs.join_streams(pieces) == joined
    assert json.dumps(pieces) == before  # the cache's own


def test_pages_are_rendered_with_our_joining(monkeypatch: pytest.MonkeyPatch) -> None:
    from myst_nb.core import render

    monkeypatch.setattr(render, "coalesce_streams", None)
    site_outputs.setup(SimpleNamespace(connect=lambda *args, **options: None))
    renderer = SimpleNamespace(
        get_cell_level_config=lambda *args: True,
        nb_client=SimpleNamespace(code_cell_outputs=lambda index: (1, [_stream("a"), _stream("b")])),
    )
    token: Any = SimpleNamespace(meta={"index": 0, "metadata": {}}, map=(0, 1))
    shown = render.MditRenderMixin._get_nb_code_cell_outputs(cast(Any, renderer), token)
    assert shown == (1, [_stream("ab")])


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("one sentence\nand another", True),
        ("name   number\nx      1", False),
        ("  indented\n", False),
        ("name   number " + 80 * "x", True),
    ],
)
def test_sentences_wrap_and_columns_scroll(text: str, prose: bool) -> None:
    assert site_outputs.is_prose(text) is prose


# -- whole pages ------------------------------------------------------------------------------------------------


def test_styles_of_pictures_stand_once_in_the_head() -> None:
    page = (
        "<head><style>.z{}</style></head><body><style>.a{}</style><form><style>.a{}</style><style>.b{}</style></form>"
    )
    better = site_pages.repaired(page)
    assert better == "<head><style>.z{}</style><style>.a{}.b{}</style>\n</head><body><form></form>"
    assert site_pages.repaired(better) == better


def test_a_summary_holds_no_paragraph() -> None:
    page = '<summary><p class="a">x</p></summary><p>y</p><summary aria-label="z"><pre>w</pre></summary>'
    assert site_pages.repaired(page) == page.replace('<p class="a">x</p>', '<span class="a">x</span>')


@pytest.mark.parametrize("points", ['<use href="#a"/>', '<g clip-path="url(#a)"/>', '<g aria-labelledby="b a"/>'])
def test_a_drawing_that_stands_twice_has_ids_of_its_own_the_second_time(points: str) -> None:
    svg = (
        f'<svg viewBox="0 0 1 1"><path id="a"/>{points}<a href="#else"/><style type="x">p{{fill:url(#a)}}</style></svg>'
    )
    page = site_pages.repaired(3 * svg)
    assert re.findall(r'[# "]+(a[-\d]*)[")]', page) == [name for name in ("a", "a-2", "a-3") for _ in range(3)]
    assert page.count("#else") == 3 and page.startswith(svg)
    assert site_pages.repaired(page) == page


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (
            '<summary aria-label="Toggle hidden content">\n<p>Show</p></summary>',
            "<summary>\n<span>Show</span></summary>",
        ),
        ('<div class="citation" role="doc-biblioentry">', '<div class="citation" role="listitem">'),
        ('<summary aria-label="Something else">', '<summary aria-label="Something else">'),
        (
            '<dt>f(\n<dl>\n<dd><em class="sig-param">a</em>,</dd>\n<dd><em class="sig-param">b</em>,</dd>\n'
            "</dl>\n)</dt>",
            '<dt>f(\n<div class="sig-params">\n<div><em class="sig-param">a</em>,</div>\n'
            '<div><em class="sig-param">b</em>,</div>\n</div>\n)</dt>',
        ),
        ("<dl><dt>a</dt>\n<dd>b</dd></dl>", "<dl><dt>a</dt>\n<dd>b</dd></dl>"),
    ],
)
def test_what_jupyter_book_labels_wrongly_is_mended(wrong: str, right: str) -> None:
    assert site_pages.repaired(wrong) == right


def test_predictions_and_exercises_are_regions_and_no_two_are_called_the_same() -> None:
    def box(name: str, kind: str, title: str, region: str = "", head: str = "") -> str:
        return (
            f'<div class="{kind} admonition" id="{name}"{region}>\n<p class="admonition-title"{head}>{title}</p></div>'
        )

    def better(name: str, kind: str, title: str) -> str:
        region = f' role="region" aria-labelledby="{name}-title"'
        return box(name, kind, title, region, f' id="{name}-title" role="heading" aria-level="3"')

    exercise = ("do-it", "exercise practice", '<span class="caption-number">Exercise 1.1 </span> (Do it)')
    plain, solution = box("note", "note", "Predict"), box("sol", "solution", "Solution to Exercise 1.1")
    asked = [("a", "admonition-predict", "Predict"), ("b", "admonition-predict", "Predict")]
    page = "<h2>A</h2>" + "".join(box(*one) for one in (*asked, exercise)) + solution
    told = [
        better(name, kind, f'{title}<span class="visually-hidden"> {i}</span>')
        for i, (name, kind, title) in enumerate(asked, 1)
    ]
    assert site_pages.repaired(page) == "<h2>A</h2>" + "".join(told) + better(*exercise) + solution
    assert site_pages.repaired(site_pages.repaired(page)) == site_pages.repaired(page)
    assert 'role="region"' not in site_pages.repaired(plain)


def test_what_only_looks_like_a_tag_stays_as_it_is() -> None:
    svg = "<svg><path id='b'/><path id=\"a\"/></svg>"
    said = '<style>.a{}</style><summary><p>x</p></summary><p class="admonition-title">Predict</p>'
    page = f"<head></head><script>const shown = `{said}{svg}`</script><!-- {said}{svg} --><p title='{said}'>x</p>{svg}"
    assert site_pages.repaired(page) == page


# -- what scrolls ------------------------------------------------------------------------------------------------

BOXES = """<style>pre{overflow-x:auto;width:200px}</style>
<pre id="wide">%s</pre><pre id="narrow">x</pre><div hidden><pre id="later">%s</pre></div>
<script>
// Chromium draws no second frame in a test, so the test says itself when sizes have changed.
let measure = () => {};
window.ResizeObserver = class {
  boxes = [];
  constructor(told) { measure = () => told(this.boxes.map((target) => ({ target }))); }
  observe(box) { this.boxes.push(box); }
};
</script><script>%s</script><script>
const look = (id) => { const box = document.getElementById(id);
  return [box.tabIndex, box.getAttribute("role"), box.getAttribute("aria-label")]; };
document.addEventListener("DOMContentLoaded", () => {
  measure();
  const before = ["wide", "narrow", "later"].map(look);
  document.querySelector("[hidden]").hidden = false;
  document.getElementById("wide").style.width = "5000px";
  measure();
  report([before, ["wide", "later"].map(look)]);
});
</script>"""


def test_what_scrolls_can_be_reached_by_keyboard_also_when_it_is_opened_later(tmp_path: Path) -> None:
    script = (ROOT / "book" / "_static" / "scroll.js").read_text(encoding="utf-8")
    before, after = run(tmp_path, BOXES % (300 * "x", 300 * "x", script))
    reached, not_reached = [0, "group", "Code, scrolls sideways"], [-1, None, None]
    assert before == [reached, not_reached, not_reached]
    assert after == [not_reached, reached]
