"""swing."""

import jax
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, refuse, require
from jaxcourse.exercise import is_numeric
from jaxcourse.probe import NEEDS_A_VALUE

from ._lesson import equations, written_out


def leapfrog(angle, velocity, steps):
    """The oracle: a plain loop in double precision."""
    angle, velocity = float(angle), float(velocity)
    for _ in range(steps):
        velocity -= 0.1 * np.sin(angle)
        angle += 0.1 * velocity
    return np.array([angle, velocity])


def moved_by(step):
    """An oracle with another step."""

    def oracle(angle, velocity, steps):
        state = float(angle), float(velocity)
        for _ in range(steps):
            state = step(*state)
        return np.array(state)

    return oracle


def angle_first(angle, velocity):
    angle = angle + 0.1 * velocity
    return angle, velocity - 0.1 * np.sin(angle)


def for_small_angles(angle, velocity):
    velocity = velocity - 0.1 * angle
    return angle + 0.1 * velocity, velocity


@probe.question(evidence="values")
def swung(student_function, angle, velocity, steps):
    """The result under `jit`, for a plain number of steps."""
    return jax.jit(student_function, static_argnums=2)(angle, velocity, steps)


def draw_pendulum(rng, steps):
    """A pendulum that swings, or goes over the top."""
    return np.float32(rng.uniform(0.5, 1.5)), np.float32(rng.uniform(0.1, 0.5) * rng.choice([-1, 1, 40])), steps


def one_array(state, angle, velocity, steps):
    """The last state, as one array."""
    refuse(is_numeric(state) and np.ndim(state) == 2, "every-state")
    require(isinstance(state, np.ndarray), "not-an-array")
    return state


def a_loop_that_stays_a_loop(answer, rng):
    """The program is as long for many steps as for few."""
    angle, velocity, _ = draw_pendulum(rng, 0)
    few, raised = answer.attempt(equations, angle, velocity, 40, expected=NEEDS_A_VALUE)
    refuse(raised, "needs-the-numbers", raised=raised)
    many = answer.probe(equations, angle, velocity, 80)
    require(few == many, "unrolled", few=few, many=many)
    far = answer.probe(equations, angle, velocity, 20000)
    require(few == far, "unrolled/2", few=few, far=far)
    long, longer = (answer.probe(written_out, angle, velocity, steps) for steps in (20000, 40000))
    require(long == longer, "unrolled/3", long=long, longer=longer)


MISTAKES = {
    "old-velocity": moved_by(lambda a, v: (a + 0.1 * v, v - 0.1 * np.sin(a))),
    "angle-first": moved_by(angle_first),
    "small-angles": moved_by(for_small_angles),
    "one-step-short": lambda angle, velocity, steps: leapfrog(angle, velocity, steps - 1),
    "exchanged": lambda angle, velocity, steps: leapfrog(angle, velocity, steps)[::-1],
}


FAR = [
    (np.float32(3.0), np.float32(2.5), 7),
    (np.float32(-2.5), np.float32(-20.0), 7),
    (np.float32(0.5), np.float32(0.2), 1511),  # a prime: blocks of any length leave a rest
]


WORDS = """
hint: `jax.lax.fori_loop(0, steps, step, start)`, with `step(i, state)`.
hint: The state is the pair (angle, velocity). In the loop, the angle moves with the *new* velocity.
needs-the-numbers [tracer-errors]: NumPy, or Python, needs a number, and gets a tracer. Under `jit` the state is one,
    and so is `steps` if the `jit` is your own. Your code raised `{raised}`.
unrolled [unrolling]: Your program has {few} equations for 40 steps and {many} for 80, because the loop is copied out.
unrolled/2 [unrolling]: Your program has {few} equations for 40 steps and {far} for 20000, so there is a loop for each
    block of steps.
unrolled/3 [unrolling]: The equations are few, but with your `unroll` the compiler writes out {long} steps of 20000, and
    {longer} of 40000. Give `unroll` a fixed number, or leave it out.
every-state: You returned every state. Only the last one is wanted.
not-an-array: You returned two numbers in a tuple or a list. Make one array of them.
old-velocity: You moved both from the *old* state. The angle has to move with the new velocity, or the energy grows.
angle-first: The angle moved first, with the old velocity. The velocity takes its step first.
small-angles: You put `angle` in place of `sin(angle)`. That holds for small swings alone.
one-step-short: You returned the state one step before. Take one step more.
exchanged: Return the angle first, then the velocity.
wrong-value: Your state is not the one after so many steps.
"""

swing = declare(
    "swing",
    see="lab-slow",
    steps=[
        a_loop_that_stays_a_loop,
        Agrees(
            leapfrog,
            draw_pendulum,
            [0, 1, 7],
            each=2,
            extremes=FAR,
            ask=swung,
            reads=one_array,
            mistakes=MISTAKES,
            rtol=1e-3,
        ),
    ],
    words=WORDS,
)
