"""What a host of repositories reads: workflows, what was released, whom to tell of an escape, how to cite."""

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from jaxcourse import _edition
from jaxcourse.course import Course

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
TEMPLATES = sorted((ROOT / "src/jaxcourse_grade/platforms/templates").glob("*.yml"))
pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="workflows are in a checkout")
USES = re.compile(r"uses: (?P<action>[\w./-]+)@(?P<pin>\S+)(?: # (?P<version>\S+))?")


def parsed(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def uses():
    for path in [*WORKFLOWS, *TEMPLATES]:
        for found in USES.finditer(path.read_text(encoding="utf-8")):
            yield path.name, found


def test_actions_are_pinned_by_what_cannot_be_moved():
    for name, found in uses():
        assert re.fullmatch(r"[0-9a-f]{40}", found["pin"]), f"{name}: {found[0]} can be moved to other code"
        assert re.fullmatch(r"v\d+\.\d+\.\d+", found["version"] or ""), f"{name}: {found[0]} does not say its version"


def test_an_action_is_the_same_one_everywhere():
    pins = {}
    for name, found in uses():
        pin = (found["pin"], found["version"])
        assert pins.setdefault(found["action"], pin) == pin, f"{name} has another {found['action']} than the rest"


@pytest.mark.parametrize("path", [*WORKFLOWS, *TEMPLATES], ids=lambda path: path.name)
def test_every_job_ends_by_itself_and_has_no_right_that_it_does_not_need(path):
    workflow = parsed(path)
    assert workflow["permissions"] in ({}, {"contents": "read"}) and "concurrency" in workflow
    for name, job in workflow["jobs"].items():
        assert job["timeout-minutes"] <= 300, name
        rights = job.get("permissions", {})
        if "id-token" in rights or "write" in rights.values():
            assert not any("run" in step for step in job["steps"]), f"{name} may write, and runs other people's code"


def test_no_checkout_leaves_its_key_behind():
    for path in [*WORKFLOWS, *TEMPLATES]:
        for name, job in parsed(path)["jobs"].items():
            for step in job["steps"]:
                if step.get("uses", "").startswith("actions/checkout"):
                    assert step["with"]["persist-credentials"] is False, f"{path.name}: {name}"


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda path: path.name)
def test_what_a_host_reads_is_yaml(path):
    assert parsed(path)


def test_a_citation_names_this_course_and_its_licence():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0" and citation["authors"] and citation["message"]
    files = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("LICENSE", "LICENSE-TEXT")}
    assert citation["license"] == ["BSD-3-Clause", "CC-BY-4.0"]
    assert "BSD 3-Clause" in files["LICENSE"] and "CC BY 4.0" in files["LICENSE-TEXT"]


def test_what_is_generated_is_marked_so():
    marked = (ROOT / ".gitattributes").read_text(encoding="utf-8")
    for folder in ("notebooks", "solutions"):
        assert f"{folder}/*.ipynb linguist-generated" in marked


def test_an_environment_is_ignored_even_where_it_is_a_link():
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert ".venv*" in ignored and ".venv*/" not in ignored


def test_hooks_run_in_the_courses_own_environment():
    (repository,) = parsed(ROOT / ".pre-commit-config.yaml")["repos"]
    assert all(hook["entry"].startswith(".venv/bin/") for hook in repository["hooks"])


def test_the_last_release_is_in_the_changelog():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## (\d{4}\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$", text, re.MULTILINE)
    assert (released[0] if released else "2026.11.0") == _edition.RELEASE
    assert Course(ROOT).title


def test_no_two_files_of_tests_have_one_name() -> None:
    """They are imported by it: of two, pytest collects one."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []
