"""The map of a lesson: which sections are read, which predictions made and which exercises solved, beside the contents.

All of it is the script's: what a reader has done is known to the browser alone. That predictions and exercises are
regions with headings is said in the page itself (`site_pages`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


def on_page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None) -> None:
    """Load script and style on lessons."""
    if page.startswith("notebooks/"):
        app.add_js_file("map.js", loading_method="defer")
        app.add_css_file("map.css")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Add the script where lessons are written."""
    app.connect("html-page-context", on_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
