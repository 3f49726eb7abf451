"""What some code uses, spelled so that it can be compared: names in full, keywords, methods and subscripts.

`jnp.sum(x, where=m)` has the signs `jax.numpy.sum` and `jax.numpy.sum(where=)`; `f.lower(x)` has `.lower`, since nobody
knows what `f` is; `x.at[0]` has `.at[]`, and `x[:, None]` has `[None]`.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from functools import singledispatch

Names = Mapping[str, str]
"""What a name stands for, in full: `numpy` for `np`."""

CUSTOMARY: Names = {
    "jax": "jax",
    "jnp": "jax.numpy",
    "lax": "jax.lax",
    "np": "numpy",
    "pd": "pandas",
    "nb": "numba",
}
"""What names stand for in text, which imports nothing."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Sign = tuple[str, int]
"""How it is spelled, and the line of the code in which it stands, counted from 0."""


def tree_of(code: str) -> ast.Module | None:
    """Some code as a tree; None if it is no Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a text that looks like code may have odd escapes
            return ast.parse(code)
    except (SyntaxError, ValueError):
        return None


def in_text(code: str) -> ast.Module | None:
    """What stands between backticks, as a tree: it may be a keyword, or leave out what it begins with or goes on with.

    Example:
        >>> [bool(in_text(code)) for code in ("x.at[0]", ".at[0].set(1)", "[:, None]", "with f():", "a b")]
        [True, True, True, True, False]
        >>> [sign for sign, _ in signs(in_text('mode="fill"'), {})]
        ['(mode=)']
    """
    return tree_of(f"_({code})") or tree_of(code) or tree_of(f"_{code}") or tree_of(f"{code} ...")


def signs(tree: ast.AST, names: Names) -> Iterator[_Sign]:
    r"""The signs of some code, each with its line.

    Args:
        tree: the code.
        names: what its names stand for, those that it imports itself included.

    Example:
        >>> code = "@jax.jit\ndef f(x, jnp): return jnp.sum(x), np.add.reduce(x, keepdims=True)"
        >>> sorted({sign for sign, _ in signs(ast.parse(code), CUSTOMARY) if "." in sign})
        ['.sum', 'jax.jit', 'numpy.add', 'numpy.add.reduce', 'numpy.add.reduce(keepdims=)']
        >>> [sign for sign, _ in signs(ast.parse("f.lower(x[0, None])"), {})]
        ['.lower', '[None]']

        A text that is Python is code as well: an expression to be predicted, or a program with imports of its own.

        >>> [sign for sign, _ in signs(ast.parse("{'jnp.sum(x)': ...}"), CUSTOMARY)]
        ['jax.numpy.sum', 'jax.numpy']
    """
    line = getattr(tree, "lineno", 1) - 1
    yield from ((sign, line) for sign in _own(tree, names))
    inner = _inside(tree, names) if isinstance(tree, _Function) else names
    for child in ast.iter_child_nodes(tree):
        yield from signs(child, inner)
    if isinstance(tree, ast.Constant) and (quoted := _code_in(tree.value)):
        own = names_after(quoted, {} if "\n" in str(tree.value) else names)
        yield from ((sign, line) for sign, _ in signs(quoted, own))


def _code_in(value: object) -> ast.Module | None:
    """The code that a text is; None if it is none."""
    return tree_of(value) if isinstance(value, str) and not set(".([").isdisjoint(value) else None


@singledispatch
def _own(node: ast.AST, names: Names) -> Iterator[str]:
    """The signs of a node itself, without those of what is in it."""
    yield from ()


@_own.register
def _(node: ast.Name, names: Names) -> Iterator[str]:
    yield from [names[node.id]] if node.id in names else []


@_own.register
def _(node: ast.Attribute, names: Names) -> Iterator[str]:
    yield full_name(node, names) or f".{node.attr}"


@_own.register
def _(node: ast.Call, names: Names) -> Iterator[str]:
    yield from (f"{_callee(node.func, names)}({keyword.arg}=)" for keyword in node.keywords if keyword.arg)


def _callee(function: ast.expr, names: Names) -> str:
    """What is called, spelled as a sign; nothing for a keyword that stands between backticks alone."""
    if isinstance(function, ast.Attribute):
        return full_name(function, names) or f".{function.attr}"
    return full_name(function, names) or (function.id.strip("_") if isinstance(function, ast.Name) else "")


@_own.register
def _(node: ast.Subscript, names: Names) -> Iterator[str]:
    if isinstance(node.value, ast.Attribute) and node.value.attr == "at":
        yield ".at[]"
    entries = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if any(isinstance(one, ast.Constant) and one.value is None for one in entries):
        yield "[None]"


def full_name(node: ast.expr, names: Names) -> str:
    """The name in full of what code names; empty if nobody knows.

    Example:
        >>> full_name(ast.parse("jnp.add.at", mode="eval").body, CUSTOMARY), full_name(ast.Name("x"), CUSTOMARY)
        ('jax.numpy.add.at', '')
    """
    if isinstance(node, ast.Name):
        return names.get(node.id, "")
    if isinstance(node, ast.Attribute) and (whole := full_name(node.value, names)):
        return f"{whole}.{node.attr}"
    return ""


def names_after(tree: ast.Module, names: Names) -> Names:
    r"""What names stand for after some code has run: what it imports, and what it only calls by another name.

    Example:
        >>> code = "import numpy as np\nfrom jax import lax, vmap\nscan = lax.scan\nvmap = 3"
        >>> names_after(ast.parse(code), {})
        {'np': 'numpy', 'lax': 'jax.lax', 'scan': 'jax.lax.scan'}
    """
    found = dict(names)
    for node in _statements(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= _imports_of(node)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found |= {node.targets[0].id: full_name(node.value, found)}
        else:
            found |= dict.fromkeys(_bound_names(node), "")
    return {name: whole for name, whole in found.items() if whole}


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """The statements of some code, in order; those of functions and classes are left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.stmt | ast.ExceptHandler):
            yield node
        if isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While | ast.ExceptHandler):
            yield from _statements(node)


def _imports_of(node: ast.Import | ast.ImportFrom) -> dict[str, str]:
    if isinstance(node, ast.ImportFrom):
        return {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
    return {one.asname or _first(one.name): one.name if one.asname else _first(one.name) for one in node.names}


def _first(dotted: str) -> str:
    return dotted.partition(".")[0]


def _bound_names(node: ast.AST) -> Iterator[str]:
    """The names that a statement binds, itself or in what is below it."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.For):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name))


def _inside(function: _Function, names: Names) -> Names:
    """What names stand for inside a function: its own are nobody else's."""
    given = [one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)]
    own = [one.id for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    imports = (one for one in ast.walk(function) if isinstance(one, (ast.Import, ast.ImportFrom)))
    found = {name: whole for name, whole in names.items() if name not in {*given, *own}}
    return found | {name: whole for one in imports for name, whole in _imports_of(one).items()}
