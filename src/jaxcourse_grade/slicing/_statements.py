"""Python source, cut into statements that know which names they bind, need and change.

Names are read from the compiler's own bytecode, so scopes are right whatever Python runs this. Nothing is executed.
What cannot be seen: names that are made by `exec` or through `globals()`, what a function changes when it is called,
and changes through a second name of the same object.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import contextlib
import dis
import inspect
import re
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import CodeType
from typing import Literal

Kind = Literal["function", "import", "other"]

MOST = 10_000
"""Statements of one cell: each takes about 0.1 ms."""
LONGEST = 100_000
"""Characters of one cell: Python takes a second or two for the worst of them, an f-string of nothing but braces."""
_LINE = 2_000
"""Characters of a line that are looked at for the syntax of a newer Python."""

_VERBS = {f"{module}{verb}" for module in ("", "jaxcourse.") for verb in ("ask", "bring", "check", "hint", "solution")}
_BODY_MAGICS = {"time", "capture", "prun"}
"""Cell magics that run their body in the notebook's own names, and that need not be mentioned."""
_OTHER_MAGICS = {
    *("", "bash", "bigquery", "cmd", "file", "html", "HTML", "javascript", "js", "julia", "latex", "markdown", "perl"),
    *("pypy", "python", "python2", "python3", "R", "ruby", "script", "sh", "shell", "sql", "svg", "SVG", "sx"),
    *("system", "timeit", "writefile"),
}
"""Cell magics whose body is no Python, or is run in names of its own."""
_LINES_OF_CODE = {"memit", "prun", "time"}
"""Line magics that run a statement in the notebook's own names."""
_AUTOMATIC = {
    *("cat", "cd", "conda", "config", "cp", "env", "history", "load", "load_ext", "ls", "man", "matplotlib", "mkdir"),
    *("mv", "pdoc", "pinfo", "pip", "precision", "prun", "psource", "pycat", "pylab", "reload_ext", "reset", "rm"),
    *("rmdir", "run", "save", "set_env", "store", "system", "time", "timeit", "uv", "who", "whos", "xmode"),
}
"""Line magics that IPython takes for such without their `%`, where a line is all of a cell, and no Python."""
_OPTIONS = re.compile(r"\A(?:-{1,2}[\w-]+(?:[ =]\d+)?\s+)+")
"""What stands between a line magic and its statement: `%prun -l 10 x = f(y)`."""
_CELL_MAGIC = re.compile(r"\s*(?P<line>%%(?P<name>\w*)[^\n]*)")
_ESCAPED = re.compile(r"^[ \t]*[%!?,;/][%!?,;/ \t]*|\?[ \t]*$|=[ \t]*[%!]", re.MULTILINE)
_SIGNS = re.compile(r"[%!?,;/]")
_BLANKS = re.compile(r"[ \t\f]{50,}")
_PROMPT = re.compile(r"\s*In \[\d+\]: ")
_EMPTY_LINES = re.compile(r"\A(?:[ \t]*\n)*")
# IPython 7, which Colab has, does not see this from Python 3.12 on, where `!` became a token of its own:
# https://peps.python.org/pep-0701/
_SHELL_OUTPUT = re.compile(r"^([ \t]*[^\n=!]*=[ \t]*)!([^\n=][^\n]*)$", re.MULTILINE)
_TRANSFORM_MOST = 2_000_000
"""Characters times magics: IPython reads a cell once more for each magic in it. See `_transform_cost`."""
CHANGERS = {
    *("add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "reverse"),
    *("setdefault", "shuffle", "sort", "update"),
}
"""Methods that change what they belong to, wherever the call stands; so do `f.defjvp` and `f.register`."""
_READERS = ("print", "display", "jaxcourse.", "matplotlib.", "numpy.testing.", "IPython.", "pprint.")
"""Calls that show or compare their arguments and change nothing."""
_SETTINGS = (
    *("jax.config.", "jax.numpy.set_printoptions", "numpy.random.seed", "numpy.set", "os.environ", "random.seed"),
    *("sys.setrecursionlimit", "warnings."),
)
"""Calls and assignments that change what code means without any name that it uses."""
_FUTURE = "from __future__ import annotations\n"


@dataclass(frozen=True)
class Piece:
    """A statement at the top level of a cell, as plain Python that can be run by itself.

    Attributes:
        source: its text; calls of `ask`, `check`, `hint` and `solution` are gone, and magics are calls of IPython.
        defines: the names that it binds.
        uses: the names that it reads while it runs.
        later: the names that its functions read when they are called.
        changes: the names whose objects it changes: `x[0] = ...`, `x += ...`, `x.append(...)`, `@f.defjvp`.
        touches: the names whose objects a call without a kept result may change: `fill(x)`, `x.anything()`.
        kind: `import`, also below a `try`, `function`, or something else.
        blank: whether it is a stub: a function that raises `NotImplementedError` before all else, or a value that is
            `...` or has an entry `...`.
        acts: the dotted name that it calls or assigns to, as written: `jax.config.update`, `os.environ`.
        imports: for each name that it imports, what the name stands for.
        asks: the exercises whose `check` stood in it.
        cell: the position of its cell among the submission's code cells, from 0; -1 for the lesson's own set-up.
        line: the line of the cell that it begins in, from 1.
    """

    source: str
    defines: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    later: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    touches: frozenset[str] = frozenset()
    kind: Kind = "other"
    blank: bool = False
    acts: str = ""
    imports: tuple[tuple[str, str], ...] = ()
    asks: tuple[str, ...] = ()
    cell: int = -1
    line: int = 1

    @property
    def filename(self) -> str:
        """How a traceback names its cell, counting code cells from 1."""
        return "setup" if self.cell < 0 else f"cell {self.cell + 1}"


@dataclass(frozen=True)
class CellStatements:
    """What a cell's source gives.

    Attributes:
        pieces: its statements, in order; none, if the cell is not Python.
        future: whether annotations are not evaluated in this cell and in those below.
        error: what is wrong, if it is not Python.
        newer: the version of Python that it needs, if it is none of this one; else empty.
        unrun: the cell magic because of which its body is not run as Python; else empty.
        unknown: the cell magics that are not here, and whose body was taken as Python.
    """

    pieces: tuple[Piece, ...] = ()
    future: bool = False
    error: str = ""
    newer: str = ""
    unrun: str = ""
    unknown: tuple[str, ...] = ()


class _TooMuch(Exception):
    """More than anybody writes."""


def read_statements(source: str, future: bool = False) -> CellStatements:
    """Cut the source of a cell into statements.

    Args:
        source: the cell as it was written, with magics.
        future: whether a cell above says `from __future__ import annotations`.

    Returns:
        Its statements; whatever is wrong with the source is in `error`, and nothing is raised.

    Example:
        >>> [(sorted(one.defines), sorted(one.later)) for one in read_statements("a = 1; b = lambda: a + c").pieces]
        [(['a'], []), (['b'], ['a', 'c'])]
        >>> [piece.source for piece in read_statements("%%writefile a.py").pieces]
        ["get_ipython().run_cell_magic('writefile', 'a.py', '')"]
        >>> read_statements("def f(:").error
        'line 1: `def f(:` (invalid syntax)'
    """
    reader, text = _CellReader(future), source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    try:
        if len(text) > LONGEST:
            raise _TooMuch(f"it has more than {LONGEST:,} characters")
        with warnings.catch_warnings(), _recursion_limit(1_000):
            warnings.simplefilter("ignore")  # of an invalid escape, or `is` with a literal
            pieces = reader.cell(text)
    except (_TooMuch, SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
        said, newer = _error_words(error, text)
        return CellStatements(future=future, error=said, newer=newer)
    return CellStatements(tuple(pieces), reader.future, unrun=reader.unrun, unknown=tuple(reader.unknown))


@contextlib.contextmanager
def _recursion_limit(limit: int) -> Iterator[None]:
    """Python's own limit, whatever a library has set (mypy sets 16,384): the same source is read alike everywhere."""
    before = sys.getrecursionlimit()
    try:
        with contextlib.suppress(RecursionError):  # so deep already that there is no way back to it
            sys.setrecursionlimit(limit)
        yield
    finally:
        sys.setrecursionlimit(before)


def _error_words(error: Exception, text: str) -> tuple[str, str]:
    """What is wrong with a source, in words, with the line and its text; and the Python in which it is not wrong."""
    if isinstance(error, _TooMuch):
        return str(error), ""
    if isinstance(error, (RecursionError, MemoryError)):
        return "its expressions are nested too deeply for Python to read", ""
    if not isinstance(error, SyntaxError):
        return "it has characters that are not text: " + str(error), ""
    lines, number = text.split("\n"), error.lineno or 1
    line = error.text or (lines[number - 1] if number <= len(lines) else "")
    what, newer = _newer(line, error.msg)
    if newer:
        return f"line {number} has {what}, which Python {newer} brought", newer
    shown = "".join(c if c.isprintable() else f"<U+{ord(c):04X}>" for c in line.strip("\n\r \t")).replace("`", "'")
    shown = shown if len(shown) <= 80 else f"{shown[:77]}..."
    pasted = (
        "; it was pasted from formatted text: type it again" if "character" in error.msg and "U+" in error.msg else ""
    )
    return f"line {number}: `{shown}` ({error.msg}{pasted})", ""


_QUOTED = r"""(?<![\w'"])[rR]?{letter}[rR]?(?P<quote>"{{3}}|'{{3}}|["'])"""
_EXCEPT = re.compile(r"\s*except\*?\s+[\w.]+\s*,\s*(?:\w+\.)*[A-Z]\w*")
"""Two classes: what Python 2 wrote, `except IOError, e`, is of no newer Python."""
_NEWER = (
    ((3, 12), "a `type` statement", re.compile(r"\s*type\s+\w+\s*(?:\[.*\]\s*)?=")),
    ((3, 13), "a type parameter with a default", re.compile(r"\s*(?:(?:async\s+)?def|class)\s+\w+\s*\[[^\]]*=")),
    ((3, 12), "a type parameter", re.compile(r"\s*(?:(?:async\s+)?def|class)\s+\w+\s*\[")),
    (
        (3, 12),
        "an f-string with its own quotes, a backslash or a comment between its braces",
        re.compile(_QUOTED.format(letter="[fF]") + r"""[^"']*\{[^{}]*(?:(?P=quote)|\\|#)[^{}]*\}.*(?P=quote)"""),
    ),
    ((3, 14), "`except` with several exceptions and no brackets", _EXCEPT),
    ((3, 14), "a template string", re.compile(_QUOTED.format(letter="[tT]"))),
)
"""Syntax that came after Python 3.11, by version: its name, and how the line looks on which an older Python stops."""


def _newer(line: str, message: str) -> tuple[str, str]:
    """What a line that cannot be read has of a Python newer than this one, and which that is; else nothing."""
    for version, name, looks in _NEWER:
        if sys.version_info < version and looks.search(line[:_LINE]) and "was never closed" not in message:
            return name, ".".join(map(str, version))
    return "", ""


@dataclass
class _CellReader:
    """Reads one cell.

    Attributes:
        future: whether annotations are not evaluated.
        unrun, unknown: as in `CellStatements`.
    """

    future: bool
    unrun: str = ""
    unknown: list[str] = field(default_factory=list)

    def cell(self, text: str) -> list[Piece]:
        start, first, unknown = 0, list[Piece](), list[re.Match[str]]()
        while magic := _CELL_MAGIC.match(text, start):
            if magic["name"] in _OTHER_MAGICS:
                return [*first, self._unrun_piece(magic, text)]
            if magic["name"] == "capture":
                first += _captured_names(magic)
            elif magic["name"] not in _BODY_MAGICS:
                unknown.append(magic)
            start = magic.end()
        try:
            text, tree = _parse("\n" * text.count("\n", 0, start) + text[start:])  # lines stay as they were
        except SyntaxError:
            if not unknown:
                raise
            return [*first, self._unrun_piece(unknown[0], text)]
        self.unknown += [f"%%{magic['name']}" for magic in unknown]
        if len(tree.body) > MOST:
            raise _TooMuch(f"it has more than {MOST:,} statements")
        lines = text.split("\n")
        return [*first, *(piece for node in tree.body for piece in self.statement(node, lines))]

    def _unrun_piece(self, magic: re.Match[str], text: str) -> Piece:
        self.unrun = f"%%{magic['name']}"
        return _to_the_shell(magic, text)

    def statement(self, node: ast.stmt, lines: list[str]) -> Iterator[Piece]:
        if inside := _written_out(node):
            yield from (replace(piece, line=node.lineno) for piece in self.cell(inside))
            return
        scrub = _Scrub()
        kept = scrub.one(node)
        for part in kept:
            source = _segment(lines, node) if part is node and not scrub.rewritten else ast.unparse(part)
            yield from self._piece(part, source, scrub.asks, node.lineno)
        if not kept:
            yield Piece("", asks=tuple(scrub.asks), line=node.lineno)

    def _piece(self, node: ast.stmt, source: str, asks: list[str], line: int) -> Iterator[Piece]:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            self.future = self.future or any(alias.name == "annotations" for alias in node.names)
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | (__future__.annotations.compiler_flag if self.future else 0)
        try:
            code = compile(source, "<cell>", "exec", flags, dont_inherit=True)
        except SyntaxError as error:  # such as `return` outside a function
            error.lineno = line + (error.lineno or 1) - 1
            raise
        names = _Names.of(code)
        first = min([line, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
        prefix = _FUTURE if self.future and _has_annotations(node) else ""
        yield replace(_piece_of(node, names), source=prefix + source, asks=tuple(asks), line=first - prefix.count("\n"))


def _written_out(node: ast.stmt) -> str:
    r"""The cell, or the statement, that a call of IPython's shell runs: so a script from a notebook writes its magics.

    Example:
        >>> _written_out(ast.parse("get_ipython().run_cell_magic('time', '', 'x = 2')").body[0])
        '%%time \nx = 2'
        >>> _written_out(ast.parse("get_ipython().run_line_magic('time', 'x = 2')").body[0])
        'x = 2'
    """
    call = node.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
    if call is None or not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, ast.Call):
        return ""
    if dotted_name(call.func.value.func) != "get_ipython":
        return ""
    words = [word.value for word in call.args if isinstance(word, ast.Constant) and isinstance(word.value, str)]
    verb = call.func.attr
    if verb == "run_cell_magic" and len(words) == 3 and words[0] not in _OTHER_MAGICS:
        return f"%%{words[0]} {words[1]}\n{words[2]}"
    if verb == "magic" and len(words) == 1:
        words = words[0].split(maxsplit=1)
    if len(words) != 2 or words[0] not in _LINES_OF_CODE:
        return ""
    line = words[1].strip()
    return next(filter(_is_python, (line, _OPTIONS.sub("", line))), "")


def _is_python(text: str) -> bool:
    try:
        return bool(ast.parse(text))
    except SyntaxError:
        return False


def _to_the_shell(magic: re.Match[str], text: str) -> Piece:
    """A cell magic as the call that IPython makes of it."""
    line = magic["line"][2 + len(magic["name"]) :].strip()
    body = text[magic.end() :].removeprefix("\n")
    return Piece(f"get_ipython().run_cell_magic({magic['name']!r}, {line!r}, {body!r})", line=1)


def _captured_names(magic: re.Match[str]) -> Iterator[Piece]:
    """What `%%capture name` binds."""
    for word in magic["line"].split()[1:]:
        if word.isidentifier():
            yield Piece(f"{word} = get_ipython().run_line_magic('capture', {word!r})", frozenset({word}), line=1)


def _parse(text: str) -> tuple[str, ast.Module]:
    """The text and its tree: as Python or, if it is none, as IPython makes Python of it."""
    if not _PROMPT.match(text):  # to Python, `In [1]: x = 2` is an assignment with an annotation
        with contextlib.suppress(SyntaxError):
            return text, ast.parse(text)
    text = _through_ipython(_with_its_sign(text))
    return text, ast.parse(text)


def _with_its_sign(text: str) -> str:
    r"""A text with a `%` before a line magic that is all of it.

    Example:
        >>> _with_its_sign("run helpers.py"), _with_its_sign("x = 1\nrun helpers.py")
        ('%run helpers.py', 'x = 1\nrun helpers.py')
    """
    line = text.strip()
    alone = "\n" not in line and line.partition(" ")[0] in _AUTOMATIC
    return text.replace(line, f"%{line}", 1) if alone else text


def _transform_cost(text: str) -> int:
    """How long IPython takes, in characters.

    The tokenizer reads a long run of blanks again from each of its places; and IPython all of it again for each sign,
    since of `;;x` it makes `;x("")`, of which it takes the sign off as well.
    """
    blanks = sum(len(run) ** 2 for run in _BLANKS.findall(text))
    signs = sum(len(_SIGNS.findall(escaped)) for escaped in _ESCAPED.findall(text))
    return (len(text) + blanks) * (1 + signs)


def _through_ipython(text: str) -> str:
    """What IPython makes of a text, or the text itself."""
    if _transform_cost(text) > _TRANSFORM_MOST:
        return text
    from IPython.core.inputtransformer2 import TransformerManager

    empty = _EMPTY_LINES.match(text)
    try:
        python = TransformerManager().transform_cell(text)
    except Exception:
        return text  # what IPython stumbles over, nobody could run
    python = _SHELL_OUTPUT.sub(lambda m: f"{m[1]}get_ipython().getoutput({m[2]!r})", python)
    return "\n" * (empty[0].count("\n") if empty else 0) + python  # it drops them, and lines are to stay as they were


def _segment(lines: list[str], node: ast.stmt) -> str:
    """The text of a statement with its decorators; columns are counted in bytes of UTF-8."""
    decorators = [decorator.lineno for decorator in getattr(node, "decorator_list", [])]
    first, column = (min(decorators), 0) if decorators else (node.lineno, node.col_offset)
    chosen = lines[first - 1 : node.end_lineno]
    chosen[-1] = chosen[-1].encode()[: node.end_col_offset].decode()
    chosen[0] = chosen[0].encode()[column:].decode()
    return "\n".join(chosen)


# -- what is taken out --------------------------------------------------------------------------------------------


@dataclass
class _Scrub:
    """Takes calls of our verbs out of one statement, and out of the blocks inside it.

    Attributes:
        asks: the exercises whose `check` was taken out.
        rewritten: whether anything was taken out.
    """

    asks: list[str] = field(default_factory=list)
    rewritten: bool = False

    def one(self, node: ast.stmt) -> list[ast.stmt]:
        """What is left of a statement."""
        value = getattr(node, "value", None)
        if isinstance(node, ast.Expr) and isinstance(value, ast.Call) and dotted_name(value.func) in _VERBS:
            asked = value.args[:1] if dotted_name(value.func).endswith("check") else []
            self.asks += [a.value for a in asked if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            self.rewritten = True
            return []
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for block in [node, *getattr(node, "handlers", []), *getattr(node, "cases", [])]:
                self._blocks(block)
        return [node]

    def _blocks(self, node: ast.AST) -> None:
        for name in ("body", "orelse", "finalbody"):
            if nodes := getattr(node, name, None):
                kept = [left for inner in nodes for left in self.one(inner)]
                setattr(node, name, kept or [ast.Pass()])


# -- names --------------------------------------------------------------------------------------------------------

_AT_ONCE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<generic parameters")
"""Code inside code that runs where it stands; so does the body of a class."""


@dataclass
class _Names:
    """The global names in a statement's code."""

    defines: set[str] = field(default_factory=set)
    uses: set[str] = field(default_factory=set)
    later: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, code: CodeType) -> _Names:
        names, deleted = cls(), set()
        stack = [(code, True)]
        while stack:
            part, at_once = stack.pop()
            for step in dis.get_instructions(part):
                if step.opname == "DELETE_NAME" and part is code:
                    deleted.add(step.argval)  # also by Python itself, at the end of `except ... as error`
                else:
                    names._add(step.opname, step.argval, at_once, part is code)
            inner = [const for const in part.co_consts if isinstance(const, CodeType)]
            stack += [(const, at_once and _runs_at_once(const)) for const in inner]
        names.defines -= deleted
        return names

    def _add(self, operation: str, name: str, at_once: bool, outermost: bool) -> None:
        if (operation == "STORE_NAME" and outermost) or (operation == "STORE_GLOBAL" and at_once):
            self.defines.add(name)
        elif operation in ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"):
            (self.uses if at_once else self.later).add(name)
        elif operation == "STORE_GLOBAL":
            self.later.add(name)


def _has_annotations(node: ast.AST) -> bool:
    return any(getattr(inner, key, None) for inner in ast.walk(node) for key in ("annotation", "returns"))


def _runs_at_once(code: CodeType) -> bool:
    return not code.co_flags & inspect.CO_OPTIMIZED or code.co_name.startswith(_AT_ONCE)


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _piece_of(node: ast.stmt, names: _Names) -> Piece:
    """What a statement does to names."""
    effects = _Effects.of(node)
    imports = tuple(_imports(node))
    stars = {alias.name for alias in getattr(node, "names", []) if isinstance(node, ast.ImportFrom)} & {"*"}
    defines = (names.defines - effects.only_changed) | stars
    is_import = bool(imports) and defines <= {name for name, _ in imports}
    return Piece(
        "",
        frozenset(defines),
        frozenset(names.uses),
        frozenset(names.later),
        frozenset(effects.changes),
        frozenset(effects.touches),
        kind="import" if is_import else "function" if isinstance(node, _FUNCTIONS) else "other",
        blank=_is_blank(node),
        acts=_acts(node),
        imports=imports,
    )


def _imports(node: ast.stmt) -> Iterator[tuple[str, str]]:
    """Imported names, also below `try` or `if`, and what they stand for."""
    for inner in executed_nodes(node):
        if isinstance(inner, ast.Import):
            for alias in inner.names:
                first = alias.name.partition(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (first, first)
        elif isinstance(inner, ast.ImportFrom):
            for alias in inner.names:
                yield alias.asname or alias.name, f"{inner.module or ''}.{alias.name}"


def _is_blank(node: ast.stmt) -> bool:
    if isinstance(node, _FUNCTIONS):
        first = node.body[1:2] if ast.get_docstring(node, clean=False) is not None else node.body[:1]
        return bool(first) and isinstance(first[0], ast.Raise) and "NotImplementedError" in ast.dump(first[0])
    values = [node.value] if isinstance(node, (ast.Assign, ast.AnnAssign)) else []
    while values:
        value = values.pop()
        if isinstance(value, ast.Constant) and value.value is ...:
            return True
        values += getattr(value, "values" if isinstance(value, ast.Dict) else "elts", [])
    return False


def _acts(node: ast.stmt) -> str:
    if isinstance(node, ast.Expr):
        return dotted_name(node.value.func) if isinstance(node.value, ast.Call) else ""
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    while isinstance(target, ast.Subscript):
        target = target.value
    return "" if isinstance(target, ast.Name) else dotted_name(target)


def dotted_name(node: ast.AST | None) -> str:
    """A dotted name as it is written, or nothing."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _root(node: ast.AST) -> set[str]:
    """The name at the root of `x.a[0].b`: one, or none."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def executed_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run where they stand: not the bodies of functions."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, _FUNCTIONS):
            stack += [*node.decorator_list, *node.args.defaults, *(d for d in node.args.kw_defaults if d)]
        elif not isinstance(node, ast.Lambda):
            stack += ast.iter_child_nodes(node)


@dataclass
class _Effects:
    """The names whose objects a statement changes, or may change."""

    changes: set[str] = field(default_factory=set)
    touches: set[str] = field(default_factory=set)
    only_changed: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, node: ast.stmt) -> _Effects:
        effects, bound, added = cls(), set(), set()
        for inner in executed_nodes(node):
            if isinstance(inner, ast.AugAssign) and isinstance(inner.target, ast.Name):
                added.add(inner.target)
            elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                bound.add(inner)
            else:
                effects._look(inner)
        effects.only_changed = {n.id for n in added} - {n.id for n in bound - added}
        effects.changes |= effects.only_changed
        return effects

    def _look(self, node: ast.AST) -> None:
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            self.changes |= _root(node)
        elif isinstance(node, ast.Call):
            self._call(node.func, node.args)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            if not hasattr(builtins, dotted_name(call.func)):
                self.touches.update(*map(_root, [*given, call.func] if isinstance(call.func, ast.Attribute) else given))
        elif isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            for decorator in node.decorator_list:
                self._call(decorator.func if isinstance(decorator, ast.Call) else decorator, [])

    def _call(self, func: ast.expr, given: list[ast.expr]) -> None:
        if isinstance(func, ast.Attribute) and (func.attr in CHANGERS or func.attr.startswith(("def", "register"))):
            self.changes |= _root(func)
        elif dotted_name(func) in ("setattr", "delattr", "next"):
            self.changes.update(*map(_root, given[:1]))


# -- what hangs together ------------------------------------------------------------------------------------------


class Links:
    """Which statements belong together, by the names that they bind, use and change, wherever they stand.

    Args:
        pieces: in the notebook's order.
    """

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces = pieces
        self.aliases = dict(pair for piece in pieces for pair in piece.imports)
        self.makers: Mapping[str, list[int]] = defaultdict(list)
        kinds: dict[str, Kind] = {name: piece.kind for piece in pieces for name in piece.defines}
        for i, piece in enumerate(pieces):
            changed = {name for name in piece.changes if kinds.get(name) != "import"}
            if not self.stands_for(piece.acts).startswith(_READERS):
                changed |= {name for name in piece.touches if kinds.get(name, "import") == "other"}
            for name in piece.defines | changed:
                self.makers[name].append(i)

    def stands_for(self, dotted: str) -> str:
        """A dotted name with its first part as it was imported: `np.seterr` is `numpy.seterr`."""
        first, dot, rest = dotted.partition(".")
        return self.aliases.get(first, first) + dot + rest

    def is_setting(self, piece: Piece) -> bool:
        """Whether a statement changes what other code means, such as `jax.config.update(...)`."""
        return bool(piece.acts) and self.stands_for(piece.acts).startswith(_SETTINGS)

    def behind(self, names: Iterable[str]) -> set[int]:
        """The statements that make some names what they are, or change it, with all that these use in turn.

        Example:
            >>> links = Links(read_statements("a = []; b = 3; f = lambda: a; a.append(1); print(a)").pieces)
            >>> sorted(links.behind(["f"]))
            [0, 2, 3]
        """
        todo, known, found = list(names), set(names), set[int]()
        while todo:
            for i in self.makers.get(todo.pop(), ()):
                if i not in found:
                    found.add(i)
                    used = (self.pieces[i].uses | self.pieces[i].later) - known
                    known |= used
                    todo += used
        return found
