"""decay-curves."""

import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare, require

from ._lesson import programs_for_each


def decays(times, rates):
    """The oracle, in `float64`."""
    return np.exp(-np.asarray(rates, np.float64)[:, None] * times)


def draw_decays(rng, lengths):
    many, few = lengths
    return inputs.array(rng, many, "float32", low=0, high=3), inputs.array(rng, few, "float32", low=-1, high=2)


MISTAKES = {
    "frozen-rate": lambda times, rates: np.tile(decays(times, rates)[0], (len(rates), 1)),
    "last-rate": lambda times, rates: np.tile(decays(times, rates)[-1], (len(rates), 1)),
    "transposed": lambda times, rates: decays(times, rates).T,
    "no-minus": lambda times, rates: 1 / decays(times, rates),
    "whole-rates": lambda times, rates: decays(times, np.trunc(rates) if times.dtype.kind == "i" else rates),
}


FAR = [
    (np.array([0, 1e-3, 5e-3], np.float32), np.array([150, 0.5, 200], np.float32)),
    (np.array([1, 150, 200], np.float32), np.array([0.01, 0.001, 0.02], np.float32)),
    *[(days, np.array([0.5, 1.25, 0.5], np.float32)) for days in (np.arange(3), np.array([2, 0, 1]))],
]


def one_program_for_all(answer, rng):
    """New rates compile fewer programs than there are rates."""
    rates = rng.permutation(np.linspace(0.2, 3.0, 6)).astype(np.float32)
    again = programs_for_each(answer, np.linspace(0, 2, 5, dtype=np.float32), rates)
    require(again < 6, "one-program-per-rate", again=again)


WORDS = """
hint: `curve` reads `rate`, and gets no `rate`. When does it read?
hint: Give `curve` a second argument.
frozen-rate [frozen-globals]: Your curves are all the first one, because its rate was baked into the program as a
    constant.
last-rate: Your curves are all the last one, because `rate` was read after the loop.
transposed: Your curves are columns. Give each rate one *row*.
no-minus: Your curves grow, because the minus sign is missing.
whole-rates: The times are whole numbers here, and your rates became whole numbers as well. Keep their dtype.
wrong-value: Your numbers are not the decay curves.
one-program-per-rate [frozen-globals]: Your curves are right, and six new rates compile {again} programs. That is at
    least one for each, though all are alike.
"""

decay_curves = declare(
    "decay-curves",
    see="lab-silent",
    steps=[
        Agrees(
            decays,
            draw_decays,
            [(5, 4), (1, 1)],
            each=2,
            extremes=FAR,
            ask=probe.on_jax_arrays,
            mistakes=MISTAKES,
        ),
        one_program_for_all,
    ],
    words=WORDS,
)
