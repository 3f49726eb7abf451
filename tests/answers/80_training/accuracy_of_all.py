"""Answers to accuracy-of-all."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from jaxcourse.exercise import equivalent, right, wrong

from ._lesson import parts


@right("accuracy-of-all")
def asks_a_clone(net, x, y, size):
    examinee = nnx.clone(net)
    examinee.eval()
    logits = [np.asarray(examinee(jnp.asarray(x[i : i + size]))).ravel() for i in range(0, len(x), size)]
    return ((np.concatenate(logits) > 0) == (y > 0.5)).mean()


@right("accuracy-of-all")
def weighs_the_batches(net, x, y, size):
    net.eval()
    total = 0.0
    for i in range(0, x.shape[0], size):
        hits = (net(x[i : i + size]) > 0) == y[i : i + size, None]
        total += hits.mean() * len(hits)
    return total / x.shape[0]


@wrong("accuracy-of-all", "training-mode")
def forgets_the_mode(net, x, y, size):
    hits = [(np.asarray(net(x[i : i + size]))[:, 0] > 0) == y[i : i + size] for i in range(0, len(x), size)]
    return np.concatenate(hits).mean()


@wrong("accuracy-of-all", "mean-of-means")
def takes_the_mean_of_means(net, x, y, size):
    return np.mean([((z > 0) == labels).mean() for z, labels in parts(net, x, y, size)])


@wrong("accuracy-of-all", "column-and-vector")
def compares_a_column(net, x, y, size):
    shares = [((z[:, None] > 0) == labels).mean() * len(labels) for z, labels in parts(net, x, y, size)]
    return sum(shares) / len(x)


@wrong("accuracy-of-all", "column-counted")
def counts_a_table(net, x, y, size):
    return sum(((z[:, None] > 0) == labels).sum() for z, labels in parts(net, x, y, size)) / len(x)


@wrong("accuracy-of-all", "half-as-threshold")
def takes_a_half(net, x, y, size):
    return sum(((z > 0.5) == labels).sum() for z, labels in parts(net, x, y, size)) / len(x)


@wrong("accuracy-of-all", "zero-is-one")
def calls_zero_one(net, x, y, size):
    return sum(((z >= 0) == labels).sum() for z, labels in parts(net, x, y, size)) / len(x)


@wrong("accuracy-of-all", "rest-dropped")
def drops_the_rest(net, x, y, size):
    whole = max(len(x) // size, 1) * size
    return sum(((z > 0) == labels).sum() for z, labels in parts(net, x[:whole], y[:whole], size)) / len(x[:whole])


@wrong("accuracy-of-all", "rest-not-counted")
def counts_whole_batches(net, x, y, size):
    hits = [((z > 0) == labels).sum() for z, labels in parts(net, x, y, size) if len(labels) == size]
    return sum(hits) / len(x)


@wrong("accuracy-of-all", "rounded-probability")
def asks_the_probability(net, x, y, size):
    shares = [(np.asarray(jax.nn.sigmoid(z)) > 0.5) == labels for z, labels in parts(net, x, y, size)]
    return np.concatenate(shares).mean()


@wrong("accuracy-of-all", "full-batches-counted")
def divides_by_full_batches(net, x, y, size):
    batches = parts(net, x, y, size)
    return sum(((z > 0) == labels).sum() for z, labels in batches) / (len(batches) * size)


@wrong("accuracy-of-all", "old-weights")
def compiles_once_for_each_net(net, x, y, size):
    net.eval()
    guess = compiled_around(net)
    return sum(int((guess(x[i : i + size]) == y[i : i + size]).sum()) for i in range(0, len(x), size)) / len(x)


@functools.cache
def compiled_around(net):
    """A compiled function that finds its network around it."""
    return jax.jit(lambda x: net(x)[:, 0] > 0)


@wrong("accuracy-of-all", "a-count")
def counts_only(net, x, y, size):
    return sum(((z > 0) == labels).sum() for z, labels in parts(net, x, y, size))


@wrong("accuracy-of-all", "wrong-ones")
def counts_the_wrong_ones(net, x, y, size):
    return sum(((z > 0) != labels).sum() for z, labels in parts(net, x, y, size)) / len(x)


@wrong("accuracy-of-all", "all-at-once")
def asks_all_at_once(net, x, y, size):
    net.eval()
    return ((np.asarray(net(x))[:, 0] > 0) == y).mean()


@wrong("accuracy-of-all", "net-changed")
def moves_a_weight(net, x, y, size):
    result = sum(((z > 0) == labels).sum() for z, labels in parts(net, x, y, size)) / len(x)
    nnx.update(net, jax.tree.map(lambda weight: weight + 1, nnx.state(net, nnx.Param)))
    return result


@wrong("accuracy-of-all", "other-batches")
def asks_row_by_row(net, x, y, size):
    return sum(((z > 0) == labels).sum() for z, labels in parts(net, x, y, 1)) / len(x)


@wrong("accuracy-of-all", "other-order")
def begins_at_the_end(net, x, y, size):
    return sum(((z > 0) == labels).sum() for z, labels in parts(net, x[::-1], y[::-1], size)) / len(x)


@wrong("accuracy-of-all", "AttributeError")
def sets_the_mode_of_each_layer(net, x, y, size):
    net.norm.use_running_average = net.drop.deterministic = True
    hits = [(np.asarray(net(x[i : i + size]))[:, 0] > 0) == y[i : i + size] for i in range(0, len(x), size)]
    return np.concatenate(hits).mean()


@wrong("accuracy-of-all", "not-asked")
def goes_through_whole_batches(net, x, y, size):
    net.eval()
    starts = range(0, len(x) - size + 1, size)
    return sum(((net(x[i : i + size])[:, 0] > 0) == y[i : i + size]).sum() for i in starts) / len(x)


@wrong("accuracy-of-all", "not-asked")
def guesses(net, x, y, size):
    return float(y.mean())


@wrong("accuracy-of-all", "wrong-value")
def counts_the_ones(net, x, y, size):
    return sum(((z > 0) * labels).sum() for z, labels in parts(net, x, y, size)) / len(x)


equivalents = [
    equivalent("accuracy-of-all", "`x`  ->  `y`", "both have as many rows"),
    equivalent(
        "accuracy-of-all",
        "`0`  ->  `-1`",
        "the one column is the first and the last, and JAX takes a position beyond the end for the last",
    ),
    equivalent(
        "accuracy-of-all",
        "`np.asarray(net(x[i:i + size]))`  ->  `net(x[i:i + size])`",
        "an array of JAX compares and adds up as well",
    ),
    equivalent(
        "accuracy-of-all",
        "`int((positive == y[i:i + size]).sum())`  ->  `(positive == y[i:i + size]).sum()`",
        "a whole number of NumPy is a number too",
    ),
]


@functools.cache
def compiled_for_good():
    """What is compiled for the first network, and then used for all."""
    return {}


@wrong("accuracy-of-all", "not-asked")
def keeps_the_program_of_another_network(net, x, y, size):
    net.eval()
    guess = compiled_for_good().setdefault(size, jax.jit(lambda x: net(x)[:, 0] > 0))
    return sum(int((guess(x[i : i + size]) == y[i : i + size]).sum()) for i in range(0, len(x), size)) / len(x)
