"""The first page: what the course is in a few facts, a picture to play with, and a card for each lesson."""

from __future__ import annotations

import functools
import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from site_card_pictures import card_picture_html
from site_sources import lesson_source, raw, road

from jaxcourse.course import Course, defines
from jaxcourse.markup import marked
from jaxcourse.paths import PACKAGE
from jaxcourse_author.concepts import CONCEPTS, way_before
from jaxcourse_author.lesson import (
    MOVED,
    REPEATS,
    Minutes,
    boxes_by_section,
    digests,
    old_exercises,
    old_names,
    page_at,
    repeats,
)

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

    from jaxcourse_author.concepts import Stop
    from jaxcourse_author.lesson import LessonSource

ASIDE = ("book/for_instructors", "book/teach", "book/what_is_kept")
"""Pages that do not lie on a student's way from lesson to lesson: no button of that way leads to them."""

PROGRESS = """<div class="course-progress" hidden><p role="status"></p><p>
<button type="button" data-do="export">Export</button>
<button type="button" data-do="import">Import</button>
<button type="button" data-do="clear">Clear</button>
<button type="button" data-do="undo" hidden>Undo the import</button>
<input type="file" accept=".json,application/json" aria-label="File with exported progress" hidden></p>
<div class="course-import" hidden><p tabindex="-1"></p><ul></ul><p>
<button type="button" data-do="join">Add it</button>
<button type="button" data-do="leave">Leave all as it is</button></p></div></div>
<div class="course-repeat" hidden><h3 id="to-repeat">To repeat</h3>
<p>What you predicted wrongly, and what took you several tries, comes back after 1, 3, 7 and 21 days.
Where an exercise asks once more, in other clothes, for what you have solved, it comes after 3 days.
<span role="status"></span></p><ul></ul></div>
<noscript><p>What you have done is kept by a script, and your browser runs none.</p></noscript>"""
"""What a reader does with the record of what was read and solved; its script shows it."""


@dataclass(frozen=True)
class Card:
    """A lesson as the first page and the readers' progress know it.

    Args:
        stem: the name of its file.
        title: its first heading.
        after: what one can do afterwards, in Markdown.
        minutes: how long it takes, without and with practice.
        needs: the stems of the lessons in which sections explain what its code and its core exercises use.
        exercises: the titles of its exercises by their names.
        practice: the names of those that are not on the core path.
        values: the names of those that no function answers.
        predictions: the digests of the questions of its prediction boxes, by the labels of their sections.
        before: how long the sections take that it needs of those lessons.
        repeats: those of its exercises that repeat another one, each with that one.
        was: the topics that it has had, and no lesson has today.
        earlier: its exercises by each name that they have had.
    """

    stem: str
    title: str
    after: str
    minutes: Minutes
    needs: tuple[str, ...]
    exercises: dict[str, str]
    practice: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    predictions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    before: Minutes = Minutes(0, 0)
    repeats: Mapping[str, str] = field(default_factory=dict)
    was: Sequence[str] = ()
    earlier: Mapping[str, str] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """Its number."""
        return int(self.stem[:2])


def cards(course: Course) -> tuple[Card, ...]:
    """All lessons of a course, in order; they are made again only when a file has changed."""
    return _cards(course, tuple(path.stat().st_mtime_ns for path in sources(course)))


def sources(course: Course) -> list[Path]:
    """The files from which the cards are made."""
    files = (Path("_toc.yml"), Path(CONCEPTS), MOVED, REPEATS)
    return [*(path for name in files if (path := course.root / name).exists()), *course.lesson_paths]


@functools.lru_cache(maxsize=4)
def _cards(course: Course, changed: tuple[int, ...]) -> tuple[Card, ...]:
    again, old, names = repeats(course), old_topics(course), old_exercises(course)
    made = (
        card(lesson_source(path, course), way_before(road(course), path.stem), again) for path in course.lesson_paths
    )
    return tuple(replace(one, was=tuple(old.get(one.stem, ())), earlier=_of(names, one.exercises)) for one in made)


def _of(names: Mapping[str, str], exercises: Container[str]) -> dict[str, str]:
    """Of the exercises by the names that they have had, those that are asked."""
    return {old: name for old, name in names.items() if name in exercises}


def old_topics(course: Course) -> dict[str, list[str]]:
    """The topics that lessons have had and no lesson has today, by their names of today."""
    here, found = {topic(path.stem) for path in course.lessons_here}, dict[str, list[str]]()
    for old, stem in {topic(name): stem for name, stem in old_names(course).items()}.items():
        if old not in here:
            found.setdefault(stem, []).append(old)
    return found


def topic(stem: str) -> str:
    """What a lesson is about, as its name says behind its number."""
    return stem[3:]


def card(lesson: LessonSource, before: Sequence[Stop], again: Mapping[str, str] = MappingProxyType({})) -> Card:
    """What the first page says of one lesson.

    Args:
        lesson: that.
        before: the sections of other lessons that it needs, in reading order.
        again: the exercises that repeat another one, each with that one.
    """
    titles = {name: task.title for name, task in lesson.tasks.items()}
    needs = tuple(dict.fromkeys(stop.stem for stop in before))
    values = tuple(name for name, task in lesson.tasks.items() if not defines(task.solution, name))
    known = needs, titles, lesson.practice, values, lesson.predictions, Minutes(sum(stop.minutes for stop in before), 0)
    again = {name: again[name] for name in titles if name in again}
    return Card(lesson.stem, lesson.title, lesson.meta["after"], lesson.minutes, *known, again)


def facts_html(lessons: Sequence[Card], colab: str) -> str:
    """What decides whether to begin, and the two buttons with which one does."""
    first, asked = lessons[0].stem, sum(len(one.exercises) for one in lessons)
    core, everything = zip(*(one.minutes.figures for one in lessons), strict=True)
    each = [sitting.figures[0] for one in lessons for sitting in one.minutes.each]
    hours, longer = round(sum(core) / 60), round(sum(everything) / 60)
    count = f"{len(lessons)} lessons" + (f" in {len(each)} sittings" if len(each) > len(lessons) else "")
    practice = f", {longer} with all practice" if longer > hours else ""
    facts = {
        "For": "scientists and engineers who know Python and a little NumPy",
        "Time": f"{count} of {min(each)} to {max(each)} minutes, {hours} hours in all{practice}",
        "Practice": f"{asked} exercises that check themselves and name the mistake",
        "Needs": "a browser: read here, run in Colab, or work on your own computer",
    }
    listed = "".join(f"<div><dt>{name}</dt><dd>{words}</dd></div>" for name, words in facts.items())
    plain = f' <a class="course-button course-button-plain" href="{colab}/notebooks/{first}.ipynb">Open in Colab</a>'
    return (
        f'<p class="entrance-buttons"><a class="course-button" data-begin href="../notebooks/{first}.html">'
        f'Start reading</a>{plain if colab else ""}</p>\n<dl class="entrance-facts">{listed}</dl>'
    )


def card_html(lesson: Card, colab: str) -> str:
    """The card of a lesson. What a reader has done is written into it in the browser."""
    page, name = f"../notebooks/{lesson.stem}.html", f'<span class="visually-hidden"> lesson {lesson.number}</span>'
    asked = "".join(
        f'<li><a href="{page}#{label}">{lesson.number}.{i} {marked(title)}</a>'
        f"{' (practice)' if label in lesson.practice else ''} "
        f'<span class="answers-solved" data-solved="{label}"></span></li>'
        for i, (label, title) in enumerate(lesson.exercises.items(), 1)
    )
    count, extra = len(lesson.exercises) - len(lesson.practice), len(lesson.practice)
    asks = f"{count} exercise{'' if count == 1 else 's'}" + (f", {extra} for practice" if extra else "")
    links = ", ".join(f'<a href="../notebooks/{stem}.html">{int(stem[:2])}</a>' for stem in lesson.needs)
    several = "s" if len(lesson.needs) > 1 else ""
    needed = f" · needs {lesson.before} of lesson{several} {links}" if links else ""
    run = f' <a href="{colab}/notebooks/{lesson.stem}.ipynb">Open in Colab{name}</a>' if colab else ""
    return (
        f'<li class="course-card" value="{lesson.number}" data-lesson="{lesson.stem}">{card_picture_html(lesson.stem)}'
        f'<h4><span class="card-number">{lesson.number}</span> <a href="{page}">{marked(lesson.title)}</a></h4>'
        f"<p>After it you can {marked(lesson.after)}.</p>"
        f'<p class="card-facts">{lesson.minutes}{needed}</p>'
        f'<details><summary>{asks}<span class="card-done"></span></summary>'
        f"<ul>{asked}</ul></details>"
        f'<p class="card-links"><a href="{page}">Read{name}</a>{run}</p></li>'
    )


def cards_html(lessons: Sequence[Card], colab: str, parts: Mapping[str, Sequence[str]] = MappingProxyType({})) -> str:
    """The cards of all lessons.

    Args:
        lessons: in order.
        colab: where Colab opens them; empty if nowhere.
        parts: the stems of the lessons by the headings under which their cards stand; without any, there is no heading.
    """
    of = {one.stem: one for one in lessons}
    return "".join(
        (f'<h3 class="course-part">{escape(caption)}</h3>' if caption else "")
        + f'<ol class="course-cards">{"".join(card_html(of[stem], colab) for stem in stems)}</ol>'
        for caption, stems in (parts or {"": list(of)}).items()
    )


def on_source_read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Write the facts, the picture and the cards where the page asks for them."""
    if "{{ cards }}" not in source[0]:
        return
    from jaxcourse import play  # brings JAX along, which only this page needs

    course = Course(Path(app.srcdir))
    for path in [
        *sources(course),
        PACKAGE / "play" / "_pieces.py",
        *(PACKAGE / "play" / "js").iterdir(),
    ]:
        app.env.note_dependency(str(path))
    lessons = cards(course)
    filled = {
        "facts": facts_html(lessons, course.colab),
        "picture": f'<div class="entrance-picture">{play.pieces().html}</div>',
        "cards": cards_html(lessons, course.colab, course.parts),
        "progress": PROGRESS,
    }
    for name, html in filled.items():
        source[0] = source[0].replace(f"{{{{ {name} }}}}", raw(html))


def lessons_script(lessons: Sequence[Card]) -> str:
    """The lessons with their exercises, as the script of the readers' progress takes them."""
    known = [
        {
            "stem": one.stem,
            "title": one.title,
            "exercises": one.exercises,
            "practice": one.practice,
            "values": one.values,
            "repeats": dict(one.repeats),
            "was": list(one.was),
            **({"earlier": dict(one.earlier)} if one.earlier else {}),
            "predictions": _spaced(one.predictions),
        }
        for one in lessons
    ]
    return f"window.courseLessons = {json.dumps(known, ensure_ascii=False, separators=(',', ':'))};\n"


def pages_script(course: Course) -> str:
    """The pages that are no lessons and ask for predictions, as the script of the readers' progress takes them."""
    pages = ((name, page_at(course.root / f"{name}.md")) for name in course.pages if name.startswith("book/"))
    known = [
        {"page": name, "title": page.headings[0].title, "predictions": _spaced(digests(found))}
        for name, page in pages
        if (found := boxes_by_section(page))
    ]
    return f"window.coursePages = {json.dumps(known, ensure_ascii=False, separators=(',', ':'))};\n"


def _spaced(predictions: Mapping[str, Sequence[str]]) -> dict[str, str]:
    return {label: " ".join(digests) for label, digests in predictions.items()}


def write_lessons(app: Sphinx) -> None:
    """Put the list of lessons and pages beside the scripts that need it, unless it is there and newer than these."""
    if app.builder.format != "html":
        return
    course, path = Course(Path(app.srcdir)), Path(app.outdir, "_static", "lessons.js")
    pages = (course.root / f"{name}.md" for name in course.pages)
    read = [Path(__file__), *sources(course), *(page for page in pages if page.exists())]
    if path.exists() and path.stat().st_mtime > max(one.stat().st_mtime for one in read):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(lessons_script(cards(course)) + pages_script(course), encoding="utf-8")


def on_page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None) -> None:
    """Keep Next and Previous on the way of a student, and say the course's name once in the first page's title."""
    for way in ("next", "prev"):
        to = context.get(way)
        if to and (page in ASIDE or Path(to["link"]).stem in {Path(one).stem for one in ASIDE}):
            context[way] = None
    if page == app.config.root_doc:
        context["docstitle"] = ""


def setup(app: Sphinx) -> ExtensionMetadata:
    """Fill in the first page before addresses; add what shows a reader's progress to every page."""
    app.connect("source-read", on_source_read, priority=400)
    app.connect("builder-inited", write_lessons)
    app.connect("html-page-context", on_page)
    app.add_css_file("entrance.css")
    app.add_js_file("lessons.js", loading_method="defer")
    app.add_js_file("progress.js", loading_method="defer")
    app.add_js_file("transfer.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
