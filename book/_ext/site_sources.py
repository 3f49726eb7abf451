"""What several extensions need of a lesson: its source, read once in a build, its address in Colab, code in a line."""

from __future__ import annotations

import functools
import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from jaxcourse.course import Course, notebooks

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def lesson_source(path: Path, course: Course) -> notebooks.LessonSource:
    """A lesson as `notebooks.read` gives it; it is read again only when its file has changed.

    Args:
        path: `notebooks/NN_topic.md`.
        course: the course that it belongs to.
    """
    return _read(path, course, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=64)
def _read(path: Path, course: Course, changed: int) -> notebooks.LessonSource:
    return notebooks.read(path, course)


def fill_in_addresses(text: str, app: Sphinx) -> str:
    """Replace `{{ repository }}` and `{{ colab }}`, in code too, so that a fork has one address to change.

    Args:
        text: the source of a page.
        app: its settings name the repository, such as `https://github.com/owner/name`, and the branch whose notebooks
            Colab opens.
    """
    options = app.config.html_theme_options
    repository = options["repository_url"]
    colab = repository.replace("https://github.com", "https://colab.research.google.com/github")
    return text.replace("{{ repository }}", repository).replace(
        "{{ colab }}", f"{colab}/blob/{options['repository_branch']}"
    )


def notebook_in_colab(stem: str, app: Sphinx) -> str:
    """The address at which Colab opens the blank notebook of a lesson."""
    return fill_in_addresses(f"{{{{ colab }}}}/notebooks/{stem}.ipynb", app)


def with_code(text: str) -> str:
    """A line of plain text as HTML, with `code` in backticks.

    Example:
        >>> with_code("when `np` & `jnp` differ")
        'when <code>np</code> &amp; <code>jnp</code> differ'
    """
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))
