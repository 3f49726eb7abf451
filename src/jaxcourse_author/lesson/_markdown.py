"""What each construct of MyST becomes in a notebook, which knows plain Markdown alone.

A text is copied letter for letter but for the edits that its constructs ask for. What is in none of the tables of
`_known` is refused, with its file and its line, so that nothing can be lost without a word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from html import escape
from pathlib import Path

from jaxcourse.course import Course
from jaxcourse_author.lesson._cells import Image, LessonError, Link, Part, Passage
from jaxcourse_author.lesson._edits import Edit, apply_edits, trimmed
from jaxcourse_author.lesson._inline import Mark
from jaxcourse_author.lesson._known import (
    AS_WRITTEN,
    CONTAINERS,
    HTML,
    INSTEAD,
    LEFT_OUT,
    OF_ITS_OWN,
    SAID,
    TITLES,
    Tags,
)
from jaxcourse_author.lesson._links import Links
from jaxcourse_author.lesson._myst import Node, Page
from jaxcourse_author.lesson.elsewhere import words_and_target
from jaxcourse_author.lesson.predictions import Box, PredictionError, read_box

_PASSAGES = ("paragraph", "heading", "tr", "fence")


class Plain:
    """Makes plain Markdown of a page's nodes.

    Args:
        path: the lesson's file.
        page: what is in it.
        course: to which it belongs.
    """

    def __init__(self, path: Path, page: Page, course: Course) -> None:
        self.path, self.page = path, page
        self.links = Links(path, course, {*page.labels})
        self._known: dict[Node, list[Edit]] = {}  # asked for twice: by a cell, and by its parts

    def text(self, nodes: Sequence[Node], start: int, end: int) -> str:
        """A stretch of the page, with all nodes that are in it."""
        return apply_edits(self.page.text, self._edits(nodes), start, end)

    def part(self, node: Node, target: Node | None = None) -> Part:
        """A node as a part of a cell, with the label before it."""
        first = target or node
        text = trimmed(self.text([first, node] if target else [node], first.start, node.end))
        title = self.text([node], *node.span).strip() if node.type == "heading" else ""
        folded = node.type == "directive" and _is_folded(node)
        return Part(
            kind=node.name if node.type == "directive" else node.type,
            text=text,
            line=first.line,
            label=first.name if first.type == "myst_target" else "",
            title=title,
            level=node.level,
            words=" ".join(_words(node)),
            paragraphs=tuple(self._paragraphs(node.inside if folded else [node])),
            links=tuple(self._links(node)),
            images=tuple(_images(node)),
            box=self.box(node) if node.name == "predict" else None,
            folded=folded,
            passages=tuple(map(self._passage, _passages(node))),
        )

    def title(self, node: Node) -> str:
        """What stands behind a directive's name, in plain Markdown."""
        return apply_edits(self.page.text, self._of_marks(node), *node.span)

    def error_at(self, node: Node, problem: str) -> LessonError:
        """What to raise where a node is not as it must be."""
        return LessonError(self.path, problem, node.line)

    # -- blocks -----------------------------------------------------------------------------------------------

    def _edits(self, nodes: Sequence[Node], outer: str = "") -> Iterator[Edit]:
        for before, node in zip([None, *nodes], nodes, strict=False):
            touches = self.page.lines[node.numbers[0] - 1].strip() != ""
            if before and touches and _need_gap(before.type, node.type):
                yield Edit(node.start, node.start, "\n")
            if node not in self._known:
                self._known[node] = list(self.edits(node, outer))
            yield from self._known[node]

    def edits(self, node: Node, outer: str = "") -> Iterator[Edit]:
        """What must be edited so that a node is plain Markdown.

        Args:
            node: a block.
            outer: what it stands in, if that is another block: its type, or a directive's name.

        Raises:
            LessonError: a notebook has no such thing.
        """
        self._require_plain(node.type, node.extra, node.line)
        if outer and (node.type in ("heading", "myst_target", "definition") or outer in CONTAINERS):
            self._require_at_margin(node, outer)
        if node.type in LEFT_OUT:
            yield Edit(node.start, node.end, "")
        elif node.type == "myst_target":
            yield Edit(node.start, node.end, f'<a id="{self._label(node)}"></a>')
        elif node.type == "directive":
            yield self._directive(node)
        else:
            self._require_as_written(node)
            yield from self._of_marks(node)
            for inner in node.inside:
                yield from self.edits(inner, node.type)

    def _require_plain(self, name: str, extra: Sequence[str], line: int) -> None:
        if name not in AS_WRITTEN | LEFT_OUT | OF_ITS_OWN:
            what, instead = INSTEAD.get(name, (f"`{name}`", "write it in another way"))
            raise LessonError(self.path, f"{what} has no form in plain Markdown: {instead}.", line)
        if extra:
            problem = f"the attributes {', '.join(extra)} in braces have no form in plain Markdown: leave them out."
            raise LessonError(self.path, problem, line)

    def _require_at_margin(self, node: Node, outer: str) -> None:
        place = {"list_item": "a list", "blockquote": "a quote"}.get(outer, f"{{{outer}}}")
        if node.type == "directive":
            problem = f"{node.token.markup}{{{node.name}}} is indented: begin it at the left margin."
            raise self.error_at(node, problem if outer == "list_item" else f"{{{node.name}}} stands in {place}.")
        what = {"heading": "a heading", "myst_target": f"the label `({node.name})=`", "definition": "a link's address"}
        if node.type in what:
            raise self.error_at(node, f"{what[node.type]} stands in {place}: begin it at the left margin.")

    def _label(self, node: Node) -> str:
        if not node.name.replace("-", "").replace("_", "").isalnum():
            raise self.error_at(node, f"the label `({node.name})=` takes letters, digits and hyphens: write it so.")
        return node.name

    def _require_as_written(self, node: Node) -> None:
        source, markup = self.page.text[node.start : node.end], node.token.markup
        if node.type == "heading" and not markup.startswith("#"):
            raise self.error_at(node, f"a heading is underlined: write `{'#' * node.level} {node.content}`.")
        if node.type == "fence" and not node.is_closed:
            raise self.error_at(node, f"the fence {markup}{node.argument} is never closed: end it with `{markup}`.")
        if node.type == "fence" and node.argument.startswith("{"):
            problem = f"the fence {markup}{node.argument} is no directive: write its name in braces, and a space."
            raise self.error_at(node, problem)
        if node.type == "math_block" and not all(line.strip() for line in source.splitlines()):
            raise self.error_at(node, "a formula has an empty line, at which notebooks end it: leave that out.")
        if node.type == "list_item" and _is_task(node):
            raise self.error_at(node, "a list of tasks has no form on the page: write a list.")
        if node.type == "html_block":
            self._require_html(source, node.line)

    def _require_html(self, source: str, line: int) -> None:
        tags = Tags(source)
        for tag in tags.names:
            if tag not in HTML:
                problem = f"the HTML <{tag}> is not shown everywhere: write Markdown, or show it by a cell."
                raise LessonError(self.path, problem, line)
        for name, address in tags.addresses:
            if name == "href":
                self.links.require_far(address, line)

    # -- lines ------------------------------------------------------------------------------------------------

    def _of_marks(self, node: Node) -> Iterator[Edit]:
        for mark in node.marks:
            line = self.page.line_of(mark.start)
            self._require_plain(mark.type, mark.extra, line)
            if mark.type == "hardbreak" and self.page.text[mark.start] != "\\":
                raise LessonError(self.path, "a line ends in spaces, which nobody sees: end it with `\\`.", line)
            if mark.type == "html_inline":
                self._require_html(mark.text, line)
            if mark.type == "role" and node.type in ("td", "th") and "|" in mark.text:
                raise LessonError(self.path, f"{mark.text!r} has a bar in a table: say it without one.", line)
            yield from self.links.edits(mark, line)

    # -- directives -------------------------------------------------------------------------------------------

    def _directive(self, node: Node) -> Edit:
        make = self._makers.get(node.name)
        if not make:
            problem = f"the directive {{{node.name}}} has no form in plain Markdown: use another, or teach it to "
            raise self.error_at(node, f"{problem}`lesson/_markdown.py`.")
        if self.page.text[node.start].isspace():
            raise self.error_at(node, f"{node.token.markup}{{{node.name}}} is indented: begin it at the left margin.")
        self.require_closed(node)
        return Edit(node.start, node.end, make(node))

    @cached_property
    def _makers(self) -> dict[str, Callable[[Node], str]]:
        boxes = dict.fromkeys(TITLES, self._admonition)
        return {**boxes, "admonition": self._admonition, "math": self._math, "predict": self._predict}

    def require_closed(self, node: Node) -> None:
        """Refuse a directive that goes on to the end of the page."""
        if not node.is_closed:
            raise self.error_at(node, f"{{{node.name}}} is never closed: end it with `{node.token.markup}`.")

    def require_options(self, node: Node, **known: Sequence[str]) -> None:
        """Refuse what else a directive says of itself.

        Args:
            node: the directive.
            known: by the name of an option the words that it can have; any, if there are none.
        """
        for name, value in node.options.items():
            if name not in known:
                takes = f"it takes {', '.join(f'`:{one}:`' for one in known)}" if known else "it takes none"
                raise self.error_at(node, f"{{{node.name}}} has the option `:{name}:`: {takes}.")
            if known[name] and not {*value.split()} <= {*known[name]}:
                values = " or ".join(f"`{one}`" for one in known[name])
                raise self.error_at(node, f"{{{node.name}}} has `:{name}: {value}`: it takes {values}, or none.")

    def _admonition(self, node: Node) -> str:
        self.require_options(node, **{"class": ("dropdown", *TITLES)})
        if node.name == "admonition" and not node.argument:
            raise self.error_at(node, "{admonition} has no title: write it behind its name, or write {note}.")
        if node.name == "admonition" and node.argument == "Predict":
            raise self.error_at(node, "a prediction box is written {predict}, so that it has a form on the page.")
        if node.name != "admonition" and node.argument and node.options:
            problem = f"{{{node.name}}} has both words behind its name and options: write the words below the options."
            raise self.error_at(node, problem)
        title = TITLES[node.name] if node.name in TITLES else self.title(node)
        return self._quote(node, title, node.inside, _is_folded(node))

    def _predict(self, node: Node) -> str:
        self.box(node)
        return self._quote(node, "Predict", node.inside, folded=False)

    def box(self, node: Node) -> Box:
        """What a prediction box declares."""
        if node.argument:
            raise self.error_at(
                node, "a prediction box has words behind its name: write its question below its fields."
            )
        try:
            return read_box(node.body)
        except PredictionError as error:
            raise self.error_at(node, f"a prediction box: {error}") from error

    def _math(self, node: Node) -> str:
        self.require_options(node)
        if node.argument or not all(line.strip() for line in node.body.strip().splitlines()):
            problem = "{math} has words behind its name, or an empty line: write the formula below it, in one piece."
            raise self.error_at(node, problem)
        return f"$$\n{node.body.strip()}\n$$"

    def _quote(self, node: Node, title: str, inside: list[Node], folded: bool) -> str:
        begin, end = (inside[0].start, inside[-1].end) if inside else (0, 0)
        body = trimmed(apply_edits(self.page.text, self._edits(inside, node.name), begin, end))
        if not body:
            raise self.error_at(node, f"{{{node.name}}} is empty: write something in it, or remove it.")
        if folded:
            return f"<details><summary>{escape(title, quote=False)}</summary>\n\n{body}\n\n</details>"
        first = next((inner.type for inner in inside if inner.type not in LEFT_OUT), "")
        gap = " " if first == "paragraph" else "\n\n"
        return "\n".join(f"> {line}" if line.strip() else ">" for line in f"**{title}.**{gap}{body}".split("\n"))

    # -- what is in a part --------------------------------------------------------------------------------------

    def _paragraphs(self, nodes: Sequence[Node]) -> Iterator[str]:
        return (self.text([one], one.start, one.end).strip() for one in nodes if one.type == "paragraph")

    def _passage(self, node: Node) -> Passage:
        inside = list(node.walk()) if node.type == "tr" else [node]
        marks = [mark for one in inside for mark in one.marks]
        words = " ".join("".join(_words_of(mark) if mark.type in SAID else " " for mark in one.marks) for one in inside)
        code = [node.token.content] if node.type == "fence" else [m.text for m in marks if m.type == "code_inline"]
        links = (self.links.link(mark, node.line) for mark in marks)
        labels = tuple(link.label for link in links if link and link.label)
        terms = tuple(words_and_target(mark.text)[1] for mark in marks if (mark.type, mark.name) == ("role", "term"))
        return Passage(node.line, words, tuple(code), labels, terms)

    def _links(self, node: Node) -> Iterator[Link]:
        for inner in node.walk():
            for mark in inner.marks:
                if link := self.links.link(mark, self.page.line_of(mark.start)):
                    yield link


def _need_gap(before: str, after: str) -> bool:
    """Whether two blocks that touch need an empty line between them: or one, a quote or an anchor, would go on."""
    is_label = before == "myst_target" and after not in ("myst_target", "heading", "paragraph")
    return is_label or "directive" in (before, after)


def _is_folded(node: Node) -> bool:
    return "dropdown" in node.options.get("class", "").split()


def _is_task(node: Node) -> bool:
    words = next((inner.content for inner in node.inside), "")
    return words[:4].lower() in ("[ ] ", "[x] ")


def _passages(node: Node) -> Iterator[Node]:
    """What says one thing in a node, itself or inside it; a directive's title is one as well."""
    if node.type in _PASSAGES or (node.type == "directive" and node.content):
        yield node
    if node.type not in _PASSAGES:
        for inner in node.inside:
            yield from _passages(inner)


def _words_of(mark: Mark) -> str:
    """What a mark says; of a role its words alone."""
    return (words_and_target(mark.text)[0] or mark.text) if mark.type == "role" else mark.text


def _words(node: Node) -> Iterator[str]:
    """What a node says in words."""
    for inner in node.walk():
        yield "".join(mark.text if mark.type in SAID else " " for mark in inner.marks)


def _images(node: Node) -> Iterator[Image]:
    """The images in a node, those in HTML too."""
    for inner in node.walk():
        for mark in inner.marks:
            line = node.page.line_of(mark.start)
            if mark.type == "image":
                yield Image(mark.text.strip(), mark.to, line)
            if mark.type == "html_inline":
                yield from (Image(*one, line) for one in Tags(mark.text).images)
        if inner.type == "html_block":
            yield from (Image(*one, inner.line) for one in Tags(inner.token.content).images)
