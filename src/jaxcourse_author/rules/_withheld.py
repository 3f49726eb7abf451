"""Rules about what lessons withhold, such as examinations: it stands nowhere that readers look; what is told runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from jaxcourse.course import RUNS, TEXTS
from jaxcourse_author.lesson import examples_of
from jaxcourse_author.rules._rule import Contract, Pair, Refusal, rule
from jaxcourse_author.sheets import PieceError, excerpts, read_sheets
from jaxcourse_author.withheld import said_in, secrets


@rule(per="course")
def withheld_is_left_out(contract: Contract) -> Iterator[Refusal]:
    """What a lesson withholds is neither in what readers install, nor in a notebook of theirs, nor on a sheet."""
    course = contract.course
    if not (withheld := secrets(course)) or not (course.root / TEXTS).exists():
        return
    shown = {place: path.read_bytes() for place, path in course.published_files()}
    shown |= {f"notebooks/{path.name}": path.read_bytes() for path in (course.root / "notebooks").glob("*.ipynb")}
    for sheet in read_sheets(course):
        with suppress(PieceError):  # another rule says so
            shown[sheet.page] = repr(excerpts(course, sheet)).encode()
    for place, data in shown.items():
        if found := sorted(said_in(data, withheld)):
            problem = f"says what is withheld, as {found[0]} has it"
            yield Refusal(place, problem, "Run `jaxcourse notebooks`, or take it out there.")


@rule(per="lesson")
def withheld_answers_can_be_called(pair: Pair) -> Iterator[Refusal]:
    """Where a withheld check tells whether an answer runs, the task shows a call of it, which the solution can take."""
    withheld, shown = pair.source.withheld, examples_of(pair.source)
    if withheld is None or withheld.tells != RUNS:
        return
    for exercise, _ in pair.exercises():
        name, solution = exercise.name, pair.solutions[exercise.name]
        if callable(solution) and not shown.get(name):
            repair = f"Add one to its task, such as: For example, `{exercise.variable}(...)` returns ..."
            yield Refusal(pair.md, f"the task of {name!r} shows no call that could be run", repair)
        for example in shown.get(name, ()):
            try:
                eval(example, {**pair.names, exercise.variable: solution})
            except Exception as error:
                problem = f"the call `{example}` in the task of {name!r} raises {error!r}"
                yield Refusal(pair.md, problem, "Write one that runs after the set-up cells alone.")
