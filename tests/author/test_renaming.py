"""`jaxcourse rename exercise`: another name where it is an exercise's; the old one kept, and other lines left alone."""

import json

import pytest
from toy import LISTED, MD, PY, edit, toy

from jaxcourse.cli import main
from jaxcourse.course import Course
from jaxcourse_author import answers, moving
from jaxcourse_author.lesson import MOVED, notebooks, old_exercises
from jaxcourse_author.moving._variables import with_variable
from jaxcourse_author.rules import RULES, Contract

__all__ = ["toy"]
NOW = "twice-as-much"
NEW_PY, NEW_LISTED = PY.replace("double_it", "twice_as_much"), LISTED.replace("double_it", "twice_as_much")
PAGE = """\
# A page

See {ref}`Double it <double-it>`, [it](../notebooks/01_toy.md#double-it), `check("double-it")` and `double-it-again`.
We double-it here, and `jaxcourse check 01_toy/double-it` or `01/double-it` proves it.
"""
TESTS = """\
NAMES = {"double-it": 1, "double-it-again": 2}
SAID = "we double-it"
PATH = "exercises_tests/01_toy/double_it.py"
"""
MORE = """
```{code-cell} ipython3
# `double_it` is above
class Own:
    double_it = 3

print(f"{double_it(2)} is no double_it", Own.double_it, (lambda double_it: double_it)(4))
%timeit double_it(2)
```

Your `double_it` doubles: `double_it(2)` is 4, and a double_it alone is left.
"""


@pytest.fixture
def course(toy):
    """The toy, whose exercise is named in a page, tables of the book, tests, and a file of a time."""
    (toy / "book/page.md").write_text(PAGE)
    (toy / "book/repeats.yml").write_text("# Kept.\ndouble-it-again: double-it\n")
    (toy / "book/ideas.yml").write_text("- idea: double-it\n  trains: [doubling, double-it,\n    double-it-again]\n")
    (toy / "book/sources.yml").write_text("- rows:\n    - {id: S1, was: double-it, at: double-it}\n")
    (toy / "book/placement.yml").write_text("- {exercise: double-it, entry: double-it, unlocks: [doubling]}\n")
    (toy / "tests/test_names.py").write_text(TESTS)
    (toy / "recorded").mkdir()
    (toy / "recorded/class.csv").write_text("student,exercise\nada,double-it\n")
    (toy / MOVED).write_text("recorded: [recorded]\n")
    (toy / "CHANGELOG.md").write_text("# Changelog\n\n- `double-it` is new.\n")
    edit(toy / MD, "\nThat was all.\n", f"{MORE}\nThat was all.\n")
    notebooks.write(Course(toy))
    return Course(toy)


def text(course, name):
    return (course.root / name).read_text(encoding="utf-8")


def test_all_that_names_the_exercise_gets_the_new_name(course):
    moving.exercise(course, "double-it", NOW)
    assert not (course.root / PY).exists() and not (course.root / LISTED).exists()
    assert text(course, NEW_PY).count(NOW) == 2 and "twice_as_much = declare(" in text(course, NEW_PY)
    assert "double" not in text(course, NEW_LISTED) and text(course, NEW_LISTED).count(f'("{NOW}"') == 4
    lesson = text(course, MD)
    for said in (f":label: {NOW}", f'check("{NOW}")', f"{{solution-start}} {NOW}", "def twice_as_much(x):"):
        assert said in lesson
    assert "double-it" not in lesson and "# exercise: twice-as-much" in text(course, "notebooks/01_toy.ipynb")
    page = text(course, "book/page.md")
    assert f'<{NOW}>`, [it](../notebooks/01_toy.md#{NOW}), `check("{NOW}")` and `double-it-again`' in page
    assert f"We double-it here, and `jaxcourse check 01_toy/{NOW}` or `01/{NOW}`" in page
    assert text(course, "book/repeats.yml") == f"# Kept.\ndouble-it-again: {NOW}\n"
    assert f"- idea: double-it\n  trains: [doubling, {NOW},\n    double-it-again]" in text(course, "book/ideas.yml")
    assert f"was: double-it, at: {NOW}" in text(course, "book/sources.yml")
    assert f"{{exercise: {NOW}, entry: double-it," in text(course, "book/placement.yml")
    tests = text(course, "tests/test_names.py")
    assert f'"{NOW}": 1, "double-it-again": 2' in tests and "01_toy/twice_as_much.py" in tests
    assert not list(notebooks.stale(Course(course.root)))


def test_its_variable_is_renamed_where_python_takes_it_for_that(course):
    moving.exercise(course, "double-it", NOW)
    lesson = text(course, MD)
    assert "# `twice_as_much` is above\nclass Own:\n    double_it = 3\n" in lesson
    assert 'f"{twice_as_much(2)} is no double_it", Own.double_it, (lambda double_it: double_it)(4))' in lesson
    assert "%timeit twice_as_much(2)" in lesson
    assert "Your `twice_as_much` doubles: `twice_as_much(2)` is 4, and a double_it alone is left." in lesson


def test_in_another_check_the_variable_is_what_it_takes_from_this_one(course):
    other, third = (course.root / PY.replace("double_it", name) for name in ("helper", "third"))
    other.write_text("def double_it(x):\n    return x\n")
    third.write_text("from .double_it import check, double_it\n\nother = double_it\n")
    moving.exercise(course, "double-it", NOW)
    assert other.read_text() == "def double_it(x):\n    return x\n"
    assert third.read_text() == "from .twice_as_much import check, twice_as_much\n\nother = twice_as_much\n"


def test_a_name_that_is_a_word_is_changed_where_its_form_says_what_it_is(course):
    moving.exercise(course, "double-it", "swap")
    words = """\
check("swap") and `jaxcourse swap`, {ref}`swap it <swap>`, {ref}`swap`, [swap](../notebooks/01_toy.md#swap),
"swap", exercise swap, `<swap>`, swap.py, 02/swap, `swap`, 01/swap
"""
    (course.root / "book/page.md").write_text(words)
    renamed = moving.exercise(Course(course.root), "swap", NOW)
    assert (
        text(course, "book/page.md")
        == f"""\
check("{NOW}") and `jaxcourse swap`, {{ref}}`swap it <{NOW}>`, {{ref}}`{NOW}`, [swap](../notebooks/01_toy.md#{NOW}),
"swap", exercise swap, `<swap>`, swap.py, 02/swap, `swap`, 01/{NOW}
"""
    )
    assert sum(line.startswith("book/page.md:") for line in renamed.left) == 2


def test_what_only_says_the_word_is_left_and_shown_to_the_author(course):
    renamed = moving.exercise(course, "double-it", NOW, dry_run=True)
    places = [line.split(": ", 1)[1] for line in renamed.left]
    for line in ('SAID = "we double-it"', "- idea: double-it", "double_it = 3"):
        assert line in places
    assert any("a double_it alone is left" in line for line in places)
    assert [line.partition(": ")[2][:5] for line in renamed.spoken] == ["Your "]
    said = "\n".join(renamed.report())
    assert "2 files have another name" in said and "book/page.md:4: We double-it here" in said
    assert not any("double-it-again" in line and '"double-it-again": 2' in line for line in places)


def test_what_was_recorded_at_a_time_keeps_its_names(course):
    renamed = moving.exercise(course, "double-it", NOW)
    assert "double-it" in text(course, "recorded/class.csv") and "double-it" in text(course, "CHANGELOG.md")
    assert [path.as_posix() for path in renamed.recorded] == ["CHANGELOG.md", "recorded/class.csv"]


def test_old_names_lead_to_that_of_today_along_a_chain_and_back(course):
    moving.exercise(course, "double-it", NOW)
    assert text(course, MOVED).startswith("# Names that lessons have had.") and "recorded: [recorded]" in text(
        course, MOVED
    )
    moving.exercise(Course(course.root), NOW, "by-two")
    today = Course(course.root)
    assert old_exercises(today) == {"double-it": "by-two", NOW: "by-two"}
    assert [today.exercise_today(name) for name in ("double-it", NOW, "by-two", "none")] == ["by-two"] * 3 + ["none"]
    assert today.texts["01_toy"].earlier == {"by-two": [NOW, "double-it"]}
    assert today.lesson_of("double-it").stem == "01_toy"
    moving.exercise(today, "by-two", "double-it")
    today = Course(course.root)
    assert old_exercises(today) == {NOW: "double-it", "by-two": "double-it"}
    assert today.exercise_today("double-it") == "double-it"
    assert text(course, PY).count("double-it") == 2 and "double_it = declare(" in text(course, PY)


def test_a_return_gives_every_file_back_as_it_was(course):
    before = {path: path.read_bytes() for path in course.root.rglob("*") if path.is_file()}
    moving.exercise(course, "double-it", NOW)
    moving.exercise(Course(course.root), NOW, "double-it")
    other = {path.relative_to(course.root).as_posix() for path, data in before.items() if path.read_bytes() != data}
    assert other == {MOVED.as_posix(), "solutions/course.json"}


def test_the_contract_holds_afterwards(course):
    moving.exercise(course, "double-it", NOW)
    (pair,) = Contract(course.root, ("01_toy",)).pairs
    assert list(pair.checks.exercises) == [NOW] and list(pair.solutions) == [NOW]
    assert {one.exercise for one in pair.checks.wrongs} == {NOW}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("double-its", NOW, "no exercise 'double-its'. Did you mean 'double-it'"),
        ("double-it", "Twice", "lower case with dashes"),
        ("double-it", "twice_it", "lower case with dashes"),
        ("double-it", "lambda", "Python keyword"),
        ("double-it", "double-it", "its name already"),
        ("double-it", "halve-it", "already taken, in 01_toy"),
        ("double-it", "doubling", "a label in notebooks/01_toy.md"),
        ("double-it", "np", "has a `np` already"),
        ("double-it", "check", "has a `check` already"),
        ("double-it", "half", "'half' was a name of 'halve-it'"),
        ("half", NOW, "no exercise 'half'. It is called 'halve-it' now"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(course, old, new, said):
    assert main(["--course", str(course.root), "new", "exercise", "01_toy", "half"]) == 0
    moving.exercise(Course(course.root), "half", "halve-it")
    before = {path: path.read_bytes() for path in course.root.rglob("*") if path.is_file()}
    with pytest.raises(ValueError, match=said):
        moving.exercise(Course(course.root), old, new)
    assert {path: path.read_bytes() for path in course.root.rglob("*") if path.is_file()} == before


def test_a_new_exercise_cannot_have_a_name_that_another_has_had(course, capsys):
    moving.exercise(course, "double-it", NOW)
    assert main(["--course", str(course.root), "new", "exercise", "01_toy", "double-it"]) != 0
    assert f"'double-it' was a name of '{NOW}'" in "".join(capsys.readouterr())


def test_the_contract_refuses_an_exercise_that_has_a_name_of_another(course):
    moving.exercise(course, "double-it", NOW)
    (rule,) = (one for one in RULES if one.name == "names_are_unique")
    assert not list(rule.refusals(Contract(course.root)))
    (course.root / PY).write_text(text(course, NEW_PY).replace(NOW, "double-it"))
    (refusal,) = rule.refusals(Contract(course.root))
    assert refusal.file == PY and f"'double-it' was a name of '{NOW}'" in refusal.problem


def test_an_answer_of_somebody_elses_with_an_old_name_is_told_that_of_today(course, tmp_path_factory):
    moving.exercise(course, "double-it", NOW)
    path = tmp_path_factory.mktemp("said") / "answers.py"
    path.write_text("# %% double-it | right | plainly\ndef double_it(x):\n    return 2 * x\n")
    (report,) = answers.reports(Course(course.root), answers.pieces(path))
    assert f"It is called '{NOW}' now" in report.piece.fault


def test_the_command_says_what_it_would_do_and_does_it(course, capsys):
    before = {path: path.read_bytes() for path in course.root.rglob("*") if path.is_file()}
    command = ["--course", str(course.root), "rename", "exercise", "double-it", NOW]
    assert main([*command, "--dry-run"]) == 0
    assert {path: path.read_bytes() for path in course.root.rglob("*") if path.is_file()} == before
    would = capsys.readouterr().out
    assert main(command) == 0
    assert capsys.readouterr().out == would and (course.root / NEW_PY).exists()
    assert json.loads(text(course, "solutions/course.json"))["01_toy"]["earlier"] == {NOW: ["double-it"]}


@pytest.mark.parametrize(
    ("code", "now"),
    [
        ("from .swing import swing\ny = swing(1)", "from .fall import fall\ny = fall(1)"),
        ("from jax import swing\ny = swing(1)", None),
        ("import jax as swing\nswing.jit", "import jax as fall\nfall.jit"),
        ("def g():\n    swing = 1\n    return swing", None),
        ("def g():\n    global swing\n    swing = 1", "def g():\n    global fall\n    fall = 1"),
        ("def g():\n    return swing + 1", "def g():\n    return fall + 1"),
        ("a = [swing for swing in b]", None),
        ("a = f(swing=swing).swing", "a = f(swing=fall).swing"),
        ("é = 'é', swing", "é = 'é', fall"),
        ("def swing(:", None),
        (
            "shows = 'jax.vmap(swing, axis_name=\"swing\")({})', 'swing', 'a swing'",
            "shows = 'jax.vmap(fall, axis_name=\"swing\")({})', 'swing', 'a swing'",
        ),
        (
            "x = '`f(swing)` and `swing=2`', f'{swing} of `swing`, a swing'\n%timeit swing(1)",
            "x = '`f(fall)` and `swing=2`', f'{fall} of `fall`, a swing'\n%timeit fall(1)",
        ),
        ('"""Run `swing`, swing(1) or a swing."""', '"""Run `fall`, fall(1) or a swing."""'),
    ],
)
def test_a_variable_is_the_global_one_and_nothing_else(code, now):
    assert with_variable(code, "swing", "fall") == (now or code)
