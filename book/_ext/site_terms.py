"""Terms as cards: what the glossary says of the terms that a page links to comes with the page."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from docutils import nodes

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

GLOSSARY = "book/glossary"
LINK = re.compile(r'href="[^"#]*#(term-[^"]+)"')


def definitions(glossary: nodes.Node) -> dict[str, list[str]]:
    """What a glossary says: for each term's id the term and its definition, with code between backticks."""
    found = {}
    for item in glossary.findall(nodes.definition_list_item):
        terms = [child for child in item.children if isinstance(child, nodes.term) and child["ids"]]
        said = " ".join(plain(child) for child in item.children if isinstance(child, nodes.definition))
        found |= {name: [term.astext(), said] for term in terms for name in term["ids"]}
    return found


def plain(node: nodes.Node) -> str:
    """The text of a node on one line; code stands between backticks.

    Example:
        >>> plain(nodes.paragraph("", "", nodes.Text("see "), nodes.literal("", "jax.jit")))
        'see `jax.jit`'
    """
    if isinstance(node, nodes.literal):
        return f"`{node.astext()}`"
    if isinstance(node, nodes.Text):
        return " ".join(re.split(r"\s+", node.astext()))
    return "".join(plain(child) for child in node.children)


def on_page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None) -> None:
    """Put the definitions of the terms that a page links to at its end, and the script that shows them."""
    if doctree is None or GLOSSARY not in app.env.found_docs:
        return
    named = dict.fromkeys(LINK.findall(context["body"]))
    if not named:
        return
    known = definitions(app.env.get_doctree(GLOSSARY))
    data = json.dumps({name: known[name] for name in named if name in known}, ensure_ascii=False)
    safe = data.replace("<", "\\u003c")  # a definition must not end the script in which it stands
    context["body"] += f'<script type="application/json" id="course-terms">{safe}</script>'
    app.add_js_file("terms.js", loading_method="defer")
    app.add_css_file("terms.css")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Look at each page after its body is written."""
    app.connect("html-page-context", on_page)
    app.connect("env-get-outdated", pages_with_terms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def pages_with_terms(app: Sphinx, env: Any, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """All pages when the glossary has changed, since any of them may quote it."""
    return sorted(env.found_docs) if GLOSSARY in changed else []
