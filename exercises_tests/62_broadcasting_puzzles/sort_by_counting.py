"""sort-by-counting: the elements of `a` in ascending order, each put where as many come before it as are smaller."""

import itertools

import numpy as np

from jaxcourse.checks import Solves, declare
from jaxcourse.puzzle import Rules

from ._lesson import vectors


def in_order(a):
    return sorted(a)


def cases(rng):
    # A key of value and position fails where two elements happen to get the same one: so every vector of few numbers.
    every = itertools.product((-1, 0, 1), repeat=3)
    # The first differs for every mistake below; the others are few distinct numbers, no two equal ones, all equal ones.
    fixed = [[5, 1, 4, 1, 3], [2, 2, -1, 2, -1], [-1, 0, 3, 8, 9], [7, 7, 7, 7, 7], [0, -5, 3, 0, -5]]
    return [*vectors(rng), *((np.array(numbers, np.int32),) for numbers in [*every, *fixed])]


def many(rng):
    """So many, and so different ones, that no constant such as 1000 makes a key or a list of all numbers."""
    numbers = rng.integers(-200, 201, 1030).astype(np.int32)
    numbers[[0, -1]] = 1, 0
    return [(numbers,)]


def places(a):
    return np.argsort(np.argsort(a, kind="stable"))


def gathered(place, a):
    """What comes out where some places are taken for those of the elements: shared ones add up, the others stay 0."""
    return (place == np.arange(len(a))[:, None]) @ a


MISTAKES = {
    "places-read-backwards": lambda a: a[places(a)],
    "ties-share-a-place": [
        lambda a: gathered((a < a[:, None]).sum(1), a),
        lambda a: gathered((a <= a[:, None]).sum(1) - 1, a),
    ],
    "falling": lambda a: -np.sort(-a),
    "places-returned": places,
    "counts-itself": [
        lambda a: np.append(0, np.sort(a)[:-1]),
        lambda a: gathered((a <= a[:, None]).sum(1), a),
    ],
}

WORDS = """
hint: The condition inside both loops is a mask over `i` and `j`. Join its three comparisons by `|` and `&`, each in
    brackets.
hint: `place` is the mask, summed over `j`. It says where each element goes.
hint: Compare the places, a row, with all places, a column. Then use `@`.
places-read-backwards: Your result is what `a[place]` gives. But `place[i]` says where `a[i]` goes, and brackets, or the
    rows of a mask, say where it comes from.
ties-share-a-place: Your equal elements share a place and are added up there, so another place stays empty. Let `j < i`
    decide.
falling: They fall. The place of an element is the number of *smaller* ones.
places-returned: Those are the places. The elements should stand there.
counts-itself: Your places are too far along. They begin at 0. What belongs before an element is smaller, or equal with
    `j < i`, and never the element itself.
"""

sort_by_counting = declare(
    "sort-by-counting",
    points=2,
    see="sorting",
    steps=[Solves(in_order, cases, many=many, mistakes=MISTAKES)],
    without=[Rules()],
    words=WORDS,
)
