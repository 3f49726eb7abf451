"""The proof that lessons and checks hold together: rules that refuse with the file, the problem and the repair."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
import numpy as np

from jaxcourse import _course, notebooks
from jaxcourse.exercise import ENGINE_LABELS, Exercise, Verdict, judge
from jaxcourse.notebooks import Cell, LessonSource
from jaxcourse.probe import local_door

SEEDS = range(20)
"""Inputs that every solution is judged on."""

WRONG_SEEDS = range(5)
"""Inputs that every listed wrong answer is judged on: fewer, since JAX compiles anew for most of them."""

WRONG_ANSWERS = 3
"""How many wrong answers each exercise lists at least."""

CODE_WIDTH = 80
"""What fits into a cell of the site without scrolling."""

PLACEHOLDER = "REPLACE ME"
"""What `jaxcourse new` writes where an author must write."""


@dataclass(frozen=True)
class Refusal:
    """A broken rule: where, what, and how to mend it."""

    file: str
    problem: str
    repair: str

    def __str__(self) -> str:
        return f"{self.file}: {self.problem}\n    {self.repair}"


@dataclass
class Pair:
    """A lesson and its checks."""

    source: LessonSource
    checks: _course.Lesson

    @property
    def md(self) -> str:
        """The lesson's file, as refusals name it."""
        return f"notebooks/{self.source.stem}.md"

    @property
    def py(self) -> str:
        """The file of its checks, as refusals name it."""
        return f"exercises_tests/ex_{self.source.stem}.py"

    @cached_property
    def names(self) -> dict[str, Any]:
        """What the lesson's set-up cells define."""
        return self._run([cell.source for cell in self.source.cells if cell.role == "setup"], {}, "tagged `setup`")

    def answer(self, code: str, variable: str) -> Any:
        """What a cell's code binds to an exercise's variable, run after the set-up cells."""
        return self._run([code], self.names, f"of `{variable}`").get(variable, ...)

    def _run(self, sources: list[str], names: dict[str, Any], which: str) -> dict[str, Any]:
        names = {"__name__": "lesson", **names}
        for source in sources:
            try:
                exec(compile(source, "<lesson>", "exec"), names)
            except Exception as error:
                raise notebooks.LessonError(self.source.path, f"a cell {which} raises {error!r}: mend it.") from error
        return names

    def exercises(self) -> Iterator[tuple[Exercise, notebooks.Task]]:
        """The exercises that both files know."""
        for name, task in self.source.tasks.items():
            if name in self.checks.exercises:
                yield self.checks.exercises[name], task


def _load(path: Path) -> _course.Lesson:
    try:
        checks = _course.load(path)
    except Exception as error:
        raise notebooks.LessonError(path, f"importing it raises {error!r}: mend it.") from error
    if hidden := checks.exercises.keys() - set(_course.asked_in(path.read_text(encoding="utf-8"))):
        name = min(hidden)
        raise notebooks.LessonError(path, f'begin the check of {name!r} with `@exercise("{name}", ...)`.')
    return checks


def _read(path: Path, course: notebooks.Course) -> LessonSource:
    source = notebooks.read(path, course)
    for cell in source.cells:
        try:
            ast.parse(_without_magics(cell.source) if cell.is_code else "")
        except SyntaxError as error:
            place = f"a cell that begins with {cell.source.splitlines()[0]!r}"
            raise notebooks.LessonError(path, f"{place} is no Python: {error.msg}. Mend it.") from error
    return source


class Contract:
    """The rules, applied to one course.

    Args:
        root: the folder of the course.
        only: stems of lessons; all of them if empty.
    """

    def __init__(self, root: Path, only: tuple[str, ...] = ()) -> None:
        self.course = notebooks.Course(root)
        self.only = only
        stems = [path.stem for path in self.course.lesson_paths]
        for stem in only:
            if stem not in stems:
                near = _course.nearest(stem, stems)
                raise ValueError(f"there is no lesson {stem!r}." + (f" Did you mean {near!r}?" if near else ""))

    @cached_property
    def pairs(self) -> list[Pair]:
        """The lessons that have checks, with them."""
        files = {path: self.course.root / "exercises_tests" / f"ex_{path.stem}.py" for path in self._paths()}
        return [Pair(_read(md, self.course), _load(py)) for md, py in files.items() if py.exists()]

    def _paths(self) -> list[Path]:
        return [path for path in self.course.lesson_paths if not self.only or path.stem in self.only]

    # -- files ------------------------------------------------------------------------------------------------

    def files_belong_together(self) -> Iterator[Refusal]:
        """every lesson has its checks and its place in _toc.yml, and no file is a stray"""
        root, stems = self.course.root, {path.stem for path in self.course.lesson_paths}
        toc = (root / "_toc.yml").read_text(encoding="utf-8")
        for stem in sorted(stems):
            if not re.search(rf"file: *notebooks/{stem}\s*$", toc, re.MULTILINE):
                yield Refusal("_toc.yml", f"lesson {stem} is missing", f"Add `- file: notebooks/{stem}`.")
            if not (root / "exercises_tests" / f"ex_{stem}.py").exists():
                yield Refusal(f"exercises_tests/ex_{stem}.py", "the lesson has no checks", "Write the file.")
        for path in self._strays(stems):
            place = path.relative_to(root)
            yield Refusal(str(place), "belongs to no lesson", "Remove it, or write the lesson that it belongs to.")

    def _strays(self, stems: set[str]) -> list[Path]:
        known = {
            "notebooks": {f"{stem}{end}" for stem in stems for end in (".md", ".ipynb")},
            "solutions": {f"{stem}.ipynb" for stem in stems},
            "exercises_tests": {"test_contract.py", *(f"ex_{stem}.py" for stem in stems)},
        }
        ignored = {"__pycache__", ".ipynb_checkpoints"}
        return [
            path
            for folder, names in known.items()
            for path in sorted((self.course.root / folder).glob("*"))
            if path.name not in names | ignored
        ]

    def notebooks_are_fresh(self) -> Iterator[Refusal]:
        """every generated notebook is what its source gives, byte for byte"""
        for path in notebooks.stale(self.course):
            place = path.relative_to(self.course.root)
            yield Refusal(str(place), f"is not what notebooks/{path.stem}.md gives", "Run `jaxcourse notebooks`.")

    # -- text -------------------------------------------------------------------------------------------------

    def front_matter_is_complete(self) -> Iterator[Refusal]:
        """every lesson says in its front matter how many minutes it takes and what it is about"""
        for pair in self.pairs:
            meta = pair.source.meta
            if not isinstance(meta.get("minutes"), int):
                yield Refusal(pair.md, "does not say how long it takes", "Add `minutes: 45` to its front matter.")
            if not meta.get("myst", {}).get("html_meta", {}).get("description"):
                yield Refusal(pair.md, "has no description", "Add `myst: {html_meta: {description: ...}}`.")

    def nothing_is_unfinished(self) -> Iterator[Refusal]:
        """nothing that `jaxcourse new` left to be written is still there"""
        for pair in self.pairs:
            for file in (pair.md, pair.py):
                if PLACEHOLDER in (self.course.root / file).read_text(encoding="utf-8"):
                    yield Refusal(file, f"still says {PLACEHOLDER}", "Write what belongs there.")

    def images_have_alt_text(self) -> Iterator[Refusal]:
        """every image has a text for those who do not see it"""
        for pair in self.pairs:
            for cell in pair.source.cells:
                if not cell.is_code and re.search(r"!\[\s*\]\(|<img(?![^>]*\balt=\"[^\"])", cell.source):
                    yield Refusal(pair.md, "an image has no alt text", "Say between its brackets what is to be seen.")
                if cell.is_code and re.search(r"\bplt\.|\.(imshow|savefig)\(", cell.source):
                    yield Refusal(
                        pair.md,
                        "a figure has no alt text",
                        "Make it with `jaxcourse.draw` or `bench`, or wrap it in `themed`.",
                    )

    def code_fits_the_page(self) -> Iterator[Refusal]:
        """no line of code is cut off at the edge of the page"""
        for pair in self.pairs:
            for line in (line for cell in pair.source.cells if cell.is_code for line in cell.source.splitlines()):
                if len(line) > CODE_WIDTH:
                    yield Refusal(pair.md, f"code is wider than {CODE_WIDTH} characters: {line.strip()!r}", "Break it.")

    def prose_types_no_measurement(self) -> Iterator[Refusal]:
        """no time, rate or ratio is typed into prose where a cell could measure it"""
        for pair in self.pairs:
            for cell in pair.source.cells:
                text = re.sub(r"`[^`]*`", "", cell.source)
                if not cell.is_code and (found := _MEASURED.search(text)):
                    yield Refusal(pair.md, f"prose says {found[0]!r}", "Compute it in a cell and print it.")

    def sections_exist(self) -> Iterator[Refusal]:
        """every exercise points at a section of its own lesson"""
        for pair in self.pairs:
            anchors = set(re.findall(r"^\(([\w-]+)\)=$", pair.source.raw, re.MULTILINE))
            for exercise in pair.checks.exercises.values():
                if exercise.see not in anchors:
                    near = _course.nearest(exercise.see, anchors)
                    yield Refusal(
                        pair.py,
                        f"{exercise.name!r} sees {exercise.see!r}, which is no label",
                        f"Put `({near or exercise.see})=` right.",
                    )

    def labels_are_unique(self) -> Iterator[Refusal]:
        """no label stands on two pages"""
        for label, pages in self.course.labels().items():
            if len(pages) > 1:
                yield Refusal(f"{pages[1]}.md", f"the label `({label})=` is also in {pages[0]}.md", "Rename one.")

    def labels_are_no_headings(self) -> Iterator[Refusal]:
        """no exercise is named like a heading of its lesson, whose anchor would take its place on the site"""
        for pair in self.pairs:
            prose = "\n".join(cell.source for cell in pair.source.cells if not cell.is_code)
            headings = {re.sub(r"[^a-z0-9]+", "-", h.lower()).strip("-") for h in re.findall(r"^#+ (.*)$", prose, re.M)}
            for name in sorted(headings & pair.source.tasks.keys()):
                yield Refusal(pair.md, f"the exercise {name!r} is named like a heading", "Rename one of them.")

    def prose_is_independent(self) -> Iterator[Refusal]:
        """no cell outside an exercise uses a learner's name, so that a blank notebook runs"""
        for pair in self.pairs:
            learners = {name.replace("-", "_") for name in pair.source.tasks}
            for cell in pair.source.cells:
                if cell.role in ("code", "setup") and (used := sorted(_names_in(cell) & learners)):
                    yield Refusal(
                        pair.md,
                        f"a cell uses the learner's {used[0]!r}",
                        "Move it into the solution, or give it code of its own.",
                    )

    # -- exercises --------------------------------------------------------------------------------------------

    def lessons_and_checks_agree(self) -> Iterator[Refusal]:
        """every exercise is in both files, and its check cell is one call"""
        for pair in self.pairs:
            for name in pair.source.tasks.keys() - pair.checks.exercises.keys():
                yield Refusal(pair.py, f"{name!r} has no check", f'Write one under `@exercise("{name}", ...)`.')
            for name in pair.checks.exercises.keys() - pair.source.tasks.keys():
                yield Refusal(
                    pair.md, f"{name!r} is checked but never asked", "Write the exercise, or remove its check."
                )
            for exercise, task in pair.exercises():
                if task.check.strip() != f'check("{exercise.name}")':
                    yield Refusal(
                        pair.md,
                        f"the check cell of {exercise.name!r} is not one call",
                        f'Make it `check("{exercise.name}")`.',
                    )

    def names_are_unique(self) -> Iterator[Refusal]:
        """no exercise's name is used twice in the course, and no definition in a file of checks hides another"""
        seen: dict[str, str] = {}
        for pair in self.pairs:
            for name in pair.checks.exercises:
                if name in seen:
                    yield Refusal(pair.py, f"{name!r} is also in {seen[name]}", "Rename one.")
                seen[name] = pair.py
            for name in _defined_twice(self.course.root / pair.py):
                yield Refusal(pair.py, f"`{name}` is defined twice: the first is lost", "Rename one.")

    def hints_are_given(self) -> Iterator[Refusal]:
        """every exercise has a hint"""
        for pair in self.pairs:
            for exercise in pair.checks.exercises.values():
                if not exercise.hints or not all(text.strip() for text in exercise.hints):
                    yield Refusal(
                        pair.py, f"{exercise.name!r} has an empty hint", "Write one that helps without telling."
                    )

    def stubs_match_solutions(self) -> Iterator[Refusal]:
        """every stub has its solution's signature and docstring, and is visibly unfinished"""
        for pair in self.pairs:
            for exercise, task in pair.exercises():
                if _outline(task.stub, exercise.variable) != _outline(task.solution, exercise.variable):
                    yield Refusal(
                        pair.md,
                        f"stub and solution of {exercise.name!r} differ in signature or docstring",
                        "Make them the same.",
                    )

    def blanks_are_not_attempted(self) -> Iterator[Refusal]:
        """every blank is judged `not_attempted`, and nothing else"""
        for pair in self.pairs:
            for exercise, task in pair.exercises():
                verdict = judge(exercise, local_door(pair.answer(task.stub, exercise.variable)))
                if verdict.status != "not_attempted":
                    yield Refusal(pair.md, f"the blank of {exercise.name!r} is judged {_said(verdict)}", _UNFINISHED)

    def solutions_pass(self) -> Iterator[Refusal]:
        """every solution passes on every seed"""
        for pair in self.pairs:
            for exercise, task in pair.exercises():
                answer = pair.answer(task.solution, exercise.variable)
                for seed in SEEDS:
                    if (verdict := judge(exercise, local_door(answer), seed)).status != "passed":
                        yield Refusal(
                            pair.md,
                            f"the solution of {exercise.name!r} is judged {_said(verdict)} on seed {seed}",
                            "Mend the solution or the check.",
                        )
                        break

    def wrong_answers_are_diagnosed(self) -> Iterator[Refusal]:
        """every listed wrong answer gets its own diagnosis"""
        for pair in self.pairs:
            for item in pair.checks.wrongs:
                if item.exercise not in pair.checks.exercises:
                    yield Refusal(
                        pair.py, f"a wrong answer to the unknown exercise {item.exercise!r}", "Mend the name."
                    )
                    continue
                for seed in WRONG_SEEDS:
                    verdict = judge(pair.checks.exercises[item.exercise], local_door(item.answer), seed)
                    if verdict.label != item.label:
                        yield Refusal(
                            pair.py,
                            f"a wrong answer to {item.exercise!r} should be {item.label!r}: on seed {seed} it is "
                            f"{_said(verdict)}",
                            "Put the specific requirement before the general one, or mend the label.",
                        )
                        break

    def enough_wrong_answers(self) -> Iterator[Refusal]:
        """every exercise lists enough wrong answers, and every diagnosis is reached by one"""
        for pair in self.pairs:
            for name in pair.checks.exercises:
                labels = {item.label for item in pair.checks.wrongs if item.exercise == name}
                listed = sum(item.exercise == name for item in pair.checks.wrongs)
                if listed < WRONG_ANSWERS:
                    yield Refusal(
                        pair.py, f"{name!r} lists {listed} wrong answers", f"List {WRONG_ANSWERS} that people give."
                    )
                for label in sorted(_labels(self.course.root / pair.py, name) - labels - ENGINE_LABELS):
                    yield Refusal(
                        pair.py,
                        f"no wrong answer to {name!r} reaches {label!r}",
                        "List one, or remove the requirement.",
                    )

    def broken_programs_are_listed(self) -> Iterator[Refusal]:
        """a program that is broken on purpose, below the `raise` of a stub, is the first wrong answer listed"""
        for pair in self.pairs:
            for exercise, task in pair.exercises():
                program = _below_the_raise(task.stub, exercise.variable)
                if program and program != _first_wrong(self.course.root / pair.py, exercise.name):
                    yield Refusal(
                        pair.py,
                        f"the broken program of {exercise.name!r} is not its first wrong answer",
                        "Copy it from the stub, without the `raise`, word for word.",
                    )

    def checks_are_repeatable(self) -> Iterator[Refusal]:
        """every check says the same thing twice about the same answer"""
        for pair in self.pairs:
            answers = [(exercise, pair.answer(task.solution, exercise.variable)) for exercise, task in pair.exercises()]
            answers += [
                (pair.checks.exercises[w.exercise], w.answer)
                for w in pair.checks.wrongs
                if w.exercise in pair.checks.exercises
            ]
            for exercise, answer in answers:
                once, twice = (judge(exercise, local_door(answer)) for _ in range(2))
                if once != twice:
                    yield Refusal(
                        pair.py,
                        f"the check of {exercise.name!r} says {_said(once)}, then {_said(twice)}",
                        "Draw every number from `rng`.",
                    )

    def odd_answers_are_survived(self) -> Iterator[Refusal]:
        """whatever an answer is or returns, it gets a short verdict and never passes"""
        for pair in self.pairs:
            for exercise, task in pair.exercises():
                for name, answer in _odd_answers(pair.answer(task.solution, exercise.variable)):
                    verdict = judge(exercise, local_door(answer))
                    if verdict.status == "passed" or verdict.label == "check-stumbled" or len(verdict.message) > 600:
                        yield Refusal(
                            pair.py,
                            f"{name} as an answer to {exercise.name!r} is judged {_said(verdict)}",
                            "Require the type or the shape first.",
                        )

    # -- notebooks --------------------------------------------------------------------------------------------

    def solved_notebooks_pass(self) -> Iterator[Refusal]:
        """every solved notebook passes under `pytest --nbval`"""
        for path in self._paths():
            outcomes = run_nbval(self.course.root / "solutions" / f"{path.stem}.ipynb")
            for cell in sorted(cell for cell, failed in outcomes.items() if failed):
                yield Refusal(
                    f"solutions/{path.stem}.ipynb",
                    f"cell {cell} fails",
                    f"Run `pytest --nbval solutions/{path.stem}.ipynb`.",
                )

    def blank_notebooks_fail_at_their_checks(self) -> Iterator[Refusal]:
        """every blank notebook fails under `pytest --nbval` at its check cells, and nowhere else"""
        for path in self._paths():
            file = self.course.root / "notebooks" / f"{path.stem}.ipynb"
            book = nbformat.read(file, as_version=4)
            code = [cell for cell in book.cells if cell.cell_type == "code"]
            want = {i for i, cell in enumerate(code) if "check" in cell.metadata.get("tags", [])}
            got = {i for i, failed in run_nbval(file).items() if failed}
            for cell in sorted(want ^ got):
                how = "passes" if cell in want else "fails"
                yield Refusal(
                    f"notebooks/{path.stem}.ipynb",
                    f"code cell {cell} {how}: {code[cell].source.splitlines()[0]!r}",
                    _UNFINISHED,
                )


_UNFINISHED = 'A stub ends in `raise NotImplementedError("your turn")` or is `name = ...`; other cells do not need it.'
_MEASURED = re.compile(
    r"\b\d[\d.,]*\s*(?:[nµum]s\b|seconds?\b|[KMGT]i?B/s|[MGT]FLOP/s|% (?:faster|slower))"
    r"|\b\d[\d.,]*\s*(?:times|x) (?:as )?(?:faster|slower|fast|slow)\b"
)


def _said(verdict: Verdict) -> str:
    return f"`{verdict.status}`" + (f" ({verdict.label}: {verdict.message})" if verdict.label else "")


def _names_in(cell: Cell) -> set[str]:
    tree = ast.parse(_without_magics(cell.source))
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _without_magics(code: str) -> str:
    return "\n".join(line for line in code.splitlines() if not line.lstrip().startswith(("%", "!")))


def _outline(code: str, variable: str) -> tuple[str, str | None]:
    """The signature and docstring of the definition of a variable; an assignment has neither."""
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef) and node.name == variable:
            returns = ast.unparse(node.returns) if node.returns else ""
            return f"def ({ast.unparse(node.args)}) -> {returns}", ast.get_docstring(node)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == variable:
            return "=", None
    return f"{variable} is not defined", None


def _below_the_raise(stub: str, variable: str) -> str:
    """The decorators and the statements of a stub that follow its `raise`; nothing if nothing follows it."""
    for node in ast.parse(stub).body:
        if isinstance(node, ast.FunctionDef) and node.name == variable:
            after = [i for i, statement in enumerate(node.body) if isinstance(statement, ast.Raise)]
            broken = node.body[after[0] + 1 :] if after else []
            return _unparsed([*node.decorator_list, *broken]) if broken else ""
    return ""


def _first_wrong(path: Path, exercise: str) -> str:
    """The decorators and the statements of the first wrong answer to an exercise that is a function."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            names = [ast.unparse(decorator) for decorator in node.decorator_list]
            if any(name.startswith(f"wrong({exercise!r}") for name in names):
                return _unparsed([*node.decorator_list[1:], *node.body])
    return ""


def _unparsed(nodes: Iterable[ast.AST]) -> str:
    return "\n".join(map(ast.unparse, nodes))


def _defined_twice(path: Path) -> list[str]:
    names = [
        node.name if isinstance(node, ast.FunctionDef) else ast.unparse(node.targets[0])
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, (ast.FunctionDef, ast.Assign))
    ]
    return sorted({name for name in names if names.count(name) > 1})


def _labels(path: Path, exercise: str) -> set[str]:
    """The diagnoses that the check of an exercise names in its calls of `require` and `expect`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    check = next(node for node in functions.values() if _is_check(node, exercise))
    calls = [node for node in ast.walk(check) if isinstance(node, ast.Call)]
    helpers = {ast.unparse(call.func) for call in calls} & functions.keys()
    calls += [node for name in helpers for node in ast.walk(functions[name]) if isinstance(node, ast.Call)]
    return {label for call in calls for label in _labels_of_call(call)}


def _is_check(node: ast.FunctionDef, exercise: str) -> bool:
    return any(ast.unparse(d).startswith(f"exercise({exercise!r}") for d in node.decorator_list)


def _labels_of_call(call: ast.Call) -> Iterator[str]:
    name = ast.unparse(call.func)
    if name == "require" and len(call.args) > 1 and isinstance(call.args[1], ast.Constant):
        yield str(call.args[1].value)
    if name == "expect":
        given = [k.value for k in call.keywords if k.arg == "label"]
        yield str(given[0].value) if given and isinstance(given[0], ast.Constant) else "wrong-value"


def _raises(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError("division by zero")


def _prints_megabytes(*_: Any, **__: Any) -> Any:
    for _i in range(1000):
        print("x" * 4000)
    return "printed"


ODD_ANSWERS: dict[str, Any] = {
    "None": None,
    "a text": "a text",
    "a number": 1234567,
    "an empty list": [],
    "a ragged list": [[1], [2, 3]],
    "an object": object(),
    "a class": dict,
    "NaN": float("nan"),
    "an array of NaN": np.full((3, 3), np.nan),
    "a function of nothing": lambda: 1,
    "a function that returns nothing": lambda *_, **__: None,
    "a function that returns a text": lambda *_, **__: "a text",
    "a function that returns a ragged list": lambda *_, **__: [[1], [2, 3]],
    "a function that returns an object": lambda *_, **__: object(),
    "a function that returns NaN": lambda *_, **__: float("nan"),
    "a function that returns an empty array": lambda *_, **__: np.zeros((0,)),
    "a function that raises": _raises,
    "a function that prints megabytes": _prints_megabytes,
    "a function that exits": lambda *_, **__: sys.exit(3),
}
"""Answers that fit no exercise."""


def _odd_answers(solution: Any) -> Iterator[tuple[str, Any]]:
    """Odd answers, and for a dictionary of predictions also the same dictionary with odd entries."""
    yield from ODD_ANSWERS.items()
    if isinstance(solution, dict):
        for name, odd in ODD_ANSWERS.items():
            yield f"a dictionary with {name} everywhere", dict.fromkeys(solution, odd)


def run_nbval(path: Path) -> dict[int, str]:
    """Run a notebook under `pytest --nbval`, in a process of its own.

    Args:
        path: the notebook.

    Returns:
        For each code cell, counted from 0, why it failed, in nbval's words; an empty text if it passed.

    Raises:
        RuntimeError: pytest did not get as far as running cells; its output is in the message.
    """
    with TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.xml"
        command = [sys.executable, "-m", "pytest", "--nbval", "-q", f"--junit-xml={report}", path.name]
        done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, check=False)
        cases = list(ElementTree.parse(report).iter("testcase")) if report.exists() else []
    if done.returncode not in (0, 1) or not cases:
        raise RuntimeError(f"pytest --nbval {path} could not run:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return {i: "\n".join(_faults(case)) for i, case in enumerate(cases)}


def _faults(case: ElementTree.Element) -> Iterator[str]:
    """Why a test did not pass; one that was skipped did not pass."""
    for child in case:
        if child.tag in ("failure", "error", "skipped"):
            yield child.text or child.get("message") or child.tag


Rule = Callable[[Contract], Iterator[Refusal]]

RULES: tuple[Rule, ...] = tuple(
    rule for name, rule in vars(Contract).items() if callable(rule) and not name.startswith("_")
)
"""Every rule, in the order of the class; its docstring says what it proves."""

NOTEBOOK_RULES: tuple[Rule, ...] = (Contract.solved_notebooks_pass, Contract.blank_notebooks_fail_at_their_checks)
"""The rules that run whole notebooks, which takes minutes and not seconds."""


def summary(contract: Contract) -> str:
    """What was proved, counted, in one line."""
    exercises = sum(len(pair.checks.exercises) for pair in contract.pairs)
    wrongs = sum(len(pair.checks.wrongs) for pair in contract.pairs)
    stated = [pair.source.meta.get("minutes") for pair in contract.pairs]
    minutes = sum(number for number in stated if isinstance(number, int))
    lessons = "1 lesson" if len(contract.pairs) == 1 else f"{len(contract.pairs)} lessons"
    return f"{lessons} ({minutes} minutes), {exercises} exercises, {wrongs} wrong answers, {len(SEEDS)} seeds"
