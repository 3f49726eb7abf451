"""The site: what can be said of it without building the book, which `make site` does with every warning an error."""

from __future__ import annotations

import os
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from docutils import nodes, utils
from fontTools.ttLib import TTFont
from mini_book import build
from sphinx.util.matching import compile_matchers

from jaxcourse.course import Course
from jaxcourse_author.lesson import Minutes, page_at
from jaxcourse_author.rules._text import DESCRIPTION

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "book"
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
SPHINX = CONFIG["sphinx"]["config"]
ENTRIES = Course(ROOT).pages
LESSONS = [entry for entry in ENTRIES if entry.startswith("notebooks/")]
PAGES = sorted(BOOK.glob("*.md"))

sys.path.insert(0, str(BOOK / "_ext"))


# -- the configuration ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_entry_of_the_toc_exists(entry: str) -> None:
    assert (ROOT / f"{entry}.md").is_file()


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_lesson_has_a_notebook_beside_it_for_colab_to_open(lesson: str) -> None:
    assert (ROOT / f"{lesson}.ipynb").is_file(), "write it with: jaxcourse notebooks"


@pytest.mark.parametrize("folder", [".pytest_cache", ".venv", ".venv-colab", "solutions"])
def test_what_tools_leave_behind_is_no_page(folder: str) -> None:
    assert any(excludes(folder) for excludes in compile_matchers(CONFIG["exclude_patterns"]))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_is_in_the_toc(page: Path) -> None:
    assert f"book/{page.stem}" in ENTRIES


def test_all_lessons_but_the_first_are_numbered() -> None:
    numbered = [c["file"] for part in TOC.get("parts", []) if part.get("numbered") for c in part["chapters"]]
    assert {lesson for lesson in LESSONS if lesson not in numbered} <= {"notebooks/00_start_here"}


@pytest.mark.parametrize(
    "path",
    [
        CONFIG["logo"],
        CONFIG["html"]["favicon"],
        *CONFIG["bibtex_bibfiles"],
        *CONFIG["sphinx"]["local_extensions"].values(),
        *(SPHINX[key][0] for key in ("html_static_path", "templates_path")),
        *(f"book/_static/{name}" for name in SPHINX["html_css_files"]),
        *(f"book/_ext/{name}.py" for name in CONFIG["sphinx"]["local_extensions"]),
    ],
)
def test_every_file_of_the_configuration_exists(path: str) -> None:
    assert (ROOT / path).exists()


def test_local_extensions_are_loaded() -> None:
    assert set(CONFIG["sphinx"]["local_extensions"]) <= set(SPHINX["extensions"])


def test_theme_options_add_to_the_buttons_and_do_not_replace_them() -> None:
    assert CONFIG["sphinx"]["recursive_update"] is True


def test_there_is_no_static_folder_at_the_top_whose_files_would_be_on_every_page() -> None:
    assert not (ROOT / "_static").exists()


# -- the pages --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_page_describes_itself(entry: str) -> None:
    front_matter = (ROOT / f"{entry}.md").read_text(encoding="utf-8").split("---\n")[1]
    description = yaml.safe_load(front_matter)["myst"]["html_meta"]["description"]
    assert len(description) in DESCRIPTION


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_leave_the_address_of_the_repository_to_the_configuration(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"github\.com/[\w-]*strides|strides-to-shards\.github", text)
    assert set(re.findall(r"\{\{ *(.*?) *\}\}", text)) <= {
        "title",
        "file_name",
        "repository",
        "the repository",
        "say so",
        "unset",
        "facts",
        "picture",
        "door",
        "more doors",
        "home",
        "placement",
        "sheet",
        "sheets",
        *("foresee", "foresee card", "foresee habits", "foresee ideas", "foresee sum", "foresee time"),
        *("plans", "plans of presets", "links to plans"),
        "choose a path",
        "paths",
        "presets",
        "cards",
        "progress",
        "exercises",
        "sources",
    }


@pytest.mark.parametrize(
    "path", [p for p in BOOK.rglob("*") if p.suffix in {".css", ".html", ".svg"}], ids=lambda p: p.name
)
def test_the_site_fetches_nothing_from_elsewhere(path: Path) -> None:
    text = re.sub(r"\{#.*?#\}", "", path.read_text(encoding="utf-8")).replace("http://www.w3.org/2000/svg", "")
    assert not re.findall(r"//\w|url\((?!\"(?:data:|fonts/))|@import", text)


# -- addresses --------------------------------------------------------------------------------------------------


SOURCE = "# {{ title }}\n{{ unset }}\nSee {{ the repository }}.\n```bash\ngit clone {{ repository }}\n```\n{{ other }}"


def test_title_and_addresses_follow_from_the_configuration_in_prose_and_in_code(tmp_path: Path) -> None:
    sources = pytest.importorskip("site_sources")
    config = "title: Mine\nrepository: {url: https://github.com/me/mine, branch: trunk}"
    (tmp_path / "_config.yml").write_text(config, encoding="utf-8")
    assert sources.fill_in(SOURCE, Course(tmp_path)) == (
        "# Mine\n\nSee [the repository](https://github.com/me/mine).\n"
        "```bash\ngit clone https://github.com/me/mine\n```\n{{ other }}"
    )
    colab = "https://colab.research.google.com/github/me/mine/blob/trunk/notebooks/01_a.ipynb"
    assert sources.notebook_in_colab("01_a", SimpleNamespace(srcdir=tmp_path)) == colab


def test_a_page_without_an_address_says_what_is_to_be_set_and_links_to_nobody(tmp_path: Path) -> None:
    sources = pytest.importorskip("site_sources")
    text = sources.fill_in(SOURCE, Course(tmp_path))
    assert ":::{note}" in text and "`jaxcourse address OWNER/REPO`" in text
    assert "See the repository.\n```bash\ngit clone ADDRESS" in text and "http" not in text
    assert sources.notebook_in_colab("01_a", SimpleNamespace(srcdir=tmp_path)) == ""


# -- repairs ----------------------------------------------------------------------------------------------------


def test_an_arrow_in_the_contents_says_what_it_unfolds() -> None:
    soup = pytest.importorskip("bs4").BeautifulSoup(
        '<li><a href="api.html">The package</a><details><summary><span></span></summary></details></li>', "html.parser"
    )
    context = {"generate_toctree_html": lambda kind: soup}
    pytest.importorskip("site_fixups").name_folds(None, "a", "page.html", context, None)
    assert 'aria-label="Pages of The package"' in str(context["generate_toctree_html"]("sidebar"))


def test_a_long_word_of_code_may_break_in_a_cell_behind_a_dot_or_a_bracket() -> None:
    word = '<span class="pre">{}</span>'
    long, short, numbers = "torch.autograd.set_anomaly(True)", "x.at[0].set(1.0)", "[0.125, 0.25, 0.5, 1.0]"
    body = f"<p>{word.format(long)}</p><td>{''.join(word.format(one) for one in (long, short, numbers))}</td>"
    context = {"body": body}
    pytest.importorskip("site_fixups").break_code_in_cells(None, "a", "page.html", context, None)
    parts = "<wbr>".join(word.format(one) for one in ("torch.", "autograd.", "set_anomaly(", "True)"))
    assert context["body"] == f"<p>{word.format(long)}</p><td>{parts}{word.format(short)}{word.format(numbers)}</td>"


def test_repeated_ids_are_dropped_and_others_are_kept() -> None:
    fixups = pytest.importorskip("site_fixups")
    from docutils import nodes
    from docutils.utils import new_document

    doctree = new_document("page")
    doctree += [nodes.section(ids=[name]) for name in ("exercise-content", "solution-content", "recap")]
    fixups.drop_repeated_ids(None, doctree, "page")
    assert [section["ids"] for section in doctree] == [[], [], ["recap"]]


@pytest.mark.parametrize(("error", "offered"), [(None, "blank"), (RuntimeError(), "executed")])
def test_the_download_is_the_blank_notebook(tmp_path: Path, error: Exception | None, offered: str) -> None:
    fixups = pytest.importorskip("site_fixups")
    source, target = tmp_path / "notebooks", tmp_path / "html" / "_sources" / "notebooks"
    source.mkdir()
    target.mkdir(parents=True)
    (source / "01.ipynb").write_text("blank")
    (target / "01.ipynb").write_text("executed")
    found = ["notebooks/01", "notebooks/without_a_notebook"]
    env = SimpleNamespace(found_docs=found, doc2path=lambda name: str(tmp_path / f"{name}.md"))
    app = SimpleNamespace(builder=SimpleNamespace(format="html"), env=env, outdir=tmp_path / "html")
    fixups.offer_blank_notebooks(app, error)
    assert (target / "01.ipynb").read_text() == offered
    assert not (target / "without_a_notebook.ipynb").exists()


# -- numbers ----------------------------------------------------------------------------------------------------


def test_a_lesson_s_number_is_that_of_its_file_also_where_lessons_are_missing(tmp_path: Path) -> None:
    pytest.importorskip("myst_parser")
    tree = "# Course\n\n```{toctree}\n:numbered: 1\nnotebooks/01_first\nnotebooks/13_last\n```\n"
    page = "# Page\n\n## Section\n\n```{figure} boxes.svg\n:alt: A row of boxes.\n\nBoxes.\n```\n"
    files = {"index.md": tree, "notebooks/01_first.md": page, "notebooks/13_last.md": page}
    files["notebooks/boxes.svg"] = "<svg/>"
    out, _ = build(tmp_path, files, ["myst_parser", "site_fixups"], numfig=True)
    for number, name in {1: "01_first", 13: "13_last"}.items():
        html = (out / "notebooks" / f"{name}.html").read_text(encoding="utf-8")
        assert f'<span class="caption-number">Fig. {number}.1' in html
        assert f'<span class="section-number">{number}. </span>Page' in html
    contents = (out / "index.html").read_text(encoding="utf-8")
    assert re.findall(r">(\d+)\. Page</a>", contents)[:2] == ["1", "13"]


# -- alternative texts ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "without"),
    [
        ('<img src="a.png" alt="A row of boxes.">', 0),
        ('<img src="a.png">', 1),
        ('<img src="a.png" alt="">', 1),
        ('<img src="_images/a.png" alt="_images/a.png">', 1),
        ('<img src="a.png" alt="The boxes of a.png">', 0),
        ('<svg role="img" aria-label="A row of boxes."></svg>', 0),
        ('<svg role="img"></svg>', 1),
        ('<svg role="img" aria-label=" "></svg>', 1),
        ("<svg><title>A row of boxes.</title></svg>", 0),
        ("<svg><g><title>One box.</title></g></svg>", 1),
        ('<svg aria-hidden="true"></svg>', 0),
        ('<p id="a">A row.</p><svg aria-labelledby="a"></svg>', 0),
        ('<div role="img" aria-label="Two rows."><svg></svg><svg></svg></div>', 0),
        ('<div role="img"><svg></svg></div>', 1),
        ('<svg aria-label="A row."><svg></svg></svg>', 0),
        ("<p>no picture</p>", 0),
    ],
)
def test_pictures_without_text(html: str, without: int) -> None:
    assert len(pytest.importorskip("site_alt_text").pictures_without_text(html)) == without


# -- formulas ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tex", "elements", "text"),
    [
        (r"\sqrt{12}", ["msqrt"], "12"),
        (r"\sum_{k=0}^{\infty} r^k", ["munderover", "msup"], "∑k=0∞rk"),
        (r"\frac{a}{b}", ["mfrac"], "ab"),
        (r"(-\frac{1}{3})^{k}", ["mfrac", "msup"], "(−13)k"),
        (r"\begin{aligned} a &= b \\ c &= d \end{aligned}", ["mtable", "mtr", "mtd"], "a=bc=d"),
        (r"a &= b \\ c &= d", ["mtable", "mtr", "mtd"], "a=bc=d"),
        (r"\mathbb{R}^{n \times m}", ["msup"], "ℝn×m"),
        (r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}", ["mtable", "mtr", "mtd"], "(1234)"),
        (r"\begin{cases} 1 & x > 0 \\ 0 & \text{else} \end{cases}", ["mtable"], "{1x>00else"),
        (r"\hat{x}", ["mover"], "xˆ"),
        (r"\partial f / \partial x", ["mi"], "∂f/∂x"),
        (r"\left( \frac{1}{2} \right)", ["mfrac"], "(12)"),
        (r"\lfloor n / 64 \rfloor \leftarrow \{ 1 \}", ["mo"], "⌊n/64⌋←{1}"),
    ],
)
def test_formulas_become_mathml(tex: str, elements: list[str], text: str) -> None:
    mathml = pytest.importorskip("site_mathml").to_mathml(tex, block=True)
    math = ElementTree.fromstring(mathml.replace("&ApplyFunction;", ""))
    names = {element.tag.rpartition("}")[2] for element in math.iter()}
    assert math.get("display") == "block"
    assert names >= set(elements)
    assert "".join("".join(math.itertext()).split()) == text


def test_words_do_not_take_the_space_around_an_operator() -> None:
    mathml = pytest.importorskip("site_mathml").to_mathml(r"\text{row stride } = 32")
    assert '<mi mathvariant="normal">row stride\xa0</mi>' in mathml


def test_a_blank_line_separates_formulas() -> None:
    assert pytest.importorskip("site_mathml").to_mathml("a = b\n\nc = d\n", block=True).count("<math ") == 2


@pytest.mark.parametrize(
    ("tex", "reason"),
    [
        (r"\dots", r'"\dots"'),
        (r"\begin{align} a &= b \end{align}", '"align"'),
        (r"\frac{a}", "incomplete"),
        ("{a", '1 "{" but 0 "}"'),
        (r"\{a}", '0 "{" but 1 "}"'),
        (r"a \\{b", '1 "{" but 0 "}"'),
        (r"\begin{pmatrix} 1", r'1 "\begin" but 0 "\end"'),
        (r"\left( a", r'1 "\left" but 0 "\right"'),
        ("&", "Misplaced"),
        (r"\limits", "Misplaced"),
    ],
)
def test_what_cannot_be_set_is_refused(tex: str, reason: str) -> None:
    mathml = pytest.importorskip("site_mathml")
    with pytest.raises(mathml.MathError, match=re.escape(reason)):
        mathml.to_mathml(tex, block=True)


# -- together, on a page of their own ---------------------------------------------------------------------------

GOOD = """---
myst: {html_meta: {description: A page.}}
---
# Good

Inline $x^2$, and equation {eq}`sum` of {{ repository }}:

$$
s = \\sum_k i_k
$$ (sum)

![A row of boxes.](boxes.svg)
"""
BAD = """# Bad

Inline $\\dots$.

![](boxes.svg)
"""


@pytest.fixture(scope="module")
def tiny_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, str], str]]:
    """Two pages built with our extensions: their HTML, and the warnings."""
    pytest.importorskip("myst_parser")
    files = {"index.md": GOOD, "bad.md": BAD, "boxes.svg": "<svg/>", "_toc.yml": "root: index\nchapters: [{file: bad}]"}
    files["_config.yml"] = "repository: {url: https://github.com/me/mine}"
    settings: dict[str, Any] = {
        "html_math_renderer": SPHINX["html_math_renderer"],
        "myst_enable_extensions": ["dollarmath"],
    }
    extensions = ["myst_parser", *CONFIG["sphinx"]["local_extensions"]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAX_PPRINT_USE_COLOR", "1")
        out, warnings = build(tmp_path_factory.mktemp("tiny"), files, extensions, **settings)
        pages = {name: (out / f"{name}.html").read_text(encoding="utf-8") for name in ("index", "bad")}
        yield pages | {"colour": os.environ["JAX_PPRINT_USE_COLOR"]}, warnings


def test_a_formula_is_numbered_and_referred_to(tiny_site: tuple[dict[str, str], str]) -> None:
    page = tiny_site[0]["index"]
    assert re.search(
        r'<div class="math notranslate" id="equation-sum">\s*<div class="formula" tabindex="0"><math ', page
    )
    assert re.search(r'<span class="eqno">\(1\)<a class="headerlink" href="#equation-sum"', page)
    assert re.search(r'<a class="reference internal" href="#equation-sum">\(1\)</a>', page)
    assert re.search(r'<span class="math notranslate"><math [^>]*>\s*<msup>', page)


def test_no_script_sets_formulas(tiny_site: tuple[dict[str, str], str]) -> None:
    assert not re.search(r"<script[^>]*mathjax", tiny_site[0]["index"], re.IGNORECASE)


def test_addresses_are_filled_in(tiny_site: tuple[dict[str, str], str]) -> None:
    assert "of https://github.com/me/mine:" in tiny_site[0]["index"]


def test_the_defects_of_a_page_are_warnings_that_name_them(tiny_site: tuple[dict[str, str], str]) -> None:
    warnings = tiny_site[1]
    assert re.search(r"bad\.md:3: WARNING: cannot set the formula `\\dots`", warnings)
    assert re.search(r'bad\.md: WARNING: no alternative text: <img alt="" src="_images/boxes.svg"', warnings)
    assert re.search(r"bad\.md: WARNING: no description", warnings)
    assert "index.md" not in warnings


def test_jaxprs_are_printed_without_colours(tiny_site: tuple[dict[str, str], str]) -> None:
    assert tiny_site[0]["colour"] == "0"


def test_the_minutes_of_a_lesson_stand_below_its_headings_and_a_button_opens_its_notebook() -> None:
    show_head = pytest.importorskip("site_lessons").show_head
    title, first, deeper, second = (nodes.section(ids=[name]) for name in ("title", "first", "deeper", "second"))
    for section in (title, first, deeper, second):
        section += nodes.title("", section["ids"][0])
    first += deeper
    title += [first, second]
    page = utils.new_document("page")
    page += title
    show_head(page, Minutes(38, 20), {"first": 30, "deeper": 20, "second": 1, "other": 10}, "colab/title.ipynb")
    said = {p.parent["ids"][0]: p.astext() for p in page.findall(nodes.paragraph)}
    assert said == {
        "title": "About 40 minutes, 60 with practice Open in Colab",
        "first": "30 minutes left",
        "second": "1 minute left",
    }
    assert [link["refuri"] for link in page.findall(nodes.reference)] == ["colab/title.ipynb"]
    assert [type(child) for child in title.children[:2]] == [nodes.title, nodes.paragraph]


def test_a_lesson_of_two_sittings_says_how_long_each_is_and_what_is_left_of_it() -> None:
    site_lessons = pytest.importorskip("site_lessons")
    title, second = (nodes.section(ids=[name]) for name in ("title", "toy-sitting-2"))
    title += [nodes.title("", "A toy"), second]
    second += nodes.title("", "More")
    page = utils.new_document("page")
    page += title
    both = Minutes(160, 20, (Minutes(81, 0), Minutes(79, 20)))
    site_lessons.show_head(page, both, {"toy-sitting-2": 79}, "")
    said = [paragraph.astext() for paragraph in page.findall(nodes.paragraph)]
    assert [words.strip() for words in said] == [
        "About two sittings of 85 and 80 minutes, 185 with practice",
        "79 minutes left in this sitting",
    ]


# -- the mathematical font --------------------------------------------------------------------------------------


def formulas_of(path: Path) -> list[str]:
    """The formulas of a page or lesson."""
    nodes = list(page_at(path).walk())
    said = [(mark.type, mark.text) for node in nodes for mark in node.marks]
    said += [(node.type, node.token.content) for node in nodes]
    said += [("math", node.body) for node in nodes if node.name == "math"]
    return [text for kind, text in said if kind.startswith("math")]


def test_the_sites_own_font_has_every_sign_of_every_formula() -> None:
    to_mathml = pytest.importorskip("site_mathml").to_mathml
    letters = TTFont(BOOK / "_static" / "fonts" / "course-math.woff").getBestCmap()
    formulas = [one for entry in ENTRIES for one in formulas_of(ROOT / f"{entry}.md")]
    assert len(formulas) > 50
    signs = set("".join(unescape(re.sub(r"<[^>]*>", "", to_mathml(formula))) for formula in formulas))
    assert {sign for sign in signs if ord(sign) not in letters and not sign.isspace()} == set()


def test_an_exercise_has_the_same_number_on_its_page_and_in_its_notebook() -> None:
    """Sphinx numbers what stands in a numbered part of `_toc.yml`, a notebook by its lesson's name."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    for part in contents["parts"]:
        for page in part["chapters"]:
            if lesson := re.fullmatch(r"notebooks/(\d\d)_\w+", page["file"]):
                assert bool(part.get("numbered")) == bool(int(lesson[1])), page["file"]
