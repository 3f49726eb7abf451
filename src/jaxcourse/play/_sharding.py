"""Which device of a mesh holds which piece of an array."""

from __future__ import annotations

import ast
import math

import numpy as np
from jax.sharding import AbstractMesh, NamedSharding
from jax.sharding import PartitionSpec as P

from jaxcourse.play._play import Field, Play, start
from jaxcourse.play._words import counted, tuple_of

FIELDS = (
    Field("shape", "shape of the array", "Lengths, such as 16, 32"),
    Field("mesh", "mesh", "Names and sizes: x=4, y=2"),
    Field("spec", "partition spec", "For each axis 'x', None or ('x', 'y')", wide=True),
)
STATE = {"shape": "16, 32", "mesh": "x=4, y=2", "spec": "P('x', 'y')"}
EXAMPLES = {
    "rows over x": {"shape": "16, 32", "mesh": "x=4, y=2", "spec": "P('x', None)"},
    "columns over y": {"shape": "16, 32", "mesh": "x=4, y=2", "spec": "P(None, 'y')"},
    "rows over both": {"shape": "16, 32", "mesh": "x=4, y=2", "spec": "P(('x', 'y'), None)"},
    "y first": {"shape": "16, 32", "mesh": "x=4, y=2", "spec": "P(('y', 'x'), None)"},
    "copies": {"shape": "16, 32", "mesh": "x=4, y=2", "spec": "P()"},
    "a line": {"shape": "16, 32", "mesh": "x=8", "spec": "P('x')"},
    "a cube": {"shape": "8, 8", "mesh": "x=2, y=2, z=2", "spec": "P('z', ('x', 'y'))"},
}
Spans = tuple[tuple[int, int], ...]


def sharding(spec: str | None = None, *, shape: str | None = None, mesh: str | None = None) -> Play:
    """Let the reader choose a mesh and a partition spec, and see which device holds what.

    Args:
        spec: the partition spec at the start, such as `"P('x', None)"`.
        shape: the shape of the array at the start.
        mesh: the axes of the mesh at the start, such as `"x=4, y=2"`.

    Returns:
        The picture, to be shown by a notebook. It needs no device.

    Raises:
        ValueError: if JAX refuses that start.

    Example:
        >>> print(sharding("P('x')", shape="4, 6", mesh="x=2, y=2").says)
        P('x') cuts an array of shape (4, 6) into 2 pieces of shape (2, 6), on 4 devices. Axis 0 is cut into 2 by x.
        The spec does not name y: each piece lies on 2 devices. Devices 0, 1: [0:2, :]. Devices 2, 3: [2:4, :].
    """
    state = start("sharding", STATE, {"spec": spec, "shape": shape, "mesh": mesh})
    question = "Choose a mesh and a partition spec, and see which device holds what."
    says = sharding_says(**state)
    return Play("sharding", question, FIELDS, state, says, EXAMPLES, scripts=("shapes",))


def mesh_of(text: str) -> dict[str, int]:
    """The axes of a mesh by their names.

    Example:
        >>> mesh_of("x=4, y=2")
        {'x': 4, 'y': 2}
    """
    call = ast.parse(f"dict({text.replace(':', '=')})", mode="eval").body
    assert isinstance(call, ast.Call)
    sizes = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    right = len(sizes) == len(call.keywords) and all(isinstance(size, int) and size > 0 for size in sizes.values())
    if call.args or not sizes or not right:
        raise ValueError(f"a mesh needs names with sizes, such as x=4, not {text!r}")
    return sizes


def spec_of(text: str) -> P:
    """The partition spec in a text.

    Example:
        >>> len(spec_of("P('x', None)"))
        2
    """
    call = ast.parse(text.strip(), mode="eval").body
    if not (isinstance(call, ast.Call) and ast.unparse(call.func) == "P" and not call.keywords):
        raise ValueError(f"a partition spec is P(...), not {text!r}")
    return P(*map(ast.literal_eval, call.args))


def names_of(spec: P, ndim: int) -> list[tuple[str, ...]]:
    """For each axis of an array the axes of the mesh that cut it."""
    entries = [(entry,) if isinstance(entry, str) else entry or () for entry in tuple(spec)]
    return [*entries, *[()] * (ndim - len(entries))]


def holders(shape: tuple[int, ...], mesh: dict[str, int], spec: P) -> dict[Spans, list[int]]:
    """Which devices hold which piece: the mesh is turned until its axes stand as the spec names them."""
    names, local = names_of(spec, len(shape)), local_shape(shape, mesh, spec)
    named = [name for group in names for name in group]
    rest = [name for name in mesh if name not in named]
    devices = np.arange(math.prod(mesh.values())).reshape(tuple(mesh.values()))
    turned = devices.transpose([list(mesh).index(name) for name in [*named, *rest]])
    counts = [math.prod(mesh[name] for name in group) for group in names]
    found: dict[Spans, list[int]] = {}
    for place, some in zip(np.ndindex(*counts), turned.reshape(math.prod(counts), -1).tolist(), strict=True):
        spans = tuple((i * n, (i + 1) * n) for i, n in zip(place, local, strict=True))
        found[spans] = sorted([*found.get(spans, []), *some])  # pieces without elements may be the same
    return found


def local_shape(shape: tuple[int, ...], mesh: dict[str, int], spec: P) -> tuple[int, ...]:
    """The shape of a piece, by JAX itself, which refuses what does not fit."""
    try:
        return NamedSharding(AbstractMesh(tuple(mesh.values()), tuple(mesh)), spec).shard_shape(shape)
    except Exception as error:  # a name that stands twice is refused with a class that JAX does not export
        raise ValueError(f"JAX refuses {spec} of {shape} over {mesh}: {error}") from error


def sharding_says(shape: str, mesh: str, spec: str) -> str:
    """What the picture says, by JAX itself."""
    lengths, axes, cut = tuple_of(shape), mesh_of(mesh), spec_of(spec)
    local, names = local_shape(lengths, axes, cut), names_of(cut, len(lengths))
    devices = math.prod(axes.values())
    pieces = math.prod(axes[name] for group in names for name in group)
    words = [
        f"{spec.strip()} cuts an array of shape {lengths} into {counted(pieces, 'piece')} of shape {local}, "
        f"on {counted(devices, 'device')}."
    ]
    for axis, group in enumerate(names):
        if group:
            count = math.prod(axes[name] for name in group)
            words.append(f"Axis {axis} is cut into {count} by {', then '.join(group)}.")
    unnamed = [name for name in axes if not any(name in group for group in names)]
    copies = "no copy is made" if devices == pieces else f"each piece lies on {devices // pieces} devices"
    words.append(
        f"The spec does not name {', '.join(unnamed)}: {copies}." if unnamed else "Each piece lies on 1 device."
    )
    return " ".join([*words, *_pieces_with_devices(lengths, holders(lengths, axes, cut))])


def _pieces_with_devices(shape: tuple[int, ...], found: dict[Spans, list[int]]) -> list[str]:
    """The first pieces, each with its devices."""
    together: dict[str, list[int]] = {}
    for spans, devices in found.items():
        parts = zip(spans, shape, strict=True)
        index = ", ".join(":" if stop - first == length else f"{first}:{stop}" for (first, stop), length in parts)
        together[index] = sorted([*together.get(index, []), *devices])
    ordered = sorted(together.items(), key=lambda item: item[1])[:16]
    return [f"Device{'s' * (len(who) > 1)} {', '.join(map(str, who))}: [{index}]." for index, who in ordered]
