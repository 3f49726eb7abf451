"""Paths through the course: where a reader chooses one, the page that lists all, and what the browser knows of them.

A path that is not closed under what its sections use is refused: `book/paths.yml` says which paths there are.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from site_sources import raw, road
from sphinx.util import logging

from jaxcourse.course import Course
from jaxcourse.markup import marked
from jaxcourse_author.concepts import CONCEPTS
from jaxcourse_author.paths import PATHS, Walk, problems, walks

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

    from jaxcourse_author.concepts import Stop

logger = logging.getLogger(__name__)

PAGE = "paths"
CHOICE, LISTED, TAUGHT = "{{ choose a path }}", "{{ paths }}", "{{ presets }}"
"""Where a reader chooses, and where the paths and the presets are listed."""

_NONE = "No path leads through the lessons that are taught here alone."


def walked(course: Course) -> tuple[Walk, ...]:
    """The paths of a course, walked again only when a file has changed."""
    file = course.root / PATHS
    return _walked(course, id(road(course)), file.stat().st_mtime_ns if file.exists() else 0)


@functools.lru_cache(maxsize=4)
def _walked(course: Course, on: int, changed: int) -> tuple[Walk, ...]:
    return walks(course, road(course))


def offered(course: Course) -> tuple[Walk, ...]:
    """The paths that a reader may choose."""
    return tuple(walk for walk in walked(course) if walk.is_offered(course))


# -- in words ---------------------------------------------------------------------------------------------------


def long(minutes: float) -> str:
    """How long something takes, as a reader plans it.

    Example:
        >>> long(31.2), long(595)
        ('32 minutes', '9.9 hours')
    """
    return f"{round(minutes / 60, 1):g} hours" if minutes > 120 else counted(-int(-minutes // 1), "minute")


def counted(count: int, word: str) -> str:
    """A number of things.

    Example:
        >>> counted(1, "minute")
        '1 minute'
    """
    return f"{count} {word}{'' if count == 1 else 's'}"


def facts(walk: Walk) -> str:
    """How much there is on a path."""
    asked = counted(walk.exercises, "exercise")
    return f"{long(walk.minutes)}, {counted(len(walk.stops), 'section')}, {asked}"


# -- where a reader chooses -------------------------------------------------------------------------------------


def choice_html(found: Sequence[Walk], page: str = f"{PAGE}.html", pages: Collection[str] = ()) -> str:
    """The paths of which a reader chooses one, or none; a script shows the buttons, and what was chosen.

    Args:
        found: those paths.
        page: the address of the page that lists their sections; empty if there is none.
        pages: those of the site, as `_toc.yml` names them: with one of these, readers of a path may begin.
    """
    if not found:
        return f"<p>{_NONE}</p>"
    whole = ("", "All of it, in order", "For everybody who has the time: each lesson builds on those before it.", "")
    rows = [whole, *((one.path.name, one.path.title, one.path.audience, _linked(one, page, pages)) for one in found)]
    return (
        '<fieldset class="course-paths"><legend class="visually-hidden">Your way through the course</legend>'
        f'{"".join(_choice(*row) for row in rows)}<p role="status"></p></fieldset>'
    )


def _linked(walk: Walk, page: str, pages: Collection[str]) -> str:
    """How much there is on a path, with a link to its sections, and one to the page with which its readers begin."""
    found = f' <a href="{page}#path-{walk.path.name}">{facts(walk)}</a>' if page else f" {facts(walk)}"
    first = walk.path.page
    return found + (f' · <a href="{Path(first).name}.html">begin with a page of its own</a>' if first in pages else "")


def _choice(name: str, title: str, audience: str, more: str) -> str:
    at = f"choose-{name or 'all'}"
    return (
        f'<div class="course-path"><input type="radio" name="course-path" id="{at}" value="{name}" '
        f'aria-describedby="{at}-for" hidden><label for="{at}">{marked(title)}</label>'
        f'<p id="{at}-for">{marked(audience)}{more}</p></div>'
    )


# -- the page that lists all ------------------------------------------------------------------------------------


def listed(found: Sequence[Walk], heading: str = "##") -> str:
    """Some paths in Markdown: for whom each is, what one can do after it, and its sections by lessons.

    Args:
        found: the paths.
        heading: the mark of their headings.
    """
    return "\n".join(line for walk in found for line in _listed(walk, heading)) or _NONE


def _listed(walk: Walk, heading: str) -> Iterator[str]:
    path = walk.path
    yield from (
        f"(path-{path.name})=",
        f"{heading} {path.title}",
        "",
        path.audience,
        f"After it you can {path.after}.",
        "",
    )
    if path.page:
        yield from (f"Begin with {{doc}}`/{path.page}`.", "")
    if path.known:
        yield from (f"You know already: {', '.join(path.known)}.", "")
    yield from (f"**{facts(walk)}.**", "")
    for caption, stops in walk.parts.items():
        if caption:
            yield from (f"**{caption}: {long(sum(stop.minutes for stop in stops))}**", "")
        for stem, some in groupby(stops, key=lambda stop: stop.stem):
            yield from _of_lesson(stem, tuple(some))


def _of_lesson(stem: str, stops: Sequence[Stop]) -> Iterator[str]:
    sections = (f"{{ref}}`{stop.section.label}` ({_whole(stop)})" for stop in stops)
    yield f"{int(stem[:2])} · {{doc}}`../notebooks/{stem}`, {long(sum(stop.minutes for stop in stops))}"
    yield from (f": {', '.join(sections)}", "")


def _whole(stop: Stop) -> int:
    return stop.section.minutes.left


# -- for the browser --------------------------------------------------------------------------------------------


def paths_script(found: Sequence[Walk], stops: Sequence[Stop]) -> str:
    """The paths that a reader may choose, and each section of the course that has a label, once, for `way.js`.

    Args:
        found: those paths.
        stops: the sections of the course, in reading order.
    """
    stops = [stop for stop in stops if stop.section.label]
    place = {stop: i for i, stop in enumerate(stops)}
    stems = list(dict.fromkeys(stop.stem for stop in stops))
    known = {
        "lessons": stems,
        "sections": [
            [one.section.label, stems.index(one.stem), round(one.minutes, 1), one.section.title] for one in stops
        ],
        "paths": {
            walk.path.name: {
                "title": walk.path.title,
                "at": [place[stop] for stop in walk.stops],
                **({"page": walk.path.page} if walk.path.page else {}),
            }
            for walk in found
        },
    }
    return f"window.coursePaths = {json.dumps(known, ensure_ascii=False, separators=(',', ':'))};\n"


def refuse(app: Sphinx) -> None:
    """Refuse a path that is not closed, or that names what is not here: each fault is a warning, which ends a build."""
    course = Course(Path(app.srcdir))
    for problem, repair in problems(course, road(course)) if (course.root / PATHS).exists() else ():
        logger.warning(f"{PATHS}: {problem}. {repair}", type="paths")


def on_source_read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Write the paths where a page asks for them."""
    if not any(mark in source[0] for mark in (CHOICE, LISTED, TAUGHT)):
        return
    course = Course(Path(app.srcdir))
    for file in (Path("_toc.yml"), Path(PATHS), Path(CONCEPTS), *course.lesson_paths):
        if (course.root / file).exists():
            app.env.note_dependency(str(course.root / file))
    presets = [walk for walk in walked(course) if walk.path.is_preset and not walk.lacking]
    ours = [walk for walk in offered(course) if walk not in presets]
    page = f"{PAGE}.html" if f"book/{PAGE}" in course.pages else ""
    filled = {
        CHOICE: raw(choice_html(offered(course), page, course.pages)),
        LISTED: listed(ours),
        TAUGHT: listed(presets, "###"),
    }
    for mark, text in filled.items():
        source[0] = source[0].replace(mark, text)


def write_paths(app: Sphinx) -> None:
    """Put the paths beside the scripts that need them."""
    if app.builder.format == "html":
        file = Path(app.outdir, "_static", "paths.js")
        file.parent.mkdir(parents=True, exist_ok=True)
        course = Course(Path(app.srcdir))
        file.write_text(paths_script(offered(course), road(course).stops), encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Refuse what is not closed when a build begins; fill in the pages before links are turned."""
    app.connect("builder-inited", refuse)
    app.connect("builder-inited", write_paths)
    app.connect("source-read", on_source_read, priority=400)
    for name in ("paths.js", "way.js"):
        app.add_js_file(name, loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
