"""Proof cells: the page folds them, under words that say why they are there.

A proof runs with every build, and a claim that is not so stops it. The rules of the contract say what a proof may do;
that it shows nothing is seen here, where its outputs are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.util import logging

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docutils.nodes import document
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

logger = logging.getLogger(__name__)

SUMMARY = "Why we may say so"
"""What stands on the fold."""


def proofs(within: nodes.Element) -> Iterator[nodes.container]:
    """The proof cells of a page, or of a section."""
    for node in within.findall(nodes.container):
        if node.get("nb_element") == "cell_code" and "tag_proof" in node["classes"]:
            yield node


def on_read(app: Sphinx, doctree: document) -> None:
    """Have MyST-NB fold each proof, and warn of one that shows something."""
    for cell in proofs(doctree):
        cell["hide_mode"], cell["prompt_show"], cell["prompt_hide"] = "input", SUMMARY, SUMMARY
        if any(child.get("nb_element") == "cell_code_output" for child in cell.children):
            logger.warning("a proof shows something: it should assert, and be silent.", location=cell, type="proof")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Fold the proofs of each page as it is read."""
    app.connect("doctree-read", on_read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
