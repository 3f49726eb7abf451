"""From the code cells of a submission to a plan: what is run, and where each answer is asked.

A notebook is run as it stands: every cell of the student's own, from top to bottom, and each answer is judged where it
is checked last. The lesson's set-up cells are ours: they come from the lesson, whatever the student did to them, and
what a student changed in them counts as the student's. Of the lesson's demonstrations, what the student's code names is
run, with what it needs, and what changes settings.

Nothing is executed here. What names alone cannot tell, such as a table that another function fills, need not be known:
the cell that does it is run.
"""

from __future__ import annotations

import builtins
import functools
import json
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from jaxcourse.course import Lesson, nearest
from jaxcourse.exercise import variable_of
from jaxcourse_grade._records import Status
from jaxcourse_grade.slicing import _statements
from jaxcourse_grade.slicing._statements import MOST, CellStatements, Links, Piece

_MARKER = re.compile(r"^[ \t]*#[ \t]*exercise:[ \t]*(\S+)", re.MULTILINE)
_BINDING = re.compile(
    r"^[ \t]*(?:(?:async[ \t]+)?(?:def|class)[ \t]+(?P<defined>\w+)|(?P<assigned>\w+)[ \t]*(?::|=(?!=)))", re.MULTILINE
)
_WORD = re.compile(r"\w+")
_HIDDEN = re.compile(r"(?<![\w.])(?:eval|exec|globals|locals|vars|setattr)\(|^[ \t]*%", re.MULTILINE)
"""Where a name may be made or read that nobody sees."""
LONGEST = 300_000
"""Characters of code in a notebook: the parser may need a kilobyte of memory for each."""
SECONDS = 5.0
"""Of processor time for all cells; what is not read then is not run. An honest notebook takes a tenth of one."""
STUB_AGAIN = "Below the answer, its stub stands once more, as it was handed out: it was left out."
"""What is noted of an exercise whose cell was pasted again."""
_SHOWN = 3
"""How many items a note lists."""
_REMARKS = 20
"""How many remarks a notebook gets."""


@dataclass(frozen=True)
class Target:
    """What a lesson asks in one exercise.

    Attributes:
        variable: what its answer is called.
        title: its own.
        points: what it is worth.
        earlier: the names that it has had, the latest first: notebooks of then have them.
    """

    variable: str
    title: str
    points: float
    earlier: tuple[str, ...] = ()


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
    """What is run of a submission, and where its answers are asked.

    Attributes:
        setup: the lesson's set-up, which comes first.
        pieces: what is run after it, in the notebook's order.
        stops: for each exercise, how many of these are run before its answer is asked.
        behind: for each exercise, which of them make its answer what it is, as far as names tell.
        called: for each exercise, the names under which its answer may be there, what counts before the others first.
        absent: for each exercise, what is to be said if it has no answer when all is run.
        notes: what an instructor should know about an exercise.
        remarks: the same about the notebook.
        newer: which Python the answers are written in, and where it shows, if it is none that this one reads.
    """

    setup: tuple[Piece, ...]
    pieces: tuple[Piece, ...]
    stops: Mapping[str, int]
    behind: Mapping[str, tuple[int, ...]]
    called: Mapping[str, tuple[str, ...]]
    absent: Mapping[str, Absent]
    notes: Mapping[str, tuple[str, ...]]
    remarks: tuple[str, ...]
    newer: str = ""

    def code(self, exercise: str) -> list[Piece]:
        """What makes the answer what it is, without the set-up."""
        return [self.pieces[i] for i in self.behind[exercise] if self.pieces[i].source]


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
    earlier = lesson.texts[lesson.stem].earlier
    return Template(
        lesson.stem,
        tuple(cell["source"] for cell, ours in zip(code, is_setup, strict=True) if ours),
        tuple(cell["source"] for cell, ours in zip(code, is_setup, strict=True) if not ours),
        {
            name: Target(task.variable, titles.get(name) or name, task.points, tuple(earlier.get(name, ())))
            for name, task in lesson.exercises.items()
        },
    )


def _role(cell: dict[str, dict[str, dict[str, str]]]) -> dict[str, str]:
    return cell["metadata"].get("jaxcourse", {})


def plan(cells: Sequence[str], template: Template) -> Plan:
    """Decide what is run of a submission, and where each exercise is asked.

    Args:
        cells: the source of each code cell, in the notebook's order, as the student left it.
        template: the lesson.

    Example:
        >>> toy = Template("01_toy", ("import numpy as np",), (), {"double-it": Target("double_it", "Double it", 1)})
        >>> ours = plan(["k = 2", "double_it = lambda x: k * x", 'check("double-it")', "z = 3"], toy)
        >>> [piece.source for piece in ours.pieces], ours.stops["double-it"]
        (['k = 2', 'double_it = lambda x: k * x', '', 'z = 3'], 3)
    """
    return _Planner(cells, template).plan()


_read_ours = functools.lru_cache(maxsize=1024)(_statements.read_statements)
"""The lesson's own cells come again in each submission."""


def _plain(source: str) -> str:
    """A source without white space around it or at the ends of its lines."""
    return "\n".join(line.rstrip() for line in source.strip().splitlines())


class _Planner:
    """Reads the cells of one submission."""

    def __init__(self, cells: Sequence[str], template: Template) -> None:
        self.cells = cells
        self.targets = template.exercises
        setup, given = set(map(_plain, template.setup)), set(map(_plain, template.given))
        self.is_setup = [_plain(source) in setup for source in cells]
        self.own = [not ours and _plain(cell) not in given for ours, cell in zip(self.is_setup, cells, strict=True)]
        self.setup = tuple(piece for source in template.setup for piece in _read_ours(source).pieces)
        self.readings = list(self._readings())
        self.stubs = set[str]()
        self.pieces = tuple(self._but_stubs(list(self._pieces())))
        self.links = Links([*self.setup, *self.pieces])
        self.called = {name: tuple(sorted(_names(name, self.targets), key=self._rank)) for name in self.targets}

    def _readings(self) -> Iterator[CellStatements]:
        future, characters, statements, until = False, LONGEST, 2 * MOST, time.thread_time() + SECONDS
        for source, own in zip(self.cells, self.own, strict=True):
            characters -= len(source)
            if characters < 0 or statements < 0:
                yield CellStatements(error="up to here, there is more code than anybody writes")
                continue
            if time.thread_time() > until:
                yield CellStatements(error=f"to read the cells above it took more than {SECONDS:g} seconds")
                continue
            reading = _statements.read_statements(source, future) if own else _read_ours(source, future)
            future, statements = reading.future, statements - 1 - len(reading.pieces)
            yield reading

    def _pieces(self) -> Iterator[Piece]:
        """The student's statements, and those of the lesson's demonstrations that the student's code needs.

        A statement of the set-up is not run again, unless it brings back what was redefined.
        """
        given, setup, redefined = self._demonstrations(), {piece.source for piece in self.setup}, set[str]()
        for cell, (reading, own) in enumerate(zip(self.readings, self.own, strict=True)):
            for piece in reading.pieces if own or not self.is_setup[cell] else ():
                again = piece.source in setup and not piece.defines & redefined
                if (own and (not again or piece.asks)) or (not own and piece in given):
                    redefined |= piece.defines
                    yield replace(piece, cell=cell)

    def _but_stubs(self, pieces: list[Piece]) -> Iterator[Piece]:
        """The same, without the stubs of exercises below their answers: as they were handed out, they replace none."""
        variables = {variable_of(one): name for name in self.targets for one in _names(name, self.targets)}
        answered = set[str]()
        for piece in pieces:
            bound = piece.defines & variables.keys()
            if piece.blank and bound and piece.defines <= answered:
                self.stubs |= {variables[variable] for variable in bound}
                continue
            answered = answered - bound if piece.blank else answered | bound
            yield piece

    def _demonstrations(self) -> set[Piece]:
        """Of the lesson's demonstrations: what the student's code needs, what that needs, and what changes settings."""
        readings = list(zip(self.readings, self.own, self.is_setup, strict=True))
        ours = [piece for reading, own, setup in readings if not own and not setup for piece in reading.pieces]
        links, found, todo = Links(ours), set[int](), self._free_names()
        while todo:
            name = todo.pop()
            for i in [i for i in links.makers.get(name, ()) if name in ours[i].defines and i not in found]:
                found.add(i)
                todo |= ours[i].uses | ours[i].later
        return {ours[i] for i in found} | {piece for piece in ours if links.is_setting(piece)}

    def _free_names(self) -> set[str]:
        """The names that the student's code takes from elsewhere: it reads them, and has not defined them."""
        known = set[str]().union(*(piece.defines for piece in self.setup))
        needed, later = set[str](), set[str]()
        for source, reading, own in zip(self.cells, self.readings, self.own, strict=True):
            for piece in reading.pieces if own else ():
                needed |= (piece.uses | piece.changes) - known
                later |= piece.later
                known |= piece.defines
            if own and _HIDDEN.search(source):
                later |= set(_WORD.findall(source))
        return needed | (later - known)

    # -- one exercise -----------------------------------------------------------------------------------------

    def plan(self) -> Plan:
        """The whole plan."""
        behind = {name: self._behind(name) for name in self.targets}
        return Plan(
            self.setup,
            self.pieces,
            {name: self._stop(name) for name in self.targets},
            behind,
            self.called,
            {name: self._absent(name) for name in self.targets},
            {name: tuple(self._notes(name, behind[name])) for name in self.targets},
            tuple(_first(self._remarks())),
            self._newer(),
        )

    def _definers(self, variable: str) -> list[int]:
        return [i for i, piece in enumerate(self.pieces) if variable in piece.defines]

    def _rank(self, name: str) -> int:
        """What counts first, where an exercise has had several names: an answer, then a stub, then what is not read."""
        definers = [i for i in self._definers(variable_of(name)) if self.own[self.pieces[i].cell]]
        if definers:
            return 1 if self.pieces[definers[-1]].blank else 0
        markers, bound = self._unread_places
        return 2 if name in markers or variable_of(name) in bound else 3

    def _variable(self, name: str) -> str:
        """What the answer is called here."""
        return variable_of(self.called[name][0])

    def _stop(self, name: str) -> int:
        """Where an exercise is checked last, else where the cell ends that defines its answer last, else the end."""
        checks = [i for i, piece in enumerate(self.pieces) if set(piece.asks) & set(self.called[name])]
        if checks:
            return checks[-1] + 1
        definers = self._definers(self._variable(name))
        cell = self.pieces[definers[-1]].cell if definers else len(self.cells)
        return sum(piece.cell <= cell for piece in self.pieces)

    def _behind(self, name: str) -> tuple[int, ...]:
        first = len(self.setup)
        return tuple(i - first for i in sorted(self.links.behind([self._variable(name)])) if i >= first)

    # -- what there is to say ---------------------------------------------------------------------------------

    def _absent(self, name: str) -> Absent:
        """What is to be said where an answer is not there when all is run: it cannot be read, or it is missing."""
        if broken := self._broken_cells(name):
            return Absent("error", "SyntaxError", f"{self._problem(broken[-1])} Fix it, and run the cell again.")
        variable = self._variable(name)
        return Absent("missing", "missing-name", f"{self._missing_message(variable)}{self._unrun_note(name, variable)}")

    def _missing_message(self, variable: str) -> str:
        names = {name for piece in self.pieces if self.own[piece.cell] for name in piece.defines if name[:1] != "_"}
        near = nearest(variable, sorted(names)[:_NAMES])
        return f"There is no `{variable}` in the notebook: define it in a code cell, with `def` or `=`." + (
            f" You have `{near}`: did you mean that?" if near else ""
        )

    def _unrun_note(self, name: str, variable: str) -> str:
        """What to say of a cell that seems to define an answer, and is not run as Python."""
        for number, (cell, reading) in enumerate(zip(self.cells, self.readings, strict=True), 1):
            marked = set(self.called[name]) & set(_MARKER.findall(cell))
            if reading.unrun and (marked or variable in _bound_names(cell)):
                return f" Code cell {number} was not run, because it begins with `{reading.unrun}`: remove that line."
        return ""

    def _broken_cells(self, name: str) -> list[int]:
        """The cells that are not Python and have an exercise's marker or its definition."""
        markers, bound = self._unread_places
        return sorted({k for one in self.called[name] for k in (*markers[one], *bound[variable_of(one)])})

    @functools.cached_property
    def _unread_places(self) -> tuple[defaultdict[str, set[int]], defaultdict[str, set[int]]]:
        """Of the cells that are not Python: where each exercise's marker stands, and where each name seems defined."""
        markers, bound = defaultdict[str, set[int]](set), defaultdict[str, set[int]](set)
        for k, (cell, reading) in enumerate(zip(self.cells, self.readings, strict=True)):
            if reading.error:
                for exercise in _MARKER.findall(cell):
                    markers[exercise].add(k)
                for name in _bound_names(cell):
                    bound[name].add(k)
        return markers, bound

    def _problem(self, cell: int) -> str:
        return f"Code cell {cell + 1} cannot be read: {self.readings[cell].error}."

    def _newer(self) -> str:
        """Which Python the answers need, if it is newer than this one, and where that shows."""
        newer = [(k, reading.newer) for k, reading in enumerate(self.readings) if reading.newer]
        needed = [(tuple(map(int, version.split("."))), k) for k, version in newer if self._is_needed(k)]
        if not needed:
            return ""
        version, cell = max(needed, key=lambda pair: pair[0])
        ours, theirs = (".".join(map(str, parts)) for parts in (sys.version_info[:2], version))
        return (
            f"The notebook is written for Python {theirs} or newer. This grader runs on Python {ours}, and cannot "
            f"read it: code cell {cell + 1}, {self.readings[cell].error}. Grade it with Python {theirs}."
        )

    def _is_needed(self, cell: int) -> bool:
        """Whether a cell that is not read may hold an answer, or something that one needs."""
        source, used = self.cells[cell], self._used_names
        lacking = {name for name in used if name not in self.links.makers and not hasattr(builtins, name)}
        broken = any(cell in self._broken_cells(name) for name in self.targets)
        return broken or bool(used & set(_bound_names(source)) or lacking & set(_WORD.findall(source)))

    @functools.cached_property
    def _used_names(self) -> set[str]:
        """The names that the answers use, and what makes these uses."""
        behind = {i for name in self.targets for i in self._behind(name)}
        return set[str]().union(*(self.pieces[i].uses | self.pieces[i].later for i in behind))

    def _notes(self, name: str, behind: Sequence[int]) -> Iterator[str]:
        variable, *others = (variable_of(one) for one in self.called[name])
        if also := [other for other in others if self._definers(other)]:
            yield f"`{variable}` was judged, and not `{also[0]}`: the exercise has had both names."
        cells = sorted({self.pieces[i].cell + 1 for i in self._definers(variable)})
        if len(cells) > 1:
            yield f"`{variable}` is defined in code cells {_few(cells)}: it was judged as it is where it is checked."
        if name in self.stubs:
            yield STUB_AGAIN
        used = set[str]().union(*(self.pieces[i].uses | self.pieces[i].later for i in behind))
        for unread in [variable, *sorted(n for n in used if n not in self.links.makers)] if behind else []:
            for cell in sorted(self._unread_places[1].get(unread, ())):
                yield f"A definition of `{unread}` is lost. {self._problem(cell)}"

    def _remarks(self) -> Iterator[str]:
        named = {cell for name in self.targets for cell in self._broken_cells(name)}
        yield from (self._problem(k) for k, reading in enumerate(self.readings) if reading.error and k not in named)
        for number, reading in enumerate(self.readings, 1):
            for magic in reading.unknown:
                yield f"Code cell {number} begins with `{magic}`, which is not here: what follows was run as Python."


def _names(name: str, targets: Mapping[str, Target]) -> tuple[str, ...]:
    """The names of an exercise: that of today, and those that it has had."""
    return (name, *targets[name].earlier)


def _bound_names(cell: str) -> Iterator[str]:
    """The names that a cell seems to define."""
    return (match["defined"] or match["assigned"] for match in _BINDING.finditer(cell))


_NAMES = 2_000
"""Among how many names the nearest is sought."""


def _first(remarks: Iterable[str]) -> list[str]:
    texts = list(remarks)
    more = len(texts) - _REMARKS
    return [*texts[:_REMARKS], f"There are {more} more remarks of this kind."] if more > 0 else texts


def _few(things: Iterable[object]) -> str:
    """The first items of a list, and how many more there are."""
    texts = [str(thing) for thing in things]
    more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return ", ".join(texts[:_SHOWN]) + more
