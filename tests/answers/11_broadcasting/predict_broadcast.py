"""Answers to predict-broadcast."""

from jaxcourse.exercise import wrong

from ..predict_broadcast import five_shapes

transposes = wrong("predict-broadcast", "wrong-value")(five_shapes() | {"(7,) and (4, 7)": (7, 4)})
