"""What the exercises of lesson 11 share."""

WORDS = """
truth-value: Your code asks a whole array for one truth value, as `if`, `and`, `or`, `not`, `max` and `a <= b < c` do.
    Use `np.where` and `&`, `|`, `~`, with brackets around comparisons.
"""

ONE_EXPRESSION = "Give each index an axis, and one expression holds for all of them."


def tenths(rng, shape):
    """Numbers of one decimal, which a message shows in few characters, and of which none is 0."""
    return (rng.integers(0, 30, shape) + 0.5) / 10 * rng.choice([-1, 1], shape)
