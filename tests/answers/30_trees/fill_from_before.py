"""Answers to fill-from-before."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import right, wrong


def is_none(node):
    return node is None


@right("fill-from-before")
def flattens_as_far_as_tonight(tonight, before):
    leaves, structure = jax.tree.flatten(tonight, is_leaf=is_none)
    parts = structure.flatten_up_to(before)
    return jax.tree.unflatten(structure, [old if new is None else new for new, old in zip(leaves, parts, strict=True)])


@right("fill-from-before")
def writes_the_gaps_out(tonight, before):
    gaps = jax.tree.map(
        lambda new, old: jax.tree.map(lambda leaf: None if new is None else new, old), tonight, before, is_leaf=is_none
    )
    return jax.tree.map(lambda old, new: old if new is None else new, before, gaps)


@right("fill-from-before")
def broadcasts_and_takes_the_first(tonight, before):
    written = jax.tree.broadcast(tonight, before, is_leaf=is_none)
    return jax.tree.map(
        lambda *both: next(x for x in both if x is not None), written, before, is_leaf=lambda node: node is None
    )


@right("fill-from-before")
def by_the_older_name(tonight, before):
    def pick(new, old):
        if new is None:
            return old
        return new

    return jax.tree_util.tree_map(pick, tonight, before, is_leaf=is_none)


@wrong("fill-from-before", "none-is-no-leaf")
def forgets_is_leaf(tonight, before):
    return jax.tree.map(lambda new, old: old if new is None else new, tonight, before)


@wrong("fill-from-before", "before-comes-first")
def puts_before_first(tonight, before):
    return jax.tree.map(lambda old, new: old if new is None else new, before, tonight)


@wrong("fill-from-before", "zero-is-no-gap")
def asks_by_or(tonight, before):
    return jax.tree.map(lambda new, old: new or old, tonight, before, is_leaf=is_none)


@wrong("fill-from-before", "zero-is-no-gap")
def asks_for_any_number(tonight, before):
    def chosen(new, old):
        return new if new is not None and jnp.any(new) else old

    return jax.tree.map(chosen, tonight, before, is_leaf=is_none)


@wrong("fill-from-before", "calculates-with-none")
def lets_where_choose(tonight, before):
    return jax.tree.map(lambda new, old: jnp.where(new is None, old, new), tonight, before, is_leaf=is_none)


@wrong("fill-from-before", "calculates-with-none")
def asks_none_for_any(tonight, before):
    return jax.tree.map(lambda new, old: new if jnp.any(new) else old, tonight, before, is_leaf=is_none)


@wrong("fill-from-before", "gap-left")
def fills_the_top_alone(tonight, before):
    return {key: before[key] if tonight[key] is None else tonight[key] for key in before}


@wrong("fill-from-before", "gap-left")
def asks_the_other_tree(tonight, before):
    return jax.tree.map(lambda new, old: old if old is None else new, tonight, before, is_leaf=is_none)


@wrong("fill-from-before", "known-nodes-only")
def goes_down_by_hand(tonight, before):
    def merged(new, old):
        if new is None:
            return old
        if isinstance(new, dict):
            return {key: merged(new[key], old[key]) for key in old}
        if isinstance(new, (list, tuple)):
            return type(new)(merged(*both) for both in zip(new, old, strict=True))
        return new

    return merged(tonight, before)


@wrong("fill-from-before", "known-nodes-only")
def goes_down_dictionaries(tonight, before):
    def merged(new, old):
        if new is None or isinstance(old, (float, jax.Array)):
            return old if new is None else new
        return {key: merged(new[key], part) for key, part in old.items()}

    return merged(tonight, before)


@wrong("fill-from-before", "leaves-out-of-step")
def takes_the_leaves_that_are_there(tonight, before):
    leaves, structure = jax.tree.flatten(before)
    both = zip(jax.tree.leaves(tonight), leaves, strict=False)
    return jax.tree.unflatten(structure, [old if new is None else new for new, old in both])


@wrong("fill-from-before", "other-structure")
def returns_the_leaves(tonight, before):
    leaves = jax.tree.leaves(tonight, is_leaf=is_none)
    return [old if new is None else new for new, old in zip(leaves, jax.tree.leaves(before), strict=False)]


@wrong("fill-from-before", "changed-the-trees")
def fills_in_place(tonight, before):
    def fill(new, old):
        if isinstance(new, (dict, list)):
            for key in new if isinstance(new, dict) else range(len(new)):
                if new[key] is None:
                    new[key] = old[key]
                else:
                    fill(new[key], old[key])

    fill(tonight, before)
    return tonight


@wrong("fill-from-before", "before-wins")
def prefers_what_was_before(tonight, before):
    return jax.tree.map(lambda new, old: new if old is None else old, tonight, before, is_leaf=is_none)


@wrong("fill-from-before", "zeros-for-gaps")
def puts_zeros(tonight, before):
    return jax.tree.map(lambda new, old: 0.0 if new is None else new, tonight, before, is_leaf=is_none)


@wrong("fill-from-before", "gap-left")
def takes_each_dictionary_whole(tonight, before):
    return before | {name: new for name, new in tonight.items() if new is not None}


@wrong("fill-from-before", "wrong-value")
def adds_the_two(tonight, before):
    def chosen(new, old):
        return old if new is None else new + old

    return jax.tree.map(chosen, tonight, before, is_leaf=is_none)
