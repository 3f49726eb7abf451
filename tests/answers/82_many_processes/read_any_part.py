"""Answers to read-any-part."""

import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


def _part_of_the_whole(pieces, box):
    ends = {name: [[int(n) for n in end.split(":")] for end in name.split(",")] for name in pieces}
    shape = [max(end[axis][1] for end in ends.values()) for axis in (0, 1)]
    whole = np.empty(shape, next(iter(pieces.values())).dtype)
    for name, ((top, bottom), (left, right_end)) in ends.items():
        whole[top:bottom, left:right_end] = pieces[name]
    return whole[slice(*box[0]), slice(*box[1])]


@right("read-any-part")
def puts_the_whole_together(pieces, box):
    return _part_of_the_whole(pieces, box)


@right("read-any-part")
def element_by_element(pieces, box):
    found = {}
    for name, piece in pieces.items():
        (top, _), (left, _) = (map(int, end.split(":")) for end in name.split(","))
        found |= {(top + i, left + j): value for (i, j), value in np.ndenumerate(piece)}
    rows = [[found[i, j] for j in range(*box[1])] for i in range(*box[0])]
    return np.array(rows, next(iter(pieces.values())).dtype)


def _overlaps(pieces, box):
    for name, piece in pieces.items():
        ends = [[int(n) for n in end.split(":")] for end in name.split(",")]
        overlap = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(box, ends, strict=True)]
        if all(start < stop for start, stop in overlap):
            there = tuple(slice(a - c, b - c) for (a, b), (c, _) in zip(overlap, ends, strict=True))
            here = tuple(slice(a - c, b - c) for (a, b), (c, _) in zip(overlap, box, strict=True))
            yield piece, there, here, ends


def _empty(pieces, box):
    return np.zeros([stop - start for start, stop in box], next(iter(pieces.values())).dtype)


@wrong("read-any-part", "only-whole-pieces")
def looks_the_box_up(pieces, box):
    return pieces[",".join(f"{start}:{stop}" for start, stop in box)]


@wrong("read-any-part", "whole-array")
def forgets_the_box(pieces, box):
    ends = [[[int(n) for n in end.split(":")] for end in name.split(",")] for name in pieces]
    shape = [max(end[axis][1] for end in ends) for axis in (0, 1)]
    return _part_of_the_whole(pieces, [(0, n) for n in shape])


@wrong("read-any-part", "one-piece")
def the_piece_with_the_corner(pieces, box):
    return next(piece for piece, _, _, _ in _overlaps(pieces, box))


def _with_pieces_inside(part, pieces, box):
    for piece, _, here, ends in _overlaps(pieces, box):
        if all(a <= c and d <= b for (a, b), (c, d) in zip(box, ends, strict=True)):
            part[here] = piece
    return part


@wrong("read-any-part", "left-empty")
def only_pieces_inside_the_box(pieces, box):
    return _with_pieces_inside(_empty(pieces, box), pieces, box)


@wrong("read-any-part", "left-empty")
def marks_what_is_missing_by_nan(pieces, box):
    part = _empty(pieces, box)
    return _with_pieces_inside(np.full_like(part, np.nan if part.dtype.kind == "f" else 0), pieces, box)


@wrong("read-any-part", "left-empty")
def only_the_first_piece(pieces, box):
    part = _empty(pieces, box)
    piece, there, here, _ = next(_overlaps(pieces, box))
    part[here] = piece[there]
    return part


@wrong("read-any-part", "left-empty")
def the_last_row_of_each_overlap_is_missing(pieces, box):
    part = _empty(pieces, box)
    for piece, there, here, _ in _overlaps(pieces, box):
        part[here][:-1] = piece[there][:-1]
    return part


@wrong("read-any-part", "wrong-shape")
def the_rest_of_the_whole_is_zero(pieces, box):
    ends = [[[int(n) for n in end.split(":")] for end in name.split(",")] for name in pieces]
    shape = [(0, max(end[axis][1] for end in ends)) for axis in (0, 1)]
    whole = _part_of_the_whole(pieces, shape)
    inside = np.zeros(whole.shape, bool)
    inside[slice(*box[0]), slice(*box[1])] = True
    return np.where(inside, whole, 0).astype(whole.dtype)


@wrong("read-any-part", "KeyError")
def takes_the_pieces_for_a_list(pieces, box):
    return pieces[0][slice(*box[0]), slice(*box[1])]


@wrong("read-any-part", "spoilt-from-outside")
def picks_by_products(pieces, box):
    (top, bottom), (left, right_end) = box
    part = _empty(pieces, box)
    for name, piece in pieces.items():
        (r0, r1), (c0, c1) = (map(int, end.split(":")) for end in name.split(","))
        rows = np.arange(top, bottom)[:, None] == np.arange(r0, r1)
        columns = np.arange(c0, c1)[:, None] == np.arange(left, right_end)
        part += rows.astype(part.dtype) @ piece @ columns.astype(part.dtype)
    return part


@wrong("read-any-part", "other-dtype")
def into_plain_zeros(pieces, box):
    part = np.zeros([stop - start for start, stop in box], complex)
    for piece, there, here, _ in _overlaps(pieces, box):
        part[here] = piece[there]
    return part if any(np.iscomplexobj(piece) for piece in pieces.values()) else part.real


@wrong("read-any-part", "wrong-shape")
def pieces_one_below_the_other(pieces, box):
    return np.concatenate([piece[there].ravel() for piece, there, _, _ in _overlaps(pieces, box)])


@wrong("read-any-part", "wrong-value")
def always_from_the_corner_of_the_piece(pieces, box):
    part = _empty(pieces, box)
    for piece, _, here, _ in _overlaps(pieces, box):
        target = part[here]
        target[...] = piece[: target.shape[0], : target.shape[1]]
    return part


equivalents = [
    equivalent("read-any-part", "`np.empty`  ->  `np.zeros`", "all of it is written over"),
]
