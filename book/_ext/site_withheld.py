"""What a lesson withholds, such as an examination's solutions, is on no page, in no copy of a source, in no archive.

A solution is taken out of the text before Sphinx reads it. When all is written, each file of the site is looked
through, down to the wheel in the archive, and the build fails where one says what is withheld.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from site_sources import lesson_source
from sphinx.errors import ExtensionError

from jaxcourse.course import Course
from jaxcourse_author.lesson import notebooks, without_solutions
from jaxcourse_author.withheld import leaks, secrets

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

    from jaxcourse_author.lesson import LessonSource

_TITLE = re.compile(r"^# .*\n", re.MULTILINE)


def page_text(lesson: LessonSource) -> str:
    """The source of a lesson's page: without its solutions while they are withheld, which it says below its title."""
    if lesson.withheld is None or lesson.withheld.is_over:
        return lesson.raw
    note = f"\n```{{note}}\n{notebooks.withheld_note(lesson.withheld)}\n```\n"
    return _TITLE.sub(lambda title: title[0] + note, without_solutions(lesson), count=1)


def on_source_read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Take the solutions out of a page, and read it again at each build: one day, they are in it."""
    path = Path(app.srcdir, f"{docname}.md")
    if path.parent.name != "notebooks" or not path.exists():
        return
    lesson = lesson_source(path, Course(Path(app.srcdir)))
    if lesson.withheld:
        app.env.note_reread()
        source[0] = page_text(lesson)


def hide_sources(app: Sphinx, error: Exception | None) -> None:
    """Write the copies of sources, which Sphinx makes of the files themselves, without what is withheld."""
    if error is not None:
        return
    course = Course(Path(app.srcdir))
    for path in (path for path in course.lesson_paths if course.withholds(path.stem)):
        for copy in Path(app.outdir, "_sources", "notebooks").glob(f"{path.stem}.md*"):
            copy.write_text(page_text(lesson_source(path, course)), encoding="utf-8")


def refuse_leaks(app: Sphinx, error: Exception | None) -> None:
    """Refuse a site that says what is withheld."""
    if error is None and (found := leaks_in(Path(app.outdir), Course(Path(app.srcdir)))):
        raise ExtensionError("\n".join([*found, "Do not publish this site."]))


def leaks_in(site: Path, course: Course) -> list[str]:
    """Which files of a site say what a course withholds."""
    return list(leaks(sorted(path for path in site.rglob("*") if path.is_file()), secrets(course)))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Come first where a source is read, and last where all is written; copies are hidden before the archive."""
    app.connect("source-read", on_source_read, priority=100)
    app.connect("build-finished", hide_sources, priority=700)
    app.connect("build-finished", refuse_leaks, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
