"""What a check requires of a kernel's blocks: the step `Walks`, and the rules of which it is made.

A kernel's numbers tell little: in interpret mode a block that lies outside is moved back inside, a result that comes
back is kept, and a table that nobody should write is written in no time. So a check asks first which block every step
has, by `probe.walk`, and compares numbers afterwards, by `Agrees(ask=probe.by_blocks)`.

Example:
    >>> from jaxcourse.checks import declare
    >>> steps = [Walks(lambda rng, n: (rng.normal(size=n), 4), [12, 10], rules=[not_whole(), covers()])]
    >>> exercise = declare("negative", see="grid", steps=steps, words="no-kernel: {calls} calls. Where is the kernel?")
    >>> from jaxcourse.exercise import judge
    >>> from jaxcourse.probe import local_channel
    >>> judge(exercise, local_channel(lambda x, block: -x)).label
    'no-kernel'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from jaxcourse.exercise import refuse
from jaxcourse.mistakes import Case
from jaxcourse.probe import Answer, walk

Found = dict[str, Any]
"""What `probe.walk` says of an answer."""
Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Rule:
    """Something that holds for the blocks of a kernel.

    Attributes:
        label: of the diagnosis where it does not.
        breaks: is given what `probe.walk` says, and the arguments of the call; returns what words may say of the
            mistake, or None where there is none.
        first: whether it is asked before there must be one kernel.
    """

    label: str
    breaks: Callable[..., Facts | None]
    first: bool = False


@dataclass(frozen=True)
class Walks:
    """A step: the answer makes one `pl.pallas_call`, whose blocks come as the task has it. Nothing is run.

    What no kernel may have is refused besides: see `one_kernel` and `nothing_outside`.

    Attributes:
        draw: draws the arguments of one call, `draw(rng, shape)`.
        shapes: what `draw` is called with.
        rules: what else must hold, for one call after the other; the first that does not decides.
        floats: the dtype that arrays of floats get: see `probe.walk`.
    """

    draw: Callable[[np.random.Generator, Any], Case]
    shapes: Iterable[Any]
    _: KW_ONLY
    rules: Sequence[Rule] = ()
    floats: str = ""

    def __call__(self, answer: Answer, rng: np.random.Generator) -> None:
        """Take the step."""
        for shape in self.shapes:
            case = self.draw(rng, shape)
            found = answer.probe(walk, *case, floats=self.floats)
            if self.floats:  # the call that is shown has the dtype that the answer gets
                answer.called = answer.called.replace("float32[", f"{self.floats}[")
            for rule in self._all:
                facts = rule.breaks(found, *case)
                refuse(facts is not None, rule.label, **(facts or {}))

    @property
    def _all(self) -> list[Rule]:
        first, then = ([rule for rule in self.rules if rule.first is early] for early in (True, False))
        return [*first, *one_kernel(), nothing_outside(), *then]

    def keys(self) -> list[str]:
        """The keys of the words that the step itself uses."""
        return list(dict.fromkeys(rule.label for rule in self._all))

    def functions(self) -> list[Any]:
        """The functions in which further ones may stand."""
        return [self.draw]


@dataclass(frozen=True)
class KeepsNoMore:
    """A step: the scratch memory of an answer's only kernel is as large for a long argument as for a short one.

    Attributes:
        draw: draws the arguments of one call, `draw(rng, shape)`.
        short: what `draw` is called with first.
        long: and then, with the same blocks.
        label: of the diagnosis (`{short}`, `{long}`: bytes).
    """

    draw: Callable[[np.random.Generator, Any], Case]
    short: Any
    long: Any
    label: str = "memory-grows"

    def __call__(self, answer: Answer, rng: np.random.Generator) -> None:
        """Take the step."""
        short, long = (answer.probe(walk, *self.draw(rng, shape))["scratch_bytes"] for shape in (self.short, self.long))
        refuse(long > short, self.label, short=short, long=long)

    def keys(self) -> list[str]:
        """The keys of the words that the step itself uses."""
        return [self.label]

    def functions(self) -> list[Any]:
        """The functions in which further ones may stand."""
        return [self.draw]


# -- rules ------------------------------------------------------------------------------------------------------


def one_kernel() -> list[Rule]:
    """There is one `pl.pallas_call`: `no-kernel`, `several-kernels` (`{calls}`)."""
    return [
        Rule("no-kernel", lambda found, *case: {"calls": 0} if not found["calls"] else None),
        Rule("several-kernels", lambda found, *case: {"calls": found["calls"]} if found["calls"] > 1 else None),
    ]


def nothing_outside() -> Rule:
    """No block begins outside its array: `block-outside` (`{step}`, `{ref}`, `{index}`, `{start}`, `{shape}`)."""
    return Rule("block-outside", lambda found, *case: _at_step(found, "inputs", "outputs", fault="outside"))


def steps(count: Callable[..., int]) -> list[Rule]:
    """The grid has so many steps: `too-few-steps`, `too-many-steps` (`{steps}`, `{wanted}`).

    Args:
        count: of the arguments of a call.
    """

    def facts(found: Found, case: Case) -> Facts:
        return {"steps": found["steps"], "wanted": count(*case)}

    return [
        Rule("too-few-steps", lambda found, *case: facts(found, case) if found["steps"] < count(*case) else None),
        Rule("too-many-steps", lambda found, *case: facts(found, case) if found["steps"] > count(*case) else None),
    ]


def not_whole(*inputs: int, label: str = "handed-whole") -> Rule:
    """No step is handed a whole array (`{ref}`, `{shape}`, `{bytes}`, `{steps}`).

    Args:
        *inputs: the positions of the arrays that count; by default all inputs.
        label: of the diagnosis.
    """

    def breaks(found: Found, *case: Any) -> Facts | None:
        chosen = [found["inputs"][i] for i in inputs or range(len(found["inputs"])) if i < len(found["inputs"])]
        whole = next((one for one in chosen if one["whole"]), None)
        return whole and {**_named(whole), "bytes": whole["block_bytes"], "steps": found["steps"]}

    return Rule(label, breaks)


def covers(label: str = "rest-missing") -> Rule:
    """Every element of each result is in a block (`{ref}`, `{shape}`, `{missing}`, `{steps}`)."""

    def breaks(found: Found, *case: Any) -> Facts | None:
        one = next((one for one in found["outputs"] if one["uncovered"]), None)
        return one and {**_named(one), "missing": one["uncovered"], "steps": found["steps"]}

    return Rule(label, breaks)


def written(label: str = "never-written") -> Rule:
    """The kernel writes into each result (`{ref}`)."""

    def breaks(found: Found, *case: Any) -> Facts | None:
        one = next((one for one in found["outputs"] if not one["writes"]), None)
        return one and _named(one)

    return Rule(label, breaks)


def in_order(label: str = "comes-back") -> Rule:
    """No block of a result comes back after another one took its place (`{step}`, `{ref}`, `{index}`, `{start}`)."""
    return Rule(label, lambda found, *case: _at_step(found, "outputs", fault="comes_back"))


def moves(bytes_: Callable[..., int], label: str = "traffic") -> Rule:
    """All steps together move no more bytes than this (`{bytes}`, `{most}`).

    Args:
        bytes_: of the arguments of a call.
        label: of the diagnosis.
    """

    def breaks(found: Found, *case: Any) -> Facts | None:
        most = bytes_(*case)
        return {"bytes": found["moved_bytes"], "most": most} if found["moved_bytes"] > most else None

    return Rule(label, breaks)


def fits(bytes_: Callable[..., int], label: str = "too-much-at-once") -> Rule:
    """Two blocks of each array and the scratch memory fit into so many bytes (`{bytes}`, `{once}`, `{most}`).

    Of two blocks, one is computed with while the other is on its way. `{once}` is what one block of each takes.

    Args:
        bytes_: of the arguments of a call.
        label: of the diagnosis.
    """

    def breaks(found: Found, *case: Any) -> Facts | None:
        most, once = bytes_(*case), found["fast_bytes"]
        needed = 2 * once - found["scratch_bytes"]
        return {"bytes": needed, "once": once, "most": most} if needed > most else None

    return Rule(label, breaks)


def in_any_order(label: str = "shared") -> Rule:
    """No two steps have the same block of a result, so that they may run at once (`{ref}`, `{shape}`, `{steps}`).

    What a step leaves for the next one in scratch memory is no block: ask `probe.by_blocks(..., scratch=1.0)` as well.
    """

    def breaks(found: Found, *case: Any) -> Facts | None:
        one = next((one for one in found["outputs"] if one["shared"]), None)
        return one and {**_named(one), "steps": found["steps"]}

    return Rule(label, breaks)


def nothing_as_large(elements: Callable[..., int], label: str = "table") -> Rule:
    """No value of so many elements, or more, is made anywhere: inside the kernel or outside (`{largest}`, `{size}`).

    Args:
        elements: of the arguments of a call.
        label: of the diagnosis.
    """

    def breaks(found: Found, *case: Any) -> Facts | None:
        size = elements(*case)
        return {"largest": found["largest"], "size": size} if found["largest"] >= size else None

    return Rule(label, breaks, first=True)


def no_factors(label: str = "mask-as-factor") -> Rule:
    """Where a block of an input hangs over, the kernel multiplies no floats by a mask (`{step}`, `{ref}`, ...).

    NaN times 0 is NaN. In interpret mode `x * mask` gives what a selection gives, because XLA makes one of it. How an
    answer selects, by `jnp.where`, by a slice or by a loop that ends, is its own affair.
    """

    def breaks(found: Found, *case: Any) -> Facts | None:
        return _at_step(found, "inputs", fault="hangs_over") if found["masks_as_factors"] else None

    return Rule(label, breaks)


def no_copy(elements: Callable[..., int], label: str = "copied") -> Rule:
    """Outside of the kernel, nothing of so many elements is computed or copied (`{largest}`, `{size}`).

    A new shape of the same numbers is no copy.

    Args:
        elements: of the arguments of a call.
        label: of the diagnosis.
    """

    def breaks(found: Found, *case: Any) -> Facts | None:
        size = elements(*case)
        return {"largest": found["outside"], "size": size} if found["outside"] >= size else None

    return Rule(label, breaks)


def products_in(dtype: str, label: str = "few-bits") -> Rule:
    """Every matrix product in the kernel adds up in a dtype (`{dtype}`, `{wanted}`).

    Args:
        dtype: its name.
        label: of the diagnosis.
    """

    def breaks(found: Found, *case: Any) -> Facts | None:
        other = next((out for _, _, out in found["products"] if out != dtype), None)
        return other and {"dtype": other, "wanted": dtype}

    return Rule(label, breaks)


def _named(one: Found) -> dict[str, Any]:
    return {"ref": one["ref"] or one["name"], "shape": one["shape"]}


def _at_step(found: Found, *groups: str, fault: str) -> Facts | None:
    """What is to be said of the first array whose blocks have a fault that begins at a step."""
    for one in (one for group in groups for one in found[group]):
        if (step := one[fault]) is not None:
            index, start = (tuple(one[which][step].tolist()) for which in ("indices", "starts"))
            return {**_named(one), "step": step, "steps": found["steps"], "index": index, "start": start}
    return None
