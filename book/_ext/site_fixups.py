"""Repairs of what Jupyter Book 1 and its theme get wrong, one function for each."""

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

MENDED = {
    # MyST-NB labels every fold the same, whatever the text that is seen: https://www.w3.org/TR/WCAG22/#label-in-name
    '<summary aria-label="Toggle hidden content">': "<summary>",
    # docutils makes a list without items of it: https://www.w3.org/TR/dpub-aria-1.1/#doc-biblioentry
    ' role="doc-biblioentry"': ' role="listitem"',
}

_TITLE = re.compile(r'<h([1-6])\b|<p class="admonition-title">(?=Predict</p>|<span class="caption-number">Exercise\b)')
"""A heading, or the title of a place to work."""


_PARAMETERS = re.compile(r'<dl>\n((?:<dd><em class="sig-param">.*</dd>\n)+)</dl>')
"""A signature of several lines, of which Sphinx makes a list of descriptions that describe nothing."""


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


def mend(body: str) -> str:
    """Repair the body of a page for those who hear it."""
    for wrong, right in MENDED.items():
        body = body.replace(wrong, right)
    return headed(_PARAMETERS.sub(_lines, body))


def _lines(signature: re.Match[str]) -> str:
    lines = signature[1].replace("<dd>", "<div>").replace("</dd>", "</div>")
    return f'<div class="sig-params">\n{lines}</div>'


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


def headed(body: str) -> str:
    """Make headings of the titles of exercises and predictions, one level below the heading that they stand under.

    Example:
        >>> headed('<h2>Axes</h2><p class="admonition-title">Predict</p>')
        '<h2>Axes</h2><p class="admonition-title" role="heading" aria-level="3">Predict</p>'
    """
    level = 1

    def heading(match: re.Match[str]) -> str:
        nonlocal level
        if match[1]:
            level = int(match[1])
            return match[0]
        return f'<p class="admonition-title" role="heading" aria-level="{level + 1}">'

    return _TITLE.sub(heading, body)


def on_page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None) -> None:
    """Repair the body of a page, and ask for the description that search engines show."""
    if doctree is None:
        return
    context["body"] = mend(context["body"])
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
    app.connect("build-finished", offer_blank_notebooks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
