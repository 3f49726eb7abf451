"""The command: what a reader's part of the course can do, and what it says of the rest."""

import os
import shutil
import subprocess
import sys

import pytest

from jaxcourse import cli
from jaxcourse.paths import PACKAGE


@pytest.fixture(scope="module")
def installed_alone(tmp_path_factory):
    """Variables under which `jaxcourse` is there as a reader installs it, without the other packages."""
    folder = tmp_path_factory.mktemp("readers")
    shutil.copytree(PACKAGE, folder / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "sitecustomize.py").write_text(
        f"import sys\nsys.path[:] = [one for one in sys.path if one != {str(PACKAGE.parent)!r}]\n", encoding="utf-8"
    )
    return os.environ | {"PYTHONPATH": str(folder)}


def run(environment, *arguments):
    command = [sys.executable, "-m", "jaxcourse", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", [name for names in cli.OTHERS.values() for name in names])
def test_what_is_not_installed_says_where_it_is(installed_alone, name):
    done = run(installed_alone, name, "submissions", "--out", "x")
    assert done.returncode == 2
    assert done.stderr.startswith(f"jaxcourse: `{name}` is not in what readers install.")
    assert "pip install -e" in done.stderr
    assert done.stdout == ""


def test_what_readers_have_runs_alone(installed_alone, tmp_path):
    (tmp_path / "program.py").write_text("print('up')\n", encoding="utf-8")
    done = run(installed_alone, "launch", "--processes", "1", str(tmp_path / "program.py"))
    assert done.returncode == 0, done.stderr
    assert "up" in done.stdout


def test_in_a_checkout_every_command_is_there():
    (commands,) = (action for action in cli._parser()._subparsers._group_actions)
    assert set(commands.choices) == {"before", "launch", *(name for names in cli.OTHERS.values() for name in names)}
    assert not any(choice.get_default("name") for choice in commands.choices.values())
