"""The page for those who come from PyTorch: twelve predictions, each answered, reconciled and led on from."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from mini_book import build

from jaxcourse_author.lesson import Node, page_at
from jaxcourse_author.lesson.predictions import read_box

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
pytest.importorskip("myst_nb")
pytest.importorskip("site_predict")

PAGE = page_at(ROOT / "book" / "from_pytorch.md")
BOXES = [i for i, node in enumerate(PAGE.nodes) if node.name == "predict"]
MINUTES = 25


def behind(i: int) -> tuple[Node, Node]:
    """The two nodes that follow another one."""
    return PAGE.nodes[i + 1], PAGE.nodes[i + 2]


def test_each_of_twelve_predictions_is_answered_by_a_cell_and_reconciled_in_a_paragraph_that_leads_on() -> None:
    assert len(BOXES) == 12
    for cell, paragraph in map(behind, BOXES):
        assert cell.name == "code-cell" and paragraph.type == "paragraph", f"line {cell.line}"
        assert any(mark.name == "ref" for mark in paragraph.marks), f"line {paragraph.line} leads nowhere"


def test_it_takes_the_minutes_of_its_title_without_the_table_in_which_things_are_looked_up() -> None:
    words = re.sub(r"(?ms)^```.*?^```|^\|.*?$|\A---.*?^---", "", PAGE.text).split()
    boxes = [read_box(box.body) for box in PAGE.directives("predict")]
    cells = [cell.body for cell in PAGE.directives("code-cell") if not cell.options.get("tags")]
    lines = sum(bool(line.strip()) for cell in cells for line in cell.splitlines())
    asked = sum(len(box.fields) for box in boxes)
    minutes = (len(words) + sum(len(box.question.split()) for box in boxes)) / 180 + lines / 12 + asked
    assert MINUTES - 3 < minutes < MINUTES + 1 and f"{MINUTES} minutes" in PAGE.headings[0].title


def test_pytorch_is_not_imported() -> None:
    assert not any("torch" in cell.body for cell in PAGE.directives("code-cell"))


def test_the_run_answers_each_prediction(tmp_path: Path) -> None:
    files = {"index.md": "# Index\n\n```{toctree}\nbook/from_pytorch\n```\n", "book/from_pytorch.md": PAGE.text}
    out, warnings = build(tmp_path, files, ["site_predict"], execute=True, nb_execution_timeout=120)
    assert "a prediction box" not in warnings and "Executing notebook failed" not in warnings, warnings
    html = (out / "book" / "from_pytorch.html").read_text(encoding="utf-8")
    assert html.count('<form class="predict-form"') == len(BOXES)
    assert "this run does not decide it" not in html
