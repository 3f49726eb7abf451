"""Prediction boxes as people write them: what is read, what is refused and how, and what the notebooks show."""

import json
import re
from pathlib import Path

import pytest
from toy import edit, toy

from jaxcourse.course import Course
from jaxcourse_author.lesson import notebooks
from jaxcourse_author.lesson.predictions import Answer, PredictionError, read_box

__all__ = ["toy"]

OUTPUT = """list: 8.4 bytes, 32 apart
x[1].shape (1, 6)
h += 1 [0.0, 1.0]
shares memory: True
np.sum | 3.5 µs | 1.0
sum | 122 ns | 0.04
rate | 42.5 GB/s
step 1.3e+02 s
"""


def read(fields: str) -> Answer | None:
    return read_box(f"---\nfields:\n{fields}\n---\nWhat?").fields[0].answer(OUTPUT)


@pytest.mark.parametrize(
    ("field", "shown", "value"),
    [
        ("{kind: number, reads: 'list: (.+?) bytes'}", "8.4", 8.4),
        ("{kind: number, reads: ['nothing (.+)', '(\\d+) apart']}", "32", 32.0),
        ("{kind: number, reads: 'rate \\| (.+)', unit: bytes/s}", "42.5 GB/s", 42.5e9),
        ("{kind: number, reads: 'rate \\| (.+)', unit: GB/s}", "42.5 GB/s", 42.5),
        ("{kind: number, reads: 'rate \\| ([\\d.]+)', unit: MB/s}", "42.5", 42.5e3),
        ("{kind: number, reads: 'np.sum \\| (.+?) \\|', unit: seconds}", "3.5 µs", 3.5e-6),
        ("{kind: number, reads: 'np.sum \\| (.+?) µs', unit: µs}", "3.5", 3.5),
        ("{kind: number, reads: {a: 'list: ([\\d.]+)', b: '(\\d+) apart'}, is: a + 2 * b}", "72.4", 72.4),
        ("{kind: number, reads: 'crossover (.+)', else: nowhere}", "nowhere", None),
        ("{kind: shape, reads: 'shape (.+)'}", "(1, 6)", [1.0, 6.0]),
        ("{kind: numbers, reads: 'h .. 1 (.+)'}", "[0.0, 1.0]", [0.0, 1.0]),
        ("{kind: truth, reads: 'memory: (.+)'}", "True", True),
        ("{kind: choice, choices: [view, 'True'], reads: 'memory: (.+)'}", "True", "True"),
        ("{kind: choice, choices: {a view: 'memory: True', a copy: 'memory: False'}}", "a view", "a view"),
        ("{kind: choice, reads: {sum: '^sum . (.+?) .$', np.sum: '^np.sum . ([^|]+)'}, is: largest}", None, None),
        ("{kind: choice, reads: {sum: '^sum . ([^|]+)', np.sum: '^np.sum . ([^|]+)'}, is: smallest}", "sum", "sum"),
        ("{kind: several, choices: {one: 'list', two: 'tuple', three: 'step'}}", "one, three", ["one", "three"]),
    ],
)
def test_the_run_says_what_is_right(field: str, shown: str | None, value: object) -> None:
    if shown is None:
        with pytest.raises(PredictionError, match="nothing in the output is found by"):
            read(f"- {field}")
        return
    found = read(f"- {field}")
    assert found and found.shown == shown and found.value == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "unit", "slack"),
    [
        ("list: (.+?) bytes", "bytes", 0.05),
        ("(\\d+) apart", "of them", 0.0),
        ("step (.+) s", "seconds", 5.0),
        ("rate . (.+)", "B/s", 5e7),
        ("rate . (.+)", "GB/s", 0.05),
    ],
)
def test_a_rounded_number_leaves_room(text: str, unit: str, slack: float) -> None:
    found = read(f"- {{kind: number, reads: '{text}', unit: {unit}}}")
    assert found and found.slack == pytest.approx(slack)


def test_free_text_is_judged_by_nobody() -> None:
    assert read("- kind: text") is None
    assert read_box("Why?").fields[0].kind == "text"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ("- {kind: size, reads: '(.)'}", "has the kind 'size': write one of number, shape"),
        ("- {kind: number, read: '(.)'}", "unknown key 'read': the keys are ask, kind, reads"),
        ("- {kind: shape, reads: '(.)', factor: 2}", "of the kind 'shape', which takes no 'factor'"),
        ("- {kind: number}", "does not say where the run has its answer: give it `reads`"),
        ("- {kind: choice, choices: [a, b]}", "give it `choices: {words: pattern}`"),
        ("- {kind: choice, choices: {a: x}}", "needs `choices`, at least two"),
        ("- {kind: choice, choices: {yes: x, no: y}}", "put them in quotes"),
        ("- {kind: choice, choices: {a: x, b: y}, reads: '(.)'}", "remove one of the two"),
        ("- {kind: number, reads: '(.'}", "is no regular expression"),
        ("- {kind: number, reads: 'list'}", "has no group: put ( ) around the answer"),
        ("- {kind: number, reads: {a: '(.)'}}", "go together"),
        ("- {kind: number, reads: {a: '(.)'}, is: open(a)}", "is no formula of a"),
        ("- {kind: number, reads: {a: '(.)'}, is: a + b}", "is no formula of a"),
        ("- {kind: choice, reads: {a: '(.)', b: '(.)'}, is: a}", "`is` is largest or smallest"),
        ("- {kind: number, reads: '(.)', factor: 1}", "`factor` is a number above 1"),
        ("- {kind: shape, reads: '(.)', mistakes: {three: no}}", "nobody can give the mistake 'three'"),
        ("- {kind: choice, choices: {a: x, b: y}, mistakes: {c: no}}", "the mistake 'c' is no choice"),
        ("- {kind: number, reads: '(.)', mistakes: [8]}", "maps wrong answers to what is said"),
        ("- {kind: text}\n- {kind: text}", "each needs an `ask` of its own"),
        ("- number", "a field is a mapping such as"),
        ("a: [", "is not valid YAML"),
    ],
)
def test_what_is_wrong_with_a_box_is_said_with_the_way_to_mend_it(toy: Path, fields: str, words: str) -> None:
    edit(toy / "notebooks/01_toy.md", "```{predict}\n", f"```{{predict}}\n---\nfields:\n{fields}\n---\n")
    with pytest.raises(notebooks.LessonError, match=re.escape(words)) as refused:
        notebooks.read_lesson(toy / "notebooks/01_toy.md", Course(toy))
    assert "01_toy.md:31: a prediction box: " in str(refused.value)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("---\nfields: []", "is never closed: end it with a line `---`"),
        ("---\nquestion: x\n---\nWhat?", "takes one key, `fields`"),
        ("---\nfields:\n- kind: text\n---\n", "it asks nothing"),
        ("", "it asks nothing"),
        ("---\nfields: []\n---\nWhat?", "its list of fields is empty"),
    ],
)
def test_a_box_has_one_block_and_a_question(body: str, words: str) -> None:
    with pytest.raises(PredictionError, match=re.escape(words)):
        read_box(body)


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("{kind: number, reads: 'no such (.+)'}", "nothing in the output is found by no such"),
        ("{kind: number, reads: 'shares (\\w+)'}", "finds 'memory', which is no number"),
        ("{kind: shape, reads: 'list: (.+?) b'}", "finds '8.4', which is no tuple of integers"),
        ("{kind: choice, choices: [a, b], reads: 'memory: (.+)'}", "finds 'True', which is no choice"),
        ("{kind: choice, choices: {a: 'list', b: 'step'}}", "['a', 'b'] is right in this run"),
        ("{kind: several, choices: {a: 'x y', b: 'y x'}}", "none is right in this run"),
        ("{kind: number, reads: '(\\d+) apart', mistakes: {32: no}}", "the mistake '32' is what the run says"),
        ("{kind: number, reads: 'rate . (.+)'}", "the run prints its answer in GB/s: declare it as its `unit`"),
        ("{kind: number, reads: 'rate . (.+) GB'}", "in GB/s: declare it as its `unit`"),
        ("{kind: number, reads: 'rate . (.+)', unit: bytes}", "in GB/s: declare it as its `unit`"),
        ("{kind: number, reads: 'step (.+) s', unit: '%'}", "in s: declare it as its `unit`"),
    ],
)
def test_a_run_that_does_not_answer_stops_the_build(field: str, words: str) -> None:
    with pytest.raises(PredictionError, match=re.escape(words)):
        read(f"- {field}")


def test_the_old_form_is_refused(toy: Path) -> None:
    edit(toy / "notebooks/01_toy.md", "```{predict}\n", "```{admonition} Predict\n")
    with pytest.raises(notebooks.LessonError, match="is written {predict}"):
        notebooks.read_lesson(toy / "notebooks/01_toy.md", Course(toy))


def without_the_edition(notebook: str) -> list[str]:
    """The sources of a notebook's cells but the first that is code, which says of which text it is made."""
    cells = json.loads(notebook)["cells"]
    first = next(i for i, cell in enumerate(cells) if cell["cell_type"] == "code")
    assert "__edition__" in "".join(cells[first]["source"])
    return ["".join(cell["source"]) for cell in cells[:first] + cells[first + 1 :]]


def test_the_notebook_shows_the_question_alone(toy: Path) -> None:
    path, course = toy / "notebooks/01_toy.md", Course(toy)
    before = notebooks.read_lesson(path, course)
    fields = "---\nfields:\n- ask: twice 3\n  kind: number\n  reads: '(.+)'\n  mistakes: {9: Its square.}\n---\n"
    edit(path, "```{predict}\n", f"```{{predict}}\n{fields}")
    after = notebooks.read_lesson(path, course)
    assert "> **Predict.** What is twice 3?" in notebooks.blank(after, course)
    assert without_the_edition(notebooks.blank(after, course)) == without_the_edition(notebooks.blank(before, course))
    assert after.minutes == before.minutes


FIRST = "fields:\n- {kind: choice, measured: %s, choices: [a, b], reads: '(.) is first', mistakes: {a: 'No.'}}"


def test_what_is_measured_may_be_what_many_believe() -> None:
    measured, counted = (read_box(f"---\n{FIRST % word}\n---\nWhich?").fields[0] for word in ("true", "false"))
    found = measured.answer("a is first")
    assert found is not None and found.value == "a"
    with pytest.raises(PredictionError, match="is what the run says"):
        counted.answer("a is first")


@pytest.mark.parametrize(
    ("field", "right", "example"),
    [
        ("{kind: shape, reads: '(.)'}", [6.0], "(3, 4)"),
        ("{kind: shape, reads: '(.)'}", [3.0, 4.0], "(4, 5)"),
        ("{kind: shape, reads: '(.)', mistakes: {'(4, 5)': No.}}", [3.0, 4.0], "(5, 6)"),
        ("{kind: numbers, reads: '(.)'}", [1.0, 2.0, 3.0], "2 3 4"),
        ("{kind: number, reads: '(.)'}", 12.5, "12"),
        ("{kind: number, reads: '(.)', within: 1}", 12.5, "48"),
        ("{kind: number, reads: '(.)', factor: 10, unit: GB/s}", 20.0, "768 GB/s"),
        ("{kind: number, reads: '(.)', unit: times}", 12.0, "48"),
        ("{kind: truth, reads: '(.)'}", True, ""),
    ],
)
def test_an_example_is_no_answer(field: str, right: object, example: str) -> None:
    (found,) = read_box(f"---\nfields:\n- {field}\n---\nWhat?").fields
    assert found.example([Answer("shown", right)]) == example  # type: ignore[arg-type]


def test_no_field_takes_the_example_of_another_as_right() -> None:
    box = read_box(
        "---\nfields:\n- {kind: number, reads: '(.)', ask: a, factor: 2}\n"
        "- {kind: number, reads: '(.)', ask: b, factor: 1.5}\n---\nWhat?"
    )
    said = [Answer("7", 7.0), Answer("2.4", 2.4)]
    assert [field.example(said, box.fields) for field in box.fields] == ["48", "48"]
    assert box.fields[1].example(said) == "12", "which the first field takes as 7"
