"""What has changed since a commit: files, and the exercises whose solution, check or listed answers these are."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from jaxcourse.course import ANSWERS, CHECKS, Course
from jaxcourse_author.chosen import exercises_of
from jaxcourse_author.lesson import LessonError, LessonSource, read_lesson

MAIN = "origin/main"
"""Where a change will land."""


def base(root: Path, since: str = "") -> str:
    """The commit with which a change begins; an empty text where none can be told.

    Args:
        root: of a checkout.
        since: a commit or a branch; that is where this branch left `origin/main`, on `main` itself the last release,
            and before the first one the commit before this.

    Raises:
        ValueError: there is no such commit.
    """
    if since:
        if not (found := _first(root, "merge-base", "HEAD", since) or _first(root, "rev-parse", f"{since}^{{commit}}")):
            raise ValueError(f"there is no commit {since!r} here: fetch it, or name another.")
        return found
    here, left = _first(root, "rev-parse", "HEAD"), _first(root, "merge-base", "HEAD", MAIN)
    if left and left != here:
        return left
    if tag := _first(root, "describe", "--tags", "--abbrev=0", "HEAD^"):
        return _first(root, "rev-parse", f"{tag}^{{commit}}")
    return _first(root, "rev-parse", "--verify", "HEAD^")


def files(root: Path, commit: str) -> list[Path]:
    """The files that differ from a commit, in what is committed and in what is not, and new ones; from the root.

    Args:
        root: of a checkout.
        commit: see `base`.
    """
    named = [*_lines(root, "diff", "--name-only", commit), *_lines(root, "ls-files", "--others", "--exclude-standard")]
    return [Path(name) for name in dict.fromkeys(named)]


def exercises(course: Course, commit: str, changed: Iterable[Path]) -> tuple[str, ...]:
    """The lessons and exercises that changed files belong to, as `choose` reads them, in the order of the course.

    A lesson's file belongs to those of its exercises whose blank, solution or check cell is another, and to all of them
    where its set-up is another. What its lesson's checks share belongs to all of its exercises, too.

    Args:
        course: whose.
        commit: the files differ from it.
        changed: the files, from the root.
    """
    touched: dict[str, set[str]] = {}
    for path in changed:
        for stem, names in _owners(course, commit, path):
            touched.setdefault(stem, set()).update(names)
    found = ((stem, names & set(exercises_of(course, stem))) for stem, names in _in_order(course, touched))
    return tuple(word for stem, names in found for word in _words(course, stem, names))


def _in_order(course: Course, touched: Mapping[str, set[str]]) -> Iterator[tuple[str, set[str]]]:
    stems = (path.stem for path in course.lesson_paths)
    return ((stem, touched[stem]) for stem in stems if stem in touched)


def _words(course: Course, stem: str, names: set[str]) -> Iterator[str]:
    every = exercises_of(course, stem)
    yield from [stem] if names == set(every) else (f"{stem}/{name}" for name in every if name in names)


def _owners(course: Course, commit: str, path: Path) -> Iterator[tuple[str, set[str]]]:
    """The lesson of a file, and its exercises that the file is about."""
    folder = path.parent.parent.as_posix()
    if path.parent.name == "notebooks" and path.suffix == ".md":
        yield path.stem, _cells_differ(course, commit, path)
    elif folder in (str(CHECKS), str(ANSWERS)) and path.suffix == ".py":
        stem = path.parent.name
        shared = path.stem.startswith("_")
        yield stem, set(exercises_of(course, stem)) if shared else {path.stem.replace("_", "-")}


def _cells_differ(course: Course, commit: str, path: Path) -> set[str]:
    """The exercises of a lesson whose cells differ from those at a commit."""
    every = set(exercises_of(course, path.stem))
    if not (course.root / path).exists():
        return set()
    before, now = _cells_at(course, commit, path), _cells(read_lesson(course.root / path, course))
    if before is None or before[""] != now[""]:
        return every
    return {name for name in every if before.get(name) != now.get(name)}


def _cells_at(course: Course, commit: str, path: Path) -> dict[str, list[str]] | None:
    """As `_cells`, of a lesson at a commit; None where it was not there, or cannot be read by what reads it now."""
    text = _git(course.root, "show", f"{commit}:{path.as_posix()}")
    if text is None:
        return None
    with TemporaryDirectory() as folder:
        file = Path(folder, path.name)
        file.write_text(text, encoding="utf-8")
        try:
            return _cells(read_lesson(file, course))
        except LessonError:
            return None


def _cells(source: LessonSource) -> dict[str, list[str]]:
    """The code of each exercise's cells by its name, and that of the set-up by an empty one."""
    found: dict[str, list[str]] = {"": [cell.source for cell in source.cells if cell.role == "setup"]}
    for cell in source.cells:
        if cell.exercise and cell.role in ("stub", "solution", "check"):
            found.setdefault(cell.exercise, []).append(cell.source)
    return found


def _git(root: Path, *command: str) -> str | None:
    """What git says; None where it fails, or where there is no git."""
    try:
        done = subprocess.run(["git", *command], cwd=root, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return None if done.returncode else done.stdout


def _lines(root: Path, *command: str) -> list[str]:
    return (_git(root, *command) or "").splitlines()


def _first(root: Path, *command: str) -> str:
    return next(iter(_lines(root, *command)), "")
