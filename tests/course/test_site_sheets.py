"""The pages of sheets: what lessons have stands on them, with what cells gave, and links lead there and back."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from mini_book import build

from jaxcourse.course import Course
from jaxcourse_author.sheets import SHEETS, read_sheets

sys.path.insert(0, str(Path(__file__).parents[2] / "book" / "_ext"))
pytest.importorskip("myst_nb")
site_sheets = pytest.importorskip("site_sheets")
site_search = pytest.importorskip("site_search")

LESSON = """\
---
file_format: mystnb
kernelspec: {name: python3}
---

# Indices

(outside)=
## Outside: `mode`

JAX *clamps*, see {ref}`Keep <keep>`.

| you want | write |
|---|---|
| nothing | `drop` |

```{code-cell} ipython3
:tags: [hide-input]

gave = 6 * 7
print("it gave", gave)
```

```{code-cell} ipython3
from IPython.display import HTML

HTML("<svg role='img' aria-label='a wave'></svg>")
```

(keep)=
## Recap

- Name a mode.
"""
DECLARED = """\
sheets:
- sheet: one-table
  title: "One: all of it"
  about: For the *wall*.
  columns: 2
  pieces:
  - {table: outside}
  - {text: outside}
  - {cell: outside, says: 6 * 7}
  - {figure: outside, says: HTML(}
  - {recap: keep}
- sheet: part
  title: A part
  about: One part.
  part: Start
  pieces: [{recap: keep}]
"""
TOC = """\
format: jb-book
root: index
parts:
- caption: Start
  chapters: [{file: notebooks/10_one}]
- caption: Reference
  chapters: [{file: book/sheets}, {file: book/sheet_one_table}, {file: book/sheet_part}]
"""
FILES = {
    "index.md": "# Index\n\n```{toctree}\nnotebooks/10_one\nbook/sheets\nbook/sheet_one_table\nbook/sheet_part\n```\n",
    "_config.yml": "title: T\n",
    "_toc.yml": TOC,
    "notebooks/10_one.md": LESSON,
    "book/sheets.md": "# Sheets\n\n{{ sheets }}\n",
    "book/sheets.yml": DECLARED,
    "book/sheet_one_table.md": "{{ sheet }}\n",
    "book/sheet_part.md": "{{ sheet }}\n",
}
EXTENSIONS = ["site_sheets", "site_ways_back", "site_search"]


def built(folder: Path, **files: str) -> tuple[Path, str]:
    """The site, after some of its files have been written, and what was warned of."""
    named = {name.replace("__", "/"): text for name, text in files.items()}
    return build(folder, FILES | named, EXTENSIONS, execute=True, myst_enable_extensions=["attrs_block"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A course of one lesson and two sheets."""
    return built(tmp_path_factory.mktemp("sheets"))


@pytest.fixture
def sheet(site: tuple[Path, str]) -> str:
    """The page of the first sheet."""
    return (site[0] / "book" / "sheet_one_table.html").read_text(encoding="utf-8")


def test_the_site_has_nothing_to_warn_of(site: tuple[Path, str]) -> None:
    assert str(site[0].parent) not in site[1], site[1]


def test_a_sheet_has_the_pieces_of_its_sections_under_links_to_them(sheet: str) -> None:
    assert "<h1>One: all of it" in sheet and "For the <em>wall</em>." in sheet
    assert re.search(r'<section class="[^"]*sheet sheet-2', sheet)
    headings = re.findall(r'<h2>(\d+ · )<a class="reference internal" href="([^"]+)"><span[^>]*>([^<]+)', sheet)
    assert headings == [
        ("10 · ", "../notebooks/10_one.html#outside", "Outside: mode"),
        ("10 · ", "../notebooks/10_one.html#keep", "Indices"),
    ]
    assert "<td><p>nothing</p></td>" in sheet and "Name a mode." in sheet
    assert "JAX <em>clamps</em>" in sheet
    assert '<a class="reference internal" href="../notebooks/10_one.html#keep"><span class="std std-ref">Keep' in sheet


def test_a_cell_is_open_and_has_its_output_and_a_figure_has_nothing_else(sheet: str) -> None:
    assert "it gave 42" in sheet and "<details" not in sheet
    assert "gave" in re.sub(r"<[^>]+>", "", sheet.partition("it gave 42")[0])
    assert "aria-label='a wave'" in sheet and "IPython.display" not in re.sub(r"<[^>]+>", "", sheet)


def test_each_section_leads_to_the_sheets_that_are_made_of_it(site: tuple[Path, str]) -> None:
    page = (site[0] / "notebooks" / "10_one.html").read_text(encoding="utf-8")
    lines = re.findall(r'<p class="records">(.*?)</p>', page)
    links = [re.findall(r'href="([^"]+)">([^<]+)<', line) for line in lines]
    assert links == [
        [("../book/sheet_one_table.html", "One")],
        [("../book/sheet_part.html", "A part"), ("../book/sheet_one_table.html", "One")],
    ]
    assert all(line.startswith("On a sheet: ") and line.endswith(".") for line in lines)


def test_a_sheet_has_no_such_line_though_a_heading_has_the_id_of_a_section(sheet: str) -> None:
    assert 'class="records"' not in sheet


def test_all_sheets_are_listed_those_of_parts_below(site: tuple[Path, str]) -> None:
    page = (site[0] / "book" / "sheets.html").read_text(encoding="utf-8").partition("<h1>")[2]
    again, parts = page.index("Looked for again and again"), page.index("One for each part")
    assert again < page.index('href="sheet_one_table.html"') < parts < page.index('href="sheet_part.html"')


def test_the_search_finds_a_sheet_by_what_stands_on_it(site: tuple[Path, str]) -> None:
    index = (site[0] / "_static" / "search_index.js").read_text(encoding="utf-8")
    assert "One: all of it" in index and "book/sheet_one_table" in index
    assert "Indices" in index


def test_only_sheets_are_for_paper_of_one_size(site: tuple[Path, str], sheet: str) -> None:
    assert "sheet.css" in sheet
    assert "sheet.css" not in (site[0] / "notebooks" / "10_one.html").read_text(encoding="utf-8")


def test_a_piece_that_is_not_there_is_a_warning_which_ends_a_build(tmp_path: Path) -> None:
    _, warnings = built(tmp_path, **{"book__sheets.yml": DECLARED.replace("{table: outside}", "{table: keep}")})
    assert "book/sheets.yml: 'one-table': the table of `keep` is not there. Mend it" in warnings


def test_a_sheet_is_written_anew_at_each_build_and_other_pages_are_not(tmp_path: Path) -> None:
    out, _ = built(tmp_path)
    pages = [out / "book" / "sheet_part.html", out / "book" / "sheets.html"]
    for page in pages:
        page.write_text("as it was", encoding="utf-8")
    build(tmp_path, {}, EXTENSIONS, execute=True, myst_enable_extensions=["attrs_block"])
    assert [page.read_text(encoding="utf-8") == "as it was" for page in pages] == [False, True]


def test_a_sheet_of_which_nothing_is_taught_says_so_and_is_not_listed(tmp_path: Path) -> None:
    sheet = read_sheets(_course(tmp_path))[0]
    assert site_sheets.sheet_text(sheet, ()).endswith("No lesson that is taught here has anything of it.\n")


def _course(folder: Path) -> Course:
    (folder / "book").mkdir()
    (folder / SHEETS).write_text(DECLARED, encoding="utf-8")
    return Course(folder)
