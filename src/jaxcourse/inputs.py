"""Inputs as wide as a promise, and an answer beside what is right, which shows a small one on which it is wrong.

A check draws its inputs here: every dtype, rank, size and layout that the text promises. The draws grow, so the first
input on which an answer and the oracle differ is small enough to be shown. For an answer in JAX a new shape costs tens
of milliseconds and a new value nothing, so shapes and values are drawn apart: few shapes, many values in each.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from jaxcourse.counterexample import WHOLE, Example, differing_paths, value_text
from jaxcourse.exercise import Diagnosis, agree, is_close, is_numeric, numbers
from jaxcourse.markup import code
from jaxcourse.mistakes import TELLING, Case, Mistakes, Oracle, Reply, explaining
from jaxcourse.probe import AnswerRaised, Refused

SIZES = (0, 1, 2, 3, 5, 8, 13)
"""Sizes for answers in NumPy, where a new shape costs nothing."""

FEW = (1, 3, 20)
"""Sizes for answers in JAX, where each shape is compiled: length 1, a small one, and one longer than the text's."""

Shape = tuple[int, ...]

# -- drawing ----------------------------------------------------------------------------------------------------


def array(
    rng: np.random.Generator,
    shape: int | Shape,
    dtype: str = "float64",
    *,
    low: float = -3,
    high: float = 3,
    offset: float = 0,
) -> np.ndarray:
    """Draw an array; half of the time of whole numbers, so that ties, zeros and signs occur and can be read.

    Args:
        rng: the generator of the check.
        shape: of the array.
        dtype: by name: floats, complex numbers, integers, unsigned integers, `bool`, `bfloat16`.
        low: the smallest number; 0 where the dtype has no sign.
        high: the largest number.
        offset: is added to all: a large one shows what is lost to rounding.

    Example:
        >>> x = array(np.random.default_rng(0), (2, 3), "float32")
        >>> x.shape, x.dtype, float(abs(x).max()) <= 3
        ((2, 3), dtype('float32'), True)
        >>> array(np.random.default_rng(0), 4, "uint8", high=200).dtype
        dtype('uint8')
    """
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return np.asarray(rng.random(shape) < rng.choice([0.0, 0.5, 0.5, 1.0]))
    low = max(low, 0) if kind.kind == "u" else low
    first, last = math.ceil(low), math.floor(high)
    whole = first <= last and (kind.kind in "iu" or rng.random() < 0.5)

    def draw() -> np.ndarray:
        return rng.integers(first, last, shape, endpoint=True) if whole else rng.uniform(low, high, shape)

    return np.asarray((draw() + 1j * draw() if kind.kind == "c" else draw()) + type(low)(offset), kind)


def shapes(rng: np.random.Generator, *ranks: int, sizes: Iterable[int] = SIZES) -> list[Shape]:
    """Draw shapes of growing size, of every rank that is promised, and hardly ever square.

    Args:
        rng: the generator of the check.
        *ranks: numbers of dimensions; 0 gives the shape of a number.
        sizes: the length of one axis, drawn by lot; the others have 1 to 4.

    Example:
        >>> shapes(np.random.default_rng(0), 1, 2, sizes=[0, 5])
        [(0,), (0, 3), (5,), (5, 1)]
    """
    return [_shape(rng, rank, size) for size in sizes for rank in ranks]


def _shape(rng: np.random.Generator, rank: int, size: int) -> Shape:
    lengths = [int(length) for length in rng.integers(1, 5, rank)]
    if rank:
        lengths[int(rng.integers(rank))] = size
    return tuple(lengths)


def planted(x: np.ndarray, *values: Any) -> list[np.ndarray]:
    """Copies of an array with each value at its first, at its last and at an inner place.

    Args:
        x: of any shape, with one element at least.
        *values: NaN and the infinities, if nothing else is given.

    Example:
        >>> [y.tolist() for y in planted(np.zeros(3), 7.0)]
        [[7.0, 0.0, 0.0], [0.0, 0.0, 7.0], [0.0, 7.0, 0.0]]
    """
    copies = []
    for value in values or (np.nan, np.inf, -np.inf):
        for place in dict.fromkeys([0, x.size - 1, x.size // 2]):
            copies.append(x.copy())
            copies[-1].flat[place] = value
    return copies


def meeting(rng: np.random.Generator, x: np.ndarray, threshold: float) -> np.ndarray:
    """A copy of an array in which about a third of the elements are exactly at a threshold.

    Example:
        >>> meeting(np.random.default_rng(0), np.zeros(5), 2.5).tolist()
        [0.0, 2.5, 2.5, 2.5, 0.0]
    """
    return np.where(rng.random(x.shape) < 1 / 3, threshold, x).astype(x.dtype)


def masks(rng: np.random.Generator, shape: int | Shape) -> list[np.ndarray]:
    """Masks of one shape: true nowhere, everywhere, at the first place only, at the last only, here and there.

    Example:
        >>> [mask.tolist() for mask in masks(np.random.default_rng(0), 2)]
        [[False, False], [True, True], [True, False], [False, True], [False, True]]
    """
    none, every = np.zeros(shape, bool), np.ones(shape, bool)
    ends = [mask for mask in planted(none, True)[:2]] if none.size > 1 else []
    return [none, every, *ends, rng.random(shape) < 0.5]


def count(rng: np.random.Generator, length: int, *, least: int = 0) -> int:
    """Draw a count (a `k`, a number of steps, a width): the least, below, at or beyond a length.

    Args:
        rng: the generator of the check.
        length: of what is counted in.
        least: the smallest that is allowed.

    Example:
        >>> {count(np.random.default_rng(seed), 5, least=1) for seed in range(50)} == {1, 2, 3, 4, 5, 6}
        True
    """
    ends = [least, max(least, length - 1), max(least, length), max(least, length + 1)]
    inner = int(rng.integers(least, max(least, length) + 1))
    return int(rng.choice([*ends, inner, inner]))


def indices(rng: np.random.Generator, shape: int | Shape, length: int, *, negative: bool = True) -> np.ndarray:
    """Draw indices into an axis: both of its ends, repeated ones, and negative ones where they are allowed.

    Args:
        rng: the generator of the check.
        shape: of the indices.
        length: of the axis, 1 at least.
        negative: whether indices from the end are allowed.

    Example:
        >>> i = indices(np.random.default_rng(0), 50, 3)
        >>> sorted(set(i.tolist()))
        [-3, -2, -1, 0, 1, 2]
    """
    return rng.integers(-length if negative else 0, length, shape)


def layouts(x: np.ndarray) -> dict[str, np.ndarray]:
    """An array's values in every layout that NumPy has; as an argument each keeps its own.

    Args:
        x: of any shape; what is no array with an axis has the first layout and the last only.

    Example:
        >>> views = layouts(np.arange(3))
        >>> {name: view.strides for name, view in views.items()}["backwards"]
        (-8,)
        >>> all((view == np.arange(3)).all() for view in views.values())
        True
    """
    row_by_row = np.array(x, order="C")
    read_only = row_by_row.copy()
    read_only.flags.writeable = False
    made = {"C order": row_by_row}
    if x.ndim:
        every_other = np.repeat(x, 2, axis=x.ndim - 1)[..., ::2]
        padded = np.concatenate([x[:1], x, x[-1:]]) if len(x) else np.zeros((2, *x.shape[1:]), x.dtype)
        made |= {
            "Fortran order": np.array(x, order="F"),
            "stepped": every_other,
            "backwards": np.array(x[::-1], order="C")[::-1],
            "offset": padded[1:-1],
            "transposed": np.array(x.T, order="C").T,
        }
    return made | {"read-only": read_only}


# -- the sweep --------------------------------------------------------------------------------------------------


def extent(case: Case) -> tuple[int, int, float]:
    """How large a call's arguments are: their elements, those with a fraction, and the sum of all without signs.

    Example:
        >>> extent((np.array([1.0, -2.5, np.nan]), 4))
        (4, 1, 7.5)
    """
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(case) if is_numeric(leaf)]
    sizes = np.concatenate([np.zeros(0), *(np.abs(leaf).ravel().astype(float) for leaf in leaves)])
    finite = sizes[np.isfinite(sizes)]
    return sizes.size, int(np.sum(finite % 1 != 0)), float(finite.sum())


@dataclass(frozen=True)
class Asked:
    """An answer beside what is right.

    Attributes:
        ask: calls the answer.
        oracle: what is right.
        rtol: see `is_close`.
        dtype: whether the result's dtype counts.
        shows: what a student would write to ask it, with `{}` for the arguments, or `{first}` and `{rest}` for the
            first of them and the others; empty if there is no such line.
        reads: is given what came back and the arguments, requires its form, and returns what is compared.
    """

    ask: Callable[..., Any]
    oracle: Oracle
    rtol: float | None = None
    dtype: bool = False
    shows: str = ""
    reads: Callable[..., Any] | None = None

    def require(self, cases: Sequence[Case], label: str = "wrong-value", mistakes: Mistakes | None = None) -> Replies:
        """Require that the two agree on all cases, or show the first on which they do not.

        Returns:
            The replies.

        Raises:
            Diagnosis: `label`, that of a mistake that explains every reply, `returned-what-came-in` or `wrong-type`.
            AnswerRaised: the answer raised; the arguments are with it.

        Example:
            >>> double = Asked(lambda x: x * x, lambda x: 2 * x)
            >>> double.require([(1.5,), (3.0,)], mistakes={"squared": lambda x: x * x})
            Traceback (most recent call last):
            jaxcourse.exercise.Diagnosis: A small counterexample:...
        """
        replies = Replies(self, cases)
        self.compare(replies, label, mistakes or {})
        return replies

    def compare(self, replies: Iterable[Reply], label: str, mistakes: Mistakes) -> None:
        """Require that all replies are right, or show the first that is not.

        Raises:
            Diagnosis: as for `require`.
        """
        wrong = next((reply for reply in self._given_something(replies) if not reply.right), None)
        if wrong is None:
            return
        text = self._counterexample(wrong)
        if named := self._unless_raised(lambda: explaining(mistakes, replies, self.same)):
            raise Diagnosis(named, text, has_call=True)
        if is_numeric(wrong.want):
            numbers(wrong.got)
        generic = label.partition("/")[0] == "wrong-value"
        if generic and (name := self._unless_raised(lambda: self._came_back(replies))):
            told = f"You return the `{name}` that came in, and not what is made of it."
            raise Diagnosis("returned-what-came-in", f"{told} {text}", has_call=True)
        raise Diagnosis(label, text, has_call=True)

    def same(self, got: Any, want: Any) -> bool:
        """Whether a result is right: numbers up to rounding, in tuples, lists and dictionaries too."""
        if isinstance(want, Mapping):
            keys = isinstance(got, Mapping) and got.keys() == want.keys()
            return keys and all(self.same(got[key], want[key]) for key in want)
        if isinstance(want, (tuple, list)) and not (is_numeric(want) and is_numeric(got)):
            many = isinstance(got, (tuple, list)) and len(got) == len(want)
            return many and all(map(self.same, got, want))
        if not is_numeric(want):
            return agree(got, want)
        of_one_dtype = not self.dtype or (is_numeric(got) and _dtype(got) == _dtype(want))
        return of_one_dtype and is_close(got, want, rtol=self.rtol)

    def reply(self, case: Case) -> Reply:
        """What comes back for one case, beside what is right.

        Raises:
            AnswerRaised: the answer raised; the arguments are with it.
        """
        want = self.oracle(*case)
        try:
            whole = self.ask(*case)
        except AnswerRaised as error:
            raise AnswerRaised(error.raised, error.given or self._call_text(case), error.case or case) from error
        got = self.reads(whole, *case) if self.reads else whole
        return Reply(case, got, want, got is not None and self.same(got, want), whole)

    def _given_something(self, replies: Iterable[Reply]) -> Iterator[Reply]:
        for reply in replies:
            if reply.got is None:
                call = code(self._call_text(reply.case))
                message = f"For {call}, `None` came back. Is there a `return` at the end?"
                raise Refused("returned-nothing", message, has_call=True)
            yield reply

    def _unless_raised(self, looked_for: Callable[[], str | None]) -> str | None:
        """What is found in all replies; nothing where the answer raises on the way."""
        try:
            return looked_for()
        except AnswerRaised:
            return None

    def _came_back(self, replies: Iterable[Reply]) -> str | None:
        """The argument that comes back on every input, as the result or as a part of it, where it is not right."""
        kept: set[tuple[str, int]] | None = None
        right = []
        for reply in replies:
            here = self._arguments_in(reply.case, reply.got)
            kept = here if kept is None else kept & here
            if not kept:
                return None
            right.append(self._arguments_in(reply.case, reply.want))
        told = (name for name, at in sorted(kept or ()) if sum((name, at) not in one for one in right) >= TELLING)
        return next(told, None)

    def _arguments_in(self, case: Case, result: Any) -> set[tuple[str, int]]:
        """Which arguments are in a result, and as which of its parts; 0 is the whole."""
        parts = [result, *(result if isinstance(result, (tuple, list)) else ())]
        given = list(zip(self._names(case), case, strict=False))
        return {(name, at) for at, part in enumerate(parts) for name, value in given if _identical(part, value)}

    def _names(self, case: Case) -> list[str]:
        names = list(inspect.signature(self.oracle).parameters)[: len(case)]
        return [*names, *(f"argument {i + 1}" for i in range(len(names), len(case)))]

    def _call_text(self, case: Case) -> str:
        return ", ".join(f"{name} = {value_text(value)}" for name, value in zip(self._names(case), case, strict=True))

    def _counterexample(self, wrong: Reply) -> str:
        places = differing_paths(wrong.got, wrong.want, self.same, self.rtol)
        names = self._names(wrong.case)
        call = self.shows
        for place, some in (("{}", names), ("{first}", names[:1]), ("{rest}", names[1:])):
            call = call.replace(place, ", ".join(some))
        example = str(Example(names, wrong.case, wrong.want, wrong.got, places, call, self.dtype))
        shapes = [np.shape(value) if is_numeric(value) else None for value in (wrong.want, wrong.got)]
        if len(example) > WHOLE and None not in shapes and shapes[0] != shapes[1]:  # no place in it is of interest
            return f"The shape should be {shapes[0]}, not {shapes[1]}."
        return f"A small counterexample:\n\n{example}"


class Replies:
    """The replies to some cases, each of which is asked when it is first looked at.

    Args:
        asked: an answer beside what is right.
        cases: the arguments of each call.
    """

    def __init__(self, asked: Asked, cases: Sequence[Case]) -> None:
        self._asked, self._left, self._kept = asked, iter(cases), list[Reply]()
        self._raised: AnswerRaised | None = None

    def __iter__(self) -> Iterator[Reply]:
        yield from self._kept
        if self._raised:
            raise self._raised
        for case in self._left:
            self._kept.append(self._ask(case))
            yield self._kept[-1]

    def _ask(self, case: Case) -> Reply:
        try:
            return self._asked.reply(case)
        except AnswerRaised as error:
            self._raised = error
            raise


def _identical(one: Any, other: Any) -> bool:
    """Whether two arguments or results hold the same numbers, to the last bit."""
    (leaves, form), (others, other_form) = (jax.tree.flatten(each) for each in (one, other))
    pairs = list(zip(leaves, others, strict=True)) if str(form) == str(other_form) else []
    data = bool(pairs) and all(is_numeric(leaf) for pair in pairs for leaf in pair)
    return data and all(np.array_equal(np.asarray(a), np.asarray(b)) for a, b in pairs)


def _dtype(value: Any) -> np.dtype:
    return np.asarray(value).dtype
