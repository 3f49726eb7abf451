"""time-of-a-program: launches, and for each kernel the larger of the times for its bytes and its operations."""

from jaxcourse.checks import Agrees, declare

from ._lesson import WORDS as LESSON


def one_by_one(kernels, launch, bandwidth, peak):
    """The oracle, with a branch in place of a maximum."""
    seconds = 0.0
    for moved, operations in kernels:
        bound_by_memory = moved * peak > operations * bandwidth
        seconds += launch + (moved / bandwidth if bound_by_memory else operations / peak)
    return seconds


def program(rng, count):
    """Kernels of both kinds: some bound by memory, some by arithmetic. Two have the same bytes, if there are two."""
    bandwidth, peak = float(rng.integers(2, 20)), float(rng.integers(20, 90))
    kernels = [(int(rng.integers(1, 90)), int(rng.integers(1, 900))) for _ in range(count)]
    if count > 1:
        kernels[-1] = (kernels[0][0], kernels[-1][1])
    return kernels, float(rng.integers(1, 9)) / 2, bandwidth, peak


def both_kinds(rng):
    """One kernel of each kind, one that balances, no bytes, no work at all, real sizes, and no kernel at all."""
    return [
        ([(8, 2), (4, 40)], 1.0, 4.0, 10.0),
        ([(90, 1), (1, 900)], 0.5, 3.0, 30.0),
        ([(10, 100), (12, 0)], 2.0, 2.0, 20.0),
        ([(0, 40), (6, 5)], 1.0, 2.0, 10.0),
        ([(0, 0), (4, 10), (6, 2)], 1.5, 2.0, 10.0),
        ([(9, 10), (0, 0), (2, 30)], 0.5, 2.0, 10.0),
        ([(8_000_000, 5_000_000), (12_000_000, 2_000_000_000)], 4e-6, 4.8e12, 6.7e13),
        ([], 3.0, 2.0, 5.0),
    ]


def roof_of_all(kernels, launch, bandwidth, peak):
    moved, operations = (sum(part) for part in zip(*kernels, strict=True)) if kernels else (0, 0)
    return len(kernels) * launch + max(moved / bandwidth, operations / peak)


def roofs(kernels, bandwidth, peak):
    return sum(max(moved / bandwidth, operations / peak) for moved, operations in kernels)


MISTAKES = {
    "added": lambda kernels, launch, bandwidth, peak: sum(launch + b / bandwidth + f / peak for b, f in kernels),
    "one-roof": roof_of_all,
    "one-launch": lambda kernels, launch, bandwidth, peak: launch + roofs(kernels, bandwidth, peak),
    "no-launch": lambda kernels, launch, bandwidth, peak: roofs(kernels, bandwidth, peak),
    "no-work-no-launch": lambda kernels, launch, bandwidth, peak: sum(
        launch + max(b / bandwidth, f / peak) for b, f in kernels if b or f
    ),
    "merged": lambda kernels, launch, bandwidth, peak: sum(
        launch + max(b / bandwidth, f / peak) for b, f in dict(kernels).items()
    ),
    "bytes-only": lambda kernels, launch, bandwidth, peak: sum(launch + b / bandwidth for b, f in kernels),
    "operations-only": lambda kernels, launch, bandwidth, peak: sum(launch + f / peak for b, f in kernels),
    "smaller": lambda kernels, launch, bandwidth, peak: sum(launch + min(b / bandwidth, f / peak) for b, f in kernels),
    "launch-hidden": lambda kernels, launch, bandwidth, peak: sum(
        max(launch, b / bandwidth, f / peak) for b, f in kernels
    ),
}

WORDS = """
hint: Of one kernel: how long do its bytes take, and how long its operations? Which of the two counts?
hint: `max(b / bandwidth, f / peak)` for each kernel, and a launch for each.
added: You added the times of bytes and operations. They overlap within a kernel, so take the larger one.
one-roof: You took the larger of the two for the whole program. Take it for each kernel: the next one has to wait.
one-launch: You counted one launch. Each kernel is launched, so each pays for one.
no-launch: Your answer has no launches. Each kernel costs `launch` seconds before it begins.
no-work-no-launch: You left out kernels that do nothing. Their launches are paid all the same.
merged: Of two kernels with the same bytes you counted one, as the keys of a `dict` do. Each of them runs.
bytes-only: You counted launches and bytes. A kernel with many operations for each byte waits for these.
operations-only: You counted launches and operations. A kernel with few operations for each byte waits for memory.
smaller: You took the smaller of the two times. A kernel isn't done before both are.
launch-hidden: You let the launch overlap with the work. At the least that the task asks for, each launch is added.
wrong-value: Each kernel takes `launch` seconds, and then the larger of its times for bytes and for operations.
"""

time_of_a_program = declare(
    "time-of-a-program",
    see="five-prices",
    steps=[Agrees(one_by_one, program, [1, 2, 3, 6], each=6, extremes=both_kinds, mistakes=MISTAKES)],
    words=(LESSON, WORDS),
)
