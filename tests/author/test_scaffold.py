"""Skeletons: they are well-formed in every lesson, refused with a line that says what is next, and land when filled."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from toy import edit, toy

from jaxcourse import cli
from jaxcourse.course import Course
from jaxcourse_author import scaffold
from jaxcourse_author.lesson import PLACEHOLDER, notebooks
from jaxcourse_author.rules import RULES, Contract

__all__ = ["toy"]

ROOT = Path(__file__).parents[2]
STEMS = [path.stem for path in Course(ROOT).lesson_paths]
KINDS = {"function": [], "prediction": ["--prediction"], "puzzle": ["--puzzle"]}
JUDGED = {"_bans", "_verdicts", "_rights", "_notebooks"}
"""The rooms of rules that judge the answers to the other exercises of a lesson: test_contract.py does."""

kinds = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A copy of the course, with a new exercise of each kind in each of its lessons."""
    root = tmp_path_factory.mktemp("course")
    for name in ("_config.yml", "_toc.yml"):
        shutil.copy(ROOT / name, root)
    for name in ("book", "notebooks", "solutions", "exercises_tests", "tests/answers"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "_static", "_ext"))
    made = [scaffold.exercise(root, stem, f"new-{kind}-{stem[:2]}", kind) for stem in STEMS for kind in KINDS]
    notebooks.write(Course(root))
    return root, sorted({path for paths in made for path in paths if path.suffix == ".py"})


def unjudged(rule):
    """Whether a rule judges no answers: test_contract.py judges those of the course."""
    return rule.check.__module__.rpartition(".")[2] not in JUDGED and not rule.advice and rule.name != "checks_run"


@pytest.mark.parametrize("stem", STEMS)
def test_in_each_lesson_a_skeleton_is_refused_with_one_line_that_says_what_is_next(course, stem):
    contract = Contract(course[0], (stem,))
    refused = {
        rule.name: [*map(str, rule.refusals(contract))] for rule in RULES if rule.per == "lesson" and unjudged(rule)
    }
    said = refused.pop("nothing_is_unfinished")
    assert len(said) == len(KINDS)
    for one in said:
        assert re.fullmatch(rf"notebooks/{stem}\.md:\d+: to be written next: a title \(\d+ more places after it\)", one)
    assert [one for found in refused.values() for one in found if "new-" in one or "new_" in one] == []


def test_in_the_course_a_skeleton_is_no_stray_and_its_notebooks_are_fresh(course):
    contract = Contract(course[0], STEMS[:1])
    assert [
        str(one) for rule in RULES if rule.per == "course" and not rule.advice for one in rule.refusals(contract)
    ] == []


def test_skeletons_have_the_style_of_the_house(course):
    root, files = course
    assert len(files) == 4 * len(STEMS)
    shutil.copy(ROOT / "pyproject.toml", root)
    ours = ["--config", "lint.isort.known-first-party = ['jaxcourse']"]  # here its source is not beside the files
    for command in (["check", *ours], ["format", "--check", "--diff"]):
        ruff = [Path(sys.executable).with_name("ruff"), *command, "--no-cache", *files]
        if not ruff[0].exists():
            pytest.skip("there is no ruff")
        done = subprocess.run(ruff, cwd=root, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_skeletons_have_the_right_types(course):
    mypy = pytest.importorskip("mypy.api")
    root, files = course
    of_one_lesson = [str(path) for path in files if path.parent.name == STEMS[1]]
    options = [
        "--check-untyped-defs",
        "--follow-imports=silent",
        "--no-incremental",
        "--config-file=",
        "--no-site-packages",
    ]
    for path in of_one_lesson:  # a check and its answers are modules of one name
        said, trouble, status = mypy.run([*options, "--ignore-missing-imports", path])
        assert status == 0, said + trouble


def lines_of(path):
    return [line for line in path.read_text().splitlines() if line.strip()]


def test_a_first_version_is_short(course):
    root, files = course
    (check,) = (path for path in files if path.name == "new_function_10.py")
    assert len(lines_of(check)) == 22


@kinds
def test_the_command_writes_all_that_is_needed_for_one_refusal(toy, capsys, kind):
    assert cli.main(["--course", str(toy), "new", "exercise", "01_toy", "halve-it", *KINDS[kind]]) == 0
    assert "Then: jaxcourse check --watch 01_toy/halve-it" in capsys.readouterr().out
    assert cli.main(["--course", str(toy), "check", "--quick", "01_toy"]) == 1
    said = capsys.readouterr().out.splitlines()
    (place,) = (i for i, line in enumerate(said) if line.startswith("✗"))
    assert said[place + 1].startswith("  notebooks/01_toy.md:") and said[place + 2].startswith("1 refused")
    assert said[-1].startswith("1 refused: 1 lesson")


@kinds
def test_what_is_next_goes_through_the_lesson_then_the_check_then_the_answers(toy, kind):
    _, *files = scaffold.exercise(toy, "01_toy", "halve-it", kind)
    notebooks.write(Course(toy))
    seen = []
    while found := next(iter(Contract(toy).pairs[0].unfinished), None):
        place, line = found.file.rpartition(":")[::2]
        if place not in seen:
            seen.append(place)
        lines = (toy / place).read_text().splitlines()
        assert f"{PLACEHOLDER}: {found.problem.partition(': ')[2].partition(' (')[0]}" in lines[int(line) - 1]
        lines[int(line) - 1] = lines[int(line) - 1].replace(f"{PLACEHOLDER}: ", "", 1)
        (toy / place).write_text("\n".join(lines) + "\n")
    assert [toy / place for place in seen] == [toy / "notebooks/01_toy.md", *files]


@kinds
def test_no_reader_gets_a_skeleton(toy, capsys, kind):
    before = notebooks.generated_files(Course(toy))
    cli.main(["--course", str(toy), "new", "exercise", "01_toy", "halve-it", *KINDS[kind]])
    assert cli.main(["--course", str(toy), "notebooks"]) == 0
    assert "to be written next: a title" in capsys.readouterr().out
    handed_out = {path: path.read_text() for path in before}
    assert [path for path, text in handed_out.items() if PLACEHOLDER in text or "halve" in text] == []
    assert "halve-it" not in Course(toy).exercises()["01_toy"]
    assert Course(toy).lesson_of("double-it").solution("double-it")[0]
    assert cli.main(["--course", str(toy), "notebooks", "--check"]) == 1
    assert re.search(r"^notebooks/01_toy\.md:\d+: .* no reader gets halve-it\.$", capsys.readouterr().out, re.MULTILINE)


def test_what_is_left_in_a_check_alone_keeps_an_exercise_back_too(toy, capsys):
    edit(toy / "exercises_tests/01_toy/double_it.py", "hint: ", "hint: REPLACE ME: ")
    notebooks.write(Course(toy))
    assert Course(toy).exercises() == {} and "double_it" not in (toy / "notebooks/01_toy.ipynb").read_text()
    assert cli.main(["--course", str(toy), "notebooks", "--check"]) == 1
    assert "exercises_tests/01_toy/double_it.py:" in capsys.readouterr().out


def test_a_lesson_that_is_not_written_has_no_notebook_until_it_is(toy, capsys):
    source = scaffold.lesson(toy, "02_more", "More")[0]
    scaffold.exercise(toy, "02_more", "halve-it")
    notebooks.write(Course(toy))
    assert not (toy / "notebooks/02_more.ipynb").exists() and not (toy / "solutions/02_more.ipynb").exists()
    assert cli.main(["--course", str(toy), "notebooks", "--check"]) == 1
    assert "no reader gets this lesson" in capsys.readouterr().out
    for path in (source, toy / "exercises_tests/02_more/halve_it.py"):
        path.write_text(path.read_text().replace(PLACEHOLDER, "well"))
    notebooks.write(Course(toy))
    assert "halve_it" in (toy / "notebooks/02_more.ipynb").read_text()
    assert cli.main(["--course", str(toy), "notebooks", "--check"]) == 0


@kinds
def test_a_filled_skeleton_lands(toy, capsys, kind):
    for path in scaffold.exercise(toy, "01_toy", "halve-it", kind):
        text = re.sub(rf'see="{PLACEHOLDER}[^"]*"', 'see="doubling"', path.read_text())
        path.write_text(text.replace(PLACEHOLDER, "well"))
    notebooks.write(Course(toy))
    assert cli.main(["--course", str(toy), "check", "--quick"]) == 0, capsys.readouterr().out
    said = capsys.readouterr().out
    assert "✗" not in said and said.splitlines()[-1].startswith("Everything holds: 1 lesson")
    assert ("! tests/answers/01_toy/halve_it.py" in said) == (kind != "prediction")


@pytest.mark.parametrize("head", ["(recap)=\n## Recap", "(recap-toy)=\n## Recap", "## Recap", "## What to keep of it"])
def test_an_exercise_stands_before_the_recap_of_its_lesson(toy, head):
    edit(toy / "notebooks/01_toy.md", "That was all.", f"{head}\n\nThat was all.")
    scaffold.exercise(toy, "01_toy", "halve-it")
    text = (toy / "notebooks/01_toy.md").read_text()
    assert text.index(":label: double-it") < text.index(":label: halve-it") < text.index(head)


def test_a_lesson_has_a_number_of_its_own_and_a_near_name_is_told(toy):
    with pytest.raises(ValueError, match="01 is the number of 01_toy.* such as 02_more"):
        scaffold.lesson(toy, "01_more", "More")
    with pytest.raises(FileNotFoundError, match="Did you mean 01_toy"):
        scaffold.exercise(toy, "01_toys", "halve-it")
    text = scaffold.lesson(toy, "02_more_of_it", "More")[0].read_text()
    assert "\n(more-of-it-recap)=\n## Recap\n" in text, "a sheet takes it by its label"


def test_a_lesson_stands_in_the_table_of_contents_where_its_number_is(toy):
    edit(toy / "_toc.yml", "  - file: notebooks/01_toy\n", "  - file: notebooks/01_toy\n  - file: book/last\n")
    for stem in ("04_more", "02_less", "00_first"):
        scaffold.lesson(toy, stem, "One")
    files = [line.split("/")[1] for line in (toy / "_toc.yml").read_text().splitlines() if "file: " in line]
    assert files == ["00_first", "01_toy", "02_less", "04_more", "last"]


@pytest.mark.parametrize("page", ["book/for_instructors.md", "book/contributing/lesson.md"])
def test_the_guides_begin_a_lesson_that_can_be_begun(page):
    if Course(ROOT).title != "From Strides to Shards":
        pytest.skip("a copy of one's own has begun it")
    begun = re.findall(r"jaxcourse new lesson (\d\d)_", (ROOT / page).read_text("utf-8"))
    assert begun and not [number for number in begun if [*(ROOT / "notebooks").glob(f"{number}_*.md")]]


def test_a_new_lesson_asks_for_an_exercise_and_then_for_itself(toy, capsys):
    assert cli.main(["--course", str(toy), "new", "lesson", "02_more", "More"]) == 0
    assert (toy / "_toc.yml").read_text().endswith("  - file: notebooks/01_toy\n  - file: notebooks/02_more\n")

    def refused():
        capsys.readouterr()
        assert cli.main(["--course", str(toy), "check", "--quick"]) == 1
        return [line for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]

    assert refused() == [
        "  exercises_tests/02_more: the lesson has no checks",
        "    `jaxcourse new exercise 02_more NAME`.",
    ]
    cli.main(["--course", str(toy), "new", "exercise", "02_more", "halve-it"])
    assert [line.partition(": to be ")[0] for line in refused()] == [
        "  notebooks/02_more.md:10",
        "  notebooks/02_more.md:34",
    ]


@pytest.mark.parametrize("left", ["notebooks/02_more.md", "exercises_tests/02_more/mine.py"])
def test_half_a_lesson_is_not_overwritten(toy, capsys, left):
    (toy / left).parent.mkdir(exist_ok=True)
    (toy / left).write_text("mine")
    assert cli.main(["--course", str(toy), "new", "lesson", "02_more", "More"]) == 2
    assert (toy / left).read_text() == "mine" and "02_more" not in (toy / "_toc.yml").read_text()


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["exercise", "01_toy", "Halve It"], "lower case with dashes"),
        (["exercise", "01_toy", "double-it"], "is already taken, in 01_toy"),
        (["exercise", "09_none", "halve-it"], "there is no lesson 09_none"),
        (["exercise", "01_toy", "lambda"], "is a Python keyword"),
        (["lesson", "more", "More"], "two digits"),
        (["lesson", "01_toy", "More"], "exists"),
    ],
)
def test_what_cannot_be_made_is_said_and_changes_nothing(toy, capsys, command, words):
    before = {path: path.read_bytes() for path in toy.rglob("*") if path.is_file()}
    assert cli.main(["--course", str(toy), "new", *command]) == 2
    assert words in capsys.readouterr().err
    assert {path: path.read_bytes() for path in toy.rglob("*") if path.is_file()} == before
