"""Modules that students hand in beside a notebook: whose they are, and by which name the notebook imports them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from jaxcourse_grade._records import Submission
from jaxcourse_grade.intake._find import Handed, own_name
from jaxcourse_grade.intake._names import original, stem_of, suffix

_Pair = tuple[Handed, Submission]

_WHY = "This is a module, and no notebook."


def with_modules(pairs: Sequence[_Pair]) -> Iterator[_Pair]:
    """The same, in which modules are marked as such, each beside the notebook that it was handed in with.

    In a folder, an archive or on a platform, a module is a script of no lesson, or one that a notebook there imports.
    Of files side by side, `doe_jane_helpers.py` is Jane Doe's if her notebook imports `helpers`: else it may be another
    student's. It is there once for each of her notebooks. If nobody imports it, it lies with what the one handed in
    whose name it begins or ends with.

    Args:
        pairs: what was handed in, and what was read of it.
    """
    beside = defaultdict[tuple[str, str], list[_Pair]](list)
    flat = defaultdict[str, list[_Pair]](list)
    for pair in pairs:
        handed, read = pair
        beside[read.student, handed.place].append(pair)
        if handed.by_file and not read.unreadable:
            flat[_shelf(handed)].append(pair)
    for pair in pairs:
        handed, read = pair
        if suffix(handed.file) != ".py":
            yield pair
        elif name := _name_beside(pair, beside[read.student, handed.place]):
            yield _module(pair, name, pair)
        else:
            yield from _modules_of_others(pair, flat[_shelf(handed)]) if handed.by_file else [pair]


def _module(pair: _Pair, name: str, of: _Pair) -> _Pair:
    handed, read = pair
    owner, known = of
    lesson = "" if of is pair else known.lesson
    marked = replace(handed, module=name, place=owner.place, by_file=owner.by_file)
    return marked, replace(read, student=known.student, name=known.name, lesson=lesson, unreadable=_WHY)


def _shelf(handed: Handed) -> str:
    return handed.place.rpartition("/")[0]


def _stem(handed: Handed) -> str:
    """What a file is called, without the number that a platform or a browser gives to a second one of its name."""
    stem = stem_of(own_name(handed.file))
    return original(stem, {re.sub(r"-\d+$", "", stem)})[0]


def _name_beside(pair: _Pair, together: Iterable[_Pair]) -> str:
    """By which name others that were handed in together may import a script; empty if they may not."""
    handed, read = pair
    name = _stem(handed)
    others = [other for one, other in together if one is not handed and not other.unreadable and not one.module]
    imported = any(name in other.imports and _stem(one) not in read.imports for one, other in together)
    return name if name.isidentifier() and others and (read.unreadable or imported) else ""


def _modules_of_others(pair: _Pair, notebooks: Iterable[_Pair]) -> Iterator[_Pair]:
    """A script beside others' files, for each notebook that imports it by what its name says besides the student's."""
    found = [
        _module(pair, name, other)
        for other in notebooks
        if other is not pair and (name := _besides(_stem(pair[0]), other[1].student)) in other[1].imports
    ]
    yield from found or [_owned(pair, notebooks)]


def _owned(pair: _Pair, notebooks: Iterable[_Pair]) -> _Pair:
    """A script of no lesson, as whose name it has; of two such names, the longer one."""
    handed, read = pair
    theirs = {other.student: other for _, other in notebooks if _besides(_stem(handed), other.student)}
    if not read.unreadable or not theirs:
        return pair
    owner = theirs[max(theirs, key=len)]
    return replace(handed, by_file=False), replace(read, student=owner.student, name=owner.name, lesson=owner.lesson)


def _besides(stem: str, student: str) -> str:
    """What a name says besides a student's.

    Example:
        >>> _besides("doe_jane_my_helpers", "doe_jane"), _besides("helpers-ada", "ada"), _besides("adam", "ada")
        ('my_helpers', 'helpers', '')
    """
    who = re.escape(student)
    found = re.fullmatch(rf"{who}[\s_.-]+(.+)", stem, re.IGNORECASE | re.DOTALL) or re.fullmatch(
        rf"(.+?)[\s_.-]+{who}", stem, re.IGNORECASE | re.DOTALL
    )
    return found[1] if found else ""
