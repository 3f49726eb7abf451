"""read-the-batch."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.prediction import Mistake, any_of, prediction


def counted_in_the_batch():
    """The six numbers, asked of JAX."""
    runs = []

    def f(w, x):
        runs.append(1)
        y = x
        for _ in range(2):
            y = jnp.sin(w.T @ (w @ y))
        return jnp.sum(y)

    mapped = jax.vmap(f, in_axes=(None, 0))
    w, xs = np.ones((3, 4), np.float32), np.ones((100, 4), np.float32)
    ran = {}
    for name, function in (("mapped", mapped), ("jax.jit(mapped)", jax.jit(mapped))):
        runs.clear()
        for _ in range(5):
            function(w, xs)
        ran[f"runs in five calls of {name}"] = len(runs)
    found = probe.primitives(mapped, w, xs)  # last: what is traced here, `jit` would not trace again
    facts = {name: found.get(name, 0) for name in ("dot_general", "sin", "reduce_sum")}
    return facts | {"scan and while": found.get("scan", 0) + found.get("while", 0)} | ran


read_the_batch = prediction(
    "read-the-batch",
    see="a-rewrite",
    hint=[
        "Write down the operations of one example first. `vmap` adds an axis to each of them.",
        "`vmap` alone keeps no program of the whole from one call to the next. `jit` does.",
    ],
    truth=counted_in_the_batch,
    mistakes=[
        Mistake(
            "one-for-each-example",
            [{"dot_general": any_of(400, 200, 100)}, {"sin": any_of(200, 100)}, {"reduce_sum": 100}],
            "The program of the batch does not repeat the operations for each example. It has those of one example, "
            "each with one more axis.",
        ),
        Mistake(
            "loop-over-the-examples",
            {"scan and while": any_of(1, 100, 2)},
            "There is no loop over the examples, because each operation works on all of them. Python's loop of two "
            "rounds ran while JAX traced the function.",
        ),
        Mistake(
            "rounds-not-counted",
            [{"dot_general": any_of(1, 2)}, {"sin": 1}],
            "The Python loop ran twice, with two products and a sine in each round.",
        ),
        Mistake(
            "vmap-does-not-compile",
            {"runs in five calls of mapped": 1},
            "`vmap` alone keeps no program of the whole. In every call Python runs the function again, to rewrite it.",
        ),
        Mistake(
            "python-runs-for-each",
            [
                {"runs in five calls of mapped": any_of(500, 100)},
                {"runs in five calls of jax.jit(mapped)": any_of(500, 100)},
            ],
            "Python runs the function once for all examples of a call. Its `x` is one tracer, which stands for the "
            "batch.",
        ),
        Mistake(
            "jit-keeps-it",
            {"runs in five calls of jax.jit(mapped)": any_of(5, 0)},
            "`jit` runs the function in the first call, and not again for the same shapes.",
        ),
    ],
    otherwise="Trace it for one example, and add an axis to every operation.",
)
