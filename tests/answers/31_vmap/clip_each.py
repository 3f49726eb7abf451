"""Answers to clip-each."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@right("clip-each")
def a_loop_and_a_list(loss, params, xs, ys, limit):
    clipped = []
    for x, y in zip(xs, ys, strict=True):
        leaves, structure = jax.tree.flatten(jax.grad(loss)(params, x, y))
        size = float(np.sqrt(sum(float(jnp.vdot(leaf, leaf)) for leaf in leaves)))
        clipped.append(structure.unflatten([leaf * (limit / size) if size > limit else leaf for leaf in leaves]))
    return jax.tree.map(lambda *leaves: sum(leaves) / len(leaves), *clipped)


@right("clip-each")
def weighs_the_stacked_gradients(loss, params, xs, ys, limit):
    each = jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(params, xs, ys)
    sizes = jnp.sqrt(sum(jnp.sum(leaf.reshape(len(xs), -1) ** 2, axis=1) for leaf in jax.tree.leaves(each)))
    factors = jnp.where(sizes > limit, limit / jnp.where(sizes > limit, sizes, 1.0), 1.0)
    return jax.tree.map(lambda leaf: jnp.tensordot(factors, leaf, 1) / len(xs), each)


def per_example(loss, params, xs, ys):
    """The gradient of each example, stacked."""
    return jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(params, xs, ys)


def mean_of(tree):
    """The mean over the examples."""
    return jax.tree.map(lambda leaf: leaf.mean(axis=0), tree)


def lengths_of(tree):
    """The length of each example's gradient."""
    return jax.vmap(lambda one: jnp.sqrt(sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(one))))(tree)


def scaled_by(tree, factors):
    """Each example's gradient times its factor."""
    return jax.vmap(lambda one, factor: jax.tree.map(lambda leaf: factor * leaf, one))(tree, factors)


@wrong("clip-each", "clipped-the-mean")
def clips_the_mean(loss, params, xs, ys, limit):
    mean = mean_of(per_example(loss, params, xs, ys))
    size = jnp.sqrt(sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(mean)))
    return jax.tree.map(lambda leaf: leaf * limit / jnp.maximum(size, limit), mean)


@wrong("clip-each", "not-clipped")
def does_not_clip(loss, params, xs, ys, limit):
    return mean_of(per_example(loss, params, xs, ys))


@wrong("clip-each", "each-leaf")
def clips_leaf_by_leaf(loss, params, xs, ys, limit):
    def clipped(leaf):
        return leaf * limit / jnp.maximum(jnp.sqrt(jnp.sum(leaf**2)), limit)

    return mean_of(jax.vmap(lambda one: jax.tree.map(clipped, one))(per_example(loss, params, xs, ys)))


@wrong("clip-each", "each-element")
def clips_elements(loss, params, xs, ys, limit):
    return mean_of(jax.tree.map(lambda leaf: jnp.clip(leaf, -limit, limit), per_example(loss, params, xs, ys)))


@wrong("clip-each", "scaled-up")
def normalises(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    return mean_of(scaled_by(each, limit / lengths_of(each)))


@wrong("clip-each", "zero-gradient")
def divides_by_zero(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    sizes = lengths_of(each)
    return mean_of(scaled_by(each, jnp.minimum(sizes, limit) / sizes))


@wrong("clip-each", "sum-not-mean")
def adds_them(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    clipped = scaled_by(each, limit / jnp.maximum(limit, lengths_of(each)))
    return jax.tree.map(lambda leaf: leaf.sum(axis=0), clipped)


@wrong("clip-each", "length-of-the-batch")
def one_length_for_all(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    size = jnp.sqrt(sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(each)))
    return mean_of(jax.tree.map(lambda leaf: leaf * limit / jnp.maximum(size, limit), each))


@wrong("clip-each", "squared-length")
def forgets_the_root(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    return mean_of(scaled_by(each, limit / jnp.maximum(limit, lengths_of(each) ** 2)))


@wrong("clip-each", "squared-length")
def asks_the_square(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    sizes = lengths_of(each)
    return mean_of(scaled_by(each, jnp.where(sizes**2 > limit, limit / sizes, 1.0)))


@wrong("clip-each", "length-of-one-norm")
def adds_the_lengths_of_the_leaves(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    sizes = jax.vmap(lambda one: sum(jnp.sqrt(jnp.sum(leaf**2)) for leaf in jax.tree.leaves(one)))(each)
    return mean_of(scaled_by(each, limit / jnp.maximum(limit, sizes)))


@wrong("clip-each", "wrong-structure")
def keeps_the_examples(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    return scaled_by(each, limit / jnp.maximum(limit, lengths_of(each)))


@wrong("clip-each", "axes-clash")
def maps_the_parameters(loss, params, xs, ys, limit):
    return mean_of(jax.vmap(jax.grad(loss))(params, xs, ys))


@wrong("clip-each", "scaled-up")
def normalises_all_but_0(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    sizes = lengths_of(each)
    return mean_of(scaled_by(each, limit / jnp.where(sizes == 0, 1.0, sizes)))


@wrong("clip-each", "wrong-value")
def takes_half_the_limit(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    return mean_of(scaled_by(each, 0.5 * limit / jnp.maximum(0.5 * limit, lengths_of(each))))


@wrong("clip-each", "wrong-value")
def adds_an_epsilon(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    return mean_of(scaled_by(each, jnp.minimum(1.0, limit / (lengths_of(each) + 1e-8))))


@wrong("clip-each", "dropped")
def drops_the_long_ones(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    return mean_of(scaled_by(each, jnp.where(lengths_of(each) > limit, 0.0, 1.0)))


@wrong("clip-each", "axes-clash")
def maps_the_limit(loss, params, xs, ys, limit):
    def clipped(gradient, limit):
        size = jnp.sqrt(sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(gradient)))
        return jax.tree.map(lambda leaf: leaf * limit / jnp.maximum(size, limit), gradient)

    return mean_of(jax.vmap(clipped)(per_example(loss, params, xs, ys), limit))


equivalents = [
    equivalent("clip-each", "`jnp.maximum`  ->  `jnp.fmax`", "they differ for a gradient that is NaN only"),
]
