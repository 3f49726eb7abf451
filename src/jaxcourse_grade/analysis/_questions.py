"""A mistake as a slide: what the check says of it, the counterexample that it found, and a question to put to the room.

Nothing on a slide is made up. What a question offers is what the check wanted and what answers gave, as counterexamples
print it, or what a prediction's check lists as right and as wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from jaxcourse.course import Course
from jaxcourse.exercise import variable_of
from jaxcourse.markup import Span, blocks, code, spans
from jaxcourse.markup import table as as_table
from jaxcourse.prediction import Prediction
from jaxcourse_grade.analysis._mistakes import MistakeCount, usual_message

MOST = 3
"""How many mistakes get a slide."""
CHOICES = 4
"""How many answers a question offers."""


@dataclass(frozen=True)
class Question:
    """A question with a choice.

    Attributes:
        asks: the question, in the markup of verdicts.
        given: the input as a table in markup; empty if the question needs none.
        choices: the answers, in an order that tells nothing.
        right: which of them is right.
    """

    asks: str
    given: str
    choices: tuple[str, ...]
    right: int


@dataclass(frozen=True)
class Slide:
    """A mistake to talk about.

    Attributes:
        made: which it is, and who made it.
        message: what the check says, with its counterexample, if there is one.
        question: what to ask; None where neither check nor answers give a choice.
    """

    made: MistakeCount
    message: str
    question: Question | None


def slides(
    made: Sequence[MistakeCount], prediction: Callable[[str], Prediction | None] = lambda name: None
) -> list[Slide]:
    """The most frequent mistakes of a term that checks have words for.

    What raised an exception, or took too long, is left out: it may be another mistake for each student.

    Args:
        made: the mistakes of the term, the most frequent first.
        prediction: gives the check of an exercise, if it is a prediction.
    """
    return [_slide(one, made, prediction(one.exercise)) for one in made if one.status == "wrong"][:MOST]


def _slide(made: MistakeCount, others: Iterable[MistakeCount], prediction: Prediction | None) -> Slide:
    if prediction:
        return Slide(made, made.message, _of_prediction(made, prediction))
    shown = [mark for mark in made.marks if _counterexample(mark.message)]
    message = usual_message(shown or made.marks)
    of_exercise = [mark.message for one in others if one.exercise == made.exercise for mark in one.marks]
    return Slide(made, message, _of_function(made.exercise, message, of_exercise))


def prediction_of(course: Course, name: str) -> Prediction | None:
    """The check of an exercise, if today's course has it and it is a prediction."""
    stem = next((stem for stem, names in course.exercises().items() if name in names), "")
    check = course.lesson(stem).exercises[name].check if stem else None
    return check if isinstance(check, Prediction) else None


# -- of a counterexample ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Counterexample:
    """What a verdict's table says.

    Attributes:
        given: its rows of arguments, as they stand: the name, then the lines of the value.
        wanted, got: the results, without what marks the differences.
    """

    given: tuple[tuple[tuple[str, ...], ...], ...]
    wanted: str
    got: str


def _counterexample(message: str) -> _Counterexample | None:
    for block in blocks(message):
        rows = {_flat(row[0]): row for row in block.rows if len(row) > 1}
        if {"wanted", "got"} <= rows.keys():
            given = tuple(row for name, row in rows.items() if name not in ("wanted", "got"))
            wanted, got = (_result(rows[name]) for name in ("wanted", "got"))
            return _Counterexample(given, wanted, got) if wanted != got else None
    return None


def _result(row: Sequence[Sequence[str]]) -> str:
    """The cells behind a row's name: the value, and its dtype where that counts."""
    return " ".join(filter(None, map(_flat, row[1:])))


def _flat(lines: Iterable[str]) -> str:
    """A cell's lines as plain text: the differences are no longer marked, because that would be the answer."""
    return "\n".join("".join(map(_text, spans(line))).rstrip() for line in lines)


def _text(span: Span) -> str:
    return span.text or "".join(map(_text, span.inside))


def _of_function(exercise: str, message: str, messages: Iterable[str]) -> Question | None:
    """What a function should return for the input of a counterexample; what answers gave for it are the others."""
    shown = _counterexample(message)
    if shown is None:
        return None
    alike = (other for text in messages if (other := _counterexample(text)))
    gave = [other.got for other in alike if (other.given, other.wanted) == (shown.given, shown.wanted)]
    given = as_table(_table_rows(shown))
    return _question(
        f"What should {code(_call(exercise, message, shown))} return here?", given, shown.wanted, shown.got, gave
    )


def _table_rows(shown: _Counterexample) -> Iterator[tuple[str, ...]]:
    for name, *cells in shown.given:
        for i in range(max(map(len, cells))):
            yield (name[0] if not i else "", *(cell[i] if i < len(cell) else "" for cell in cells))


def _call(exercise: str, message: str, shown: _Counterexample) -> str:
    """The call: the last line of the verdict's code, or else that of its arguments' names."""
    lines = [line for block in blocks(message) if block.kind == "code" for line in block.text.splitlines()]
    names = [_flat(row[0]) for row in shown.given]
    return re.sub(r"\s*#.*", "", lines[-1]) if lines else f"{variable_of(exercise)}({', '.join(names)})"


# -- of a prediction --------------------------------------------------------------------------------------------


def _of_prediction(made: MistakeCount, check: Prediction) -> Question | None:
    """What is right in one entry of a prediction; its check lists what else people say there."""
    right = check.table(check.right)
    listed = [(wrong.label, check.table(wrong.answer)) for wrong in check.wrongs(made.exercise)]
    own = [table for label, table in listed if label == made.label]
    name = next((name for table in own for name in right if not check.accepts(name, table[name])), None)
    if name is None:
        return None
    tables = (*own, *(table for _, table in listed))
    said = [repr(table[name]) for table in tables if not check.accepts(name, table[name])]
    entry = f" for {code(str(name))}" if isinstance(check.right, dict) else f", entry {name + 1}" if name != "" else ""
    return _question(f"What is right in {made.known.numbered_title}{entry}?", "", repr(right[name]), said[0], said)


def _question(asks: str, given: str, right: str, wrong: str, others: Iterable[str]) -> Question:
    """A question with the right answer, that of the mistake, and others that were given."""
    chosen = [*dict.fromkeys([right, wrong, *others])][:CHOICES]
    in_order = sorted(chosen, key=_natural)
    return Question(asks, given, tuple(in_order), in_order.index(right))


def _natural(text: str) -> list[tuple[int, float, str]]:
    """What sorts texts by the numbers in them."""
    parts = re.findall(r"-?\d+(?:\.\d+)?|\D", text)
    return [(0, float(part), "") if part[-1].isdigit() else (1, 0.0, part) for part in parts]
