"""Skeletons of a new exercise and a new lesson, which the contract refuses until they are filled in."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent
from typing import Literal

from jaxcourse.course import ANSWERS, CHECKS, Course, nearest
from jaxcourse_author.lesson import PLACEHOLDER, page_of
from jaxcourse_author.moving import refuse_earlier, refuse_form

_RECAPS = ("Recap", "What to keep")
"""What the title of a recap begins with: exercises stand before it."""
Kind = Literal["function", "prediction", "puzzle"]
"""How an exercise is answered: by a function, by a value, or by a function made of few primitives."""


def exercise(root: Path, lesson: str, name: str, kind: Kind = "function") -> list[Path]:
    """Write the skeleton of an exercise: a part of a lesson, before its recap, and a file with its check.

    Args:
        root: the course's folder.
        lesson: the lesson's stem, such as `10_memory_layout`.
        name: the exercise's name, such as `centre-columns`.
        kind: how it is answered.

    Returns:
        The files to edit.

    Raises:
        ValueError: the name is not in lower case with dashes, is a Python keyword, is taken, or was another exercise's.
        FileNotFoundError: there is no such lesson.
    """
    refuse_form(name)
    refuse_earlier(Course(root), name)
    source = _source(root, lesson)
    if not source.exists():
        near = nearest(lesson, [path.stem for path in Course(root).lesson_paths])
        meant = f" Did you mean {near}?" if near else ""
        raise FileNotFoundError(f"there is no lesson {lesson}: {source} does not exist.{meant}")
    words = {"name": name, "variable": name.replace("-", "_"), "todo": PLACEHOLDER}
    for stem in [path.stem for path in Course(root).lesson_paths]:
        if f":label: {name}\n" in _source(root, stem).read_text("utf-8") or _check(root, stem, words).exists():
            raise ValueError(f"the name {name!r} is already taken, in {stem}: choose another.")
    form = _FORMS[kind]
    task = _EXERCISE_MD.format(**words, **{part: form[part].format(**words) for part in ("task", "stub", "solution")})
    source.write_text(_with_exercise(source.read_text(encoding="utf-8"), task), encoding="utf-8")
    files = {_check(root, lesson, words): form["check"]}
    if "answers" in form:
        files[_check(root, lesson, words, ANSWERS)] = form["answers"]
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(**words), encoding="utf-8")
    return [source, *files]


def lesson(root: Path, stem: str, title: str) -> list[Path]:
    """Write the skeleton of a lesson, and its line in `_toc.yml`.

    Args:
        root: the course's folder.
        stem: two digits and a topic, such as `20_ragged_data`.
        title: the lesson's title.

    Returns:
        The files to edit.

    Raises:
        ValueError: the stem is not of that form, or the lesson exists.
    """
    if not re.fullmatch(r"\d\d_[a-z0-9_]+", stem):
        raise ValueError(f"a lesson is named by two digits and its topic, such as `20_ragged_data`: not {stem!r}.")
    source = _source(root, stem)
    if source.exists() or (root / CHECKS / stem).exists():
        raise ValueError(f"the lesson {stem} exists already: add to it with `jaxcourse new exercise {stem} NAME`.")
    if taken := sorted(path.stem for path in (root / "notebooks").glob(f"{stem[:2]}_*.md")):
        free = f"take one that is free, such as {_free(root, stem[:2])}{stem[2:]}."
        raise ValueError(f"{stem[:2]} is the number of {taken[0]}, and marks name a lesson by it: {free}")
    toc = root / "_toc.yml"
    toc.write_text(_with_lesson(toc.read_text(encoding="utf-8"), stem), encoding="utf-8")
    source.write_text(
        _LESSON_MD.format(title=title, recap=f"{stem[3:].replace('_', '-')}-recap", todo=PLACEHOLDER), encoding="utf-8"
    )
    return [source, toc]


def _free(root: Path, number: str) -> str:
    """The first number behind one that no lesson here has, taught or not; behind 99, 00 comes."""
    taken = {path.name[:2] for path in (root / "notebooks").glob("[0-9][0-9]_*.md")}
    behind = (f"{(int(number) + i) % 100:02}" for i in range(100))
    return next((one for one in behind if one not in taken), number)


def _source(root: Path, stem: str) -> Path:
    return root / "notebooks" / f"{stem}.md"


def _check(root: Path, stem: str, words: dict[str, str], folder: str = CHECKS) -> Path:
    return root / folder / stem / f"{words['variable']}.py"


def _with_exercise(lesson: str, task: str) -> str:
    """A lesson with an exercise before its recap, with whatever label that has, or at its end if it has none."""
    page = page_of(lesson)
    recaps = (one.lines.start for one in page.headings if one.level == 2 and one.title.startswith(_RECAPS))
    place = page.starts[next(recaps, len(page.lines) + 1) - 1]
    rest = lesson[place:]
    return lesson[:place].rstrip("\n") + "\n\n" + task + ("\n" + rest if rest else "")


def _with_lesson(toc: str, stem: str) -> str:
    """The table of contents with a lesson behind the last one of a lower number, or else before the first."""
    lines = toc.splitlines()
    lessons = [
        (i, found) for i, line in enumerate(lines) if (found := re.match(r"( *- )file: *notebooks/(\d\d)_", line))
    ]
    if not lessons:
        raise ValueError(f"_toc.yml names no lesson: write `- file: notebooks/{stem}` there yourself, and begin again.")
    lower = [(i + 1, found) for i, found in lessons if found[2] < stem[:2]]
    place, like = lower[-1] if lower else lessons[0]
    return "\n".join([*lines[:place], f"{like[1]}file: notebooks/{stem}", *lines[place:]]) + "\n"


_EXERCISE_MD = dedent(
    """\
    ```{{exercise-start}} {todo}: a title
    :label: {name}
    ```
    {task}

    ```{{code-cell}} ipython3
    :tags: [exercise, skip-execution]

    {stub}
    ```

    ```{{code-cell}} ipython3
    :tags: [check, skip-execution]

    check("{name}")
    ```

    ```{{exercise-end}}
    ```

    ```{{solution-start}} {name}
    :class: dropdown
    ```
    {todo}: the reasoning, in a few sentences.

    ```{{code-cell}} ipython3
    :tags: [solution]

    {solution}
    ```

    ```{{solution-end}}
    ```
    """
)

_TASK = "{todo}: the task, in two or three short sentences: what comes in, and what should come out?"
_HEAD = 'def {variable}({argument}):\n    """{{todo}}: what it returns."""\n    '
_YOUR_TURN = 'raise NotImplementedError("your turn")'

_FUNCTION_PY = dedent(
    '''\
    """{name}: {todo}: what is asked, in a line."""

    from jaxcourse.checks import Agrees, Shaped, declare


    def oracle(x):
        return x  # {todo}: what is right, found in another way than by the solution


    MISTAKES = {{
        "first-mistake": lambda x: -x,  # {todo}: a mistake that people make, and a name for it
        "second-mistake": lambda x: 2 * x,  # {todo}: another one
        "third-mistake": lambda x: x + 1,  # {todo}: a third one
    }}

    WORDS = """
    hint: {todo}: a question that helps, and does not give the answer away.
    first-mistake: {todo}: what went wrong, and why it matters.
    second-mistake: {todo}: what went wrong, and why it matters.
    third-mistake: {todo}: what went wrong, and why it matters.
    wrong-value: {todo}: what is expected, and why.
    """

    {variable} = declare(
        "{name}",
        see="{todo}: the label before the section that explains it",
        steps=[Agrees(oracle, Shaped("rows columns"), [(3, 3), (5, 2)], mistakes=MISTAKES)],
        words=WORDS,
    )
    '''
)

_PREDICTION_PY = dedent(
    '''\
    """{name}: {todo}: what is asked, in a line."""

    from jaxcourse.prediction import Mistake, prediction

    {variable} = prediction(
        "{name}",
        see="{todo}: the label before the section that explains it",
        hint="{todo}: a question that helps, and does not give the answer away",
        mistakes=[
            Mistake("first-mistake", {{"x.T": (8, 24)}}, "{todo}: what went wrong, and why it matters."),
            Mistake("second-mistake", {{"x.T": (3, 1)}}, "{todo}: what went wrong, and why it matters."),
            Mistake("third-mistake", {{"x.T": (24, 3)}}, "{todo}: what went wrong, and why it matters."),
        ],
        otherwise="{todo}: what to think of where no mistake fits.",
    )
    '''
)

_PUZZLE_PY = dedent(
    '''\
    """{name}: {todo}: what is asked, in a line."""

    from jaxcourse.checks import Solves, declare
    from jaxcourse.puzzle import Rules, growing


    def specification(a):
        return [a[i] for i in range(len(a))]  # {todo}: what is right, by loops over lists


    def cases(rng):
        return growing(lambda n: (rng.integers(-9, 10, n).astype("int32"),), tries=4)


    def many(rng):
        return [(rng.integers(-9, 10, 130).astype("int32"),)]


    MISTAKES = {{
        "first-mistake": lambda a: -a,  # {todo}: a mistake that people make, in NumPy, and a name for it
        "second-mistake": lambda a: 2 * a,  # {todo}: another one
        "third-mistake": lambda a: a + 1,  # {todo}: a third one
    }}

    WORDS = """
    hint: {todo}: a question that helps, and does not give the answer away.
    first-mistake: {todo}: what went wrong, and why it matters.
    second-mistake: {todo}: what went wrong, and why it matters.
    third-mistake: {todo}: what went wrong, and why it matters.
    """

    {variable} = declare(
        "{name}",
        see="{todo}: the label before the section that explains it",
        without=[Rules()],
        steps=[Solves(specification, cases, many=many, mistakes=MISTAKES)],
        words=WORDS,
    )
    '''
)

_PUZZLE_ANSWERS_PY = dedent(
    '''\
    """Answers to {name}."""

    import jax.numpy as jnp

    from jaxcourse.exercise import wrong


    @wrong("{name}", "not-a-primitive")
    def with_one_call(a):
        return jnp.copy(a)  # {todo}: the right result, by a function that the rules do not allow
    '''
)

_FORMS: dict[Kind, dict[str, str]] = {
    "function": {
        "task": _TASK,
        "stub": _HEAD.format(variable="{variable}", argument="x") + _YOUR_TURN,
        "solution": _HEAD.format(variable="{variable}", argument="x") + "return x  # {todo}: the solution",
        "check": _FUNCTION_PY,
    },
    "prediction": {
        "task": "{todo}: the question, in two or three short sentences: of what should readers say what?",
        "stub": '{variable} = {{"x.T": ...}}',
        "solution": '{variable} = {{"x.T": (24, 8)}}  # {todo}: what is right',
        "check": _PREDICTION_PY,
    },
    "puzzle": {
        "task": "{todo}: the task, in a sentence, and the rule below it:\n\n"
        "```python\nfor i in range(len(a)):\n    result[i] = a[i]\n```",
        "stub": _HEAD.format(variable="{variable}", argument="a") + _YOUR_TURN,
        "solution": _HEAD.format(variable="{variable}", argument="a") + "return a * 1  # {todo}: the solution",
        "check": _PUZZLE_PY,
        "answers": _PUZZLE_ANSWERS_PY,
    },
}
"""Of each kind of exercise the parts: what stands in the lesson, its check and, if it needs some, its answers."""

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

    ({recap})=
    ## Recap

    - {todo}

    **Read on**: {todo}
    """
)
