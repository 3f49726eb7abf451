"""Which cells of a page measure, and what each of them rests on."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from jaxcourse_author.lesson import page_at, without_magics

MEASURES = re.compile(
    r"\bbench\.(race|sweep|ceilings|bandwidth)\b|\b(perf_counter|monotonic|process_time|getrusage|timeit)\b"
)
"""What a cell that measures time has in its code."""
_SKIPPED = {"skip-execution", "proof"}
"""The tags of cells that a recording leaves out: what is not run on the page, and what a CPU alone may have to hold."""


@dataclass(frozen=True)
class CodeCell:
    """A code cell of a page.

    Attributes:
        code: as it is written.
        line: with which it begins in the page's source.
        runs: whether a recording runs it.
    """

    code: str
    line: int
    runs: bool


def code_cells(path: Path) -> list[CodeCell]:
    """The code cells of a page, in their order."""
    found = page_at(path).directives("code-cell")
    return [CodeCell(one.body, one.line, not _SKIPPED & set(one.options.get("tags", ()))) for one in found]


def measuring_cells(codes: Mapping[int, str]) -> tuple[set[int], re.Pattern[str]]:
    r"""Which cells measure time, by themselves or by a function that a cell defines.

    Args:
        codes: the cells' code, by their numbers.

    Returns:
        Their numbers, and the pattern that is found in each.

    Example:
        >>> measuring_cells({0: "def clocked():\n    return bench.race(two)", 1: "x = 1", 2: "clocked()"})[0]
        {0, 2}
    """
    pattern, before = MEASURES, -1
    found: set[int] = set()
    while len(found) > before:
        before = len(found)
        found = {i for i, source in codes.items() if pattern.search(source)}
        names = {name for i in found for name in _functions_that(pattern, codes[i])}
        if names:
            pattern = re.compile(rf"{MEASURES.pattern}|\b({'|'.join(sorted(names))})\b")
    return found, pattern


def _functions_that(pattern: re.Pattern[str], source: str) -> Iterator[str]:
    """The functions in a cell whose text matches a pattern."""
    for function in re.finditer(r"^def (\w+)\(.*\n(?:(?:[ \t].*)?\n?)*", source, re.MULTILINE):
        if pattern.search(function[0].partition("\n")[2]):
            yield function[1]


def measured_cells(cells: list[CodeCell]) -> dict[str, int]:
    """The cells whose outputs may say what was measured: by what each is known, its place in the list.

    A cell counts if it measures, or if it reads what another one has measured. What a cell is known by changes with
    its code, and with that of the cells on which it rests: what was recorded of it then no longer counts.

    Example:
        >>> a, b, c = (CodeCell(code, 1, True) for code in ("one = bench.race(two)", "print(one)", "print(2)"))
        >>> [*measured_cells([a, b, c]).values()]
        [0, 1]
    """
    codes = {i: cell.code for i, cell in enumerate(cells) if cell.runs}
    found, pattern = measuring_cells(codes)
    trees = {i: ast.parse(without_magics(code)) for i, code in codes.items()}
    results: set[str] = set()
    for i, tree in trees.items():
        if results & _names_read(tree):
            found.add(i)
        for statement in _simple(tree):
            _follow(statement, pattern, results)
    return {_known_by(trees, i): i for i in sorted(found)}


def _simple(node: ast.AST) -> Iterator[ast.stmt]:
    """The assignments and calls in a cell, outside of functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr)):
            yield child
        elif not isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            yield from _simple(child)


def _follow(statement: ast.stmt, pattern: re.Pattern[str], results: set[str]) -> None:
    """Add to the names of what was measured those that a statement gives it, and drop those that it gives away."""
    if pattern.search(ast.unparse(statement)) or results & _names_read(statement):
        results |= set(_names_bound(statement))
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            into = statement.value.func
            results |= _names_read(into.value) if isinstance(into, ast.Attribute) and into.attr == "append" else set()
    elif isinstance(statement, ast.Assign):
        results -= {one.id for one in statement.targets if isinstance(one, ast.Name)}


def _names_read(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _names_bound(node: ast.AST) -> Iterator[str]:
    """The names that a statement binds, or into whose values it writes, outside of functions."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
        return
    if isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
        yield from _names_read(node.value)
    for child in ast.iter_child_nodes(node):
        yield from _names_bound(child)


def _known_by(trees: Mapping[int, ast.Module], place: int) -> str:
    """A digest of a cell and of the cells on which it rests, whatever their comments and line breaks."""
    needs, used = _names_read(trees[place]), [trees[place]]
    for i in sorted((i for i in trees if i < place), reverse=True):
        if needs & set(_names_bound(trees[i])):
            needs |= _names_read(trees[i])
            used.append(trees[i])
    return hashlib.sha256("\n\n".join(map(ast.unparse, used)).encode()).hexdigest()[:12]
