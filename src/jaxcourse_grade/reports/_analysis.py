"""What a class misunderstood, over lessons and terms: `analysis.csv`, and `analysis.html` to be shown to a room.

The page names nobody unless it is asked to. It loads nothing, and runs no script.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from jaxcourse_grade import analysis
from jaxcourse_grade.analysis import COLUMNS, Item, Question, Row, Slide, StuckStudent
from jaxcourse_grade.reports._entry import printable
from jaxcourse_grade.reports._pages import share, templates
from jaxcourse_grade.reports._tables import table

LEAST = 2
"""How many students must have made a mistake for the page to list it by itself."""


def analysis_table(found: Iterable[Row], names: bool) -> str:
    """`analysis.csv`: a row for each mark, in the columns of `COLUMNS`.

    Args:
        found: of all runs.
        names: whether it says who the students are.
    """
    return table(list(COLUMNS), (analysis.cells(row, names) for row in found))


def analysis_page(
    found: Sequence[Row], slides: Sequence[Slide], title: str, *, names: bool = False, notes: Sequence[str] = ()
) -> str:
    """`analysis.html`.

    Args:
        found: of all runs, terms in their order: the last is today's class, the others are compared with it.
        slides: of the most frequent mistakes of the last term.
        title: of the page.
        names: whether it says who is stuck.
        notes: what else an instructor should know.
    """
    terms = list(dict.fromkeys(row.term for row in found))
    of_term = {term: [row for row in found if row.term == term] for term in terms}
    today = of_term[terms[-1]] if terms else []
    made, stuck = analysis.mistakes(today), analysis.stuck_students(today)
    page = templates().get_template("analysis.html")
    return page.render(
        title=printable(title, 200),
        names=names,
        terms=terms,
        runs={term: len({row.run for row in rows}) for term, rows in of_term.items()},
        students={term: len({row.student for row in rows}) for term, rows in of_term.items()},
        lessons=list(dict.fromkeys(row.lesson for row in today)),
        slides=[(slide, _letters(slide.question)) for slide in slides],
        ideas=analysis.by_idea(today, made),
        mistakes=[one for one in made if len(one.made) >= LEAST],
        rare=sum(len(one.made) < LEAST for one in made),
        items=_hardest_first(analysis.items(today)),
        before=_before({term: rows for term, rows in of_term.items() if term != terms[-1]}),
        trend=analysis.trend(found),
        stuck=_by_student(stuck),
        stuck_in_two=sum(len(lessons) > 1 for lessons in _by_student(stuck).values()),
        several=any(not row.last for row in today),
        enough=analysis.ENOUGH,
        few=analysis.FEW,
        notes=[printable(note, 2000) for note in notes],
    )


def _letters(question: Question | None) -> tuple[tuple[str, str, bool], ...]:
    """The choices of a question, each with its letter, and whether it is right."""
    choices = question.choices if question else ()
    return tuple((chr(ord("A") + i), text, bool(question and i == question.right)) for i, text in enumerate(choices))


def _hardest_first(items: Sequence[Item]) -> dict[str, list[Item]]:
    """The exercises of each lesson; those that nobody tried stand at the end."""
    found: dict[str, list[Item]] = {}
    for item in sorted(items, key=lambda item: 2.0 if item.of_attempted is None else item.of_attempted):
        found.setdefault(item.lesson, []).append(item)
    return {lesson: found[lesson] for lesson in dict.fromkeys(item.lesson for item in items)}


def _before(terms: Mapping[str, Sequence[Row]]) -> dict[str, list[str]]:
    """How an exercise went in other terms."""
    found: dict[str, list[str]] = {}
    for term, rows in terms.items():
        for item in analysis.items(rows):
            if item.attempted:
                found.setdefault(item.exercise, []).append(f"{term}: {share(item.of_attempted)} of {item.attempted}")
    return found


def _by_student(stuck: Iterable[StuckStudent]) -> dict[str, list[StuckStudent]]:
    found: dict[str, list[StuckStudent]] = {}
    for one in stuck:
        found.setdefault(one.student, []).append(one)
    return found
