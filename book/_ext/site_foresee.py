"""The page on which readers see how well they foresee: what its script must know of ideas and of habits.

What a reader has predicted is in their record alone. Here is what it means: the ideas of a section's predictions, as
`book/ideas.yml` has them, and the habits of `book/habits.yml`, each with the section that mends it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from site_exercises import IDEAS, Idea, ideas
from site_sources import lesson_source, raw
from sphinx.util import logging

from jaxcourse.course import Course, read_yaml
from jaxcourse_author.lesson.elsewhere import Elsewhere

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

logger = logging.getLogger(__name__)

HABITS = "book/habits.yml"
MARK = "{{ foresee }}"
PLACES = ("sum", "ideas", "time", "habits", "card")
"""What the script fills, each where the page asks for it."""
PAGE = "book/foresee"


@dataclass(frozen=True)
class Habit:
    """A mistake that is made in several places.

    Attributes:
        habit: what one does, in a sentence or two.
        mends: the label of the section that explains why not.
        shows: the answers under which it shows, by the labels of the sections that ask.
    """

    habit: str
    mends: str
    shows: Mapping[str, tuple[str, ...]]


def habits(course: Course) -> list[Habit]:
    """The habits, in the order of the file."""
    declared = read_yaml(course, HABITS) or ()
    return [
        Habit(one["habit"], one["mends"], {at: tuple(said) for at, said in one["shows"].items()}) for one in declared
    ]


def slips(course: Course) -> dict[str, set[str]]:
    """The known mistakes of all prediction boxes, by the labels of their sections."""
    boxes = (found for path in course.lesson_paths for found in lesson_source(path, course).boxes.items())
    return {at: {slip for box in some for one in box.fields for slip in one.slips} for at, some in boxes}


def problems(
    declared: Sequence[Idea], made: Sequence[Habit], known: Mapping[str, Collection[str]], places: Collection[str]
) -> Iterator[str]:
    """What is wrong with ideas and habits: a prediction without an idea, or a name that leads nowhere.

    Args:
        declared: the ideas.
        made: the habits.
        known: the known mistakes, by the labels of the sections that predict.
        places: the labels of all sections, taught here or not.
    """
    named = {name for idea in declared for name in (*idea.trains, *idea.predicts)}
    for label in known:
        if label not in named:
            yield f"the predictions of `{label}` have no idea: add it to `predicts` of one in {IDEAS}"
    for label in (label for idea in declared for label in idea.predicts if label not in {*places}):
        yield f"`{label}` is no section: mend it under `predicts` in {IDEAS}"
    yield from (f"`{habit.mends}` is no section: mend it in {HABITS}" for habit in made if habit.mends not in places)
    shown = [(label, slip) for habit in made for label, some in habit.shows.items() for slip in some]
    for label, slip in shown:
        if label not in places or slip not in known.get(label, (slip,)):
            yield f"no prediction of `{label}` has the mistake {slip!r}: mend it in {HABITS}"
    for (label, slip), count in Counter(shown).items():
        if count > 1:
            yield f"the mistake {slip!r} of `{label}` is in two habits: leave it in one, in {HABITS}"


def data_of(course: Course) -> dict[str, Any]:
    """What the script knows: the course, each idea with its sections, each habit with its section and its answers."""
    known = slips(course)
    sections = ((one.idea, [at for at in (*one.trains, *one.predicts) if at in known]) for one in ideas(course))
    made = (
        (one.habit, one.mends, {at: said for at, said in one.shows.items() if at in known}) for one in habits(course)
    )
    return {"title": course.title, "site": course.site, "ideas": [*sections], "habits": [*made]}


def foresee_html(known: Mapping[str, Any]) -> str:
    """What the script knows, as a page holds it.

    Args:
        known: as `data_of` gives it.
    """
    data = json.dumps(known, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    return (
        f'<script type="application/json" class="foresee-data">{data}</script>'
        "<noscript><p>What you predicted is kept by a script, and your browser runs none.</p></noscript>"
    )


def place_html(name: str) -> str:
    """A place that the script fills.

    Args:
        name: one of `PLACES`.
    """
    return f'<div class="foresee-{name}-here"></div>'


def on_source_read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put what the script knows where the page asks for it, and warn of what leads nowhere."""
    if MARK not in source[0]:
        return
    app.env.note_reread()
    course = Course(Path(app.srcdir))
    taught = {at for path in course.lesson_paths for at in lesson_source(path, course).sections}
    for problem in problems(ideas(course), habits(course), slips(course), taught | {*Elsewhere(course).places}):
        logger.warning(problem, location=docname, type="foresee")
    source[0] = source[0].replace(MARK, raw(foresee_html(data_of(course))))
    for name in PLACES:
        source[0] = source[0].replace(f"{{{{ foresee {name} }}}}", raw(place_html(name)))


def on_page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None) -> None:
    """Load the script and the style on this page alone."""
    if page == PAGE:
        app.add_js_file("foresee.js", loading_method="defer")
        app.add_css_file("foresee.css")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Fill in the page before addresses are."""
    app.connect("source-read", on_source_read, priority=400)
    app.connect("html-page-context", on_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
