"""Of the modules beside a notebook, those that it may need: students hand in whole folders, and whole environments.

A module is needed if what is run before it may name it. Names are looked for as words, wherever they stand, so that
`from . import x`, `importlib.import_module("x")` and `%run x.py` are seen as `import x` is; a word that means something
else costs a file too many, and no more. What was installed into an environment is nobody's own.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from jaxcourse_grade._records import MOST_TEXT
from jaxcourse_grade.intake._find import Handed

_WORD = re.compile(r"\w+")
_PART = re.compile(r"/|(?<=\.zip)!", re.IGNORECASE)
_INSTALLED = frozenset({"site-packages", "dist-packages", "lib-dynload", "node_modules", "conda-meta"})
"""Folders of what somebody else wrote."""
_INIT = "__init__"
_Texts = tuple[tuple[str, str], ...]


def needed(
    cells: Iterable[str], notebook: Handed, beside: Sequence[Handed], text: Callable[[Handed], str | None]
) -> tuple[_Texts, tuple[str, ...]]:
    """What a notebook may need of the modules that were handed in with it, and what these need.

    Args:
        cells: its code.
        notebook: where it lies.
        beside: the modules, in the order in which the last of one name counts.
        text: reads one; None if it cannot be read.

    Returns:
        The path of each below the notebook's folder, and its text; and the names of those that are too large to be
        sent along.
    """
    search = _Search(text, {word for cell in cells for word in _WORD.findall(cell)})
    waiting = list(zip(range(len(beside)), beside, _all_paths(notebook, beside), strict=True))
    while now := [one for one in waiting if any(search.names(path) for path in one[2])]:
        waiting = [one for one in waiting if one not in now]
        for place, handed, paths in sorted(now, key=lambda one: one[1].size):  # a large one leaves room for others
            search.take(place, handed, paths)
    modules = {path: source for _, paths, source in sorted(search.found) for path in paths}
    return tuple(modules.items()), tuple(search.too_large)


class _Search:
    """What was found so far.

    Attributes:
        words: what is named in the notebook, and in the modules that were found.
        found: the modules, each with its place among all, and where it is to lie.
        too_large: the names of those for which there was no room.
    """

    def __init__(self, text: Callable[[Handed], str | None], words: set[str]) -> None:
        self.text, self.words = text, words
        self.found: list[tuple[int, list[str], str]] = []
        self.too_large: dict[str, None] = {}
        self.room = MOST_TEXT

    def names(self, path: str) -> bool:
        """Whether all parts of a module's name stand somewhere in what was found."""
        parts = set(_WORD.findall(path.removesuffix(".py"))) - {_INIT}
        return bool(parts) and parts <= self.words

    def take(self, place: int, handed: Handed, paths: Sequence[str]) -> None:
        """Read a module, if there is room."""
        source = self.text(handed) if handed.size <= self.room else None
        size = len((source or "").encode())  # an archive may say another
        if source is not None and size <= self.room:
            self.room -= size
            self.words |= set(_WORD.findall(source))
            self.found.append((place, list(paths), source))
        elif source is not None or handed.size > self.room:
            self.too_large |= dict.fromkeys(map(_dotted, paths))


def _dotted(path: str) -> str:
    """The name by which the module at a path is imported.

    Example:
        >>> _dotted("tools/io.py"), _dotted("tools/__init__.py")
        ('tools.io', 'tools')
    """
    return path.removesuffix(".py").removesuffix(f"/{_INIT}").replace("/", ".")


def _all_paths(notebook: Handed, beside: Iterable[Handed]) -> list[list[str]]:
    """Where each module is to lie, so that the notebook finds it."""
    beside, home = list(beside), _PART.split(notebook.source)[:-1]
    packages = {tuple(_PART.split(one.source)[:-1]) for one in beside if one.module == _INIT}
    return [list(dict.fromkeys(_paths(one, home, packages))) for one in beside]


def _paths(module: Handed, home: list[str], packages: set[tuple[str, ...]]) -> Iterator[str]:
    """Where a module lies, seen from the notebook; and its path in the package that it is of.

    The latter is where it is looked for after `sys.path.append(...)`, wherever that leads on the student's machine.
    """
    folders = _PART.split(module.source)[:-1]
    if module.by_file:
        folders = home
    if _INSTALLED & set(folders):
        return
    if folders[: len(home)] == home:
        yield "/".join([*folders[len(home) :], f"{module.module}.py"])
    root = len(folders)
    while root and tuple(folders[:root]) in packages:
        root -= 1
    short = "/".join([*folders[root:], f"{module.module}.py"])
    if _dotted(short).partition(".")[0] not in sys.stdlib_module_names:
        yield short
