"""Quiet pages: on a lesson, what proves, sets up or records is no more than a dot until the reader asks for it.

Nothing is hidden here: `quiet.js` says whether evidence is shown, and `quiet.css` makes dots of the folds. A link into
what is folded opens it, on any page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


def on_page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None) -> None:
    """Load script and style of the switch on lessons."""
    if page.startswith("notebooks/"):
        app.add_js_file("quiet.js")
        app.add_css_file("quiet.css")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Add the scripts."""
    app.connect("html-page-context", on_page)
    app.add_js_file("folds.js", priority=410)  # the search opens folds by it
    return {"parallel_read_safe": True, "parallel_write_safe": True}
