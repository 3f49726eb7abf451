"""Which of our files some code can reach: an edit of another file changes nothing that a lesson shows or asks.

Imports are followed through the packages by name. The `__init__` of most rooms does nothing but import, so that
`draw.views` leads to the module which defines `views`, and to what that imports, and not to the rest of `draw`.
"""

from __future__ import annotations

import ast
import functools
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from jaxcourse.paths import PACKAGE, PACKAGES, files_of

FOLLOWED = [package for package in PACKAGES if package.name != "jaxcourse_grade"]
"""The packages whose work pages show: lessons use the readers', and some pages of the book the authors', too."""
VERBS = "jaxcourse.notebook._verbs"
"""The module of `check`, `hint` and `solution`, which read a lesson's checks and its solved notebook."""


@dataclass(frozen=True)
class Use:
    """A name of the package in some code.

    Args:
        name: in full, such as `jaxcourse.draw.views`.
        imported: whether it was only imported here, and is not used.
    """

    name: str
    imported: bool = False


def files_reached(code: str) -> frozenset[Path]:
    r"""The files of the package that a lesson's code can reach.

    Args:
        code: Python, as the kernel gets it; lines that begin with `%` or `!` are left out.

    Example:
        >>> names = {path.name for path in files_reached("from jaxcourse import draw\ndraw.views(x, x[1:])")}
        >>> "_views.py" in names, "_tape.py" in names
        (True, False)
        >>> "memory.js" in {path.name for path in files_reached("from jaxcourse import play\nplay.memory()")}
        True
    """
    return frozenset(path for module in modules_reached(code) for path in (_modules()[module], *_data_of(module)))


def modules_reached(code: str) -> frozenset[str]:
    r"""The modules of the package that a lesson's code can reach.

    Example:
        >>> sorted(modules_reached("from jaxcourse import check, devices\ndevices.simulate()"))
        ['jaxcourse.devices']
        >>> VERBS in modules_reached("from jaxcourse import check\ncheck('views')")
        True
    """
    plain = "\n".join(line for line in code.splitlines() if not line.lstrip().startswith(("%", "!")))
    try:
        uses = list(_uses(ast.parse(plain), in_lesson=True))
    except SyntaxError:
        return frozenset(one for one in _modules() if PACKAGE in _modules()[one].parents)  # anything may change it
    return _import_closure(module for use in uses if _counts(use) for module in _defining_modules(use.name))


def files_imported(code: str) -> frozenset[Path]:
    """The files of the package that other code can reach, such as a file of checks: what it imports, it uses.

    Args:
        code: Python.

    Example:
        >>> names = {path.name for path in files_imported("from jaxcourse import draw, exercise")}
        >>> "exercise.py" in names, "_answer.py" in names, "_tape.py" in names
        (True, True, False)
    """
    found = _import_closure(module for use in _uses(ast.parse(code)) for module in _defining_modules(use.name))
    return frozenset(path for module in found for path in (_modules()[module], *_data_of(module)))


def _import_closure(modules: Iterable[str]) -> frozenset[str]:
    """Some modules, and what they import."""
    todo, found = list(modules), set[str]()
    while todo:
        if (module := todo.pop()) not in found:
            found.add(module)
            todo += _imported_modules(module)
    return frozenset(found)


def _counts(use: Use) -> bool:
    """Whether a lesson reaches what it names: an import alone does only where the module does more than define."""
    return not use.imported or (use.name in _modules() and not _is_door(use.name))


# -- the package ------------------------------------------------------------------------------------------------


@functools.cache
def _modules() -> dict[str, Path]:
    paths = [path for package in FOLLOWED for path in files_of(package)]
    parts = {path: path.relative_to(PACKAGE.parent).with_suffix("").parts for path in paths}
    return {".".join(name).removesuffix(".__init__"): path for path, name in parts.items()}


@functools.cache
def _tree(module: str) -> ast.Module:
    return ast.parse(_modules()[module].read_text(encoding="utf-8"))


@functools.cache
def _is_door(module: str) -> bool:
    """Whether a module is the `__init__` of a folder and holds nothing but imports, a docstring and `__all__`."""
    plain = (ast.Import, ast.ImportFrom, ast.Expr, ast.Assign)
    return _modules()[module].name == "__init__.py" and all(
        isinstance(node, plain) and not isinstance(getattr(node, "value", None), ast.Call)
        for node in _tree(module).body
    )


@functools.cache
def _defining_modules(name: str) -> frozenset[str]:
    """The modules in which a name of the package is defined: all that a door leads to where it does not say which."""
    module, rest = name, ""
    while module not in _modules():
        if "." not in module:
            return frozenset()
        module, _, last = module.rpartition(".")
        rest = f"{last}.{rest}".rstrip(".")
    if not _is_door(module):
        return frozenset({module})
    bound = _import_bindings(_tree(module))
    first, _, more = rest.partition(".")
    if first in bound:
        return _defining_modules(f"{bound[first]}.{more}".rstrip("."))
    if first.startswith("__"):  # `jaxcourse.__version__`
        return frozenset({module})
    below = {one for one in _modules() if one.startswith(f"{module}.")}
    return frozenset(below | {one for target in bound.values() for one in _defining_modules(target)})


@functools.cache
def _imported_modules(module: str) -> frozenset[str]:
    return frozenset(target for use in _uses(_tree(module)) for target in _defining_modules(use.name))


@functools.cache
def _data_of(module: str) -> frozenset[Path]:
    """The scripts, styles and templates of a module's room that it names, and those that no module names."""
    room = _room(module)
    if room in FOLLOWED:
        return frozenset()
    data = {path for path in room.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")}
    named = {one: _words(one) for one in _modules() if _room(one) == room}
    nobodys = {path for path in data if not any({path.name, path.stem} & words for words in named.values())}
    return frozenset(nobodys | {path for path in data if {path.name, path.stem} & named[module]})


@functools.cache
def _room(module: str) -> Path:
    folders = _modules()[module].relative_to(PACKAGE.parent).parts[:-1]
    return PACKAGE.parent.joinpath(*folders[:2])


@functools.cache
def _words(module: str) -> set[str]:
    constants = (node.value for node in ast.walk(_tree(module)) if isinstance(node, ast.Constant))
    return {value for value in constants if isinstance(value, str)}


# -- names in code ----------------------------------------------------------------------------------------------


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Every node that can run, a chain of attributes as one."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        yield child
        if not (isinstance(child, ast.Attribute) and _chain(child)):
            yield from _statements(child)


def _chain(node: ast.AST) -> list[str]:
    """The names in `a.b.c`; empty if it does not begin with a name."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [*reversed([*names, node.id])] if isinstance(node, ast.Name) else []


def _import_bindings(tree: ast.AST) -> dict[str, str]:
    """What the imports of some code bind, by the names that they bind it to."""
    bound = {}
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            bound |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return {name: full for name, full in bound.items() if full.partition(".")[0] in _modules()}


def _uses(tree: ast.AST, in_lesson: bool = False) -> Iterator[Use]:
    """The names of the package in some code. What a module imports it also uses, unless it is a whole room."""
    bound = _import_bindings(tree)
    for full in bound.values():
        room = full in _modules() and _is_door(full)
        if in_lesson or not room:
            yield Use(full, imported=in_lesson)
    for node in _statements(tree):
        names = _chain(node)
        if names and names[0] in bound:
            yield Use(".".join([bound[names[0]], *names[1:]]))
        elif in_lesson and isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _in_text(node.value)


def _in_text(text: str) -> Iterator[Use]:
    """The uses in a program that a lesson writes down, to run it in a process of its own."""
    if "import" not in text or PACKAGE.name not in text:
        return
    try:
        yield from _uses(ast.parse(textwrap.dedent(text)), in_lesson=True)
    except SyntaxError:
        yield Use(PACKAGE.name)  # a part of a program: it may use anything
