"""What has changed since a commit, down to single exercises, and what is asked of that alone."""

import subprocess
from pathlib import Path

import pytest
from toy import LISTED, MD, PY, edit, toy

from jaxcourse import cli
from jaxcourse.course import Course
from jaxcourse_author import changed, mutants, scaffold
from jaxcourse_author.lesson import notebooks
from jaxcourse_author.rules import Contract

__all__ = ["toy"]


def git(root, *words):
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@course.example", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(root):
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "-m", "All")
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def two(toy):
    """The toy with a second exercise that is still to be written, in a repository."""
    scaffold.exercise(toy, "01_toy", "double-all", "function")
    notebooks.write(Course(toy))
    git(toy, "init", "--quiet")
    commit(toy)
    return toy


def touched(root, since="HEAD"):
    found = changed.base(root, since)
    return changed.exercises(Course(root), found, changed.files(root, found))


@pytest.mark.parametrize(
    ("file", "old", "new", "want"),
    [
        (PY, "That is the square.", "A square.", ("01_toy/double-it",)),
        (LISTED, "x + 2", "x + 3", ("01_toy/double-it",)),
        (MD, "    return 2 * x", "    return x + x", ("01_toy/double-it",)),
        (MD, "import numpy as np\n", "import numpy as np\nimport math\n", ("01_toy",)),
        (MD, "That was all.", "That is all.", ()),
        ("_toc.yml", "book/index", "book/index ", ()),
    ],
)
def test_what_an_edit_touches_is_named_and_nothing_else(two, file, old, new, want):
    assert touched(two) == ()
    edit(two / file, old, new)
    assert touched(two) == want
    before = commit(two)
    assert touched(two, "HEAD^") == want and touched(two, before) == ()


def test_what_checks_share_belongs_to_all_and_what_is_gone_to_none(two):
    shared = two / Path(PY).parent / "_lesson.py"
    shared.write_text('"""Shared."""\n', encoding="utf-8")
    assert touched(two) == ("01_toy",)
    shared.unlink()
    (two / PY).unlink()
    assert touched(two) == ()


def test_a_lesson_that_could_not_be_read_before_is_new(two):
    edit(two / MD, "```{exercise-end}", "```{exercise-finish}")
    commit(two)
    edit(two / MD, "```{exercise-finish}", "```{exercise-end}")
    assert touched(two) == ("01_toy",)


def test_a_change_begins_where_the_branch_left_main_or_with_the_last_release(two):
    first = git(two, "rev-parse", "HEAD")
    assert changed.base(two) == "" and changed.base(two, first) == first
    second = commit(two)
    assert changed.base(two) == first
    commit(two)
    git(two, "tag", "2026.1.1", second)
    third = commit(two)
    assert changed.base(two) == second
    git(two, "update-ref", "refs/remotes/origin/main", third)
    assert changed.base(two) == second, "on main itself"
    commit(two)
    assert changed.base(two) == third
    with pytest.raises(ValueError, match="no commit 'nowhere' here"):
        changed.base(two, "nowhere")


def test_a_folder_without_history_has_no_change(toy, capsys):
    assert changed.base(toy) == "" and cli.main(["--course", str(toy), "check", "--mutants", "--since"]) == 0
    assert "no earlier commit" in capsys.readouterr().out


def test_only_what_has_changed_is_asked(two, capsys):
    assert cli.main(["--course", str(two), "check", "--mutants", "--since", "HEAD"]) == 0
    assert "no exercise." in capsys.readouterr().out
    edit(two / LISTED, '"squared"', '"wrong-value"')
    assert cli.main(["--course", str(two), "check", "--since", "HEAD"]) == 1
    said = capsys.readouterr().out
    assert "01_toy/double-it." in said and f"{LISTED}: a wrong answer" in said and "to be written" not in said
    assert cli.main(["--course", str(two), "check", "--since", "HEAD", "01"]) == 2


def test_so_many_mutants_are_enough_and_what_is_left_out_is_named(two, monkeypatch):
    monkeypatch.setattr(mutants, "tally", lambda pair, exercise, *_: mutants.Tally(exercise.name))
    monkeypatch.setattr(
        mutants, "_functions", lambda pair: [(exercise, task) for exercise, task in pair.exercises()] * 2
    )
    for most, names in ((1, 1), (100, 2), (None, 2)):
        said = []
        assert mutants.run(Contract(two, ("double-it",)), workers=0, say=said.append, most=most) == 0
        assert sum("double-it: 0 mutants" in line for line in said) == names
        assert any("Left out, since 1 are enough here: double-it." in line for line in said) == (most == 1)
