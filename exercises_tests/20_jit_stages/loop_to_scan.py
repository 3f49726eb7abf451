"""loop-to-scan: an epidemic day by day, as one loop in the program."""

import numpy as np

from jaxcourse import insides, probe
from jaxcourse.checks import Agrees, declare, refuse, require

from ._lesson import WORDS as LESSON


def sir_history(state, days):
    """The days one after the other, in double precision, with the first state in front."""
    history = [np.asarray(state, np.float64)]
    for _ in range(days):
        susceptible, infected, _ = history[-1]
        new, healed = 0.3 * susceptible * infected, 0.1 * infected
        history.append(history[-1] + np.array([-new, new - healed, healed]))
    return np.array(history)


def after_each_day(state, days):
    return sir_history(state, days)[1:]


def patients(rng, days):
    """The shares of susceptible, infected and recovered at the beginning."""
    infected, recovered = rng.uniform(0.01, 0.2, 2)
    return np.array([1 - infected - recovered, infected, recovered], np.float32), days


def a_history_alone(answer, rng):
    """What the scan collects comes back, and it collects something.

    A function, since only a form is asked for.
    """
    state, days = patients(rng, SOME_DAYS)
    got = answer.probe(probe.call, state, days)
    refuse(got is None, "returned-nothing")
    refuse(isinstance(got, tuple) and len(got) == 2 and np.shape(got[0]) == np.shape(state), "returned-both")


def equations_of_days(simulate, state, all_days):
    """How many equations each simulation has, with a loop as often as it is unrolled; -1 if it calls back to Python."""

    def equations(days):
        program = insides.read(lambda state: simulate(state, days), state)
        unrolls = [each.loop.unroll for each in program.everything if each.loop]
        calls_back = any("callback" in name for name in program.names)
        return -1 if calls_back else len(program.everything) + sum(unrolls) - len(unrolls)

    return [equations(days) for days in all_days]


def a_loop_that_stays_a_loop(answer, rng):
    """The program is as long for many days as for few.

    A function, since it counts equations.
    """
    state, _ = patients(rng, 10)
    few, raised = answer.attempt(equations_of_days, state, [10, 30], expected=probe.NEEDS_A_VALUE)
    refuse(raised, "not-traceable")
    refuse(-1 in few, "host-callback")
    require(few[0] == few[1], "unrolled", few=few[0], many=few[1])
    ten, thousand = answer.probe(equations_of_days, state, [10, 1000])
    refuse(ten < thousand, "unrolled/2", ten=ten, thousand=thousand)


SOME_DAYS = 7
MISTAKES = {
    "last-day-only": lambda state, days: after_each_day(state, days)[-1],
    "starts-with-day-0": [sir_history, lambda state, days: sir_history(state, days)[:-1]],
    "axes-swapped": lambda state, days: after_each_day(state, days).T,
    "last-day-first": lambda state, days: after_each_day(state, days)[::-1],
    "not-handed-on": lambda state, days: np.tile(after_each_day(state, 1), (days, 1)),
}

WORDS = """
hint: What goes on from one day to the next, and what do you collect on the way?
hint: `jax.lax.scan(body, start, length=days)` returns the last state, and all that was collected.
hint: The body takes a state and an unused element, and ends in `return what_goes_on, what_is_collected`.
returned-nothing: `None` came back. Does your function end in a `return`, and does the body of the scan collect
    something?
returned-both: A pair came back: `scan` returns the last state, and all that was collected. Return the second.
last-day-only: You returned the state after the last day. Collect that of every day.
starts-with-day-0: Your first row is the state that you were given. It should be the state after day 1.
axes-swapped: Your days are the columns. They should be the rows.
last-day-first: Your last day comes first. Row 0 should be the state after day 1.
not-handed-on: Your rows are all the state after day 1. Hand the new state on, as the first of the pair that the
    body returns.
wrong-value: Your rows are not the states after each day. Is each `sir_step` of the one before?
not-traceable: Your code asks for numbers that are not there while JAX traces. Does it make a NumPy array, or does
    Python decide by the state? Stay in JAX.
host-callback: Your program calls Python back while it runs. The loop is still a Python loop, which JAX does not
    see: use `jax.lax.scan`.
unrolled: {few} equations for 10 days, {many} for 30, counting iterations that `unroll` puts into one: the loop, or
    a part of it, is written out. Use a `scan`.
unrolled/2: {ten} equations for 10 days, {thousand} for 1000, counting iterations that `unroll` puts into one: a
    part of the loop is written out. Put it into the `scan`.
some-days-only: Your answer is right for few days, and not for so many. Return as many states as there are days.
"""

loop_to_scan = declare(
    "loop-to-scan",
    points=2,
    see="compile-time",
    steps=[
        a_history_alone,
        Agrees(after_each_day, patients, [SOME_DAYS], each=2, mistakes=MISTAKES, rtol=1e-4),
        a_loop_that_stays_a_loop,
        Agrees(after_each_day, patients, [1], each=2, rtol=1e-4),
        Agrees(after_each_day, patients, [1511], each=1, rtol=1e-4, otherwise="some-days-only"),  # no blocks of days
    ],
    words=(LESSON, WORDS),
)
