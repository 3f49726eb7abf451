"""Repairs of whole pages when all else has written them: what HTML does not allow, and what Jupyter Book gets wrong.

Each page is read once, tag by tag, and only what is wrong is written anew: every other character stays as it is.
"""

from __future__ import annotations

import itertools
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

Attributes = list[tuple[str, str | None]]

MENDED = {
    # MyST-NB labels every fold the same, whatever the text that is seen: https://www.w3.org/TR/WCAG22/#label-in-name
    ("summary", ("aria-label", "Toggle hidden content")): (' aria-label="Toggle hidden content"', ""),
    # docutils makes a list without items of it: https://www.w3.org/TR/dpub-aria-1.1/#doc-biblioentry
    ("div", ("role", "doc-biblioentry")): (' role="doc-biblioentry"', ' role="listitem"'),
}
"""Of which element an attribute is wrong, and what stands in its place."""
_POINTERS = re.compile(r"""((?:\sid=|\sfor=|\saria-\w+=)"|href="#|url\(#)([^")]+)""")
"""Where the tags and the styles of a drawing name its parts."""


class _Reader(HTMLParser):
    """Reads a page, and notes what is to stand in place of which of its characters.

    Attributes:
        edits: where a piece begins, where it ends, and what is to stand there.
    """

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=False)
        self.page, self.edits = page, list[tuple[int, int, str]]()
        self.lines = [0, *itertools.accumulate(len(line) + 1 for line in page.split("\n"))]
        self.head, self.styles = -1, dict[str, None]()
        self.style: int | None = None
        self.in_summary = False
        self.drawing: list[tuple[int, str]] | None = None
        self.depth, self.seen = 0, set[str]()
        self.level, self.title = 1, -1
        self.box: tuple[int, str] | None = None
        self.predictions = 0
        self.words = ""
        self.lists = list[list[tuple[int, str]]]()

    @property
    def here(self) -> int:
        """Where the piece begins that is being read."""
        line, column = self.getpos()
        return self.lines[line - 1] + column

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        """Note what is wrong with a tag; an element without content comes here, too."""
        here, raw = self.here, self.get_starttag_text() or ""
        for attribute in attrs:
            if found := MENDED.get((tag, attribute)):  # type: ignore[call-overload]
                place = raw.index(found[0]) + here
                self.edits.append((place, place + len(found[0]), found[1]))
        if tag == "div":
            self._open_box(dict(attrs), here + len(raw) - 1)
        if tag == "dl":
            self.lists.append([])
        if self.lists and tag in ("dl", "dt", "dd"):
            self.lists[-1].append((here + 1, tag))
        if tag == "svg":
            self.drawing, self.depth = self.drawing or [], self.depth + 1
        if self.drawing is not None:
            self.drawing.append((here, raw))
        if tag == "style":
            self.style = here if not attrs and self.head >= 0 else None
        elif tag == "summary":
            self.in_summary = True
        elif tag == "p" and self.in_summary:
            self.edits.append((here + 1, here + 2, "span"))
        elif tag == "p" and attrs == [("class", "admonition-title")]:
            self.title, self.words = here + len(raw) - 1, ""
        elif self.title >= 0 and ("class", "caption-number") in attrs:
            self.words = f"numbered: {self.words}"
        elif re.fullmatch(r"h[1-6]", tag):
            self.level = int(tag[1])

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        """Note what is wrong with `<tag/>`, which has no content, in a drawing."""
        if tag != "svg":
            self.handle_starttag(tag, attrs)

    def handle_data(self, data: str) -> None:
        """Note a drawing's own styles, and what a title says."""
        if self.drawing is not None and self.lasttag == "style" and self.style is None:
            self.drawing.append((self.here, data))
        if self.title >= 0:
            self.words += data

    def handle_endtag(self, tag: str) -> None:
        """Note what is wrong with what ends here."""
        here = self.here
        if tag == "head":
            self.head = here if self.head < 0 else self.head
        elif tag == "style" and self.style is not None:
            end = self.page.index(">", here) + 1
            self.styles[self.page[self.page.index(">", self.style) + 1 : here]] = None
            self.edits.append((self.style, end, ""))
            self.style = None
        elif tag == "summary":
            self.in_summary = False
        elif tag == "p" and self.in_summary:
            self.edits.append((here + 2, here + 3, "span"))
        elif tag == "p" and self.title >= 0:
            self._head(here)
        elif tag in ("dd", "dl") and self.lists:
            self.lists[-1].append((here + 2, tag))
            if tag == "dl":
                self._unlist(self.lists.pop())
        elif tag == "svg" and self.drawing is not None:
            self.depth -= 1
            if not self.depth:
                self._own_ids(self.drawing)
                self.drawing = None

    def _unlist(self, tags: list[tuple[int, str]]) -> None:
        """Make no list of a signature of several lines: Sphinx makes one of descriptions that describe nothing."""
        if any(tag == "dt" for _, tag in tags):
            return
        first, *others = tags
        self.edits.append((first[0], first[0] + 2, 'div class="sig-params"'))
        self.edits += [(place, place + 2, "div") for place, _ in others]

    def _open_box(self, attrs: dict[str, str | None], end: int) -> None:
        """Note where the tag of an exercise or a prediction ends: it becomes a region that its title names."""
        name, classes = attrs.get("id"), (attrs.get("class") or "").split()
        if name and "role" not in attrs and {"exercise", "admonition-predict"} & set(classes):
            self.box = end, name

    def _head(self, end: int) -> None:
        """Make a heading of the title of an exercise or a prediction, one level below the one that it stands under.

        Args:
            end: where the title's text ends: a prediction gets its number there, by which it is told from the others.
        """
        if self.words == "Predict" or self.words.startswith("numbered: Exercise"):
            named = ""
            if self.box is not None:
                place, name = self.box
                named = f' id="{name}-title"'
                self.edits.append((place, place, f' role="region" aria-labelledby="{name}-title"'))
                self._number(end)
            self.edits.append((self.title, self.title, f'{named} role="heading" aria-level="{self.level + 1}"'))
        self.title, self.box = -1, None

    def _number(self, end: int) -> None:
        if self.words == "Predict":
            self.predictions += 1
            self.edits.append((end, end, f'<span class="visually-hidden"> {self.predictions}</span>'))

    def _own_ids(self, drawing: list[tuple[int, str]]) -> None:
        """Give the parts of a drawing that stands twice on a page ids of their own."""
        ids = {found for _, text in drawing for found in re.findall(r'\sid="([^"]+)"', text)}
        again = next(n for n in itertools.count(1) if not any(_numbered(name, n) in self.seen for name in ids))
        self.seen.update(_numbered(name, again) for name in ids)

        def renamed(found: re.Match[str]) -> str:
            return found[1] + " ".join(_numbered(name, again) if name in ids else name for name in found[2].split(" "))

        for here, text in drawing if again > 1 else ():
            if (better := _POINTERS.sub(renamed, text)) != text:
                self.edits.append((here, here + len(text), better))

    def repaired(self) -> str:
        """The page with all repairs."""
        self.feed(self.page)
        self.close()
        if self.styles:  # those that pictures bring along into the body: in the head, each once
            self.edits.append((self.head, self.head, f"<style>{''.join(self.styles)}</style>\n"))
        parts, end = list[str](), 0
        for start, stop, text in sorted(self.edits):
            parts += [self.page[end:start], text]
            end = stop
        return "".join([*parts, self.page[end:]])


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}-{number}"


def repaired(page: str) -> str:
    """A page with all repairs; one that is repaired stays as it is.

    Example:
        >>> repaired('<h2>Axes</h2><p class="admonition-title">Predict</p>')
        '<h2>Axes</h2><p class="admonition-title" role="heading" aria-level="3">Predict</p>'
        >>> repaired('<summary><p>Why</p></summary>')
        '<summary><span>Why</span></summary>'
    """
    return _Reader(page).repaired()


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
