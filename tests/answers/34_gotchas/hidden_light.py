"""Answers to hidden-light."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


def on_the_edge(z, r, xp=jnp):
    """The function of the set-up cell."""
    star = xp.arccos((1 + z**2 - r**2) / (2 * z))
    planet = xp.arccos((z**2 + r**2 - 1) / (2 * z * r))
    kite = xp.sqrt(4 * z**2 - (1 + z**2 - r**2) ** 2) / 2
    return (star + r**2 * planet - kite) / xp.pi


@wrong("hidden-light", "nan-gradient")
def as_it_was_ported(z, r):
    hidden = jnp.where(z < 1 - r, r**2, on_the_edge(z, r))
    return jnp.where(z < 1 + r, hidden, 0.0)


def ported(z, r):
    """The function of the set-up cell."""
    return jnp.where(z < 1 + r, jnp.where(z < 1 - r, r**2, on_the_edge(z, r)), 0.0)


@wrong("hidden-light", "nan-gradient")
def clips_to_the_contacts(z, r):
    hidden = jnp.where(z < 1 - r, r**2, on_the_edge(jnp.clip(z, 1 - r, 1 + r), r))
    return jnp.where(z < 1 + r, hidden, 0.0)


@wrong("hidden-light", "clipped-at-the-contact")
def clips_just_before_the_contacts(z, r):
    edge = (z > 1 - r) & (z < 1 + r)
    hidden = on_the_edge(jnp.clip(z, 1 - 0.99 * r, 1 + 0.99 * r), r)
    return jnp.where(edge, hidden, jnp.where(z < 1, r**2, 0.0))


@wrong("hidden-light", "nan-gradient")
def cleans_the_result(z, r):
    return jnp.where(z < 1 - r, r**2, jnp.nan_to_num(on_the_edge(z, r)))


@wrong("hidden-light", "nan-by-radius")
def puts_in_nothing(z, r):
    edge = (z > 1 - r) & (z < 1 + r)
    hidden = on_the_edge(jnp.where(edge, z, 0.0), r)
    return jnp.where(edge, hidden, jnp.where(z < 1, r**2, 0.0))


@wrong("hidden-light", "nan-by-radius")
def puts_in_a_contact(z, r):
    edge = (z > 1 - r) & (z < 1 + r)
    hidden = on_the_edge(jnp.where(edge, z, 1 - r), r)
    return jnp.where(edge, hidden, jnp.where(z < 1, r**2, 0.0))


@wrong("hidden-light", "gradient-cut-off")
def stops_the_gradient(z, r):
    return jax.lax.stop_gradient(ported(z, r))


@wrong("hidden-light", "wrong-gradient")
def stops_it_on_the_edge(z, r):
    edge = (z > 1 - r) & (z < 1 + r)
    hidden = on_the_edge(jax.lax.stop_gradient(jnp.where(edge, z, 1.0)), r)
    return jnp.where(edge, hidden, jnp.where(z < 1, r**2, 0.0) + 1e-9 * (z - jax.lax.stop_gradient(z)))


@wrong("hidden-light", "wrong-gradient")
def stops_the_radius_on_the_edge(z, r):
    edge = (z > 1 - r) & (z < 1 + r)
    hidden = on_the_edge(jnp.where(edge, z, 1.0), jax.lax.stop_gradient(r))
    return jnp.where(edge, hidden, jnp.where(z < 1, r**2, 0.0))


@wrong("hidden-light", "asks-a-tracer")
def writes_through_a_mask(z, r):
    hidden = jnp.where(z < 1, r**2, 0.0)
    edge = (z > 1 - r) & (z < 1 + r)
    return hidden.at[edge].set(on_the_edge(z[edge], r))


@wrong("hidden-light", "asks-a-tracer")
def as_it_was_in_numpy(z, r):
    hidden = np.where(z < 1, r**2, 0.0)
    edge = (z > 1 - r) & (z < 1 + r)
    hidden[edge] = on_the_edge(z[edge], r, np)
    return hidden


@wrong("hidden-light", "wrong-value")
def takes_half_of_the_planet(z, r):
    edge = (z > 1 - r) & (z < 1 + r)
    return jnp.where(edge, r**2 / 2, jnp.where(z < 1, r**2, 0.0))


def safely(z, r):
    """The share on the edge, and where that is."""
    edge = (z > 1 - r) & (z < 1 + r)
    return edge, on_the_edge(jnp.where(edge, z, 1.0), r)


@wrong("hidden-light", "nan-beyond")
def stops_at_the_edge(z, r):
    return jnp.where(z < 1 - r, r**2, on_the_edge(z, r))


@wrong("hidden-light", "exchanged")
def takes_the_sides_for_each_other(z, r):
    edge, hidden = safely(z, r)
    return jnp.where(edge, hidden, jnp.where(z < 1, 0.0, r**2))


@wrong("hidden-light", "transit-lost")
def forgets_the_transit(z, r):
    edge, hidden = safely(z, r)
    return jnp.where(edge, hidden, 0.0)


@wrong("hidden-light", "radius-not-squared")
def takes_the_radius_for_the_area(z, r):
    edge, hidden = safely(z, r)
    return jnp.where(edge, hidden, jnp.where(z < 1, r, 0.0))


@wrong("hidden-light", "edge-at-one")
def guards_the_wrong_side(z, r):
    edge, _ = safely(z, r)
    return jnp.where(edge, on_the_edge(jnp.where(edge, 1.0, z), r), jnp.where(z < 1, r**2, 0.0))


@wrong("hidden-light", "all-or-nothing")
def drops_the_edge(z, r):
    return jnp.where(z < 1, r**2, 0.0)


@right("hidden-light")
def chooses_for_each_distance(z, r):
    def at(z):
        place = (z > 1 - r).astype(int) + (z > 1 + r)
        return jax.lax.switch(place, [lambda z: r**2 + 0 * z, lambda z: on_the_edge(z, r), jnp.zeros_like], z)

    return jax.vmap(at)(z)


@right("hidden-light")
def selects_from_a_list(z, r):
    within, beyond = z <= 1 - r, z >= 1 + r
    safe = jnp.select([within, beyond], [1.0, 1.0], z)
    return jnp.select([within, beyond], [jnp.full_like(z, r**2), jnp.zeros_like(z)], on_the_edge(safe, r))


@wrong("hidden-light", "nan-by-radius")
def puts_a_distance_beyond(z, r):
    edge = jnp.abs(z - 1) < r
    hidden = on_the_edge(jnp.where(edge, z, 10.0), r)
    return jnp.where(edge, hidden, jnp.where(z < 1, r**2, 0.0))


@wrong("hidden-light", "gradient-cut-off")
def cuts_the_radius_off(z, r):
    edge, hidden = safely(z, jax.lax.stop_gradient(r))
    return jnp.where(edge, hidden, jnp.where(z < 1, jax.lax.stop_gradient(r) ** 2, 0.0))


equivalents = [
    equivalent(
        "hidden-light",
        "`z > 1 - r`  ->  `z >= 1 - r`",
        "at the contact itself, which has no slope, both formulas hide the same light",
    ),
    equivalent(
        "hidden-light",
        "`z < 1 + r`  ->  `z <= 1 + r`",
        "at the contact itself, which has no slope, both formulas hide the same light",
    ),
    equivalent(
        "hidden-light",
        "`jnp.where(edge, z, 1.0)`  ->  `edge * z + (1 - edge) * 1.0`",
        "distances are finite, so products choose as well",
    ),
    equivalent(
        "hidden-light",
        "`1.0`  ->  `-1.0`",
        "what stands in for a distance off the edge has a finite slope there, and is dropped",
    ),
    equivalent(
        "hidden-light",
        "`1.0`  ->  `1.01`",
        "what stands in for a distance off the edge has a finite slope there, and is dropped",
    ),
    equivalent(
        "hidden-light",
        "`jnp.where(edge, hidden, jnp.where(z < 1, r ** 2, 0.0))`  ->  "
        "`edge * hidden + (1 - edge) * jnp.where(z < 1, r ** 2, 0.0)`",
        "both are finite everywhere, so products choose as well",
    ),
    equivalent(
        "hidden-light",
        "`jnp.where(z < 1, r ** 2, 0.0)`  ->  `(z < 1) * r ** 2 + (1 - (z < 1)) * 0.0`",
        "both are finite everywhere, so products choose as well",
    ),
    equivalent(
        "hidden-light", "`z < 1`  ->  `z <= 1`", "where z is 1 the planet is on the edge, and this is not asked"
    ),
]
