"""The parser of MyST, and what it finds in a line of text: words, code, links, roles, formulas."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.amsmath import amsmath_plugin
from mdit_py_plugins.attrs import attrs_block_plugin, attrs_plugin
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.field_list import fieldlist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin
from mdit_py_plugins.myst_role import myst_role_plugin
from mdit_py_plugins.substitution import substitution_plugin

_EXPECTED = {
    "link": {"href", "title"},
    "image": {"src", "alt", "title"},
    "ordered_list": {"start"},
    "th": {"style"},
    "td": {"style"},
    "myst_target": {"class"},
    "myst_line_comment": {"class"},
    "myst_block_break": {"class"},
}
"""Attributes that follow from a construct itself. Others were written in braces."""


@dataclass(frozen=True)
class Mark:
    """Something in a line of text: a word, code, a link, a role, a formula, a line's end.

    Attributes:
        type: markdown-it's name of it, without `_open`.
        text: what it says: of a role what stands between its backticks, of an image its alternative text.
        start: where it begins: in the text that it was found in, or in the whole page.
        end: where it ends there.
        name: a role's.
        to: where a link or an image leads.
        title: of a link or an image.
        words: where the words of a link or an image end.
        by_label: whether a link's address stands elsewhere, at its label.
        markup: what it is written with.
        extra: the names of attributes that were given to it in braces.
    """

    type: str
    text: str
    start: int
    end: int
    name: str = ""
    to: str = ""
    title: str = ""
    words: int = 0
    by_label: bool = False
    markup: str = ""
    extra: tuple[str, ...] = ()


def marks_in(text: str, env: dict[str, Any]) -> Iterator[Mark]:
    """What stands in some lines of text.

    Args:
        text: the lines, without what containers write before them.
        env: what markdown-it knows of their page: the addresses of links.
    """
    for token in (one for one in parser().inline.parse(text, parser(), env, []) if one.nesting >= 0):
        name = token.type.removesuffix("_open").removeprefix("myst_")
        start, end, words = token.meta.get("place", (0, 0, 0)) if name != "text" else (0, 0, 0)
        yield Mark(
            name,
            token.content,
            start,
            end,
            name=token.meta.get("name", ""),
            to=str(token.attrs.get("href", token.attrs.get("src", ""))),
            title=str(token.attrs.get("title", "")),
            words=words,
            by_label="label" in token.meta,
            markup=token.markup,
            extra=extra_of(name, token),
        )


def means_itself(words: str) -> str:
    r"""Some words as Markdown that says them letter for letter, as those of a link, too.

    Example:
        >>> print(means_itself("how x[0] works"), means_itself("from 2*a to *b*"))
        how x[0] works from 2\*a to \*b\*
    """
    tokens = parser().inline.parse(f"[{words}](to)", parser(), {}, [])
    kinds = [token.type for token in tokens]
    said = "".join("\n" if token.type == "softbreak" else token.content for token in tokens)
    if said == words and kinds[:1] + kinds[-1:] == ["link_open", "link_close"] and {*kinds[1:-1]} <= _WORDS:
        return words
    return "".join(f"\\{sign}" if sign in _SIGNS else sign for sign in words)


_WORDS = {"text", "softbreak"}
_SIGNS = set("\\`*_{}[]<>$~!&")
"""What means something in a line of Markdown."""


def extra_of(name: str, token: Token) -> tuple[str, ...]:
    """The names of attributes that were given to a token in braces."""
    return tuple(sorted({*token.attrs, *token.meta.get("insecure_attrs", ())} - _EXPECTED.get(name, set())))


Rule = Callable[[StateInline, bool], bool]


def _noting(rule: Rule) -> Rule:
    """A rule of markdown-it's for what stands in a line, which also notes where that begins and ends."""

    def noted(state: StateInline, silent: bool) -> bool:
        start, before = state.pos, len(state.tokens)
        if not rule(state, silent):
            return False
        for token in state.tokens[before:] if not silent else ():
            bracket = start + (token.type == "image")
            has_words = token.type in ("link_open", "image") and token.info != "auto"
            words = state.md.helpers.parseLinkLabel(state, bracket, token.type == "link_open") if has_words else 0
            token.meta.setdefault("place", (start, state.pos, words))
        return True

    return noted


@functools.cache
def parser() -> MarkdownIt:
    """The site's parser, which also finds what the site takes for plain words and other programs do not."""
    parser = MarkdownIt("commonmark", {"store_labels": True, "inline_definitions": True})
    parser.enable(["table", "strikethrough"])
    parser.use(front_matter_plugin).use(myst_block_plugin).use(myst_role_plugin).use(footnote_plugin)
    parser.disable(["footnote_inline", "footnote_tail", "inline", "text_join"])
    parser.use(dollarmath_plugin, allow_labels=True, allow_space=True, allow_digits=True, double_inline=False)
    parser.use(colon_fence_plugin).use(amsmath_plugin).use(deflist_plugin)
    parser.use(fieldlist_plugin).use(substitution_plugin)
    after = ("image", "code_inline", "link_close", "span_close")
    parser.use(attrs_plugin, after=after, spans=True, span_after="footnote_ref").use(attrs_block_plugin)
    parser.core.ruler.disable(["attr"])  # or a line in braces would be lost
    names = parser.get_active_rules()["inline"]
    for name, rule in zip(names, parser.inline.ruler.getRules(""), strict=True):
        parser.inline.ruler.at(name, _noting(rule))
    return parser
