"""A warning for each picture that says nothing to a reader who does not see it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bs4 import BeautifulSoup, Tag
from bs4.filter import ElementFilter
from sphinx.util import logging

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

logger = logging.getLogger(__name__)

# What docutils and MyST-NB put in place of a missing alt text.
FILE_NAME = re.compile(r"\S+\.(gif|jpe?g|png|svg|webp)$", re.IGNORECASE)


class Pictures(ElementFilter):
    """Lets pictures, with all that is in them, be built as a tree: most of a page is none."""

    def allow_tag_creation(self, nsprefix: str | None, name: str, attrs: Mapping[str, Any] | None) -> bool:
        """Tell whether an element that is in no picture is one itself."""
        return name in {"img", "svg"} or (attrs or {}).get("role") == "img"


def is_labelled(tag: Tag) -> bool:
    """Tell whether an element has a text of its own, or is hidden from those who would need one."""
    if tag.get("aria-hidden") == "true" or tag.get("aria-labelledby"):
        return True
    title = tag.find("title", recursive=False) if tag.name == "svg" else None
    text = tag.get("alt" if tag.name == "img" else "aria-label") or (title.get_text() if title else "")
    return bool(str(text).strip()) and not FILE_NAME.match(str(text))


def pictures_without_text(html: str) -> list[str]:
    """Find pictures that have no text.

    Args:
        html: the body of a page.

    Returns:
        The beginning of each `<img>`, `<svg>` or `role="img"` without a text. A picture inside of a labelled
        `role="img"` or of another picture needs none.
    """
    soup = BeautifulSoup(html, "html.parser", parse_only=Pictures())
    pictures = soup.select("img, svg, [role=img]")
    whole = [tag for tag in pictures if not (tag.find_parent("svg") or tag.find_parent(attrs={"role": "img"}))]
    return [str(tag)[:100] for tag in whole if not is_labelled(tag)]


def on_page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None) -> None:
    """Warn of each picture of a page that has no text."""
    if doctree is None:
        return
    for picture in pictures_without_text(context["body"]):
        message = (
            "no alternative text: %s… An SVG takes `aria-label`, a Markdown image `![text](file)`, "
            "a figure of a code cell the option `mystnb: {image: {alt: text}}`."
        )
        logger.warning(message, picture, location=page, type="alt_text")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Look at each page after its body is written."""
    app.connect("html-page-context", on_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
