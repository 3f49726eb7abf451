"""smooth-in-blocks: a state that is handed from one block of time to the next."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, seen
from jaxcourse.kernels import KeepsNoMore, Rule, Walks, covers, in_order

from ._lesson import NUMBERED, unwritten
from ._lesson import WORDS as LESSON

SIZES = [(2, 4, 2), (5, 5, 2), (3, 8, 4), (2, 10, 4)]


def series(rng, sizes):
    """Rows of which each is near another level, so that a state of another row shows."""
    rows, times, block = sizes
    levels = 10 * np.arange(1, rows + 1)[:, None]
    return (rng.normal(size=(rows, times)) + levels).astype(np.float32), 0.25, block


def smoothed(row, alpha, state=None):
    """The means of one row, from a state or from its first number on, in float64."""
    means = []
    for value in row.tolist():
        state = value if state is None else state + alpha * (value - state)
        means.append(state)
    return np.array(means)


def of_rows(x, alpha, block=None):
    return np.stack([smoothed(row, alpha) for row in x])


def in_pieces(x, alpha, block, start=lambda row: None):
    """Each block begins with something of its own."""
    pieces = [x[:, at : at + block] for at in range(0, x.shape[1], block)]
    made = [np.stack([smoothed(part, alpha, start(row)) for part, row in zip(p, x, strict=True)]) for p in pieces]
    return np.concatenate(made, axis=1)


def padded(row, block):
    return np.pad(row, (0, -len(row) % block), constant_values=np.nan)


def without_a_reset(x, alpha, block):
    """Each row goes on from the one before, with what hangs over in between."""
    width = len(padded(x[0], block))
    whole = smoothed(np.concatenate([padded(row, block) for row in x]), alpha)
    return whole.reshape(len(x), width)[:, : x.shape[1]]


def with_others_state(x, alpha, block):
    """All first blocks come first, then all second ones, with one state for all."""
    full = np.stack([padded(row, block) for row in x])
    out, state = np.empty(full.shape), None
    for at in range(0, full.shape[1], block):
        for row, to in zip(full, out, strict=True):
            to[at : at + block] = smoothed(row[at : at + block], alpha, None if at == 0 else state)
            state = to[at + block - 1]
    return out[:, : x.shape[1]]


def whole_series(found, x, alpha, block):
    held = max(int(np.prod(one["block"])) for one in (*found["inputs"], *found["outputs"]))
    return {"held": held, "block": block} if held > block else None


def hard_series(rng):
    """A weight of 1, which leaves nothing of the past, and a long block, in which the past dies away."""
    for sizes, alpha in [((2, 4, 2), 1.0), ((1, 300, 200), 0.5)]:
        x, _, block = series(rng, sizes)
        yield x, alpha, block


MISTAKES = {
    "never-written": seen(unwritten),
    "restarts": in_pieces,
    "from-zero": lambda x, alpha, block: np.stack([smoothed(row, alpha, 0.0) for row in x]),
    "not-reset": without_a_reset,
    "others-state": with_others_state,
    "not-handed-on": lambda x, alpha, block: in_pieces(x, alpha, block, start=lambda row: float(row[0])),
}

WORDS = """
hint: What does the first number of a block need that another step has computed?
hint: Scratch memory lasts for the whole call. With `scratch_shapes=[pltpu.VMEM((1,), jnp.float32)]`, the kernel gets
    one more reference. Set it at the first block of each row.
hint: `jax.lax.fori_loop(0, block, step, state[0])`, where `step(t, y)` writes `y_ref[t]` and returns the new `y`.
whole-series: A step of yours holds {held} numbers, and a block has {block} of one row. Hand on the last mean alone.
never-written: Your result is NaN throughout. Do you write it, and is the state set before it is read?
restarts: Your means begin anew in each block. Its first one continues from the last one of the block before.
from-zero: Your means begin at 0 and climb to the data. They begin at the first number of the row.
not-reset: Your first row is right, and the second begins with the mean of the first. Scratch memory lasts for the whole
    call. Set it where a row begins.
others-state: Your grid does all first blocks before the second ones, so the state is another row's by then. Make time
    the last axis, or keep a state for each row.
memory-grows: Your scratch memory has {short} bytes for a short series, and {long} for a long one. Hand on the last mean
    alone.
powers: You are right for short blocks and small `alpha`. In a long block, or if `alpha` is 1, powers of `1 - alpha` are
    0. You can't divide by them.
not-handed-on: Each block of yours begins with the row's first number. Keep the last mean of each block in the scratch
    memory.
wrong-value: Each mean moves from the one before towards the new number, by `alpha` of the way.
"""

smooth_in_blocks = declare(
    "smooth-in-blocks",
    see="a-state-in-scratch",
    points=2,
    steps=[
        Walks(series, [(3, 8, 4), (2, 10, 4)], rules=[Rule("whole-series", whole_series), covers(), in_order()]),
        Agrees(of_rows, series, SIZES, each=1, ask=probe.by_blocks, mistakes=MISTAKES, rtol=1e-5, raising=NUMBERED),
        KeepsNoMore(series, short=(2, 8, 4), long=(2, 80, 4)),
        Agrees(of_rows, series, [(2, 3, 1)], each=1, ask=probe.by_blocks, rtol=1e-5),
        Agrees(of_rows, extremes=hard_series, ask=probe.by_blocks, otherwise="powers", rtol=1e-5),
    ],
    words=(LESSON, WORDS),
)
