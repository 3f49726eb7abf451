"""The wheel that the site carries, the pages on which pip finds it, and what is kept of earlier editions."""

from __future__ import annotations

import functools
import json
import re
import shutil
import sys
import threading
import zipfile
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import jaxcourse
from jaxcourse import _edition
from jaxcourse.course import Course

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
site_wheel = pytest.importorskip("site_wheel")
pytest.importorskip("hatchling")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the wheel on the site."""
    folder = tmp_path_factory.mktemp("site") / site_wheel.FOLDER
    (folder / "old").mkdir(parents=True)
    site_wheel.write(Course(ROOT), folder)
    return folder


def test_the_wheel_is_of_this_edition_and_for_readers_alone(folder: Path, tmp_path: Path) -> None:
    (wheel,) = folder.glob("*.whl")
    assert wheel.name == f"jaxcourse-{jaxcourse.__version__}-py3-none-any.whl"
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names} == {"jaxcourse", f"jaxcourse-{jaxcourse.__version__}.dist-info"}
    zipfile.ZipFile(wheel).extractall(tmp_path)
    package = tmp_path / "jaxcourse"
    assert _edition.of_files(package, package / "_course") == jaxcourse.__version__
    for kept in ("barometers/course.npz", "data/mauna_loa.csv", "data/seattle.csv", "data/SOURCES.md"):
        assert (package / kept).read_bytes() == (ROOT / "src" / "jaxcourse" / kept).read_bytes()
    assert not (folder / "old").exists()


def test_each_lesson_has_a_page_that_leads_to_the_wheel(folder: Path) -> None:
    (wheel,) = (path.name for path in folder.glob("*.whl"))
    editions = json.loads((folder / "editions.json").read_text(encoding="utf-8"))
    assert set(editions) == {path.name for path in folder.glob("*.html")} - {"index.html"}
    assert set(editions.values()) == {wheel}
    for name in ["index.html", *editions]:
        assert re.findall('href="([^"]*)"', (folder / name).read_text(encoding="utf-8")) == [wheel.replace("+", "%2B")]


def test_notebooks_ask_for_the_pages_that_the_site_has(folder: Path) -> None:
    for stem in Course(ROOT).texts:
        notebook = json.loads((ROOT / "notebooks" / f"{stem}.ipynb").read_text(encoding="utf-8"))
        _, edition = re.search(r'__edition__ = "(\S+) (\w+)"', "".join(notebook["cells"][1]["source"])).groups()
        assert (folder / f"{stem}-{edition}.html").exists()


def test_the_wheel_holds_what_lessons_read(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "LICENSE-TEXT", "exercises_tests", "src"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        copy(ROOT / name, tmp_path / name)
    texts = json.loads((ROOT / "solutions" / "course.json").read_text(encoding="utf-8"))
    for number, text in enumerate(texts.values()):
        text["files"] = {} if number else {"runs.csv": "1f2e"}
    for name, text in {"solutions/course.json": json.dumps(texts), "notebooks/runs.csv": "2\n"}.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text, encoding="utf-8")
    wheel = zipfile.ZipFile(site_wheel.write(Course(tmp_path), tmp_path / "out"))
    assert wheel.read("jaxcourse/_course/notebooks/runs.csv") == b"2\n"


@pytest.fixture
def published(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A site that is published already, with editions of its own: its address and the folder of its wheels."""
    wheels = tmp_path / "published" / site_wheel.FOLDER
    wheels.mkdir(parents=True)
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(wheels.parent))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", wheels
    server.shutdown()
    server.server_close()


OLD = "jaxcourse-0.1.0+e00-py3-none-any.whl"


def written(folder: Path, editions: dict[str, str]) -> Path:
    """A folder with pages and wheels, which hold their names."""
    folder.mkdir(parents=True, exist_ok=True)
    site_wheel._link(folder, editions)
    for wheel in editions.values():
        if "/" not in wheel:
            (folder / wheel).write_text(wheel, encoding="utf-8")
    return folder


def test_earlier_editions_are_kept_and_present_ones_stay(published: tuple[str, Path], tmp_path: Path) -> None:
    address, wheels = published
    new = "jaxcourse-0.1.0+e11-py3-none-any.whl"
    written(wheels, {"01_a-aa.html": OLD, "02_b-bb.html": OLD, "../up.html": OLD, "03_c-cc.html": "../../evil.whl"})
    here = written(tmp_path / "out" / site_wheel.FOLDER, {"01_a-aa.html": new, "02_b-b2.html": new})
    assert site_wheel.keep(address, here) == 1
    editions = {"01_a-aa.html": new, "02_b-b2.html": new, "02_b-bb.html": OLD}
    assert json.loads((here / "editions.json").read_text(encoding="utf-8")) == editions
    assert (here / OLD).read_text(encoding="utf-8") == OLD
    assert not (here.parent / "up.html").exists()


def test_only_so_many_wheels_are_kept_and_the_oldest_go_first(
    published: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, wheels = published
    names = [f"jaxcourse-0.1.0+e{i}-py3-none-any.whl" for i in range(4)]
    written(wheels, {f"01_a-{i}.html": name for i, name in enumerate(names) if i})
    here = written(tmp_path / "out" / site_wheel.FOLDER, {"01_a-0.html": names[0]})
    monkeypatch.setattr(site_wheel, "KEPT", 3)
    assert site_wheel.keep(address, here) == 2
    assert sorted(path.name for path in here.glob("*.whl")) == names[:3]


def test_where_nothing_is_published_yet_that_is_said(
    published: tuple[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path / site_wheel.FOLDER, {"01_a-0.html": OLD})
    assert site_wheel.main(published[0], tmp_path) == ""
    assert "Nothing is published there yet" in capsys.readouterr().out


@pytest.mark.parametrize("lost", ["the host", "a wheel", "the list"])
def test_where_earlier_editions_cannot_be_had_nothing_is_published(
    lost: str, published: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_wheel, "PAUSES", (0.0,))
    address, wheels = published
    written(wheels, {"01_a-0.html": OLD})
    here = written(tmp_path / site_wheel.FOLDER, {"01_a-1.html": "jaxcourse-0.1.0+e11-py3-none-any.whl"})
    if lost == "a wheel":
        (wheels / OLD).unlink()
    if lost == "the list":
        (wheels / site_wheel.LIST).write_text("<h1>Log in</h1>", encoding="utf-8")
    why = site_wheel.main("http://127.0.0.1:9" if lost == "the host" else address, tmp_path)
    assert "would lose their package" in why and list(json.loads((here / "editions.json").read_text())) == [
        "01_a-1.html"
    ]


def test_a_host_with_a_bad_minute_is_asked_again(
    published: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, wheels = published
    written(wheels, {"01_a-0.html": OLD})
    written(tmp_path / site_wheel.FOLDER, {"01_a-1.html": "jaxcourse-0.1.0+e11-py3-none-any.whl"})
    answers = iter([503, 503])
    fetch = site_wheel.urllib.request.urlopen

    def trouble(where: str, **how: Any) -> Any:
        if code := next(answers, None):
            raise site_wheel.urllib.error.HTTPError(where, code, "unavailable", {}, None)
        return fetch(where, **how)

    monkeypatch.setattr(site_wheel.urllib.request, "urlopen", trouble)
    monkeypatch.setattr(site_wheel, "PAUSES", (0.0, 0.0))
    assert site_wheel.main(address, tmp_path) == ""
    assert (tmp_path / site_wheel.FOLDER / OLD).exists()
