"""The pages: one of feedback for each student, and one for the class. They need no other file and run no script."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from jaxcourse.grade._records import Mark, Result, Status
from jaxcourse.grade.reports._entry import Entry, lesson_name, number, shown
from jaxcourse.grade.reports._facts import ALARMS, Difficulty, Facts, Mistake
from jaxcourse.grade.reports._histogram import bar, histogram
from jaxcourse.grade.reports._likeness import Shown
from jaxcourse.grade.reports._words import EVIDENCE, WORDS, Words, evidence, process_points
from jaxcourse.notebook import marked


@functools.cache
def _templates() -> Environment:
    """The templates. Everything is escaped; a name that is not known is an error, not an empty text."""
    templates = Environment(
        loader=PackageLoader("jaxcourse.grade.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    source = templates.get_template("style.css").render()
    style = re.sub(r"/\*.*?\*/|\n\s*", "", source, flags=re.DOTALL)
    # The page's policy names this one style sheet by its hash: a style that a submission smuggles in has no effect.
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    templates.globals.update(style=Markup(style), style_hash=digest)
    templates.filters.update(_FILTERS)
    return templates


def _words(mark: Mark) -> Words:
    return WORDS[mark.status]


def _told(mark: Mark) -> list[str]:
    """What a student was told, and what only an instructor should know."""
    return [text for text in (mark.message, *mark.notes) if text]


def _marked(text: str) -> Markup:
    """Escaped text with `code` between backticks, as a verdict shows it in a notebook."""
    return Markup(marked(text))


def _mistake(mistake: Mistake) -> str:
    return f"{mistake.count} × {mistake.label or WORDS[mistake.status].table}"


def _jump(count: int, anchor: str) -> Markup:
    """A number that leads to what it counts."""
    return Markup('<a href="#{}">{}</a>').format(anchor, count) if count else Markup("0")


def _others(item: Difficulty) -> list[str]:
    """What else happened in an exercise: rarer mistakes, and answers that were not there or must be looked at."""
    rest: tuple[Status, ...] = ("not_attempted", "missing", "needs_review")
    counted = [f"{item.counts[status]} × {WORDS[status].table}" for status in rest if status in item.counts]
    return [*map(_mistake, item.mistakes[1:]), *counted]


def _passed(result: Result) -> int:
    return sum(mark.status == "passed" for mark in result.marks)


_FILTERS: dict[str, Any] = {
    "bar": bar,
    "evidence": evidence,
    "histogram": histogram,
    "is_link": re.compile(r"https?://[^\s]+").fullmatch,
    "jump": _jump,
    "lesson_name": lesson_name,
    "marked": _marked,
    "median": median,
    "mistake": _mistake,
    "number": number,
    "others": _others,
    "passed": _passed,
    "points_only": lambda outcome: outcome.partition(" of ")[0],
    "short_name": lambda stem: stem.partition("_")[0] or "?",
    "told": _told,
    "words": _words,
}


def feedback(entries: Sequence[Entry], title: str) -> str:
    """The page of one student: each lesson, each exercise, what was found, and what to read again.

    It does not say which seed the inputs were drawn with: anybody who knows it can compute them. What the grader
    noticed about a submission that needs a review is for instructors alone.

    Args:
        entries: the student's results, with code.
        title: of the class's page.
    """
    results = sorted((item.result for item in entries), key=lambda result: (result.lesson, result.source))
    machines = {repr(r): (r.protections, r.versions) for r in map(_machine, results) if r.protections or r.versions}
    page = _templates().get_template("feedback.html")
    return page.render(
        name=results[0].name, title=title, results=results, strengths=EVIDENCE, machines=list(machines.values())
    )


def _machine(result: Result) -> Result:
    """What a result says of the machine, and nothing else."""
    return Result("", "", "", "", "graded", protections=result.protections, versions=result.versions)


@dataclass(frozen=True)
class Student:
    """A row of the class page's last table."""

    page: str
    key: str
    name: str
    cells: list[list[str]]
    points: float
    out_of: float
    process: float
    seconds: float
    cpu_seconds: float


def the_class(entries: Sequence[Entry], facts: Facts, title: str, notes: Sequence[str], alike: int = 0) -> str:
    """The page of the class: what was hard, which mistakes were made, what must be looked at, and who earned what.

    Args:
        entries: all results, sorted.
        facts: what they say together.
        title: the page's heading.
        notes: what else an instructor should know, such as names that matched nobody.
        alike: how many pairs of answers are on the page of those that are alike.
    """
    stems = sorted({item.result.lesson for item in entries})
    return (
        _templates()
        .get_template("class.html")
        .render(
            title=title,
            facts=facts,
            alarms=[(item, mark) for item in entries for mark in item.result.marks if mark.status in ALARMS],
            not_graded=[item for item in entries if item.result.status != "graded"],
            stems=stems,
            strengths=EVIDENCE,
            alike=alike,
            students=_students(entries, stems),
            notes=[shown(note, 2000) for note in notes],
        )
    )


def the_alike(pairs: Sequence[Shown], title: str) -> str:
    """The page of answers that are alike, side by side: for instructors.

    Args:
        pairs: those who share most first.
        title: of the class's page.
    """
    return _templates().get_template("alike.html").render(pairs=pairs, title=title)


def _students(entries: Iterable[Entry], stems: Sequence[str]) -> list[Student]:
    found: dict[str, list[Entry]] = {}
    for item in entries:
        found.setdefault(item.page, []).append(item)
    return [_student(page, [item.result for item in items], stems) for page, items in found.items()]


def _student(page: str, results: Sequence[Result], stems: Sequence[str]) -> Student:
    cells = [[_outcome(result) for result in results if result.lesson == stem] for stem in stems]
    points, out_of = sum(r.points for r in results), sum(r.out_of for r in results)
    process = sum(map(process_points, results))
    seconds, cpu = sum(r.seconds for r in results), sum(r.cpu_seconds for r in results)
    return Student(page, results[0].student, results[0].name, cells, points, out_of, process, seconds, cpu)


def _outcome(result: Result) -> str:
    points = f"{number(result.points)} of {number(result.out_of)}"
    return points if result.status == "graded" else result.status
