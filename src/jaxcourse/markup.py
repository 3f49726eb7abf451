r"""The small markup of verdicts: what it is, and how each place that shows a verdict renders it.

In a line there are `code` between backticks, **strong** and *emphasised* words. A text has paragraphs, which an empty
line ends; tables, whose rows begin with `|`, and in which strong is what differs; and code between two lines of three
backticks. Nothing else is markup: asterisks of arithmetic are asterisks, and code is as it stands.

On the site, `book/_static/markup.js` does for a line what `marked` does here, by the same pattern.
"""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

WIDTH = 100
"""Characters of a line of plain text."""

QUOTED = 62
"""Characters of a student's line that a verdict quotes: the rest would hide what it says."""

_INSIDE = r"((?=\S)(?:`[^`]+`|[^*`\s]|\s(?!\s*\*))+)"
PATTERN = (
    r"(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)"  # code, between as many backticks on both sides
    r"|\w\*+"  # an asterisk behind a letter or a digit is one, and begins nothing
    rf"|\*\*{_INSIDE}\*\*"
    rf"|\*{_INSIDE}\*(?![\w*])"
)
"""What is markup in a line. Python and JavaScript read it alike."""
_TOKEN = re.compile(PATTERN)
_BAR = re.compile(r"(`+)(?:[^`]|[^`][\s\S]*?[^`])\1(?!`)|\|")
_FENCE = "```"

Kind = Literal["text", "code", "strong", "emphasis"]


@dataclass(frozen=True)
class Span:
    """A piece of a line: a text or code, or spans that are strong or emphasised; `source` is code with its fences."""

    kind: Kind
    text: str = ""
    inside: tuple[Span, ...] = ()
    source: str = ""


def spans(text: str) -> list[Span]:
    """A line as its pieces.

    Example:
        >>> [(span.kind, span.text) for span in spans("Of `a * b` and 2*3*4")]
        [('text', 'Of '), ('code', 'a * b'), ('text', ' and 2*3*4')]
        >>> spans("**So `x`**")[0].inside[1]
        Span(kind='code', text='x', inside=(), source='`x`')
    """
    found: list[Span] = []
    end = 0
    for match in _TOKEN.finditer(text):
        _, code, strong, emphasis = match.groups()
        if not (code or strong or emphasis):
            continue
        found += [Span("text", text[end : match.start()])] if match.start() > end else []
        if code:
            found.append(Span("code", _unpadded(code), source=match[0]))
        else:
            found.append(Span("strong" if strong else "emphasis", inside=tuple(spans(strong or emphasis))))
        end = match.end()
    return found + ([Span("text", text[end:])] if text[end:] else [])


def _unpadded(code: str) -> str:
    """Code without the space on both sides that keeps backticks at its ends from its fences."""
    return code[1:-1] if code[:1] == code[-1:] == " " and code.strip() else code


# -- to write it ------------------------------------------------------------------------------------------------


def code(text: str) -> str:
    """A text as code, whatever is in it: between more backticks than it has, and in one line.

    Example:
        >>> code("a * b"), code("`"), code("")
        ('`a * b`', '`` ` ``', '')
    """
    text = " ".join(text.splitlines())
    if not text:
        return ""
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    padding = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{fence}{padding}{text}{padding}{fence}"


def quoted(line: str) -> str:
    """A line of a student's code, as code: of a long one the beginning, which is enough to find it.

    It ends with an ellipsis, behind the last space in the last third, or else behind the last dot, comma or bracket.

    Example:
        >>> quoted("return x / 0")
        '`return x / 0`'
        >>> quoted("return jax.tree.map(lambda p, g: p - rate * g, parameters, jax.grad(loss)(parameters, x))")
        '`return jax.tree.map(lambda p, g: p - rate * g, parameters, …`'
        >>> quoted("seed=np.random.default_rng(np.asarray(jax.random.key_data(key))).standard_normal(x.shape)")
        '`seed=np.random.default_rng(np.asarray(jax.random.key_data(…`'
    """
    if len(line) <= QUOTED:
        return code(line)
    begin = line[: QUOTED - 1]
    ends = [max((found.end() for found in re.finditer(sign, begin)), default=0) for sign in (r"\s", r"\W")]
    end = next((end for end in ends if 3 * end >= 2 * QUOTED), len(begin))
    return code(f"{begin[:end]}…")


def literal(text: str) -> str:
    """A stranger's text, of which nothing may be lost: as it is where that holds no emphasis, or else as code.

    Example:
        >>> literal("unknown `axis`"), literal("f() got *args* twice")
        ('unknown `axis`', '`f() got *args* twice`')
    """
    return code(text) if any(span.inside for span in spans(text)) else text


def table(rows: Iterable[Sequence[str]]) -> str:
    """Rows of cells, in markup, as a table in markup. A row whose first cell is empty goes on with the one above it."""
    return "\n".join(f"| {' | '.join(cell.strip() and cell for cell in row)} |" for row in rows)


# -- to read it -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """A part of a text: a paragraph or code in `text`, or a table in `rows`, each cell by its lines."""

    kind: Literal["paragraph", "table", "code"]
    text: str = ""
    rows: tuple[tuple[tuple[str, ...], ...], ...] = ()


def blocks(text: str) -> Iterator[Block]:
    r"""A text as its parts.

    Example:
        >>> [block.kind for block in blocks("Look:\n\n| `x` | `3` |\n| got | **`4`** |\n\n```\nx = 3\n```")]
        ['paragraph', 'table', 'code']
    """
    lines = text.splitlines()
    while lines:
        if not lines[0].strip():
            lines.pop(0)
        elif lines[0].strip() == _FENCE:
            inside = _take_while(lines[1:], lambda line: line.strip() != _FENCE)
            yield Block("code", "\n".join(inside))
            lines = lines[len(inside) + 2 :]
        else:
            kind = _kind(lines[0])
            part = _take_while(lines, lambda line: _kind(line) == kind)  # noqa: B023, it is called at once
            yield _table(part) if kind == "row" else Block("paragraph", " ".join(map(str.strip, part)))
            lines = lines[len(part) :]


def _kind(line: str) -> str:
    return "row" if line.startswith("| ") else "" if line.strip() in ("", _FENCE) else "words"


def _take_while(lines: Sequence[str], goes_on: Callable[[str], bool]) -> list[str]:
    end = next((i for i, line in enumerate(lines) if not goes_on(line)), len(lines))
    return list(lines[:end])


def _table(lines: Iterable[str]) -> Block:
    rows: list[list[list[str]]] = []
    for line in lines:
        cells = _cells(line)
        if cells[0] or not rows:
            rows.append([[cell] for cell in cells])
            continue
        for lines_of, cell in zip(rows[-1][1:], cells[1:], strict=False):
            lines_of.append(cell)
    return Block("table", rows=tuple(tuple(tuple(cell) for cell in row) for row in rows))


def _cells(line: str) -> list[str]:
    """The cells of a row: a bar in code is no border."""
    cells, start = [], 1
    for match in _BAR.finditer(line, 1):
        if match[0] == "|":
            cells.append(line[start : match.start()].strip())
            start = match.end()
    return cells or [line[1:].strip()]


# -- to show it -------------------------------------------------------------------------------------------------


def marked(text: str) -> str:
    """A line as HTML, escaped.

    Example:
        >>> marked("**So** *not* `a**2 < b**2`")
        '<strong>So</strong> <em>not</em> <code>a**2 &lt; b**2</code>'
    """
    return "".join(map(_span_html, spans(text)))


def _span_html(span: Span, strong: str = "strong") -> str:
    text = html.escape(span.text, quote=False) + "".join(map(_span_html, span.inside))
    tag = {"text": "", "code": "code", "strong": strong, "emphasis": "em"}[span.kind]
    return f"<{tag}>{text}</{tag}>" if tag else text


def as_html(text: str) -> str:
    r"""A text as HTML: paragraphs, tables and code, without a style of their own.

    Example:
        >>> as_html("| got | `1, `**`2`** |")
        '<div class="scrolls"><table><tr><th scope="row">got</th><td><code>1, </code><mark>...2...
    """
    return "".join(map(_block_html, blocks(text)))


def _block_html(block: Block) -> str:
    if block.kind == "paragraph":
        return f"<p>{marked(block.text)}</p>"
    if block.kind == "code":
        return f"<pre><code>{html.escape(block.text, quote=False)}</code></pre>"
    # A table scrolls in a box around it: one that is itself a block is no table to a screen reader.
    return f'<div class="scrolls"><table>{"".join(map(_row_html, block.rows))}</table></div>'


def _row_html(row: Sequence[Sequence[str]]) -> str:
    first, *others = ("<br>".join(map(_cell_html, cell)) for cell in row)
    return f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in others)}</tr>'


def _cell_html(line: str) -> str:
    return "".join(_span_html(span, strong="mark") for span in spans(line))


def plain(text: str) -> str:
    """A line for where nothing can be emphasised: code keeps its backticks, which tell it from words.

    Example:
        >>> plain("*Not* `a * b * c`")
        'Not `a * b * c`'
    """
    return "".join(map(_plain_span, spans(text)))


def _plain_span(span: Span) -> str:
    return span.source or span.text + "".join(map(_plain_span, span.inside))


def as_text(text: str, width: int = WIDTH, indent: str = "") -> str:
    r"""A text for a terminal: paragraphs are wrapped, and `^` stands below what is strong in a table.

    Example:
        >>> print(as_text("Look:\n| `x` | `[1, 3]` |\n| got | `[1, `**`2`**`]` |"))
        Look:
          x    [1, 3]
          got  [1, 2]
                   ^
    """
    return "\n".join(line for block in blocks(text) for line in _block_text(block, width, indent))


def _block_text(block: Block, width: int, indent: str) -> list[str]:
    if block.kind == "paragraph":
        return textwrap.wrap(
            plain(block.text), width, initial_indent=indent, subsequent_indent=indent, break_long_words=True
        )
    lines = block.text.splitlines() if block.kind == "code" else _table_text(block)
    return [f"{indent}  {line}" for line in lines]


def _table_text(block: Block) -> list[str]:
    """A table in columns. A line of `^` below a line shows what is strong in it."""
    columns = range(max(map(len, block.rows)))
    texts = [[[_cell_and_marks(line) for line in cell] for cell in row] for row in block.rows]
    widths = [max(len(words) for row in texts for words, _ in row[i]) for i in columns]
    lines = []
    for row in texts:
        for i in range(max(map(len, row))):
            cells = [cell[i] if i < len(cell) else ("", "") for cell in row]
            for drawn in zip(*cells, strict=True):
                lines.append("  ".join(map(str.ljust, drawn, widths)).rstrip())
    return [line for line in lines if line]


def _cell_and_marks(line: str) -> tuple[str, str]:
    """A line of a cell, and the line of marks below it."""
    words = marks = ""
    for span in spans(line):
        text = span.text + "".join(one.text for one in span.inside)
        words += text
        marks += ("^" if span.kind == "strong" else " ") * len(text)
    return words, marks


def summary(text: str) -> str:
    r"""The words of a text, in one line and still in markup: without its tables and its code.

    Example:
        >>> summary("Look at *all*. A small counterexample:\n\n| `x` | `3` |\n\nSo.")
        'Look at *all*. A small counterexample: So.'
    """
    found = list(blocks(text))
    has_words_alone = all(block.kind == "paragraph" for block in found)
    return text if has_words_alone else " ".join(block.text for block in found if block.kind == "paragraph")
