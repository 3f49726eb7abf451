"""accuracy-of-all."""

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, refuse, require, seen


def accuracy_facts(student_function, x, y, size, weights, training, seed):
    """What the answer says of a network with given weights, how it asked the network, and what it left behind."""
    asked, seen = [], []

    class Judged(nnx.Module):  # with other names than the lesson's net: none is promised
        def __init__(self, columns, rngs):
            self.scaled = nnx.BatchNorm(columns, rngs=rngs)
            self.masked = nnx.Dropout(0.5, rngs=rngs)
            self.ends = nnx.Linear(columns, 1, rngs=rngs)

        def __call__(self, x):
            asked.append([x.shape[0], bool(self.scaled.use_running_average and self.masked.deterministic)])
            seen.append(None if isinstance(x, jax.core.Tracer) else np.asarray(x))
            return self.ends(self.masked(self.scaled(x)))

    net = Judged(x.shape[1], nnx.Rngs(seed))
    student_function(net, x, y, size)  # with the weights that it was drawn with; they change below
    seen.clear()
    drawn = np.array(net.ends.kernel[...])
    net.scaled.mean[...] = probe.on_device(weights["mean"])
    net.scaled.var[...] = probe.on_device(weights["var"])
    net.ends.kernel[...] = probe.on_device(weights["kernel"])
    (net.train if training else net.eval)()

    def bits(state):
        keys = [jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) for leaf in jax.tree.leaves(state)]
        leaves = jax.tree.leaves(state)
        raw = [jax.random.key_data(leaf) if key else leaf for leaf, key in zip(leaves, keys, strict=True)]
        return [np.asarray(leaf).tobytes() for leaf in raw]

    before = bits(nnx.state(net))
    value = student_function(net, x, y, size)
    plain = all(part is not None for part in seen) and sum(map(len, seen)) == len(x)  # not compiled, not filled up
    return {
        "in_order": not plain or bool(np.array_equal(np.concatenate(seen), x)),
        "batches": [len(part) for part in seen] if plain else [],
        "drawn": drawn,
        "value": np.asarray(value) if np.shape(value) == () and value is not None else None,
        "rows": max([rows for rows, _ in asked], default=0),
        "calls": len(asked),
        "evaluated": all(mode for _, mode in asked),
        "changed": bits(nnx.state(net)) != before,
    }


def drawn_network(rng, columns):
    """Weights of a network whose logits are 0 where the input is the running mean."""
    return {
        "mean": (rng.integers(-2, 3, columns) * (rng.random() < 0.4)).astype(np.float32),
        "var": rng.uniform(0.5, 4, columns).astype(np.float32),
        "kernel": (rng.choice([-1, 1], (columns, 1)) * rng.uniform(0.3, 1, (columns, 1))).astype(np.float32),
    }


def border_rows(weights):
    """Inputs whose logit is 0, tiny and positive, and positive below a half."""
    up = np.sign(weights["kernel"][:, 0])
    near = weights["mean"] + 0.2 * up * np.sqrt(weights["var"])
    tiny = 1e-9 * up if not weights["mean"].any() else near
    return np.array([weights["mean"], tiny, near], np.float32)


def logits_of(x, weights):
    """What the network gives, in double precision."""
    return (((x - weights["mean"]) / np.sqrt(weights["var"].astype(np.float64) + 1e-5)) @ weights["kernel"])[:, 0]


def from_logits(share):
    """An accuracy that follows from logits, labels and the size of a batch."""
    return lambda x, y, size, weights, *_: share(logits_of(x, weights), y, size)


def hits(logits, y):
    return (logits > 0) == (y == 1)


def hits_of(test):
    """The share of all examples for which a test of logits and labels holds."""
    return from_logits(lambda logits, y, size: np.mean(test(logits, y)))


def accuracy(x, y, size, weights, training, seed):
    """The oracle: hits in all, divided by all."""
    return hits_of(hits)(x, y, size, weights)


def batches_of(some, size):
    """The mean of each batch's share."""
    return [some[i : i + size].mean() for i in range(0, len(some), size)]


def tables(logits, y, size):
    """For each batch a column of predictions against a vector of labels."""
    cuts = [slice(i, i + size) for i in range(0, len(y), size)]
    return [(logits[cut, None] > 0) == (y[None, cut] == 1) for cut in cuts]


def of_the_old_weights(reply):
    """Whether an accuracy is that of the weights with which the network was drawn."""
    x, y, *_ = reply.case
    return abs(np.mean(hits((x @ reply.whole["drawn"])[:, 0], y)) - reply.got) < 1e-5


MISTAKES = {
    "old-weights": seen(of_the_old_weights),
    "mean-of-means": from_logits(lambda logits, y, size: np.mean(batches_of(hits(logits, y), size))),
    "column-and-vector": from_logits(
        lambda logits, y, size: np.mean([table.mean() for table in tables(logits, y, size) for _ in table])
    ),
    "column-counted": from_logits(
        lambda logits, y, size: sum(table.sum() for table in tables(logits, y, size)) / len(y)
    ),
    "half-as-threshold": hits_of(lambda logits, y: (logits > 0.5) == (y == 1)),
    "zero-is-one": hits_of(lambda logits, y: (logits >= 0) == (y == 1)),
    "rest-dropped": from_logits(lambda logits, y, size: np.mean(hits(logits, y)[: max(len(y) // size, 1) * size])),
    "rest-not-counted": from_logits(lambda logits, y, size: np.sum(hits(logits, y)[: len(y) // size * size]) / len(y)),
    "rounded-probability": hits_of(lambda logits, y: (1 / (1 + np.exp(-logits.astype(np.float32))) > 0.5) == (y == 1)),
    "full-batches-counted": from_logits(lambda logits, y, size: np.sum(hits(logits, y)) / (-(-len(y) // size) * size)),
    "a-count": from_logits(lambda logits, y, size: np.sum(hits(logits, y))),
    "wrong-ones": from_logits(lambda logits, y, size: 1 - np.mean(hits(logits, y))),
}


def share_in(facts, x, y, size, *_):
    """The accuracy, found by an evaluation with manners."""
    refuse(facts["value"] is None, "wrong-type")
    require(facts["calls"], "not-asked", n=len(x), size=size)
    require(facts["rows"] <= size, "all-at-once", rows=facts["rows"], size=size)
    came = facts["batches"]
    require(set(came[:-1]) <= {size}, "other-batches", n=len(x), size=size, came=came)
    require(facts["in_order"], "other-order")
    require(facts["evaluated"], "training-mode")
    refuse(facts["changed"], "net-changed")
    return float(facts["value"])


def some_data(rng):
    cases = []
    for n, size, training in (*((n, 3, n != 6) for n in (1, 7, 11, 6, 2, 7)), (7, 1, False)):
        weights = drawn_network(rng, 2)
        x = (rng.normal(1, 2, size=(n, 2)) + weights["mean"]).astype(np.float32)
        x = rng.permutation(np.concatenate([border_rows(weights), x])[:n]) if n > 2 else x
        y = rng.integers(0, 2, n).astype(np.float32)
        y[(x == weights["mean"]).all(axis=1)] = len(cases) % 2  # a logit of 0 meets either label
        cases.append((x, y, size, weights, training, int(rng.integers(100))))
    return cases


WORDS = """
hint: `net.eval()` first. Then count the hits batch by batch, and divide once, at the end.
hint: `net(x[i : i + size])` is a column. `[:, 0]` makes a vector of it.
wrong-type: One number was expected.
not-asked: {n} rows in batches of {size}, and your function never called the network. Do you leave out a smaller last
    batch, or use a program compiled for another network?
all-at-once: The network was called with {rows} rows at once, but a batch has at most {size}.
other-batches: For {n} rows in batches of {size}, you gave the network batches of {came}. Only the last may be smaller.
other-order: You took the rows in another order than theirs. Go through the data from the start.
training-mode: Your network, or a layer of it, was in training mode. There units are dropped, and the batch's own
    statistics are used. Call `net.eval()` before the first batch.
net-changed: An evaluation must leave the variables of the network as they are.
old-weights: You returned the accuracy of the old weights. A compiled function keeps the numbers of a network that it
    finds around it. Pass the network as an argument, under `nnx.jit`.
mean-of-means: You returned the mean of the batches' means, in which the examples of a short last batch weigh more.
    Divide once.
column-and-vector: You compared a column with a vector, and so each prediction with *every* label of its batch.
column-counted: You compared a column with a vector, and so each prediction with *every* label of its batch. Then you
    counted them all.
half-as-threshold: You compared the logits with 0.5. That is the threshold for a probability, and for a logit it is 0.
zero-is-one: You called a logit of exactly 0 a 1. It is not above 0.
rest-dropped: You left out the last, smaller batch. In an evaluation every example counts.
rest-not-counted: You did not count the last, smaller batch. In an evaluation every example counts.
rounded-probability: A tiny positive logit has a probability that is rounded to 0.5, which is not above 0.5. Compare the
    logit.
full-batches-counted: You divided the hits as if the last batch were full. Divide by the number of examples.
a-count: You returned a count. Divide by the number of examples.
wrong-ones: You returned the share of those that are wrong.
wrong-value: Divide the hits in all batches by the number of all examples.
"""

accuracy_of_all = declare(
    "accuracy-of-all",
    points=2,
    see="net-loop",
    steps=[
        Agrees(
            accuracy,
            extremes=some_data,
            ask=accuracy_facts,
            reads=share_in,
            shows="accuracy_of_all(net, x, y, size)",
            mistakes=MISTAKES,
            rtol=1e-5,
        )
    ],
    words=WORDS,
)
