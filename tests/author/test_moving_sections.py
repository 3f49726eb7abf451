"""`jaxcourse move section`: text, exercises, checks, answers and helpers go along, and what would be missed is said."""

import pytest
from toy import CHECK, LISTED, MD, PY, edit, toy

from jaxcourse.cli import main
from jaxcourse.course import Course
from jaxcourse_author import moving
from jaxcourse_author.lesson import notebooks
from jaxcourse_author.moving._helpers import Conflict, with_definitions

__all__ = ["toy"]

OTHER = """\
# Other

```{code-cell} ipython3
:tags: [setup]

import numpy as np

from jaxcourse import check
```

(first)=
## First

One.

(second)=
## Second

Two.
"""

SHARED = """\
'Shared.'

import math

TWO = 2
'What doubles.'


def twice(x):
    return TWO * math.fabs(x)


OTHER = 3
"""


@pytest.fixture
def course(toy):
    """The toy, and another lesson of two sections."""
    front = (toy / MD).read_text().partition("# A toy")[0]
    (toy / "notebooks/02_other.md").write_text(front + OTHER)
    edit(toy / "_toc.yml", "notebooks/01_toy\n", "notebooks/01_toy\n  - file: notebooks/02_other\n")
    return Course(toy)


def text(course, name):
    return (course.root / name).read_text(encoding="utf-8")


def move(course, label="doubling", to="02", after="first"):
    return moving.section(Course(course.root), label, to, after)


def test_its_text_stands_behind_the_section_that_was_named(course):
    move(course)
    there = text(course, "notebooks/02_other.md")
    assert "(doubling)=" not in text(course, MD)
    assert (
        there.index("(first)=")
        < there.index("(doubling)=")
        < there.index('check("double-it")')
        < there.index("(second)=")
    )
    assert "One.\n\n(doubling)=" in there and "\n\n(second)=" in there


def test_its_exercises_go_with_checks_and_answers_and_keep_their_names(course):
    moved = move(course)
    assert moved.exercises == ("double-it",)
    assert not (course.root / PY).exists() and not (course.root / LISTED).exists()
    for name in (PY, LISTED):
        assert (course.root / name.replace("01_toy", "02_other")).exists()
    today = Course(course.root)
    assert today.exercises() == {"02_other": ("double-it",)}
    assert not notebooks.stale(today)


def test_helpers_that_its_checks_import_are_in_the_other_lesson_too(course):
    (course.root / "exercises_tests/01_toy/_lesson.py").write_text(SHARED)
    (course.root / PY).write_text("from ._lesson import twice\n" + CHECK)
    move(course)
    made = text(course, "exercises_tests/02_other/_lesson.py")
    assert "import math\n" in made and "TWO = 2\n'What doubles.'" in made and "def twice(x):" in made
    assert "OTHER" not in made and made.startswith('"""What the exercises of lesson 02 share."""')
    names = {}
    exec(made, names)
    assert names["twice"](-3) == 6


def test_what_it_runs_and_would_not_find_is_named_and_nothing_is_written(course):
    edit(course.root / MD, "import numpy as np\n", "import numpy as np\n\ntwo = 2\n")
    edit(course.root / MD, "print(2 * 3)", "print(two * 3)")
    before = {path: path.read_bytes() for path in course.root.rglob("*") if path.is_file()}
    with pytest.raises(
        ValueError, match="doubling runs `two`, which 01_toy defines elsewhere: define them before first"
    ):
        move(course)
    assert {path: path.read_bytes() for path in course.root.rglob("*") if path.is_file()} == before
    edit(course.root / "notebooks/02_other.md", "import numpy as np\n", "import numpy as np\n\ntwo = 2\n")
    move(course)
    assert "print(two * 3)" in text(course, "notebooks/02_other.md")


def test_what_stays_and_runs_what_would_go_is_named(course):
    more = "\n(later)=\n## Later\n\n```{code-cell} ipython3\nprint(double_it(4))\n```\n"
    (course.root / MD).write_text(text(course, MD) + more)
    with pytest.raises(ValueError, match="what stays before it in 01_toy runs `double_it`, which doubling defines"):
        move(course)


def test_within_a_lesson_its_text_alone_moves(course):
    more = "\n(later)=\n## Later\n\nLast.\n"
    (course.root / MD).write_text(text(course, MD).rstrip("\n") + "\n" + more)
    moved = move(course, to="01", after="later")
    assert text(course, MD).index("(later)=") < text(course, MD).index("(doubling)=")
    assert moved.paths == {} and (course.root / PY).exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"label": "none"}, "no lesson has a section 'none'"),
        ({"after": "none"}, "02_other has no section 'none'. It has first, second."),
        ({"to": "03"}, "_toc.yml has no lesson '03'"),
        ({"to": "01", "after": "doubling"}, "doubling is in doubling: name a section that stays"),
    ],
)
def test_what_is_not_there_is_refused(course, change, said):
    with pytest.raises(ValueError, match=said):
        move(course, **change)


def test_the_command_says_what_is_to_be_read(course, capsys):
    order = ["--course", str(course.root), "move", "section", "doubling", "--to", "02", "--after", "second"]
    assert main([*order, "--dry-run"]) == 0 and "(doubling)=" in text(course, MD)
    assert main(order) == 0 and "(doubling)=" not in text(course, MD)
    assert (
        "doubling stands in 02_other now, with double-it.\nNow read what 01_toy and 02_other say"
        in capsys.readouterr().out
    )


def test_words_of_two_modules_are_put_together():
    first, second = 'WORDS = """\na: one\nb: two\n"""\n', '"""X."""\n\nWORDS = """\na: one\nc: three\n"""\n'
    assert with_definitions(first, second, ["WORDS"]) == '"""X."""\n\nWORDS = """\na: one\nc: three\nb: two\n"""\n'
    with pytest.raises(Conflict, match="under `a`, and not the same"):
        with_definitions(first.replace("one", "other"), second, ["WORDS"])


def test_helpers_of_one_name_that_differ_are_refused():
    with pytest.raises(Conflict, match="both have `f`, and not the same"):
        with_definitions("def f():\n    return 1\n", "def f():\n    return 2\n", ["f"])
    assert with_definitions("def f():\n    return 1\n", "def f():\n    return 1\n", ["f"]) == "def f():\n    return 1\n"
