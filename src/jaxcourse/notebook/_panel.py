"""How a verdict, a hint or a solution looks: HTML in a notebook, plain text in a terminal."""

from __future__ import annotations

import html
import re
import sys
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxcourse.course import Lesson
    from jaxcourse.exercise import Verdict

_HEADS = {
    "passed": ("✓", "passed", "#2e8b57"),
    "wrong": ("✗", "not yet", "#c2703d"),
    "error": ("!", "your code raised an exception", "#c2703d"),
    "not_attempted": ("○", "not attempted", "#7a869a"),
}
_SHOWN = 200
"""How many characters of printed output a panel repeats."""


@dataclass(frozen=True)
class Panel:
    """Something to show, in both forms."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def show(panel: Panel) -> None:
    """Show a panel: displayed under IPython, printed elsewhere."""
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ImportError:
        _print(panel.text)
        return
    if get_ipython() is None:
        _print(panel.text)
    else:
        display(panel)


def _print(text: str) -> None:
    """Print, with a question mark for whatever the terminal's encoding does not have."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding))


def of_verdict(lesson: Lesson, verdict: Verdict, solved: list[str]) -> Panel:
    """The panel of a verdict: what was found, on which call, where to read again, and how much is solved."""
    symbol, words, colour = _HEADS[verdict.status]
    head = f"{symbol} {verdict.exercise}: {words}"
    if verdict.status == "wrong":
        head += f" ({verdict.label})"
    lines = [verdict.message, *_call(verdict), *_printed(verdict)]
    title, address = lesson.section(verdict.see) if verdict.see else ("", "")
    again = f"Read again: “{title}”" if title else ""
    stuck = "" if verdict.status == "passed" else f'Stuck? `hint("{verdict.exercise}")`'
    progress = _progress(lesson, solved)
    foot = [part for part in (again, stuck, progress) if part]
    text = "\n".join([head, *(_wrap(line) for line in [*lines, *foot] if line)])
    body = "".join(f"<div>{marked(line)}</div>" for line in lines if line)
    link = f'<a href="{html.escape(address)}" target="_blank" rel="noopener">{marked(title)}</a>'
    below = " · ".join(marked(part).replace(f"“{marked(title)}”", f"“{link}”") for part in foot)
    return Panel(_box(colour, f"<strong>{marked(head)}</strong>{body}<small>{below}</small>"), text)


def _call(verdict: Verdict) -> list[str]:
    if verdict.status == "passed" or not verdict.called:
        return []
    returned = f" returned `{verdict.returned}`" if verdict.returned else ""
    return [f"`{verdict.called}`{returned}" if returned else f"The call was `{verdict.called}`."]


def _printed(verdict: Verdict) -> list[str]:
    if not verdict.printed_total:
        return []
    if verdict.printed_total <= _SHOWN:
        return [f"While it was checked, your code printed: {verdict.printed.strip()}"]
    begin = f"{verdict.printed.strip()[:_SHOWN]} …"
    return [f"While it was checked, your code printed {verdict.printed_total:,} characters, which begin: {begin}"]


def _progress(lesson: Lesson, solved: list[str]) -> str:
    count, total = len(solved), len(lesson.exercises)
    return f"{'■' * count}{'□' * (total - count)} {count} of {total} exercises of lesson {lesson.number} solved"


def of_hints(name: str, hints: tuple[str, ...], left: int) -> Panel:
    """The panel of the hints given so far."""
    count = "One more is" if left == 1 else f"{left} more are"
    again = f'{count} left: run `hint("{name}")` again.'
    more = again if left else f'No more hints. The next step is `solution("{name}")`.'
    lines = [f"Hint {i}: {text}" for i, text in enumerate(hints, 1)]
    body = "".join(f"<div>{marked(line)}</div>" for line in lines)
    return Panel(_box("#3b82c4", f"{body}<small>{marked(more)}</small>"), "\n".join(map(_wrap, [*lines, more])))


def of_solution(name: str, code: str, reasoning: str) -> Panel:
    """The panel of a worked solution: folded in a notebook, so that running all cells does not give it away."""
    paragraphs = "".join(f"<p>{marked(part)}</p>" for part in reasoning.split("\n\n") if part.strip())
    inside = f"<summary>A solution to {html.escape(name)}</summary>{paragraphs}<pre>{html.escape(code)}</pre>"
    return Panel(_box("#3b82c4", f"<details>{inside}</details>"), f"{reasoning}\n\n{code}".strip())


def _box(colour: str, inside: str) -> str:
    """A box without a background, so that it reads on light and on dark pages."""
    style = f"border-left:4px solid {colour};padding:.4em .8em;line-height:1.5;overflow-wrap:anywhere"
    return f'<div class="jaxcourse-panel" role="status" style="{style}">{inside}</div>'


def marked(text: str) -> str:
    """Escaped text, with `code` between backticks."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))


def _wrap(text: str) -> str:
    return textwrap.fill(text, 100, initial_indent="  ", subsequent_indent="  ", break_long_words=True)
