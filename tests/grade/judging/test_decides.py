"""A lesson is graded again when something that decides its marks has changed, and only then."""

import json
import re
import shutil
from pathlib import Path

import pytest

from jaxcourse.course import Course
from jaxcourse.paths import PACKAGE
from jaxcourse_grade.judging import _decides, decides, parts
from jaxcourse_grade.judging._decides import _meaning

ONE, OTHER = "00_start_here", "12_from_numpy_to_jax"


@pytest.fixture
def copied(tmp_path):
    """A copy of what the grader takes of the course: its checks, and what is generated."""
    here = Course.installed().root
    for folder in ("exercises_tests", "solutions"):
        shutil.copytree(here / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("_toc.yml", "_config.yml"):
        shutil.copy(here / name, tmp_path)
    shutil.copytree(here / "notebooks", tmp_path / "notebooks", ignore=shutil.ignore_patterns("*.ipynb"))
    return tmp_path


def changed(root, edit):
    """The lessons of two that an edit grades again."""
    before = {stem: decides(Course(root), stem) for stem in (ONE, OTHER)}
    edit()
    for cached in (decides, parts, _meaning):
        cached.cache_clear()
    course = Course(root)
    return {stem for stem in before if decides(course, stem) != before[stem]}


def edited(path, old, new):
    """An edit that puts some text in the place of another."""

    def edit():
        text = path.read_text(encoding="utf-8")
        assert old in text, path
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return edit


def rewritten(path, change):
    """An edit of a file of JSON."""

    def edit():
        data = json.loads(path.read_text(encoding="utf-8"))
        change(data)
        path.write_text(json.dumps(data), encoding="utf-8")

    return edit


def test_a_course_that_lies_elsewhere_decides_the_same(copied):
    assert decides(Course(copied), ONE) == decides(Course.installed(), ONE) != decides(Course.installed(), OTHER)


def test_a_check_decides_its_own_lesson(copied):
    check = copied / "exercises_tests" / ONE / "centre_columns.py"
    assert changed(copied, edited(check, "x.mean(", "1 * x.mean(")) == {ONE}


def test_a_comment_a_docstring_and_line_ends_decide_nothing(copied):
    check = copied / "exercises_tests" / ONE / "centre_columns.py"
    text = check.read_text(encoding="utf-8")
    docstring = re.match(r'"""(.*?)"""', text, re.DOTALL)[1]
    other = '"""Something else."""\n\n# a comment\n' + text[len(docstring) + 6 :].replace("\n", "\r\n")
    assert changed(copied, lambda: check.write_bytes(other.encode())) == set()


def test_what_a_check_says_of_a_mistake_decides(copied):
    check = copied / "exercises_tests" / ONE / "centre_columns.py"
    assert changed(copied, edited(check, "hint: ", "hint: Well, ")) == {ONE}


def test_a_new_check_decides_its_own_lesson(copied):
    new = copied / "exercises_tests" / OTHER / "_more.py"
    assert changed(copied, lambda: new.write_text("x = 1\n")) == {OTHER}


def prose(book):
    book["metadata"]["jaxcourse"]["edition"] = "another"
    for cell in book["cells"]:
        if cell["cell_type"] == "markdown" and "jaxcourse" not in cell["metadata"]:
            cell["source"] = ["Another sentence."]


def test_a_sentence_of_a_lesson_decides_nothing(copied):
    assert changed(copied, rewritten(copied / "solutions" / f"{OTHER}.ipynb", prose)) == set()

    def new_edition(texts):
        edition = texts[OTHER]["edition"]
        texts[OTHER]["edition"] = "0" * len(edition)
        notebook = copied / "solutions" / f"{OTHER}.ipynb"
        notebook.write_text(notebook.read_text(encoding="utf-8").replace(edition, "0" * len(edition)), encoding="utf-8")
        texts[OTHER]["reasons"] = dict.fromkeys(texts[OTHER]["reasons"], "Another reason.")

    assert changed(copied, rewritten(copied / "solutions" / "course.json", new_edition)) == set()


def test_code_of_a_lesson_decides_that_lesson(copied):
    def code(book):
        cell = next(cell for cell in book["cells"] if cell["metadata"].get("jaxcourse", {}).get("role") == "solution")
        cell["source"] = [*cell["source"], "\nx = 1"]

    assert changed(copied, rewritten(copied / "solutions" / f"{OTHER}.ipynb", code)) == {OTHER}


def test_what_judges_decides_every_lesson_and_what_shows_decides_those_that_show_it():
    files = {stem: _files(stem) for stem in (ONE, OTHER)}
    for stem in files:
        judges = {"exercise.py", "checks.py", "probe/_channel.py", "insides/_settings.py", "inputs.py", "__init__.py"}
        assert judges <= files[stem] and not {"cli.py", "frames/_step.py", "launch.py"} & files[stem]
    assert "bench/_sweep.py" in files[OTHER] - files[ONE]


def _files(stem):
    notebook = Course.installed().root / "solutions" / f"{stem}.ipynb"
    checks = (Course.installed().root / "exercises_tests" / stem).glob("*.py")
    return {path.relative_to(PACKAGE).as_posix() for path in _decides._reached_files(notebook, list(checks))}


def test_the_rooms_of_the_grader_that_judge_decide_and_those_that_tell_do_not():
    names = {path.relative_to(Path(_decides.__file__).parents[1]).as_posix() for path in _decides._grader_files()}
    assert {"judging/_grader.py", "slicing/_cells.py", "isolation/_child.py", "intake/_walk.py"} <= names
    assert not {name for name in names if name.startswith(("reports", "platforms", "commands"))}


def test_python_is_compared_by_what_it_means_and_other_files_byte_by_byte(tmp_path):
    def meaning(name, data):
        path = tmp_path / name
        path.write_bytes(data)
        _meaning.cache_clear()
        return _meaning(path)

    plain = meaning("a.py", b"def f(x):\n    return x\n")
    assert plain == meaning("a.py", b'"""Doc."""\n# why\ndef f( x ):\n    """Doc."""\n    return x')
    assert plain != meaning("a.py", b"def f(x):\n    return +x\n")
    assert meaning("a.csv", b"1 # a") != meaning("a.csv", b"1 # b")
