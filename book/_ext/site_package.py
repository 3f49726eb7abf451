"""The package's pages: where a lesson names a function of the package, as `bench.race`, the name leads to its page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.domains.python import PythonDomain
    from sphinx.util.typing import ExtensionMetadata

NAME = re.compile(r"(?:jaxcourse\.)?(?P<name>[a-z]\w*\.[A-Za-z]\w*)(?:\(.*\))?", re.DOTALL)


def named(code: str) -> str:
    """The package's name for what stands in a line of code alone; empty if it cannot be one.

    Example:
        >>> named("bench.race"), named("frames.ewma(com=9)"), named("x.sum()"), named("race")
        ('jaxcourse.bench.race', 'jaxcourse.frames.ewma', 'jaxcourse.x.sum', '')
    """
    found = NAME.fullmatch(code)
    return f"jaxcourse.{found['name']}" if found else ""


class NamesToPages(SphinxPostTransform):
    """Link each name of the package, once a section: a page in which every word is a link is not read."""

    default_priority = 400

    def run(self, **kwargs: object) -> None:
        """Look through a lesson."""
        if not self.env.docname.startswith("notebooks/"):
            return
        domain: PythonDomain = self.env.get_domain("py")  # type: ignore[assignment]
        linked: set[tuple[int, str]] = set()
        for literal in list(self.document.findall(nodes.literal)):
            name = named(literal.astext())
            known = domain.objects.get(name)
            if known is None or isinstance(literal.parent, nodes.reference) or _in_heading(literal):
                continue
            place = (id(_section(literal)), name)
            if place in linked:
                continue
            linked.add(place)
            builder, page = self.app.builder, self.env.docname
            link = make_refnode(
                builder, page, known.docname, known.node_id, literal.deepcopy(), f"{name}: what it takes"
            )
            literal.replace_self(link)


def _in_heading(node: nodes.Node) -> bool:
    return any(isinstance(above, (nodes.title, nodes.caption, nodes.rubric)) for above in _above(node))


def _section(node: nodes.Node) -> nodes.Node | None:
    return next((above for above in _above(node) if isinstance(above, nodes.section)), None)


def _above(node: nodes.Node) -> list[nodes.Node]:
    found, here = [], node.parent
    while here is not None:
        found.append(here)
        here = here.parent
    return found


def setup(app: Sphinx) -> ExtensionMetadata:
    """Look at each page before it is written."""
    app.add_post_transform(NamesToPages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
