"""One submission: it runs apart, is judged here, and one fault costs one exercise."""

import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from toy import CONFIG, LESSON, TOC

from jaxcourse.course import Course
from jaxcourse.exercise import Diagnosis
from jaxcourse.insides import QUICKLY, CannotRead
from jaxcourse.probe import Reply
from jaxcourse_author.lesson import notebooks
from jaxcourse_grade._records import Result, Submission
from jaxcourse_grade.isolation import CannotStart, Forkserver, Limits, Terms, _forkserver, available, raised_from
from jaxcourse_grade.isolation._process import reply_from
from jaxcourse_grade.judging import CourseFault, Grader, _grader
from jaxcourse_grade.judging._grader import variant_of
from jaxcourse_grade.slicing import template

GATED = LESSON[LESSON.index("```{exercise-start}") : LESSON.index("That was all.")]
SOLUTIONS = {
    "double-it": "2 * x",
    "add-one": "x + 1",
    "fused": "jnp.sin(x) * x",
    "no-loop": "x @ x",
    "written-short": "x * 3",
}
CHECKS = '''\
"""Checks of a course for the judge."""

import statistics

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare
from jaxcourse.exercise import expect, require


def check_double_it(answer, rng):
    x = rng.normal(size=3)
    expect(answer(x), 2 * x, message="Twice.")


double_it = declare("double-it", see="doubling", points=2, steps=[check_double_it], words="hint: twice")


def check_add_one(answer, rng):
    x = rng.normal(size=3)
    expect(answer(x), x + 1, message="One more.")


add_one = declare("add-one", see="doubling", steps=[check_add_one], words="hint: one")


def check_fused(answer, rng):
    x = rng.normal(size=5).astype(np.float32)
    expect(answer(x), np.sin(x) * x, message="The sine times x.", rtol=1e-3)
    facts = answer.probe(probe.program, x)
    require(not facts["operations"].get("while"), "a-loop", "There is a loop in it.")


fused = declare("fused", see="doubling", steps=[check_fused], words="hint: sine")


def check_no_loop(answer, rng):
    x = rng.normal(size=(3, 3)).astype(np.float32)
    expect(answer(x), x @ x, message="The product.", rtol=1e-3)
    require("scan" not in answer.probe(probe.primitives, x), "a-scan", "There is a scan in it.")


no_loop = declare("no-loop", see="doubling", steps=[check_no_loop], words="hint: product")


def called_twice(student_function, x, times=2):
    return [np.asarray(student_function(x)) for _ in range(times)]


def middle(student_function, x):
    return statistics.median(student_function(x).tolist())


def check_written_short(answer, rng):
    x = rng.normal(size=3)
    expect(answer.probe(called_twice, x)[1], 3 * x, message="Three times.")
    require(answer.probe(middle, x) == 3 * sorted(x)[1], "wrong-middle", "Three times the middle.")
    require(not answer.probe(probe.code_facts)["loops"], "loops", "There is a loop in it.")


written_short = declare("written-short", see="doubling", steps=[check_written_short], words="hint: three")
'''


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course of one lesson with five exercises: one for each kind of evidence, and two plain ones."""
    root = tmp_path_factory.mktemp("course")
    head = LESSON[: LESSON.index("```{exercise-start}")].replace(
        "import numpy", "import jax.numpy as jnp\nimport numpy"
    )
    tasks = [
        GATED.replace("double-it", name).replace("double_it", name.replace("-", "_")).replace("2 * x", code)
        for name, code in SOLUTIONS.items()
    ]
    files = {
        "_config.yml": CONFIG,
        "_toc.yml": TOC,
        "book/index.md": "# Toy\n",
        "notebooks/01_toy.md": head + "\n".join(tasks),
        "exercises_tests/01_toy/double_it.py": CHECKS,
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    notebooks.write(Course(root))
    return Course(root)


@pytest.fixture(scope="module")
def judge(course, tmp_path_factory):
    """A judge with all protections, and with short patience."""
    protections = tuple(name for name, lacking in available().items() if not lacking)
    limits = replace(Limits(), piece_seconds=2.0, memory=600 * 2**20)
    cache = tmp_path_factory.mktemp("cache")
    judge = Grader(course, Terms(limits, protections, str(cache)))
    yield judge
    judge.close()


def answered(**answers):
    """The cells of a notebook in which everything is solved but what is said otherwise."""
    sources = {
        name.replace("-", "_"): f"def {name.replace('-', '_')}(x):\n    return {c}" for name, c in SOLUTIONS.items()
    }
    return Submission("ada", "Ada", "01_toy", "ada.ipynb", cells=tuple({**sources, **answers}.values()))


@pytest.fixture
def marked(judge):
    """Grade a notebook: its marks by exercise."""

    def mark(**answers):
        return {mark.exercise: mark for mark in judge.grade(answered(**answers), 1).marks}

    return mark


def statuses(marks):
    return {name: mark.status for name, mark in marks.items()}


def others_passed(marks, *but):
    return all(mark.status == "passed" for name, mark in marks.items() if name not in but)


def test_a_solved_notebook_passes_and_each_mark_says_whether_it_is_proven(marked):
    marks = marked()
    assert others_passed(marks)
    assert {name: mark.evidence for name, mark in marks.items()} == {
        "double-it": "proven",
        "add-one": "proven",
        "fused": "proven",
        "no-loop": "proven",
        "written-short": "reported",
    }
    assert marks["double-it"].points == marks["double-it"].out_of == 2
    assert marks["double-it"].title == "Double it"
    assert marks["double-it"].section == "Doubling: Twice is `2 *`."
    assert "return 2 * x" in marks["double-it"].code


def test_a_wrong_answer_gets_the_diagnosis_of_the_notebook(marked):
    mark = marked(double_it="def double_it(x):\n    print('squares')\n    return x * x")["double-it"]
    assert (mark.status, mark.label, mark.points) == ("wrong", "wrong-value", 0)
    assert mark.called.startswith("double_it(float64[3]")
    assert mark.printed == "squares\n"


@pytest.mark.parametrize(
    ("answer", "status", "label"),
    [
        ("def double_it(x):\n    while True: pass", "timeout", "timeout"),
        ("double_it = sum(iter(int, 1))", "timeout", "timeout"),
        ("def double_it(x):\n    import os; os._exit(0)", "crashed", "crashed"),
        ("def double_it(x):\n    import ctypes; ctypes.string_at(0)", "crashed", "crashed"),
        ("def double_it(x):\n    hoard = [bytearray(b'x') * 2**24 for _ in range(2**20)]", "memory", "memory"),
        ("def double_it(x):\n    return np.ones(2**40)", "memory", "MemoryError"),
        ("def double_it(x):\n    raise SystemExit", "error", "SystemExit"),
        ("def double_it(x):\n    raise NotImplementedError('your turn')", "not_attempted", "not-attempted"),
        ("1 / 0\ndouble_it = 1 / 0", "error", "ZeroDivisionError"),
        ("def double_it(x:\n    return 2 * x", "error", "SyntaxError"),
        ("", "missing", "missing-name"),
        ("def double_it(x):\n    return np.full(10**7, x[0])", "wrong", "wrong-type"),
    ],
)
def test_one_fault_costs_one_exercise(marked, answer, status, label):
    marks = marked(double_it=answer)
    assert (marks["double-it"].status, marks["double-it"].label) == (status, label)
    assert marks["double-it"].message
    assert others_passed(marks, "double-it")


def test_a_loop_that_several_exercises_need_is_waited_for_once(marked):
    began = time.monotonic()
    marks = marked(
        double_it="factor = sum(iter(int, 1))\ndef double_it(x):\n    return factor * x",
        add_one="def add_one(x):\n    return x + factor - 1",
    )
    assert statuses(marks)["double-it"] == "timeout"
    assert others_passed(marks, "double-it", "add-one")
    assert time.monotonic() - began < 60


def test_all_in_all_a_notebook_has_so_much_time(judge, course):
    limits = replace(judge.terms.limits, seconds=3.0)
    loops = {name.replace("-", "_"): f"def {name.replace('-', '_')}(x):\n    while True: pass" for name in SOLUTIONS}
    hasty = replace(judge, terms=replace(judge.terms, limits=limits))
    _, marks, _ = hasty.marks(answered(**loops), (1, 2))
    assert {mark.status for mark in marks} == {"timeout"}
    assert "already been used up" in marks[-1].message


def test_an_answer_must_not_be_right_only_once(marked):
    once = "calls = []\ndef double_it(x):\n    calls.append(1)\n    return 2 * x if len(calls) == 1 else 0 * x"
    mark = marked(double_it=once)["double-it"]
    assert (mark.status, mark.label) == ("wrong", "wrong-value")
    assert any("not on the second" in note for note in mark.notes)


def test_each_exercise_has_names_of_its_own(marked):
    marks = marked(
        double_it="factor = 2\ndef double_it(x):\n    return factor * x",
        add_one="factor = 1\ndef add_one(x):\n    return x + factor",
    )
    assert others_passed(marks)


def scanning(x):
    """An answer with a scan, where there should be none."""
    return f"import jax\ndef no_loop(x):\n    return jax.lax.scan(lambda c, row: (c, row @ {x}), 0, {x})[1]"


def test_who_replaces_what_makes_a_program_is_not_asked(marked):
    lie = "jax.make_jaxpr = lambda f: lambda *a: jax.jit(lambda: 0).trace().jaxpr"
    mark = marked(no_loop=f"{scanning('x')}\n{lie}")["no-loop"]
    assert (mark.status, mark.label) == ("wrong", "a-scan")


def test_a_program_is_proven_by_what_is_exported_and_not_by_what_is_said(marked):
    assert marked(no_loop=scanning("x"))["no-loop"].label == "a-scan"
    lie = "from jaxcourse.probe import _programs as p\np.primitives.__code__ = (lambda f, *a: {}).__code__"
    marks = marked(no_loop=f"{scanning('x')}\nno_loop.lies = exec({lie!r})")
    assert (marks["no-loop"].status, marks["no-loop"].evidence, marks["no-loop"].points) == ("passed", "reported", 1)
    assert others_passed(marks, "no-loop")


ONLY_TWICE = """\
import jax, os
calls = []
def no_loop(x):
    calls.append(not isinstance(x, jax.core.Tracer))
    if sum(calls) > 2:
        {there}
    return x @ x
"""


@pytest.mark.parametrize("there", ["while True: pass", "os.abort()", "raise KeyError"])
def test_a_right_answer_whose_program_cannot_be_proven_has_its_points(marked, there):
    marks = marked(no_loop=ONLY_TWICE.format(there=there))
    mark = marks["no-loop"]
    assert (mark.status, mark.points, mark.evidence) == ("passed", 1, "reported")
    assert others_passed(marks, "no-loop")


def test_a_patch_changes_nothing_where_values_decide(marked):
    mark = marked(double_it="np.allclose = lambda *a, **k: True\ndef double_it(x):\n    return x")["double-it"]
    assert mark.status == "wrong"


def beginning(*cells, **answers):
    """A solved notebook with some cells above the answers."""
    solved = answered(**answers)
    return replace(solved, cells=(*cells, *solved.cells))


AT_HOME = {
    "jax_platform_name": "jax.config.update('jax_platform_name', 'gpu')",
    "jax_platforms": "jax.config.update('jax_platforms', 'cuda,cpu')",
    "jax_default_device": "if True:\n    jax.config.update('jax_default_device', 'gpu')\n    jnp.ones(2)",
    "XLA_FLAGS": "import os\nos.environ['XLA_FLAGS'] = '--xla_gpu_autotune_level=0 --xla_no_such_flag=1'",
}


@pytest.mark.parametrize("setting", AT_HOME)
def test_a_setting_for_the_machine_at_home_costs_nothing_and_is_noted(judge, setting):
    result = judge.grade(beginning("import jax", AT_HOME[setting], "three = jnp.arange(3) + 1"), 1)
    assert {mark.status for mark in result.marks} == {"passed"}, result.marks
    assert [note for note in result.remarks if "the CPU" in note and f"`{setting}`" in note], result.remarks


def test_how_many_devices_the_processor_is_stays_the_notebooks(judge):
    flags = "import os, jax\nos.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=3'"
    result = judge.grade(
        beginning(flags, "assert len(jax.devices()) == 3\nTWO = 2", double_it="double_it = lambda x: TWO * x"), 1
    )
    assert {mark.status for mark in result.marks} == {"passed"}, result.marks
    assert not result.remarks


def test_settings_for_debugging_decide_no_mark(judge):
    names = ("jax_debug_nans", "jax_disable_jit", "jax_enable_checks")
    debugs = [f"jax.config.update('{name}', True)" for name in names]
    result = judge.grade(beginning("import jax", *debugs, "np.seterr(all='raise')", add_one="add_one = lambda x: x"), 1)
    found = {mark.exercise: mark.status for mark in result.marks}
    assert found == dict.fromkeys(SOLUTIONS, "passed") | {"add-one": "wrong"}, result.marks
    assert result.out_of == 6


def test_megabytes_of_modules_can_be_imported_from_their_folders(judge):
    big = f"import data\nfrom tools.core import two\ndef double_it(x):\n    return two * len(data.text) // {2**22} * x"
    modules = (("data.py", f"text = {'x' * 2**22!r}\n"), ("tools/core.py", "two = 2"), ("tools/__init__.py", ""))
    _, marks, _ = judge.marks(replace(answered(double_it=big), modules=modules), (1, 2))
    assert {mark.status for mark in marks} == {"passed"}, marks[0]


LACKS = {
    "in its cell": "import no_such_library\ndouble_it = no_such_library.thing",
    "in its body": "def double_it(x):\n    from no_such_library.part import thing\n    return thing(x)",
    "by a name that is then not there": "import no_such_library as lib\n",
}


@pytest.mark.parametrize("how", LACKS)
def test_an_answer_that_needs_what_is_not_here_is_not_judged(judge, how):
    above = [LACKS[how]] if how.endswith("there") else []
    uses = "def double_it(x):\n    return lib.thing(x)" if above else LACKS[how]
    result = judge.grade(beginning(*above, double_it=uses), 1)
    mark = result.marks[0]
    assert (mark.status, mark.label, mark.points, mark.out_of) == ("stumbled", "module-lacking", 0, 2), mark
    assert "Your code raised" not in mark.message and "`no_such_library`" in mark.message
    assert result.lacks == {"no_such_library"} == Result.from_json(result.to_json()).lacks
    assert others_passed({mark.exercise: mark for mark in result.marks}, "double-it")


def test_what_is_not_here_and_not_needed_costs_nothing(judge):
    imports = "import no_such_library\nimport numpy as np\ndef double_it(x):\n    return 2 * x"
    result = judge.grade(beginning("import no_such_library as lib\nTWO = 2", double_it=imports), 1)
    assert {mark.status for mark in result.marks} == {"passed"} and not result.lacks


def test_an_answer_that_needs_a_module_for_which_there_was_no_room_is_not_judged(judge):
    own = replace(answered(double_it="import data\ndef double_it(x):\n    return data.two * x"), too_large=("data",))
    mark = judge.grade(own, 1).marks[0]
    assert (mark.status, mark.label) == ("stumbled", "module-too-large") and "16 million" in mark.message


def test_what_numpy_has_not_is_the_answers_fault(judge):
    mark = judge.grade(answered(double_it="import numpy.no_such_part\ndouble_it = abs"), 1).marks[0]
    assert (mark.status, mark.label) == ("error", "ModuleNotFoundError")


# -- the inputs -------------------------------------------------------------------------------------------------


def only(judge, course, monkeypatch, check):
    """Let the lesson have one exercise, with another check."""
    lesson = course.lesson("01_toy")
    one = replace(lesson, exercises={"double-it": replace(lesson.exercises["double-it"], check=check)})
    monkeypatch.setitem(judge._read, "01_toy", (one, template(lesson)))


def test_inputs_on_which_the_solution_fails_are_not_used(judge, course, monkeypatch):
    seen = []

    def moody(answer, rng):
        seen.append(rng.integers(2**40))
        answer(np.ones(3))
        if len(seen) == 1:
            raise Diagnosis("moody", "Wrong on this draw.")

    only(judge, course, monkeypatch, moody)
    first = judge.inputs("01_toy", 77, 0)
    assert len(seen) == 3  # the first draw is refused at once, the second is right on both its seeds
    assert judge.inputs("01_toy", 77, 0) == first
    assert len(seen) == 3  # it is kept


def test_a_course_whose_solution_fails_grades_nobody(judge, course, monkeypatch):
    def never(answer, rng):
        raise Diagnosis("never", "Never right.")

    only(judge, course, monkeypatch, never)
    with pytest.raises(CourseFault, match="double-it .*Never right"):
        judge.grade(answered(), 78)


def test_what_the_course_cannot_read_costs_no_student_points(judge, course, monkeypatch):
    def check(answer, rng):
        raise CannotRead("a scan has another name")

    only(judge, course, monkeypatch, check)
    result = judge.grade(answered(double_it="def double_it(x):\n    return 3 * x"), 79)
    (mark,) = result.marks
    assert (mark.status, mark.label, mark.points, mark.out_of) == ("stumbled", "check-stumbled", 0, 0)
    assert mark.message.startswith("This is not your fault") and "a scan has another name" in mark.message


def test_students_get_different_variants_and_each_student_always_the_same():
    students = [Submission(f"s{i}", "", "01_toy", "") for i in range(100)]
    variants = [variant_of(5, student) for student in students]
    assert set(variants) == set(range(_grader.VARIANTS))
    assert variants == [variant_of(5, student) for student in students]
    assert variants != [variant_of(6, student) for student in students]


# -- the process ------------------------------------------------------------------------------------------------


def test_the_warm_parent_must_not_have_started_a_backend(monkeypatch):
    import jax

    jax.devices()
    with pytest.raises(RuntimeError, match="backend"):
        _forkserver.require_forkable()


def test_protections_that_cannot_be_put_up_are_nobodys_mark(course):
    warm = Forkserver()
    with pytest.raises(CannotStart, match="no protection 'moat'"):
        warm.fork(Terms(protections=("moat",)), time.monotonic() + 60)
    warm.close()


def test_the_environment_of_a_submission_holds_no_secret(judge, marked, monkeypatch):
    monkeypatch.setenv("CANVAS_TOKEN", "secret")
    sees = "import os\ndef double_it(x):\n    raise ValueError(str(dict(os.environ)))"
    judge.close()  # so that the warm parent is started with the secret around
    assert "secret" not in marked(double_it=sees)["double-it"].message


def test_a_submission_compiles_quickly(judge, marked, monkeypatch):
    monkeypatch.delenv("XLA_FLAGS", raising=False)  # the tests' own
    same = "mlir.make_ir_context() is mlir.make_ir_context()"
    sees = "import os\nfrom jax._src.interpreters import mlir\n"
    sees += f"def double_it(x):\n    raise ValueError(os.environ['XLA_FLAGS'], {same})"
    judge.close()  # so that the warm parent is started without the flags
    assert str((" ".join(QUICKLY), True)) in marked(double_it=sees)["double-it"].message


def test_a_submission_need_not_import_what_jax_imports_late(judge, marked):
    sees = "import sys\nimport jax.export\nthere = set(sys.modules)\ndef double_it(x):\n"
    sees += "    jax.export.export(jax.jit(jax.numpy.sin))(x), jax.jit(jax.numpy.cos)(x)\n"
    sees += "    raise ValueError(sorted(set(sys.modules) - there))"
    assert "[]" in marked(double_it=sees)["double-it"].message


def test_a_reply_is_cut_to_its_types_whatever_it_says():
    assert reply_from({}) == Reply()
    wild = {"changed": "all", "printed": 5, "printed_total": -3, "foreign": ["x"] * 500, "raised": {"kind": 7}}
    reply = reply_from(wild)
    assert (reply.changed, reply.printed_total) == ((), 0)
    assert isinstance(reply.printed, str)
    assert isinstance(reply.foreign, str)
    assert len(reply.foreign) <= 200
    assert isinstance(reply.raised.kind, str)
    assert raised_from("nothing") is None


# -- the notebook as it stands ----------------------------------------------------------------------------------

DOUBLE = "def double_it(x):\n    return 2 * x"
UNTIDY = {
    "a function registered by a call in another cell": [
        "table = {}\ndef register(name, f):\n    table[name] = f",
        "register('twice', lambda x: 2 * x)",
        "def double_it(x):\n    return table['twice'](x)",
    ],
    "a function registered by a decorator in another cell": [
        "class Table:\n    known = {}\n    def add(self, f):\n        self.known[f.__name__] = f\n        return f",
        "table = Table()",
        "@table.add\ndef twice(x):\n    return 2 * x",
        "def double_it(x):\n    return Table.known['twice'](x)",
    ],
    "a table filled by a call": [
        "factors = {}\ndef fill():\n    factors['two'] = 2",
        "fill()",
        "def double_it(x):\n    return factors['two'] * x",
    ],
    "a file written by a magic and imported": [
        "%%writefile my_helpers.py\ndef twice(x):\n    return 2 * x",
        "import my_helpers\ndef double_it(x):\n    return my_helpers.twice(x)",
    ],
    "a file written by open and read": [
        "with open('factor.txt', 'w') as file:\n    file.write('2')",
        "factor = int(open('factor.txt').read())\ndef double_it(x):\n    return factor * x",
    ],
    "a name made through globals": ["globals()['factor'] = 2", "def double_it(x):\n    return factor * x"],
    "an answer made through globals": ["for n in (2,):\n    globals()['double_it'] = lambda x: n * x"],
    "64 bits at the top, and a table of them": [
        "import jax\njax.config.update('jax_enable_x64', True)\ntwo = jnp.full(3, 2.0)\nassert two.dtype == 'float64'",
        "@jax.jit\ndef double_it(x):\n    return two * jnp.asarray(x)",
    ],
    "a deeper recursion at the top": [
        "import sys\nsys.setrecursionlimit(5_000)",
        "def down(n):\n    return n and down(n - 1)\ndef double_it(x):\n    return 2 * x + down(3_000)",
    ],
    "a magic inside of a function": [
        "def double_it(x):\n    %matplotlib inline\n    y = %time 2 * x\n    return y",
        "def unused(x):\n    t = %timeit -o x\n    return t.best",
    ],
    "a name given twice": [DOUBLE, 'check("double-it")', "double_it = double_it(np.arange(3.0))\nprint(double_it)"],
    "a cell that awaits": ["import asyncio\nasync def two():\n    await asyncio.sleep(0.001)\n    return 2",
                           "factor = await two()\ndef double_it(x):\n    return factor * x"],
    "an import of everything from a file": ["%%writefile all_mine.py\ndef double_it(x):\n    return 2 * x",
                                            "from all_mine import *"],
    "a stub left above": ["def double_it(x):\n    raise NotImplementedError('your turn')",
                          "globals().update(double_it=lambda x: x + x)"],
}  # fmt: skip


@pytest.mark.parametrize("cells", UNTIDY.values(), ids=UNTIDY)
def test_what_passes_in_the_notebook_as_it_stands_counts(judge, cells):
    solved = answered(double_it="").cells
    _, marks, _ = judge.marks(replace(answered(), cells=(*solved, *cells)), (1, 2))
    assert {mark.exercise: (mark.status, mark.label) for mark in marks} == dict.fromkeys(SOLUTIONS, ("passed", ""))


def test_the_code_that_is_shown_is_what_makes_the_answer(marked):
    cell = "factor = 2\nprint('a test')\ndef double_it(x):\n    return factor * x\nassert double_it(1) == 2"
    mark = marked(double_it=cell)["double-it"]
    assert mark.code == "factor = 2\n\ndef double_it(x):\n    return factor * x"


def test_code_of_several_cells_is_shown_with_their_numbers(judge):
    cells = UNTIDY["a table filled by a call"]
    _, marks, _ = judge.marks(replace(answered(), cells=(*cells, "unused = 3")), (1, 2))
    first, last = "# code cell 1\n\nfactors = {}", "# code cell 3\n\ndef double_it(x):\n    return factors['two'] * x"
    assert marks[0].code == f"{first}\n\n{last}"


OUT_OF_ORDER = {
    "a helper below its check": [
        "def double_it(x):\n    return two * x",
        'check("double-it")',
        "two = 2",
    ],
    "a value above what it is made of": ["factor = two\ndef double_it(x):\n    return factor * x", "two = 2"],
    "repaired below its check": ["def double_it(x):\n    return x", 'check("double-it")', DOUBLE],
    "repaired by a table, below its check": [
        "two = [1]\ndef double_it(x):\n    return two[0] * x",
        'check("double-it")',
        "two[0] = 2",
    ],
    "spoilt below its check": [DOUBLE, 'check("double-it")', "def double_it(x):\n    return x"],
    "a helper that is another one below": [
        "def helper(x):\n    return 2 * x",
        "def double_it(x):\n    return helper(x)",
        "def helper(x):\n    return x",
    ],
}


@pytest.mark.parametrize("cells", OUT_OF_ORDER.values(), ids=OUT_OF_ORDER)
def test_an_answer_that_is_right_where_it_is_checked_or_at_the_end_is_right(judge, cells):
    _, marks, _ = judge.marks(replace(answered(), cells=(*answered(double_it="").cells, *cells)), (1, 2))
    assert statuses({mark.exercise: mark for mark in marks}) == dict.fromkeys(SOLUTIONS, "passed")


def test_what_stands_below_an_error_is_run_at_the_end(marked):
    assert others_passed(marked(double_it=f"1 / 0\n{DOUBLE}"))


def test_a_notebook_is_run_once_where_nothing_kills_it(judge, monkeypatch):
    judge.warm(judge.lesson("01_toy")[0])
    begun, fork = [], Forkserver.fork
    monkeypatch.setattr(Forkserver, "fork", lambda self, *a: begun.append(1) or fork(self, *a))
    judge.marks(answered(double_it="def double_it(x):\n    return x"), (1, 2))
    assert len(begun) == 2  # one for the notebook, and a clean one for its programs


NEWER = "def f(x):\n    try:\n        return x\n    except A, B:\n        return 0"


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="this Python reads it")
def test_a_notebook_in_a_newer_python_is_refused_once_before_it_is_run(judge, monkeypatch):
    monkeypatch.setattr(judge, "warm", None)
    monkeypatch.setattr(judge, "inputs", lambda *_: (1, 2))
    needs = answered(double_it="def double_it(x):\n    return f(2 * x)")
    result = judge.grade(replace(needs, cells=(*needs.cells, NEWER)), 1)
    assert result.status == "unreadable" and "Grade it with Python 3.14." in result.reason
    assert {(mark.status, mark.message, mark.points) for mark in result.marks} == {("unreadable", result.reason, 0)}
    assert result.out_of == 6 and Result.from_json(result.to_json()) == result


def test_what_kills_the_notebook_is_left_out_and_the_rest_goes_on(judge):
    cells = [*UNTIDY["a table filled by a call"], "def stop():\n    import os\n    os._exit(3)", "stop()"]
    for order in (cells, [*cells[3:], *cells[:3]]):
        _, marks, _ = judge.marks(replace(answered(), cells=(*answered(double_it="").cells, *order)), (1, 2))
        assert statuses({mark.exercise: mark for mark in marks}) == dict.fromkeys(SOLUTIONS, "passed")


def test_what_waits_for_long_costs_nothing_that_was_judged_above(judge):
    hasty = replace(judge, terms=replace(judge.terms, limits=replace(judge.terms.limits, seconds=12.0)))
    waits = ["import time\ntime.sleep(1.5)\ntime.sleep(1.5)"] * 9
    began = time.monotonic()
    cells = (*answered(double_it="").cells, *waits, DOUBLE)
    _, marks, _ = hasty.marks(replace(answered(), cells=cells), (1, 2))
    assert marks[0].status == "timeout" and time.monotonic() - began < 25
    assert others_passed({mark.exercise: mark for mark in marks}, "double-it")


def test_the_walls_around_a_notebook_as_it_stands_are_the_same(judge, tmp_path):
    (tmp_path / "solution.txt").write_text("2", encoding="utf-8")
    reads = [f"factor = [3]\ndef look():\n    factor[0] = int(open({str(tmp_path / 'solution.txt')!r}).read())\nlook()"]
    reads += ["globals()['two'] = factor[0]", "def double_it(x):\n    return two * x"]
    _, marks, _ = judge.marks(replace(answered(), cells=(*answered(double_it="").cells, *reads)), (1, 2))
    assert marks[0].status == "wrong"  # it has not become 2


def test_a_module_that_was_handed_in_beside_the_notebook_can_be_imported(judge):
    imports = "import my_helpers\ndef double_it(x):\n    return my_helpers.two * x"
    submission = replace(answered(double_it=imports), modules=(("my_helpers.py", "two = 2\n"), ("../out.py", "x = 1")))
    _, marks, _ = judge.marks(submission, (1, 2))
    assert others_passed({mark.exercise: mark for mark in marks})
