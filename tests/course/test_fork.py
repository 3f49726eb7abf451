"""A fork that follows the pages for instructors is green from its first push."""

from __future__ import annotations

from pathlib import Path

import fork
import pytest

from jaxcourse.course import Course

MADE_RED = "title or facts or archive or describes_itself or ticks or no_colour or comes_next"
"""The tests that forks have made red: they knew this copy's title, numbers, address or count of lessons."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fork's folder."""
    return fork.make(tmp_path_factory.mktemp("fork") / "course")


def test_it_teaches_what_it_says_and_has_its_own_name(root: Path) -> None:
    course = Course(root)
    assert [path.stem for path in course.lesson_paths] == [*fork.TAUGHT, fork.OWN]
    assert (course.title, course.site) == (fork.TITLE, "https://uni.github.io/numerics")
    assert course.reads() == [root / "notebooks" / "pendulum.csv"]
    first = (root / "notebooks" / f"{fork.OWN}.ipynb").read_text(encoding="utf-8")
    assert "uni.github.io/numerics/wheel/" in first and "bring(" in first


def test_what_forks_have_made_red_is_green(root: Path) -> None:
    """The rest of the walk is not asked by `make test`."""
    files = ("course/test_site_whole", "course/test_site_identity", "course/test_entrance", "course/test_site")
    done = fork.ask(root, [f"tests/{name}.py" for name in (*files, "notebook/test_verbs")], "-k", MADE_RED)
    assert done.returncode == 0, done.stdout[-3000:]


def test_the_whole_walk_is_green(root: Path) -> None:
    fork.command(root, "check", "--quick", fork.OWN)
    done = fork.ask(root, fork.WHOLE, "--leave-out", "--deselect", "tests/course/test_fork.py")
    assert done.returncode == 0, done.stdout[-3000:]
