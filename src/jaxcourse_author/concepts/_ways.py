"""The shortest way to a section: the cheapest sections that, read alone, explain all that they use."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from jaxcourse_author.concepts._road import Road, Stop


def way_to(road: Road, goals: Collection[Stop]) -> tuple[Stop, ...]:
    """The cheapest closed sections among which some are, in reading order.

    Closed: whatever the code or a core exercise of one of them uses, it explains itself, or an earlier one of them
    does, or a link answers for it. Cheapest: of the fewest core minutes. What no earlier section of the course explains
    (`Road.rows` names it) asks for nothing here.

    Args:
        road: the course.
        goals: those sections.
    """
    near = _sections_on_a_way(road, goals)
    if not near:
        return ()
    place = {stop: i for i, stop in enumerate(near)}
    asked = [(place[stop], [place[one] for one in options]) for stop in near for options in before(road, stop)]
    closed = np.zeros((len(asked) + 1, len(near)))  # a row for each need, and one that asks for nothing
    for row, (who, options) in enumerate(asked):
        closed[row, who] = -1
        closed[row, options] = 1
    least = np.array([float(stop in goals) for stop in near])
    found = milp(
        [stop.minutes + 1e-3 for stop in near],  # between two ways of the same length, that of fewer sections
        constraints=LinearConstraint(closed, lb=0),
        integrality=np.ones(len(near)),
        bounds=Bounds(least, 1),
        options={"mip_rel_gap": 0},
    )
    return tuple(stop for stop, taken in zip(near, found.x, strict=True) if taken > 0.5)


def before(road: Road, stop: Stop) -> list[tuple[Stop, ...]]:
    """For each concept that a section needs, the earlier sections that explain it: one of them must be known.

    Args:
        road: the course.
        stop: the section.
    """
    options = (tuple(one for one in road.explainers[need] if one.place < stop.place) for need in stop.needs)
    return sorted({one for one in options if one}, key=lambda one: [stop.place for stop in one])


def way_before(road: Road, stem: str) -> tuple[Stop, ...]:
    """The sections of other lessons on the shortest way to all sections of one, in reading order.

    Args:
        road: the course.
        stem: the lesson's.
    """
    return tuple(stop for stop in way_to(road, [stop for stop in road.stops if stop.stem == stem]) if stop.stem != stem)


def _sections_on_a_way(road: Road, goals: Collection[Stop]) -> list[Stop]:
    """The sections that may stand on a way to some, in reading order."""
    found, edge = set(goals), list(goals)
    while edge:
        near = {one for options in before(road, edge.pop()) for one in options} - found
        found |= near
        edge += near
    return sorted(found, key=lambda stop: stop.place)
