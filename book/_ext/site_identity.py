"""What this copy of the course is called, where it lives and which edition it is, on every page and in the store."""

from __future__ import annotations

from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

import jaxcourse
from jaxcourse.course import Course

if TYPE_CHECKING:
    from collections.abc import Callable

    from docutils.nodes import document
    from sphinx.application import Sphinx
    from sphinx.config import Config
    from sphinx.util.typing import ExtensionMetadata

BUTTONS = ("use_edit_page_button", "use_issues_button", "use_repository_button")
LICENCES = {"Text": ("LICENSE-TEXT", "CC BY 4.0"), "code": ("LICENSE", "BSD 3-Clause")}
"""Of what, which file, and what it is called: they lie beside the pages, and in the archive of the site."""
CITED = "CITATION.cff"


def footer(title: str, edition: str, origin: str, place: Callable[[str], str] = str) -> str:
    """The line below every page.

    Args:
        title: of this copy.
        edition: of what is read here.
        origin: whose work it is, if this copy is called otherwise.
        place: the address of a file beside the pages, as a page sees it.
    """
    what = ", ".join(f'{of} <a href="{escape(place(file))}">{name}</a>' for of, (file, name) in LICENCES.items())
    whose = f" After {escape(origin)}." if origin else ""
    return f"<p>{escape(title)}, edition {escape(edition)}.{whose} {what}.</p>"


def origin(course: Course) -> str:
    """Whose work a copy with a title of its own is, as `CITATION.cff` has it; empty for the course itself."""
    cited = course.root / CITED
    work = yaml.safe_load(cited.read_text(encoding="utf-8")) if cited.exists() else {"title": course.title}
    if work["title"] == course.title:
        return ""
    return f"{work['title']}, by {', '.join(author['name'] for author in work['authors'])}"


def shelf(course: Course) -> str:
    """The name under which a reader's browser keeps what was done in this course: its repository, or else its title.

    The script adds the folder of the site, so that two editions under one host are two.
    """
    return course.repository.removeprefix("https://github.com/") or course.file_name


def on_config(app: Sphinx, config: Config) -> None:
    """Fill in what follows from title and address. Without an address there is no button that leads to one."""
    course = Course(Path(app.srcdir))
    config.author = course.author
    options = config.html_theme_options
    options["logo"] = {**options.get("logo", {}), "text": course.title}
    # Whoever has the site or its archive has these as well.
    config.html_extra_path = [
        name for name in (*[file for file, _ in LICENCES.values()], CITED) if (course.root / name).exists()
    ]
    options |= dict.fromkeys(BUTTONS, bool(course.repository))
    # Opens notebooks/NN.ipynb, not NN.md, because the theme finds the notebook beside the source.
    options["launch_buttons"] = {"colab_url": "https://colab.research.google.com"} if course.colab else {}
    store = {"data-course": shelf(course), "data-file": f"{course.file_name}-progress.json"}
    app.add_js_file("record.js", priority=390)
    app.add_js_file("store.js", priority=400, **store)
    app.add_js_file("markup.js", priority=400)  # of verdicts and definitions, on any page


def on_page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None) -> None:
    """Say below a page what it is, whose, and under which licences; the links are those of this page."""
    course = Course(Path(app.srcdir))
    place = partial(context["pathto"], resource=True)
    context["theme_extra_footer"] = footer(course.title, jaxcourse.__version__, origin(course), place)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Fill in the settings before the theme reads them."""
    app.connect("config-inited", on_config, priority=100)
    app.connect("html-page-context", on_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
