"""Random inputs of every picture, right ones and wrong ones, and what NumPy and JAX make of them."""

import ast
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding

from jaxcourse.play import (
    _autodiff,
    _broadcasting,
    _compiles,
    _indexing,
    _keys,
    _memory,
    _pieces,
    _roofline,
    _sharding,
)
from jaxcourse.play._words import evaluated, tuple_of

State = dict[str, str]
REFUSED = "refused"
REFUSALS = (ValueError, LookupError, TypeError, SyntaxError, SyntaxWarning, NameError, AttributeError, OverflowError)
"""What Python, NumPy and JAX raise for an input that is none."""


@dataclass(frozen=True)
class Kind:
    """How to try a picture.

    Args:
        draw: Makes a random state.
        says: What the picture must say about it, or an exception where it must refuse.
        facts: Other results by the names they have in the script.
        cost: How many times as long as the others it takes to learn what is right.
    """

    draw: Callable[[random.Random], State]
    says: Callable[..., str]
    facts: Callable[..., dict[str, Any]]
    cost: int = 1

    def expected(self, state: State) -> Any:
        try:
            return {"says": self.says(**state), **self.facts(**state)}
        except REFUSALS:
            return REFUSED


def shape_text(rng: random.Random, most: int = 4, longest: int = 6) -> str:
    lengths = [rng.choice([0, 1, 1, 2, 3, 4, longest]) for _ in range(rng.randrange(most + 1))]
    if rng.random() < 0.02:
        return rng.choice(["(3, -1)", "3,,4", "(3, 4", "3 4", "three", "", "3.5", "(2, 3) 4", "03, 4"])
    bare = ", ".join(map(str, lengths))
    return bare if len(lengths) > 1 and rng.random() < 0.5 else f"({bare}{',' * (len(lengths) == 1)})"


def part(rng: random.Random) -> str:
    """A bound of a slice, now and then outside of every axis."""
    return "" if rng.random() < 0.4 else str(rng.randrange(-8, 9))


def slice_text(rng: random.Random) -> str:
    step = rng.choice(["", "", ":", ":2", ":-1", ":-2", ":3", ":None", f":{rng.randrange(-4, 5)}"])
    return rng.choice([":", f"{part(rng)}:{part(rng)}{step}", f"{part(rng)}:{part(rng)}{step}"])


def basic_item(rng: random.Random) -> str:
    other = [str(rng.randrange(-4, 4)), "0", "None", "...", "np.newaxis"]
    return slice_text(rng) if rng.random() < 0.6 else rng.choice(other)


def subscript(rng: random.Random, item: Callable[[random.Random], str], most: int = 4) -> str:
    if rng.random() < 0.03:
        return rng.choice(
            ["[()]", "[]", "[1:2", "[a]", "[1.5]", "[1 2]", "[:,,1]", "[::0]", "[01]", "[1:2:3:4]", "[-]"]
        )
    items = ",".join(item(rng) for _ in range(rng.randrange(1, most)))
    return f"[{items}{rng.choice(['', '', '', ','])}]"


def memory_step(rng: random.Random) -> str:
    numbers = ", ".join(str(rng.choice([-1, 0, 1, 2, 3, 4, 6, 8, 12])) for _ in range(rng.randrange(1, 4)))
    calls = [".T", ".ravel()", ".copy()", ".flatten()", ".reshape(-1)", f".reshape({numbers})"]
    calls += [
        f".reshape(({numbers},))",
        ".transpose()",
        ".transpose(1, 0)",
        ".transpose((2, 0, 1))",
        ".transpose(0, -1)",
    ]
    if rng.random() < 0.01:
        return rng.choice([".foo", ".reshape()"])
    return subscript(rng, basic_item) if rng.random() < 0.6 else rng.choice(calls)


def factored(rng: random.Random, state: State) -> str:
    """A reshape that has the right count of elements, which random numbers seldom have."""
    try:
        size = evaluated(state["view"], np.empty(tuple_of(state["shape"]), np.int8)).size
    except REFUSALS:
        return ""
    lengths = []
    while size > 1 and len(lengths) < 3:
        length = rng.choice([n for n in range(1, size + 1) if size % n == 0])
        lengths.append(length)
        size //= length
    return f".reshape({', '.join(map(str, [*lengths, size]))})"


def memory_state(rng: random.Random) -> State:
    view = "x" + "".join(memory_step(rng) for _ in range(rng.randrange(4)))
    dtype, order = rng.choice(_memory.DTYPES), rng.choice("CF")
    state = {"shape": shape_text(rng), "dtype": dtype, "order": order, "view": view}
    return state | {"view": view + factored(rng, state)} if rng.random() < 0.5 else state


def require_arrays(view: str, x: Any) -> None:
    """NumPy's numbers have methods and can be indexed again; the picture ends where a number has been picked."""
    for node in ast.walk(ast.parse(view.strip(), mode="eval")):
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.value, ast.Name):
            inner = ast.unparse(node.value)
            if isinstance(evaluated(inner, x), np.generic):
                raise ValueError(f"{inner} is a number")


def memory_facts(shape: str, dtype: str, order: str, view: str) -> dict[str, Any]:
    require_arrays(view, np.empty(tuple_of(shape)))
    x = np.arange(np.prod(tuple_of(shape), dtype=int)).reshape(tuple_of(shape)).copy(order=order)
    return {"numbers": np.asarray(evaluated(view, x)).ravel().tolist()}


def broadcasting_state(rng: random.Random) -> State:
    """Shapes that have a good chance to broadcast: each is a part of one shape, with some lengths 1."""
    whole = [rng.choice([0, 1, 2, 3, 3, 5, 100]) for _ in range(rng.randrange(5))]
    texts = {"c": ""}
    for name in rng.choice(["ab", "abc"]):
        last = whole[rng.randrange(len(whole) + 1) :]
        shape = [rng.choice([length, length, 1, 1, rng.choice([length, 4])]) for length in last]
        texts[name] = rng.choice(["{}", "({},)", "[{}]", "({})"]).format(", ".join(map(str, shape))) if shape else "()"
    if rng.random() < 0.05:
        texts[rng.choice("abc")] = shape_text(rng)
    if rng.random() < 0.05:
        texts[rng.choice("ab")] = rng.choice(["-1", "3 4", "a", "(,)", "2,,3", " "])
    return texts


def broadcasting_facts(a: str, b: str, c: str) -> dict[str, Any]:
    try:
        return {"result": list(np.broadcast_shapes(*(tuple_of(text) for text in (a, b, c) if text.strip())))}
    except ValueError:
        return {"result": None}


def list_text(rng: random.Random, length: int, axes: int = 1) -> str:
    """A list of positions on an axis of some length, now and then out of bounds, nested or ragged."""
    low, high = (-length - 1, length + 1) if rng.random() < 0.05 else (-length, length)
    count = rng.choice([0, 1, 2, 2, 3])
    items = [rng.randrange(low, high) if high > low else 0 for _ in range(count)]
    return rng.choice([str(items), str(items), str([[item] for item in items]), str([items, items])])


def mask_text(rng: random.Random, lengths: list[int]) -> str:
    def mask(rest: list[int]) -> Any:
        return [mask(rest[1:]) for _ in range(rest[0])] if rest else rng.random() < 0.5

    wrong = rng.random() < 0.05
    return str(mask([length + wrong for length in lengths]))


def axis_text(rng: random.Random, length: int) -> str:
    """What selects along one axis."""
    what = rng.choice(["slice", "number", "list", "list", "mask"])
    if what == "slice":
        return slice_text(rng) if rng.random() < 0.3 else ":"
    if what == "number":
        return str(rng.randrange(-length, length)) if length else "0"
    return list_text(rng, length) if what == "list" else mask_text(rng, [length])


def indexing_state(rng: random.Random) -> State:
    """An index made axis by axis, so that most of them are right."""
    lengths = [rng.choice([0, 1, 2, 3, 3, 4]) if rng.random() < 0.3 else 3 for _ in range(rng.randrange(4))]
    items, axis = [], 0
    while axis < len(lengths) and rng.random() < 0.85:
        if rng.random() < 0.1 and axis + 1 < len(lengths):
            items.append(mask_text(rng, lengths[axis : axis + 2]))
            axis += 2
        else:
            items.append(axis_text(rng, lengths[axis]))
            axis += 1
    for extra in ("None", "...", rng.choice(["True", "False", "..."])):
        if rng.random() < 0.12:
            items.insert(rng.randrange(len(items) + 1), extra)
    text = f"x[{', '.join(items) or '()'}]"
    if rng.random() < 0.04:
        odd = ["[[0, [1]]]", "[[0, True]]", "[[[0], [1, 2]]]", "[[0, 1]", "[[0 1]]", "[[0], [0], [0], [0]]", "[[a]]"]
        text = "x" + rng.choice([*odd, "[[1.0]]", "[[]]", "[[[]]]", "[[], []]", "[[0, 1], [0, 1, 2]]", "[1, [0], 5]"])
    elif rng.random() < 0.1:
        text = "x" + subscript(rng, basic_item)
    return {"shape": f"({', '.join(map(str, lengths))}{',' * (len(lengths) == 1)})", "index": text}


def indexing_facts(shape: str, index: str) -> dict[str, Any]:
    lengths = tuple_of(shape)
    x = np.arange(np.prod(lengths, dtype=int)).reshape(lengths)
    found = evaluated(index, x)
    kind = "view" if getattr(found, "base", None) is x.base else "copy"
    kind = "number" if isinstance(found, np.generic) else kind
    return {"shape": list(np.shape(found)), "numbers": np.ravel(found).tolist(), "kind": kind}


def sharding_state(rng: random.Random) -> State:
    """Meshes of at most the 8 devices that the tests simulate, and specs that mostly fit."""
    sizes = rng.choice([[8], [4, 2], [2, 4], [2, 2, 2], [2, 3], [1, 4], [5], [2, 1, 2], [3, 1]])
    names = rng.sample(["x", "y", "z", "data", "model_1"], len(sizes))
    odd = [0, 1, 2, 4, 8, 24, 24, 48]
    shape = [rng.choice(odd) if rng.random() < 0.3 else 120 for _ in range(rng.randrange(4))]
    free = rng.sample(names, len(names))
    entries = []
    for _ in range(rng.randrange(len(shape) + 1)):
        take = rng.choice([0, 1, 1, 2])
        group, free = free[:take], free[take:]
        quoted = ", ".join(rng.choice(["'{}'", '"{}"']).format(name) for name in group)
        one = rng.choice([f"({quoted},)", quoted])
        entries.append("None" if not group else one if len(group) == 1 else f"({quoted})")
    mesh = ", ".join(f"{name}{rng.choice(['=', ' = ', ':'])}{size}" for name, size in zip(names, sizes, strict=True))
    spec = f"P({', '.join(entries)}{rng.choice(['', '', ',']) if entries else ''})"
    if rng.random() < 0.06:
        twice = f"P('{names[0]}', '{names[0]}')"
        others = "P('u') | P('x' | P(x) | Q() | P(None, None, None, None) | P('x' 'y') | P() P | P(3)"
        spec = rng.choice([twice, *others.split(" | ")])
    if rng.random() < 0.03:
        mesh = rng.choice(["", "x", "4, 2", "x=0", "x=2, x=2", "x=2 y=2", "x=-1", "x=1.5", "=3"])
    return {"shape": f"({', '.join(map(str, shape))}{',' * (len(shape) == 1)})", "mesh": mesh, "spec": spec}


def sharding_facts(shape: str, mesh: str, spec: str) -> dict[str, Any]:
    """What each device holds, by JAX's own devices."""
    lengths, axes = tuple_of(shape), _sharding.mesh_of(mesh)
    devices = np.array(jax.devices()[: int(np.prod(list(axes.values())))]).reshape(tuple(axes.values()))
    cut = NamedSharding(Mesh(devices, tuple(axes)), _sharding.spec_of(spec))
    found = sorted(cut.devices_indices_map(lengths).items(), key=lambda item: item[0].id)
    held = [[list(one.indices(length)[:2]) for one, length in zip(index, lengths, strict=True)] for _, index in found]
    return {"held": held, "local": list(cut.shard_shape(lengths))}


def keys_state(rng: random.Random) -> State:
    """A few lines that use names which mostly exist, and small numbers, so that keys are met again."""
    seed = rng.choice([0, 1, 42, 2**32 - 1, rng.randrange(2**32)])
    lines, names = [f"k = key({seed})"], ["k"]
    for _ in range(rng.randrange(7)):
        name = rng.choice(names)
        new = rng.choice(["k", "a", "b", "c"])
        line, gives = rng.choice(
            [
                (f"{new}, d = split({name})", [new, "d"]),
                (f"{new} = split({name}, {rng.randrange(1, 4)})", [f"{new}[0]", f"{new}[-1]"]),
                (f"{new} = fold_in({name}, {rng.choice([0, 1, 2, 2**32 - 1])})", [new]),
                (f"x = uniform({name})", []),
                (f"uniform(fold_in({name}, {rng.randrange(3)}))  # drawn", []),
                (f"{new} = jax.random.split({name})[{rng.randrange(2)}]", [new]),
                (f"{new} = {name}", [new]),
            ]
        )
        names = [one for one in names if not one.startswith(f"{new}[")] + gives if gives else names
        lines += [line, *[""] * (rng.random() < 0.1)]
    if rng.random() < 0.15:
        odd = [
            "split(z)",
            "a, b, c = split(k)",
            "a, b = fold_in(k, 1)",
            "x = uniform(split(k))",
            "fold_in(k, -1)",
            "fold_in(k)",
            "k[0]",
            "split(k, 2)[2]",
            "normal(k)",
            "uniform(k, 3)",
            "a = = k",
            "split(k",
            "fold_in(k, 4294967296)",
            "uniform(uniform(k))",
        ]
        lines.append(rng.choice(odd))
    return {"program": "\n".join(lines) if rng.random() < 0.98 else ""}


def keys_facts(program: str) -> dict[str, Any]:
    made = _keys.Program(program).keys
    return {"data": [list(key.data) for key in made], "draws": [key.draws for key in made]}


LEAVES = [
    "ones(3)",
    "zeros(3)",
    "ones((3,))",
    "ones((2, 3), int32)",
    "np.ones(3)",
    "np.zeros(3, np.float32)",
    "jnp.ones(3)",
    "1.0",
    "-2",
    "True",
    "ones((), bool)",
    "float32(1)",
    "int32(2)",
    "1e3",
    "ones([3], float16)",
    "None",
    "ones(0, int8)",
]
STATIC = "1 | 2 | 1.0 | True | 'a' | \"a\" | (1, 2) | (1.0, True) | (1, (2,)) | None | 0 | -0.0 | False | 0.0 | (1, 1)"
NO_CALLS = [
    "f()",
    "f(n=1)",
    "f(1, 2, 3)",
    "f(1, x=2)",
    "f(y=1)",
    "g(1)",
    "f(1",
    "f(ones(-1))",
    "f('a')",
    "f(x=1, 2)",
    "f(3000000000)",
    "f(1, n={'a': 1}, n=2)",
    "f(ones(3, 4, 5))",
    "f(h(3))",
    "f(007)",
    "f(1) 2",
]


def argument_text(rng: random.Random, depth: int = 0) -> str:
    if depth == 2 or rng.random() < 0.7:
        return rng.choice(LEAVES)
    items = [argument_text(rng, depth + 1) for _ in range(rng.randrange(3))]
    keys = rng.sample(["a", "b", "c"], len(items))
    tuples = f"({', '.join(items)}{',' * (len(items) == 1)})"
    entries = ", ".join(f"{key!r}: {item}" for key, item in zip(keys, items, strict=True))
    return rng.choice([f"[{', '.join(items)}]", tuples, f"{{{entries}}}"])


def compiles_state(rng: random.Random) -> State:
    """Calls of a few values each, so that many of them meet a program again."""
    static = rng.choice(["none", "n"])
    xs = [argument_text(rng) for _ in range(2)]
    values = STATIC.split(" | ") if static == "n" else ["1", "2", "1.0", "True", "ones(3)", "[1, 2]", "None"]
    ns = rng.sample(values, 3)
    lines = []
    for _ in range(rng.randrange(1, 5)):
        x, n = rng.choice(xs), rng.choice(ns)
        given = rng.choice([x, f"{x}, {n}", f"{x}, n={n}", f"x={x}, n={n}", f"n={n}, x={x}", f"x={x}"])
        lines.append(f"f({given})")
    if rng.random() < 0.12:
        lines.append(rng.choice([*NO_CALLS, "f(1, [1])" if static == "n" else "f(1, 'a')"]))
    return {"static": static, "calls": "\n".join(lines) if rng.random() < 0.97 else rng.choice(["", "# nothing"])}


def compiles_facts(static: str, calls: str) -> dict[str, Any]:
    lines = [line.partition("#")[0].strip() for line in calls.splitlines()]
    return {"programs": _compiles.programs_of([line for line in lines if line], static)}


def pieces_state(rng: random.Random) -> State:
    """Small arrays, mostly cut where they can be, and an index that is mostly inside."""
    shape = [rng.choice([1, 2, 3, 4, 4, 6, 6, 8, 12]) for _ in range(rng.choice([1, 2, 2, 2]))]
    axis = rng.choice([*range(len(shape)), *([1] if rng.random() < 0.1 else [])])
    fitting = [n for n in (1, 2, 3, 4, 6, 8) if axis < len(shape) and shape[axis] % n == 0]
    devices = rng.choice([1, 2, 3, 4, 6, 8] if rng.random() < 0.1 or not fitting else fitting)
    index = [rng.randrange(-length, length + (rng.random() < 0.02)) for length in shape]
    texts = {"shape": ", ".join(map(str, shape)), "element": ", ".join(map(str, index))}
    if rng.random() < 0.03:
        texts[rng.choice(list(texts))] = rng.choice(["", "()", "2, 2, 2", "0, 3", "a", "1 2", "[2, 3", "(4, 6)", "99"])
    return texts | {"order": rng.choice("CF"), "devices": str(devices), "axis": str(axis)}


def pieces_facts(shape: str, order: str, devices: str, axis: str, element: str) -> dict[str, Any]:
    """Where each element lies, by the bytes themselves, and who holds it."""
    x = _pieces.array_of(shape, order)
    there = np.frombuffer(x.tobytes(order="A"), np.float32)
    shards = _pieces.shards_of(x, int(devices), int(axis))
    held = {value: device for device, shard in enumerate(shards) for value in shard.ravel().tolist()}
    return {
        "strides": list(x.strides),
        "bytes": [4 * int(np.flatnonzero(there == value)[0]) for value in x.ravel()],
        "holders": [held[value] for value in x.ravel().tolist()],
    }


def roofline_state(rng: random.Random) -> State:
    """Ceilings and kernels over many powers of ten; some kernels stand exactly at the ridge."""
    bandwidth, peak = rng.choice([1, 10, 25.6, 400, 3350]), rng.choice([0.05, 1, 2.5, 67, 989])
    moved = rng.choice([1, 8, 12, 1e6, 3.2e9, rng.randrange(1, 10**6)])
    flop = rng.choice([moved, moved * 1000 * peak / bandwidth, moved / 12, moved * 300, rng.randrange(1, 10**6)])
    state = {"bandwidth": bandwidth, "peak": peak, "flop": flop, "moved": moved}
    texts = {name: rng.choice(["{!r}", " {!r} "]).format(value) for name, value in state.items()}
    if rng.random() < 0.1:
        texts[rng.choice(list(texts))] = rng.choice(["", "fast", "0", "-1", "1e400", "1,5", "nan", "1 2", "inf", "1e"])
    return texts


def roofline_facts(bandwidth: str, peak: str, flop: str, moved: str) -> dict[str, Any]:
    kernel = _roofline.bound(*map(_roofline.positive, (bandwidth, peak, flop, moved)))
    return {"intensity": kernel.intensity, "rate": kernel.rate, "seconds": kernel.seconds}


NO_EXPRESSIONS = [
    "",
    "3 + 4",
    "x +",
    "x y",
    "2x",
    "x^2",
    "(x",
    "x)",
    "sin x",
    "sin()",
    "sin(x, y)",
    "z",
    "abs(x)",
    "x // y",
    "x % 2",
    "x == y",
    "x * * y",
    "x + 007",
    "sin(x",
    "x[0]",
    "x.y",
    "+".join("x" * 16),
]


def expression_text(rng: random.Random, depth: int = 0) -> str:
    if depth == 4 or rng.random() < 0.15 + 0.1 * depth:
        return rng.choice(["x", "y", "x", "y", "2", "0.5", "3", "1e-3", ".25", "10.", "0"])
    inner = [expression_text(rng, depth + 1) for _ in range(2)]
    name = rng.choice(["sin", "cos", "exp", "log", "sqrt", "tanh", "jnp.sin", "np.exp"])
    forms = ["{0} + {1}", "{0}-{1}", "({0}) * ({1})", "({0}) / ({1})", "({0})**({1})", "({0})**2", "x**-1", "-{0}"]
    forms += [f"{name}({{0}})", f"{name}({{0}})", "{0} * {1}", "{0}**{1}", "+{0}", "-{0}**2", "({0})**0", " ( {0} ) "]
    return rng.choice(forms).format(*inner)


def is_blurred(state: State) -> bool:
    """Whether some number may be nothing but a rest of rounding, in which no two machines agree."""
    try:
        tape = _autodiff.tape_of(state["f"], state["x"], state["y"], state["way"])
    except REFUSALS:
        return False
    return any(0 < abs(one) < 1e-12 for one in [*tape.values, *tape.derivatives])


def autodiff_state(rng: random.Random) -> State:
    """Expressions of a few operations, also where logarithms, roots and quotients have no derivative."""
    while is_blurred(state := unsifted_state(rng)):
        pass
    return state


def unsifted_state(rng: random.Random) -> State:
    f = expression_text(rng)
    usual = ["1", "2", "0.5", "-1.5", "0", "-2", "1e-2", f"{rng.uniform(-3, 3):.3f}"]
    state = {"f": f, "x": rng.choice(usual), "y": rng.choice(usual), "way": rng.choice(_autodiff.WAYS), "step": ""}
    if rng.random() < 0.4:
        state["step"] = str(rng.randrange(14))
    if rng.random() < 0.08:
        state["f"] = rng.choice(NO_EXPRESSIONS)
    elif rng.random() < 0.04:
        state[rng.choice("xy")] = rng.choice(["", "a", "1 2", "nan", "inf", "1e999", "1,5", "0x1"])
    elif rng.random() < 0.02:
        state["step"] = rng.choice(["-1", "1.5", "one"])
    return state


def autodiff_facts(f: str, x: str, y: str, way: str, step: str) -> dict[str, Any]:
    tape = _autodiff.tape_of(f, x, y, way)
    texts = {"values": tape.values, "derivatives": tape.derivatives}
    shown = {name: [_autodiff.figure(one) for one in numbers] for name, numbers in texts.items()}
    return {**shown, "tape": [line.made for line in tape.lines]}


KINDS = {
    "autodiff": Kind(autodiff_state, _autodiff.autodiff_says, autodiff_facts, cost=2),
    "memory": Kind(memory_state, _memory.memory_says, memory_facts),
    "broadcasting": Kind(broadcasting_state, _broadcasting.broadcasting_says, broadcasting_facts),
    "indexing": Kind(indexing_state, _indexing.indexing_says, indexing_facts),
    "sharding": Kind(sharding_state, _sharding.sharding_says, sharding_facts),
    "keys": Kind(keys_state, _keys.keys_says, keys_facts, cost=2),
    "compiles": Kind(compiles_state, _compiles.compiles_says, compiles_facts, cost=5),
    "pieces": Kind(pieces_state, _pieces.pieces_says, pieces_facts),
    "roofline": Kind(roofline_state, _roofline.roofline_says, roofline_facts),
}
