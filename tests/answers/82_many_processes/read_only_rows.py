"""Answers to read-only-rows."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from jaxcourse.exercise import right, wrong


@right("read-only-rows")
def piece_by_piece(mesh, shape, read):
    sharding = NamedSharding(mesh, P("data", None))
    where = sharding.addressable_devices_indices_map(shape)
    ends = {device: index[0].indices(shape[0])[:2] for device, index in where.items()}
    pieces = [jax.device_put(read(*ends[device]), device) for device in where]
    return jax.make_array_from_single_device_arrays(shape, sharding, pieces)


@right("read-only-rows")
def start_or_zero(mesh, shape, read):
    def piece(index):
        rows = index[0]
        return read(rows.start or 0, shape[0] if rows.stop is None else rows.stop)

    return jax.make_array_from_callback(shape, NamedSharding(mesh, P("data")), piece)


@wrong("read-only-rows", "read-everything")
def reads_it_all_and_puts_it(mesh, shape, read):
    return jax.device_put(read(0, shape[0]), NamedSharding(mesh, P("data")))


@wrong("read-only-rows", "read-everything")
def reads_it_all_in_the_callback(mesh, shape, read):
    return jax.make_array_from_callback(shape, NamedSharding(mesh, P("data")), lambda index: read(0, shape[0])[index])


@wrong("read-only-rows", "read-everything")
def passes_the_whole_as_its_part(mesh, shape, read):
    return jax.make_array_from_process_local_data(NamedSharding(mesh, P("data")), read(0, shape[0]))


@wrong("read-only-rows", "whole-axis")
def takes_the_ends_of_the_slice(mesh, shape, read):
    def piece(index):
        return read(index[0].start, index[0].stop) if index[0].stop - index[0].start else None

    return jax.make_array_from_callback(shape, NamedSharding(mesh, P("data")), piece)


@wrong("read-only-rows", "cut-over-all-axes")
def splits_over_all_axes(mesh, shape, read):
    sharding = NamedSharding(mesh, P(tuple(mesh.axis_names)))
    return jax.make_array_from_callback(shape, sharding, lambda index: read(*index[0].indices(shape[0])[:2]))


@wrong("read-only-rows", "cut-over-all-axes")
def makes_a_mesh_of_its_own(mesh, shape, read):
    sharding = NamedSharding(jax.make_mesh((8,), ("data",)), P("data"))
    return jax.make_array_from_callback(shape, sharding, lambda index: read(*index[0].indices(shape[0])[:2]))


@wrong("read-only-rows", "read-in-crumbs")
def reads_row_by_row(mesh, shape, read):
    def piece(index):
        return np.concatenate([read(row, row + 1) for row in range(*index[0].indices(shape[0]))])

    return jax.make_array_from_callback(shape, NamedSharding(mesh, P("data")), piece)


@wrong("read-only-rows", "read-everything")
def copies_it_everywhere(mesh, shape, read):
    sharding = NamedSharding(mesh, P())
    return jax.make_array_from_callback(shape, sharding, lambda index: read(*index[0].indices(shape[0])[:2]))


@wrong("read-only-rows", "rows-of-no-device")
def counts_rows_from_one(mesh, shape, read):
    def piece(index):
        start, stop, _ = index[0].indices(shape[0])
        part = read(start + 1, stop + 1)
        return np.concatenate([part, np.zeros((stop - start - len(part), shape[1]), part.dtype)])

    return jax.make_array_from_callback(shape, NamedSharding(mesh, P("data")), piece)


@wrong("read-only-rows", "read-too-much")
def splits_over_the_first_axis_of_the_mesh(mesh, shape, read):
    first = mesh.shape["data"] // 2 or 1
    parts = [read(k * shape[0] // first, (k + 1) * shape[0] // first) for k in range(first)]
    return jax.device_put(np.concatenate(parts), NamedSharding(mesh, P("data")))


@wrong("read-only-rows", "other-layout")
def splits_columns_as_well(mesh, shape, read):
    others = tuple(name for name in mesh.axis_names if name != "data")
    sharding = NamedSharding(mesh, P("data", others or None))
    return jax.make_array_from_callback(
        shape, sharding, lambda index: read(*index[0].indices(shape[0])[:2])[:, index[1]]
    )


@wrong("read-only-rows", "on-one-device")
def puts_the_pieces_together_here(mesh, shape, read):
    each = shape[0] // mesh.shape["data"]
    return jnp.concatenate([read(start, start + each) for start in range(0, shape[0], each)])


@wrong("read-only-rows", "wrong-value")
def reads_the_first_piece_for_all(mesh, shape, read):
    each = shape[0] // mesh.shape["data"]
    return jax.make_array_from_callback(shape, NamedSharding(mesh, P("data")), lambda index: read(0, each))


@wrong("read-only-rows", "not-an-array")
def a_list_of_pieces(mesh, shape, read):
    each = shape[0] // mesh.shape["data"]
    return [read(start, start + each) for start in range(0, shape[0], each)]


@wrong("read-only-rows", "other-dtype")
def halves_the_precision(mesh, shape, read):
    def piece(index):
        return read(*index[0].indices(shape[0])[:2]).astype(np.float16)

    return jax.make_array_from_callback(shape, NamedSharding(mesh, P("data")), piece)


@wrong("read-only-rows", "never-read")
def zeros_of_the_right_shape(mesh, shape, read):
    return jax.device_put(np.zeros(shape, np.float32), NamedSharding(mesh, P("data")))
