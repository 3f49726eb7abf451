"""Processor seconds for grading one submission: this grader, `pytest --nbval-lax`, nbgrader and otter-grader.

    python benchmarks/grading.py NN_topic --students 40 --others 4 --rounds 3
    python benchmarks/grading.py 10_memory_layout --memory --students 1000

All grade the same notebooks, a lesson solved, with the same checks. nbgrader and otter-grader are installed in
environments of their own, beside the course and its stack. What is counted is the processor time of the whole command
and all its descendants, divided by the number of notebooks: every start, import and report is in it. The graders take
turns, and the table has medians, the spread, and ratios within a turn.

This grader is measured three times: on a class that it sees for the first time, whose draws of inputs it first proves
on the lesson's solutions; with those proofs made, as it is for nearly every student of a large class; and with proofs
but no compiled program in its cache, as if no function of any student resembled the solution.

With `--memory` this grader alone grades a class, and the table has the memory of all its processes on the way, each
page that they share counted once.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

ROOT = Path(__file__).parents[1]
PINS = {"nbgrader": "nbgrader==0.9.6", "otter": "otter-grader==7.0.0"}
JUDGE = """\
from jaxcourse.course import Course
from jaxcourse.exercise import judge
from jaxcourse.probe import local_channel


def verdict(name, answer):
    return judge(Course.installed().lesson_of(name).exercises[name], local_channel(answer)).status
"""


def main() -> None:
    """Set everything up, let the graders take turns, print the table."""
    options = _options()
    if options.memory:
        return memory(options.lesson, options.students)
    environments = {name: environment(name, options.environments) for name in PINS}
    with TemporaryDirectory() as scratch:
        graders = _graders(options, environments, Path(scratch))
        turns: dict[str, list[float]] = {name: [] for name in graders}
        for turn in range(options.rounds):
            for name, (grade, size) in graders.items():
                turns[name].append(cpu_seconds(grade) / size)
                print(f"turn {turn + 1}: {name}: {turns[name][-1]:.2f} CPU-s a submission", flush=True)
    _print_table(options, turns)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lesson", nargs="?", default="10_memory_layout")
    parser.add_argument("--students", type=int, default=40, help="notebooks for this grader")
    parser.add_argument(
        "--others", type=int, default=4, help="notebooks for each other grader, which do not get faster"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", action="store_true", help="this grader's memory over a class, and nothing else")
    parser.add_argument("--environments", type=Path, default=ROOT / "_build" / "benchmark", help="where to keep them")
    return parser.parse_args()


def environment(name: str, folder: Path) -> Path:
    """The scripts' folder of an environment with a grader, the course's stack and the course; made if need be."""
    place, python = folder / name, folder / name / "bin" / "python"
    if not (place / ".made").exists():
        print(f"making an environment with {PINS[name]}", flush=True)
        venv.create(place, clear=True, with_pip=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, PINS[name], "-r", ROOT / "requirements.txt"], check=True)
        subprocess.run([*pip, "--no-deps", "--editable", ROOT], check=True)
        (place / ".made").touch()
    return python.parent


def cpu_seconds(grade: Callable[[], None]) -> float:
    """The processor seconds of the processes that a call starts, and of theirs."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    grade()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(command: list[str | Path], folder: Path, **variables: str) -> None:
    """Run a command, with its neighbours on the path; show what it said only if it fails."""
    path = f"{Path(command[0]).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, **variables}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")


# -- the graders ------------------------------------------------------------------------------------------------

Grader = tuple[Callable[[], None], int]


def _graders(options: argparse.Namespace, environments: dict[str, Path], scratch: Path) -> dict[str, Grader]:
    solved = json.loads((ROOT / "solutions" / f"{options.lesson}.ipynb").read_text(encoding="utf-8"))
    few = options.others
    return {
        "nbval": (_nbval(solved, few, scratch / "nbval"), few),
        "nbgrader": (_nbgrader(solved, few, scratch / "nbgrader", environments["nbgrader"]), few),
        "otter": (_otter(solved, few, scratch / "otter", environments["otter"]), few),
        **_ours(solved, options.students, scratch / "ours"),
    }


def _nbval(solved: dict, size: int, folder: Path) -> Callable[[], None]:
    _hand_in(solved, size, folder)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--nbval-lax",
        "--nbval-current-env",
        ".",
    ]
    return lambda: run(command, folder)


def _ours(solved: dict, size: int, folder: Path) -> dict[str, Grader]:
    _hand_in(solved, size, folder / "in")
    cache, out, command = folder / "cache", folder / "out", our_command(folder)

    def first_time() -> None:
        shutil.rmtree(cache, ignore_errors=True)
        again()

    def again() -> None:
        shutil.rmtree(out, ignore_errors=True)
        run(command, folder, XDG_CACHE_HOME=str(cache))

    def without_programs() -> None:
        for path in cache.rglob("*"):
            if path.is_file() and path.suffix not in (".json", ".lock"):
                path.unlink()
        again()

    return {
        "ours, a new class": (first_time, size),
        "ours, functions alike": (again, size),
        "ours, all functions differ": (without_programs, size),
    }


def our_command(folder: Path) -> list[str | Path]:
    """Grade what lies in the folder `in` into the folder `out`."""
    script = "import sys; from jaxcourse.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", script, "--course", ROOT, "grade"]
    return [*command, folder / "in", "--out", folder / "out", "--seed", "1"]


def _hand_in(book: dict, size: int, folder: Path) -> None:
    for number in range(size):
        student = folder / f"s{number:03}"
        student.mkdir(parents=True)
        (student / "lesson.ipynb").write_text(json.dumps(book), encoding="utf-8")


def _judged_there(solved: dict) -> dict:
    """The notebook with checks that ask our engine, in a form that any grader understands."""
    book = json.loads(json.dumps(solved))
    setup = {
        "cell_type": "code",
        "source": JUDGE,
        "metadata": {},
        "outputs": [],
        "execution_count": None,
        "id": "judge",
    }
    book["cells"].insert(0, setup)
    for cell in book["cells"]:
        name = cell["metadata"].get("jaxcourse", {}).get("exercise", "")
        if cell["metadata"].get("jaxcourse", {}).get("role") == "check":
            cell["source"] = f'assert verdict("{name}", {name.replace("-", "_")}) == "passed"'
    return book


def _nbgrader(solved: dict, size: int, folder: Path, scripts: Path) -> Callable[[], None]:
    book = _judged_there(solved)
    for cell in book["cells"]:
        role = cell["metadata"].get("jaxcourse", {})
        if role.get("role") in ("check", "solution"):
            check = role["role"] == "check"
            cell["metadata"]["nbgrader"] = {
                **{"grade": check, "solution": not check, "locked": check, "task": False, "schema_version": 3},
                **({"points": 1} if check else {}),
                "grade_id": f"{role['exercise']}-{role['role']}",
            }
    (folder / "source" / "ps").mkdir(parents=True)
    (folder / "source" / "ps" / "lesson.ipynb").write_text(json.dumps(book), encoding="utf-8")
    (folder / "nbgrader_config.py").write_text(
        "c = get_config()\nc.CourseDirectory.course_id = 'c'\nc.ExecutePreprocessor.timeout = 300\n"
    )
    run([scripts / "nbgrader", "generate_assignment", "ps", "--create"], folder)
    for number in range(size):
        # What it gives to students has its solutions still, because nothing marks them, and the checksums it asks for.
        shutil.copytree(folder / "release" / "ps", folder / "submitted" / f"s{number:03}" / "ps")
    command = [scripts / "nbgrader", "autograde", "ps", "--create", "--force"]
    return lambda: run(command, folder)


OTTER_TEST = """\
OK_FORMAT = True
test = {{"name": "{name}", "points": 1, "suites": [{{"type": "doctest", "cases": [
    {{"code": ">>> verdict('{name}', {variable})\\n'passed'", "hidden": False, "locked": False}}]}}]}}
"""
OTTER_LOOP = """\
import sys
from otter.api import grade_submission
for path in sys.argv[2:]:
    results = grade_submission(path, ag_path=sys.argv[1], quiet=True)
    assert results.total == results.possible > 0, results
"""


def _otter(solved: dict, size: int, folder: Path, scripts: Path) -> Callable[[], None]:
    book = _judged_there(solved)
    names = [c["metadata"]["jaxcourse"]["exercise"] for c in book["cells"] if _is_check(c)]
    book["cells"] = [cell for cell in book["cells"] if not _is_check(cell)]
    (folder / "tests").mkdir(parents=True)
    for name in names:
        variable = name.replace("-", "_")
        (folder / "tests" / f"{variable}.py").write_text(OTTER_TEST.format(name=name, variable=variable))
    run([scripts / "otter", "generate", "-t", "tests", "-o", "autograder.zip", "--no-environment"], folder)
    _hand_in(book, size, folder / "in")
    paths = sorted((folder / "in").glob("*/lesson.ipynb"))
    command = [scripts / "python", "-c", OTTER_LOOP, folder / "autograder.zip", *paths]
    return lambda: run(command, folder)


def _is_check(cell: dict) -> bool:
    return cell["metadata"].get("jaxcourse", {}).get("role") == "check"


# -- memory -----------------------------------------------------------------------------------------------------


def memory(lesson: str, size: int) -> None:
    """Grade a class, and print how much memory all processes had in each tenth of it."""
    solved = json.loads((ROOT / "solutions" / f"{lesson}.ipynb").read_text(encoding="utf-8"))
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _hand_in(solved, size, folder / "in")
        grader = subprocess.Popen(our_command(folder), stdout=subprocess.DEVNULL)
        tenths: dict[int, list[float]] = {}
        while grader.poll() is None:
            done = len(list((folder / "out" / "results").glob("*.json")))
            tenths.setdefault(10 * done // size, []).append(proportional(psutil.Process(grader.pid)) / 2**20)
            time.sleep(1)
    print(f"lesson {lesson}, {size} notebooks, MiB of all processes: median (largest), by how much of it was done")
    for tenth, seen in tenths.items():
        print(f"{10 * tenth:4} % {statistics.median(seen):10.0f} ({max(seen):.0f})")


def proportional(process: psutil.Process) -> int:
    """The bytes of a process and its descendants; of a page that n of them share, each counts an n-th."""
    total = 0
    for one in [process, *process.children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            total += one.memory_full_info().pss
    return total


# -- the table --------------------------------------------------------------------------------------------------


def _print_table(options: argparse.Namespace, turns: dict[str, list[float]]) -> None:
    others = ("nbval", "nbgrader", "otter")
    print(f"\nlesson {options.lesson}, {os.cpu_count()} cores, {options.students} and {options.others} notebooks")
    print(f"{'':28}{'CPU-s each (spread)':>24}" + "".join(f"{'/ ' + name:>12}" for name in others))
    for name, seconds in turns.items():
        spread = f"{statistics.median(seconds):.2f} ({min(seconds):.2f} to {max(seconds):.2f})"
        ratios = [statistics.median(a / b for a, b in zip(seconds, turns[o], strict=True)) for o in others]
        print(f"{name:28}{spread:>24}" + "".join(f"{ratio:12.3f}" for ratio in ratios))


if __name__ == "__main__":
    main()
