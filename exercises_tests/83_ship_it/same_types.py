"""same-types: two functions that give the same structure, shapes and dtypes, found out without running either."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, naming, refuse, require


def compared(student_function, new, old, shapes):
    """What an answer says of two functions, by their names, and whether one was run with numbers, or compiled."""
    seen = []

    def noted(function):
        def noting(*arrays):
            seen.append("tracer" if isinstance(arrays[0], jax.core.Tracer) else "numbers")
            return function(*arrays)

        return noting

    functions = {
        "double": lambda x, *rest: 2 * x,
        "add": lambda x, *rest: x + x,
        "row sums": lambda x, *rest: x.sum(axis=1),
        "column sums": lambda x, *rest: x.sum(axis=0),
        "kept sums": lambda x, *rest: x.sum(axis=1, keepdims=True),
        "row": lambda x, *rest: x.reshape(1, -1),
        "column": lambda x, *rest: x.reshape(-1, 1),
        "half": lambda x, *rest: x.astype(jnp.float16),
        "whole": lambda x, *rest: x.astype(jnp.int32),
        "pair": lambda x, *rest: (x, x.sum(axis=0)),
        "list": lambda x, *rest: [x, x.sum(axis=0)],
        "other pair": lambda x, *rest: (x + 1, x.max(axis=0)),
        "turned pair": lambda x, *rest: (x.sum(axis=0), x),
        "half pair": lambda x, *rest: (x, x.sum(axis=0).astype(jnp.float16)),
        "named": lambda x, *rest: {"a": x, "b": x[0]},
        "named else": lambda x, *rest: {"a": x, "c": x[0]},
        "named alike": lambda x, *rest: {"b": x[-1], "a": -x},
        "product": lambda x, y: x @ y,
        "turned": lambda x, y: (y.T @ x.T).T,
        "unturned": lambda x, y: y.T @ x.T,
    }
    described = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes]
    said = []
    made = probe.compiled(
        lambda: said.append(student_function(noted(functions[new]), noted(functions[old]), *described)), [()]
    )
    (same,) = said
    facts = {"is_bool": isinstance(same, (bool, np.bool_)), "said": bool(same) if isinstance(same, np.bool_) else same}
    facts["said"] = facts["said"] if facts["is_bool"] else type(same).__name__
    return facts | {"numbers": seen.count("numbers"), "runs": len(seen), "compiled": len(made[0])}


ALIKE = [("double", "add"), ("named", "named alike"), ("pair", "other pair"), ("double", "double")]
"""Functions of the same types, whose programs and numbers differ."""
OTHER_SHAPES = [("row sums", "kept sums"), ("row sums", "column sums"), ("row", "column")]
OTHER_DTYPES = [("double", "half"), ("double", "whole")]
OTHER_STRUCTURES = [("pair", "list"), ("named", "named else"), ("pair", "double"), ("double", "pair")]


def tells_types_apart(answer, rng):
    """Pairs of functions of the same types are told from others, and nothing is run.

    A function, since each pair has words of its own, and since it asks whether something was run.
    """
    shapes = [tuple(int(n) for n in rng.choice(np.arange(2, 9), 2, replace=False))]
    for pair in ALIKE:
        require(said_of(answer, *pair, shapes), "wrong-value/same")
    for pair in OTHER_SHAPES:
        refuse(said_of(answer, *pair, shapes), "shape")
    for pair in OTHER_DTYPES:
        refuse(said_of(answer, *pair, shapes), "dtype")
    for pair in OTHER_STRUCTURES:
        refuse(said_of(answer, *pair, shapes), "structure")
    refuse(said_of(answer, "pair", "half pair", shapes), "first-only")
    refuse(said_of(answer, "pair", "turned pair", shapes), "order")
    shapes = [(4, 5), (5, 3)]
    require(said_of(answer, "product", "turned", shapes), "wrong-value/two")
    refuse(said_of(answer, "product", "unturned", shapes), "wrong-value/two")


def said_of(answer, new, old, shapes):
    """What the answer says of two functions, if nothing was run for it."""
    with naming({"took-a-description": "ShapeDtypeStruct"}):
        facts = answer.probe(compared, new, old, shapes)
    answer.called = f"same_types({new.replace(' ', '_')}, {old.replace(' ', '_')}, *described)"
    require(facts["is_bool"], "not-a-bool", said=facts["said"])
    refuse(facts["numbers"], "run-with-numbers")
    refuse(facts["compiled"], "compiled")
    require(facts["runs"], "not-traced")
    return facts["said"]


def needs_no_memory(answer, rng):
    """Descriptions of what no memory holds are no harder.

    A function, since there is nothing to compare but that no exception came.
    """
    facts = answer.probe(compared, "double", "add", [(10**7, 10**8)])
    require(facts["said"], "wrong-value/same")


WORDS = """
hint: Which function of JAX traces a function with descriptions, and gives descriptions back?
hint: `jax.eval_shape(new, *described)` has the structure of the result, and can be compared by `==`.
not-a-bool: `True` or `False` is asked for, and an object of type `{said}` came back.
took-a-description: A description has no numbers, and cannot be computed with. A function that traces takes it.
run-with-numbers: You ran a function with numbers. There may be no memory for these, and descriptions are enough.
compiled: Something was compiled or run. Types are known after the trace.
not-traced: Neither function was looked at.
wrong-value/same: Both give the same types here, although their programs and numbers differ, and you said `False`.
wrong-value/two: With two arguments the answer is another one.
shape: The shapes differ, and you said `True`.
dtype: The dtypes differ, and you said `True`.
structure: The structures differ, such as a tuple and a list, other names, or one array and two, and you said `True`.
order: Both give a pair of the same two shapes, and the second begins with what is last in the first. You said `True`.
first-only: Both give a pair, and the second arrays differ in their dtype. You said `True`.
"""

same_types = declare(
    "same-types",
    see="tests-of-programs",
    steps=[tells_types_apart, needs_no_memory],
    words=WORDS,
)
