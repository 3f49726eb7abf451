"""The first picture of each lesson, on its card on the first page: what the lesson's own page shows, as a file.

A card says in words what its picture shows, so that the picture is for eyes alone, and has no alternative text.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

FOLDER = "_images"
INK = "#7f8791"
"""For what has the colour of the page's text, which a file does not know: it can be seen on white and on black."""
PICTURE = re.compile(r'(?=<div class="jaxcourse-picture")')
DRAWINGS = [re.compile(rf"<svg\b[^>]*{which}.*?</svg>", re.DOTALL) for which in ("data-card", "")]
"""Of a picture of several arrays the one that stands for all, and else the first drawing."""
ON_CARD = re.compile(r'<img class="card-picture dark-light" src="\.\./([^"]+)"[^>]*>')
_ROOT = re.compile(r'\s(?:style|role|aria-label|class|data-card|aria-hidden)="[^"]*"')


def name_of(stem: str) -> str:
    """The file of a lesson's picture, below the site's root."""
    return f"{FOLDER}/card-{stem}.svg"


def card_picture_html(stem: str) -> str:
    """The picture on a lesson's card."""
    return f'<img class="card-picture dark-light" src="../{name_of(stem)}" alt="" aria-hidden="true" loading="lazy">'


def first_picture(page: str) -> str:
    """The first picture of a page as a file of its own; empty if it has none.

    Example:
        >>> first_picture('<div class="jaxcourse-picture"><svg role="img" style="height:auto"><path/></svg></div>')
        '<svg color="#7f8791"><path/></svg>'
    """
    _, *pictures = PICTURE.split(page)
    found = next(filter(None, (one.search(pictures[0]) for one in DRAWINGS)), None) if pictures else None
    if not found:
        return ""
    root, end, rest = found[0].partition(">")
    drawing = f'{_ROOT.sub("", root)} color="{INK}"{end}{rest}'
    ElementTree.fromstring(drawing)
    return drawing


def write_pictures(html: Path) -> None:
    """Write the first picture of each lesson's page into a file, and take cards' pictures off that no lesson has."""
    (html / FOLDER).mkdir(exist_ok=True)
    for page in sorted(html.glob("notebooks/*.html")):
        if drawing := first_picture(page.read_text(encoding="utf-8")):
            (html / name_of(page.stem)).write_text(drawing, encoding="utf-8")
    cards = html / "book" / "index.html"
    if cards.exists():
        text = cards.read_text(encoding="utf-8")
        cards.write_text(ON_CARD.sub(lambda one: one[0] * (html / one[1]).exists(), text), encoding="utf-8")


def on_finished(app: Sphinx, error: Exception | None) -> None:
    """Write the pictures when all pages are as they will be."""
    if error is None and app.builder.name == "html":
        write_pictures(Path(app.outdir))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Take the pictures from the pages that are repaired."""
    app.connect("build-finished", on_finished, priority=450)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
