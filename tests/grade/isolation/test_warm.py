"""What the warm parent has imported is there in each process, and what was renamed or forgotten stops the grader."""

import importlib.util
import time

import numpy as np
import pytest

from jaxcourse import probe
from jaxcourse.course import Course
from jaxcourse_grade.isolation import CannotStart, Forkserver, ProcessChannel, Terms, is_declared
from jaxcourse_grade.judging._course import own_modules


@pytest.fixture(scope="module")
def process():
    server = Forkserver()
    server.warm(own_modules(Course.installed()))
    found = server.fork(Terms(), time.monotonic() + 120)
    yield found
    found.end()
    server.close()


def said(process, source):
    """The message of the exception that a source raises."""
    return process.request("run", source=source, filename="cell", line=1)["raised"]["message"]


def test_a_module_that_a_question_needs_and_that_is_not_there_stops_the_grader(capfd):
    server = Forkserver()
    with pytest.raises(CannotStart):
        server.warm(needed=["jaxcourse.renamed"])
    server.close()
    assert "No module named 'jaxcourse.renamed'" in capfd.readouterr().err


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


X = np.linspace(0.0, 1.0, 5, dtype=np.float32)
CALLS = [(X,), (X + 1,), (X[:3].copy(),)]
ON_ONE = (probe.placing({"x": 1}, ["x"]), X)
SINES = "import jax, jax.numpy as jnp\n\ndef f(x):\n    y = jnp.asarray(x)\n    return jnp.sin(y) * y\n"
DRAWS = "import jax\n\ndef f(key):\n    return jax.random.normal(key) + jax.random.normal(key)\n"
CHANGES = "def f(x):\n    x += 1\n    return x\n"
HALVES = (
    "import jax\nfrom jax.experimental import pallas as pl\n\n"
    "def f(x):\n"
    "    def halve(x_ref, o_ref):\n"
    "        o_ref[...] = x_ref[...] / 2\n"
    "    spec = pl.BlockSpec((2,), lambda i: (i,))\n"
    "    return pl.pallas_call(halve, x, grid=(3,), in_specs=[spec], out_specs=spec, interpret=True)(x)\n"
)
ADDS = "def f(values):\n    total = 0\n    for value in values:\n        total = total + value\n    return total\n"
ASKED = {
    **{
        question: (SINES, (X,))
        for question in (probe.call, probe.on_jax_arrays, probe.under_jit, probe.result_type, probe.gives_jax)
    },
    **{question: (SINES, (X,)) for question in (probe.layout, probe.primitives, probe.program, probe.leaks)},
    **{question: (SINES, (CALLS,)) for question in (probe.traced, probe.with_and_without_jit)},
    **{question: (SINES + "f = jax.jit(f)\n", (CALLS,)) for question in (probe.compiled, probe.compiles)},
    **{question: (SINES, ON_ONE) for question in (probe.on_mesh, probe.held, probe.partitioned)},
    probe.called_on_mesh: (SINES, (ON_ONE[0], [(X,), (X + 1,)])),
    probe.spending: (SINES + "f = jax.jit(f)\n", (ON_ONE[0], [((5,), "float32")], [(X,), (X + 1,)])),
    **{question: (DRAWS, ()) for question in (probe.reuses_key, probe.key_uses)},
    **{question: (SINES, ()) for question in (probe.kind, probe.code_facts)},
    **{question: (HALVES, (X,)) for question in (probe.walk, probe.by_blocks)},
    probe.calls: (SINES, (["jnp.sin", "jnp.cos"], [(X,)])),
    probe.python_steps: (ADDS, ([([1.0] * 6,), ([1.0] * 12,)],)),
    probe.leaves_jax: ("import numpy\n\ndef f(x):\n    return numpy.sin(numpy.asarray(x))\n", (X,)),
    probe.itself: ("f = {'a': [1, 2.5]}", ()),
}


def test_every_question_of_ours_is_asked_below():
    assert set(ASKED) == {value for value in vars(probe).values() if callable(value) and is_declared(value)}


@pytest.mark.parametrize("question", ASKED, ids=lambda question: question.__name__)
def test_a_question_is_answered_in_another_process_as_in_this_one(process, question):
    source, args = ASKED[question]
    names = {}
    exec(source, names)
    process.request("run", source=source, filename="cell", line=1)
    here, there = probe.local_channel(names["f"])(question, *args), ProcessChannel(process, "f")(question, *args)
    assert not here.raised and not there.raised
    alike = probe.identical if question not in (probe.program, probe.partitioned) else agrees
    assert alike(here.value, there.value), (here.value, there.value)


def agrees(here, there):
    """Whether two compilations, of which one was quick, have the same results."""
    return here["results"] == there["results"] and here.keys() == there.keys()


def test_an_answer_in_another_process_is_seen_to_change_its_argument(process):
    process.request("run", source=CHANGES, filename="cell", line=1)
    assert ProcessChannel(process, "f")(probe.call, X.copy()).changed == (0,)


def test_an_answer_in_another_process_gets_views(process):
    process.request("run", source="def f(x):\n    return [*x.strides, x.flags.writeable]", filename="cell", line=1)
    channel = ProcessChannel(process, "f")
    assert probe.Answer("f", channel)(np.arange(6).reshape(2, 3)[::-1, ::2]) == [-24, 16, True]
