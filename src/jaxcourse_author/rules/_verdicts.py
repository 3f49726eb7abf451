"""Rules about verdicts: on blanks, on right answers, on listed wrong ones, and on what is not an answer at all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from jaxcourse.exercise import Exercise, Verdict, Wrong, judge
from jaxcourse.prediction import Prediction
from jaxcourse.probe import local_channel
from jaxcourse_author.rules._rule import SEEDS, STUMBLED, Pair, Refusal, rule

LONGEST = 1500
"""Characters of a verdict on an odd answer: its counterexample is a table and a call, each of a few lines."""
UNFINISHED = 'A stub ends in `raise NotImplementedError("your turn")` or is `name = ...`; other cells do not need it.'


@rule(per="lesson")
def blanks_are_not_attempted(pair: Pair) -> Iterator[Refusal]:
    """Every blank is judged `not_attempted`, and nothing else."""
    for exercise, task in pair.exercises():
        verdict = pair.verdict(exercise, pair.answer(task.stub, exercise.variable))
        if verdict.status != "not_attempted":
            yield Refusal(pair.md, f"the blank of {exercise.name!r} is judged {_in_words(verdict)}", UNFINISHED)


@rule(per="lesson")
def solutions_pass(pair: Pair) -> Iterator[Refusal]:
    """Every solution passes on every seed."""
    for name, answer in pair.solutions.items():
        exercise = pair.checks.exercises[name]
        for seed in range(1 if isinstance(exercise.check, Prediction) else pair.seeds):  # a prediction draws nothing
            if (verdict := pair.verdict(exercise, answer, seed)).status != "passed":
                yield Refusal(
                    pair.md,
                    f"the solution of {exercise.name!r} is judged {_in_words(verdict)} on seed {seed}",
                    "Mend the solution or the check.",
                )
                break


@rule(per="lesson")
def squares_are_asked(pair: Pair) -> Iterator[Refusal]:
    """Where matrices of several shapes are asked, one is square: in it, axes are mixed up without an error."""
    for name, answer in pair.solutions.items():
        pair.verdict(pair.checks.exercises[name], answer)
    for (name, place), shapes in pair.matrices.items():
        wide = sorted(shape for shape in shapes if min(shape) > 1)
        if len(wide) > 1 and all(rows != columns for rows, columns in wide):
            yield Refusal(
                pair.check_file(name),
                f"argument {place} of the questions about {name!r} is never a square matrix: {wide[:5]}",
                "Make one of the shapes square.",
            )


@rule(per="lesson")
def predictions_are_true(pair: Pair) -> Iterator[Refusal]:
    """What a lesson says is right in a prediction is what NumPy and JAX give on this machine."""
    for name, exercise in pair.checks.exercises.items():
        data = exercise.check
        if isinstance(data, Prediction) and data.truth is not None and name in pair.solutions:
            try:
                truth = data.truth()
            except Exception as error:
                raise pair.stumble(name, f"`{data.truth.__name__}` raises", error) from error
            if not data.agrees(truth):
                problem = f"the solution of {name!r} is {data.right!r}, and `{data.truth.__name__}` gives {truth!r}"
                yield Refusal(pair.md, problem, "Mend the solution, or what computes the truth.")


@rule(per="lesson")
def wrong_answers_are_diagnosed(pair: Pair) -> Iterator[Refusal]:
    """Every listed wrong answer gets its own diagnosis."""
    for item in pair.listed_wrongs():
        if item.exercise not in pair.checks.exercises:
            yield Refusal(
                pair.answer_file(item.exercise),
                f"a wrong answer to the unknown exercise {item.exercise!r}",
                "Mend the name.",
            )
            continue
        exercise = pair.checks.exercises[item.exercise]
        for seed in pair.draws():
            verdict = pair.verdict(exercise, item.answer, seed)
            if verdict.label != item.label:
                yield Refusal(
                    pair.answer_file(item.exercise),
                    f"a wrong answer to {item.exercise!r} should be {item.label!r}: on seed {seed} it is "
                    f"{_in_words(verdict)}",
                    _mend(item, verdict),
                )
                break


def _mend(item: Wrong, verdict: Verdict) -> str:
    """What helps where a listed answer gets another verdict than its own."""
    if verdict.status == "passed":
        return "Draw an input on which it shows, on every seed; or list it as right."
    if verdict.status == "error":
        known = f'`raising={{"{item.label}": "part of the message"}}`'
        return f"It raises before its result is looked at: let the step know it by that, {known}, or draw other inputs."
    return "Put the specific requirement before the general one, or mend the label."


@rule(per="lesson")
def checks_are_repeatable(pair: Pair) -> Iterator[Refusal]:
    """Every check says the same thing twice about the same answer."""
    for exercise in pair.checks.exercises.values():
        if isinstance(exercise.check, Prediction):
            continue  # it draws nothing and remembers nothing
        yield from _repeat_verdict(pair, exercise)


def _repeat_verdict(pair: Pair, exercise: Exercise) -> Iterator[Refusal]:
    """Hear the verdict on a wrong answer again: the one of which most is said, or all of them on many draws.

    What is repeatable is the check, so one answer stands for the others. The longest message shows the numbers that
    were drawn, and so tells most; of a right answer nothing is said at all, and it is judged on several draws anyway.
    The answer itself is asked again on many draws only, since all that can differ are questions with chance in them.
    """
    answers = [item.answer for item in pair.wrong_answers(exercise.name)]
    verdicts = [pair.verdict(exercise, answer) for answer in answers]
    if pair.seeds > SEEDS:
        channels = [(once, local_channel(answer)) for once, answer in zip(verdicts, answers, strict=True)]
    else:
        channels = [
            (once, transcript.again()) for transcript, once in filter(None, [pair.transcripts.get(exercise.name)])
        ]
    for once, channel in channels:
        twice = judge(exercise, channel)
        if (once.status, once.label, once.message) != (twice.status, twice.label, twice.message):
            yield Refusal(
                pair.check_file(exercise.name),
                f"the check of {exercise.name!r} says {_in_words(once)}, then {_in_words(twice)}",
                "Draw every number from `rng`.",
            )


@rule(per="lesson")
def odd_answers_are_survived(pair: Pair) -> Iterator[Refusal]:
    """An odd answer, whatever it is or returns, gets a short verdict and never passes."""
    for exercise, _ in pair.exercises():
        for name, answer in _odd_answers(pair.solutions[exercise.name]):
            verdict = judge(exercise, local_channel(answer))
            if verdict.label == STUMBLED:
                raise pair.stumbled(exercise, answer)
            if verdict.status == "passed" or len(verdict.message) > LONGEST:
                yield Refusal(
                    pair.check_file(exercise.name),
                    f"{name} as an answer to {exercise.name!r} is judged {_in_words(verdict)}",
                    "Require the type or the shape first.",
                )


def _in_words(verdict: Verdict) -> str:
    return f"`{verdict.status}`" + (f" ({verdict.label}: {verdict.message})" if verdict.label else "")


def _raises(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError("division by zero")


def _prints_megabytes(*_: Any, **__: Any) -> Any:
    for _i in range(1000):
        print("x" * 4000)
    return "printed"


ODD_ANSWERS: dict[str, Any] = {
    "None": None,
    "a text": "a text",
    "a number": 1234567,
    "an empty list": [],
    "a ragged list": [[1], [2, 3]],
    "an object": object(),
    "a class": dict,
    "NaN": float("nan"),
    "an array of NaN": np.full((3, 3), np.nan),
    "a function of nothing": lambda: 1,
    "a function that returns nothing": lambda *_, **__: None,
    "a function that returns a text": lambda *_, **__: "a text",
    "a function that returns a ragged list": lambda *_, **__: [[1], [2, 3]],
    "a function that returns an object": lambda *_, **__: object(),
    "a function that returns NaN": lambda *_, **__: float("nan"),
    "a function that returns an empty array": lambda *_, **__: np.zeros((0,)),
    "a function that raises": _raises,
    "a function that prints megabytes": _prints_megabytes,
    "a function that exits": lambda *_, **__: sys.exit(3),
}
"""Answers that fit no exercise."""


def _odd_answers(solution: Any) -> Iterator[tuple[str, Any]]:
    """Odd answers, and for a dictionary of predictions also the same dictionary with odd entries."""
    yield from ODD_ANSWERS.items()
    if isinstance(solution, dict):
        for name, odd in ODD_ANSWERS.items():
            yield f"a dictionary with {name} everywhere", dict.fromkeys(solution, odd)
