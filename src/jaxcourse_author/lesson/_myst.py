"""MyST as a tree: what stands where in a page, as markdown-it finds it with the plugins that the site's parser has.

Nothing is judged here and nothing is left out: each line of a page belongs to a node, each node and each mark has the
name that markdown-it gives it, and both know their place in the text. Whoever reads a lesson knows some of the names,
and refuses the others.
"""

from __future__ import annotations

import bisect
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import yaml
from markdown_it.token import Token

from jaxcourse_author.lesson._inline import Mark, extra_of, marks_in, parser

BOXES = ("note", "tip", "hint", "important", "warning", "seealso", "attention", "caution", "danger", "error")
"""Directives that take no argument: what stands behind their name is the beginning of their text."""
_LOST = -2
"""The place of a table's cell that is not found in its line."""
_VERBATIM = {"code-cell", "code", "code-block", "math", "raw", "toctree", "bibliography", "literalinclude", "eval-rst"}
_VERBATIM |= {"sheet-cell"}  # which a sheet has for a cell of a lesson
"""Directives whose text is no MyST."""
_WHOLE = {"predict"}
"""Directives without options: a block between two lines `---` is theirs."""


class MystError(ValueError):
    """Something in a page has no place in its text: says in which line, and what."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")
        self.line, self.problem = line, problem


@dataclass(eq=False)
class Node:
    """A block of a page.

    Attributes:
        page: to which it belongs.
        type: markdown-it's name of it, without `_open`; `directive` for a fence with a name in braces.
        token: as markdown-it gives it.
        numbers: which lines of the page it is made of, counted from 0.
        start: where it begins in the page's text.
        name: a directive's, or a target's.
        argument: what stands behind a directive's name, or behind a fence.
        content: of what has words in a line: these, as they are written.
    """

    page: Page
    type: str
    token: Token
    numbers: Sequence[int]
    start: int
    name: str = ""
    argument: str = ""
    content: str = ""
    _inside: list[Node] = field(default_factory=list)
    _cell: int = -1

    @property
    def line(self) -> int:
        """The number of its first line, counted from 1."""
        return self.numbers[0] + 1

    @property
    def end(self) -> int:
        """Where its last line ends."""
        return self.page.starts[self.numbers[-1] + 1] - 1

    @property
    def level(self) -> int:
        """A heading's."""
        return int(self.token.tag.removeprefix("h") or 0) if self.type == "heading" else 0

    @property
    def extra(self) -> tuple[str, ...]:
        """The names of attributes that were given to it in braces."""
        return extra_of(self.type, self.token)

    @property
    def is_closed(self) -> bool:
        """Whether a fence has an end of its own, and is not ended by the end of the page."""
        last = self.page.lines[self.numbers[-1]].strip("> \t")
        return len(self.numbers) > 1 and len(last) >= len(self.token.markup) and not last.strip(self.token.markup[0])

    @property
    def span(self) -> tuple[int, int]:
        """Where its words begin and end."""
        return self.at(0), self.at(len(self.content))

    @cached_property
    def _options_and_lines(self) -> tuple[dict[str, Any], int]:
        return _options(self.token.content.split("\n"))

    @property
    def options(self) -> dict[str, Any]:
        """A directive's options: text, or lists of it."""
        return {} if self.name in _WHOLE else self._options_and_lines[0]

    @property
    def body(self) -> str:
        """A directive's text below its options."""
        skipped = 0 if self.name in _WHOLE else self._options_and_lines[1]
        return "\n".join(self.token.content.split("\n")[skipped:-1])

    @property
    def body_line(self) -> int:
        """The number of the line with which a directive's text begins."""
        return self.line + 1 + (0 if self.name in _WHOLE else self._options_and_lines[1])

    @cached_property
    def inside(self) -> list[Node]:
        """The nodes in it. In a directive they are those of its text, if that is MyST."""
        if self.type != "directive" or self.name in _VERBATIM:
            return self._inside
        skipped = self._options_and_lines[1]
        lines = self.token.content.split("\n")[skipped:-1]
        numbers = list(self.numbers[1 + skipped : 1 + skipped + len(lines)])
        if self.name in BOXES and self.argument:
            start = self.page.lines[self.numbers[0]].rindex(self.argument) + self.page.starts[self.numbers[0]]
            return _nodes(self.page, [self.argument, *lines], [self.numbers[0], *numbers], start)
        return _nodes(self.page, lines, numbers)

    def walk(self) -> Iterator[Node]:
        """Itself and all that is in it."""
        yield self
        for node in self.inside:
            yield from node.walk()

    @cached_property
    def marks(self) -> list[Mark]:
        """What stands in its lines, in order, with places in the page's text."""
        return [self._with_place(mark) for mark in marks_in(self.content, self.page.env)] if self.content else []

    def _with_place(self, mark: Mark) -> Mark:
        start, end, words = self.at(mark.start), self.at(mark.end), self.at(mark.words)
        source = self.page.text[start:end].partition("`")[2].strip("`")  # a role may go over several lines
        return replace(mark, start=start, end=end, words=words, text=source if mark.type == "role" else mark.text)

    def at(self, place: int) -> int:
        """Where in the page's text a place of its content is."""
        line = bisect.bisect_right(self._places, (place, len(self.page.text))) - 1
        begin, offset = self._places[line]
        bars = self.content[begin:place].count("|") if self.type in ("td", "th") else 0  # written with a backslash
        return offset + place - begin + bars

    @cached_property
    def _places(self) -> list[tuple[int, int]]:
        """Where each line of its content begins, in the content and in the page's text."""
        if self._cell == _LOST:
            raise MystError(self.line, f"the cell {self.content!r} is not found in it: write it in another way")
        if self._cell >= 0:
            return [(0, self._cell)]
        places, begin = [], 0
        for number, line in zip(self.numbers, self.content.split("\n"), strict=False):
            source = self.page.lines[number]
            if self.type == "heading" and self.token.markup.startswith("#"):
                column = source.index(line, source.index(self.token.markup) + self.level)
            elif source.rstrip().endswith(line.strip()):  # what containers write before a line is not in the content
                column = len(source.rstrip()) - len(line.rstrip())
            else:
                raise MystError(number + 1, f"{line.strip()!r} is not found in it: write it in another way")
            places.append((begin, self.page.starts[number] + column))
            begin += len(line) + 1
        return places


@dataclass(frozen=True)
class Heading:
    """A heading with what stands below it.

    Attributes:
        label: that stands before it; empty if it has none.
        title: as it is written.
        level: 1 for that of the page.
        line: its own, counted from 1.
        lines: from its label, or else itself, to the last line before a heading that is as high.
    """

    label: str
    title: str
    level: int
    line: int
    lines: range


class Page:
    """A page in MyST.

    Args:
        text: the source.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.env: dict[str, Any] = {}
        self.nodes = _nodes(self, self.lines, range(len(self.lines)))

    def line_of(self, place: int) -> int:
        """The number of the line in which a place of the text is, counted from 1."""
        return bisect.bisect_right(self.starts, place)

    def walk(self) -> Iterator[Node]:
        """All nodes, in order."""
        for node in self.nodes:
            yield from node.walk()

    @property
    def front(self) -> int:
        """How many lines its front matter takes."""
        return len(self.nodes[0].numbers) if self.nodes and self.nodes[0].type == "front_matter" else 0

    @cached_property
    def headings(self) -> list[Heading]:
        """The headings, those in lists, quotes and boxes left out."""
        found: list[tuple[Node, str, int]] = []
        label, top = "", 0
        for node in self.nodes:
            if node.type == "heading":
                found.append((node, label, top or node.line))
            if node.type == "myst_target":
                label, top = node.name, top or node.line
            elif node.type != "myst_line_comment":
                label, top = "", 0
        return [self._heading(i, found) for i in range(len(found))]

    def _heading(self, place: int, found: list[tuple[Node, str, int]]) -> Heading:
        node, label, top = found[place]
        later = (line for other, _, line in found[place + 1 :] if other.level <= node.level)
        return Heading(label, node.content, node.level, node.line, range(top, next(later, len(self.lines) + 1)))

    @cached_property
    def labels(self) -> list[str]:
        """The labels `(label)=`."""
        return [node.name for node in self.walk() if node.type == "myst_target"]

    @cached_property
    def titles(self) -> dict[str, str]:
        """The titles of the headings that have a label, by that label."""
        return {one.label: one.title for one in self.headings if one.label}

    def directives(self, *names: str) -> Iterator[Node]:
        """The directives of some names, or all."""
        return (node for node in self.walk() if node.type == "directive" and (not names or node.name in names))


page_of = functools.lru_cache(maxsize=128)(Page)
"""The page that a text is; the same text is read once."""


# -- blocks -----------------------------------------------------------------------------------------------------


def _nodes(page: Page, lines: Sequence[str], numbers: Sequence[int], start: int = -1) -> list[Node]:
    """The nodes that some lines are.

    Args:
        page: to which the lines belong.
        lines: without what may stand before them.
        numbers: which lines of the page they are.
        start: where the first one begins in the page's text, if that is not where its line begins.
    """
    root: list[Node] = []
    open_: list[Node] = []
    for token in parser().parse("\n".join(lines) + "\n", page.env):
        if token.type == "inline":
            _give(open_, token, numbers)
        elif token.nesting < 0:
            open_.pop()
        else:
            first, last = token.map or (0, 0)
            of = numbers[first : max(last, first + 1)] if token.map else open_[-1].numbers
            at = start if token.map and first == 0 and start >= 0 else page.starts[of[0]]
            node = _with_name(Node(page, token.type.removesuffix("_open"), token, of, at))
            (open_[-1]._inside if open_ else root).append(node)
            if token.nesting > 0:
                open_.append(node)
    return root


def _with_name(node: Node) -> Node:
    """A node with its name: the directive that a fence is, or the label that a target is."""
    if node.type in ("fence", "colon_fence"):
        first, _, rest = node.token.info.strip().partition(" ")
        if first.startswith("{") and first.endswith("}"):
            node.type, node.name, node.argument = "directive", first[1:-1], rest.strip()
            node.content = "" if node.name in {*BOXES, *_VERBATIM} else node.argument
        else:
            node.argument = node.token.info.strip()
    if node.type == "myst_target":
        node.name = node.token.content
    return node


def _give(open_: Sequence[Node], token: Token, numbers: Sequence[int]) -> None:
    """Give the innermost node the words that stand in it; several cells of a table share a line."""
    *_, node = open_
    node.content = token.content
    if node.type in ("td", "th") and token.map:
        node.numbers = [numbers[token.map[0]]]
        line, begin = node.page.lines[node.numbers[0]], node.page.starts[node.numbers[0]]
        before = [one for one in open_[-2]._inside if one is not node]
        written = token.content.replace("|", "\\|")
        place = line.find(written, before[-1]._cell - begin + len(before[-1].content) if before else 0)
        node._cell = begin + place if place >= 0 else _LOST


def _options(lines: Sequence[str]) -> tuple[dict[str, Any], int]:
    """A directive's options, and how many lines they are."""
    if lines[0].startswith("---"):
        end = next((i for i, line in enumerate(lines[1:], 1) if line.startswith("---")), len(lines) - 1)
        block, count = lines[1:end], end + 1
    else:
        count = next(i for i, line in enumerate(lines) if not _is_option(line))
        block = [line[1:] for line in lines[:count]]
    blank = count < len(lines) - 1 and not lines[count].strip()  # one may stand between options and text
    try:
        found = yaml.load("\n".join(block), Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        found = None
    if not isinstance(found, dict):
        found = {name: value.strip() for name, _, value in (line.partition(":") for line in block)}
    return found, count + blank


def _is_option(line: str) -> bool:
    name, colon, value = line[1:].partition(":")
    return line.startswith(":") and bool(colon) and name.replace("-", "").isalnum() and value[:1] in ("", " ")
