"""clipped-gradient: the mean of the gradients of examples, each no longer than a limit, from many devices."""

import jax
import numpy as np

from jaxcourse import insides, probe
from jaxcourse.checks import declare, expect, refuse, require
from jaxcourse.exercise import is_close

H, MINUTES, STATIONS = 24, 60, 5
SIZES = (8, 2, 1)
"""Devices of the meshes: what is right on one alone falls."""
SPECS = [{"w": [], "b": []}, [], ["d"], None]
"""Where parameters, record, batch and limit lie."""


def clipped_on(clipped_gradient, placed, calls):
    """What several calls give on a mesh, whether copies are equal, and what there is in the program."""

    def loss(params, window, heard, reading, there):
        off = reading - window @ (heard * params["w"]) - params["b"]
        return 0.5 * there * off**2

    def bound(mesh, *args):
        return clipped_gradient(mesh, loss, *args)

    function, given, _ = probe.prepared(bound, placed, calls[0])
    with insides.as_ever():
        compiled = jax.jit(function).lower(*given).compile()
    results, equal = [], True
    for args in calls:
        found = jax.block_until_ready(compiled(*probe.prepared(bound, placed, args)[1]))
        for leaf in jax.tree.leaves(found):
            first = {}
            for shard in leaf.addressable_shards:
                data = np.asarray(shard.data)
                equal = equal and np.array_equal(first.setdefault(str(shard.index), data), data, equal_nan=True)
        results.append(jax.tree.map(np.asarray, found))
    pieces = probe.pieces(found, probe.mesh_of(placed))
    return {"results": results, "equal": equal, "pieces": pieces, **probe.communicated(compiled)}


# -- what is right, and what is not: functions of a number of devices, the examples' gradients, and a limit ------


def examples_of(params, record, batch, late=0):
    """The gradient of each example by hand, in `float64`: (batch, 24) for `w` and (batch,) for `b`."""
    filled, heard = (np.asarray(part, np.float64) for part in record)
    minute, station = batch
    back, column = minute[:, None] + np.arange(-H, 0) + late, station[:, None]
    seen = heard[back, column] * filled[back, column]
    off = filled[minute, station] - seen @ np.asarray(params["w"], np.float64) - params["b"]
    off = off * heard[minute, station]
    return -off[:, None] * seen, -off


def lengths_of(w, b):
    return np.sqrt((w**2).sum(1) + b**2)


def shorter(length, limit):
    return limit / np.maximum(limit, length)


def weighed(factors):
    """The mean of gradients, each multiplied by what `factors(lengths, limit)` gives."""

    def mean(n, w, b, limit):
        with np.errstate(divide="ignore", invalid="ignore"):
            by = factors(lengths_of(w, b), limit)
        return [(by[:, None] * w).mean(0), (by * b).mean()]

    return mean


def times(mean, by):
    """What is too large or too small by a factor that depends on the devices and the batch."""
    return lambda n, w, b, limit: [by(n, len(b)) * leaf for leaf in mean(n, w, b, limit)]


clipped = weighed(shorter)


def summed_too_soon(n, w, b, limit):
    """Examples in the same place of all pieces are added, and clipped as one."""
    total = clipped(n, w.reshape(n, -1, H).sum(0), b.reshape(n, -1).sum(0), limit)
    return [leaf / n for leaf in total]


def mean_clipped(n, w, b, limit):
    mean = [w.mean(0), b.mean()]
    return [shorter(np.hypot(np.linalg.norm(mean[0]), mean[1]), limit) * leaf for leaf in mean]


def piece_clipped(n, w, b, limit):
    parts = zip(w.reshape(n, -1, H), b.reshape(n, -1), strict=True)
    return [np.mean(leaf, axis=0) for leaf in zip(*(mean_clipped(1, *part, limit) for part in parts), strict=True)]


def leaf_by_leaf(n, w, b, limit):
    by = [shorter(np.sqrt((w**2).sum(1)), limit), shorter(np.abs(b), limit)]
    return [(by[0][:, None] * w).mean(0), (by[1] * b).mean()]


def batch_clipped(n, w, b, limit):
    return weighed(lambda length, limit: shorter(np.linalg.norm(length), limit) + 0 * length)(n, w, b, limit)


def first_piece(n, w, b, limit):
    few = len(b) // n
    return clipped(n, w[:few], b[:few], limit)


def by_those_heard(n, w, b, limit):
    return [len(b) / (b != 0).sum() * leaf for leaf in clipped(n, w, b, limit)]


def either(*faces):
    """A mistake with several faces: a function that gives what each of them gives."""
    return lambda *args: [face(*args) for face in faces]


def by_powers(mean, *powers):
    """A mean, too large by several powers of the number of devices."""
    return [times(mean, lambda n, _, power=power: float(n) ** power) for power in powers]


MISTAKES = {
    "zero-gradient": either(
        weighed(lambda length, limit: np.where(length > 0, shorter(length, limit), np.nan)),
        weighed(lambda length, limit: np.minimum(1, np.where(length > 0, limit / length, np.nan))),
    ),
    "summed-too-soon": either(*by_powers(summed_too_soon, 0, 1, -1, 2)),
    "mean-clipped": either(mean_clipped, piece_clipped, *by_powers(piece_clipped, 1)),
    "not-clipped": either(weighed(lambda length, limit: 0 * length + 1)),
    "leaf-by-leaf": either(leaf_by_leaf),
    "element-by-element": either(lambda n, w, b, limit: [np.clip(g, -limit, limit).mean(0) for g in (w, b)]),
    "eight-times": either(*by_powers(clipped, 1, 2, -1)),
    "sum-not-mean": either(times(clipped, lambda n, batch: batch), times(clipped, lambda n, batch: batch / n)),
    "scaled-up": either(
        weighed(lambda length, limit: limit / length),
        weighed(lambda length, limit: np.where(length > 0, limit / np.where(length > 0, length, 1), 0)),
    ),
    "dropped": either(weighed(lambda length, limit: length <= limit)),
    "squared-length": either(
        weighed(lambda length, limit: shorter(length**2, limit)),
        weighed(lambda length, limit: np.where(length**2 > limit, limit / length, 1)),
    ),
    "length-of-the-batch": either(batch_clipped),
    "first-piece": either(first_piece),
    "divides-by-those-heard": either(by_those_heard),
}
LENGTHS = {
    "lengths-after": lambda length, limit: np.minimum(length, limit),
    "lengths-squared": lambda length, limit: length**2,
}


def draw(rng, n):
    """A call: levels with slams, so that some gradients are far longer than the others."""
    heard = (rng.random((MINUTES, STATIONS)) < 0.8).astype(np.float32)
    filled = rng.normal(size=heard.shape) * 10 ** rng.uniform(-1, 1, heard.shape)
    params = {"w": (rng.normal(size=H) / 5).astype(np.float32), "b": np.float32(rng.normal())}
    size = 4 * n if n > 1 else 6
    minute, station = (rng.integers(*ends, size).astype(np.int32) for ends in ((H, MINUTES), (0, STATIONS)))
    heard[minute, station] = 1
    heard[minute[-1], station[-1]] = 0
    record = filled.astype(np.float32), heard
    length = lengths_of(*examples_of(params, record, (minute, station)))
    return params, record, (minute, station), float(rng.uniform(0.7, 1.4) * np.median(length))


def parts_of(result):
    """The mean gradient as a list, and the lengths."""
    pair = isinstance(result, (tuple, list)) and len(result) == 2
    require(pair, "not-a-pair")
    require(isinstance(result[0], dict) and result[0].keys() == {"w", "b"}, "not-like-params")
    shapes = [np.shape(result[0][name]) for name in "wb"]
    require(shapes == [(H,), ()], "not-like-params/shapes", shapes=shapes)
    return [result[0]["w"], result[0]["b"]], result[1]


def same(got, want):
    return all(is_close(a, b, rtol=1e-3) for a, b in zip(got, want, strict=True))


def require_slopes(cases):
    """Require the mean of the clipped gradients, or name what explains all cases."""
    wrong = [case for case in cases if not same(case[1], clipped(case[0], *case[2:]))]
    for label, faces in MISTAKES.items():
        fits = [[same(got, value) for value in faces(n, *rest)] for n, got, *rest in cases]
        refuse(len(wrong) > 1 and any(map(all, zip(*fits, strict=True))), label, n=SIZES[0])
    refuse(wrong and all(case[0] < SIZES[0] for case in wrong), "only-on-eight")
    for n, got, *rest in cases:
        for one_leaf, want in zip(got, clipped(n, *rest), strict=True):
            expect(one_leaf, want, "wrong-value", rtol=1e-3, n=n)


def require_windows(cases):
    """Require that each example is the window before its reading."""

    def moved(late):
        gradients = [(n, got, *examples_of(*args[:3], late=late), args[3]) for n, args, got, _ in cases]
        return all(same(got, clipped(n, *rest)) for n, got, *rest in gradients)

    refuse(moved(1), "sees-its-own-reading")
    refuse(moved(-1), "window-too-early")


def check(answer, rng):
    cases, facts = [], {}
    for n in SIZES:
        calls = [draw(rng, n), draw(rng, n)]
        facts[n] = answer.probe(clipped_on, probe.placing({"d": n}, *SPECS, mesh="argument"), calls)
        cases += [(n, args, *parts_of(got)) for args, got in zip(calls, facts[n]["results"], strict=True)]
    answer.called = "clipped_gradient(mesh, loss, params, record, batch, limit)"
    require_windows(cases)
    require(all(found["equal"] for found in facts.values()), "copies-differ")
    require_slopes([(n, got, *examples_of(*args[:3]), args[3]) for n, args, got, _ in cases])
    for n, args, _, lengths in cases:
        want = lengths_of(*examples_of(*args[:3]))
        require(np.shape(lengths) == want.shape, "lengths-of-wrong-shape", shape=np.shape(lengths), batch=len(want))
        for label, mistake in LENGTHS.items():
            refuse(is_close(lengths, mistake(want, args[3]), rtol=1e-3) and not is_close(lengths, want), label)
        expect(lengths, want, "wrong-lengths", rtol=1e-3, n=n)
    require_program(facts[8])


def require_program(found):
    """Require one all-reduce and nothing else, the gradient on every device, and the lengths in pieces."""
    collectives = dict(found["collectives"])
    refuse("all-gather" in collectives, "gathers")
    count = collectives.pop("all-reduce", 0)
    refuse(collectives, "other-collective", others=" and ".join(collectives))
    *slopes, lengths = found["pieces"]
    whole = [piece["pieces"] == [[k, [[0, n] for n in piece["shape"]]] for k in range(8)] for piece in slopes]
    require(all(whole), "not-on-all")
    each = lengths["shape"][0] // 8
    require(lengths["pieces"] == [[k, [[k * each, (k + 1) * each]]] for k in range(8)], "lengths-not-split")
    require(count == 1, "not-one-all-reduce", count=count)


WORDS = """
hint: Write it for one example first: its window, its gradient, the length over all leaves, the factor. Where does the
    mean over the devices come in?
hint: Under `jit`, a program for the whole batch keeps the pieces where they are: the compiler adds the collective.
hint: In a `shard_map`, make `params` the device's own before `jax.grad` sees them: `varying(params)`.
summed-too-soon [eight-times]: The gradient of a replicated argument arrives summed over the devices, so example j of
    all {n} devices was clipped as one. Make `params` vary first, clip, and add then. Nothing would be wrong if nothing
    were clipped.
mean-clipped [a-gradient-each]: The mean was clipped. By then a slam has done its work: clip each gradient before the
    mean.
not-clipped: That is the plain mean: no gradient was clipped.
leaf-by-leaf [a-gradient-each]: Each leaf was clipped by its own length, which turns the gradient. The length is that of
    all leaves together.
element-by-element: Each number was cut off at the limit, which turns the gradient. Scale it all by one factor.
eight-times [eight-times]: Right but for a factor that is a power of the number of devices: divide the sum over all
    devices by the size of the whole batch, once.
sum-not-mean: The gradients are clipped and added, and not divided by the number of examples of the whole batch.
scaled-up: All gradients were brought to the length `limit`. Shorter ones should stay as they are.
dropped: Gradients above the limit were left out. They should be scaled down to it.
zero-gradient: An example that was not heard has a gradient of length 0, and `limit / length` made NaN of it. Divide by
    the larger of length and limit.
squared-length: The square of the length was compared with the limit: take the root.
length-of-the-batch: One length was taken of all gradients together, and all were shortened alike. Each example has its
    own.
first-piece: Only the examples of one device came into the mean.
divides-by-those-heard: The sum is divided by the number of examples that were heard. Divide by the batch.
only-on-eight: Right on 8 devices, and not on fewer: take their number from the mesh, and the size of the batch from the
    arrays.
sees-its-own-reading: The window of minute m ends with reading m, which it should predict: it holds the 24 minutes
    before, from m - 24 to m - 1.
window-too-early: The window of minute m should hold the 24 minutes before it, from m - 24 to m - 1, and not earlier
    ones.
not-a-pair: Return a pair: the mean gradient, and the lengths.
not-like-params: The gradient should be a dictionary with the names of `params`.
not-like-params/shapes: The gradient should have the shapes of `params`: those that came back are {shapes}. Was the mean
    over the examples forgotten?
copies-differ [variables]: The result claims to be the same on all devices, but they hold different numbers: with
    `check_vma=False` nobody compares them.
lengths-of-wrong-shape: The batch has {batch} examples, and the lengths have the shape {shape}.
lengths-after: Those are the lengths after clipping. Return them as they were before: they show which readings are odd.
lengths-squared: Those are the squares of the lengths.
wrong-lengths: On {n} device(s). The length of each example's gradient, before clipping, in the order of the batch.
gathers [send-little]: The compiled program gathers: every device gets what all others have. Only the sum of the clipped
    gradients must be known everywhere.
other-collective [what-they-do]: The compiled program also contains: {others}.
not-on-all: The numbers are right, but not every device has the whole gradient.
lengths-not-split: The numbers are right, but the lengths do not lie in eight pieces, as the batch does.
not-one-all-reduce: The compiled program contains {count} all-reduces, and one is enough.
wrong-value: On {n} device(s). The mean of the gradients, each scaled down to the limit where it is longer.
"""

clipped_gradient = declare(
    "clipped-gradient",
    points=3,
    see="each-example-clipped",
    steps=[check],
    words=WORDS,
)
