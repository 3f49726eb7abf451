"""A way from each section to what is made of it: rows of the sources, corrections that it shows, and sheets.

Lessons know of none. The corrections of `book/corrections.md` that a section shows, and the sheets of `book/sheets.yml`
that are made of it, stand in a line at its end. Its rows of `book/sources.yml` are evidence: they stand behind the fold
of the section's proof, or in a fold of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from site_proofs import proofs
from site_records import CORRECTIONS, PAGE, SOURCES, Correction, Source, corrections, sources
from site_sheets import here_of

from jaxcourse.course import Course

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment
    from sphinx.util.typing import ExtensionMetadata

    from jaxcourse_author.sheets import Sheet

Way = tuple[str, str, str]
"""Words, page and anchor of a link; no anchor if it leads to the whole page."""
SUMMARY = "From the sources"
"""What stands on a fold that holds rows alone, and before the rows in any."""
_OPENINGS = {"Corrections": CORRECTIONS, "On a sheet": "book/sheet_"}
"""What stands before the links in the line at a section's end, and what the names of the pages begin with."""


def ways_back(
    declared: Sequence[Source], corrected: Sequence[Correction], sheets: Sequence[Sheet] = ()
) -> dict[str, list[Way]]:
    """For each label, the rows that live there, the corrections that are shown there, and the sheets made of it."""
    found: dict[str, list[Way]] = {}
    for row in (row for source in declared for row in source.rows):
        found.setdefault(row.at, []).append((row.id, PAGE, row.id.lower()))
    for one in corrected:
        words = f"“{one.claim[1:-1].replace('`', '')}”"
        for label in one.shown:
            found.setdefault(label, []).append((words, CORRECTIONS, one.label))
    for sheet in sheets:
        for label in dict.fromkeys(piece.at for piece in sheet.pieces):
            found.setdefault(label, []).append((sheet.title.partition(":")[0], sheet.page, ""))
    return found


def lead_back(doctree: document, ways: Mapping[str, list[Way]], address: Mapping[str, str]) -> None:
    """Link from each section of a page to its rows, corrections and sheets.

    Args:
        doctree: the page.
        ways: what `ways_back` gives.
        address: of each page that may be linked to, seen from this one.
    """
    at: dict[nodes.section, list[Way]] = {}
    for node in doctree.findall(nodes.Element):
        section = node
        while section is not None and not isinstance(section, nodes.section):
            section = section.parent
        for label in ways.keys() & set(node["ids"]) if section is not None else ():
            at.setdefault(section, []).extend(way for way in ways[label] if way[1] in address)
    for section, found in at.items():
        ways_of = dict.fromkeys(sorted(found))
        rows = [way for way in ways_of if way[1] == PAGE]
        others = {words: [way for way in ways_of if way[1].startswith(page)] for words, page in _OPENINGS.items()}
        if rows:
            _fold(section).append(_line({SUMMARY: rows}, address))
        if any(others.values()):
            _end(section, _line(others, address))


def _fold(section: nodes.section) -> nodes.Element:
    """The fold of a section's last proof, or, where it has none, a new one at its end."""
    folds = [fold for cell in proofs(section) if cell.parent is section for fold in cell.findall(HideCodeCellNode)]
    if folds:
        return folds[-1]
    fold = HideCodeCellNode(prompt_show=SUMMARY, prompt_hide=SUMMARY, classes=["above-input"])
    _end(section, nodes.container("", fold, classes=["cell", "tag_sources"]))
    return fold


def _end(section: nodes.section, node: nodes.Element) -> None:
    """Put a node at the end of a section's own text, before the sections in it."""
    inner = (i for i, child in enumerate(section.children) if isinstance(child, nodes.section))
    section.insert(next(inner, len(section.children)), node)


def _line(found: Mapping[str, Sequence[Way]], address: Mapping[str, str]) -> nodes.paragraph:
    line = nodes.paragraph(classes=["records"])
    for opening, ways in found.items():
        for i, (words, page, anchor) in enumerate(ways):
            before = ", " if i else (" " if len(line) else "") + f"{opening}: "
            to = f"{address[page]}#{anchor}" if anchor else address[page]
            line += [nodes.Text(before), nodes.reference("", words, refuri=to, internal=True)]
        line += [nodes.Text(".")] if ways else []
    return line


def follow(app: Sphinx) -> None:
    """Read the files once, where there are any, and lead back from each page when its text is complete."""
    course = Course(Path(app.srcdir))
    recorded = (sources(course), corrections(course)) if (course.root / SOURCES).exists() else ([], [])
    ways = ways_back(*recorded, here_of(course))

    def on_page(app: Sphinx, doctree: document, docname: str) -> None:
        if docname in {sheet.page for sheet in here_of(course)}:  # its headings have ids like those of sections
            return
        names = {way[1] for some in ways.values() for way in some} & app.env.found_docs
        lead_back(doctree, ways, {name: app.builder.get_relative_uri(docname, name) for name in names})

    def on_outdated(app: Sphinx, env: BuildEnvironment, added: set[str], *_: set[str]) -> list[str]:
        before = getattr(env, "course_ways_back", ways)
        env.course_ways_back = ways  # type: ignore[attr-defined]  # kept with the pages
        return [] if before == ways else sorted(env.found_docs)

    app.connect("doctree-resolved", on_page, priority=600)  # after predictions have looked at what follows an output
    app.connect("env-get-outdated", on_outdated)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Read the files when a build begins."""
    app.connect("builder-inited", follow)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
