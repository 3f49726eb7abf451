"""shuffled-epoch."""

import numpy as np

from jaxcourse import inputs
from jaxcourse.checks import declare, refuse, require


def epochs_facts(student_function, x, y, size, pairs):
    """The batches of several epochs, put together: rows, labels, lengths and what they are."""
    epochs = []
    for seed, epoch in pairs:
        batches = student_function(x, y, size, seed, epoch)
        if not isinstance(batches, (list, tuple)):
            return {"form": type(batches).__name__}
        if not all(isinstance(batch, (list, tuple)) and len(batch) == 2 for batch in batches):
            return {"form": "no pairs"}
        if not all(isinstance(part, np.ndarray) for batch in batches for part in batch):
            return {"form": "no arrays"}
        if any(rows.shape[1:] != x.shape[1:] or labels.ndim != 1 for rows, labels in batches):
            return {"form": "other shapes"}
        epochs.append(
            {
                "rows": np.array([[len(a), len(b)] for a, b in batches]),
                "dtypes": sorted(f"{of_x} {of_y}" for of_x, of_y in {(a.dtype, b.dtype) for a, b in batches}),
                "x": np.concatenate([x[:0], *(a for a, _ in batches)]) if batches else x[:0],
                "y": np.concatenate([y[:0], *(b for _, b in batches)]) if batches else y[:0],
            }
        )
    return {"form": "", "epochs": epochs}


def numbered(rng, n, *more, dtype="float32", label="int32"):
    """Rows, and a label for each that no other row has."""
    x = inputs.array(rng, (n, *more), dtype)
    return x, rng.permutation(np.arange(n) + 3).astype(label)


def _judge_batches(ask, rng):
    seed = int(rng.integers(1000))
    wide = int(rng.integers(2, 4))
    cases = [
        (7, (wide,), 3, "float32", "int32"),
        (12, (), 4, "float64", "float32"),
        (1, (2,), 1, "uint8", "int64"),
        (3, (2, 2), 5, "bool", "uint8"),
        (5, (1,), 1, "int32", "float64"),
        (int(rng.integers(13, 20)), (wide,), 5, "float32", "float32"),
    ]
    cases.append(cases[-1])
    for n, more, size, dtype, label in cases:
        x, y = numbered(rng, n, *more, dtype=dtype, label=label)
        place = {int(value): i for i, value in enumerate(y)}
        for found in ask(x, y, size, [(seed, 0), (seed, 1)]):
            rows = found["rows"].tolist()
            sizes = [of_x for of_x, _ in rows]
            what = f"{n} rows in batches of {size}"
            last = sizes[-1] if sizes else size
            refuse(last < size and set(sizes[:-1]) <= {size}, "short-batch", what=what, last=last)
            require(all(pair == [size, size] for pair in rows), "wrong-size", what=what, rows=rows)
            require(len(sizes) == n // size, "wrong-count", what=what, size=n // size, sizes=len(sizes))
            known = [place.get(int(value)) for value in found["y"]]
            require(None not in known, "strange-labels")
            require(len(set(known)) == len(known), "drawn-twice")
            require(np.array_equal(found["x"], x[known]), "two-orders")
            kept = found["dtypes"] in ([], [f"{x.dtype} {y.dtype}"])
            require(kept, "dtype-lost", of_x=x.dtype, of_y=y.dtype, returned=" and ".join(found["dtypes"]))


def _judge_orders(ask, rng):
    x, y = numbered(rng, 40, 2)
    few = [0, 1, 2, 3, 9, 10, 99, 100, 999]
    usual = [
        7,
        13,
        17,
        31,
        37,
        97,
        101,
        997,
        *(2**k for k in range(2, 10)),
        *range(20, 100, 10),
        *range(200, 1000, 100),
    ]
    pairs = [(seed, epoch) for seed in few for epoch in few]
    pairs += [
        (0, epoch) for epoch in range(1000) if epoch not in few
    ]  # `m * seed + epoch` gives (0, m) and (1, 0) one order
    pairs += [(seed, 0) for seed in usual] + [tuple(pair) for pair in rng.integers(4, 999, (300, 2)).tolist()]
    pairs = list(dict.fromkeys(pairs))
    orders = {pair: tuple(found["y"].tolist()) for pair, found in zip(pairs, ask(x, y, 5, pairs), strict=True)}
    as_it_was = sum(order == tuple(y.tolist()) for order in orders.values())
    refuse(as_it_was == len(pairs), "not-shuffled")
    again = [tuple(found["y"].tolist()) for found in ask(x, y, 5, pairs[:3])]
    require(again == [orders[pair] for pair in pairs[:3]], "not-repeatable")
    refuse(all(orders[seed, 0] == orders[seed, 1] for seed in few), "epoch-ignored")
    refuse(all(orders[0, epoch] == orders[1, epoch] for epoch in few), "seed-ignored")
    return orders


def _judge_collisions(orders):
    seen: dict = {}
    for pair, order in orders.items():
        other = seen.setdefault(order, pair)
        require(other == pair, "orders-collide", seed=pair[0], epoch=pair[1], other_seed=other[0], other_epoch=other[1])


def _judge_chances(ask, rng):
    n, size, epochs = 14, 4, 60
    x, y = numbered(rng, n, 1)
    seed = int(rng.integers(900))
    place = {int(value): i for i, value in enumerate(y)}
    found = ask(x, y, size, [(seed, epoch) for epoch in range(epochs)])
    orders = np.array([[place[int(value)] for value in epoch["y"]] for epoch in found])
    mates = (orders.reshape(epochs, -1, size) // size == orders.reshape(epochs, -1, size)[:, :, :1] // size).mean()
    follow = (np.diff(orders, axis=1) % n == 1).mean()
    refuse(follow > 0.35 or mates > 0.8, "neighbours-stay")
    refuse(set(range(n)) - set(orders.ravel().tolist()), "never-seen")
    upward = (np.diff(orders.reshape(epochs, -1, size)) > 0).mean()
    require(0.35 < upward < 0.65, "not-all-orders/inside")  # the half of 540 pairs, if all orders are equally likely
    visits = np.zeros((n, n // size))
    for order in orders:
        visits[order, np.arange(len(order)) // size] += 1
    require((visits > 0).all(), "not-all-orders")
    _judge_four(ask, rng)


def _judge_four(ask, rng):
    """Four rows have 24 orders: how often each comes, in all and for one seed or epoch."""
    x, y = numbered(rng, 4)
    seeds, epochs = int(rng.integers(20)) + 40 * np.arange(25), np.arange(24)
    found = ask(x, y, 1, [(int(seed), int(epoch)) for seed in seeds for epoch in epochs])
    orders = np.array([epoch["y"] for epoch in found]).argsort(axis=1) @ [64, 16, 4, 1]
    kinds, times = np.unique(orders, return_counts=True)
    uneven = np.sum((times - 25) ** 2) / 25 + 25 * (24 - len(kinds))
    table = orders.reshape(25, 24)
    distinct = [np.mean([len(set(line.tolist())) for line in lines]) for lines in (table, table.T)]
    require(len(kinds) > 15, "not-all-orders/2")
    refuse(min(distinct) < 12, "related-orders")  # 15 on average, if they are drawn
    require(uneven < 85, "not-all-orders/2")  # 23 on average


def whole_epochs_in_new_orders(answer, rng):
    """Batches with every example once, in an order that follows seed and epoch alone.

    A function, since what is right is a distribution, and no number.
    """

    def ask(x, y, size, pairs):
        facts = answer.probe(epochs_facts, x, y, size, pairs)
        answer.called = (
            f"shuffled_epoch({x.dtype}[{len(x)}], {y.dtype}[{len(y)}], {size}, {pairs[0][0]}, {pairs[0][1]})"
        )
        refuse(facts["form"] == "generator", "a-generator")
        refuse(facts["form"] == "no pairs", "no-pairs")
        refuse(facts["form"] == "no arrays", "not-numpy")
        refuse(facts["form"] == "other shapes", "row-shapes")
        refuse(facts["form"], "not-a-list", form=facts["form"])
        return facts["epochs"]

    _judge_batches(ask, rng)
    orders = _judge_orders(ask, rng)
    _judge_chances(ask, rng)
    _judge_collisions(orders)


WORDS = """
hint: `np.random.default_rng([seed, epoch])` is a generator for this pair alone. Permute the row numbers, once.
hint: There are `n // size` whole batches. `order[: n // size * size].reshape(-1, size)` has one in each row.
short-batch: For {what}, your last batch has the length {last}. Drop what is left over, so that one shape, and one
    program, is enough.
wrong-size: For {what}, you gave batches of {rows} rows of `x` and of `y`.
wrong-count: {what} make {size} whole batches, but {sizes} came.
strange-labels: There are labels that are not in `y`.
drawn-twice: An example came twice in one of your epochs. Either batches overlap, or you drew with replacement.
two-orders: Your rows and labels no longer belong together, because they are not in one order. Permute the row numbers
    once, for both.
dtype-lost: `{of_x}` and `{of_y}` went in, {returned} came out.
not-shuffled: You left the rows in their original order. Shuffle them.
not-repeatable: The same seed and epoch gave you another order the second time. A resumed training would see other data.
epoch-ignored: Your order is the same in every epoch. Use `epoch` as well.
seed-ignored: Your order is the same for all seeds. Use `seed` as well.
orders-collide: Seed {seed} in epoch {epoch} has the order of seed {other_seed} in epoch {other_epoch}. Do you make one
    number of the two, which different pairs share?
neighbours-stay: Neighbours in the data stay neighbours in yours. You rotated or cut the order, or shuffled only whole
    batches. Shuffle the rows.
never-seen: Some examples come in none of your epochs. You cut them off before the shuffle. Shuffle, then drop.
not-all-orders: Some rows never reach some of your batches. Every order of all rows should be equally likely.
not-all-orders/2: Some of your orders come far more often than others. Every order should be equally likely.
not-all-orders/inside: Within your batches, too many rows are in the order of the data, or against it. Every order of
    all rows should be equally likely.
related-orders: Your orders of one seed, or of one epoch, are related. One is another, turned or moved along. Draw each
    independently.
a-generator: You returned a generator, which is empty from the second time on. Return a list.
no-pairs: Each of your batches should be a pair of the rows of `x` and those of `y`.
not-numpy: The rows should be NumPy arrays.
row-shapes: A batch of yours has rows of another shape than those of `x` or `y`.
not-a-list: Return a list of batches, not an object of type `{form}`.
"""

shuffled_epoch = declare(
    "shuffled-epoch",
    points=2,
    see="net-data",
    steps=[whole_epochs_in_new_orders],
    words=WORDS,
)
