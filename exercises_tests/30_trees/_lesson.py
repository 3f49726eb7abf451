"""What the exercises of lesson 30 share: trees of a form that is written down, and what `tree.map` complains of."""

import re

import jax

from jaxcourse import inputs
from jaxcourse.checks import seen


def tree_of(rng, form):
    """A tree of the form, whose leaves are `"number"`, one of Python's, or the shape of an array, such as `"2 3"`."""
    if isinstance(form, dict):
        return {key: tree_of(rng, part) for key, part in form.items()}
    if isinstance(form, (list, tuple)):
        return type(form)(tree_of(rng, part) for part in form)
    if form == "number":
        return float(inputs.array(rng, (), "float32"))
    return inputs.array(rng, tuple(map(int, form.split())), "float32")


def message_has(pattern):
    """A test of what was raised: whether its message has a pattern, wherever its lines end."""
    return lambda error: re.search(pattern, " ".join(error.raised.message.split()))


def in_its_terms(error):
    """Whether what failed is not merely a misspelt name, in a branch that only other arguments reach."""
    return error.raised.kind not in ("NameError", "UnboundLocalError")


def is_none(node):
    return node is None


def has_gap(tree):
    """Whether there is a `None` in a tree."""
    return any(map(is_none, jax.tree.leaves(tree, is_leaf=is_none)))


NONE_FIRST = message_has(r"Expected None, got|a subtree of type <class 'NoneType'>")
"""The first tree has `None` where the second one goes on."""
NONE_LATER = message_has(r", got None|different type <class 'NoneType'>")
"""The first tree goes on where the second one has `None`."""
BOOL_LATER = message_has(r", got (True|False)|different type <class 'bool'>")
"""The first tree goes on where the second one has a truth."""
OUT_OF_STEP = message_has(r"Too (few|many) leaves|argument 2 is (shorter|longer)|index out of range|StopIteration")
"""Leaves were counted without the `None`s."""
BY_HAND = message_has(r"attribute '(items|keys|values)'|not (subscriptable|iterable)|indices must be")
"""A container was looked into that is another one."""

GAP_LEFT = seen(lambda reply: reply.right or has_gap(reply.got))
"""There is a `None` in each tree that is not right."""

WORDS = """
known-nodes-only [trees-own]: Your answer is right for dictionaries, lists and tuples. Named tuples and registered
    classes are also nodes, and `jax.tree.map` knows them all.
known-nodes-only/by-hand: Your code looks into containers by itself, and met one that it does not expect. Use
    `jax.tree.map`, which knows them all.
other-structure: Your result has another structure. Keep each dictionary, list and tuple in its place, with its keys.
"""
