"""Answers to pick-a-block."""

import numpy as np

from jaxcourse.exercise import right, wrong


@wrong("pick-a-block", "wrong-value")
def drops_what_comes_twice(table, keep):
    keep = list(dict.fromkeys(keep))
    return table[np.ix_(keep, keep)]


@right("pick-a-block")
def takes_along_each_axis(table, keep):
    return table.take(keep, axis=0).take(keep, axis=1)


@right("pick-a-block")
def asks_for_each_element(table, keep):
    return np.array([[table[r, c] for c in keep] for r in keep])


@wrong("pick-a-block", "no-array")
def lists_each_element(table, keep):
    return [[table[r, c] for c in keep] for r in keep]


@wrong("pick-a-block", "another-dtype")
def fills_an_array_of_floats(table, keep):
    result = np.zeros((len(keep), len(keep)))
    result[:] = table[np.ix_(keep, keep)]
    return result


@wrong("pick-a-block", "another-dtype")
def fills_floats_and_casts_back(table, keep):
    return fills_an_array_of_floats.answer(table, keep).astype(table.dtype)


@wrong("pick-a-block", "few-stations-only")
def saves_bits_of_positions(table, keep):
    keep = np.array(keep).astype(np.uint8)
    return table[np.ix_(keep, keep)]


@wrong("pick-a-block", "wrong-value")
def has_room_for_the_table_only(table, keep):
    result = np.empty_like(table)
    short = keep[: len(table)]
    result[: len(short), : len(short)] = table[np.ix_(short, short)]
    return result[: len(keep), : len(keep)]


@wrong("pick-a-block", "spoilt-by-the-others")
def multiplies_by_ones_and_zeros(table, keep):
    chosen = np.eye(len(table), dtype=table.dtype)[keep]
    with np.errstate(invalid="ignore"):
        return chosen @ table @ chosen.T
