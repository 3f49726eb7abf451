"""From cells to a plan: what is run for each exercise, and what is said where nothing can be."""

import contextlib
import functools
import io
import json
import re
import sys
import warnings
from dataclasses import replace

import jax
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from submissions import code_cells, listed, notebook

from jaxcourse.course import Course, Lesson, asked_in
from jaxcourse.exercise import Exercise
from jaxcourse.grade.slicing import Plan, Target, Template, plan, template
from jaxcourse.grade.slicing._statements import read

SETUP = "import math\n\nscale = 10\n\n\ndef scaled(x):\n    return scale * x"
DEMO = "demo = 7\ntext = f'{demo}'"
TOY = Template(
    "01_toy",
    (SETUP,),
    (DEMO, "raise RuntimeError('a demonstration was run')"),
    {"answer": Target("answer", "The answer", 1.0), "other-one": Target("other_one", "Another", 1.0)},
)
BOOM = "raise RuntimeError('this was not needed')"


def run(pieces, names: dict) -> dict:
    """The namespace after some pieces were run in it."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for piece in pieces:
            exec(compile(piece.source, piece.filename, "exec", dont_inherit=True), names)
    return names


def names_of(planned: Plan, exercise: str = "answer") -> dict:
    """The namespace after a plan was run."""
    return run(planned.code(exercise), {"__name__": "lesson"})


def value(*cells: str) -> object:
    """What the answer is; called, if it is a function of nothing."""
    planned = plan(cells, TOY)
    assert "answer" not in planned.absent, planned.absent["answer"].message
    answer = names_of(planned)["answer"]
    return answer() if callable(answer) else answer


# -- which definition ---------------------------------------------------------------------------------------------

BINDINGS = {
    "assignment": ("answer = 5", 5),
    "several targets": ("a, (*rest, answer) = 1, (2, 3, 5)", 5),
    "annotated": ("answer: int = 5", 5),
    "function": ("def answer():\n    return 5", 5),
    "decorated": ("import functools\n@functools.cache\n@functools.wraps(print)\ndef answer():\n    return 5", 5),
    "lambda": ("answer = lambda: 5", 5),
    "class": ("class answer:\n    def __new__(cls): return 5", 5),
    "import": ("from math import tau as answer", __import__("math").tau),
    "loop": ("for answer in range(6):\n    pass", 5),
    "walrus": ("print([answer := 5])", 5),
    "walrus in a comprehension": ("[answer := n for n in range(6)]", 5),
    "with": ("import contextlib\nwith contextlib.nullcontext(5) as answer:\n    pass", 5),
    "try": ("try:\n    answer = 1 // 0\nexcept ZeroDivisionError as error:\n    answer = 5", 5),
    "match": ("match [4, 5]:\n    case [4, answer]:\n        pass", 5),
    "if": ("if scale > 3:\n    answer = 5\nelse:\n    answer = 6", 5),
    "beside others": ("a = 2; answer = a + 3; b = 1 / 0", 5),
    "text with odd letters before it": ("ä = 'é“'; answer = len(ä) + 3  # ü", 5),
}


@pytest.mark.parametrize("name", BINDINGS)
def test_every_way_to_bind_a_name_is_an_answer(name):
    cell, want = BINDINGS[name]
    assert value("def unused(): pass", cell, DEMO) == want


def test_the_last_definition_counts_and_the_others_are_noted():
    cells = ["answer = 1", "x = 1", "answer = 2", "answer = 5"]
    assert value(*cells) == 5
    assert plan(cells, TOY).notes["answer"] == ("`answer` is defined in code cells 1, 3, 4: the last one counts.",)
    assert plan(cells, TOY).cells == {"answer": 3}


STUBS = [
    'def answer():\n    """Return five."""\n    raise NotImplementedError("your turn")\n    return 6',
    "answer = ...",
    'answer = {"one": 5, "two": (1, ...)}',
]


@pytest.mark.parametrize("stub", STUBS)
def test_a_stub_counts_only_if_there_is_nothing_else(stub):
    assert value("answer = 5", stub) == 5
    assert value("answer = 5\n" + stub, "def other_one(): return answer") == 5
    planned = plan([stub], TOY)
    assert planned.code("answer")[-1].source == stub and planned.code("answer")[-1].blank
    assert not planned.notes["answer"]


def test_a_function_that_raises_at_its_end_is_no_stub():
    cell = "def answer(x=1):\n    if x: return 5\n    raise NotImplementedError"
    assert value(cell, "answer = ...") == 5


# -- what it needs ------------------------------------------------------------------------------------------------

NEEDS = {
    "a helper above": (["h = 2", "answer = h + 3"], 5),
    "a helper of a helper": (["a = 2", "def f(): return a", "def answer(): return f() + 3"], 5),
    "a default": (["h = 5", "def answer(x=h): return x"], 5),
    "a decorator": (["def twice(f): return lambda: 2 * f()", "@twice\ndef answer(): return 2.5"], 5),
    "a base class": (["class A:\n    k = 5", "class B(A): pass", "answer = B.k"], 5),
    "a name in a class body": (["h = 5", "class A:\n    k = h", "answer = A.k"], 5),
    "a comprehension": (["h = 2", "answer = sum(h for x in range(2)) + 1"], 5),
    "a lambda in a call": (["h = 2", "answer = list(map(lambda x: x + h, [3]))[0]"], 5),
    "a name in a format": (["h = 5", "answer = int(f'{h}')"], 5),
    "a nested function": (["h = 5", "def answer():\n    def inner():\n        return h\n    return inner()"], 5),
    "a counter": (["n = 4", "def answer():\n    global n\n    n += 1\n    return n"], 5),
    "an import": (["import operator as op", "def answer(): return op.add(2, 3)"], 5),
    "an import below": (["answer = op.add(2, 3)", "import operator as op"], 5),
    "an annotation": (["T = int", "def answer(x: T = 5) -> T: return x"], 5),
    "the latest above, not the first": (["h = 1", "h = 5", "answer = h", "h = 3"], 5),
    "below, if nothing is above": (["answer = h()", "k = 2", "def h(): return k + 3", "h = 1 / 0"], 5),
    "two below": (["answer = h + 1", "h = k + 1", "k = 3"], 5),
    "a helper in the same cell below": (["def answer(): return h()\n\ndef h(): return 5"], 5),
    "a parameter is no name": (["x = 1 / 0", "def answer(x=5): return x"], 5),
    "a local is no name": (["x = 1 / 0", "def answer():\n    x = 5\n    return x"], 5),
    "a comprehension's own name": (["x = 1 / 0", "answer = [x for x in [5]][0]"], 5),
    "a built-in stays one": (["answer = sum([2, 3])", "sum = 1 / 0"], 5),
    "a demonstration": ([DEMO, "answer = demo - 2"], 5),
    "the set-up": (["answer = scaled(0.5)"], 5),
    "mutual recursion": (["def even(n): return n == 0 or odd(n - 1)", "def odd(n): return n and even(n - 1)",
                          "answer = 5 * even(4)"], 5),
    "what a branch may define": (["h = 2", "if scale == 1:\n    h = 3", "answer = h + 3"], 5),
    "what a loop may define": (["h = 0", "for i in range(5):\n    h = h + 1", "answer = h"], 5),
    "what the caught name leaves": (["e = 5", "try:\n    1 / 0\nexcept ZeroDivisionError as e: pass", "answer = 5"], 5),
    "everything of a module": (["from operator import *", "answer = add(2, 3)"], 5),
    "a built-in that everything hides": (["from operator import *", "answer = pow(5, 1) + abs(0)"], 5),
}  # fmt: skip


@pytest.mark.parametrize("name", NEEDS)
def test_what_an_answer_needs_comes_with_it(name):
    cells, want = NEEDS[name]
    assert value(*cells) == want


CHANGES = {
    "an item": (["x = [0, 0]", "x[0] = 5", "answer = x[0]"], 5),
    "an item of an attribute": (["class x: a = [0]", "x.a[0] = 5", "answer = x.a[0]"], 5),
    "an attribute": (["def f(): pass", "f.k = 5", "answer = f.k"], 5),
    "an addition": (["x = 2", "x += 3", "answer = x"], 5),
    "an addition to an item": (["x = [2]", "x[0] += 3", "answer = x[0]"], 5),
    "a deletion": (["x = {'a': 5, 'b': 1}", "del x['b']", "answer = sum(x.values())"], 5),
    "a method": (["x = []", "x.append(5)", "answer = x[0]"], 5),
    "a method with a result": (["x = [5, 1]", "last = x.pop()", "answer = sum(x)"], 5),
    "a method of an item": (["x = {}", "x.setdefault('a', []).append(5)", "answer = x['a'][0]"], 5),
    "any method whose result is dropped": (["import random", "x = random.Random(1)", "x.random()", "answer = x"], None),
    "in a loop": (["x = [0] * 5", "for i in range(5):\n    x[i] = 1", "answer = sum(x)"], 5),
    "by a function": (["x = []", "def fill(y): y.append(5)", "fill(x)", "answer = x[0]"], 5),
    "by a function of a module": (["import heapq", "x = [7, 5]", "heapq.heapify(x)", "answer = x[0]"], 5),
    "by a built-in": (["x = iter([4, 5])", "next(x)", "answer = next(x)"], 5),
    "by setattr": (["class x: pass", "setattr(x, 'a', 5)", "answer = x.a"], 5),
    "a registration": (["import functools\n@functools.singledispatch\ndef f(x): return 0",
                        "@f.register\ndef _(x: int): return 5", "answer = f(1)"], 5),
    "the answer, below": (["answer = [1, 2]", "check('answer')", "answer[0] = 3", "answer = answer"], [3, 2]),
    "the answer, by an item": (["answer = {'a': 1}", "check('answer')", "answer['b'] = 4"], {"a": 1, "b": 4}),
    "the answer, by an addition": (["answer = 2", "answer += 3"], 5),
    "the set-up's": (["scale = 3", "scale += 2", "answer = scaled(1)"], 5),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_a_needed_object_comes_too(name):
    cells, want = CHANGES[name]
    if want is None:
        want = names_of(plan(["import random\nx = random.Random(1)\nx.random()\nanswer = x"], TOY))["answer"].random()
        assert names_of(plan(cells, TOY))["answer"].random() == want
    else:
        assert value(*cells) == want


NOT_RUN = {
    "tests below the answer": ["answer = 5\n" + BOOM, "assert answer == 6", "for i in range(3):\n    1 / 0"],
    "demonstrations": [DEMO, "raise RuntimeError('a demonstration was run')", "answer = 5"],
    "changes below the use": ["x = [5]", "answer = x[0]", "check('answer')", "x[0] = 1 / 0"],
    "a definition that was replaced": ["h = 1 / 0", "h = 5", "answer = h"],
    "an answer that was replaced": ["answer = 1 / 0", "answer = 5"],
    "redefinitions below the use": ["x = [5]", "answer = x[0]", "x = 1 / 0", "check('answer')"],
    "redefinitions below the check": ["def h(): return 5", "def answer(): return h()", "check('answer')", "h = 1 / 0"],
    "what only shows": ["h = [5]", "import matplotlib.pyplot as plt\nplt.plot(h, 1 / 0)", "answer = h[0]"],
    "calls of a module": ["import math as m", "m.sqrt(1 / 0)", "m.update(1 / 0)", "answer = int(m.sqrt(25))"],
    "calls with a function": ["def h(): return 5", "def test(f): " + BOOM, "test(h)", "h()", "answer = h()"],
    "a cell with other answers": ["other_one = 1 / 0\nanswer = 5"],
    "the set-up again": [SETUP, "answer = scale / 2"],
    "exit": ["import sys\nanswer = 5\nsys.exit(1)"],
    "an import of all below a definition": ["h = 5", "from no_such_module import *", "def answer(): return 5"],
}


@pytest.mark.parametrize("name", NOT_RUN)
def test_what_an_answer_does_not_need_is_not_run(name):
    assert value(*NOT_RUN[name]) == 5


def test_a_function_sees_what_the_notebook_held_where_it_was_checked():
    above, below = "def h(): return 4", "def h(): return 5"
    assert value(above, "def answer(): return h()", below, "check('answer')", "def h(): return 6") == 5
    assert value(above, "def answer(): return h()", "if True:\n    check('answer')", below) == 4
    assert value(above, "def answer(): return h()", below) == 4
    assert value(above + "\ndef answer(): return h()\n" + below) == 5


def test_two_exercises_may_use_one_name():
    cells = ["k = 1", "def answer(): return k", "k = 2", "def other_one(): return k"]
    planned = plan(cells, TOY)
    assert names_of(planned)["answer"]() == 1 and names_of(planned, "other-one")["other_one"]() == 2
    assert len(planned.pieces) == planned.setup + 4


def test_the_set_up_is_ours_and_comes_first_and_once():
    planned = plan([SETUP + "  ", "answer = scaled(scale)"], TOY)
    sources = [piece.source for piece in planned.code("answer")]
    assert sources[:2] == ["import math", "scale = 10"] and sources.count("scale = 10") == 1
    assert [piece.filename for piece in planned.pieces] == ["setup"] * 3 + ["cell 2"]


def test_a_set_up_that_was_changed_is_the_students_own():
    assert value(SETUP.replace("10", "5"), "answer = scaled(1)") == 5
    assert value("scale = 3", SETUP, "answer = scaled(1)") == 10


SETTINGS = [
    "import jax\njax.config.update('jax_enable_x64', True)",
    "from jax import config\nconfig.update('jax_enable_x64', True)",
    "import numpy as np; np.seterr(all='raise')",
    "import os\nos.environ['KEY'] = '1'",
    "import warnings\nwarnings.simplefilter('ignore')",
]


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings_come_with_what_is_taken_from_their_cell(setting):
    def sources(*cells):
        return "\n".join(piece.source for piece in plan(cells, TOY).code("answer"))

    last = read(setting).pieces[-1].source
    assert last in sources(setting + "\nanswer = 5")
    assert last in sources("answer = 5\n" + setting)
    assert last in sources(setting + "\nh = 5", "answer = h")
    assert last not in sources(setting, "answer = 5")


def test_settings_of_a_demonstration_stay_there():
    shown = "import jax\njax.config.update('jax_enable_x64', True)\nh = 5"
    toy = Template("01_toy", (), (shown,), {"answer": Target("answer", "", 1.0)})
    assert [piece.source for piece in plan([shown, "answer = h"], toy).code("answer")] == ["h = 5", "answer = h"]


# -- text that is no plain Python -----------------------------------------------------------------------------------

TEXTS = {
    "line magics": ("%matplotlib inline\n%timeit 1 / 0\nanswer = 5", "`%matplotlib inline`, `%timeit 1 / 0`"),
    "shell lines": ("!ls -l\n!!ls\nfiles = !ls\nanswer = 5", "`!ls -l`"),
    "help": ("answer = 5\nanswer?\nprint??", "`%pinfo answer`, `%pinfo2 print`"),
    "magic that gives a value": ("t = %timeit -o 1 / 0\nanswer = 5", "`%timeit -o 1 / 0`"),
    "magic in a block": ("if True:\n    %pip install x\n    answer = 5\nelse:\n    !ls", "`%pip install x`, `!ls`"),
    "time of a line": ("%time answer = 5", None),
    "time of a cell": ("\n  \n%%time\n\nanswer = 5", "`%%time`"),
    "two cell magics": ("%%time\n%%capture out\nanswer = 5", "`%%time`, `%%capture out`"),
    "other cell magics that run it": ("%%timeit -n 3\nh = 2\nanswer = h + 3", "`%%timeit -n 3`"),
    "a call of IPython": ("get_ipython().run_line_magic('x', 'y')\nanswer = 5", "`%x y`"),
    "another call of IPython": ("get_ipython().set_next_input('x')\nanswer = 5", "`set_next_input x`"),
    "indented": ("    h = 2\n    answer = h + 3", None),
    "prompts": (">>> h = 2\n>>> def answer():\n...     return h + 3", None),
    "prompts of IPython": ("In [1]: h = 2\n\nIn [2]: answer = h + 3", None),
    "tabs": ("def answer():\n\tif True:\n\t\treturn 5", None),
    "line ends of Windows": ("h = 2\r\ndef answer():\r\n    return h + 3\r\n", None),
    "line ends of old": ("h = 2\ranswer = h + 3", None),
    "byte order mark": ("\ufeffanswer = 5", None),
    "form feed": ("h = 2\n\x0c\nanswer = h + 3", None),
    "other line separators": ("h = '\u2028\x0b\x85'\ndef answer():\n    return len(h) + 2", None),
    "an operator that begins a line": ("answer = (17\n% 12)", None),
    "a magic in a text": ("h = '''\n%matplotlib inline\n'''\n%pylab\nanswer = len(h) - 15", "`%pylab`"),
    "an escape that is none": ("answer = len('\\d') + 3", None),
    "verbs": ("check('answer')\nanswer = 5\nhint('answer'); solution('answer')", None),
    "verbs in blocks": ("for n in ['answer']:\n    check(n)\nif True:\n    answer = 5\n    check('answer')", None),
    "verbs by module": ("import jaxcourse\nanswer = 5\njaxcourse.check('answer')", None),
    "only a verb in a block": ("try:\n    check('answer')\nfinally:\n    hint('answer')\nanswer = 5", None),
}


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_no_plain_python_is_taken_out(name):
    cell, left_out = TEXTS[name]
    planned = plan([cell], TOY)
    assert value(cell) == 5
    assert all("get_ipython" not in piece.source and "check" not in piece.source for piece in planned.pieces)
    if left_out is None:
        assert not planned.remarks
    else:
        (remark,) = planned.remarks
        assert remark.startswith(f"Left out of code cell 1: {left_out}")


def test_output_of_the_shell_is_taken_out_where_ipython_does_not_see_it(monkeypatch):
    """So it is with IPython 7 on Python 3.12."""
    monkeypatch.setattr("IPython.core.inputtransformer2.TransformerManager.transform_cell", lambda self, text: text)
    assert value("if True:\n    files = !ls -l\n    answer = 5") == 5
    assert plan(["files = !ls -l"], TOY).remarks == ("Left out of code cell 1: `!ls -l`.",)


@pytest.mark.parametrize("magic", ["bash", "html", "writefile answer.py", "javascript", "script python", "", "python3"])
def test_cells_in_other_languages_are_dropped(magic):
    planned = plan([f"%%{magic}\nanswer = 5"], TOY)
    assert planned.absent["answer"].status == "missing" and not planned.needs
    assert planned.remarks == (f"Left out of code cell 1: `%%{magic}`.",)


def test_our_own_magics_are_not_remarked():
    ours = 'import sys\n\nif "google.colab" in sys.modules:\n    %pip install jaxcourse'
    toy = Template("01_toy", (), (ours,), {"answer": Target("answer", "", 1.0)})
    planned = plan([ours + " \n", "answer = sys"], toy)
    assert names_of(planned)["answer"].__name__ == "sys" and not planned.remarks
    assert plan([ours + "\n!ls"], toy).remarks


def test_annotations_stay_unread_below_the_future_import():
    future = "from __future__ import annotations"
    assert value(future, "def answer(x: NoSuchName = 5): return x") == 5
    assert value(future + "\nclass A:\n    k: NoSuchName = 5\nanswer = A.k") == 5
    if sys.version_info < (3, 14):  # from then on annotations are read when somebody asks for them
        with pytest.raises(NameError):
            value("def answer(x: NoSuchName = 5): return x\n", future)


def test_lines_are_those_of_the_cell():
    cell = "\n%%time\n# a comment\nh = 1; k = 2\n\n@staticmethod\n@staticmethod\ndef answer():\n    return h + k"
    pieces = plan([cell], TOY).code("answer")[3:]
    assert [(piece.line, piece.cell, piece.filename) for piece in pieces] == [(4, 0, "cell 1")] * 2 + [(6, 0, "cell 1")]
    (piece,) = read("\n\n%matplotlib inline\nx = 1").pieces[-1:]
    assert piece.line == 4


# -- what cannot be run -------------------------------------------------------------------------------------------

BROKEN = {
    "a bracket": ("def answer(:\n    return 5", "Code cell 1 cannot be read: line 1: `def answer(:` (invalid syntax)."),
    "never closed": ("x = 1\nanswer = (1,\n", "line 2: `answer = (1,` ('(' was never closed)"),
    "smart quotes": ("answer = “5”", "(invalid character '“' (U+201C); it was pasted from formatted text"),
    "a no-break space": ("answer =\u00a05", "`answer =<U+00A0>5` (invalid non-printable character U+00A0; it was"),
    "indentation": ("def answer():\nreturn 5", "line 2: `return 5` (expected an indented block"),
    "tabs and spaces": ("def answer():\n        x = 5\n\treturn x", "inconsistent use of tabs"),
    "a return outside": ("answer = 5\nreturn answer", "line 2: `return answer` ('return' outside function)"),
    "NUL": ("answer = 5\x00", "null byte"),
    "half a surrogate": ("answer = '\ud800'", "it has characters that are not text"),
    "nested brackets": ("answer = " + "(" * 300 + ")" * 300, "too many nested parentheses"),
    "a long sum": ("answer = 1" + " + 1" * 50_000, "nested too deeply"),
    "many minuses": ("answer = " + "-" * 50_000 + "1", "nested too deeply"),
    "a marker only": ("# exercise: answer\n5 +", "line 2: `5 +` (invalid syntax)"),
    "magics all over a long cell": ("answer = 5  # " + "x" * 30_000 + "\n!ls" * 100, "line 2: `!ls` (invalid syntax)"),
    "blanks, and a magic": ("answer = 5" + " " * 3_000 + "\n!ls", "line 2: `!ls` (invalid syntax)"),  # quadratic time
    "magic besides": ("%pylab\ndef answer(:", "`def answer(:` (invalid syntax)"),
    "backticks": ("answer = `5`", "line 1: `answer = '5'`"),
    "a long line": ("answer = ) + " + "x" * 200, "xxx...` (unmatched ')')"),
    "too long": ("answer = '" + "x" * 600_000 + "'", "up to here, there is more code than anybody writes"),
    "too much": ("answer = 5\n" * 20_001, "it has more than 20,000 statements"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_cell_that_is_no_python_spoils_its_exercise_only(name):
    cell, said = BROKEN[name]
    for others in (["other_one = 6"], ["def answer():\n    raise NotImplementedError", "other_one = 6"]):
        planned = plan([cell, *others], TOY) if "more" not in said else plan([*others, cell], TOY)
        mark = planned.absent["answer"]
        assert (mark.status, mark.label) == ("error", "SyntaxError")
        assert said in mark.message and mark.message.count("`") in (0, 2) and len(mark.message) < 300
        assert list(planned.needs) == ["other-one"] and not planned.remarks
        assert names_of(planned, "other-one")["other_one"] == 6


NEWER = {
    "a type statement": ((3, 12), "type Table = dict\nanswer = 5", "line 1: a `type` statement needs Python 3.12"),
    "type parameters": ((3, 12), "answer = 5\ndef f[T](x: T) -> T:\n    return x", "line 2: a type parameter needs"),
    "a class with parameters": ((3, 12), "class A[T]:\n    x = 1\nanswer = 5", "a type parameter needs Python 3.12"),
    "a default": ((3, 13), "answer = 5\nclass A[T = int]:\n    pass", "a type parameter with a default needs"),
    "quotes": ((3, 12), "k = {'a': 5}\nanswer = 5\nt = f'{k['a']}'", "line 3: an f-string with its own quotes"),
    "a backslash": ((3, 12), "answer = 5\nt = f'{chr(10).join(k) + '\\n'}'", "an f-string with its own quotes"),
    "except": ((3, 14), "answer = 5\ntry:\n    1\nexcept A, B:\n    2", "`except` with several exceptions"),
    "a template": ((3, 14), "answer = 5\nt = t'{answer}'", "a template string needs Python 3.14"),
}


@pytest.mark.parametrize("name", NEWER)
def test_syntax_that_is_newer_than_the_graders_python_is_named(name):
    version, cell, said = NEWER[name]
    if sys.version_info >= version:
        assert value(cell) == 5
        return
    assert said in plan([cell], TOY).absent["answer"].message
    assert "the grader has 3." in plan([cell], TOY).absent["answer"].message


def test_syntax_that_is_no_pythons_is_not_called_newer():
    for cell in ("answer = f'{'", "answer = f'{x!}'", "def answer(:\n    pass", "except = 5; answer = 5", "t = 't' 5"):
        assert "the grader has" not in "".join(plan([cell, "# exercise: answer\n("], TOY).absent["answer"].message)


def test_a_broken_cell_beside_a_good_answer_is_a_note():
    planned = plan(["answer = 5", "answer = (5"], TOY)
    assert names_of(planned)["answer"] == 5
    assert planned.notes["answer"] == (
        "A definition of `answer` is lost. Code cell 2 cannot be read: line 1: `answer = (5` ('(' was never closed).",
    )


def test_a_broken_cell_with_a_helper_is_noted_where_the_helper_is_needed():
    planned = plan(["def helper(x:\n    pass", "def answer(): return helper(5)", "other_one = 6"], TOY)
    assert "A definition of `helper` is lost." in planned.notes["answer"][0] and not planned.notes["other-one"]
    assert planned.remarks[0].startswith("Code cell 1 cannot be read")


MISSING = {
    "nothing": ([], "There is no `answer` in the notebook. Define it at the top level of a code cell"),
    "another name": (["def anwser(): pass", DEMO], "You have `anwser`: did you mean that?"),
    "below a function": (["def f():\n    answer = 5"], "at the top level"),
    "in a class": (["class A:\n    answer = 5"], "at the top level"),
    "only added to": (["answer += 5"], "There is no `answer`"),
    "by exec": (["exec('answer = 5')", "x = 1"], "not through `exec` or `globals()`"),
    "by globals": (["globals()['answer'] = 5"], "not through `exec` or `globals()`"),
    "everything imported": (["from operator import *"], "There is no `answer`"),
    "a bare annotation": (["answer: int"], "There is no `answer`"),
    "used only": (["print(answer)\nanswer[0] = 5\nanswer.x = 5\ndel answer"], "There is no `answer`"),
    "a comprehension's own": (["[answer for answer in [5]]"], "There is no `answer`"),
    "a caught error": (["try: 1 / 0\nexcept ZeroDivisionError as answer: pass"], "There is no `answer`"),
}


@pytest.mark.parametrize("name", MISSING)
def test_an_answer_that_is_not_defined_is_missing(name):
    cells, said = MISSING[name]
    mark = plan(cells, TOY).absent["answer"]
    assert (mark.status, mark.label) == ("missing", "missing-name") and said in mark.message


def test_the_nearest_name_is_the_students_own():
    toy = Template("01_toy", ("answers = 1",), ("answer_ = 1",), {"answer": Target("answer", "", 1.0)})
    assert "did you mean" not in plan(["answers = 1", "answer_ = 1", "_answer = 1"], toy).absent["answer"].message


def test_await_at_the_top_level_loses_one_statement():
    planned = plan(["import asyncio\nawait asyncio.sleep(1)\nanswer = 5", "x = 1\nother_one = await x"], TOY)
    assert names_of(planned)["answer"] == 5
    assert planned.absent["other-one"].label == "SyntaxError"
    assert "Line 2 of code cell 2 uses `await` outside a function" in planned.absent["other-one"].message
    assert [remark.partition(":")[2] for remark in planned.remarks] == [
        " line 2, which uses `await` outside a function."
    ] * 2
    assert value("async def f(): return 5", "def answer():\n    try: f().send(None)\n    except StopIteration as e:"
                 " return e.value") == 5  # fmt: skip


def test_an_import_of_everything_is_remarked():
    assert plan(["from math import *", "answer = 5"], TOY).remarks == (
        "Code cell 1 imports everything from a module: what it defines cannot be seen.",
    )


def test_remarks_are_few():
    remarks = plan(["!ls"] * 50, TOY).remarks
    assert len(remarks) == 21 and remarks[-1] == "There are 30 more remarks of this kind."


# -- large, odd, and random ---------------------------------------------------------------------------------------

LARGE = {
    "a chain": ["x0 = 1\n" + "\n".join(f"x{i + 1} = x{i} + 1" for i in range(1000)) + "\nanswer = x1000"],
    "a chain, upside down": ["answer = x1000", *(f"x{i + 1} = x{i} + 1" for i in reversed(range(1000))), "x0 = 1"],
    "additions": ["answer = 1\n" + "answer += 1\n" * 1000],
    "changes of a list": ["x = [1]\n" + "x.append(1)\n" * 1000 + "answer = sum(x)"],
    "a text of ten thousand lines": ["answer = 1001\ntext = '''" + "line\n" * 10_000 + "'''"],
}


@pytest.mark.parametrize("name", LARGE)
def test_large_cells_are_read(name):
    assert value(*LARGE[name]) == 1001


LINES = st.sampled_from(
    ["answer = 5", "def answer(x):", "    return x", "%%time", "%pip x", "!ls", "x?", "check('answer')", "answer += h",
     "h = answer", "class A(", "'''", '"""', "\\", "if h:", "\tx", "    h = 1", "from h import *", "await h", "@h", "}",
     "from __future__ import annotations", "# exercise: answer", "\x00", "\ufeff", "x = !ls", "%time h = 2", ">>> h",
     "In [1]: h", "lambda: (yield)", "nonlocal h", "f'{h", "global h", "del h", "answer = [...]", "x: h = 1", "\ud800"]
)  # fmt: skip
CELLS = st.lists(st.one_of(st.text(max_size=40), st.lists(LINES, max_size=6).map("\n".join)), max_size=5)


@settings(max_examples=100, deadline=None)
@given(CELLS)
def test_any_text_gives_a_plan(cells):
    planned = plan(cells, TOY)
    assert planned.needs.keys() | planned.absent.keys() == TOY.exercises.keys()
    assert not planned.needs.keys() & planned.absent.keys()
    assert planned.cells.keys() == planned.needs.keys()
    for exercise in planned.needs:
        code = planned.code(exercise)
        assert any(TOY.exercises[exercise].variable in piece.defines for piece in code)
        assert len({(piece.cell, piece.line, piece.source) for piece in code}) == len(code)
        for piece in code:
            compile(piece.source, piece.filename, "exec", dont_inherit=True)


NUMBER = st.sampled_from(["1", "a", "b", "c", "f()", "g()", "len(xs)", "sum(n for n in xs)", "(lambda: b)()"])
STATEMENT = st.one_of(
    st.builds("{} = {} + {}".format, st.sampled_from("abc"), NUMBER, NUMBER),
    st.builds("{} += {}".format, st.sampled_from("abc"), NUMBER),
    st.builds("xs.append({})".format, NUMBER),
    st.builds("xs[0] = {}".format, NUMBER),
    st.builds("xs = [{}]".format, NUMBER),
    st.builds("def f(k={}): return k + {}".format, NUMBER, st.sampled_from(["a", "b", "len(xs)"])),
    st.builds("def g(): return a + {}".format, st.sampled_from(["b", "f()", "xs[0]"])),
    st.builds("if {} % 2:\n    {} = {}".format, NUMBER, st.sampled_from("abc"), NUMBER),
    st.builds("for a in range({} % 3):\n    b += {}".format, NUMBER, NUMBER),
    st.builds("c = xs.pop() if len(xs) > 1 else {}".format, NUMBER),
)
START = "a = 1\nb = 2\nc = 3\nxs = [1]\ndef f(): return 4\ndef g(): return f()"


@settings(max_examples=100, deadline=None)
@given(st.lists(STATEMENT, max_size=12), NUMBER, NUMBER, st.lists(STATEMENT, max_size=4), st.integers(0, 12))
def test_a_slice_gives_what_the_whole_notebook_gives(above, now, later, below, cut):
    answer = f"def answer(k={now}): return k, {later}"
    cells = [START, "\n".join(above[:cut]), "\n".join(above[cut:]), answer, *below, "check('answer')", "a = b = c = 0"]
    whole = {}
    for cell in cells[:-2]:
        exec(cell, whole)
    assume(abs(whole["answer"]()[0]) < 10**100)
    assert names_of(plan(cells, TOY))["answer"]() == whole["answer"]()


# -- the course ---------------------------------------------------------------------------------------------------

FILES = [
    path
    for path in Course.installed().check_files()
    if (Course.installed().root / "solutions" / f"{path.stem.removeprefix('ex_')}.ipynb").exists()
]


@pytest.fixture(scope="module", params=FILES, ids=lambda path: path.stem)
def path(request):
    return request.param


@pytest.fixture(scope="module")
def lesson(path):
    """The lesson without its checks: importing them computes a lot."""
    names = asked_in(path.read_text(encoding="utf-8"))
    stem = path.stem.removeprefix("ex_")
    exercises = {name: Exercise(name, lambda answer, rng: None, points=3) for name in names}
    return Lesson(stem, exercises, (), path.parents[1] / "solutions" / f"{stem}.ipynb")


@pytest.fixture(scope="module")
def after_setup(lesson):
    """What the lesson's set-up cells define."""
    return run(plan([], template(lesson)).pieces, {"__name__": "lesson"})


def test_solved_and_blank_notebooks_have_every_answer(lesson, after_setup):
    ours = template(lesson)
    for text, is_blank in ((lesson.notebook.read_text(encoding="utf-8"), False), (notebook(lesson, {}), True)):
        planned = plan(code_cells(text), ours)
        assert list(planned.needs) == list(lesson.exercises) and not planned.absent
        assert not planned.remarks and not any(planned.notes.values())
        for name, asked in ours.exercises.items():
            assert asked.variable in run(planned.code(name)[planned.setup :], dict(after_setup))
            assert planned.code(name)[-1].blank == is_blank


def test_no_demonstration_of_a_lesson_is_run(lesson):
    ours = template(lesson)
    planned = plan(code_cells(lesson.notebook.read_text(encoding="utf-8")), ours)
    shown = {piece.source for source in ours.given for piece in read(source).pieces}
    assert shown and not shown & {piece.source for piece in planned.pieces[planned.setup :]}


def test_the_template_is_the_lesson(lesson):
    ours = template(lesson)
    text = "\n".join("".join(cell["source"]) for cell in json.loads(notebook(lesson, {}))["cells"])
    assert ours.stem == lesson.stem and ours.setup
    for name, asked in ours.exercises.items():
        assert (asked.variable, asked.points) == (name.replace("-", "_"), 3)
        assert re.search(rf"^### Exercise \d+: {re.escape(asked.title)}$", text, re.MULTILINE)
    assert text.count("\n### Exercise ") == len({asked.title for asked in ours.exercises.values()})
    assert all("def " not in source for source in ours.given if "# exercise:" in source)


def test_every_listed_answer_can_be_handed_in(path, lesson, after_setup):
    """All first ones in one notebook, all second ones in the next: each defines its variable."""

    @functools.cache  # many have the same helpers and constants
    def names_after(*code):
        return run(code, dict(after_setup))

    ours, answers = template(lesson), listed(path)
    lines = re.findall(r"^(?:@|\w+ = )(?:wrong|right)\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(answers) == len(lines)
    assert not [answer for answer in answers if "jaxcourse.exercise" in answer.source]
    of = {name: [answer.source for answer in answers if answer.exercise == name] for name in lesson.exercises}
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        for k in range(max(map(len, of.values()), default=0)):
            answers = {name: texts[k] for name, texts in of.items() if k < len(texts)}
            planned = plan(code_cells(notebook(lesson, answers)), ours)
            assert not planned.absent and not planned.remarks and not any(planned.notes.values())
            for name in answers:
                variable = ours.exercises[name].variable
                *helpers, named = [replace(p, cell=0, line=1) for p in planned.code(name)[planned.setup :]]
                names = run([named], names_after(*helpers))
                assert names.pop(variable) is names[next(iter(named.uses))] and not named.blank
