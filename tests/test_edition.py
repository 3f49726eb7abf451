"""The edition: what it changes with, that it is the same on every machine, and where it is said."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import jaxcourse
from jaxcourse import _edition
from jaxcourse.course import LessonText
from jaxcourse.notebook import _verbs

FILES = {
    "jaxcourse/probe/_channel.py": "a",
    "jaxcourse/play/js/engine.js": "b",
    "exercises_tests/01_toy/double_it.py": "c",
    "solutions/course.json": "{}",
}


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Files of each kind that an edition is made of."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{text}\n", encoding="utf-8")
    return tmp_path


def edition(course: Path) -> str:
    return _edition.of_files(course / "jaxcourse", course)


@pytest.mark.parametrize("name", FILES)
def test_it_changes_with_every_file_that_readers_install(course: Path, name: str) -> None:
    before = edition(course)
    (course / name).write_text('{"another": {}}\n', encoding="utf-8")
    assert edition(course) != before


def test_it_changes_when_a_file_has_another_name_or_goes(course: Path) -> None:
    before = edition(course)
    moved = (course / "jaxcourse/probe/_channel.py").rename(course / "jaxcourse/probe/_channels.py")
    renamed = edition(course)
    moved.unlink()
    assert len({before, renamed, edition(course)}) == 3


def test_it_is_the_same_elsewhere_and_whatever_tools_leave_behind(course: Path, tmp_path: Path) -> None:
    before = edition(course)
    for name in ("jaxcourse/__pycache__/a.pyc", "exercises_tests/.DS_Store", "jaxcourse/_course/a.py"):
        (course / name).parent.mkdir(exist_ok=True)
        (course / name).write_text("left", encoding="utf-8")
    (course / "solutions/course.json").write_bytes(b"{}\r\n")
    copy = shutil.copytree(course, tmp_path / "elsewhere", ignore=shutil.ignore_patterns("elsewhere"))
    assert edition(course) == edition(copy) == before


def test_it_is_a_version_as_pip_writes_it() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+\+e[0-9a-f]{10}", jaxcourse.__version__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        jaxcourse.nothing  # noqa: B018


# -- a notebook of another edition ------------------------------------------------------------------------------


TEXTS = {
    "01_toy": LessonText("https://x.org/01_toy.html", {}, {}, {}, edition="1f2e"),
    "02_pup": LessonText("", {}, {}, {}, edition="3d4c"),
}


@pytest.mark.parametrize("mark", ["", "01_toy", "01_toy 1f2e", "02_pup 3d4c"])
def test_nothing_is_said_of_the_same_edition_or_of_none(mark: str) -> None:
    assert _verbs.another_edition(mark, TEXTS) == ""


@pytest.mark.parametrize(
    ("mark", "end"),
    [
        ("01_toy 90ab", "may differ: see https://x.org/01_toy.html"),
        ("02_pup 90ab", "differ."),
        ("03_gone 1", "differ."),
    ],
)
def test_another_edition_is_said_in_one_line(mark: str, end: str) -> None:
    line = _verbs.another_edition(mark, TEXTS)
    assert line.startswith("This notebook is of another edition") and line.endswith(end) and "\n" not in line


def test_a_check_says_it_once(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_VERSION", raising=False)
    monkeypatch.setattr(_verbs, "_said", set())
    names = {"check": jaxcourse.check, "__edition__": "00_start_here 0"}
    exec("check('centre-columns', None)\ncheck('centre-columns', None)", names)
    said = capsys.readouterr().out
    assert said.count("another edition") == 1 and said.count("Not yet: Centre the columns") == 2
    assert said.index("another edition") < said.index("centre-columns")
