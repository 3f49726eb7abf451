"""quiet-loss: how improbable a reading is after its window."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.barometers import initial, predict
from jaxcourse.checks import declare, expect, naming, refuse, require
from jaxcourse.exercise import is_close, numbers
from jaxcourse.inputs import Asked

H = 24
"""Minutes that the network looks back."""
FILLED = float(np.finfo(np.float32).min)
"""What many files hold where nothing was measured: a quotient of it, and its square, are infinite in `float32`."""
CORNERS = [-5.0, 0.0, 0.0, 4.5]
"""What is added to logarithms of spreads: nobody may know a bound of them."""


@probe.question(evidence="values")
def losses_of(quiet_loss, cases):
    """The loss of each example, by one compiled program."""
    run = jax.jit(quiet_loss)
    return [run(*probe.on_device(case)) for case in cases]


@probe.question(evidence="values")
def losses_as_they_stand(quiet_loss, cases):
    """The loss of each example, operation by operation: a compiler may make a choice of a product."""
    return [quiet_loss(*probe.on_device(case)) for case in cases]


@probe.question(evidence="values")
def slopes_of(quiet_loss, params, examples):
    """The gradient of each example's loss with respect to its parameters, all in one program."""
    return jax.jit(jax.vmap(jax.grad(quiet_loss)))(*probe.on_device((params, *examples)))


def normal_loss(off, log_spread):
    """Minus the logarithm of a normal density, up to its constant."""
    return 0.5 * (off / np.exp(log_spread)) ** 2 + log_spread


def bounded(most, line):
    """A loss that is no square beyond some spreads: a line from there on, or no larger."""

    def loss(off, log_spread):
        z = np.abs(off) / np.exp(log_spread)
        return 0.5 * min(z, most) ** 2 + line * most * max(z - most, 0) + log_spread

    return loss


MISTAKES = {
    "spread-not-paid": [lambda e, ls: 0.5 * (e / np.exp(ls)) ** 2, lambda e, ls: (e / np.exp(ls)) ** 2],
    "spread-for-its-logarithm": [
        lambda e, ls: 0.5 * (e / ls) ** 2 + np.log(np.abs(ls)),
        lambda e, ls: 0.5 * (e / ls) ** 2 + np.log(ls) if ls > 0 else np.nan,
        lambda e, ls: 0.5 * (e / ls) ** 2 + ls,
        lambda e, ls: 0.5 * (e / np.exp(ls)) ** 2 + np.exp(ls),
    ],
    "squared-error": [lambda e, ls: e**2, lambda e, ls: 0.5 * e**2, lambda e, ls: np.abs(e)],
    "variance-for-spread": [lambda e, ls: 0.5 * e**2 / np.exp(ls) + 0.5 * ls],
    "variance-for-spread/2": [lambda e, ls: 0.5 * e**2 / np.exp(ls) + ls],
    "bounded": [bounded(most, line) for most in (2, 2.5, 3, 4) for line in (True, False)],
    "half-forgotten": [lambda e, ls: (e / np.exp(ls)) ** 2 + ls],
    "half-forgotten/2": [lambda e, ls: (e / np.exp(ls)) ** 2 + 2 * ls],
    "constant-kept": [lambda e, ls: normal_loss(e, ls) + 0.5 * np.log(2 * np.pi)],
    "sign-turned": [lambda e, ls: -normal_loss(e, ls), lambda e, ls: -normal_loss(e, ls) - 0.5 * np.log(2 * np.pi)],
    "no-square": [lambda e, ls: 0.5 * np.abs(e) / np.exp(ls) + ls, lambda e, ls: np.abs(e) / np.exp(ls) + ls],
    "spread-multiplies": [
        lambda e, ls: 0.5 * (e * np.exp(ls)) ** 2 + ls,
        lambda e, ls: 0.5 * (e * np.exp(ls)) ** 2 - ls,
    ],
}


@functools.cache
def reference():
    """A compiled program: means, logarithms of spreads, and gradients of the loss, of examples that are there."""

    def loss(params, window, heard, reading):
        mean, log_spread = predict(params, window, heard)
        return 0.5 * ((reading - mean) / jnp.exp(log_spread)) ** 2 + log_spread, (mean, log_spread)

    return jax.jit(jax.vmap(jax.grad(loss, has_aux=True)))


def networks(rng, count):
    """For each example, parameters that nobody has trained, none of them 0; some name very small and large spreads."""
    shapes = jax.eval_shape(initial)
    drawn = {name: rng.normal(size=leaf.shape) / np.sqrt(leaf.shape[0]) for name, leaf in shapes.items()}
    params = {name: np.repeat(leaf[None], count, axis=0).astype(np.float32) for name, leaf in drawn.items()}
    params["last_bias"][:, 1] += rng.permutation(np.resize(CORNERS, count))
    return params


def examples_of(rng, count):
    """Windows, who was heard in them, and the readings after them: levels of some hPa, on windy and on calm days."""
    moves = rng.normal(size=(count, H + 1)) * rng.uniform(0.02, 0.2, (count, 1))
    levels = (rng.normal(0, 2, (count, 1)) + np.cumsum(moves, axis=1)).astype(np.float32)
    heard = (rng.random((count, H)) < rng.choice([0.3, 0.9, 1.0], (count, 1))).astype(np.float32)
    reading = levels[:, -1] + rng.choice([0.0, 0.0, 0.7], count).astype(np.float32)
    return levels[:, :-1], heard, reading


def cases_of(params, *parts):
    """The arguments of one call for each example."""
    of = [{name: leaf[i] for name, leaf in params.items()} for i in range(len(parts[0]))]
    return list(zip(of, *parts, strict=True))


def on_what_is_there(answer, rng):
    """Require the loss of readings that were heard.

    A function, since losses are compared by what the network says of them, and not by the arguments.
    """
    params, examples = networks(rng, 12), examples_of(rng, 12)
    given = cases_of(params, *examples, np.ones(12, np.float32))
    with naming({"asks-for-a-value": probe.NEEDS_A_VALUE}):
        losses = [numbers(loss) for loss in answer.probe(losses_of, given)]
    shapes = [loss.shape for loss in losses if loss.ndim]
    refuse(shapes, "not-a-number", shape=shapes[:1] and shapes[0])
    answer.called = "quiet_loss(params, window, heard, reading, there)"
    means, log_spreads = (np.asarray(part, np.float64) for part in reference()(params, *examples)[1])
    offs = examples[-1] - means
    found = iter(losses)
    Asked(lambda *case: next(found), normal_loss, 1e-3).require(
        list(zip(offs, log_spreads, strict=True)), mistakes=MISTAKES
    )


def on_what_is_missing(answer, rng):
    """Require that what was not heard costs nothing, whatever stands in its place."""
    params, (window, heard, _) = networks(rng, 4), examples_of(rng, 4)
    reading = np.array([np.nan, 0, rng.normal(0, 5), FILLED], np.float32)
    cases = cases_of(params, window, heard, reading, np.zeros(4, np.float32))
    losses = np.array([numbers(loss) for loss in answer.probe(losses_of, cases)])
    answer.called = "quiet_loss(params, window, heard, reading, 0.0)"
    require(losses.ndim == 1, "not-a-number/missing")
    refuse(np.isnan(losses[0]), "nan-times-zero")
    refuse(np.isnan(losses[3]), "nan-times-zero/large", large=f"{FILLED:.3g}")
    require((losses == 0).all(), "counts-what-is-missing", loss=f"{losses[np.argmax(losses != 0)]:.3g}")


def without_a_compiler(answer, rng):
    """Require the same of an answer that is not compiled: a compiler makes a choice of a product with 0 or 1."""
    params, (window, heard, reading) = networks(rng, 3), examples_of(rng, 3)
    reading[2] = reading[0]  # the same number after another window
    there, given = np.array([1, 0, 1], np.float32), np.where([True, False, True], reading, np.float32(np.nan))
    cases = cases_of(params, window, heard, given, there)
    losses = np.array([numbers(loss) for loss in answer.probe(losses_as_they_stand, cases)])
    answer.called = "quiet_loss(params, window, heard, reading, there), not compiled"
    refuse(np.isnan(losses[1]), "nan-times-zero")
    means, log_spreads = (np.asarray(part, np.float64) for part in reference()(params, window, heard, reading)[1])
    for loss, off, ls, known in zip(losses, reading - means, log_spreads, there, strict=True):
        facts = {"off": f"{off:.3f}", "log_spread": f"{ls:.3f}"}
        expect(loss, known * normal_loss(off, ls), "wrong-value/not-compiled", rtol=1e-3, **facts)


def slopes(answer, rng):
    """Require the gradient of each example, of which some have no reading."""
    params, (window, heard, reading) = networks(rng, 6), examples_of(rng, 6)
    params["last_bias"][5, 1] += 2 * min(CORNERS)  # a spread by which the large number cannot be divided
    there = np.array([1, 0, 1, 0, 1, 0], np.float32)
    given = reading.copy()
    given[[1, 5]] = np.nan, FILLED
    with naming({"asks-for-a-value": probe.NEEDS_A_VALUE}):
        got = answer.probe(slopes_of, params, (window, heard, given, there))
    answer.called = "vmap(grad(quiet_loss))(params, windows, heards, readings, theres)"
    want = reference()(params, window, heard, reading)[0]
    stray = np.any([np.isnan(leaf).reshape(len(leaf), -1).any(axis=1) for leaf in got.values()], axis=0)
    refuse(stray[there > 0].any(), "not-finite")
    refuse(stray[1], "nan-times-zero/gradient", standing="NaN")
    refuse(stray.any(), "nan-times-zero/gradient", standing=f"{FILLED:.3g}")
    refuse(any(leaf[there == 0].any() for leaf in got.values()), "gradient-of-what-is-missing")
    for name, leaf in got.items():
        for one, right in zip(leaf[there > 0], np.asarray(want[name])[there > 0], strict=True):
            require(is_close(one, right, rtol=1e-2), "other-gradient", name=name)


WORDS = """
hint: What does a normal distribution of this mean and spread say of the reading? Write minus its logarithm on paper.
hint: 0 times NaN is NaN. What must `reading` be before anything is computed from it, if `there` is 0?
hint: `safe = jnp.where(there > 0, reading, mean)`
spread-not-paid: Your spread costs nothing, so the network may name a larger and larger one. The density of a wide
    distribution is low: add `log_spread`.
spread-for-its-logarithm: You took the *logarithm* of the spread for the spread. Divide by `jnp.exp(log_spread)`, and
    add `log_spread` itself.
squared-error: Your loss doesn't depend on the spread, so a tenth of a hPa counts alike in storm and lull. Count the
    distance in spreads, and add `log_spread`.
variance-for-spread: You took `log_spread` for the logarithm of the variance. The spread is the standard deviation,
    and its square is the variance.
variance-for-spread/2: You divide the square of the distance by the spread. Divide it by the square of the spread: the
    distance counts in spreads.
bounded: Your loss of a reading that is far off is less than the density says. A robust loss comes later, when nothing
    is learned from it: return the density's.
half-forgotten: You don't halve the square, so the network learns a spread that is too large by the root of 2.
half-forgotten/2: You returned twice the loss. Take half the square, and the logarithm of the spread once.
constant-kept: You returned the whole logarithm, with half of log 2π. Leave the constant out, so that losses can be
    compared.
sign-turned: You returned the logarithm of the density. A loss is to be made small, so return minus that.
no-square: You don't square the distance from the mean. In a normal density the distance, in spreads, counts squared.
spread-multiplies: You multiply by the spread. Then a reading far off counts more if the network is less sure: divide.
nan-times-zero: Your loss is NaN where there is no reading, since 0 times NaN is NaN. Put a harmless number in the
    place of `reading` before you compute.
nan-times-zero/large: Your loss is NaN if {large} fills a gap, as in many files: 0 times its infinite square is NaN.
    Put a harmless number in its place first.
nan-times-zero/gradient: Your loss is right, but its gradient is NaN if {standing} fills a gap: the backward pass
    multiplies 0 by NaN or infinity. Guard the argument, not only the result.
not-finite: Your loss is right, but its gradient is NaN at a reading that came. Does the density, for instance, become 0
    or infinite on the way? Compute its logarithm directly.
counts-what-is-missing: Your loss is {loss} where there is no reading. It should be 0: a network must not learn from
    what fills a gap.
gradient-of-what-is-missing: Your gradient is not 0 where there is no reading, so the network would learn from
    nothing.
asks-for-a-value: Your function asks for the value of an argument, such as `there`, while JAX traces. Is there an
    `if`, a `float` or a NumPy function? Choose with `jnp.where`.
not-a-number: Your loss is an array of shape {shape}. One example has one loss, a number.
not-a-number/missing: Your loss is no single number where there is no reading. One example has one loss, also then.
other-gradient: Your loss is right, and its gradient with respect to `{name}` is another. Mean and spread are both
    learned: let the gradient through to both.
wrong-value: Your loss differs for a reading so far off its mean, and so large a logarithm of the spread.
wrong-value/not-compiled: Your loss differs for a reading {off} away from its mean, and a log_spread of {log_spread}.
"""

quiet_loss = declare(
    "quiet-loss",
    points=2,
    see="quiet-weather",
    steps=[on_what_is_there, on_what_is_missing, slopes, without_a_compiler],
    words=WORDS,
)
