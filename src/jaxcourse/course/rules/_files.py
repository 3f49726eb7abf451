"""Rules about the files of a course and the names in them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from jaxcourse.course import notebooks
from jaxcourse.course._course import Course
from jaxcourse.course.rules._rule import Contract, Refusal, rule


@rule(per="course")
def files_belong_together(contract: Contract) -> Iterator[Refusal]:
    """every lesson has its checks and its place in _toc.yml, and there are no stray files"""
    root, stems = contract.course.root, {path.stem for path in contract.course.lesson_paths}
    toc = (root / "_toc.yml").read_text(encoding="utf-8")
    for stem in sorted(stems):
        if not re.search(rf"file: *notebooks/{stem}\s*$", toc, re.MULTILINE):
            yield Refusal("_toc.yml", f"lesson {stem} is missing", f"Add `- file: notebooks/{stem}`.")
        if not (root / "exercises_tests" / f"ex_{stem}.py").exists():
            yield Refusal(f"exercises_tests/ex_{stem}.py", "the lesson has no checks", "Write the file.")
    for path in _strays(contract.course, stems):
        place = path.relative_to(root)
        yield Refusal(str(place), "belongs to no lesson", "Remove it, or write the lesson that it belongs to.")


@rule(per="course")
def notebooks_are_fresh(contract: Contract) -> Iterator[Refusal]:
    """every generated notebook is what its source gives, byte for byte"""
    for path in notebooks.stale(contract.course):
        place = path.relative_to(contract.course.root)
        yield Refusal(str(place), f"is not what notebooks/{path.stem}.md gives", "Run `jaxcourse notebooks`.")


@rule(per="course")
def labels_are_unique(contract: Contract) -> Iterator[Refusal]:
    """no label stands on two pages"""
    for label, pages in contract.course.labels().items():
        if len(pages) > 1:
            yield Refusal(f"{pages[1]}.md", f"the label `({label})=` is also in {pages[0]}.md", "Rename one.")


@rule(per="course")
def names_are_unique(contract: Contract) -> Iterator[Refusal]:
    """no exercise's name is used twice in the course, and no definition in a file of checks hides another"""
    seen: dict[str, str] = {}
    for pair in contract.pairs:
        for name in pair.checks.exercises:
            if name in seen:
                yield Refusal(pair.py, f"{name!r} is also in {seen[name]}", "Rename one.")
            seen[name] = pair.py
        for name in _defined_twice(contract.course.root / pair.py):
            yield Refusal(pair.py, f"`{name}` is defined twice: the first is lost", "Rename one.")


def _strays(course: Course, stems: set[str]) -> list[Path]:
    known = {
        "notebooks": {f"{stem}{end}" for stem in stems for end in (".md", ".ipynb")},
        "solutions": {f"{stem}.ipynb" for stem in stems},
        "exercises_tests": {"test_contract.py", *(f"ex_{stem}.py" for stem in stems)},
    }
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
