"""A site of a few pages, built with some of our extensions."""

import io
from pathlib import Path
from typing import Any


def build(
    source: Path, files: dict[str, str], extensions: list[str], execute: bool = False, **settings: Any
) -> tuple[Path, str]:
    """Write files, have Sphinx make a site of them, and give its folder with the warnings.

    Args:
        source: where the files are written; the site is in `html` below it.
        files: texts by their names, such as `book/glossary.md`.
        extensions: those to load; what they need must be installed.
        execute: whether cells are executed, as the course's site does it: it waits for an output that comes late.
        settings: more of Sphinx's configuration.
    """
    from sphinx.application import Sphinx

    if execute:
        files, extensions = {"requirements.txt": "", **files}, ["myst_nb", "site_execute", *extensions]
        cache = {"nb_execution_mode": "cache", "nb_execution_cache_path": str(source / "cache")}
        settings |= {**cache, "exclude_patterns": ["cache", "jupyter_execute"]}
    for name, text in files.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text, encoding="utf-8")
    # A table of its own: what one site's extensions register in Sphinx's default one is there for the next site, too.
    suffixes = {".rst": "restructuredtext"}
    overrides = {"extensions": extensions, "html_theme": "basic", "source_suffix": suffixes, **settings}
    out, warnings = source / "html", io.StringIO()
    Sphinx(source, None, out, source / "doctrees", "html", overrides, status=None, warning=warnings).build()
    return out, warnings.getvalue()
