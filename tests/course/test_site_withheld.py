"""An examination in the public site: whoever opens everything finds nothing of what is withheld, until it is not."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from examination import COMING, GONE, SECRETS, STEM, course_in, installable
from mini_book import build

from jaxcourse.course import Course
from jaxcourse_author.lesson import withholding_lessons
from jaxcourse_author.withheld import leaks, secrets

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
pytest.importorskip("hatchling")
pytest.importorskip("myst_nb")
pytest.importorskip("sphinx_exercise")
import site_wheel  # noqa: E402
import site_withheld  # noqa: E402

PAGES = ["site_pages", "site_search", "site_answers", "site_again", "site_lessons", "site_fixups", "site_proofs"]
EXTENSIONS = ["myst_nb", "sphinx_exercise", "site_predict", *PAGES, "site_whole", "site_wheel", "site_withheld"]
SETTINGS: dict[str, Any] = {"exclude_patterns": ["book", "src", "**.ipynb", "*.md.txt", "README.md"]}
SETTINGS |= {"nb_execution_mode": "off", "html_copy_source": True, "myst_enable_extensions": ["colon_fence"]}
SETTINGS |= {"templates_path": [str(ROOT / "book" / "_templates")]}


def bytes_of(data: bytes, name: str) -> Iterator[tuple[str, bytes]]:
    """Some bytes with their name; of an archive those of each file in it, and so on."""
    yield name, data
    if zipfile.is_zipfile(file := io.BytesIO(data)):
        with zipfile.ZipFile(file) as packed:
            for member in packed.namelist():
                yield from bytes_of(packed.read(member), f"{name}!{member}")


def published(*folders: Path) -> Iterator[tuple[str, bytes]]:
    """All that students can open: every file, and every file in an archive."""
    for folder in folders:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            yield from bytes_of(path.read_bytes(), path.relative_to(folder).as_posix())


def found_in(everything: Iterator[tuple[str, bytes]]) -> set[tuple[str, str]]:
    """Which words of what is withheld stand where, in a name or in the bytes."""
    return {
        (word, name) for name, data in everything for word in SECRETS if word.encode() in data.lower() or word in name
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the course can be installed from."""
    return installable(course_in(tmp_path_factory.mktemp("course"))).root


@pytest.fixture(scope="module")
def site(folder: Path) -> Path:
    """The site of the course, with its wheel and its archive."""
    out, _ = build(folder, {}, EXTENSIONS, **SETTINGS)
    return out


def test_nothing_that_is_published_has_a_word_of_what_is_withheld(folder: Path, site: Path) -> None:
    everything = dict(published(site))
    kinds = ("notebooks/50_exam.html", "_sources/notebooks/50_exam.md", "toy.zip!toy/wheel/", "wheel/jaxcourse-")
    for kind in kinds:
        assert any(name.startswith(kind) for name in everything), kind
    assert any("_course/solutions/course.json" in name for name in everything)
    assert found_in(iter(everything.items())) == set()
    blank = folder / "notebooks" / f"{STEM}.ipynb"
    assert found_in(iter([(blank.name, blank.read_bytes())])) == set()


def test_the_page_asks_everything_and_says_until_when_it_tells_no_more(site: Path) -> None:
    page = (site / "notebooks" / f"{STEM}.html").read_text(encoding="utf-8")
    for said in ("mean_of_runs", "your turn", "How many runs of 4", "withheld until 2999-12-18 18:00 Europe/Berlin"):
        assert said in page
    assert "answers-data" not in page and "answers-notebook" in page  # no form judges a value there
    assert "answers-notebook" in (site / "notebooks" / "01_toy.html").read_text(encoding="utf-8")


def test_the_wheel_knows_the_names_and_a_lesson_that_withholds_nothing_is_whole(site: Path) -> None:
    (wheel,) = (site / "wheel").glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        texts = json.loads(packed.read("jaxcourse/_course/solutions/course.json"))
    assert texts[STEM]["solutions"] == {"mean-of-runs": "", "how-many-runs": ""}
    assert texts[STEM]["paragraphs"] == {} and "2 * x" in texts["01_toy"]["solutions"]["double-it"]
    assert "jaxcourse/_course/exercises_tests/01_toy/double_it.py" in names
    assert not [name for name in names if STEM in name or "withheld/" in name]


@pytest.mark.parametrize("what", ["a page", "a copy of a source", "an archive in an archive", "a script"])
def test_a_site_that_says_it_is_refused(what: str, folder: Path, site: Path, tmp_path: Path) -> None:
    line = "    quokka = x.reshape(-1, n)"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as inner:
        inner.writestr("a.py", line)
    outer = io.BytesIO()
    with zipfile.ZipFile(outer, "w") as archive:
        archive.writestr("inner.whl", packed.getvalue())
    cut = "".join(f"<span>{word}</span> " for word in line.split())
    said = {
        "a page": cut.encode(),
        "a copy of a source": line.encode(),
        "an archive in an archive": outer.getvalue(),
        "a script": json.dumps({"solution": line}).encode(),
    }
    (tmp_path / "file").write_bytes(said[what])
    (leak,) = site_withheld.leaks_in(tmp_path, Course(folder))
    assert f"notebooks/{STEM}.md:" in leak


def test_a_build_that_forgets_to_hide_something_fails(
    folder: Path, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sphinx.errors import ExtensionError

    monkeypatch.setattr(site_withheld, "without_solutions", lambda lesson: lesson.raw)
    course = course_in(tmp_path)
    without = [one for one in EXTENSIONS if one not in ("site_wheel", "site_whole")]
    with pytest.raises(ExtensionError, match="says what is withheld.*Do not publish"):
        try:
            build(course.root, {}, without, **SETTINGS)
        except ExtensionError as error:
            raise ExtensionError(str(error).replace("\n", " ")) from None


def test_after_its_time_all_is_there_and_no_generated_file_has_changed_for_that(tmp_path: Path) -> None:
    course = installable(course_in(tmp_path, GONE))
    assert withholding_lessons(course) == {} and secrets(course) == {}
    out, _ = build(tmp_path, {}, EXTENSIONS, **SETTINGS)
    words = {word for word, _ in found_in(published(out))}
    assert words == {*SECRETS} - {"dunnart"}  # no reader installs the listed answers
    assert "quokka" in (out / "notebooks" / f"{STEM}.html").read_text(encoding="utf-8")
    (wheel,) = (out / "wheel").glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    run = "from jaxcourse import solution; solution('mean-of-runs')"
    names = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    done = subprocess.run([sys.executable, "-c", run], env=names, cwd=tmp_path, capture_output=True, text=True)
    assert "quokka.mean(axis=1)" in done.stdout, done.stderr


def test_an_edition_is_another_one_when_its_time_has_come(tmp_path: Path) -> None:
    from jaxcourse._edition import of_files

    before, after = (course_in(tmp_path / name, when) for name, when in (("a", COMING), ("b", GONE)))
    # the same texts but for the time
    texts = (before.root / "solutions/course.json").read_text(encoding="utf-8").replace("2999-12-18", "2020-12-18")
    edition = of_files(ROOT / "src" / "jaxcourse", before.root)
    (before.root / "solutions/course.json").write_text(texts, encoding="utf-8")
    assert of_files(ROOT / "src" / "jaxcourse", before.root) != edition
    assert after.lesson(STEM).solution("mean-of-runs") == before.lesson(STEM).solution("mean-of-runs")


def test_an_examination_that_is_being_written_is_not_published_either(tmp_path: Path) -> None:
    course = installable(course_in(tmp_path))
    toc = (tmp_path / "_toc.yml").read_text(encoding="utf-8").replace(f"  - file: notebooks/{STEM}\n", "")
    (tmp_path / "_toc.yml").write_text(toc, encoding="utf-8")
    from jaxcourse_author.lesson import notebooks

    notebooks.write(course)
    wheel = site_wheel.write(course, tmp_path / "wheel")
    assert not [name for name in zipfile.ZipFile(wheel).namelist() if STEM in name]
    assert found_in(published(tmp_path / "wheel")) == set()
    assert f"notebooks/{STEM}.md:32" in secrets(course).values()  # its text is withheld as well


def test_earlier_editions_that_give_it_away_are_not_kept(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Last year the examination was an ordinary lesson, with another solution."""

    def wheel(**files: str) -> bytes:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, text in files.items():
                archive.writestr(f"jaxcourse/_course/{name.replace('__', '/')}", text)
        return packed.getvalue()

    said = {STEM: {"solutions": {"mean-of-runs": "last = 1"}}}
    old = {
        "jaxcourse-1+a-py3-none-any.whl": wheel(**{"solutions__course.json": json.dumps(said)}),
        "jaxcourse-1+b-py3-none-any.whl": wheel(**{f"exercises_tests__{STEM}__mean_of_runs.py": "last = 1"}),
        "jaxcourse-1+c-py3-none-any.whl": wheel(**{"exercises_tests__01_toy__double_it.py": "x = 1"}),
    }
    editions = {f"01_toy-{i}.html": name for i, name in enumerate(old)}

    def fetched(address: str) -> bytes:
        name = address.rpartition("/")[2].replace("%2B", "+")
        return json.dumps(editions).encode() if name == site_wheel.LIST else old[name]

    monkeypatch.setattr(site_wheel, "_fetched", fetched)
    here = tmp_path / site_wheel.FOLDER
    here.mkdir()
    site_wheel._link(here, {"01_toy-new.html": "jaxcourse-2-py3-none-any.whl"})
    assert site_wheel.main("https://x.org", tmp_path, Course(folder)) == ""
    assert [path.name for path in here.glob("*.whl")] == ["jaxcourse-1+c-py3-none-any.whl"]
    assert capsys.readouterr().out.count("is not kept: it has what is withheld now") == 2
    assert {*json.loads((here / "editions.json").read_text())} == {"01_toy-new.html", "01_toy-2.html"}


def test_the_course_itself_withholds_nothing_and_has_no_secret() -> None:
    assert withholding_lessons(Course(ROOT)) == {} and list(leaks([ROOT / "README.md"], {})) == []
