"""The index of exercises by idea: complete, and true to the lessons."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from jaxcourse.course import Course
from jaxcourse_author.lesson.elsewhere import Elsewhere

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
site_exercises = pytest.importorskip("site_exercises")


@pytest.fixture(scope="module")
def known():
    course = Course(ROOT)
    return site_exercises.ideas(course), site_exercises.entries(course)


def test_every_exercise_has_an_idea_and_every_name_leads_to_one(known):
    declared, entries = known
    assert site_exercises.problems(declared, entries, Elsewhere(Course(ROOT)).places) == []
    names = [name for names in Course(ROOT).exercises().values() for name in names]
    assert sorted(entry.name for entry in entries) == sorted(names)


def test_what_is_forgotten_or_misspelt_is_said(known):
    (first, *_), entries = known
    new = replace(entries[0], name="new-one", section="new-section")
    said = site_exercises.problems([replace(first, trains=("strides", "stridez"))], [*entries[-1:], new])
    last = entries[-1]
    assert said[:2] == [
        f"the exercise `{last.name}` has no idea: add its section `{last.section}` to one in book/ideas.yml",
        "the exercise `new-one` has no idea: add its section `new-section` to one in book/ideas.yml",
    ]
    assert "`stridez` is neither an exercise nor a section that one trains: mend it in book/ideas.yml" in said


def test_an_idea_that_is_trained_is_a_heading_a_sentence_and_its_exercises(known):
    declared, entries = known
    text = site_exercises.index(declared, entries)
    names = {name for entry in entries for name in (entry.name, entry.section)}
    assert f"\n\n{text}".count("\n\n## ") == sum(bool(names & set(idea.trains)) for idea in declared)
    for entry in entries:
        assert f" <{entry.name}>` <span" in text


@pytest.mark.lessons("10_memory_layout")
def test_an_exercise_is_a_line_with_what_it_takes(known):
    text = site_exercises.index(*known)
    (strides,) = {line for line in text.splitlines() if "<predict-strides>" in line}
    assert strides == (
        '| {ref}`Predict strides <predict-strides>` <span class="answers-solved" data-solved="predict-strides"></span> '
        "| {doc}`10 <../notebooks/10_memory_layout>`: {ref}`strides` | core | 6 | 1 | value |"
    )


def test_ideas_differ(known):
    declared, _ = known
    assert len({idea.idea for idea in declared}) == len({idea.about for idea in declared}) == len(declared)
    assert all(len(idea.trains) == len(set(idea.trains)) for idea in declared)
