"""Seconds for building the site: cold with one lesson at a time and with several, unchanged, and after two edits.

    python benchmarks/building.py
    python benchmarks/building.py 00_start_here 11_broadcasting 70_debugging_lab --rounds 2

Each round builds the site five times in a copy of the course: cold with one lesson at a time, cold with as many as
there are cores, with nothing changed, after an edit of the first lesson's prose, and after an edit of a module of the
package that as few of these lessons as possible can reach, at least one. The two cold builds take turns to be first.
What is counted is wall time and the processor time of all processes; the table has medians, the spread, how many
lessons were executed, and the ratio to the cold build with one at a time within a round.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import jupytext
import yaml

from jaxcourse import reach
from jaxcourse.course import Course
from jaxcourse.runtime import cores

ROOT = Path(__file__).parents[1]
COLD = "cold, one lesson at a time"


@dataclass(frozen=True)
class Build:
    """What one build cost.

    Args:
        wall: Seconds.
        cpu: Seconds of all processes.
        executed: How many lessons were executed.
    """

    wall: float
    cpu: float
    executed: int


def main() -> None:
    """Copy the course, build it, print the table."""
    options = _options()
    with TemporaryDirectory() as scratch:
        course = copied(Path(scratch) / "course", options.lessons)
        lessons = [path for path in Course(course).lesson_paths if _is_wanted(path, options.lessons)]
        module = little_used(lessons)
        print(f"{len(lessons)} lessons; the module to be edited is {module}", flush=True)
        steps = _steps(course, lessons[0], course / "src" / module)
        rounds: list[dict[str, Build]] = []
        for number in range(options.rounds):
            names = list(steps)
            if number % 2:
                names[:2] = reversed(names[:2])
            rounds.append({name: _shown(name, steps[name]()) for name in names})
    _print_table(rounds, list(steps))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lessons", nargs="*", help="their stems; all, if there is none")
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def copied(folder: Path, lessons: list[str]) -> Path:
    """A copy of the course without what is made, in which some lessons are pages; links to the others are broken."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    toc = yaml.safe_load((folder / "_toc.yml").read_text(encoding="utf-8"))
    for part in toc["parts"]:
        part["chapters"] = [one for one in part["chapters"] if _is_wanted(Path(one["file"]), lessons)]
    toc["parts"] = [part for part in toc["parts"] if part["chapters"]]
    (folder / "_toc.yml").write_text(yaml.safe_dump(toc, sort_keys=False), encoding="utf-8")
    return folder


def _is_wanted(page: Path, lessons: list[str]) -> bool:
    return not lessons or page.parent.name != "notebooks" or page.stem in lessons


def little_used(lessons: list[Path]) -> str:
    """The module of the package that the fewest lessons reach, by its path in the package's folder."""
    count: dict[str, int] = {}
    for path in lessons:
        cells = [cell for cell in jupytext.read(path, fmt="md:myst").cells if cell.cell_type == "code"]
        code = [cell.source for cell in cells if "skip-execution" not in cell.metadata.get("tags", [])]
        for file in reach.files_reached("\n".join(code)):
            if file.suffix == ".py":
                name = str(file.relative_to(reach.PACKAGE.parent))
                count[name] = count.get(name, 0) + 1
    return min(count, key=lambda name: (count[name], name))


def _steps(course: Path, lesson: Path, module: Path) -> dict[str, Callable[[], Build]]:
    def cold(places: str) -> Build:
        shutil.rmtree(course / "_build", ignore_errors=True)
        return build(course, places)

    def after_adding(path: Path, text: str) -> Build:
        path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")
        return build(course)

    return {
        COLD: lambda: cold("1"),
        f"cold, {cores()} at once": lambda: cold(""),
        "nothing changed": lambda: build(course),
        "prose changed": lambda: after_adding(lesson, "\nOne more sentence.\n"),
        "a module changed": lambda: after_adding(module, "\n# One more comment.\n"),
    }


def build(course: Path, places: str = "") -> Build:
    """Build a course as `make html` does, and say what it cost."""
    variables = {"AT_ONCE": places, "JUPYTER_PLATFORM_DIRS": "1", "PYTHONPATH": str(course / "src")}
    command = [Path(sys.executable).with_name("jupyter-book"), "build", course, "--all"]
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    executed = re.search(r"executed (\d+) of the lessons", done.stdout)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Build(wall, cpu, int(executed[1]) if executed else 0)


def _shown(name: str, done: Build) -> Build:
    print(f"{name}: {done.wall:.1f} s, {done.cpu:.1f} CPU-s, {done.executed} executed", flush=True)
    return done


def _print_table(rounds: list[dict[str, Build]], names: list[str]) -> None:
    print(f"\n{cores()} cores, {len(rounds)} rounds")
    print(f"{'':28}{'wall s (spread)':>26}{'CPU s (spread)':>26}{'executed':>10}{'/ cold, one':>13}")
    for name in names:
        builds = [one[name] for one in rounds]
        ratio = statistics.median(one[name].wall / one[COLD].wall for one in rounds)
        wall, cpu = _spread([one.wall for one in builds]), _spread([one.cpu for one in builds])
        print(f"{name:28}{wall:>26}{cpu:>26}{builds[-1].executed:>10}{ratio:>13.2f}")


def _spread(values: list[float]) -> str:
    return f"{statistics.median(values):.1f} ({min(values):.1f} to {max(values):.1f})"


if __name__ == "__main__":
    main()
