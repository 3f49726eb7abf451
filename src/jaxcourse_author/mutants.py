"""`jaxcourse check --mutants`: small changes of each solution, of which the check must refuse all that are wrong.

What passes is a survivor: a hole in the check, or a change that is right as well. The author mends the one and accepts
the other, with `equivalent(...)` beside the listed answers.
"""

from __future__ import annotations

import ast
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jaxcourse.exercise import Exercise
from jaxcourse.prediction import Prediction
from jaxcourse_author._derived import calls_of
from jaxcourse_author._judging_process import Judgement, JudgingProcess
from jaxcourse_author._operators import Path, changes, children, replaced
from jaxcourse_author.lesson import Task
from jaxcourse_author.proof import Progress
from jaxcourse_author.rules import FAKES, Contract, Pair

SEEDS = range(2)
"""Inputs that mutants are judged on: further ones killed 7 of 5,461."""
LEAST_SECONDS = 2.0
"""What a mutant may take, besides ten times what its solution takes: it may compile more."""


@dataclass(frozen=True)
class Mutant:
    """A solution with one change.

    Attributes:
        operator: what kind of change it is.
        line: of the solution's code.
        change: before and after, as `equivalent(...)` names it.
        code: of the whole cell.
    """

    operator: str
    line: int
    change: str
    code: str


def mutants(code: str, values: dict[Path, str] | None = None) -> Iterator[Mutant]:
    r"""Each single change of a solution, once.

    Args:
        code: of the solution's cell.
        values: see `first_values`.

    Example:
        >>> [mutant.change for mutant in mutants("def f(x):\n    return x < 1")][:3]
        ['`x < 1`  ->  `x <= 1`', '`x < 1`  ->  `x != 1`', '`x < 1`  ->  `x >= 1`']
    """
    tree = ast.parse(code)
    seen = {ast.dump(tree)}
    for operator, path, place, new in changes(tree, values or {}):
        changed = replaced(tree, path, new)
        identity = ast.dump(changed)
        if identity in seen:
            continue
        seen.add(identity)
        text = ast.unparse(changed)
        try:
            compile(text, "<mutant>", "exec")
        except (SyntaxError, ValueError):
            continue
        line = getattr(place.node, "lineno", getattr(place.parent, "lineno", 0))
        yield Mutant(operator, line, f"`{_brief(place.node)}`  ->  `{_brief(new)}`", text)


def _brief(node: ast.AST | None) -> str:
    if node is None:
        return ""
    text = " ".join(ast.unparse(ast.fix_missing_locations(node)).split())
    return text if len(text) <= 90 else text[:87] + "..."


# -- values of expressions in the first call --------------------------------------------------------------------


def first_values(pair: Pair, exercise: Exercise, code: str) -> dict[Path, str]:
    """What the expressions of a solution were in the first call of its check, if they are plain numbers or tuples.

    Only expressions with a parameter in them count: any other one is a constant anyway.

    Args:
        pair: the lesson.
        exercise: whose solution it is.
        code: of the solution's cell.
    """
    calls = calls_of(exercise, pair.solutions[exercise.name])
    tree, values = ast.parse(code), dict[Path, str]()
    if not calls or "njit" in code:  # Numba compiles no recorder
        return values
    watched, places = _instrument(tree)
    names = dict(pair.names)

    def seen(place: int, value: Any) -> Any:
        if _is_plain(value) and places[place] not in values:
            values[places[place]] = repr(value.item() if isinstance(value, np.generic) else value)
        return value

    names["_seen"] = seen
    try:
        exec(compile(watched, "<solution>", "exec"), names)
        names[exercise.variable](*calls[0])
    except Exception:  # a solution that cannot be watched has mutants of the other kinds
        return {}
    return values


def _is_plain(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return 0 < len(value) < 5 and all(map(_is_plain, value))
    return isinstance(value, (int, float, np.integer, np.floating)) and bool(np.isfinite(value))


def _instrument(tree: ast.Module) -> tuple[ast.Module, list[Path]]:
    """A tree whose expressions tell their values, and their places."""
    places: list[Path] = []

    def below(node: ast.AST, path: Path, parameters: frozenset[str]) -> None:
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            parameters |= {one.arg for one in node.args.args}
        for name, index, child in [*children(node)]:
            here = (*path, (name, index))
            if name in ("decorator_list", "annotation", "returns", "args", "targets", "target") and not isinstance(
                node, ast.Call
            ):
                continue
            below(child, here, parameters)
            used = {part.id for part in ast.walk(child) if isinstance(part, ast.Name)}
            if (
                isinstance(child, ast.expr)
                and used & parameters
                and isinstance(getattr(child, "ctx", ast.Load()), ast.Load)
            ):
                if isinstance(child, (ast.Slice, ast.Starred, ast.Lambda)) or (name == "func"):
                    continue
                places.append(here)
                call = ast.Call(ast.Name("_seen", ast.Load()), [ast.Constant(len(places) - 1), child], [])
                if index is None:
                    setattr(node, name, call)
                else:
                    getattr(node, name)[index] = call

    copied = ast.parse(ast.unparse(tree))
    below(copied, (), frozenset())
    return ast.fix_missing_locations(copied), places


# -- judging ----------------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """What came of an exercise's mutants.

    Attributes:
        exercise: its name.
        killed: how many were refused.
        survivors: those that passed and are not accepted, each with a counterexample or an empty text.
        accepted: how many passed and are accepted.
        stale: the accepted changes that no longer survive.
    """

    exercise: str
    killed: int = 0
    survivors: list[tuple[Mutant, str]] = field(default_factory=list)
    accepted: int = 0
    stale: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """What an author reads: the survivors with a counterexample first, since most of them are holes."""
        total = self.killed + self.accepted + len(self.survivors)
        passed = len(self.survivors)
        yield f"{self.exercise}: {total} mutants, {self.killed} refused, {self.accepted} accepted, {passed} passed"
        for mutant, found in sorted(self.survivors, key=lambda one: not one[1]):
            yield f"  passed: line {mutant.line}, {mutant.operator}: {mutant.change}"
            if found:
                yield f"    {found}"
        for change in self.stale:
            yield f"  accepted, but it does not pass (any more): {change}"


def _functions(pair: Pair) -> Iterator[tuple[Exercise, Task]]:
    """The exercises that are answered by a function."""
    for exercise, task in pair.exercises():
        if not isinstance(exercise.check, Prediction) and callable(pair.solutions[exercise.name]):
            yield exercise, task


def tally(
    pair: Pair,
    exercise: Exercise,
    code: str,
    judges: Sequence[JudgingProcess],
    heard: Callable[[], None] = lambda: None,
) -> Tally:
    """Judge all mutants of a solution.

    Args:
        pair: the lesson.
        exercise: whose solution it is.
        code: of the solution's cell.
        judges: the processes in which they are judged, side by side.
        heard: called before each of them.
    """
    found = Tally(exercise.name)
    accepted = {one.change for one in pair.checks.equivalents if one.exercise == exercise.name} - FAKES.keys()
    own = judges[0](exercise.name, code, SEEDS, seconds=120)
    seconds = LEAST_SECONDS + 10 * own.seconds
    with pair.source.beside():
        made = list(mutants(code, first_values(pair, exercise, code)))
    used = set()
    for mutant, verdict, judge_of in _side_by_side(exercise.name, made, judges, seconds, heard):
        if not verdict.passed:
            found.killed += 1
        elif mutant.change in accepted:
            found.accepted += 1
            used.add(mutant.change)
        else:
            found.survivors.append((mutant, judge_of.compare(exercise.name, code, mutant.code, seconds + 30)))
    found.stale = sorted(accepted - used)
    return found


def _side_by_side(
    exercise: str, made: Sequence[Mutant], judges: Sequence[JudgingProcess], seconds: float, heard: Callable[[], None]
) -> list[tuple[Mutant, Judgement, JudgingProcess]]:
    """Every mutant's verdict, in their order, and the process that made it."""
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in range(len(made)):
        todo.put(number)
    verdicts: dict[int, tuple[Mutant, Judgement, JudgingProcess]] = {}

    def work(judge_of: JudgingProcess) -> None:
        while True:
            try:
                number = todo.get_nowait()
            except queue.Empty:
                return
            heard()
            verdicts[number] = made[number], judge_of(exercise, made[number].code, SEEDS, seconds), judge_of

    threads = [threading.Thread(target=work, args=[judge_of]) for judge_of in judges]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [verdicts[number] for number in sorted(verdicts)]


Work = tuple[Pair, Exercise, str]
"""A lesson, one of its exercises, and the code of the solution."""


def run(contract: Contract, *, workers: int = 2, say: Callable[[str], None] = print, most: int | None = None) -> int:
    """Judge the mutants of every solution that is a function; the exit status of `jaxcourse check --mutants`.

    Args:
        contract: the course, and which of its lessons.
        workers: how many processes judge side by side.
        say: where to write.
        most: how many mutants are enough, if not all: those of the first exercise are judged in any case, and the
            exercises that are left out are named.

    Returns:
        0 if every mutant is refused or accepted, else 1.
    """
    left, passed, total = 0, 0, 0
    todo = [(pair, exercise, task.solution) for pair in contract.pairs for exercise, task in _functions(pair)]
    todo, later = _enough(todo, most)
    progress = Progress(sum(len(list(mutants(code))) for _, _, code in todo), "mutants")
    with ExitStack() as stack:
        judges = [stack.enter_context(JudgingProcess(contract.course.root)) for _ in range(workers)]
        for pair, exercise, code in todo:
            found = tally(pair, exercise, code, judges, progress)
            for line in found.lines():
                say(line)
            left += len(found.survivors) + len(found.stale)
            passed += len(found.survivors)
            total += found.killed + found.accepted + len(found.survivors)
    say(f"{total} mutants, {passed} passed.")
    if later:
        names = ", ".join(exercise.name for _, exercise, _ in later)
        say(f"Left out, since {most} are enough here: {names}.")
    return int(left > 0)


def _enough(todo: Sequence[Work], most: int | None) -> tuple[list[Work], list[Work]]:
    """The exercises whose mutants are judged, and the others: in their order, up to so many mutants."""
    if most is None:
        return list(todo), []
    now, later, made = list[Work](), list[Work](), 0
    for work in todo:
        more = sum(1 for _ in mutants(work[2]))
        if now and made + more > most:
            later.append(work)
        else:
            now.append(work)
            made += more
    return now, later
