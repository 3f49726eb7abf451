"""What of the course's own lies among what was handed in: its blank and its solved notebooks, and its other files.

None of it is a student's work. It comes in clones of the course, and as a notebook that was never begun. Of this
edition it is known by what is in it; of other editions, by what our generator writes: the id of a cell is a digest of
its source, and its metadata say whether it is a stub or a solution.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from jaxcourse_grade._records import Published, Submission
from jaxcourse_grade.intake._find import Handed
from jaxcourse_grade.intake._names import NOTEBOOKS
from jaxcourse_grade.intake._walk import Broken, Cell, walk

_PARTS = ("notebooks", "solutions", "exercises_tests", "src", "tests", "book", "benchmarks")
"""The folders of a course. Beside them, somebody's submissions may lie."""
_EDITION = re.compile(r"^__edition__ = [\"']?([^\"'\n]+)", re.MULTILINE)
_YOUR_TURN = re.compile(r"raise NotImplementedError\(.your turn.\)\s*\Z")


@dataclass(frozen=True)
class Ours:
    """What a course has published.

    Attributes:
        blank, solved: digests of the code of its notebooks.
        editions: of these, as they say it themselves.
        files: digests of all its notebooks and scripts.
    """

    blank: frozenset[str] = frozenset()
    solved: frozenset[str] = frozenset()
    editions: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()

    @classmethod
    def of(cls, root: Path) -> Ours:
        """What the course in a folder has published."""
        blank, solved = ([*_books(root / folder)] for folder in ("notebooks", "solutions"))
        files = (path for part in _PARTS for path in _files(root / part))
        return cls(
            frozenset(map(code_digest, blank)) - {""},
            frozenset(map(code_digest, solved)) - {""},
            frozenset(map(edition, [*blank, *solved])) - {""},
            frozenset(hashlib.sha256(data).hexdigest() for path in files if (data := path.read_bytes()).strip()),
        )

    def kind(self, read: Submission) -> Published:
        """What of the course's own a file is."""
        basis = read.basis
        if basis.code and basis.code in self.solved:
            return "solved"
        if basis.code and basis.code in self.blank:
            return "blank"
        if basis.published and basis.edition not in self.editions:
            return basis.published
        return "file" if read.sha256 in self.files else ""

    def marked(self, pairs: Iterable[tuple[Handed, Submission]]) -> Iterator[tuple[Handed, Submission]]:
        """The same, in which the course's own is marked as such; solved notebooks in its own folder are no answers."""
        for handed, read in pairs:
            kind = self.kind(read)
            known = replace(read, basis=replace(read.basis, published=kind))
            shelved = kind == "solved" and is_shelved(handed, "solutions")
            yield handed, replace(known, unreadable=_NO_ANSWER) if shelved and not read.unreadable else known


_NO_ANSWER = (
    "This is the course's own solved notebook, in the course's own folder: it is no answer. Hand in the notebook in "
    "which you worked."
)


def is_shelved(handed: Handed, *folders: str) -> bool:
    """Whether a notebook lies where a course has its lessons, whatever they are called now, in a copy of it."""
    inside = "/".join(re.split(r"[/!]", handed.source)[-2:])
    return re.fullmatch(rf"(?:{'|'.join(folders or ('notebooks', 'solutions'))})/\d\d_\w+\.ipynb", inside) is not None


def _books(folder: Path) -> Iterator[list[Cell]]:
    for path in sorted(folder.glob("*.ipynb")):
        try:
            yield list(walk(path.read_bytes()).cells)
        except Broken:  # somebody is editing it
            continue


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.suffix in NOTEBOOKS and path.is_file()]


def _code(cells: Iterable[Cell]) -> list[Cell]:
    return [cell for cell in cells if cell.kind == "code"]


def edition(cells: Iterable[Cell]) -> str:
    """The edition that a notebook says it is of, in its first cell."""
    found = (_EDITION.search(cell.source) for cell in _code(cells))
    return next((match[1].strip() for match in found if match), "")


def code_digest(cells: Iterable[Cell]) -> str:
    """A digest of the code in a notebook, without the cell that has the address of whoever published it.

    It is empty if there is no code.
    """
    sources = [cell.source for cell in _code(cells) if not _EDITION.search(cell.source)]
    return hashlib.sha256("\0".join(sources).encode()).hexdigest() if sources else ""


def generated(cells: Iterable[Cell]) -> Published:
    r"""Whether these are the cells of a notebook of ours, blank or solved, as our generator wrote it.

    Example:
        >>> stub = Cell("code", "def f():\n    raise NotImplementedError('your turn')", "f-stub", "stub")
        >>> generated([stub]), generated([Cell("code", "def f(): return 1", "f-stub", "stub")])
        ('blank', '')
    """
    code = _code(cells)
    roles = {cell.role for cell in code} & {"stub", "solution"}
    if len(roles) != 1 or not all(map(_is_generated, code)):
        return ""
    return "solved" if roles == {"solution"} else "blank"


def _is_generated(cell: Cell) -> bool:
    if cell.role == "stub":
        return bool(_YOUR_TURN.search(cell.source)) or _is_unanswered(cell.source)
    if cell.role:
        return cell.ident.partition("-")[0] != ""
    return cell.ident.partition("-")[0] == hashlib.sha256(cell.source.encode()).hexdigest()[:12]


def _is_unanswered(source: str) -> bool:
    """Whether nothing is filled in where a prediction is asked for: each value is `...`."""
    try:
        values = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Assign)]
    except (SyntaxError, ValueError, RecursionError):
        return False
    leaves = [leaf for value in values for leaf in _leaves(value)]
    return bool(leaves) and all(isinstance(leaf, ast.Constant) and leaf.value is ... for leaf in leaves)


def _leaves(value: ast.expr) -> list[ast.expr]:
    if isinstance(value, ast.Dict):
        return [leaf for each in value.values for leaf in _leaves(each)]
    if isinstance(value, ast.List | ast.Tuple):
        return [leaf for each in value.elts for leaf in _leaves(each)]
    return [value]
