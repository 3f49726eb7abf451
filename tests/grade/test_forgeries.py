"""Every lesson's kind of fact, attacked: a wrong answer whose numbers are right, and a way to forge what it lacks.

Each attack is one of the ways to reach what a process says of itself. It is put around an answer that the course lists
as wrong, in each lesson that asks for such facts, and no point may come of it. Each lesson meets two of the attacks
here; with `--every-answer` each meets all of them.
"""

import itertools
import json
import sys

import pytest
from submissions import listed, notebook

from jaxcourse.course import Course
from jaxcourse.grade._records import Submission
from jaxcourse.grade.isolation import Terms, available
from jaxcourse.grade.judging import Judge, _evidence
from jaxcourse.grade.judging._course import code_cells
from jaxcourse.grade.judging._reads import Reading

LACKING = {name for name, why in available().items() if why}
pytestmark = pytest.mark.skipif(sys.platform != "linux" or "files" in LACKING, reason="this machine has no walls")
COURSE = Course.installed()

WRONG = {
    "madhava-pi": ("01_memory_layout", "sums_in_a_loop"),
    "pick-a-block": ("04_indexing", "lists_each_element"),
    "insulated-rod": ("06_from_numpy_to_jax", "updates_point_by_point"),
    "one-program": ("07_fusion", "jits_inside"),
    "hoist-the-jit": ("08_jit_stages", "jits_a_lambda"),
    "relax-ring": ("10_debugging_lab", "jits_in_the_loop"),
    "mind-the-axes": ("11_vmap", "goes_through_the_clusters"),
    "hessian-times-vector": ("12_autodiff", "makes_the_matrix"),
    "fresh-masks": ("14_training", "draws_and_folds"),
    "rows-over-all": ("15_sharding", "makes_copies"),
    "noise-of-ones-own": ("16_collectives", "draws_all_and_cuts"),
}
"""An exercise of each lesson, and a listed answer whose numbers are right."""

ATTACKS = {
    "takes the table of handlers": """
import sys

def guilty(f, innocent):
    frame = sys._getframe()
    while frame and "handlers" not in frame.f_locals:
        frame = frame.f_back
    handlers, student = frame.f_locals["handlers"], frame.f_locals["self"]
    ask = handlers["ask"]

    def forged(variable, question, **given):
        asks_for_values = question.get("name") in ("kind", "call", "itself", "on_jax_arrays", "under_jit", "on_mesh")
        if not asks_for_values and not variable.startswith("control"):
            student.names[variable] = innocent
        try:
            return ask(variable, question, **given)
        finally:
            student.names[variable] = f if not variable.startswith("control") else student.names[variable]

    handlers["ask"] = forged
    handlers["patched"] = lambda: {"patched": []}
    return f
""",
    "edits what the question counts": """
import sys

def guilty(f, innocent):
    def counted(*args, **kwargs):
        result, frame = f(*args, **kwargs), sys._getframe(1)
        while frame:
            for value in frame.f_locals.values():
                if type(value) is list and value and all(type(item) in (int, str) for item in value):
                    value.clear()
            frame = frame.f_back
        return result
    return counted
""",
    "clears the list of compilations": """
from jaxcourse._runtime import compilations

def guilty(f, innocent):
    def cleared(*args, **kwargs):
        result = f(*args, **kwargs)
        compilations().clear()
        return result
    return cleared
""",
    "patches what measures, and puts it back": """
import threading
from jaxcourse.probe import _work

def guilty(f, innocent):
    real = _work._lines
    def patching(*args, **kwargs):
        _work._lines = lambda function, args: (0, False)
        threading.Timer(0.1, setattr, (_work, "_lines", real)).start()
        return f(*args, **kwargs)
    return patching
""",
    "shows an innocent function behind it": """
def guilty(f, innocent):
    def covered(*args, **kwargs):
        return f(*args, **kwargs)
    covered.__wrapped__ = innocent
    return covered
""",
    "finds the frames by a name that it puts together": """
import sys

def guilty(f, innocent):
    frame = getattr(sys, "_get" + "frame")()
    while frame and "handlers" not in getattr(frame, "f_lo" + "cals"):
        frame = getattr(frame, "f_ba" + "ck")
    found = getattr(frame, "f_lo" + "cals")
    ask, student = found["handlers"]["ask"], found["self"]

    def forged(variable, question, **given):
        values = question.get("name") in ("kind", "call", "itself", "on_jax_arrays", "under_jit", "on_mesh")
        if not values and not variable.startswith("control"):
            student.names[variable] = innocent
        reply = ask(variable, question, **given)
        if not variable.startswith("control"):
            student.names[variable] = f
        return reply

    found["handlers"]["ask"] = forged
    return f
""",
    "is another function while it is traced": """
import jax

def guilty(f, innocent):
    def two_faced(*args, **kwargs):
        traced = any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves((args, kwargs)))
        return innocent(*args, **kwargs) if traced else f(*args, **kwargs)
    return two_faced
""",
    "reads the solution where the course is installed": """
import json, os, sys

def guilty(f, innocent):
    import jaxcourse
    places = [*sys.path, os.path.dirname(jaxcourse.__file__), *jaxcourse.__path__]
    for place in places:
        for inside in ("_course", "jaxcourse/_course", "../..", ".."):
            try:
                with open(os.path.join(place, inside, "solutions", STEM + ".ipynb")) as file:
                    cells = json.load(file)["cells"]
            except OSError:
                continue
            for cell in cells:
                if "def " + f.__name__ in "".join(cell["source"]):
                    names = {}
                    exec("".join(cell["source"]), globals(), names)
                    return names[f.__name__]
    return f
""",
}
INNOCENT = "lambda *args, **kwargs: args[-1] if args else None"


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    cache = tmp_path_factory.mktemp("programs")
    held = tuple(name for name, why in available().items() if not why)
    judge = Judge(COURSE, Terms(protections=held, cache=str(cache)))
    yield judge
    judge.close()


def marked(judge, exercise, source):
    """The mark of an answer that is handed in alone, without the cells that it does not need."""
    stem = WRONG[exercise][0]
    book = json.loads(notebook(COURSE.lesson(stem), {exercise: source}))
    needed = (cell for cell in book["cells"] if needs(cell, exercise))
    cells = tuple("".join(cell["source"]) for cell in needed)
    _, marks, _ = judge.marks(Submission("mallory", "Mallory", stem, "m.ipynb", cells=cells), (3, 4))
    (mark,) = (mark for mark in marks if mark.exercise == exercise)
    return mark


def needs(cell, exercise):
    """Whether a cell sets the lesson up or holds the answer to an exercise."""
    about = cell["metadata"].get("jaxcourse", {})
    answered = about.get("role"), about.get("exercise")
    return "setup" in cell["metadata"].get("tags", []) or answered == ("stub", exercise)


def forged(exercise, attack):
    stem, name = WRONG[exercise]
    (answer,) = (a for a in listed(COURSE.root / "exercises_tests" / f"ex_{stem}.py") if a.name == name)
    variable = exercise.replace("-", "_")
    lines = [f"STEM = {stem!r}", ATTACKS[attack], answer.source, f"{variable} = guilty({variable}, {INNOCENT})"]
    return "\n".join(lines)


def pytest_generate_tests(metafunc):
    if "attack" in metafunc.fixturenames:
        every = metafunc.config.getoption("every_answer")
        pairs = itertools.product(enumerate(WRONG), enumerate(ATTACKS))
        chosen = [(exercise, attack) for (i, exercise), (j, attack) in pairs if every or (i + j) % 4 == 0]
        metafunc.parametrize("exercise, attack", chosen)


def test_no_point_comes_of_a_forgery(judge, exercise, attack):
    mark = marked(judge, exercise, forged(exercise, attack))
    assert mark.status in ("wrong", "error", "needs_review", "crashed"), (mark.status, mark.evidence)
    assert mark.points == 0


@pytest.mark.parametrize("exercise", ["madhava-pi", "mind-the-axes"])
def test_some_would_succeed_if_nobody_read_the_code(judge, exercise, monkeypatch):
    """So the attacks are real."""
    monkeypatch.setattr(_evidence, "read", lambda *_: Reading())
    assert marked(judge, exercise, forged(exercise, "takes the table of handlers")).status == "passed"


@pytest.mark.parametrize("exercise", WRONG)
def test_the_solution_has_better_evidence_than_its_process_alone(judge, exercise):
    stem = WRONG[exercise][0]
    cells = code_cells(COURSE.root / "solutions" / f"{stem}.ipynb")
    (cell,) = (cell for cell in cells if cell.startswith(f"# exercise: {exercise}\n"))
    mark = marked(judge, exercise, cell)
    assert (mark.status, mark.points) == ("passed", mark.out_of), (mark.message, mark.notes)
    assert mark.evidence in ("values", "programs", "code")
