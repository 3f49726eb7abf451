"""Watching: which lessons are proved again when a file is saved."""

import os
from itertools import islice

import pytest
from toy import LISTED, MD, PY, edit, toy

from jaxcourse import cli
from jaxcourse.course import Course
from jaxcourse_author import scaffold, watch

__all__ = ["toy"]


def touch(path):
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 10**9))


@pytest.mark.parametrize("file", [MD, PY, LISTED])
def test_a_lesson_is_named_when_one_of_its_files_is_saved(toy, file):
    acts = iter([lambda: None, lambda: touch(toy / file)])
    assert next(watch.changes(Course(toy), sleep=lambda _: next(acts)())) == "01_toy"


def test_a_lesson_is_named_once_and_only_if_wanted(toy):
    (toy / "notebooks/02_more.md").write_text((toy / MD).read_text())
    edit(toy / "_toc.yml", "01_toy", "01_toy\n  - file: notebooks/02_more")
    acts = iter([lambda: [touch(toy / name) for name in (MD, PY, "notebooks/02_more.md")]] * 2)
    assert list(islice(watch.changes(Course(toy), sleep=lambda _: next(acts)()), 2)) == ["01_toy", "02_more"]
    assert list(islice(watch.changes(Course(toy), ("02_more",), sleep=lambda _: next(acts)()), 1)) == ["02_more"]


def test_new_code_of_the_package_starts_a_new_process(toy, tmp_path, monkeypatch):
    class Replaced(Exception):
        pass

    def replace(program, arguments):
        raise Replaced(arguments)

    (tmp_path / "new.py").write_text("")
    monkeypatch.setattr(watch, "PACKAGES", [tmp_path])
    monkeypatch.setattr(os, "execv", replace)
    with pytest.raises(Replaced):
        next(watch.changes(Course(toy), sleep=lambda _: touch(tmp_path / "new.py")))


def test_the_command_writes_and_proves_what_was_saved(toy, monkeypatch, capsys):
    def saved(course, only):
        edit(toy / PY, "Twice.", "Two times.")
        yield "01_toy"
        edit(toy / PY, "import numpy as np", "import numpy as np\n1 / 0")
        yield "01_toy"
        raise KeyboardInterrupt

    monkeypatch.setattr(watch, "changes", saved)
    assert cli.main(["--course", str(toy), "check", "--watch"]) == 0
    said = capsys.readouterr().out
    assert "Everything holds: " in said and "importing it raises ZeroDivisionError" in said


def test_a_proof_ends_when_its_lesson_is_saved_again(toy):
    ticks = iter([0.0, 0.1, 1.0, 2.0, 3.0])
    newer = watch.Newer(Course(toy), "01_toy", clock=lambda: next(ticks))
    touch(toy / PY)
    newer()  # it has looked a moment ago
    with pytest.raises(watch.Superseded):
        newer()


def test_another_lesson_that_is_saved_ends_no_proof(toy):
    (toy / "notebooks/02_more.md").write_text((toy / MD).read_text())
    edit(toy / "_toc.yml", "01_toy", "01_toy\n  - file: notebooks/02_more")
    ticks = iter([0.0, 1.0, 2.0, 3.0])
    newer = watch.Newer(Course(toy), "01_toy", clock=lambda: next(ticks))
    touch(toy / "notebooks/02_more.md")
    newer()


def test_the_command_begins_anew_at_a_newer_save(toy, monkeypatch, capsys):
    class Now(watch.Newer):
        def __init__(self, course, stem):
            super().__init__(course, stem)
            self._looked = -1e9
            if not seen:
                touch(toy / PY)
            seen.append(stem)

    def saved(course, only):
        yield "01_toy"
        yield "01_toy"
        raise KeyboardInterrupt

    seen = []
    monkeypatch.setattr(watch, "changes", saved)
    monkeypatch.setattr(watch, "Newer", Now)
    assert cli.main(["--course", str(toy), "check", "--watch"]) == 0
    said = capsys.readouterr().out
    assert "01_toy: saved again meanwhile, after" in said and said.count("Everything holds") == 1


def test_what_is_still_to_be_written_ends_a_watched_proof(toy, monkeypatch, capsys):
    def saved(course, only):
        yield "01_toy"
        raise KeyboardInterrupt

    scaffold.exercise(toy, "01_toy", "double-all", "function")
    edit(toy / MD, "That was all.", "It takes 20 ms.")
    monkeypatch.setattr(watch, "changes", saved)
    assert cli.main(["--course", str(toy), "check", "--watch"]) == 0
    said = capsys.readouterr().out
    assert "to be written next" in said and "prose says" not in said
