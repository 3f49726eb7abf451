"""kepler-anomaly: Newton's steps for Kepler's equation, in a loop that ends by itself."""

import itertools

import jax
import numpy as np

from jaxcourse import insides, probe
from jaxcourse.checks import declare, refuse, require
from jaxcourse.exercise import is_close, numbers
from jaxcourse.probe import NEEDS_A_VALUE

MOST = 200
"""Newton needs some ten steps. What needs more never ends, and an endless loop in XLA cannot be interrupted."""


def solved(student_function, orbits, most):
    """The answer's results under `jit`, and the steps of its loops, each of which ends after so many steps."""
    program, form = insides.read_with_form(student_function, *orbits[0])
    limited = jax.jit(insides.with_loops_limited(program, most))
    found = [limited(*orbit) for orbit in orbits]
    return [(jax.tree.unflatten(form, out), int(steps)) for out, steps in found]


def newton(mean, eccentricity):
    """In `float64`: E after each step, from pi until the residual is small."""
    path = [np.pi]
    while abs(residual_of(path[-1], mean, eccentricity)) > 1e-5:
        anomaly = path[-1]
        slope = 1 - eccentricity * np.cos(anomaly)
        path.append(anomaly - residual_of(anomaly, mean, eccentricity) / slope)
    return path


def residual_of(anomaly, mean, eccentricity):
    return anomaly - eccentricity * np.sin(anomaly) - mean


def clear_cut(mean, eccentricity):
    """Whether rounding cannot change the number of steps."""
    sizes = [abs(residual_of(anomaly, mean, eccentricity)) for anomaly in newton(mean, eccentricity)]
    return sizes[-1] < 0.8e-5 and all(size > 1.25e-5 for size in sizes[:-1])


def stops_later_by_its_steps(mean, eccentricity):
    """Whether the residual is small enough where the next step is still longer than that."""
    anomaly = newton(mean, eccentricity)[-1]
    size, slope = abs(residual_of(anomaly, mean, eccentricity)), 1 - eccentricity * np.cos(anomaly)
    return size > 4e-6 and size / slope > 1.2e-5


def draw_orbits(rng):
    """Orbits of every kind; among them some on which a tolerance ten times as large or as small takes other steps."""
    drawn = [(np.float32(m), np.float32(e)) for m, e in rng.uniform((0.1, 0.02), (3.1, 0.6), size=(1500, 2))]
    sizes = [[abs(residual_of(anomaly, *orbit)) for anomaly in newton(*orbit)] for orbit in drawn]
    rough = [orbit for orbit, size in zip(drawn, sizes, strict=True) if len(size) > 1 and 1.3e-5 < size[-2] < 9e-5]
    fine = [orbit for orbit, size in zip(drawn, sizes, strict=True) if 3e-6 < size[-1] < 8e-6]
    edges = [(0.05, 0.97), (3.0, 0.95), (1.0, 0.0), (0.4, 0.9), (0.002, 0.99), (0.0003, 0.999)]  # up to nine steps
    many = (tuple(np.float32(rng.uniform((0.1, 0.4), (1.2, 0.6)))) for _ in itertools.count())
    near = itertools.islice((o for o in many if stops_later_by_its_steps(*o) and clear_cut(*o)), 3)
    orbits = [*drawn[:12], *rough[:4], *fine[:4], *near, *((np.float32(m), np.float32(e)) for m, e in edges)]
    return [orbit for orbit in orbits if clear_cut(*orbit)]


def of_whole_numbers_too(answer, rng):
    """A whole number M gives what the same M gives as a float.

    A function, since E of a whole number M is compared with that of the same M with a fraction of 0.
    """
    eccentricities = (np.float32(e) for e in rng.uniform(0.02, 0.6, 100))
    orbits = [(np.int32(m), e) for m, e in zip(itertools.cycle((1, 2, 3)), eccentricities)]
    orbits = [orbit for orbit in orbits if clear_cut(*orbit)][:6]
    floats = [(np.float32(m), e) for m, e in orbits]
    for orbit, (got, _) in zip(floats, answer.probe(solved, floats, MOST), strict=True):
        require(is_newtons(orbit, got), "other-steps", **compared(answer, orbit, got))
    try:
        found = answer.probe(solved, orbits, MOST)
    except probe.AnswerRaised as error:
        refuse(error.raised.kind == "TypeError", "begins-as-an-integer/raises", raised=error.raised.message)
        raise
    for orbit, (got, _) in zip(orbits, found, strict=True):
        require(is_newtons(orbit, got), "begins-as-an-integer", **compared(answer, orbit, got))


def is_newtons(orbit, got):
    """Whether E is where Newton's steps first have a small residual."""
    return abs(float(got) - newton(*orbit)[-1]) < 2.5e-6


def compared(answer, orbit, got):
    """The facts of an orbit, with E as it came back and as it is wanted."""
    return {**named(answer, orbit), "anomaly": f"{float(got):.6f}", "first_small": f"{newton(*orbit)[-1]:.6f}"}


def named(answer, orbit):
    """The facts of an orbit, whose call is shown from now on."""
    mean, eccentricity = (f"{number:.3f}" if number.dtype.kind == "f" else str(number) for number in orbit)
    answer.called = f"kepler_anomaly({mean}, {eccentricity})"
    return {"mean": mean, "eccentricity": eccentricity}


def in_newtons_steps(answer, rng):
    """Each loop takes Newton's steps from π, and ends at the first small residual.

    A function, since the residual, and the number of steps, tell more than E, which rounding moves.
    """
    orbits = draw_orbits(rng)
    results, raised = answer.attempt(solved, orbits, MOST, expected=[*NEEDS_A_VALUE, "TypingError"])
    refuse(raised, "asks-a-tracer", raised=raised)
    found, steps = [numbers(anomaly) for anomaly, _ in results], [taken for _, taken in results]
    require(found[0].shape == (), "wrong-shape")
    found = [np.float64(anomaly) for anomaly in found]
    counts = answer.probe(probe.primitives, *orbits[0])
    require(counts.get("while", 0) >= 1, "no-while-loop")
    residuals = [residual_of(got, *orbit) for orbit, got in zip(orbits, found, strict=True)]
    for orbit, got, taken, residual in zip(orbits, found, steps, residuals, strict=True):
        facts = {**named(answer, orbit), "anomaly": f"{got:.3g}", "taken": taken, "residual": f"{residual:.1e}"}
        refuse(taken >= MOST and abs(residual) < 1e-5, "never-ends/2", **facts)
        require(taken < MOST and np.isfinite(got), "never-ends", **facts)
    solved_all = max(map(abs, residuals)) < 1.15e-5  # its loop may be where no steps are counted
    refuse(max(steps) == 0 and not solved_all, "condition-reversed")
    refuse(is_close(found, np.degrees([newton(*orbit)[-1] for orbit in orbits]), rtol=1e-4), "in-degrees")
    for orbit, got, residual in zip(orbits, found, residuals, strict=True):
        facts = {**named(answer, orbit), "anomaly": f"{got:.6f}", "residual": f"{residual:.1e}"}
        require(abs(residual) < 0.1, "another-equation", **facts)
        require(abs(residual) < 1.15e-5, "stops-early", **facts)
    for orbit, got in zip(orbits, found, strict=True):
        if orbit[1] <= 0.6:  # beyond, rounding alone moves E that far
            require(is_newtons(orbit, got), "other-steps", **compared(answer, orbit, got))


WORDS = """
hint: What does each step need from the one before? That is what `jax.lax.while_loop(condition, step, start)` carries,
    and here it is E.
hint: Go on while the residual is larger than the tolerance, whatever its sign.
begins-as-an-integer: Your E is {anomaly} for M = {mean}, and {first_small} for M = {mean}.0. Does something take the
    dtype of M, which holds no fraction? Make a `float32` of M first.
begins-as-an-integer/raises: Your code raises an error only for a whole number M. Does its loop carry something with the
    dtype of M? Make a `float32` of M first. TypeError: {raised}
asks-a-tracer [tracer-errors]: Your code, NumPy or Numba asks for a value, as `while`, `if`, `np.sin` and `math.sin` do.
    Under `jit` there are only tracers. Your code raised `{raised}`.
wrong-shape: You returned something other than one number. Return E alone.
no-while-loop: Your program has no `while_loop`, so its number of steps is fixed, whatever the orbit. Let it end at a
    small residual.
never-ends: Your E is {anomaly} after {taken} steps, with a residual of {residual}. Is the step right?
never-ends/2: Your loop still goes on after {taken} steps, with a residual of {residual}. Let it end at 1e-5 or less,
    because `float32` gets little nearer.
condition-reversed: Your loop did not run at all. Its condition is false from the start, and a loop goes on *while* it
    is true, not until.
in-degrees: You returned degrees. All angles here are in radians, as `jnp.sin` wants them.
stops-early: Your loop ended with a residual of {residual}. It should be 1e-5 or less, whatever its sign.
another-equation: Your loop ended at E = {anomaly}, and E - e sin E - M is {residual} there. It should be 1e-5 or less,
    whatever its sign.
other-steps: Your E is {anomaly}. Newton's steps from π first have a small residual at {first_small}. Begin with π, and
    stop as soon as the residual is 1e-5 or less.
"""

kepler_anomaly = declare(
    "kepler-anomaly",
    points=2,
    see="control-flow",
    steps=[in_newtons_steps, of_whole_numbers_too],
    words=WORDS,
)
