"""Which paragraph is to be read again: chosen from the lesson's source, and found on its page."""

import sys
from pathlib import Path

import pytest
from docutils import nodes
from docutils.utils import new_document

from jaxcourse.course import Course
from jaxcourse_author.lesson.again import Paragraph, paragraphs_of
from jaxcourse_author.lesson.notebooks import LessonSource, read_lesson

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))

LESSON = """# Sums

(axes)=
## Axes

An axis that you name in a sum is gone from the shape afterwards.

- `keepdims=True` in a list explains nothing to anybody who reads it here.

A sum with `keepdims=True` keeps the *axis*, with [length](https://x.org) one, so that it stretches.

```{admonition} Small print
:class: dropdown
Divide by the sum of each row with `keepdims=True`: this exception has all the words, and is folded.
```

```{exercise-start} Rows
:label: rows
```
Divide by the sum of each row, with `keepdims=True`.

```{code-cell} ipython3
:tags: [exercise, skip-execution]

def rows(x):
    raise NotImplementedError("your turn")
```

```{exercise-end}
```

(dtypes)=
## Dtypes

```{exercise-start} Types
:label: types
```
Nothing stands before it, and `keepdims=True` is elsewhere.
```{exercise-end}
```

What follows about keepdims and the sum of each row was not read before the exercise.
"""


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> LessonSource:
    path = tmp_path_factory.mktemp("notebooks") / "01_sums.md"
    head = "---\nkernelspec:\n  display_name: Python 3\n  name: python3\n---\n\n"
    path.write_text(head + LESSON, encoding="utf-8")
    return read_lesson(path, Course(ROOT))


def test_it_is_the_one_before_the_exercise_that_has_its_words(lesson: LessonSource) -> None:
    assert paragraphs_of(lesson).keys() == {"rows"}, "nothing stands before the other in its section"
    rows = paragraphs_of(lesson)["rows"]
    assert (
        rows.section == "axes"
        and rows.opening == "A sum with `keepdims=True` keeps the axis, with length one, so that it stretches."
    )


def test_it_is_named_by_a_whole_sentence_or_by_none() -> None:
    assert Paragraph("s", "Then `x.T`, e.g. here. More. " * 9).opening == "Then `x.T`, e.g. here."
    assert not Paragraph("s", "It goes on and on, " * 9 + "and ends.").opening
    assert not Paragraph("s", "It leads to code:").opening and not Paragraph("s", r"It is $\pi$. So.").opening


def page(*texts: str) -> tuple[nodes.document, list[nodes.paragraph]]:
    document, paragraphs = new_document("page"), [nodes.paragraph("", text) for text in texts]
    document += nodes.section("", nodes.title("", "Axes"), *paragraphs, ids=["axes"])
    return document, paragraphs


def test_it_is_found_on_the_page_and_no_other_is_taken_for_it(lesson: LessonSource) -> None:
    place_of = pytest.importorskip("site_again").place_of
    rows = paragraphs_of(lesson)["rows"]
    document, paragraphs = page(
        "An axis that you name in a sum is gone.",
        "A sum with keepdims=True keeps the axis, with length one, so that it stretches.",
    )
    assert place_of(rows, document) is paragraphs[1]
    assert place_of(Paragraph("other", rows.text), document) is None
    assert place_of(rows, page("Quite another text stands on this page, as it happens.")[0]) is None


def test_nearly_every_exercise_of_the_course_has_one() -> None:
    texts = Course(ROOT).texts
    asked = sum(len(text.solutions) for text in texts.values())
    assert sum(len(text.paragraphs) for text in texts.values()) >= 0.95 * asked
