"""free-part: the vector of what is free in a tree, and the function that makes such a vector into the tree again."""

import collections
import dataclasses

import jax
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, require, seen

from ._lesson import (
    BOOL_LATER,
    BY_HAND,
    GAP_LEFT,
    NONE_FIRST,
    NONE_LATER,
    OUT_OF_STEP,
    has_gap,
    in_its_terms,
    message_has,
    tree_of,
)
from ._lesson import WORDS as LESSON

CASES = {
    "named": ({"offset": "2", "gain": "", "dark": "2"}, {"offset": True, "gain": True, "dark": False}),
    "by part": ({"sw": {"offset": "", "gain": "3"}, "ne": ["2 1", "1"]}, {"sw": True, "ne": [False, True]}),
    "fixed part": ([{"z": "2 2", "a": ("1", "3")}, "", ("2", "0")], [{"z": True, "a": False}, True, (True, False)]),
    "all": (("2", ["1 2", ""]), True),
    "own": ({"gain": ["", "2"], "offset": {"gain": "2 2", "offset": ""}}, {"gain": [True, False], "offset": True}),
}
"""Forms of parameters, by the shapes of their leaves, and what is free; in the last one dictionaries and lists become
nodes that an answer cannot know."""
PLAIN = ["by part", "fixed part", "all"]


def freed(student_function, params, free):
    """The vector, whether it came in a pair, and whether the arguments are what they were."""

    def placed(tree):  # `tree.map` would sort the keys of dictionaries
        if isinstance(tree, dict):
            return {key: placed(part) for key, part in tree.items()}
        return type(tree)(map(placed, tree)) if isinstance(tree, (list, tuple)) else probe.on_device(tree)

    given = placed(params), free
    leaves, structure = jax.tree.flatten(given)
    pair = student_function(*given)
    now, form = jax.tree.flatten(given)
    kept = form == structure and all(one is other for one, other in zip(now, leaves, strict=True))
    paired = isinstance(pair, (tuple, list)) and len(pair) == 2 and callable(pair[1])
    return {"pair": paired, "kept": kept, "vector": pair[0] if paired else None}


def put_back(student_function, params, free, moved):
    """The tree that becomes of another vector, and whether it has the structure of the parameters."""
    given = probe.on_device(params)
    _, back = student_function(given, free)
    tree = back(probe.on_device(moved))
    return {"tree": tree, "same": jax.tree.structure(tree) == jax.tree.structure(given)}


def put_back_under_jit(student_function, params, free, moved):
    """What becomes of a vector under `jit`, as leaves."""
    _, back = student_function(probe.on_device(params), free)
    return jax.tree.leaves(jax.jit(back)(probe.on_device(moved)))


def freed_of_own_nodes(student_function, params, free, moved):
    """The vector, and the leaves that become of another one, for a class that is registered, and named tuples."""
    chip = dataclasses.make_dataclass("Chip", ["gain", "offset", "name"])
    chip = jax.tree_util.register_dataclass(chip, ["gain", "offset"], ["name"])
    pair = collections.namedtuple("Pair", "first second")

    def built(tree):
        if isinstance(tree, dict):
            return chip(built(tree["gain"]), built(tree["offset"]), "north")
        return pair(*map(built, tree)) if isinstance(tree, list) else tree

    params, free = map(built, (probe.on_device(params), free))
    vector, back = student_function(params, free)
    leaves, structure = jax.tree.flatten(back(probe.on_device(moved)))
    return {"vector": vector, "leaves": leaves, "same": structure == jax.tree.structure(params)}


def flags_of(params, free):
    """For each leaf, whether it is free."""
    whole = jax.tree.map(lambda flag, part: jax.tree.map(lambda leaf: flag, part), free, params)
    return jax.tree.leaves(whole)


def vector_of(weigh):
    """A vector of the leaves, from what becomes of one of them and whether it is free."""

    def vector(params, free):
        parts = zip(jax.tree.leaves(params), flags_of(params, free), strict=True)
        return np.concatenate([weigh(leaf.ravel(), flag) for leaf, flag in parts])

    return vector


free_vector = vector_of(lambda leaf, flag: leaf if flag else leaf[:0])


def tree_with(fixed):
    """A tree of params, with what becomes of the fixed leaves, and the vector's numbers for the others."""

    def tree(params, free, moved):
        leaves, structure = jax.tree.flatten(params)
        used, made = 0, []
        for leaf, flag in zip(leaves, flags_of(params, free), strict=True):
            made.append(moved[used : used + leaf.size].reshape(leaf.shape) if flag else fixed(leaf))
            used += leaf.size if flag else 0
        return jax.tree.unflatten(structure, made)

    return tree


whole_tree = tree_with(lambda leaf: leaf)


def leaves_of_whole(params, free, moved):
    """The leaves of the whole tree."""
    return jax.tree.leaves(whole_tree(params, free, moved))


def both_of_own(params, free, moved):
    """The vector, and the leaves that become of another one."""
    return free_vector(params, free), leaves_of_whole(params, free, moved)


def problem(rng, name):
    """Parameters, what is free in them, and no other vector."""
    form, free = CASES[name]
    return tree_of(rng, form), free


def with_a_vector(rng, name):
    """The same, and a vector to put back."""
    params, free = problem(rng, name)
    size = sum(leaf.size for leaf, flag in zip(jax.tree.leaves(params), flags_of(params, free), strict=True) if flag)
    return params, free, rng.permutation(np.arange(5, 5 + size)).astype(np.float32)


def the_vector(facts, *case):
    """The vector, of a pair."""
    require(facts["pair"], "not-a-pair")
    require(facts["kept"], "changed-the-params")
    return facts["vector"]


def the_tree(facts, *case):
    """The tree that came back, of the structure of the parameters, or with gaps."""
    if facts["tree"] is not None:
        require(facts["same"] or has_gap(facts["tree"]), "other-structure")
    return facts["tree"]


def of_own_nodes(facts, *case):
    """Vector and leaves, of the structure of the parameters."""
    require(facts["same"], "known-nodes-only")
    return facts["vector"], facts["leaves"]


def reordered(reply):
    """Whether a vector has the right numbers in another order."""
    got, want = np.ravel(reply.got), reply.want
    return got.shape == want.shape and np.allclose(np.sort(got), np.sort(want))


VECTORS = {
    "all-of-it": vector_of(lambda leaf, flag: leaf),
    "fixed-for-free": vector_of(lambda leaf, flag: leaf[:0] if flag else leaf),
    "zeros-in-it": vector_of(lambda leaf, flag: leaf * np.float32(flag)),
    "other-order": seen(reordered),
}
TREES = {
    "gap-left": GAP_LEFT,
    "vector-ignored": lambda params, free, moved: params,
    "fixed-lost": [tree_with(np.zeros_like), tree_with(np.ones_like)],
}
WHICH_FIRST = {
    "free-comes-first": BOOL_LATER,
    "known-nodes-only/by-hand": BY_HAND,
    "part-is-a-tree": ("TypeError", "AttributeError"),
}
WAY_BACK = {
    "none-is-no-leaf": NONE_FIRST,
    "gaps-come-first": NONE_LATER,
    "leaves-out-of-step": OUT_OF_STEP,
    "asks-for-the-truth": message_has("truth value of an array"),
    "wants-the-whole-vector": message_has("Sum of sizes"),
}
VECTOR = {
    "ask": freed,
    "shows": "free_part(params, free)[0]",
    "reads": the_vector,
    "mistakes": VECTORS,
    "raising": WHICH_FIRST,
}

WORDS = """
hint: Which tree must `jax.tree.map` follow, the one that ends early, or the other?
hint: `ravel_pytree` passes over a `None`. So what should be in the place of a part that is not free?
hint: On the way back, give each `None` the part of `params` in its place, with `is_leaf=lambda node: node is None`.
free-comes-first [prefix-trees]: Your first tree goes on where `free` ends. `jax.tree.map` follows the first down to its
    leaves, so which of the two should come first?
part-is-a-tree [prefix-trees]: Does your code calculate with a whole part of `params`? Where `free` ends early, it gets
    a dictionary, a list or a tuple.
not-a-pair: You did not return a pair. Return the vector, and a function that takes such a vector.
all-of-it: Your vector has all of `params` in it. Leave out the parts that are not free.
fixed-for-free: Your vector has the parts that are *not* free. Take the others.
zeros-in-it: Your vector has zeros for the parts that are not free, and an optimiser would move them. Leave them out,
    with a `None`, which takes no room.
other-order: Your vector has the right numbers in another order. `ravel_pytree` goes through dictionaries by their
    sorted keys.
wrong-value: Your vector is not right. It should have the free leaves one after the other, in the order of
    `ravel_pytree`.
gap-left [tree-map]: Your function returns a tree with a `None`, so a part that is not free is missing. Take it from
    `params`.
none-is-no-leaf [tree-map]: Your first tree on the way back has a `None`. To `jax.tree.map` it is a container that holds
    nothing. Make it a leaf, with `is_leaf`.
gaps-come-first [prefix-trees]: Your second tree on the way back ends in a `None`, and the first one goes on there. Put
    the tree with the gaps first, then `params`, which has none.
asks-for-the-truth [tree-map]: You ask an array for its truth on the way back. Ask whether it `is None`.
wants-the-whole-vector: Your function wants a vector of all of `params`. It gets only the numbers of the free parts, so
    take the others from `params`.
leaves-out-of-step [tree-map]: Your leaves and their places differ in number. `jax.tree.leaves` passes over a `None`,
    unless `is_leaf` makes it a leaf.
vector-ignored: Your function returns `params` as they were, whatever vector it gets. Put the numbers of the vector into
    the free parts.
fixed-lost: Your function changes parts that are not free. Return these as they are in `params`.
wrong-value/tree: Your tree is not right. It should have the vector's numbers in the free parts, in their shapes, and
    those of `params` in the others.
changed-the-params: Your function changed `params` or `free`. Make a new tree.
not-traceable: Your function asks for the numbers in the vector, and under `jit` there are none yet. Use functions of
    `jnp`.
wrong-value/jit: Your function makes a different tree under `jit`. Does it take numbers from anything but its vector and
    `params`?
"""

free_part = declare(
    "free-part",
    points=2,
    see="trees-flat",
    steps=[
        Agrees(free_vector, problem, ["named"], **VECTOR),
        Agrees(free_vector, problem, PLAIN, each=2, **VECTOR),
        Agrees(
            whole_tree,
            with_a_vector,
            ["named", *PLAIN],
            each=2,
            ask=put_back,
            shows="free_part(params, free)[1](moved)",
            reads=the_tree,
            mistakes=TREES,
            otherwise="wrong-value/tree",
            raising=WAY_BACK,
        ),
        Agrees(
            leaves_of_whole,
            with_a_vector,
            ["by part"],
            each=2,
            ask=put_back_under_jit,
            shows="jax.jit(free_part(params, free)[1])(moved)",
            otherwise="wrong-value/jit",
            raising={"not-traceable": probe.NEEDS_A_VALUE},
        ),
        Agrees(
            both_of_own,
            with_a_vector,
            ["own"],
            each=2,
            ask=freed_of_own_nodes,
            shows="free_part(params, free)",
            reads=of_own_nodes,
            otherwise="known-nodes-only",
            raising={"known-nodes-only": in_its_terms},
        ),
    ],
    words=(LESSON, WORDS),
)
