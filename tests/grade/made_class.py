"""A made class of 120 over three lessons, in two runs, and one of 40 from the year before: nobody handed anything in.

Lessons, exercises and the mistakes of predictions are the course's own. Who passes is drawn: each student has an
ability, each exercise a difficulty, and what is right more often the further the first is above the second. What is
written is written by what the grader writes with.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from jaxcourse.counterexample import Example
from jaxcourse.course import Course
from jaxcourse_grade import _class, intake, reports
from jaxcourse_grade._records import Mark, Result, Submission

COURSE = Course(Path(__file__).parents[2])
LESSONS = ("10_memory_layout", "11_broadcasting", "12_from_numpy_to_jax")
SEED = 20261129


def mark(exercise: str, status: str = "passed", label: str = "", message: str = "", **more: object) -> Mark:
    """One mark, worth a point if it passed."""
    title = exercise.replace("-", " ").capitalize()
    return Mark(exercise, title, status, label, message, points=float(status == "passed"), **more)  # type: ignore[arg-type]


def result(student: str, lesson: str, marks: Iterable[Mark], status: str = "graded") -> Result:
    """One result of a student."""
    name = student.replace("_", " ").title()
    return Result(student, name, lesson, f"{student}.ipynb", status, marks=tuple(marks))  # type: ignore[arg-type]


def graded(folder: Path, results: Sequence[Result]) -> Path:
    """A folder as `jaxcourse grade` leaves it: results kept one by one, then reports on all of them."""
    ledger = _class.Ledger(folder / "results", COURSE)
    for one in results:
        ledger.write(one, Submission(one.student, one.name, one.lesson, one.source))
    reports.write(results, folder, title="A made class", lessons=intake.Taught.of(COURSE))
    return folder


def counterexample(words: str, got: float, by: float = 1.0) -> str:
    """A verdict with a counterexample, as checks write it."""
    x = np.array([1.5, 2.5, 4.0]) * by
    want = np.array([0.0, 1.0, 2.5]) * by
    wrong = want + got
    return f"{words} A small counterexample:\n\n{Example(['x'], [x], want, wrong, [(0,), (1,), (2,)], 'centred(x)')}"


def the_class(seed: int = SEED, students: int = 120, lessons: Sequence[str] = LESSONS) -> list[list[Result]]:
    """The results of two runs: in the second, some of those who failed have mended their answers."""
    draw = random.Random(seed)
    ability = {f"student_{i:03}": draw.gauss(0, 1) for i in range(students)}
    hard = {name: draw.gauss(0, 1) for stem in lessons for name in COURSE.exercises()[stem]}
    first = [_handed_in(who, stem, ability[who], hard, draw) for stem in lessons for who in ability]
    return [first, [_mended(one, draw) for one in first if draw.random() < 0.6]]


def _handed_in(student: str, stem: str, ability: float, hard: dict[str, float], draw: random.Random) -> Result:
    names = COURSE.exercises()[stem]
    if draw.random() < 0.06:
        return result(
            student, stem, (mark(name, "missing", "missing", "Nothing was handed in.") for name in names), "missing"
        )
    return result(student, stem, [_answered(stem, name, ability - hard[name], draw) for name in names])


def _answered(stem: str, name: str, ease: float, draw: random.Random) -> Mark:
    if draw.random() < 0.1:
        return mark(name, "not_attempted")
    if draw.random() < 1 / (1 + math.exp(-1.7 * ease)):
        return mark(name)
    if draw.random() < 0.15:
        return mark(name, "error", "ValueError", "Your code raised `ValueError`: no.")
    labels = list(dict.fromkeys(wrong.label for wrong in COURSE.lesson(stem).wrongs if wrong.exercise == name))
    if labels:
        label = draw.choice(labels[:3])
        return mark(name, "wrong", label, f"Your answer shows `{label}`. Look at it once more.")
    label, got = draw.choice([("mean-kept", 1.5), ("mean-kept", 1.5), ("off-by-one", 1.0)])
    return mark(name, "wrong", label, counterexample(f"Your result is off: {label}.", got))


def _mended(before: Result, draw: random.Random) -> Result:
    marks = [mark(one.exercise) if one.status == "wrong" and draw.random() < 0.4 else one for one in before.marks]
    return result(before.student, before.lesson, marks, before.status)
