"""The cells of a marimo notebook, which is a script: each cell is the body of a function under `@app.cell`.

https://docs.marimo.io/guides/coming_from/jupyter/
"""

from __future__ import annotations

import ast
import textwrap

_ROLES = {"cell", "function", "class_definition"}


def marimo_cells(text: str) -> list[str] | None:
    r"""The sources of the cells of a marimo script; None if it is none.

    Args:
        text: the script.

    Example:
        >>> marimo_cells("app = marimo.App()\n@app.cell\ndef _(np):\n    x = np.ones(3)\n    return (x,)")
        ['x = np.ones(3)']
        >>> marimo_cells("x = 1")
    """
    if "marimo.App(" not in text:
        return None
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = text.split("\n")
    return [cell for node in body if (cell := _cell(node, lines))]


def _cell(node: ast.stmt, lines: list[str]) -> str:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        role = next((name for one in node.decorator_list if (name := _of_app(one)) in _ROLES), "")
        if role == "cell":
            return _inside([one for one in node.body if not isinstance(one, ast.Return)], lines)
        return "\n".join(lines[node.lineno - 1 : node.end_lineno]) if role else ""
    if isinstance(node, ast.With) and _of_app(node.items[0].context_expr) == "setup":
        return _inside(node.body, lines)
    call = node.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
    if call and _of_app(call) == "_unparsable_cell" and call.args and isinstance(call.args[0], ast.Constant):
        return textwrap.dedent(str(call.args[0].value)).strip("\n")
    return ""


def _of_app(node: ast.expr) -> str:
    """What of the app something is, called or not: `cell` in `@app.cell(hide_code=True)`."""
    node = node.func if isinstance(node, ast.Call) else node
    is_app = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "app"
    return node.attr if is_app and isinstance(node, ast.Attribute) else ""


def _inside(body: list[ast.stmt], lines: list[str]) -> str:
    """The lines from the first statement of a block to its last, with the comments above them."""
    if not body:
        return ""
    first = min([body[0].lineno, *(one.lineno for one in getattr(body[0], "decorator_list", []))])
    while first > 1 and lines[first - 2].lstrip().startswith("#"):
        first -= 1
    deep = body[0].col_offset
    return "\n".join(
        line[deep:] if not line[:deep].strip() else line for line in lines[first - 1 : body[-1].end_lineno]
    )
