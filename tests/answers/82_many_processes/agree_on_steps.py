"""Answers to agree-on-steps."""

import threading

from jaxcourse.exercise import equivalent, right, wrong


@right("agree-on-steps")
def sends_all_at_once(rank, count, exchange, batches):
    return [sum(step) for step in zip(*exchange("batches", batches), strict=False)]


@right("agree-on-steps")
def asks_before_each_step(rank, count, exchange, batches):
    sums, left = [], list(batches)
    while all(exchange("more", bool(left))):
        sums.append(sum(exchange("sum", left.pop(0))))
    return tuple(sums)


@wrong("agree-on-steps", "left-waiting")
def goes_through_its_own(rank, count, exchange, batches):
    return [sum(exchange("sum", batch)) for batch in batches]


@wrong("agree-on-steps", "left-waiting")
def the_length_of_process_0(rank, count, exchange, batches):
    steps = exchange("length", len(batches))[0]
    return [sum(exchange("sum", batch)) for batch in batches[:steps]]


@wrong("agree-on-steps", "different-things")
def only_process_0_asks(rank, count, exchange, batches):
    if rank == 0:
        exchange("length", len(batches))
    return [sum(exchange("sum", batch)) for batch in batches]


@wrong("agree-on-steps", "left-waiting")
def goes_home_without_batches(rank, count, exchange, batches):
    if not batches:
        return []
    steps = min(exchange("length", len(batches)))
    return [sum(exchange("sum", batch)) for batch in batches[:steps]]


@wrong("agree-on-steps", "not-in-all")
def returns_the_sums_in_process_0(rank, count, exchange, batches):
    steps = min(exchange("length", len(batches)))
    sums = [sum(exchange("sum", batch)) for batch in batches[:steps]]
    return sums if rank == 0 else []


@wrong("agree-on-steps", "too-many-steps")
def fills_up_with_zeros(rank, count, exchange, batches):
    steps = max(exchange("length", len(batches)))
    filled = batches + [0.0] * (steps - len(batches))
    return [sum(exchange("sum", batch)) for batch in filled]


@wrong("agree-on-steps", "too-few-steps")
def takes_a_large_number_for_the_end(rank, count, exchange, batches):
    sums = []
    while max(numbers := exchange("batch", batches[len(sums)] if len(sums) < len(batches) else 1e9)) < 1e9:
        sums.append(sum(numbers))
    return sums


@wrong("agree-on-steps", "zero-is-missing")
def asks_whether_all_numbers_are_true(rank, count, exchange, batches):
    sums, left = [], iter(batches)
    while all(numbers := exchange("next", next(left, None))):
        sums.append(sum(numbers))
    return sums


@wrong("agree-on-steps", "zero-is-missing")
def takes_zero_for_the_end(rank, count, exchange, batches):
    sums, left = [], iter(batches)
    while 0 not in (numbers := exchange("next", next(left, 0))):
        sums.append(sum(numbers))
    return sums


@wrong("agree-on-steps", "nothing-added")
def adds_nothing(rank, count, exchange, batches):
    return batches[: min(exchange("length", len(batches)))]


@wrong("agree-on-steps", "too-few-steps")
def one_step_less(rank, count, exchange, batches):
    steps = min(exchange("length", len(batches))) - 1
    return [sum(exchange("sum", batch)) for batch in batches[: max(steps, 0)]]


@wrong("agree-on-steps", "wrong-value")
def takes_the_mean(rank, count, exchange, batches):
    steps = min(exchange("length", len(batches)))
    return [sum(exchange("sum", batch)) / count for batch in batches[:steps]]


@wrong("agree-on-steps", "not-a-list")
def adds_everything_up(rank, count, exchange, batches):
    steps = min(exchange("length", len(batches)))
    return sum(sum(exchange("sum", batch)) for batch in batches[:steps])


@wrong("agree-on-steps", "too-few-steps")
def writes_on_a_board_of_threads(rank, count, exchange, batches):
    board = vars(threading).setdefault("_board", {})
    if rank == 0:
        board.clear()
    board[rank] = batches
    exchange("written", None)
    return [sum(step) for step in zip(*board.values(), strict=False)] if len(board) == count else []


@wrong("agree-on-steps", "too-few-steps")
def lets_the_last_one_fill_in(rank, count, exchange, batches):
    if rank == 0:
        threading._held = [], []
    held, sums = vars(threading).get("_held", ([], []))
    held.append(batches)
    if len(held) == count:
        sums[:] = [sum(step) for step in zip(*held, strict=False)]
    return sums


equivalents = [
    equivalent("agree-on-steps", "numbers remembered from the first call", "neither of the two numbers is needed"),
]
