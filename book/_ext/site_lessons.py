"""The head of each lesson: how long it takes, and a button that opens its notebook in Colab."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from site_sources import lesson_source, notebook_in_colab

from jaxcourse.course import Course
from jaxcourse_author.lesson import Minutes

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


def show_head(doctree: document, minutes: Minutes, left: dict[str, int], notebook: str) -> None:
    """Write the minutes of a lesson and the button into its page.

    Args:
        doctree: the page.
        minutes: of the whole lesson.
        left: of the core path, from each labelled heading to the end of its sitting; shown at headings of the second
            level.
        notebook: the address at which Colab opens the blank notebook; without one there is no button.
    """
    of = " in this sitting" if minutes.sittings else ""
    title, *sections = doctree.findall(nodes.section)
    for section in (section for section in sections if section.parent is title):
        label = next((name for name in section["ids"] if name in left), "")
        if label:
            _below_title(section, nodes.Text(f"{left[label]} minute{'' if left[label] == 1 else 's'} left{of}"))
    button = nodes.reference("", "Open in Colab", refuri=notebook, internal=False, classes=["course-button", "colab"])
    way = [nodes.Text(" "), button] if notebook else []
    _below_title(title, nodes.inline("", f"About {minutes}"), *way)


def _below_title(section: nodes.section, *content: nodes.Node) -> None:
    place = next(i for i, child in enumerate(section.children) if isinstance(child, nodes.title))
    section.insert(place + 1, nodes.paragraph("", "", *content, classes=["minutes"]))


def on_page(app: Sphinx, doctree: document, docname: str) -> None:
    """Show the head of a lesson."""
    path = Path(app.srcdir, f"{docname}.md")
    if path.parent.name == "notebooks" and path.exists():
        lesson = lesson_source(path, Course(Path(app.srcdir)))
        show_head(doctree, lesson.minutes, lesson.minutes_left, notebook_in_colab(lesson.stem, app))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Show the heads when menus and numbers are made."""
    app.connect("doctree-resolved", on_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
