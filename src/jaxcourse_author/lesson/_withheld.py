"""What a lesson withholds, an examination's for instance: the front matter says until when, and this reads it.

`withheld: until 2026-12-18 18:00 Europe/Berlin` or `withheld: always`; to let the checks tell whether an answer runs:
`withheld: {until: 2026-12-18 18:00 Europe/Berlin, tells: runs}` or `withheld: {until: always, tells: runs}`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from jaxcourse.course import RUNS, Course, Withheld
from jaxcourse.exercise import variable_of
from jaxcourse.moments import moment
from jaxcourse_author.lesson._cells import LessonError
from jaxcourse_author.lesson._lesson import LessonSource
from jaxcourse_author.lesson._pages import page_at

FIELD, ALWAYS, _UNTIL = "withheld", "always", "until "
_KEYS = {"until", "tells"}


def withheld_of(meta: Mapping[str, Any]) -> Withheld | None:
    """What a lesson's front matter says of it; None if nothing is withheld.

    Args:
        meta: the front matter.

    Raises:
        ValueError: it is not as it must be.

    Example:
        >>> withheld_of({"withheld": "until 2026-12-18 18:00 Europe/Berlin"}).until
        '2026-12-18T18:00:00+01:00'
        >>> withheld_of({"withheld": {"until": "always", "tells": "runs"}}).tells
        'runs'
    """
    if FIELD not in meta:
        return None
    said = meta[FIELD]
    fields = said if isinstance(said, dict) else {"until": _behind_until(said)}
    if "until" not in fields or fields.keys() - _KEYS:
        raise ValueError("has to have `until`, and perhaps `tells`, such as {until: always, tells: runs}.")
    tells = fields.get("tells", "")
    if tells not in ("", RUNS):
        raise ValueError(f"tells {tells!r}: it takes `{RUNS}`, or is left out.")
    if fields["until"] == ALWAYS:
        return Withheld(ALWAYS, tells=tells)
    when = str(fields["until"])  # YAML has made a date of what looks like one
    try:
        return Withheld(moment(when).isoformat(), when, tells)
    except ValueError as error:
        raise ValueError(f"says until {when}: {error}") from error


def _behind_until(said: object) -> str:
    if said == ALWAYS:
        return ALWAYS
    if not (isinstance(said, str) and said.startswith(_UNTIL)):
        raise ValueError(f"is {said!r}: write `until 2026-12-18 18:00 Europe/Berlin`, or `{ALWAYS}`.")
    return said.removeprefix(_UNTIL).strip()


def withheld_at(path: Path) -> Withheld | None:
    """What a lesson's file says of it, also of one that is not taught or not yet as it must be.

    Raises:
        LessonError: its front matter is not as it must be.
    """
    node = next((node for node in page_at(path).nodes if node.type == "front_matter"), None)
    try:
        meta = yaml.safe_load(node.token.content) if node else {}
        return withheld_of(meta if isinstance(meta, dict) else {})
    except (ValueError, yaml.YAMLError) as error:
        raise LessonError(path, f"`{FIELD}` in its front matter {error}") from error


def withholding_lessons(course: Course) -> dict[Path, Withheld]:
    """The lessons of a course that withhold something today, taught or not."""
    found = ((path, withheld_at(path)) for path in course.lessons_here)
    return {path: one for path, one in found if one and not one.is_over}


def without_solutions(lesson: LessonSource) -> str:
    """The source of a lesson without what stands between the gates of its solutions: what a page may show."""
    hidden = {line for gate in lesson.gates if gate.kind == "solution" for line in gate.lines}
    lines = lesson.raw.split("\n")
    return "\n".join(line for number, line in enumerate(lines, 1) if number not in hidden)


def examples_of(lesson: LessonSource) -> dict[str, list[str]]:
    """The calls of each answer that is a function, as its task shows them between backticks: they can be run."""
    found: dict[str, list[str]] = {}
    for cell in (cell for cell in lesson.cells if cell.role == "task"):
        shown = (code for passage in cell.passages for code in passage.code)
        found.setdefault(cell.exercise, []).extend(code for code in shown if _calls(code, variable_of(cell.exercise)))
    return found


def _calls(code: str, name: str) -> bool:
    """Whether a piece of code is an expression in which a function is called.

    Example:
        >>> _calls("twice(3)", "twice"), _calls("twice", "twice"), _calls("twice(3", "twice")
        (True, False, False)
    """
    try:
        nodes: Iterator[ast.AST] = ast.walk(ast.parse(code, mode="eval"))
    except (SyntaxError, ValueError):
        return False
    return any(isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == name for one in nodes)
