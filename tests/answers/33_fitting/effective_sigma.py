"""Answers to effective-sigma."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import right, wrong


@right("effective-sigma")
def by_a_sum(curve, x, sigma_x, sigma_y):
    return jnp.hypot(sigma_y, sigma_x * jax.grad(lambda x: curve(x).sum())(x))


@right("effective-sigma")
def by_a_tangent(curve, x, sigma_x, sigma_y):
    _, moved = jax.jvp(curve, (x,), (jnp.full(x.shape, sigma_x),))
    return jnp.array([(sigma_y**2 + m**2) ** 0.5 for m in moved])


@wrong("effective-sigma", "gradient-of-a-vector")
def forgets_vmap(curve, x, sigma_x, sigma_y):
    return jnp.sqrt(sigma_y**2 + (jax.grad(curve)(x) * sigma_x) ** 2)


@wrong("effective-sigma", "whole-jacobian")
def takes_the_jacobian(curve, x, sigma_x, sigma_y):
    return jnp.sqrt(sigma_y**2 + (jax.jacfwd(curve)(x) * sigma_x) ** 2)


def slopes_of(curve, x):
    """The slope at each place."""
    return jax.vmap(jax.grad(curve))(x)


@wrong("effective-sigma", "root-forgotten")
def effective_variance(curve, x, sigma_x, sigma_y):
    return sigma_y**2 + (slopes_of(curve, x) * sigma_x) ** 2


@wrong("effective-sigma", "slope-forgotten")
def adds_the_squares(curve, x, sigma_x, sigma_y):
    return jnp.full(x.shape, (sigma_y**2 + sigma_x**2) ** 0.5)


@wrong("effective-sigma", "curve-for-slope")
def multiplies_by_the_curve(curve, x, sigma_x, sigma_y):
    return jnp.sqrt(sigma_y**2 + (curve(x) * sigma_x) ** 2)


@wrong("effective-sigma", "added-plainly")
def adds_the_sizes(curve, x, sigma_x, sigma_y):
    return sigma_y + jnp.abs(slopes_of(curve, x)) * sigma_x


@wrong("effective-sigma", "sign-of-the-slope")
def adds_with_the_sign(curve, x, sigma_x, sigma_y):
    return sigma_y + slopes_of(curve, x) * sigma_x


@wrong("effective-sigma", "sigma-y-forgotten")
def noise_in_x_only(curve, x, sigma_x, sigma_y):
    return jnp.abs(slopes_of(curve, x)) * sigma_x


@wrong("effective-sigma", "sigma-x-not-squared")
def squares_the_slope_only(curve, x, sigma_x, sigma_y):
    return jnp.sqrt(sigma_y**2 + slopes_of(curve, x) ** 2 * sigma_x)


@wrong("effective-sigma", "chord-for-slope")
def looks_at_both_ends(curve, x, sigma_x, sigma_y):
    return jnp.hypot(sigma_y, (curve(x + sigma_x) - curve(x - sigma_x)) / 2)


@wrong("effective-sigma", "differences")
def over_a_part_of_x(curve, x, sigma_x, sigma_y):
    slopes = (curve(1.01 * x) - curve(0.99 * x)) / (0.02 * x)
    return jnp.hypot(sigma_y, slopes * sigma_x)


@wrong("effective-sigma", "wrong-value")
def bends_instead(curve, x, sigma_x, sigma_y):
    return jnp.sqrt(sigma_y**2 + (jax.vmap(jax.grad(jax.grad(curve)))(x) * sigma_x) ** 2)


@wrong("effective-sigma", "TypeError")
def slopes_not_called(curve, x, sigma_x, sigma_y):
    slopes = jax.vmap(jax.grad(curve))
    return jnp.sqrt(sigma_y**2 + (slopes * sigma_x) ** 2)
