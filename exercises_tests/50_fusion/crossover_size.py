"""crossover-size: the smallest array for which `b` is faster, though a call of it costs more."""

import math

from jaxcourse.checks import Agrees, declare

from ._lesson import WORDS as LESSON


def first_faster(fixed_a, each_a, fixed_b, each_b):
    """By doubling and halving, without the formula."""

    def faster(n):
        return fixed_b + n * each_b < fixed_a + n * each_a

    if faster(1) or each_b >= each_a:
        return 1 if faster(1) else math.inf
    low, high = 1, 2
    while not faster(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if faster(middle) else (middle, high)
    return high


def catches_up(rng, most):
    each_b, gain = int(rng.integers(0, 6)), int(rng.integers(1, 8))
    fixed_a, n = int(rng.integers(0, 200)), int(rng.integers(1, most + 1))
    return fixed_a, each_b + gain, fixed_a + gain * n + int(rng.choice([0, 0, gain // 2, gain - 1])), each_b


def never(rng, _):
    fixed_a, each_a, each_b = (int(value) for value in rng.integers(0, 9, 3))
    each_b += each_a
    return fixed_a, each_a, max(0, fixed_a - (each_b - each_a)) + int(rng.integers(0, 9)), each_b


def at_once(rng, _):
    fixed_b, each_a, each_b = (int(value) for value in rng.integers(0, 9, 3))
    return fixed_b + max(0, each_b - each_a) + int(rng.integers(1, 9)), each_a, fixed_b, each_b


def anything(rng, most):
    return tuple(int(value) for value in rng.integers(0, most, 4, endpoint=True))


def equal_at_one(rng):
    return [(a, b + gain, a + gain, b) for a, b, gain in rng.integers(1, 9, (3, 3)).tolist()]


def far(rng):
    """Millions of elements, and between two of them: a float, or a search, that ends sooner is not right."""
    fixed_a, n = int(rng.integers(0, 10**6)), int(rng.integers(2_000_000, 3_000_000))
    yield from [(fixed_a, 8, fixed_a + n, 7), (fixed_a, 9, fixed_a + 3 * n + 1, 6), (0, 1, 10**7, 0)]
    for gain, behind in ((9_999_998, 9_999_999), (5_000_000, 9_999_999), (4_999_999, 10**7)):
        yield 0, gain, behind, 0


def not_slower(fixed_a, each_a, fixed_b, each_b):
    """What comes if equal times count as faster."""
    return first_faster(fixed_a, each_a, fixed_b - 1, each_b)


MISTAKES = {
    "equal-is-not-faster": not_slower,
    "equal-is-not-faster/2": lambda *costs: first_faster(*costs) - (first_faster(*costs) > 1),
    "equal-is-not-faster/3": lambda *costs: 1 if costs[2] + costs[3] <= costs[0] + costs[1] else first_faster(*costs),
    "where-they-cross": lambda *costs: max(1, (costs[2] - costs[0]) / (costs[1] - costs[3])),
    "one-too-many": lambda *costs: not_slower(*costs) + 1,
}

WORDS = """
hint: For which `n` is `fixed_b + n * each_b < fixed_a + n * each_a`? Solve for it.
hint: At equal times `b` is not faster yet: the next whole number is. And if each element costs `b` as much?
equal-is-not-faster: Your `n` gives equal times, and `b` is not faster yet. The next number is the first.
equal-is-not-faster/2: Your `n` is one too small: there `b` is no faster yet.
equal-is-not-faster/3: Your `n` is 1, where both take equally long. There `b` is not faster yet.
where-they-cross: You found where the two lines cross. `b` is faster from the next whole number on.
one-too-many: Your `n` is right if the times are equal at a whole number. Between two of them, the upper one counts.
wrong-value: Your `n` is not the first. Solve `fixed_b + n * each_b < fixed_a + n * each_a` for the smallest whole
    `n`.
never: Your result is not `math.inf`. Here `b` is not faster for one element, and gains nothing with further ones, so
    it never wins.
from-the-start: Your `n` is not 1. Here `b` is faster for one element already, and that is the smallest array.
"""

crossover_size = declare(
    "crossover-size",
    see="small-arrays",
    steps=[
        Agrees(first_faster, catches_up, [2, 9, 500], each=8, extremes=equal_at_one, mistakes=MISTAKES),
        Agrees(first_faster, never, [0], each=20, otherwise="never"),
        Agrees(first_faster, at_once, [0], each=20, otherwise="from-the-start"),
        Agrees(first_faster, anything, [1, 2, 4, 10**7], each=25, extremes=far),
    ],
    words=(LESSON, WORDS),
)
