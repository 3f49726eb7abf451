"""Code that could reach what measures it is known by its names; no answer that the course lists has one of them."""

import json

import pytest
from submissions import listed

from jaxcourse.course import Course
from jaxcourse.grade.judging import _walls
from jaxcourse.grade.judging._reads import read
from jaxcourse.grade.slicing._statements import read as pieces_of

COURSE = Course.installed()

DOORS = {
    "a frame": "import sys\nsys._getframe(1).f_locals['counts'].clear()",
    "a frame under another name": "from sys import _getframe as g",
    "a frame by a computed name": "import sys\nf = getattr(sys, '_get' + 'frame')",
    "a frame by a named function": "import operator\nf = operator.attrgetter('f_' + 'back')",
    "a frame by a module's module": "import dataclasses\ndataclasses.sys._getframe(1)",
    "a frame by a pattern": "match x:\n    case object(f_back=y):\n        pass",
    "a frame of an exception": "try:\n    1 / 0\nexcept Exception as e:\n    f = e.__traceback__.tb_frame",
    "a frame of a generator": "g = (i for i in x)\ng.gi_frame",
    "getattr handed on": "look = getattr\nlook(sys, name)",
    "text that is run": "exec('import gc')",
    "text that is put together": "exec(''.join(parts))",
    "objects of the collector": "import gc\ngc.get_objects()",
    "the list of compilations": "from jaxcourse._runtime import compilations\ncompilations().clear()",
    "the same through a lesson's module": "import jaxcourse\njaxcourse.stages.compilations().clear()",
    "listeners": "import jax\njax.monitoring.clear_event_listeners()",
    "a module's function replaced": "import numpy as np\nnp.shares_memory = lambda *_: True",
    "the same by setattr": "import numpy as np\nsetattr(np, 'shares_memory', f)",
    "the same in a loop": "import jax\nfor jax.jit in [fake]:\n    pass",
    "the same by another name": "import jax\nm = jax\nm.jit = fake",
    "the same by an argument": "import jax\ndef put(m):\n    m.jit = fake\nput(jax)",
    "what is imported": "import sys\nsys.modules['jax'] = fake",
    "an innocent function behind it": "f.__wrapped__ = innocent",
    "a watched setting": "import jax\nif jax.config.jax_check_tracer_leaks:\n    pass",
    "classes": "().__class__.__mro__[1].__subclasses__()",
    "globals of a function": "f.__globals__['count'] = 1",
    "our checks": "from jaxcourse.exercise import judge",
    "our questions": "from jaxcourse import probe\nprobe.call = fake",
    "a finaliser": "class A:\n    def __del__(self):\n        pass",
    "memory": "import numpy as np\nnp.ctypeslib.ctypes.string_at(1)",
    "names of this module": "globals()[name] = 1",
    "an ordinary import that is not": "import importlib.metadata",
}
HARMLESS = {
    "attributes of its own": "class A:\n    def __init__(self):\n        self._x = 1\na = A()._x",
    "a counter": "def f(x):\n    f.count = f.count + 1\n    return x",
    "a name that stands there": "globals()['helper'](1)",
    "an attribute by its name": "y = getattr(x, 'T')",
    "a setting": "import jax\njax.config.update('jax_enable_x64', True)",
    "an address": "import numpy as np\nnp.zeros(3).ctypes.data",
    "variables called like modules": "signal = 1\ncode = signal\ntrace = code\ngc = 2\nmodules = [gc]",
    "where it runs": "import sys\n'google.colab' in sys.modules",
    "a pattern": "import re\nre.compile('x').match('y')",
    "a compiled program": "import jax\njax.jit(f).lower(1.0).compile().as_text()",
    "a tracer": "import jax\nisinstance(x, jax.core.Tracer)",
    "text that is run and stands there": "exec('y = 2')",
    "what is behind a decorator": "y = f.__wrapped__(x)",
    "a matrix's trace": "import numpy as np\nnp.trace(a)",
}


@pytest.mark.parametrize("name", DOORS)
def test_a_door_is_seen(name):
    assert read([DOORS[name]]).reaches


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_harmless_is_not_a_door(name):
    found = read([HARMLESS[name]])
    assert (found.reaches, found.unknown) == ((), ())


def test_what_is_not_known_is_said():
    assert read(["import zzz", "x._secret()"]).unknown == ("import zzz", "x._secret")
    assert read(["x._secret()", "class A:\n    def _secret(self):\n        pass"]).unknown == ()


def test_what_the_lesson_imports_is_there_for_it_alone():
    given = ["import threading", "import numpy as np"]
    assert read([*given, "np.ones(3)"], given) == read([])
    assert read([*given, "threading.Timer(1, f)"], given).reaches == ("threading.Timer",)
    assert read([*given, "np.sum = f"], given).reaches == ("np.sum",)


@pytest.mark.parametrize("path", COURSE.check_files(), ids=lambda path: path.stem)
def test_no_answer_of_the_course_has_a_door(path):
    """Neither the solutions nor any listed answer."""
    solved = COURSE.root / "solutions" / f"{path.stem.removeprefix('ex_')}.ipynb"
    cells = json.loads(solved.read_text(encoding="utf-8"))["cells"]
    solutions = ["".join(cell["source"]) for cell in cells if _walls._is_solution(cell)]
    sources = [piece.source for cell in solutions for piece in pieces_of(cell).pieces]
    answers = [answer.source for answer in listed(path)]
    assert {text for source in [*sources, *answers] for text in read([source]).reaches} == set()
