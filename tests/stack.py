"""Run the course on another stack: `python tests/stack.py --python 3.13 --pins requirements-colab.txt`.

Creates a fresh environment with exactly the pinned packages, installs the course into it as a student's `pip` would,
and proves that this changed none of the pins. Then it asks first what the course believes of JAX (the canaries), and
runs every solved notebook, the listed answers and the package's tests. Without pins it takes the newest of everything,
and also asks the contract and grades a small class. What `--leave-out` does not ask is listed in tests/left_out.py.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from jaxcourse.course import ANSWERS, Course

ROOT = Path(__file__).parents[1]
NEWEST = ["flax", "ipykernel", "jax", "matplotlib", "numba", "numpy", "optax", "pandas", "polars", "xarray"]
JUDGES = ["hypothesis", "jinja2", "mdit-py-plugins", "nbval", "playwright", "pytest", "pytest-xdist"]
"""What runs notebooks and pages, and shows verdicts. Colab has no nbval: these come last, under the same pins."""
AUTHORS = ["distributed", "flatbuffers", "ipython", "jinja2", "jupytext", "nbformat", "pyyaml", "rich"]
"""What the contract and the grader need besides; no student has it."""
AUTHORS_ONLY = (
    *("author", "course", "grade", "predict", "recorded", "site"),
    *("test_boundaries.py", "test_cli.py", "test_guides.py", "test_left_out.py", "test_proven.py", "test_touched.py"),
)
"""Tests of what no student has: what makes the course, tries old releases or grades a class, and the built site."""
LEFT_OUT = ("barometers", "headlines", "play")
"""Tests that `--leave-out` does not ask here: what the stack changes of these, the notebooks show."""


def main() -> int:
    """Create the environment, install, compare, run everything; the exit status is 0 if nothing was red."""
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
        run([*pip, "install", "--quiet", *JUDGES, *(["-c", options.pins] if options.pins else AUTHORS)])
        jax = installed(pip)["jax"]
        return report(
            jax, asked(venv / "bin", Path(scratch), jax, newest=not options.pins, every=not options.leave_out)
        )


def asked(binaries: Path, scratch: Path, jax: str, *, newest: bool, every: bool) -> dict[str, bool]:
    """Ask everything, the canaries first; what was asked, and whether it was green."""
    python, environment = binaries / "python", copied(binaries / "python", scratch)

    def green(*command: str | Path) -> bool:
        return subprocess.run(command, cwd=scratch, env=environment, check=False).returncode == 0

    tests = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    two_files, two_tests = ([*tests, "-n", "2", f"--dist={each}"] for each in ("loadfile", "load"))
    diagnoses = ["-o", "python_files=stack_*.py", *["--every-answer"] * every, scratch / "tests" / "stack_diagnoses.py"]
    found = {}
    say(f"what the course believes of jax {jax}")
    canaries = scratch / "tests" / "insides" / "test_canaries.py"
    found["beliefs"] = green("env", f"PYTHONPATH={with_others(scratch)['PYTHONPATH']}", *tests, canaries)
    say("running notebooks, with what a student has installed")
    found["notebooks"] = green(*two_files, *NBVAL, *sorted(scratch.glob("*.ipynb")))
    environment |= with_others(scratch)
    say("judging the listed answers")
    found["listed answers"] = green(*two_tests, *diagnoses)
    say("running the package's tests")
    left = () if every else [f"--ignore={scratch / 'tests' / name}" for name in LEFT_OUT]
    found["tests"] = green(*two_files, *left, scratch / "tests", scratch / "book")
    if newest:
        say("asking the contract")
        found["contract"] = green(binaries / "jaxcourse", "--course", ROOT, "check", "--quick")
        say("grading a small class")
        found["a small class"] = graded(binaries / "jaxcourse", scratch / "class", green)
    return found


def report(jax: str, found: dict[str, bool]) -> int:
    """Say what was green and what was not, and what follows; the exit status."""
    for what, green in found.items():
        say(f"{what}: {'green' if green else 'RED'}")
    if not all(found.values()):
        say('what to do, in which order: book/contributing/jax.md, "When a new JAX comes"')
        return 1
    say(f"every lesson runs with jax {jax}: if `SEEN` in src/jaxcourse/insides/_versions.py lacks it, add it")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default="3.13", help="the version to take, if it is there")
    parser.add_argument("--pins", type=Path, help="a file of pinned packages (default: the newest of each)")
    parser.add_argument("--leave-out", action="store_true", help="do not ask what tests/left_out.py lists: `.ci/run`")
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


NBVAL = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout=120"]


def copied(python: Path, scratch: Path) -> dict[str, str]:
    """Copy notebooks and tests away from the checkout, so that only what was installed is used; the environment."""
    shutil.copytree(ROOT / "tests", scratch / "tests", ignore=for_authors)
    shutil.copytree(ROOT / "book", scratch / "book", ignore=shutil.ignore_patterns("_ext"))  # some pages have cells
    for stem in Course(ROOT).exercises():
        shutil.copy(ROOT / "solutions" / f"{stem}.ipynb", scratch)
    return _beside(python, scratch)


def with_others(scratch: Path) -> dict[str, str]:
    """What is set where the packages of authors and graders, which no wheel holds, are beside the installed one."""
    for package in ("jaxcourse_author", "jaxcourse_grade"):
        shutil.copytree(ROOT / "src" / package, scratch / "packages" / package, dirs_exist_ok=True)
    return {"PYTHONPATH": str(scratch / "packages")}


SMALL_CLASS = [stem for stem in ("00_start_here", "20_jit_stages") if stem in Course(ROOT).exercises()]
"""Lessons that a small class hands in: one about values, and one that rests on most of what is believed of JAX."""


def graded(grade: Path, folder: Path, green: Callable[..., bool]) -> bool:
    """Grade a student who has solved everything and one who has solved nothing; whether each gets the points due."""
    for student, kind in (("ada", "solutions"), ("bob", "notebooks")):
        (folder / "in" / student).mkdir(parents=True)
        for lesson in SMALL_CLASS:
            shutil.copy(ROOT / kind / f"{lesson}.ipynb", folder / "in" / student)
    if not green(grade, "--course", ROOT, "grade", folder / "in", "--out", folder / "out", "--unprotected"):
        return False
    with (folder / "out" / "grades.csv").open(encoding="utf-8-sig") as table:
        rows = list(csv.DictReader(table))
    due = {"ada": 100.0, "bob": 0.0}
    wrong = [row for row in rows if float(row["percent"]) != due[row["student"]] or row["out_of"] == "0"]
    for row in wrong:
        say(f"{row['student']} gets {row['points']} of {row['out_of']} points in {row['lesson']}")
    return len(rows) == len(due) * len(SMALL_CLASS) and not wrong


def _beside(python: Path, scratch: Path) -> dict[str, str]:
    """The environment in which the installed course is read from a copy: what lies among libraries is no student's."""
    course = run([python, "-c", "from jaxcourse.paths import installed_course; print(installed_course())"]).strip()
    shutil.copytree(course, scratch / ".course")
    shutil.copytree(ROOT / ANSWERS, scratch / ".course" / ANSWERS, ignore=shutil.ignore_patterns("__pycache__"))
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
