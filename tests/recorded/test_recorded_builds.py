"""What was recorded on another device, in the built page; and records that no build takes."""

import json
import re
from pathlib import Path

import pytest
from recorded.toy_pages import Pages, site
from recorded.toy_record import LABEL, LESSON, TABLE, lesson, record, write
from sphinx.errors import ExtensionError

from jaxcourse_author.recorded import FOLDER, Measurement, Output, Piece

pytest.importorskip("myst_nb")


def test_without_a_record_no_byte_of_a_page_differs(pages: Pages) -> None:
    assert pages.bare.read_bytes() == pages.plain.read_bytes()
    assert "recorded" not in pages.warnings


def test_with_a_record_a_page_has_that_besides(pages: Pages) -> None:
    page, bare = pages.recorded.read_text(), pages.bare.read_text()
    assert page.count("recorded.js") == page.count("recorded.css") == 1
    for extra in (
        r'<template class="recorded".*?</template>',
        r"<(?:script|link)\b[^>]*recorded\.\w+[^>]*>(?:</script>)?",
        r' data-recorded="[^"]*"',
    ):
        page, found = re.subn(extra, "", page, flags=re.DOTALL)
        assert found
    assert page.split() == bare.split()


def test_a_form_has_what_is_right_on_each_device(pages: Pages) -> None:
    found = re.search(r'data-recorded="(.*?)"', pages.recorded.read_text())
    assert found
    there = json.loads(found[1].replace("&quot;", '"').replace("&#x27;", "'"))
    assert there["nvidia-h200"]["label"] == LABEL
    assert [one["right"] for one in there["nvidia-h200"]["fields"]] == [50.0, 1.0]


def test_a_record_of_other_code_is_not_shown(tmp_path: Path) -> None:
    write(tmp_path)
    lesson(tmp_path, LESSON.replace("in 2 kernels", "in 3 kernels"))
    page, _ = site(tmp_path, "site_recorded")
    assert "<template" not in page.read_text() and "in 3 kernels" in page.read_text()


def test_the_races_of_kernels_are_shown_where_kernels_are_explained(tmp_path: Path) -> None:
    path = lesson(tmp_path, f"{LESSON}\n(what-an-interpreter-hides)=\n## Interpreter\n\nWords.\n")
    kept = record(path)
    kept.pieces["kernels"] = Piece("2026.11.0", "2026-12-02", {"affine": Measurement((Output("html", TABLE),))})
    kept.write(tmp_path / FOLDER / "nvidia-h200.json")
    page, _ = site(tmp_path, "site_recorded")
    section = page.read_text().partition('id="what-an-interpreter-hides"')[2]
    assert "on NVIDIA H200, 2026-12-02, JAX 0.10.2</summary>" in section and TABLE in section


def test_a_hostile_record_ends_the_build(tmp_path: Path) -> None:
    into = write(tmp_path)
    into.write_text(into.read_text().replace("<caption>", "<script>alert(1)</script><caption>"))
    with pytest.raises(ExtensionError, match=r"nvidia-h200\.json is not a record .* tag <script>.*jaxcourse record"):
        site(tmp_path, "site_recorded")
