"""What is wrong with `book/concepts.yml`: a label that is nowhere, or what no lesson says."""

from __future__ import annotations

from collections.abc import Iterator

from jaxcourse.course import Course, nearest
from jaxcourse_author.concepts._file import Concept
from jaxcourse_author.concepts._road import Road
from jaxcourse_author.lesson import page_at
from jaxcourse_author.lesson.elsewhere import Elsewhere

GLOSSARY = "book/glossary.md"


def problems(course: Course, road: Road) -> Iterator[tuple[str, str]]:
    """What is wrong with the concepts of a course, each with what to do.

    Args:
        course: whose.
        road: as `road_of` gives it.
    """
    elsewhere = Elsewhere(course).places
    yield from _of_labels(road, {*elsewhere})
    yield from _of_terms(course, road)
    if not any(page.startswith("notebooks/") for page in elsewhere.values()):
        yield from _of_recognisers(road)  # of a part of the course nobody expects that it says everything


def _of_labels(road: Road, elsewhere: set[str]) -> Iterator[tuple[str, str]]:
    here = {stop.section.label for stop in road.stops}
    named = {label for concept in road.concepts for label in concept.explained_by}
    for concept in road.concepts:
        for label in concept.explained_by:
            if label not in here | elsewhere | road.concepts.awaited:
                near = nearest(label, here)
                repair = f"Write {near!r}." if near else "Put it before a heading, or among those that are awaited."
                yield f"{concept.name!r} is explained by {label!r}, which labels no section of a lesson", repair
    for label in sorted(road.concepts.awaited - named):
        yield f"{label!r} is awaited, and explains no concept", "Remove it from `awaited`."


def _of_terms(course: Course, road: Road) -> Iterator[tuple[str, str]]:
    known = set(_terms(course))
    for concept in road.concepts:
        for term in sorted({*concept.terms} - known):
            near = nearest(term, known)
            repair = f"Write {near!r}." if near else f"Define it in {GLOSSARY}, or leave it out."
            yield f"{concept.name!r} has the term {term!r}, which the glossary has not", repair


def _terms(course: Course) -> Iterator[str]:
    for glossary in page_at(course.root / GLOSSARY).directives("glossary"):
        yield from (line for line in glossary.body.split("\n") if line and not line.startswith((" ", ":")))


def _of_recognisers(road: Road) -> Iterator[tuple[str, str]]:
    used: dict[Concept, set[tuple[str, str]]] = {}
    for use in (use for stop in road.stops for use in stop.uses):
        used.setdefault(use.concept, set()).update(use.by)
    for concept in road.concepts:
        if concept not in used:
            yield f"no section uses {concept.name!r}", "Mend how it is recognised, or remove it."
        for kind, spelled in concept.patterns.keys() - used.get(concept, concept.patterns.keys()):
            problem = f"{concept.name!r} is recognised by {spelled!r} under `{kind}`, which no lesson says"
            yield problem, "Mend it, or remove it."
