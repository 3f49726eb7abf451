"""Every question of ours gives the same account of a control in a student's process as it gives here."""

import time
import types

import numpy as np
import pytest

from jaxcourse import probe
from jaxcourse.course import Course
from jaxcourse.grade.isolation import Forkserver, ProcessChannel, Terms, is_declared
from jaxcourse.grade.judging import _evidence
from jaxcourse.grade.judging._course import own_modules

QUESTIONS = {
    name: value
    for name, value in vars(probe).items()
    if isinstance(value, types.FunctionType) and is_declared(value) and probe.declared(value).control
}


@pytest.fixture(scope="module")
def process():
    server = Forkserver()
    server.warm(own_modules(Course.installed()))
    found = server.fork(Terms(), time.monotonic() + 120)
    yield found
    found.end()
    server.close()


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_control_is_answered_there_as_here(process, name):
    question = QUESTIONS[name]
    channel = ProcessChannel(process, "answer")
    channel.asked.append(types.SimpleNamespace(question=question, args=(), value=None))
    assert list(_evidence._controls(channel)) == []


def test_an_answer_in_another_process_gets_views(process):
    process.request("run", source="def f(x):\n    return [*x.strides, x.flags.writeable]", filename="cell", line=1)
    channel = ProcessChannel(process, "f")
    assert probe.Answer("f", channel)(np.arange(6).reshape(2, 3)[::-1, ::2]) == [-24, 16, True]
