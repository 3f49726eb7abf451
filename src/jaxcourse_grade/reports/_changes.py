"""What an earlier run left behind: whose marks are others now, and which reports nobody stands behind any more."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from jaxcourse_grade.intake import Lessons, earlier, exercise_today, home_of, today
from jaxcourse_grade.reports._entry import Entry, number

EARLIER = "earlier"
"""The folder for reports of an earlier run."""
_REPORTS = ("canvas.csv", "canvas_notes.txt", "moodle.csv", "moodle_notes.txt")
"""Reports that not every run writes; so do archives, and the pages in `feedback`."""


def set_aside(out: Path, written: Collection[Path]) -> list[Path]:
    """Move aside what an earlier run wrote and this one did not, so that nobody sends it out.

    Args:
        out: the folder of the reports.
        written: what this run wrote.

    Returns:
        Where it lies now.

    Raises:
        OSError: it cannot be moved.
    """
    pages = sorted((out / "feedback").glob("*.html"))
    ours = [*(out / name for name in _REPORTS), *sorted(out.glob("feedback_*.zip")), *pages]
    return [_move_aside(path, out) for path in ours if path.is_file() and path not in written]


def _move_aside(path: Path, out: Path) -> Path:
    place = out / EARLIER / path.relative_to(out)
    place.parent.mkdir(parents=True, exist_ok=True)
    return path.replace(place)


def under_earlier_names(out: Path, lessons: Lessons) -> None:
    """Move aside what is kept of lessons by names that they had before: each row is kept once, by that of today.

    Args:
        out: the folder of the reports.
        lessons: by today's names, and those that they have had.

    Raises:
        OSError: it cannot be moved.
    """
    for name in earlier(lessons):
        for path in sorted((out / "results").glob(f"*--{name}.json")):
            _move_aside(path, out)


def changes(before: Path, entries: Sequence[Entry], lessons: Lessons) -> list[str]:
    """Whose marks have changed since the last run, from what to what.

    Args:
        before: the `grades.json` of the last run, if there was one.
        entries: the results of this one.
        lessons: in which each exercise is today; the last run may have had other lessons.

    Returns:
        Nothing if there was no run, else at least one line.
    """
    try:
        old = _of_today(json.loads(before.read_text(encoding="utf-8"))["results"], lessons)
        found = list(_changes_since(old, entries))
    except FileNotFoundError:
        return []
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return [f"What the last run gave cannot be compared with: {before.name} is damaged."]
    if not found:
        return ["No marks have changed since the last run."]
    return [f"Marks that have changed since the last run: {len(found)}.", *(f"  {line}" for line in found)]


def _key(row: dict[str, Any]) -> tuple[str, str]:
    return Path(row["feedback"]).stem, row["lesson"]


def _of_today(rows: Iterable[dict[str, Any]], lessons: Lessons) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows of the last run, cut anew: each exercise's marks are in the lesson that has it today."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        for part in _parts(row, lessons):
            if same := found.get(_key(part)):
                part["exercises"] = [*same["exercises"], *part["exercises"]]
                part |= {name: same[name] + part[name] for name in _SUMS}
            found[_key(part)] = part
    return found


def _parts(row: dict[str, Any], lessons: Lessons) -> list[dict[str, Any]]:
    """A row of the last run, or one for each lesson of today that has exercises of it, by their names of today."""
    now = today(row["lesson"], lessons) or row["lesson"]
    marks: dict[str, list[dict[str, Any]]] = {}
    for mark in row["exercises"]:
        mark = mark | {"exercise": exercise_today(mark["exercise"], lessons)}
        marks.setdefault(home_of(mark["exercise"], lessons) or now, []).append(mark)
    if set(marks) <= {now}:
        return [row | {"lesson": now, "exercises": marks.get(now, [])}]
    return [
        row | {"lesson": stem, "exercises": some, **{sums: sum(one[sums] for one in some) for sums in _SUMS}}
        for stem, some in marks.items()
    ]


_SUMS = ("points", "out_of")


def _changes_since(old: dict[tuple[str, str], dict[str, Any]], entries: Sequence[Entry]) -> Iterator[str]:
    for item in entries:
        result = item.result
        now = f"{number(result.points)} of {number(result.out_of)}"
        who = f"{result.name} ({result.student}), {result.lesson or 'unknown lesson'}"
        row = old.pop((item.page, result.lesson), None)
        if row is None:
            yield f"{who}: no row → {now} points"
            continue
        exercises = _exercises(row, item)
        if exercises or _sum(row) != now:
            yield f"{who}: {_sum(row)} → {now} points{exercises and f' ({exercises})'}"
    for row in old.values():
        yield f"{row['name']} ({row['student']}), {row['lesson'] or 'unknown lesson'}: {_sum(row)} points → no row"


def _sum(row: dict[str, Any]) -> str:
    return f"{number(row['points'])} of {number(row['out_of'])}"


def _exercises(row: dict[str, Any], item: Entry) -> str:
    old = {mark["exercise"]: mark["points"] for mark in row["exercises"]}
    new = {mark.exercise: mark.points for mark in item.result.marks}
    return ", ".join(
        f"{name} {number(old.get(name, 0))} → {number(new.get(name, 0))}"
        for name in {**new, **old}
        if old.get(name, 0) != new.get(name, 0)
    )
