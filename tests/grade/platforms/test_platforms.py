"""Autograders on other platforms: what is written for them, and what it does where they run it."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from grade_class import HOSTILE, mark, result

from jaxcourse.cli import main
from jaxcourse.course import Course
from jaxcourse_grade import _class
from jaxcourse_grade.isolation import PROTECTIONS
from jaxcourse_grade.platforms import github, gradescope

ROOT = Course.installed().root
LESSON = "00_start_here"
pytestmark = pytest.mark.lessons("00_start_here")
LACKING = dict.fromkeys(PROTECTIONS, "not here")


def hand_in(source, folder):
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / source / f"{LESSON}.ipynb", folder)


def run(*command, **more):
    """What a platform runs, with our Python first on its path."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, **{name: str(value) for name, value in more.pop("names").items()}}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300, **more)


# -- GitHub Actions -----------------------------------------------------------------------------------------------


def copy(folder, address):
    """The parts of a course that the command reads, with an address."""
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    shutil.copy(ROOT / "_toc.yml", folder)
    (folder / "_config.yml").write_text(f"repository: {{url: '{address}', branch: trunk}}", encoding="utf-8")
    return folder


@pytest.fixture
def workflow(tmp_path):
    """The file that the command writes, read by YAML's rules."""
    path = tmp_path / "template" / ".github" / "workflows" / "grade.yml"
    course = copy(tmp_path / "addressed", "https://github.com/ada/arrays")
    assert main(["--course", str(course), "autograder", "github", "--out", str(path)]) == 0
    return yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)


def test_the_workflow_fetches_the_students_work_and_this_course(workflow):
    steps = workflow["jobs"]["grade"]["steps"]
    checkouts = {step["with"]["path"]: step["with"] for step in steps if "checkout" in step.get("uses", "")}
    assert (checkouts["course"]["repository"], checkouts["course"]["ref"]) == ("ada/arrays", "trunk")
    assert "repository" not in checkouts["work"]
    assert {given["persist-credentials"] for given in checkouts.values()} == {"false"}
    assert workflow["permissions"] == {"contents": "read"}
    assert "<" not in str(workflow)


def test_without_an_address_no_workflow_fetches_anybodys_code(tmp_path, capsys):
    path = tmp_path / "grade.yml"
    course = copy(tmp_path / "addressed", "")
    assert main(["--course", str(course), "autograder", "github", "--out", str(path)]) == 2
    assert "jaxcourse address OWNER/REPO" in capsys.readouterr().err and not path.exists()


def test_the_workflow_installs_what_the_course_has(workflow):
    (install,) = (step["run"] for step in workflow["jobs"]["grade"]["steps"] if "pip install" in step.get("run", ""))
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(re.search(r"course\[(.*)\]", install)[1].split(",")) <= set(extras)
    assert (ROOT / re.search(r"--constraint course/(\S+)", install)[1]).is_file()


def test_the_workflow_grades_a_repository_and_says_what_it_found(workflow, tmp_path):
    hand_in("solutions", tmp_path / "work" / "notebooks")
    for other in ("data/points.csv", "figures/plot.py", ".github/workflows/grade.yml", "README.md"):
        (tmp_path / "work" / other).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "work" / other).write_text("x = 1\n")
    (tmp_path / "course").symlink_to(ROOT)
    steps = workflow["jobs"]["grade"]["steps"]
    (command,) = (step["run"] for step in steps if "jaxcourse_grade.platforms.github" in step.get("run", ""))
    names = {"GITHUB_REPOSITORY": "class/lab-1-ada", "GITHUB_STEP_SUMMARY": tmp_path / "summary.md"}
    done = run("bash", "-e", "-c", command, cwd=tmp_path, names=names)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "<h3>00 start here: 2 of 2 points</h3>" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    (uploaded,) = (step["with"]["path"] for step in steps if "upload-artifact" in step.get("uses", ""))
    assert [path.name for path in (tmp_path / uploaded).iterdir()] == ["lab-1-ada.html"]


def unreadable(source):
    return result("ada", "", (), status="unreadable", reason="Which lesson is this?", source=source)


@pytest.mark.parametrize(
    ("results", "status"),
    [
        ([result("ada", LESSON, (mark("a", "passed"),))], 0),
        ([result("ada", LESSON, (mark("a", "passed"), mark("b", "timeout")))], 1),
        ([result("ada", LESSON, (mark("a", "passed"),)), unreadable("notes.ipynb")], 1),
        ([result("ada", LESSON, (mark("a", "passed"),)), unreadable("plot.py")], 0),
        ([unreadable("plot.py")], 1),
        ([], 1),
        ([result("ada", LESSON, (mark("a", "passed"), mark("practised", "wrong")))], 0),
        ([result("ada", LESSON, (mark("a", "wrong"), mark("practised", "passed")))], 1),
        ([result("ada", LESSON, (mark("a", "passed"),)), result("ada", "10", (mark("b", "not_attempted"),))], 0),
        ([result("ada", LESSON, (mark("a", "passed"), mark("b", "not_attempted")))], 1),
        ([result("ada", LESSON, (mark("a", "not_attempted"), mark("b", "missing")))], 0),
        (_class.CannotGrade("this machine does not give files"), 2),
    ],
)
def test_a_run_is_green_if_the_core_of_each_lesson_that_was_begun_is_passed(results, status, tmp_path, monkeypatch):
    def graded(*_, **__):
        if isinstance(results, Exception):
            raise results
        return results

    monkeypatch.setattr(github, "grade_folder", graded)
    monkeypatch.setattr(Course, "practice", lambda _: frozenset({"practised"}))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    options = ["--course", str(ROOT), "--student", "ada", "--out", str(tmp_path / "out")]
    assert github.main([str(tmp_path), *options]) == status


def test_a_summary_says_what_is_for_practice():
    marks = (mark("a", "passed"), mark("b", "wrong"))
    page = github.summary([result("ada", LESSON, marks)], {"b"})
    assert "1 of 2 points, 1 of 1 on the core path" in page and page.count("(practice)") == 1
    assert "core path" not in github.summary([result("ada", LESSON, marks)])


def test_blank_notebooks_are_no_failure(tmp_path, monkeypatch):
    hand_in("notebooks", tmp_path / "work" / "notebooks")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    options = ["--course", str(ROOT), "--student", "ada", "--out", str(tmp_path / "out")]
    assert github.main([str(tmp_path / "work"), *options]) == 0
    assert (tmp_path / "summary.md").read_text(encoding="utf-8") == github.UNTOUCHED


@pytest.mark.parametrize("text", [*HOSTILE, "one\n\n# two"], ids=range(len(HOSTILE) + 1))
def test_no_text_of_a_student_is_markup_in_the_summary(text):
    page = github.summary([result(text, LESSON, (mark("a", "wrong", text),)), result("b", LESSON, (), reason=text)])
    elements = ElementTree.fromstring(f"<page>{page}</page>").iter()
    assert {element.tag for element in elements} <= {"page", "h3", "table", "tr", "td", "p", "code"}
    assert "\n\n" not in page


def test_a_course_that_is_not_on_github_needs_a_step_of_its_own():
    with pytest.raises(ValueError, match="codeberg.org/me/mine is not on GitHub"):
        github.workflow("https://codeberg.org/me/mine", "main")


# -- Gradescope ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    path = tmp_path_factory.mktemp("packed") / "autograder.zip"
    assert main(["--course", str(ROOT), "autograder", "gradescope", LESSON, "--out", str(path)]) == 0
    return path


@pytest.fixture
def container(tmp_path, packed):
    """Gradescope's folders, before a submission is there."""
    for name in ("source", "submission", "results"):
        (tmp_path / name).mkdir()
    with zipfile.ZipFile(packed) as archive:
        for member in archive.infolist():
            Path(archive.extract(member, tmp_path / "source")).chmod(member.external_attr >> 16)
    (tmp_path / "submission_metadata.json").write_text(
        json.dumps({"users": [{"id": 7, "name": "Ada", "email": "ada@uni.example"}, {"id": 8, "name": "Bob"}]})
    )
    return tmp_path


def results_of(container):
    return json.loads((container / "results" / "results.json").read_text(encoding="utf-8"))


def test_the_archive_has_all_that_an_installed_course_is_made_of(packed):
    names = set(zipfile.ZipFile(packed).namelist())
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    targets = build["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert {"setup.sh", "run_autograder", "course/pyproject.toml", "course/hatch_build.py"} <= names
    for folder in (*targets["packages"], "exercises_tests", "solutions"):
        files = (path for path in (ROOT / folder).rglob("*") if path.is_file() and path.parent.name != "__pycache__")
        assert {f"course/{path.relative_to(ROOT)}" for path in files} <= names
    assert f"course/{build['project']['readme']}" in names
    assert not any("__pycache__" in name for name in names)


def test_what_sets_the_container_up_finds_its_files(container):
    """With a Python, a pip and a uv that only say how they were called."""
    tools = container / "tools"
    tools.mkdir()
    says = f'#!/bin/sh\necho "$(pwd)" "$@" >> {container}/called\n'
    makes = 'mkdir -p "$3/bin" && cp "$0" "$3/bin/pip" && cp "$0" "$3/bin/uv"\n'
    (tools / "python3").write_text(f'{says}[ "$2" = venv ] && {makes}true\n')
    (tools / "python3").chmod(0o755)
    environment = {**os.environ, "AUTOGRADER": str(container), "PATH": f"{tools}:{os.environ['PATH']}"}
    subprocess.run([container / "source" / "setup.sh"], env=environment, check=True)
    called = (container / "called").read_text().splitlines()
    where, *words = called[-1].split()
    assert (Path(where) / words[words.index("--constraint") + 1]).is_file()
    course, extras = words[-1].removesuffix("]").split("[")
    assert (Path(where) / course / "pyproject.toml").is_file()
    assert extras == "grade,lessons"
    made = next(line.split()[-1] for line in called if " venv --quiet" in line)
    assert made == str(container / "python")
    assert f"--python {made}" in called[-1]


def test_a_submission_is_graded_where_gradescope_puts_it(container):
    hand_in("solutions", container / "submission")
    (container / "python").symlink_to(sys.prefix)
    done = run(container / "source" / "run_autograder", cwd=container, names={"AUTOGRADER": container})
    assert done.returncode == 0, done.stdout + done.stderr
    told = results_of(container)
    assert told["score"] == sum(test["max_score"] for test in told["tests"]) == 2
    assert {test["status"] for test in told["tests"]} == {"passed"}


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"work.ipynb": '{"cells": ['}, "cut off"),
        ({"work.pdf": "%PDF-1.7"}, "This is a PDF"),
        ({}, "nothing was handed in"),
    ],
)
def test_what_cannot_be_graded_gets_a_reason(container, files, said):
    for name, text in files.items():
        (container / "submission" / name).write_text(text)
    assert gradescope.main([str(container)]) == 0
    assert said in results_of(container)["output"]
    assert results_of(container)["score"] == 0


def test_the_lesson_of_the_assignment_counts(container, monkeypatch):
    found = [result("ada", stem, (mark("a", "passed"),)) for stem in ("10_memory_layout", LESSON)]
    monkeypatch.setattr(gradescope, "grade_folder", lambda *_, **__: found)
    gradescope.main([str(container)])
    assert results_of(container)["output"] == "00 start here: 1 of 1 points"
    del found[1]
    gradescope.main([str(container)])
    assert "what was handed in is 10_memory_layout." in results_of(container)["output"]


def test_an_assignment_may_count_the_core_alone(container, monkeypatch, tmp_path):
    found = [result("ada", LESSON, (mark("a", "passed"), mark("practised", "wrong")))]
    monkeypatch.setattr(gradescope, "grade_folder", lambda *_, **__: found)
    monkeypatch.setattr(Course, "practice", lambda _: frozenset({"practised"}))
    gradescope.main([str(container)])
    assert results_of(container)["output"] == "00 start here: 1 of 2 points"
    command = ["--course", str(ROOT), "autograder", "gradescope", LESSON, "--core", "--out", str(tmp_path / "core.zip")]
    assert main(command) == 0
    with zipfile.ZipFile(tmp_path / "core.zip") as archive:
        archive.extract("assignment.json", container / "source")
    gradescope.main([str(container)])
    assert results_of(container)["output"] == "00 start here: 1 of 1 points"


def test_a_group_has_one_name(container, monkeypatch):
    given = []
    monkeypatch.setattr(gradescope, "grade_folder", lambda course, work, student, out, **_: given.append(student) or [])
    gradescope.main([str(container)])
    assert given == ["ada@uni.example and 8"]


def test_without_protections_there_are_no_results_unless_told(container, monkeypatch, capsys):
    monkeypatch.setattr(_class.isolation, "available", lambda: LACKING)
    assert gradescope.main([str(container)]) == 2
    assert "--unprotected" in capsys.readouterr().err
    assert not list((container / "results").iterdir())
    settings = container / "source" / "assignment.json"
    settings.write_text(json.dumps(json.loads(settings.read_text()) | {"unprotected": True}))
    assert gradescope.main([str(container)]) == 0


def test_a_lesson_that_is_not_there_is_refused(tmp_path, capsys):
    assert main(["--course", str(ROOT), "autograder", "gradescope", "99_x", "--out", str(tmp_path / "a.zip")]) == 2
    assert "there is no lesson '99_x'; there are 00_start_here" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
