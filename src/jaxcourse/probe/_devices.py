"""Questions about an answer on several devices: what it computes there, what is held where, what is communicated.

A question carries a *placing*: the mesh, and where each argument lies on it. It is plain data, so that a grader can
send it to another process.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import jax
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from jaxcourse import insides
from jaxcourse.probe._channel import is_really
from jaxcourse.probe._programs import facts, jitted
from jaxcourse.probe._question import question

Spec = Any
"""Where an argument lies: for each of its axes the name of a mesh axis, a list of names, or None; `[]` is a copy on
each device. For a dictionary of arrays a dictionary of these. None leaves the argument as it is."""

Placing = dict[str, Any]
"""What `placing` gives."""


def placing(
    axes: Mapping[str, int],
    *specs: Spec,
    mesh: Literal["", "argument", "context"] = "",
    explicit: bool = False,
    backwards: bool = False,
) -> Placing:
    """A mesh, and where the arguments of an answer lie on it.

    Args:
        axes: the size of each axis of the mesh by its name.
        *specs: for each argument where it lies; see `Spec`.
        mesh: whether the answer gets the mesh: as its first argument, from the context (`jax.set_mesh`), or not.
        explicit: whether the sharding is part of an array's type.
        backwards: whether the mesh has its devices in the opposite order.

    Example:
        >>> placing({"x": 4, "y": 2}, ["x", None], None)["axes"]
        {'x': 4, 'y': 2}
    """
    which = {"mesh": mesh, "explicit": explicit, "backwards": backwards, "number": next(_numbers)}
    return {"axes": dict(axes), "specs": list(specs), **which}


_numbers = itertools.count()


def mesh_of(placed: Placing) -> Mesh:
    """The mesh of a placing.

    Raises:
        RuntimeError: there are not as many devices.

    Example:
        >>> mesh_of(placing({"x": 1})).axis_names
        ('x',)
    """
    axes = placed["axes"]
    count, kind = math.prod(axes.values()), AxisType.Explicit if placed["explicit"] else AxisType.Auto
    if count > jax.device_count():
        raise RuntimeError(
            f"{count} devices are needed, and there are {jax.device_count()}: run the set-up cell first."
        )
    sizes, kinds = tuple(axes.values()), (kind,) * len(axes)
    devices = jax.devices()[:count]
    devices = devices[::-1] if placed["backwards"] else devices
    return jax.make_mesh(sizes, tuple(axes), axis_types=kinds, devices=devices)


def put(value: Any, spec: Spec, mesh: Mesh) -> Any:
    """An argument where its spec says."""
    if spec is None:
        return value
    if isinstance(spec, dict):
        return {name: put(part, spec[name], mesh) for name, part in value.items()}
    return jax.tree.map(functools.partial(jax.device_put, device=sharding_of(spec, mesh)), value)


def sharding_of(spec: Spec, mesh: Mesh) -> NamedSharding:
    """Where an array lies of which a spec says so."""
    return NamedSharding(mesh, PartitionSpec(*(tuple(axis) if isinstance(axis, list) else axis for axis in spec)))


def prepared(
    student_function: Callable[..., Any], placed: Placing, args: Sequence[Any]
) -> tuple[Callable[..., Any], list[Any], contextlib.AbstractContextManager[Any]]:
    """An answer that has its mesh, its arguments where they belong, and the context in which it is to be called."""
    mesh = mesh_of(placed)
    specs = [*placed["specs"], *[None] * (len(args) - len(placed["specs"]))]
    given = [put(value, spec, mesh) for value, spec in zip(args, specs, strict=True)]
    function = student_function
    if placed["mesh"] == "argument":
        function = _with_mesh(student_function, mesh, placed["number"])
    context = jax.set_mesh(mesh) if placed["mesh"] == "context" else contextlib.nullcontext()
    return function, given, context


@functools.lru_cache(maxsize=1)
def _with_mesh(student_function: Callable[..., Any], mesh: Mesh, number: int) -> Callable[..., Any]:
    """An answer that has its mesh.

    For the same placing it is the same object, so that of two questions JAX traces and compiles for one only. For
    another one it is not: what the answer calls may have been defined anew.
    """
    return functools.partial(student_function, mesh)


@question(evidence="values")
def on_mesh(student_function: Callable[..., Any], placed: Placing, *args: Any) -> Any:
    """The answer's result for arguments that lie on a mesh.

    Args:
        student_function: the answer.
        placed: what `placing` gives.
        *args: its arguments, without the mesh.

    Example:
        >>> on_mesh(lambda x: x.sum(), placing({"x": 1}, ["x"]), np.ones(4, np.float32))
        Array(4., dtype=float32)
    """
    function, given, context = prepared(student_function, placed, args)
    with context:
        return function(*given)


@question(evidence="process")
def held(student_function: Callable[..., Any], placed: Placing, *args: Any) -> Any:
    """Which part of the answer's result each device holds; for a tree of arrays, a list in the order of its leaves.

    Args:
        student_function: the answer.
        placed: what `placing` gives.
        *args: its arguments, without the mesh.

    Returns:
        See `pieces`.

    Example:
        >>> held(lambda x: x, placing({"x": 1}, ["x"]), np.ones((4, 2), np.float32))
        [{'shape': [4, 2], 'pieces': [[0, [[0, 4], [0, 2]]]]}]
    """
    return pieces(on_mesh(student_function, placed, *args), mesh_of(placed))


@question(evidence="process")
def called_on_mesh(
    student_function: Callable[..., Any], placed: Placing, calls: Sequence[Sequence[Any]]
) -> list[dict[str, Any]]:
    """The results of several calls on a mesh, compiled, and whether the copies of each piece are equal.

    One program calls the answer once for each kind of arguments: compiling one for each of them would cost more.

    Args:
        student_function: the answer.
        placed: what `placing` gives.
        calls: the arguments of each call, without the mesh.

    Returns:
        For each call its `result`, with arrays of NumPy, and `equal`: whether devices that hold the same piece of it
        hold the same numbers.

    Example:
        >>> called_on_mesh(lambda x: 2 * x, placing({"x": 1}, ["x"]), [[np.ones(2)], [np.zeros(3)]])[1]
        {'result': array([0., 0., 0.], dtype=float32), 'equal': True}
    """
    kinds: dict[str, list[int]] = {}
    for number, args in enumerate(calls):
        kinds.setdefault(str(jax.tree.map(np.shape, list(args))), []).append(number)
    function, _, context = prepared(student_function, placed, calls[0])
    run, found = jax.jit(lambda calls: [function(*args) for args in calls]), [dict[str, Any]() for _ in calls]
    for turn in range(max(map(len, kinds.values()))):
        numbers = [kind[turn % len(kind)] for kind in kinds.values()]  # a kind of fewer calls is asked again
        with context:
            results = run([prepared(student_function, placed, calls[number])[1] for number in numbers])
        for number, result in zip(numbers, results, strict=True):
            leaves = jax.tree.leaves(result)
            found[number] = {"result": jax.tree.map(np.asarray, result), "equal": all(map(copies_are_equal, leaves))}
    return found


def copies_are_equal(array: Any) -> bool:
    """Whether devices that hold the same piece of an array hold the same numbers.

    Example:
        >>> copies_are_equal(jax.numpy.ones(3))
        True
    """
    first: dict[str, np.ndarray] = {}
    shards = ((str(shard.index), np.asarray(shard.data)) for shard in array.addressable_shards)
    return all(np.array_equal(first.setdefault(index, data), data, equal_nan=True) for index, data in shards)


def pieces(result: Any, mesh: Mesh | None = None) -> list[dict[str, Any]]:
    """For each array of a result its shape, and what each device holds of it: a position, and a range on each axis.

    What is no array of JAX has no pieces.

    Args:
        result: an array, or a tree of arrays.
        mesh: whose order the positions of devices follow; those outside of it come after. Without one, it is that of
            `jax.devices()`.

    Example:
        >>> pieces(jax.numpy.ones(3))
        [{'shape': [3], 'pieces': [[0, [[0, 3]]]]}]
    """
    return [{"shape": list(np.shape(leaf)), "pieces": _pieces(leaf, mesh)} for leaf in jax.tree.leaves(result)]


def _pieces(leaf: Any, mesh: Mesh | None) -> list[Any]:
    if not is_really(leaf, jax.Array):
        return []
    where, first = leaf.sharding.devices_indices_map(leaf.shape), [] if mesh is None else [*mesh.devices.flat]
    devices = [*first, *(device for device in jax.devices() if device not in first)]
    ranges = {
        devices.index(device): [list(part.indices(n)[:2]) for part, n in zip(parts, leaf.shape, strict=True)]
        for device, parts in where.items()
    }
    return [[position, ranges[position]] for position in sorted(ranges)]


@question(evidence="programs")
def partitioned(student_function: Callable[..., Any], placed: Placing, *args: Any) -> dict[str, Any]:
    """What the compiler made of an answer for arguments that lie on a mesh, and who holds the result.

    Args:
        student_function: the answer, jitted or not.
        placed: what `placing` gives.
        *args: its arguments, without the mesh.

    Returns:
        As for `program`, where flops and bytes are those of one device; `collectives`, counts by name; and `pieces`.

    Example:
        >>> found = partitioned(lambda x: x.sum(), placing({"x": 1}, ["x"]), np.ones(4, np.float32))
        >>> found["collectives"], found["pieces"]
        ({}, [{'shape': [], 'pieces': [[0, []]]}])
    """
    function, given, context = prepared(student_function, placed, args)
    with context, insides.as_ever():
        lowered: Any = jitted(function).lower(*given)  # type: ignore[attr-defined]
        compiled = lowered.compile()
        return {**facts(compiled), **communicated(compiled), "pieces": pieces(compiled(*given), mesh_of(placed))}


def communicated(compiled: Any) -> dict[str, dict[str, int]]:
    """How often each collective stands in a compiled program, under the name `collectives`.

    Args:
        compiled: what `jax.jit(function).lower(...).compile()` gives.

    Example:
        >>> communicated(jax.jit(lambda x: x).lower(1.0).compile())
        {'collectives': {}}
    """
    return {"collectives": insides.instructions(compiled).collectives}
