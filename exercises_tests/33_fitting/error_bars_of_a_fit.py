"""error-bars-of-a-fit."""

import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, refuse, require
from jaxcourse.exercise import first_difference, is_close, numbers
from jaxcourse.inputs import Asked

from ._lesson import unit_of


@probe.question(evidence="values")
def bars_of(student_function, kind, calls):
    """The bars that come back, for a curve that is named and several data."""

    def curve(p, x):
        if kind == "line":
            return p[0] + p[1] * x
        if kind == "decay":
            return p[0] * jnp.exp(-p[1] * x)
        return p[0] * jnp.exp(-(((x - p[1]) / p[2]) ** 2) / 2)

    bars = probe.in_one_program(lambda *args: student_function(curve, *args))
    return [bars(*probe.on_device(args)) for args in calls]


def tangent_of(kind, p, x):
    """A curve and its derivatives by each parameter, by hand."""
    if kind == "line":
        return p[0] + p[1] * x, np.stack([np.ones_like(x), x], 1)
    if kind == "decay":
        fall = np.exp(-p[1] * x)
        return p[0] * fall, np.stack([fall, -p[0] * x * fall], 1)
    z = (x - p[1]) / p[2]
    bell = np.exp(-(z**2) / 2)
    return p[0] * bell, np.stack([bell, p[0] * bell * z / p[2], p[0] * bell * z**2 / p[2]], 1)


def hessian_by_hand(kind, p, x, y, sigma):
    """The Hessian of ½χ²: the differences of a gradient that was derived by hand, in double precision."""

    def slope(p):
        f, tangent = tangent_of(kind, p, x)
        return tangent.T @ ((f - y) / sigma**2)

    step = 1e-6
    columns = [(slope(p + step * e) - slope(p - step * e)) / (2 * step) for e in np.eye(p.size)]
    return (np.stack(columns) + np.stack(columns).T) / 2


def roots(covariance):
    with np.errstate(invalid="ignore"):  # a mistake may leave no bowl
        return np.sqrt(np.diag(covariance))


def bars(matrix):
    return roots(np.linalg.inv(matrix))


def with_sigma(kind, p, x, y, sigma, change):
    """The Hessian if the noise of each point has another size."""
    return hessian_by_hand(kind, p, x, y, change(sigma))


def squared_tangent(kind, p, x, y, sigma):
    tangent = tangent_of(kind, p, x)[1] / sigma[:, None]
    return tangent.T @ tangent


def misfit_for_each(kind, p, x, y, sigma):
    """χ² per degree of freedom."""
    return float((((y - tangent_of(kind, p, x)[0]) / sigma) ** 2).sum()) / (len(x) - p.size)


def by_hessian(made):
    """Bars that follow from the Hessian and the case, in double precision."""

    def of_case(kind, *case):
        case = kind, *(np.asarray(part, np.float64) for part in case)
        return made(hessian_by_hand(*case), *case)

    return of_case


def right_bars(curve, params, x, y, sigma):
    """The oracle."""
    return by_hessian(lambda h, *case: bars(h))(curve, params, x, y, sigma)


MISTAKES = {
    "mean-for-sum": by_hessian(lambda h, *case: bars(h / len(case[2]))),
    "mean-and-no-half": by_hessian(lambda h, *case: bars(2 * h / len(case[2]))),
    "degrees-of-freedom": by_hessian(lambda h, *case: bars(h / (len(case[2]) - len(case[1])))),
    "half-forgotten": by_hessian(lambda h, *case: bars(2 * h)),
    "sigma-once": by_hessian(lambda h, *case: bars(with_sigma(*case, np.sqrt))),
    "sigma-forgotten": by_hessian(lambda h, *case: bars(with_sigma(*case, np.ones_like))),
    "one-sigma-for-all": by_hessian(
        lambda h, *case: bars(with_sigma(*case, lambda sigma: np.full_like(sigma, sigma[0])))
    ),
    "one-sigma-for-all/mean": by_hessian(
        lambda h, *case: bars(with_sigma(*case, lambda sigma: np.full_like(sigma, sigma.mean())))
    ),
    "y-left-out": by_hessian(lambda h, kind, p, x, y, sigma: bars(hessian_by_hand(kind, p, x, 0 * y, sigma))),
    "root-forgotten": by_hessian(lambda h, *case: bars(h) ** 2),
    "diagonal-first": by_hessian(lambda h, *case: 1 / roots(h)),
    "gauss-newton": by_hessian(lambda h, *case: bars(squared_tangent(*case))),
    "rescaled": by_hessian(lambda h, *case: bars(h) * np.sqrt(misfit_for_each(*case))),
    "not-inverted": by_hessian(lambda h, *case: np.sqrt(np.abs(np.diag(h)))),
}


def bar_cases(rng):
    """Points around a curve, with an uneven noise, such that the Hessian can be inverted."""
    for kind, n in (("line", 30), ("decay", 30), ("bell", 12)):
        found = 0
        while found < 2:
            p = rng.uniform([1, 0.5, 0.7][: 3 if kind == "bell" else 2], [3, 1.5, 1.2][: 3 if kind == "bell" else 2])
            x = np.sort(rng.uniform(-1, 3, n))
            sigma = rng.uniform(0.1, 0.5, n)
            y = tangent_of(kind, p, x)[0] + sigma * rng.normal(size=n)
            case = tuple(np.asarray(part, np.float32) for part in (p, x, y, sigma))
            values = by_hessian(lambda h, *_: np.linalg.eigvalsh(h))(kind, *case)
            tangent_alone = MISTAKES["gauss-newton"](kind, *case)
            bent = not is_close(tangent_alone, right_bars(kind, *case), rtol=0.02) or kind == "line"
            if values[0] > 1e-3 * values[-1] and bent:
                found += 1
                yield kind, *case


def other_units(kind, case, right, *, larger):
    """The same points with `x` in another unit, and the bars there."""
    p, x, y, sigma = case
    per = np.array([1, by_hessian(lambda h, *_: unit_of(h, larger=larger))(kind, *case)], np.float32)
    return (p / per, x * per[1], y, sigma), right / per


def in_other_units(kind, case, right):
    """The same points with `x` in other units, and for a line with `y` in others, whose bars all have it."""
    by_x = [] if kind == "bell" else [other_units(kind, case, right, larger=larger) for larger in (False, True)]
    p, x, y, sigma = case
    units = [np.float32(2.0**power) for power in (-24, 20)] if kind == "line" else []
    return by_x, [((p * unit, x, y * unit, sigma * unit), right * unit) for unit in units]


def judge_units(answer, kind, asked, found):
    """Require that the unit of a parameter is of no account: its bar has the same unit."""
    for got, (case, want) in zip(found, asked, strict=True):
        answer.called = f"error_bars_of_a_fit({kind}, {case[0].tolist()}, x, y, sigma)"
        off = np.abs(numbers(got) / want - 1)  # each bar by itself: they differ a thousandfold
        require((off < 0.3).all(), "small-eigenvalue-lost", want=want.tolist(), got=numbers(got).tolist())


def judge_small_noise(answer, kind, asked, found):
    """Require that the unit of `y` is of no account."""
    for got, (case, want) in zip(found, asked, strict=True):
        answer.called = f"error_bars_of_a_fit({kind}, {case[0].tolist()}, x, y, sigma)"
        require(is_close(got, want, rtol=5e-3), "fixed-size", difference=first_difference(numbers(got), want, 0.005))


def a_matrix_is_inverted(answer, rng):
    """Require the right bars, in `float32`, in any units.

    A function, since one program of each curve answers for several requirements, each with a tolerance of its own.
    """
    cases, came, units, noises = [], [], [], []
    drawn = list(bar_cases(rng))
    for one, other in zip(drawn[::2], drawn[1::2], strict=True):
        kind, size = one[0], one[1].size
        by_x, by_y = in_other_units(kind, one[1:], right_bars(*one))
        # All at once: a program serves one question.
        found = answer.probe(bars_of, kind, [one[1:], other[1:], *(case for case, _ in [*by_x, *by_y])])
        refuse(any(numbers(got).shape == (size, size) for got in found[:2]), "whole-matrix", size=size)
        cases, came = [*cases, one, other], [*came, *found[:2]]
        units.append((kind, by_x, found[2 : 2 + len(by_x)]))
        noises.append((kind, by_y, found[2 + len(by_x) :]))
    replies = iter(came)
    asked = Asked(
        lambda *case: next(replies), right_bars, 5e-3, shows="error_bars_of_a_fit(curve, params, x, y, sigma)"
    )
    asked.require(cases, mistakes=MISTAKES)
    odd = [str(getattr(got, "dtype", type(got).__name__)) for got in came]
    refuse(set(odd) - {"float32"}, "other-dtype", dtype=odd[0])
    for each in units:
        judge_units(answer, *each)
    for each in noises:
        judge_small_noise(answer, *each)


WORDS = """
hint: What depends on the parameters alone? Write ½χ² as a function of them, and take `jax.hessian` of it.
hint: Invert the matrix, take its diagonal, take the root: in this order.
mean-for-sum: Your bars are too long by the root of the number of points. You took a mean, but χ² is a sum.
mean-and-no-half: You took the mean of the squares. ½χ² is a sum, with its half.
degrees-of-freedom: Your bars are too long by the root of the degrees of freedom. Take the sum: divided by them, χ²
    tests the curve, and does not set the bars.
half-forgotten: Your bars are too short by √2. Take the Hessian of half of χ².
sigma-once: You counted each point with 1/σ. It counts with 1/σ²: divide the residual by σ, and then square.
sigma-forgotten: Your bars do not depend on `sigma`. Divide each residual by its own.
one-sigma-for-all: You took the `sigma` of the first point for all. Each point has its own.
one-sigma-for-all/mean: You took the mean of `sigma` for all points. Each has its own.
y-left-out: Your bars do not depend on the measured `y`. That is right for curves that are linear in their
    parameters; elsewhere the residuals are in the Hessian.
root-forgotten: You returned variances. The error bars are their square roots.
diagonal-first: Your bars are right if all other parameters are known. Invert first, then take the diagonal.
gauss-newton: You took JᵀJ in place of the Hessian. The second derivatives of the curve are missing: use
    `jax.hessian`.
rescaled: You scaled the bars until the residuals fit. Here σ is known, so there is nothing to scale.
not-inverted: You did not invert the Hessian, which says how narrow the bowl is. The covariance is its inverse.
small-eigenvalue-lost: Your bars are {got} when `x` has another unit. Is a small eigenvalue dropped, as `pinv` does,
    or added to? Invert the matrix itself. Expected are about {want}.
fixed-size: Your bars do not follow when `y` has another unit. Is something of a fixed size added to `sigma` or to
    the matrix, or used as a floor? {difference}
whole-matrix: Your result is a matrix. Return the roots of the diagonal of the covariance, {size} numbers.
wrong-value: Your bars are not the roots of the diagonal of the inverse Hessian of ½χ². Check sum, half, σ, inverse
    and root.
other-dtype: Your bars are right. Return `float32`, and not `{dtype}`.
"""

error_bars_of_a_fit = declare(
    "error-bars-of-a-fit",
    points=2,
    see="error-bars",
    steps=[a_matrix_is_inverted],
    words=WORDS,
)
