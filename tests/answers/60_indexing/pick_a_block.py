"""Answers to pick-a-block."""

import numpy as np

from jaxcourse.exercise import right, wrong


@wrong("pick-a-block", "wrong-value")
def drops_what_comes_twice(table, keep):
    groups = [list(dict.fromkeys(group)) for group in keep.tolist()]
    fewest = min(map(len, groups))
    return np.array([table[np.ix_(group[:fewest], group[:fewest])] for group in groups])


@right("pick-a-block")
def one_block_after_the_other(table, keep):
    return np.stack([table[np.ix_(group, group)] for group in keep])


@right("pick-a-block")
def takes_along_each_axis(table, keep):
    return np.take_along_axis(table[keep], keep[:, None, :], axis=2)


@right("pick-a-block")
def lets_the_columns_broadcast_by_themselves(table, keep):
    return table[keep[..., None], keep[..., None].swapaxes(1, 2)]


@right("pick-a-block")
def fills_an_array_of_the_right_dtype(table, keep):
    result = np.empty((*keep.shape, keep.shape[1]), table.dtype)
    for k, group in enumerate(keep):
        result[k] = table[group][:, group]
    return result


@right("pick-a-block")
def asks_for_each_element(table, keep):
    return np.array([[[table[r, c] for c in group] for r in group] for group in keep])


@wrong("pick-a-block", "groups-against-groups")
def as_the_cell_above(table, keep):
    return table[keep[:, None], keep]


@wrong("pick-a-block", "flat-lists-only")
def as_the_cell_below(table, keep):
    return table[np.ix_(keep, keep)]


@wrong("pick-a-block", "one-block")
def makes_the_groups_flat(table, keep):
    return table[np.ix_(keep.ravel(), keep.ravel())]


@wrong("pick-a-block", "no-array")
def lists_each_element(table, keep):
    return [[[table[r, c] for c in group] for r in group] for group in keep]


@wrong("pick-a-block", "no-array")
def lists_the_blocks(table, keep):
    return [table[np.ix_(group, group)] for group in keep]


@wrong("pick-a-block", "another-dtype")
def fills_an_array_of_floats(table, keep):
    result = np.zeros((*keep.shape, keep.shape[1]))
    result[:] = table[keep[:, :, None], keep[:, None, :]]
    return result


@wrong("pick-a-block", "another-dtype")
def fills_floats_and_casts_back(table, keep):
    return fills_an_array_of_floats.answer(table, keep).astype(table.dtype)


@wrong("pick-a-block", "few-stations-only")
def saves_bits_of_positions(table, keep):
    keep = keep.astype(np.uint8)
    return table[keep[:, :, None], keep[:, None, :]]


@wrong("pick-a-block", "spoilt-by-the-others")
def multiplies_by_ones_and_zeros(table, keep):
    chosen = np.eye(len(table), dtype=table.dtype)[keep]
    with np.errstate(invalid="ignore"):
        return chosen @ table @ chosen.swapaxes(1, 2)
