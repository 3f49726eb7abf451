"""silent-or-loud."""

import jax
import jax.numpy as jnp

from jaxcourse.prediction import Mistake, anything_else, prediction, raised_by


def true_volumes():
    """Whether each of the ten mistakes raises anything, tried here."""
    x, key, factors = jnp.arange(4.0), jax.random.key(0), [2.0]

    def changes_what_it_read():
        scaled = jax.jit(lambda x: x * sum(factors))
        scaled(x)
        factors.append(3.0)
        scaled(x)

    mistakes = {
        "x[0] = 1.0": lambda: x.__setitem__(0, 1.0),
        "x.at[0].set(1.0) on a line of its own": lambda: x.at[0].set(1.0),
        "x.at[-7].add(1.0), where x has 4 elements": lambda: x.at[-7].add(1.0),
        "jnp.sum([1.0, 2.0])": lambda: jnp.sum([1.0, 2.0]),
        "the same key for two draws": lambda: jax.random.normal(key) + jax.random.uniform(key),
        "jnp.asarray(2**40)": lambda: jnp.asarray(2**40),
        "(n, 1) predictions minus (n,) measurements": lambda: x[:, None] - x,
        "if c > 0: in the body of a scan, without jit": lambda: jax.lax.scan(
            lambda c, _: (c if c > 0 else -c, None), 1.0, length=3
        ),
        "a scan whose carry grows": lambda: jax.lax.scan(lambda c, s: (jnp.append(c, s), s), jnp.zeros(1), x),
        "a global that changes after the first call": changes_what_it_read,
    }
    return {name: "silent" if raised_by(mistake) == "no error" else "loud" for name, mistake in mistakes.items()}


silent_or_loud = prediction(
    "silent-or-loud",
    see="silent-failures",
    hint=["JAX can notice a wrong type or a wrong shape. A wrong *value* is a value like any other."],
    choices=["silent", "loud"],
    truth=true_volumes,
    mistakes=[
        Mistake(
            "bounds-are-checked",
            {"x.at[-7].add(1.0), where x has 4 elements": anything_else()},
            "You expected an error. By default a program doesn't check its indices: it drops a write out of bounds.",
        ),
        Mistake(
            "lost-update-is-noticed",
            {"x.at[0].set(1.0) on a line of its own": anything_else()},
            "You expected an error. An expression whose result you don't use is legal Python: only assigning raises.",
        ),
        Mistake(
            "keys-are-watched",
            {"the same key for two draws": anything_else()},
            "You expected an error. JAX doesn't count who has used a key, unless you switch the checker on.",
        ),
        Mistake(
            "python-integers-wrap",
            {"jnp.asarray(2**40)": anything_else()},
            "You expected silence, as for a NumPy array, which loses its upper bits. JAX looks at a Python number "
            "before there is an array, and refuses one that doesn't fit.",
        ),
        Mistake(
            "broadcasting-is-noticed",
            {"(n, 1) predictions minus (n,) measurements": anything_else()},
            "You expected an error. Both shapes fit, by broadcasting: JAX gives a table of all differences.",
        ),
        Mistake(
            "globals-are-watched",
            {"a global that changes after the first call": anything_else()},
            "You expected an error. JAX doesn't compare the global with the trace: the program keeps the old one.",
        ),
        Mistake(
            "only-jit-traces",
            {"if c > 0: in the body of a scan, without jit": anything_else()},
            "You expected silence. `scan` traces its body even without `jit`, and a tracer is neither true nor false.",
            see="tracer-errors",
        ),
    ],
    otherwise="Your answer differs. Try the line in a cell.",
)
