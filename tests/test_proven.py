"""A lesson is not asked again while all that it can reach is as it was, and is asked as soon as any of it is not."""

import shutil
from pathlib import Path

import pytest
from proven import COMMON, OWN, digests, is_proven, merged

ROOT = Path(__file__).parents[1]
NAME = "exercises_tests/test_contract.py::test_lesson[solutions_pass-01_a]"
OTHER = "exercises_tests/test_contract.py::test_lesson[solutions_pass-02_b]"


@pytest.fixture
def course(tmp_path):
    for name in (*COMMON, *(name.format(stem) for name in OWN for stem in ("01_a", "02_b"))):
        path = tmp_path / name if Path(name).suffix else tmp_path / name / "one.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1")
    return tmp_path


def test_the_places_are_those_of_the_course():
    assert all((ROOT / name).exists() for name in COMMON)
    assert all((ROOT / name.format("10_memory_layout")).exists() for name in OWN)


@pytest.mark.parametrize(
    ("edited", "changed"),
    [(name, "12") for name in COMMON] + [(name.format("01_a"), "1") for name in OWN] + [("tests/toy.py", "")],
)
def test_an_edit_changes_the_digests_of_those_that_reach_it(course, edited, changed):
    before = digests(course, ["01_a", "02_b"])
    path = course / edited if Path(edited).suffix else course / edited / "two.py"
    path.write_text("2")
    after = digests(course, ["01_a", "02_b"])
    assert "".join(stem[1] for stem in before if before[stem] != after[stem]) == changed
    shutil.rmtree(course / "src/jaxcourse")
    assert digests(course, ["01_a"]) != {"01_a": after["01_a"]}


def test_how_programs_are_compiled_counts(course, monkeypatch):
    before = digests(course, ["01_a"])
    monkeypatch.setenv("XLA_FLAGS", "--another")
    assert digests(course, ["01_a"]) != before


def test_what_passed_is_proven_until_it_fails_or_its_lesson_is_another():
    now = {"01_a": "x", "02_b": "y"}
    first = merged({}, now, {NAME}, {OTHER})
    assert first == {"01_a": ("x", [NAME]), "02_b": ("y", [])}
    assert is_proven(first, now, NAME) and not is_proven(first, now, OTHER)
    assert not is_proven(first, now | {"01_a": "z"}, NAME)
    second = merged(first, now, {OTHER}, set())
    assert is_proven(second, now, NAME) and is_proven(second, now, OTHER)
    assert not is_proven(merged(second, now, set(), {NAME}), now, NAME)
    assert merged(second, {"01_a": "z"}, set(), set()) == {"01_a": ("z", [])}
