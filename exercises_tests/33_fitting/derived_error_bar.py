"""derived-error-bar."""

import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, at_once, declare, require
from jaxcourse.exercise import numbers


@probe.question(evidence="values")
def derived_bars(student_function, cases):
    """The bar of a quantity that is named, for several parameters."""
    quantities = {
        "product": lambda p: p[0] * p[1],
        "ratio": lambda p: p[0] / p[2],
        "exponential": lambda p: jnp.exp(p[0]),
        "length": lambda p: jnp.sqrt(jnp.sum(p**2)),
    }
    return [student_function(quantities[kind], *probe.on_device(call)) for kind, *call in cases]


def slope_of_quantity(kind, p):
    """The gradient of a quantity, by hand."""
    if kind == "product":
        return np.array([p[1], p[0]])
    if kind == "ratio":
        return np.array([1 / p[2], 0.0, -p[0] / p[2] ** 2, 0.0])
    return np.exp(p) if kind == "exponential" else p / np.linalg.norm(p)


def quantity(kind, p):
    """A quantity, by hand."""
    if kind == "product":
        return p[0] * p[1]
    if kind == "ratio":
        return p[0] / p[2]
    return np.exp(p[0]) if kind == "exponential" else np.linalg.norm(p)


def root(variance):
    return np.sqrt(np.abs(variance))


def propagated(bar):
    """A bar that follows from the slope of a quantity, the covariance, and the quantity."""

    def of_case(kind, params, covariance):
        p, c = params.astype(np.float64), covariance.astype(np.float64)
        return bar(slope_of_quantity(kind, p), c, quantity(kind, p))

    return of_case


MISTAKES = {
    "variance": propagated(lambda g, c, value: g @ c @ g),
    "correlations-ignored": propagated(lambda g, c, value: root(np.sum(g**2 * np.diag(c)))),
    "counted-once": propagated(lambda g, c, value: np.sqrt(np.sum(np.triu(np.outer(g, g) * c)))),
    "bars-added": propagated(lambda g, c, value: np.abs(g) @ root(np.diag(c))),
    "signs-lost": propagated(lambda g, c, value: root(np.abs(g) @ c @ np.abs(g))),
    "gradient-forgotten": propagated(lambda g, c, value: root(c.sum())),
    "inverse-covariance": propagated(lambda g, c, value: root(g @ np.linalg.inv(c) @ g)),
    "relative": propagated(lambda g, c, value: root(g @ c @ g) / np.abs(value)),
}


def derived(kind, params, covariance):
    """The oracle: the root of the variance."""
    return propagated(lambda g, c, value: root(g @ c @ g))(kind, params, covariance)


def fitted_parameters(rng, size, units=1.0):
    """Parameters of either sign, in some units, and a covariance with correlations."""
    units = units * np.ones(size)
    p = units * rng.uniform(0.5, 2, size) * rng.choice([-1, 1], size)
    root = units[:, None] * rng.normal(size=(size, size))
    return p.astype(np.float32), (0.01 * (root @ root.T + 0.3 * np.diag(units**2))).astype(np.float32)


def of_about_one(rng):
    sizes = {"product": 2, "ratio": 4, "exponential": 1, "length": 4}
    return [(kind, *fitted_parameters(rng, size)) for kind, size in sizes.items() for _ in range(2)]


def of_any_size(rng):
    """Parameters that are small, large, both, and 0."""
    units, cases = (1e-6, 1e4), []
    for kind, size in (("product", 2), ("ratio", 4), ("length", 4)):
        calls = [fitted_parameters(rng, size, unit) for unit in (*units, np.resize(units, size), 1.0)]
        calls[-1][0][0] = 0.0
        cases += [(kind, *call) for call in calls]
    return cases


def one_number(bar, *case):
    """The bar, if it is one number."""
    shape = numbers(bar).shape
    require(shape == (), "not-one-number", shape=shape)
    return bar


ASKED = {"ask": at_once(derived_bars), "shows": "derived_error_bar(derived, params, covariance)", "rtol": 1e-3}


WORDS = """
hint: What does `jax.grad(derived)(params)` tell you about a small change of the parameters? Call it g.
hint: The variance is `g @ covariance @ g`.
variance: You returned the variance. The error bar is its square root.
correlations-ignored: You used the diagonal alone. The other entries say whether errors cancel or add up: use the
    whole matrix.
counted-once: You counted each correlation once. It counts twice, as (i, j) and as (j, i): sum over all of C.
bars-added: You added the bars one by one, as if all errors pointed the same way. Use the covariance.
signs-lost: You took the sizes of the slopes. Keep their signs, with which errors can cancel.
gradient-forgotten: Your bar does not depend on the derived quantity. Multiply by its gradient on both sides.
inverse-covariance: You inverted `covariance`, which is the inverse of the Hessian already. Take it as it is.
relative: You divided by the quantity. Return the absolute bar, in the unit of the quantity.
differences: Your bars are right for parameters of about 1, but not for these. Do you take finite differences, or
    add something of a fixed size? `jax.grad` needs no step.
not-one-number: Your result is an array of shape {shape}. Return one number.
wrong-value: Your bar is not the root of ∇gᵀ C ∇g. Multiply the covariance by the gradient on both sides.
"""

derived_error_bar = declare(
    "derived-error-bar",
    see="derived",
    steps=[
        Agrees(derived, extremes=of_about_one, reads=one_number, mistakes=MISTAKES, **ASKED),
        Agrees(derived, extremes=of_any_size, otherwise="differences", **ASKED),
    ],
    words=WORDS,
)
