"""Predictions made in a notebook's kernel are compared on the lesson's page, in a real browser."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from play.play_browser import run

from jaxcourse.course import Course, LessonText
from jaxcourse.notebook._record import Record, page_of
from jaxcourse_author import lesson
from jaxcourse_author.lesson.predictions import Box

nbclient = pytest.importorskip("nbclient")
ROOT = Path(__file__).parents[2]
STATIC = ROOT / "book" / "_static"
sys.path.insert(0, str(ROOT / "book" / "_ext"))
site_predict, site_entrance = pytest.importorskip("site_predict"), pytest.importorskip("site_entrance")

STEM = "20_jit_stages"
pytestmark = pytest.mark.lessons(STEM)
SAID = {
    "jit-reads-once": '"one line", "its type"',
    "the-stages": '"another"',
    "cache-key": "",
}
"""The first questions of the lesson, with what a reader says to them; to the last, nothing."""


def predicted(folder: Path) -> tuple[list[Any], Record]:
    """The beginning of the lesson's notebook, run in a kernel by a reader who predicts, and what is kept then."""
    book = nbformat.read(ROOT / "notebooks" / f"{STEM}.ipynb", as_version=4)
    asks = [i for i, cell in enumerate(book.cells) if cell.metadata.get("jaxcourse", {}).get("role") == "ask"]
    book.cells = book.cells[: asks[len(SAID) - 1] + 2]
    for i, said in zip(asks, SAID.values(), strict=False):
        call, _, _ = book.cells[i].source.partition(", ")
        book.cells[i].source = f"{call}, {said})" if said else book.cells[i].source
    free = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    nbclient.NotebookClient(book, kernel_name="python3", resources={"metadata": {"path": folder}}).execute(env=free)
    return book.cells, Record(folder)


def output_of(cells: list[Any], key: str) -> str:
    """What the cell below a question printed."""
    place = next(i for i, cell in enumerate(cells) if cell.source.startswith(f'ask("{key}"'))
    return site_predict.tidy("\n".join(one.get("text", "") for one in cells[place + 1].outputs))  # type: ignore[no-any-return]


def page(cells: list[Any], boxes: dict[str, Box]) -> str:
    """A page with the forms of some questions as the site has them, and what the run says below them."""
    parts = []
    for key, box in boxes.items():
        output = output_of(cells, key)
        form = site_predict.form(key, box, output, [f"predicted-{key}-0"])
        parts.append(f'<div class="admonition-predict" id="predict-{key}">{form}</div>')
        parts.append(f'<div class="predict-output" id="predicted-{key}-0"><pre>{output}</pre></div>')
    known = [replace(one, stem="page") for one in site_entrance.cards(Course(ROOT)) if one.stem == STEM]
    files = ("record.js", "store.js", "repeat.js", "markup.js", "reader.js", "predict.js", "progress.js")
    scripts = {name: (STATIC / name).read_text(encoding="utf-8") for name in files}
    scripts["progress.js"] = f"{site_entrance.lessons_script(known)}\n{scripts['progress.js']}"
    code = "".join(f"<script>{text}</script>" for text in scripts.values())
    return f'<article class="bd-article"><h1>Stages</h1>{"".join(parts)}</article>{code}'


SEEN = """
addEventListener("DOMContentLoaded", () => setTimeout(() => report({
  told: [...document.querySelectorAll("form.predict-form .predict-told")].map((one) => one.innerText),
  covers: document.querySelectorAll(".predict-cover").length,
  brought: document.querySelector(".course-brought").textContent,
  hash: location.hash,
  planned: repeat.planned().map(({ key }) => key),
}), 300));
"""


def test_what_was_predicted_in_a_kernel_is_compared_on_the_page(tmp_path: Path) -> None:
    (tmp_path / "notebooks").mkdir()
    cells, record = predicted(tmp_path / "notebooks")
    boxes = lesson.boxes_by_key(lesson.read_lesson(ROOT / "notebooks" / f"{STEM}.md", Course(ROOT)).boxes)
    shown = dict(list(boxes.items())[: len(SAID)])
    first, second, third = shown
    kept = record.predictions()
    assert kept == {first: ["one line", "its type"], second: ["another"]}
    panels = [str(cell.outputs) for cell in cells if cell.source.startswith("ask(")]
    assert "Your prediction is kept" in panels[0] and "right" not in panels[0]
    assert "Predict first" in panels[2] or "VBox" in panels[2], "a form, where widgets are installed"
    text: LessonText = Course(ROOT).texts[STEM]
    address = page_of(LessonText(f"{STEM}.html", {}, text.solutions, {}, predictions=text.predictions), {}, kept)
    body = f"{page(cells, shown)}<script>{SEEN}</script>"
    (tmp_path / "site" / "notebooks").mkdir(parents=True)
    found = run(tmp_path / "site" / "notebooks", body, "#" + address.partition("#")[2])
    assert "One line" not in found["told"][2] and found["covers"] == 1, "what was not predicted stays covered"
    assert found["told"][0].startswith("2 of 2 as the run says.") and "✓ right" in found["told"][0]
    assert "The run says otherwise." in found["told"][1] and "✗ not so" in found["told"][1]
    assert (
        found["brought"] == "✓ 2 predictions that you made in your notebook are compared below with what the run says."
    )
    assert found["hash"] == "" and found["planned"] == [second], "what went wrong comes back"
