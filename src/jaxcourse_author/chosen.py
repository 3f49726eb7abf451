"""What an author names on the command line: lessons, or single exercises, by as much of a name as is unambiguous."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from jaxcourse.course import Course, check_files, nearest

Choice = Mapping[str, frozenset[str]]
"""Exercises by the stem of their lesson; all of a lesson's where there are none."""


def choose(course: Course, words: Sequence[str]) -> Choice:
    """The lessons and exercises that words name.

    Args:
        course: whose.
        words: `31_vmap`, `31_vmap/clip-each`, `clip-each`, or the beginning of each: `11`, `11/cl`, `cli`.

    Raises:
        ValueError: a word names nothing, or several things; which, and what may have been meant.
    """
    found: dict[str, frozenset[str]] = {}
    for stem, names in (_choice(course, word) for word in words):
        whole = not names or (stem in found and not found[stem])
        found[stem] = frozenset() if whole else found.get(stem, frozenset()) | names
    return found


def lesson_named(course: Course, word: str) -> str:
    """The stem of the lesson that a word names, or begins.

    Args:
        course: whose.
        word: such as `31_vmap`, or `11`.

    Raises:
        ValueError: it names no lesson, or several.
    """
    return _one(word, [path.stem for path in course.lesson_paths], f"_toc.yml has no lesson {word!r}.")


def _choice(course: Course, word: str) -> tuple[str, frozenset[str]]:
    stems = [path.stem for path in course.lesson_paths]
    lesson, slash, name = word.partition("/")
    if slash:
        stem = lesson_named(course, lesson)
        return stem, frozenset({_one(name, exercises_of(course, stem), f"{stem} has no exercise {name!r}.")})
    if _begins(word, stems):
        return _one(word, stems, ""), frozenset()
    homes = {name: stem for stem in stems for name in exercises_of(course, stem)}
    name = _one(word, homes, f"_toc.yml has no lesson {word!r}.", [*stems, *homes])
    return homes[name], frozenset({name})


def exercises_of(course: Course, stem: str) -> list[str]:
    """The names of a lesson's exercises, by the files of their checks: none of these is imported.

    Args:
        course: whose lesson it is.
        stem: the lesson's.
    """
    files = (path.stem for path in check_files(course.root, stem))
    return [name.replace("_", "-") for name in files if not name.startswith("_")]


def _one(beginning: str, names: Iterable[str], otherwise: str, near: Iterable[str] = ()) -> str:
    """The name that begins so.

    Example:
        >>> _one("31", ["10_loops", "31_vmap"], ""), _one("sum", ["sum", "sum-all"], "")
        ('31_vmap', 'sum')
        >>> _one("1", ["10_loops", "11_sums"], "")
        Traceback (most recent call last):
        ...
        ValueError: '1' may be 10_loops or 11_sums: write more of it.
    """
    names = list(names)
    found = _begins(beginning, names)
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(f"{beginning!r} may be {' or '.join(found)}: write more of it.")
    meant = nearest(beginning, near or names)
    raise ValueError(otherwise + (f" Did you mean {meant!r}?" if meant else ""))


def _begins(beginning: str, names: Iterable[str]) -> list[str]:
    names = list(names)
    return [beginning] if beginning in names else [name for name in names if beginning and name.startswith(beginning)]
