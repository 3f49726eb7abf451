"""Where the grader keeps the programs that it has compiled."""

import os
from pathlib import Path

import pytest

from jaxcourse.course import Course
from jaxcourse_grade.judging import cache_folder

COURSE = Course(Path(__file__).parents[3])


@pytest.fixture
def folders(monkeypatch, tmp_path):
    """A home that is a file, as one that cannot be written to, and a folder for temporary files."""
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    home.write_text("")
    temporary.mkdir()
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    return home, temporary


def test_programs_are_kept_at_home_if_there_is_one(folders):
    home, _ = folders
    home.unlink()
    home.mkdir()
    assert cache_folder(COURSE).is_relative_to(home / ".cache") and cache_folder(COURSE).is_dir()


def test_without_a_home_that_can_be_written_to_they_are_kept_among_temporary_files(folders):
    folder = cache_folder(COURSE)
    own = folders[1] / f"cache-of-{os.getuid()}"
    assert folder.is_relative_to(own) and own.stat().st_mode & 0o077 == 0
    assert cache_folder(COURSE) == folder


def test_a_folder_into_which_others_may_write_is_not_taken(folders):
    own = folders[1] / f"cache-of-{os.getuid()}"
    own.mkdir()
    own.chmod(0o777)
    assert not cache_folder(COURSE).is_relative_to(own)
