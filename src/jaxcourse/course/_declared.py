"""The files in which a course declares something by hand: `book/paths.yml`, `book/concepts.yml` and their like."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jaxcourse.course._course import Course


def read_yaml(course: Course, name: str | Path) -> Any:
    """Return what a course's file declares; `None` where there is no such file, or nothing in it.

    Args:
        course: whose.
        name: the file, as a path from the course's folder.

    Raises:
        ValueError: the file is not valid YAML. The message names it, and the line.

    Example:
        >>> from pathlib import Path
        >>> read_yaml(Course(Path("/nowhere")), "book/paths.yml") is None
        True
    """
    import yaml  # a student's installation has neither it nor what it would read

    file = course.root / name
    if not file.exists():
        return None
    try:
        return yaml.safe_load(file.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ValueError(f"{name} is not valid YAML: {error}") from error
