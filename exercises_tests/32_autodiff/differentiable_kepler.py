"""differentiable-kepler."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, refuse, require
from jaxcourse.exercise import is_close, numbers

from ._lesson import always, float32


@probe.question(evidence="values")
def kepler_found(student_function, draws):
    """Values, the derivatives that come back, and a push forwards, for several draws of one shape.

    A way that does not exist gives an empty list.
    """

    def total(mean, eccentricity, weights):
        return jnp.sum(weights * student_function(mean, eccentricity))

    def pushed(mean, eccentricity, dmean, deccentricity):
        return jax.jvp(student_function, (mean, eccentricity), (dmean, deccentricity))

    facts = {"values": [], "back": [], "pushes": []}
    backwards, forwards = jax.jit(jax.grad(total, argnums=(0, 1))), jax.jit(pushed)
    alone = jax.jit(lambda mean, eccentricity: student_function(mean, eccentricity))
    draws = [[probe.on_device(np.asarray(part)) for part in draw] for draw in draws]
    try:
        facts["back"] = [list(backwards(*draw[:3])) for draw in draws]
    except ValueError as error:
        if "Reverse-mode" not in str(error):
            raise
    try:
        both = [forwards(*draw[:2], *draw[3:]) for draw in draws]
        facts["values"], facts["pushes"] = [pair[0] for pair in both], [pair[1] for pair in both]
    except TypeError as error:
        if "forward-mode" not in str(error):
            raise
        facts["values"] = [alone(*draw[:2]) for draw in draws]
    return facts


def true_anomaly(mean, eccentricity):
    """The oracle: E by halving, and its two derivatives by the equation."""
    m, e = np.asarray(mean, np.float64), np.asarray(eccentricity, np.float64)
    low, high = m - 1.0, m + 1.0
    for _ in range(80):
        middle = (low + high) / 2
        below = middle - e * np.sin(middle) < m
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return low, 1 / (1 - e * np.cos(low)), np.sin(low) / (1 - e * np.cos(low))


def drawn_orbit(rng, shape):
    """Anomalies of both signs, zero and the largest; circles, and the most eccentric orbits; weights and moves."""
    mean = np.asarray(float32(rng, shape, 0.3, 3.0) * rng.choice([-1, 1], shape), np.float32)
    eccentricity = np.asarray(float32(rng, shape, 0.2, 0.9), np.float32)
    if shape:
        mean[0, :2], mean[1, 2], eccentricity[1] = (0.0, 3.0), 0.01, (0.0, 0.9, 0.9)
    return [mean, eccentricity, *(np.asarray(float32(rng, shape, *ends)) for ends in ((0.5, 2), (-2, 2), (-2, 2)))]


def _judge_slopes(by_mean, by_eccentricity, cases, true):
    weights = [draw[2].astype(float) for draw in cases]
    slopes = [w * s for w, (_, s, _) in zip(weights, true, strict=True)]
    pulls = [w * p for w, (_, _, p) in zip(weights, true, strict=True)]
    nothing = [np.zeros_like(s) for s in slopes]
    no_mean, no_eccentricity = always(by_mean, nothing, slopes), always(by_eccentricity, nothing, pulls)
    refuse(no_mean and no_eccentricity, "tangents-not-used")
    refuse(no_eccentricity, "eccentricity-forgotten")
    refuse(no_mean, "mean-forgotten")
    refuse(always(by_eccentricity, [-p for p in pulls], pulls, rtol=2e-4), "sign-turned")
    exchanged = always(by_mean, pulls, slopes, rtol=2e-4) and always(by_eccentricity, slopes, pulls, rtol=2e-4)
    refuse(exchanged, "derivatives-exchanged")
    bare = [p / s * w for p, s, w in zip(pulls, slopes, weights, strict=True)]
    undivided = always(by_mean, weights, slopes, rtol=2e-4) or always(by_eccentricity, bare, pulls, rtol=2e-4)
    refuse(undivided, "not-divided")
    weighted = list(zip(weights, cases, true, strict=True))
    at_mean = [w / (1 - e * np.cos(m.astype(float))) for w, (m, e, *_), _ in weighted]
    refuse(always(by_mean, at_mean, slopes, rtol=2e-4), "mean-for-anomaly")
    added = [w / (1 + e * np.cos(anomaly)) for w, (_, e, *_), (anomaly, _, _) in weighted]
    refuse(always(by_mean, added, slopes, rtol=2e-4), "denominator-sign")
    refuse(always(by_eccentricity, slopes, pulls, rtol=2e-4), "sine-forgotten")
    fits = [is_close(got, want, rtol=2e-4) for got, want in zip(by_mean, slopes, strict=True)]
    refuse(fits == [want.ndim == 0 for want in slopes], "right-for-numbers-only")
    for got, want in zip(by_mean, slopes, strict=True):
        expect(got, want, "wrong-slope", rtol=2e-4)
    for got, want in zip(by_eccentricity, pulls, strict=True):
        expect(got, want, "wrong-slope/2", rtol=2e-4)


def slopes_in_both_directions(answer, rng):
    """The anomaly, and its slopes backwards and forwards.

    A function, since a mistake is one of two slopes, and words and order differ by which of them it is.
    """
    draws = [[drawn_orbit(rng, shape) for _ in range(3)] for shape in ((), (2, 3))]
    for drawn, (mean, eccentricity) in zip(draws[0], ((0.05, 0.9), (3.0, 0.9)), strict=False):
        drawn[:2] = np.float32(mean), np.float32(eccentricity)
    found = [answer.probe(kepler_found, drawn) for drawn in draws]
    cases = [draw for drawn in draws for draw in drawn]
    true = [true_anomaly(*draw[:2]) for draw in cases]
    answer.called = "differentiable_kepler(mean, eccentricity)"
    for got, (anomaly, _, _) in zip((v for facts in found for v in facts["values"]), true, strict=True):
        expect(got, anomaly, "wrong-anomaly", rtol=1e-4)
    require(all(facts["back"] for facts in found), "no-way-back")
    require(all(facts["pushes"] for facts in found), "no-way-forwards")
    back = [pair for facts in found for pair in facts["back"]]
    _judge_slopes([numbers(by) for by, _ in back], [numbers(by) for _, by in back], cases, true)
    pushes = (push for facts in found for push in facts["pushes"])
    for got, (_, _, _, dm, de), (_, by_mean, by_eccentricity) in zip(pushes, cases, true, strict=True):
        want = by_mean * dm.astype(float) + by_eccentricity * de.astype(float)
        expect(got, want, "wrong-slope/3", rtol=2e-4)


WORDS = r"""
hint: What does $E - e \sin E = M$ say of dE, de and dM, if you differentiate it on both sides?
hint: `jax.custom_jvp`: the rule gets the two values and the two tangents, and returns E and dE.
tangents-not-used: Your derivatives are both 0: the tangent that your rule returns does not depend on those that it
    gets. Use both.
eccentricity-forgotten: Your derivative with respect to the eccentricity is 0. Its tangent also goes into the rule.
mean-forgotten: Your derivative with respect to the mean anomaly is 0. Its tangent also goes into the rule.
sign-turned: Your derivative with respect to `e` has the opposite sign. Bring `sin(E) de` to the other side with
    care.
derivatives-exchanged: Your derivatives are right, but each is in the place of the other. Among the tangents, too,
    `mean` comes first and `eccentricity` second.
not-divided: Your rule does not divide by `1 - e cos(E)`. E occurs twice in the equation, and moves in both places.
mean-for-anomaly: You took the cosine of M. The equation has that of E.
denominator-sign: Your denominator has a turned sign. The derivative of `-e sin(E)` with respect to E is `-e
    cos(E)`.
sine-forgotten: Your derivative with respect to `e` has no sine of E. Differentiate `-e sin(E)` with respect to e as
    well.
right-for-numbers-only: Your derivatives are right for numbers, but not for arrays, in which every element has its
    own.
wrong-slope: Your derivative with respect to the mean anomaly is not that of Kepler's equation. Solve it for dE
    again.
wrong-slope/2: Your derivative with respect to the eccentricity is not that of Kepler's equation. Solve it for dE
    again.
wrong-anomaly: Your value should be the one that `solve_kepler` finds.
no-way-back: Your result has no backward pass, as nothing has that goes through a `while_loop`. Give it its own
    rule, which sends no tangent through the loop.
no-way-forwards: Your function refuses `jax.jvp`, as a `custom_vjp` does. A `custom_jvp` serves both directions.
wrong-slope/3: Your `jax.jvp`, along a direction in both arguments, is not what your derivatives say. Does your rule
    add both contributions?
"""

differentiable_kepler = declare(
    "differentiable-kepler",
    points=3,
    see="own-rules",
    steps=[slopes_in_both_directions],
    words=WORDS,
)
