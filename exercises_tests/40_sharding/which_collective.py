"""which-collective."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from jaxcourse import probe
from jaxcourse.prediction import Mistake, any_of, anything_else, prediction

COLLECTIVES = ("none", "all-reduce", "all-gather", "all-to-all", "collective-permute")


def read_in_the_programs():
    """The collective of each program, read in what the compiler made of it."""
    a, rows = np.ones((16, 32), np.float32), probe.placing({"x": 8}, ["x"], mesh="argument", explicit=True)

    def laid(mesh, a, *spec):
        return jax.sharding.reshard(a, NamedSharding(mesh, P(*spec)))

    def product(mesh, a, b, *spec):
        return jnp.matmul(a, b, out_sharding=NamedSharding(mesh, P(*spec)))

    programs = {
        "jnp.exp(a) - a": lambda mesh, a: jnp.exp(a) - a,
        "a.max(axis=1)": lambda mesh, a: a.max(axis=1),
        "a.max(axis=0)": lambda mesh, a: a.max(axis=0),
        "jnp.cumsum(a, axis=1)": lambda mesh, a: jnp.cumsum(a, axis=1),
        "a.T @ a": lambda mesh, a: product(mesh, a.T, a),
        "a @ a.T": lambda mesh, a: product(mesh, a, a.T, "x"),
        "a, with the result cut by columns": lambda mesh, a: laid(mesh, a, None, "x"),
        "a, with the result whole on each device": lambda mesh, a: laid(mesh, a),
        "a.T, with the result cut by columns": lambda mesh, a: laid(mesh, a.T, None, "x"),
    }
    found = {name: probe.partitioned(program, rows, a)["collectives"] for name, program in programs.items()}
    return {name: next(iter(collectives), "none") for name, collectives in found.items()}


which_collective = prediction(
    "which-collective",
    see="predict-then-read",
    hint=[
        "Take one element of the result. Which elements does it need, and who has them?",
        "Sums and maxima of parts can be combined by an all-reduce. What every device must see whole takes an "
        "all-gather.",
    ],
    choices=COLLECTIVES,
    truth=read_in_the_programs,
    mistakes=[
        Mistake(
            "needs-nobody",
            [{"jnp.exp(a) - a": anything_else()}, {"a.max(axis=1)": anything_else()}],
            "Everything that one element of the result needs lies on its own device, because a row is whole there.",
        ),
        Mistake(
            "cumsum-on-the-wrong-axis",
            {"jnp.cumsum(a, axis=1)": anything_else()},
            "Along axis 1 a row is whole on its device, and its running sums need no other device.",
        ),
        Mistake(
            "column-is-spread",
            {"a.max(axis=0)": "none"},
            "A column is spread over all devices, so each has the maximum of its own rows only.",
        ),
        Mistake(
            "gathers-to-reduce",
            {"a.max(axis=0)": "all-gather"},
            "No device needs all rows. Eight maxima are combined into one, and that is a reduction.",
        ),
        Mistake(
            "products-exchanged",
            {"a.T @ a": "all-gather", "a @ a.T": "all-reduce"},
            "You exchanged the two. `a.T @ a` sums over rows, which are cut, so parts are added. In `a @ a.T` each "
            "row has to see all others.",
        ),
        Mistake(
            "sums-over-the-cut-axis",
            {"a.T @ a": anything_else()},
            "`a.T @ a` sums over the rows of `a`, which lie on all devices. So each has a part of every sum.",
        ),
        Mistake(
            "row-meets-all-rows",
            {"a @ a.T": anything_else()},
            "In `a @ a.T` each row is multiplied by all the others, complete. So every device must see all of `a`.",
        ),
        Mistake(
            "transpose-moves",
            {"a.T, with the result cut by columns": anything_else()},
            "The rows of `a` are the columns of `a.T`, so each element is on the right device already.",
        ),
        Mistake(
            "changes-layout-for-nothing",
            {"a, with the result cut by columns": "none"},
            "A device that holds rows has only a few elements of each column. The others must come to it.",
        ),
        Mistake(
            "gathers-to-cut",
            {"a, with the result cut by columns": any_of("all-gather", "collective-permute", "all-reduce")},
            "Each device needs its columns, and not everything. So every device sends a block to every other one.",
        ),
        Mistake(
            "copies-for-nothing",
            {"a, with the result whole on each device": "none"},
            "Each device has one piece of eight and must get the seven others.",
        ),
        Mistake(
            "sums-to-copy",
            {"a, with the result whole on each device": any_of("all-reduce", "all-to-all")},
            "Nothing is summed up here, and every device gets everything. The pieces are gathered.",
        ),
    ],
    otherwise="Take one element of the result. What does it need, and who has it?",
)
