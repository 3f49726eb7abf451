"""warm-then-cool."""

import jax
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, require, seen

from ._lesson import _rise, _total, straight


@probe.question(evidence="values")
def schedule_facts(student_function, peak, n, size, epochs, warm):
    """The rates after so many updates, of a schedule that is made between two others, compiled."""
    student_function(3 * peak, n, size, epochs, warm)
    schedule = student_function(peak, n, size, epochs, warm)
    student_function(peak, n + 2 * size, size, epochs + 1, warm)
    if not callable(schedule):
        return {"type": type(schedule).__name__}
    jitted = jax.jit(schedule)
    rates = [jitted(np.int32(i)) for i in range(epochs * (n // size) + 1)]
    return {"type": "", "scalar": not any(map(np.ndim, rates)), "rates": rates}


@probe.question(evidence="values")
def some_rates(student_function, peak, n, size, epochs, warm, asked, compiled):
    """The rates after some updates."""
    schedule = student_function(peak, n, size, epochs, warm)
    called = jax.jit(schedule) if compiled else schedule
    return [called(np.int32(i) if compiled else i) for i in asked]


def rates_of(steps, peak, rise, total):
    """The rates, from the number of updates of the rise and of all."""
    steps = np.asarray(steps, np.float64)
    share = np.clip((steps - rise) / (total - rise), 0, 1)
    falling = peak * (1 + np.cos(np.pi * share)) / 2
    return np.where(steps < rise, peak * steps / rise if rise else peak, falling)


def planned(rise, total):
    """A schedule for one call, from functions of the epochs, the warm epochs, `n` and `size`."""

    def rates(peak, n, size, epochs, warm):
        steps = range(epochs * (n // size) + 1)
        return rates_of(steps, peak, rise(n, size, epochs, warm), total(n, size, epochs, warm))

    return rates


cosine = planned(_rise, _total)


def shaped(fall, *, late=0):
    """Another fall, a function of the count, the rise and the whole; or counts that are too large by `late`."""

    def rates(peak, n, size, epochs, warm):
        rise, total = _rise(n, size, epochs, warm), _total(n, size, epochs, warm)
        steps = np.arange(total + 1) + late
        return np.where(steps < rise, peak * steps / rise, peak * fall(np.minimum(steps, total), rise, total))

    return rates


def _half(steps, rise, total):
    return (1 + np.cos(np.pi * (steps - rise) / (total - rise))) / 2


MISTAKES = {
    "counts-from-one": shaped(_half, late=1),
    "fallen-already": shaped(lambda steps, rise, total: (1 + np.cos(np.pi * steps / total)) / 2),
    "quarter-period": shaped(lambda steps, rise, total: np.cos(np.pi / 2 * (steps - rise) / (total - rise))),
    "part-of-a-batch": planned(
        lambda n, size, epochs, warm: warm * n / size, lambda n, size, epochs, warm: epochs * n / size
    ),
    "epochs-for-updates": planned(lambda n, size, epochs, warm: warm, lambda n, size, epochs, warm: epochs),
    "warm-up-on-top": planned(_rise, lambda n, size, epochs, warm: (epochs - warm) * (n // size)),
    "too-long": planned(_rise, lambda n, size, epochs, warm: (epochs + warm) * (n // size)),
    "part-of-a-batch/2": planned(
        lambda n, size, epochs, warm: warm * -(-n // size), lambda n, size, epochs, warm: epochs * -(-n // size)
    ),
    "examples-for-updates": planned(lambda n, size, epochs, warm: warm * n, lambda n, size, epochs, warm: epochs * n),
    "warm-in-updates": planned(lambda n, size, epochs, warm: warm, _total),
    "one-update-short": planned(_rise, lambda n, size, epochs, warm: epochs * (n // size) - 1),
    "straight-line": straight,
    "no-warm-up": planned(lambda n, size, epochs, warm: 0, _total),
}


def a_cosine(peak, n, size, epochs, warm):
    """The oracle: the rates after each number of updates."""
    return cosine(peak, n, size, epochs, warm)


def rates_in(facts, *case):
    """The rates of a schedule."""
    require(not facts["type"], "not-a-schedule", type=facts["type"])
    require(facts["scalar"], "not-a-number")
    return np.array([float(rate) for rate in facts["rates"]])


def drawn_plan(rng, what):
    size, whole = int(rng.integers(3, 8)), int(rng.integers(2, 5))
    left = {"nothing left": 0, "some left": int(rng.integers(1, size))}[what]
    return float(np.round(rng.uniform(0.1, 2), 2)), size * whole + left, size, int(rng.integers(5, 8)), 2


PLANS = [(40.0, 10, 3, 4, 3), (1e-5, 9, 5, 3, 1), (0.5, 50_003, 10, 20, 3)]
"""Of the last, 100,000 updates, a few are asked."""


def asked_of(peak, n, size, epochs, warm):
    """The updates that are asked of a plan."""
    last = epochs * (n // size)
    return sorted({0, 1, last // 9, last // 3, last // 2, last - 1, last})


def with_counts(rng):
    return [(*plan, asked_of(*plan), compiled) for compiled in (True, False) for plan in PLANS]


def rates_at(peak, n, size, epochs, warm, counts, compiled):
    """The oracle at some updates."""
    return cosine(peak, n, size, epochs, warm)[counts]


def without_jit_alone(reply):
    """Whether a wrong rate is one that was not compiled."""
    return reply.right or not reply.case[-1]


def numbers_of(rates, *case):
    return np.array([float(rate) for rate in rates])


RAISING = {
    "length-below-warm-up": "positive decay_steps",
    "branches-on-the-count": probe.NEEDS_A_VALUE,
}


WORDS = """
hint: How many updates does an epoch have? How many does the warm-up have, and how many the whole training?
hint: The last argument of `optax.warmup_cosine_decay_schedule(start, peak, warmup_steps, decay_steps)` is the whole
    length.
counts-from-one: Your first rate is not 0. The count of updates begins with 0.
fallen-already: Your cosine runs over the whole training, so that it has fallen already when the warm-up ends.
quarter-period: Your fall is a quarter of a period. It should begin and end gently.
part-of-a-batch: You counted a part of a batch as a part of an update. It is dropped, so an epoch has `n // size`
    updates.
epochs-for-updates: Your schedule counts epochs, but is called with updates. After as many *batches* as there are epochs
    the rate is 0, and nothing more is learnt.
warm-up-on-top: Your rate reaches 0 a warm-up too early. `decay_steps` is the whole length, with the warm-up in it.
too-long: Your rate is not 0 at the end. You added the warm-up to the length, but it is a part of it.
part-of-a-batch/2: You counted the examples at the end of an epoch, fewer than a batch, as a batch. They are dropped, so
    an epoch has `n // size` updates.
examples-for-updates: Your schedule counts examples, but is called with updates. There is one update for a whole batch,
    so the rate hardly leaves the warm-up.
warm-in-updates: Your warm-up is over after as many *updates* as it should take epochs.
one-update-short: Your rate is 0 one update too early, so the last update does nothing.
straight-line: Your rate falls along a straight line. It should be half a period of a cosine.
no-warm-up: Your schedule has no warm-up, so the first rate is the highest.
length-below-warm-up: optax refuses your schedule, because no update is left for the fall. In
    `warmup_cosine_decay_schedule` the length `decay_steps` is the whole one, warm-up included.
branches-on-the-count: The count has no value while optax's step is traced, but an `if`, Python's `math` or NumPy asks
    for one. Use `jnp.where` and `jnp`, or one of optax's schedules.
not-a-schedule: You returned an object of type `{type}`. Return the schedule, a function of the count.
not-a-number: For one count there should be one rate.
wrong-value: Your rate should rise to `peak` over the warm epochs, and fall to 0 over the others.
wrong-value/2: Your rate should rise to `peak` over the warm epochs, and fall to 0 over the others.
wrong-value/3: Without `jit`, your rates differ from those with it.
"""

warm_then_cool = declare(
    "warm-then-cool",
    see="net-schedule",
    steps=[
        Agrees(
            a_cosine,
            drawn_plan,
            ["nothing left", "some left"],
            each=2,
            ask=schedule_facts,
            reads=rates_in,
            shows="warm_then_cool({})",
            mistakes=MISTAKES,
            raising=RAISING,
            rtol=1e-4,
        ),
        Agrees(
            rates_at,
            extremes=with_counts,
            ask=some_rates,
            reads=numbers_of,
            shows="warm_then_cool(peak, n, size, epochs, warm)",
            mistakes={"wrong-value/3": seen(without_jit_alone)},
            otherwise="wrong-value/2",
            raising=RAISING,
            rtol=1e-4,
        ),
    ],
    words=WORDS,
)
