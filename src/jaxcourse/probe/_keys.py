"""The question of what an answer does with random keys, read from its jaxpr.

`jax.debug_key_reuse` sees a key that is drawn from twice. It does not see a key that is drawn from and folded, nor one
that gives the same numbers in every step of a loop. Here every value of the program gets a number, the same for the
same computation, so that two ways to the same key are one key.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from jaxcourse.probe._question import Control, question

_DRAWING = "def {name}(key):\n{lines}    return y\n"

Use = tuple[str, int, Any]
"""A use of a key: what is done (`draw`, `split`, `fold`), the key's number, and what it is done with."""

_USES = {"random_bits": "draw", "random_gamma": "draw", "random_split": "split", "random_fold_in": "fold"}


@question(evidence="process", control=Control(_DRAWING, "    y = jax.random.normal(key)\n"))
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
        `draws`, the number of draws; `keys`, the number of keys drawn from; `faults`, sorted, of: `drawn-twice`,
        `drawn-and-split`, `drawn-and-folded`, `split-and-folded`, `split-in-two-ways` (into different numbers of keys,
        some of which are the same), `same-in-every-step` (of a loop).

    Example:
        >>> def walk(key):
        ...     return jax.random.normal(key) + jax.random.normal(jax.random.fold_in(key, 1))
        >>> key_uses(walk)
        {'draws': 2, 'keys': 2, 'faults': ['drawn-and-folded']}
    """
    key = jax.random.PRNGKey(seed) if raw else jax.random.key(seed)
    given = [*args[:place], key, *args[place:]]
    traced = [i for i, value in enumerate(given) if i == place or isinstance(value, (np.ndarray, jax.Array))]

    def of_arrays(*inputs: Any) -> Any:
        return student_function(*(inputs[traced.index(i)] if i in traced else value for i, value in enumerate(given)))

    jaxpr = jax.make_jaxpr(of_arrays)(*(given[i] for i in traced))
    reader = _Reader()
    inputs = [reader.number("input", str(i)) for i in range(len(traced))]
    _, uses = reader.read(jaxpr, inputs)
    draws = Counter({key: count for (what, key, _), count in uses.items() if what == "draw"})
    return {"draws": draws.total(), "keys": len(draws), "faults": sorted(_faults(uses) | reader.faults)}


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


def _counts(scan: Any) -> tuple[int, int]:
    """How many of a scan's arguments are constants, and how many are carried."""
    if "num_consts" in scan:
        return scan["num_consts"], scan["num_carry"]
    consts, carried, _ = scan["ft_in"].unpack()  # since JAX 0.12
    return len(consts), len(carried)


@dataclass
class _Reader:
    """Reads a jaxpr and gives each value a number: the same for the same operation on the same values.

    Attributes:
        numbers: those given so far.
        steps: for each number, the loops in which it differs from step to step.
        faults: what was found in loops.
    """

    numbers: dict[tuple[Any, ...], int] = field(default_factory=dict)
    steps: dict[int, frozenset[int]] = field(default_factory=dict)
    faults: set[str] = field(default_factory=set)
    loops: int = 0

    def number(self, *what: Any, of: Sequence[int] = (), loop: int | None = None) -> int:
        """The number of a value, by how it is computed and from what."""
        number = self.numbers.setdefault((*what, *of), len(self.numbers))
        own = frozenset() if loop is None else frozenset({loop})
        self.steps[number] = self.steps.get(number, own).union(*(self.steps[part] for part in of))
        return number

    def read(self, jaxpr: Any, inputs: Sequence[int]) -> tuple[list[int], Counter[Use]]:
        """The numbers of what a jaxpr returns, and the uses of keys in it.

        Args:
            jaxpr: open or closed.
            inputs: the numbers of its arguments.
        """
        opened = getattr(jaxpr, "jaxpr", jaxpr)
        known: dict[Any, int] = dict(zip(opened.invars, inputs, strict=True))
        for place, variable in enumerate(opened.constvars):
            known[variable] = self.number("constant", id(opened), place)
        uses: Counter[Use] = Counter()
        for equation in opened.eqns:
            given = [self._of(atom, known) for atom in equation.invars]
            results, inside = self._equation(equation, given)
            uses += inside
            known.update(zip(equation.outvars, results, strict=True))
        return [self._of(atom, known) for atom in opened.outvars], uses

    def _of(self, atom: Any, known: dict[Any, int]) -> int:
        if hasattr(atom, "val"):  # a literal
            return self.number("literal", str(atom.val), str(atom.aval))
        return known[atom]

    def _equation(self, equation: Any, given: list[int]) -> tuple[list[int], Counter[Use]]:
        name, params = str(equation.primitive), equation.params
        if name == "scan":
            return self._scan(params, given, len(equation.outvars))
        if name == "while":
            return self._while(params, given)
        if name == "cond":
            branches = [self.read(branch, given[1:]) for branch in params["branches"]]
            uses: Counter[Use] = Counter()
            for _, inside in branches:
                uses |= inside  # one of them runs
            parts = [[results[i] for results, _ in branches] for i in range(len(equation.outvars))]
            return [self.number("cond", given[0], of=part) for part in parts], uses
        inner = next((params[word] for word in ("jaxpr", "call_jaxpr", "fun_jaxpr") if word in params), None)
        if hasattr(inner, "eqns") or hasattr(inner, "jaxpr"):
            taken = len(getattr(inner, "jaxpr", inner).invars)  # type: ignore[union-attr]
            return self.read(inner, given[len(given) - taken :])
        if name in ("random_wrap", "random_unwrap"):  # the same key in another dress
            return given, Counter()
        details = str(sorted((word, str(value)) for word, value in params.items()))
        results = [self.number(name, details, place, of=given) for place in range(len(equation.outvars))]
        how = math.prod(params["shape"]) if name == "random_split" else given[1] if name == "random_fold_in" else None
        return results, Counter({(_USES[name], given[0], how): 1}) if name in _USES else Counter()

    def _scan(self, params: Any, given: list[int], count: int) -> tuple[list[int], Counter[Use]]:
        consts, carries = _counts(params)
        fixed, carried, rows = given[:consts], given[consts : consts + carries], given[consts + carries :]
        loop = self._new_loop()
        rows = [self.number("row", of=[row], loop=loop) for row in rows]
        results, uses = self._steps(
            params["jaxpr"], loop, carried, lambda now: [*fixed, *now, *rows], once=params["length"] == 1
        )
        return [self.number("scan", loop, place, of=results) for place in range(count)], uses

    def _while(self, params: Any, given: list[int]) -> tuple[list[int], Counter[Use]]:
        tests, bodies = params["cond_nconsts"], params["body_nconsts"]
        fixed, carried = given[tests : tests + bodies], given[tests + bodies :]
        loop = self._new_loop()
        results, uses = self._steps(params["body_jaxpr"], loop, carried, lambda now: [*fixed, *now])
        return [self.number("while", loop, place, of=results) for place in range(len(carried))], uses

    def _new_loop(self) -> int:
        self.loops += 1
        return self.loops

    def _steps(
        self,
        body: Any,
        loop: int,
        carried: list[int],
        arguments: Callable[[list[int]], list[int]],
        *,
        once: bool = False,
    ) -> tuple[list[int], Counter[Use]]:
        """Read a loop's body as one of its steps. What is carried through unchanged is the same in every step."""
        changing = [self.number("carried", loop, place, loop=loop) for place in range(len(carried))]
        results, _ = self.read(body, arguments(changing))
        unchanged = [before == after for before, after in zip(changing, results, strict=False)]
        now = [old if same else new for old, new, same in zip(carried, changing, unchanged, strict=True)]
        results, uses = self.read(body, arguments(now))
        drawn = {key for what, key, _ in uses if what == "draw"}
        if not once and any(loop not in self.steps[key] for key in drawn):
            self.faults.add("same-in-every-step")
        if not once:
            self.faults |= _faults(uses + _handed_on(uses, dict(zip(results, now, strict=False))))
        return results, uses


def _handed_on(uses: Counter[Use], becomes: dict[int, int]) -> Counter[Use]:
    """What was done with keys that the next step of a loop gets, as uses of what they are there."""
    changed = {key: then for key, then in becomes.items() if key != then}
    return Counter({(what, changed[key], how): n for (what, key, how), n in uses.items() if key in changed})
