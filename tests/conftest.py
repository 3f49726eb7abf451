"""The package's own tests run with JAX's seat belts on: no silent promotion of dtypes or ranks."""

import jax
import pytest
from hypothesis import settings

# The same examples each time: whoever changes one thing must not meet another's rare case. For new examples, use
# `--hypothesis-profile=default`.
settings.register_profile("fixed", derandomize=True)
settings.load_profile("fixed")

LESSONS = {"stack_diagnoses.py", "test_parity.py", "test_verbs.py"}
"""These run the lessons' own code, in which promotion is allowed, as it is for learners."""


@pytest.fixture(autouse=True)
def seat_belts(request):
    if request.path.name in LESSONS:
        yield
        return
    with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        yield


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """Nothing is kept in the home of whoever runs the tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
