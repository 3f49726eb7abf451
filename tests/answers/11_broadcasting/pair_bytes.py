"""Answers to pair-bytes."""

from jaxcourse.exercise import wrong

from ..pair_bytes import new_bytes

product_like_the_factors = wrong("pair-bytes", "wrong-value")(new_bytes() | {"x @ y.T": 36_000})
