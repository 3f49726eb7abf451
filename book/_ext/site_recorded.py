"""What pages measure, as another device measured it: behind each such output, for a switch above it.

`jaxcourse record` has written the records, and `jaxcourse_author.recorded` reads them; one that is not as it must be
ends the build. What was recorded lies in a `<template>`, which no reader sees until `recorded.js` shows it. Without a
record no page differs by a byte.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from site_outputs import is_prose
from sphinx.errors import ExtensionError

from jaxcourse_author import recorded
from jaxcourse_author.recorded import HEADLINES, KERNELS, Output, Record, RecordError

if TYPE_CHECKING:
    from docutils.nodes import Element, document
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

OTHERS = "recorded"
"""The attribute of an output: what it is on other devices, by the names of the records."""
KERNELS_BELOW = "what-an-interpreter-hides"
"""The section at whose end the race of the kernels is shown."""
_RECORDS: dict[str, list[Record]] = {}


def on_begin(app: Sphinx) -> None:
    """Read the records.

    Raises:
        ExtensionError: one is not what `jaxcourse record` writes.
    """
    try:
        _RECORDS[str(app.srcdir)] = recorded.records(Path(app.srcdir))
    except RecordError as error:
        raise ExtensionError(str(error)) from None


# -- which output was recorded ----------------------------------------------------------------------------------


def on_doctree(app: Sphinx, doctree: document, docname: str) -> None:
    """Give each output what was recorded of it, before predictions ask for that."""
    known, path = _RECORDS.get(str(app.srcdir)), Path(app.srcdir, f"{docname}.md")
    if not known:
        return
    if path.parent.name == "notebooks" and path.exists():
        _give(known, path, doctree)
    elif docname == "book/headlines":
        for output in _outputs(doctree):
            output[OTHERS] = _found(known, HEADLINES, None)


def _give(known: list[Record], path: Path, doctree: document) -> None:
    cells = recorded.code_cells(path)
    by_code: dict[str, list[int]] = defaultdict(list)
    for place, cell in enumerate(cells):
        by_code[cell.code.strip()].append(place)
    keys = {place: key for key, place in recorded.measured_cells(cells).items()}
    for node in doctree.findall(nodes.container):
        if node.get("nb_element") == "cell_code":
            source = next((one.astext() for one in node.findall(nodes.literal_block)), "").strip()
            place = by_code[source].pop(0) if by_code[source] else -1
            for output in _outputs(node) if place in keys else ():
                output[OTHERS] = _found(known, path.stem, keys[place])


def _outputs(within: Element) -> Iterator[Element]:
    for node in within.findall(nodes.container):
        if node.get("nb_element") == "cell_code_output":
            yield node


def _found(known: list[Record], piece: str, key: str | None) -> dict[str, tuple[str, str, list[Output]]]:
    """What was recorded of a cell, or of a whole piece: by the record's name its label, how, and the outputs."""
    found = {}
    for record in known:
        taken = record.pieces[piece].taken if piece in record.pieces else {}
        chosen = [taken[key]] if key in taken else [] if key else taken.values()
        if outputs := [shown for one in chosen for shown in one.outputs]:
            found[record.name] = (record.label(piece), record.whole(piece), outputs)
    return found


# -- how it is written ------------------------------------------------------------------------------------------


def on_resolved(app: Sphinx, doctree: document, docname: str) -> None:
    """Write what was recorded behind the outputs, when nobody asks any more what the build's own outputs say."""
    for output in list(_outputs(doctree)):
        for name, (label, whole, shown) in output.get(OTHERS, {}).items():
            said = f'data-name="{escape(name)}" data-label="{escape(label)}" data-whole="{escape(whole)}"'
            output += [_raw(f'<template class="recorded" {said}>'), *_written(shown), _raw("</template>")]
    for section in doctree.findall(nodes.section):
        if KERNELS_BELOW in section["ids"]:
            for record in _RECORDS.get(str(app.srcdir), ()):
                section += _kernels(record)


def _kernels(record: Record) -> list[nodes.Node]:
    """A fold with the races of one record."""
    found = _found([record], KERNELS, None)
    if not found:
        return []
    label, whole, shown = found[record.name]
    fold = (
        f'<details class="recorded-kernels"><summary>Six programs, each in several ways, on {escape(label)}</summary>'
    )
    note = nodes.paragraph("", whole, classes=["recorded-whole"])
    return [_raw(fold), note, *_written(shown), _raw("</details>")]


def _written(shown: Sequence[Output]) -> list[nodes.Node]:
    """Outputs as MyST-NB writes them."""
    return [_raw(one.content, "output", "text_html") if one.kind == "html" else _text(one.content) for one in shown]


def _raw(html: str, *classes: str) -> nodes.raw:
    return nodes.raw("", html, format="html", classes=list(classes))


def _text(text: str) -> nodes.literal_block:
    prose = ["prose"] if is_prose(text) else []
    return nodes.literal_block(text, text, classes=["output", "stream", *prose], language="none")


def on_page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None) -> None:
    """Load script and style where something was recorded."""
    if doctree is None or not _RECORDS.get(str(app.srcdir)):
        return
    if any(output.get(OTHERS) for output in _outputs(doctree)):
        app.add_js_file("recorded.js", priority=480)  # before predictions, which ask it
        app.add_css_file("recorded.css")
    elif any('class="recorded-kernels"' in node.astext() for node in doctree.findall(nodes.raw)):
        app.add_css_file("recorded.css")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Find what was recorded before predictions are judged by it, and write it when they have been."""
    app.connect("builder-inited", on_begin)
    app.connect("doctree-resolved", on_doctree, priority=400)
    app.connect("doctree-resolved", on_resolved, priority=600)
    app.connect("html-page-context", on_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
