"""momentum-step."""

import jax
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, Also, declare, expect, refuse, require


def momentum_facts(student_function, calls):
    """The results under `jit`: their dtypes and their numbers."""
    facts = []
    jitted = jax.jit(student_function)
    for params, velocity, grads, rate, decay in calls:
        leaves = jax.tree.leaves(jitted(params, velocity, grads, rate, decay))
        dtypes = sorted({str(leaf.dtype) for leaf in leaves})
        facts.append({"dtypes": dtypes, "leaves": [np.asarray(leaf) for leaf in leaves]})
    return facts


TREES = {
    "a unit": {"b": ()},
    "a layer": {"w": (3, 3), "b": (3,)},
    "layers": [{"w": (2, 3), "b": (3,)}, ((), {"scale": (3,)})],
    "odd": ([(0, 2), ()], {"deep": {"er": ((2, 3),)}}),
}
"""The structures of parameters that are asked, by the shapes of their leaves."""


def tree_of(rng, name):
    """A tree of numbers of one of the structures."""
    leaves, form = jax.tree.flatten(TREES[name], is_leaf=lambda node: isinstance(node, tuple) and _is_shape(node))
    return jax.tree.unflatten(form, [np.asarray(inputs.array(rng, shape, "float32")) for shape in leaves])


def _is_shape(node):
    return all(isinstance(length, int) for length in node)


def momentum_case(rng, name):
    """The arguments of one call."""
    trees = [tree_of(rng, name) for _ in range(3)]
    if name == "a unit":
        return *trees, 0.5, 0.25
    return *trees, float(rng.uniform(0.1, 2)), float(rng.uniform(0.2, 0.95))


def unusual_moments(rng):
    """Calls of other scales, with whole numbers for the rates, another order of keys, and a gradient that is lost."""
    cases = []
    for scales in ((1e6, 1, 1), (1e-12, 1e-12, 1e-12), (1, 1e8, 1e8)):
        *trees, rate, decay = momentum_case(rng, "a layer")
        scaled = [
            jax.tree.map(lambda leaf, s=s: leaf * np.float32(s), tree) for tree, s in zip(trees, scales, strict=True)
        ]
        cases.append((*scaled, rate, decay))
    params, velocity, grads, rate, decay = momentum_case(rng, "layers")
    turned = [dict(reversed(velocity[0].items())), velocity[1]]  # the same structure, entered in another order
    cases.append((params, turned, grads, rate, decay))
    cases.append((*(tree_of(rng, "a layer") for _ in range(3)), 1, 0))
    params, velocity, grads, rate, decay = momentum_case(rng, "a layer")
    grads["w"][0, 1] = np.nan
    return [*cases, (params, velocity, grads, rate, decay)]


def by_leaf(new_velocity, new_params):
    """A step as a function of trees, from what happens to one leaf."""

    def step(params, velocity, grads, rate, decay):
        def moved(p, v, g):
            p, v, g = (np.asarray(leaf, np.float64) for leaf in (p, v, g))
            fresh = new_velocity(v, g, rate, decay)
            return new_params(p, v, g, fresh, rate, decay), fresh

        pairs = jax.tree.map(moved, params, velocity, grads)
        form = jax.tree.structure(params)
        return tuple(jax.tree.transpose(form, jax.tree.structure((0, 0)), pairs))

    return step


def _velocity(v, g, rate, decay):
    return decay * v + g


def _down(p, v, g, fresh, rate, decay):
    return p - rate * fresh


with_momentum = by_leaf(_velocity, _down)


_averaged = by_leaf(lambda v, g, rate, decay: decay * v + (1 - decay) * g, _down)


_rated = by_leaf(lambda v, g, rate, decay: decay * v + rate * g, lambda p, v, g, fresh, rate, decay: p - fresh)


_rated_down = by_leaf(lambda v, g, rate, decay: decay * v - rate * g, lambda p, v, g, fresh, rate, decay: p + fresh)


_uphill = by_leaf(_velocity, lambda p, v, g, fresh, rate, decay: p + rate * fresh)


_stale = by_leaf(_velocity, lambda p, v, g, fresh, rate, decay: p - rate * v)


_plain = by_leaf(_velocity, lambda p, v, g, fresh, rate, decay: p - rate * g)


_memoryless = by_leaf(lambda v, g, rate, decay: g, _down)


_nesterov = by_leaf(_velocity, lambda p, v, g, fresh, rate, decay: p - rate * (g + decay * fresh))


def swapped_momentum(*case):
    """The velocity first."""
    return with_momentum(*case)[::-1]


def forgotten_velocity(params, velocity, grads, rate, decay):
    """The old velocity comes back."""
    return with_momentum(params, velocity, grads, rate, decay)[0], velocity


MISTAKES = {
    "uphill": _uphill,
    "old-velocity": _stale,
    "plain-descent": _plain,
    "averaged": _averaged,
    "rate-in-velocity": _rated,
    "rate-in-velocity/2": _rated_down,
    "velocity-kept": forgotten_velocity,
    "swapped": swapped_momentum,
    "velocity-ignored": _memoryless,
    "looked-ahead": _nesterov,
}


def _require_float32(dtypes):
    require(set(dtypes) == {"float32"}, "dtype-lost", dtypes=" and ".join(sorted(dtypes)))


def a_pair_of_trees(got, params, velocity, grads, rate, decay):
    """New parameters and a new velocity, each in the structure of the parameters."""
    require(isinstance(got, (tuple, list)) and len(got) == 2, "not-a-pair")
    for part in got:
        require(jax.tree.structure(part) == jax.tree.structure(params), "other-structure")
    lengths = [leaf.shape for leaf in jax.tree.leaves(params)]
    require([np.shape(leaf) for leaf in jax.tree.leaves(got)] == 2 * lengths, "wrong-shape")
    _require_float32({str(np.asarray(leaf).dtype) for leaf in jax.tree.leaves(got)})
    return tuple(got)


def rates_are_used(answer, replies):
    """Another rate and another decay make a difference, if the results are wrong otherwise."""
    if not all(reply.right for reply in replies):
        *trees, rate, decay = next(reply.case for reply in replies if "w" in reply.case[0])
        one, other = (jax.tree.leaves(answer(*trees, *pair)) for pair in ((rate, decay), (rate / 2, decay / 2)))
        refuse(all(map(np.array_equal, one, other)), "rates-kept")


def the_same_under_jit(answer, rng):
    """A compiled step gives the same, for nested trees with empty nodes too."""
    calls = [momentum_case(rng, "odd") for _ in range(2)]
    facts, raised = answer.attempt(momentum_facts, calls, expected=probe.NEEDS_A_VALUE)
    answer.called = "jax.jit(momentum_step)(...)"
    refuse(raised, "not-traceable")
    for case, found in zip(calls, facts, strict=True):
        _require_float32(found["dtypes"])
        for got, want in zip(found["leaves"], jax.tree.leaves(with_momentum(*case)), strict=True):
            expect(got, want, "wrong-value/jit", rtol=1e-4)


WORDS = """
hint: `jax.tree.map(function, tree, other)` goes through several trees at once.
hint: First compute the new velocity, a tree. From it come the new parameters.
uphill: Your parameters move *with* the velocity, and the loss grows. Go against it, with a minus.
old-velocity: Your step follows the velocity that came in, so this gradient acts only at the next step. Use the new one.
plain-descent: Your step follows the gradient alone. You keep the velocity, but it moves nothing.
averaged: You weighted the gradient by `1 - decay`. That is a running mean, and its steps are that much shorter. Here
    the gradient is added whole.
rate-in-velocity: You put the rate into the velocity. When the rate changes, the old steps keep the old rate. Keep the
    velocity free of it.
rate-in-velocity/2: You put the rate and the sign into the velocity. When the rate changes, the old steps keep the old
    rate. Keep the velocity free of both.
velocity-kept: You returned the velocity that came in, so the next step will not know the new one.
swapped: You returned the velocity first. Return the parameters, then the velocity.
velocity-ignored: You ignore the velocity that came in. With a new state at each step there is no momentum.
looked-ahead: You let the decay act twice on the way to the parameters, as in Nesterov's variant. They move by the
    velocity.
wrong-value: The new velocity is `decay * v + g`, and the new parameters are `p - rate * v` with that velocity.
dtype-lost: Your leaves should all be `float32`, and there are {dtypes}.
not-a-pair: Return a pair of parameters and velocity.
other-structure: Both should have the structure of `params`, with lists for lists and tuples for tuples, or the next
    `tree.map` refuses them.
wrong-shape: A leaf has another shape than its parameter.
rates-kept: Another rate and another decay gave the same result. Do you use them, or does a compiled function keep
    those of its first call? Pass both as arguments.
not-traceable: Under `jit`, your code asks for the value of a number that is not known yet.
wrong-value/jit: Under `jit`, your numbers differ from those without it.
"""

momentum_step = declare(
    "momentum-step",
    see="net-by-hand",
    steps=[
        Agrees(
            with_momentum,
            momentum_case,
            TREES,
            each=2,
            extremes=unusual_moments,
            reads=a_pair_of_trees,
            mistakes=MISTAKES,
            otherwise=None,
            then=[rates_are_used, Also(with_momentum, reads=a_pair_of_trees)],
        ),
        the_same_under_jit,
    ],
    words=WORDS,
)
