"""Answers to honest-seconds."""

import time

import jax
import jax.experimental
import numpy as np

from jaxcourse.exercise import right, wrong


@right("honest-seconds")
def compiles_ahead_of_time(f, x, clock):
    program = f.lower(x).compile()
    jax.block_until_ready(program(x))
    start = clock()
    jax.block_until_ready(program(x))
    return np.float64(clock() - start)


@right("honest-seconds")
def the_best_of_some(f, x, clock):
    times = []
    for _ in range(4):
        start = clock()
        jax.device_get(f(x))
        times.append(clock() - start)
    return min(times)


@right("honest-seconds")
def the_mean_of_ten(f, x, clock):
    [float(part[0]) for part in f(x).values()]
    start = clock()
    for _ in range(10):
        jax.block_until_ready(f(x))
    return (clock() - start) / 10


@right("honest-seconds")
def asks_until_all_is_there(f, x, clock):
    jax.block_until_ready(f(x))
    start = clock()
    y = f(x)
    while not all(part.is_ready() for part in y.values()):
        pass
    return clock() - start


@wrong("honest-seconds", "dispatch-only")
def asks_once_whether_all_is_there(f, x, clock):
    jax.block_until_ready(f(x))
    start = clock()
    [part.is_ready() for part in f(x).values()]
    return clock() - start


@wrong("honest-seconds", "one-array-only")
def asks_for_the_loss_alone(f, x, clock):
    jax.block_until_ready(f(x))
    start = clock()
    y = f(x)
    while not y["loss"].is_ready():
        pass
    return clock() - start


@wrong("honest-seconds", "method-of-an-array")
def as_the_cell_above(f, x, clock):
    f(x).block_until_ready()
    start = clock()
    y = f(x)
    y.block_until_ready()
    return clock() - start


@wrong("honest-seconds", "dispatch-left-out")
def looks_when_the_call_has_returned(f, x, clock):
    jax.block_until_ready(f(x))
    y = f(x)
    start = clock()
    jax.block_until_ready(y)
    return clock() - start


@wrong("honest-seconds", "dispatch-only")
def times_the_dispatch(f, x, clock):
    jax.block_until_ready(f(x))
    start = clock()
    f(x)
    return clock() - start


@wrong("honest-seconds", "dispatch-only")
def asks_for_the_shape(f, x, clock):
    jax.block_until_ready(f(x))
    start = clock()
    _ = f(x)["loss"].shape
    return clock() - start


@wrong("honest-seconds", "dispatch-only")
def waits_after_the_clock(f, x, clock):
    jax.block_until_ready(f(x))
    start = clock()
    result = f(x)
    seconds = clock() - start
    jax.block_until_ready(result)
    return seconds


@wrong("honest-seconds", "dispatch-only")
def waits_for_the_argument(f, x, clock):
    jax.block_until_ready(f(x))
    start = clock()
    f(x)
    x.block_until_ready()
    return clock() - start


@wrong("honest-seconds", "compiling-included")
def times_the_first_call(f, x, clock):
    start = clock()
    jax.block_until_ready(f(x))
    return clock() - start


@wrong("honest-seconds", "compiling-included")
def averages_over_the_first_call(f, x, clock):
    start = clock()
    for _ in range(10):
        jax.block_until_ready(f(x))
    return (clock() - start) / 10


@wrong("honest-seconds", "compiling-included")
def warms_up_with_less(f, x, clock):
    jax.block_until_ready(f(x[:1]))
    start = clock()
    jax.block_until_ready(f(x))
    return clock() - start


@wrong("honest-seconds", "compiling-included")
def traces_only(f, x, clock):
    jax.eval_shape(f, x)
    start = clock()
    jax.block_until_ready(f(x))
    return clock() - start


@wrong("honest-seconds", "compiling-included")
def empties_the_caches(f, x, clock):
    jax.block_until_ready(f(x))
    jax.clear_caches()
    start = clock()
    jax.block_until_ready(f(x))
    return clock() - start


@wrong("honest-seconds", "one-array-only")
def waits_for_the_loss(f, x, clock):
    f(x)["loss"].block_until_ready()
    start = clock()
    f(x)["loss"].block_until_ready()
    return clock() - start


@wrong("honest-seconds", "one-array-only")
def waits_for_what_comes_last_here(f, x, clock):
    np.asarray(f(x)["gradient"])
    start = clock()
    np.asarray(f(x)["gradient"])
    return clock() - start


@wrong("honest-seconds", "dispatch-only")
def makes_an_array_of_the_dictionary(f, x, clock):
    np.asarray(f(x))
    start = clock()
    np.asarray(f(x))
    return clock() - start


@wrong("honest-seconds", "another-function")
def compiles_another_function(f, x, clock):
    jax.block_until_ready(f(x))
    start = clock()
    jax.block_until_ready(jax.jit(lambda x: f(x))(x))
    return clock() - start


@wrong("honest-seconds", "warm-up-not-awaited")
def leaves_the_warm_up_running(f, x, clock):
    f(x)
    start = clock()
    jax.block_until_ready(f(x))
    return clock() - start


@wrong("honest-seconds", "not-divided")
def sums_ten_calls(f, x, clock):
    jax.block_until_ready(f(x))
    start = clock()
    for _ in range(10):
        jax.block_until_ready(f(x))
    return clock() - start


@wrong("honest-seconds", "clock-turned-round")
def subtracts_the_wrong_way(f, x, clock):
    jax.block_until_ready(f(x))
    start = clock()
    jax.block_until_ready(f(x))
    return start - clock()


@wrong("honest-seconds", "another-clock")
def reads_the_computers_clock(f, x, clock):
    jax.block_until_ready(f(x))
    start = time.perf_counter() * 0  # so that the check can be repeated
    jax.block_until_ready(f(x))
    return time.perf_counter() * 0 - start


@wrong("honest-seconds", "rounded")
def rounds_to_milliseconds(f, x, clock):
    jax.block_until_ready(f(x))
    start = clock()
    jax.block_until_ready(f(x))
    return round(clock() - start, 3)


@wrong("honest-seconds", "remembered")
def keeps_what_it_has_found(f, x, clock, found={}):  # noqa: B006
    if f not in found:
        jax.block_until_ready(f(x))
        start = clock()
        jax.block_until_ready(f(x))
        found[f] = clock() - start
    return found[f]


@wrong("honest-seconds", "wrong-value")
def divides_by_the_warm_up_too(f, x, clock):
    jax.block_until_ready(f(x))
    start = clock()
    for _ in range(4):
        jax.block_until_ready(f(x))
    return (clock() - start) / 5


@wrong("honest-seconds", "one-reading")
def gives_the_last_reading(f, x, clock):
    jax.block_until_ready(f(x))
    clock()
    jax.block_until_ready(f(x))
    return clock()


@wrong("honest-seconds", "one-array-only")
def waits_for_one_after_an_honest_warm_up(f, x, clock):
    jax.block_until_ready(f(x))
    start = clock()
    f(x)["loss"].block_until_ready()
    return clock() - start


@wrong("honest-seconds", "wrong-value")
def gives_milliseconds(f, x, clock):
    jax.block_until_ready(f(x))
    start = clock()
    jax.block_until_ready(f(x))
    return 1000 * (clock() - start)


@wrong("honest-seconds", "not-divided")
def compiles_ahead_and_calls_twice(f, x, clock):
    f.lower(x).compile()
    start = clock()
    f(x)
    jax.block_until_ready(f(x))
    return clock() - start


@wrong("honest-seconds", "wrong-value")
def divides_by_more_than_it_did(f, x, clock):
    jax.block_until_ready(f(x))
    start = clock()
    for _ in range(2):
        jax.block_until_ready(f(x))
    return (clock() - start) / 5
