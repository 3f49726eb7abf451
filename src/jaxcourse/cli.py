"""The `jaxcourse` command."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SHOWN = 10
"""How many refusals of one rule are printed."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Args:
        arguments: instead of the process's own.

    Example:
        >>> main(["notebooks", "--help"])
        Traceback (most recent call last):
        ...
        SystemExit: 0
    """
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except (FileNotFoundError, ValueError) as error:
        print(f"jaxcourse: {error}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        print(f'jaxcourse: {error.name} is missing: pip install "jaxcourse[author,grade,lessons]"', file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="jaxcourse", description="Generate, prove, extend and grade the course.")
    parser.add_argument("--course", type=Path, help="the course's folder (default: the one that you stand in)")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    make = commands.add_parser("notebooks", help="write the notebooks that are generated from notebooks/*.md")
    make.add_argument("--check", action="store_true", help="write nothing: name what is stale and fail")
    make.set_defaults(run=_notebooks)

    prove = commands.add_parser("check", help="prove that lessons and checks hold together")
    prove.add_argument("lessons", nargs="*", metavar="NN_topic", help="only these lessons (default: all)")
    prove.add_argument("--quick", action="store_true", help="do not run whole notebooks")
    prove.set_defaults(run=_check)

    _add_grade(commands)
    _add_door(commands)

    new = commands.add_parser("new", help="write the skeleton of an exercise or a lesson").add_subparsers(
        required=True, metavar="WHAT"
    )
    task = new.add_parser("exercise", help="append an exercise to a lesson and to its checks")
    task.add_argument("lesson", metavar="NN_topic")
    task.add_argument("name", help="such as centre-columns; its answer is the variable centre_columns")
    task.set_defaults(run=_new_exercise)
    lesson = new.add_parser("lesson", help="write a lesson, its checks and its line in _toc.yml")
    lesson.add_argument("lesson", metavar="NN_topic")
    lesson.add_argument("title")
    lesson.set_defaults(run=_new_lesson)
    return parser


def _add_grade(commands: Any) -> None:
    grade = commands.add_parser(
        "grade",
        help="grade a class's notebooks, each apart from everything",
        description="Grade what was handed in, whatever it looks like, and write a report of it. Killed and started "
        "again with the same arguments, it goes on where it was.",
    )
    grade.add_argument("submissions", type=Path, help="a folder, a zip exported by a learning platform, or a notebook")
    grade.add_argument("--out", type=Path, required=True, help="the folder for results and reports")
    grade.add_argument("--lesson", default="", metavar="NN_topic", help="take every notebook for this lesson")
    grade.add_argument("--roster", type=Path, help="a CSV of the class, to match names and to list who is missing")
    grade.add_argument("--canvas", type=Path, metavar="GRADEBOOK.csv", help="fill in the gradebook that Canvas exports")
    grade.add_argument("--moodle", type=Path, metavar="WORKSHEET.csv", help="fill in Moodle's grading worksheet")
    grade.add_argument("--title", default="Grades", help="of the reports")
    grade.add_argument("--seed", type=int, help="of the inputs (default: drawn by lot, and kept in the folder)")
    grade.add_argument("--workers", type=int, default=0, help="processes on this machine (default: one for each core)")
    grade.add_argument("--dask", default="", metavar="ADDRESS", help="use the workers of this Dask cluster instead")
    grade.add_argument("--seconds", type=float, default=300, help="for one notebook (default: 300)")
    grade.add_argument("--piece-seconds", type=float, default=30, help="for one statement or check (default: 30)")
    grade.add_argument("--memory", type=int, default=2048, metavar="MiB", help="for one notebook (default: 2048)")
    grade.add_argument("--unprotected", action="store_true", help="grade even where this machine lacks protections")
    grade.set_defaults(run=_grade)


def _add_door(commands: Any) -> None:
    door = commands.add_parser("door", help="write what another platform needs to grade with this course")
    platforms = door.add_subparsers(required=True, metavar="PLATFORM")
    github = platforms.add_parser("github", help="a workflow of GitHub Actions for a repository per student")
    github.add_argument("--out", type=Path, required=True, metavar="grade.yml", help="for its .github/workflows/")
    github.set_defaults(run=_door_github)
    gradescope = platforms.add_parser("gradescope", help="the archive of a programming assignment on Gradescope")
    gradescope.add_argument("lesson", metavar="NN_topic")
    gradescope.add_argument("--out", type=Path, required=True, metavar="autograder.zip")
    gradescope.add_argument("--unprotected", action="store_true", help="grade even where protections are lacking")
    gradescope.set_defaults(run=_door_gradescope)


def _grade(options: argparse.Namespace) -> int:
    from jaxcourse.grade import run

    return run(options)


def _door_github(options: argparse.Namespace) -> int:
    from jaxcourse.grade.github import workflow
    from jaxcourse.notebooks import Course

    course = Course(_root(options))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(workflow(course.repository, course.branch), encoding="utf-8")
    print(f"Put {options.out} into .github/workflows/ of the repository that students start from.")
    return 0


def _door_gradescope(options: argparse.Namespace) -> int:
    from jaxcourse.grade.gradescope import archive

    archive(_root(options), options.lesson, options.out, unprotected=options.unprotected)
    print(f"Upload {options.out} where Gradescope says `Configure Autograder`.")
    return 0


def _root(options: argparse.Namespace) -> Path:
    """The course's folder: the one given, or the nearest above the one that the user stands in."""
    start: Path = (options.course or Path.cwd()).resolve()
    for folder in [start] if options.course else [start, *start.parents]:
        if (folder / "_toc.yml").exists() and (folder / "notebooks").is_dir():
            return folder
    raise FileNotFoundError(f"no course in {start}: there is no `_toc.yml` beside a folder `notebooks`.")


def _notebooks(options: argparse.Namespace) -> int:
    from jaxcourse import notebooks

    course = notebooks.Course(_root(options))
    if options.check:
        return _name_stale(course.root, list(notebooks.stale(course)))
    changed = notebooks.write(course)
    for path in changed:
        print(f"wrote {path.relative_to(course.root)}")
    print(f"{len(changed)} written, {2 * len(course.lesson_paths) - len(changed)} were as they should be.")
    return 0


def _name_stale(root: Path, paths: list[Path]) -> int:
    for path in paths:
        place = path.relative_to(root)
        print(f"{place} is not what notebooks/{path.stem}.md gives. Mend it with: jaxcourse notebooks")
    if not paths:
        print("Every generated notebook is what its source gives.")
    return 1 if paths else 0


def _check(options: argparse.Namespace) -> int:
    from jaxcourse._compilations import programs_kept

    with TemporaryDirectory() as folder, programs_kept(Path(folder)):  # most rules judge what another one has judged
        return _prove(options)


def _prove(options: argparse.Namespace) -> int:
    from jaxcourse.contract import NOTEBOOK_RULES, RULES, Contract, summary

    contract = Contract(_root(options), tuple(options.lessons))
    broken = 0
    for rule in RULES:
        if options.quick and rule in NOTEBOOK_RULES:
            continue
        refusals = list(rule(contract))
        broken += len(refusals)
        print("✗" if refusals else "✓", rule.__doc__, flush=True)
        for refusal in refusals[:SHOWN]:
            print(f"  {refusal}", flush=True)
        if len(refusals) > SHOWN:
            print(f"  ... and {len(refusals) - SHOWN} more")
    left_out = " Whole notebooks were not run." if options.quick else ""
    print(f"{'Everything holds' if not broken else f'{broken} refused'}: {summary(contract)}.{left_out}")
    return 1 if broken else 0


def _new_exercise(options: argparse.Namespace) -> int:
    from jaxcourse import scaffold

    for path in scaffold.exercise(_root(options), options.lesson, options.name):
        print(f"edit {path}")
    print("Then: jaxcourse notebooks && jaxcourse check --quick " + options.lesson)
    return 0


def _new_lesson(options: argparse.Namespace) -> int:
    from jaxcourse import scaffold

    for path in scaffold.lesson(_root(options), options.lesson, options.title):
        print(f"edit {path}")
    print(f"Add an exercise with: jaxcourse new exercise {options.lesson} NAME")
    return 0
