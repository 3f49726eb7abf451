"""Pages: what they say, that nothing in a submission becomes a part of them, and that everybody can read them."""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from grade_class import HOSTILE, LESSONS, STATUSES, mark, result, the_class
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxcourse_grade._records import Decision, Result
from jaxcourse_grade._store import slug
from jaxcourse_grade.reports import _pages, write
from jaxcourse_grade.reports._entry import entry, in_order, printable
from jaxcourse_grade.reports._facts import LessonFacts, facts
from jaxcourse_grade.reports._histogram import bins, histogram
from jaxcourse_grade.reports._words import WORDS

VOID = {"meta", "br", "path", "rect"}
TAGS = """
    html head meta title style body header main footer nav section article h1 h2 h3 p ul li dl dt dd a bdi strong span
    code pre details summary div table caption thead tbody tr th td figure figcaption svg text br path rect em time h4
    label select option output script
"""
ATTRIBUTES = """
    lang charset http-equiv content name aria-labelledby aria-label aria-hidden id class href rel role tabindex scope
    viewbox width height x y d datetime hidden value data-marks data-sort
"""


class Page(HTMLParser):
    """A page taken apart: its elements in order, its texts, and whether every element was closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def all(self, *tags: str) -> list[dict[str, str]]:
        return [attributes for tag, attributes in self.elements if tag in tags]

    @property
    def text(self) -> str:
        return "".join(data for tag, data in self.texts if tag not in ("style", "script"))


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("grades")
    write(the_class(), folder, title="Strides <2026>", notes=["ignored: <__MACOSX>"])
    return folder


@pytest.fixture(scope="module")
def pages(out: Path) -> dict[str, Page]:
    return {path.name: Page(path.read_text("utf-8")) for path in [out / "class.html", *(out / "feedback").iterdir()]}


def the_page(*results: Result) -> str:
    return _pages.feedback([entry(item, code=True) for item in results], "T")


def class_page(results: Sequence[Result], notes: Sequence[str] = ()) -> str:
    entries = in_order(results)
    return _pages.the_class(entries, facts(entries), "T", notes)


# -- nothing gets in


def test_there_are_only_the_pages_own_elements(pages: dict[str, Page]) -> None:
    for page in pages.values():
        assert not page.open
        for tag, attributes in page.elements:
            assert tag in TAGS.split() and set(attributes) <= set(ATTRIBUTES.split())


def digest_of(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_only_the_page_of_the_class_has_a_script(pages: dict[str, Page]) -> None:
    assert {name: len(page.all("script")) for name, page in pages.items() if page.all("script")} == {"class.html": 1}


def test_the_only_style_and_script_are_those_that_the_policy_names(pages: dict[str, Page]) -> None:
    for page in pages.values():
        (style,) = [data for tag, data in page.texts if tag == "style"]
        policy = next(meta["content"] for meta in page.all("meta") if "http-equiv" in meta)
        scripts = [f"; script-src 'sha256-{digest_of(data)}'" for tag, data in page.texts if tag == "script"]
        styled = f"default-src 'none'; style-src 'sha256-{digest_of(style)}'"
        assert policy == f"{styled}{''.join(scripts)}; base-uri 'none'; form-action 'none'"
        assert "url(" not in style and "@import" not in style


def test_links_lead_to_the_pages_and_the_course(pages: dict[str, Page], out: Path) -> None:
    for page in pages.values():
        ids = {attributes["id"] for _, attributes in page.elements if "id" in attributes}
        for link in page.all("a"):
            href = link["href"]
            known = href[1:] in ids if href.startswith("#") else (out / href).is_file()
            assert known or href == "https://course.example/lesson.html#strides"


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "data:text/html,x", "//evil.example", 'http://a" onclick="b']
)
def test_an_address_that_is_none_is_no_link(address: str) -> None:
    page = Page(the_page(result("ada", "01_toy", (replace(mark("a", "wrong"), address=address),))))
    assert "Strides" in page.text and not page.all("a")


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_shown_as_text(text: str, pages: dict[str, Page], out: Path) -> None:
    page = pages[f"{slug(text)}.html"]
    seen = printable(text, 2000)
    assert seen.replace("`", "") in page.text.replace("`", "")
    raw = (out / "feedback" / f"{slug(text)}.html").read_text("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]", raw)
    assert len(raw) < 200_000


def skeleton(html: str) -> list[tuple[str, dict[str, str]]]:
    return Page(html).elements


def attacked(text: str) -> Result:
    marks = tuple(mark(f"exercise-{i}", status, text) for i, status in enumerate(STATUSES))
    more: dict[str, Any] = {"name": text, "source": text, "submitted": text, "notes": (text,)}
    machine = {"protections": {text: text}, "versions": {text: text}}
    return result("ada", "01_toy", marks, **more, **machine)


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(), max_size=40) | st.sampled_from(HOSTILE))
def test_no_text_changes_how_a_page_is_built(text: str) -> None:
    harmless, hostile = attacked("x"), attacked("x" + text.replace("`", "'").replace("*", "'"))
    assert skeleton(the_page(hostile)) == skeleton(the_page(harmless))
    assert len(skeleton(class_page([hostile]))) == len(skeleton(class_page([harmless])))


# -- everybody can read them


def test_pages_have_a_language_landmarks_and_headings_in_order(pages: dict[str, Page]) -> None:
    for page in pages.values():
        assert page.all("html") == [{"lang": "en"}]
        assert [len(page.all(tag)) for tag in ("main", "header", "h1", "title")] == [1, 1, 1, 1]
        levels = [int(tag[1]) for tag, _ in page.elements if tag in ("h1", "h2", "h3")]
        assert levels[0] == 1 and all(after <= before + 1 for before, after in itertools.pairwise(levels))
        ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
        assert len(ids) == len(set(ids))
        assert {section["aria-labelledby"] for section in page.all("section")} <= set(ids)


def test_tables_scroll_by_keyboard_and_name_their_cells(pages: dict[str, Page]) -> None:
    page = pages["class.html"]
    boxes = [box for box in page.all("div") if box["class"] == "scroll"]
    assert len(boxes) == len(page.all("table")) == len(page.all("caption"))
    assert all(box["role"] == "region" and box["tabindex"] == "0" for box in boxes)
    assert len({box["aria-label"] for box in boxes}) == len(boxes)
    assert all(cell["scope"] in ("col", "row") for cell in page.all("th"))


def test_drawings_say_what_they_show(pages: dict[str, Page]) -> None:
    drawings = pages["class.html"].all("svg")
    assert all("aria-hidden" in svg or (svg["role"] == "img" and svg["aria-label"]) for svg in drawings)
    assert sum("role" in svg for svg in drawings) == len(LESSONS)


def test_a_status_is_told_by_its_words_and_by_its_symbol() -> None:
    assert set(WORDS) == set(STATUSES)
    for told in ("symbol", "student", "table"):
        assert len({getattr(words, told) for words in WORDS.values()}) == len(STATUSES)


# -- what they say


def test_a_students_page_says_everything_about_each_exercise() -> None:
    marks = mark("row-strides", "wrong"), mark("trim", "passed"), mark("windows", "error")
    graded = result("ada", "01_memory_layout", marks[:2], submitted="2026-10-02T10:30:00+00:00")
    graded = replace(graded, due="2026-10-02T12:00:00+02:00")
    page = Page(the_page(graded) + the_page(graded.with_decisions({"trim": Decision(0.5, False, "See me.")})))
    said = re.sub(r"\s+", " ", page.text)
    for text in (
        "1 of 2 points, 1 of 2 exercises passed.",
        "2 October 2026, 12:30 UTC+02:00: 30 min late (due 2 October 2026, 12:00 UTC+02:00)",
        "not yet · 0 of 1 point",
        "The steps are counted in elements; strides counts bytes.",
        "row_strides(float64[5,3]) returned (3, 1)",
        "Read again: Strides",
        "Two cells define it",
        "Your answer def row_strides(a): return a.shape[1], 1 The steps are counted",
        "Your teacher's decision: 0.5 points. See me.",
    ):
        assert text in said
    for text in ("counted-elements", "jax", "namespaces", "vidence", "process", "believed"):
        assert text not in said, "that is for teachers"
    assert said.count("Read again") == 2, "who passed need not read again"


def test_emphasis_is_shown_and_code_is_left_alone() -> None:
    told = replace(mark("a", "wrong"), message="*Not* `a * b * c`: 2 * 3 * 4.")
    for text in (the_page(result("ada", "01_toy", (told,))), class_page([result("ada", "01_toy", (told,))])):
        assert "<em>Not</em> <code>a * b * c</code>: 2 * 3 * 4." in text


def test_a_teachers_decisions_are_on_the_class_page() -> None:
    marks = mark("a", "wrong"), mark("b", "timeout")
    decided = result("ada", "01_toy", marks).with_decisions({"b": Decision(1, False, "It *was* right.")})
    excused = result("bob", "01_toy", marks).with_decisions({"": Decision(None, True, "Ill.")})
    said = re.sub(r"\s+", " ", Page(class_page([decided, excused])).text)
    assert "2 of your decisions" in said and "Ada01 toyb1 pointIt was right.time-out" in said
    assert "Bob01 toyall of itexcusedIll.0 points" in said and "1 to look at" not in said
    assert "Not graded" not in said and "excused" in the_page(excused)


def test_who_handed_in_nothing_sees_what_was_decided() -> None:
    absent = result("ada", "01_toy", (mark("a", "missing"), mark("b", "missing")), status="missing", source="")
    page = the_page(
        absent.with_decisions({"": Decision(2, False, "Shown to me."), "a": Decision(None, False, "Fine.")})
    )
    said = re.sub(r"\s+", " ", Page(page).text)
    assert "Nothing was handed in. 2 of 2 points." in said and "decision: 2 points. Shown to me." in said
    assert said.count("no answer was found") == 1 and "Fine." in said


def test_all_lessons_of_a_student_are_on_one_page(pages: dict[str, Page]) -> None:
    page = pages["student_07.html"]
    assert [text for tag, text in page.texts if tag == "h2"][:2] == ["01 memory layout", "02 views and copies"]
    assert len(page.all("article")) == sum(map(len, LESSONS.values()))
    assert len(page.all("nav")) == 1


@pytest.mark.parametrize(
    ("student", "why"), [("broken", "line 3 <b>ends</b> early"), ("absent_1", "Nothing was handed in")]
)
def test_who_was_not_graded_reads_why(student: str, why: str, pages: dict[str, Page]) -> None:
    page = pages[f"{student}.html"]
    assert "Not graded." in page.text and why in page.text and not page.all("article")


def test_printed_text_is_shown_with_its_length() -> None:
    loud = replace(mark("a", "wrong"), printed="y" * 500, printed_total=10_000_000)
    assert "printed 10,000,000 characters, which begin: yyy" in the_page(result("ada", "01_toy", (loud,)))


def test_a_student_reads_no_seed_and_nobody_elses_name(out: Path) -> None:
    names = {item.name for item in the_class() if item.student.startswith("student")}
    for path in (out / "feedback").glob("student_*.html"):
        text = path.read_text("utf-8")
        assert "998877665" not in text and "20261112" not in text
        assert {name for name in names if name in text} == {path.stem.replace("_", " ").title()}


def test_what_the_grader_stumbled_over_is_to_be_looked_at() -> None:
    odd = replace(mark("a", "stumbled"), message="It was too much.")
    page = class_page([result("ada", "01_toy", (odd,)), result("bob", "01_toy", (mark("a", "error"),))])
    table = page[page.index('id="look"') : page.index('id="how"')]
    assert "It was too much." in table and "check stumbled" in table and "Bob" not in table


def test_one_line_of_the_class_page_says_what_is_proven_and_nothing_else_does(tmp_path: Path) -> None:
    marks = (
        replace(mark("a", "passed"), points=2.5, evidence="proven"),
        replace(mark("b", "passed"), evidence="reported"),
    )
    graded = [result(name, "01_toy", (*marks, mark("c", "wrong"))) for name in ("ada", "bob")]
    said = " ".join(Page(class_page(graded)).text.split())
    assert "Points given5 proven, by values or by an exported program; 2 rest in part on what an answer’s own" in said
    assert "process reported: b" in said
    written = {path.name: path.read_text("utf-8") for path in write(graded, tmp_path, title="T")}
    telling = {
        name for name, text in written.items() for line in text.splitlines() if "proven" in line or "reported" in line
    }
    assert telling == {"class.html"}
    assert sum("proven" in line or "reported" in line for line in written["class.html"].splitlines()) == 1
    assert "reported" not in class_page([result("ada", "01_toy", marks[:1])])


def test_the_class_page_has_everybody_with_a_link(pages: dict[str, Page]) -> None:
    page = pages["class.html"]
    linked = {link["href"] for link in page.all("a")}
    assert {f"feedback/{slug(item.student)}.html" for item in the_class()} <= linked
    said = re.sub(r"\s+", " ", page.text)
    for text in ("Class seed", "20261112", "ignored: <__MACOSX>", "Which lesson is this?", "Strides <2026>"):
        assert text in said


def test_hard_exercises_come_first_with_their_most_frequent_mistake() -> None:
    def graded(student: str, *statuses: str) -> Result:
        marks = tuple(mark(name, status) for name, status in zip("abc", statuses, strict=True))  # type: ignore[arg-type]
        return result(student, "01_toy", marks)

    class_of_4 = [
        graded("one", "passed", "wrong", "passed"),
        graded("two", "passed", "wrong", "passed"),
        graded("six", "passed", "error", "not_attempted"),
        graded("ten", "timeout", "passed", "passed"),
    ]
    (lesson,) = facts(in_order(class_of_4)).lessons
    assert [(item.exercise, item.passed, item.graded, item.share) for item in lesson.difficulties] == [
        ("b", 1, 4, 25.0),
        ("a", 3, 4, 75.0),
        ("c", 3, 4, 75.0),
    ]
    told = [[(found.label, found.count) for found in item.mistakes] for item in lesson.difficulties]
    assert told == [[("counted-elements", 2), ("ValueError", 1)], [("", 1)], []]
    assert (lesson.mean, lesson.median, lesson.out_of) == (1.75, 2.0, 3.0)
    page = class_page(class_of_4)
    assert page.index("Strides &amp; shapes: b") < page.index("Strides &amp; shapes: a")
    assert "2 × counted-elements" in page and "1 × not attempted" in page and page.count("counted in elements") == 1


def test_the_message_that_most_were_told_is_told() -> None:
    marks = [replace(mark("a", "error"), message=message) for message in ("rare", "common", "common")]
    (lesson,) = facts(in_order([result(str(i), "01_toy", (m,)) for i, m in enumerate(marks)])).lessons
    assert lesson.difficulties[0].mistakes[0].message == "common"


def test_what_was_not_graded_does_not_make_an_exercise_hard() -> None:
    unread = result("eve", "01_toy", (mark("a", "unreadable"),), status="unreadable", reason="It is empty.")
    (lesson,) = facts(in_order([result("ada", "01_toy", (mark("a", "passed"),)), unread])).lessons
    assert lesson.difficulties[0].share == 100 and lesson.points == (1.0,) and lesson.unreadable == 1


def test_a_class_without_a_graded_notebook_has_a_page() -> None:
    unread = result("eve", "01_toy", (mark("a", "unreadable"),), status="unreadable", reason="It is empty.")
    assert "Nothing was graded." in class_page([unread])
    assert "It is empty." in class_page([unread])


def test_machines_that_differ_are_told_apart() -> None:
    bare = result("bob", "01_toy", (mark("a", "passed"),), protections={})
    page = Page(class_page([result("ada", "01_toy", (mark("a", "passed"),)), bare]))
    assert "of kind 1: 1 notebook" in page.text and "No protection is recorded." in page.text


@pytest.mark.parametrize("points", [(0.0, 7.0, 6.99, 3.5, 3.0), (), (7.0,) * 400])
@pytest.mark.parametrize("out_of", [7.0, 7.5, 17.0, 100.0])
def test_every_notebook_is_in_one_bar(points: tuple[float, ...], out_of: float) -> None:
    lesson = LessonFacts("01_toy", points, out_of, 0, 0, ())
    counted = bins(lesson)
    assert sum(count for _, count in counted) == len(points) and len(counted) <= 11
    page = Page(str(histogram(lesson)))
    for label, count in counted:
        assert f"{label}: {count}" in page.all("svg")[0]["aria-label"]
    highest = max((float(bar["height"]) for bar in page.all("rect")), default=0)
    assert highest == (150 if points else 0)


def test_bars_are_as_high_as_their_counts() -> None:
    drawn = Page(str(histogram(LessonFacts("01_toy", (0.0, 2.0, 2.0, 2.0, 1.0, 1.0), 2.0, 0, 0, ()))))
    assert [bar["height"] for bar in drawn.all("rect")] == ["50.0", "100.0", "150.0"]
