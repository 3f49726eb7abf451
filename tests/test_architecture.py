"""Who imports whom: no circle, no look into another room, and no check beside a student.

The imports are read from the files, those inside functions too. What stands under `if TYPE_CHECKING` does not run: it
counts where a circle is looked for, since two files that know each other's types are one, and nowhere else.
"""

import ast
import graphlib
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from jaxcourse.paths import PACKAGE, PACKAGES
from jaxcourse_author.rules import readings

BESIDE_A_STUDENT = [f"jaxcourse_grade.isolation.{name}" for name in ("_forkserver", "_child", "_wire", "_sandbox")]
"""What a student's process in the class grader runs of ours, and its parent."""
JUDGES = ("jaxcourse.course", "jaxcourse.exercise")
"""Where exercises are defined and lessons' checks are loaded."""


@dataclass(frozen=True)
class Import:
    """An import of one of the packages' own files by another one.

    Args:
        target: The module.
        line: Where the import is written.
        runs_at_once: Whether it runs when its file is imported; otherwise it waits for a call.
    """

    target: str
    line: int
    runs_at_once: bool


def files() -> dict[str, Path]:
    """The packages' files by the names of their modules."""
    found = [path for package in PACKAGES for path in package.rglob("*.py")]
    parts = {path: path.relative_to(PACKAGE.parent).with_suffix("").parts for path in found}
    return {".".join(name).removesuffix(".__init__"): path for path, name in parts.items()}


FILES = files()


def statements(node: ast.AST, types: bool, at_once: bool = True) -> Iterator[tuple[ast.AST, bool]]:
    """Every node below this one that can run, and whether it runs when its file is imported; with those for types."""
    for child in ast.iter_child_nodes(node):
        if not types and isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        yield child, at_once
        later = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from statements(child, types, at_once and not later)


def imports(module: str, types: bool = False) -> list[Import]:
    """What a module imports of the packages, as it is written: a module rather than its package where it can be."""
    found = []
    for node, at_once in statements(ast.parse(FILES[module].read_text(encoding="utf-8")), types):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.module and not node.level, f"{place(module, node.lineno)}: write the import in full"
            both = [(f"{node.module}.{alias.name}", node.module) for alias in node.names]
            names = [name if name in FILES else parent for name, parent in both]
        found += [Import(name, node.lineno, at_once) for name in names if name in FILES and name != module]
    return found


IMPORTS = {module: imports(module) for module in FILES}


def place(module: str, line: int) -> str:
    return f"{FILES[module].relative_to(PACKAGE.parent)}:{line}"


def test_no_files_import_each_other_in_a_circle() -> None:
    known = {module: {one.target for one in imports(module, types=True)} for module in FILES}
    sorter = graphlib.TopologicalSorter(known)
    try:
        sorter.prepare()
    except graphlib.CycleError as error:
        circle = " -> ".join(reversed(error.args[1]))
        pytest.fail(f"These files import each other in a circle: {circle}. Move what they share to a file below them.")


def test_one_room_knows_what_jax_keeps_to_itself() -> None:
    """The contract asks the same of the checks."""
    wrong = [
        f"{place(module, line)} reads {what}: ask jaxcourse.insides"
        for module, path in FILES.items()
        if room(module) != "jaxcourse.insides"
        for line, what in readings(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not wrong, "\n".join(["", *wrong])


OF_MYST = ("```", "`{3", "~~~", "\\)=", "^#+", "^(#+", "#{1", "{ref}", "{exercise", "{code-cell", ":label:")
"""What a regular expression has in it that reads MyST by hand."""


def reads_myst(path: Path) -> Iterator[str]:
    """The places of a file that parse MyST or search it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        signs: list[str] = []
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("markdown_it", "mdit_py_plugins")):
            signs = [str(node.module)]
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re."):
            texts = [str(one.value) for one in ast.walk(node) if isinstance(one, ast.Constant)]
            signs = [sign for sign in OF_MYST if any(sign in text for text in texts)]
        yield from (f"{path.name}:{node.lineno} has {sign}" for sign in signs)


def test_one_room_reads_myst() -> None:
    """Whoever asks what stands in a lesson or a page asks that room: a second reader would know another grammar."""
    lesson = PACKAGE.parent / "jaxcourse_author" / "lesson"
    assert len(list(reads_myst(lesson / "_inline.py"))) > 5
    rooms = [lesson.parent.rglob("*.py"), (PACKAGE / "course").rglob("*.py"), PACKAGE.parents[1].glob("book/_ext/*.py")]
    paths = [path for room in rooms for path in room if path.name not in ("_inline.py", "_myst.py")]
    wrong = [one for path in paths for one in reads_myst(path)]
    assert not wrong, "\n".join(["Ask `jaxcourse_author.lesson.page_of`, or a lesson, for it:", *wrong])


def test_readers_need_neither_authors_nor_the_grader_and_these_not_each_other() -> None:
    """What a student installs is `jaxcourse` alone. The grader works where no author ever was."""
    at_fault = {
        f"{place(module, one.line)} imports {one.target}"
        for module, found in IMPORTS.items()
        for one in found
        if one.target.partition(".")[0] not in (module.partition(".")[0], PACKAGE.name)
    }
    assert {path.name for path in PACKAGES} == {"jaxcourse", "jaxcourse_author", "jaxcourse_grade"}
    assert at_fault == set()


def private_to(module: str) -> Path | None:
    """The folder that a module is private to, by the first name in it that begins with an underscore."""
    names = module.split(".")
    private = next((i for i, name in enumerate(names) if name.startswith("_")), None)
    return None if private is None else PACKAGE.parent.joinpath(*names[:private])


def room(module: str) -> str:
    """The folder below its package that a module is in; the package itself for those at the top."""
    folder = FILES[module].relative_to(PACKAGE.parent).parts[:-1]
    return ".".join(folder[:2])


@pytest.mark.parametrize("name", sorted({room(module) for module in FILES}))
def test_no_room_looks_into_another(name: str) -> None:
    wrong = []
    for module in (module for module in FILES if room(module) == name):
        for one in dict.fromkeys(IMPORTS[module]):
            folder = private_to(one.target)
            if folder and folder not in FILES[module].parents:
                door = folder.relative_to(PACKAGE.parent)
                wrong.append(
                    f"{place(module, one.line)} imports {one.target}, which is private to {door}/: "
                    f"export what you need in {door}/__init__.py, and import it from {'.'.join(door.parts)}"
                )
    assert not wrong, "\n".join(["", *wrong])


def reached(start: list[str]) -> dict[str, list[str]]:
    """The modules that some modules lead to, each with the way there.

    An import counts wherever it is written. Python also runs the `__init__` of each package around a module, of which
    only what runs at once counts. That of `jaxcourse` itself is left out: see the tests below.
    """
    ways = {module: [module] for module in start}
    todo = list(start)
    for module in todo:
        around = [module.rsplit(".", n)[0] for n in range(1, module.count("."))]
        steps = [[one.target] for one in IMPORTS[module]]
        steps += [[package, one.target] for package in around for one in IMPORTS[package] if one.runs_at_once]
        for step in steps:
            if step[-1] not in ways and step[-1] != PACKAGE.name:
                ways[step[-1]] = [*ways[module], *step]
                todo.append(step[-1])
    return ways


def test_nothing_beside_a_student_imports_what_judges() -> None:
    """Proven for what these files import themselves. What `jaxcourse/__init__` adds is in the test below."""
    renamed = set(BESIDE_A_STUDENT) - FILES.keys()
    assert not renamed, f"Say here what runs beside a student now: there is no {', '.join(sorted(renamed))}."
    for module, way in reached(BESIDE_A_STUDENT).items():
        judges = any(module == judge or module.startswith(f"{judge}.") for judge in JUDGES)
        assert not judges, (
            f"A student's process would hold what judges it: {' -> '.join(way)}. Pass plain data instead, "
            "or move what is needed to a file that both can import."
        )


def test_no_check_and_no_solution_is_beside_a_student() -> None:
    """With all that a lesson can import, `jaxcourse` itself included: its verbs bring the code that loads checks.

    That code is no secret. The checks are, and the solutions: none has been loaded when a student's process starts.
    """
    doors = [name for name in FILES if name.startswith("jaxcourse.") and name.count(".") == 1]
    rooms = [name for name in doors if not name.startswith(("jaxcourse._", "jaxcourse.cli"))]
    code = f"""
import importlib, pathlib, sys
from jaxcourse.paths import installed_course
for name in {sorted([*BESIDE_A_STUDENT, *rooms])}:
    importlib.import_module(name)
for name, module in sys.modules.items():
    path = pathlib.Path(getattr(module, "__file__", None) or "/").resolve()
    if any(path.is_relative_to(installed_course() / name) for name in ("exercises_tests", "tests", "solutions")):
        sys.exit(f"{{name}} from {{path.parent}} is imported with the package: import it when it is asked for")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


CHECKS = PACKAGE.parents[1] / "exercises_tests"
LINES_OF_CHECKS, LINES_OF_A_FUNCTION = 300, 60


def test_no_file_of_checks_is_longer_than_a_reader_can_hold() -> None:
    lines = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in CHECKS.glob("*/*.py")}
    assert len(lines) > 100
    assert {name: count for name, count in lines.items() if count > LINES_OF_CHECKS} == {}


def test_no_function_is_longer_than_a_reader_can_hold() -> None:
    long: set[str] = set()
    for path in [*CHECKS.rglob("*.py"), *PACKAGE.rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1 - (ast.get_docstring(node) or "").count("\n")
                long |= {f"{path.stem}.{node.name}"} if lines > LINES_OF_A_FUNCTION else set()
    assert not long, f"Make two functions, or two steps, of {', '.join(sorted(long))}."


NAMES = {"JAX", "NumPy", "Python", "Moodle", "MyST", "HTML", "JSON", "YAML", "NaN", "True", "U", "V"}
"""What may stand with a capital behind an argument's name."""


def test_what_an_argument_is_begins_with_a_small_letter() -> None:
    """As most descriptions do; that the sections are there, and each argument in them, ruff asks."""
    capitals: list[str] = []
    for path in (path for package in PACKAGES for path in sorted(package.rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
            text = (ast.get_docstring(node) if isinstance(node, kinds) else None) or ""
            for section in re.findall(r"^(?:Args|Attributes|Raises):\n((?:(?: .*)?\n?)*)", text, re.MULTILINE):
                words = re.findall(r"^    [\w*.]+: ([A-Z]\w*)", section, re.MULTILINE)
                capitals += [f"{path.name}: {word}" for word in words if word not in NAMES]
    assert not capitals


MAP = Path(__file__).parents[1] / "ARCHITECTURE.md"


@pytest.mark.skipif(not MAP.exists(), reason="the map of the rooms is in a checkout")
def test_a_stranger_finds_each_room_by_its_name_in_the_map_and_no_room_that_is_gone() -> None:
    parts = re.split(r"^\*\*`src/(\w+)/`.*$", MAP.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    for package in PACKAGES:
        rooms = {f"{path.name}/" for path in package.iterdir() if (path / "__init__.py").exists()}
        files = {path.stem for path in package.glob("*.py") if not path.stem.startswith("__")}
        rows = [line.split("|")[1] for line in sections[package.name].splitlines() if line.startswith("| `")]
        assert sorted(re.findall(r"`([\w/]+)`", " ".join(rows))) == sorted(rooms | files)


LONE_PARTICIPLE = re.compile(
    r"[A-Za-z]?[a-z]*[^aeiou]ed|(un|with)?(said|told|found|seen|made|kept|given|gone|held|known|shown|taken|written)"
    r"|met|lost|stuck|taught|drawn|chosen|bound|spoken|heard|thrown|hidden|left",
    re.IGNORECASE,
)
"""What names nothing by itself: `told` may be a text, a list of people, or whether somebody was."""
READS_WELL = {"Unwritten", "unwritten", "Decided", "Taught", "met"}
"""Of those, what a room exports all the same."""


def exports(path: Path) -> Iterator[str]:
    """The names that a room hands to others, constants aside."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names if not alias.name.isupper())
        elif isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node.name


def test_no_room_of_authors_or_the_grader_exports_a_lone_participle() -> None:
    """A function is called by what it returns or does, so that whoever meets its call need not look it up."""
    rooms = [path for package in PACKAGES if package != PACKAGE for path in package.rglob("__init__.py")]
    found = {(path.parent.name, name) for path in rooms for name in exports(path)}
    assert len(found) > 200 and ("lesson", "read_lesson") in found
    assert {(room, name) for room, name in found if LONE_PARTICIPLE.fullmatch(name) and name not in READS_WELL} == set()
    assert LONE_PARTICIPLE.fullmatch("told") and LONE_PARTICIPLE.fullmatch("Asked")
