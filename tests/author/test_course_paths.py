"""Paths: what may be declared, when one is closed, how it is walked, and the syllabus that is made of one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from toy import edit

from jaxcourse import cli
from jaxcourse.course import Course
from jaxcourse_author.concepts import CONCEPTS, road_of
from jaxcourse_author.paths import PATHS, problems, read_paths, walks
from jaxcourse_author.rules import RULES, Contract

CODE = "```{{code-cell}} ipython3\n\nimport jax\n{}\n```\n"
LESSONS = {
    "10_jit": "(jit)=\n## Compiled\n\n" + CODE.format("jax.jit(f)") + "\n(cache)=\n### The cache\n\n`jit` keeps.\n",
    "20_meshes": "(meshes)=\n## Devices\n\n"
    + CODE.format("jax.jit(f)")
    + "\nA mesh.\n\n(short)=\n## In short\n\nMesh.\n",
    "30_use": "(use)=\n## Use\n\n" + CODE.format("jax.jit(f)") + "\nA mesh.\n\n## Recap\n\nAll.\n",
}
DECLARED = """\
concepts:
- {concept: jit, code: [jax.jit], text: [jit], explained by: [jit]}
- {concept: meshes, words: [mesh], explained by: [meshes, short]}
"""
TOC = """\
format: jb-book
root: book/index
parts:
  - caption: Compile
    chapters:
      - file: notebooks/10_jit
  # Of devices.
  - caption: Spread
    chapters:
      - file: notebooks/20_meshes
      - file: notebooks/30_use
"""
ONE = """\
paths:
- path: one
  title: One
  for: You.
  after: go
  sections: [jit, meshes, use]
"""
Make = Callable[..., Course]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Writes a course of three lessons with some paths."""

    def write(paths: str = ONE) -> Course:
        files = {f"notebooks/{stem}.md": f"# {stem}\n\n{text}" for stem, text in LESSONS.items()}
        files |= {"_toc.yml": TOC, CONCEPTS: DECLARED, PATHS: paths, "book/index.md": "# Toy\n"}
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        return Course(tmp_path)

    return write


def wrong(course: Course) -> list[str]:
    """All that is wrong with the paths, each with its repair."""
    return [f"{problem}. {repair}" for problem, repair in problems(course, road_of(course))]


def path(sections: str, more: str = "") -> str:
    """A path named `one`."""
    return ONE.replace("[jit, meshes, use]", sections) + more


def test_a_closed_path_is_not_refused(make: Make) -> None:
    assert wrong(make()) == []
    assert wrong(make(path("[jit, short, use]"))) == [], "one of the sections that explain it is enough"
    assert wrong(make(path("[10_jit, 20_meshes, 30_use]"))) == []


def test_a_path_may_begin_with_a_page_that_is_there(make: Make) -> None:
    course = make(ONE.replace("  for:", "  page: book/index\n  for:"))
    assert wrong(course) == [] and read_paths(course)[0].page == "book/index"
    (said,) = wrong(make(ONE.replace("  for:", "  page: book/indx\n  for:")))
    assert said == "'one' begins with 'book/indx', which is no page. Write 'book/index'."
    with pytest.raises(ValueError, match="`page` of 'one' is 3: write it as _toc.yml has it"):
        read_paths(make(ONE.replace("  for:", "  page: 3\n  for:")))


def test_a_path_that_lacks_an_explanation_is_refused_with_section_concept_and_the_one_to_add(make: Make) -> None:
    (said,) = wrong(make(path("[jit, use]")))
    assert said == (
        "'one': `use` uses meshes (mesh) in its prose (notebooks/30_use.md:12), and nothing before it on this path "
        "explains that. Add `short` (20_meshes, 1 minute), or 'meshes' to what its readers know."
    )
    assert [one.partition(" in its ")[0] for one in wrong(make(path("[use]")))] == [
        "'one': `use` uses jit (jax.jit)",
        "'one': `use` uses meshes (mesh)",
    ]


def test_what_comes_later_on_a_path_explains_nothing_before_it(make: Make) -> None:
    assert len(wrong(make(path("{Day 1: [use], Day 2: [jit, meshes]}")))) == 2
    assert wrong(make(path("{Day 1: [jit, meshes], Day 2: [use]}"))) == []
    assert wrong(make(path("[use, meshes, jit]"))) == [], "within a part, the order is that of the course"


def test_readers_bring_along_what_is_said_and_that_is_needed(make: Make) -> None:
    assert wrong(make(path("[use]", "  known: [jit, meshes]\n"))) == []
    assert wrong(make(path("[jit, use]", "  known: [jit, meshes]\n"))) == [
        "the readers of 'one' need not know 'jit': the path explains it. Remove it."
    ]
    assert "know 'mehses', which is no concept. Write 'meshes'." in wrong(make(path("[jit]", "  known: [mehses]\n")))[0]


def test_a_label_that_is_nowhere_is_refused(make: Make) -> None:
    assert wrong(make(path("[jit, mehses]"))) == [
        "'one' has 'mehses', which is neither the label of a section nor a lesson. Write 'meshes'."
    ]


def test_a_broken_path_of_the_course_itself_is_refused_by_its_contract(make: Make) -> None:
    (rule,) = (one for one in RULES if one.name == "paths_are_closed")
    course = make(path("[jit, use]"))
    assert [(one.file, "`use` uses meshes" in one.problem) for one in rule.refusals(Contract(course.root))] == [
        (PATHS, True)
    ]


def test_a_path_is_walked_in_the_order_of_the_course_and_counted(make: Make) -> None:
    course = make(path("[30_use, cache, jit]"))
    (walk,) = walks(course, road_of(course))
    assert [stop.name for stop in walk.stops] == ["jit", "cache", "use"], "of a whole lesson what has a label"
    assert walk.lessons == ("10_jit", "30_use") and walk.is_offered(course)
    assert walk.minutes == pytest.approx(sum(stop.minutes for stop in walk.stops)) and walk.exercises == 0


def test_of_what_is_not_taught_no_path_is_offered_and_none_is_refused(make: Make) -> None:
    course = make()
    edit(course.root / "_toc.yml", "      - file: notebooks/20_meshes\n", "")
    (walk,) = walks(course, road_of(course))
    assert walk.lacking == ("meshes",) and not walk.is_offered(course)
    assert wrong(course) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("paths: [", "is not valid YAML"),
        ("- path: one", "has no list of paths"),
        ("paths: []\nways: []", "has no list of paths"),
        ("paths: [one]", "'one' is no path: write `- path: a-name`"),
        ("paths: [{path: One two}]", "is no path"),
        (ONE.replace("after", "then"), "'one' has the key 'then': it takes path, title, for, after"),
        (ONE.replace("title: One", "title: ''"), "'one' has no `title`"),
        (ONE.replace("[jit, meshes, use]", "[]"), "'one' has no sections"),
        (ONE.replace("[jit, meshes, use]", "jit"), "`sections` of 'one' is 'jit': write a list of texts"),
        (ONE.replace("[jit, meshes, use]", "[jit, jit]"), "`sections` of 'one' has 'jit' twice"),
        (ONE.replace("[jit, meshes, use]", "{A: [jit], B: [jit]}"), "`sections` of 'one' has 'jit' twice"),
        (ONE + "  known: jit\n", "`known` of 'one' is 'jit': write a list"),
        (ONE + "  preset: often\n", "`preset` of 'one' is 'often': write `preset: true`"),
        (ONE + ONE.removeprefix("paths:\n"), "`paths` has 'one' twice"),
    ],
)
def test_a_file_that_is_not_as_it_must_be_is_refused_with_what_to_write(make: Make, text: str, words: str) -> None:
    course = make(text)
    with pytest.raises(ValueError, match=rf"^{PATHS}") as refused:
        read_paths(course)
    assert words in str(refused.value)


# -- presets ----------------------------------------------------------------------------------------------------

CLASS = path("[jit, cache]", "  preset: true\n")


def test_a_preset_makes_the_lessons_of_a_path_the_syllabus(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    course = make(CLASS)
    (walk,) = walks(course, road_of(course))
    assert not walk.is_offered(course), "on a site of all lessons, it is for those who teach"
    assert cli.main(["--course", str(course.root), "preset"]) == 0
    assert capsys.readouterr().out.startswith("one    2 sections    0 exercises")
    assert cli.main(["--course", str(course.root), "preset", "one"]) == 0
    assert "_toc.yml names 1 lessons; taken out: 20_meshes, 30_use." in capsys.readouterr().out
    kept = TOC.partition("  - caption: Spread")[0]
    assert (course.root / "_toc.yml").read_text(encoding="utf-8") == kept, "comments stay"
    (walk,) = walks(course, road_of(course))
    assert walk.is_offered(course)


def test_a_preset_whose_lessons_were_taken_out_says_how_to_bring_them_back(
    make: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    course = make(
        CLASS + path("[meshes]", "  preset: true\n").removeprefix("paths:\n").replace("path: one", "path: two")
    )
    main = ["--course", str(course.root), "preset"]
    assert (cli.main([*main, "one"]), cli.main([*main, "two"]), cli.main([*main, "onne"])) == (0, 2, 2)
    said = capsys.readouterr().err
    assert "'two' needs meshes" in said and "git restore --source=COMMIT _toc.yml" in said
    assert "no path is 'onne'. Did you mean 'one'?" in said


def test_the_sections_of_a_path_are_listed_with_what_is_wrong(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    course = make(path("{Day 1: [jit], Day 2: [use]}"))
    assert cli.main(["--course", str(course.root), "concepts", "--path", "one"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[1:] for line in said[:5]] == [
        ["Day", "1"],
        ["(jit)", "in", "10_jit"],
        ["Day", "2"],
        ["(use)", "in", "30_use"],
        ["minutes"],
    ]
    assert said[5].startswith("'one': `use` uses meshes")
