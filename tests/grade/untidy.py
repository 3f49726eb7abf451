"""Untidy notebooks of honest students, made from the solved ones: every answer is right, and nothing is where it was.

`python tests/grade/untidy.py --class 100` makes a class of them over all lessons, grades it, and says who lost a mark;
`--only 33` grades one of them again; with `--nbval 5`, the first five are run by `pytest --nbval` as well, which must
find them green.
"""

import argparse
import ast
import json
import random
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from jaxcourse.course import Course
from jaxcourse_author.rules import run_nbval
from jaxcourse_grade._records import Mark, Submission
from jaxcourse_grade.isolation import Limits, Terms, available
from jaxcourse_grade.judging import Grader, cache_folder
from jaxcourse_grade.slicing._statements import Piece, read_statements

TOPS = [
    "np.set_printoptions(precision=3, suppress=True)",
    "np.seterr(under='ignore')",
    "import warnings\n\nwarnings.filterwarnings('ignore')",
    "jax.config.update('jax_debug_nans', False)",
    "import sys\n\nsys.setrecursionlimit(4000)",
    "np.random.seed(2026)",
    "import os\nos.environ['MY_NAME'] = 'Åsa'",
    "%load_ext autoreload\n%autoreload 0",
    "%pwd",
    "from pathlib import Path\nPath('notes.txt').write_text('remember: rows first')",
]
EXTRAS = [
    "# just trying things out\nfor trial in range(3):\n    print(trial, end=' ')",
    "%timeit -n 1 -r 1 sum(range(10))",
    "scratch = [n**2 for n in range(5)]; scratch",
    "import asyncio\n\nasync def moment():\n    await asyncio.sleep(0)\n    return 'done'\n\nprint(await moment())",
    "import matplotlib.pyplot as plt\nplt.plot([1, 4, 9], 'o-');",
    "assert 1 + 1 == 2, 'sanity'",
    "if (länge := len('straße')) > 3: print(länge);",
    "%%capture captured\nprint('quiet')",
    "log = []\ndef note(text):\n    log.append(text)\nnote('started'); note('still here')",
    "def größer(a, b):\n    return a > b\n\ngrößer(2, 1)",
    "%%writefile scratch_notes.txt\nnothing of importance",
    "try:\n    1 / 0\nexcept ZeroDivisionError as oops:\n    print(oops)",
]


@dataclass
class Cell:
    """A cell of a notebook; `exercise` is whose answer or check it is."""

    kind: str
    source: str
    role: str = ""
    exercise: str = ""


@dataclass
class Draft:
    """A solution that is being made untidy.

    Attributes:
        variable: its name.
        source: as it is solved.
        imports: the names that the lesson's set-up imports, and the code that does.
        draw: what is drawn from.
        top: cells that go to the top of the notebook.
        after: cells that come after the check.
        others: all other code of the notebook.
        puzzle: whether it may use few functions, no helper and no magic.
    """

    variable: str
    source: str
    imports: tuple[set[str], str]
    draw: random.Random
    others: str = ""
    top: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    puzzle: bool = False

    @property
    def tree(self) -> ast.Module:
        """Read anew each time, to be changed."""
        return ast.parse(self.source)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The statements of the cell."""
        return read_statements(self.source).pieces

    @property
    def free(self) -> set[str]:
        """The names that it takes from elsewhere and that no import of the set-up gives."""
        import builtins

        used = set().union(*(piece.uses | piece.later for piece in self.pieces))
        own = set().union(*(piece.defines for piece in self.pieces))
        return used - own - self.imports[0] - set(dir(builtins))

    @property
    def last(self) -> ast.stmt:
        """The statement that gives the answer; it stands last."""
        return self.tree.body[-1]

    @property
    def is_function(self) -> bool:
        return isinstance(self.last, ast.FunctionDef) and self.last.name == self.variable

    @property
    def is_value(self) -> bool:
        return isinstance(self.last, ast.Assign) and ast.unparse(self.last.targets) == self.variable

    @property
    def before(self) -> str:
        """All that stands above the answer."""
        return "\n\n".join(ast.unparse(node) for node in self.tree.body[:-1])

    def is_its_own(self) -> bool:
        """Whether its function does not call itself by its name."""
        return self.variable not in self.pieces[-1].later

    def renamed(self, name: str) -> str:
        """The cell with its function under another name."""
        tree = self.tree
        tree.body[-1].name = name
        return ast.unparse(tree)


def plain(draft: Draft) -> list[str] | None:
    """As it was."""
    return [draft.source]


def rewritten(draft: Draft) -> list[str] | None:
    """Other quotes, no comments, no marker, semicolons where there were ends of lines."""
    simple = all(isinstance(node, (ast.Assign, ast.Import, ast.ImportFrom, ast.Expr)) for node in draft.tree.body)
    return [("; " if simple else "\n").join(map(ast.unparse, draft.tree.body)) + (" ;" if simple else "")]


def commented(draft: Draft) -> list[str] | None:
    """Comments before, behind and below."""
    return [f"# took me an hour!!  ✓\n\n\n{draft.source}   # fertig\n\n# old version:\n# {draft.variable} = ...\n"]


def in_parts(draft: Draft) -> ast.Module | None:
    """The answer with what it does in a helper of its own."""
    tree = draft.tree
    if draft.puzzle:
        return None
    if draft.is_value:
        helper = ast.parse(f"my_part = {ast.unparse(draft.last.value)}").body
        tree.body[-1:] = [*helper, *ast.parse(f"{draft.variable} = my_part").body]
        return tree
    if not (draft.is_function and draft.is_its_own()) or draft.last.decorator_list:
        return None
    arguments = draft.last.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
        return None
    names = ", ".join(argument.arg for argument in (*arguments.posonlyargs, *arguments.args))
    tree.body[-1].name = "my_part"
    tree.body += ast.parse(f"def {draft.variable}({ast.unparse(arguments)}):\n    return my_part({names})").body
    return tree


def split(draft: Draft) -> list[str] | None:
    """Each statement in a cell of its own."""
    tree = in_parts(draft)
    return tree and [ast.unparse(node) for node in tree.body]


def helper_at_the_top(draft: Draft) -> list[str] | None:
    """The helper goes to the top of the notebook, under a name that nobody else has."""
    tree = in_parts(draft)
    if not tree or draft.free:
        return None
    *helpers, answer = _Rename({"my_part": f"part_of_{draft.variable}"}).visit(tree).body
    draft.top.append("\n\n".join(map(ast.unparse, helpers)))
    return [ast.unparse(answer)]


class _Rename(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self.names.get(node.name, node.name)
        return self.generic_visit(node)


def helper_renamed(draft: Draft) -> list[str] | None:
    """The helper has a name with an accent, and stands below, in the same cell."""
    tree = in_parts(draft)
    if not tree or not draft.is_function:
        return None
    *others, helper, answer = _Rename({"my_part": "größter_teil"}).visit(tree).body
    return ["\n".join(map(ast.unparse, (*others, answer, helper)))]


def timed(draft: Draft) -> list[str] | None:
    """Under a cell magic."""
    return [f"%%time\n{draft.source}"]


def twice(draft: Draft) -> list[str] | None:
    """The same cell again."""
    return [draft.source, draft.source]


def second_attempt(draft: Draft) -> list[str] | None:
    """A first attempt that was wrong stands above."""
    first = f"def {draft.variable}(*args):\n    return None" if draft.is_function else f"{draft.variable} = 'no idea'"
    return [f"# first try\n{first}", draft.source]


def by_globals(draft: Draft) -> list[str] | None:
    """The answer gets its name through `globals()`."""
    if draft.is_value:
        return [f"{draft.before}\nglobals()['{draft.variable}'] = {ast.unparse(draft.last.value)}"]
    if not (draft.is_function and draft.is_its_own()):
        return None
    return [f"{draft.renamed('my_version')}\n\nglobals()['{draft.variable}'] = my_version"]


def by_call(draft: Draft) -> list[str] | None:
    """The answer is put on a shelf by a call in another cell, and taken from there."""
    if not (draft.is_function and draft.is_its_own()):
        return None
    shelf = "shelf = {}\n\ndef put(name, thing):\n    shelf[name] = thing"
    name = draft.variable
    return [shelf, draft.renamed("my_version"), f"put('{name}', my_version)", f"{name} = shelf['{name}']"]


def by_decorator(draft: Draft) -> list[str] | None:
    """The answer is registered by a decorator."""
    if not (draft.is_function and draft.is_its_own()):
        return None
    tree = draft.tree
    tree.body[-1].name = "_"
    tree.body[-1].decorator_list.insert(0, ast.parse(f"registry.keep('{draft.variable}')", mode="eval").body)
    registry = (
        "class Registry:\n    def __init__(self):\n        self.known = {}\n    def keep(self, name):\n"
        "        def kept(f):\n            self.known[name] = f\n            return f\n        return kept\n\n"
        "registry = Registry()"
    )
    return [registry, ast.unparse(tree), f"{draft.variable} = registry.known['{draft.variable}']"]


def _module(draft: Draft) -> str | None:
    """The cell as the text of a module, if nothing of the notebook is missing in it."""
    return None if draft.free else f"{draft.imports[1]}\n\n{draft.source}\n"


def by_magic_file(draft: Draft) -> list[str] | None:
    """The answer stands in a file that a magic writes."""
    text = _module(draft)
    name = f"mine_{draft.variable}"
    return text and [f"%%writefile {name}.py\n{text}", f"from {name} import {draft.variable}"]


def by_open_file(draft: Draft) -> list[str] | None:
    """The answer stands in a file that is written by hand."""
    text = _module(draft)
    name = f"file_{draft.variable}"
    written = f"with open('{name}.py', 'w', encoding='utf-8') as file:\n    file.write({text!r})"
    return text and [written, f"import {name}\n{draft.variable} = {name}.{draft.variable}"]


def hinted(draft: Draft) -> list[str] | None:
    """Type hints everywhere."""
    tree = draft.tree
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = ast.Constant("whatever comes")
            for argument in node.args.args:
                argument.annotation = ast.parse("object", mode="eval").body
    return [ast.unparse(tree)] if draft.is_function else None


def with_walrus(draft: Draft) -> list[str] | None:
    """A value that is bound on the way."""
    return [f"{draft.before}\nprint(({draft.variable} := {ast.unparse(draft.last.value)}))"] if draft.is_value else None


def awaited(draft: Draft) -> list[str] | None:
    """A value that is waited for."""
    if not draft.is_value:
        return None
    gives = f"async def think():\n    return {ast.unparse(draft.last.value)}"
    return [f"{draft.before}\n{gives}", f"{draft.variable} = await think()"]


def magic_inside(draft: Draft) -> list[str] | None:
    """A magic in the body of a function."""
    if not draft.is_function or draft.puzzle:
        return None
    tree = draft.tree
    body = tree.body[-1].body
    body.insert(1 if ast.get_docstring(tree.body[-1]) is not None else 0, ast.parse("MAGIC").body[0])
    return [ast.unparse(tree).replace("MAGIC\n", "%pwd\n")]


def used_again(draft: Draft) -> list[str] | None:
    """After the check, the name is used for something else."""
    if draft.variable in draft.others:
        return None
    draft.after.append(f"{draft.variable} = 'finished with {draft.variable}'")
    return [draft.source]


WAYS: list[Callable[[Draft], list[str] | None]] = [
    *(plain, rewritten, commented, split, helper_at_the_top, helper_renamed, timed, twice, second_attempt),
    *(by_globals, by_call, by_decorator, by_magic_file, by_open_file, hinted, with_walrus, awaited, magic_inside),
    used_again,
]


def cells_of(notebook: Path) -> list[Cell]:
    """The cells of a solved notebook."""
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        about, tags = cell["metadata"].get("jaxcourse", {}), cell["metadata"].get("tags", [])
        role = about.get("role", "setup" if "setup" in tags else "")
        yield Cell(cell["cell_type"], "".join(cell["source"]), role, about.get("exercise", ""))


def untidy(notebook: Path, seed: int, *, demos: bool = True) -> tuple[list[Cell], dict[str, str]]:
    """An untidy notebook, and in which way each exercise is answered.

    Args:
        notebook: the solved one.
        seed: what is drawn from.
        demos: whether the lesson's demonstrations stay; without them nbval is fast.
    """
    draw = random.Random(f"{notebook.stem}/{seed}")
    given = list(cells_of(notebook))
    if not demos:
        given = _needed(given)
    setup = [cell.source for cell in given if cell.role == "setup"]
    imports = [piece for source in setup for piece in read_statements(source).pieces if piece.kind == "import"]
    names = set().union(*(piece.defines for piece in imports))
    ways, top, cells = dict[str, str](), _tops(draw, names), list[Cell]()
    after: dict[str, list[str]] = {}
    for cell in given:
        if cell.role == "solution":
            others = "\n".join(other.source for other in given if other is not cell and other.kind == "code")
            others = others.replace(f'check("{cell.exercise}")', "")
            draft = Draft(cell.exercise.replace("-", "_"), cell.source, (names, _text(imports)), draw, others)
            draft.puzzle = "puzzle" in notebook.stem
            ways[cell.exercise], sources = _drawn(draft)
            top += draft.top
            after[cell.exercise] = draft.after
            cells += [Cell("code", source, "solution", cell.exercise) for source in sources]
        elif cell.kind == "code" or draw.random() < 0.5:
            cells.append(cell)
            if cell.role == "check":
                cells += [Cell("code", source) for source in after[cell.exercise]]
        if cell.kind == "code" and cell.role == "check" and draw.random() < 0.25:
            cells.append(Cell("code", draw.choice(EXTRAS)))
    last = max(i for i, cell in enumerate(cells) if cell.role == "setup")
    return [*cells[: last + 1], *(Cell("code", source) for source in top), *cells[last + 1 :]], ways


def _tops(draw: random.Random, names: set[str]) -> list[str]:
    """Settings and magics for the top; those of a library that the lesson does not import are imported with it."""
    chosen = draw.sample(TOPS, draw.randrange(4))
    missing = [("np", "import numpy as np"), ("jax", "import jax")]
    lines = {text: [code for name, code in missing if name not in names and f"{name}." in text] for text in chosen}
    return ["\n".join([*more, text]) for text, more in lines.items()]


def _text(imports: list[Piece]) -> str:
    return "\n".join(piece.source for piece in imports)


def _drawn(draft: Draft) -> tuple[str, list[str]]:
    for way in draft.draw.sample(WAYS, len(WAYS)):
        if found := way(draft):
            return way.__name__, [source.strip("\n") for source in found]
    raise LookupError("no way applies")


def _needed(given: list[Cell]) -> list[Cell]:
    """The cells without prose, and without demonstrations that no answer needs."""
    code = [cell for cell in given if cell.kind == "code" and "%pip" not in cell.source]
    used, kept = set[str](), list[Cell]()
    for cell in reversed(code):
        pieces = read_statements(cell.source).pieces
        if cell.role or used & set().union(*(piece.defines for piece in pieces)):
            used |= set().union(*(piece.uses | piece.later for piece in pieces)) if cell.role != "setup" else set()
            kept.append(cell)
    return kept[::-1]


def written(cells: list[Cell]) -> str:
    """The `.ipynb` file's text."""
    plain = [
        {"cell_type": cell.kind, "id": f"c{i}", "metadata": {"tags": ["nbval-ignore-output"]}, "source": cell.source}
        | ({"outputs": [], "execution_count": None} if cell.kind == "code" else {})
        for i, cell in enumerate(cells)
    ]
    return json.dumps({"cells": plain, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, ensure_ascii=False)


def handed_in(notebook: Path, seed: int, **options: bool) -> tuple[Submission, dict[str, str]]:
    """An untidy notebook as the grader reads it."""
    cells, ways = untidy(notebook, seed, **options)
    code = tuple(cell.source for cell in cells if cell.kind == "code")
    name = f"{notebook.stem}-{seed}"
    return Submission(name, name, notebook.stem, f"{name}.ipynb", cells=code), ways


def judge_of(course: Course, cache: Path | None = None) -> Grader:
    """A judge behind every wall that this machine has."""
    protections = tuple(name for name, lacking in available().items() if not lacking)
    return Grader(course, Terms(Limits(), protections, str(cache or cache_folder(course))))


def _said(mark: Mark, ways: dict[str, str]) -> str:
    return f"{mark.exercise} ({ways[mark.exercise]}): {mark.status} {mark.label}: {mark.message} {mark.notes}"


def graded(course: Course, seeds: Iterable[int]) -> Iterator[tuple[Submission, list[str], float, int]]:
    """Grade a class over all lessons: each notebook, the marks it lost, its seconds, how many needed all of it.

    All notebooks of a lesson get the same inputs, so that these are tried on the solutions only once.
    """
    notebooks = sorted((course.root / "solutions").glob("*.ipynb"))
    judge = judge_of(course)
    try:
        for seed in seeds:
            submission, ways = handed_in(notebooks[seed % len(notebooks)], seed)
            _, found, seconds = judge.marks(submission, judge.inputs(submission.lesson, 13, 0))
            marks = [_said(mark, ways) for mark in found if mark.status != "passed"]
            yield submission, marks, seconds, sum("as it stands" in note for mark in found for note in mark.notes)
    finally:
        judge.close()


def by_nbval(course: Course, notebook: Path, seed: int) -> list[str]:
    """What nbval finds wrong in an untidy notebook."""
    cells, _ = untidy(notebook, seed, demos=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, notebook.name)
        path.write_text(written(cells), encoding="utf-8")
        code = [cell.source for cell in cells if cell.kind == "code"]
        return [f"{code[i][:200]}\n{said[-500:]}" for i, said in run_nbval(path, course.root).items() if said]


def main() -> int:
    """Make a class, grade it, and say who lost a mark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--class", type=int, default=100, dest="number", help="how many notebooks are graded")
    parser.add_argument("--only", type=int, action="append", default=[], help="grade the notebook of this number alone")
    parser.add_argument("--nbval", type=int, default=0, help="how many of them nbval runs as well")
    options = parser.parse_args()
    course, full, seeds = Course.installed(), 0, options.only or range(options.number)
    for submission, marks, seconds, whole in graded(course, seeds):
        full += not marks
        said = f"{submission.student}  {seconds:.1f} s  {whole} as it stands"
        print(said, *marks, sep="\n  ", flush=True)
    print(f"{full} of {len(seeds)} got full marks.")
    notebooks, green = sorted((course.root / "solutions").glob("*.ipynb")), 0
    for seed in range(options.nbval):
        faults = by_nbval(course, notebooks[seed % len(notebooks)], seed)
        green += not faults
        print(f"nbval, {notebooks[seed % len(notebooks)].stem}-{seed}", *(faults or ["green"]), sep="\n  ", flush=True)
    if options.nbval:
        print(f"{green} of {options.nbval} are green under nbval.")
    return int(full < len(seeds) or green < options.nbval)


if __name__ == "__main__":
    sys.exit(main())
