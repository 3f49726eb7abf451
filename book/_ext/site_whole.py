"""The site as a whole: a page for wrong addresses, a site map, cards for links to it, and one archive."""

from __future__ import annotations

import html
import re
import shutil
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from xml.sax.saxutils import escape, quoteattr

from jaxcourse.course import DATA, TEXTS, Course

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docutils.nodes import document
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

CARD = "_static/card.png"
UNPACKED = {".buildinfo", "404.html", "objects.inv", "sitemap.xml"}
"""Files that are of use on a server only."""


def address(app: Sphinx) -> str:
    """The address of the site without a slash at its end, or "" where no configuration of the course says it."""
    return Course(Path(app.srcdir)).site


# -- a page for wrong addresses ---------------------------------------------------------------------------------


def page_not_found(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """The page that a server shows where there is none, if it is known where the site begins."""
    if not (site := address(app)):
        return
    root = urlsplit(site).path + "/"
    yield "404", {"course": app.config.html_title, "front": f"{app.config.root_doc}.html", "root": root}, "404.html"


def entrance(title: str, front: str) -> str:
    """What stands at the address of the site itself: it leads to the front page."""
    title, front = html.escape(title), html.escape(front)
    return (
        '<!doctype html>\n<html lang="en">\n  <head>\n    <meta charset="utf-8">\n'
        f'    <meta http-equiv="refresh" content="0; url={front}">\n'
        f'    <script>location.replace("{front}" + location.search + location.hash)</script>\n'
        f'    <link rel="icon" href="_static/favicon.svg">\n    <title>{title}</title>\n  </head>\n'
        f'  <body>\n    <p><a href="{front}">{title}</a></p>\n  </body>\n</html>\n'
    )


# -- cards and the site map -------------------------------------------------------------------------------------


def card_tags(site: str, page: str, title: str, description: str) -> str:
    """What messengers and networks read to show a link as a card.

    Args:
        site: the address of the site.
        page: the path of the page from there.
        title: of the page, as text.
        description: of the page, as text.
    """
    tags = {
        "og:type": "website",
        "og:title": title,
        "og:description": description,
        "og:url": f"{site}/{page}",
        "og:image": f"{site}/{CARD}",
        "og:image:width": "1200",
        "og:image:height": "630",
        "og:image:alt": "A row of cells joined by strides, and cells divided among three devices.",
    }
    lines = [f"<meta property={quoteattr(name)} content={quoteattr(text)}>" for name, text in tags.items()]
    return "\n".join([*lines, '<meta name="twitter:card" content="summary_large_image">', ""])


def on_page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None) -> None:
    """Put the card into the head of a page that describes itself."""
    if doctree is None or not (site := address(app)):
        return
    described = next(filter(re.compile('name="description"').search, context["metatags"].splitlines()), "")
    content = re.search(r'content="([^"]*)"', described)
    if content is None:  # which is a warning already
        return
    title = re.sub(r"<[^>]+>", "", context["title"])
    context["metatags"] += card_tags(site, f"{page}.html", html.unescape(title), html.unescape(content[1]))


def draw_card(path: Path, title: str, words: str) -> None:
    """Draw the picture that stands for the course in links to it, 1200 by 630 pixels.

    Args:
        path: where it is written.
        title: of the course.
        words: what it is, in a line or two.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyBboxPatch, PathPatch
    from matplotlib.path import Path as MplPath

    figure = Figure(figsize=(12, 6.3), dpi=100, facecolor="#12161f")
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, 1200), ylim=(0, 630))
    axes.axis("off")

    def cell(x: float, y: float, colour: str, *, filled: bool = True) -> None:
        style = {"facecolor": colour if filled else "none", "edgecolor": colour, "linewidth": 4}
        axes.add_patch(FancyBboxPatch((x, y), 62, 62, boxstyle="round,pad=0,rounding_size=12", **style))

    for place in range(5):
        cell(100 + 92 * place, 390, "#6f95ff", filled=place % 2 == 0)
    for start in (131, 315):
        curve = MplPath([(start, 470), (start + 92, 570), (start + 184, 470)], [1, 3, 3])
        axes.add_patch(PathPatch(curve, facecolor="none", edgecolor="#6f95ff", linewidth=4))
    for device in range(3):
        for place in range(2):
            cell(700 + 150 * device, 355 + 92 * place, "#2fb8ac")
    axes.text(96, 215, title, color="white", fontsize=50, fontweight="bold", family="DejaVu Sans")
    axes.text(100, 105, words, color="#c6ccd8", fontsize=23, family="DejaVu Sans", linespacing=1.5)
    figure.savefig(path, facecolor=figure.get_facecolor(), metadata={"Software": None})


def site_map(site: str, pages: list[str]) -> str:
    """The site map, for search engines."""
    places = "".join(f"<url><loc>{escape(f'{site}/{page}.html')}</loc></url>\n" for page in sorted(pages))
    start = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    return f"{start}{places}</urlset>\n"


# -- the archive ------------------------------------------------------------------------------------------------


def pack(out: Path, name: str) -> Path:
    """Pack the site into one archive that is read without a server; equal sites give equal bytes.

    Args:
        out: the folder of the site, where the archive is put.
        name: of the archive.
    """
    archive = out / name
    for other in out.glob("*.zip"):  # of an earlier build, perhaps under another title
        other.unlink()
    paths = sorted(path for path in out.rglob("*") if path.is_file() and path.name not in UNPACKED)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path in paths:
            entry = zipfile.ZipInfo(f"{archive.stem}/{path.relative_to(out).as_posix()}", (2000, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, path.read_bytes())
    return archive


def lay_files(course: Course, out: Path) -> None:
    """Put the files that lessons read beside the lessons' pages, for whoever wants one alone."""
    for path in course.reads():
        (out / DATA).mkdir(exist_ok=True)
        shutil.copyfile(path, out / DATA / path.name)


def on_finished(app: Sphinx, error: Exception | None) -> None:
    """Write what stands beside the pages, and the archive of all."""
    if error is not None or app.builder.name != "html":
        return
    out = Path(app.outdir)
    if not (site := address(app)):
        for of_an_address in ("404.html", "sitemap.xml", CARD):
            (out / of_an_address).unlink(missing_ok=True)  # an earlier build had one
    else:
        (out / "sitemap.xml").write_text(site_map(site, list(app.env.found_docs)), encoding="utf-8")
        words = "An interactive course from NumPy's memory layout\nto JAX arrays sharded over many devices"
        draw_card(out / CARD, app.config.html_title, words)
    course = Course(Path(app.srcdir))
    if (course.root / TEXTS).exists():
        lay_files(course, out)
    if (front := f"{app.config.root_doc}.html") != "index.html":
        (out / "index.html").write_text(entrance(course.title, front), encoding="utf-8")
    pack(out, f"{course.file_name}.zip")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Add the pages, the cards, and at the very end the archive."""
    app.connect("html-collect-pages", page_not_found)
    app.connect("html-page-context", on_page)
    app.connect("build-finished", on_finished, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
