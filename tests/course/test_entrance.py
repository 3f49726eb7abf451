"""The first page: what it says follows from the lessons, and what a reader does there and in lessons is kept."""

import gzip
import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
from play.play_browser import in_page, run

from jaxcourse.course import Course
from jaxcourse_author.lesson import Minutes

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


def test_a_card_shows_the_first_picture_of_its_lesson_if_that_has_one(tmp_path: Path, lessons: list[Any]) -> None:
    pictures = pytest.importorskip("site_card_pictures")
    for folder in ("notebooks", "book"):
        (tmp_path / folder).mkdir()
    first, second, *_ = lessons
    root = '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="A &amp; B" style="height:auto">'
    one, two = (f'<div class="jaxcourse-picture" style="">{root}<g>{name}</g></svg></div>' for name in ("one", "two"))
    (tmp_path / "notebooks" / f"{first.stem}.html").write_text(f"<svg><path/></svg>{one}{two}")
    (tmp_path / "notebooks" / f"{second.stem}.html").write_text("<p>No picture</p>")
    cards = tmp_path / "book" / "index.html"
    cards.write_text(site_entrance.cards_html([first, second], ""))
    for _ in range(2):  # a page that is not written anew
        pictures.write_pictures(tmp_path)
    shown_on = re.findall(
        r'<img class="card-picture dark-light" src="\.\./([^"]+)" alt="" aria-hidden="true"', cards.read_text()
    )
    assert shown_on == [pictures.name_of(first.stem)]
    file = (tmp_path / shown_on[0]).read_text()
    (tmp_path / "notebooks" / f"{first.stem}.html").write_text(
        one.replace("</svg>", '</svg><svg data-card=""></svg>') + two
    )
    pictures.write_pictures(tmp_path)
    assert (tmp_path / shown_on[0]).read_text().startswith("<svg ") and "<g>" not in (
        tmp_path / shown_on[0]
    ).read_text()
    assert "<g>one</g>" in file and f'color="{pictures.INK}"' in file and "aria-label" not in file


def test_cards_stand_under_their_parts(lessons: list[Any]) -> None:
    parts = Course(ROOT).parts
    assert [stem for stems in parts.values() for stem in stems] == [path.stem for path in Course(ROOT).lesson_paths]
    html = site_entrance.cards_html(lessons, "", parts)
    assert re.findall(r'<h3 class="course-part">(.*?)</h3>', html) == [*parts]
    assert [len(re.findall("data-lesson", one)) for one in html.split("<h3")[1:]] == [
        len(one) for one in parts.values()
    ]
    assert "<h3" not in site_entrance.cards_html(lessons, "")


def test_a_topic_that_a_lesson_has_had_is_told_unless_another_lesson_has_it(tmp_path: Path) -> None:
    for stem in ("20_loops", "01_sums"):
        (tmp_path / "notebooks").mkdir(exist_ok=True)
        (tmp_path / "notebooks" / f"{stem}.md").write_text("# A\n")
    (tmp_path / "book").mkdir()
    moves = ("01_folds", "02_folds"), ("02_folds", "20_loops"), ("03_sums", "21_loops"), ("21_loops", "20_loops")
    lines = "".join(f"- {{was: {was}, now: {now}}}\n" for was, now in moves)
    (tmp_path / "book/moved.yml").write_text(f"lessons:\n{lines}")
    assert site_entrance.old_topics(Course(tmp_path)) == {"20_loops": ["folds"]}


def test_a_lesson_needs_earlier_ones_in_their_order_and_less_of_them_than_all(lessons: list[Any]) -> None:
    stems = [one.stem for one in lessons]
    whole = {one.stem: one.minutes.core for one in lessons}
    for place, one in enumerate(lessons):
        assert list(one.needs) == [stem for stem in stems[:place] if stem in one.needs]
        assert bool(one.needs) == bool(one.before.core)
        assert one.before.core <= sum(whole[stem] for stem in one.needs)
    assert any(one.before.core < sum(whole[stem] for stem in one.needs) / 2 for one in lessons)


PAGES = {
    "00_a": "## Why\n\n```{code-cell} ipython3\nimport jax\n```\n\n(jit)=\n## Compile\n\n" + "Words. " * 900,
    "01_b": "**You need** [everything](00_a.md).\n\n## Add\n\n```{code-cell} ipython3\nprint(2 + 2)\n```",
    "02_c": "## Run\n\n```{code-cell} ipython3\nimport jax\njax.jit(f)\n```",
}


def test_a_card_says_how_much_of_which_lessons_its_code_needs_whatever_its_paragraph_says(tmp_path: Path) -> None:
    chapters = "".join(f"  - file: notebooks/{stem}\n" for stem in PAGES)
    concepts = "concepts:\n- {concept: jit, code: [jax.jit], explained by: [jit]}\n"
    files = {f"notebooks/{stem}.md": f"---\nafter: x\n---\n\n# {stem}\n\n{text}\n" for stem, text in PAGES.items()}
    files |= {"_toc.yml": f"format: jb-book\nroot: book/index\nchapters:\n{chapters}", "book/concepts.yml": concepts}
    for name, text in {**files, "book/index.md": "# Toy\n"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    first, second, third = site_entrance.cards(Course(tmp_path))
    assert (first.needs, second.needs, third.needs) == ((), (), ("00_a",))
    assert "needs" not in site_entrance.card_html(second, "")
    card = site_entrance.card_html(third, "")
    assert '· needs 10 minutes of lesson <a href="../notebooks/00_a.html">0</a></p>' in card, (
        "five for 900 words, and more"
    )
    (tmp_path / "book/concepts.yml").unlink()
    assert [one.needs for one in site_entrance.cards(Course(tmp_path))] == [(), (), ()]


def test_the_facts_are_counted(lessons: list[Any]) -> None:
    facts = site_entrance.facts_html(lessons, "COLAB")
    hours = round(sum(one.minutes.figures[0] for one in lessons) / 60)
    sittings = sum(len(one.minutes.each) for one in lessons)
    counted = f"{len(lessons)} lessons in {sittings} sittings" if sittings > len(lessons) else f"{len(lessons)} lessons"
    assert f"{counted} of" in facts and f"{hours} hours in all" in facts
    practised = [site_entrance.Card("00_a", "A", "b", Minutes(61, 59), (), {})]
    assert "1 lessons of 65 to 65 minutes, 1 hours in all, 2 with all practice" in site_entrance.facts_html(
        practised, ""
    )
    both = Minutes(160, 0, (Minutes(81, 0), Minutes(79, 0)))
    twice = [*practised, site_entrance.Card("01_b", "B", "c", both, (), {})]
    assert "2 lessons in 3 sittings of 65 to 85 minutes, 4 hours in all" in site_entrance.facts_html(twice, "")
    assert '<p class="card-facts">two sittings of 85 and 80 minutes</p>' in site_entrance.card_html(twice[1], "")
    first = lessons[0].stem
    assert f'"COLAB/notebooks/{first}.ipynb"' in facts and f'"../notebooks/{first}.html"' in facts


@pytest.mark.parametrize(
    ("page", "context", "ways"),
    [
        ("book/how_to_use", {"next": {"link": "../notebooks/00_start_here.html"}, "prev": {"link": "index.html"}}, 2),
        ("book/references", {"next": {"link": "for_instructors.html"}, "prev": {"link": "glossary.html"}}, 1),
        ("book/for_instructors", {"next": {"link": "what_is_kept.html"}, "prev": {"link": "references.html"}}, 0),
        ("book/what_is_kept", {"next": None, "prev": {"link": "for_instructors.html"}}, 0),
    ],
)
def test_no_button_leads_a_student_to_the_page_for_instructors(page: str, context: Any, ways: int) -> None:
    app = SimpleNamespace(config=SimpleNamespace(root_doc="book/index"))
    site_entrance.on_page(app, page, "", context, None)
    assert sum(context[way] is not None for way in ("next", "prev")) == ways


# -- in a browser -----------------------------------------------------------------------------------------------

SCRIPTS = "".join(
    f"<script>{(STATIC / name).read_text(encoding='utf-8')}</script>" for name in ("record.js", "store.js", "repeat.js")
)
PROGRESS = "".join(
    f"<script>{(STATIC / name).read_text(encoding='utf-8')}</script>" for name in ("progress.js", "transfer.js")
)

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
const told = () => document.querySelector(".course-import p").textContent;
const differences = () => [...document.querySelectorAll(".course-import li")].map((one) => one.textContent);
const solve = (name, solved = true) => course.change("exercises", name, { solved });
const same = (record) => courseRecord.same(JSON.parse(course.text()), JSON.parse(record));
(async () => {
  const found = { before: { menu: menu(), goOn: goOn(), status: status() } };
  course.replace("{}");
  const empty = course.text();
  course.put("place", "first", { id: "one", at: 1 });
  found.section = goOn();
  course.put("place", "first", { id: "b", at: 2 });
  found.skipped = goOn();
  course.put("read", "first", true);
  found.read = { menu: menu(), goOn: goOn() };
  solve("a");
  found.solved = { menu: menu(), goOn: goOn(), kept: course.isSolved("a"), status: status() };
  found.card = document.querySelector('[data-lesson="01_first"]').innerText;
  for (const name of ["c", "d"]) solve(name);
  course.put("place", "second", { id: "c", at: 0 });
  found.practised = { menu: menu(), goOn: goOn(), card: document.querySelector('[data-lesson="02_second"]').innerText };
  for (const name of ["c", "d"]) course.put("exercises", name, undefined);
  course.put("place", "second", undefined);
  const record = course.text();
  found.foreign = [];
  for (const text of ["[1]", "{}", '{"name": "x", "dependencies": {"y": {}}}', "{", '{"v": 4, "exercises": {}}']) {
    await choose(text);
    found.foreign.push([told(), course.text() === record, button("join").hidden]);
  }
  await choose(JSON.stringify({ v: 3, exercises: {}, more: "x".repeat(2e6) }));
  found.huge = [told(), course.text() === record, button("join").hidden];
  window.answer = false;
  button("clear").click();
  found.refused = course.text() === record;
  window.answer = true;
  button("clear").click();
  found.cleared = { menu: menu(), goOn: goOn(), empty: course.text() === empty, undo: button("undo").hidden };
  solve("b");
  await choose(record);
  found.preview = { told: told(), menu: menu(), focus: document.activeElement.parentElement.className };
  button("leave").click();
  found.left = [course.isSolved("a"), told()];
  await choose(record);
  button("join").click();
  found.joined = { menu: menu(), solved: ["a", "b"].map(course.isSolved), undo: button("undo").hidden };
  await choose(record);
  found.twice = told();
  solve("c");
  button("undo").click();
  found.undone = { solved: ["a", "b", "c"].map(course.isSolved), undo: button("undo").hidden, told: told() };
  await choose('{"exercises": {"b": {"solved": false, "tries": 2}, "d": {"solved": true, "tries": 3}}}');
  found.notebook = [told(), ...differences()];
  button("join").click();
  found.fromNotebook = [...repeat.planned().map(({ key }) => key), course.isSolved("b"), course.isSolved("d")];
  course.replace('{"place": {"01_first": {"id": "<b>x</b>", "at": 5}}}');
  found.strange = { goOn: goOn(), bold: document.querySelectorAll("b").length };
  course.replace("{}");
  solve("a");
  found.ticked = goOn();
  found.standing = ["a", "b", "c", "none"].map(courseStanding);
  solve("b");
  found.last = goOn();
  solve("constructor");
  const list = () => [...document.querySelectorAll(".course-repeat li")].map((one) => one.textContent);
  const said = () => document.querySelector(".course-repeat [role=status]").textContent;
  found.nothing = [document.querySelector(".course-repeat").hidden, Boolean(document.querySelector("[data-repeat]"))];
  repeat.missed("exercises", "b");
  found.tomorrow = [list(), said().replace(/ on .*/, "")];
  const due = (part, key, words = "") => course.change(part, key, { again: { step: 0, due: Date.now() - 1, words } });
  due("exercises", "b");
  due("predictions", "masks-0a1b2c", "<b>Masks</b>");
  due("predictions", "constructor-0a1b2c");
  due("predictions", "b");
  due("exercises", "toString");
  found.due = [list(), said(), document.querySelector("[data-repeat]").textContent];
  found.links = [...document.querySelectorAll(".course-repeat a")].map((link) => link.getAttribute("href"));
  document.querySelector(".course-repeat li button").click();
  found.again = [list().length, course.get("exercises", "b").again.step];
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
%s
setTimeout(() => report([course.all("read"), course.get("place", "page")?.id ?? ""]), 5000);
</script>"""


DEEP = {"masks": ["0a1b2c", "ffffff"]}


def test_progress_is_kept_shown_exported_imported_and_cleared(tmp_path: Path) -> None:
    card = site_entrance.Card
    lessons = [
        card("01_first", "First", "begin", Minutes(20, 0), (), {"a": "Ask", "b": "Bend `x`"}, values=("a",)),
        card(
            "02_second",
            "Second",
            "end",
            Minutes(30, 9),
            ("01_first",),
            {"c": "Close", "d": "Drill"},
            ("d",),
            ("c",),
            DEEP,
        ),
    ]
    script = f"<script>{site_entrance.lessons_script(lessons)}</script>"
    menu = "".join(f'<li><a href="notebooks/{one.stem}.html">{one.title}</a></li>' for one in lessons)
    head = site_entrance.facts_html(lessons, "") + site_entrance.cards_html(lessons, "") + site_entrance.PROGRESS
    body = f'<nav id="pst-primary-sidebar"><ul>{menu}</ul></nav>{head}{SCRIPTS}{script}{PROGRESS}<script>{USE}</script>'
    found = run(tmp_path, body)
    assert found["before"] == {
        "menu": ["First", "Second"],
        "goOn": None,
        "status": "You have read 0 of 2 lessons and solved 0 of 3 core exercises and 0 of 1 for practice.",
    }
    assert found["section"] == ["Go on with 1: First", "./notebooks/01_first.html#one"]
    assert found["skipped"] == ["Go on at 1.1: Ask", "./notebooks/01_first.html#a"], "the first that is open, in order"
    assert found["read"]["goOn"] == ["Go on with 2: Second", "./notebooks/02_second.html"]
    assert found["read"]["menu"] == ["First ✓ (read)", "Second"]
    assert found["solved"]["kept"] is True
    assert found["solved"]["goOn"] == ["Go on at 1.2: Bend x", "./notebooks/01_first.html#b"]
    assert found["solved"]["menu"][0] == "First ✓ 1/2 (read, 1 of 2 exercises solved)"
    counted = "solved 1 of 3 core exercises and 0 of 1 for practice."
    assert found["solved"]["status"] == f"You have read 1 of 2 lessons and {counted}"
    assert (
        found["practised"]["menu"][1] == "Second … 1/1+1 (begun, 1 of 1 core exercise and 1 of 1 for practice solved)"
    )
    assert found["practised"]["goOn"] == ["Go on at 1.2: Bend x", "./notebooks/01_first.html#b"]
    assert "1 exercise, 1 for practice, 2 solved" in found["practised"]["card"]
    assert "30 minutes, 40 with practice" in found["practised"]["card"]
    assert "✓ read" in found["card"] and ", 1 solved" in found["card"]
    told, kept, hidden = found["huge"]
    assert "it is too large for a record of this course. Nothing was changed." in told and kept and hidden
    problems = [told for told, kept, hidden in found["foreign"] if kept and hidden and "Nothing was changed." in told]
    assert [told.removeprefix("This file cannot be imported: ").partition(".")[0] for told in problems] == [
        "it holds a list",
        "it is an empty record, in which nothing was done",
        "it is another file, which holds “name”, “dependencies”",
        "it is no JSON, or a damaged one",
        "a newer edition of this site wrote it (version 4 of the record)",
    ]
    assert found["refused"]
    assert found["cleared"] == {"menu": ["First", "Second"], "goOn": None, "empty": True, "undo": True}
    preview = found["preview"]
    assert preview["told"] == "This file would add 1 exercise and 1 lesson read. All that is here stays."
    assert "read" not in preview["menu"][0] and preview["focus"] == "course-import", (
        "nothing is added before it is agreed"
    )
    assert found["left"] == [False, "Nothing was changed."]
    assert found["joined"]["solved"] == [True, True] and not found["joined"]["undo"]
    assert found["joined"]["menu"][0].startswith("First ✓ 2/2")
    assert found["twice"] == "All that this file would add is here already. Nothing was changed."
    assert found["undone"]["solved"] == [False, True, True] and found["undone"]["undo"]
    assert found["notebook"] == [
        "This file would add 1 exercise. 1 exercise is different here:",
        "Bend x: solved here, not solved in 2 tries in the file. Yours stays.",
    ]
    assert found["fromNotebook"] == ["d", True, True]
    assert found["ticked"] == ["Go on at 1.2: Bend x", "./notebooks/01_first.html#b"], "a tick alone moves the place"
    assert found["last"] == ["Go on with 1: First", "./notebooks/01_first.html#b"]
    first, second, third, none = found["standing"]
    bend = {"words": "exercise 1.2, Bend x", "address": "./notebooks/01_first.html#b"}
    assert first == {"share": 0.5, "words": "1 of 2 exercises of lesson 1 solved", "next": bend}
    assert second["next"] == {"words": "lesson 2, Second", "address": "./notebooks/02_second.html"}
    assert third["words"] == "0 of 1 core exercise and 0 of 1 for practice of lesson 2 solved" and third["next"] is None
    assert none is None, "of no lesson"
    assert found["nothing"] == [True, False]
    assert found["tomorrow"] == [[], "Nothing is due today. 1 more later, the first"]
    assert found["due"] == [
        ['1.2: Bend x On other inputs: check("b", variant=1) Done again', "Prediction in 2: <b>Masks</b>"],
        "2 to repeat now.",
        "2 to repeat",
    ]
    assert found["links"] == ["./notebooks/01_first.html#b", "./notebooks/02_second.html#predict-masks-0a1b2c"]
    assert found["again"] == [1, 1], "an exercise whose name begins with `predict-`, or a prediction, is no other"
    assert found["strange"]["bold"] == 0 and found["strange"]["goOn"][1].endswith("#%3Cb%3Ex%3C%2Fb%3E")


NEXT = """<script>
course.put("place", "a", { id: "page", at: 1 });
course.put("read", "a", true);
report(document.querySelector("[data-go-on]").textContent);
</script>"""


def test_after_a_lesson_one_goes_on_with_the_next_of_the_syllabus(tmp_path: Path) -> None:
    stems = "09_c", "05_a", "02_b", "07_d"
    lessons = [site_entrance.Card(stem, stem[-1].upper(), "do", Minutes(5, 0), (), {}) for stem in stems]
    script = f"<script>{site_entrance.lessons_script(lessons)}</script>"
    body = f"{site_entrance.facts_html(lessons, '')}{SCRIPTS}{script}{PROGRESS}{NEXT}"
    assert run(tmp_path, body) == "Go on with 2: B"


def test_a_lesson_is_read_when_its_end_has_been_seen(tmp_path: Path) -> None:
    lesson = site_entrance.Card("page", "Page", "a", Minutes(5, 0), (), {"c": "C"})
    script = f"<script>{site_entrance.lessons_script([lesson])}</script>"
    moved = 'setTimeout(() => dispatchEvent(new Event("scroll")), 100);'
    seen = {}
    for name, move in {"moved": moved, "opened": ""}.items():
        (folder := tmp_path / name / "notebooks").mkdir(parents=True)
        seen[name] = run(folder, f"{LESSON}{SCRIPTS}{script}{SEEN % move}{PROGRESS}")
    assert seen["moved"] == [{"page": True}, "c"]
    assert seen["opened"] == [{}, ""], "who only opens a page has not been anywhere on it"


TOLD: dict[str, Any] = {"near-1a2b3c": ["(3, 4)", ["a `b`", "<b>"]]}


STRANGE = {"far-0a1b2c": ["of another lesson"], "__proto__": ["x"], "near-ffffff": "no list"}


def said_in(predictions: Any) -> str:
    """Predictions as an address has them."""
    return quote(json.dumps(predictions), safe="")


ARRIVE = """
const lines = () => [...document.querySelectorAll(".course-brought")].map((one) => one.textContent);
const goOn = () => document.querySelector("[data-go-on-here] a")?.textContent.split(": ").pop() ?? "";
const shown = () => ({
  lines: lines(), goOn: goOn(), hash: location.hash, solved: Object.keys(course.all("exercises")).sort(),
  planned: repeat.planned().map(({ key }) => key),
  said: Object.entries(course.all("predictions")).map(([key, { said }]) => [key, said]),
});
setTimeout(() => report(shown()), 300);
"""


@pytest.mark.parametrize(
    ("address", "want"),
    [
        (
            "#solved=c,e:3,elsewhere",
            {
                "lines": ["✓ 2 exercises that you solved in your notebook are ticked here: 1, 3."],
                "goOn": "D",
                "hash": "",
                "solved": ["c", "e"],
                "planned": ["e"],
            },
        ),
        (
            f"#solved=&said={said_in(TOLD | STRANGE)}",
            {
                "lines": ["✓ 1 prediction that you made in your notebook is compared below with what the run says."],
                "hash": "",
                "said": [["near-1a2b3c", ["(3, 4)", ["a `b`", "<b>"]]]],
            },
        ),
        (
            f"#solved=c:2&said={said_in(TOLD)}",
            {
                "lines": [
                    "✓ 1 exercise that you solved in your notebook is ticked here: 1. "
                    "1 prediction that you made in your notebook is compared below with what the run says."
                ],
                "goOn": "D",
                "hash": "",
                "solved": ["c"],
                "planned": ["c"],
                "said": [["near-1a2b3c", ["(3, 4)", ["a `b`", "<b>"]]]],
            },
        ),
        *(
            (f"#solved=&said={odd}", {"hash": ""})
            for odd in ("", "{}", "%7B", "%E0%A4%A", said_in([]), said_in({"near-1a2b3c": [3]}), "%22" * 9_000)
        ),
        ("#solved=constructor,__proto__,elsewhere", {"hash": ""}),
        ("#solved=c%2Cd", {"hash": ""}),
        ("#solved=<img src=x onerror=alert(1)>", {"hash": ""}),
        ("#solved=c:0:9", {"hash": ""}),
        ("#solved=", {"hash": ""}),
        ("#solvedc", {"hash": "#solvedc"}),
        ("#%E0%A4%A", {"hash": "#%E0%A4%A"}),
    ],
)
def test_an_address_ticks_what_was_solved_in_a_notebook_and_does_nothing_else(
    tmp_path: Path, address: str, want: dict[str, Any]
) -> None:
    asks = {"near": ["1a2b3c", "ffffff"]}
    lesson = site_entrance.Card(
        "page", "Page", "a", Minutes(5, 0), (), {"c": "C", "d": "D", "e": "E"}, predictions=asks
    )
    other = site_entrance.Card("01_other", "Other", "a", Minutes(5, 0), (), {"elsewhere": "E"})
    script = f"<script>{site_entrance.lessons_script([lesson, other])}</script>"
    (tmp_path / "notebooks").mkdir()
    body = f"{LESSON}{SCRIPTS}{script}{PROGRESS}<script>{ARRIVE}</script>"
    found = run(tmp_path / "notebooks", body, address)
    assert found == {"lines": [], "goOn": "", "solved": [], "planned": [], "said": []} | want


def test_what_was_predicted_on_the_page_stays(tmp_path: Path) -> None:
    lesson = site_entrance.Card(
        "page", "Page", "a", Minutes(5, 0), (), {"c": "C"}, predictions={"near": ["1a2b3c", "ffffff"]}
    )
    before = """<script>
      course.put("predictions", "near-1a2b3c", { said: ["here"], at: 1 });
      course.put("predictions", "near-ffffff", { shown: true, at: 9 });
    </script>"""
    script = f"<script>{site_entrance.lessons_script([lesson])}</script>"
    (tmp_path / "notebooks").mkdir()
    body = f"{LESSON}{SCRIPTS}{before}{script}{PROGRESS}<script>{ARRIVE}</script>"
    told = {"near-1a2b3c": ["there"], "near-ffffff": ["there"]}
    found = run(tmp_path / "notebooks", body, f"#solved=&said={said_in(told)}")
    assert found["said"] == [["near-1a2b3c", ["here"]], ["near-ffffff", ["there"]]]
    again = run(tmp_path / "notebooks", body, f"#solved=&said={said_in({'near-1a2b3c': ['there']})}")
    assert again["lines"] == ["✓ What you did in your notebook is here already."]


def test_who_predicts_in_the_notebook_has_been_at_that_section(tmp_path: Path) -> None:
    lesson = site_entrance.Card("page", "Page", "a", Minutes(5, 0), (), {}, predictions={"near": ["1a2b3c"]})
    script = f"<script>{site_entrance.lessons_script([lesson])}</script>"
    (tmp_path / "notebooks").mkdir()
    form = LESSON.replace("<h2>Near</h2>", '<h2>Near</h2><form id="predict-near-1a2b3c"></form>')
    place = '<script>setTimeout(() => report(course.get("place", "page")?.id ?? null), 300);</script>'
    body = f"{form}{SCRIPTS}{script}{PROGRESS}{place}"
    assert run(tmp_path / "notebooks", body, f"#solved=&said={said_in(TOLD)}") == "near"
    assert run(tmp_path / "notebooks", body, f"#solved=&said={said_in(STRANGE)}") is None


def test_the_script_of_lessons_is_data(lessons: list[Any]) -> None:
    text = site_entrance.lessons_script(lessons)
    known = json.loads(text.removeprefix("window.courseLessons = ").removesuffix(";\n"))
    assert [one["stem"] for one in known] == [one.stem for one in lessons]
    assert len(gzip.compress(text.encode())) < 8_000, "it is on every page"
    assert in_page(known)
