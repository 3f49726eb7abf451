"""The course's own search: an index by section, exercise and term, which a page fetches when somebody searches.

Sphinx's index knows pages only, cuts code into words, and is fetched by every page. This one finds `jnp.where` and
`x.at[].set`, and leads to a heading. `search.js` splits a query as `tokens` splits a text, and forgives a slip of the
finger. What readers call a place that calls itself otherwise is declared in `book/search.yml`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

WORD = re.compile(r"[^\W\d]\w*")
CHAIN = re.compile(r"[a-z_]\w*(?:\[\])?(?:\.[a-z_]\w*(?:\[\])?)+")
"""Names with dots between them, such as `x.at[].set`."""
CALL = re.compile(r"\b[a-z_]\w*\((?:'\w+'|none)(?:, ?(?:'\w+'|none))*\)")
"""A call with nothing but names in it, such as `P('x', None)`."""
COMMON = frozenset(
    re.findall(
        r"\w+",
        """a about after also an and are as be because been before but by can do does for from had has have how if in
        into is it its may more most no not of on one only or other same so such than that the their them then there
        these they this those to two up was what when which who will with without you your""",
    )
)
"""Words on nearly every page."""
LEAD = 110
"""How many characters of a section are shown below its title."""
CALLED = "book/search.yml"
"""What readers call places: a label by each name."""
UNSEARCHED = "unsearched"
"""The class of a section of which the title is found, and nothing in it: as it holds answers."""
FEWEST, MOST = 2, 9
"""The length of the shortest word that is kept, and how often a word counts at most."""


def singular(word: str) -> str:
    """A word without the s of its plural.

    Example:
        >>> singular("strides"), singular("copies"), singular("class"), singular("axis")
        ('stride', 'copy', 'class', 'axi')
    """
    if len(word) < 4 or not word.endswith("s") or word.endswith("ss"):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") and len(word) > 4 else word[:-1]


def tokens(text: str) -> list[str]:
    """What can be searched for in a text: its words, names with dots, and calls with names in them.

    Example:
        >>> tokens("x.at[i].set(0) over P('x', None)")
        ['at', 'set', 'over', 'none', 'x.at[].set', 'at[].set', "p('x',none)"]
    """
    text = text.lower().replace('"', "'")
    flat = re.sub(r"\[[^\[\]]*\]", "[]", text)
    found = [word for word in WORD.findall(text) if len(word) >= FEWEST and word not in COMMON]
    return [*map(singular, found), *_names(flat), *(call.replace(" ", "") for call in CALL.findall(text))]


def _names(text: str) -> Iterator[str]:
    for chain in CHAIN.findall(text):
        parts = chain.split(".")
        yield from (".".join(parts[i:]) for i in range(len(parts) - 1))


@dataclass
class Place:
    """A place to which a search can lead.

    Args:
        page: The page, without its suffix.
        id: The anchor there; empty for the page itself.
        title: The heading, the exercise's title or the term.
        kind: `page`, `section`, `exercise` or `term`.
        text: All that stands there and belongs to no place below it.
        lead: What is shown below its title.
        labels: All by which it is referred to.
        called: What readers call it.
    """

    page: str
    id: str
    title: str
    kind: str
    text: list[str] = field(default_factory=list)
    lead: str = ""
    labels: tuple[str, ...] = ()
    called: list[str] = field(default_factory=list)


def places(page: str, doctree: nodes.document) -> list[Place]:
    """The places of a page, in order."""
    found: list[Place] = []
    for node in doctree.children:
        _visit(node, page, found)
    return [place for place in found if place.title]


def _visit(node: nodes.Node, page: str, found: list[Place]) -> None:
    """Take a node's text for the place in which it stands, or open a new place."""
    if isinstance(node, nodes.Text):
        return
    name = type(node).__name__
    if name in {"solution_node", "raw", "math", "math_block", "comment", "system_message", "substitution_definition"}:
        return
    if isinstance(node, nodes.Element) and node.get("nb_element") == "cell_code_output":
        return
    if new := _opened(node, page, bool(found)):
        outer = found[-1] if found else None
        found.append(new)
        if UNSEARCHED not in node.get("classes", ()):  # type: ignore[attr-defined]
            _inside(node, page, found)
        if outer and new.kind in {"exercise", "term"}:  # what follows belongs to the section again
            found.append(Place(page, outer.id, "", "rest", outer.text))
    elif not found or isinstance(node, nodes.title):
        return
    elif isinstance(node, nodes.paragraph | nodes.literal_block | nodes.term):
        words = " ".join(node.astext().split())
        found[-1].text.append(words)
        if isinstance(node, nodes.paragraph) and not found[-1].lead and not any(node.findall(nodes.math)):
            found[-1].lead = words if len(words) <= LEAD else f"{words[:LEAD].rsplit(' ', 1)[0]} …"
    else:
        _inside(node, page, found)


def _inside(node: nodes.Node, page: str, found: list[Place]) -> None:
    for child in node.children:
        _visit(child, page, found)


def _opened(node: nodes.Node, page: str, inner: bool) -> Place | None:
    """The place that a node opens, if it does."""
    title = next((child for child in node.children if isinstance(child, nodes.title)), None)
    words = title.astext() if title is not None else ""
    if type(node).__name__ in {"exercise_node", "exercise_enumerable_node"}:
        return Place(page, node["label"], words.removeprefix("Exercise").strip(), "exercise", labels=(node["label"],))
    if isinstance(node, nodes.definition_list_item):
        terms = [child for child in node.children if isinstance(child, nodes.term)]
        named = [term for term in terms if any(name.startswith("term-") for name in term["ids"])]
        return Place(page, named[0]["ids"][0], named[0].astext(), "term") if named else None
    if isinstance(node, nodes.section) and words and node["ids"]:
        kind, name = ("section", node["ids"][0]) if inner else ("page", "")
        return Place(page, name, words, kind, labels=tuple(node["ids"]))
    return None


def call(found: Sequence[Place], called: Mapping[str, str]) -> None:
    """Give places the names that readers have for them.

    Args:
        found: all places.
        called: a label by each name; one of a lesson that is not taught is no place's.
    """
    at = {label: place for place in found for label in place.labels}
    for name, label in called.items():
        if label in at:
            at[label].called.append(name)


def index(found: list[Place]) -> dict[str, Any]:
    """The index as `search.js` reads it: pages, places with their titles, and for each token where it stands."""
    pages = list(dict.fromkeys(place.page for place in found))
    names = {place.page: place.title for place in found if place.kind == "page"}
    terms: dict[str, list[int]] = {}
    for number, place in enumerate(found):
        counts = Counter(tokens(" \n ".join([place.title, *place.called, *place.text])))
        for token, count in counts.items():
            terms.setdefault(token, []).extend((number, min(count, MOST)))
    return {
        "pages": [[page, names.get(page, page)] for page in pages],
        "places": [[pages.index(one.page), one.id, one.title, one.kind, one.lead, *one.called] for one in found],
        "terms": dict(sorted(terms.items())),
    }


def replace_sphinx_index(app: Sphinx) -> None:
    """Leave Sphinx's own index away: no page needs it."""
    if app.builder.format == "html":
        app.builder.search = False  # type: ignore[attr-defined]


def search_page(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """The page on which one searches where the menu is out of reach."""
    yield "search", {"title": "Search"}, "search.html"


def write_index(app: Sphinx, error: Exception | None) -> None:
    """Write the index of all pages, unless it is there and newer than they are."""
    if error is not None or app.builder.format != "html":
        return
    path, names = Path(app.outdir, "_static", "search_index.js"), sorted(app.env.found_docs)
    called = Path(app.srcdir, CALLED)
    sources = [
        Path(__file__),
        *([called] if called.exists() else []),
        *(Path(app.doctreedir, f"{name}.doctree") for name in names),
    ]
    if path.exists() and path.stat().st_mtime > max(source.stat().st_mtime for source in sources):
        return
    found = [place for name in names for place in places(name, app.env.get_doctree(name))]
    call(found, yaml.safe_load(called.read_text(encoding="utf-8")) if called.exists() else {})
    text = json.dumps(index(found), ensure_ascii=False, separators=(",", ":"))
    path.write_text(f"window.courseIndex={text};\n", encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Put our search in the place of Sphinx's."""
    app.connect("builder-inited", replace_sphinx_index)
    app.connect("html-collect-pages", search_page)
    app.connect("build-finished", write_index)
    app.add_css_file("search.css")
    app.add_js_file("search.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
