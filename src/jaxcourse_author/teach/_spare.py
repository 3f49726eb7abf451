"""Which sections of a lesson no other lesson needs."""

from __future__ import annotations

from jaxcourse_author.concepts import Road, Stop, way_to

WORTH = 2.0
"""How many core minutes a section has at least that is worth leaving out: what takes less is read with the next one."""


def spare(road: Road, stem: str) -> tuple[Stop, ...]:
    """The sections of a lesson that can be left out together, as long as all other lessons are taught whole.

    Nothing that they alone explain is used in the code or in a core exercise of another lesson, or of what is left of
    their own.

    Args:
        road: as `road_of` gives it.
        stem: the lesson's.
    """
    others = [stop for stop in road.stops if stop.stem != stem]
    kept = {*way_to(road, others)}
    own = (stop for stop in road.stops if stop.stem == stem and stop.section.label)
    return tuple(stop for stop in own if stop not in kept and stop.minutes >= WORTH)
