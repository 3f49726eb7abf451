"""Every rule of the contract is seen red once, on a toy course that was broken on purpose."""

import os
import sys

import nbformat
import pytest
from toy import edit, toy

from jaxcourse import cli
from jaxcourse.course import notebooks, rules
from jaxcourse.course.rules import RULES, Contract, _notebooks, _verdicts

__all__ = ["toy"]

MD, PY = "notebooks/01_toy.md", "exercises_tests/ex_01_toy.py"
STUB = '    """Return twice `x`."""\n    raise NotImplementedError("your turn")'

BROKEN_STUB = 'raise NotImplementedError("your turn")\n\n    return x + x * x'

ASKING = "def plainly(f, x):\n    return f(x)\n\n\ndef asked(answer):\n    return answer.probe(plainly, 1)\n"
ASKS = f'{ASKING}\n\n@exercise("double-it"'

OBLONG = '    [expect(answer(np.ones(s)), 2 * np.ones(s), "Twice.") for s in ((2, 3), (3, 4))]\n'

NO_LOOPS = 'hint="twice", without=[__import__("jaxcourse.bans").bans.no_loops(grows=lambda n: (np.ones(n),))])'

# rule, file, what is replaced, by what, and what the refusal says
BROKEN = [
    ("files_belong_together", "_toc.yml", "01_toy", "02_other", "lesson 01_toy is missing"),
    ("notebooks_are_fresh", MD, "That was all.", "That was it.", "solutions/01_toy.ipynb: is not what"),
    ("front_matter_is_complete", MD, "myst:", "minutes: 5\nmyst:", "Remove `minutes`"),
    ("lessons_fit_a_sitting", MD, "skip-execution]\n\ndef", "skip-execution]\n:minutes: 91\n\ndef", "takes 95 minutes"),
    ("long_cells_are_folded", MD, "import numpy as np\n", "import numpy as np\n" * 13, "more than 12 lines"),
    ("front_matter_is_complete", MD, "after: double", "before: double", "Add `after: predict"),
    ("front_matter_is_complete", MD, "description: A toy.", "title: A toy.", "no description"),
    ("nothing_is_unfinished", MD, "That was all.", "REPLACE ME", "still says"),
    ("nothing_is_unfinished", PY, '"twice"', '"REPLACE ME"', "still says"),
    ("images_have_alt_text", MD, "That was all.", "![](picture.png)", "no alt text"),
    ("images_have_alt_text", MD, "That was all.", '<img src="a.png">', "no alt text"),
    ("images_have_alt_text", MD, "print(2 * 3)", "plt.plot([1])", "a figure has no alt text"),
    ("code_fits_the_page", MD, "print(2 * 3)", f"print({'2 * 3, ' * 12})", "code is wider than"),
    ("prose_types_no_measurement", MD, "That was all.", "It is 3.5 times faster.", "prose says '3.5 times faster'"),
    ("prose_types_no_measurement", MD, "That was all.", "It takes 20 ms.", "prose says '20 ms'"),
    ("prose_types_no_measurement", MD, "That was all.", "It reaches 12 GB/s.", "prose says '12 GB/s'"),
    ("sections_exist", PY, 'see="doubling"', 'see="halving"', "which labels no section"),
    ("sections_exist", PY, '"Twice.")', '"Twice.", see="halving")', "sees 'halving'"),
    ("labels_are_unique", "book/index.md", "# Toy", "(doubling)=\n# Toy", "the label `(doubling)=` is also in"),
    ("labels_are_no_headings", MD, "## Doubling", "## Double it", "is named like a heading"),
    ("prose_is_independent", MD, "print(2 * 3)", "print(double_it(3))", "uses the learner's 'double_it'"),
    ("lessons_and_checks_agree", PY, '@exercise("double-it"', '@exercise("triple-it"', "'double-it' has no check"),
    ("lessons_and_checks_agree", PY, '@exercise("double-it"', '@exercise("triple-it"', "never asked"),
    ("lessons_and_checks_agree", MD, 'check("double-it")', 'check("double-it"); print()', "is not one call"),
    ("names_are_unique", PY, "def adds_two", "def squares", "`squares` is defined twice"),
    ("hints_are_given", PY, 'hint="twice"', 'hint=" "', "empty hint"),
    ("questions_for_values_say_so", PY, '@exercise("double-it"', ASKS, "the question `plainly` hands on"),
    ("stubs_match_solutions", MD, STUB, STUB.replace("twice", "double"), "differ in signature or docstring"),
    ("stubs_match_solutions", MD, "def double_it(x):\n" + STUB, "def double_it(y):\n" + STUB, "differ in signature"),
    ("blanks_are_not_attempted", MD, 'raise NotImplementedError("your turn")', "return 2 * x", "judged `passed`"),
    ("blanks_are_not_attempted", MD, 'raise NotImplementedError("your turn")', "return x", "judged `wrong`"),
    ("solutions_pass", MD, "return 2 * x", "return 3 * x", "judged `wrong` (wrong-value"),
    ("solutions_pass", PY, "x = rng.normal(size=3)", "x = rng.normal(size=3) * (rng.random() < 0.9)", "on seed"),
    ("squares_are_asked", PY, '    expect(answer(-x)', f"{OBLONG}    expect(answer(-x)", "never a square matrix"),
    ("wrong_answers_are_diagnosed", PY, 'return x * x', "return 2 * x", "should be 'squared'"),
    ("wrong_answers_are_diagnosed", PY, 'return x + 2', "return x * x", "`wrong` (squared"),
    ("wrong_answers_are_diagnosed", PY, '@wrong("double-it", "squared")', '@wrong("halve-it", "squared")', "unknown"),
    ("enough_wrong_answers", PY, '@wrong("double-it", "wrong-shape")\n', "", "lists 2 wrong answers"),
    ("enough_wrong_answers", PY, '@wrong("double-it", "squared")', '@wrong("double-it", "nan")', "reaches 'squared'"),
    ("broken_programs_are_listed", MD, 'raise NotImplementedError("your turn")', BROKEN_STUB, "not its first wrong"),
    ("bans_are_broken_once", PY, 'hint="twice")', NO_LOOPS, "breaks its ban `no_loops(...)`"),
    ("tasks_and_bans_agree", PY, 'hint="twice")', NO_LOOPS, "neither its task nor its section says so"),
    ("tasks_and_bans_agree", MD, "Double `x`.", "Double `x` without a loop.", "forbids a loop"),
    ("right_answers_are_listed", PY, '@right("double-it")\n', "", "lists no right answer"),
    ("right_answers_are_listed", PY, '@right("double-it")', '@right("halve-it")', "unknown exercise 'halve-it'"),
    ("right_answers_pass", PY, "return x + x", "return x - x", "a right answer to 'double-it' is judged `wrong`"),
    ("fakes_are_refused", PY, '    expect(answer(-x), -2 * x, "Twice.")\n', "", "passes remembered by shape"),
    ("checks_are_repeatable", PY, "x = rng.normal(size=3)", "x = np.random.normal(size=3)", "says"),
    ("odd_answers_are_survived", PY, "numbers(answer(x))", "answer(x).astype(float)", "check-stumbled"),
    ("odd_answers_are_survived", PY, "got = numbers(answer(x))", "return", "is judged `passed`"),
]  # fmt: skip


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
    helper = 'def require_few(got):\n    require(len(got) < 9, "too-many", "Fewer.")\n\n\n@exercise("double-it"'
    edit(toy / PY, '@exercise("double-it"', helper)
    assert refusals(toy, "enough_wrong_answers") == ""
    edit(toy / PY, "    expect(got, 2 * x", "    require_few(got)\n    expect(got, 2 * x")
    assert "no wrong answer to 'double-it' reaches 'too-many'" in refusals(toy, "enough_wrong_answers")


def test_a_measurement_in_code_may_stand_in_prose(toy):
    edit(toy / MD, "That was all.", "The cell prints `20 ms`, whatever it takes.")
    assert refusals(toy, "prose_types_no_measurement") == ""


def test_wrong_answers_are_judged_on_several_seeds_if_asked(toy):
    edit(toy / PY, "    expect(got, 2 * x", '    require(rng.random() < 0.5, "odd", "")\n    expect(got, 2 * x')
    assert "should be 'wrong-value'" not in refusals(toy, "wrong_answers_are_diagnosed")
    (pair,) = Contract(toy, seeds=12).pairs
    assert "should be 'wrong-value': on seed 1 it is" in "\n".join(
        map(str, _verdicts.wrong_answers_are_diagnosed(pair))
    )


def test_every_rule_was_broken():
    unbroken = {one.name for one in RULES} - {rule for rule, *_ in BROKEN}
    assert unbroken == {one.name for one in RULES if one.slow} | {"predictions_are_true"}


def test_a_broken_program_may_be_the_first_wrong_answer(toy):
    edit(toy / MD, 'raise NotImplementedError("your turn")', BROKEN_STUB.replace("x + x * x", "x * x  # squares"))
    assert refusals(toy, "broken_programs_are_listed") == ""
    assert refusals(toy, "blanks_are_not_attempted") == ""


@pytest.mark.parametrize("stray", ["notebooks/02_old.ipynb", "solutions/notes.txt", "exercises_tests/ex_09_old.py"])
def test_a_stray_file_is_refused(toy, stray):
    (toy / stray).write_text("x = 1\n")
    assert stray in refusals(toy, "files_belong_together")


@pytest.mark.parametrize("folder", ["notebooks", "solutions"])
def test_what_programs_leave_behind_is_no_stray(toy, folder):
    (toy / folder / ".ipynb_checkpoints").mkdir()
    (toy / folder / "__pycache__").mkdir()
    assert refusals(toy, "files_belong_together") == ""


def test_wrong_answers_are_counted_for_each_exercise(toy):
    another = '\n\n@exercise("triple-it", see="doubling", hint="thrice")\ndef triple_it(answer, rng):\n'
    another += '    got = numbers(answer(1.0))\n    require(got != 1, "squared", "That is the square.")\n'
    (toy / PY).write_text((toy / PY).read_text() + another)
    said = refusals(toy, "enough_wrong_answers")
    assert "'triple-it' lists 0 wrong answers" in said and "no wrong answer to 'triple-it' reaches 'squared'" in said


def test_a_verdict_is_short(toy):
    edit(toy / PY, '"That is the square."', '"That is the square." * 99')
    edit(toy / PY, "not close(got, x * x)", "got.shape == x.shape")
    assert "as an answer to 'double-it' is judged" in refusals(toy, "odd_answers_are_survived")


def test_odd_entries_of_a_prediction_are_tried(toy):
    stub, answer = 'def double_it(x):\n    """Return twice `x`."""\n    ', "double_it = {'one': "
    edit(toy / MD, stub + 'raise NotImplementedError("your turn")', answer + "...}")
    edit(toy / MD, stub + "return 2 * x", answer + "2}")
    body = (toy / PY).read_text().split("def double_it(answer, rng):\n")[1].split("\n\n\n")[0]
    edit(
        toy / PY,
        body,
        '    got = answer.value()\n    require(isinstance(got, dict), "squared", "No.")\n    got["one"] + 0',
    )
    said = refusals(toy, "odd_answers_are_survived")
    assert "a dictionary with a text everywhere" in said and "check-stumbled" in said


def test_a_lesson_without_checks_is_refused(toy):
    (toy / PY).unlink()
    assert "has no checks" in refusals(toy, "files_belong_together")


def test_a_name_may_be_used_once_in_the_course(toy):
    for path in (toy / MD, toy / PY):
        path.with_name(path.name.replace("01_toy", "02_toy")).write_text(path.read_text())
    assert "'double-it' is also in exercises_tests/ex_01_toy.py" in refusals(toy, "names_are_unique")


def test_a_solution_that_does_not_run_is_named(toy):
    edit(toy / MD, "    return 2 * x", "    return 2 * x\n\n1 / 0")
    with pytest.raises(notebooks.LessonError, match="ZeroDivisionError"):
        refusals(toy, "solutions_pass")


def test_checks_that_cannot_be_imported_are_named(toy, capsys):
    edit(toy / PY, "import numpy as np", "import numpy as np\n\n1 / 0")
    assert cli.main(["--course", str(toy), "check", "--quick"]) == 2
    assert "exercises_tests/ex_01_toy.py: importing it raises ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        (MD, "print(2 * 3)", "print(2 *", "a cell that begins with 'print(2 *' is not Python"),
        (MD, "import numpy as np", "import nonumpy", "a cell tagged `setup` raises ModuleNotFoundError"),
        (PY, '@exercise("double-it"', '@exercise(name="double-it"', "begin the check of 'double-it' with"),
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
    sources = ("x = 1", "assert x == 2", "x", "x", "assert '_runtime' not in globals()", COMPILES_QUICKLY)
    book.cells = [nbformat.v4.new_code_cell(source) for source in sources]
    book.cells[3].metadata["tags"] = ["nbval-skip"]  # what is not run has not passed
    nbformat.write(book, toy / "book.ipynb")
    failures = rules.run_nbval(toy / "book.ipynb", toy)
    assert [bool(failures[i]) for i in range(6)] == [False, True, False, True, False, False]
    assert "AssertionError" in failures[1]


UNTRIED = "CheckFailed: double-it: not attempted"


@pytest.mark.parametrize(
    ("outcomes", "words"),
    [
        ({0: "", 1: "", 2: "", 3: "", 4: UNTRIED, 5: "", 6: ""}, ""),
        ({0: "", 1: "", 2: "", 3: "", 4: "", 5: "", 6: ""}, "'check(\"double-it\")' passes without an answer"),
        (
            {0: "", 1: "", 2: "", 3: "", 4: "NameError", 5: "", 6: ""},
            "'check(\"double-it\")' fails otherwise: NameError",
        ),
        ({0: "", 1: "", 2: "Oh", 3: "", 4: UNTRIED, 5: "", 6: ""}, "the cell 'print(2 * 3)' fails: Oh"),
        ({0: "", 1: "", 2: "", 3: "", 4: UNTRIED, 5: "", 6: "No"}, "the cell 'check(\"double-it\")' fails: No"),
        ({0: "", 1: "", 2: "", 3: "", 4: UNTRIED, 5: ""}, "It was not run."),
    ],
)
def test_a_notebook_passes_solved_and_fails_blank(toy, monkeypatch, outcomes, words):
    monkeypatch.setattr(_notebooks, "run_nbval", lambda path, course: outcomes)
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
    for one in (one for one in RULES if not one.slow and one.name != "notebooks_are_fresh"):
        assert refusals(toy, one.name) == ""
    edit(toy / PY, "2 * 3", "2 * 4")
    assert "the solution of 'double-it' is (2, 6), and `<lambda>` gives (2, 8)" in refusals(toy, "predictions_are_true")
    edit(toy / MD, "double_it = (2, 6)", "double_it = np.array([2, 6])")
    with pytest.raises(notebooks.LessonError, match="write its value out"):
        refusals(toy, "predictions_are_true")


def test_a_label_of_a_shared_helper_must_be_reached_too(toy, monkeypatch):
    (toy / "shared.py").write_text(
        "from jaxcourse.exercise import require\n\n"
        '__name__ = "jaxcourse.shared"\n\n\n'
        "def require_few(got):\n"
        '    require(len(got) < 9, "too-many", "Fewer.")\n'
    )
    monkeypatch.syspath_prepend(toy)
    edit(toy / PY, "    expect(got, 2 * x", "    require_few(got)\n    expect(got, 2 * x")
    edit(toy / PY, "import numpy as np", "import numpy as np\nfrom shared import require_few")
    assert "no wrong answer to 'double-it' reaches 'too-many'" in refusals(toy, "enough_wrong_answers")
    sys.modules.pop("shared")


def test_a_notebook_that_pytest_cannot_read_is_no_silent_success(toy):
    (toy / "book.ipynb").write_text("{")
    with pytest.raises(RuntimeError, match="could not run"):
        rules.run_nbval(toy / "book.ipynb", toy)


def test_the_summary_counts(toy):
    assert rules.summary(Contract(toy)) == "1 lesson (10 minutes), 1 exercises, 1 more right and 3 wrong answers"


def test_the_command_cuts_a_long_list_of_refusals(toy, capsys):
    edit(toy / MD, "That was all.", "\n\n+++\n\n".join(["It takes 20 ms."] * 14))
    assert cli.main(["--course", str(toy), "check", "--quick"]) == 1
    said = capsys.readouterr().out
    assert said.count("prose says") == 10 and "... and 4 more" in said


def test_the_command_ends_in_one_line(toy, capsys):
    command = ["--course", str(toy), "check", "--quick"]
    assert cli.main(command) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("Everything holds: 1 lesson")
    edit(toy / PY, 'hint="twice"', 'hint=""')
    assert cli.main(command) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("1 refused")
