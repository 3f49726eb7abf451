"""The class page in a browser: its students are sorted and filtered, and the page is whole without its script."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grade_class import mark, result
from play.play_browser import in_page, run

from jaxcourse_grade._records import Result
from jaxcourse_grade.reports import _pages
from jaxcourse_grade.reports._entry import in_order
from jaxcourse_grade.reports._facts import facts

DRIVER = """
const frame = document.createElement("iframe");
frame.width = frame.height = 900;
frame.onload = () => {
  const page = frame.contentDocument;
  const [exercise, mistake] = page.querySelectorAll("select");
  const heads = [...page.querySelectorAll(".students thead th")];
  const names = () => [...page.querySelectorAll(".students tbody tr")].filter((row) => row.offsetHeight)
    .map((row) => row.cells[0].textContent);
  const choose = (select, value) => {
    select.value = value;
    select.dispatchEvent(new Event("change"));
    return [names(), page.querySelector("output").textContent, [...mistake.options].map((one) => one.text)];
  };
  const sort = (column) => {
    heads[column].querySelector("button").click();
    return [names(), heads[column].getAttribute("aria-sort")];
  };
  report({
    first: names(),
    exercises: [...exercise.options].map((one) => one.text),
    points: [sort(3), sort(3)],
    late: sort(4),
    name: sort(0),
    flat: choose(exercise, "flat"),
    steps: choose(mistake, "wrong: counted-elements"),
    everybody: (choose(mistake, ""), choose(exercise, "")),
    error: choose(mistake, "exception: <b>"),
    wide: frame.contentDocument.documentElement.scrollWidth <= 900,
  });
};
"""


def the_class() -> list[Result]:
    """Three students, of whom one has as many points as a text comparison would sort wrongly."""
    passed = tuple(mark(f"exercise-{i:02}", "passed") for i in range(10))
    error = mark("flat", "error", "<b>")
    return [
        result("ada", "01_toy", (*passed, mark("flat", "passed"))),
        result("bob", "01_toy", (*passed[:2], mark("flat", "wrong")), due="2026-10-02T09:00:00+00:00"),
        result("cy", "01_toy", (*passed[:9], error), due="2026-10-02T09:50:00+00:00"),
    ]


def page() -> str:
    entries = in_order(the_class())
    return _pages.the_class(entries, facts(entries), "T", ())


def test_the_students_are_sorted_and_filtered(tmp_path: Path) -> None:
    body = f"<script>{DRIVER} frame.srcdoc = {in_page(page())}; document.body.append(frame);</script>"
    found: dict[str, Any] = run(tmp_path, body)
    assert found["first"] == ["Ada", "Bob", "Cy"]
    assert found["exercises"] == ["any", "flat (2)"]
    assert found["points"] == [[["Bob", "Cy", "Ada"], "ascending"], [["Ada", "Cy", "Bob"], "descending"]]
    assert found["late"] == [["Ada", "Cy", "Bob"], "ascending"]
    assert found["name"][0] == ["Ada", "Bob", "Cy"]
    kinds = ["any mistake", "exception: <b> (1)", "passed (1)", "wrong: counted-elements (1)"]
    assert found["flat"] == [["Bob", "Cy"], "2 of 3 students", kinds]
    assert found["steps"][:2] == [["Bob"], "1 of 3 students"]
    assert found["everybody"][:2] == [["Ada", "Bob", "Cy"], ""]
    assert found["error"][:2] == [["Cy"], "1 of 3 students"]
    assert found["wide"]


def test_without_a_script_the_page_is_whole() -> None:
    text = page()
    table = text[text.index('<table class="students') : text.index("</table>")]
    assert [table.count(f"{points} of") for points in ("11", "2", "9")] == [2, 2, 2]
    assert "1 h late" in table and "10 min late" in table
    assert '<p class="filter" hidden>' in text and text.index("Students</h2>") < text.index("hardest first")
