"""The code that ran in a student's process, read here: whether anything in it could reach what measures it.

What a process says of itself is worth as much as the code in it is harmless. To forge such a fact, a submission must
get hold of the grader's frames, lists, modules or functions, and Python has few doors to them. Each is known by a name
that no answer has a use for; a name that is put together while the program runs counts as one. Code that passes none of
them, and imports nothing but libraries that are known, cannot have told the process what to say.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_KNOWN = _words(
    """
    __future__ abc asyncio bisect cmath collections contextlib copy csv dataclasses datetime decimal enum fractions
    functools heapq io itertools json logging math numbers operator os pathlib pprint random re shutil statistics string
    sys tempfile textwrap time timeit types typing typing_extensions urllib warnings zlib
    IPython chex einops equinox flax google jax jaxcourse jaxlib jaxtyping matplotlib ml_dtypes networkx numba numpy
    optax pandas polars scipy seaborn sklearn sympy tqdm xarray
    """
)
"""Modules that answers import, and through which nothing of the grader's is reached but by a name below."""
_MODULES = _words(
    """
    _thread _ctypes atexit bdb builtins cProfile cffi cloudpickle code codeop concurrent ctypes dill dis faulthandler gc
    imp importlib inspect linecache marshal mmap multiprocessing opcode pdb pickle pkgutil profile pydoc runpy shelve
    signal socket subprocess symtable threading trace traceback tracemalloc unittest weakref zipimport
    """
)
"""Modules that lead to frames, to code, to other modules or to other threads."""
_OURS = {"bans", "course", "exercise", "grade", "prediction"}
"""Modules of our package that judge."""
_NAMES = _words(
    """
    _current_frames _getframe _getframemodulename _src addaudithook ag_frame breakpoint builtins call_tracing
    cell_contents compilations cr_frame currentframe displayhook exc_info excepthook extract_stack f_back f_builtins
    f_code f_globals f_locals f_trace gc get_objects get_referents get_referrers getprofile gettrace gi_frame importlib
    inspect keep_programs modules monitoring mro settrace setprofile tb_frame tb_next unraisablehook walk_stack walk_tb
    CodeType FrameType FunctionType ModuleType TracebackType CellType
    __base__ __bases__ __builtins__ __closure__ __code__ __del__ __delattr__ __dict__ __func__ __getattribute__
    __globals__ __import__ __init_subclass__ __instancecheck__ __loader__ __mro__ __reduce__ __reduce_ex__ __self__
    __setattr__ __spec__ __subclasscheck__ __subclasses__ __traceback__ __wrapped__
    """
)
"""Names that no answer has a use for, wherever they stand."""
_WATCHING = re.compile(
    r"(jax_)?(check_tracer_leaks|debug_key_reuse|disable_jit|explain_cache_misses|log_compiles)|values"
)
"""Settings by which a function could tell that it is being watched, if it reads them."""
_COMPUTED = {"eval", "exec", "getattr", "setattr", "delattr", "attrgetter", "methodcaller", "vars", "globals"}
"""Functions that take a name as a text: harmless where the text stands there."""
_CHOOSING = {
    "__class__",
    "callable",
    "getattr",
    "hasattr",
    "isinstance",
    "issubclass",
    "repr",
    "str",
    "suppress",
    "type",
}
"""What tells a traced value from another."""
_ORDINARY = re.compile(r"__\w+__|_(?:asdict|fields|replace|make)?")
"""Names with an underscore that belong to nobody else: methods that Python calls, and those of named tuples."""


@dataclass(frozen=True)
class Reading:
    """What was found in code.

    Attributes:
        reaches: what could reach the grader's own objects, as it is written.
        unknown: what this reading knows nothing about.
        chooses: whether it asks what something is, or tries what can be done with it.
    """

    reaches: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    chooses: bool = False


def read(sources: Iterable[str], given: Collection[str] = ()) -> Reading:
    """Read the statements that ran in a process.

    Args:
        sources: all of them.
        given: those that are the lesson's own: they are trusted, and what they import is there for everybody.

    Example:
        >>> read(["import jax", "def f(x):\\n    return jax.jit(lambda y: 2 * y)(x)"])
        Reading(reaches=(), unknown=(), chooses=False)
        >>> read(["import sys", "names = getattr(sys, '_get' + 'frame')(1)"]).reaches
        ("getattr(sys, '_get' + 'frame')",)
    """
    ours = [_read(source) for source in given]
    found = [_read(source) for source in dict.fromkeys(sources) if source not in given]
    own = frozenset(name for part in found for name in part.private)
    reaches = [text for part in found for text in part.reaches] + _replacing(found, ours)
    doors = {name for part in ours for name in part.doors}
    reaches += [text for part in found for name, text in part.uses if name in doors]
    unknown = dict.fromkeys(text for part in found for name, text in part.unknown if name not in own)
    return Reading(tuple(dict.fromkeys(reaches)), tuple(unknown), any(part.chooses for part in found))


@dataclass(frozen=True)
class _Part:
    """What one statement has, of itself and for others.

    Attributes:
        reaches: the doors in it.
        unknown: what is not known, with the name that would explain it.
        private: the private names that it defines.
        modules: the names that it imports.
        handed: names that stand for themselves in it, so that a module may get another name, and where.
        replaced: assignments to attributes, each with the name at its beginning.
        chooses: see `Reading`.
        doors: names that stand for modules that are doors.
        uses: the names to which it reaches for something, and where.
    """

    reaches: tuple[str, ...] = ()
    unknown: tuple[tuple[str, str], ...] = ()
    private: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()
    handed: frozenset[str] = frozenset()
    replaced: tuple[tuple[str, str], ...] = ()
    chooses: bool = False
    doors: frozenset[str] = frozenset()
    uses: tuple[tuple[str, str], ...] = ()


def _replacing(found: Sequence[_Part], ours: Sequence[_Part]) -> list[str]:
    """Assignments that may change a module: by its own name, or, where one is handed on, by any name."""
    modules = {name for part in (*found, *ours) for name in part.modules}
    handed = modules & {name for part in found for name in part.handed}
    replaced = [pair for part in found for pair in part.replaced]
    return [text for root, text in replaced if root in modules or (handed and root not in ("self", "cls"))]


@functools.lru_cache(maxsize=4096)
def _read(source: str) -> _Part:
    """What one statement has."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _Part(("code that cannot be read",))
    reader = _Reader(tree)
    stores = [node for node in reader.nodes if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)]
    replaced = [(_root(node), _said(node)) for node in stores] + [
        (_root(c.args[0]), _said(c)) for c in reader.setters()
    ]
    return _Part(
        tuple(_said(reader.shown(node)) for node in reader.nodes if reader.reaches(node)),
        tuple((name, _said(node)) for node in reader.nodes for name in _unknown(node)),
        frozenset(_private(reader.nodes)),
        frozenset(name for node in reader.nodes for name in _bound(node)),
        frozenset(reader.handed()),
        tuple(replaced),
        any(isinstance(node, (ast.Try, ast.Match)) or _last(node) in _CHOOSING for node in reader.nodes),
        frozenset(name for node in reader.nodes for name in _bound(node) if reader.reaches(node)),
        tuple((node.id, _said(reader.above.get(id(node), node))) for node in reader.nodes if _is_used(node)),
    )


def _is_used(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


def _said(node: ast.AST) -> str:
    """A piece of code in one short line."""
    try:
        text = " ".join(ast.unparse(node).split())
    except (RecursionError, ValueError, AttributeError):
        text = type(node).__name__
    return text if len(text) <= 80 else f"{text[:77]}..."


class _Reader:
    """The nodes of a statement, and what stands around them."""

    def __init__(self, tree: ast.AST) -> None:
        self.nodes = [node for node in ast.walk(tree) if not isinstance(node, (ast.expr_context, ast.Module))]
        self.above = {id(part): node for node in self.nodes for part in ast.iter_child_nodes(node)}

    def shown(self, node: ast.AST) -> ast.AST:
        """What to show of a door: the call, where a function is called."""
        call = self.above.get(id(node))
        return call if isinstance(call, ast.Call) and call.func is node else node

    def handed(self) -> Iterator[str]:
        """The names that are used for themselves, and not to reach something by them or to call it."""
        for node in self.nodes:
            above = self.above.get(id(node))
            by_it = isinstance(above, ast.Attribute) or (isinstance(above, ast.Call) and above.func is node)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not by_it:
                yield node.id

    def setters(self) -> list[ast.Call]:
        """The calls of `setattr` and `delattr`."""
        calls = [node for node in self.nodes if isinstance(node, ast.Call) and node.args]
        return [call for call in calls if _last(call.func) in ("setattr", "delattr")]

    def reaches(self, node: ast.AST) -> bool:
        """Whether a node is a door to what is not the student's own."""
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return any(map(_is_door, _imported(node)))
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Name):
            return node.id in _NAMES - _OF_MODULES or (node.id in _COMPUTED and self._computes(node))
        return any(name in _NAMES for name in _named(node))

    def _attribute(self, node: ast.Attribute) -> bool:
        if node.attr == "ctypes":  # of an array, whose address is a number
            above = self.above.get(id(node))
            return not (isinstance(above, ast.Attribute) and above.attr in ("data", "shape", "strides"))
        if node.attr == "__wrapped__":  # to look behind a decorator is honest, to put something there is not
            return not isinstance(node.ctx, ast.Load)
        if node.attr in ("attrgetter", "methodcaller") and self._computes(node):
            return True
        base = node.value
        if isinstance(base, ast.Name) and base.id == "jaxcourse" and (node.attr in _OURS or node.attr[:1] == "_"):
            return True
        if isinstance(base, (ast.Name, ast.Attribute)) and _last(base) == "config":
            return _WATCHING.fullmatch(node.attr) is not None
        return node.attr in _NAMES and not (node.attr == "modules" and self._is_tested(node))

    def _is_tested(self, node: ast.AST) -> bool:
        """Whether it is only asked if something is in it: `"google.colab" in sys.modules`."""
        above = self.above.get(id(node))
        return isinstance(above, ast.Compare) and node in above.comparators

    def _computes(self, node: ast.AST) -> bool:
        """Whether a function that takes names gets one that does not stand there, or one that is a door."""
        call = self.above.get(id(node))
        if not isinstance(call, ast.Call) or call.func is not node or call.keywords:
            return True
        if _last(node) == "globals":
            return not self._is_looked_up(call)
        takes = 1 if _last(node) in ("getattr", "setattr", "delattr") else 0
        text = call.args[takes] if len(call.args) > takes else None
        if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
            return True
        if _last(node) in ("eval", "exec"):
            return bool(_read(text.value).reaches)
        return any(part in _NAMES for part in text.value.split("."))

    def _is_looked_up(self, call: ast.Call) -> bool:
        """Whether `globals()` is asked for one name that stands there."""
        above = self.above.get(id(call))
        key = above.slice if isinstance(above, ast.Subscript) and above.value is call else None
        return isinstance(key, ast.Constant) and key.value not in _NAMES


_OF_MODULES = {"builtins", "gc", "importlib", "inspect", "modules", "monitoring", "mro", "compilations"}
"""Of the names, those that a variable of a student's may have."""


def _named(node: ast.AST) -> list[str]:
    """The names that a node gives or asks for as texts: in definitions, patterns and keywords."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.MatchClass):
        return node.kwd_attrs
    return []


def _imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    """What an import brings, by its full name."""
    module = getattr(node, "module", "") or ""
    return [f"{module}.{alias.name}".lstrip(".") for alias in node.names]


def _bound(node: ast.AST) -> list[str]:
    """The names that an import binds."""
    if not isinstance(node, (ast.Import, ast.ImportFrom)):
        return []
    return [alias.asname or alias.name.partition(".")[0] for alias in node.names]


def _is_door(name: str) -> bool:
    """Whether a module or what is imported from it leads to what is not the student's own."""
    first, *parts = name.split(".")
    judges = first == "jaxcourse" and bool(parts) and (parts[0] in _OURS or parts[0][:1] == "_")
    return (
        first in _MODULES or judges or any(part in _NAMES or part in _MODULES - {"signal", "trace"} for part in parts)
    )


def _root(node: ast.AST) -> str:
    """The name at the beginning of a chain of attributes; nothing if it is no name."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _last(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _unknown(node: ast.AST) -> Iterator[str]:
    """What a node uses that this reading knows nothing about: modules, and private names of other people's."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        relative = isinstance(node, ast.ImportFrom) and node.level > 0
        yield from (name for name in _imported(node) if relative or name.partition(".")[0] not in _KNOWN)
    if isinstance(node, ast.Attribute) and node.attr[:1] == "_" and not _ORDINARY.fullmatch(node.attr):
        yield node.attr


def _private(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The private names that code defines itself."""
    for node in nodes:
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) and node.attr[:1] == "_":
            yield node.attr
        yield from (name for name in _named(node) if name[:1] == "_")
