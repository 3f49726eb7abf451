"""`jaxcourse move lesson`: another name everywhere at once, and the old one kept for those who have it."""

import json
import subprocess

import pytest
from toy import LISTED, MD, PY, edit, toy

from jaxcourse.cli import main
from jaxcourse.course import Course
from jaxcourse_author import moving
from jaxcourse_author.lesson import MOVED, notebooks, old_names
from jaxcourse_author.rules import RULES, Contract

__all__ = ["toy"]
NOW = "40_doubling"


@pytest.fixture
def course(toy):
    """The toy, with a page that links to its lesson and calls it by its number, and a file of a time."""
    (toy / "book/page.md").write_text("# A page\n\nSee [it](../notebooks/01_toy.md), or lesson 1. Lesson 11 is none.\n")
    (toy / "recorded").mkdir()
    (toy / "recorded/class.csv").write_text("student,lesson\nada,01_toy\n")
    (toy / MOVED).write_text("recorded: [recorded]\n")
    (toy / "CHANGELOG.md").write_text("# Changelog\n\n- 01_toy has an exercise.\n")
    return Course(toy)


def text(course, name):
    return (course.root / name).read_text(encoding="utf-8")


def test_all_that_has_the_name_gets_the_new_one(course):
    move = moving.lesson(course, "01_toy", NOW)
    for name in (MD, PY, LISTED, "notebooks/01_toy.md", "solutions/01_toy.ipynb"):
        assert not (course.root / name).exists()
        assert (course.root / name.replace("01_toy", NOW)).exists()
    assert text(course, "_toc.yml").endswith(f"- file: notebooks/{NOW}\n")
    assert (
        text(course, "book/page.md")
        == f"# A page\n\nSee [it](../notebooks/{NOW}.md), or lesson 40. Lesson 11 is none.\n"
    )
    assert not (course.root / "exercises_tests/01_toy").exists()
    assert not list(notebooks.stale(Course(course.root)))
    assert [line.split(":")[0] for line in move.spoken] == ["book/page.md"]


def test_what_was_recorded_at_a_time_keeps_its_names(course):
    move = moving.lesson(course, "01_toy", NOW)
    assert "01_toy" in text(course, "recorded/class.csv") and "01_toy" in text(course, "CHANGELOG.md")
    assert [path.as_posix() for path in move.recorded] == ["CHANGELOG.md", "recorded/class.csv"]


def test_the_old_name_is_kept_and_leads_to_that_of_today(course):
    moving.lesson(course, "01_toy", NOW)
    moving.lesson(Course(course.root), NOW, "50_twice")
    today = Course(course.root)
    assert old_names(today) == {"01_toy": "50_twice", NOW: "50_twice"}
    assert [today.today(name) for name in ("01_toy", NOW, "50_twice", "99_none")] == ["50_twice"] * 3 + ["99_none"]
    assert text(course, MOVED).startswith("# Names that lessons have had.")
    assert "recorded: [recorded]" in text(course, MOVED)


def test_at_the_old_address_of_a_notebook_one_cell_leads_to_the_new(course):
    moving.lesson(course, "01_toy", NOW)
    (cell,) = json.loads(text(course, "notebooks/01_toy.ipynb"))["cells"]
    assert f"https://colab.research.google.com/github/someone/toy/blob/main/notebooks/{NOW}.ipynb" in "".join(
        cell["source"]
    )


def test_the_notebook_at_an_old_address_is_no_stray_file(course):
    moving.lesson(course, "01_toy", NOW)
    assert strays(course) == []
    (course.root / "notebooks/01_toys.ipynb").write_text("{}")
    assert strays(course) == ["notebooks/01_toys.ipynb"]


def strays(course):
    (rule,) = (one for one in RULES if one.name == "files_belong_together")
    return [refusal.file for refusal in rule.refusals(Contract(course.root))]


def test_a_name_that_another_lesson_takes_is_that_lessons(course):
    moving.lesson(course, "01_toy", NOW)
    assert main(["--course", str(course.root), "new", "lesson", "01_toy", "Another"]) == 0
    today = Course(course.root)
    assert old_names(today) == {} and today.today("01_toy") == "01_toy"
    assert not (course.root / "notebooks/01_toy.ipynb").exists()  # its exercise is not written yet


def test_a_dry_run_writes_nothing(course, capsys):
    before = {path: path.read_bytes() for path in course.root.rglob("*") if path.is_file()}
    assert main(["--course", str(course.root), "move", "lesson", "01", NOW, "--dry-run"]) == 0
    assert {path: path.read_bytes() for path in course.root.rglob("*") if path.is_file()} == before
    said = capsys.readouterr().out
    assert f"01_toy is {NOW}: 3 files have another name, 2 say it." in said and "book/page.md:3: See" in said


def test_in_a_repository_what_is_ignored_is_left_alone(course):
    subprocess.run(["git", "init", "-q"], cwd=course.root, check=True)
    (course.root / ".gitignore").write_text("_out\n")
    (course.root / "_out").mkdir()
    (course.root / "_out/log.txt").write_text("01_toy")
    moving.lesson(course, "01_toy", NOW)
    assert text(course, "_out/log.txt") == "01_toy"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("01_toy", "doubling", "two digits and its topic"),
        ("01_toy", "01_toy", "the name of a lesson already"),
        ("01_toy", "02_other", "the number of 02_more"),
        ("03", "40_x", "_toc.yml has no lesson '03'"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(course, old, new, said):
    main(["--course", str(course.root), "new", "lesson", "02_more", "More"])
    before = text(course, "_toc.yml")
    with pytest.raises(ValueError, match=said):
        moving.lesson(Course(course.root), old, new)
    assert text(course, "_toc.yml") == before and (course.root / MD).exists()


def test_the_contract_holds_after_a_move(course):
    edit(course.root / "book/page.md", "A page", "Another page")
    moving.lesson(course, "01_toy", NOW)
    (pair,) = Contract(course.root, (NOW,)).pairs
    assert list(pair.checks.exercises) == ["double-it"]
