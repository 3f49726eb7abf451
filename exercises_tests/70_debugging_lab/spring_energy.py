"""spring-energy."""

import jax
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, refuse, require
from jaxcourse.exercise import numbers
from jaxcourse.inputs import Asked
from jaxcourse.probe import NEEDS_A_VALUE


@probe.question(evidence="values")
def energies_and_slopes(student_function, drawn, compiled):
    """The energy and its gradient for several positions, with one program for each shape."""
    function = jax.value_and_grad(lambda p: student_function(p))
    function = jax.jit(function) if compiled else function
    return [function(positions) for positions in probe.on_device(drawn)]


def springs(positions):
    """The oracle: the energy and its gradient, by two loops."""
    energy, gradient = 0.0, np.zeros(positions.shape)
    for i in range(len(positions)):
        for j in range(i):
            apart = positions[i].astype(np.float64) - positions[j]
            r = np.sqrt(apart @ apart)
            energy += 0.5 * (r - 1) ** 2
            gradient[i] += (r - 1) * apart / r
            gradient[j] -= (r - 1) * apart / r
    return energy, gradient


def energy_of(positions):
    return springs(positions)[0]


def squared_springs(positions):
    squared = np.sum((positions[:, None] - positions.astype(np.float64)) ** 2, axis=-1)
    return 0.25 * (np.sum((squared - 1) ** 2) - len(positions))


def draw_atoms(rng, shape):
    """Atoms near the origin or far away, two of them close or very close to each other."""
    places = rng.permutation(np.arange(-8, 8))[: shape[0]]  # the first axis keeps two apart by 0.5, and not by about 1
    positions = rng.uniform(-1, 1, size=shape)
    positions[:, 0] = 0.6 * places + rng.uniform(-0.05, 0.05, size=len(places))
    positions[-1] = positions[0] + rng.choice([0.05, 0.004]) if len(positions) > 2 else positions[-1]
    return (np.float32(positions + rng.choice([0.0, 0.0, 1000.0])),)


def softened_springs(positions, added):
    """The energy with a number under each root."""
    squared = np.sum((positions[:, None] - positions.astype(np.float64)) ** 2, axis=-1)
    return 0.5 * np.sum((np.sqrt(squared[np.triu_indices(len(positions), 1)] + added) - 1) ** 2)


def cancels_far_away(energies, drawn):
    """Whether energies are good near the origin, and far from it not."""
    errors = np.array([abs(mine - energy_of(positions)) for mine, positions in zip(energies, drawn, strict=True)])
    far = np.array([np.min(np.abs(positions)) > 100 for positions in drawn])
    return bool(np.all(errors[~far] < 5e-3) and np.sum(errors[far] > 0.05) >= 2)


MISTAKES = {
    "pairs-twice": lambda positions: 2 * energy_of(positions),
    "springs-to-itself": lambda positions: energy_of(positions) + 0.25 * len(positions),
    "no-root": squared_springs,
    "neighbours-alone": lambda positions: sum(energy_of(positions[i : i + 2]) for i in range(len(positions) - 1)),
}


def an_energy_with_a_gradient(answer, rng):
    """The energy is right, near the origin and far away, and has a gradient that is right.

    A function, since one mistake has a number in it that only the energies which came back can say.
    """
    drawn = [draw_atoms(rng, shape)[0] for shape in ((2, 1), (4, 2), (3, 3)) for _ in range(8)]
    pairs = (rng.uniform(-1, 1), 0.001), (0.5, -0.003), (-0.4, 0.0012)
    drawn += [np.float32([[place], [place + apart]]) for place, apart in pairs]
    drawn.append(np.float32([[0.3, 1], [0.3, -0.5], [1.2, -0.5], [0, 0]]))  # some in one row, some in one column
    drawn += [positions + np.float32(1000) for positions in drawn[8:10]]
    got = numbers(answer(drawn[8]))
    require(got.shape == (), "wrong-shape", shape=got.shape)
    results, raised = answer.attempt(energies_and_slopes, drawn, True, expected=NEEDS_A_VALUE)
    if raised:  # under `grad` alone Python may look at numbers
        results = answer.probe(energies_and_slopes, drawn, False)
    known = {positions.tobytes(): result for positions, result in zip(drawn, results, strict=True)}
    energies = [float(numbers(energy)) for energy, _ in results]
    refuse(cancels_far_away(energies, drawn), "squares-expanded")
    pair = drawn[24].astype(np.float64)  # two atoms that are near: what is under their root follows from the energy
    added = max((1 - np.sqrt(2 * max(energies[24], 0))) ** 2 - np.sum((pair[1] - pair[0]) ** 2), 0)
    Asked(lambda positions: known[positions.tobytes()][0], energy_of, rtol=2e-4).require(
        [(positions,) for positions in drawn],
        mistakes=MISTAKES | {"added-under-the-root": lambda positions: softened_springs(positions, added)},
    )
    slopes = [numbers(slope) for _, slope in results]
    refuse(any(np.isnan(slope).any() for slope in slopes), "nan-gradient")
    refuse(all(np.all(slope == 0) for slope in slopes), "gradient-cut-off")
    for positions, slope in zip(drawn, slopes, strict=True):
        expect(slope, springs(positions)[1], "wrong-gradient", rtol=2e-4)
    expect(answer(drawn[9]), energy_of(drawn[9]), "wrong-value/2", rtol=2e-4)


WORDS = """
hint: Where is a distance zero, and what is the slope of the root there?
hint: Give the root something harmless *before* you take it. That is the inner `where` of the double `where`.
wrong-shape: One number is wanted, the energy, and not the shape {shape}.
squares-expanded: Your energy is right near the origin, and loses digits far from it, as `a*a - 2*a*b + b*b` does. Large
    numbers cancel. Subtract positions first, then square.
pairs-twice: You count each spring twice, as (i, j) and (j, i).
springs-to-itself: You give each atom a spring to itself. The diagonal of the table adds (0 - 1)² for each.
no-root: You took away the root, and with it the distance. Subtract 1 from the distance, not from its square.
added-under-the-root: You added a number under the root, which gives close atoms another distance. Add nothing, and
    replace what is under the root on the diagonal alone.
neighbours-alone: You took the springs between neighbours in the list. *Every* pair has one.
wrong-value: Your result is not the energy any more.
nan-gradient [nan-through-where]: Your energy is right, and its gradient is NaN. At the distance zero the root has no
    slope, and what comes afterwards does not repair it.
gradient-cut-off [nan-through-where]: Your gradient is zero. It is finite now because it is cut off, and nothing will
    move.
wrong-gradient: Your gradient is finite, and not that of the energy.
wrong-value/2: For other atoms, your result is not the energy.
"""

spring_energy = declare(
    "spring-energy",
    see="lab-silent",
    steps=[an_energy_with_a_gradient],
    words=WORDS,
)
