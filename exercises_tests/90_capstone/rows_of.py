"""rows-of: which examples a process takes in a step, from seed and step alone."""

import copy
import inspect
import types

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, refuse, require


@probe.question(evidence="values")
def rows_for(rows_of, cases):
    """What comes back in each of several calls."""
    return [np.asarray(rows_of(*case)) for case in cases]


@probe.question(evidence="values")
def rows_by_own_numbers(rows_of, plan, seed, epoch):
    """The same for seeds and epochs that share an order, if a number in the answer's code multiplies one of them."""
    count, batch = plan
    numbers = [n for n in probe.whole_numbers(rows_of, probe.NOT_THE_STUDENTS) if n < 2**48][-12:]
    numbers += [2**n for n in numbers if n < 40]
    pairs = [(seed, epoch), (seed + 1, epoch), (seed, epoch + 1)]
    pairs += [moved for n in numbers for moved in ((seed + n, epoch), (seed, epoch + n))]
    pairs += [(seed + n, epoch + m) for n in numbers for m in (0, 1, *numbers) if n != m][:150]
    return [(*pair, np.asarray(rows_of(2 * pair[1], count, batch, 0, 1, pair[0]))) for pair in dict.fromkeys(pairs)]


@probe.question(evidence="values")
def rows_of_two_runs(rows_of, cases):
    """What two copies of the answer give that share no memory: one asked in order, one from behind.

    To the second one a text has another hash, as it has in every process.
    """
    function, found = inspect.unwrap(rows_of), []
    if not isinstance(function, types.FunctionType):
        return [[], []]
    kinds = (dict, list, set, np.random.Generator, np.random.RandomState)
    for told, salt in ((cases, 0), (cases[::-1], 1)):
        known = function.__globals__ | {"hash": lambda x, salt=salt: hash((x, salt) if isinstance(x, str) else x)}
        own = [name for name in function.__code__.co_names if isinstance(known.get(name), kinds)]
        known |= {name: copy.deepcopy(known[name]) for name in own}
        of = copy.deepcopy(function.__defaults__) if function.__defaults__ else None
        run = types.FunctionType(function.__code__, known, function.__name__, of, function.__closure__)
        rows = [np.asarray(run(*case)) for case in told]
        found.append(rows[::-1] if salt else rows)
    return found


EPOCHS = 3
FACTORS = [2, 3, 7, 10, 20, 31, 37, 40, 100, 101, 256, 997, 1000, 1024]
"""What people multiply a seed or an epoch by before they add the two, beside the numbers that stand in their code."""
LARGE = [4096, 7919, 9973, 10_000, 65_536, 100_000, 10**6, 1_000_003, 2**20, 10**7]
"""The same, of more digits: not for epochs, since whoever draws one order after the other takes long for a late one."""


def plans_of(rng):
    """How many examples there are, how many a step takes, and how many processes there are."""
    drawn = int(rng.integers(30, 60)), int(rng.integers(7, 14)), int(rng.integers(2, 7))
    return [(1000, 90, 3), (24, 8, 2), (50, 11, 4), drawn, (16, 16, 5)]


def of_all(answer, plan, seed, processes):
    """What each process takes in each step of some epochs: a list of processes for each step."""
    count, batch, _ = plan
    steps = range(EPOCHS * (count // batch))
    cases = [(step, count, batch, rank, processes, seed) for step in steps for rank in range(processes)]
    found = answer.probe(rows_for, cases)
    answer.called = f"rows_of(step, {count}, {batch}, rank, {processes}, {seed})"
    kinds = sorted({str(rows.dtype) for rows in found if rows.size and rows.dtype.kind not in "iu"})
    refuse(kinds, "not-indices", dtype=kinds[:1] and kinds[0])
    require(all(rows.ndim == 1 for rows in found), "not-indices/axes", axes=max(rows.ndim for rows in found))
    return [found[step * processes : (step + 1) * processes] for step in steps]


def require_batches(alone, plan):
    """Require that one process takes a whole batch in each step."""
    count, batch, _ = plan
    per, sizes = count // batch, [len(rows) for rows in alone]
    late = set(sizes[:per]) == {batch} and not any(sizes[per:])
    refuse(late, "nothing-after-an-epoch", per=per)
    others = sorted({*sizes} - {batch})
    refuse(others, "wrong-number", batch=batch, got=others[:1] and others[0])
    require(all(rows.min() >= 0 and rows.max() < count for rows in alone), "out-of-range", count=count)


def require_shares(parts, alone, plan):
    """Require that in each step the processes take what one alone would, in equal shares and in its order."""
    batch, processes = plan[1], len(parts[0])
    steps = [
        (shares, np.concatenate(shares).tolist(), whole.tolist()) for shares, whole in zip(parts, alone, strict=True)
    ]
    facts = {"batch": batch, "processes": processes, "got": min(len(taken) for _, taken, _ in steps)}
    everybody = [all(rows.tolist() == whole for rows in shares) for shares, _, whole in steps]
    refuse(all(everybody), "whole-batch", **facts)
    refuse(any(len(set(taken)) < len(taken) for _, taken, _ in steps), "processes-overlap", **facts)
    fewer = all(set(taken) <= set(whole) for _, taken, whole in steps)
    refuse(fewer and facts["got"] < batch, "rows-lost", **facts)
    require(all(set(taken) == set(whole) for _, taken, whole in steps), "depends-on-processes", **facts)
    sizes = [len(rows) for rows in parts[0]]
    refuse(max(sizes) - min(sizes) > 1, "not-even", sizes=", ".join(map(str, sizes)))
    require(all(taken == whole for _, taken, whole in steps), "other-order")


def neighbours_stay(epoch, batch):
    """Whether most examples are in a batch with the one that comes next in the record."""
    batches = [sorted(epoch[i : i + batch].tolist()) for i in range(0, len(epoch), batch)]
    return np.mean([np.diff(rows) == 1 for rows in batches]) > 0.5


def require_epochs(alone, plan):
    """Require that an epoch takes no example twice, that it is shuffled, and that each has an order of its own."""
    count, batch, _ = plan
    per = count // batch
    epochs = [np.concatenate(alone[i * per : (i + 1) * per]) for i in range(EPOCHS)]
    twice = any(len(np.unique(epoch)) < len(epoch) for epoch in epochs)
    same = len({epoch.tobytes() for epoch in epochs}) < EPOCHS
    one_step = per > 1 and all(np.array_equal(rows, alone[0]) for rows in alone)
    refuse(one_step, "same-batch-each-step")
    refuse(twice, "twice-in-an-epoch", per=per, batch=batch)
    refuse(count == 1000 and any(neighbours_stay(epoch, batch) for epoch in epochs), "not-shuffled")
    refuse(same and len(epochs[0]) > 8, "same-order-each-epoch")
    return epochs


def require_a_shuffle(epochs, plan):
    """Require of 1000 examples that any of them may come anywhere."""
    count, batch, _ = plan
    each = [[frozenset(epoch[i : i + batch].tolist()) for i in range(0, len(epoch), batch)] for epoch in epochs]
    batches = {rows for epoch in each for rows in epoch}
    refuse(len(batches) < EPOCHS * (count // batch), "same-batches")
    left_out = {frozenset(range(count)) - frozenset(epoch.tolist()) for epoch in epochs}
    refuse(len(left_out) == 1, "same-ones-left-out", left=count % batch)


def require_seeds(answer, plan, first, seed):
    """Require that another seed gives other orders, and not those of another epoch."""
    per = plan[0] // plan[1]
    other = [step[0] for step in of_all(answer, plan, seed + 1, 1)]
    refuse(all(map(np.array_equal, other, first)), "seed-ignored")
    mine, others = (
        {np.concatenate(steps[i : i + per]).tobytes() for i in range(0, len(steps), per)} for steps in (first, other)
    )
    refuse(mine & others, "seeds-meet")


def require_independence(answer, rng):
    """Require that no two of many seeds and epochs meet, of which sums, products, multiples or digits are the same."""
    plan, (seed, epoch) = (40, 20), (int(n) for n in rng.integers(5, 300, 2))
    pairs = [(seed, epoch), (epoch, seed), (0, epoch), (0, epoch + 1), (seed, 0), (seed + 1, 0)]
    pairs += [(2 * seed, epoch), (seed, 2 * epoch), (2 * seed + 1, epoch), (seed, 2 * epoch + 1)]
    for factor in FACTORS:
        pairs += [(seed, epoch + factor), (seed + 1, epoch + factor), (seed - 1, epoch + factor)]
    for factor in FACTORS + LARGE:
        pairs += [(seed + factor, epoch), (seed + factor, epoch + 1), (seed + factor, epoch - 1)]
    pairs += [(seed + 1, epoch - factor) for factor in FACTORS]
    for digit in (1, 4):  # written one behind the other
        pairs += [(10 * seed + digit, epoch), (seed, int(f"{digit}{epoch}")), (seed, 10 * epoch + digit)]
        pairs += [(int(f"{digit}{seed}"), epoch)]
    pairs = [pair for pair in dict.fromkeys(pairs) if min(pair) >= 0]
    rows = answer.probe(rows_for, [(2 * e, *plan, 0, 1, s) for s, e in pairs])
    require_all_differ([(*pair, its) for pair, its in zip(pairs, rows, strict=True)])
    require_all_differ(answer.probe(rows_by_own_numbers, plan, seed, epoch))


def require_all_differ(found):
    """Require that no two pairs of a seed and an epoch have the same rows."""
    first = {}
    for seed, epoch, rows in found:
        one = first.setdefault(rows.tobytes(), (seed, epoch))
        facts = {"seed": one[0], "epoch": one[1], "other": seed, "later": epoch}
        refuse(one != (seed, epoch), "seeds-meet/later", **facts)


def require_no_memory(answer, rng):
    """Require that rows do not depend on which were asked for before, nor on the process."""
    seed = int(rng.integers(10**6, 10**7))
    one, other = answer.probe(rows_of_two_runs, [(step, 40, 20, 0, 1, seed) for step in (0, 1, 2, 5, 6)])
    require(all(map(np.array_equal, one, other)), "not-repeatable/resumed")


def batches_for_everybody(answer, rng):
    """Whole batches for one process, and even shares of them for several.

    A function, since any order is right that follows seed and epoch alone, and the requirements are about many calls
    together.
    """
    for plan in plans_of(rng):
        seed = int(rng.integers(0, 1000))
        alone, again = ([step[0] for step in of_all(answer, plan, seed, 1)] for _ in range(2))
        require(all(map(np.array_equal, alone, again)), "not-repeatable")
        require_batches(alone, plan)
        epochs = require_epochs(alone, plan)
        if plan[0] == 1000:
            require_a_shuffle(epochs, plan)
            require_seeds(answer, plan, alone, seed)
        require_shares(of_all(answer, plan, seed, plan[2]), alone, plan)


WORDS = """
hint: Which epoch is it, and which of its batches? `divmod(step, count // batch)` says both.
hint: Make the order first, from `seed` and the epoch. Then take the batch out of it, and then the part of `rank`.
hint: `np.array_split` splits into parts whose sizes differ by at most one.
not-indices: Your rows are `{dtype}`, which cannot be used as indices. Return integers.
not-indices/axes: Your rows have {axes} axes. Return one row of numbers.
nothing-after-an-epoch: Your function gives no more examples after {per} steps. Then a new epoch begins, in its own
    order.
wrong-number: Your single process took {got} examples in a step. It should take {batch}.
out-of-range: Your rows have a number that no example has. There are {count}, numbered from 0.
whole-batch: Your processes each take the whole batch, so every example counts {processes} times. Take the part of
    `rank`.
processes-overlap: Your {processes} processes have some examples twice, so others are never seen. Keep `rank` out of
    the order: it only says which part of the batch to take.
rows-lost: Your {processes} processes take {got} of the {batch} examples. Deal out the rows that the division leaves
    over.
depends-on-processes: Your {processes} processes don't take the examples that one alone would, so a run cannot go on
    with another number of them. Take the batch first, then split it.
not-even: Your processes take {sizes} examples, so all others wait for the one that has most. Sizes may differ by at
    most one.
other-order: Your processes have the right batch, dealt out in another order. Joined by rank, their parts should be
    the batch.
same-batch-each-step: Your steps all take the same batch. `step` says which one.
twice-in-an-epoch: Your epoch of {per} steps has some examples twice, and others never. One order serves the whole
    epoch: draw it from `seed` and the epoch, here `step // {per}`.
same-order-each-epoch: Your order is the same in two epochs. The number of the epoch belongs in the seed.
not-shuffled: Your neighbours stay together, so readings of one storm come in one batch. Shuffle all examples.
same-ones-left-out: You leave the same {left} examples out in every epoch, since they fill no batch, and they are
    never seen. Shuffle all of them, then drop the rest.
same-batches: Your batches hold the same examples in every epoch, and only change places. Shuffle the examples.
not-repeatable: Your rows differ when the same arguments come again, so a run cannot be repeated, and processes don't
    agree. Make the generator from `seed` and the epoch.
not-repeatable/resumed: Your rows differ if a process begins at a later step. Do they depend on earlier calls, or on a
    string's hash, which each process salts? Use the arguments alone.
seed-ignored: Your rows are the same for another seed. Make the order from `seed` and the epoch.
seeds-meet: Your epoch of one seed has the order that another epoch of the next seed has, so two trainings share
    orders. Seed with both numbers, as in `default_rng([seed, epoch])`.
seeds-meet/later: Your epoch {epoch} of seed {seed} has the order of epoch {later} of seed {other}: you make the same
    number of both. Seed with both, as in `default_rng([seed, epoch])`.
"""

rows_of = declare(
    "rows-of",
    see="train-on-quiet",
    steps=[batches_for_everybody, require_independence, require_no_memory],
    words=WORDS,
)
