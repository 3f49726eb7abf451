"""Every rule of the contract is seen red once, on a toy course that was broken on purpose."""

import ast
import os
import sys

import nbformat
import pytest
from toy import LISTED, MD, PY, edit, toy

from jaxcourse import cli, kernels
from jaxcourse.checks import declare
from jaxcourse.course import Course
from jaxcourse.exercise import Exercise, require
from jaxcourse.insides import quick_flags
from jaxcourse.kernels import Walks
from jaxcourse_author import rules
from jaxcourse_author.lesson import notebooks
from jaxcourse_author.rules import RULES, Contract, _notebooks, _verdicts, readings
from jaxcourse_author.rules._labels import labels_of

__all__ = ["toy"]

STUB = '    """Return twice `x`."""\n    raise NotImplementedError("your turn")'

BROKEN_STUB = 'raise NotImplementedError("your turn")\n\n    return x + x * x'

ASKING = "def plainly(f, x):\n    return f(x)\n\n\ndef asked(answer):\n    return answer.probe(plainly, 1)\n"
ASKS = f"{ASKING}\n\ndef check("

DOC = '    """Require twice `x`.\n\n    A function, since tests put lines into it.\n    """\n'

OBLONG = "    [expect(answer(np.ones(s)), 2 * np.ones(s)) for s in ((2, 3), (3, 4))]\n"

NO_LOOPS = 'words=WORDS, without=[__import__("jaxcourse.bans").bans.no_loops(grows=lambda n: (np.ones(n),))])'


END = "That was all."
CONCEPTS, EXPLAINED = "book/concepts.yml", "concepts_are_explained_before_they_are_used"


def proof(code):
    """A proof cell."""
    return f"```{{code-cell}} ipython3\n:tags: [proof]\n\n{code}\n```"


# rule, file, what is replaced, by what, and what the refusal says
BROKEN = [
    ("files_belong_together", "solutions/course.json", "double-it", "twice-it", "double_it.py: belongs to no lesson"),
    ("notebooks_are_fresh", MD, "That was all.", "That was it.", "solutions/01_toy.ipynb: is not what"),
    ("front_matter_is_complete", MD, "myst:", "minutes: 5\nmyst:", "Remove `minutes`"),
    ("ask_keeps_its_meaning", MD, "print(2 * 3)", "for ask in (2, 3):\n    print(ask)", "gives the name `ask`"),
    ("ask_keeps_its_meaning", MD, "print(2 * 3)", "def ask():\n    pass", "gives the name `ask`"),
    ("lessons_open_as_notebooks", MD, "```\n\n```{exercise-end}", "```\n```{exercise-end}", "Leave one empty line"),
    ("proofs_can_fail", MD, END, proof("six = 2 * 3"), "the proof 'six = 2 * 3' asserts nothing"),
    ("proofs_can_fail", MD, END, proof("assert 2 * 3 == 6, 'no'"), "asserts nothing"),
    ("proofs_can_fail", MD, END, proof("assert np.array([6]) == 6"), "an assert without a message"),
    ("proofs_are_short_and_silent", MD, END, proof("\n".join(["assert np, ''"] * 16)), "more than 15 lines"),
    ("proofs_are_short_and_silent", MD, END, proof("print(np)\nassert np, ''"), "uses `print`"),
    ("proofs_are_short_and_silent", MD, END, proof("assert np, ''\nnp.pi"), "ends in a value"),
    ("proofs_are_short_and_silent", MD, END, proof("assert bench.race({}), ''"), "measures time"),
    ("proofs_are_short_and_silent", MD, END, proof("np.seterr()\nassert np, ''"), "changes settings"),
    ("proofs_stand_apart", MD, "print(2 * 3)", f"b = a\n```\n\n{proof('a = np.pi')[:-4]}", "defines `a`"),
    ("proofs_stand_apart", MD, END, f"{proof('a = np.pi')}\n\n{proof('b = a')}", "defines `a`"),
    ("proofs_stand_apart", MD, END, proof("np.x.y[0] = 1"), "writes into `np`"),
    ("prose_is_independent", MD, END, proof("a = double_it(2)"), "uses the learner's 'double_it'"),
    ("long_cells_are_folded", MD, "import numpy as np\n", "import numpy as np\n" * 13, "more than 12 lines"),
    ("front_matter_is_complete", MD, "after: double", "before: double", "Add `after: predict"),
    ("front_matter_is_complete", MD, "description: A toy", "title: A toy", "no description"),
    ("front_matter_is_complete", MD, " lesson, by which the tools of a course are tried.", ".", "of 6 characters"),
    ("front_matter_is_complete", MD, "A toy lesson", "A to" + "y" * 160, "Search results show 40 to 160"),
    ("insides_are_asked_for", PY, "def check(", "def a(f):\n    return f.eqns\n\n\ndef check(", "reads a jaxpr"),
    ("nothing_is_unfinished", MD, "That was all.", "REPLACE ME", f"{MD}:77: to be written next: what belongs"),
    ("nothing_is_unfinished", PY, "hint: t", "hint: REPLACE ME: a hint, or t", ":22: to be written next: a hint"),
    ("images_have_alt_text", MD, "That was all.", "![](picture.png)", "no alt text"),
    ("images_have_alt_text", MD, "That was all.", '<img src="a.png">', "no alt text"),
    ("images_have_alt_text", MD, "print(2 * 3)", "plt.plot([1])", "a figure has no alt text"),
    ("code_fits_the_page", MD, "print(2 * 3)", f"print({'2 * 3, ' * 12})", "code is wider than"),
    ("prose_types_no_measurement", MD, "That was all.", "It is 3.5 times faster.", "prose says '3.5 times faster'"),
    ("prose_types_no_measurement", MD, "That was all.", "It takes 20 ms.", "prose says '20 ms'"),
    ("prose_types_no_measurement", MD, "That was all.", "It reaches 12 GB/s.", "prose says '12 GB/s'"),
    ("sections_exist", PY, 'see="doubling"', 'see="halving"', "which labels no section"),
    ("sections_exist", PY, "squared: That", "squared [halving]: That", "sees 'halving'"),
    ("labels_are_unique", "book/index.md", "# Toy", "(doubling)=\n# Toy", "the label `(doubling)=` is also in"),
    ("labels_are_no_headings", MD, "## Doubling", "## Double it", "is named like a heading"),
    ("concepts_are_declared_as_they_are", CONCEPTS, "[doubling]", "[halving]", "'halving', which labels no section"),
    ("concepts_are_declared_as_they_are", CONCEPTS, "[twice]", "[thrice]", "no section uses 'twice'"),
    (EXPLAINED, MD, "(doubling)=", "## Before\n\nTwice.\n\n(doubling)=", ":28: `Before` uses twice (twice)"),
    (EXPLAINED, CONCEPTS, "concepts:", "awaited: [doubling]\nconcepts:", "'doubling' is awaited, and is here"),
    ("prose_is_independent", MD, "print(2 * 3)", "print(double_it(3))", "uses the learner's 'double_it'"),
    ("lessons_and_checks_agree", PY, 'declare("double-it"', 'declare("triple-it"', "double_it.py: there is no check"),
    ("lessons_and_checks_agree", PY, 'declare("double-it"', 'declare("triple-it"', "never asked"),
    ("lessons_and_checks_agree", MD, 'check("double-it")', 'check("double-it"); print()', "is not one call"),
    ("names_are_unique", PY, 'declare("double-it"', 'declare("triple-it"', "declared in a file of another name"),
    ("names_are_unique", LISTED, "def adds_two", "def squares", "`squares` is defined twice"),
    ("checks_run", PY, "= numbers(answer(x))", "= numbers(answer(x)) + None", f"{PY}:15: the check stumbles over the"),
    ("hints_are_given", PY, "hint: twice", "hint: ", "no hint, or an empty one"),
    ("words_and_labels_agree", PY, "squared: T", "twice-squared: T", "has no words for 'squared'"),
    ("words_and_labels_agree", PY, "squared: T", "cubed: No.\nsquared: T", "has words for 'cubed', and nothing in"),
    ("words_and_labels_agree", PY, "wrong-value: Twice.", "", "has no words for 'wrong-value'"),
    ("functions_say_why", PY, "    A function, since", "    It is one:", "made of functions alone, and none"),
    ("functions_say_why", PY, DOC, "", "the step `check` of 'double-it' does not say what it requires"),
    ("questions_for_values_say_so", PY, "def check(", ASKS, "the question `plainly` hands on"),
    ("stubs_match_solutions", MD, STUB, STUB.replace("twice", "double"), "differ in signature or docstring"),
    ("stubs_match_solutions", MD, "def double_it(x):\n" + STUB, "def double_it(y):\n" + STUB, "differ in signature"),
    ("blanks_are_not_attempted", MD, 'raise NotImplementedError("your turn")', "return 2 * x", "judged `passed`"),
    ("blanks_are_not_attempted", MD, 'raise NotImplementedError("your turn")', "return x", "judged `wrong`"),
    ("solutions_pass", MD, "return 2 * x", "return 3 * x", "judged `wrong` (wrong-value"),
    ("solutions_pass", PY, "x = rng.normal(size=3)", "x = rng.normal(size=3) * (rng.random() < 0.9)", "on seed"),
    ("squares_are_asked", PY, "    expect(answer(-x)", f"{OBLONG}    expect(answer(-x)", "never a square matrix"),
    ("wrong_answers_are_diagnosed", LISTED, 'return x * x', "return 2 * x", "should be 'squared'"),
    ("wrong_answers_are_diagnosed", LISTED, 'return x + 2', "return x * x", "`wrong` (squared"),
    ("wrong_answers_are_diagnosed", LISTED, 'return x * x', "return 2 * x", "an input on which it shows"),
    ("wrong_answers_are_diagnosed", LISTED, 'return x * x', "return x @ x[:, :0]", '`raising={"squared": '),
    ("wrong_answers_are_diagnosed", LISTED, 'return x + 2', "return x * x", "Put the specific requirement"),
    ("wrong_answers_are_diagnosed", LISTED, '@wrong("double-it", "s', '@wrong("halve-it", "s', "unknown"),
    ("enough_wrong_answers", LISTED, '@wrong("double-it", "wrong-shape")\n', "", "lists 2 wrong answers"),
    ("diagnoses_are_reached", LISTED, '"double-it", "squared"', '"double-it", "nan"', "reaches 'squared'"),
    ("broken_programs_are_listed", MD, 'raise NotImplementedError("your turn")', BROKEN_STUB, "not its first wrong"),
    ("bans_are_broken_once", PY, "words=WORDS)", NO_LOOPS, "breaks its ban `no_loops(...)`"),
    ("tasks_and_bans_agree", PY, "words=WORDS)", NO_LOOPS, "neither its task nor its section says so"),
    ("tasks_and_bans_agree", MD, "Double `x`.", "Double `x` without a loop.", "forbids a loop"),
    ("right_answers_are_listed", LISTED, '@right("double-it")\n', "", "lists no right answer"),
    ("right_answers_pass", LISTED, '@right("double-it")', '@right("halve-it")', "unknown exercise 'halve-it'"),
    ("right_answers_pass", LISTED, "return x + x", "return x - x", "a right answer to 'double-it' is judged `wrong`"),
    ("fakes_are_refused", PY, "    expect(answer(-x), -2 * x)\n", "", "passes remembered by shape"),
    ("checks_are_repeatable", PY, "x = rng.normal(size=3)", "x = np.random.normal(size=3)", "says"),
    ("odd_answers_are_survived", PY, "numbers(answer(x))", "answer(x).astype(float)", "stumbles over the answer"),
    ("odd_answers_are_survived", PY, "got = numbers(answer(x))", "return", "is judged `passed`"),
]  # fmt: skip


READS = {
    "from jax._src import core": "a private module",
    "import jax._src.core": "a private module",
    "from jax import make_jaxpr": "a jaxpr",
    "jax._src.core": "a private module",
    "traced.jaxpr": "a jaxpr",
    "equation.params['length']": "the parameters of an equation",
    "f.lower(x).as_text()": "the text of a compiled program",
    "re.findall(r'all-reduce', text)": "a regular expression",
    "re.search(r'stablehlo\\.add', text)": "a regular expression",
    "jax.jit(f).lower(x).compile()": "",
    "re.findall('a loop', text)": "",
    "insides.read(f, x).everything": "",
}


@pytest.mark.parametrize("code", READS)
def test_who_reads_the_insides_of_jax_is_named(code):
    found = " ".join(what for _, what in readings(ast.parse(code)))
    assert READS[code] in found and bool(found) == bool(READS[code])


def refusals(root, rule):
    (found,) = (one for one in RULES if one.name == rule)
    return "\n".join(map(str, found.refusals(Contract(root))))


@pytest.mark.parametrize("rule", [one.name for one in RULES if not one.slow])
def test_a_course_that_is_whole_is_accepted(toy, rule):
    assert refusals(toy, rule) == ""


@pytest.mark.parametrize(("rule", "file", "old", "new", "words"), BROKEN)
def test_a_broken_course_is_refused_by_its_rule(toy, rule, file, old, new, words):
    edit(toy / file, old, new)
    assert words in refusals(toy, rule)


def test_a_label_in_a_helper_must_be_reached_too(toy):
    helper = 'def require_few(got):\n    require(len(got) < 9, "too-many")\n\n\ndef check('
    edit(toy / PY, "def check(", helper)
    assert refusals(toy, "diagnoses_are_reached") == ""
    edit(toy / PY, "    expect(got, 2 * x", "    require_few(got)\n    expect(got, 2 * x")
    assert "no wrong answer to 'double-it' reaches 'too-many'" in refusals(toy, "diagnoses_are_reached")


def test_a_measurement_in_code_may_stand_in_prose(toy):
    edit(toy / MD, "That was all.", "The cell prints `20 ms`, whatever it takes.")
    assert refusals(toy, "prose_types_no_measurement") == ""


def test_wrong_answers_are_judged_on_several_seeds_if_asked(toy):
    edit(toy / PY, "    expect(got, 2 * x", '    require(rng.random() < 0.5, "odd")\n    expect(got, 2 * x')
    assert "should be 'wrong-value'" not in refusals(toy, "wrong_answers_are_diagnosed")
    (pair,) = Contract(toy, seeds=12).pairs
    assert "should be 'wrong-value': on seed 1 it is" in "\n".join(
        map(str, _verdicts.wrong_answers_are_diagnosed(pair))
    )


def test_every_rule_was_broken():
    unbroken = {one.name for one in RULES} - {rule for rule, *_ in BROKEN}
    elsewhere = {
        "predictions_are_true",
        "exercises_have_an_idea",
        "no_example_is_the_answer",
        "lessons_come_after_what_they_need",
        "paths_are_closed",
        "plans_hold",
        "sheets_hold",
        "placement_unlocks_what_it_asks",
        "what_repeats_comes_after",
        "withheld_is_left_out",
        "withheld_answers_can_be_called",
    }  # broken in tests of their own
    assert unbroken == {one.name for one in RULES if one.slow} | elsewhere


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("trains: [doubling]", ""),
        ("trains: [double-it]", ""),
        ("trains: [halving]", "'double-it' trains no idea\n    Add 'doubling' to `trains` of an idea."),
        ("trains: []\n  predicts: [doubling]", "Move 'doubling' from `predicts` to `trains` of an idea."),
    ],
)
def test_in_a_course_with_ideas_an_exercise_trains_one(toy, named, words):
    assert refusals(toy, "exercises_have_an_idea") == ""
    (toy / "book/ideas.yml").write_text(f"- idea: Twice\n  about: Two of them.\n  {named}\n", encoding="utf-8")
    said = refusals(toy, "exercises_have_an_idea")
    assert words in said and bool(words) == bool(said)


def test_a_broken_program_may_be_the_first_wrong_answer(toy):
    edit(toy / MD, 'raise NotImplementedError("your turn")', BROKEN_STUB.replace("x + x * x", "x * x  # squares"))
    assert refusals(toy, "broken_programs_are_listed") == ""
    assert refusals(toy, "blanks_are_not_attempted") == ""


STRAYS = ["notebooks/02_old.ipynb", "solutions/notes.txt", "exercises_tests/ex_09_old.py", "tests/answers/09_old"]


@pytest.mark.parametrize("stray", [*STRAYS, "exercises_tests/01_toy/old.py"])
def test_a_stray_file_is_refused(toy, stray):
    (toy / stray).write_text("x = 1\n")
    assert stray in refusals(toy, "files_belong_together")


@pytest.mark.parametrize("folder", ["notebooks", "solutions"])
def test_what_programs_leave_behind_is_no_stray(toy, folder):
    (toy / folder / ".ipynb_checkpoints").mkdir()
    (toy / folder / "__pycache__").mkdir()
    assert refusals(toy, "files_belong_together") == ""


def test_wrong_answers_are_counted_for_each_exercise(toy):
    another = (toy / PY).read_text().replace("double-it", "triple-it").replace("double_it", "triple_it")
    (toy / PY).with_name("triple_it.py").write_text(another)
    assert "triple_it.py: 'triple-it' lists 0 wrong answers" in refusals(toy, "enough_wrong_answers")
    assert "no wrong answer to 'triple-it' reaches 'squared'" in refusals(toy, "diagnoses_are_reached")


def test_a_verdict_is_short(toy):
    edit(toy / PY, "That is the square.", "That is the square. " * 99)
    edit(toy / PY, "is_close(got, x * x)", "got.shape != x.shape")
    assert "as an answer to 'double-it' is judged" in refusals(toy, "odd_answers_are_survived")


def test_odd_entries_of_a_prediction_are_tried(toy):
    stub, answer = 'def double_it(x):\n    """Return twice `x`."""\n    ', "double_it = {'one': "
    edit(toy / MD, stub + 'raise NotImplementedError("your turn")', answer + "...}")
    edit(toy / MD, stub + "return 2 * x", answer + "2}")
    body = (toy / PY).read_text().split("def check(answer, rng):\n")[1].split("\n\n\n")[0]
    edit(
        toy / PY,
        body,
        '    got = answer.value()\n    require(isinstance(got, dict), "squared")\n    got["one"] + 0',
    )
    said = refusals(toy, "odd_answers_are_survived")
    assert f"{PY}:12: the check stumbles over the answer `{{'one': None}}`: TypeError" in said


def test_a_lesson_without_checks_is_refused(toy):
    (toy / PY).unlink()
    assert "has no checks" in refusals(toy, "files_belong_together")


def test_a_name_may_be_used_once_in_the_course(toy):
    for name in (MD, PY):
        copy = toy / name.replace("01_toy", "02_toy")
        copy.parent.mkdir(exist_ok=True)
        copy.write_text((toy / name).read_text())
    edit(toy / "_toc.yml", "01_toy", "01_toy\n  - file: notebooks/02_toy")
    assert f"'double-it' is also in {PY}" in refusals(toy, "names_are_unique")


def test_a_solution_that_does_not_run_is_named(toy):
    edit(toy / MD, "    return 2 * x", "    return 2 * x\n\n1 / 0")
    with pytest.raises(notebooks.LessonError, match="ZeroDivisionError"):
        refusals(toy, "solutions_pass")


def test_checks_that_cannot_be_imported_are_named(toy, capsys):
    edit(toy / PY, "import numpy as np", "import numpy as np\n\n1 / 0")
    assert cli.main(["--course", str(toy), "check", "--quick"]) == 2
    assert f"{PY}: importing it raises ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        (MD, "print(2 * 3)", "print(2 *", "a cell that begins with 'print(2 *' is not Python"),
        (MD, "import numpy as np", "import nonumpy", "a cell tagged `setup` raises ModuleNotFoundError"),
        (PY, "def check(", "def check((", "importing it raises SyntaxError"),
        (LISTED, "squares(x)", "squares(x:", "importing it raises SyntaxError"),
    ],
)
def test_what_cannot_be_run_is_named_without_a_stack(toy, capsys, file, old, new, words):
    edit(toy / file, old, new)
    assert cli.main(["--course", str(toy), "check", "--quick"]) == 2
    assert f"{file}: {words}" in capsys.readouterr().err


def test_an_unknown_lesson_does_not_hold(toy, capsys):
    assert cli.main(["--course", str(toy), "check", "--quick", "01_toys"]) == 2
    assert "no lesson '01_toys'. Did you mean '01_toy'?" in capsys.readouterr().err


def test_an_edit_of_the_same_second_and_size_is_proved(toy, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    path, word = toy / PY, "doubling"
    for see, refused in ((word, False), (word[::-1], True)):
        edit(path, f'see="{word}"', f'see="{see}"')
        os.utime(path, (1e9, 1e9))
        assert bool(refusals(toy, "sections_exist")) == refused


COMPILES_QUICKLY = """
from jax._src.interpreters import mlir
assert mlir.make_ir_context() is mlir.make_ir_context()
"""


def test_which_cells_of_a_notebook_fail(toy, monkeypatch):
    """A real run of nbval; the toy's exercise is not in the course, so its check is replaced by a plain cell."""
    book = nbformat.v4.new_notebook()
    sources = ("x = 1", "assert x == 2", "x", "x", "assert '_insides' not in globals()", COMPILES_QUICKLY)
    book.cells = [nbformat.v4.new_code_cell(source) for source in sources]
    book.cells[3].metadata["tags"] = ["nbval-skip"]  # what is not run has not passed
    nbformat.write(book, toy / "book.ipynb")
    book.cells += [nbformat.v4.new_code_cell("pass", metadata={"tags": [tag]}) for tag in ("setup", "proof")]
    nbformat.write(book, toy / "book.ipynb")
    monkeypatch.setattr(_notebooks, "PROOF_SECONDS", 0)
    failures = rules.run_nbval(toy / "book.ipynb", toy)
    assert failures[6] == "" and "It is a proof, and took" in failures[7]
    assert [bool(failures[i]) for i in range(6)] == [False, True, False, True, False, False]
    assert "AssertionError" in failures[1]


@pytest.mark.skipif(not quick_flags(), reason="a newer JAX is told nothing")
@pytest.mark.parametrize(("said", "level"), [("", 0), ("compute_bound: true\n", 1)])
def test_a_lesson_that_computes_for_long_is_tested_with_faster_programs(toy, monkeypatch, said, level):
    own = "--xla_cpu_enable_fast_math=false"
    monkeypatch.setenv("XLA_FLAGS", f"{quick_flags()[0]} {own}")
    edit(toy / MD, "after: double", f"{said}after: double")
    edit(
        toy / MD,
        "print(2 * 3)",
        f"import os\nassert set(os.environ['XLA_FLAGS'].split()) == {{*{quick_flags(level)}, {own!r}}}",
    )
    assert refusals(toy, "notebooks_pass_solved_and_fail_blank") == ""


UNTRIED = "CheckFailed: double-it: not attempted"
PASSED = dict.fromkeys(range(8), "")
"""Each cell of the toy's, by its place among those with code."""


@pytest.mark.parametrize(
    ("outcomes", "words"),
    [
        ({**PASSED, 5: UNTRIED}, ""),
        (PASSED, "'check(\"double-it\")' passes without an answer"),
        ({**PASSED, 5: "NameError"}, "'check(\"double-it\")' fails otherwise: NameError"),
        ({**PASSED, 3: "Oh", 5: UNTRIED}, "the cell 'print(2 * 3)' fails: Oh"),
        ({**PASSED, 5: UNTRIED, 7: "No"}, "the cell 'check(\"double-it\")' fails: No"),
        ({place: "" for place in range(7)} | {5: UNTRIED}, "It was not run."),
    ],
)
def test_a_notebook_passes_solved_and_fails_blank(toy, monkeypatch, outcomes, words):
    monkeypatch.setattr(_notebooks, "run_nbval", lambda path, course, level: outcomes)
    said = refusals(toy, "notebooks_pass_solved_and_fail_blank")
    assert words in said and bool(said) == bool(words)


def test_a_notebook_is_run_with_its_own_course(toy):
    assert refusals(toy, "notebooks_pass_solved_and_fail_blank") == ""
    edit(toy / MD, "print(2 * 3)", "assert 2 * 3 == 5")
    assert "the cell 'assert 2 * 3 == 5' fails" in refusals(toy, "notebooks_pass_solved_and_fail_blank")


def test_what_a_solution_defines_is_not_used_outside(toy):
    edit(toy / MD, "    return 2 * x", "    return TWO * x\n\n\nTWO = 2")
    assert refusals(toy, "prose_is_independent") == ""
    edit(toy / MD, "print(2 * 3)", "print(TWO * 3)")
    assert "a cell outside the exercises uses the learner's 'TWO'" in refusals(toy, "prose_is_independent")
    edit(toy / MD, "print(TWO * 3)", "TWO = 2\nprint(TWO * 3)")
    assert refusals(toy, "prose_is_independent") == ""


def test_a_rule_says_what_it_proves():
    with pytest.raises(TypeError, match="needs a docstring"):

        @rules.rule(per="course")
        def silent(contract):
            yield from ()


def test_no_task_shows_an_answer_as_an_example(toy):
    test_a_prediction_is_held_against_the_truth(toy)
    edit(toy / MD, "double_it = np.array([2, 6])", "double_it = (2, 6)")
    for shown, is_answer in {"`(3, 4)`": False, "`(2, 6)`": True, "`6`": True, "`3`": True, "`x`": False}.items():
        edit(toy / MD, "Double `x`.", f"Double `x`, such as {shown}.")
        assert ("is an answer to it" in refusals(toy, "no_example_is_the_answer")) == is_answer, shown
        edit(toy / MD, f", such as {shown}.", ".")


def test_a_prediction_is_held_against_the_truth(toy):
    stub, answer = 'def double_it(x):\n    """Return twice `x`."""\n    ', "double_it = "
    edit(toy / MD, stub + 'raise NotImplementedError("your turn")', answer + "...")
    edit(toy / MD, stub + "return 2 * x", answer + "(2, 6)")
    declared = (
        "from jaxcourse.prediction import Mistake, prediction\n\n"
        'twice = prediction("double-it", see="doubling", hint="twice", otherwise="o", truth=lambda: (2, 2 * 3),\n'
        '    mistakes=[Mistake("a", (2, 3), "m"), Mistake("b", {0: 3}, "m"), Mistake("c", {1: 8}, "m")])\n'
    )
    (toy / PY).write_text(declared)
    (toy / LISTED).unlink()
    for one in (one for one in RULES if not one.slow and one.name != "notebooks_are_fresh"):
        assert refusals(toy, one.name) == ""
    edit(toy / PY, "2 * 3", "2 * 4")
    assert "the solution of 'double-it' is (2, 6), and `<lambda>` gives (2, 8)" in refusals(toy, "predictions_are_true")
    edit(toy / MD, "double_it = (2, 6)", "double_it = np.array([2, 6])")
    with pytest.raises(notebooks.LessonError, match="write its value out"):
        refusals(toy, "predictions_are_true")


def test_a_label_of_a_shared_helper_must_be_reached_too(toy, monkeypatch):
    (toy / "shared.py").write_text(
        "from jaxcourse.checks import require\n\n"
        '__name__ = "jaxcourse.shared"\n\n\n'
        "def require_few(got):\n"
        '    require(len(got) < 9, "too-many")\n'
    )
    monkeypatch.syspath_prepend(toy)
    edit(toy / PY, "    expect(got, 2 * x", "    require_few(got)\n    expect(got, 2 * x")
    edit(toy / PY, "import numpy as np", "import numpy as np\nfrom shared import require_few")
    assert "no wrong answer to 'double-it' reaches 'too-many'" in refusals(toy, "diagnoses_are_reached")
    sys.modules.pop("shared")


def test_a_notebook_that_pytest_cannot_read_is_no_silent_success(toy):
    (toy / "book.ipynb").write_text("{")
    with pytest.raises(RuntimeError, match="could not run"):
        rules.run_nbval(toy / "book.ipynb", toy)


def test_the_summary_counts(toy):
    assert rules.summary(Contract(toy)) == (
        "1 lesson (10 minutes), 0 proofs, 1 exercises, 0 of them for practice, 1 more right and 3 wrong answers"
    )


def test_minutes_are_a_figure_and_a_warning(toy, capsys):
    assert list(rules.warnings(Contract(toy))) == []
    edit(toy / MD, "skip-execution]\n\ndef", "skip-execution]\n:minutes: 91\n\ndef")
    (warning,) = rules.warnings(Contract(toy))
    assert f"{MD}: the core path takes 95 minutes, and a sitting has 90." in warning
    notebooks.write(Course(toy))
    assert cli.main(["--course", str(toy), "check", "--quick"]) == 0
    assert f"! {warning}" in capsys.readouterr().out
    edit(toy / MD, ":label: double-it\n", ":label: double-it\n:class: practice\n")
    assert list(rules.warnings(Contract(toy))) == []
    assert "(5 minutes, 95 with practice), 0 proofs, 1 exercises, 1 of them" in rules.summary(Contract(toy))


def test_each_sitting_has_its_own_limit(toy):
    edit(toy / MD, "after: double", "sittings: 2\nafter: double")
    edit(toy / MD, "skip-execution]\n\ndef", "skip-execution]\n:minutes: 80\n\ndef")
    edit(toy / MD, "That was all.", "(toy-sitting-2)=\n## More\n\n" + "word " * 180 * 88)
    assert list(rules.warnings(Contract(toy))) == []
    edit(toy / MD, "## More\n", "## More\n\n" + "word " * 180 * 3)
    (warning,) = rules.warnings(Contract(toy))
    assert f"{MD}: the core path of sitting 2 takes 95 minutes, and a sitting has 90." in warning


def test_the_command_cuts_a_long_list_of_refusals(toy, capsys):
    edit(toy / MD, "That was all.", "\n\n+++\n\n".join(["It takes 20 ms."] * 14))
    assert cli.main(["--course", str(toy), "check", "--quick"]) == 1
    said = capsys.readouterr().out
    assert said.count("prose says") == 10 and "... and 4 more" in said


def test_the_command_ends_in_one_line(toy, capsys):
    command = ["--course", str(toy), "check", "--quick"]
    assert cli.main(command) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("Everything holds: 1 lesson")
    edit(toy / PY, "hint: twice", "hint:  ")
    assert cli.main(command) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("1 refused")


KNOWN = """    Asked(answer, lambda x: 2 * x).require([(x,)], mistakes=MISTAKES)
    got"""
KEPT = """from jaxcourse.checks import seen
from jaxcourse.inputs import Asked

MISTAKES = {
    "as-it-is": lambda x: x,
    "ones": seen(lambda reply: reply.got.ndim == 0),
    "zeros": [lambda x: 0 * x],
}


def check("""


def test_a_label_of_a_mistake_that_is_kept_beside_the_check_must_have_words_and_be_reached(toy):
    edit(toy / PY, "    got", KNOWN)
    edit(toy / PY, "def check(", KEPT)
    for label in ("as-it-is", "ones", "zeros"):
        assert f"has no words for {label!r}" in refusals(toy, "words_and_labels_agree")
        assert f"reaches {label!r}" in refusals(toy, "diagnoses_are_reached")


STEPS = """steps=[
        Agrees(
            lambda x: 2 * x,
            lambda rng, n: (rng.normal(size=n),),
            mistakes={
                "known": seen(lambda reply: refuse(False, "in-a-test")),
            },
            then=[Also(lambda x: 2 * x, otherwise="also"), lambda answer, replies: refuse(False, "after")],
            raising={
                "raised": lambda error: refuse(False, "in-a-reason"),
            },
        ),
        check,
    ]"""


def test_labels_of_a_step_and_of_functions_in_the_middle_of_it_must_have_words(toy):
    edit(toy / PY, "steps=[check]", STEPS)
    edit(toy / PY, "import declare,", "import Agrees, Also, declare, seen,")
    found = refusals(toy, "words_and_labels_agree")
    for label in ("known", "in-a-test", "also", "after", "raised", "in-a-reason"):
        assert f"has no words for {label!r}" in found
    assert refusals(toy, "functions_say_why") == ""


def test_what_is_said_in_the_code_needs_no_words(toy):
    edit(
        toy / PY, "    expect(answer(-x)", '    refuse(got is x, "the-same", said="It is `x`.")\n    expect(answer(-x)'
    )
    assert refusals(toy, "words_and_labels_agree") == ""


# -- a first version --------------------------------------------------------------------------------------------

FIRST = """\
from jaxcourse.checks import Agrees, Shaped, declare

MISTAKES = {"squared": lambda x: x * x, "as-it-is": lambda x: x, "halved": lambda x: x / 2}

WORDS = \"\"\"
hint: twice
squared: That is the square.
as-it-is: You changed nothing.
halved: That is the half.
wrong-value: Twice.
\"\"\"

steps = [Agrees(lambda x: 2 * x, Shaped("n"), [(3,), (1,)], mistakes=MISTAKES)]
double_it = declare("double-it", see="doubling", steps=steps, words=WORDS)
"""


@pytest.fixture
def first(toy):
    """A toy whose exercise has an oracle, a draw and three mistakes, and no listed answer."""
    (toy / PY).write_text(FIRST)
    (toy / LISTED).unlink()
    return toy


def test_a_first_version_may_land_and_is_told_what_it_lacks(first, capsys):
    assert cli.main(["--course", str(first), "check", "--quick"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[-1].startswith("Everything holds: 1 lesson") and "0 more right and 3 wrong answers" in said[-1]
    advice = [line for line in said if line.startswith("! tests/")]
    assert [line.partition(": ")[2] for line in advice] == [
        "no wrong answer to 'double-it' reaches 'wrong-value'",
        "'double-it' lists no right answer beside its solution",
    ]
    assert not [line for line in said if line.startswith("✗")]


def test_a_first_version_with_two_mistakes_may_not(first):
    edit(first / PY, ', "halved": lambda x: x / 2', "")
    assert "'double-it' knows 2 mistakes, and lists 0 wrong answers" in refusals(first, "enough_wrong_answers")


def test_a_mistake_that_gets_another_diagnosis_does_not_count_and_is_no_refusal(first):
    edit(first / PY, "lambda x: x / 2", "lambda x: 2 * x")
    (pair,) = Contract(first).pairs
    assert [wrong.label for wrong in pair.own_mistakes("double-it")] == ["squared", "as-it-is"]
    assert refusals(first, "enough_wrong_answers") == refusals(first, "wrong_answers_are_diagnosed") == ""
    assert "2 wrong answers to 'double-it' get their diagnosis" in refusals(first, "diagnoses_are_reached")


@pytest.mark.parametrize(("ask", "own"), [("probe.under_jit", 3), ("probe.on_jax_arrays", 3), ("lambda f, x: f(x)", 0)])
def test_mistakes_list_themselves_where_an_answer_is_called_and_no_more(first, ask, own):
    edit(first / PY, "mistakes=MISTAKES", f"mistakes=MISTAKES, ask={ask}, rtol=1e-5")
    edit(first / PY, "from jaxcourse.checks", "from jaxcourse import probe\nfrom jaxcourse.checks")
    (pair,) = Contract(first).pairs
    assert len(pair.own_mistakes("double-it")) == own


# -- what stops everything else ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("= numbers(answer(x))", "= numbers(answer(x)) + None", 15, "the check stumbles over the solution: TypeError"),
        ("require\n", "require\nfrom jaxcourse.exercise import nothing\n", 6, "ImportError"),
        ("answer(-x)", "answer(-x) if got[0] == 0 else answer(x) + None", 18, "stumbles over the solution"),
    ],
)
def test_a_check_that_stumbles_is_said_once_with_its_line_and_nothing_that_follows(toy, capsys, old, new, line, words):
    edit(toy / PY, old, new)
    assert cli.main(["--course", str(toy), "check", "--quick"]) in (1, 2)
    printed = capsys.readouterr()
    said = printed.out + printed.err
    assert words in said and ("1 refused" in said or "raises ImportError" in said)
    assert f"{PY}:{line}: " in said or f"in line {line}: mend it" in said
    assert said.count("✗") <= 1 and said.count(PY) == 1


def test_a_truth_that_raises_is_said_with_its_line(toy):
    test_a_prediction_is_held_against_the_truth(toy)
    edit(toy / PY, "2 * 4", "2 * none")
    edit(toy / MD, "double_it = np.array([2, 6])", "double_it = (2, 6)")
    assert f"{PY}:3: `<lambda>` raises: NameError" in refusals(toy, "predictions_are_true")


def test_an_unfinished_exercise_is_one_line_and_the_others_are_proved(toy, capsys):
    edit(toy / PY, "squared: That", "squared: REPLACE ME: what went wrong. That")
    edit(toy / PY, "hint: twice", "hint: REPLACE ME")
    edit(toy / MD, "Because two.", "REPLACE ME: the reasoning.")
    notebooks.write(Course(toy))
    assert cli.main(["--course", str(toy), "check", "--quick"]) == 1
    said = capsys.readouterr().out
    assert f"{MD}:64: to be written next: the reasoning (2 more places after it)\n" in said
    assert said.count("✗") == 1 and "1 refused: 1 lesson" in said and "0 exercises" in said
    assert cli.main(["--course", str(toy), "check", "--inputs", "double-it"]) == 2
    assert "to be written next" in capsys.readouterr().err


def given_a_part(part=lambda answer, rng: None):
    """A step that asks a part, beside one that nobody uses here."""

    def other(answer, rng):
        require(answer, "of-the-other", "No.")

    return part, other


def test_the_rules_of_a_walk_are_labels():
    walk = Walks(lambda rng, n: (n,), [3], rules=[kernels.in_order(), kernels.covers("rest")])
    found = [*labels_of(declare("a", see="s", steps=[walk], words=""))]
    assert found == ["no-kernel", "several-kernels", "block-outside", "comes-back", "rest"]


def test_a_lambda_has_no_labels_of_the_function_in_whose_line_it_stands():
    """Such as what an argument is by default."""
    part, other = given_a_part()
    assert list(labels_of(Exercise("a-part", part))) == []
    assert list(labels_of(Exercise("other", other))) == ["of-the-other"]
