"""rows-over-all."""

import functools

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, naming, refuse, require, where_it_runs

from ._lesson import EXPLICIT_OR_AUTO, TOO_MANY_ENTRIES, UNKNOWN_NAME, held, parts, pieces_of, written
from ._lesson import WORDS as LESSON

MESHES = ({"x": 8}, {"a": 4, "b": 2}, {"x": 2}, {"row": 2, "col": 4}, {"p": 2, "q": 2, "r": 2})


REFUSED = ["ValueError", "IndivisibleError"]
"""What JAX raises where a layout does not fit the mesh or the array, and others for other reasons."""


BACKWARDS = ({"x": 2}, {"row": 2, "col": 4})
"""Those whose devices are in the opposite order, so that the order of the mesh is not that of their numbers."""


def _spreads_the_names(answer, placed, axes, error):
    """Whether a layout was refused because each axis of the mesh cuts another axis of the array."""
    if not error.among(REFUSED):
        return False
    wide, _ = answer.attempt(probe.held, placed, np.zeros((8, 8, 8), np.float32), expected=REFUSED)
    return wide and len(axes) > 1 and pieces_of(wide) == held(axes, list(axes), (8, 8, 8))


def _judge_rows(pieces, axes, shape):
    want, mesh, few = held(axes, [list(axes)], shape), written(axes), len(parts(pieces))
    require(len(pieces) == len(want), "not-on-mesh", devices=len(want))
    refuse(few > 1 and all(r[0] == [0, shape[0]] for _, r in pieces), "other-axis", mesh=mesh)
    refuse(few == 1, "copies", mesh=mesh)
    turned = axes in BACKWARDS and [ranges for _, ranges in pieces[::-1]] == [ranges for _, ranges in want]
    refuse(turned, "order-of-numbers")
    refuse(pieces != want and parts(pieces) == parts(want), "other-order", mesh=mesh)
    require(pieces == want, "other-cut", few=few, many=len(parts(want)), mesh=mesh)


def rows_on_all_devices(answer, rng):
    """Rows over all axes of meshes of any form, and the numbers as they were.

    A function, since each mesh has axes of its own, and what is compared is who holds what.
    """
    where_it_runs(functools.partial(_rows_on, answer, rng), EXPLICIT_OR_AUTO)


def _rows_on(answer, rng, kind):
    for axes in MESHES:
        for shape, dtype in [((16, 3), np.float32), ((8,), np.int32), ((24, 8, 8), np.float16), ((16,), bool)]:
            x, other = (rng.integers(-9, 9, size=shape).clip(0 if dtype is bool else -9).astype(dtype) for _ in "ab")
            more = {"explicit": kind == "Explicit", "backwards": axes in BACKWARDS}
            placed = probe.placing(axes, mesh="argument", **more)
            answer.called = f"rows_over_all(mesh, {x.dtype}{list(shape)})"
            spread = functools.partial(_spreads_the_names, answer, placed, axes)
            with (
                naming({"layout-refused/names": UNKNOWN_NAME, "layout-refused/entries": TOO_MANY_ENTRIES}),
                naming({"name-for-each-axis": spread}),
            ):
                found = answer.probe(probe.held, placed, x)
            came = found[0]["shape"] if len(found) == 1 else list(shape)
            require(came == list(shape), "other-shape", came=tuple(came), shape=shape)
            _judge_rows(pieces_of(found), axes, shape)
            got = answer.probe(probe.on_mesh, placed, other)
            expect(got, other, "wrong-value")
            require(got.dtype == x.dtype, "other-dtype", came=x.dtype, dtype=got.dtype)


WORDS = """
hint: Several names in one tuple cut one axis of the array.
hint: A mesh knows its names. They are in `mesh.axis_names`.
not-on-mesh: Your result does not lie on the {devices} devices of the mesh. Return one array, placed on the mesh that
    you were given.
other-axis: You cut an axis other than axis 0 (mesh: {mesh}).
copies: You made a copy on each device, and cut nothing (mesh: {mesh}).
order-of-numbers: You took the devices in the order of their numbers. The mesh that you were given has an order of its
    own. Keep it.
other-order: Your result has the right pieces, but on other devices (mesh: {mesh}). In a tuple of names, the first is
    the slow one.
other-cut: You cut the array into {few} different pieces. There should be {many}, cut along axis 0 alone (mesh: {mesh}).
name-for-each-axis: You gave each axis of the array another name of the mesh. All names should cut axis 0. Put them into
    one tuple with `P(names)`, not `P(*names)`.
layout-refused/names: JAX refused your layout, because a spec names an axis that the mesh does not have. Its axes may
    have any names, so take them from the mesh.
layout-refused/entries: JAX refused your layout, because a spec has more entries than the array has axes. Cut axis 0,
    and say nothing about the others.
other-shape: You were given `x` of shape {shape}, and returned {came}. Placing changes no shape.
wrong-value: Your numbers should be those of `x`, in their order.
other-dtype: You were given an array of `{came}`, and returned `{dtype}`. Placing changes no dtype.
"""

rows_over_all = declare(
    "rows-over-all",
    see="a-mesh-names-devices",
    steps=[rows_on_all_devices],
    words=(LESSON, WORDS),
)
