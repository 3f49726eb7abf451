"""Answers to loss-of-each."""

import jax
import jax.numpy as jnp
import numpy as np
import optax

from jaxcourse.exercise import right, wrong


@right("loss-of-each")
def by_logaddexp(logits, labels):
    z, y = logits.reshape(-1), labels.reshape(-1)
    return jnp.sum(jnp.logaddexp(0.0, z) - z * y) / z.size


@right("loss-of-each")
def makes_columns(logits, labels):
    logits, labels = (jnp.reshape(part, (-1, 1)) for part in (logits, labels))
    return jnp.mean(optax.sigmoid_binary_cross_entropy(logits, labels))


@wrong("loss-of-each", "all-with-all")
def all_with_all(logits, labels):
    return optax.sigmoid_binary_cross_entropy(logits, labels).mean()


@wrong("loss-of-each", "summed")
def adds_them_up(logits, labels):
    return optax.sigmoid_binary_cross_entropy(jnp.ravel(logits), jnp.ravel(labels)).sum()


@wrong("loss-of-each", "sigmoid-twice")
def sigmoid_twice(logits, labels):
    return optax.sigmoid_binary_cross_entropy(jax.nn.sigmoid(jnp.ravel(logits)), jnp.ravel(labels)).mean()


@wrong("loss-of-each", "other-label")
def turns_the_labels(logits, labels):
    return optax.sigmoid_binary_cross_entropy(-jnp.ravel(logits), jnp.ravel(labels)).mean()


@wrong("loss-of-each", "not-finite")
def takes_the_logarithm_of_probabilities(logits, labels):
    share, labels = jax.nn.sigmoid(jnp.ravel(logits)), jnp.ravel(labels)
    return -jnp.mean(jnp.where(labels == 1, jnp.log(share), jnp.log(1 - share)))


@wrong("loss-of-each", "cut-off")
def cuts_the_probabilities(logits, labels):
    share = jnp.clip(jax.nn.sigmoid(jnp.ravel(logits)), 1e-7, 1 - 1e-7)
    return -jnp.mean(jnp.where(jnp.ravel(labels) == 1, jnp.log(share), jnp.log(1 - share)))


@wrong("loss-of-each", "wrong-value")
def squares_the_differences(logits, labels):
    return jnp.mean((jax.nn.sigmoid(jnp.ravel(logits)) - jnp.ravel(labels)) ** 2)


@wrong("loss-of-each", "not-a-number")
def keeps_an_axis(logits, labels):
    logits, labels = (jnp.reshape(part, (-1, 1)) for part in (logits, labels))
    return optax.sigmoid_binary_cross_entropy(logits, labels).mean(axis=0)


@wrong("loss-of-each", "not-a-number")
def forgets_the_mean(logits, labels):
    return optax.sigmoid_binary_cross_entropy(jnp.ravel(logits), jnp.ravel(labels))


@wrong("loss-of-each", "softmax-of-one")
def takes_a_softmax_of_one(logits, labels):
    classes = jnp.reshape(logits, (-1, 1))
    return optax.softmax_cross_entropy(classes, jnp.reshape(labels, (-1, 1))).mean()


@wrong("loss-of-each", "all-with-all")
def always_adds_an_axis(logits, labels):
    return optax.sigmoid_binary_cross_entropy(logits, jnp.asarray(labels)[..., None]).mean()


@wrong("loss-of-each", "other-gradient")
def has_a_kink_at_nought(logits, labels):
    z, y = jnp.ravel(logits), jnp.ravel(labels)
    return jnp.mean(jax.nn.relu(z) - z * y + jnp.log1p(jnp.exp(-jnp.abs(z))))


@wrong("loss-of-each", "other-gradient")
def lets_the_sure_ones_be(logits, labels):
    z = jnp.ravel(logits)
    return all_with_all_of_vectors(jnp.where(jnp.abs(z) > 100, jax.lax.stop_gradient(z), z), labels)


@wrong("loss-of-each", "gradient-nan")
def chooses_between_two_formulas(logits, labels):
    z = jnp.where(jnp.ravel(labels) == 1, jnp.ravel(logits), -jnp.ravel(logits))
    return jnp.where(z > 0, jnp.log1p(jnp.exp(-z)), jnp.log1p(jnp.exp(z)) - z).mean()


@wrong("loss-of-each", "all-with-all-the-other-way")
def makes_columns_of_vectors_of_labels(logits, labels):
    return all_with_all.answer(logits, labels.reshape(-1, 1) if labels.ndim < logits.ndim else labels)


@wrong("loss-of-each", "half-the-digits")
def computes_with_half_of_the_digits(logits, labels):
    return all_with_all_of_vectors(jnp.asarray(logits).astype(jnp.float16), labels)


@wrong("loss-of-each", "not-traceable")
def uses_numpy(logits, labels):
    z, y = np.ravel(logits), np.ravel(labels)
    return np.mean(np.logaddexp(0, z) - z * y)


@wrong("loss-of-each", "other-gradient")
def stops_the_gradient(logits, labels):
    return all_with_all_of_vectors(jax.lax.stop_gradient(logits), labels)


def all_with_all_of_vectors(logits, labels):
    """The loss, for a wrong answer that goes wrong elsewhere."""
    return optax.sigmoid_binary_cross_entropy(jnp.ravel(logits), jnp.ravel(labels)).mean()


@wrong("loss-of-each", "not-finite")
def lets_the_exponential_overflow(logits, labels):
    z, y = jnp.ravel(logits), jnp.ravel(labels)
    return (jnp.log(1 + jnp.exp(z)) - z * y).mean()


@wrong("loss-of-each", "cut-off")
def adds_a_little_to_each_probability(logits, labels):
    p, y = jax.nn.sigmoid(jnp.ravel(logits)), jnp.ravel(labels)
    return -(y * jnp.log(p + 1e-8) + (1 - y) * jnp.log(1 - p + 1e-8)).mean()
