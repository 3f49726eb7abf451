"""photon-average."""

import numpy as np

from jaxcourse import insides, probe
from jaxcourse.checks import Agrees, declare, refuse, require
from jaxcourse.exercise import is_close

from ._lesson import raised_by


def smooth(counts, weight, *, start=0.0, kind=float):
    """The oracle: a plain loop."""
    averages, average = [], np.full(np.shape(counts)[1:], start, kind)
    for frame in np.asarray(counts, np.float64):
        average = np.asarray((1 - weight) * average + weight * frame).astype(kind)
        averages.append(average)
    return np.array(averages, np.float32)


def as_integers(counts, weight):
    """What comes out if the carry is made an integer again in each step."""
    return smooth(counts, weight, kind=int).astype(counts.dtype)


def one_frame_late(counts, weight):
    averages = smooth(counts, weight)
    return np.concatenate([np.zeros_like(averages[:1]), averages[:-1]])


def draw_counts(rng, shape):
    dtype = str(rng.choice(["int32", "uint8", "uint16", "int16", "int8"]))
    weight = float(rng.integers(1, 8) / 8)  # each step is exact in float32, if it starts with integers
    most = min(np.iinfo(dtype).max, 2**20)
    return rng.integers(1, most, shape, endpoint=True).astype(dtype), weight


def loops_of(student_function, counts, weight):
    """The lengths of the loops that stack a result of each step, and how many equations there are in all."""
    given = probe.on_device(counts)
    found = insides.read(lambda: student_function(given, weight)).everything
    stacking = [each.loop.trips for each in found if each.loop and each.loop.stacks]
    return {"stacking": stacking, "equations": len(found)}


MISTAKES = {
    "rounds-each-step": as_integers,
    "rounds-each-step/2": lambda counts, weight: smooth(counts, weight, kind=int),
    "starts-with-the-first": lambda counts, weight: smooth(counts, weight, start=np.asarray(counts[0], np.float64)),
    "one-frame-late": one_frame_late,
    "weights-exchanged": lambda counts, weight: smooth(counts, 1 - weight),
    "last-alone": lambda counts, weight: smooth(counts, weight)[-1],
}


def some_frames(rng):
    return rng.integers(1, 30, size=(6, 4)).astype(np.int32)


def unusual_frames(rng):
    """A weight of one, frames of zeros and ones, and frames of large counts."""
    return [
        (some_frames(rng), 1.0),
        (rng.integers(0, 2, size=(6, 4)).astype(np.int32), 0.125),
        (rng.integers(2**31, 2**32, size=(6, 4)).astype(np.uint32), 0.5),
    ]


def the_carry_keeps_its_type(answer, rng):
    """A `scan` runs, for frames of any shape."""
    counts = some_frames(rng)
    got, raised = raised_by(answer, probe.on_jax_arrays, counts, 0.25)
    refuse(raised and "carry output must have" in raised.message, "carry-changes-type")
    if raised is None and is_close(got, smooth(counts, 0.25), rtol=1e-4):
        for other in (counts[:, 0], counts[:, :, None] * np.ones(3, np.int32)):
            got, raised = raised_by(answer, probe.on_jax_arrays, other, 0.25)
            fits = raised is None and is_close(got, smooth(other, 0.25), rtol=1e-4)
            require(fits, "fixed-shape")


def one_scan_over_the_frames(answer, rng):
    """The program has one loop, whose steps give something out, and does not grow with the frames."""
    counts = some_frames(rng)
    few, many = (answer.probe(loops_of, np.tile(counts, (times, 1)), 0.25) for times in (1, 2))
    require(many["equations"] < few["equations"] + 6, "unrolled")
    require(6 in few["stacking"], "no-scan")


WORDS = """
hint: The message shows two types. Which of them does the carry begin with?
hint: `jnp.zeros_like` takes a `dtype`.
carry-changes-type [control-flow]: The carry comes out of a step with another dtype, shape or structure than it went in
    with. One program for all steps needs one type for all.
fixed-shape [control-flow]: Your answer is right for one shape of frames only. A carry has the shape of one frame.
rounds-each-step: You make the carry an integer again in each step, so it keeps its type and loses the fraction.
rounds-each-step/2: You cut the average to a whole number in each step, and lose the fractions. Begin with `float32`,
    and keep it.
starts-with-the-first: Your average begins with the first frame. It should begin with zero, before the first frame.
one-frame-late: You returned the average *before* each frame. Hand out the new one.
weights-exchanged: `weight` is that of the new frame, and 1 - `weight` that of the average.
last-alone: You returned the last average. `scan` returns the carry and the stack of what the steps gave. Return that
    stack.
wrong-value: Your result is not the running average.
unrolled [unrolling]: Your program grows with the number of frames. Is there a Python loop, copied once for each, or a
    function that halves them? Use one `scan` over the frames.
no-scan [control-flow]: Your program has no `scan` over the frames. In none of its loops does the step for each frame
    give something out.
"""

photon_average = declare(
    "photon-average",
    see="lab-loud",
    steps=[
        the_carry_keeps_its_type,
        Agrees(
            smooth,
            draw_counts,
            [1, (6, 4), (3, 2, 2)],
            each=2,
            extremes=unusual_frames,
            ask=probe.on_jax_arrays,
            mistakes=MISTAKES,
            rtol=1e-4,
            dtype=True,
        ),
        one_scan_over_the_frames,
    ],
    words=WORDS,
)
