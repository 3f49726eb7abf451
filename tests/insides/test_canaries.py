"""What the course believes of JAX, NumPy, Numba and IPython: the first tests on every stack.

A red one names what has changed and the exercises that rest on it. What to do then is in book/contributing/jax.md,
under "When a new JAX comes".
"""

import functools
import sys

import numba  # noqa: F401  what is believed of it is proven only where it is there
import pytest

from jaxcourse.course import Course
from jaxcourse.insides import BELIEFS, CannotRead
from jaxcourse_author.beliefs import exercises_resting


@functools.cache
def resting():
    return exercises_resting(Course.installed())


@pytest.mark.parametrize("name", sorted(BELIEFS))
def test_what_the_course_believes_holds(name):
    BELIEFS[name].forget()
    try:
        BELIEFS[name].require()
    except CannotRead as changed:
        exercises = ", ".join(resting()[name]) or "none: what shows or measures something rests on it"
        pytest.fail(f"{changed}\nExercises that rest on it: {exercises}.", pytrace=False)


def test_most_beliefs_are_those_of_exercises():
    """The exercises are found by following names: if that found nothing, nobody would notice."""
    found = resting()
    assert sum(map(bool, found.values())) >= 15
    assert "loop-to-scan" in found["scans"] and "ring-of-neighbours" in found["communicating"]
    assert "centre-columns" not in found["scans"] and sys.modules["numba"]
