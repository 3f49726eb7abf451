"""Answers to momentum-step."""

import jax
import jax.numpy as jnp
import optax

from jaxcourse.exercise import right, wrong


@right("momentum-step")
def flattens_and_puts_together(params, velocity, grads, rate, decay):
    leaves, form = jax.tree.flatten(params)
    fresh = [decay * v + g for v, g in zip(jax.tree.leaves(velocity), jax.tree.leaves(grads), strict=True)]
    moved = [p - rate * v for p, v in zip(leaves, fresh, strict=True)]
    return [jax.tree.unflatten(form, moved), jax.tree.unflatten(form, fresh)]


@right("momentum-step")
def asks_optax(params, velocity, grads, rate, decay):
    updates, state = optax.trace(decay).update(grads, optax.TraceState(velocity))
    return optax.apply_updates(params, jax.tree.map(lambda u: -rate * u, updates)), state.trace


@wrong("momentum-step", "uphill")
def goes_uphill(params, velocity, grads, rate, decay):
    velocity = jax.tree.map(lambda v, g: decay * v + g, velocity, grads)
    return jax.tree.map(lambda p, v: p + rate * v, params, velocity), velocity


@wrong("momentum-step", "old-velocity")
def follows_the_old_velocity(params, velocity, grads, rate, decay):
    params = jax.tree.map(lambda p, v: p - rate * v, params, velocity)
    return params, jax.tree.map(lambda v, g: decay * v + g, velocity, grads)


@wrong("momentum-step", "plain-descent")
def follows_the_gradient(params, velocity, grads, rate, decay):
    velocity = jax.tree.map(lambda v, g: decay * v + g, velocity, grads)
    return jax.tree.map(lambda p, g: p - rate * g, params, grads), velocity


@wrong("momentum-step", "averaged")
def takes_a_running_mean(params, velocity, grads, rate, decay):
    velocity = jax.tree.map(lambda v, g: decay * v + (1 - decay) * g, velocity, grads)
    return jax.tree.map(lambda p, v: p - rate * v, params, velocity), velocity


@wrong("momentum-step", "rate-in-velocity")
def puts_the_rate_into_it(params, velocity, grads, rate, decay):
    velocity = jax.tree.map(lambda v, g: decay * v + rate * g, velocity, grads)
    return jax.tree.map(lambda p, v: p - v, params, velocity), velocity


@wrong("momentum-step", "rate-in-velocity")
def puts_rate_and_sign_into_it(params, velocity, grads, rate, decay):
    velocity = jax.tree.map(lambda v, g: decay * v - rate * g, velocity, grads)
    return jax.tree.map(lambda p, v: p + v, params, velocity), velocity


@wrong("momentum-step", "velocity-kept")
def returns_the_old_velocity(params, velocity, grads, rate, decay):
    fresh = jax.tree.map(lambda v, g: decay * v + g, velocity, grads)
    return jax.tree.map(lambda p, v: p - rate * v, params, fresh), velocity


@wrong("momentum-step", "swapped")
def returns_the_velocity_first(params, velocity, grads, rate, decay):
    velocity = jax.tree.map(lambda v, g: decay * v + g, velocity, grads)
    return velocity, jax.tree.map(lambda p, v: p - rate * v, params, velocity)


@wrong("momentum-step", "velocity-ignored")
def starts_anew_each_time(params, velocity, grads, rate, decay):
    rule = optax.trace(decay)
    velocity = rule.update(grads, rule.init(params))[0]
    return jax.tree.map(lambda p, v: p - rate * v, params, velocity), velocity


@wrong("momentum-step", "looked-ahead")
def looks_ahead(params, velocity, grads, rate, decay):
    velocity = jax.tree.map(lambda v, g: decay * v + g, velocity, grads)
    ahead = jax.tree.map(lambda v, g: g + decay * v, velocity, grads)
    return jax.tree.map(lambda p, v: p - rate * v, params, ahead), velocity


@wrong("momentum-step", "wrong-value")
def decays_the_parameters(params, velocity, grads, rate, decay):
    velocity = jax.tree.map(lambda v, g: decay * v + g, velocity, grads)
    return jax.tree.map(lambda p, v: decay * p - rate * v, params, velocity), velocity


@wrong("momentum-step", "rates-kept")
def compiles_with_the_first_rates(params, velocity, grads, rate, decay):
    if not KEPT_STEP:
        KEPT_STEP.append(jax.jit(lambda *trees: with_jax_momentum(*trees, rate, decay)))
    return KEPT_STEP[0](params, velocity, grads)


KEPT_STEP = []


@wrong("momentum-step", "not-a-pair")
def returns_a_dictionary(params, velocity, grads, rate, decay):
    params, velocity = with_jax_momentum(params, velocity, grads, rate, decay)
    return {"params": params, "velocity": velocity}


@wrong("momentum-step", "wrong-shape")
def adds_an_axis(params, velocity, grads, rate, decay):
    new = with_jax_momentum(params, velocity, grads, rate, decay)
    return jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], new)


@wrong("momentum-step", "other-structure")
def makes_lists_of_all(params, velocity, grads, rate, decay):
    def through(p, v, g):
        if isinstance(p, dict):
            parts = {key: through(p[key], v[key], g[key]) for key in p}
            return {k: a for k, (a, _) in parts.items()}, {k: b for k, (_, b) in parts.items()}
        if isinstance(p, (list, tuple)):
            parts = [through(*leaves) for leaves in zip(p, v, g, strict=True)]
            return [a for a, _ in parts], [b for _, b in parts]
        fresh = decay * v + g
        return p - rate * fresh, fresh

    return through(params, velocity, grads)


@wrong("momentum-step", "dtype-lost")
def computes_in_half_of_the_digits(params, velocity, grads, rate, decay):
    new = with_jax_momentum(params, velocity, grads, rate, decay)
    return jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16), new) if isinstance(rate, jax.core.Tracer) else new


@wrong("momentum-step", "dtype-lost")
def computes_in_all_digits(params, velocity, grads, rate, decay):
    velocity = jax.tree.map(lambda v, g: decay * v.astype(float) + g, velocity, grads)
    return jax.tree.map(lambda p, v: p - rate * v, params, velocity), velocity


@wrong("momentum-step", "wrong-value")
def clips_as_well(params, velocity, grads, rate, decay):
    grads = jax.tree.map(lambda g: jnp.clip(g, -5, 5), grads)
    return with_jax_momentum(params, velocity, grads, rate, decay)


def with_jax_momentum(params, velocity, grads, rate, decay):
    """The step, for wrong answers that break only what is around it."""
    velocity = jax.tree.map(lambda v, g: decay * v + g, velocity, grads)
    return jax.tree.map(lambda p, v: p - rate * v, params, velocity), velocity


@wrong("momentum-step", "not-traceable")
def asks_whether_there_is_a_rate(params, velocity, grads, rate, decay):
    if rate == 0:
        return params, velocity
    return with_jax_momentum(params, velocity, grads, rate, decay)


@wrong("momentum-step", "rates-kept")
def has_a_rate_and_a_decay_of_its_own(params, velocity, grads, rate, decay):
    velocity = jax.tree.map(lambda v, g: 0.9 * v + g, velocity, grads)
    return jax.tree.map(lambda p, v: p - 0.1 * v, params, velocity), velocity
