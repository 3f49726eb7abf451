"""The ideas that exercises train: what `book/ideas.yml` declares."""

from __future__ import annotations

from dataclasses import dataclass

import yaml

from jaxcourse.course import Course

IDEAS = "book/ideas.yml"
"""Where the ideas are declared."""


@dataclass(frozen=True)
class Idea:
    """An idea that exercises train: the labels of sections, and names of single exercises.

    The predictions of these sections are of that idea as well; `predicts` are sections that train nothing.
    """

    idea: str
    about: str
    trains: tuple[str, ...]
    predicts: tuple[str, ...] = ()


def ideas(course: Course) -> list[Idea]:
    """The ideas, in the order of the file; none if a course declares none.

    Args:
        course: whose.
    """
    path = course.root / IDEAS
    declared = yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else []
    return [Idea(one["idea"], one["about"], tuple(one["trains"]), tuple(one.get("predicts", ()))) for one in declared]
