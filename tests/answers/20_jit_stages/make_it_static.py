"""Answers to make-it-static."""

import functools

import jax
import jax.export
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


def normalise(x, running, training):
    """The function of the set-up cell."""
    if training:
        mean, variance = x.mean(axis=0), x.var(axis=0)
    else:
        mean, variance = running
    return (x - mean) / jnp.sqrt(variance + 1e-5)


@right("make-it-static")
def jits_the_same_function_each_time(x, running, training):
    return jax.jit(normalise, static_argnums=2)(x, running, bool(training))


@right("make-it-static")
def makes_a_number_of_the_truth(x, running, training):
    return normalise_by_flag(x, running, training=int(training))


@wrong("make-it-static", "type-in-the-key")
def passes_each_truth_on(x, running, training):
    return normalise_by_flag(x, running, training)


@wrong("make-it-static", "type-in-the-key")
def converts_what_is_false_only(x, running, training):
    return normalise_by_flag(x, running, training if training else bool(training))


as_the_cell_below = wrong("make-it-static", "type-in-the-key")(jax.jit(normalise, static_argnames="training"))


@wrong("make-it-static", "computes-both")
@functools.partial(jax.jit, static_argnames="training")
def computes_both_in_each_program(x, running, training):
    both = jnp.stack([normalise(x, running, False), normalise(x, running, True)])
    return both[int(training)]


@right("make-it-static")
def keeps_two_programs(x, running, training):
    return (normalise_in_training if training else normalise_afterwards)(x, running)


@jax.jit
def normalise_afterwards(x, running):
    return normalise(x, running, False)


@wrong("make-it-static", "one-program")
@jax.jit
def chooses_in_one_program(x, running, training):
    return jax.lax.cond(training, lambda: normalise(x, running, True), lambda: normalise(x, running, False))


@wrong("make-it-static", "one-program")
@jax.jit
def computes_both_and_chooses(x, running, training):
    own = x.mean(axis=0), x.var(axis=0)
    mean, variance = jax.tree.map(functools.partial(jnp.where, training), own, running)
    return (x - mean) / jnp.sqrt(variance + 1e-5)


@wrong("make-it-static", "numpys-true-lost")
def knows_pythons_true_only(x, running, training):
    return normalise_by_flag(x, running, training is True)


@wrong("make-it-static", "not-jitted")
def plain_normalise(x, running, training):
    return normalise(x, running, training)


@wrong("make-it-static", "compiled-again")
def binds_the_flag_at_each_call(x, running, training):
    return jax.jit(functools.partial(normalise, training=training))(x, running)


@wrong("make-it-static", "compiled-again")
def wraps_the_flag_at_each_call(x, running, training):
    return normalise_as_wrapped(x, running, Wrapped(training))


class Wrapped:
    """An object whose hash is its own, whatever it holds."""

    def __init__(self, flag):
        self.flag = flag


@functools.partial(jax.jit, static_argnums=2)
def normalise_as_wrapped(x, running, wrapped):
    return normalise(x, running, wrapped.flag)


@wrong("make-it-static", "flag-frozen")
def compiled_for_training_only(x, running, training):
    return normalise_in_training(x, running)


@jax.jit
def normalise_in_training(x, running):
    return normalise(x, running, True)


@wrong("make-it-static", "wrong-value")
@functools.partial(jax.jit, static_argnames="training")
def adds_less_to_the_variance(x, running, training):
    mean, variance = (x.mean(axis=0), x.var(axis=0)) if training else running
    return (x - mean) / jnp.sqrt(variance + 1e-8)


@wrong("make-it-static", "wrong-value")
def flag_turned_around(x, running, training):
    return normalise_by_flag(x, running, not training)


normalise_by_flag = jax.jit(normalise, static_argnames="training")


nothing_is_static = wrong("make-it-static", "still-traced")(jax.jit(normalise))


data_is_static = wrong("make-it-static", "array-made-static")(jax.jit(normalise, static_argnums=0))


gives_the_data_away = wrong("make-it-static", "changed-input")(jax.jit(normalise, static_argnums=2, donate_argnums=0))


counted_from_one = wrong("make-it-static", "array-made-static")(jax.jit(normalise, static_argnums=(1, 2)))


@wrong("make-it-static", "TracerArrayConversionError")
@functools.partial(jax.jit, static_argnames="training")
def asks_numpy(x, running, training):
    mean, variance = (np.mean(np.asarray(x), axis=0), np.var(x, axis=0)) if training else running
    return (x - mean) / jnp.sqrt(variance + 1e-5)


@wrong("make-it-static", "still-traced")
@functools.partial(jax.jit, static_argnames="training")
def asks_whether_columns_vary(x, running, training):
    return normalise(x, running, training and (x.var(axis=0) > 0).all())


@wrong("make-it-static", "type-in-the-key")
def once_by_name(x, running, training):
    if isinstance(training, bool):
        return normalise_by_flag(x, running, training)
    return normalise_by_flag(x, running, training=bool(training))


@wrong("make-it-static", "array-made-static")
def makes_an_array_of_the_flag(x, running, training):
    return normalise_by_flag(x, running, training=jnp.bool_(training))
