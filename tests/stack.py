"""Run the course on another stack: `python tests/stack.py --python 3.13 --pins requirements-colab.txt`.

Creates a fresh environment with exactly the pinned packages, installs the course into it as a student's `pip` would,
proves that this changed none of the pins, and runs every solved notebook, every listed wrong answer and the package's
tests there. Without pins it takes the newest of everything.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
NEWEST = ["flax", "ipykernel", "jax", "matplotlib", "numba", "numpy", "optax", "pandas", "polars", "xarray"]
JUDGES = ["hypothesis", "nbval", "pytest", "pytest-xdist"]
"""What runs the notebooks. Colab has no nbval: these come last, under the same pins."""
AUTHORS_ONLY = ("course", "grade", "predict", "site")
"""Folders with tests of what students do not have: what makes the course, what grades a class, and the built site."""


def main() -> int:
    """Create the environment, install, compare, run; the exit status is pytest's."""
    options = _options()
    python = find_python(options.python)
    name = options.pins.stem.removeprefix("requirements-") if options.pins else "newest"
    venv = ROOT / f".venv-{name}"
    say(f"a fresh {venv.name} on {run([python, '--version']).strip()}")
    run([python, "-m", "venv", "--clear", venv])
    pip = [venv / "bin" / "python", "-m", "pip", "--disable-pip-version-check"]
    pins = ["-r", options.pins] if options.pins else NEWEST
    run([*pip, "install", "--quiet", *pins])
    before = installed(pip)
    with TemporaryDirectory() as scratch:
        say("installing the course as a wheel")
        run([*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", scratch, ROOT])
        run([*pip, "install", "--quiet", *Path(scratch).glob("*.whl")])
        after = installed(pip)
        changed = {name: f"{old} became {after.get(name)}" for name, old in before.items() if after.get(name) != old}
        if changed:
            sys.exit(f"Installing the course changed what was there: {changed}. Lower the floors in pyproject.toml.")
        say(f"it changed none of {len(before)} packages")
        run([*pip, "install", "--quiet", *JUDGES, *(["-c", options.pins] if options.pins else [])])
        say(f"running notebooks, wrong answers and the package's tests with jax {installed(pip)['jax']}")
        return run_tests(venv / "bin" / "python", Path(scratch))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default="3.13", help="the version to take, if it is there")
    parser.add_argument("--pins", type=Path, help="a file of pinned packages (default: the newest of each)")
    return parser.parse_args()


def find_python(version: str) -> str:
    """An interpreter of a version, from the path or from pyenv; else the one that runs this."""
    candidates = [f"python{version}"]
    if pyenv := shutil.which("pyenv"):
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=True).stdout.strip()
        candidates += map(str, sorted(Path(root, "versions").glob(f"{version}*/bin/python{version}")))
    for candidate in candidates:
        if shutil.which(candidate) and subprocess.run([candidate, "--version"], capture_output=True).returncode == 0:
            return candidate
    say(f"no Python {version} here: taking {sys.version.split()[0]}")
    return sys.executable


def installed(pip: list[str | Path]) -> dict[str, str]:
    """The version of every installed package."""
    return {package["name"]: package["version"] for package in json.loads(run([*pip, "list", "--format=json"]))}


def run_tests(python: Path, scratch: Path) -> int:
    """Copy notebooks and tests away from the checkout and run them, so that only what was installed is used."""
    shutil.copytree(ROOT / "tests", scratch / "tests", ignore=for_authors)
    shutil.copytree(ROOT / "book", scratch / "book", ignore=shutil.ignore_patterns("_*"))  # some pages have cells
    for path in (ROOT / "solutions").glob("*.ipynb"):
        shutil.copy(path, scratch)
    nbval = [
        "-o",
        "python_files=test_*.py stack_diagnoses.py",
        "--nbval",
        "--nbval-current-env",
        "--nbval-cell-timeout=120",
        "-p",
        "no:cacheprovider",
    ]
    command = [python, "-m", "pytest", "-q", *nbval, scratch]
    return subprocess.run(command, cwd=scratch, env=_beside(python, scratch), check=False).returncode


def _beside(python: Path, scratch: Path) -> dict[str, str]:
    """The environment in which the installed course is read from a copy: what lies among libraries is no student's."""
    course = run([python, "-c", "from jaxcourse._paths import installed_course; print(installed_course())"]).strip()
    shutil.copytree(course, scratch / ".course")
    return os.environ | {"JAXCOURSE_COURSE": str(scratch / ".course")}


def for_authors(folder: str, names: list[str]) -> set[str]:
    """What is left behind when the tests are copied."""
    return {name for name in names if name in AUTHORS_ONLY or name == "__pycache__" or name == "test_architecture.py"}


def run(command: list[str | Path]) -> str:
    """Run a command and return what it printed; say what it said and stop if it failed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def say(words: str) -> None:
    """Say what is being done."""
    print(f"== stack: {words}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
