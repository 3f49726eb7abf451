"""The names that lessons and exercises have had, from `book/moved.yml`: notebooks, marks and links have them still."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from jaxcourse.course import CHECKS, Course

MOVED = Path("book", "moved.yml")


def declared_moves(root: Path) -> dict[str, Any]:
    """What `book/moved.yml` says: `lessons` and `exercises`, each with what it `was` and is `now`; `recorded` files.

    Args:
        root: the course's folder.
    """
    path = root / MOVED
    return dict(_moves_in(path.read_text(encoding="utf-8"))) if path.exists() else {}


@functools.lru_cache(maxsize=8)
def _moves_in(text: str) -> dict[str, Any]:
    return yaml.safe_load(text) or {}


def old_names(course: Course) -> dict[str, str]:
    """The lessons of today by each name that they have had; not by one that is another lesson's today.

    Args:
        course: whose.
    """
    return today(_moves(course, "lessons"), [path.stem for path in course.lessons_here])


def old_exercises(course: Course) -> dict[str, str]:
    """The exercises of today by each name that they have had; not by one that is another exercise's today.

    Args:
        course: whose.
    """
    return today(_moves(course, "exercises"), exercises_here(course))


def exercises_here(course: Course) -> list[str]:
    """The names of all exercises that are here, taught or not, by the files of their checks."""
    files = sorted((course.root / CHECKS).glob("[0-9][0-9]_*/[!_]*.py"))
    return [path.stem.replace("_", "-") for path in files]


def owner(name: str, course: Course) -> str:
    """The exercise that has had a name, and is not called so now; empty if there is none.

    Args:
        name: what is or may be the name of another one.
        course: whose.
    """
    now = _final_names(_moves(course, "exercises")).get(name, name)
    return now if now != name else ""


def _moves(course: Course, what: str) -> Iterator[tuple[str, str]]:
    """What lessons or exercises were and became, in the order in which they did."""
    return ((str(one["was"]), str(one["now"])) for one in declared_moves(course.root).get(what, []))


def today(moves: Iterable[tuple[str, str]], here: Iterable[str]) -> dict[str, str]:
    """What each former name is now.

    Args:
        moves: in the order in which they were made.
        here: the names of today.

    Example:
        >>> today([("01_a", "10_a"), ("10_a", "11_a"), ("02_b", "01_b"), ("03_c", "30_c")], ["11_a", "01_b"])
        {'01_a': '11_a', '10_a': '11_a', '02_b': '01_b'}
        >>> today([("01_a", "02_a"), ("02_a", "01_a")], ["01_a"])
        {'02_a': '01_a'}
    """
    here = set(here)
    return {name: now for name, now in _final_names(moves).items() if now in here and name not in here}


def _final_names(moves: Iterable[tuple[str, str]]) -> dict[str, str]:
    """What each former name has become in the end."""
    found: dict[str, str] = {}
    for was, now in moves:
        found = {name: now if one == was else one for name, one in found.items()} | {was: now}
    return found
