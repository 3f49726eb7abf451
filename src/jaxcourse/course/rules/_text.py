"""Rules about what a lesson says, and how it looks on the page."""

from __future__ import annotations

import ast
import dis
import re
from collections.abc import Iterator

from jaxcourse.course._lessons import nearest
from jaxcourse.course.notebooks import Cell
from jaxcourse.course.rules._labels import sees_of
from jaxcourse.course.rules._rule import Pair, Refusal, rule, without_magics
from jaxcourse.probe import inner

SITTING = 90
"""How many minutes a lesson may take."""

CODE_WIDTH = 80
"""What fits into a cell of the site without scrolling."""

LONG_CELL = 12
"""How many lines of set-up a reader does not mind seeing."""

PLACEHOLDER = "REPLACE ME"
"""What `jaxcourse new` writes where an author must write."""

_MEASURED = re.compile(
    r"\b\d[\d.,]*\s*(?:[nµum]s\b|seconds?\b|[KMGT]i?B/s|[MGT]FLOP/s|% (?:faster|slower))"
    r"|\b\d[\d.,]*\s*(?:times|x) (?:as )?(?:faster|slower|fast|slow)\b"
)


@rule(per="lesson")
def front_matter_is_complete(pair: Pair) -> Iterator[Refusal]:
    """the front matter of every lesson says what it is about, and nothing that is computed"""
    meta = pair.source.meta
    if "minutes" in meta:
        yield Refusal(pair.md, "says how long it takes", "Remove `minutes` from its front matter: it is computed.")
    if not meta.get("myst", {}).get("html_meta", {}).get("description"):
        yield Refusal(pair.md, "has no description", "Add `myst: {html_meta: {description: ...}}`.")
    if not meta.get("after"):
        repair = "Add `after: predict ...`, or whatever readers can do after the lesson."
        yield Refusal(pair.md, "does not say what it is for", repair)


@rule(per="lesson")
def lessons_fit_a_sitting(pair: Pair) -> Iterator[Refusal]:
    """no lesson takes longer than a sitting, by its words, its cells and the minutes of its exercises"""
    if pair.source.minutes > SITTING:
        problem = f"takes {pair.source.minutes} minutes, more than {SITTING}"
        yield Refusal(pair.md, problem, "Make two lessons of it, or shorten it.")


@rule(per="lesson")
def long_cells_are_folded(pair: Pair) -> Iterator[Refusal]:
    """no long set-up cell stands between a reader and the lesson"""
    for cell in pair.source.cells:
        if cell.role == "setup" and "hide-input" not in cell.tags and len(cell.source.splitlines()) > LONG_CELL:
            problem = f"a set-up cell has more than {LONG_CELL} lines: {cell.source.splitlines()[0]!r}"
            yield Refusal(pair.md, problem, "Add the tag `hide-input`: the page folds it.")


@rule(per="lesson")
def nothing_is_unfinished(pair: Pair) -> Iterator[Refusal]:
    """nothing that `jaxcourse new` left to be written is still there"""
    for file in (pair.md, pair.py):
        if PLACEHOLDER in (pair.course.root / file).read_text(encoding="utf-8"):
            yield Refusal(file, f"still says {PLACEHOLDER}", "Write what belongs there.")


@rule(per="lesson")
def images_have_alt_text(pair: Pair) -> Iterator[Refusal]:
    """every image has a text for those who cannot see it"""
    for cell in pair.source.cells:
        if not cell.is_code and re.search(r"!\[\s*\]\(|<img(?![^>]*\balt=\"[^\"])", cell.source):
            yield Refusal(pair.md, "an image has no alt text", "Say between its brackets what it shows.")
        if cell.is_code and re.search(r"\bplt\.|\.(imshow|savefig)\(", cell.source):
            yield Refusal(
                pair.md,
                "a figure has no alt text",
                "Make it with `jaxcourse.draw` or `bench`, or wrap it in `themed`.",
            )


@rule(per="lesson")
def code_fits_the_page(pair: Pair) -> Iterator[Refusal]:
    """no line of code is cut off at the edge of the page"""
    for line in (line for cell in pair.source.cells if cell.is_code for line in cell.source.splitlines()):
        if len(line) > CODE_WIDTH:
            yield Refusal(pair.md, f"code is wider than {CODE_WIDTH} characters: {line.strip()!r}", "Break it.")


@rule(per="lesson")
def prose_types_no_measurement(pair: Pair) -> Iterator[Refusal]:
    """no time, rate or ratio is typed into prose where a cell could measure it"""
    for cell in pair.source.cells:
        text = re.sub(r"`[^`]*`", "", cell.source)
        if not cell.is_code and (found := _MEASURED.search(text)):
            yield Refusal(pair.md, f"prose says {found[0]!r}", "Compute it in a cell and print it.")


@rule(per="lesson")
def sections_exist(pair: Pair) -> Iterator[Refusal]:
    """every exercise points to a section of its own lesson, and every diagnosis to one of the course"""
    own, all_labels = set(pair.source.sections), set(pair.course.labels())
    for exercise in pair.checks.exercises.values():
        stray = [see for see in sees_of(exercise) if see not in all_labels]
        for see in [*([] if exercise.see in own else [exercise.see]), *stray]:
            near = nearest(see, own)
            repair = f"Point to {near!r}." if near else f"Put `({see})=` before a heading."
            yield Refusal(pair.py, f"{exercise.name!r} sees {see!r}, which labels no section", repair)


@rule(per="lesson")
def labels_are_no_headings(pair: Pair) -> Iterator[Refusal]:
    """no exercise is named like a heading of its lesson, whose anchor would take its place on the site"""
    prose = "\n".join(cell.source for cell in pair.source.cells if not cell.is_code)
    headings = {re.sub(r"[^a-z0-9]+", "-", h.lower()).strip("-") for h in re.findall(r"^#+ (.*)$", prose, re.M)}
    for name in sorted(headings & pair.source.tasks.keys()):
        yield Refusal(pair.md, f"the exercise {name!r} is named like a heading", "Rename one of them.")


@rule(per="lesson")
def prose_is_independent(pair: Pair) -> Iterator[Refusal]:
    """no cell outside an exercise uses a name that a learner or a solution defines, so that a blank notebook runs"""
    cells = [cell for cell in pair.source.cells if cell.role in ("code", "setup")]
    solved = set().union(*(_bound_in(cell) for cell in pair.source.cells if cell.role == "solution"))
    learners = {name.replace("-", "_") for name in pair.source.tasks}
    learners |= solved - set().union(*map(_bound_in, cells))
    for cell in cells:
        if used := sorted(_names_in(cell) & learners):
            yield Refusal(
                pair.md,
                f"a cell outside the exercises uses the learner's {used[0]!r}",
                "Move it into the solution, or give it code of its own.",
            )


def _bound_in(cell: Cell) -> set[str]:
    """The names that a cell binds at its top level, by assignment, definition or import."""
    return _named(cell, ("STORE_NAME", "STORE_GLOBAL"))


def _names_in(cell: Cell) -> set[str]:
    """The names of a notebook that a cell reads or binds; those local to a function do not count."""
    return _named(cell, ("LOAD_NAME", "LOAD_GLOBAL", "STORE_NAME", "STORE_GLOBAL"))


def _named(cell: Cell, operations: tuple[str, ...]) -> set[str]:
    code = compile(without_magics(cell.source), "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    steps = (step for part in (code, *inner(code)) for step in dis.get_instructions(part))
    return {str(step.argval) for step in steps if step.opname in operations}
