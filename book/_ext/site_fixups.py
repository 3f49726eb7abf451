"""Repairs of what Jupyter Book 1 and its theme get wrong before pages are written, one function for each."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from site_sources import fill_in
from sphinx.environment.collectors.toctree import TocTreeCollector
from sphinx.util import logging

from jaxcourse.course import Course

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment
    from sphinx.util.typing import ExtensionMetadata

logger = logging.getLogger(__name__)


def on_source_read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Fill in the title and the addresses."""
    source[0] = fill_in(source[0], Course(Path(app.srcdir)))


def drop_repeated_ids(app: Sphinx, doctree: document, docname: str) -> None:
    """Drop the id that sphinx-exercise 1.2 gives to the content of every exercise and of every solution."""
    repeated = {"exercise-content", "solution-content"}
    for section in doctree.findall(nodes.section):
        section["ids"] = [name for name in section["ids"] if name not in repeated]


def number_lessons_by_their_files(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Make lesson NN chapter NN, and its exercises NN.1, NN.2 and so on: Sphinx counts the lessons that are there.

    Returns:
        The pages whose exercises have other numbers now.
    """
    for docname, numbers in env.toc_secnumbers.items():
        if lesson := re.fullmatch(r"notebooks/(\d\d)_\w+", docname):
            number = (int(lesson[1]),)
            numbers[""] = number
            env.titles[docname]["secnumber"] = number
            next(env.tocs[docname].findall(nodes.reference))["secnumber"] = number
    return TocTreeCollector().assign_figure_numbers(env)


def name_folds(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None) -> None:
    """Say what the arrow beside a page of the contents unfolds: the theme draws it, and no more."""
    contents = context.get("generate_toctree_html")
    if contents is None:
        return

    def named(*args: Any, **how: Any) -> Any:
        found = contents(*args, **how)
        for fold in found.select("details > summary") if hasattr(found, "select") else ():
            link = fold.parent.find_previous_sibling("a")
            fold["aria-label"] = f"Pages of {link.get_text(strip=True)}" if link else "Pages"
        return found

    context["generate_toctree_html"] = named


_LONG = re.compile(r'(<span class="pre">)([^<]{17,})(?=</span>)')
_CELL = re.compile(r"<t[dh]\b.*?</t[dh]>", re.DOTALL)
_JOINT = re.compile(r"(?<=[.(])(?=[^\W\d])")
"""Where a reader breaks a long word of code: behind a dot or a bracket with which a name begins."""


def break_code_in_cells(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None
) -> None:
    """Let a long word of code break in a table's cell: a column as wide as that word pushes others out of sight."""

    def broken(word: re.Match[str]) -> str:
        return word[1] + f"</span><wbr>{word[1]}".join(_JOINT.split(word[2]))

    if "body" in context:
        context["body"] = _CELL.sub(lambda cell: _LONG.sub(broken, cell[0]), context["body"])


def on_page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None) -> None:
    """Offer the blank notebook, and ask for the description that search engines show."""
    if doctree is None:
        return
    if blank_notebook(app, page).exists():  # the theme offers it only beside a button that opens it elsewhere
        context["ipynb_source"] = f"{page}.ipynb"
    if 'name="description"' not in context["metatags"]:
        message = "no description: add `myst: {html_meta: {description: ...}}` to the front matter"
        logger.warning(message, location=page, type="description")


def offer_blank_notebooks(app: Sphinx, error: Exception | None) -> None:
    """Let the download button give the notebook that Colab opens; the theme gives the executed page."""
    if error is not None or app.builder.format != "html":
        return
    for docname in app.env.found_docs:
        blank = blank_notebook(app, docname)
        if blank.exists():
            offered = Path(app.outdir, "_sources", docname).with_suffix(".ipynb")
            offered.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(blank, offered)


def blank_notebook(app: Sphinx, docname: str) -> Path:
    """The notebook that is generated from a page, if it is a lesson's."""
    return Path(app.env.doc2path(docname)).with_suffix(".ipynb")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the repairs."""
    # JAX prints jaxprs in colours that are too pale on either background.
    os.environ["JAX_PPRINT_USE_COLOR"] = "0"
    app.connect("source-read", on_source_read)
    app.connect("doctree-resolved", drop_repeated_ids)
    app.connect("env-get-updated", number_lessons_by_their_files, priority=900)  # after Sphinx has counted, at 500
    app.connect("html-page-context", on_page)
    app.connect("html-page-context", name_folds, priority=900)  # after the theme, at 500
    app.connect("html-page-context", break_code_in_cells)
    app.connect("build-finished", offer_blank_notebooks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
