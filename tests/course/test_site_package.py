"""The package's pages, and the links that lead to them from lessons."""

import importlib
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.utils import new_document

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))

import site_package  # noqa: E402

PAGES = sorted((ROOT / "book").glob("api*.md"))
DOCUMENTED = re.compile(r"\.\. auto(module|function):: (jaxcourse[\w.]*)")


def document(*literals, page="notebooks/01_toy"):
    """A page of two sections that say the same."""
    made = new_document(page, get_default_settings())
    for i in range(2):
        section = nodes.section(ids=[f"s{i}"])
        section += nodes.title("", "", nodes.literal("", "bench.race"))
        for text in literals:
            section += nodes.paragraph("", "", nodes.Text("see "), nodes.literal("", text))
        made += section
    return made


def linked(made, page="notebooks/01_toy"):
    known = SimpleNamespace(docname="book/api_bench", node_id="jaxcourse.bench.race")
    domain = SimpleNamespace(objects={"jaxcourse.bench.race": known})
    builder = SimpleNamespace(get_relative_uri=lambda here, there: f"../{there}.html")
    app = SimpleNamespace(builder=builder)
    made.settings.env = SimpleNamespace(app=app, docname=page, get_domain=lambda name: domain)
    site_package.NamesToPages(made).run()
    return [(link["refuri"], link.astext()) for link in made.findall(nodes.reference)]


@pytest.mark.parametrize("text", ["bench.race", "bench.race(f, g)", "jaxcourse.bench.race"])
def test_a_name_of_the_package_leads_to_its_page_once_a_section(text):
    to = "../book/api_bench.html#jaxcourse.bench.race"
    assert linked(document(text, text)) == [(to, text)] * 2


@pytest.mark.parametrize("text", ["race", "x.sum()", "jax.jit", "bench.race twice", "bench.entry"])
def test_other_code_stays_as_it_is(text):
    assert linked(document(text)) == []


def test_pages_of_the_book_are_left_alone():
    assert linked(document("bench.race", page="book/x"), page="book/x") == []


def test_every_name_on_the_packages_pages_is_there():
    found = [match for page in PAGES for match in DOCUMENTED.findall(page.read_text(encoding="utf-8"))]
    assert len(found) > 20
    for kind, name in found:
        module, _, last = name.rpartition(".")
        assert importlib.import_module(name) if kind == "module" else hasattr(importlib.import_module(module), last)


def test_the_rooms_that_lessons_name_have_a_page():
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    for room in ("bench", "draw", "explore", "play", "frames", "stages", "traffic", "devices", "launch", "probe"):
        assert f"jaxcourse.{room}" in text, room
    named = {
        name
        for lesson in (ROOT / "notebooks").glob("*.md")
        for name in re.findall(r"\bprobe\.(\w+)\(", lesson.read_text(encoding="utf-8"))
    }
    probe = (ROOT / "book/api_probe.md").read_text(encoding="utf-8")
    assert [name for name in sorted(named) if f"jaxcourse.probe.{name}" not in probe] == []
