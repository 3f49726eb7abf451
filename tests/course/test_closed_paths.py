"""The course's own paths: each is closed, takes what it promises, and a preset's lessons are a syllabus."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from jaxcourse.course import Course
from jaxcourse_author.concepts import Road, road_of
from jaxcourse_author.paths import Walk, problems, walks
from jaxcourse_author.paths._preset import without

ROOT = Path(__file__).parents[2]
COURSE = Course(ROOT)


@pytest.fixture(scope="module")
def road() -> Road:
    return road_of(COURSE)


@pytest.fixture(scope="module")
def all_walks(road: Road) -> dict[str, Walk]:
    return {walk.path.name: walk for walk in walks(COURSE, road)}


def test_each_path_is_closed(road: Road) -> None:
    assert [*problems(COURSE, road)] == []


@pytest.mark.lessons(*(path.stem for path in COURSE.lessons_here))
def test_readers_are_offered_paths_and_classes_have_presets(all_walks: dict[str, Walk]) -> None:
    offered = [name for name, walk in all_walks.items() if walk.is_offered(COURSE)]
    presets = [name for name, walk in all_walks.items() if walk.path.is_preset]
    assert offered == ["ten-hours", "from-pytorch", "does-not-fit", "a-gpu"]
    assert presets == ["two-days", "four-weeks", "semester"]
    assert 9 <= all_walks["ten-hours"].minutes / 60 <= 10.5, "ten hours are promised"


def test_no_day_or_week_of_a_class_is_longer_than_it_has_time(all_walks: dict[str, Walk]) -> None:
    for name, most in {"two-days": 7 * 60, "four-weeks": 2 * 90, "semester": 120}.items():
        for caption, stops in all_walks[name].parts.items():
            assert sum(stop.minutes for stop in stops) <= most, f"{name}: {caption}"


def test_the_syllabus_of_a_preset_names_its_lessons_and_no_empty_part(all_walks: dict[str, Walk]) -> None:
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    for walk in (one for one in all_walks.values() if one.path.is_preset):
        taught = {path.stem for path in COURSE.lesson_paths}
        left = yaml.safe_load(without(toc, {f"notebooks/{stem}" for stem in taught - {*walk.lessons}}))
        pages = [page["file"] for part in left["parts"] for page in part["chapters"]]
        assert [page for page in pages if page.startswith("notebooks/")] == [
            f"notebooks/{path.stem}" for path in COURSE.lesson_paths if path.stem in walk.lessons
        ]
        assert all(part["chapters"] for part in left["parts"]) and "book/for_instructors" in pages
