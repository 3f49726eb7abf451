"""Old addresses lead on: a page under each name that a lesson has had, and for each page where a section is now.

A link may name a section that has moved to another page, or an exercise that has another name. `moved.js` finds no such
place on the page, and asks `places.json`, which says on which page each label is, and what is called otherwise there.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from jaxcourse.course import TEXTS, Course, anchor_of, earlier_names
from jaxcourse_author.lesson import labels, old_names

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

SCRIPT, PLACES = "moved.js", "places.json"


def page(title: str, now: str) -> str:
    """A page that leads to another one in its folder, and to the same place of it; with a link where nothing runs.

    Args:
        title: of the lesson.
        now: the file of its page, such as `20_loops.html`.
    """
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="robots" content="noindex">\n'
        f'<title>{escape(title)}</title>\n<link rel="canonical" href="{escape(now)}">\n'
        f"<script>location.replace({json.dumps(now)} + location.search + location.hash)</script>\n"
        f'<noscript><meta http-equiv="refresh" content="0; url={escape(now)}"></noscript>\n'
        f'<p>This lesson has another address now: <a href="{escape(now)}">{escape(title)}</a></p>\n</html>\n'
    )


def places(course: Course) -> dict[str, str]:
    """The page of each label, without its suffix: of sections, of exercises, and of what is to be read again for them.

    Of an exercise's earlier name, it is the page with the place that has the name of today.

    Args:
        course: whose.
    """
    found = {label: pages[0] for label, pages in labels(course).items()}
    for stem, names in course.exercises().items():
        taught = f"notebooks/{stem}"
        found |= {place: taught for name in names for place in (name, anchor_of(name))}
    for old, now in earlier_names(course.texts).items():
        for was, place in ((old, now), (anchor_of(old), anchor_of(now))):
            found.setdefault(was, f"{found[place]}#{place}")
    return found


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the pages at old addresses, and the list of places."""
    if error is not None or app.builder.format != "html":
        return
    course, out = Course(Path(app.srcdir)), Path(app.outdir)
    if not (course.root / TEXTS).exists():  # a book without lessons
        return
    (out / PLACES).write_text(json.dumps(places(course), separators=(",", ":")) + "\n", encoding="utf-8")
    for name, stem in old_names(course).items():
        if stem in course.exercises():
            text = page(course.texts[stem].title, f"{stem}.html")
            (out / "notebooks" / f"{name}.html").write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write after old pages have been removed (`site_syllabus`)."""
    app.add_js_file(SCRIPT, loading_method="defer")
    app.connect("build-finished", write, priority=310)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
