"""`jaxcourse check --inputs EXERCISE`: what a verdict asks of an answer, so that tame inputs are seen at a glance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import Exercise, judge
from jaxcourse.probe import local_channel
from jaxcourse_author._transcript import Transcript

SEEDS = range(5)
"""Inputs that are listed."""

SHOWN = 8
"""How many shapes or numbers are written out."""


@dataclass
class ArgumentValues:
    """What an argument of a question has been, over several questions and seeds.

    Attributes:
        count: how often there was one.
        shapes: of arrays, `dtypes` and `layouts` likewise.
        numbers: the different numbers, of an argument that is none of an array.
        others: the types of everything else.
        low: the smallest finite number in an array, and `high` the largest.
        has: what occurred in arrays: `negative`, `zero`, `tie`, `NaN`, `infinity`, `sorted`, `unsorted`, `empty`,
            `length 1`, `read-only`.
    """

    count: int = 0
    shapes: dict[tuple[int, ...], int] = field(default_factory=dict)
    dtypes: set[str] = field(default_factory=set)
    layouts: set[str] = field(default_factory=set)
    numbers: dict[str, None] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)
    low: float = np.inf
    high: float = -np.inf
    has: set[str] = field(default_factory=set)

    def add(self, value: Any) -> None:
        """Take note of a value: an array, a number, or a container of these."""
        self.count += 1
        for leaf in jax.tree.leaves(value, is_leaf=lambda part: part is None):
            if isinstance(leaf, (np.ndarray, jax.Array)):
                self._add_array(leaf)
            elif isinstance(leaf, (int, float, complex, np.generic)):
                self.numbers[repr(leaf.item() if isinstance(leaf, np.generic) else leaf)] = None
            else:
                self.others.add(type(leaf).__name__ if not isinstance(leaf, str) else repr(leaf))

    def _add_array(self, value: Any) -> None:
        kind = str(value.dtype) + (" in JAX" if isinstance(value, jax.Array) else "")
        self.shapes[value.shape] = self.shapes.get(value.shape, 0) + 1
        self.dtypes.add(kind)
        if jnp.issubdtype(value.dtype, jax.dtypes.extended):
            return
        array = np.asarray(value)
        self.layouts.add(layout_of(value) if isinstance(value, np.ndarray) else "C order")
        self.has |= set(_features(array))
        if isinstance(value, np.ndarray) and not value.flags.writeable:
            self.has.add("read-only")
        finite = _numbers_of(array)
        if finite.size:
            self.low, self.high = min(self.low, float(finite.min())), max(self.high, float(finite.max()))

    def never(self) -> list[str]:
        """What an argument that is an array never was; for a number, whether there was only one.

        Example:
            >>> seen = ArgumentValues()
            >>> seen.add(np.array([1.0, 2.0]))
            >>> seen.never()[:3]
            ['a second shape', 'a second dtype', 'a second rank']
        """
        if not self.shapes:
            return ["a second number"] if len(self.numbers) == 1 else []
        missing = {
            "a second shape": len(self.shapes) < 2,
            "a second dtype": len(self.dtypes) < 2,
            "a second rank": len({len(shape) for shape in self.shapes}) < 2,
            "another layout than C": self.layouts <= {"C order"},
        }
        features = ("empty", "length 1", "negative", "zero", "tie", "NaN", "infinity", "unsorted")
        return [what for what, lacks in missing.items() if lacks] + [what for what in features if what not in self.has]

    def lines(self) -> Iterator[str]:
        """What it was, in lines."""
        if self.shapes:
            yield f"shapes   {_few(str(shape).replace(' ', '') for shape in sorted(self.shapes))}"
            yield f"dtypes   {', '.join(sorted(self.dtypes))}"
            if self.low <= self.high:
                yield f"range    {self.low:.4g} to {self.high:.4g}"
            yield f"layouts  {', '.join(sorted(self.layouts | (self.has & {'read-only'})))}"
            yield f"with     {', '.join(sorted(self.has - {'read-only'})) or 'nothing special'}"
        if self.numbers:
            yield f"numbers  {_few(self.numbers)}"
        if self.others:
            yield f"others   {_few(sorted(self.others))}"
        if missing := self.never():
            yield f"never    {', '.join(missing)}"


def layout_of(array: np.ndarray) -> str:
    """How an array lies in memory.

    Example:
        >>> layout_of(np.ones((2, 3)).T), layout_of(np.arange(3)[::-1]), layout_of(np.arange(6)[::2])
        ('Fortran order', 'backwards', 'stepped')
    """
    if any(stride < 0 for stride, length in zip(array.strides, array.shape, strict=True) if length > 1):
        return "backwards"
    if array.flags.c_contiguous:
        return "offset" if isinstance(array.base, np.ndarray) and array.base.nbytes > array.nbytes else "C order"
    return "Fortran order" if array.flags.f_contiguous else "stepped"


def _features(array: np.ndarray) -> Iterator[str]:
    if array.size == 0:
        yield "empty"
        return
    if 1 in array.shape:
        yield "length 1"
    if array.dtype.kind == "f" or str(array.dtype) == "bfloat16":
        array = array.astype(np.float64)
        if np.isnan(array).any():
            yield "NaN"
        if np.isinf(array).any():
            yield "infinity"
    numbers = _numbers_of(array)
    if (numbers < 0).any():
        yield "negative"
    if (numbers == 0).any():
        yield "zero"
    if len(np.unique(numbers)) < numbers.size:
        yield "tie"
    if numbers.size > 1:
        yield "sorted" if bool((numbers[1:] >= numbers[:-1]).all()) else "unsorted"


def _numbers_of(array: np.ndarray) -> np.ndarray:
    """The finite numbers of an array, one after the other; of complex ones both parts; none of texts and times."""
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag])
    if array.dtype.kind not in "biuf" and str(array.dtype) != "bfloat16":
        return np.zeros(0)
    flat = array.ravel().astype(np.float64)
    return flat[np.isfinite(flat)]


def _few(words: Any) -> str:
    words = list(words)
    return ", ".join(words[:SHOWN]) + (f" and {len(words) - SHOWN} more" if len(words) > SHOWN else "")


def arguments_of(exercise: Exercise, answer: Any, seeds: Sequence[int] = SEEDS) -> dict[str, ArgumentValues]:
    """What a check asks of an answer: for each argument of each question, what it was.

    Args:
        exercise: whose check.
        answer: a right one, with which the check goes on to its end.
        seeds: of the inputs.

    Returns:
        By the question's name and the argument's position or name.

    Example:
        >>> task = Exercise("twice", lambda answer, rng: answer(rng.normal(size=3), k=2))
        >>> {name: sorted(seen.dtypes) for name, seen in arguments_of(task, lambda x, k: x).items()}
        {'call, argument 1': ['float64'], 'call, argument k': []}
    """
    found: dict[str, ArgumentValues] = {}
    for seed in seeds:
        transcript = Transcript(local_channel(answer))
        judge(exercise, transcript, seed)
        for question, place, value in transcript.arguments():
            found.setdefault(f"{question.__name__}, argument {place}", ArgumentValues()).add(value)
    return found


def listing(exercise: Exercise, answer: Any, seeds: Sequence[int] = SEEDS) -> Iterator[str]:
    """The same in lines, for an author.

    Yields:
        A line for each argument, and below it what it was and what it never was.
    """
    found = arguments_of(exercise, answer, seeds)
    yield f"{exercise.name}, {len(seeds)} seeds"
    for name, seen in found.items():
        yield f"  {name}, {seen.count} times"
        yield from (f"    {line}" for line in seen.lines())
    if not found:
        yield "  Nothing is asked."
