"""From a lesson's source to its notebooks."""

import functools
import importlib.metadata
import importlib.util
import json
import re
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import jupytext
import jupytext.config
import nbformat
import pytest
import yaml
from toy import LESSON, PY, edit, toy

from jaxcourse import cli
from jaxcourse_author.lesson import boxes_by_key, notebooks
from jaxcourse_author.lesson.notebooks import Course, LessonError

__all__ = ["toy"]

ROOT = Path(__file__).parents[2]
MD = "notebooks/01_toy.md"


def cells(root, folder):
    return nbformat.read(root / folder / "01_toy.ipynb", as_version=4).cells


def sources(root, folder):
    return "\n---\n".join(cell.source for cell in cells(root, folder))


def in_blank(root, text):
    """What a piece of MyST becomes in the blank notebook."""
    edit(root / MD, "That was all.", text)
    return notebooks.blank(notebooks.read_lesson(root / MD, Course(root)), Course(root))


def test_the_blank_has_the_stub_and_not_the_solution(toy):
    text = sources(toy, "notebooks")
    assert 'raise NotImplementedError("your turn")' in text and 'check("double-it")' in text
    assert "return 2 * x" not in text and "Because two" not in text and "solution" not in text


def test_the_solved_notebook_has_the_solution_in_the_stubs_place(toy):
    roles = [cell.metadata.get("jaxcourse", {}).get("role") for cell in cells(toy, "solutions")]
    assert roles.index("solution") + 1 == roles.index("check")
    text = sources(toy, "solutions")
    assert "your turn" not in text and "**Solution.** Because two." in text


@pytest.mark.parametrize("folder", ["notebooks", "solutions"])
def test_gates_become_headings_and_no_myst_is_left(toy, folder):
    text = sources(toy, folder)
    assert "### Exercise 1.1: Double it" in text and "**Predict.** What is twice 3?" in text
    assert "{" not in text.replace("{_wheel}", "") and ")=" not in text
    assert "[the beginning](https://someone.github.io/toy/notebooks/01_toy.html#doubling)" in text
    assert '<a id="doubling"></a>' in text and "stride." in text


def test_each_question_is_asked_before_the_cell_that_answers_it(toy):
    lesson = notebooks.read_lesson(toy / MD, Course(toy))
    (key,) = boxes_by_key(lesson.boxes)
    for folder in ("notebooks", "solutions"):
        text = sources(toy, folder)
        assert f'What is twice 3?\n---\nask("{key}", ...)\n---\nprint(2 * 3)' in text
        assert "from jaxcourse import ask, check" in text
    (told,) = notebooks.text(lesson, Course(toy)).predictions[key]
    assert told == {"ask": "", "kind": "text"}


def test_a_lesson_that_asks_has_a_set_up_cell_which_imports_ask(toy):
    edit(toy / MD, "from jaxcourse import check\n", "import jaxcourse\n")
    course = Course(toy)
    assert "from jaxcourse import ask\\n" in notebooks.blank(notebooks.read_lesson(toy / MD, course), course)
    edit(toy / MD, ":tags: [setup]\n", "")
    with pytest.raises(LessonError, match="no cell tagged `setup`"):
        notebooks.blank(notebooks.read_lesson(toy / MD, course), course)


def test_what_is_right_is_not_in_the_notebook_and_each_field_has_a_place(toy):
    fields = "---\nfields:\n- {ask: a, kind: number, reads: 'got (.)', mistakes: {7: Sevens.}, unit: m}\n- {ask: b, "
    fields += "kind: choice, choices: {x: 'no', 'y': '6'}}\n---\n"
    edit(toy / MD, "What is twice 3?", f"{fields}What is twice 3?")
    course = Course(toy)
    lesson = notebooks.read_lesson(toy / MD, course)
    text = notebooks.blank(lesson, course)
    assert re.search(r'ask\(\\"doubling-\w{6}\\", \.\.\., \.\.\.\)', text)
    assert "Sevens" not in text and "got (" not in text and "Sevens" not in str(notebooks.text(lesson, course))
    assert [*notebooks.text(lesson, course).predictions.values()] == [
        [{"ask": "a", "kind": "number", "unit": "m"}, {"ask": "b", "kind": "choice", "choices": ["x", "y"]}]
    ]


def test_answers_can_be_found_without_metadata(toy):
    for folder in ("notebooks", "solutions"):
        assert "# exercise: double-it\ndef double_it(x):" in sources(toy, folder)


def test_every_code_cell_runs_under_nbval_and_none_compares_output(toy):
    for folder in ("notebooks", "solutions"):
        tags = [cell.metadata.tags for cell in cells(toy, folder) if cell.cell_type == "code"]
        assert all("nbval-ignore-output" in tag and "skip-execution" not in tag for tag in tags)


def test_notebooks_have_no_outputs_and_the_kernel_that_colab_knows(toy):
    book = json.loads((toy / "notebooks/01_toy.ipynb").read_text())
    assert all(not c["outputs"] and c["execution_count"] is None for c in book["cells"] if c["cell_type"] == "code")
    assert book["metadata"]["kernelspec"]["name"] == "python3"


def test_the_first_cells_open_colab_and_install_only_there(toy):
    banner, install = cells(toy, "notebooks")[:2]
    assert "colab.research.google.com/github/someone/toy/blob/main/notebooks/01_toy.ipynb" in banner.source
    assert "https://someone.github.io/toy/notebooks/01_toy.html" in banner.source
    assert 'if "google.colab" in sys.modules' in install.source
    edition = Course(toy).texts["01_toy"].edition
    assert f'__edition__ = "01_toy {edition}"' in install.source
    assert '"https://someone.github.io/toy/wheel/"\n' in install.source and f'"01_toy-{edition}.html"' in install.source
    assert "git+" not in install.source and "--no-deps --no-index" in install.source


@pytest.fixture
def nowhere(monkeypatch):
    """A Python without the course's package."""
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "jaxcourse" else find(name))


def first_cell(toy):
    """The first cell without the lines that install in Colab, which are IPython's."""
    before, _, rest = cells(toy, "notebooks")[1].source.partition('if "google.colab"')
    return before + rest.partition("invalidate_caches()\n")[2] if rest else before


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        ("", "--no-index --find-links https://someone.github.io/toy/wheel/ jaxcourse in a cell"),
        ("https://someone.github.io/toy", '"jaxcourse @ git+https://github.com/someone/toy@main" in a cell'),
    ],
)
def test_where_the_package_is_not_the_first_cell_says_what_to_do(toy, nowhere, gone, said):
    if gone:
        edit(toy / "_config.yml", gone, '""')
        notebooks.write(Course(toy))
    with pytest.raises(ModuleNotFoundError, match="does not have the course's package") as error:
        exec(first_cell(toy), {})
    assert f"%pip install --no-deps {said}" in str(error.value) and "Ask who teaches" in str(error.value)


@pytest.fixture
def published(toy):
    """The site of the toy, on this machine, with a wheel of some edition: the folder of its wheels."""
    wheels = toy / "site" / "wheel"
    wheels.mkdir(parents=True)
    handler = functools.partial(QuietHandler, directory=str(wheels.parent))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    edit(toy / "_config.yml", "https://someone.github.io/toy", f"http://127.0.0.1:{server.server_port}")
    notebooks.write(Course(toy))
    yield wheels
    server.shutdown()
    server.server_close()


class QuietHandler(SimpleHTTPRequestHandler):
    """A server that writes no log."""

    def log_message(self, *_):
        pass


def in_colab(toy, monkeypatch):
    """Run the first cell as Colab does, where pip installs whatever it finds: the places where it was sent."""
    find, asked = importlib.util.find_spec, []
    monkeypatch.setitem(sys.modules, "google.colab", sys)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: find(name) if asked or name != "jaxcourse" else None)
    source = cells(toy, "notebooks")[1].source
    pip = "%pip install --quiet --no-deps --no-index --find-links {_wheel} jaxcourse"
    assert pip in source
    names = {"asked": asked}
    exec(source.replace(pip, "asked.append(_wheel)"), names)
    return asked


def test_in_colab_a_notebook_takes_its_own_edition_where_the_site_has_it(toy, published, monkeypatch, capsys):
    page = f"01_toy-{Course(toy).texts['01_toy'].edition}.html"
    (published / page).write_text("")
    assert [place.rpartition("/")[2] for place in in_colab(toy, monkeypatch)] == [page]
    assert capsys.readouterr().out == ""


def test_between_push_and_publication_colab_says_which_edition_it_has(toy, published, monkeypatch, capsys):
    (published / "01_toy-0a1b2c3d.html").write_text("")
    (place,) = in_colab(toy, monkeypatch)
    assert place.endswith("/wheel/")
    said = capsys.readouterr().out
    edition = importlib.metadata.version("jaxcourse")
    assert (
        f"does not have this notebook's edition: you work with {edition}. A new edition is there some minutes" in said
    )
    assert said.count("\n") == 1 and "Disconnect and delete runtime" in said


def test_where_the_package_is_already_no_site_is_asked(toy, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "google.colab", sys)
    exec(first_cell(toy), {})
    assert capsys.readouterr().out == ""


def test_where_nobody_has_said_an_address_the_first_cell_says_that(toy, nowhere):
    (toy / "_config.yml").write_text("title: Toy\n")
    notebooks.write(Course(toy))
    with pytest.raises(ModuleNotFoundError, match="jaxcourse address OWNER/REPO"):
        exec(first_cell(toy), {})


def test_what_the_page_folds_is_folded_in_colab_and_in_jupyterlab(toy):
    cell = "```{code-cell} ipython3\n:tags: [hide-input]\n\n%s\n```\n\nThat was all."
    edit(toy / MD, "That was all.", cell % "folded = 1" + "\n\n" + cell % "%%time\nmagic = 1")
    notebooks.write(Course(toy))
    made = {one.source: one.metadata for one in cells(toy, "notebooks")}
    (folded,) = (one for one in made if "folded = 1" in one)
    assert folded.startswith("# @title ") and made[folded]["cellView"] == "form"
    assert made[folded]["jupyter"] == {"source_hidden": True}
    assert "%%time\nmagic = 1" in made, "a magic of a cell stands in its first line"
    install = cells(toy, "notebooks")[1]
    assert install.source.startswith("# @title ") and install.metadata.cellView == "form"
    assert [one for one in made if 'check("' in one and "cellView" in made[one]] == []


def test_without_a_site_the_package_is_built_from_the_repository_and_links_lead_to_notebooks(toy):
    edit(toy / "_config.yml", "https://someone.github.io/toy", '""')
    notebooks.write(Course(toy))
    banner, install = cells(toy, "notebooks")[:2]
    assert '%pip install --quiet --no-deps "jaxcourse @ git+https://github.com/someone/toy@main"' in install.source
    assert "colab.research.google.com/github/someone/toy" in banner.source and "as a page" not in banner.source
    assert "[the beginning](01_toy.ipynb#doubling)" in sources(toy, "notebooks")
    assert Course(toy).texts["01_toy"].page == ""


def test_without_an_address_nothing_leads_to_a_stranger_and_nothing_is_installed(toy):
    (toy / "_config.yml").write_text("title: Toy\n")
    notebooks.write(Course(toy))
    banner, install = cells(toy, "notebooks")[:2]
    assert "jaxcourse address OWNER/REPO" in banner.source and "](http" not in banner.source
    assert "jaxcourse address OWNER/REPO" in install.source and "pip" not in install.source
    exec(install.source, {})  # elsewhere than in Colab it says nothing


def test_on_another_forge_a_site_is_all_that_a_notebook_needs(toy, nowhere):
    edit(toy / "_config.yml", "https://github.com/someone/toy", '""')
    notebooks.write(Course(toy))
    banner, install = cells(toy, "notebooks")[:2]
    assert banner.source.startswith("[Read this lesson as a page](https://someone.github.io/toy/")
    assert "Colab" not in banner.source
    assert '_wheel = "https://someone.github.io/toy/wheel/"' in install.source
    with pytest.raises(ModuleNotFoundError, match="--find-links https://someone.github.io/toy/wheel/ jaxcourse in"):
        exec(first_cell(toy), {})


def test_a_link_to_a_page_of_the_book_is_plain_words_where_there_is_no_site(toy):
    (toy / "_config.yml").write_text("title: Toy\n")
    edit(toy / MD, "What is twice 3?", "See [`x[0]`, the *front*](../book/index.md) first. What is twice 3?")
    notebooks.write(Course(toy))
    assert "See `x[0]`, the *front* first." in sources(toy, "notebooks")


def test_the_edition_of_a_lesson_changes_with_its_source_and_with_nothing_else(toy):
    before = Course(toy).texts["01_toy"].edition
    edit(toy / PY, '"""', '"""Twice: ')
    (toy / MD).write_bytes((toy / MD).read_bytes().replace(b"\n", b"\r\n"))
    notebooks.write(Course(toy))
    assert Course(toy).texts["01_toy"].edition == before
    edit(toy / MD, "What is twice 3?", "What is twice 4?")
    notebooks.write(Course(toy))
    assert Course(toy).texts["01_toy"].edition != before


def test_the_course_is_found_from_inside(toy, capsys, monkeypatch):
    monkeypatch.chdir(toy / "notebooks")
    assert cli.main(["notebooks"]) == 0
    assert "3 were as they should be" in capsys.readouterr().out


def test_generation_is_reproducible_in_another_process(toy):
    before = (toy / "notebooks/01_toy.ipynb").read_bytes()
    (toy / "notebooks/01_toy.ipynb").unlink()
    command = [sys.executable, "-c", f"from jaxcourse.cli import main; main(['--course', {str(toy)!r}, 'notebooks'])"]
    subprocess.run(command, check=True, capture_output=True, env={"PYTHONHASHSEED": "7", "PATH": ""})
    assert (toy / "notebooks/01_toy.ipynb").read_bytes() == before


def test_ids_are_unique_and_stay_when_text_is_inserted(toy):
    before = {cell.source: cell.id for cell in cells(toy, "notebooks")}
    assert len(set(before.values())) == len(before)
    edit(toy / MD, "# A toy\n", "# A toy\n\nA new beginning.\n\n```{code-cell}\nprint(2 * 3)\n```\n")
    notebooks.write(Course(toy))
    after = [cell.id for cell in cells(toy, "notebooks")]
    assert len(set(after)) == len(after)
    kept = {cell.source: cell.id for cell in cells(toy, "notebooks")}
    assert all(kept[s] == i for s, i in before.items() if s in kept and s != "print(2 * 3)")


def test_long_names_keep_ids_apart_and_the_same(toy):
    text = (toy / MD).read_text().replace("double-it", "double-it-" + "a" * 60)
    (toy / MD).write_text(text)
    first, second = (notebooks.generated_files(Course(toy)) for _ in range(2))
    assert first == second
    ids = [cell["id"] for cell in json.loads(first[toy / "notebooks/01_toy.ipynb"])["cells"]]
    assert len(set(ids)) == len(ids)


DESCRIBED = "A toy --- a lesson, by which the tools of a course are tried."


def test_the_front_matter_is_read_as_yaml_wherever_it_was_written(toy):
    edit(toy / MD, "    description: A toy", "    keywords: toy\n    description: A toy --- a")
    (toy / MD).write_bytes(b"\xef\xbb\xbf" + (toy / MD).read_bytes().replace(b"\n", b"\r\n"))
    meta = notebooks.read_lesson(toy / MD, Course(toy)).meta
    assert meta["myst"]["html_meta"] == {"description": DESCRIBED, "keywords": "toy"}


@pytest.mark.parametrize(("config", "words"), [("a: [", "is not valid YAML")])
def test_a_faulty_configuration_is_named(toy, capsys, config, words):
    (toy / "_config.yml").write_text(config)
    assert cli.main(["--course", str(toy), "notebooks"]) == 2
    assert "_config.yml" in (said := capsys.readouterr().err) and words in said


def test_a_missing_package_is_named_with_its_command(toy, capsys, monkeypatch):
    monkeypatch.delitem(sys.modules, "jaxcourse_author.lesson.notebooks")
    monkeypatch.delattr("jaxcourse_author.lesson.notebooks")
    monkeypatch.setitem(sys.modules, "nbformat", None)
    assert cli.main(["--course", str(toy), "notebooks"]) == 2
    said = capsys.readouterr().err
    assert "nbformat is missing" in said and "pip install -e '.[author,grade,lessons]'" in said


def test_writing_again_writes_nothing(toy):
    assert notebooks.write(Course(toy)) == []


def test_check_names_the_stale_file_and_the_command(toy, capsys):
    assert cli.main(["--course", str(toy), "notebooks", "--check"]) == 0
    edit(toy / MD, "That was all.", "That was it.")
    assert cli.main(["--course", str(toy), "notebooks", "--check"]) == 1
    said = capsys.readouterr().out
    assert "solutions/01_toy.ipynb" in said and "Mend it with: jaxcourse notebooks" in said
    assert "That was all." in sources(toy, "solutions"), "--check must write nothing"


@pytest.mark.parametrize(
    ("myst", "markdown"),
    [
        ("```{note}\nMind this.\n```", "> **Note.** Mind this."),
        (":::{tip}\nMind this.\n\nAnd that.\n:::", "> **Tip.** Mind this.\n>\n> And that."),
        (
            "````{admonition} Why\n:class: dropdown\n```python\nx = 1\n```\n````",
            "<summary>Why</summary>\n\n```python\nx = 1\n```",
        ),
        ("````{note}\n```python\nx = 1\n```\nafter\n````", "> **Note.**\n>\n> ```python\n> x = 1\n> ```\n> after"),
        ("```{math}\na^2\n```", "$$\na^2\n$$"),
        ("```python\nx = '{ref}`y`'\n```", "x = '{ref}`y`'"),
        ("[the lesson](01_toy.md#doubling)", "(https://someone.github.io/toy/notebooks/01_toy.html#doubling)"),
        ("[the book](../book/index.md)", "(https://someone.github.io/toy/book/index.html)"),
        ("[away](https://example.org/a.md)", "(https://example.org/a.md)"),
    ],
)
def test_myst_becomes_markdown(toy, myst, markdown):
    text = "\n".join("".join(c["source"]) for c in json.loads(in_blank(toy, myst))["cells"])
    assert markdown in text


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("That was all.", "```{figure} a.png\n```", "the directive {figure} has no form in plain Markdown"),
        ("That was all.", "{ref}`the end <nowhere>`", "unknown label 'nowhere'"),
        ("That was all.", "{numref}`x`", "write the role"),
        ("That was all.", "[x](gone.md)", "link to gone.md"),
        ("```{solution-end}\n```\n", "", "is never closed"),
        ("```{exercise-end}\n```\n", "", "stands inside the exercise"),
        ("```{exercise-start} Double it\n:label: double-it\n```\n", "", "stands outside its gates"),
        (":label: double-it", ":label: Double It", "needs a :label:"),
        (":tags: [solution]\n", "", "has no cell tagged `solution`"),
        ("That was all.", "```{code-cell}\n:tags: [solution]\n\n```", "stands outside its gates"),
        ("That was all.", "- x\n\n  ```{note}\n  Mind.\n  ```", "```{note} is indented"),
        ("That was all.", "```{exercise-start} Again\n:label: double-it\n```", "two exercises have the label"),
        ("description: A toy lesson, by which the tools of a course are tried.", "description: [", "is not valid YAML"),
        (":tags: [check, skip-execution]\n", ":tags: [exercise]\n", "has two stub cells"),
        (":label: double-it\n", ":label: double-it\n:class: practise\n", "takes `practice`, or none for core"),
        ("Double `x`.", "```{code-cell}\n:tags: [proof]\n\nx = 1\n```\n", "a proof stands inside the exercise"),
    ],
)
def test_a_faulty_lesson_is_refused_by_name(toy, old, new, words):
    edit(toy / MD, old, new)
    with pytest.raises(LessonError, match="notebooks/01_toy.md") as refused:
        _ = notebooks.read_lesson(toy / MD, Course(toy)).tasks
    assert words in str(refused.value)


def test_the_command_says_what_is_wrong_without_a_stack(toy, capsys):
    edit(toy / MD, "```{solution-end}\n```\n", "")
    assert cli.main(["--course", str(toy), "notebooks"]) == 2
    assert "is never closed" in capsys.readouterr().err


def test_a_folder_without_a_course_is_named(tmp_path, capsys):
    assert cli.main(["--course", str(tmp_path), "notebooks"]) == 2
    assert "no course in" in capsys.readouterr().err


def test_the_lesson_is_read_as_it_is_written(toy):
    lesson = notebooks.read_lesson(toy / MD, Course(toy))
    assert lesson.raw == LESSON and lesson.minutes.figures == (10, 10)
    assert [cell.role for cell in lesson.cells] == [
        "text", "setup", "text", "code", "task", "stub", "check", "reasoning", "solution", "text",
    ]  # fmt: skip
    assert lesson.tasks["double-it"].title == "Double it"


PROOF = "```{code-cell} ipython3\n:tags: [proof]\n\nassert 2 * 3 == np.array(6), 'It is not six.'\n```"


def test_a_proof_is_run_in_the_solved_notebook_and_in_the_contracts_and_is_not_in_the_blank(toy):
    edit(toy / MD, "That was all.", f"Twice three is six.\n\n{PROOF}\n\nThat was all.")
    notebooks.write(Course(toy))
    assert "It is not six." not in sources(toy, "notebooks")
    (cell,) = (cell for cell in cells(toy, "solutions") if "It is not six." in cell.source)
    assert cell.cell_type == "code" and cell.metadata.tags == ["nbval-ignore-output", "proof"]
    assert "It is not six." in notebooks.both(notebooks.read_lesson(toy / MD, Course(toy)), Course(toy))


def test_practice_is_declared_at_the_gate_and_marked_in_the_notebook(toy):
    edit(toy / MD, ":label: double-it\n", ":label: double-it\n:class: practice\n")
    notebooks.write(Course(toy))
    lesson = notebooks.read_lesson(toy / MD, Course(toy))
    assert lesson.practice == ("double-it",) and lesson.tasks["double-it"].practice
    assert lesson.tasks["double-it"].title == "Double it"
    for folder in ("notebooks", "solutions"):
        assert "### Exercise 1.1 (practice): Double it" in sources(toy, folder)
        assert "It takes about 5 minutes, 10 with practice." in cells(toy, folder)[0].source
        about = nbformat.read(toy / folder / "01_toy.ipynb", as_version=4).metadata.jaxcourse
        assert about.practice == ["double-it"] and about.minutes == {"core": 5, "with_practice": 10}


def test_minutes_are_counted_as_readers_read(toy):
    text = "(reading)=\n## Reading\n\n" + "word " * 357  # with the heading and its anchor, 2 minutes
    code = "```{code-cell} ipython3\n" + "print(2)\n" * 12 + "```"
    folded = code.replace("ipython3\n", "ipython3\n:tags: [hide-input]\n\n")
    box = "```{predict}\n---\nfields:\n- {ask: a, kind: text}\n- {ask: b, kind: text}\n---\nWhat?\n```"
    before = notebooks.read_lesson(toy / MD, Course(toy)).minutes.core
    edit(toy / MD, "That was all.", f"{text}\n\n{code}\n\n{folded}\n\n{PROOF}\n\n{box}\n\nThat was all.")
    lesson = notebooks.read_lesson(toy / MD, Course(toy))
    assert lesson.minutes.core - before == pytest.approx(2 + 1 + 2, abs=0.1)
    assert lesson.minutes_left == {"doubling": 15, "reading": 6}


def test_what_is_folded_takes_no_time(toy):
    before = notebooks.read_lesson(toy / MD, Course(toy)).minutes.core
    for fold, more in ((":class: dropdown\n", 0), ("", 1)):
        box = f"```{{admonition}} Small print\n{fold}{'word ' * 180}\n```\n\n"
        edit(toy / MD, "That was all.", f"{box}That was all.")
        assert notebooks.read_lesson(toy / MD, Course(toy)).minutes.core - before == pytest.approx(more, abs=0.1)
        edit(toy / MD, box, "")


def test_an_exercise_takes_what_its_stub_says_or_what_such_exercises_take(toy):
    def minutes():
        return notebooks.read_lesson(toy / MD, Course(toy)).tasks["double-it"].minutes

    assert minutes() == 8
    edit(toy / MD, "skip-execution]\n\ndef", "skip-execution]\n:minutes: 11\n\ndef")
    assert minutes() == 11


LESSONS = Course(ROOT).lesson_paths


def test_jupytext_finds_every_lesson_a_notebook():
    command = [sys.executable, "-m", "jupytext", "--test", "--to", "ipynb", *map(str, LESSONS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_that_is_opened_and_saved_as_a_notebook_is_the_same_lesson(path):
    """As JupyterLab and VS Code do it, by jupytext, which ignores more than it says when it tests itself."""
    settings = jupytext.config.load_jupytext_config(str(path))
    raw = path.read_text(encoding="utf-8")
    saved = jupytext.writes(jupytext.reads(raw, "md:myst", config=settings), "md:myst", config=settings)
    (_, header, body), (_, header_after, body_after) = raw.split("---\n", 2), saved.split("---\n", 2)
    assert body_after == body and yaml.safe_load(header_after) == yaml.safe_load(header)


SECOND = "(toy-sitting-2)=\n## The second sitting\n\n" + "word " * 1796  # with the heading and its anchor, 10 minutes
BOX = "\n\n```{predict}\nWhat is four times 3?\n```\n\n```{code-cell} ipython3\nprint(12)\n```\n\nThat was all."


def test_each_sitting_of_a_lesson_is_counted_and_said(toy):
    edit(toy / MD, "after: double", "sittings: 2\nafter: double")
    edit(toy / MD, "That was all.", f"{'word ' * 900}\n\n{SECOND}{BOX}")
    lesson = notebooks.read_lesson(toy / MD, Course(toy))
    first, second = lesson.minutes.sittings
    assert first.core == pytest.approx(8 + 1 + 900 / 180, abs=0.5)
    assert second.core == pytest.approx(10 + 1, abs=0.2)  # the box at the end of the cell belongs to what is before it
    assert lesson.minutes.core == pytest.approx(first.core + second.core) and lesson.minutes.figures == (30, 30)
    assert lesson.minutes_left == {"doubling": first.left, "toy-sitting-2": second.left}
    notebooks.write(Course(toy))
    for folder in ("notebooks", "solutions"):
        assert "It takes about two sittings of 15 and 15 minutes." in cells(toy, folder)[0].source


@pytest.mark.parametrize("said", ["", "sittings: 1\n", "sittings: 3\n"])
def test_the_front_matter_says_as_many_sittings_as_the_headings_make(toy, said):
    edit(toy / MD, "after: double", f"{said}after: double")
    edit(toy / MD, "That was all.", SECOND)
    with pytest.raises(notebooks.LessonError, match="its headings make 2: put a label that ends in `sitting-2`"):
        notebooks.read_lesson(toy / MD, Course(toy))
