"""A lesson as one value: its sections, with what stands in them, and its lines."""

from __future__ import annotations

from pathlib import Path

import jupytext
import pytest
from toy import LESSON, MD, edit, toy

from jaxcourse.course import Course
from jaxcourse_author.lesson import LessonSource, labels, left_out, page_of, read_lesson

__all__ = ["toy"]

ROOT = Path(__file__).parents[2]
COURSE = Course(ROOT)
LESSONS = [read_lesson(path, COURSE) for path in COURSE.lesson_paths]
MORE = """(halving)=
## Halving `x`

See {ref}`the beginning <doubling>`, [it](01_toy.md) and [away](https://a.org).

### Without a label

```{code-cell} ipython3
:tags: [hide-input]

half = 3 / 2
```

```{code-cell} ipython3
print(3 / 2)
```

```python
(no-label)=
```

(end)=
## The end
"""


@pytest.fixture
def lesson(toy: Path) -> LessonSource:
    edit(toy / MD, "That was all.", MORE)
    return read_lesson(toy / MD, Course(toy))


def test_its_stretches_are_the_lesson_once(lesson: LessonSource) -> None:
    title, doubling, halving, inner, end = lesson.stretches
    assert [one.title for one in lesson.stretches] == [one.title for one in lesson.outline]
    assert (title.exercises, doubling.exercises) == ((), ("double-it",))
    assert not halving.code and inner.code == "print(3 / 2)" and end.cells
    assert [line for one in lesson.stretches for line in one.lines] == list(lesson.outline[0].lines)
    assert sum(one.minutes.core for one in lesson.stretches) == pytest.approx(lesson.minutes.core)


def test_a_text_is_read_passage_by_passage(toy: Path) -> None:
    table = "| a `b` | c |\n|---|---|\n| {ref}`d <doubling>` | $e$ |"
    text = f"Words,\n`code`, {{term}}`axes <axis>`.\n\n- [one](#doubling)\n- two\n\n{table}\n\n```python\nf(x)\n```"
    edit(toy / MD, "That was all.", f"## More\n\n{text}")
    (_, *said) = read_lesson(toy / MD, Course(toy)).stretches[-1].cells[0].passages
    assert [(" ".join(one.words.split()), one.code, one.labels, one.terms) for one in said] == [
        ("Words, , axes.", ("code",), (), ("axis",)),
        ("one", (), ("doubling",), ()),
        ("two", (), (), ()),
        ("a c", ("b",), (), ()),
        ("d e", (), ("doubling",), ()),
        ("", ("f(x)\n",), (), ()),
    ]
    lines = (toy / MD).read_text(encoding="utf-8").split("\n")
    first = [lines[one.line - 1].split()[0] for one in said]
    assert first == ["Words,", "-", "-", "|", "|", "```python"]


def test_a_code_cell_knows_where_its_code_begins(lesson: LessonSource) -> None:
    lines = lesson.raw.split("\n")
    for cell in (cell for cell in lesson.cells if cell.is_code):
        assert lines[cell.begins - 1] == cell.source.split("\n")[0]


def test_a_section_knows_what_stands_in_it(lesson: LessonSource) -> None:
    title, doubling, halving, inner, end = lesson.outline
    assert [one.label for one in lesson.outline] == ["", "doubling", "halving", "", "end"]
    assert (title.level, doubling.level, inner.level) == (1, 2, 3)
    assert (halving.title, inner.title) == ("Halving `x`", "Without a label")
    assert (doubling.exercises, halving.exercises, title.exercises) == (("double-it",), (), ("double-it",))
    assert [box.question for box in doubling.predictions] == ["What is twice 3?"] and not halving.predictions
    assert [(link.label, link.page, link.address) for link in halving.links] == [
        ("doubling", "notebooks/01_toy", "doubling"),
        ("", "notebooks/01_toy", "01_toy.md"),
        ("", "", "https://a.org"),
    ]
    assert halving.code == inner.code == "print(3 / 2)" and "half" not in title.code
    assert doubling.code.startswith("print(2 * 3)\ndef double_it(x):") and doubling.code.endswith('check("double-it")')
    assert "return 2 * x" not in doubling.code
    assert doubling.minutes.core > 8 > halving.minutes.core > end.minutes.core > 0


def test_a_section_knows_its_lines(lesson: LessonSource) -> None:
    lines = lesson.raw.split("\n")
    for one in lesson.outline:
        assert lines[one.lines.start - 1].startswith("(" if one.label else "#")
        assert lesson.source(one.lines).split("\n") == lines[one.lines.start - 1 : one.lines.stop - 1]
    _, doubling, halving, inner, end = lesson.outline
    assert doubling.lines.stop == halving.lines.start and halving.lines.stop == inner.lines.stop == end.lines.start
    assert lesson.section("halving") == halving and lesson.section("") is None is lesson.section("gone")


def test_a_section_is_moved_by_its_lines(lesson: LessonSource, toy: Path) -> None:
    section = lesson.section("doubling")
    assert section
    rest = lesson.raw.replace(lesson.source(section.lines), "")
    (toy / "notebooks/02_more.md").write_text(rest + lesson.source(section.lines), encoding="utf-8")
    moved = read_lesson(toy / "notebooks/02_more.md", Course(toy)).section("doubling")
    renumbered = [cell.source.replace("Exercise 1.1", "Exercise 2.1") for cell in section.cells]
    assert moved and [cell.source for cell in moved.cells] == renumbered != [cell.source for cell in section.cells]
    assert (moved.exercises, moved.minutes) == (section.exercises, section.minutes)


def test_what_is_in_code_is_no_label(lesson: LessonSource, toy: Path) -> None:
    assert labels(Course(toy)) == dict.fromkeys(("doubling", "halving", "end"), ["notebooks/01_toy"])
    (toy / "book/aside.md").write_text("(aside)=\n# Aside\n\n    :label: no\n\n```{math}\n:label: yes\na\n```\n")
    assert left_out(Course(toy)) == {"aside": "book/aside", "yes": "book/aside", "book/aside": "book/aside"}


def test_of_some_lines_a_lesson_gives_the_cells_and_of_a_text_its_parts(lesson: LessonSource) -> None:
    section = lesson.section("halving")
    assert section
    assert [cell.role for cell in section.cells] == ["text", "code", "code", "text"]
    first, *_, last = section.cells
    assert first.source.startswith(
        '<a id="halving"></a>\n## Halving `x`\n\nSee [the beginning](https://someone.github.io/'
    )
    assert last.source == "```python\n(no-label)=\n```" and last.line in section.lines
    assert lesson.within(range(1, 9999)) == lesson.cells


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda one: one.stem)
def test_the_sections_of_a_lesson_make_the_lesson(lesson: LessonSource) -> None:
    (title, *_), page = lesson.outline, page_of(lesson.raw)
    assert title.level == 1 and title.title == lesson.title
    assert title.minutes.core == pytest.approx(sum(one.core for one in lesson.minutes.each))
    assert {name: one.title for one in lesson.outline if (name := one.label)} == lesson.sections
    assert {name for one in lesson.outline if one.level == 2 for name in one.exercises} == set(lesson.tasks)
    assert [gate.name for gate in lesson.gates if gate.kind == "exercise"] == list(lesson.tasks)
    for one in lesson.outline:
        assert one.lines.start - 1 == page.front or lesson.raw.split("\n")[one.lines.start - 2] in ("", "---")


def test_a_lesson_has_the_code_cells_that_jupytext_finds() -> None:
    """By which JupyterLab opens it: the two readers must not differ."""
    for lesson in LESSONS:
        book = jupytext.reads(lesson.raw, fmt="md:myst")
        theirs = [(cell.source, cell.metadata.get("tags", [])) for cell in book.cells if cell.cell_type == "code"]
        assert [(cell.source, list(cell.tags)) for cell in lesson.cells if cell.is_code] == theirs


def test_what_is_read_again_is_what_was_written(toy: Path) -> None:
    assert read_lesson(toy / MD, Course(toy)).raw == LESSON
