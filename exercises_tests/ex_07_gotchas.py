"""Checks of lesson 07, gotchas: predictions, repairs, and a lab whose first wrong answer is each broken program."""

import contextlib
import functools
import io

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.exercise import close, entries, exercise, expect, numbers, require, wrong
from jaxcourse.probe import AnswerRaised

NEEDS_A_VALUE = (
    "TracerBoolConversionError",
    "TracerArrayConversionError",
    "TracerIntegerConversionError",
    "ConcretizationTypeError",
)
NEEDS_A_SHAPE = ("NonConcreteBooleanIndexError", "ConcretizationTypeError", "IndexError")


def require_choices(got, want, choices):
    """Require a dictionary with the keys of the stub, and for each one of the words that are offered."""
    entries(got, like=want)
    words = all(isinstance(value, str) and value in choices for value in got.values())
    require(words, "not-a-choice", f"Answer each with one of {', '.join(map(repr, choices))}.")


def require_numbers(got, want):
    """Require a dictionary with the keys of the stub, and a number for each."""
    keys = isinstance(got, dict) and got.keys() == want.keys()
    require(keys, "keys-changed", f"Keep the dictionary and its {len(want)} keys, and replace only the values.")
    plain = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in got.values())
    require(plain, "not-a-number", "Answer each with one number.")


def differing(got, want):
    """The keys at which two dictionaries differ, as text."""
    return ", ".join(f"`{key}`" for key in want if got[key] != want[key])


def outcome(answer, expected, question, *args):
    """What a question gives and an empty string; or nothing, and the kind of exception, if it is an expected one."""
    try:
        return answer.probe(question, *args), ""
    except AnswerRaised as error:
        if error.raised.kind not in expected:
            raise
        return None, error.raised.kind


def under_jit(student_function, *args):
    return jax.jit(student_function)(*args)


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


@functools.cache
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


@exercise(
    "count-prints",
    see="python-runs-once",
    hint=["`print` is Python: it speaks when Python runs.", "Which of the two branches does Python have to look at?"],
)
def count_prints(answer, rng):
    got, want = answer.value(), true_prints()
    require_numbers(got, want)
    message = "Python runs for the first call alone. The other nine replay the record, and `print` is not in it."
    require(got["print, jit, ten calls with one shape"] == 1, "prints-every-call", message)
    message = "A new shape is a new trace, and each trace runs Python."
    require(got["print, jit, ten calls with ten shapes"] == 10, "one-trace-for-all-shapes", message)
    message = "`jax.debug.print` puts the printing *into* the program, so it prints whenever the program runs."
    require(
        got["jax.debug.print, jit, ten calls with one shape"] == 10, "debug-print-once", message, see="seeing-inside"
    )
    message = "The step of a scan is traced once, however often it runs."
    require(got["print in the step of a scan of 5 steps, one call"] == 1, "scan-prints-each-step", message)
    message = "Which branch is taken is decided when the program runs. Python has to trace both before that."
    require(got["print in both branches of a cond, one call"] == 2, "cond-traces-one-branch", message)
    require(got == want, "wrong-value", f"Not right yet: {differing(got, want)}. When does Python run?")


PRINTS = {
    "print, no jit, ten calls": 10,
    "print, jit, ten calls with one shape": 1,
    "print, jit, ten calls with ten shapes": 10,
    "jax.debug.print, jit, ten calls with one shape": 10,
    "print in the step of a scan of 5 steps, one call": 1,
    "print in both branches of a cond, one call": 2,
}
print_is_in_the_program = wrong("count-prints", "prints-every-call")(
    PRINTS | {"print, jit, ten calls with one shape": 10}
)
traced_for_any_shape = wrong("count-prints", "one-trace-for-all-shapes")(
    PRINTS | {"print, jit, ten calls with ten shapes": 1}
)
all_prints_are_alike = wrong("count-prints", "debug-print-once")(
    PRINTS | {"jax.debug.print, jit, ten calls with one shape": 1}
)
scan_is_a_python_loop = wrong("count-prints", "scan-prints-each-step")(
    PRINTS | {"print in the step of a scan of 5 steps, one call": 5}
)
cond_is_an_if = wrong("count-prints", "cond-traces-one-branch")(
    PRINTS | {"print in both branches of a cond, one call": 1}
)
even_without_jit = wrong("count-prints", "wrong-value")(PRINTS | {"print, no jit, ten calls": 1})
only_some_counts = wrong("count-prints", "keys-changed")([10, 1, 10, 10, 1, 2])
words_for_counts = wrong("count-prints", "not-a-number")(dict.fromkeys(PRINTS, "ten"))

# -- frozen-flag ------------------------------------------------------------------------------------------------


@functools.cache
def true_flags():
    """What the calls give after the flag has changed: JAX is asked, Numba (too slow to import here) is known."""
    do_sum = False

    @jax.jit
    def accumulate(x):
        return jnp.sum(x) if do_sum else jnp.prod(x)

    five = jnp.arange(1.0, 6.0)
    accumulate(five)
    do_sum = True
    return {
        "JAX, the same five": float(accumulate(five)),
        "JAX, five others: 2, 2, 2, 2, 2": float(accumulate(jnp.full(5, 2.0))),
        "JAX, six elements: 1, 2, 3, 4, 5, 6": float(accumulate(jnp.arange(1.0, 7.0))),
        "Numba, the same five": 120.0,
        "Numba, six elements: 1, 2, 3, 4, 5, 6": 720.0,
        "Numba, five integers: 1, 2, 3, 4, 5": 15.0,
    }


@exercise(
    "frozen-flag",
    see="two-compilers",
    hint=[
        "When does each compiler look at the flag again? When it compiles again.",
        "JAX compiles for a shape and a dtype. Numba compiles for a dtype and a number of axes.",
    ],
)
def frozen_flag(answer, rng):
    got, want = answer.value(), true_flags()
    require_numbers(got, want)
    same = got["JAX, the same five"], got["Numba, the same five"]
    message = "Both have compiled for these arrays, and the flag was read while they compiled: the product, still."
    require(same == (120, 120), "flag-is-read-each-time", message)
    message = "Other numbers, but the same shape and dtype: the same program, which multiplies."
    require(got["JAX, five others: 2, 2, 2, 2, 2"] == 32, "new-values-compile", message)
    message = "A new shape is traced again, and this time Python finds the flag changed. JAX is *inconsistently* stale."
    require(got["JAX, six elements: 1, 2, 3, 4, 5, 6"] == 21, "stale-for-ever", message)
    message = "Numba's loops work for any length: no compilation, so no new look at the flag."
    require(got["Numba, six elements: 1, 2, 3, 4, 5, 6"] == 720, "numba-compiles-for-shapes", message)
    message = "A new dtype makes Numba compile again, and then it reads the flag."
    require(got["Numba, five integers: 1, 2, 3, 4, 5"] == 15, "numba-never-compiles-again", message)


FLAGS = {
    "JAX, the same five": 120,
    "JAX, five others: 2, 2, 2, 2, 2": 32,
    "JAX, six elements: 1, 2, 3, 4, 5, 6": 21,
    "Numba, the same five": 120,
    "Numba, six elements: 1, 2, 3, 4, 5, 6": 720,
    "Numba, five integers: 1, 2, 3, 4, 5": 15,
}
as_python_would = wrong("frozen-flag", "flag-is-read-each-time")(
    FLAGS | {"JAX, the same five": 15, "Numba, the same five": 15}
)
cached_on_the_values = wrong("frozen-flag", "new-values-compile")(FLAGS | {"JAX, five others: 2, 2, 2, 2, 2": 10})
frozen_for_ever = wrong("frozen-flag", "stale-for-ever")(FLAGS | {"JAX, six elements: 1, 2, 3, 4, 5, 6": 720})
numba_like_jax = wrong("frozen-flag", "numba-compiles-for-shapes")(
    FLAGS | {"Numba, six elements: 1, 2, 3, 4, 5, 6": 21}
)
numba_never_looks_again = wrong("frozen-flag", "numba-never-compiles-again")(
    FLAGS | {"Numba, five integers: 1, 2, 3, 4, 5": 120}
)
flags_as_a_list = wrong("frozen-flag", "keys-changed")([120, 32, 21, 120, 720, 15])
flags_in_words = wrong("frozen-flag", "not-a-number")(dict.fromkeys(FLAGS, "sum"))

# -- which-error ------------------------------------------------------------------------------------------------

ERRORS = (
    "no error",
    "TracerBoolConversionError",
    "TracerArrayConversionError",
    "TracerIntegerConversionError",
    "ConcretizationTypeError",
    "NonConcreteBooleanIndexError",
    "UnexpectedTracerError",
)


@functools.cache
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


@exercise(
    "which-error",
    see="tracer-errors",
    hint=[
        "Ask of each line: what does Python want from the tracer? A truth, an array, an index, a number, a shape?",
        "A tracer knows its shape and its dtype. What needs no more than those is no error.",
    ],
)
def which_error(answer, rng):
    got, want = answer.value(), true_errors()
    require_choices(got, want, ERRORS)
    message = "A shape is known while Python traces: `x.shape[0]` is a plain integer, and `if` may use it."
    require(got["if x.shape[0] > 3: ..."] == "no error", "shape-is-unknown", message)
    message = "`where` computes both and selects: nobody asks for a truth, and the shape is known."
    require(got["jnp.where(x > 1, x, 0)"] == "no error", "where-needs-a-truth", message)
    message = "NumPy wants the numbers in memory, and calls `__array__` for them. That is the array conversion."
    require(got["np.cos(x)"] == "TracerArrayConversionError", "not-the-array-conversion", message)
    message = "A list wants an integer from `__index__`. JAX could trace a *JAX array* of three, not a Python list."
    require(got['["g", "r", "i"][n]'] == "TracerIntegerConversionError", "not-the-integer-conversion", message)
    message = "How many elements pass the mask depends on values, so the result has no shape to be traced with."
    require(got["x[x > 1]"] == "NonConcreteBooleanIndexError", "not-the-mask", message)
    message = "Inside, appending is legal Python. Outside, the list holds a tracer whose trace is over."
    leaked = got["kept.append(2 * x); later, outside: kept[0] + 1"]
    require(leaked == "UnexpectedTracerError", "not-the-leak", message, see="leaks")
    require(got == want, "wrong-value", f"Not right yet: {differing(got, want)}. Read the table of mechanisms again.")


RIGHT_ERRORS = {
    "if x.sum() > 0: ...": "TracerBoolConversionError",
    "if x.shape[0] > 3: ...": "no error",
    "np.cos(x)": "TracerArrayConversionError",
    "float(x[0])": "ConcretizationTypeError",
    '["g", "r", "i"][n]': "TracerIntegerConversionError",
    "x[x > 1]": "NonConcreteBooleanIndexError",
    "jnp.where(x > 1, x, 0)": "no error",
    "kept.append(2 * x); later, outside: kept[0] + 1": "UnexpectedTracerError",
}
every_if_is_forbidden = wrong("which-error", "shape-is-unknown")(
    RIGHT_ERRORS | {"if x.shape[0] > 3: ...": "TracerBoolConversionError"}
)
where_is_an_if = wrong("which-error", "where-needs-a-truth")(
    RIGHT_ERRORS | {"jnp.where(x > 1, x, 0)": "TracerBoolConversionError"}
)
numpy_is_fine = wrong("which-error", "not-the-array-conversion")(RIGHT_ERRORS | {"np.cos(x)": "no error"})
an_index_is_a_number = wrong("which-error", "not-the-integer-conversion")(
    RIGHT_ERRORS | {'["g", "r", "i"][n]': "ConcretizationTypeError"}
)
a_mask_is_a_truth = wrong("which-error", "not-the-mask")(RIGHT_ERRORS | {"x[x > 1]": "TracerBoolConversionError"})
appending_is_fine = wrong("which-error", "not-the-leak")(
    RIGHT_ERRORS | {"kept.append(2 * x); later, outside: kept[0] + 1": "no error"}
)
float_is_an_array = wrong("which-error", "wrong-value")(RIGHT_ERRORS | {"float(x[0])": "TracerArrayConversionError"})
errors_as_a_list = wrong("which-error", "keys-changed")(list(RIGHT_ERRORS.values()))
some_error = wrong("which-error", "not-a-choice")(dict.fromkeys(RIGHT_ERRORS, "TracerError"))

# -- choose-control-flow ----------------------------------------------------------------------------------------

CONSTRUCTS = ("where", "cond", "switch", "while_loop", "fori_loop", "scan", "Python for", "Python if")
BEST = {
    "another formula for each negative element of an array": "where",
    "a costly correction, needed or not: one truth decides at run time": "cond",
    "one of five detector models, chosen by an integer at run time": "switch",
    "iterate until the error is below a tolerance": "while_loop",
    "1000 steps of a simulation, only the last state is wanted": "fori_loop",
    "1000 steps of a simulation, every state is wanted": "scan",
    "three Newton steps, always three, in one expression each": "Python for",
    "an option that is the same for the whole run, such as a unit": "Python if",
}


@exercise(
    "choose-control-flow",
    see="control-flow",
    hint=[
        "Is it decided for each element, for the whole call, or before the run?",
        "A loop: is the number of steps known? Is every state wanted, or the last one?",
    ],
)
def choose_control_flow(answer, rng):
    got = answer.value()
    require_choices(got, BEST, CONSTRUCTS)
    message = "`cond` takes one truth for all. Elements that differ need `where`, which selects one by one."
    require(got["another formula for each negative element of an array"] == "where", "one-truth-for-many", message)
    message = "`where` computes both sides every time. When one is costly and seldom needed, `cond` runs one branch."
    costly = "a costly correction, needed or not: one truth decides at run time"
    require(got[costly] != "where", "pays-for-both", message)
    message = "The value is decided when the program runs: Python is long gone by then."
    at_run_time = (costly, "one of five detector models, chosen by an integer at run time")
    require(all(not got[key].startswith("Python") for key in at_run_time), "python-cannot-know", message)
    message = "The number of steps depends on values: only `while_loop` can stop when it is good enough."
    until = got["iterate until the error is below a tolerance"]
    require(until == "while_loop", "steps-not-known", message)
    message = "A Python loop of 1000 steps is unrolled: a thousand copies of the step for the compiler."
    steps = [key for key in BEST if key.startswith("1000 steps")]
    require(all(got[key] != "Python for" for key in steps), "unrolls-a-thousand", message, see="unrolling")
    message = "`fori_loop` returns the last state alone. `scan` stacks what each step gives out."
    require(got["1000 steps of a simulation, every state is wanted"] == "scan", "states-lost", message)
    last = "1000 steps of a simulation, only the last state is wanted"
    accepted = BEST | ({last: "scan"} if got[last] == "scan" else {})
    require(got == accepted, "wrong-value", f"Not right yet: {differing(got, accepted)}. See the table.")


cond_for_elements = wrong("choose-control-flow", "one-truth-for-many")(
    BEST | {"another formula for each negative element of an array": "cond"}
)
where_for_everything = wrong("choose-control-flow", "pays-for-both")(
    BEST | {"a costly correction, needed or not: one truth decides at run time": "where"}
)
if_at_run_time = wrong("choose-control-flow", "python-cannot-know")(
    BEST | {"one of five detector models, chosen by an integer at run time": "Python if"}
)
counts_to_a_tolerance = wrong("choose-control-flow", "steps-not-known")(
    BEST | {"iterate until the error is below a tolerance": "fori_loop"}
)
loops_in_python = wrong("choose-control-flow", "unrolls-a-thousand")(
    BEST | {"1000 steps of a simulation, only the last state is wanted": "Python for"}
)
forgets_the_states = wrong("choose-control-flow", "states-lost")(
    BEST | {"1000 steps of a simulation, every state is wanted": "fori_loop"}
)
switch_for_an_option = wrong("choose-control-flow", "wrong-value")(
    BEST | {"an option that is the same for the whole run, such as a unit": "switch"}
)
constructs_as_a_list = wrong("choose-control-flow", "keys-changed")(list(BEST.values()))
select_is_not_offered = wrong("choose-control-flow", "not-a-choice")(dict.fromkeys(BEST, "select"))

# -- kepler-anomaly ---------------------------------------------------------------------------------------------


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
    mean, eccentricity = np.float32(rng.uniform(0.3, 2.8)), np.float32(rng.uniform(0.5, 0.8))
    got, raised = outcome(answer, NEEDS_A_VALUE, under_jit, mean, eccentricity)
    message = "A Python `while`, `if` or `abs(...) > ...` asks for a truth. Under `jit` there are only tracers."
    require(not raised, "asks-a-tracer", f"{message} It raises `{raised}`.")
    require(numbers(got).shape == (), "wrong-shape", "One number is wanted: E.")
    counts = answer.probe(probe.primitives, mean, eccentricity)
    message = "There is no `while_loop` in your program, so its number of steps is fixed, whatever the orbit."
    require(counts.get("while", 0) >= 1, "no-while-loop", message)
    for m, e in ((mean, eccentricity), (np.float32(0.05), np.float32(0.97))):
        got = np.float64(numbers(answer.probe(under_jit, m, e)))
        message = "The loop did not run at all: it goes on *while* its condition is true, not until."
        require(got != np.float32(np.pi), "condition-reversed", message)
        residual = got - e * np.sin(got) - m
        message = f"For M = {m:.2f} and e = {e:.2f} the residual is {residual:.1e}: the loop stopped too early."
        require(abs(residual) < 3e-5, "stops-early", message)


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


# -- gradient-verdict -------------------------------------------------------------------------------------------


@functools.cache
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


@exercise(
    "gradient-verdict",
    see="nan-through-where",
    hint=[
        "Draw the function near that point. Is it flat, a step, or does its slope run to infinity?",
        "For `where`, look at the side that is *not* selected: does its slope exist?",
    ],
)
def gradient_verdict(answer, rng):
    got, want = answer.value(), true_verdicts()
    require_choices(got, want, ("zero", "nan", "useful"))
    message = "The side that is not selected has a NaN for a slope, and zero times NaN is NaN."
    guarded = got["jnp.where(x > 0, jnp.sqrt(x), 0.0) at -1.0"]
    require(guarded == "nan", "where-protects", message)
    message = "At zero the norm is the tip of a cone: its slope is 0/0."
    require(got["jnp.linalg.norm(x) at [0.0, 0.0]"] == "nan", "norm-is-smooth", message)
    message = "A step is flat on both sides: its derivative is zero almost everywhere, and JAX says so without a word."
    steps = ("jnp.round(x) at 1.3", "jnp.mean(energies > x) at 1.5")
    require(all(got[key] == "zero" for key in steps), "steps-have-slopes", message, see="zero-gradients")
    message = "`argmax` gives an integer: a small change of `x` does not move it. The gradient is zero."
    require(
        got["times[jnp.argmax(x)] at [3.0, 1.0, 2.0]"] == "zero", "argmax-has-a-slope", message, see="zero-gradients"
    )
    message = "The *values* that `sort` moves keep their slope: the smallest element has the gradient 1."
    require(got["jnp.sort(x)[0] at [3.0, 1.0, 2.0]"] == "useful", "sort-has-none", message, see="zero-gradients")
    require(got == want, "wrong-value", f"Not right yet: {differing(got, want)}. Is it flat there?")


VERDICTS = {
    "jnp.round(x) at 1.3": "zero",
    "jnp.where(x > 0, jnp.sqrt(x), 0.0) at -1.0": "nan",
    "jnp.where(x > 0, x**2, 0.0) at 2.0": "useful",
    "jnp.mean(energies > x) at 1.5": "zero",
    "jnp.linalg.norm(x) at [0.0, 0.0]": "nan",
    "jnp.clip(x, 0.0, 1.0) at 1.5": "zero",
    "jnp.sort(x)[0] at [3.0, 1.0, 2.0]": "useful",
    "times[jnp.argmax(x)] at [3.0, 1.0, 2.0]": "zero",
}
where_hides_the_other_side = wrong("gradient-verdict", "where-protects")(
    VERDICTS | {"jnp.where(x > 0, jnp.sqrt(x), 0.0) at -1.0": "zero"}
)
norm_has_a_slope_at_zero = wrong("gradient-verdict", "norm-is-smooth")(
    VERDICTS | {"jnp.linalg.norm(x) at [0.0, 0.0]": "zero"}
)
counting_has_a_slope = wrong("gradient-verdict", "steps-have-slopes")(
    VERDICTS | {"jnp.mean(energies > x) at 1.5": "useful"}
)
argmax_moves = wrong("gradient-verdict", "argmax-has-a-slope")(
    VERDICTS | {"times[jnp.argmax(x)] at [3.0, 1.0, 2.0]": "useful"}
)
sort_is_like_argsort = wrong("gradient-verdict", "sort-has-none")(
    VERDICTS | {"jnp.sort(x)[0] at [3.0, 1.0, 2.0]": "zero"}
)
clip_lets_through = wrong("gradient-verdict", "wrong-value")(VERDICTS | {"jnp.clip(x, 0.0, 1.0) at 1.5": "useful"})
verdicts_as_a_list = wrong("gradient-verdict", "keys-changed")(list(VERDICTS.values()))
verdicts_as_numbers = wrong("gradient-verdict", "not-a-choice")(dict.fromkeys(VERDICTS, 0.0))

# -- soft-peak --------------------------------------------------------------------------------------------------


def slope_along(student_function, x, y, sharpness, direction):
    """The derivative of the answer when `y` moves along a direction."""
    gradient = jax.grad(lambda y: jnp.sum(student_function(x, y, sharpness)))(jnp.asarray(y))
    return float(jnp.sum(gradient * direction))


def weighted_position(x, y, sharpness):
    """The oracle, in `float64`."""
    weights = np.exp(sharpness * (y - y.max()).astype(np.float64))
    return float(np.sum(weights * x) / np.sum(weights))


@exercise(
    "soft-peak",
    see="zero-gradients",
    hint=["The weights are `jax.nn.softmax(sharpness * y)`, and they add up to 1.", "Then a weighted mean of `x`."],
)
def soft_peak(answer, rng):
    x = np.linspace(-1, 1, 41, dtype=np.float32)
    y = (np.exp(-((x - rng.uniform(0.1, 0.5)) ** 2) / 0.08) + 0.02 * rng.random(41)).astype(np.float32)
    want, toward = weighted_position(x, y, 8.0), (x > 0.6).astype(np.float32)
    got = numbers(answer(x, y, 8.0))
    slope = answer.probe(slope_along, x, y, 8.0, toward)
    if got.shape == ():
        message = (
            "That is the position of the largest element. It is right, and its gradient is zero: it cannot be fitted."
        )
        require(slope != 0 or not close(got, x[y.argmax()]), "gradient-zero", message)
        centroid = float(np.sum(x * y) / np.sum(y))
        message = "That is the centre of all of `y`: the background pulls at it. Weight with the exponential."
        require(not close(got, centroid, rtol=1e-4), "plain-centroid", message)
    expect(got, want, "That is not the mean of `x` with the weights of a softmax.", rtol=1e-4)
    step = 1e-4 * toward
    numeric = (weighted_position(x, y + step, 8.0) - weighted_position(x, y - step, 8.0)) / 2e-4
    message = "The position is right, its gradient is not: raising `y` on the right should pull the peak there."
    require(close(slope, numeric, rtol=0.05), "gradient-lost", message)
    sharp = numbers(answer(x, 100 * y, 8.0))
    message = (
        "With large `y` the exponentials overflow, and inf/inf is NaN. Subtract the maximum first, as `softmax` does."
    )
    require(np.isfinite(sharp).all(), "overflow", message)


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


@wrong("soft-peak", "gradient-lost")
def stops_the_gradient(x, y, sharpness):
    return jnp.sum(jax.lax.stop_gradient(jax.nn.softmax(sharpness * y)) * x)


@wrong("soft-peak", "wrong-value")
def forgets_the_sharpness(x, y, sharpness):
    return jnp.sum(jax.nn.softmax(y) * x)


# -- silent-or-loud ---------------------------------------------------------------------------------------------


@functools.cache
def true_volumes():
    """Whether each of the ten mistakes raises anything, tried here."""
    x, counts = jnp.arange(4.0), jnp.array([2**31 - 1, 1], jnp.int32)
    key = jax.random.key(0)

    def draws_twice():
        return jax.random.normal(key) + jax.random.uniform(key)

    mistakes = {
        "x[0] = 1.0": lambda: x.__setitem__(0, 1.0),
        "x.at[0].set(1.0) on a line of its own": lambda: x.at[0].set(1.0),
        "x[7], where x has 4 elements": lambda: x[7],
        "jnp.sum([1.0, 2.0])": lambda: jnp.sum([1.0, 2.0]),
        "the same key for two draws": draws_twice,
        "a sum of int32 counts beyond 2**31": lambda: counts.sum(),
        "(n, 1) predictions minus (n,) measurements": lambda: x[:, None] - x,
        "if x > 0: in a jitted function": lambda: jax.jit(lambda x: x if x > 0 else -x)(1.0),
        "a scan whose carry grows": lambda: jax.lax.scan(lambda c, s: (jnp.append(c, s), s), jnp.zeros(1), x),
        "a global that changes after the first call": lambda: jax.jit(lambda x: x * len(RIGHT_ERRORS))(x),
    }
    return {name: "silent" if raised_by(mistake) == "no error" else "loud" for name, mistake in mistakes.items()}


@exercise(
    "silent-or-loud",
    see="silent-failures",
    hint=["A wrong type or a wrong shape can be noticed. A wrong *value* is a value like any other."],
)
def silent_or_loud(answer, rng):
    got, want = answer.value(), true_volumes()
    require_choices(got, want, ("silent", "loud"))
    message = "A program cannot raise: what is outside is clamped to the last element, without a word."
    require(got["x[7], where x has 4 elements"] == "silent", "bounds-are-checked", message)
    message = "An expression whose result nobody takes is legal Python. Assigning to an element is what raises."
    require(got["x.at[0].set(1.0) on a line of its own"] == "silent", "lost-update-is-noticed", message)
    message = "JAX does not count who has used a key, unless you switch the checker on."
    require(got["the same key for two draws"] == "silent", "keys-are-watched", message)
    message = "Integers wrap around in silence, as in C."
    require(got["a sum of int32 counts beyond 2**31"] == "silent", "overflow-is-noticed", message)
    message = "Both shapes fit, by broadcasting: a table of all differences, and no complaint."
    require(got["(n, 1) predictions minus (n,) measurements"] == "silent", "broadcasting-is-noticed", message)
    message = "Nothing compares the global with what the trace saw: the program goes on with the old one."
    require(got["a global that changes after the first call"] == "silent", "globals-are-watched", message)
    require(got == want, "wrong-value", f"Not right yet: {differing(got, want)}. Try it.")


VOLUMES = {
    "x[0] = 1.0": "loud",
    "x.at[0].set(1.0) on a line of its own": "silent",
    "x[7], where x has 4 elements": "silent",
    "jnp.sum([1.0, 2.0])": "loud",
    "the same key for two draws": "silent",
    "a sum of int32 counts beyond 2**31": "silent",
    "(n, 1) predictions minus (n,) measurements": "silent",
    "if x > 0: in a jitted function": "loud",
    "a scan whose carry grows": "loud",
    "a global that changes after the first call": "silent",
}
as_numpy_would = wrong("silent-or-loud", "bounds-are-checked")(VOLUMES | {"x[7], where x has 4 elements": "loud"})
somebody_would_say = wrong("silent-or-loud", "lost-update-is-noticed")(
    VOLUMES | {"x.at[0].set(1.0) on a line of its own": "loud"}
)
keys_know_it = wrong("silent-or-loud", "keys-are-watched")(VOLUMES | {"the same key for two draws": "loud"})
overflow_raises = wrong("silent-or-loud", "overflow-is-noticed")(
    VOLUMES | {"a sum of int32 counts beyond 2**31": "loud"}
)
shapes_do_not_fit = wrong("silent-or-loud", "broadcasting-is-noticed")(
    VOLUMES | {"(n, 1) predictions minus (n,) measurements": "loud"}
)
jax_would_notice = wrong("silent-or-loud", "globals-are-watched")(
    VOLUMES | {"a global that changes after the first call": "loud"}
)
writes_in_place_quietly = wrong("silent-or-loud", "wrong-value")(VOLUMES | {"x[0] = 1.0": "silent"})
volumes_as_a_list = wrong("silent-or-loud", "keys-changed")(list(VOLUMES.values()))
volumes_as_truths = wrong("silent-or-loud", "not-a-choice")(dict.fromkeys(VOLUMES, True))

# -- which-belt -------------------------------------------------------------------------------------------------

BELTS = (
    "debug_nans",
    "checking_leaks",
    "debug_key_reuse",
    "numpy_rank_promotion",
    "numpy_dtype_promotion",
    "disable_jit",
)
# The lesson's next cell fastens each belt to its failure, and shows that it is found.
RIGHT_BELTS = {
    "a gradient that is NaN": "debug_nans",
    "a tracer kept in a list": "checking_leaks",
    "one key for two draws": "debug_key_reuse",
    "(n, 1) predictions minus (n,) measurements": "numpy_rank_promotion",
    "an int32 array times a float32 array": "numpy_dtype_promotion",
    "a counter that stands still under jit": "disable_jit",
    "x[7], where x has 4 elements": "none",
    "a gradient that is zero because of round": "none",
}


@exercise(
    "which-belt",
    see="seeing-inside",
    hint=[
        "Each belt watches one thing: a NaN, a tracer, a key, a rank, a dtype, Python itself.",
        "Two are found by none.",
    ],
)
def which_belt(answer, rng):
    got, want = answer.value(), RIGHT_BELTS
    require_choices(got, want, (*BELTS, "none"))
    message = (
        "Every value there is finite and of the right type. No belt looks for it: compare with a finite difference."
    )
    require(got["a gradient that is zero because of round"] == "none", "zeros-are-watched", message)
    message = (
        "The clamped element is a value like any other: no belt. Ask for `mode='fill'`, or check the index before."
    )
    require(got["x[7], where x has 4 elements"] == "none", "bounds-are-watched", message)
    message = "With `disable_jit` Python runs at every call, so the counter counts again: the results differ."
    require(got["a counter that stands still under jit"] == "disable_jit", "purity-has-a-belt", message)
    message = "Ranks are numbers of axes, dtypes are types of elements: each has a belt of its own."
    promoted = got["(n, 1) predictions minus (n,) measurements"], got["an int32 array times a float32 array"]
    require(promoted == ("numpy_rank_promotion", "numpy_dtype_promotion"), "promotions-mixed-up", message)
    require(got == want, "wrong-value", f"Not right yet: {differing(got, want)}. What does the belt watch?")


nans_and_zeros = wrong("which-belt", "zeros-are-watched")(
    RIGHT_BELTS | {"a gradient that is zero because of round": "debug_nans"}
)
without_jit_it_raises = wrong("which-belt", "bounds-are-watched")(
    RIGHT_BELTS | {"x[7], where x has 4 elements": "disable_jit"}
)
a_counter_is_a_leak = wrong("which-belt", "purity-has-a-belt")(
    RIGHT_BELTS | {"a counter that stands still under jit": "checking_leaks"}
)
one_promotion_for_both = wrong("which-belt", "promotions-mixed-up")(
    RIGHT_BELTS | {"(n, 1) predictions minus (n,) measurements": "numpy_dtype_promotion"}
)
a_kept_tracer_is_found_without_jit = wrong("which-belt", "wrong-value")(
    RIGHT_BELTS | {"a tracer kept in a list": "disable_jit"}
)
belts_as_a_list = wrong("which-belt", "keys-changed")(list(RIGHT_BELTS.values()))
a_debugger_for_all = wrong("which-belt", "not-a-choice")(dict.fromkeys(RIGHT_BELTS, "breakpoint"))

# == the debugging lab: each first wrong answer is the broken program as the student finds it =====================

# -- clip-by-length ---------------------------------------------------------------------------------------------


@exercise(
    "clip-by-length",
    see="lab-loud",
    hint=["Which factor shortens a long gradient, and leaves a short one alone?", "`jnp.minimum(1, limit / length)`"],
)
def clip_by_length(answer, rng):
    gradient = rng.normal(size=6).astype(np.float32)
    length = float(np.linalg.norm(gradient))
    limit = np.float32(length / 2)
    got, raised = outcome(answer, NEEDS_A_VALUE, under_jit, gradient, limit)
    message = "`length` is a tracer. Python asks it whether it is larger, and it has no number to compare."
    require(not raised, "asks-a-tracer", f"{message} It raises `{raised}`.")
    got = numbers(got)
    if got.shape == gradient.shape:
        message = "Each element is clipped by itself, which turns the gradient into another direction."
        require(not close(got, np.clip(gradient, -limit, limit)), "turns-the-gradient", message)
    expect(got, gradient / 2, "A gradient that is too long by a factor of two should be halved.")
    short = answer.probe(under_jit, gradient, np.float32(3 * length))
    require(close(short, gradient), "lengthens", "A gradient that is short enough should come back as it was.")
    zero = numbers(answer.probe(under_jit, np.zeros(3, np.float32), limit))
    require(not np.isnan(zero).any(), "zero-over-zero", "A gradient of zeros becomes NaN: 0/0. It should stay zero.")


@wrong("clip-by-length", "asks-a-tracer")
def clips_with_an_if(gradient, limit):
    length = jnp.sqrt(jnp.sum(gradient**2))
    if length > limit:
        return gradient * (limit / length)
    return gradient


@wrong("clip-by-length", "asks-a-tracer")
def compares_in_numpy(gradient, limit):
    length = jnp.sqrt(jnp.sum(gradient**2))
    return gradient * np.where(length > limit, limit / length, 1.0)


@wrong("clip-by-length", "turns-the-gradient")
def clips_each_element(gradient, limit):
    return jnp.clip(gradient, -limit, limit)


@wrong("clip-by-length", "lengthens")
def scales_always(gradient, limit):
    return gradient * (limit / jnp.sqrt(jnp.sum(gradient**2)))


@wrong("clip-by-length", "zero-over-zero")
def divides_by_the_length_first(gradient, limit):
    length = jnp.sqrt(jnp.sum(gradient**2))
    return gradient / length * jnp.minimum(length, limit)


@wrong("clip-by-length", "wrong-value")
def compares_the_square(gradient, limit):
    return gradient * jnp.minimum(1.0, limit / jnp.sum(gradient**2))


# -- air-mass ---------------------------------------------------------------------------------------------------


def kasten_young(zenith):
    """The oracle, in NumPy: https://doi.org/10.1364/AO.28.004735"""
    height = 90 - np.asarray(zenith, np.float64)
    return 1 / (np.sin(np.radians(height)) + 0.50572 * (height + 6.07995) ** -1.6364)


@exercise("air-mass", see="lab-loud", hint="The error names the line. Who is asked for a sine there, and of what?")
def air_mass(answer, rng):
    zenith = rng.uniform(5, 80, size=4).astype(np.float32)
    got, raised = outcome(answer, NEEDS_A_VALUE, under_jit, zenith)
    message = "NumPy, or Python, needs the numbers of `zenith`, and a tracer has none. Every step has to be `jnp`."
    require(not raised, "needs-the-numbers", f"{message} It raises `{raised}`.")
    counts = answer.probe(probe.primitives, zenith)
    message = "You call back from the compiled program into Python: no gradient, no GPU, and a wait at each call."
    require(not any("callback" in name for name in counts), "calls-back", message)
    got = numbers(got)
    if got.shape == zenith.shape:
        height = 90 - zenith.astype(np.float64)
        in_degrees = 1 / (np.sin(height) + 0.50572 * (height + 6.07995) ** -1.6364)
        message = "`sin` takes radians, here and in NumPy."
        require(not close(got, in_degrees, rtol=1e-3), "degrees-for-radians", message)
    expect(got, kasten_young(zenith), "That is not the formula any more.", rtol=1e-4)


@wrong("air-mass", "needs-the-numbers")
def mixes_numpy_in(zenith):
    height = 90 - zenith
    sine = np.sin(np.radians(height))
    return 1 / (sine + 0.50572 * (height + 6.07995) ** -1.6364)


@wrong("air-mass", "needs-the-numbers")
def repairs_the_outer_call(zenith):
    height = 90 - zenith
    sine = jnp.sin(np.radians(height))
    return 1 / (sine + 0.50572 * (height + 6.07995) ** -1.6364)


@wrong("air-mass", "needs-the-numbers")
def unwraps_the_tracer(zenith):
    return kasten_young(np.asarray(zenith))


@wrong("air-mass", "calls-back")
def hides_numpy_in_a_callback(zenith):
    result = jax.ShapeDtypeStruct(zenith.shape, jnp.float32)
    return jax.pure_callback(lambda z: kasten_young(z).astype(np.float32), result, zenith)


@wrong("air-mass", "degrees-for-radians")
def drops_the_radians(zenith):
    height = 90 - zenith
    return 1 / (jnp.sin(height) + 0.50572 * (height + 6.07995) ** -1.6364)


@wrong("air-mass", "wrong-value")
def takes_the_plane_atmosphere(zenith):
    return 1 / jnp.cos(jnp.radians(zenith))


# -- mean-spike-interval ----------------------------------------------------------------------------------------


@exercise(
    "mean-spike-interval",
    see="lab-loud",
    hint=[
        "The sum of all intervals is a telescope: only its two ends remain.",
        "The first and the last spike: `jnp.argmax` of the mask, and of the mask reversed. How many: its sum.",
    ],
)
def mean_spike_interval(answer, rng):
    times = np.sort(rng.choice(np.arange(3, 60), size=7, replace=False))
    voltage = rng.uniform(0, 0.5, size=64).astype(np.float32)
    voltage[times] += 1
    got, raised = outcome(answer, NEEDS_A_SHAPE, under_jit, voltage, np.float32(0.9))
    message = (
        "How many spikes there are depends on the voltages, so what the mask picks has no shape to be traced with."
    )
    require(not raised, "shape-depends-on-data", f"{message} It raises `{raised}`.")
    want = (times[-1] - times[0]) / 6
    message = "Seven spikes have six intervals between them."
    require(not close(got, want * 6 / 7), "counts-the-spikes", message)
    message = "Your padding is counted as if it were spikes: `fill_value` has to be something that you take out again."
    padded = np.diff(np.concatenate([times, np.zeros(57, int)])).mean()
    require(not close(got, padded), "padding-counted", message)
    expect(got, want, "That is not the mean interval of the seven spikes.", rtol=1e-5)
    voltage[times[:3]] = 0
    message = "Right for seven spikes, wrong for four: how many there are is fixed in your function."
    expect(answer.probe(under_jit, voltage, np.float32(0.9)), (times[-1] - times[3]) / 3, message, label="fixed-count")


@wrong("mean-spike-interval", "shape-depends-on-data")
def picks_with_a_mask(voltage, threshold):
    samples = jnp.arange(voltage.size)
    spikes = samples[voltage > threshold]
    return jnp.diff(spikes).mean()


@wrong("mean-spike-interval", "shape-depends-on-data")
def asks_nonzero_without_a_size(voltage, threshold):
    return jnp.diff(jnp.nonzero(voltage > threshold)[0]).mean()


@wrong("mean-spike-interval", "padding-counted")
def pads_with_zeros(voltage, threshold):
    return jnp.diff(jnp.nonzero(voltage > threshold, size=voltage.size)[0]).mean()


@wrong("mean-spike-interval", "fixed-count")
def expects_seven(voltage, threshold):
    return jnp.diff(jnp.nonzero(voltage > threshold, size=7)[0]).mean()


@wrong("mean-spike-interval", "counts-the-spikes")
def divides_by_the_spikes(voltage, threshold):
    spikes = voltage > threshold
    return (voltage.size - 1 - jnp.argmax(spikes[::-1]) - jnp.argmax(spikes)) / spikes.sum()


@wrong("mean-spike-interval", "wrong-value")
def divides_the_whole_recording(voltage, threshold):
    return voltage.size / jnp.sum(voltage > threshold)


# -- continuum --------------------------------------------------------------------------------------------------


def traced_coefficients(student_function, wavelength, coefficients):
    """The result when the coefficients are arguments of an outer `jit`: data, as in a fit."""
    return jax.jit(lambda w, c: student_function(w, c))(wavelength, coefficients)


@exercise(
    "continuum",
    see="lab-loud",
    hint=["What is static is a key in a dictionary, so it has to be hashable. Does it have to be static?"],
)
def continuum(answer, rng):
    wavelength = np.linspace(-1, 1, 5, dtype=np.float32)
    coefficients = rng.normal(size=3).astype(np.float32)
    want = np.polynomial.polynomial.polyval(wavelength, coefficients).astype(np.float32)
    expect(answer(wavelength, tuple(map(float, coefficients))), want, "The polynomial is wrong.", rtol=1e-4)
    got, raised = outcome(answer, ("ValueError", "TypeError"), probe.call, wavelength, coefficients.tolist())
    message = "Static arguments are keys in a dictionary of programs, and a list cannot be a key."
    require(not raised, "not-hashable", f"{message} It raises `{raised}`.")
    expect(got, want, "Right for a tuple, wrong for a list.", rtol=1e-4, label="list-differs")
    got, raised = outcome(
        answer, ("ValueError", "TypeError", *NEEDS_A_VALUE), traced_coefficients, wavelength, coefficients
    )
    message = "The list works now. But each set of coefficients is still a program of its own: in a fit, one per step."
    require(not raised, "one-program-per-value", f"{message} Traced coefficients raise `{raised}`.")
    message = "Right for plain numbers, wrong for traced ones."
    expect(got, want, message, rtol=1e-4, label="traced-differ")


@wrong("continuum", "not-hashable")
@functools.partial(jax.jit, static_argnames="coefficients")
def takes_coefficients_as_static(wavelength, coefficients):
    total = jnp.zeros_like(wavelength)
    for coefficient in reversed(coefficients):
        total = total * wavelength + coefficient
    return total


@wrong("continuum", "one-program-per-value")
def makes_a_tuple_first(wavelength, coefficients):
    return takes_coefficients_as_static.answer(wavelength, tuple(coefficients))


@wrong("continuum", "one-program-per-value")
def leaves_jax_for_a_while(wavelength, coefficients):
    return np.polynomial.polynomial.polyval(wavelength, np.asarray(coefficients, np.float32))


@wrong("continuum", "wrong-value")
@jax.jit
def takes_them_from_the_highest(wavelength, coefficients):
    return jnp.polyval(jnp.asarray(coefficients), wavelength)


@wrong("continuum", "list-differs")
def ignores_lists(wavelength, coefficients):
    coefficients = (0.0,) if isinstance(coefficients, list) else coefficients
    return sum(c * wavelength**k for k, c in enumerate(coefficients))


@wrong("continuum", "traced-differ")
def keeps_the_first_only(wavelength, coefficients):
    traced = isinstance(coefficients, jax.core.Tracer)
    return sum(c * wavelength**k for k, c in enumerate(coefficients[:1] if traced else coefficients))


# -- photon-average ---------------------------------------------------------------------------------------------


def smooth(counts, weight):
    """The oracle: a plain loop."""
    averages, average = [], np.zeros(np.shape(counts)[1:])
    for frame in np.asarray(counts, np.float64):
        average = (1 - weight) * average + weight * frame
        averages.append(average)
    return np.array(averages, np.float32)


@exercise(
    "photon-average",
    see="lab-loud",
    hint=["The message shows two types. Which of them does the carry begin with?", "`jnp.zeros_like` takes a `dtype`."],
)
def photon_average(answer, rng):
    counts = rng.integers(1, 30, size=(6, 4)).astype(np.int32)
    got, raised = outcome(answer, ("TypeError",), probe.call, counts, 0.25)
    message = (
        "What comes out of a step has another type than what went in. One program for all steps needs one type for all."
    )
    require(not raised, "carry-changes-type", message)
    got = numbers(got)
    message = "The carry is made an integer again in each step: it keeps its type and loses the fraction."
    require(got.dtype.kind == "f", "rounds-each-step", message)
    if got.shape == counts.shape:
        first = counts[0].astype(np.float32)
        message = "The average should begin with zero, before the first frame: yours begins with the first frame."
        require(not close(got[0], first), "starts-with-the-first", message)
    expect(got, smooth(counts, 0.25), "Not the running average.", rtol=1e-5)
    message = "Right for one shape of frames only: a carry has the shape of one frame."
    require(close(answer(counts[:, 0], 0.25), smooth(counts[:, 0], 0.25), rtol=1e-5), "fixed-shape", message)
    message = "There is no `scan` any more: a Python loop is copied once for each frame."
    require(answer.probe(probe.primitives, counts, 0.25).get("scan", 0) >= 1, "unrolled", message, see="unrolling")


@wrong("photon-average", "carry-changes-type")
def starts_with_integers(counts, weight):
    def step(average, frame):
        average = (1 - weight) * average + weight * frame
        return average, average

    start = jnp.zeros_like(counts[0])
    return jax.lax.scan(step, start, counts)[1]


@wrong("photon-average", "rounds-each-step")
def casts_the_carry_back(counts, weight):
    def step(average, frame):
        average = ((1 - weight) * average + weight * frame).astype(counts.dtype)
        return average, average

    return jax.lax.scan(step, jnp.zeros_like(counts[0]), counts)[1]


@wrong("photon-average", "starts-with-the-first")
def starts_with_the_first_frame(counts, weight):
    def step(average, frame):
        average = (1 - weight) * average + weight * frame
        return average, average

    return jax.lax.scan(step, jnp.asarray(counts[0], jnp.float32), counts)[1]


@wrong("photon-average", "fixed-shape")
def starts_with_four_zeros(counts, weight):
    def step(average, frame):
        average = (1 - weight) * average + weight * frame
        return average, average

    return jax.lax.scan(step, jnp.zeros(4), counts)[1]


@wrong("photon-average", "unrolled")
def gives_up_the_scan(counts, weight):
    averages, average = [], jnp.zeros(counts.shape[1:])
    for frame in jnp.asarray(counts):
        average = (1 - weight) * average + weight * frame
        averages.append(average)
    return jnp.stack(averages)


@wrong("photon-average", "wrong-value")
def gives_the_frames(counts, weight):
    def step(average, frame):
        return (1 - weight) * average + weight * frame, weight * frame

    return jax.lax.scan(step, jnp.zeros(counts.shape[1:]), counts)[1]


# -- power-spectrum ---------------------------------------------------------------------------------------------


@exercise(
    "power-spectrum",
    see="lab-loud",
    hint=["What leaves a traced function by any door but `return` is a tracer.", "Return both."],
)
def power_spectrum(answer, rng):
    signal = rng.normal(2, 1, size=16).astype(np.float32)
    got, raised = outcome(answer, ("UnexpectedTracerError", *NEEDS_A_VALUE), probe.call, signal)
    message = "What `kept` holds is a tracer. The trace is over, and there was never a number in it."
    require(raised != "UnexpectedTracerError", "uses-the-leaked-tracer", message, see="leaks")
    message = "Inside of `jit` there is no number to take out yet, not by `float`, `.item()` or NumPy."
    require(not raised, "asks-for-the-number", f"{message} It raises `{raised}`.")
    pair = isinstance(got, (tuple, list)) and len(got) == 2
    require(pair, "not-a-pair", "Return the pair `(spectrum, mean)`.")
    mean = signal.mean()
    want = np.abs(np.fft.rfft(signal.astype(np.float64) - mean)) ** 2
    expect(got[0], want, "The spectrum should be that of the signal without its mean.", rtol=1e-3)
    expect(got[1], mean, "The second is not the mean.", rtol=1e-4, label="wrong-mean")
    found = answer.probe(probe.leaks, signal)
    message = (
        "Both results are right, and a tracer still escapes: the next one who reads that container gets the error."
    )
    require(not found, "still-leaks", f"{message} `jax.checking_leaks()` says: {found}", see="leaks")


@wrong("power-spectrum", "uses-the-leaked-tracer")
def keeps_the_mean_aside(signal):
    kept = {}

    @jax.jit
    def power(signal):
        kept["mean"] = signal.mean()
        return jnp.abs(jnp.fft.rfft(signal - kept["mean"])) ** 2

    spectrum = power(signal)
    return spectrum, 1.0 * kept["mean"]


@wrong("power-spectrum", "still-leaks")
def computes_the_mean_again(signal):
    kept = {}

    @jax.jit
    def power(signal):
        kept["mean"] = signal.mean()
        return jnp.abs(jnp.fft.rfft(signal - kept["mean"])) ** 2

    spectrum = power(signal)
    return spectrum, signal.mean()


@wrong("power-spectrum", "asks-for-the-number")
def keeps_a_float(signal):
    kept = {}

    @jax.jit
    def power(signal):
        kept["mean"] = float(signal.mean())
        return jnp.abs(jnp.fft.rfft(signal - kept["mean"])) ** 2

    spectrum = power(signal)
    return spectrum, kept["mean"]


@wrong("power-spectrum", "not-a-pair")
def returns_the_spectrum_alone(signal):
    return jax.jit(lambda s: jnp.abs(jnp.fft.rfft(s - s.mean())) ** 2)(signal)


@wrong("power-spectrum", "wrong-value")
def keeps_the_mean_in_the_signal(signal):
    return jnp.abs(jnp.fft.rfft(signal)) ** 2, signal.mean()


@wrong("power-spectrum", "wrong-mean")
def takes_the_mean_afterwards(signal):
    signal = signal - signal.mean()
    return jnp.abs(jnp.fft.rfft(signal)) ** 2, signal.mean()


# -- adapt-weights ----------------------------------------------------------------------------------------------


def given_away(student_function, weights, gradient):
    """Call with JAX arrays of our own: what comes back, and whether the weights were really given away."""
    mine = jnp.array(weights)
    result = student_function(mine, jnp.array(gradient))
    deleted = bool(mine.is_deleted())
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        return {"pair": False}
    return {"pair": True, "weights": np.asarray(result[0]), "moved": np.asarray(result[1]), "deleted": deleted}


@exercise(
    "adapt-weights",
    see="lab-loud",
    hint=["After the call the old weights are gone. Where do old and new exist side by side?", "Inside of `step`."],
)
def adapt_weights(answer, rng):
    weights, gradient = (rng.normal(size=5).astype(np.float32) for _ in range(2))
    facts, raised = outcome(answer, ("RuntimeError", "ValueError"), given_away, weights, gradient)
    message = "You read `weights` after giving it away: its memory holds the new weights now. A second name is no copy."
    require(not raised, "reads-what-it-gave-away", f"{message} It raises `{raised}`.")
    require(facts["pair"], "not-a-pair", "Return the pair `(updated, moved)`.")
    expect(
        facts["weights"], weights - 0.1 * gradient, "The weights are not those after one step.", label="wrong-weights"
    )
    want = np.linalg.norm(0.1 * gradient)
    message = "The second is how far the weights have moved."
    expect(facts["moved"], want, message, rtol=1e-3)
    message = "Right, but the old weights are still there: you gave up the donation, so both have to fit into memory."
    require(facts["deleted"], "gave-up-the-donation", message)
    message = (
        "Right, but you copied the old weights first, so old and new are in memory after all. Measure in the step."
    )
    require(not answer.probe(probe.primitives, weights, gradient).get("copy", 0), "keeps-a-copy", message)


@wrong("adapt-weights", "reads-what-it-gave-away")
def measures_afterwards(weights, gradient):
    step = jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)
    updated = step(weights, gradient)
    moved = jnp.linalg.norm(updated - weights)
    return updated, moved


@wrong("adapt-weights", "reads-what-it-gave-away")
def gives_it_a_second_name(weights, gradient):
    before = weights
    step = jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)
    updated = step(weights, gradient)
    return updated, jnp.linalg.norm(updated - before)


@wrong("adapt-weights", "gave-up-the-donation")
def donates_nothing(weights, gradient):
    step = jax.jit(lambda w, g: w - 0.1 * g)
    updated = step(weights, gradient)
    return updated, jnp.linalg.norm(updated - weights)


@wrong("adapt-weights", "keeps-a-copy")
def copies_before_it_gives(weights, gradient):
    before = weights.copy()
    step = jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)
    updated = step(weights, gradient)
    return updated, jnp.linalg.norm(updated - before)


@wrong("adapt-weights", "wrong-value")
def compares_with_the_new(weights, gradient):
    step = jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)
    weights = step(weights, gradient)
    return weights, jnp.linalg.norm(weights - weights)


@wrong("adapt-weights", "wrong-weights")
def steps_uphill(weights, gradient):
    step = jax.jit(lambda w, g: (w + 0.1 * g, jnp.linalg.norm(0.1 * g)), donate_argnums=0)
    return step(weights, gradient)


@wrong("adapt-weights", "not-a-pair")
def returns_the_weights_alone(weights, gradient):
    return jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)(weights, gradient)


# -- rest-and-count ---------------------------------------------------------------------------------------------


@functools.cache
def _force():
    return jax.jit(lambda x: -2 * x - jnp.sin(x))


def bead(x):
    """The oracle: where the bead stops, and how often its force was computed."""
    force, evaluations = _force()(x), 1
    while abs(force) > 1e-3:
        x = x + 0.1 * force
        force, evaluations = _force()(x), evaluations + 1
    return float(x), evaluations


def compiled_afresh(student_function, *args):
    """The programs that a call compiles where nothing has been compiled before."""
    jax.clear_caches()
    return probe.compiled(student_function, [args])[0]


@exercise(
    "rest-and-count",
    see="lab-silent",
    hint=["The line that counts is Python. How often does Python run in a jitted function?", "Count where you call."],
)
def rest_and_count(answer, rng):
    start = np.float32(rng.uniform(1.0, 2.5))
    place, evaluations = bead(start)
    got = numbers(answer(start))
    require(got.shape == (2,), "not-a-pair", "Return the pair `(x, evaluations)`.")
    message = "The force was computed for every step, and counted for one: the count happened while JAX traced."
    require(not close(got[1], 1), "counts-the-traces", message)
    names = answer.probe(probe.written)["names"]
    message = "You switched the compiler off, for everything in there. The count is right and nothing is compiled."
    require("disable_jit" not in names, "switches-jit-off", message)
    programs = answer.probe(compiled_afresh, start)
    compiled_outside = programs and "sin" not in programs  # a jitted function that is defined beside the answer
    compiled = {"jit", "while_loop"} & set(names) or compiled_outside
    require(compiled, "gives-up-jit", "The force is not compiled any more. Keep the `jit`, and move the count.")
    require(not close(got[1], evaluations - 1), "first-not-counted", "The force is computed once before the loop.")
    expect(got[1], evaluations, "That is not how often the force was computed.", label="wrong-count")
    expect(got[0], place, "The bead comes to rest somewhere else.", rtol=1e-2)


@wrong("rest-and-count", "counts-the-traces")
def counts_inside(x):
    evaluations = 0

    @jax.jit
    def force(x):
        nonlocal evaluations
        evaluations += 1
        return -2 * x - jnp.sin(x)

    pull = force(x)
    while abs(pull) > 1e-3:
        x = x + 0.1 * pull
        pull = force(x)
    return x, evaluations


@wrong("rest-and-count", "switches-jit-off")
def runs_without_the_compiler(x):
    with jax.disable_jit():
        return bead(x)


@wrong("rest-and-count", "gives-up-jit")
def removes_the_decorator(x):
    evaluations = 0

    def force(x):
        nonlocal evaluations
        evaluations += 1
        return -2 * x - jnp.sin(x)

    pull = force(x)
    while abs(pull) > 1e-3:
        x = x + 0.1 * pull
        pull = force(x)
    return x, evaluations


@wrong("rest-and-count", "first-not-counted")
def counts_the_steps(x):
    force, steps = jax.jit(lambda x: -2 * x - jnp.sin(x)), 0
    pull = force(x)
    while abs(pull) > 1e-3:
        x, steps = x + 0.1 * pull, steps + 1
        pull = force(x)
    return x, steps


@wrong("rest-and-count", "wrong-count")
def counts_twice(x):
    place, evaluations = bead(x)
    return jax.jit(lambda x: 1.0 * x)(place), 2 * evaluations


@wrong("rest-and-count", "wrong-value")
def returns_the_start(x):
    return jax.jit(lambda x: 1.0 * x)(x), bead(x)[1]


@wrong("rest-and-count", "not-a-pair")
def returns_the_place_alone(x):
    return jax.jit(lambda x: 1.0 * x)(bead(x)[0])


# -- decay-curves -----------------------------------------------------------------------------------------------


def compiled_again(student_function, *args):
    """How many programs a second call, with the same arguments, compiles."""
    return len(probe.compiled(student_function, [args, args])[1])


@exercise(
    "decay-curves",
    see="lab-silent",
    hint=["`curve` reads `rate`, and gets no `rate`. When does it read?", "Give `curve` a second argument."],
)
def decay_curves(answer, rng):
    times = np.linspace(0, 2, 5, dtype=np.float32)
    rates = np.sort(rng.uniform(0.2, 3.0, size=4)).astype(np.float32)
    got, want = numbers(answer(times, rates)), np.exp(-rates[:, None] * times)
    if got.shape == want.shape:
        message = "All curves are the first one: its rate was baked into the program as a constant."
        require(not close(got, np.tile(want[0], (4, 1))), "frozen-rate", message)
    require(got.shape != want.shape[::-1], "transposed", "One *row* for each rate: yours are the columns.")
    expect(got, want, "Those are not the decay curves.")
    again = answer.probe(compiled_again, times, rates)
    message = f"The curves are right, and a call compiles {again} programs: one for each rate, though all are alike."
    require(again <= 1, "one-program-per-rate", message)


@wrong("decay-curves", "frozen-rate")
def reads_the_rate_from_outside(times, rates):
    rate = 0.0

    @jax.jit
    def curve(times):
        return jnp.exp(-rate * times)

    rows = []
    for rate in rates:  # noqa: B007 - the mistake
        rows.append(curve(times))
    return jnp.stack(rows)


@wrong("decay-curves", "one-program-per-rate")
def compiles_in_the_loop(times, rates):
    rows = []
    for rate in rates:
        rows.append(jax.jit(lambda times, rate=rate: jnp.exp(-rate * times))(times))
    return jnp.stack(rows)


@wrong("decay-curves", "one-program-per-rate")
def makes_the_rate_static(times, rates):
    curve = jax.jit(lambda times, rate: jnp.exp(-rate * times), static_argnums=1)
    return jnp.stack([curve(times, float(rate)) for rate in rates])


@wrong("decay-curves", "transposed")
def puts_rates_to_the_right(times, rates):
    return jax.jit(lambda times, rates: jnp.exp(-times[:, None] * rates))(times, rates)


@wrong("decay-curves", "wrong-value")
def forgets_the_sign(times, rates):
    return jnp.exp(rates[:, None] * times)


# -- recalibrate ------------------------------------------------------------------------------------------------


@exercise(
    "recalibrate",
    see="lab-silent",
    hint=[
        "A static `self` is a key: the same object is the same key, whatever was written into it since.",
        "What changes has to come in as an argument that is traced.",
    ],
)
def recalibrate(answer, rng):
    reading = rng.uniform(1, 2, size=3).astype(np.float32)
    gains = rng.uniform(1, 5, size=4).astype(np.float32)
    got, want = numbers(answer(reading, gains)), reading / gains[:, None]
    if got.shape == want.shape:
        message = (
            "Every row was divided by the first gain: the detector is the same object, so its program is the same."
        )
        require(not close(got, np.tile(want[0], (4, 1))), "stale-self", message, see="stale-self")
        message = "Every row was divided by the gain that the detector was made with."
        require(not close(got, np.tile(reading, (4, 1))), "never-calibrated", message)
    expect(got, want, "Those are not the readings, each divided by its gain.")
    again = answer.probe(compiled_again, reading, gains)
    message = f"The rows are right, and a call compiles {again} programs: a new key for each gain."
    require(again <= 1, "one-program-per-gain", message)


@wrong("recalibrate", "stale-self")
def mutates_a_static_self(reading, gains):
    class Detector:
        @functools.partial(jax.jit, static_argnums=0)
        def correct(self, reading):
            return reading / self.gain

    detector, rows = Detector(), []
    for gain in gains:
        detector.gain = gain
        rows.append(detector.correct(reading))
    return jnp.stack(rows)


@wrong("recalibrate", "one-program-per-gain")
def makes_a_detector_for_each(reading, gains):
    class Detector:
        @functools.partial(jax.jit, static_argnums=0)
        def correct(self, reading):
            return reading / self.gain

    rows = []
    for gain in gains:
        detector = Detector()
        detector.gain = gain
        rows.append(detector.correct(reading))
    return jnp.stack(rows)


@wrong("recalibrate", "one-program-per-gain")
def makes_the_gain_the_key(reading, gains):
    correct = jax.jit(lambda reading, gain: reading / gain, static_argnums=1)
    return jnp.stack([correct(reading, float(gain)) for gain in gains])


@wrong("recalibrate", "never-calibrated")
def calibrates_a_copy(reading, gains):
    correct = jax.jit(lambda reading, gain=1.0: reading / gain)
    return jnp.stack([correct(reading) for _ in gains])


@wrong("recalibrate", "wrong-value")
def multiplies_by_the_gain(reading, gains):
    return reading * gains[:, None]


# -- relax-ring -------------------------------------------------------------------------------------------------


def outside_of_jit(student_function, temperature, steps):
    """The primitives that run one by one: those that stand in no jitted function and no loop of JAX."""
    jaxpr = jax.make_jaxpr(lambda temperature: student_function(temperature, steps))(temperature).jaxpr
    names = {str(equation.primitive) for equation in jaxpr.eqns}
    return sorted(names - {"jit", "pjit", "while", "scan"})


def step_of_heat(temperature):
    return temperature + 0.1 * (jnp.roll(temperature, 1) - 2 * temperature + jnp.roll(temperature, -1))


@exercise(
    "relax-ring",
    see="lab-silent",
    hint=["`jit` remembers programs by the function object. How many are made here?", "Define `step` once, outside."],
)
def relax_ring(answer, rng):
    temperature = rng.uniform(0, 100, size=8).astype(np.float32)
    want = temperature.astype(np.float64)
    for _ in range(6):
        want = want + 0.1 * (np.roll(want, 1) - 2 * want + np.roll(want, -1))
    got = numbers(answer(temperature, 6))
    expect(got, want.astype(np.float32), "Those are not the temperatures after six steps.", rtol=1e-4)
    again = answer.probe(compiled_again, temperature, 6)
    message = f"A second call with the same shape compiles again ({again} times)"
    require(again < 6, "one-program-per-step", f"{message}: each pass makes a new function, and `jit` knows it not.")
    why = "the function that is jitted is made anew in each call. Make it once, outside of yours."
    require(again == 0, "one-program-per-call", f"{message}: {why}")
    alone = answer.probe(outside_of_jit, temperature, 2)
    message = f"Nothing is compiled twice, because nothing is compiled together: {', '.join(alone)} run one by one."
    require(not set(alone) & {"add", "sub", "mul"}, "gives-up-jit", message)


@wrong("relax-ring", "one-program-per-step")
def jits_in_the_loop(temperature, steps):
    for _ in range(steps):

        @jax.jit
        def step(t):
            return t + 0.1 * (jnp.roll(t, 1) - 2 * t + jnp.roll(t, -1))

        temperature = step(temperature)
    return temperature


@wrong("relax-ring", "one-program-per-step")
def binds_in_the_loop(temperature, steps):
    for _ in range(steps):
        temperature = jax.jit(functools.partial(step_of_heat))(temperature)
    return temperature


@wrong("relax-ring", "one-program-per-call")
def jits_before_the_loop(temperature, steps):
    step = jax.jit(lambda t: t + 0.1 * (jnp.roll(t, 1) - 2 * t + jnp.roll(t, -1)))
    for _ in range(steps):
        temperature = step(temperature)
    return temperature


@wrong("relax-ring", "gives-up-jit")
def jits_nothing(temperature, steps):
    for _ in range(steps):
        temperature = step_of_heat(temperature)
    return temperature


@wrong("relax-ring", "wrong-value")
@functools.partial(jax.jit, static_argnames="steps")
def forgets_a_step(temperature, steps):
    return jax.lax.fori_loop(1, steps, lambda _, t: step_of_heat(t), temperature)


# -- swing ------------------------------------------------------------------------------------------------------


def leapfrog(angle, velocity, steps):
    """The oracle: a plain loop in double precision."""
    angle, velocity = float(angle), float(velocity)
    for _ in range(steps):
        velocity -= 0.1 * np.sin(angle)
        angle += 0.1 * velocity
    return np.array([angle, velocity])


def equations(student_function, angle, velocity, steps):
    """How many equations the program has for a number of steps."""
    return sum(probe.primitives(lambda a, v: student_function(a, v, steps), angle, velocity).values())


@exercise(
    "swing",
    see="lab-silent",
    hint=[
        "`jax.lax.fori_loop(0, steps, step, start)`, with `step(i, state)`.",
        "The state is the pair (angle, velocity). In the loop, the angle moves with the *new* velocity.",
    ],
)
def swing(answer, rng):
    angle, velocity = np.float32(rng.uniform(0.5, 1.5)), np.float32(rng.uniform(-0.5, 0.5))
    few, many = answer.probe(equations, angle, velocity, 40), answer.probe(equations, angle, velocity, 80)
    message = f"40 steps are {few} equations and 80 steps are {many}: the loop is copied out, once for each step."
    require(few == many, "unrolled", message, see="unrolling")
    got = numbers(answer(angle, velocity, 30))
    require(got.shape != (30, 2), "every-state", "That is every state. Only the last one is wanted.")
    if got.shape == (2,):
        euler = np.array([float(angle), float(velocity)])
        for _ in range(30):
            euler = euler + 0.1 * np.array([euler[1], -np.sin(euler[0])])
        message = "Both moved from the *old* state: the angle has to move with the new velocity, or the energy grows."
        require(not close(got, euler, rtol=1e-3), "old-velocity", message)
        message = f"That is the state after {29} steps."
        require(not close(got, leapfrog(angle, velocity, 29), rtol=1e-4), "one-step-short", message)
    expect(got, leapfrog(angle, velocity, 30), "That is not the state after 30 steps.", rtol=1e-3)


@wrong("swing", "unrolled")
def steps_in_python(angle, velocity, steps):
    for _ in range(steps):
        velocity = velocity - 0.1 * jnp.sin(angle)
        angle = angle + 0.1 * velocity
    return jnp.stack([angle, velocity])


@wrong("swing", "unrolled")
def jits_the_step(angle, velocity, steps):
    @jax.jit
    def step(angle, velocity):
        velocity = velocity - 0.1 * jnp.sin(angle)
        return angle + 0.1 * velocity, velocity

    for _ in range(steps):
        angle, velocity = step(angle, velocity)
    return jnp.stack([angle, velocity])


@wrong("swing", "old-velocity")
def moves_both_at_once(angle, velocity, steps):
    def step(_, state):
        angle, velocity = state
        return angle + 0.1 * velocity, velocity - 0.1 * jnp.sin(angle)

    return jnp.stack(jax.lax.fori_loop(0, steps, step, (angle, velocity)))


def leapfrog_step(_, state):
    angle, velocity = state
    velocity = velocity - 0.1 * jnp.sin(angle)
    return angle + 0.1 * velocity, velocity


@wrong("swing", "one-step-short")
def begins_with_one(angle, velocity, steps):
    return jnp.stack(jax.lax.fori_loop(1, steps, leapfrog_step, (angle, velocity)))


@wrong("swing", "every-state")
def returns_every_state(angle, velocity, steps):
    def step(state, _):
        state = leapfrog_step(0, state)
        return state, jnp.stack(state)

    return jax.lax.scan(step, (angle, velocity), length=steps)[1]


@wrong("swing", "wrong-value")
def falls_upwards(angle, velocity, steps):
    def step(_, state):
        angle, velocity = state
        velocity = velocity + 0.1 * jnp.sin(angle)
        return angle + 0.1 * velocity, velocity

    return jnp.stack(jax.lax.fori_loop(0, steps, step, (angle, velocity)))


# -- bucketed-means ---------------------------------------------------------------------------------------------


def handed_over(student_function, curves):
    """The means, how often the sum was traced, how many elements it got in all, and what else was compiled."""
    traces, elements, means = [], [], []

    @jax.jit
    def traced_sum(curve):
        traces.append(curve.shape)
        return jnp.sum(curve)

    def compiled_sum(curve):
        elements.append(int(np.size(curve)))
        return traced_sum(curve)

    def evaluate():
        means.extend(float(mean) for mean in student_function(curves, compiled_sum))

    jax.clear_caches()
    besides = len(probe.compiled(evaluate, [()])[0]) - len(traces)
    facts = {"means": np.array(means), "calls": len(elements), "traces": len(traces), "elements": sum(elements)}
    return facts | {"besides": besides}


@exercise(
    "bucketed-means",
    points=2,
    see="lab-silent",
    hint=[
        "Zeros do not change a sum. Up to which length will you fill up with them?",
        "`2 ** int(np.ceil(np.log2(n)))` is the next power of two: the longest wait is a factor of two.",
    ],
)
def bucketed_means(answer, rng):
    lengths = rng.permutation([3, 6, 11, 13, 20, 25, 31, 200 + int(rng.integers(0, 9))])
    curves = [rng.uniform(1, 2, size=n).astype(np.float32) for n in lengths]
    facts = answer.probe(handed_over, curves)
    require(facts["calls"] >= 8, "sum-not-used", "Each curve should be summed by one call of `compiled_sum`.")
    traces, total = facts["traces"], int(lengths.sum())
    message = f"{traces} programs for 8 curves: every length is a shape of its own."
    require(traces <= 5, "one-program-per-length", message)
    want = np.array([curve.astype(np.float64).mean() for curve in curves])
    message = "You divide by the length with the padding in it: the mean of a short curve comes out too small."
    if np.shape(facts["means"]) == want.shape:
        small = facts["means"] < want - 0.05
        require(not (small.sum() >= 4 and facts["elements"] > total), "divides-by-the-padding", message)
    expect(facts["means"], want, "Those are not the means of the curves.", rtol=1e-4)
    message = f"{facts['elements']} elements for curves that have {total}: more zeros than light."
    advice = "Fill each up to the next power of two, not all of them to one length."
    require(facts["elements"] <= 2 * total, "pads-too-much", f"{message} {advice}")
    message = (
        f"The sum is compiled {traces} times, and {facts['besides']} other programs with it: is it JAX that fills up?"
    )
    require(facts["besides"] < len(curves), "padded-by-jax", f"{message} Use `np.pad`.")


@wrong("bucketed-means", "one-program-per-length")
def hands_over_as_they_come(curves, compiled_sum):
    return [compiled_sum(curve) / len(curve) for curve in curves]


def filled_up(curve, length):
    return np.pad(curve, (0, length - len(curve)))


@wrong("bucketed-means", "one-program-per-length")
def makes_lengths_even(curves, compiled_sum):
    return [compiled_sum(filled_up(c, len(c) + len(c) % 2)) / len(c) for c in curves]


@wrong("bucketed-means", "padded-by-jax")
def fills_up_in_jax(curves, compiled_sum):
    buckets = [2 ** int(np.ceil(np.log2(len(curve)))) for curve in curves]
    padded = [jnp.pad(curve, (0, bucket - len(curve))) for curve, bucket in zip(curves, buckets, strict=True)]
    return [compiled_sum(long) / len(curve) for long, curve in zip(padded, curves, strict=True)]


@wrong("bucketed-means", "pads-too-much")
def fills_all_to_the_longest(curves, compiled_sum):
    longest = max(map(len, curves))
    return [compiled_sum(filled_up(curve, longest)) / len(curve) for curve in curves]


@wrong("bucketed-means", "divides-by-the-padding")
def takes_the_mean_of_the_bucket(curves, compiled_sum):
    padded = [filled_up(curve, 2 ** int(np.ceil(np.log2(len(curve))))) for curve in curves]
    return [compiled_sum(curve) / len(curve) for curve in padded]


@wrong("bucketed-means", "wrong-value")
def cuts_to_the_bucket_below(curves, compiled_sum):
    cut = [curve[: 2 ** int(np.log2(len(curve)))] for curve in curves]
    return [compiled_sum(curve) / len(curve) for curve in cut]


@wrong("bucketed-means", "sum-not-used")
def stays_in_numpy(curves, compiled_sum):
    return [curve.mean() for curve in curves]


# -- drunkards-walk -----------------------------------------------------------------------------------------------


def walked(student_function, seed, walkers, steps):
    return student_function(jax.random.key(seed), walkers, steps)


@exercise(
    "drunkards-walk",
    see="lab-silent",
    hint=[
        "The same key gives the same numbers, in every pass.",
        "`jax.random.split(key, steps)` gives a key for each.",
    ],
)
def drunkards_walk(answer, rng):
    seed, walkers, steps = int(rng.integers(2**20)), 300, 16
    got = numbers(answer.probe(walked, seed, walkers, steps))
    require(got.shape == (walkers,), "wrong-shape", f"One position for each of {walkers} walkers, not {got.shape}.")
    require(got.std() > 1e-3, "all-walk-together", "All walkers take the same steps: each needs a number of its own.")
    other = numbers(answer.probe(walked, seed + 1, walkers, steps))
    message = "Another key, and the same walk: you do not use the key that you were given."
    require(not close(got, other), "ignores-the-key", message)
    found = answer.probe(probe.reuses_key, walkers, steps)
    ratio = got.std() / np.sqrt(steps)
    far = f" The walkers are {ratio:.1f} times as far away as they should be." if ratio > 1.25 else ""
    message = f"A key is used twice, so numbers repeat.{far} JAX says: {found}"
    require(not found, "same-key-again", message)
    message = f"After {steps} steps of spread 1 the spread should be near {np.sqrt(steps):.0f}, not {got.std():.1f}."
    require(0.8 < ratio < 1.25, "wrong-spread", message)


@wrong("drunkards-walk", "same-key-again")
def draws_with_one_key(key, walkers, steps):
    position = jnp.zeros(walkers)
    for _ in range(steps):
        position = position + jax.random.normal(key, (walkers,))
    return position


@wrong("drunkards-walk", "same-key-again")
def splits_and_forgets(key, walkers, steps):
    position = jnp.zeros(walkers)
    for _ in range(steps):
        _, fresh = jax.random.split(key)
        position = position + jax.random.normal(fresh, (walkers,))
    return position


@wrong("drunkards-walk", "ignores-the-key")
def makes_keys_from_the_step(key, walkers, steps):
    position = jnp.zeros(walkers)
    for step in range(steps):
        position = position + jax.random.normal(jax.random.key(step), (walkers,))
    return position


@wrong("drunkards-walk", "all-walk-together")
def draws_one_number_per_step(key, walkers, steps):
    position = jnp.zeros(walkers)
    for fresh in jax.random.split(key, steps):
        position = position + jax.random.normal(fresh)
    return position


@wrong("drunkards-walk", "wrong-spread")
def draws_uniform_steps(key, walkers, steps):
    return jax.random.uniform(key, (steps, walkers), minval=-1.0).sum(axis=0)


# -- spring-energy ----------------------------------------------------------------------------------------------


def gradient_of(student_function, positions):
    return jax.grad(lambda p: jnp.sum(student_function(p)))(positions)


def springs(positions):
    """The oracle: the energy and its gradient, by two loops."""
    energy, gradient = 0.0, np.zeros(positions.shape)
    for i in range(len(positions)):
        for j in range(i):
            apart = positions[i].astype(np.float64) - positions[j]
            r = np.sqrt(apart @ apart)
            energy += 0.5 * (r - 1) ** 2
            gradient[i] += (r - 1) * apart / r
            gradient[j] -= (r - 1) * apart / r
    return energy, gradient


@exercise(
    "spring-energy",
    see="lab-silent",
    hint=[
        "Where is a distance zero, and what is the slope of the root there?",
        "Give the root something harmless *before* you take it: the inner `where` of the double `where`.",
    ],
)
def spring_energy(answer, rng):
    positions = rng.uniform(-2, 2, size=(4, 2)).astype(np.float32)
    energy, want = springs(positions)
    got = numbers(answer(positions))
    require(not close(got, 2 * energy, rtol=1e-3), "pairs-twice", "Each spring is counted twice, as (i, j) and (j, i).")
    diagonal = energy + 0.5 * 0.5 * len(positions)
    message = "An atom has no spring to itself: the diagonal of the table adds (0 - 1)² for each."
    require(not close(got, diagonal, rtol=1e-3), "springs-to-itself", message)
    expect(got, energy, "That is not the energy.", rtol=1e-3)
    slope = numbers(answer.probe(gradient_of, positions))
    message = "The energy is right, and its gradient is NaN: the slope of the root at zero, times zero."
    require(not np.isnan(slope).any(), "nan-gradient", message, see="nan-through-where")
    message = "The gradient is zero. It is finite now because it is cut off, and nothing will move."
    require(np.any(slope != 0), "gradient-cut-off", message)
    expect(slope, want, "The gradient is finite, and wrong.", rtol=1e-2, label="wrong-gradient")


@wrong("spring-energy", "nan-gradient")
def masks_the_diagonal_afterwards(positions):
    apart = positions[:, None] - positions[None, :]
    distance = jnp.sqrt(jnp.sum(apart**2, axis=-1))
    energy = 0.5 * (distance - 1.0) ** 2
    itself = jnp.eye(len(positions), dtype=bool)
    return jnp.sum(jnp.where(itself, 0.0, energy)) / 2


@wrong("spring-energy", "nan-gradient")
def cleans_the_energy(positions):
    apart = positions[:, None] - positions[None, :]
    distance = jnp.where(jnp.eye(len(positions), dtype=bool), 1.0, jnp.linalg.norm(apart, axis=-1))
    return jnp.nan_to_num(jnp.sum(0.5 * (distance - 1.0) ** 2) / 2)


@wrong("spring-energy", "springs-to-itself")
def shifts_the_root_only(positions):
    squared = jnp.sum((positions[:, None] - positions[None, :]) ** 2, axis=-1)
    return jnp.sum(0.5 * (jnp.sqrt(squared + 1e-12) - 1.0) ** 2) / 2


@wrong("spring-energy", "gradient-cut-off")
def stops_the_distances(positions):
    apart = positions[:, None] - positions[None, :]
    distance = jax.lax.stop_gradient(jnp.sqrt(jnp.sum(apart**2, axis=-1)))
    itself = jnp.eye(len(positions), dtype=bool)
    return jnp.sum(jnp.where(itself, 0.0, 0.5 * (distance - 1.0) ** 2)) / 2


@wrong("spring-energy", "wrong-gradient")
def stops_half_of_the_atoms(positions):
    apart = positions[:, None] - jax.lax.stop_gradient(positions)[None, :]
    itself = jnp.eye(len(positions), dtype=bool)
    squared = jnp.where(itself, 1.0, jnp.sum(apart**2, axis=-1))
    return jnp.sum(0.5 * (jnp.sqrt(squared) - 1.0) ** 2) / 2


@wrong("spring-energy", "pairs-twice")
def forgets_to_halve(positions):
    apart = positions[:, None] - positions[None, :]
    itself = jnp.eye(len(positions), dtype=bool)
    squared = jnp.where(itself, 1.0, jnp.sum(apart**2, axis=-1))
    return jnp.sum(0.5 * (jnp.sqrt(squared) - 1.0) ** 2)


@wrong("spring-energy", "wrong-value")
def shifts_the_root_too_far(positions):
    squared = jnp.sum((positions[:, None] - positions[None, :]) ** 2, axis=-1)
    itself = jnp.eye(len(positions), dtype=bool)
    return jnp.sum(jnp.where(itself, 0.0, 0.5 * (jnp.sqrt(squared + 0.5) - 1.0) ** 2)) / 2


# -- refine-the-few ---------------------------------------------------------------------------------------------


def cond_in_a_loop(student_function, guesses, done):
    """Whether a `cond` stands in the body of a loop of JAX: a decision for each star, and not one for all."""

    def found(jaxpr, looped):
        for equation in jaxpr.eqns:
            name = str(equation.primitive)
            if looped and name == "cond":
                return True
            parts = jax.tree.leaves(list(equation.params.values()), is_leaf=lambda part: hasattr(part, "jaxpr"))
            inner = [getattr(part, "jaxpr", part) for part in parts]
            inside = looped or name in ("scan", "while")
            if any(found(part, inside) for part in inner if hasattr(part, "eqns")):
                return True
        return False

    return found(jax.make_jaxpr(student_function)(guesses, done), False)


@exercise(
    "refine-the-few",
    see="lab-silent",
    hint=[
        "What does `vmap` make of a `cond` with many truths? Look at `jax.make_jaxpr`.",
        "`jax.lax.map` goes one by one.",
    ],
)
def refine_the_few(answer, rng):
    guesses = rng.uniform(1.0, 3.0, size=5).astype(np.float32)
    done = np.array([True, True, False, True, False])
    want = np.where(done, guesses, np.sqrt(2)).astype(np.float32)
    expect(answer(guesses, done), want, "What is done should come back as it was, and the rest as the root.", rtol=1e-5)
    few = answer.probe(probe.primitives, guesses, done)
    many = answer.probe(probe.primitives, np.tile(guesses, 2), np.tile(done, 2))
    message = "There is no `cond` in the program, but a `select_n`: every star is refined, and most of it thrown away."
    require(few.get("cond", 0) >= 1, "both-branches-run", message, see="cond-under-vmap")
    message = "The loop over the stars is a Python loop: twice the stars, twice the program."
    require(sum(few.values()) == sum(many.values()), "unrolled", message, see="unrolling")
    message = "One `cond` decides for all stars together: if one of them needs the work, all get it."
    decides_for_each = answer.probe(cond_in_a_loop, guesses, done)
    require(decides_for_each, "one-truth-for-all", message, see="cond-under-vmap")


def refine_one(x):
    return jax.lax.fori_loop(0, 50, lambda _, x: 0.5 * (x + 2 / x), x)


@wrong("refine-the-few", "both-branches-run")
def maps_the_cond(guesses, done):
    def refine(x):
        return jax.lax.fori_loop(0, 50, lambda _, x: 0.5 * (x + 2 / x), x)

    def one(guess, done):
        return jax.lax.cond(done, lambda x: x, refine, guess)

    return jax.vmap(one)(guesses, done)


@wrong("refine-the-few", "both-branches-run")
def selects_afterwards(guesses, done):
    return jnp.where(done, guesses, refine_one(guesses))


@wrong("refine-the-few", "one-truth-for-all")
def asks_whether_all_are_done(guesses, done):
    return jax.lax.cond(done.all(), lambda x: x, lambda x: jnp.where(done, x, refine_one(x)), guesses)


@wrong("refine-the-few", "unrolled")
def loops_over_the_stars(guesses, done):
    pairs = zip(jnp.asarray(guesses), jnp.asarray(done), strict=True)
    return jnp.stack([jax.lax.cond(d, lambda x: x, refine_one, g) for g, d in pairs])


@wrong("refine-the-few", "wrong-value")
def turns_the_truth_around(guesses, done):
    return jax.lax.map(lambda pair: jax.lax.cond(pair[1], refine_one, lambda x: x, pair[0]), (guesses, done))


# -- pulse-phase ------------------------------------------------------------------------------------------------


def around(got, want):
    """How far two phases are apart on the circle, at most."""
    apart = np.abs(np.asarray(got, np.float64) - want) % 1
    return float(np.minimum(apart, 1 - apart).max())


@exercise(
    "pulse-phase",
    see="lab-silent",
    hint=["Print `t` in the first line. Do the pulses still lie at different times?", "Subtract while it is NumPy."],
)
def pulse_phase(answer, rng):
    start, period = 1.7e9 + rng.uniform(0, 1e6), 0.714
    times = start + np.sort(rng.uniform(0, 40, size=6))
    times[0] = start
    want = (times - start) / period % 1
    got = numbers(answer(times, period))
    require(got.shape == want.shape, "wrong-shape", f"One phase for each time: shape {want.shape}, not {got.shape}.")
    grid = np.float32(times)
    message = (
        f"In `float32` the times lie on a grid of {np.spacing(grid[0]):.0f} s: {len(set(grid.tolist()))} of 6 differ."
    )
    coarse = around(got, (grid - grid[0]).astype(np.float64) / period % 1)
    require(coarse > 1e-3, "rounded-before-subtracting", f"{message} The difference came too late.")
    whole = np.floor(times - start) / period % 1
    require(around(got, whole) > 1e-3, "whole-seconds", "The fractions of a second are gone: you made integers first.")
    cycles = (times - start) / period
    require(not close(got, cycles, rtol=1e-3), "counts-cycles", "Those are cycles. The phase is their fraction.")
    message = "The phase counts from the first pulse, as a fraction of the period."
    require(around(got, want) < 2e-3, "wrong-value", message)
    message = "Right, but those are 64 bits, by NumPy or by a switch. The phases should be a JAX array of `float32`."
    require(got.dtype == np.float32, "more-digits", message)


@wrong("pulse-phase", "rounded-before-subtracting")
def converts_first(times, period):
    t = jnp.asarray(times)
    elapsed = t - t[0]
    return (elapsed / period) % 1.0


@wrong("pulse-phase", "rounded-before-subtracting")
def subtracts_in_jit(times, period):
    return jax.jit(lambda t: (t - t[0]) / period % 1.0)(times)


@wrong("pulse-phase", "whole-seconds")
def keeps_whole_seconds(times, period):
    elapsed = jnp.asarray(np.floor(times - times[0]).astype(np.int32))
    return (elapsed / period) % 1.0


@wrong("pulse-phase", "counts-cycles")
def forgets_the_fraction(times, period):
    return jnp.asarray(times - times[0]) / period


@wrong("pulse-phase", "wrong-value")
def counts_from_1970(times, period):
    return jnp.asarray(times / period % 1)


@wrong("pulse-phase", "more-digits")
def stays_in_numpy_to_the_end(times, period):
    return (times - times[0]) / period % 1.0


@wrong("pulse-phase", "wrong-shape")
def gives_the_last_alone(times, period):
    return jnp.asarray(times[-1] - times[0]) / period % 1.0
