"""What `book/paths.yml` says: of each path, for whom it is, and which sections it takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jaxcourse.course import Course, read_yaml

PATHS = "book/paths.yml"
"""Where the paths are declared."""

_TEXTS = ("title", "for", "after")
"""What each path says of itself, in Markdown of one line."""
_KEYS = ("path", *_TEXTS, "page", "known", "preset", "sections")


@dataclass(frozen=True)
class CoursePath:
    """A path through the course.

    Attributes:
        name: by which a reader's record, an address and `jaxcourse preset` know it.
        title: as readers see it.
        audience: for whom it is.
        after: what one can do after it.
        known: the names of the concepts that its readers bring along.
        parts: labels of sections, or stems of whole lessons, by the part of the path that they belong to, such as a
            day; in one part without a name if it has none.
        is_preset: whether it is for a class, so that a copy of the course may teach its lessons alone.
        page: the page with which its readers begin, and which is no lesson, as `_toc.yml` names it; empty if there is
            none.
    """

    name: str
    title: str
    audience: str
    after: str
    known: tuple[str, ...]
    parts: Mapping[str, tuple[str, ...]]
    is_preset: bool = False
    page: str = ""

    @property
    def places(self) -> tuple[str, ...]:
        """The labels and stems of all its parts."""
        return tuple(place for part in self.parts.values() for place in part)


def read_paths(course: Course) -> tuple[CoursePath, ...]:
    """The paths of a course; none if it declares none.

    Raises:
        ValueError: the file is not as it must be; says how to mend it.
    """
    declared = read_yaml(course, PATHS)
    if declared is None:
        return ()
    if not isinstance(declared, dict) or [*declared] != ["paths"] or not isinstance(declared["paths"], list):
        raise ValueError(f"{PATHS} has no list of paths: write `paths:`, and below it `- path: ...`.")
    found = tuple(map(_path, declared["paths"]))
    _each_once([one.name for one in found], "`paths`")
    return found


def _path(given: Any) -> CoursePath:
    name = given.get("path") if isinstance(given, dict) else None
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise ValueError(
            f"{PATHS}: {given!r} is no path: write `- path: a-name`, in small letters, digits and hyphens."
        )
    if unknown := sorted(given.keys() - {*_KEYS}):
        raise ValueError(f"{PATHS}: {name!r} has the key {unknown[0]!r}: it takes {', '.join(_KEYS)}.")
    for key in _TEXTS:
        if not isinstance(given.get(key), str) or not given[key].strip():
            raise ValueError(f"{PATHS}: {name!r} has no `{key}`: write what readers see.")
    if not isinstance(given.get("preset", False), bool):
        raise ValueError(
            f"{PATHS}: `preset` of {name!r} is {given['preset']!r}: write `preset: true`, or leave it out."
        )
    if not isinstance(given.get("page", ""), str):
        raise ValueError(f"{PATHS}: `page` of {name!r} is {given['page']!r}: write it as _toc.yml has it.")
    title, audience, after = (" ".join(given[key].split()) for key in _TEXTS)
    known = _texts(given.get("known", []), f"`known` of {name!r}")
    parts = dict(_parts(given.get("sections"), name))
    return CoursePath(name, title, audience, after, known, parts, given.get("preset", False), given.get("page", ""))


def _parts(given: Any, name: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The parts of a path: what `sections` is, a list, or one list for each part."""
    parts = given if isinstance(given, dict) else {"": given}
    found = {str(caption): _texts(places, f"`sections` of {name!r}") for caption, places in parts.items()}
    if not any(found.values()):
        raise ValueError(f"{PATHS}: {name!r} has no sections: write `sections: [label, ...]`.")
    _each_once([place for places in found.values() for place in places], f"`sections` of {name!r}")
    yield from found.items()


def _texts(given: Any, what: str) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(one, str) and one for one in given):
        raise ValueError(f"{PATHS}: {what} is {given!r}: write a list of texts.")
    _each_once(given, what)
    return tuple(given)


def _each_once(given: list[str], what: str) -> None:
    if twice := [one for one in given if given.count(one) > 1]:
        raise ValueError(f"{PATHS}: {what} has {twice[0]!r} twice: remove one.")
