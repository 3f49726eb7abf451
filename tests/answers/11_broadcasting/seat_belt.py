"""Answers to seat-belt."""

from jaxcourse.exercise import wrong

from ..seat_belt import stopped_by_the_belt

stops_every_stretch = wrong("seat-belt", "wrong-value")(stopped_by_the_belt() | {"(4, 3) - (1, 3)": True})
