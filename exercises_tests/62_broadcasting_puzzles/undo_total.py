"""undo-total: for each element of `a`, the difference from the one before; the first stays."""

import numpy as np

from jaxcourse.checks import Solves, declare
from jaxcourse.puzzle import Rules

from ._lesson import many_digits, vectors


def steps(a):
    return [a[i] - a[i - 1] if i else a[0] for i in range(len(a))]


MISTAKES = {
    "wraps-around": lambda a: a - np.roll(a, 1),
    "one-too-few": np.diff,
    "sign-turned": [
        lambda a: np.append(a[:1], a[:-1] - a[1:]),
        lambda a: -np.diff(a, prepend=0),
    ],
    "first-lost": lambda a: np.append(0, np.diff(a)),
    "next-not-last": [
        lambda a: np.append(a[:1], np.diff(a)[1:].tolist() + [0] * (len(a) > 1)),
        lambda a: np.append(np.diff(a), a[-1:]),
        lambda a: np.append(a[:-1] - a[1:], a[-1:]),
    ],
    "all-subtracted": lambda a: a - (np.cumsum(a) - a),
}

WORDS = """
hint: What is `a[i - 1]` for all `i` at once? And at `i == 0`?
hint: `jnp.where` makes the exception.
wraps-around: At the first element you subtracted the last, because index -1 is no error. The first should stay as it
    is.
one-too-few: You lost the first element. The result should have as many elements as `a`.
sign-turned: You turned the sign. Take `a[i] - a[i - 1]`, what came later less what came before.
first-lost: The first element became 0. It should stay `a[0]`.
next-not-last: Your differences are those between an element and the next, `a[i + 1]`. Take the element before.
all-subtracted: You subtracted all elements before. One is enough, because it is their total already.
"""

undo_total = declare(
    "undo-total",
    see="comes-from",
    steps=[Solves(steps, vectors, many=many_digits, mistakes=MISTAKES)],
    without=[Rules()],
    words=WORDS,
)
