"""A notebook as it stands: what is run where an answer that was taken out of it does not pass.

A slice can miss what a statement does to the world: it registers a function, fills a table through another function,
writes a file, changes a setting, binds a name through `globals()`. So the notebook is also read as a sequence, in which
every cell of the student's own is run from top to bottom, down to the last `check` of an exercise. The lesson's
demonstrations are ours: of them, what the student's code names is run, with what it needs, and what changes settings.

`Standing.different` says where this could tell anything that the slice did not: it could not where all that the slice
leaves out only defines, shows or compares.
"""

from __future__ import annotations

import ast
import builtins
import functools
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from jaxcourse.grade.slicing._cells import HIDDEN, Template, _Planner
from jaxcourse.grade.slicing._statements import CHANGERS, Piece, dotted, executed, read_whole

_WORD = re.compile(r"\w+")
_KNOWN = ("functools", "itertools", "jax", "jaxcourse", "math", "matplotlib", "numpy", "operator", "optax", "scipy")
"""Libraries whose functions compute or show; what changes a setting is known by name."""
_DANGEROUS = {"__import__", "delattr", "eval", "exec", "globals", "input", "locals", "next", "open", "setattr", "vars"}
"""Built-in functions that may change what nobody names."""
_WRITERS = {*CHANGERS, "fill", "itemset", "partition", "put", "resize", "setfield", "setflags", "tofile"}
_SAFE = {"block_until_ready", "compile", "items", "keys", "lower", "trace", "values"}
_METHODS = {*dir(np.ndarray), *dir(str), *_SAFE} - _WRITERS
"""Methods that change nothing."""
_HARMLESS_MAGICS = re.compile(
    r"%+(?:autoreload|config|load_ext|matplotlib|pinfo2?|pip|time|timeit|who|whos)\b|%%capture$|[!?]"
)
_ODD = (ast.Await, ast.NamedExpr, ast.Yield, ast.YieldFrom)
_PLAIN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Assign, ast.AnnAssign, ast.Expr, ast.Assert, ast.Pass)


@dataclass(frozen=True)
class Standing:
    """A notebook as it stands.

    Attributes:
        pieces: what is run after the lesson's set-up, in the notebook's order.
        stops: for each exercise, how many of these are run before its answer is asked.
        different: the exercises of which this could tell anything new.
    """

    pieces: tuple[Piece, ...]
    stops: Mapping[str, int]
    different: frozenset[str]

    def code(self, exercise: str) -> list[Piece]:
        """What is run for an exercise, without the set-up."""
        return [piece for piece in self.pieces[: self.stops[exercise]] if piece.source]


def as_it_stands(cells: Sequence[str], template: Template) -> Standing:
    """Read a submission as a sequence.

    Args:
        cells: the source of each code cell, in the notebook's order.
        template: the lesson.

    Example:
        >>> from jaxcourse.grade.slicing import Target
        >>> toy = Template("01_toy", (), (), {"six": Target("six", "Six", 1)})
        >>> found = as_it_stands(["table = {}", "%%writefile a.txt\\n6", "six = 6", 'check("six")', "x = 1"], toy)
        >>> [piece.source for piece in found.code("six")]
        ['table = {}', "get_ipython().run_cell_magic('writefile', 'a.txt', '6')", 'six = 6']
    """
    return _Reader(_Planner(cells, template)).standing()


@dataclass
class _Reader:
    """Reads what a planner has read in another way."""

    planner: _Planner

    def standing(self) -> Standing:
        pieces = self.pieces
        stops = {name: self._stop(name) for name in self.planner.targets}
        different = frozenset(name for name in stops if self._differs(name))
        return Standing(pieces, stops, different)

    @functools.cached_property
    def pieces(self) -> tuple[Piece, ...]:
        planner, future, found = self.planner, False, list[Piece]()
        for cell, (source, own) in enumerate(zip(planner.cells, planner.own, strict=True)):
            if own and not planner.readings[cell].error:
                reading = read_whole(source, future)
                future = reading.future
                found += (replace(piece, cell=cell) for piece in reading.pieces)
            elif not own:
                found += (planner.pieces[i] for i in self.given if planner.pieces[i].cell == cell)
        return tuple(found)

    @functools.cached_property
    def given(self) -> list[int]:
        """Of the lesson's own cells: what the student's code names, what that needs, and what changes settings."""
        planner = self.planner
        own = [piece for i, piece in enumerate(planner.pieces) if piece.cell >= 0 and self._own(i)]
        words = set[str]().union(*(piece.uses | piece.later | piece.changes | piece.touches for piece in own))
        for source, reading, theirs in zip(planner.cells, planner.readings, planner.own, strict=True):
            if theirs and (reading.left_out or HIDDEN.search(source)):
                words |= set(_WORD.findall(source))
        ours = [i for i, piece in enumerate(planner.pieces) if piece.cell >= 0 and not planner.own[piece.cell]]
        seeds = {i for i in ours if planner.pieces[i].defines & words or planner.slices.is_setting(planner.pieces[i])}
        return sorted(set(planner.slices.needs(seeds, len(planner.pieces))) & set(ours))

    def _stop(self, name: str) -> int:
        """Where an exercise is checked last; else the end."""
        checks = [k for k, piece in enumerate(self.pieces) if name in piece.asks]
        return checks[-1] if checks else len(self.pieces)

    # -- whether it could tell anything new --------------------------------------------------------------------

    def _differs(self, name: str) -> bool:
        planner = self.planner
        answer = planner._answer(name)
        sliced = set(planner._needs(name, answer)) if answer is not None else set[int]()
        variable = planner.targets[name].variable
        names = {variable}.union(
            *(p.defines | p.uses | p.later | p.changes for p in (planner.pieces[i] for i in sliced))
        )
        rest = [i for i in range(len(planner.setup), len(planner.pieces)) if i not in sliced and self._own(i)]
        inert = all(i in self.inert and not self._rebinds(planner.pieces[i]) & names for i in rest)
        return not inert or self._has_more or self._ends_early(name, sliced)

    def _rebinds(self, piece: Piece) -> set[str]:
        """The names that a statement gives another meaning; to import the same once more gives none."""
        pieces, slices = self.planner.pieces, self.planner.slices
        same = {
            name
            for name, what in piece.imports
            if all((name, what) in pieces[i].imports for i in slices.definers(name))
        }
        return set(piece.defines) - same

    def _own(self, i: int) -> bool:
        return self.planner.own[self.planner.pieces[i].cell]

    def _ends_early(self, name: str, sliced: Iterable[int]) -> bool:
        """Whether an exercise is checked last before something that its slice has."""
        checks = [i for i, piece in enumerate(self.planner.pieces) if name in piece.asks]
        return bool(checks) and max(sliced, default=0) > checks[-1]

    @functools.cached_property
    def _has_more(self) -> bool:
        """Whether the student's cells have magics that do something, or `await`."""
        readings = [reading for reading, own in zip(self.planner.readings, self.planner.own, strict=True) if own]
        magics = [text for reading in readings for text in reading.left_out]
        return any(reading.awaited for reading in readings) or not all(map(_HARMLESS_MAGICS.match, magics))

    @functools.cached_property
    def inert(self) -> frozenset[int]:
        """The student's statements that only define, show or compare."""
        pieces = enumerate(self.planner.pieces[len(self.planner.setup) :], len(self.planner.setup))
        return frozenset(i for i, piece in pieces if self._own(i) and self._is_inert(piece))

    def _is_inert(self, piece: Piece) -> bool:
        if piece.kind == "import":
            return all(what.partition(".")[0] in (*sys.stdlib_module_names, *_KNOWN) for _, what in piece.imports)
        if piece.changes or self.planner.slices.is_setting(piece):
            return False
        return all(isinstance(node, _PLAIN) and self._only_computes(node) for node in ast.parse(piece.source).body)

    def _only_computes(self, node: ast.stmt) -> bool:
        """Whether what a statement does where it stands changes nothing but the names that it binds."""
        inside = list(executed(node))
        known = all(self._is_known(part.func) for part in inside if isinstance(part, ast.Call))
        decorators = getattr(node, "decorator_list", [])
        return known and all(map(self._is_known, decorators)) and not any(isinstance(part, _ODD) for part in inside)

    def _is_known(self, function: ast.expr) -> bool:
        if isinstance(function, ast.Call):
            return self._is_known(function.func)
        name = self.planner.slices.stands_for(dotted(function))
        if name.partition(".")[0] in _KNOWN or (hasattr(builtins, name) and name not in _DANGEROUS):
            return True
        return isinstance(function, ast.Attribute) and function.attr in _METHODS
