"""A syllabus of one's own: some of the lessons, in another order, and one that nobody else has."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import nbformat
import pytest
import yaml
from nbformat.v4 import new_code_cell, new_notebook
from toy import ANSWERS, CHECK, LESSON, MD, edit, toy

from jaxcourse import cli
from jaxcourse.course import TEXTS, Course
from jaxcourse_author.lesson import left_out, notebooks, old_names
from jaxcourse_author.lesson.elsewhere import INVENTORY, Elsewhere
from jaxcourse_author.rules import Contract, lessons_come_after_what_they_need

__all__ = ["toy"]

ROOT = Path(__file__).parents[2]
FILES = ["_config.yml", "requirements.txt"]
FOLDERS = ["book", "notebooks", "solutions", "exercises_tests", "tests/answers"]
HERE = [path.stem for path in Course(ROOT).lessons_here]
SHORT = ["61_compiled_indexing", "10_memory_layout", "34_gotchas", "00_start_here"]
OWN, LEFT = "90_doubling", "91_far"
TAUGHT = [*(stem for stem in SHORT if stem in HERE), OWN]
"""What is taught, as far as it is here: in an order that is not the files', and with a lesson of one's own."""
FULL = "https://example.org/full"

CONTENTS = {
    "format": "jb-book",
    "root": "book/index",
    "parts": [
        {"caption": "Lessons", "numbered": 1, "chapters": [{"file": f"notebooks/{stem}"} for stem in TAUGHT]},
        {
            "caption": "Reference",
            "chapters": [{"file": page} for page in Course(ROOT).pages[1:] if page.startswith("book/")],
        },
    ],
}


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The course, with its notebooks written."""
    root = tmp_path_factory.mktemp("five")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, root)
    (root / "_toc.yml").write_text(yaml.safe_dump(CONTENTS, sort_keys=False), encoding="utf-8")
    own = {
        f"notebooks/{OWN}.md": LESSON.replace("That was all.", "That was all: {ref}`more <far>`."),
        f"notebooks/{LEFT}.md": "# Far\n\n(far)=\n## Far `away`\n",
        f"exercises_tests/{OWN}/double_it.py": CHECK,
        f"tests/answers/{OWN}/double_it.py": ANSWERS,
    }
    for name, text in own.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    idea = "- {idea: Twice, about: Twice is one more time., trains: [doubling]}\n"
    (root / "book/ideas.yml").write_text((root / "book/ideas.yml").read_text(encoding="utf-8") + idea, encoding="utf-8")
    config = (root / "_config.yml").read_text(encoding="utf-8")
    config = re.sub(r"^full_course:.*$", f"full_course: {FULL}/", config, flags=re.MULTILINE)
    (root / "_config.yml").write_text(config, encoding="utf-8")
    notebooks.write(Course(root))
    return Course(root)


def test_what_is_taught_is_what_the_contents_name_in_their_order(five: Course) -> None:
    assert [path.stem for path in five.lesson_paths] == list(five.exercises()) == TAUGHT
    assert {path.parent.name for path in five.check_files()} == set(TAUGHT)
    assert notebooks.stale(five) == {}


def test_who_puts_a_lesson_before_one_that_it_needs_is_told(five: Course, tmp_path: Path) -> None:
    root = tmp_path / "turned"
    shutil.copytree(five.root, root)
    advice = [str(one) for one in lessons_come_after_what_they_need(Contract(root))]
    contents = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    contents["parts"][0]["chapters"].sort(key=lambda chapter: chapter["file"])
    (root / "_toc.yml").write_text(yaml.safe_dump(contents, sort_keys=False), encoding="utf-8")
    assert [*lessons_come_after_what_they_need(Contract(root))] == []
    assert any("stands before" in one and "Move it behind" in one for one in advice)


def test_a_diagnosis_sends_to_the_full_course_for_what_is_not_taught(five: Course) -> None:
    assert five.lesson(OWN).section("far") == ("Far `away`", f"{FULL}/notebooks/{LEFT}.html#far")
    found = {label: five.lesson(OWN).section(label) for label in left_out(five)}
    assert all(not title or address.startswith(f"{FULL}/notebooks/") for title, address in found.values())


def test_a_lesson_of_it_is_proved_and_one_that_is_not_taught_is_not(
    five: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["--course", str(five.root), "check", "--quick", OWN]) == 0
    left = [LEFT, *(stem for stem in HERE if stem not in TAUGHT)]
    said = capsys.readouterr().out
    assert "Everything holds: 1 lesson (" in said and f"), {len(left)} more that _toc.yml does not name, " in said
    assert cli.main(["--course", str(five.root), "check", "--quick", LEFT]) == 2
    assert f"_toc.yml has no lesson {LEFT!r}" in capsys.readouterr().err


def test_a_student_is_graded_in_what_is_taught_alone(five: Course, tmp_path: Path) -> None:
    (tmp_path / "in" / "ada").mkdir(parents=True)
    shutil.copy(five.root / "solutions" / f"{OWN}.ipynb", tmp_path / "in" / "ada")
    other = new_notebook(cells=[new_code_cell("x = 1")], metadata={"jaxcourse": {"lesson": LEFT}})
    nbformat.write(other, tmp_path / "in" / "ada" / "other.ipynb")
    order = ["grade", str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--unprotected"]
    assert cli.main(["--course", str(five.root), *order]) == 0
    with (tmp_path / "out" / "grades.csv").open(encoding="utf-8-sig") as table:
        rows = {row["lesson"]: row for row in csv.DictReader(table)}
    assert rows[OWN]["percent"] == "100"
    assert list(rows) == [OWN] and f"This is {LEFT}, which is not taught here" in rows[OWN]["notes"]


@pytest.fixture(scope="module")
def site(five: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course's site, built as `make html` builds it, but not executed, so that no prediction finds its output."""
    pytest.importorskip("jupyter_book")
    edit(five.root / "_config.yml", "execute_notebooks: cache", "execute_notebooks: 'off'")
    quiet = "    suppress_warnings: [predict, myst-nb.lexer]"
    edit(five.root / "_config.yml", "    language: en", f"    language: en\n{quiet}")
    old = five.root / "_build/html/notebooks/18_old.html"
    old.parent.mkdir(parents=True)
    old.write_text("a page of an earlier build")
    command = [Path(sys.executable).parent / "jupyter-book", "build", ".", "--all", "-W", "-n", "--keep-going"]
    settings = os.environ | {"JUPYTER_PLATFORM_DIRS": "1", "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache"))}
    done = subprocess.run(command, cwd=five.root, env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return five.root / "_build" / "html"


def test_its_site_is_built_without_a_warning_and_has_its_lessons_alone(five: Course, site: Path) -> None:
    old = [name for name, stem in old_names(five).items() if stem in TAUGHT]
    assert {page.stem for page in (site / "notebooks").glob("*.html")} == {*TAUGHT, *old}
    front = (site / "book/index.html").read_text(encoding="utf-8")
    assert re.findall(r'data-lesson="(\w+)"', front) == TAUGHT
    exercises = [name for names in five.exercises().values() for name in names]
    assert f"{len(TAUGHT)} lessons of " in front and f"{len(exercises)} exercises that check themselves" in front
    index = (site / "book/exercises.html").read_text(encoding="utf-8")
    assert set(re.findall(r'data-solved="([\w-]+)"', index)) == set(exercises)
    first, _ = (site / "_static/lessons.js").read_text(encoding="utf-8").splitlines()
    known = json.loads(first.partition("=")[2].rstrip(";"))
    assert [lesson["stem"] for lesson in known] == TAUGHT


def test_links_on_its_site_lead_to_a_page_of_it_or_to_the_full_course(site: Path) -> None:
    elsewhere = set()
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        elsewhere |= set(re.findall(rf'href="{FULL}/notebooks/(\w+)\.html', text))
        for link in re.findall(r'href="([\w./-]*notebooks/\w+\.html)', text):
            assert (page.parent / link).exists(), f"{link} on {page}"
    assert LEFT in elsewhere and not elsewhere & set(TAUGHT)


# -- the words of a link ----------------------------------------------------------------------------------------


FAR = "# Far\n\n(far)=\n## Far away\n\n```{exercise-start} Go\n:label: go-far\n```\n```{exercise-end}\n```\n"


@pytest.fixture
def shelf(toy: Path) -> Course:
    """The toy course, with a lesson and a page that it does not teach."""
    (toy / "notebooks/02_far.md").write_text(FAR, encoding="utf-8")
    (toy / "book/aside.md").write_text("(doubling)=\n# Aside\n", encoding="utf-8")
    return Course(toy)


LINKS = {
    "{ref}`what is far <far>`": ("what is far", "notebooks/02_far.html#far"),
    "{ref}`an\nexercise <go-far>`": ("an\nexercise", "notebooks/02_far.html#go-far"),
    "[`x[0]` and more](02_far.md#far)": ("`x[0]` and more", "notebooks/02_far.html#far"),
    "[its notebook](02_far.ipynb)": ("its notebook", "notebooks/02_far.html"),
    "{doc}`aside <../book/aside>`": ("aside", "book/aside.html"),
    "{ref}`far`": ("Far away", "notebooks/02_far.html#far"),
    "{doc}`02_far`": ("Far", "notebooks/02_far.html"),
}
KEPT = (
    "{ref}`here <doubling>`, {ref}`doubling`, {term}`far`, [x](01_toy.md), [y](https://a.org/02_far.md), "
    "`[z](02_far)`, [](#far)"
)


@pytest.mark.parametrize("link", LINKS)
def test_a_link_into_what_is_not_taught_is_turned_or_is_words(shelf: Course, link: str) -> None:
    words, place = LINKS[link]
    assert Elsewhere(shelf).redirected(f"See {link}.", "notebooks/01_toy") == f"See {words}."
    edit(shelf.root / "_config.yml", "repository:", f"full_course: {FULL}\nrepository:")
    assert Elsewhere(shelf).redirected(f"See {link}.", "notebooks/01_toy") == f"See [{words}]({FULL}/{place})."


def test_every_other_link_stays(shelf: Course) -> None:
    assert Elsewhere(shelf).redirected(KEPT, "notebooks/01_toy") == KEPT


def test_a_notebook_has_the_same_links(shelf: Course) -> None:
    edit(shelf.root / MD, "That was all.", "That was all: {ref}`more <far>`.")
    for full, said in (("", "That was all: more."), (FULL, f"That was all: [more]({FULL}/notebooks/02_far.html#far).")):
        (shelf.root / "_config.yml").write_text(
            f"full_course: '{full}'\nrepository: {{url: https://github.com/a/b}}\n", encoding="utf-8"
        )
        notebooks.write(shelf)
        assert said in (shelf.root / "notebooks/01_toy.ipynb").read_text(encoding="utf-8")
        texts = json.loads((shelf.root / TEXTS).read_text(encoding="utf-8"))
        assert list(texts) == ["01_toy", "02_far"][: 1 + bool(full)] and list(shelf.exercises()) == ["01_toy"]


def test_of_files_that_were_removed_the_full_courses_inventory_knows_the_labels(shelf: Course) -> None:
    entries = [
        "lost std:label -1 notebooks/03_lost.html#$ Lost",
        "notebooks/03_lost std:doc -1 notebooks/03_lost.html Lost",
        "doubling std:label -1 notebooks/03_lost.html#$ Doubling",
        "notebooks/01_toy std:doc -1 notebooks/01_toy.html A toy",
    ]
    head = "# Sphinx inventory version 2\n# Project: full\n# Version: \n# The remainder is compressed using zlib.\n"
    (shelf.root / INVENTORY).write_bytes(head.encode() + zlib.compress("\n".join([*entries, ""]).encode()))
    places = Elsewhere(shelf).places
    assert places["lost"] == places["notebooks/03_lost"] == "notebooks/03_lost"
    assert Elsewhere(shelf).redirected("See {ref}`lost`.", "book/aside") == "See Lost."
    assert places["far"] == "notebooks/02_far" and not {"doubling", "notebooks/01_toy"} & set(places)


def test_a_name_in_the_contents_that_leads_to_no_lesson_is_said(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(toy / "_toc.yml", "01_toy", "01_toys")
    for command in (["notebooks"], ["check", "--quick"]):
        assert cli.main(["--course", str(toy), *command]) == 2
        assert "_toc.yml names notebooks/01_toys, and there is no notebooks/01_toys.md" in capsys.readouterr().err


def test_a_lesson_is_not_written_where_no_lesson_shows_its_place(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(toy / "_toc.yml", "notebooks/01_toy", "book/index")
    assert cli.main(["--course", str(toy), "new", "lesson", "02_more", "More"]) == 2
    assert "_toc.yml names no lesson: write `- file: notebooks/02_more`" in capsys.readouterr().err
    assert not (toy / "notebooks/02_more.md").exists()


def test_lessons_are_named_in_parts_chapters_and_sections(toy: Path) -> None:
    (toy / "_toc.yml").write_text(
        "root: book/index\nparts:\n- chapters:\n  - file: book/a\n    sections: [{file: notebooks/02_b.md}]\n"
        "- chapters: [{url: 'https://a.org'}, {file: notebooks/01_toy}]\n",
        encoding="utf-8",
    )
    assert Course(toy).pages == ["book/index", "book/a", "notebooks/02_b", "notebooks/01_toy"]
