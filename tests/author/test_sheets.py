"""Sheets: what may be declared, which pieces of which sections are found, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from jaxcourse.course import Course
from jaxcourse_author.paths import CoursePath, Walk, preset
from jaxcourse_author.rules import RULES, Contract
from jaxcourse_author.sheets import SHEETS, PieceError, emptied_pages, excerpts, problems, read_sheets

LESSON = """\
# Indices

(outside)=
## Outside: `mode`

JAX clamps.

It says nothing.
{ref}`Read on <keep>`.

| you want | write |
|---|---|
| nothing | `drop` |

```{code-cell} ipython3
:tags: [hide-input]

print(v[7])
```

```{code-cell} ipython3
:tags: [proof]

assert v[7] == 4
```

### Without a label

| other | table |
|---|---|
| a | b |

(keep)=
## Recap

- Name a `mode`.
- See [Two](20_two.md).

- Or not.
"""
TOC = """\
format: jb-book
root: book/index
parts:
  - caption: One
    chapters:
      - file: notebooks/10_one
  - caption: More
    chapters:
      - file: notebooks/20_two
  - caption: Reference
    chapters:
      - file: book/sheet_one
      - file: book/sheet_two
"""
SHEET = """\
sheets:
- sheet: one
  title: One
  about: All of it.
  part: One
  pieces: [{table: outside, says: you want}]
- sheet: two
  title: Two
  about: More of it.
  part: More
  columns: 2
  pieces: [{recap: two}]
"""
FILES = {
    "_toc.yml": TOC,
    "book/index.md": "# Toy\n",
    "book/sheet_one.md": "{{ sheet }}\n",
    "book/sheet_two.md": "{{ sheet }}\n",
    "notebooks/10_one.md": LESSON,
    "notebooks/20_two.md": "# Two\n\n(two)=\n## Recap\n\n- Two.\n",
}
Make = Callable[..., Course]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Writes a course of two lessons with some sheets."""

    def write(sheets: str = SHEET, **files: str) -> Course:
        named = {name.replace("__", "/") + (".yml" if name == "_toc" else ".md"): text for name, text in files.items()}
        for name, text in (FILES | {SHEETS: sheets} | named).items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        return Course(tmp_path)

    return write


def with_piece(piece: str) -> str:
    """The sheets, of which the first has another piece."""
    return SHEET.replace("{table: outside, says: you want}", piece)


def wrong(course: Course) -> list[str]:
    """All that is wrong with the sheets, each with its repair."""
    return [f"{problem}. {repair}" for problem, repair in problems(course)]


def text_of(course: Course) -> str:
    """The first piece of the first sheet."""
    return excerpts(course, read_sheets(course)[0])[0].text


def test_sheets_whose_pieces_are_there_are_not_refused(make: Make) -> None:
    assert wrong(make()) == []
    one, two = read_sheets(make())
    assert (one.page, one.part, one.columns) == ("book/sheet_one", "One", 1)
    assert (two.page, two.part, two.columns) == ("book/sheet_two", "More", 2)


@pytest.mark.parametrize(
    ("piece", "text"),
    [
        ("{table: outside, says: you want}", "| you want | write |\n|---|---|\n| nothing | `drop` |"),
        ("{table: outside, says: other}", "| other | table |\n|---|---|\n| a | b |"),
        ("{text: outside, says: nothing. {ref}}", "It says nothing.\n{ref}`Read on <keep>`."),
        ("{text: outside, says: JAX clamps}", "JAX clamps."),
        ("{cell: outside}", "print(v[7])"),
        ("{figure: outside, says: 'v[7]'}", "print(v[7])"),
        ("{recap: two}", "- Two."),
    ],
)
def test_a_piece_is_what_its_section_says_letter_for_letter(make: Make, piece: str, text: str) -> None:
    sheets = with_piece(piece).replace("nothing. {ref}", "'nothing. {ref}'")
    assert text_of(make(sheets)) == text


def test_a_recap_stands_under_the_title_of_its_lesson(make: Make) -> None:
    course = make()
    (table,), (recap,) = (excerpts(course, sheet) for sheet in read_sheets(course))
    assert (table.number, table.title, table.page) == (10, "Outside: `mode`", "notebooks/10_one")
    assert (recap.number, recap.title) == (20, "Two")


@pytest.mark.parametrize(
    ("piece", "said"),
    [
        ("{table: outsize}", "'one': `outsize` is the label of no section. Write 'outside'."),
        ("{table: keep}", "'one': the table of `keep` is not there. Mend it in book/sheets.yml, or leave it out."),
        ("{cell: outside, says: assert}", "'one': the cell of `outside` that says 'assert' is not there."),
        ("{table: outside}", "'one': the table of `outside` is one of 2, in lines 11, 29. Say words of the one"),
        ("{recap: keep}", "'one': the recap of `keep` links to 20_two.md, which leads elsewhere from a sheet."),
    ],
)
def test_a_piece_that_is_not_there_is_refused_with_what_to_write(make: Make, piece: str, said: str) -> None:
    (found,) = wrong(make(with_piece(piece)))
    assert found.startswith(said)


def test_a_label_that_moved_into_a_table_is_no_section(make: Make) -> None:
    (found,) = wrong(make(with_piece("{table: loose}"), notebooks__10_one=LESSON + "\n(loose)=\n\n| a |\n|---|\n"))
    assert "`loose` stands before no heading" in found


def test_a_syllabus_may_have_other_parts(make: Make) -> None:
    assert wrong(make(_toc=TOC.replace("One\n", "Uno\n"))) == []


def test_each_part_of_the_course_has_a_sheet() -> None:
    course = Course(Path(__file__).parents[2])
    assert {sheet.part for sheet in read_sheets(course) if sheet.part} == {part for part in course.parts if part}


def test_pages_and_sheets_belong_together(make: Make) -> None:
    named = wrong(make(SHEET.replace("sheet: two", "sheet: three")))
    assert named == [
        "'three' has no page. Write book/sheet_three.md, and its line in _toc.yml.",
        "book/sheet_two.md is the page of no sheet. Declare the sheet, or remove the page.",
    ]


def test_a_copy_that_leaves_a_lesson_out_has_the_rest(make: Make) -> None:
    toc = TOC.replace("  - caption: More\n    chapters:\n      - file: notebooks/20_two\n", "")
    course = make(_toc=toc)
    assert wrong(course) == []
    assert [len(excerpts(course, sheet)) for sheet in read_sheets(course)] == [1, 0]


def test_a_sheet_of_which_nothing_is_left_goes_with_the_lessons_of_others(make: Make) -> None:
    course = make()
    assert (
        emptied_pages(course, ["10_one"]) == {"book/sheet_two"} and emptied_pages(course, ["10_one", "20_two"]) == set()
    )
    path = CoursePath("one", "One", "You.", "go", (), {"": ("10_one",)}, is_preset=True)
    stop = SimpleNamespace(stem="10_one")
    assert preset(course, Walk(path, {"": (stop,)})) == ["20_two"]  # type: ignore[dict-item]
    assert course.pages == ["book/index", "notebooks/10_one", "book/sheet_one"]


def test_what_is_wrong_with_a_piece_is_raised_where_it_is_asked_for(make: Make) -> None:
    course = make(with_piece("{table: keep}"))
    with pytest.raises(PieceError, match="is not there"):
        text_of(course)


@pytest.mark.parametrize(
    ("sheets", "said"),
    [
        ("sheets: [", "is not valid YAML"),
        ("pages: []", "has no list of sheets"),
        ("sheets: [{sheet: Big One}]", "is no sheet"),
        (SHEET.replace("about:", "obout:"), "has the key 'obout'"),
        (SHEET.replace("about: All of it.", "about: ''"), "has no `about`"),
        (SHEET.replace("columns: 2", "columns: 3"), "has 3 columns"),
        (SHEET.replace("[{recap: two}]", "[]"), "has no pieces"),
        (SHEET.replace("{recap: two}", "{recap: two, cell: two}"), "is no piece of 'two'"),
        (SHEET.replace("{recap: two}", "{picture: two}"), "is no piece of 'two'"),
        (SHEET.replace("sheet: two", "sheet: one"), "has 'one' twice"),
        (SHEET.replace("part: More", "part: One"), "has 'One' twice"),
    ],
)
def test_a_file_that_is_not_as_it_must_be_is_refused(make: Make, sheets: str, said: str) -> None:
    with pytest.raises(ValueError, match=said.replace("`", ".")):
        read_sheets(make(sheets))


def test_a_course_without_sheets_has_none(make: Make) -> None:
    course = make()
    (course.root / SHEETS).unlink()
    assert read_sheets(course) == ()


def test_the_contract_refuses_a_sheet_that_lacks_a_piece(make: Make) -> None:
    (rule,) = (one for one in RULES if one.name == "sheets_hold")
    (refusal,) = rule.refusals(Contract(make(with_piece("{table: keep}")).root))
    assert str(refusal).startswith("book/sheets.yml: ") and "the table of `keep` is not there" in str(refusal)
    assert not [*rule.refusals(Contract(make().root))]


def test_the_sheets_of_this_course_hold() -> None:
    course = Course(Path(__file__).parents[2])
    assert wrong(course) == []
    pages = [page for page in course.pages if page.startswith("book/sheet_")]
    assert pages == [sheet.page for sheet in read_sheets(course)], "_toc.yml has them in the order of the file"


def test_each_part_of_this_course_has_a_sheet_of_its_own_sections() -> None:
    course = Course(Path(__file__).parents[2])
    summed = {sheet.part: {one.page for one in excerpts(course, sheet)} for sheet in read_sheets(course) if sheet.part}
    assert [*summed] == [*course.parts]
    for part, stems in course.parts.items():
        assert summed[part] == {f"notebooks/{stem}" for stem in stems}, f"{part}: each lesson, and no other"
