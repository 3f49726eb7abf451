"""Answers to stretched-strides."""

from jaxcourse.exercise import wrong

from ..stretched_strides import strides_of_stretched

a_number_has_a_step = wrong("stretched-strides", "wrong-value")(
    strides_of_stretched() | {"np.broadcast_to(np.float32(7), (2, 3))": (0, 4)}
)
