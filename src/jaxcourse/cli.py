"""The `jaxcourse` command: what a reader runs, and, in a checkout, what the packages of authors and graders add."""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import importlib.util
import platform
import re
import sys
from pathlib import Path
from typing import Any

OTHERS = {
    "jaxcourse_author": (
        *("notebooks", "check", "concepts", "preset", "judge"),
        *("new", "move", "rename", "address", "bench", "record", "release"),
    ),
    "jaxcourse_grade": ("grade", "analyse", "autograder"),
}
"""The commands of authors and of instructors, whose packages are in a checkout of the course only."""
_COMPLETE = "In the folder of the course's repository, run: pip install -e '.[author,grade,lessons]'"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Args:
        arguments: instead of the process's own.

    Example:
        >>> main(["launch", "--help"])
        Traceback (most recent call last):
        ...
        SystemExit: 0
    """
    if lacking := too_old(platform.python_version(), importlib.metadata.metadata("jaxcourse")["Requires-Python"]):
        print(f"jaxcourse: {lacking}", file=sys.stderr)
        return 2
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except (FileNotFoundError, ValueError) as error:
        print(f"jaxcourse: {error}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        print(f"jaxcourse: {error.name} is missing. {_COMPLETE}", file=sys.stderr)
        return 2


def too_old(here: str, admitted: str) -> str:
    """What to say of a Python that is older than any that the course is tested with; else nothing.

    Args:
        here: its version.
        admitted: what `requires-python` says.

    Example:
        >>> too_old("3.11.1", ">=3.11.2"), too_old("3.14.0rc1", ">=3.11.2")
        ('this is Python 3.11.1, with which the course was never tested: take Python 3.11.2 or newer.', '')
    """
    oldest, mine = (tuple(map(int, re.findall(r"\d+", version)[:3])) for version in (admitted, here))
    if mine >= oldest:
        return ""
    needed = ".".join(map(str, oldest))
    return f"this is Python {here}, with which the course was never tested: take Python {needed} or newer."


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="jaxcourse", description="Run, generate, prove, extend and grade the course.")
    parser.add_argument("--course", type=Path, help="the course's folder (default: the one you are in)")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_launch(commands)
    _add_before(commands)
    for package, names in OTHERS.items():
        if importlib.util.find_spec(package):
            importlib.import_module(f"{package}.commands").add_to(commands)
        else:
            _add_absent(commands, names)
    return parser


def _add_absent(commands: Any, names: tuple[str, ...]) -> None:
    """Commands that answer with where they are to be had."""
    for name in names:
        absent = commands.add_parser(name, add_help=False)
        absent.add_argument("rest", nargs=argparse.REMAINDER)
        absent.set_defaults(run=_say_where, name=name)


def _say_where(options: argparse.Namespace) -> int:
    raise ValueError(f"`{options.name}` is not in what readers install. {_COMPLETE}")


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


def _add_before(commands: Any) -> None:
    """What needs JAX is imported when the command runs."""
    before = commands.add_parser("before", help="say what JAX will do with a function of yours, before it runs")
    before.add_argument("function", metavar="FILE.py:FUNCTION", help="the file is run, the function is not")
    before.add_argument(
        "--like",
        action="append",
        default=[],
        metavar="TYPE",
        help='an argument by its type: "f32[1000,3]", "i32", "bool[8]" or "key"; once for each, in their order',
    )
    before.add_argument(
        "--on",
        action="append",
        default=[],
        metavar="DEVICE",
        help="the least time on it, by its data sheet: H200, A100, T4 or v5e; once for each",
    )
    before.set_defaults(run=_before)


def _before(options: argparse.Namespace) -> int:
    from jaxcourse.before import answered

    said, known = answered(options.function, options.like, options.on)
    print(said)
    return 0 if known else 1


def root_of(options: argparse.Namespace) -> Path:
    """The course's folder: the one given as `--course`, or the nearest above the one that the user stands in.

    Raises:
        FileNotFoundError: there is none.
    """
    start: Path = (options.course or Path.cwd()).resolve()
    for folder in [start] if options.course else [start, *start.parents]:
        if (folder / "_toc.yml").exists() and (folder / "notebooks").is_dir():
            return folder
    raise FileNotFoundError(f"no course in {start}: there is no `_toc.yml` beside a folder `notebooks`.")


if __name__ == "__main__":
    sys.exit(main())
