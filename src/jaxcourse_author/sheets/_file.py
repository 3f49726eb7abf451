"""What `book/sheets.yml` says: of each sheet its title, and of which pieces of which sections it is made."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal, get_args

from jaxcourse.course import Course, read_yaml

SHEETS = "book/sheets.yml"
"""Where the sheets are declared."""

Kind = Literal["table", "text", "cell", "figure", "recap"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_TEXTS = ("title", "about")
_KEYS = ("sheet", *_TEXTS, "part", "columns", "pieces")


@dataclass(frozen=True)
class Piece:
    """A piece of a section that stands on a sheet.

    Attributes:
        kind: what it is: a table, a paragraph, a cell with its output, an output alone, or a recap, which is the
            section's list under the title of its lesson.
        at: the label of the section.
        says: words of it that no other piece of its kind has in that section; empty if there is no other.
    """

    kind: Kind
    at: str
    says: str = ""

    def __str__(self) -> str:
        return f"the {self.kind} of `{self.at}`" + (f" that says {self.says!r}" if self.says else "")


@dataclass(frozen=True)
class Sheet:
    """A sheet.

    Attributes:
        name: by which its page is called.
        title: as readers see it.
        about: what it is for, in Markdown of one line.
        pieces: of which it is made, in their order.
        part: the caption of the part of `_toc.yml` that it sums up; empty if it sums up none.
        columns: in how many it is printed.
    """

    name: str
    title: str
    about: str
    pieces: tuple[Piece, ...]
    part: str = ""
    columns: int = 1

    @property
    def page(self) -> str:
        """Its page, as `_toc.yml` names it."""
        return f"book/sheet_{self.name.replace('-', '_')}"


def read_sheets(course: Course) -> tuple[Sheet, ...]:
    """The sheets of a course; none if it declares none.

    Raises:
        ValueError: the file is not as it must be; says how to mend it.
    """
    declared = read_yaml(course, SHEETS)
    if declared is None:
        return ()
    if not isinstance(declared, dict) or [*declared] != ["sheets"] or not isinstance(declared["sheets"], list):
        raise ValueError(f"{SHEETS} has no list of sheets: write `sheets:`, and below it `- sheet: ...`.")
    found = tuple(map(_sheet, declared["sheets"]))
    for what in ([one.name for one in found], [one.part for one in found if one.part]):
        if twice := [one for one in what if what.count(one) > 1]:
            raise ValueError(f"{SHEETS} has {twice[0]!r} twice: remove one.")
    return found


def _sheet(given: Any) -> Sheet:
    name = given.get("sheet") if isinstance(given, dict) else None
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise ValueError(f"{SHEETS}: {given!r} is no sheet: write `- sheet: a-name`, in small letters and hyphens.")
    if unknown := sorted(given.keys() - {*_KEYS}):
        raise ValueError(f"{SHEETS}: {name!r} has the key {unknown[0]!r}: it takes {', '.join(_KEYS)}.")
    for key in _TEXTS:
        if not isinstance(given.get(key), str) or not given[key].strip():
            raise ValueError(f"{SHEETS}: {name!r} has no `{key}`: write what readers see.")
    if given.get("columns", 1) not in (1, 2):
        raise ValueError(f"{SHEETS}: {name!r} has {given['columns']!r} columns: a page has room for 1 or 2.")
    if not isinstance(given.get("pieces"), list) or not given["pieces"]:
        raise ValueError(f"{SHEETS}: {name!r} has no pieces: write `pieces:`, and below it `- table: label`.")
    title, about = (" ".join(given[key].split()) for key in _TEXTS)
    pieces = tuple(_piece(one, name) for one in given["pieces"])
    return Sheet(name, title, about, pieces, str(given.get("part", "")), given.get("columns", 1))


def _piece(given: Any, name: str) -> Piece:
    kinds = [kind for kind in KINDS if isinstance(given, dict) and kind in given]
    if len(kinds) != 1 or given.keys() - {*kinds, "says"} or not all(isinstance(one, str) for one in given.values()):
        raise ValueError(
            f"{SHEETS}: {given!r} is no piece of {name!r}: write `KIND: label`, where KIND is one of "
            f"{', '.join(KINDS)}, and beside it `says: words` where the section has several."
        )
    return Piece(kinds[0], given[kinds[0]], given.get("says", ""))
