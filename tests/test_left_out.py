"""What `make test` and `.ci/run` leave out is one list, which says what is so; what is dear is in it, or fails."""

import ast
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import costs
import left_out
import pytest
import stack
import touched
import yaml
from left_out import DEAR, LEFT_OUT, MAY_BE_DEAR

from jaxcourse.course import Course

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PLUGINS = f"pytest_plugins = ['costs', 'left_out', 'touched']\nimport sys; sys.path.insert(0, {str(ROOT / 'tests')!r})"


@pytest.mark.parametrize("row", [*LEFT_OUT, *MAY_BE_DEAR], ids=lambda row: row.what[:40])
def test_every_row_has_a_reason_and_names_tests_that_there_are_and_who_asks_them(row):
    assert row.because and f"\n{row.asked_by.removeprefix('make ')}:" in MAKEFILE
    for name in row.tests:
        path, _, test = name.partition("::")
        assert (ROOT / path).exists() and f"def {test.partition('[')[0]}" in (
            (ROOT / path).read_text() if test else "def "
        )


def test_the_guide_shows_the_list():
    guide = (ROOT / "book/contributing/house.md").read_text(encoding="utf-8")
    assert "\n".join(left_out.as_markdown()) in guide, "python tests/left_out.py prints the table for this guide"


def test_one_command_leaves_nothing_out_and_the_gate_asks_all_else_that_the_table_promises():
    everything = MAKEFILE.partition("\ntest-all:")[2].partition("\n\n")[0]
    assert "--leave-out" not in everything and "test-mutants" in everything
    gate = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert gate.count("make test test-mutants MOST=150") == 2 and "make test-colab LEAVE_OUT=--leave-out" in gate


def test_what_the_gate_leaves_out_is_asked_elsewhere_of_each_change():
    jobs = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8"))["jobs"]
    asked = {name: [step["run"] for step in job["steps"] if "run" in step] for name, job in jobs.items()}
    of_each_change = [name for name, job in jobs.items() if "schedule" not in job.get("if", "")]
    said = [command for name in of_each_change for command in asked[name]]
    assert "make test-colab" in said and any(command.startswith("make test-all") for command in said)


def test_the_weekly_shards_are_all_lessons():
    jobs = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8"))["jobs"]
    shards = " ".join(jobs["weekly"]["strategy"]["matrix"]["lessons"]).split()
    assert sorted(shards) == [path.stem[:2] for path in Course(ROOT).lesson_paths]


BUILDS_THE_SITE = {"bs4", "docutils", "jupyter_book", "jupyter_cache", "myst_nb", "myst_parser", "sphinx"}
"""What makes a site of the course, and no other stack than the pinned one has."""


def test_what_other_stacks_run_needs_nothing_that_builds_the_site():
    """A file that cannot be imported stops all tests of that stack."""
    tests = ROOT / "tests"
    asked = [path for path in tests.rglob("*.py") if not stack.for_authors("", [*path.relative_to(tests).parts])]
    assert len(asked) > 100
    for path in asked:
        needed = {
            name.partition(".")[0]
            for line in ast.parse(path.read_text(encoding="utf-8")).body
            for name in (
                [one.name for one in line.names]
                if isinstance(line, ast.Import)
                else [getattr(line, "module", "") or ""]
            )
        }
        assert not needed & BUILDS_THE_SITE, f"{path.relative_to(ROOT)}: list it in `AUTHORS_ONLY` of tests/stack.py"


def inner(folder, test, *options):
    """What pytest says of a file of tests with the plugins, in a process of its own."""
    (folder / "conftest.py").write_text(PLUGINS)
    (folder / "test_inner.py").write_text(test)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={folder}", *options, folder]
    environment = {"PYTHONPATH": str(ROOT / "tests"), "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)


BUSY = """
import subprocess, sys
def test_dear():
    for start in ("import time\\nwhile time.process_time() < 0.4: pass",):
        subprocess.run([sys.executable, "-c", start], check=True)
def test_cheap():
    pass
"""


@pytest.mark.parametrize("workers", [(), ("-n", "1")])
def test_the_processor_time_of_a_test_counts_its_processes_and_what_is_dear_is_named(tmp_path, workers):
    limits = "import costs\ncosts.DEAR = 0.2\n"
    done = inner(tmp_path, limits + BUSY, *workers) if not workers else None
    (tmp_path / "limits.py").write_text(limits)
    done = inner(tmp_path, BUSY, "-p", "limits", "--costs", *workers) if workers else done
    said = done.stdout
    assert "\ndear: 0 s of processor time" in said and "test_inner.py::test_dear" in said, said + done.stderr
    assert "test_cheap" not in said.partition("\ndear: ")[2] and done.returncode == 0


def test_a_listed_test_may_be_dear():
    (name,) = (row.tests[0] for row in MAY_BE_DEAR if row.tests[0].startswith("tests/insides"))
    found = {f"{name}_x[a]": DEAR + 1, "tests/test_bans.py::test_a": DEAR + 1, "tests/test_bans.py::test_b": 1}
    assert costs.unlisted(found, DEAR) == ["tests/test_bans.py::test_a"]


@pytest.mark.parametrize("leave", [True, False])
def test_what_is_listed_is_left_out_only_if_that_is_asked(leave):
    names = ["tests/grade/test_parity.py::test_a[01]", "tests/test_bans.py::test_a"]
    items, gone = [SimpleNamespace(nodeid=name) for name in names], []
    hook = SimpleNamespace(pytest_deselected=lambda items: gone.extend(items))
    left_out.pytest_collection_modifyitems(SimpleNamespace(getoption=lambda name: leave, hook=hook), items)
    assert [item.nodeid for item in items] == (names[1:] if leave else names) and len(gone) == leave


@pytest.mark.parametrize(("seconds", "said"), [("-1", "1 skipped"), ("600", "1 passed")])
def test_no_test_begins_after_its_time_and_it_is_said_why(tmp_path, seconds, said):
    done = inner(tmp_path, "def test_a():\n    pass\n", f"--seconds={seconds}", "-rs")
    assert said in done.stdout and (touched.NO_TIME in done.stdout) == (seconds == "-1"), done.stdout + done.stderr
