"""Answers to deal-out-rows."""

import numpy as np

from jaxcourse.exercise import right, wrong


def _before(rows, rank, count):
    held = [rows // count + (r < rows % count) for r in range(count)]
    return [sum(held[:rank]), sum(held[: rank + 1])]


@right("deal-out-rows")
def counts_the_rows_before(rows, rank, count):
    return _before(rows, rank, count)


@right("deal-out-rows")
def splits_an_array(rows, rank, count):
    part = np.array_split(np.arange(rows), count)[rank]
    return (int(part[0]), int(part[-1]) + 1) if len(part) else (rows, rows)


@wrong("deal-out-rows", "left-over-lost")
def divides_and_forgets(rows, rank, count):
    return rank * (rows // count), (rank + 1) * (rows // count)


@wrong("deal-out-rows", "not-even")
def the_last_takes_the_rest(rows, rank, count):
    each = rows // count
    return rank * each, rows if rank == count - 1 else (rank + 1) * each


@wrong("deal-out-rows", "beyond-the-end")
def rounds_up(rows, rank, count):
    each = -(-rows // count)
    return rank * each, (rank + 1) * each


@wrong("deal-out-rows", "counted-from-one")
def counts_rows_from_one(rows, rank, count):
    start, stop = _before(rows, rank, count)
    return start + 1, stop + 1


@wrong("deal-out-rows", "beyond-the-end")
def ends_one_row_later(rows, rank, count):
    start, stop = _before(rows, rank, count)
    return start, stop + 1


@wrong("deal-out-rows", "not-even")
def rounds_up_and_stops_at_the_end(rows, rank, count):
    each = -(-rows // count)
    return min(rank * each, rows), min((rank + 1) * each, rows)


@wrong("deal-out-rows", "wrong-ones-have-more")
def rounds_the_ends(rows, rank, count):
    return rank * rows // count, (rank + 1) * rows // count


@wrong("deal-out-rows", "same-for-all")
def everything_for_everybody(rows, rank, count):
    return 0, rows


@wrong("deal-out-rows", "end-included")
def names_the_last_row(rows, rank, count):
    least, more = divmod(rows, count)
    return rank * least + min(rank, more), (rank + 1) * least + min(rank + 1, more) - 1


@wrong("deal-out-rows", "same-for-all")
def the_same_part_for_everybody(rows, rank, count):
    return 0, rows // count


@wrong("deal-out-rows", "rows-lost")
def begins_one_row_earlier(rows, rank, count):
    start, stop = _before(rows, rank, count)
    return start - 1, stop - 1


@wrong("deal-out-rows", "length-for-end")
def says_how_many(rows, rank, count):
    start, stop = _before(rows, rank, count)
    return start, stop - start


@wrong("deal-out-rows", "rows-twice")
def begins_without_the_others_extra_rows(rows, rank, count):
    least, more = divmod(rows, count)
    return rank * least, rank * least + least + (rank < more)


@wrong("deal-out-rows", "rows-lost")
def leaves_the_first_row_out(rows, rank, count):
    start, stop = _before(rows, rank, count)
    return max(start, 1), max(stop, 1) if rows else rows


@wrong("deal-out-rows", "other-order")
def the_last_process_first(rows, rank, count):
    held = [rows // count + (r < rows % count) for r in range(count)]
    return rows - sum(held[: rank + 1]), rows - sum(held[:rank])


@wrong("deal-out-rows", "wrong-ends")
def nothing_is_from_zero_to_zero(rows, rank, count):
    start, stop = _before(rows, rank, count)
    return (start, stop) if stop > start else (0, 0)


@wrong("deal-out-rows", "many-rows-rounded")
def counts_in_float32(rows, rank, count):
    least, more = rows // count, rows % count
    return [int(np.float32(r) * np.float32(least) + np.float32(min(r, more))) for r in (rank, rank + 1)]


@wrong("deal-out-rows", "many-rows-rounded")
def counts_in_int16(rows, rank, count):
    return [int(np.array(end).astype(np.int16)) for end in _before(rows, rank, count)]


@wrong("deal-out-rows", "not-a-pair")
def how_many_rows(rows, rank, count):
    return rows // count + (rank < rows % count)
