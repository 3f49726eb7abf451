"""The first page: what it says follows from the lessons, and what a reader does there and in lessons is kept."""

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from play.play_browser import in_page, needs_chromium, run

from jaxcourse.course import Course

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "book" / "_static"

sys.path.insert(0, str(ROOT / "book" / "_ext"))
site_entrance = pytest.importorskip("site_entrance")


@pytest.fixture(scope="module")
def lessons() -> list[Any]:
    return site_entrance.cards(Course(ROOT))  # type: ignore[no-any-return]


def test_there_is_a_card_for_each_lesson_and_a_line_for_each_exercise(lessons: list[Any]) -> None:
    cards = site_entrance.cards_html(lessons, "COLAB")
    course = Course(ROOT)
    assert re.findall(r'data-lesson="(\w+)"', cards) == [path.stem for path in course.lesson_paths]
    asked = [name for names in course.exercises().values() for name in names]
    assert sorted(re.findall(r'data-solved="([\w-]+)"', cards)) == sorted(asked)
    for path in re.findall(r'"COLAB/([^"]+)"', cards):
        assert (ROOT / path).is_file()
    for page in re.findall(r'"\.\./notebooks/(\w+)\.html', cards):
        assert (ROOT / "notebooks" / f"{page}.md").is_file()
    assert "`" not in cards


def test_a_lesson_needs_what_its_paragraph_leads_to(lessons: list[Any]) -> None:
    needed = {one.number: [int(stem[:2]) for stem in one.needs] for one in lessons}
    assert needed[0] == [] and needed[1] == [0] and needed[7] == [1, 6]
    assert all(before < number for number, found in needed.items() for before in found)
    assert [number for number, found in needed.items() if not found] == [0]


def test_the_facts_are_counted(lessons: list[Any]) -> None:
    facts = site_entrance.facts_html(lessons, "COLAB")
    hours = round(sum(one.minutes for one in lessons) / 60)
    assert f"{len(lessons)} lessons of" in facts and f"{hours} hours in all" in facts
    assert '"COLAB/notebooks/00_start_here.ipynb"' in facts and '"../notebooks/00_start_here.html"' in facts


@pytest.mark.parametrize(
    ("page", "context", "ways"),
    [
        ("book/how_to_use", {"next": {"link": "../notebooks/00_start_here.html"}, "prev": {"link": "index.html"}}, 2),
        ("book/references", {"next": {"link": "for_instructors.html"}, "prev": {"link": "glossary.html"}}, 1),
        ("book/for_instructors", {"next": None, "prev": {"link": "references.html"}}, 0),
    ],
)
def test_no_button_leads_a_student_to_the_page_for_instructors(page: str, context: Any, ways: int) -> None:
    app = SimpleNamespace(config=SimpleNamespace(root_doc="book/index"))
    site_entrance.on_page(app, page, "", context, None)
    assert sum(context[way] is not None for way in ("next", "prev")) == ways


# -- in a browser -----------------------------------------------------------------------------------------------

SCRIPTS = f"<script>{(STATIC / 'store.js').read_text(encoding='utf-8')}</script>"
PROGRESS = f"<script>{(STATIC / 'progress.js').read_text(encoding='utf-8')}</script>"

USE = """
const wait = (time) => new Promise((done) => setTimeout(done, time));
window.confirm = () => window.answer;
const status = () => document.querySelector(".course-progress [role=status]").textContent;
const menu = () => [...document.querySelectorAll("#pst-primary-sidebar a")].map((link) => link.textContent.trim());
const goOn = () => {
  const link = document.querySelector("[data-go-on]");
  return link ? [link.textContent, link.getAttribute("href")] : null;
};
const button = (name) => document.querySelector(`[data-do=${name}]`);
const choose = async (text) => {
  const input = document.querySelector(".course-progress input");
  const files = new DataTransfer();
  files.items.add(new File([text], "progress.json"));
  // The page's clock is virtual and does not wait for the disk: a file that is really read may come after its end.
  Blob.prototype.text = async () => text;
  input.files = files.files;
  input.dispatchEvent(new Event("change"));
  await wait(0);
};
(async () => {
  const found = { before: { menu: menu(), goOn: goOn(), status: status() } };
  course.replace("{}");
  course.put("place", "01_first", { id: "one", at: 1 });
  found.section = goOn();
  course.put("place", "01_first", { id: "b", at: 2 });
  found.exercise = goOn();
  course.put("read", "01_first", true);
  found.read = { menu: menu(), goOn: goOn() };
  course.put("solved", "a", true);
  found.solved = { menu: menu(), goOn: goOn(), kept: course.get("solved", "a"), status: status() };
  found.card = document.querySelector('[data-lesson="01_first"]').innerText;
  const record = course.text();
  await choose("[1]");
  found.wrong = { status: status(), kept: course.text() === record };
  window.answer = false;
  button("clear").click();
  found.refused = course.text() === record;
  window.answer = true;
  button("clear").click();
  found.cleared = { menu: menu(), goOn: goOn(), text: course.text() };
  await choose(record);
  found.imported = { same: course.text() === record, menu: menu() };
  await choose('{"place": {"01_first": {"id": "<b>x</b>", "at": 5}}}');
  found.strange = { goOn: goOn(), bold: document.querySelectorAll("b").length };
  report(found);
})();
"""

LESSON = """<article class="bd-article"><section id="page"><h1>Page</h1>
<section id="far"><h2>Far</h2></section><section id="near"><h2>Near</h2><div class="exercise" id="c">C</div></section>
</section></article><footer class="prev-next-footer">next</footer>"""

SEEN = """<script>
// A page that is only dumped is never painted, so what is seen is said here: "far" in passing, "c" and the end to stay.
window.IntersectionObserver = class {
  constructor(tell) {
    this.tell = (target, isIntersecting) => tell([{ target, isIntersecting }]);
  }
  observe(target) {
    const passing = target.parentElement.id === "far";
    if (passing || target.matches("#c, footer")) setTimeout(() => this.tell(target, true), 10);
    if (passing) setTimeout(() => this.tell(target, false), 500);
  }
};
setTimeout(() => report([course.all("read"), course.get("place", "page").id]), 5000);
</script>"""


@needs_chromium
def test_progress_is_kept_shown_exported_imported_and_cleared(tmp_path: Path) -> None:
    card = site_entrance.Card
    lessons = [
        card("01_first", "First", "begin", 20, (), {"a": "Ask", "b": "Bend `x`"}),
        card("02_second", "Second", "end", 30, ("01_first",), {"c": "Close"}),
    ]
    script = f"<script>{site_entrance.lessons_script(lessons)}</script>"
    menu = "".join(f'<li><a href="notebooks/{one.stem}.html">{one.title}</a></li>' for one in lessons)
    head = site_entrance.facts_html(lessons, "") + site_entrance.cards_html(lessons, "") + site_entrance.PROGRESS
    body = f'<nav id="pst-primary-sidebar"><ul>{menu}</ul></nav>{head}{SCRIPTS}{script}{PROGRESS}<script>{USE}</script>'
    found = run(tmp_path, body)
    assert found["before"] == {
        "menu": ["First", "Second"],
        "goOn": None,
        "status": "You have read 0 of 2 lessons and solved 0 of 3 exercises.",
    }
    assert found["section"] == ["Go on with 1: First", "./notebooks/01_first.html#one"]
    assert found["exercise"] == ["Go on at 1.2: Bend x", "./notebooks/01_first.html#b"]
    assert found["read"]["goOn"] == ["Go on with 2: Second", "./notebooks/02_second.html"]
    assert found["read"]["menu"] == ["First ✓ (read)", "Second"]
    assert found["solved"]["kept"] is True
    assert found["solved"]["goOn"] == ["Go on at 1.2: Bend x", "./notebooks/01_first.html#b"]
    assert found["solved"]["menu"][0] == "First ✓ 1/2 (read, 1 of 2 exercises solved)"
    assert found["solved"]["status"] == "You have read 1 of 2 lessons and solved 1 of 3 exercises."
    assert "✓ read" in found["card"] and ", 1 solved" in found["card"]
    assert "nothing was changed" in found["wrong"]["status"] and found["wrong"]["kept"]
    assert found["refused"]
    assert found["cleared"] == {"menu": ["First", "Second"], "goOn": None, "text": "{}"}
    assert found["imported"]["same"] and found["imported"]["menu"][0].startswith("First ✓ 1/2")
    assert found["strange"]["bold"] == 0 and found["strange"]["goOn"][1].endswith("#%3Cb%3Ex%3C%2Fb%3E")


@needs_chromium
def test_a_lesson_is_read_when_its_end_has_been_seen(tmp_path: Path) -> None:
    lesson = site_entrance.Card("page", "Page", "a", 5, (), {"c": "C"})
    script = f"<script>{site_entrance.lessons_script([lesson])}</script>"
    (tmp_path / "notebooks").mkdir()
    assert run(tmp_path / "notebooks", f"{LESSON}{SCRIPTS}{script}{SEEN}{PROGRESS}") == [{"page": True}, "c"]


def test_the_script_of_lessons_is_data(lessons: list[Any]) -> None:
    text = site_entrance.lessons_script(lessons)
    known = json.loads(text.removeprefix("window.courseLessons = ").removesuffix(";\n"))
    assert [one["stem"] for one in known] == [one.stem for one in lessons]
    assert len(text.encode()) < 16_000, "it is on every page"
    assert in_page(known)
