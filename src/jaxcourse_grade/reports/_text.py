"""How texts and times look: marks of emphasis and of code, moments in the local form, how late something was."""

from __future__ import annotations

from datetime import datetime

from markupsafe import Markup, escape

from jaxcourse.markup import as_html, as_text, blocks, marked
from jaxcourse.markup import plain as inline


def rich(text: str) -> Markup:
    """A text in the markup of verdicts as HTML, in one line.

    Example:
        >>> rich("*Not* `a * b * c`, <b> 2 * 3 * 4")
        Markup('<em>Not</em> <code>a * b * c</code>, &lt;b&gt; 2 * 3 * 4')
    """
    return Markup(marked(text))


def whole(text: str) -> Markup:
    """A text in the markup of verdicts as HTML, with its tables.

    Example:
        >>> whole("Look at *all*.")
        Markup('<p>Look at <em>all</em>.</p>')
    """
    return Markup(as_html(text))


def plain(text: str) -> str:
    """Text for where nothing can be emphasised: with its own spaces, but where it has a table, which needs its columns.

    Example:
        >>> plain("*Not* `a * b * c`")
        'Not `a * b * c`'
    """
    has_words_alone = all(block.kind == "paragraph" for block in blocks(text))
    return inline(text) if has_words_alone else as_text(text, width=10**6)


def local(moment: str, due: str = "") -> str:
    """A moment as people write it, in the time zone of the moment when it was due, or else in this machine's.

    Args:
        moment: in ISO 8601; anything else is left as it is.
        due: the same.

    Example:
        >>> local("2026-10-02T10:00:00+00:00", "2026-10-03T08:00:00+02:00"), local("yesterday")
        ('2 October 2026, 12:00 UTC+02:00', 'yesterday')
    """
    try:
        when = datetime.fromisoformat(moment)
        if when.tzinfo:
            when = when.astimezone(datetime.fromisoformat(due).tzinfo if due else None)
    except (ValueError, OverflowError):
        return moment
    return f"{when.day} {when:%B %Y, %H:%M %Z}".strip()


def time_element(moment: str, due: str = "") -> Markup:
    """A moment for a page."""
    said = local(moment, due)
    return Markup('<time datetime="{}">{}</time>').format(moment, said) if said != moment else escape(said)


def duration(minutes: float) -> str:
    """How long something was, in its two largest units.

    Example:
        >>> duration(125), duration(3 * 24 * 60 + 61), duration(0.2)
        ('2 h 5 min', '3 days 1 h', 'less than a minute')
    """
    days, rest = divmod(int(minutes), 24 * 60)
    parts = [(days, "day" if days == 1 else "days"), (rest // 60, "h"), (rest % 60, "min")]
    return " ".join(f"{count} {unit}" for count, unit in parts if count and not (days and unit == "min")) or (
        "less than a minute"
    )
