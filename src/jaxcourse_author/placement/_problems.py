"""What is wrong with the questions: they name what is not there, are too many, or unlock what they do not ask."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from jaxcourse.course import Course, ideas_of, nearest
from jaxcourse.prediction import Prediction
from jaxcourse_author.concepts import Road, Stop
from jaxcourse_author.lesson.elsewhere import Elsewhere
from jaxcourse_author.paths import read_paths
from jaxcourse_author.placement._file import MOST, Pool, Question, read_pool
from jaxcourse_author.placement._taught import entry_of

Problems = Iterator[tuple[str, str]]


def problems(course: Course, road: Road) -> Problems:
    """What is wrong with the questions of a course, each with what to do.

    Args:
        course: whose.
        road: as `road_of` gives it.

    Raises:
        ValueError: the file is not as it must be.
    """
    pool, elsewhere = read_pool(course), {*Elsewhere(course).places}
    exercises = {name: stem for stem, names in course.exercises().items() for name in names}
    sections = {stop.section.label: stop for stop in road.stops if stop.section.label}
    yield from _of_the_pool(pool, course, {*sections, *elsewhere})
    for question in pool.questions:
        yield from _check_name(question.exercise, {*exercises, *elsewhere}, question, "an exercise")
        for label in question.unlocks:
            yield from _check_name(label, {*sections, *elsewhere}, question, "the label of a section")
        if why := course.withholds(exercises.get(question.exercise, "")):
            problem = f"{_question_in_words(question)} gives away what is withheld {why.words}"
            yield problem, "Ask another exercise, or none of the lesson."
        if question.exercise in exercises:
            yield from _of_entry(question, course)
            yield from _of_sections(question, course, sections)


def _of_the_pool(pool: Pool, course: Course, labels: Collection[str]) -> Problems:
    if pool.most > MOST:
        yield f"up to {pool.most} questions are asked, and {MOST} are fifteen minutes", "Make two of them a pair."
    asked = [(one.exercise, one.entry) for one in pool.questions]
    for exercise, entry in sorted({one for one in asked if asked.count(one) > 1}):
        yield f"{entry!r} of {exercise!r} is asked twice", "Remove one."
    paths, unlocked = (
        {one.name for one in read_paths(course)},
        {label for one in pool.questions for label in one.unlocks},
    )
    for advice in pool.advice:
        if advice.path not in paths:
            yield f"{advice.path!r} is no path", _repair(advice.path, paths, "Name a path of book/paths.yml.")
        for label in (label for label in advice.knows if label not in unlocked):
            yield f"{advice.path!r} is for who knows {label!r}, which no question unlocks", _repair(label, unlocked)


def _check_name(name: str, known: Collection[str], question: Question, what: str) -> Problems:
    if name not in known:
        yield f"{_question_in_words(question)} names {name!r}, which is not {what}", _repair(name, known)


def _of_entry(question: Question, course: Course) -> Problems:
    try:
        entry_of(question, course)
    except KeyError:
        check = course.lesson_of(question.exercise).exercises[question.exercise].check
        entries = _entries(check.right) if isinstance(check, Prediction) else []
        none = "Ask an exercise that is answered by a table of values."
        meant = _repair(question.entry, entries, f"It has {', '.join(map(repr, entries))}.") if entries else none
        yield f"{question.exercise!r} has no entry {question.entry!r}", meant


def _entries(right: Any) -> list[str]:
    return [*right] if isinstance(right, Mapping) else []


def _of_sections(question: Question, course: Course, sections: Mapping[str, Stop]) -> Problems:
    """Of each section that is unlocked, the core exercises that ask for something else: then it is not known yet."""
    asked = _ideas_of(course, question.exercise)
    for stop in (sections[label] for label in question.unlocks if label in sections):
        for name in stop.section.exercises:
            if name not in stop.practice and asked and not asked & _ideas_of(course, name):
                yield (
                    f"{_question_in_words(question)} unlocks {stop.name!r}, whose exercise {name!r} trains "
                    "another idea",
                    "Unlock it by a question that trains the same idea (book/ideas.yml).",
                )


def _ideas_of(course: Course, name: str) -> set[str]:
    """The ideas that an exercise trains."""
    return {*ideas_of(course, course.lesson_of(name).stem)[name]}


def _question_in_words(question: Question) -> str:
    return f"the question about {question.entry!r} of {question.exercise!r}"


def _repair(name: str, known: Collection[str], otherwise: str = "Remove it.") -> str:
    return f"Write {near!r}." if (near := nearest(name, known)) else otherwise
