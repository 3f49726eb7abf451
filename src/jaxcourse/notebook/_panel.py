"""How a verdict, a hint or a solution looks: HTML in a notebook, plain text in a terminal."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from jaxcourse.markup import as_html, as_text, code, marked, plain
from jaxcourse.notebook._predictions import Field, Said
from jaxcourse.notebook._record import Result, handed_in, page_of, solved_in

if TYPE_CHECKING:
    from jaxcourse.course import Lesson, LessonText, Withheld
    from jaxcourse.exercise import Verdict

_HEADS = {
    "passed": ("✓", "Passed", "#2e8b57"),
    "wrong": ("✗", "Not yet", "#c2703d"),
    "error": ("!", "Your code raised an exception", "#c2703d"),
    "not_attempted": ("○", "Not attempted", "#7a869a"),
    "handed_in": ("▣", "Handed in", "#3b82c4"),
    "stumbled": ("◇", "Not judged", "#7a869a"),
}
_STYLE = (
    "<style>.jaxcourse-panel p{margin:.2em 0}.jaxcourse-panel code{white-space:pre-wrap;background:none;padding:0}"
    ".jaxcourse-panel .scrolls{overflow-x:auto}"
    ".jaxcourse-panel table{border-collapse:collapse;font:inherit;margin:.4em 0}"
    ".jaxcourse-panel :is(th,td){border:0;padding:.1em .9em .1em 0;text-align:left;vertical-align:top}"
    ".jaxcourse-panel td code{white-space:pre}.jaxcourse-panel pre{margin:.4em 0;white-space:pre-wrap}"
    ".jaxcourse-panel .bar{display:inline-block;width:8em;height:.7em;border:1px solid;vertical-align:-.05em}"
    ".jaxcourse-panel .bar span{display:block;height:100%;background:currentColor;forced-color-adjust:none;"
    "print-color-adjust:exact}@media (prefers-reduced-motion:no-preference){"
    ".jaxcourse-panel .bar span{animation:jaxcourse-fill .8s}}@keyframes jaxcourse-fill{from{width:0}}"
    ".jaxcourse-panel mark{background:none;color:inherit;font-weight:bold;text-decoration:underline 2px #c2703d}"
    "</style>"
)
"""How tables look, and what is marked in them: in any colours, and told apart without them; and the bar that fills."""
_NOTHING: Mapping[str, list[Said]] = MappingProxyType({})
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


def show_widget(widget: Any) -> None:
    """Show a widget, which only a kernel has."""
    from IPython.display import display

    display(widget)


def _print(text: str) -> None:
    """Print, with a question mark for whatever the terminal's encoding does not have."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding))


def of_verdict(
    lesson: Lesson,
    verdict: Verdict,
    results: Mapping[str, Result],
    trouble: str = "",
    predictions: Mapping[str, list[Said]] = _NOTHING,
) -> Panel:
    """The panel of a verdict: what was found, on which call, where to read again, and how much is solved.

    Args:
        lesson: whose exercise it is.
        verdict: what was found.
        results: what became of each exercise that was tried.
        trouble: what a reader should know of the file of these.
        predictions: what was predicted, which the link to the page takes along.
    """
    symbol, words, colour = _HEADS[verdict.status]
    head = f"{symbol} {words}: {lesson.title_of(verdict.exercise)}"
    said = "\n\n".join(filter(None, [verdict.message, verdict.tried.words, *_call(verdict), *_printed_note(verdict)]))
    title, address = lesson.again(verdict.exercise, verdict.see) if verdict.status == "wrong" else ("", "")
    is_done = verdict.status in ("passed", "stumbled", "handed_in") or lesson.lacks
    stuck = "" if is_done else f'Stuck? `hint("{verdict.exercise}")`'
    solved = solved_in(results, lesson.exercises)
    share, done = _progress(lesson, solved, handed_in(results, lesson.exercises))
    next_one = _next(lesson, verdict.exercise, solved) if verdict.status == "passed" else ""
    again = f"Read again: “{title}”" if title else ""
    below = [again, stuck, f"{_squares(*share)} {done}", next_one, trouble]
    text = "\n".join([plain(head), *(as_text(part, indent="  ") for part in [said, *below] if part)])
    link = f"Read again: “{_link(address, title)}”" if title else ""
    page = _to_page(lesson.texts[lesson.stem], results, predictions)
    lines = [link, marked(stuck), f"{_bar(*share)} {marked(done)}", marked(next_one), page, marked(trouble)]
    body = as_html(said) + "".join(f"<div><small>{line}</small></div>" for line in lines if line)
    return Panel(_box(colour, f"<div><strong>{marked(head)}</strong></div>{body}"), text)


def of_no_picture(why: str) -> Panel:
    """What is said where the lesson's picture cannot be drawn with the reader's answer."""
    said = f"The lesson's picture with your answer is not drawn: {why}. Run the cells above again, then this one."
    return Panel(_box("#7a869a", f"<div><small>{marked(said)}</small></div>"), plain(said))


def _link(address: str, words: str) -> str:
    if not address:  # no site is configured
        return marked(words)
    return f'<a href="{html.escape(address)}" target="_blank" rel="noopener">{marked(words)}</a>'


def _to_page(text: LessonText, results: Mapping[str, Result], predictions: Mapping[str, list[Said]]) -> str:
    """The way to the lesson's page, which ticks there what is solved here, and takes over what was predicted."""
    address = page_of(text, results, predictions)
    return (
        _link(address, "Tick this on the lesson's page" if "#" in address else "The lesson's page") if address else ""
    )


def _call(verdict: Verdict) -> list[str]:
    if verdict.status == "passed" or not verdict.called:
        return []
    called = code(verdict.called)
    return [f"{called} returned {code(verdict.returned)}" if verdict.returned else f"The call was {called}."]


def _printed_note(verdict: Verdict) -> list[str]:
    if not verdict.printed_total or not verdict.printed.strip():
        return []
    if verdict.printed_total <= _SHOWN:
        return [f"While it was checked, your code printed: {code(verdict.printed.strip())}"]
    begin = f"{code(verdict.printed.strip()[:_SHOWN])} …"
    return [f"While it was checked, your code printed {verdict.printed_total:,} characters, which begin: {begin}"]


def _progress(lesson: Lesson, solved: list[str], handed: int = 0) -> tuple[tuple[int, int], str]:
    """How much of a lesson is solved, as a count of a total and in words, and how much is handed in."""
    count, total, extra = _counts(list(lesson.exercises), lesson.practice, solved)
    asked = f"core exercises of lesson {lesson.number}" if extra else f"exercises of lesson {lesson.number}"
    return (count, total), f"{count} of {total} {asked} solved{extra}{_handed_in_words(handed)}"


def _handed_in_words(count: int) -> str:
    """How many answers nobody has judged, behind what is solved."""
    return f", {count} handed in" if count else ""


def _squares(count: int, total: int) -> str:
    """A count as a bar of text."""
    return "■" * count + "□" * (total - count)


def _bar(count: int, total: int) -> str:
    """A count as a bar that fills, for the eye alone: words stand beside it."""
    share = 100 * count / max(total, 1)
    return f'<span class="bar" aria-hidden="true"><span style="width:{share:.0f}%"></span></span>'


def _next(lesson: Lesson, name: str, solved: list[str]) -> str:
    """What comes after an exercise that was solved: one of the core path, or the next lesson."""
    if left := lesson.after(name, solved):
        return f"Next: exercise {lesson.numbered_title(left)}"
    done = f"You have solved every core exercise of lesson {lesson.number}."
    stem = lesson.next_stem
    return f"{done} Next: lesson {stem[:2]}, {lesson.texts[stem].title}" if stem else done


def _counts(names: Collection[str], practice: Collection[str], solved: Collection[str]) -> tuple[int, int, str]:
    """How many exercises of the core path are solved, of how many, and how many for practice, in words."""
    extra = len(set(practice) & set(solved))
    more = f", {extra} of {len(practice)} for practice" if practice else ""
    return len(solved) - extra, len(names) - len(practice), more


def of_progress(
    texts: Mapping[str, LessonText],
    results: Mapping[str, Result],
    path: Path,
    predictions: Mapping[str, list[Said]] = _NOTHING,
) -> Panel:
    """The panel of all lessons: what is solved in each, and where that is kept."""
    rows = [(*_row(stem, text, results), text) for stem, text in texts.items() if text.solutions]
    width = max((len(title) for title, *_ in rows), default=0)
    kept = f"Kept in {path}." if path.exists() else "Nothing is kept yet: `check` begins it."
    again = _again(texts, results)
    lines = [f"{title:{width}}  {bar} {words}" for title, bar, words, _ in rows]
    cells = (
        f"<tr><td>{_to(text, results, predictions, title)}</td><td>{bar}</td><td>{words}</td></tr>"
        for title, bar, words, text in rows
    )
    below = "".join(f"<div><small>{marked(line)}</small></div>" for line in [*again, kept])
    text = [*lines, *(as_text(line, indent="  ") for line in again), kept]
    return Panel(_box("#2e8b57", f"<table>{''.join(cells)}</table>{below}"), "\n".join(text))


_AGAIN = 3
"""How many exercises are offered to be done again."""


def _again(texts: Mapping[str, LessonText], results: Mapping[str, Result]) -> list[str]:
    """The functions that took the most tries, each with the line that checks it on other inputs."""
    found = [
        (results[name].tries, text.numbered_title(stem, name), name)
        for stem, text in texts.items()
        for name in solved_in(results, text.solutions)
        if results[name].tries > 1 and text.is_function(name)
    ]
    return [
        f'To do again, since it took {tries} tries: exercise {numbered}. On other inputs: `check("{name}", variant=1)`'
        for tries, numbered, name in sorted(found, reverse=True)[:_AGAIN]
    ]


def _row(stem: str, text: LessonText, results: Mapping[str, Result]) -> tuple[str, str, str]:
    """A lesson by its number and title, its solved exercises as a bar, and in words."""
    count, total, extra = _counts(text.solutions, text.practice, solved_in(results, text.solutions))
    handed = _handed_in_words(handed_in(results, text.solutions))
    return f"{stem[:2]} {text.title}", _squares(count, total), f"{count} of {total}{extra}{handed}"


def _to(text: LessonText, results: Mapping[str, Result], predictions: Mapping[str, list[Said]], title: str) -> str:
    address = page_of(text, results, predictions)
    return _link(address, title) if address else marked(title)


def of_question(fields: Sequence[Field], problem: str = "", *, in_form: bool = False) -> Panel:
    """The panel of a question that is open: how to answer it.

    Args:
        fields: what it asks for.
        problem: why what was given is no answer.
        in_form: whether a form asks, which has a button, and not the cell alone.
    """
    each = "the `...`" if len(fields) == 1 else f"each of the {len(fields)} `...`"
    how = f"Predict first: write what you expect in place of {each}, and run this cell again. Then run the next one."
    if in_form:
        what = "it" if len(fields) == 1 else "each"
        how = f"Say {what} in the form above, and press “Predict”. Then run the next cell."
    return _list_panel("#3b82c4", [*([problem] if problem else []), how], [_question(field) for field in fields])


def of_prediction(
    fields: Sequence[Field],
    said: Sequence[Said],
    text: LessonText,
    predictions: Mapping[str, list[Said]],
    results: Mapping[str, Result],
    trouble: str = "",
) -> Panel:
    """The panel of a prediction: what was said, and what to do now. Whether it is right, the run says, or the page.

    Args:
        fields: of the question.
        said: to each of them.
        text: that of the lesson, for the way to its page.
        predictions: all that were made.
        results: what became of each exercise that was tried.
        trouble: what a reader should know of the file of these.
    """
    now = "Your prediction is kept. Now run the next cell, and compare."
    rows = [f"{_question_start(field)}{_in_row(field, one)}" for field, one in zip(fields, said, strict=True)]
    address = page_of(text, results, predictions)
    page = _link(address, "Compare it on the lesson's page") if address else ""
    return _list_panel("#3b82c4", [now], rows, [page, marked(trouble)], [trouble])


def _in_row(field: Field, said: Said) -> str:
    """What was said: choices as the lesson marks them up, and what was typed as it is.

    >>> _in_row(Field("", "several"), ["`day`, 2", "day 0"]), _in_row(Field("", "number"), "(2)*3*(4)")
    ('`day`, 2; day 0', '`(2)*3*(4)`')
    """
    if not isinstance(said, str):
        return "; ".join(said)  # a comma would join what may have commas itself
    return code(said) if not field.choices and re.search("[*`]", said) else said


def of_no_question(key: str) -> Panel:
    """The panel of a question that the installed course does not ask."""
    said = f"The installed course does not ask `{key}`: this notebook is of another edition. Go on without it."
    return _list_panel("#7a869a", [said], [])


def _question(field: Field) -> str:
    return f"{_question_start(field)}{field.wants}"


def _question_start(field: Field) -> str:
    """What a field asks for, before what follows."""
    return "" if not field.ask else f"{field.ask} " if field.ask[-1] in "?.:" else f"{field.ask}: "


def _list_panel(
    colour: str, said: Sequence[str], rows: Sequence[str], links: Sequence[str] = (), below: Sequence[str] = ()
) -> Panel:
    """A panel of sentences with a list below them, and of lines that are links in a notebook."""
    lines = "".join(f"<div>{marked(line)}</div>" for line in said)
    items = f"<ol>{''.join(f'<li>{marked(row)}</li>' for row in rows)}</ol>" if rows else ""
    ends = "".join(f"<div><small>{line}</small></div>" for line in links if line)
    numbered = [f"{i}. {row}" for i, row in enumerate(rows, 1)]
    text = "\n".join([*map(plain, said), *(as_text(line, indent="  ") for line in [*numbered, *below] if line)])
    return Panel(_box(colour, f"{lines}{items}{ends}"), text)


def of_withheld(why: Withheld) -> Panel:
    """The panel in place of a hint or a solution that this copy of the course does not have."""
    return _list_panel("#7a869a", [why.sentence], [])


def of_hints(name: str, hints: tuple[str, ...], left: int) -> Panel:
    """The panel of the hints given so far."""
    count = "One more is" if left == 1 else f"{left} more are"
    again = f'{count} left: run `hint("{name}")` again.'
    more = again if left else f'No more hints. The next step is `solution("{name}")`.'
    lines = [f"Hint {i}: {text}" for i, text in enumerate(hints, 1)]
    body = "".join(f"<div>{marked(line)}</div>" for line in lines)
    text = "\n".join(as_text(line, indent="  ") for line in [*lines, more])
    return Panel(_box("#4a74e0", f"{body}<div><small>{marked(more)}</small></div>"), text)


def of_solution(title: str, code: str, reasoning: str) -> Panel:
    """The panel of a worked solution: folded in a notebook, so that running all cells does not give it away."""
    inside = f"<summary>A solution to {marked(title)}</summary>{as_html(reasoning)}<pre>{html.escape(code)}</pre>"
    words = "\n\n".join(plain(part) for part in reasoning.split("\n\n"))
    return Panel(_box("#4a74e0", f"<details>{inside}</details>"), f"{words}\n\n{code}".strip())


def _box(colour: str, inside: str) -> str:
    """A box without a background, so that it reads on light and on dark pages."""
    style = f"border-left:4px solid {colour};padding:.4em .8em;line-height:1.5;overflow-wrap:anywhere"
    return f'{_STYLE}<div class="jaxcourse-panel" role="status" style="{style}">{inside}</div>'
