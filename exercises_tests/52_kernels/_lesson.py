"""What the exercises of lesson 52 share: what every kernel can have wrong, and how it looks."""

import math

import numpy as np

from jaxcourse import probe
from jaxcourse.kernels import Rule, covers, in_order, no_copy


def vector(rng, sizes):
    """Numbers in one axis, and the length of a block."""
    n, block = sizes
    return rng.normal(size=n).astype(np.float32), block


def unwritten(reply):
    """Whether all that came back is the mark of what no step has written."""
    return bool(np.isnan(np.asarray(reply.got, float)).all())


def overhangs(reply):
    """Right where the tiles of a table fit, and NaN where they hang over its width."""
    x, _, columns = reply.case
    return bool(np.isnan(reply.got).all()) if x.shape[1] % columns else reply.right


def set_once(reply):
    """Right in the first block of rows alone, the others NaN."""
    _, rows, _ = reply.case
    got = np.asarray(reply.got)
    return bool(not np.isnan(got[:rows]).any() and np.isnan(got[rows:]).all())


def whole_rows(found, x, rows, columns):
    """What is to be said of a block of `x` that has whole rows."""
    width = x.shape[1]
    return {"width": width} if any(one["block"][-1] >= width for one in found["inputs"]) else None


def other_tiles(found, x, rows, columns):
    """What is to be said of tiles, or of blocks of the result, that have another shape than asked."""
    (one, *_), (out, *_) = found["inputs"], found["outputs"]
    other = one["block"] != (rows, columns) or math.prod(out["block"]) != rows
    return {"rows": rows, "columns": columns} if other else None


OF_TILES = [
    Rule("whole-rows", whole_rows),
    no_copy(lambda x, rows, columns: x.size),
    covers(),
    in_order(),
    Rule("other-tiles", other_tiles),
]
"""What holds for each walk over a table in tiles of `rows` by `columns`, with a result for each row."""


@probe.question(evidence="values", like_a_call=True)
def on_rubbish(student_function, *args):
    """What the answer gives where a number that is no mark lies beyond the end."""
    return probe.by_blocks(student_function, *args, beyond=50.0)


WORDS = """
no-kernel [grid-and-blocks]: Your answer has no `pl.pallas_call`, so XLA decides how it is computed. Call a kernel.
several-kernels [grid-and-blocks]: You call {calls} kernels, and each reads its arrays from memory again. Do it in one.
block-outside [grid-and-blocks]: At step {step}, your map gives `{ref}` block {index}, which begins at element {start}
    of an array of shape {shape}. The interpreter silently moves it inside. Return the number of a block that exists.
comes-back [results-that-stay]: At step {step}, `{ref}` is block {index} again, after others took its place. The
    interpreter keeps it, a TPU does not. Add up over the last axis of the grid.
rest-missing [grid-and-blocks]: Your {steps} steps leave {missing} elements of `{ref}` without a block. Round the number
    of steps up, with `pl.cdiv`.
copied [grid-and-blocks]: Outside the kernel you make an array of {largest} numbers, about as many as `x` has. It is
    written and read once more. Hand over `x` itself. The last block may hang over.
handed-whole [grid-and-blocks]: Each of your {steps} steps gets all of `{ref}`, {bytes} bytes. Give it a spec, with a
    block's shape.
never-written [grid-and-blocks]: Your result is NaN throughout, which marks what no step has written. `o_ref[...] = `
    writes into the block, and `o_ref = ` only gives another name.
not-interpreted [grid-and-blocks]: Your call has no `interpret=True`, and a CPU can only interpret a kernel.
program-id-inside [results-that-stay]: You call `pl.program_id` in a loop, under `pl.when` or under `jit`. The
    interpreter knows it only in the kernel itself. Call it there, and use the number inside.
"""

RAISING = {"not-interpreted": "nterpret mode"}
NUMBERED = RAISING | {"program-id-inside": "'program_id'"}
"""The same, where a kernel needs the number of its step."""
