"""Exercises on the page: a form for one that takes a value, the way to the notebook for one that takes a function.

Which are practice is marked in their titles.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from site_sources import notebook_in_colab

from jaxcourse.course import Course
from jaxcourse.prediction import Prediction
from jaxcourse_author.lesson import PRACTICE

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

    from jaxcourse.course import Lesson
    from jaxcourse.exercise import Exercise

USED = ('class="answers-data"', 'class="answers-notebook"', "data-solved=")
"""What of a page the script looks for."""


def asked(exercise: Exercise, lesson: Lesson, page: str) -> dict[str, Any]:
    """All that the script needs to ask an exercise and to judge its answer.

    Args:
        exercise: one that takes a value.
        lesson: it belongs to it.
        page: the name of the page on which it stands, such as `notebooks/10_memory_layout`.
    """
    prediction = exercise.check
    assert isinstance(prediction, Prediction)
    data = prediction.exported()
    anchors = {exercise.see, *(mistake["see"] for mistake in data["mistakes"])} - {""}
    found = {anchor: lesson.home(anchor) for anchor in sorted(anchors)}
    return data | {
        "name": exercise.name,
        "title": lesson.title_of(exercise.name),
        "variable": exercise.variable,
        "hints": exercise.hints,
        "see": exercise.see,
        "sections": {
            anchor: {
                "title": lesson.again(exercise.name, anchor)[0],
                "href": _address(lesson, stem, lesson.place(exercise.name, anchor), page),
            }
            for anchor, stem in found.items()
            if stem
        },
    }


def _address(lesson: Lesson, stem: str, anchor: str, page: str) -> str:
    """The address of a section: within this site, or, of a lesson that is not taught, the full course's."""
    taught = lesson.texts[stem].solutions
    return relative(f"notebooks/{stem}", anchor, page) if taught else lesson.section(anchor)[1]


def relative(to: str, anchor: str, page: str) -> str:
    """The address of a section of the site, from a page of it: it must work in a copy on a disk as well.

    Example:
        >>> relative("notebooks/01_a", "b", "notebooks/01_a")
        '#b'
        >>> relative("notebooks/02_c", "d", "notebooks/01_a")
        '../notebooks/02_c.html#d'
    """
    return f"#{anchor}" if to == page else "../" * page.count("/") + f"{to}.html#{anchor}"


def as_script(data: dict[str, Any]) -> str:
    """Data for the script, which builds the form from it: without a script the page is as it would be without us."""
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="application/json" class="answers-data">{text}</script>'


def way_to_notebook(name: str, notebook: str) -> str:
    """The line below an exercise that takes a function: to the notebook in Colab, or to the file."""
    link = f'<a href="{escape(notebook)}">Write it in the notebook</a>'
    return f'<p class="answers-notebook" data-exercise="{escape(name)}">{link}</p>'


def on_page(app: Sphinx, doctree: document, docname: str) -> None:
    """Add to each exercise of a lesson what its kind needs."""
    course, stem = Course(Path(app.srcdir)), Path(docname).name
    if docname != f"notebooks/{stem}" or stem not in course.exercises():
        return
    lesson, colab = course.lesson(stem), notebook_in_colab(stem, app)
    for node in doctree.findall(lambda node: "exercise" in getattr(node, "attributes", {}).get("classes", ())):
        exercise = next((lesson.exercises[name] for name in node["ids"] if name in lesson.exercises), None)
        if exercise is not None:
            takes_value = isinstance(exercise.check, Prediction) and not course.withholds(stem)
            data = asked(exercise, lesson, docname) if takes_value else None
            html = as_script(data) if data else way_to_notebook(exercise.name, colab or f"../_sources/{docname}.ipynb")
            node[-1].append(nodes.raw("", html, format="html"))
            if PRACTICE in node["classes"]:
                title = next(node.findall(nodes.title))
                title += [nodes.Text(" "), nodes.inline("", PRACTICE, classes=["practice-mark"])]


def add_assets(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None) -> None:
    """Load script and style on the pages that use them."""
    if any(mark in context.get("body", "") for mark in USED):
        app.add_css_file("answers.css")
        app.add_js_file("reader.js", priority=490)
        app.add_js_file("answers.js", loading_method="defer")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Look at each page when its exercises have their numbers."""
    app.connect("doctree-resolved", on_page)
    app.connect("html-page-context", add_assets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
