"""What a student's process may read: what is on the list, and nothing else."""

import sys
import sysconfig
from pathlib import Path

import pytest

from jaxcourse.paths import PACKAGE, PACKAGES
from jaxcourse_grade.isolation import _reach
from jaxcourse_grade.isolation._reach import readable_paths


def is_readable(path, readable):
    return any(path == given or given in path.parents for given in readable)


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder of installed distributions, which the interpreter uses."""
    folder = tmp_path / "site-packages"
    files = {
        "ours/__init__.py": "",
        "ours-1.dist-info/RECORD": 'ours/__init__.py,,\n"ours-1.dist-info/RECORD",,\n../../bin/ours,,\n',
        "ours-1.dist-info/METADATA": "Name: ours\n",
        "jaxcourse/_course/solutions/a.ipynb": "{}",
        "jaxcourse-1.dist-info/RECORD": "jaxcourse/_course/solutions/a.ipynb,,\njaxcourse-1.dist-info/x,,\n",
        "jaxcourse-1.dist-info/METADATA": "Name: jaxcourse\n",
        "solutions/00_start_here.ipynb": "{}",
        "old.egg-info/PKG-INFO": "Name: old\n",
        "old.py": "",
        "notes.txt": "",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    return folder


def test_of_what_is_installed_only_what_a_distribution_put_there_is_given(site):
    given = {path.name for path in readable_paths() if path.parent == site}
    assert given == {"ours", "ours-1.dist-info", "old.py"}


def test_of_our_package_only_what_lessons_need_is_given():
    given = {path.name for path in readable_paths() if path.parent == PACKAGE}
    assert {"probe", "draw", "explore.py", "bench"} <= given
    assert not given & {"_course", "course", "__pycache__"}


def test_of_authors_and_the_grader_nothing_is_given():
    others = [folder for folder in PACKAGES if folder != PACKAGE]
    assert len(others) == 2
    assert not [path for path in others if is_readable(path / "__init__.py", readable_paths())]


def test_no_folder_above_our_data_is_given():
    readable = readable_paths()
    places = [Path(folder, "jaxcourse", "_course", "x") for folder in sys.path if folder.endswith("-packages")]
    assert not [path for path in places if is_readable(path.resolve(), readable)]
    assert is_readable(Path(sysconfig.get_path("stdlib"), "heapq.py").resolve(), readable)


def test_what_is_hidden_is_not_given(tmp_path, monkeypatch):
    (tmp_path / "secret").mkdir()
    (tmp_path / "open").mkdir()
    monkeypatch.setattr(_reach, "_system_paths", lambda: [tmp_path])
    readable = readable_paths([tmp_path / "secret"])
    assert tmp_path / "open" in readable
    assert not {tmp_path, tmp_path / "secret"} & set(readable)


def test_a_link_beside_a_secret_opens_nothing(tmp_path):
    (tmp_path / "all" / "secret").mkdir(parents=True)
    (tmp_path / "all" / "open").mkdir()
    (tmp_path / "all" / "link").symlink_to("/")
    assert _reach._around(tmp_path / "all", [tmp_path / "all" / "secret"]) == [tmp_path / "all" / "open"]
