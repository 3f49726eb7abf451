"""The pages: one of feedback for each student, and one for the class. They need no other file.

The page of the class has a script of its own, which sorts and filters its first table; it can be read without.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from jaxcourse.markup import summary
from jaxcourse_grade import analysis
from jaxcourse_grade._records import Mark, Result, Status
from jaxcourse_grade.analysis import NOTHING_KNOWN, Item, KnownExercise, MistakeCount
from jaxcourse_grade.reports._entry import Entry, lesson_name, number, printable
from jaxcourse_grade.reports._facts import ALARMS, Difficulty, Facts, Mistake
from jaxcourse_grade.reports._held import NOTHING, HeldBack
from jaxcourse_grade.reports._histogram import bar, histogram
from jaxcourse_grade.reports._students import decisions, students
from jaxcourse_grade.reports._text import duration, rich, time_element, whole
from jaxcourse_grade.reports._words import WORDS, Words, decision, decision_text


@functools.cache
def templates() -> Environment:
    """The templates. Everything is escaped; a name that is not known is an error, not an empty text."""
    made = Environment(
        loader=PackageLoader("jaxcourse_grade.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    source = made.get_template("style.css").render()
    style = re.sub(r"/\*.*?\*/|\n\s*", "", source, flags=re.DOTALL)
    # The page's policy names this one style sheet, and the class page's script, by their hashes: a style or a script
    # that a submission smuggles in has no effect.
    script = made.get_template("class.js").render()
    made.globals.update(style=Markup(style), style_hash=_digest(style))
    made.globals.update(script=Markup(script), script_hash=_digest(script))
    made.filters.update(_FILTERS)
    return made


_is_link = re.compile(r"https?://[^\s]+").fullmatch


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _words(mark: Mark) -> Words:
    return WORDS[mark.status]


def _to_the_student(mark: Mark) -> list[str]:
    """What a student was told, and what only an instructor should know."""
    return [text for text in (mark.message, *mark.notes) if text]


def _mistake(mistake: Mistake) -> str:
    return f"{mistake.count} × {mistake_name(mistake)}"


def mistake_name(mistake: Mistake | MistakeCount | Mark) -> str:
    """What a mistake is called in a table."""
    return mistake.label or WORDS[mistake.status].table


def apart(item: Item) -> str:
    """How well an exercise tells students apart: the correlation, and a word for it.

    Example:
        >>> apart(Item("10_toy", "a", KnownExercise("A"), 30, 30, 20, 0.4567, 30))
        '0.46, well'
        >>> apart(Item("10_toy", "a", KnownExercise("A"), 9, 9, 8, None, 9))
        'too few to say (9)'
    """
    if item.discrimination is None:
        return item.apart
    return f"{item.discrimination:.2f}".replace("-", "−") + f", {item.apart}"


def exercise_link(exercise: KnownExercise) -> Markup:
    """An exercise by its number and title, which lead to it where the site has an address."""
    if not _is_link(exercise.address):
        return escape(exercise.numbered_title)
    return Markup('<a href="{}">{}</a>').format(exercise.address, exercise.numbered_title)


def share(part: float | None) -> str:
    """A share of 1 in percent.

    Example:
        >>> share(2 / 3), share(None)
        ('67 %', 'n/a')
    """
    return "n/a" if part is None else f"{100 * part:.0f} %"


def _jump(count: int, anchor: str) -> Markup:
    """A number that leads to what it counts."""
    return Markup('<a href="#{}">{}</a>').format(anchor, count) if count else Markup("0")


def _others(item: Difficulty) -> list[str]:
    """What else happened in an exercise: rarer mistakes, and answers that were not there or must be looked at."""
    rest: tuple[Status, ...] = ("not_attempted", "missing", "stumbled")
    counted = [f"{item.counts[status]} × {WORDS[status].table}" for status in rest if status in item.counts]
    return [*map(_mistake, item.mistakes[1:]), *counted]


def _passed_count(result: Result) -> int:
    return sum(mark.status == "passed" for mark in result.marks)


_FILTERS: dict[str, Any] = {
    "apart": apart,
    "bar": bar,
    "mistake_name": mistake_name,
    "decision_text": decision_text,
    "decision": decision,
    "duration": duration,
    "histogram": histogram,
    "is_link": _is_link,
    "jump": _jump,
    "lesson_name": lesson_name,
    "marked": rich,
    "median": median,
    "mistake": _mistake,
    "moment": time_element,
    "exercise_link": exercise_link,
    "number": number,
    "others": _others,
    "passed_count": _passed_count,
    "share": share,
    "points_only": lambda outcome: outcome.partition(" of ")[0],
    "summary": summary,
    "short_name": lambda stem: stem.partition("_")[0] or "?",
    "to_the_student": _to_the_student,
    "whole": whole,
    "words": lambda mark: WORDS[mark.status],
}


def feedback(entries: Sequence[Entry], title: str, held: HeldBack = NOTHING) -> str:
    """The page of one student: each answer, what was wrong with it, what to read again, what a teacher says.

    It does not say which seed the inputs were drawn with: anybody who knows it can compute them.

    Args:
        entries: the student's results, with code.
        title: of the class's page.
        held: what is held back, which is not in the results any more.
    """
    results = sorted((item.result for item in entries), key=lambda result: (result.lesson, result.source))
    page = templates().get_template("feedback.html")
    return page.render(name=results[0].name, title=title, results=results, held=held)


def the_class(
    entries: Sequence[Entry],
    facts: Facts,
    title: str,
    notes: Sequence[str],
    known: Mapping[str, KnownExercise] = NOTHING_KNOWN,
) -> str:
    """The page of the class: what was hard, which mistakes were made, what must be looked at, and who earned what.

    Args:
        entries: all results, sorted.
        facts: what they say together.
        title: the page's heading.
        notes: what else an instructor should know, such as names that matched nobody.
        known: what the course says of the exercises.
    """
    marks = [row for item in entries for row in analysis.rows(item.result, item.page, known=known)]
    stems = sorted({item.result.lesson for item in entries})
    return (
        templates()
        .get_template("class.html")
        .render(
            title=title,
            facts=facts,
            alarms=[
                (item, mark)
                for item in entries
                for mark in item.result.marks
                if mark.status in ALARMS and not (decision(mark) or decision(item.result))
            ],
            not_graded=[item for item in entries if item.result.status != "graded"],
            stems=stems,
            students=students(entries, stems),
            late=sum(item.result.is_late for item in entries),
            look=[item for item in entries if item.result.look and not decision(item.result)],
            decisions=[(item, of) for item in entries for of in decisions(item.result)],
            notes=[printable(note, 2000) for note in notes],
            items={item.exercise: item for item in analysis.items(marks)},
            ideas=[one for one in analysis.by_idea(marks, analysis.mistakes(marks)) if one.idea and one.made],
        )
    )
