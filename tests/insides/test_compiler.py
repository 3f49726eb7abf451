"""What a process is told about compiling before JAX starts in it."""

import os
import subprocess
import sys

import jax
import pytest

from jaxcourse.insides import QUICKLY

# Not asked of the code under test: a version that it took for a newer one would silence these tests as well.
of_a_known_jax = pytest.mark.skipif(jax.__version_info__ >= (0, 11), reason="a newer JAX is told nothing")

WORKER = """
from jaxcourse.course import Course
from jaxcourse_grade._records import Submission
from jaxcourse_grade.isolation import Limits
from jaxcourse_grade.judging import fingerprint
from jaxcourse_grade.workers import _worker

course = Course.installed()
_worker._judge(_worker.Job(Submission("ada", "Ada", "", ""), 1, course, fingerprint(course), (), Limits()))
"""

SAY = "import os; print(os.environ.get('XLA_FLAGS', ''), float(jax.jit(jax.numpy.sin)(0.0)))"
START = "import jax; from jaxcourse.insides import compile_quickly; "


def said(code, flags=""):
    known = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}
    done = subprocess.run([sys.executable, "-c", START + code + SAY], env=known, capture_output=True, text=True)
    return done.stdout.split(), done.stderr


@of_a_known_jax
@pytest.mark.parametrize("before", ["", "--xla_cpu_enable_fast_math=false", QUICKLY[0]])
def test_jax_takes_the_flags_and_what_was_set_stays(before):
    found, error = said("compile_quickly(); compile_quickly(); ", before)
    assert found == [*dict.fromkeys([*before.split(), *QUICKLY]), "0.0"], error


def test_a_process_in_which_jax_has_started_compiles_as_before():
    assert said("jax.devices(); compile_quickly(); ")[0] == ["0.0"]


CONTEXTS = """
from jax._src.interpreters import mlir
contexts = [mlir.make_ir_context() for _ in range(101)]
print(contexts[0] is contexts[99], contexts[99] is contexts[100])
"""


@of_a_known_jax
def test_functions_are_lowered_into_one_context_that_is_renewed():
    assert said(f"compile_quickly(); compile_quickly(){CONTEXTS}")[0] == ["True", "False", *QUICKLY, "0.0"]


def test_what_is_lowered_is_the_same():
    text = "f = lambda x: jax.vmap(jax.grad(lambda y: jax.numpy.sin(y) @ y))(x); x = jax.numpy.ones((3, 4)); "
    code = f"{text}before = jax.jit(f).lower(x).as_text(); jax.clear_caches(); compile_quickly(); "
    assert said(f"{code}print(jax.jit(f).lower(x).as_text() == before); ")[0] == ["True", "0.0"]


WHOSE = "; from jax._src.interpreters import mlir; print(mlir.make_ir_context.__module__); "


@pytest.mark.parametrize(("asked", "reply"), [("; ", []), (WHOSE, ["jax._src.interpreters.mlir"])])
def test_a_version_that_may_not_know_what_is_changed_is_left_alone(asked, reply):
    newer = "import importlib.metadata; importlib.metadata.version = lambda name: '0.13.0'; "
    assert said(f"{newer}compile_quickly(){asked}")[0] == [*reply, "0.0"]


@of_a_known_jax
def test_a_worker_compiles_quickly():
    found, error = said(WORKER)
    assert found == [*QUICKLY, "0.0"], error
