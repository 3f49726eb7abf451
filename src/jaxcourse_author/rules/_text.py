"""Rules about what a lesson says, and how it looks on the page."""

from __future__ import annotations

import ast
import dis
import re
import symtable
from collections.abc import Iterator
from itertools import zip_longest

import jupytext

from jaxcourse.course import IDEAS, ideas, nearest
from jaxcourse.probe import inner
from jaxcourse_author.lesson import PLACEHOLDER, Cell, labels, page_of, read_lesson, without_magics
from jaxcourse_author.lesson.elsewhere import Elsewhere
from jaxcourse_author.rules._labels import sees_of
from jaxcourse_author.rules._rule import Contract, Pair, Refusal, rule

CODE_WIDTH = 80
"""What fits into a cell of the site without scrolling."""

DESCRIPTION = range(40, 161)
"""How many characters a lesson's description has: what search results and cards show of it."""

LONG_CELL = 12
"""How many lines of set-up a reader does not mind seeing."""

_MEASURED = re.compile(
    r"\b\d[\d.,]*\s*(?:[nµum]s\b|seconds?\b|[KMGT]i?B/s|[MGT]FLOP/s|% (?:faster|slower))"
    r"|\b\d[\d.,]*\s*(?:times|x) (?:as )?(?:faster|slower|fast|slow)\b"
)


@rule(per="lesson")
def front_matter_is_complete(pair: Pair) -> Iterator[Refusal]:
    """The front matter of every lesson says what it is about, and nothing that is computed."""
    meta = pair.source.meta
    if "minutes" in meta:
        yield Refusal(pair.md, "says how long it takes", "Remove `minutes` from its front matter: it is computed.")
    description = str(meta.get("myst", {}).get("html_meta", {}).get("description") or "")
    if not description:
        yield Refusal(pair.md, "has no description", "Add `myst: {html_meta: {description: ...}}`.")
    elif len(description) not in DESCRIPTION and PLACEHOLDER not in description:
        problem = f"has a description of {len(description)} characters"
        yield Refusal(pair.md, problem, "Search results show 40 to 160: say in a sentence what readers will make.")
    if not meta.get("after"):
        repair = "Add `after: predict ...`, or whatever readers can do after the lesson."
        yield Refusal(pair.md, "does not say what it is for", repair)


@rule(per="course", advice=True)
def lessons_come_after_what_they_need(contract: Contract) -> Iterator[Refusal]:
    """Every lesson stands behind those that it says it needs, as far as they are taught."""
    taught = [path.stem for path in contract.course.lesson_paths]
    for place, path in enumerate(contract.course.lesson_paths):
        for stem in sorted(read_lesson(path, contract.course).needs & set(taught[place + 1 :])):
            problem = f"{path.stem} stands before {stem}, which it says it needs"
            yield Refusal("_toc.yml", problem, "Move it behind that lesson, or say in it what readers need instead.")


@rule(per="lesson")
def ask_keeps_its_meaning(pair: Pair) -> Iterator[Refusal]:
    """No cell of a lesson gives the name `ask` to anything: by it the notebook asks for predictions."""
    for cell in (cell for cell in pair.source.cells if cell.is_code and pair.source.boxes):
        if _binds(without_magics(cell.source), "ask"):
            yield Refusal(f"{pair.md}:{cell.line}", "a cell gives the name `ask` to something else", "Rename that.")


def _binds(code: str, name: str) -> bool:
    """Whether code gives a name to something, outside of functions, classes and comprehensions."""
    table = symtable.symtable(code, "cell", "exec")
    return name in table.get_identifiers() and table.lookup(name).is_assigned()


@rule(per="lesson")
def lessons_open_as_notebooks(pair: Pair) -> Iterator[Refusal]:
    """Every lesson can be opened and saved as a notebook, by jupytext, and is the same text afterwards."""
    ours = page_of(pair.source.raw)
    saved = page_of(jupytext.writes(jupytext.reads(ours.text, fmt="md:myst"), fmt="md:myst"))
    pairs = zip_longest(ours.lines[ours.front :], saved.lines[saved.front :], fillvalue="")
    for number, (line, written) in enumerate(pairs, ours.front + 1):
        if line != written:
            problem = f"line {number}, {line!r}, would be saved from a notebook as {written!r}"
            repair = "Leave one empty line between a cell and what stands around it, and begin it with `ipython3`."
            yield Refusal(pair.md, problem, repair)
            return


@rule(per="lesson")
def long_cells_are_folded(pair: Pair) -> Iterator[Refusal]:
    """No long set-up cell stands between a reader and the lesson."""
    for cell in pair.source.cells:
        if cell.role == "setup" and "hide-input" not in cell.tags and len(cell.source.splitlines()) > LONG_CELL:
            problem = f"a set-up cell has more than {LONG_CELL} lines: {cell.source.splitlines()[0]!r}"
            yield Refusal(pair.md, problem, "Add the tag `hide-input`: the page folds it.")


@rule(per="lesson")
def images_have_alt_text(pair: Pair) -> Iterator[Refusal]:
    """Every image has a text for those who cannot see it."""
    for cell in pair.source.cells:
        if not all(image.alt for part in cell.parts for image in part.images):
            yield Refusal(pair.md, "an image has no alt text", "Say between its brackets what it shows.")
        if cell.is_code and re.search(r"\bplt\.|\.(imshow|savefig)\(", cell.source):
            yield Refusal(
                pair.md,
                "a figure has no alt text",
                "Make it with `jaxcourse.draw` or `bench`, or wrap it in `themed`.",
            )


@rule(per="lesson")
def code_fits_the_page(pair: Pair) -> Iterator[Refusal]:
    """No line of code is cut off at the edge of the page."""
    for line in (line for cell in pair.source.cells if cell.is_code for line in cell.source.splitlines()):
        if len(line) > CODE_WIDTH:
            yield Refusal(pair.md, f"code is wider than {CODE_WIDTH} characters: {line.strip()!r}", "Break it.")


@rule(per="lesson")
def prose_types_no_measurement(pair: Pair) -> Iterator[Refusal]:
    """No time, rate or ratio is typed into prose where a cell could measure it."""
    for part in pair.source.parts:
        if found := _MEASURED.search(part.words):
            yield Refusal(f"{pair.md}:{part.line}", f"prose says {found[0]!r}", "Compute it in a cell and print it.")


@rule(per="lesson")
def sections_exist(pair: Pair) -> Iterator[Refusal]:
    """Every exercise points to a section of its own lesson, and every diagnosis to one of the course."""
    own, all_labels = set(pair.source.sections), {*labels(pair.course), *Elsewhere(pair.course).places}
    for exercise in pair.checks.exercises.values():
        stray = [see for see in sees_of(exercise) if see not in all_labels]
        for see in [*([] if exercise.see in own else [exercise.see]), *stray]:
            near = nearest(see, own)
            repair = f"Point to {near!r}." if near else f"Put `({see})=` before a heading."
            yield Refusal(
                pair.check_file(exercise.name), f"{exercise.name!r} sees {see!r}, which labels no section", repair
            )


@rule(per="lesson")
def exercises_have_an_idea(pair: Pair) -> Iterator[Refusal]:
    """Every exercise trains an idea, if the course declares any: the index of exercises is made of them."""
    declared = ideas(pair.course)
    trained = {name for one in declared for name in one.trains}
    foreseen = {label for one in declared for label in one.predicts}
    for exercise in pair.checks.exercises.values() if declared else ():
        if not trained & {exercise.name, exercise.see}:
            see = repr(exercise.see)
            repair = f"Move {see} from `predicts`" if exercise.see in foreseen else f"Add {see}"
            yield Refusal(IDEAS, f"the exercise {exercise.name!r} trains no idea", f"{repair} to `trains` of an idea.")


@rule(per="lesson")
def labels_are_no_headings(pair: Pair) -> Iterator[Refusal]:
    """No exercise is named like a heading of its lesson, whose anchor would take its place on the site."""
    titles = (part.title.lower() for part in pair.source.parts if part.level)
    headings = {re.sub(r"[^a-z0-9]+", "-", title).strip("-") for title in titles}
    for name in sorted(headings & pair.source.tasks.keys()):
        yield Refusal(pair.md, f"the exercise {name!r} is named like a heading", "Rename one of them.")


@rule(per="lesson")
def prose_is_independent(pair: Pair) -> Iterator[Refusal]:
    """No cell outside an exercise uses a name that a learner or a solution defines, so that a blank notebook runs."""
    cells = [cell for cell in pair.source.cells if cell.role in ("code", "setup")]
    proofs = [cell for cell in pair.source.cells if cell.role == "proof"]
    solved = set().union(*(bound_in(cell) for cell in pair.source.cells if cell.role == "solution"))
    learners = {name.replace("-", "_") for name in pair.source.tasks}
    learners |= solved - set().union(*map(bound_in, cells))
    for cell in [*cells, *proofs]:
        if used := sorted(names_in(cell) & learners):
            yield Refusal(
                pair.md,
                f"a cell outside the exercises uses the learner's {used[0]!r}",
                "Move it into the solution, or give it code of its own.",
            )


def bound_in(cell: Cell) -> set[str]:
    """The names that a cell binds at its top level, by assignment, definition or import."""
    return _names_used(cell, ("STORE_NAME", "STORE_GLOBAL"))


def names_in(cell: Cell) -> set[str]:
    """The names of a notebook that a cell reads or binds; those local to a function do not count."""
    return _names_used(cell, ("LOAD_NAME", "LOAD_GLOBAL", "STORE_NAME", "STORE_GLOBAL"))


def _names_used(cell: Cell, operations: tuple[str, ...]) -> set[str]:
    code = compile(without_magics(cell.source), "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    steps = (step for part in (code, *inner(code)) for step in dis.get_instructions(part))
    return {str(step.argval) for step in steps if step.opname in operations}
