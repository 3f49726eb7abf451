"""Sheets: pages of one side of paper, filled in from what `book/sheets.yml` declares and what lessons have.

Tables, paragraphs and recaps are taken from the sources of lessons before a sheet is read; what cells gave, from their
pages when a sheet is written. So nothing stands on a sheet that a lesson does not show.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from jaxcourse.course import Course
from jaxcourse_author.sheets import SHEETS, Excerpt, PieceError, Sheet, excerpts, problems, read_sheets

if TYPE_CHECKING:
    from docutils.nodes import Element, Node, document
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment
    from sphinx.util.typing import ExtensionMetadata

logger = logging.getLogger(__name__)

MARK, LISTED = "{{ sheet }}", "{{ sheets }}"
"""Where a sheet is filled in, and where all are listed."""
_NONE = "No lesson that is taught here has anything of it."


class sheet_cell(nodes.General, nodes.Element):  # noqa: N801, docutils names nodes so
    """A cell of a lesson's page; `page`, `code` and `kind` say which, and what of it is shown."""


class SheetCell(SphinxDirective):
    """The directive `{sheet-cell}`, which a sheet's text has for each cell and figure: a lesson's page, and code."""

    has_content = True
    required_arguments = 1
    option_spec = {"kind": directives.unchanged_required}  # noqa: RUF012, docutils has it so

    def run(self) -> list[Node]:
        """Stand for the cell until all pages are read; its code is there already, so that a search finds it."""
        code = "\n".join(self.content)
        node = sheet_cell("", page=self.arguments[0], code=code, kind=self.options["kind"])
        if node["kind"] == "cell":
            node += nodes.literal_block(code, code, language="ipython3")
        self.set_source_info(node)
        return [node]


# -- its text ---------------------------------------------------------------------------------------------------


def sheet_text(sheet: Sheet, found: Sequence[Excerpt]) -> str:
    """A sheet in MyST: under a heading for each section that it takes something of, the pieces.

    Args:
        sheet: which.
        found: its pieces.
    """
    parts = [f"# {sheet.title}", f"{{.sheet-about}}\n{sheet.about}"]
    for (number, title, label), some in groupby(found, key=lambda one: (one.number, one.title, one.piece.at)):
        parts += [f"## {number} · {{ref}}`{_plain(title)} <{label}>`", *map(_block, some)]
    return "\n\n".join(parts if found else [*parts, _NONE]) + "\n"


def _plain(title: str) -> str:
    """A title as the words of a link: a role has neither code nor brackets in it."""
    return title.translate(dict.fromkeys(map(ord, "`<>")))


def _block(excerpt: Excerpt) -> str:
    if excerpt.piece.kind not in ("cell", "figure"):
        return excerpt.text
    return f"````{{sheet-cell}} {excerpt.page}\n:kind: {excerpt.piece.kind}\n\n{excerpt.text}\n````"


def listed(course: Course) -> str:
    """The sheets in Markdown: those that are looked for again and again, and those of the parts."""
    here = [sheet for sheet in here_of(course) if pieces(course, sheet)]
    lines = (_line(sheet) for sheet in sorted(here, key=lambda sheet: bool(sheet.part)))
    kinds = ("## Looked for again and again", "## One for each part")
    grouped = groupby(lines, key=lambda line: line[0])
    return "\n\n".join(f"{kinds[of_part]}\n\n" + "\n".join(line for _, line in some) for of_part, some in grouped)


def _line(sheet: Sheet) -> tuple[bool, str]:
    return bool(sheet.part), f"- {{doc}}`{sheet.title} </{sheet.page}>`. {sheet.about}"


def pieces(course: Course, sheet: Sheet) -> tuple[Excerpt, ...]:
    """The pieces of a sheet; none of one that `refuse` has warned of."""
    try:
        return excerpts(course, sheet)
    except PieceError:
        return ()


def here_of(course: Course) -> tuple[Sheet, ...]:
    """The sheets that have a page on the site."""
    pages = course.pages
    return tuple(sheet for sheet in read_sheets(course) if sheet.page in pages)


def on_source_read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Fill in a sheet, or the list of all."""
    if not any(mark in source[0] for mark in (MARK, LISTED)):
        return
    course = Course(Path(app.srcdir))
    for file in (SHEETS, "_toc.yml"):
        app.env.note_dependency(str(course.root / file))
    if LISTED in source[0]:
        source[0] = source[0].replace(LISTED, listed(course))
    for sheet in (sheet for sheet in read_sheets(course) if sheet.page == docname):
        found = pieces(course, sheet)
        for page in {excerpt.page for excerpt in found}:
            app.env.note_dependency(str(course.root / f"{page}.md"))
        source[0] = source[0].replace(MARK, sheet_text(sheet, found))


# -- what cells gave --------------------------------------------------------------------------------------------


class TakeCells(SphinxPostTransform):
    """Put what a lesson's cell gave into the place that stands for it, before links and outputs are settled."""

    default_priority = 2
    formats = ("html",)

    def run(self, **_: Any) -> None:
        """Take each cell from the page of its lesson."""
        for node in list(self.document.findall(sheet_cell)):
            page = self.env.get_doctree(node["page"])
            found = [cell for cell in _cells(page) if _code(cell) == node["code"].strip()]
            if len(found) != 1:
                words = f"{node['page']} has {len(found)} cells with the code of this one, and not one"
                logger.warning("%s: %s", SHEETS, words, location=node, type="sheets")
            node.replace_self([_shown(cell, node["kind"], self.env.docname) for cell in found[:1]])


def _cells(page: document) -> Iterator[nodes.container]:
    return (node for node in page.findall(nodes.container) if node.get("nb_element") == "cell_code")


def _code(cell: Element) -> str:
    inside = (child for child in cell.children if child.get("nb_element") == "cell_code_source")
    return next((child.astext().strip() for child in inside), "")


def _shown(cell: Element, kind: str, docname: str) -> Element:
    """A copy of a cell that is open, as a page in a folder beside its own has it; of a figure, what it gave alone."""
    copy = cell.deepcopy()
    for key in ("hide_mode", "prompt_show", "prompt_hide"):
        copy.attributes.pop(key, None)
    if kind == "figure":
        copy.children = [child for child in copy.children if child.get("nb_element") == "cell_code_output"]
    for node in copy.findall(nodes.Element):
        node["ids"], node["names"] = [], []
        if "refdoc" in node:
            node["refdoc"] = docname
    return copy


# -- the build --------------------------------------------------------------------------------------------------


def refuse(app: Sphinx) -> None:
    """Refuse a sheet of which a piece is not there: each fault is a warning, which ends a build."""
    for problem, repair in problems(Course(Path(app.srcdir))):
        logger.warning(f"{SHEETS}: {problem}. {repair}", type="sheets")


def rewrite(app: Sphinx, env: BuildEnvironment) -> Iterable[str]:
    """Write all sheets anew at each build: a lesson may have been executed again though its text is as it was."""
    return sorted({sheet.page for sheet in here_of(Course(Path(app.srcdir)))} & env.found_docs)


def on_read(app: Sphinx, doctree: document) -> None:
    """Say on a sheet's outermost section what it is, for the printer."""
    sheets = {sheet.page: sheet for sheet in read_sheets(Course(Path(app.srcdir)))}
    if sheet := sheets.get(app.env.docname):
        first = next(doctree.findall(nodes.section))
        first["classes"] += ["sheet", f"sheet-{sheet.columns}"]


def on_page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None) -> None:
    """Load the style of sheets where there is one: it says how large the paper is."""
    if doctree is not None and any("sheet" in one["classes"] for one in doctree.findall(nodes.section)):
        app.add_css_file("paper.css")
        app.add_css_file("sheet.css")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Fill in sheets before links are turned, and take cells before links are settled."""
    app.add_node(sheet_cell)
    app.add_directive("sheet-cell", SheetCell)
    app.add_post_transform(TakeCells)
    app.connect("builder-inited", refuse)
    app.connect("source-read", on_source_read, priority=400)
    app.connect("doctree-read", on_read)
    app.connect("env-updated", rewrite)
    app.connect("html-page-context", on_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
