"""Plans of lessons: what may be declared, what is found in lessons and checks, and what is refused."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jaxcourse.checks import Agrees, Shaped, declare, require
from jaxcourse.course import Course, Lesson, LessonText
from jaxcourse.exercise import Exercise, Wrong
from jaxcourse.prediction import Mistake, anything_else, prediction, with_right_answer
from jaxcourse_author.concepts import CONCEPTS, road_of
from jaxcourse_author.lesson import LessonSource, read_lesson
from jaxcourse_author.lesson.predictions import Answer, read_box
from jaxcourse_author.rules import RULES, Contract
from jaxcourse_author.teach import (
    PAGE,
    TEACH,
    Choice,
    Peers,
    PlanError,
    _drawn,
    _found,
    _spare,
    cells,
    choices,
    drawn_anew,
    misconceptions,
    peer_question,
    problems,
    read_plans,
    spare,
)

ROOT = Path(__file__).parents[2]
COURSE = Course(ROOT)

BOX = """\
```{predict}
---
fields:
- ask: the sum
  kind: number
  reads: 'sum (.*)'
  mistakes: {'7': Not the last., '12': Not twice.}
- ask: its type
  kind: choice
  choices: {int: 'int', float: 'float', text: 'str'}
  mistakes: {float: It stays whole.}
- ask: its sign
  kind: truth
  reads: 'sign (.*)'
---
What comes out?
```
"""
LESSON = f"""\
# Sums

(adding)=
## Adding

{BOX}
```{{code-cell}} ipython3

total = 1 + 2
print("sum", total)
```

```{{code-cell}} ipython3

print("sum", sum([1, 2]))
```

(other)=
## Other

Nothing.
"""
TOC = """\
format: jb-book
root: book/index
chapters:
- file: notebooks/10_sums
- file: book/teach
"""
PLAN = """\
lessons:
  10_sums:
    live:
    - {at: adding, cell: total = 1, ask: Guess it}
    peers: {at: adding, field: the sum}
"""
FILES = {
    "_toc.yml": TOC,
    "book/index.md": "# Toy\n",
    "book/teach.md": "# Plans\n\n{{ plans }}\n",
    "notebooks/10_sums.md": LESSON,
}
Make = Callable[..., Course]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Writes a course of one lesson with its plan."""

    def write(plan: str = PLAN, **files: str) -> Course:
        named = {name.replace("__", "/"): text for name, text in files.items()}
        for name, text in (FILES | {TEACH: plan} | named).items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        return Course(tmp_path)

    return write


def wrong(course: Course) -> list[str]:
    """All that is wrong with the plans, each with its repair."""
    return [f"{problem}. {repair}" for problem, repair in problems(course)]


def lesson_of(course: Course) -> LessonSource:
    """The lesson of the toy course."""
    return read_lesson(course.lesson_paths[0], course)


# -- what is declared -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("lessons: [", "is not valid YAML"),
        ("plans: {}", "has no lessons: write `lessons:`"),
        (PLAN.replace("    peers: {at: adding, field: the sum}\n", ""), "'10_sums' has live: it takes live, peers."),
        (
            PLAN.replace("- {at", "- {show: 1, at"),
            "a cell of '10_sums' has show, at, cell, ask: it takes at",
        ),
        (PLAN.replace("ask: Guess it", "ask: 3"), "`ask` of a cell of '10_sums' is 3: write a text, in quotes."),
        (PLAN.replace("{at: adding, field", "{at: adding, ask: Why, field"), "has at, ask, field: it takes at, field."),
        (
            PLAN.replace("{at: adding, field: the sum}", "{exercise: sum}"),
            "has exercise: it takes exercise, ask",
        ),
        (
            PLAN.replace("    - {at: adding, cell: total = 1, ask: Guess it}\n", "      []\n"),
            "is no list of 1 to 4",
        ),
    ],
)
def test_a_file_that_is_not_as_it_must_be_is_refused(make: Make, plan: str, said: str) -> None:
    with pytest.raises(ValueError, match="book/teach.yml") as error:
        read_plans(make(plan))
    assert said in str(error.value)


def test_a_course_without_the_file_has_no_plans(make: Make) -> None:
    course = make()
    (course.root / TEACH).unlink()
    assert read_plans(course) == {} and wrong(course) == []


# -- what is found ----------------------------------------------------------------------------------------------


def test_a_plan_shows_a_cell_of_its_lesson_and_asks_a_field_of_its_box(make: Make) -> None:
    course = make()
    plan, lesson = read_plans(course)["10_sums"], lesson_of(course)
    assert wrong(course) == []
    assert [cell.text for cell in cells(course, plan, lesson)] == ['total = 1 + 2\nprint("sum", total)']
    question = peer_question(course, plan.peers, lesson)
    assert question.text == "What comes out?\n\n**the sum …**" and question.choices == ()
    assert question.box and question.box[1].ask == "the sum"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("at: adding, cell", "at: addin, cell", "`addin` is no section of this lesson. Write 'adding'."),
        (
            "cell: total = 1",
            "cell: total = 9",
            "the cell of `adding` that says 'total = 9' is not there. Mend it in",
        ),
        ("cell: total = 1", "cell: print", "the cell of `adding` that says 'print' is one of 2"),
        (
            "field: the sum",
            "field: the product",
            "'the product' is there 0 times, and not once. The fields there ask",
        ),
        (
            "{at: adding, field: the sum}",
            "{at: other}",
            "the prediction of `other` is there 0 times, and not once.",
        ),
        ("field: the sum", "field: its type", "says nothing to several of its choices: int, text. Write their"),
        ("field: the sum", "field: its sign", "has 0 known mistakes. Take a question with at least 2."),
        ("{at: adding, field: the sum}", "{exercise: add, ask: How}", "`add` is no exercise of this lesson. Name one."),
        ("10_sums:", "10_sum:", "'10_sum' is no lesson. Write '10_sums'."),
    ],
)
def test_what_is_not_there_is_refused_with_what_to_write(make: Make, old: str, new: str, said: str) -> None:
    found = wrong(make(PLAN.replace(old, new)))
    assert any(said in one for one in found), found


def test_a_syllabus_without_the_page_is_asked_for_no_plan(make: Make) -> None:
    course = make(PLAN.replace("10_sums:", "10_sum:"))
    assert wrong(course) != []
    (course.root / "_toc.yml").write_text(TOC.replace("- file: book/teach\n", ""), encoding="utf-8")
    assert wrong(Course(course.root)) == []


def test_a_lesson_that_is_not_taught_keeps_its_plan(make: Make) -> None:
    course = make(PLAN + PLAN.partition("lessons:\n")[2].replace("10_sums", "20_more"), notebooks__20_more_md="")
    (course.root / "notebooks" / "20_more.md").write_text("# More\n", encoding="utf-8")
    assert wrong(course) == []


def test_the_contract_refuses_a_plan_that_names_what_is_not_there(make: Make) -> None:
    (rule,) = (one for one in RULES if one.name == "plans_hold")
    (refusal,) = rule.refusals(Contract(make(PLAN.replace("total = 1", "total = 9")).root))
    assert refusal.file == TEACH and "is not there" in refusal.problem
    assert not [*rule.refusals(Contract(make().root))]


def test_a_fields_choices_are_the_runs_answer_and_the_known_mistakes(make: Make) -> None:
    (number, _, _) = read_box(BOX.partition("\n")[2].rpartition("```")[0]).fields
    assert choices(number, Answer("3", 3.0)) == (
        Choice("3"),
        Choice("7", "Not the last.", "7"),
        Choice("12", "Not twice.", "12"),
    )


def test_a_choice_is_offered_though_this_run_makes_a_known_mistake_right() -> None:
    field = read_box(
        "---\nfields:\n- {kind: choice, measured: true, choices: {a: x, b: y, c: z}, mistakes: {b: M, c: M}}\n---\n?"
    ).fields[0]
    assert [one.answer for one in choices(field, Answer("b", "b"))] == ["b", "a", "c"]
    assert [one.words for one in choices(field, None)] == ["", "M", "M"]


def test_a_question_with_several_right_answers_is_none() -> None:
    several = read_box("---\nfields:\n- {kind: several, choices: {a: x, b: y, c: z}}\n---\nWhich?").fields[0]
    with pytest.raises(PlanError, match="a, b hold at once"):
        choices(several, Answer("a, b", ["a", "b"]))


TABLE = with_right_answer(
    prediction(
        "table",
        hint="h",
        see="s",
        choices=("up", "down", "flat"),
        mistakes=[Mistake("turned", {"x": "down"}, "Up."), Mistake("lost", {"x": anything_else()}, "It moves.")],
        otherwise="Look again.",
    ),
    {"x": "up", "y": "flat"},
)


def test_an_entrys_choices_are_what_is_right_and_each_mistake_once() -> None:
    alone = TABLE.check.only("x")  # type: ignore[attr-defined]
    assert _found._wrong(alone, "x") == [Choice("down", "Up.", "turned"), Choice("flat", "It moves.", "lost")]


@pytest.mark.parametrize(
    ("peers", "said"),
    [
        (Peers(exercise="which-axis", entry="x.mean()", ask="?"), "is no entry. Its entries are 'x.mean(axis=0)'"),
        (Peers(exercise="which-axis", ask="?"), "is no entry"),
        (Peers(exercise="centre-columns", ask="?"), "is not answered by values"),
        (Peers(exercise="which-axes", ask="?"), "Write 'which-axis'."),
    ],
)
def test_an_exercise_that_offers_no_question_is_refused(peers: Peers, said: str) -> None:
    lesson = read_lesson(COURSE.lesson_paths[0], COURSE)
    with pytest.raises(PlanError) as error:
        peer_question(COURSE, peers, lesson)
    assert said in str(error.value)


# -- what goes wrong --------------------------------------------------------------------------------------------

HALF = 0.5


def halved(x: Any) -> Any:
    """Uses what is defined beside it."""
    return HALF * x


MISTAKES = {
    "twice": [lambda x: 2 * x, lambda x: np.add(x, x), halved],
    "sign": lambda x: -x,
    "not-a-pair": [lambda x: x, lambda x: x + 0, lambda x: x + 1, lambda x: x + 2],
}
WORDS = "twice: Once is enough.\nsign: It was {n}.\nnot-a-pair: A pair.\nwrong-value: No."


def lesson_with(*exercises: Exercise, wrongs: tuple[Wrong, ...] = ()) -> Lesson:
    """A lesson of some exercises, without files."""
    text = LessonText("", {}, {}, {})
    return Lesson(Path("nowhere"), "10_toy", {one.name: one for one in exercises}, {"10_toy": text}, "toy", wrongs)


def test_the_checks_know_best_what_most_wrong_answers_show() -> None:
    oracle = Agrees(np.negative, Shaped("n"), [(3,)], mistakes=MISTAKES)
    first = declare("first", see="s", steps=[oracle], words=WORDS)
    (only,) = misconceptions(lesson_with(first))
    assert (only.label, only.words, only.line, only.count) == ("twice", "Once is enough.", "2 * x", 3)


def test_a_mistake_that_needs_an_answers_numbers_or_says_no_reason_is_none() -> None:
    step = Agrees(np.negative, Shaped("n"), [(3,)], mistakes={name: MISTAKES[name] for name in ("sign", "not-a-pair")})
    assert misconceptions(lesson_with(declare("first", see="s", steps=[step], words=WORDS))) == ()


def test_what_covers_all_other_choices_is_known_no_better_than_one() -> None:
    found = misconceptions(lesson_with(TABLE))
    assert [(one.label, one.line, one.count) for one in found] == [("turned", "x: 'down'", 1)]


def test_a_mistake_with_a_line_comes_before_one_without() -> None:
    many = {"helped": [halved] * 5}
    exercises = (
        declare("a", see="s", steps=[Agrees(abs, Shaped("n"), [(3,)], mistakes=many)], words="helped: By hand."),
        declare("b", see="s", steps=[Agrees(abs, Shaped("n"), [(3,)], mistakes=MISTAKES)], words=WORDS),
    )
    assert [(one.exercise, one.line) for one in misconceptions(lesson_with(*exercises))] == [("b", "2 * x"), ("a", "")]


# -- what is drawn ----------------------------------------------------------------------------------------------


def asks_what_it_draws(answer: Any, rng: np.random.Generator) -> None:
    """Ask with a drawn number."""
    require(answer(rng.normal()) > 0, "negative")


def asks_always_the_same(answer: Any, rng: np.random.Generator) -> None:
    """Ask with one number."""
    require(answer(3.0) > 0, "negative")


def asks_nothing(answer: Any, rng: np.random.Generator) -> None:
    """Look at what came with the answer."""
    require(answer.value().size, "empty")


@pytest.mark.parametrize(
    ("step", "changes"), [(asks_what_it_draws, True), (asks_always_the_same, False), (asks_nothing, False)]
)
def test_a_step_draws_anew_if_its_first_question_is_another(step: Any, changes: bool) -> None:
    assert drawn_anew(declare("one", see="s", steps=[step], words="")) is changes


def test_predictions_are_never_drawn() -> None:
    assert not drawn_anew(TABLE)


def test_one_draw_of_this_course_is_always_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    checks = {name: one for path in COURSE.lesson_paths for name, one in COURSE.lesson(path.stem).exercises.items()}
    found = [name for name, one in checks.items() if drawn_anew(one)]
    monkeypatch.setattr(_drawn, "SEEDS", (3, 3))
    assert [name for name in found if drawn_anew(checks[name])] == [], "what changes is not the seed's"
    assert len(found) > len(checks) / 2


# -- what can be left out ---------------------------------------------------------------------------------------

USES = "```{code-cell} ipython3\n\nimport jax\njax.jit(f)\n```\n"
ROAD = {
    "_toc.yml": TOC.replace("10_sums\n", "10_jit\n- file: notebooks/20_use\n"),
    CONCEPTS: "concepts:\n- {concept: jit, code: [jax.jit], explained by: [jit]}\n",
    "notebooks/10_jit.md": f"# Jit\n\n(jit)=\n## Compiled\n\n{USES}\n(walls)=\n## Walls\n\nMore.\n",
    "notebooks/20_use.md": f"# Use\n\n(use)=\n## Use\n\n{USES}\n",
}


def test_a_section_is_spare_if_no_other_lesson_needs_it(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_spare, "WORTH", 0)
    road = road_of(make(**{name.replace("/", "__"): text for name, text in ROAD.items()}))
    assert [stop.name for stop in spare(road, "10_jit")] == ["walls"]
    assert [stop.name for stop in spare(road, "20_use")] == ["use"]


def test_what_takes_a_moment_is_not_worth_leaving_out(make: Make) -> None:
    road = road_of(make(**{name.replace("/", "__"): text for name, text in ROAD.items()}))
    assert spare(road, "10_jit") == ()


# -- this course ------------------------------------------------------------------------------------------------


@functools.cache
def plans() -> dict[str, Any]:
    return dict(read_plans(COURSE))


def test_each_lesson_of_this_course_has_a_plan_that_holds() -> None:
    assert wrong(COURSE) == []
    assert [*plans()] == [path.stem for path in COURSE.lesson_paths], "book/teach.yml has them in the order of _toc.yml"
    assert PAGE in COURSE.pages


def test_each_lesson_of_this_course_has_three_misconceptions_or_as_many_as_it_has_exercises() -> None:
    for path in COURSE.lesson_paths:
        lesson = COURSE.lesson(path.stem)
        found = misconceptions(lesson)
        assert len(found) == min(3, len(lesson.exercises)), path.stem
        assert len({one.exercise for one in found}) == len(found)
