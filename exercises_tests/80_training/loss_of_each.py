"""loss-of-each."""

import jax
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, refuse, require
from jaxcourse.exercise import numbers


@probe.question(evidence="values")
def gradient_of(student_function, logits, labels):
    """The gradient with respect to the logits, under `jit`."""
    return jax.jit(jax.grad(student_function))(logits, labels)


def each_loss(logits, labels):
    """The oracle."""
    z, y = np.ravel(np.asarray(logits, np.float64)), np.ravel(np.asarray(labels, np.float64))
    return np.mean(np.logaddexp(0, z) - z * y)


def all_losses(logits, labels):
    """What comes of a column and a vector: every logit with every label."""
    z, y = np.asarray(logits, np.float64), np.asarray(labels, np.float64)
    return np.mean(np.logaddexp(0, z) - z * y)


def added_losses(logits, labels):
    """The sum."""
    return each_loss(logits, labels) * np.size(labels)


def flat_losses(logits, labels):
    """The loss of probabilities that were taken for logits."""
    return each_loss(1 / (1 + np.exp(-np.asarray(logits, np.float64))), labels)


def turned_losses(logits, labels):
    """The loss of the other label."""
    return each_loss(logits, 1 - np.asarray(labels, np.float64))


def one_axis_more(logits, labels):
    """The labels get an axis, whether they have it or not."""
    return all_losses(logits, np.asarray(labels)[..., None])


def half_repaired(logits, labels):
    """Only a column of logits with a vector of labels is put right."""
    return (all_losses if np.ndim(labels) > np.ndim(logits) else each_loss)(logits, labels)


def softmax_of_one(logits, labels):
    """The share of one class among one."""
    return np.zeros(())


MISTAKES = {
    "softmax-of-one": softmax_of_one,
    "all-with-all": one_axis_more,
    "all-with-all/2": all_losses,
    "all-with-all-the-other-way": half_repaired,
    "summed": added_losses,
    "sigmoid-twice": flat_losses,
    "other-label": turned_losses,
}


def each_case(rng, what):
    """Logits and labels, each as a vector or as a column."""
    n, logits_form, labels_form = what
    shapes = {"vector": (n,), "column": (n, 1)}
    logits = rng.normal(0, 3, shapes[logits_form]).astype(np.float32)
    labels = rng.integers(0, 2, shapes[labels_form]).astype(rng.choice(["float32", "int32"]))
    return logits, labels


EACH_FORMS = [
    (n, logits, labels)
    for n, logits, labels in (
        (1, "column", "vector"),
        (3, "vector", "vector"),
        (3, "column", "vector"),
        (3, "vector", "column"),
        (3, "column", "column"),
        (20, "column", "vector"),
    )
]


HUGE = [
    (np.array([[1000.0], [-1000.0], [50.0]], np.float32), np.array([0, 1, 1], np.int32)),
    (np.array([1000.0, -1000.0, -90.0], np.float32), np.array([[1.0], [0.0], [0.0]], np.float32)),
]


def one_number(loss, logits, labels):
    """The loss, if it is one number."""
    shape = numbers(loss).shape
    require(shape == (), "not-a-number", shape=shape)
    return loss


def odd_labels(rng):
    """Labels of a dtype that has no place for a -1, and a table of equal labels, whose mean may be right."""
    narrow = (rng.normal(size=(3, 1)).astype(np.float32), np.array([1, 0, 1], np.uint8))
    mixed = np.array([[1], [0], [0]], np.float32)
    return [narrow, *((rng.normal(size=3).astype(np.float32), labels) for labels in (mixed, 1 - mixed))]


def few_that_matter(rng):
    return [(rng.uniform(-3, 3, (20, 1)).astype(np.float32), rng.integers(0, 2, 20).astype(np.float32))]


def finite_for_large_logits(answer, rng):
    """The loss of large logits is finite, and right."""
    for case in HUGE:
        got, want = float(one_number(answer(*case), *case)), each_loss(*case)
        require(np.isfinite(got), "not-finite")
        require(abs(got - want) <= 1e-3 * (1 + want), "cut-off")


def gradients(answer, rng):
    """The gradient with respect to the logits is right and finite, for large logits too."""
    with_zeros = (np.array([[0.0], [2.5], [0.0]], np.float32), np.array([1, 0, 0], np.float32))
    huge_and_wrong = (np.array([[990.0], [-990.0], [50.0]], np.float32), np.array([0, 1, 1], np.float32))
    for case in (each_case(rng, (3, "column", "vector")), with_zeros, HUGE[1], huge_and_wrong):
        got, raised = answer.attempt(gradient_of, *case, expected=probe.NEEDS_A_VALUE)
        refuse(raised, "not-traceable")
        z, y = case[0].astype(np.float64), np.reshape(case[1], case[0].shape)
        want = (1 / (1 + np.exp(-np.clip(z, -500, 500))) - y) / y.size
        require(got.shape == want.shape, "wrong-shape", want=want.shape, got=got.shape)
        refuse(np.isnan(got).any(), "gradient-nan")
        require(np.abs(got - want).max() < 1e-4, "other-gradient")


WORDS = """
hint: Print the shape of the loss before its mean, for a column and a vector.
hint: `jnp.ravel` makes a vector of either.
softmax-of-one: Your loss is always 0, because the softmax of a single logit is 1, whatever it is.
all-with-all: You give the labels an axis even where they have one, and then each logit meets *every* label.
all-with-all/2: Your column met a vector and became a table, in which each logit is compared with *every* label. The
    best that such a loss can teach is the mean.
all-with-all-the-other-way: Logits of shape (n,) and labels of shape (n, 1) still become a table in your loss. Each
    logit meets *every* label. Make vectors of both.
summed: You returned the sum over the examples. Take the mean.
sigmoid-twice: You gave probabilities to a loss that applies a sigmoid itself, so it never comes near 0.
other-label: Your loss calls large logits right where the label is 0. It is the other way round.
wrong-value: Your result is not the mean over the examples of the loss of each logit and its own label.
not-a-number: You returned a loss of the shape {shape}. Take the mean over all examples, which is one number.
half-the-digits: Only your first digits are right. Compute in `float32`, as the logits are, and add nothing to what is
    in a logarithm.
not-finite: For large logits your loss is not finite. Does an `exp` overflow, or a probability round to 0 or 1? Stay
    with logits, and a finite formula such as `jnp.logaddexp`.
cut-off: For large logits your loss is off. Clip nothing, and add nothing to what is in a logarithm.
not-traceable: NumPy or Python asked for a value, but under `jit` and `grad` none is known. Use `jnp`.
wrong-shape: The gradient with respect to the logits should have their shape, {want}, not {got}.
gradient-nan: Your loss is right, and its gradient is NaN. Does a step overflow or divide by 0, perhaps in the other
    branch of a `where`? `jnp.logaddexp` does neither.
other-gradient: The gradient with respect to the logits is not that of the mean loss.
"""

loss_of_each = declare(
    "loss-of-each",
    see="wrong-nets",
    steps=[
        Agrees(
            each_loss,
            each_case,
            EACH_FORMS,
            each=2,
            extremes=odd_labels,
            reads=one_number,
            mistakes=MISTAKES,
            rtol=1e-3,
        ),
        Agrees(each_loss, extremes=few_that_matter, reads=one_number, otherwise="half-the-digits", rtol=3e-6),
        finite_for_large_logits,
        gradients,
    ],
    words=WORDS,
)
