"""What the exercises of lesson 52 share: the kernels that an answer calls, and what every kernel can have wrong."""

import math
from dataclasses import dataclass

import jax
import numpy as np

from jaxcourse import insides, probe
from jaxcourse.checks import naming, refuse, require


@probe.question(evidence="values", like_a_call=True)
def interpreted(student_function, *args):
    """What the answer gives as one program of its arrays; its sizes and factors stay Python numbers."""
    arrays = [i for i, value in enumerate(args) if isinstance(value, np.ndarray)]

    def function(*values):
        return student_function(*(values[arrays.index(i)] if i in arrays else value for i, value in enumerate(args)))

    return jax.jit(function)(*(args[i] for i in arrays))


@probe.question(evidence="process", like_a_call=True)
def kernels_of(student_function, *args):
    """The kernels that an answer calls, and what is computed outside of them, as plain data."""
    calls, around = insides.every_block(student_function, *args)
    within = {"pallas_call"}
    outside = [place.equation for place in around.walk() if not within & {each.primitive for each in place.around}]
    return {
        "calls": [
            {
                "grid": call.grid,
                "scratch": call.scratch_bytes,
                "inside": [each.primitive for each in call.kernel.everything],
                "largest": max((value.size for value in call.made_inside), default=0),
                "products": [made for _, _, made in call.products],
                "ins": [vars_of(each) for each in call.inputs],
                "outs": [vars_of(each) for each in call.outputs],
            }
            for call in calls
        ],
        "outside": [each.primitive for each in outside],
        "largest": max((value.size for each in outside for value in each.outputs), default=0),
    }


def vars_of(operand):
    """An array's walk, as plain data."""
    same = {name: getattr(operand, name) for name in ("name", "shape", "itemsize", "block", "starts", "whole")}
    told = {name: getattr(operand, name) for name in ("outside", "comes_back", "uncovered", "hangs_over")}
    return same | told | {"moved": operand.moved_bytes}


@dataclass(frozen=True)
class Walk:
    """The blocks of one array, step by step: see `insides.Operand`."""

    name: str
    shape: tuple
    itemsize: int
    block: tuple
    starts: np.ndarray
    whole: bool
    outside: int | None
    comes_back: int | None
    uncovered: int
    hangs_over: int | None
    moved: int

    def begins(self, step):
        """The first element of the block at a step."""
        return tuple(int(at) for at in self.starts[step])


@dataclass(frozen=True)
class Kernel:
    """The one kernel of an answer: its grid, its walks, its bytes, and what is computed in it and outside of it."""

    grid: tuple
    scratch: int
    inside: list
    largest: int
    products: list
    ins: list
    outs: list
    outside: list
    largest_outside: int

    @property
    def steps(self):
        return math.prod(self.grid)

    @property
    def walks(self):
        return [*self.ins, *self.outs]

    @property
    def moved(self):
        return sum(each.moved for each in self.walks)

    @property
    def uncovered(self):
        return sum(each.uncovered for each in self.walks)


def one_kernel(answer, *args, may_leave=False):
    """The answer's one kernel; its blocks all begin inside of their arrays, unless they may leave them."""
    with naming({"captured": "captures constants", "not-interpreted": "nterpret mode"}):
        found = answer.probe(kernels_of, *args)
    require(found["calls"], "no-kernel")
    refuse(len(found["calls"]) > 1, "several-kernels", n=len(found["calls"]))
    (call,) = found["calls"]
    walks = {side: [Walk(**each) for each in call[side]] for side in ("ins", "outs")}
    kernel = Kernel(**{**call, **walks}, outside=found["outside"], largest_outside=found["largest"])
    if not may_leave:
        blocks_exist(kernel)
    return kernel


def blocks_exist(kernel):
    """No block begins outside of its array."""
    for each in kernel.walks:
        if (step := each.outside) is not None:
            at = each.begins(step)
            index = tuple(a // size for a, size in zip(at, each.block, strict=True))
            refuse(True, "block-outside", step=step, name=each.name, index=index, at=at, shape=tuple(each.shape))


def results_stay(kernel):
    """No block of a result is needed again once another has taken its place."""
    for each in kernel.outs:
        if (step := each.comes_back) is not None:
            refuse(True, "comes-back", step=step, at=each.begins(step))


def unwritten(reply):
    """Whether all that came back is the mark of what no step has written."""
    got = np.asarray(reply.got)
    return bool(np.isnan(got).all()) if got.dtype.kind == "f" else bool((got == np.iinfo(np.int32).min).all())


WORDS = """
no-kernel [grid-and-blocks]: Your answer has no `pl.pallas_call`: XLA decides how it is computed. Call a kernel.
several-kernels [grid-and-blocks]: You call {n} kernels, and each reads its arrays from memory again. Do it in one.
block-outside [grid-and-blocks]: At step {step}, `{name}` asks for block {index}, which begins at element {at} of an array
    of shape {shape}. The interpreter moves it back inside and says nothing. An index map returns the number of a block,
    and each number has to exist.
comes-back [results-that-stay]: At step {step} your result's block at element {at} is needed again, after other blocks took
    its place. The interpreter keeps the whole result, a TPU does not. Make the axis that adds up the last of the grid.
captured [grid-and-blocks]: Your kernel uses an array that it was not given. Hand it to `pallas_call` as an argument, with
    a spec.
not-interpreted [grid-and-blocks]: Your call has no `interpret=True`, and a CPU can only interpret a kernel.
"""
