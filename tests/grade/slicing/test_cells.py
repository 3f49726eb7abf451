"""From cells to a plan: what is run, where each answer is asked, and what is said where there is none."""

import contextlib
import functools
import io
import json
import re
import sys
import time
import warnings
from dataclasses import replace
from unittest.mock import MagicMock

import jax
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from submissions import code_cells, listed, notebook

from jaxcourse.course import Course, Lesson
from jaxcourse.course._lessons import answer_files
from jaxcourse.exercise import Exercise
from jaxcourse_grade.isolation._shell import Shell
from jaxcourse_grade.slicing import STUB_AGAIN, Target, Template, _cells, _statements, plan, template
from jaxcourse_grade.slicing._statements import Links, read_statements

SETUP = "import math\n\nscale = 10\n\n\ndef scaled(x):\n    return scale * x"
DEMO = "demo = 7\ntext = f'{demo}'"
OTHER_DEMO = "raise RuntimeError('a demonstration was run')"
TOY = Template(
    "01_toy",
    (SETUP,),
    (DEMO, OTHER_DEMO),
    {"answer": Target("answer", "The answer", 1.0), "other-one": Target("other_one", "Another", 1.0)},
)


def run(pieces, names: dict) -> dict:
    """The namespace after some pieces were run in it."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for piece in pieces:
            exec(compile(piece.source, piece.filename, "exec", dont_inherit=True), names)
    return names


def names_of(cells, exercise: str = "answer") -> dict:
    """The namespace where an exercise is asked."""
    planned = plan(cells, TOY)
    shell = {"get_ipython": lambda: Shell(MagicMock), "__name__": "lesson"}
    return run([*planned.setup, *planned.pieces[: planned.stops[exercise]]], shell)


def value(*cells: str) -> object:
    """What the answer is; called, if it is a function of nothing."""
    answer = names_of(cells)["answer"]
    return answer() if callable(answer) else answer


def sources(planned, exercise="answer"):
    """What is run before an exercise is asked."""
    return [piece.source for piece in planned.pieces[: planned.stops[exercise]] if piece.source]


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
    "beside others": ("a = 2; answer = a + 3; b = 1", 5),
    "text with odd letters before it": ("ä = 'é“'; answer = len(ä) + 3  # ü", 5),
}


@pytest.mark.parametrize("name", BINDINGS)
def test_every_way_to_bind_a_name_is_an_answer(name):
    cell, want = BINDINGS[name]
    assert value("def unused(): pass", cell, DEMO) == want


def test_an_answer_is_asked_where_it_is_checked_last():
    cells = ["answer = 1", "check('answer')", "answer = 2\nanswer = 5", "check('answer')", "answer = 3"]
    assert value(*cells) == 5
    said = "`answer` is defined in code cells 1, 3, 5: it was judged as it is where it is checked."
    assert plan(cells, TOY).notes["answer"] == (said,)


def test_without_a_check_it_is_asked_below_the_cell_that_defines_it_last():
    cells = ["answer = 1", "x = 1", "answer = h = 5\nh += 1", "h = 7"]
    assert value(*cells) == 5 and names_of(cells)["h"] == 6
    assert plan(["x = 1", "globals()['answer'] = 5"], TOY).stops["answer"] == 2


def test_a_check_in_a_block_is_one():
    assert sources(plan(["answer = 5", "if True:\n    check('answer')", "answer = 6"], TOY)) == [
        "answer = 5",
        "if True:\n    pass",
    ]


def test_the_set_up_is_ours_and_is_run_once():
    planned = plan([SETUP + "  \n", "answer = scaled(1)", SETUP], TOY)
    assert [piece.source for piece in planned.pieces] == ["answer = scaled(1)"]
    assert [piece.cell for piece in planned.setup] == [-1, -1, -1]


def test_a_set_up_that_was_changed_is_the_students_own():
    assert value(SETUP.replace("10", "5"), "answer = scaled(1)") == 5
    assert value("scale = 5\nmath = 3", "import math\nscale = 10", "answer = scaled(1) / 2") == 5


def test_of_the_demonstrations_only_what_is_named_is_run():
    planned = plan([DEMO, OTHER_DEMO, "answer = demo - 2"], TOY)
    assert [piece.source for piece in planned.pieces] == ["demo = 7", "answer = demo - 2"]
    assert value(DEMO, "answer = globals()['demo'] - 2") == 5
    assert value(DEMO, "answer = eval('len(text)') + 4") == 5


def test_settings_of_a_demonstration_are_run():
    ours = ("import numpy as np\nnp.seterr(all='ignore')\nprint(np)",)
    toy = Template("01_toy", (), ours, {"answer": Target("answer", "", 1.0)})
    assert [piece.source for piece in plan([*ours, "answer = 5"], toy).pieces][-2:] == [
        "np.seterr(all='ignore')",
        "answer = 5",
    ]


def test_what_makes_an_answer_is_shown_and_nothing_else():
    cells = [
        "table = {}\ndef fill(n):\n    table[n] = n",
        "import math\nk = 2\nprint(k)\nunused = 3",
        "def helper(x):\n    return k * x",
        "def answer():\n    return helper(table.get(5, 2)) + 1\nanswer.calls = 0",
        "check('answer')",
        "table[7] = 1",
    ]
    shown = [piece.source for piece in plan(cells, TOY).code("answer")]
    assert shown == [
        "table = {}",
        "k = 2",
        "def helper(x):\n    return k * x",
        "def answer():\n    return helper(table.get(5, 2)) + 1",
        "answer.calls = 0",
        "table[7] = 1",
    ]


def test_names_that_use_each_other_are_followed_once():
    links = Links(read_statements("def f(): return g()\ndef g(): return f()\nx = [f]\nx.append(x)\ny = 1").pieces)
    assert sorted(links.behind(["x"])) == [0, 1, 2, 3] and links.behind(["nobody"]) == set()


# -- text that is no plain Python -----------------------------------------------------------------------------------

TEXTS = {
    "line magics": "%matplotlib inline\n%timeit 1 / 0\nanswer = 5",
    "shell lines": "!ls -l\n!!ls\nfiles = !ls\nanswer = 5",
    "help": "answer = 5\nanswer?\nprint??",
    "magic that gives a value": "t = %timeit -o 1 / 0\nanswer = 5",
    "magic in a block": "if True:\n    %pip install x\n    answer = 5\nelse:\n    !ls",
    "time of a line": "%time answer = 5",
    "time of a line, and blanks": "%time   answer = 5",
    "a line magic with options": "%prun -l 10 -q answer = 5",
    "time of a cell": "\n  \n%%time\n\nanswer = 5",
    "two cell magics": "%%time\n%%capture out\nanswer = 5",
    "a call of IPython": "get_ipython().run_line_magic('x', 'y')\nanswer = 5",
    "another call of IPython": "get_ipython().set_next_input('x')\nanswer = 5",
    "indented": "    h = 2\n    answer = h + 3",
    "prompts": ">>> h = 2\n>>> def answer():\n...     return h + 3",
    "prompts of IPython": "In [1]: h = 2\n\nIn [2]: answer = h + 3",
    "tabs": "def answer():\n\tif True:\n\t\treturn 5",
    "line ends of Windows": "h = 2\r\ndef answer():\r\n    return h + 3\r\n",
    "line ends of old": "h = 2\ranswer = h + 3",
    "byte order mark": "\ufeffanswer = 5",
    "form feed": "h = 2\n\x0c\nanswer = h + 3",
    "other line separators": "h = '\u2028\x0b\x85'\ndef answer():\n    return len(h) + 2",
    "an operator that begins a line": "answer = (17\n% 12)",
    "a magic in a text": "h = '''\n%matplotlib inline\n'''\n%pylab\nanswer = len(h) - 15",
    "an escape that is none": "answer = len('\\d') + 3",
    "verbs": "check('other-one', variant=2)\nanswer = 5\nhint('answer'); solution('answer')\nask('a-1b2c3d', 3, ...)",
    "verbs in blocks": "for n in ['answer']:\n    check(n)\nif True:\n    answer = 5\n    check('answer')",
    "verbs by module": "import jaxcourse\nanswer = 5\njaxcourse.check('answer')",
    "only a verb in a block": "try:\n    check('other-one')\nfinally:\n    hint('answer')\nanswer = 5",
}


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_no_plain_python_is_run_as_in_a_notebook(name):
    planned = plan([TEXTS[name]], TOY)
    assert value(TEXTS[name]) == 5 and not planned.remarks
    assert not [piece for piece in planned.pieces if re.search(r"\b(ask|check|hint|solution)\(", piece.source)]


def test_output_of_the_shell_is_taken_where_ipython_does_not_see_it(monkeypatch):
    """So it is with IPython 7 on Python 3.12."""
    monkeypatch.setattr("IPython.core.inputtransformer2.TransformerManager.transform_cell", lambda self, text: text)
    assert value("if True:\n    files = !ls -l\n    answer = 5") == 5


STUB = "def answer():\n    raise NotImplementedError('your turn')"
STUBS = {
    "below": (["answer = 5", "check('answer')", STUB, "check('answer')"], 5),
    "below, without checks": (["answer = 5", STUB], 5),
    "below, in the same cell": ([f"answer = 5\n{STUB}"], 5),
    "twice": (["answer = 4", STUB, "answer = 5", STUB, "check('answer')"], 5),
    "a prediction's": (["answer = 5", "answer = ...", "check('answer')"], 5),
    "a table's": (["answer = {'a': 5}", "answer = {'a': ...}", "check('answer')"], {"a": 5}),
    "above": ([STUB, "answer = 5", "check('answer')"], 5),
    "above, filled in": (["answer = {'a': ...}", "answer['a'] = 5", "check('answer')"], {"a": 5}),
}


@pytest.mark.parametrize("where", STUBS)
def test_a_stub_replaces_no_answer(where):
    cells, want = STUBS[where]
    assert value(*cells) == want
    assert (STUB_AGAIN in plan(cells, TOY).notes["answer"]) == (not where.startswith("above"))


def test_a_stub_alone_is_the_answer():
    (piece,) = plan([STUB], TOY).pieces
    assert piece.blank and not plan([STUB], TOY).notes["answer"]


@pytest.mark.parametrize("magic", ["pyinstrument", "snakeviz -t", "debug", "pycodestyle", "memit -r 1", "cython"])
def test_the_body_of_an_unknown_cell_magic_is_run_as_python(magic):
    planned = plan([f"%%{magic}\n# exercise: answer\nanswer = 5", "check('answer')"], TOY)
    assert value(f"%%{magic}\nanswer = 5") == 5
    name = magic.partition(" ")[0]
    said = f"Code cell 1 begins with `%%{name}`, which is not here: what follows was run as Python."
    assert planned.remarks == (said,)


def test_a_definition_under_a_magic_that_runs_no_python_is_said_not_to_have_been_run():
    absent = plan(["", "%%bash\nanswer = 5"], TOY).absent["answer"]
    assert absent.message.endswith("Code cell 2 was not run, because it begins with `%%bash`: remove that line.")
    absent = plan(["%%chart\n# exercise: answer\nplot it: now"], TOY).absent["answer"]
    assert "Code cell 1 was not run, because it begins with `%%chart`" in absent.message
    assert plan(["%%html\n<b>answer</b>"], TOY).absent["answer"].message.count("Code cell") == 0


WRITTEN_OUT = {
    "a cell": "get_ipython().run_cell_magic('time', '', 'h = 2\\nanswer = h + 3\\n')",
    "a cell of Python 2": "get_ipython().run_cell_magic(u'time', u'', u'answer = 5')",
    "a cell in a cell": "get_ipython().run_cell_magic('capture', 'out', '%%time\\nanswer = 5')",
    "an unknown cell": "get_ipython().run_cell_magic('memit', '', 'answer = 5')",
    "a line": "get_ipython().run_line_magic('time', 'answer = 5')",
    "an old line": "get_ipython().magic(u'time answer = 5')",
    "another line": "get_ipython().run_line_magic('matplotlib', 'inline')\nanswer = 5",
}


@pytest.mark.parametrize("how", WRITTEN_OUT)
def test_magics_that_a_script_writes_out_are_understood(how):
    assert value(WRITTEN_OUT[how]) == 5
    assert any("answer" in piece.defines for piece in plan([WRITTEN_OUT[how]], TOY).pieces)


@pytest.mark.parametrize("magic", ["bash", "html", "writefile answer.py", "javascript", "script python", "", "timeit"])
def test_cells_in_other_languages_are_the_shells(magic):
    (piece,) = plan([f"%%{magic}\nanswer = 5"], TOY).pieces
    name, _, line = magic.partition(" ")
    assert piece.source == f"get_ipython().run_cell_magic({name!r}, {line!r}, 'answer = 5')" and not piece.defines


def test_what_awaits_stays_as_it_is():
    assert [piece.source for piece in plan(["answer = await x", "await y"], TOY).pieces] == [
        "answer = await x",
        "await y",
    ]


def test_annotations_stay_unread_below_the_future_import():
    future = "from __future__ import annotations"
    assert value(future, "def answer(x: NoSuchName = 5): return x") == 5
    assert value(future + "\nclass A:\n    k: NoSuchName = 5\nanswer = A.k") == 5
    if sys.version_info < (3, 14):  # from then on annotations are read when somebody asks for them
        with pytest.raises(NameError):
            value("def answer(x: NoSuchName = 5): return x\n", future)


def test_lines_are_those_of_the_cell():
    cell = "\n%%time\n# a comment\nh = 1; k = 2\n\n@staticmethod\n@staticmethod\ndef answer():\n    return h + k"
    pieces = plan([cell], TOY).pieces
    assert [(piece.line, piece.cell, piece.filename) for piece in pieces] == [(4, 0, "cell 1")] * 2 + [(6, 0, "cell 1")]
    (piece,) = read_statements("\n\n%matplotlib inline\nx = 1").pieces[-1:]
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
    "a long sum": ("answer = 1" + " + 1" * 20_000, "nested too deeply"),
    "many minuses": ("answer = " + "-" * 50_000 + "1", "nested too deeply"),
    "a marker only": ("# exercise: answer\n5 +", "line 2: `5 +` (invalid syntax)"),
    "magics all over a long cell": ("answer = 5  # " + "x" * 30_000 + "\n!ls" * 100, "line 2: `!ls` (invalid syntax)"),
    "blanks, and a magic": ("answer = 5" + " " * 3_000 + "\n!ls", "line 2: `!ls` (invalid syntax)"),  # quadratic time
    "magic besides": ("%pylab\ndef answer(:", "`def answer(:` (invalid syntax)"),
    "backticks": ("answer = `5`", "line 1: `answer = '5'`"),
    "a long line": ("answer = ) + " + "x" * 200, "xxx...` (unmatched ')')"),
    "too long": ("answer = '" + "x" * 200_000 + "'", "it has more than 100,000 characters"),
    "too much": ("answer=5\n" * 10_001, "it has more than 10,000 statements"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_cell_that_is_no_python_spoils_its_exercise_only(name):
    cell, said = BROKEN[name]
    for others in (["other_one = 6"], ["def answer():\n    raise NotImplementedError", "other_one = 6"]):
        planned = plan([cell, *others], TOY)
        mark = planned.absent["answer"]
        assert (mark.status, mark.label) == ("error", "SyntaxError")
        assert said in mark.message and mark.message.count("`") in (0, 2) and len(mark.message) < 300
        assert planned.absent["other-one"].status == "missing" and not planned.remarks and not planned.newer
        assert names_of([cell, *others], "other-one")["other_one"] == 6


def test_a_source_is_read_alike_in_a_process_whose_limit_of_recursion_was_raised():
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(2**14)
    try:
        assert "nested too deeply" in read_statements(BROKEN["a long sum"][0]).error
        assert sys.getrecursionlimit() == 2**14
    finally:
        sys.setrecursionlimit(before)


def test_a_notebook_of_more_code_than_anybody_writes_is_read_to_a_point():
    cells = ["answer = 5", *["x = '" + "x" * 90_000 + "'"] * 3, "y = 1", "other_one = '" + "x" * 90_000 + "'"]
    planned = plan(cells, TOY)
    assert planned.absent["other-one"].message.startswith("Code cell 6 cannot be read: up to here, there is more code")
    assert sources(planned) == ["answer = 5"]


def test_a_notebook_that_takes_long_to_read_is_read_to_a_point(monkeypatch):
    monkeypatch.setattr(_cells, "SECONDS", -1.0)
    planned = plan(["answer = 5"], TOY)
    assert "Code cell 1 cannot be read: to read the cells above it took more" in planned.absent["answer"].message


NEWER = {
    "a type statement": ((3, 12), "type Table = dict\nanswer = 5", "line 1 has a `type` statement"),
    "type parameters": ((3, 12), "answer = 5\ndef f[T](x: T) -> T:\n    return x", "line 2 has a type parameter"),
    "a class with parameters": ((3, 12), "class A[T]:\n    x = 1\nanswer = 5", "a type parameter, which Python 3.12"),
    "a default": ((3, 13), "answer = 5\nclass A[T = int]:\n    pass", "a type parameter with a default"),
    "quotes": ((3, 12), "k = {'a': 5}\nanswer = 5\nt = f'{k['a']}'", "line 3 has an f-string with its own quotes"),
    "a backslash": ((3, 12), "answer = 5\nt = f'{chr(10).join(k) + '\\n'}'", "an f-string with its own quotes"),
    "except": ((3, 14), "answer = 5\ntry:\n    1\nexcept A, B:\n    2", "`except` with several exceptions"),
    "a template": ((3, 14), "answer = 5\nt = t'{answer}'", "a template string, which Python 3.14 brought"),
}


@pytest.mark.parametrize("name", NEWER)
def test_a_notebook_in_a_newer_python_is_refused_with_the_python_that_it_needs(name):
    version, cell, said = NEWER[name]
    if sys.version_info >= version:
        assert value(cell) == 5
        return
    needed = ".".join(map(str, version))
    planned = plan(["other_one = 6", cell], TOY)
    assert planned.newer.startswith(
        f"The notebook is written for Python {needed} or newer. This grader runs on Python 3."
    )
    assert (
        "code cell 2, line " in planned.newer
        and said in planned.newer
        and planned.newer.endswith(f"Grade it with Python {needed}.")
    )


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python reads it")
def test_the_newest_python_that_is_needed_is_named():
    cells = ["type A = int\nanswer = 5", "t = t'{x}'\nanswer = 5", "type B = int\nanswer = 5"]
    assert plan(cells, TOY).newer.endswith("Grade it with Python 3.14.")


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python reads it")
@pytest.mark.parametrize(
    ("other", "answer", "needed"),
    [
        ("def helper(x):\n    return f'{x['a']}'", "answer = 5", False),
        ("def helper(x):\n    return f'{x['a']}'", "def answer():\n    return helper(1)", True),
        ("from tools import helper; print(f'{d['a']}')", "def answer():\n    return helper(1)", True),
        ("print(f'{d['a']}', len(d))", "answer = len('abcde')", False),
        ("k = f'{d['a']}'", "k = 1\nanswer = k + 4", True),
    ],
)
def test_a_cell_of_a_newer_python_counts_if_an_answer_needs_something_of_it(other, answer, needed):
    for cells in ([other, answer], [answer, other]):
        planned = plan(cells, TOY)
        assert bool(planned.newer) == needed
        assert any("which Python 3.12 brought" in remark for remark in planned.remarks)


def test_what_python_2_wrote_is_of_no_newer_python():
    old = "try:\n    print open('a')\nexcept IOError, e:\n    print e"
    for cell in (old, "try:\n    x = 1\nexcept socket.error, message:\n    pass"):
        planned = plan(["answer = 5", cell], TOY)
        assert not planned.newer and "which Python" not in planned.remarks[0]


def test_a_line_alone_may_be_a_magic_without_its_sign():
    cells = ["time answer = 5", "run helpers.py", "cd sub", "matplotlib inline"]
    planned = plan(cells, TOY)
    assert not planned.remarks
    assert [piece.source for piece in planned.pieces] == [
        "answer = 5",
        *(f"get_ipython().run_line_magic({name!r}, {line!r})" for name, line in (("run", "helpers.py"), ("cd", "sub"))),
        "get_ipython().run_line_magic('matplotlib', 'inline')",
    ]
    assert read_statements("time = 3").pieces[0].source == "time = 3"
    assert read_statements("x = 1\nrun helpers.py").error and read_statements("answer was five").error


def test_syntax_that_is_no_pythons_is_not_called_newer():
    for cell in ("answer = f'{'", "answer = f'{x!}'", "def answer(:\n    pass", "except = 5; answer = 5", "t = 't' 5"):
        assert not plan([cell, "# exercise: answer\n("], TOY).newer


def test_a_broken_cell_beside_a_good_answer_is_a_note():
    cells = ["answer = 5", "answer = (5"]
    assert value(*cells) == 5
    assert plan(cells, TOY).notes["answer"] == (
        "A definition of `answer` is lost. Code cell 2 cannot be read: line 1: `answer = (5` ('(' was never closed).",
    )


def test_a_broken_cell_with_a_helper_is_noted_where_the_helper_is_needed():
    planned = plan(["def helper(x:\n    pass", "def answer(): return helper(5)", "other_one = 6"], TOY)
    assert "A definition of `helper` is lost." in planned.notes["answer"][0] and not planned.notes["other-one"]
    assert planned.remarks[0].startswith("Code cell 1 cannot be read")


def test_an_answer_that_nobody_sees_is_said_to_be_missing():
    mark = plan(["exec('answer = 5')"], TOY).absent["answer"]
    assert (mark.status, mark.label) == ("missing", "missing-name")
    assert mark.message == "There is no `answer` in the notebook: define it in a code cell, with `def` or `=`."
    assert plan(["def anwser(): pass", DEMO], TOY).absent["answer"].message.endswith("`anwser`: did you mean that?")


def test_the_nearest_name_is_the_students_own():
    toy = Template("01_toy", ("answers = 1",), ("answer_ = 1",), {"answer": Target("answer", "", 1.0)})
    assert "did you mean" not in plan(["answers = 1", "answer_ = 1", "_answer = 1"], toy).absent["answer"].message


def test_remarks_are_few():
    remarks = plan(["(("] * 50, TOY).remarks
    assert len(remarks) == 21 and remarks[-1] == "There are 30 more remarks of this kind."


# -- large, odd, and random ---------------------------------------------------------------------------------------

LARGE = {
    "a chain": ["x0 = 1\n" + "\n".join(f"x{i + 1} = x{i} + 1" for i in range(1000)) + "\nanswer = x1000"],
    "additions": ["answer = 1\n" + "answer += 1\n" * 1000],
    "changes of a list": ["x = [1]\n" + "x.append(1)\n" * 1000 + "answer = sum(x)"],
    "a text of ten thousand lines": ["answer = 1001\ntext = '''" + "line\n" * 10_000 + "'''"],
}


@pytest.mark.parametrize("name", LARGE)
def test_large_cells_are_read(name):
    assert value(*LARGE[name]) == 1001


SLOW = {
    "an f-string of braces": ["answer = f'" + "{a}" * 30_000 + "'"] * 3,
    "open braces": ["answer = f'" + "{" * 90_000 + " x = )"] * 3,
    "one line of statements": ["answer=1;" * 9_000] * 3,
    "names that all use each other": [
        "\n".join(f"def f{i}(): return {', '.join(f'f{j}' for j in range(150))}" for i in range(100)),
        "answer = f0",
    ],
    "one list that all change": ["answer = []\n" + "answer.append(answer)\n" * 4_000] * 3,
    "signs for IPython": [";" * 90_000],
    "signs of all kinds": ["x = 1\n" + ";/, " * 3_000],
    "magics over long cells": ["%pwd\n" + "x = 1\n" * 5_000] * 6,
    "blanks before a magic": ["%pwd\nanswer = 1" + " " * 1_300] * 30,
    "tuples that are folded": ["answer = (1,2,3)*80\n" * 4_500] * 3,
    "many cells": ["answer = 1"] * 10_000,
    "deep calls": ["answer = a" + "()" * 2_000] * 70,
}


@pytest.mark.parametrize("name", SLOW)
def test_whatever_is_read_takes_no_long(name):
    """Each took the older grader from 5 to 50 seconds; a single cell may still take one or two."""
    began = time.thread_time()
    planned = plan(SLOW[name], TOY)
    assert time.thread_time() - began < _cells.SECONDS + 5
    assert planned.stops.keys() == TOY.exercises.keys()


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
    assert planned.stops.keys() == planned.absent.keys() == planned.behind.keys() == TOY.exercises.keys()
    assert all(0 <= stop <= len(planned.pieces) for stop in planned.stops.values())
    flags = _statements.ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    for piece in planned.pieces:
        compile(piece.source, piece.filename, "exec", flags, dont_inherit=True)


# -- the lessons ----------------------------------------------------------------------------------------------------

COURSE = Course.installed()


@pytest.fixture(scope="module", params=COURSE.exercises())
def lesson(request):
    """The lesson without its checks: importing them computes a lot."""
    names = COURSE.exercises()[request.param]
    exercises = {name: Exercise(name, lambda answer, rng: None, points=3) for name in names}
    return Lesson(COURSE.root, request.param, exercises, COURSE.texts)


@pytest.fixture(scope="module")
def after_setup(lesson):
    """What the lesson's set-up cells define."""
    return run(plan([], template(lesson)).setup, {"__name__": "lesson"})


def test_solved_and_blank_notebooks_have_every_answer(lesson, after_setup):
    ours = template(lesson)
    for text, is_blank in ((lesson.notebook.read_text(encoding="utf-8"), False), (notebook(lesson, {}), True)):
        planned = plan(code_cells(text), ours)
        assert not planned.remarks and not any(planned.notes.values()) and not planned.newer
        for name, asked in ours.exercises.items():
            assert asked.variable in run(planned.code(name), dict(after_setup))
            (last,) = [piece for piece in planned.code(name) if asked.variable in piece.defines]
            assert last.blank == is_blank


def test_no_demonstration_of_a_lesson_is_run(lesson):
    ours = template(lesson)
    planned = plan(code_cells(lesson.notebook.read_text(encoding="utf-8")), ours)
    shown = {piece.source for source in ours.given for piece in read_statements(source).pieces if piece.source}
    assert shown and not shown & {piece.source for piece in planned.pieces}


def test_the_template_is_the_lesson(lesson):
    ours = template(lesson)
    text = "\n".join("".join(cell["source"]) for cell in json.loads(notebook(lesson, {}))["cells"])
    assert ours.stem == lesson.stem and ours.setup
    for name, asked in ours.exercises.items():
        assert (asked.variable, asked.points) == (name.replace("-", "_"), 3)
        assert re.search(
            rf"^### Exercise \d+(?:\.\d+)?(?: \(practice\))?: {re.escape(asked.title)}$", text, re.MULTILINE
        )
    assert text.count("\n### Exercise ") == len({asked.title for asked in ours.exercises.values()})
    assert all("def " not in source for source in ours.given if "# exercise:" in source)


def test_every_listed_answer_can_be_handed_in(lesson, after_setup):
    """All first ones in one notebook, all second ones in the next: each defines its variable."""

    @functools.cache  # many have the same helpers and constants
    def names_after(*code):
        return run(code, dict(after_setup))

    ours, answers = template(lesson), listed(lesson.root, lesson.stem)
    texts = "\n".join(path.read_text(encoding="utf-8") for path in answer_files(lesson.root, lesson.stem))
    assert len(answers) == len(re.findall(r"^(?:@|\w+ = | +)(?:wrong|right)\(", texts, re.MULTILINE))
    assert not [answer for answer in answers if "jaxcourse.exercise" in answer.source]
    of = {name: [answer.source for answer in answers if answer.exercise == name] for name in lesson.exercises}
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        for k in range(max(map(len, of.values()), default=0)):
            answers = {name: texts[k] for name, texts in of.items() if k < len(texts)}
            planned = plan(code_cells(notebook(lesson, answers)), ours)
            assert not planned.remarks and not any(planned.notes.values())
            for name in answers:
                variable = ours.exercises[name].variable
                named = [piece for piece in planned.code(name) if variable in piece.defines][-1]
                code = [piece for piece in planned.code(name) if piece.cell == named.cell and piece is not named]
                names = run([named], names_after(*(replace(piece, cell=0, line=1) for piece in code)))
                assert names.pop(variable) is names[next(iter(named.uses))] and not named.blank
