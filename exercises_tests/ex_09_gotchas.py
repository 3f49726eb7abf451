"""Checks of lesson 09, gotchas: what tracing freezes, which error it is, what a gradient is worth, which belt helps."""

import contextlib
import functools
import io
import itertools

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.exercise import close, equivalent, exercise, numbers, refuse, require, right, wrong
from jaxcourse.inputs import Slip, sweep
from jaxcourse.prediction import Mistake, any_of, anything_else, prediction
from jaxcourse.probe import NEEDS_A_VALUE


def raised_by(function):
    """The name of the exception that a call raises, or `"no error"`."""
    try:
        function()
    except Exception as error:
        return type(error).__name__
    return "no error"


# -- count-prints -----------------------------------------------------------------------------------------------


def printed_lines(function):
    """How many lines a call prints, callbacks of the compiled program included."""
    tape = io.StringIO()
    with contextlib.redirect_stdout(tape):
        function()
        jax.effects_barrier()
    return len(tape.getvalue().splitlines())


def says(x):
    print("Python runs")
    return 2 * x


def true_prints():
    """The six counts, counted here."""

    def reports(x):
        jax.debug.print("the program runs")
        return 2 * x

    def ten(function, *shapes):
        return lambda: [function(jnp.ones(shape)) for shape in (shapes or [3] * 10)]

    def scanned():
        jax.lax.scan(lambda c, _: (says(c), None), jnp.float32(1), length=5)

    def branches():
        jax.lax.cond(jnp.float32(1) > 0, says, lambda x: says(x) + 1, jnp.float32(1))

    programs = {
        "print, no jit, ten calls": ten(says),
        "print, jit, ten calls with one shape": ten(jax.jit(lambda x: says(x))),
        "print, jit, ten calls with ten shapes": ten(jax.jit(lambda x: says(x)), *range(1, 11)),
        "jax.debug.print, jit, ten calls with one shape": ten(jax.jit(reports)),
        "print in the step of a scan of 5 steps, one call": scanned,
        "print in both branches of a cond, one call": branches,
    }
    return {name: printed_lines(program) for name, program in programs.items()}


count_prints = prediction(
    "count-prints",
    see="python-runs-once",
    hint=["`print` is Python: it speaks when Python runs.", "Which of the two branches does Python have to look at?"],
    truth=true_prints,
    mistakes=[
        Mistake(
            "prints-every-call",
            {"print, jit, ten calls with one shape": anything_else(10)},
            "Python runs for the first call alone. The other nine replay the record, and `print` is not in it.",
        ),
        Mistake(
            "one-trace-for-all-shapes",
            {"print, jit, ten calls with ten shapes": anything_else(1)},
            "A new shape is a new trace, and each trace runs Python.",
        ),
        Mistake(
            "debug-print-once",
            {"jax.debug.print, jit, ten calls with one shape": anything_else(1)},
            "`jax.debug.print` puts the printing *into* the program, so it prints whenever the program runs.",
            see="seeing-inside",
        ),
        Mistake(
            "scan-prints-each-step",
            {"print in the step of a scan of 5 steps, one call": anything_else(5)},
            "The step of a scan is traced once, however often it runs.",
        ),
        Mistake(
            "cond-traces-one-branch",
            {"print in both branches of a cond, one call": anything_else(1)},
            "Which branch is taken is decided when the program runs. Python has to trace both before that.",
        ),
    ],
    otherwise="When does Python run?",
)

# -- frozen-flag ------------------------------------------------------------------------------------------------


def true_flags():
    """What the calls give after the flag has changed: JAX is asked, Numba (too slow to import here) is known."""
    do_sum = False

    @jax.jit
    def accumulate(x):
        return jnp.sum(x) if do_sum else jnp.prod(x)

    five = np.arange(1.0, 6.0)
    accumulate(five)
    do_sum = True
    return {
        "JAX, the same five": float(accumulate(five)),
        "JAX, five others: 2, 2, 2, 2, 2": float(accumulate(np.full(5, 2.0))),  # that of `jnp` is weakly typed
        "JAX, six elements: 1, 2, 3, 4, 5, 6": float(accumulate(np.arange(1.0, 7.0))),
        "Numba, the same five": 120.0,
        "Numba, six elements: 1, 2, 3, 4, 5, 6": 720.0,
        "Numba, five integers: 1, 2, 3, 4, 5": 15.0,
    }


frozen_flag = prediction(
    "frozen-flag",
    see="two-compilers",
    hint=[
        "When does each compiler look at the flag again? When it compiles again.",
        "JAX compiles for a shape and a dtype. Numba compiles for a dtype and a number of axes.",
    ],
    truth=true_flags,
    mistakes=[
        Mistake(
            "flag-is-read-each-time",
            [{"JAX, the same five": anything_else(15)}, {"Numba, the same five": anything_else(15)}],
            "Both have compiled for these arrays, and the flag was read while they compiled: still the product.",
        ),
        Mistake(
            "new-values-compile",
            {"JAX, five others: 2, 2, 2, 2, 2": anything_else(10)},
            "Other numbers, but the same shape and dtype: the same program, which multiplies.",
        ),
        Mistake(
            "stale-for-ever",
            {"JAX, six elements: 1, 2, 3, 4, 5, 6": anything_else(720)},
            "A new shape is traced again, and this time Python finds the flag changed. JAX is *inconsistently* stale.",
        ),
        Mistake(
            "numba-compiles-for-shapes",
            {"Numba, six elements: 1, 2, 3, 4, 5, 6": anything_else(21)},
            "Numba's loops work for any length: no compilation, so no new look at the flag.",
        ),
        Mistake(
            "numba-never-compiles-again",
            {"Numba, five integers: 1, 2, 3, 4, 5": anything_else(120)},
            "A new dtype makes Numba compile again, and then it reads the flag.",
        ),
    ],
    otherwise="Which of these calls compile, and so read the flag?",
)

# -- which-error ------------------------------------------------------------------------------------------------


def true_errors():
    """What each of the eight lines raises in a jitted function, tried here."""
    x, kept = jnp.arange(4.0), []

    def jitted(function, *args):
        return raised_by(lambda: jax.jit(function)(*args))

    def keep(x):
        kept.append(2 * x)
        return x

    jax.jit(keep)(x)
    return {
        "if x.sum() > 0: ...": jitted(lambda x: 1.0 if x.sum() > 0 else 0.0, x),
        "if x.shape[0] > 3: ...": jitted(lambda x: x if x.shape[0] > 3 else 2 * x, x),
        "np.cos(x)": jitted(lambda x: np.cos(x), x),
        "float(x[0])": jitted(lambda x: float(x[0]), x),
        '["g", "r", "i"][n]': jitted(lambda n: len(["g", "r", "i"][n]), 1),
        "x[x > 1]": jitted(lambda x: x[x > 1], x),
        "jnp.where(x > 1, x, 0)": jitted(lambda x: jnp.where(x > 1, x, 0), x),
        "kept.append(2 * x); later, outside: kept[0] + 1": raised_by(lambda: kept[0] + 1),
    }


which_error = prediction(
    "which-error",
    see="tracer-errors",
    hint=[
        "Ask of each line: what does Python want from the tracer? A truth, an array, an index, a number, a shape?",
        "A tracer knows its shape and its dtype. What needs no more than those is no error.",
    ],
    choices=[
        "no error",
        "TracerBoolConversionError",
        "TracerArrayConversionError",
        "TracerIntegerConversionError",
        "ConcretizationTypeError",
        "NonConcreteBooleanIndexError",
        "UnexpectedTracerError",
    ],
    truth=true_errors,
    mistakes=[
        Mistake(
            "shape-is-unknown",
            {"if x.shape[0] > 3: ...": anything_else()},
            "A shape is known while Python traces: `x.shape[0]` is a plain integer, and `if` may use it.",
        ),
        Mistake(
            "where-needs-a-truth",
            {"jnp.where(x > 1, x, 0)": anything_else()},
            "`where` computes both and selects: nobody asks for a truth, and the shape is known.",
        ),
        Mistake(
            "not-the-array-conversion",
            {"np.cos(x)": anything_else()},
            "NumPy wants the numbers in memory, and calls `__array__` for them. That is the array conversion.",
        ),
        Mistake(
            "not-the-integer-conversion",
            {'["g", "r", "i"][n]': anything_else()},
            "A list wants an integer from `__index__`. JAX could trace a *JAX array* of three, not a Python list.",
        ),
        Mistake(
            "not-the-mask",
            {"x[x > 1]": anything_else()},
            "How many elements pass the mask depends on values, so the result has no shape to be traced with.",
        ),
        Mistake(
            "not-the-leak",
            {"kept.append(2 * x); later, outside: kept[0] + 1": anything_else()},
            "Inside, appending is legal Python. Outside, the list holds a tracer whose trace is over.",
            see="leaks",
        ),
    ],
    otherwise="Read the table of errors again.",
)

# -- choose-control-flow ----------------------------------------------------------------------------------------

COSTLY = "a costly correction, needed or not: one truth decides at run time"
LAST = "1000 steps of a simulation, only the last state is wanted"
EVERY = "1000 steps of a simulation, every state is wanted"

choose_control_flow = prediction(
    "choose-control-flow",
    see="control-flow",
    hint=[
        "Is it decided for each element, for the whole call, or before the run?",
        "A loop: is the number of steps known? Is every state wanted, or the last one?",
    ],
    choices=["where", "cond", "switch", "while_loop", "fori_loop", "scan", "Python for", "Python if"],
    also={LAST: "scan"},
    mistakes=[
        Mistake(
            "one-truth-for-many",
            {"another formula for each negative element of an array": anything_else()},
            "`cond` takes one truth for all. Elements that differ need `where`, which selects one by one.",
        ),
        Mistake(
            "pays-for-both",
            {COSTLY: "where"},
            "`where` computes both sides every time. When one is costly and seldom needed, `cond` runs one branch.",
        ),
        Mistake(
            "python-cannot-know",
            [
                {COSTLY: any_of("Python if", "Python for")},
                {"one of five detector models, chosen by an integer at run time": any_of("Python if", "Python for")},
            ],
            "The value is decided when the program runs: Python is long gone by then.",
        ),
        Mistake(
            "steps-not-known",
            {"iterate until the error is below a tolerance": anything_else()},
            "The number of steps depends on values: only `while_loop` can stop when the result is good enough.",
        ),
        Mistake(
            "unrolls-a-thousand",
            [{LAST: "Python for"}, {EVERY: "Python for"}],
            "A Python loop of 1000 steps is unrolled: a thousand copies of the step for the compiler.",
            see="unrolling",
        ),
        Mistake(
            "states-lost",
            {EVERY: anything_else("fori_loop", "while_loop")},
            "`fori_loop` returns the last state alone. `scan` stacks what each step gives out.",
        ),
    ],
    otherwise="See the table.",
)

# -- kepler-anomaly ---------------------------------------------------------------------------------------------


MOST = 200
"""Newton needs some ten steps. What needs more never ends, and an endless loop in XLA cannot be interrupted."""


def solved(student_function, orbits, most):
    """The answer's results under `jit`, and the steps of its loops, each of which ends after so many steps.

    The program is run equation by equation, with a count in every `while_loop`.
    """

    def run(closed, args):
        known = dict(zip(closed.jaxpr.invars, args, strict=True))
        known.update(zip(closed.jaxpr.constvars, closed.consts, strict=True))
        steps = jnp.int32(0)
        for equation in closed.jaxpr.eqns:
            given = [atom.val if hasattr(atom, "val") else known[atom] for atom in equation.invars]
            name, params = str(equation.primitive), equation.params
            if name == "while":
                out, taken = loop(params, given)
            elif name in ("jit", "pjit"):
                out, taken = run(params["jaxpr"], given)
            else:
                bound = equation.primitive.get_bind_params(params)  # a pair before JAX 0.10
                functions, rest = ((), bound) if isinstance(bound, dict) else bound
                out, taken = equation.primitive.bind(*functions, *given, **rest), 0
                out = out if equation.primitive.multiple_results else [out]
            steps += taken
            known.update(zip(equation.outvars, out, strict=True))
        return [atom.val if hasattr(atom, "val") else known[atom] for atom in closed.jaxpr.outvars], steps

    def loop(params, given):
        tests, bodies = params["cond_nconsts"], params["body_nconsts"]
        fixed, body, state = given[:tests], given[tests : tests + bodies], given[tests + bodies :]

        def unfinished(counted):
            return (counted[0] < most) & run(params["cond_jaxpr"], [*fixed, *counted[1]])[0][0]

        def step(counted):
            return counted[0] + 1, run(params["body_jaxpr"], [*body, *counted[1]])[0]

        steps, out = jax.lax.while_loop(unfinished, step, (jnp.int32(0), list(state)))
        return out, steps

    closed, shape = jax.make_jaxpr(student_function, return_shape=True)(*orbits[0])
    limited = jax.jit(lambda *args: run(closed, args))
    found = [limited(*orbit) for orbit in orbits]
    structure = jax.tree.structure(shape)
    return [(jax.tree.unflatten(structure, out), int(steps)) for out, steps in found]


def newton(mean, eccentricity):
    """The oracle, in `float64`: E after each step, from pi until the residual is small."""
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


@exercise(
    "kepler-anomaly",
    points=2,
    see="control-flow",
    hint=[
        "`jax.lax.while_loop(condition, step, start)`: all three see the same thing, here E.",
        "Go on while the residual is larger than the tolerance, whatever its sign.",
    ],
)
def kepler_anomaly(answer, rng):
    orbits = draw_orbits(rng)
    results, raised = answer.attempt(solved, orbits, MOST, expected=[*NEEDS_A_VALUE, "TypingError"])
    message = (
        "Python or NumPy asks for a value: a `while`, an `if`, `abs(...) > ...`. Under `jit` there are only tracers."
    )
    refuse(raised, "asks-a-tracer", f"{message} It raises `{raised}`.", see="tracer-errors")
    found, steps = [numbers(anomaly) for anomaly, _ in results], [taken for _, taken in results]
    require(found[0].shape == (), "wrong-shape", "One number is wanted: E.")
    found = [np.float64(anomaly) for anomaly in found]
    counts = answer.probe(probe.primitives, *orbits[0])
    message = "There is no `while_loop` in your program, so its number of steps is fixed, whatever the orbit."
    require(counts.get("while", 0) >= 1, "no-while-loop", message)
    for (m, e), got, taken in zip(orbits, found, steps, strict=True):
        message = (
            f"For M = {m:.3f} and e = {e:.3f} the steps run away: E is {got:.3g} after {taken}. Is the step right?"
        )
        require(taken < MOST and np.isfinite(got), "never-ends", message)
    message = "The loop did not run at all: it goes on *while* its condition is true, not until."
    refuse(max(steps) == 0, "condition-reversed", message)
    message = "The angle came back in degrees. All angles here are in radians, as `jnp.sin` wants them."
    refuse(close(found, np.degrees([newton(*orbit)[-1] for orbit in orbits]), rtol=1e-4), "in-degrees", message)
    for (m, e), got in zip(orbits, found, strict=True):
        residual = residual_of(got, m, e)
        message = f"For M = {m:.3f} and e = {e:.3f} the residual is {residual:.1e}: the loop stopped too early."
        require(abs(residual) < 1.15e-5, "stops-early", message)
    for (m, e), got in zip(orbits, found, strict=True):
        want = newton(m, e)[-1]
        message = (
            f"For M = {m:.3f} and e = {e:.3f} Newton's steps from π first have a small residual at {want:.6f}, and "
            f"yours end at {got:.6f}. Begin with π, and stop as soon as the residual is below 1e-5."
        )
        if e <= 0.6:  # beyond, rounding alone moves E that far
            require(abs(got - want) < 2.5e-6, "other-steps", message)
    judge_whole_numbers(answer, rng)


def judge_whole_numbers(answer, rng):
    """Require that M may be a whole number."""
    eccentricities = (np.float32(e) for e in rng.uniform(0.02, 0.6, 100))
    orbits = [(np.int32(m), e) for m, e in zip(itertools.cycle((1, 2, 3)), eccentricities)]
    orbits = [orbit for orbit in orbits if clear_cut(*orbit)][:6]
    results, raised = answer.attempt(solved, orbits, MOST, expected=["TypeError"])
    message = (
        "For M = 1 it fails, though not for M = 1.0: E begins as a whole number, as `full_like` makes it, and a step "
        "makes it a fraction. What a loop carries keeps its dtype: begin with one of `float32`."
    )
    off = raised or max(abs(float(got) - newton(*orbit)[-1]) for (got, _), orbit in zip(results, orbits, strict=True))
    refuse(raised or off > 2.5e-6, "begins-as-an-integer", message)


def newton_for_kepler(mean, eccentricity, anomaly):
    slope = 1 - eccentricity * jnp.cos(anomaly)
    return anomaly - (anomaly - eccentricity * jnp.sin(anomaly) - mean) / slope


@wrong("kepler-anomaly", "asks-a-tracer")
def loops_while_in_python(mean, eccentricity):
    anomaly = jnp.pi
    while abs(anomaly - eccentricity * jnp.sin(anomaly) - mean) > 1e-5:
        anomaly = newton_for_kepler(mean, eccentricity, anomaly)
    return anomaly


@wrong("kepler-anomaly", "no-while-loop")
def always_five_steps(mean, eccentricity):
    anomaly = jnp.pi
    for _ in range(5):
        anomaly = newton_for_kepler(mean, eccentricity, anomaly)
    return anomaly


@wrong("kepler-anomaly", "stops-early")
def gives_up_after_seven(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)

    def step(state):
        return state[0] + 1, newton_for_kepler(mean, eccentricity, state[1])

    def go_on(state):
        return (jnp.abs(residual(state[1])) > 1e-5) & (state[0] < 7)

    return jax.lax.while_loop(go_on, step, (0, jnp.float32(jnp.pi)))[1]


@wrong("kepler-anomaly", "other-steps")
def stops_by_the_length_of_a_step(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)

    def move(anomaly):
        return residual(anomaly) / (1 - eccentricity * jnp.cos(anomaly))

    return jax.lax.while_loop(lambda a: jnp.abs(move(a)) > 1e-5, lambda a: a - move(a), jnp.float32(jnp.pi))


@wrong("kepler-anomaly", "condition-reversed")
def goes_on_until(mean, eccentricity):
    def done(anomaly):
        return jnp.abs(anomaly - eccentricity * jnp.sin(anomaly) - mean) < 1e-5

    return jax.lax.while_loop(done, lambda a: newton_for_kepler(mean, eccentricity, a), jnp.pi)


@wrong("kepler-anomaly", "stops-early")
def is_content_with_a_tenth(mean, eccentricity):
    def rough(anomaly):
        return jnp.abs(anomaly - eccentricity * jnp.sin(anomaly) - mean) > 1e-1

    return jax.lax.while_loop(rough, lambda a: newton_for_kepler(mean, eccentricity, a), jnp.pi)


@wrong("kepler-anomaly", "wrong-shape")
def gives_anomaly_and_residual(mean, eccentricity):
    anomaly = jax.lax.fori_loop(0, 30, lambda _, a: newton_for_kepler(mean, eccentricity, a), jnp.float32(jnp.pi))
    return anomaly, anomaly - eccentricity * jnp.sin(anomaly) - mean


def kepler_residual(mean, eccentricity):
    return lambda anomaly: anomaly - eccentricity * jnp.sin(anomaly) - mean


@wrong("kepler-anomaly", "stops-early")
def is_content_with_ten_times_as_much(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)
    step = functools.partial(newton_for_kepler, mean, eccentricity)
    return jax.lax.while_loop(lambda a: jnp.abs(residual(a)) > 1e-4, step, jnp.float32(jnp.pi))


@wrong("kepler-anomaly", "stops-early")
def forgets_the_absolute_value(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)
    step = functools.partial(newton_for_kepler, mean, eccentricity)
    return jax.lax.while_loop(lambda a: -residual(a) < -1e-3, step, jnp.float32(jnp.pi))


@wrong("kepler-anomaly", "other-steps")
def begins_with_the_mean_anomaly(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)
    step = functools.partial(newton_for_kepler, mean, eccentricity)
    return jax.lax.while_loop(lambda a: jnp.abs(residual(a)) > 1e-5, step, mean)


@wrong("kepler-anomaly", "no-while-loop")
def always_takes_twenty(mean, eccentricity):
    return jax.lax.fori_loop(0, 20, lambda _, a: newton_for_kepler(mean, eccentricity, a), jnp.float32(jnp.pi))


@wrong("kepler-anomaly", "begins-as-an-integer")
def begins_like_the_mean_anomaly(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)
    step = functools.partial(newton_for_kepler, mean, eccentricity)
    return jax.lax.while_loop(lambda a: jnp.abs(residual(a)) > 1e-5, step, jnp.full_like(mean, jnp.pi))


@wrong("kepler-anomaly", "never-ends")
def turns_the_slope_around(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)

    def step(anomaly):
        return anomaly + residual(anomaly) / (1 - eccentricity * jnp.cos(anomaly))

    return jax.lax.while_loop(lambda a: jnp.abs(residual(a)) > 1e-5, step, jnp.float32(jnp.pi))


@wrong("kepler-anomaly", "in-degrees")
def answers_in_degrees(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)
    step = functools.partial(newton_for_kepler, mean, eccentricity)
    return jnp.degrees(jax.lax.while_loop(lambda a: jnp.abs(residual(a)) > 1e-5, step, jnp.float32(jnp.pi)))


@right("kepler-anomaly")
@jax.jit
def carries_the_residual(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)

    def step(state):
        anomaly = state["E"] - state["residual"] / jax.grad(residual)(state["E"])
        return {"E": anomaly, "residual": residual(anomaly)}

    start = {"E": jnp.float32(jnp.pi), "residual": residual(jnp.float32(jnp.pi))}
    return jax.lax.while_loop(lambda state: abs(state["residual"]) > 1e-5, step, start)["E"]


@right("kepler-anomaly")
def counts_its_steps(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)

    def go_on(state):
        return (residual(state[1]) ** 2 > 1e-10) & (state[0] < 1000)

    def step(state):
        return state[0] + 1, newton_for_kepler(mean, eccentricity, state[1])

    return jax.lax.while_loop(go_on, step, (0, jnp.float32(np.pi)))[1]


# -- gradient-verdict -------------------------------------------------------------------------------------------


def true_verdicts():
    """What kind of gradient each function has there, asked of JAX."""
    three = jnp.array([3.0, 1.0, 2.0])
    cases = {
        "jnp.round(x) at 1.3": (jnp.round, 1.3),
        "jnp.where(x > 0, jnp.sqrt(x), 0.0) at -1.0": (lambda x: jnp.where(x > 0, jnp.sqrt(x), 0.0), -1.0),
        "jnp.where(x > 0, x**2, 0.0) at 2.0": (lambda x: jnp.where(x > 0, x**2, 0.0), 2.0),
        "jnp.mean(energies > x) at 1.5": (lambda x: jnp.mean(three > x), 1.5),
        "jnp.linalg.norm(x) at [0.0, 0.0]": (jnp.linalg.norm, jnp.zeros(2)),
        "jnp.clip(x, 0.0, 1.0) at 1.5": (lambda x: jnp.clip(x, 0.0, 1.0), 1.5),
        "jnp.sort(x)[0] at [3.0, 1.0, 2.0]": (lambda x: jnp.sort(x)[0], three),
        "times[jnp.argmax(x)] at [3.0, 1.0, 2.0]": (lambda x: three[jnp.argmax(x)], three),
    }
    return {name: verdict(jax.grad(function)(at)) for name, (function, at) in cases.items()}


def verdict(gradient):
    """Whether a gradient has a NaN, is zero everywhere, or is of use."""
    if jnp.isnan(gradient).any():
        return "nan"
    return "useful" if jnp.any(gradient != 0) else "zero"


gradient_verdict = prediction(
    "gradient-verdict",
    see="nan-through-where",
    hint=[
        "Draw the function near that point. Is it flat, a step, or does its slope run to infinity?",
        "For `where`, look at the side that is *not* selected: does its slope exist?",
    ],
    choices=["zero", "nan", "useful"],
    truth=true_verdicts,
    mistakes=[
        Mistake(
            "where-protects",
            {"jnp.where(x > 0, jnp.sqrt(x), 0.0) at -1.0": anything_else()},
            "The side that is not selected has a NaN for a slope, and zero times NaN is NaN.",
        ),
        Mistake(
            "norm-is-smooth",
            {"jnp.linalg.norm(x) at [0.0, 0.0]": anything_else()},
            "At zero the norm is the tip of a cone: its slope is 0/0.",
        ),
        Mistake(
            "steps-have-slopes",
            [{"jnp.round(x) at 1.3": anything_else()}, {"jnp.mean(energies > x) at 1.5": anything_else()}],
            "A step is flat on both sides: its derivative is zero almost everywhere, and JAX says so without a word "
            "of warning.",
            see="zero-gradients",
        ),
        Mistake(
            "argmax-has-a-slope",
            {"times[jnp.argmax(x)] at [3.0, 1.0, 2.0]": anything_else()},
            "`argmax` gives an integer: a small change of `x` does not move it. The gradient is zero.",
            see="zero-gradients",
        ),
        Mistake(
            "sort-has-none",
            {"jnp.sort(x)[0] at [3.0, 1.0, 2.0]": anything_else()},
            "The *values* that `sort` moves keep their slope: the smallest element has the gradient 1.",
            see="zero-gradients",
        ),
    ],
    otherwise="Is it flat there?",
)

# -- soft-peak --------------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def gradients(student_function, spectra):
    """How the peak of each spectrum moves with each of its elements."""

    def slope(x, y, sharpness):
        return jax.grad(lambda y: student_function(x, y, sharpness))(y)

    return [slope(*spectrum) for spectrum in probe.on_device(spectra)]


def weights_of(y, sharpness):
    """The weights, in `float64`."""
    weights = np.exp(sharpness * (y - y.max()).astype(np.float64))
    return weights / weights.sum()


def weighted_position(x, y, sharpness):
    """The oracle, in `float64`."""
    return float(weights_of(y, sharpness) @ x)


def draw_spectrum(rng, n, offset=0.0):
    x = inputs.array(rng, n, "float32", low=-2, high=2)
    return (
        x,
        inputs.array(rng, n, "float32", low=-1, high=2, offset=offset),
        float(rng.choice([0.05, 0.5, 2.0, 8.0])),
    )


def near(ask, spectrum):
    """Whether the peak is right to a part of the spectrum's width: it may itself be about 0, where its sum cancels."""
    off = np.abs(numbers(ask(*spectrum)) - weighted_position(*spectrum))
    return np.shape(off) == () and bool(off <= 5e-3 * np.abs(spectrum[0]).max())


@exercise(
    "soft-peak",
    see="zero-gradients",
    hint=["The weights are `jax.nn.softmax(sharpness * y)`, and they add up to 1.", "Then a weighted mean of `x`."],
)
def soft_peak(answer, rng):
    def ask(x, y, sharpness):
        return answer.probe(probe.on_jax_arrays, x, y, sharpness)

    sweep(
        ask,
        weighted_position,
        draw_spectrum,
        rng,
        shapes=inputs.FEW,
        each=6,
        slips=[
            Slip(
                "gradient-zero",
                lambda x, y, sharpness: x[y.argmax()],
                "That is the position of the largest element. Its gradient is zero: it cannot be fitted.",
            ),
            Slip(
                "plain-centroid",
                lambda x, y, sharpness: np.sum(x * y) / np.sum(y),
                "That is the centre of all of `y`: the background pulls at it. Weight with the exponential.",
            ),
            Slip(
                "no-sharpness",
                lambda x, y, sharpness: weighted_position(x, y, 1.0),
                "The sharpness is not used: it multiplies `y` in the exponent.",
            ),
            Slip(
                "sharpness-misplaced",
                lambda x, y, sharpness: sharpness * weighted_position(x, y, 1.0),
                "The sharpness multiplies the weights, and not `y` in the exponent: then they do not add up to 1.",
            ),
            Slip(
                "sharpness-misplaced",
                lambda x, y, sharpness: weighted_position(x, y, 1 / sharpness),
                "You divide by the sharpness, as by a temperature: it multiplies `y`.",
            ),
            Slip(
                "not-a-mean",
                lambda x, y, sharpness: weighted_position(x, y, sharpness) / len(x),
                "The weights add up to 1 already: add up the products, and do not divide by their number again.",
            ),
            Slip(
                "exchanged",
                lambda x, y, sharpness: weighted_position(y, x, sharpness),
                "The weights are those of `y`, and the mean is that of `x`: you have them the other way round.",
            ),
        ],
        message="That is not the mean of `x` with the weights of a softmax.",
        rtol=2e-4,
        extremes=[
            (np.array([3, -1, 7], np.int32), np.array([2, 1, 3], np.int32), 0.5),  # channels, and photons in them
            (np.array([9, 4, 2], np.int32), np.array([0, 6, 5], np.int32), 1.5),
        ],
    )
    large = [draw_spectrum(rng, n, offset) for n in (3, 20) for offset in (300.0, -300.0, 2000.0)]
    x, y, sharpness = draw_spectrum(rng, 20)
    large.append((x, np.where(np.arange(20) == 7, np.float32(500), y), sharpness))
    message = (
        "With `y` this large, or this far below zero, the exponentials leave what `float32` can hold, and no limit or "
        "repair afterwards brings the weights back. Subtract the maximum of the exponents first, as `softmax` does."
    )
    for spectrum in large:
        require(near(ask, spectrum), "overflow", message)
    wide = [(x, inputs.array(rng, 20, "float32", low=-200, high=200), 0.01) for _ in range(2)]
    message = (
        "Where `y` spans hundreds and the sharpness is small, all elements count; but some of your weights are 0. "
        "`exp(y)` was 0 before the sharpness came: multiply `y` by it first."
    )
    for spectrum in wide:
        require(near(ask, spectrum), "sharpness-too-late", message)
    for sharpness in (30.0, 40.0, 60.0):
        spectrum = (*rng.uniform(-1, 1, (2, 20)).astype(np.float32), sharpness)
        require(near(ask, spectrum), "wrong-value", f"Right for small numbers, wrong for a sharpness of {sharpness}.")
    spectra = [*(draw_spectrum(rng, n) for n in (3, 3, 20, 20)), *large[1:3], *wide]
    slopes, raised = answer.attempt(gradients, spectra, expected=[*NEEDS_A_VALUE, "TypeError"])
    message = "The numbers are right, but `jax.grad` finds no way through: NumPy or Python takes them out of JAX."
    refuse(raised, "leaves-jax", f"{message} It raises `{raised}`.", see="tracer-errors")
    for (x, y, sharpness), slope in zip(spectra, slopes, strict=True):
        weights = weights_of(y, sharpness)
        want = sharpness * weights * (x - weights @ x)
        message = "The position is right, its gradient is not: raising `y` on the right should pull the peak there."
        off = np.abs(slope - want).max() if np.shape(slope) == want.shape else np.inf
        require(off < 5e-3 * np.abs(want).max() + 1e-5 * sharpness, "gradient-lost", message)


@wrong("soft-peak", "gradient-zero")
def looks_for_the_largest(x, y, sharpness):
    return x[jnp.argmax(y)]


@wrong("soft-peak", "plain-centroid")
def weights_with_y_itself(x, y, sharpness):
    return jnp.sum(x * y) / jnp.sum(y)


@wrong("soft-peak", "overflow")
def exponentiates_as_it_stands(x, y, sharpness):
    weights = jnp.exp(sharpness * y)
    return jnp.sum(weights * x) / jnp.sum(weights)


@wrong("soft-peak", "sharpness-too-late")
def raises_the_softmax_to_a_power(x, y, sharpness):
    weights = jax.nn.softmax(y) ** sharpness
    return jnp.sum(weights * x) / jnp.sum(weights)


@wrong("soft-peak", "gradient-lost")
def stops_the_gradient(x, y, sharpness):
    return jnp.sum(jax.lax.stop_gradient(jax.nn.softmax(sharpness * y)) * x)


@wrong("soft-peak", "no-sharpness")
def forgets_the_sharpness(x, y, sharpness):
    return jnp.sum(jax.nn.softmax(y) * x)


@wrong("soft-peak", "overflow")
def limits_the_exponent(x, y, sharpness):
    weights = jnp.exp(jnp.clip(sharpness * y, -80, 80))
    return jnp.sum(weights * x) / jnp.sum(weights)


@wrong("soft-peak", "overflow")
def replaces_what_overflowed(x, y, sharpness):
    weights = jnp.exp(sharpness * y)
    weights = jnp.where(jnp.isfinite(weights), weights, 0.0)
    return jnp.sum(weights * x) / jnp.sum(weights)


@wrong("soft-peak", "leaves-jax")
def takes_the_mean_in_numpy(x, y, sharpness):
    weights = np.exp(sharpness * (np.asarray(y) - np.max(y)))
    return np.sum(weights * x) / np.sum(weights)


@wrong("soft-peak", "sharpness-misplaced")
def multiplies_the_weights(x, y, sharpness):
    return jnp.sum(x * sharpness * jax.nn.softmax(y))


@wrong("soft-peak", "not-a-mean")
def divides_once_more(x, y, sharpness):
    return jnp.mean(x * jax.nn.softmax(sharpness * y))


@wrong("soft-peak", "wrong-value")
def takes_the_mean_square(x, y, sharpness):
    return jnp.sum(x**2 * jax.nn.softmax(sharpness * y))


@wrong("soft-peak", "wrong-value")
def takes_weights_of_the_type_of_x(x, y, sharpness):
    return jnp.sum(jax.nn.softmax(sharpness * y).astype(x.dtype) * x)


@wrong("soft-peak", "wrong-value")
def limits_the_sharpness(x, y, sharpness):
    return jnp.sum(jax.nn.softmax(jnp.minimum(sharpness, 10.0) * y) * x)


@wrong("soft-peak", "exchanged")
def weighs_the_spectrum(x, y, sharpness):
    return jnp.sum(y * jax.nn.softmax(sharpness * x))


@wrong("soft-peak", "gradient-lost")
def hides_the_argmax(x, y, sharpness):
    soft = jnp.sum(jax.nn.softmax(sharpness * jax.lax.stop_gradient(y)) * x)
    return soft + 0.0 * jnp.sum(y)


@right("soft-peak")
def works_with_logarithms(x, y, sharpness):
    exponents = sharpness * y
    return jnp.dot(x, jnp.exp(exponents - jax.scipy.special.logsumexp(exponents)))


@right("soft-peak")
@jax.jit
def subtracts_the_largest(x, y, sharpness):
    weights = jnp.exp(sharpness * (y - jax.lax.stop_gradient(jnp.max(y))))
    return jnp.average(x, weights=weights)


# -- silent-or-loud ---------------------------------------------------------------------------------------------


def true_volumes():
    """Whether each of the ten mistakes raises anything, tried here."""
    x, counts = jnp.arange(4.0), jnp.array([2**31 - 1, 1], jnp.int32)
    key, factors = jax.random.key(0), [2.0]

    def changes_what_it_read():
        scaled = jax.jit(lambda x: x * sum(factors))
        scaled(x)
        factors.append(3.0)
        scaled(x)

    mistakes = {
        "x[0] = 1.0": lambda: x.__setitem__(0, 1.0),
        "x.at[0].set(1.0) on a line of its own": lambda: x.at[0].set(1.0),
        "x[7], where x has 4 elements": lambda: x[7],
        "jnp.sum([1.0, 2.0])": lambda: jnp.sum([1.0, 2.0]),
        "the same key for two draws": lambda: jax.random.normal(key) + jax.random.uniform(key),
        "a sum of int32 counts beyond 2**31": lambda: counts.sum(),
        "(n, 1) predictions minus (n,) measurements": lambda: x[:, None] - x,
        "if x > 0: in a jitted function": lambda: jax.jit(lambda x: x if x > 0 else -x)(1.0),
        "a scan whose carry grows": lambda: jax.lax.scan(lambda c, s: (jnp.append(c, s), s), jnp.zeros(1), x),
        "a global that changes after the first call": changes_what_it_read,
    }
    return {name: "silent" if raised_by(mistake) == "no error" else "loud" for name, mistake in mistakes.items()}


silent_or_loud = prediction(
    "silent-or-loud",
    see="silent-failures",
    hint=["A wrong type or a wrong shape can be noticed. A wrong *value* is a value like any other."],
    choices=["silent", "loud"],
    truth=true_volumes,
    mistakes=[
        Mistake(
            "bounds-are-checked",
            {"x[7], where x has 4 elements": anything_else()},
            "A program cannot raise: an index outside is clamped to the last element, without a word.",
        ),
        Mistake(
            "lost-update-is-noticed",
            {"x.at[0].set(1.0) on a line of its own": anything_else()},
            "An expression whose result nobody takes is legal Python. Assigning to an element is what raises.",
        ),
        Mistake(
            "keys-are-watched",
            {"the same key for two draws": anything_else()},
            "JAX does not count who has used a key, unless you switch the checker on.",
        ),
        Mistake(
            "overflow-is-noticed",
            {"a sum of int32 counts beyond 2**31": anything_else()},
            "Integers wrap around in silence, as in C.",
        ),
        Mistake(
            "broadcasting-is-noticed",
            {"(n, 1) predictions minus (n,) measurements": anything_else()},
            "Both shapes fit, by broadcasting: a table of all differences, and no complaint.",
        ),
        Mistake(
            "globals-are-watched",
            {"a global that changes after the first call": anything_else()},
            "Nothing compares the global with what the trace saw: the program goes on with the old one.",
        ),
    ],
    otherwise="Try it.",
)

# -- which-belt -------------------------------------------------------------------------------------------------

# The lesson's next cell fastens each belt to its failure, and shows that it is found.
which_belt = prediction(
    "which-belt",
    see="seeing-inside",
    hint=[
        "Each belt watches one thing: a NaN, a tracer, a key, a rank, a dtype, Python itself.",
        "Two are found by none.",
    ],
    choices=[
        "debug_nans",
        "checking_leaks",
        "debug_key_reuse",
        "numpy_rank_promotion",
        "numpy_dtype_promotion",
        "disable_jit",
        "none",
    ],
    mistakes=[
        Mistake(
            "zeros-are-watched",
            {"a gradient that is zero because of round": anything_else()},
            "Every value there is finite and of the right type. None of these belts looks for it: compare with a "
            "finite difference.",
        ),
        Mistake(
            "bounds-are-watched",
            {"x[7], where x has 4 elements": anything_else()},
            "The clamped element is a value like any other: none of these belts sees it. Ask for `mode='fill'`, or "
            "check the index beforehand.",
        ),
        Mistake(
            "purity-has-a-belt",
            {"a counter that stands still under jit": anything_else()},
            "With `disable_jit` Python runs at every call, so the counter counts again: the results differ.",
        ),
        Mistake(
            "promotions-mixed-up",
            [
                {"(n, 1) predictions minus (n,) measurements": anything_else()},
                {"an int32 array times a float32 array": anything_else()},
            ],
            "Ranks are numbers of axes, dtypes are types of elements: each has a belt of its own.",
        ),
    ],
    otherwise="What does the belt watch?",
)


# -- changes of solutions that are right ------------------------------------------------------------------------

accepted = [
    equivalent(
        "kepler-anomaly",
        "`jnp.abs(residual(anomaly)) > 1e-05`  ->  `jnp.abs(residual(anomaly)) >= 1e-05`",
        "from π the steps come down, and the residual is never negative",
    ),
    equivalent(
        "kepler-anomaly",
        "`jnp.abs(residual(anomaly))`  ->  `residual(anomaly)`",
        "from π the steps come down, and the residual is never negative",
    ),
    equivalent("kepler-anomaly", "`1e-05`  ->  `1.0100000000000002e-05`", "no residual lies between"),
]
