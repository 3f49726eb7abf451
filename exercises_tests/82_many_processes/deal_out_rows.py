"""deal-out-rows: where the rows of each process begin and end."""

import itertools

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, refuse, require

from ._lesson import WORDS as LESSON


@probe.question(evidence="values")
def ends_for_all(student_function, cases):
    """For each number of rows and of processes, what every process gets."""
    return [[student_function(rows, rank, count) for rank in range(count)] for rows, count in cases]


def dealt(rows, count):
    """The oracle: rows counted as if they were handed out one by one."""
    held = [len(range(rank, rows, count)) for rank in range(count)]
    ends = list(itertools.accumulate(held, initial=0))
    return list(zip(ends[:-1], ends[1:], strict=True))


def is_pair(value):
    """Whether a value is a pair of whole numbers."""
    try:
        found = np.asarray(value)
    except ValueError:
        return False
    return found.shape == (2,) and found.dtype.kind in "iu"


def _require_pairs(got, rows, count):
    require(all(map(is_pair, got)), "not-a-pair")


def _as_numbers(got):
    return [tuple(int(end) for end in part) for part in got]


def _require_a_tiling(got, rows, count):
    got, want = _as_numbers(got), dealt(rows, count)
    held, places = [row for start, stop in got for row in range(start, stop)], list(range(rows))
    refuse(count > 1 and rows and len(set(got)) == 1, "same-for-all", count=count)
    each = rows // count
    divided = [(rank * each, rank * each + each) for rank in range(count)]
    refuse(held != places and got == divided, "left-over-lost", rows=rows, held=len(held))
    refuse(got == [(start + 1, stop + 1) for start, stop in want], "counted-from-one")
    most = -(-rows // count)
    refuse(got == [(r * most, r * most + most) for r in range(count)] != want, "beyond-the-end", count=count, rows=rows)
    refuse(any(stop > rows for _, stop in got), "beyond-the-end/2", count=count, rows=rows)
    inclusive = [(start, stop - 1) for start, stop in want]
    refuse(got == inclusive and rows >= count, "end-included")
    lengths = [(start, stop - start) for start, stop in want]
    refuse(got == lengths != want and count > 1, "length-for-end")
    refuse(len(held) > len(set(held)), "rows-twice", rows=rows)
    require(sorted(held) == places, "rows-lost", rows=rows, held=len({*held} & {*places}), count=count)
    sizes = [max(stop - start, 0) for start, stop in got]
    refuse(max(sizes) - min(sizes) > 1, "not-even", count=count, sizes=", ".join(map(str, sizes)))


def _require_the_order(got, rows, count):
    got, want = _as_numbers(got), dealt(rows, count)
    same = [stop - start for start, stop in want] == [max(stop - start, 0) for start, stop in got]
    turned = want[::-1] != want and sorted(got) == got[::-1] and count > 1 and rows >= count
    refuse(turned, "other-order")
    require(same, "wrong-ones-have-more", more=rows % count, count=count)
    filled = [(mine, right) for mine, right in zip(got, want, strict=True) if right[1] > right[0]]
    require(all(mine == right for mine, right in filled), "other-order/2")
    require(got == want, "wrong-ends", rows=rows)


def every_row_once(answer, rng):
    """Ranges that tile the rows, in order and as even as can be.

    A function, since a mistake is one of all ranks together, and several ways to deal are nearly right.
    """
    drawn = [(int(rng.integers(20, 100)), int(rng.integers(2, 12))) for _ in range(3)]
    cases = [(8, 2), (8, 1), (7, 2), (0, 3), (2, 5), (10, 4), (11, 4), (12, 4), (5, 5), (100, 33), *drawn]
    found = answer.probe(ends_for_all, cases)
    for require_of_one in (_require_pairs, _require_a_tiling, _require_the_order):
        for (rows, count), got in zip(cases, found, strict=True):
            answer.called = f"deal_out_rows({rows}, rank, {count}) for each rank"
            answer.returned = str(got)
            require_of_one(got, rows, count)
    rows = 20_000_003
    (got,) = answer.probe(ends_for_all, [(rows, 3)])
    answer.called, answer.returned = f"deal_out_rows({rows}, rank, 3) for each rank", str(got)
    _require_pairs(got, rows, 3)
    require(_as_numbers(got) == dealt(rows, 3), "many-rows-rounded", rows=f"{rows:,}")


WORDS = """
hint: `divmod(rows, count)` says how many each gets at least, and how many are left over.
hint: How many of the processes before `rank` have one row more?
not-a-pair: Return a pair of whole numbers for each process, where it begins and where it ends.
same-for-all: All {count} processes get the same rows. `rank` says whose they are.
left-over-lost: You dealt out {held} of {rows} rows. Those left over by the division belong to no process.
counted-from-one: Rows are counted from 1 here. The first row is row 0, as in the example `(0, 3)`.
beyond-the-end: Your parts of {count} processes reach beyond the {rows} rows. You rounded up, so the last ones have too
    many.
beyond-the-end/2: Your parts of {count} processes reach beyond the {rows} rows. The last one should end at {rows}.
end-included: `stop` is the first row that is no longer yours.
length-for-end: The second number is how many rows there are. It should be where they end.
rows-twice: Some of the {rows} rows go to several processes.
rows-lost: Of {rows} rows, {held} are dealt out to {count} processes.
not-even: Your {count} processes have {sizes} rows. All others wait for one that has more.
other-order: You dealt out the parts from the last process to the first. Process 0 comes first.
wrong-ones-have-more: The first {more} of {count} processes should have one row more, but here others have it.
other-order/2: You did not deal out the rows in the order of the processes. Process 0 has the first ones.
wrong-ends: A process without rows should get `({rows}, {rows})`, so that it begins where the rows end.
many-rows-rounded: Your parts are right for few rows, and not for {rows}. Stay with Python's whole numbers. Small dtypes
    overflow, and a float32 doesn't hold every whole number beyond 16,777,216.
"""

deal_out_rows = declare(
    "deal-out-rows",
    see="whose-rows",
    steps=[every_row_once],
    words=(LESSON, WORDS),
)
