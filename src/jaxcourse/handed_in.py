"""The verdict where what is right is withheld, as in an examination: that there is an answer, and perhaps that it runs.

Nothing here knows what is right: the installed course has neither the check nor the solution.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Mapping, Sequence
from types import CodeType, MappingProxyType
from typing import Any

from jaxcourse.course import RUNS, Withheld
from jaxcourse.exercise import EMPTY, Exercise, Verdict, left_empty, left_open
from jaxcourse.markup import code
from jaxcourse.probe import Answer, describe_error, local_channel

NEXT = "Your answer has not been judged. It counts once you hand in the notebook itself, as your teacher says."
"""What is left to do for whoever has an answer."""
DOES_NOT_RUN = "does-not-run"
_NOTHING: Mapping[str, Any] = MappingProxyType({})


def handed_in(
    exercise: Exercise, given: Any, why: Withheld, examples: Sequence[str] = (), names: Mapping[str, Any] = _NOTHING
) -> Verdict:
    """The verdict on an answer to an exercise whose check is withheld.

    Args:
        exercise: what was asked.
        given: the answer.
        why: until when the check is withheld, and what may be told.
        examples: the calls that the task shows.
        names: what the notebook has defined, for them.

    Example:
        >>> twice = Exercise("twice", lambda answer, rng: None)
        >>> verdict = handed_in(twice, lambda x: x, Withheld("always"))
        >>> verdict.status, verdict.message.partition(". ")[0]
        ('handed_in', 'What is right is withheld for good')
        >>> told = Withheld("always", tells="runs")
        >>> handed_in(twice, len, told, ["twice(3)"], {"twice": len}).label
        'does-not-run'
    """
    if Answer(exercise.variable, local_channel(given)).kind == "unfinished":
        return left_open(exercise)
    if _is_empty(given):
        return left_empty(exercise)
    told, label = _example_outcome(examples, names) if why.tells == RUNS else ("", "")
    said = f"What is right is withheld {'for good' if why.until == 'always' else why.words}. {NEXT}"
    return Verdict(exercise.name, "handed_in", label, "\n\n".join(filter(None, [told, said])))


def _example_outcome(examples: Sequence[str], names: Mapping[str, Any]) -> tuple[str, str]:
    """Whether each example runs, in words, and the label if one does not. What comes back, nobody looks at."""
    for example in examples:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                eval(example, {**names})
        except Exception as error:
            raised = describe_error(error)
            what = f"{raised.kind}: {raised.message}" if raised.message else raised.kind
            return f"It does not run yet: {code(example)} raises {code(what[:300])}", DOES_NOT_RUN
    shown = " and ".join(code(example) for example in examples)
    return (f"It runs: {shown} raises no exception. That does not say whether it is right." if examples else ""), ""


def _is_empty(given: Any) -> bool:
    """Whether a function does nothing but raise what its task let it raise."""
    body = getattr(given, "__code__", None)
    return isinstance(body, CodeType) and body.co_names == EMPTY[:1] and EMPTY[1] in body.co_consts
