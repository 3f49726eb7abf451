"""What a lesson withholds: how its front matter says so, and what the contract proves of it."""

import pytest
from examination import COMING, RUNS, STEM, course_in
from toy import edit

from jaxcourse.cli import main
from jaxcourse.course import Withheld
from jaxcourse_author.lesson import LessonError, notebooks, read_lesson, withholding_lessons
from jaxcourse_author.rules import RULES, Contract

MD = f"notebooks/{STEM}.md"


def said_by(tmp_path, withheld):
    """What a lesson with that in its front matter withholds."""
    course = course_in(tmp_path)
    edit(course.root / MD, f"withheld: {COMING}", f"withheld: {withheld}")
    return read_lesson(course.root / MD, course).withheld


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (COMING, Withheld("2999-12-18T18:00:00+01:00", "2999-12-18 18:00 Europe/Berlin")),
        ("until 2026-12-18T18:00+01:00", Withheld("2026-12-18T18:00:00+01:00", "2026-12-18T18:00+01:00")),
        ("always", Withheld("always")),
        ("{until: always, tells: runs}", Withheld("always", "", "runs")),
        (RUNS, Withheld("2999-12-18T18:00:00+01:00", "2999-12-18 18:00 Europe/Berlin", "runs")),
    ],
)
def test_until_when_and_what_is_told(tmp_path, said, wanted):
    assert said_by(tmp_path, said) == wanted


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("until 2026-13-18 18:00 Europe/Berlin", "that is no time"),
        ("until 2026-12-18 Europe/Berlin", "that is no time"),
        ("until 2026-12-18 18:00 Europe/Berlim", "knows no time zone 'Europe/Berlim'"),
        ("until 2026-12-18 18:00", "name its time zone: 2026-12-18 18:00"),
        ("{until: 2026-12-18 18:00:00}", "name its time zone"),
        ("2026-12-18", "write `until 2026-12-18 18:00 Europe/Berlin`, or `always`"),
        ("true", "is True: write `until"),
        ("{tells: runs}", "has to have `until`"),
        ("{until: always, tells: marks}", "tells 'marks': it takes `runs`"),
        ("{until: always, says: runs}", "has to have `until`, and perhaps `tells`"),
    ],
)
def test_what_is_no_time_is_refused_with_file_and_line(tmp_path, said, problem):
    with pytest.raises(LessonError) as refused:
        said_by(tmp_path, said)
    assert str(refused.value).startswith(f"{MD}:1: `withheld` in its front matter ") and problem in str(refused.value)


def test_course_json_has_names_and_titles_and_what_is_withheld_lies_apart(tmp_path):
    course = course_in(tmp_path)
    text = (tmp_path / "solutions" / "course.json").read_text(encoding="utf-8")
    assert "mean-of-runs" in text and "quokka" not in text and "wombat" not in text
    assert "quokka" in (tmp_path / "solutions" / "withheld" / f"{STEM}.json").read_text(encoding="utf-8")
    assert "quokka" in course.lesson(STEM).solution("mean-of-runs")[0]  # a checkout has all
    assert notebooks.stale(course) == {}
    (tmp_path / "solutions" / "withheld" / f"{STEM}.json").unlink()
    assert course.texts[STEM].lacks == withholding_lessons(course)[tmp_path / MD]


def refusals(course, rule):
    (one,) = [one for one in RULES if one.name == rule]
    return [str(refusal) for refusal in one.refusals(Contract(course.root))]


@pytest.mark.parametrize("withheld", [COMING, RUNS, "always"])
def test_an_examination_is_proved_like_any_lesson(tmp_path, withheld, monkeypatch, capsys):
    course = course_in(tmp_path, withheld)
    monkeypatch.chdir(tmp_path)
    code = main(["--course", str(course.root), "check", "--quick"])
    printed = capsys.readouterr().out
    assert code == 0, printed
    assert "3 exercises" in printed


def test_a_generated_file_that_says_it_is_refused(tmp_path):
    course = course_in(tmp_path)
    assert refusals(course, "withheld_is_left_out") == []
    edit(tmp_path / "solutions" / "course.json", '"mean-of-runs": ""', '"mean-of-runs": "quokka = x.reshape(-1, n)"')
    (refused,) = refusals(course, "withheld_is_left_out")
    assert refused.startswith("solutions/course.json") and "says what is withheld" in refused


def test_what_is_told_must_be_a_call_that_runs(tmp_path):
    course, rule = course_in(tmp_path, RUNS), "withheld_answers_can_be_called"
    assert refusals(course, rule) == []
    edit(tmp_path / MD, "`mean_of_runs(np.arange(6.0), 2)`", "`mean_of_runs(data, 2)`")
    assert "raises NameError" in refusals(course, rule)[0]
    edit(tmp_path / MD, "`mean_of_runs(data, 2)`", "that")
    assert "shows no call that could be run" in refusals(course, rule)[0]


def test_what_nobody_withholds_any_more_is_a_stray(tmp_path):
    course = course_in(tmp_path)
    edit(tmp_path / MD, f"withheld: {COMING}\n", "")
    notebooks.write(course)
    assert any(f"solutions/withheld/{STEM}.json" in one for one in refusals(course, "files_belong_together"))
