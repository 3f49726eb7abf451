"""Which exercises ask for the same line as another one, in other clothes: `book/repeats.yml`."""

from __future__ import annotations

from pathlib import Path

import yaml

from jaxcourse.course import CHECKS, Course

REPEATS = Path("book", "repeats.yml")
OPENING = "this asks for the line of "
CLOSING = " in other clothes. If you've solved that one, you may skip this."
"""What stands before and behind the name of the exercise that is repeated."""


def repeats(course: Course) -> dict[str, str]:
    """The exercises that repeat another one, each with that one.

    Args:
        course: whose.

    Raises:
        ValueError: the file is no list of names with names.
    """
    path = course.root / REPEATS
    found = yaml.safe_load(path.read_text(encoding="utf-8")) or {} if path.exists() else {}
    if not isinstance(found, dict) or not all(isinstance(name, str) for pair in found.items() for name in pair):
        raise ValueError(f"{REPEATS}: write `exercise: the one that it repeats` in each line.")
    return found


def home(course: Course, name: str) -> str:
    """The stem of the lesson in which an exercise is, by the file of its check; empty if there is none.

    Args:
        course: whose.
        name: the exercise's.
    """
    files = sorted((course.root / CHECKS).glob(f"[0-9][0-9]_*/{name.replace('-', '_')}.py"))
    return files[0].parent.name if files else ""


def repeat_note(name: str, address: str = "") -> str:
    """What a reader is told of an exercise that repeats another one, in plain Markdown.

    Args:
        name: of the one that it repeats.
        address: where that one is; empty if nowhere.

    Example:
        >>> repeat_note("hoist-the-jit")[:46]
        '**Again**: this asks for the line of `hoist-th'
    """
    link = f"[`{name}`]({address})" if address else f"`{name}`"
    return f"**Again**: {OPENING}{link}{CLOSING}"
