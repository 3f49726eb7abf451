"""hidden-light: the share of a star that a planet hides, with gradients that are numbers."""

import jax
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, expect, refuse
from jaxcourse.probe import NEEDS_A_SHAPE, NEEDS_A_VALUE


@probe.question(evidence="values")
def slopes(student_function, cases):
    """How the weighted sum of the shares changes with each distance, and with the planet's radius: one program."""

    def total(z, r, weights):
        return (weights * student_function(z, r)).sum()

    slope = jax.jit(jax.grad(total, argnums=(0, 1)))
    return [slope(*case) for case in probe.on_device(cases)]


def on_the_edge(z, r):
    """The share, and its slopes by z and r: the common chord, and the planet's rim that lies within the star."""
    star = np.arccos((1 + z**2 - r**2) / (2 * z))
    planet = np.arccos((z**2 + r**2 - 1) / (2 * z * r))
    kite = np.sqrt(4 * z**2 - (1 + z**2 - r**2) ** 2) / 2
    return np.array([star + r**2 * planet - kite, -2 * kite / z, 2 * r * planet]) / np.pi


def shares_and_slopes(z, r):
    """The oracle, in `float64`, one distance after the other."""
    z, r = z.astype(np.float64), float(r)
    beyond, within = [0.0, 0.0, 0.0], [r**2, 0.0, 2 * r]
    return np.array([beyond if d > 1 + r else within if d < 1 - r else on_the_edge(d, r) for d in z.tolist()]).T


def shares(z, r):
    return shares_and_slopes(z, r)[0]


def nan_beyond(z, r):
    return np.where(z > 1 + r, np.nan, shares(z, r))


def planets(rng, n):
    """Distances on the edge and on both sides of it, none so near to a contact that `float32` loses it; a radius."""
    r = float(rng.uniform(0.05, 0.5))
    kinds = [rng.uniform(0, 0.97 * (1 - r)), 1 + r * rng.uniform(-0.9, 0.9), rng.uniform(1.03 * (1 + r), 3), 0.0]
    where = rng.permutation(np.resize(np.arange(3), n))
    z = [rng.choice([kinds[0], kinds[3]], p=[0.8, 0.2]) if k == 0 else kinds[k] for k in where]
    return np.float32(z), r


def traced_planets(rng, n):
    z, r = planets(rng, n)
    return z, np.float32(r)


def near_the_contacts(rng):
    """Distances near both contacts of a large planet: `float32` keeps its slopes to a tenth there, and no nearer."""
    r = rng.uniform(0.4, 0.5)
    return np.float32(1 + r * np.array([0.998, -0.998] * 3)), np.float32(r)


def one_radius(rng):
    """The same planet at the same distances, in another order."""
    z, r = traced_planets(rng, 6)
    return [(z, r), (np.roll(z, 1), r)]


def gradients(answer, rng):
    """Require gradients that are right: by the distances, then by the radius."""
    cases = [(*traced_planets(rng, 6), rng.uniform(0.5, 2, 6).astype(np.float32)) for _ in range(6)]
    near = (*near_the_contacts(rng), np.ones(6, np.float32))
    *found, (by_z_near, _) = answer.probe(slopes, [*cases, near])
    for (z, r, weights), (by_z, by_r) in zip(cases, found, strict=True):
        refuse(np.isnan(by_z).any(), "nan-gradient", many=np.isnan(by_z).sum())
        refuse(np.isnan(by_r), "nan-by-radius")
        _, want_z, want_r = shares_and_slopes(z, r) * weights
        refuse(np.all(by_z == 0), "gradient-cut-off", by="z")
        refuse(by_r == 0, "gradient-cut-off", by="r")
        expect(by_z, want_z, "wrong-gradient", rtol=5e-3)
        expect(by_r, want_r.sum(), "wrong-gradient/2", rtol=5e-3)
    refuse(not np.all(by_z_near), "clipped-at-the-contact", z=near[0][np.argmin(abs(by_z_near))], r=near[1])
    expect(by_z_near, shares_and_slopes(*near[:2])[1], "wrong-gradient", rtol=0.2)


def your_fit(hidden_light, fit, draw_fits, stuck):
    """The lesson's own fits: the one that stood still, and one by the gradients of an answer."""
    planet = fit(hidden_light, jax.grad)
    words = (
        f"Light curves over what was seen. Left: the ported program's, with the radius {stuck[1]:.3f} that it began "
        f"with. Right: yours, with the middle at {planet[0]:.2f} hours and the radius {planet[1]:.3f}."
    )
    return draw_fits(words, ported_to_JAX=stuck, with_yours=planet)


MISTAKES = {
    "nan-beyond": nan_beyond,
    "exchanged": lambda z, r: np.where(z > 1 + r, r**2, np.where(z < 1 - r, 0.0, shares(z, r))),
    "transit-lost": lambda z, r: np.where(z < 1 - r, 0.0, shares(z, r)),
    "radius-not-squared": lambda z, r: np.where(z < 1 - r, r, shares(z, r)),
    "edge-at-one": lambda z, r: np.where(abs(z - 1) < r, on_the_edge(1.0, r)[0], shares(z, r)),
    "all-or-nothing": lambda z, r: np.where(z < 1, r**2, 0.0),
}

WORDS = """
hint: At which distances does `on_the_edge` give NaN? Its slope there is NaN as well, and 0 times NaN is NaN.
hint: You need a `where` on the argument of `on_the_edge`, and one on its result.
hint: Which distance is on the edge for every radius? Not 0, and not `1 - r`.
asks-a-tracer [tracer-errors]: Your code asks for a value that doesn't exist yet. Is there an `if`, a function of NumPy,
    or a mask as an index?
nan-beyond: Your share is NaN beyond `1 + r`. The planet hides nothing there: return 0.
exchanged: You have two cases the other way round. Within `1 - r` the whole planet is before the star and hides `r**2`,
    and beyond `1 + r` it hides nothing.
transit-lost: Your share is 0 within `1 - r`. The whole planet is before the star there, and hides `r**2`.
radius-not-squared: Your share is `r` within `1 - r`. The planet hides an area: `r**2` of the star's.
edge-at-one: Your share on the edge is that at the distance 1, for every `z`. Put the harmless distance where the
    planet is *not* on the edge.
all-or-nothing: Your planet on the edge hides all of itself, or nothing. It hides a part: `on_the_edge(z, r)` says how
    much.
wrong-value: Your share isn't the one that the planet hides. In which of the three cases does it differ?
nan-gradient: Your gradient by `z` is NaN at {many} of 6 distances. Make the distance harmless before `on_the_edge` gets
    it: clipping to a contact doesn't help, nor does repairing the result.
nan-by-radius: Your gradient by `z` is fine, and by `r` it is NaN, as `on_the_edge` gets `r` as well. Put in a distance
    between the contacts: a contact itself isn't harmless.
gradient-cut-off: Your gradient by `{by}` is finite, but zero, and no fit will move by it. Does `{by}` still reach
    `on_the_edge`?
clipped-at-the-contact: At the distance {z:.4f} with the radius {r:.4f}, your slope by `z` is 0, and a fit stands still.
    Is `z` clipped near the contact? Leave it as it is.
wrong-gradient: Your shares are right, and the gradient by `z` is a number, but not the slope. Is `z` itself what
    `on_the_edge` gets on the edge?
wrong-gradient/2: Your gradient by `z` is right, and by `r` it is a number, but not the slope. Is `r` itself what
    `on_the_edge` gets?
"""

hidden_light = declare(
    "hidden-light",
    points=2,
    see="nan-through-where",
    steps=[
        Agrees(
            shares,
            traced_planets,
            [6, 1],
            each=10,
            extremes=one_radius,
            ask=probe.under_jit,  # one program for each length: by itself, each operation would be one
            mistakes=MISTAKES,
            raising={"asks-a-tracer": NEEDS_A_VALUE | NEEDS_A_SHAPE},
            rtol=1e-3,
        ),
        gradients,
    ],
    words=WORDS,
    picture=your_fit,
)
