"""read-only-rows: a global array of which each device's rows are read, and no others."""

import math

import jax
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, refuse, require

from ._lesson import WORDS as LESSON


def rows_read(student_function, axes, table):
    """Which rows an answer reads for a mesh, what it makes of them, and which device holds what."""
    count = math.prod(axes.values())
    mesh = jax.make_mesh(
        tuple(axes.values()), tuple(axes), (jax.sharding.AxisType.Auto,) * len(axes), devices=jax.devices()[:count]
    )
    asked = []

    def read(start, stop):
        asked.append([int(start), int(stop)])
        return table[start:stop].copy()

    result = student_function(mesh, table.shape, read)
    facts = {"asked": asked, "type": type(result).__name__, "array": probe.is_really(result, jax.Array)}
    if not facts["array"]:
        return facts
    want = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("data"))
    same_shape = result.shape == table.shape
    return facts | {
        "shape": list(result.shape),
        "dtype": str(result.dtype),
        "values": np.asarray(result),
        "devices": len(result.sharding.device_set),
        "rows": [list(shard.data.shape)[0] if shard.data.shape else 0 for shard in result.addressable_shards],
        "placed": bool(same_shape and result.sharding.is_equivalent_to(want, result.ndim)),
    }


MESHES = ({"data": 8}, {"data": 4, "model": 2}, {"model": 2, "data": 2}, {"data": 1, "model": 4}, {"data": 2})


def _judge_requests(facts, table, each):
    """Look at what `read` was asked for."""
    rows, asked = len(table), facts["asked"]
    require(asked, "never-read")
    lengths = [stop - start for start, stop in asked]
    refuse(each < rows and max(lengths) >= rows, "read-everything", rows=rows)
    refuse(max(lengths) > each, "read-too-much", most=max(lengths), each=each, rows=rows)
    held = max(facts["rows"])
    refuse(facts["shape"] == list(table.shape) and held < each, "cut-over-all-axes", held=held, each=each, rows=rows)
    refuse(min(lengths) < each, "read-in-crumbs", least=min(lengths), times=len(lengths), each=each)
    odd = [(start, stop) for start, stop in asked if start % each or stop > rows]
    refuse(odd, "rows-of-no-device", odd=odd[:1] and odd[0], each=each)


def _judge_array(facts, axes, table):
    """Look at what was made of the rows."""
    refuse(facts["devices"] == 1 < math.prod(axes.values()), "on-one-device")
    require(facts["dtype"] == "float32", "other-dtype", dtype=facts["dtype"])
    expect(facts["values"], table, "wrong-value")
    require(facts["placed"], "other-layout", held=facts["rows"][0], rows=len(table), axes=axes)


def reads_its_own_rows(answer, rng):
    """An array of which each device has its rows, and no process has read others.

    A function, since what is required is what was read, on meshes with axes of their own.
    """
    for axes in MESHES:
        rows, columns = 8 * int(rng.integers(1, 4)), int(rng.integers(1, 6))
        if len(axes) > 1:  # the other axes might cut the columns
            columns = rows
        table = rng.normal(size=(rows, columns)).astype(np.float32)
        each = rows // axes["data"]
        try:
            facts = answer.probe(rows_read, axes, table)
        except probe.AnswerRaised as error:
            refuse(axes["data"] == 1 and "NoneType" in error.raised.message, "whole-axis")
            raise
        answer.called = f"read_only_rows(mesh, {table.shape}, read) on a mesh of {axes}"
        require(facts["array"], "not-an-array", type=facts["type"])
        _judge_requests(facts, table, each)
        _judge_array(facts, axes, table)


WORDS = """
hint: `jax.make_array_from_callback(shape, sharding, read_a_piece)`
hint: The callback gets a tuple of slices. `index[0].indices(rows)` turns the first into numbers.
not-an-array: A `jax.Array` was asked for, not an object of type `{type}`.
never-read: `read` was never called.
read-everything: You asked `read` for all {rows} rows at once. A process that can do that needs no others.
read-too-much: `read` was asked for {most} rows at once. One device has {each} of the {rows} rows.
cut-over-all-axes: A device of yours holds {held} of {rows} rows, and should hold {each}. Cut rows over the mesh axis
    `data`. Along its other axes, devices have copies.
read-in-crumbs: `read` was asked for {least} rows at a time, {times} times. One device has {each}.
rows-of-no-device: You asked `read` for the rows {odd}, which are those of no device. Pieces begin at a multiple of
    {each}.
on-one-device: The table lies on one device. Its rows should be split over the axis `data`.
other-dtype: The dtype should be `float32`, not `{dtype}`.
wrong-value: The array should be the table.
other-layout: A device holds {held} of {rows} rows on a mesh of {axes}. Split the rows over `data`, and nothing over
    other axes.
whole-axis: A slice of a whole axis is `slice(None)`, and its `start` is `None`. Ask `.indices(rows)` instead.
"""

read_only_rows = declare(
    "read-only-rows",
    points=2,
    see="global-from-local",
    steps=[reads_its_own_rows],
    words=(LESSON, WORDS),
)
