"""Which constructs of MyST a notebook has, and what to write in place of the others. What is in no table is refused."""

from __future__ import annotations

from html.parser import HTMLParser

AS_WRITTEN = {
    *("paragraph", "heading", "bullet_list", "ordered_list", "list_item", "blockquote", "hr", "code_block", "fence"),
    *("table", "thead", "tbody", "tr", "th", "td", "math_block", "html_block"),
    *("text", "text_special", "softbreak", "hardbreak", "code_inline", "em", "strong", "math_inline", "html_inline"),
    "image",
}
"""Blocks and marks that are the same in MyST and in a notebook."""
LEFT_OUT = {"myst_line_comment", "definition"}
"""Blocks that show nothing on the page: remarks, and the addresses of links, which go into the links."""
TITLES = {
    "note": "Note",
    "tip": "Tip",
    "hint": "Hint",
    "important": "Important",
    "warning": "Warning",
    "seealso": "See also",
}
"""The boxes that notebooks have, and what each is called there."""
HTML = {
    *("a", "abbr", "b", "blockquote", "br", "code", "dd", "del", "details", "div", "dl", "dt", "em", "h1", "h2", "h3"),
    *("hr", "i", "img", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "s", "small", "span", "strong", "sub"),
    *("summary", "sup", "table", "tbody", "td", "th", "thead", "tr", "u", "ul", "var"),
}
"""Tags that page, JupyterLab and Colab all show."""
CONTAINERS = {"bullet_list", "ordered_list", "list_item", "blockquote"}
"""Blocks in which other blocks stand."""
OF_ITS_OWN = {"myst_target", "directive", "link", "role"}
"""What has a form of its own in plain Markdown."""
SAID = {"text", "text_special", "math_inline", "role"}
"""Marks that are words."""
INSTEAD = {
    "amsmath": ("an environment of LaTeX", "write the formula between two lines `$$`"),
    "attrs_block": ("a line of attributes in braces", "leave it out"),
    "colon_fence": ("a fence of colons without a directive", "write `:::{note}`, or whatever it should be"),
    "dl": ("a definition list", "write a list, with the words in bold"),
    "field_list": ("a list of fields", "write a list or a table"),
    "footnote_ref": ("a footnote", "say it in the text, or in a folded box"),
    "footnote_reference": ("a footnote", "say it in the text, or in a folded box"),
    "math_block_label": ("a formula with a label", "leave the label out, and say in words which one is meant"),
    "myst_block_break": ("a cut `+++` in something else", "begin it at the left margin, outside of everything"),
    "s": ("text between tildes", "leave the tildes out"),
    "span": ("a span with attributes", "write the words alone"),
    "substitution_block": ("a substitution", "write the words themselves"),
    "substitution_inline": ("a substitution", "write the words themselves"),
}
"""What no notebook has: its name, and what to write in its place."""


class Tags(HTMLParser):
    """The tags of some HTML: their names, the addresses to which they lead, the images that they show."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.addresses: list[tuple[str, str]] = []
        self.images: list[tuple[str, str]] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        given = {name: value or "" for name, value in attrs}
        self.names.append(tag)
        self.addresses += [(name, given[name]) for name in ("href", "src") if name in given]
        if tag == "img":
            self.images.append((given.get("alt", "").strip(), given.get("src", "")))

    def handle_endtag(self, tag: str) -> None:
        """Note a tag that ends."""
        self.names.append(tag)
