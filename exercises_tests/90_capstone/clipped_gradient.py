"""clipped-gradient: the mean of the gradients of examples, each no longer than a limit, from many devices."""

import jax
import numpy as np

from jaxcourse import insides, probe
from jaxcourse.checks import Agrees, Also, declare, over_meshes, refuse, require, seen

H, MINUTES, STATIONS = 24, 60, 5
SIZES = (8, 2, 1)
"""Devices of the meshes: what is right on one alone falls."""
SPECS = [{"w": [], "b": []}, [], ["d"], None]
"""Where parameters, record, batch and limit lie."""


def clipped_on(clipped_gradient, placed, calls):
    """For each call on a mesh its result, whether copies are equal, and what there is in the program."""

    def loss(params, window, heard, reading, there):
        off = reading - window @ (heard * params["w"]) - params["b"]
        return 0.5 * there * off**2

    def bound(mesh, *args):
        return clipped_gradient(mesh, loss, *args)

    function, given, _ = probe.prepared(bound, placed, calls[0])
    with insides.as_ever():
        compiled = jax.jit(function).lower(*given).compile()
    results = [compiled(*probe.prepared(bound, placed, args)[1]) for args in calls]
    program = {"pieces": probe.pieces(results[0], probe.mesh_of(placed)), **probe.communicated(compiled)}
    equal = [all(map(probe.copies_are_equal, jax.tree.leaves(result))) for result in results]
    plain = [jax.tree.map(np.asarray, result) for result in results]
    return [{"result": one, "equal": same, **program} for one, same in zip(plain, equal, strict=True)]


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


def by_powers(mean, *powers):
    """A mean, too large by several powers of the number of devices."""
    return [times(mean, lambda n, _, power=power: float(n) ** power) for power in powers]


FACES = {
    "zero-gradient": [
        weighed(lambda length, limit: np.where(length > 0, shorter(length, limit), np.nan)),
        weighed(lambda length, limit: np.minimum(1, np.where(length > 0, limit / length, np.nan))),
    ],
    "summed-too-soon": by_powers(summed_too_soon, 0, 1, -1, 2),
    "mean-clipped": [mean_clipped, piece_clipped, *by_powers(piece_clipped, 1)],
    "not-clipped": [weighed(lambda length, limit: 0 * length + 1)],
    "leaf-by-leaf": [leaf_by_leaf],
    "element-by-element": [lambda n, w, b, limit: [np.clip(g, -limit, limit).mean(0) for g in (w, b)]],
    "eight-times": by_powers(clipped, 1, 2, -1),
    "sum-not-mean": [times(clipped, lambda n, batch: batch), times(clipped, lambda n, batch: batch / n)],
    "scaled-up": [
        weighed(lambda length, limit: limit / length),
        weighed(lambda length, limit: np.where(length > 0, limit / np.where(length > 0, length, 1), 0)),
    ],
    "dropped": [weighed(lambda length, limit: length <= limit)],
    "squared-length": [
        weighed(lambda length, limit: shorter(length**2, limit)),
        weighed(lambda length, limit: np.where(length**2 > limit, limit / length, 1)),
    ],
    "length-of-the-batch": [batch_clipped],
    "first-piece": [first_piece],
    "divides-by-those-heard": [by_those_heard],
}


def of_examples(mean, late=0):
    """What a mean of the examples' gradients gives for the arguments of a call, on some devices."""
    return lambda devices, params, record, batch, limit: mean(devices, *examples_of(params, record, batch, late), limit)


def clipped_mean(devices, params, record, batch, limit):
    """The oracle."""
    return of_examples(clipped)(devices, params, record, batch, limit)


MISTAKES = {
    "sees-its-own-reading": of_examples(clipped, 1),
    "window-too-early": of_examples(clipped, -1),
    **{label: [of_examples(face) for face in faces] for label, faces in FACES.items()},
    "only-on-eight": seen(lambda reply: reply.right or reply.case[0] < SIZES[0]),
}


def lengths(devices, params, record, batch, limit):
    """The lengths of the examples' gradients."""
    return lengths_of(*examples_of(params, record, batch))


LENGTHS = {
    "lengths-after": lambda *case: np.minimum(lengths(*case), case[-1]),
    "lengths-squared": lambda *case: lengths(*case) ** 2,
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


def on_each_mesh(rng):
    return [(n, *draw(rng, n)) for n in SIZES for _ in range(2)]


def slopes_in(whole, *case):
    """The mean gradient as a list, in its form."""
    result = whole["result"]
    require(isinstance(result, (tuple, list)) and len(result) == 2, "not-a-pair")
    require(isinstance(result[0], dict) and result[0].keys() == {"w", "b"}, "not-like-params")
    shapes = [np.shape(result[0][name]) for name in "wb"]
    require(shapes == [(H,), ()], "not-like-params/shapes", shapes=shapes)
    require(whole["equal"], "copies-differ")
    return [result[0]["w"], result[0]["b"]]


def lengths_in(whole, devices, params, record, batch, limit):
    """The lengths, in their form."""
    found, many = whole["result"][1], len(batch[0])
    require(np.shape(found) == (many,), "lengths-of-wrong-shape", shape=np.shape(found), batch=many)
    return found


def one_all_reduce(answer, replies):
    """Require one all-reduce and nothing else, the gradient on every device, and the lengths in pieces."""
    found = replies[0].whole
    collectives = dict(found["collectives"])
    refuse("all-gather" in collectives, "gathers")
    count = collectives.pop("all-reduce", 0)
    refuse(collectives, "other-collective", others=" and ".join(collectives))
    *slopes, last = found["pieces"]
    whole = [piece["pieces"] == [[k, [[0, n] for n in piece["shape"]]] for k in range(8)] for piece in slopes]
    require(all(whole), "not-on-all")
    each = last["shape"][0] // 8
    require(last["pieces"] == [[k, [[k * each, (k + 1) * each]]] for k in range(8)], "lengths-not-split")
    require(count == 1, "not-one-all-reduce", count=count)


WORDS = """
hint: Can you write it for one example: its window, its gradient, the length over all leaves, the factor? Where does
    the mean over the devices come in?
hint: Under `jit`, a program for the whole batch keeps the pieces where they are, and the compiler adds the
    collective.
hint: In a `shard_map`, make `params` the device's own before `jax.grad` sees them: `varying(params)`.
summed-too-soon [eight-times]: You clipped example j of all devices as one, because the gradient of a replicated
    argument arrives summed over the devices. Make `params` vary first, clip, and add then.
mean-clipped [a-gradient-each]: You clipped the mean. By then a slam has done its work: clip each gradient before the
    mean.
not-clipped: You returned the plain mean, with no gradient clipped. Scale down those that are longer than `limit`.
leaf-by-leaf [a-gradient-each]: You clipped each leaf by its own length, which turns the gradient. Take the length of
    all leaves together.
element-by-element: You cut each number off at the limit, which turns the gradient. Scale it all by one factor.
eight-times [eight-times]: Your gradient is right but for a factor, a power of the number of devices. Divide the sum
    over all devices by the size of the whole batch, once.
sum-not-mean: You clipped and added the gradients. Divide by the number of examples of the whole batch.
scaled-up: You brought all gradients to the length `limit`. Shorter ones should stay as they are.
dropped: You left out the gradients above the limit. Scale them down to it.
zero-gradient: Your gradient is NaN for an example that was not heard, because its length is 0, and you divide by it.
    Divide by the larger of length and limit.
squared-length: You compared the square of the length with the limit. Take the root.
length-of-the-batch: You took one length of all gradients together, and shortened all alike. Each example has its own.
first-piece: Your mean has only the examples of one device. Add the sums of all devices.
divides-by-those-heard: You divide the sum by the number of examples that were heard. Divide by the batch.
only-on-eight: Your answer is right on 8 devices, and not on fewer. Take their number from the mesh, and the size of
    the batch from the arrays.
sees-its-own-reading: Your window of minute m ends with reading m, which it should predict. It should hold the 24
    minutes before, from m - 24 to m - 1.
window-too-early: Your window of minute m is too early. It should hold the 24 minutes before, from m - 24 to m - 1.
not-a-pair: Your function should return a pair: the mean gradient, and the lengths.
not-like-params: Your gradient should be a dictionary with the names of `params`.
not-like-params/shapes: Your gradient has the shapes {shapes}. They should be those of `params`: did you take the mean
    over the examples?
copies-differ [variables]: Your result claims to be the same on all devices, but they hold different numbers. With
    `check_vma=False` JAX believes the claim.
lengths-of-wrong-shape: Your lengths have the shape {shape}, and the batch has {batch} examples. Return one length for
    each.
lengths-after: Your lengths are those after clipping. Return them as they were before: they show which readings are
    odd.
lengths-squared: You returned the squares of the lengths. Take the root.
wrong-lengths: Your lengths differ. Return the length of each example's gradient, before clipping, in the order of the
    batch.
gathers [send-little]: Your compiled program gathers: every device gets what all others have. Only the sum of the
    clipped gradients must be known everywhere.
other-collective [what-they-do]: Your compiled program also contains {others}. One all-reduce is enough.
not-on-all: Your numbers are right, but not every device has the whole gradient.
lengths-not-split: Your numbers are right, but the lengths are not in eight pieces, as the batch is.
not-one-all-reduce: Your compiled program contains {count} all-reduces, and one is enough.
wrong-value: Your gradient differs. Return the mean of the gradients, each scaled down to the limit if it is longer.
"""

clipped_gradient = declare(
    "clipped-gradient",
    points=3,
    see="each-example-clipped",
    steps=[
        Agrees(
            clipped_mean,
            extremes=on_each_mesh,
            ask=over_meshes(*SPECS, axis="d", question=clipped_on),
            reads=slopes_in,
            mistakes=MISTAKES,
            then=[
                Also(lengths, reads=lengths_in, mistakes=LENGTHS, otherwise="wrong-lengths", rtol=1e-3),
                one_all_reduce,
            ],
            rtol=1e-3,
        )
    ],
    words=WORDS,
)
