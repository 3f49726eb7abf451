"""What instructors run: `jaxcourse grade`, `jaxcourse analyse` and `jaxcourse autograder`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxcourse.cli import root_of

if TYPE_CHECKING:
    from jaxcourse.course import Course


def add_to(commands: Any) -> None:
    """Add these commands to those of `jaxcourse`.

    Args:
        commands: what `argparse.ArgumentParser.add_subparsers` gives.
    """
    _add_grade(commands)
    _add_analyse(commands)
    _add_autograder(commands)


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
    decided = (
        "a teacher's decisions: student, lesson, exercise, points or `excused`, comment (default: marks.csv beside "
    )
    grade.add_argument("--marks", type=Path, metavar="MARKS.csv", help=f"{decided}the submissions, if it is there)")
    some = (
        "which known mistakes get a share of the points: label, share, exercise, comment (default: shares.csv beside "
    )
    grade.add_argument("--shares", type=Path, metavar="SHARES.csv", help=f"{some}the submissions, if it is there)")
    final = "lessons whose marks stay as they are: lesson, comment (default: frozen.csv beside "
    grade.add_argument("--frozen", type=Path, metavar="FROZEN.csv", help=f"{final}the submissions, if it is there)")
    when = "when it was due, with a time zone: 2026-11-20T23:59+01:00, or '2026-11-20 23:59 Europe/Berlin'"
    grade.add_argument("--due", action="append", default=[], metavar="[NN_topic=]TIME", help=when)
    in_time = "of several files, the latest that came in time counts, and a later one only if there is none"
    grade.add_argument("--on-time", action="store_true", help=in_time)
    own = "for --due, files' own times are those of hand-in: where students put them into a folder themselves"
    grade.add_argument("--file-times", action="store_true", help=own)
    together = "what one of a group handed in is the work of all of it, by the roster's column `Group`"
    grade.add_argument("--groups", action="store_true", help=together)
    grade.add_argument("--canvas", type=Path, metavar="GRADEBOOK.csv", help="fill in the gradebook that Canvas exports")
    grade.add_argument("--moodle", type=Path, metavar="WORKSHEET.csv", help="fill in Moodle's grading worksheet")
    grade.add_argument("--export-answers", type=Path, metavar="DIR", help="write every answer as a file of its own")
    grade.add_argument("--title", default="Grades", help="of the reports")
    grade.add_argument("--seed", type=int, help="of the inputs (default: drawn at random, and kept in the folder)")
    grade.add_argument("--workers", type=int, default=0, help="processes on this machine (default: one for each core)")
    grade.add_argument("--dask", default="", metavar="ADDRESS", help="use the workers of this Dask cluster instead")
    grade.add_argument("--seconds", type=float, default=300, help="for one notebook (default: 300)")
    grade.add_argument("--piece-seconds", type=float, default=30, help="for one statement or check (default: 30)")
    grade.add_argument("--memory", type=int, default=2048, metavar="MiB", help="for one notebook (default: 2048)")
    grade.add_argument("--core", action="store_true", help="count the core exercises alone, and not those for practice")
    grade.add_argument("--unprotected", action="store_true", help="grade even where this machine lacks protections")
    grade.set_defaults(run=_grade)


def _add_analyse(commands: Any) -> None:
    analyse = commands.add_parser(
        "analyse",
        help="what a class misunderstood, over lessons and terms",
        description="Count what `jaxcourse grade` found, and write two files. `analysis.html` has the three most "
        "frequent mistakes as slides with a question to put to the room, mistakes by idea, exercises by difficulty and "
        "by how well they tell students apart, how lessons went, and how many are stuck. `analysis.csv` has a row for "
        "each student, exercise and run; the guide for instructors says what its columns hold.",
    )
    given = (
        "a folder that `jaxcourse grade` wrote; of several, the later ones are the later hand-ins. A term is the name "
        "of the folder around it, or is said before it; the last term is today's class, and others are compared with it"
    )
    analyse.add_argument("grades", nargs="+", metavar="[TERM=]GRADES", help=given)
    analyse.add_argument("--out", type=Path, metavar="DIR", help="(default: `analysis` beside the last folder)")
    say_who = "say who the students are: leave it out for what others will see (default: they have other names)"
    analyse.add_argument("--names", action="store_true", help=say_who)
    analyse.add_argument("--title", default="", help="of the page (default: What the class misunderstood)")
    analyse.set_defaults(run=_analyse)


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
    gradescope.add_argument("--core", action="store_true", help="count the core exercises alone")
    gradescope.set_defaults(run=_autograder_gradescope)


def _grade(options: argparse.Namespace) -> int:
    from jaxcourse_grade import run

    return run(options, _course_to_grade_with(options))


def _analyse(options: argparse.Namespace) -> int:
    from jaxcourse_grade._analyse import analyse
    from jaxcourse_grade._terminal import say

    how = {"out": options.out, "names": options.names, "title": options.title}
    try:
        written = analyse(options.grades, _course_to_grade_with(options), say, **how)
    except OSError as error:
        raise ValueError(f"{error.filename}: {error.strerror or error}.") from error
    say(f"Written: {' and '.join(map(str, written))}.")
    return 0


def _course_to_grade_with(options: argparse.Namespace) -> Course:
    """The course that was given, or that the user stands in; else the one that is installed."""
    from jaxcourse.course import Course

    try:
        return Course(root_of(options))
    except FileNotFoundError:
        if options.course:
            raise
        return Course.installed()


def _autograder_github(options: argparse.Namespace) -> int:
    from jaxcourse.course import Course
    from jaxcourse_grade.platforms.github import workflow

    course = Course(root_of(options))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(workflow(course.repository, course.branch), encoding="utf-8")
    print(f"Put {options.out} into .github/workflows/ of the repository that students start from.")
    return 0


def _autograder_gradescope(options: argparse.Namespace) -> int:
    from jaxcourse.course import Course
    from jaxcourse_grade.platforms.gradescope import archive

    how = {"unprotected": options.unprotected, "core": options.core}
    archive(Course(root_of(options)), options.lesson, options.out, **how)
    print(f"Upload {options.out} where Gradescope says `Configure Autograder`.")
    return 0
