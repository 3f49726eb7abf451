"""What the answers to lesson 81 share."""

from jax import lax


def ring_sum(value, n):
    """The sum over `n` devices, sent around a ring."""
    total = value
    for _ in range(n - 1):
        value = lax.ppermute(value, "x", [(i, (i + 1) % n) for i in range(n)])
        total = total + value
    return total
