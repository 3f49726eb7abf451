"""Rules about proof cells: short, silent, able to fail, and of no consequence for any other cell.

A blank notebook has none of them, so whatever they leave behind would be missing there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jaxcourse_author.lesson import Cell, without_magics
from jaxcourse_author.rules._rule import Pair, Refusal, rule
from jaxcourse_author.rules._text import bound_in, names_in

PROOF_LINES = 15
"""How many lines a reader who opens a proof should have to read."""

_CLOCKS = {"bench", "monotonic", "perf_counter", "process_time", "time", "timeit"}
"""Names by which time is measured."""
_SHOWS = {"display", "draw", "explore", "play", "print"}
"""Names by which something is shown."""
_SETTINGS = {"environ", "seterr", "set_printoptions", "simplefilter", "filterwarnings", "update"}
"""Names by which a setting is left changed."""


@rule(per="lesson")
def proofs_can_fail(pair: Pair) -> Iterator[Refusal]:
    """Every proof asserts something of what it has computed, and says in words what is not so if it fails."""
    for cell, tree in _proofs(pair):
        asserted = [node for node in ast.walk(tree) if isinstance(node, ast.Assert)]
        if not any(_is_computed(node.test) for node in asserted):
            yield _refusal(pair, cell, "asserts nothing", "Write `assert what_is_so, f'what was found instead'`.")
        if not all(node.msg for node in asserted):
            yield _refusal(pair, cell, "has an assert without a message", "Say behind a comma what was found instead.")


@rule(per="lesson")
def proofs_are_short_and_silent(pair: Pair) -> Iterator[Refusal]:
    """Every proof is short, shows nothing, measures no time and leaves every setting as it was."""
    for cell, tree in _proofs(pair):
        if len(cell.source.splitlines()) > PROOF_LINES:
            yield _refusal(pair, cell, f"has more than {PROOF_LINES} lines", "Prove one sentence.")
        names = names_of(tree)
        if shown := names & _SHOWS:
            yield _refusal(pair, cell, f"uses `{min(shown)}`", "Show it in a cell that readers see, or assert it.")
        if isinstance(tree.body[-1], ast.Expr):
            yield _refusal(pair, cell, "ends in a value, which would be shown", "Assert it.")
        if clocks := names & _CLOCKS:
            yield _refusal(pair, cell, f"measures time by `{min(clocks)}`", "Races are read from a page, not asserted.")
        if changed := names & _SETTINGS:
            yield _refusal(
                pair, cell, f"changes settings by `{min(changed)}`", "Use a `with` block, which restores them."
            )


@rule(per="lesson")
def proofs_stand_apart(pair: Pair) -> Iterator[Refusal]:
    """No other cell uses what a proof defines, and no proof changes what another cell has made."""
    others = set().union(*(names_in(cell) for cell in pair.source.cells if cell.is_code and cell.role != "proof"))
    proofs = list(_proofs(pair))
    for cell, tree in proofs:
        own = bound_in(cell) - {"_"}
        read_elsewhere = set().union(*(names_in(one) - bound_in(one) for one, _ in proofs if one is not cell))
        if used := sorted(own & (others | read_elsewhere)):
            yield _refusal(pair, cell, f"defines `{used[0]}`, which another cell uses", "Choose another name.")
        if touched := sorted(set(_written_into(tree)) - own):
            yield _refusal(pair, cell, f"writes into `{touched[0]}`, which it has not made", "Write into a copy.")


def _proofs(pair: Pair) -> Iterator[tuple[Cell, ast.Module]]:
    for cell in pair.source.cells:
        if cell.role == "proof":
            yield cell, ast.parse(without_magics(cell.source))


def _refusal(pair: Pair, cell: Cell, problem: str, repair: str) -> Refusal:
    return Refusal(pair.md, f"the proof {cell.source.splitlines()[0]!r} {problem}", repair)


def _is_computed(test: ast.expr) -> bool:
    """Whether what is asserted depends on anything."""
    return any(isinstance(node, ast.Name) for node in ast.walk(test))


def names_of(tree: ast.AST) -> set[str]:
    """All names and attributes in some code.

    Example:
        >>> sorted(names_of(ast.parse("np.sum(x)")))
        ['np', 'sum', 'x']
    """
    nodes = list(ast.walk(tree))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def _written_into(tree: ast.Module) -> Iterator[str]:
    """The names of the objects whose elements or attributes are assigned to or deleted."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            root: ast.expr = node
            while isinstance(root, (ast.Subscript, ast.Attribute)):
                root = root.value
            if isinstance(root, ast.Name):
                yield root.id
