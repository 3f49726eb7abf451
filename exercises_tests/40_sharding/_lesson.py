"""What the exercises of lesson 40 share."""

import math

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import insides, probe
from jaxcourse.checks import refuse, require
from jaxcourse.exercise import is_close, numbers

WORDS = """
other-dtype: You were given `float32`, and returned `{dtype}`. Keep the dtype.
not-a-tuple: Return the {count} arrays {names}, as a tuple in this order.
other-numbers: Your `{name}` has different numbers, or a different shape or dtype, from the one that you were given.
    Change only its layout.
layout-refused/names: JAX refused your layout, because a spec names an axis that the mesh does not have.
layout-refused/entries: JAX refused your layout, because a spec has more entries than an array has axes.
not-on-mesh: Your `{name}` does not lie on the whole mesh ({axes}). Place it there, if only as copies.
other-layout/few: {what} lies on {on}, and not on those of the mesh that you were given (mesh: {mesh}).
other-layout/copied: {what} is a copy on each device, not cut (mesh: {mesh}).
other-layout/turned: {what} has the right pieces, but on other devices (mesh: {mesh}). In a tuple of names, the first is
    the slow one.
other-layout/otherwise: {what} is cut into {few} pieces, as many as it should have, but in another way (mesh: {mesh}).
    Which axis does your spec cut?
other-layout/pieces: {what} is cut into {few} different pieces, not into {many} as the task says (mesh: {mesh}).
"""


UNKNOWN_NAME = "is not found in mesh"
"""What JAX says of a spec with a name that the mesh does not have."""

TOO_MANY_ENTRIES = "is only valid for values of rank"
"""What JAX says of a spec with more entries than the array has axes."""

LAYOUT_REFUSED = {"layout-refused/names": UNKNOWN_NAME, "layout-refused/entries": TOO_MANY_ENTRIES}
"""Where a spec does not fit the mesh or the array; any other exception speaks for itself."""


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


def counted(devices):
    """So many devices, in words."""
    return f"{devices} device{'' if devices == 1 else 's'}"


def parts(pieces):
    """The different pieces, whoever holds them."""
    return {str(ranges) for _, ranges in pieces}


def lying(pieces, axes, spec, shape):
    """How an array lies that should lie by a spec, in one word, which is empty if it does; and the facts for words."""
    want = held(axes, spec, shape)
    facts = {"mesh": written(axes), "few": len(parts(pieces)), "many": len(parts(want))}
    facts |= {"on": counted(len(pieces)), "of": counted(len(want))}
    if pieces == want:
        return "", facts
    if len(pieces) != len(want):
        return "few", facts
    if facts["few"] == 1:
        return "copied", facts
    if facts["few"] == facts["many"]:
        return "turned" if parts(pieces) == parts(want) else "otherwise", facts
    return "pieces", facts


def require_layout(pieces, axes, spec, shape, what="Your result"):
    """Require that an array lies by a spec."""
    how, facts = lying(pieces, axes, spec, shape)
    refuse(how == "few", "other-layout/few", what=what, **facts)
    refuse(how == "copied", "other-layout/copied", what=what, **facts)
    refuse(how == "turned", "other-layout/turned", what=what, **facts)
    refuse(how == "otherwise", "other-layout/otherwise", what=what, **facts)
    refuse(how, "other-layout/pieces", what=what, **facts)


def pieces_of(found):
    """Who holds what of a result that should be one array; nothing if it is not."""
    return found[0]["pieces"] if len(found) == 1 else []


def require_float32(got):
    """Require that the numbers of a result have the dtype of those that came in."""
    dtype = str(numbers(got).dtype)
    require(dtype == "float32", "other-dtype", dtype=dtype)


def require_only(collectives, allowed, label):
    """Require that a program contains no collective but some: the label's words have the `{others}`."""
    others = [f"{'an' if name[0] == 'a' else 'a'} {name}" for name in collectives if name not in allowed]
    refuse(others, label, others=" and ".join(others))


@probe.question(evidence="values")
def inside(student_function, placed, calls):
    """The answer's result of each call, when it is called inside `jax.jit`, with its mesh."""
    found = []
    for args in calls:
        function, given, context = probe.prepared(student_function, placed, args)
        with context:
            # What an answer changes while it is traced must not change what its program is given.
            found.append(jax.jit(function).lower(*given).compile()(*given))
    return found


def in_float32(result, devices, like, *rest):
    """The numbers of a result, in the shape and the dtype of the first array that came in."""
    shape = numbers(result).shape
    require(shape == like.shape, "wrong-shape", f"The shape should be {like.shape}, not {shape}.")
    require_float32(result)
    return result


def programs_of(answer, replies):
    """For each reply the number of devices, the arguments, and what the compiler made of the answer."""
    for devices, *args in (reply.case for reply in replies):
        yield devices, args, answer.probe(probe.partitioned, replies.ask.placing(devices), *args)


EXPLICIT_OR_AUTO = "Explicit", "Auto"
AUTO_OR_EXPLICIT = "Auto", "Explicit"
"""The kind of axes that a task speaks of, and the one that an answer gets if JAX refuses it there."""


def multiplied(student_function, placed, layers, *arrays):
    """How an answer places some arrays, and what their compiled product is, with a maximum between if it has layers."""

    def network(x, first, second):
        return jnp.maximum(x @ first, 0) @ second

    def on_auto_axes(array):
        """Where it lies, with axes as the class makes them: so each product is compiled, whatever must be sent."""
        lies = array.sharding
        if not isinstance(lies, jax.sharding.NamedSharding):
            return array
        auto = jax.sharding.Mesh(lies.mesh.devices, lies.mesh.axis_names)
        return jax.device_put(array, jax.sharding.NamedSharding(auto, lies.spec))

    mesh = probe.prepared(lambda mesh: mesh, placed, [])[0]()
    given = student_function(mesh, *arrays)
    if not isinstance(given, (tuple, list)) or len(given) != len(arrays):
        return {"tuple": False}
    facts = {"tuple": True, "pieces": [[leaf["pieces"] for leaf in probe.pieces(part)][:1] for part in given]}
    facts["values"] = [np.asarray(part) for part in given]
    same = all(np.shape(part) == np.shape(array) for part, array in zip(given, arrays, strict=True))
    if not same or not all(probe.is_really(part, jax.Array) for part in given):
        return facts
    if len({len(part.sharding.device_set) for part in given}) > 1:
        return facts
    given = [on_auto_axes(part) for part in given]
    with insides.as_ever():
        compiled = jax.jit(network if layers else jnp.matmul).lower(*given).compile()
    return {
        **facts,
        **probe.communicated(compiled),
        "flops": probe.facts(compiled)["flops"],
        "result": probe.pieces(compiled(*given))[0]["pieces"],
    }


def require_placed(facts, arrays, names, axes):
    """Require that arrays came back as they were, on the whole mesh."""
    require(facts["tuple"], "not-a-tuple", count=len(names), names=", ".join(f"`{name}`" for name in names))
    for name, array, got, pieces in zip(names, arrays, facts["values"], facts["pieces"], strict=True):
        require(is_close(got, array) and got.dtype == array.dtype, "other-numbers", name=name)
        lies = pieces and len(pieces[0]) == math.prod(axes.values())
        require(lies, "not-on-mesh", name=name, axes=written(axes))


SIMULATED = 8
"""How many devices the lesson has: where an answer is judged, there may be others."""
