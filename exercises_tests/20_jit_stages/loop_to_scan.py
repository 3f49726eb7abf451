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
hint: `jax.lax.scan(body, start, length=days)` returns the last state and all that was collected.
hint: The body takes a state and an unused element, and returns a pair: what goes on, and what is collected.
returned-nothing: `None` came back: the function does not end in a `return`, or the body of the scan collects `None`.
returned-both: A pair came back: `scan` returns the last state and what was collected. Return the second.
last-day-only: That is the state after the last day. Collect every day's.
starts-with-day-0: Your first row is the state that you were given. It should be the state after day 1.
axes-swapped: The days should be the rows; yours are the columns.
last-day-first: The last day comes first: row 0 should be the state after day 1.
not-handed-on: Every row is the state after day 1: the new state must go on to the next round, as the first of the
    pair.
wrong-value: The state after each day.
not-traceable: Something asks for numbers, which are not there while JAX traces: an array of NumPy is made, or Python
    decides by what the state is. Keep all of it in JAX.
host-callback: Python is called back while the program runs: the loop is still one of Python, and JAX does not see
    it.
unrolled: {few} equations for 10 days, {many} for 30, counting rounds that `unroll` puts into one: the loop, or a
    part of it, is written out.
unrolled/2: {ten} equations for 10 days, {thousand} for 1000, counting rounds that `unroll` puts into one: a part of
    the loop is written out.
some-days-only: Right for few days, and not for so many: there are as many states as days, whatever their number.
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
