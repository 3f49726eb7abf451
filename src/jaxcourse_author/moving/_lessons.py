"""`jaxcourse move lesson`: another name for a lesson, everywhere at once, and its old one kept for those who have it.

A lesson's name stands in the names of its files, in links to it, and in tests. What was recorded at a time keeps the
names of that time. The old name goes into `book/moved.yml`, from which the site, Colab and the grader lead to the new.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jaxcourse.course import WITHHELD, Course
from jaxcourse_author.chosen import lesson_named
from jaxcourse_author.lesson import MOVED, notebooks
from jaxcourse_author.moving._files import files, is_generated, keeps_names, remember, text_of

_SPOKEN = ("notebooks", "book", "exercises_tests", "tests/answers")
"""Where "lesson 4" means the lesson of that number; elsewhere it may be an example."""


@dataclass(frozen=True)
class Move:
    """What giving a lesson another name changes.

    Attributes:
        was, now: its names.
        paths: the files that get another name, by their old one; relative to the course.
        texts: what files say from now on, by their new name.
        spoken: the lines that called it by its number, as `file:line: text`, which are changed as well.
        recorded: the files that have its old name, and keep it.
    """

    was: str
    now: str
    paths: dict[Path, Path]
    texts: dict[Path, str]
    spoken: tuple[str, ...]
    recorded: tuple[Path, ...]


def lesson(course: Course, old: str, new: str) -> Move:
    """Give a lesson another name.

    Args:
        course: whose.
        old: its name, or the beginning of it.
        new: two digits and a topic.

    Returns:
        What was changed.

    Raises:
        ValueError: there is no such lesson, the new name is of another form, or the name or its number is taken.
    """
    move = plan_move(course, old, new)
    for source, target in move.paths.items():
        (course.root / target).parent.mkdir(parents=True, exist_ok=True)
        (course.root / source).rename(course.root / target)
    for path, text in move.texts.items():
        (course.root / path).write_text(text, encoding="utf-8", newline="\n")
    for name in ("notebooks", "solutions"):
        (course.root / name / f"{move.was}.ipynb").unlink(missing_ok=True)
    (course.root / WITHHELD / f"{move.was}.json").unlink(missing_ok=True)
    for folder in sorted({path.parent for path in move.paths}):
        if folder.name == move.was and not any((course.root / folder).iterdir()):
            (course.root / folder).rmdir()
    remember(course.root, "lessons", move.was, move.now)
    notebooks.write(Course(course.root))
    return move


def plan_move(course: Course, old: str, new: str) -> Move:
    """What would be changed; nothing is written.

    Args:
        course: see `lesson`.
        old: see `lesson`.
        new: see `lesson`.

    Raises:
        ValueError: see `lesson`.
    """
    was = lesson_named(course, old)
    _refuse(course, was, new)
    is_recorded = keeps_names(course.root)
    paths, texts, spoken, kept = dict[Path, Path](), dict[Path, str](), list[str](), list[Path]()
    for path in files(course.root):
        if is_generated(path):
            continue
        text = text_of(course.root / path)
        if is_recorded(path):
            kept += [path] if was in text else []
            continue
        target = _renamed(path, was, new)
        paths |= {path: target} if target != path else {}
        said = _with_name(text, was, new)
        if path.as_posix().startswith(_SPOKEN):
            said, lines = _with_number(said, was[:2], new[:2])
            spoken += [f"{target.as_posix()}:{line}" for line in lines]
        texts |= {target: said} if said != text else {}
    return Move(was, new, paths, texts, tuple(spoken), tuple(kept))


def _refuse(course: Course, was: str, new: str) -> None:
    if not re.fullmatch(r"\d\d_[a-z0-9_]+", new):
        raise ValueError(f"a lesson is named by two digits and its topic, such as `20_ragged_data`: not {new!r}.")
    here = [path.stem for path in course.lessons_here if path.stem != was]
    if new == was or new in here:
        raise ValueError(f"{new} is the name of a lesson already.")
    if taken := [stem for stem in here if stem[:2] == new[:2]]:
        raise ValueError(
            f"{new[:2]} is the number of {taken[0]}, and marks name a lesson by it: take one that is free."
        )


# -- words ------------------------------------------------------------------------------------------------------


def _renamed(path: Path, was: str, now: str) -> Path:
    """A path, of which some part is the lesson's name, with an ending or without.

    Example:
        >>> _renamed(Path("tests/answers/04_loops/sum.py"), "04_loops", "60_loops").as_posix()
        'tests/answers/60_loops/sum.py'
        >>> _renamed(Path("notebooks/04_loops.md"), "04_loops", "60_loops").as_posix()
        'notebooks/60_loops.md'
    """
    return Path(*(now + part[len(was) :] if re.match(rf"{was}(\.|$)", part) else part for part in path.parts))


def _with_name(text: str, was: str, now: str) -> str:
    """A text in which the lesson has its new name wherever that stands alone.

    Example:
        >>> _with_name("[loops](04_loops.md), 04_loops_again", "04_loops", "60_loops")
        '[loops](60_loops.md), 04_loops_again'
    """
    return re.sub(rf"(?<!\w){was}(?!\w)", now, text)


def _with_number(text: str, was: str, now: str) -> tuple[str, list[str]]:
    r"""A text in which the lesson has its new number, and the lines that this changed, each with its number.

    Example:
        >>> _with_number("See lesson 4.\nLessons 04 and 7; lesson 40.", "04", "60")
        ('See lesson 60.\nLessons 60 and 7; lesson 40.', ['1: See lesson 60.', '2: Lessons 60 and 7; lesson 40.'])
    """
    number = re.compile(
        rf"\b((?:[Ll]essons? |[Ll]essons \d\d?(?: and | to |, ))){'0?' * was.startswith('0')}{int(was)}\b"
    )
    lines, changed = text.split("\n"), list[str]()
    for i, line in enumerate(lines):
        lines[i] = number.sub(rf"\g<1>{now}", line)
        changed += [f"{i + 1}: {lines[i].strip()}"] if lines[i] != line else []
    return "\n".join(lines), changed


def report(move: Move) -> Iterator[str]:
    """What to say of a lesson that has another name now.

    Args:
        move: what was changed.
    """
    yield f"{move.was} is {move.now}: {len(move.paths)} files have another name, {len(move.texts)} say it."
    if move.spoken:
        yield "Its number was said here, and is the new one now. Read these lines:"
        yield from (f"  {line}" for line in move.spoken)
    if move.recorded:
        yield "These say how it was called at a time, and keep it:"
        yield from (f"  {path.as_posix()}" for path in move.recorded)
    yield f"Commit this alone, with {MOVED.as_posix()}; then change its place in _toc.yml, if it has another."
