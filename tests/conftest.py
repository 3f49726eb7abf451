"""The package's own tests run with JAX's seat belts on: no silent promotion of dtypes or ranks."""

import jax
import pytest


@pytest.fixture(autouse=True)
def seat_belts():
    with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        yield
