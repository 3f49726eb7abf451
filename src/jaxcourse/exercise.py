"""Exercises that check themselves: what one is, how an answer to it is listed, and `judge`, which finds its verdict.

A check is a function of an answer and a random generator. It asks the answer questions (see `jaxcourse.probe`) and
requires things of the replies; the first requirement that fails is the diagnosis. What comes out is a `Verdict`:
data that a panel can show, a test runner can raise and a class report can count.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import jax
import numpy as np

from jaxcourse.bans import Ban
from jaxcourse.insides import CannotRead, in_full_precision, our_settings, quickly
from jaxcourse.markup import code, literal, quoted
from jaxcourse.probe import Answer, AnswerRaised, Channel, Raised, Refused, Stumbled, describe_error, local_channel
from jaxcourse.tried import Tried, tried

Status = Literal["passed", "wrong", "error", "not_attempted", "handed_in", "stumbled"]
Check = Callable[[Answer, np.random.Generator], None]

ENGINE_LABELS = frozenset(
    {
        "calls-python",
        "changed-input",
        "changed-settings",
        "forbidden-call",
        "is-a-function",
        "keys-changed",
        "loops",
        "nan",
        "not-a-function",
        "not-a-primitive",
        "not-written-out",
        "returned-nothing",
        "returned-what-came-in",
        "wrong-shape",
        "wrong-type",
    }
)
"""Diagnoses that the engine makes by itself, for any exercise."""
EMPTY = ("NotImplementedError", "your turn")
"""What a function raises that is as its task gave it."""


@dataclass(frozen=True)
class Verdict:
    """What a check found, as data.

    Attributes:
        exercise: the exercise's name.
        status: `passed`, `wrong` (with a label), `error` (the answer raised), `not_attempted`, `handed_in` (what is
            right is withheld: see `jaxcourse.handed_in`), or `stumbled`: the check could not do its work, which is not
            the answer's fault.
        label: which mistake it was; for an error, the exception's name.
        message: what to tell the student.
        see: the anchor of the paragraph to read again.
        called: the call that decided, such as `centre_columns(float64[5,3])`.
        returned: what came back from it.
        printed: the beginning of what the answer printed while it was checked.
        printed_total: how many characters it printed.
        points: the points earned.
        tried: on how much an answer was tried that passed.
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
    tried: Tried = Tried()


@dataclass(frozen=True)
class Exercise:
    """One exercise: its name, its check, and what a student is told.

    With `picture`, an answer that has passed in a notebook is shown in the lesson's own picture: a function whose
    arguments are called as what it needs is called there, such as the answer and what the set-up cell defines.
    """

    name: str
    check: Check
    points: float = 1
    hints: tuple[str, ...] = ()
    see: str = ""
    may_change_input: bool = False
    without: tuple[Ban, ...] = ()
    picture: Callable[..., Any] | None = None

    @property
    def variable(self) -> str:
        """The name that the answer has in a notebook: `centre-columns` is answered by `centre_columns`."""
        return variable_of(self.name)


def variable_of(name: str) -> str:
    """The name that the answer to an exercise has in a notebook.

    Example:
        >>> variable_of("centre-columns")
        'centre_columns'
    """
    return name.replace("-", "_")


@dataclass(frozen=True)
class Wrong:
    """A wrong answer that people really give, and the diagnosis that it must get."""

    exercise: str
    label: str
    answer: Any


def one_for_each_label(wrongs: Iterable[Wrong]) -> list[Wrong]:
    """The first wrong answer of each label of an exercise.

    Example:
        >>> wrongs = Wrong("sum", "twice", 2), Wrong("sum", "twice", 4), Wrong("sum", "empty", None)
        >>> [one.answer for one in one_for_each_label(wrongs)]
        [2, None]
    """
    firsts: dict[tuple[str, str], Wrong] = {}
    for one in wrongs:
        firsts.setdefault((one.exercise, one.label), one)
    return list(firsts.values())


@dataclass(frozen=True)
class Right:
    """A right answer that looks different from the solution; it is judged like the solution."""

    exercise: str
    answer: Any


@dataclass(frozen=True)
class Equivalent:
    """A small change of a solution that leaves it right, and why: see `equivalent`."""

    exercise: str
    change: str
    why: str


class Diagnosis(Exception):
    """Raised by `require`: which mistake it is, what to say, and where to read again.

    An exercise's words are put in front of the message, and the facts stand in them as `{name}`: see `checks.Words`.
    Where the message has a call of its own, such as a counterexample, no other is shown beside it: see `has_call`.
    """

    def __init__(self, label: str, message: str = "", see: str = "", *, has_call: bool = False, **facts: Any) -> None:
        super().__init__(message)
        self.label, self.message, self.see, self.has_call, self.facts = label, message, see, has_call, facts


# -- for authors ------------------------------------------------------------------------------------------------


def wrong(exercise: str, label: str) -> Callable[[Any], Wrong]:
    """Record a wrong answer: a decorator for a function, a plain call for a value.

    Example:
        >>> forgot_the_itemsize = wrong("row-strides", "counted-elements")((3, 1))
        >>> forgot_the_itemsize.label
        'counted-elements'
    """
    return lambda answer: Wrong(exercise, label, answer)


def right(exercise: str) -> Callable[[Any], Right]:
    """Record another right answer: a decorator for a function, a plain call for anything else.

    Example:
        >>> right("double-it")(np.add).exercise
        'double-it'
    """
    return lambda answer: Right(exercise, answer)


def equivalent(exercise: str, change: str, why: str) -> Equivalent:
    """Accept a mutant or a fake of a solution that passes, because it is right: in a list in the file of checks.

    Args:
        exercise: the exercise.
        change: as `jaxcourse check --mutants` or the contract's refusal writes it.
        why: what makes it right, or no part of the task.

    Example:
        >>> accepted = [equivalent("double-it", "`2 * x`  ->  `x * 2`", "the same product")]
        >>> accepted[0].exercise
        'double-it'
    """
    return Equivalent(exercise, change, why)


def require(truth: Any, label: str, message: str = "", **facts: Any) -> None:
    """Diagnose a mistake unless something is true.

    Args:
        truth: what must hold.
        label: the mistake's name, for reports; the exercise's words say what it was and why it matters.
        message: what is said behind these words; the call and its result are shown beside it.
        **facts: stand in the words as `{name}`.

    Raises:
        Diagnosis: if `truth` is false.
    """
    if not truth:
        raise Diagnosis(label, message, **facts)


def refuse(mistaken: Any, label: str, message: str = "", **facts: Any) -> None:
    """Diagnose a mistake if something is true: the opposite of `require`.

    Raises:
        Diagnosis: if `mistaken` is true.

    Example:
        >>> refuse(is_close(3.0, 4.0), "off-by-one")
    """
    require(not mistaken, label, message, **facts)


def refuse_nothing(nothing: Any) -> None:
    """Ask for the `return` of an answer that returned `None` to a question of the exercise's own.

    Args:
        nothing: whether it did.

    Raises:
        Diagnosis: `returned-nothing`.

    Example:
        >>> refuse_nothing(False)
    """
    refuse(nothing, "returned-nothing", "`None` came back. Is there a `return` at the end of the function?")


def is_close(got: Any, want: Any, *, rtol: float | None = None) -> bool:
    """Whether two things have the same shape and the same numbers, up to rounding in the coarser dtype.

    Args:
        got: anything; what is not numeric is close to nothing.
        want: a number or an array.
        rtol: relative tolerance; by default some hundreds of units in the last place of the coarser dtype. Of a result
            that is coarser than `float32`, and was not wanted so, it is that of `float32`.

    Example:
        >>> is_close(0.1 + 0.2, 0.3), is_close([1, 2], np.ones((2, 1))), is_close("0.3", 0.3)
        (True, False, False)
        >>> is_close(np.float32(0.1), 0.1), is_close(np.float16(0.1), 0.1)
        (True, False)
        >>> is_close(np.float16(0.1), np.float16(0.1001))
        True
    """
    if not (is_numeric(got) and is_numeric(want)):
        return False
    a, b = np.asarray(got), np.asarray(want)
    if a.shape != b.shape:
        return False
    return not differs(a, b, rtol).any()


def differs(got: np.ndarray, want: np.ndarray, rtol: float | None = None) -> np.ndarray:
    """Which elements of two arrays of one shape are not close: see `is_close`.

    Example:
        >>> differs(np.array([1.0, 2.5]), np.array([1.0, 2.0])).tolist()
        [False, True]
    """
    return np.asarray(~_near(got, want, rtol))


def _near(got: np.ndarray, want: np.ndarray, rtol: float | None) -> np.ndarray:
    """Which elements of two arrays of one shape are close: the tolerance follows the largest wanted number."""
    if got.dtype.kind in "biu" and want.dtype.kind in "biu" and rtol is None:
        return np.asarray(got == want)  # `isclose` converts them to floats, which are coarser beyond 2**53
    tolerance = _tolerance_between(got.dtype, want.dtype) if rtol is None else rtol
    scale = float(np.max(np.abs(want), initial=0, where=np.isfinite(want)))
    return np.asarray(np.isclose(got, want, rtol=tolerance, atol=tolerance * scale, equal_nan=True))


def is_numeric(value: Any) -> bool:
    """Whether a value is a number, an array of numbers, or nested lists that NumPy makes into one."""
    try:
        dtype = np.asarray(value).dtype
    except (TypeError, ValueError):  # random keys; ragged lists
        return False
    return bool(dtype.kind in "biufc" or dtype.name.startswith(("bfloat", "float8")))


def numbers(value: Any) -> np.ndarray:
    """Require that something is a number or an array of numbers, and return it as an array.

    Raises:
        Diagnosis: `returned-nothing` or `wrong-type`.

    Example:
        >>> numbers([1.0, 2.0]).shape
        (2,)
    """
    refuse_nothing(value is None)
    kind = type(value).__name__
    require(is_numeric(value), "wrong-type", f"An object of type `{kind}` came back. Numbers were expected.")
    return np.asarray(value)


def agree(got: Any, want: Any) -> bool:
    """Whether two pieces of plain data say the same: numbers up to rounding, tuples and lists alike.

    Example:
        >>> agree([24, 4], (24, 4)), agree({"a": (3,)}, {"a": [3.0]}), agree("3", 3)
        (True, True, False)
    """
    if isinstance(want, Mapping):
        return isinstance(got, Mapping) and got.keys() == want.keys() and all(agree(got[k], want[k]) for k in want)
    if isinstance(want, (list, tuple)) and not is_numeric(want):  # texts, or arrays of several shapes
        return isinstance(got, (list, tuple)) and len(got) == len(want) and all(map(agree, got, want))
    return is_close(got, want) if is_numeric(want) else type(got) is type(want) and bool(np.all(got == want))


_COARSEST = 2.0**-5
"""The largest tolerance, however coarse the dtype: 500 times the epsilon of float16 would be one half."""


def _tolerance_between(got: np.dtype, want: np.dtype) -> float:
    """The tolerance of the coarser dtype, but half precision is no excuse where nobody asked for it."""
    return max(min(_tolerance(got), _tolerance(np.dtype(np.float32))), _tolerance(want))


def _tolerance(dtype: np.dtype) -> float:
    if dtype.kind in "biu":
        return 0.0
    try:
        return min(500 * float(np.finfo(dtype).eps), _COARSEST)
    except ValueError:  # ml_dtypes: bfloat16 has 8 bits of mantissa
        return _COARSEST


def expect(
    got: Any, want: Any, label: str = "wrong-value", message: str = "", *, rtol: float | None = None, **facts: Any
) -> None:
    """Require that a result is numbers, has the right shape, has no NaN where none is wanted, and is right.

    Args:
        got: what came back.
        want: what should have come back.
        label: the diagnosis if the numbers differ.
        message: what is said behind the exercise's words; the first difference is added to it.
        rtol: see `is_close`.
        **facts: see `require`.

    Raises:
        Diagnosis: `returned-nothing`, `wrong-type`, `wrong-shape`, `nan`, or `label`.
    """
    got, want = numbers(got), np.asarray(want)
    require(got.shape == want.shape, "wrong-shape", f"The shape should be {want.shape}, not {got.shape}.", **facts)
    stray = np.isnan(got) & ~np.isnan(want) if got.dtype.kind in "fc" else np.zeros(got.shape, bool)
    require(not stray.any(), "nan", f"{_count(stray)} NaN (not a number), where a number was expected.", **facts)
    if not is_close(got, want, rtol=rtol):
        raise Diagnosis(label, f"{message} {first_difference(got, want, rtol)}".strip(), **facts)


def _count(mask: np.ndarray) -> str:
    return "The result is" if mask.ndim == 0 else f"{int(mask.sum())} of {mask.size} elements are"


def first_difference(got: np.ndarray, want: np.ndarray, rtol: float | None = None) -> str:
    """Where two arrays of one shape differ first, in words; nothing if they do not.

    Args:
        got: what came back.
        want: what should have come back.
        rtol: see `is_close`.

    Example:
        >>> first_difference(np.array([1, 5]), np.array([1, 2]))
        'At [1] expected 2, got 5 (1 of 2 elements are different).'
    """
    if want.ndim == 0:
        return f"Expected {want.item()!r}, got {got.item()!r}."
    differ = differs(got, want, rtol)
    if not differ.any():
        return ""
    where = tuple(int(i) for i in np.argwhere(differ)[0])
    at = ", ".join(map(str, where))
    return f"At [{at}] expected {want[where].item()!r}, got {got[where].item()!r} ({_count(differ)} different)."


# -- the verdict ------------------------------------------------------------------------------------------------


def judge(exercise: Exercise, channel: Channel, seed: int = 0, right: Callable[[], Any] | None = None) -> Verdict:
    """Judge one answer.

    A fault of a question is never the answer's. What the course cannot read in this version of JAX says so itself. Of
    another exception that passed through no code of the answer's own, a right answer tells whose fault it is: if that
    fails as well, it is the check's.

    Args:
        exercise: what was asked.
        channel: the way to the answer.
        seed: of the generator that draws the inputs: 0 in a notebook, drawn for the class in the class grader.
        right: makes a right answer, if there is one at hand.

    Returns:
        The verdict. Nothing that the answer does makes this raise.

    Example:
        >>> from jaxcourse.probe import local_channel
        >>> double_it = Exercise("double-it", lambda answer, rng: expect(answer(3), 6, message="Twice."))
        >>> verdict = judge(double_it, local_channel(lambda x: x * x))
        >>> verdict.label, verdict.message
        ('wrong-value', 'Twice. Expected 6, got 9.')
    """
    answer = Answer(exercise.variable, channel, exercise.may_change_input)
    verdict = Verdict(exercise.name, "passed", points=exercise.points)
    has_call = False
    try:
        if answer.kind == "unfinished":
            return left_open(exercise)
        # Most of what is compiled here runs once, and the answer is judged, not the digits that a device keeps.
        with our_settings(), quickly(), in_full_precision():
            _check(exercise, answer, seed)
        verdict = replace(verdict, tried=tried(answer.asked))
    except (Diagnosis, Refused) as found:
        see = getattr(found, "see", "") or exercise.see
        verdict = Verdict(exercise.name, "wrong", found.label, found.message, see)
        has_call = found.has_call
    except AnswerRaised as error:
        has_call = bool(error.given)
        if (error.raised.kind, error.raised.message) == EMPTY:
            return left_empty(exercise)
        if not error.raised.own and _fails_too(exercise, right, seed):
            verdict = _stumble_verdict(exercise, error.raised)
        else:
            verdict = _error_verdict(exercise, error)
    except Stumbled as error:
        verdict = _stumble_verdict(exercise, error.raised)
    except Exception as error:
        if isinstance(error, CannotRead) or _fails_too(exercise, right, seed):
            verdict = _stumble_verdict(exercise, describe_error(error))
        else:  # what came back was so odd that the check itself failed on it
            message = f"The check could not make sense of what came back ({type(error).__name__}: {error})."
            verdict = Verdict(exercise.name, "error", "check-stumbled", message, exercise.see)
    return replace(
        verdict,
        called="" if has_call else answer.called,
        returned="" if has_call else answer.returned,
        printed=answer.printed,
        printed_total=answer.printed_total,
    )


def _check(exercise: Exercise, answer: Answer, seed: int) -> None:
    """The check itself, then what is asked of every answer that passes it."""
    exercise.check(answer, np.random.default_rng(seed))
    refuse(
        answer.settings,
        "changed-settings",
        f"Your results are right, but `{answer.name}` changes {answer.settings} for everything that runs after it. "
        "A function should leave no trace. Some settings fit in a `with` block.",
    )
    refuse(
        answer.callbacks,
        "calls-python",
        "Your results are right, but your program calls Python while it runs, through "
        f"{', '.join(f'`{_BY[name]}`' for name in sorted(answer.callbacks))}. What Python does there has no gradient, "
        "runs on no accelerator, and has no known cost. Write it with JAX.",
    )
    for ban in exercise.without:
        ban.enforce(answer)


def _error_verdict(exercise: Exercise, error: AnswerRaised) -> Verdict:
    """The verdict on an answer that raised."""
    raised = error.raised
    where = f" in {quoted(raised.line)}" if raised.line else ""
    if raised.within:
        called = f" that your line {quoted(raised.line)} called" if raised.line else ""
        where = f" in `{raised.within}`, a function of the check{called}"
    where += f", for {code(error.given)}" if error.given else ""
    message = f"Your code raised {_short(raised)}{where}."
    return Verdict(exercise.name, "error", raised.kind, message, exercise.see)


def _stumble_verdict(exercise: Exercise, raised: Raised) -> Verdict:
    """The verdict where the check is to blame: what to report, and no word about the answer."""
    message = (
        "This is not your fault: the check could not do its work here, so your answer was not judged, and no points "
        f"are lost. Please report this: `{exercise.name}` with Python {platform.python_version()}, jax "
        f"{jax.__version__}, NumPy {np.__version__}: {_short(raised, 500)}"
    )
    return Verdict(exercise.name, "stumbled", "check-stumbled", message)


def _fails_too(exercise: Exercise, right: Callable[[], Any] | None, seed: int) -> bool:
    """Whether a right answer does not pass either."""
    if right is None:
        return False
    try:
        with our_settings():
            answer = right()
    except Exception:  # it needs what is not there: nothing is known
        return False
    return judge(exercise, local_channel(answer), seed).status != "passed"


_BY = {"pure_callback": "jax.pure_callback", "io_callback": "io_callback", "debug_callback": "jax.debug.callback"}
"""What a student has written where a program has a callback."""


def not_attempted(exercise: Exercise, message: str) -> Verdict:
    """The verdict on an answer that is not there yet."""
    return Verdict(exercise.name, "not_attempted", "not-attempted", message, exercise.see)


def left_open(exercise: Exercise) -> Verdict:
    """The verdict on a value in which a `...` is left."""
    message = f"There is still a `...` in `{exercise.variable}`: replace it, run it, check again."
    return not_attempted(exercise, message)


def left_empty(exercise: Exercise) -> Verdict:
    """The verdict on a function that is as the task gave it."""
    message = f"`{exercise.variable}` is still empty: write its body, run it, check again."
    return not_attempted(exercise, message)


def _short(raised: Raised, limit: int = 300) -> str:
    first, *more = raised.message.strip().split("\n\n")
    if first.endswith(":"):  # what differs, or where, is said below
        first = " ".join([first, *more[:1]])
    first = " ".join(first.split())
    text = f"{raised.kind}: {first}" if first else raised.kind
    return literal(text if len(text) <= limit else text[: limit - 3] + "...")
