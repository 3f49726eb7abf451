"""What a page loads: the theme's styles without the rules that no page needs, and none of its icon fonts."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.util import logging

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

logger = logging.getLogger(__name__)

SLIMMED = ["basic.css", "styles/pydata-sphinx-theme.css", "styles/sphinx-book-theme.css", "mystnb.*.css"]
# Our icons are in `_static/icons.css`. The rest is of use to those who develop the theme, or translate it.
UNUSED = [
    "locales",
    "scripts/fontawesome.js*",
    "scripts/*.map",
    "styles/*.map",
    "styles/theme.css",
    "vendor",
    "*webpack-macros.html",
]

AT_RULES_WITH_RULES = ("@media", "@supports", "@layer", "@container")


def rules(css: str) -> Iterator[tuple[str, str]]:
    """Give each rule of a style sheet as its head and its body, the body of `@media` with the rules inside.

    A statement without a body, such as `@charset`, has the body "".
    """
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    start, depth, opened = 0, 0, 0
    for token in re.finditer(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\([^()]*\)|[{};]", css):
        mark = token[0]
        if mark == "{":
            opened = token.start() if depth == 0 else opened
            depth += 1
        elif mark == "}":
            depth -= 1
            if depth == 0:
                yield css[start:opened].strip(), css[opened + 1 : token.start()]
                start = token.end()
        elif mark == ";" and depth == 0:
            yield css[start : token.start()].strip(), ""
            start = token.end()


def without_unused(css: str, names: set[str]) -> str:
    """Leave out of a style sheet the rules for classes and ids that no page has.

    Args:
        css: a style sheet.
        names: classes and ids that pages have or that scripts may add.
    """
    kept = []
    for head, body in rules(css):
        if head.startswith(AT_RULES_WITH_RULES):
            inside = without_unused(body, names)
            kept += [f"{head}{{{inside}}}"] if inside else []
        elif not body:
            kept += [f"{head};"] if head.startswith("@") else []
        elif head.startswith("@"):
            kept += [] if head == "@font-face" else [f"{head}{{{body}}}"]
        elif needed := [selector for selector in _selectors(head) if _asks_for(selector) <= names]:
            kept.append(f"{','.join(needed)}{{{body}}}")
    return "".join(kept)


def without_script(css: str) -> str:
    """Let a style sheet follow the reader's system where no script has chosen light or dark.

    Without a script the page says `data-theme="auto"`: what is for light holds there, and what is for dark if the
    system is dark.

    Example:
        >>> without_script('html[data-theme="dark"] a{color:red}')
        'html[data-theme="dark"] a{color:red}@media (prefers-color-scheme:dark){html[data-theme="auto"] a{color:red}}'
    """
    return "".join(_for_auto(head, body) for head, body in rules(css))


def _for_auto(head: str, body: str) -> str:
    if head.startswith(AT_RULES_WITH_RULES):
        return f"{head}{{{without_script(body)}}}"
    if not body:
        return f"{head};" if head.startswith("@") else ""
    auto = {of: _THEME[of].sub('[data-theme="auto"]', head) for of in _THEME if _THEME[of].search(head)}
    head = f"{head},{auto['light']}" if "light" in auto else head
    dark = f"@media (prefers-color-scheme:dark){{{auto['dark']}{{{body}}}}}" if "dark" in auto else ""
    return f"{head}{{{body}}}{dark}"


_THEME = {name: re.compile(rf"""\[data-theme=["']?{name}["']?\]""") for name in ("light", "dark")}


def _selectors(head: str) -> list[str]:
    """The selectors of a rule: commas inside of brackets do not separate them."""
    return re.findall(r"(?:[^,(\[]|\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\])+", head)


def _asks_for(selector: str) -> set[str]:
    """The classes and ids that an element needs for a selector, without those in brackets, one of which may do."""
    plain = re.sub(r"\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\]", "", selector)
    return {re.sub(r"\\", "", name) for name in re.findall(r"[.#]((?:[\w-]|\\.)+)", plain)}


def names_in_page(html: str) -> set[str]:
    """The classes and ids of a page, and every word of its scripts, which may add more."""
    attributes = re.findall(r"\b(?:class|id)=(?:\"([^\"]*)\"|'([^']*)')", html)
    scripts = re.findall(r"<script\b[^>]*>(.*?)</script>", html, re.DOTALL)
    return {name for pair in attributes for name in "".join(pair).split()} | names_in_script(" ".join(scripts))


def names_in_script(script: str) -> set[str]:
    """Every word that may be a class or an id."""
    return set(re.findall(r"[A-Za-z_][\w-]*", script))


def slim(out: Path) -> None:
    """Slim the theme's styles of a built site, and remove files that no page loads."""
    static = out / "_static"
    for pattern in UNUSED:
        for path in static.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    names: set[str] = set()
    for path in out.rglob("*.html"):
        names |= names_in_page(path.read_text(encoding="utf-8"))
    for path in static.rglob("*.js"):
        names |= names_in_script(path.read_text(encoding="utf-8"))
    for pattern in SLIMMED:
        for path in static.glob(pattern):
            path.write_text(without_script(without_unused(path.read_text(encoding="utf-8"), names)), encoding="utf-8")


def on_finished(app: Sphinx, error: Exception | None) -> None:
    """Slim what the theme has put beside the pages."""
    if error is None and app.builder.name == "html":
        slim(Path(app.outdir))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Slim the styles when all pages are written."""
    app.connect("build-finished", on_finished)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
