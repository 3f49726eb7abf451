"""A path as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from jaxcourse.course import nearest
from jaxcourse_author.paths._closed import Walk


def table(walks: tuple[Walk, ...], name: str = "") -> Iterator[str]:
    """A line for each section of a path, or one for each path.

    Args:
        walks: the paths.
        name: of the one whose sections are listed; of none if empty.

    Raises:
        ValueError: there is no such path.
    """
    if not name:
        width = max([len(walk.path.name) for walk in walks], default=0)
        for walk in walks:
            figures = f"{len(walk.stops):4} sections {walk.exercises:4} exercises {walk.minutes / 60:5.1f} hours"
            yield f"{walk.path.name:{width}} {figures}  {walk.path.title}"
        return
    walk = walk_named(walks, name)
    for caption, stops in walk.parts.items():
        yield from [f"{sum(stop.minutes for stop in stops):5.0f}  {caption}"] if caption else []
        yield from (f"{stop.minutes:5.0f}  ({stop.name}) in {stop.stem}" for stop in stops)
    yield f"{walk.minutes:5.0f}  minutes"


def walk_named(walks: tuple[Walk, ...], name: str) -> Walk:
    """The path of a name.

    Raises:
        ValueError: there is none; says which there are.
    """
    found = {walk.path.name: walk for walk in walks}
    if name not in found:
        near = nearest(name, found)
        meant = f"Did you mean {near!r}?" if near else f"There are {', '.join(found)}." if found else "There is none."
        raise ValueError(f"no path is {name!r}. {meant}")
    return found[name]
