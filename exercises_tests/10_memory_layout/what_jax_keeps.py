"""what-jax-keeps: which statements about a JAX array, and about what NumPy makes of it, are true."""

import jax.numpy as jnp
import numpy as np

from jaxcourse.prediction import Mistake, prediction


def truths_about_jax():
    """The six statements, asked of JAX and of NumPy."""
    v = jnp.arange(12.0)
    w = v
    w += 1
    v.at[0].set(9.0)
    return {
        "after w = v; w += 1, v has changed": w is v or v.tolist() != list(range(12)),
        "v.at[0].set(9.0) leaves v as it was": float(v[0]) == 0.0,
        "np.asarray(v) can be written to": bool(np.asarray(v).flags.writeable),
        "np.array(v) can be written to": bool(np.array(v).flags.writeable),
        "np.asarray(v)[::2] has a stride of 8 bytes": np.asarray(v)[::2].strides == (8,),
        "v[::2] has a stride of 8 bytes": getattr(v[::2], "strides", None) == (8,),
    }


what_jax_keeps = prediction(
    "what-jax-keeps",
    see="in-jax",
    hint=[
        "A JAX array never changes: what does `+=` have to do?",
        "Of each line: is it about a JAX array, or about a NumPy array? Does that array own its memory?",
    ],
    truth=truths_about_jax,
    mistakes=[
        Mistake(
            "changed-in-place",
            {"after w = v; w += 1, v has changed": True},
            "Your answer holds for NumPy. Here `w += 1` makes a new array, and gives it the name `w`.",
        ),
        Mistake(
            "at-set-in-place",
            {"v.at[0].set(9.0) leaves v as it was": False},
            "You expected a change. `.at[...].set(...)` returns a new array, and the old one never changes.",
        ),
        Mistake(
            "numpy-can-write",
            {"np.asarray(v) can be written to": True},
            "You expected to write. `np.asarray(v)` may be the very memory of `v`, so it's marked read-only.",
            see="sharing",
        ),
        Mistake(
            "copies-are-locked",
            {"np.array(v) can be written to": False},
            "You expected a lock. `np.array` copies, and the copy is yours to write into.",
            see="sharing",
        ),
        Mistake(
            "no-strides-in-numpy",
            {"np.asarray(v)[::2] has a stride of 8 bytes": False},
            "`np.asarray(v)` is a NumPy array of `float32`, with a stride of 4 bytes. A step of two doubles it.",
        ),
        Mistake(
            "has-strides",
            {"v[::2] has a stride of 8 bytes": True},
            "You expected strides. `v[::2]` is a JAX array, and `strides` is no attribute of it.",
        ),
    ],
    otherwise="Your answer differs. Try the statement in a cell.",
)
