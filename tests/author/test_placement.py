"""The placement: what may be declared, what is refused, and what a copy asks that teaches less."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jaxcourse.course import Course
from jaxcourse.exercise import judge
from jaxcourse.prediction import prediction, with_right_answer
from jaxcourse.probe import local_channel
from jaxcourse_author.concepts import Road, road_of
from jaxcourse_author.paths import read_paths
from jaxcourse_author.placement import (
    Advice,
    Block,
    Pool,
    Question,
    _problems,
    entry_of,
    problems,
    read_pool,
    taught_questions,
)
from jaxcourse_author.rules import RULES, Contract

ROOT = Path(__file__).parents[2]
COURSE = Course(ROOT)

STRIDES = Question("predict-strides", "a[:, ::2]", "Which strides?", ("strides",))
LINES = Question("lines-fetched", "x[0, ::8]", "How many?", ("cache-lines",), STRIDES)
LAST = Advice("ten-hours", (), "It begins with arrays.")


@pytest.fixture(scope="module")
def road() -> Road:
    return road_of(COURSE)


def pool(*questions: Question, advice: tuple[Advice, ...] = (LAST,)) -> Pool:
    """A pool of one block."""
    return Pool((Block("Arrays", questions),), advice)


def test_the_courses_own_questions_are_asked_as_they_are(road: Road) -> None:
    ours = read_pool(COURSE)
    assert [*problems(COURSE, road)] == []
    assert taught_questions(ours, COURSE, road) == ours and 20 <= ours.most <= 25
    assert {one.path for one in ours.advice} <= {one.name for one in read_paths(COURSE)}
    assert all(len(question.all) <= 2 for block in ours.blocks for question in block.questions)


REFUSED: list[tuple[str, Pool, str]] = [
    ("exercise", pool(replace(STRIDES, exercise="predict-stride")), "is not an exercise. Write 'predict-strides'."),
    ("label", pool(replace(STRIDES, unlocks=("stridez",))), "is not the label of a section. Write 'strides'."),
    ("entry", pool(replace(STRIDES, entry="a[:, ::3]")), "has no entry 'a[:, ::3]'. Write 'a[:, ::2]'."),
    ("easier", pool(replace(LINES, easier=replace(STRIDES, entry="?"))), "has no entry '?'. It has 'a', 'a.T'"),
    ("function", pool(replace(STRIDES, exercise="flat-view")), "has no entry 'a[:, ::2]'. Ask an exercise that is"),
    ("tuple", pool(replace(STRIDES, exercise="bytes-per-element", entry="0")), "Ask an exercise that is answered by a"),
    ("idea", pool(replace(STRIDES, unlocks=("optax",))), "unlocks 'optax', whose exercise 'fit-with-optax' trains ano"),
    ("twice", pool(STRIDES, LINES), "'a[:, ::2]' of 'predict-strides' is asked twice. Remove one."),
    ("many", pool(*[LINES] * 25), "up to 26 questions are asked, and 25 are fifteen minutes"),
    ("path", pool(STRIDES, advice=(replace(LAST, path="ten-hour"),)), "'ten-hour' is no path. Write 'ten-hours'."),
    ("knows", pool(STRIDES, advice=(replace(LAST, knows=("rule",)),)), "knows 'rule', which no question unlocks"),
]


@pytest.mark.parametrize(("declared", "words"), [pytest.param(*rest, id=name) for name, *rest in REFUSED])
def test_what_is_not_there_or_not_asked_is_refused(
    road: Road, monkeypatch: pytest.MonkeyPatch, declared: Pool, words: str
) -> None:
    monkeypatch.setattr(_problems, "read_pool", lambda course: declared)
    said = [f"{problem}. {repair}" for problem, repair in problems(COURSE, road)]
    assert any(words in one for one in said), said


def test_the_contract_refuses_it(road: Road, monkeypatch: pytest.MonkeyPatch) -> None:
    (rule,) = (one for one in RULES if one.name == "placement_unlocks_what_it_asks")
    contract = Contract(ROOT)
    vars(contract)["road"] = road
    monkeypatch.setattr(_problems, "read_pool", lambda course: pool(replace(STRIDES, entry="b")))
    (refusal,) = rule.refusals(contract)
    assert refusal.file == "book/placement.yml" and "has no entry 'b'" in refusal.problem


def test_a_copy_asks_what_it_teaches(road: Road, monkeypatch: pytest.MonkeyPatch) -> None:
    less = [stop for stop in road.stops if stop.section.label != "cache-lines"]
    monkeypatch.setattr(Course, "exercises", lambda course: {"10_memory_layout": ("predict-strides",)})
    asked = taught_questions(
        pool(LINES, replace(STRIDES, exercise="pair-bytes")), COURSE, replace(road, stops=tuple(less))
    )
    assert asked.blocks == (Block("Arrays", (STRIDES,)),), "the easier one is asked where the harder one is not taught"
    lesson = replace(LAST, knows=("cache-lines",))
    assert taught_questions(pool(STRIDES, advice=(lesson, LAST)), COURSE, replace(road, stops=tuple(less))).advice == (
        LAST,
    )


def test_an_entry_is_judged_as_the_exercise_judges_it() -> None:
    exercise = COURSE.lesson_of("predict-strides").exercises["predict-strides"]
    alone = replace(exercise, check=entry_of(STRIDES, COURSE))
    verdict = {value: judge(alone, local_channel({"a[:, ::2]": value})).label for value in [(24, 8), (6, 2), (0, 0)]}
    assert verdict == {(24, 8): "", (6, 2): "counted-elements", (0, 0): "wrong-value"}


def test_of_a_value_no_entry_is_asked() -> None:
    value = with_right_answer(prediction("one", hint="h", see="s", mistakes=[], otherwise="o"), 3)
    check: Any = value.check
    with pytest.raises(KeyError):
        check.only("one")


FORM = """\
blocks:
- block: Arrays
  questions:
  - {exercise: a, entry: b, ask: c, unlocks: [d]}
paths:
- {path: one, knows: [], why: Since.}
"""
BROKEN = [
    ("blocks:", "block:", "the file has block, paths: it takes blocks, paths."),
    ("exercise: a, ", "", "a question has entry, ask, unlocks: it takes exercise, entry, ask, unlocks, easier."),
    ("[d]", "d", "`unlocks` of 'a' is 'd': write a list."),
    ("ask: c", "ask: 3", "`ask` of 'a' has 3: write a text."),
    ("knows: []", "knows: [d]", "the last of `paths`, and no other, is for whoever knows nothing: `knows: []`."),
    ("blocks:", "blocks: [", "is not valid YAML"),
]


@pytest.mark.parametrize(("old", "new", "words"), BROKEN)
def test_a_file_of_another_form_is_refused_with_what_to_write(tmp_path: Path, old: str, new: str, words: str) -> None:
    (tmp_path / "book").mkdir()
    course = Course(tmp_path)
    assert read_pool(course) == Pool()
    (tmp_path / "book/placement.yml").write_text(FORM, encoding="utf-8")
    assert read_pool(course).questions == (Question("a", "b", "c", ("d",)),)
    (tmp_path / "book/placement.yml").write_text(FORM.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match="placement.yml") as said:
        read_pool(course)
    assert words in str(said.value)
