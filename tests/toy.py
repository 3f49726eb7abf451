"""A course of one lesson and one exercise, for tests that break it."""

from pathlib import Path

import pytest

from jaxcourse.course import Course, notebooks

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
    description: A toy.
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

```{code-cell}
:tags: [exercise, skip-execution]

def double_it(x):
    """Return twice `x`."""
    raise NotImplementedError("your turn")
```
```{code-cell}
:tags: [check, skip-execution]

check("double-it")
```
```{exercise-end}
```

```{solution-start} double-it
:class: dropdown
```
Because two.

```{code-cell}
:tags: [solution]

def double_it(x):
    """Return twice `x`."""
    return 2 * x
```
```{solution-end}
```

That was all.
'''

CHECKS = '''\
"""Checks of the toy."""

import numpy as np

from jaxcourse.exercise import close, exercise, expect, numbers, require, right, wrong


@exercise("double-it", see="doubling", hint="twice")
def double_it(answer, rng):
    x = rng.normal(size=3)
    got = numbers(answer(x))
    require(not close(got, x * x), "squared", "That is the square.")
    expect(got, 2 * x, "Twice.")
    expect(answer(-x), -2 * x, "Twice.")


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

CONFIG = "repository:\n  url: https://github.com/someone/toy\n  branch: main\n"
TOC = "format: jb-book\nroot: book/index\nchapters:\n  - file: notebooks/01_toy\n"


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """The toy course in a folder of its own, with its notebooks generated."""
    files = {
        "_config.yml": CONFIG,
        "_toc.yml": TOC,
        "book/index.md": "# Toy\n",
        "notebooks/01_toy.md": LESSON,
        "exercises_tests/ex_01_toy.py": CHECKS,
        "solutions/.keep": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "solutions/.keep").unlink()
    notebooks.write(Course(tmp_path))
    return tmp_path


def edit(path: Path, old: str, new: str) -> None:
    """Replace text in a file; the text must be there."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
