"""The page for who teaches: a plan of each lesson, of what `book/teach.yml` declares and what lessons and checks have.

Minutes, mistakes, exercises with inputs of their own and what can be left out are found in the sources, when the page
is read; what is right in a question for peers, in the outputs of the lesson's page, when it is written.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from site_foresee import HABITS, habits
from site_paths import PAGE as PATHS
from site_paths import counted, facts, long, walked
from site_predict import outputs_below, predict_box, text_of
from site_sources import lesson_source, raw, road
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from jaxcourse.course import Course
from jaxcourse.markup import marked
from jaxcourse_author.lesson.predictions import PredictionError, read_box
from jaxcourse_author.teach import (
    PAGE,
    TEACH,
    Choice,
    Plan,
    PlanError,
    cells,
    choices,
    drawn_anew,
    misconceptions,
    peer_question,
    problems,
    read_plans,
    spare,
)

if TYPE_CHECKING:
    from docutils.nodes import Element, Node, document
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

    from jaxcourse_author.concepts import Stop
    from jaxcourse_author.lesson import LessonSource, Section
    from jaxcourse_author.lesson.predictions import Answer, Box, Field
    from jaxcourse_author.paths import Walk

logger = logging.getLogger(__name__)

PLANS, PRESETS, LINKS = "{{ plans }}", "{{ plans of presets }}", "{{ links to plans }}"
"""Where the plans stand, where presets lead to them, and where all are linked."""
_WORDS = re.compile(r"[a-z]{2,} [a-z]{2,}|^[a-z]+$", re.IGNORECASE)
_NONE = "No lesson that is taught here has a plan."


def label_of(stem: str) -> str:
    """The label of a lesson's plan.

    Example:
        >>> label_of("10_memory_layout")
        'teach-10'
    """
    return f"teach-{stem[:2]}"


def cell_id(code: str) -> str:
    """The anchor of a cell on its lesson's page, which follows from its code."""
    return f"cell-{hashlib.sha256(code.strip().encode()).hexdigest()[:8]}"


# -- a plan -----------------------------------------------------------------------------------------------------


def plan_text(course: Course, plan: Plan) -> str:
    """The plan of a lesson in MyST; nothing of what its lesson lacks, which `refuse` has warned of.

    Args:
        course: whose.
        plan: of a lesson that is taught.
    """
    lesson = lesson_source(course.root / "notebooks" / f"{plan.stem}.md", course)
    opening = f"{{doc}}`The lesson </notebooks/{plan.stem}>` takes {lesson.minutes}."
    parts = {
        "Minutes": _minutes(lesson),
        "Show live": _live(course, plan, lesson),
        "What goes wrong": _wrong(course, lesson),
        "A question for peers": _peers(course, plan, lesson),
        "For an examination": _drawn(course, lesson),
        "What can be left out": _spare(course, lesson),
    }
    head = f"({label_of(plan.stem)})=\n## Teaching {plan.stem[:2]}: {lesson.title}\n\n{opening}"
    return "\n\n".join([head, *(f"### {title}\n\n{text}" for title, text in parts.items() if text)])


def _minutes(lesson: LessonSource) -> str:
    rows = [
        f"| {_section(one, lesson)} | {one.minutes.left} | {_tasks(one.exercises, lesson)} |"
        for one in lesson.stretches
        if one.minutes.core >= 0.5 or one.exercises
    ]
    return "\n".join(["| Section | Minutes | Exercises |", "|---|--:|---|", *rows])


def _section(section: Section, lesson: LessonSource) -> str:
    return f"{{ref}}`{section.label}`" if section.label else _cell(section.title)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _tasks(names: Iterable[str], lesson: LessonSource) -> str:
    """Some exercises with their minutes; those for practice behind a plus, as they are not in those of a section."""
    tasks = (lesson.tasks[name] for name in names)
    return " · ".join(f"{_task(one.name, one.title)} {'+' if one.practice else ''}{one.minutes:g}" for one in tasks)


def _task(name: str, title: str) -> str:
    return f"{{ref}}`{title.translate(dict.fromkeys(map(ord, '`<>|')))} <{name}>`"


def _live(course: Course, plan: Plan, lesson: LessonSource) -> str:
    try:
        found = cells(course, plan, lesson)
    except PlanError:
        return ""
    address = f"../notebooks/{plan.stem}.html"
    return "\n".join(
        f'1. {one.ask} <a href="{address}#{cell_id(cell.text)}">Run the cell with</a> `` {one.cell} ``, '
        f"in {{ref}}`{one.at}`."
        for one, cell in zip(plan.live, found, strict=True)
    )


def _wrong(course: Course, lesson: LessonSource) -> str:
    if lesson.stem not in course.exercises():
        return ""
    found = misconceptions(course.lesson(lesson.stem))
    return "\n".join(
        f"- {_task(one.exercise, lesson.tasks[one.exercise].title)}, `{one.label}`: {one.words}"
        + (f" Such as `` {one.line} ``." if one.line else "")
        for one in found
    )


def _drawn(course: Course, lesson: LessonSource) -> str:
    if lesson.stem not in course.exercises():
        return ""
    checks = course.lesson(lesson.stem).exercises
    return _tasks((name for name in lesson.tasks if drawn_anew(checks[name])), lesson)


def _spare(course: Course, lesson: LessonSource) -> str:
    tasks = [one for one in lesson.tasks.values() if one.practice]
    practice = f"**{counted(len(tasks), 'exercise')} for practice**, {long(sum(one.minutes for one in tasks))}."
    stops = spare(road(course), lesson.stem)
    listed = ", ".join(f"{{ref}}`{one.section.label}` {one.section.minutes.left}" for one in stops)
    sections = f"**Sections that explain nothing that another lesson uses**, with their minutes: {listed}."
    return "\n\n".join(text for text, there in ((practice, tasks), (sections, stops)) if there)


# -- the question for peers -------------------------------------------------------------------------------------


class peer_answers(nodes.General, nodes.Element):  # noqa: N801, docutils names nodes so
    """The answers that a box offers; `page`, `digest`, `ask` and `at` say which box, and which field of it."""


class PeerAnswers(SphinxDirective):
    """The directive `{peer-answers}`: the box is named in its content, as JSON."""

    has_content = True

    def run(self) -> list[Node]:
        """Stand for the answers until the lesson's page is read."""
        node = peer_answers("", **json.loads("\n".join(self.content)))
        self.set_source_info(node)
        return [node]


def _peers(course: Course, plan: Plan, lesson: LessonSource) -> str:
    try:
        question = peer_question(course, plan.peers, lesson)
    except PlanError:
        return ""
    if not question.box:
        return f"{question.text}\n\n{raw(answers_html(ordered(question.choices), question.choices[0]))}"
    box, field = question.box
    of_box = {"page": f"notebooks/{plan.stem}", "digest": box.digest, "ask": field.ask, "at": plan.peers.at}
    return "\n\n".join(
        [
            question.text,
            f"```{{peer-answers}}\n{json.dumps(of_box)}\n```",
            *_habits(course, plan.peers.at, field),
        ]
    )


def _habits(course: Course, at: str, field: Field) -> Iterator[str]:
    """The habits that wrong answers of a field show, and in how many sections each shows."""
    for one in habits(course) if (course.root / HABITS).exists() else ():
        if {*one.shows.get(at, ())} & {*field.slips}:
            yield f"A habit that shows in {counted(len(one.shows), 'section')}: {one.habit} See {{ref}}`{one.mends}`."


def ordered(found: Sequence[Choice], declared: Sequence[str] = ()) -> list[Choice]:
    """Choices as they are shown: in the order of the lesson, or by number, so that the right one has no place.

    Example:
        >>> [one.answer for one in ordered([Choice("4"), Choice("16", "No."), Choice("2", "No.")])]
        ['2', '4', '16']
    """
    if declared:
        return sorted(found, key=lambda one: [*declared].index(one.answer))
    return sorted(found, key=lambda one: (_number(one.answer), one.answer))


def _number(text: str) -> float:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return 0.0


def answers_html(shown: Sequence[Choice], right: Choice | None, measured: bool = False) -> str:
    """The choices as a table: which is right, and what the checks say to the others.

    Args:
        shown: in their order.
        right: one of them; none if the run leaves it open.
        measured: whether another machine may give another answer.
    """
    where = ", on the machine that built this page" if measured else ""
    rows = "".join(
        f'<tr><th scope="row">{letter}</th><td>{_answer(one.answer)}</td>'
        f"<td>{f'<strong>Right{where}.</strong>' if one is right else marked(one.words)}</td></tr>"
        for letter, one in zip("ABCDEFGH", shown, strict=False)
    )
    table = f'<table class="table teach-answers"><tbody>{rows}</tbody></table>'
    left = "" if right else "<p>The run that built this page leaves it open: run the cell before the class.</p>"
    return f'<div class="pst-scrollable-table-container">{table}</div>{left}'


def _answer(text: str) -> str:
    """An answer as it is read: code, unless it is in words, or says itself what of it is code."""
    return marked(text) if "`" in text or _WORDS.search(text) else f"<code>{escape(text)}</code>"


class TakeAnswers(SphinxPostTransform):
    """Put what the lesson's run says into the place that stands for the answers of a box."""

    default_priority = 2
    formats = ("html",)

    def run(self, **_: Any) -> None:
        """Read what is right from the outputs below each box."""
        for node in list(self.document.findall(peer_answers)):
            try:
                html = self._html(node)
            except (PlanError, PredictionError) as error:
                # As boxes warn of what a run did not give, so that a build that executes nothing can be silent there.
                kind = "predict" if isinstance(error, PredictionError) else "teach"
                logger.warning("%s: %s", TEACH, error, location=node, type=kind)
                html = ""
            node.replace_self([nodes.raw("", html, format="html")] if html else [])

    def _html(self, node: peer_answers) -> str:
        box, output = _asked_on(self.env.get_doctree(node["page"]), node["digest"])
        field = next(one for one in box.fields if one.ask == node["ask"])
        answer = _answered(field, output)
        found = choices(field, answer)
        return answers_html(ordered(found, [*field.choices]), found[0] if answer else None, field.is_measured)


def _answered(field: Field, output: str) -> Answer | None:
    """What the run says to a field; nothing of what is measured, and another machine may decide.

    Raises:
        PredictionError: the output has no answer, though it is not measured.
    """
    try:
        return field.answer(output)
    except PredictionError:
        if not field.is_measured:
            raise
        return None


def _asked_on(page: document, digest: str) -> tuple[Box, str]:
    """A prediction box of a lesson's page, and what the cells below it gave."""
    for node in page.findall(predict_box):
        box = read_box(node["body"])
        if box.digest == digest:
            return box, "\n".join(map(text_of, outputs_below(node)))
    raise PlanError("a prediction box is not on its page", "Build the page of its lesson again.")


# -- where plans are linked -------------------------------------------------------------------------------------


def links(course: Course) -> str:
    """A link to each plan, in Markdown."""
    found = (lesson_source(path, course) for path in course.lesson_paths if path.stem in read_plans(course))
    return " · ".join(f"{{ref}}`{one.stem[:2]} {_plain(one.title)} <{label_of(one.stem)}>`" for one in found) or _NONE


def _plain(title: str) -> str:
    return title.translate(dict.fromkeys(map(ord, "`<>")))


def presets(course: Course, walks: Iterable[Walk]) -> str:
    """The presets in Markdown: the lessons of each part with their minutes, each with a link to its plan.

    Args:
        course: whose.
        walks: all its paths.
    """
    found = [walk for walk in walks if walk.path.is_preset and not walk.lacking]
    return "\n\n".join(
        part for walk in found for part in _preset(walk, {*read_plans(course)}, f"book/{PATHS}" in course.pages)
    )


def _preset(walk: Walk, planned: set[str], is_listed: bool) -> Iterator[str]:
    path = walk.path
    sections = f" All sections: {{ref}}`path-{path.name}`." if is_listed else ""
    yield f"### {path.title}\n\n{path.audience} **{facts(walk)}.**{sections}"
    rows = (
        f"| {caption} | {sum(one.minutes for one in stops):.0f} | {_by_lesson(stops, planned)} |"
        for caption, stops in walk.parts.items()
    )
    yield "\n".join(["| When | Minutes | Lessons, with the minutes of their sections |", "|---|--:|---|", *rows])


def _by_lesson(stops: Sequence[Stop], planned: set[str]) -> str:
    lessons = ((stem, sum(one.minutes for one in some)) for stem, some in groupby(stops, lambda one: one.stem))
    return " · ".join(f"{_named(stem, planned)} {minutes:.0f}" for stem, minutes in lessons)


def _named(stem: str, planned: set[str]) -> str:
    return f"{{ref}}`{stem[:2]} <{label_of(stem)}>`" if stem in planned else stem[:2]


# -- the build --------------------------------------------------------------------------------------------------


def refuse(app: Sphinx) -> None:
    """Refuse a plan that names what is not there: each fault is a warning, which ends a build."""
    for problem, repair in problems(Course(Path(app.srcdir)), lesson_source):
        logger.warning(f"{TEACH}: {problem}. {repair}", type="teach")


def on_source_read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Write the plans, or what leads to them; anew at each build, as they follow from checks, too."""
    if not any(mark in source[0] for mark in (PLANS, PRESETS, LINKS)):
        return
    app.env.note_reread()
    course = Course(Path(app.srcdir))
    if PLANS in source[0]:
        plans = [plan for path in course.lesson_paths if (plan := read_plans(course).get(path.stem))]
        source[0] = source[0].replace(PLANS, "\n\n".join(plan_text(course, plan) for plan in plans) or _NONE)
    if PRESETS in source[0]:
        source[0] = source[0].replace(PRESETS, presets(course, walked(course)))
    if LINKS in source[0]:
        source[0] = source[0].replace(LINKS, links(course) if PAGE in course.pages else _NONE)


def on_read(app: Sphinx, doctree: document) -> None:
    """Give each cell of a lesson an anchor; say of each plan what it is, for printer and search."""
    if app.env.docname.startswith("notebooks/"):
        anchor_cells(doctree)
    if app.env.docname == PAGE:
        for section in doctree.findall(nodes.section):
            if any(re.fullmatch(r"teach-\d\d", name) for name in section["ids"]):
                section["classes"] += ["teach", "unsearched"]


def anchor_cells(doctree: document) -> None:
    """Give each code cell the anchor that follows from its code; of equal cells, the first."""
    taken: set[str] = set()
    for cell in doctree.findall(nodes.container):
        name = cell_id(_code(cell)) if cell.get("nb_element") == "cell_code" else ""
        if name and name not in taken:
            cell["ids"].append(name)
            taken.add(name)


def _code(cell: Element) -> str:
    inside = (child for child in cell.children if child.get("nb_element") == "cell_code_source")
    return next((child.astext() for child in inside), "")


def on_page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None) -> None:
    """Load the style of the plans."""
    if page == PAGE:
        app.add_css_file("paper.css")
        app.add_css_file("teach.css")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write the plans before links are turned, and take answers before links are settled."""
    app.add_node(peer_answers)
    app.add_directive("peer-answers", PeerAnswers)
    app.add_post_transform(TakeAnswers)
    app.connect("builder-inited", refuse)
    app.connect("source-read", on_source_read, priority=400)
    app.connect("doctree-read", on_read)
    app.connect("html-page-context", on_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
