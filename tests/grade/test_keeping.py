"""From whom a class is kept: other accounts, and the world."""

import os
import shutil
import subprocess

import pytest

from jaxcourse.course import Course
from jaxcourse_grade._keeping import exposure_notes, hide_from_git, make_private

ROOT = Course.installed().root
needs_git = pytest.mark.skipif(not shutil.which("git"), reason="there is no git here")
not_on_windows = pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")


def git(*command, at):
    return subprocess.run(["git", *command], cwd=at, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path):
    git("init", "--quiet", at=tmp_path)
    for name in ("submissions/ada.ipynb", "roster.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("Ada")
    return tmp_path


def results(folder):
    make_private(folder / "grades")
    return folder / "grades"


@not_on_windows
def test_what_is_made_is_closed_and_what_was_there_keeps_its_rights(tmp_path):
    assert results(tmp_path).stat().st_mode & 0o777 == 0o700
    (tmp_path / "grades").chmod(0o750)  # a colleague marks, too
    assert results(tmp_path).stat().st_mode & 0o777 == 0o750
    (said,) = exposure_notes(tmp_path / "grades", ())
    assert f"chmod 700 {tmp_path / 'grades'}" in said


@needs_git
def test_results_hide_themselves_from_git(repository):
    (results(repository) / "grades.csv").write_text("Ada, 3")
    hide_from_git(repository / "grades")
    git("add", "-A", at=repository)
    assert git("ls-files", at=repository).split() == ["roster.csv", "submissions/ada.ipynb"]


def test_a_rule_that_is_there_stays(tmp_path):
    (results(tmp_path) / ".gitignore").write_text("!class.html")
    hide_from_git(tmp_path / "grades")
    assert (tmp_path / "grades" / ".gitignore").read_text() == "!class.html"


@needs_git
def test_what_a_commit_would_take_is_named(repository):
    own = [repository / "submissions", repository / "roster.csv"]
    (said,) = exposure_notes(results(repository), own)
    assert "submissions" in said and "roster.csv" in said and "git add -A" in said
    (repository / ".gitignore").write_text("/submissions/\n/roster.csv\n")
    assert not list(exposure_notes(results(repository), own))


def test_outside_of_a_repository_there_is_nothing_to_say(tmp_path):
    (tmp_path / "roster.csv").write_text("Ada")
    assert not list(exposure_notes(results(tmp_path), [tmp_path / "roster.csv"]))


@needs_git
def test_no_setting_of_a_clone_that_was_handed_in_is_obeyed(repository, tmp_path):
    clone = repository / "submissions" / "ada"
    clone.mkdir()
    git("init", "--quiet", at=clone)
    git("config", "core.fsmonitor", f"touch {tmp_path / 'caught'}", at=clone)
    list(exposure_notes(results(repository), [repository / "submissions"]))
    assert not (tmp_path / "caught").exists()


@needs_git
@pytest.mark.parametrize(
    "path",
    ["class/roster.csv", "submissions/ada.ipynb", "grades/class.html", "roster.csv", "marks.csv", "gradebook.csv"],
)
def test_the_course_takes_no_class_into_its_repository(path, tmp_path):
    git("init", "--quiet", at=tmp_path)
    shutil.copy(ROOT / ".gitignore", tmp_path)
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text("Ada")
    git("add", "-A", at=tmp_path)
    assert git("ls-files", at=tmp_path).split() == [".gitignore"]
