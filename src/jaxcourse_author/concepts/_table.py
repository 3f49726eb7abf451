"""The concepts in the order in which readers meet what explains them, as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from jaxcourse.course import nearest
from jaxcourse_author.concepts._road import Road, Stop
from jaxcourse_author.concepts._ways import way_to


def table(road: Road) -> Iterator[str]:
    """A line for each concept: when it is explained, where, and how long the shortest way there takes.

    Args:
        road: the course.
    """
    firsts = {concept: road.first(concept) for concept in road.concepts}
    met = sorted(((stop, one.name) for one, stop in firsts.items() if stop), key=lambda row: (row[0].place, row[1]))
    ways = {stop.place: sum(one.minutes for one in way_to(road, [stop])) for stop, _ in met}
    width = max([len(name) for _, name in met], default=0)
    yield f"{'hour':>5} {'minute':>7} {'way':>5}  {'concept':{width}}  explained by"
    for stop, name in met:
        yield f"{stop.ends / 60:5.1f} {stop.ends:7.0f} {ways[stop.place]:5.0f}  {name:{width}}  {_at(stop)}"
    for concept in (one for one, stop in firsts.items() if not stop):
        yield f"{'':19}  {concept.name:{width}}  nothing yet: {', '.join(concept.explained_by)}"


def _at(stop: Stop) -> str:
    return f"({stop.name}) in {stop.stem}"


def way_table(road: Road, goal: str) -> Iterator[str]:
    """The shortest way to a section, or to the one that explains a concept, a line for each section.

    Args:
        road: the course.
        goal: the section's label, or the concept's name.

    Raises:
        ValueError: there is neither.
    """
    way = way_to(road, [_goal(road, goal)])
    for stop in way:
        yield f"{stop.minutes:5.0f}  {_at(stop)}"
    yield f"{sum(stop.minutes for stop in way):5.0f}  minutes"


def _goal(road: Road, name: str) -> Stop:
    stops = {stop.section.label: stop for stop in road.stops if stop.section.label}
    named = {concept.name: stop for concept in road.concepts if (stop := road.first(concept))}
    found = named | stops
    if name not in found:
        near = nearest(name, found)
        raise ValueError(f"no section and no concept is {name!r}." + (f" Did you mean {near!r}?" if near else ""))
    return found[name]
