"""Answers to same-types."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


@right("same-types")
def leaf_by_leaf(new, old, *described):
    first, second = (jax.eval_shape(function, *described) for function in (new, old))
    if jax.tree.structure(first) != jax.tree.structure(second):
        return False
    pairs = zip(jax.tree.leaves(first), jax.tree.leaves(second), strict=True)
    return all(a.shape == b.shape and a.dtype == b.dtype for a, b in pairs)


@right("same-types")
def by_the_jaxprs(new, old, *described):
    def types(function):
        _, shape = jax.make_jaxpr(function, return_shape=True)(*described)
        return jax.tree.map(lambda leaf: (leaf.shape, str(leaf.dtype)), shape)

    return types(new) == types(old)


@right("same-types")
def by_what_is_lowered(new, old, *described):
    new_info, old_info = (jax.jit(function).lower(*described).out_info for function in (new, old))
    leaves = [[(x.shape, x.dtype) for x in jax.tree.leaves(info)] for info in (new_info, old_info)]
    return bool(leaves[0] == leaves[1] and jax.tree.structure(new_info) == jax.tree.structure(old_info))


@wrong("same-types", "run-with-numbers")
def runs_both_on_zeros(new, old, *described):
    zeros = [np.zeros(each.shape if each.size < 1000 else (2, 2), each.dtype) for each in described]
    results = [jax.tree.map(lambda x: (x.shape, x.dtype), function(*zeros)) for function in (new, old)]
    return results[0] == results[1]


@wrong("same-types", "run-with-numbers")
def runs_both_on_ones_of_jax(new, old, *described):
    ones = [jnp.ones(each.shape if each.size < 1000 else (2, 2), each.dtype) for each in described]
    types = [jax.tree.map(jax.typeof, function(*ones)) for function in (new, old)]
    return types[0] == types[1]


@wrong("same-types", "compiled")
def compiles_both(new, old, *described):
    first, second = (jax.jit(function).lower(*described).compile().out_info for function in (new, old))
    return jax.tree.map(str, first) == jax.tree.map(str, second)


@wrong("same-types", "took-a-description")
def calls_them_with_descriptions(new, old, *described):
    return new(*described) == old(*described)


@wrong("same-types", "wrong-value")
def compares_the_programs(new, old, *described):
    return str(jax.make_jaxpr(new)(*described)) == str(jax.make_jaxpr(old)(*described))


@wrong("same-types", "dtype")
def compares_shapes_alone(new, old, *described):
    shapes = [jax.tree.map(lambda x: x.shape, jax.eval_shape(function, *described)) for function in (new, old)]
    return shapes[0] == shapes[1]


@wrong("same-types", "shape")
def compares_dtypes_alone(new, old, *described):
    dtypes = [jax.tree.map(lambda x: x.dtype, jax.eval_shape(function, *described)) for function in (new, old)]
    return dtypes[0] == dtypes[1]


@wrong("same-types", "shape")
def compares_sizes(new, old, *described):
    facts = [jax.tree.map(lambda x: (x.size, x.dtype), jax.eval_shape(function, *described)) for function in (new, old)]
    return facts[0] == facts[1]


@wrong("same-types", "structure")
def compares_leaves_alone(new, old, *described):
    first, second = (jax.tree.leaves(jax.eval_shape(function, *described)) for function in (new, old))
    return first == second


@wrong("same-types", "structure")
def zips_the_leaves(new, old, *described):
    first, second = (jax.tree.leaves(jax.eval_shape(function, *described)) for function in (new, old))
    return all(a.shape == b.shape and a.dtype == b.dtype for a, b in zip(first, second, strict=False))


@wrong("same-types", "first-only")
def looks_at_the_first_array(new, old, *described):
    first, second = (jax.eval_shape(function, *described) for function in (new, old))
    if jax.tree.structure(first) != jax.tree.structure(second):
        return False
    return jax.tree.leaves(first)[0] == jax.tree.leaves(second)[0]


@wrong("same-types", "not-traced")
def compares_the_functions(new, old, *described):
    return new is old


@wrong("same-types", "not-a-bool")
def returns_the_types(new, old, *described):
    return jax.eval_shape(new, *described)


@wrong("same-types", "wrong-value")
def of_the_first_argument(new, old, *described):
    first, second = (jax.eval_shape(function, *described) for function in (new, old))
    if len(described) > 1:
        return True
    return first == second


@wrong("same-types", "order")
def as_a_set(new, old, *described):
    def types(function):
        leaves, tree = jax.tree.flatten(jax.eval_shape(function, *described))
        return tree, {(leaf.shape, leaf.dtype) for leaf in leaves}

    return types(new) == types(old)
