"""A class from its files to its reports: who gets what, what is kept, what survives a kill or a full disk."""

import csv
import errno
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from dataclasses import replace

import psutil
import pytest
from distributed import Client
from instant import Instant, instant

from jaxcourse.course import Course
from jaxcourse_grade import _class, _selftest
from jaxcourse_grade._bounded import bounded
from jaxcourse_grade._class import CannotGrade, Order
from jaxcourse_grade._records import Result
from jaxcourse_grade._store import atomic_write
from jaxcourse_grade.isolation import Limits
from jaxcourse_grade.workers import _pool, _worker

COURSE = Course.installed()
ROOT = COURSE.root
LESSON = "00_start_here"
__all__ = ["instant"]
pytestmark = pytest.mark.lessons("00_start_here", "10_memory_layout")


@pytest.fixture
def handed_in(tmp_path):
    """Three students: one solved everything, one nothing, and one's file is cut off."""
    folder = tmp_path / "in"
    for student, source in (("ada", "solutions"), ("bob", "notebooks"), ("cy", "")):
        (folder / student).mkdir(parents=True)
        text = (ROOT / source / f"{LESSON}.ipynb").read_text(encoding="utf-8") if source else '{"cells": ['
        (folder / student / f"{LESSON}.ipynb").write_text(text, encoding="utf-8")
    return folder


def quietly(results, total):
    return results


def graded(order):
    """Grade a class; what was said, and the results by student."""
    said = []
    _class.grade(order, said.append, quietly)
    return said, results_in(order.out)


def results_in(out):
    files = sorted((out / "results").glob("*.json"))
    return {item.student: item for item in (Result.from_json(json.loads(path.read_text())) for path in files)}


def conditions(fingerprint=""):
    """What is the same for all jobs of a class."""
    return _worker.Conditions(1, COURSE, fingerprint, (), Limits())


def statuses(result):
    return {mark.status for mark in result.marks}


def test_a_class_is_graded_reported_and_not_graded_again(handed_in, tmp_path):
    order = Order(COURSE, handed_in, tmp_path / "out", workers=1)
    said, found = graded(order)
    assert "2 to be graded, 0 graded already, 1 unreadable, 0 missing." in said
    assert statuses(found["ada"]) == {"passed"}
    assert statuses(found["bob"]) == {"not_attempted"}
    assert statuses(found["cy"]) == {"unreadable"}
    assert "cut off" in found["cy"].reason
    assert found["ada"].points == found["ada"].out_of == found["bob"].out_of > found["bob"].points == 0
    assert found["ada"].class_seed == json.loads((order.out / "class.json").read_text())["class_seed"]
    assert {"files", "network"} <= set(found["ada"].protections)
    assert found["ada"].versions["course"]
    rows = list(csv.DictReader((order.out / "grades.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert [row["percent"] for row in rows] == ["100", "0", "0"]
    assert {path.name for path in (order.out / "feedback").iterdir()} == {"ada.html", "bob.html", "cy.html"}

    before = (order.out / "grades.csv").read_bytes()
    shutil.copy(ROOT / "solutions" / f"{LESSON}.ipynb", handed_in / "bob")
    said, found = graded(order)
    assert "1 to be graded, 1 graded already, 1 unreadable, 0 missing." in said
    assert statuses(found["bob"]) == {"passed"}
    assert (order.out / "grades.csv").read_bytes() != before


def test_a_seed_gives_the_same_grades_and_cannot_be_exchanged(handed_in, tmp_path):
    shutil.rmtree(handed_in / "cy")
    _, first = graded(Order(COURSE, handed_in, tmp_path / "one", workers=1, seed=5))
    _, second = graded(Order(COURSE, handed_in, tmp_path / "two", workers=1, seed=5))
    assert {s: (r.seed, r.marks) for s, r in first.items()} == {s: (r.seed, r.marks) for s, r in second.items()}
    with pytest.raises(CannotGrade, match="class seed 5"):
        graded(Order(COURSE, handed_in, tmp_path / "one", seed=6))


def test_what_the_grader_lacks_is_said_once_and_graded_again_when_it_is_there(handed_in, tmp_path, monkeypatch):
    shutil.rmtree(handed_in / "cy")
    lacks = "import no_such_library\n\ndef centre_columns(x):\n    return no_such_library.centred(x)"
    for student in ("ada", "bob"):
        path = handed_in / student / f"{LESSON}.ipynb"
        book = json.loads((ROOT / "solutions" / path.name).read_text(encoding="utf-8"))
        for cell in book["cells"]:
            if "def centre_columns" in "".join(cell["source"]):
                cell["source"] = lacks
        path.write_text(json.dumps(book), encoding="utf-8")
    order = Order(COURSE, handed_in, tmp_path / "out", workers=1)
    _, found = graded(order)
    assert {result.lacks for result in found.values()} == {frozenset({"no_such_library"})}
    page = (order.out / "class.html").read_text(encoding="utf-8")
    assert page.count("`no_such_library` (2 students)") == 1 and "run the command again" in page
    said, _ = graded(order)
    assert "0 to be graded, 2 graded already, 0 unreadable, 0 missing." in said
    monkeypatch.setattr(_class.judging, "is_here", lambda name: True)
    said, _ = graded(order)
    assert "2 to be graded, 0 graded already, 0 unreadable, 0 missing." in said


def test_another_module_beside_a_notebook_grades_it_again(handed_in, tmp_path, instant):
    shutil.rmtree(handed_in / "cy")
    module = handed_in / "ada" / "my_helpers.py"
    module.write_text("two = 2\n")
    graded(Order(COURSE, handed_in, tmp_path / "out"))
    said, _ = graded(Order(COURSE, handed_in, tmp_path / "out"))
    assert "0 to be graded, 2 graded already, 0 unreadable, 0 missing." in said
    module.write_text("two = 3\n")
    said, _ = graded(Order(COURSE, handed_in, tmp_path / "out"))
    assert "1 to be graded, 1 graded already, 0 unreadable, 0 missing." in said


def test_other_limits_grade_again(handed_in, tmp_path, instant):
    graded(Order(COURSE, handed_in, tmp_path / "out"))
    said, _ = graded(Order(COURSE, handed_in, tmp_path / "out"))
    assert "0 to be graded, 2 graded already, 1 unreadable, 0 missing." in said
    said, _ = graded(Order(COURSE, handed_in, tmp_path / "out", limits=Limits(seconds=999)))
    assert "2 to be graded, 0 graded already, 1 unreadable, 0 missing." in said


def test_what_cannot_be_read_counts_in_the_only_lesson(handed_in, tmp_path, instant):
    (handed_in / "cy" / f"{LESSON}.ipynb").rename(handed_in / "cy" / "work.ipynb")
    _, found = graded(Order(COURSE, handed_in, tmp_path / "one"))
    assert (found["cy"].status, found["cy"].lesson) == ("unreadable", LESSON)
    for student in ("ada", "bob"):
        shutil.copy(ROOT / "notebooks" / "10_memory_layout.ipynb", handed_in / student)
    _, found = graded(Order(COURSE, handed_in, tmp_path / "two"))
    assert (found["cy"].status, found["cy"].lesson) == ("unreadable", "")


def test_who_is_on_the_roster_and_handed_in_nothing_is_missing(handed_in, tmp_path, instant):
    roster = tmp_path / "roster.csv"
    roster.write_text("Name,Email\nAda,ada@uni.example\nBob,bob@uni.example\nDora,dora@uni.example\n")
    said, found = graded(Order(COURSE, handed_in, tmp_path / "out", roster=roster))
    assert "2 to be graded, 0 graded already, 1 unreadable, 1 missing." in said
    assert found["dora@uni.example"].status == "missing"
    assert "cy matches nobody on the roster." in (tmp_path / "out" / "class.html").read_text(encoding="utf-8")


def test_a_teachers_decisions_stand_over_the_grader_and_survive_a_regrade(handed_in, tmp_path, instant):
    (tmp_path / "marks.csv").write_text(
        "student,lesson,exercise,points,comment\n"
        "ada,00,centre-columns,0.5,Said by heart\nbob,00,,excused,Ill\ncy,00,,7,Shown to me\ndan,00,,1,\n"
    )
    os.utime(handed_in / "bob" / f"{LESSON}.ipynb", (0, 1_800_000_000))  # 2027-01-15T08:00:00Z
    order = Order(COURSE, handed_in, tmp_path / "out", due=("2027-01-15 08:30 Europe/Berlin",), seed=1, file_times=True)
    for _ in range(2):
        said, found = graded(order)
        assert f"3 decisions of {tmp_path / 'marks.csv'} stand over what was graded." in said
        assert "marks.csv, line 5, fits nobody and was not used: nobody here is dan." in said
        assert not any(
            mark.decision for result in found.values() for mark in result.marks
        )  # what is kept is the grader's
        rows = {row["student"]: row for row in read_csv(order.out / "grades.csv")}
        assert (rows["ada"]["decision"], rows["ada"]["centre-columns"]) == ("", "0.5")
        assert [rows["bob"][name] for name in ("decision", "percent", "out_of", "comment")] == [
            "excused",
            "n/a",
            "0",
            "Ill",
        ]
        assert (rows["cy"]["decision"], rows["cy"]["points"], rows["cy"]["status"]) == ("7 points", "7", "unreadable")
        assert (rows["bob"]["due"], rows["bob"]["minutes_late"]) == ("2027-01-15T08:30:00+01:00", "30")
        assert rows["ada"]["minutes_late"] == "0"
        order = replace(order, limits=Limits(seconds=999))
    exercises = {(row["student"], row["exercise"]): row for row in read_csv(order.out / "exercises.csv")}
    assert exercises["ada", "centre-columns"]["decision"] == "0.5 points"
    (tmp_path / "marks.csv").unlink()
    graded(order)
    assert read_csv(order.out / "grades.csv")[0]["centre-columns"] in "01"


def test_a_class_of_groups_and_of_shares_is_reported_with_both(handed_in, tmp_path, monkeypatch, instant):
    monkeypatch.setattr(Instant, "label", "loops")
    (tmp_path / "roster.csv").write_text("Name,Email,Group\nAda,ada@x,G\nBob,bob@x,\nDora,dora@x,G\n")
    (tmp_path / "shares.csv").write_text("label,share\nloops,0.5\nnobodys,0.5\n")
    order = Order(COURSE, handed_in, tmp_path / "out", roster=tmp_path / "roster.csv", groups=True)
    said, found = graded(order)
    assert found["dora@x"].source == found["ada@x"].source and found["dora@x"].status == "graded"
    rows = {row["name"]: row for row in read_csv(order.out / "grades.csv")}
    assert {rows[name]["points"] for name in ("Ada", "Bob", "Dora")} == {"1"}
    assert "shares.csv gives a share of the points to 6 marks." in said
    assert any("line 3, met no mark" in line for line in said)
    with pytest.raises(CannotGrade, match="--groups needs"):
        graded(replace(order, roster=None))


def read_csv(path):
    return list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))


def test_a_kept_result_has_todays_facts_of_the_hand_in(tmp_path, instant):
    """The same content under another name and at another time: only the verdicts are kept."""
    text = (ROOT / "solutions" / f"{LESSON}.ipynb").read_text(encoding="utf-8")
    folder = tmp_path / "in"
    folder.mkdir()
    for name, more in (("doejane_12_1001_x.ipynb", ""), ("roetom_13_1003_x.ipynb", " ")):
        (folder / name).write_text(text + more, encoding="utf-8")
    order = Order(COURSE, folder, tmp_path / "out", seed=1)
    graded(order)
    (folder / "doejane_12_1001_x.ipynb").write_text("{}", encoding="utf-8")
    (folder / "doejane_LATE_12_1002_x-1.ipynb").write_text(text, encoding="utf-8")
    said, again = graded(order)
    assert said[-3:] != [] and any("0 to be graded, 2 graded already" in line for line in said)
    _, fresh = graded(replace(order, out=tmp_path / "fresh"))
    assert again == fresh
    assert (again["12"].source, again["12"].late) == ("doejane_LATE_12_1002_x-1.ipynb", "late, says Canvas")
    assert "Set aside: `doejane_12_1001_x.ipynb`" in again["12"].notes[-1]
    same = ("grades.csv", "exercises.csv", "junit.xml", f"feedback_{LESSON}.zip", "feedback/12.html")
    assert all((order.out / name).read_bytes() == (tmp_path / "fresh" / name).read_bytes() for name in same)


def test_what_is_imported_decides_whether_it_is_graded_again(handed_in, tmp_path, instant):
    book = json.loads((ROOT / "solutions" / f"{LESSON}.ipynb").read_text(encoding="utf-8"))
    book["cells"].insert(0, {"cell_type": "code", "metadata": {}, "outputs": [], "source": "import my_helpers"})
    (handed_in / "ada" / f"{LESSON}.ipynb").write_text(json.dumps(book), encoding="utf-8")
    order = Order(COURSE, handed_in, tmp_path / "out", seed=1)
    for text, todo in (("n = 1", 2), ("n = 1", 0), ("n = 2", 1)):
        (handed_in / "ada" / "my_helpers.py").write_text(text)
        said, _ = graded(order)
        assert any(line.startswith(f"{todo} to be graded") for line in said), said


@pytest.mark.parametrize("named", [True, False])
def test_a_gradebook_that_cannot_be_filled_in_is_refused_before_anything_is_graded(named, handed_in, tmp_path, instant):
    gradebook = tmp_path / "gradebook.csv"
    gradebook.write_text("Student,ID,Start here (1),Start here (2)\n    Points Possible,,1,1\nAda,1,,\n")
    order = Order(COURSE, handed_in, tmp_path / "out", canvas=gradebook, lessons=(LESSON,) if named else ())
    with pytest.raises(ValueError, match="several columns could be lesson 00_start_here"):
        graded(order)
    assert not list(tmp_path.glob("out/results/*"))


def test_a_student_without_one_of_two_lessons_is_missing_there_in_every_report(handed_in, tmp_path, instant):
    other = "10_memory_layout"
    shutil.copy(ROOT / "notebooks" / f"{other}.ipynb", handed_in / "ada")
    (tmp_path / "roster.csv").write_text("Name,ID\nAda,1\nBob,2\nCy,3\nQuinn,4\n")
    (tmp_path / "canvas.csv").write_text(
        "Student,ID,Start here (1),Memory layout (2)\n    Points Possible,,3,15\nAda,1,,\nBob,2,,9\nQuinn,4,,\n"
    )
    order = Order(
        COURSE, handed_in, tmp_path / "out", lessons=(LESSON, other), roster=tmp_path / "roster.csv",
        canvas=tmp_path / "canvas.csv",
    )  # fmt: skip
    graded(order)
    rows = {(row["name"], row["lesson"]): row for row in read_csv(order.out / "grades.csv")}
    assert set(rows) == {(name, lesson) for name in ("Ada", "Bob", "Cy", "Quinn") for lesson in (LESSON, other)}
    bob = rows["Bob", other]
    worth = sum(mark.out_of for mark in _class._all(other, COURSE, "missing", ""))
    assert (bob["status"], bob["points"], float(bob["out_of"])) == ("missing", "0", worth)
    found = json.loads((order.out / "grades.json").read_text())["results"]
    assert [row["status"] for row in found if row["name"] == "Bob"] == ["graded", "missing"]
    assert 'name="2 10_memory_layout"' in (order.out / "junit.xml").read_text()
    page = (order.out / "class.html").read_text(encoding="utf-8")
    assert re.search(r"Not handed in</dt><dd><a[^>]*>4</a>", page) and "marks.csv" in page
    assert "Nothing was handed in." in (order.out / "feedback" / "2.html").read_text(encoding="utf-8")
    ada, bob, quinn = list(csv.reader((order.out / "canvas.csv").read_text().splitlines()))[2:]
    assert (bob[3], quinn[2], quinn[3]) == ("0", "0", "0")
    notes = (order.out / "canvas_notes.txt").read_text()
    assert "nothing was handed in: Bob, 10 memory layout" in notes


def test_the_pages_say_by_whom_it_is_known_that_something_is_late(tmp_path, instant):
    text = (ROOT / "solutions" / f"{LESSON}.ipynb").read_text(encoding="utf-8")
    folder = tmp_path / "in"
    folder.mkdir()
    for name, more in (("doejane_12_1001_x.ipynb", ""), ("roetom_LATE_13_1003_x.ipynb", " ")):
        (folder / name).write_text(text + more, encoding="utf-8")
    graded(Order(COURSE, folder, tmp_path / "out", due=("2020-01-01T00:00Z",)))
    rows = {row["student"]: row for row in read_csv(tmp_path / "out" / "grades.csv")}
    assert [(row["minutes_late"], row["late"]) for row in rows.values()] == [
        ("n/a", "n/a"),
        ("n/a", "late, says Canvas"),
    ]
    pages = {
        name: (tmp_path / f"out/{name}.html").read_text(encoding="utf-8")
        for name in ("class", "feedback/12", "feedback/13")
    }
    assert "<strong>late, says Canvas</strong>" in pages["feedback/13"] and " late" not in pages["feedback/12"]
    assert ", 1 late" in pages["class"] and "When 2 of 2 hand-ins came is not known" in pages["class"]


def test_an_order_that_cannot_be_met_is_refused_before_anything_is_graded(handed_in, tmp_path):
    for order, why in (
        (Order(COURSE, handed_in, tmp_path / "out", lessons=("99_nothing",)), "there is no lesson '99_nothing'"),
        (Order(COURSE, tmp_path / "nowhere", tmp_path / "out"), "nowhere"),
        (Order(COURSE, handed_in, tmp_path / "out", on_time=True), "--on-time needs to know when it was due"),
        (Order(COURSE, handed_in, tmp_path / "out", canvas=handed_in / "ada" / f"{LESSON}.ipynb"), "headings"),
    ):
        with pytest.raises((ValueError, FileNotFoundError), match=why):
            graded(order)
    assert not (tmp_path / "out").exists()


def test_a_machine_without_protections_is_refused_unless_told(handed_in, tmp_path, monkeypatch, instant):
    monkeypatch.setattr(_class.isolation, "available", lambda: {"files": "Landlock is off.", "limits": ""} | LACKING)
    with pytest.raises(CannotGrade, match="files.*--unprotected"):
        graded(Order(COURSE, handed_in, tmp_path / "out"))
    said, found = graded(Order(COURSE, handed_in, tmp_path / "out", unprotected=True))
    assert "no  files: Landlock is off." in said


LACKING = dict.fromkeys(("signals", "network", "processes", "kernel", "privileges"), "not here")


# -- nothing is lost --------------------------------------------------------------------------------------------


def a_class(folder, size):
    text = (ROOT / "notebooks" / f"{LESSON}.ipynb").read_text(encoding="utf-8")
    for number in range(size):
        (folder / f"s{number:03}").mkdir(parents=True)
        (folder / f"s{number:03}" / f"{LESSON}.ipynb").write_text(text + " " * number, encoding="utf-8")


@pytest.mark.filterwarnings(r"ignore:os\.fork\(\) was called:RuntimeWarning")  # other tests may have started JAX
def test_killed_fifty_times_the_grades_are_the_same(tmp_path, instant):
    """The class is graded in a fork, which is killed at a random moment, fifty times; then it is left to finish."""
    a_class(tmp_path / "in", 120)
    order = Order(COURSE, tmp_path / "in", tmp_path / "out", seed=1)
    _class.judging.versions(COURSE)
    kept, rng = 0, random.Random(0)
    killed = 0
    while killed < 50:
        child = os.fork()
        if child == 0:
            graded(order)
            os._exit(0)
        time.sleep(rng.uniform(0.0, 0.35))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        killed += os.WIFSIGNALED(status)
        if not os.WIFSIGNALED(status):  # it was done: begin a new class, and go on killing
            shutil.rmtree(order.out)
            kept = 0
            continue
        now = len(results_in(order.out))  # each can be read: none is torn
        assert now >= kept
        kept = now
    said, found = graded(order)
    _, undisturbed = graded(Order(COURSE, order.submissions, tmp_path / "undisturbed", seed=1))
    assert found == undisturbed
    assert len(found) == 120
    same = ("grades.csv", "exercises.csv", "junit.xml")
    assert all((order.out / n).read_bytes() == (tmp_path / "undisturbed" / n).read_bytes() for n in same)
    assert {path.name for path in order.out.rglob(".*") if path.suffix != ".part"} == {".gitignore"}


def test_a_full_disk_stops_the_class_and_keeps_what_was_graded(tmp_path, monkeypatch, instant):
    a_class(tmp_path / "in", 10)
    order = Order(COURSE, tmp_path / "in", tmp_path / "out", seed=1)
    written = []

    def full(path, text):
        if len(written) == 5:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        written.append(path)
        atomic_write(path, text)

    monkeypatch.setattr(_class, "atomic_write", full)
    with pytest.raises(OSError, match="No space left"):
        graded(order)
    monkeypatch.undo()
    kept = results_in(order.out)
    assert len(kept) == 4  # the first file is the seed
    monkeypatch.setattr(_class.workers, "local", lambda workers: Instant())
    said, found = graded(order)
    assert "6 to be graded, 4 graded already, 0 unreadable, 0 missing." in said
    assert len(found) == 10


def test_the_command_says_what_is_wrong_with_the_folder(handed_in, tmp_path, capsys, instant):
    from jaxcourse.cli import main

    (tmp_path / "file").write_text("")
    assert main(["grade", str(handed_in), "--out", str(tmp_path / "file" / "out")]) == 2
    assert "file" in capsys.readouterr().err
    assert main(["grade", str(handed_in), "--out", str(tmp_path / "out")]) == 0
    assert "class.html" in capsys.readouterr().out


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """What a process that is killed cannot tidy up goes with the test's own folder."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))


@pytest.mark.usefixtures("scratch")
def test_a_killed_grader_leaves_no_process_behind_and_goes_on(tmp_path):
    text = (ROOT / "solutions" / f"{LESSON}.ipynb").read_text(encoding="utf-8")
    for number in range(6):
        (tmp_path / "in" / f"s{number}").mkdir(parents=True)
        (tmp_path / "in" / f"s{number}" / f"{LESSON}.ipynb").write_text(text, encoding="utf-8")
    out = tmp_path / "out"
    start = "import sys; from jaxcourse.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", start, "grade", tmp_path / "in", "--out", out, "--workers", "1"]
    grader = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    until = time.monotonic() + 100
    while len(list((out / "results").glob("*.json"))) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    family = psutil.Process(grader.pid).children(recursive=True)
    grader.kill()
    grader.wait()
    assert family
    _, alive = psutil.wait_procs(family, timeout=20)
    assert not alive
    kept = results_in(out)
    assert len(kept) >= 2
    said, found = graded(Order(COURSE, tmp_path / "in", out, workers=1))
    assert len(found) == 6
    assert all(statuses(result) == {"passed"} for result in found.values())
    assert {name: found[name] for name in kept} == kept


# -- workers ----------------------------------------------------------------------------------------------------


def dies_over_bob(job):
    """A job that takes its worker with it if it is Bob's."""
    if job.submission.student == "bob":
        os.kill(os.getpid(), signal.SIGKILL)
    return {"student": job.submission.student}


def test_a_job_over_which_workers_die_costs_nobody_else_anything(monkeypatch):
    jobs = [
        _pool.Job(_class.Submission(name, name, LESSON, f"{name}.ipynb"), conditions())
        for name in ("ada", "bob", "cy", "dora", "emil")
    ]
    monkeypatch.setattr(_pool, "work", dies_over_bob)
    pool = _pool.local(2)
    found = {job.submission.student: outcome for job, outcome in pool.results(jobs)}
    pool.close()
    assert isinstance(found.pop("bob"), _pool.WorkersDied)
    assert found == {name: {"student": name} for name in ("ada", "cy", "dora", "emil")}
    assert pool.deaths == _pool.ATTEMPTS


def test_who_breaks_the_grader_is_looked_at_by_hand():
    job = _pool.Job(_class.Submission("bob", "Bob", LESSON, "bob.ipynb"), conditions())
    result = _class._result(job, _pool.WorkersDied("killed"))
    assert statuses(result) == {"stumbled"}
    assert result.points == 0 < result.out_of


CLUSTER = textwrap.dedent("""
    import sys
    from distributed import LocalCluster

    if __name__ == "__main__":
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
            workers = (f"{worker.worker_address}={worker.pid}" for worker in cluster.workers.values())
            print(cluster.scheduler_address, *workers, flush=True)
            sys.stdin.read()
""")


def kill_one_at_work(address, pids, killed):
    """Kill a worker that has a job: it is stopped first, so that it cannot be done before it dies."""
    with Client(address, set_as_default=False) as client:
        while not killed:
            time.sleep(0.02)
            for worker in [worker for worker, jobs in client.processing().items() if jobs]:
                os.kill(pids[worker], signal.SIGSTOP)
                time.sleep(0.3)  # what it had sent is there by now
                at_work = client.processing()[worker]
                os.kill(pids[worker], signal.SIGKILL if at_work else signal.SIGCONT)
                if at_work:
                    killed.append(worker)
                    return


@pytest.mark.usefixtures("scratch")
def test_a_dask_cluster_gives_the_same_grades_and_dead_workers_are_counted(handed_in, tmp_path):
    script = tmp_path / "cluster.py"
    script.write_text(CLUSTER)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, script], text=True, stderr=subprocess.DEVNULL, **pipes) as cluster:
        address, *workers = cluster.stdout.readline().split()
        pids = {worker: int(pid) for worker, pid in (each.split("=") for each in workers)}
        killed = []
        threading.Thread(target=kill_one_at_work, args=(address, pids, killed), daemon=True).start()
        order = Order(COURSE, handed_in, tmp_path / "dask", seed=3, dask=address)
        _class.grade(order, lambda line: None, quietly)
        cluster.stdin.close()
    here = Order(COURSE, handed_in, tmp_path / "here", seed=3, workers=1)
    _, expected = graded(here)
    found = results_in(order.out)
    assert {s: r.marks for s, r in found.items()} == {s: r.marks for s, r in expected.items()}
    assert killed
    assert "A worker died; its job was tried again." in (order.out / "class.html").read_text(encoding="utf-8")


def test_a_cluster_with_another_course_is_refused(handed_in, tmp_path, monkeypatch):
    job = _pool.Job(_class.Submission("ada", "Ada", LESSON, "ada.ipynb"), conditions("another"))
    with pytest.raises(_worker.OtherCourse, match="is not the one that the class is graded with"):
        _worker.work(job)


def test_a_cluster_that_does_not_answer_is_said(handed_in, tmp_path, monkeypatch):
    monkeypatch.setattr(_pool, "ANSWER_SECONDS", 1)
    with pytest.raises(OSError, match=r"tcp://127\.0\.0\.1:9"):
        _class.grade(Order(COURSE, handed_in, tmp_path / "out", dask="tcp://127.0.0.1:9"), lambda line: None, quietly)


# -- what is refused, in one line and before anything else ------------------------------------------------------


def refused(arguments, capsys):
    """What the command says when it gives up: one line, and nothing before it."""
    from jaxcourse.cli import main

    assert main(["grade", *map(str, arguments)]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    return said.err


def test_a_python_with_which_nothing_was_tested_is_refused_by_name(monkeypatch, capsys):
    monkeypatch.setattr("platform.python_version", lambda: "3.10.14")
    assert "this is Python 3.10.14" in refused(["anything"], capsys)


WRONG_ABOUT_ITSELF = {
    "stumbled over it: Out of memory": lambda first, others: {"stumbled": "Out of memory"},
    "stumbled over it: killed": lambda first, others: _pool.WorkersDied("killed"),
    "refused the lesson's own answer to centre-columns": lambda first, others: (first, *others),
    "gave points for which-axis": lambda first, others: tuple(
        replace(mark, status="passed", points=1.0) for mark in (first, *others)
    ),
}


@pytest.mark.parametrize("why", WRONG_ABOUT_ITSELF)
def test_a_grader_that_is_wrong_about_its_own_notebook_grades_nobody(why, handed_in, tmp_path, monkeypatch, capsys):
    class Wrong(Instant):
        def own(self, job):
            found = WRONG_ABOUT_ITSELF[why](*_halves(_class._all(LESSON, COURSE, "missing", "")))
            fields = job.submission.identity()
            return Result(**fields, status="graded", marks=found).to_json() if isinstance(found, tuple) else found

    monkeypatch.setattr(_class.workers, "local", lambda workers: Wrong())
    with pytest.raises(_selftest.SelfTestFailed, match=re.escape(why)):
        graded(Order(COURSE, handed_in, tmp_path / "out"))
    assert set(results_in(tmp_path / "out")) == {"cy"}  # whose file cannot be read


def _halves(marks):
    return marks[0], marks[1:]


def test_a_grader_that_cannot_read_its_own_notebook_reads_nobodys(handed_in, tmp_path, monkeypatch, instant):
    """As Python 3.11.2 did with an earlier form of this expression."""
    never = re.compile(rb"(?!)")
    monkeypatch.setattr(_class.intake._walk, "_TO_BRACKET", never)
    with pytest.raises(_selftest.SelfTestFailed, match="could not read it.*cut off"):
        graded(Order(COURSE, handed_in, tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_is_said_before_the_walls(handed_in, tmp_path, capsys, instant):
    (tmp_path / "file").write_text("")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    (tmp_path / "a").symlink_to(tmp_path / "b")
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    out = ("--out", tmp_path / "out")
    for arguments, why in (
        ((handed_in, "--out", handed_in), "cannot lie in the submissions"),
        ((handed_in, "--out", handed_in / "ada" / "deep"), "cannot lie in the submissions"),
        ((handed_in, "--out", tmp_path / "in" / ".." / "in"), "cannot lie in the submissions"),
        ((tmp_path / "out" / "feedback", *out), "there is no"),
        ((tmp_path / "nowhere", *out), "there is no"),
        ((tmp_path / "a", *out), "there is no"),
        ((handed_in, "--out", tmp_path / "file"), "is a file"),
        ((handed_in, "--out", tmp_path / "a" / "out"), "a"),
        ((handed_in, *out, "--workers", "-1"), "-1 workers"),
        ((handed_in, *out, "--seconds", "0"), "seconds is 0"),
        ((handed_in, *out, "--seconds", "nan"), "seconds is nan"),
        ((handed_in, *out, "--memory", "-5"), "memory is"),
        ((handed_in, *out, "--lesson", "99_nothing"), "no lesson '99_nothing'"),
        ((handed_in, *out, "--roster", tmp_path / "none.csv"), "one line per student.\n"),
        ((handed_in, *out, "--canvas", tmp_path / "none.csv"), "none.csv"),
        ((handed_in, *out, "--marks", tmp_path / "none.csv"), "none.csv"),
        ((handed_in, *out, "--marks", tmp_path / "file"), "file, line 1: no column 'student'"),
        ((handed_in, *out, "--due", "2026-11-20T23:59"), "name its time zone"),
    ):
        assert why in refused(arguments, capsys), arguments
    assert not (tmp_path / "out").exists()
    for text in ("", "{", "[]", "3", '{"class_seed": "7"}', '{"class_seed": null}', "[" * 10**5, "\udcff"):
        (damaged / "class.json").write_text(text, encoding="utf-8", errors="surrogateescape")
        assert "class.json is damaged" in refused((handed_in, "--out", damaged), capsys)
    assert [path.name for path in damaged.iterdir()] == ["class.json"]


HOLDER = """
import sys, time
from pathlib import Path
from jaxcourse_grade._class import locked

with locked(Path(sys.argv[1])):
    print("mine", flush=True)
    time.sleep(100)
"""


def test_a_second_grader_is_refused_until_the_first_is_done_or_dead(handed_in, tmp_path, capsys, instant):
    out = tmp_path / "out"
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, out], stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "mine\n"
    assert "another grader is at work" in refused((handed_in, "--out", out), capsys)
    holder.kill()
    holder.wait()
    holder.stdout.close()
    said, found = graded(Order(COURSE, handed_in, out))
    assert sorted(found) == ["ada", "bob", "cy"]
    with _class.locked(out):
        pass
    assert (out / "class.json").exists()


# -- whose marks ------------------------------------------------------------------------------------------------

MOODLE = """\
Identifier,Full name,Email address,Status,Grade,Maximum Grade
Participant 1,Ada Lovelace,ada@x.edu,Submitted,,100.00
Participant 2,Bob Bird,bob@x.edu,Submitted,,100.00
Participant 3,Cy Crow,cy@x.edu,Submitted,,100.00
"""


class Generous(Instant):
    """Gives everybody all points."""

    def results(self, jobs):
        for job, result in super().results(jobs):
            if job.submission.student == _selftest.STUDENT:
                yield job, result
                continue
            marks = [{**mark, "points": mark["out_of"]} for mark in result["marks"]]
            yield job, {**result, "marks": marks}


def test_strays_change_nobodys_grade_and_of_two_claims_none_is_entered(tmp_path, monkeypatch):
    monkeypatch.setattr(_class.workers, "local", lambda workers: Generous())
    blank = (ROOT / "notebooks" / f"{LESSON}.ipynb").read_bytes()
    folder, form = tmp_path / "in", tmp_path / "moodle.csv"
    folder.mkdir()
    form.write_text(MOODLE)
    for number, name in enumerate(("ada_lovelace_00", "bob_bird_00", "cy_crow_00", "Ada Lovelace")):
        (folder / f"{name}.ipynb").write_bytes(blank + b"\n" * number)
    (folder / "week 4.png").write_bytes(b"\x89PNG")
    (folder / "bob_bird_01.ipynb").write_bytes((ROOT / "notebooks" / "10_memory_layout.ipynb").read_bytes())
    order = Order(COURSE, folder, tmp_path / "out", moodle=form, roster=form)
    _, found = graded(order)
    grades = [row["Grade"] for row in csv.DictReader((order.out / "moodle.csv").read_text().splitlines())]
    assert grades == ["", "100", "100"]
    notes = (order.out / "moodle_notes.txt").read_text(encoding="utf-8")
    assert (
        "all match one person: Ada Lovelace (1 [Ada Lovelace.ipynb]), Ada Lovelace (1 [ada_lovelace_00.ipynb])" in notes
    )
    assert {result.points for result in found.values()} == {found["2"].out_of}
    page = (order.out / "class.html").read_text(encoding="utf-8")
    for words in (
        "2 hand-ins claim to be 1&#39;s",
        "week 4.png",
        "10_memory_layout was not asked for",
        "Graded, because",
    ):
        assert words in page
    assert json.loads((order.out / "class.json").read_text())["lessons"] == [LESSON]


# -- nobody stops a class ---------------------------------------------------------------------------------------


def stumbles_over_bob(self, submission, class_seed):
    if submission.student == "bob":
        raise MemoryError("too much")
    if submission.student == "eve":
        while True:
            pass
    return Result(**submission.identity(), status="graded")


def test_what_the_judge_stumbles_over_is_looked_at_by_hand(monkeypatch):
    monkeypatch.setattr(_worker.Grader, "prepare", lambda *_: None)
    monkeypatch.setattr(_worker.Grader, "grade", stumbles_over_bob)
    monkeypatch.setattr(_worker, "_judge", lambda job: _worker.Grader(COURSE, None))
    for name, status in (("ada", set()), ("bob", {"stumbled"})):
        job = _pool.Job(_class.Submission(name, name, LESSON, f"{name}.ipynb"), conditions())
        result = _class._result(job, _worker.work(job))
        assert statuses(result) == status
        assert not status or "MemoryError: too much" in result.remarks[-1]
    gone = _class.Submission("cy", "Cy", LESSON, "cy.ipynb", unreadable="The file kept changing.")
    result = _class._result(job, _worker.work(replace(job, submission=gone)))
    assert statuses(result) == {"stumbled"} and result.remarks == ("The file kept changing.",)


def spins(job):
    """A job that takes all the time it gets, in one call that nothing interrupts, if it is Bob's."""
    with bounded(1.0, 2**30):
        if job.submission.student == "bob":
            re.match(r"(a|a)*b", "a" * 60)
    return {"student": job.submission.student}


def test_a_job_that_takes_too_long_ends_its_worker_and_nobody_elses(monkeypatch):
    jobs = [
        _pool.Job(_class.Submission(name, name, LESSON, f"{name}.ipynb"), conditions()) for name in ("ada", "bob", "cy")
    ]
    monkeypatch.setattr(_pool, "work", spins)
    pool = _pool.local(2)
    found = {job.submission.student: outcome for job, outcome in pool.results(jobs)}
    pool.close()
    assert isinstance(found.pop("bob"), _pool.WorkersDied)
    assert found == {name: {"student": name} for name in ("ada", "cy")}


def test_where_the_core_counts_alone_practice_is_graded_and_left_out_of_every_report(handed_in, tmp_path, monkeypatch):
    order = Order(COURSE, handed_in, tmp_path / "out", workers=1)
    graded(order)
    first, *others = COURSE.exercises()[LESSON]
    monkeypatch.setattr(Course, "practice", lambda course: frozenset(others))
    said, found = graded(replace(order, core=True))
    assert "0 to be graded, 2 graded already, 1 unreadable, 0 missing." in said
    assert [mark.exercise for mark in found["ada"].marks] == [first, *others], "what is kept is everything"
    reports = {path.name: path.read_text(encoding="utf-8") for path in order.out.glob("*.*")}
    assert "Only the core exercises count here" in reports["class.html"]
    assert first in reports["grades.csv"] and not any(name in reports["grades.csv"] for name in others)
