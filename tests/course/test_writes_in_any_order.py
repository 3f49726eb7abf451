"""Where several writes meet in one slot, a GPU lets any of them win: the verdict is the same in any order."""

import jax
import jax.numpy as jnp
import pytest

from jaxcourse.course import Course, with_answers
from jaxcourse.exercise import judge
from jaxcourse.probe import local_channel

STEM = "61_compiled_indexing"
if STEM not in Course.installed().exercises():
    pytest.skip(f"not taught here: {STEM}", allow_module_level=True)
LESSON = with_answers(Course.installed().lesson(STEM))
MEETING = {
    "takes_the_remainder_of_all",
    "takes_minus_one_for_outside",
    "writes_the_old_value_back",
    "clips_late_samples",
    "lets_late_samples_fall",
    "counts_the_samples",
}
"""Wrong answers to ring-write with which two samples may go to one slot."""
LISTED = {item.answer.__name__: item for item in LESSON.wrongs if item.exercise == "ring-write"}


def in_any_order(write):
    """An answer whose writes come in an order that depends on the numbers."""

    def written(ring, times, values):
        drawn = jnp.abs(jnp.nan_to_num(values, posinf=3, neginf=5)).sum().astype(times.dtype)
        order = jax.random.permutation(jax.random.key(drawn + 7 * times.sum()), len(times))
        return write(ring, times[order], values[order])

    return written


@pytest.mark.parametrize("name", sorted(MEETING))
def test_a_diagnosis_does_not_depend_on_the_order_of_writes(name):
    item = LISTED[name]
    verdict = judge(LESSON.exercises["ring-write"], local_channel(in_any_order(item.answer)))
    assert verdict.label == item.label, verdict
