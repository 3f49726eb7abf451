"""accuracy-of-all."""

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from jaxcourse import probe
from jaxcourse.checks import declare, expect, refuse, require


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


def hits_of(test):
    """The share of all examples for which a test of logits and labels holds."""
    return lambda logits, y, size: np.mean(test(logits, y))


def batches_of(hits, size):
    """The mean of each batch's share."""
    return [hits[i : i + size].mean() for i in range(0, len(hits), size)]


def _hits(logits, y):
    return (logits > 0) == (y == 1)


def _tables(logits, y, size):
    """For each batch a column of predictions against a vector of labels."""
    cuts = [slice(i, i + size) for i in range(0, len(y), size)]
    return [(logits[cut, None] > 0) == (y[None, cut] == 1) for cut in cuts]


ACCURACY_SLIPS = {
    "mean-of-means": lambda logits, y, size: np.mean(batches_of(_hits(logits, y), size)),
    "column-and-vector": lambda logits, y, size: np.mean(
        [table.mean() for table in _tables(logits, y, size) for _ in table]
    ),
    "column-counted": lambda logits, y, size: sum(table.sum() for table in _tables(logits, y, size)) / len(y),
    "half-as-threshold": hits_of(lambda logits, y: (logits > 0.5) == (y == 1)),
    "zero-is-one": hits_of(lambda logits, y: (logits >= 0) == (y == 1)),
    "rest-dropped": lambda logits, y, size: np.mean(_hits(logits, y)[: max(len(y) // size, 1) * size]),
    "rest-not-counted": lambda logits, y, size: np.sum(_hits(logits, y)[: len(y) // size * size]) / len(y),
    "rounded-probability": hits_of(lambda logits, y: (1 / (1 + np.exp(-logits.astype(np.float32))) > 0.5) == (y == 1)),
    "full-batches-counted": lambda logits, y, size: np.sum(_hits(logits, y)) / (-(-len(y) // size) * size),
    "a-count": lambda logits, y, size: np.sum(_hits(logits, y)),
    "wrong-ones": lambda logits, y, size: 1 - np.mean(_hits(logits, y)),
}
"""What each mistake gives."""


def _judge_manners(facts, n, size):
    refuse(facts["value"] is None, "wrong-type")
    require(facts["calls"], "not-asked", n=n, size=size)
    require(facts["rows"] <= size, "all-at-once", rows=facts["rows"], size=size)
    came = facts["batches"]
    require(set(came[:-1]) <= {size}, "other-batches", n=n, size=size, came=came)
    require(facts["in_order"], "other-order")
    require(facts["evaluated"], "training-mode")
    refuse(facts["changed"], "net-changed")


def _agree(shares, cases):
    """Whether the answer gave these shares in all cases, of which two or more tell them from what is right."""
    apart = [abs(share - np.mean(_hits(*case[:2]))) > 1e-6 for share, case in zip(shares, cases, strict=True)]
    fits = [abs(share - case[3]) < 1e-5 for share, case in zip(shares, cases, strict=True)]
    return all(fits) and sum(apart) >= 2


def check(answer, rng):
    cases, old = [], []
    for n, size, training in (*((n, 3, n != 6) for n in (1, 7, 11, 6, 2, 7)), (7, 1, False)):
        columns = 2
        weights = drawn_network(rng, columns)
        x = (rng.normal(1, 2, size=(n, columns)) + weights["mean"]).astype(np.float32)
        x = rng.permutation(np.concatenate([border_rows(weights), x])[:n]) if n > 2 else x
        logits = ((x - weights["mean"]) / np.sqrt(weights["var"].astype(np.float64) + 1e-5)) @ weights["kernel"]
        y = rng.integers(0, 2, n).astype(np.float32)
        y[(x == weights["mean"]).all(axis=1)] = len(cases) % 2  # a logit of 0 meets either label
        asked = (x, y, size, weights, training, int(rng.integers(100)))
        facts = answer.probe(accuracy_facts, *asked)
        answer.called = f"accuracy_of_all(net, float32[{n},{columns}], float32[{n}], {size})"
        _judge_manners(facts, n, size)
        cases.append((logits[:, 0], y, size, float(facts["value"])))
        old.append(np.mean(_hits((x @ facts["drawn"])[:, 0], y)))
    refuse(_agree(old, cases), "old-weights")
    for label, mistaken in ACCURACY_SLIPS.items():
        refuse(_agree([mistaken(*case[:3]) for case in cases], cases), label)
    for logits, y, size, got in cases:
        answer.called = f"accuracy_of_all(net, float32[{len(y)},2], float32[{len(y)}], {size})"
        expect(got, np.mean(_hits(logits, y)), "wrong-value", rtol=1e-5)


WORDS = """
hint: `net.eval()` first. Then count the hits batch by batch, and divide once, at the end.
hint: `net(x[i : i + size])` is a column: `[:, 0]` makes a vector of it.
wrong-type: One number was expected.
not-asked: {n} rows in batches of {size}, and the network was never called. Is a last, smaller batch left out, or does
    a program that was compiled for another network keep the weights of that one?
all-at-once: The network was called with {rows} rows at once, but a batch has at most {size}.
other-batches: {n} rows in batches of {size}: the network got batches of {came}. Only the last may be smaller.
other-order: The rows did not come in their order: go through the data from the start.
training-mode: The network, or a layer of it, was in training mode: there units are dropped, and the batch's own
    statistics are used. Call `net.eval()` before the first batch.
net-changed: An evaluation must leave the variables of the network as they are.
old-weights: The weights had changed, and the accuracy of the old ones came back: a compiled function keeps the
    numbers of a network that it finds around it. Give it the network as an argument, under `nnx.jit`.
mean-of-means: That is the mean of the batches' means: the examples of a short last batch weigh more. Divide once.
column-and-vector: A column was compared with a vector: each prediction with *every* label of its batch.
column-counted: A column was compared with a vector: each prediction with *every* label of its batch, and all were
    counted.
half-as-threshold: The logits were compared with 0.5. That is the threshold for a probability; for a logit it is 0.
zero-is-one: A logit of exactly 0 was called 1: it is not above 0.
rest-dropped: The last, smaller batch is missing: in an evaluation every example counts.
rest-not-counted: The last, smaller batch was not counted: in an evaluation every example counts.
rounded-probability: A tiny positive logit has a probability that is rounded to 0.5, which is not above 0.5. Compare the
    logit.
full-batches-counted: The hits were divided as if the last batch were full: divide by the number of examples.
a-count: That is a count: divide by the number of examples.
wrong-ones: That is the share of those that are wrong.
wrong-value: Hits in all, divided by all.
"""

accuracy_of_all = declare(
    "accuracy-of-all",
    points=2,
    see="net-loop",
    steps=[check],
    words=WORDS,
)
