"""Answers to pass-dont-capture."""

import functools

import jax
import jax.export
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong

from ._lesson import by_shape

shared = {}


@right("pass-dont-capture")
class Detector:
    """An object that can be called."""

    def __init__(self, response):
        self.response = response

    def __call__(self, photons):
        return jax.jit(roots)(photons, response=self.response)


def roots(photons, response):
    return jnp.sqrt(response @ photons)


@right("pass-dont-capture")
def binds_it_by_a_lambda(response):
    return lambda photons: deviation(response, photons)


@wrong("pass-dont-capture", "first-matrix-kept")
def keeps_programs_by_shape(response):
    return by_shape.setdefault(response.shape, jax.jit(lambda photons: jnp.sqrt(response @ photons)))


@wrong("pass-dont-capture", "last-matrix-for-all")
def keeps_one_matrix(response):
    shared["response"] = response
    return lambda photons: deviation(shared["response"], photons)


@wrong("pass-dont-capture", "jit-at-each-call")
def jits_in_the_observer(response):
    return lambda photons: jax.jit(lambda matrix, light: jnp.sqrt(matrix @ light))(response, photons)


@jax.jit
def deviation(response, photons):
    return jnp.sqrt(response @ photons)


@jax.jit
def handed_back(response, photons):
    return response


@wrong("pass-dont-capture", "beside-the-jit")
def compiles_nothing_beside_numpy(response):
    return lambda photons: np.sqrt(np.asarray(handed_back(response, photons)) @ np.asarray(photons))


@wrong("pass-dont-capture", "captured")
def as_the_colleague_did(response):
    return jax.jit(lambda photons: jnp.sqrt(response @ photons))


@wrong("pass-dont-capture", "captured")
def jits_a_partial(response):
    return jax.jit(functools.partial(deviation, response))


@wrong("pass-dont-capture", "not-jitted")
def observes_op_by_op(response):
    return lambda photons: jnp.sqrt(response @ photons)


@wrong("pass-dont-capture", "not-jitted")
def observes_in_numpy(response):
    matrix = np.asarray(response)
    return lambda photons: jnp.asarray(np.sqrt(matrix @ np.asarray(photons)))


@wrong("pass-dont-capture", "array-made-static")
def makes_the_matrix_static(response):
    return functools.partial(jax.jit(deviation.__wrapped__, static_argnums=0), response)


@wrong("pass-dont-capture", "root-lost")
def returns_the_counts(response):
    return functools.partial(expected_counts, response)


@jax.jit
def expected_counts(response, photons):
    return response @ photons


@wrong("pass-dont-capture", "wrong-value")
def takes_the_matrix_the_wrong_way(response):
    return functools.partial(deviation, response[::-1])


@wrong("pass-dont-capture", "wrong-value")
def keeps_away_from_zero(response):
    return functools.partial(_root_of_some, response)


@jax.jit
def _root_of_some(response, photons):
    return jnp.sqrt(response @ photons + 1e-8)


@wrong("pass-dont-capture", "not-an-observer")
def returns_a_matrix(response):
    return jnp.sqrt(response)


@wrong("pass-dont-capture", "TypeError")
@functools.lru_cache
def keeps_programs_by_matrix(response):
    return jax.jit(lambda photons: jnp.sqrt(response @ photons))


every_response = []


@wrong("pass-dont-capture", "first-matrix-kept")
def binds_the_first_in_a_list(response):
    every_response.append(response)
    return lambda photons: deviation(every_response[0], photons)


@wrong("pass-dont-capture", "not-jitted")
def compiles_for_each_detector(response):
    light = jax.ShapeDtypeStruct(response.shape[1:], jnp.float32)
    program = deviation.lower(response, light).compile()
    return lambda photons: program(response, photons)


@wrong("pass-dont-capture", "not-an-observer")
def makes_an_observer_and_keeps_it(response):
    functools.partial(deviation, response)


@wrong("pass-dont-capture", "observer-returned-nothing")
def observes_and_says_nothing(response):
    def observe(photons):
        deviation(response, photons)

    return observe
