"""The hostile set: each file gets the verdict that `hostile/expected.toml` states, and nobody else notices.

All files are one class, with honest students between them, which is graded once by the command that instructors use.
"""

import hashlib
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
import tomllib
import tracemalloc
from pathlib import Path

import numpy as np
import psutil
import pytest
from submissions import listed, notebook, predicted
from three_exercises import LESSON, three_exercises

from jaxcourse.course import Course
from jaxcourse_grade._records import Result
from jaxcourse_grade.isolation import PROTECTIONS, Forkserver, Terms, _forkserver, _wire, available

pytestmark = [
    pytest.mark.lessons("00_start_here", "12_from_numpy_to_jax"),
    pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is made of Linux' own means"),
    pytest.mark.xdist_group("hostile"),  # one worker grades the class, and the other does not wait for it
]

FOLDER = Path(__file__).with_name("hostile")
EXPECTED = tomllib.loads((FOLDER / "expected.toml").read_text(encoding="utf-8"))
if sys.version_info >= (3, 12):  # it has a limit of its own for calls within C, which nobody can take away
    EXPECTED["recurses"]["least-time"] = "error: RecursionError"
FILES = {path.stem: path for path in FOLDER.iterdir() if path.suffix != ".toml"}
START = "import sys; from jaxcourse.cli import main; sys.exit(main(sys.argv[1:]))"
LIMITS = ["--seconds", "13", "--piece-seconds", "2.5", "--memory", "500", "--workers", "2", "--seed", "7"]
"""Ten answers are busy until a piece's seconds are over. No honest one takes more than a tenth of these."""
HARD_LIMIT = 400
"""Seconds after which the grader itself is killed, if a protection has failed."""
SECRETS = {"canary": "the-canary-sings", "token": "hunter2"}
LACKING = {name: why for name, why in available().items() if why}


# -- files that are made here: git does not keep them, or they are large ---------------------------------------------


def has_large_outputs(folder):
    """A solved notebook with 50 MB of output."""
    book = json.loads(solved())
    cell = next(cell for cell in book["cells"] if cell["cell_type"] == "code")
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "A line that says nothing.\n" * 2_000_000}]
    (folder / f"{LESSON}.ipynb").write_text(json.dumps(book), encoding="utf-8")


def is_a_pipe(folder):
    """A pipe: who opens it waits for ever."""
    os.mkfifo(folder / f"{LESSON}.ipynb")


def is_a_link(folder):
    """A link to somebody else's notebook."""
    (folder / f"{LESSON}.ipynb").symlink_to(folder.parent / "ada" / f"{LESSON}.ipynb")


def is_a_folder(folder):
    """A folder in place of a notebook."""
    (folder / f"{LESSON}.ipynb").mkdir()


def is_a_loop_of_links(folder):
    """Two links that lead to each other, and one that leads to its own folder."""
    (folder / f"{LESSON}.ipynb").symlink_to("around.ipynb")
    (folder / "around.ipynb").symlink_to(f"{LESSON}.ipynb")
    (folder / "deeper").symlink_to(".")


MADE = {make.__name__: make for make in (has_large_outputs, is_a_pipe, is_a_link, is_a_loop_of_links, is_a_folder)}


# -- the class -------------------------------------------------------------------------------------------------------


def solved():
    return (three_exercises().root / "solutions" / f"{LESSON}.ipynb").read_text(encoding="utf-8")


def honest():
    """Notebooks of honest students by name, spread over the alphabet: solved, blank, and every listed wrong answer."""
    course = three_exercises()
    lesson = course.lesson(LESSON)
    answers = sorted([*listed(course.root, LESSON), *predicted(lesson)])
    wrong = [notebook(lesson, {answer.exercise: answer.source}) for answer in answers if answer.label]
    names = ["ada", "ben", "cem", "dora", "emil", "fay", "gus", "hana", "ivo", "jo", "kim", "lea", "max", "nia", "odo"]
    books = dict(zip(names, [solved(), notebook(lesson, {}), *wrong], strict=False))
    return books | {"Ada": wrong[1], "Żółć O'Brien <b>": solved(), "=1+1": wrong[0]}


def hand_in(folder, places):
    """Make the class's folder: every hostile file that this machine can stand, and every honest one."""
    for name, text in honest().items():
        (folder / name).mkdir(parents=True)
        (folder / name / f"{LESSON}.ipynb").write_text(text, encoding="utf-8")
    for name in EXPECTED:
        if not set(EXPECTED[name].get("needs", ())) & LACKING.keys():
            (folder / name).mkdir()
            MADE[name](folder / name) if name in MADE else copy(FILES[name], folder / name, places)


def copy(path, folder, places):
    """Hand in a file; a text gets the paths that it attacks."""
    data = path.read_bytes()
    for name, place in places.items() if path.suffix in (".percent", ".ipynb") else ():
        data = data.replace(name.encode(), str(place).encode())
    suffix = {".percent": ".py"}.get(path.suffix, path.suffix)
    (folder / f"{LESSON}{suffix}").write_bytes(data)


def state(folder):
    """Everything below a folder: what it is, and what is in it."""
    return {str(path.relative_to(folder)): content(path) for path in sorted(folder.rglob("*"))}


def content(path):
    mode = path.lstat().st_mode
    return hashlib.sha256(path.read_bytes()).hexdigest() if stat.S_ISREG(mode) else f"{mode:o}"


class Scene:
    """A class that has been graded, and what is left of it.

    Attributes:
        root: holds `in`, `out` and `canary`, and the grader's `cache` and `tmp`.
        notes: what was there before, what the grader said, its status, and which processes it left.
    """

    def __init__(self, root):
        self.root = root

    def grade(self):
        """Grade the class; note down what it was before, and who lives afterwards."""
        for name in ("canary", "cache", "tmp"):
            (self.root / name).mkdir(parents=True)
        (self.root / "canary" / "precious.txt").write_text(SECRETS["canary"])
        before = {name: state(self.root / name) for name in ("in", "canary")}
        course = ["--course", three_exercises().root]
        command = [sys.executable, "-c", START, *course, "grade", self.root / "in", "--out", self.root / "out", *LIMITS]
        places = {"XDG_CACHE_HOME": str(self.root / "cache"), "TMPDIR": str(self.root / "tmp")}
        grader = subprocess.Popen(
            [*command, "--unprotected"],
            env=os.environ | places | {"TOKEN": SECRETS["token"]},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            said, _ = grader.communicate(timeout=HARD_LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(grader.pid, signal.SIGKILL)
            said, _ = grader.communicate()
        self.notes = {"before": before, "left": self.alive(), "said": said, "status": grader.returncode}

    def alive(self):
        """The command lines of processes that still have the grader's environment, after some patience."""
        cache = str(self.root / "cache")
        for _ in range(50):
            found = [process for process in psutil.process_iter() if cache in environment(process)]
            if not found:
                break
            time.sleep(0.1)
        return [str(process) for process in found]

    @property
    def results(self):
        """The results by student."""
        files = sorted((self.root / "out" / "results").glob("*.json"))
        found = [Result.from_json(json.loads(path.read_text(encoding="utf-8"))) for path in files]
        assert len({result.student for result in found}) == len(found)
        return {result.student: result for result in found}


def environment(process):
    try:
        return process.environ().get("XDG_CACHE_HOME", "")
    except psutil.Error:
        return ""


@pytest.fixture(scope="module")
def scenes(tmp_path_factory):
    """The whole class, and the honest ones alone."""
    root = tmp_path_factory.mktemp("hostile")
    whole, alone = Scene(root / "whole"), Scene(root / "alone")
    hand_in(whole.root / "in", {"HOSTILE_CANARY": whole.root / "canary", "HOSTILE_CLASS": whole.root / "in"})
    for name, text in honest().items():
        (alone.root / "in" / name).mkdir(parents=True)
        (alone.root / "in" / name / f"{LESSON}.ipynb").write_text(text, encoding="utf-8")
    whole.grade()
    alone.grade()
    return whole, alone


@pytest.fixture
def whole(scenes):
    return scenes[0]


# -- what must happen ------------------------------------------------------------------------------------------------


def test_what_is_looked_for_in_the_course_is_there():
    """A file that looks for what has another name by now would be refused by no wall, and nobody would see it."""
    named = re.findall(r'"((?:solutions|exercises_tests)/[^"]+)"', FILES["reads_the_installed_course"].read_text())
    assert len(set(named)) == 2 and all((Course.installed().root / name).is_file() for name in named)


def test_the_table_names_every_file():
    assert EXPECTED.keys() == FILES.keys() | MADE.keys()
    assert len(FILES) == len(list(FOLDER.iterdir())) - 1
    assert len(EXPECTED) > 120
    known = {"file", "needs", "notes", *three_exercises().lesson(LESSON).exercises}
    assert {fact for stated in EXPECTED.values() for fact in stated} <= known
    assert {need for stated in EXPECTED.values() for need in stated.get("needs", ())} <= PROTECTIONS.keys()


def test_the_grader_comes_to_its_end(whole):
    assert whole.notes["status"] == 0, whole.notes["said"]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_hostile_file_gets_the_stated_verdict(whole, name):
    stated = EXPECTED[name]
    for protection in sorted(set(stated.get("needs", ())) & LACKING.keys()):
        pytest.skip(f"this machine has not the protection `{protection}`: {LACKING[protection]}")
    result = whole.results[name]
    if "file" in stated:
        status, words = stated["file"].split(": ")
        assert (result.status, result.points) == (status, 0)
        assert words in result.reason
        return
    wanted = {mark.exercise: stated.get(mark.exercise, "passed") for mark in result.marks}
    found = {mark.exercise: f"{mark.status}: {mark.label}" for mark in result.marks}
    assert {name: text if ": " in wanted[name] else text.partition(":")[0] for name, text in found.items()} == wanted
    assert result.points == sum(text == "passed" for text in wanted.values())
    told = "\n".join([*result.notes, *(note for mark in result.marks for note in mark.notes)])
    assert all(words in told for words in stated.get("notes", ()))


def test_every_other_grade_is_unchanged(scenes):
    whole, alone = (scene.results for scene in scenes)
    assert alone.keys() == honest().keys()
    facts = "status", "marks", "notes", "seed", "protections", "sha256"
    for name, result in alone.items():
        assert {fact: getattr(whole[name], fact) for fact in facts} == {fact: getattr(result, fact) for fact in facts}
    assert whole.keys() == alone.keys() | {name for name in EXPECTED if (scenes[0].root / "in" / name).exists()}
    assert {mark.status for result in alone.values() for mark in result.marks} == {"passed", "wrong", "not_attempted"}


def test_nothing_is_left_behind(whole):
    assert whole.notes["left"] == []
    assert list((whole.root / "tmp").iterdir()) == []
    assert {path.name for path in whole.root.iterdir()} == {"in", "out", "canary", "cache", "tmp"}


def test_nothing_of_anybody_elses_is_changed(whole):
    assert {name: state(whole.root / name) for name in ("in", "canary")} == whole.notes["before"]
    assert [path for path in (whole.root / "cache").rglob("*") if b"hostile" in path.name.encode()] == []


def test_no_secret_comes_out(whole):
    files = [path.read_bytes() for path in (whole.root / "out").rglob("*") if path.is_file()]
    assert any(b"takes_the_back_door" in data for data in files)
    assert [secret for secret in SECRETS.values() if any(secret.encode() in data for data in files)] == []


def test_no_page_runs_what_a_student_wrote(whole):
    pages = [path.read_text(encoding="utf-8") for path in (whole.root / "out").rglob("*.html")]
    assert any("&lt;script&gt;alert" in page for page in pages)
    assert [page for page in pages if "<script>alert" in page] == []


BUSY = """
import threading
def work():
    while True:
        pass
threading.Thread(target=work).start()
"""


def test_what_a_process_left_running_stands_still_between_two_questions():
    warm = Forkserver()
    process = warm.fork(Terms(protections=["orphans"]), time.monotonic() + 100)
    try:
        process.request("begin", modules=[])
        process.request("run", source=BUSY, filename="cell", line=1)
        until = time.monotonic() + 10
        while psutil.Process(process.number).status() != psutil.STATUS_STOPPED:
            assert time.monotonic() < until
            time.sleep(0.01)
        assert process.request("defined", variable="threading") == {"defined": True}
    finally:
        process.end()
        warm.close()


def test_a_fork_waits_until_there_are_process_numbers_again(monkeypatch):
    outcomes = [BlockingIOError(), BlockingIOError(), 4321]

    def fork():
        if isinstance(outcomes[0], BlockingIOError):
            raise outcomes.pop(0)
        return outcomes[0]

    monkeypatch.setattr(_forkserver.os, "fork", fork)
    assert _forkserver._fork() == 4321


COMPILING = """
import jax
seen = []
jax.monitoring.register_event_listener(lambda event, **_: seen.append(event))
jax.jit(lambda x: 3 * x + 1)(2.0)
raise ValueError("/jax/compilation_cache/cache_hits" in seen)
"""


@pytest.mark.skipif("files" in LACKING, reason="this machine has not the protection `files`")
def test_a_compiled_program_is_had_by_who_has_the_same_and_by_nobody_else(tmp_path):
    warm = Forkserver()
    filling = Terms(cache=str(tmp_path), fill=True)
    protected = Terms(cache=str(tmp_path), protections=PROTECTIONS.keys() - LACKING.keys())
    try:
        assert [told(warm, terms, COMPILING) for terms in (filling, protected)] == ["False", "True"]
        assert "Permission denied" in told(warm, protected, f"import os; os.listdir({str(tmp_path)!r})")
    finally:
        warm.close()


def test_text_costs_the_judge_no_object_for_each_character():
    data = _wire.pack(np.full(10**6, "\u4e00"))
    tracemalloc.start()
    try:
        arrived = _wire.unpack(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (arrived == "\u4e00").all()
    assert peak < 8 * len(data)


@pytest.mark.parametrize("order", "<>")
def test_a_number_that_is_no_character_is_no_text(order):
    most = _wire.pack(np.array([chr(sys.maxunicode)], f"{order}U1"))
    assert _wire.unpack(most) == chr(sys.maxunicode)
    with pytest.raises(_wire.WireError, match="not a character"):
        _wire.unpack(most[:-4] + np.array(sys.maxunicode + 1, f"{order}u4").tobytes())


@pytest.mark.skipif("limits" in LACKING, reason="this machine has not the protection `limits`")
def test_where_memory_is_short_a_student_goes_first():
    warm = Forkserver()
    try:
        asked = "raise ValueError(open('/proc/self/oom_score_adj').read())"
        assert told(warm, Terms(protections=["limits"]), asked) == "1000\n"
    finally:
        warm.close()


def told(warm, terms, source):
    """The message of the exception that a source raises in a process of its own."""
    process = warm.fork(terms, time.monotonic() + 100)
    try:
        return process.request("run", source=source, filename="cell", line=1)["raised"]["message"]
    finally:
        process.end()
