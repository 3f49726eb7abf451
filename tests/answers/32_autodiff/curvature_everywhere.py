"""Answers to curvature-everywhere."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import right, wrong


@right("curvature-everywhere")
def one_after_the_other(f, x):
    return jnp.stack([jax.jacfwd(jax.grad(f))(t) for t in x])


@right("curvature-everywhere")
def by_two_pushes(f, x):
    def push(g):
        return lambda t: jax.jvp(g, (t,), (jnp.ones_like(t),))[1]

    return jax.lax.map(push(push(f)), x)


@wrong("curvature-everywhere", "first-derivative")
def differentiates_once(f, x):
    return jax.vmap(jax.grad(f))(x)


@wrong("curvature-everywhere", "given-a-whole-array")
def grad_of_a_sum(f, x):
    g = jax.grad(lambda x: f(x).sum())
    return jax.grad(lambda x: g(x).sum())(x)


@wrong("curvature-everywhere", "given-a-whole-array")
def forgets_to_map(f, x):
    return jax.grad(jax.grad(f))(x)


@wrong("curvature-everywhere", "square-matrix")
def hessian_of_the_sum(f, x):
    return jax.hessian(lambda x: jax.vmap(f)(x).sum())(x)


@wrong("curvature-everywhere", "added-up")
def adds_up(f, x):
    return jax.vmap(jax.grad(jax.grad(f)))(x).sum()


@wrong("curvature-everywhere", "squared")
def squares_the_slope(f, x):
    return jax.vmap(jax.grad(f))(x) ** 2


@wrong("curvature-everywhere", "not-an-array")
def a_list_of_numbers(f, x):
    return [jax.grad(jax.grad(f))(t) for t in x]


@wrong("curvature-everywhere", "returned-nothing")
def no_return(f, x):
    jax.vmap(jax.grad(jax.grad(f)))(x)


@wrong("curvature-everywhere", "differences-of-slopes")
def differences_of_slopes(f, x):
    slope, h = jax.vmap(jax.grad(f)), 1e-2
    return (slope(x + h) - slope(x - h)) / (2 * h)


@wrong("curvature-everywhere", "wrong-value")
def takes_half_of_it(f, x):
    return jax.vmap(jax.hessian(f))(x) / 2


@wrong("curvature-everywhere", "differences-of-values")
def differences_in_float32(f, x):
    h = 1e-3
    g = jax.vmap(f)
    return (g(x + h) - 2 * g(x) + g(x - h)) / h**2


@wrong("curvature-everywhere", "wrong-value")
def differentiates_three_times(f, x):
    return jax.vmap(jax.grad(jax.grad(jax.grad(f))))(x)


@wrong("curvature-everywhere", "differences-of-slopes")
def computes_in_half_precision(f, x):
    return jax.vmap(jax.grad(jax.grad(f)))(x.astype(jnp.bfloat16)).astype(x.dtype)
