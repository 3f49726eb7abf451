"""The home of whoever comes back: what to do in thirty minutes. Its script, `home.js`, shows it to them alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from site_sources import lesson_source, raw, road

from jaxcourse.course import Course

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

    from jaxcourse_author.concepts import Stop

MARK = "{{ home }}"

Tasks = dict[str, dict[str, float]]
"""The minutes of exercises by their names, by the labels of the sections in which they are asked."""


def tasks(course: Course, stops: Sequence[Stop]) -> Tasks:
    """The exercises of a course, each with its minutes, by their sections.

    Args:
        course: the course.
        stops: its sections, in reading order; an exercise below a heading without a label is of the section before.
    """
    found: Tasks = {}
    minutes = {path.stem: lesson_source(path, course).tasks for path in course.lesson_paths}
    label = ""
    for stop in stops:
        label = stop.section.label or label
        for name in stop.section.exercises:
            found.setdefault(label, {})[name] = minutes[stop.stem][name].minutes
    return found


def home_html(asked: Tasks, foresee: str = "") -> str:
    """The place that the script fills, with what it must know of exercises; hidden until then.

    Args:
        asked: as `tasks` gives it.
        foresee: the address of the page on what was foreseen; empty if there is none.
    """
    more = f'<p class="home-more"><a href="{foresee}">How well do you foresee?</a></p>' if foresee else ""
    known = json.dumps(asked, separators=(",", ":"))
    return (
        '<section class="home" aria-labelledby="thirty-minutes" hidden>'
        '<h2 id="thirty-minutes">I have thirty minutes</h2><p class="home-time"></p><ol></ol>'
        f"{more}"
        f'<script type="application/json">{known}</script></section>'
    )


def on_source_read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the home where a page asks for it."""
    if MARK not in source[0]:
        return
    course = Course(Path(app.srcdir))
    for path in course.lesson_paths:
        app.env.note_dependency(str(path))
    foresee = "foresee.html" if "book/foresee" in course.pages else ""
    source[0] = source[0].replace(MARK, raw(home_html(tasks(course, road(course).stops), foresee)))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Fill in the home before addresses; add the script that shows it, behind those that it asks."""
    app.connect("source-read", on_source_read, priority=400)
    app.add_js_file("home.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
