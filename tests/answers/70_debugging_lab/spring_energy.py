"""Answers to spring-energy."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import equivalent, right, wrong


@wrong("spring-energy", "nan-gradient")
def masks_the_diagonal_afterwards(positions):
    apart = positions[:, None] - positions[None, :]
    distance = jnp.sqrt(jnp.sum(apart**2, axis=-1))
    energy = 0.5 * (distance - 1.0) ** 2
    itself = jnp.eye(len(positions), dtype=bool)
    return jnp.sum(jnp.where(itself, 0.0, energy)) / 2


@wrong("spring-energy", "nan-gradient")
def cleans_the_energy(positions):
    apart = positions[:, None] - positions[None, :]
    distance = jnp.where(jnp.eye(len(positions), dtype=bool), 1.0, jnp.linalg.norm(apart, axis=-1))
    return jnp.nan_to_num(jnp.sum(0.5 * (distance - 1.0) ** 2) / 2)


@wrong("spring-energy", "springs-to-itself")
def shifts_the_root_only(positions):
    squared = jnp.sum((positions[:, None] - positions[None, :]) ** 2, axis=-1)
    return jnp.sum(0.5 * (jnp.sqrt(squared + 1e-12) - 1.0) ** 2) / 2


@wrong("spring-energy", "gradient-cut-off")
def stops_the_distances(positions):
    apart = positions[:, None] - positions[None, :]
    distance = jax.lax.stop_gradient(jnp.sqrt(jnp.sum(apart**2, axis=-1)))
    itself = jnp.eye(len(positions), dtype=bool)
    return jnp.sum(jnp.where(itself, 0.0, 0.5 * (distance - 1.0) ** 2)) / 2


@wrong("spring-energy", "wrong-gradient")
def stops_half_of_the_atoms(positions):
    apart = positions[:, None] - jax.lax.stop_gradient(positions)[None, :]
    itself = jnp.eye(len(positions), dtype=bool)
    squared = jnp.where(itself, 1.0, jnp.sum(apart**2, axis=-1))
    return jnp.sum(0.5 * (jnp.sqrt(squared) - 1.0) ** 2) / 2


@wrong("spring-energy", "pairs-twice")
def forgets_to_halve(positions):
    apart = positions[:, None] - positions[None, :]
    itself = jnp.eye(len(positions), dtype=bool)
    squared = jnp.where(itself, 1.0, jnp.sum(apart**2, axis=-1))
    return jnp.sum(0.5 * (jnp.sqrt(squared) - 1.0) ** 2)


@wrong("spring-energy", "added-under-the-root")
def shifts_the_root_too_far(positions):
    squared = jnp.sum((positions[:, None] - positions[None, :]) ** 2, axis=-1)
    itself = jnp.eye(len(positions), dtype=bool)
    return jnp.sum(jnp.where(itself, 0.0, 0.5 * (jnp.sqrt(squared + 0.5) - 1.0) ** 2)) / 2


@wrong("spring-energy", "added-under-the-root")
def adds_a_thousandth(positions):
    squared = jnp.sum((positions[:, None] - positions) ** 2, axis=-1)
    itself = jnp.eye(len(positions), dtype=bool)
    return jnp.sum(jnp.where(itself, 0.0, 0.5 * (jnp.sqrt(squared + 1e-3) - 1.0) ** 2)) / 2


@wrong("spring-energy", "added-under-the-root")
def adds_a_millionth(positions):
    squared = jnp.sum((positions[:, None] - positions) ** 2, axis=-1)
    itself = jnp.eye(len(positions), dtype=bool)
    return jnp.sum(jnp.where(itself, 0.0, 0.5 * (jnp.sqrt(squared + 1e-6) - 1.0) ** 2)) / 2


@wrong("spring-energy", "wrong-gradient")
def adds_too_much_for_near_atoms(positions):
    squared = jnp.sum((positions[:, None] - positions) ** 2, axis=-1)
    energy = 0.5 * (jnp.sqrt(squared + 1e-8) - 1.0) ** 2
    return (jnp.sum(energy) - jnp.trace(energy)) / 2


@wrong("spring-energy", "wrong-value")
def shifts_the_atoms_against_each_other(positions):
    apart = positions[:, None] - positions + 1e-2
    itself = jnp.eye(len(positions), dtype=bool)
    distance = jnp.sqrt(jnp.sum(apart**2, axis=-1))
    return jnp.sum(jnp.where(itself, 0.0, 0.5 * (distance - 1.0) ** 2)) / 2


@wrong("spring-energy", "squares-expanded")
def expands_the_square(positions):
    lengths = jnp.sum(positions**2, axis=-1)
    squared = lengths[:, None] + lengths - 2 * positions @ positions.T
    squared = jnp.where(jnp.eye(len(positions), dtype=bool), 1.0, jnp.abs(squared))
    return jnp.sum(0.5 * (jnp.sqrt(squared) - 1.0) ** 2) / 2


@wrong("spring-energy", "squares-expanded")
def expands_it_and_keeps_it_positive(positions):
    lengths = jnp.sum(positions**2, axis=-1)
    products = jnp.sum(positions[:, None] * positions, axis=-1)
    squared = jnp.maximum(lengths[:, None] + lengths - 2 * products, 1e-12)
    squared = jnp.where(jnp.eye(len(positions), dtype=bool), 1.0, squared)
    return jnp.sum(0.5 * (jnp.sqrt(squared) - 1.0) ** 2) / 2


@wrong("spring-energy", "wrong-value")
def leaves_out_who_is_near(positions):
    squared = jnp.sum((positions[:, None] - positions) ** 2, axis=-1)
    squared = jnp.where(squared < 0.1, 1.0, squared)
    return jnp.sum(0.5 * (jnp.sqrt(squared) - 1.0) ** 2) / 2


@wrong("spring-energy", "no-root")
def forgets_the_root(positions):
    squared = jnp.sum((positions[:, None] - positions) ** 2, axis=-1)
    itself = jnp.eye(len(positions), dtype=bool)
    return jnp.sum(jnp.where(itself, 0.0, 0.5 * (squared - 1.0) ** 2)) / 2


@wrong("spring-energy", "neighbours-alone")
def makes_a_chain(positions):
    distance = jnp.linalg.norm(positions[1:] - positions[:-1], axis=-1)
    return 0.5 * jnp.sum((distance - 1.0) ** 2)


@right("spring-energy")
def takes_each_pair_once(positions):
    i, j = jnp.triu_indices(len(positions), 1)
    return 0.5 * jnp.sum((jnp.linalg.norm(positions[i] - positions[j], axis=-1) - 1.0) ** 2)


@right("spring-energy")
def adds_a_hair(positions):
    squared = jnp.sum((positions[:, None] - positions) ** 2, axis=-1)
    energy = 0.5 * (jnp.sqrt(squared + 1e-12) - 1.0) ** 2
    return (jnp.sum(energy) - jnp.trace(energy)) / 2


@right("spring-energy")
def asks_for_the_distance(positions):
    energy = 0.0
    for i in range(len(positions)):
        for other in positions[:i]:
            if (apart := jnp.sum((positions[i] - other) ** 2)) > 0:
                energy += 0.5 * (jnp.sqrt(apart) - 1) ** 2
    return energy


equivalents = [
    equivalent(
        "spring-energy",
        "`positions[:, None] - positions[None, :]`  ->  `positions[None, :] - positions[:, None]`",
        "it is squared",
    ),
    equivalent("spring-energy", "`positions[None, :]`  ->  `positions`", "a missing axis in front is added"),
    equivalent(
        "spring-energy",
        "`jnp.eye(len(positions), dtype=bool)`  ->  `jnp.eye(len(positions))`",
        "a number that is not 0 counts as true",
    ),
    equivalent("spring-energy", "`positions`  ->  `apart`", "there are as many of both"),
    equivalent("spring-energy", "`bool`  ->  `int`", "a number that is not 0 counts as true"),
    equivalent(
        "spring-energy",
        "`jnp.where(itself, 1.0, jnp.sum(apart ** 2, axis=-1))`  ->  "
        "`itself * 1.0 + (1 - itself) * jnp.sum(apart ** 2, axis=-1)`",
        "all are finite",
    ),
    equivalent("spring-energy", "`1.0`  ->  `-1.0`", "what an atom does to itself is left out below"),
    equivalent("spring-energy", "`1.0`  ->  `0.0`", "what an atom does to itself is left out below"),
    equivalent("spring-energy", "`1.0`  ->  `1.01`", "what an atom does to itself is left out below"),
    equivalent("spring-energy", "`1.0`  ->  `2.0`", "what an atom does to itself is left out below"),
    equivalent("spring-energy", "`jnp.sqrt(squared) - 1.0`  ->  `1.0 - jnp.sqrt(squared)`", "it is squared"),
    equivalent(
        "spring-energy", "`jnp.where(itself, 0.0, energy)`  ->  `jnp.where(0.0, itself, energy)`", "it is squared"
    ),
    equivalent(
        "spring-energy",
        "`jnp.where(itself, 0.0, energy)`  ->  `itself * 0.0 + (1 - itself) * energy`",
        "all are finite",
    ),
]
