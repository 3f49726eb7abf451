"""GitHub Actions as an autograder: a workflow for a repository per student, and what it runs.

In the workflow: `python -m jaxcourse_grade.platforms.github FOLDER --course FOLDER --student NAME --out FOLDER`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from jaxcourse.course import UNSET, Course
from jaxcourse_grade._records import Mark, Result
from jaxcourse_grade.platforms._alone import TEMPLATES, grade_folder
from jaxcourse_grade.reports import WORDS, entry, held_back, lesson_name, number, rich, whole


def workflow(address: str, branch: str) -> str:
    """The workflow's file, for `.github/workflows/` of a student's repository.

    Args:
        address: of the course to grade with, whose code the workflow runs.
        branch: of that repository.

    Raises:
        ValueError: the course does not say where it lives, or is not on GitHub.
    """
    if not address:
        raise ValueError(UNSET)
    _, _, repository = address.partition("github.com/")
    if not repository:
        raise ValueError(f"{address} is not on GitHub: let a step of your own fetch the course.")
    text = (TEMPLATES / "grade.yml").read_text(encoding="utf-8")
    return text.replace("<REPOSITORY>", repository.removesuffix(".git")).replace("<BRANCH>", branch)


def summary(results: Sequence[Result], practice: Collection[str] = ()) -> str:
    """What the page of a workflow's run shows: a table for each lesson, in which no text of a student is markup.

    Args:
        results: of one student.
        practice: the names of the exercises that the run does not wait for.

    Example:
        >>> mark = Mark("double-it", "Double it", "wrong", "off-by-one", "Use `2 * x`, not <b>.")
        >>> print(summary([Result("ada", "Ada", "01_toy", "ada.ipynb", "graded", marks=(mark,))]))
        <h3>01 toy: 0 of 1 points</h3>
        <table>
        <tr><td>✗</td><td>Double it</td><td>not yet</td><td><p>Use <code>2 * x</code>, not &lt;b&gt;.</p></td></tr>
        </table>
        <BLANKLINE>
    """
    return "".join(_table(result, practice) for result in results)


def _table(result: Result, practice: Collection[str]) -> str:
    plain = entry(result).result
    core = plain.without(practice)
    head = f"{lesson_name(plain.lesson)}: {number(plain.points)} of {number(plain.out_of)} points"
    if core.marks and len(core.marks) < len(plain.marks):
        head += f", {number(core.points)} of {number(core.out_of)} on the core path"
    if plain.reason:
        return f"<h3>{_marked_up(head)}</h3>\n<p>{_marked_up(f'{plain.source}: {plain.reason}')}</p>\n"
    return "\n".join(
        [
            f"<h3>{_marked_up(head)}</h3>",
            "<table>",
            *(_row(mark, mark.exercise in practice) for mark in plain.marks),
            "</table>",
            "",
        ]
    )


def _row(mark: Mark, is_practice: bool) -> str:
    words = WORDS[mark.status]
    title = (mark.title or mark.exercise) + " (practice)" * is_practice
    cells = [_marked_up(cell) for cell in (words.symbol, title, words.student)]
    said = "<br>".join(filter(str.strip, str(whole(mark.message)).splitlines()))
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in [*cells, said]) + "</tr>"


def _marked_up(text: str) -> str:
    """A text as HTML. In one line, because after an empty one GitHub would read Markdown again."""
    return str(rich(" ".join(text.split())))


def main(arguments: Sequence[str] | None = None) -> int:
    """Grade a student's repository and write the run's summary.

    Returns:
        0 if in each lesson that was begun every exercise on the core path has passed, 1 if not, 2 if it could not be
        graded. Of a lesson that withholds its solutions today, nothing is said.
    """
    parser = argparse.ArgumentParser(prog="python -m jaxcourse_grade.platforms.github", description=main.__doc__)
    parser.add_argument("work", type=Path, help="the checkout of the student's repository")
    parser.add_argument("--course", type=Path, required=True, help="the folder of the course to grade with")
    parser.add_argument("--student", required=True, help="whose it is")
    parser.add_argument("--out", type=Path, required=True, help="the folder for results and reports")
    parser.add_argument("--seed", type=int, default=0, help="of the inputs (default: 0)")
    options = parser.parse_args(arguments)
    course = Course(options.course.resolve())
    try:
        results = grade_folder(course, options.work, options.student, options.out, seed=options.seed)
    except (OSError, RuntimeError, ValueError) as error:
        print(f"The grader could not grade: {error}", file=sys.stderr)
        return 2
    found = list(filter(_is_wanted, results))
    held = held_back(course, (result.lesson for result in found), live=True)
    begun, practice = [one for one in found if _is_begun(one) and one.lesson not in held], course.practice()
    with open(os.environ.get("GITHUB_STEP_SUMMARY", os.devnull), "a", encoding="utf-8") as page:
        page.write(summary(begun, practice) or ("" if held else UNTOUCHED if found else NOTHING))
        page.writelines(f"<p>{_marked_up(f'{lesson_name(stem)}: {one.says}')}</p>\n" for stem, one in held.items())
    return 0 if found and all(_is_passed(result, practice) for result in begun) else 1


NOTHING = "There is no notebook in this repository.\n"
UNTOUCHED = "No exercise has an answer yet. Each lesson is judged here from its first answer on.\n"


def _is_wanted(result: Result) -> bool:
    """Whether this is a notebook, of a lesson or unreadable: a repository holds scripts and other files too."""
    return bool(result.lesson) or result.source.casefold().endswith(".ipynb")


def _is_begun(result: Result) -> bool:
    """Whether there is an answer, or something is amiss: students start from a repository of blank notebooks."""
    return result.status != "graded" or any(mark.status not in _NO_ANSWER for mark in result.marks)


_NO_ANSWER = ("not_attempted", "missing")


def _is_passed(result: Result, practice: Collection[str]) -> bool:
    return result.status == "graded" and all(mark.status == "passed" for mark in result.without(practice).marks)


if __name__ == "__main__":
    sys.exit(main())
