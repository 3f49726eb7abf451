"""How long a program takes at least and at most, from its kernels and from what this machine takes for each.

At best, memory and arithmetic work at once, each at its fastest, and the longer of the two decides. At worst they take
turns, the data lie one memory further away, and a fused loop computes again what it needs twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jaxcourse.before._rates import NEW, Rates
from jaxcourse.before._span import Span
from jaxcourse.insides import Kernel


@dataclass(frozen=True)
class Share:
    """A kernel that takes much of the time.

    Attributes:
        kernel: which.
        seconds: of all its runs in one call, at least and at most.
        share: of the time of all kernels, by the middles of their ranges: from 0 to 1.
        mostly: what most of it is: `launching`, `memory`, or a sort of work such as `exponential`.
    """

    kernel: Kernel
    seconds: Span
    share: float
    mostly: str


def of_kernel(kernel: Kernel, rates: Rates, around: float = 0) -> Span:
    """Seconds of one run of a kernel."""
    launch = rates.within if kernel.within else rates.launch
    moved = rates.moving(kernel.bytes, around)
    done = [rates.doing(kind).times(amount.least, amount.most) for kind, amount in kernel.work.items()]
    least, most = sum(span.least for span in done), sum(span.most for span in done)
    return Span(launch.least + max(moved.least, least), launch.most + moved.most + most)


def of_call(kernels: Sequence[Kernel], rates: Rates, made: Sequence[int], arrays: int) -> Span | None:
    """Seconds of one call; None if nothing is to be said.

    Args:
        kernels: of the program.
        rates: what the machine takes.
        made: bytes of each block of memory that a call asks for.
        arrays: how many arrays go in and come out.
    """
    if any(one.runs is None or not one.is_read or one.kind == "collective" for one in kernels):
        return None
    fresh = sum(size for size in made if size >= NEW)
    total = rates.call.plus(rates.array.times(arrays, arrays)).plus(rates.fresh.times(fresh, fresh))
    for one in kernels:
        runs = one.runs or 0
        total = total.plus(of_kernel(one, rates, sum(made)).times(0 if one.may_skip else runs, runs))
    return total


def largest(kernels: Sequence[Kernel], rates: Rates, most: int = 3) -> list[Share]:
    """The kernels that take most, the largest first; those of loops of unknown length are not among them."""
    known = [(one, of_kernel(one, rates).times(one.runs, one.runs)) for one in kernels if one.runs and one.is_read]
    total = sum(span.middle for _, span in known) or 1.0
    ranked = sorted(known, key=lambda pair: -pair[1].middle)[:most]
    return [Share(one, span, span.middle / total, _mostly(one, rates)) for one, span in ranked]


def _mostly(kernel: Kernel, rates: Rates) -> str:
    """What most of the time of a kernel is."""
    launch = rates.within if kernel.within else rates.launch
    parts: Mapping[str, float] = {"launching": launch.middle, "memory": rates.moving(kernel.bytes).middle} | {
        kind: rates.doing(kind).times(amount.least, amount.most).middle for kind, amount in kernel.work.items()
    }
    return max(parts, key=lambda part: parts[part])
