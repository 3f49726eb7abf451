"""Answers to gradient-step."""

import jax
import jax.numpy as jnp
import numpy as np
import optax

from jaxcourse.exercise import right, wrong


@right("gradient-step")
def flattens_and_unflattens(loss, params, rate):
    value, gradient = jax.value_and_grad(loss)(params)
    leaves, structure = jax.tree.flatten(params)
    return structure.unflatten([p - rate * g for p, g in zip(leaves, jax.tree.leaves(gradient), strict=True)])


@right("gradient-step")
def by_optax(loss, params, rate):
    plain = optax.sgd(rate)
    updates, _ = plain.update(jax.grad(loss)(params), plain.init(params))
    return optax.apply_updates(params, updates)


@wrong("gradient-step", "uphill")
def climbs(loss, params, rate):
    return jax.tree.map(lambda p, g: p + rate * g, params, jax.grad(loss)(params))


@wrong("gradient-step", "wrong-value")
def walks_in_the_order_of_insertion(loss, params, rate):
    slopes = iter(jax.tree.leaves(jax.grad(loss)(params)))

    def walk(node):
        if isinstance(node, dict):
            return {name: walk(child) for name, child in node.items()}
        if hasattr(node, "_fields"):
            return type(node)(*map(walk, node))
        return type(node)(map(walk, node)) if isinstance(node, (list, tuple)) else node - rate * next(slopes)

    return walk(params)


@wrong("gradient-step", "rate-forgotten")
def whole_gradient(loss, params, rate):
    return jax.tree.map(jnp.subtract, params, jax.grad(loss)(params))


@wrong("gradient-step", "gradient-only")
def only_the_gradient(loss, params, rate):
    return jax.grad(loss)(params)


@wrong("gradient-step", "step-only")
def only_the_step(loss, params, rate):
    return jax.tree.map(lambda g: -rate * g, jax.grad(loss)(params))


@wrong("gradient-step", "not-any-tree")
def for_arrays(loss, params, rate):
    return params - rate * jax.grad(loss)(params)


@wrong("gradient-step", "structure-lost")
def leaves_in_a_list(loss, params, rate):
    pairs = zip(jax.tree.leaves(params), jax.tree.leaves(jax.grad(loss)(params)), strict=True)
    return [p - rate * g for p, g in pairs]


@wrong("gradient-step", "normalised")
def unit_length(loss, params, rate):
    gradient = jax.grad(loss)(params)
    return jax.tree.map(lambda p, g: p - rate * g / optax.tree.norm(gradient), params, gradient)


@wrong("gradient-step", "two-steps")
def twice(loss, params, rate):
    for _ in range(2):
        params = jax.tree.map(lambda p, g: p - rate * g, params, jax.grad(loss)(params))
    return params


@wrong("gradient-step", "one-leaf-after-another")
def a_new_gradient_for_each(loss, params, rate):
    leaves, structure = jax.tree.flatten(params)
    for i in range(len(leaves)):
        slopes = jax.tree.leaves(jax.grad(loss)(structure.unflatten(leaves)))
        leaves[i] = leaves[i] - rate * slopes[i]
    return structure.unflatten(leaves)


@wrong("gradient-step", "changed-input")
def writes_into_the_tree(loss, params, rate):
    def walk(p, g):
        if isinstance(p, (dict, list)):
            for k in p if isinstance(p, dict) else range(len(p)):
                p[k] = walk(p[k], g[k])
            return p
        if isinstance(p, tuple):
            moved = [walk(a, b) for a, b in zip(p, g, strict=True)]
            return type(p)(*moved) if hasattr(p, "_fields") else tuple(moved)
        return p - rate * g

    return walk(params, jax.grad(loss)(params))


@wrong("gradient-step", "changed-input")
def steps_in_place(loss, params, rate):
    def moved(p, g):
        p -= rate * np.asarray(g)
        return p

    return jax.tree.map(moved, params, jax.grad(loss)(params))


@wrong("gradient-step", "dtype-lost")
def in_half_precision(loss, params, rate):
    step = lambda p, g: (p - rate * g).astype(jnp.bfloat16)  # noqa: E731
    return jax.tree.map(step, params, jax.grad(loss)(params))


@wrong("gradient-step", "wrong-value")
def clips_the_gradient(loss, params, rate):
    return jax.tree.map(lambda p, g: p - rate * jnp.clip(g, -100, 100), params, jax.grad(loss)(params))


@wrong("gradient-step", "wrong-value")
def keeps_the_first_program(loss, params, rate):
    gradient = _KEPT.setdefault(str(jax.tree.structure(params)), jax.jit(jax.grad(loss)))
    return jax.tree.map(lambda p, g: p - rate * g, params, gradient(params))


_KEPT: dict = {}


@wrong("gradient-step", "wrong-value")
def half_the_rate(loss, params, rate):
    return jax.tree.map(lambda p, g: p - rate / 2 * g, params, jax.grad(loss)(params))


@wrong("gradient-step", "TypeError")
def gradient_of_a_number(loss, params, rate):
    return jax.tree.map(lambda p, g: p - rate * g, params, jax.grad(loss(params)))


@wrong("gradient-step", "TypeError")
def maps_one_tree_for_two(loss, params, rate):
    jax.grad(loss)(params)
    return jax.tree.map(lambda p, g: p - rate * g, params)


@wrong("gradient-step", "returned-nothing")
def shows_the_step(loss, params, rate):
    print(jax.tree.map(lambda p, g: p - rate * g, params, jax.grad(loss)(params)))


@wrong("gradient-step", "not-any-tree")
def mistypes_the_branch_for_trees(loss, params, rate):
    gradient = jax.grad(loss)(params)
    if hasattr(params, "shape"):
        return params - rate * gradient
    return jax.tree.maps(lambda p, g: p - rate * g, params, gradient)
