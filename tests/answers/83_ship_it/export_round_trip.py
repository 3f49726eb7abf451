"""Answers to export-round-trip."""

import jax
import jax.export
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@right("export-round-trip")
def by_an_example(function, columns):
    specs = jax.export.symbolic_args_specs(np.zeros((1, columns), np.float32), f"many, {columns}")
    return jax.export.export(jax.jit(lambda x: function(x)))(specs)


@wrong("export-round-trip", "axis-not-symbolic")
def names_the_axis_by_a_text(function, columns):
    return jax.export.export(jax.jit(function))(jax.ShapeDtypeStruct(("rows", columns), jnp.float32))


@wrong("export-round-trip", "not-jitted")
def exports_a_plain_function(function, columns):
    (rows,) = jax.export.symbolic_shape("rows")
    return jax.export.export(function)(jax.ShapeDtypeStruct((rows, columns), jnp.float32))


@wrong("export-round-trip", "axis-closed")
def only_even_numbers_of_rows(function, columns):
    shape = jax.export.symbolic_shape(f"2*n, {columns}")
    return jax.export.export(jax.jit(function))(jax.ShapeDtypeStruct(shape, jnp.float32))


@wrong("export-round-trip", "axis-closed")
def eight_rows_at_least(function, columns):
    shape = jax.export.symbolic_shape(f"n, {columns}", constraints=["n >= 8"])
    return jax.export.export(jax.jit(function))(jax.ShapeDtypeStruct(shape, jnp.float32))


@wrong("export-round-trip", "axis-closed")
def a_thousand_rows_at_most(function, columns):
    shape = jax.export.symbolic_shape(f"n, {columns}", constraints=["n <= 1000"])
    return jax.export.export(jax.jit(function))(jax.ShapeDtypeStruct(shape, jnp.float32))


@wrong("export-round-trip", "wrong-value")
def maps_over_single_rows(function, columns):
    shape = jax.export.symbolic_shape(f"n, {columns}")
    each = jax.vmap(lambda row: function(row[None])[0])
    return jax.export.export(jax.jit(each))(jax.ShapeDtypeStruct(shape, jnp.float32))


@wrong("export-round-trip", "wrong-arguments")
def exports_for_one_axis(function, columns):
    shape = jax.export.symbolic_shape("n")
    return jax.export.export(jax.jit(lambda x: function(x[:, None])))(jax.ShapeDtypeStruct(shape, jnp.float32))


@wrong("export-round-trip", "columns-open")
def forgets_the_f_of_the_string(function, columns):
    shape = jax.export.symbolic_shape("rows, columns")
    return jax.export.export(jax.jit(function))(jax.ShapeDtypeStruct(shape, jnp.float32))


_exports = {}


@wrong("export-round-trip", "one-function-only")
def keeps_one_for_the_columns(function, columns):
    if columns not in _exports:
        shape = jax.export.symbolic_shape(f"n, {columns}")
        _exports[columns] = jax.export.export(jax.jit(function))(jax.ShapeDtypeStruct(shape, jnp.float32))
    return _exports[columns]


@wrong("export-round-trip", "axis-closed")
def exports_one_row(function, columns):
    return jax.export.export(jax.jit(function))(jax.ShapeDtypeStruct((1, columns), jnp.float32))


@wrong("export-round-trip", "not-exported")
def returns_the_text(function, columns):
    return jax.jit(function).lower(jax.ShapeDtypeStruct((1, columns), jnp.float32)).as_text()


@wrong("export-round-trip", "not-exported")
def forgets_the_description(function, columns):
    return jax.export.export(jax.jit(function))


@wrong("export-round-trip", "other-dtype")
def exports_for_whole_numbers(function, columns):
    shape = jax.export.symbolic_shape(f"n, {columns}")
    return jax.export.export(jax.jit(function))(jax.ShapeDtypeStruct(shape, jnp.int32))


@wrong("export-round-trip", "wrong-value")
def exports_another_function(function, columns):
    shape = jax.export.symbolic_shape(f"n, {columns}")
    return jax.export.export(jax.jit(lambda x: -function(x)))(jax.ShapeDtypeStruct(shape, jnp.float32))


@wrong("export-round-trip", "axis-not-symbolic")
def puts_the_tuple_into_the_shape(function, columns):
    rows = jax.export.symbolic_shape("rows")
    return jax.export.export(jax.jit(function))(jax.ShapeDtypeStruct((rows, columns), jnp.float32))


@wrong("export-round-trip", "axis-not-symbolic")
def passes_the_text_itself(function, columns):
    return jax.export.export(jax.jit(function))(f"rows, {columns}")


@wrong("export-round-trip", "not-jitted")
def exports_what_is_lowered(function, columns):
    described = jax.ShapeDtypeStruct(jax.export.symbolic_shape(f"rows, {columns}"), jnp.float32)
    return jax.export.export(jax.jit(function).lower(described))


@wrong("export-round-trip", "other-columns")
def copies_the_task(function, columns):
    shape = jax.export.symbolic_shape("n, 3")
    return jax.export.export(jax.jit(function))(jax.ShapeDtypeStruct(shape, jnp.float32))


equivalents = [
    equivalent("export-round-trip", "`jnp.float32`  ->  `jnp.float64`", "JAX makes `float32` of it"),
]
