"""What follows from title and address on every page, and how two editions under one host keep apart."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from play.play_browser import run

import jaxcourse
from jaxcourse.course import Course

BOOK = Path(__file__).parents[2] / "book"
sys.path.insert(0, str(BOOK / "_ext"))
site_identity = pytest.importorskip("site_identity")


def settings(root: Path, config: str) -> tuple[Any, dict[str, Any]]:
    """The settings that follow from a configuration, and what is said to the script of the store."""
    (root / "_config.yml").write_text(config, encoding="utf-8")
    scripts: dict[str, Any] = {}
    app = SimpleNamespace(srcdir=root, add_js_file=lambda name, **more: scripts.update({name: more}))
    found = SimpleNamespace(html_theme_options={}, author="somebody else")
    site_identity.on_config(app, found)
    return found, scripts["store.js"]


def test_everything_follows_from_title_and_address(tmp_path: Path) -> None:
    config, store = settings(tmp_path, "title: A & B\nrepository: {url: https://github.com/me/mine}")
    options = config.html_theme_options
    assert options["logo"]["text"] == "A & B" and config.author == "the A & B contributors"
    (tmp_path / "LICENSE").touch()
    assert settings(tmp_path, "title: A & B")[0].html_extra_path == ["LICENSE"]
    assert options["use_repository_button"] and options["launch_buttons"]["colab_url"]
    assert store["data-course"] == "me/mine" and store["data-file"] == "a-b-progress.json"


def test_below_a_page_stands_what_it_is_and_under_which_licences(tmp_path: Path) -> None:
    (tmp_path / "_config.yml").write_text("title: A & B", encoding="utf-8")
    context: dict[str, Any] = {"pathto": lambda name, resource: f"../{name}" if resource else ""}
    site_identity.on_page(SimpleNamespace(srcdir=tmp_path), "notebooks/a", "", context, None)
    line = context["theme_extra_footer"]
    assert f"<p>A &amp; B, edition {jaxcourse.__version__}. Text <a " in line
    for file, name in site_identity.LICENCES.values():
        assert f'<a href="../{file}">{name}</a>' in line
        assert name.split()[0] in (BOOK.parent / file).read_text(encoding="utf-8")


def test_a_copy_with_another_title_names_whose_work_it_is(tmp_path: Path) -> None:
    (tmp_path / "_config.yml").write_text("title: Arrays for physicists", encoding="utf-8")
    assert site_identity.origin(Course(tmp_path)) == "", "nothing is cited"
    (tmp_path / "CITATION.cff").write_bytes((BOOK.parent / "CITATION.cff").read_bytes())
    whose = site_identity.origin(Course(tmp_path))
    assert whose == "From Strides to Shards, by The From Strides to Shards contributors"
    assert f"After {whose}." in site_identity.footer("Arrays for physicists", "1", whose)
    (tmp_path / "_config.yml").write_text("title: From Strides to Shards", encoding="utf-8")
    assert site_identity.origin(Course(tmp_path)) == ""


def test_without_an_address_no_button_leads_to_one(tmp_path: Path) -> None:
    config, store = settings(tmp_path, "title: Mine\nrepository: {url: '', branch: main}")
    options = config.html_theme_options
    assert not any(options[name] for name in site_identity.BUTTONS) and options["launch_buttons"] == {}
    assert config.html_extra_path == []
    assert store["data-course"] == "mine"


def test_the_title_is_written_in_the_configuration_alone() -> None:
    title = Course(BOOK.parent).title
    sources = [path for path in BOOK.rglob("*") if path.suffix in {".md", ".html", ".js", ".css", ".py", ".yml"}]
    assert len(sources) > 30
    for path in [*sources, BOOK.parent / "Makefile"]:
        lines = path.read_text(encoding="utf-8").splitlines()
        own = [line for line in lines if title in line and not line.startswith("#") and "--title" not in line]
        assert own == [], f"{path}: `{{{{ title }}}}` stands for it; an example of `--title` may be it"


TWO = """
const kept = [];
const store = (src, course) => {
  const script = document.createElement("script");
  script.src = src;
  script.dataset.course = course;
  return new Promise((done) => { script.onload = () => done(window.course); document.head.append(script); });
};
(async () => {
  const first = await store("one/_static/store.js", "me/mine");
  first.put("read", "a", true);
  for (const [src, course] of [["one/_static/store.js", "me/mine"], ["two/_static/store.js", "me/mine"],
                               ["one/_static/store.js", "me/other"]])
    kept.push((await store(src, course)).get("read", "a") ?? null);
  report(kept);
})();
"""


def test_two_editions_under_one_host_do_not_share_what_readers_did(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "_static").mkdir(parents=True)
        (tmp_path / name / "_static" / "store.js").write_bytes((BOOK / "_static" / "store.js").read_bytes())
    record = (BOOK / "_static" / "record.js").read_text(encoding="utf-8")
    assert run(tmp_path, f"<script>{record}</script><script>{TWO}</script>") == [True, None, None], json.dumps(
        "the same, another place, another"
    )
