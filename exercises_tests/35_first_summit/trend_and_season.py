"""trend-and-season."""

import numpy as np

from jaxcourse.checks import Agrees, declare, on_jax_arrays


def made(t, harmonics, *, half=0.5, angle=lambda k, t: 2 * np.pi * k * t, turns=None):
    """The matrix, in double precision, as the task says or otherwise."""
    t = np.asarray(t, np.float64)
    columns = [np.ones_like(t), t, half * t**2]
    for k in range(1, harmonics + 1) if turns is None else turns:
        columns += [np.sin(angle(k, t)), np.cos(angle(k, t))]
    return np.stack(columns, axis=1)


def right_matrix(t, harmonics):
    """The oracle."""
    return made(t, harmonics)


def reordered(t, harmonics, *starts):
    """The columns of the season in another order."""
    matrix = made(t, harmonics)
    season = [start for first in starts for start in range(3 + first, 3 + 2 * harmonics, 2)]
    return matrix[:, [0, 1, 2, *season]]


def cosines_first(t, harmonics):
    """Each pair turned round."""
    matrix = made(t, harmonics)
    pairs = [place for k in range(harmonics) for place in (4 + 2 * k, 3 + 2 * k)]
    return matrix[:, [0, 1, 2, *pairs]]


MISTAKES = {
    "half-left-out": lambda t, harmonics: made(t, harmonics, half=1),
    "half-of-the-root": lambda t, harmonics: made(t, harmonics, half=0.25),
    "angle-without-two-pi": lambda t, harmonics: made(t, harmonics, angle=lambda k, t: k * t),
    "half-a-turn": lambda t, harmonics: made(t, harmonics, angle=lambda k, t: np.pi * k * t),
    "degrees": lambda t, harmonics: made(t, harmonics, angle=lambda k, t: 360 * k * t),
    "longer-periods": lambda t, harmonics: made(t, harmonics, angle=lambda k, t: 2 * np.pi * t / k),
    "powers-of-two": lambda t, harmonics: made(t, harmonics, angle=lambda k, t: 2 * np.pi * 2 ** (k - 1) * t),
    "same-turn-each-time": lambda t, harmonics: made(t, harmonics, angle=lambda k, t: 2 * np.pi * t),
    "harmonics-from-zero": lambda t, harmonics: made(t, harmonics, turns=range(harmonics)),
    "last-harmonic-left-out": lambda t, harmonics: made(t, harmonics, turns=range(1, harmonics)),
    "one-harmonic-more": lambda t, harmonics: made(t, harmonics, turns=range(1, harmonics + 2)),
    "sines-before-cosines": [
        lambda t, harmonics: reordered(t, harmonics, 0, 1),
        lambda t, harmonics: reordered(t, harmonics, 1, 0),
    ],
    "cosines-first": cosines_first,
    "sines-alone": lambda t, harmonics: reordered(t, harmonics, 0),
    "acceleration-left-out": lambda t, harmonics: np.delete(made(t, harmonics), 2, axis=1),
    "level-left-out": lambda t, harmonics: made(t, harmonics)[:, 1:],
    "season-before-trend": lambda t, harmonics: np.roll(made(t, harmonics), -3, axis=1),
    "rows-for-columns": lambda t, harmonics: made(t, harmonics).T,
}


def times(rng, shape):
    """Times before and after the middle, and a number of harmonics."""
    n, harmonics = shape
    return rng.uniform(-22, 22, n).astype(np.float32), harmonics


WORDS = """
hint: Write down the three columns of the trend first. Which function joins columns to a matrix?
hint: A sine goes round once while its angle grows by 2π. By how much should it grow in a year?
hint: `columns += [jnp.sin(2 * jnp.pi * k * t), jnp.cos(2 * jnp.pi * k * t)]`
half-left-out: Your third column is t². Its parameter would be half of the acceleration, and you would see no error.
    Take t²/2.
half-of-the-root: Your third column is (t/2)². Square `t`, and halve the square.
angle-without-two-pi: Your waves have the angle k t, so they take 2π years for a turn. One turn a year has the angle
    2π t.
half-a-turn: Your waves make half a turn a year. The angle is 2π k t.
degrees: Your angles are degrees, and `sin` takes radians. The angle is 2π k t.
longer-periods: You divided by `k`, so your waves take k years for a turn. They should make k turns a year.
powers-of-two: Your waves make 1, 2, 4, 8 turns a year. They should make 1, 2, 3, 4.
same-turn-each-time: All of your waves make one turn a year. The one of number `k` makes k turns.
harmonics-from-zero: You begin with k = 0, a wave that doesn't move, and leave out the last one. Count from 1.
last-harmonic-left-out: You left out the last harmonic, because `range` ends before its upper end.
one-harmonic-more: You have one harmonic too many.
sines-before-cosines: Your columns are right, but all sines come before all cosines, or after them. Follow each sine
    with the cosine of the same `k`.
cosines-first: In each of your pairs the cosine comes first. The sine does.
sines-alone: You have no cosines. A sine alone is 0 at the middle of the record, and the season need not be.
acceleration-left-out: Your matrix has no column t²/2.
level-left-out: Your matrix has no column of ones, so that your curve goes through 0.
season-before-trend: Your season comes before the trend. The first three columns are 1, t and t²/2.
rows-for-columns: Your matrix lies on its side. Give each time a row, and each parameter a column.
wrong-value: The columns are 1, t, t²/2, and then for each k the sine and the cosine of 2π k t.
"""

trend_and_season = declare(
    "trend-and-season",
    see="a-column-each",
    steps=[
        Agrees(
            right_matrix,
            times,
            [(1, 1), (3, 2), (1, 0), (5, 3)],
            each=2,
            ask=on_jax_arrays,
            mistakes=MISTAKES,
            rtol=1e-5,
        )
    ],
    words=WORDS,
)
