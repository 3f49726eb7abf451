"""A way back from each section: to the rows of the sources that live in it, and to the corrections that it shows.

Lessons know of neither. What `book/sources.yml` and `book/corrections.md` say of a section stands in a line at its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from site_records import CORRECTIONS, PAGE, SOURCES, Correction, Source, corrections, sources

from jaxcourse.course import Course

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment
    from sphinx.util.typing import ExtensionMetadata

Way = tuple[str, str, str]
"""Words, page and anchor of a link."""


def ways_back(declared: list[Source], corrected: list[Correction]) -> dict[str, list[Way]]:
    """For each label, the rows that live there and the corrections that are shown there."""
    found: dict[str, list[Way]] = {}
    for row in (row for source in declared for row in source.rows):
        found.setdefault(row.at, []).append((row.id, PAGE, row.id.lower()))
    for one in corrected:
        words = f"“{one.claim[1:-1].replace('`', '')}”"
        for label in one.shown:
            found.setdefault(label, []).append((words, CORRECTIONS, one.label))
    return found


def lead_back(doctree: document, ways: Mapping[str, list[Way]], address: Mapping[str, str]) -> None:
    """End each section of a page with links to its rows and corrections.

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
        if found:
            inner = (i for i, child in enumerate(section.children) if isinstance(child, nodes.section))
            section.insert(next(inner, len(section.children)), _back(dict.fromkeys(sorted(found)), address))


def _back(found: Iterable[Way], address: Mapping[str, str]) -> nodes.paragraph:
    line = nodes.paragraph(classes=["records"])
    found = list(found)
    for opening, page_name in (("From the sources: ", PAGE), ("Corrections: ", CORRECTIONS)):
        links = [way for way in found if way[1] == page_name]
        for i, (words, _, anchor) in enumerate(links):
            before = ", " if i else (" " if len(line) else "") + opening
            link = nodes.reference("", words, refuri=f"{address[page_name]}#{anchor}", internal=True)
            line += [nodes.Text(before), link]
        line += [nodes.Text(".")] if links else []
    return line


def follow(app: Sphinx) -> None:
    """Read both files once, where there are sources, and lead back from each page when its text is complete."""
    course = Course(Path(app.srcdir))
    if not (course.root / SOURCES).exists():
        return
    ways = ways_back(sources(course), corrections(course))

    def on_page(app: Sphinx, doctree: document, docname: str) -> None:
        names = {PAGE, CORRECTIONS} & app.env.found_docs
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
