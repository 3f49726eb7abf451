"""The course as one document: links and ids that hold, solutions at the end, and a clear word where it cannot be."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book"))
pdf = pytest.importorskip("pdf")

PAGE = """<html><head><title>{name} — Course</title><link rel="stylesheet" href="../_static/a.css">
<style>.s{{}}</style></head><body><nav id="menu"></nav><article class="bd-article"><h1 id="top">{name}</h1>
<a href="#top">1</a><a href="../b/two.html#top">2</a><a href="two.html">3</a><a href="../_images/x.png">4</a>
<a href="https://example.org">5</a><div class="solution" id="s">solved {name}</div></article></body></html>"""


def test_pages_become_one_whose_links_hold(tmp_path: Path) -> None:
    for name in ("a/one", "b/two"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / f"{name}.html").write_text(PAGE.format(name=name), encoding="utf-8")
    page = pdf.whole(tmp_path, ["a/one", "b/two"])
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids)) == 6
    links = re.findall(r'href="([^"]+)"', page)
    assert {link[1:] for link in links if link.startswith("#")} <= set(ids)
    assert {link for link in links if not link.startswith("#")} == {
        "_static/a.css", "_images/x.png", "https://example.org", "a/two.html",
    }  # fmt: skip
    assert page.index("solved a/one") > page.index("<h1>Solutions</h1>") > page.index(">b/two</h1>")
    assert page.count("<style>.s{}</style>") == 1 and "<title>a/one</title>" in page


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf.shutil, "which", lambda name: None)
    assert "install Chromium" in pdf.main(tmp_path, tmp_path)
    monkeypatch.setattr(pdf.shutil, "which", lambda name: "/bin/false")
    assert "make html" in pdf.main(tmp_path, tmp_path)
