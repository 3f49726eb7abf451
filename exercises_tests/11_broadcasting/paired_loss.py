"""paired-loss: the mean of squared differences of pairs, of a column or a vector; `ValueError` where none match."""

import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, naming, require

from ._lesson import tenths


@probe.question(evidence="values")
def refusal(loss, prediction, target, in_jax=False):
    """What the answer raises, "ValueError" for every kind of it, or an empty text."""
    if in_jax:
        prediction, target = jnp.asarray(prediction), jnp.asarray(target)
    try:
        loss(prediction, target)
    except ValueError:
        return "ValueError"
    except Exception as error:
        return type(error).__name__
    return ""


def mean_squared(prediction, target):
    return sum((float(p) - float(t)) ** 2 for p, t in zip(prediction.ravel(), target, strict=True)) / len(target)


def vector_and_target(rng, n):
    return tenths(rng, n).astype(np.float32), tenths(rng, n).astype(np.float32)


def column_and_target(rng, n):
    prediction, target = vector_and_target(rng, n)
    return prediction[:, None], target


def of_any_size(rng, n):
    """Small or large differences, or none at all."""
    prediction, target = column_and_target(rng, n)
    size = np.float32(rng.choice([0, 1e-4, 1e4]))
    return size * prediction, size * target


PAIRS = {"pairs-refused/column": column_and_target, "pairs-refused/vector": vector_and_target}


def pairs_pass(answer, rng):
    """A `ValueError` that stands behind `raise` refuses pairs; any other is the student's to see, as it is."""
    for key, draw in PAIRS.items():
        pair = draw(rng, 5)
        if answer.probe(refusal, *pair) == "ValueError":
            with naming({key: lambda error: "raise" in error.raised.line}):
                answer(*pair)


def a_lone_pair_passes(answer, rng):
    """One pair alone is not refused, however it comes."""
    for draw in PAIRS.values():
        with naming({"lone-pair-refused": ""}):
            answer(*draw(rng, 1))


def refuses_what_does_not_match(answer, rng):
    """Ask with more or fewer predictions than targets, as columns and as vectors."""
    n = int(rng.integers(5, 9))
    prediction, target = vector_and_target(rng, n)
    lengths = [(1, n), (n, 1), (n - 1, n), (n, n - 1), (2, 4), (4, 2), (0, 1), (1, 0), (0, n), (n, 0)]
    pairs = [(np.resize(prediction, p), np.resize(target, t)) for p, t in lengths]
    pairs = [(p, t) for flat, t in pairs for p in (flat[:, None], flat)]
    pairs += [(np.stack([prediction] * outputs, axis=1), target) for outputs in (2, n)]
    told = [(answer.probe(refusal, *pair), pair) for pair in pairs]
    accepted = next((f"{p.shape} and {t.shape}" for name, (p, t) in told if not name), None)
    require(accepted is None, "lengths-not-compared", accepted=accepted)
    with naming({"another-exception": ""}):
        for pair in (pair for name, pair in told if name != "ValueError"):
            answer(*pair)
    in_jax = all(answer.probe(refusal, p, t, True) == "ValueError" for p, t in pairs)
    require(in_jax, "not-refused-in-jax")


def all_pairs(prediction, target):
    return np.mean((prediction.ravel()[:, None] - target) ** 2)


def of_pairs(summary):
    return lambda prediction, target: summary(prediction.ravel() - target)


MISTAKES = {
    "all-pairs": all_pairs,
    "sum-not-mean": of_pairs(lambda r: np.sum(r**2)),
    "root-taken": of_pairs(lambda r: np.mean(r**2) ** 0.5),
    "mean-of-absolutes": of_pairs(lambda r: np.mean(np.abs(r))),
    "squared-too-late": of_pairs(lambda r: np.mean(r) ** 2),
    "halved": of_pairs(lambda r: np.mean(r**2) / 2),
    "one-too-few": of_pairs(lambda r: np.sum(r**2) / (len(r) - 1)),
    "not-a-number": of_pairs(lambda r: r**2),
}
OF_VECTORS = {"all-pairs-of-vectors": all_pairs}


def agrees(draw, sizes, **more):
    return Agrees(mean_squared, draw, sizes, rtol=1e-4, **more)


WORDS = """
hint: Which shape should the residual have? Bring both to it before you subtract.
hint: `ravel` turns a column into a vector, and leaves a vector as it is. Then compare the shapes.
lengths-not-compared: You accepted `prediction` and `target` of the shapes {accepted}. Arrays that do not match stretch,
    or are cut, and you see no error. Compare the shapes, and raise a `ValueError`.
another-exception: If `prediction` and `target` do not match, raise a `ValueError` that says so.
not-refused-in-jax: Your code raises a `ValueError` for NumPy arrays, and something else or nothing for JAX arrays. Do
    not leave it to the library. Compare the shapes, and raise.
all-pairs: You took the mean over all pairs, because `(n, 1) - (n,)` is a table. Its best fit is the mean of `target`.
    Bring both to one shape first.
sum-not-mean: You returned the sum. Divide it by the number of predictions.
root-taken: You returned the root of the mean of the squares. Leave the root out.
mean-of-absolutes: You averaged absolute differences. Square them.
squared-too-late: You returned the square of the mean. Square first.
halved: You returned half of the mean. Return all of it.
one-too-few: You divided by n - 1. Divide by n, because it is a mean.
not-a-number: You returned one number for each pair. A loss is one number, so take the mean of the squares.
pairs-refused/column: You refused a prediction of shape `(n, 1)` for targets of shape `(n,)`. That is one for each
    target, so accept it.
pairs-refused/vector: You refused a prediction of shape `(n,)` for targets of shape `(n,)`. That is one for each target,
    so accept it.
wrong-value: Your number is not the mean of the squared differences.
all-pairs-of-vectors: Your loss is right for a column. For a `prediction` of shape `(n,)`, it is now the mean over all
    pairs. Bring both to one shape first.
columns-only: Your loss is right for a column, but not for a vector.
lone-pair-refused: Your code refuses one prediction, of shape (1, 1) or (1,), for one target, of shape (1,). Let it
    pass, as you do with more.
wrong-value/jax: Your number is right for NumPy arrays, but not for JAX arrays. Return the mean of the squared
    differences for both.
"""

paired_loss = declare(
    "paired-loss",
    points=2,
    see="silent-loss",
    steps=[
        pairs_pass,
        agrees(column_and_target, [5, 8], each=3, mistakes=MISTAKES),
        agrees(vector_and_target, [5, 8], each=3, mistakes=OF_VECTORS, otherwise="columns-only"),
        a_lone_pair_passes,
        agrees(column_and_target, [1, 2]),
        agrees(column_and_target, [5], each=2, ask=probe.on_jax_arrays, otherwise="wrong-value/jax"),
        agrees(vector_and_target, [1, 2]),
        agrees(vector_and_target, [5], each=2, ask=probe.on_jax_arrays, otherwise="wrong-value/jax"),
        agrees(of_any_size, [4], each=9),
        refuses_what_does_not_match,
    ],
    words=WORDS,
)
