"""Answers to safe-distances."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import equivalent, right, wrong


@right("safe-distances")
def guards_the_squares(points):
    difference = points[None] - points[:, None]
    same = jnp.all(difference == 0, axis=2, keepdims=True)
    return jnp.where(same[..., 0], 0.0, jnp.linalg.norm(jnp.where(same, 1.0, difference), axis=2))


@right("safe-distances")
def one_pair_at_a_time(points):
    @jax.custom_jvp
    def root(s):
        return jnp.sqrt(s)

    root.defjvps(lambda ds, y, s: jnp.where(s > 0, ds / (2 * jnp.where(s > 0, y, 1.0)), 0.0))
    return jax.vmap(lambda a: jax.vmap(lambda b: root(jnp.sum((a - b) ** 2)))(points))(points)


@wrong("safe-distances", "nan-gradient")
def plain_norm(points):
    return jnp.linalg.norm(points[:, None] - points, axis=-1)


@wrong("safe-distances", "nan-gradient")
def where_outside_only(points):
    squares = ((points[:, None] - points) ** 2).sum(-1)
    return jnp.where(squares > 0, jnp.sqrt(squares), 0.0)


@wrong("safe-distances", "nan-gradient")
def a_mask_afterwards(points):
    return jnp.linalg.norm(points[:, None] - points, axis=-1) * (1 - jnp.eye(len(points)))


@wrong("safe-distances", "guards-the-diagonal-only")
def only_the_diagonal(points):
    own = jnp.eye(len(points), dtype=bool)
    squares = ((points[:, None] - points) ** 2).sum(-1)
    return jnp.where(own, 0.0, jnp.sqrt(jnp.where(own, 1.0, squares)))


@wrong("safe-distances", "not-exactly-zero")
def adds_a_little(points):
    return jnp.sqrt(((points[:, None] - points) ** 2).sum(-1) + 1e-12)


@wrong("safe-distances", "not-exactly-zero")
def no_less_than_a_little(points):
    return jnp.sqrt(jnp.maximum(((points[:, None] - points) ** 2).sum(-1), 1e-12))


@wrong("safe-distances", "squares-expanded")
def expands_the_square(points):
    own = (points**2).sum(axis=1)
    squares = own[:, None] + own - 2 * points @ points.T
    apart = (squares > 0) & ~jnp.eye(len(points), dtype=bool)
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squares, 1.0)), 0.0)


@wrong("safe-distances", "squares-expanded")
def expands_it_without_the_diagonal(points):
    own = (points**2).sum(axis=1)
    squares = own[:, None] + own - 2 * points @ points.T
    return jnp.where(squares > 0, jnp.sqrt(jnp.where(squares > 0, squares, 1.0)), 0.0)


@wrong("safe-distances", "added-under-the-root")
def takes_the_root_off_again(points):
    added = 1e-6
    return jnp.sqrt(((points[:, None] - points) ** 2).sum(-1) + added) - jnp.sqrt(added)


@wrong("safe-distances", "added-under-the-root")
def adds_a_little_off_the_diagonal(points):
    lengths = jnp.sqrt(((points[:, None] - points) ** 2).sum(-1) + 1e-2)
    return jnp.where(jnp.eye(len(points), dtype=bool), 0.0, lengths)


@wrong("safe-distances", "wrong-distance")
def in_the_plane_only(points):
    squares = ((points[:, None, :2] - points[:, :2]) ** 2).sum(axis=-1)
    apart = squares > 0
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squares, 1.0)), 0.0)


@wrong("safe-distances", "small-distances-lost")
def guards_each_axis(points):
    gaps = points[:, None] - points
    lengths = jnp.sqrt((jnp.where(gaps == 0, 1e-3, gaps) ** 2).sum(axis=-1))
    return jnp.where((gaps == 0).all(axis=-1), 0.0, lengths)


@wrong("safe-distances", "one-end-only")
def stops_one_end(points):
    squares = ((points[:, None] - jax.lax.stop_gradient(points)) ** 2).sum(axis=-1)
    apart = squares > 0
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squares, 1.0)), 0.0)


@wrong("safe-distances", "small-distances-lost")
def everything_small_is_zero(points):
    squares = ((points[:, None] - points) ** 2).sum(-1)
    apart = squares > 1e-8
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squares, 1.0)), 0.0)


@wrong("safe-distances", "small-distances-lost")
def takes_near_points_for_equal(points):
    squares = ((points[:, None] - points) ** 2).sum(-1)
    apart = squares > 1e-10
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squares, 1.0)), 0.0)


@wrong("safe-distances", "squares")
def without_the_root(points):
    return ((points[:, None] - points) ** 2).sum(-1)


@wrong("safe-distances", "one-half")
def upper_half_only(points):
    squares = jnp.triu(((points[:, None] - points) ** 2).sum(-1))
    apart = squares > 0
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squares, 1.0)), 0.0)


@wrong("safe-distances", "wrong-gradient")
def half_the_slope(points):
    @jax.custom_jvp
    def root(s):
        return jnp.sqrt(s)

    root.defjvps(lambda ds, y, s: jnp.where(s > 0, ds / jnp.where(s > 0, y, 1.0), 0.0))
    return root(((points[:, None] - points) ** 2).sum(-1))


@wrong("safe-distances", "no-derivatives")
def nan_to_num_in_the_rule(points):
    squares = ((points[:, None] - points) ** 2).sum(-1)
    apart = squares > 0
    return jax.lax.stop_gradient(jnp.where(apart, jnp.sqrt(jnp.where(apart, squares, 1.0)), 0.0))


@wrong("safe-distances", "wrong-distance")
def adds_up_along_the_points(points):
    return jnp.sqrt(((points[:, None] - points) ** 2).sum(axis=0))


@wrong("safe-distances", "one-half")
def lower_half_only(points):
    squares = jnp.tril(((points[:, None] - points) ** 2).sum(-1))
    apart = squares > 0
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squares, 1.0)), 0.0)


@wrong("safe-distances", "squares-expanded")
def expands_the_square_about_the_centre(points):
    points = points - points.mean(axis=0)
    own = (points**2).sum(axis=1)
    squares = own[:, None] + own - 2 * points @ points.T
    apart = (squares > 0) & ~jnp.eye(len(points), dtype=bool)
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squares, 1.0)), 0.0)


equivalents = [
    equivalent(
        "safe-distances",
        "`1.0`  ->  `-1.0`",
        "what stands in for a square is seen by nobody: `where` drops its root and that root's slope",
    ),
    equivalent(
        "safe-distances",
        "`1.0`  ->  `0.0`",
        "what stands in for a square is seen by nobody: `where` drops its root and that root's slope",
    ),
    equivalent(
        "safe-distances",
        "`1.0`  ->  `1.01`",
        "what stands in for a square is seen by nobody: `where` drops its root and that root's slope",
    ),
    equivalent(
        "safe-distances",
        "`1.0`  ->  `2.0`",
        "what stands in for a square is seen by nobody: `where` drops its root and that root's slope",
    ),
    equivalent(
        "safe-distances", "`points[:, None] - points`  ->  `points - points[:, None]`", "the square is the same"
    ),
    equivalent("safe-distances", "`squares > 0`  ->  `squares != 0`", "a sum of squares is never negative"),
    equivalent(
        "safe-distances",
        "`jnp.where(apart, jnp.sqrt(jnp.where(apart, squares, 1.0)), 0.0)`  ->  "
        "`apart * jnp.sqrt(jnp.where(apart, squares, 1.0)) + (1 - apart) * 0.0`",
        "the root of 1 is finite, and 0 times it is 0",
    ),
    equivalent("safe-distances", "`apart`  ->  `squares`", "`where` takes a number that is not 0 for true"),
    equivalent(
        "safe-distances",
        "`jnp.where(apart, squares, 1.0)`  ->  `apart * squares + (1 - apart) * 1.0`",
        "squares of finite numbers: the same number",
    ),
]
