"""What answers to our questions stand on is watched, and what was renamed or forgotten stops the grader."""

import importlib.util
import subprocess
import sys
import time
import types

import numpy as np
import pytest

from jaxcourse import probe
from jaxcourse.course import Course
from jaxcourse.grade.isolation import CannotStart, Forkserver, ProcessChannel, Terms, _child, is_declared, modules_of
from jaxcourse.grade.judging._course import own_modules


@pytest.fixture(scope="module")
def server():
    found = Forkserver()
    found.warm(own_modules(Course.installed()))
    yield found
    found.close()


@pytest.fixture
def process(server):
    found = server.fork(Terms(), time.monotonic() + 60)
    yield found
    found.end()


def said(process, source):
    """The message of the exception that a source raises."""
    return process.request("run", source=source, filename="cell", line=1)["raised"]["message"]


def test_every_declared_question_is_watched_with_all_that_it_stands_on(server):
    functions = (value for value in vars(probe).values() if isinstance(value, types.FunctionType))
    questions = [value for value in functions if is_declared(value)]
    assert len(questions) > 10
    assert {name for question in questions for name in modules_of(question)} <= server.watched
    assert {"numpy", "jax", "jax.numpy", "jaxcourse.grade.isolation._wire", _child.__name__} <= server.watched


@pytest.mark.parametrize(
    "source",
    [
        "import jax\njax.make_jaxpr = print",
        "import jax.export\njax.export.export = print",
        "import jaxcourse.probe._programs as p\np.facts = print",
        "import jaxcourse.probe._question as q\nq.declared = print",
        "import jaxcourse.grade.isolation._wire as w\nw._text.__code__ = (lambda text: text).__code__",
        "import jaxcourse.grade.isolation._child as c\nc._Student.patched = print",
        "import sys\nsys.modules['jaxcourse.probe._questions'] = sys",
        "import sys\nsys.modules['numpy'] = sys",
    ],
)
def test_what_is_replaced_is_told(process, source):
    assert process.request("patched") == {"patched": []}
    process.request("run", source=source, filename="cell", line=1)
    assert process.request("patched")["patched"]


def own(student_function, x):
    return types.SimpleNamespace(x)


def test_a_question_that_stands_on_what_is_not_watched_is_not_asked(server, process):
    process.request("run", source="f = abs", filename="cell", line=1)
    with pytest.raises(LookupError, match="`own` rests on types, which is not watched"):
        server.watched -= {"types"}
        ProcessChannel(process, "f")(own, np.ones(3))


def test_a_module_to_watch_that_is_not_there_stops_the_grader(capfd):
    server = Forkserver()
    with pytest.raises(CannotStart):
        server.warm(watched=["jaxcourse.renamed"])
    server.close()
    assert "No module named 'jaxcourse.renamed'" in capfd.readouterr().err


@pytest.mark.parametrize("name", ["numpy.lib.format", "jax.monitoring"])
def test_a_module_that_was_renamed_elsewhere_stops_the_grader(name):
    """What is watched is listed as objects: without one of them the student's process does not start."""
    code = f"import jax, sys\nsys.modules[{name!r}] = None\nimport {_child.__name__}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode and f"import of {name} halted" in done.stderr


def test_what_lessons_import_of_ours_is_there_before_the_first_fork(process):
    names = own_modules(Course.installed())
    modules = {name for name in names if importlib.util.find_spec(name.rpartition(".")[0] or name) and is_module(name)}
    assert len(modules) > 3
    assert said(process, f"import sys\nraise ValueError({modules!r} - sys.modules.keys())") == "set()"


def is_module(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # what is above it is no package
        return False
