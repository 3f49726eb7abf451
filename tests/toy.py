"""A course of one lesson and one exercise, for tests that break it."""

from pathlib import Path

import pytest

from jaxcourse.course import Course
from jaxcourse_author.lesson import notebooks

MD = "notebooks/01_toy.md"
PY, LISTED = "exercises_tests/01_toy/double_it.py", "tests/answers/01_toy/double_it.py"
"""The toy's files: its lesson, its check, the answers to it."""

LESSON = '''\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
after: double a number
myst:
  html_meta:
    description: A toy lesson, by which the tools of a course are tried.
---

# A toy

```{code-cell} ipython3
:tags: [setup]

import numpy as np

from jaxcourse import check
```

(doubling)=
## Doubling

Twice is `2 *`. See {ref}`the beginning <doubling>`, and {term}`stride`.

```{predict}
What is twice 3?
```

```{code-cell} ipython3
print(2 * 3)
```

```{exercise-start} Double it
:label: double-it
```
Double `x`.

```{code-cell} ipython3
:tags: [exercise, skip-execution]

def double_it(x):
    """Return twice `x`."""
    raise NotImplementedError("your turn")
```

```{code-cell} ipython3
:tags: [check, skip-execution]

check("double-it")
```

```{exercise-end}
```

```{solution-start} double-it
:class: dropdown
```
Because two.

```{code-cell} ipython3
:tags: [solution]

def double_it(x):
    """Return twice `x`."""
    return 2 * x
```

```{solution-end}
```

That was all.
'''

CHECK = '''\
"""double-it: twice `x`."""

import numpy as np

from jaxcourse.checks import declare, expect, refuse, require
from jaxcourse.exercise import is_close, numbers


def check(answer, rng):
    """Require twice `x`.

    A function, since tests put lines into it.
    """
    x = rng.normal(size=3)
    got = numbers(answer(x))
    refuse(is_close(got, x * x), "squared")
    expect(got, 2 * x)
    expect(answer(-x), -2 * x)


WORDS = """
hint: twice
squared: That is the square.
wrong-value: Twice.
"""

double_it = declare("double-it", see="doubling", steps=[check], words=WORDS)
'''

ANSWERS = '''\
"""Answers to double-it."""

from jaxcourse.exercise import right, wrong


@right("double-it")
def adds(x):
    return x + x


@wrong("double-it", "squared")
def squares(x):
    return x * x


@wrong("double-it", "wrong-value")
def adds_two(x):
    return x + 2


@wrong("double-it", "wrong-shape")
def one_only(x):
    return 2 * x[:1]
'''

CONFIG = (
    "title: Toy\nrepository:\n  url: https://github.com/someone/toy\n  branch: main\n"
    "html:\n  baseurl: https://someone.github.io/toy\n"
)
CONCEPTS = "concepts:\n- concept: twice\n  words: [twice]\n  explained by: [doubling]\n"
TOC = "format: jb-book\nroot: book/index\nchapters:\n  - file: notebooks/01_toy\n"


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """The toy course in a folder of its own, with its notebooks generated."""
    files = {
        "_config.yml": CONFIG,
        "_toc.yml": TOC,
        "book/index.md": "# Toy\n",
        "book/concepts.yml": CONCEPTS,
        MD: LESSON,
        PY: CHECK,
        LISTED: ANSWERS,
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    notebooks.write(Course(tmp_path))
    return tmp_path


def edit(path: Path, old: str, new: str) -> None:
    """Replace text in a file; the text must be there."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
