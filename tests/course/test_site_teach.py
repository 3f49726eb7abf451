"""The page of plans: what lessons have stands on it, what is right in a question comes from the run."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from mini_book import build

from jaxcourse.course import Course

sys.path.insert(0, str(Path(__file__).parents[2] / "book" / "_ext"))
pytest.importorskip("myst_nb")
site_teach = pytest.importorskip("site_teach")
site_entrance = pytest.importorskip("site_entrance")

Choice = site_teach.Choice

LESSON = """\
---
file_format: mystnb
kernelspec: {name: python3}
---

# Sums

(adding)=
## Adding: `+`

A long enough paragraph about sums.

```{predict}
---
fields:
- ask: the sum
  kind: number
  reads: 'sum (.*)'
  mistakes: {'7': 'Not the *last* one.', '12': Not twice.}
---
What comes out?
```

```{code-cell} ipython3
:tags: [hide-input]

total = 1 + 2
print("sum", total)
```

```{code-cell} ipython3
total + 1
```

```{code-cell} ipython3
total + 1
```
"""
PLAN = """\
lessons:
  10_sums:
    live:
    - {at: adding, cell: total = 1, ask: Guess it.}
    peers: {at: adding, field: the sum}
"""
HABITS = """\
- habit: You add the last one only.
  mends: adding
  shows: {adding: ['7'], elsewhere: ['8']}
"""
PATHS = """\
paths:
- path: day
  title: One day
  for: A class.
  after: add
  preset: true
  sections: {Morning: [adding]}
"""
TOC = """\
format: jb-book
root: index
chapters: [{file: notebooks/10_sums}, {file: book/paths}, {file: book/for_instructors}, {file: book/teach}]
"""
TREE = "```{toctree}\nnotebooks/10_sums\nbook/paths\nbook/for_instructors\nbook/teach\n```\n"
FILES = {
    "index.md": f"# Index\n\n{TREE}",
    "_config.yml": "title: T\n",
    "_toc.yml": TOC,
    "solutions/course.json": "{}",
    "notebooks/10_sums.md": LESSON,
    "book/teach.md": "# Plans\n\nBefore.\n\n## Presets\n\n{{ plans of presets }}\n\n{{ plans }}\n",
    "book/teach.yml": PLAN,
    "book/habits.yml": HABITS,
    "book/paths.yml": PATHS,
    "book/paths.md": "# Paths\n\n(path-day)=\n## One day\n\nAll.\n",
    "book/for_instructors.md": "# For instructors\n\n{{ links to plans }}\n",
}
SETTINGS = {"nb_execution_mode": "force", "exclude_patterns": ["jupyter_execute"]}
EXTENSIONS = ["myst_nb", "site_predict", "site_teach", "site_search"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A course of one lesson with its plan."""
    return build(tmp_path_factory.mktemp("teach"), FILES, EXTENSIONS, **SETTINGS)


@pytest.fixture
def page(site: tuple[Path, str]) -> str:
    """The page of plans."""
    return (site[0] / "book" / "teach.html").read_text(encoding="utf-8")


def plain(html: str) -> str:
    """The words of HTML."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_the_site_has_nothing_to_warn_of(site: tuple[Path, str]) -> None:
    assert str(site[0].parent) not in site[1], site[1]


def test_a_plan_has_what_its_lesson_has(page: str) -> None:
    words = plain(page)
    assert "Teaching 10: Sums" in words and "The lesson takes 5 minutes." in words
    assert "Guess it. Run the cell with total = 1 , in Adding: + ." in words
    assert "A habit that shows in 2 sections: You add the last one only. See Adding: + ." in words
    assert "What goes wrong" not in words and "For an examination" not in words, "it has no exercise"


def test_what_is_right_comes_from_the_run_and_each_other_answer_has_its_words(page: str) -> None:
    (table,) = re.findall(r'<table class="table teach-answers">.*?</table>', page)
    rows = [plain(row) for row in table.split("</tr>")[:-1]]
    assert rows == ["A 3 Right.", "B 7 Not the last one.", "C 12 Not twice."]
    assert "<em>last</em>" in table


def test_a_link_to_a_cell_leads_to_one_that_is_there(site: tuple[Path, str], page: str) -> None:
    lesson = (site[0] / "notebooks" / "10_sums.html").read_text(encoding="utf-8")
    (name,) = re.findall(r'href="../notebooks/10_sums.html#(cell-\w+)"', page)
    assert lesson.count(f'id="{name}"') == 1
    assert "total = 1" in plain(lesson.partition(f'id="{name}"')[2])[:600].replace("  ", " ")


def test_of_equal_cells_the_first_has_the_anchor(site: tuple[Path, str]) -> None:
    lesson = (site[0] / "notebooks" / "10_sums.html").read_text(encoding="utf-8")
    assert lesson.count(f'id="{site_teach.cell_id("total + 1")}"') == 1


def test_a_preset_leads_to_the_plans_of_its_lessons(page: str) -> None:
    words = plain(page.partition("Presets")[2])
    assert "One day" in words and "A class." in words
    assert re.search(r"<td[^>]*><p>Morning</p></td>", page)
    assert '<a class="reference internal" href="#teach-10"><span class="std std-ref">10</span></a>' in page


def test_the_page_for_instructors_links_to_each_plan(site: tuple[Path, str]) -> None:
    html = (site[0] / "book" / "for_instructors.html").read_text(encoding="utf-8")
    assert 'href="teach.html#teach-10"><span class="std std-ref">10 Sums</span>' in html


def test_the_search_finds_the_title_of_a_plan_and_nothing_in_it(site: tuple[Path, str]) -> None:
    text = (site[0] / "_static" / "search_index.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("window.courseIndex=").rstrip(";\n"))
    number = index["pages"].index(["book/teach", "Plans"])
    found = [place for place in index["places"] if place[0] == number]
    assert [place[2] for place in found] == ["Plans", "Presets", "One day", "Teaching 10: Sums"]
    assert found[-1][4] == ""
    assert "guess" not in index["terms"] and "teaching" in index["terms"] and "before" not in index["terms"]


def test_no_way_of_a_reader_leads_to_it() -> None:
    assert site_teach.PAGE in site_entrance.ASIDE


def test_only_the_page_of_plans_has_their_style(site: tuple[Path, str], page: str) -> None:
    assert "teach.css" in page and re.search(r'<section class="[^"]*teach unsearched', page)
    assert "teach.css" not in (site[0] / "notebooks" / "10_sums.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        (
            "book/teach.yml",
            "total = 1",
            "total = 9",
            "book/teach.yml: '10_sums': the cell of `adding` that",
        ),
        ("notebooks/10_sums.md", 'print("sum", total)', 'print("nothing")', "nothing in the output is found by sum"),
        ("notebooks/10_sums.md", "'12': Not twice.", "'3': Not it.", "the mistake '3' is what the run says"),
    ],
)
def test_what_does_not_hold_is_a_warning_which_ends_a_build(
    tmp_path: Path, name: str, old: str, new: str, said: str
) -> None:
    _, warnings = build(tmp_path, FILES | {name: FILES[name].replace(old, new)}, EXTENSIONS, **SETTINGS)
    assert said in warnings


def test_choices_are_in_the_order_of_the_lesson_or_of_their_numbers() -> None:
    found = [Choice("text"), Choice("a", "No."), Choice("10", "No."), Choice("9", "No.")]
    assert [one.answer for one in site_teach.ordered(found)] == ["a", "text", "9", "10"]
    assert [one.answer for one in site_teach.ordered(found[:2], ["a", "text"])] == ["a", "text"]


def test_what_is_measured_and_left_open_has_no_right_answer(tmp_path: Path) -> None:
    measured = LESSON.replace("reads: 'sum (.*)'", "reads: 'ratio (.*)'\n  measured: true")
    out, warnings = build(tmp_path, FILES | {"notebooks/10_sums.md": measured}, EXTENSIONS, **SETTINGS)
    page = (out / "book" / "teach.html").read_text(encoding="utf-8")
    (table,) = re.findall(r'<table class="table teach-answers">.*?</table>', page)
    assert str(tmp_path) not in warnings and "Right" not in table and "Not twice." in table
    assert "leaves it open" in page


@pytest.mark.parametrize(
    ("answer", "html"),
    [
        ("(3,)", "<code>(3,)</code>"),
        ("the mean of `y`", "the mean of <code>y</code>"),
        ("faster", "faster"),
        ("it gathers <b>", "it gathers &lt;b&gt;"),
        ("x < y", "<code>x &lt; y</code>"),
    ],
)
def test_an_answer_is_code_unless_it_is_in_words(answer: str, html: str) -> None:
    assert f"<td>{html}</td>" in site_teach.answers_html([one := Choice(answer)], one)


def test_an_exercise_of_this_course_is_in_its_plan_with_its_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    course = Course(Path(__file__).parents[2])
    monkeypatch.setattr(site_teach, "_spare", lambda *_: "")  # all lessons would have to be read
    text = site_teach.plan_text(course, site_teach.read_plans(course)["00_start_here"])
    assert "{ref}`Lower every column to its mean <centre-columns>`" in text or "<centre-columns>`" in text
    goes_wrong, _, exam = text.partition("### What goes wrong")[2].partition("### For an examination")
    assert "`means-of-rows`: You took the means" in goes_wrong and "`` x - x.mean(axis=1) ``" in goes_wrong
    assert "<centre-columns>" in exam and "<which-axis>" not in exam


def test_a_lesson_without_a_plan_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: index\n", encoding="utf-8")
    course: Any = Course(tmp_path)
    assert site_teach.links(course) == "No lesson that is taught here has a plan."
