"""count-prints."""

import contextlib
import io

import jax
import jax.numpy as jnp

from jaxcourse.prediction import Mistake, anything_else, prediction


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
    hint=[
        "When does Python run? `print` is Python, so it prints then.",
        "Which of the two branches must Python look at?",
    ],
    truth=true_prints,
    mistakes=[
        Mistake(
            "prints-every-call",
            {"print, jit, ten calls with one shape": anything_else(10)},
            "Python runs only for the first call. The other nine replay the record, and `print` is not in it.",
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
            "JAX traces the step of a scan once, however often it runs.",
        ),
        Mistake(
            "cond-traces-one-branch",
            {"print in both branches of a cond, one call": anything_else(1)},
            "The program chooses the branch when it runs. Python has to trace both before that.",
        ),
    ],
    otherwise="When does Python run?",
)
