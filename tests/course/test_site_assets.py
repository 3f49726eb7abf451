"""What a page loads: styles without the rules that nobody needs, and icons of our own."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
site_assets = pytest.importorskip("site_assets")


@pytest.mark.parametrize(
    ("css", "slim"),
    [
        (".a{x:1}.b{x:2}", ".a{x:1}"),
        (".a,.b{x:1}", ".a{x:1}"),
        (".a.b{x:1}.a>.c .b:hover{x:2}", ""),
        ("p .a:not(.b){x:1}", "p .a:not(.b){x:1}"),
        (":is(.a,.b) p,.b{x:1}", ":is(.a,.b) p{x:1}"),
        ("#a{x:1}#b{x:2}", "#a{x:1}"),
        (r".a\:0{x:1}.a\.5{x:2}", r".a\.5{x:2}"),
        ('[class*=".b{"]{x:"}"}', '[class*=".b{"]{x:"}"}'),
        ("@media (min-width:1px){.a{x:1}.b{x:2}}@media print{.b{x:1}}", "@media (min-width:1px){.a{x:1}}"),
        ("@supports (x:1){@media print{.a{x:1}.b{x:2}}}", "@supports (x:1){@media print{.a{x:1}}}"),
        ('@charset "x";@keyframes b{y{x:1}}@font-face{x:1}', '@charset "x";@keyframes b{y{x:1}}'),
        ("/* .b{} */.a{x:url(data:a;b,{})}", ".a{x:url(data:a;b,{})}"),
    ],
)
def test_rules_that_no_page_needs_are_left_out(css: str, slim: str) -> None:
    assert site_assets.without_unused(css, {"a", "a.5"}) == slim


def test_what_a_script_may_add_is_kept() -> None:
    page = '<p class="a b" id=\'c\'>word</p><script>node.classList.add("shown-now")</script>'
    assert {"a", "b", "c", "shown-now"} <= site_assets.names_in_page(page)
    assert "word" not in site_assets.names_in_page(page)


def test_a_built_site_is_slimmed(tmp_path: Path) -> None:
    static = tmp_path / "_static"
    for name in ("styles/pydata-sphinx-theme.css", "scripts/fontawesome.js", "scripts/fontawesome.js.map", "site.css"):
        (static / name).parent.mkdir(parents=True, exist_ok=True)
        (static / name).write_text(".a{x:1}.b{x:2}", encoding="utf-8")
    (tmp_path / "index.html").write_text('<p class="a">', encoding="utf-8")
    site_assets.slim(tmp_path)
    left = {path.name: path.read_text(encoding="utf-8") for path in static.rglob("*.*")}
    assert left == {"pydata-sphinx-theme.css": ".a{x:1}", "site.css": ".a{x:1}.b{x:2}"}


def test_every_icon_is_drawn_and_every_drawing_is_used() -> None:
    css = (ROOT / "book" / "_static" / "icons.css").read_text(encoding="utf-8")
    assert set(re.findall(r"(--icon-[a-z]+): url", css)) == set(re.findall(r"var\((--icon-[a-z]+)", css))


def test_the_icons_of_the_theme_s_templates_are_ours() -> None:
    """Each icon that the book's buttons ask for; a new one of the theme would be an empty place."""
    from sphinx_book_theme import header_buttons

    css = (ROOT / "book" / "_static" / "icons.css").read_text(encoding="utf-8")
    folder = Path(header_buttons.__file__).parent
    asked = {name for path in folder.glob("*.py") for name in re.findall(r"fas (fa-[a-z-]+)", path.read_text("utf-8"))}
    templates = ROOT.joinpath("book", "_templates").rglob("*.html")
    asked |= {name for path in templates for name in re.findall(r"fa-solid (fa-[a-z-]+)", path.read_text("utf-8"))}
    assert asked - {"fa-play"} <= {f"fa-{name}" for name in re.findall(r"\.fa-([a-z-]+)", css)}  # no page runs cells
