"""insulated-rod: one step of heat in a rod, whose ends follow their neighbours."""

import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.bans import no_loops
from jaxcourse.checks import Agrees, declare, refuse, require


def rod_step(u):
    """The oracle: the three lines of the task."""
    u = u.copy()
    u[1:-1] += 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
    u[0] = u[1]
    u[-1] = u[-2]
    return u


def with_ends(u, first, last):
    """One step, after which the ends get other temperatures than they should."""
    u = rod_step(u)
    u[[0, -1]] = first, last
    return u


def point_after_point(u):
    """One step that meets new neighbours on the left."""
    u = u.copy()
    for i in range(1, len(u) - 1):
        u[i] += 0.25 * (u[i + 1] - 2 * u[i] + u[i - 1])
    u[[0, -1]] = u[[1, -2]]
    return u


def ends_first(u):
    """The ends copy their neighbours, and then there is a step without them."""
    u = np.concatenate([u[1:2], u[1:-1], u[-2:-1]])
    return with_ends(u, u[0], u[-1])


FEW = 24
"""Points of a rod, as many as the ban begins with: outside `jit` each new length costs a program for each operation."""


def rods(rng, points):
    return (inputs.array(rng, points, "float32", low=-9, high=99),)


def your_rod(draw_rods, with_a_flame, insulated_rod):
    """The lesson's own rod: below the flame, and after some steps of an answer."""
    first = with_a_flame(np)
    rod = probe.on_device(np.float32(first))
    for _ in range(200):
        rod = insulated_rod(rod)
    words = (
        f"Temperatures along the rod. Left: {first.max():.0f} °C where the flame is, and 0 elsewhere. Right, after 200 "
        f"of your steps: {float(rod.max()):.0f} °C at the warmest point, and {float(rod[0]):.1f} °C at the left end."
    )
    return draw_rods({"with a flame": first, "after 200 of your steps": rod}, words)


MISTAKES = {
    "result-thrown-away": lambda u: u,
    "ends-from-before": lambda u: with_ends(u, u[1], u[-2]),
    "ends-kept": lambda u: with_ends(u, u[0], u[-1]),
    "ends-before-the-step": ends_first,
    "ends-take-part": lambda u: u + 0.25 * np.diff(np.pad(u, 1, mode="edge"), 2),
    "a-ring": lambda u: u + 0.25 * (np.roll(u, 1) - 2 * u + np.roll(u, -1)),
    "set-not-add": lambda u: np.pad(0.25 * np.diff(u, 2), 1, mode="edge"),
    "new-neighbours": point_after_point,
}


def stays_in_jax(answer, rng):
    """It gives a JAX array, and its program is one of slices, all in JAX."""
    (u,) = rods(rng, FEW)
    require(answer.probe(probe.gives_jax, u), "left-jax")
    names, raised = answer.attempt(probe.primitives, u, expected=probe.NEEDS_A_VALUE)
    refuse(raised, "not-traceable")
    refuse({"scan", "while"} & set(names), "compiled-loop")
    refuse(any("callback" in name for name in names), "left-jax/2")


WORDS = """
hint: Which line of the task writes into `u`, and what is its result in JAX?
hint: `u[1:-1] += d` becomes `u = u.at[1:-1].add(d)`.
hint: Each line of the task gives the name `u` to a new array. Mind from which `u` you copy the ends.
result-thrown-away: Your array has not changed. `.at[...]` returns a new one: did you bind it to a name, and return
    that?
ends-from-before: Your ends got the temperatures that their neighbours had *before* the step. Take those from after
    it.
ends-kept: Your inner points are right, and the ends are as they were. Each should follow its neighbour: did you
    bind the result of `.at[...]` to a name?
ends-before-the-step: Your ends copied their neighbours before the step. The task sets them after it.
ends-take-part: Your inner points are right, but the ends also made a step. They should copy their neighbours.
a-ring: Your heat flows from one end of the rod to the other, as in a ring. Use slices without the ends.
set-not-add: Your inner points hold only the change. Add it to what they held: `+=` becomes `.add`, not `.set`.
new-neighbours: Your points move one by one, so each meets a left neighbour that has already moved. In the task, all
    move at once.
wrong-value: Your result is not the temperature after one step.
left-jax: Your numbers are right, but the result is not a JAX array.
not-traceable: Your result is right, but `jax.jit` could not trace your code, which asks for the numbers in the
    array. Stay with `.at` and slices.
compiled-loop: Your result is right, but a function that you give to JAX goes through the points one by one. That is
    also a loop: write slices.
left-jax/2: Your result is right, but a callback computes it in NumPy. Stay with `.at` and slices.
not-under-jit: Your result is right for JAX arrays, and another one under `jit`. What does Python do while JAX
    traces?
"""

insulated_rod = declare(
    "insulated-rod",
    points=2,
    see="never-changes",
    without=[
        no_loops(
            grows=lambda n: (probe.on_device(np.arange(n, dtype=np.float32) ** 2),),
            of="points",
            n=FEW,
            advice="Outside `jit` each `.at[...]` copies the whole rod. Write slices.",
        )
    ],
    steps=[
        Agrees(rod_step, rods, [3, FEW], ask=probe.on_jax_arrays, mistakes=MISTAKES),
        stays_in_jax,
        Agrees(rod_step, rods, [FEW], each=1, ask=probe.under_jit, otherwise="not-under-jit"),
    ],
    words=WORDS,
    picture=your_rod,
)
