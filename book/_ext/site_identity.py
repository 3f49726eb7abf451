"""What this copy of the course is called, where it lives and which edition it is, on every page and in the store."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import jaxcourse
from jaxcourse.course import Course

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config
    from sphinx.util.typing import ExtensionMetadata

BUTTONS = ("use_edit_page_button", "use_issues_button", "use_repository_button")
LICENCE = "BSD 3-Clause"


def footer(title: str, edition: str) -> str:
    """The line below every page."""
    return f"<p>{escape(title)}, edition {escape(edition)}. Licence: {LICENCE}.</p>"


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
    options["extra_footer"] = footer(course.title, jaxcourse.__version__)
    options |= dict.fromkeys(BUTTONS, bool(course.repository))
    # Opens notebooks/NN.ipynb, not NN.md, because the theme finds the notebook beside the source.
    options["launch_buttons"] = {"colab_url": "https://colab.research.google.com"} if course.colab else {}
    store = {"data-course": shelf(course), "data-file": f"{course.file_name}-progress.json"}
    app.add_js_file("record.js", priority=390)
    app.add_js_file("store.js", priority=400, **store)
    app.add_js_file("markup.js", priority=400)  # of verdicts and definitions, on any page


def setup(app: Sphinx) -> ExtensionMetadata:
    """Fill in the settings before the theme reads them."""
    app.connect("config-inited", on_config, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
