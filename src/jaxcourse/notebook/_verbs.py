"""The verbs of a student: `check`, `hint`, `solution`, `ask` for predictions, and `progress` over all lessons."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from jaxcourse.course import Course, Lesson, LessonText, UnknownExercise, earlier_names, nearest, today
from jaxcourse.exercise import Exercise, Verdict, judge, not_attempted, variable_of
from jaxcourse.handed_in import handed_in
from jaxcourse.notebook import _panel
from jaxcourse.notebook._cells import cells, in_notebook, unread_verdict
from jaxcourse.notebook._form import form, has_widgets
from jaxcourse.notebook._predictions import Field, UnreadableAnswer
from jaxcourse.notebook._record import Record, keeps
from jaxcourse.probe import local_channel

_UNSET = object()
_EDITION = "__edition__"
"""What the first cell of a notebook calls the lesson and the edition that it is of."""
_KEPT = " An answer of yours has passed here before: run its cell again to have it back."
"""What to say of a stub that was run again: it is nobody's last word."""
_said: set[str] = set()
_record = Record.here(lambda: earlier_names(Course.installed().texts))
_hints_given: dict[str, int] = {}
_passed: dict[str, Any] = {}


class UnknownVariant(ValueError):
    """There is no such variant of an exercise."""

    def _render_traceback_(self) -> list[str]:
        """IPython shows this in place of a stack of our own frames."""
        return [str(self)]


class CheckFailed(AssertionError):
    """What a check raises under a test runner, so that a wrong answer is a failed test."""

    def __init__(self, verdict: Verdict, text: str) -> None:
        super().__init__(text)
        self.verdict = verdict

    def _render_traceback_(self) -> list[str]:
        """IPython shows this instead of a traceback through our own frames."""
        return str(self).splitlines()


def check(name: str, answer: Any = _UNSET, *, variant: int = 0) -> None:
    """Check your answer to an exercise and show what was found.

    Under a test runner a wrong answer raises instead, so that it is a failed test. Where what is right is withheld, as
    in an examination, it says that the answer is handed in, and nothing of whether it is right.

    Args:
        name: the exercise, such as `"centre-columns"`.
        answer: your answer; by default the variable named after the exercise, here `centre_columns`. One that is handed
            over here counts if it is right, and is otherwise a trial that nobody keeps.
        variant: another number checks with other inputs, for whoever does an exercise once more; what was kept of it
            stays as it is. Of an exercise that is answered by a value there is one variant.

    Raises:
        UnknownExercise: there is no such exercise: a `ValueError`.
        ValueError: the variant is no whole number from 0 on.
        CheckFailed: under a test runner, if the verdict is anything but `passed`.
    """
    lesson, task = _exercise_named(name)
    _require_a_seed(variant)
    names = {**sys._getframe(1).f_globals, **sys._getframe(1).f_locals}
    _say_edition(names, lesson.texts)
    here, name = _as_here(task, name, names, lesson.texts), task.name
    given = names.get(here.variable) if answer is _UNSET else answer
    broken = unread_verdict(here, cells()) if answer is _UNSET else None
    if broken:
        verdict = broken
    elif answer is _UNSET and here.variable not in names:
        verdict = _missing_verdict(here, names)
    elif lesson.lacks:
        shown = lesson.texts[lesson.stem].examples.get(name, ())
        verdict = handed_in(here, given, lesson.lacks, shown, {**names, here.variable: given})
    else:
        verdict = judge(here, local_channel(given), variant, right=lambda: _our_answer(lesson, task, names))
    verdict = replace(verdict, exercise=name)
    if variant:
        _report(lesson, verdict, trial=True)
        return
    if verdict.status == "passed":
        _passed[name] = given
    elif answer is _UNSET and verdict.status == "not_attempted":
        verdict = replace(verdict, message=verdict.message + (_KEPT if name in _passed else ""))
    elif answer is _UNSET:
        _passed.pop(name, None)
    _report(lesson, verdict, trial=answer is not _UNSET and verdict.status != "passed")
    if verdict.status == "passed" and in_notebook():
        _show_picture(task, {**names, task.variable: given})


def passed_answer(name: str) -> Any:
    """The answer that passed its check in this notebook's kernel, if the last one did; else None.

    None it is outside of notebooks too, and so in the class grader.

    Args:
        name: the exercise, such as `"centre-columns"`.
    """
    return _passed.get(Course.installed().exercise_today(name)) if in_notebook() else None


def _show_picture(task: Exercise, names: Mapping[str, Any]) -> None:
    """Show an answer that has passed in the lesson's own picture, drawn with what the notebook has defined."""
    from IPython.display import display

    if task.picture is None:
        return
    needed = inspect.signature(task.picture).parameters
    missing = [f"`{name}`" for name in needed if name not in names]
    if missing:
        _panel.show(_panel.of_no_picture(f"it needs {' and '.join(missing)}"))
        return
    try:
        display(task.picture(**{name: names[name] for name in needed}))
    except Exception as error:  # what the set-up cell defines may be something else by now
        if "PYTEST_VERSION" in os.environ:
            raise
        _panel.show(_panel.of_no_picture(f"{type(error).__name__} was raised"))


def _require_a_seed(variant: object) -> None:
    if type(variant) is not int or variant < 0:
        raise UnknownVariant(f"A variant is a whole number from 0 on, as in `variant=2`, and not {variant!r}.")


def _say_edition(names: Mapping[str, Any], texts: Mapping[str, LessonText]) -> None:
    """Say once if the notebook is of another edition than the package."""
    mark = str(names.get(_EDITION, ""))
    if mark not in _said and (line := another_edition(mark, texts)):
        _said.add(mark)
        print(line)


def another_edition(mark: str, texts: Mapping[str, LessonText]) -> str:
    """What to say of a notebook of another edition than the package; else nothing.

    Args:
        mark: the lesson and the edition that the notebook is of, as its first cell says them.
        texts: what the installed edition knows of the lessons, by stem.

    Example:
        >>> texts = {"01_toy": LessonText("https://x.org/01_toy.html", {}, {}, {}, edition="1f2e")}
        >>> another_edition("01_toy 1f2e", texts)
        ''
        >>> another_edition("01_toy 90ab", texts)
        'This notebook is of another edition than the installed course, so what it asks may differ: see https://x.org/01_toy.html'
        >>> another_edition("09_toy 90ab", {"01_toy": replace(texts["01_toy"], was=["09_toy"])})[-29:]
        'see https://x.org/01_toy.html'
    """
    stem, _, edition = mark.partition(" ")
    stem = today(stem, texts)
    if not edition or (stem in texts and texts[stem].edition == edition):
        return ""
    page = texts[stem].page if stem in texts else ""
    where = f": see {page}" if page else "."
    return f"This notebook is of another edition than the installed course, so what it asks may differ{where}"


def _our_answer(lesson: Lesson, task: Exercise, names: dict[str, Any]) -> Any:
    """The course's own answer, made from what the notebook has defined: it tells a fault of the check's."""
    ours = dict(names)
    exec(lesson.solution(task.name)[0], ours)
    return ours[task.variable]


def _lesson_of(name: str) -> Lesson:
    if not isinstance(name, str):
        kind = type(name).__name__
        raise UnknownExercise(f'Give the name of an exercise, as in `check("centre-columns")`, not a {kind}.')
    return Course.installed().lesson_of(name)


def _exercise_named(name: str) -> tuple[Lesson, Exercise]:
    """The exercise that has a name, or has had it, which is then said; and its lesson."""
    lesson, now = _lesson_of(name), Course.installed().exercise_today(name)
    if now != name:
        print(f"`{name}` is called `{now}` now: what you have solved of it counts.")
    return lesson, lesson.exercises[now]


def _as_here(task: Exercise, said: str, names: Mapping[str, Any], texts: Mapping[str, LessonText]) -> Exercise:
    """An exercise as a notebook calls it, which may be of before: by the first of its names that it defines."""
    before = [old for old, now in earlier_names(texts).items() if now == task.name]
    return replace(task, name=next((one for one in (said, task.name, *before) if variable_of(one) in names), said))


def _missing_verdict(task: Exercise, names: dict[str, Any]) -> Verdict:
    near = nearest(task.variable, [n for n in names if not n.startswith("_")])
    also = f" You have `{near}`: did you mean that?" if near else ""
    message = f"There is no `{task.variable}` yet. Run the cell that defines it, then check again.{also}"
    return replace(not_attempted(task, message), label="missing-name")


def _report(lesson: Lesson, verdict: Verdict, *, trial: bool = False) -> None:
    keep = keeps()
    trouble = "" if trial else _record.note(verdict, keep=keep)
    predictions = _record.predictions(keep=keep)
    panel = _panel.of_verdict(lesson, verdict, _record.results(keep=keep), trouble, predictions)
    if verdict.status != "passed" and "PYTEST_VERSION" in os.environ:
        raise CheckFailed(verdict, panel.text)
    _panel.show(panel)


def progress() -> None:
    """Show what is solved in all lessons, here and in the notebooks that lie beside this one, and what to do again."""
    texts, keep = Course.installed().texts, keeps()
    _panel.show(_panel.of_progress(texts, _record.results(keep=keep), _record.path, _record.predictions(keep=keep)))


def ask(key: str, *said: Any) -> None:
    """Take your prediction of what the next cell will show, and keep it. It returns at once, whatever you say.

    It judges nothing and holds nothing back: run the next cell, and compare. The lesson's page compares it as well,
    once the link below the prediction has taken it there.

    Args:
        key: the question's, as it stands in the notebook.
        *said: what you expect, for each thing that is asked: a value such as `(3, 4)`, or a text. With `...` in their
            places nothing is kept, and a form is shown, or how to answer.
    """
    text = next((one for one in Course.installed().texts.values() if str(key) in one.predictions), None)
    if text is None:
        _panel.show(_panel.of_no_question(str(key)))
        return
    fields = [Field(**one) for one in text.predictions[key]]
    given = [*said, *[...] * (len(fields) - len(said))]
    kept = _record.predictions(keep=keeps()).get(key)
    if any(one is not ... for one in given):
        _panel.show(_keep_prediction(text, key, fields, given))
    elif kept and len(kept) == len(fields):
        _panel.show(_prediction_panel(text, key, fields))
    elif keeps() and has_widgets():
        _panel.show_widget(form(fields, lambda answers: _keep_prediction(text, key, fields, answers, in_form=True)))
    else:
        _panel.show(_panel.of_question(fields))


def _keep_prediction(
    text: LessonText, key: str, fields: Sequence[Field], given: Sequence[Any], *, in_form: bool = False
) -> _panel.Panel:
    """Keep a prediction, if it is one; the panel that says so, or what is wrong with it."""
    refused = functools.partial(_panel.of_question, fields, in_form=in_form)
    if len(given) > len(fields):
        return refused(f"{len(given)} answers were given, and {len(fields)} asked for.")
    if any(one is ... for one in given):
        left = ", ".join(str(i) for i, one in enumerate(given, 1) if one is ...)
        return refused(f"Still open: {left}.")
    try:
        said = [field.read(one) for field, one in zip(fields, given, strict=True)]
    except UnreadableAnswer as problem:
        return refused(str(problem))
    return _prediction_panel(text, key, fields, _record.predict(key, said, keep=keeps()))


def _prediction_panel(text: LessonText, key: str, fields: Sequence[Field], trouble: str = "") -> _panel.Panel:
    """The panel of a prediction that is kept."""
    keep = keeps()
    predictions = _record.predictions(keep=keep)
    return _panel.of_prediction(fields, predictions[key], text, predictions, _record.results(keep=keep), trouble)


def hint(name: str) -> None:
    """Show a hint for an exercise; called again, show the next one as well.

    Args:
        name: the exercise, such as `"centre-columns"`.
    """
    lesson, task = _exercise_named(name)
    if lesson.lacks:
        _panel.show(_panel.of_withheld(lesson.lacks))
        return
    given = _hints_given[task.name] = min(_hints_given.get(task.name, 0) + 1, len(task.hints))
    _panel.show(_panel.of_hints(task.name, task.hints[:given], left=len(task.hints) - given))


def solution(name: str) -> None:
    """Show the worked solution to an exercise, folded in a notebook.

    Args:
        name: the exercise, such as `"centre-columns"`.
    """
    lesson, task = _exercise_named(name)
    if lesson.lacks:
        _panel.show(_panel.of_withheld(lesson.lacks))
        return
    _panel.show(_panel.of_solution(lesson.title_of(task.name), *lesson.solution(task.name)))
