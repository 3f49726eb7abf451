"""An exercise that repeats another one in other clothes says so, and leads to that one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes

from jaxcourse.course import Course
from jaxcourse_author.lesson import CLOSING, OPENING, home, repeats

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


def tell(doctree: document, again: Mapping[str, str], address: Mapping[str, str]) -> None:
    """Begin each exercise of a page that repeats another one with a line that says so.

    Args:
        doctree: the page.
        again: what `repeats` gives.
        address: of each exercise that may be linked to, seen from this page.
    """
    for node in doctree.findall(lambda node: "exercise" in getattr(node, "attributes", {}).get("classes", ())):
        first = next((again[name] for name in node["ids"] if name in again), "")
        if first:
            words = nodes.literal("", first)
            link = nodes.reference("", "", words, refuri=address[first], internal=True) if first in address else words
            begun = [nodes.strong("", "Again"), nodes.Text(": " + OPENING)]
            node.insert(1, nodes.paragraph("", "", *begun, link, nodes.Text(CLOSING), classes=["repeats"]))


def on_page(app: Sphinx, doctree: document, docname: str) -> None:
    """Do so on a lesson's page."""
    if not docname.startswith("notebooks/"):
        return
    course = Course(Path(app.srcdir))
    again = repeats(course)
    pages = {first: f"notebooks/{home(course, first)}" for first in again.values()}
    known = {first: page for first, page in pages.items() if page in app.env.found_docs}
    tell(doctree, again, {n: f"{app.builder.get_relative_uri(docname, page)}#{n}" for n, page in known.items()})


def setup(app: Sphinx) -> ExtensionMetadata:
    """Tell it when a page's text is complete."""
    app.connect("doctree-resolved", on_page, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
