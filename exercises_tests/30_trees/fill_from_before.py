"""fill-from-before: a tree with what another one has in the place of each `None`."""

import collections
import dataclasses

import jax
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, require

from ._lesson import (
    BY_HAND,
    GAP_LEFT,
    NONE_FIRST,
    NONE_LATER,
    OUT_OF_STEP,
    has_gap,
    in_its_terms,
    is_none,
    message_has,
    tree_of,
)
from ._lesson import WORDS as LESSON

FORMS = {
    "numbers": {"sw": "number", "ne": "number", "nw": "number"},
    "chips": {"sw": ["number", "2"], "ne": ["3", ""], "nw": ["2", "number"]},
    "parts": {"sw": {"offset": "2", "gain": "number"}, "ne": {"offset": ["", "3"], "gain": "1 2"}},
    "nested": [({"z": "2", "a": ["number", "2 2"]}, ""), {"flat": ("2", ("number", "3"))}],
    "own": {"gain": ["number", "2"], "offset": [{"gain": "3", "offset": ""}, "2 1"]},
}
"""Trees of dictionaries, lists and tuples; in the last one these become nodes that an answer cannot know."""


def filled(student_function, tonight, before):
    """What an answer makes of two trees, and whether these are what they were."""
    given = probe.on_device((tonight, before))
    leaves, structure = jax.tree.flatten(given)
    tree = student_function(*given)
    now, form = jax.tree.flatten(given)
    kept = form == structure and all(one is other for one, other in zip(now, leaves, strict=True))
    same = jax.tree.structure(tree) == jax.tree.structure(given[1])
    return {"tree": tree, "kept": kept, "same": same}


def filled_of_own_nodes(student_function, tonight, before):
    """The same for trees of a class that is registered, and of named tuples: the leaves, and whether there are all."""
    chip = dataclasses.make_dataclass("Chip", ["gain", "offset", "name"])
    chip = jax.tree_util.register_dataclass(chip, ["gain", "offset"], ["name"])
    pair = collections.namedtuple("Pair", "first second")

    def built(tree):
        if isinstance(tree, dict):
            return chip(built(tree["gain"]), built(tree["offset"]), "north")
        return pair(*map(built, tree)) if isinstance(tree, list) else tree

    tonight, before = map(built, probe.on_device((tonight, before)))
    leaves, structure = jax.tree.flatten(student_function(tonight, before))
    return {"leaves": leaves, "same": structure == jax.tree.structure(before)}


def thinned(rng, tree):
    """The tree with other leaves, some of them 0, and with `None` for some leaves and parts."""

    def walk(node, depth):
        if depth and rng.random() < 0.35:
            return None
        if isinstance(node, dict):
            return {key: walk(part, depth + 1) for key, part in node.items()}
        if isinstance(node, (list, tuple)):
            return type(node)(walk(part, depth + 1) for part in node)
        new = node * (0 if rng.random() < 0.4 else 2)
        return np.asarray(new) if isinstance(node, np.ndarray) else new

    while True:
        drawn = walk(tree, 0)
        found = jax.tree.leaves(drawn, is_leaf=is_none)
        if any(map(is_none, found)) and not all(map(is_none, found)):
            return drawn


def calibrations(rng, form):
    """Tonight's, with gaps, and the one before."""
    before = tree_of(rng, FORMS[form])
    return thinned(rng, before), before


def as_in_the_task(rng):
    """Gaps for a whole part and within one, and a measured 0, which counts."""
    ones, twos, threes = (np.full(2, value, np.float32) for value in (1, 2, 3))
    return [
        ({"ne": None, "sw": threes}, {"ne": ones, "sw": twos}),
        ({"ne": None, "sw": ones}, {"ne": twos, "sw": threes}),
        ({"ne": None, "sw": [3.0, None]}, {"ne": [1.0, 2.0], "sw": [4.0, 5.0]}),
        ({"ne": None, "sw": 0.0}, {"ne": 1.0, "sw": 2.0}),
        ({"ne": None, "sw": 0 * ones}, {"ne": {"gain": ones, "offset": 2.0}, "sw": twos}),
    ]


def filling(is_gap):
    """What comes of taking some nodes for gaps."""

    def merged(tonight, before):
        if is_gap(tonight):
            return before
        if isinstance(tonight, dict):
            return {key: merged(tonight[key], before[key]) for key in before}
        if isinstance(tonight, (list, tuple)):
            return type(before)(merged(*both) for both in zip(tonight, before, strict=True))
        return tonight

    return merged


from_before = filling(is_none)


def leaves_from_before(tonight, before):
    """The leaves of what is right."""
    return jax.tree.leaves(from_before(tonight, before))


def is_false(node):
    """Whether a node is `None`, or a leaf of zeros alone."""
    return node is None or (not isinstance(node, (dict, list, tuple)) and not np.any(node))


def the_tree(facts, *case):
    """What came back, of the structure that was before, or with gaps; the two trees are what they were."""
    require(facts["kept"], "changed-the-trees")
    if facts["tree"] is not None:
        require(facts["same"] or has_gap(facts["tree"]), "other-structure")
    return facts["tree"]


def leaves_of_own_nodes(facts, *case):
    """The leaves, of the structure that was before."""
    require(facts["same"], "known-nodes-only")
    return facts["leaves"]


MISTAKES = {
    "before-wins": lambda tonight, before: before,
    "zero-is-no-gap": filling(is_false),
    "zeros-for-gaps": lambda tonight, before: jax.tree.map(lambda new: new or 0.0, tonight, is_leaf=is_none),
    "gap-left": GAP_LEFT,
}
RAISING = {
    "none-is-no-leaf": NONE_FIRST,
    "before-comes-first": NONE_LATER,
    "leaves-out-of-step": OUT_OF_STEP,
    "known-nodes-only/by-hand": BY_HAND,
    "calculates-with-none": message_has("NoneType"),
}
CALL = {
    "ask": filled,
    "shows": "fill_from_before(tonight, before)",
    "reads": the_tree,
    "mistakes": MISTAKES,
    "raising": RAISING,
}

WORDS = """
hint: Which of the two trees must `jax.tree.map` follow, if `before` goes on where `tonight` ends?
hint: `None` is not a leaf, unless `is_leaf` says so.
hint: `is_leaf=lambda node: node is None`
before-wins: You returned `before` alone. Take from it only the parts for which `tonight` has a `None`.
zero-is-no-gap: You replaced a measured 0. Like `None`, it counts as false, so ask whether it `is None`.
zeros-for-gaps: You put a 0 in the place of a `None`. Take the part that `before` has there.
gap-left: Your tree still has a `None`. Look for it deep inside, and in the place of a whole part.
none-is-no-leaf: Your first tree has a `None`. To `jax.tree.map` it is a container that holds nothing, and the second
    tree holds something there. Make the `None` a leaf, with `is_leaf`.
before-comes-first [trees-own]: Your second tree ends in a `None`, and the first one goes on there. `jax.tree.map`
    follows the first down to its leaves, so which should come first?
leaves-out-of-step: Your leaves and their places differ in number. `jax.tree.leaves` passes over a `None`, unless
    `is_leaf` makes it a leaf.
calculates-with-none: You calculated with a `None`, or passed it to a function of arrays. Even `jnp.where` takes both
    sides as arrays. Let Python choose, by `if ... is None`.
wrong-value: At least one of your leaves is not right. Each is tonight's, unless tonight has a `None` there or above it.
changed-the-trees: Your function changed `tonight` or `before`. Make a new tree.
"""

fill_from_before = declare(
    "fill-from-before",
    see="tree-map",
    steps=[
        Agrees(from_before, calibrations, ["numbers"], each=6, **CALL),
        Agrees(from_before, calibrations, ["chips", "parts"], each=3, **CALL),
        Agrees(from_before, calibrations, ["nested"], each=3, extremes=as_in_the_task, **CALL),
        Agrees(
            leaves_from_before,
            calibrations,
            ["own"],
            each=3,
            ask=filled_of_own_nodes,
            shows=CALL["shows"],
            reads=leaves_of_own_nodes,
            otherwise="known-nodes-only",
            raising={"known-nodes-only": in_its_terms},
        ),
    ],
    words=(LESSON, WORDS),
)
