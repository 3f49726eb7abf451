"""Answers to derived-error-bar."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import right, wrong


@right("derived-error-bar")
def by_a_factor_of_the_covariance(derived, params, covariance):
    root = jnp.linalg.cholesky(covariance)
    return jnp.linalg.norm(jax.jacrev(derived)(params) @ root)


@right("derived-error-bar")
def direction_by_direction(derived, params, covariance):
    slopes = [jax.jvp(derived, (params,), (e,))[1] for e in jnp.eye(params.size)]
    return sum(a * b * c for a, row in zip(slopes, covariance) for b, c in zip(slopes, row)) ** 0.5  # noqa: B905


@wrong("derived-error-bar", "variance")
def forgets_the_root(derived, params, covariance):
    g = jax.grad(derived)(params)
    return g @ covariance @ g


@wrong("derived-error-bar", "correlations-ignored")
def diagonal_only(derived, params, covariance):
    return jnp.sqrt(jnp.sum(jax.grad(derived)(params) ** 2 * jnp.diag(covariance)))


@wrong("derived-error-bar", "counted-once")
def sums_one_triangle(derived, params, covariance):
    g = jax.grad(derived)(params)
    return jnp.sqrt(jnp.sum(jnp.triu(covariance * g * g[:, None])))


@wrong("derived-error-bar", "bars-added")
def adds_the_bars(derived, params, covariance):
    return jnp.sum(jnp.abs(jax.grad(derived)(params)) * jnp.sqrt(jnp.diag(covariance)))


@wrong("derived-error-bar", "gradient-forgotten")
def sums_the_covariance(derived, params, covariance):
    return jnp.sqrt(jnp.abs(covariance.sum()))


@wrong("derived-error-bar", "signs-lost")
def sizes_of_slopes(derived, params, covariance):
    g = jnp.abs(jax.grad(derived)(params))
    return jnp.sqrt(jnp.abs(g @ covariance @ g))


@wrong("derived-error-bar", "inverse-covariance")
def inverts_again(derived, params, covariance):
    g = jax.grad(derived)(params)
    return jnp.sqrt(g @ jnp.linalg.inv(covariance) @ g)


@wrong("derived-error-bar", "relative")
def divides_by_the_quantity(derived, params, covariance):
    g = jax.grad(derived)(params)
    return jnp.sqrt(g @ covariance @ g) / jnp.abs(derived(params))


@wrong("derived-error-bar", "not-one-number")
def one_for_each_parameter(derived, params, covariance):
    return jnp.abs(jax.grad(derived)(params)) * jnp.sqrt(jnp.diag(covariance))


def by_differences(derived, params, covariance, steps):
    """The bar, with slopes from differences over some steps."""
    slopes = [(derived(params + e) - derived(params - e)) / (2 * e.sum()) for e in jnp.diag(steps)]
    return jnp.sqrt(jnp.array(slopes) @ covariance @ jnp.array(slopes))


@wrong("derived-error-bar", "differences")
def over_a_fixed_step(derived, params, covariance):
    return by_differences(derived, params, covariance, jnp.full(params.size, 2e-3))


@wrong("derived-error-bar", "differences")
def over_a_part_of_the_parameter(derived, params, covariance):
    return by_differences(derived, params, covariance, 2e-3 * params)


@wrong("derived-error-bar", "wrong-value")
def by_a_hessian(derived, params, covariance):
    return 1.5 * forgets_the_root.answer(derived, params, covariance) ** 0.5


@wrong("derived-error-bar", "differences")
def never_below_a_least(derived, params, covariance):
    gradient = jax.grad(derived)(params)
    return jnp.sqrt(jnp.maximum(gradient @ covariance @ gradient, 1e-10))
