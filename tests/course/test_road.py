"""The course's own concepts: declared as they are, met one after the other, and reached by the shortest ways."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxcourse.course import Course
from jaxcourse_author.concepts import Road, problems, road_of, table, way_to
from jaxcourse_author.lesson import LessonSource, read_lesson

ROOT = Path(__file__).parents[2]
COURSE = Course(ROOT)
LESSONS: dict[str, LessonSource] = {}


def kept(path: Path, course: Course) -> LessonSource:
    """A lesson, which the tests below look at as well."""
    return LESSONS.setdefault(path.stem, read_lesson(path, course))


@pytest.fixture(scope="module")
def road() -> Road:
    return road_of(COURSE, kept)


def test_what_is_declared_is_so(road: Road) -> None:
    assert [*problems(COURSE, road)] == []
    assert len(road.concepts.all) > 50


def test_the_road_is_the_course(road: Road) -> None:
    assert list(dict.fromkeys(stop.stem for stop in road.stops)) == [path.stem for path in COURSE.lesson_paths]
    whole = sum(lesson.minutes.core for lesson in LESSONS.values())
    assert road.stops[-1].ends == pytest.approx(whole)


def test_each_row_leads_to_a_line_of_its_section(road: Road) -> None:
    for row in road.rows(COURSE):
        assert row.use.line in row.stop.section.lines, row
        assert row.by is None or row.by.place > row.stop.place, row


def test_each_concept_has_an_hour_or_is_awaited(road: Road) -> None:
    _, *lines = table(road)
    assert len(lines) == len(road.concepts.all)
    minutes = [float(line.split()[1]) for line in lines if "nothing yet" not in line]
    assert minutes == sorted(minutes) and minutes[0] > 0


def test_the_shortest_way_to_a_concept_is_closed_and_no_longer_than_the_road(road: Road) -> None:
    for concept in road.concepts:
        if goal := road.first(concept):
            way = way_to(road, [goal])
            assert way[-1] is goal and sum(stop.minutes for stop in way) <= goal.ends + 1e-6
            for stop, need in ((one, need) for one in way for need in one.needs):
                explain = {one for one in road.explainers[need] if one.place < stop.place}
                assert not explain or explain & {*way}, f"{stop.name} on the way to {goal.name} uses {need.name}"
