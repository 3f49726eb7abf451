"""What Python sees a call ask for."""

import numpy as np
import pytest

from jaxcourse.probe import most_asked_for

ARRAY = 400_000


@pytest.fixture(scope="module")
def long():
    return np.ones(ARRAY // 4, np.float32)


def test_what_numpy_allocates_is_asked_for(long):
    assert 0.9 * ARRAY < most_asked_for(lambda: long + 1) < 1.1 * ARRAY
    assert 1.9 * ARRAY < most_asked_for(lambda: (long + 1, long + 2)) < 2.2 * ARRAY


def test_work_in_place_asks_for_nothing(long):
    assert most_asked_for(lambda: np.add(long, 1, out=long)) < 0.01 * ARRAY
