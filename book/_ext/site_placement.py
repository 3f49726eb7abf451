"""*Where do I begin?*: the questions of `book/placement.yml` as a list with answers, and as data for `placement.js`.

Without a script, and on paper, they are read in order, and each answer is in a fold. What is right, and what is said to
a wrong answer, comes from the exercises; a question that names what is not there is refused.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from site_answers import asked, relative
from site_paths import offered, raw
from site_sources import road
from sphinx.util import logging

from jaxcourse.course import Course
from jaxcourse.markup import marked
from jaxcourse_author.concepts import CONCEPTS
from jaxcourse_author.paths import PATHS
from jaxcourse_author.placement import PLACEMENT, Pool, Question, entry_of, problems, read_pool, taught_questions

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

    from jaxcourse_author.concepts import Stop
    from jaxcourse_author.paths import Walk

logger = logging.getLogger(__name__)

PAGE = "book/where_do_i_begin"
MARK = "{{ placement }}"
USED = 'class="placement-data"'
"""What of a page the script looks for."""
_NONE = "None of the lessons that are taught here has a question for this page."
_ENGLISH = re.compile(r"[a-z]{3,} [a-z]{3,}", re.IGNORECASE)
"""What is a piece of English among the entries of exercises, as in `answers.js`."""


def pool_of(course: Course) -> Pool:
    """The questions that a course asks."""
    return taught_questions(read_pool(course), course, road(course))


# -- as a list --------------------------------------------------------------------------------------------------


def placement_html(course: Course) -> str:
    """The questions by blocks, each answer in a fold, with the data for the script.

    Args:
        course: which asks them.
    """
    pool, stops = pool_of(course), {stop.section.label: stop for stop in road(course).stops}
    if not pool.blocks:
        return f"<p>{_NONE}</p>"
    blocks = "".join(
        f"<h2>{escape(block.title)}</h2><ol>{''.join(_item(one, course, stops) for one in block.questions)}</ol>"
        for block in pool.blocks
    )
    data = json.dumps(script_data(pool, course), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return (
        f'<div class="placement"><div class="placement-list">{blocks}</div>'
        f'<script type="application/json" class="placement-data">{data}</script></div>'
    )


def _item(question: Question, course: Course, stops: dict[str, Stop]) -> str:
    known = ", ".join(_section(stops[label]) for label in question.unlocks)
    right = next(iter(entry_of(question, course).right.values()))
    easier = (
        f"<p>If you did not know it:</p><ul>{_item(question.easier, course, stops)}</ul>" if question.easier else ""
    )
    return (
        f"<li><p>{marked(question.ask)}</p><p>{_entry(question.entry)}</p><details><summary>Answer</summary>"
        f"<p><code>{escape(right if isinstance(right, str) else repr(right))}</code>. If you knew it, "
        f"you may leave out {known}.</p></details>{easier}</li>"
    )


def _entry(entry: str) -> str:
    """An entry of an exercise: code, unless it is a piece of English."""
    return marked(entry) if _ENGLISH.search(entry) else f"<code>{escape(entry)}</code>"


def _section(stop: Stop) -> str:
    page = relative(f"notebooks/{stop.stem}", stop.section.label, PAGE)
    return f'<a href="{page}">{int(stop.stem[:2])}: {marked(stop.section.title)}</a>'


# -- as data ----------------------------------------------------------------------------------------------------


def script_data(pool: Pool, course: Course) -> dict[str, Any]:
    """All that the script needs: the questions with what is right, what they unlock, and the paths that are advised.

    Args:
        pool: the questions.
        course: which asks them.
    """
    walks = offered(course)
    names = {walk.path.name for walk in walks}
    return {
        "blocks": [
            {"title": block.title, "questions": [_data(one, course) for one in block.questions]}
            for block in pool.blocks
        ],
        "advice": [{"path": one.path, "knows": one.knows, "why": one.why} for one in pool.advice if one.path in names],
        "aims": [_aim(walk) for walk in walks],
    }


def _aim(walk: Walk) -> dict[str, str]:
    return {"path": walk.path.name, "for": walk.path.audience}


def _data(question: Question, course: Course) -> dict[str, Any]:
    lesson = course.lesson_of(question.exercise)
    alone = replace(lesson.exercises[question.exercise], check=entry_of(question, course))
    easier = {"easier": _data(question.easier, course)} if question.easier else {}
    return asked(alone, lesson, PAGE) | {"ask": question.ask, "unlocks": question.unlocks} | easier


# -- in a build -------------------------------------------------------------------------------------------------


def refuse(app: Sphinx) -> None:
    """Refuse a question that names what is not here: each fault is a warning, which ends a build."""
    course = Course(Path(app.srcdir))
    for problem, repair in problems(course, road(course)) if (course.root / PLACEMENT).exists() else ():
        logger.warning(f"{PLACEMENT}: {problem}. {repair}", type="placement")


def on_source_read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Write the questions where a page asks for them."""
    if MARK not in source[0]:
        return
    course = Course(Path(app.srcdir))
    for file in (Path("_toc.yml"), Path(PATHS), Path(CONCEPTS), Path(PLACEMENT), *course.lesson_paths):
        if (course.root / file).exists():
            app.env.note_dependency(str(course.root / file))
    source[0] = source[0].replace(MARK, raw(placement_html(course)))


def add_assets(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Load script and style where there are questions, behind those that read and judge an answer."""
    if USED in context.get("body", ""):
        app.add_css_file("answers.css")
        app.add_css_file("placement.css")
        app.add_js_file("reader.js", priority=490)
        app.add_js_file("answers.js", loading_method="defer")
        app.add_js_file("placement.js", loading_method="defer")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Refuse what is not there when a build begins; fill in the page before links are turned."""
    app.connect("builder-inited", refuse)
    app.connect("source-read", on_source_read, priority=400)
    app.connect("html-page-context", add_assets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
