"""born-split."""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, naming, refuse, require, where_it_runs

from ._lesson import AUTO_OR_EXPLICIT, TOO_MANY_ENTRIES, UNKNOWN_NAME, parts, require_float32, require_layout
from ._lesson import WORDS as LESSON


def born(student_function, axes, shapes, seed, explicit):
    """What an answer makes of an `init` that gives arrays of some shapes, and who holds what at the program's end."""

    def table(shape, key):
        return jnp.arange(math.prod(shape), dtype=jnp.float32).reshape(shape) + jax.random.key_data(key)[-1]

    def init(key):
        alone_at.append(not isinstance(key, jax.core.Tracer))
        return {name: table(shape, key) for name, shape in shapes.items()} if len(shapes) > 1 else table(alone, key)

    alone, alone_at = next(iter(shapes.values())), []
    mesh = probe.prepared(lambda mesh: mesh, probe.placing(axes, mesh="argument", explicit=explicit), [])[0]()
    made, key = student_function(init, mesh), jax.random.key(seed)
    if not callable(made):
        return {"made": type(made).__name__}
    tried = any(alone_at)
    ahead = hasattr(made, "memory_analysis")  # compiled ahead of time: a program, and no more a function of `jit`
    result = (made if ahead else probe.jitted(made).lower(key).compile())(key)
    named = result if isinstance(result, dict) else {"": result}
    if any(len(probe.pieces(leaf)) != 1 for leaf in named.values()):
        return {"made": "function", "names": []}
    return {
        "made": "function",
        "tried": tried,
        "jitted": ahead or hasattr(made, "lower"),
        "names": sorted(named),
        "pieces": {name: probe.pieces(leaf)[0]["pieces"] for name, leaf in named.items()},
        "values": {name: np.asarray(leaf) for name, leaf in named.items()},
        "eager": [leaf["pieces"] for leaf in probe.pieces(made(key))],
    }


def _judge_born(facts, axes, shapes, seed):
    require(facts["names"] == sorted(shapes), "other-structure")
    born_whole = any(len(parts(pieces)) <= 1 for pieces in facts["pieces"].values())
    refuse(born_whole and all(len(parts(pieces)) > 1 for pieces in facts["eager"]), "cut-afterwards")
    refuse(any(len(pieces) <= 1 for pieces in facts["pieces"].values()), "born-whole")
    refuse(born_whole, "copies")
    for name, shape in shapes.items():
        what = f"`{name}`" if name else "Your result"
        require_layout(facts["pieces"][name], axes, ["x"], shape, what=what)
        want = seed + np.arange(math.prod(shape), dtype=np.float32).reshape(shape)
        require_float32(facts["values"][name])
        expect(facts["values"][name], want, "wrong-value")
    refuse(facts["tried"], "tried-out")
    require(facts["jitted"], "not-jitted")


def split_from_the_beginning(answer, rng):
    """Arrays that are born in pieces, by a program that holds no whole one.

    A function, since what is compared is who holds what, and what the program needed for it.
    """
    where_it_runs(functools.partial(_born_on, answer, rng), AUTO_OR_EXPLICIT)


def _born_on(answer, rng, kind):
    for axes in ({"x": 8}, {"x": 2}):
        for shapes in ({"": (16, 8)}, {"": (24,)}, {"bias": (8,), "weights": (16, 3)}):
            seed = int(rng.integers(1000))
            answer.called = f"born_split(init, mesh), where init gives {' and '.join(map(str, shapes.values()))}"
            with (
                naming({"layout-refused/each": "pytree structure"}),
                naming({"layout-refused/names": UNKNOWN_NAME, "layout-refused/entries": TOO_MANY_ENTRIES}),
            ):
                facts = answer.probe(born, axes, shapes, seed, kind == "Explicit")
            require(facts["made"] == "function", "not-a-function", made=facts["made"])
            _judge_born(facts, axes, shapes, seed)


WORDS = """
hint: An array that is created inside `jit` has no argument to follow. Who can say where it should lie?
hint: `jax.jit(init, out_shardings=...)`. One sharding may stand for all leaves.
other-structure: Return what `init` returns, in the same structure.
cut-afterwards: Your program makes whole arrays, and cuts them up afterwards. There is still a moment when one device
    holds everything.
born-whole: Your arrays are born whole, on one device, because nothing that takes effect lays them out. A constraint
    *returns* the value that it cuts.
copies: Your program makes a whole array on each device. `P()` asks for that, and a `device_put` inside `jit` doesn't
    cut an array that is created there.
wrong-value: Your numbers should be those of `init`, for the key that is given.
tried-out: Your code ran `init` by itself first, and its arrays lay whole on one device. `jax.eval_shape` gives shapes
    without making arrays, and one sharding may stand for all leaves.
not-jitted: You returned a Python function. Between its operations, or programs that it calls, a whole array may lie on
    one device. Return the function that `jax.jit` returns.
layout-refused/entries: JAX refused your layout, because a spec has more entries than its array has axes. `init` may
    give an array with one axis, and a key has none.
layout-refused/each: Your shardings don't have the structure of the result of `init`. One sharding may stand for all
    leaves.
not-a-function: You returned an object of type `{made}`. Return the compiled function, not its result.
"""

born_split = declare(
    "born-split",
    see="layouts-in-programs",
    steps=[split_from_the_beginning],
    words=(LESSON, WORDS),
)
