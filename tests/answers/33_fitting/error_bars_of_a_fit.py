"""Answers to error-bars-of-a-fit."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


def half_chi(curve, x, y, sigma):
    """Half of χ² as a function of the parameters."""
    return lambda params: 0.5 * jnp.sum(((y - curve(params, x)) / sigma) ** 2)


def bars_from(loss, params):
    """The recipe."""
    return jnp.sqrt(jnp.diag(jnp.linalg.inv(jax.hessian(loss)(params))))


@wrong("error-bars-of-a-fit", "fixed-size")
def guards_against_no_noise(curve, params, x, y, sigma):
    return bars_from(half_chi(curve, x, y, sigma + 1e-8), params)


@right("error-bars-of-a-fit")
def by_the_likelihood(curve, params, x, y, sigma):
    def loss(params):
        return -jnp.sum(jax.scipy.stats.norm.logpdf(y, curve(params, x), sigma))

    return bars_from(loss, params)


@right("error-bars-of-a-fit")
def solves_for_the_identity(curve, params, x, y, sigma):
    hessian = jax.jacfwd(jax.grad(half_chi(curve, x, y, sigma)))(params)
    covariance = jnp.linalg.solve(hessian, jnp.eye(params.size))
    return jnp.array([covariance[i, i] ** 0.5 for i in range(params.size)])


@right("error-bars-of-a-fit")
def with_second_derivatives_of_the_curve(curve, params, x, y, sigma):
    jacobian = jax.jacfwd(curve)(params, x) / sigma[:, None]
    bends = jnp.einsum("i,ijk->jk", (curve(params, x) - y) / sigma**2, jax.hessian(curve)(params, x))
    return jnp.diag(jnp.linalg.inv(jacobian.T @ jacobian + bends)) ** 0.5


@wrong("error-bars-of-a-fit", "other-dtype")
def inverts_in_numpy(curve, params, x, y, sigma):
    hessian = np.asarray(jax.hessian(half_chi(curve, x, y, sigma))(params), np.float64)
    return np.sqrt(np.diag(np.linalg.inv(hessian)))


@wrong("error-bars-of-a-fit", "mean-for-sum")
def half_of_the_mean(curve, params, x, y, sigma):
    return bars_from(lambda p: half_chi(curve, x, y, sigma)(p) / x.size, params)


@wrong("error-bars-of-a-fit", "mean-and-no-half")
def mean_of_squares(curve, params, x, y, sigma):
    return bars_from(lambda p: jnp.mean(((y - curve(p, x)) / sigma) ** 2), params)


@wrong("error-bars-of-a-fit", "half-forgotten")
def whole_chi_square(curve, params, x, y, sigma):
    return bars_from(lambda p: jnp.sum(((y - curve(p, x)) / sigma) ** 2), params)


@wrong("error-bars-of-a-fit", "sigma-once")
def weights_of_one_over_sigma(curve, params, x, y, sigma):
    return bars_from(lambda p: 0.5 * jnp.sum((y - curve(p, x)) ** 2 / sigma), params)


@wrong("error-bars-of-a-fit", "sigma-forgotten")
def even_weights(curve, params, x, y, sigma):
    return bars_from(half_chi(curve, x, y, 1.0), params)


@wrong("error-bars-of-a-fit", "one-sigma-for-all")
def sigma_of_the_first_point(curve, params, x, y, sigma):
    return bars_from(half_chi(curve, x, y, sigma[0]), params)


@wrong("error-bars-of-a-fit", "one-sigma-for-all")
def mean_of_sigma(curve, params, x, y, sigma):
    return bars_from(half_chi(curve, x, y, sigma.mean()), params)


@wrong("error-bars-of-a-fit", "y-left-out")
def curve_alone(curve, params, x, y, sigma):
    return bars_from(half_chi(curve, x, 0 * y, sigma), params)


@wrong("error-bars-of-a-fit", "degrees-of-freedom")
def reduced_chi_square(curve, params, x, y, sigma):
    chi = half_chi(curve, x, y, sigma)
    return bars_from(lambda p: chi(p) / (x.size - p.size), params)


@wrong("error-bars-of-a-fit", "wrong-value")
def products_of_gradients(curve, params, x, y, sigma):
    slopes = jax.jacfwd(lambda p: 0.5 * ((y - curve(p, x)) / sigma) ** 2)(params)
    return jnp.sqrt(jnp.diag(jnp.linalg.inv(slopes.T @ slopes)))


@wrong("error-bars-of-a-fit", "root-forgotten")
def variances(curve, params, x, y, sigma):
    return bars_from(half_chi(curve, x, y, sigma), params) ** 2


@wrong("error-bars-of-a-fit", "diagonal-first")
def inverts_the_diagonal(curve, params, x, y, sigma):
    return 1 / jnp.sqrt(jnp.diag(jax.hessian(half_chi(curve, x, y, sigma))(params)))


@wrong("error-bars-of-a-fit", "gauss-newton")
def jacobian_only(curve, params, x, y, sigma):
    jacobian = jax.jacfwd(lambda p: curve(p, x) / sigma)(params)
    return jnp.sqrt(jnp.diag(jnp.linalg.inv(jacobian.T @ jacobian)))


@wrong("error-bars-of-a-fit", "rescaled")
def scales_by_the_residuals(curve, params, x, y, sigma):
    chi = half_chi(curve, x, y, sigma)
    return bars_from(chi, params) * jnp.sqrt(2 * chi(params) / (x.size - params.size))


@wrong("error-bars-of-a-fit", "not-inverted")
def never_inverts(curve, params, x, y, sigma):
    return jnp.sqrt(jnp.abs(jnp.diag(jax.hessian(half_chi(curve, x, y, sigma))(params))))


@wrong("error-bars-of-a-fit", "whole-matrix")
def root_of_the_matrix(curve, params, x, y, sigma):
    return jnp.sqrt(jnp.abs(jnp.linalg.inv(jax.hessian(half_chi(curve, x, y, sigma))(params))))


@wrong("error-bars-of-a-fit", "small-eigenvalue-lost")
def by_the_pseudo_inverse(curve, params, x, y, sigma):
    return jnp.sqrt(jnp.diag(jnp.linalg.pinv(jax.hessian(half_chi(curve, x, y, sigma))(params))))


@wrong("error-bars-of-a-fit", "small-eigenvalue-lost")
def with_something_on_the_diagonal(curve, params, x, y, sigma):
    hessian = jax.hessian(half_chi(curve, x, y, sigma))(params)
    return jnp.sqrt(jnp.diag(jnp.linalg.inv(hessian + 1e-5 * jnp.trace(hessian) * jnp.eye(params.size))))


@wrong("error-bars-of-a-fit", "wrong-value")
def two_sigma(curve, params, x, y, sigma):
    return 2 * bars_from(half_chi(curve, x, y, sigma), params)


equivalents = [
    equivalent(
        "error-bars-of-a-fit", "`0.5`  ->  `0.505`", "half a percent, as the inverse of a `float32` matrix may be off"
    ),
    equivalent("error-bars-of-a-fit", "`y - curve(params, x)`  ->  `curve(params, x) - y`", "the square is the same"),
]
