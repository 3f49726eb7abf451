"""Answers to loop-to-scan."""

import functools

import jax
import jax.export
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong

from ..loop_to_scan import sir_history


def sir_step(state):
    """The function of the set-up cell."""
    susceptible, infected, recovered = state
    new, healed = 0.3 * susceptible * infected, 0.1 * infected
    return state + jnp.stack([-new, new - healed, healed])


@right("loop-to-scan")
def fills_the_rows_of_an_array(state, days):
    def day(i, carry):
        state, rows = carry
        state = sir_step(state)
        return state, rows.at[i].set(state)

    state = jnp.asarray(state)
    return jax.lax.fori_loop(0, days, day, (state, jnp.zeros((days, 3), state.dtype)))[1]


@right("loop-to-scan")
@functools.partial(jax.jit, static_argnames="days")
def compiled_by_itself(state, days):
    return scan_and_collect(state, days)[1]


def roll_out(state, days):
    """A Python loop that collects the states."""
    history = []
    for _ in range(days):
        state = sir_step(state)
        history.append(state)
    return jnp.stack(history)


def scan_and_collect(state, days, before=False):
    """A scan that collects the new states, or the old ones."""

    def day(state, _):
        after = sir_step(state)
        return after, state if before else after

    return jax.lax.scan(day, jnp.asarray(state), length=days)


@wrong("loop-to-scan", "some-days-only")
def always_walks_a_thousand(state, days):
    def day(state, _):
        state = sir_step(state)
        return state, state

    return jax.lax.scan(day, state, length=1000)[1][:days]


@wrong("loop-to-scan", "some-days-only")
def loses_what_is_left_of_ten(state, days):
    block = min(days, 10)
    _, rows = jax.lax.scan(lambda s, _: scan_and_collect(s, block), jnp.asarray(state), length=days // block)
    return rows.reshape(-1, 3)


@wrong("loop-to-scan", "unrolled")
def stacks_a_python_loop(state, days):
    return roll_out(state, days)


@wrong("loop-to-scan", "unrolled")
def jits_the_python_loop(state, days):
    return jax.jit(roll_out, static_argnums=1)(state, days)


@wrong("loop-to-scan", "last-day-only")
def returns_the_carry(state, days):
    return scan_and_collect(state, days)[0]


@wrong("loop-to-scan", "returned-both")
def returns_the_pair(state, days):
    return scan_and_collect(state, days)


@wrong("loop-to-scan", "starts-with-day-0")
def collects_before_the_step(state, days):
    return scan_and_collect(state, days, before=True)[1]


@wrong("loop-to-scan", "axes-swapped")
def days_in_columns(state, days):
    return scan_and_collect(state, days)[1].T


@wrong("loop-to-scan", "unrolled")
def unrolls_weeks(state, days):
    return roll_out(state, days) if days > 100 else scan_and_collect(state, days)[1]


@wrong("loop-to-scan", "not-traceable")
def loops_in_numpy(state, days):
    rows = []
    for _ in range(days):
        state = np.asarray(sir_step(state))
        rows.append(state)
    return np.stack(rows)


@wrong("loop-to-scan", "host-callback")
def calls_python_back(state, days):
    described = jax.ShapeDtypeStruct((days, 3), jnp.float32)
    return jax.pure_callback(lambda state: sir_history(state, days)[1:].astype(np.float32), described, state)


@wrong("loop-to-scan", "last-day-first")
def turns_the_days_round(state, days):
    return scan_and_collect(state, days)[1][::-1]


@wrong("loop-to-scan", "wrong-value")
def steps_twice_in_a_day(state, days):
    return jax.vmap(sir_step)(scan_and_collect(state, days)[1])


@wrong("loop-to-scan", "not-handed-on")
def repeats_the_first_day(state, days):
    return jnp.tile(sir_step(jnp.asarray(state)), (days, 1))


@right("loop-to-scan")
def some_rounds_in_one(state, days):
    return jax.lax.scan(lambda s, _: (sir_step(s),) * 2, jnp.asarray(state), length=days, unroll=4)[1]


@wrong("loop-to-scan", "unrolled")
def all_rounds_in_one(state, days):
    return jax.lax.scan(lambda s, _: (sir_step(s),) * 2, jnp.asarray(state), length=days, unroll=days)[1]


@wrong("loop-to-scan", "not-traceable")
def scans_an_array_of_numpy(state, days):
    return scan_and_collect(np.asarray(state), days)[1]


@wrong("loop-to-scan", "axes-swapped")
def collects_three_numbers(state, days):
    return jax.lax.scan(lambda s, _: (sir_step(s), tuple(sir_step(s))), jnp.asarray(state), length=days)[1]


equivalents = [
    equivalent("loop-to-scan", "`1`  ->  `-1`", "a pair has two entries"),
]


@wrong("loop-to-scan", "returned-nothing")
def collects_none(state, days):
    return jax.lax.scan(lambda state, _: (sir_step(state), None), state, length=days)[1]
