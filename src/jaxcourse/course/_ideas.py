"""The ideas that exercises train: what `book/ideas.yml` declares."""

from __future__ import annotations

from dataclasses import dataclass

from jaxcourse.course._course import Course
from jaxcourse.course._declared import read_yaml

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


def ideas_of(course: Course, stem: str) -> dict[str, tuple[str, ...]]:
    """The ideas that each exercise of a lesson trains, in the order of the file; perhaps none.

    Args:
        course: whose.
        stem: the lesson's; its checks are imported.
    """
    declared, exercises = ideas(course), course.lesson(stem).exercises
    return {
        name: tuple(one.idea for one in declared if {name, exercise.see} & {*one.trains})
        for name, exercise in exercises.items()
    }
