"""Rules about what is asked: the two files of an exercise, its hint, its diagnoses and their wrong answers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from jaxcourse.checks import Declared, Stepwise, label_of, mistakes_of
from jaxcourse.course import check_files
from jaxcourse.exercise import ENGINE_LABELS
from jaxcourse.prediction import Prediction, evaluated
from jaxcourse_author.lesson.predictions import EXAMPLE
from jaxcourse_author.rules._labels import keys_of, labels_of, unworded_keys_of
from jaxcourse_author.rules._rule import Pair, Refusal, rule

WRONG_ANSWERS = 3
"""How many wrong answers each exercise must list at least."""


@rule(per="lesson")
def lessons_and_checks_agree(pair: Pair) -> Iterator[Refusal]:
    """Every exercise is in both files, and its check cell is one call."""
    for name in pair.source.tasks.keys() - pair.checks.exercises.keys():
        yield Refusal(pair.check_file(name), "there is no check", "Write it: `jaxcourse new exercise` shows its form.")
    for name in pair.checks.exercises.keys() - pair.source.tasks.keys():
        yield Refusal(pair.md, f"{name!r} is checked but never asked", "Write the exercise, or remove its check.")
    for exercise, task in pair.exercises():
        if task.check.strip() != f'check("{exercise.name}")':
            yield Refusal(
                pair.md,
                f"the check cell of {exercise.name!r} is not one call",
                f'Make it `check("{exercise.name}")`.',
            )


@rule(per="lesson")
def hints_are_given(pair: Pair) -> Iterator[Refusal]:
    """Every exercise has a hint."""
    for exercise in pair.checks.exercises.values():
        if not exercise.hints or not all(text.strip() for text in exercise.hints):
            repair = "Write one that helps without giving the answer away."
            yield Refusal(pair.check_file(exercise.name), "it has no hint, or an empty one", repair)


@rule(per="lesson")
def no_example_is_the_answer(pair: Pair) -> Iterator[Refusal]:
    """No example of how to write an answer, in a task or in a form, is an answer to it."""
    tasks: dict[str, str] = {}
    for cell in pair.source.cells:
        if cell.role == "task":
            tasks[cell.exercise] = f"{tasks.get(cell.exercise, '')} {cell.source}"
    for name, exercise in pair.checks.exercises.items():
        data = exercise.check
        if not isinstance(data, Prediction) or name not in tasks:
            continue
        for shown in [*EXAMPLE.findall(tasks[name]), *re.findall("`([^`]+)`", data.examples)]:
            if data.is_listed(evaluated(shown)):
                problem = f"the example {shown} in the task of {name!r} is an answer to it"
                yield Refusal(pair.md, problem, "Show another value of the same form.")


@rule(per="lesson")
def words_and_labels_agree(pair: Pair) -> Iterator[Refusal]:
    """Every diagnosis that a check can make has words, and no words are there that no diagnosis uses."""
    for name, exercise in pair.checks.exercises.items():
        if not isinstance(exercise.check, Stepwise):
            continue
        for key in sorted(exercise.check.own - set(keys_of(exercise))):
            problem = f"{name!r} has words for {key!r}, and nothing in its check makes that diagnosis"
            yield Refusal(pair.check_file(name), problem, "Remove the words, or name the label in the check.")
        spoken = exercise.check.words.said.keys()
        silent = set(unworded_keys_of(exercise)) - spoken
        for key in sorted(key for key in silent if label_of(key) not in ENGINE_LABELS):
            repair = f"Write a line `{key}: ...` into its words."
            yield Refusal(pair.check_file(name), f"the check of {name!r} has no words for {key!r}", repair)


_REASON = re.compile(r"^ *A function, since \S", re.MULTILINE)


@rule(per="lesson")
def functions_say_why(pair: Pair) -> Iterator[Refusal]:
    """A step that is a function says what it requires, and a check of functions alone says why it is one."""
    for name, exercise in pair.checks.exercises.items():
        steps = exercise.check.steps if isinstance(exercise.check, Stepwise) else ()
        functions = [step for step in steps if not isinstance(step, Declared)]
        for step in (step for step in functions if not step.__doc__):
            problem = f"the step `{getattr(step, '__name__', step)}` of {name!r} does not say what it requires"
            yield Refusal(pair.check_file(name), problem, "Give it a docstring of a line.")
        why = any(_REASON.search(step.__doc__ or "") for step in functions)
        if functions and len(functions) == len(steps) and not why:
            problem = f"the check of {name!r} is made of functions alone, and none of them says why"
            repair = "Ask by `Agrees`, or write a line `A function, since ...` into the docstring of one."
            yield Refusal(pair.check_file(name), problem, repair)


@rule(per="lesson")
def questions_for_values_say_so(pair: Pair) -> Iterator[Refusal]:
    """A question that only hands on what an answer returns is declared to be one for values."""
    trees = {
        path: ast.parse(path.read_text(encoding="utf-8")) for path in check_files(pair.course.root, pair.source.stem)
    }
    asked = {path: {name for node in ast.walk(tree) for name in _asks(node)} for path, tree in trees.items()}
    of_all = set().union(*asked.values())
    for path, node in ((path, node) for path, tree in trees.items() for node in tree.body):
        here = of_all if path.stem == "_lesson" else asked[path]
        if isinstance(node, ast.FunctionDef) and node.name in here and not node.decorator_list and _hands_on(node):
            yield Refusal(
                str(path.relative_to(pair.course.root)),
                f"the question `{node.name}` hands on what the answer returns, and does not say so",
                'Declare it with `@probe.question(evidence="values")`: else its points rest on what a process says.',
            )


def _asks(node: ast.AST) -> Iterator[str]:
    """The name of the question that a call asks: `answer.probe(question, ...)`, or `answer.attempt`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("probe", "attempt"):
        yield from (first.id for first in node.args[:1] if isinstance(first, ast.Name))


_LOOKS = {
    *(
        "all",
        "any",
        "bool",
        "callable",
        "getattr",
        "hasattr",
        "isinstance",
        "len",
        "make_jaxpr",
        "lower",
        "insides",
        "probe",
    ),
    *("str", "type"),
}
"""What a question calls that looks at an answer or at its result, instead of handing it on."""
_DECIDES = (ast.BoolOp, ast.Compare, ast.Dict, ast.For, ast.If, ast.IfExp, ast.Try, ast.While, ast.With)


def _hands_on(question: ast.FunctionDef) -> bool:
    """Whether a question decides nothing and looks at nothing."""
    nodes = list(ast.walk(question))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    names |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return not names & _LOOKS and not any(isinstance(node, _DECIDES) for node in nodes)


@rule(per="lesson")
def stubs_match_solutions(pair: Pair) -> Iterator[Refusal]:
    """Every stub has its solution's signature and docstring, and is visibly unfinished."""
    for exercise, task in pair.exercises():
        if _outline(task.stub, exercise.variable) != _outline(task.solution, exercise.variable):
            yield Refusal(
                pair.md,
                f"the stub and the solution of {exercise.name!r} differ in signature or docstring",
                "Make them the same.",
            )


@rule(per="lesson")
def enough_wrong_answers(pair: Pair) -> Iterator[Refusal]:
    """Every exercise knows enough mistakes, or lists enough wrong answers."""
    for name, exercise in pair.checks.exercises.items():
        listed = sum(item.exercise == name for item in pair.checks.wrongs)
        known = len(list(mistakes_of(exercise)))
        if listed + known < WRONG_ANSWERS:
            wrongs = f"{listed} wrong answer{'' if listed == 1 else 's'}"
            problem = f"{name!r} knows {known} mistakes, and lists {wrongs}" if known else f"{name!r} lists {wrongs}"
            yield Refusal(pair.check_file(name), problem, f"It takes {WRONG_ANSWERS} that people really make.")


@rule(per="lesson", advice=True)
def diagnoses_are_reached(pair: Pair) -> Iterator[Refusal]:
    """Every exercise has enough wrong answers that get their diagnosis, and every diagnosis is reached by one."""
    for name, exercise in pair.checks.exercises.items():
        wrongs = pair.wrong_answers(name)
        few = pair.everything and len(wrongs) < WRONG_ANSWERS
        if few and len(list(mistakes_of(exercise))) >= WRONG_ANSWERS - len(wrongs):
            problem = f"{len(wrongs)} wrong answers to {name!r} get their diagnosis: some mistakes are no whole answers"
            yield Refusal(pair.answer_file(name), problem, "List answers with these mistakes, as people write them.")
        if isinstance(exercise.check, Prediction):
            continue  # each of its mistakes lists its own
        for label in sorted(set(labels_of(exercise)) - {item.label for item in wrongs} - ENGINE_LABELS):
            yield Refusal(
                pair.answer_file(name),
                f"no wrong answer to {name!r} reaches {label!r}",
                "List one, or remove the requirement.",
            )


@rule(per="lesson")
def broken_programs_are_listed(pair: Pair) -> Iterator[Refusal]:
    """A program that is broken on purpose, below the `raise` of a stub, is the first wrong answer listed."""
    for exercise, task in pair.exercises():
        program = _below_the_raise(task.stub, exercise.variable)
        if program and program != _first_wrong(pair.course.root / pair.answer_file(exercise.name), exercise.name):
            yield Refusal(
                pair.answer_file(exercise.name),
                f"the broken program of {exercise.name!r} is not its first wrong answer",
                "Copy it from the stub, without the `raise`, word for word.",
            )


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
    """The decorators and the statements of a stub that follow its `raise`; an empty text if nothing follows it."""
    for node in ast.parse(stub).body:
        if isinstance(node, ast.FunctionDef) and node.name == variable:
            after = [i for i, statement in enumerate(node.body) if isinstance(statement, ast.Raise)]
            broken = node.body[after[0] + 1 :] if after else []
            return _source_of([*node.decorator_list, *broken]) if broken else ""
    return ""


def _first_wrong(path: Path, exercise: str) -> str:
    """The decorators and the statements of the first wrong answer to an exercise that is a function."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body if path.exists() else ():
        if isinstance(node, ast.FunctionDef):
            names = [ast.unparse(decorator) for decorator in node.decorator_list]
            if any(name.startswith(f"wrong({exercise!r}") for name in names):
                return _source_of([*node.decorator_list[1:], *node.body])
    return ""


def _source_of(nodes: Iterable[ast.AST]) -> str:
    return "\n".join(map(ast.unparse, nodes))
