"""`jaxcourse address`: one command, one place, and no address of somebody else."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from toy import edit, toy

from jaxcourse import cli
from jaxcourse.course import Course
from jaxcourse_author import address
from jaxcourse_author.lesson import notebooks

__all__ = ["toy"]

ROOT = Path(__file__).parents[2]
UNSET = """# What it is called.
title: Toy
repository:
  url: ""
  branch: main
html:
  baseurl: ""  # where the site is published
  favicon: a.svg
sphinx:
  config:
    title: Not this one
"""


@pytest.fixture
def unset(toy: Path) -> Path:
    """The toy course, of which nobody has said where it lives."""
    (toy / "_config.yml").write_text(UNSET, encoding="utf-8")
    notebooks.write(Course(toy))
    return toy


def run(root: Path, *arguments: str) -> int:
    return cli.main(["--course", str(root), "address", *arguments])


def test_one_command_says_where_a_course_lives(unset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(unset) == 0 and "jaxcourse address OWNER/REPO" in capsys.readouterr().out
    assert run(unset, "Ada/arrays", "--title", 'Arrays: a "first" course — für alle') == 0
    config = (unset / "_config.yml").read_text(encoding="utf-8")
    lines = """# What it is called.
title: "Arrays: a \\"first\\" course — für alle"
repository:
  url: "https://github.com/Ada/arrays"
  branch: main
html:
  baseurl: "https://ada.github.io/arrays"  # where the site is published
"""
    assert config == lines + UNSET.partition("published\n")[2]
    assert notebooks.stale(Course(unset)) == {}
    text = (unset / "notebooks/01_toy.ipynb").read_text(encoding="utf-8")
    assert (
        "github/Ada/arrays/blob/main/notebooks/01_toy.ipynb" in text and "https://ada.github.io/arrays/wheel/" in text
    )
    said = capsys.readouterr().out
    assert "3 generated files renewed" in said and "https://ada.github.io/arrays" in said


def test_a_second_time_it_moves_everything(toy: Path) -> None:
    assert run(toy, "https://github.com/fork/course.git", "--branch", "trunk", "--site", "https://example.org/a/") == 0
    course = Course(toy)
    assert (course.repository, course.branch) == ("https://github.com/fork/course", "trunk")
    assert (course.site, course.title) == ("https://example.org/a", "Toy")
    generated = [toy / "notebooks/01_toy.ipynb", toy / "solutions/01_toy.ipynb", toy / "solutions/course.json"]
    assert not any("someone" in path.read_text(encoding="utf-8") for path in generated)
    assert run(toy, "fork/course", "--no-site") == 0
    assert course.site == "" and "example.org" not in generated[0].read_text(encoding="utf-8")


@pytest.mark.parametrize("place", ["arrays", "https://gitlab.com/a/b", "a/b/c", "a b/c", "../x/y", "ada/"])
def test_what_is_no_repository_is_refused_and_changes_nothing(
    unset: Path, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(unset, place) == 2
    assert "write OWNER/REPO" in capsys.readouterr().err
    assert (unset / "_config.yml").read_text(encoding="utf-8") == UNSET


def test_a_configuration_of_another_layout_is_left_alone(unset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = "title: Toy\nrepository: {url: '', branch: main}\nhtml: {baseurl: ''}\n"
    (unset / "_config.yml").write_text(config, encoding="utf-8")
    assert run(unset, "ada/arrays") == 2
    assert 'html: baseurl: write there "https://ada.github.io/arrays"' in capsys.readouterr().err
    assert (unset / "_config.yml").read_text(encoding="utf-8") == config


def test_a_title_alone_is_asked_for_its_address(unset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(unset, "--title", "Mine") == 2
    assert "say where it lives as well" in capsys.readouterr().err


# -- who may publish --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("repository", "site", "own", "problem"),
    [
        ("https://github.com/Ada/arrays", "https://ada.github.io/arrays", "ada/Arrays", ""),
        ("https://github.com/ada/arrays", "https://arrays.example.org", "ada/arrays", ""),
        ("https://github.com/ada/ada.github.io", "https://ada.github.io", "ada/ada.github.io", ""),
        ("", "", "ada/arrays", "No address is set"),
        ("https://github.com/up/arrays", "https://up.github.io/arrays", "ada/arrays", "github.com/up/arrays is set"),
        ("https://github.com/ada/arrays", "https://up.github.io/arrays", "ada/arrays", "up.github.io/arrays is set"),
        ("https://github.com/ada/arrays", "https://ada.github.io/other", "ada/arrays", "this publishes"),
        ("https://github.com/ada/arrays", "", "ada/arrays", "No site is set"),
    ],
)
def test_nobody_publishes_with_an_address_of_somebody_else(
    toy: Path, capsys: pytest.CaptureFixture[str], repository: str, site: str, own: str, problem: str
) -> None:
    config = {"repository": {"url": repository}, "html": {"baseurl": site}}
    (toy / "_config.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    assert run(toy, "--must-be", own) == (2 if problem else 0)
    said = capsys.readouterr().err
    assert problem in said and (not problem or f"jaxcourse address {own}" in said)


def test_the_workflow_that_publishes_asks_before_it_builds() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/pages.yml").read_text(encoding="utf-8"))
    steps = [step.get("run", step.get("uses", "")) for step in workflow["jobs"]["build"]["steps"]]
    asks = 'jaxcourse address --must-be "$GITHUB_REPOSITORY"'
    (asked,) = (place for place, step in enumerate(steps) if asks in step)
    assert asked < steps.index("make html") < next(i for i, step in enumerate(steps) if "upload-pages" in step)


# -- this copy --------------------------------------------------------------------------------------------------


def test_this_copy_can_be_given_an_address(tmp_path: Path) -> None:
    config = (ROOT / "_config.yml").read_text(encoding="utf-8")
    for key in (("title",), ("repository", "url"), ("repository", "branch"), ("html", "baseurl")):
        config = address.with_value(config, key, "changed")
    found = yaml.safe_load(config)
    assert found["title"] == found["repository"]["url"] == found["html"]["baseurl"] == "changed"


def test_as_long_as_nobody_has_said_it_no_notebook_leads_anywhere(unset: Path) -> None:
    edit(unset / "notebooks/01_toy.md", "# A toy", "# A toy of two")
    notebooks.write(Course(unset))
    for path in (unset / "notebooks/01_toy.ipynb", unset / "solutions/01_toy.ipynb"):
        assert "http" not in path.read_text(encoding="utf-8")
