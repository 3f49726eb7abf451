"""What a process is told about compiling before JAX starts in it."""

import json
import os
import subprocess
import sys

import jax
import pytest

from jaxcourse.insides import QUICKLY, quick_flags

# Not asked of the code under test: a version that it took for a newer one would silence these tests as well.
of_a_known_jax = pytest.mark.skipif(jax.__version_info__ >= (0, 11), reason="a newer JAX is told nothing")

WORKER = """
from jaxcourse.course import Course
from jaxcourse_grade.isolation import Limits
from jaxcourse_grade.judging import fingerprint
from jaxcourse_grade.workers import _worker

course = Course.installed()
_worker._judge(_worker.Conditions(1, course, fingerprint(course), (), Limits()))
"""

SAY = "import os; print(os.environ.get('XLA_FLAGS', ''), float(jax.jit(jax.numpy.sin)(0.0)))"
START = "import jax; from jaxcourse.insides import compile_quickly; "


def said(code, flags=""):
    known = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}
    done = subprocess.run([sys.executable, "-c", START + code + SAY], env=known, capture_output=True, text=True)
    return done.stdout.split(), done.stderr


@of_a_known_jax
@pytest.mark.parametrize(
    ("before", "then"),
    [
        ("", QUICKLY),
        ("--xla_cpu_enable_fast_math=false", ("--xla_cpu_enable_fast_math=false", *QUICKLY)),
        (QUICKLY[0], QUICKLY),
        ("--xla_backend_optimization_level=1", quick_flags(1)),
    ],
)
def test_jax_takes_the_flags_and_what_was_set_stays(before, then):
    found, error = said("compile_quickly(); compile_quickly(); ", before)
    assert found == [*then, "0.0"], error


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


BLOCKS = """
import functools, json, threading
from jax._src import compiler
from jaxcourse.exercise import Exercise, judge
from jaxcourse.insides import as_ever, quickly
from jaxcourse.probe import local_channel

asked, real = [], compiler.get_compile_options

@functools.wraps(real)
def options(*args, **facts):
    asked.append((facts.get("env_options_overrides") or {}).get("xla_backend_optimization_level"))
    return real(*args, **facts)

def compiled(*, within, options=None):
    function = jax.jit(lambda x: x, compiler_options=options)
    asked.clear()
    within(lambda: function(1.0))
    return list(asked)

def inside(call):
    with quickly():
        call(), call()

def on_both_sides(call):
    inside(call), call(), inside(call), call()

def outside_first(call):
    call(), inside(call), call()

def read(call):
    with quickly(), as_ever():
        call()

def in_a_verdict(call):
    judge(Exercise("any", lambda answer, rng: call()), local_channel(1))

def in_another_thread(call):
    with quickly():
        one = threading.Thread(target=call)
        one.start(), one.join()

compiler.get_compile_options = options
before = quickly().__class__.__name__
jax.devices()
inside(lambda: None)
found = {
    "before JAX starts": before,
    "inside": compiled(within=inside),
    "on both sides": compiled(within=on_both_sides),
    "outside first": compiled(within=outside_first),
    "read": compiled(within=read),
    "a verdict": compiled(within=in_a_verdict),
    "another thread": compiled(within=in_another_thread),
    "own options": compiled(within=inside, options={"xla_backend_optimization_level": 1}),
}
print(json.dumps(found)); """


def test_a_block_compiles_quickly_and_leaves_nothing_outside_of_it():
    done, error = said(BLOCKS)
    assert not error
    assert json.loads(" ".join(done[:-1])) == {
        "before JAX starts": "nullcontext",
        "inside": [0],
        "on both sides": [0, None],
        "outside first": [None, 0],
        "read": [None],
        "a verdict": [0],
        "another thread": [None],
        "own options": [1],
    }


@of_a_known_jax
@pytest.mark.parametrize(("level", "one"), [(0, True), (1, False)])
def test_a_process_that_compiles_as_quickly_as_a_block_has_one_program_for_both_sides(level, one):
    found, error = said(
        "import jaxcourse.insides as i; jax.devices(); print(i.quickly().__class__.__name__); ",
        " ".join(quick_flags(level)),
    )
    assert (found[0] == "nullcontext") == one, error


WHOSE = "; from jax._src.interpreters import mlir; print(mlir.make_ir_context.__module__); "


@pytest.mark.parametrize(("asked", "reply"), [("; ", []), (WHOSE, ["jax._src.interpreters.mlir"])])
def test_a_version_that_may_not_know_what_is_changed_is_left_alone(asked, reply):
    newer = "import importlib.metadata; importlib.metadata.version = lambda name: '0.13.0'; "
    assert said(f"{newer}compile_quickly(){asked}")[0] == [*reply, "0.0"]


@of_a_known_jax
def test_a_worker_compiles_quickly():
    found, error = said(WORKER)
    assert found == [*QUICKLY, "0.0"], error
