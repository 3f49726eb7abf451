"""Answers to damped-step."""

import functools

import jax
import jax.numpy as jnp

from jaxcourse.exercise import equivalent, right, wrong


def damped(residuals, params, damping, *, diagonal=True, sign=-1, factor=3.0, accept=None, always=False):
    """A step with one of several mistakes."""
    r, jacobian = residuals(params), jax.jacfwd(residuals)(params)
    square = jacobian.T @ jacobian
    added = jnp.diag(jnp.diag(square)) if diagonal is True else diagonal(square)
    root = jnp.sqrt(damping)
    trial = params + sign * jnp.linalg.solve(square + root[:, None] * added * root, jacobian.T @ r)
    now, then = jnp.sum(r**2), jnp.sum(residuals(trial) ** 2)
    better = accept(then, now) if accept else then < now
    place = trial if always else jnp.where(better, trial, params)
    return place, jnp.where(better, damping / factor, damping * factor)


@right("damped-step")
def by_more_rows(residuals, params, damping):
    r, jacobian = residuals(params), jax.jacrev(residuals)(params)
    rows = jnp.diag(jnp.sqrt(damping) * jnp.linalg.norm(jacobian, axis=0))
    stacked = jnp.concatenate([jacobian, rows]), jnp.concatenate([-r, jnp.zeros(params.size)])
    trial = params + jnp.linalg.lstsq(*stacked)[0]
    better = residuals(trial) @ residuals(trial) < r @ r
    return jax.lax.cond(better, lambda: (trial, damping / 3.0), lambda: (params, damping * 3.0))


@right("damped-step")
@functools.partial(jax.jit, static_argnums=0)
def by_the_triangle(residuals, params, damping):
    jacobian, r = jax.jacfwd(residuals)(params), residuals(params)
    rows = jnp.sqrt(damping * jnp.sum(jacobian**2, axis=0)) * jnp.eye(params.size)
    q, upper = jnp.linalg.qr(jnp.vstack([jacobian, rows]))
    trial = params - jax.scipy.linalg.solve_triangular(upper, q[: r.size].T @ r)
    better = jnp.linalg.norm(residuals(trial)) < jnp.linalg.norm(r)
    return [jnp.where(better, trial, params), damping * jnp.where(better, 1 / 3, 3)]


@right("damped-step")
def by_the_triangle_of_scaled_columns(residuals, params, damping):
    r, jacobian = residuals(params), jax.jacfwd(residuals)(params)
    lengths = jnp.linalg.norm(jacobian, axis=0)
    q, upper = jnp.linalg.qr(jnp.concatenate([jacobian / lengths, jnp.diag(jnp.sqrt(damping))]))
    trial = params - jax.scipy.linalg.solve_triangular(upper, q[: r.size].T @ r) / lengths
    better = jnp.sum(residuals(trial) ** 2) < jnp.sum(r**2)
    return jnp.where(better, trial, params), jnp.where(better, damping / 3, damping * 3)


@wrong("damped-step", "damping-by-singular-value")
def as_the_lesson_does_with_one_damping(residuals, params, damping):
    r, jacobian = residuals(params), jax.jacfwd(residuals)(params)
    lengths = jnp.linalg.norm(jacobian, axis=0)
    u, s, v = jnp.linalg.svd(jacobian / lengths, full_matrices=False)
    trial = params - v.T @ (s / (s**2 + damping) * (u.T @ r)) / lengths
    better = jnp.sum(residuals(trial) ** 2) < jnp.sum(r**2)
    return jnp.where(better, trial, params), jnp.where(better, damping / 3, damping * 3)


@wrong("damped-step", "condition-squared")
def by_the_equation_of_textbooks(residuals, params, damping):
    return damped(residuals, params, damping)


@wrong("damped-step", "condition-squared")
def by_the_pseudo_inverse_of_more_rows(residuals, params, damping):
    r, jacobian = residuals(params), jax.jacfwd(residuals)(params)
    rows = jnp.diag(jnp.sqrt(damping) * jnp.linalg.norm(jacobian, axis=0))
    inverse = jnp.linalg.pinv(jnp.concatenate([jacobian, rows]))
    trial = params - inverse[:, : r.size] @ r
    better = jnp.sum(residuals(trial) ** 2) < jnp.sum(r**2)
    return jnp.where(better, trial, params), jnp.where(better, damping / 3, damping * 3)


@wrong("damped-step", "condition-squared")
def by_cholesky(residuals, params, damping):
    r, jacobian = residuals(params), jax.jacfwd(residuals)(params)
    square = jacobian.T @ jacobian
    factor = jax.scipy.linalg.cho_factor(square + jnp.diag(damping * jnp.diag(square)))
    trial = params - jax.scipy.linalg.cho_solve(factor, jacobian.T @ r)
    better = jnp.sum(residuals(trial) ** 2) < jnp.sum(r**2)
    return jnp.where(better, trial, params), jnp.where(better, damping / 3, damping * 3)


@wrong("damped-step", "condition-squared")
@functools.partial(jax.jit, static_argnums=0)
def from_the_gradient(residuals, params, damping):
    half = jax.grad(lambda p: jnp.sum(residuals(p) ** 2) / 2)
    jacobian = jax.jacfwd(residuals)(params)
    square = jnp.einsum("ni,nj->ij", jacobian, jacobian)
    square = square + jnp.diag(damping * jnp.diag(square))
    trial = params - jnp.linalg.solve(square, half(params))
    better = jnp.linalg.norm(residuals(trial)) < jnp.linalg.norm(residuals(params))
    return [jnp.where(better, trial, params), damping * jnp.where(better, 1 / 3, 3)]


@wrong("damped-step", "identity-damping")
def adds_the_identity(residuals, params, damping):
    return damped(residuals, params, damping, diagonal=lambda square: jnp.eye(len(square)))


@wrong("damped-step", "one-length-for-all")
def adds_the_length_of_all(residuals, params, damping):
    return damped(residuals, params, damping, diagonal=lambda square: jnp.trace(square) * jnp.eye(len(square)))


@wrong("damped-step", "whole-matrix-damped")
def adds_the_matrix(residuals, params, damping):
    return damped(residuals, params, damping, diagonal=lambda square: square)


@wrong("damped-step", "root-of-the-diagonal")
def adds_the_root(residuals, params, damping):
    return damped(residuals, params, damping, diagonal=lambda square: jnp.diag(jnp.sqrt(jnp.diag(square))))


@wrong("damped-step", "undamped")
def pure_gauss_newton(residuals, params, damping):
    return damped(residuals, params, damping, diagonal=jnp.zeros_like)


@wrong("damped-step", "uphill")
def forgets_the_minus(residuals, params, damping):
    return damped(residuals, params, damping, sign=1)


@wrong("damped-step", "slope-doubled")
def gradient_of_the_whole_sum(residuals, params, damping):
    return damped(residuals, params, damping, sign=-2)


@wrong("damped-step", "factor-ten")
def factor_of_ten(residuals, params, damping):
    return damped(residuals, params, damping, factor=10.0)


@wrong("damped-step", "damping-turned-round")
def raises_after_success(residuals, params, damping):
    return damped(residuals, params, damping, factor=1 / 3)


@wrong("damped-step", "damping-kept")
def keeps_the_damping(residuals, params, damping):
    return damped(residuals, params, damping)[0], damping


@wrong("damped-step", "nan-accepted")
def accepts_unless_worse(residuals, params, damping):
    return damped(residuals, params, damping, accept=lambda then, now: ~(then >= now))


@wrong("damped-step", "equal-accepted")
def accepts_the_same(residuals, params, damping):
    return damped(residuals, params, damping, accept=lambda then, now: then <= now)


@wrong("damped-step", "damping-squared")
def squares_the_damping(residuals, params, damping):
    place, _ = damped(residuals, params, damping**2)
    better = jnp.sum(residuals(place) ** 2) < jnp.sum(residuals(params) ** 2)
    return place, jnp.where(better, damping / 3, damping * 3)


@wrong("damped-step", "fixed-size")
def adds_a_little(residuals, params, damping):
    return damped(residuals, params, damping, accept=lambda then, now: then < now - 1e-6)


@wrong("damped-step", "small-gain-refused")
def asks_for_a_thousandth(residuals, params, damping):
    return damped(residuals, params, damping, accept=lambda then, now: then < 0.999 * now)


@wrong("damped-step", "sizes-compared")
def compares_the_sizes(residuals, params, damping):
    place, _ = damped(residuals, params, damping, always=True)
    better = jnp.sum(jnp.abs(residuals(place))) < jnp.sum(jnp.abs(residuals(params)))
    return jnp.where(better, place, params), jnp.where(better, damping / 3, damping * 3)


@wrong("damped-step", "largest-compared")
def compares_the_largest(residuals, params, damping):
    trial, _ = damped(residuals, params, damping, always=True)
    better = jnp.abs(residuals(trial)).max() < jnp.abs(residuals(params)).max()
    return jnp.where(better, trial, params), jnp.where(better, damping / 3, damping * 3)


@wrong("damped-step", "tangent-believed")
def compares_with_the_tangent(residuals, params, damping):
    r, jacobian = residuals(params), jax.jacfwd(residuals)(params)
    trial, _ = damped(residuals, params, damping, always=True)
    better = jnp.sum((r + jacobian @ (trial - params)) ** 2) < jnp.sum(r**2)
    return jnp.where(better, trial, params), jnp.where(better, damping / 3, damping * 3)


@wrong("damped-step", "penalty-counted")
def compares_with_the_penalty(residuals, params, damping):
    lengths = jnp.linalg.norm(jax.jacfwd(residuals)(params), axis=0)
    trial, _ = damped(residuals, params, damping, always=True)
    penalty = jnp.sum(damping * (lengths * (trial - params)) ** 2)
    better = jnp.sum(residuals(trial) ** 2) + penalty < jnp.sum(residuals(params) ** 2)
    return jnp.where(better, trial, params), jnp.where(better, damping / 3, damping * 3)


@wrong("damped-step", "lengths-squared")
def rows_of_squares(residuals, params, damping):
    return damped(residuals, params, damping, diagonal=lambda square: jnp.diag(jnp.diag(square) ** 2))


@wrong("damped-step", "not-scaled-back")
def forgets_to_scale_back(residuals, params, damping):
    r, jacobian = residuals(params), jax.jacfwd(residuals)(params)
    rows = jnp.diag(jnp.sqrt(damping))
    stacked = jnp.concatenate([jacobian / jnp.linalg.norm(jacobian, axis=0), rows])
    trial = params + jnp.linalg.lstsq(stacked, jnp.concatenate([-r, jnp.zeros(params.size)]))[0]
    better = jnp.sum(residuals(trial) ** 2) < jnp.sum(r**2)
    return jnp.where(better, trial, params), jnp.where(better, damping / 3, damping * 3)


@wrong("damped-step", "small-eigenvalue-lost")
def by_least_squares_with_a_cut(residuals, params, damping):
    r, jacobian = residuals(params), jax.jacfwd(residuals)(params)
    rows = jnp.diag(jnp.sqrt(damping) * jnp.linalg.norm(jacobian, axis=0))
    stacked = jnp.concatenate([jacobian, rows]), jnp.concatenate([-r, jnp.zeros(params.size)])
    trial = params + jnp.linalg.lstsq(*stacked, rcond=1e-3)[0]
    better = jnp.sum(residuals(trial) ** 2) < jnp.sum(r**2)
    return jnp.where(better, trial, params), jnp.where(better, damping / 3, damping * 3)


@wrong("damped-step", "turned-round")
def accepts_what_is_worse(residuals, params, damping):
    return damped(residuals, params, damping, accept=lambda then, now: ~(then < now))


@wrong("damped-step", "always-accepted")
def accepts_everything(residuals, params, damping):
    return damped(residuals, params, damping, accept=lambda then, now: True)


@wrong("damped-step", "refused-step-kept")
def moves_in_any_case(residuals, params, damping):
    return damped(residuals, params, damping, always=True)


@wrong("damped-step", "not-traceable")
def asks_in_python(residuals, params, damping):
    place, after = damped(residuals, params, damping)
    return (place, damping / 3) if bool((place != params).any()) else (params, damping * 3)


@wrong("damped-step", "not-a-pair")
def only_the_place(residuals, params, damping):
    return damped(residuals, params, damping)[0]


@wrong("damped-step", "pair-turned-round")
def the_damping_first(residuals, params, damping):
    return damped(residuals, params, damping)[::-1]


@wrong("damped-step", "damping-of-other-shape")
def one_damping_comes_back(residuals, params, damping):
    place, after = damped(residuals, params, damping)
    return place, after.max()


@wrong("damped-step", "one-damping-for-all")
def one_damping_in_the_penalty(residuals, params, damping):
    place, _ = damped(residuals, params, jnp.full(params.shape, damping.mean()))
    better = jnp.sum(residuals(place) ** 2) < jnp.sum(residuals(params) ** 2)
    return place, jnp.where(better, damping / 3, damping * 3)


@wrong("damped-step", "wrong-damping")
def keeps_the_damping_in_bounds(residuals, params, damping):
    place, after = damped(residuals, params, damping)
    return place, jnp.clip(after, 1e-7, 1e7)


@wrong("damped-step", "small-eigenvalue-lost")
def by_the_pseudo_inverse_of_the_matrix(residuals, params, damping):
    r, jacobian = residuals(params), jax.jacfwd(residuals)(params)
    square = jacobian.T @ jacobian
    trial = params - jnp.linalg.pinv(square + jnp.diag(damping * jnp.diag(square))) @ (jacobian.T @ r)
    better = jnp.sum(residuals(trial) ** 2) < jnp.sum(r**2)
    return jnp.where(better, trial, params), jnp.where(better, damping / 3, damping * 3)


@wrong("damped-step", "wrong-value")
def half_a_step(residuals, params, damping):
    return damped(residuals, params, damping, sign=-0.5)


@wrong("damped-step", "wrong-damping")
def adds_to_the_damping(residuals, params, damping):
    place, after = damped(residuals, params, damping)
    return place, after + 1.0


@wrong("damped-step", "other-under-jit")
def differs_when_traced(residuals, params, damping):
    place, after = damped(residuals, params, damping)
    return (params if isinstance(params, jax.core.Tracer) else place), after


@wrong("damped-step", "condition-squared")
def never_without_damping(residuals, params, damping):
    r, jacobian = residuals(params), jax.jacfwd(residuals)(params)
    rows = jnp.diag(jnp.sqrt(damping + 1e-6) * jnp.linalg.norm(jacobian, axis=0))
    below = jnp.concatenate([-r, jnp.zeros_like(params)])
    trial = params + jnp.linalg.lstsq(jnp.concatenate([jacobian, rows]), below)[0]
    better = jnp.sum(residuals(trial) ** 2) < jnp.sum(r**2)
    return jnp.where(better, trial, params), jnp.where(better, damping / 3, damping * 3)


equivalents = [
    equivalent(
        "damped-step", "`params`  ->  `damping`", "both are vectors of one length, of which only the shape is used"
    ),
    equivalent(
        "damped-step", "`r`  ->  `below`", "`below` is `-r` with zeros behind it: the sum of squares is the same"
    ),
    equivalent(
        "damped-step",
        "`jnp.where(better, damping / 3, damping * 3)`  ->  `better * (damping / 3) + (1 - better) * (damping * 3)`",
        "all numbers are finite, so 0 times one is 0",
    ),
    equivalent(
        "damped-step",
        "`jnp.where(better, trial, params)`  ->  `better * trial + (1 - better) * params`",
        "all numbers are finite, so 0 times one is 0",
    ),
]
