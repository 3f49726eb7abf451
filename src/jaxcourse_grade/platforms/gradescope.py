"""Gradescope as an autograder: the archive that an assignment is set up with, and what it runs.

In the container: `python -m jaxcourse_grade.platforms.gradescope /autograder`. What lies where:
https://gradescope-autograders.readthedocs.io/en/latest/specs/
"""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from jaxcourse.course import Course
from jaxcourse_grade._records import Result
from jaxcourse_grade._store import atomic_write
from jaxcourse_grade.platforms._alone import TEMPLATES, grade_folder
from jaxcourse_grade.reports import gradescope, held_back

_NEEDED = (
    "pyproject.toml",
    "hatch_build.py",
    "requirements.txt",
    "README.md",
    "LICENSE",
    "LICENSE-TEXT",
    "src",
    "exercises_tests",
    "solutions",
)
"""The parts of a course that are needed to install it."""
_SETTINGS, _COURSE = "assignment.json", "course"


def archive(course: Course, lesson: str, to: Path, *, unprotected: bool = False, core: bool = False) -> None:
    """Write the archive that Gradescope wants for a programming assignment: two scripts, settings, and the course.

    Args:
        course: whose lessons and checks decide; it needs a `pyproject.toml`, because it is installed there.
        lesson: which lesson the assignment is, such as `10_memory_layout`, by its name or one that it has had.
        to: the zip file.
        unprotected: grade even where Gradescope's machines lack a protection.
        core: count the exercises on the core path alone.

    Raises:
        ValueError: there is no such lesson, or the course cannot be installed.
    """
    lessons, lesson = course.exercises(), course.today(lesson)
    if lesson not in lessons:
        raise ValueError(f"there is no lesson {lesson!r}; there are {', '.join(lessons)}.")
    if not (course.root / "pyproject.toml").exists():
        raise ValueError(f"{course.root} has no pyproject.toml, so Gradescope's machine could not install it.")
    settings = {"lesson": lesson, "seed": secrets.randbits(32), "unprotected": unprotected, "core": core}
    with ZipFile(to, "w", ZIP_DEFLATED) as packed:
        for name in ("setup.sh", "run_autograder"):
            _add(packed, name, (TEMPLATES / name).read_bytes(), 0o755)
        _add(packed, _SETTINGS, json.dumps(settings).encode(), 0o644)
        for path in (*_files(course.root), *course.reads()):
            _add(packed, f"{_COURSE}/{path.relative_to(course.root).as_posix()}", path.read_bytes(), 0o644)


def _add(packed: ZipFile, name: str, data: bytes, mode: int) -> None:
    about = ZipInfo(name)
    about.external_attr, about.compress_type = mode << 16, ZIP_DEFLATED
    packed.writestr(about, data)


def _files(root: Path) -> Iterator[Path]:
    for name in _NEEDED:
        found = root / name
        members = sorted(found.rglob("*")) if found.is_dir() else [found]
        yield from (path for path in members if path.is_file() and path.parent.name != "__pycache__")


def main(arguments: Sequence[str] | None = None) -> int:
    """Grade the submission of a container, and write `results/results.json`.

    Returns:
        0; 2 if it could not be graded, without results: Gradescope then shows the course staff what was printed.
    """
    (place,) = sys.argv[1:] if arguments is None else arguments
    home = Path(place)
    settings = _read(home / "source" / _SETTINGS)
    people = _read(home / "submission_metadata.json")["users"]
    student = " and ".join(str(person.get("email") or person["id"]) for person in people)
    course = Course(home / "source" / _COURSE)
    options = {name: settings[name] for name in ("seed", "unprotected")}
    try:
        results = grade_folder(course, home / "submission", student, home / "graded", **options)
    except (OSError, RuntimeError, ValueError) as error:
        print(f"The grader could not grade: {error}", file=sys.stderr)
        return 2
    counted = _of(settings["lesson"], results, student).without(course.practice() if settings["core"] else ())
    held = held_back(course, [counted.lesson], live=True)
    atomic_write(home / "results" / "results.json", gradescope(counted, held.get(counted.lesson)))
    return 0


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _of(lesson: str, results: Sequence[Result], student: str) -> Result:
    """The result of the assignment's lesson, or why there is none."""
    mine = [result for result in results if result.lesson == lesson] or [r for r in results if r.reason]
    others = ", ".join(sorted(result.lesson for result in results)) or "no notebook"
    reason = f"This assignment is {lesson}; what was handed in is {others}."
    return mine[0] if mine else Result(student, student, lesson, "", "unreadable", reason=reason)


if __name__ == "__main__":
    sys.exit(main())
