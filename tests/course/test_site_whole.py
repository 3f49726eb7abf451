"""What stands beside the pages: the page for wrong addresses, the site map, the card and the archive."""

from __future__ import annotations

import json
import re
import struct
import sys
import xml.etree.ElementTree as ElementTree
import zipfile
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import pytest
from jinja2 import Environment, FileSystemLoader

from jaxcourse.course import Course, LessonText

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
site_whole = pytest.importorskip("site_whole")
site_sources = pytest.importorskip("site_sources")

SITE = "https://me.github.io/mine"


def test_who_comes_to_the_site_keeps_what_the_address_says_behind_it():
    page = site_whole.entrance("A & B", "book/index.html")
    assert 'location.replace("book/index.html" + location.search + location.hash)' in page and "A &amp; B" in page


def test_the_address_is_known_where_a_configuration_says_it(tmp_path: Path) -> None:
    app = SimpleNamespace(srcdir=tmp_path)
    assert site_whole.address(app) == ""
    (tmp_path / "_config.yml").write_text(f"html: {{baseurl: {SITE}/}}", encoding="utf-8")
    assert site_whole.address(app) == SITE


def test_a_wrong_address_leads_to_the_front_page_from_any_depth(tmp_path: Path) -> None:
    (tmp_path / "_config.yml").write_text(f"html: {{baseurl: {SITE}}}", encoding="utf-8")
    config = SimpleNamespace(html_title="Mine", root_doc="book/index")
    [(name, context, template)] = site_whole.page_not_found(SimpleNamespace(srcdir=tmp_path, config=config))
    page = Environment(loader=FileSystemLoader(ROOT / "book" / "_templates")).get_template(template).render(**context)
    assert name == "404" and '<base href="/mine/">' in page
    assert re.findall('<a href="([^"]*)"', page) == ["book/index.html", "search.html", "genindex.html"]


def test_a_card_says_the_page_as_text() -> None:
    tags = site_whole.card_tags(SITE, "notebooks/06.html", 'Of "x" & y', "Less < more.")
    root = ElementTree.fromstring(f"<head>{tags.replace('>', '/>')}</head>")
    said = {tag.get("property") or tag.get("name"): tag.get("content") for tag in root}
    assert said["og:title"] == 'Of "x" & y' and said["og:description"] == "Less < more."
    assert said["og:url"] == f"{SITE}/notebooks/06.html" and said["og:image"] == f"{SITE}/_static/card.png"


def test_the_picture_of_the_card_has_the_size_it_says_and_is_light(tmp_path: Path) -> None:
    site_whole.draw_card(tmp_path / "card.png", "A title", "words")
    data = (tmp_path / "card.png").read_bytes()
    assert struct.unpack(">II", data[16:24]) == (1200, 630)
    assert len(data) < 80_000


def test_the_site_map_names_every_page() -> None:
    root = ElementTree.fromstring(site_whole.site_map(SITE, ["b", "a"]).encode())
    assert ["".join(url.itertext()).strip() for url in root] == [f"{SITE}/a.html", f"{SITE}/b.html"]


def test_the_address_of_the_site_leads_to_the_front_page() -> None:
    page = site_whole.entrance("Mine & <yours>", "book/index.html")
    assert "<title>Mine &amp; &lt;yours&gt;</title>" in page and 'content="0; url=book/index.html"' in page


def test_the_archive_holds_the_site_and_equal_sites_give_equal_archives(tmp_path: Path) -> None:
    for name in ("index.html", "book/index.html", "404.html", ".buildinfo"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    archive = site_whole.pack(tmp_path, "mine.zip")
    first = archive.read_bytes()
    assert zipfile.ZipFile(archive).namelist() == ["mine/book/index.html", "mine/index.html"]
    archive.rename(tmp_path / "as-it-was-called-before.zip")
    assert site_whole.pack(tmp_path, "mine.zip").read_bytes() == first
    assert [path.name for path in tmp_path.glob("*.zip")] == ["mine.zip"]


def test_a_file_that_a_lesson_reads_lies_beside_its_page_and_in_the_archive(tmp_path: Path) -> None:
    course, out = Course(tmp_path / "course"), tmp_path / "out"
    text = LessonText("", {}, {"a": ""}, {}, files={"runs.csv": "1f2e"})
    texts = json.dumps({"01_a": asdict(text)})
    for name, content in {"solutions/course.json": texts, "notebooks/runs.csv": "2\n"}.items():
        (course.root / name).parent.mkdir(parents=True)
        (course.root / name).write_text(content, encoding="utf-8")
    out.mkdir()
    site_whole.lay_files(course, out)
    assert (out / "notebooks" / "runs.csv").read_text(encoding="utf-8") == "2\n"
    assert zipfile.ZipFile(site_whole.pack(out, "mine.zip")).namelist() == ["mine/notebooks/runs.csv"]


def test_the_page_on_how_to_use_the_course_links_to_the_archive() -> None:
    page = (ROOT / "book" / "how_to_use.md").read_text(encoding="utf-8")
    assert f'<a href="../{Course(ROOT).file_name}.zip">' in site_sources.fill_in(page, Course(ROOT))
