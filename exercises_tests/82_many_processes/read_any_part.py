"""read-any-part: a box of an array, put together from saved pieces."""

import itertools

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, refuse, require
from jaxcourse.exercise import numbers
from jaxcourse.inputs import array

from ._lesson import WORDS as LESSON


def cuts(rng, length):
    """Where an axis is cut, at both ends and sometimes between them."""
    inner = rng.choice(np.arange(1, length), size=int(rng.integers(0, min(4, length))), replace=False)
    return [0, *sorted(int(n) for n in inner), length]


def in_pieces(table, rows, columns):
    """A table in pieces, each named after its place."""
    return {
        f"{top}:{bottom},{left}:{right}": table[top:bottom, left:right].copy()
        for top, bottom in itertools.pairwise(rows)
        for left, right in itertools.pairwise(columns)
    }


@probe.question(evidence="values")
def read_on_used_memory(student_function, pieces, box):
    """The answer's result, where `np.empty` is filled with something else than what is right."""
    shape, dtype = [stop - start for start, stop in box], next(iter(pieces.values())).dtype
    used = [np.full(shape, 1, dtype) for _ in range(20)]
    del used
    return student_function(pieces, box)


def tables_in_pieces(rng):
    """Pieces, the table that they were cut from, and a box of it."""
    table = np.arange(1, 49).reshape(8, 6).astype(np.float32)
    even, odd = in_pieces(table, [0, 2, 4, 6, 8], [0, 6]), in_pieces(table, [0, 4, 8], [0, 3, 6])
    boxes = [((0, 8), (0, 6)), ((0, 2), (0, 6)), ((1, 5), (2, 4)), ((3, 4), (5, 6)), ((6, 8), (0, 1))]
    cases = [(pieces, table, box) for box in boxes for pieces in (even, odd)]
    negative = {name: -piece for name, piece in even.items()}
    cases += [(negative, -table, box) for box in boxes]
    long = array(rng, (40_000, 1), "int8", low=-100, high=100)  # places beyond what a small integer holds
    cases.append((in_pieces(long, [0, 39_990, 40_000], [0, 1]), long, ((39_985, 39_998), (0, 1))))
    wheel = {
        name: table[tuple(slice(*map(int, end.split(":"))) for end in name.split(","))]
        for name in ("0:2,0:4", "0:6,4:6", "6:8,2:6", "2:8,0:2", "2:6,2:4")
    }
    cases += [(wheel, table, box) for box in boxes]
    for box in boxes[1:]:  # nothing outside of the box is finite, and a number of the box is not
        odd = np.resize(np.float32([np.nan, np.inf, -np.inf]), table.shape)
        here = tuple(slice(*ends) for ends in box)
        odd[here] = table[here]
        odd[box[0][0], box[1][0]] = np.nan
        cases += [(in_pieces(odd, [0, 2, 4, 6, 8], [0, 6]), odd, box), (in_pieces(odd, [0, 4, 8], [0, 3, 6]), odd, box)]
    wide = array(rng, (12, 21), "float64")  # places of two digits
    cases += [
        (in_pieces(wide, [0, 10, 12], [0, 3, 10, 21]), wide, box) for box in (((8, 12), (2, 13)), ((0, 12), (9, 21)))
    ]
    for dtype in ("float64", "int32", "bool", "complex64", "float16"):
        shape = tuple(int(n) for n in rng.integers(1, 13, size=2))
        whole = array(rng, shape, dtype, high=9)
        pieces = in_pieces(whole, cuts(rng, shape[0]), cuts(rng, shape[1]))
        names = list(pieces)
        pieces = {names[i]: pieces[names[i]] for i in rng.permutation(len(names))}
        box = []
        for length in shape:
            start = int(rng.integers(0, length))
            box.append((start, int(rng.integers(start + 1, length + 1))))
        cases += [(pieces, whole, tuple(box)), (pieces, whole, tuple((0, n) for n in shape))]
    return cases


def _judge_part(got, want, box, finite):
    require(got.shape == want.shape, "wrong-shape", box=box, shape=got.shape, right=want.shape)
    refuse(not finite and (np.isnan(got) & ~np.isnan(want)).any(), "spoilt-from-outside")
    differs = ~np.isclose(np.asarray(got, complex), np.asarray(want, complex), equal_nan=True)
    empty = differs & ((np.asarray(got) == 0) | np.isnan(got))
    first = tuple(int(place[0]) for place in np.nonzero(empty)) if empty.any() else ()
    only_empty = differs.any() and np.array_equal(empty, differs)
    refuse(only_empty, "left-empty", empty=int(empty.sum()), size=want.size, box=box, first=first)
    expect(got, want, "wrong-value", box=box)
    require(got.dtype == want.dtype, "other-dtype", dtype=got.dtype, right=want.dtype)


def a_part_of_several_pieces(answer, rng):
    """Any part of a table that lies in pieces.

    A function, since each part that came back is compared with pieces and tables that are not its own.
    """
    for pieces, table, box in tables_in_pieces(rng):
        (top, bottom), (left, right_end) = box
        want = table[top:bottom, left:right_end]
        try:
            got = answer.probe(read_on_used_memory, pieces, box)
        except probe.AnswerRaised as error:
            wanted = f"{top}:{bottom},{left}:{right_end}"
            missing = error.raised.kind == "KeyError" and wanted in error.raised.message
            refuse(missing, "only-whole-pieces", name=wanted)
            raise
        answer.called = f"read_any_part(pieces, {box}) with the pieces {', '.join(pieces)}"
        got = numbers(got)
        refuse(got.shape != want.shape and np.array_equal(got, table), "whole-array", box=box)
        alone = any(np.array_equal(got, piece) for piece in pieces.values())
        refuse(got.shape != want.shape and alone, "one-piece", box=box)
        _judge_part(got, want, box, np.isfinite(table).all())


WORDS = """
hint: Two ranges overlap from the later beginning to the earlier end, if that is not before it.
hint: Count the overlap once from where the piece begins, and once from where the box begins.
wrong-shape: For the box {box} of shape {right}, you returned the shape {shape}.
spoilt-from-outside: Elements of your box are NaN although theirs are not. They were calculated with what lies outside,
    and 0 times NaN or infinity is NaN. Copy the elements.
left-empty: {empty} of {size} elements of the box {box} look as if you had not filled them in. The first of them is at
    {first} of the result.
wrong-value: Return the elements of the box {box}, each at its place.
other-dtype: The pieces are `{right}`, but `{dtype}` came back.
only-whole-pieces: No piece is called `{name}`. A box may lie across pieces, or inside one.
whole-array: The whole array came back, but only the part {box} of it was asked for.
one-piece: One piece came back. The box {box} lies across several, or inside.
"""

read_any_part = declare(
    "read-any-part",
    points=2,
    see="save-and-read",
    steps=[a_part_of_several_pieces],
    words=(LESSON, WORDS),
)
