"""The pages of a course: which labels stand on which, and what is here that is not taught."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from jaxcourse.course import Course
from jaxcourse_author.lesson._myst import Page, page_of
from jaxcourse_author.lesson.predictions import Box, read_box


def page_at(path: Path) -> Page:
    """The page that a file is; an empty one if there is no file."""
    return page_of(path.read_text(encoding="utf-8-sig") if path.exists() else "")  # some editors begin it with a mark


def boxes_by_section(page: Page) -> dict[str, list[Box]]:
    """A page's prediction boxes, by the label of the last heading before them that has one."""
    found: dict[str, list[Box]] = {}
    for box in page.directives("predict"):
        label = next((one.label for one in reversed(page.headings) if one.label and one.line < box.line), "")
        found.setdefault(label, []).append(read_box(box.body))
    return found


def digests(boxes: Mapping[str, Iterable[Box]]) -> dict[str, list[str]]:
    """The digests of prediction boxes, by the same labels."""
    return {label: [box.digest for box in found] for label, found in boxes.items()}


def boxes_by_key(boxes: Mapping[str, Iterable[Box]]) -> dict[str, Box]:
    """Prediction boxes by the keys under which readers' predictions are kept.

    A key changes with the question, and not with a lesson's number or the place in it.
    """
    return {f"{label or 'page'}-{box.digest}": box for label, found in boxes.items() for box in found}


def labels(course: Course) -> dict[str, list[str]]:
    """The pages, without their suffix, on which each `(label)=` stands: one, if all is well."""
    return _by_label((page, page_at(course.root / f"{page}.md").labels) for page in course.pages)


def left_out(course: Course) -> dict[str, str]:
    """What is here and is not taught: the page of each label, of each exercise, and of each page itself."""
    named = course.pages
    files = [path for folder in ("notebooks", "book") for path in sorted((course.root / folder).glob("*.md"))]
    pages = {f"{path.parent.name}/{path.stem}": path for path in files}
    others = {page: page_at(path) for page, path in pages.items() if page not in named}
    known = labels(course) if others else {}
    found = _by_label((name, [*page.labels, *_of_directives(page)]) for name, page in others.items())
    return {label: places[0] for label, places in found.items() if label not in known} | {name: name for name in others}


def _of_directives(page: Page) -> list[str]:
    """The labels that directives give themselves, as exercises do."""
    return [node.options["label"] for node in page.directives() if "label" in node.options]


def _by_label(pages: Iterable[tuple[str, list[str]]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for page, names in pages:
        for label in names:
            found.setdefault(label, []).append(page)
    return found
