"""The `jaxcourse` command."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxcourse.course import Course
    from jaxcourse.course.rules import Contract

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
    parser.add_argument("--course", type=Path, help="the course's folder (default: the one you are in)")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    make = commands.add_parser("notebooks", help="write the notebooks that are generated from notebooks/*.md")
    make.add_argument("--check", action="store_true", help="write nothing: name what is stale and fail")
    make.set_defaults(run=_notebooks)

    prove = commands.add_parser("check", help="prove that lessons and checks hold together")
    prove.add_argument("lessons", nargs="*", metavar="NN_topic", help="only these lessons (default: all)")
    prove.add_argument("--quick", action="store_true", help="do not run whole notebooks")
    prove.add_argument("--inputs", metavar="EXERCISE", help="prove nothing: list what its check asks of an answer")
    prove.add_argument("--mutants", action="store_true", help="prove that small changes of the solutions are refused")
    prove.add_argument(
        "--seeds", type=int, metavar="N", help="judge solutions on N draws of inputs, listed answers on N/6"
    )
    prove.add_argument("--watch", action="store_true", help="write and prove, quickly, each lesson that is saved")
    prove.set_defaults(run=_check)

    _add_launch(commands)
    _add_judge(commands)
    _add_grade(commands)
    _add_autograder(commands)

    new = commands.add_parser("new", help="write the skeleton of an exercise or a lesson").add_subparsers(
        required=True, metavar="WHAT"
    )
    task = new.add_parser("exercise", help="append an exercise to a lesson and to its checks")
    task.add_argument("lesson", metavar="NN_topic")
    task.add_argument("name", help="such as centre-columns; its answer is the variable centre_columns")
    task.add_argument("--prediction", action="store_true", help="it is answered by a value, not by a function")
    task.set_defaults(run=_new_exercise)
    lesson = new.add_parser("lesson", help="write a lesson, its checks and its line in _toc.yml")
    lesson.add_argument("lesson", metavar="NN_topic")
    lesson.add_argument("title")
    lesson.set_defaults(run=_new_lesson)
    return parser


def _add_launch(commands: Any) -> None:
    launch = commands.add_parser("launch", help="run a program in several processes that know of each other")
    launch.add_argument("program", type=Path, metavar="PROGRAM.py")
    launch.add_argument("arguments", nargs="*", help="what the program finds in sys.argv[1:]")
    launch.add_argument("--processes", type=int, default=2, help="how many (default: 2)")
    launch.add_argument("--devices", type=int, default=1, help="of each process (default: 1)")
    launch.add_argument("--seconds", type=float, default=600, help="after these, all are ended (default: 600)")
    launch.set_defaults(run=_launch)


def _launch(options: argparse.Namespace) -> int:
    from jaxcourse import launch

    outcome = launch.together(
        options.program,
        options.processes,
        devices=options.devices,
        seconds=options.seconds,
        arguments=options.arguments,
    )
    return 0 if outcome.ok else 1


def _add_judge(commands: Any) -> None:
    judge = commands.add_parser(
        "judge",
        help="judge other people's answers, and say which are not judged as expected",
        description="Judge files of answers in pieces. Each begins with `# %% exercise-name | right | how` or "
        "`# %% exercise-name | wrong | what a teacher would say`, and is the code of the task's cell.",
    )
    judge.add_argument("files", nargs="+", type=Path, metavar="FILE.py")
    judge.add_argument("--json", action="store_true", help="one JSON text instead of lines")
    judge.add_argument("--seconds", type=float, default=60, help="for one answer (default: 60)")
    judge.set_defaults(run=_judge)


def _judge(options: argparse.Namespace) -> int:
    from jaxcourse.course import Course, answers

    return answers.run(Course(_root(options)), options.files, as_json=options.json, seconds=options.seconds)


def _add_grade(commands: Any) -> None:
    grade = commands.add_parser(
        "grade",
        help="grade a class's notebooks, each apart from everything",
        description="Grade what was handed in, whatever it looks like, and write a report of it. Killed and started "
        "again with the same arguments, it carries on where it left off.",
    )
    grade.add_argument("submissions", type=Path, help="a folder, a zip exported by a learning platform, or a notebook")
    grade.add_argument("--out", type=Path, required=True, help="the folder for results and reports")
    asked = "a lesson that was handed out, perhaps one of several (default: those that most students handed in)"
    grade.add_argument("--lesson", action="append", default=[], metavar="NN_topic", help=asked)
    grade.add_argument("--roster", type=Path, help="a CSV of the class, to match names and to list who is missing")
    grade.add_argument("--canvas", type=Path, metavar="GRADEBOOK.csv", help="fill in the gradebook that Canvas exports")
    grade.add_argument("--moodle", type=Path, metavar="WORKSHEET.csv", help="fill in Moodle's grading worksheet")
    grade.add_argument("--title", default="Grades", help="of the reports")
    grade.add_argument("--seed", type=int, help="of the inputs (default: drawn at random, and kept in the folder)")
    grade.add_argument("--workers", type=int, default=0, help="processes on this machine (default: one for each core)")
    grade.add_argument("--dask", default="", metavar="ADDRESS", help="use the workers of this Dask cluster instead")
    grade.add_argument("--seconds", type=float, default=300, help="for one notebook (default: 300)")
    grade.add_argument("--piece-seconds", type=float, default=30, help="for one statement or check (default: 30)")
    grade.add_argument("--memory", type=int, default=2048, metavar="MiB", help="for one notebook (default: 2048)")
    grade.add_argument("--unprotected", action="store_true", help="grade even where this machine lacks protections")
    grade.add_argument(
        "--strict", action="store_true", help="no points for what rests on an answer's own process alone"
    )
    grade.set_defaults(run=_grade)


def _add_autograder(commands: Any) -> None:
    autograder = commands.add_parser("autograder", help="write what another platform needs to grade with this course")
    platforms = autograder.add_subparsers(required=True, metavar="PLATFORM")
    github = platforms.add_parser("github", help="a workflow of GitHub Actions for a repository per student")
    github.add_argument("--out", type=Path, required=True, metavar="grade.yml", help="for its .github/workflows/")
    github.set_defaults(run=_autograder_github)
    gradescope = platforms.add_parser("gradescope", help="the archive of a programming assignment on Gradescope")
    gradescope.add_argument("lesson", metavar="NN_topic")
    gradescope.add_argument("--out", type=Path, required=True, metavar="autograder.zip")
    gradescope.add_argument("--unprotected", action="store_true", help="grade even where protections are lacking")
    gradescope.set_defaults(run=_autograder_gradescope)


def _grade(options: argparse.Namespace) -> int:
    from jaxcourse.grade import run

    return run(options, _course_to_grade_with(options))


def _course_to_grade_with(options: argparse.Namespace) -> Course:
    """The course that was given, or that the user stands in; else the one that is installed."""
    from jaxcourse.course import Course

    try:
        return Course(_root(options))
    except FileNotFoundError:
        if options.course:
            raise
        return Course.installed()


def _autograder_github(options: argparse.Namespace) -> int:
    from jaxcourse.course import Course
    from jaxcourse.grade.platforms.github import workflow

    course = Course(_root(options))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(workflow(course.repository, course.branch), encoding="utf-8")
    print(f"Put {options.out} into .github/workflows/ of the repository that students start from.")
    return 0


def _autograder_gradescope(options: argparse.Namespace) -> int:
    from jaxcourse.course import Course
    from jaxcourse.grade.platforms.gradescope import archive

    archive(Course(_root(options)), options.lesson, options.out, unprotected=options.unprotected)
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
    from jaxcourse.course import Course, notebooks

    course = Course(_root(options))
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
    from jaxcourse import devices
    from jaxcourse._runtime import compile_quickly, programs_kept

    compile_quickly()
    devices.simulate()  # the set-up of some lessons asks for several, and one of another lesson may come first
    if options.inputs:
        return _inputs(_root(options), options.inputs)
    if options.mutants:
        from jaxcourse.course import mutants
        from jaxcourse.course.rules import Contract

        return mutants.run(Contract(_root(options), tuple(options.lessons)))
    with TemporaryDirectory() as folder, programs_kept(Path(folder)):  # most rules judge what another one has judged
        return _watch(options) if options.watch else _prove(_contract(options), quick=options.quick)


def _contract(options: argparse.Namespace) -> Contract:
    from jaxcourse.course.rules import SEEDS, Contract

    seeds = SEEDS if options.seeds is None else options.seeds
    return Contract(_root(options), tuple(options.lessons), seeds)


def _inputs(root: Path, name: str) -> int:
    from jaxcourse.course import Course
    from jaxcourse.course.listing import listing
    from jaxcourse.course.rules import Contract

    stem = Course(root).lesson_of(name).stem
    (pair,) = Contract(root, (stem,)).pairs
    for line in listing(pair.checks.exercises[name], pair.solutions[name]):
        print(line)
    return 0


def _watch(options: argparse.Namespace) -> int:
    from jaxcourse.course import Course, notebooks
    from jaxcourse.course.rules import Contract
    from jaxcourse.course.watch import changes

    course = Course(_root(options))
    print("Save a lesson or its checks: it is written and proved. Ctrl-C ends it.", flush=True)
    try:
        for stem in changes(course, tuple(options.lessons)):
            began = time.monotonic()
            try:
                notebooks.write(course)
                _prove(Contract(course.root, (stem,)), quick=True)
            except (ValueError, OSError) as error:
                print(f"jaxcourse: {error}")
            print(f"{stem}: {time.monotonic() - began:.1f} s", flush=True)
    except KeyboardInterrupt:
        return 0
    return 0


def _prove(contract: Contract, *, quick: bool) -> int:
    from jaxcourse.course.rules import RULES, summary

    broken = 0
    for rule in RULES:
        if quick and rule.slow:
            continue
        refusals = list(rule.refusals(contract))
        broken += len(refusals)
        print("✗" if refusals else "✓", rule.proves, flush=True)
        for refusal in refusals[:SHOWN]:
            print(f"  {refusal}", flush=True)
        if len(refusals) > SHOWN:
            print(f"  ... and {len(refusals) - SHOWN} more")
    left_out = " Whole notebooks were not run." if quick else ""
    print(f"{'Everything holds' if not broken else f'{broken} refused'}: {summary(contract)}.{left_out}")
    return 1 if broken else 0


def _new_exercise(options: argparse.Namespace) -> int:
    from jaxcourse.course import scaffold

    for path in scaffold.exercise(_root(options), options.lesson, options.name, prediction=options.prediction):
        print(f"edit {path}")
    print("Then: jaxcourse notebooks && jaxcourse check --quick " + options.lesson)
    return 0


def _new_lesson(options: argparse.Namespace) -> int:
    from jaxcourse.course import scaffold

    for path in scaffold.lesson(_root(options), options.lesson, options.title):
        print(f"edit {path}")
    print(f"Add an exercise with: jaxcourse new exercise {options.lesson} NAME")
    return 0


if __name__ == "__main__":
    sys.exit(main())
