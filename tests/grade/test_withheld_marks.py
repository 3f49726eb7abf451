"""An examination is graded with everything; its students are told nothing before its time, or points alone for good."""

import csv
import io
import json
import shutil
import zipfile
from dataclasses import replace

import pytest
from examination import COMING, GONE, SECRETS, STEM, course_in
from grade_class import mark, result
from submissions import notebook
from toy import edit

from jaxcourse.cli import main
from jaxcourse.course import Course
from jaxcourse_grade import reports
from jaxcourse_grade.judging._grader import seeds_from
from jaxcourse_grade.platforms import github
from jaxcourse_grade.reports._held import held_back

COLUMNS = "def mean_of_runs(x, n):\n    return x.reshape(n, -1).mean(0)"
WRONG = mark("mean-of-runs", "wrong", "You averaged what a bandicoot calls columns.")
MARKS = (replace(WRONG, code=COLUMNS), mark("how-many-runs", "passed"))
WORKSHEET = (
    'Identifier,"Full name","Email address",Status,Grade,"Maximum grade","Grade can be changed",'
    '"Last modified (grade)","Feedback comments"\n'
    '"Participant 501","Bob",bob@uni.example,"Submitted for grading",,100.00,Yes,-,\n'
)
TOLD = ("not yet", "passed", "of 2 points", "of 1 point", "✗", "✓")


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The course, and the folder of a class in which Ada has solved the examination and Bob has averaged columns."""
    course = course_in(tmp_path_factory.mktemp("course"))
    folder = tmp_path_factory.mktemp("class")
    for name, text in {
        "ada": (course.root / "solutions" / f"{STEM}.ipynb").read_text(encoding="utf-8"),
        "bob": notebook(
            course.lesson(STEM), {"mean-of-runs": COLUMNS, "how-many-runs": 'how_many_runs = {"runs": 96}'}
        ),
    }.items():
        (folder / "in" / name).mkdir(parents=True)
        (folder / "in" / name / "exam.ipynb").write_text(text, encoding="utf-8")
    assert grade(course, folder) == 0
    return course, folder


def grade(course, folder, *more):
    options = ["--lesson", STEM, "--workers", "1", "--seed", "4711", *more]
    return main(["--course", str(course.root), "grade", str(folder / "in"), "--out", str(folder / "out"), *options])


def marks_of(folder):
    text = (folder / "out" / "exercises.csv").read_text(encoding="utf-8-sig")
    rows = csv.DictReader(io.StringIO(text, newline=""))
    return {(row["student"], row["exercise"]): (row["status"], row["label"]) for row in rows}


def test_the_grader_has_everything_and_tells_the_instructor(graded):
    _, folder = graded
    assert marks_of(folder) == {
        ("ada", "mean-of-runs"): ("passed", ""),
        ("ada", "how-many-runs"): ("passed", ""),
        ("bob", "mean-of-runs"): ("wrong", "bilby-columns"),
        ("bob", "how-many-runs"): ("wrong", "bilby-multiplied"),
    }
    assert "bandicoot" in (folder / "out" / "class.html").read_text(encoding="utf-8")


def test_students_are_told_nothing_before_its_time_and_everything_after_it(graded, tmp_path):
    course, folder = graded
    page = folder / "out" / "feedback" / "bob.html"
    before = page.read_text(encoding="utf-8")
    assert "What became of the answers is withheld until 2999-12-18 18:00 Europe/Berlin." in before
    assert not [word for word in (*SECRETS, *TOLD) if word in before.lower()]
    kept = shutil.copytree(course.root, tmp_path / "course")
    shutil.copytree(folder, tmp_path / "class")
    for name in (f"notebooks/{STEM}.md", "solutions/course.json"):
        edit(kept / name, "2999-12-18", "2020-12-18")
    assert grade(Course(kept), tmp_path / "class") == 0
    after = (tmp_path / "class" / "out" / "feedback" / "bob.html").read_text(encoding="utf-8")
    assert "bandicoot" in after and "0 of 2 points" in after


def test_an_analysis_that_a_room_may_see_has_nothing_of_it(graded, tmp_path, capsys):
    course, folder = graded
    said = f"Left out, because it is withheld until 2999-12-18 18:00 Europe/Berlin: {STEM}. `--names` counts it"

    def analysed(name, *options):
        command = ["analyse", str(folder / "out"), "--out", str(tmp_path / name), *options]
        return main(["--course", str(course.root), *command])

    assert analysed("none") == 2 and not (tmp_path / "none").exists()
    assert f"nothing else was graded. {said}" in capsys.readouterr().err
    assert analysed("mine", "--names") == 0
    assert "bandicoot" in (tmp_path / "mine" / "analysis.html").read_text(encoding="utf-8")


def test_an_analysis_of_other_lessons_says_which_it_leaves_out(graded, tmp_path, capsys):
    course, folder = graded
    copied = shutil.copytree(folder, tmp_path / "class")
    assert grade(course, copied, "--lesson", "01_toy") == 0
    assert main(["--course", str(course.root), "analyse", str(copied / "out")]) == 0
    assert f": {STEM}. `--names` counts it" in capsys.readouterr().out
    for name in ("analysis.html", "analysis.csv"):
        text = (copied / "analysis" / name).read_text(encoding="utf-8").lower()
        assert "01" in text and not [word for word in SECRETS if word in text] and "mean-of-runs" not in text


def written(folder, course, **more):
    """The reports of Bob's marks, as students get them."""
    bob = result("501", STEM, MARKS, name="Bob", back="bob_1_2_exam.html")
    reports.write([bob], folder / "out", title="T", held=held_back(course, [STEM], **more))
    return folder / "out"


def test_for_good_students_are_told_points_alone(tmp_path):
    out = written(tmp_path, course_in(tmp_path / "course", "always"))
    page = (out / "feedback" / "501.html").read_text(encoding="utf-8")
    assert "Points alone are told here" in page and "1 of 2 points" in page and "not yet" in page
    assert not [word for word in SECRETS if word in page.lower()]
    with zipfile.ZipFile(out / f"feedback_{STEM}.zip") as packed:
        assert all(packed.read(name).decode() == page for name in packed.namelist())
    assert "bandicoot" in (out / "exercises.csv").read_text(encoding="utf-8-sig")


def test_where_students_see_each_run_points_would_tell_them_what_is_right(tmp_path):
    out = written(tmp_path, course_in(tmp_path / "course", "always"), live=True)
    page = (out / "feedback" / "501.html").read_text(encoding="utf-8")
    assert "What became of the answers is withheld." in page and not [word for word in TOLD if word in page]


def test_comments_that_go_into_a_form_have_no_word_of_it(tmp_path):
    (tmp_path / "worksheet.csv").write_text(WORKSHEET, encoding="utf-8")
    bob = result("501", STEM, MARKS, name="Bob")
    for held, said in (({}, True), (held_back(course_in(tmp_path / "course"), [STEM]), False)):
        reports.write([bob], tmp_path / "out", title="T", moodle=tmp_path / "worksheet.csv", held=held)
        form = (tmp_path / "out" / "moodle.csv").read_text(encoding="utf-8-sig")
        assert ",50," in form and ("bandicoot" in form) == said


def test_gradescope_shows_scores_once_they_are_published_and_no_words(tmp_path):
    held = held_back(course_in(tmp_path), [STEM], live=True)[STEM]
    bob = result("bob", STEM, MARKS)
    told = json.loads(reports.gradescope(bob, held))
    assert told["score"] == 1 and told["visibility"] == "after_published"
    assert {test["visibility"] for test in told["tests"]} == {"after_published"}
    assert not [word for word in SECRETS if word in json.dumps(told)] and held.says in told["output"]
    assert json.loads(reports.gradescope(bob))["visibility"] == "visible"


@pytest.mark.parametrize(("withheld", "green"), [(COMING, 0), (GONE, 1)])
def test_a_run_on_github_says_nothing_of_it(withheld, green, tmp_path, monkeypatch):
    course = course_in(tmp_path / "course", withheld)
    monkeypatch.setattr(github, "grade_folder", lambda *_, **__: [result("bob", STEM, MARKS)])
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    options = ["--course", str(course.root), "--student", "bob", "--out", str(tmp_path / "out")]
    assert github.main([str(tmp_path), *options]) == green
    page = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert ("bandicoot" in page, "withheld until" in page) == ((False, True) if green == 0 else (True, False))


@pytest.mark.parametrize("named", [["--lesson", STEM], []])
def test_the_public_copy_says_that_it_cannot_grade_it(named, graded, tmp_path, monkeypatch, capsys):
    course, folder = graded
    for place, path in [
        *course.published_files(),
        *((name, course.root / name) for name in ("_toc.yml", "_config.yml")),
    ]:
        (tmp_path / "public" / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, tmp_path / "public" / place)
    for name in ("notebooks", "solutions"):
        shutil.copytree(course.root / name, tmp_path / "public" / name, dirs_exist_ok=True)
    shutil.rmtree(tmp_path / "public" / "solutions" / "withheld")
    (tmp_path / "public" / "solutions" / f"{STEM}.ipynb").unlink()
    monkeypatch.chdir(tmp_path)
    command = ["--course", "public", "grade", str(folder / "in"), "--out", "out", *named]
    assert main(command) == 2
    said = capsys.readouterr().err
    assert f"{STEM} cannot be graded with" in said and "withheld until 2999-12-18 18:00 Europe/Berlin" in said


def test_its_draws_follow_from_the_classs_seed_which_nobody_publishes(graded):
    """What a class is asked changes with the seed of its folder, and no page of a student has that seed."""
    course, folder = graded
    assert json.loads((folder / "out" / "class.json").read_text())["class_seed"] == 4711
    (kept,) = {json.loads(path.read_text())["seed"] for path in (folder / "out" / "results").glob("bob*.json")}
    seeds = {seed: {seeds_from(f"{seed}/{STEM}/{variant}/0") for variant in range(8)} for seed in (4711, 4712)}
    assert kept in {first for first, _ in seeds[4711]} and not seeds[4711] & seeds[4712]
    pages = (folder / "out" / "feedback").rglob("*.html")
    public = [path.read_text(encoding="utf-8") for path in (*pages, *(path for _, path in course.published_files()))]
    assert not any("4711" in text or str(kept) in text for text in public)
