"""Proofs and practice on the page: folded, marked, silent, and not on paper."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from mini_book import build
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from play.play_browser import run
from toy import edit, toy

from jaxcourse.course import Course
from jaxcourse_author.lesson import notebooks

__all__ = ["toy"]

BOOK = Path(__file__).parents[2] / "book"
sys.path.insert(0, str(BOOK / "_ext"))
pytest.importorskip("site_proofs")

PROOF = "assert 2 * 3 == six, 'It is not six.'"


def page_of(source: Path, *outputs: Any) -> tuple[str, str]:
    """A page with a sentence, its proof and another cell: its HTML, and the warnings."""
    proof = new_code_cell(PROOF, metadata={"tags": ["proof"]}, outputs=list(outputs))
    cells = [new_markdown_cell("# Page\n\nTwice three is six."), proof, new_code_cell("another = 1")]
    files = {"index.ipynb": nbformat.writes(new_notebook(cells=cells))}
    out, warnings = build(source, files, ["myst_nb", "site_proofs", "site_pages"], nb_execution_mode="off")
    return (out / "index.html").read_text(encoding="utf-8"), warnings


def test_a_proof_is_folded_under_words_and_nothing_else_is(tmp_path: Path) -> None:
    page, _ = page_of(tmp_path)
    (fold,) = re.findall(r"<details.*?</details>", page, re.DOTALL)
    summary, _, inside = fold.partition("</summary>")
    assert "Why we may say so" in summary and "aria-label" not in summary
    assert "It is not six." in inside and "another" not in inside


def test_a_proof_that_shows_something_stops_the_build(tmp_path: Path) -> None:
    _, warnings = page_of(tmp_path, new_output("stream", name="stdout", text="6\n"))
    assert "a proof shows something" in warnings


PAPER = """
const seen = () => [...document.querySelectorAll(".tag_proof")].map((cell) => cell.checkVisibility());
const found = { screen: seen() };
for (const sheet of document.styleSheets)
  for (const rule of [...sheet.cssRules])
    if (rule.media?.mediaText === "print")
      for (const one of rule.cssRules) sheet.insertRule(one.cssText, sheet.cssRules.length);
found.paper = seen();
report(found);
"""


def test_paper_has_the_proofs_that_a_reader_has_opened(tmp_path: Path) -> None:
    style = (BOOK / "_static" / "site.css").read_text(encoding="utf-8")
    fold = '<div class="cell tag_proof"><details class="hide"{}><summary>Why</summary>Because.</details></div>'
    body = f"<style>{style}</style>{fold.format('')}{fold.format(' open')}<script>{PAPER}</script>"
    assert run(tmp_path, body) == {"screen": [True, True], "paper": [False, True]}


def test_practice_is_marked_in_the_title_of_an_exercise(toy: Path) -> None:
    edit(toy / "notebooks/01_toy.md", ":label: double-it\n", ":label: double-it\n:class: practice\n")
    notebooks.write(Course(toy))
    files = {"index.md": "# Home\n\n```{toctree}\nnotebooks/01_toy\n```\n"}
    extensions = ["myst_nb", "sphinx_exercise", "site_predict", "site_answers"]
    more: dict[str, Any] = {"exclude_patterns": ["book", "**.ipynb"], "nb_execution_mode": "off"}
    out, _ = build(toy, files, extensions, **more)
    page = (out / "notebooks/01_toy.html").read_text(encoding="utf-8")
    (exercise,) = re.findall(r'<div class="[^"]*\bpractice\b[^"]*" id="double-it">.*?</p>', page, re.DOTALL)
    assert 'class="admonition-title"' in exercise and '<span class="practice-mark">practice</span></p>' in exercise
