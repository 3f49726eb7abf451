"""Formulas as MathML, which every current browser renders itself: no script and no network."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, NoReturn

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata
    from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)

KNOWN_LATEX = "https://docutils.sourceforge.io/docs/ref/rst/mathematics.html"

PAIRS = (
    ("{", r"(?<!\\)\{", "}", r"(?<!\\)\}"),
    (r"\begin", r"\\begin\b", r"\end", r"\\end\b"),
    (r"\left", r"\\left(?![a-zA-Z])", r"\right", r"\\right(?![a-zA-Z])"),
)


def require_balance(tex: str) -> None:
    """Raise `MathError` where something is opened and not closed, which docutils lets pass."""
    without_line_ends = tex.replace(r"\\", " ")
    for opening, opening_pattern, closing, closing_pattern in PAIRS:
        opened, closed = (len(re.findall(p, without_line_ends)) for p in (opening_pattern, closing_pattern))
        if opened != closed:
            raise MathError(f'{opened} "{opening}" but {closed} "{closing}".')


def to_mathml(tex: str, *, block: bool = False) -> str:
    r"""Convert a formula.

    Args:
        tex: LaTeX without dollar signs. `&` and `\\` align a block; a blank line separates two formulas.
        block: whether the formula is displayed, on lines of its own.

    Returns:
        One `<math>` element for each formula.

    Raises:
        MathError: if the formula is incomplete or uses LaTeX that docutils does not know.
    """
    require_balance(tex)
    formulas = [part for part in re.split(r"\n\s*\n", tex) if part.strip()]
    try:
        mathml = "\n".join(tex2mathml(formula, as_block=block) for formula in formulas)
    except (AttributeError, IndexError) as error:  # what docutils raises for a stray `&` or `\limits`
        raise MathError("Misplaced command or alignment mark.") from error
    mathml = mathml.replace("\u02c9", "\u00af")  # docutils' macron, which mathematical fonts do not have
    # Beside an `<mtext>` alone an operator stands without space: https://www.w3.org/TR/mathml-core/#embellished-operators
    return re.sub(r"<mtext>(.*?)</mtext>", r'<mi mathvariant="normal">\1</mi>', mathml)


def typeset(node: nodes.math | nodes.math_block, *, block: bool = False) -> str:
    """Return the formula of `node` as MathML or, with a warning that names it, as its source."""
    tex = node.astext()
    try:
        return to_mathml(tex, block=block)
    except MathError as error:
        message = "cannot set the formula `%s`: %s See %s"
        logger.warning(message, tex, error, KNOWN_LATEX, location=node, type="mathml")
        return f"<code>{escape(tex)}</code>"


def visit_math(self: HTML5Translator, node: nodes.math) -> NoReturn:
    """Write a formula that stands within a line."""
    self.body.append(f"{self.starttag(node, 'span', '', CLASS='math notranslate')}{typeset(node)}</span>")
    raise nodes.SkipNode


def visit_math_block(self: HTML5Translator, node: nodes.math_block) -> NoReturn:
    """Write a displayed formula and, where it has a label, its number."""
    self.body.append(self.starttag(node, "div", CLASS="math notranslate"))
    # A wide formula scrolls in its box on a narrow screen, and whoever has no mouse must be able to get there.
    self.body.append(f'<div class="formula" tabindex="0">{typeset(node, block=True)}</div>')
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, _("Link to this equation"))
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the renderer; `html_math_renderer: mathml` selects it."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
