"""Answers to rest-and-count."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong

from ..rest_and_count import bead


@functools.cache
def _force():
    return jax.jit(lambda x: -2 * x - jnp.sin(x))


@wrong("rest-and-count", "counts-the-traces")
def counts_inside(x):
    evaluations = 0

    @jax.jit
    def force(x):
        nonlocal evaluations
        evaluations += 1
        return -2 * x - jnp.sin(x)

    pull = force(x)
    while abs(pull) > 1e-3:
        x = x + 0.1 * pull
        pull = force(x)
    return x, evaluations


@wrong("rest-and-count", "switches-jit-off")
def runs_without_the_compiler(x):
    with jax.disable_jit():
        return _rest_of_the_bead(_force(), x)


@wrong("rest-and-count", "gives-up-jit")
def removes_the_decorator(x):
    evaluations = 0

    def force(x):
        nonlocal evaluations
        evaluations += 1
        return -2 * x - jnp.sin(x)

    pull = force(x)
    while abs(pull) > 1e-3:
        x = x + 0.1 * pull
        pull = force(x)
    return x, evaluations


@wrong("rest-and-count", "first-not-counted")
def counts_the_steps(x):
    force, steps = jax.jit(lambda x: -2 * x - jnp.sin(x)), 0
    pull = force(x)
    while abs(pull) > 1e-3:
        x, steps = x + 0.1 * pull, steps + 1
        pull = force(x)
    return x, steps


@wrong("rest-and-count", "wrong-count")
def counts_twice(x):
    place, evaluations = _rest_of_the_bead(_force(), x)
    return place, 2 * evaluations


@wrong("rest-and-count", "wrong-value")
def returns_the_start(x):
    return jax.jit(lambda x: 1.0 * x)(x), bead(x)[1]


@wrong("rest-and-count", "not-a-pair")
def returns_the_place_alone(x):
    return jax.jit(lambda x: 1.0 * x)(bead(x)[0])


def _rest_of_the_bead(force, x):
    """The place and the count, with any way to compute the force."""
    pull, evaluations = force(x), 1
    while abs(pull) > 1e-3:
        x = x + 0.1 * pull
        pull, evaluations = force(x), evaluations + 1
    return x, evaluations


@wrong("rest-and-count", "gives-up-jit")
def jits_the_step_alone(x):
    move = jax.jit(lambda x, pull: x + 0.1 * pull)
    return _rest_of_the_bead(lambda x: -2 * move(x, 0.0) - jnp.sin(x), x)


@wrong("rest-and-count", "gives-up-jit")
def stays_with_numpy(x):
    return _rest_of_the_bead(lambda x: -2 * x - np.sin(x), x)


@wrong("rest-and-count", "compiled-at-each-place")
def jits_at_each_place(x):
    return _rest_of_the_bead(lambda x: jax.jit(lambda x: -2 * x - jnp.sin(x))(x), x)


@wrong("rest-and-count", "compiled-again")
def jits_the_first_by_itself(x):
    def force(x):
        return -2 * x - jnp.sin(x)

    def compiled():
        return jax.jit(lambda x: force(x))

    first, then = compiled(), compiled()
    pull, evaluations = first(x), 1
    while abs(pull) > 1e-3:
        x = x + 0.1 * pull
        pull, evaluations = then(x), evaluations + 1
    return x, evaluations


@wrong("rest-and-count", "computed-twice")
def asks_for_the_force_again(x):
    force, evaluations = _force(), 0
    while abs(force(x)) > 1e-3:
        x, evaluations = x + 0.1 * force(x), evaluations + 2
    return x, evaluations + 1


@wrong("rest-and-count", "computed-twice")
def counts_one_of_two(x):
    force, evaluations = _force(), 1
    while abs(force(x)) > 1e-3:
        x, evaluations = x + 0.1 * force(x), evaluations + 1
    return x, evaluations


@wrong("rest-and-count", "wrong-count")
def gives_up_after_fifty(x):
    force, evaluations = _force(), 1
    pull = force(x)
    while abs(pull) > 1e-3 and evaluations < 50:
        x = x + 0.1 * pull
        pull, evaluations = force(x), evaluations + 1
    return x, evaluations


@wrong("rest-and-count", "one-side-only")
def forgets_the_other_side(x):
    force = _force()
    pull, evaluations = force(x), 1
    while pull < -1e-3:
        x = x + 0.1 * pull
        pull, evaluations = force(x), evaluations + 1
    return x, evaluations


_evaluations = [0]


@wrong("rest-and-count", "count-goes-on")
def counts_in_a_global(x):
    place, evaluations = _rest_of_the_bead(_force(), x)
    _evaluations[0] += evaluations
    return place, _evaluations[0]


@right("rest-and-count")
@jax.jit
def carries_the_count(x):
    def force(x):
        return -2 * x - jnp.sin(x)

    def step(state):
        x, pull, evaluations = state
        x = x + 0.1 * pull
        return x, force(x), evaluations + 1

    x = jnp.asarray(x, jnp.float32)
    x, _, evaluations = jax.lax.while_loop(lambda state: abs(state[1]) > 1e-3, step, (x, force(x), 1))
    return x, evaluations


class Bead:
    """A callable object that counts its own calls."""

    def __call__(self, x):
        self.evaluations = 0
        place, _ = _rest_of_the_bead(self.force, x)
        return place, self.evaluations

    def force(self, x):
        self.evaluations += 1
        return _force()(x)


counts_in_an_object = right("rest-and-count")(Bead())


@wrong("rest-and-count", "compiled-at-each-place")
def makes_the_place_static(x):
    force = jax.jit(lambda x: -2 * x - jnp.sin(x), static_argnums=0)
    x, evaluations = float(x), 1
    pull = float(force(x))
    while abs(pull) > 1e-3:
        x, evaluations = x + 0.1 * pull, evaluations + 1
        pull = float(force(x))
    return x, evaluations


equivalents = [
    equivalent("rest-and-count", "`abs(pull) > 0.001`  ->  `abs(pull) >= 0.001`", "no force lies between"),
    equivalent("rest-and-count", "`0.001`  ->  `0.00101`", "no force lies between"),
]


@wrong("rest-and-count", "wrong-count")
def counts_double_on_one_side(x):
    force = jax.jit(lambda x: -2 * x - jnp.sin(x))
    evaluations, pull = 1, force(x)
    while pull > 1e-3:
        x = x + 0.1 * pull
        pull = force(x)
        evaluations += 2
    return x, evaluations


@wrong("rest-and-count", "compiled-again")
def begins_with_another_type(x):
    force = jax.jit(lambda x: -2 * x - jnp.sin(x))
    evaluations, pull = 1, force(float(x))
    while abs(pull) > 1e-3:
        x = x + 0.1 * pull
        pull = force(x)
        evaluations += 1
    return x, evaluations


@wrong("rest-and-count", "gives-up-jit")
def compiles_the_loop_alone(x):
    def force(x):
        return -2 * x - jnp.sin(x)

    def step(state):
        x, pull, evaluations = state
        x = x + 0.1 * pull
        return x, force(x), evaluations + 1

    x, _, evaluations = jax.lax.while_loop(lambda state: abs(state[1]) > 1e-3, step, (x, force(x), 1))
    return x, evaluations
