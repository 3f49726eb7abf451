"""Rules about the files of a course and the names in them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from jaxcourse.course import ANSWERS, CHECKS, TEXTS, WITHHELD, Course, check_files
from jaxcourse_author.lesson import (
    REPEATS,
    exercises_here,
    home,
    labels,
    names_said,
    notebooks,
    old_names,
    owner,
    read_lesson,
    repeats,
    unwritten,
    withheld_at,
)
from jaxcourse_author.rules._rule import Contract, Refusal, rule


@rule(per="course")
def files_belong_together(contract: Contract) -> Iterator[Refusal]:
    """Every lesson that _toc.yml names has its checks, and there are no stray files."""
    root = contract.course.root
    for stem in (path.stem for path in contract.course.lesson_paths):
        if not check_files(root, stem):
            yield Refusal(f"{CHECKS}/{stem}", "the lesson has no checks", f"`jaxcourse new exercise {stem} NAME`.")
    for path in _strays(contract.course):
        place = path.relative_to(root)
        yield Refusal(str(place), "belongs to no lesson", _REPAIR.get(place.parent.name, _OTHERWISE))


_OTHERWISE = "Remove it, or write the lesson that it belongs to."
_REPAIR = {"notebooks": f"{_OTHERWISE} A file that a lesson reads is named in its front matter: `files: [NAME]`."}


@rule(per="course")
def notebooks_are_fresh(contract: Contract) -> Iterator[Refusal]:
    """Every generated notebook is what its source gives, byte for byte."""
    for path in notebooks.stale(contract.course):
        place = path.relative_to(contract.course.root)
        yield Refusal(str(place), f"is not what {notebooks.sources_of(path)}", "Run `jaxcourse notebooks`.")


@rule(per="course")
def labels_are_unique(contract: Contract) -> Iterator[Refusal]:
    """No label stands on two pages."""
    for label, pages in labels(contract.course).items():
        if len(pages) > 1:
            yield Refusal(f"{pages[1]}.md", f"the label `({label})=` is also in {pages[0]}.md", "Rename one.")


@rule(per="course")
def names_are_unique(contract: Contract) -> Iterator[Refusal]:
    """No exercise has another's name, of today or of before; its file has its name, and no definition hides another."""
    seen: dict[str, str] = {}
    for name in exercises_here(contract.course):
        if was := owner(name, contract.course):
            place = f"{CHECKS}/{home(contract.course, name)}/{name.replace('-', '_')}.py"
            yield Refusal(
                place, f"{name!r} was a name of {was!r}, and readers' records have it under that", "Rename it."
            )
    for pair in contract.pairs:
        for name, exercise in pair.checks.exercises.items():
            if name in seen:
                yield Refusal(pair.check_file(name), f"{name!r} is also in {seen[name]}", "Rename one.")
            seen[name] = pair.check_file(name)
            if not (contract.course.root / pair.check_file(name)).exists():
                problem = f"{name!r} is declared in a file of another name"
                yield Refusal(pair.check_file(name), problem, f"Declare it in {exercise.variable}.py, alone.")
        for path in contract.course.files(pair.source.stem):
            for name in _defined_twice(path):
                place = str(path.relative_to(contract.course.root))
                yield Refusal(place, f"`{name}` is defined twice: the first is lost", "Rename one.")


@rule(per="course")
def what_repeats_comes_after(contract: Contract) -> Iterator[Refusal]:
    """Every exercise that repeats another one in other clothes stands behind that one."""
    course, where = contract.course, str(REPEATS)
    order = [name for names in course.exercises().values() for name in names]
    for name, first in repeats(course).items():
        for one in (name, first):
            if not home(course, one):
                yield Refusal(where, f"there is no exercise {one!r}", "Write its name as it is, or remove the line.")
        if {name, first} <= {*order} and order.index(name) < order.index(first):
            yield Refusal(where, f"{name} stands before {first}, which it repeats", "Turn the line round.")


def _strays(course: Course) -> list[Path]:
    """What lies in the folders of the lessons and belongs to none of them, taught or not."""
    stems = {path.stem for path in course.lessons_here}
    exercises = course.exercises() if (course.root / TEXTS).exists() else {}
    asked = {stem: {name.replace("-", "_") for name in names} for stem, names in exercises.items()}
    for path in course.lesson_paths:
        kept_back = unwritten(read_lesson(path, course), course.root)
        asked.setdefault(path.stem, set()).update(one.exercise.replace("-", "_") for one in kept_back)
    reads = {name for path in course.lessons_here for name in names_said(path)}
    known = {
        "notebooks": {f"{stem}{end}" for stem in stems for end in (".md", ".ipynb")}
        | {f"{name}.ipynb" for name in old_names(course)}
        | reads,
        # A run lays the files that lessons read beside the solved notebooks.
        "solutions": {Path(TEXTS).name, Path(WITHHELD).name, *(f"{stem}.ipynb" for stem in stems), *reads},
        WITHHELD: {f"{path.stem}.json" for path in course.lessons_here if withheld_at(path)},
        CHECKS: {"test_contract.py", *stems},
        ANSWERS: stems,
    }
    for stem, names in asked.items():
        known[f"{CHECKS}/{stem}"] = {"_lesson.py", *(f"{name}.py" for name in names)}
        known[f"{ANSWERS}/{stem}"] = {"_lesson.py", *(f"{name}.py" for name in names)}
    ignored = {"__pycache__", ".ipynb_checkpoints"}
    return [
        path
        for folder, names in known.items()
        for path in sorted((course.root / folder).glob("*"))
        if path.name not in names | ignored
    ]


def _defined_twice(path: Path) -> list[str]:
    names = [
        node.name if isinstance(node, ast.FunctionDef) else ast.unparse(node.targets[0])
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, (ast.FunctionDef, ast.Assign))
    ]
    return sorted({name for name in names if names.count(name) > 1})
