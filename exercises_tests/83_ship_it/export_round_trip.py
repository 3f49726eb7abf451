"""export-round-trip: a program with an open axis, exported."""

import jax
import jax.export
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, naming, refuse, require
from jaxcourse.exercise import is_close


def exported_facts(student_function, columns, tables):
    """What an export says that it takes, and what it returns for arrays of several lengths."""

    def centred_sums(x):  # all rows count for each
        return jnp.sin(x - x.mean(axis=0)).sum(axis=1)

    def away_from_the_first(x):
        return x * x - x[:1]

    exported = student_function(centred_sums, columns)
    if not isinstance(exported, jax.export.Exported):
        return {"type": type(exported).__name__}
    facts = {"type": "Exported", "dtype": "", "takes": ", ".join(map(str, exported.in_avals))}
    if len(exported.in_avals) != 1 or len(exported.in_avals[0].shape) != 2:
        return facts
    (taken,) = exported.in_avals
    facts |= {"dtype": str(taken.dtype), "columns": str(taken.shape[1])}
    arrays = probe.on_device([np.asarray(table, taken.dtype) for table in tables])
    for x in arrays:
        try:
            jax.eval_shape(exported.call, x)
        except ValueError:
            return facts | {"refused": len(x)}
    again = student_function(away_from_the_first, columns)
    # All lengths are called in one program: each program of its own would have its open axis closed, and be compiled.
    both = jax.jit(lambda arrays: ([exported.call(x) for x in arrays], again.call(arrays[2])))
    results, facts["again"] = jax.tree.map(np.asarray, both(arrays))
    return facts | {"results": list(results)}


def takes_what_jit_gives(error):
    """Whether JAX says that it exports the result of `jit` alone."""
    return "result of" in error.raised.message and "jit" in error.raised.message


def some_rows(length, columns):
    """Small numbers, which are exact in `float32`."""
    return np.arange(length * columns).reshape(length, columns) ** 2 % 11 / 4


def exported_with_open_rows(answer, rng):
    """What is exported takes any number of rows, and gives what the function gives.

    A function, since what came back is a program: what it says that it takes, and what it refuses, is asked.
    """
    for columns in (int(rng.integers(11, 15)), 1):
        lengths = [1, 2, max(columns, 3), int(rng.integers(10, 20)) * 2 + 1, 70_001][: 5 if columns > 1 else 3]
        tables = [some_rows(length, columns) for length in lengths]
        with naming({"not-jitted": takes_what_jit_gives, "axis-not-symbolic": "abstract array"}):
            facts = answer.probe(exported_facts, columns, tables)
        answer.called = f"export_round_trip(function, {columns})"
        require(facts["type"] == "Exported", "not-exported", type=facts["type"])
        require(facts["dtype"], "wrong-arguments", takes=facts["takes"])
        require(facts["dtype"] == "float32", "other-dtype", takes=facts["takes"])
        other = facts["columns"].isdigit() and facts["columns"] != str(columns)
        refuse(other, "other-columns", takes=facts["takes"], columns=columns)
        rows = f"{facts.get('refused')} row{'s' * (facts.get('refused') != 1)}"
        refuse("refused" in facts, "axis-closed", takes=facts["takes"], rows=rows)
        for x, got in zip(tables, facts["results"], strict=True):
            want = np.sin(x - x.mean(axis=0)).sum(axis=1)
            expect(got, want, "wrong-value", rtol=1e-4)
        require(facts["columns"] == str(columns), "columns-open", takes=facts["takes"], columns=columns)
        require(is_close(facts["again"], tables[2] ** 2 - tables[2][:1]), "one-function-only")


WORDS = """
hint: `jax.export.symbolic_shape("n, 3")` is a shape with an open axis.
hint: Only compiled functions can be exported: `jax.jit` first.
not-jitted: `jax.export.export` takes what `jax.jit` gives, as it is. A plain function or a later stage will not do.
axis-not-symbolic: You passed something that describes no array. `jax.ShapeDtypeStruct` takes a shape and a dtype. Each
    entry of the shape is a number, or an axis from the tuple that `jax.export.symbolic_shape` returns.
not-exported: Return what `jax.export.export(...)(...)` gives, not an object of type `{type}`.
wrong-arguments: Your program takes `{takes}`. It should take one array, with rows and columns.
other-dtype: Your program takes `{takes}`. The dtype should be `float32`.
other-columns: Your program takes `{takes}`, and `columns` is {columns}.
axis-closed: Your program takes `{takes}`, and refused {rows}. The first axis should be open to any number from 1 on.
wrong-value: What comes back should be what the function gives.
columns-open: Your program takes `{takes}`, with any number of columns. There are {columns}, so write that number into
    the shape, for instance with an f-string.
one-function-only: Your program is right for one function. Another one, exported afterwards for as many columns, gives
    something else.
"""

export_round_trip = declare(
    "export-round-trip",
    points=2,
    see="export-a-program",
    steps=[exported_with_open_rows],
    words=WORDS,
)
