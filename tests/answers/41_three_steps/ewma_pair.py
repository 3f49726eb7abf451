"""Answers to ewma-pair."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong

from ._lesson import LAST_PARAMETER


@right("ewma-pair")
def mean_and_weight_in_a_dictionary(alpha):
    def apply(state, x):
        weight = (1 - alpha) * state["weight"] + 1
        mean = state["mean"] + (x - state["mean"]) / weight
        return {"mean": mean, "weight": weight}, mean

    return lambda x0: {"mean": jnp.zeros_like(x0), "weight": jnp.zeros(())}, apply


@right("ewma-pair")
def two_sums_in_one_array(alpha):
    @jax.jit
    def apply(state, x):
        state = (1 - alpha) * state + jnp.stack([x, jnp.ones_like(x)])
        return state, state[0] / state[1]

    return [jax.jit(lambda x0: jnp.zeros((2, *x0.shape), x0.dtype)), apply]


@right("ewma-pair")
def changes_a_dictionary_in_place(alpha):
    def apply(state, x):
        state["total"] = (1 - alpha) * state["total"] + x
        state["weight"] = (1 - alpha) * state["weight"] + 1
        return [state, state["total"] / state["weight"]]

    return lambda x0: {"total": jnp.zeros_like(x0), "weight": jnp.zeros_like(x0)}, apply


@wrong("ewma-pair", "TracerBoolConversionError")
def branches_on_the_weight(alpha):
    def apply(state, x):
        total, weight = state
        total, weight = ((1 - alpha) * total + x, (1 - alpha) * weight + 1) if weight > 0 else (x, weight + 1)
        return (total, weight), total / weight

    return lambda x0: (jnp.zeros_like(x0), jnp.float32(0)), apply


@wrong("ewma-pair", "TracerArrayConversionError")
def adds_in_numpy(alpha):
    init, apply = fading_sums(alpha)
    return init, lambda state, x: apply(state, np.asarray(x))


@wrong("ewma-pair", "past-of-zeros")
def starts_the_recursion_at_zero(alpha):
    return jnp.zeros_like, lambda mean, x: ((1 - alpha) * mean + alpha * x,) * 2


@wrong("ewma-pair", "weight-before-the-first-row")
def starts_with_a_weight_of_one(alpha):
    _, apply = fading_sums(alpha)
    return lambda x0: (jnp.zeros_like(x0), jnp.ones_like(x0)), apply


@wrong("ewma-pair", "one-row-late")
def divides_before_it_adds(alpha):
    init, apply = fading_sums(alpha)
    return init, lambda state, x: (apply(state, x)[0], state[0] / state[1])


@wrong("ewma-pair", "columns-mixed")
def averages_over_the_columns(alpha):
    init, apply = fading_sums(alpha)
    return init, lambda state, x: apply(state, jnp.full_like(x, x.mean()))


@wrong("ewma-pair", "starts-from-values")
def multiplies_the_row_by_zero(alpha):
    return fading_sums(alpha, start=lambda x0: 0 * x0)


@wrong("ewma-pair", "TypeError")
def knows_the_number_of_columns(alpha):
    return fading_sums(alpha, start=lambda x0: jnp.zeros(3))


@wrong("ewma-pair", "one-alpha-for-all")
def keeps_alpha_in_one_place(alpha):
    LAST_PARAMETER[:] = [alpha]
    init, _ = fading_sums(alpha)
    return init, lambda state, x: fading_sums(LAST_PARAMETER[0])[1](state, x)


@wrong("ewma-pair", "wrong-value")
def lets_the_weights_grow(alpha):
    def apply(state, x):
        total, weight, new = state
        total, weight = total + new * x, weight + new
        return (total, weight, new / (1 - alpha)), total / weight

    return lambda x0: (jnp.zeros_like(x0), jnp.zeros_like(x0), jnp.ones_like(x0)), apply


def fading_sums(alpha, *, start=jnp.zeros_like, fade=None, divide=True):
    """The pair, with its parts to be broken."""
    fade = 1 - alpha if fade is None else fade

    def init(x0):
        return start(x0), start(x0)

    def apply(state, x):
        total, weight = state
        total, weight = fade * total + x, fade * weight + 1
        return (total, weight), total / weight if divide else total

    return init, apply


@wrong("ewma-pair", "plain-recursion")
def forgets_to_adjust(alpha):
    def init(x0):
        return jnp.full_like(x0, jnp.nan)

    def apply(mean, x):
        mean = jnp.where(jnp.isnan(mean), x, alpha * x + (1 - alpha) * mean)
        return mean, mean

    return init, apply


@wrong("ewma-pair", "alpha-turned-around")
def fades_by_alpha(alpha):
    return fading_sums(alpha, fade=alpha)


@wrong("ewma-pair", "not-divided")
def returns_the_sum(alpha):
    return fading_sums(alpha, divide=False)


@wrong("ewma-pair", "first-row-twice")
def starts_with_the_first_row(alpha):
    _, apply = fading_sums(alpha)
    return lambda x0: (x0, jnp.ones_like(x0)), apply


@wrong("ewma-pair", "state-changes")
def starts_with_python_numbers(alpha):
    return fading_sums(alpha, start=lambda x0: 0.0)


@wrong("ewma-pair", "remembers")
def keeps_the_state_outside(alpha):
    kept = {"total": 0.0, "weight": 0.0}

    def apply(state, x):
        kept["total"] = (1 - alpha) * kept["total"] + x
        kept["weight"] = (1 - alpha) * kept["weight"] + 1
        return state, kept["total"] / kept["weight"]

    return jnp.zeros_like, apply


@wrong("ewma-pair", "swapped")
def result_before_state(alpha):
    init, apply = fading_sums(alpha)
    return init, lambda state, x: apply(state, x)[::-1]


@wrong("ewma-pair", "no-state-returned")
def returns_the_mean_alone(alpha):
    init, apply = fading_sums(alpha)
    return init, lambda state, x: apply(state, x)[1]


@wrong("ewma-pair", "not-two-functions")
def returns_apply_alone(alpha):
    return fading_sums(alpha)[1]


@wrong("ewma-pair", "wrong-row-shape")
def averages_the_columns_too(alpha):
    init, apply = fading_sums(alpha)

    def mixed(state, x):
        state, y = apply(state, x)
        return state, y.mean()

    return init, mixed


@wrong("ewma-pair", "wrong-value")
def fades_what_is_new_too(alpha):
    init, apply = fading_sums(alpha)
    return init, lambda state, x: apply(state, (1 - alpha) * x)


equivalents = [
    equivalent("ewma-pair", "`x0`  ->  `alpha`", "one weight serves all columns where nothing is missing"),
]


@wrong("ewma-pair", "TypeError")
def writes_into_a_state_of_numpy(alpha):
    def init(x0):
        return np.zeros((2, *x0.shape), np.float32)

    def apply(state, x):
        state[0] = (1 - alpha) * state[0] + x
        state[1] = (1 - alpha) * state[1] + 1
        return state, state[0] / state[1]

    return init, apply


@wrong("ewma-pair", "state-changes")
def returns_a_list_for_a_tuple(alpha):
    init, apply = fading_sums(alpha)
    return init, lambda state, x: ([*apply(state, x)[0]], apply(state, x)[1])
