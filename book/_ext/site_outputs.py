"""What cells print, as a notebook shows it: in its order, with its own line ends, and sentences that wrap."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from docutils import nodes
from myst_nb.core import render

if TYPE_CHECKING:
    from docutils.nodes import document
    from nbformat import NotebookNode
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

LINE = 84
"""Characters that fit into an output beside the page's two menus."""


def join_streams(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Join what a cell printed in pieces, however often the kernel flushed.

    MyST-NB's own function, which this one replaces, ends a line at each flush, and moves what is printed after a
    picture to the place before it.

    Args:
        outputs: those of one cell; they are left as they are.
    """
    joined: list[NotebookNode] = []
    for output in outputs:
        before = joined[-1] if joined else None
        if before and output["output_type"] == before["output_type"] == "stream" and output["name"] == before["name"]:
            joined[-1] = type(before)(before | {"text": before["text"] + output["text"]})
        else:
            joined.append(output)
    return joined


def is_prose(text: str) -> bool:
    """Tell whether a printed text may wrap: a line too long for any screen, or no line with columns."""
    lines = text.splitlines()
    return any(len(line) > LINE for line in lines) or not any(re.search(r"\S {2,}\S|^\s", line) for line in lines)


def let_prose_wrap(app: Sphinx, doctree: document) -> None:
    """Mark outputs of sentences and messages, which wrap where others scroll."""
    for block in doctree.findall(nodes.literal_block):
        if "output" in block["classes"] and is_prose(block.astext()):
            block["classes"].append("prose")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Put our function in the place of MyST-NB's, before lessons are read."""
    render.coalesce_streams = join_streams
    app.connect("doctree-read", let_prose_wrap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
