"""The look around from inside of the walls: it finds what is within reach, and nothing where all is well."""

import sys
from pathlib import Path

import pytest

from jaxcourse.course import Course
from jaxcourse_grade.isolation import PROTECTIONS, CannotStart, Forkserver, Terms, available
from jaxcourse_grade.judging import _walls
from jaxcourse_grade.judging._course import own_modules, private
from jaxcourse_grade.judging._walls import names, require_walls

pytestmark = [
    pytest.mark.lessons("60_indexing"),
    pytest.mark.skipif(
        sys.platform != "linux" or bool(available()["files"]), reason="this machine has no walls to look from"
    ),
]
COURSE = Course.installed()
SOLVED = COURSE.root / "solutions" / "60_indexing.ipynb"
CHECKS = COURSE.root / "exercises_tests" / "60_indexing" / "pick_a_block.py"


@pytest.fixture(scope="module")
def warm():
    server = Forkserver(private(COURSE))
    server.warm(own_modules(COURSE))
    yield server
    server.close()


@pytest.fixture
def terms(tmp_path):
    (tmp_path / "programs").mkdir()
    held = tuple(name for name in PROTECTIONS if not available()[name])
    return Terms(protections=held, cache=str(tmp_path / "programs"))


@pytest.fixture
def within_reach(tmp_path, warm, monkeypatch):
    """A folder that the walls show by mistake; nothing else is looked at, to save time."""
    folder = tmp_path / "library"
    folder.mkdir()
    needed = [path for path in warm.readable if not path.startswith("/usr/lib") and "-packages" not in path]
    monkeypatch.setattr(warm, "readable", [*(path for path in needed if path.startswith("/proc")), str(folder)])
    return folder


def test_where_all_is_well_nothing_is_found(warm, terms):
    require_walls(warm, terms, COURSE)


def test_a_solution_within_reach_stops_the_class(warm, terms, monkeypatch):
    monkeypatch.setattr(warm, "readable", [*warm.readable, str(SOLVED)])
    with pytest.raises(CannotStart, match="could read what it must not: .*/solutions/60_indexing.ipynb"):
        require_walls(warm, terms, COURSE)


def test_what_is_the_instructors_is_tried_by_name(warm, terms, within_reach):
    (within_reach / "ada").mkdir()
    (within_reach / "ada" / "01.ipynb").write_text("{}")
    mine = Terms(protections=terms.protections, cache=terms.cache, hidden=(str(within_reach),))
    with pytest.raises(CannotStart, match="library, .*library/ada/01.ipynb"):
        require_walls(warm, mine, COURSE)


def test_without_walls_there_is_nothing_to_prove(warm, terms):
    require_walls(warm, Terms(cache=terms.cache, hidden=(str(SOLVED),)), COURSE)


def test_every_file_of_the_course_is_tried_and_none_of_the_interpreters():
    tried = set(names(COURSE))
    assert {str(CHECKS), str(SOLVED)} <= tried
    assert not [path for path in tried if path.startswith(f"{_walls.PACKAGE}/probe") or "/bin/python" in path]


def test_another_environment_in_the_courses_folder_is_no_secret(tmp_path):
    (tmp_path / "lesson.py").touch()
    (tmp_path / "elsewhere" / "lib").mkdir(parents=True)
    for name in ("pyvenv.cfg", "lib/module.py"):
        (tmp_path / "elsewhere" / name).touch()
    assert [Path(name).name for name in _walls._below(tmp_path, [])] == ["lesson.py"]


def test_many_files_are_asked_about_in_parts_and_the_last_one_counts():
    asked = []

    class Reader:
        def request(self, verb, paths):
            asked.append(len(paths))
            return {"found": [name for name in paths if name == "readable"]}

    names = [*map(str, range(2 * _walls._AT_ONCE)), "readable"]
    assert _walls._readable_files(Reader(), iter(names)) == ["readable"]
    assert _walls._readable_files(Reader(), iter(names[:-1])) == []
    assert max(asked) == _walls._AT_ONCE
