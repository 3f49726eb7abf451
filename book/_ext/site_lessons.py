"""What the site says of its lessons: a table of them all, and on each page how long it takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes

from jaxcourse.course import Course, notebooks

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


def lessons_table(course: Course) -> str:
    """The lessons in Markdown: their numbers, titles, what each is for (`after` in its front matter), and minutes."""
    rows = ["| No. | Lesson | After it you can | Minutes | Notebook |", "|---|---|---|---|---|"]
    for path in course.lesson_paths:
        lesson = notebooks.read(path, course)
        link = f"{{doc}}`{lesson.title} <../notebooks/{path.stem}>`"
        colab = f"[in Colab]({{{{ colab }}}}/notebooks/{path.stem}.ipynb)"
        rows.append(f"| {path.stem[:2]} | {link} | {lesson.meta['after']} | {lesson.minutes} | {colab} |")
    return "\n".join(rows)


def on_source_read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Fill in the table of lessons."""
    if "{{ lessons }}" in source[0]:
        app.env.note_reread()
        source[0] = source[0].replace("{{ lessons }}", lessons_table(Course(Path(app.srcdir))))


def show_minutes(doctree: document, minutes: int, left: dict[str, int]) -> None:
    """Write the minutes of a lesson into its page.

    Args:
        doctree: the page.
        minutes: of the whole lesson.
        left: from each labelled heading to the end; it is shown at headings of the second level.
    """
    title, *sections = doctree.findall(nodes.section)
    for section in (section for section in sections if section.parent is title):
        label = next((name for name in section["ids"] if name in left), "")
        if label:
            _below_title(section, f"{left[label]} minutes left")
    _below_title(title, f"About {minutes} minutes")


def _below_title(section: nodes.section, text: str) -> None:
    place = next(i for i, child in enumerate(section.children) if isinstance(child, nodes.title))
    section.insert(place + 1, nodes.paragraph("", text, classes=["minutes"]))


def on_page(app: Sphinx, doctree: document, docname: str) -> None:
    """Show the minutes of a lesson."""
    path = Path(app.srcdir, f"{docname}.md")
    if path.parent.name == "notebooks" and path.exists():
        lesson = notebooks.read(path, Course(Path(app.srcdir)))
        show_minutes(doctree, lesson.minutes, lesson.minutes_left)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Fill in the table before addresses; show minutes when menus and numbers are made."""
    app.connect("source-read", on_source_read, priority=400)
    app.connect("doctree-resolved", on_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
