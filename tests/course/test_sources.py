"""The page of sources and the corrections of record: no row is lost, every claim is shown, and sections lead back."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from mini_book import build

from jaxcourse.course import Course
from jaxcourse_author.lesson.elsewhere import Elsewhere

if TYPE_CHECKING:
    from site_records import Correction, Passage, Source

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
site_records = pytest.importorskip("site_records")

ROWS = {"S0": 45, "S1": 35, "S2": 44, "S3": 35, "S4": 37}
"""How many rows each source has: the inventory's 188, and the 8 that it forgot."""

Known = tuple[list["Source"], list["Correction"], Mapping[str, "Passage"]]


@pytest.fixture(scope="module")
def known() -> Known:
    course = Course(ROOT)
    return site_records.sources(course), site_records.corrections(course), site_records.passages(course)


def test_every_row_is_found_where_it_lives_and_every_correction_is_shown(known: Known) -> None:
    assert site_records.problems(*known, Elsewhere(Course(ROOT)).places) == []


def test_no_row_of_a_source_is_missing(known: Known) -> None:
    for source, (letter, rows) in zip(known[0], ROWS.items(), strict=True):
        assert [row.id for row in source.rows] == [f"{letter}-{n:02}" for n in range(1, rows + 1)]


def test_every_correction_is_read_and_what_a_source_says_of_it_is_a_row_that_was_corrected(known: Known) -> None:
    became = {row.id: row.became for source in known[0] for row in source.rows}
    text = (ROOT / "book/corrections.md").read_text(encoding="utf-8")
    assert len(known[1]) == text.count("\n## ") == text.count("\n(correction-")
    assert {name for one in known[1] for name in one.said if became[name] != "corrected"} == set()


def test_a_sentence_that_is_taken_out_of_a_lesson_is_missed(known: Known) -> None:
    declared, _, passages = known
    row = declared[1].rows[28]
    text = passages[row.at].text.replace(row.says, "")
    shorter = {**passages, row.at: replace(passages[row.at], text=text)}
    said = site_records.problems([replace(declared[1], rows=(row,))], [], shorter)
    assert said == [f"{row.id} is lost: `{row.at}` no longer says {row.says!r}"]


def test_what_is_wrong_is_said(known: Known) -> None:
    declared, corrected, passages = known
    rows = declared[0].rows
    wrong = [
        rows[0],
        rows[0],
        replace(rows[1], at="nowhere"),
        replace(rows[2], became="lost"),
        replace(rows[3], says=""),
    ]
    corrections = [
        replace(corrected[0], shown=()),
        replace(corrected[1], said=("S9-01",)),
        replace(corrected[2], shown=("elsewhere-9",)),
        replace(corrected[3], shown=("use-offline",)),  # a section without a cell
    ]
    said = site_records.problems([replace(declared[0], rows=tuple(wrong))], corrections, passages)
    assert said == [
        "book/sources.yml has S0-01 twice",
        "S0-02: `nowhere` is neither a section nor an exercise: mend it in book/sources.yml",
        "S0-03 became 'lost', which is none of kept, modernised, corrected",
        "S0-04 is lost: `where-arrays-live` no longer says ''",
        f"{corrected[0].label} does not end in `Said in ... .` or `Often heard.`, and `Shown in ... .`",
        f"{corrected[1].label} names `S9-01`, which is nowhere",
        f"{corrected[2].label} names `elsewhere-9`, which is nowhere",
        f"{corrected[3].label}: no cell of use-offline shows it",
    ]


# -- a small site -----------------------------------------------------------------------------------------------

SOURCES = """
- source: "009: a talk"
  about: A talk.
  rows:
    - {id: S9-01, was: a "claim", became: corrected, now: "it is `not` so", at: far, says: far away}
    - {id: S9-02, was: a task, became: kept, at: do-it, says: Do it.}
    - {id: S9-03, was: a thing, became: kept, at: gone, says: Gone.}
"""
LESSON = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# One

(far)=
## Far `away`

It is far away.

```{code-cell} ipython3
x = 1  # here
# not a heading
```

```{exercise-start} Do <it>
:label: do-it
```
Do it.
```{exercise-end}
```

(near)=
### Near

Near.

## After
"""
FILES = {
    "index.md": "# Index\n\n```{toctree}\nnotebooks/01_one\nbook/sources\nbook/corrections\n```\n",
    "_config.yml": "title: T\n",
    "_toc.yml": "root: index\nchapters:\n" + "".join(
        f"  - file: {page}\n" for page in ("notebooks/01_one", "book/sources", "book/corrections")
    ),
    "notebooks/01_one.md": LESSON,
    "notebooks/02_left.md": "# Two\n\n(gone)=\n## Gone\n\nGone.\n",
    "book/sources.md": "# Sources\n\n{{ sources }}\n",
    "book/sources.yml": SOURCES,
    "book/corrections.md": '# Corrections\n\n(correction-far)=\n## "It is `near`"\n\nIt is far.\n\n'
    "Said in {ref}`S9-01 <s9-01>`. Shown in\n{ref}`Far <far>`.\n",
}  # fmt: skip


def built(folder: Path, files: dict[str, str], *more: str) -> dict[str, str]:
    """The pages of a site, after some of its files have been written."""
    extensions = ["myst_nb", *more, "site_records", "site_ways_back", "site_syllabus"]
    settings = {
        "exclude_patterns": ["notebooks/02_left.md", "jupyter_execute"],
        "nb_execution_mode": "off",
        "nitpicky": True,
    }
    out, warnings = build(folder, files, extensions, **settings)
    assert str(folder) not in warnings, warnings  # a second site in one process is warned of, without a file
    pages = [name.removesuffix(".md") for name in FILES if name.endswith(".md") and "left" not in name]
    return {page: (out / f"{page}.html").read_text(encoding="utf-8") for page in pages}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A course with a lesson, a lesson that it does not teach, a source and a correction."""
    pytest.importorskip("sphinx_exercise")
    return built(tmp_path_factory.mktemp("records"), FILES, "sphinx_exercise")


def test_a_row_is_an_item_with_an_anchor_and_leads_to_its_section_and_its_correction(site: dict[str, str]) -> None:
    page = site["book/sources"]
    assert "A talk. 3 rows: 2 kept, 0 modernised, 1 corrected." in page
    (item,) = (one for one in re.findall(r"<li>.*?</li>", page, re.DOTALL) if "S9-01" in one)
    assert 'id="s9-01"' in item and "(it is <code" in item
    assert re.findall(r'href="([^"]+)"', item) == ["../notebooks/01_one.html#far", "corrections.html#correction-far"]
    assert "01: Far away" in item
    assert 'href="../notebooks/01_one.html#do-it"' in page and "01: Do it" in page


def test_a_row_of_a_lesson_that_is_not_taught_is_words_alone(site: dict[str, str]) -> None:
    (item,) = (one for one in re.findall(r"<li>.*?</li>", site["book/sources"], re.DOTALL) if "S9-03" in one)
    assert "02: Gone" in item and "href" not in item


def test_rows_are_folded_and_a_section_ends_with_its_corrections_before_the_sections_in_it(
    site: dict[str, str],
) -> None:
    page = site["notebooks/01_one"]
    rows, corrections = re.findall(r'<p class="records">(.*?)</p>', page)
    assert re.findall(r'href="([^"]+)">([^<]+)<', rows) == [
        ("../book/sources.html#s9-01", "S9-01"),
        ("../book/sources.html#s9-02", "S9-02"),
    ]
    links = [("../book/corrections.html#correction-far", "“It is near”")]
    assert re.findall(r'href="([^"]+)">([^<]+)<', corrections) == links
    (fold,) = re.findall(r'<div class="cell tag_sources.*?</details>', page, re.DOTALL)
    assert ">From the sources</p>" in fold and rows in fold and corrections not in fold
    assert page.index("Do it.") < page.index(fold) < page.index(corrections) < page.index('id="near"')


def test_rows_stand_behind_the_last_proof_of_their_own_section(tmp_path: Path) -> None:
    proof = "```{code-cell} ipython3\n:tags: [proof]\nassert x\n```\n"
    inner = f"### Near\n\nNear.\n\n{proof}"
    lesson = LESSON.replace("```{exercise-start}", f"{proof}\nSo.\n\n{proof}\n```{{exercise-start}}").replace(
        "### Near\n", inner
    )
    page = built(tmp_path, FILES | {"notebooks/01_one.md": lesson}, "sphinx_exercise", "site_proofs")[
        "notebooks/01_one"
    ]
    folds = re.findall(r'<div class="cell tag_proof.*?</details>', page, re.DOTALL)
    assert [re.findall(r">(S9-\d\d)</a>", fold) for fold in folds] == [[], ["S9-01", "S9-02"], []]
    assert "tag_sources" not in page


def test_a_row_that_moves_changes_the_lessons_too(tmp_path: Path) -> None:
    pytest.importorskip("myst_nb")
    lesson = LESSON[: LESSON.index("```{exercise-start}")] + LESSON[LESSON.index("(near)=") :]
    rows = SOURCES.replace("do-it, says: Do it.", "far, says: It is")
    built(tmp_path, FILES | {"notebooks/01_one.md": lesson, "book/sources.yml": rows})
    moved = {"book/sources.yml": rows.replace("at: far, says: far away", "at: near, says: Near.")}
    lines = re.findall(r'<p class="records">(.*?)</p>', built(tmp_path, moved)["notebooks/01_one"])
    assert [re.findall(r">([^<]+)</a>", line) for line in lines] == [["S9-02"], ["“It is near”"], ["S9-01"]]
