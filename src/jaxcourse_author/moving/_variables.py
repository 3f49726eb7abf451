"""Another name for a global variable in Python code: where the name is the variable's, and nowhere else."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SPAN = re.compile(r"(?<!`)(`+)(?!`)([^\n]+?)(?<!`)\1(?!`)")
"""Code in prose."""
_MAGIC = re.compile(r"^([ \t]*)[%!]", re.MULTILINE)
Place = tuple[int, int]
"""Where something begins or ends: the line, from 1, and the column in bytes of UTF-8, as Python counts them."""


def with_variable(source: str, was: str, now: str) -> str:
    r"""Code in which a global variable has another name; what is local, an attribute or a keyword keeps it.

    In texts and comments, it is the variable's name between backticks and where it is called.

    Args:
        source: a module, or a cell; what is no Python stays as it is.
        was: the variable's earlier name.
        now: its name from now on.

    Example:
        >>> code = "def swing(x):\n    return x.swing\n\ny = f(swing, swing=lambda swing: swing)  # `swing`, a swing"
        >>> print(with_variable(code, "swing", "pendulum"))
        def pendulum(x):
            return x.swing
        <BLANKLINE>
        y = f(pendulum, swing=lambda swing: swing)  # `pendulum`, a swing
    """
    python = _MAGIC.sub(r"\1#", source)  # a comment, in which a call is the variable's
    try:
        edits = [*_in_texts(python, was, now)]
        tree = ast.parse(_apply_edits(python, edits))
    except (SyntaxError, ValueError, MemoryError, RecursionError, tokenize.TokenError):
        return source
    source = _apply_edits(source, edits)
    return _apply_edits(source, [(*place, now) for place in {*_of_names(tree, was, source.split("\n"))}])


def uses(source: str, name: str) -> bool:
    """Whether code binds or reads a global name.

    Example:
        >>> [uses(code, "swing") for code in ("def f(x): swing(x)", "from a import swing", "def f(swing): swing(2)")]
        [True, True, False]
    """
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return bool(re.search(rf"(?<![\w.]){name}(?!\w)", source))
    return any(_is_foreign(node, name) for node in ast.walk(tree)) or any(_of_names(tree, name, source.split("\n")))


def rename_in_prose(text: str, was: str, now: str) -> str:
    """Prose in which a variable has another name: in code between backticks, and where it is called.

    Example:
        >>> rename_in_prose("Run `f(swing)`, and not `x.swing`: swing(2) swings, as a swing does.", "swing", "pendulum")
        'Run `f(pendulum)`, and not `x.swing`: pendulum(2) swings, as a swing does.'
    """
    text = _SPAN.sub(lambda span: f"{span[1]}{_as_code(span[2], was, now)}{span[1]}", text)
    return re.sub(rf"(?<![\w.`-]){was}(?=\()", now, text)


def _as_code(text: str, was: str, now: str) -> str:
    """A piece of code in prose, in which the name is the variable's unless it is local, an attribute or a keyword."""
    if re.match(rf"{was}=[^=]", text):
        return text  # a keyword, as it is written in a call
    try:
        places = {*_of_names(ast.parse(text), was, text.split("\n"))}
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return re.sub(rf"(?<![\w.-]){was}(?![\w=-])", now, text)
    return _apply_edits(text, [(*place, now) for place in places])


def _apply_edits(text: str, edits: Iterable[tuple[Place, Place, str]]) -> str:
    """A text after some edits, none of which overlap."""
    lines = text.encode().split(b"\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    data = text.encode()
    for (row, column), (last, end), new in sorted(edits, reverse=True):
        data = data[: starts[row - 1] + column] + new.encode() + data[starts[last - 1] + end :]
    return data.decode()


# -- in code ----------------------------------------------------------------------------------------------------


def _of_names(tree: ast.Module, name: str, lines: Sequence[str]) -> Iterator[tuple[Place, Place]]:
    """Where a name stands that is the global one."""
    if any(_is_foreign(node, name) for node in ast.walk(tree)):
        return
    for node in _global_nodes(tree.body, name):
        yield from _places(node, name, lines)


def _is_foreign(node: ast.AST, name: str) -> bool:
    """Whether it takes something of this name from elsewhere."""
    if not isinstance(node, ast.Import | ast.ImportFrom) or _is_beside(node):
        return False
    return any(alias.name == name and not alias.asname for alias in node.names)


def _is_beside(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether it imports from a module beside this one."""
    return isinstance(node, ast.ImportFrom) and node.level > 0


def _global_nodes(nodes: Iterable[ast.AST], name: str) -> Iterator[ast.AST]:
    """The nodes that may have a name of the module's scope: not those in which it is bound."""
    for node in nodes:
        if isinstance(node, _FUNCTIONS):
            yield node
            outside, body = _parts(node)
            yield from _global_nodes(outside, name)
            yield from _global_nodes(() if _binds(node.args, body, name) else body, name)
        elif isinstance(node, _COMPREHENSIONS):
            first, *_ = node.generators
            yield from _global_nodes([first.iter], name)
            inside = () if _binds(None, [one.target for one in node.generators], name) else ast.iter_child_nodes(node)
            yield from _global_nodes((one for one in inside), name)
        elif isinstance(node, ast.ClassDef) and _binds(None, node.body, name):
            methods = (one for one in node.body if isinstance(one, _FUNCTIONS))
            yield from _global_nodes([*node.bases, *node.decorator_list, *methods], name)
        else:
            yield node  # the places of what is in an f-string are right from Python 3.12 on only
            yield from _global_nodes(() if isinstance(node, ast.JoinedStr) else ast.iter_child_nodes(node), name)


def _parts(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> tuple[list[ast.AST], list[ast.AST]]:
    """What of a function is read where it stands, and what is in it."""
    args = node.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
    found = [*args.defaults, *filter(None, args.kw_defaults), *(one.annotation for one in every if one.annotation)]
    if isinstance(node, ast.Lambda):
        return list(found), [node.body]
    return [*found, *node.decorator_list, *filter(None, [node.returns])], list(node.body)


def _binds(args: ast.arguments | None, body: Iterable[ast.AST], name: str) -> bool:
    """Whether a scope has the name for itself."""
    own, inside = list(chain.from_iterable(map(_own, body))), ast.walk(args) if args else ()
    if any(isinstance(one, ast.Global) and name in one.names for one in own):
        return False
    return any(isinstance(one, ast.arg) and one.arg == name for one in inside) or any(
        _binds_name(one, name) for one in own
    )


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """A node and those in it, without what is in scopes of their own."""
    yield node
    if not isinstance(node, (*_FUNCTIONS, *_COMPREHENSIONS, ast.ClassDef)):
        yield from chain.from_iterable(map(_own, ast.iter_child_nodes(node)))


def _binds_name(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Name):
        return node.id == name and isinstance(node.ctx, ast.Store)
    if isinstance(node, ast.Import | ast.ImportFrom):
        return any((alias.asname or alias.name) == name for alias in node.names)
    if isinstance(node, ast.ExceptHandler | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name == name
    return False


def _places(node: ast.AST, name: str, lines: Sequence[str]) -> Iterator[tuple[Place, Place]]:
    """Where in a node the name itself stands."""
    if isinstance(node, ast.JoinedStr):
        if any(isinstance(one, ast.Name) and one.id == name for one in _global_nodes(node.values, name)):
            yield from _places_of(node, r"(?<!\{)\{[^{}]*\}", lines, rf"(?<![\w.'\"]){name}(?![\w=])")
    elif isinstance(node, ast.Name):
        yield from _places_of(node, name, lines) if node.id == name else ()
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield from (
            list(_places_of(node, rf"(?:def|class)\s+{name}\b", lines, rf"{name}$"))[:1] if node.name == name else ()
        )
    elif isinstance(node, ast.Global):
        yield from _places_of(node, rf"\b{name}\b", lines)
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from _places_of(node, rf"{'' if _is_beside(node) else '(?<= as )'}\b{name}\b", lines)


def _places_of(node: ast.AST, pattern: str, lines: Sequence[str], inner: str = "") -> Iterator[tuple[Place, Place]]:
    """Where a pattern stands in the text of a node, or another one in what it finds."""
    for row, start, text in _rows(node, lines):
        for match in re.finditer(pattern.encode(), text):
            for one in re.finditer((inner or pattern).encode(), match[0] if inner else text):
                at = start + one.start() + (match.start() if inner else 0)
                yield (row, at), (row, at + len(one[0]))


def _rows(node: ast.AST, lines: Sequence[str]) -> Iterator[tuple[int, int, bytes]]:
    """The lines of a node's text, each with its number and where in it the node begins."""
    (first, start), (last, end) = _span(node)
    for row in range(first, last + 1):
        line = lines[row - 1].encode()
        begin = start if row == first else 0
        yield row, begin, line[begin : end if row == last else len(line)]


def _span(node: ast.AST) -> tuple[Place, Place]:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


# -- in texts and comments --------------------------------------------------------------------------------------


def _in_texts(python: str, was: str, now: str) -> Iterator[tuple[Place, Place, str]]:
    """The texts and comments that say the variable, and what they say then."""
    lines = python.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(python).readline):
        if token.type not in (tokenize.STRING, tokenize.COMMENT) or was not in token.string:
            continue
        is_text, (row, column) = token.type == tokenize.STRING, token.start
        text = token.string if is_text else token.string[1:]  # the sign may be that of a magic
        found = _in_text(text, was, now) if is_text else rename_in_prose(text, was, now)
        first, last = (_in_bytes(place, lines) for place in ((row, column + (not is_text)), token.end))
        yield from [(first, last, found)] if found != text else ()


def _in_text(text: str, was: str, now: str) -> str:
    """A text as it is written, quotes and all: one that is itself a call is code, another one prose."""
    quotes = re.match(r"\w*(\"{3}|'{3}|\"|')", text)
    body = text[quotes.end() : -len(quotes[1])] if quotes else text
    try:
        is_code = any(isinstance(node, ast.Call) for node in ast.walk(ast.parse(body)))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        is_code = False
    return text.replace(body, _as_code(body, was, now)) if is_code else rename_in_prose(text, was, now)


def _in_bytes(place: Place, lines: Sequence[str]) -> Place:
    """A place whose column is counted in characters, as Python counts them elsewhere."""
    row, column = place
    return row, len(lines[row - 1][:column].encode())
