"""The questions of a copy: what they ask and unlock there, and the entry of an exercise that answers one."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from jaxcourse.course import Course
from jaxcourse.prediction import Prediction
from jaxcourse_author.concepts import Road
from jaxcourse_author.placement._file import Block, Pool, Question


def taught_questions(pool: Pool, course: Course, road: Road) -> Pool:
    """The questions about exercises and sections that are taught, and about none that is withheld.

    Where a harder one is not, its easier one is asked.

    Args:
        pool: as it is declared.
        course: which teaches them.
        road: as `road_of` gives it.
    """
    asked = {stem: names for stem, names in course.exercises().items() if not course.withholds(stem)}
    exercises = {name for names in asked.values() for name in names}
    sections = {stop.section.label for stop in road.stops}
    blocks = (Block(one.title, tuple(_askable(one.questions, exercises, sections))) for one in pool.blocks)
    advice = tuple(one for one in pool.advice if {*one.knows} <= sections)
    return Pool(tuple(block for block in blocks if block.questions), advice)


def _askable(
    questions: tuple[Question, ...], exercises: Collection[str], sections: Collection[str]
) -> Iterator[Question]:
    for question in questions:
        unlocks = tuple(label for label in question.unlocks if label in sections)
        easier = [*_askable((question.easier,), exercises, sections)] if question.easier else []
        if question.exercise in exercises and unlocks:
            yield replace(question, unlocks=unlocks, easier=easier[0] if easier else None)
        else:
            yield from easier


def entry_of(question: Question, course: Course) -> Prediction:
    """What is right for a question, and which mistakes are known: the exercise's own entry.

    Args:
        question: one about an exercise that is taught.
        course: which teaches it.

    Raises:
        KeyError: the exercise has no such entry, or is not answered by a table of values.
    """
    check = course.lesson_of(question.exercise).exercises[question.exercise].check
    if not isinstance(check, Prediction):
        raise KeyError(question.entry)
    return check.only(question.entry)
