"""What a process is told about compiling before JAX starts in it."""

import os
import subprocess
import sys

import pytest

from jaxcourse._runtime import QUICKLY

WORKER = """
from jaxcourse.course import Course
from jaxcourse.grade._records import Submission
from jaxcourse.grade.isolation import Limits, _process
from jaxcourse.grade.judging import fingerprint
from jaxcourse.grade.workers import _worker

course = Course.installed()
_worker._judge(_worker.Job(Submission("ada", "Ada", "", ""), 1, course, fingerprint(course), (), Limits()))
print(_process._environment()["XLA_FLAGS"])
"""

SAY = "import os; print(os.environ.get('XLA_FLAGS', ''), float(jax.jit(jax.numpy.sin)(0.0)))"
START = "import jax; from jaxcourse._runtime import compile_quickly; "


def said(code, flags=""):
    known = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}
    done = subprocess.run([sys.executable, "-c", START + code + SAY], env=known, capture_output=True, text=True)
    return done.stdout.split(), done.stderr


@pytest.mark.parametrize("before", ["", "--xla_cpu_enable_fast_math=false", QUICKLY[0]])
def test_jax_takes_the_flags_and_what_was_set_stays(before):
    found, error = said("compile_quickly(); compile_quickly(); ", before)
    assert found == [*dict.fromkeys([*before.split(), *QUICKLY]), "0.0"], error


def test_a_process_in_which_jax_has_started_compiles_as_before():
    assert said("jax.devices(); compile_quickly(); ")[0] == ["0.0"]


def test_a_version_that_may_not_know_the_flags_is_left_alone():
    newer = "import importlib.metadata; importlib.metadata.version = lambda name: '0.13.0'; "
    assert said(f"{newer}compile_quickly(); ")[0] == ["0.0"]


def test_a_worker_compiles_quickly_and_so_do_its_students_processes():
    found, error = said(WORKER)
    assert found == [*QUICKLY, *QUICKLY, "0.0"], error
