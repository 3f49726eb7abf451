"""Answers to differentiable-kepler."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import right, wrong


def solve_kepler(mean, eccentricity):
    """The function of the set-up cell."""

    def newton(state):
        E, _, rounds = state
        excess = E - eccentricity * jnp.sin(E) - mean
        step = excess / (1 - eccentricity * jnp.cos(E))
        return E - step, jnp.max(jnp.abs(step)), rounds + 1

    def goes_on(state):
        _, step, rounds = state
        return (step > 1e-6) & (rounds < 50)

    start = mean + 0.85 * eccentricity * jnp.sign(mean)
    state = start, jnp.asarray(1.0, start.dtype), 0
    return jax.lax.while_loop(goes_on, newton, state)[0]


@right("differentiable-kepler")
def a_last_step_with_the_rest_stopped(mean, eccentricity):
    E = jax.lax.stop_gradient(solve_kepler(mean, eccentricity))
    slope_of_it = jax.lax.stop_gradient(1 - eccentricity * jnp.cos(E))
    return E - (E - eccentricity * jnp.sin(E) - mean) / slope_of_it


@right("differentiable-kepler")
def steps_that_are_counted(mean, eccentricity):
    def newton(_, E):
        return E - (E - eccentricity * jnp.sin(E) - mean) / (1 - eccentricity * jnp.cos(E))

    return jax.lax.fori_loop(0, 12, newton, mean + 0.85 * eccentricity * jnp.sign(mean))


@right("differentiable-kepler")
def one_function_for_each_tangent(mean, eccentricity):
    @jax.custom_jvp
    def anomaly(mean, eccentricity):
        return solve_kepler(mean, eccentricity)

    anomaly.defjvps(
        lambda dm, E, m, e: dm / (1 - e * jnp.cos(E)),
        lambda de, E, m, e: de * jnp.sin(E) / (1 - e * jnp.cos(E)),
    )
    return anomaly(mean, eccentricity)


def ruled(rule):
    """`solve_kepler` with a rule `dE(E, e, dm, de)`."""

    @jax.custom_jvp
    def anomaly(mean, eccentricity):
        return solve_kepler(mean, eccentricity)

    @anomaly.defjvp
    def _(primals, tangents):
        E = anomaly(*primals)
        return E, rule(E, primals[1], *tangents)

    return anomaly


no_rule_at_all = wrong("differentiable-kepler", "no-way-back")(solve_kepler)


tangents_unused = wrong("differentiable-kepler", "tangents-not-used")(
    ruled(lambda E, e, dm, de: (1 + jnp.sin(E)) / (1 - e * jnp.cos(E)))
)


eccentricity_held_fixed = wrong("differentiable-kepler", "eccentricity-forgotten")(
    ruled(lambda E, e, dm, de: dm / (1 - e * jnp.cos(E)))
)


mean_held_fixed = wrong("differentiable-kepler", "mean-forgotten")(
    ruled(lambda E, e, dm, de: jnp.sin(E) * de / (1 - e * jnp.cos(E)))
)


sign_is_turned = wrong("differentiable-kepler", "sign-turned")(
    ruled(lambda E, e, dm, de: (dm - jnp.sin(E) * de) / (1 - e * jnp.cos(E)))
)


nothing_is_divided = wrong("differentiable-kepler", "not-divided")(ruled(lambda E, e, dm, de: dm + jnp.sin(E) * de))


cosine_is_added = wrong("differentiable-kepler", "denominator-sign")(
    ruled(lambda E, e, dm, de: (dm + jnp.sin(E) * de) / (1 + e * jnp.cos(E)))
)


@wrong("differentiable-kepler", "mean-for-anomaly")
def takes_the_slope_at_the_mean(mean, eccentricity):
    @jax.custom_jvp
    def anomaly(mean, eccentricity):
        return solve_kepler(mean, eccentricity)

    anomaly.defjvps(
        lambda dm, E, m, e: dm / (1 - e * jnp.cos(m)),
        lambda de, E, m, e: de * jnp.sin(m) / (1 - e * jnp.cos(m)),
    )
    return anomaly(mean, eccentricity)


@wrong("differentiable-kepler", "right-for-numbers-only")
def adds_up_in_the_rule(mean, eccentricity):
    return ruled(
        lambda E, e, dm, de: jnp.broadcast_to(jnp.sum((dm + jnp.sin(E) * de) / (1 - e * jnp.cos(E))), E.shape)
    )(mean, eccentricity)


@wrong("differentiable-kepler", "sine-forgotten")
def one_slope_for_both(mean, eccentricity):
    return ruled(lambda E, e, dm, de: (dm + de) / (1 - e * jnp.cos(E)))(mean, eccentricity)


@wrong("differentiable-kepler", "wrong-slope")
def differences_for_slopes(mean, eccentricity):
    @jax.custom_jvp
    def anomaly(mean, eccentricity):
        return solve_kepler(mean, eccentricity)

    anomaly.defjvps(
        lambda dm, E, m, e: dm * (solve_kepler(m + 1e-2, e) - solve_kepler(m - 1e-2, e)) / 2e-2,
        lambda de, E, m, e: de * (solve_kepler(m, e + 1e-2) - solve_kepler(m, e - 1e-2)) / 2e-2,
    )
    return anomaly(mean, eccentricity)


@wrong("differentiable-kepler", "wrong-anomaly")
def two_steps_from_a_good_start(mean, eccentricity):
    E = mean + 0.85 * eccentricity * jnp.sign(mean)
    for _ in range(2):
        E = E - (E - eccentricity * jnp.sin(E) - mean) / (1 - eccentricity * jnp.cos(E))
    return E


@wrong("differentiable-kepler", "wrong-slope")
def cosine_for_sine(mean, eccentricity):
    return ruled(lambda E, e, dm, de: (dm + jnp.cos(E) * de) / (1 - e * jnp.cos(E)))(mean, eccentricity)


@wrong("differentiable-kepler", "tangents-not-used")
def stops_the_gradient(mean, eccentricity):
    return jax.lax.stop_gradient(solve_kepler(mean, eccentricity))


@wrong("differentiable-kepler", "no-way-forwards")
def only_a_way_back(mean, eccentricity):
    @jax.custom_vjp
    def anomaly(mean, eccentricity):
        return solve_kepler(mean, eccentricity)

    def forward(mean, eccentricity):
        E = solve_kepler(mean, eccentricity)
        return E, (E, eccentricity)

    def backward(kept, cotangent):
        E, e = kept
        moved = cotangent / (1 - e * jnp.cos(E))
        return moved, moved * jnp.sin(E)

    anomaly.defvjp(forward, backward)
    return anomaly(mean, eccentricity)


@wrong("differentiable-kepler", "wrong-anomaly")
def two_steps_only(mean, eccentricity):
    E = mean
    for _ in range(2):
        E = E - (E - eccentricity * jnp.sin(E) - mean) / (1 - eccentricity * jnp.cos(E))
    return E


@wrong("differentiable-kepler", "tangents-not-used")
def stops_everything(mean, eccentricity):
    return jax.lax.stop_gradient(solve_kepler(mean, eccentricity))


@wrong("differentiable-kepler", "no-way-back")
def pushes_through_the_loop(mean, eccentricity):
    @jax.custom_jvp
    def anomaly(mean, eccentricity):
        return solve_kepler(mean, eccentricity)

    anomaly.defjvp(lambda primals, tangents: jax.jvp(solve_kepler, primals, tangents))
    return anomaly(mean, eccentricity)


tangents_in_the_other_order = wrong("differentiable-kepler", "derivatives-exchanged")(
    ruled(lambda E, e, de, dm: (dm + jnp.sin(E) * de) / (1 - e * jnp.cos(E)))
)
