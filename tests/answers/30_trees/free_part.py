"""Answers to free-part."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from jaxcourse.exercise import right, wrong


def is_none(node):
    return node is None


def free_leaves(params, free):
    """The tree with `None` for what is not free."""
    return jax.tree.map(lambda flag, part: part if flag else None, free, params)


def or_else(new, old):
    return old if new is None else new


def filled(tree, params):
    """A tree with what `params` has for each `None`."""
    return jax.tree.map(or_else, tree, params, is_leaf=is_none)


@right("free-part")
def writes_the_prefix_out(params, free):
    flags = jax.tree.broadcast(free, params)
    vector, as_tree = ravel_pytree(jax.tree.map(lambda leaf, flag: leaf if flag else None, params, flags))

    def back(vector):
        return jax.tree.map(lambda old, new: old if new is None else new, params, as_tree(vector))

    return vector, back


@right("free-part")
def keeps_a_list_of_leaves(params, free):
    leaves, structure = jax.tree.flatten(params)
    flags = jax.tree.leaves(jax.tree.map(lambda flag, part: jax.tree.map(lambda leaf: flag, part), free, params))
    vector, as_list = ravel_pytree([leaf for leaf, flag in zip(leaves, flags, strict=True) if flag])

    def back(vector):
        new = iter(as_list(vector))
        return structure.unflatten([next(new) if flag else leaf for leaf, flag in zip(leaves, flags, strict=True)])

    return vector, back


@right("free-part")
def writes_into_the_whole_vector(params, free):
    flat, as_tree = ravel_pytree(params)
    mask, _ = ravel_pytree(
        jax.tree.map(lambda flag, part: jax.tree.map(lambda leaf: jnp.full(leaf.shape, flag), part), free, params)
    )
    places = np.flatnonzero(mask)
    return flat[places], lambda vector: as_tree(flat.at[places].set(vector))


@right("free-part")
def splits_by_hand(params, free):
    leaves, structure = jax.tree.flatten(params)
    chosen = [i for i, flag in enumerate(jax.tree.leaves(jax.tree.broadcast(free, params))) if flag]
    ends = np.cumsum([leaves[i].size for i in chosen])[:-1]

    def back(vector):
        made = list(leaves)
        for i, piece in zip(chosen, jnp.split(vector, ends), strict=True):
            made[i] = piece.reshape(leaves[i].shape)
        return jax.tree.unflatten(structure, made)

    return jnp.concatenate([jnp.ravel(leaves[i]) for i in chosen]), back


@wrong("free-part", "free-comes-first")
def puts_params_first(params, free):
    vector, as_tree = ravel_pytree(jax.tree.map(lambda part, flag: part if flag else None, params, free))
    return vector, lambda vector: filled(as_tree(vector), params)


@wrong("free-part", "gap-left")
def hands_on_what_ravel_gives(params, free):
    return ravel_pytree(free_leaves(params, free))


@wrong("free-part", "zeros-in-it")
def weighs_each_leaf(params, free):
    return ravel_pytree(jax.tree.map(lambda flag, part: jax.tree.map(lambda leaf: leaf * flag, part), free, params))


@wrong("free-part", "part-is-a-tree")
def takes_each_part_for_an_array(params, free):
    parts = jax.tree.leaves(jax.tree.map(lambda flag, part: part.ravel() if flag else None, free, params))
    return jnp.concatenate(parts), lambda vector: params


@wrong("free-part", "fixed-for-free")
def keeps_what_is_fixed(params, free):
    vector, as_tree = ravel_pytree(jax.tree.map(lambda flag, part: None if flag else part, free, params))
    return vector, lambda vector: filled(as_tree(vector), params)


@wrong("free-part", "none-is-no-leaf")
def forgets_is_leaf_on_the_way_back(params, free):
    vector, as_tree = ravel_pytree(free_leaves(params, free))
    return vector, lambda vector: jax.tree.map(or_else, as_tree(vector), params)


@wrong("free-part", "gaps-come-first")
def puts_params_first_on_the_way_back(params, free):
    vector, as_tree = ravel_pytree(free_leaves(params, free))
    return vector, lambda vector: jax.tree.map(lambda old, new: or_else(new, old), params, as_tree(vector))


@wrong("free-part", "gaps-come-first")
def fills_from_what_is_fixed(params, free):
    vector, as_tree = ravel_pytree(free_leaves(params, free))
    fixed = jax.tree.map(lambda flag, part: None if flag else part, free, params)
    return vector, lambda vector: filled(as_tree(vector), fixed)


@wrong("free-part", "asks-for-the-truth")
def chooses_by_or(params, free):
    vector, as_tree = ravel_pytree(free_leaves(params, free))
    return vector, lambda vector: jax.tree.map(lambda new, old: new or old, as_tree(vector), params, is_leaf=is_none)


@wrong("free-part", "wants-the-whole-vector")
def takes_a_mask_on_the_way_there_alone(params, free):
    flat, as_tree = ravel_pytree(params)
    flags = jax.tree.broadcast(free, params)
    mask, _ = ravel_pytree(jax.tree.map(lambda leaf, flag: jnp.full(leaf.shape, flag), params, flags))
    return flat[mask], as_tree


@wrong("free-part", "leaves-out-of-step")
def puts_the_free_leaves_alone_back(params, free):
    vector, as_tree = ravel_pytree(free_leaves(params, free))
    structure = jax.tree.structure(params)
    return vector, lambda vector: structure.unflatten(jax.tree.leaves(as_tree(vector)))


@wrong("free-part", "all-of-it")
def ravels_everything(params, free):
    return ravel_pytree(params)


@wrong("free-part", "other-order")
def goes_through_the_names_as_written(params, free):
    names = [name for name in params if free[name]]

    def back(vector):
        made, used = dict(params), 0
        for name in names:
            flat, as_tree = ravel_pytree(params[name])
            made[name] = as_tree(vector[used : used + flat.size])
            used += flat.size
        return made

    return jnp.concatenate([ravel_pytree(params[name])[0] for name in names]), back


@wrong("free-part", "known-nodes-only")
def looks_up_each_name(params, free):
    kept = {name: params[name] for name in sorted(free) if free[name]}
    vector, as_tree = ravel_pytree(kept)
    return vector, lambda vector: {**params, **as_tree(vector)}


@wrong("free-part", "known-nodes-only")
def goes_down_by_hand(params, free):
    def kept(part, flag):
        if isinstance(flag, bool):
            return part if flag else None
        if isinstance(flag, dict):
            return {key: kept(part[key], flag[key]) for key in flag}
        return type(flag)(kept(*both) for both in zip(part, flag, strict=True))

    vector, as_tree = ravel_pytree(kept(params, free))
    return vector, lambda vector: filled(as_tree(vector), params)


@wrong("free-part", "not-traceable")
def goes_through_numpy(params, free):
    vector, as_tree = ravel_pytree(free_leaves(params, free))
    return vector, lambda vector: filled(as_tree(np.asarray(vector)), params)


@wrong("free-part", "vector-ignored")
def puts_the_start_back(params, free):
    start, as_tree = ravel_pytree(free_leaves(params, free))
    return start, lambda vector: filled(as_tree(start), params)


@wrong("free-part", "fixed-lost")
def puts_zeros_back(params, free):
    vector, as_tree = ravel_pytree(free_leaves(params, free))
    return vector, lambda vector: filled(as_tree(vector), jax.tree.map(jnp.zeros_like, params))


@wrong("free-part", "not-a-pair")
def returns_the_vector_alone(params, free):
    return ravel_pytree(free_leaves(params, free))[0]


@wrong("free-part", "wrong-value")
def leaves_the_pieces_flat(params, free):
    leaves, structure = jax.tree.flatten(params)
    flags = jax.tree.leaves(jax.tree.broadcast(free, params))

    def back(vector):
        made, used = [], 0
        for leaf, flag in zip(leaves, flags, strict=True):
            made.append(vector[used : used + leaf.size] if flag else leaf)
            used += leaf.size if flag else 0
        return structure.unflatten(made)

    return ravel_pytree(free_leaves(params, free))[0], back


@wrong("free-part", "other-structure")
def returns_a_list_of_leaves(params, free):
    vector, as_tree = ravel_pytree(free_leaves(params, free))
    return vector, lambda vector: jax.tree.leaves(filled(as_tree(vector), params))


@wrong("free-part", "changed-the-params")
def changes_the_dictionary(params, free):
    fixed = {}
    for name in list(params):
        if free is not True and isinstance(params, dict) and not free[name]:
            fixed[name] = params.pop(name)
    vector, as_tree = ravel_pytree(params)
    return vector, lambda vector: as_tree(vector) | fixed


@wrong("free-part", "wrong-value")
def adds_what_was_before(params, free):
    start, as_tree = ravel_pytree(free_leaves(params, free))
    return start, lambda vector: filled(as_tree(vector + start), params)


@wrong("free-part", "wrong-value")
def normalises_the_vector(params, free):
    vector, as_tree = ravel_pytree(free_leaves(params, free))
    return vector / 2, lambda vector: filled(as_tree(2 * vector), params)


@wrong("free-part", "wrong-value")
def remembers_the_first_vector(params, free):
    start, as_tree = ravel_pytree(free_leaves(params, free))

    def back(vector):
        known = vector if not isinstance(vector, jax.core.Tracer) else start
        return filled(as_tree(known), params)

    return start, back
