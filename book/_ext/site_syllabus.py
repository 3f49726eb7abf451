"""What is not taught: links into it are turned before a page is read, and its pages of an earlier build are removed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jaxcourse.course import Course
from jaxcourse_author.lesson.elsewhere import Elsewhere

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


def turn_links(app: Sphinx) -> None:
    """Turn links in the source of each page; the course is looked through once."""
    elsewhere = Elsewhere(Course(Path(app.srcdir)))

    def on_source_read(app: Sphinx, docname: str, source: list[str]) -> None:
        source[0] = elsewhere.redirected(source[0], docname)

    app.connect("source-read", on_source_read)


def remove_old_pages(app: Sphinx, error: Exception | None) -> None:
    """Remove pages of lessons that an earlier build has written and `_toc.yml` names no more."""
    if error is not None or app.builder.format != "html":
        return
    for path in Path(app.outdir, "notebooks").glob("*.html"):
        if f"notebooks/{path.stem}" not in app.env.found_docs:
            path.unlink()
            for source in Path(app.outdir, "_sources", "notebooks").glob(f"{path.stem}.*"):
                source.unlink()


def setup(app: Sphinx) -> ExtensionMetadata:
    """Turn links after the index of exercises is filled in; remove pages before any other is looked through."""
    app.connect("builder-inited", turn_links)
    app.connect("build-finished", remove_old_pages, priority=300)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
