"""Exercises that check themselves: `exercise`, `wrong` and `require` for an author, `judge` for whoever runs them.

A check is a function of an answer and a random generator. It asks the answer questions (see `jaxcourse.probe`) and
requires things of the replies; the first requirement that fails is the diagnosis. What comes out is a `Verdict`:
data that a panel can show, a test runner can raise and a class report can count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from jaxcourse.probe import Answer, AnswerRaised, Door, Refused

Status = Literal["passed", "wrong", "error", "not_attempted"]
Check = Callable[[Answer, np.random.Generator], None]

ENGINE_LABELS = frozenset(
    {
        "changed-input",
        "is-a-function",
        "keys-changed",
        "nan",
        "not-a-function",
        "not-written-out",
        "returned-nothing",
        "wrong-shape",
        "wrong-type",
    }
)
"""Diagnoses that the engine makes by itself, for any exercise."""


@dataclass(frozen=True)
class Verdict:
    """What a check found, as data.

    Attributes:
        exercise: the exercise's name.
        status: `passed`, `wrong` (with a label), `error` (the answer raised) or `not_attempted`.
        label: which mistake it was; for an error the exception's name.
        message: what to tell the student.
        see: the anchor of the paragraph to read again.
        called: the call that decided, such as `centre_columns(float64[5,3])`.
        returned: what came back from it.
        printed: the beginning of what the answer printed while it was checked.
        printed_total: how many characters it printed.
        points: the points earned.
    """

    exercise: str
    status: Status
    label: str = ""
    message: str = ""
    see: str = ""
    called: str = ""
    returned: str = ""
    printed: str = ""
    printed_total: int = 0
    points: float = 0


@dataclass(frozen=True)
class Exercise:
    """One exercise: its name, its check, and what a student is told."""

    name: str
    check: Check
    points: float = 1
    hints: tuple[str, ...] = ()
    see: str = ""
    may_change_input: bool = False

    @property
    def variable(self) -> str:
        """The name that the answer has in a notebook: `centre-columns` is answered by `centre_columns`."""
        return self.name.replace("-", "_")


@dataclass(frozen=True)
class Wrong:
    """A wrong answer that people really give, and the diagnosis that it must get."""

    exercise: str
    label: str
    answer: Any


class Diagnosis(Exception):
    """Raised by `require`: which mistake it is, what to say, and where to read again."""

    def __init__(self, label: str, message: str, see: str = "") -> None:
        super().__init__(message)
        self.label, self.message, self.see = label, message, see


# -- for authors ------------------------------------------------------------------------------------------------


def exercise(
    name: str, *, hint: str | Sequence[str], see: str, points: float = 1, may_change_input: bool = False
) -> Callable[[Check], Exercise]:
    """Make a function the check of an exercise.

    Args:
        name: the exercise's label in the lesson; its answer is the variable of that name with underscores.
        hint: one hint, or several that are given one after the other.
        see: the anchor of the lesson's paragraph that explains it.
        points: what it is worth.
        may_change_input: whether an answer may change its arguments.

    Example:
        >>> @exercise("double-it", hint="`+` or `*`", see="arithmetic")
        ... def double_it(answer, rng):
        ...     x = rng.normal(size=3)
        ...     expect(answer(x), 2 * x, "Each element should be twice what it was.")
        >>> from jaxcourse.probe import local_door
        >>> judge(double_it, local_door(lambda x: x + x)).status
        'passed'
    """
    hints = (hint,) if isinstance(hint, str) else tuple(hint)
    return lambda check: Exercise(name, check, points, hints, see, may_change_input)


def wrong(exercise: str, label: str) -> Callable[[Any], Wrong]:
    """Record a wrong answer: a decorator for a function, a plain call for a value.

    Example:
        >>> forgot_the_itemsize = wrong("row-strides", "counted-elements")((3, 1))
        >>> forgot_the_itemsize.label
        'counted-elements'
    """
    return lambda answer: Wrong(exercise, label, answer)


def require(truth: Any, label: str, message: str, *, see: str = "") -> None:
    """Diagnose a mistake unless something is true.

    Args:
        truth: what must hold.
        label: the mistake's name, for reports.
        message: what it was and why it matters; the call and its result are shown beside it.
        see: the anchor to read again, if it is not the exercise's own.

    Raises:
        Diagnosis: if `truth` is false.
    """
    if not truth:
        raise Diagnosis(label, message, see)


def close(got: Any, want: Any, *, rtol: float | None = None) -> bool:
    """Whether two things have the same shape and the same numbers, up to rounding in the coarser dtype.

    Args:
        got: anything; what is not numbers is close to nothing.
        want: a number or an array.
        rtol: relative tolerance; by default some hundreds of units in the last place of the coarser dtype.

    Example:
        >>> close(0.1 + 0.2, 0.3), close([1, 2], np.ones((2, 1))), close("0.3", 0.3)
        (True, False, False)
    """
    if not (is_numeric(got) and is_numeric(want)):
        return False
    a, b = np.asarray(got), np.asarray(want)
    if a.shape != b.shape:
        return False
    if a.dtype.kind in "biu" and b.dtype.kind in "biu" and rtol is None:
        return bool(np.array_equal(a, b))  # `allclose` makes floats of them, which are coarser beyond 2**53
    tolerance = max(_tolerance(a.dtype), _tolerance(b.dtype)) if rtol is None else rtol
    scale = float(np.max(np.abs(b), initial=0, where=np.isfinite(b)))
    return bool(np.allclose(a, b, rtol=tolerance, atol=tolerance * scale, equal_nan=True))


def is_numeric(value: Any) -> bool:
    """Whether a value is a number, an array of numbers, or nested lists that NumPy makes into one."""
    try:
        dtype = np.asarray(value).dtype
    except ValueError:  # ragged lists
        return False
    return bool(dtype.kind in "biufc" or dtype.name.startswith(("bfloat", "float8")))


def numbers(value: Any) -> np.ndarray:
    """Require that something is a number or an array of numbers, and return it as an array.

    Raises:
        Diagnosis: `wrong-type`.

    Example:
        >>> numbers([1.0, 2.0]).shape
        (2,)
    """
    kind = type(value).__name__
    require(is_numeric(value), "wrong-type", f"Numbers were expected, but an object of type `{kind}` came back.")
    return np.asarray(value)


def entries(value: Any, like: Mapping[str, Any], kind: type = object) -> dict[str, Any]:
    """Require that a prediction is still the dictionary of the stub, and return it.

    Args:
        value: the answer.
        like: a dictionary with the keys of the stub.
        kind: what each entry must be, such as `bool`.

    Raises:
        Diagnosis: `keys-changed` or `wrong-type`.

    Example:
        >>> entries({"m.T": True}, like={"m.T": False}, kind=bool)
        {'m.T': True}
    """
    same = isinstance(value, dict) and value.keys() == like.keys()
    require(same, "keys-changed", f"Keep the dictionary and its {len(like)} keys, and replace only the values.")
    plain = {name: entry.item() if isinstance(entry, np.generic) else entry for name, entry in value.items()}
    words = {bool: "`True` or `False`", int: "a whole number", str: "a text"}.get(kind, f"a `{kind.__name__}`")
    odd = next((name for name, entry in plain.items() if not isinstance(entry, kind)), None)
    require(odd is None, "wrong-type", f"Each entry should be {words}; `{odd}` is not.")
    return plain


def expect_entries(got: Mapping[str, Any], want: Mapping[str, Any], message: str) -> None:
    """Require that every entry of a prediction is right, and name those that are not.

    Raises:
        Diagnosis: `wrong-value`.

    Example:
        >>> expect_entries({"a": 1}, {"a": 1}, "Count again.")
    """
    differ = ", ".join(f"`{name}`" for name in want if not agree(got[name], want[name]))
    require(not differ, "wrong-value", f"Not right yet: {differ}. {message}")


def agree(got: Any, want: Any) -> bool:
    """Whether two pieces of plain data say the same: numbers up to rounding, tuples and lists alike.

    Example:
        >>> agree([24, 4], (24, 4)), agree({"a": (3,)}, {"a": [3.0]}), agree("3", 3)
        (True, True, False)
    """
    if isinstance(want, Mapping):
        return isinstance(got, Mapping) and got.keys() == want.keys() and all(agree(got[k], want[k]) for k in want)
    return close(got, want) if is_numeric(want) else type(got) is type(want) and bool(got == want)


_COARSEST = 2.0**-5
"""No dtype is so coarse that more than this passes: 500 times the epsilon of float16 would be one half."""


def _tolerance(dtype: np.dtype) -> float:
    if dtype.kind in "biu":
        return 0.0
    try:
        return min(500 * float(np.finfo(dtype).eps), _COARSEST)
    except ValueError:  # ml_dtypes: bfloat16 has 8 bits of mantissa
        return _COARSEST


def expect(got: Any, want: Any, message: str, *, label: str = "wrong-value", rtol: float | None = None) -> None:
    """Require that a result is numbers, has the right shape, has no NaN of its own making, and is right.

    Args:
        got: what came back.
        want: what should have come back.
        message: why, if the numbers differ; the first difference is added to it.
        label: the diagnosis if the numbers differ.
        rtol: see `close`.

    Raises:
        Diagnosis: `wrong-type`, `wrong-shape`, `nan`, or `label`.
    """
    got, want = numbers(got), np.asarray(want)
    require(got.shape == want.shape, "wrong-shape", f"The shape should be {want.shape}, not {got.shape}.")
    stray = np.isnan(got) & ~np.isnan(want) if got.dtype.kind in "fc" else np.zeros(got.shape, bool)
    require(not stray.any(), "nan", f"{_count(stray)} NaN (not a number), where a number was expected.")
    if not close(got, want, rtol=rtol):
        raise Diagnosis(label, f"{message} {_first_difference(got, want)}")


def _count(mask: np.ndarray) -> str:
    return "The result is" if mask.ndim == 0 else f"{int(mask.sum())} of {mask.size} elements are"


def _first_difference(got: np.ndarray, want: np.ndarray) -> str:
    if want.ndim == 0:
        return f"Expected {want.item()!r}, got {got.item()!r}."
    differs = np.array([not close(a, b) for a, b in zip(got.flat, want.flat, strict=True)]).reshape(want.shape)
    if not differs.any():
        return ""
    where = tuple(int(i) for i in np.argwhere(differs)[0])
    at = ", ".join(map(str, where))
    return f"At [{at}] expected {want[where].item()!r}, got {got[where].item()!r} ({_count(differs)} different)."


# -- the verdict ------------------------------------------------------------------------------------------------


def judge(exercise: Exercise, door: Door, seed: int = 0) -> Verdict:
    """Judge one answer.

    Args:
        exercise: what was asked.
        door: the way to the answer.
        seed: of the generator that draws the inputs; one number for a student, another for each class.

    Returns:
        The verdict. Nothing that the answer does makes this raise.

    Example:
        >>> from jaxcourse.probe import local_door
        >>> double_it = Exercise("double-it", lambda answer, rng: expect(answer(3), 6, "Twice."))
        >>> verdict = judge(double_it, local_door(lambda x: x * x))
        >>> verdict.label, verdict.message
        ('wrong-value', 'Twice. Expected 6, got 9.')
    """
    answer = Answer(exercise.variable, door, exercise.may_change_input)
    verdict = Verdict(exercise.name, "passed", points=exercise.points)
    if answer.kind() == "unfinished":
        return not_attempted(
            exercise, f"There is still a `...` in `{exercise.variable}`: replace it, run it, check again."
        )
    try:
        exercise.check(answer, np.random.default_rng(seed))
    except (Diagnosis, Refused) as found:
        see = getattr(found, "see", "") or exercise.see
        verdict = Verdict(exercise.name, "wrong", found.label, found.message, see)
    except AnswerRaised as error:
        if (error.raised.kind, error.raised.message) == ("NotImplementedError", "your turn"):
            return not_attempted(
                exercise, f"`{exercise.variable}` is still empty: write its body, run it, check again."
            )
        where = f" in `{error.raised.line}`" if error.raised.line else ""
        verdict = Verdict(
            exercise.name, "error", error.raised.kind, f"Your code raised {_short(error)}{where}.", exercise.see
        )
    except Exception as error:  # what came back was so odd that the check itself fell over it
        message = f"The check could not make sense of what came back ({type(error).__name__}: {error})."
        verdict = Verdict(exercise.name, "error", "check-stumbled", message, exercise.see)
    return replace(
        verdict,
        called=answer.called,
        returned=answer.returned,
        printed=answer.printed,
        printed_total=answer.printed_total,
    )


def not_attempted(exercise: Exercise, message: str) -> Verdict:
    """The verdict on an answer that is not there yet."""
    return Verdict(exercise.name, "not_attempted", "not-attempted", message, exercise.see)


def _short(error: AnswerRaised, limit: int = 300) -> str:
    first = error.raised.message.strip().split("\n\n")[0].replace("\n", " ")
    text = f"{error.raised.kind}: {first}" if first else error.raised.kind
    return text if len(text) <= limit else text[: limit - 3] + "..."
