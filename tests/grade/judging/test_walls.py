"""The look around from inside of the walls: it finds what is within reach, and nothing where all is well."""

import json
import sys
import zipfile
import zlib
from pathlib import Path

import pytest

from jaxcourse.course import Course
from jaxcourse.grade.isolation import PROTECTIONS, CannotStart, Forkserver, Terms, available
from jaxcourse.grade.judging import _walls
from jaxcourse.grade.judging._course import own_modules, private
from jaxcourse.grade.judging._walls import names, require_walls, telling

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or bool(available()["files"]), reason="this machine has no walls to look from"
)
COURSE = Course.installed()
SOLVED = COURSE.root / "solutions" / "04_indexing.ipynb"
CHECKS = COURSE.root / "exercises_tests" / "ex_04_indexing.py"


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


def solution():
    cells = json.loads(SOLVED.read_text(encoding="utf-8"))["cells"]
    return "".join("".join(cell["source"]) + "\n" for cell in cells if _walls._is_solution(cell))


def zipped(folder):
    with zipfile.ZipFile(folder / "offline", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(SOLVED, "a.ipynb")


COPIES = {
    "a solved notebook": lambda folder: (folder / "mine.txt").write_text(SOLVED.read_text()),
    "checks": lambda folder: (folder / "helpers.py").write_text(CHECKS.read_text()),
    "compiled checks": lambda folder: (folder / "ex_04_indexing.cpython-311.pyc").write_bytes(b""),
    "solutions alone": lambda folder: (folder / "notes").write_text(solution()),
    "an archive": zipped,
    "an object of Git": lambda folder: (folder / "3f").write_bytes(zlib.compress(SOLVED.read_bytes())),
}


def test_where_all_is_well_nothing_is_found(warm, terms):
    require_walls(warm, terms, COURSE)
    known = json.loads((_walls.Path(f"{terms.cache}-inputs") / "walls.json").read_text())
    assert len(known) == 2


@pytest.mark.parametrize("what", COPIES)
def test_a_copy_within_reach_stops_the_class(warm, terms, within_reach, what):
    (within_reach / "innocent.py").write_text("import numpy as np\n" * 100)
    require_walls(warm, terms, COURSE)
    COPIES[what](within_reach)
    with pytest.raises(CannotStart, match="could read what it must not: .*library/"):
        require_walls(warm, terms, COURSE)


def test_what_is_the_instructors_is_tried_by_name(warm, terms, within_reach):
    (within_reach / "ada").mkdir()
    (within_reach / "ada" / "01.ipynb").write_text("{}")
    mine = Terms(protections=terms.protections, cache=terms.cache, hidden=(str(within_reach),))
    with pytest.raises(CannotStart, match="library, .*library/ada/01.ipynb"):
        require_walls(warm, mine, COURSE)


def test_without_walls_there_is_nothing_to_prove(warm, terms):
    require_walls(warm, Terms(cache=terms.cache), COURSE)
    assert not _walls.Path(f"{terms.cache}-inputs").exists()


@pytest.fixture
def process(warm, terms):
    found = warm.fork(terms, _walls.time.monotonic() + 100)
    yield found
    found.end()


def test_what_is_in_the_memory_that_is_inherited_is_found(process):
    lines = telling(COURSE)
    assert list(_walls._remembered(process, lines)) == []
    process.request("run", source=f"kept = {CHECKS.read_text()!r}", filename="cell", line=1)
    of_checks = {line: name for line, name in lines.items() if name.endswith(CHECKS.name)}
    assert list(_walls._remembered(process, of_checks)) == ["exercises_tests/ex_04_indexing.py"]


def test_one_line_in_memory_is_a_coincidence(process):
    of_checks = sorted(line for line, name in telling(COURSE).items() if name.endswith(CHECKS.name))
    lines = dict.fromkeys(of_checks[: _walls._SAMPLE], "a secret")
    process.request("run", source=f"kept = {of_checks[0]!r}", filename="cell", line=1)
    assert _walls._held(process, lines)[0] == of_checks[:1]
    assert list(_walls._remembered(process, lines)) == []


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
        def request(self, verb, at, given):
            asked.append(len(given[0]))
            return {"found": [name for name in given[0] if name == "readable"]}

    names = [*map(str, range(2 * _walls._AT_ONCE)), "readable"]
    assert _walls._opened(Reader(), iter(names)) == ["readable"]
    assert _walls._opened(Reader(), iter(names[:-1])) == []
    assert max(asked) == _walls._AT_ONCE
