"""The paragraphs to read again after a wrong answer get an anchor, to which panels and forms lead."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from site_sources import lesson_source
from sphinx.util import logging

from jaxcourse.course import Course, anchor_of
from jaxcourse_author.lesson.again import paragraphs_of, plain

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

    from jaxcourse_author.lesson.again import Paragraph

logger = logging.getLogger(__name__)

COMPARED = 200
"""How many letters of two paragraphs are compared."""
ALIKE = 0.8
"""How much of them is the same where one is the other's source."""


def place_of(paragraph: Paragraph, doctree: document) -> nodes.paragraph | None:
    """The paragraph of a page that a paragraph of its source has become."""
    sections = [one for one in doctree.findall(nodes.section) if paragraph.section in one["ids"]]
    wanted = letters(plain(paragraph.text))
    places = [(alike(wanted, letters(one.astext())), one) for each in sections for one in each.findall(nodes.paragraph)]
    likeness, place = max(places, key=lambda one: one[0], default=(0.0, None))
    return place if likeness >= ALIKE else None


def letters(text: str) -> str:
    """What of a text is the same in its source and on the page."""
    return re.sub(r"[^a-z0-9]", "", text.lower())[:COMPARED]


def alike(one: str, other: str) -> float:
    """How much of two texts is the same: from 0 to 1."""
    return 1.0 if one == other else SequenceMatcher(None, one, other, autojunk=False).ratio()


def on_page(app: Sphinx, doctree: document, docname: str) -> None:
    """Put the anchors into a lesson's page."""
    path = Path(app.srcdir, f"{docname}.md")
    if path.parent.name != "notebooks" or not path.exists():
        return
    course = Course(Path(app.srcdir))
    if course.withholds(path.stem):
        return  # which paragraph it is follows from the solution
    for name, paragraph in paragraphs_of(lesson_source(path, course)).items():
        place = place_of(paragraph, doctree)
        if place is None:
            words = f"the paragraph to read again for {name!r} is not found on the page: {paragraph.opening}"
            logger.warning(words, location=docname, type="again")
        else:
            place.insert(0, nodes.inline("", "", ids=[anchor_of(name)]))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Look at each page when it is written."""
    app.connect("doctree-resolved", on_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
