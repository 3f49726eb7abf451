"""Checks of lesson 15, Sharding: what is asked, what people get wrong, and what each mistake is told."""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from jaxcourse import probe
from jaxcourse.exercise import close, equivalent, exercise, expect, numbers, refuse, require, right, wrong
from jaxcourse.prediction import Mistake, any_of, anything_else, prediction

REFUSED = ["ValueError", "IndivisibleError"]
"""What JAX raises where a layout does not fit the mesh or the array."""


def held(axes, spec, shape):
    """Who holds what, by arithmetic: each device's position and its ranges, as `probe.held` says them."""
    names, sizes = list(axes), tuple(axes.values())
    cuts = [[entry] if isinstance(entry, str) else list(entry or []) for entry in spec]
    cuts += [[]] * (len(shape) - len(cuts))
    found = []
    for device in range(math.prod(sizes)):
        place = dict(zip(names, np.unravel_index(device, sizes), strict=True))
        ranges = []
        for n, cut in zip(shape, cuts, strict=True):
            part = 0
            for name in cut:
                part = part * axes[name] + int(place[name])
            length = n // math.prod(axes[name] for name in cut)
            ranges.append([part * length, (part + 1) * length])
        found.append([device, ranges])
    return found


def written(axes):
    """A mesh in words, for messages."""
    return " and ".join(f"{size} devices along `{name}`" for name, size in axes.items())


def parts(pieces):
    """The different pieces, whoever holds them."""
    return {str(ranges) for _, ranges in pieces}


def misplaced(pieces, axes, spec, shape, what="The result"):
    """In words, how an array lies that should lie by a spec; an empty text if it does."""
    want = held(axes, spec, shape)
    few, many, mesh = len(parts(pieces)), len(parts(want)), f"(mesh: {written(axes)})"
    if pieces == want:
        return ""
    if len(pieces) != len(want):
        return f"{what} lies on {len(pieces)} of {len(want)} devices {mesh}. Place it on the whole mesh that is given."
    if few == 1:
        return f"{what} is a copy on each device, not cut {mesh}."
    if parts(pieces) == parts(want):
        return f"{what} has the right pieces, but on other devices {mesh}: the first name in a tuple is the slow one."
    return f"{what} is cut into {few} different pieces, and should have {many}, cut as the task says {mesh}."


def pieces_of(found):
    """Who holds what of a result that should be one array; nothing if it is not."""
    return found[0]["pieces"] if len(found) == 1 else []


def require_float32(got):
    """Require that the numbers of a result have the dtype of those that came in."""
    dtype = str(numbers(got).dtype)
    require(dtype == "float32", "other-dtype", f"`float32` came in, and `{dtype}` came back: the digits are lost.")


def require_only(collectives, allowed, label, message):
    """Require that a program contains no collective but some."""
    odd = [name for name in collectives if name not in allowed]
    refuse(odd, label, f"The compiled program contains {' and '.join(odd)}. {message}")


# -- bytes-held -------------------------------------------------------------------------------------------------


def bytes_on_each_device():
    """The counts, from who holds what."""
    axes, shape = {"x": 4, "y": 2}, (16, 32)
    specs = {
        'P("x", None)': ["x"],
        'P(None, "y")': [None, "y"],
        'P("x", "y")': ["x", "y"],
        'P(("x", "y"), None)': [["x", "y"]],
        "P()": [],
    }
    sizes = {
        name: 4 * math.prod(stop - start for start, stop in held(axes, spec, shape)[0][1])
        for name, spec in specs.items()
    }
    return sizes | {'different pieces of P(None, "y")': len(parts(held(axes, [None, "y"], shape)))}


bytes_held = prediction(
    "bytes-held",
    see="a-mesh-names-devices",
    hint=[
        "How many bytes has the whole? An element of `float32` has four.",
        "Divide by the sizes of the mesh axes that the spec names. An axis that it does not name makes copies.",
    ],
    truth=bytes_on_each_device,
    mistakes=[
        Mistake(
            "counted-elements",
            [{'P("x", None)': 128}, {"P()": 512}, {'P("x", "y")': 64}],
            "That is the number of elements. Each has four bytes.",
        ),
        Mistake(
            "eight-bytes",
            [{"P()": 4096}, {'P("x", "y")': 512, 'P(("x", "y"), None)': 512}],
            "An element of `float32` has four bytes; eight are those of `float64`.",
        ),
        Mistake(
            "always-over-all",
            [{'P("x", None)': 256}, {'P(None, "y")': 256}, {"P()": 256}],
            "Only the axes that the spec names cut the array. Along the others each device has a copy.",
        ),
        Mistake(
            "axes-exchanged",
            [{'P("x", None)': 1024}, {'P(None, "y")': 512}],
            "`x` has four devices and `y` two, and each name stands at the axis of the array that it cuts.",
        ),
        Mistake(
            "pieces-are-devices",
            {'different pieces of P(None, "y")': any_of(8, 4)},
            "Devices that differ only along `x` hold the same columns, so there are as many pieces as devices along "
            "`y`.",
        ),
        Mistake(
            "tuple-cuts-once",
            {'P(("x", "y"), None)': any_of(512, 1024, 2048)},
            "A tuple cuts one axis of the array by both axes of the mesh: into eight.",
        ),
    ],
    otherwise="2048 bytes, over the number of pieces.",
)

# -- rows-over-all ----------------------------------------------------------------------------------------------

MESHES = ({"x": 8}, {"a": 4, "b": 2}, {"x": 2}, {"row": 2, "col": 4}, {"p": 2, "q": 2, "r": 2})
BACKWARDS = ({"x": 2}, {"row": 2, "col": 4})
"""Those whose devices are in the opposite order, so that the order of the mesh is not that of their numbers."""


@exercise(
    "rows-over-all",
    see="a-mesh-names-devices",
    hint=["Several names in one tuple cut one axis of the array.", "A mesh knows its names: `mesh.axis_names`."],
)
def rows_over_all(answer, rng):
    for axes in MESHES:
        for shape, dtype in [((16, 3), np.float32), ((8,), np.int32), ((24, 8, 8), np.float16), ((16,), bool)]:
            x, other = (rng.integers(-9, 9, size=shape).clip(0 if dtype is bool else -9).astype(dtype) for _ in "ab")
            placed = probe.placing(axes, mesh="argument", backwards=axes in BACKWARDS)
            found, refused = answer.attempt(probe.held, placed, x, expected=REFUSED)
            answer.called = f"rows_over_all(mesh, {x.dtype}{list(shape)})"
            message = (
                "Each name of the mesh cuts another axis of the array. All of them should cut axis 0: put them into "
                "one tuple, `P(names)`, and not `P(*names)`."
            )
            refuse(refused and _spreads_the_names(answer, placed, axes), "name-for-each-axis", message)
            message = f"JAX refused the layout for {shape} on a mesh of {written(axes)}: take the names from the mesh, "
            message += "and cut axis 0 alone."
            refuse(refused, "layout-refused", message)
            _judge_rows(pieces_of(found), axes, shape)
            got = answer.probe(probe.on_mesh, placed, other)
            expect(got, other, "The numbers should be those of `x`, in their order.")
            message = f"`x` is an array of `{x.dtype}`, and `{got.dtype}` came back: placing changes no dtype."
            require(got.dtype == x.dtype, "other-dtype", message)


def _spreads_the_names(answer, placed, axes):
    """Whether each axis of a mesh cuts another axis of an array that has enough of them."""
    wide, _ = answer.attempt(probe.held, placed, np.zeros((8, 8, 8), np.float32), expected=REFUSED)
    return wide and len(axes) > 1 and pieces_of(wide) == held(axes, list(axes), (8, 8, 8))


def _judge_rows(pieces, axes, shape):
    want, mesh = held(axes, [list(axes)], shape), f"(mesh: {written(axes)})"
    message = f"The result does not lie on the {len(want)} devices of the mesh. Place one array, on the mesh you get."
    require(len(pieces) == len(want), "not-on-mesh", message)
    message = f"Axis 0 is not cut, but another axis is {mesh}."
    refuse(len(parts(pieces)) > 1 and all(r[0] == [0, shape[0]] for _, r in pieces), "other-axis", message)
    words = misplaced(pieces, axes, [list(axes)], shape)
    refuse(len(parts(pieces)) == 1, "copies", words)
    message = "The devices are in the order of their numbers. The mesh that you get has an order of its own: keep it."
    turned = axes in BACKWARDS and [ranges for _, ranges in pieces[::-1]] == [ranges for _, ranges in want]
    refuse(turned, "order-of-numbers", message)
    refuse(parts(pieces) == parts(want) and words, "other-order", words)
    refuse(words, "other-cut", words)


@right("rows-over-all")
def through_a_flat_mesh(mesh, x):
    flat = jax.sharding.Mesh(mesh.devices.flatten(), ("all",))
    return jax.device_put(jnp.asarray(x), NamedSharding(flat, P("all")))


@right("rows-over-all")
def compiled_and_placed(mesh, x):
    sharding = NamedSharding(mesh, P(tuple(mesh.shape), *[None] * (x.ndim - 1)))
    return jax.jit(lambda x: x, out_shardings=sharding)(x)


@wrong("rows-over-all", "other-dtype")
def makes_float32_of_all(mesh, x):
    return jax.device_put(np.asarray(x, np.float32), NamedSharding(mesh, P(mesh.axis_names)))


@wrong("rows-over-all", "name-for-each-axis")
def spreads_the_names_over_the_axes(mesh, x):
    return jax.device_put(x, NamedSharding(mesh, P(*mesh.axis_names)))


@wrong("rows-over-all", "other-cut")
def takes_the_first_name(mesh, x):
    return jax.device_put(x, NamedSharding(mesh, P(mesh.axis_names[0])))


@wrong("rows-over-all", "other-order")
def reverses_the_names(mesh, x):
    return jax.device_put(x, NamedSharding(mesh, P(mesh.axis_names[::-1])))


@wrong("rows-over-all", "layout-refused")
def always_says_x(mesh, x):
    return jax.device_put(x, NamedSharding(mesh, P("x")))


@wrong("rows-over-all", "copies")
def makes_copies(mesh, x):
    return jax.device_put(x, NamedSharding(mesh, P()))


@wrong("rows-over-all", "not-on-mesh")
def leaves_it_on_one_device(mesh, x):
    return jnp.asarray(x)


@wrong("rows-over-all", "order-of-numbers")
def sorts_the_devices(mesh, x):
    devices = sorted(mesh.devices.flat, key=lambda device: device.id)
    ordered = jax.sharding.Mesh(np.reshape(devices, mesh.devices.shape), mesh.axis_names)
    return jax.device_put(x, NamedSharding(ordered, P(mesh.axis_names)))


@wrong("rows-over-all", "not-on-mesh")
def takes_all_devices_there_are(mesh, x):
    flat = jax.sharding.Mesh(np.array(jax.devices()), ("all",))
    return jax.device_put(x, NamedSharding(flat, P("all")))


@wrong("rows-over-all", "other-axis")
def cuts_the_last_axis(mesh, x):
    last = NamedSharding(mesh, P(*[None] * (x.ndim - 1), mesh.axis_names))
    return jax.device_put(x, last if x.shape[-1] % mesh.size == 0 else NamedSharding(mesh, P(mesh.axis_names)))


@wrong("rows-over-all", "wrong-value")
def deals_rows_in_turn(mesh, x):
    x = np.concatenate([x[start :: mesh.size] for start in range(mesh.size)])
    return jax.device_put(x, NamedSharding(mesh, P(mesh.axis_names)))


# -- sine-by-columns --------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def inside(student_function, placed, *args):
    """The answer's result when it is called inside `jax.jit`, with its mesh."""
    function, given, context = probe.prepared(student_function, placed, args)
    with context:
        return jax.jit(function)(*given)


@exercise(
    "sine-by-columns",
    see="layouts-in-programs",
    hint=["What did `device_put` do inside `jit`?", "`jax.lax.with_sharding_constraint(value, sharding)`"],
)
def sine_by_columns(answer, rng):
    for axes, shape in (({"x": 8}, (16, 8)), ({"x": 4}, (8, 8)), ({"x": 2}, (8, 24))):
        x = rng.normal(size=shape).astype(np.float32)
        placed = probe.placing(axes, ["x"], mesh="argument")
        facts = answer.probe(probe.partitioned, placed, x)
        answer.called = f"jit(sine_by_columns)(mesh, float32{list(shape)})"
        pieces = pieces_of(facts["pieces"])
        message = (
            "The result is still cut by rows, as `x` came. Inside `jit`, `device_put` is ignored on an Auto mesh. "
            "`jax.lax.with_sharding_constraint` returns the value that is cut as you say: go on with that one."
        )
        refuse(pieces == held(axes, ["x"], shape), "still-rows", message)
        got = answer.probe(inside, placed, x)
        require_float32(got)
        expect(got, np.sin(x), "Each number should be the sine of that of `x`.")
        words = misplaced(pieces, axes, [None, "x"], shape)
        refuse(words, "other-layout", words)


@right("sine-by-columns")
def constrains_the_argument(mesh, x):
    return jnp.sin(jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(None, "x"))))


@right("sine-by-columns")
def an_inner_program(mesh, x):
    return jax.jit(jnp.sin, out_shardings=NamedSharding(mesh, P(None, "x")))(x)


@wrong("sine-by-columns", "still-rows")
def puts_the_result(mesh, x):
    return jax.device_put(jnp.sin(x), NamedSharding(mesh, P(None, "x")))


@wrong("sine-by-columns", "still-rows")
def drops_what_is_constrained(mesh, x):
    y = jnp.sin(x)
    jax.lax.with_sharding_constraint(y, NamedSharding(mesh, P(None, "x")))
    return y


@wrong("sine-by-columns", "still-rows")
def says_nothing_of_a_layout(mesh, x):
    return jnp.sin(x)


@wrong("sine-by-columns", "still-rows")
def constrains_by_rows(mesh, x):
    return jax.lax.with_sharding_constraint(jnp.sin(x), NamedSharding(mesh, P("x", None)))


@wrong("sine-by-columns", "other-layout")
def gathers_it(mesh, x):
    return jax.lax.with_sharding_constraint(jnp.sin(x), NamedSharding(mesh, P(None, None)))


@wrong("sine-by-columns", "wrong-shape")
def transposes_it(mesh, x):
    return jax.lax.with_sharding_constraint(jnp.sin(x).T, NamedSharding(mesh, P(None, "x")))


@wrong("sine-by-columns", "wrong-value")
def forgets_the_sine(mesh, x):
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(None, "x")))


@wrong("sine-by-columns", "other-dtype")
def the_sine_in_half_the_digits(mesh, x):
    return constrains_the_argument.answer(mesh, x).astype(jnp.float16)


# -- born-split -------------------------------------------------------------------------------------------------


def born(student_function, axes, shapes, seed):
    """What an answer makes of an `init` that gives arrays of some shapes, and who holds what at the program's end."""

    def table(shape, key):
        return jnp.arange(math.prod(shape), dtype=jnp.float32).reshape(shape) + jax.random.key_data(key)[-1]

    def init(key):
        alone_at.append(not isinstance(key, jax.core.Tracer))
        return {name: table(shape, key) for name, shape in shapes.items()} if len(shapes) > 1 else table(alone, key)

    alone, alone_at = next(iter(shapes.values())), []
    mesh = probe.prepared(lambda mesh: mesh, probe.placing(axes, mesh="argument"), [])[0]()
    made, key = student_function(init, mesh), jax.random.key(seed)
    if not callable(made):
        return {"made": type(made).__name__}
    tried = any(alone_at)
    ahead = hasattr(made, "memory_analysis")  # compiled ahead of time: a program, and no more a function of `jit`
    result = (made if ahead else probe.jitted(made).lower(key).compile())(key)
    named = result if isinstance(result, dict) else {"": result}
    return {
        "made": "function",
        "tried": tried,
        "jitted": ahead or hasattr(made, "lower"),
        "names": sorted(named),
        "pieces": {name: probe.pieces(leaf)[0]["pieces"] for name, leaf in named.items()},
        "values": {name: np.asarray(leaf) for name, leaf in named.items()},
        "eager": [leaf["pieces"] for leaf in probe.pieces(made(key))],
    }


@exercise(
    "born-split",
    see="layouts-in-programs",
    hint=[
        "An array that is created inside `jit` has no argument to follow. Who can say where it should lie?",
        "`jax.jit(init, out_shardings=...)`. One sharding may stand for all leaves.",
    ],
)
def born_split(answer, rng):
    for axes in ({"x": 8}, {"x": 2}):
        for shapes in ({"": (16, 8)}, {"": (24,)}, {"bias": (8,), "weights": (16, 3)}):
            seed = int(rng.integers(1000))
            facts, refused = answer.attempt(born, axes, shapes, seed, expected=REFUSED)
            answer.called = f"born_split(init, mesh), where init gives {' and '.join(map(str, shapes.values()))}"
            message = "JAX refused the layout. `init` may give an array with one axis: say nothing about a second one."
            if len(shapes) > 1:
                message = "This fails where `init` gives a dictionary of arrays: each of them is to be cut."
            refuse(refused, "layout-refused", message)
            message = f"Return the compiled function, not what it gives: an object of type `{facts['made']}` came back."
            require(facts["made"] == "function", "not-a-function", message)
            _judge_born(facts, axes, shapes, seed)


def _judge_born(facts, axes, shapes, seed):
    require(facts["names"] == sorted(shapes), "other-structure", "Return what `init` returns, in the same structure.")
    born_whole = any(len(parts(pieces)) <= 1 for pieces in facts["pieces"].values())
    message = (
        "The program makes whole arrays, and they were cut up afterwards: there is still a moment when one device "
        "holds everything."
    )
    refuse(born_whole and all(len(parts(pieces)) > 1 for pieces in facts["eager"]), "cut-afterwards", message)
    message = "The arrays are born whole, on one device: nobody said where they should lie."
    refuse(any(len(pieces) <= 1 for pieces in facts["pieces"].values()), "born-whole", message)
    message = "Each device makes a copy of everything. Inside `jit`, `device_put` does not cut what is created there."
    refuse(born_whole, "copies", message)
    for name, shape in shapes.items():
        what = f"`{name}`" if name else "The result"
        words = misplaced(facts["pieces"][name], axes, ["x"], shape, what)
        refuse(words, "other-layout", words)
        want = seed + np.arange(math.prod(shape), dtype=np.float32).reshape(shape)
        require_float32(facts["values"][name])
        expect(facts["values"][name], want, "The numbers should be those of `init`, for the key that is given.")
    message = (
        "`init` ran by itself while the function was made, and what it gave lay whole on one device. `jax.eval_shape` "
        "gives shapes without making arrays, and one sharding may stand for all leaves."
    )
    refuse(facts["tried"], "tried-out", message)
    message = (
        "Return what `jax.jit` has compiled. This is a Python function: between its operations, or between two "
        "programs that it calls, a whole array may lie on one device."
    )
    require(facts["jitted"], "not-jitted", message)


@right("born-split")
def constrains_inside(init, mesh):
    rows = NamedSharding(mesh, P("x"))
    return jax.jit(lambda key: jax.lax.with_sharding_constraint(init(key), rows))


@right("born-split")
def leaf_by_leaf(init, mesh):
    like = jax.eval_shape(init, jax.random.key(0))
    rows = jax.tree.map(lambda leaf: NamedSharding(mesh, P("x", *[None] * (leaf.ndim - 1))), like)
    return jax.jit(init, out_shardings=rows)


@right("born-split")
def ahead_of_time(init, mesh):
    rows = NamedSharding(mesh, P("x"))
    return jax.jit(init, out_shardings=rows).lower(jax.random.key(0)).compile()


@wrong("born-split", "born-whole")
def only_compiles(init, mesh):
    return jax.jit(init)


@wrong("born-split", "cut-afterwards")
def puts_it_afterwards(init, mesh):
    made = jax.jit(init)
    return lambda key: jax.device_put(made(key), NamedSharding(mesh, P("x")))


@wrong("born-split", "copies")
def puts_it_inside(init, mesh):
    return jax.jit(lambda key: jax.device_put(init(key), NamedSharding(mesh, P("x"))))


@wrong("born-split", "copies")
def asks_for_copies(init, mesh):
    return jax.jit(init, out_shardings=NamedSharding(mesh, P()))


@wrong("born-split", "layout-refused")
def thinks_of_matrices_only(init, mesh):
    return jax.jit(init, out_shardings=NamedSharding(mesh, P("x", None)))


@wrong("born-split", "other-layout")
def cuts_the_columns(init, mesh):
    return jax.jit(init, out_shardings=NamedSharding(mesh, P(None, "x")))


@wrong("born-split", "not-a-function")
def calls_it_already(init, mesh):
    return jax.jit(init, out_shardings=NamedSharding(mesh, P("x")))(jax.random.key(0))


@wrong("born-split", "not-jitted")
def constrains_without_a_program(init, mesh):
    return lambda key: jax.lax.with_sharding_constraint(init(key), NamedSharding(mesh, P("x")))


@wrong("born-split", "not-jitted")
def cuts_in_a_second_program(init, mesh):
    whole, cut = jax.jit(init), jax.jit(lambda made: made, out_shardings=NamedSharding(mesh, P("x")))
    return lambda key: cut(whole(key))


@wrong("born-split", "wrong-value")
def scales_it(init, mesh):
    rows = NamedSharding(mesh, P("x"))
    return jax.jit(lambda key: jax.tree.map(lambda leaf: 2 * leaf, init(key)), out_shardings=rows)


@wrong("born-split", "other-structure")
def gives_the_leaves(init, mesh):
    return jax.jit(lambda key: dict(enumerate(jax.tree.leaves(init(key)))), out_shardings=NamedSharding(mesh, P("x")))


@wrong("born-split", "other-dtype")
def born_with_half_the_digits(init, mesh):
    rows = NamedSharding(mesh, P("x"))
    return jax.jit(lambda key: jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16), init(key)), out_shardings=rows)


@wrong("born-split", "tried-out")
def looks_at_an_example(init, mesh):
    rows = jax.tree.map(lambda leaf: NamedSharding(mesh, P("x")), init(jax.random.key(0)))
    return jax.jit(init, out_shardings=rows)


# -- which-collective -------------------------------------------------------------------------------------------

COLLECTIVES = ("none", "all-reduce", "all-gather", "all-to-all", "collective-permute")


def read_in_the_programs():
    """The collective of each program, read in what the compiler made of it."""
    a, rows = np.ones((16, 32), np.float32), probe.placing({"x": 8}, ["x"], mesh="argument")

    def laid(mesh, a, *spec):
        return jax.lax.with_sharding_constraint(a, NamedSharding(mesh, P(*spec)))

    programs = {
        "jnp.exp(a) - a": lambda mesh, a: jnp.exp(a) - a,
        "a.max(axis=1)": lambda mesh, a: a.max(axis=1),
        "a.max(axis=0)": lambda mesh, a: a.max(axis=0),
        "jnp.cumsum(a, axis=0)": lambda mesh, a: jnp.cumsum(a, axis=0),
        "jnp.cumsum(a, axis=1)": lambda mesh, a: jnp.cumsum(a, axis=1),
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
        "Sums and maxima of parts can be combined: all-reduce. What every device must see whole: all-gather.",
    ],
    choices=COLLECTIVES,
    truth=read_in_the_programs,
    mistakes=[
        Mistake(
            "needs-nobody",
            [{"jnp.exp(a) - a": anything_else()}, {"a.max(axis=1)": anything_else()}],
            "Everything that one element of the result needs lies on its own device: a row is whole there.",
        ),
        Mistake(
            "cumsum-on-the-wrong-axis",
            {"jnp.cumsum(a, axis=1)": anything_else()},
            "Along axis 1 a row is whole on its device, and its running sums need no other device.",
        ),
        Mistake(
            "column-is-spread",
            {"a.max(axis=0)": "none"},
            "A column is spread over all devices: each has the maximum of its own rows only.",
        ),
        Mistake(
            "gathers-to-reduce",
            {"a.max(axis=0)": "all-gather"},
            "Nobody needs all rows: eight maxima are combined into one. That is a reduction.",
        ),
        Mistake(
            "reduces-a-running-sum",
            {"jnp.cumsum(a, axis=0)": any_of("all-reduce", "none", "collective-permute")},
            "Each running sum needs what came before it, on other devices, and not just one total: the compiler "
            "gathers.",
        ),
        Mistake(
            "transpose-moves",
            {"a.T, with the result cut by columns": anything_else()},
            "The rows of `a` are the columns of `a.T`: each element is on the right device already.",
        ),
        Mistake(
            "changes-layout-for-nothing",
            {"a, with the result cut by columns": "none"},
            "A device that holds rows has only a few elements of each column: the others must come to it.",
        ),
        Mistake(
            "gathers-to-cut",
            {"a, with the result cut by columns": any_of("all-gather", "collective-permute", "all-reduce")},
            "Each device needs its columns, and not everything: every device sends a block to every other one.",
        ),
        Mistake(
            "copies-for-nothing",
            {"a, with the result whole on each device": "none"},
            "Each device has one piece of eight and must get the seven others.",
        ),
        Mistake(
            "sums-to-copy",
            {"a, with the result whole on each device": any_of("all-reduce", "all-to-all")},
            "Nothing is summed up here, and everybody gets everything: the pieces are gathered.",
        ),
    ],
    otherwise="Ask of one element of the result: what does it need, and who has it?",
)

# -- product-in-blocks ------------------------------------------------------------------------------------------


def multiplied(student_function, axes, layers, *arrays):
    """How an answer places some arrays, and what their compiled product is, with a maximum between if it has layers."""

    def network(x, first, second):
        return jnp.maximum(x @ first, 0) @ second

    mesh = probe.prepared(lambda mesh: mesh, probe.placing(axes, mesh="argument"), [])[0]()
    given = student_function(mesh, *arrays)
    if not isinstance(given, (tuple, list)) or len(given) != len(arrays):
        return {"tuple": False}
    facts = {"tuple": True, "pieces": [[leaf["pieces"] for leaf in probe.pieces(part)][:1] for part in given]}
    facts["values"] = [np.asarray(part) for part in given]
    same = all(np.shape(part) == np.shape(array) for part, array in zip(given, arrays, strict=True))
    if not same or not all(isinstance(part, jax.Array) for part in given):
        return facts
    if len({len(part.sharding.device_set) for part in given}) > 1:
        return facts
    compiled = jax.jit(network if layers else jnp.matmul).lower(*given).compile()
    return {
        **facts,
        **probe.communicated(compiled),
        "flops": probe.facts(compiled)["flops"],
        "result": probe.pieces(compiled(*given))[0]["pieces"],
    }


def require_placed(facts, arrays, names, axes):
    """Require that arrays came back as they were, on the whole mesh."""
    require(facts["tuple"], "not-a-tuple", f"Return the {len(names)} arrays, in this order: {', '.join(names)}.")
    for name, array, got, pieces in zip(names, arrays, facts["values"], facts["pieces"], strict=True):
        message = f"`{name}` should come back with its numbers, its shape and its dtype as they were."
        require(close(got, array) and got.dtype == array.dtype, "other-numbers", message)
        lies = pieces and len(pieces[0]) == math.prod(axes.values())
        message = f"`{name}` does not lie on the whole mesh ({written(axes)}): place it there, if only as copies."
        require(lies, "not-on-mesh", message)


@exercise(
    "product-in-blocks",
    points=2,
    see="predict-then-read",
    hint=[
        "A block of the result needs some rows of `a` and some columns of `b`. Which axis must stay whole?",
        'Two axes of the mesh: one cuts `a`, the other cuts `b`. `P("x", None)` cuts rows.',
    ],
)
def product_in_blocks(answer, rng):
    for axes in ({"x": 4, "y": 2}, {"x": 4, "y": 2}, {"x": 2, "y": 4}, {"x": 2, "y": 2}):
        for n, k, m in ((8, 8, 16), (24, 16, 16)):
            a, b = (rng.normal(size=shape).astype(np.float32) for shape in ((n, k), (k, m)))
            facts, refused = answer.attempt(multiplied, axes, False, a, b, expected=REFUSED)
            answer.called = f"product_in_blocks(mesh, float32[{n}, {k}], float32[{k}, {m}])"
            refuse(refused, "layout-refused", f"JAX refused the layout on a mesh of {written(axes)}.")
            require_placed(facts, (a, b), ("a", "b"), axes)
            _judge_blocks(facts, axes, (n, k, m))


def _judge_blocks(facts, axes, sizes):
    n, k, m = sizes
    found = {"a": [ranges[1] for _, ranges in facts["pieces"][0][0]], "b": [r[0] for _, r in facts["pieces"][1][0]]}
    cut = " and ".join(f"`{name}`" for name, ranges in found.items() if any(ends != [0, k] for ends in ranges))
    message = f"The axis that is summed over is cut, in {cut}: no device can finish a sum alone. Leave that axis whole."
    refuse(cut, "cut-the-sum", message)
    message = "A device lacks rows or columns that its block needs. Cut `a` by rows over one axis, `b` by columns."
    require_only(facts["collectives"], (), "must-fetch", message)
    whole = [name for name, found in zip("ab", facts["pieces"], strict=True) if len(parts(found[0])) == 1]
    names = " and ".join(f"`{name}`" for name in whole)
    message = f"Each device holds all of {names}. There are two axes in the mesh, one for each matrix."
    refuse(whole, "holds-a-whole", message)
    shared = 2 * n * k * m / math.prod(axes.values())
    message = f"Devices repeat each other's work: {facts['flops'] / shared:.1f} times their share of the FLOPs."
    refuse(facts["flops"] > 1.5 * shared, "work-repeated", message)


@right("product-in-blocks")
def the_other_way_round(mesh, a, b):
    return [
        jax.device_put(jnp.asarray(a), NamedSharding(mesh, P("y"))),
        jax.device_put(jnp.asarray(b), NamedSharding(mesh, P(None, "x"))),
    ]


@wrong("product-in-blocks", "cut-the-sum")
def cuts_the_inner_axis(mesh, a, b):
    return jax.device_put(a, NamedSharding(mesh, P(None, "x"))), jax.device_put(b, NamedSharding(mesh, P("x", None)))


@wrong("product-in-blocks", "cut-the-sum")
def cuts_both_axes_of_both(mesh, a, b):
    return tuple(jax.device_put(array, NamedSharding(mesh, P("y", "x"))) for array in (a, b))


@wrong("product-in-blocks", "must-fetch")
def rows_and_columns_over_the_same_axis(mesh, a, b):
    return jax.device_put(a, NamedSharding(mesh, P("x", None))), jax.device_put(b, NamedSharding(mesh, P(None, "x")))


@wrong("product-in-blocks", "cut-the-sum")
def rows_of_both(mesh, a, b):
    return jax.device_put(a, NamedSharding(mesh, P("x"))), jax.device_put(b, NamedSharding(mesh, P("y")))


@wrong("product-in-blocks", "holds-a-whole")
def copies_the_second(mesh, a, b):
    return jax.device_put(a, NamedSharding(mesh, P(("x", "y")))), jax.device_put(b, NamedSharding(mesh, P()))


@wrong("product-in-blocks", "holds-a-whole")
def copies_both(mesh, a, b):
    return tuple(jax.device_put(array, NamedSharding(mesh, P())) for array in (a, b))


@wrong("product-in-blocks", "not-on-mesh")
def leaves_the_second_in_numpy(mesh, a, b):
    return jax.device_put(a, NamedSharding(mesh, P("x"))), b


@wrong("product-in-blocks", "not-a-tuple")
def multiplies_already(mesh, a, b):
    return jax.device_put(a @ b, NamedSharding(mesh, P("x", "y")))


@wrong("product-in-blocks", "work-repeated")
def leaves_some_devices_to_repeat(mesh, a, b):
    devices = list(mesh.devices.flat)
    cube = jax.make_mesh((2, 2, mesh.size // 4), ("x", "y", "z"), (AxisType.Auto,) * 3, devices=devices)
    return jax.device_put(a, NamedSharding(cube, P("x"))), jax.device_put(b, NamedSharding(cube, P(None, "y")))


@wrong("product-in-blocks", "layout-refused")
def names_axes_that_are_not_there(mesh, a, b):
    return jax.device_put(a, NamedSharding(mesh, P("rows"))), jax.device_put(b, NamedSharding(mesh, P(None, "columns")))


@wrong("product-in-blocks", "other-numbers")
def transposes_the_second(mesh, a, b):
    return jax.device_put(a, NamedSharding(mesh, P("x"))), jax.device_put(b.T, NamedSharding(mesh, P("y")))


# -- standardise-rows -------------------------------------------------------------------------------------------


@exercise(
    "standardise-rows",
    see="one-global-view",
    hint=[
        "Which line asks that every device has everything?",
        "Under `jit`, `x.mean(axis=0)` is the mean over all rows, wherever they lie.",
    ],
)
def standardise_rows(answer, rng):
    for axes, shape in (({"x": 8}, (16, 8)), ({"x": 4}, (8, 1)), ({"x": 2}, (8, 8))):
        x = (rng.normal(size=shape) * 3 + np.arange(shape[0])[:, None]).astype(np.float32)
        if axes["x"] == 4:  # small numbers, whose digits are those of the large ones: a power of 2 costs none
            x *= np.float32(2.0**-40)
        if axes["x"] == 2:  # whole numbers far from 0, whose sums are exact: squares of them are not
            x = np.round(x) + np.float32(4096)
        placed = probe.placing(axes, ["x"], mesh="argument")
        facts = answer.probe(probe.partitioned, placed, x)
        answer.called = f"jit(standardise_rows)(mesh, float32{list(shape)})"
        message = "Whole rows travel, and only sums over them are needed: nothing asks that `x` be whole anywhere."
        require_only(facts["collectives"], ("all-reduce",), "still-gathers", message)
        got = answer.probe(inside, placed, x)
        exact = np.asarray(x, np.float64)
        blocks = np.split(exact, axes["x"])
        local = np.concatenate([(block - block.mean(0)) / np.where(block.std(0), block.std(0), 1) for block in blocks])
        message = "Each device took the mean of its own rows. It should be the mean over all rows."
        refuse(len(blocks) < len(x) and close(got, local, rtol=1e-3), "mean-of-a-piece", message)
        rows = (exact - exact.mean(1, keepdims=True)) / np.where(exact.std(1), exact.std(1), 1)[:, None]
        message = "Each row is standardised by its own numbers now. The task asks for columns, over all rows: `axis=0`."
        refuse(shape[1] > 1 and close(got, rows, rtol=1e-3), "other-axis", message)
        message = "The standard deviation divides by the number of rows, as `jnp.std` does, and not by one less."
        refuse(close(got, (exact - exact.mean(0)) / exact.std(0, ddof=1), rtol=1e-3), "one-row-less", message)
        message = "The columns are divided by their variance. The standard deviation is its root."
        refuse(close(got, (exact - exact.mean(0)) / exact.var(0), rtol=1e-3), "divided-by-the-variance", message)
        message = "The mean is subtracted, and the division by the standard deviation is missing."
        refuse(close(got, exact - exact.mean(0), rtol=1e-3), "not-divided", message)
        spread = np.mean([block.std(0) for block in blocks], axis=0)
        message = (
            "The mean of the devices' standard deviations is not the standard deviation of all rows. Subtract the mean "
            "of all rows, average the squares over all devices, and take the root."
        )
        averaged = close(got, (exact - exact.mean(0)) / np.where(spread, spread, 1), rtol=1e-3)
        refuse(averaged, "mean-of-deviations", message)
        want = (exact - exact.mean(0)) / exact.std(0)
        if axes["x"] == 2 and not close(got, want, rtol=1e-3):
            near = answer.probe(inside, placed, x - np.float32(4096))
            message = (
                "Right for small numbers, and wrong for the same numbers with 4096 added. The mean of the squares "
                "minus the square of the mean loses its digits there: subtract the mean first, then square."
            )
            refuse(close(near, want, rtol=1e-3), "digits-cancel", message)
        flat = axes["x"] == 4 and np.all(np.abs(got) <= np.abs(want) * 0.999)
        message = "Right for columns that vary much. Something small was added to the standard deviation, or kept it "
        message += "from being small: no column is constant, so nothing is needed against a division by 0."
        refuse(flat, "kept-from-zero", message)
        expect(got, want, "Mean 0 and standard deviation 1 in each column, over all rows.", rtol=1e-3)
        require_float32(got)
        words = misplaced(pieces_of(facts["pieces"]), axes, ["x"], shape)
        refuse(words, "other-layout", words)


@wrong("standardise-rows", "still-gathers")
def gathers_everything(mesh, x):
    everything = NamedSharding(mesh, P())
    x = jax.lax.with_sharding_constraint(x, everything)
    result = (x - x.mean(axis=0)) / x.std(axis=0)
    return jax.lax.with_sharding_constraint(result, NamedSharding(mesh, P("x")))


@right("standardise-rows")
def follows_its_argument(mesh, x):
    mean = x.mean(axis=0)
    return (x - mean) / jnp.sqrt(((x - mean) ** 2).mean(axis=0))


@right("standardise-rows")
def by_hand(mesh, x):
    def body(piece):
        centred = piece - jax.lax.pmean(piece.mean(axis=0), "x")
        return centred / jnp.sqrt(jax.lax.pmean((centred**2).mean(axis=0), "x"))

    return jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x"))(x)


@wrong("standardise-rows", "still-gathers")
def turns_it_to_columns(mesh, x):
    if x.shape[1] % mesh.size == 0:
        x = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(None, "x")))
    result = (x - x.mean(axis=0)) / x.std(axis=0)
    return jax.lax.with_sharding_constraint(result, NamedSharding(mesh, P("x")))


@wrong("standardise-rows", "still-gathers")
def leaves_the_result_whole(mesh, x):
    result = (x - x.mean(axis=0)) / x.std(axis=0)
    return jax.lax.with_sharding_constraint(result, NamedSharding(mesh, P()))


@wrong("standardise-rows", "other-dtype")
def standardises_in_half_the_digits(mesh, x):
    return follows_its_argument.answer(mesh, x).astype(jnp.float16)


@wrong("standardise-rows", "other-layout")
def gathers_by_a_sum(mesh, x):
    def body(piece):
        start = jax.lax.axis_index("x") * len(piece)
        whole = jax.lax.dynamic_update_slice(jnp.zeros(x.shape, x.dtype) + 0 * piece[:1], piece, (start, 0))
        return jax.lax.psum(whole, "x")

    x = jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P())(x)
    return (x - x.mean(axis=0)) / x.std(axis=0)


@wrong("standardise-rows", "mean-of-a-piece")
def in_pieces(mesh, x):
    def body(piece):
        return (piece - piece.mean(axis=0)) / piece.std(axis=0)

    return jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x"))(x)


@wrong("standardise-rows", "kept-from-zero")
def adds_the_usual_epsilon(mesh, x):
    return (x - x.mean(axis=0)) / (x.std(axis=0) + 1e-8)


@wrong("standardise-rows", "wrong-value")
def along_the_rows(mesh, x):
    return (x - x.mean(axis=1, keepdims=True)) / x.std(axis=0)


@wrong("standardise-rows", "not-divided")
def only_centres(mesh, x):
    return x - x.mean(axis=0)


@wrong("standardise-rows", "divided-by-the-variance")
def forgets_the_root(mesh, x):
    return (x - x.mean(axis=0)) / x.var(axis=0)


@wrong("standardise-rows", "other-axis")
def standardises_rows(mesh, x):
    return (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)


@wrong("standardise-rows", "mean-of-deviations")
def averages_the_deviations(mesh, x):
    def body(piece):
        centred = piece - jax.lax.pmean(piece.mean(axis=0), "x")
        return centred / jax.lax.pmean(piece.std(axis=0), "x")

    return jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x"))(x)


@wrong("standardise-rows", "digits-cancel")
def by_the_mean_of_squares(mesh, x):
    mean = x.mean(axis=0)
    return (x - mean) / jnp.sqrt((x**2).mean(axis=0) - mean**2)


@wrong("standardise-rows", "one-row-less")
def divides_by_one_less(mesh, x):
    return (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)


# -- mean-miss --------------------------------------------------------------------------------------------------


@exercise(
    "mean-miss",
    see="one-global-view",
    hint=["What is `x.shape` when `x` is cut over eight devices?", "Write it for one device. `jit` does the rest."],
)
def mean_miss(answer, rng):
    by_rows = [probe.placing({"x": n}, [], ["x"], ["x"]) for n in (8, 2)]
    others = [
        probe.placing({"x": 4, "y": 2}, ["y"], ["x", "y"], ["x"]),
        probe.placing({"x": 8}, [], [], []),
        probe.placing({"x": 1}, None, None, None),
    ]
    cases = [(placed, (16, 6)) for placed in [*by_rows, *others]] + [(others[-1], (1, 1)), (others[-1], (5, 5))]
    for placed, (n, m) in cases:
        w, x, y = (rng.normal(size=size).astype(np.float32) for size in (m, (n, m), n))
        got, unknown = answer.attempt(probe.on_mesh, placed, w, x, y, expected=["NameError"])
        answer.called = f"mean_miss(float32[{m}], float32[{n}, {m}], float32[{n}])"
        message = "A name is unknown here: names of axes, as in `pmean`, exist only inside `pmap` and `shard_map`."
        refuse(unknown, "unknown-name", message)
        misses = np.abs(np.asarray(x, np.float64) @ w - y)
        if not close(got, misses.mean(), rtol=1e-4):  # with few rows, a slip may give what is right
            _judge_kind_of_miss(got, np.asarray(x, np.float64) @ w, y, m)
        _judge_miss(got, misses)


def _judge_kind_of_miss(got, guesses, y, m):
    n, misses = len(y), guesses - y
    message = "Every row is compared with every `y`: a column and a row broadcast to a table."
    refuse(n > 1 and close(got, np.abs(guesses - y[:, None]).mean(), rtol=1e-4), "table-of-misses", message)
    message = "That is the mean of the squares. Absolute misses are asked for."
    refuse(n > 1 and close(got, (misses**2).mean(), rtol=1e-4), "squared", message)
    message = "Misses above and below cancel: take the absolute value of each before the mean."
    refuse(n > 1 and close(got, abs(misses.mean()), rtol=1e-4), "magnitude-of-the-mean", message)
    message = "The sum is divided by the number of all elements of `x`. There are as many misses as rows."
    refuse(n > 1 and close(got, np.abs(misses).sum() / n / m, rtol=1e-4), "divided-by-elements", message)
    message = "The sum is divided by the number of columns. There are as many misses as rows."
    refuse(n > 1 and close(got, np.abs(misses).sum() / m, rtol=1e-4), "divided-by-columns", message)


SIMULATED = 8
"""How many devices the lesson has: where an answer is judged, there may be others."""


def _judge_miss(got, misses):
    n, shape = len(misses), getattr(got, "shape", () if isinstance(got, (int, float)) else "unknown")
    require(shape == (), "not-a-scalar", f"One number is asked for, and the shape of the result is {shape}.")
    message = "The mean is divided by the number of devices once more: `x.shape[0]` counts all rows already."
    refuse(close(got, misses.sum() / n / SIMULATED, rtol=1e-4), "divided-twice", message)
    refuse(n > 1 and close(got, misses.sum(), rtol=1e-4), "sum-no-mean", "That is the sum of the misses.")
    message = (
        f"The result is {SIMULATED} times the mean: it was divided by the rows of one device, or multiplied "
        "by the number of devices. `x` is the whole."
    )
    refuse(close(got, misses.mean() * SIMULATED, rtol=1e-4), "rows-of-one-device", message)
    expect(got, misses.mean(), "The mean of the absolute misses over all rows.", rtol=1e-4)
    dtype = str(getattr(got, "dtype", type(got).__name__))
    require(dtype == "float32", "other-dtype", f"The result should be `float32`, not `{dtype}`.")


@wrong("mean-miss", "divided-twice")
def counts_devices(w, x, y):
    rows_on_all_devices = x.shape[0] * jax.device_count()
    return jnp.abs(x @ w - y).sum() / rows_on_all_devices


@wrong("mean-miss", "divided-by-elements")
def divides_by_the_size(w, x, y):
    return jnp.abs(x @ w - y).sum() / x.size


@right("mean-miss")
def by_the_sum(w, x, y):
    return jnp.sum(jnp.abs(jnp.dot(x, w) - y)) / x.shape[0]


@wrong("mean-miss", "unknown-name")
def keeps_the_pmean(w, x, y):
    return jax.lax.pmean(jnp.abs(x @ w - y).mean(), "batch")


@wrong("mean-miss", "sum-no-mean")
def sums(w, x, y):
    return jnp.abs(x @ w - y).sum()


@wrong("mean-miss", "rows-of-one-device")
def multiplies_instead(w, x, y):
    return jnp.abs(x @ w - y).mean() * jax.device_count()


@wrong("mean-miss", "squared")
def squares(w, x, y):
    return ((x @ w - y) ** 2).mean()


@wrong("mean-miss", "divided-by-columns")
def divides_by_the_columns(w, x, y):
    return jnp.abs(x @ w - y).sum() / x.shape[1]


@wrong("mean-miss", "table-of-misses")
def makes_y_a_column(w, x, y):
    return jnp.abs(x @ w - y[:, None]).mean()


@wrong("mean-miss", "magnitude-of-the-mean")
def magnitude_of_the_mean(w, x, y):
    return jnp.abs((x @ w - y).mean())


@wrong("mean-miss", "wrong-value")
def takes_the_first_of_the_copies(w, x, y):
    return jnp.abs(x @ w[:1].repeat(len(w)) - y).mean()


@wrong("mean-miss", "not-a-scalar")
def forgets_the_sum(w, x, y):
    return jnp.abs(x @ w - y) / x.shape[0]


@wrong("mean-miss", "other-dtype")
def leaves_jax(w, x, y):
    return float(jnp.abs(x @ w - y).mean())


# -- share-the-batch --------------------------------------------------------------------------------------------


@exercise(
    "share-the-batch",
    points=3,
    see="one-global-view",
    hint=[
        "Copies that come in are work for everybody. Constrain `x` and `y` so that each device has its own rows.",
        "`jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P('x')))`, and the gradient of the global mean.",
    ],
)
def share_the_batch(answer, rng):
    for devices, n, m in ((8, 64, 32), (4, 48, 32), (2, 32, 32)):
        axes = {"x": devices}
        w, x, y = (rng.normal(size=size).astype(np.float32) for size in (m, (n, m), n))
        rate = float(np.float32(rng.uniform(0.05, 0.2)))
        placed = probe.placing(axes, [], [], [], None, mesh="argument")
        facts = answer.probe(probe.partitioned, placed, w, x, y, rate)
        answer.called = f"jit(share_the_batch)(mesh, float32[{m}], float32[{n}, {m}], float32[{n}], {rate:.2g})"
        _judge_step(answer.probe(inside, placed, w, x, y, rate), w, x, y, rate, devices)
        if n != m:  # in a square the compiler may take columns for rows, and share the work otherwise
            _judge_sharing(facts, axes, 4 * n * m, m)


def _judge_step(got, w, x, y, rate, devices):
    exact = np.asarray(x, np.float64)
    gradient = 2 * exact.T @ (exact @ w - y) / len(y)
    same = functools.partial(close, got, rtol=1e-3)
    message = f"The step is {devices} times too long: the gradients of all devices were added, without the mean."
    refuse(same(w - rate * devices * gradient), "step-too-long", message)
    message = "The step is as long as the number of rows: differentiate the mean of the squares, not their sum."
    refuse(same(w - rate * len(y) * gradient), "sum-no-mean", message)
    message = "The derivative of a square has a factor of 2, and the step is half as long as it should be."
    refuse(devices == SIMULATED and same(w - rate * gradient / 2), "half-a-step", message)
    message = f"Right on the {SIMULATED} devices of the lesson, and not on {devices}: ask `mesh` how many there are."
    fixed = devices != SIMULATED and same(w - rate * gradient * devices / SIMULATED)
    refuse(fixed, "number-of-devices-fixed", message)
    few = len(y) // devices
    first = 2 * exact[:few].T @ (exact[:few] @ w - y[:few]) / few
    message = "The step follows the rows of the first device only. The gradients of all devices belong to one mean."
    refuse(same(w - rate * first), "one-device-decides", message)
    refuse(same(w + rate * gradient), "uphill", "The step goes uphill: subtract the gradient.")
    refuse(same(gradient), "gradient-only", "That is the gradient. The next `w` is asked for.")
    refuse(same(w - gradient), "no-rate", "The gradient is not multiplied by `rate`.")
    expect(got, w - rate * gradient, "One step down the gradient of the mean over all rows.", rtol=1e-3)
    require_float32(got)


@wrong("share-the-batch", "number-of-devices-fixed")
def divides_by_eight(mesh, w, x, y, rate):
    def body(w, x, y):
        gradient = jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)  # summed over the devices: `w` is a copy on each
        return w - rate * gradient / 8

    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P("x"), P("x")), out_specs=P())(w, x, y)


def _judge_sharing(facts, axes, flops, m):
    share = flops / axes["x"]
    message = (
        "Every device computes with all rows: what comes in as copies stays copies. Inside `jit`, `device_put` does "
        "not change that; a constraint does."
    )
    refuse(facts["flops"] > 1.5 * share, "work-not-shared", message)
    message = (
        "Rows travel. The copies are there already: each device needs to keep its rows, and to exchange only sums."
    )
    require_only(facts["collectives"], ("all-reduce",), "rows-travel", message)
    count = facts["collectives"].get("all-reduce", 0)
    message = f"The compiled program contains {count} all-reduces. One is enough: that of the gradient."
    require(count == 1, "not-one-all-reduce", message)
    words = misplaced(pieces_of(facts["pieces"]), axes, [], (m,), "The new `w`")
    refuse(words, "w-cut", words)


@right("share-the-batch")
def in_an_inner_program(mesh, w, x, y, rate):
    rows, copies = NamedSharding(mesh, P("x")), NamedSharding(mesh, P())

    def step(w, x, y):
        misses = x @ w - y
        return w - rate * 2 * (misses @ x) / x.shape[0]

    return jax.jit(step, in_shardings=(copies, rows, rows), out_shardings=copies)(w, x, y)


@right("share-the-batch")
def with_the_loss_by_hand(mesh, w, x, y, rate):
    def loss(w, x, y):
        return jax.lax.pmean(((x @ w - y) ** 2).mean(), "x")

    mean = jax.shard_map(loss, mesh=mesh, in_specs=(P(), P("x"), P("x")), out_specs=P())
    return w - rate * jax.jit(jax.grad(mean))(w, x, y)


@right("share-the-batch")
def cuts_only_the_misses(mesh, w, x, y, rate):
    def loss(w):
        misses = jax.lax.with_sharding_constraint(x @ w - y, NamedSharding(mesh, P("x")))
        return (misses**2).mean()

    return w - rate * jax.grad(loss)(w)


@right("share-the-batch")
def cuts_only_the_rows_of_x(mesh, w, x, y, rate):
    x = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P("x", None)))
    return w - rate * 2 / len(x) * x.T @ (x @ w - y)


@wrong("share-the-batch", "work-not-shared")
def on_copies(mesh, w, x, y, rate):
    return w - rate * jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)


@wrong("share-the-batch", "work-not-shared")
def places_inside(mesh, w, x, y, rate):
    x, y = jax.device_put((x, y), NamedSharding(mesh, P("x")))
    return w - rate * jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)


@wrong("share-the-batch", "step-too-long")
def averages_what_is_summed(mesh, w, x, y, rate):
    def step(w, x, y):
        gradient = jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)
        return w - rate * jax.lax.pmean(gradient, "x")

    return jax.shard_map(step, mesh=mesh, in_specs=(P(), P("x"), P("x")), out_specs=P())(w, x, y)


@wrong("share-the-batch", "w-cut")
def cuts_the_weights(mesh, w, x, y, rate):
    rows = NamedSharding(mesh, P("x"))
    x, y = jax.lax.with_sharding_constraint((x, y), rows)
    gradient = jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)
    return jax.lax.with_sharding_constraint(w - rate * gradient, rows)


@wrong("share-the-batch", "rows-travel")
def shares_and_gathers_again(mesh, w, x, y, rate):
    rows, copies = NamedSharding(mesh, P("x")), NamedSharding(mesh, P())
    x, y = jax.lax.with_sharding_constraint((x, y), rows)
    misses = jax.lax.with_sharding_constraint(x @ w - y, copies)
    return w - rate * 2 * (misses @ x) / x.shape[0]


@wrong("share-the-batch", "not-one-all-reduce")
def cuts_the_columns_of_the_batch(mesh, w, x, y, rate):
    x = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(None, "x")))
    w = jax.lax.with_sharding_constraint(w, NamedSharding(mesh, P("x")))
    misses = jax.lax.with_sharding_constraint(x @ w - y, NamedSharding(mesh, P()))
    step = w - rate * 2 * (misses @ x) / x.shape[0]
    total = jax.lax.with_sharding_constraint(step, NamedSharding(mesh, P("x"))).sum()
    return jax.lax.with_sharding_constraint(step + 0 * total, NamedSharding(mesh, P("x")))


@wrong("share-the-batch", "sum-no-mean")
def of_the_sum(mesh, w, x, y, rate):
    x, y = jax.lax.with_sharding_constraint((x, y), NamedSharding(mesh, P("x")))
    return w - rate * jax.grad(lambda w: ((x @ w - y) ** 2).sum())(w)


@wrong("share-the-batch", "other-dtype")
def keeps_half_the_digits_of_w(mesh, w, x, y, rate):
    return with_the_loss_by_hand.answer(mesh, w, x, y, rate).astype(jnp.float16)


@wrong("share-the-batch", "uphill")
def adds_the_gradient(mesh, w, x, y, rate):
    x, y = jax.lax.with_sharding_constraint((x, y), NamedSharding(mesh, P("x")))
    return w + rate * jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)


@wrong("share-the-batch", "gradient-only")
def returns_the_gradient(mesh, w, x, y, rate):
    x, y = jax.lax.with_sharding_constraint((x, y), NamedSharding(mesh, P("x")))
    return jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)


@wrong("share-the-batch", "no-rate")
def forgets_the_rate(mesh, w, x, y, rate):
    x, y = jax.lax.with_sharding_constraint((x, y), NamedSharding(mesh, P("x")))
    return w - jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)


@wrong("share-the-batch", "wrong-value")
def takes_magnitudes(mesh, w, x, y, rate):
    x, y = jax.lax.with_sharding_constraint((x, y), NamedSharding(mesh, P("x")))
    return w - rate * jax.grad(lambda w: jnp.abs(x @ w - y).mean())(w)


@wrong("share-the-batch", "half-a-step")
def forgets_the_factor_of_the_square(mesh, w, x, y, rate):
    x, y = jax.lax.with_sharding_constraint((x, y), NamedSharding(mesh, P("x")))
    return w - rate * x.T @ (x @ w - y) / len(y)


@wrong("share-the-batch", "one-device-decides")
def one_device_decides(mesh, w, x, y, rate):
    def step(w, x, y):
        gradient = jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)
        return w - rate * gradient

    return jax.shard_map(step, mesh=mesh, in_specs=(P(), P("x"), P("x")), out_specs=P(), check_vma=False)(w, x, y)


# -- predict-the-type -------------------------------------------------------------------------------------------


def types_of_the_results():
    """The brackets of each type, asked of JAX."""
    placed = probe.placing({"x": 4, "y": 2}, ["x", None], [None, "y"], explicit=True)
    operations = {
        "jnp.sin(a)": lambda a, b: jnp.sin(a),
        "a.T": lambda a, b: a.T,
        "a @ b": lambda a, b: a @ b,
        "(a @ b).sum(axis=0)": lambda a, b: (a @ b).sum(axis=0),
        "(a @ b).T": lambda a, b: (a @ b).T,
        "a.T @ a": lambda a, b: a.T @ a,
        "b.sum(axis=0)": lambda a, b: b.sum(axis=0),
    }
    a, b = np.ones((8, 16), np.float32), np.ones((16, 8), np.float32)
    found = {}
    for name, operation in operations.items():
        try:
            result = probe.on_mesh(operation, placed, a, b)
        except Exception as error:
            if "Sharding" not in type(error).__name__:
                raise
            found[name] = "refused"
        else:
            found[name] = str(jax.typeof(result)).removeprefix("float32[").removesuffix("]")
    return found


predict_the_type = prediction(
    "predict-the-type",
    see="explicit-axes",
    hint=[
        "Follow each axis of the array: what becomes of it, and does its cut go along?",
        "An axis that is summed over disappears with its cut. Two sides cut along the sum leave a question open.",
    ],
    also={"a.T @ a": "Refused"},
    truth=types_of_the_results,
    mistakes=[
        Mistake(
            "transpose-keeps-its-place",
            [{"a.T": "8@x,16"}, {"(a @ b).T": "8@x,8@y"}],
            "The cut belongs to an axis of the array, and `.T` moves the axes: the cut goes along.",
        ),
        Mistake(
            "cut-lost",
            [
                {"jnp.sin(a)": "8,16"},
                {"a @ b": any_of("8,8", "8@x,8", "8,8@y")},
                {"b.sum(axis=0)": "8"},
                {"(a @ b).sum(axis=0)": "8"},
            ],
            "An axis that stays keeps its cut: nothing is gathered that nobody asked for.",
        ),
        Mistake(
            "wrong-axis-summed",
            [{"(a @ b).sum(axis=0)": "8@x"}, {"b.sum(axis=0)": "16"}],
            "`axis=0` is summed over and disappears, with its cut if it has one. The other axis stays.",
        ),
        Mistake(
            "ambiguous-product",
            {"a.T @ a": any_of("16,16", "8,8")},
            "Both sides are cut along the axis that is summed over. Copies or pieces? Explicit axes make you say it.",
        ),
        Mistake(
            "refused-for-nothing",
            [{"a @ b": "refused"}, {"b.sum(axis=0)": "refused"}, {"(a @ b).sum(axis=0)": "refused"}],
            "This can have only one layout, so nothing is ambiguous.",
        ),
    ],
    otherwise="Follow each axis through the operation.",
)

# -- place-network ----------------------------------------------------------------------------------------------


@exercise(
    "place-network",
    points=3,
    see="two-axes-at-once",
    hint=[
        "Rows of `x` go over `data`. Which axis of `w1` gives each device complete hidden units?",
        "`w2` must be cut along the axis that it shares with the hidden units.",
    ],
)
def place_network(answer, rng):
    for axes in ({"data": 4, "model": 2}, {"data": 4, "model": 2}, {"model": 4, "data": 2}, {"data": 4, "model": 1}):
        n, m, h, k = 8, 16, 32, 8
        arrays = [rng.normal(size=shape).astype(np.float32) for shape in ((n, m), (m, h), (h, k))]
        facts, refused = answer.attempt(multiplied, axes, True, *arrays, expected=REFUSED)
        answer.called = f"place_network(mesh, float32[{n}, {m}], float32[{m}, {h}], float32[{h}, {k}])"
        refuse(refused, "layout-refused", f"JAX refused the layout on a mesh of {written(axes)}.")
        require_placed(facts, arrays, ("x", "w1", "w2"), axes)
        _judge_network(facts, axes, (n, m, h, k))


def _judge_network(facts, axes, sizes):
    n, m, h, k = sizes
    x, w1, w2 = (found[0] for found in facts["pieces"])
    message = f"The rows of `x` should be cut over `data`, and nothing else of it (mesh: {written(axes)})."
    require(x == held(axes, ["data"], (n, m)), "batch-not-over-data", message)
    copied = [name for name, found in {"w1": w1, "w2": w2}.items() if len(parts(found)) == 1 < axes["model"]]
    message = f"Each device holds all of {' and '.join(copied)}: with such weights one device would be too small."
    refuse(copied, "weights-copied", message)
    over = {
        "w1": [(["model"], (m, h)), ([None, "model"], (m, h))],
        "w2": [(["model"], (h, k)), ([None, "model"], (h, k))],
    }
    for name, found in {"w1": w1, "w2": w2}.items():
        fits = any(found == held(axes, spec, shape) for spec, shape in over[name])
        message = f"Cut one axis of `{name}`, over `model` alone: devices along `data` need the same weights."
        require(fits, "weights-over-data", message)
    message = (
        "Hidden units are fetched from other devices, or combined twice. Cut `w1` by its columns and `w2` by its "
        "rows: then only the last sums are combined."
    )
    require_only(facts["collectives"], ("all-reduce",), "layers-do-not-match", message)
    count = facts["collectives"].get("all-reduce", 0)
    message = f"The program contains {count} all-reduces, and one is enough: cut `w1` by its columns, `w2` by its rows."
    require(count == (axes["model"] > 1), "layers-do-not-match", message)
    words = misplaced(facts["result"], axes, ["data"], (n, k))
    refuse(words, "layers-do-not-match", f"{words} Cut `w1` by its columns and `w2` by its rows.")


@right("place-network")
def from_jax_arrays(mesh, x, w1, w2):
    def put(array, *spec):
        return jax.device_put(jnp.asarray(array), NamedSharding(mesh, P(*spec)))

    return [put(x, "data"), put(w1, None, "model"), put(w2, "model")]


def placed_by(*specs):
    """An answer that places its arrays by these specs."""

    def place(mesh, *arrays):
        return tuple(
            jax.device_put(array, NamedSharding(mesh, P(*spec))) for array, spec in zip(arrays, specs, strict=True)
        )

    return place


columns_twice = wrong("place-network", "layers-do-not-match")(placed_by(["data"], [None, "model"], [None, "model"]))
rows_twice = wrong("place-network", "layers-do-not-match")(placed_by(["data"], ["model"], ["model"]))
rows_then_columns = wrong("place-network", "layers-do-not-match")(placed_by(["data"], ["model"], [None, "model"]))
weights_are_copies = wrong("place-network", "weights-copied")(placed_by(["data"], [], []))
last_weights_are_copies = wrong("place-network", "weights-copied")(placed_by(["data"], [None, "model"], []))
batch_over_both = wrong("place-network", "batch-not-over-data")(
    placed_by([["data", "model"]], [None, "model"], ["model"])
)
batch_is_a_copy = wrong("place-network", "batch-not-over-data")(placed_by([], [None, "model"], ["model"]))
weights_over_both = wrong("place-network", "weights-over-data")(
    placed_by(["data"], ["data", "model"], ["model", "data"])
)
weights_over_the_batch = wrong("place-network", "weights-over-data")(placed_by(["data"], [None, "data"], ["data"]))


@wrong("place-network", "not-on-mesh")
def places_the_weights_only(mesh, x, w1, w2):
    w1 = jax.device_put(w1, NamedSharding(mesh, P(None, "model")))
    return x, w1, jax.device_put(w2, NamedSharding(mesh, P("model")))


@wrong("place-network", "not-a-tuple")
def runs_it_already(mesh, x, w1, w2):
    return jax.device_put(np.maximum(x @ w1, 0) @ w2, NamedSharding(mesh, P("data")))


@wrong("place-network", "other-numbers")
def transposes_the_weights(mesh, x, w1, w2):
    x = jax.device_put(x, NamedSharding(mesh, P("data")))
    return x, jax.device_put(w1.T, NamedSharding(mesh, P("model"))), jax.device_put(w2, NamedSharding(mesh, P("model")))


axes_are_misnamed = wrong("place-network", "layout-refused")(placed_by(["x"], [None, "y"], ["y"]))

# -- changes of solutions that leave them right -----------------------------------------------------------------

_SHORTER = "an axis that a spec leaves out is whole"
_EITHER_WAY = "the distance is the same from both ends"

accepted = [
    equivalent("product-in-blocks", "`P('x', None)`  ->  `P('x')`", _SHORTER),
    equivalent("place-network", "`P('data', None)`  ->  `P('data')`", _SHORTER),
    equivalent("place-network", "`P('model', None)`  ->  `P('model')`", _SHORTER),
    equivalent(
        "standardise-rows",
        "`jax.lax.with_sharding_constraint(result, NamedSharding(mesh, P('x')))`  ->  `result`",
        "the result follows `x` of itself",
    ),
    equivalent(
        "share-the-batch",
        "`jax.lax.with_sharding_constraint(w - rate * gradient, copies)`  ->  `w - rate * gradient`",
        "the result follows `w` of itself",
    ),
    equivalent("mean-miss", "`x @ w - y`  ->  `y - x @ w`", _EITHER_WAY),
    equivalent("share-the-batch", "`x @ w - y`  ->  `y - x @ w`", _EITHER_WAY),
]
