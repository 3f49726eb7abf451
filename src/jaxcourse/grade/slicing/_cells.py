"""From the code cells of a submission to a plan: which statements are run for each exercise.

A notebook is taken as a set of definitions. An answer is taken out of it by name, and what the answer needs comes with
it, wherever it stands. The rest, tests, figures and demonstrations, is not run; what that may miss, `_whole` runs. The
lesson's set-up cells are ours: they come from the lesson, whatever the student did to them, and what a student changed
in them counts as the student's.

- The answer is the last definition of the exercise's variable at the top level of a cell. A stub as it was given counts
  only if there is nothing else.
- What its functions read is what the notebook held where the answer is checked first: the first `check` of it below,
  else the end of its cell. What is added to the answer itself counts down to the notebook's end.
- Settings, such as `jax.config.update(...)` or `np.seterr(...)`, come along if they stand in a student's own cell from
  which something is taken.
- The same name may mean different things to different exercises, so each is run in a namespace of its own. A
  piece that raises is not yet a verdict: as in a notebook, the next one is run.
"""

from __future__ import annotations

import functools
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from jaxcourse.course import Lesson, nearest
from jaxcourse.grade._records import Status
from jaxcourse.grade.slicing import _statements
from jaxcourse.grade.slicing._statements import MOST, Piece, Reading, Slices

_MARKER = re.compile(r"^[ \t]*#[ \t]*exercise:[ \t]*(\S+)", re.MULTILINE)
_BINDING = re.compile(
    r"^[ \t]*(?:(?:async[ \t]+)?(?:def|class)[ \t]+(?P<defined>\w+)|(?P<assigned>\w+)[ \t]*(?::|=(?!=)))", re.MULTILINE
)
HIDDEN = re.compile(r"\b(?:eval|exec|globals|locals|vars|setattr)\(")
"""Where a name may be made or read that nobody sees."""
LONGEST = 500_000
"""Characters of code in a notebook: the parser may need a kilobyte of memory for each."""
_SHOWN = 3
"""How many items a note lists."""
_REMARKS = 20
"""How many remarks a notebook gets."""


@dataclass(frozen=True)
class Target:
    """What a lesson asks in one exercise."""

    variable: str
    title: str
    points: float


@dataclass(frozen=True)
class Template:
    """A lesson, as a submission of it is read.

    Attributes:
        stem: the lesson's name.
        setup: its set-up cells.
        given: its other code cells, which belong to no exercise.
        exercises: what it asks, by the exercise's name, in order.
    """

    stem: str
    setup: tuple[str, ...]
    given: tuple[str, ...]
    exercises: Mapping[str, Target]


@dataclass(frozen=True)
class Absent:
    """Why there is nothing to run for an exercise: what its mark says."""

    status: Status
    label: str
    message: str


@dataclass(frozen=True)
class Plan:
    """What is run for each exercise of a lesson.

    Attributes:
        pieces: the lesson's set-up, then what some exercise needs, in the notebook's order.
        setup: how many of them are the set-up, which comes first for every exercise.
        needs: for each exercise that can be run, which further pieces it needs, in the order to be run.
        cells: for each of them the cell, from 0, that has its answer.
        absent: for each of the others, why not.
        notes: what an instructor should know about an exercise.
        remarks: the same about the notebook.
        trusted: the statements of the lesson's own that mean what they mean in the lesson.
    """

    pieces: tuple[Piece, ...]
    setup: int
    needs: Mapping[str, tuple[int, ...]]
    cells: Mapping[str, int]
    absent: Mapping[str, Absent]
    notes: Mapping[str, tuple[str, ...]]
    remarks: tuple[str, ...]
    trusted: frozenset[str]

    def code(self, exercise: str) -> list[Piece]:
        """The set-up and what an exercise needs, in the order to be run."""
        return [*self.pieces[: self.setup], *(self.pieces[i] for i in self.needs[exercise])]


def template(lesson: Lesson) -> Template:
    """What a submission of a lesson is compared with, read from its solved notebook.

    Args:
        lesson: the lesson, with its checks.
    """
    book = json.loads(lesson.notebook.read_text(encoding="utf-8"))
    cells = [cell | {"source": "".join(cell["source"])} for cell in book["cells"]]
    code = [cell for cell in cells if cell["cell_type"] == "code" and "jaxcourse" not in cell["metadata"]]
    is_setup = ["setup" in cell["metadata"].get("tags", []) for cell in code]
    tasks = {_role(cell)["exercise"]: cell["source"] for cell in cells if _role(cell).get("role") == "task"}
    titles = {name: source.partition("\n")[0].partition(": ")[2] for name, source in tasks.items()}
    return Template(
        lesson.stem,
        tuple(cell["source"] for cell, ours in zip(code, is_setup, strict=True) if ours),
        tuple(cell["source"] for cell, ours in zip(code, is_setup, strict=True) if not ours),
        {name: Target(task.variable, titles.get(name) or name, task.points) for name, task in lesson.exercises.items()},
    )


def _role(cell: dict[str, dict[str, dict[str, str]]]) -> dict[str, str]:
    return cell["metadata"].get("jaxcourse", {})


def plan(cells: Sequence[str], template: Template) -> Plan:
    """Decide what is run of a submission for each exercise.

    Args:
        cells: the source of each code cell, in the notebook's order, as the student left it.
        template: the lesson.

    Example:
        >>> toy = Template("01_toy", ("import numpy as np",), (), {"double-it": Target("double_it", "Double it", 1)})
        >>> ours = plan(["import numpy as np", "%time k = 2", "double_it = lambda x: k * x", 'check("double-it")'], toy)
        >>> [piece.source for piece in ours.code("double-it")]
        ['import numpy as np', 'k = 2', 'double_it = lambda x: k * x']
    """
    return _Planner(cells, template).plan()


_read_ours = functools.lru_cache(maxsize=1024)(_statements.read)
"""The lesson's own cells come again in each submission."""


def _plain(source: str) -> str:
    """A source without white space around it or at the ends of its lines."""
    return "\n".join(line.rstrip() for line in source.strip().splitlines())


class _Planner:
    """Reads the cells of one submission and slices them."""

    def __init__(self, cells: Sequence[str], template: Template) -> None:
        self.cells = cells
        self.targets = template.exercises
        given = {_plain(source) for source in (*template.setup, *template.given)}
        self.own = [_plain(source) not in given for source in cells]
        self.readings = list(self._readings())
        self.setup = [piece for source in template.setup for piece in _read_ours(source).pieces]
        self.pieces = [*self.setup, *self._not_setup()]
        self.slices = Slices(self.pieces, self._outdone())

    def _readings(self) -> Iterator[Reading]:
        future, characters, statements = False, LONGEST, MOST
        for source, own in zip(self.cells, self.own, strict=True):
            characters -= len(source)
            if characters < 0 or statements < 0:
                yield Reading(error="up to here, there is more code than anybody writes")
                continue
            reading = _statements.read(source, future) if own else _read_ours(source, future)
            future, statements = reading.future, statements - 1 - len(reading.pieces)
            yield reading

    def _not_setup(self) -> Iterator[Piece]:
        """The submission's statements without those of the set-up, unless they bring back what was redefined."""
        given, redefined = {piece.source for piece in self.setup}, set[str]()
        for cell, reading in enumerate(self.readings):
            for piece in reading.pieces:
                if piece.source not in given or piece.defines & redefined:
                    redefined |= piece.defines
                    yield replace(piece, cell=cell)

    def _outdone(self) -> set[int]:
        """The stubs of exercises that have an answer as well."""
        variables = {target.variable for target in self.targets.values()}
        answered = {name for piece in self.pieces if not piece.blank for name in piece.defines & variables}
        return {i for i, piece in enumerate(self.pieces) if piece.blank and piece.defines & answered}

    # -- one exercise -----------------------------------------------------------------------------------------

    def plan(self) -> Plan:
        """The whole plan."""
        answers = {name: self._answer(name) for name in self.targets}
        absent = {name: mark for name, at in answers.items() if (mark := self._absent(name, at))}
        runs = {name: self._needs(name, at) for name, at in answers.items() if at is not None and name not in absent}
        kept = sorted({i for order in runs.values() for i in order if i >= len(self.setup)})
        place = {i: len(self.setup) + k for k, i in enumerate(kept)}
        return Plan(
            (*self.setup, *(self.pieces[i] for i in kept)),
            len(self.setup),
            {name: tuple(place[i] for i in order if i in place) for name, order in runs.items()},
            {name: self.pieces[at].cell for name, at in answers.items() if at is not None and name in runs},
            absent,
            {name: tuple(self._notes(name, runs.get(name, ()))) for name in self.targets},
            tuple(_first(self._remarks())),
            frozenset(self._trusted()),
        )

    def _trusted(self) -> Iterator[str]:
        """The set-up, and what else is the lesson's and takes no name that the student has defined or changed."""
        later = [piece for piece in self.pieces if piece.cell >= 0]
        theirs = set[str]().union(*(piece.defines | piece.changes for piece in later if self.own[piece.cell]))
        yield from (piece.source for piece in self.setup)
        yield from (p.source for p in later if not self.own[p.cell] and not theirs & (p.uses | p.later))

    def _answer(self, name: str) -> int | None:
        """Where the last definition of an exercise's variable is."""
        definers = self.slices.definers(self.targets[name].variable)
        return definers[-1] if definers and definers[-1] >= len(self.setup) else None

    def _needs(self, name: str, answer: int) -> list[int]:
        """What an answer needs, and the settings of the cells that it is taken from."""
        seeds = set(self.slices.history(self.targets[name].variable, answer))
        horizon = self._horizon(name, answer)
        while True:
            order = self.slices.needs(seeds, horizon)
            cells = {self.pieces[i].cell for i in order} & {k for k, own in enumerate(self.own) if own}
            settings = {i for k in cells for i in self.settings.get(k, ())}
            if settings <= seeds:
                return order
            seeds |= settings

    @functools.cached_property
    def settings(self) -> Mapping[int, list[int]]:
        """The settings in each cell."""
        found: dict[int, list[int]] = {}
        for i, piece in enumerate(self.pieces):
            if self.slices.is_setting(piece):
                found.setdefault(piece.cell, []).append(i)
        return found

    def _horizon(self, name: str, answer: int) -> int:
        """Where the answer is first checked, else where its cell ends."""
        below = range(answer + 1, len(self.pieces))
        asked = next((i for i in below if name in self.pieces[i].asks), None)
        end = next((i for i in below if self.pieces[i].cell > self.pieces[answer].cell), len(self.pieces))
        return end if asked is None else asked

    # -- what there is to say ---------------------------------------------------------------------------------

    def _absent(self, name: str, answer: int | None) -> Absent | None:
        """Why an exercise cannot be run; None if it can."""
        if answer is not None and not self.pieces[answer].blank:
            return None
        if broken := self._broken(name):
            return Absent("error", "SyntaxError", f"{self._problem(broken[-1])} Fix it, and run the cell again.")
        variable = self.targets[name].variable
        for cell, reading in enumerate(self.readings):
            for line in (line for awaited, line in reading.awaited if awaited == variable):
                where = f"Line {line} of code cell {cell + 1} uses `await` outside a function"
                return Absent(
                    "error", "SyntaxError", f"{where}: it cannot be run outside a notebook. Write it without `await`."
                )
        return None if answer is not None else Absent("missing", "missing-name", self._missing(variable))

    def _missing(self, variable: str) -> str:
        own = [i for i in range(len(self.setup), len(self.pieces)) if self.own[self.pieces[i].cell]]
        names = {name for i in own for name in self.pieces[i].defines if not name.startswith("_")}
        near = nearest(variable, sorted(names))
        hidden = any(variable in cell and HIDDEN.search(cell) for cell in self.cells)
        return (
            f"There is no `{variable}` in the notebook. Define it at the top level of a code cell, with `def` or `=`"
            + (", where it can be seen without running anything: not through `exec` or `globals()`." if hidden else ".")
            + (f" You have `{near}`: did you mean that?" if near else "")
        )

    def _broken(self, name: str) -> list[int]:
        """The cells that are not Python and have an exercise's marker or its definition."""
        markers, bound = self._unread
        return sorted({*markers.get(name, ()), *bound.get(self.targets[name].variable, ())})

    @functools.cached_property
    def _unread(self) -> tuple[Mapping[str, set[int]], Mapping[str, set[int]]]:
        """Of the cells that are not Python: where each exercise's marker stands, and where each name seems defined."""
        markers, bound = defaultdict[str, set[int]](set), defaultdict[str, set[int]](set)
        for k, (cell, reading) in enumerate(zip(self.cells, self.readings, strict=True)):
            if reading.error:
                for exercise in _MARKER.findall(cell):
                    markers[exercise].add(k)
                for match in _BINDING.finditer(cell):
                    bound[match["defined"] or match["assigned"]].add(k)
        return markers, bound

    def _problem(self, cell: int) -> str:
        return f"Code cell {cell + 1} cannot be read: {self.readings[cell].error}."

    def _notes(self, name: str, order: Sequence[int]) -> Iterator[str]:
        variable = self.targets[name].variable
        cells = sorted({self.pieces[i].cell + 1 for i in self.slices.definers(variable)})
        if len(cells) > 1:
            yield f"`{variable}` is defined in code cells {_listed(cells)}: the last one counts."
        lost = {n for i in order for n in self.pieces[i].uses | self.pieces[i].later if not self.slices.definers(n)}
        for unread in [variable, *sorted(lost)] if order else []:
            for cell in sorted(self._unread[1].get(unread, ())):
                yield f"A definition of `{unread}` is lost. {self._problem(cell)}"

    def _remarks(self) -> Iterator[str]:
        named = {cell for name in self.targets for cell in self._broken(name)}
        for cell, (reading, own) in enumerate(zip(self.readings, self.own, strict=True)):
            if reading.error and cell not in named:
                yield self._problem(cell)
            if own and reading.left_out:
                yield f"Left out of code cell {cell + 1}: {_listed(map(_code, reading.left_out))}."
            for line in sorted({line for _, line in reading.awaited}):
                yield f"Left out of code cell {cell + 1}: line {line}, which uses `await` outside a function."
            if any("*" in piece.defines for piece in reading.pieces):
                yield f"Code cell {cell + 1} imports everything from a module: what it defines cannot be seen."


def _code(text: str) -> str:
    text = text.replace("`", "'")
    return f"`{text if len(text) <= 60 else text[:57] + '...'}`"


def _first(remarks: Iterable[str]) -> list[str]:
    texts = list(remarks)
    more = len(texts) - _REMARKS
    return [*texts[:_REMARKS], f"There are {more} more remarks of this kind."] if more > 0 else texts


def _listed(things: Iterable[object]) -> str:
    """The first items of a list, and how many more there are."""
    texts = [str(thing) for thing in things]
    more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return ", ".join(texts[:_SHOWN]) + more
