"""Repairs of whole pages when all else has written them: what HTML does not allow, and ids that stand twice."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def styles_to_head(page: str) -> str:
    """Move the styles that pictures bring along into the head, each once."""
    head, mark, body = page.partition("</head>")
    styles = dict.fromkeys(STYLE.findall(body))
    if not styles:
        return page
    return f"{head}<style>{''.join(styles)}</style>\n{mark}{STYLE.sub('', body)}"


def phrases_in_summaries(page: str) -> str:
    """Make spans of the paragraphs in summaries: a summary takes no paragraph."""

    def mended(summary: re.Match[str]) -> str:
        return re.sub(r"<(/?)p\b", r"<\1span", summary[0])

    return re.sub(r"<summary\b.*?</summary>", mended, page, flags=re.DOTALL)


def own_ids(page: str) -> str:
    """Give the parts of a drawing that stands twice on a page ids of their own."""
    seen: set[str] = set()

    def renamed(drawing: re.Match[str]) -> str:
        svg, again = drawing[0], 1
        ids = set(re.findall(r'\sid="([^"]+)"', svg))
        while any(_numbered(name, again) in seen for name in ids):
            again += 1
        seen.update(_numbered(name, again) for name in ids)
        if again == 1:
            return svg
        return re.sub(
            r'((?:\sid="|href="#|url\(#))([^")]+)',
            lambda found: found[1] + (_numbered(found[2], again) if found[2] in ids else found[2]),
            svg,
        )

    return re.sub(r"<svg\b.*?</svg>", renamed, page, flags=re.DOTALL)


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}-{number}"


def repaired(page: str) -> str:
    """A page with all repairs; one that is repaired stays as it is."""
    for repair in (styles_to_head, phrases_in_summaries, own_ids):
        page = repair(page)
    return page


def on_finished(app: Sphinx, error: Exception | None) -> None:
    """Repair the pages that were written."""
    if error is not None or app.builder.name != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        if (better := repaired(page)) != page:
            path.write_text(better, encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Repair pages before the styles are slimmed to what they need."""
    app.connect("build-finished", on_finished, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
