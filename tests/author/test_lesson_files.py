"""A file that a lesson reads: named in its front matter, beside its source, and beside the notebook of each reader."""

import importlib.util
import json
import shutil
from pathlib import Path

import pytest
from toy import MD, edit, toy

from jaxcourse import bring, cli
from jaxcourse.course import Course, digest_of
from jaxcourse_author.lesson import LessonError, notebooks
from jaxcourse_author.lesson._files import MOST
from jaxcourse_author.rules import Contract, run_nbval

__all__ = ["toy"]

RUNS = "k\n2\n"
READS = "import numpy as np\n\nfactor = np.loadtxt('runs.csv', skiprows=1)"


@pytest.fixture
def reading(toy):
    """The toy, whose set-up and whose solution read a file that lies beside the lesson."""
    (toy / "notebooks" / "runs.csv").write_text(RUNS, encoding="utf-8")
    edit(toy / MD, "after: double", "files: [runs.csv]\nafter: double")
    edit(toy / MD, "import numpy as np\n", f"{READS}\n")
    edit(toy / MD, "    return 2 * x", "    return np.loadtxt('runs.csv', skiprows=1) * x")
    notebooks.write(Course(toy))
    return toy


def bringing(root):
    """The lines of the notebook's first cell that lay files beside it; those above install the package."""
    cells = json.loads((root / "notebooks" / "01_toy.ipynb").read_text(encoding="utf-8"))["cells"]
    return "".join(cells[1]["source"]).partition("    )\n\n")[2]


@pytest.fixture
def session(reading, tmp_path_factory, monkeypatch):
    """Opens the notebook in a folder of its own, where this course is installed, and lays files beside it."""
    monkeypatch.chdir(tmp_path_factory.mktemp("colab"))
    monkeypatch.setenv("JAXCOURSE_COURSE", str(reading))
    code = bringing(reading)
    assert code == f'from jaxcourse import bring\n\nbring({{"runs.csv": "{digest_of(RUNS.encode())}"}})'
    return lambda: exec(code, {})


def here():
    """What lies beside the notebook."""
    return Path("runs.csv").read_text(encoding="utf-8") if Path("runs.csv").exists() else None


def test_the_first_cell_lays_it_beside_the_notebook_once(session, capsys):
    session()
    assert here() == RUNS and "runs.csv, which this lesson reads, lies beside" in capsys.readouterr().out
    session()
    assert not capsys.readouterr().out


def test_a_file_of_the_readers_own_stays_and_that_is_said(session, capsys):
    Path("runs.csv").write_text("mine\n", encoding="utf-8")
    session()
    assert here() == "mine\n" and "rename yours" in capsys.readouterr().out


@pytest.mark.parametrize(("content", "said"), [(None, "has none"), ("k\n3\n", "has another one")])
def test_what_another_edition_has_is_not_taken_for_it(session, reading, content, said):
    path = reading / "notebooks" / "runs.csv"
    path.unlink() if content is None else path.write_text(content, encoding="utf-8")
    with pytest.raises(FileNotFoundError, match=said) as error:
        session()
    assert here() is None and "Disconnect and delete runtime" in str(error.value)
    assert error.value._render_traceback_() == [str(error.value)]


def test_line_ends_of_windows_are_the_same_file(session, reading, capsys):
    (reading / "notebooks" / "runs.csv").write_bytes(RUNS.replace("\n", "\r\n").encode())
    session()
    assert here() is not None and "lies beside" in capsys.readouterr().out


def test_a_lesson_that_reads_nothing_brings_nothing(toy):
    assert "bring" not in (toy / "notebooks" / "01_toy.ipynb").read_text(encoding="utf-8")
    bring({})


def test_a_lesson_that_reads_it_is_proved_where_it_lies(reading, tmp_path_factory, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert cli.main(["--course", str(reading), "check", "--quick"]) == 0, capsys.readouterr().out
    (pair,) = Contract(reading).pairs
    assert pair.names["factor"] == 2


def test_the_whole_notebook_runs_and_finds_it(reading):
    assert not any(run_nbval(reading / "solutions" / "01_toy.ipynb", reading).values())
    assert (reading / "solutions" / "runs.csv").read_text(encoding="utf-8") == RUNS


BAD = [
    ("[lost.csv]", "names the file 'lost.csv', and there is none beside it: put it there"),
    ("[large.csv]", "bytes, and may have 1,000,000"),
    ("[data/runs.csv]", "write plain names of files beside it"),
    ("[../runs.csv]", "write plain names of files beside it"),
    ("[helper.py]", "end otherwise than in .ipynb, .md, .py"),
    ("runs.csv", "write plain names of files beside it, `[pendulum.csv]`"),
]


@pytest.mark.parametrize(("said", "why"), BAD, ids=[said for said, _ in BAD])
def test_what_no_reader_can_have_is_refused(reading, said, why, capsys):
    (reading / "notebooks" / "large.csv").write_bytes(b"1" * (MOST + 1))
    edit(reading / MD, "files: [runs.csv]", f"files: {said}")
    for command in (["notebooks"], ["check", "--quick"]):
        assert cli.main(["--course", str(reading), *command]) == 2
        assert why in capsys.readouterr().err
    with pytest.raises(LessonError, match="01_toy.md"):
        notebooks.generated_files(Course(reading))


def test_a_file_that_no_lesson_reads_is_refused(reading, capsys):
    (reading / "notebooks" / "other.csv").write_text("1\n")
    assert cli.main(["--course", str(reading), "check", "--quick"]) == 1
    said = capsys.readouterr().out
    assert "notebooks/other.csv: belongs to no lesson" in said and "`files: [NAME]`" in said


def test_a_file_of_a_lesson_that_is_not_taught_is_no_stray(reading, capsys):
    text = (reading / MD).read_text(encoding="utf-8").replace("runs.csv", "other.csv")
    (reading / "notebooks" / "09_more.md").write_text(text, encoding="utf-8")
    (reading / "notebooks" / "other.csv").write_text("1\n")
    assert cli.main(["--course", str(reading), "check", "--quick"]) == 0, capsys.readouterr().out


def test_another_content_makes_another_edition(reading):
    course = Course(reading)
    before = course.texts["01_toy"].edition
    assert course.texts["01_toy"].files == {"runs.csv": digest_of(RUNS.encode())}
    (reading / "notebooks" / "runs.csv").write_text("k\n2.0\n", encoding="utf-8")
    assert cli.main(["--course", str(reading), "notebooks", "--check"]) == 1
    notebooks.write(course)
    assert course.texts["01_toy"].edition != before


def test_the_hook_of_the_wheel_names_it(reading):
    pytest.importorskip("hatchling")
    ours = Path(__file__).parents[2]
    (reading / "src" / "jaxcourse").mkdir(parents=True)
    shutil.copy(ours / "src" / "jaxcourse" / "_edition.py", reading / "src" / "jaxcourse")
    spec = importlib.util.spec_from_file_location("hatch_build", ours / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    hook = module.PublishedCourse(str(reading), {}, None, None, str(reading), "wheel")
    for version in ("standard", "editable"):
        data = {"force_include": {}}
        hook.initialize(version, data)
        place = data["force_include"].get(str(reading / "notebooks" / "runs.csv"))
        assert place == ("jaxcourse/_course/notebooks/runs.csv" if version == "standard" else None)
