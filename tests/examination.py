"""A course of the toy's lesson and an examination: whatever is withheld of it has a word that stands nowhere else."""

import shutil
from pathlib import Path

from toy import ANSWERS, CHECK, CONFIG, LESSON, LISTED, MD, PY, TOC

from jaxcourse.course import Course
from jaxcourse_author.lesson import notebooks

ROOT = Path(__file__).resolve().parents[1]
STEM = "50_exam"
COMING, GONE = "until 2999-12-18 18:00 Europe/Berlin", "until 2020-12-18 18:00 Europe/Berlin"
RUNS = "{until: 2999-12-18 18:00 Europe/Berlin, tells: runs}"
SECRETS = ("quokka", "wombat", "numbat", "bilby", "potoroo", "bandicoot", "dunnart")
"""The words of solution, reasoning, hint, a mistake's name and its words, a check's source, and a listed answer."""

_HEAD, _, _ = LESSON.partition("(doubling)=")
EXAM = (
    _HEAD.replace("# A toy", "# An examination").replace("after: double a number", "after: sit it\nwithheld: WITHHELD")
    + '''(examined)=
## What is asked

Write what the task says, and hand in this notebook.

```{exercise-start} The mean of a run
:label: mean-of-runs
```
Average the runs of `n` numbers in `x`. For example, `mean_of_runs(np.arange(6.0), 2)` is `[0.5, 2.5, 4.5]`.

```{code-cell} ipython3
:tags: [exercise, skip-execution]

def mean_of_runs(x, n):
    """Return the mean of each run of `n` numbers of `x`."""
    raise NotImplementedError("your turn")
```

```{code-cell} ipython3
:tags: [check, skip-execution]

check("mean-of-runs")
```

```{exercise-end}
```

```{solution-start} mean-of-runs
:class: dropdown
```
Each wombat is a row of its own, and the mean runs along it.

```{code-cell} ipython3
:tags: [solution]

def mean_of_runs(x, n):
    """Return the mean of each run of `n` numbers of `x`."""
    quokka = x.reshape(-1, n)
    return quokka.mean(axis=1)
```

```{solution-end}
```

```{exercise-start} How many runs
:label: how-many-runs
```
How many runs of 4 are there in 24 numbers?

```{code-cell} ipython3
:tags: [exercise, skip-execution]

how_many_runs = {"runs": ...}
```

```{code-cell} ipython3
:tags: [check, skip-execution]

check("how-many-runs")
```

```{exercise-end}
```

```{solution-start} how-many-runs
:class: dropdown
```
The wombat divides.

```{code-cell} ipython3
:tags: [solution]

how_many_runs = {"runs": 6}
```

```{solution-end}
```

That was all.
'''
)
EXAM_CHECK = '''\
"""mean-of-runs: the mean of each run."""

from jaxcourse.checks import Agrees, declare


def oracle(x, n):
    return [sum(potoroo) / n for potoroo in x.reshape(-1, n).tolist()]


def draw(rng, shape):
    runs, n = shape
    return rng.normal(size=runs * n), n


MISTAKES = {"bilby-columns": lambda x, n: x.reshape(n, -1).mean(0)}

WORDS = """
hint: A numbat would count the rows.
bilby-columns: You averaged what a bandicoot calls columns.
wrong-value: Each run has one mean.
"""

mean_of_runs = declare(
    "mean-of-runs", see="examined", steps=[Agrees(oracle, draw, [(3, 2), (2, 4)], mistakes=MISTAKES)], words=WORDS
)
'''
PREDICTION_CHECK = '''\
"""how-many-runs: in 24 numbers, runs of 4."""

from jaxcourse.prediction import Mistake, prediction

how_many_runs = prediction(
    "how-many-runs",
    see="examined",
    hint="A numbat would divide.",
    mistakes=[
        Mistake("bilby-multiplied", {"runs": 96}, "You multiplied, as a bandicoot does."),
        Mistake("bilby-subtracted", {"runs": 20}, "You subtracted, as a bandicoot does."),
        Mistake("bilby-counted", {"runs": 4}, "You counted what a bandicoot calls a run."),
    ],
    otherwise="Divide the bandicoot.",
)
'''
EXAM_ANSWERS = '''\
"""Answers to mean-of-runs."""

import numpy as np

from jaxcourse.exercise import right, wrong


@right("mean-of-runs")
def dunnart(x, n):
    return np.add.reduceat(x, np.arange(0, x.size, n)) / n


@wrong("mean-of-runs", "wrong-value")
def sums(x, n):
    return x.reshape(-1, n).sum(1)


@wrong("mean-of-runs", "bilby-columns")
def columns(x, n):
    return np.array([x[i :: x.size // n].mean() for i in range(x.size // n)])


@wrong("mean-of-runs", "wrong-value")
def all_of_it(x, n):
    return x.mean()
'''


def course_in(root: Path, withheld: str = COMING, **more: str) -> Course:
    """Write the course into a folder, generate what is generated, and give it.

    Args:
        root: the folder.
        withheld: what the examination's front matter says of that.
        more: other files, `__` in their names for a slash.
    """
    files = {
        "_config.yml": CONFIG,
        "_toc.yml": f"{TOC}  - file: notebooks/{STEM}\n",
        "book/index.md": "# Toy\n",
        "index.md": f"# Home\n\n```{{toctree}}\nnotebooks/01_toy\nnotebooks/{STEM}\n```\n",
        MD: LESSON,
        PY: CHECK,
        LISTED: ANSWERS,
        f"notebooks/{STEM}.md": EXAM.replace("WITHHELD", withheld),
        f"exercises_tests/{STEM}/mean_of_runs.py": EXAM_CHECK,
        f"exercises_tests/{STEM}/how_many_runs.py": PREDICTION_CHECK,
        f"tests/answers/{STEM}/mean_of_runs.py": EXAM_ANSWERS,
        **{name.replace("__", "/"): text for name, text in more.items()},
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    notebooks.write(Course(root))
    return Course(root)


def installable(course: Course) -> Course:
    """The same course with the package, so that its wheel can be built."""
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "LICENSE-TEXT"):
        shutil.copy(ROOT / name, course.root)
    leave = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "jaxcourse", course.root / "src" / "jaxcourse", ignore=leave)
    return course
