"""Where the package and the course that comes with it are."""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
"""The folder of the package `jaxcourse`, which is for readers, and is all that a student installs."""
PACKAGES = [
    path for name in ("jaxcourse", "jaxcourse_author", "jaxcourse_grade") if (path := PACKAGE.parent / name).is_dir()
]
"""The folders of the course's packages: of a checkout, the authors' and the grader's too."""


def files_of(package: Path) -> list[Path]:
    """The Python files of a package in order, without those of a course that is packed in it.

    Example:
        >>> PACKAGE / "reach.py" in files_of(PACKAGE)
        True
    """
    return sorted(path for path in package.rglob("*.py") if "_course" not in path.relative_to(package).parts)


def installed_course() -> Path:
    """The folder of the course that is installed: inside the package, or the checkout of an editable install.

    The environment variable `JAXCOURSE_COURSE` names another one: for notebooks of a course that is not installed.
    """
    if named := os.environ.get("JAXCOURSE_COURSE"):
        return Path(named)
    bundled = PACKAGE / "_course"
    return bundled if bundled.exists() else PACKAGE.parents[1]
