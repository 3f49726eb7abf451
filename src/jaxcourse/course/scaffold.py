"""Skeletons of a new exercise and a new lesson, which the contract refuses until they are filled in."""

from __future__ import annotations

import ast
import keyword
import re
from pathlib import Path
from textwrap import dedent

from jaxcourse.course import Course
from jaxcourse.course.rules import PLACEHOLDER


def exercise(root: Path, lesson: str, name: str, *, prediction: bool = False) -> list[Path]:
    """Append the skeleton of an exercise to a lesson and to its checks.

    Args:
        root: the course's folder.
        lesson: the lesson's stem, such as `01_memory_layout`.
        name: the exercise's name, such as `centre-columns`.
        prediction: whether it is answered by a value instead of a function.

    Returns:
        The two files to edit.

    Raises:
        ValueError: the name is not in lower case with dashes, is a Python keyword, or is taken.
        FileNotFoundError: there is no such lesson.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise ValueError(f"an exercise is named in lower case with dashes, such as `centre-columns`: not {name!r}.")
    if keyword.iskeyword(name):
        raise ValueError(f"{name!r} is a Python keyword and cannot be a variable: choose another name.")
    source, checks = _files(root, lesson)
    for path in (source, checks):
        if not path.exists():
            raise FileNotFoundError(f"there is no lesson {lesson}: {path} does not exist.")
    taken = [path.name for path in Course(root).check_files() if f'"{name}"' in path.read_text(encoding="utf-8")]
    if taken:
        raise ValueError(f"the name {name!r} is already taken, in {taken[0]}: choose another.")
    words = {"name": name, "variable": name.replace("-", "_"), "todo": PLACEHOLDER}
    stub, solution, check = _VALUE if prediction else _FUNCTION
    parts = {"stub": stub.format(**words), "solution": solution.format(**words)}
    _append(source, _EXERCISE_MD.format(**words, **parts))
    _append(checks, check.format(**words))
    needed = (
        ("jaxcourse.prediction", "Mistake, prediction") if prediction else ("jaxcourse.inputs", "array, shapes, sweep")
    )
    checks.write_text(_with_import(checks.read_text(encoding="utf-8"), *needed), encoding="utf-8")
    return [source, checks]


def lesson(root: Path, stem: str, title: str) -> list[Path]:
    """Write the skeleton of a lesson and of its checks, and its line in `_toc.yml`.

    Args:
        root: the course's folder.
        stem: two digits and a topic, such as `15_ragged_data`.
        title: the lesson's title.

    Returns:
        The files to edit.

    Raises:
        ValueError: the stem is not of that form, or the lesson exists.
    """
    if not re.fullmatch(r"\d\d_[a-z0-9_]+", stem):
        raise ValueError(f"a lesson is named by two digits and its topic, such as `15_ragged_data`: not {stem!r}.")
    source, checks = _files(root, stem)
    if source.exists() or checks.exists():
        raise ValueError(f"the lesson {stem} exists already: add to it with `jaxcourse new exercise {stem} NAME`.")
    toc = root / "_toc.yml"
    toc.write_text(_with_lesson(toc.read_text(encoding="utf-8"), stem), encoding="utf-8")
    source.write_text(_LESSON_MD.format(title=title, todo=PLACEHOLDER), encoding="utf-8")
    checks.write_text(_LESSON_PY.format(number=stem[:2], title=title), encoding="utf-8")
    return [source, checks, toc]


def _files(root: Path, stem: str) -> tuple[Path, Path]:
    return root / "notebooks" / f"{stem}.md", root / "exercises_tests" / f"ex_{stem}.py"


def _append(path: Path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8").rstrip("\n") + "\n\n" + text, encoding="utf-8")


def _with_import(checks: str, module: str, names: str) -> str:
    """A file of checks that imports what the new exercise needs, if it did not."""
    imports = [node for node in ast.parse(checks).body if isinstance(node, ast.ImportFrom)]
    if any(node.module == module for node in imports):
        return checks
    lines = checks.splitlines()
    last = max((node.end_lineno or 0 for node in imports), default=1)
    return "\n".join([*lines[:last], f"from {module} import {names}", *lines[last:]]) + "\n"


def _with_lesson(toc: str, stem: str) -> str:
    """The table of contents with a lesson after the last one, indented like it."""
    lines = toc.splitlines()
    last = max(i for i, line in enumerate(lines) if re.search(r"file: *notebooks/", line))
    indent = lines[last][: len(lines[last]) - len(lines[last].lstrip())]
    return "\n".join([*lines[: last + 1], f"{indent}- file: notebooks/{stem}", *lines[last + 1 :]]) + "\n"


_EXERCISE_MD = dedent(
    """\
    ```{{exercise-start}} {todo}: a title
    :label: {name}
    ```
    {todo}: the task, in two or three short sentences. What comes in, what should come out?

    ```{{code-cell}}
    :tags: [exercise, skip-execution]

    {stub}
    ```
    ```{{code-cell}}
    :tags: [check, skip-execution]

    check("{name}")
    ```
    ```{{exercise-end}}
    ```

    ```{{solution-start}} {name}
    :class: dropdown
    ```
    {todo}: the reasoning.

    ```{{code-cell}}
    :tags: [solution]

    {solution}
    ```
    ```{{solution-end}}
    ```
    """
)

_FUNCTION_PY = dedent(
    """\
    # -- {name} --


    @exercise("{name}", see="{todo}: the label before the section that explains it", hint="{todo}: a hint")
    def {variable}(answer, rng):
        x = rng.normal(size=(5, 3))
        got = numbers(answer(x))
        require(got.shape == x.shape, "{todo}-a-mistake", "{todo}: what went wrong, and why it matters.")
        message = "{todo}: what is expected, and why."
        sweep(answer, {variable}_slowly, {variable}_inputs, rng, shapes=shapes(rng, 1, 2), message=message)


    def {variable}_inputs(rng, shape):
        return (array(rng, shape),)


    def {variable}_slowly(x):
        return x


    @right("{name}")
    def {variable}_another_way(x):
        return x.copy()


    @wrong("{name}", "{todo}-a-mistake")
    def {variable}_as_people_get_it_wrong(x):
        return x.mean(axis=0)
    """
)

_PREDICTION_PY = dedent(
    """\
    # -- {name} --

    {variable} = prediction(
        "{name}",
        see="{todo}: the label before the section that explains it",
        hint="{todo}: a hint",
        mistakes=[Mistake("{todo}-a-mistake", {{"x.T": (8, 24)}}, "{todo}: what went wrong, and why it matters.")],
        otherwise="{todo}: what to think of if no mistake fits.",
    )
    """
)

_HEAD = 'def {variable}(x):\n    """{todo}: what it returns."""\n    '
_FUNCTION = _HEAD + 'raise NotImplementedError("your turn")', _HEAD + "return x", _FUNCTION_PY
_VALUE = '{variable} = {{"x.T": ...}}', '{variable} = {{"x.T": (24, 8)}}', _PREDICTION_PY
"""The stub, the solution and the check of the two kinds of exercise."""

_LESSON_MD = dedent(
    """\
    ---
    jupytext:
      text_representation:
        extension: .md
        format_name: myst
    kernelspec:
      display_name: Python 3
      language: python
      name: python3
    after: {todo}
    myst:
      html_meta:
        description: {todo}
    ---

    # {title}

    {todo}: one sentence that says what you will make or find out.

    **After this lesson you can**

    - {todo}

    **You need** {todo}.

    ```{{code-cell}} ipython3
    :tags: [setup]

    import numpy as np

    from jaxcourse import check, hint, solution
    ```

    (recap)=
    ## Recap

    - {todo}

    **Read on**: {todo}
    """
)

_LESSON_PY = '''\
"""Checks of lesson {number}, {title}: what is asked, what people get wrong, and what each mistake is told."""

from jaxcourse.exercise import exercise, expect, numbers, refuse, require, right, wrong
from jaxcourse.prediction import Mistake, prediction
'''
