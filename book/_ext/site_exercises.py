"""The index of exercises by idea: what `book/ideas.yml` declares, filled in from the lessons."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from site_sources import lesson_source
from sphinx.util import logging

from jaxcourse.course import IDEAS, Course, Idea, ideas
from jaxcourse.prediction import Prediction
from jaxcourse_author.lesson.elsewhere import Elsewhere

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

logger = logging.getLogger(__name__)

MARK = "{{ exercises }}"


@dataclass(frozen=True)
class Entry:
    """An exercise as the index shows it."""

    name: str
    title: str
    lesson: str
    """Its page, such as `notebooks/10_memory_layout`."""
    section: str
    minutes: float
    points: float
    takes_value: bool
    practice: bool = False


def entries(course: Course) -> list[Entry]:
    """All exercises, in the order of the lessons."""
    found = []
    for path in course.lesson_paths:
        if path.stem not in course.exercises():
            continue
        checks = course.lesson(path.stem).exercises
        for name, task in lesson_source(path, course).tasks.items():
            exercise = checks[name]
            value = isinstance(exercise.check, Prediction)
            page = f"notebooks/{path.stem}"
            of = exercise.see, task.minutes, exercise.points, value, task.practice
            found.append(Entry(name, task.title, page, *of))
    return found


def problems(declared: list[Idea], exercises: list[Entry], elsewhere: Collection[str] = ()) -> list[str]:
    """What is wrong with the ideas: an exercise without one, or a name that leads to no exercise.

    Args:
        declared: the ideas.
        exercises: those of the lessons that are taught.
        elsewhere: names that lead to what is not taught.
    """
    named = {name for idea in declared for name in idea.trains}
    known = {*elsewhere} | {entry.name for entry in exercises} | {entry.section for entry in exercises}
    return [
        *(
            f"the exercise `{entry.name}` has no idea: add its section `{entry.section}` to one in {IDEAS}"
            for entry in exercises
            if not named & {entry.name, entry.section}
        ),
        *(
            f"`{name}` is neither an exercise nor a section that one trains: mend it in {IDEAS}"
            for name in sorted(named - known)
        ),
    ]


def index(declared: list[Idea], exercises: list[Entry]) -> str:
    """The index in Markdown: a heading, a sentence and a table for each idea that an exercise of the course trains."""
    parts = []
    for idea in declared:
        found = [entry for entry in exercises if {entry.name, entry.section} & set(idea.trains)]
        if not found:
            continue
        head = "| Exercise | Lesson and section | Path | Minutes | Points | Answer |\n|---|---|---|---|---|---|"
        parts.append("\n".join([f"## {idea.idea}", "", f"{idea.about} {extent(found)}", "", head, *map(row, found)]))
    return "\n\n".join(parts)


def extent(found: list[Entry]) -> str:
    """How many exercises these are, and how long they take."""
    exercises = "1 exercise" if len(found) == 1 else f"{len(found)} exercises"
    return f"{exercises}, about {sum(entry.minutes for entry in found):.0f} minutes."


def row(entry: Entry) -> str:
    """An exercise as a line of a table; the script writes its tick."""
    title = entry.title.replace("`", "").replace("|", "\\|")
    tick = f'<span class="answers-solved" data-solved="{escape(entry.name)}"></span>'
    cells = [
        f"{{ref}}`{title} <{entry.name}>` {tick}",
        f"{{doc}}`{Path(entry.lesson).name[:2]} <../{entry.lesson}>`: {{ref}}`{entry.section}`",
        "practice" if entry.practice else "core",
        f"{entry.minutes:g}",
        f"{entry.points:g}",
        "value" if entry.takes_value else "function",
    ]
    return f"| {' | '.join(cells)} |"


def on_source_read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Fill in the index, and warn of exercises that are missing from it."""
    if MARK not in source[0]:
        return
    app.env.note_reread()
    course = Course(Path(app.srcdir))
    declared, exercises = ideas(course), entries(course)
    for problem in problems(declared, exercises, Elsewhere(course).places):
        logger.warning(problem, location=docname, type="ideas")
    source[0] = source[0].replace(MARK, index(declared, exercises))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Fill in the index before addresses are."""
    app.connect("source-read", on_source_read, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
