"""Lessons that a teacher has frozen: what was given stands, whatever the course or a student has changed since."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jaxcourse_grade import intake
from jaxcourse_grade._records import Result, Submission
from jaxcourse_grade._store import atomic_write

MOST_NAMED = 20
"""How many students a note names; the rest are counted."""
TOO_LATE = "This was handed in after the lesson's marks had become final."


class FrozenMarksMissing(ValueError):
    """A lesson is frozen, and what was given is not there: says what is lacking, and what to do."""


@dataclass(frozen=True)
class FrozenLessons:
    """What stands of the lessons that are frozen.

    Attributes:
        sorted_in: what was handed in for the others, and which lessons have rows.
        rows: the rows that stand, as what was handed in for them.
        new: who has no row in a frozen lesson yet: nothing was handed in in time.
    """

    sorted_in: intake.Intake
    rows: tuple[Submission, ...] = ()
    new: tuple[Submission, ...] = ()


def hold(sorted_in: intake.Intake, results: Path, frozen: Sequence[str], lessons: intake.Lessons) -> FrozenLessons:
    """Take the lessons that are frozen out of what is graded, and keep their rows.

    Args:
        sorted_in: what was handed in.
        results: the folder of the results.
        frozen: the stems of these lessons.
        lessons: of the course, in its order.

    Raises:
        FrozenMarksMissing: nothing was ever graded of a lesson, or a result cannot be read.
    """
    if not frozen:
        return FrozenLessons(sorted_in)
    kept = {(one.student, one.lesson): one for stem in frozen for one in _results_of(results, stem, lessons)}
    if lost := [stem for stem in frozen if stem not in {lesson for _, lesson in kept}]:
        raise FrozenMarksMissing(
            f"{lost[0]} is frozen, and there are no marks of it in {results}: delete its line, grade it, and write the "
            "line again."
        )
    ours = [choice.submission for choice in sorted_in.choices if choice.submission.lesson in frozen]
    absent = [one for one in sorted_in.missing if one.lesson in frozen]
    late = [one for one in ours if _is_new(one, kept.get((one.student, one.lesson)))]
    rest = replace(
        sorted_in,
        choices=tuple(one for one in sorted_in.choices if one.submission.lesson not in frozen),
        missing=tuple(one for one in sorted_in.missing if one.lesson not in frozen),
        asked=tuple(stem for stem in lessons if stem in {*sorted_in.asked, *frozen}),
        notes=(*sorted_in.notes, *_notes(frozen, late)),
    )
    new = {(one.student, one.lesson): one for one in (*absent, *ours) if (one.student, one.lesson) not in kept}
    return FrozenLessons(rest, tuple(one.submission() for one in kept.values()), tuple(map(_empty, new.values())))


def _results_of(results: Path, stem: str, lessons: intake.Lessons) -> Iterator[Result]:
    """The results of a lesson; those that are kept under an earlier name of it are kept under today's from now on."""
    names = [name for name, now in intake.earlier(lessons).items() if now == stem]
    for old in [path for name in names for path in sorted(results.glob(f"*--{name}.json"))]:
        place = old.with_name(f"{old.name.rpartition('--')[0]}--{stem}.json")
        if not place.exists():
            atomic_write(place, json.dumps(_of_today(_read_result(old), stem, lessons).to_json(), indent=1) + "\n")
    for path in sorted(results.glob(f"*--{stem}.json")):
        yield _read_result(path)


def _read_result(path: Path) -> Result:
    try:
        return Result.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise FrozenMarksMissing(
            f"{path} belongs to a lesson that is frozen, and cannot be read by this grader: restore it. Or delete the "
            "lesson's line, and it is graded again."
        ) from None


def _of_today(result: Result, stem: str, lessons: intake.Lessons) -> Result:
    marks = (replace(mark, exercise=intake.exercise_today(mark.exercise, lessons)) for mark in result.marks)
    return replace(result, lesson=stem, marks=tuple(marks))


def _is_new(submission: Submission, kept: Result | None) -> bool:
    """Whether somebody has handed in something else than what the row that stands is of."""
    if kept is None or kept.status == "missing":
        return True
    return (kept.sha256, kept.beside) != (submission.sha256, submission.beside)


def _empty(submission: Submission) -> Submission:
    """Nothing, handed in by whoever handed in something too late, or nothing at all."""
    notes = (TOO_LATE,) if submission.source else ()
    return Submission(submission.student, submission.name, submission.lesson, "", notes=notes)


def _notes(frozen: Sequence[str], late: Iterable[Submission]) -> Iterator[str]:
    yield f"Frozen, so that marks stay as they are: {', '.join(f'`{stem}`' for stem in frozen)}."
    for stem in frozen:
        told = [f"{one.name} (`{one.source}`)" for one in late if one.lesson == stem]
        if told:
            more = f" and {len(told) - MOST_NAMED} more" if len(told) > MOST_NAMED else ""
            yield (
                f"Handed in for `{stem}` after it was frozen, and not graded: {', '.join(told[:MOST_NAMED])}{more}. To "
                "grade it, delete the lesson's line, or write a line in `marks.csv`."
            )
