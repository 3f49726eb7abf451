"""The question of what an answer does with random keys, read from its program.

`jax.debug_key_reuse` sees a key that is drawn from twice. It does not see a key that is drawn from and folded, nor one
that gives the same numbers in every step of a loop. Here every value of the program gets a number, the same for the
same computation, so that two ways to the same key are one key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import insides
from jaxcourse.insides import Equation, Loop, Program, Value
from jaxcourse.probe._question import question

Use = tuple[str, int, Any]
"""A use of a key: what is done (`draw`, `split`, `fold`), the key's number, and what it is done with."""

_WHOLE = frozenset({"int32", "uint32", "int64", "uint64"})
_MOST = 4096
"""Of more keys or words than these, it is not computed what they are."""


@question(evidence="process")
def key_uses(
    student_function: Callable[..., Any], *args: Any, seed: int = 0, place: int = 0, raw: bool = False
) -> dict[str, Any]:
    """What a function does with a random key, by the structure of its program.

    Args:
        student_function: the answer.
        *args: its other arguments; arrays are traced, numbers stay what they are.
        seed: of the key.
        place: the key's position among the arguments.
        raw: whether the key is one of `jax.random.PRNGKey`, an array of two numbers.

    Returns:
        `draws`, the number of draws, one from each key of an array; `keys`, the number of keys drawn from; `faults`,
        sorted, of: `drawn-twice`, `drawn-and-split`, `drawn-and-folded`, `split-and-folded`, `split-in-two-ways` (into
        different numbers of keys, some of which are the same), `same-in-every-step` (of a loop).

    Example:
        >>> def walk(key):
        ...     return jax.random.normal(key) + jax.random.normal(jax.random.fold_in(key, 1))
        >>> key_uses(walk)
        {'draws': 2, 'keys': 2, 'faults': ['drawn-and-folded']}
    """
    key = jax.random.PRNGKey(seed) if raw else jax.random.key(seed)
    given = [*args[:place], key, *args[place:]]
    program = insides.read_for_arrays(student_function, *given)
    numbering = _Numbering()
    inputs = [numbering.number("input", str(i)) for i in range(len(program.inputs))]
    inputs[sum(isinstance(value, (np.ndarray, jax.Array)) for value in args[:place])] = numbering.number_of(
        key, frozenset()
    )
    _, uses = numbering.read(program, inputs)
    draws = Counter({key: count for (what, key, _), count in uses.items() if what == "draw"})
    return {"draws": draws.total(), "keys": len(draws), "faults": sorted(_faults(uses) | numbering.faults)}


def _faults(uses: Counter[Use]) -> set[str]:
    done: dict[int, set[str]] = {}
    ways: dict[int, set[Any]] = {}
    for what, key, how in uses:
        done.setdefault(key, set()).add(what)
        if what == "split":
            ways.setdefault(key, set()).add(how)
    pairs = {
        "drawn-and-split": {"draw", "split"},
        "drawn-and-folded": {"draw", "fold"},
        "split-and-folded": {"split", "fold"},
    }
    faults = {fault for fault, both in pairs.items() if any(both <= whats for whats in done.values())}
    if any(count > 1 for (what, _, _), count in uses.items() if what == "draw"):
        faults.add("drawn-twice")
    if any(len(counts) > 1 for counts in ways.values()):
        faults.add("split-in-two-ways")
    return faults


@dataclass
class _Numbering:
    """Reads a program and gives each value a number: the same for the same operation on the same values.

    Keys, and the whole numbers that they are made of, are computed on the way, and have the number of what they are: a
    key that is put together from its own words is the same key. What a loop hands to its steps is another key in each,
    for which a random one stands.

    Attributes:
        numbers: those given so far.
        values: what is known of numbers: keys, and whole numbers. A key and its words have one number, and two values.
        steps: for each number, the loops in which it differs from step to step.
        faults: what was found in loops.
    """

    numbers: dict[tuple[Any, ...], int] = field(default_factory=dict)
    values: dict[tuple[int, bool], jax.Array] = field(default_factory=dict)
    steps: dict[int, frozenset[int]] = field(default_factory=dict)
    faults: set[str] = field(default_factory=set)
    loops: int = 0

    def number(self, *what: Any, of: Sequence[int] = (), loop: int | None = None) -> int:
        """The number of a value, by how it is computed and from what."""
        own = frozenset() if loop is None else frozenset({loop})
        return self._number_of((*what, *of), own.union(*(self.steps[part] for part in of)))

    def number_of(self, value: jax.Array, steps: frozenset[int]) -> int:
        """The number of a key, or of whole numbers, by what they are."""
        is_key = jnp.issubdtype(value.dtype, jax.dtypes.prng_key)
        words = np.asarray(jax.random.key_data(value) if is_key else value)
        number = self._number_of(("value", str(words.dtype), words.shape, words.tobytes()), steps)
        self.values[number, is_key] = value
        return number

    def _number_of(self, key: tuple[Any, ...], steps: frozenset[int]) -> int:
        number = self.numbers.setdefault(key, len(self.numbers))
        self.steps[number] = self.steps.get(number, steps) & steps
        return number

    def value_of(self, number: int, like: Value) -> jax.Array | None:
        """What is known of a number: of each device's part of an array, nothing."""
        value = self.values.get((number, like.is_key))
        return value if value is not None and value.shape == like.shape else None

    def read(self, program: Program, inputs: Sequence[int]) -> tuple[list[int], Counter[Use]]:
        """The numbers of what a program returns, and the uses of keys in it.

        Args:
            program: as it was traced.
            inputs: the numbers of its arguments.
        """
        known: dict[Value, int] = dict(zip(program.inputs, inputs, strict=True))
        for place, constant in enumerate(program.constants):
            known[constant] = self.number("constant", id(program), place)
        uses: Counter[Use] = Counter()
        for equation in program.equations:
            given = [self._of(value, known) for value in equation.inputs]
            results, inside = self._equation(equation, given)
            uses += inside
            known.update(zip(equation.outputs, results, strict=True))
        return [self._of(value, known) for value in program.outputs], uses

    def _of(self, value: Value, known: dict[Value, int]) -> int:
        if value.written and value.dtype in _WHOLE:
            return self.number_of(jnp.asarray(value.number, value.dtype), frozenset())
        if value.written:
            return self.number("literal", str(value.number), value.dtype, value.shape)
        return known[value]

    def _equation(self, equation: Equation, given: list[int]) -> tuple[list[int], Counter[Use]]:
        if equation.loop:
            return self._loop(equation.loop, given, len(equation.outputs))
        if equation.branches:
            return self._branches(equation, given)
        if equation.called:
            return self.read(equation.called, given[len(given) - len(equation.called.inputs) :])
        return self._results(equation, given), self._uses(equation, given)

    def _results(self, equation: Equation, given: list[int]) -> list[int]:
        computed = self._computed_values(equation, given)
        if computed is not None:
            steps = frozenset[int]().union(*(self.steps[part] for part in given))
            return [self.number_of(value, steps) for value in computed]
        if equation.keeps_key:
            return given
        name, details = equation.primitive, equation.details
        return [self.number(name, details, place, of=given) for place in range(len(equation.outputs))]

    def _computed_values(self, equation: Equation, given: list[int]) -> list[jax.Array] | None:
        """What an equation gives, if it makes keys or whole numbers of those that are known, and draws nothing."""
        if equation.key_use == "draw" or equation.calls_back or not all(map(_may_be_known, equation.outputs)):
            return None
        values = [self.value_of(number, like) for number, like in zip(given, equation.inputs, strict=True)]
        if any(value is None for value in values):
            return None
        try:
            return equation.apply(*values)
        except insides.CannotRead:
            raise
        except Exception:  # what has a meaning only where it stands, as a device's place in a mesh
            return None

    def _uses(self, equation: Equation, given: list[int]) -> Counter[Use]:
        use = equation.key_use
        how = equation.into if use == "split" else given[1] if use == "fold" else None
        return Counter((use, key, how) for key in self._keys(given[0], equation.inputs[0])) if use else Counter()

    def _keys(self, number: int, like: Value) -> list[int]:
        """The numbers of the keys in an array of keys, if they are known: else that of the array."""
        keys = self.value_of(number, like)
        if keys is None or not like.is_key:
            return [number]
        return [self.number_of(key, self.steps[number]) for key in keys.reshape(-1)]

    def _branches(self, equation: Equation, given: list[int]) -> tuple[list[int], Counter[Use]]:
        branches = [self.read(branch, given[1:]) for branch in equation.branches]
        uses: Counter[Use] = Counter()
        for _, inside in branches:
            uses |= inside  # one of them runs
        parts = [[results[i] for results, _ in branches] for i in range(len(equation.outputs))]
        return [self.number("cond", given[0], of=part) for part in parts], uses

    def _loop(self, loop: Loop, given: list[int], count: int) -> tuple[list[int], Counter[Use]]:
        given = given[len(loop.tested) :]
        fixed, changing = given[: len(loop.fixed)], given[len(loop.fixed) :]
        carried, rows = changing[: len(loop.carried)], changing[len(loop.carried) :]
        self.loops += 1
        number = self.loops
        first = [self.number("carried", number, place, loop=number) for place in range(len(carried))]
        rows_ = [self.number("row", of=[row], loop=number) for row in rows]
        given_to_step = loop.body.inputs[len(fixed) :]
        changing = [self._stand_in(*each) for each in zip([*first, *rows_], changing, given_to_step, strict=True)]
        results, uses = self._steps(loop, number, carried, fixed, changing)
        return [self.number(loop.kind, number, place, of=results) for place in range(count)], uses

    def _stand_in(self, number: int, given: int, like: Value) -> int:
        """For what is a key in each step, or its words, and another one in each: a random one."""
        value = self.values.get((given, like.is_key))
        if value is None or not (like.is_key or (like.dtype == "uint32" and like.shape)):
            return number
        shape = (*like.shape, *jax.random.key_data(value).shape[value.ndim :]) if like.is_key else like.shape
        words = jnp.asarray(np.random.default_rng(number).integers(2**32, size=shape, dtype=np.uint32))
        made = jax.random.wrap_key_data(words, impl=jax.random.key_impl(value)) if like.is_key else words
        return self.number_of(made, self.steps[number])

    def _steps(
        self,
        of: Loop,
        loop: int,
        carried: list[int],
        fixed: list[int],
        changing: list[int],
    ) -> tuple[list[int], Counter[Use]]:
        """Read a loop's body as one of its steps. What is carried through unchanged is the same in every step."""
        changing, rows = changing[: len(carried)], changing[len(carried) :]
        results, _ = self.read(of.body, [*fixed, *changing, *rows])
        unchanged = [before == after for before, after in zip(changing, results, strict=False)]
        now = [old if same else new for old, new, same in zip(carried, changing, unchanged, strict=True)]
        results, uses = self.read(of.body, [*fixed, *now, *rows])
        drawn = {key for what, key, _ in uses if what == "draw"}
        if of.trips != 1:
            if any(loop not in self.steps[key] for key in drawn):
                self.faults.add("same-in-every-step")
            self.faults |= _faults(uses + _uses_in_next_step(uses, dict(zip(results, now, strict=False))))
        return results, uses


def _may_be_known(value: Value) -> bool:
    return (value.is_key or value.dtype in _WHOLE) and value.size <= _MOST


def _uses_in_next_step(uses: Counter[Use], becomes: dict[int, int]) -> Counter[Use]:
    """What was done with keys that the next step of a loop gets, as uses of what they are there."""
    changed = {key: then for key, then in becomes.items() if key != then}
    return Counter({(what, changed[key], how): n for (what, key, how), n in uses.items() if key in changed})
