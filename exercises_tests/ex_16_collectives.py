"""Checks of lesson 16, Collectives: what is asked, what people get wrong, and what each mistake is told."""

import re
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

from jaxcourse import probe
from jaxcourse.exercise import close, equivalent, exercise, expect, numbers, refuse, require, right, wrong
from jaxcourse.prediction import Mistake, prediction

SIZES = (8, 2, 1)
"""Devices of the meshes on which an answer runs: what is right on one alone falls."""
COPIES_DIFFER = (
    "The result claims to be the same on all devices, but they hold different numbers: with `check_vma=False` nobody "
    "compares them."
)
TREES = (dict, list, tuple)


def run_on(student_function, placed, kinds):
    """The results of several calls of each kind on a mesh, and whether the copies of each piece are equal.

    One program calls the answer once for each kind: compiling one for each of them would cost more.
    """
    function = probe.prepared(student_function, placed, kinds[0][0])[0]
    run = jax.jit(lambda calls: [function(*args) for args in calls])
    results, equal = [[] for _ in kinds], True
    for turn in range(max(map(len, kinds))):
        calls = [kind[turn % len(kind)] for kind in kinds]
        found = jax.block_until_ready(run([probe.prepared(student_function, placed, args)[1] for args in calls]))
        for leaf in jax.tree.leaves(found):
            first = {}
            for shard in leaf.addressable_shards:
                data = np.asarray(shard.data)
                equal = equal and np.array_equal(first.setdefault(str(shard.index), data), data, equal_nan=True)
        for of_kind, result in zip(results, found, strict=True):
            of_kind.append(jax.tree.map(np.asarray, result))
    return {"results": results, "equal": equal}


@dataclass
class Case:
    """One call: on how many devices, with what, and what came back."""

    devices: int
    args: tuple[Any, ...]
    got: Any
    equal: bool


def answered(answer, specs, draw, oracle):
    """What an answer gives on several meshes; each case is shown where it is wrong in type or shape."""
    cases = []
    for n in SIZES:
        placed = probe.placing({"x": n}, *specs, mesh="argument")
        calls = draw(n)
        shapes = dict.fromkeys(shapes_of(args) for args in calls)
        kinds = [[args for args in calls if shapes_of(args) == shape] for shape in shapes]
        try:
            found = answer.probe(run_on, placed, kinds)
        except probe.AnswerRaised as error:
            message = (
                f"This runs on {SIZES[0]} devices, and not on {n}: the pairs of `ppermute` name devices that this mesh "
                'does not have. Take the number of devices from the mesh: `mesh.shape["x"]`.'
            )
            named = max(map(int, re.findall(r"\d+(?=[,)])", error.raised.message)), default=0)
            refuse(n < SIZES[0] and "ppermute" in error.raised.message and named >= n, "only-on-eight", message)
            raise
        for kind, results in zip(kinds, found["results"], strict=True):
            # A kind with fewer calls than another was asked some of them again.
            cases += [Case(n, args, got, found["equal"]) for args, got in zip(kind, results, strict=False)]
    return cases


def shapes_of(args):
    """The shapes of all arrays among some arguments."""
    return tuple(np.shape(leaf) for leaf in jax.tree.leaves(args))


def differs(got, want):
    """Whether a result is wrong: an array, or a list of arrays."""
    pairs = zip(got, want, strict=True) if isinstance(want, list) else [(got, want)]
    return not all(close(one, other, rtol=2e-4) for one, other in pairs)


def require_right(answer, cases, oracle, slips, message, part=lambda got: got):
    """Require the oracle's numbers; a slip is named if it explains every case, and two in which it is wrong."""
    mistaken = [case for case in cases if differs(part(case.got), oracle(case.devices, *case.args))]
    if not mistaken:
        kinds = {str(np.asarray(leaf).dtype) for case in cases for leaf in jax.tree.leaves(case.got)} - {"float32"}
        message = f"The numbers are right, but {' and '.join(sorted(kinds))} came back. All should be `float32`."
        refuse(kinds, "dtype", message)
        return
    for label, slip, words in slips:
        fits = all(not differs(part(case.got), slip(case.devices, *case.args)) for case in cases)
        refuse(fits and len(mistaken) > 1, label, words)
    words = f"On {SIZES[0]} devices this is right, and on fewer it is not. If the number {SIZES[0]} is written in it, "
    words += 'take it from the mesh instead: `mesh.shape["x"]`.'
    refuse({case.devices for case in mistaken} == {*SIZES[1:]}, "only-on-eight", words)
    case = max(mistaken, key=lambda case: case.devices)
    answer.called = f"{answer.name}(mesh, ...)"
    where = f"On {case.devices} device{'s' * (case.devices > 1)}. {message}"
    got, want = part(case.got), oracle(case.devices, *case.args)
    for one, other in zip(got, want, strict=True) if isinstance(want, list) else [(got, want)]:
        expect(one, other, where, rtol=2e-4)


def require_only(collectives, *allowed):
    """Require that a program contains no collectives but some."""
    refuse("all-gather" in collectives and "all-gather" not in allowed, "gathers",
           "The compiled program gathers: every device gets the pieces of all others, and needs room for them.",
           see="send-little")  # fmt: skip
    others = ", ".join(sorted(set(collectives) - set(allowed)))
    refuse(others, "other-collective", f"The compiled program also contains: {others}.", see="what-they-do")


def require_split(pieces, n):
    """Require that an array is split by rows over all devices."""
    shape = pieces["shape"]
    rows = shape[0] // n
    want = [[k, [[k * rows, (k + 1) * rows], *([0, size] for size in shape[1:])]] for k in range(n)]
    message = "The numbers are right, but they are not split by rows over the devices: look at `out_specs`."
    require(pieces["pieces"] == want, "not-split", message, see="one-body")


def require_copies(pieces, n):
    """Require that arrays are whole on every device."""
    for leaf in pieces:
        whole = [[0, size] for size in leaf["shape"]]
        message = "The numbers are right, but not every device has all of them: look at `out_specs`."
        require(leaf["pieces"] == [[k, whole] for k in range(n)], "not-replicated", message, see="one-body")


def normal(rng, *shape):
    """Random `float32` numbers."""
    return rng.normal(size=shape).astype(np.float32)


def exact(*arrays):
    """Arrays in `float64`, for oracles."""
    return [np.asarray(array, np.float64) for array in arrays]


def mapped(mesh, body, in_specs, out_specs, **more):
    """`jax.shard_map`, for the listed answers."""
    return jax.shard_map(body, mesh=mesh, in_specs=in_specs, out_specs=out_specs, **more)


def ring_sum(value, n):
    """The sum over `n` devices, sent around a ring."""
    total = value
    for _ in range(n - 1):
        value = lax.ppermute(value, "x", [(i, (i + 1) % n) for i in range(n)])
        total = total + value
    return total


# -- what-the-body-sees -----------------------------------------------------------------------------------------


def shapes_in_and_out():
    """The six shapes, from JAX."""
    mesh = jax.make_mesh((4, 2), ("a", "b"), (AxisType.Auto,) * 2, devices=jax.devices()[:8])
    seen = []

    def look(x):
        seen.append(x.shape)
        return x

    for spec in (P("a"), P(None, "b"), P("a", "b"), P(("a", "b"))):
        jax.eval_shape(mapped(mesh, look, spec, spec), np.zeros((16, 12), np.float32))
    for spec in (P("a", "b"), P(None, "a")):
        like = mapped(mesh, lambda x: jnp.zeros((2, 3)) + 0 * x[0, 0], P("a"), spec, check_vma=False)
        seen.append(jax.eval_shape(like, np.zeros((16, 12), np.float32)).shape)
    keys = ['in P("a")', 'in P(None, "b")', 'in P("a", "b")', 'in P(("a", "b"))', 'out P("a", "b")', 'out P(None, "a")']
    return dict(zip(keys, seen, strict=True))


what_the_body_sees = prediction(
    "what-the-body-sees",
    see="one-body",
    hint=[
        "The first entry of a spec is for the rows, the second for the columns.",
        "On the way in, divide by the number of devices with that name. On the way out, multiply.",
    ],
    truth=shapes_in_and_out,
    mistakes=[
        Mistake("sees-the-whole", {'in P("a")': (16, 12)},
                "The body sees its block, not the whole array: the 16 rows are dealt out to the 4 devices of `a`."),
        Mistake("all-devices-divide", {'in P("a")': (2, 12)},
                "`P(\"a\")` names one axis of the mesh. Along the other one, the two devices have copies."),
        Mistake("axes-swapped", [{'in P("a")': (16, 3)}, {'in P(None, "b")': (8, 12)}],
                "The first entry of a spec is for the first axis of the array, and `None` leaves that one whole."),
        Mistake("tuple-is-two-entries", {'in P(("a", "b"))': (4, 6)},
                "The inner brackets matter: both names are in *one* entry, so both divide the rows."),
        Mistake("out-divides", [{'out P("a", "b")': (2, 3)}, {'out P(None, "a")': (2, 3)}],
                "`out_specs` puts blocks together: the result is larger than a block."),
        Mistake("every-device-adds", {'out P(None, "a")': (2, 24)},
                "Only the 4 devices of `a` lie beside each other; along `b` the blocks are taken to be copies."),
    ],
    otherwise="Go through the spec entry by entry.",
)  # fmt: skip

# -- after-the-collective ---------------------------------------------------------------------------------------


def on_device_two():
    """The six results on device 2, from NumPy."""
    v = np.arange(1, 9).reshape(4, 2)
    first = v[:, 0]
    return {
        'psum(v, "x")': tuple(v.sum(0).tolist()),
        'psum(psum(v, "x"), "x")': tuple((4 * v.sum(0)).tolist()),
        'pmean(v, "x")': tuple(v.mean(0).tolist()),
        'all_gather(v, "x", tiled=True)': tuple(v.ravel().tolist()),
        'ppermute(v, "x", up)': tuple(v[1].tolist()),
        'psum_scatter(all_gather(v[0], "x"), "x", tiled=True)': (int(4 * first[2]),),
    }


SCATTERED = 'psum_scatter(all_gather(v[0], "x"), "x", tiled=True)'
after_the_collective = prediction(
    "after-the-collective",
    see="what-they-do",
    hint=[
        "Write down what each of the four devices has, then apply the collective element by element.",
        "`psum` adds one term for each device, even if the terms are equal.",
    ],
    truth=on_device_two,
    mistakes=[
        Mistake("sums-its-own", {'psum(v, "x")': (11,)},
                "`psum` goes over the devices, element by element. It does not sum what is in a piece."),
        Mistake("summed-twice-is-once", {'psum(psum(v, "x"), "x")': (16, 20)},
                "`psum` does not know that the four values are equal: it adds one term for each device."),
        Mistake("keeps-its-piece", {'all_gather(v, "x", tiled=True)': (5, 6)},
                "After an `all_gather` every device has the pieces of all."),
        Mistake("sent-the-other-way", {'ppermute(v, "x", up)': (7, 8)},
                "A pair is (source, destination): device 2 is the destination of device 1."),
        Mistake("does-not-move", {'ppermute(v, "x", up)': (5, 6)},
                "That is what device 2 had. It gets what its source has."),
        Mistake("gathered-only", {SCATTERED: (5,)},
                "Every device holds the four gathered numbers, so the sum has four equal terms."),
        Mistake("not-scattered", {SCATTERED: (4, 12, 20, 28)},
                "That is the sum. After a scatter a device has its part of it only."),
    ],
    otherwise="Take the devices one by one.",
)  # fmt: skip

# -- stop-gathering ---------------------------------------------------------------------------------------------


@exercise(
    "stop-gathering",
    see="send-little",
    hint=["Which few numbers of each block are enough?", "`x.mean(axis=0)` of the block, and `lax.pmean`."],
)
def stop_gathering(answer, rng):
    def draw(n):
        columns = int(rng.integers(2, 5)) if n == 8 else 3 * n
        return [(10 * normal(rng, 3 * n, columns) + 5,) for _ in range(2)] + [(normal(rng, n, 1),)]

    def centred(n, x):
        (x,) = exact(x)
        return x - x.mean(0)

    def by_blocks(n, x):
        blocks = exact(x)[0].reshape(n, -1, x.shape[1])
        return (blocks - blocks.mean(1, keepdims=True)).reshape(x.shape)

    slips = [
        ("own-means-only", by_blocks,
         "Each device subtracts the means of its own block. The columns of the whole have other means."),
        ("summed-means", lambda n, x: exact(x)[0] - n * exact(x)[0].mean(0),
         "The means of the blocks are added up: `psum` gives as many times the mean as there are devices."),
        ("mean-of-everything", lambda n, x: exact(x)[0] - exact(x)[0].mean(),
         "One mean is taken of all numbers. Each column has its own: `axis=0`."),
    ]  # fmt: skip
    cases = answered(answer, [["x"]], draw, centred)
    require_right(answer, cases, centred, slips, "Subtract the mean of each column over all rows.")
    found = answer.probe(probe.partitioned, probe.placing({"x": 8}, ["x"], mesh="argument"), normal(rng, 16, 3))
    require_only(found["collectives"], "all-reduce")
    require_split(found["pieces"][0], 8)


@right("stop-gathering")
def sums_and_counts(mesh, x):
    rows = x.shape[0]
    return mapped(mesh, lambda x: x - lax.psum(x.sum(axis=0, keepdims=True), "x") / rows, P("x"), P("x"))(x)


@right("stop-gathering")
def leaves_it_to_the_compiler(mesh, x):
    return lax.with_sharding_constraint(x - x.mean(axis=0), jax.sharding.NamedSharding(mesh, P("x")))


@wrong("stop-gathering", "gathers")
def gathers_as_before(mesh, x):
    def body(x):
        whole = lax.all_gather(x, "x", tiled=True)
        return x - whole.mean(axis=0)

    specs = {"in_specs": P("x"), "out_specs": P("x")}
    return jax.shard_map(body, mesh=mesh, **specs)(x)


@wrong("stop-gathering", "gathers")
def gathers_the_means(mesh, x):
    return mapped(mesh, lambda x: x - lax.all_gather(x.mean(axis=0), "x").mean(axis=0), P("x"), P("x"))(x)


@wrong("stop-gathering", "own-means-only")
def leaves_the_collective_out(mesh, x):
    return mapped(mesh, lambda x: x - x.mean(axis=0), P("x"), P("x"))(x)


@wrong("stop-gathering", "summed-means")
def adds_the_means_up(mesh, x):
    return mapped(mesh, lambda x: x - lax.psum(x.mean(axis=0), "x"), P("x"), P("x"))(x)


@wrong("stop-gathering", "only-on-eight")
def divides_by_eight_blocks(mesh, x):
    return mapped(mesh, lambda x: x - lax.psum(x.sum(axis=0), "x") / (8 * len(x)), P("x"), P("x"))(x)


@wrong("stop-gathering", "mean-of-everything")
def forgets_the_axis(mesh, x):
    return mapped(mesh, lambda x: x - lax.pmean(x.mean(), "x"), P("x"), P("x"))(x)


@wrong("stop-gathering", "other-collective")
def sends_means_around(mesh, x):
    n = mesh.shape["x"]
    return mapped(mesh, lambda x: x - ring_sum(x.mean(axis=0), n) / n, P("x"), P("x"))(x)


@wrong("stop-gathering", "wrong-value")
def adds_the_mean(mesh, x):
    return mapped(mesh, lambda x: x + lax.pmean(x.mean(axis=0), "x"), P("x"), P("x"))(x)


@wrong("stop-gathering", "not-split")
def collects_at_the_end(mesh, x):
    def body(x):
        here, rows = lax.axis_index("x"), x.shape[0]
        whole = jnp.zeros((mesh.shape["x"] * rows, x.shape[1])) + 0 * x[:1]
        centred = x - lax.pmean(x.mean(axis=0), "x")
        return lax.psum(lax.dynamic_update_slice_in_dim(whole, centred, here * rows, axis=0), "x")

    return mapped(mesh, body, P("x"), P())(x)


@wrong("stop-gathering", "dtype")
def centres_into_complex_numbers(mesh, x):
    return sums_and_counts.answer(mesh, x).astype(jnp.complex64)


# -- weigh-the-means --------------------------------------------------------------------------------------------


@exercise(
    "weigh-the-means",
    see="unequal-means",
    hint=["Which two numbers of each device can be added?", "`psum` of the sums, divided by `psum` of the counts."],
)
def weigh_the_means(answer, rng):
    def draw(n):
        few = [one(n, 3), one(n, 3), one(n, 3, empty=True), one(n, 3, empty=True), one(n, 3, lone=True)]
        return [*few, one(n, 1), one(n, 90)]  # in the last one, more values are valid than a byte counts

    def one(n, block, empty=False, lone=False):
        values, valid = 5 + 3 * normal(rng, n * block), rng.random(n * block) < 0.6
        valid[:block] = True, *[False] * (block - 1)
        if empty and n > 1:
            valid[-block:] = False
            values[~valid] *= np.float32(1e6)
        if lone:
            valid[:], valid[-1] = False, True
        values[0] = 0
        return values, valid

    def mean(n, values, valid):
        return exact(values)[0][valid].mean()

    def blocks(n, values, valid):
        return exact(values)[0].reshape(n, -1), valid.reshape(n, -1)

    def mean_of_means(n, values, valid, least=0):
        v, m = blocks(n, values, valid)
        return ((v * m).sum(1) / np.maximum(m.sum(1), least)).mean()

    def of_those_with_any(n, values, valid):
        v, m = blocks(n, values, valid)
        some = m.any(axis=1)
        return ((v * m).sum(1)[some] / m.sum(1)[some]).mean()

    means = "Each device's mean counts the same, however many values it has. Add the sums, add the counts, divide once."
    slips = [
        ("mean-of-means", mean_of_means, means),
        ("mean-of-means", lambda n, v, m: mean_of_means(n, v, m, 1), means),
        ("mean-of-means", of_those_with_any, means),
        ("counts-the-invalid", lambda n, v, m: (exact(v)[0] * m).mean(),
         "The sum is divided by all values. Only those that are valid count."),
        ("ignores-valid", lambda n, v, m: exact(v)[0].mean(), "All values are in this mean, valid or not."),
        ("divides-by-mean-count", lambda n, v, m: n * mean(n, v, m),
         "The sum over all devices is divided by the mean count of one device: use `psum` for both."),
        ("nothing-by-nothing", lambda n, v, m: mean(n, v, m) if blocks(n, v, m)[1].any(1).all() else np.nan,
         "A device without a valid value divides 0 by 0, which is NaN, and 0 times NaN is NaN too. Add the sums and "
         "the counts of all devices first, and divide once."),
    ]  # fmt: skip
    cases = answered(answer, [["x"], ["x"]], draw, mean)
    require_right(answer, cases, mean, slips, "The mean of the valid values.")
    require(all(case.equal for case in cases), "copies-differ", COPIES_DIFFER, see="variables")


@right("weigh-the-means")
def ratio_of_averages(mesh, values, valid):
    def body(values, valid):
        return lax.pmean(jnp.where(valid, values, 0).sum(), "x") / lax.pmean(valid.astype(jnp.float32).sum(), "x")

    return mapped(mesh, body, (P("x"), P("x")), P())(values, valid)


@right("weigh-the-means")
def leaves_the_mean_to_the_compiler(mesh, values, valid):
    return jnp.mean(values, where=valid)


@wrong("weigh-the-means", "mean-of-means")
def averages_the_averages(mesh, values, valid):
    def body(values, valid):
        mean = (values * valid).sum() / valid.sum()
        return lax.pmean(mean, "x")

    specs = {"in_specs": (P("x"), P("x")), "out_specs": P()}
    return jax.shard_map(body, mesh=mesh, **specs)(values, valid)


@wrong("weigh-the-means", "mean-of-means")
def avoids_nan_only(mesh, values, valid):
    return mapped(mesh, lambda v, m: lax.pmean((v * m).sum() / jnp.maximum(m.sum(), 1), "x"), (P("x"), P("x")), P())(
        values, valid
    )


@wrong("weigh-the-means", "mean-of-means")
def averages_over_devices_with_any(mesh, values, valid):
    def body(v, m):
        some = m.any()
        mean = (v * m).sum() / jnp.maximum(m.sum(), 1)
        return lax.psum(mean, "x") / lax.psum(some.astype(jnp.int32), "x")

    return mapped(mesh, body, (P("x"), P("x")), P())(values, valid)


@wrong("weigh-the-means", "nothing-by-nothing")
def multiplies_the_mean_again(mesh, values, valid):
    def body(v, m):
        mean, count = (v * m).sum() / m.sum(), m.sum()
        return lax.psum(count * mean, "x") / lax.psum(count, "x")

    return mapped(mesh, body, (P("x"), P("x")), P())(values, valid)


@wrong("weigh-the-means", "only-on-eight")
def divides_by_eight_mean_counts(mesh, values, valid):
    def body(v, m):
        return lax.psum(jnp.where(m, v, 0).sum(), "x") / (8 * lax.pmean(m.sum().astype(jnp.float32), "x"))

    return mapped(mesh, body, (P("x"), P("x")), P())(values, valid)


@wrong("weigh-the-means", "counts-the-invalid")
def divides_by_the_length(mesh, values, valid):
    return mapped(mesh, lambda v, m: lax.pmean((v * m).mean(), "x"), (P("x"), P("x")), P())(values, valid)


@wrong("weigh-the-means", "ignores-valid")
def forgets_what_is_valid(mesh, values, valid):
    return mapped(mesh, lambda v, m: lax.pmean(v.mean(), "x"), (P("x"), P("x")), P())(values, valid)


@wrong("weigh-the-means", "divides-by-mean-count")
def sums_one_and_averages_the_other(mesh, values, valid):
    def body(v, m):
        return lax.psum((v * m).sum(), "x") / lax.pmean(m.sum().astype(jnp.float32), "x")

    return mapped(mesh, body, (P("x"), P("x")), P())(values, valid)


@wrong("weigh-the-means", "wrong-value")
def returns_the_sum(mesh, values, valid):
    return mapped(mesh, lambda v, m: lax.psum((v * m).sum(), "x"), (P("x"), P("x")), P())(values, valid)


@wrong("weigh-the-means", "dtype")
def counts_in_half_precision(mesh, values, valid):
    return jnp.stack([jnp.mean(values, where=valid)]).astype(jnp.complex64)[0]


@wrong("weigh-the-means", "copies-differ")
def switches_the_check_off(mesh, values, valid):
    def body(v, m):
        mean = lax.psum((v * m).sum(), "x") / lax.psum(m.sum(), "x")
        return mean + 100 * lax.axis_index("x")

    return mapped(mesh, body, (P("x"), P("x")), P(), check_vma=False)(values, valid)


# -- ring-of-neighbours -----------------------------------------------------------------------------------------


@exercise(
    "ring-of-neighbours",
    see="neighbours",
    hint=[
        "A block needs one element from each neighbour: the last of the block before it, the first of the next.",
        "`lax.ppermute(x[-1:], \"x\", [(i, (i + 1) % n) for i in range(n)])`, then the other way, and concatenate.",
    ],
)  # fmt: skip
def ring_of_neighbours(answer, rng):
    def draw(n):
        return [(3 * normal(rng, 4 * n),) for _ in range(2)] + [(normal(rng, n),) for _ in range(2)]

    def difference(n, x):
        (x,) = exact(x)
        return np.roll(x, -1) - np.roll(x, 1)

    def each_by_itself(n, x):
        blocks = exact(x)[0].reshape(n, -1)
        return (np.roll(blocks, -1, 1) - np.roll(blocks, 1, 1)).ravel()

    def on_a_line(n, x):
        (x,) = exact(x)
        return np.append(x[1:], 0) - np.append(0, x[:-1])

    def swapped(n, x):
        blocks = exact(x)[0].reshape(n, -1)
        before, after = np.roll(blocks[:, -1:], -1, 0), np.roll(blocks[:, :1], 1, 0)
        wide = np.hstack([before, blocks, after])
        return (wide[:, 2:] - wide[:, :-2]).ravel()

    slips = [
        ("wrong-sign", lambda n, x: -difference(n, x), "The next element minus the previous one, not the reverse."),
        ("each-by-itself", each_by_itself, "Each block has been made into a ring of its own: nothing is sent."),
        ("ends-open", on_a_line,
         "The ends are not joined: a device to which nobody sends gets zeros, and they look like numbers."),
        ("sent-the-other-way", swapped,
         "The pairs are read the wrong way round: (source, destination). The last element must go *up*."),
    ]  # fmt: skip
    cases = answered(answer, [["x"]], draw, difference)
    require_right(answer, cases, difference, slips, "The next element minus the previous one.")
    for block in (4, 1):
        placed = probe.placing({"x": 8}, ["x"], mesh="argument")
        found = answer.probe(probe.partitioned, placed, normal(rng, 8 * block))
        require_split(found["pieces"][0], 8)
        require_only(found["collectives"], "collective-permute")


def neighbours(mesh, x, up, down, sign=1):
    """The exercise's solution with other pairs."""

    def body(x):
        wide = jnp.concatenate([lax.ppermute(x[-1:], "x", up), x, lax.ppermute(x[:1], "x", down)])
        return sign * (wide[2:] - wide[:-2])

    return mapped(mesh, body, P("x"), P("x"))(x)


def ring_of(mesh):
    """The pairs of a ring, upwards."""
    n = mesh.shape["x"]
    return [(i, (i + 1) % n) for i in range(n)]


@right("ring-of-neighbours")
def sends_whole_blocks(mesh, x):
    up = ring_of(mesh)

    def body(x):
        before, after = lax.ppermute(x, "x", up), lax.ppermute(x, "x", [(j, i) for i, j in up])
        left = jnp.roll(x, 1).at[0].set(before[-1])
        return jnp.roll(x, -1).at[-1].set(after[0]) - left

    return mapped(mesh, body, P("x"), P("x"))(x)


@wrong("ring-of-neighbours", "wrong-sign")
def previous_minus_next(mesh, x):
    up = ring_of(mesh)
    return neighbours(mesh, x, up, [(j, i) for i, j in up], -1)


@wrong("ring-of-neighbours", "sent-the-other-way")
def reads_pairs_as_to_and_from(mesh, x):
    up = ring_of(mesh)
    return neighbours(mesh, x, [(j, i) for i, j in up], up)


@wrong("ring-of-neighbours", "ends-open")
def a_line_of_devices(mesh, x):
    up = ring_of(mesh)[:-1]
    return neighbours(mesh, x, up, [(j, i) for i, j in up])


@wrong("ring-of-neighbours", "only-on-eight")
def a_ring_of_eight(mesh, x):
    up = [(i, (i + 1) % 8) for i in range(8)]
    return neighbours(mesh, x, up, [(j, i) for i, j in up])


@wrong("ring-of-neighbours", "each-by-itself")
def rolls_each_block(mesh, x):
    return mapped(mesh, lambda x: jnp.roll(x, -1) - jnp.roll(x, 1), P("x"), P("x"))(x)


@wrong("ring-of-neighbours", "gathers")
def gathers_the_ring(mesh, x):
    def body(x):
        whole, here = lax.all_gather(x, "x", tiled=True), lax.axis_index("x") * x.shape[0]
        return lax.dynamic_slice_in_dim(jnp.roll(whole, -1) - jnp.roll(whole, 1), here, x.shape[0])

    return mapped(mesh, body, P("x"), P("x"))(x)


@wrong("ring-of-neighbours", "other-collective")
def sums_all_edges(mesh, x):
    n = mesh.shape["x"]

    def body(x):
        here = lax.axis_index("x")
        edges = jnp.zeros((n, 2)) + 0 * x[0]
        edges = lax.psum(edges.at[here].set(jnp.stack([x[0], x[-1]])), "x")
        wide = jnp.concatenate([edges[(here - 1) % n, 1:], x, edges[(here + 1) % n, :1]])
        return wide[2:] - wide[:-2]

    return mapped(mesh, body, P("x"), P("x"))(x)


@wrong("ring-of-neighbours", "not-split")
def collects_the_ring(mesh, x):
    up = ring_of(mesh)
    result = neighbours(mesh, x, up, [(j, i) for i, j in up])
    return lax.with_sharding_constraint(result, jax.sharding.NamedSharding(mesh, P()))


@wrong("ring-of-neighbours", "wrong-value")
def halves_it(mesh, x):
    up = ring_of(mesh)
    return neighbours(mesh, x, up, [(j, i) for i, j in up], 0.5)


@wrong("ring-of-neighbours", "dtype")
def neighbours_as_complex_numbers(mesh, x):
    return sends_whole_blocks.answer(mesh, x).astype(jnp.complex64)


# -- how-many-times ---------------------------------------------------------------------------------------------


def measured_on_four():
    """The five ratios, measured on four devices."""
    mesh = jax.make_mesh((4,), ("x",), (AxisType.Auto,), devices=jax.devices()[:4])
    batch, w = np.arange(1, 9, dtype=np.float32), np.float32(1.5)

    def local(w, x):
        return ((w * x - 1) ** 2).mean()

    slope = jax.grad(local)
    bodies = {
        "grad(local)(w)": slope,
        'pmean(grad(local)(w), "x")': lambda w, x: lax.pmean(slope(w, x), "x"),
        'psum(grad(local)(w), "x")': lambda w, x: lax.psum(slope(w, x), "x"),
        'grad(lambda w: pmean(local(w), "x"))(w)': jax.grad(lambda w, x: lax.pmean(local(w, x), "x")),
        'grad(lambda w: psum(local(w), "x"))(w)': jax.grad(lambda w, x: lax.psum(local(w, x), "x")),
    }
    runs = {name: jax.jit(mapped(mesh, body, (P(), P("x")), P()))(w, batch) for name, body in bodies.items()}
    return {name: round(float(run / slope(w, batch)), 3) for name, run in runs.items()}


how_many_times = prediction(
    "how-many-times",
    see="eight-times",
    hint=[
        "The gradient of a replicated argument has been summed over the devices before you see it.",
        "The sum of four local gradients is four times the true one. What do `pmean` and `psum` make of equal numbers?",
    ],
    truth=measured_on_four,
    mistakes=[
        Mistake("average-mends-it", {'pmean(grad(local)(w), "x")': 1},
                "That was true in the days of `pmap`. Here the gradients are summed and equal already, and their mean "
                "changes nothing."),
        Mistake("local-gradient", {"grad(local)(w)": 1},
                "With the check on, what you get is not the device's own gradient: it has been summed over all."),
        Mistake("eight-devices", {"grad(local)(w)": 8},
                "The mesh has four devices here."),
        Mistake("psum-once", {'psum(grad(local)(w), "x")': 4},
                "The gradients are summed already; `psum` adds four such sums."),
        Mistake("sum-inside-is-right", {'grad(lambda w: psum(local(w), "x"))(w)': 1},
                "The sum of four local means is four times the mean of the batch, and so is its gradient."),
        Mistake("mean-inside-too-large", {'grad(lambda w: pmean(local(w), "x"))(w)': 4},
                "The mean of four local means *is* the mean of the batch, so its gradient is the true one."),
    ],
    otherwise="Count how often something is summed over the devices.",
)  # fmt: skip

# -- data-parallel-step -----------------------------------------------------------------------------------------


def parts_of(result):
    """The weights, the bias and the loss of a step, as a list."""
    params, loss = result
    return [params["w"], params["b"], loss]


def is_a_step(result):
    """Whether something is a pair of parameters and a loss."""
    pair = isinstance(result, (tuple, list)) and len(result) == 2
    return pair and isinstance(result[0], dict) and result[0].keys() == {"w", "b"} and not isinstance(result[1], TREES)


def a_step(params, x, y, rate, times=1.0, loss_times=1.0):
    """One step on one device, in float64; the gradient and the loss can be made too large."""
    w, b, x, y = exact(params["w"], params["b"], x, y)
    error = x @ w + b - y
    slope = 2 * times * rate / len(y)
    return [w - slope * (x.T @ error), b - slope * error.sum(), loss_times * (error**2).mean()]


@exercise(
    "data-parallel-step",
    points=2,
    see="data-parallel",
    hint=[
        "Differentiate the loss of the whole batch: what must happen to the local loss, and where?",
        "`jax.value_and_grad` of a function that returns `lax.pmean(local, \"x\")`.",
    ],
)  # fmt: skip
def data_parallel_step(answer, rng):
    specs = [{"w": [], "b": []}, ["x"], ["x"], None]

    def draw(n):
        return [one(n, 4 if n == 2 else 3) for _ in range(2)]

    def one(n, inputs):
        x, y = normal(rng, 2 * n, inputs) + 1, 3 * normal(rng, 2 * n)
        return {"w": normal(rng, inputs), "b": np.float32(rng.normal())}, x, y, np.float32(rng.uniform(0.05, 0.2))

    def step(n, params, x, y, rate):
        return a_step(params, x, y, rate)

    def local(n, params, x, y, rate):
        first = len(y) // n
        return [*a_step(params, x[:first], y[:first], rate)[:2], a_step(params, x, y, rate)[2]]

    def after(n, params, x, y, rate):
        w, b, _ = a_step(params, x, y, rate)
        return [w, b, a_step({"w": w, "b": b}, x, y, rate)[2]]

    large = (
        "The step is too large by the number of devices: the gradient of a replicated argument is summed already. "
        "Put the `pmean` on the loss, inside what is differentiated."
    )
    sums = "The loss is the sum of the devices' means: `psum` where `pmean` belongs, and the step is as much too large."
    squared = "Sums of sums: the gradients were summed over the devices already, and then `psum` adds them once more."
    slips = [
        ("step-too-large", lambda n, *a: a_step(*a, times=n), large),
        ("summed-loss", lambda n, *a: a_step(*a, times=n, loss_times=n), sums),
        ("summed-twice", lambda n, *a: a_step(*a, times=n * n), squared),
        ("own-gradient", local,
         "Each device steps along the gradient of its own part. What came back is the first device's."),
        ("uphill", lambda n, *a: a_step(*a, times=-1), "The step goes uphill: subtract the gradient."),
        ("loss-after", after, "The parameters are right. The loss should be the one *before* the step."),
        ("half-gradient", lambda n, *a: a_step(*a, times=0.5), "The derivative of a square has a factor of 2."),
    ]  # fmt: skip
    cases = answered(answer, specs, draw, step)
    message = "Return a pair: a dictionary with the new `w` and `b`, and the loss."
    require(all(is_a_step(case.got) for case in cases), "not-a-pair", message)
    differ = not all(case.equal for case in cases)
    refuse(
        differ, "copies-differ", f"{COPIES_DIFFER} After this step the devices train different models.", see="variables"
    )
    require_right(answer, cases, step, slips, "One step, as on one device.", parts_of)
    placed = probe.placing({"x": 8}, *specs, mesh="argument")
    found = answer.probe(probe.partitioned, placed, *one(8, 8))
    require_only(found["collectives"], "all-reduce")
    require_copies(found["pieces"], 8)


def step_of(mesh, params, x, y, body, **more):
    """A step by a body."""
    return mapped(mesh, body, (P(), P("x"), P("x")), (P(), P()), **more)(params, x, y)


def local_loss(params, x, y):
    """The loss of one device's part."""
    return ((x @ params["w"] + params["b"] - y) ** 2).mean()


def moved(params, slopes, rate):
    """Parameters after a step."""
    return jax.tree.map(lambda p, g: p - rate * g, params, slopes)


@right("data-parallel-step")
def old_line_without_the_check(mesh, params, x, y, rate):
    def body(params, x, y):
        value, slopes = lax.pmean(jax.value_and_grad(local_loss)(params, x, y), "x")
        return moved(params, slopes, rate), value

    return step_of(mesh, params, x, y, body, check_vma=False)


@right("data-parallel-step")
def gradient_around_the_map(mesh, params, x, y, rate):
    whole = mapped(mesh, lambda *a: lax.pmean(local_loss(*a), "x"), (P(), P("x"), P("x")), P())
    value, slopes = jax.value_and_grad(whole)(params, x, y)
    return [moved(params, slopes, rate), value]


@right("data-parallel-step")
def the_compilers_way(mesh, params, x, y, rate):
    value, slopes = jax.value_and_grad(local_loss)(params, x, y)
    whole = jax.sharding.NamedSharding(mesh, P())
    return jax.tree.map(lambda a: lax.with_sharding_constraint(a, whole), (moved(params, slopes, rate), value))


@wrong("data-parallel-step", "only-on-eight")
def takes_an_eighth_of_the_sum(mesh, params, x, y, rate):
    whole = mapped(mesh, lambda *a: lax.psum(local_loss(*a), "x") / 8, (P(), P("x"), P("x")), P())
    value, slopes = jax.value_and_grad(whole)(params, x, y)
    return moved(params, slopes, rate), value


@wrong("data-parallel-step", "step-too-large")
def averages_the_gradient(mesh, params, x, y, rate):
    def body(params, x, y):
        value, slopes = jax.value_and_grad(local_loss)(params, x, y)
        return moved(params, lax.pmean(slopes, "x"), rate), lax.pmean(value, "x")

    return step_of(mesh, params, x, y, body)


@wrong("data-parallel-step", "step-too-large")
def averages_the_loss_only(mesh, params, x, y, rate):
    def body(params, x, y):
        value, slopes = jax.value_and_grad(local_loss)(params, x, y)
        return moved(params, slopes, rate), lax.pmean(value, "x")

    return step_of(mesh, params, x, y, body)


@wrong("data-parallel-step", "summed-loss")
def sums_the_losses(mesh, params, x, y, rate):
    def body(params, x, y):
        value, slopes = jax.value_and_grad(lambda p: lax.psum(local_loss(p, x, y), "x"))(params)
        return moved(params, slopes, rate), value

    return step_of(mesh, params, x, y, body)


@wrong("data-parallel-step", "summed-twice")
def sums_the_gradients(mesh, params, x, y, rate):
    def body(params, x, y):
        value, slopes = jax.value_and_grad(local_loss)(params, x, y)
        return moved(params, lax.psum(slopes, "x"), rate), lax.pmean(value, "x")

    return step_of(mesh, params, x, y, body)


@wrong("data-parallel-step", "copies-differ")
def never_meets(mesh, params, x, y, rate):
    def body(params, x, y):
        value, slopes = jax.value_and_grad(local_loss)(params, x, y)
        return moved(params, slopes, rate), lax.pmean(value, "x")

    return step_of(mesh, params, x, y, body, check_vma=False)


@wrong("data-parallel-step", "own-gradient")
def looks_at_its_first_part(mesh, params, x, y, rate):
    part = len(y) // mesh.shape["x"]
    slopes = jax.grad(local_loss)(params, x[:part], y[:part])
    return moved(params, slopes, rate), local_loss(params, x, y)


@wrong("data-parallel-step", "uphill")
def climbs(mesh, params, x, y, rate):
    return gradient_around_the_map.answer(mesh, params, x, y, -rate)


@wrong("data-parallel-step", "loss-after")
def looks_afterwards(mesh, params, x, y, rate):
    params, _ = gradient_around_the_map.answer(mesh, params, x, y, rate)
    return params, gradient_around_the_map.answer(mesh, params, x, y, rate)[1]


@wrong("data-parallel-step", "not-a-pair")
def forgets_the_loss(mesh, params, x, y, rate):
    return gradient_around_the_map.answer(mesh, params, x, y, rate)[0]


@wrong("data-parallel-step", "wrong-value")
def a_rate_of_its_own(mesh, params, x, y, rate):
    return gradient_around_the_map.answer(mesh, params, x, y, 0.3)


@wrong("data-parallel-step", "gathers")
def gathers_the_batch(mesh, params, x, y, rate):
    def body(params, x, y):
        x, y = (lax.all_gather(part, "x", tiled=True) for part in (x, y))
        value, slopes = jax.value_and_grad(local_loss)(params, x, y)
        return moved(params, slopes, rate), value

    return step_of(mesh, params, x, y, body, check_vma=False)


@wrong("data-parallel-step", "other-collective")
def sends_gradients_around(mesh, params, x, y, rate):
    n = mesh.shape["x"]

    def body(params, x, y):
        found = jax.value_and_grad(local_loss)(params, x, y)
        # The sum is in another order on each device, so the copies are made equal again.
        value, slopes = jax.tree.map(lambda v: lax.pmax(ring_sum(v, n) / n, "x"), found)
        return moved(params, slopes, rate), value

    return step_of(mesh, params, x, y, body, check_vma=False)


@wrong("data-parallel-step", "not-replicated")
def leaves_weights_in_pieces(mesh, params, x, y, rate):
    params, value = gradient_around_the_map.answer(mesh, params, x, y, rate)
    pieces = jax.sharding.NamedSharding(mesh, P("x"))
    return params | {"w": lax.with_sharding_constraint(params["w"], pieces)}, value


@wrong("data-parallel-step", "half-gradient")
def forgets_the_two(mesh, params, x, y, rate):
    return gradient_around_the_map.answer(mesh, params, x, y, rate / 2)


@wrong("data-parallel-step", "dtype")
def a_complex_loss(mesh, params, x, y, rate):
    params, value = gradient_around_the_map.answer(mesh, params, x, y, rate)
    return params, value.astype(jnp.complex64)


# -- gradient-in-pieces -----------------------------------------------------------------------------------------


@exercise(
    "gradient-in-pieces",
    points=2,
    see="split-parameters",
    hint=[
        "Gather `w` inside what is differentiated. What is the transpose of gathering?",
        "`jax.grad` of a function of the pieces, which gathers `w` and returns the `pmean` of the loss.",
    ],
)
def gradient_in_pieces(answer, rng):
    def draw(n):
        return [one(n) for _ in range(2)]

    def one(n):
        rows, outputs = {8: (3 * n, 3), 2: (2 * n, 4), 1: (4, 2)}[n]
        return normal(rng, 2 * n, outputs), normal(rng, rows, 2 * n), 2 * normal(rng, rows, outputs)

    def gradient(n, w, x, y):
        w, x, y = exact(w, x, y)
        return 2 * x.T @ (x @ w - y) / y.size

    slips = [
        ("too-large", lambda n, *a: n * gradient(n, *a),
         "The gradients of all devices are added up, and the mean over the batch needs their average: divide by the "
         "number of devices, or put `pmean` on the loss."),
        ("too-small", lambda n, *a: gradient(n, *a) / n,
         "The gradient is divided by the number of devices once too often."),
        ("half", lambda n, *a: gradient(n, *a) / 2, "The derivative of a square has a factor of 2."),
        ("mean-over-rows", lambda n, w, x, y: y.shape[1] * gradient(n, w, x, y),
         "The mean is over all elements of `y`, its columns as well as its rows."),
    ]  # fmt: skip
    cases = answered(answer, [["x"]] * 3, draw, gradient)
    require_right(answer, cases, gradient, slips, "The gradient of the mean squared error.")
    for n in (8, 2):
        placed = probe.placing({"x": n}, *[["x"]] * 3, mesh="argument")
        found = answer.probe(probe.partitioned, placed, *one(n))
        summed = "all-reduce" in found["collectives"]
        message = (
            "The compiled program contains an all-reduce: every device gets all of the gradient, where its own rows "
            "are enough. Gather `w` inside what is differentiated, or use `psum_scatter`."
        )
        refuse(summed, "sums-for-everybody", message)
        require("reduce-scatter" in found["collectives"], "no-scatter", "The compiled program has no reduce-scatter.")
        require_split(found["pieces"][0], n)


def in_pieces(mesh, body, w, x, y):
    """A gradient by a body."""
    return mapped(mesh, body, (P("x"), P("x"), P("x")), P("x"))(w, x, y)


def gathered_loss(w, x, y):
    """The loss of one device's part of the batch."""
    return ((x @ lax.all_gather(w, "x", tiled=True) - y) ** 2).mean()


@right("gradient-in-pieces")
def divides_afterwards(mesh, w, x, y):
    n = mesh.shape["x"]
    return in_pieces(mesh, lambda *a: jax.grad(gathered_loss)(*a) / n, w, x, y)


@right("gradient-in-pieces")
def scatters_by_hand(mesh, w, x, y):
    size = y.size

    def body(w, x, y):
        error = x @ lax.all_gather(w, "x", tiled=True) - y
        return lax.psum_scatter(2 * x.T @ error, "x", tiled=True) / size

    return in_pieces(mesh, body, w, x, y)


@wrong("gradient-in-pieces", "too-large")
def no_average(mesh, w, x, y):
    return in_pieces(mesh, jax.grad(gathered_loss), w, x, y)


@wrong("gradient-in-pieces", "only-on-eight")
def divides_by_eight(mesh, w, x, y):
    return in_pieces(mesh, lambda *a: jax.grad(gathered_loss)(*a) / 8, w, x, y)


@wrong("gradient-in-pieces", "too-small")
def averages_twice(mesh, w, x, y):
    n = mesh.shape["x"]
    return in_pieces(mesh, jax.grad(lambda *a: lax.pmean(gathered_loss(*a), "x") / n), w, x, y)


@wrong("gradient-in-pieces", "half")
def forgets_the_factor(mesh, w, x, y):
    return in_pieces(mesh, jax.grad(lambda *a: lax.pmean(gathered_loss(*a), "x") / 2), w, x, y)


@wrong("gradient-in-pieces", "mean-over-rows")
def sums_over_columns(mesh, w, x, y):
    columns = y.shape[1]
    return in_pieces(mesh, jax.grad(lambda *a: lax.pmean(gathered_loss(*a), "x") * columns), w, x, y)


@wrong("gradient-in-pieces", "sums-for-everybody")
def asks_the_compiler(mesh, w, x, y):
    slope = jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)
    return lax.with_sharding_constraint(slope, jax.sharding.NamedSharding(mesh, P("x")))


@wrong("gradient-in-pieces", "no-scatter")
def gathers_all_gradients(mesh, w, x, y):
    size = y.size

    def body(w, x, y):
        whole, rows = lax.all_gather(w, "x", tiled=True), w.shape[0]
        slopes = lax.all_gather(2 * x.T @ (x @ whole - y), "x").sum(0)
        return lax.dynamic_slice_in_dim(slopes, lax.axis_index("x") * rows, rows) / size

    return in_pieces(mesh, body, w, x, y)


@wrong("gradient-in-pieces", "not-split")
def puts_it_together(mesh, w, x, y):
    result = scatters_by_hand.answer(mesh, w, x, y)
    return lax.with_sharding_constraint(result, jax.sharding.NamedSharding(mesh, P()))


@wrong("gradient-in-pieces", "wrong-value")
def another_sign(mesh, w, x, y):
    return -scatters_by_hand.answer(mesh, w, x, y)


@wrong("gradient-in-pieces", "dtype")
def a_complex_gradient(mesh, w, x, y):
    return scatters_by_hand.answer(mesh, w, x, y).astype(jnp.complex64)


# -- sum-what-is-spread -----------------------------------------------------------------------------------------


@exercise(
    "sum-what-is-spread",
    see="tensor-parallel",
    hint=["Which of the terms does every device have in full?", "Add `b2` after the `psum`. Where does `b1` belong?"],
)
def sum_what_is_spread(answer, rng):
    specs = [[], [None, "x"], ["x"], ["x"], []]

    def draw(n):
        return [one(n) for _ in range(2)]

    def one(n, rows=5):
        return (
            normal(rng, rows, 4),
            normal(rng, 4, 2 * n),
            normal(rng, 2 * n),
            normal(rng, 2 * n, 3),
            normal(rng, 3) + 1,
        )

    def layers(n, x, w1, b1, w2, b2, bias=1.0, inner=1.0):
        x, w1, b1, w2, b2 = exact(x, w1, b1, w2, b2)
        return np.tanh(x @ w1 + inner * b1) @ w2 + bias * b2

    slips = [
        ("bias-summed", lambda n, *a: layers(n, *a, bias=n),
         "Every device adds all of `b2`, and then the devices are summed: the bias is in it once for each device."),
        ("bias-lost", lambda n, *a: layers(n, *a, bias=0), "The second bias is missing."),
        ("averaged", lambda n, *a: layers(n, *a, bias=0) / n + exact(a[-1])[0],
         "The terms of an output are averaged. They belong together: `psum`."),
        ("averaged", lambda n, *a: layers(n, *a, bias=n) / n,
         "The terms of an output are averaged. They belong together: `psum`."),
        ("inner-bias-lost", lambda n, *a: layers(n, *a, inner=0), "The first bias is missing."),
        ("no-tanh", lambda n, x, w1, b1, w2, b2: (x @ w1 + b1) @ w2 + b2, "The `tanh` between the layers is missing."),
    ]  # fmt: skip
    cases = answered(answer, specs, draw, layers)
    differ = not all(case.equal for case in cases)
    refuse(differ, "copies-differ", COPIES_DIFFER, see="variables")
    require_right(answer, cases, layers, slips, "As on one device.")
    found = answer.probe(probe.partitioned, probe.placing({"x": 8}, *specs, mesh="argument"), *one(8, 8))
    require_only(found["collectives"], "all-reduce")
    require_copies(found["pieces"], 8)


def two_layers(mesh, body, args, **more):
    """Two layers by a body."""
    return mapped(mesh, body, (P(), P(None, "x"), P("x"), P("x"), P()), P(), **more)(*args)


@right("sum-what-is-spread")
def shares_the_bias(mesh, *args):
    n = mesh.shape["x"]
    return two_layers(mesh, lambda x, w, b, v, c: lax.psum(jnp.tanh(x @ w + b) @ v + c / n, "x"), args)


@right("sum-what-is-spread")
def adds_it_outside(mesh, *args):
    return two_layers(mesh, lambda x, w, b, v, c: lax.psum(jnp.tanh(x @ w + b) @ v, "x"), args) + args[-1]


@wrong("sum-what-is-spread", "bias-summed")
def sums_everything(mesh, x, w1, b1, w2, b2):
    def body(x, w1, b1, w2, b2):
        return lax.psum(jnp.tanh(x @ w1 + b1) @ w2 + b2, "x")

    mapped = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "x"), P("x"), P("x"), P()),
        out_specs=P(),
    )
    return mapped(x, w1, b1, w2, b2)


@wrong("sum-what-is-spread", "averaged")
def averages_everything(mesh, *args):
    return two_layers(mesh, lambda x, w, b, v, c: lax.pmean(jnp.tanh(x @ w + b) @ v + c, "x"), args)


@wrong("sum-what-is-spread", "averaged")
def averages_the_terms(mesh, *args):
    return two_layers(mesh, lambda x, w, b, v, c: lax.pmean(jnp.tanh(x @ w + b) @ v, "x") + c, args)


@wrong("sum-what-is-spread", "only-on-eight")
def adds_an_eighth_of_the_bias(mesh, *args):
    return two_layers(mesh, lambda x, w, b, v, c: lax.psum(jnp.tanh(x @ w + b) @ v + c / 8, "x"), args)


@wrong("sum-what-is-spread", "bias-lost")
def drops_the_bias(mesh, *args):
    return two_layers(mesh, lambda x, w, b, v, c: lax.psum(jnp.tanh(x @ w + b) @ v, "x"), args)


@wrong("sum-what-is-spread", "inner-bias-lost")
def drops_the_first_bias(mesh, *args):
    return two_layers(mesh, lambda x, w, b, v, c: lax.psum(jnp.tanh(x @ w) @ v, "x") + c, args)


@wrong("sum-what-is-spread", "no-tanh")
def forgets_the_bend(mesh, *args):
    return two_layers(mesh, lambda x, w, b, v, c: lax.psum((x @ w + b) @ v, "x") + c, args)


@wrong("sum-what-is-spread", "copies-differ")
def switches_off_the_check(mesh, *args):
    return two_layers(mesh, lambda x, w, b, v, c: jnp.tanh(x @ w + b) @ v + c, args, check_vma=False)


@wrong("sum-what-is-spread", "gathers")
def gathers_the_units(mesh, *args):
    def body(x, w, b, v, c):
        hidden = lax.all_gather(jnp.tanh(x @ w + b), "x", axis=1, tiled=True)
        return hidden @ lax.all_gather(v, "x", tiled=True) + c

    return two_layers(mesh, body, args, check_vma=False)


@wrong("sum-what-is-spread", "other-collective")
def sends_terms_around(mesh, *args):
    n = mesh.shape["x"]

    def body(x, w, b, v, c):
        # The sum is in another order on each device, so the copies are made equal again.
        return lax.pmax(ring_sum(jnp.tanh(x @ w + b) @ v, n), "x") + c

    return two_layers(mesh, body, args, check_vma=False)


@wrong("sum-what-is-spread", "not-replicated")
def leaves_rows_on_devices(mesh, x, *weights):
    result = adds_it_outside.answer(mesh, x, *weights)
    return lax.with_sharding_constraint(result, jax.sharding.NamedSharding(mesh, P("x")))


@wrong("sum-what-is-spread", "wrong-value")
def adds_one(mesh, *args):
    return adds_it_outside.answer(mesh, *args) + 1


@wrong("sum-what-is-spread", "dtype")
def complex_outputs(mesh, *args):
    return adds_it_outside.answer(mesh, *args).astype(jnp.complex64)


# -- noise-of-ones-own ------------------------------------------------------------------------------------------


def noised(student_function, placed, x, other, seeds):
    """The results for several seeds, and for another `x`, who holds what, and how many numbers a device draws."""
    function, (place_x,), _ = probe.prepared(student_function, placed, [x])
    (place_other,) = probe.prepared(student_function, placed, [other])[1]
    keys = [jax.random.key(seed) for seed in seeds]
    # With two seeds it is called twice in one program, which costs less than a second program.
    run = jax.jit(lambda key, x: [function(key, x) for _ in seeds])
    held = probe.pieces(run(keys[0], place_x)[0], probe.mesh_of(placed))
    first, *others = [[np.asarray(noise) for noise in run(key, place_x)] for key in keys]
    results = [first[0], *(noises[0] for noises in others)]
    open_programs = [jax.make_jaxpr(function)(keys[0], place_x).jaxpr]
    drawn, mapped_at_all = 0, False
    while open_programs:
        for equation in open_programs.pop().eqns:
            mapped_at_all = mapped_at_all or equation.primitive.name == "shard_map"
            if equation.primitive.name == "random_bits":
                drawn += int(np.prod(equation.params["shape"])) * int(np.prod(equation.invars[0].aval.shape))
            for value in jax.tree.leaves(list(equation.params.values()), is_leaf=lambda v: hasattr(v, "jaxpr")):
                inner = getattr(value, "jaxpr", value)
                if hasattr(inner, "eqns"):
                    open_programs.append(inner)
    facts = {"results": results, "drawn": drawn, "mapped": mapped_at_all, "held": held}
    if len(seeds) == 1:
        return facts
    again = all(np.array_equal(noise, first[0]) for noise in first)
    return facts | {"again": again, "other": np.asarray(run(keys[0], place_other)[0])}


def repeats(noise):
    """How many numbers occur more than once, with either sign; chance alone makes one now and then."""
    return noise.size - len(np.unique(np.abs(noise)))


def follow_each_other(blocks):
    """Whether the numbers of two devices go up and down together, or one up where the other goes down."""
    alike = np.corrcoef(blocks) - np.eye(len(blocks))
    return bool(np.any(np.abs(alike) > 0.75))


def bent(noise):
    """Whether thousands of numbers have another mean, spread or shape than standard normal ones."""
    fourth = (noise**4).mean()
    return abs(noise.mean()) > 0.05 or abs(noise.std() - 1) > 0.035 or abs(fourth - 3) > 0.5 or abs(noise).max() < 3


@exercise(
    "noise-of-ones-own",
    see="random-numbers",
    hint=["What is different on each device?", "`jax.random.fold_in(key, lax.axis_index(\"x\"))`"],
)  # fmt: skip
def noise_of_ones_own(answer, rng):
    first = int(rng.integers(10_000))
    placed = {n: probe.placing({"x": n}, ["x"], mesh="argument") for n in (8, 2)}
    zeros, x = np.zeros(512, np.float32), 30 * normal(rng, 512)
    found = {n: answer.probe(noised, placed[n], zeros, x, [first, first + 1]) for n in (8, 2)}
    for n, facts in found.items():
        for result in facts["results"]:
            shape = numbers(result).shape
            require(shape == (512,), "wrong-shape", f"The result should have the shape of `x`, (512,), not {shape}.")
        noise, other = facts["results"]
        blocks = noise.reshape(n, -1)
        message = "All devices have the same numbers: one key, and the same shape on each."
        refuse(n > 1 and (blocks == blocks[0]).all(), "same-on-all-devices", message)
        message = "The numbers of two devices follow each other: one draw, turned over, stretched or shifted for each "
        message += "device. Each needs a key of its own."
        refuse(follow_each_other(blocks), "one-draw-changed", message)
        refuse(repeats(noise) > 3, "repeats", "Some numbers occur several times: one draw for several elements.")
        message = "The same key gave other numbers in another call: something outside of the key is counted or drawn."
        require(facts["again"], "hidden-state", message)
        message = "Another key gave the same numbers: the noise does not depend on `key`."
        refuse(close(noise, other), "key-ignored", message)
        shared = len(np.intersect1d(noise, other)) > 5
        message = "Two keys share many of their numbers: the devices' keys overlap. Use `fold_in` or `split`."
        refuse(shared, "keys-overlap", message)
    zeros = np.zeros(2**14, np.float32)
    (many,) = answer.probe(noised, placed[2], zeros, zeros, [first])["results"]
    refuse(bent(many), "not-normal", "The noise is not standard normal: mean 0, standard deviation 1.")
    message = "The number of an element follows that of the one beside it: each should be drawn by itself."
    refuse(abs(np.corrcoef(many[:-1], many[1:])[0, 1]) > 0.06, "neighbours-alike", message)
    message = "The same noise should be added to `x`, whatever its numbers are."
    expect(found[8]["other"] - found[8]["results"][0], x, message, label="x-lost", rtol=1e-4)
    require(found[8]["mapped"], "not-mapped", "The numbers are right. The task asks for `jax.shard_map`.")
    message = "Each device draws the numbers of all devices, and throws most of them away."
    refuse(found[8]["drawn"] > 512 // 8, "draws-for-all", message)
    require_split(found[8]["held"][0], 8)


def noisy(mesh, body, *args):
    """Noise by a body."""
    return mapped(mesh, body, (P(), P("x")), P("x"))(*args)


@right("noise-of-ones-own")
def one_key_for_each(mesh, key, x):
    keys = jax.random.split(key, mesh.shape["x"])
    return mapped(mesh, lambda k, x: x + jax.random.normal(k[0], x.shape), (P("x"), P("x")), P("x"))(keys, x)


@right("noise-of-ones-own")
def splits_inside(mesh, key, x):
    n = mesh.shape["x"]
    return noisy(mesh, lambda k, x: x + jax.random.normal(jax.random.split(k, n)[lax.axis_index("x")], x.shape), key, x)


@wrong("noise-of-ones-own", "same-on-all-devices")
def one_key_for_all(mesh, key, x):
    def body(key, x):
        return x + jax.random.normal(key, x.shape)

    specs = {"in_specs": (P(), P("x")), "out_specs": P("x")}
    return jax.shard_map(body, mesh=mesh, **specs)(key, x)


@wrong("noise-of-ones-own", "same-on-all-devices")
def splits_the_same_on_all(mesh, key, x):
    return noisy(mesh, lambda k, x: x + jax.random.normal(jax.random.split(k)[1], x.shape), key, x)


@wrong("noise-of-ones-own", "key-ignored")
def seeds_by_number(mesh, key, x):
    return noisy(mesh, lambda k, x: x + jax.random.normal(jax.random.key(lax.axis_index("x")), x.shape), key, x)


@wrong("noise-of-ones-own", "keys-overlap")
def counts_on_from_the_seed(mesh, key, x):
    def body(k, x):
        seed = jax.random.key_data(k)[1] + lax.axis_index("x").astype(jnp.uint32)
        return x + jax.random.normal(jax.random.key(seed), x.shape)

    return noisy(mesh, body, key, x)


@wrong("noise-of-ones-own", "hidden-state")
def counts_its_calls(mesh, key, x):
    CALLS.append(key)
    key = jax.random.fold_in(key, len(CALLS))
    return noisy(mesh, lambda k, x: x + jax.random.normal(jax.random.fold_in(k, lax.axis_index("x")), x.shape), key, x)


CALLS = []


@wrong("noise-of-ones-own", "repeats")
def one_number_for_each_device(mesh, key, x):
    return noisy(mesh, lambda k, x: x + jax.random.normal(jax.random.fold_in(k, lax.axis_index("x"))), key, x)


@wrong("noise-of-ones-own", "not-normal")
def uniform_noise(mesh, key, x):
    return noisy(mesh, lambda k, x: x + jax.random.uniform(jax.random.fold_in(k, lax.axis_index("x")), x.shape), key, x)


@wrong("noise-of-ones-own", "not-normal")
def noise_that_is_too_strong(mesh, key, x):
    return x + 1.1 * (one_key_for_each.answer(mesh, key, x) - x)


@wrong("noise-of-ones-own", "neighbours-alike")
def averages_neighbours(mesh, key, x):
    noise = one_key_for_each.answer(mesh, key, x) - x
    return x + (noise + jnp.roll(noise, 1)) / jnp.sqrt(2.0)


@wrong("noise-of-ones-own", "one-draw-changed")
def turns_the_sign_over(mesh, key, x):
    def body(k, x):
        here = lax.axis_index("x")
        return x + jax.random.normal(jax.random.fold_in(k, here // 2), x.shape) * (1 - 2 * (here % 2))

    return noisy(mesh, body, key, x)


@wrong("noise-of-ones-own", "not-split")
def collects_the_noise(mesh, key, x):
    whole = jax.sharding.NamedSharding(mesh, P())
    return lax.with_sharding_constraint(one_key_for_each.answer(mesh, key, x), whole)


@wrong("noise-of-ones-own", "not-mapped")
def whole_under_jit(mesh, key, x):
    return x + jax.random.normal(key, x.shape)


@wrong("noise-of-ones-own", "draws-for-all")
def draws_all_and_cuts(mesh, key, x):
    length = x.shape[0]

    def body(k, x):
        here = lax.axis_index("x") * x.shape[0]
        return x + lax.dynamic_slice_in_dim(jax.random.normal(k, (length,)), here, x.shape[0])

    return noisy(mesh, body, key, x)


@wrong("noise-of-ones-own", "x-lost")
def returns_the_noise(mesh, key, x):
    return noisy(mesh, lambda k, x: jax.random.normal(jax.random.fold_in(k, lax.axis_index("x")), x.shape), key, x)


# -- changes of solutions that leave them right -----------------------------------------------------------------

_EITHER_WAY = "the square is the same from both ends"

accepted = [
    equivalent(
        "data-parallel-step",
        "`x @ params['w'] + params['b'] - y`  ->  `y - (x @ params['w'] + params['b'])`",
        _EITHER_WAY,
    ),
    equivalent("gradient-in-pieces", "`x @ whole - y`  ->  `y - x @ whole`", _EITHER_WAY),
    equivalent(
        "noise-of-ones-own",
        "`x + jax.random.normal(own, x.shape)`  ->  `x - jax.random.normal(own, x.shape)`",
        "minus a standard normal number is one too",
    ),
]
