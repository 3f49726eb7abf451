"""Why what was graded is graded again: what decides its marks, then and now, named and counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from jaxcourse.course import Course
from jaxcourse_grade import judging
from jaxcourse_grade._records import Result, Submission

if TYPE_CHECKING:
    from jaxcourse_grade import workers

Parts = Mapping[str, str]
"""What decides the marks of a lesson, as `judging.parts` gives it."""
MOST_NAMED = 3
"""How many things that have changed a line names; the rest are counted."""
MOST_KEPT = 100
"""How many digests of lessons are remembered with their parts, the latest."""


def why(kept: Result, submission: Submission, conditions: workers.Conditions, then: Mapping[str, Parts]) -> str:
    """Why a result does not count any more: in words; nothing if it does.

    Args:
        kept: the result, of a file that was graded.
        submission: what counts today for the same student and lesson.
        conditions: of today.
        then: what has decided marks at earlier runs, by their digests.
    """
    if (kept.sha256, kept.beside, kept.student) != (submission.sha256, submission.beside, submission.student):
        return "what was handed in has changed"
    if found := sorted(filter(judging.is_here, kept.lacks)):
        return f"what this grader lacked is here now ({_few(found)})"
    if kept.class_seed != conditions.class_seed or kept.limits != asdict(conditions.limits):
        return "the limits have changed"
    now = judging.versions(conditions.course)
    if other := [f"{name} {now[name]}" for name in judging.LIBRARIES if kept.versions.get(name) != now[name]]:
        return f"this is {_few(other)} now"
    return _course(kept, conditions.course, then)


def _course(kept: Result, course: Course, then: Mapping[str, Parts]) -> str:
    if kept.decided_by == judging.decides(course, kept.lesson):
        return ""
    old, new = then.get(kept.decided_by), judging.parts(course, kept.lesson)
    changed = [name for name in {**new, **old} if new.get(name) != old.get(name)] if old else []
    return f"{kept.lesson} has changed ({_few(changed)})" if changed else f"{kept.lesson} has changed"


def _few(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def report(reasons: Iterable[str]) -> Iterator[str]:
    r"""Lines that say how many are graded again, and why.

    Example:
        >>> reasons = ["the limits have changed", "10_toy has changed (its code)", "the limits have changed"]
        >>> print(*report(reasons), sep="\n")
        Graded again, because the limits have changed: 2.
        Graded again, because 10_toy has changed (its code): 1.
    """
    for reason, count in Counter(reasons).most_common():
        yield f"Graded again, because {reason}: {count}."


def earlier_parts(path: Path) -> dict[str, Parts]:
    """What has decided marks at earlier runs, by its digest; nothing where nobody has kept it.

    Args:
        path: of `class.json`.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["decided_by"]
        return {str(digest): dict(parts) for digest, parts in found.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def to_remember(then: Mapping[str, Parts], course: Course, stems: Iterable[str]) -> dict[str, Parts]:
    """The same with what decides the marks of some lessons today, which comes last."""
    now = {judging.decides(course, stem): judging.parts(course, stem) for stem in stems}
    kept = {digest: parts for digest, parts in then.items() if digest not in now} | now
    return dict([*kept.items()][-MOST_KEPT:])
