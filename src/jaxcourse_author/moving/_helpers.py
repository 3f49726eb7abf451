"""What a file takes along of the module beside it that it imports from: `_lesson.py`, of checks or of answers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence

WORDS = "WORDS"
"""The name of a module's words by label, which two modules may both have: they are put together."""


class Conflict(ValueError):
    """Two modules have different things under one name."""


def imported_names(source: str, module: str = "_lesson") -> list[str]:
    """The names that a file imports from a module beside it.

    Example:
        >>> imported_names("from ._lesson import near, WORDS as LESSON")
        ['near', 'WORDS']
    """
    nodes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom))
    return [alias.name for node in nodes if node.level == 1 and node.module == module for alias in node.names]


def with_definitions(source: str, target: str, names: Iterable[str]) -> str:
    r"""A module with what another one defines under some names, and with all that these need of it.

    Args:
        source: the module that has them.
        target: the module that is to have them.
        names: the names.

    Raises:
        Conflict: the other module has something else under one of these names.

    Example:
        >>> print(with_definitions("A = 1\nB = A + 1\nC = 2\n", "X = 0\n", ["B"]))
        X = 0
        <BLANKLINE>
        <BLANKLINE>
        A = 1
        <BLANKLINE>
        <BLANKLINE>
        B = A + 1
        <BLANKLINE>
    """
    there, here = _pieces(source), _pieces(target)
    wanted = _closure(there, names)
    imports, pieces = list[str](), list[str]()
    for name in wanted:
        node, text = there[name]
        if name in here:
            target = _merge(target, name, text, here[name][1])
        elif isinstance(node, ast.Import | ast.ImportFrom):
            imports.append(_import_of(node, name))
        elif text not in pieces:
            pieces.append(text)
    return _with(target, list(dict.fromkeys(imports)), pieces)


def _pieces(source: str) -> dict[str, tuple[ast.stmt, str]]:
    """The statements of a module, with what stands below each, by the names that they bind."""
    body = ast.parse(source).body
    found: dict[str, tuple[ast.stmt, str]] = {}
    for i, node in enumerate(body):
        below = body[i + 1] if i + 1 < len(body) and _is_text(body[i + 1]) else node
        lines = source.splitlines()[_start(node) - 1 : below.end_lineno]
        found |= dict.fromkeys(_names_bound(node), (node, "\n".join(lines)))
    return found


def _start(node: ast.stmt) -> int:
    decorators: Sequence[ast.expr] = getattr(node, "decorator_list", ())
    return min([node.lineno, *(one.lineno for one in decorators)])


def _is_text(node: ast.stmt) -> bool:
    """Whether it is a text alone: what is said of the name above it."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _names_bound(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    stored = (one for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
    return [one.id for one in stored] if isinstance(node, ast.Assign | ast.AnnAssign) else []


def _closure(pieces: Mapping[str, tuple[ast.stmt, str]], names: Iterable[str]) -> list[str]:
    """Some names and those that what they name uses, in the order of the module."""
    found, left = set[str](), [name for name in names if name in pieces]
    while left:
        name = left.pop()
        found.add(name)
        used = {one.id for one in ast.walk(pieces[name][0]) if isinstance(one, ast.Name)}
        left += [one for one in used & pieces.keys() if one not in found]
    return [name for name in pieces if name in found]


def _import_of(node: ast.Import | ast.ImportFrom, name: str) -> str:
    alias = next(one for one in node.names if (one.asname or one.name.partition(".")[0]) == name)
    node = type(node)(**{**vars(node), "names": [alias]})
    return ast.unparse(node)


def _merge(target: str, name: str, text: str, own: str) -> str:
    """A module in which something of this name stands already."""
    if ast.dump(ast.parse(text)) == ast.dump(ast.parse(own)) or text.lstrip().startswith(("import ", "from ")):
        return target
    if name != WORDS:
        raise Conflict(f"both have `{name}`, and not the same: give one of them another name.")
    entries, known = _entries(text), _entries(own)
    if other := [label for label in entries if known.get(label, entries[label]) != entries[label]]:
        raise Conflict(f"both say something under `{other[0]}`, and not the same: give one of them another label.")
    more = "\n".join(entries[label] for label in entries if label not in known)
    return target.replace(own, own.rstrip()[: -len('"""')] + more + '\n"""') if more else target


def _entries(words: str) -> dict[str, str]:
    """The entries of words as they are written, by label."""
    inside = words.split('"""')[1].strip("\n")
    found = re.split(r"\n(?=[\w-]+: )", inside)
    return {one.partition(":")[0]: one for one in found if one.strip()}


def _with(target: str, imports: Sequence[str], pieces: Iterable[str]) -> str:
    """A module with more imports, behind its own, and more pieces, at its end."""
    body, lines = ast.parse(target).body, target.rstrip("\n").split("\n")
    opening = [node for node in body[:1] if _is_text(node)]
    above = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)] or opening
    place = max((node.end_lineno or 0 for node in above), default=0)
    lines[place:place] = [*([""] if above == opening and imports else []), *imports]
    return "\n\n\n".join(["\n".join(lines), *pieces]) + "\n"
