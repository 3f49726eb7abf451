"""The three verbs of a student: `check`, `hint`, `solution`."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import Any

from jaxcourse.course import Course, Lesson, UnknownExercise, nearest
from jaxcourse.exercise import Exercise, Verdict, judge, not_attempted
from jaxcourse.notebook import _panel
from jaxcourse.probe import local_channel

_UNSET = object()
_solved: dict[str, set[str]] = {}
_hints_given: dict[str, int] = {}


class CheckFailed(AssertionError):
    """What a check raises under a test runner, so that a wrong answer is a failed test."""

    def __init__(self, verdict: Verdict, text: str) -> None:
        super().__init__(text)
        self.verdict = verdict

    def _render_traceback_(self) -> list[str]:
        """IPython shows this instead of a traceback through our own frames."""
        return str(self).splitlines()


def check(name: str, answer: Any = _UNSET) -> None:
    """Check your answer to an exercise and show what was found.

    Under a test runner a wrong answer raises instead, so that it is a failed test.

    Args:
        name: the exercise, such as `"centre-columns"`.
        answer: your answer; by default the variable named after the exercise, here `centre_columns`.

    Raises:
        UnknownExercise: there is no such exercise: a `ValueError`.
        CheckFailed: under a test runner, if the verdict is anything but `passed`.
    """
    lesson = _lesson_of(name)
    task = lesson.exercises[name]
    if answer is _UNSET:
        names = {**sys._getframe(1).f_globals, **sys._getframe(1).f_locals}
        verdict = judge(task, local_channel(names[task.variable])) if task.variable in names else _missing(task, names)
    else:
        verdict = judge(task, local_channel(answer))
    _report(lesson, verdict)


def _lesson_of(name: str) -> Lesson:
    if not isinstance(name, str):
        kind = type(name).__name__
        raise UnknownExercise(f'Give the name of an exercise, as in `check("centre-columns")`, not a {kind}.')
    return Course.installed().lesson_of(name)


def _missing(task: Exercise, names: dict[str, Any]) -> Verdict:
    near = nearest(task.variable, [n for n in names if not n.startswith("_")])
    also = f" You have `{near}`: did you mean that?" if near else ""
    message = f"There is no `{task.variable}` yet. Run the cell that defines it, then check again.{also}"
    return replace(not_attempted(task, message), label="missing-name")


def _report(lesson: Lesson, verdict: Verdict) -> None:
    solved = _solved.setdefault(lesson.stem, set())
    (solved.add if verdict.status == "passed" else solved.discard)(verdict.exercise)
    panel = _panel.of_verdict(lesson, verdict, sorted(solved))
    if verdict.status != "passed" and "PYTEST_VERSION" in os.environ:
        raise CheckFailed(verdict, panel.text)
    _panel.show(panel)


def hint(name: str) -> None:
    """Show a hint for an exercise; called again, show the next one as well.

    Args:
        name: the exercise, such as `"centre-columns"`.
    """
    lesson = _lesson_of(name)
    hints = lesson.exercises[name].hints
    given = _hints_given[name] = min(_hints_given.get(name, 0) + 1, len(hints))
    _panel.show(_panel.of_hints(name, hints[:given], left=len(hints) - given))


def solution(name: str) -> None:
    """Show the worked solution to an exercise, folded in a notebook.

    Args:
        name: the exercise, such as `"centre-columns"`.
    """
    lesson = _lesson_of(name)
    _panel.show(_panel.of_solution(name, *lesson.solution(name)))
