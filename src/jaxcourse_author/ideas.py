"""The ideas that exercises train: what `book/ideas.yml` declares."""

from __future__ import annotations

from dataclasses import dataclass

from jaxcourse.course import Course
from jaxcourse_author.declarations import read_yaml

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
    declared = read_yaml(course, IDEAS) or ()
    return [Idea(one["idea"], one["about"], tuple(one["trains"]), tuple(one.get("predicts", ()))) for one in declared]
